// ODE's Dantzig solver is not in its public headers, but its library exports it. What follows
// declares it as ODE 0.16.2 defines it (ode/src/lcp.h, util.h), and checks what can be checked.
#include "lcp/peers.h"

#include <ode/common.h>
#include <ode/error.h>

#include <cstdlib>
#include <cstring>

struct dxWorldProcessMemoryManager;
struct dxWorldProcessMemoryReserveInfo;

// The leading members of ODE's scratch memory. A fresh arena has current = NULL.
class dxWorldProcessMemArena
{
  public:
    void *current, *begin, *end;
};

// A x = b + w, lo <= x <= hi. A by rows of padded length, lower triangle read, overwritten;
// pairs_bx: b_i, x_i in turns, pairs_lohi: lo_i, hi_i in turns, nub: leading rows without bounds.
extern void dxSolveLCP(dxWorldProcessMemArena *arena, unsigned n, dReal *A, dReal *pairs_bx,
                       dReal *w, unsigned nub, dReal *pairs_lohi, int *findex);
extern size_t dxEstimateSolveLCPMemoryReq(unsigned n, bool w_is_wanted);
extern dxWorldProcessMemArena *
dxAllocateTemporaryWorldProcessMemArena(size_t bytes, const dxWorldProcessMemoryManager *,
                                        const dxWorldProcessMemoryReserveInfo *);
extern void dxFreeTemporaryWorldProcessMemArena(dxWorldProcessMemArena *);

namespace
{

struct Self {
    dxWorldProcessMemArena *arena;
    int n;
    double *A, *pairs_bx, *pairs_lohi, *z;
};

void stay_silent(int, const char *, va_list)
{
}

// rows are padded to a multiple of four numbers
int padded(int n)
{
    return n > 1 ? ((n - 1) | 3) + 1 : n;
}

void release(Self *self)
{
    if (self->arena)
        dxFreeTemporaryWorldProcessMemArena(self->arena);
    std::free(self->A);
    std::free(self->pairs_bx);
    std::free(self->pairs_lohi);
    std::free(self->z);
    std::memset(self, 0, sizeof *self);
}

double *numbers(int rows, int columns)
{
    return static_cast<double *>(bench_memory((size_t)rows * (size_t)columns, sizeof(double)));
}

void start(void *user, const BenchCase *c)
{
    Self *self = static_cast<Self *>(user);
    release(self);
    int n = self->n = c->lcp.n;
    size_t bytes = dxEstimateSolveLCPMemoryReq((unsigned)n, false);
    self->arena = dxAllocateTemporaryWorldProcessMemArena(bytes, nullptr, nullptr);
    self->A = numbers(n, padded(n));
    self->pairs_bx = numbers(n, 2);
    self->pairs_lohi = numbers(n, 2);
    self->z = numbers(n, 1);
}

// the memory layout assumed above, as far as it shows
bool arena_is_as_declared(const Self *self)
{
    const char *begin = static_cast<const char *>(self->arena->begin);
    const char *end = static_cast<const char *>(self->arena->end);
    size_t bytes = dxEstimateSolveLCPMemoryReq((unsigned)self->n, false);
    return begin > reinterpret_cast<const char *>(self->arena) && end >= begin + bytes;
}

void fill(Self *self, const PerpLcp *p)
{
    int n = p->n, skip = padded(n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            self->A[i * skip + j] = p->M[i + n * j];
        self->pairs_bx[2 * i] = -p->q[i];
        self->pairs_bx[2 * i + 1] = 0.0;
        self->pairs_lohi[2 * i] = 0.0;
        self->pairs_lohi[2 * i + 1] = dInfinity;
    }
}

BenchAnswer solve(void *user, const BenchCase *c)
{
    Self *self = static_cast<Self *>(user);
    if (!self->arena || !arena_is_as_declared(self))
        return BenchAnswer{0.0, -1, 1.0};
    fill(self, &c->lcp);
    double begin = bench_clock();
    self->arena->current = self->arena->begin;
    dxSolveLCP(self->arena, (unsigned)self->n, self->A, self->pairs_bx, nullptr, 0,
               self->pairs_lohi, nullptr);
    double seconds = bench_clock() - begin;
    for (int i = 0; i < self->n; i++)
        self->z[i] = self->pairs_bx[2 * i + 1];
    PerpLcpCertificate certificate;
    perp_lcp_certify(&c->lcp, self->z, nullptr, &certificate);
    return BenchAnswer{seconds, -1, certificate.worst};
}

} // namespace

BenchSolver bench_ode_dantzig(void)
{
    dSetMessageHandler(stay_silent);
    dSetErrorHandler(stay_silent);
    dSetDebugHandler(stay_silent);
    return BenchSolver{"ode dantzig", bench_memory(1, sizeof(Self)), start, solve};
}

void bench_ode_close(BenchSolver *solver)
{
    release(static_cast<Self *>(solver->self));
    std::free(solver->self);
}
