// Constraints of a problem with bodies, eight side by side, in single precision: what products with
// J and J' need for a few digits of many constraints. A vector of bodies has a row of eight numbers
// for each, of which two are 0, and a last row of zeros for constraints that have fewer bodies than
// others.
#ifndef PERP_CONES_OPERATOR_SIMD_PACK_H
#define PERP_CONES_OPERATOR_SIMD_PACK_H

#include "base/floats.h"
#include "cones/cone_problem.h"

typedef struct PerpPack {
    int sides;    // bodies of a constraint, at most
    size_t first; // of them
} PerpPack;

typedef struct PerpPacks {
    int constraints;
    int n; // packs; lanes of the last one that no constraint has are zeros
    PerpPack *pack;
    PerpFloats *J;       // a side: 3 rows x 6 columns
    int *place;          // a side: 8, where the rows of bodies begin
    PerpFloats *d;       // 3 a pack
    int bodies;          // rows of a vector without the last
    PerpFloats *inverse; // M^-1: its diagonal a body, or six columns
    PerpFloats *free;    // M^-1 b
    bool diagonal;
} PerpPacks;

// Everything from the arena. False if memory is short.
bool perp_packs_build(PerpArena *arena, const PerpConeProblem *cones, PerpPacks *packs);

// Three numbers a constraint to and from three vectors a pack.
void perp_packs_put(const PerpPacks *packs, const double *from, PerpFloats *to);
void perp_packs_get(const PerpPacks *packs, const PerpFloats *from, double *to);

// u = J x + d
PERP_KERNEL_PART void perp_pack_measure(const PerpPacks *packs, int pack, const float *x,
                                        PerpFloats u[3])
{
    PerpPack of = packs->pack[pack];
    const PerpFloats *J = packs->J + 3 * PERP_FLOATS_COLUMNS * of.first;
    const int *place = packs->place + PERP_FLOATS * of.first;
    for (int k = 0; k < 3; k++)
        u[k] = packs->d[3 * pack + k];
    for (int side = 0; side < of.sides; side++, place += PERP_FLOATS) {
        PerpFloats column[PERP_FLOATS_COLUMNS];
        perp_floats_columns(x, place, column);
        for (int k = 0; k < 3; k++, J += PERP_FLOATS_COLUMNS)
            u[k] +=
                ((J[0] * column[0] + J[1] * column[1]) + (J[2] * column[2] + J[3] * column[3])) +
                (J[4] * column[4] + J[5] * column[5]);
    }
}

// x += J'r
PERP_KERNEL_PART void perp_pack_gather(const PerpPacks *packs, int pack, const PerpFloats r[3],
                                       float *x)
{
    PerpPack of = packs->pack[pack];
    const PerpFloats *J = packs->J + 3 * PERP_FLOATS_COLUMNS * of.first;
    const int *place = packs->place + PERP_FLOATS * of.first;
    for (int side = 0; side < of.sides; side++, place += PERP_FLOATS) {
        PerpFloats column[PERP_FLOATS_COLUMNS];
        for (int i = 0; i < PERP_FLOATS_COLUMNS; i++)
            column[i] = J[i] * r[0] + J[PERP_FLOATS_COLUMNS + i] * r[1] +
                        J[2 * PERP_FLOATS_COLUMNS + i] * r[2];
        perp_floats_add_columns(column, place, x);
        J += 3 * PERP_FLOATS_COLUMNS;
    }
}

// x = M^-1 f + free, of one body
PERP_KERNEL_PART void perp_packs_move(const PerpPacks *packs, int body, const PerpFloats *f,
                                      PerpFloats *x)
{
    const float *each = (const float *)f;
    if (packs->diagonal) {
        *x = packs->free[body] + packs->inverse[body] * *f;
        return;
    }
    const PerpFloats *column = packs->inverse + PERP_FLOATS_COLUMNS * (size_t)body;
    *x = packs->free[body];
    for (int i = 0; i < PERP_FLOATS_COLUMNS; i++)
        *x += column[i] * each[i];
}

#endif
