// Cells of a problem with bodies, eight side by side, in single precision: what products with J and
// J' need for a few digits of many cells. A vector of bodies has a row of eight numbers for each,
// of which two are 0, and a last row of zeros for cells that have fewer bodies than others.
#ifndef PERP_LCP_ROUND_BUNDLE_H
#define PERP_LCP_ROUND_BUNDLE_H

#include "base/floats.h"
#include "lcp/round.h"

typedef struct PerpBundle {
    int sides;    // bodies of a cell, at most
    size_t first; // of them
} PerpBundle;

typedef struct PerpBundles {
    int cells;
    int n; // bundles; lanes of the last one that no cell has are zeros
    PerpBundle *bundle;
    PerpFloats *J;       // a side: 3 rows x 6 columns
    int *place;          // a side: 8, where the rows of bodies begin
    PerpFloats *d;       // 3 a bundle
    int bodies;          // rows of a vector without the last
    PerpFloats *inverse; // M^-1: its diagonal a body, or six columns
    PerpFloats *free;    // M^-1 b
    bool diagonal;
} PerpBundles;

// Everything from the arena. False if memory is short.
bool perp_bundles_build(PerpArena *arena, const PerpRound *round, PerpBundles *bundles);

// Three numbers a cell to and from three vectors a bundle.
void perp_bundles_put(const PerpBundles *bundles, const double *from, PerpFloats *to);
void perp_bundles_get(const PerpBundles *bundles, const PerpFloats *from, double *to);

// u = J x + d
PERP_KERNEL_PART void perp_bundle_measure(const PerpBundles *bundles, int bundle, const float *x,
                                          PerpFloats u[3])
{
    PerpBundle of = bundles->bundle[bundle];
    const PerpFloats *J = bundles->J + 3 * PERP_FLOATS_COLUMNS * of.first;
    const int *place = bundles->place + PERP_FLOATS * of.first;
    for (int k = 0; k < 3; k++)
        u[k] = bundles->d[3 * bundle + k];
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
PERP_KERNEL_PART void perp_bundle_gather(const PerpBundles *bundles, int bundle,
                                         const PerpFloats r[3], float *x)
{
    PerpBundle of = bundles->bundle[bundle];
    const PerpFloats *J = bundles->J + 3 * PERP_FLOATS_COLUMNS * of.first;
    const int *place = bundles->place + PERP_FLOATS * of.first;
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
PERP_KERNEL_PART void perp_bundles_move(const PerpBundles *bundles, int body, const PerpFloats *f,
                                        PerpFloats *x)
{
    const float *each = (const float *)f;
    if (bundles->diagonal) {
        *x = bundles->free[body] + bundles->inverse[body] * *f;
        return;
    }
    const PerpFloats *column = bundles->inverse + PERP_FLOATS_COLUMNS * (size_t)body;
    *x = bundles->free[body];
    for (int i = 0; i < PERP_FLOATS_COLUMNS; i++)
        *x += column[i] * each[i];
}

#endif
