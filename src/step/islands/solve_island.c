// One island, from its rows to a certified answer: what the ladder is asked for, where it starts,
// what becomes of the answer.

#include "step/islands/solve_island.h"
#include "step/islands/warm_start.h"

#include "base/error.h"
#include "cones/least_norm.h"
#include "linear/joints_solve.h"
#include "math/sparse/block_sparse.h"
#include "solve/position_correction.h"
#include "solve/purpose.h"

#include <math.h>
#include <string.h>

enum { LEAST_CONTACTS = 8, MOST_CONTACTS = 4000 }; // of islands that may divide the step
enum { MOST_CONTACTS_LOOSE = 2000 };               // likewise at loose tolerances
static const double LOOSE = 1e-6;                  // tolerance
static const double HELD_GAP = 1e-4; // m: gap error of a step that is worth another slip

// --- what islands are like -----------------------------------------------------------------------

bool perp_island_has_rows(const PerpIslands *islands, int island)
{
    return islands->row_first[island] < islands->row_first[island + 1];
}

// Were all bodies of the island at rest? Where they move, forces or rows have changed.
static bool was_at_rest(const PerpStageWork *work, int island)
{
    const PerpIslands *islands = &work->islands;
    const int *start = islands->whole->body_start;
    for (int k = islands->body_first[island]; k < islands->body_first[island + 1]; k++)
        for (int i = start[islands->body[k]]; i < start[islands->body[k] + 1]; i++)
            if (work->stage->before[i] != 0)
                return false;
    return true;
}

bool perp_island_is_answered(const PerpIslandAnswer *found)
{
    return found->outcome == PERP_OUTCOME_SOLVED || found->outcome == PERP_OUTCOME_HELD;
}

bool perp_island_divides_step(const PerpStageWork *work, int island)
{
    int contacts = work->found[island].contacts;
    int most = work->sim->settings.tolerance < LOOSE ? MOST_CONTACTS : MOST_CONTACTS_LOOSE;
    return contacts >= LEAST_CONTACTS && contacts <= most;
}

bool perp_island_is_tried_again(const PerpStageWork *work, int island)
{
    return work->stage->is_tentative && !perp_island_is_answered(&work->found[island]) &&
           perp_island_divides_step(work, island);
}

// --- the answer ----------------------------------------------------------------------------------

static bool is_soft(const PerpProblem *p)
{
    for (int r = 0; p->compliance && r < perp_problem_rows(p); r++)
        if (p->compliance[r] > 0)
            return true;
    return false;
}

// The shortest impulses, if the certificate accepts them. An island that has come to rest is solved
// no more while it rests, so that this happens once. Rows with compliance keep their impulses,
// which belong to the velocities that were found, not to those of rest.
static PerpStatus shorten(PerpWorker *worker, const PerpProblem *part,
                          const PerpProblemSettings *settings, bool at_rest,
                          PerpProblemResult *result, PerpError *error)
{
    PerpContext scratch = perp_arena_context(&worker->arena);
    PerpCertificate certificate;
    double *c = PERP_TAKE_RAW(&worker->arena, double, perp_problem_rows(part));
    double *none = PERP_TAKE(&worker->arena, double, perp_problem_velocities(part));
    double *of_contact = PERP_TAKE(&worker->arena, double, part->n_contacts);
    bool rests = at_rest && perp_least_norm_rests(part, result->v);
    const double *v = rests && !is_soft(part) ? none : result->v;
    if (result->outcome != PERP_OUTCOME_SOLVED || (at_rest && !rests))
        return PERP_OK;
    PerpLeastNorm found = c && none && of_contact
                              ? perp_least_norm(&worker->arena, part, v, result->c, c)
                              : PERP_LEAST_NORM_MEMORY;
    if (found == PERP_LEAST_NORM_MEMORY)
        return perp_fail_memory(error);
    if (found != PERP_LEAST_NORM_FOUND)
        return PERP_OK;
    PerpStatus status = perp_certify_contacts(&scratch, part, v, c, result->lambda, &certificate,
                                              of_contact, error);
    if (status || !(certificate.worst <= settings->tolerance))
        return status;
    result->v = v;
    result->c = c;
    result->certificate = certificate;
    if (result->of_contact)
        result->of_contact = of_contact;
    return PERP_OK;
}

// Has an island of a projection no errors to speak of?
static bool is_right(const PerpStageWork *work, int island)
{
    const PerpIslands *islands = &work->islands;
    const PerpProblem *p = &work->stage->rows.problem;
    const PerpProjectionAim *aim = &work->stage->aim;
    if (!(aim->joint_error > 0)) // it is no projection
        return false;
    for (int k = islands->row_first[island]; k < islands->row_first[island + 1]; k++) {
        int row = islands->row[k], contact = row - p->n_joints - p->n_boxes;
        if (row < p->n_joints ? fabs(p->d[row]) > aim->joint_error
                              : contact >= 0 && p->d[row] < -aim->overlap)
            return false;
    }
    return true;
}

// Joined bodies without friction: dense pivots are dear, but for what all else misses.
static bool is_joined(const PerpStageWork *work, const PerpProblem *part)
{
    return part->n_joints > 0 && part->n_groups == 0 && !work->stage->shortest &&
           (work->stage->is_aside || work->sim->scheme->facets == PERP_FACETS_CIRCULAR);
}

static PerpStatus solve_joined(const PerpStageWork *work, PerpWorker *worker,
                               const PerpProblem *part, PerpProblemSettings *settings,
                               PerpProblemResult *result, PerpError *error)
{
    unsigned methods = settings->methods;
    settings->tolerance = fmax(settings->tolerance, work->stage->aim.tolerance);
    settings->methods &= ~PERP_METHOD_BIT(PERP_METHOD_PIVOTING);
    PerpStatus status = perp_problem_solve(worker->solver, part, settings, result, error);
    if (status || result->outcome == PERP_OUTCOME_SOLVED || settings->methods == methods)
        return status;
    settings->methods = methods;
    return perp_problem_solve(worker->solver, part, settings, result, error);
}

// The island of a projection, which is measured afterwards and needs no certificate. NULL: it goes
// through the ladder. Which worker has it is chance: nothing is kept from one to the next.
static const double *correct(const PerpStageWork *work, PerpWorker *worker, const PerpProblem *part)
{
    const PerpProjectionAim *aim = &work->stage->aim;
    if (!aim->is_first)
        return NULL;
    if (perp_joints_alone(part))
        return perp_correct_joints_once(worker->solver, part, aim->joint_error / 2);
    return is_joined(work, part) ? perp_correct_joined(worker->solver, part, aim->tolerance) : NULL;
}

static PerpProblemSettings choose_settings(const PerpStageWork *work, int island)
{
    const PerpSimulation *sim = work->sim;
    const PerpStage *stage = work->stage;
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.tolerance = sim->settings.tolerance;
    settings.minimum_norm = stage->shortest;
    settings.judge_contacts = stage->residual != NULL;
    settings.methods = sim->settings.methods;
    settings.held_tolerance = sim->settings.held_tolerance;
    settings.held_steps = sim->state.held;
    settings.held_gap_speed = stage->h > 0 ? HELD_GAP / stage->h : 0;
    settings.interrupt = sim->settings.interrupt;
    settings.interrupt_user = sim->settings.interrupt_user;
    const PerpPurpose purpose = {.is_tentative =
                                     stage->is_tentative && perp_island_divides_step(work, island),
                                 .may_hold = stage->left_to_held,
                                 .is_aside = stage->is_aside,
                                 .tolerance = stage->aim.tolerance};
    perp_purpose_choose(&purpose, work->found[island].contacts, &settings);
    return settings;
}

// From the island's own basis or impulses in the last step, or those of its contacts. False if
// memory is short.
static bool start_warm(const PerpStageWork *work, PerpWorker *worker, int island,
                       const PerpProblem *part, PerpProblemSettings *settings)
{
    const PerpSimulation *sim = work->sim;
    const PerpIslandCache *cache = &sim->caches.cache[sim->caches.in_use];
    const PerpCachedIsland *cached = work->found[island].cached;
    if (cached)
        return perp_island_cache_start(cache, cached, part, sim->caches.cached_scale,
                                       &worker->arena, settings);
    if (!(work->stage->h > 0) || !part->group_circular)
        return true;
    bool in_round = sim->contacts.in_round, in_step = in_round || sim->contacts.in_substep;
    const PerpReports *last = in_step ? &sim->contacts.next : &sim->contacts.last;
    double scale = in_round ? 1 : sim->caches.impulse_scale;
    settings->start =
        perp_warm_start(&worker->arena, last, scale, &work->stage->rows, &work->islands, island);
    return settings->start;
}

// By what a cached solution at rest is multiplied to be tried as it is: 1 where the problem has the
// same numbers; where the length of the step is another, impulses are as much longer. 0: not at
// all.
static double reuse_factor(const PerpStageWork *work, const PerpIslandAnswer *found)
{
    double scale = work->sim->caches.cached_scale;
    if (!found->cached || found->cached->problem == 0)
        return 0;
    return found->cached->problem == found->problem ? 1 : scale != 1 ? scale : 0;
}

// The solution of the last step, where the island rests and its problem has not changed but for
// the length of the step.
static PerpStatus reuse(const PerpStageWork *work, PerpWorker *worker, int island,
                        const PerpProblem *part, const PerpProblemSettings *settings,
                        PerpProblemResult *result, bool *solved, PerpError *error)
{
    const PerpSimulation *sim = work->sim;
    const PerpIslandCache *cache = &sim->caches.cache[sim->caches.in_use];
    const PerpIslandAnswer *found = &work->found[island];
    double factor = reuse_factor(work, found);
    *solved = false;
    if (!(factor > 0) || settings->minimum_norm)
        return PERP_OK;
    return perp_island_cache_reuse(cache, found->cached, factor, part, settings, &worker->arena,
                                   result, solved, error);
}

static PerpStatus solve_problem(const PerpStageWork *work, PerpWorker *worker, int island,
                                const PerpProblem *part, PerpProblemResult *result,
                                PerpError *error)
{
    const PerpSimulation *sim = work->sim;
    PerpIslandAnswer *found = &work->found[island];
    PerpProblemSettings settings = choose_settings(work, island);
    bool moves_time = work->stage->h > 0, at_rest = moves_time && was_at_rest(work, island), solved;
    found->problem = at_rest ? perp_problem_hash(part) : 0;
    if (at_rest) {
        PerpStatus status = reuse(work, worker, island, part, &settings, result, &solved, error);
        if (status || solved)
            return status;
    }
    if (!start_warm(work, worker, island, part, &settings))
        return perp_fail_memory(error);
    PerpStatus status = is_joined(work, part)
                            ? solve_joined(work, worker, part, &settings, result, error)
                            : perp_problem_solve(worker->solver, part, &settings, result, error);
    bool shortens = sim->scheme->shortest_at_rest && !work->stage->is_aside &&
                    (at_rest || (sim->observers.shortest && moves_time));
    return status || !shortens ? status : shorten(worker, part, &settings, at_rest, result, error);
}

// The basis lies in the solver's memory, which the next island takes.
static bool take_basis(PerpWorker *worker, const PerpProblemResult *result, PerpIslandAnswer *found)
{
    found->basis_size = result->basis ? result->lcp_size : 0;
    found->basis = NULL;
    if (found->basis_size == 0)
        return true;
    signed char *basis = PERP_TAKE(&worker->bases, signed char, found->basis_size);
    if (basis)
        memcpy(basis, result->basis, (size_t)found->basis_size);
    found->basis = basis;
    return basis != NULL;
}

static PerpStatus solve_rows(const PerpStageWork *work, PerpWorker *worker, int island,
                             PerpError *error)
{
    PerpProblem part;
    PerpProblemResult result;
    PerpSimulation *sim = work->sim;
    PerpStage *stage = work->stage;
    PerpIslandAnswer *found = &work->found[island];
    if (stage->is_aside && is_right(work, island)) {
        found->outcome = PERP_OUTCOME_SOLVED;
        return PERP_OK;
    }
    if (!perp_islands_extract(&worker->arena, &work->islands, island, &part))
        return perp_fail_memory(error);
    found->contacts = part.n_contacts;
    const double *v = correct(work, worker, &part);
    if (v) {
        perp_islands_scatter_velocities(&work->islands, island, &part, v, stage->v);
        found->outcome = PERP_OUTCOME_SOLVED;
        return PERP_OK;
    }
    PerpStatus status = solve_problem(work, worker, island, &part, &result, error);
    if (status)
        return status;
    if (!take_basis(worker, &result, found))
        return perp_fail_memory(error);
    found->outcome = result.outcome;
    if (sim->observers.problem && !stage->is_aside && !perp_island_is_tried_again(work, island))
        sim->observers.problem(sim->observers.user,
                               &(PerpSolvedProblem){sim->state.t, &part, &result});
    PerpIslandPlaces places = {stage->v, stage->c, stage->lambda, stage->residual};
    perp_islands_scatter(&work->islands, island, &part, &result, &places);
    perp_islands_renumber(&work->islands, island, &part, &result.certificate);
    found->solved_by = result.solved_by;
    found->pivots = result.pivots;
    found->certificate = result.certificate;
    found->gap = result.gap;
    found->held = result.held;
    return PERP_OK;
}

// Mt v = b for a block that no row touches.
static PerpStatus solve_free_block(const PerpStageWork *work, PerpWorker *worker, int island,
                                   PerpError *error)
{
    PerpStage *stage = work->stage;
    const PerpProblem *p = &stage->rows.problem;
    int block = work->islands.body[work->islands.body_first[island]];
    int first = p->body_start[block], n = p->body_start[block + 1] - first;
    double *LU = PERP_TAKE(&worker->arena, double, n *n);
    int *pivot = PERP_TAKE(&worker->arena, int, n);
    if (!LU || !pivot)
        return perp_fail_memory(error);
    PerpBlockDiagonal F = {1, (const int[]){0, n}, (const int[]){0, n * n}, LU, pivot};
    memcpy(stage->v + first, p->b + first, (size_t)n * sizeof(double));
    if (perp_block_diagonal_factor(&F, p->Mt + stage->rows.mass_start[block]) >= 0)
        return perp_fail(error, PERP_BAD_VALUE, "t = %.9g s: the mass matrix is singular",
                         work->sim->state.t);
    perp_block_diagonal_solve(&F, stage->v + first);
    return PERP_OK;
}

PerpStatus perp_island_solve(const PerpStageWork *work, PerpWorker *worker, int island,
                             PerpError *error)
{
    return perp_island_has_rows(&work->islands, island)
               ? solve_rows(work, worker, island, error)
               : solve_free_block(work, worker, island, error);
}
