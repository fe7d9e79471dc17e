// A-priori bounds of L82: (3.7) from the states, lemma 5.2 from stored problems.
// docs/theory/l82.md.
#include "check/margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- (3.7) --------------------------------------------------------------------------------------

// sqrt(f'M^-1 f) of all forces at a state, and S = |C'v| there
static PerpStatus measure(const MarginStep *step, double t, const double *q, const double *v,
                          double *force, double *S, PerpError *error)
{
    PerpEquations e;
    int n = step->states->n_v;
    double *f = calloc(2 * (size_t)n + 1, sizeof *f);
    if (!f)
        return error->status = PERP_NO_MEMORY;
    PerpStatus status = perp_simulation_equations_at(step->states->simulation, t, q, v, &e, error);
    if (!status) {
        memcpy(f, e.k, (size_t)n * sizeof *f);
        links_add_force(&e, v, f);
        *force = metric_dual(&e, f, f + n);
        *S = metric_norm(&e, v);
        perp_equations_free(step->states->simulation, &e);
    }
    free(f);
    return status;
}

// S(t) <= S(0) + t sup sqrt(f'M^-1 f), the form of (3.7) for constant M, in a step without events:
// the supremum is that of its two ends
PerpStatus margins_of_l82(const MarginStep *step, double margin[PERP_BOUND_COUNT], PerpError *error)
{
    const CheckStates *at = step->states;
    double force[2], S[2];
    PerpStatus status = measure(step, step->t, at->q_old, at->v_old, &force[0], &S[0], error);
    if (!status)
        status = measure(step, step->t + step->h, at->q, at->v, &force[1], &S[1], error);
    if (status)
        return status;
    double bound = S[0] + step->h * fmax(force[0], force[1]);
    if (bound > 0)
        margin[PERP_BOUND_L82_GROWTH] = (bound - S[1]) / bound;
    return PERP_OK;
}

// --- lemma 5.2 ----------------------------------------------------------------------------------

// The problem with the rows that hold as equations: joints, and contacts that push.
typedef struct Held {
    PerpProblem problem;
    int *row_start, *entry_body;
    double *J, *d;
} Held;

static int width(const PerpProblem *p, int entry)
{
    return p->body_start[p->entry_body[entry] + 1] - p->body_start[p->entry_body[entry]];
}

static int count_values(const PerpProblem *p)
{
    int count = 0;
    for (int e = 0; e < p->row_start[perp_problem_rows(p)]; e++)
        count += width(p, e);
    return count;
}

static bool take_held(const PerpProblem *p, Held *held)
{
    size_t rows = (size_t)perp_problem_rows(p);
    *held = (Held){.row_start = calloc(rows + 1, sizeof(int)),
                   .entry_body = calloc((size_t)p->row_start[rows] + 1, sizeof(int)),
                   .J = calloc((size_t)count_values(p) + 1, sizeof(double)),
                   .d = calloc(rows + 1, sizeof(double))};
    return held->row_start && held->entry_body && held->J && held->d;
}

static void free_held(Held *held)
{
    free(held->row_start);
    free(held->entry_body);
    free(held->J);
    free(held->d);
}

static void hold_rows(const PerpRecordedProblem *stored, Held *held)
{
    const PerpProblem *p = &stored->problem;
    const double *from = p->J;
    double *to = held->J;
    int rows = 0, entries = 0;
    for (int r = 0; r < perp_problem_rows(p); r++) {
        bool holds = r < p->n_joints || stored->c[r] > 0;
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
            if (holds) {
                held->entry_body[entries++] = p->entry_body[e];
                memcpy(to, from, (size_t)width(p, e) * sizeof *to);
                to += width(p, e);
            }
            from += width(p, e);
        }
        if (holds)
            held->d[rows++] = p->d[r];
        held->row_start[rows] = entries;
    }
    held->problem = (PerpProblem){.n_bodies = p->n_bodies,
                                  .body_start = p->body_start,
                                  .Mt = p->Mt,
                                  .b = p->b,
                                  .n_joints = rows,
                                  .row_start = held->row_start,
                                  .entry_body = held->entry_body,
                                  .J = held->J,
                                  .d = held->d};
}

// 1 + the largest acceleration without constraints, Mt a = b
static PerpStatus find_scale(PerpSolver *solver, const PerpProblem *p, double *scale,
                             PerpError *error)
{
    PerpProblemResult result;
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblem unheld = *p;
    unheld.n_joints = 0;
    PerpStatus status = perp_problem_solve(solver, &unheld, &settings, &result, error);
    *scale = 1;
    for (int i = 0; !status && i < perp_problem_velocities(p); i++)
        *scale = fmax(*scale, 1 + fabs(result.v[i]));
    return status;
}

// How far the accelerations are from those of the equations alone, of which the solver leaves out
// the dependent ones.
static PerpStatus compare(PerpSolver *solver, const PerpRecordedProblem *stored, const Held *held,
                          double *off, PerpError *error)
{
    PerpProblemResult result;
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpStatus status = perp_problem_solve(solver, &held->problem, &settings, &result, error);
    *off = 0;
    if (!status && result.outcome != PERP_OUTCOME_SOLVED)
        *off = INFINITY;
    for (int i = 0; !status && i < perp_problem_velocities(&stored->problem); i++)
        *off = fmax(*off, fabs(result.v[i] - stored->v[i]));
    return status;
}

static PerpStatus judge(const PerpRecordedProblem *stored, Held *held, double *margin,
                        PerpError *error)
{
    const double drops = 1e-8; // accelerations that differ by less are the same, as in the run
    PerpSolver *solver = NULL;
    double scale, off;
    hold_rows(stored, held);
    PerpStatus status = perp_solver_create(NULL, &solver);
    if (status)
        return error->status = status;
    status = find_scale(solver, &held->problem, &scale, error);
    if (!status)
        status = compare(solver, stored, held, &off, error);
    perp_solver_destroy(solver);
    if (status == PERP_NO_MEMORY)
        return status;
    *margin = status ? -INFINITY : drops - off / scale; // not solved: masses that are none
    return PERP_OK;
}

PerpStatus margin_of_uniqueness(const PerpRecordedProblem *stored, bool *applies, double *margin,
                                PerpError *error)
{
    const PerpProblem *p = &stored->problem;
    Held held;
    *applies = p->n_groups == 0 && p->n_boxes == 0 && p->n_bodies > 0 && perp_problem_rows(p) > 0 &&
               stored->outcome == PERP_OUTCOME_SOLVED;
    if (!*applies)
        return PERP_OK;
    PerpStatus status = PERP_NO_MEMORY;
    if (take_held(p, &held))
        status = judge(stored, &held, margin, error);
    else
        error->status = status;
    free_held(&held);
    return status;
}
