// Checks of joint definitions.
#include "model/compile.h"

// How exactly axes must be perpendicular: files print six digits.
static const double AGREEMENT = 1e-6;

// The bounds may be infinite, but must leave room.
static void check_limits(PerpCheck *check, double lower, double upper)
{
    if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY)
        perp_check_fail(check, PERP_BAD_VALUE,
                        "the limits are %g and %g; the lower one must not exceed the upper", lower,
                        upper);
}

static void check_axis(PerpCheck *check, const PerpAxisDef *def)
{
    check_limits(check, def->lower, def->upper);
    perp_check_fraction(check, "restitution", def->restitution);
    perp_check_number(check, "motor_speed", def->motor_speed);
    if (!(def->motor_force >= 0))
        perp_check_fail(check, PERP_BAD_VALUE, "motor_force is %g; it must be at least 0",
                        def->motor_force);
    perp_check_at_least(check, "friction", def->friction, 0);
    perp_check_at_least(check, "stiffness", def->stiffness, 0);
    perp_check_at_least(check, "damping", def->damping, 0);
    perp_check_number(check, "rest", def->rest);
}

static void check_soft(PerpCheck *check, const PerpAxisSoftDef *soft, const PerpAxisDef *def)
{
    perp_check_at_least(check, "armature", soft->armature, 0);
    perp_check_at_least(check, "limit_stiffness", soft->limit_stiffness, 0);
    perp_check_at_least(check, "limit_damping", soft->limit_damping, 0);
    if (soft->limit_stiffness > 0 && def->restitution > 0)
        perp_check_fail(check, PERP_BAD_VALUE,
                        "soft limits have no restitution; limit_damping says how they bounce");
}

static bool is_default_axis(const PerpAxisDef *def, const PerpAxisSoftDef *soft)
{
    return soft->armature == 0 && soft->limit_stiffness == 0 && soft->limit_damping == 0 &&
           def->lower == -INFINITY && def->upper == INFINITY && def->restitution == 0 &&
           def->motor_speed == 0 && def->motor_force == 0 && def->friction == 0 &&
           def->stiffness == 0 && def->damping == 0 && def->rest == 0;
}

static void check_axes(PerpCheck *check, const PerpJointDef *def, int coordinates)
{
    for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
        if (k < coordinates) {
            check_axis(check, &def->axis_def[k]);
            check_soft(check, &def->axis_soft[k], &def->axis_def[k]);
        } else if (!is_default_axis(&def->axis_def[k], &def->axis_soft[k]))
            perp_check_fail(check, PERP_BAD_VALUE,
                            "axis_def[%d] is set, but a %s has no coordinate %d", k,
                            perp_joint_kind_name(def->kind), k);
}

static void check_ratchet(PerpCheck *check, const PerpJointDef *def, int coordinates)
{
    if (def->ratchet && coordinates != 1)
        perp_check_fail(check, PERP_BAD_VALUE, "a %s has no ratchet; hinges and sliders have",
                        perp_joint_kind_name(def->kind));
}

static void check_directions(PerpCheck *check, const PerpJointDef *def, int axes)
{
    if (axes >= 1)
        perp_check_direction(check, "axis", def->axis);
    if (axes < 2)
        return;
    perp_check_direction(check, "axis_b", def->axis_b);
    double cosine = perp_vec3_dot(perp_vec3_normalise(perp_vec3_load(def->axis)),
                                  perp_vec3_normalise(perp_vec3_load(def->axis_b)));
    if (fabs(cosine) > AGREEMENT)
        perp_check_fail(check, PERP_BAD_VALUE,
                        "axis and axis_b must be perpendicular; the cosine of their angle is %g",
                        cosine);
}

static void check_bodies(PerpCheck *check, const PerpModel *model, const PerpJointDef *def)
{
    perp_check_index(check, "body_a", def->body_a, -1, model->n_bodies);
    perp_check_index(check, "body_b", def->body_b, -1, model->n_bodies);
    if (def->body_a == def->body_b)
        perp_check_fail(check, PERP_BAD_VALUE, "body_a and body_b are both %d", def->body_a);
    perp_check_finite(check, "anchor", def->anchor, 3);
}

static void check_lengths(PerpCheck *check, const PerpJointDef *def)
{
    perp_check_finite(check, "anchor_b", def->anchor_b, 3);
    perp_check_at_least(check, "length", def->length, 0);
    perp_check_fraction(check, "restitution", def->restitution);
}

static void check_coupled(PerpCheck *check, const PerpModelDef *def, const char *what, int joint,
                          int coordinate)
{
    perp_check_index(check, what, joint, 0, def->n_joints);
    if (check->status)
        return;
    PerpJointKind kind = def->joints[joint].kind;
    perp_check_index(check, "the kind of a coupled joint", (int)kind, 0, PERP_JOINT_KIND_COUNT);
    int coordinates = check->status ? 0 : perp_joint_table(kind)->coordinates;
    if (coordinate < 0 || coordinate >= coordinates)
        perp_check_fail(check, PERP_BAD_VALUE, "%s, number %d, is a %s, which has no coordinate %d",
                        what, joint, perp_joint_kind_name(kind), coordinate);
}

static void check_coupling(PerpCheck *check, const PerpModelDef *def, const PerpJointDef *coupling)
{
    check_coupled(check, def, "joint_a", coupling->joint_a, coupling->coordinate_a);
    check_coupled(check, def, "joint_b", coupling->joint_b, coupling->coordinate_b);
    if (coupling->joint_a == coupling->joint_b && coupling->coordinate_a == coupling->coordinate_b)
        perp_check_fail(check, PERP_BAD_VALUE, "it couples a coordinate to itself");
    perp_check_number(check, "ratio_a", coupling->ratio_a);
    perp_check_number(check, "ratio_b", coupling->ratio_b);
    if (coupling->ratio_a == 0 && coupling->ratio_b == 0)
        perp_check_fail(check, PERP_BAD_VALUE, "ratio_a and ratio_b are both 0");
}

PerpStatus perp_check_joint(const PerpModel *model, const PerpModelDef *def, int index,
                            PerpError *error)
{
    const PerpJointDef *joint = &def->joints[index];
    PerpCheck check = {.kind = "joint", .name = model->joints[index].name, .error = error};
    perp_check_index(&check, "kind", (int)joint->kind, 0, PERP_JOINT_KIND_COUNT);
    if (check.status)
        return check.status;
    const PerpJointTable *table = perp_joint_table(joint->kind);
    if (table->anchors == 0)
        check_coupling(&check, def, joint);
    else
        check_bodies(&check, model, joint);
    if (table->anchors == 2)
        check_lengths(&check, joint);
    check_directions(&check, joint, table->axes);
    check_axes(&check, joint, table->coordinates);
    check_ratchet(&check, joint, table->coordinates);
    perp_check_times(&check, joint->start, joint->end);
    return check.status;
}
