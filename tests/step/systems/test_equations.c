// The equations of motion that can be asked for: against the energies that belong to them.

#include "../stepping.h"
#include "custom_systems.h"
#include "failing_allocator.h"

#include <string.h>

// Two bodies that turn, a spring with a rest length between them and one without to the world.
static void place(PerpWorld *w)
{
    static const double moments[3] = {0.2, 0.3, 0.4};
    perp_world_init(w);
    for (int k = 0; k < 2; k++) {
        int body = perp_world_solid(w, 1 + k, moments, k, 0.3 * k, 1);
        perp_world_set(w->bodies[body].velocity, 0.3, -0.2 * k, 0.7);
        perp_world_set(w->bodies[body].spin, 1, 2 + k, -3);
    }
    int taut = perp_world_spring(w, 0, 1, 50);
    w->springs[taut].rest = 0.4;
    w->springs[taut].anchor_a[1] += 0.3;
    perp_world_spring(w, -1, 1, 20);
    start(w);
}

static PerpEquations equations_at(PerpWorld *w, const double *q, const double *v)
{
    PerpEquations e;
    if (perp_simulation_equations_at(w->simulation, 0, q, v, &e, &w->error))
        fail_msg("%s", w->error.message);
    return e;
}

// f'v of all forces without dampers
static double power_of(const PerpEquations *e, const double *v)
{
    double sum = 0;
    for (int i = 0; i < e->block_start[e->n_blocks]; i++)
        sum += e->k[i] * v[i];
    for (int l = 0; l < e->n_links; l++) {
        const double *g = e->gradient + e->value_start[l];
        double rate = 0;
        for (int k = e->link_start[l]; k < e->link_start[l + 1]; k++)
            for (int i = e->block_start[e->entry_block[k]];
                 i < e->block_start[e->entry_block[k] + 1]; i++)
                rate += *g++ * v[i];
        sum -= e->stiffness[l] * e->psi[l] * rate;
    }
    return sum;
}

// v'M v/2 is the kinetic energy, sum stiffness psi^2/2 that of the springs
static void test_stored_energies(void **state)
{
    (void)state;
    PerpWorld w;
    PerpEnergy energy;
    int n_q, n_v;
    double kinetic = 0, spring = 0;
    place(&w);
    const double *q = perp_simulation_q(w.simulation, &n_q);
    const double *v = perp_simulation_v(w.simulation, &n_v);
    PerpEquations e = equations_at(&w, q, v);
    const double *M = e.M;
    for (int k = 0; k < e.n_blocks; k++)
        for (int j = e.block_start[k]; j < e.block_start[k + 1]; j++)
            for (int i = e.block_start[k]; i < e.block_start[k + 1]; i++)
                kinetic += v[i] * *M++ * v[j] / 2;
    for (int l = 0; l < e.n_links; l++)
        spring += e.stiffness[l] * e.psi[l] * e.psi[l] / 2;
    perp_simulation_energy_at(w.simulation, q, v, &energy);
    assert_int_equal(e.block_start[e.n_blocks], n_v);
    assert_int_equal(e.n_links, 4);
    assert_near(kinetic, energy.kinetic, 1e-13);
    assert_near(spring, energy.spring, 1e-13);
    perp_equations_free(w.simulation, &e);
    perp_world_end(&w);
}

static double potential_at(PerpWorld *w, const double *q, const double *v)
{
    PerpEnergy energy;
    perp_simulation_energy_at(w->simulation, q, v, &energy);
    return energy.gravity + energy.spring;
}

// the power of all forces is what potential energy loses along a translation
static void test_power(void **state)
{
    (void)state;
    PerpWorld w;
    double moved[14], along[12] = {0.4, -1, 0.3, 0, 0, 0, 0.9, 0.2, -0.6}, energy[2];
    const double s = 1e-5;
    int n_q, n_v;
    place(&w);
    const double *q = perp_simulation_q(w.simulation, &n_q);
    perp_simulation_v(w.simulation, &n_v);
    assert_true(n_q == 14 && n_v == 12);
    PerpEquations e = equations_at(&w, q, along);
    for (int side = 0; side < 2; side++) {
        memcpy(moved, q, sizeof moved);
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < 3; i++)
                moved[7 * body + i] += (2 * side - 1) * s * along[6 * body + i];
        energy[side] = potential_at(&w, moved, along);
    }
    assert_near(power_of(&e, along), -(energy[1] - energy[0]) / (2 * s), 1e-8);
    perp_equations_free(w.simulation, &e);
    perp_world_end(&w);
}

// whoever asks between steps changes no bit
static void test_asking_changes_nothing(void **state)
{
    (void)state;
    PerpWorld a, b;
    int n_q, n_v;
    place(&a);
    place(&b);
    for (int k = 0; k < 20; k++) {
        const double *q = perp_simulation_q(b.simulation, &n_q);
        PerpEquations e = equations_at(&b, q, perp_simulation_v(b.simulation, &n_v));
        perp_equations_free(b.simulation, &e);
        run(&a, 1);
        run(&b, 1);
    }
    assert_memory_equal(perp_simulation_q(a.simulation, &n_q),
                        perp_simulation_q(b.simulation, &n_q), (size_t)n_q * sizeof(double));
    assert_memory_equal(perp_simulation_v(a.simulation, &n_v),
                        perp_simulation_v(b.simulation, &n_v), (size_t)n_v * sizeof(double));
    perp_world_end(&a);
    perp_world_end(&b);
}

// a custom system has one block and no links unless it is given some
static void test_custom_system(void **state)
{
    (void)state;
    const double position[2] = {0, 1}, velocity[2] = {1, 0};
    PerpSystemDef def = point_def(position, velocity);
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation;
    PerpEquations e;
    PerpError error;
    assert_false(perp_simulation_create_custom(NULL, &def, &settings, &simulation, &error));
    assert_false(perp_simulation_equations_at(simulation, 0, position, velocity, &e, &error));
    assert_true(e.n_blocks == 1 && e.block_start[1] == 2 && e.n_links == 0);
    assert_true(e.M[0] == 1 && e.M[1] == 0 && e.M[3] == 1);
    assert_true(e.k[0] == 0 && e.k[1] == -GRAVITY);
    perp_equations_free(simulation, &e);
    perp_simulation_destroy(simulation);
}

// every allocation may fail: nothing leaks, and asking again works
static void test_memory(void **state)
{
    (void)state;
    PerpWorld w;
    PerpEquations e;
    PerpFailingAllocator memory = {0};
    int n_q, n_v, failures = 0;
    PerpStatus status = PERP_NO_MEMORY;
    place(&w);
    perp_simulation_destroy(w.simulation);
    PerpContext context = perp_failing_context(&memory);
    assert_false(perp_simulation_create(&context, w.model, &w.settings, &w.simulation, &w.error));
    const double *q = perp_simulation_q(w.simulation, &n_q);
    const double *v = perp_simulation_v(w.simulation, &n_v);
    for (int at = 1; status; at++) {
        memory.fail_at = memory.calls + at;
        status = perp_simulation_equations_at(w.simulation, 0, q, v, &e, &w.error);
        assert_true(!status || (status == PERP_NO_MEMORY && !e.M && !e.psi));
        failures += status != PERP_OK;
    }
    assert_true(failures > 5);
    perp_equations_free(w.simulation, &e);
    perp_world_end(&w);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored_energies),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_asking_changes_nothing),
        cmocka_unit_test(test_custom_system),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
