// Simulations: creation and the step loop around a scheme.

#include "step/custom.h"
#include "step/rigid_system.h"
#include "step/step.h"

#include "base/error.h"
#include "base/threads.h"
#include "solve/position_correction.h"
#include "solve/solver.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const PerpScheme *const schemes[] = {
    &perp_scheme_default,     &perp_scheme_anitescu_potra,  &perp_scheme_trapezoidal_damped,
    &perp_scheme_trapezoidal, &perp_scheme_stewart_trinkle, &perp_scheme_paoli_schatzman,
    &perp_scheme_lotstedt,
};
enum { SCHEMES = sizeof schemes / sizeof *schemes, ROOM = 1 << 16, MOST_THREADS = 1024 };

int perp_scheme_count(void)
{
    return SCHEMES;
}

const char *perp_scheme_name(int scheme)
{
    return scheme >= 0 && scheme < SCHEMES ? schemes[scheme]->name : "?";
}

const char *perp_scheme_text(int scheme)
{
    return scheme >= 0 && scheme < SCHEMES ? schemes[scheme]->text : "?";
}

static const struct {
    const char *name, *text;
} promises[] = {
#define PERP_PROMISE_WORDS(name, word, text) {word, text},
    PERP_BOUND_LIST(PERP_PROMISE_WORDS)
#undef PERP_PROMISE_WORDS
};

const char *perp_bound_name(PerpBoundKind kind)
{
    return (unsigned)kind < PERP_BOUND_COUNT ? promises[kind].name : "?";
}

const char *perp_bound_text(PerpBoundKind kind)
{
    return (unsigned)kind < PERP_BOUND_COUNT ? promises[kind].text : "?";
}

#define PERP_SETTING_WORD(name, word) word,
static const char *const jacobians[] = {PERP_JACOBIAN_LIST(PERP_SETTING_WORD)};
static const char *const stabilisations[] = {PERP_STABILISE_LIST(PERP_SETTING_WORD)};
#undef PERP_SETTING_WORD

const char *perp_jacobian_name(PerpJacobian jacobian)
{
    return (unsigned)jacobian < PERP_JACOBIAN_COUNT ? jacobians[jacobian] : "?";
}

const char *perp_stabilisation_name(PerpStabilisation stabilisation)
{
    return (unsigned)stabilisation < PERP_STABILISE_COUNT ? stabilisations[stabilisation] : "?";
}

PerpSimulationSettings perp_default_simulation_settings(void)
{
    return (PerpSimulationSettings){.scheme = "default",
                                    .step = 1e-3,
                                    .facets = PERP_FACETS_SCHEME,
                                    .tolerance = PERP_TOLERANCE,
                                    .restitution_threshold = 1e-3,
                                    .threads = 1,
                                    .methods = PERP_ALL_METHODS};
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
    if (!(s->restitution_threshold >= 0))
        return perp_fail(error, PERP_BAD_VALUE, "restitution_threshold is %g m/s, not >= 0",
                         s->restitution_threshold);
    if (s->threads < 0 || s->threads > MOST_THREADS)
        return perp_fail(error, PERP_BAD_VALUE, "threads is %d, not in 0 (all) .. %d", s->threads,
                         MOST_THREADS);
    return PERP_OK;
}

static const PerpScheme *find_scheme(const char *name)
{
    for (int i = 0; i < SCHEMES; i++)
        if (strcmp(name, schemes[i]->name) == 0)
            return schemes[i];
    return NULL;
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

static void copy_state(const PerpSimulation *sim, const PerpState *from, PerpState *to)
{
    to->t = from->t;
    to->h = from->h;
    to->halvings = from->halvings;
    memcpy(to->q, from->q, (size_t)sim->n_q * sizeof(double));
    memcpy(to->v, from->v, (size_t)sim->n_v * sizeof(double));
    memcpy(to->turn, from->turn, (size_t)sim->n_turn * sizeof(double));
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
    sim->guarded = perp_guarded_allocator(&sim->context.allocator);
    if (threads > 1)
        context.allocator = sim->guarded;
    sim->workers = perp_allocate(&sim->context.allocator, (size_t)threads, sizeof *sim->workers);
    if (!sim->workers)
        return false;
    for (; sim->n_workers < threads; context.log = (PerpLog){0}) {
        PerpWorker *worker = &sim->workers[sim->n_workers++];
        perp_arena_init(&worker->arena, &context.allocator);
        perp_arena_init(&worker->bases, &context.allocator);
        if (perp_solver_create(&context, &worker->solver) || !reserve(&worker->arena) ||
            !reserve(&worker->solver->arena))
            return false;
        worker->solver->threads = threads; // for an island that is solved alone
    }
    sim->solver = sim->workers[0].solver;
    return true;
}

static void free_workers(PerpSimulation *sim)
{
    for (int k = 0; k < sim->n_workers; k++) {
        perp_solver_destroy(sim->workers[k].solver);
        perp_arena_free(&sim->workers[k].arena);
        perp_arena_free(&sim->workers[k].bases);
    }
    perp_free(&sim->context.allocator, sim->workers);
}

static bool take_memory(PerpSimulation *sim)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    sim->trial = perp_allocate(allocator, (size_t)sim->n_q, sizeof(double));
    sim->external = perp_allocate(allocator, (size_t)sim->n_v, sizeof(double));
    sim->scratch = perp_allocate(allocator, (size_t)sim->n_v, sizeof(double));
    sim->measured.q = perp_allocate(allocator, (size_t)sim->n_q, sizeof(double));
    sim->measured.turn = perp_allocate(allocator, (size_t)sim->n_turn, sizeof(double));
    return sim->trial && sim->external && sim->scratch && sim->measured.q && sim->measured.turn &&
           take_state(sim, &sim->state) && take_state(sim, &sim->before) && take_workers(sim) &&
           reserve(&sim->arena) && reserve(&sim->hit_arena);
}

// A simulation with its settings, not yet of any system.
static PerpStatus create(const PerpContext *context, const PerpSimulationSettings *settings,
                         PerpSimulation **simulation, PerpError *error)
{
    PerpContext used = context ? *context : perp_default_context();
    PerpSimulationSettings set = settings ? *settings : perp_default_simulation_settings();
    const PerpScheme *scheme = find_scheme(set.scheme ? set.scheme : "");
    PerpStatus status = check_settings(&set, error);
    *simulation = NULL;
    if (!status && !scheme)
        status = perp_fail(error, PERP_BAD_VALUE, "there is no scheme \"%s\"", set.scheme);
    if (status)
        return status;
    set.scheme = scheme->name;
    if (set.facets == PERP_FACETS_SCHEME)
        set.facets = scheme->facets;
    PerpSimulation *sim = perp_allocate(&used.allocator, 1, sizeof *sim);
    if (!sim)
        return perp_fail_memory(error);
    *sim = (PerpSimulation){.context = used, .settings = set, .scheme = scheme};
    perp_arena_init(&sim->arena, &sim->context.allocator);
    perp_arena_init(&sim->hit_arena, &sim->context.allocator);
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

PerpStatus perp_simulation_create(const PerpContext *context, const PerpModel *model,
                                  const PerpSimulationSettings *settings,
                                  PerpSimulation **simulation, PerpError *error)
{
    PerpStatus status = create(context, settings, simulation, error);
    PerpSimulation *sim = *simulation;
    if (status)
        return status;
    sim->system = &perp_system_rigid;
    sim->model = model;
    status = perp_rigid_begin(sim, error);
    if (!status && !take_memory(sim))
        status = perp_fail_memory(error);
    if (status)
        return give_up(simulation, status);
    perp_rigid_start(sim);
    sim->start_energy = perp_energy_stored(sim);
    return PERP_OK;
}

PerpStatus perp_simulation_create_custom(const PerpContext *context, const PerpSystemDef *def,
                                         const PerpSimulationSettings *settings,
                                         PerpSimulation **simulation, PerpError *error)
{
    PerpStatus status = create(context, settings, simulation, error);
    PerpSimulation *sim = *simulation;
    if (status)
        return status;
    sim->system = &perp_system_custom;
    status = perp_custom_begin(sim, def, error);
    if (!status && !take_memory(sim))
        status = perp_fail_memory(error);
    if (!status)
        status = perp_custom_start(sim, def, error);
    if (status)
        return give_up(simulation, status);
    sim->start_energy = perp_energy_stored(sim);
    return PERP_OK;
}

void perp_simulation_destroy(PerpSimulation *sim)
{
    if (!sim)
        return;
    PerpAllocator allocator = sim->context.allocator;
    free_state(sim, &sim->state);
    free_state(sim, &sim->before);
    perp_free(&allocator, sim->trial);
    perp_free(&allocator, sim->external);
    perp_free(&allocator, sim->scratch);
    perp_free(&allocator, sim->measured.q);
    perp_free(&allocator, sim->measured.turn);
    for (int i = 0; i < 3; i++)
        perp_kept_free(&allocator, &sim->kept[i]);
    perp_reports_free(&allocator, &sim->reports);
    perp_reports_free(&allocator, &sim->next_reports);
    if (sim->model)
        perp_rigid_end(sim);
    perp_custom_end(sim);
    free_workers(sim);
    perp_arena_free(&sim->arena);
    perp_arena_free(&sim->hit_arena);
    perp_free(&allocator, sim);
}

PerpSimulationSettings perp_simulation_settings(const PerpSimulation *sim)
{
    return sim->settings;
}

// --- stepping -----------------------------------------------------------------------------------

static void begin_step(PerpSimulation *sim)
{
    PerpEnergy energy = sim->report.energy;
    sim->report = (PerpStepReport){.outcome = PERP_OUTCOME_SOLVED, .energy = energy};
    sim->kept_in_use = sim->kept_of_step;
    sim->kept[sim->kept_of_step].next = 0;
    perp_arena_rewind(&sim->hit_arena);
    sim->hits = sim->earlier = NULL;
    sim->in_part = false;
    sim->share = 1;
    perp_correct_joints_anew(sim->solver); // the step depends on nothing that an earlier one left
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    begin_step(sim);
    sim->still.ready = false;
    perp_arena_rewind(&sim->arena);
    if (sim->n_v > 0)
        return sim->scheme->step(sim, h, error);
    sim->state.t += h; // nothing can move
    return PERP_OK;
}

// The reports of the step at hand become those that can be asked for.
static void show_reports(PerpSimulation *sim)
{
    PerpReports shown = sim->reports;
    sim->reports = sim->next_reports;
    sim->next_reports = shown;
    sim->next_reports.n_contacts = sim->next_reports.n_limits = 0;
}

PerpStatus perp_simulation_step(PerpSimulation *sim, double h, PerpError *error)
{
    PerpStepReport report = sim->report;
    double length = h > 0 ? h : sim->settings.step;
    bool rests = false, still = perp_still_is(sim, length);
    copy_state(sim, &sim->state, &sim->before);
    PerpStatus status = PERP_OK;
    if (still) {
        begin_step(sim);
        status = perp_still_step(sim, &rests, error);
    }
    if (!rests && !status)
        status = step(sim, length, error);
    if (status) {
        copy_state(sim, &sim->before, &sim->state);
        sim->still.ready = false;
        sim->report = report;
        return status;
    }
    if (!rests)
        show_reports(sim); // else they are as they were
    sim->kept_of_step = sim->kept_in_use;
    sim->report.t = sim->state.t;
    sim->report.h = sim->state.h = length;
    perp_energy_close(sim);
    return PERP_OK;
}

void perp_step_bound(PerpSimulation *sim, PerpBoundKind kind, double margin)
{
    PerpBound *promise = &sim->report.promise[kind];
    promise->margin = promise->applies ? fmin(promise->margin, margin) : margin;
    promise->applies = true;
}

void perp_step_warn(PerpSimulation *sim, const char *format, ...)
{
    va_list arguments;
    if (sim->report.warnings++ > 0)
        return;
    va_start(arguments, format);
    vsnprintf(sim->report.warning, sizeof sim->report.warning, format, arguments);
    va_end(arguments);
}

double perp_step_slop(const PerpSimulation *sim)
{
    static const double LOOSE = 1e-3, TIGHT = 1e-8; // m for each unit of tolerance above TIGHT
    return LOOSE * fmax(sim->settings.tolerance - TIGHT, 0);
}

void perp_step_go(PerpSimulation *sim, const double *q, double t)
{
    if (sim->system->follow)
        sim->system->follow(sim, sim->state.q, q);
    memcpy(sim->state.q, q, (size_t)sim->n_q * sizeof(double));
    sim->state.t = t;
}

// --- who looks on --------------------------------------------------------------------------------

void perp_simulation_watch(PerpSimulation *sim, PerpProblemCallback callback, void *user)
{
    sim->watch = callback;
    sim->watch_user = user;
}

void perp_simulation_judge_contacts(PerpSimulation *sim, bool judge)
{
    sim->judge_contacts = judge;
}
