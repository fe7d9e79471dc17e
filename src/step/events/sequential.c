// Impacts pair by pair. Bodies that touch pass an impact on: in a row of equal balls with e = 1 the
// last one leaves with the speed of the first, since each collision is over before the next begins
// [Ivanov 1995; Smith, Kaufman, Vouga, Tamstorf and Grinspun 2012, who call it Gauss-Seidel].
// Poisson's hypothesis on all contacts at once spreads the impulse instead, and the first ball
// comes back. Here the pair of bodies that approaches fastest collides alone, in two phases [AP97
// section 3], then the next, until nothing approaches faster than the threshold. Pairs that
// approach equally fast collide together, which keeps symmetry. No impact raises the energy, so
// none of their sequence does.

#include "step/events/sequential.h"

#include "base/error.h"
#include "step/scheme_tools.h"

#include <math.h>
#include <string.h>

static const double EQUAL = 1e-6; // of the fastest: as fast
enum { ROUNDS_A_PAIR = 8, MOST_ROUNDS = 512 };

static double approach(const PerpStage *stage, int contact, const double *v)
{
    return -perp_stage_row_speed(stage, perp_stage_contact_row(stage, contact), v);
}

// m/s: the fastest of contacts that bounce
static double fastest_approach(const PerpSimulation *sim, const PerpStage *stage, const double *v)
{
    double fastest = 0;
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (stage->rows.unilateral[i].restitution > 0)
            fastest = fmax(fastest, approach(stage, i, v));
    return fastest > sim->threshold.bounce ? fastest : 0;
}

// The bodies of a unilateral row, as entries of it.
static bool act_on_same(const PerpProblem *p, int one, int other)
{
    int n = p->row_start[one + 1] - p->row_start[one];
    if (p->row_start[other + 1] - p->row_start[other] != n)
        return false;
    for (int e = 0; e < n; e++)
        if (p->entry_body[p->row_start[one] + e] != p->entry_body[p->row_start[other] + e])
            return false;
    return true;
}

// Keeps the contacts that approach fastest, and all others of the same bodies.
static void choose(const PerpStage *stage, const double *v, double fastest, bool *keep)
{
    const PerpProblem *p = &stage->rows.problem;
    memset(keep, 0, (size_t)p->n_contacts * sizeof *keep);
    for (int i = 0; i < p->n_contacts; i++) {
        if (stage->rows.unilateral[i].restitution == 0 ||
            approach(stage, i, v) < (1 - EQUAL) * fastest)
            continue;
        for (int k = 0; k < p->n_contacts; k++)
            keep[k] = keep[k] || act_on_same(p, perp_stage_contact_row(stage, i),
                                             perp_stage_contact_row(stage, k));
    }
}

int perp_impact_pairs(const PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    int pairs = 0;
    for (int i = 0; i < p->n_contacts; i++)
        pairs += i == 0 || !act_on_same(p, perp_stage_contact_row(stage, i),
                                        perp_stage_contact_row(stage, i - 1));
    return pairs;
}

PerpStatus perp_impact_sequence(PerpSimulation *sim, const PerpStage *rows, double *v,
                                PerpError *error)
{
    int pairs = perp_impact_pairs(rows);
    int most = ROUNDS_A_PAIR * pairs < MOST_ROUNDS ? ROUNDS_A_PAIR * pairs : MOST_ROUNDS;
    PerpStatus status = PERP_OK;
    for (int round = 0; round < most && !status; round++) {
        PerpArenaMark mark = perp_arena_mark(&sim->arena);
        double fastest = fastest_approach(sim, rows, v);
        bool *keep = PERP_TAKE(&sim->arena, bool, rows->rows.problem.n_contacts);
        if (fastest == 0)
            break;
        if (!keep)
            return perp_fail_memory(error);
        choose(rows, v, fastest, keep);
        PerpStage pair = {.q = rows->q, .is_aside = rows->is_aside};
        if (!perp_assembly_copy(&rows->rows, &pair.rows))
            return perp_fail_memory(error);
        perp_assembly_select(&pair.rows, keep);
        status = perp_impact_together(sim, &pair, v, error);
        perp_arena_release(&sim->arena, mark);
    }
    return status;
}
