// The Lemke-Howson algorithm for bimatrix games [LH64]. The strategies x and y of a game with costs
// A, B > 0 solve
//
//     0 <= A y - 1  perp  x >= 0,     0 <= B'x - 1  perp  y >= 0.
//
// Start with one x_k so large that B'x >= 1 and just touches it in row s, and y_s so large that
// A y >= 1 and just touches it in row t. Only the pair k is not complementary; pivot until it is.

#include "pivoting/lemke.h"

static double entry(const PerpBasis *basis, int i, int j)
{
    return basis->Md[(size_t)i + (size_t)basis->n * (size_t)j];
}

// The number of rows of x: every nonzero of M has its row on one side of it and its column on the
// other. 0 if there is no such number.
static int split_rows(const PerpBasis *basis)
{
    int least = 1, most = basis->n - 1;
    for (int j = 0; j < basis->n; j++) {
        if (basis->q[j] >= 0)
            return 0;
        for (int i = 0; i < basis->n; i++) {
            int low = i < j ? i : j, high = i < j ? j : i;
            if (entry(basis, i, j) < 0)
                return 0;
            if (entry(basis, i, j) > 0) {
                least = low + 1 > least ? low + 1 : least;
                most = high < most ? high : most;
            }
        }
    }
    return least <= most ? least : 0;
}

// z_j grows until q + M_j z_j >= 0 on the other side: the row that is zero then, the one with the
// least (q, p)_i / M_ij. -1 if a row has no M_ij > 0.
static int last_row_to_rise(const PerpBasis *basis, int split, int j)
{
    int first = j < split ? split : 0, end = j < split ? basis->n : split, last = -1;
    double least = 0, least_p = 0;
    for (int i = first; i < end; i++) {
        if (entry(basis, i, j) <= 0)
            return -1;
        double ratio = basis->q[i] / entry(basis, i, j);
        double ratio_p = basis->q[basis->n + i] / entry(basis, i, j);
        if (last < 0 || ratio < least || (ratio == least && ratio_p < least_p)) {
            last = i;
            least = ratio;
            least_p = ratio_p;
        }
    }
    return last;
}

bool perp_lemke_howson(PerpBasis *basis, PerpLemkePath *path)
{
    int n = basis->n, split = split_rows(basis);
    for (int k = 0; split > 0 && k < n; k++) {
        int s = last_row_to_rise(basis, split, k);
        int t = s >= 0 ? last_row_to_rise(basis, split, s) : -1;
        if (t < 0)
            continue;
        const int rows[2] = {s, t}, columns[2] = {k, s};
        if (!perp_basis_set_core(basis, 2, rows, columns))
            return false;
        path->goal[0] = k;
        path->goal[1] = n + k;
        path->pivots = 2;
        return t == k || perp_lemke_follow(basis, path, t);
    }
    return false;
}
