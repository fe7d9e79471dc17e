// Any bytes as a request to perp view --serve. What passes has a path, a host of this machine, and
// gets an answer whose length is the one it tells.
#include "view/http.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    HttpRequest request;
    char *text = malloc(size + 1); // of just this size, so that a byte too far is found
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    if (http_is_complete(text, size)) {
        int status = http_parse(text, size, &request);
        Bytes answer = {0};
        if (status == 200 && (request.path[0] != '/' || request.from < 0 ||
                              !memchr(request.path, '\0', sizeof request.path)))
            abort();
        http_put_answer(&answer, status, "text/plain", NULL, request.head_only);
        if (answer.size < 16)
            abort();
        bytes_free(&answer);
    }
    free(text);
    return 0;
}
