// Thousands of random scenes of few contacts, with anything that the generator knows.
#include "random_scenes.h"

static void small_scenes(void **state)
{
    check_scenes(*state, 1, 10000, 6);
}

static void middle_scenes(void **state)
{
    check_scenes(*state, 20001, 2500, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_scenes),
                                       cmocka_unit_test(middle_scenes)};
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
