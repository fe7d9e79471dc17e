// The step limit of geometric stiffness. A body with moment of inertia I between joints with
// tensions T at arms r turns back like
//
//     I w' = -sum(T r) angle
//
// Rows at q + (h/2) v are stable while h^2 sum(T r) < 4 I, like any explicit rule; beyond, the
// swing grows until the joints tear. Light links with a heavy load are there at usual steps. T is
// the impulse by h, so that h sum(impulse r) / I is what counts.

#include "step/schemes/stiffness_limit.h"

#include <math.h>

enum { AXES = 3, MOST = 256 };   // MOST: substeps
static const double LIMIT = 1.5; // of h^2 sum(T r) / I

static int size_of(const PerpSimulation *sim, int block)
{
    return sim->bodies.rigid.body_start[block + 1] - sim->bodies.rigid.body_start[block];
}

// The velocities of a block that are angular come last.
static int first_angular(const PerpSimulation *sim, int block)
{
    if (size_of(sim, block) == 2 * AXES)
        return AXES;
    unsigned freedom = sim->bodies.model->bodies[sim->bodies.rigid.body_of[block]].freedom;
    return (int)((freedom & 1) + (freedom >> 1 & 1) + (freedom >> 2 & 1));
}

typedef struct Tension {
    double impulse;   // squares: of all rows of a joint;
    double arm[AXES]; // distances from the axes of turning, sum |r x e|^2 of rows e
} Tension;

// Of rows `size` numbers apart, each with the impulse c, on a body with n velocities.
static inline Tension tension_of(const double *J, int size, int rows, int n, int angular,
                                 const double *c)
{
    Tension tension = {0};
    for (int r = 0; r < rows; r++, J += size) {
        double linear = 0;
        for (int i = 0; i < angular; i++)
            linear += J[i] * J[i];
        double inverse = linear > 0 ? 1 / linear : 0;
        for (int i = angular; i < n; i++)
            tension.arm[i - angular] += J[i] * J[i] * inverse;
        tension.impulse += c[r] * c[r] * linear;
    }
    return tension;
}

// Rows of the same joint that act on the same bodies.
static bool acts_on_same(const PerpAssembly *rows, int one, int other)
{
    const int *start = rows->row_start;
    int n = start[one + 1] - start[one];
    bool same = start[other + 1] - start[other] == n;
    for (int e = 0; e < n && same; e++)
        same = rows->entry_body[start[one] + e] == rows->entry_body[start[other] + e];
    return same;
}

static int end_of_joint(const PerpAssembly *rows, int first)
{
    int end = first + 1;
    while (end < rows->problem.n_joints && rows->row_joint[end] == rows->row_joint[first] &&
           acts_on_same(rows, first, end))
        end++;
    return end;
}

// moments += |impulse| |arm| of the joint whose rows are first .. end - 1, about each axis of its
// bodies
static void add_joint(const PerpSimulation *sim, const PerpStage *stage, int first, int end,
                      double *moments)
{
    const PerpAssembly *rows = &stage->rows;
    int size = rows->row_values[first + 1] - rows->row_values[first];
    const double *J = rows->J + rows->row_values[first], *c = stage->c + first;
    for (int e = rows->row_start[first]; e < rows->row_start[first + 1]; e++) {
        int block = rows->entry_body[e], n = size_of(sim, block);
        Tension tension = n == 2 * AXES // loops that the compiler can unroll
                              ? tension_of(J, size, end - first, 2 * AXES, AXES, c)
                              : tension_of(J, size, end - first, n, first_angular(sim, block), c);
        for (int i = 0; i < AXES; i++)
            moments[AXES * block + i] += sqrt(tension.impulse * tension.arm[i]);
        J += n;
    }
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

// The largest sum(impulse r) / I of a block.
static double stiffest_axis(const PerpSimulation *sim, int block, const double *moments)
{
    int n = size_of(sim, block), first = first_angular(sim, block);
    const double *M = sim->bodies.rigid.Mt + sim->bodies.rigid.block_start[block];
    double most = 0;
    for (int i = first; i < n; i++)
        most = larger(most, moments[i - first] / M[i + n * i]);
    return most;
}

double perp_stiffness_step_limit(PerpSimulation *sim, const PerpStage *stage, double h)
{
    const PerpAssembly *rows = &stage->rows;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *moments = PERP_TAKE(&sim->arena, double, AXES * sim->bodies.rigid.n_bodies), most = 0;
    if (!moments)
        return NAN;
    for (int r = 0, end; r < rows->problem.n_joints; r = end) {
        end = end_of_joint(rows, r);
        add_joint(sim, stage, r, end, moments);
    }
    for (int k = 0; k < sim->bodies.rigid.n_bodies; k++)
        most = larger(most, stiffest_axis(sim, k, moments + AXES * k));
    perp_arena_release(&sim->arena, mark);
    return h / fmin(ceil(sqrt(fmax(h * most / LIMIT, 1))), MOST);
}
