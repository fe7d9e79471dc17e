// Solves a stage island by island, warm-started and certified. Threads share the islands out; each
// island writes to its own place, and these are read in the order of the islands, so that results
// do not depend on the number of threads.

#include "step/islands/islands.h"
#include "step/islands/warm_start.h"
#include "step/scheme_tools.h"
#include "step/timing.h"

#include "base/error.h"
#include "base/text.h"
#include "base/threads.h"
#include "cones/least_norm.h"
#include "math/dense.h"
#include "math/sparse/block_sparse.h"

#include <math.h>
#include <string.h>

// Of a large island that is solved in substeps if it is missed: not worth their price.
enum { DEAR_CONTACTS = 600 };
static const unsigned DEAR_METHODS = PERP_METHOD_BIT(PERP_METHOD_SLIP_HELD) |
                                     PERP_METHOD_BIT(PERP_METHOD_PROXIMAL) |
                                     PERP_METHOD_BIT(PERP_METHOD_POLYGON);
enum { LEAST_CONTACTS = 8, MOST_CONTACTS = 4000 }; // of islands that may divide the step
enum { MOST_CONTACTS_LOOSE = 2000 };               // likewise at loose tolerances
static const double HELD_GAP = 1e-4; // m: gap error of a step that is worth another slip
// Of a projection, which is measured afterwards and goes on from what is left: contacts from which
// on pivots are not worth their price, nor digits that the next round finds.
enum { LARGE_ASIDE = 100 };
static const double LOOSE = 1e-6; // tolerance

// What came of an island with rows.
typedef struct Found {
    const PerpCachedIsland *cached; // of an earlier step; NULL: none
    uint64_t layout, problem;
    PerpStatus status;
    int contacts;
    PerpOutcome outcome;
    PerpMethod solved_by;
    int pivots;
    int basis_size;
    const signed char *basis; // in the worker's arena, or the cache
    PerpCertificate certificate;
    PerpGap gap;
    PerpHeld held;
} Found;

typedef struct Work {
    PerpSimulation *sim;
    PerpStage *stage;
    PerpIslands islands;
    Found *found; // islands
    int *order;   // islands, in the order in which they are dealt
} Work;

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

static bool has_rows(const PerpIslands *islands, int island)
{
    return islands->row_first[island] < islands->row_first[island + 1];
}

static void find_cached(Work *work)
{
    PerpSimulation *sim = work->sim;
    for (int i = 0; i < work->islands.count; i++) {
        Found *found = &work->found[i];
        found->status = PERP_OK;
        found->cached = NULL;
        if (!has_rows(&work->islands, i) || !(work->stage->h > 0))
            continue;
        found->layout = hash_layout(&work->stage->rows, &work->islands, i);
        found->cached =
            perp_island_cache_find(&sim->caches.cache[sim->caches.in_use], found->layout);
    }
}

// Stores the solution in the cache; false if memory is short.
static bool store(const Work *work, int island, int to)
{
    const PerpIslands *islands = &work->islands;
    const PerpStage *stage = work->stage;
    const PerpProblem *p = islands->whole;
    const Found *found = &work->found[island];
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

// Were all bodies of the island at rest? Where they move, forces or rows have changed.
static bool was_at_rest(const Work *work, int island)
{
    const PerpIslands *islands = &work->islands;
    const int *start = islands->whole->body_start;
    for (int k = islands->body_first[island]; k < islands->body_first[island + 1]; k++)
        for (int i = start[islands->body[k]]; i < start[islands->body[k] + 1]; i++)
            if (work->stage->before[i] != 0)
                return false;
    return true;
}

// On the exact law, or on the one with slip held.
static bool is_answered(const Found *found)
{
    return found->outcome == PERP_OUTCOME_SOLVED || found->outcome == PERP_OUTCOME_HELD;
}

// A large island that is not solved divides the step: with fewer contacts every problem is solved,
// with more a shorter step costs more than it gains.
static bool is_large(const Work *work, int island)
{
    int contacts = work->found[island].contacts;
    int most = work->sim->settings.tolerance < LOOSE ? MOST_CONTACTS : MOST_CONTACTS_LOOSE;
    return contacts >= LEAST_CONTACTS && contacts <= most;
}

// Is it missed, so that shorter substeps take its place?
static bool is_tried_again(const Work *work, int island)
{
    return work->stage->is_tentative && !is_answered(&work->found[island]) &&
           is_large(work, island);
}

// The shortest impulses, if the certificate accepts them. An island that has come to rest is solved
// no more while it rests, so that this happens once.
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
    const double *v = rests ? none : result->v;
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
static bool is_right(const Work *work, int island)
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
static bool is_joined(const Work *work, const PerpProblem *part)
{
    return part->n_joints > 0 && part->n_groups == 0 && !work->stage->shortest &&
           (work->stage->is_aside || work->sim->scheme->facets == PERP_FACETS_CIRCULAR);
}

static PerpStatus solve_joined(const Work *work, PerpWorker *worker, const PerpProblem *part,
                               PerpProblemSettings *settings, PerpProblemResult *result,
                               PerpError *error)
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

// By what a cached solution at rest is multiplied to be tried as it is: 1 where the problem has the
// same numbers; where the length of the step is another, impulses are as much longer. 0: not at
// all.
static double reuse_factor(const Work *work, const Found *found)
{
    double scale = work->sim->caches.cached_scale;
    if (!found->cached || found->cached->problem == 0)
        return 0;
    return found->cached->problem == found->problem ? 1 : scale != 1 ? scale : 0;
}

static PerpStatus solve_problem(const Work *work, PerpWorker *worker, int island,
                                const PerpProblem *part, PerpProblemResult *result,
                                PerpError *error)
{
    Found *found = &work->found[island];
    const PerpSimulation *sim = work->sim;
    const PerpIslandCache *cache = &sim->caches.cache[sim->caches.in_use];
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.tolerance = sim->settings.tolerance;
    settings.minimum_norm = work->stage->shortest;
    settings.judge_contacts = work->stage->residual != NULL;
    settings.methods = sim->settings.methods;
    settings.held_tolerance = sim->settings.held_tolerance;
    settings.held_steps = sim->state.held;
    settings.held_gap_speed = work->stage->h > 0 ? HELD_GAP / work->stage->h : 0;
    settings.interrupt = sim->settings.interrupt;
    settings.interrupt_user = sim->settings.interrupt_user;
    if (work->stage->is_tentative && is_large(work, island) && found->contacts >= DEAR_CONTACTS)
        settings.methods &= ~DEAR_METHODS;
    if (work->stage->left_to_held && settings.held_tolerance > 0)
        settings.methods &= ~PERP_METHOD_BIT(PERP_METHOD_POLYGON);
    if (work->stage->is_aside)
        settings.methods &= ~PERP_METHOD_BIT(PERP_METHOD_PROXIMAL);
    if (work->stage->is_aside && found->contacts >= LARGE_ASIDE) {
        settings.methods &= ~PERP_METHOD_BIT(PERP_METHOD_PIVOTING);
        settings.tolerance = fmax(settings.tolerance, work->stage->aim.tolerance);
    }
    bool at_rest = work->stage->h > 0 && was_at_rest(work, island);
    found->problem = at_rest ? perp_problem_hash(part) : 0;
    double factor = reuse_factor(work, found);
    if (at_rest && factor > 0 && !settings.minimum_norm) {
        bool solved;
        PerpStatus status = perp_island_cache_reuse(cache, found->cached, factor, part, &settings,
                                                    &worker->arena, result, &solved, error);
        if (status || solved)
            return status;
    }
    const PerpReports *last = sim->contacts.in_substep ? &sim->contacts.next : &sim->contacts.last;
    bool enough = true;
    if (found->cached)
        enough = perp_island_cache_start(cache, found->cached, part, sim->caches.cached_scale,
                                         &worker->arena, &settings);
    else if (work->stage->h > 0 && part->group_circular)
        enough = (settings.start = perp_warm_start(&worker->arena, last, sim->caches.impulse_scale,
                                                   &work->stage->rows, &work->islands, island));
    if (!enough)
        return perp_fail_memory(error);
    PerpStatus status = is_joined(work, part)
                            ? solve_joined(work, worker, part, &settings, result, error)
                            : perp_problem_solve(worker->solver, part, &settings, result, error);
    bool shortens = sim->scheme == &perp_scheme_default && !work->stage->is_aside &&
                    (at_rest || (sim->observers.shortest && work->stage->h > 0));
    return status || !shortens ? status : shorten(worker, part, &settings, at_rest, result, error);
}

// The basis lies in the solver's memory, which the next island takes.
static bool take_basis(PerpWorker *worker, const PerpProblemResult *result, Found *found)
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

static PerpStatus solve_island(const Work *work, PerpWorker *worker, int island, PerpError *error)
{
    PerpProblem part;
    PerpProblemResult result;
    PerpSimulation *sim = work->sim;
    PerpStage *stage = work->stage;
    Found *found = &work->found[island];
    if (stage->is_aside && is_right(work, island)) {
        found->outcome = PERP_OUTCOME_SOLVED;
        return PERP_OK;
    }
    if (!perp_islands_extract(&worker->arena, &work->islands, island, &part))
        return perp_fail_memory(error);
    found->contacts = part.n_contacts;
    PerpStatus status = solve_problem(work, worker, island, &part, &result, error);
    if (status)
        return status;
    if (!take_basis(worker, &result, found))
        return perp_fail_memory(error);
    found->outcome = result.outcome;
    if (sim->observers.problem && !stage->is_aside && !is_tried_again(work, island))
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
static PerpStatus solve_free_block(const Work *work, PerpWorker *worker, int island,
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

// --- all of them --------------------------------------------------------------------------------

static bool is_missed(const Work *work, int island)
{
    return work->sim->settings.strict && !work->stage->is_aside &&
           has_rows(&work->islands, island) && !is_answered(&work->found[island]) &&
           !is_tried_again(work, island);
}

// One island by one worker. After a failure the worker leaves out what comes later: the first
// failure is the one that is told.
static void solve_one(void *user, int item, int thread)
{
    const Work *work = user;
    PerpWorker *worker = &work->sim->workers.worker[thread];
    int island = work->order[item];
    PerpError error = {0};
    if (worker->failed >= 0 && worker->failed < island)
        return;
    PerpArenaMark mark = perp_arena_mark(&worker->arena);
    PerpStatus status = has_rows(&work->islands, island)
                            ? solve_island(work, worker, island, &error)
                            : solve_free_block(work, worker, island, &error);
    perp_arena_release(&worker->arena, mark);
    work->found[island].status = status;
    if (status || is_missed(work, island)) {
        worker->failed = island;
        worker->error = error;
    }
}

// Islands that are more than a thread's share are solved one after the other, so that threads may
// work inside of them, the others at the same time. Returns how many are large.
static int deal(Work *work, int threads)
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
static int choose_threads(const Work *work)
{
    enum { WORTHWHILE = 64 }; // rows and islands, of one thread
    const PerpSimulation *sim = work->sim;
    int count = work->islands.count,
        most = 1 + (work->islands.row_first[count] + count) / WORTHWHILE;
    if (sim->observers.problem && !work->stage->is_aside)
        return 1;
    return most < sim->workers.count ? most : sim->workers.count;
}

static void solve_all(Work *work)
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

static bool take_work(PerpSimulation *sim, PerpStage *stage, Work *work)
{
    PerpArena *arena = &sim->arena;
    *work = (Work){.sim = sim, .stage = stage};
    if (!perp_islands_find(arena, &stage->rows.problem, &work->islands))
        return false;
    work->found = PERP_TAKE(arena, Found, work->islands.count);
    work->order = PERP_TAKE(arena, int, work->islands.count);
    return work->found && work->order;
}

// --- what came of them --------------------------------------------------------------------------

static void add_held(PerpStepReport *report, const Found *found, double h)
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
static bool add_to_report(PerpStepReport *report, const Found *found, double h)
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

static PerpStatus fail_missed(const Work *work, const Found *found, PerpError *error)
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

static PerpStatus gather(const Work *work, int to, PerpError *error)
{
    PerpSimulation *sim = work->sim;
    bool is_worst = false;
    for (int i = 0; i < work->islands.count; i++) {
        const Found *found = &work->found[i];
        if (found->status)
            return fail_as(sim, i, found->status, error);
        if (!has_rows(&work->islands, i))
            continue;
        if (work->stage->h > 0 && !store(work, i, to))
            return perp_fail_memory(error);
        is_worst = add_to_report(&sim->report, found, work->stage->h) || is_worst;
        work->stage->held = work->stage->held || found->outcome == PERP_OUTCOME_HELD;
        if (!is_answered(found)) {
            work->stage->missed = true;
            work->stage->missed_large = work->stage->missed_large || is_large(work, i);
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
    Work work;
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
    if (stage->h > 0)
        perp_island_caches_use(&sim->caches, spare);
    perp_timing_enter(sim, interrupted);
    return status;
}
