// Numbers of a simulation that measures name: coordinates, sensors, energies, residuals.
#ifndef PERP_STUDY_QUANTITY_H
#define PERP_STUDY_QUANTITY_H

#include "perp/simulation.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum PerpQuantityKind {
    PERP_QUANTITY_BODY,
    PERP_QUANTITY_BODIES, // over all whose names begin alike
    PERP_QUANTITY_POSITION,
    PERP_QUANTITY_SPEED, // of a joint
    PERP_QUANTITY_SENSOR,
    PERP_QUANTITY_SIGNAL,
    PERP_QUANTITY_REPORT
} PerpQuantityKind;

typedef struct PerpQuantity {
    PerpQuantityKind kind;
    int index, part;             // of what, and which of its numbers
    int over;                    // BODIES: 0 largest, 1 smallest, 2 mean
    char prefix[PERP_NAME_SIZE]; // BODIES
} PerpQuantity;

// False: unknown, with the nearest known name in hint.
bool perp_quantity_find(const PerpModel *model, const char *object, const char *part,
                        PerpQuantity *quantity, char *hint, size_t size);
double perp_quantity_value(const PerpQuantity *quantity, const PerpModel *model,
                           const PerpSimulation *simulation);

#endif
