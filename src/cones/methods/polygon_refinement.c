// Polygons are solved by pivots, always and to rounding, but they are not round: the impulse of a
// contact that slides is off by as much as the slip's direction is from that of a vertex. So they
// are refined where contacts slide (direction_set.c), and the last basis is where the next pivots
// begin.
//
// Contacts that slip by less than the tolerance need no refinement: their law is met to their slip.
// After each round Newton's method tries from there with open, stuck and sliding contacts as the
// polygons have them; it mostly succeeds after one to four.

#include "cones/methods/polygon_refinement.h"

#include "cones/cone.h"
#include "cones/methods/direction_set.h"
#include "cones/operator/delassus.h"
#include "pivoting/step_pivoting.h"

#include <math.h>
#include <string.h>

static const double NEGLIGIBLE = 0.01; // of the tolerance: residual of a contact that may stay
static const double SHARP = 1e-13;     // residual that Newton's method aims at
static const double AT_RIM = 0.999;    // of the cone: impulses of contacts that slide
static const double NEARLY = 1e-5;     // residual from which sharpening is worth its while
static const double MOST_WORK = 5e9;   // pivots times the square of the size of the LCP: seconds
enum { ROUNDS = 14, NEWTON_STEPS = 60, SHARPEN_STEPS = 12 };
enum { FEW_PIVOTS = 500, THOROUGH_CONTACTS = 120 };

static const PerpDirectionSetStart starts[] = {{6, 0},   {8, 0.4}, {5, 0.7},
                                               {4, 0.2}, {7, 0.1}, {10, 0.3}};

typedef struct Refine {
    PerpPolygonRefinement *job;
    const PerpProblem *p;
    PerpDirectionSet directions, next;
    signed char *basis, *next_basis;
    int size;               // of the basis; 0: none
    bool thorough;          // pivots on the whole problem, too, where those on the reduced one fail
    int head, tail;         // pairs before those of the directions, and behind
    const double *v;        // of the polygons
    double *c;              // rows
    double *slip;           // groups: speed
    double *against;        // groups: angle that opposes it
    double *polygon_slip;   // groups: as the polygon counts it
    double *of_contact;     // residual
    signed char *is_single; // groups: the impulse is at one vertex
    double *centre;         // groups: about which to refine; NAN: not
    double *better;         // groups: angle of the impulse that Newton's method found; NAN: none
    double worst;           // certificate of the polygons' answer
    double work;            // pivots times the square of the LCP's size
    double *x, *x_try, *r, *u, *state;
    double *v_try, *c_try, *slip_try, *angle_try; // to certify
} Refine;

static bool take(Refine *it)
{
    PerpArena *arena = it->job->arena;
    const PerpProblem *p = it->p;
    int numbers = 3 * it->job->cones->n_constraints, most = PERP_DIRECTION_SET_SIZE * p->n_groups;
    int pairs = 2 * p->n_boxes + p->n_contacts + most + p->n_groups;
    it->directions.start = PERP_TAKE(arena, int, p->n_groups + 1);
    it->next.start = PERP_TAKE(arena, int, p->n_groups + 1);
    it->directions.angle = PERP_TAKE(arena, double, most);
    it->next.angle = PERP_TAKE(arena, double, most);
    it->basis = PERP_TAKE(arena, signed char, pairs);
    it->next_basis = PERP_TAKE(arena, signed char, pairs);
    it->c = PERP_TAKE(arena, double, perp_problem_rows(p));
    it->slip = PERP_TAKE(arena, double, p->n_groups);
    it->against = PERP_TAKE(arena, double, p->n_groups);
    it->polygon_slip = PERP_TAKE(arena, double, p->n_groups);
    it->centre = PERP_TAKE(arena, double, p->n_groups);
    it->better = PERP_TAKE(arena, double, p->n_groups);
    it->is_single = PERP_TAKE(arena, signed char, p->n_groups);
    it->of_contact = PERP_TAKE(arena, double, p->n_contacts);
    it->x = PERP_TAKE(arena, double, numbers);
    it->x_try = PERP_TAKE(arena, double, numbers);
    it->v_try = PERP_TAKE(arena, double, perp_problem_velocities(p));
    it->c_try = PERP_TAKE(arena, double, perp_problem_rows(p));
    it->slip_try = PERP_TAKE(arena, double, p->n_groups);
    it->angle_try = PERP_TAKE(arena, double, p->n_groups);
    it->r = PERP_TAKE(arena, double, numbers);
    it->u = PERP_TAKE(arena, double, numbers);
    it->state = PERP_TAKE(arena, double, it->job->cones->n_state);
    return it->x_try && it->v_try && it->c_try && it->slip_try && it->angle_try &&
           it->directions.start && it->next.start && it->directions.angle && it->next.angle &&
           it->basis && it->next_basis && it->c && it->slip && it->against && it->polygon_slip &&
           it->is_single && it->better && it->of_contact && it->x && it->r && it->u && it->state;
}

// --- the next polygons --------------------------------------------------------------------------

static bool is_right(const Refine *it, int contact)
{
    return it->of_contact[contact] <= NEGLIGIBLE * it->job->tolerance;
}

// Where Newton's method came nearer, it knows best; else at a vertex the slip says where to go, on
// an edge the impulse does. NAN: the polygon may stay.
static double find_centre(const Refine *it, int g)
{
    const PerpProblem *p = it->p;
    const double *beta = it->c + p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g];
    if (is_right(it, p->group_contact[g]) || p->group_start[g + 1] - p->group_start[g] < 2)
        return NAN;
    if (!isnan(it->better[g]))
        return it->better[g];
    return it->is_single[g] ? it->against[g] : atan2(beta[1], beta[0]);
}

static void turn_page(Refine *it, const PerpDirectionSetStart *start)
{
    PerpDirectionSet directions = it->directions;
    signed char *basis = it->basis;
    for (int g = 0; g < it->p->n_groups; g++)
        it->centre[g] = find_centre(it, g);
    perp_direction_set_refine(it->p, start, &it->directions, it->size > 0 ? basis + it->head : NULL,
                              it->centre, &it->next);
    if (it->size > 0)
        it->size = perp_direction_set_carry(it->p, &it->directions, &it->next, it->head, it->tail,
                                            basis, it->next_basis);
    it->directions = it->next;
    it->next = directions;
    it->basis = it->next_basis;
    it->next_basis = basis;
}

// --- a round ------------------------------------------------------------------------------------

static void keep_basis(Refine *it, const PerpPivotingResult *found)
{
    const PerpProblem *p = it->p;
    int ranges = 0;
    for (int i = 0; i < p->n_boxes; i++)
        ranges += p->lo[i] < p->hi[i] && isfinite(p->lo[i]) && isfinite(p->hi[i]);
    it->size = found->outcome == PERP_OUTCOME_SOLVED && found->basis ? found->lcp_size : 0;
    it->tail = ranges + p->n_groups;
    it->head = found->lcp_size - it->tail - it->directions.start[p->n_groups];
    if (it->size > 0)
        memcpy(it->basis, found->basis, (size_t)it->size);
}

// Which groups have their impulse at one vertex.
static void count_vertices(Refine *it, const double *c)
{
    const PerpProblem *p = it->p;
    const double *beta = c + p->n_joints + p->n_boxes + p->n_contacts;
    for (int g = 0; g < p->n_groups; g++) {
        double sum = 0;
        int used = 0;
        for (int k = it->directions.start[g]; k < it->directions.start[g + 1]; k++)
            sum += beta[k];
        for (int k = it->directions.start[g]; k < it->directions.start[g + 1]; k++)
            used += beta[k] > 1e-9 * sum;
        it->is_single[g] = used == 1;
    }
}

// From a basis few pivots are left, or it leads nowhere.
static int most_pivots(const Refine *it)
{
    int pairs = it->p->n_contacts + it->directions.start[it->p->n_groups];
    int most = it->size > 0 ? FEW_PIVOTS + (it->thorough ? 4 : 2) * pairs : FEW_PIVOTS + 12 * pairs;
    return (int)fmax(fmin(most, (MOST_WORK - it->work) / ((double)pairs * pairs)), 1);
}

static bool is_over(const Refine *it)
{
    return it->work >= MOST_WORK || perp_interrupted(it->job->cones->interrupt);
}

// The polygons' answer, as the problem with circular groups counts it.
static PerpStatus solve_polygons(Refine *it)
{
    PerpPolygonRefinement *job = it->job;
    const PerpProblem *p = it->p;
    PerpProblem polygons;
    PerpPivotingResult found;
    const PerpPivotingSettings settings = {.tolerance = fmin(1e-10, NEGLIGIBLE * job->tolerance),
                                           .max_pivots = most_pivots(it),
                                           .basis = it->size > 0 ? it->basis : NULL,
                                           .basis_size = it->size,
                                           .reduced_only = it->size > 0 && !it->thorough,
                                           .interrupt = job->cones->interrupt};
    if (!perp_inscribed_make(job->arena, p, &it->directions, &polygons))
        return PERP_NO_MEMORY;
    PerpStatus status =
        perp_step_pivoting(job->arena, &polygons, &job->of_polygons, &settings, &found, NULL);
    if (status)
        return status;
    job->pivots += found.pivots;
    it->work += (double)found.pivots * found.lcp_size * found.lcp_size;
    it->v = found.point.v;
    perp_inscribed_impulses(p, &it->directions, found.point.c, it->c);
    memcpy(it->polygon_slip, found.point.lambda, (size_t)p->n_groups * sizeof(double));
    keep_basis(it, &found);
    count_vertices(it, found.point.c);
    bool turned = perp_inscribed_turn(job->arena, p, it->v, it->against, it->slip);
    return turned ? PERP_OK : PERP_NO_MEMORY;
}

// Impulses, and speeds, in constraints.
static void fill_constraints(Refine *it)
{
    const PerpConeProblem *cones = it->job->cones;
    for (int c = 0; c < cones->n_constraints; c++)
        for (int k = 0; k < 3; k++) {
            const PerpConstraint *constraint = &cones->constraint[c];
            it->r[3 * c + k] =
                constraint->row[k] < 0 || !(constraint->scale[k] > 0)
                    ? 0
                    : it->c[constraint->row[k]] / (constraint->scale[k] * cones->speed);
        }
    perp_delassus_velocity(cones, it->r, it->state);
    perp_delassus_speeds(cones, it->state, it->u);
}

// x of a contact: open, sliding along its impulse, or stuck. One that slides by less than matters
// counts as stuck unless its impulse is at the rim, where polygon and cone agree.
static void begin_contact(const Refine *it, const PerpConstraint *constraint, const double *r,
                          const double *u, double *x)
{
    double slip = hypot(u[1], u[2]), rim = hypot(r[1], r[2]);
    int g = constraint->group, contact = g < 0 ? -1 : it->p->group_contact[g];
    bool slides = g >= 0 && it->polygon_slip[g] > 0 && slip > 0 &&
                  (!is_right(it, contact) || rim > AT_RIM * r[0]);
    if (!(r[0] > 0)) {
        x[0] = -u[0] - slip;
        x[1] = -u[1];
        x[2] = -u[2];
    } else if (slides) {
        x[0] = r[0] - slip;
        x[1] = (r[0] + slip) * (rim > 0 ? r[1] / rim : -u[1] / slip);
        x[2] = (r[0] + slip) * (rim > 0 ? r[2] / rim : -u[2] / slip);
    }
}

static void begin_newton(Refine *it)
{
    const PerpConeProblem *cones = it->job->cones;
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        const double *r = it->r + 3 * c, *u = it->u + 3 * c;
        double *x = it->x + 3 * c;
        memcpy(x, r, 3 * sizeof(double));
        if (constraint->cone->is_contact)
            begin_contact(it, constraint, r, u, x);
        else if (!constraint->cone->is_equation)
            x[0] -= u[0];
    }
}

// Directions of the contacts that slide in r.
static void learn(Refine *it)
{
    const PerpConeProblem *cones = it->job->cones;
    for (int c = 0; c < cones->n_constraints; c++) {
        const double *r = it->r + 3 * c;
        if (cones->constraint[c].group >= 0 && hypot(r[1], r[2]) > AT_RIM * r[0])
            it->better[cones->constraint[c].group] = atan2(r[2], r[1]);
    }
}

// Impulses and velocities of constraints and bodies, as the problem counts them. False if memory is
// short.
static bool spread(Refine *it, const double *r, const double *state)
{
    const PerpConeProblem *cones = it->job->cones;
    const PerpProblem *p = it->p;
    for (int c = 0; c < cones->n_constraints; c++)
        for (int k = 0; k < 3; k++)
            if (cones->constraint[c].row[k] >= 0)
                it->c_try[cones->constraint[c].row[k]] =
                    r[3 * c + k] * cones->constraint[c].scale[k] * cones->speed;
    for (int k = 0; k < p->n_bodies; k++)
        for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
            it->v_try[i] = cones->speed * state[cones->bodies.size * k + i - p->body_start[k]];
    return perp_inscribed_turn(it->job->arena, p, it->v_try, it->angle_try, it->slip_try);
}

// Certifies velocities and impulses; true if they are within the tolerance, or if memory is short.
static bool certify(Refine *it, const PerpPoint *point, double *of_contact)
{
    PerpPolygonRefinement *job = it->job;
    it->worst = perp_judge_certify(&job->judge, it->p, point, 0, of_contact);
    job->memory_short = job->memory_short || isnan(it->worst);
    return job->memory_short || it->worst <= job->tolerance;
}

static bool certify_both(void *user, const double *r, const double *state)
{
    Refine *it = user;
    const PerpPoint point = {it->v_try, it->c_try, it->slip_try};
    double worst = it->worst;
    it->job->memory_short = it->job->memory_short || !r || !spread(it, r, state);
    bool good = it->job->memory_short || certify(it, &point, NULL);
    it->worst = worst; // of the polygons
    return good;
}

// Impulses in constraints, with the velocities that follow from them.
static bool certify_impulses(Refine *it, const double *r)
{
    perp_delassus_velocity(it->job->cones, r, it->state);
    return certify_both(it, r, it->state);
}

// True if within the tolerance, or if memory is short.
static bool sharpen(Refine *it)
{
    static const double softs[] = {1e-7, 1e-8};
    PerpPolygonRefinement *job = it->job;
    const PerpRefineJudge judge = {certify_both, it};
    for (size_t k = 0; k < sizeof softs / sizeof *softs; k++) {
        job->iterations += SHARPEN_STEPS;
        if (perp_newton_normal_refine(job->arena, job->cones, softs[k], SHARPEN_STEPS, it->x_try,
                                      &judge))
            return true;
    }
    return false;
}

// From x on.
static bool try_newton(Refine *it)
{
    static const PerpNewtonNormalParameters parameters[] = {{1e-4, 0.3, 10}, {1e-4, 0.5, 2}};
    PerpPolygonRefinement *job = it->job;
    double best = it->worst;
    for (int g = 0; g < it->p->n_groups; g++)
        it->better[g] = NAN;
    for (size_t k = 0; k < sizeof parameters / sizeof *parameters; k++) {
        int steps = NEWTON_STEPS;
        memcpy(it->x_try, it->x, (size_t)(3 * job->cones->n_constraints) * sizeof(double));
        double residual =
            perp_newton_normal(job->arena, job->cones, &parameters[k], SHARP, &steps, it->x_try);
        perp_newton_normal_impulses(job->cones, it->x_try, it->r);
        job->iterations += steps;
        job->memory_short = job->memory_short || isnan(residual);
        if (job->memory_short || certify_impulses(it, it->r))
            return true;
        if (residual < best) {
            best = residual;
            learn(it);
        }
        if (residual < NEARLY && sharpen(it))
            return true;
    }
    return false;
}

// From impulses that others found.
static bool try_start(Refine *it)
{
    const PerpConeProblem *cones = it->job->cones;
    const double *r = it->job->start, *u = it->u;
    perp_delassus_velocity(cones, r, it->state);
    perp_delassus_speeds(cones, it->state, it->u);
    memcpy(it->x, r, (size_t)(3 * cones->n_constraints) * sizeof(double));
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpCone *cone = cones->constraint[c].cone;
        for (int i = 3 * c; i < 3 * c + 3 && !cone->is_equation; i++)
            it->x[i] -= u[i];
        it->x[3 * c] -= cone->slip(cones, c, u + 3 * c);
    }
    it->worst = INFINITY;
    return try_newton(it);
}

// True if solved, or if memory is short.
static bool do_round(Refine *it)
{
    PerpPolygonRefinement *job = it->job;
    PerpStatus status = solve_polygons(it);
    if (status != PERP_OK && status != PERP_NO_MEMORY) { // too large for pivots
        it->size = 0;
        return false;
    }
    if (status)
        return job->memory_short = true;
    const PerpPoint point = {it->v, it->c, it->slip};
    if (certify(it, &point, it->of_contact))
        return true;
    fill_constraints(it);
    begin_newton(it);
    return try_newton(it);
}

// Round after round from one start on. True if solved, or if memory is short.
static bool refine_from(Refine *it, const PerpDirectionSetStart *start)
{
    PerpArena *arena = it->job->arena;
    it->size = 0;
    perp_direction_set_begin(it->p, start, &it->directions);
    for (int round = 0; round < ROUNDS; round++) {
        PerpArenaMark mark = perp_arena_mark(arena);
        bool had_basis = it->size > 0, done = do_round(it);
        perp_arena_release(arena, mark);
        if (done)
            return true;
        if (is_over(it) || (it->size == 0 && !(it->thorough && had_basis))) // pivots led nowhere
            return false;
        turn_page(it, start);
    }
    return false;
}

bool perp_polygon_refinement(PerpPolygonRefinement *job)
{
    Refine it = {.job = job, .p = job->cones->p};
    int passes = it.p->n_contacts <= THOROUGH_CONTACTS ? 2 : 1;
    if (!take(&it))
        return job->memory_short = true;
    if (try_start(&it))
        return true;
    for (int pass = 0; pass < passes; pass++) {
        it.thorough = pass == 1;
        for (size_t k = 0; k < sizeof starts / sizeof *starts && !is_over(&it); k++)
            if (refine_from(&it, &starts[k]))
                return true;
    }
    return false;
}
