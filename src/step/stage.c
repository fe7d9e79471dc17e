#include "step/step.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_ROOM = 256 }; // contacts

PerpStatus perp_stage_assemble(PerpSimulation *sim, const PerpPose *pose, double reach, double h,
                               PerpStage *stage, PerpError *error)
{
    const PerpContact *contacts;
    int n_contacts;
    PerpAssemblyOptions options = {.facets = sim->settings.facets,
                                   .h = h,
                                   .reach = reach,
                                   .turn = perp_step_turns_at(sim, pose),
                                   .friction = true};
    PerpStatus status = perp_contact_finder_find(sim->finder, pose, reach, &contacts, &n_contacts);
    *stage = (PerpStage){.h = h};
    if (!status && !perp_assemble(&sim->arena, &sim->rigid, pose, contacts, n_contacts, &options,
                                  &stage->rows))
        status = PERP_NO_MEMORY;
    return status ? perp_fail(error, status, "%s", perp_status_text(status)) : PERP_OK;
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

// What is known of a contact, with its normal impulse.
static PerpContactReport describe_contact(const PerpStage *stage, int contact)
{
    const PerpContact *from = &stage->rows.contact[stage->rows.unilateral[contact].index];
    double c = stage->c[perp_stage_contact_row(stage, contact)];
    PerpContactReport to = {.id = from->id,
                            .body_a = from->body_a,
                            .body_b = from->body_b,
                            .shape_a = from->shape_a,
                            .shape_b = from->shape_b,
                            .gap = from->point.gap};
    perp_vec3_store(from->point.point_a, to.point);
    perp_vec3_store(from->point.normal, to.normal);
    perp_vec3_store(perp_vec3_scale(c, from->point.normal), to.impulse);
    return to;
}

// The impulses of the friction directions. Contacts of shapes come before limits and ropes, so that
// reports and contacts of the problem have the same index.
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

PerpStatus perp_stage_report_contacts(PerpSimulation *sim, const PerpStage *stage, PerpError *error)
{
    int count = stage->rows.problem.n_contacts;
    if (count > sim->next_contact_room) {
        int wanted = 2 * count > LEAST_ROOM ? 2 * count : LEAST_ROOM;
        PerpContactReport *room =
            perp_resize(&sim->context.allocator, sim->next_contacts, (size_t)wanted, sizeof *room);
        if (!room)
            return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
        sim->next_contacts = room;
        sim->next_contact_room = wanted;
    }
    sim->n_next_contacts = 0;
    for (int i = 0; i < count; i++)
        if (stage->rows.unilateral[i].kind == PERP_UNILATERAL_CONTACT)
            sim->next_contacts[sim->n_next_contacts++] = describe_contact(stage, i);
    add_friction(stage, sim->next_contacts);
    return PERP_OK;
}
