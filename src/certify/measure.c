// Measuring for the certificate of a step problem, in sums of doubled precision. Nothing is judged
// here.
#include "certify/measure.h"

#include "base/compiler.h"
#include "certify/exact_sum.h"
#include "certify/mass_inverse.h"

#include <math.h>

// Velocities of most bodies, for which loops are compiled by themselves; of those, what is summed
// up side by side.
enum { FREE = 6, LANES = 4 };

// J v of a row, each velocity of a free body in a lane of its own.
typedef struct Speed {
    double value[FREE], error[FREE];
} Speed;

typedef struct Work {
    const PerpProblem *p;   // borrowed, as are v and c
    const double *v, *c;    //
    double *momentum;       // velocities: Mt v - J'c - b, value and
    double *momentum_error; // velocities: error of a sum
    double *v_free;         // velocities: v_f
    double *defect;         // velocities: scratch
    double *inverses;       // the blocks of Mt^-1
    Speed speed[2];         // of rows in turns, in memory: the compiler keeps its vectors
    bool asks_gap;          // y_free is needed
    PerpMeasures *to;
} Work;

// --- masses -------------------------------------------------------------------------------------

// (Mt x)_i - b_i. Mass blocks are mostly zeros, and bodies at rest are, which add nothing; an x_j
// that is no number still shows in the row of its own diagonal.
PERP_KERNEL_PART PerpSum row_times(const PerpMeasuredBody *body, const double *x, int i, double b)
{
    PerpSum s = {0};
    int n = body->n;
    for (int j = 0; j < n; j++)
        if (body->Mt[i + n * j] != 0 && x[j] != 0)
            perp_sum_add_product(&s, body->Mt[i + n * j], x[j]);
    perp_sum_add(&s, -b);
    return s;
}

PERP_KERNEL_PART double diagonal_form(int n, const double *diagonal, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * diagonal[i] * x[i];
    return sum;
}

// x'Mt^-1 x
PERP_KERNEL_PART double inverse_form(const PerpMeasuredBody *body, const double *x)
{
    if (!body->diagonal)
        return perp_certificate_form(body->inverse, body->n, false, x);
    return body->n == FREE ? diagonal_form(FREE, body->inverse, x)
                           : diagonal_form(body->n, body->inverse, x);
}

// value + error += a b of sums side by side, each as exact as a PerpSum. All is read before
// anything is written: the compiler makes vectors of it.
PERP_KERNEL_PART void add_products(int n, const double *a, const double *b, double *value,
                                   double *error)
{
    double sum[LANES], rest[LANES];
    for (int i = 0; i < n; i++) {
        double product = a[i] * b[i], part;
        sum[i] = value[i] + product;
        part = sum[i] - value[i];
        rest[i] = error[i] +
                  (((value[i] - (sum[i] - part)) + (product - part)) + fma(a[i], b[i], -product));
    }
    for (int i = 0; i < n; i++)
        value[i] = sum[i];
    for (int i = 0; i < n; i++)
        error[i] = rest[i];
}

// x'A x / 2, right to rounding also where stiff terms of A cancel in A x
PERP_KERNEL_PART double kinetic_energy(const PerpMeasuredBody *body, const double *x)
{
    PerpSum energy = {0};
    for (int i = 0; i < body->n; i++) {
        PerpSum momentum = row_times(body, x, i, 0);
        perp_sum_add_product(&energy, perp_sum_total(&momentum), x[i] / 2);
    }
    return perp_sum_total(&energy);
}

// Mt v_f = b from v_f = 0: inverse and two rounds of refinement
PERP_KERNEL_PART void find_free_velocity(const PerpMeasuredBody *body, const double *b,
                                         double *v_free, double *defect)
{
    int n = body->n;
    bool exact = false;
    for (int round = 0; round < 3 && !exact; round++) {
        exact = true;
        for (int i = 0; i < n; i++) {
            PerpSum s = row_times(body, v_free, i, b[i]);
            defect[i] = perp_sum_total(&s);
            exact = exact && defect[i] == 0;
        }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n && defect[j] != 0; i++)
                v_free[i] -= body->inverse[i + n * j] * defect[j];
    }
}

// |A_ij - A_ji| <= 1e-12 sqrt(A_ii A_jj)
PERP_KERNEL_PART bool is_symmetric(const double *A, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            if (A[i + n * j] == A[j + n * i])
                continue;
            double size = sqrt(fabs(A[i + n * i])) * sqrt(fabs(A[j + n * j]));
            if (!(fabs(A[i + n * j] - A[j + n * i]) <= 1e-12 * size))
                return false;
        }
    return true;
}

// --- bodies -------------------------------------------------------------------------------------

// Mt^-1, v_f, the energies of v and v_f, and Mt v - b of a body with a full Mt
PERP_KERNEL_PART void measure_full(Work *w, PerpMeasuredBody *body, double energy[2])
{
    int n = body->n;
    const double *v = w->v + body->first, *b = w->p->b + body->first;
    double *v_free = w->v_free + body->first;
    for (int i = 0; i < n * n; i++)
        body->inverse[i] = body->Mt[i];
    perp_certificate_invert(body->inverse, n, false);
    find_free_velocity(body, b, v_free, w->defect + body->first);
    energy[0] = kinetic_energy(body, v);
    energy[1] = kinetic_energy(body, v_free);
    w->to->symmetric = w->to->symmetric && is_symmetric(body->Mt, n);
    for (int i = 0; i < n; i++) {
        PerpSum s = row_times(body, v, i, b[i]);
        w->momentum[body->first + i] = s.value;
        w->momentum_error[body->first + i] = s.error;
    }
}

// The same with a diagonal Mt, where nothing cancels
PERP_KERNEL_PART void measure_diagonal(Work *w, PerpMeasuredBody *body, int n, double energy[2])
{
    const double *restrict v = w->v + body->first, *restrict b = w->p->b + body->first;
    double *restrict v_free = w->v_free + body->first, *restrict mass = w->defect + body->first;
    double *momentum = w->momentum + body->first, *error = w->momentum_error + body->first;
    for (int i = 0; i < n; i++)
        mass[i] = body->Mt[(n + 1) * i];
    for (int i = 0; i < n; i++)
        body->inverse[i] = 1 / mass[i];
    for (int i = 0; i < n; i++)
        v_free[i] = b[i] / mass[i];
    energy[0] = diagonal_form(n, mass, v) / 2;
    energy[1] = diagonal_form(n, mass, v_free) / 2;
    for (int i = 0; i < n; i++)
        momentum[i] = -b[i];
    for (int i = 0, few; i < n; i += few) {
        few = n - i < LANES ? n - i : LANES;
        add_products(few, mass + i, v + i, momentum + i, error + i);
    }
}

// e_k, the energies, and Mt v - b
PERP_KERNEL_PART void measure_body(Work *w, PerpMeasuredBody *body)
{
    double energy[2];
    if (!body->diagonal)
        measure_full(w, body, energy);
    else if (body->n == FREE)
        measure_diagonal(w, body, FREE, energy);
    else
        measure_diagonal(w, body, body->n, energy);
    body->speed = sqrt(2 * fabs(energy[0])) + sqrt(2 * fabs(energy[1]));
    w->to->energy += energy[0];
    w->to->free_energy += energy[1];
}

static size_t inverse_size(int n, bool diagonal)
{
    return (size_t)n * (size_t)(diagonal ? 1 : n);
}

// A body at rest among moving ones is judged by a little of theirs: e_k >= 2^-20 |e|
static void raise_slow_bodies(Work *w)
{
    double squares = 0;
    for (int i = 0; i < w->p->n_bodies; i++)
        squares += w->to->body[i].speed * w->to->body[i].speed;
    double least = 0x1p-20 * sqrt(squares);
    for (int i = 0; i < w->p->n_bodies; i++)
        if (w->to->body[i].speed < least)
            w->to->body[i].speed = least;
}

PERP_VECTOR_KERNEL_OF_FOUR static void measure_bodies(Work *w)
{
    const double *Mt = w->p->Mt;
    double *inverse = w->inverses;
    for (int i = 0; i < w->p->n_bodies; i++) {
        int first = w->p->body_start[i], n = w->p->body_start[i + 1] - first;
        bool diagonal = perp_certificate_is_diagonal(Mt, n);
        w->to->body[i] = (PerpMeasuredBody){
            .first = first, .n = n, .diagonal = diagonal, .Mt = Mt, .inverse = inverse};
        measure_body(w, &w->to->body[i]);
        Mt += n * n;
        inverse += inverse_size(n, diagonal);
    }
    raise_slow_bodies(w);
}

// --- rows ---------------------------------------------------------------------------------------

PERP_KERNEL_PART double total_speed(const Speed *y, double d)
{
    PerpSum sum = {.value = d};
    for (int i = 0; i < FREE; i++)
        perp_sum_add_pair(&sum, y->value[i], y->error[i]);
    return perp_sum_total(&sum);
}

// Few enough to be cleared in registers.
PERP_KERNEL_PART void clear(double x[FREE])
{
    for (int i = 0; i < FREE; i++)
        x[i] = 0;
}

// y += J v, momentum -= J'c, of n <= LANES numbers
PERP_KERNEL_PART void add_few(Work *w, int n, const double *J, int first, double c, double *y,
                              double *y_error)
{
    const double impulse[LANES] = {-c, -c, -c, -c};
    add_products(n, J, w->v + first, y, y_error);
    add_products(n, J, impulse, w->momentum + first, w->momentum_error + first);
}

// What body k, of n velocities, adds to row r: J_rk v to y, J_rk v_f to y_free if that is asked
// for, the scales, and -J_rk' c_r to the momentum.
PERP_KERNEL_PART void add_entry(Work *w, PerpMeasuredBody *body, int n, const double *J, double c,
                                Speed *y, PerpCertificateRow *row)
{
    int first = body->first;
    double inverse_mass = fabs(inverse_form(body, J)), root = sqrt(inverse_mass);
    if (n == FREE) {
        add_few(w, LANES, J, first, c, y->value, y->error);
        add_few(w, FREE - LANES, J + LANES, first + LANES, c, y->value + LANES, y->error + LANES);
    }
    for (int i = 0; i < n && n != FREE; i++)
        add_few(w, 1, J + i, first + i, c, y->value, y->error);
    for (int i = 0; i < n && w->asks_gap; i++)
        row->y_free += J[i] * w->v_free[first + i];
    row->inverse_mass += inverse_mass;
    row->scale += root * body->speed;
    body->rounding += PERP_IMPULSE_ROUNDING * fabs(c) * root;
}

// y += C c, W += C of a compliant row
PERP_KERNEL_PART void soften(double compliance, double c, PerpCertificateRow *row)
{
    PerpSum y = {.value = row->y};
    perp_sum_add_product(&y, compliance, c);
    row->y = perp_sum_total(&y);
    row->inverse_mass += compliance;
}

// y = J v + C c + d of all rows; an impulse that is no number makes the scale of its row NaN
PERP_VECTOR_KERNEL_OF_FOUR static void measure_rows(Work *w)
{
    const PerpProblem *p = w->p;
    const double *J = p->J;
    for (int r = 0; r < perp_problem_rows(p); r++) {
        PerpCertificateRow row = {.y_free = p->d[r],
                                  .scale = isfinite(w->c[r]) ? fabs(p->d[r]) : NAN};
        Speed *y = &w->speed[r % 2];
        clear(y->value);
        clear(y->error);
        for (int i = p->row_start[r]; i < p->row_start[r + 1]; i++) {
            PerpMeasuredBody *body = &w->to->body[p->entry_body[i]];
            if (body->n == FREE)
                add_entry(w, body, FREE, J, w->c[r], y, &row);
            else
                add_entry(w, body, body->n, J, w->c[r], y, &row);
            J += body->n;
        }
        row.y = total_speed(y, p->d[r]);
        if (p->compliance)
            soften(p->compliance[r], w->c[r], &row);
        w->to->row[r] = row;
    }
}

// |Mt v - J'c - b|_inv(Mt) of all bodies
PERP_VECTOR_KERNEL_OF_FOUR static void measure_momentum(Work *w)
{
    for (int i = 0; i < w->p->n_bodies; i++) {
        PerpMeasuredBody *body = &w->to->body[i];
        double *defect = w->defect + body->first;
        for (int j = 0; j < body->n; j++)
            defect[j] = w->momentum[body->first + j] + w->momentum_error[body->first + j];
        body->error = sqrt(fabs(inverse_form(body, defect)));
    }
}

// --- all together -------------------------------------------------------------------------------

// All memory comes from one allocation, zeroed.
static bool take_memory(Work *w, const PerpAllocator *allocator)
{
    const PerpProblem *p = w->p;
    size_t bodies = (size_t)p->n_bodies, rows = (size_t)perp_problem_rows(p);
    size_t velocities = (size_t)perp_problem_velocities(p), blocks = 0;
    const double *Mt = p->Mt;
    for (int i = 0; i < p->n_bodies; i++) {
        int n = p->body_start[i + 1] - p->body_start[i];
        blocks += inverse_size(n, perp_certificate_is_diagonal(Mt, n));
        Mt += n * n;
    }
    size_t bytes = bodies * sizeof(PerpMeasuredBody) + rows * sizeof(PerpCertificateRow) +
                   (4 * velocities + blocks) * sizeof(double);
    w->to->body = perp_allocate(allocator, bytes, 1);
    if (!w->to->body)
        return false;
    w->to->row = (PerpCertificateRow *)(w->to->body + bodies);
    w->momentum = (double *)(w->to->row + rows);
    w->momentum_error = w->momentum + velocities;
    w->v_free = w->momentum_error + velocities;
    w->defect = w->v_free + velocities;
    w->inverses = w->defect + velocities;
    return true;
}

bool perp_certificate_measure(const PerpAllocator *allocator, const PerpProblem *p, const double *v,
                              const double *c, bool asks_gap, PerpMeasures *to)
{
    Work work = {.p = p, .v = v, .c = c, .asks_gap = asks_gap, .to = to};
    *to = (PerpMeasures){.symmetric = true};
    if (!take_memory(&work, allocator))
        return false;
    measure_bodies(&work);
    measure_rows(&work);
    measure_momentum(&work);
    return true;
}
