// The step limit of geometric stiffness. A body with moment of inertia I between joints with
// tensions T at arms r turns back like
//
//     I w' = -sum(T r) angle
//
// A body of mass m between rods, ropes and springs of lengths L swings to the side like
//
//     m x'' = -sum(T/L) x          and at an arm r  I w' = -sum(T r (1 + r/L)) angle
//
// Rows at q + (h/2) v are stable while h^2 sum(T r) < 4 I, like any explicit rule, and of chains,
// whose neighbours swing against each other, while h^2 sum(T/L) < 2 m; beyond, the swing grows
// until the joints tear. Light links with a heavy load are there at usual steps. T is the impulse
// by h, so that h sum(impulse r) / I is what counts.

#include "step/schemes/stiffness_limit.h"

#include "step/rows/link_rows.h"

#include <math.h>

enum { AXES = 3 };
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
        if (linear == 0) // it turns alone
            continue;
        double inverse = 1 / linear;
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

// Per block.
typedef struct Stiffness {
    double *moments; // AXES each: sum(impulse r), about each axis
    double *pulls;   // sum(impulse/L)
} Stiffness;

// Of the joint whose rows are first .. end - 1.
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

// A rod, a rope or a spring between two points.
typedef struct Line {
    int body[2];
    PerpVec3 anchor[2];
    double length;
    bool contracts; // at once: stretched to more than twice its length
} Line;

static Line line_of_joint(const PerpJoint *joint)
{
    return (Line){.body = {joint->body_a, joint->body_b},
                  .anchor = {joint->frame_a.position, joint->frame_b.position},
                  .length = joint->length};
}

static Line line_of_spring(const PerpStage *stage, int row, const PerpSpring *spring)
{
    const PerpLinkRows *links = stage->links;
    int i = row - (stage->rows.problem.n_joints - links->count);
    double stretch = links->at.psi[links->link[i]];
    return (Line){.body = {spring->body_a, spring->body_b},
                  .anchor = {spring->anchor_a, spring->anchor_b},
                  .length = spring->rest + stretch,
                  .contracts = stretch > spring->rest};
}

// Is this row of a joint that of a line?
static bool find_line(const PerpModel *model, const PerpStage *stage, int row, Line *line)
{
    int source = stage->rows.row_joint[row];
    if (source >= 0 && model->joints[source].kind == PERP_JOINT_DISTANCE)
        *line = line_of_joint(&model->joints[source]);
    else if (source < 0 && !perp_source_is_control(source) && model->springs[-1 - source].rest >= 0)
        *line = line_of_spring(stage, row, &model->springs[-1 - source]);
    else
        return false;
    return true;
}

static void add_line(const PerpSimulation *sim, const Line *line, double tension,
                     Stiffness *stiffness)
{
    bool pulls = line->length > 0 && !line->contracts;
    double pull = pulls ? fmax(tension, 0) / line->length : 0;
    for (int side = 0; side < 2; side++) {
        int body = line->body[side], block = body < 0 ? -1 : sim->bodies.rigid.block_of[body];
        double arm = perp_vec3_norm(line->anchor[side]);
        if (block < 0)
            continue;
        stiffness->pulls[block] += pull;
        for (int i = 0; i < AXES; i++)
            stiffness->moments[AXES * block + i] += arm * (fabs(tension) + arm * pull);
    }
}

static void add_ropes(const PerpSimulation *sim, const PerpStage *stage, Stiffness *stiffness)
{
    const PerpAssembly *rows = &stage->rows;
    for (int i = 0; i < rows->problem.n_contacts; i++)
        if (rows->unilateral[i].kind == PERP_UNILATERAL_ROPE) {
            Line line = line_of_joint(&sim->bodies.model->joints[rows->unilateral[i].index]);
            add_line(sim, &line, stage->c[perp_stage_contact_row(stage, i)], stiffness);
        }
}

static void add_all(const PerpSimulation *sim, const PerpStage *stage, Stiffness *stiffness)
{
    Line line;
    for (int r = 0, end; r < stage->rows.problem.n_joints; r = end) {
        end = end_of_joint(&stage->rows, r);
        if (find_line(sim->bodies.model, stage, r, &line))
            add_line(sim, &line, -stage->c[r], stiffness);
        else
            add_joint(sim, stage, r, end, stiffness->moments);
    }
    add_ropes(sim, stage, stiffness);
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

// The largest sum(impulse r) / I and sum(impulse/L) / m of a block.
static double stiffest(const PerpSimulation *sim, int block, const Stiffness *stiffness)
{
    int n = size_of(sim, block), first = first_angular(sim, block);
    const double *M = sim->bodies.rigid.Mt + sim->bodies.rigid.block_start[block];
    double most = 0;
    for (int i = 0; i < first; i++)
        most = larger(most, stiffness->pulls[block] / M[i + n * i]);
    for (int i = first; i < n; i++)
        most = larger(most, stiffness->moments[AXES * block + i - first] / M[i + n * i]);
    return most;
}

double perp_stiffness_step_limit(PerpSimulation *sim, const PerpStage *stage, double h)
{
    int bodies = sim->bodies.rigid.n_bodies;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *moments = PERP_TAKE(&sim->arena, double, (AXES + 1) * bodies), most = 0;
    if (!moments)
        return NAN;
    Stiffness stiffness = {moments, moments + AXES * bodies};
    add_all(sim, stage, &stiffness);
    for (int k = 0; k < bodies; k++)
        most = larger(most, stiffest(sim, k, &stiffness));
    perp_arena_release(&sim->arena, mark);
    return most > 0 ? sqrt(h * LIMIT / most) : INFINITY;
}
