// The definition of a custom system: checks, memory, derivatives by differences.

#include "step/systems/custom.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { COORDINATES = 4096, ROWS = 65536 }; // the most, so that sizes fit into an int
static const double AGREE = 1e-5;          // relative: given derivatives and differences
static const double ROUNDING = 1e-11;      // of differences, relative to the function

// --- derivatives by differences -----------------------------------------------------------------

// The four points of  f'(x) = (f(x - 2e) - 8 f(x - e) + 8 f(x + e) - f(x + 2e)) / (12 e)
static const struct {
    double at, weight;
} points[PERP_DIFFERENCE_POINTS] = {{-2, 1. / 12}, {-1, -8. / 12}, {1, 8. / 12}, {2, -1. / 12}};

static double difference_step(double x)
{
    return ldexp(1, -10) * fmax(1, fabs(x));
}

double perp_difference_point(double x, int k, double *at)
{
    double e = difference_step(x);
    *at = x + points[k].at * e;
    return points[k].weight / e;
}

// Column j of dy/dx goes to slope(.., j): here gradients by columns of y, so row j of each.
static bool differentiate(PerpSimulation *sim, int count,
                          void (*value)(void *user, const double *q, double *y), const double *q,
                          double *gradients)
{
    int n = sim->n_v;
    double *x = PERP_TAKE(&sim->arena, double, n), *y = PERP_TAKE(&sim->arena, double, count);
    if (!x || !y)
        return false;
    memcpy(x, q, (size_t)n * sizeof(double));
    memset(gradients, 0, (size_t)(n * count) * sizeof(double));
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < PERP_DIFFERENCE_POINTS; k++) {
            double weight = perp_difference_point(q[j], k, &x[j]);
            value(sim->custom->def.user, x, y);
            for (int i = 0; i < count; i++)
                gradients[j + n * i] += weight * y[i];
        }
        x[j] = q[j];
    }
    return true;
}

bool perp_custom_gradients(PerpSimulation *sim, int count,
                           void (*value)(void *user, const double *q, double *y),
                           void (*given)(void *user, const double *q, double *gradients),
                           const double *q, double *gradients)
{
    if (count == 0)
        return true;
    if (!given)
        return differentiate(sim, count, value, q, gradients);
    given(sim->custom->def.user, q, gradients);
    return true;
}

// Differences of k along one of its arguments, which lies in x as `at`: columns of dk.
static void differentiate_force(PerpSimulation *sim, double t, double *at, const double *q,
                                const double *v, double *k, double *dk)
{
    const PerpSystemDef *def = &sim->custom->def;
    int n = sim->n_v;
    for (int j = 0; j < n; j++) {
        double saved = at[j];
        for (int i = 0; i < PERP_DIFFERENCE_POINTS; i++) {
            double weight = perp_difference_point(saved, i, &at[j]);
            def->force(def->user, t, q, v, k);
            perp_axpy(n, weight, k, dk + n * j);
        }
        at[j] = saved;
    }
}

bool perp_custom_force_derivatives(PerpSimulation *sim, double t, const double *q, const double *v,
                                   bool differences, double *k_q, double *k_v)
{
    const PerpSystemDef *def = &sim->custom->def;
    size_t size = (size_t)sim->n_v * sizeof(double);
    memset(k_q, 0, size * (size_t)sim->n_v);
    memset(k_v, 0, size * (size_t)sim->n_v);
    if (!def->force)
        return true;
    if (def->force_derivatives && !differences) {
        def->force_derivatives(def->user, t, q, v, k_q, k_v);
        return true;
    }
    double *x = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *w = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *k = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!x || !w || !k)
        return false;
    memcpy(x, q, size);
    memcpy(w, v, size);
    differentiate_force(sim, t, x, x, w, k, k_q);
    differentiate_force(sim, t, w, x, w, k, k_v);
    return true;
}

// --- the definition -----------------------------------------------------------------------------

static PerpStatus check_functions(const PerpSystemDef *def, PerpError *error)
{
    const struct {
        const char *count, *function;
        int number;
        bool given;
    } needs[] = {
        {"n_joints", "joints", def->n_joints, def->joints != NULL},
        {"n_constraints", "constraints", def->n_constraints, def->constraints != NULL},
        {"n_rates", "rates", def->n_rates, def->rates != NULL},
        {"n_links", "links", def->n_links, def->links != NULL},
        {"n_tangents", "tangents", def->n_tangents, def->tangents != NULL},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (needs[i].number < 0 || needs[i].number > ROWS)
            return perp_fail(error, PERP_BAD_VALUE, "%s is %d, not in 0 .. %d", needs[i].count,
                             needs[i].number, ROWS);
        if (needs[i].number > 0 && !needs[i].given)
            return perp_fail(error, PERP_BAD_VALUE, "%s is %d, but there is no function `%s`",
                             needs[i].count, needs[i].number, needs[i].function);
    }
    return PERP_OK;
}

static PerpStatus check_range(const char *what, int count, const double *values, double most,
                              PerpError *error)
{
    for (int i = 0; values && i < count; i++)
        if (!(values[i] >= 0 && values[i] <= most && isfinite(values[i])))
            return perp_fail(error, PERP_BAD_VALUE, "%s[%d] is %g, not in 0 .. %g", what, i,
                             values[i], most);
    return PERP_OK;
}

static PerpStatus check_definition(const PerpSystemDef *def, PerpError *error)
{
    if (def->n < 1 || def->n > COORDINATES)
        return perp_fail(error, PERP_BAD_VALUE, "n is %d, not in 1 .. %d", def->n, COORDINATES);
    if (!def->mass || !def->position || !def->velocity)
        return perp_fail(error, PERP_BAD_VALUE, "a system needs mass, position and velocity");
    if (!perp_all_finite((size_t)def->n, def->position) ||
        !perp_all_finite((size_t)def->n, def->velocity))
        return perp_fail(error, PERP_BAD_VALUE, "the start has a number that is not finite");
    if (def->n_tangents > 2)
        return perp_fail(error, PERP_BAD_VALUE, "n_tangents is %d, not 0, 1 or 2", def->n_tangents);
    PerpStatus status = check_functions(def, error);
    if (!status)
        status = check_range("restitution", def->n_constraints, def->restitution, 1, error);
    if (!status)
        status = check_range("rate_restitution", def->n_rates, def->rate_restitution, 1, error);
    if (!status)
        status = check_range("mu", def->n_constraints, def->mu, INFINITY, error);
    if (!status)
        status = check_range("stiffness", def->n_links, def->stiffness, INFINITY, error);
    return status ? status : check_range("damping", def->n_links, def->damping, INFINITY, error);
}

enum { NUMBERS = 1 << 28 };

// The numbers of all rows together fit into an int, with room for twice as many.
static PerpStatus check_sizes(const PerpSimulation *sim, const PerpSystemDef *def, PerpError *error)
{
    double of_contact = 1.0 + perp_custom_directions(sim, def);
    double rows = def->n_joints + of_contact * def->n_constraints + def->n_rates + def->n_links;
    if (rows * def->n > NUMBERS)
        return perp_fail(error, PERP_BAD_SIZE,
                         "%g rows of %d numbers are more than the %d that a system may have", rows,
                         def->n, NUMBERS);
    return PERP_OK;
}

// A copy of the numbers, zeros if there are none.
static double *copy_numbers(const PerpSimulation *sim, int count, const double *from)
{
    double *to = perp_allocate(&sim->context.allocator, (size_t)count, sizeof *to);
    if (to && from && count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

PerpStatus perp_custom_begin(PerpSimulation *sim, const PerpSystemDef *def, PerpError *error)
{
    PerpStatus status = check_definition(def, error);
    if (!status)
        status = check_sizes(sim, def, error);
    if (status)
        return status;
    PerpCustom *custom = perp_allocate(&sim->context.allocator, 1, sizeof *custom);
    if (!custom)
        return perp_fail_memory(error);
    sim->custom = custom;
    sim->n_q = sim->n_v = custom->block[1] = def->n;
    custom->def = *def;
    custom->restitution = copy_numbers(sim, def->n_constraints, def->restitution);
    custom->rate_restitution = copy_numbers(sim, def->n_rates, def->rate_restitution);
    custom->mu = copy_numbers(sim, def->n_constraints, def->mu);
    custom->stiffness = copy_numbers(sim, def->n_links, def->stiffness);
    custom->damping = copy_numbers(sim, def->n_links, def->damping);
    bool taken = custom->restitution && custom->rate_restitution && custom->mu &&
                 custom->stiffness && custom->damping;
    for (int i = 0; taken && i < def->n_constraints; i++)
        sim->has_restitution = sim->has_restitution || custom->restitution[i] > 0;
    sim->has_links = custom->def.n_links > 0;
    return taken ? PERP_OK : perp_fail_memory(error);
}

void perp_custom_end(PerpSimulation *sim)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    if (!sim->custom)
        return;
    perp_free(allocator, sim->custom->restitution);
    perp_free(allocator, sim->custom->rate_restitution);
    perp_free(allocator, sim->custom->mu);
    perp_free(allocator, sim->custom->stiffness);
    perp_free(allocator, sim->custom->damping);
    perp_free(allocator, sim->custom);
}

// --- derivatives that were given ----------------------------------------------------------------

// size: of the function's own values, whose rounding the differences magnify.
static PerpStatus compare(const char *function, int n, int count, double size, const double *given,
                          const double *differences, PerpError *error)
{
    double scale = fmax(perp_max_abs(n * count, differences), perp_max_abs(n * count, given));
    for (int i = 0; i < n * count; i++)
        if (!(fabs(given[i] - differences[i]) <= AGREE * scale + ROUNDING * size))
            return perp_fail(error, PERP_BAD_VALUE,
                             "%s gives %.9g in row %d, column %d at the start, where differences "
                             "give %.9g",
                             function, given[i], i % n, i / n, differences[i]);
    return PERP_OK;
}

static PerpStatus check_gradients(PerpSimulation *sim, const char *function, int count,
                                  void (*value)(void *user, const double *q, double *y),
                                  void (*given)(void *user, const double *q, double *gradients),
                                  PerpError *error)
{
    int n = sim->n_v;
    if (!given || count == 0)
        return PERP_OK;
    double *a = PERP_TAKE(&sim->arena, double, 2 * n * count), *b = a + n * count;
    double *y = PERP_TAKE(&sim->arena, double, count);
    if (!a || !y || !differentiate(sim, count, value, sim->state.q, b))
        return perp_fail_memory(error);
    given(sim->custom->def.user, sim->state.q, a);
    value(sim->custom->def.user, sim->state.q, y);
    return compare(function, n, count, perp_max_abs(count, y), a, b, error);
}

static PerpStatus check_force_derivatives(PerpSimulation *sim, PerpError *error)
{
    int n = sim->n_v;
    if (!sim->custom->def.force_derivatives)
        return PERP_OK;
    double *given = PERP_TAKE(&sim->arena, double, 4 * n * n), *other = given + 2 * n * n;
    const double *q = sim->state.q, *v = sim->state.v;
    if (!given || !perp_custom_force_derivatives(sim, 0, q, v, false, given, given + n * n) ||
        !perp_custom_force_derivatives(sim, 0, q, v, true, other, other + n * n))
        return perp_fail_memory(error);
    double *k = PERP_TAKE(&sim->arena, double, n);
    if (!k)
        return perp_fail_memory(error);
    sim->system->force(sim, 0, q, v, k);
    double size = perp_max_abs(n, k);
    PerpStatus status = compare("force_derivatives, k_q,", n, n, size, given, other, error);
    if (status)
        return status;
    return compare("force_derivatives, k_v,", n, n, size, given + n * n, other + n * n, error);
}

static const double SYMMETRY = 1e-12; // relative: numbers that count as the same

static PerpStatus check_mass(PerpSimulation *sim, PerpError *error)
{
    const PerpSystemDef *def = &sim->custom->def;
    int n = sim->n_v, *pivot = PERP_TAKE(&sim->arena, int, n);
    double *M = PERP_TAKE(&sim->arena, double, n *n), *LU = PERP_TAKE(&sim->arena, double, n *n);
    if (!pivot || !M || !LU)
        return perp_fail_memory(error);
    PerpBlockDiagonal F = {1, sim->custom->block, (const int[]){0, n * n}, LU, pivot};
    def->mass(def->user, sim->state.q, M);
    if (!perp_all_finite((size_t)(n * n), M))
        return perp_fail(error, PERP_BAD_VALUE, "mass gives a number that is not finite");
    double scale = perp_max_abs(n * n, M);
    for (int i = 0; i < n * n; i++)
        if (fabs(M[i] - M[i / n + n * (i % n)]) > SYMMETRY * scale)
            return perp_fail(error, PERP_BAD_MASS,
                             "mass gives a matrix that is not symmetric: row %d, column %d", i % n,
                             i / n);
    if (perp_block_diagonal_first_indefinite(&F, M) >= 0)
        return perp_fail(error, PERP_BAD_MASS, "mass gives a matrix that is not positive definite");
    return PERP_OK;
}

PerpStatus perp_custom_start(PerpSimulation *sim, const PerpSystemDef *def, PerpError *error)
{
    size_t size = (size_t)def->n * sizeof(double);
    memcpy(sim->state.q, def->position, size);
    memcpy(sim->state.v, def->velocity, size);
    PerpStatus status = check_mass(sim, error);
    if (!status)
        status = check_gradients(sim, "joint_gradients", def->n_joints, def->joints,
                                 def->joint_gradients, error);
    if (!status)
        status = check_gradients(sim, "constraint_gradients", def->n_constraints, def->constraints,
                                 def->constraint_gradients, error);
    if (!status)
        status = check_gradients(sim, "link_gradients", def->n_links, def->links,
                                 def->link_gradients, error);
    if (!status)
        status = check_force_derivatives(sim, error);
    perp_arena_rewind(&sim->arena);
    return status;
}
