// When parts of a model exist: joints and springs come and go at the beginning of a step, with the
// simulation's own copies of them. Actuators are asked in control_rows.c.

#include "base/error.h"
#include "step/control/controls.h"
#include "step/rows/joint_rows.h"
#include "step/systems/rigid_system.h"

#include <math.h>
#include <string.h>

enum { OF_JOINT = 9 }; // present, frame_b, length or constant

static bool is_timed(double start, double end)
{
    return start > 0 || end < INFINITY;
}

static bool joint_is_timed(const PerpJoint *joint)
{
    return is_timed(joint->start, joint->end);
}

static bool spring_is_timed(const PerpSpring *spring)
{
    return is_timed(spring->start, spring->end);
}

int perp_presence_count(const PerpModel *model)
{
    int count = 0;
    for (int j = 0; j < model->n_joints; j++)
        count += joint_is_timed(&model->joints[j]) ? OF_JOINT : 0;
    for (int k = 0; k < model->n_springs; k++)
        count += spring_is_timed(&model->springs[k]);
    return count;
}

// --- the simulation's own model -----------------------------------------------------------------

static void *copy(const PerpSimulation *sim, const void *from, int count, size_t size)
{
    void *to = perp_allocate(&sim->context.allocator, (size_t)count, size);
    if (to && count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

PerpStatus perp_presence_begin(PerpSimulation *sim, const PerpModel *given, PerpError *error)
{
    PerpModel *own = &sim->bodies.own;
    *own = *given;
    own->surfaces = copy(sim, given->surfaces, given->n_materials * given->n_materials,
                         sizeof *given->surfaces);
    own->joints = copy(sim, given->joints, given->n_joints, sizeof *given->joints);
    own->springs = copy(sim, given->springs, given->n_springs, sizeof *given->springs);
    sim->bodies.given = given;
    sim->bodies.model = own;
    return own->surfaces && own->joints && own->springs ? PERP_OK : perp_fail_memory(error);
}

void perp_presence_end(PerpSimulation *sim)
{
    PerpModel *own = &sim->bodies.own;
    perp_free(&sim->context.allocator, own->surfaces);
    perp_free(&sim->context.allocator, own->joints);
    perp_free(&sim->context.allocator, own->springs);
}

// --- applying -----------------------------------------------------------------------------------

// Nothing acts on its coordinates, and it has no equations.
static void remove_joint(PerpJoint *joint)
{
    joint->absent = true;
    joint->ratchet = false;
    for (int k = 0; k < PERP_JOINT_COORDINATES; k++) {
        joint->axis[k] = perp_default_axis();
        joint->soft[k] = (PerpAxisSoftDef){.limit_stiffness = INFINITY};
    }
}

static void apply_joint(const double *numbers, PerpJoint *joint)
{
    const double *f = numbers + 1;
    joint->frame_b = (PerpPose){{f[0], f[1], f[2]}, {f[3], f[4], f[5], f[6]}};
    if (joint->kind == PERP_JOINT_COUPLING)
        joint->constant = f[7];
    else
        joint->length = f[7];
    if (numbers[0] == 0)
        remove_joint(joint);
}

// The simulation's own joints and springs as the numbers say.
void perp_presence_apply(PerpSimulation *sim)
{
    const PerpModel *given = sim->bodies.given;
    const double *numbers = sim->controls.presence;
    if (sim->controls.n_presence == 0)
        return;
    for (int j = 0; j < given->n_joints; j++) {
        if (!joint_is_timed(&given->joints[j]))
            continue;
        sim->bodies.own.joints[j] = given->joints[j];
        apply_joint(numbers, &sim->bodies.own.joints[j]);
        numbers += OF_JOINT;
    }
    for (int k = 0; k < given->n_springs; k++) {
        PerpSpring *spring = &sim->bodies.own.springs[k];
        if (!spring_is_timed(spring))
            continue;
        spring->stiffness = *numbers * given->springs[k].stiffness;
        spring->damping = *numbers++ * given->springs[k].damping;
    }
    sim->bodies.joint_rows.known = sim->bodies.angles.known = false;
    sim->errors.known = false;
    sim->sleep.ready = false;
}

// --- at the beginning of a step -----------------------------------------------------------------

static bool exists(double start, double end, double t, double slack)
{
    return t + slack >= start && t + slack < end;
}

static void note_frame(const PerpJoint *joint, double *numbers)
{
    PerpVec3 p = joint->frame_b.position;
    PerpQuat q = joint->frame_b.rotation;
    const double frame[7] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    memcpy(numbers + 1, frame, sizeof frame);
    numbers[8] = joint->kind == PERP_JOINT_COUPLING ? joint->constant : joint->length;
}

void perp_presence_start(PerpSimulation *sim)
{
    const PerpModel *given = sim->bodies.given;
    double *numbers = sim->controls.presence;
    for (int j = 0; j < given->n_joints; j++) {
        if (!joint_is_timed(&given->joints[j]))
            continue;
        numbers[0] = given->joints[j].start <= 0;
        note_frame(&given->joints[j], numbers);
        numbers += OF_JOINT;
    }
    for (int k = 0; k < given->n_springs; k++)
        if (spring_is_timed(&given->springs[k]))
            *numbers++ = given->springs[k].start <= 0;
    perp_presence_apply(sim);
}

static double coordinate(const PerpSimulation *sim, int joint, int k)
{
    PerpJointRow row;
    return perp_joint_value(sim->bodies.model, perp_rigid_poses(sim->state.q), joint, k, &row) +
           sim->state.turn[PERP_JOINT_COORDINATES * joint + k];
}

// The joint as the bodies are now: both frames coincide, or the anchors are as far apart as they
// are. A rope is as long as it was given, or as it must be.
static PerpStatus take_joint(PerpSimulation *sim, int index, PerpJoint *joint, PerpError *error)
{
    const PerpPose *pose = perp_rigid_poses(sim->state.q);
    if (joint->kind == PERP_JOINT_COUPLING) {
        joint->constant =
            perp_joint_coupling_value(joint, coordinate(sim, joint->joint_a, joint->coordinate_a),
                                      coordinate(sim, joint->joint_b, joint->coordinate_b));
        return PERP_OK;
    }
    PerpPose b = perp_rigid_pose(&sim->bodies.rigid, pose, joint->body_b);
    PerpPose frame =
        perp_pose_product(perp_rigid_pose(&sim->bodies.rigid, pose, joint->body_a), joint->frame_a);
    if (perp_joint_table(joint->kind)->anchors == 2) {
        PerpVec3 d = perp_vec3_sub(perp_pose_point(b, joint->frame_b.position), frame.position);
        double apart = perp_vec3_norm(d);
        joint->length = joint->kind == PERP_JOINT_ROPE ? fmax(joint->length, apart) : apart;
        return joint->length > 0
                   ? PERP_OK
                   : perp_fail(
                         error, PERP_BAD_VALUE,
                         "t = %.9g s: joint \"%.100s\" is to begin where its anchors coincide",
                         sim->state.t, joint->name);
    }
    joint->frame_b.position = perp_pose_local(b, frame.position);
    joint->frame_b.rotation =
        perp_quat_normalise(perp_quat_product(perp_quat_conjugate(b.rotation), frame.rotation));
    for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
        sim->state.turn[PERP_JOINT_COORDINATES * index + k] = 0;
    return PERP_OK;
}

typedef struct Change {
    bool any, begins; // something changes; a joint begins
} Change;

static PerpStatus update_joints(PerpSimulation *sim, double slack, double **numbers, Change *change,
                                PerpError *error)
{
    const PerpModel *given = sim->bodies.given;
    PerpStatus status = PERP_OK;
    for (int j = 0; j < given->n_joints && !status; j++) {
        PerpJoint joint = given->joints[j];
        if (!joint_is_timed(&joint))
            continue;
        bool present = exists(joint.start, joint.end, sim->state.t, slack), was = **numbers != 0;
        change->any = change->any || present != was;
        if (present && !was) {
            change->begins = true;
            status = take_joint(sim, j, &joint, error);
            note_frame(&joint, *numbers);
        }
        **numbers = present;
        *numbers += OF_JOINT;
    }
    return status;
}

static void update_springs(PerpSimulation *sim, double slack, double *numbers, Change *change)
{
    const PerpModel *given = sim->bodies.given;
    for (int k = 0; k < given->n_springs; k++) {
        const PerpSpring *spring = &given->springs[k];
        if (!spring_is_timed(spring))
            continue;
        bool present = exists(spring->start, spring->end, sim->state.t, slack);
        change->any = change->any || present != (*numbers != 0);
        *numbers++ = present;
    }
}

// Velocities that a new joint does not allow end in an impact: M (v2 - v1) = J'c, J v2 = 0. What
// the ledger of an impulse leaves over is what the joint takes.
static PerpStatus hit(PerpSimulation *sim, PerpError *error)
{
    perp_energy_close(sim);
    double left = sim->report.energy.scheme;
    double *none = perp_allocate(&sim->context.allocator, (size_t)sim->n_v, sizeof *none);
    if (!none)
        return perp_fail_memory(error);
    bool keep = sim->journal.keep;
    sim->journal.keep = false; // the joint is the model's, not the program's
    PerpStatus status = perp_simulation_apply_impulse(sim, none, error);
    sim->journal.keep = keep;
    perp_free(&sim->context.allocator, none);
    sim->report.energy.impact += status ? 0 : sim->report.energy.scheme - left;
    perp_energy_close(sim);
    return status;
}

PerpStatus perp_presence_update(PerpSimulation *sim, double h, PerpError *error)
{
    static const double ROUNDING = 1e-6; // of a step: t is a sum of steps
    double *numbers = sim->controls.presence, stored = 0;
    Change change = {0};
    if (!sim->bodies.model || sim->controls.n_presence == 0)
        return PERP_OK;
    stored = perp_energy_stored(sim);
    PerpStatus status = update_joints(sim, ROUNDING * h, &numbers, &change, error);
    if (status)
        return status;
    update_springs(sim, ROUNDING * h, numbers, &change);
    if (!change.any)
        return PERP_OK;
    perp_presence_apply(sim);
    sim->ledger.start += perp_energy_stored(sim) - stored;
    return change.begins ? hit(sim, error) : PERP_OK;
}

bool perp_actuator_acts(const PerpSimulation *sim, const PerpActuator *a)
{
    const double slack = 1e-9 * (1 + fabs(sim->state.t));
    for (int k = 0; k < a->n_terms; k++)
        if (sim->bodies.model->joints[a->term[k].joint].absent)
            return false;
    return !is_timed(a->start, a->end) || exists(a->start, a->end, sim->before.t, slack);
}
