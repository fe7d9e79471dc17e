// perp view --serve and perp run --live: one thread, poll(), one answer a connection, on loopback
// only.
#define _POSIX_C_SOURCE 200809L

#include "common/interrupt.h"
#include "common/support.h"
#include "view/http.h"
#include "view/view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 32 };
static const double PATIENCE = 20; // s for a request, and for each part of an answer to be taken

typedef struct Client {
    int socket; // -1: free
    double since;
    char request[HTTP_REQUEST_SIZE];
    size_t received;
    Bytes answer;
    size_t sent;
} Client;

typedef struct Server {
    int socket;
    int until; // ends with what is at the other end of this; -1: nothing
    bool is_over;
    const ViewSource *source;
    Client clients[CLIENTS];
} Server;

// --- answers ------------------------------------------------------------------------------------

static int make_piece(PerpRecording *recording, const char *name, const HttpRequest *request,
                      Bytes *body)
{
    PerpError error = {0};
    PerpStatus status = perp_recording_refresh(recording, &error);
    if (!status) {
        ViewPlan plan = view_plan_piece(recording, request->from, request->to);
        status = view_put_payload(body, recording, &plan, name, "", &error);
    }
    if (!status)
        return 200;
    cli_complain_of_error(&error);
    bytes_free(body);
    return 500;
}

static int make_body(const ViewSource *source, const HttpRequest *request, Bytes *body,
                     const char **type)
{
    *type = "application/octet-stream";
    if (strcmp(request->path, "/run") == 0)
        return make_piece(source->recording, source->name, request, body);
    if (strcmp(request->path, "/ghost") == 0 && source->ghost)
        return make_piece(source->ghost, source->ghost_name, request, body);
    if (strcmp(request->path, "/") != 0)
        return 404;
    *type = "text/html; charset=utf-8";
    view_put_served_page(body, source->ghost != NULL);
    return 200;
}

static void answer(Server *server, Client *client)
{
    HttpRequest request = {0};
    Bytes body = {0};
    const char *type = "";
    bool is_complete = http_is_complete(client->request, client->received);
    int status = is_complete ? http_parse(client->request, client->received, &request) : 431;
    if (status == 200)
        status = make_body(server->source, &request, &body, &type);
    if (body.failed)
        status = 500;
    http_put_answer(&client->answer, status, type, status == 200 ? &body : NULL, request.head_only);
    bytes_free(&body);
}

// --- connections --------------------------------------------------------------------------------

static void drop(Client *client)
{
    close(client->socket);
    bytes_free(&client->answer);
    client->socket = -1;
}

static void accept_client(Server *server)
{
    int socket = accept(server->socket, NULL, NULL);
    if (socket < 0)
        return;
    for (int k = 0; k < CLIENTS; k++) {
        Client *client = &server->clients[k];
        if (client->socket >= 0)
            continue;
        fcntl(socket, F_SETFL, O_NONBLOCK);
        fcntl(socket, F_SETFD, FD_CLOEXEC);
        client->socket = socket;
        client->since = cli_seconds();
        client->received = client->sent = 0;
        return;
    }
    close(socket); // all places are taken
}

static void receive(Server *server, Client *client)
{
    ssize_t got = recv(client->socket, client->request + client->received,
                       sizeof client->request - client->received, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        drop(client);
        return;
    }
    client->received += (size_t)got;
    if (http_is_complete(client->request, client->received) ||
        client->received == sizeof client->request) {
        answer(server, client);
        client->since = cli_seconds();
    }
}

static void deliver(Client *client)
{
    ssize_t put = send(client->socket, client->answer.data + client->sent,
                       client->answer.size - client->sent, MSG_NOSIGNAL);
    if (put < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    client->sent += put > 0 ? (size_t)put : 0;
    client->since = cli_seconds();
    if (put <= 0 || client->sent == client->answer.size)
        drop(client);
}

static void serve_once(Server *server)
{
    struct pollfd watch[CLIENTS + 2] = {{.fd = server->socket, .events = POLLIN}};
    watch[CLIENTS + 1] = (struct pollfd){.fd = server->until, .events = POLLIN};
    for (int k = 0; k < CLIENTS; k++) {
        Client *client = &server->clients[k];
        if (client->socket >= 0 && cli_seconds() - client->since > PATIENCE)
            drop(client);
        // poll ignores the free places, which are negative
        watch[k + 1].fd = client->socket;
        watch[k + 1].events = client->answer.size > 0 ? POLLOUT : POLLIN;
    }
    if (poll(watch, CLIENTS + 2, 1000) <= 0)
        return;
    server->is_over = server->until >= 0 && watch[CLIENTS + 1].revents != 0;
    for (int k = 0; k < CLIENTS; k++) {
        Client *client = &server->clients[k];
        if (client->socket < 0 || watch[k + 1].revents == 0)
            continue;
        if (client->answer.size > 0)
            deliver(client);
        else
            receive(server, client);
    }
    if (watch[0].revents & POLLIN)
        accept_client(server);
}

// --- start --------------------------------------------------------------------------------------

static int listen_on(int port, int *bound)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int yes = 1, server = socket(AF_INET, SOCK_STREAM, 0);
    if (server >= 0 && setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(server, (struct sockaddr *)&address, length) == 0 && listen(server, CLIENTS) == 0 &&
        getsockname(server, (struct sockaddr *)&address, &length) == 0) {
        fcntl(server, F_SETFL, O_NONBLOCK);
        fcntl(server, F_SETFD, FD_CLOEXEC);
        *bound = ntohs(address.sin_port);
        return server;
    }
    int why = errno;
    if (server >= 0)
        close(server);
    errno = why;
    return -1;
}

PerpStatus view_serve(const ViewSource *source, const ViewService *service, PerpError *error)
{
    Server server = {.source = source, .until = service->until};
    char text[PERP_MESSAGE_SIZE];
    int port;
    server.socket = listen_on(service->port, &port);
    if (server.socket < 0) {
        snprintf(text, sizeof text, "port %d of 127.0.0.1: %s; try --serve 0 for any free one",
                 service->port, strerror(errno));
        return view_fail(error, PERP_NO_FILE, text);
    }
    for (int k = 0; k < CLIENTS; k++)
        server.clients[k].socket = -1;
    interrupt_catch();
    snprintf(text, sizeof text, "http://127.0.0.1:%d/", port);
    service->announce(service, text);
    if (service->open)
        view_open_browser(text);
    while (!interrupt_requested() && !server.is_over)
        serve_once(&server);
    for (int k = 0; k < CLIENTS; k++)
        if (server.clients[k].socket >= 0)
            drop(&server.clients[k]);
    close(server.socket);
    return PERP_OK;
}
