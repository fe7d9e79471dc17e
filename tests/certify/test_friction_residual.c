// The residual of the circular cone: by hand, and of the polyhedral LCP that stands for it.
#include "perp/friction.h"

#include "solving.h"

#include "failing_allocator.h"

#include <math.h>
#include <string.h>

static const double mu_half[1] = {0.5};

static PerpFrictionResidual residual_of(int dimension, const double *q, const double *u,
                                        const double *r)
{
    PerpFrictionCones cone = {.dimension = dimension, .contacts = 1, .mu = mu_half};
    return perp_friction_residual(&cone, q, u, r);
}

// at rest on the ground, sliding along (3, 4) against friction, open
static void solutions_have_no_residual(void **state)
{
    (void)state;
    const double falling[3] = {-1, 0, 0}, still[3] = {0, 0, 0}, load[3] = {1, 0.3, 0.4};
    assert_true(residual_of(3, falling, still, load).residual <= 1e-15);
    const double sliding[3] = {0, 3, 4}, friction[3] = {1, -0.3, -0.4}, before[3] = {-1, 3.3, 4.4};
    assert_true(residual_of(3, before, sliding, friction).residual <= 1e-15);
    const double rising[2] = {1, 5}, nothing[2] = {0, 0};
    assert_true(residual_of(2, rising, rising, nothing).residual == 0);
}

// u = (-1, 0), r = 0: the projection of (1, 0) is itself, 1 away, and so is that of doing nothing
static void doing_nothing_has_residual_one(void **state)
{
    (void)state;
    const double falling[2] = {-1, 0}, nothing[2] = {0, 0};
    assert_true(residual_of(2, falling, falling, nothing).residual == 1);
    // a pull of 2 where there is nothing to do: a velocity, not divided
    const double rising[2] = {1, 0}, rho[2] = {-2, 0};
    assert_true(residual_of(2, rising, rising, rho).residual == 2);
}

// (0, 1) projects on the edge r_t = r_n / 2 at (0.4, 0.2): sqrt(0.4^2 + 0.8^2) away
static void impulses_outside_the_cone_are_projected(void **state)
{
    (void)state;
    const double still[2] = {0, 0}, sideways[2] = {0, 1};
    double expected = sqrt(0.4 * 0.4 + 0.8 * 0.8);
    assert_true(fabs(residual_of(2, still, still, sideways).residual - expected) <= 1e-15);
}

static void worst_contact_is_named(void **state)
{
    (void)state;
    const double mu[3] = {0, 0, 0}, rho[3] = {1, 2, 4};
    const double q[6] = {-1, 0, -1, 0, -1, 0}, u[6] = {0, 0, -0.5, 0, -0.25, 0}, r[6] = {1, 0, 0};
    PerpFrictionCones cone = {.dimension = 2, .contacts = 3, .mu = mu, .rho = rho};
    PerpFrictionResidual residual = perp_friction_residual(&cone, q, u, r);
    assert_int_equal(residual.contact, 1);
    assert_true(residual.residual == 0.5);
    const double broken[6] = {0, 0, 0, 0, NAN, 0};
    residual = perp_friction_residual(&cone, q, broken, r);
    assert_int_equal(residual.contact, 2);
    assert_true(residual.residual == INFINITY);
}

static void directions_are_exact_on_the_axes(void **state)
{
    (void)state;
    const double quarter[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double direction[2];
    for (int facets = 4; facets <= 16; facets += 4)
        for (int k = 0; k < facets; k++) {
            perp_friction_direction(k, facets, direction);
            assert_true(fabs(hypot(direction[0], direction[1]) - 1) <= 1e-15);
            if (4 * k % facets == 0)
                assert_memory_equal(direction, quarter[4 * k / facets], sizeof direction);
        }
    perp_friction_direction(1, 2, direction);
    assert_true(direction[0] == -1 && direction[1] == 0);
}

// A point of mass 1 over the plane with W = 1: unknowns c_n, four beta, lambda.
static void fill_sliding_lcp(const double q[3], double mu, double *M, double *right)
{
    memset(M, 0, 36 * sizeof *M);
    M[0] = 1;
    right[0] = q[0];
    right[5] = 0;
    M[5] = mu;
    for (int i = 0; i < 4; i++) {
        double a[2], b[2];
        perp_friction_direction(i, 4, a);
        right[1 + i] = a[0] * q[1] + a[1] * q[2];
        M[1 + i + 6 * 5] = 1;
        M[5 + 6 * (1 + i)] = -1;
        for (int j = 0; j < 4; j++) {
            perp_friction_direction(j, 4, b);
            M[1 + i + 6 * (1 + j)] = a[0] * b[0] + a[1] * b[1];
        }
    }
}

// along an axis the polygon touches the circle; between two of them it does not
static void polygon_is_judged_by_the_circle(void **state)
{
    double M[36], q[6];
    PerpLcp p = {.n = 6, .M = M, .q = q};
    PerpFrictionCones cone = {.dimension = 3, .contacts = 1, .mu = mu_half};
    PerpFrictionResidual along, between;
    fill_sliding_lcp((double[]){-1, 3, 0}, 0.5, M, q);
    PerpLcpResult result = solve_lcp(*state, &p, NULL);
    assert_int_equal(perp_friction_residual_of_lcp(NULL, &cone, &p, result.z, &along, NULL),
                     PERP_OK);
    assert_true(along.residual <= 1e-14);
    fill_sliding_lcp((double[]){-1, 3, 2}, 0.5, M, q);
    result = solve_lcp(*state, &p, NULL);
    assert_int_equal(perp_friction_residual_of_lcp(NULL, &cone, &p, result.z, &between, NULL),
                     PERP_OK);
    assert_true(between.residual > 0.01 && between.residual < 0.5);
}

static void short_memory_is_told(void **state)
{
    (void)state;
    double M[36], q[6], z[6] = {0};
    PerpLcp p = {.n = 6, .M = M, .q = q};
    PerpFrictionCones cone = {.dimension = 3, .contacts = 1, .mu = mu_half};
    PerpFailingAllocator memory = {.fail_at = 1};
    PerpContext context = perp_failing_context(&memory);
    PerpFrictionResidual residual;
    PerpError error;
    fill_sliding_lcp((double[]){-1, 3, 0}, 0.5, M, q);
    assert_int_equal(perp_friction_residual_of_lcp(&context, &cone, &p, z, &residual, &error),
                     PERP_NO_MEMORY);
    assert_int_equal(error.status, PERP_NO_MEMORY);
    assert_int_equal(perp_friction_residual_of_lcp(&context, &cone, &p, z, &residual, &error),
                     PERP_OK);
    assert_true(residual.residual == 1);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_have_no_residual),
        cmocka_unit_test(doing_nothing_has_residual_one),
        cmocka_unit_test(impulses_outside_the_cone_are_projected),
        cmocka_unit_test(worst_contact_is_named),
        cmocka_unit_test(directions_are_exact_on_the_axes),
        cmocka_unit_test(polygon_is_judged_by_the_circle),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
