// Fewer contacts: rows that a scheme does not want are closed up in place.

#include "step/assembly.h"

#include <string.h>

// Row `from` becomes the next row; never a later one.
static void move_row(PerpAssembly *a, int from)
{
    int entry = a->row_start[from], entries = a->row_start[from + 1] - entry;
    int value = a->row_values[from], values = a->row_values[from + 1] - value, to = a->rows++;
    memmove(a->entry_body + a->entries, a->entry_body + entry, (size_t)entries * sizeof(int));
    memmove(a->J + a->values, a->J + value, (size_t)values * sizeof(double));
    a->d[to] = a->d[from];
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

void perp_assembly_keep(PerpAssembly *a, const bool *keep)
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
