// Small contact problems without bodies: what is called solved passes the certificate.
#include "cones/methods/methods.h"
#include "solving.h"

#include "perp/contact_problem.h"
#include "random.h"

#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 8, MOST_ROWS = 3 * MOST_CONTACTS };

typedef struct Small {
    PerpContactProblem p;
    double mu[MOST_CONTACTS], q[MOST_ROWS], x[MOST_ROWS * MOST_ROWS];
    int start[MOST_ROWS + 1], column[MOST_ROWS * MOST_ROWS];
} Small;

// W = B B', of at most `rank`; contacts apart from each other if they are not coupled
static void make(PerpRandom *random, int dimension, int contacts, int rank, bool coupled,
                 Small *small)
{
    int rows = dimension * contacts, entries = 0;
    double B[MOST_ROWS][MOST_ROWS] = {{0}};
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rank; k++)
            B[i][k] = perp_random_uniform(random, -1, 1);
    small->start[0] = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++)
            if (coupled || i / dimension == j / dimension) {
                small->column[entries] = j;
                small->x[entries] = 0;
                for (int k = 0; k < rank; k++)
                    small->x[entries] += B[i][k] * B[j][k];
                entries++;
            }
        small->start[i + 1] = entries;
        small->q[i] = 0; // from a velocity of what B is the Jacobian of: consistent
        for (int k = 0; k < rank; k++)
            small->q[i] += B[i][k] * (k % 2 ? 1 : -0.5);
    }
    for (int k = 0; k < contacts; k++)
        small->mu[k] = perp_random_uniform(random, 0, 1);
    small->p = (PerpContactProblem){dimension,    contacts,      0,        small->mu,
                                    small->start, small->column, small->x, small->q};
}

static double certify(const PerpContactProblem *p, const double *r)
{
    PerpContactCertificate certificate;
    assert_int_equal(perp_contact_problem_certify(NULL, p, r, NULL, &certificate, NULL), PERP_OK);
    return certificate.worst;
}

// By Newton's method in one dense matrix alone, also where impulses are not unique.
static void small_problems_are_solved(void **state)
{
    int solved = 0, count = 2000;
    PerpRandom random = perp_random(3);
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.methods = PERP_METHOD_BIT(PERP_METHOD_NEWTON_LOCAL);
    for (int k = 0; k < count; k++) {
        Small small;
        PerpContactResult result;
        int dimension = 2 + k % 2, contacts = 1 + k % MOST_CONTACTS;
        make(&random, dimension, contacts, k % 3 ? dimension * contacts : 6, true, &small);
        assert_int_equal(perp_contact_problem_solve(*state, &small.p, &settings, &result, NULL),
                         PERP_OK);
        if (result.outcome != PERP_OUTCOME_SOLVED)
            continue;
        solved++;
        assert_true(result.sweeps == 0 && certify(&small.p, result.r) <= 1e-8);
    }
    if (solved < 0.99 * count)
        fail_msg("only %d of %d", solved, count);
}

static void one_sweep_solves_contacts_apart(void **state)
{
    (void)state;
    PerpRandom random = perp_random(4);
    for (int k = 0; k < 500; k++) {
        Small small;
        double r[MOST_ROWS] = {0};
        int dimension = 2 + k % 2, contacts = 1 + k % MOST_CONTACTS;
        make(&random, dimension, contacts, dimension * contacts, false, &small);
        assert_true(perp_single_sweep(&small.p, 1e-10, r));
        assert_true(certify(&small.p, r) <= 1e-10);
    }
}

// What one sweep does not solve is not called solved.
static void one_sweep_knows_when_it_does_not_do(void **state)
{
    (void)state;
    int refused = 0;
    PerpRandom random = perp_random(5);
    for (int k = 0; k < 500; k++) {
        Small small;
        double r[MOST_ROWS] = {0};
        make(&random, 2 + k % 2, 4, 12, true, &small);
        bool good = perp_single_sweep(&small.p, 1e-10, r);
        assert_true(!good || certify(&small.p, r) <= 1e-8);
        refused += !good;
    }
    assert_true(refused > 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_are_solved),
        cmocka_unit_test(one_sweep_solves_contacts_apart),
        cmocka_unit_test(one_sweep_knows_when_it_does_not_do),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
