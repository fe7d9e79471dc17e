// The kernels for one size of blocks. Included by block_kernels.c once a size, which defines SIZE,
// PAD, NAME and the vector type LANES with its operations. No guard: it is meant to be repeated.

enum { NAME(BLOCK) = SIZE * PAD };

// C -= A B' over n columns
PERP_KERNEL_PART void NAME(subtract_product)(int n, const double *A, const double *B, double *C)
{
    LANES *to = (LANES *)C, c[SIZE];
    const LANES *a = (const LANES *)A;
    for (int j = 0; j < SIZE; j++)
        c[j] = to[j];
    for (int k = 0; k < n; k++)
        for (int j = 0; j < SIZE; j++)
            SUBTRACT(&c[j], &a[k], B[PAD * k + j]);
    for (int j = 0; j < SIZE; j++)
        to[j] = c[j];
}

PERP_VECTOR_KERNEL static void NAME(subtract_row)(const PerpBlockUpdate *update, const double *L,
                                                  const double *U, double *lower, double *upper)
{
    const double *L_pivot = update->L_pivot, *U_pivot = update->U_pivot;
    for (int p = 0; p < update->pivots; p++) {
        int at = NAME(BLOCK) * (update->column[p] - update->first);
        NAME(subtract_product)(update->n, L, U_pivot, lower + at);
        NAME(subtract_product)(update->n, U, L_pivot, upper + at);
        L_pivot += PAD * update->n;
        U_pivot += PAD * update->n;
    }
}

PERP_VECTOR_KERNEL static void NAME(subtract_row_symmetric)(const PerpBlockUpdate *update,
                                                            const double *U, double *upper)
{
    const double *L_pivot = update->L_pivot;
    for (int p = 0; p < update->pivots; p++, L_pivot += PAD * update->n)
        NAME(subtract_product)
    (update->n, U, L_pivot, upper + NAME(BLOCK) * (update->column[p] - update->first));
}

// X = X D
PERP_KERNEL_PART void NAME(multiply_right)(const double *D, double *X)
{
    LANES *x = (LANES *)X, y[SIZE];
    for (int j = 0; j < SIZE; j++) {
        y[j] = x[0];
        SCALE(&y[j], D[PAD * j]);
        for (int k = 1; k < SIZE; k++)
            ADD(&y[j], &x[k], D[PAD * j + k]);
    }
    for (int j = 0; j < SIZE; j++)
        x[j] = y[j];
}

PERP_VECTOR_KERNEL static void NAME(finish_row)(const PerpBlockTriangles *triangle, int columns,
                                                double *lower, double *upper)
{
    for (int j = 0; j < columns; j++) {
        const double *L = triangle->lower + triangle->stride * (size_t)j;
        const double *U = triangle->upper + triangle->stride * (size_t)j;
        NAME(subtract_product)(SIZE * j, lower, U, lower + NAME(BLOCK) * j);
        NAME(multiply_right)(L + NAME(BLOCK) * j, lower + NAME(BLOCK) * j);
        NAME(subtract_product)(SIZE * j, upper, L, upper + NAME(BLOCK) * j);
    }
}

// lower = upper D^-1, once upper is finished
PERP_VECTOR_KERNEL static void NAME(finish_row_symmetric)(const PerpBlockTriangles *triangle,
                                                          int columns, double *lower, double *upper)
{
    for (int j = 0; j < columns; j++) {
        const double *L = triangle->lower + triangle->stride * (size_t)j;
        double *to = lower + NAME(BLOCK) * j, *from = upper + NAME(BLOCK) * j;
        NAME(subtract_product)(SIZE * j, upper, L, from);
        memcpy(to, from, NAME(BLOCK) * sizeof(double));
        NAME(multiply_right)(L + NAME(BLOCK) * j, to);
    }
}

PERP_KERNEL_PART void NAME(swap_rows)(int i, int j, double *A)
{
    for (int k = 0; k < SIZE && i != j; k++) {
        double kept = A[PAD * k + i];
        A[PAD * k + i] = A[PAD * k + j];
        A[PAD * k + j] = kept;
    }
}

PERP_KERNEL_PART void NAME(swap_columns)(int i, int j, double *A)
{
    for (int k = 0; k < SIZE && i != j; k++) {
        double kept = A[PAD * i + k];
        A[PAD * i + k] = A[PAD * j + k];
        A[PAD * j + k] = kept;
    }
}

// One step of Gauss-Jordan elimination in place, about the pivot in row and column k. Column k, -1
// in the place of the pivot, takes itself out of the others, whose row k has been cleared: nothing
// smaller than a column is written, which would have to wait for memory before it is read again.
PERP_KERNEL_PART void NAME(eliminate)(int k, double factor, double *A)
{
    const LANES *but = (const LANES *)others[k], *only = (const LANES *)itself[k];
    LANES *a = (LANES *)A, pivots = {0};
    ADD_PRODUCT(&pivots, &a[k], but);
    SUBTRACT(&pivots, only, 1);
    for (int j = 0; j < SIZE; j++) {
        LANES column = {0};
        double f = factor * A[PAD * j + k];
        ADD_PRODUCT(&column, &a[j], but);
        SUBTRACT(&column, &pivots, f);
        a[j] = column;
    }
    a[k] = pivots;
    SCALE(&a[k], -factor);
}

// A^-1 in place by Gauss-Jordan elimination with row exchanges; false if singular
PERP_KERNEL_PART bool NAME(invert)(double *A)
{
    int swapped[SIZE];
    for (int k = 0; k < SIZE; k++) {
        int p = k;
        for (int i = k + 1; i < SIZE; i++)
            if (fabs(A[PAD * k + i]) > fabs(A[PAD * k + p]))
                p = i;
        double pivot = A[PAD * k + p];
        if (!(fabs(pivot) > 0) || !isfinite(pivot))
            return false;
        swapped[k] = p;
        NAME(swap_rows)(k, p, A);
        NAME(eliminate)(k, 1 / pivot, A);
    }
    for (int k = SIZE - 1; k >= 0; k--) // row exchanges of A are column exchanges of its inverse
        NAME(swap_columns)(k, swapped[k], A);
    return true;
}

PERP_VECTOR_KERNEL static bool NAME(finish_diagonal)(int columns, const double *lower,
                                                     const double *upper, double *D)
{
    NAME(subtract_product)(SIZE * columns, lower, upper, D);
    return NAME(invert)(D);
}

PERP_KERNEL_PART void NAME(symmetrise)(double *D)
{
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < j; i++)
            D[PAD * j + i] = D[PAD * i + j] = (D[PAD * j + i] + D[PAD * i + j]) / 2;
}

// What other panels take out of the diagonal block stands in `upper`. Both the block and its
// inverse are symmetric to the last bit: rounding there would be an error of L D L' as large as the
// condition of the block makes it.
PERP_VECTOR_KERNEL static bool NAME(finish_diagonal_symmetric)(int columns, const double *lower,
                                                               const double *upper, double *D)
{
    const double *taken = upper + NAME(BLOCK) * columns;
    for (int i = 0; i < NAME(BLOCK); i++)
        D[i] += taken[i];
    NAME(subtract_product)(SIZE * columns, lower, upper, D);
    NAME(symmetrise)(D);
    if (!NAME(invert)(D))
        return false;
    NAME(symmetrise)(D);
    return true;
}

// x(row) -= L x(first..) for rows of L, `columns` blocks each
PERP_KERNEL_PART void NAME(forward)(int columns, size_t stride, int rows, const int *row,
                                    const double *L, const double *x_own, double *x)
{
    for (int r = 0; r < rows; r++, L += stride) {
        const LANES *a = (const LANES *)L;
        LANES *to = (LANES *)(x + PAD * row[r]), sum = *to;
        for (int j = 0; j < columns; j++)
            for (int k = 0; k < SIZE; k++)
                SUBTRACT(&sum, &a[SIZE * j + k], x_own[PAD * j + k]);
        *to = sum;
    }
}

// sum += U'x(row), `columns` blocks, over rows
PERP_KERNEL_PART void NAME(backward)(int columns, size_t stride, int rows, const int *row,
                                     const double *U, const double *x, double *sum)
{
    LANES *s = (LANES *)sum;
    for (int r = 0; r < rows; r++, U += stride) {
        const LANES *a = (const LANES *)U, at = *(const LANES *)(x + PAD * row[r]);
        for (int k = 0; k < SIZE * columns; k++)
            ADD_PRODUCT(&s[k], &a[k], &at);
    }
}

// x = D (x - sum over the lanes of sum)
PERP_KERNEL_PART void NAME(divide)(const double *D, const double *sum, double *x)
{
    const LANES *d = (const LANES *)D;
    LANES y = d[0];
    double right[SIZE];
    for (int k = 0; k < SIZE; k++) {
        double total = 0;
        for (int i = 0; i < SIZE; i++)
            total += sum[PAD * k + i];
        right[k] = x[k] - total;
    }
    SCALE(&y, right[0]);
    for (int k = 1; k < SIZE; k++)
        ADD(&y, &d[k], right[k]);
    *(LANES *)x = y;
}

PERP_KERNEL_PART void NAME(panel_forward)(const PerpBlockPanel *panel, int columns, const int *row,
                                          const double *L, double *x)
{
    size_t stride = (size_t)(NAME(BLOCK) * columns);
    double *own = x + PAD * panel->first;
    for (int r = 1; r < columns; r++)
        NAME(forward)(r, stride, 1, row + r, L + stride * (size_t)r, own, x);
    NAME(forward)
    (columns, stride, panel->rows - columns, row + columns, L + stride * (size_t)columns, own, x);
}

PERP_KERNEL_PART void NAME(panel_backward)(const PerpBlockPanel *panel, int columns, const int *row,
                                           const double *L, const double *U, double *x)
{
    _Alignas(64) double sum[NAME(BLOCK) * PERP_PANEL_COLUMNS];
    size_t block = NAME(BLOCK), stride = block * (size_t)columns;
    memset(sum, 0, stride * sizeof(double));
    NAME(backward)
    (columns, stride, panel->rows - columns, row + columns, U + stride * (size_t)columns, x, sum);
    for (int k = columns - 1; k >= 0; k--) {
        NAME(divide)
        (L + (stride + block) * (size_t)k, sum + block * (size_t)k, x + PAD * (panel->first + k));
        NAME(backward)(k, stride, 1, row + k, U + stride * (size_t)k, x, sum);
    }
}

// Chains have panels of one column, which are compiled by themselves.
PERP_VECTOR_KERNEL static void NAME(solve)(const PerpBlockPattern *pattern, const double *lower,
                                           const double *upper, double *x)
{
    for (int p = 0; p < pattern->n_panels; p++) {
        const PerpBlockPanel *panel = &pattern->panel[p];
        const int *row = pattern->row + panel->row;
        const double *L = lower + NAME(BLOCK) * panel->block;
        if (panel->columns == 1)
            NAME(panel_forward)(panel, 1, row, L, x);
        else
            NAME(panel_forward)(panel, panel->columns, row, L, x);
    }
    for (int p = pattern->n_panels - 1; p >= 0; p--) {
        const PerpBlockPanel *panel = &pattern->panel[p];
        const int *row = pattern->row + panel->row;
        size_t own = NAME(BLOCK) * panel->block;
        if (panel->columns == 1)
            NAME(panel_backward)(panel, 1, row, lower + own, upper + own, x);
        else
            NAME(panel_backward)(panel, panel->columns, row, lower + own, upper + own, x);
    }
}

// block += A'B for three rows
PERP_KERNEL_PART void NAME(add_product)(const double *A, const double *B, double *block)
{
    const LANES *a = (const LANES *)A;
    LANES *to = (LANES *)block;
    for (int j = 0; j < SIZE; j++) {
        LANES sum = a[0];
        SCALE(&sum, B[j]);
        ADD(&sum, &a[1], B[PAD + j]);
        ADD(&sum, &a[2], B[2 * PAD + j]);
        ADD(&to[j], &sum, 1);
    }
}

// B = C A for three rows of A
PERP_KERNEL_PART void NAME(weigh)(const double *C, const double *A, double *B)
{
    const LANES *a = (const LANES *)A;
    for (int i = 0; i < 3; i++) {
        LANES sum = a[0];
        SCALE(&sum, C[3 * i]);
        ADD(&sum, &a[1], C[3 * i + 1]);
        ADD(&sum, &a[2], C[3 * i + 2]);
        *(LANES *)(B + PAD * i) = sum;
    }
}

PERP_VECTOR_KERNEL static void NAME(add_response)(const double *C, const double *J,
                                                  const double *J_column, double *lower,
                                                  double *upper)
{
    _Alignas(64) double B[3 * PAD];
    NAME(weigh)(C, J_column, B);
    NAME(add_product)(J, B, lower);
    if (!upper)
        return;
    NAME(weigh)(C, J, B);
    NAME(add_product)(B, J_column, upper);
}

PERP_VECTOR_KERNEL static void NAME(gather)(const PerpBlockConstraints *rows, const double *r,
                                            double *x)
{
    for (int c = 0; c < rows->n; c++, r += 3)
        for (int e = rows->start[c]; e < rows->start[c + 1]; e++) {
            const LANES *a = (const LANES *)(rows->J + 3 * PAD * (size_t)e);
            LANES sum = a[0];
            SCALE(&sum, r[0]);
            ADD(&sum, &a[1], r[1]);
            ADD(&sum, &a[2], r[2]);
            ADD((LANES *)(x + PAD * rows->place[e]), &sum, 1);
        }
}

// The three rows side by side; the lanes of each are added up at the end, in pairs.
PERP_KERNEL_PART void NAME(measure_constraint)(const PerpBlockConstraints *rows, int c,
                                               const double *x, double *w)
{
    LANES none = {0}, sum[3] = {none, none, none};
    for (int e = rows->start[c]; e < rows->start[c + 1]; e++) {
        const LANES *J = (const LANES *)(rows->J + 3 * PAD * (size_t)e);
        const LANES *at = (const LANES *)(x + PAD * rows->place[e]);
        for (int k = 0; k < 3; k++)
            ADD_PRODUCT(&sum[k], &J[k], at);
    }
    for (int k = 0; k < 3; k++)
        w[k] = TOTAL(&sum[k]);
}

PERP_VECTOR_KERNEL static void NAME(measure)(const PerpBlockConstraints *rows, const double *x,
                                             double *w)
{
    for (int c = 0; c < rows->n; c++)
        NAME(measure_constraint)(rows, c, x, w + 3 * c);
}

PERP_VECTOR_KERNEL static void NAME(respond)(const PerpBlockConstraints *rows, const double *C,
                                             const double *x, double *e)
{
    for (int c = 0; c < rows->n; c++, C += 9, e += 3) {
        double w[3];
        NAME(measure_constraint)(rows, c, x, w);
        for (int i = 0; i < 3; i++)
            e[i] -= C[3 * i] * w[0] + C[3 * i + 1] * w[1] + C[3 * i + 2] * w[2];
    }
}

PERP_VECTOR_KERNEL static void NAME(multiply)(const double *D, const double *x, double *y)
{
    const LANES *d = (const LANES *)D;
    LANES sum = d[0];
    SCALE(&sum, x[0]);
    for (int k = 1; k < SIZE; k++)
        ADD(&sum, &d[k], x[k]);
    *(LANES *)y = sum;
}

const PerpBlockKernels NAME(perp_block_kernels) = {
    .size = SIZE,
    .pad = PAD,
    .subtract_row = NAME(subtract_row),
    .finish_row = NAME(finish_row),
    .finish_diagonal = NAME(finish_diagonal),
    .subtract_row_symmetric = NAME(subtract_row_symmetric),
    .finish_row_symmetric = NAME(finish_row_symmetric),
    .finish_diagonal_symmetric = NAME(finish_diagonal_symmetric),
    .solve = NAME(solve),
    .add_response = NAME(add_response),
    .gather = NAME(gather),
    .measure = NAME(measure),
    .respond = NAME(respond),
    .multiply = NAME(multiply),
};
