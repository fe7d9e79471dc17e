// Simulations: settings, creation and destruction, observers.

#include "step/control/controls.h"
#include "step/report/verdict.h"
#include "step/scheme_tools.h"
#include "step/start.h"
#include "step/systems/custom.h"
#include "step/systems/rigid_system.h"

#include "base/error.h"
#include "base/sized.h"
#include "base/threads.h"
#include "solve/solver.h"

#include <math.h>
#include <string.h>

enum { ROOM = 1 << 16, MOST_THREADS = 1024 };

#define PERP_SETTING_WORD(name, word) word,
static const char *const jacobians[] = {PERP_JACOBIAN_LIST(PERP_SETTING_WORD)};
static const char *const data_places[] = {PERP_DATA_LIST(PERP_SETTING_WORD)};
static const char *const stabilisations[] = {PERP_STABILISE_LIST(PERP_SETTING_WORD)};
static const char *const impacts_words[] = {PERP_IMPACTS_LIST(PERP_SETTING_WORD)};
static const char *const overlap_words[] = {PERP_OVERLAP_LIST(PERP_SETTING_WORD)};
#undef PERP_SETTING_WORD

const char *perp_impacts_name(PerpImpacts impacts)
{
    return (unsigned)impacts < PERP_IMPACTS_COUNT ? impacts_words[impacts] : "?";
}

const char *perp_overlap_name(PerpOverlap overlap)
{
    return (unsigned)overlap < PERP_OVERLAP_COUNT ? overlap_words[overlap] : "?";
}

const char *perp_data_name(PerpData data)
{
    return (unsigned)data < PERP_DATA_COUNT ? data_places[data] : "?";
}

const char *perp_jacobian_name(PerpJacobian jacobian)
{
    return (unsigned)jacobian < PERP_JACOBIAN_COUNT ? jacobians[jacobian] : "?";
}

const char *perp_stabilisation_name(PerpStabilisation stabilisation)
{
    return (unsigned)stabilisation < PERP_STABILISE_COUNT ? stabilisations[stabilisation] : "?";
}

void perp_fill_simulation_settings(PerpSimulationSettings *made, size_t size)
{
    const PerpSimulationSettings defaults = {.scheme = "default",
                                             .step = 1e-3,
                                             .facets = PERP_FACETS_SCHEME,
                                             .tolerance = PERP_TOLERANCE,
                                             .held_tolerance = -1,
                                             .restitution_threshold = 1e-3,
                                             .threads = 1,
                                             .methods = PERP_ALL_METHODS,
                                             .first_step = -1};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

// --- creation -----------------------------------------------------------------------------------

static PerpStatus check_settings(const PerpSimulationSettings *s, PerpError *error)
{
    if (!(isfinite(s->step) && s->step > 0))
        return perp_fail(error, PERP_BAD_VALUE, "the step is %g s, not > 0", s->step);
    if (s->facets != PERP_FACETS_SCHEME && s->facets != PERP_FACETS_CIRCULAR &&
        (s->facets < 4 || s->facets > 64 || s->facets % 2))
        return perp_fail(error, PERP_BAD_VALUE,
                         "facets is %d, neither -1 (the scheme's) nor 0 (circular) nor an even "
                         "number in 4 .. 64",
                         s->facets);
    if (!(s->tolerance > 0))
        return perp_fail(error, PERP_BAD_VALUE, "the tolerance is %g, not > 0", s->tolerance);
    if (isnan(s->first_step) || isinf(s->first_step))
        return perp_fail(error, PERP_BAD_VALUE, "first_step is not a finite number");
    if ((unsigned)s->data >= PERP_DATA_COUNT)
        return perp_fail(error, PERP_BAD_VALUE, "data is %d, out of its range", (int)s->data);
    if (isnan(s->held_tolerance))
        return perp_fail(error, PERP_BAD_VALUE, "held_tolerance is not a number");
    if (!(s->restitution_threshold >= 0))
        return perp_fail(error, PERP_BAD_VALUE, "restitution_threshold is %g m/s, not >= 0",
                         s->restitution_threshold);
    if (s->threads < 0 || s->threads > MOST_THREADS)
        return perp_fail(error, PERP_BAD_VALUE, "threads is %d, not in 0 (all) .. %d", s->threads,
                         MOST_THREADS);
    if ((unsigned)s->impacts >= PERP_IMPACTS_COUNT || (unsigned)s->overlap >= PERP_OVERLAP_COUNT)
        return perp_fail(error, PERP_BAD_VALUE, "impacts or overlap is not of its list");
    return PERP_OK;
}

static bool take_state(const PerpSimulation *sim, PerpState *state)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    state->q = perp_allocate(allocator, (size_t)sim->n_q, sizeof(double));
    state->v = perp_allocate(allocator, (size_t)sim->n_v, sizeof(double));
    state->turn = perp_allocate(allocator, (size_t)sim->n_turn, sizeof(double));
    return state->q && state->v && state->turn;
}

static void free_state(const PerpSimulation *sim, PerpState *state)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    perp_free(allocator, state->q);
    perp_free(allocator, state->v);
    perp_free(allocator, state->turn);
}

// Room ahead, which is all that small scenes ever need.
static bool reserve(PerpArena *arena)
{
    bool taken = perp_arena_take(arena, ROOM, 1) != NULL;
    perp_arena_rewind(arena);
    return taken;
}

// One a thread; the log is the first one's, whose lines come in order.
static bool take_workers(PerpSimulation *sim)
{
    int threads = sim->settings.threads > 0 ? sim->settings.threads : perp_threads_available();
    PerpContext context = sim->context;
    sim->workers.guarded = perp_guarded_allocator(&sim->context.allocator);
    if (threads > 1)
        context.allocator = sim->workers.guarded;
    sim->workers.worker =
        perp_allocate(&sim->context.allocator, (size_t)threads, sizeof *sim->workers.worker);
    if (!sim->workers.worker)
        return false;
    for (; sim->workers.count < threads; context.log = (PerpLog){0}) {
        PerpWorker *worker = &sim->workers.worker[sim->workers.count++];
        perp_arena_init(&worker->arena, &context.allocator);
        perp_arena_init(&worker->bases, &context.allocator);
        if (perp_solver_create(&context, &worker->solver) || !reserve(&worker->arena) ||
            !reserve(&worker->solver->arena))
            return false;
        worker->solver->threads = threads; // for an island that is solved alone
    }
    sim->workers.solver = sim->workers.worker[0].solver;
    return true;
}

static void free_workers(PerpSimulation *sim)
{
    for (int k = 0; k < sim->workers.count; k++) {
        perp_solver_destroy(sim->workers.worker[k].solver);
        perp_arena_free(&sim->workers.worker[k].arena);
        perp_arena_free(&sim->workers.worker[k].bases);
    }
    perp_free(&sim->context.allocator, sim->workers.worker);
}

static bool take_memory(PerpSimulation *sim)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    sim->scratch.q = perp_allocate(allocator, (size_t)sim->n_q, sizeof(double));
    sim->ledger.external = perp_allocate(allocator, (size_t)sim->n_v, sizeof(double));
    sim->scratch.v = perp_allocate(allocator, (size_t)sim->n_v, sizeof(double));
    sim->errors.q = perp_allocate(allocator, (size_t)sim->n_q, sizeof(double));
    sim->errors.turn = perp_allocate(allocator, (size_t)sim->n_turn, sizeof(double));
    return sim->scratch.q && sim->ledger.external && sim->scratch.v && sim->errors.q &&
           sim->errors.turn && take_state(sim, &sim->state) && take_state(sim, &sim->before) &&
           take_workers(sim) && reserve(&sim->arena) && reserve(&sim->contacts.arena);
}

// A simulation with its settings, not yet of any system.
static PerpStatus create(const PerpContext *context, const PerpSimulationSettings *settings,
                         PerpSimulation **simulation, PerpError *error)
{
    PerpContext used = context ? *context : perp_default_context();
    PerpSimulationSettings set = perp_default_simulation_settings();
    PerpStatus status =
        perp_read_sized(&set, sizeof set, settings, "perp_default_simulation_settings", error);
    const PerpScheme *scheme = perp_scheme_find(set.scheme ? set.scheme : "");
    *simulation = NULL;
    if (!status)
        status = check_settings(&set, error);
    if (!status && !scheme)
        status = perp_fail(error, PERP_BAD_VALUE, "there is no scheme \"%s\"", set.scheme);
    if (status)
        return status;
    set.scheme = scheme->name;
    if (set.facets == PERP_FACETS_SCHEME)
        set.facets = scheme->facets;
    if (set.held_tolerance < 0)
        set.held_tolerance = set.tolerance == PERP_TOLERANCE ? PERP_HELD_TOLERANCE : set.tolerance;
    PerpSimulation *sim = perp_allocate(&used.allocator, 1, sizeof *sim);
    if (!sim)
        return perp_fail_memory(error);
    *sim =
        (PerpSimulation){.context = used, .settings = set, .scheme = scheme, .report.substeps = 1};
    perp_arena_init(&sim->arena, &sim->context.allocator);
    perp_arena_init(&sim->contacts.arena, &sim->context.allocator);
    *simulation = sim;
    return PERP_OK;
}

// Ends a creation that failed; status as it was.
static PerpStatus give_up(PerpSimulation **simulation, PerpStatus status)
{
    perp_simulation_destroy(*simulation);
    *simulation = NULL;
    return status;
}

static PerpStatus check_compliance(const PerpSimulation *sim, PerpError *error)
{
    const char *what = sim->has_soft ? "soft contacts or limits" : "armatures";
    if (!(sim->has_soft || sim->has_armature) || sim->scheme->takes_soft)
        return PERP_OK;
    return perp_fail(error, PERP_NOT_SUPPORTED,
                     "the scheme \"%s\" has no rows with compliance, which %s are: take "
                     "\"default\" or \"trapezoidal-damped\"",
                     sim->scheme->name, what);
}

// The state is there: is it one to begin with, and what does the run begin with?
static PerpStatus begin_run(PerpSimulation *sim, PerpError *error)
{
    PerpStatus status = perp_start_check(sim, error);
    sim->ledger.start = perp_energy_stored(sim);
    return status ? status : perp_verdict_begin(sim, error);
}

PerpStatus perp_simulation_create(const PerpContext *context, const PerpModel *model,
                                  const PerpSimulationSettings *settings,
                                  PerpSimulation **simulation, PerpError *error)
{
    PerpStatus status = create(context, settings, simulation, error);
    PerpSimulation *sim = *simulation;
    if (status)
        return status;
    sim->system = &perp_system_rigid;
    status = perp_presence_begin(sim, model, error);
    if (!status)
        status = perp_rigid_begin(sim, error);
    if (!status && !take_memory(sim))
        status = perp_fail_memory(error);
    if (status)
        return give_up(simulation, status);
    perp_rigid_start(sim);
    status = perp_keyframe_apply(sim, model->control.keyframe, error);
    if (!status)
        status = check_compliance(sim, error);
    if (!status)
        status = begin_run(sim, error);
    return status ? give_up(simulation, status) : PERP_OK;
}

PerpStatus perp_simulation_create_custom(const PerpContext *context, const PerpSystemDef *def,
                                         const PerpSimulationSettings *settings,
                                         PerpSimulation **simulation, PerpError *error)
{
    PerpSystemDef used = perp_default_system();
    PerpStatus status = create(context, settings, simulation, error);
    PerpSimulation *sim = *simulation;
    if (status)
        return status;
    sim->system = &perp_system_custom;
    status = perp_read_sized(&used, sizeof used, def, "perp_default_system", error);
    if (!status)
        status = perp_custom_begin(sim, &used, error);
    if (!status && !take_memory(sim))
        status = perp_fail_memory(error);
    if (!status)
        status = perp_custom_start(sim, &used, error);
    if (!status)
        status = begin_run(sim, error);
    return status ? give_up(simulation, status) : PERP_OK;
}

void perp_simulation_destroy(PerpSimulation *sim)
{
    if (!sim)
        return;
    PerpAllocator allocator = sim->context.allocator;
    free_state(sim, &sim->state);
    free_state(sim, &sim->before);
    perp_free(&allocator, sim->scratch.q);
    perp_free(&allocator, sim->ledger.external);
    perp_free(&allocator, sim->scratch.v);
    perp_free(&allocator, sim->errors.q);
    perp_free(&allocator, sim->errors.turn);
    perp_free(&allocator, sim->journal.numbers);
    perp_island_caches_free(&allocator, &sim->caches);
    perp_reports_free(&allocator, &sim->contacts.last);
    perp_reports_free(&allocator, &sim->contacts.next);
    if (sim->bodies.model)
        perp_rigid_end(sim);
    perp_custom_end(sim);
    free_workers(sim);
    perp_arena_free(&sim->arena);
    perp_arena_free(&sim->contacts.arena);
    perp_free(&allocator, sim);
}

void perp_simulation_copy_settings(const PerpSimulation *sim, PerpSimulationSettings *settings,
                                   size_t size)
{
    perp_fill_sized(settings, size, &sim->settings, sizeof sim->settings);
}

// --- observers ----------------------------------------------------------------------------------

void perp_simulation_watch(PerpSimulation *sim, PerpProblemCallback callback, void *user)
{
    sim->observers.problem = callback;
    sim->observers.user = user;
}

void perp_simulation_time_stages(PerpSimulation *sim, bool measure)
{
    sim->timings = (PerpTimings){.on = measure};
}

double perp_simulation_stage_time(const PerpSimulation *sim, PerpTiming stage)
{
    return (unsigned)stage < PERP_TIMING_COUNT ? sim->timings.seconds[stage] : 0;
}

const char *perp_timing_name(PerpTiming stage)
{
    static const char *const names[] = {
#define TIMING_NAME(name, word, text) word,
        PERP_TIMING_LIST(TIMING_NAME)
#undef TIMING_NAME
    };
    return (unsigned)stage < PERP_TIMING_COUNT ? names[stage] : "?";
}

void perp_simulation_shortest_forces(PerpSimulation *sim, bool shortest)
{
    sim->observers.shortest = shortest;
}

void perp_simulation_judge_contacts(PerpSimulation *sim, bool judge)
{
    sim->observers.judge_contacts = judge;
}
