// A start with overlapping bodies has energy that no one put in: the first step parts them and
// lifts what lies above.

#include "step/start.h"
#include "step/scheme_tools.h"
#include "step/systems/rigid_system.h"

#include "base/error.h"
#include "geom/thickness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double THICK = 0.1;  // m: shapes without an inside count as so thick
static const double LEAST = 1e-6; // m: so much is allowed of the thinnest shapes, too
enum { ROUNDS = 64 };             // of projections that move bodies apart
enum { MOST_TOLD = 8 };           // pairs that a message names,
enum { COUNT_SIZE = 40 };         // its room for how many more there are,
enum { REMEDY_SIZE = 64 };        // and for what to do about them

// m: the overlap that nobody minds
static double allowed(const PerpModel *model, const PerpContact *contact)
{
    double a = perp_shape_thickness(&model->shapes[contact->shape_a].shape);
    double b = perp_shape_thickness(&model->shapes[contact->shape_b].shape);
    double thinner = fmin(a, b);
    return fmax(PERP_START_OVERLAP * (thinner < INFINITY ? thinner : THICK), LEAST);
}

// The first look is at the start as it was given.
static void note_overlap(PerpSimulation *sim, const PerpContact *contact)
{
    PerpVerdictScales *scales = &sim->scales;
    if (scales->start_moved > 0 || -contact->point.gap <= scales->start_overlap)
        return;
    scales->start_overlap = -contact->point.gap;
    scales->overlap_a = contact->body_a;
    scales->overlap_b = contact->body_b;
}

// Of two bodies that overlap by more than is allowed: the deepest contact between them.
typedef struct Overlap {
    int body_a, body_b;
    double depth; // m
} Overlap;

typedef struct Overlaps {
    Overlap *pair; // count, the deepest first
    int count;
} Overlaps;

// The world comes second.
static Overlap overlap_of(const PerpContact *contact)
{
    int a = contact->body_a, b = contact->body_b;
    return (Overlap){a < 0 ? b : a, a < 0 ? a : b, -contact->point.gap};
}

static int compare_bodies(const void *a, const void *b)
{
    const Overlap *x = a, *y = b;
    if (x->body_a != y->body_a)
        return x->body_a < y->body_a ? -1 : 1;
    return (x->body_b > y->body_b) - (x->body_b < y->body_b);
}

static int compare_depths(const void *a, const void *b)
{
    const Overlap *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return compare_bodies(a, b);
}

// Of each two bodies the deepest contact; the deepest of all comes first.
static void sort(Overlaps *found)
{
    int kept = 0;
    qsort(found->pair, (size_t)found->count, sizeof *found->pair, compare_bodies);
    for (int i = 0; i < found->count; i++) {
        const Overlap *next = &found->pair[i];
        if (kept > 0 && compare_bodies(&found->pair[kept - 1], next) == 0)
            found->pair[kept - 1].depth = fmax(found->pair[kept - 1].depth, next->depth);
        else
            found->pair[kept++] = *next;
    }
    found->count = kept;
    qsort(found->pair, (size_t)kept, sizeof *found->pair, compare_depths);
}

static PerpStatus find_overlaps(PerpSimulation *sim, Overlaps *found, PerpError *error)
{
    const PerpContact *contacts;
    int count;
    PerpStatus status = perp_contact_finder_find(sim->bodies.finder, perp_rigid_poses(sim->state.q),
                                                 0, &contacts, &count);
    if (status)
        return perp_fail(error, status, "%s", perp_status_text(status));
    *found = (Overlaps){PERP_TAKE(&sim->arena, Overlap, count), 0};
    if (!found->pair)
        return perp_fail_memory(error);
    for (int i = 0; i < count; i++) {
        note_overlap(sim, &contacts[i]);
        if (-contacts[i].point.gap > allowed(sim->bodies.model, &contacts[i]))
            found->pair[found->count++] = overlap_of(&contacts[i]);
    }
    sort(found);
    return PERP_OK;
}

// "a" and "b" overlap by 0.1 m at the start, "a" and "c" by 0.05 m, and 3 other pairs
static void describe(const PerpModel *model, const Overlaps *found, char *text, int size)
{
    char pair[2 * PERP_NAME_SIZE + 64];
    int length = 0, told = 0;
    for (; told < found->count && told < MOST_TOLD; told++) {
        const Overlap *o = &found->pair[told];
        int more =
            snprintf(pair, sizeof pair, "%s\"%.*s\" and \"%.*s\" %sby %.3g m%s", told ? ", " : "",
                     PERP_NAME_SIZE - 1, perp_model_body_name(model, o->body_a), PERP_NAME_SIZE - 1,
                     perp_model_body_name(model, o->body_b), told ? "" : "overlap ", o->depth,
                     told ? "" : " at the start");
        if (length + more >= size - COUNT_SIZE)
            break;
        length += snprintf(text + length, (size_t)(size - length), "%s", pair);
    }
    int others = found->count - told;
    if (others > 0)
        snprintf(text + length, (size_t)(size - length), ", and %d other pair%s", others,
                 others > 1 ? "s" : "");
}

static PerpStatus refuse(const PerpSimulation *sim, const Overlaps *found, const char *remedy,
                         PerpError *error)
{
    char pairs[PERP_MESSAGE_SIZE - REMEDY_SIZE];
    describe(sim->bodies.model, found, pairs, sizeof pairs);
    return perp_fail(error, PERP_BAD_VALUE, "%s; %s", pairs, remedy);
}

static void measure_motion(PerpSimulation *sim)
{
    const PerpPose *now = perp_rigid_poses(sim->state.q), *was = perp_rigid_poses(sim->before.q);
    for (int b = 0; b < sim->bodies.model->n_bodies; b++)
        sim->scales.start_moved =
            fmax(sim->scales.start_moved,
                 perp_vec3_norm(perp_vec3_sub(now[b].position, was[b].position)));
}

// The shortest motion in the metric of M, as after a step, until nothing overlaps any more.
static PerpStatus separate(PerpSimulation *sim, PerpError *error)
{
    Overlaps left;
    PerpStepReport report = sim->report;
    bool again = true;
    PerpStatus status = PERP_OK;
    memcpy(sim->before.q, sim->state.q, (size_t)sim->n_q * sizeof(double));
    for (int round = 0; round < ROUNDS && again && !status; round++) {
        status = perp_project(sim, error);
        if (!status)
            status = find_overlaps(sim, &left, error);
        again = !status && left.count > 0;
    }
    sim->report = report;
    measure_motion(sim);
    if (!status && again)
        return refuse(sim, &left, "they could not be moved apart", error);
    return status;
}

static PerpStatus check_overlaps(PerpSimulation *sim, PerpError *error)
{
    Overlaps found;
    if (!sim->bodies.model || sim->has_soft)
        return PERP_OK;
    PerpStatus status = find_overlaps(sim, &found, error);
    if (status || found.count == 0 || sim->settings.overlap == PERP_OVERLAP_ALLOW)
        return status;
    if (sim->settings.overlap == PERP_OVERLAP_SEPARATE)
        return separate(sim, error);
    return refuse(sim, &found, "move them apart, or let overlap: separate do it", error);
}

static PerpStatus fail_range(const PerpSimulation *sim, PerpError *error)
{
    const PerpModel *model = sim->bodies.model;
    for (int b = 0; model && b < model->n_bodies; b++)
        if (!perp_step_is_in_range(7, sim->state.q + 7 * (size_t)b) ||
            !perp_step_is_in_range(6, sim->state.v + 6 * (size_t)b))
            return perp_fail(error, PERP_BAD_VALUE,
                             "body \"%s\": its position or velocity at the start is beyond 1e100",
                             model->bodies[b].name);
    return perp_fail(error, PERP_BAD_VALUE,
                     "positions or velocities at the start are beyond 1e100");
}

PerpStatus perp_start_check(PerpSimulation *sim, PerpError *error)
{
    if (perp_step_check_range(sim, NULL))
        return fail_range(sim, error);
    PerpStatus status = check_overlaps(sim, error);
    perp_arena_rewind(&sim->arena);
    return status;
}
