#include "base/text.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool reserve(PerpText *text, size_t more)
{
    if (text->failed)
        return false;
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = needed < 1024 ? 1024 : needed + needed / 2;
    char *data = perp_resize(text->allocator, text->data, capacity, 1);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void perp_text_bytes(PerpText *text, const void *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void perp_text_add(PerpText *text, const char *more)
{
    perp_text_bytes(text, more, strlen(more));
}

size_t perp_write_words(char *text, size_t size, const char *one, const char *other)
{
    size_t length = 0;
    for (; *one && length + 1 < size; one++)
        text[length++] = *one;
    for (; *other && length + 1 < size; other++)
        text[length++] = *other;
    if (size > 0)
        text[length] = '\0';
    return length;
}

int perp_character_bytes(const char *characters)
{
    const unsigned char *words = (const unsigned char *)characters;
    int count = words[0] < 0x80   ? 1
                : words[0] < 0xC2 ? 0
                : words[0] < 0xE0 ? 2
                : words[0] < 0xF0 ? 3
                : words[0] < 0xF5 ? 4
                                  : 0;
    for (int k = 1; k < count; k++)
        if ((words[k] & 0xC0) != 0x80)
            return 0;
    bool overlong = (words[0] == 0xE0 && words[1] < 0xA0) || (words[0] == 0xF0 && words[1] < 0x90);
    bool surrogate = words[0] == 0xED && words[1] >= 0xA0;
    bool too_large = words[0] == 0xF4 && words[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : count;
}

void perp_text_print(PerpText *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}
