#include "math/block_pattern.h"

#include <string.h>
#include <suitesparse/amd.h>

// --- order --------------------------------------------------------------------------------------

// The graph of the blocks, both ways and each neighbour once, as AMD wants it.
typedef struct Graph {
    int *start; // n + 1
    int *other; // with room for AMD
    int room;
} Graph;

static bool build_graph(PerpArena *arena, int n, int pairs, const int *i, const int *j,
                        Graph *graph)
{
    int *seen = PERP_TAKE(arena, int, n), *all_start = PERP_TAKE(arena, int, n + 2);
    int *all = PERP_TAKE(arena, int, 2 * pairs);
    graph->room = 2 * pairs + 2 * pairs / 5 + n + 1;
    graph->start = PERP_TAKE(arena, int, n + 1);
    graph->other = PERP_TAKE(arena, int, graph->room);
    if (!seen || !all_start || !all || !graph->start || !graph->other)
        return false;
    for (int k = 0; k < pairs; k++) {
        all_start[i[k] + 2]++;
        all_start[j[k] + 2]++;
    }
    for (int k = 0; k < n; k++)
        all_start[k + 2] += all_start[k + 1];
    for (int k = 0; k < pairs; k++) {
        all[all_start[i[k] + 1]++] = j[k];
        all[all_start[j[k] + 1]++] = i[k];
    }
    memset(seen, -1, (size_t)n * sizeof(int));
    int used = 0;
    for (int k = 0; k < n; k++) {
        graph->start[k] = used;
        seen[k] = k;
        for (int e = all_start[k]; e < all_start[k + 1]; e++)
            if (seen[all[e]] != k) {
                seen[all[e]] = k;
                graph->other[used++] = all[e];
            }
    }
    graph->start[n] = used;
    return true;
}

// amd_2 destroys its copy of the graph.
static bool find_order(PerpArena *arena, const Graph *graph, PerpBlockPattern *pattern)
{
    int n = pattern->n;
    int *work = PERP_TAKE(arena, int, 8 * n), *other = PERP_TAKE(arena, int, graph->room);
    double control[AMD_CONTROL];
    if (!work || !other)
        return false;
    memcpy(other, graph->other, (size_t)graph->start[n] * sizeof(int));
    memcpy(work, graph->start, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++)
        work[n + k] = graph->start[k + 1] - graph->start[k];
    amd_defaults(control);
    amd_2(n, work, other, work + n, graph->room, graph->start[n], work + 2 * n, pattern->place,
          pattern->order, work + 3 * n, work + 4 * n, work + 5 * n, work + 6 * n, control, NULL);
    for (int k = 0; k < n; k++)
        pattern->place[pattern->order[k]] = k;
    return true;
}

// --- columns ------------------------------------------------------------------------------------

// The elimination tree [Liu 1990] and how many rows each column has below the diagonal.
typedef struct Columns {
    int *parent, *count; // n
    int *mark;           // n, scratch
} Columns;

static void find_tree(const Graph *graph, const PerpBlockPattern *pattern, Columns *columns)
{
    int *ancestor = columns->mark;
    for (int k = 0; k < pattern->n; k++) {
        int block = pattern->order[k];
        columns->parent[k] = ancestor[k] = -1;
        for (int e = graph->start[block]; e < graph->start[block + 1]; e++)
            for (int j = pattern->place[graph->other[e]], up; j >= 0 && j < k; j = up) {
                up = ancestor[j];
                ancestor[j] = k;
                if (up < 0)
                    columns->parent[j] = k;
            }
    }
}

// Row k reaches the columns on the ways from its neighbours up the tree.
static void count_rows(const Graph *graph, const PerpBlockPattern *pattern, Columns *columns)
{
    for (int k = 0; k < pattern->n; k++) {
        int block = pattern->order[k];
        columns->mark[k] = k;
        for (int e = graph->start[block]; e < graph->start[block + 1]; e++)
            for (int j = pattern->place[graph->other[e]]; j < k && columns->mark[j] != k;
                 j = columns->parent[j]) {
                columns->mark[j] = k;
                columns->count[j]++;
            }
    }
}

// --- panels -------------------------------------------------------------------------------------

// Blocks that a panel of columns first..last would store although they are 0, against all.
static bool are_alike(const Columns *columns, int first, int last)
{
    long stored = 0, needed = 0;
    for (int k = first; k <= last; k++) {
        stored += last - k + columns->count[last];
        needed += columns->count[k];
    }
    long extra = stored - needed;
    return extra <= 2 || 12 * extra <= stored;
}

// Rows below a panel are those of its last column, as columns are joined along the tree.
static void cut_panels(const Columns *columns, PerpBlockPattern *pattern)
{
    int rows = 0;
    for (int first = 0; first < pattern->n;) {
        int last = first;
        while (last + 1 < pattern->n && last + 1 - first < PERP_PANEL_COLUMNS &&
               columns->parent[last] == last + 1 && are_alike(columns, first, last + 1))
            last++;
        PerpBlockPanel *panel = &pattern->panel[pattern->n_panels++];
        *panel = (PerpBlockPanel){.first = first, .columns = last + 1 - first, .row = rows};
        panel->rows = panel->columns + columns->count[last];
        panel->parent = columns->parent[last]; // a column until all panels are known
        panel->block = pattern->blocks;
        pattern->blocks += (size_t)panel->rows * (size_t)panel->columns;
        pattern->work += (double)panel->columns * panel->rows * panel->rows;
        rows += panel->rows;
        for (int k = first; k <= last; k++)
            pattern->panel_of[k] = pattern->n_panels - 1;
        first = last + 1;
    }
    for (int p = 0; p < pattern->n_panels; p++)
        if (pattern->panel[p].parent >= 0)
            pattern->panel[p].parent = pattern->panel_of[pattern->panel[p].parent];
}

static void list_rows(const Graph *graph, PerpBlockPattern *pattern, int *mark, int *used)
{
    memset(mark, -1, (size_t)pattern->n * sizeof(int));
    for (int k = 0; k < pattern->n; k++) {
        int block = pattern->order[k], own = pattern->panel_of[k];
        pattern->row[pattern->panel[own].row + used[own]++] = k;
        for (int e = graph->start[block]; e < graph->start[block + 1]; e++) {
            int j = pattern->place[graph->other[e]];
            for (int p = j < k ? pattern->panel_of[j] : own; p != own && mark[p] != k;
                 p = pattern->panel[p].parent) {
                mark[p] = k;
                pattern->row[pattern->panel[p].row + used[p]++] = k;
            }
        }
    }
}

// --- who changes whom ---------------------------------------------------------------------------

// The end of the rows of p, from `from` on, that are columns of one panel.
static int same_panel(const PerpBlockPattern *pattern, const PerpBlockPanel *p, int from)
{
    const int *row = pattern->row + p->row;
    int to = from + 1;
    while (to < p->rows && pattern->panel_of[row[to]] == pattern->panel_of[row[from]])
        to++;
    return to;
}

static bool list_sources(PerpArena *arena, PerpBlockPattern *pattern)
{
    int total = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < pattern->n_panels; p++)
            for (int from = pattern->panel[p].columns, to; from < pattern->panel[p].rows;
                 from = to) {
                const PerpBlockPanel *panel = &pattern->panel[p];
                int changed = pattern->panel_of[pattern->row[panel->row + from]];
                to = same_panel(pattern, panel, from);
                int at = pattern->panel[changed].source_end++;
                if (pass == 1)
                    pattern->source[at] = (PerpBlockSource){p, from, to};
            }
        for (int p = 0; pass == 0 && p < pattern->n_panels; p++) {
            int count = pattern->panel[p].source_end;
            pattern->panel[p].source = pattern->panel[p].source_end = total;
            total += count;
        }
        if (pass == 0 && !(pattern->source = PERP_TAKE(arena, PerpBlockSource, total)))
            return false;
    }
    return true;
}

// --- all together -------------------------------------------------------------------------------

bool perp_block_pattern_find(PerpArena *arena, int n, int pairs, const int *i, const int *j,
                             PerpBlockPattern *pattern)
{
    Graph graph;
    Columns columns = {PERP_TAKE(arena, int, n), PERP_TAKE(arena, int, n),
                       PERP_TAKE(arena, int, n)};
    int *used = PERP_TAKE(arena, int, n);
    *pattern = (PerpBlockPattern){.n = n};
    pattern->place = PERP_TAKE(arena, int, n);
    pattern->order = PERP_TAKE(arena, int, n);
    pattern->panel_of = PERP_TAKE(arena, int, n);
    pattern->panel = PERP_TAKE(arena, PerpBlockPanel, n);
    if (!columns.parent || !columns.count || !columns.mark || !used || !pattern->place ||
        !pattern->order || !pattern->panel_of || !pattern->panel ||
        !build_graph(arena, n, pairs, i, j, &graph) || !find_order(arena, &graph, pattern))
        return false;
    find_tree(&graph, pattern, &columns);
    count_rows(&graph, pattern, &columns);
    cut_panels(&columns, pattern);
    const PerpBlockPanel *last = &pattern->panel[pattern->n_panels - 1];
    pattern->row = PERP_TAKE(arena, int, n > 0 ? last->row + last->rows : 0);
    if (!pattern->row)
        return false;
    list_rows(&graph, pattern, columns.mark, used);
    return list_sources(arena, pattern);
}

static int find_row(const PerpBlockPattern *pattern, const PerpBlockPanel *panel, int row)
{
    int low = 0, high = panel->rows;
    const int *rows = pattern->row + panel->row;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t perp_block_pattern_block(const PerpBlockPattern *pattern, int i, int j)
{
    int a = pattern->place[i], b = pattern->place[j];
    int column = a < b ? a : b, row = a < b ? b : a;
    const PerpBlockPanel *panel = &pattern->panel[pattern->panel_of[column]];
    return panel->block + (size_t)find_row(pattern, panel, row) * (size_t)panel->columns +
           (size_t)(column - panel->first);
}
