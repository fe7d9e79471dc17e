// Contacts and limits of a step, with the hits of its impacts, for perp_simulation_contact.

#include "step/scheme_tools.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const double SLIPPING = 1e-9; // m/s: slower is sticking

struct PerpHit {
    PerpHit *next;
    uint64_t id;
    int joint;                 // -1: a contact of shapes
    bool is_struck;            // approached fast, not just held
    double along;              // N s or N m s, of a limit
    PerpContactReport contact; // as it was then; its impulse is that of the phase
};

void perp_reports_free(const PerpAllocator *allocator, PerpReports *reports)
{
    perp_free(allocator, reports->contacts);
    perp_free(allocator, reports->limits);
}

void perp_contact_reports_begin(PerpContactReports *contacts)
{
    perp_arena_rewind(&contacts->arena);
    contacts->hits = contacts->earlier = NULL;
    contacts->in_substep = contacts->in_round = false;
}

void perp_contact_reports_show(PerpContactReports *contacts)
{
    PerpReports shown = contacts->last;
    contacts->last = contacts->next;
    contacts->next = shown;
    contacts->next.n_contacts = contacts->next.n_limits = 0;
}

// --- contacts -----------------------------------------------------------------------------------

static int compare_contacts(const void *a, const void *b)
{
    unsigned long long of_a = ((const PerpContactReport *)a)->id;
    unsigned long long of_b = ((const PerpContactReport *)b)->id;
    return (of_a > of_b) - (of_a < of_b);
}

// They mostly are; rows gathered at several configurations are not.
static void sort_contacts(PerpReports *reports)
{
    for (int k = 1; k < reports->n_contacts; k++)
        if (reports->contacts[k].id < reports->contacts[k - 1].id) {
            qsort(reports->contacts, (size_t)reports->n_contacts, sizeof *reports->contacts,
                  compare_contacts);
            return;
        }
}

PerpContactReport *perp_reports_find(const PerpReports *reports, uint64_t id, int *at)
{
    int low = 0, high = reports->n_contacts;
    for (int k = *at; k < high && k < *at + 2; k++)
        if (reports->contacts[k].id == id)
            return &reports->contacts[*at = k];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (reports->contacts[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return low < reports->n_contacts && reports->contacts[low].id == id ? &reports->contacts[low]
                                                                        : NULL;
}

// Impact: pushed now, not in the step before, and approached fast before the step. Else by what the
// contact does after the step. at: where the last contact was found in the step before.
static PerpContactStatus status_of(const PerpSimulation *sim, const PerpStage *stage, int contact,
                                   const PerpContactReport *report, int *at)
{
    int row = perp_stage_contact_row(stage, contact);
    PerpVec3 v = perp_vec3_load(report->velocity), n = perp_vec3_load(report->normal);
    PerpVec3 slip = perp_vec3_add_scaled(v, -perp_vec3_dot(v, n), n);
    if (!(stage->c[row] > 0))
        return PERP_CONTACT_OPEN;
    const PerpContactReport *last = perp_reports_find(&sim->contacts.last, report->id, at);
    bool is_new = !last || last->status == PERP_CONTACT_OPEN;
    if (is_new &&
        perp_stage_row_speed(stage, row, stage->before) < -sim->settings.restitution_threshold)
        return PERP_CONTACT_IMPACT;
    return perp_vec3_norm(slip) > SLIPPING ? PERP_CONTACT_SLIP : PERP_CONTACT_STICK;
}

static double residual_of(const PerpStage *stage, int contact)
{
    return stage->residual ? stage->residual[contact] : NAN;
}

// The sliding velocity is that at the end of the step, to which friction answers.
static void add_turn(PerpVec3 turn, PerpContactReport *report)
{
    PerpVec3 n = perp_vec3_load(report->normal);
    turn = perp_vec3_add_scaled(turn, -perp_vec3_dot(turn, n), n);
    perp_vec3_store(perp_vec3_add(perp_vec3_load(report->velocity), turn), report->velocity);
}

// What is known of a contact, with its normal impulse.
static PerpContactReport describe_contact(const PerpSimulation *sim, const PerpStage *stage,
                                          int contact, int *at)
{
    PerpContactReport report = {.id = stage->rows.unilateral[contact].id,
                                .body_a = -1,
                                .body_b = -1,
                                .shape_a = -1,
                                .shape_b = -1,
                                .gap = stage->rows.unilateral[contact].gap};
    int row = perp_stage_contact_row(stage, contact);
    sim->system->describe_contact(sim, &stage->rows, contact, stage->q, stage->v, &report);
    add_turn(stage->rows.unilateral[contact].turn, &report);
    perp_vec3_store(perp_vec3_scale(stage->c[row], stage->rows.along[row]), report.impulse);
    report.residual = residual_of(stage, contact);
    report.status = status_of(sim, stage, contact, &report, at);
    return report;
}

static void add_scaled(double to[3], double factor, PerpVec3 direction)
{
    perp_vec3_store(perp_vec3_add_scaled(perp_vec3_load(to), factor, direction), to);
}

// The impulses of the friction directions. Contacts come before limits and ropes, so that reports
// and contacts of the problem have the same index.
static void add_friction(const PerpStage *stage, PerpContactReport *reports)
{
    const PerpProblem *p = &stage->rows.problem;
    int directions = p->n_joints + p->n_boxes + p->n_contacts;
    for (int g = 0; g < p->n_groups; g++)
        for (int k = directions + p->group_start[g]; k < directions + p->group_start[g + 1]; k++)
            add_scaled(reports[p->group_contact[g]].impulse, stage->c[k], stage->rows.along[k]);
}

// --- impacts ------------------------------------------------------------------------------------

static bool is_of_shapes(const PerpStage *stage, int contact)
{
    return stage->rows.unilateral[contact].kind == PERP_UNILATERAL_CONTACT;
}

// The hit of a limit that a scheme with many impacts a step may have had before.
static PerpHit *find_limit_hit(PerpHit *hit, uint64_t id)
{
    while (hit && (hit->joint < 0 || hit->id != id))
        hit = hit->next;
    return hit;
}

// false if memory is short
static bool add_limit_hit(PerpContactReports *to, const PerpUnilateral *u, double impulse)
{
    PerpHit *hit = find_limit_hit(to->hits, u->id);
    if (!hit && (hit = PERP_TAKE(&to->arena, PerpHit, 1))) {
        *hit = (PerpHit){.next = to->hits, .id = u->id, .joint = u->index};
        to->hits = hit;
    }
    if (hit)
        hit->along += impulse;
    return hit;
}

// NULL if memory is short
static PerpHit *add_contact_hit(PerpSimulation *sim, const PerpStage *stage, int contact, int row,
                                double part)
{
    PerpHit *hit = PERP_TAKE(&sim->contacts.arena, PerpHit, 1);
    int at = 0;
    if (!hit)
        return NULL;
    *hit = (PerpHit){
        .next = sim->contacts.hits, .id = stage->rows.unilateral[contact].id, .joint = -1};
    hit->is_struck = perp_stage_row_speed(stage, row, stage->before) < -sim->threshold.bounce;
    hit->contact = describe_contact(sim, stage, contact, &at);
    perp_vec3_store(perp_vec3_scale(part * stage->c[row], stage->rows.along[row]),
                    hit->contact.impulse);
    if (hit->is_struck)
        hit->contact.status = PERP_CONTACT_IMPACT;
    sim->contacts.hits = hit;
    return hit;
}

// hit_of: per contact, NULL where none was pushed
static void add_friction_of_hits(const PerpStage *stage, double part, PerpHit *const *hit_of)
{
    const PerpProblem *p = &stage->rows.problem;
    int directions = p->n_joints + p->n_boxes + p->n_contacts;
    for (int g = 0; g < p->n_groups; g++) {
        PerpHit *hit = hit_of[p->group_contact[g]];
        for (int k = p->group_start[g]; hit && k < p->group_start[g + 1]; k++)
            add_scaled(hit->contact.impulse, part * stage->c[directions + k],
                       stage->rows.along[directions + k]);
    }
}

// Rows of custom systems are divided by their length: c in the unit of the caller's function.
static double impulse_of(const PerpSimulation *sim, const PerpStage *stage, int row)
{
    return sim->custom ? stage->c[row] * stage->rows.along[row].x : stage->c[row];
}

PerpStatus perp_stage_add_hits(PerpSimulation *sim, const PerpStage *stage, double part,
                               PerpError *error)
{
    PerpHit **hit_of = PERP_TAKE(&sim->arena, PerpHit *, stage->rows.problem.n_contacts);
    bool enough = hit_of;
    for (int i = 0; enough && i < stage->rows.problem.n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        if (!(part * stage->c[row] > 0))
            continue;
        if (is_of_shapes(stage, i))
            enough = (hit_of[i] = add_contact_hit(sim, stage, i, row, part));
        else
            enough = add_limit_hit(&sim->contacts, &stage->rows.unilateral[i],
                                   part * impulse_of(sim, stage, row));
    }
    if (!enough)
        return perp_fail_memory(error);
    add_friction_of_hits(stage, part, hit_of);
    return PERP_OK;
}

// A contact that the bounce opened is in no later problem of the step; it stands where its id asks
// for.
static void insert_contact(PerpReports *reports, const PerpContactReport *contact)
{
    int at = reports->n_contacts++;
    for (; at > 0 && reports->contacts[at - 1].id > contact->id; at--)
        reports->contacts[at] = reports->contacts[at - 1];
    reports->contacts[at] = *contact;
}

static void add_contact(PerpReports *reports, const PerpHit *hit)
{
    int at = 0;
    PerpContactReport *contact = perp_reports_find(reports, hit->id, &at);
    if (!contact) {
        insert_contact(reports, &hit->contact);
        return;
    }
    if (hit->is_struck)
        contact->status = PERP_CONTACT_IMPACT;
    add_scaled(contact->impulse, 1, perp_vec3_load(hit->contact.impulse));
    contact->residual = fmax(contact->residual, hit->contact.residual); // a number beats none
}

static void add_hit(PerpReports *reports, const PerpHit *hit)
{
    if (hit->joint < 0) {
        add_contact(reports, hit);
        return;
    }
    int k = 0;
    while (k < reports->n_limits && reports->limits[k].id != hit->id)
        k++;
    if (k == reports->n_limits)
        reports->limits[reports->n_limits++] = (PerpLimitReport){hit->id, hit->joint, 0};
    reports->limits[k].impulse += hit->along;
}

// --- all of them --------------------------------------------------------------------------------

static bool make_report_room(PerpSimulation *sim, int contacts, int limits)
{
    PerpReports *to = &sim->contacts.next;
    void *contact_room = to->contacts, *limit_room = to->limits;
    bool room = perp_make_room(&sim->context.allocator, &contact_room, &to->contact_room, contacts,
                               sizeof *to->contacts) &&
                perp_make_room(&sim->context.allocator, &limit_room, &to->limit_room, limits,
                               sizeof *to->limits);
    to->contacts = contact_room;
    to->limits = limit_room;
    return room;
}

static PerpStatus add_hits(PerpSimulation *sim, const PerpHit *hit, PerpError *error)
{
    PerpReports *to = &sim->contacts.next;
    for (; hit; hit = hit->next) {
        if (!make_report_room(sim, to->n_contacts + 1, to->n_limits + 1)) // it may be a new one
            return perp_fail_memory(error);
        add_hit(to, hit);
    }
    return PERP_OK;
}

static void report_limit(const PerpSimulation *sim, PerpReports *reports, const PerpStage *stage,
                         int contact)
{
    const PerpUnilateral *u = &stage->rows.unilateral[contact];
    double c = impulse_of(sim, stage, perp_stage_contact_row(stage, contact));
    if (c > 0)
        reports->limits[reports->n_limits++] = (PerpLimitReport){u->id, u->index, c};
}

PerpStatus perp_stage_report_contacts(PerpSimulation *sim, const PerpStage *stage, PerpError *error)
{
    PerpReports *to = &sim->contacts.next;
    int count = stage->rows.problem.n_contacts, shapes = 0, hits = 0, at = 0;
    while (shapes < count && is_of_shapes(stage, shapes))
        shapes++;
    for (const PerpHit *hit = sim->contacts.hits; hit; hit = hit->next)
        hits += hit->joint >= 0;
    if (!make_report_room(sim, shapes, count - shapes + hits))
        return perp_fail_memory(error);
    to->n_contacts = to->n_limits = 0;
    for (int i = 0; i < shapes; i++)
        to->contacts[to->n_contacts++] = describe_contact(sim, stage, i, &at);
    for (int i = shapes; i < count; i++)
        report_limit(sim, to, stage, i);
    add_friction(stage, to->contacts);
    sort_contacts(to);
    return add_hits(sim, sim->contacts.hits, error);
}

PerpStatus perp_stage_report_round(PerpSimulation *sim, const PerpStage *stage, PerpError *error)
{
    PerpHit *hits = sim->contacts.hits;
    sim->contacts.hits = NULL;
    PerpStatus status = perp_stage_report_contacts(sim, stage, error);
    sim->contacts.hits = hits;
    sim->contacts.in_round = true;
    return status;
}

PerpStatus perp_stage_report_substep(PerpSimulation *sim, const PerpStage *stage, PerpError *error)
{
    PerpHit *hits = sim->contacts.hits;
    sim->contacts.hits = sim->contacts.earlier;
    PerpStatus status = perp_stage_add_hits(sim, stage, 1, error);
    sim->contacts.earlier = sim->contacts.hits;
    sim->contacts.hits = hits;
    return status;
}

PerpStatus perp_reports_add_substeps(PerpSimulation *sim, PerpError *error)
{
    return add_hits(sim, sim->contacts.earlier, error);
}
