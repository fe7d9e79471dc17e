// Pieces of Foxglove's messages as JSON.
#ifndef PERP_IO_EXPORT_FOXGLOVE_JSON_H
#define PERP_IO_EXPORT_FOXGLOVE_JSON_H

#include "base/text.h"
#include "math/vec3.h"

void perp_json_string(PerpText *text, const char *words);
void perp_json_number(PerpText *text, const char *before, double number); // null if not finite
void perp_json_vector(PerpText *text, const char *name, PerpVec3 v);
void perp_json_rotation(PerpText *text, const char *name, const double q[4]); // w x y z
void perp_json_time(PerpText *text, double t);
void perp_json_pose(PerpText *text, PerpVec3 position, const double q[4]);
void perp_json_colour(PerpText *text, int colour); // of the palette, 8: grey
void perp_json_own_colour(PerpText *text, const double rgba[4]);

// A scene entity up to its lists, and all of its lists but one, empty.
void perp_json_entity(PerpText *text, const char *frame, const char *id, double t);
void perp_json_empty_lists(PerpText *text, const char *except);

#endif
