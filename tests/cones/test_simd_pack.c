// Constraints in packs: products with J and J' in single precision beside those in double
// precision.
#include "cone_setup.h"
#include "cones/operator/delassus.h"

#include "cones/operator/simd_pack.h"

enum { SCENES = 40, CONTACTS = 60 };

// x = M^-1 J'r + free, as rows
static float *find_rows(const PerpPacks *packs, const PerpFloats *r, PerpArena *arena)
{
    size_t rows = PERP_FLOATS_ROW * ((size_t)packs->bodies + 1);
    float *force = PERP_TAKE(arena, float, rows), *x = PERP_TAKE(arena, float, rows);
    for (int k = 0; k < packs->n; k++)
        perp_pack_gather(packs, k, r + 3 * k, force);
    for (int b = 0; b < packs->bodies; b++)
        perp_packs_move(packs, b, (PerpFloats *)force + b, (PerpFloats *)x + b);
    return x;
}

// Joints, boxes and contacts, of one body and of two, with masses of any kind.
static void test_products(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        Setup s;
        PerpPacks packs;
        PerpRandom random = perp_random(1000 + seed);
        begin_circular(seed, CONTACTS, 100, seed % 3 == 0 ? 0.2 : 0, &s);
        int numbers = 3 * s.cones.n_constraints;
        assert_true(perp_packs_build(&s.arena, &s.cones, &packs));
        PerpFloats *r = PERP_TAKE(&s.arena, PerpFloats, 3 * packs.n);
        double *v = PERP_TAKE(&s.arena, double, s.cones.n_state);
        double *u = PERP_TAKE(&s.arena, double, numbers);
        double *rough = PERP_TAKE(&s.arena, double, numbers), most = 1;
        for (int i = 0; i < numbers; i++)
            s.r[i] = (double)(float)perp_random_uniform(&random, -1, 1);
        perp_packs_put(&packs, s.r, r);
        perp_packs_get(&packs, r, rough);
        assert_memory_equal(rough, s.r, (size_t)numbers * sizeof(double));
        const float *x = find_rows(&packs, r, &s.arena);
        PerpFloats *speed = PERP_TAKE(&s.arena, PerpFloats, 3 * packs.n);
        for (int k = 0; k < packs.n; k++)
            perp_pack_measure(&packs, k, x, speed + 3 * k);
        perp_packs_get(&packs, speed, rough);
        perp_delassus_velocity(&s.cones, s.r, v);
        perp_delassus_speeds(&s.cones, v, u);
        for (int i = 0; i < numbers; i++)
            most = fmax(most, fabs(u[i]));
        for (int i = 0; i < numbers; i++)
            assert_true(fabs(rough[i] - u[i]) <= 1e-4 * most);
        end(&s);
    }
}

// Rows of eight places and back; a place may come twice.
static void test_rows(void **state)
{
    (void)state;
    _Alignas(32) float x[6 * PERP_FLOATS_ROW] = {0}, sum[6 * PERP_FLOATS_ROW] = {0};
    const int body[PERP_FLOATS] = {3, 0, 5, 3, 1, 2, 0, 4};
    int place[PERP_FLOATS];
    PerpFloats column[PERP_FLOATS_COLUMNS];
    for (int k = 0; k < PERP_FLOATS; k++)
        place[k] = PERP_FLOATS_ROW * body[k];
    for (int b = 0; b < 6; b++)
        for (int i = 0; i < PERP_FLOATS_COLUMNS; i++)
            x[PERP_FLOATS_ROW * b + i] = (float)(10 * b + i + 1);
    perp_floats_columns(x, place, column);
    for (int i = 0; i < PERP_FLOATS_COLUMNS; i++)
        for (int k = 0; k < PERP_FLOATS; k++)
            assert_true(((float *)&column[i])[k] == (float)(10 * body[k] + i + 1));
    perp_floats_add_columns(column, place, sum);
    for (int b = 0; b < 6; b++)
        for (int i = 0; i < PERP_FLOATS_ROW; i++) {
            float times = b == 0 || b == 3 ? 2 : 1;
            assert_true(sum[PERP_FLOATS_ROW * b + i] == times * x[PERP_FLOATS_ROW * b + i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
