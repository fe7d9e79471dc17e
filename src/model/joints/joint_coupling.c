// Coupling: a linear relation between coordinates of two joints, such as gears.
#include "model/joints/joints.h"

// ratio_a x_a + ratio_b x_b - constant = 0
double perp_joint_coupling_value(const PerpJoint *coupling, double x_a, double x_b)
{
    return coupling->ratio_a * x_a + coupling->ratio_b * x_b - coupling->constant;
}

// Adds ratio times one body's part of a row; the world is left out.
static void add_body(PerpCouplingRow *sum, int body, double ratio, PerpVec3 linear,
                     PerpVec3 angular)
{
    if (body < 0)
        return;
    int k = 0;
    while (k < sum->n_bodies && sum->body[k] != body)
        k++;
    if (k == sum->n_bodies)
        sum->body[sum->n_bodies++] = body;
    sum->linear[k] = perp_vec3_add_scaled(sum->linear[k], ratio, linear);
    sum->angular[k] = perp_vec3_add_scaled(sum->angular[k], ratio, angular);
}

PerpCouplingRow perp_joint_coupling_row(const PerpJoint *coupling, const PerpJoint *joint_a,
                                        PerpJointRow row_a, const PerpJoint *joint_b,
                                        PerpJointRow row_b)
{
    double ratio_a = coupling->ratio_a, ratio_b = coupling->ratio_b;
    PerpCouplingRow sum = {0};
    add_body(&sum, joint_a->body_a, ratio_a, row_a.a_linear, row_a.a_angular);
    add_body(&sum, joint_a->body_b, ratio_a, row_a.b_linear, row_a.b_angular);
    add_body(&sum, joint_b->body_a, ratio_b, row_b.a_linear, row_b.a_angular);
    add_body(&sum, joint_b->body_b, ratio_b, row_b.b_linear, row_b.b_angular);
    return sum;
}

// Its equation is over four bodies: perp_joint_coupling_value and perp_joint_coupling_row.
const PerpJointTable perp_joint_coupling = {
    .name = "coupling",
    .equations = 1,
};
