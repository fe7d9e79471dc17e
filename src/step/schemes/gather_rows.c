// Rows of constraints that stand at different configurations [PS02].

#include "step/schemes/gather_rows.h"

#include "base/error.h"

#include <string.h>

// The rows at one configuration, for one coefficient of restitution.
typedef struct Class {
    double e;
    PerpAssembly rows;
} Class;

// Contacts belong to the finder until its next call: ours are copied.
static bool keep_contacts(PerpSimulation *sim, PerpAssembly *rows)
{
    int count = rows->problem.n_contacts;
    if (!rows->contact)
        return true;
    PerpContact *copy = PERP_TAKE(&sim->arena, PerpContact, count + 1);
    for (int i = 0; copy && i < count; i++)
        if (rows->unilateral[i].kind == PERP_UNILATERAL_CONTACT)
            copy[rows->unilateral[i].index] = rows->contact[rows->unilateral[i].index];
    rows->contact = copy;
    return copy;
}

// The rows at q (+) h (u - e v)/(1 + e)
static PerpStatus assemble_class(PerpSimulation *sim, const double *u, const PerpGathering *wanted,
                                 Class *class, PerpError *error)
{
    PerpRowChoice choice = {.h = wanted->h, .reach = wanted->reach};
    double h = class->e > 0 ? wanted->bounce : wanted->h;
    double *z = PERP_TAKE(&sim->arena, double, sim->n_v);
    double *Z = PERP_TAKE(&sim->arena, double, sim->n_q);
    if (!z || !Z)
        return perp_fail_memory(error);
    for (int i = 0; i < sim->n_v; i++)
        z[i] = (u[i] - class->e * sim->state.v[i]) / (1 + class->e);
    sim->system->advance(sim, sim->state.q, z, h, Z);
    PerpStatus status = sim->system->assemble(sim, Z, &choice, &class->rows, error);
    for (int i = 0; !status && wanted->inelastic && i < class->rows.problem.n_contacts; i++)
        class->rows.unilateral[i].restitution = 0;
    if (!status && !keep_contacts(sim, &class->rows))
        status = perp_fail_memory(error);
    return status;
}

// The coefficients of restitution above 0 among the rows; returns their number.
static int list_restitutions(const PerpAssembly *rows, double *e)
{
    int count = 0;
    for (int i = 0; i < rows->problem.n_contacts; i++) {
        int at = 0;
        while (at < count && e[at] != rows->unilateral[i].restitution)
            at++;
        if (at == count && rows->unilateral[i].restitution > 0)
            e[count++] = rows->unilateral[i].restitution;
    }
    return count;
}

// --- one set of rows ----------------------------------------------------------------------------

static bool take_arrays(PerpSimulation *sim, const Class *classes, int count, PerpAssembly *a)
{
    int rows = 0, entries = 0, values = 0, contacts = 0;
    for (int k = 0; k < count; k++) {
        rows += classes[k].rows.rows;
        entries += classes[k].rows.entries;
        values += classes[k].rows.values;
        contacts += classes[k].rows.problem.n_contacts;
    }
    a->d = PERP_TAKE(&sim->arena, double, rows + 1);
    a->row_start = PERP_TAKE(&sim->arena, int, rows + 1);
    a->row_values = PERP_TAKE(&sim->arena, int, rows + 1);
    a->along = PERP_TAKE(&sim->arena, PerpVec3, rows + 1);
    a->entry_body = PERP_TAKE(&sim->arena, int, entries);
    a->J = PERP_TAKE(&sim->arena, double, values);
    a->unilateral = PERP_TAKE(&sim->arena, PerpUnilateral, contacts);
    PerpContact *contact = PERP_TAKE(&sim->arena, PerpContact, contacts);
    if (a->contact)
        a->contact = contact;
    a->rows = a->entries = a->values = 0;
    return a->d && a->row_start && a->row_values && a->along && a->entry_body && a->J &&
           a->unilateral && contact;
}

static void copy_row(const PerpAssembly *from, int row, PerpAssembly *to)
{
    int entries = from->row_start[row + 1] - from->row_start[row];
    int values = from->row_values[row + 1] - from->row_values[row];
    memcpy(to->entry_body + to->entries, from->entry_body + from->row_start[row],
           (size_t)entries * sizeof(int));
    memcpy(to->J + to->values, from->J + from->row_values[row], (size_t)values * sizeof(double));
    to->d[to->rows] = from->d[row];
    to->along[to->rows] = from->along[row];
    to->entries += entries;
    to->values += values;
    to->row_start[++to->rows] = to->entries;
    to->row_values[to->rows] = to->values;
}

// The unilateral rows of a class; contacts come before all others.
static void copy_unilateral(const Class *class, bool contacts, const uint64_t *only,
                            PerpContact *contact, PerpAssembly *to)
{
    const PerpAssembly *from = &class->rows;
    for (int i = 0; i < from->problem.n_contacts; i++) {
        PerpUnilateral u = from->unilateral[i];
        if (u.restitution != class->e || (u.kind == PERP_UNILATERAL_CONTACT) != contacts ||
            (only && u.id != *only))
            continue;
        if (contacts && contact) {
            contact[to->problem.n_contacts] = from->contact[u.index];
            u.index = to->problem.n_contacts;
        }
        to->unilateral[to->problem.n_contacts++] = u;
        copy_row(from, from->problem.n_joints + from->problem.n_boxes + i, to);
    }
}

// Joints and boxes of the first class, unilateral rows of each.
static bool merge(PerpSimulation *sim, const Class *classes, int count, const uint64_t *only,
                  PerpAssembly *to)
{
    const PerpAssembly *first = &classes[0].rows;
    *to = *first;
    if (!take_arrays(sim, classes, count, to))
        return false;
    to->problem.n_contacts = to->problem.n_directions = to->problem.n_groups = 0;
    for (int i = 0; i < first->problem.n_joints + first->problem.n_boxes; i++)
        copy_row(first, i, to);
    for (int contacts = 1; contacts >= 0; contacts--)
        for (int k = 0; k < count; k++)
            copy_unilateral(&classes[k], contacts, only, (PerpContact *)to->contact, to);
    perp_assembly_show(to);
    return true;
}

PerpStatus perp_gather_rows(PerpSimulation *sim, const double *u, const PerpGathering *wanted,
                            PerpStage *stage, PerpError *error)
{
    Class first = {.e = 0};
    *stage = (PerpStage){.h = wanted->h, .q = sim->state.q};
    PerpStatus status = assemble_class(sim, u, wanted, &first, error);
    if (status)
        return status;
    double *e = PERP_TAKE(&sim->arena, double, first.rows.problem.n_contacts + 1);
    Class *classes = PERP_TAKE(&sim->arena, Class, first.rows.problem.n_contacts + 1);
    if (!e || !classes)
        return perp_fail_memory(error);
    int count = 1 + list_restitutions(&first.rows, e);
    classes[0] = first;
    for (int k = 1; k < count && !status; k++) {
        classes[k].e = e[k - 1];
        status = assemble_class(sim, u, wanted, &classes[k], error);
    }
    if (!status && !merge(sim, classes, count, wanted->only, &stage->rows))
        status = perp_fail_memory(error);
    return status;
}
