// One case of a study: scene, model, simulation, steps, measures, within its limits.
#define _POSIX_C_SOURCE 200809L

#include "base/error.h"
#include "io/text/c_locale.h"
#include "io/text/node.h"
#include "perp/recording.h"
#include "perp/verdict.h"
#include "study/meter.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- limits -------------------------------------------------------------------------------------

// An allocator that counts what is taken; each piece begins with its size.
typedef struct Budget {
    PerpAllocator below;
    double left, limit; // bytes; limit 0: none
    bool is_exceeded;
} Budget;

enum { HEADER = 64 }; // bytes, which keep any alignment

static void *resize_within(void *user, void *memory, size_t bytes)
{
    Budget *budget = user;
    char *old = memory ? (char *)memory - HEADER : NULL;
    size_t before = 0;
    if (old)
        memcpy(&before, old, sizeof before);
    if (budget->limit > 0 && (double)bytes > (double)before + budget->left) {
        budget->is_exceeded = true;
        return NULL;
    }
    if (bytes > SIZE_MAX - HEADER)
        return NULL;
    char *made = budget->below.resize(budget->below.user, old, bytes ? bytes + HEADER : 0);
    if (!made && bytes > 0)
        return NULL;
    budget->left += (double)before - (double)bytes;
    if (!made)
        return NULL;
    memcpy(made, &bytes, sizeof bytes);
    return made + HEADER;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// --- a case under way ---------------------------------------------------------------------------

typedef struct Case {
    const PerpStudy *study;
    PerpCaseResult *result;
    Budget budget;
    PerpContext context;
    double start; // s of CPU time
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
    PerpRecorder *recorder;
    PerpMeter meter;
    PerpSimulationSettings settings;
    double duration;
    PerpParameter set[PERP_STUDY_NAMES + PERP_STUDY_SETS];
    PerpDigits digits[PERP_STUDY_NAMES + PERP_STUDY_SETS];
    int n_set;
} Case;

static bool is_late(void *user)
{
    const Case *run = user;
    return cpu_seconds() - run->start > run->study->info.time_limit;
}

static double option(const Case *run, int index, double otherwise)
{
    const PerpDerived *derived = &run->study->options[index];
    return derived->name ? perp_study_evaluate(&derived->program, run->result->parameters,
                                               run->study->info.n_parameters)
                         : otherwise;
}

static const char *word_of(const Case *run, PerpChoice choice)
{
    return perp_study_choice(run->study, choice, run->result->parameters);
}

static int choice_of(const Case *run, PerpChoice choice, int otherwise)
{
    const char *word = word_of(run, choice);
    return word ? perp_choice_index(choice, word) : otherwise;
}

static bool is_chosen(const Case *run, PerpChoice flag)
{
    return choice_of(run, flag, 0) == 1;
}

// The scene's; a word, or a number, which is no facets if it is none of theirs.
static int choose_facets(const Case *run, int otherwise)
{
    const char *word = word_of(run, PERP_CHOICE_FACETS);
    if (word)
        return perp_choice_index(PERP_CHOICE_FACETS, word) == 0 ? PERP_FACETS_CIRCULAR : atoi(word);
    double facets = option(run, PERP_OPTION_FACETS, otherwise);
    bool is_given = run->study->options[PERP_OPTION_FACETS].name != NULL;
    bool fits = facets >= 4 && facets <= 64 && facets / 2 == floor(facets / 2);
    return !is_given || fits ? (int)facets : INT_MAX;
}

static void choose_settings(Case *run)
{
    const PerpStudy *study = run->study;
    const PerpRunDef *def = perp_scene_run(run->scene);
    PerpSimulationSettings *s = &run->settings;
    *s = perp_default_simulation_settings();
    perp_run_settings(def, s);
    s->scheme = word_of(run, PERP_CHOICE_SCHEME) ? word_of(run, PERP_CHOICE_SCHEME) : s->scheme;
    s->step = option(run, PERP_OPTION_H, s->step);
    s->tolerance = option(run, PERP_OPTION_TOLERANCE, s->tolerance);
    if (run->study->options[PERP_OPTION_TOLERANCE].name)
        s->held_tolerance = s->tolerance;
    s->facets = choose_facets(run, s->facets);
    s->impacts = (PerpImpacts)choice_of(run, PERP_CHOICE_IMPACTS, (int)s->impacts);
    s->stabilise = (PerpStabilisation)choice_of(run, PERP_CHOICE_STABILISE, (int)s->stabilise);
    s->jacobian = (PerpJacobian)choice_of(run, PERP_CHOICE_JACOBIAN, (int)s->jacobian);
    s->overlap = (PerpOverlap)choice_of(run, PERP_CHOICE_OVERLAP, (int)s->overlap);
    s->strict = is_chosen(run, PERP_CHOICE_STRICT);
    if (is_chosen(run, PERP_CHOICE_EXACT))
        s->held_tolerance = 0;
    run->duration = option(run, PERP_OPTION_T, def->duration);
    if (study->info.time_limit > 0) {
        s->interrupt = is_late;
        s->interrupt_user = run;
    }
}

static PerpStatus check_sets(const Case *run, PerpError *error)
{
    const PerpStudy *study = run->study;
    for (int k = 0; k < study->n_sets; k++) {
        const PerpDerived *set = &study->sets[k];
        if (isnan(perp_study_evaluate(&set->program, run->result->parameters,
                                      study->info.n_parameters)))
            return perp_fail_at(error, PERP_BAD_VALUE, study->document.name, set->node->line,
                                set->node->column, "set: %.60s has no finite value here",
                                set->name);
    }
    return PERP_OK;
}

static PerpStatus say_what_is_missing(PerpError *error)
{
    PerpError place = *error;
    return perp_fail_at(error, PERP_NO_FILE, place.file, place.line, place.column,
                        "a file that the scene as it stands does not read, so that the study "
                        "does not have it");
}

static PerpStatus open_scene(Case *run, PerpError *error)
{
    const PerpStudy *study = run->study;
    PerpSceneText texts[PERP_STUDY_FILES];
    int count = 0;
    if (check_sets(run, error))
        return error->status;
    for (int k = 1; k < perp_study_files(study) && count < PERP_STUDY_FILES; k++)
        texts[count++] = perp_study_file(study, k);
    PerpCLocale locale;
    if (!perp_c_locale_enter(&locale))
        return perp_fail_memory(error);
    run->n_set = perp_study_set(study, run->result->parameters, run->set, run->digits);
    perp_c_locale_leave(&locale);
    PerpStatus status = perp_scene_read_texts(&run->context, texts, count, run->set, run->n_set,
                                              &run->scene, error);
    if (status == PERP_NO_FILE) // where the case runs, it may not be there either
        return say_what_is_missing(error);
    if (!status)
        status =
            perp_model_create(&run->context, perp_scene_model_def(run->scene), &run->model, error);
    return status;
}

// At the step if the study gives it, else at the duration, else at the scene's own.
static PerpStatus fail_at_times(const Case *run, PerpError *error)
{
    const PerpStudy *study = run->study;
    const PerpDerived *h = &study->options[PERP_OPTION_H], *t = &study->options[PERP_OPTION_T];
    const PerpNode *node = h->name ? h->node : t->node;
    return perp_fail_at(error, PERP_BAD_VALUE, node ? study->document.name : study->info.scene,
                        node ? node->line : 0, node ? node->column : 0,
                        "a run of %g s in steps of %g s: expected numbers above 0, fewer than 1e15 "
                        "steps",
                        run->duration, run->settings.step);
}

// What the study says of the run, as far as a case can get it wrong.
static PerpStatus check_options(const Case *run, PerpError *error)
{
    const PerpStudy *study = run->study;
    const PerpDerived *tolerance = &study->options[PERP_OPTION_TOLERANCE];
    const PerpDerived *facets = &study->options[PERP_OPTION_FACETS];
    if (tolerance->name && !(run->settings.tolerance > 0))
        return perp_fail_at(error, PERP_BAD_VALUE, study->document.name, tolerance->node->line,
                            tolerance->node->column,
                            "tolerance: expected a number above 0, found %g",
                            run->settings.tolerance);
    if (facets->name && run->settings.facets == INT_MAX)
        return perp_fail_at(error, PERP_BAD_VALUE, study->document.name, facets->node->line,
                            facets->node->column,
                            "facets: expected an even number from 4 to 64, or circular, found %g",
                            option(run, PERP_OPTION_FACETS, 0));
    return PERP_OK;
}

// What the simulation refuses of its settings stands in the study's run, else in the scene's.
static PerpStatus place_at_run(const Case *run, PerpStatus status, PerpError *error)
{
    char message[PERP_MESSAGE_SIZE];
    const PerpStudy *study = run->study;
    const PerpNode *node = perp_node_find(study->document.root, "run");
    snprintf(message, sizeof message, "%s", error->message);
    return perp_fail_at(error, status, node ? study->document.name : study->info.scene,
                        node ? node->line : 0, node ? node->column : 0, "%s", message);
}

static PerpStatus create_simulation(Case *run, PerpError *error)
{
    choose_settings(run);
    PerpStatus status = check_options(run, error);
    if (status)
        return status;
    double steps = fmax(round(run->duration / run->settings.step), 1);
    if (!(run->duration > 0) || !(run->settings.step > 0) || !(steps < 1e15))
        return fail_at_times(run, error);
    run->result->steps = (long)steps;
    status =
        perp_simulation_create(&run->context, run->model, &run->settings, &run->simulation, error);
    return status && error->line == 0 ? place_at_run(run, status, error) : status;
}

static PerpStatus open_recorder(Case *run, const char *path, PerpError *error)
{
    PerpRecorderOptions options = perp_default_recorder_options();
    options.scene = run->scene;
    options.set = run->set;
    options.n_set = run->n_set;
    options.planned = run->result->steps;
    return perp_recorder_create(NULL, path, run->model, run->simulation, &options, &run->recorder,
                                error);
}

static void close_case(Case *run)
{
    perp_simulation_destroy(run->simulation);
    perp_model_destroy(run->model);
    perp_scene_destroy(run->scene);
}

// --- stepping -----------------------------------------------------------------------------------

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// What a failure of the library means for the case.
static void conclude(Case *run, PerpStatus status, PerpCaseOutcome otherwise, PerpError *error)
{
    PerpCaseResult *result = run->result;
    result->outcome = run->budget.is_exceeded      ? PERP_CASE_MEMORY_LIMIT
                      : status == PERP_INTERRUPTED ? PERP_CASE_TIME_LIMIT
                                                   : otherwise;
    if (run->budget.is_exceeded)
        snprintf(result->reason, sizeof result->reason, "more than %g MB of memory",
                 run->budget.limit * 1e-6);
    else if (status == PERP_INTERRUPTED)
        snprintf(result->reason, sizeof result->reason, "more than %g s of CPU time",
                 run->study->info.time_limit);
    else if (error->line > 0) // without folders, which differ from machine to machine
        snprintf(result->reason, sizeof result->reason, "%.60s:%d:%d: %.170s",
                 base_name(error->file), error->line, error->column, error->message);
    else
        snprintf(result->reason, sizeof result->reason, "%.240s", error->message);
}

static PerpStatus record(Case *run, PerpError *error)
{
    return run->recorder ? perp_recorder_append(run->recorder, 0, error) : PERP_OK;
}

// Returns what went wrong with the recording.
static PerpStatus simulate(Case *run, PerpError *error)
{
    PerpCaseResult *result = run->result;
    PerpError fault = {0};
    long planned = result->steps;
    perp_meter_sample(&run->meter, run->simulation);
    PerpStatus written = record(run, error);
    for (result->steps = 0; !written && result->steps < planned; result->steps++) {
        PerpStatus status = perp_simulation_step(run->simulation, 0, &fault);
        if (!status && run->settings.interrupt && is_late(run))
            status = PERP_INTERRUPTED;
        if (status) {
            conclude(run, status, PERP_CASE_FAILED, &fault);
            break;
        }
        double worst = perp_simulation_report(run->simulation)->certificate.worst;
        result->certificate = fmax(result->certificate, worst); // of NaN the other
        perp_meter_sample(&run->meter, run->simulation);
        written = record(run, error);
    }
    result->t = perp_simulation_time(run->simulation);
    PerpVerdict verdict = perp_simulation_verdict(run->simulation);
    for (int k = 0; k < PERP_CHECK_COUNT; k++)
        result->unmet |= verdict.check[k].holds ? 0 : 1u << k;
    if (result->outcome == PERP_CASE_FINISHED)
        perp_meter_finish(&run->meter, run->simulation, verdict.certified, result->measures);
    return written;
}

static PerpStatus run_opened(Case *run, const char *recording, PerpError *error)
{
    PerpError fault = {0};
    PerpStatus status =
        perp_meter_create(run->study, run->model, run->result->parameters, &run->meter, &fault);
    if (status) {
        conclude(run, status, PERP_CASE_REFUSED, &fault);
        return PERP_OK;
    }
    status = recording ? open_recorder(run, recording, error) : PERP_OK;
    if (!status) {
        status = simulate(run, error);
        PerpStatus closed = perp_recorder_close(
            run->recorder, run->result->outcome == PERP_CASE_FINISHED, status ? NULL : error);
        status = status ? status : closed;
    }
    perp_meter_free(&run->meter);
    return status;
}

static void begin_case(const PerpStudy *study, long index, PerpCaseResult *result, Case *run)
{
    *result = (PerpCaseResult){.certificate = NAN};
    for (int k = 0; k < PERP_STUDY_NAMES; k++)
        result->measures[k] = NAN;
    perp_study_case(study, index, result->parameters);
    *run = (Case){.study = study,
                  .result = result,
                  .start = cpu_seconds(),
                  .budget = {.below = study->context.allocator,
                             .limit = study->info.memory_limit,
                             .left = study->info.memory_limit},
                  .context = study->context};
    run->context.allocator = (PerpAllocator){resize_within, &run->budget};
}

PerpStatus perp_study_run(const PerpStudy *study, long index, const char *recording,
                          PerpCaseResult *result, PerpError *error)
{
    PerpError fault = {0};
    Case *run = perp_allocate(&study->context.allocator, 1, sizeof *run);
    if (!run)
        return perp_fail_memory(error);
    begin_case(study, index, result, run);
    PerpStatus status = open_scene(run, &fault);
    if (!status)
        status = create_simulation(run, &fault);
    if (status) {
        conclude(run, status, PERP_CASE_REFUSED, &fault);
        result->steps = 0;
        status = PERP_OK;
    } else
        status = run_opened(run, recording, error);
    close_case(run);
    result->seconds = cpu_seconds() - run->start;
    perp_free(&study->context.allocator, run);
    return status;
}

const char *perp_case_outcome_name(PerpCaseOutcome outcome)
{
    static const char *const names[] = {
#define NAME(name, word) word,
        PERP_CASE_LIST(NAME)
#undef NAME
    };
    return (unsigned)outcome < PERP_CASE_OUTCOME_COUNT ? names[outcome] : "?";
}

// --- before anything is run ---------------------------------------------------------------------

enum { CASES_TRIED = 10 };

// The first case from `from` on, before `to`, that the condition admits; -1: none.
static long find_case(const PerpStudy *study, long from, long to)
{
    double parameters[PERP_STUDY_NAMES];
    for (long index = from; index < to; index++)
        if (perp_study_case(study, index, parameters))
            return index;
    return -1;
}

// Can the case be begun? Then *fault, if there is one, is of the measures.
static bool try_case(const PerpStudy *study, long index, Case *run, PerpError *fault)
{
    PerpCaseResult result;
    begin_case(study, index, &result, run);
    run->budget.limit = 0; // what does not fit is that case's failure
    bool begun = !open_scene(run, fault) && !create_simulation(run, fault);
    if (begun && !perp_meter_create(study, run->model, result.parameters, &run->meter, fault))
        perp_meter_free(&run->meter);
    close_case(run);
    return begun;
}

static PerpStatus fail_empty(const PerpStudy *study, PerpError *error)
{
    const PerpNode *node = perp_node_find(study->document.root, "where");
    return perp_fail_at(error, PERP_BAD_VALUE, study->document.name, node->line, node->column,
                        "where: it holds for none of the %ld cases", study->info.points);
}

// Of cases spread over the study the first that can be begun tells about the measures. If none
// can, the first one's fault is the study's.
PerpStatus perp_study_check(const PerpStudy *study, PerpError *error)
{
    PerpError first = {0};
    long points = study->info.points;
    Case *run = perp_allocate(&study->context.allocator, 1, sizeof *run);
    if (!run)
        return perp_fail_memory(error);
    bool any = false;
    for (int k = 0; k < CASES_TRIED; k++) {
        PerpError fault = {0};
        long index = find_case(study, points * k / CASES_TRIED, points * (k + 1) / CASES_TRIED);
        bool begun = index >= 0 && try_case(study, index, run, &fault);
        any = any || index >= 0;
        if (begun || first.status == PERP_OK)
            first = fault;
        if (begun)
            break;
    }
    perp_free(&study->context.allocator, run);
    if (!any)
        return fail_empty(study, error);
    if (error)
        *error = first;
    return first.status;
}
