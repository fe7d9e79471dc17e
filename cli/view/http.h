// As much of HTTP/1.1 as perp view --serve needs: GET and HEAD of a few paths.
#ifndef PERP_CLI_VIEW_HTTP_H
#define PERP_CLI_VIEW_HTTP_H

#include "view/bytes.h"

enum { HTTP_REQUEST_SIZE = 8192, HTTP_PATH_SIZE = 256 };

typedef struct HttpRequest {
    bool head_only;            // HEAD
    char path[HTTP_PATH_SIZE]; // from / on, without the query
    long from;                 // of the query from=N, 0 if there is none
    long to;                   // of the query to=N, -1 if there is none
} HttpRequest;

// Whether text (length bytes) holds the end of a request's head.
bool http_is_complete(const char *text, size_t length);

// 200 if it is a request that may be answered, else the status that says what is wrong. Host and
// Origin must name this machine as it is called from itself: others mean that a foreign page asks.
int http_parse(const char *text, size_t length, HttpRequest *request);

// A whole answer; body may be NULL. The status decides the text if there is no body.
void http_put_answer(Bytes *out, int status, const char *type, const Bytes *body, bool head_only);

#endif
