// Smooth motion between events, by SUNDIALS CVODE with root finding [L82 section 4]. Its state is
// q, v and the work done since the interval began; its roots are what ends the interval:
//
//     phi and g_2'v of passive constraints fall to 0      the active set grows       (2.1b), (2.1c)
//     (2.5b) gives an active constraint delta > 0         it shrinks                    [section 5]
//     a slip or the speed of a box at its bound reverses  friction sticks            (6.4), (6.5)
//     g'v of an active constraint leaves 0                its gradient jumps        [end of section
//     2]

#include "step/event_driven/mode.h"

#include "base/error.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <math.h>
#include <string.h>

enum { WORK, FRICTION, DAMPER, LEDGER }; // after q and v
enum { ROOT_GAP, ROOT_RATE, ROOT_DOUBT, ROOT_SLIP, ROOT_JUMP, ROOTS };
enum { MOST_STEPS = 20000 }; // of CVODE in an interval
enum { MOST_REFUSALS = 30 }; // of a step that crosses a jump, by its error: each makes it shorter

static const double STIFF = 5e3;      // 1/s: dampers that are faster want an implicit method
static const double REVERSED = 1e-12; // m/s: a slip this far beyond 0 has reversed
static const double AT_ONCE = 1e-10;  // s: steps so short before a loss are at its moment
static const double FINER = 1e-5;     // times settings.tolerance: CVODE's tolerances

typedef struct Smooth {
    PerpSimulation *sim;
    PerpMode *mode;
    double reach;      // m: of the search for passive constraints
    double *q;         // n_q: scratch
    PerpStatus status; // of what failed inside a callback
    PerpError *error;
    bool lost; // a held constraint disappeared on trial, in the step at hand
} Smooth;

// --- callbacks ----------------------------------------------------------------------------------

// q of CVODE's state, with unit quaternions.
static const double *tidy(Smooth *s, const double *y)
{
    s->sim->system->advance(s->sim, y, y + s->sim->n_q, 0, s->q);
    return s->q;
}

// d(q, v, work)/dt
static int derivative(double t, N_Vector y_, N_Vector dy_, void *user)
{
    Smooth *s = user;
    PerpSimulation *sim = s->sim;
    const double *y = N_VGetArrayPointer(y_), *v = y + sim->n_q;
    double *dy = N_VGetArrayPointer(dy_), *ledger = dy + sim->n_q + sim->n_v;
    PerpAcceleration motion;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    s->status = perp_mode_accelerate(sim, s->mode, t, tidy(s, y), v, &motion, s->error);
    if (!s->status && !motion.lost) {
        sim->system->rate(sim, y, v, dy);
        memcpy(dy + sim->n_q, motion.a, (size_t)sim->n_v * sizeof(double));
        ledger[WORK] = motion.work;
        ledger[FRICTION] = motion.friction;
        ledger[DAMPER] = motion.damper;
    }
    perp_arena_release(&sim->arena, mark);
    s->lost = s->lost || motion.lost;
    return s->status ? -1 : motion.lost ? 1 : 0;
}

static double floor_of(const PerpMode *mode, uint64_t id)
{
    for (int i = 0; i < mode->n_below; i++)
        if (mode->below[i].id == id)
            return mode->below[i].floor;
    return 0;
}

// The least phi and g_2'v of what is passive, above where it may not go.
static void least_passive(const Smooth *s, const PerpStage *stage, const double *v, double *gap,
                          double *rate)
{
    *gap = s->reach;
    *rate = INFINITY;
    for (int i = 0; i < stage->rows.problem.n_contacts; i++) {
        const PerpUnilateral *u = &stage->rows.unilateral[i];
        if (perp_mode_find(s->mode, u->id) >= 0)
            continue;
        if (u->kind == PERP_UNILATERAL_RATE)
            *rate = fmin(*rate, perp_stage_row_speed(stage, perp_stage_contact_row(stage, i), v));
        else
            *gap = fmin(*gap, u->gap - floor_of(s->mode, u->id));
    }
}

static int roots(double t, N_Vector y_, double *root, void *user)
{
    Smooth *s = user;
    PerpSimulation *sim = s->sim;
    const double *y = N_VGetArrayPointer(y_), *v = y + sim->n_q;
    PerpModeRows rows;
    double gap, rate, doubt = 0;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    s->status = perp_mode_rows(sim, s->mode, tidy(s, y), v, s->reach, &rows, s->error);
    if (!s->status) {
        least_passive(s, &rows.stage, v, &gap, &rate);
        if (s->mode->n_held > 0 || s->mode->n_boxes > 0)
            s->status = perp_mode_doubt(sim, s->mode, t, s->q, v, &doubt, s->error);
        root[ROOT_GAP] = gap + PERP_SKIN;
        root[ROOT_RATE] = isinf(rate) ? 1 : rate + REVERSED;
        root[ROOT_DOUBT] = fmax(PERP_DROPS - doubt, -1);
        root[ROOT_SLIP] = fmin(rows.least_slip + REVERSED, 1);
        root[ROOT_JUMP] = -perp_mode_jump(sim, s->mode, &rows, v);
    }
    perp_arena_release(&sim->arena, mark);
    return s->status ? -1 : 0;
}

// CVODE would print.
static void be_silent(int code, const char *module, const char *function, char *message, void *user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

// --- CVODE --------------------------------------------------------------------------------------

typedef struct Integrator {
    SUNContext context;
    N_Vector y;
    void *cvode;
    SUNNonlinearSolver iteration;
    SUNMatrix matrix;
    SUNLinearSolver linear;
} Integrator;

static void end(Integrator *in)
{
    if (in->cvode)
        CVodeFree(&in->cvode);
    if (in->iteration)
        SUNNonlinSolFree(in->iteration);
    if (in->linear)
        SUNLinSolFree(in->linear);
    if (in->matrix)
        SUNMatDestroy(in->matrix);
    if (in->y)
        N_VDestroy(in->y);
    if (in->context)
        SUNContext_Free(&in->context);
}

static void load_state(const PerpSimulation *sim, double *y)
{
    memcpy(y, sim->state.q, (size_t)sim->n_q * sizeof(double));
    memcpy(y + sim->n_q, sim->state.v, (size_t)sim->n_v * sizeof(double));
    memset(y + sim->n_q + sim->n_v, 0, LEDGER * sizeof(double));
}

// Adams with functional iteration; BDF with Newton where dampers are stiff. Stiff springs without
// dampers oscillate: their motion must be followed anyway, and Adams does that in a third of the
// time (docs/schemes.md).
static bool set_method(Integrator *in, bool stiff, int n)
{
    if (!stiff) {
        in->iteration = SUNNonlinSol_FixedPoint(in->y, 0, in->context);
        return in->iteration && !CVodeSetNonlinearSolver(in->cvode, in->iteration);
    }
    in->matrix = SUNDenseMatrix(n, n, in->context);
    in->linear = in->matrix ? SUNLinSol_Dense(in->y, in->matrix, in->context) : NULL;
    return in->linear && !CVodeSetLinearSolver(in->cvode, in->linear, in->matrix);
}

static bool begin(Smooth *s, double stop, bool stiff, Integrator *in)
{
    PerpSimulation *sim = s->sim;
    int n = sim->n_q + sim->n_v + LEDGER, falling[ROOTS] = {-1, -1, -1, -1, -1};
    double tolerance = FINER * sim->settings.tolerance;
    *in = (Integrator){0};
    if (SUNContext_Create(NULL, &in->context) || !(in->y = N_VNew_Serial(n, in->context)))
        return false;
    load_state(sim, N_VGetArrayPointer(in->y));
    in->cvode = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, in->context);
    return in->cvode && !CVodeSetErrHandlerFn(in->cvode, be_silent, NULL) &&
           !CVodeInit(in->cvode, derivative, sim->state.t, in->y) &&
           !CVodeSStolerances(in->cvode, fmax(tolerance, 1e-13), fmax(tolerance, 1e-14)) &&
           !CVodeSetUserData(in->cvode, s) && set_method(in, stiff, n) &&
           !CVodeRootInit(in->cvode, ROOTS, roots) && !CVodeSetRootDirection(in->cvode, falling) &&
           !CVodeSetNoInactiveRootWarn(in->cvode) && !CVodeSetStopTime(in->cvode, stop) &&
           !CVodeSetMaxNumSteps(in->cvode, MOST_STEPS) &&
           !CVodeSetMaxErrTestFails(in->cvode, MOST_REFUSALS);
}

// --- the interval -------------------------------------------------------------------------------

// The direction of slip is that of the last step.
static void follow_slips(Smooth *s, const PerpStage *stage, int k)
{
    const PerpProblem *p = &stage->rows.problem;
    PerpActiveContact *held = &s->mode->held[k];
    int contact = perp_stage_find(stage, held->id), slip_mode = 0;
    for (int g = 0; g < p->n_groups && slip_mode < held->n_slip_modes; g++) {
        double slip[2], u[2];
        if (p->group_contact[g] != contact)
            continue;
        PerpSlipMode *of = &held->slip_mode[slip_mode++];
        if (of->slips && perp_slip_tangents(p, g) == 2) {
            perp_slip_direction(stage, g, of, s->sim->state.v, slip, u);
            memcpy(of->u, u, sizeof u);
        }
    }
}

// What the mode remembers of its past: slips turn, and what was closed has left.
static PerpStatus follow(Smooth *s)
{
    PerpSimulation *sim = s->sim;
    PerpModeRows rows;
    PerpStatus status =
        perp_mode_rows(sim, s->mode, sim->state.q, sim->state.v, PERP_HELD_REACH, &rows, s->error);
    for (int k = 0; k < s->mode->n_held && !status && !rows.lost; k++)
        follow_slips(s, &rows.stage, k);
    for (int i = 0; i < s->mode->n_below && !status; i++) {
        int contact = perp_stage_find(&rows.stage, s->mode->below[i].id);
        if (contact < 0 || rows.stage.rows.unilateral[contact].gap > PERP_CLOSED)
            s->mode->below[i].floor = 0;
    }
    return status;
}

// The state is where CVODE is.
static PerpStatus accept(Smooth *s, double t, const double *y, double taken[LEDGER])
{
    PerpSimulation *sim = s->sim;
    PerpEnergy *energy = &sim->report.energy;
    const double *ledger = y + sim->n_q + sim->n_v;
    perp_step_go(sim, tidy(s, y), t);
    memcpy(sim->state.v, y + sim->n_q, (size_t)sim->n_v * sizeof(double));
    energy->work += ledger[WORK] - taken[WORK];
    energy->friction += ledger[FRICTION] - taken[FRICTION];
    energy->damper += ledger[DAMPER] - taken[DAMPER];
    memcpy(taken, ledger, LEDGER * sizeof(double));
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpStatus status = follow(s);
    perp_arena_release(&sim->arena, mark);
    return status;
}

static PerpStatus fail_of_cvode(const Smooth *s, int flag)
{
    return perp_fail(s->error, PERP_NOT_SOLVED,
                     "t = %.9g s: CVODE cannot go on (code %d, %d steps at most); the motion may "
                     "be singular here, or its forces not smooth",
                     s->sim->state.t, flag, MOST_STEPS);
}

// One step of CVODE; done: the interval ends with it.
static PerpStatus take_step(Smooth *s, Integrator *in, double stop, double taken[LEDGER],
                            bool *done, PerpSmoothEnd *why)
{
    double t, before = s->sim->state.t;
    s->lost = false;
    int flag = CVode(in->cvode, stop, in->y, &t, CV_ONE_STEP);
    if (s->status)
        return s->status;
    if (flag < 0 && !s->lost)
        return fail_of_cvode(s, flag);
    PerpStatus status = flag < 0 ? PERP_OK : accept(s, t, N_VGetArrayPointer(in->y), taken);
    *why = flag == CV_ROOT_RETURN                          ? PERP_SMOOTH_EVENT
           : flag < 0 || (s->lost && t - before < AT_ONCE) ? PERP_SMOOTH_LOST
                                                           : PERP_SMOOTH_TIME;
    *done = *why != PERP_SMOOTH_TIME || s->sim->state.t >= stop;
    return status;
}

static PerpStatus integrate(Smooth *s, Integrator *in, double stop, PerpSmoothEnd *why)
{
    double taken[LEDGER] = {0};
    bool done = false;
    PerpStatus status = PERP_OK;
    for (int steps = 0; !done && !status; steps++)
        status = steps < MOST_STEPS ? take_step(s, in, stop, taken, &done, why)
                                    : fail_of_cvode(s, CV_TOO_MUCH_WORK);
    return status;
}

// The fastest rate at which dampers slow anything down, 1/s: the largest damping g'M^-1 g.
static PerpStatus damping_rate(PerpSimulation *sim, double *rate, PerpError *error)
{
    PerpLinks links;
    PerpStage stage;
    PerpStatus status = sim->system->links(sim, sim->state.q, &links, error);
    if (!status)
        status = perp_stage_assemble(sim, sim->state.q, -INFINITY, 0, &stage, error);
    *rate = 0;
    for (int i = 0; !status && i < links.count; i++) {
        double *x = PERP_TAKE(&sim->arena, double, sim->n_v);
        if (!x)
            return perp_fail_memory(error);
        perp_block_rows_add_row(&links.gradient, i, 1, x);
        status = perp_stage_divide(sim, &stage, 1, x, error);
        *rate = fmax(*rate, links.damping[i] * perp_block_rows_dot(&links.gradient, i, x));
    }
    return status;
}

// A slow slip in two directions is as stiff: friction turns it at the rate  mu lambda/(m |slip|).
static bool slips_slowly(const PerpMode *mode)
{
    for (int k = 0; k < mode->n_held; k++)
        for (int i = 0; i < mode->held[k].n_slip_modes; i++)
            if (mode->held[k].slip_mode[i].begins && mode->held[k].slip_mode[i].u[1] != 0)
                return true;
    return false;
}

static PerpStatus is_stiff(PerpSimulation *sim, const PerpMode *mode, bool *stiff, PerpError *error)
{
    double rate = slips_slowly(mode) ? INFINITY : 0;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpStatus status = rate > STIFF ? PERP_OK : damping_rate(sim, &rate, error);
    perp_arena_release(&sim->arena, mark);
    *stiff = rate > STIFF;
    return status;
}

PerpStatus perp_smooth_motion(PerpSimulation *sim, PerpMode *mode, double stop, PerpSmoothEnd *why,
                              PerpError *error)
{
    Integrator in;
    bool stiff = false;
    Smooth s = {.sim = sim, .mode = mode, .error = error};
    s.q = PERP_TAKE(&sim->arena, double, sim->n_q);
    s.reach = sim->system->reach(sim, sim->state.v, stop - sim->state.t) + PERP_HELD_REACH;
    PerpStatus status = s.q ? is_stiff(sim, mode, &stiff, error) : perp_fail_memory(error);
    if (status)
        return status;
    if (begin(&s, stop, stiff, &in))
        status = integrate(&s, &in, stop, why);
    else
        status = perp_fail_memory(error);
    end(&in);
    return status;
}
