// What is reported of contacts: impulses in their cones, residuals as bad as the certificates say.

#include "mixture.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What is reported of a contact belongs together: its impulse lies in the cone about its own
// normal, also where a step has looked for contacts several times.
static void test_reported_contacts_obey_friction(void **state)
{
    (void)state;
    PerpWorld w;
    int pushed = 0, pushed_alone = 0;
    place_mixture(&w, 0);
    w.settings.tolerance = 1e-10; // of the whole; the bound below is of each contact
    start(&w);
    for (int k = 0; k < 300; k++) {
        step(&w, 0);
        bool impacts = perp_simulation_report(w.simulation)->impacts > 0;
        for (int i = 0; i < perp_simulation_contact_count(w.simulation); i++) {
            PerpContactReport c = perp_simulation_contact(w.simulation, i);
            double normal = dot(c.impulse, c.normal), all = dot(c.impulse, c.impulse);
            double across = sqrt(fmax(all - normal * normal, 0));
            assert_true(normal >= -1e-14);
            // the phases of impacts have normals of their own, which turn by some degrees, and
            // push also what did not approach
            double turned = impacts ? 0.1 : 1e-7;
            assert_true(across <= c.mu * normal + turned * sqrt(all) + 1e-14); // N s
            pushed += normal > 0;
            pushed_alone += normal > 0 && !impacts;
        }
    }
    assert_true(pushed > 100 && pushed_alone > 100);
    perp_world_end(&w);
}

static void find_worst_of_contacts(void *user, const PerpSolvedProblem *solved)
{
    double *worst = user;
    for (int kind = PERP_RESIDUAL_APPROACH; kind < PERP_RESIDUAL_COUNT; kind++)
        *worst = fmax(*worst, solved->result->certificate.residual[kind]);
}

// Blocks that slide, apart: of all islands, the worst contact is as bad as the certificates say.
static void test_residuals_of_contacts(void **state)
{
    (void)state;
    static const double half[3] = {0.3, 0.2, 0.1};
    for (int facets = 0; facets <= 8; facets += 8) {
        PerpWorld w;
        double worst = 0, most = 0;
        perp_world_init(&w);
        w.settings.facets = facets;
        perp_world_plane(&w, 0, 0, 1);
        for (int k = 0; k < 3; k++)
            perp_world_set(w.bodies[perp_world_box(&w, 1 + k, half, k, 0, 0.1)].velocity, 1,
                           0.3 * k, 0);
        start(&w);
        step(&w, 0);
        assert_true(isnan(perp_simulation_contact(w.simulation, 0).residual)); // nobody asked
        perp_simulation_judge_contacts(w.simulation, true);
        perp_simulation_watch(w.simulation, find_worst_of_contacts, &worst);
        for (int k = 0; k < 20; k++) {
            double found = worst = 0;
            step(&w, 0);
            assert_true(perp_simulation_report(w.simulation)->problems == 3);
            for (int i = 0; i < perp_simulation_contact_count(w.simulation); i++)
                found = fmax(found, perp_simulation_contact(w.simulation, i).residual);
            assert_true(found == worst);
            most = fmax(most, found);
        }
        assert_true(most > 0); // rounding shows: the test compared something
        perp_world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reported_contacts_obey_friction),
        cmocka_unit_test(test_residuals_of_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
