// Encoding of the viewer's payload: byte buffers, quantised numbers, deflate, base64.
#include "view/bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// --- collecting ---------------------------------------------------------------------------------

void bytes_free(Bytes *bytes)
{
    free(bytes->data);
    *bytes = (Bytes){0};
}

static unsigned char *make_room(Bytes *bytes, size_t size)
{
    if (bytes->failed)
        return NULL;
    if (size > bytes->room - bytes->size) {
        size_t room = bytes->size + size < bytes->size ? 0 : 2 * (bytes->size + size) + 64;
        unsigned char *data = room > size ? realloc(bytes->data, room) : NULL;
        bytes->failed = !data;
        if (!data)
            return NULL;
        bytes->data = data;
        bytes->room = room;
    }
    bytes->size += size;
    return bytes->data + bytes->size - size;
}

void bytes_put(Bytes *bytes, const void *data, size_t size)
{
    unsigned char *place = make_room(bytes, size);
    if (place && size > 0)
        memcpy(place, data, size);
}

static void store_u32(unsigned char *place, uint32_t value)
{
    for (int k = 0; k < 4; k++)
        place[k] = (unsigned char)(value >> 8 * k);
}

void bytes_u32(Bytes *bytes, uint32_t value)
{
    unsigned char *place = make_room(bytes, 4);
    if (place)
        store_u32(place, value);
}

void bytes_f32(Bytes *bytes, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    bytes_u32(bytes, bits);
}

void bytes_f64(Bytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bytes_u32(bytes, (uint32_t)bits);
    bytes_u32(bytes, (uint32_t)(bits >> 32));
}

size_t bytes_begin(Bytes *bytes, const char tag[4])
{
    bytes_put(bytes, tag, 4);
    bytes_u32(bytes, 0);
    return bytes->size;
}

void bytes_end(Bytes *bytes, size_t begin)
{
    size_t length = bytes->size - begin;
    if (bytes->failed || length > UINT32_MAX)
        bytes->failed = true;
    else
        store_u32(bytes->data + begin - 4, (uint32_t)length);
}

void bytes_planes16(Bytes *bytes, const uint16_t *values, size_t count)
{
    unsigned char *place = make_room(bytes, 2 * count);
    for (size_t k = 0; place && k < count; k++) {
        place[k] = (unsigned char)values[k];
        place[count + k] = (unsigned char)(values[k] >> 8);
    }
}

void bytes_planes32(Bytes *bytes, const uint32_t *values, size_t count)
{
    unsigned char *place = make_room(bytes, 4 * count);
    for (size_t k = 0; place && k < count; k++)
        for (size_t plane = 0; plane < 4; plane++)
            place[plane * count + k] = (unsigned char)(values[k] >> 8 * plane);
}

// --- packing ------------------------------------------------------------------------------------

void bytes_deflate(Bytes *out, const Bytes *in)
{
    uLongf length = compressBound((uLong)in->size);
    size_t before = out->size;
    unsigned char *place = in->failed ? NULL : make_room(out, length);
    // small payloads as small as they can be, large ones in reasonable time
    int level = in->size < 16000000 ? 9 : 6;
    if (!place || compress2(place, &length, in->data, (uLong)in->size, level) != Z_OK)
        out->failed = true;
    else
        out->size = before + length;
}

void bytes_base64(Bytes *out, const Bytes *in)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *place = in->failed ? NULL : make_room(out, (in->size + 2) / 3 * 4);
    if (!place)
        out->failed = true;
    for (size_t k = 0; place && k < in->size; k += 3, place += 4) {
        size_t left = in->size - k;
        uint32_t three = (uint32_t)in->data[k] << 16;
        three |= left > 1 ? (uint32_t)in->data[k + 1] << 8 : 0;
        three |= left > 2 ? (uint32_t)in->data[k + 2] : 0;
        for (int sixth = 0; sixth < 4; sixth++)
            place[sixth] = (unsigned char)letters[three >> (18 - 6 * sixth) & 63];
        if (left < 2)
            place[2] = '=';
        if (left < 3)
            place[3] = '=';
    }
}

// --- codes --------------------------------------------------------------------------------------

static long clamp(double x, long low, long high)
{
    return !(x > (double)low) ? low : x < (double)high ? lround(x) : high;
}

uint16_t code_log(double x)
{
    return x > 0 ? (uint16_t)clamp(512 * (log2(x) + 64), 1, 65535) : 0;
}

uint16_t code_signed_log(double x)
{
    if (!(fabs(x) > 0))
        return 0;
    long size = clamp(256 * (log2(fabs(x)) + 64), 1, 32767);
    return (uint16_t)(x < 0 ? size | 0x8000 : size);
}

static double sign_of(double x)
{
    return x >= 0 ? 1 : -1;
}

// The lower half of the octahedron is folded over the upper one [Cigolle et al. 2014].
void code_direction(const double n[3], uint16_t code[2])
{
    double sum = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    double x = sum > 0 ? n[0] / sum : 0, y = sum > 0 ? n[1] / sum : 0;
    if (n[2] < 0) {
        double old = x;
        x = (1 - fabs(y)) * sign_of(x);
        y = (1 - fabs(old)) * sign_of(y);
    }
    code[0] = (uint16_t)clamp((x + 1) / 2 * 65535, 0, 65535);
    code[1] = (uint16_t)clamp((y + 1) / 2 * 65535, 0, 65535);
}

void decode_direction(const uint16_t code[2], double n[3])
{
    double x = code[0] / 65535.0 * 2 - 1, y = code[1] / 65535.0 * 2 - 1;
    double z = 1 - fabs(x) - fabs(y);
    if (z < 0) {
        double old = x;
        x = (1 - fabs(y)) * sign_of(x);
        y = (1 - fabs(old)) * sign_of(y);
    }
    double length = sqrt(x * x + y * y + z * z);
    n[0] = x / length;
    n[1] = y / length;
    n[2] = z / length;
}

void code_rotation(const double q[4], uint16_t code[3])
{
    int largest = 0;
    for (int k = 1; k < 4; k++)
        if (fabs(q[k]) > fabs(q[largest]))
            largest = k;
    // q and -q are the same rotation: the largest is made positive
    double sign = sign_of(q[largest]);
    for (int k = 0, word = 0; k < 4; k++)
        if (k != largest)
            code[word++] = (uint16_t)clamp((sign * q[k] * sqrt(2) + 1) / 2 * 32766, 0, 32766);
    code[0] |= (uint16_t)((largest & 1) << 15);
    code[1] |= (uint16_t)((largest >> 1) << 15);
}
