// Times, poses and colours in the JSON of Foxglove's messages.
#include "io/export/foxglove_json.h"

#include <math.h>
#include <string.h>

static const double colours[9][3] = {{0, .447, .698},  {.835, .369, 0},    {0, .620, .451},
                                     {.8, .475, .655}, {.902, .624, 0},    {.337, .706, .914},
                                     {.45, .45, .45},  {.941, .894, .259}, {.7, .7, .7}};

void perp_json_string(PerpText *text, const char *words)
{
    perp_text_add(text, "\"");
    for (; *words; words++) {
        unsigned char sign = (unsigned char)*words;
        if (sign == '"' || sign == '\\')
            perp_text_print(text, "\\%c", sign);
        else if (sign < 0x20)
            perp_text_print(text, "\\u%04x", sign);
        else
            perp_text_bytes(text, words, 1);
    }
    perp_text_add(text, "\"");
}

void perp_json_number(PerpText *text, const char *before, double number)
{
    if (isfinite(number))
        perp_text_print(text, "%s%.9g", before, number);
    else
        perp_text_print(text, "%snull", before);
}

void perp_json_vector(PerpText *text, const char *name, PerpVec3 v)
{
    perp_text_print(text, "\"%s\":", name);
    perp_json_number(text, "{\"x\":", v.x);
    perp_json_number(text, ",\"y\":", v.y);
    perp_json_number(text, ",\"z\":", v.z);
    perp_text_add(text, "}");
}

void perp_json_rotation(PerpText *text, const char *name, const double q[4])
{
    perp_json_vector(text, name, (PerpVec3){q[1], q[2], q[3]});
    text->length -= text->failed ? 0 : 1; // before the brace
    perp_json_number(text, ",\"w\":", q[0]);
    perp_text_add(text, "}");
}

void perp_json_time(PerpText *text, double t)
{
    double seconds = floor(t);
    long nanoseconds = lround((t - seconds) * 1e9);
    if (nanoseconds >= 1000000000) {
        seconds++;
        nanoseconds = 0;
    }
    perp_text_print(text, "\"timestamp\":{\"sec\":%.0f,\"nsec\":%ld}", seconds, nanoseconds);
}

void perp_json_pose(PerpText *text, PerpVec3 position, const double q[4])
{
    perp_text_add(text, "\"pose\":{");
    perp_json_vector(text, "position", position);
    perp_text_add(text, ",");
    perp_json_rotation(text, "orientation", q);
    perp_text_add(text, "}");
}

void perp_json_colour(PerpText *text, int colour)
{
    const double *c = colours[colour];
    perp_json_own_colour(text, (const double[4]){c[0], c[1], c[2], 1});
}

void perp_json_own_colour(PerpText *text, const double c[4])
{
    perp_text_print(text, ",\"color\":{\"r\":%.3g,\"g\":%.3g,\"b\":%.3g,\"a\":%.3g}", c[0], c[1],
                    c[2], c[3]);
}

void perp_json_entity(PerpText *text, const char *frame, const char *id, double t)
{
    perp_text_add(text, "{");
    perp_json_time(text, t);
    perp_text_add(text, ",\"frame_id\":");
    perp_json_string(text, frame);
    perp_text_add(text, ",\"id\":");
    perp_json_string(text, id);
    perp_text_add(text, ",\"lifetime\":{\"sec\":0,\"nsec\":0},\"frame_locked\":true,"
                        "\"metadata\":[]");
}

// The lists that an entity must have, all but one of them empty.
static const char *const lists[] = {"arrows", "cubes",     "spheres", "cylinders",
                                    "lines",  "triangles", "texts",   "models"};

void perp_json_empty_lists(PerpText *text, const char *except)
{
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (strcmp(lists[k], except) != 0)
            perp_text_print(text, ",\"%s\":[]", lists[k]);
}
