// FCLIB's local problem as it is, [W V; V' R] in compressed rows.
#include "base/error.h"
#include "io/problem/problem_file.h"

// One of the four parts: entry k of the matrix stands in row row0 + row[k].
typedef struct Part {
    const PerpFclibMatrix *matrix;
    bool transposed;
    int row0, column0;
} Part;

typedef struct Rows {
    int *start, *column;
    double *x;
} Rows;

static int row_of(const Part *part, int k)
{
    return part->row0 + (part->transposed ? part->matrix->column[k] : part->matrix->row[k]);
}

static int column_of(const Part *part, int k)
{
    return part->column0 + (part->transposed ? part->matrix->row[k] : part->matrix->column[k]);
}

// Entries come in the order of the parts; counts stand two places on, become starts one place on,
// and end as starts in place.
static void fill_rows(const Part *parts, int count, int rows, Rows *to)
{
    for (int p = 0; p < count; p++)
        for (int k = 0; k < parts[p].matrix->entries; k++)
            to->start[row_of(&parts[p], k) + 2]++;
    for (int row = 0; row < rows; row++)
        to->start[row + 2] += to->start[row + 1];
    for (int p = 0; p < count; p++)
        for (int k = 0; k < parts[p].matrix->entries; k++) {
            int at = to->start[row_of(&parts[p], k) + 1]++;
            to->column[at] = column_of(&parts[p], k);
            to->x[at] = parts[p].matrix->x[k];
        }
}

PerpStatus perp_convert_circular(PerpProblemFile *file, PerpError *error)
{
    const PerpFclib *fclib = &file->fclib;
    int first = fclib->W.m, rows = first + fclib->bilateral;
    const Part parts[] = {{&fclib->W, false, 0, 0},
                          {&fclib->V, false, 0, first},
                          {&fclib->V, true, first, 0},
                          {&fclib->R, false, first, first}};
    size_t entries =
        (size_t)fclib->W.entries + 2 * (size_t)fclib->V.entries + (size_t)fclib->R.entries;
    Rows to = {PERP_TAKE(&file->arena, int, rows + 2), PERP_TAKE(&file->arena, int, entries),
               PERP_TAKE(&file->arena, double, entries)};
    double *q = PERP_TAKE(&file->arena, double, rows);
    if (!to.start || !to.column || !to.x || !q)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory for %d rows", rows);
    fill_rows(parts, sizeof parts / sizeof *parts, rows, &to);
    for (int i = 0; i < rows; i++)
        q[i] = i < first ? fclib->q[i] : fclib->s[i - first];
    file->kind = PERP_PROBLEM_FILE_CONTACT;
    file->local = (PerpContactProblem){.dimension = fclib->dimension,
                                       .contacts = fclib->contacts,
                                       .bilateral = fclib->bilateral,
                                       .mu = fclib->mu,
                                       .start = to.start,
                                       .column = to.column,
                                       .x = to.x,
                                       .q = q};
    return perp_contact_problem_check(&file->local, error);
}
