// Random impacts with friction of a system with three velocities, solved in two phases.
#include "papers/ap97/impacts.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { N = IMPACT_VELOCITIES, ROWS = 3 * IMPACT_CONTACTS };

// --- random numbers, the same on every machine --------------------------------------------------

static double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53 * 2 - 1;
}

static void fill(uint64_t *state, int count, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = uniform(state);
}

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i] * y[i];
    return sum;
}

static Impact random_impact(uint64_t *state, int contacts, double mu, double e)
{
    Impact impact = {.contacts = contacts, .mu = mu};
    double A[N * N];
    fill(state, N * N, A);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            impact.M[i + N * j] = dot(A + N * i, A + N * j) + (i == j ? 0.1 : 0);
    fill(state, N, impact.before);
    for (int k = 0; k < contacts; k++) {
        fill(state, N, impact.n[k]);
        fill(state, N, impact.t[k]);
        if (dot(impact.n[k], impact.before) > 0) // every contact is hit
            for (int i = 0; i < N; i++)
                impact.n[k][i] *= -1;
        impact.e[k] = e >= 0 ? e : (uniform(state) + 1) / 2;
    }
    return impact;
}

// --- the problem --------------------------------------------------------------------------------

// One solved L(v, F), and what its result was.
typedef struct Phase {
    double v[N], c_n[IMPACT_CONTACTS];
} Phase;

static void times_mass(const Impact *impact, const double *v, double *b)
{
    for (int i = 0; i < N; i++)
        b[i] = dot(impact->M + N * i, v);
}

static double kinetic(const Impact *impact, const double *v)
{
    double p[N];
    times_mass(impact, v, p);
    return dot(p, v) / 2;
}

static PerpStatus solve(PerpSolver *solver, const Impact *impact, const double *b,
                        const double *cohesion, Phase *phase, PerpError *error)
{
    int p = impact->contacts, row_start[ROWS + 1], entry_body[ROWS] = {0};
    int group_contact[IMPACT_CONTACTS], group_start[IMPACT_CONTACTS + 1];
    double J[ROWS * N], d[ROWS] = {0}, mu[IMPACT_CONTACTS];
    for (int k = 0; k < p; k++) {
        memcpy(J + N * k, impact->n[k], sizeof impact->n[k]);
        for (int i = 0; i < N; i++) {
            J[N * (p + 2 * k) + i] = impact->t[k][i];
            J[N * (p + 2 * k + 1) + i] = -impact->t[k][i];
        }
        group_contact[k] = k;
        mu[k] = impact->mu;
    }
    for (int k = 0; k <= 3 * p; k++)
        row_start[k] = k;
    for (int k = 0; k <= p; k++)
        group_start[k] = 2 * k;
    PerpProblem problem = {.n_bodies = 1,
                           .body_start = (const int[]){0, N},
                           .Mt = impact->M,
                           .b = b,
                           .n_contacts = p,
                           .n_directions = 2 * p,
                           .row_start = row_start,
                           .entry_body = entry_body,
                           .J = J,
                           .d = d,
                           .n_groups = p,
                           .group_contact = group_contact,
                           .group_start = group_start,
                           .mu = mu,
                           .cohesion = cohesion};
    PerpProblemResult result;
    PerpStatus status = perp_problem_solve(solver, &problem, NULL, &result, error);
    if (status)
        return status;
    memcpy(phase->v, result.v, sizeof phase->v);
    memcpy(phase->c_n, result.c, (size_t)p * sizeof(double));
    return PERP_OK;
}

// (v+, ...) in L(v^c, F^r)                                                      [AP97 (3.3)-(3.5)]
static PerpStatus decompress(PerpSolver *solver, const Impact *impact, ImpactLaw law,
                             const Phase *compression, double *v, PerpError *error)
{
    double b[N], cohesion[IMPACT_CONTACTS] = {0};
    Phase phase;
    times_mass(impact, compression->v, b);
    for (int k = 0; k < impact->contacts; k++) {
        double impulse = impact->e[k] * fmax(compression->c_n[k], 0);
        for (int i = 0; i < N; i++)
            b[i] += impulse * impact->n[k][i];
        if (law == IMPACT_TWO_PHASES)
            cohesion[k] = impact->mu * impulse;
    }
    PerpStatus status = solve(solver, impact, b, cohesion, &phase, error);
    if (!status)
        memcpy(v, phase.v, sizeof phase.v);
    return status;
}

static PerpStatus resolve(PerpSolver *solver, const Impact *impact, ImpactLaw law, double *v,
                          PerpError *error)
{
    const double nothing[IMPACT_CONTACTS] = {0};
    double b[N], e = impact->e[0];
    Phase compression;
    times_mass(impact, impact->before, b);
    PerpStatus status = solve(solver, impact, b, nothing, &compression, error); // (3.2)
    if (status)
        return status;
    if (law == IMPACT_TWO_PHASES || law == IMPACT_TWO_PHASES_PRINTED)
        return decompress(solver, impact, law, &compression, v, error);
    for (int i = 0; i < N; i++)
        v[i] = (1 + e) * compression.v[i] - (law == IMPACT_ONE_PHASE ? e : 1) * impact->before[i];
    return PERP_OK;
}

ImpactTally impact_statistics(Paper *paper, ImpactLaw law, int count, int contacts, double mu,
                              double e)
{
    ImpactTally tally = {0};
    PerpError error;
    PerpSolver *solver = NULL;
    uint64_t state = 0x9E3779B97F4A7C15u;
    if (paper_failed(paper))
        return tally;
    PerpStatus status = perp_solver_create(NULL, &solver);
    if (status)
        error = (PerpError){.status = status, .message = "out of memory"};
    for (int k = 0; k < count && !status; k++) {
        Impact impact = random_impact(&state, contacts, mu, e);
        double v[N];
        status = resolve(solver, &impact, law, v, &error);
        double ratio = status ? 0 : kinetic(&impact, v) / kinetic(&impact, impact.before);
        tally.impacts++;
        tally.grown += ratio > 1 + 1e-9;
        tally.largest = fmax(tally.largest, ratio);
        tally.rebound +=
            status ? 0 : -dot(impact.n[0], v) / dot(impact.n[0], impact.before) / count;
    }
    if (status)
        paper_fail(paper, &error);
    perp_solver_destroy(solver);
    return tally;
}
