// A frictional contact problem as FCLIB stores it.
//
//     local    u = W r + V l + q,   V'r + R l + s = 0
//     global   M v = H r + G l + f,   u = H'v + w,   G'v + b = 0
//
// with r in the product of Coulomb's cones, and u + mu |u_T| n in its dual, complementary. The
// bilateral parts V, R, s and G, b may be absent. Each contact has its normal first, then its one
// or two tangents.
#ifndef PERP_IO_PROBLEM_FCLIB_DATA_H
#define PERP_IO_PROBLEM_FCLIB_DATA_H

#include "base/memory.h"
#include "perp/status.h"

enum { PERP_FCLIB_COLUMNS = -1, PERP_FCLIB_ROWS = -2 }; // compressed; nz >= 0: triplets

// p, i, x as in the file: compressed, p has the starts and i the other index; triplets, p has the
// rows and i the columns.
typedef struct PerpFclibMatrix {
    bool present;
    int m, n;                // rows, columns
    int nz;                  // the layout, see above
    int nzmax;               //
    int p_count, i_count;    // numbers in p; in i and x, at least entries
    int *p, *i;              //
    double *x;               //
    int entries;             // that count
    const int *row, *column; // entries: the place of x[k], whatever the layout
} PerpFclibMatrix;

typedef struct PerpFclib {
    bool global;
    int dimension;                               // 2 or 3
    int contacts;                                //
    int bilateral;                               // rows of l
    PerpFclibMatrix W, V, R;                     // local
    PerpFclibMatrix M, H, G;                     // global
    double *mu;                                  // contacts
    double *q, *s;                               // local: contacts * dimension, bilateral
    double *f, *w, *b;                           // global: M.m, contacts * dimension, bilateral
    const char *title, *description, *math_info; // NULL if absent
} PerpFclib;

// Reads a file that claims to be HDF5; every size is checked against the real extent of its
// dataset before memory is taken, every index against the size. facets: of the polyhedral cone, for
// the size limit of the LCP to come; 0: the circular one, without limit. Memory comes from the
// arena.
PerpStatus perp_fclib_read(PerpArena *arena, const char *path, int facets, PerpFclib *fclib,
                           PerpError *error);
PerpStatus perp_fclib_write(const PerpAllocator *allocator, const PerpFclib *fclib,
                            const char *path, PerpError *error);

#endif
