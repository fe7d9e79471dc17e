// Reading of an LCP as JSON: {"M": [[row], ...], "q": [...], "free": k}
#include "io/problem/problem_file.h"
#include "io/text/node.h"

#include <stdio.h>

static PerpStatus read_size(const PerpDocument *document, const PerpNode *q, int *n)
{
    PerpStatus status = perp_node_sequence(document, q, "q");
    if (status)
        return status;
    if (q->count < 1 || q->count > PERP_LCP_SIZE_LIMIT)
        return perp_node_fail(document, q, PERP_BAD_SIZE, "q has length %d, expected 1 to %d",
                              q->count, PERP_LCP_SIZE_LIMIT);
    *n = q->count;
    return PERP_OK;
}

static PerpStatus read_rows(const PerpDocument *document, const PerpNode *rows, int n, double *M)
{
    PerpStatus status = perp_node_sequence_of(document, rows, n, "M");
    int i = 0;
    for (const PerpNode *row = rows->child; !status && row; row = row->next, i++) {
        char what[32];
        snprintf(what, sizeof what, "row %d of M", i + 1);
        status = perp_node_numbers(document, row, n, what, M + i, n);
    }
    return status;
}

PerpStatus perp_read_lcp(const PerpDocument *document, PerpProblemFile *file)
{
    static const char *const keys[] = {"M", "q", "free"};
    const PerpNode *root = document->root, *M_node, *q_node;
    int n = 0, free_rows = 0;
    PerpStatus status = perp_node_check_keys(document, root, keys, 3);
    if (!status)
        status = perp_node_require(document, root, "q", &q_node);
    if (!status)
        status = perp_node_require(document, root, "M", &M_node);
    if (!status)
        status = read_size(document, q_node, &n);
    const PerpNode *free_node = perp_node_find(root, "free");
    if (!status && free_node)
        status = perp_node_integer(document, free_node, 0, n, "free", &free_rows);
    if (status)
        return status;
    double *M = perp_arena_take(&file->arena, (size_t)n * (size_t)n, sizeof(double));
    double *q = perp_arena_take(&file->arena, (size_t)n, sizeof(double));
    if (!M || !q)
        return perp_node_fail(document, root, PERP_NO_MEMORY, "out of memory for %d rows", n);
    status = perp_node_numbers(document, q_node, n, "q", q, 1);
    file->kind = PERP_PROBLEM_FILE_LCP;
    file->lcp = (PerpLcp){.n = n, .free = free_rows, .M = M, .q = q};
    return status ? status : read_rows(document, M_node, n, M);
}
