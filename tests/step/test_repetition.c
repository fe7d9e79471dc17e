// A simulation repeats itself to the bit.

#include "mixture.h"

static void test_same_bits_again(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++) {
        if (strcmp(perp_scheme_name(scheme), "lotstedt") == 0)
            continue; // see test_heap_calls.c; tests/step/schemes/test_lotstedt.c has its own
        static PerpWorld w[2];
        Snapshot s[2];
        for (int k = 0; k < 2; k++) {
            place_mixture(&w[k], scheme);
            start(&w[k]);
        }
        for (int n = 0; n < 80; n++) // the two take turns
            for (int k = 0; k < 2; k++)
                step(&w[k], 0);
        for (int k = 0; k < 2; k++) {
            take_snapshot(&w[k], &s[k]);
            perp_world_end(&w[k]);
        }
        assert_same_motion(&s[0], &s[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
