// A small problem reduced to its inequalities, in one dense matrix:
//
//     u = W r + d,   W explicit or J M^-1 J',   rows E of equations, I of contacts and bounds
//     r_E = -W_EE^-1 (d_E + W_EI r_I)
//     W_II -= W_IE W_EE^-1 W_EI,   d_I -= W_IE W_EE^-1 d_E
//
// Equations go one by one, the one with the largest pivot first; those whose pivot is rounding
// follow from the others, as in closed loops, and carry nothing. What is left is solved by Newton's
// method on the local solution maps, r_k = S_k(u_k - A_k r_k),
//
//     dr_k - G_k (sum_j W_kj dr_j - A_k dr_k) = S_k - r_k,   G_k the derivative of S_k
//
// for any regular A_k, here the block of the constraint itself. The first step takes the modes from
// the impulses and slips of the last step, not from velocities, which know little of a slip of
// micrometres a second: where servos and sticking feet ask for more than bodies can do, all
// contacts would seem to stick, and impulses grow without bound. From there it mostly takes one or
// two steps to rounding. Sweeps of Gauss-Seidel help where it goes astray.

#include "base/lanes.h"
#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "cones/operator/over_bodies.h"
#include "cones/operator/spanning_tree.h"
#include "cones/second_order.h"
#include "math/small_solve.h"

#include <math.h>
#include <string.h>

enum { FIRST_SWEEPS = 8 };
enum { LINE = 8 };                   // lines of matrices are multiples of it
static const double EDGE = 1 - 1e-8; // |r_T|^2 over r_n^2 of contacts that may slide
static const double ASTRAY = 30; // residual, of that without impulses, that no step should lead to
static const double DEPENDENT = 1e-10;     // pivot, of rows scaled to inverse mass 1
static const double IMMOBILE = 1e-12;      // of the inverse mass of a row without the equations
static const double REGULARISATION = 1e-6; // of a proximal term, for impulses that are not unique

// Rows of the inequalities come first.
typedef struct Reduced {
    const PerpConeProblem *cones;
    int n, m;                   // rows, of them inequalities
    int wide, system_wide;      // numbers of a line of W and of the system, filled up with zeros
    int *first, *size;          // constraints: where their rows begin, how many
    int *pivot, rank;           // the equations in the order of elimination
    bool *gone;                 // n - m: those that are eliminated
    double *W, *d, *r;          // n lines, n
    double *diagonal, *inverse; // 9 a constraint: A and its inverse
    double *slide;              // a constraint: slip speed over |r_T|
    double *u, *next;           // 3 a constraint: velocity, S
    double *system, *dr;        // m lines: equations with their right sides
    double *start;              // m: where it began
} Reduced;

bool perp_reduced_newton_fits(const PerpConeProblem *cones, int most_rows)
{
    int rows = 0;
    if (!cones->delassus || cones->product || cones->n_constraints > most_rows)
        return false;
    for (int c = 0; c < cones->n_constraints; c++)
        rows += perp_constraint_rows(&cones->constraint[c]);
    return rows <= most_rows;
}

// --- the matrix ---------------------------------------------------------------------------------

static int fill_up(int numbers)
{
    return (numbers + LINE - 1) / LINE * LINE;
}

static bool take(PerpArena *arena, const PerpConeProblem *cones, Reduced *at)
{
    int count = cones->n_constraints, n = 0, m = 0;
    for (int c = 0; c < count; c++) {
        n += perp_constraint_rows(&cones->constraint[c]);
        m += cones->constraint[c].cone->is_equation ? 0
                                                    : perp_constraint_rows(&cones->constraint[c]);
    }
    *at = (Reduced){.cones = cones,
                    .n = n,
                    .m = m,
                    .wide = fill_up(n),
                    .system_wide = fill_up(m + 1),
                    .first = PERP_TAKE_RAW(arena, int, 2 * count + n),
                    .gone = PERP_TAKE(arena, bool, n - m)};
    double **parts[] = {&at->W,        &at->d,       &at->r,     &at->dr, &at->start,
                        &at->diagonal, &at->inverse, &at->slide, &at->u,  &at->next};
    int sizes[] = {n * at->wide, n, n, m, m, 9 * count, 9 * count, count, 3 * count, 3 * count};
    double *next = PERP_TAKE(arena, double, n * at->wide + 2 * n + 2 * m + 25 * count);
    at->system = PERP_TAKE_RAW(arena, double, m * at->system_wide);
    if (!at->first || !at->gone || !at->system || !next)
        return false;
    at->size = at->first + count;
    at->pivot = at->size + count;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k] = next;
        next += sizes[k];
    }
    return true;
}

static void number_rows(Reduced *at)
{
    int inequality = 0, equation = at->m;
    for (int c = 0; c < at->cones->n_constraints; c++) {
        const PerpConstraint *constraint = &at->cones->constraint[c];
        int *next = constraint->cone->is_equation ? &equation : &inequality;
        at->size[c] = perp_constraint_rows(constraint);
        at->first[c] = *next;
        *next += at->size[c];
    }
}

// K = M^-1 J', a line for each number of the state
static double *find_kicks(PerpArena *arena, const Reduced *at)
{
    const PerpConeProblem *cones = at->cones;
    int s = cones->bodies.size;
    double *K = PERP_TAKE(arena, double, (size_t)cones->n_state *(size_t)at->wide);
    for (int c = 0; K && c < cones->n_constraints; c++)
        for (int e = cones->constraint[c].first; e < cones->constraint[c].end; e++)
            for (int k = 0; k < at->size[c]; k++) {
                int body = cones->bodies.entry_body[e];
                _Alignas(64) double response[8] = {0};
                perp_copy_row(s, perp_over_bodies_row(cones, e, k), response);
                perp_over_bodies_weigh(cones, body, response);
                for (int i = 0; i < s; i++)
                    K[(s * body + i) * at->wide + at->first[c] + k] = response[i];
            }
    return K;
}

// y += a x, of a line or its last numbers, a multiple of LINE
PERP_KERNEL_PART void add(int n, double a, const double *x, double *y)
{
    for (int i = 0; i < n; i += LINE)
        perp_lanes8_add((PerpLanes8 *)(y + i), (const PerpLanes8 *)(x + i), a);
}

// The rows of W = J K of a constraint, of bodies of s numbers: LINE columns at a time stay in
// registers.
PERP_KERNEL_PART void multiply_rows(Reduced *at, int s, int c, const double *K)
{
    const PerpConeProblem *cones = at->cones;
    const PerpConstraint *constraint = &cones->constraint[c];
    for (int k = 0; k < at->size[c]; k++)
        for (int j = 0; j < at->wide; j += LINE) {
            PerpLanes8 sum = {0};
            for (int e = constraint->first; e < constraint->end; e++) {
                const double *J = perp_over_bodies_row(cones, e, k);
                const double *column = K + s * cones->bodies.entry_body[e] * at->wide + j;
                for (int i = 0; i < s; i++)
                    perp_lanes8_add(&sum, (const PerpLanes8 *)(column + i * at->wide), J[i]);
            }
            *(PerpLanes8 *)(at->W + (at->first[c] + k) * at->wide + j) = sum;
        }
}

PERP_VECTOR_KERNEL static void multiply(Reduced *at, const double *K)
{
    for (int c = 0; c < at->cones->n_constraints; c++)
        if (at->cones->bodies.size == 6)
            multiply_rows(at, 6, c, K);
        else
            multiply_rows(at, 3, c, K);
}

static void copy_blocks(Reduced *at)
{
    const PerpDelassusRows *rows = &at->cones->explicit_W.rows;
    for (int c = 0; c < at->cones->n_constraints; c++)
        for (int e = rows->start[c]; e < rows->start[c + 1]; e++)
            for (int i = 0; i < at->size[c]; i++)
                for (int j = 0; j < at->size[rows->column[e]]; j++)
                    at->W[(at->first[c] + i) * at->wide + at->first[rows->column[e]] + j] =
                        rows->W[9 * e + 3 * i + j];
}

// False if memory is short.
static bool fill_matrix(PerpArena *arena, Reduced *at)
{
    if (!at->cones->delassus->has_bodies) {
        copy_blocks(at);
        return true;
    }
    const double *K = find_kicks(arena, at);
    if (K)
        multiply(at, K);
    return K;
}

// d: u without impulses of these constraints
static void fill_right_side(Reduced *at)
{
    const PerpConeProblem *cones = at->cones;
    int s = cones->bodies.size;
    for (int c = 0; c < cones->n_constraints; c++)
        for (int k = 0; k < at->size[c]; k++) {
            double sum = cones->constraint[c].d[k];
            for (int e = cones->constraint[c].first; e < cones->constraint[c].end; e++) {
                const double *J = perp_over_bodies_row(cones, e, k);
                const double *v = cones->bodies.free + s * cones->bodies.entry_body[e];
                for (int i = 0; i < s; i++)
                    sum += J[i] * v[i];
            }
            at->d[at->first[c] + k] = sum;
        }
}

// --- equations ----------------------------------------------------------------------------------

static int largest_pivot(const Reduced *at)
{
    const double *W = at->W;
    int best = -1;
    for (int i = at->m; i < at->n; i++)
        if (!at->gone[i - at->m] && (best < 0 || W[i * (at->wide + 1)] > W[best * (at->wide + 1)]))
            best = i;
    return best;
}

// Takes equation p out of all others: what it has of those that are gone before it is 0.
PERP_VECTOR_KERNEL static void eliminate_equation(int n, int wide, int p, double *W, double *d)
{
    const double *row = W + p * wide;
    for (int i = 0; i < n; i++) {
        double factor = i == p ? 0 : W[i * wide + p] / row[p];
        if (factor == 0)
            continue;
        add(wide, -factor, row, W + i * wide);
        W[i * wide + p] = 0;
        d[i] -= factor * d[p];
    }
}

// Rows of inequalities that equations leave no motion: what is left of them is rounding.
static void clear_rounding(Reduced *at, const double *mobility)
{
    for (int i = 0; i < at->m; i++)
        if (!(at->W[i * at->wide + i] > IMMOBILE * mobility[i]))
            for (int j = 0; j < at->m; j++)
                at->W[i * at->wide + j] = at->W[j * at->wide + i] = 0;
}

// The rows of equations that are gone stay: r_p = -(d_p + sum_j W_pj r_j) / W_pp over what was left
static void eliminate_equations(Reduced *at)
{
    double *mobility = at->dr; // not needed yet
    for (int i = 0; i < at->m; i++)
        mobility[i] = at->W[i * at->wide + i];
    for (int k = at->m; k < at->n; k++) {
        int p = largest_pivot(at);
        if (!(at->W[p * at->wide + p] > DEPENDENT))
            break;
        eliminate_equation(at->n, at->wide, p, at->W, at->d);
        at->gone[p - at->m] = true;
        at->pivot[at->rank++] = p;
    }
    if (at->rank > 0)
        clear_rounding(at, mobility);
}

static void find_equations(Reduced *at)
{
    memset(at->r + at->m, 0, (size_t)(at->n - at->m) * sizeof(double));
    for (int k = at->rank - 1; k >= 0; k--) {
        const double *row = at->W + at->pivot[k] * at->wide;
        double sum = at->d[at->pivot[k]];
        for (int j = 0; j < at->n; j++)
            sum += j == at->pivot[k] ? 0 : row[j] * at->r[j];
        at->r[at->pivot[k]] = -sum / row[at->pivot[k]];
    }
}

// --- inequalities -------------------------------------------------------------------------------

static void take_diagonal(Reduced *at)
{
    for (int c = 0; c < at->cones->n_constraints; c++) {
        double *A = at->diagonal + 9 * c;
        memset(A, 0, 9 * sizeof(double));
        for (int i = 0; i < at->size[c]; i++)
            for (int j = 0; j < at->size[c]; j++)
                A[3 * i + j] = at->W[(at->first[c] + i) * at->wide + at->first[c] + j];
        perp_soc_prepare(A, at->inverse + 9 * c);
    }
}

// The sum over four lanes, always in the same order.
PERP_KERNEL_PART double product(int n, const double *a, const double *b)
{
    double sum[4] = {0};
    int j = 0;
    for (; j + 4 <= n; j += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[j + k] * b[j + k];
    for (; j < n; j++)
        sum[0] += a[j] * b[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// u = W r + d and r of constraint c
PERP_KERNEL_PART void find_speed(const Reduced *at, int c, double *u, double *r)
{
    for (int i = 0; i < at->size[c]; i++) {
        int row = at->first[c] + i;
        u[i] = at->d[row] + product(at->m, at->W + row * at->wide, at->r);
        r[i] = at->r[row];
    }
}

static PerpLocalBlock block_of(const Reduced *at, int c)
{
    return (PerpLocalBlock){at->diagonal + 9 * c, at->inverse + 9 * c, &at->slide[c]};
}

PERP_VECTOR_KERNEL static void sweep(Reduced *at)
{
    for (int c = 0; c < at->cones->n_constraints; c++) {
        const PerpConstraint *constraint = &at->cones->constraint[c];
        const PerpLocalBlock block = block_of(at, c);
        double u[3] = {0}, r[3] = {0};
        if (constraint->cone->is_equation)
            continue;
        find_speed(at, c, u, r);
        constraint->cone->solve(constraint, &block, u, r);
        memcpy(at->r + at->first[c], r, (size_t)at->size[c] * sizeof(double));
    }
}

// u and r of all constraints, and the natural residual.
PERP_VECTOR_KERNEL static double evaluate(Reduced *at)
{
    double worst = 0;
    for (int c = 0; c < at->cones->n_constraints; c++) {
        const PerpCone *cone = at->cones->constraint[c].cone;
        double *u = at->u + 3 * c, *r = at->next + 3 * c;
        if (cone->is_equation)
            continue;
        find_speed(at, c, u, r);
        double wrong = cone->residual(at->cones, c, r, u);
        worst = wrong <= worst ? worst : wrong; // NAN, too
    }
    return worst;
}

// The mode that r has by itself: of a box from its bounds, of a contact from r and its last slip.
static PerpContactMode mode_of(const Reduced *at, int c, const double *r)
{
    const PerpConstraint *constraint = &at->cones->constraint[c];
    if (!constraint->cone->is_contact)
        return !(r[0] > constraint->lo)   ? PERP_MODE_OPEN
               : !(r[0] < constraint->hi) ? PERP_MODE_SLIP
                                          : PERP_MODE_STICK;
    bool slips = at->slide[c] > 0 && r[1] * r[1] + r[2] * r[2] >= EDGE * r[0] * r[0];
    return !(r[0] > 0) ? PERP_MODE_OPEN : slips ? PERP_MODE_SLIP : PERP_MODE_STICK;
}

// S = r + G dq in the mode that it had: dq = u, of a contact that slides without what is along r_T
static bool keep_mode(const Reduced *at, int c, const double *u, double *r, double *G)
{
    const PerpLocalBlock block = block_of(at, c);
    const PerpCone *cone = at->cones->constraint[c].cone;
    PerpContactMode mode = mode_of(at, c, r);
    double dq[3] = {u[0], u[1], u[2]}, square = r[1] * r[1] + r[2] * r[2];
    if (!cone->derive(mode, &block, r, G))
        return false;
    if (cone->is_contact && mode == PERP_MODE_SLIP) {
        double along = (u[1] * r[1] + u[2] * r[2]) / square;
        dq[1] -= along * r[1];
        dq[2] -= along * r[2];
    }
    for (int i = 0; i < 3; i++)
        r[i] += G[3 * i] * dq[0] + G[3 * i + 1] * dq[1] + G[3 * i + 2] * dq[2];
    return true;
}

// S and its derivative.
static bool solve_local(const Reduced *at, int c, const double *u, double *r, double *G)
{
    const PerpLocalBlock block = block_of(at, c);
    const PerpConstraint *constraint = &at->cones->constraint[c];
    PerpContactMode mode = constraint->cone->solve(constraint, &block, u, r);
    return constraint->cone->derive(mode, &block, r, G);
}

// The equations of constraint c.
PERP_KERNEL_PART void fill_system(Reduced *at, int c, const double *G)
{
    int m = at->m, width = at->system_wide, first = at->first[c];
    for (int i = 0; i < at->size[c]; i++) {
        double *line = at->system + (first + i) * width;
        for (int j = 0; j < width; j++)
            line[j] = 0;
        for (int l = 0; l < at->size[c]; l++) {
            const double *W = at->W + (first + l) * at->wide;
            double factor = (1 - REGULARISATION) * G[3 * i + l];
            if (factor != 0)
                add(fill_up(m), -factor, W, line);
            for (int j = 0; j < at->size[c]; j++)
                line[first + j] += factor * at->diagonal[9 * c + 3 * l + j];
        }
        line[first + i] += 1;
        line[m] = at->next[3 * c + i] - at->r[first + i];
    }
}

// Gauss's elimination with partial pivoting of m equations, their right sides behind them. What is
// left of a pivot is not looked at again, and may be changed along with the rest.
PERP_KERNEL_PART bool eliminate(int m, int width, double *line, double *x)
{
    for (int k = 0; k < m; k++) {
        int pivot = k;
        for (int i = k + 1; i < m; i++)
            pivot = fabs(line[width * i + k]) > fabs(line[width * pivot + k]) ? i : pivot;
        perp_exchange_rows(line, width, k, pivot);
        if (!(fabs(line[width * k + k]) > 0))
            return false;
        int first = (k + 1) / LINE * LINE;
        double over = 1 / line[width * k + k];
        for (int i = k + 1; i < m; i++) {
            double factor = line[width * i + k] * over;
            if (factor != 0)
                add(width - first, -factor, line + width * k + first, line + width * i + first);
        }
    }
    for (int k = m - 1; k >= 0; k--) {
        double sum = line[width * k + m];
        for (int j = k + 1; j < m; j++)
            sum -= line[width * k + j] * x[j];
        x[k] = sum / line[width * k + k];
    }
    return true;
}

// One step of Newton's method from what evaluate found; false if it is singular.
PERP_VECTOR_KERNEL static bool step(Reduced *at, bool keeps_modes)
{
    for (int c = 0; c < at->cones->n_constraints; c++) {
        double G[9], *u = at->u + 3 * c, *next = at->next + 3 * c;
        if (at->cones->constraint[c].cone->is_equation)
            continue;
        if (!(keeps_modes ? keep_mode(at, c, u, next, G) : solve_local(at, c, u, next, G)))
            memset(G, 0, sizeof G); // the others do not change it
        fill_system(at, c, G);
    }
    if (!eliminate(at->m, at->system_wide, at->system, at->dr))
        return false;
    for (int i = 0; i < at->m; i++)
        at->r[i] += at->dr[i];
    return true;
}

// At least one step, since impulses that are only good enough would be used again from step to
// step, and what rests would creep. Returns the residual. done: counted up.
static double try_newton(Reduced *at, bool keeps_modes, double tolerance, int most, int *done)
{
    double residual = evaluate(at), before = INFINITY;
    for (int k = 0; k < most && (k == 0 || residual > tolerance); k++, ++*done) {
        if (!step(at, keeps_modes && k == 0))
            return INFINITY;
        before = residual;
        residual = evaluate(at);
        if (!(residual < ASTRAY || residual < before))
            return INFINITY;
    }
    return residual;
}

static double solve(Reduced *at, bool keeps_modes, double tolerance, int *steps)
{
    size_t bytes = (size_t)at->m * sizeof(double);
    int most = *steps;
    *steps = 0;
    memcpy(at->start, at->r, bytes);
    double residual = try_newton(at, keeps_modes, tolerance, most, steps);
    if (residual <= tolerance)
        return residual;
    memcpy(at->r, at->start, bytes);
    for (int k = 0; k < FIRST_SWEEPS; k++)
        sweep(at);
    return try_newton(at, false, tolerance, most, steps);
}

// --- all together -------------------------------------------------------------------------------

// Up to three numbers, without a call.
static inline void copy_few(int n, const double *from, double *to)
{
    for (int i = 0; i < 3; i++)
        if (i < n)
            to[i] = from[i];
}

static void load(Reduced *at, const double *r, const double *slip)
{
    for (int c = 0; c < at->cones->n_constraints; c++) {
        double across = at->size[c] > 1 ? hypot(r[3 * c + 1], r[3 * c + 2]) : 0;
        at->slide[c] = slip && across > 0 ? slip[c] / across : 0;
        copy_few(at->size[c], r + 3 * c, at->r + at->first[c]);
    }
}

static void unload(const Reduced *at, double *r)
{
    for (int c = 0; c < at->cones->n_constraints; c++)
        copy_few(at->size[c], at->r + at->first[c], r + 3 * c);
}

double perp_reduced_newton(PerpArena *arena, const PerpConeProblem *cones, const double *slip,
                           double tolerance, int *steps, double *r)
{
    Reduced at;
    if (!take(arena, cones, &at))
        return NAN;
    number_rows(&at);
    if (!fill_matrix(arena, &at))
        return NAN;
    fill_right_side(&at);
    eliminate_equations(&at);
    take_diagonal(&at);
    load(&at, r, slip);
    double residual = solve(&at, slip, tolerance, steps);
    if (!(residual <= tolerance))
        return INFINITY;
    find_equations(&at);
    unload(&at, r);
    return residual;
}
