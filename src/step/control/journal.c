// The journal of a program: what it sets and which forces it gives, call by call, so that a run can
// be made again without it. A record is  step, code, count, numbers; the step is how many were
// taken before. Indices stand among the numbers.

#include "base/error.h"
#include "math/dense.h"
#include "step/control/controls.h"
#include "step/systems/rigid_system.h"

#include "perp/system.h"

#include <math.h>
#include <string.h>

enum { HEAD = 3 };

// --- writing ------------------------------------------------------------------------------------

static double *take(PerpSimulation *sim, PerpJournalCode code, int count)
{
    PerpJournal *j = &sim->journal;
    void *numbers = j->numbers;
    int needed = j->count + HEAD + count;
    if (!perp_make_room(&sim->context.allocator, &numbers, &j->room, needed, sizeof(double))) {
        j->lost = true;
        return NULL;
    }
    j->numbers = numbers;
    double *record = j->numbers + j->count;
    record[0] = (double)j->step;
    record[1] = code;
    record[2] = count;
    j->count = needed;
    return record + HEAD;
}

void perp_journal_note(PerpSimulation *sim, PerpJournalCode code, int n_indices, const int *index,
                       int n_numbers, const double *number)
{
    double *to = sim->journal.keep ? take(sim, code, n_indices + n_numbers) : NULL;
    for (int k = 0; to && k < n_indices; k++)
        to[k] = index[k];
    if (to && n_numbers > 0)
        memcpy(to + n_indices, number, (size_t)n_numbers * sizeof *to);
}

void perp_journal_note_state(PerpSimulation *sim)
{
    double *to =
        sim->journal.keep ? take(sim, PERP_JOURNAL_STATE, sim->n_q + sim->n_v + sim->n_turn) : NULL;
    if (!to)
        return;
    memcpy(to, sim->state.q, (size_t)sim->n_q * sizeof *to);
    memcpy(to + sim->n_q, sim->state.v, (size_t)sim->n_v * sizeof *to);
    memcpy(to + sim->n_q + sim->n_v, sim->state.turn, (size_t)sim->n_turn * sizeof *to);
}

static bool is_moved(const PerpSimulation *sim)
{
    const PerpModel *model = sim->bodies.model;
    const PerpPose *pose = perp_rigid_poses(sim->state.q);
    for (int b = 0; b < model->n_bodies; b++) {
        PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, b);
        if (memcmp(&pose[b], &model->bodies[b].pose, sizeof *pose) != 0 ||
            (sim->bodies.rigid.block_of[b] >= 0 &&
             (memcmp(&twist.linear, &model->bodies[b].velocity, sizeof twist.linear) != 0 ||
              memcmp(&twist.angular, &model->bodies[b].spin, sizeof twist.angular) != 0)))
            return true;
    }
    return false;
}

// What was set before the journal began.
static void note_beginning(PerpSimulation *sim)
{
    const PerpModel *model = sim->bodies.model;
    const PerpControls *c = &sim->controls;
    double gravity[3];
    perp_vec3_store(model->gravity, gravity);
    if (is_moved(sim))
        perp_journal_note_state(sim);
    if (c->callback)
        perp_journal_note(sim, PERP_JOURNAL_CALLBACK, 1, (const int[]){1}, 0, NULL);
    if (memcmp(c->gravity, gravity, sizeof gravity) != 0)
        perp_journal_note(sim, PERP_JOURNAL_GRAVITY, 0, NULL, 3, c->gravity);
    for (int k = 0; k < model->control.n_actuators; k++)
        if (c->control[k] != 0)
            perp_journal_note(sim, PERP_JOURNAL_CONTROL, 1, &k, 1, &c->control[k]);
    for (int k = 0; k < model->control.n_signals; k++)
        if (model->control.signals[k].kind == PERP_SIGNAL_INPUT &&
            c->signal[k] != model->control.signals[k].value)
            perp_journal_note(sim, PERP_JOURNAL_INPUT, 1, &k, 1, &c->signal[k]);
    for (int k = 0; k < model->n_bodies && c->wrench; k++)
        perp_journal_note(sim, PERP_JOURNAL_WRENCH, 1, &k, 6, c->wrench + 6 * k);
    for (int a = 0; a < model->n_materials && c->has_friction; a++)
        for (int b = 0; b <= a; b++) {
            double mu = perp_simulation_friction(sim, a, b);
            if (mu != sim->bodies.given->surfaces[a + model->n_materials * b].mu)
                perp_journal_note(sim, PERP_JOURNAL_FRICTION, 2, (const int[]){a, b}, 1, &mu);
        }
}

void perp_simulation_begin_journal(PerpSimulation *sim, long step)
{
    sim->journal.keep = sim->bodies.model;
    sim->journal.step = step;
    sim->journal.count = 0;
    if (sim->journal.keep && step < 0)
        note_beginning(sim);
}

void perp_simulation_end_journal(PerpSimulation *sim)
{
    sim->journal.keep = false;
}

const double *perp_simulation_journal(const PerpSimulation *sim, int *count)
{
    *count = sim->journal.lost ? -1 : sim->journal.count;
    return sim->journal.numbers;
}

void perp_simulation_clear_journal(PerpSimulation *sim, long step)
{
    sim->journal.count = 0;
    sim->journal.step = step;
}

// --- reading ------------------------------------------------------------------------------------

// A record of numbers that nobody vouches for.
typedef struct Record {
    double step;
    PerpJournalCode code;
    int count;
    const double *number;
} Record;

static bool read_record(const double *numbers, long count, long at, Record *record)
{
    if (at < 0 || count - at < HEAD)
        return false;
    const double *head = numbers + at;
    double rest = (double)(count - at - HEAD);
    if (!(head[1] >= 0 && head[1] < PERP_JOURNAL_COUNT) || !(head[2] >= 0 && head[2] <= rest))
        return false;
    *record = (Record){head[0], (PerpJournalCode)head[1], (int)head[2], head + HEAD};
    return true;
}

// Out of range: one that no setter accepts.
static int index_of(double number)
{
    return number >= 0 && number < 1e9 ? (int)number : -1;
}

static void do_nothing(void *user, PerpSimulation *sim)
{
    (void)user;
    (void)sim;
}

static PerpStatus set_state(PerpSimulation *sim, const Record *r, PerpError *error)
{
    const double *q = r->number, *v = q + sim->n_q;
    if (r->count != sim->n_q + sim->n_v + sim->n_turn)
        return perp_fail(error, PERP_BAD_SIZE, "a journal of another model");
    for (int b = 0; b < sim->bodies.model->n_bodies; b++) {
        PerpQuat turn = perp_rigid_poses(q)[b].rotation;
        double square = turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
        if (!(fabs(square - 1) < 1e-6))
            return perp_fail(error, PERP_BAD_VALUE, "a rotation is not a unit quaternion");
    }
    if (!perp_all_finite((size_t)r->count, r->number))
        return perp_fail(error, PERP_BAD_VALUE, "a state that is not finite");
    sim->sleep.ready = false;
    sim->run.given = 1;
    sim->ledger.start -= perp_energy_stored(sim);
    memcpy(sim->state.q, q, (size_t)sim->n_q * sizeof *q);
    memcpy(sim->state.v, v, (size_t)sim->n_v * sizeof *q);
    memcpy(sim->state.turn, v + sim->n_v, (size_t)sim->n_turn * sizeof *q);
    sim->ledger.start += perp_energy_stored(sim);
    return PERP_OK;
}

static PerpStatus apply(PerpSimulation *sim, const Record *r, PerpError *error)
{
    static const int counts[PERP_JOURNAL_COUNT] = {
#define JOURNAL_NUMBERS(name, numbers) numbers,
        PERP_JOURNAL_LIST(JOURNAL_NUMBERS)
#undef JOURNAL_NUMBERS
    };
    const double *x = r->number;
    int needed = counts[r->code] < 0 ? r->count : counts[r->code];
    if (r->count != needed)
        return perp_fail(error, PERP_BAD_SIZE, "a journal with a record of %d numbers", r->count);
    int i = needed > 0 ? index_of(x[0]) : -1, k = needed > 1 ? index_of(x[1]) : -1;
    switch (r->code) {
    case PERP_JOURNAL_CALLBACK:
        perp_simulation_set_control_callback(sim, x[0] != 0 ? do_nothing : NULL, NULL);
        return PERP_OK;
    case PERP_JOURNAL_LENGTH:
        sim->journal.length = x[0];
        return PERP_OK;
    case PERP_JOURNAL_CONTROL:
        return perp_simulation_set_control(sim, i, x[1], error);
    case PERP_JOURNAL_INPUT:
        return perp_simulation_set_input(sim, i, x[1], error);
    case PERP_JOURNAL_GRAVITY:
        return perp_simulation_set_gravity(sim, x, error);
    case PERP_JOURNAL_WRENCH:
        return perp_simulation_set_wrench(sim, i, x + 1, x + 4, error);
    case PERP_JOURNAL_FRICTION:
        return perp_simulation_set_friction(sim, i, k, x[2], error);
    case PERP_JOURNAL_STATE:
        return set_state(sim, r, error);
    case PERP_JOURNAL_RESET:
        return perp_simulation_reset_to(sim, x[0] < 0 ? -1 : i, error);
    case PERP_JOURNAL_IMPULSE:
        return r->count == sim->n_v ? perp_simulation_apply_impulse(sim, x, error)
                                    : perp_fail(error, PERP_BAD_SIZE, "a journal of another model");
    default: // PERP_JOURNAL_FORCE, see perp_journal_next_force
        return PERP_OK;
    }
}

PerpStatus perp_simulation_follow_journal(PerpSimulation *sim, const double *numbers, long count,
                                          long step, long *at, PerpError *error)
{
    PerpStatus status = PERP_OK;
    Record record;
    if (!sim->bodies.model)
        return perp_fail(error, PERP_NOT_SUPPORTED, "a custom system has no journal");
    while (!status && read_record(numbers, count, *at, &record) && record.step <= (double)step) {
        status = apply(sim, &record, error);
        *at += HEAD + record.count;
    }
    return status;
}

bool perp_journal_next_force(const double *numbers, long count, long *at, double force[3],
                             double torque[3])
{
    Record record;
    for (; read_record(numbers, count, *at, &record); *at += HEAD + record.count) {
        if (record.code != PERP_JOURNAL_FORCE || record.count != 6)
            continue;
        memcpy(force, record.number, 3 * sizeof(double));
        memcpy(torque, record.number + 3, 3 * sizeof(double));
        *at += HEAD + record.count;
        return true;
    }
    return false;
}

bool perp_journal_gives(const double *numbers, long from, long to)
{
    Record record;
    for (; read_record(numbers, to, from, &record); from += HEAD + record.count)
        if (record.code == PERP_JOURNAL_STATE || record.code == PERP_JOURNAL_GRAVITY ||
            record.code == PERP_JOURNAL_RESET || record.code == PERP_JOURNAL_IMPULSE)
            return true;
    return false;
}

long perp_journal_length(const double *numbers, long count, long step)
{
    long at = 0;
    Record record;
    while (read_record(numbers, count, at, &record) && record.step < (double)step)
        at += HEAD + record.count;
    return at;
}
