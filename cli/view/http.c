// Requests and responses of HTTP/1.1, as far as perp view --serve needs them.
#define _POSIX_C_SOURCE 200809L

#include "view/http.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    int status;
    const char *text;
} REASONS[] = {
    {200, "OK"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {505, "HTTP Version Not Supported"},
};

bool http_is_complete(const char *text, size_t length)
{
    for (size_t k = 3; k < length; k++)
        if (memcmp(text + k - 3, "\r\n\r\n", 4) == 0)
            return true;
    return false;
}

// --- the request --------------------------------------------------------------------------------

// A line of the head, without its end; false after the last.
static bool next_line(const char **at, const char *end, const char **line, size_t *length)
{
    const char *stop = *at;
    while (stop + 1 < end && !(stop[0] == '\r' && stop[1] == '\n'))
        stop++;
    if (stop + 1 >= end || stop == *at)
        return false;
    *line = *at;
    *length = (size_t)(stop - *at);
    *at = stop + 2;
    return true;
}

static bool starts_with(const char *text, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

// The number behind "from=" or "to=" in the query, `missing` if there is none.
static long read_number(const char *query, size_t length, const char *key, long missing)
{
    for (size_t at = 0; at < length; at++) {
        size_t digit = at + strlen(key);
        bool begins = at == 0 || query[at - 1] == '&';
        if (!begins || !starts_with(query + at, length - at, key) || digit >= length ||
            !isdigit((unsigned char)query[digit]))
            continue;
        long value = 0;
        for (size_t k = digit; k < length && k < digit + 9 && isdigit((unsigned char)query[k]); k++)
            value = 10 * value + (query[k] - '0');
        return value;
    }
    return missing;
}

// GET /path?from=N&to=N HTTP/1.1
static int parse_first_line(const char *line, size_t length, HttpRequest *request)
{
    if (!starts_with(line, length, "GET ") && !starts_with(line, length, "HEAD "))
        return 405;
    request->head_only = line[0] == 'H';
    const char *target = (const char *)memchr(line, ' ', length) + 1, *end = line + length;
    const char *space = memchr(target, ' ', (size_t)(end - target));
    if (!space || target[0] != '/')
        return 400;
    if (!starts_with(space + 1, (size_t)(end - space - 1), "HTTP/1."))
        return 505;
    const char *mark = memchr(target, '?', (size_t)(space - target));
    size_t path = (size_t)((mark ? mark : space) - target);
    if (path >= sizeof request->path)
        return 404;
    memcpy(request->path, target, path);
    request->path[path] = '\0';
    size_t query = mark ? (size_t)(space - mark - 1) : 0;
    request->from = query > 0 ? read_number(mark + 1, query, "from=", 0) : 0;
    request->to = query > 0 ? read_number(mark + 1, query, "to=", -1) : -1;
    return 200;
}

// A name of this machine, with or without a port.
static bool is_loopback(const char *host, size_t length)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t size = strlen(names[k]);
        if (length < size || strncasecmp(host, names[k], size) != 0)
            continue;
        if (length == size)
            return true;
        size_t digit = size + 1;
        while (host[size] == ':' && digit < length && isdigit((unsigned char)host[digit]))
            digit++;
        if (host[size] == ':' && digit == length)
            return true;
    }
    return false;
}

static bool find_header(const char *at, const char *end, const char *name, const char **value,
                        size_t *length)
{
    const char *line;
    size_t size, start = strlen(name) + 1;
    while (next_line(&at, end, &line, &size)) {
        if (size < start || strncasecmp(line, name, start - 1) != 0 || line[start - 1] != ':')
            continue;
        for (; start < size && line[start] == ' '; start++)
            ;
        for (; size > start && line[size - 1] == ' '; size--)
            ;
        *value = line + start;
        *length = size - start;
        return true;
    }
    return false;
}

int http_parse(const char *text, size_t length, HttpRequest *request)
{
    const char *at = text, *end = text + length, *line, *host;
    size_t size;
    *request = (HttpRequest){0};
    if (memchr(text, '\0', length) || !next_line(&at, end, &line, &size))
        return 400;
    int status = parse_first_line(line, size, request);
    if (status != 200)
        return status;
    if (!find_header(at, end, "Host", &host, &size))
        return 400;
    const char *origin;
    size_t length_of_origin, scheme = strlen("http://");
    if (!is_loopback(host, size))
        return 403;
    if (!find_header(at, end, "Origin", &origin, &length_of_origin))
        return 200;
    bool is_own = length_of_origin == scheme + size && starts_with(origin, scheme, "http://") &&
                  memcmp(origin + scheme, host, size) == 0;
    return is_own ? 200 : 403;
}

// --- the answer ---------------------------------------------------------------------------------

static const char *reason(int status)
{
    for (size_t k = 0; k < sizeof REASONS / sizeof *REASONS; k++)
        if (REASONS[k].status == status)
            return REASONS[k].text;
    return "";
}

void http_put_answer(Bytes *out, int status, const char *type, const Bytes *body, bool head_only)
{
    char head[512], text[64];
    int text_length = snprintf(text, sizeof text, "%d %s\n", status, reason(status));
    size_t size = body ? body->size : (size_t)text_length;
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %d %s\r\n"
                          "Content-Type: %s\r\n"
                          "Content-Length: %zu\r\n"
                          "Cache-Control: no-store\r\n"
                          "X-Content-Type-Options: nosniff\r\n"
                          "Cross-Origin-Resource-Policy: same-origin\r\n"
                          "X-Frame-Options: DENY\r\n"
                          "Connection: close\r\n\r\n",
                          status, reason(status), body ? type : "text/plain; charset=utf-8", size);
    bytes_put(out, head, (size_t)length);
    if (!head_only)
        bytes_put(out, body ? (const char *)body->data : text, size);
}
