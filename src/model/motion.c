// Bodies, second step: masses and inertias checked, poses and velocities of the centres of mass.
#include "model/compile.h"

#include <float.h>

// How exactly a definition must agree with itself: files print six digits or more.
static const double AGREEMENT = 1e-6;

static const unsigned ANY_TRANSLATION = PERP_FREE_X | PERP_FREE_Y | PERP_FREE_Z;
static const unsigned ANY_ROTATION =
    PERP_FREE_ROTATION_X | PERP_FREE_ROTATION_Y | PERP_FREE_ROTATION_Z;

// The inertia of the free rotations; the blocked ones get the largest moment of the free ones, so
// that the whole is positive definite just if the block of the free ones is.
static PerpMat3 free_block(const PerpBody *body)
{
    PerpMat3 block = body->inertia;
    double *entry[3][3] = {{&block.x.x, &block.x.y, &block.x.z},
                           {&block.y.x, &block.y.y, &block.y.z},
                           {&block.z.x, &block.z.y, &block.z.z}};
    unsigned rotations = body->freedom >> 3;
    double largest = 0;
    for (int i = 0; i < 3; i++)
        largest = rotations >> i & 1 ? fmax(largest, *entry[i][i]) : largest;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!(rotations >> i & rotations >> j & 1))
                *entry[i][j] = i == j ? largest : 0;
    return block;
}

// 0 < d_1 <= d_2 <= d_3 <= d_1 + d_2: d_k = sum of m (x_i^2 + x_j^2) over the mass
static void check_inertia(PerpCheck *check, const PerpBody *body)
{
    PerpMat3 axes;
    PerpVec3 d = perp_mat3_eigen(free_block(body), &axes);
    double least = fmin(d.x, fmin(d.y, d.z)), largest = fmax(d.x, fmax(d.y, d.z));
    if (!(least > 16 * DBL_EPSILON * largest))
        perp_check_fail(check, PERP_BAD_MASS,
                        "its inertia about the free axes is not positive definite "
                        "(principal moments %g, %g, %g kg m^2)",
                        d.x, d.y, d.z);
    bool all_free = (body->freedom & ANY_ROTATION) == ANY_ROTATION;
    if (all_free && 2 * largest > (1 + AGREEMENT) * (d.x + d.y + d.z))
        perp_check_fail(check, PERP_BAD_MASS,
                        "the principal moments of its inertia are %g, %g, %g kg m^2; none may "
                        "exceed the sum of the two others",
                        d.x, d.y, d.z);
}

static void check_mass(PerpCheck *check, const PerpBody *body)
{
    perp_check_number(check, "mass", body->mass);
    perp_check_finite(check, "centre of mass", &body->centre.x, 3);
    perp_check_finite(check, "inertia", &body->inertia.x.x, 9);
    if (body->mass == 0 && body->freedom & ANY_TRANSLATION)
        perp_check_fail(check, PERP_BAD_MASS,
                        "it can move but has no mass; give it one, or a shape with a density");
    if (!check->status && body->freedom & ANY_ROTATION)
        check_inertia(check, body);
}

// A planar body turns about the normal of its plane, so its rotation is (w, s e_k).
static void align_with_plane(PerpCheck *check, PerpBody *body)
{
    static const struct {
        unsigned freedom;
        const char *axis;
        double keep[3]; // e_k
    } planes[] = {{PERP_FREE_PLANAR_XY, "z", {0, 0, 1}},
                  {PERP_FREE_PLANAR_XZ, "y", {0, 1, 0}},
                  {PERP_FREE_Y | PERP_FREE_Z | PERP_FREE_ROTATION_X, "x", {1, 0, 0}}};
    PerpQuat q = body->pose.rotation;
    for (int k = 0; k < 3; k++) {
        if (body->freedom != planes[k].freedom)
            continue;
        const double *keep = planes[k].keep;
        PerpVec3 tilt = {(1 - keep[0]) * q.x, (1 - keep[1]) * q.y, (1 - keep[2]) * q.z};
        if (perp_vec3_norm(tilt) > AGREEMENT) {
            perp_check_fail(check, PERP_BAD_VALUE,
                            "it is planar, but its %s axis is not along the world's; turn it "
                            "about %s only",
                            planes[k].axis, planes[k].axis);
            return;
        }
        body->pose.rotation =
            perp_quat_normalise((PerpQuat){q.w, keep[0] * q.x, keep[1] * q.y, keep[2] * q.z});
    }
}

// x_c = x_o + R c,  v_c = v_o + w x R c,  w in body axes = R' w
static void move_to_centre(PerpBody *body, const PerpBodyDef *def)
{
    PerpVec3 arm = perp_quat_rotate(body->pose.rotation, body->centre);
    PerpVec3 spin = perp_vec3_load(def->spin);
    body->pose.position = perp_vec3_add(perp_vec3_load(def->position), arm);
    body->velocity = perp_vec3_add(perp_vec3_load(def->velocity), perp_vec3_cross(spin, arm));
    body->spin = perp_quat_rotate_back(body->pose.rotation, spin);
}

// Velocities in blocked directions must be zero; what is only rounding of `scale` becomes so.
static void block_velocity(PerpCheck *check, PerpVec3 *velocity, unsigned freedom, double scale,
                           const char *what, const char *direction)
{
    double *component[3] = {&velocity->x, &velocity->y, &velocity->z};
    for (int k = 0; k < 3; k++) {
        if (freedom >> k & 1)
            continue;
        if (fabs(*component[k]) > AGREEMENT * scale)
            perp_check_fail(check, PERP_BAD_VALUE,
                            "%s starts with %g %s %c, which its freedom blocks", what,
                            *component[k], direction, "xyz"[k]);
        *component[k] = 0;
    }
}

static void block_velocities(PerpCheck *check, PerpBody *body, const PerpBodyDef *def)
{
    double spin = perp_vec3_norm(perp_vec3_load(def->spin));
    double speed =
        perp_vec3_norm(perp_vec3_load(def->velocity)) + spin * perp_vec3_norm(body->centre);
    block_velocity(check, &body->velocity, body->freedom, speed, "its centre of mass",
                   "m/s along the world's");
    block_velocity(check, &body->spin, body->freedom >> 3, spin, "it", "rad/s about its own");
}

static PerpStatus compile_motion(PerpBody *body, const PerpBodyDef *def, PerpError *error)
{
    PerpCheck check = {.kind = "body", .name = body->name, .error = error};
    check_mass(&check, body);
    body->pose.rotation = perp_compile_quat(def->rotation);
    align_with_plane(&check, body);
    move_to_centre(body, def);
    perp_check_finite(&check, "position of the centre of mass", &body->pose.position.x, 3);
    perp_check_finite(&check, "velocity of the centre of mass", &body->velocity.x, 3);
    block_velocities(&check, body, def);
    return check.status;
}

PerpStatus perp_compile_motion(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (int k = 0; k < model->n_bodies && !status; k++)
        status = compile_motion(&model->bodies[k], &def->bodies[k], error);
    for (int k = 0; k < model->n_shapes; k++) {
        PerpModelShape *shape = &model->shapes[k];
        if (shape->body >= 0)
            shape->pose.position =
                perp_vec3_sub(shape->pose.position, model->bodies[shape->body].centre);
    }
    return status;
}
