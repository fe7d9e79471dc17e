// The nearest points of segments and triangles, against all others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geom/nearest.h"
#include "shapes.h"

static PerpVec3 point(PerpRandom *r)
{
    return perp_random_pose(r, 1).position;
}

static double distance(PerpVec3 x, PerpVec3 y)
{
    return perp_vec3_norm(perp_vec3_sub(x, y));
}

static PerpSegment segment(PerpRandom *r)
{
    return (PerpSegment){point(r), point(r)};
}

// no other two points are nearer; crossing, parallel, and of length zero
static void test_segments(void **state)
{
    (void)state;
    PerpRandom r = perp_random(1);
    for (int n = 0; n < 300; n++) {
        PerpSegment a = segment(&r), b = segment(&r);
        PerpVec3 on_a, on_b;
        if (n % 3 == 1)
            b.u = perp_vec3_scale(perp_random_uniform(&r, -2, 2), a.u);
        if (n % 7 == 0)
            a.u = (PerpVec3){0, 0, 0};
        perp_segments_nearest(&a, &b, &on_a, &on_b);
        double found = distance(on_a, on_b);
        assert_true(distance(on_a, perp_segment_at(&a, perp_segment_nearest(&a, on_a))) < 1e-15);
        assert_true(distance(on_b, perp_segment_at(&b, perp_segment_nearest(&b, on_b))) < 1e-15);
        for (int k = 0; k < 300; k++) {
            PerpVec3 x = perp_segment_at(&a, perp_random_uniform(&r, 0, 1));
            PerpVec3 y = perp_segment_at(&b, perp_random_uniform(&r, 0, 1));
            assert_true(distance(x, y) >= found - 1e-12);
        }
    }
}

static void test_triangles(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    for (int n = 0; n < 300; n++) {
        PerpVec3 corner[3] = {point(&r), point(&r), point(&r)}, x = point(&r);
        PerpVec3 u = perp_vec3_sub(corner[1], corner[0]), v = perp_vec3_sub(corner[2], corner[0]);
        PerpVec3 nearest =
            perp_triangle_nearest(corner, perp_vec3_normalise(perp_vec3_cross(u, v)), x);
        double found = distance(x, nearest), least = INFINITY;
        for (int k = 0; k < 2000; k++) {
            double s = perp_random_uniform(&r, 0, 1), t = perp_random_uniform(&r, 0, 1);
            if (s + t > 1) {
                s = 1 - s;
                t = 1 - t;
            }
            PerpVec3 y = perp_vec3_add_scaled(perp_vec3_add_scaled(corner[0], s, u), t, v);
            least = fmin(least, distance(x, y));
            assert_true(distance(x, y) >= found - 1e-12);
        }
        assert_true(least < found + 0.2); // of all these some are near it
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
