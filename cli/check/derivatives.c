// Derivatives of forces by central differences, and their norms in the metric of M.
#include "check/derivatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOVE = 0x1p-17; // m or rad, of differences
enum { MOVES = 3 };                 // of MOVE, 2 MOVE, 4 MOVE

// Velocities by clusters, bodies that links join: the derivatives of forces couple no others. One
// velocity of each cluster at a time gives a column of each, so that there are as many passes as
// the largest cluster has velocities.
typedef struct Columns {
    int n, passes;
    int *root, *rank;     // of each velocity: its cluster, its number there
    int *at;              // of each cluster: its velocity of the pass at hand, -1: none
    double *weight;       // |M_k^-1| of its block
    double *k_q, *k_v;    // the columns, of all clusters together
    double *coarse;       // k_q again, by differences twice as wide
    double *moves[MOVES]; // differences, each wider than the one before
    double *x, *y;        // scratch
    double *moved, *rest; // a configuration; no velocity
} Columns;

static bool take_columns(const CheckStates *states, Columns *c)
{
    size_t n = (size_t)states->n_v + 1;
    *c = (Columns){.n = states->n_v,
                   .root = calloc(3 * n, sizeof(int)),
                   .weight = calloc((7 + MOVES) * n, sizeof(double)),
                   .moved = calloc((size_t)states->n_q + 1, sizeof(double))};
    if (!c->root || !c->weight || !c->moved)
        return false;
    c->rank = c->root + n;
    c->at = c->rank + n;
    c->k_q = c->weight + n;
    c->k_v = c->k_q + n;
    c->x = c->k_v + n;
    c->y = c->x + n;
    c->rest = c->y + n;
    c->coarse = c->rest + n;
    for (int k = 0; k < MOVES; k++)
        c->moves[k] = c->coarse + (k + 1) * n;
    return true;
}

static void free_columns(Columns *c)
{
    free(c->root);
    free(c->weight);
    free(c->moved);
}

// --- clusters -----------------------------------------------------------------------------------

static int find_root(int *parent, int k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

// Numbers each cluster by one of its blocks, and the velocities in it.
static void find_clusters(const PerpEquations *e, Columns *c)
{
    int *parent = c->rank, *count = c->at;
    for (int k = 0; k < e->n_blocks; k++)
        parent[k] = k;
    for (int l = 0; l < e->n_links; l++)
        for (int k = e->link_start[l] + 1; k < e->link_start[l + 1]; k++)
            parent[find_root(parent, e->entry_block[k])] = find_root(parent, e->entry_block[k - 1]);
    for (int k = 0; k < e->n_blocks; k++)
        for (int i = e->block_start[k]; i < e->block_start[k + 1]; i++)
            c->root[i] = find_root(parent, k);
    for (int i = 0; i < c->n; i++) { // parents are not needed any more
        c->rank[i] = count[c->root[i]]++;
        c->passes = c->rank[i] >= c->passes ? c->rank[i] + 1 : c->passes;
    }
}

static void choose_column(int pass, Columns *c)
{
    for (int i = 0; i < c->n; i++)
        c->at[i] = -1;
    for (int i = 0; i < c->n; i++)
        if (c->rank[i] == pass)
            c->at[c->root[i]] = i;
}

// Frobenius' norm of each M_k^-1, which is at least 1/(least eigenvalue)
static void weigh(const PerpEquations *e, Columns *c)
{
    for (int column = 0; column < 6; column++) {
        memset(c->x, 0, (size_t)c->n * sizeof(double));
        for (int k = 0; k < e->n_blocks; k++)
            if (e->block_start[k] + column < e->block_start[k + 1])
                c->x[e->block_start[k] + column] = 1;
        metric_divide(e, c->x);
        for (int k = 0; k < e->n_blocks; k++)
            for (int i = e->block_start[k]; i < e->block_start[k + 1]; i++)
                c->weight[e->block_start[k]] += c->x[i] * c->x[i];
    }
    for (int k = 0; k < e->n_blocks; k++)
        for (int i = e->block_start[k + 1] - 1; i >= e->block_start[k]; i--)
            c->weight[i] = sqrt(c->weight[e->block_start[k]]);
}

// --- columns ------------------------------------------------------------------------------------

// q (+) s e: along an axis of the world, or about one of the body's
static void move_along(int body, int bit, double s, double *q)
{
    double *x = q + 7 * body, *r = x + 3;
    if (bit < 3) {
        x[bit] += s;
        return;
    }
    double w = cos(s / 2), t[3] = {0, 0, 0}, along[3], scalar = r[0];
    t[bit - 3] = sin(s / 2);
    cross_product(r + 1, t, along);
    r[0] = scalar * w - r[bit - 2] * t[bit - 3];
    for (int i = 0; i < 3; i++)
        r[i + 1] = scalar * t[i] + w * r[i + 1] + along[i];
}

static void move_chosen(const CheckStates *states, const Columns *c, double s, double *q)
{
    MovingBody body = {.body = -1};
    while (next_moving(states, &body))
        for (int bit = 0, i = body.first; bit < 6; bit++) {
            if (!(body.freedom >> bit & 1))
                continue;
            if (c->at[c->root[i]] == i)
                move_along(body.body, bit, s, q);
            i++;
        }
}

// (f(q (+) e) - f(q (-) e))/(2 e) with the forces at the end of the step, velocities held
static PerpStatus difference(const MarginStep *step, double move, Columns *c, double *column,
                             PerpError *error)
{
    const CheckStates *states = step->states;
    memset(column, 0, (size_t)c->n * sizeof(double));
    for (int side = -1; side <= 1; side += 2) {
        PerpEquations e;
        memcpy(c->moved, states->q_old, (size_t)states->n_q * sizeof(double));
        move_chosen(states, c, side * move, c->moved);
        PerpStatus status = perp_simulation_equations_at(states->simulation, step->t + step->h,
                                                         c->moved, c->rest, &e, error);
        if (status)
            return status;
        links_add_force(&e, states->v_old, e.k);
        for (int i = 0; i < c->n; i++)
            column[i] += side * e.k[i] / (2 * move);
        perp_equations_free(states->simulation, &e);
    }
    return PERP_OK;
}

// k_q of fourth order, (4 D(e) - D(2 e))/3, and with 2 e for e, which tells how good it is
static PerpStatus extrapolate(const MarginStep *step, Columns *c, PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < MOVES; k++)
        status = difference(step, MOVE * (1 << k), c, c->moves[k], error);
    for (int i = 0; i < c->n; i++) {
        c->k_q[i] = (4 * c->moves[0][i] - c->moves[1][i]) / 3;
        c->coarse[i] = (4 * c->moves[1][i] - c->moves[2][i]) / 3;
    }
    return status;
}

// -sum s g g'                                                                         (9.2)-(9.3)
static void subtract_squares(const PerpEquations *e, const double *s, const Columns *c,
                             double *column)
{
    for (int i = 0; i < e->n_links; i++) {
        if (e->link_start[i] == e->link_start[i + 1])
            continue; // between what cannot move
        int first = e->block_start[e->entry_block[e->link_start[i]]];
        int chosen = c->at[c->root[first]];
        if (chosen >= 0)
            link_add(e, i, -s[i] * link_value(e, i, chosen), column);
    }
}

// d/dw ((I w) x w) - F = -[w]x I with F = [I w]x, of bodies that turn freely
static void add_turning(const MarginStep *step, const PerpEquations *e, Columns *c)
{
    MovingBody body = {.body = -1};
    double *chosen = c->x, *momentum = c->y;
    for (int i = 0; i < c->n; i++)
        chosen[i] = c->at[c->root[i]] == i;
    metric_momentum(e, chosen, momentum);
    while (next_moving(step->states, &body)) {
        int at = free_spin_at(&body);
        double torque[3];
        if (at < 0)
            continue;
        cross_product(momentum + at, step->states->v_old + at, torque);
        for (int i = 0; i < 3; i++)
            c->k_v[at + i] += torque[i];
    }
}

// --- norms --------------------------------------------------------------------------------------

static PerpStatus find_columns(const MarginStep *step, const PerpEquations *e, bool exact,
                               Columns *c, PerpError *error)
{
    PerpStatus status = PERP_OK;
    memset(c->k_q, 0, (size_t)c->n * sizeof(double));
    memset(c->k_v, 0, (size_t)c->n * sizeof(double));
    if (exact)
        status = extrapolate(step, c, error);
    else
        subtract_squares(e, e->stiffness, c, c->k_q);
    if (!exact)
        memcpy(c->coarse, c->k_q, (size_t)c->n * sizeof(double));
    subtract_squares(e, e->damping, c, c->k_v);
    if (exact && !step->states->settings.printed_coriolis)
        add_turning(step, e, c);
    return status;
}

static PerpStatus add_up(const MarginStep *step, const PerpEquations *e, bool exact, Columns *c,
                         DerivativeNorms *norms, PerpError *error)
{
    PerpStatus status = PERP_OK;
    double q = 0, v = 0, coarse = 0;
    find_clusters(e, c);
    weigh(e, c);
    for (int pass = 0; !status && pass < c->passes; pass++) {
        choose_column(pass, c);
        status = find_columns(step, e, exact, c, error);
        for (int i = 0; i < c->n; i++) {
            int j = c->at[c->root[i]];
            double weight = j < 0 ? 0 : c->weight[i] * c->weight[j];
            q += c->k_q[i] * c->k_q[i] * weight;
            coarse += c->coarse[i] * c->coarse[i] * weight;
            v += c->k_v[i] * c->k_v[i] * weight;
        }
    }
    *norms = (DerivativeNorms){sqrt(q), sqrt(v), fabs(sqrt(q) - sqrt(coarse))};
    return status;
}

PerpStatus find_derivative_norms(const MarginStep *step, const PerpEquations *e, bool exact,
                                 DerivativeNorms *norms, PerpError *error)
{
    Columns c;
    PerpStatus status = take_columns(step->states, &c) ? PERP_OK : PERP_NO_MEMORY;
    error->status = status;
    if (!status)
        status = add_up(step, e, exact, &c, norms, error);
    free_columns(&c);
    return status;
}
