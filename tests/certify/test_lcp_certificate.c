// The certificate of an LCP on problems solved by hand, and on errors of known size.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/lcp.h"

#include <math.h>

static void assert_close(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-12 * fabs(expected));
}

static PerpLcpCertificate certify(int n, int free, const double *M, const double *q,
                                  const double *z)
{
    PerpLcp p = {.n = n, .free = free, .M = M, .q = q};
    PerpLcpCertificate certificate;
    perp_lcp_certify(&p, z, NULL, &certificate);
    return certificate;
}

// M = [2 1; 1 2], by columns
static const double M2[] = {2, 1, 1, 2};

static void test_exact_solutions(void **state)
{
    (void)state;
    // both rows tight: z = (1, 2), w = 0
    PerpLcpCertificate tight = certify(2, 0, M2, (double[]){-4, -5}, (double[]){1, 2});
    assert_true(tight.worst == 0 && tight.worst_row == 0);

    // one row open: z = (2, 0), w = (0, 5)
    double w[2];
    PerpLcp p = {.n = 2, .M = M2, .q = (double[]){-4, 3}};
    PerpLcpCertificate open;
    perp_lcp_certify(&p, (double[]){2, 0}, w, &open);
    assert_true(open.worst == 0 && w[0] == 0 && w[1] == 5);

    // mixed: 2 a + b = 1 with a free, b = 3, so a = -1; row 2: a + 2 b - 5 = 0
    PerpLcpCertificate mixed = certify(2, 1, M2, (double[]){-1, -5}, (double[]){-1, 3});
    assert_true(mixed.worst == 0);
}

// each class fails alone, by a known amount, in a known row
static void test_errors_of_known_size(void **state)
{
    (void)state;
    for (double delta = 0x1p-40; delta < 0.25; delta *= 8) {
        // z_2 = 2 - delta: w = (-delta, -2 delta); s_2 = 5 + 1 + 2 (2 - delta)
        PerpLcpCertificate slack = certify(2, 0, M2, (double[]){-4, -5}, (double[]){1, 2 - delta});
        assert_close(slack.slack, 2 * delta / (10 - 2 * delta));
        assert_true(slack.worst == slack.slack && slack.worst_row == 1);
        assert_true(slack.sign == 0 && slack.gap == 0 && slack.equation == 0);

        // z_2 = -delta where w_2 = 5 - 2 delta: g_2 = 2; s_2 = 3 + 2 + 2 delta
        PerpLcpCertificate sign = certify(2, 0, M2, (double[]){-4, 3}, (double[]){2, -delta});
        assert_close(sign.sign, 2 * delta / (5 + 2 * delta));
        assert_true(sign.worst == sign.sign && sign.worst_row == 1 && sign.gap == 0);

        // z_2 = delta where w_2 = 5 + 2 delta
        PerpLcpCertificate gap = certify(2, 0, M2, (double[]){-4, 3}, (double[]){2, delta});
        assert_close(gap.gap, 2 * delta / (5 + 2 * delta));
        assert_true(gap.worst == gap.gap && gap.worst_row == 1 && gap.slack == 0);

        // the free row: a = -1 + delta, w_1 = 2 delta; s_1 = 1 + 2 (1 - delta) + 3
        PerpLcpCertificate equation =
            certify(2, 1, M2, (double[]){-1, -5}, (double[]){-1 + delta, 3});
        assert_close(equation.equation, 2 * delta / (6 - 2 * delta));
        assert_true(equation.worst == equation.equation && equation.worst_row == 0);
    }
}

static void test_errors_grow_with_the_perturbation(void **state)
{
    (void)state;
    double last = 0;
    for (double delta = 1e-15; delta < 1; delta *= 2) {
        double worst = certify(2, 0, M2, (double[]){-4, -5}, (double[]){1 - delta, 2}).worst;
        assert_true(worst > last);
        last = worst;
    }
}

// rows beyond the first panel, M = 2 I
static void test_row_is_found_in_a_large_problem(void **state)
{
    (void)state;
    enum { N = 150 };
    static double M[N * N], q[N], z[N];
    for (int i = 0; i < N; i++) {
        M[i + N * i] = 2;
        q[i] = -2 * (i + 1);
        z[i] = i + 1;
    }
    assert_true(certify(N, 0, M, q, z).worst == 0);
    z[130] = 130;
    PerpLcpCertificate certificate = certify(N, 0, M, q, z);
    assert_close(certificate.slack, 2.0 / (262 + 260));
    assert_int_equal(certificate.worst_row, 130);
}

// 1e17 + 1 - 1e17 = 1, where plain sums give 0
static void test_cancellation(void **state)
{
    (void)state;
    double M[] = {1e17, 0, 0, 1, 1, 0, -1e17, 0, 1}, z[] = {1, 1, 1}, w[3];
    PerpLcp p = {.n = 3, .M = M, .q = (double[]){0, -1, -1}};
    PerpLcpCertificate certificate;
    perp_lcp_certify(&p, z, w, &certificate);
    assert_true(w[0] == 1 && w[1] == 0 && w[2] == 0);
    assert_close(certificate.gap, 1 / 2e17);

    // (1 + e)(1 - e) - 1 = -e^2 is below the last bit of its terms
    double e = 0x1p-30, factor = 1 - e;
    p = (PerpLcp){.n = 1, .M = &factor, .q = (double[]){-1}};
    perp_lcp_certify(&p, (double[]){1 + e}, w, &certificate);
    assert_true(w[0] == -e * e);
    assert_close(certificate.slack, e * e / 2);
}

static void test_numbers_that_are_none(void **state)
{
    (void)state;
    double bad[] = {NAN, INFINITY, -INFINITY, 1e308};
    for (int i = 0; i < 4; i++) {
        PerpLcpCertificate first = certify(2, 0, M2, (double[]){-4, 3}, (double[]){bad[i], 0});
        PerpLcpCertificate last = certify(2, 1, M2, (double[]){-4, 3}, (double[]){2, bad[i]});
        assert_true(first.worst == INFINITY && last.worst == INFINITY);
        assert_true(last.equation == INFINITY || bad[i] == 1e308);
    }
}

static void test_zero_problems(void **state)
{
    (void)state;
    double zero = 0, one = 1, minus = -1;
    assert_true(certify(1, 0, &zero, &zero, &zero).worst == 0);
    assert_true(certify(1, 1, &zero, &zero, &one).worst == 0);
    // a row of zeros gives z no scale: z < 0 is infinitely wrong, z > 0 is wrong by all of w
    assert_true(certify(1, 0, &zero, &zero, &minus).sign == INFINITY);
    assert_true(certify(1, 0, &zero, &zero, &one).worst == 0);
    assert_true(certify(1, 0, &zero, &one, &one).gap == 1);
    assert_true(certify(1, 0, &zero, &minus, &zero).slack == 1);
}

// the second row has noise for terms, which the size of z puts in proportion
static void test_rows_of_noise(void **state)
{
    (void)state;
    double M[] = {1, 0, 0, 1}, noise = 0x1p-56;
    PerpLcpCertificate certificate = certify(2, 0, M, (double[]){-1, 0}, (double[]){1, noise});
    assert_close(certificate.gap, noise / 0x1p-20);
    assert_int_equal(certificate.worst_row, 1);
}

static void test_scaling_does_not_matter(void **state)
{
    (void)state;
    double q[] = {-4, -5}, z[] = {0.9, 2.1};
    PerpLcpCertificate search = certify(2, 0, M2, q, z);
    for (double a = 1e-6; a < 1e7; a *= 1e3)
        for (double b = 1e-6; b < 1e7; b *= 1e3) {
            double M[4], q_scaled[2] = {a * b * q[0], a * b * q[1]};
            for (int i = 0; i < 4; i++)
                M[i] = a * M2[i];
            PerpLcpCertificate scaled = certify(2, 0, M, q_scaled, (double[]){b * z[0], b * z[1]});
            assert_close(scaled.slack, search.slack);
            assert_close(scaled.gap, search.gap);
        }
}

// w = -z - 1 + z0 has the ray z = t, z0 = 1 + t; M'dz = -1 and q'dz = -1: no solution exists
static const double minus_one = -1, nought = 0, unit = 1;

static PerpLcpRayCertificate certify_ray(const PerpLcp *p, PerpLcpRay ray)
{
    PerpLcpRayCertificate certificate;
    perp_lcp_certify_ray(p, &ray, &certificate);
    return certificate;
}

static void test_ray_that_proves_infeasibility(void **state)
{
    (void)state;
    PerpLcp p = {.n = 1, .M = &minus_one, .q = &minus_one};
    PerpLcpRay ray = {.z = &nought, .dz = &unit, .cover = &unit, .z0 = 1, .dz0 = 1};
    PerpLcpRayCertificate certificate = certify_ray(&p, ray);
    assert_true(certificate.worst == 0 && certificate.farkas == 0 && certificate.q_dz == -1);

    // the same without any M: w = -1
    p.M = &nought;
    ray.dz0 = 0;
    certificate = certify_ray(&p, ray);
    assert_true(certificate.worst == 0 && certificate.farkas == 0 && certificate.q_dz == -1);
}

static void test_rays_with_errors_of_known_size(void **state)
{
    (void)state;
    PerpLcp p = {.n = 1, .M = &minus_one, .q = &minus_one};
    PerpLcpRay exact = {.z = &nought, .dz = &unit, .cover = &unit, .z0 = 1, .dz0 = 1};
    double e = 0x1p-20, minus_e = -e;

    // base: w = -e, s = 2 - e
    PerpLcpRay ray = exact;
    ray.z0 = 1 - e;
    assert_close(certify_ray(&p, ray).worst, e / (2 - e));

    // base: z = -e, w = e
    ray = exact;
    ray.z = &minus_e;
    assert_close(certify_ray(&p, ray).worst, e / (2 + e));

    // direction: dw = -e, s = 2 - e
    ray = exact;
    ray.dz0 = 1 - e;
    assert_close(certify_ray(&p, ray).worst, e / (2 - e));

    // direction: dw = e perp dz = 1
    ray.dz0 = 1 + e;
    assert_close(certify_ray(&p, ray).worst, e / (2 + e));

    // base w = e perp direction dz = 1
    ray = exact;
    ray.z0 = 1 + e;
    assert_close(certify_ray(&p, ray).worst, e / (2 + e));

    // direction backwards: dz = -1, dz0 = -1 is wrong by half the terms
    ray = exact;
    ray.dz = &minus_one;
    ray.dz0 = -1;
    assert_close(certify_ray(&p, ray).worst, 0.5);

    // no direction at all
    ray = exact;
    ray.dz = &nought;
    ray.dz0 = 0;
    assert_true(certify_ray(&p, ray).worst == INFINITY);
    assert_true(certify_ray(&p, ray).q_dz == 0);

    // no number
    double nan = NAN;
    ray = exact;
    ray.dz = &nan;
    assert_true(certify_ray(&p, ray).worst == INFINITY);
    assert_true(certify_ray(&p, ray).farkas == INFINITY);
    assert_true(certify_ray(&p, ray).q_dz == INFINITY);
    ray = exact;
    ray.z0 = NAN;
    assert_true(certify_ray(&p, ray).worst == INFINITY);
}

// row 1 free: w_1 = a - b = 0, w_2 = -b - 1 + z0; along dz = (1, 1), dz0 = 1
static void test_mixed_ray(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .free = 1, .M = (double[]){1, 0, -1, -1}, .q = (double[]){0, -1}};
    PerpLcpRay ray = {.z = (double[]){0, 0},
                      .dz = (double[]){1, 1},
                      .cover = (double[]){0, 1},
                      .z0 = 1,
                      .dz0 = 1};
    PerpLcpRayCertificate certificate = certify_ray(&p, ray);
    assert_true(certificate.worst == 0);
    // M'dz = (1, -2) must vanish in the free column: this ray proves nothing
    assert_true(certificate.farkas == 1 && certificate.q_dz == -1);

    // dw_1 = 1.5 - 1, by 2.5
    ray.dz = (double[]){1.5, 1};
    assert_close(certify_ray(&p, ray).worst, 0.2);
    // w_1 = -1, by 1
    ray.dz = (double[]){1, 1};
    ray.z = (double[]){-1, 0};
    assert_close(certify_ray(&p, ray).worst, 1);
}

// M'dz = (2 - 1, 1) by (3, 1); q'dz = 3 - 4 by 7
static void test_farkas_residuals(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .M = (double[]){2, -1, 0, -1}, .q = (double[]){3, -4}};
    PerpLcpRay ray = {.z = (double[]){0, 0},
                      .dz = (double[]){1, 1},
                      .cover = (double[]){1, 1},
                      .z0 = 4,
                      .dz0 = 1};
    PerpLcpRayCertificate certificate = certify_ray(&p, ray);
    assert_close(certificate.farkas, 1.0 / 3);
    assert_close(certificate.q_dz, -1.0 / 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_solutions),
        cmocka_unit_test(test_errors_of_known_size),
        cmocka_unit_test(test_errors_grow_with_the_perturbation),
        cmocka_unit_test(test_row_is_found_in_a_large_problem),
        cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_zero_problems),
        cmocka_unit_test(test_rows_of_noise),
        cmocka_unit_test(test_scaling_does_not_matter),
        cmocka_unit_test(test_ray_that_proves_infeasibility),
        cmocka_unit_test(test_rays_with_errors_of_known_size),
        cmocka_unit_test(test_mixed_ray),
        cmocka_unit_test(test_farkas_residuals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
