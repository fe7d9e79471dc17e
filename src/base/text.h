// A growing string.
#ifndef PERP_BASE_TEXT_H
#define PERP_BASE_TEXT_H

#include "base/compiler.h"
#include "perp/context.h"

#include <stdbool.h>
#include <stddef.h>

// After a failed allocation it takes nothing more and says so.
typedef struct PerpText {
    const PerpAllocator *allocator; // borrowed
    char *data;                     // owned, ended by '\0' once something was added
    size_t length, capacity;
    bool failed;
} PerpText;

void perp_text_add(PerpText *text, const char *more);
void perp_text_bytes(PerpText *text, const void *bytes, size_t count);
void perp_text_print(PerpText *text, const char *format, ...) PERP_PRINTF(2, 3);

// Two words one behind the other, cut off where `size` bytes end: what each step does, without
// printf. Returns the length that it has then.
size_t perp_write_words(char *text, size_t size, const char *one, const char *other);

// Bytes of the UTF-8 character at the start, 0 if it is broken. [RFC 3629, section 4]
int perp_character_bytes(const char *characters);

#endif
