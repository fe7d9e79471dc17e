// FCLIB's global problem  M v = H r + G l + f,  u = H'v + w,  G'v + b = 0  as a step problem. A
// body is a connected component of the pattern of M; its velocities keep their order. The bilateral
// rows become joints, each contact gets one friction group, circular or on the inscribed polygon.
#include "base/error.h"
#include "io/problem/problem_file.h"
#include "perp/friction.h"

#include <stdlib.h>

// The columns of a matrix, one after the other.
typedef struct Columns {
    int *start; // columns + 1
    int *entry; // into the entries of the matrix
} Columns;

typedef struct Converter {
    PerpProblemFile *file;
    const PerpFclib *fclib;
    PerpArena scratch;
    PerpError *error;
    int facets;
    int *body;     // of each velocity of the file
    int *place;    // of each velocity within its body
    int *velocity; // of the file, for each one of the problem: the permutation; in the file's arena
    double *column;    // 3 x velocities: the columns of the contact or joint at hand, else zero
    int *touched;      // bodies of the contact at hand
    int touched_count; //
    bool *is_touched;  // bodies
    int *first;        // of each body: the place of its first velocity in velocity[]
} Converter;

static PerpStatus fail_for_memory(const Converter *converter)
{
    return perp_fail(converter->error, PERP_NO_MEMORY, "out of memory while reading the problem");
}

static int find_root(int *parent, int v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

// parent[] of the components of the pattern of M; the root is the smallest velocity of each
static void join_components(const PerpFclibMatrix *M, int *parent)
{
    for (int v = 0; v < M->m; v++)
        parent[v] = v;
    for (int k = 0; k < M->entries; k++) {
        int a = find_root(parent, M->row[k]), b = find_root(parent, M->column[k]);
        if (M->x[k] == 0 || a == b)
            continue;
        parent[a > b ? a : b] = a > b ? b : a;
    }
}

// Numbers the bodies by their first velocity; returns how many there are. size[]: velocities.
static int number_bodies(Converter *converter, int *parent, int *size)
{
    int bodies = 0;
    for (int v = 0; v < converter->fclib->M.m; v++) {
        int root = find_root(parent, v);
        converter->body[v] = root == v ? bodies++ : converter->body[root];
        converter->place[v] = size[converter->body[v]]++;
    }
    return bodies;
}

static PerpStatus add_bodies(Converter *converter, int bodies, const int *size)
{
    PerpProblemBuilder *builder = &converter->file->builder;
    PerpStatus status = PERP_OK;
    double *block, *b;
    for (int k = 0; !status && k < bodies; k++) {
        converter->first[k] = (int)builder->b.count;
        status = perp_builder_body(builder, size[k], &block, &b, converter->error);
    }
    return status;
}

static void fill_bodies(Converter *converter, const int *size, const size_t *block_start)
{
    const PerpFclibMatrix *M = &converter->fclib->M;
    PerpProblemBuilder *builder = &converter->file->builder;
    for (int v = 0; v < M->m; v++) {
        int target = converter->first[converter->body[v]] + converter->place[v];
        converter->velocity[target] = v;
        builder->b.data[target] = converter->fclib->f[v];
    }
    for (int k = 0; k < M->entries; k++) {
        int i = M->row[k], j = M->column[k], body = converter->body[i];
        if (M->x[k] == 0)
            continue;
        builder->Mt.data[block_start[body] + (size_t)converter->place[i] +
                         (size_t)size[body] * (size_t)converter->place[j]] += M->x[k];
    }
}

static PerpStatus convert_bodies(Converter *converter)
{
    int velocities = converter->fclib->M.m;
    int *parent = PERP_TAKE(&converter->scratch, int, velocities);
    int *size = PERP_TAKE(&converter->scratch, int, velocities);
    size_t *block_start = PERP_TAKE(&converter->scratch, size_t, velocities + 1);
    if (!parent || !size || !block_start)
        return fail_for_memory(converter);
    join_components(&converter->fclib->M, parent);
    int bodies = number_bodies(converter, parent, size);
    PerpStatus status = add_bodies(converter, bodies, size);
    if (status)
        return status;
    for (int k = 0; k < bodies; k++)
        block_start[k + 1] = block_start[k] + (size_t)size[k] * (size_t)size[k];
    fill_bodies(converter, size, block_start);
    return PERP_OK;
}

static bool sort_columns(PerpArena *arena, const PerpFclibMatrix *matrix, Columns *columns)
{
    columns->start = PERP_TAKE(arena, int, matrix->n + 2);
    columns->entry = PERP_TAKE(arena, int, matrix->entries);
    if (!columns->start || !columns->entry)
        return false;
    // counts stand two places on, become starts one place on, and end as starts in place
    for (int k = 0; k < matrix->entries; k++)
        columns->start[matrix->column[k] + 2]++;
    for (int j = 0; j < matrix->n; j++)
        columns->start[j + 2] += columns->start[j + 1];
    for (int k = 0; k < matrix->entries; k++)
        columns->entry[columns->start[matrix->column[k] + 1]++] = k;
    return true;
}

static void touch_body(Converter *converter, int body)
{
    if (converter->is_touched[body])
        return;
    converter->is_touched[body] = true;
    converter->touched[converter->touched_count++] = body;
}

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

// Column j of the matrix becomes dense column t, in the order of the problem's velocities.
static void load_column(Converter *converter, const PerpFclibMatrix *matrix, const Columns *columns,
                        int j, int t)
{
    double *dense = converter->column + (size_t)t * (size_t)matrix->m;
    for (int k = columns->start[j]; k < columns->start[j + 1]; k++) {
        int entry = columns->entry[k], v = matrix->row[entry], body = converter->body[v];
        dense[converter->first[body] + converter->place[v]] += matrix->x[entry];
        touch_body(converter, body);
    }
    qsort(converter->touched, (size_t)converter->touched_count, sizeof(int), compare_ints);
}

static void unload_columns(Converter *converter)
{
    int velocities = converter->fclib->M.m;
    for (int k = 0; k < converter->touched_count; k++) {
        int body = converter->touched[k];
        int size = perp_builder_body_size(&converter->file->builder, body);
        for (int t = 0; t < 3; t++)
            for (int i = 0; i < size; i++)
                converter->column[(size_t)t * (size_t)velocities +
                                  (size_t)(converter->first[body] + i)] = 0;
        converter->is_touched[body] = false;
    }
    converter->touched_count = 0;
}

// A row with J = sum_t weight[t] column_t on the touched bodies.
static PerpStatus add_row(Converter *converter, PerpRowKind kind, double d, const double weight[3])
{
    PerpProblemBuilder *builder = &converter->file->builder;
    size_t velocities = (size_t)converter->fclib->M.m;
    PerpStatus status = perp_builder_row(builder, kind, d, converter->error);
    for (int k = 0; !status && k < converter->touched_count; k++) {
        int body = converter->touched[k];
        const double *column = converter->column + converter->first[body];
        double *J;
        status = perp_builder_entry(builder, body, &J, converter->error);
        for (int i = 0; !status && i < perp_builder_body_size(builder, body); i++)
            for (int t = 0; t < 3; t++)
                J[i] += weight[t] * column[(size_t)t * velocities + (size_t)i];
    }
    return status;
}

static PerpStatus convert_joints(Converter *converter)
{
    static const double itself[3] = {1, 0, 0};
    const PerpFclibMatrix *G = &converter->fclib->G;
    Columns columns;
    if (!G->present)
        return PERP_OK;
    if (!sort_columns(&converter->scratch, G, &columns))
        return fail_for_memory(converter);
    PerpStatus status = PERP_OK;
    for (int j = 0; !status && j < G->n; j++) {
        load_column(converter, G, &columns, j, 0);
        status = add_row(converter, PERP_ROW_JOINT, converter->fclib->b[j], itself);
        unload_columns(converter);
    }
    return status;
}

// The tangents of a circular group.
static PerpStatus add_circle(Converter *converter, const double *w)
{
    PerpStatus status = PERP_OK;
    perp_builder_round(&converter->file->builder);
    for (int t = 1; !status && t < converter->fclib->dimension; t++) {
        const double weight[3] = {0, t == 1, t == 2};
        status = add_row(converter, PERP_ROW_DIRECTION, w[t], weight);
    }
    return status;
}

static PerpStatus add_group(Converter *converter, int contact)
{
    const PerpFclib *fclib = converter->fclib;
    const double *w = fclib->w + contact * fclib->dimension;
    PerpStatus status = perp_builder_group(&converter->file->builder, contact, fclib->mu[contact],
                                           0, converter->error);
    if (!status && converter->facets == 0)
        return add_circle(converter, w);
    for (int k = 0; !status && k < converter->facets; k++) {
        double weight[3] = {0};
        perp_friction_direction(k, converter->facets, weight + 1);
        double d = weight[1] * w[1] + (fclib->dimension == 3 ? weight[2] * w[2] : 0);
        status = add_row(converter, PERP_ROW_DIRECTION, d, weight);
    }
    return status;
}

// One pass for the normals, one for the groups: the order of the rows of a step problem.
static PerpStatus convert_contacts(Converter *converter, const Columns *columns, bool friction)
{
    static const double itself[3] = {1, 0, 0};
    const PerpFclib *fclib = converter->fclib;
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < fclib->contacts; k++) {
        int normal = k * fclib->dimension;
        for (int t = 0; t < fclib->dimension; t++)
            load_column(converter, &fclib->H, columns, normal + t, t);
        status = friction ? add_group(converter, k)
                          : add_row(converter, PERP_ROW_CONTACT, fclib->w[normal], itself);
        unload_columns(converter);
    }
    return status;
}

static PerpStatus convert(Converter *converter)
{
    int velocities = converter->fclib->M.m;
    converter->body = PERP_TAKE(&converter->scratch, int, velocities);
    converter->place = PERP_TAKE(&converter->scratch, int, velocities);
    converter->first = PERP_TAKE(&converter->scratch, int, velocities);
    converter->touched = PERP_TAKE(&converter->scratch, int, velocities);
    converter->is_touched = PERP_TAKE(&converter->scratch, bool, velocities);
    converter->column = PERP_TAKE(&converter->scratch, double, 3 * (size_t)velocities);
    converter->velocity = PERP_TAKE(&converter->file->arena, int, velocities);
    Columns columns;
    if (!converter->body || !converter->place || !converter->first || !converter->touched ||
        !converter->is_touched || !converter->column || !converter->velocity ||
        !sort_columns(&converter->scratch, &converter->fclib->H, &columns))
        return fail_for_memory(converter);
    PerpStatus status = convert_bodies(converter);
    if (!status)
        status = convert_joints(converter);
    if (!status)
        status = convert_contacts(converter, &columns, false);
    return status ? status : convert_contacts(converter, &columns, true);
}

PerpStatus perp_convert_global(PerpProblemFile *file, int facets, PerpError *error)
{
    Converter converter = {.file = file, .fclib = &file->fclib, .error = error};
    converter.facets = file->fclib.dimension == 2 && facets > 0 ? 2 : facets;
    perp_arena_init(&converter.scratch, &file->context.allocator);
    PerpStatus status = convert(&converter);
    perp_arena_free(&converter.scratch);
    file->kind = PERP_PROBLEM_FILE_STEP;
    file->problem = perp_builder_problem(&file->builder);
    file->info.velocity = converter.velocity;
    return status ? status : perp_problem_check(&file->problem, error);
}
