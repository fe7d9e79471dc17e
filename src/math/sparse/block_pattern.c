#include "math/sparse/block_pattern.h"

#include "math/sparse/block_order.h"

#include <string.h>

static const double WORTH_THREADS = 1e5; // products of blocks, about 2 ms

// --- panels -------------------------------------------------------------------------------------

static double panel_work(const PerpBlockPanel *panel)
{
    return (double)panel->columns * panel->rows * panel->rows;
}

// A column has the rows of its parent and that one, or fewer. To join columns that are nearly alike
// was tried and gained nothing.
static void cut_panels(const PerpBlockOrder *order, PerpBlockPattern *pattern)
{
    for (int first = 0; first < pattern->n;) {
        int last = first;
        while (last + 1 < pattern->n && last + 1 - first < PERP_PANEL_COLUMNS &&
               order->parent[last] == last + 1 && order->count[last] == order->count[last + 1] + 1)
            last++;
        PerpBlockPanel *panel = &pattern->panel[pattern->n_panels++];
        *panel =
            (PerpBlockPanel){.first = first, .columns = last + 1 - first, .row = pattern->n_rows};
        panel->rows = panel->columns + order->count[last];
        panel->parent = order->parent[last]; // a column until all panels are known
        panel->block = pattern->blocks;
        pattern->blocks += (size_t)panel->rows * (size_t)panel->columns;
        pattern->work += panel_work(panel);
        pattern->n_rows += panel->rows;
        for (int k = first; k <= last; k++)
            pattern->panel_of[k] = pattern->n_panels - 1;
        first = last + 1;
    }
    for (int p = 0; p < pattern->n_panels; p++)
        if (pattern->panel[p].parent >= 0)
            pattern->panel[p].parent = pattern->panel_of[pattern->panel[p].parent];
}

static void list_rows(const PerpBlockOrder *order, PerpBlockPattern *pattern, int *used)
{
    int *mark = order->mark;
    memset(mark, -1, (size_t)pattern->n * sizeof(int));
    for (int k = 0; k < pattern->n; k++) {
        int block = pattern->order[k], own = pattern->panel_of[k];
        pattern->row[pattern->panel[own].row + used[own]++] = k;
        for (int e = order->start[block]; e < order->start[block + 1]; e++) {
            int j = pattern->place[order->other[e]];
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
            pattern->panel[p].source = pattern->panel[p].source_end = pattern->n_sources;
            pattern->n_sources += count;
        }
        if (pass == 0 && !(pattern->source = PERP_TAKE(arena, PerpBlockSource, pattern->n_sources)))
            return false;
    }
    return true;
}

// --- branches -----------------------------------------------------------------------------------

// branch: of each panel; n_branches for those with more than a share of the work below them. A
// subtree goes to the branch that has the least so far.
static void choose_branches(const PerpBlockPattern *pattern, double *below, int *branch)
{
    double filled[PERP_BRANCHES] = {0};
    for (int p = 0; p < pattern->n_panels; p++)
        below[p] = 0;
    for (int p = 0; p < pattern->n_panels; p++) {
        below[p] += panel_work(&pattern->panel[p]);
        if (pattern->panel[p].parent >= 0)
            below[pattern->panel[p].parent] += below[p];
    }
    for (int p = pattern->n_panels - 1; p >= 0; p--) {
        int parent = pattern->panel[p].parent, least = 0;
        branch[p] = parent < 0 ? PERP_BRANCHES : branch[parent];
        if (below[p] > pattern->work / (2 * PERP_BRANCHES) || branch[p] < PERP_BRANCHES)
            continue;
        for (int b = 1; b < PERP_BRANCHES; b++)
            least = filled[b] < filled[least] ? b : least;
        branch[p] = least;
        filled[least] += below[p];
    }
}

static bool cut_branches(PerpArena *arena, PerpBlockPattern *pattern)
{
    int *branch = PERP_TAKE(arena, int, pattern->n_panels), used = 0;
    double *below = PERP_TAKE(arena, double, pattern->n_panels);
    pattern->branch_start = PERP_TAKE(arena, int, PERP_BRANCHES + 1);
    pattern->branch_panel = PERP_TAKE(arena, int, pattern->n_panels);
    if (!branch || !below || !pattern->branch_start || !pattern->branch_panel)
        return false;
    choose_branches(pattern, below, branch);
    pattern->n_branches = PERP_BRANCHES;
    for (int b = 0; b <= PERP_BRANCHES; b++) {
        pattern->branch_start[b] = used;
        for (int p = 0; p < pattern->n_panels; p++)
            if (branch[p] == b)
                pattern->branch_panel[used++] = p;
    }
    return true;
}

// --- all together -------------------------------------------------------------------------------

bool perp_block_pattern_find(PerpArena *arena, int n, int pairs, const int *i, const int *j,
                             PerpBlockPattern *pattern)
{
    PerpBlockOrder order;
    int *used = PERP_TAKE(arena, int, n);
    *pattern = (PerpBlockPattern){.n = n};
    pattern->panel_of = PERP_TAKE(arena, int, n);
    pattern->panel = PERP_TAKE(arena, PerpBlockPanel, n);
    if (!used || !pattern->panel_of || !pattern->panel ||
        !perp_block_order_find(arena, n, pairs, i, j, &order))
        return false;
    pattern->place = order.place;
    pattern->order = order.order;
    cut_panels(&order, pattern);
    pattern->row = PERP_TAKE(arena, int, pattern->n_rows);
    if (!pattern->row)
        return false;
    list_rows(&order, pattern, used);
    return list_sources(arena, pattern) &&
           (pattern->work < WORTH_THREADS || cut_branches(arena, pattern));
}

bool perp_block_pattern_copy(PerpArena *arena, const PerpBlockPattern *from, PerpBlockPattern *to)
{
    bool branches = from->n_branches > 0;
    *to = *from;
    to->place = PERP_COPY(arena, from->place, from->n);
    to->order = PERP_COPY(arena, from->order, from->n);
    to->panel = PERP_COPY(arena, from->panel, from->n_panels);
    to->panel_of = PERP_COPY(arena, from->panel_of, from->n);
    to->row = PERP_COPY(arena, from->row, from->n_rows);
    to->source = PERP_COPY(arena, from->source, from->n_sources);
    if (branches) {
        to->branch_start = PERP_COPY(arena, from->branch_start, from->n_branches + 1);
        to->branch_panel = PERP_COPY(arena, from->branch_panel, from->n_panels);
    }
    return to->place && to->order && to->panel && to->panel_of && to->row && to->source &&
           (!branches || (to->branch_start && to->branch_panel));
}

int perp_find_row(const int *row, int from, int to, int wanted)
{
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (row[middle] < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

size_t perp_block_pattern_block(const PerpBlockPattern *pattern, int i, int j)
{
    int a = pattern->place[i], b = pattern->place[j];
    int column = a < b ? a : b, row = a < b ? b : a;
    const PerpBlockPanel *panel = &pattern->panel[pattern->panel_of[column]];
    int at = perp_find_row(pattern->row + panel->row, 0, panel->rows, row);
    return panel->block + (size_t)at * (size_t)panel->columns + (size_t)(column - panel->first);
}
