// Bytes of the viewer's payload while they are collected, and the codes of its numbers.
#ifndef PERP_CLI_VIEW_BYTES_H
#define PERP_CLI_VIEW_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// After a failure (no memory) nothing is added any more; the caller looks once, at the end.
typedef struct Bytes {
    unsigned char *data;
    size_t size, room;
    bool failed;
} Bytes;

void bytes_free(Bytes *bytes);
void bytes_put(Bytes *bytes, const void *data, size_t size);
void bytes_u32(Bytes *bytes, uint32_t value);
void bytes_f32(Bytes *bytes, double value);
void bytes_f64(Bytes *bytes, double value);

// A section: four letters, its length, what is put in between. begin returns what end needs.
size_t bytes_begin(Bytes *bytes, const char tag[4]);
void bytes_end(Bytes *bytes, size_t begin);

// Columns of numbers as planes: all low bytes first, all high bytes last, which deflates better.
void bytes_planes16(Bytes *bytes, const uint16_t *values, size_t count);
void bytes_planes32(Bytes *bytes, const uint32_t *values, size_t count);

// Deflated, and as base64; appended to out.
void bytes_deflate(Bytes *out, const Bytes *in);
void bytes_base64(Bytes *out, const Bytes *in);

// x > 0 as 512 (log2 x + 64), which keeps three digits of anything; 0 is zero.
uint16_t code_log(double x);
// The same with half the digits and the sign in the highest bit.
uint16_t code_signed_log(double x);
// A unit vector on the square of the octahedron, and what the page makes of it.
void code_direction(const double n[3], uint16_t code[2]);
void decode_direction(const uint16_t code[2], double n[3]);
// Three of the four numbers of a unit quaternion, 15 bits each, the largest left out.
void code_rotation(const double q[4], uint16_t code[3]);

#endif
