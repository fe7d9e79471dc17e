// SHA-256 by libmd.
#include "io/text/hash.h"

#include <sys/types.h>

#include <sha2.h>

void perp_hash(const void *bytes, size_t size, char text[PERP_HASH_SIZE])
{
    SHA256Data(bytes, size, text);
}
