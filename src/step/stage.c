#include "step/step.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

static PerpStatus out_of_memory(PerpError *error)
{
    return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
}

PerpStatus perp_stage_assemble(PerpSimulation *sim, const PerpPose *pose, double reach, double h,
                               PerpStage *stage, PerpError *error)
{
    const PerpContact *contacts;
    int n_contacts;
    PerpAssemblyOptions options = {.facets = sim->settings.facets,
                                   .h = h,
                                   .reach = reach,
                                   .turn = sim->state.turn,
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

// The rows and what they are of: problems of the same layout may share a basis.
static uint64_t hash_layout(const PerpAssembly *rows)
{
    const PerpProblem *p = &rows->problem;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const uint64_t counts[] = {(uint64_t)p->n_joints, (uint64_t)p->n_boxes, (uint64_t)p->n_contacts,
                               (uint64_t)p->n_directions, (uint64_t)p->n_groups};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        hash = (hash ^ counts[i]) * UINT64_C(0x100000001b3);
    for (int i = 0; i < p->n_contacts; i++)
        hash = (hash ^ rows->unilateral[i].id) * UINT64_C(0x100000001b3);
    return hash;
}

// Keeps the basis for the next problem; without memory it is just not kept.
static void keep_basis(PerpSimulation *sim, uint64_t layout, const PerpProblemResult *result)
{
    sim->basis_size = 0;
    if (result->outcome != PERP_LCP_SOLVED || result->lcp_size == 0)
        return;
    if (result->lcp_size > sim->basis_room) {
        signed char *room =
            perp_resize(&sim->context.allocator, sim->basis, 2 * (size_t)result->lcp_size, 1);
        if (!room)
            return;
        sim->basis = room;
        sim->basis_room = 2 * result->lcp_size;
    }
    memcpy(sim->basis, result->basis, (size_t)result->lcp_size);
    sim->basis_size = result->lcp_size;
    sim->layout = layout;
}

static void add_to_report(PerpStepReport *report, const PerpProblemResult *result, int contacts)
{
    report->problems++;
    report->pivots += result->pivots;
    report->contacts = contacts;
    if (result->outcome != PERP_LCP_SOLVED)
        report->outcome = result->outcome;
    if (report->problems == 1 || result->certificate.worst > report->certificate.worst)
        report->certificate = result->certificate;
}

static bool keep_solution(PerpSimulation *sim, const PerpProblemResult *result,
                          const double *v_before, PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    int n_v = perp_problem_velocities(p), rows = perp_problem_rows(p);
    stage->before = PERP_TAKE(&sim->arena, double, n_v);
    stage->v = PERP_TAKE(&sim->arena, double, n_v);
    stage->c = PERP_TAKE(&sim->arena, double, rows);
    stage->lambda = PERP_TAKE(&sim->arena, double, p->n_groups);
    if (!stage->before || !stage->v || !stage->c || !stage->lambda)
        return false;
    memcpy(stage->before, v_before, (size_t)n_v * sizeof(double));
    memcpy(stage->v, result->v, (size_t)n_v * sizeof(double));
    memcpy(stage->c, result->c, (size_t)rows * sizeof(double));
    memcpy(stage->lambda, result->lambda, (size_t)p->n_groups * sizeof(double));
    return true;
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
    if (count > sim->contact_room) {
        PerpContactReport *room =
            perp_resize(&sim->context.allocator, sim->contacts, 2 * (size_t)count, sizeof *room);
        if (!room)
            return out_of_memory(error);
        sim->contacts = room;
        sim->contact_room = 2 * count;
    }
    sim->n_contacts = 0;
    for (int i = 0; i < count; i++)
        if (stage->rows.unilateral[i].kind == PERP_UNILATERAL_CONTACT)
            sim->contacts[sim->n_contacts++] = describe_contact(stage, i);
    add_friction(stage, sim->contacts);
    return PERP_OK;
}

// Which row of which class, in words.
static void name_worst(const PerpSimulation *sim, const PerpStage *stage,
                       const PerpCertificate *certificate, char *text, size_t size)
{
    int row = certificate->residual_row[certificate->worst_kind];
    const char *kind = perp_residual_name(certificate->worst_kind);
    const PerpUnilateral *u = stage->rows.unilateral;
    switch (certificate->worst_kind) {
    case PERP_RESIDUAL_MOMENTUM:
        snprintf(text, size, "%s of body %s", kind,
                 perp_model_body_name(sim->model, sim->rigid.body_of[row]));
        return;
    case PERP_RESIDUAL_APPROACH:
    case PERP_RESIDUAL_PULL:
    case PERP_RESIDUAL_CONTACT_GAP:
        if (u[row].kind == PERP_UNILATERAL_CONTACT) {
            const PerpContact *c = &stage->rows.contact[u[row].index];
            snprintf(text, size, "%s between %s and %s", kind,
                     perp_model_body_name(sim->model, c->body_a),
                     perp_model_body_name(sim->model, c->body_b));
        } else
            snprintf(text, size, "%s of joint %s", kind,
                     perp_model_joint_name(sim->model, u[row].index));
        return;
    default:
        snprintf(text, size, "%s of %s %d", kind, perp_residual_unit(certificate->worst_kind), row);
    }
}

PerpStatus perp_stage_solve(PerpSimulation *sim, const double *v_before, PerpStage *stage,
                            PerpError *error)
{
    PerpProblemResult result;
    PerpProblemSettings settings = perp_default_problem_settings();
    uint64_t layout = hash_layout(&stage->rows);
    settings.tolerance = sim->settings.tolerance;
    if (sim->basis_size > 0 && sim->layout == layout)
        settings.basis = sim->basis;
    PerpStatus status =
        perp_problem_solve(sim->solver, &stage->rows.problem, &settings, &result, error);
    if (status)
        return status;
    if (!keep_solution(sim, &result, v_before, stage))
        return out_of_memory(error);
    keep_basis(sim, layout, &result);
    add_to_report(&sim->report, &result, stage->rows.problem.n_contacts);
    if (sim->settings.strict && result.outcome != PERP_LCP_SOLVED) {
        char where[128];
        name_worst(sim, stage, &result.certificate, where, sizeof where);
        return perp_fail(error, PERP_NOT_SOLVED, "t = %.9g s: certificate %.1e, worst: %s",
                         sim->state.t, result.certificate.worst, where);
    }
    return PERP_OK;
}
