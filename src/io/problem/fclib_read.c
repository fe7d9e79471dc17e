// Reading of FCLIB files.
#include "base/error.h"
#include "io/hdf5/hdf5_source.h"
#include "io/problem/fclib_data.h"
#include "perp/lcp.h"

#include <stdio.h>

enum {
    OBJECT_SIZE = 64,
    LENGTH_LIMIT = PERP_LCP_SIZE_LIMIT * PERP_LCP_SIZE_LIMIT // numbers in one dataset
};

typedef struct Reader {
    PerpHdf5Source source;
    const char *root; // "/fclib_local" or "/fclib_global"
    PerpFclib *fclib;
} Reader;

static const char *join(char *object, const char *root, const char *group, const char *name)
{
    snprintf(object, OBJECT_SIZE, "%s/%s/%s", root, group, name);
    return object;
}

static PerpStatus fail(const Reader *reader, PerpStatus status, const char *group,
                       const char *message)
{
    return perp_fail_at(reader->source.error, status, reader->source.path, 0, 0, "%s/%s: %s",
                        reader->root, group, message);
}

static PerpStatus read_header(const Reader *reader, const char *group, PerpFclibMatrix *matrix)
{
    char object[OBJECT_SIZE];
    const struct {
        const char *name;
        int *value;
    } fields[] = {
        {"m", &matrix->m}, {"n", &matrix->n}, {"nz", &matrix->nz}, {"nzmax", &matrix->nzmax}};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        PerpStatus status = perp_hdf5_int(
            &reader->source, join(object, reader->root, group, fields[k].name), fields[k].value);
        if (status)
            return status;
    }
    if (matrix->m < 0 || matrix->m > LENGTH_LIMIT || matrix->n < 0 || matrix->n > LENGTH_LIMIT)
        return fail(reader, PERP_BAD_SIZE, group, "m or n is negative, or too large");
    if (matrix->nz < PERP_FCLIB_ROWS)
        return fail(
            reader, PERP_BAD_VALUE, group,
            "nz: expected -1 (compressed columns), -2 (compressed rows) or >= 0 (triplets)");
    matrix->present = true;
    return PERP_OK;
}

static PerpStatus read_header_if_present(const Reader *reader, const char *group,
                                         PerpFclibMatrix *matrix)
{
    char object[OBJECT_SIZE];
    snprintf(object, sizeof object, "%s/%s", reader->root, group);
    return perp_hdf5_exists(&reader->source, object) ? read_header(reader, group, matrix) : PERP_OK;
}

// starts: 0 = p[0] <= p[1] <= ... <= p[lines] <= length of i
static bool are_starts(const int *p, int lines, int length)
{
    if (p[0] != 0 || p[lines] > length)
        return false;
    for (int k = 0; k < lines; k++)
        if (p[k] > p[k + 1])
            return false;
    return true;
}

static bool are_indices(const int *indices, int count, int limit)
{
    for (int k = 0; k < count; k++)
        if (indices[k] < 0 || indices[k] >= limit)
            return false;
    return true;
}

// Of each entry the line that p puts it in.
static int *expand_starts(PerpArena *arena, const int *p, int lines)
{
    int *line = PERP_TAKE(arena, int, p[lines]);
    for (int k = 0; line && k < lines; k++)
        for (int e = p[k]; e < p[k + 1]; e++)
            line[e] = k;
    return line;
}

static PerpStatus locate_compressed(const Reader *reader, const char *group,
                                    PerpFclibMatrix *matrix)
{
    bool by_columns = matrix->nz == PERP_FCLIB_COLUMNS;
    int lines = by_columns ? matrix->n : matrix->m;
    if (!are_starts(matrix->p, lines, matrix->i_count))
        return fail(reader, PERP_BAD_VALUE, group,
                    "p: expected starts that rise from 0 and end within i");
    matrix->entries = matrix->p[lines];
    int *line = expand_starts(reader->source.arena, matrix->p, lines);
    if (!line)
        return fail(reader, PERP_NO_MEMORY, group, "out of memory");
    matrix->row = by_columns ? matrix->i : line;
    matrix->column = by_columns ? line : matrix->i;
    return PERP_OK;
}

static PerpStatus locate_entries(const Reader *reader, const char *group, PerpFclibMatrix *matrix)
{
    PerpStatus status = PERP_OK;
    if (matrix->nz < 0) {
        status = locate_compressed(reader, group, matrix);
    } else {
        matrix->entries = matrix->nz;
        matrix->row = matrix->p;
        matrix->column = matrix->i;
    }
    if (!status && (!are_indices(matrix->row, matrix->entries, matrix->m) ||
                    !are_indices(matrix->column, matrix->entries, matrix->n)))
        status = fail(reader, PERP_BAD_VALUE, group, "an index is outside the matrix");
    return status;
}

static PerpStatus read_entries(const Reader *reader, const char *group, PerpFclibMatrix *matrix)
{
    if (!matrix->present)
        return PERP_OK;
    char object[OBJECT_SIZE];
    const PerpHdf5Source *source = &reader->source;
    bool triplets = matrix->nz >= 0;
    int starts = matrix->nz == PERP_FCLIB_COLUMNS ? matrix->n + 1 : matrix->m + 1;
    int least = triplets ? matrix->nz : 0;
    PerpStatus status =
        perp_hdf5_ints(source, join(object, reader->root, group, "p"), triplets ? least : starts,
                       triplets ? LENGTH_LIMIT : starts, &matrix->p, &matrix->p_count);
    if (!status)
        status = perp_hdf5_ints(source, join(object, reader->root, group, "i"), least, LENGTH_LIMIT,
                                &matrix->i, &matrix->i_count);
    int length;
    if (!status)
        status = perp_hdf5_doubles(source, join(object, reader->root, group, "x"), matrix->i_count,
                                   matrix->i_count, &matrix->x, &length);
    return status ? status : locate_entries(reader, group, matrix);
}

static PerpStatus read_vector(const Reader *reader, const char *name, int count, double **numbers)
{
    char object[OBJECT_SIZE];
    return perp_hdf5_doubles(&reader->source, join(object, reader->root, "vectors", name), count,
                             count, numbers, &count);
}

static PerpStatus read_friction(const Reader *reader)
{
    PerpFclib *fclib = reader->fclib;
    PerpStatus status = read_vector(reader, "mu", fclib->contacts, &fclib->mu);
    for (int k = 0; !status && k < fclib->contacts; k++)
        if (fclib->mu[k] < 0)
            status = fail(reader, PERP_BAD_VALUE, "vectors/mu", "expected no negative number");
    return status;
}

// rows = contacts * dimension; the polyhedral LCP has contacts (2 + facets) + bilateral rows. The
// circular law, facets = 0, has no such limit.
static PerpStatus check_contacts(Reader *reader, const char *group, int rows, int facets)
{
    PerpFclib *fclib = reader->fclib;
    if (rows % fclib->dimension != 0)
        return fail(reader, PERP_BAD_SIZE, group, "its size is no multiple of spacedim");
    fclib->contacts = rows / fclib->dimension;
    int directions = fclib->dimension == 2 ? 2 : facets;
    long long size = fclib->contacts * (2LL + directions) + (fclib->global ? 0 : fclib->bilateral);
    if (facets > 0 && size > PERP_LCP_SIZE_LIMIT)
        return perp_fail_at(reader->source.error, PERP_BAD_SIZE, reader->source.path, 0, 0,
                            "%d contacts with %d friction directions each make an LCP of %lld "
                            "rows; the limit is %d",
                            fclib->contacts, directions, size, PERP_LCP_SIZE_LIMIT);
    return PERP_OK;
}

static PerpStatus check_local_shapes(Reader *reader, int facets)
{
    PerpFclib *fclib = reader->fclib;
    const PerpFclibMatrix *W = &fclib->W, *V = &fclib->V, *R = &fclib->R;
    if (W->m != W->n || W->m == 0)
        return fail(reader, PERP_BAD_SIZE, "W", "expected a square matrix, not empty");
    if (V->present != R->present)
        return fail(reader, PERP_BAD_SYNTAX, V->present ? "R" : "V", "missing");
    if (R->present && (R->m != R->n || V->m != W->m || V->n != R->m))
        return fail(reader, PERP_BAD_SIZE, "V", "the sizes of W, V and R do not fit together");
    fclib->bilateral = R->m;
    return check_contacts(reader, "W", W->m, facets);
}

static PerpStatus read_local(Reader *reader, int facets)
{
    PerpFclib *fclib = reader->fclib;
    PerpStatus status = read_header(reader, "W", &fclib->W);
    if (!status)
        status = read_header_if_present(reader, "V", &fclib->V);
    if (!status)
        status = read_header_if_present(reader, "R", &fclib->R);
    if (!status)
        status = check_local_shapes(reader, facets);
    if (!status)
        status = read_friction(reader);
    if (!status)
        status = read_vector(reader, "q", fclib->W.m, &fclib->q);
    if (!status && fclib->R.present)
        status = read_vector(reader, "s", fclib->bilateral, &fclib->s);
    if (!status)
        status = read_entries(reader, "W", &fclib->W);
    if (!status)
        status = read_entries(reader, "V", &fclib->V);
    return status ? status : read_entries(reader, "R", &fclib->R);
}

static PerpStatus check_global_shapes(Reader *reader, int facets)
{
    PerpFclib *fclib = reader->fclib;
    const PerpFclibMatrix *M = &fclib->M, *H = &fclib->H, *G = &fclib->G;
    if (M->m != M->n)
        return fail(reader, PERP_BAD_SIZE, "M", "expected a square matrix");
    if (H->m != M->m || (G->present && G->m != M->m))
        return fail(reader, PERP_BAD_SIZE, H->m != M->m ? "H" : "G",
                    "expected as many rows as M has");
    fclib->bilateral = G->n;
    return check_contacts(reader, "H", H->n, facets);
}

static PerpStatus read_global(Reader *reader, int facets)
{
    PerpFclib *fclib = reader->fclib;
    PerpStatus status = read_header(reader, "M", &fclib->M);
    if (!status)
        status = read_header(reader, "H", &fclib->H);
    if (!status)
        status = read_header_if_present(reader, "G", &fclib->G);
    if (!status)
        status = check_global_shapes(reader, facets);
    if (!status)
        status = read_friction(reader);
    if (!status)
        status = read_vector(reader, "f", fclib->M.m, &fclib->f);
    if (!status)
        status = read_vector(reader, "w", fclib->H.n, &fclib->w);
    if (!status && fclib->G.present)
        status = read_vector(reader, "b", fclib->bilateral, &fclib->b);
    if (!status)
        status = read_entries(reader, "M", &fclib->M);
    if (!status)
        status = read_entries(reader, "H", &fclib->H);
    return status ? status : read_entries(reader, "G", &fclib->G);
}

static PerpStatus find_root(Reader *reader)
{
    bool local = perp_hdf5_exists(&reader->source, "/fclib_local");
    if (!local && !perp_hdf5_exists(&reader->source, "/fclib_global"))
        return perp_fail_at(reader->source.error, PERP_BAD_SYNTAX, reader->source.path, 0, 0,
                            "neither /fclib_local nor /fclib_global is in the file");
    reader->fclib->global = !local;
    reader->root = local ? "/fclib_local" : "/fclib_global";
    return PERP_OK;
}

static PerpStatus read_dimension(Reader *reader)
{
    char object[OBJECT_SIZE];
    int *dimension = &reader->fclib->dimension;
    snprintf(object, sizeof object, "%s/spacedim", reader->root);
    PerpStatus status = perp_hdf5_int(&reader->source, object, dimension);
    if (!status && *dimension != 2 && *dimension != 3)
        status = fail(reader, PERP_BAD_VALUE, "spacedim", "expected 2 or 3");
    return status;
}

static void read_info(Reader *reader)
{
    char object[OBJECT_SIZE];
    PerpFclib *fclib = reader->fclib;
    const PerpHdf5Source *source = &reader->source;
    fclib->title = perp_hdf5_text(source, join(object, reader->root, "info", "title"));
    fclib->description = perp_hdf5_text(source, join(object, reader->root, "info", "description"));
    fclib->math_info = perp_hdf5_text(source, join(object, reader->root, "info", "math_info"));
}

static PerpStatus read_problem(Reader *reader, int facets)
{
    PerpStatus status = find_root(reader);
    if (!status)
        status = read_dimension(reader);
    if (!status)
        status = reader->fclib->global ? read_global(reader, facets) : read_local(reader, facets);
    if (!status)
        read_info(reader);
    return status;
}

PerpStatus perp_fclib_read(PerpArena *arena, const char *path, int facets, PerpFclib *fclib,
                           PerpError *error)
{
    *fclib = (PerpFclib){0};
    Reader reader = {.fclib = fclib};
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    PerpStatus status = perp_hdf5_open(&reader.source, path, arena, error);
    if (!status) {
        status = read_problem(&reader, facets);
        perp_hdf5_close(&reader.source);
    }
    perp_hdf5_restore(quiet);
    return status;
}
