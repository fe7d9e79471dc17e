// The angle condition of PS02, checked at the closed constraints.

#include "step/schemes/angle_condition.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9;      // m or rad: an active constraint
static const double RIGHT_ANGLE = 1e-6; // cosine that counts as zero: gradients by differences

// p = grad f of a row, as one vector
static void spread_row(const PerpStage *stage, int row, double *p)
{
    const PerpProblem *problem = &stage->rows.problem;
    const double *J = problem->J + stage->rows.row_values[row];
    for (int e = problem->row_start[row]; e < problem->row_start[row + 1]; e++) {
        int body = problem->entry_body[e];
        for (int i = problem->body_start[body]; i < problem->body_start[body + 1]; i++)
            p[i] += *J++;
    }
}

// y = M^-1 grad f along the motions that the joints leave: the step problem with joints only.
static PerpStatus respond(PerpSimulation *sim, const PerpStage *stage, int row, double *y,
                          PerpError *error)
{
    PerpStage joints = *stage;
    PerpProblem *p = &joints.rows.problem;
    PerpStepReport saved = sim->report;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *b = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *d = PERP_TAKE(&sim->arena, double, p->n_joints + 1);
    if (!b || !d)
        return perp_fail_memory(error);
    spread_row(stage, row, b);
    p->n_boxes = p->n_contacts = p->n_directions = p->n_groups = 0;
    p->b = b;
    p->d = d;
    joints.h = 0;
    PerpStatus status = perp_stage_solve(sim, b, &joints, error);
    if (!status)
        memcpy(y, joints.v, (size_t)sim->n_v * sizeof(double));
    sim->report = saved;
    perp_arena_release(&sim->arena, mark);
    return status;
}

// A closed constraint, and M^-1 of its gradient.
typedef struct Closed {
    int contact, row;
    double *response; // n_v
    double size;      // of the gradient in the metric M^-1
} Closed;

static bool obeys(const PerpStage *stage, const Closed *a, const Closed *b)
{
    const PerpUnilateral *u = stage->rows.unilateral;
    double product = perp_stage_row_speed(stage, a->row, b->response);
    double bound = RIGHT_ANGLE * a->size * b->size;
    bool bounces = u[a->contact].restitution > 0 || u[b->contact].restitution > 0;
    return bounces ? fabs(product) <= bound : product <= bound;
}

static void warn_of_pair(PerpSimulation *sim, const PerpStage *stage, const Closed *a,
                         const Closed *b)
{
    enum { SHORT = PERP_NAME_SIZE / 2 };
    char name_a[SHORT], name_b[SHORT];
    double cosine = perp_stage_row_speed(stage, a->row, b->response) / (a->size * b->size);
    sim->system->name(sim, &stage->rows, PERP_RESIDUAL_APPROACH, a->contact, a->contact, name_a,
                      sizeof name_a);
    sim->system->name(sim, &stage->rows, PERP_RESIDUAL_APPROACH, b->contact, b->contact, name_b,
                      sizeof name_b);
    perp_step_warn(sim, "PS02's angle condition fails, cosine %.3g: %s; %s", cosine, name_a,
                   name_b);
}

static bool is_closed(const PerpStage *start, const PerpUnilateral *u)
{
    if (u->kind == PERP_UNILATERAL_RATE)
        return false;
    if (u->gap <= CLOSED)
        return true;
    for (int i = 0; i < start->rows.problem.n_contacts; i++)
        if (start->rows.unilateral[i].id == u->id)
            return start->rows.unilateral[i].gap <= CLOSED;
    return false;
}

PerpStatus perp_check_angles(PerpSimulation *sim, const PerpStage *start, const PerpStage *stage,
                             PerpError *error)
{
    int count = 0, n = stage->rows.problem.n_contacts;
    Closed *closed = PERP_TAKE(&sim->arena, Closed, n + 1);
    if (!closed)
        return perp_fail_memory(error);
    for (int i = 0; i < n; i++) {
        if (!is_closed(start, &stage->rows.unilateral[i]))
            continue;
        Closed *c = &closed[count];
        *c = (Closed){i, perp_stage_contact_row(stage, i), PERP_TAKE(&sim->arena, double, sim->n_v),
                      0};
        PerpStatus status =
            c->response ? respond(sim, stage, c->row, c->response, error) : perp_fail_memory(error);
        if (status)
            return status;
        c->size = sqrt(fmax(perp_stage_row_speed(stage, c->row, c->response), 0));
        for (int k = 0; k < count; k++)
            if (!obeys(stage, &closed[k], c)) {
                warn_of_pair(sim, stage, &closed[k], c);
                return PERP_OK;
            }
        count++;
    }
    return PERP_OK;
}
