// Lemke and Howson's path on bimatrix games.
#include "pivoting/lemke.h"

#include "paths.h"

#include "generate.h"

#include <math.h>

static PerpLemkePath default_path(void)
{
    return (PerpLemkePath){.max_pivots = 10000, .pivot_tolerance = 1e-11, .tie_tolerance = 1e-13};
}

static bool follow(const PerpLcp *p, double *worst)
{
    PerpLemkePath howson = default_path();
    Path path;
    open_path(&path, p);
    bool found = perp_lemke_howson(&path.basis, &howson);
    *worst = found ? worst_of_basis(&path, p) : INFINITY;
    close_path(&path);
    return found;
}

static void check_games(bool integer)
{
    for (int seed = 0; seed < 300; seed++) {
        double worst;
        PerpGame g = perp_random_game((uint64_t)seed, 1 + seed % 13, 1 + seed % 11, integer);
        PerpLcpSample *s = perp_lcp_sample_plain_game(&g);
        assert_true(follow(&s->lcp, &worst));
        assert_true(worst <= 1e-9);
        perp_lcp_sample_free(s);
        perp_game_free(&g);
    }
}

static void games_are_solved(void **state)
{
    (void)state;
    check_games(false);
}

static void degenerate_games_are_solved(void **state)
{
    (void)state;
    check_games(true);
}

// 2 y >= 1, 4 x >= 1: two pivots put both in the basis
static void game_of_one_choice_each(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .M = (double[]){0, 4, 2, 0}, .q = (double[]){-1, -1}};
    PerpLemkePath howson = default_path();
    Path path;
    open_path(&path, &p);
    assert_true(perp_lemke_howson(&path.basis, &howson));
    assert_int_equal(howson.pivots, 2);
    assert_true(worst_of_basis(&path, &p) == 0);
    close_path(&path);
}

static void assert_refused(int n, const double *M, const double *q)
{
    PerpLcp p = {.n = n, .M = M, .q = q};
    double worst;
    assert_false(follow(&p, &worst));
}

static void what_is_no_game_is_refused(void **state)
{
    (void)state;
    const double minus[4] = {-1, -1, -1, -1};
    assert_refused(2, (double[]){0, 4, 2, 0}, (double[]){-1, 0});    // q >= 0
    assert_refused(2, (double[]){0, -4, 2, 0}, minus);               // a negative cost
    assert_refused(2, (double[]){1, 4, 2, 0}, minus);                // a diagonal
    assert_refused(3, (double[]){0, 1, 1, 1, 0, 1, 1, 1, 0}, minus); // no two sides
    assert_refused(1, (double[]){0}, minus);                         // one side
    assert_refused(2, (double[]){0, 0, 2, 0}, minus);                // x never raises B'x
    assert_refused(4, (double[]){0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0}, minus);
}

// a strategy that costs nothing against some choice of the other player cannot start the path
static void path_starts_from_a_strategy_that_can(void **state)
{
    (void)state;
    // x in rows 0, 1; y in rows 2, 3; column 0 of M has a zero in row 3
    double M[16] = {0, 0, 1, 0, 0, 0, 2, 3, 1, 2, 0, 0, 2, 1, 0, 0};
    PerpLcp p = {.n = 4, .M = M, .q = (double[]){-1, -1, -1, -1}};
    double worst;
    assert_true(follow(&p, &worst));
    assert_true(worst <= 1e-12);
}

// costs of 1 and 1e-19 in one core are beyond doubles
static void hopeless_scales_are_refused(void **state)
{
    (void)state;
    assert_refused(2, (double[]){0, 1e-19, 1, 0}, (double[]){-1, -1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_are_solved),
        cmocka_unit_test(degenerate_games_are_solved),
        cmocka_unit_test(game_of_one_choice_each),
        cmocka_unit_test(what_is_no_game_is_refused),
        cmocka_unit_test(path_starts_from_a_strategy_that_can),
        cmocka_unit_test(hopeless_scales_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
