// SHA-256 as hexadecimal digits.
#ifndef PERP_IO_TEXT_HASH_H
#define PERP_IO_TEXT_HASH_H

#include <stddef.h>

enum { PERP_HASH_SIZE = 65 }; // with the end

void perp_hash(const void *bytes, size_t size, char text[PERP_HASH_SIZE]);

#endif
