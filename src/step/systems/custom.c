// Custom systems: functions of the caller in generalised coordinates [PAGT06 (5.1), L82 (2.1)].

#include "step/systems/custom.h"

#include "base/error.h"
#include "base/sized.h"
#include "math/dense.h"
#include "perp/friction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void perp_fill_system(PerpSystemDef *made, size_t size)
{
    const PerpSystemDef defaults = {0};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

static PerpStatus fail_of_numbers(const PerpSimulation *sim, PerpError *error)
{
    return perp_fail(error, PERP_BAD_VALUE,
                     "t = %.9g s: the system's functions gave a number that is not finite",
                     sim->state.t);
}

// --- motion -------------------------------------------------------------------------------------

static void advance(const PerpSimulation *sim, const double *q, const double *v, double h,
                    double *to)
{
    for (int i = 0; i < sim->n_v; i++)
        to[i] = q[i] + h * v[i];
}

static void rate(const PerpSimulation *sim, const double *q, const double *v, double *dq)
{
    (void)q;
    memcpy(dq, v, (size_t)sim->n_v * sizeof(double));
}

static double power(PerpSimulation *sim, double t, const double *q, const double *v)
{
    const PerpSystemDef *def = &sim->custom->def;
    return def->power ? def->power(def->user, t, q, v) : 0;
}

// All constraints have rows, whatever their gap.
static double reach(const PerpSimulation *sim, const double *v_free, double h)
{
    (void)sim, (void)v_free, (void)h;
    return INFINITY;
}

static void force(PerpSimulation *sim, double t, const double *q, const double *v, double *k)
{
    const PerpSystemDef *def = &sim->custom->def;
    memset(k, 0, (size_t)sim->n_v * sizeof(double));
    if (def->force)
        def->force(def->user, t, q, v, k);
}

static PerpStatus force_derivatives(PerpSimulation *sim, double t, const double *q, const double *v,
                                    double *k_q, double *k_v, PerpError *error)
{
    return perp_custom_force_derivatives(sim, t, q, v, false, k_q, k_v) ? PERP_OK
                                                                        : perp_fail_memory(error);
}

static PerpStatus links(PerpSimulation *sim, const double *q, PerpLinks *links, PerpError *error)
{
    const PerpCustom *custom = sim->custom;
    const PerpSystemDef *def = &custom->def;
    int count = def->n_links, n = sim->n_v;
    int *row_start = PERP_TAKE(&sim->arena, int, count + 1);
    int *value_start = PERP_TAKE(&sim->arena, int, count + 1);
    int *block = PERP_TAKE(&sim->arena, int, count);
    double *psi = PERP_TAKE(&sim->arena, double, count);
    double *g = PERP_TAKE(&sim->arena, double, n *count);
    if (!row_start || !value_start || !block || !psi || !g ||
        !perp_custom_gradients(sim, count, def->links, def->link_gradients, q, g))
        return perp_fail_memory(error);
    if (count > 0)
        def->links(def->user, q, psi);
    if (!perp_all_finite((size_t)count, psi) || !perp_all_finite((size_t)(n * count), g))
        return fail_of_numbers(sim, error);
    for (int i = 0; i <= count; i++) {
        row_start[i] = i;
        value_start[i] = n * i;
    }
    *links = (PerpLinks){
        .count = count,
        .psi = psi,
        .stiffness = custom->stiffness,
        .damping = custom->damping,
        .gradient = {count, custom->block, row_start, block, value_start, g},
    };
    return PERP_OK;
}

// k += the forces of the links; returns the power that dampers take.
static double add_link_forces(const PerpLinks *links, const double *v, double *k)
{
    double taken = 0;
    for (int i = 0; i < links->count; i++) {
        double speed = perp_block_rows_dot(&links->gradient, i, v);
        double tension = links->stiffness[i] * links->psi[i] + links->damping[i] * speed;
        perp_block_rows_add_row(&links->gradient, i, -tension, k);
        taken += links->damping[i] * speed * speed;
    }
    return taken;
}

// Column by column along the coordinates, by differences of the whole links' force.
static PerpStatus link_derivatives(PerpSimulation *sim, const double *q, const double *v,
                                   PerpAddPair add, void *user, PerpError *error)
{
    const PerpSystemDef *def = &sim->custom->def;
    int n = sim->n_v;
    double *A = PERP_TAKE(&sim->arena, double, n *n), *x = PERP_TAKE(&sim->arena, double, n);
    PerpStatus status = A && x ? PERP_OK : perp_fail_memory(error);
    if (status || def->n_links == 0)
        return status;
    memcpy(x, q, (size_t)n * sizeof(double));
    for (int j = 0; j < n && !status; j++)
        for (int k = 0; k < PERP_DIFFERENCE_POINTS && !status; k++) {
            PerpArenaMark mark = perp_arena_mark(&sim->arena);
            PerpLinks there;
            double weight = perp_difference_point(q[j], k, &x[j]);
            status = links(sim, x, &there, error);
            for (int i = 0; !status && i < there.count; i++) {
                double speed = perp_block_rows_dot(&there.gradient, i, v);
                double tension = there.stiffness[i] * there.psi[i] + there.damping[i] * speed;
                perp_block_rows_add_row(&there.gradient, i, -weight * tension, A + n * j);
            }
            perp_arena_release(&sim->arena, mark);
            x[j] = q[j];
        }
    if (!status)
        add(user, 0, 0, A);
    return status;
}

// k with the links; returns the power that dampers take.
static double whole_force(PerpSimulation *sim, double t, const double *q, const double *v,
                          const PerpLinks *links, double *k)
{
    force(sim, t, q, v, k);
    return add_link_forces(links, v, k);
}

// Free motion over h from v: explicit Euler, or the midpoint rule, whose force has the velocity of
// the middle of the step.
static PerpStatus free_motion(PerpSimulation *sim, double h, double t, const double *q, double *b,
                              double *v_free, PerpError *error)
{
    const PerpSystemDef *def = &sim->custom->def;
    int n = sim->n_v, *pivot = PERP_TAKE(&sim->arena, int, n);
    double *M = PERP_TAKE(&sim->arena, double, n *n), *LU = PERP_TAKE(&sim->arena, double, n *n);
    double *k = PERP_TAKE(&sim->arena, double, n), *v = PERP_TAKE(&sim->arena, double, n);
    PerpLinks springs;
    if (!pivot || !M || !LU || !k || !v)
        return perp_fail_memory(error);
    PerpStatus status = links(sim, q, &springs, error);
    if (status)
        return status;
    if (sim->scheme->link_rows)
        springs.count = 0;
    PerpBlockDiagonal F = {1, sim->custom->block, (const int[]){0, n * n}, LU, pivot};
    def->mass(def->user, q, M);
    if (!perp_all_finite((size_t)(n * n), M) || perp_block_diagonal_factor(&F, M) >= 0)
        return perp_fail(error, PERP_BAD_VALUE, "t = %.9g s: the mass matrix is singular", t);
    memcpy(v, sim->state.v, (size_t)n * sizeof(double));
    double taken = whole_force(sim, t, q, v, &springs, k);
    if (!sim->scheme->explicit_turn) {
        perp_block_diagonal_solve(&F, k);
        perp_axpy(n, h / 2, k, v);
        taken = whole_force(sim, t, q, v, &springs, k);
    }
    if (!perp_all_finite((size_t)n, k))
        return fail_of_numbers(sim, error);
    sim->ledger.damper_work = h * taken;
    sim->ledger.given_work = def->power ? h * def->power(def->user, t, q, v) : 0;
    for (int i = 0; i < n; i++)
        b[i] = perp_dot(n, M + n * i, sim->state.v) + h * k[i]; // M is symmetric
    memcpy(v_free, b, (size_t)n * sizeof(double));
    perp_block_diagonal_solve(&F, v_free);
    return PERP_OK;
}

// --- rows ---------------------------------------------------------------------------------------

int perp_custom_directions(const PerpSimulation *sim, const PerpSystemDef *def)
{
    int facets = sim->settings.facets;
    if (facets == PERP_FACETS_CIRCULAR)
        return def->n_tangents;
    return def->n_tangents == 2 ? facets : 2 * def->n_tangents;
}

static bool take_arrays(PerpSimulation *sim, PerpAssembly *a)
{
    const PerpSystemDef *def = &sim->custom->def;
    PerpArena *arena = &sim->arena;
    int directions = perp_custom_directions(sim, def);
    int unilateral = def->n_constraints + def->n_rates, groups = def->n_constraints;
    int rows = def->n_joints + unilateral + directions * groups, n = sim->n_v;
    a->b = PERP_TAKE(arena, double, n);
    a->d = PERP_TAKE(arena, double, rows + 1);
    a->theta = PERP_TAKE(arena, double, def->n_joints);
    a->row_joint = PERP_TAKE(arena, int, def->n_joints);
    a->lo = a->hi = NULL;
    a->unilateral = PERP_TAKE(arena, PerpUnilateral, unilateral);
    a->row_start = PERP_TAKE(arena, int, rows + 1);
    a->row_values = PERP_TAKE(arena, int, rows + 1);
    a->along = PERP_TAKE(arena, PerpVec3, rows + 1);
    a->entry_body = PERP_TAKE(arena, int, rows);
    a->J = PERP_TAKE(arena, double, n *rows);
    a->group_contact = PERP_TAKE(arena, int, groups);
    a->group_start = PERP_TAKE(arena, int, groups + 1);
    a->mu = PERP_TAKE(arena, double, groups);
    a->cohesion = PERP_TAKE(arena, double, groups);
    a->group_circular = PERP_TAKE(arena, int, groups);
    return a->b && a->d && a->theta && a->row_joint && a->unilateral && a->row_start &&
           a->row_values && a->along && a->entry_body && a->J && a->group_contact &&
           a->group_start && a->mu && a->cohesion && a->group_circular;
}

// Adds a dense row, of which the caller fills in the numbers.
static double *add_row(PerpSimulation *sim, PerpAssembly *a, PerpVec3 along)
{
    double *J = a->J + a->values;
    a->along[a->rows] = along;
    a->entries++;
    a->values += sim->n_v;
    a->row_start[++a->rows] = a->entries;
    a->row_values[a->rows] = a->values;
    return J;
}

static bool add_joints(PerpSimulation *sim, const double *q, PerpAssembly *a)
{
    const PerpSystemDef *def = &sim->custom->def;
    if (!perp_custom_gradients(sim, def->n_joints, def->joints, def->joint_gradients, q, a->J))
        return false;
    if (def->n_joints > 0)
        def->joints(def->user, q, a->theta);
    for (int i = 0; i < def->n_joints; i++) {
        add_row(sim, a, (PerpVec3){0, 0, 0});
        a->row_joint[i] = i;
    }
    a->problem.n_joints = def->n_joints;
    return true;
}

// phi/|grad phi| is the distance to phi = 0 to first order, in the unit of the coordinates: so gaps
// and speeds can be compared with lengths, whatever the unit of phi. The row is divided alike,
// which multiplies its impulse; `along` turns it back. 1 where the gradient vanishes.
static double unit_of(const PerpSimulation *sim, const double *gradient)
{
    double norm = sqrt(perp_dot(sim->n_v, gradient, gradient));
    return norm > 0 && isfinite(norm) && isfinite(1 / norm) ? 1 / norm : 1;
}

static void add_unilateral(PerpSimulation *sim, PerpAssembly *a, PerpUnilateral what, double unit,
                           const double *gradient)
{
    double *J = add_row(sim, a, (PerpVec3){unit, 0, 0});
    for (int i = 0; i < sim->n_v; i++)
        J[i] = unit * gradient[i];
    what.gap *= unit;
    a->unilateral[a->problem.n_contacts++] = what;
}

static bool add_constraints(PerpSimulation *sim, const double *q, double reach, PerpAssembly *a)
{
    const PerpSystemDef *def = &sim->custom->def;
    int count = def->n_constraints, n = sim->n_v;
    double *phi = PERP_TAKE(&sim->arena, double, count);
    double *gradient = PERP_TAKE(&sim->arena, double, n *count);
    if (!phi || !gradient ||
        !perp_custom_gradients(sim, count, def->constraints, def->constraint_gradients, q,
                               gradient))
        return false;
    if (count > 0)
        def->constraints(def->user, q, phi);
    for (int i = 0; i < count; i++) {
        double unit = unit_of(sim, gradient + n * i);
        if (!(unit * phi[i] > reach)) // NaN, too: assemble complains of it
            add_unilateral(sim, a,
                           (PerpUnilateral){.kind = PERP_UNILATERAL_CONTACT,
                                            .index = i,
                                            .id = (uint64_t)i,
                                            .gap = phi[i],
                                            .restitution = sim->custom->restitution[i],
                                            .stiffness = INFINITY},
                           unit, gradient + n * i);
    }
    return true;
}

static bool add_rates(PerpSimulation *sim, const double *q, PerpAssembly *a)
{
    const PerpSystemDef *def = &sim->custom->def;
    double *G = PERP_TAKE(&sim->arena, double, sim->n_v * def->n_rates);
    if (!G)
        return false;
    if (def->n_rates > 0)
        def->rates(def->user, q, G);
    for (int i = 0; i < def->n_rates; i++) {
        int index = def->n_constraints + i;
        const double *g = G + sim->n_v * i;
        add_unilateral(sim, a,
                       (PerpUnilateral){.kind = PERP_UNILATERAL_RATE,
                                        .index = index,
                                        .id = (uint64_t)index,
                                        .restitution = sim->custom->rate_restitution[i],
                                        .stiffness = INFINITY},
                       unit_of(sim, g), g);
    }
    return true;
}

// The slip directions at one constraint: the tangents themselves if it is circular, else the
// polygon T cos + T' sin, or +-T.
static void add_directions(PerpSimulation *sim, const double *T, int facets, PerpAssembly *a)
{
    int n = sim->n_v, tangents = sim->custom->def.n_tangents;
    int count = perp_custom_directions(sim, &sim->custom->def);
    for (int k = 0; k < count; k++) {
        double turn[2];
        perp_friction_direction(k, facets == 0 ? 4 : count, turn);
        double *J = add_row(sim, a, (PerpVec3){0, turn[0], turn[1]});
        for (int i = 0; i < n; i++)
            J[i] = turn[0] * T[i] + (tangents == 2 ? turn[1] * T[n + i] : 0);
    }
    a->problem.n_directions += count;
}

static bool add_friction(PerpSimulation *sim, const double *q, int facets, PerpAssembly *a)
{
    const PerpSystemDef *def = &sim->custom->def;
    double *T = PERP_TAKE(&sim->arena, double, sim->n_v * def->n_tangents);
    if (!T)
        return false;
    for (int i = 0; i < a->problem.n_contacts && def->n_tangents > 0; i++) {
        const PerpUnilateral *u = &a->unilateral[i];
        if (u->kind != PERP_UNILATERAL_CONTACT || sim->custom->mu[u->index] == 0)
            continue;
        int g = a->problem.n_groups++;
        def->tangents(def->user, q, u->index, T);
        add_directions(sim, T, facets, a);
        a->group_circular[g] = facets == 0;
        a->group_contact[g] = i;
        a->group_start[g + 1] = a->problem.n_directions;
        a->mu[g] = sim->custom->mu[u->index] * a->along[a->problem.n_joints + i].x;
    }
    return true;
}

// Every number that the functions gave for the rows.
static bool all_finite(const PerpSimulation *sim, const PerpAssembly *a, const double *M)
{
    for (int i = 0; i < a->problem.n_contacts; i++)
        if (!isfinite(a->unilateral[i].gap))
            return false;
    return perp_all_finite((size_t)(sim->n_v * sim->n_v), M) &&
           perp_all_finite((size_t)a->values, a->J) &&
           perp_all_finite((size_t)a->problem.n_joints, a->theta);
}

static PerpStatus assemble(PerpSimulation *sim, const double *q, const PerpRowChoice *choice,
                           PerpAssembly *a, PerpError *error)
{
    const PerpSystemDef *def = &sim->custom->def;
    int n = sim->n_v;
    double *M = PERP_TAKE(&sim->arena, double, n *n);
    *a = (PerpAssembly){.arena = &sim->arena};
    if (!M || !take_arrays(sim, a) || !add_joints(sim, q, a) ||
        (choice->reach > -INFINITY && !add_constraints(sim, q, choice->reach, a)) ||
        (choice->reach > -INFINITY && !choice->positions && !add_rates(sim, q, a)) ||
        !add_friction(sim, q, sim->settings.facets, a))
        return perp_fail_memory(error);
    def->mass(def->user, q, M);
    if (!all_finite(sim, a, M))
        return fail_of_numbers(sim, error);
    a->problem.n_bodies = 1;
    a->problem.body_start = sim->custom->block;
    a->problem.Mt = M;
    a->mass_start = sim->custom->mass_start;
    perp_assembly_show(a);
    return PERP_OK;
}

static void put_name(const char *what, const char *const *names, int index, char *text, size_t size)
{
    if (names)
        snprintf(text, size, "of %s %s", what, names[index]);
    else
        snprintf(text, size, "of %s %d", what, index);
}

static void name(const PerpSimulation *sim, const PerpAssembly *rows, PerpResidual kind, int row,
                 int contact, char *text, size_t size)
{
    const PerpSystemDef *def = &sim->custom->def;
    if (contact >= 0)
        put_name("constraint", def->constraint_names, rows->unilateral[contact].index, text, size);
    else if (kind == PERP_RESIDUAL_JOINT && row >= def->n_joints)
        snprintf(text, size, "of link %d", row - def->n_joints);
    else if (kind == PERP_RESIDUAL_JOINT)
        put_name("joint", def->joint_names, row, text, size);
    else
        snprintf(text, size, "of the system");
}

// The impulse in constraint coordinates (normal, tangents) and the gap, both in the unit of phi,
// are all there is.
static bool describe_contact(const PerpSimulation *sim, const PerpAssembly *rows, int contact,
                             const double *q, const double *v, PerpContactReport *report)
{
    (void)sim, (void)q, (void)v;
    report->gap /= rows->along[rows->problem.n_joints + contact].x;
    return false;
}

// --- energy -------------------------------------------------------------------------------------

static void store(PerpSimulation *sim, PerpEnergy *energy)
{
    const PerpSystemDef *def = &sim->custom->def;
    const double *q = sim->state.q, *v = sim->state.v;
    int n = sim->n_v;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *M = PERP_TAKE(&sim->arena, double, n *n);
    double *psi = PERP_TAKE(&sim->arena, double, def->n_links);
    energy->kinetic = energy->spring = 0;
    energy->gravity = def->potential ? def->potential(def->user, q) : 0;
    if (!M || !psi) // the arena of a step that has just ended is large enough
        return;
    def->mass(def->user, q, M);
    for (int j = 0; j < n; j++)
        energy->kinetic += perp_dot(n, M + n * j, v) * v[j] / 2;
    if (def->n_links > 0)
        def->links(def->user, q, psi);
    for (int i = 0; i < def->n_links; i++)
        energy->spring += sim->custom->stiffness[i] * psi[i] * psi[i] / 2;
    perp_arena_release(&sim->arena, mark);
}

const PerpSystem perp_system_custom = {
    .advance = advance,
    .rate = rate,
    .assemble = assemble,
    .force = force,
    .force_derivatives = force_derivatives,
    .power = power,
    .links = links,
    .link_derivatives = link_derivatives,
    .free_motion = free_motion,
    .reach = reach,
    .store = store,
    .name = name,
    .describe_contact = describe_contact,
};
