// Events: what changed at the contacts and limits from one step to the next. Both lists are sorted
// by id, so that one pass over them is enough.
#include "io/recorder.h"

#include "math/vec3.h"

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

bool perp_recent_remember(PerpRecorder *recorder)
{
    PerpRecent *recent = &recorder->recent;
    const PerpSimulation *sim = recorder->simulation;
    int contacts = perp_simulation_contacts(sim), limits = perp_simulation_limits(sim);
    void *contact_items = recent->contacts, *limit_items = recent->limits;
    bool ok = grow(&recorder->context.allocator, &contact_items, &recent->contact_room, contacts,
                   sizeof *recent->contacts) &&
              grow(&recorder->context.allocator, &limit_items, &recent->limit_room, limits,
                   sizeof *recent->limits);
    recent->contacts = contact_items;
    recent->limits = limit_items;
    recent->n_contacts = recent->n_limits = 0;
    for (int k = 0; ok && k < contacts; k++) {
        PerpContactReport c = perp_simulation_contact(sim, k);
        if (c.status != PERP_CONTACT_OPEN)
            recent->contacts[recent->n_contacts++] =
                (PerpRecentContact){c.id, c.body_a, c.body_b, c.status};
    }
    for (int k = 0; ok && k < limits; k++)
        recent->limits[recent->n_limits++] = perp_simulation_limit(sim, k).id;
    return ok;
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

static double normal_impulse(const PerpContactReport *c)
{
    return perp_vec3_dot(perp_vec3_load(c->impulse), perp_vec3_load(c->normal));
}

static double slip_speed(const PerpContactReport *c)
{
    PerpVec3 v = perp_vec3_load(c->velocity), n = perp_vec3_load(c->normal);
    return perp_vec3_norm(perp_vec3_add_scaled(v, -perp_vec3_dot(v, n), n));
}

// before: NULL if the contact did not push in the step before.
static bool add_contact_event(PerpRecorder *recorder, const PerpRecordedEvent *common,
                              const PerpRecentContact *before, const PerpContactReport *c)
{
    PerpRecordedEvent event = *common;
    event.body_a = c->body_a;
    event.body_b = c->body_b;
    if (c->status == PERP_CONTACT_IMPACT) {
        event.kind = PERP_EVENT_IMPACT;
        event.size = normal_impulse(c);
    } else if (before && before->status == PERP_CONTACT_STICK && c->status == PERP_CONTACT_SLIP) {
        event.kind = PERP_EVENT_SLIP;
        event.size = slip_speed(c);
    } else {
        return true;
    }
    return add_event(recorder, &event);
}

static bool add_take_off(PerpRecorder *recorder, const PerpRecordedEvent *common,
                         const PerpRecentContact *before)
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
    int contacts = perp_simulation_contacts(recorder->simulation), b = 0;
    bool ok = true;
    for (int k = 0; ok && k < contacts; k++) {
        PerpContactReport c = perp_simulation_contact(recorder->simulation, k);
        if (c.status == PERP_CONTACT_OPEN)
            continue;
        for (; ok && b < recent->n_contacts && recent->contacts[b].id < c.id; b++)
            ok = add_take_off(recorder, common, &recent->contacts[b]);
        bool same = b < recent->n_contacts && recent->contacts[b].id == c.id;
        ok = ok && add_contact_event(recorder, common, same ? &recent->contacts[b] : NULL, &c);
        b += same;
    }
    for (; ok && b < recent->n_contacts; b++)
        ok = add_take_off(recorder, common, &recent->contacts[b]);
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
