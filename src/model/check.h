// Checks of one item of a definition. The first that fails writes the message, with the item's
// name, and keeps the status; the later ones do nothing.
//
//     PerpCheck check = {.kind = "body", .name = name, .error = error};
//     perp_check_finite(&check, "position", def->position, 3);
//     perp_check_at_least(&check, "mass", def->mass, 0);
//     return check.status;
#ifndef PERP_MODEL_CHECK_H
#define PERP_MODEL_CHECK_H

#include "base/error.h"

#include <stdbool.h>

typedef struct PerpCheck {
    const char *kind; // "body"
    const char *name; // NULL: the index stands for it; "": the kind says enough
    int index;
    PerpError *error; // may be NULL
    PerpStatus status;
} PerpCheck;

void perp_check_fail(PerpCheck *check, PerpStatus status, const char *format, ...)
    PERP_PRINTF(3, 4);

void perp_check_finite(PerpCheck *check, const char *what, const double *values, int count);
void perp_check_number(PerpCheck *check, const char *what, double value);                 // finite
void perp_check_at_least(PerpCheck *check, const char *what, double value, double least); // finite
void perp_check_fraction(PerpCheck *check, const char *what, double value); // 0 <= value <= 1
void perp_check_times(PerpCheck *check, double start, double end);          // start finite, < end
void perp_check_index(PerpCheck *check, const char *what, int index, int first, int count);
void perp_check_direction(PerpCheck *check, const char *what, const double axis[3]); // not zero
void perp_check_rotation(PerpCheck *check, const char *what, const double q[4]);     // not zero

#endif
