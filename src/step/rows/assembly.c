// The rows of a step problem: filling them in, and leaving contacts out.

#include "step/rows/assembly.h"

#include <string.h>

void perp_row_add_some(PerpAssembly *a, int body, PerpVec3 linear, PerpVec3 angular)
{
    const double full[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    unsigned freedom = a->rigid->model->bodies[body].freedom;
    if (freedom != 0)
        a->entry_body[a->entries++] = a->rigid->block_of[body];
    for (int i = 0; i < 6; i++)
        if (freedom >> i & 1)
            a->J[a->values++] = full[i];
}

void perp_assembly_show(PerpAssembly *a)
{
    PerpProblem *p = &a->problem;
    p->b = a->b;
    p->row_start = a->row_start;
    p->entry_body = a->entry_body;
    p->J = a->J;
    p->d = a->d;
    p->compliance = a->compliance;
    p->lo = a->lo;
    p->hi = a->hi;
    p->group_contact = a->group_contact;
    p->group_start = a->group_start;
    p->mu = a->mu;
    p->cohesion = a->cohesion;
    p->group_circular = a->group_circular;
}

static void *copy(PerpArena *arena, const void *from, int count, size_t size)
{
    void *to = perp_arena_take(arena, (size_t)count + 1, size);
    if (to && count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

bool perp_assembly_copy(const PerpAssembly *from, PerpAssembly *to)
{
    const PerpProblem *p = &from->problem;
    PerpArena *arena = from->arena;
    int rows = perp_problem_rows(p), groups = p->n_groups;
    *to = *from;
    to->b = copy(arena, from->b, perp_problem_velocities(p), sizeof *to->b);
    to->d = copy(arena, from->d, rows, sizeof *to->d);
    to->along = copy(arena, from->along, rows, sizeof *to->along);
    to->row_start = copy(arena, from->row_start, rows + 1, sizeof *to->row_start);
    to->row_values = copy(arena, from->row_values, rows + 1, sizeof *to->row_values);
    to->entry_body = copy(arena, from->entry_body, from->row_start[rows], sizeof *to->entry_body);
    to->J = copy(arena, from->J, from->row_values[rows], sizeof *to->J);
    to->unilateral = copy(arena, from->unilateral, p->n_contacts, sizeof *to->unilateral);
    to->group_contact = copy(arena, from->group_contact, groups, sizeof *to->group_contact);
    to->group_start = copy(arena, from->group_start, groups + 1, sizeof *to->group_start);
    to->mu = copy(arena, from->mu, groups, sizeof *to->mu);
    to->cohesion = copy(arena, from->cohesion, groups, sizeof *to->cohesion);
    to->group_circular = copy(arena, from->group_circular, groups, sizeof *to->group_circular);
    perp_assembly_show(to);
    return to->b && to->d && to->along && to->row_start && to->row_values && to->entry_body &&
           to->J && to->unilateral && to->group_contact && to->group_start && to->mu &&
           to->cohesion && to->group_circular;
}

// --- fewer contacts -----------------------------------------------------------------------------

// Row `from` becomes the next row; never a later one.
static void move_row(PerpAssembly *a, int from)
{
    int entry = a->row_start[from], entries = a->row_start[from + 1] - entry;
    int value = a->row_values[from], values = a->row_values[from + 1] - value, to = a->rows++;
    memmove(a->entry_body + a->entries, a->entry_body + entry, (size_t)entries * sizeof(int));
    memmove(a->J + a->values, a->J + value, (size_t)values * sizeof(double));
    a->d[to] = a->d[from];
    if (a->compliance)
        a->compliance[to] = a->compliance[from];
    a->along[to] = a->along[from];
    a->entries += entries;
    a->values += values;
    a->row_start[to + 1] = a->entries;
    a->row_values[to + 1] = a->values;
}

static void keep_group(PerpAssembly *a, int group, int contact, int first, int count)
{
    int to = a->problem.n_groups++;
    a->group_contact[to] = contact;
    a->mu[to] = a->mu[group];
    a->cohesion[to] = a->cohesion[group];
    a->group_circular[to] = a->group_circular[group];
    a->group_start[to + 1] = a->group_start[to] + count;
    for (int k = 0; k < count; k++)
        move_row(a, first + k);
}

void perp_assembly_select(PerpAssembly *a, const bool *keep)
{
    const PerpProblem whole = a->problem;
    int contacts = whole.n_joints + whole.n_boxes, directions = contacts + whole.n_contacts;
    int start = 0, at = 0, kept = 0; // contacts that groups have passed, and those that are kept
    a->rows = contacts;
    a->entries = a->row_start[contacts];
    a->values = a->row_values[contacts];
    a->problem.n_contacts = a->problem.n_groups = 0;
    for (int i = 0; i < whole.n_contacts; i++)
        if (keep[i]) {
            a->unilateral[a->problem.n_contacts++] = a->unilateral[i];
            move_row(a, contacts + i);
        }
    for (int g = 0; g < whole.n_groups; g++) {
        int end = a->group_start[g + 1], contact = a->group_contact[g]; // in ascending order
        for (; at < contact; at++)
            kept += keep[at];
        if (keep[contact])
            keep_group(a, g, kept, directions + start, end - start);
        start = end;
    }
    a->problem.n_directions = a->rows - contacts - a->problem.n_contacts;
}
