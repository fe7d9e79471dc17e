#include "step/step.h"

#include "base/error.h"

#include <string.h>

enum { LEAST_ROOM = 256 }; // contacts

PerpStatus perp_stage_assemble(PerpSimulation *sim, const double *q, double reach, double h,
                               PerpStage *stage, PerpError *error)
{
    PerpRowChoice choice = {.h = h, .reach = reach};
    *stage = (PerpStage){.h = h, .q = q};
    return sim->system->assemble(sim, q, &choice, &stage->rows, error);
}

int perp_stage_contact_row(const PerpStage *stage, int contact)
{
    return stage->rows.problem.n_joints + stage->rows.problem.n_boxes + contact;
}

double perp_stage_row_speed(const PerpStage *stage, int row, const double *v)
{
    const PerpProblem *p = &stage->rows.problem;
    const double *J = p->J + stage->rows.row_values[row];
    double sum = 0;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1]; i++)
            sum += *J++ * v[i];
    return sum;
}

// p = A v for the n x n block A
static void multiply_block(int n, const double *A, const double *v, double *p)
{
    for (int i = 0; i < n; i++) {
        p[i] = 0;
        for (int j = 0; j < n; j++)
            p[i] += A[i + n * j] * v[j];
    }
}

void perp_stage_momentum(const PerpStage *stage, const double *v, double *p)
{
    const PerpProblem *problem = &stage->rows.problem;
    const double *block = problem->Mt;
    for (int k = 0; k < problem->n_bodies; k++) {
        int first = problem->body_start[k], n = problem->body_start[k + 1] - first;
        multiply_block(n, block, v + first, p + first);
        block += n * n;
    }
}

double perp_stage_block_kinetic(const PerpStage *stage, int block, const double *v)
{
    const PerpProblem *problem = &stage->rows.problem;
    int first = problem->body_start[block], n = problem->body_start[block + 1] - first;
    const double *M = problem->Mt + stage->rows.mass_start[block];
    double energy = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            energy += v[first + i] * M[i + n * j] * v[first + j] / 2;
    return energy;
}

double perp_stage_kinetic(const PerpStage *stage, const double *v)
{
    double energy = 0;
    for (int k = 0; k < stage->rows.problem.n_bodies; k++)
        energy += perp_stage_block_kinetic(stage, k, v);
    return energy;
}

// --- reports ------------------------------------------------------------------------------------

// Impact: approached fast before, pushed now. Else by what the contact does after the step.
static PerpContactStatus status_of(const PerpSimulation *sim, const PerpStage *stage, int contact,
                                   const PerpContactReport *report)
{
    const double slipping = 1e-9; // m/s: slower is sticking
    int row = perp_stage_contact_row(stage, contact);
    PerpVec3 v = perp_vec3_load(report->velocity), n = perp_vec3_load(report->normal);
    PerpVec3 slip = perp_vec3_add_scaled(v, -perp_vec3_dot(v, n), n);
    if (!(stage->c[row] > 0))
        return PERP_CONTACT_OPEN;
    if (perp_stage_row_speed(stage, row, stage->before) < -sim->settings.restitution_threshold)
        return PERP_CONTACT_IMPACT;
    return perp_vec3_norm(slip) > slipping ? PERP_CONTACT_SLIP : PERP_CONTACT_STICK;
}

// What is known of a contact, with its normal impulse.
static PerpContactReport describe_contact(const PerpSimulation *sim, const PerpStage *stage,
                                          int contact)
{
    PerpContactReport report = {.id = stage->rows.unilateral[contact].id,
                                .body_a = -1,
                                .body_b = -1,
                                .shape_a = -1,
                                .shape_b = -1,
                                .gap = stage->rows.unilateral[contact].gap};
    int row = perp_stage_contact_row(stage, contact);
    sim->system->describe_contact(sim, &stage->rows, contact, stage->q, stage->v, &report);
    perp_vec3_store(perp_vec3_scale(stage->c[row], stage->rows.along[row]), report.impulse);
    report.status = status_of(sim, stage, contact, &report);
    return report;
}

// The impulses of the friction directions. Contacts come before limits and ropes, so that reports
// and contacts of the problem have the same index.
static void add_friction(const PerpStage *stage, PerpContactReport *reports)
{
    const PerpProblem *p = &stage->rows.problem;
    int directions = p->n_joints + p->n_boxes + p->n_contacts;
    for (int g = 0; g < p->n_groups; g++)
        for (int k = directions + p->group_start[g]; k < directions + p->group_start[g + 1]; k++) {
            double *impulse = reports[p->group_contact[g]].impulse;
            perp_vec3_store(
                perp_vec3_add_scaled(perp_vec3_load(impulse), stage->c[k], stage->rows.along[k]),
                impulse);
        }
}

static bool make_room(const PerpAllocator *allocator, void **reports, int *room, int count,
                      size_t size)
{
    if (count <= *room)
        return true;
    int wanted = 2 * count > LEAST_ROOM ? 2 * count : LEAST_ROOM;
    void *larger = perp_resize(allocator, *reports, (size_t)wanted, size);
    if (!larger)
        return false;
    *reports = larger;
    *room = wanted;
    return true;
}

static bool make_report_room(PerpSimulation *sim, int contacts, int limits)
{
    void *contact_room = sim->next_contacts, *limit_room = sim->next_limits;
    bool room = make_room(&sim->context.allocator, &contact_room, &sim->next_contact_room, contacts,
                          sizeof(PerpContactReport)) &&
                make_room(&sim->context.allocator, &limit_room, &sim->next_limit_room, limits,
                          sizeof(PerpLimitReport));
    sim->next_contacts = contact_room;
    sim->next_limits = limit_room;
    return room;
}

static void report_limit(PerpSimulation *sim, const PerpStage *stage, int contact)
{
    const PerpUnilateral *u = &stage->rows.unilateral[contact];
    double c = stage->c[perp_stage_contact_row(stage, contact)];
    if (c > 0)
        sim->next_limits[sim->n_next_limits++] = (PerpLimitReport){u->id, u->index, c};
}

PerpStatus perp_stage_report_contacts(PerpSimulation *sim, const PerpStage *stage, PerpError *error)
{
    int count = stage->rows.problem.n_contacts, shapes = 0;
    while (shapes < count && stage->rows.unilateral[shapes].kind == PERP_UNILATERAL_CONTACT)
        shapes++;
    if (!make_report_room(sim, shapes, count - shapes))
        return perp_fail_memory(error);
    sim->n_next_contacts = sim->n_next_limits = 0;
    for (int i = 0; i < shapes; i++)
        sim->next_contacts[sim->n_next_contacts++] = describe_contact(sim, stage, i);
    for (int i = shapes; i < count; i++)
        report_limit(sim, stage, i);
    add_friction(stage, sim->next_contacts);
    return PERP_OK;
}
