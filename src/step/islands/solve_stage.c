// Solves a stage island by island, warm-started and certified. Threads share the islands out; each
// island writes to its own place, and these are read in the order of the islands, so that results
// do not depend on the number of threads.

#include "step/islands/solve_island.h"
#include "step/timing.h"

#include "base/error.h"
#include "base/text.h"
#include "base/threads.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// --- the island cache ---------------------------------------------------------------------------

// The rows and what they are of: islands of the same layout may share a basis.
static uint64_t hash_layout(const PerpAssembly *rows, const PerpIslands *islands, int island)
{
    const PerpProblem *p = &rows->problem;
    int first_contact = p->n_joints + p->n_boxes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int k = islands->row_first[island]; k < islands->row_first[island + 1]; k++) {
        int row = islands->row[k], contact = row - first_contact;
        bool is_contact = contact >= 0 && contact < p->n_contacts;
        uint64_t id = is_contact ? rows->unilateral[contact].id : (uint64_t)(row < first_contact);
        hash = (hash ^ id) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void find_cached(PerpStageWork *work)
{
    PerpSimulation *sim = work->sim;
    for (int i = 0; i < work->islands.count; i++) {
        PerpIslandAnswer *found = &work->found[i];
        found->status = PERP_OK;
        found->cached = NULL;
        if (!perp_island_has_rows(&work->islands, i) || !(work->stage->h > 0))
            continue;
        found->layout = hash_layout(&work->stage->rows, &work->islands, i);
        found->cached =
            perp_island_cache_find(&sim->caches.cache[sim->caches.in_use], found->layout);
    }
}

// Stores the solution in the cache; false if memory is short.
static bool store(const PerpStageWork *work, int island, int to)
{
    const PerpIslands *islands = &work->islands;
    const PerpStage *stage = work->stage;
    const PerpProblem *p = islands->whole;
    const PerpIslandAnswer *found = &work->found[island];
    int rows = islands->row_first[island + 1] - islands->row_first[island];
    int groups = islands->group_first[island + 1] - islands->group_first[island], velocities = 0;
    for (int k = islands->body_first[island]; k < islands->body_first[island + 1]; k++)
        velocities += p->body_start[islands->body[k] + 1] - p->body_start[islands->body[k]];
    if (found->outcome != PERP_OUTCOME_SOLVED)
        return true;
    PerpIslandCache *cache = &work->sim->caches.cache[to];
    PerpCachedIsland *cached = perp_island_cache_add(&work->sim->context.allocator, cache,
                                                     found->basis_size, rows + groups + velocities);
    if (!cached)
        return false;
    cached->layout = found->layout;
    cached->problem = found->problem;
    if (found->basis_size > 0)
        memcpy(cache->basis + cached->basis_first, found->basis, (size_t)found->basis_size);
    double *solution = cache->solution + cached->solution_first;
    for (int k = islands->row_first[island]; k < islands->row_first[island + 1]; k++)
        *solution++ = stage->c[islands->row[k]];
    for (int k = islands->group_first[island]; k < islands->group_first[island + 1]; k++)
        *solution++ = stage->lambda[islands->group[k]];
    for (int k = islands->body_first[island]; k < islands->body_first[island + 1]; k++)
        for (int i = p->body_start[islands->body[k]]; i < p->body_start[islands->body[k] + 1]; i++)
            *solution++ = stage->v[i];
    return true;
}

// --- one island ---------------------------------------------------------------------------------

// The contact that a residual speaks of, -1 if it speaks of none.
static int contact_of(const PerpProblem *p, PerpResidual kind, int row)
{
    if (kind >= PERP_RESIDUAL_CONE)
        return p->group_contact[row];
    for (int g = 0; kind >= PERP_RESIDUAL_SLIP && g < p->n_groups; g++)
        if (row < p->group_start[g + 1])
            return p->group_contact[g];
    return kind >= PERP_RESIDUAL_APPROACH ? row : -1;
}

// Which body, joint or contact the worst residual is of, in words.
static void name_worst(const PerpSimulation *sim, const PerpStage *stage,
                       const PerpCertificate *certificate, char *text, size_t size)
{
    const PerpProblem *p = &stage->rows.problem;
    PerpResidual worst = certificate->worst_kind;
    int row = certificate->residual_row[worst];
    size_t length = perp_write_words(text, size, perp_residual_name(worst), " ");
    if (worst == PERP_RESIDUAL_MOMENTUM && stage->rows.named_block)
        row = stage->rows.named_block[row];
    sim->system->name(sim, &stage->rows, worst, row, contact_of(p, worst, row), text + length,
                      size - length);
}

// --- all of them --------------------------------------------------------------------------------

static bool is_missed(const PerpStageWork *work, int island)
{
    return work->sim->settings.strict && !work->stage->is_aside &&
           perp_island_has_rows(&work->islands, island) &&
           !perp_island_is_answered(&work->found[island]) &&
           !perp_island_is_tried_again(work, island);
}

// One island by one worker. After a failure the worker leaves out what comes later: the first
// failure is the one that is told.
static void solve_one(void *user, int item, int thread)
{
    const PerpStageWork *work = user;
    PerpWorker *worker = &work->sim->workers.worker[thread];
    int island = work->order[item];
    PerpError error = {0};
    if (worker->failed >= 0 && worker->failed < island)
        return;
    PerpArenaMark mark = perp_arena_mark(&worker->arena);
    PerpStatus status = perp_island_solve(work, worker, island, &error);
    perp_arena_release(&worker->arena, mark);
    work->found[island].status = status;
    if (status || is_missed(work, island)) {
        worker->failed = island;
        worker->error = error;
    }
}

// Islands that are more than a thread's share are solved one after the other, so that threads may
// work inside of them, the others at the same time. Returns how many are large.
static int deal(PerpStageWork *work, int threads)
{
    const PerpIslands *islands = &work->islands;
    int count = islands->count, rows = islands->row_first[count], large = 0, at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            int size = islands->row_first[i + 1] - islands->row_first[i];
            if ((pass == 0) == (size > rows / threads))
                work->order[at++] = i;
        }
        large = pass == 0 ? at : large;
    }
    return large;
}

// Threads that are worth their while. Those who watch are told of the islands in their order.
static int choose_threads(const PerpStageWork *work)
{
    enum { WORTHWHILE = 64 }; // rows and islands, of one thread
    const PerpSimulation *sim = work->sim;
    int count = work->islands.count,
        most = 1 + (work->islands.row_first[count] + count) / WORTHWHILE;
    if (sim->observers.problem && !work->stage->is_aside)
        return 1;
    return most < sim->workers.count ? most : sim->workers.count;
}

static void solve_all(PerpStageWork *work)
{
    PerpSimulation *sim = work->sim;
    int threads = choose_threads(work), large = deal(work, threads);
    for (int k = 0; k < sim->workers.count; k++) {
        perp_arena_rewind(&sim->workers.worker[k].arena);
        perp_arena_rewind(&sim->workers.worker[k].bases);
        sim->workers.worker[k].failed = -1;
    }
    for (int k = 0; k < large; k++)
        solve_one(work, k, 0);
    work->order += large;
    perp_parallel(threads, work->islands.count - large, solve_one, work);
}

static bool take_solution(PerpSimulation *sim, const double *v_before, PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    int n_v = perp_problem_velocities(p);
    stage->before = PERP_TAKE(&sim->arena, double, n_v);
    stage->v = PERP_TAKE(&sim->arena, double, n_v);
    stage->c = PERP_TAKE(&sim->arena, double, perp_problem_rows(p));
    stage->lambda = PERP_TAKE(&sim->arena, double, p->n_groups);
    bool judged = sim->observers.judge_contacts && !stage->is_aside;
    stage->residual = judged ? PERP_TAKE(&sim->arena, double, p->n_contacts) : NULL;
    if (!stage->before || !stage->v || !stage->c || !stage->lambda || judged != !!stage->residual)
        return false;
    memcpy(stage->before, v_before, (size_t)n_v * sizeof(double));
    return true;
}

static bool take_work(PerpSimulation *sim, PerpStage *stage, PerpStageWork *work)
{
    PerpArena *arena = &sim->arena;
    *work = (PerpStageWork){.sim = sim, .stage = stage};
    if (!perp_islands_find(arena, &stage->rows.problem, &work->islands))
        return false;
    work->found = PERP_TAKE(arena, PerpIslandAnswer, work->islands.count);
    work->order = PERP_TAKE(arena, int, work->islands.count);
    return work->found && work->order;
}

// --- what came of them --------------------------------------------------------------------------

static void add_held(PerpStepReport *report, const PerpIslandAnswer *found, double h)
{
    report->held.residual = fmax(report->held.residual, found->held.residual);
    report->held.gap_speed = fmax(report->held.gap_speed, found->held.gap_speed);
    report->held.contacts += found->held.contacts;
    report->gap_error = fmax(report->gap_error, h * found->held.gap_speed);
    report->held_exact = fmax(report->held_exact, found->certificate.worst);
    if (report->outcome == PERP_OUTCOME_SOLVED)
        report->outcome = PERP_OUTCOME_HELD;
}

// True if the island's certificate is the worst so far.
static bool add_to_report(PerpStepReport *report, const PerpIslandAnswer *found, double h)
{
    report->problems++;
    report->pivots += found->pivots;
    report->gap.velocity = fmax(report->gap.velocity, found->gap.velocity);
    if (found->outcome == PERP_OUTCOME_HELD) {
        add_held(report, found, h);
        return false;
    }
    if (found->outcome != PERP_OUTCOME_SOLVED)
        report->outcome = found->outcome;
    if (report->certificate.worst > 0 && found->certificate.worst <= report->certificate.worst)
        return false;
    report->certificate = found->certificate;
    report->solved_by = found->solved_by;
    return true;
}

static PerpStatus fail_missed(const PerpStageWork *work, const PerpIslandAnswer *found,
                              PerpError *error)
{
    char where[PERP_NAME_SIZE];
    name_worst(work->sim, work->stage, &found->certificate, where, sizeof where);
    return perp_fail(error, PERP_NOT_SOLVED, "t = %.9g s: certificate %.1e, worst: %s",
                     work->sim->state.t, found->certificate.worst, where);
}

static PerpStatus fail_as(const PerpSimulation *sim, int island, PerpStatus status,
                          PerpError *error)
{
    for (int k = 0; k < sim->workers.count && error; k++)
        if (sim->workers.worker[k].failed == island)
            *error = sim->workers.worker[k].error;
    return status;
}

static PerpStatus gather(const PerpStageWork *work, int to, PerpError *error)
{
    PerpSimulation *sim = work->sim;
    bool is_worst = false;
    for (int i = 0; i < work->islands.count; i++) {
        const PerpIslandAnswer *found = &work->found[i];
        if (found->status)
            return fail_as(sim, i, found->status, error);
        if (!perp_island_has_rows(&work->islands, i))
            continue;
        if (work->stage->h > 0 && !store(work, i, to))
            return perp_fail_memory(error);
        is_worst = add_to_report(&sim->report, found, work->stage->h) || is_worst;
        work->stage->held = work->stage->held || found->outcome == PERP_OUTCOME_HELD;
        if (!perp_island_is_answered(found)) {
            work->stage->missed = true;
            work->stage->missed_large =
                work->stage->missed_large || perp_island_divides_step(work, i);
        }
        if (is_missed(work, i))
            return fail_missed(work, found, error);
    }
    if (is_worst && !work->stage->is_aside)
        name_worst(sim, work->stage, &sim->report.certificate, sim->report.worst,
                   sizeof sim->report.worst);
    return PERP_OK;
}

PerpStatus perp_stage_solve(PerpSimulation *sim, const double *v_before, PerpStage *stage,
                            PerpError *error)
{
    PerpStageWork work;
    if (!perp_all_finite((size_t)perp_problem_velocities(&stage->rows.problem),
                         stage->rows.problem.b))
        return perp_fail(error, PERP_BAD_VALUE, "t = %.9g s: a force is not finite", sim->state.t);
    if (!take_solution(sim, v_before, stage) || !take_work(sim, stage, &work))
        return perp_fail_memory(error);
    PerpTiming interrupted = perp_timing_enter(sim, PERP_TIMING_SOLVE);
    int spare = perp_island_caches_spare(&sim->caches);
    sim->report.contacts = stage->rows.problem.n_contacts;
    find_cached(&work);
    solve_all(&work);
    PerpStatus status = gather(&work, spare, error);
    if (stage->h > 0) {
        perp_island_caches_use(&sim->caches, spare);
        sim->caches.cached_scale = 1; // of another round
    }
    perp_timing_enter(sim, interrupted);
    return status;
}
