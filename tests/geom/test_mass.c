// Mass properties: closed forms, and sums over parts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shapes.h"

#include <float.h>

static const double PI = 3.14159265358979323846;

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static void assert_mass(const PerpShape *shape, double mass, double xx, double yy, double zz)
{
    PerpMassProperties m = perp_shape_mass(shape);
    assert_near(m.mass, mass, 1e-13 * mass);
    assert_near(m.inertia.x.x, xx, 1e-13 * xx);
    assert_near(m.inertia.y.y, yy, 1e-13 * yy);
    assert_near(m.inertia.z.z, zz, 1e-13 * zz);
    assert_near(m.inertia.x.y, 0, 1e-14 * mass);
    assert_near(m.inertia.z.x, 0, 1e-14 * mass);
    assert_near(perp_vec3_norm(m.centre), 0, 1e-15);
}

static void test_closed_forms(void **state)
{
    (void)state;
    PerpShape ball = perp_test_shape(PERP_SHAPE_SPHERE, 2, 1, 1);
    double m = 4.0 / 3.0 * PI * 8;
    assert_mass(&ball, m, 0.4 * m * 4, 0.4 * m * 4, 0.4 * m * 4);
    PerpShape box = perp_test_shape(PERP_SHAPE_BOX, 1, 2, 3);
    assert_mass(&box, 48, 48 * 13 / 3.0, 48 * 10 / 3.0, 48 * 5 / 3.0);
    PerpShape cylinder = perp_test_shape(PERP_SHAPE_CYLINDER, 2, 3, 1);
    m = PI * 4 * 6;
    assert_mass(&cylinder, m, m * (3 * 4 + 36) / 12, m * (3 * 4 + 36) / 12, m * 4 / 2);
    PerpShape ellipsoid = perp_test_shape(PERP_SHAPE_ELLIPSOID, 1, 2, 3);
    m = 4.0 / 3.0 * PI * 6;
    assert_mass(&ellipsoid, m, m * 13 / 5, m * 10 / 5, m * 5 / 5);
    perp_test_shape_free(&ball);
    perp_test_shape_free(&box);
}

// cylinder, and two half balls with their centres 3/8 r beyond the cylinder's ends
static void test_capsule(void **state)
{
    (void)state;
    double r = 0.7, h = 1.3, mc = PI * r * r * 2 * h, mh = 2.0 / 3.0 * PI * r * r * r;
    double own = 0.4 * mh * r * r - mh * (0.375 * r) * (0.375 * r);
    double arm = h + 0.375 * r;
    double xx = mc * (3 * r * r + 4 * h * h) / 12 + 2 * (own + mh * arm * arm);
    PerpShape capsule = perp_test_shape(PERP_SHAPE_CAPSULE, r, h, 1);
    assert_mass(&capsule, mc + 2 * mh, xx, xx, mc * r * r / 2 + 2 * 0.4 * mh * r * r);
    perp_test_shape_free(&capsule);
}

static void test_no_mass(void **state)
{
    (void)state;
    PerpShapeKind kinds[] = {PERP_SHAPE_POINT, PERP_SHAPE_PLANE, PERP_SHAPE_HEIGHT_FIELD};
    PerpRandom r = perp_random(1);
    for (int i = 0; i < 3; i++) {
        PerpShape shape = perp_random_shape(&r, kinds[i]);
        assert_true(perp_shape_mass(&shape).mass == 0);
        perp_test_shape_free(&shape);
    }
}

// the tetrahedron 0, x, y, z of unit sides: volume 1/6, moments 1/60 and 1/120 about the corner
static void test_tetrahedron(void **state)
{
    (void)state;
    double corners[12] = {5, 6, 7, 6, 6, 7, 5, 7, 7, 5, 6, 8};
    PerpShape hull = perp_test_hull(4, corners);
    PerpMassProperties m = perp_shape_mass(&hull);
    assert_near(m.mass, 1.0 / 6, 1e-15);
    assert_near(m.centre.x, 5.25, 1e-14);
    assert_near(m.centre.z, 7.25, 1e-14);
    double second = 1.0 / 60 - 1.0 / 6 / 16, mixed = 1.0 / 120 - 1.0 / 6 / 16;
    assert_near(m.inertia.x.x, 2 * second, 1e-15);
    assert_near(m.inertia.x.y, -mixed, 1e-15);
    perp_test_shape_free(&hull);
}

static bool is_inside(const PerpPolyhedron *p, PerpVec3 x)
{
    for (int f = 0; f < p->n_faces; f++)
        if (perp_vec3_dot(p->normal[f], x) > p->offset[f])
            return false;
    return true;
}

// random points in a box about the hull: volume and centre to a few standard errors
static void test_hull_against_monte_carlo(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int n = 0; n < 5; n++) {
        PerpShape hull = perp_random_shape(&r, PERP_SHAPE_HULL);
        PerpMassProperties m = perp_shape_mass(&hull);
        double half = 2, volume = 8 * half * half * half;
        int samples = 400000, hits = 0;
        PerpVec3 sum = {0, 0, 0};
        double squares = 0;
        for (int i = 0; i < samples; i++) {
            PerpVec3 x = perp_random_pose(&r, half).position;
            if (!is_inside(hull.polyhedron, x))
                continue;
            hits++;
            sum = perp_vec3_add(sum, x);
            PerpVec3 arm = perp_vec3_sub(x, m.centre);
            squares += arm.x * arm.x + arm.y * arm.y;
        }
        double error = volume * sqrt((double)hits) / samples;
        assert_near(volume * hits / samples, m.mass, 5 * error);
        assert_near(perp_vec3_norm(perp_vec3_sub(perp_vec3_scale(1.0 / hits, sum), m.centre)), 0,
                    5 / sqrt((double)hits));
        assert_near(squares / hits, m.inertia.z.z / m.mass, 5 / sqrt((double)hits));
        perp_test_shape_free(&hull);
    }
}

// a box cut in two and put together again
static void test_sum_of_parts(void **state)
{
    (void)state;
    PerpShape whole = perp_test_shape(PERP_SHAPE_BOX, 1, 2, 3);
    PerpShape half = perp_test_shape(PERP_SHAPE_BOX, 1, 2, 1.5);
    PerpPose frame = perp_pose_turned(1, -2, 3, (PerpVec3){0.3, 0.7, -0.2});
    PerpMassProperties part = perp_shape_mass(&half);
    PerpPose lower = perp_pose_product(frame, (PerpPose){{0, 0, -1.5}, {1, 0, 0, 0}});
    PerpPose upper = perp_pose_product(frame, (PerpPose){{0, 0, 1.5}, {1, 0, 0, 0}});
    PerpMassProperties sum =
        perp_mass_sum(perp_mass_moved(part, lower, 3), perp_mass_moved(part, upper, 3));
    PerpMassProperties expected = perp_mass_moved(perp_shape_mass(&whole), frame, 3);
    assert_near(sum.mass, expected.mass, 1e-12);
    assert_near(perp_vec3_norm(perp_vec3_sub(sum.centre, expected.centre)), 0, 1e-14);
    assert_near(sum.inertia.x.x, expected.inertia.x.x, 1e-11);
    assert_near(sum.inertia.x.y, expected.inertia.x.y, 1e-11);
    assert_near(sum.inertia.y.z, expected.inertia.y.z, 1e-11);
    PerpMassProperties none = {0};
    assert_true(perp_mass_sum(none, none).mass == 0);
    assert_true(perp_mass_sum(none, expected).mass == expected.mass);
    perp_test_shape_free(&whole);
    perp_test_shape_free(&half);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_capsule),
        cmocka_unit_test(test_no_mass),
        cmocka_unit_test(test_tetrahedron),
        cmocka_unit_test(test_hull_against_monte_carlo),
        cmocka_unit_test(test_sum_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
