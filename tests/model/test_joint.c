// Joints: equations and coordinates, and their gradients against differences.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/joints/joints.h"
#include "random.h"

#include <float.h>

static const double PI = 3.14159265358979323846;

static PerpVec3 random_vector(PerpRandom *r, double size)
{
    return (PerpVec3){size * perp_random_normal(r), size * perp_random_normal(r),
                      size * perp_random_normal(r)};
}

static PerpQuat random_orientation(PerpRandom *r)
{
    PerpQuat q = {perp_random_normal(r), perp_random_normal(r), perp_random_normal(r),
                  perp_random_normal(r)};
    return perp_quat_normalise(q);
}

static PerpPose random_pose(PerpRandom *r)
{
    return (PerpPose){random_vector(r, 1), random_orientation(r)};
}

static PerpPose inverse(PerpPose pose)
{
    PerpQuat back = perp_quat_conjugate(pose.rotation);
    return (PerpPose){perp_quat_rotate(back, perp_vec3_scale(-1, pose.position)), back};
}

// All kinds but couplings, which are not between two bodies.
static int next_kind(int kind)
{
    return kind + 1 == PERP_JOINT_COUPLING ? kind + 2 : kind + 1;
}

static PerpJoint random_joint(PerpRandom *r, PerpJointKind kind)
{
    return (PerpJoint){.kind = kind,
                       .body_a = 0,
                       .body_b = 1,
                       .frame_a = random_pose(r),
                       .frame_b = random_pose(r),
                       .length = perp_random_uniform(r, 0.5, 2)};
}

static PerpQuat turn_about(double x, double y, double z, double angle)
{
    return perp_quat_exp((PerpVec3){angle * x, angle * y, angle * z});
}

// The pose of b's frame in a's that satisfies the joint, at given coordinates.
static PerpPose satisfied(PerpRandom *r, const PerpJoint *joint, const double x[2])
{
    PerpPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
    PerpQuat any = random_orientation(r);
    double s = perp_random_uniform(r, -1, 1), t = perp_random_uniform(r, -1, 1), direction[3];
    perp_random_direction(r, direction);
    switch (joint->kind) {
    case PERP_JOINT_BALL:
        return (PerpPose){pose.position, any};
    case PERP_JOINT_HINGE:
        return (PerpPose){pose.position, turn_about(0, 0, 1, x[0])};
    case PERP_JOINT_SLIDER:
        return (PerpPose){{0, 0, x[0]}, pose.rotation};
    case PERP_JOINT_UNIVERSAL:
        pose.rotation = perp_quat_product(turn_about(0, 0, 1, x[0]), turn_about(1, 0, 0, x[1]));
        return pose;
    case PERP_JOINT_CYLINDRICAL:
        return (PerpPose){{0, 0, x[0]}, turn_about(0, 0, 1, x[1])};
    case PERP_JOINT_DISTANCE:
    case PERP_JOINT_ROPE:
        return (PerpPose){perp_vec3_scale(joint->length, perp_vec3_load(direction)), any};
    case PERP_JOINT_POINT_ON_PLANE:
        return (PerpPose){{s, t, 0}, any};
    default:
        return pose;
    }
}

// Where the joint is satisfied, but for a disturbance of the given size.
static PerpJointPlace random_place(PerpRandom *r, const PerpJoint *joint, const double x[2],
                                   double disturbance)
{
    PerpPose between = satisfied(r, joint, x);
    between.position = perp_vec3_add(between.position, random_vector(r, disturbance));
    between.rotation = perp_quat_plus(between.rotation, random_vector(r, disturbance));
    PerpPose a = random_pose(r);
    PerpPose b = perp_pose_product(perp_pose_product(a, joint->frame_a), between);
    return (PerpJointPlace){a, perp_pose_product(b, inverse(joint->frame_b))};
}

typedef struct Velocity {
    PerpVec3 v_a, w_a, v_b, w_b;
} Velocity;

static Velocity random_velocity(PerpRandom *r)
{
    return (Velocity){random_vector(r, 1), random_vector(r, 1), random_vector(r, 1),
                      random_vector(r, 1)};
}

static PerpPose move(PerpPose pose, PerpVec3 v, PerpVec3 w, double h)
{
    return (PerpPose){perp_vec3_add_scaled(pose.position, h, v),
                      perp_quat_plus(pose.rotation, perp_vec3_scale(h, w))};
}

static PerpJointPlace move_place(PerpJointPlace place, Velocity u, double h)
{
    return (PerpJointPlace){move(place.a, u.v_a, u.w_a, h), move(place.b, u.v_b, u.w_b, h)};
}

static double row_speed(PerpJointRow row, Velocity u)
{
    return perp_vec3_dot(row.a_linear, u.v_a) + perp_vec3_dot(row.a_angular, u.w_a) +
           perp_vec3_dot(row.b_linear, u.v_b) + perp_vec3_dot(row.b_angular, u.w_b);
}

// All that a joint measures: equations, coordinates, gap.
static int measure(const PerpJoint *joint, PerpJointPlace place, double *value, PerpJointRow *row)
{
    const PerpJointTable *table = perp_joint_table(joint->kind);
    int count = 0;
    if (table->equation)
        table->equation(joint, place, value, row);
    count += table->equation ? table->equations : 0;
    for (int k = 0; k < table->coordinates; k++, count++)
        value[count] = table->coordinate(joint, place, k, &row[count]);
    if (joint->kind == PERP_JOINT_ROPE) {
        value[count] = perp_joint_rope_gap(joint, place, &row[count]);
        count++;
    }
    return count;
}

enum { MOST = PERP_JOINT_EQUATIONS + PERP_JOINT_COORDINATES };

static void check_gradients(const PerpJoint *joint, PerpJointPlace place, Velocity u)
{
    const double h = 1e-5;
    double value[MOST], before[MOST], after[MOST];
    PerpJointRow row[MOST], unused[MOST];
    int count = measure(joint, place, value, row);
    measure(joint, move_place(place, u, -h), before, unused);
    measure(joint, move_place(place, u, h), after, unused);
    for (int k = 0; k < count; k++) {
        double speed = row_speed(row[k], u);
        double difference = (after[k] - before[k]) / (2 * h);
        assert_true(fabs(speed - difference) <= 1e-7 * (1 + fabs(speed)));
    }
}

static void test_gradients(void **state)
{
    (void)state;
    static const double disturbances[] = {0, 1e-6, 1e-3, 0.2};
    PerpRandom r = perp_random(1);
    for (int kind = next_kind(-1); kind < PERP_JOINT_KIND_COUNT; kind = next_kind(kind))
        for (int n = 0; n < 400; n++) {
            PerpJoint joint = random_joint(&r, (PerpJointKind)kind);
            double x[2] = {perp_random_uniform(&r, -3, 3), perp_random_uniform(&r, -3, 3)};
            PerpJointPlace place = random_place(&r, &joint, x, disturbances[n % 4]);
            check_gradients(&joint, place, random_velocity(&r));
        }
}

// the disturbance is seen, and nothing but the disturbance
static void test_equations_vanish_where_the_joint_holds(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int kind = next_kind(-1); kind < PERP_JOINT_KIND_COUNT; kind = next_kind(kind)) {
        const PerpJointTable *table = perp_joint_table((PerpJointKind)kind);
        for (int n = 0; n < 100; n++) {
            PerpJoint joint = random_joint(&r, (PerpJointKind)kind);
            double x[2] = {perp_random_uniform(&r, -3, 3), perp_random_uniform(&r, -3, 3)};
            double value[MOST], off[MOST], sum = 0;
            PerpJointRow row[MOST];
            measure(&joint, random_place(&r, &joint, x, 0), value, row);
            measure(&joint, random_place(&r, &joint, x, 0.01), off, row);
            for (int k = 0; k < table->equations; k++) {
                assert_true(fabs(value[k]) <= 1e-14);
                sum += fabs(off[k]);
            }
            assert_true(table->equations == 0 || (sum > 1e-6 && sum < 1));
            for (int k = 0; k < table->coordinates; k++)
                assert_true(fabs(value[table->equations + k] - x[k]) <= 1e-14);
        }
    }
}

static void store_row(PerpJointRow row, int k, int rows, double *J)
{
    double entries[12];
    perp_vec3_store(row.a_linear, entries);
    perp_vec3_store(row.a_angular, entries + 3);
    perp_vec3_store(row.b_linear, entries + 6);
    perp_vec3_store(row.b_angular, entries + 9);
    for (int i = 0; i < 12; i++)
        J[k + rows * i] = entries[i];
}

// the smallest pivot of Gram-Schmidt on the rows
static double smallest_pivot(int rows, double *J)
{
    double smallest = INFINITY;
    for (int k = 0; k < rows; k++) {
        for (int j = 0; j < k; j++) {
            double dot = 0;
            for (int i = 0; i < 12; i++)
                dot += J[k + rows * i] * J[j + rows * i];
            for (int i = 0; i < 12; i++)
                J[k + rows * i] -= dot * J[j + rows * i];
        }
        double square = 0;
        for (int i = 0; i < 12; i++)
            square += J[k + rows * i] * J[k + rows * i];
        smallest = fmin(smallest, sqrt(square));
        for (int i = 0; i < 12; i++)
            J[k + rows * i] /= sqrt(square);
    }
    return smallest;
}

// equations and coordinates together are independent
static void test_rows_have_full_rank(void **state)
{
    (void)state;
    PerpRandom r = perp_random(3);
    for (int kind = next_kind(-1); kind < PERP_JOINT_KIND_COUNT; kind = next_kind(kind))
        for (int n = 0; n < 100; n++) {
            PerpJoint joint = random_joint(&r, (PerpJointKind)kind);
            double x[2] = {perp_random_uniform(&r, -3, 3), perp_random_uniform(&r, -3, 3)};
            double value[MOST], J[12 * MOST];
            PerpJointRow row[MOST];
            int rows = measure(&joint, random_place(&r, &joint, x, 0), value, row);
            for (int k = 0; k < rows; k++)
                store_row(row[k], k, rows, J);
            assert_true(smallest_pivot(rows, J) > 1e-2);
        }
}

// a rigid motion of both bodies together moves no joint
static void test_common_motion(void **state)
{
    (void)state;
    PerpRandom r = perp_random(4);
    for (int kind = next_kind(-1); kind < PERP_JOINT_KIND_COUNT; kind = next_kind(kind))
        for (int n = 0; n < 100; n++) {
            PerpJoint joint = random_joint(&r, (PerpJointKind)kind);
            double x[2] = {1, 2}, value[MOST];
            PerpJointPlace place = random_place(&r, &joint, x, 0);
            PerpVec3 v = random_vector(&r, 1), w = random_vector(&r, 1);
            Velocity u = {
                perp_vec3_add(v, perp_vec3_cross(w, place.a.position)),
                perp_quat_rotate_back(place.a.rotation, w),
                perp_vec3_add(v, perp_vec3_cross(w, place.b.position)),
                perp_quat_rotate_back(place.b.rotation, w),
            };
            PerpJointRow row[MOST];
            int rows = measure(&joint, place, value, row);
            for (int k = 0; k < rows; k++)
                assert_true(fabs(row_speed(row[k], u)) <= 1e-13);
        }
}

static const PerpPose IDENTITY = {{0, 0, 0}, {1, 0, 0, 0}};

static void test_half_a_turn_is_plus_pi(void **state)
{
    (void)state;
    PerpJoint hinge = {.kind = PERP_JOINT_HINGE, .frame_a = IDENTITY, .frame_b = IDENTITY};
    PerpJointRow row;
    for (int sign = -1; sign <= 1; sign += 2) {
        PerpJointPlace place = {IDENTITY, {{0, 0, 0}, {0, 0, 0, sign}}};
        double angle = perp_joint_hinge.coordinate(&hinge, place, 0, &row);
        assert_true(angle == PI);
        assert_true(fabs(row.b_angular.z - 1) <= DBL_EPSILON);
    }
    // -0 counts as 0
    PerpJointFrames f = perp_joint_frames(&hinge, (PerpJointPlace){IDENTITY, IDENTITY});
    PerpVec3 z = {0, 0, 1}, none = {0, 0, 0};
    assert_true(perp_joint_angle(&f, -0.0, z, -1, none, &row) == PI);
}

static bool row_is_zero(PerpJointRow row)
{
    return perp_vec3_norm(row.a_linear) + perp_vec3_norm(row.a_angular) +
               perp_vec3_norm(row.b_linear) + perp_vec3_norm(row.b_angular) ==
           0;
}

// a hinge torn upside down has no angle, a rod of no length no direction: zeros, not NaN
static void test_places_without_gradient(void **state)
{
    (void)state;
    PerpJoint joint = {.kind = PERP_JOINT_HINGE, .frame_a = IDENTITY, .frame_b = IDENTITY};
    PerpJointPlace place = {IDENTITY, {{0, 0, 0}, {0, 1, 0, 0}}};
    PerpJointRow row;
    assert_true(perp_joint_hinge.coordinate(&joint, place, 0, &row) == 0);
    assert_true(row_is_zero(row));
    double value;
    joint.length = 2;
    place.b = IDENTITY;
    perp_joint_distance.equation(&joint, place, &value, &row);
    assert_true(value == -2);
    assert_true(row_is_zero(row));
}

// the lock stays exact up to half a turn
static void test_lock_far_from_satisfied(void **state)
{
    (void)state;
    PerpRandom r = perp_random(5);
    for (int n = 0; n < 200; n++) {
        PerpJoint weld = random_joint(&r, PERP_JOINT_WELD);
        double x[2] = {0, 0}, direction[3], value[6];
        PerpJointPlace place = random_place(&r, &weld, x, 0);
        perp_random_direction(&r, direction);
        PerpVec3 phi = perp_vec3_scale(0.0155 * n, perp_vec3_load(direction));
        PerpQuat frame = weld.frame_b.rotation;
        PerpQuat turn = perp_quat_product(perp_quat_product(frame, perp_quat_exp(phi)),
                                          perp_quat_conjugate(frame));
        place.b.rotation = perp_quat_product(place.b.rotation, turn);
        PerpJointRow row[6];
        perp_joint_weld.equation(&weld, place, value, row);
        assert_true(perp_vec3_norm(perp_vec3_sub(perp_vec3_load(value + 3), phi)) <= 1e-13);
        check_gradients(&weld, place, random_velocity(&r));
    }
}

static void test_coupling_merges_bodies(void **state)
{
    (void)state;
    PerpRandom r = perp_random(6);
    PerpJoint gear = {.kind = PERP_JOINT_COUPLING, .ratio_a = 2, .ratio_b = -3, .constant = 0.5};
    PerpJoint one = {.kind = PERP_JOINT_HINGE, .body_a = -1, .body_b = 4};
    PerpJoint two = {.kind = PERP_JOINT_HINGE, .body_a = 7, .body_b = 4};
    assert_true(perp_joint_coupling_value(&gear, 1, 0.25) == 2 - 0.75 - 0.5);
    PerpJointRow row_a = {random_vector(&r, 1), random_vector(&r, 1), random_vector(&r, 1),
                          random_vector(&r, 1)};
    PerpJointRow row_b = {random_vector(&r, 1), random_vector(&r, 1), random_vector(&r, 1),
                          random_vector(&r, 1)};
    PerpCouplingRow sum = perp_joint_coupling_row(&gear, &one, row_a, &two, row_b);
    assert_int_equal(sum.n_bodies, 2);
    assert_int_equal(sum.body[0], 4);
    assert_int_equal(sum.body[1], 7);
    assert_true(sum.linear[0].x == 2 * row_a.b_linear.x - 3 * row_b.b_linear.x);
    assert_true(sum.angular[0].y == 2 * row_a.b_angular.y - 3 * row_b.b_angular.y);
    assert_true(sum.linear[1].z == -3 * row_b.a_linear.z);
    assert_true(sum.angular[1].x == -3 * row_b.a_angular.x);
}

// Of the five rows of a hinge about the normal, two are left for planar bodies, without dust.
static void test_restrict_planar_hinge(void **state)
{
    (void)state;
    PerpRandom r = perp_random(7);
    for (int n = 0; n < 100; n++) {
        PerpQuat axis = turn_about(-1, 0, 0, 0.5 * PI); // z to y
        PerpPose a = {{1, 0, 2}, turn_about(0, 1, 0, perp_random_uniform(&r, -3, 3))};
        PerpPose b = {{-1, 0, 0.5}, turn_about(0, 1, 0, perp_random_uniform(&r, -3, 3))};
        PerpJoint hinge = {.kind = PERP_JOINT_HINGE,
                           .frame_a = {{0.3, 0, 0.7}, axis},
                           .frame_b = {{0.2, 0, -0.1}, axis}};
        double value[5];
        PerpJointRow row[5];
        perp_joint_hinge.equation(&hinge, (PerpJointPlace){a, b}, value, row);
        int left = 0;
        for (int k = 0; k < 5; k++) {
            bool kept = perp_joint_row_restrict(&row[k], PERP_FREE_PLANAR_XZ, PERP_FREE_PLANAR_XZ);
            assert_true(kept || row_is_zero(row[k]));
            assert_true(row[k].a_linear.y == 0 && row[k].b_angular.x == 0);
            left += kept;
        }
        assert_int_equal(left, 2);
        assert_false(perp_joint_row_restrict(&row[0], 0, 0));
    }
}

// the tables say what the public list says
static void test_tables(void **state)
{
    (void)state;
#define CHECK(code, word, n_equations, n_coordinates, text)                                        \
    {                                                                                              \
        const PerpJointTable *table = perp_joint_table(PERP_JOINT_##code);                         \
        assert_string_equal(table->name, word);                                                    \
        assert_string_equal(perp_joint_kind_name(PERP_JOINT_##code), word);                        \
        assert_int_equal(table->equations, n_equations);                                           \
        assert_int_equal(table->coordinates, n_coordinates);                                       \
        assert_true((table->coordinate != NULL) == (n_coordinates > 0));                           \
        assert_true(table->angles >> n_coordinates == 0);                                          \
    }
    PERP_JOINT_LIST(CHECK)
#undef CHECK
    assert_string_equal(perp_joint_kind_name(PERP_JOINT_KIND_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_equations_vanish_where_the_joint_holds),
        cmocka_unit_test(test_rows_have_full_rank),
        cmocka_unit_test(test_common_motion),
        cmocka_unit_test(test_half_a_turn_is_plus_pi),
        cmocka_unit_test(test_places_without_gradient),
        cmocka_unit_test(test_lock_far_from_satisfied),
        cmocka_unit_test(test_coupling_merges_bodies),
        cmocka_unit_test(test_restrict_planar_hinge),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
