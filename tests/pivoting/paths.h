// A basis filled from an LCP, for tests that follow a path by themselves.
#ifndef PERP_PIVOTING_PATHS_H
#define PERP_PIVOTING_PATHS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/lcp.h"
#include "pivoting/basis.h"
#include "random.h"

#include <string.h>

typedef struct Path {
    PerpArena arena;
    PerpBasis basis;
} Path;

// covering vector of ones, a perturbation 1 <= p < 2, both zero on the equations
static inline void open_path(Path *path, const PerpLcp *p)
{
    PerpContext context = perp_default_context();
    PerpRandom random = perp_random((uint64_t)p->n);
    size_t n = (size_t)p->n;
    perp_arena_init(&path->arena, &context.allocator);
    assert_true(perp_basis_take(&path->arena, p->n, &path->basis));
    path->basis.free = p->free;
    memcpy(path->basis.Md, p->M, n * n * sizeof(double));
    memcpy(path->basis.q, p->q, n * sizeof(double));
    for (int i = 0; i < p->n; i++) {
        path->basis.Md[n * n + (size_t)i] = i < p->free ? 0 : 1;
        path->basis.q[p->n + i] = i < p->free ? 0 : perp_random_uniform(&random, 1, 2);
    }
    assert_true(perp_basis_clear(&path->basis));
}

static inline void close_path(Path *path)
{
    perp_arena_free(&path->arena);
}

// the certificate of the basic point, values below zero cut off
static inline double worst_of_basis(const Path *path, const PerpLcp *p)
{
    double z[256] = {0};
    PerpLcpCertificate certificate;
    const PerpBasis *basis = &path->basis;
    assert_in_range(p->n, 1, 256);
    for (int c = 0; c < basis->k; c++) {
        assert_in_range(basis->column[c], 0, p->n - 1); // z0 has left
        bool cut = c >= p->free && basis->core_value[c] < 0;
        z[basis->column[c]] = cut ? 0 : basis->core_value[c];
    }
    perp_lcp_certify(p, z, NULL, &certificate);
    return certificate.worst;
}

#endif
