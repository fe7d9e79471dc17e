// Problems in a recording: each as a list of whole numbers and a list of doubles, in the order of
// the functions below. Those that are answered with slip held have more at the end: the slip speeds
// and what PerpHeld says. The compliances of the rows, if there are any, stand last.
#include "io/recording/recording.h"

#include "base/error.h"
#include "io/recording/recorder.h"

#include <float.h>
#include <string.h>

enum {
    COUNTS = 6,
    HELD = 3, // numbers of PerpHeld
    LARGEST = 1 << 28
};

// How long the arrays of a problem are.
typedef struct Sizes {
    int64_t bodies, rows, boxes, groups, velocities, entries;
    int64_t masses, values; // numbers of Mt and J
} Sizes;

// --- writing ------------------------------------------------------------------------------------

static Sizes measure(const PerpProblem *p)
{
    Sizes s = {.bodies = p->n_bodies,
               .rows = perp_problem_rows(p),
               .boxes = p->n_boxes,
               .groups = p->n_groups,
               .velocities = perp_problem_velocities(p)};
    s.entries = s.rows > 0 ? p->row_start[s.rows] : 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int64_t size = p->body_start[k + 1] - p->body_start[k];
        s.masses += size * size;
    }
    for (int64_t e = 0; e < s.entries; e++)
        s.values += p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
    return s;
}

static size_t count_ints(const Sizes *s)
{
    return (size_t)(COUNTS + s->bodies + 1 + s->rows + 1 + s->entries + 3 * s->groups + 1);
}

static size_t count_doubles(const Sizes *s, bool held, bool compliant)
{
    int64_t more = (held ? s->groups + HELD : 0) + (compliant ? s->rows : 0);
    return (size_t)(s->masses + 2 * s->velocities + s->values + 2 * s->rows + 2 * s->boxes +
                    3 * s->groups + more);
}

static bool is_held(const PerpProblemResult *r)
{
    return r->outcome == PERP_OUTCOME_HELD && r->slip_held;
}

static void put_ints(int32_t **to, const int *from, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        *(*to)++ = from[k];
}

static void put_doubles(double **to, const double *from, int64_t count)
{
    if (count > 0)
        memcpy(*to, from, (size_t)count * sizeof **to);
    *to += count;
}

static void pack(const PerpProblem *p, const PerpProblemResult *r, const Sizes *s, int32_t *ints,
                 double *doubles)
{
    const int counts[COUNTS] = {p->n_bodies,   p->n_joints,     p->n_boxes,
                                p->n_contacts, p->n_directions, p->n_groups};
    const int zero = 0;
    put_ints(&ints, counts, COUNTS);
    put_ints(&ints, s->bodies > 0 ? p->body_start : &zero, s->bodies + 1);
    put_ints(&ints, s->rows > 0 ? p->row_start : &zero, s->rows + 1);
    put_ints(&ints, p->entry_body, s->entries);
    put_ints(&ints, p->group_contact, s->groups);
    put_ints(&ints, s->groups > 0 ? p->group_start : &zero, s->groups + 1);
    for (int64_t g = 0; g < s->groups; g++)
        *ints++ = p->group_circular && p->group_circular[g];
    put_doubles(&doubles, p->Mt, s->masses);
    put_doubles(&doubles, p->b, s->velocities);
    put_doubles(&doubles, p->J, s->values);
    put_doubles(&doubles, p->d, s->rows);
    put_doubles(&doubles, p->lo, s->boxes);
    put_doubles(&doubles, p->hi, s->boxes);
    put_doubles(&doubles, p->mu, s->groups);
    put_doubles(&doubles, p->cohesion, s->groups);
    put_doubles(&doubles, r->v, s->velocities);
    put_doubles(&doubles, r->c, s->rows);
    put_doubles(&doubles, r->lambda, s->groups);
    if (is_held(r)) {
        const double held[HELD] = {r->held.residual, r->held.gap_speed, r->held.contacts};
        put_doubles(&doubles, r->slip_held, s->groups);
        put_doubles(&doubles, held, HELD);
    }
    put_doubles(&doubles, p->compliance, p->compliance ? s->rows : 0);
}

// The worst so far, of the exact law and of that with slip held each.
static bool is_wanted(PerpRecorder *recorder, const PerpProblemResult *result)
{
    bool held = is_held(result);
    double residual = held ? result->held.residual : result->certificate.worst;
    double *worst = held ? &recorder->worst_held : &recorder->worst_problem;
    if (recorder->problems != PERP_PROBLEMS_WORST)
        return (recorder->step + 1) % recorder->problems_every == 0;
    if (!(residual > *worst))
        return false;
    *worst = residual;
    return true;
}

static bool add_problem(PerpRecorder *recorder, const PerpSolvedProblem *solved)
{
    PerpColumn *wide = recorder->wide;
    Sizes sizes = measure(solved->problem);
    int32_t *ints = perp_column_add(&wide[PERP_WIDE_INTS], count_ints(&sizes));
    double *doubles =
        perp_column_add(&wide[PERP_WIDE_DOUBLES], count_doubles(&sizes, is_held(solved->result),
                                                                solved->problem->compliance));
    int64_t *step = perp_column_add(&wide[PERP_WIDE_PROBLEM_STEP], 1);
    int64_t *ints_end = perp_column_add(&wide[PERP_WIDE_PROBLEM_INTS], 1);
    int64_t *doubles_end = perp_column_add(&wide[PERP_WIDE_PROBLEM_DOUBLES], 1);
    double *t = perp_column_add(&wide[PERP_WIDE_PROBLEM_TIME], 1);
    double *residual = perp_column_add(&wide[PERP_WIDE_PROBLEM_RESIDUAL], 1);
    uint8_t *outcome = perp_column_add(&wide[PERP_WIDE_PROBLEM_OUTCOME], 1);
    uint8_t *method = perp_column_add(&wide[PERP_WIDE_PROBLEM_METHOD], 1);
    if (!ints || !doubles || !step || !ints_end || !doubles_end || !t || !residual || !outcome ||
        !method)
        return false;
    pack(solved->problem, solved->result, &sizes, ints, doubles);
    *step = recorder->step + 1;
    *ints_end = (int64_t)perp_column_rows(&wide[PERP_WIDE_INTS]);
    *doubles_end = (int64_t)perp_column_rows(&wide[PERP_WIDE_DOUBLES]);
    *t = solved->t;
    memcpy(residual, solved->result->certificate.residual,
           sizeof solved->result->certificate.residual);
    *outcome = (uint8_t)solved->result->outcome;
    *method = (uint8_t)solved->result->solved_by;
    return true;
}

void perp_recorder_add_problem(void *user, const PerpSolvedProblem *solved)
{
    PerpRecorder *recorder = user;
    if (is_wanted(recorder, solved->result) && !add_problem(recorder, solved))
        recorder->has_lost = true;
}

// --- reading ------------------------------------------------------------------------------------

long perp_recording_problems(const PerpRecording *recording)
{
    return recording->n_problems;
}

static const char SAYING[] = "a problem that does not fit together";

// Where the numbers of a problem begin and how many there are.
static PerpStatus find_range(const PerpRecording *recording, PerpWide ends, PerpWide numbers,
                             long index, int64_t *first, size_t *count, PerpError *error)
{
    const PerpReadColumn *column = &recording->wide[ends];
    int64_t end = 0;
    *first = 0;
    PerpStatus status = perp_recording_rows(recording, column, index, 1, &end, error);
    if (!status && index > 0)
        status = perp_recording_rows(recording, column, index - 1, 1, first, error);
    if (!status && (*first < 0 || end < *first || end > recording->wide[numbers].rows ||
                    end - *first > LARGEST))
        status = perp_recording_fail(recording, PERP_BAD_VALUE, column->def.name, SAYING, error);
    *count = status ? 0 : (size_t)(end - *first);
    return status;
}

static PerpStatus read_range(PerpRecording *recording, PerpWide ends, PerpWide numbers, long index,
                             size_t size, void **memory, size_t *room, size_t *count,
                             PerpError *error)
{
    int64_t first;
    PerpStatus status = find_range(recording, ends, numbers, index, &first, count, error);
    if (!status && *count >= *room) {
        void *larger = perp_resize(&recording->context.allocator, *memory, *count + 1, size);
        if (!larger)
            return perp_fail_memory(error);
        *memory = larger;
        *room = *count + 1;
    }
    return status ? status
                  : perp_recording_rows(recording, &recording->wide[numbers], first,
                                        (int64_t)*count, *memory, error);
}

// Takes the next `count` numbers; false if there are not as many.
typedef struct Cursor {
    int *ints;
    double *doubles;
    size_t n_ints, n_doubles; // left
} Cursor;

static const int *take_ints(Cursor *cursor, int64_t count, bool *ok)
{
    const int *taken = cursor->ints;
    if (!*ok || count < 0 || (size_t)count > cursor->n_ints) {
        *ok = false;
        return NULL;
    }
    cursor->ints += count;
    cursor->n_ints -= (size_t)count;
    return taken;
}

static const double *take_doubles(Cursor *cursor, int64_t count, bool *ok)
{
    const double *taken = cursor->doubles;
    if (!*ok || count < 0 || (size_t)count > cursor->n_doubles) {
        *ok = false;
        return NULL;
    }
    cursor->doubles += count;
    cursor->n_doubles -= (size_t)count;
    return taken;
}

// Numbers from 0 on that do not fall, and do not pass the limit.
static bool are_starts(const int *start, int64_t count, int64_t limit)
{
    for (int64_t k = 0; k <= count; k++)
        if (start[k] < (k ? start[k - 1] : 0) || start[k] > limit || (k == 0 && start[k] != 0))
            return false;
    return true;
}

static bool unpack_ints(Cursor *cursor, PerpProblem *p, Sizes *s)
{
    bool ok = true;
    const int *counts = take_ints(cursor, COUNTS, &ok);
    for (int k = 0; ok && k < COUNTS; k++)
        ok = counts[k] >= 0 && counts[k] <= LARGEST / 8;
    if (!ok)
        return false;
    *p = (PerpProblem){.n_bodies = counts[0],
                       .n_joints = counts[1],
                       .n_boxes = counts[2],
                       .n_contacts = counts[3],
                       .n_directions = counts[4],
                       .n_groups = counts[5]};
    int64_t rows = (int64_t)p->n_joints + p->n_boxes + p->n_contacts + p->n_directions;
    p->body_start = take_ints(cursor, (int64_t)p->n_bodies + 1, &ok);
    p->row_start = take_ints(cursor, rows + 1, &ok);
    if (!ok || !are_starts(p->body_start, p->n_bodies, LARGEST) ||
        !are_starts(p->row_start, rows, (int64_t)cursor->n_ints))
        return false;
    p->entry_body = take_ints(cursor, p->row_start[rows], &ok);
    p->group_contact = take_ints(cursor, p->n_groups, &ok);
    p->group_start = take_ints(cursor, (int64_t)p->n_groups + 1, &ok);
    p->group_circular = take_ints(cursor, p->n_groups, &ok);
    for (int k = 0; ok && k < p->row_start[rows]; k++)
        ok = p->entry_body[k] >= 0 && p->entry_body[k] < p->n_bodies;
    if (ok)
        *s = measure(p);
    return ok && cursor->n_ints == 0;
}

static bool unpack_held(Cursor *cursor, int64_t groups, PerpRecordedProblem *to)
{
    bool ok = true;
    to->slip_held = take_doubles(cursor, groups, &ok);
    const double *held = take_doubles(cursor, HELD, &ok);
    for (int64_t g = 0; ok && g < groups; g++)
        ok = to->slip_held[g] >= 0 && to->slip_held[g] <= DBL_MAX;
    ok = ok && held[2] >= 0 && held[2] <= LARGEST;
    if (ok)
        to->held = (PerpHeld){held[0], held[1], (int)held[2]};
    return ok;
}

static bool unpack(Cursor *cursor, PerpRecordedProblem *to)
{
    Sizes s;
    bool ok = true;
    PerpProblem *p = &to->problem;
    if (!unpack_ints(cursor, p, &s))
        return false;
    p->Mt = take_doubles(cursor, s.masses, &ok);
    p->b = take_doubles(cursor, s.velocities, &ok);
    p->J = take_doubles(cursor, s.values, &ok);
    p->d = take_doubles(cursor, s.rows, &ok);
    p->lo = take_doubles(cursor, s.boxes, &ok);
    p->hi = take_doubles(cursor, s.boxes, &ok);
    p->mu = take_doubles(cursor, s.groups, &ok);
    p->cohesion = take_doubles(cursor, s.groups, &ok);
    to->v = take_doubles(cursor, s.velocities, &ok);
    to->c = take_doubles(cursor, s.rows, &ok);
    to->lambda = take_doubles(cursor, s.groups, &ok);
    if (ok && to->outcome == PERP_OUTCOME_HELD)
        ok = unpack_held(cursor, s.groups, to);
    if (ok && cursor->n_doubles > 0)
        p->compliance = take_doubles(cursor, s.rows, &ok);
    return ok && cursor->n_doubles == 0;
}

static PerpStatus read_labels(PerpRecording *recording, long index, PerpRecordedProblem *to,
                              PerpError *error)
{
    int64_t step = 0;
    uint8_t outcome = 0, method = 0;
    const struct {
        PerpWide wide;
        void *to;
    } parts[] = {
        {PERP_WIDE_PROBLEM_STEP, &step},
        {PERP_WIDE_PROBLEM_TIME, &to->t},
        {PERP_WIDE_PROBLEM_OUTCOME, &outcome},
        {PERP_WIDE_PROBLEM_METHOD, &method},
        {PERP_WIDE_PROBLEM_RESIDUAL, to->residual},
    };
    PerpStatus status = PERP_OK;
    for (size_t k = 0; !status && k < sizeof parts / sizeof *parts; k++)
        status = perp_recording_rows(recording, &recording->wide[parts[k].wide], index, 1,
                                     parts[k].to, error);
    if (!status && (outcome >= PERP_OUTCOME_COUNT || method >= PERP_METHOD_COUNT))
        status = perp_recording_fail(recording, PERP_BAD_VALUE, "problems/outcome",
                                     "no such outcome", error);
    to->step = (long)step;
    to->outcome = (PerpOutcome)outcome;
    to->solved_by = (PerpMethod)method;
    return status;
}

PerpStatus perp_recording_problem(PerpRecording *recording, long index,
                                  PerpRecordedProblem *problem, PerpError *error)
{
    Cursor cursor = {0};
    void *ints = recording->ints, *doubles = recording->doubles;
    *problem = (PerpRecordedProblem){0};
    if (index < 0 || index >= recording->n_problems)
        return perp_recording_fail(recording, PERP_BAD_SIZE, "problems", "no such problem", error);
    PerpStatus status = read_labels(recording, index, problem, error);
    if (!status)
        status = read_range(recording, PERP_WIDE_PROBLEM_INTS, PERP_WIDE_INTS, index, sizeof(int),
                            &ints, &recording->ints_room, &cursor.n_ints, error);
    recording->ints = ints;
    if (!status)
        status = read_range(recording, PERP_WIDE_PROBLEM_DOUBLES, PERP_WIDE_DOUBLES, index,
                            sizeof(double), &doubles, &recording->doubles_room, &cursor.n_doubles,
                            error);
    recording->doubles = doubles;
    if (status)
        return status;
    cursor.ints = recording->ints;
    cursor.doubles = recording->doubles;
    if (!unpack(&cursor, problem))
        return perp_recording_fail(recording, PERP_BAD_VALUE, "problems", SAYING, error);
    return perp_problem_check(&problem->problem, error);
}
