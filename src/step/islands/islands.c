// Islands: the connected components of bodies and rows, and the problem of each.

#include "step/islands/islands.h"

#include "math/union_find.h"

#include <string.h>

// --- connected bodies ---------------------------------------------------------------------------

static void number_islands(PerpIslands *islands, int *parent)
{
    const PerpProblem *p = islands->whole;
    for (int k = 0; k < p->n_bodies; k++)
        parent[k] = k;
    for (int r = 0; r < perp_problem_rows(p); r++)
        for (int e = p->row_start[r] + 1; e < p->row_start[r + 1]; e++)
            if (parent[p->entry_body[e - 1]] != parent[p->entry_body[e]]) // mostly together already
                perp_unite(parent, p->entry_body[e - 1], p->entry_body[e]);
    for (int k = 0; k < p->n_bodies; k++) {
        int root = perp_find_root(parent, k);
        islands->island_of[k] = root == k ? islands->count++ : islands->island_of[root];
    }
}

// --- what belongs to which ----------------------------------------------------------------------

static int island_of_row(const PerpIslands *islands, int row)
{
    const PerpProblem *p = islands->whole;
    bool empty = p->row_start[row] == p->row_start[row + 1];
    return empty ? 0 : islands->island_of[p->entry_body[p->row_start[row]]];
}

static int contact_row(const PerpProblem *p, int contact)
{
    return p->n_joints + p->n_boxes + contact;
}

// The island of the k-th body, row or group.
typedef int (*IslandOf)(const PerpIslands *islands, int k);

static int island_of_body(const PerpIslands *islands, int body)
{
    return islands->island_of[body];
}

static int island_of_group(const PerpIslands *islands, int group)
{
    const PerpProblem *p = islands->whole;
    return island_of_row(islands, contact_row(p, p->group_contact[group]));
}

// Sorts 0 .. n-1 by island, keeping their order: first[i] .. first[i+1] - 1 are those of island i.
static void sort_by_island(const PerpIslands *islands, IslandOf island_of, int n, int *first,
                           int *sorted)
{
    memset(first, 0, (size_t)(islands->count + 2) * sizeof(int));
    if (islands->count == 1) {
        for (int k = 0; k < n; k++)
            sorted[k] = k;
        first[1] = n;
        return;
    }
    for (int k = 0; k < n; k++)
        first[island_of(islands, k) + 2]++;
    for (int i = 2; i <= islands->count; i++)
        first[i] += first[i - 1];
    for (int k = 0; k < n; k++)
        sorted[first[island_of(islands, k) + 1]++] = k;
}

static void find_starts(PerpIslands *islands)
{
    const PerpProblem *p = islands->whole;
    int values = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        islands->mass_start[k] = values;
        values += n * n;
    }
    values = 0;
    for (int r = 0; r < perp_problem_rows(p); r++) {
        islands->value_start[r] = values;
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++)
            values += p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
    }
    islands->value_start[perp_problem_rows(p)] = values;
}

static void number_locally(PerpIslands *islands)
{
    const PerpProblem *p = islands->whole;
    int first = contact_row(p, 0);
    for (int i = 0; i < islands->count; i++) {
        int contacts = 0;
        for (int k = islands->body_first[i]; k < islands->body_first[i + 1]; k++)
            islands->local_body[islands->body[k]] = k - islands->body_first[i];
        for (int k = islands->row_first[i]; k < islands->row_first[i + 1]; k++)
            if (islands->row[k] >= first && islands->row[k] < first + p->n_contacts)
                islands->local_contact[islands->row[k] - first] = contacts++;
    }
}

bool perp_islands_find(PerpArena *arena, const PerpProblem *p, PerpIslands *islands)
{
    int rows = perp_problem_rows(p);
    *islands = (PerpIslands){.whole = p};
    islands->island_of = PERP_TAKE(arena, int, p->n_bodies);
    islands->body_first = PERP_TAKE(arena, int, p->n_bodies + 2);
    islands->body = PERP_TAKE(arena, int, p->n_bodies);
    islands->row_first = PERP_TAKE(arena, int, p->n_bodies + 2);
    islands->row = PERP_TAKE(arena, int, rows);
    islands->group_first = PERP_TAKE(arena, int, p->n_bodies + 2);
    islands->group = PERP_TAKE(arena, int, p->n_groups);
    islands->local_body = PERP_TAKE(arena, int, p->n_bodies);
    islands->local_contact = PERP_TAKE(arena, int, p->n_contacts);
    islands->mass_start = PERP_TAKE(arena, int, p->n_bodies);
    islands->value_start = PERP_TAKE(arena, int, rows + 1);
    if (!islands->island_of || !islands->body_first || !islands->body || !islands->row_first ||
        !islands->row || !islands->group_first || !islands->group || !islands->local_body ||
        !islands->local_contact || !islands->mass_start || !islands->value_start)
        return false;
    number_islands(islands, islands->body);
    sort_by_island(islands, island_of_body, p->n_bodies, islands->body_first, islands->body);
    sort_by_island(islands, island_of_row, rows, islands->row_first, islands->row);
    sort_by_island(islands, island_of_group, p->n_groups, islands->group_first, islands->group);
    if (islands->count > 1) { // one needs no extraction
        find_starts(islands);
        number_locally(islands);
    }
    return true;
}

// --- one island ---------------------------------------------------------------------------------

static bool extract_bodies(PerpArena *arena, const PerpIslands *islands, int island,
                           PerpProblem *part)
{
    const PerpProblem *p = islands->whole;
    const int *body = islands->body + islands->body_first[island];
    int n = islands->body_first[island + 1] - islands->body_first[island], n_v = 0, values = 0;
    int *body_start = PERP_TAKE_RAW(arena, int, n + 1);
    for (int k = 0; k < n; k++) {
        int size = p->body_start[body[k] + 1] - p->body_start[body[k]];
        n_v += size;
        values += size * size;
    }
    double *Mt = PERP_TAKE_RAW(arena, double, values), *b = PERP_TAKE_RAW(arena, double, n_v);
    if (!body_start || !Mt || !b)
        return false;
    body_start[0] = 0;
    part->n_bodies = n;
    part->body_start = body_start;
    part->Mt = Mt;
    part->b = b;
    for (int k = 0; k < n; k++) {
        int first = p->body_start[body[k]], size = p->body_start[body[k] + 1] - first;
        memcpy(Mt, p->Mt + islands->mass_start[body[k]], (size_t)(size * size) * sizeof(double));
        memcpy(b + body_start[k], p->b + first, (size_t)size * sizeof(double));
        Mt += size * size;
        body_start[k + 1] = body_start[k] + size;
    }
    return true;
}

// Counts the rows of each class.
static void count_rows(const PerpIslands *islands, int island, PerpProblem *part)
{
    const PerpProblem *p = islands->whole;
    for (int k = islands->row_first[island]; k < islands->row_first[island + 1]; k++) {
        int row = islands->row[k];
        if (row < p->n_joints)
            part->n_joints++;
        else if (row < p->n_joints + p->n_boxes)
            part->n_boxes++;
        else if (row < p->n_joints + p->n_boxes + p->n_contacts)
            part->n_contacts++;
        else
            part->n_directions++;
    }
}

static bool extract_rows(PerpArena *arena, const PerpIslands *islands, int island,
                         PerpProblem *part)
{
    const PerpProblem *p = islands->whole;
    const int *row = islands->row + islands->row_first[island];
    int n = islands->row_first[island + 1] - islands->row_first[island], entries = 0, values = 0;
    for (int k = 0; k < n; k++) {
        entries += p->row_start[row[k] + 1] - p->row_start[row[k]];
        values += islands->value_start[row[k] + 1] - islands->value_start[row[k]];
    }
    int *row_start = PERP_TAKE_RAW(arena, int, n + 1),
        *entry_body = PERP_TAKE_RAW(arena, int, entries);
    double *J = PERP_TAKE_RAW(arena, double, values), *d = PERP_TAKE_RAW(arena, double, n);
    double *compliance = PERP_TAKE_RAW(arena, double, p->compliance ? n : 0);
    if (!row_start || !entry_body || !J || !d || !compliance)
        return false;
    row_start[0] = 0;
    part->row_start = row_start;
    part->entry_body = entry_body;
    part->J = J;
    part->d = d;
    part->compliance = p->compliance ? compliance : NULL;
    for (int k = 0; p->compliance && k < n; k++)
        compliance[k] = p->compliance[row[k]];
    for (int k = 0; k < n; k++) {
        int count = p->row_start[row[k] + 1] - p->row_start[row[k]];
        int size = islands->value_start[row[k] + 1] - islands->value_start[row[k]];
        for (int e = 0; e < count; e++)
            entry_body[row_start[k] + e] =
                islands->local_body[p->entry_body[p->row_start[row[k]] + e]];
        memcpy(J, p->J + islands->value_start[row[k]], (size_t)size * sizeof(double));
        J += size;
        d[k] = p->d[row[k]];
        row_start[k + 1] = row_start[k] + count;
    }
    return true;
}

static bool extract_boxes(PerpArena *arena, const PerpIslands *islands, int island,
                          PerpProblem *part)
{
    const PerpProblem *p = islands->whole;
    const int *row = islands->row + islands->row_first[island] + part->n_joints;
    double *lo = PERP_TAKE_RAW(arena, double, part->n_boxes);
    double *hi = PERP_TAKE_RAW(arena, double, part->n_boxes);
    if (!lo || !hi)
        return false;
    part->lo = lo;
    part->hi = hi;
    for (int i = 0; i < part->n_boxes; i++) {
        lo[i] = p->lo[row[i] - p->n_joints];
        hi[i] = p->hi[row[i] - p->n_joints];
    }
    return true;
}

static bool extract_groups(PerpArena *arena, const PerpIslands *islands, int island,
                           PerpProblem *part)
{
    const PerpProblem *p = islands->whole;
    const int *group = islands->group + islands->group_first[island];
    int n = islands->group_first[island + 1] - islands->group_first[island];
    int *contact = PERP_TAKE_RAW(arena, int, n), *start = PERP_TAKE_RAW(arena, int, n + 1);
    double *mu = PERP_TAKE_RAW(arena, double, n), *cohesion = PERP_TAKE_RAW(arena, double, n);
    int *round = PERP_TAKE_RAW(arena, int, n);
    if (!contact || !start || !mu || !cohesion || !round)
        return false;
    start[0] = 0;
    part->n_groups = n;
    part->group_contact = contact;
    part->group_start = start;
    part->mu = mu;
    part->cohesion = cohesion;
    part->group_circular = p->group_circular ? round : NULL;
    for (int g = 0; g < n; g++) {
        contact[g] = islands->local_contact[p->group_contact[group[g]]];
        start[g + 1] = start[g] + p->group_start[group[g] + 1] - p->group_start[group[g]];
        mu[g] = p->mu[group[g]];
        cohesion[g] = p->cohesion[group[g]];
        round[g] = p->group_circular && p->group_circular[group[g]];
    }
    return true;
}

// Has the island all bodies and rows?
static bool is_whole(const PerpIslands *islands, int island)
{
    const PerpProblem *p = islands->whole;
    return islands->body_first[island + 1] - islands->body_first[island] == p->n_bodies &&
           islands->row_first[island + 1] - islands->row_first[island] == perp_problem_rows(p);
}

bool perp_islands_extract(PerpArena *arena, const PerpIslands *islands, int island,
                          PerpProblem *part)
{
    *part = is_whole(islands, island) ? *islands->whole : (PerpProblem){0};
    if (part->n_bodies > 0)
        return true;
    count_rows(islands, island, part);
    return extract_bodies(arena, islands, island, part) &&
           extract_rows(arena, islands, island, part) &&
           extract_boxes(arena, islands, island, part) &&
           extract_groups(arena, islands, island, part);
}
