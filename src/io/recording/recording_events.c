// Events: what changed between pairs of shapes, and at limits, from one step to the next. Contacts
// are sorted by pairs, so that one pass gathers the touches of a step and one more compares them
// with those of the step before.
#include "io/recording/recorder.h"

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

static void add_point(PerpTouch *touch, const PerpContactReport *c)
{
    if (c->status == PERP_CONTACT_IMPACT)
        touch->impact += perp_vec3_dot(perp_vec3_load(c->impulse), perp_vec3_load(c->normal));
    touch->sticks = touch->sticks || c->status == PERP_CONTACT_STICK;
    touch->slips = touch->slips || c->status == PERP_CONTACT_SLIP;
    if (c->status == PERP_CONTACT_SLIP)
        touch->slip = fmax(touch->slip, slip_speed(c));
}

static bool gather_touches(const PerpRecorder *recorder, PerpTouches *to)
{
    int n_contacts;
    const PerpContactReport *c = perp_simulation_contacts(recorder->simulation, &n_contacts);
    const PerpContactReport *end = n_contacts > 0 ? c + n_contacts : c;
    void *items = to->items;
    bool ok = grow(&recorder->context.allocator, &items, &to->room, n_contacts, sizeof *to->items);
    to->items = items;
    to->count = 0;
    for (PerpTouch *touch = NULL; ok && c < end; c++) {
        if (c->status == PERP_CONTACT_OPEN)
            continue;
        if (!touch || touch->pair != pair_of(c->id)) {
            touch = &to->items[to->count++];
            *touch = (PerpTouch){pair_of(c->id), c->body_a, c->body_b, false, false, 0, 0};
        }
        add_point(touch, c);
    }
    return ok;
}

// before: NULL if the two did not push in the step before.
static bool add_touch_event(PerpRecorder *recorder, const PerpRecordedEvent *common,
                            const PerpTouch *before, const PerpTouch *now)
{
    bool is_hit = now->impact > 0;
    bool starts_to_slip = before && before->sticks && !before->slips && now->slips;
    if (!is_hit && !starts_to_slip)
        return true;
    PerpRecordedEvent event = *common;
    event.kind = is_hit ? PERP_EVENT_IMPACT : PERP_EVENT_SLIP;
    event.size = is_hit ? now->impact : now->slip;
    event.body_a = now->body_a;
    event.body_b = now->body_b;
    return add_event(recorder, &event);
}

static bool add_take_off(PerpRecorder *recorder, const PerpRecordedEvent *common,
                         const PerpTouch *before)
{
    PerpRecordedEvent event = *common;
    event.kind = PERP_EVENT_TAKE_OFF;
    event.body_a = before->body_a;
    event.body_b = before->body_b;
    return add_event(recorder, &event);
}

static bool add_contact_events(PerpRecorder *recorder, const PerpRecordedEvent *common,
                               const PerpTouches *now)
{
    const PerpTouch *before = recorder->recent.touches.items;
    int b = 0, end = recorder->recent.touches.count;
    bool ok = true;
    for (int k = 0; ok && k < now->count; k++) {
        for (; ok && b < end && before[b].pair < now->items[k].pair; b++)
            ok = add_take_off(recorder, common, &before[b]);
        bool same = b < end && before[b].pair == now->items[k].pair;
        ok = ok && add_touch_event(recorder, common, same ? &before[b] : NULL, &now->items[k]);
        b += same;
    }
    for (; ok && b < end; b++)
        ok = add_take_off(recorder, common, &before[b]);
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
    for (int k = 0; ok && k < perp_simulation_limit_count(recorder->simulation); k++) {
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

// --- both ---------------------------------------------------------------------------------------

// Of this step: its touches, which lie in spare, and its limits.
static bool remember(PerpRecorder *recorder)
{
    PerpRecent *recent = &recorder->recent;
    int limits = perp_simulation_limit_count(recorder->simulation);
    void *ids = recent->limits;
    bool ok = grow(&recorder->context.allocator, &ids, &recent->limit_room, limits,
                   sizeof *recent->limits);
    recent->limits = ids;
    recent->n_limits = 0;
    for (int k = 0; ok && k < limits; k++)
        recent->limits[recent->n_limits++] = perp_simulation_limit(recorder->simulation, k).id;
    PerpTouches last = recent->touches;
    recent->touches = recent->spare;
    recent->spare = last;
    return ok;
}

bool perp_recorder_remember(PerpRecorder *recorder)
{
    return gather_touches(recorder, &recorder->recent.spare) && remember(recorder);
}

bool perp_recorder_add_events(PerpRecorder *recorder, long frame)
{
    PerpTouches *now = &recorder->recent.spare;
    PerpRecordedEvent common = {.t = perp_simulation_time(recorder->simulation),
                                .step = recorder->step,
                                .frame = frame,
                                .body_a = -1,
                                .body_b = -1,
                                .joint = -1};
    return gather_touches(recorder, now) && add_contact_events(recorder, &common, now) &&
           add_limit_events(recorder, &common) && remember(recorder);
}
