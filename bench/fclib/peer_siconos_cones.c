// The solvers of Siconos for contact problems with circular friction.
#include "fclib/peer_siconos_cones.h"

#include "common/measure.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ITERATIONS = 10000000, MOST_DENSE = 4000, REPETITIONS = 100 };

typedef struct Variant {
    const char *name;
    int id, local; // local: the solver of one contact; 0: as it comes
    NM_types storage;
} Variant;

static const Variant space[] = {{"NSGS", SICONOS_FRICTION_3D_NSGS, 0, NM_SPARSE_BLOCK},
                                {"NSGS projection", SICONOS_FRICTION_3D_NSGS,
                                 SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration,
                                 NM_SPARSE_BLOCK},
                                {"NSGS quartic", SICONOS_FRICTION_3D_NSGS,
                                 SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, NM_SPARSE_BLOCK},
                                {"NSN AC", SICONOS_FRICTION_3D_NSN_AC, 0, NM_SPARSE},
                                {"NSN FB", SICONOS_FRICTION_3D_NSN_FB, 0, NM_SPARSE},
                                {"PROX", SICONOS_FRICTION_3D_PROX, 0, NM_SPARSE},
                                {"ADMM", SICONOS_FRICTION_3D_ADMM, 0, NM_SPARSE},
                                {"VI EG", SICONOS_FRICTION_3D_VI_EG, 0, NM_SPARSE_BLOCK}};
static const Variant plane[] = {{"NSGS", SICONOS_FRICTION_2D_NSGS, 0, NM_SPARSE_BLOCK},
                                {"NSGS dense", SICONOS_FRICTION_2D_NSGS, 0, NM_DENSE},
                                {"Lemke", SICONOS_FRICTION_2D_LEMKE, 0, NM_DENSE},
                                {"CPG", SICONOS_FRICTION_2D_CPG, 0, NM_DENSE}};

static const Variant *variant_of(int dimension, int solver)
{
    return dimension == 2 ? &plane[solver] : &space[solver];
}

int siconos_cone_solvers(int dimension)
{
    return dimension == 2 ? sizeof plane / sizeof *plane : sizeof space / sizeof *space;
}

const char *siconos_cone_name(int dimension, int solver)
{
    return variant_of(dimension, solver)->name;
}

static NumericsMatrix *make_matrix(const PerpContactProblem *p, NM_types storage)
{
    int rows = perp_contact_problem_rows(p);
    NumericsMatrix *sparse = NM_create(NM_SPARSE, rows, rows);
    NM_triplet_alloc(sparse, p->start[rows]);
    for (int row = 0; row < rows; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            NM_entry(sparse, row, p->column[e], p->x[e]);
    if (storage == NM_SPARSE)
        return sparse;
    NumericsMatrix *other = NM_create(storage, rows, rows);
    if (storage == NM_DENSE) {
        for (int row = 0; row < rows; row++)
            for (int e = p->start[row]; e < p->start[row + 1]; e++)
                other->matrix0[row + rows * p->column[e]] += p->x[e];
    } else {
        free(other->matrix1);
        other->matrix1 = SBM_new();
        SBM_from_csparse(p->dimension, NM_csc(sparse), other->matrix1);
    }
    return other;
}

// Of this thread: a limit on the process' CPU time makes its clock tick in steps. Siconos has one.
double siconos_cone_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool siconos_cone_goes_on(int k, double spent)
{
    return k < 2 || (k < REPETITIONS && spent < 0.05);
}

// One solve, everything made anew; the caller's process is about to end, so nothing is freed.
static SiconosAnswer solve_once(const PerpContactProblem *p, const Variant *variant,
                                double tolerance)
{
    int rows = perp_contact_problem_rows(p);
    double *r = bench_memory((size_t)rows, sizeof *r), *u = bench_memory((size_t)rows, sizeof *u);
    double *q = bench_memory((size_t)rows, sizeof *q);
    double *mu = bench_memory((size_t)p->contacts, sizeof *mu);
    memcpy(q, p->q, (size_t)rows * sizeof *q);
    memcpy(mu, p->mu, (size_t)p->contacts * sizeof *mu);
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(
        p->dimension, p->contacts, make_matrix(p, variant->storage), q, mu);
    SolverOptions *options = solver_options_create(variant->id);
    if (variant->local)
        solver_options_update_internal(options, 0, variant->local);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = ITERATIONS;
    double begin = siconos_cone_clock();
    if (p->dimension == 2)
        fc2d_driver(problem, r, u, options);
    else
        fc3d_driver(problem, r, u, options);
    SiconosAnswer answer = {.seconds = siconos_cone_clock() - begin};
    PerpContactCertificate certificate;
    perp_contact_problem_certify(NULL, p, r, NULL, &certificate, NULL);
    answer.natural = certificate.natural;
    return answer;
}

// What Siconos calls solved may miss the check by a little: once more, asking for a tenth.
static SiconosAnswer solve_repeatedly(const PerpContactProblem *p, const Variant *variant,
                                      double tolerance)
{
    SiconosAnswer best = {.seconds = INFINITY, .natural = INFINITY};
    double spent = 0, asked = tolerance;
    for (int k = 0; siconos_cone_goes_on(k, spent); k++) {
        SiconosAnswer answer = solve_once(p, variant, asked);
        spent += answer.seconds;
        if (answer.natural <= tolerance)
            best = answer.seconds < best.seconds ? answer : best;
        else if (!best.solved && asked == tolerance)
            asked /= 10;
        best.solved = best.natural <= tolerance;
    }
    return best;
}

// Solvers talk on both streams whatever they are told.
static void be_quiet(void)
{
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    numerics_set_verbose(0);
}

static void work(const PerpContactProblem *p, const Variant *variant, double tolerance,
                 double limit, int out)
{
    struct rlimit seconds = {(rlim_t)ceil(limit), (rlim_t)ceil(limit) + 1};
    setrlimit(RLIMIT_CPU, &seconds);
    be_quiet();
    SiconosAnswer answer = solve_repeatedly(p, variant, tolerance);
    if (write(out, &answer, sizeof answer) != sizeof answer)
        _exit(1);
    _exit(0);
}

SiconosAnswer siconos_solve_cones(const PerpContactProblem *p, int solver, double tolerance,
                                  double limit)
{
    const Variant *variant = variant_of(p->dimension, solver);
    SiconosAnswer answer = {.seconds = INFINITY, .natural = INFINITY};
    int ends[2], state;
    if ((variant->storage == NM_DENSE && perp_contact_problem_rows(p) > MOST_DENSE) ||
        pipe(ends) != 0)
        return answer;
    pid_t child = fork();
    if (child == 0)
        work(p, variant, tolerance, limit, ends[1]);
    close(ends[1]);
    if (child > 0 && read(ends[0], &answer, sizeof answer) != sizeof answer)
        answer = (SiconosAnswer){.seconds = INFINITY, .natural = INFINITY};
    close(ends[0]);
    if (child > 0)
        waitpid(child, &state, 0);
    return answer;
}
