// Events: what changed between pairs of shapes, and at limits, from one step to the next. Contacts
// and pairs are sorted, so that one pass over both is enough.
#include "io/recorder.h"

#include "math/vec3.h"

#include <math.h>

static bool grow(const PerpAllocator *allocator, void **items, int *room, int count, size_t size)
{
    if (count <= *room)
        return true;
    void *larger = perp_resize(allocator, *items, 2 * (size_t)count, size);
    if (!larger)
        return false;
    *items = larger;
    *room = 2 * count;
    return true;
}

// --- one event ----------------------------------------------------------------------------------

static bool add_double(PerpRecorder *recorder, PerpWide wide, double value)
{
    double *row = perp_column_add(&recorder->wide[wide], 1);
    if (row)
        *row = value;
    return row != NULL;
}

static bool add_long(PerpRecorder *recorder, PerpWide wide, int64_t value)
{
    int64_t *row = perp_column_add(&recorder->wide[wide], 1);
    if (row)
        *row = value;
    return row != NULL;
}

static bool add_event(PerpRecorder *recorder, const PerpRecordedEvent *event)
{
    int32_t *body = perp_column_add(&recorder->wide[PERP_WIDE_EVENT_BODY], 1);
    int32_t *joint = perp_column_add(&recorder->wide[PERP_WIDE_EVENT_JOINT], 1);
    uint8_t *kind = perp_column_add(&recorder->wide[PERP_WIDE_EVENT_KIND], 1);
    if (!body || !joint || !kind)
        return false;
    body[0] = event->body_a;
    body[1] = event->body_b;
    *joint = event->joint;
    *kind = (uint8_t)event->kind;
    return add_double(recorder, PERP_WIDE_EVENT_TIME, event->t) &&
           add_long(recorder, PERP_WIDE_EVENT_STEP, event->step) &&
           add_long(recorder, PERP_WIDE_EVENT_FRAME, event->frame) &&
           add_double(recorder, PERP_WIDE_EVENT_SIZE, event->size);
}

// --- contacts -----------------------------------------------------------------------------------

// What two shapes do to each other in a step: all their contact points together.
typedef struct Touch {
    unsigned long long pair;
    int body_a, body_b;
    bool sticks, slips;
    double impact; // N s, of the points that were hit
    double slip;   // m/s, the fastest
} Touch;

// The pair of shapes stands in the upper half of a contact's id.
static unsigned long long pair_of(unsigned long long id)
{
    return id >> 32;
}

static double slip_speed(const PerpContactReport *c)
{
    PerpVec3 v = perp_vec3_load(c->velocity), n = perp_vec3_load(c->normal);
    return perp_vec3_norm(perp_vec3_add_scaled(v, -perp_vec3_dot(v, n), n));
}

static void add_point(Touch *touch, const PerpContactReport *c)
{
    if (c->status == PERP_CONTACT_IMPACT)
        touch->impact += perp_vec3_dot(perp_vec3_load(c->impulse), perp_vec3_load(c->normal));
    touch->sticks = touch->sticks || c->status == PERP_CONTACT_STICK;
    touch->slips = touch->slips || c->status == PERP_CONTACT_SLIP;
    if (c->status == PERP_CONTACT_SLIP)
        touch->slip = fmax(touch->slip, slip_speed(c));
}

// The next pair of the step that pushes; false behind the last.
static bool next_touch(const PerpSimulation *sim, int *index, Touch *touch)
{
    bool found = false;
    for (; *index < perp_simulation_contacts(sim); ++*index) {
        PerpContactReport c = perp_simulation_contact(sim, *index);
        if (c.status == PERP_CONTACT_OPEN)
            continue;
        if (found && pair_of(c.id) != touch->pair)
            return true;
        if (!found)
            *touch = (Touch){.pair = pair_of(c.id), .body_a = c.body_a, .body_b = c.body_b};
        found = true;
        add_point(touch, &c);
    }
    return found;
}

bool perp_recent_remember(PerpRecorder *recorder)
{
    PerpRecent *recent = &recorder->recent;
    const PerpSimulation *sim = recorder->simulation;
    int index = 0, limits = perp_simulation_limits(sim);
    void *pairs = recent->pairs, *ids = recent->limits;
    bool ok = grow(&recorder->context.allocator, &pairs, &recent->pair_room,
                   perp_simulation_contacts(sim), sizeof *recent->pairs) &&
              grow(&recorder->context.allocator, &ids, &recent->limit_room, limits,
                   sizeof *recent->limits);
    recent->pairs = pairs;
    recent->limits = ids;
    recent->n_pairs = recent->n_limits = 0;
    for (Touch touch; ok && next_touch(sim, &index, &touch);)
        recent->pairs[recent->n_pairs++] =
            (PerpRecentPair){touch.pair, touch.body_a, touch.body_b, touch.sticks && !touch.slips};
    for (int k = 0; ok && k < limits; k++)
        recent->limits[recent->n_limits++] = perp_simulation_limit(sim, k).id;
    return ok;
}

// before: NULL if the two did not push in the step before.
static bool add_touch_event(PerpRecorder *recorder, const PerpRecordedEvent *common,
                            const PerpRecentPair *before, const Touch *now)
{
    PerpRecordedEvent event = *common;
    event.body_a = now->body_a;
    event.body_b = now->body_b;
    if (now->impact > 0) {
        event.kind = PERP_EVENT_IMPACT;
        event.size = now->impact;
    } else if (before && before->sticks && now->slips) {
        event.kind = PERP_EVENT_SLIP;
        event.size = now->slip;
    } else {
        return true;
    }
    return add_event(recorder, &event);
}

static bool add_take_off(PerpRecorder *recorder, const PerpRecordedEvent *common,
                         const PerpRecentPair *before)
{
    PerpRecordedEvent event = *common;
    event.kind = PERP_EVENT_TAKE_OFF;
    event.body_a = before->body_a;
    event.body_b = before->body_b;
    return add_event(recorder, &event);
}

static bool add_contact_events(PerpRecorder *recorder, const PerpRecordedEvent *common)
{
    const PerpRecent *recent = &recorder->recent;
    int index = 0, b = 0;
    bool ok = true;
    for (Touch now; ok && next_touch(recorder->simulation, &index, &now);) {
        for (; ok && b < recent->n_pairs && recent->pairs[b].pair < now.pair; b++)
            ok = add_take_off(recorder, common, &recent->pairs[b]);
        bool same = b < recent->n_pairs && recent->pairs[b].pair == now.pair;
        ok = ok && add_touch_event(recorder, common, same ? &recent->pairs[b] : NULL, &now);
        b += same;
    }
    for (; ok && b < recent->n_pairs; b++)
        ok = add_take_off(recorder, common, &recent->pairs[b]);
    return ok;
}

// --- limits -------------------------------------------------------------------------------------

static bool was_at_limit(const PerpRecent *recent, unsigned long long id)
{
    for (int k = 0; k < recent->n_limits; k++)
        if (recent->limits[k] == id)
            return true;
    return false;
}

static bool add_limit_events(PerpRecorder *recorder, const PerpRecordedEvent *common)
{
    bool ok = true;
    for (int k = 0; ok && k < perp_simulation_limits(recorder->simulation); k++) {
        PerpLimitReport limit = perp_simulation_limit(recorder->simulation, k);
        PerpRecordedEvent event = *common;
        event.kind = PERP_EVENT_LIMIT;
        event.joint = limit.joint;
        event.size = limit.impulse;
        if (!was_at_limit(&recorder->recent, limit.id))
            ok = add_event(recorder, &event);
    }
    return ok;
}

bool perp_recorder_add_events(PerpRecorder *recorder, long frame)
{
    PerpRecordedEvent common = {.t = perp_simulation_time(recorder->simulation),
                                .step = recorder->step,
                                .frame = frame,
                                .body_a = -1,
                                .body_b = -1,
                                .joint = -1};
    return add_contact_events(recorder, &common) && add_limit_events(recorder, &common) &&
           perp_recent_remember(recorder);
}
