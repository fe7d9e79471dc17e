// Collects a step problem piece by piece. Add all bodies, then the rows in the order of
// PerpProblem: joints, boxes, contacts, and the friction groups with their directions.
#ifndef PERP_IO_PROBLEM_PROBLEM_BUILDER_H
#define PERP_IO_PROBLEM_PROBLEM_BUILDER_H

#include "perp/problem.h"

typedef struct PerpNumbers {
    double *data;
    size_t count, room;
} PerpNumbers;

typedef struct PerpIndices {
    int *data;
    size_t count, room;
} PerpIndices;

// Owns its arrays.
typedef struct PerpProblemBuilder {
    PerpAllocator allocator;
    PerpNumbers Mt, b, J, d, lo, hi, mu, cohesion, compliance;
    PerpIndices body_start, row_start, entry_body, group_contact, group_start, group_circular;
    PerpIndices body_row; // the row that a body appeared in last, counted from 1
    int n_joints, n_boxes, n_contacts, n_directions, n_round, n_compliant;
} PerpProblemBuilder;

PerpStatus perp_builder_init(PerpProblemBuilder *builder, const PerpAllocator *allocator,
                             PerpError *error);
void perp_builder_free(PerpProblemBuilder *builder);

int perp_builder_bodies(const PerpProblemBuilder *builder);
int perp_builder_body_size(const PerpProblemBuilder *builder, int body);

// All fail with NO_MEMORY or, beyond PERP_LCP_SIZE_LIMIT squared numbers in an array or
// PERP_LCP_SIZE_LIMIT rows and groups that are not circular, with BAD_SIZE.

// A body of size >= 1 velocities. block: zeroed, size x size by columns, for the caller to fill;
// b likewise. Both stay where they are until the next body.
PerpStatus perp_builder_body(PerpProblemBuilder *builder, int size, double **block, double **b,
                             PerpError *error);

typedef enum PerpRowKind {
    PERP_ROW_JOINT,
    PERP_ROW_BOX,
    PERP_ROW_CONTACT,
    PERP_ROW_DIRECTION
} PerpRowKind;

// Starts a row; its entries follow.
PerpStatus perp_builder_row(PerpProblemBuilder *builder, PerpRowKind kind, double d,
                            PerpError *error);
// Of the row begun last, > 0.
void perp_builder_compliance(PerpProblemBuilder *builder, double compliance);
// An entry of the row: J, zeroed, has the size of the body and stays until the next entry. A body
// that the row already has is refused with BAD_VALUE.
PerpStatus perp_builder_entry(PerpProblemBuilder *builder, int body, double **J, PerpError *error);
PerpStatus perp_builder_bounds(PerpProblemBuilder *builder, double lo, double hi,
                               PerpError *error); // of the box begun last
// Starts a friction group; its directions follow.
PerpStatus perp_builder_group(PerpProblemBuilder *builder, int contact, double mu, double cohesion,
                              PerpError *error);
// Makes the group begun last circular: its directions are its tangents.
void perp_builder_round(PerpProblemBuilder *builder);

// The problem so far, borrowed from the builder.
PerpProblem perp_builder_problem(const PerpProblemBuilder *builder);

#endif
