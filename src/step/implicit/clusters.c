// Clusters: bodies that springs and dampers join share one block of Mt [PAGT06 (5.9)].

#include "step/implicit/clusters.h"

#include "math/union_find.h"

#include <string.h>

// --- which blocks belong together ---------------------------------------------------------------

static void number_clusters(PerpClusters *c, const PerpBlockRows *links, int *parent)
{
    int blocks = c->whole->n_bodies;
    for (int k = 0; k < blocks; k++)
        parent[k] = k;
    for (int i = 0; i < links->n_rows; i++)
        for (int e = links->row_start[i] + 1; e < links->row_start[i + 1]; e++)
            perp_unite(parent, links->entry_body[e - 1], links->entry_body[e]);
    for (int k = 0; k < blocks; k++) {
        int root = perp_find_root(parent, k);
        if (root == k)
            c->named_block[c->count] = k;
        c->cluster_of[k] = root == k ? c->count++ : c->cluster_of[root];
    }
}

static int size_of_block(const PerpProblem *p, int block)
{
    return p->body_start[block + 1] - p->body_start[block];
}

static int size_of_cluster(const PerpClusters *c, int cluster)
{
    return c->start[cluster + 1] - c->start[cluster];
}

// Blocks of a cluster keep their order.
static void place_velocities(PerpClusters *c, int *used)
{
    const PerpProblem *p = c->whole;
    for (int k = 0; k < p->n_bodies; k++)
        c->start[c->cluster_of[k] + 1] += size_of_block(p, k);
    for (int i = 0; i < c->count; i++) {
        int n = c->start[i + 1];
        c->mass_start[i + 1] = c->mass_start[i] + n * n;
        c->start[i + 1] += c->start[i];
        used[i] = c->start[i];
    }
    for (int k = 0; k < p->n_bodies; k++)
        for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
            c->place[i] = used[c->cluster_of[k]]++;
}

bool perp_clusters_find(PerpArena *arena, const PerpProblem *whole, const PerpBlockRows *links,
                        PerpClusters *c)
{
    int blocks = whole->n_bodies;
    int *scratch = PERP_TAKE(arena, int, blocks);
    *c = (PerpClusters){.whole = whole,
                        .cluster_of = PERP_TAKE(arena, int, blocks),
                        .named_block = PERP_TAKE(arena, int, blocks),
                        .start = PERP_TAKE(arena, int, blocks + 1),
                        .mass_start = PERP_TAKE(arena, int, blocks + 1),
                        .place = PERP_TAKE(arena, int, perp_problem_velocities(whole))};
    if (!scratch || !c->cluster_of || !c->named_block || !c->start || !c->mass_start || !c->place)
        return false;
    number_clusters(c, links, scratch);
    place_velocities(c, scratch);
    return true;
}

// --- vectors and matrices -----------------------------------------------------------------------

void perp_clusters_gather(const PerpClusters *c, const double *v, double *gathered)
{
    for (int i = 0; i < c->start[c->count]; i++)
        gathered[c->place[i]] = v[i];
}

void perp_clusters_scatter(const PerpClusters *c, const double *gathered, double *v)
{
    for (int i = 0; i < c->start[c->count]; i++)
        v[i] = gathered[c->place[i]];
}

// Where entry (i, j) of the system's velocities lies; both in one cluster.
static double *entry(const PerpClusters *c, double *A, int cluster, int i, int j)
{
    int first = c->start[cluster];
    return A + c->mass_start[cluster] + (c->place[i] - first) +
           size_of_cluster(c, cluster) * (c->place[j] - first);
}

void perp_clusters_add_pair(const PerpClusters *c, double s, int to, int from, const double *B,
                            double *A)
{
    const PerpProblem *p = c->whole;
    int rows = size_of_block(p, to), columns = size_of_block(p, from);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            *entry(c, A, c->cluster_of[to], p->body_start[to] + i, p->body_start[from] + j) +=
                s * B[i + rows * j];
}

void perp_clusters_add_blocks(const PerpClusters *c, double s, const double *B, double *A)
{
    for (int k = 0; k < c->whole->n_bodies; k++) {
        int n = size_of_block(c->whole, k);
        perp_clusters_add_pair(c, s, k, k, B, A);
        B += n * n;
    }
}

void perp_clusters_add_square(const PerpClusters *c, double s, const PerpBlockRows *links, int i,
                              double *A)
{
    const int *start = c->whole->body_start;
    for (int e = links->row_start[i]; e < links->row_start[i + 1]; e++)
        for (int f = links->row_start[i]; f < links->row_start[i + 1]; f++) {
            int to = links->entry_body[e], from = links->entry_body[f];
            const double *g_to = links->J + links->value_start[e];
            const double *g_from = links->J + links->value_start[f];
            for (int j = 0; j < size_of_block(c->whole, from); j++)
                for (int k = 0; k < size_of_block(c->whole, to); k++)
                    *entry(c, A, c->cluster_of[to], start[to] + k, start[from] + j) +=
                        s * g_to[k] * g_from[j];
        }
}

void perp_clusters_times(const PerpClusters *c, const double *A, const double *x, double *y)
{
    for (int k = 0; k < c->count; k++) {
        int n = size_of_cluster(c, k), first = c->start[k];
        for (int i = 0; i < n; i++) {
            y[first + i] = 0;
            for (int j = 0; j < n; j++)
                y[first + i] += A[c->mass_start[k] + i + n * j] * x[first + j];
        }
    }
}

// --- rows ---------------------------------------------------------------------------------------

// The clusters of a row's entries, each once; returns how many.
static int clusters_of_row(const PerpClusters *c, int row, int *cluster)
{
    const PerpProblem *p = c->whole;
    int count = 0;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
        int k = 0, wanted = c->cluster_of[p->entry_body[e]];
        while (k < count && cluster[k] != wanted)
            k++;
        if (k == count)
            cluster[count++] = wanted;
    }
    return count;
}

static bool take_rows(PerpArena *arena, const PerpClusters *c, PerpAssembly *merged)
{
    const PerpProblem *p = c->whole;
    int rows = perp_problem_rows(p), values = 0, cluster[PERP_ROW_ENTRIES];
    for (int r = 0; r < rows; r++)
        for (int k = clusters_of_row(c, r, cluster) - 1; k >= 0; k--)
            values += size_of_cluster(c, cluster[k]);
    merged->b = PERP_TAKE(arena, double, c->start[c->count]);
    merged->row_start = PERP_TAKE(arena, int, rows + 1);
    merged->row_values = PERP_TAKE(arena, int, rows + 1);
    merged->entry_body = PERP_TAKE(arena, int, p->row_start[rows]);
    merged->J = PERP_TAKE(arena, double, values);
    return merged->b && merged->row_start && merged->row_values && merged->entry_body && merged->J;
}

// The numbers of the row's entry e within the part of its cluster, which begins at J.
static void put_entry(const PerpClusters *c, int e, const double *from, double *J)
{
    int block = c->whole->entry_body[e], cluster = c->cluster_of[block];
    for (int i = c->whole->body_start[block]; i < c->whole->body_start[block + 1]; i++)
        J[c->place[i] - c->start[cluster]] = *from++;
}

static void merge_row(const PerpClusters *c, int row, const double *from, PerpAssembly *merged)
{
    const PerpProblem *p = c->whole;
    int *cluster = merged->entry_body + merged->row_start[row];
    int count = clusters_of_row(c, row, cluster), values = merged->row_values[row];
    for (int k = 0; k < count; k++) {
        const double *numbers = from;
        for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
            if (c->cluster_of[p->entry_body[e]] == cluster[k])
                put_entry(c, e, numbers, merged->J + values);
            numbers += size_of_block(p, p->entry_body[e]);
        }
        values += size_of_cluster(c, cluster[k]);
    }
    merged->row_start[row + 1] = merged->row_start[row] + count;
    merged->row_values[row + 1] = values;
}

bool perp_clusters_merge(PerpArena *arena, const PerpClusters *c, const PerpAssembly *rows,
                         const double *Mt, PerpAssembly *merged)
{
    *merged = *rows;
    if (!take_rows(arena, c, merged))
        return false;
    for (int r = 0; r < perp_problem_rows(c->whole); r++)
        merge_row(c, r, rows->J + rows->row_values[r], merged);
    merged->problem.n_bodies = c->count;
    merged->problem.body_start = c->start;
    merged->problem.Mt = Mt;
    merged->mass_start = c->mass_start;
    merged->named_block = c->named_block;
    perp_assembly_show(merged);
    return true;
}
