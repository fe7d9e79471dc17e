// Solving a stage: island by island, with the bases of the last step's islands, certified.

#include "step/islands.h"
#include "step/step.h"

#include "base/error.h"
#include "math/block_sparse.h"
#include "math/dense.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_ROOM = 4096 }; // so that a scene that gathers contacts asks for memory rarely

// --- bases from step to step --------------------------------------------------------------------

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

// Islands mostly keep their order: look on from where the last one was found, not far.
static PerpKeptBasis find_kept(PerpBasisCache *cache, uint64_t layout)
{
    for (int i = 0; i < cache->count && i < 64; i++) {
        int at = (cache->next + i) % cache->count;
        if (cache->kept[at].layout == layout) {
            cache->next = at + 1;
            return cache->kept[at];
        }
    }
    return (PerpKeptBasis){0};
}

// What was kept of such an island, if its size fits.
static void start_from_kept(PerpBasisCache *cache, uint64_t layout, int rows,
                            PerpProblemSettings *settings)
{
    PerpKeptBasis kept = find_kept(cache, layout);
    if (kept.size > 0 && kept.impulses && kept.size == rows)
        settings->start = cache->impulses + kept.first;
    if (kept.size > 0 && !kept.impulses) {
        settings->basis = cache->basis + kept.first;
        settings->basis_size = kept.size;
    }
}

static bool make_room(const PerpAllocator *allocator, void **memory, int *room, int needed,
                      size_t size)
{
    if (needed <= *room)
        return true;
    int wanted = 2 * needed > LEAST_ROOM ? 2 * needed : LEAST_ROOM;
    void *larger = perp_resize(allocator, *memory, (size_t)wanted, size);
    if (!larger)
        return false;
    *memory = larger;
    *room = wanted;
    return true;
}

// Keeps what was found for the next step; without memory it is just not kept.
static void keep(const PerpAllocator *allocator, PerpBasisCache *cache, uint64_t layout, int rows,
                 const PerpProblemResult *result)
{
    void *kept = cache->kept, *basis = cache->basis, *impulses = cache->impulses;
    int bases = result->basis ? result->lcp_size : 0, numbers = result->basis ? 0 : rows;
    bool room =
        make_room(allocator, &kept, &cache->kept_room, cache->count + 1, sizeof(PerpKeptBasis)) &&
        make_room(allocator, &basis, &cache->basis_room, cache->used + bases, 1) &&
        make_room(allocator, &impulses, &cache->impulse_room, cache->impulses_used + numbers,
                  sizeof(double));
    cache->kept = kept;
    cache->basis = basis;
    cache->impulses = impulses;
    if (!room || result->outcome != PERP_LCP_SOLVED || bases + numbers == 0)
        return;
    cache->kept[cache->count++] =
        result->basis ? (PerpKeptBasis){layout, cache->used, bases, false}
                      : (PerpKeptBasis){layout, cache->impulses_used, numbers, true};
    if (result->basis)
        memcpy(cache->basis + cache->used, result->basis, (size_t)bases);
    else
        memcpy(cache->impulses + cache->impulses_used, result->c, (size_t)numbers * sizeof(double));
    cache->used += bases;
    cache->impulses_used += numbers;
}

// --- one island ---------------------------------------------------------------------------------

// Copies the island's solution to its places in the stage's.
static void spread(const PerpIslands *islands, int island, const PerpProblem *part,
                   const PerpProblemResult *result, PerpStage *stage)
{
    const PerpProblem *p = islands->whole;
    for (int k = 0; k < part->n_bodies; k++) {
        int body = islands->body[islands->body_first[island] + k];
        int size = part->body_start[k + 1] - part->body_start[k];
        memcpy(stage->v + p->body_start[body], result->v + part->body_start[k],
               (size_t)size * sizeof(double));
    }
    for (int k = 0; k < perp_problem_rows(part); k++)
        stage->c[islands->row[islands->row_first[island] + k]] = result->c[k];
    for (int g = 0; g < part->n_groups; g++)
        stage->lambda[islands->group[islands->group_first[island] + g]] = result->lambda[g];
}

// The residuals of the island's contacts, at their places in the stage's.
static void spread_residuals(const PerpIslands *islands, int island, const PerpProblem *part,
                             const PerpProblemResult *result, PerpStage *stage)
{
    const PerpProblem *p = islands->whole;
    const int *row = islands->row + islands->row_first[island] + part->n_joints + part->n_boxes;
    for (int k = 0; k < part->n_contacts; k++)
        stage->residual[row[k] - p->n_joints - p->n_boxes] = result->of_contact[k];
}

// The island's certificate speaks of its own bodies and rows: their numbers in the whole problem.
static void renumber(const PerpIslands *islands, int island, const PerpProblem *part,
                     PerpCertificate *certificate)
{
    const PerpProblem *p = islands->whole;
    const int *row = islands->row + islands->row_first[island];
    const struct {
        PerpResidual from, to;
        int first, whole_first; // of the class, within the island's rows and the whole's
    } classes[] = {
        {PERP_RESIDUAL_JOINT, PERP_RESIDUAL_JOINT, 0, 0},
        {PERP_RESIDUAL_BOX_RANGE, PERP_RESIDUAL_BOX_SIGN, part->n_joints, p->n_joints},
        {PERP_RESIDUAL_APPROACH, PERP_RESIDUAL_CONTACT_GAP, part->n_joints + part->n_boxes,
         p->n_joints + p->n_boxes},
        {PERP_RESIDUAL_SLIP, PERP_RESIDUAL_SLIP_GAP,
         part->n_joints + part->n_boxes + part->n_contacts,
         p->n_joints + p->n_boxes + p->n_contacts},
    };
    int *at = certificate->residual_row;
    if (at[PERP_RESIDUAL_MOMENTUM] >= 0)
        at[PERP_RESIDUAL_MOMENTUM] =
            islands->body[islands->body_first[island] + at[PERP_RESIDUAL_MOMENTUM]];
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
        for (int kind = (int)classes[c].from; kind <= (int)classes[c].to; kind++)
            if (at[kind] >= 0)
                at[kind] = row[classes[c].first + at[kind]] - classes[c].whole_first;
    for (int kind = PERP_RESIDUAL_CONE; kind <= PERP_RESIDUAL_DISSIPATION; kind++)
        if (at[kind] >= 0)
            at[kind] = islands->group[islands->group_first[island] + at[kind]];
}

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
    int length = snprintf(text, size, "%s ", perp_residual_name(worst));
    if (worst == PERP_RESIDUAL_MOMENTUM && stage->rows.named_block)
        row = stage->rows.named_block[row];
    sim->system->name(sim, &stage->rows, worst, row, contact_of(p, worst, row), text + length,
                      size - (size_t)length);
}

static void add_to_report(PerpSimulation *sim, const PerpStage *stage,
                          const PerpProblemResult *result)
{
    PerpStepReport *report = &sim->report;
    report->problems++;
    report->pivots += result->pivots;
    if (result->outcome != PERP_LCP_SOLVED)
        report->outcome = result->outcome;
    if (report->problems > 1 && result->certificate.worst <= report->certificate.worst)
        return;
    report->certificate = result->certificate;
    report->rung = result->rung;
    name_worst(sim, stage, &result->certificate, report->worst, sizeof report->worst);
}

static PerpStatus check_strictly(const PerpSimulation *sim, const PerpStage *stage,
                                 const PerpProblemResult *result, PerpError *error)
{
    char where[PERP_NAME_SIZE];
    if (!sim->settings.strict || result->outcome == PERP_LCP_SOLVED)
        return PERP_OK;
    name_worst(sim, stage, &result->certificate, where, sizeof where);
    return perp_fail(error, PERP_NOT_SOLVED, "t = %.9g s: certificate %.1e, worst: %s",
                     sim->state.t, result->certificate.worst, where);
}

static PerpStatus solve_island(PerpSimulation *sim, PerpIslands *islands, int island, int to,
                               PerpStage *stage, PerpError *error)
{
    PerpProblem part;
    PerpProblemResult result;
    PerpProblemSettings settings = perp_default_problem_settings();
    uint64_t layout = hash_layout(&stage->rows, islands, island);
    if (!perp_islands_cut(&sim->arena, islands, island, &part))
        return perp_fail_memory(error);
    settings.tolerance = sim->settings.tolerance;
    settings.minimum_norm = stage->shortest;
    settings.judge_contacts = stage->residual != NULL;
    if (stage->h > 0)
        start_from_kept(&sim->bases[sim->bases_in_use], layout, perp_problem_rows(&part),
                        &settings);
    PerpStatus status = perp_problem_solve(sim->solver, &part, &settings, &result, error);
    if (status)
        return status;
    if (stage->h > 0)
        keep(&sim->context.allocator, &sim->bases[to], layout, perp_problem_rows(&part), &result);
    if (sim->watch && !stage->is_aside)
        sim->watch(sim->watch_user, &(PerpSolvedProblem){sim->state.t, &part, &result});
    spread(islands, island, &part, &result, stage);
    if (stage->residual)
        spread_residuals(islands, island, &part, &result, stage);
    renumber(islands, island, &part, &result.certificate);
    add_to_report(sim, stage, &result);
    return check_strictly(sim, stage, &result, error);
}

// --- all of them --------------------------------------------------------------------------------

static bool take_solution(PerpSimulation *sim, const double *v_before, PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    int n_v = perp_problem_velocities(p);
    stage->before = PERP_TAKE(&sim->arena, double, n_v);
    stage->v = PERP_TAKE(&sim->arena, double, n_v);
    stage->c = PERP_TAKE(&sim->arena, double, perp_problem_rows(p));
    stage->lambda = PERP_TAKE(&sim->arena, double, p->n_groups);
    bool judged = sim->judge_contacts && !stage->is_aside;
    stage->residual = judged ? PERP_TAKE(&sim->arena, double, p->n_contacts) : NULL;
    if (!stage->before || !stage->v || !stage->c || !stage->lambda || judged != !!stage->residual)
        return false;
    memcpy(stage->before, v_before, (size_t)n_v * sizeof(double));
    return true;
}

// Mt v = b for a block that no row touches.
static PerpStatus solve_free_block(PerpSimulation *sim, const PerpIslands *islands, int island,
                                   PerpStage *stage, PerpError *error)
{
    const PerpProblem *p = &stage->rows.problem;
    int block = islands->body[islands->body_first[island]];
    int first = p->body_start[block], n = p->body_start[block + 1] - first;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *LU = PERP_TAKE(&sim->arena, double, n *n);
    int *pivot = PERP_TAKE(&sim->arena, int, n);
    if (!LU || !pivot)
        return perp_fail_memory(error);
    PerpBlockDiagonal F = {1, (const int[]){0, n}, (const int[]){0, n * n}, LU, pivot};
    memcpy(stage->v + first, p->b + first, (size_t)n * sizeof(double));
    bool singular = perp_block_diagonal_factor(&F, p->Mt + stage->rows.mass_start[block]) >= 0;
    if (!singular)
        perp_block_diagonal_solve(&F, stage->v + first);
    perp_arena_release(&sim->arena, mark);
    return singular ? perp_fail(error, PERP_BAD_VALUE, "t = %.9g s: the mass matrix is singular",
                                sim->state.t)
                    : PERP_OK;
}

// A cache to fill that is neither the last step's, which must survive a failure, nor the one in
// use.
static int begin_bases(PerpSimulation *sim)
{
    int to = 0;
    while (to == sim->bases_of_step || to == sim->bases_in_use)
        to++;
    sim->bases[to].count = sim->bases[to].used = sim->bases[to].next = 0;
    sim->bases[to].impulses_used = 0;
    return to;
}

PerpStatus perp_stage_solve(PerpSimulation *sim, const double *v_before, PerpStage *stage,
                            PerpError *error)
{
    PerpIslands islands;
    PerpStatus status = PERP_OK;
    if (!perp_all_finite(perp_problem_velocities(&stage->rows.problem), stage->rows.problem.b))
        return perp_fail(error, PERP_BAD_VALUE, "t = %.9g s: a force is not finite", sim->state.t);
    if (!take_solution(sim, v_before, stage) ||
        !perp_islands_find(&sim->arena, &stage->rows.problem, &islands))
        return perp_fail_memory(error);
    int to = begin_bases(sim);
    sim->report.contacts = stage->rows.problem.n_contacts;
    for (int i = 0; i < islands.count && !status; i++)
        status = islands.row_first[i] < islands.row_first[i + 1]
                     ? solve_island(sim, &islands, i, to, stage, error)
                     : solve_free_block(sim, &islands, i, stage, error);
    if (stage->h > 0) {
        sim->bases_in_use = to;
        sim->bases[to].next = 0;
    }
    return status;
}
