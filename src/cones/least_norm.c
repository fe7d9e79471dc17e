#include "cones/least_norm.h"

#include <math.h>
#include <string.h>

enum { MOST_VELOCITIES = 600, ITERATIONS = 60, HALVINGS = 40 };
static const double STILL = 1e-6;     // of the free speeds: slower rows hold
static const double RESTS = 1e-8;     // likewise: slower bodies rest
static const double ENOUGH = 1e-13;   // of the impulses that bodies get
static const double NEARLY = 1e-10;   // likewise, where rounding ends the search
static const double DEFINITE = 1e-12; // of the largest diagonal, added to all

// A constraint of up to three rows, normal first.
typedef struct Part {
    enum { FREE, BOX, CONE } kind;
    int rows, row[3];
    double mu, lo, hi;
} Part;

typedef struct Search {
    const PerpProblem *p;
    const double *v, *c_0;
    int n, n_parts;
    int *value;                            // rows + 1: into J
    bool *fixed;                           // rows
    Part *part;                            //
    double *x, *trial, *step, *rest, *aim; // n
    double *z, *c;                         // rows
    double *H;                             // n x n, the lower half, column by column
} Search;

// --- which rows hold ----------------------------------------------------------------------------

// y = J v + d
static double speed(const Search *s, int r)
{
    const PerpProblem *p = s->p;
    const double *J = p->J + s->value[r];
    double y = p->d[r];
    for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1]; i++)
            y += *J++ * s->v[i];
    return y;
}

static double fastest_free(const PerpProblem *p)
{
    const double *Mt = p->Mt;
    double fastest = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        for (int i = 0; i < n; i++)
            fastest = fmax(fastest, fabs(p->b[first + i] / Mt[(n + 1) * i]));
        Mt += n * n;
    }
    return fastest;
}

static bool is_compliant(const PerpProblem *p, int r)
{
    return p->compliance && p->compliance[r] > 0;
}

static void add_part(Search *s, Part part)
{
    for (int k = 0; k < part.rows; k++)
        s->fixed[part.row[k]] = false;
    s->part[s->n_parts++] = part;
}

// A contact with its group, -1: none.
static void add_contact(Search *s, int contact, int group, double still)
{
    const PerpProblem *p = s->p;
    int normal = p->n_joints + p->n_boxes + contact;
    int first = p->n_joints + p->n_boxes + p->n_contacts + (group < 0 ? 0 : p->group_start[group]);
    Part part = {.kind = CONE, .rows = 1, .row = {normal}, .mu = group < 0 ? 0 : p->mu[group]};
    bool holds = speed(s, normal) <= still && !is_compliant(p, normal);
    for (int k = 0; group >= 0 && k < p->group_start[group + 1] - p->group_start[group]; k++) {
        part.row[part.rows++] = first + k;
        holds = holds && fabs(speed(s, first + k)) <= still;
    }
    if (holds)
        add_part(s, part);
}

// False if there are cones of another kind.
static bool list_parts(Search *s)
{
    const PerpProblem *p = s->p;
    double still = STILL * fastest_free(p);
    for (int r = 0; r < perp_problem_rows(p); r++)
        s->fixed[r] = true;
    for (int r = 0; r < p->n_joints; r++)
        if (!is_compliant(p, r))
            add_part(s, (Part){.kind = FREE, .rows = 1, .row = {r}});
    for (int i = 0; i < p->n_boxes; i++)
        if (!is_compliant(p, p->n_joints + i) && fabs(speed(s, p->n_joints + i)) <= still)
            add_part(s, (Part){.kind = BOX,
                               .rows = 1,
                               .row = {p->n_joints + i},
                               .lo = p->lo[i],
                               .hi = p->hi[i]});
    for (int i = 0, g = 0; i < p->n_contacts; i++) {
        bool rubs = g < p->n_groups && p->group_contact[g] == i;
        if (rubs && !(p->group_circular && p->group_circular[g] && p->cohesion[g] == 0))
            return false;
        add_contact(s, i, rubs ? g : -1, still);
        g += rubs;
        if (g < p->n_groups && p->group_contact[g] == i)
            return false;
    }
    return true;
}

// --- projection and its derivative --------------------------------------------------------------

// P of the cone |t| <= mu n, and D of three by three.
static void project_cone(double mu, const double *z, double *c, double D[3][3])
{
    double slip = hypot(z[1], z[2]), n = z[0];
    memset(D, 0, 9 * sizeof(double));
    if (slip <= mu * n || (slip == 0 && n == 0)) {
        memcpy(c, z, 3 * sizeof *c);
        for (int k = 0; k < 3; k++)
            D[k][k] = 1;
        return;
    }
    memset(c, 0, 3 * sizeof *c);
    if (mu * slip <= -n)
        return;
    double e[3] = {1, mu * z[1] / slip, mu * z[2] / slip};
    if (slip == 0)
        e[1] = e[2] = 0;
    double scale = 1 / (1 + mu * mu), a = (n + mu * slip) * scale;
    double around = slip > 0 ? a * mu / slip : 0;
    double turn[3] = {0, slip > 0 ? -z[2] / slip : 0, slip > 0 ? z[1] / slip : 0};
    for (int i = 0; i < 3; i++) {
        c[i] = a * e[i];
        for (int j = 0; j < 3; j++)
            D[i][j] = scale * e[i] * e[j] + around * turn[i] * turn[j];
    }
}

static void project(const Part *part, const double *z, double *c, double D[3][3])
{
    if (part->kind == CONE) {
        project_cone(part->mu, z, c, D);
        return;
    }
    c[0] = part->kind == BOX ? fmin(fmax(z[0], part->lo), part->hi) : z[0];
    D[0][0] = c[0] == z[0];
}

// --- Newton's method ----------------------------------------------------------------------------

// to += factor J_r'
static void add_row(const Search *s, int r, double factor, double *to)
{
    const PerpProblem *p = s->p;
    const double *J = p->J + s->value[r];
    for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1]; i++)
            to[i] += factor * *J++;
}

static double row_times(const Search *s, int r, const double *x)
{
    const PerpProblem *p = s->p;
    const double *J = p->J + s->value[r];
    double sum = 0;
    for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1]; i++)
            sum += *J++ * x[i];
    return sum;
}

// The dual |z|^2/2 - |z - P z|^2/2 - aim'x at x, c = P(J x), and rest = aim - J'c
static double evaluate(Search *s, const double *x)
{
    double value = 0, D[3][3];
    memcpy(s->rest, s->aim, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->n_parts; i++) {
        const Part *part = &s->part[i];
        double z[3] = {0}, c[3] = {0};
        for (int k = 0; k < part->rows; k++)
            z[k] = row_times(s, part->row[k], x);
        project(part, z, c, D);
        for (int k = 0; k < part->rows; k++) {
            value += c[k] * (z[k] - c[k] / 2);
            s->z[part->row[k]] = z[k];
            s->c[part->row[k]] = c[k];
            add_row(s, part->row[k], -c[k], s->rest);
        }
    }
    for (int i = 0; i < s->n; i++)
        value -= s->aim[i] * x[i];
    return value;
}

// Column j of the lower half, by row: from the diagonal on.
static double *column_of(const Search *s, int j)
{
    size_t n = (size_t)s->n, before = (size_t)j;
    return s->H + before * n - before * (before + 1) / 2;
}

static size_t half_size(int n)
{
    return (size_t)n * ((size_t)n + 1) / 2;
}

// H += D_kl J_k J_l'
static void add_product(Search *s, int k, int l, double factor)
{
    const PerpProblem *p = s->p;
    const double *J_k = p->J + s->value[k];
    for (int e = p->row_start[k]; e < p->row_start[k + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1];
             i++, J_k++) {
            const double *J_l = p->J + s->value[l];
            for (int f = p->row_start[l]; f < p->row_start[l + 1]; f++)
                for (int j = p->body_start[p->entry_body[f]];
                     j < p->body_start[p->entry_body[f] + 1]; j++, J_l++)
                    if (j <= i)
                        column_of(s, j)[i] += factor * *J_k * *J_l;
        }
}

static void fill_matrix(Search *s)
{
    double largest = 0;
    memset(s->H, 0, half_size(s->n) * sizeof(double));
    for (int i = 0; i < s->n_parts; i++) {
        const Part *part = &s->part[i];
        double z[3] = {0}, c[3], D[3][3];
        for (int k = 0; k < part->rows; k++)
            z[k] = s->z[part->row[k]];
        project(part, z, c, D);
        for (int k = 0; k < part->rows; k++)
            for (int l = 0; l < part->rows; l++)
                if (D[k][l] != 0)
                    add_product(s, part->row[k], part->row[l], D[k][l]);
    }
    for (int i = 0; i < s->n; i++)
        largest = fmax(largest, column_of(s, i)[i]);
    for (int i = 0; i < s->n; i++)
        column_of(s, i)[i] += DEFINITE * largest;
}

// H = L L' in place, and H step = rest; false if it is not positive definite
static bool solve(Search *s)
{
    int n = s->n;
    double *x = s->step;
    memcpy(x, s->rest, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        double *column = column_of(s, j);
        if (!(column[j] > 0))
            return false;
        double root = sqrt(column[j]);
        for (int i = j; i < n; i++)
            column[i] /= root;
        for (int k = j + 1; k < n; k++) {
            double factor = column[k], *other = column_of(s, k);
            for (int i = k; i < n && factor != 0; i++)
                other[i] -= factor * column[i];
        }
        x[j] /= column[j];
        for (int i = j + 1; i < n; i++)
            x[i] -= column[i] * x[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *column = column_of(s, j);
        for (int i = j + 1; i < n; i++)
            x[j] -= column[i] * x[i];
        x[j] /= column[j];
    }
    return true;
}

static double largest_of(const double *x, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

// Along the step, halved until the dual falls or, near the end, the rest does.
static bool go(Search *s, double *value, double *left)
{
    double slope = 0, part = 1;
    for (int i = 0; i < s->n; i++)
        slope -= s->rest[i] * s->step[i];
    for (int halving = 0; halving < HALVINGS; halving++, part /= 2) {
        for (int i = 0; i < s->n; i++)
            s->trial[i] = s->x[i] + part * s->step[i];
        double there = evaluate(s, s->trial), rest = largest_of(s->rest, s->n);
        if (there <= *value + 1e-4 * part * slope || rest < 0.5 * *left) {
            memcpy(s->x, s->trial, (size_t)s->n * sizeof(double));
            *value = there;
            *left = rest;
            return true;
        }
    }
    return false;
}

static bool search(Search *s)
{
    double scale = largest_of(s->aim, s->n), value = evaluate(s, s->x), left = scale;
    for (int k = 0; k < ITERATIONS && left > ENOUGH * scale; k++) {
        fill_matrix(s);
        if (!solve(s) || !go(s, &value, &left)) {
            evaluate(s, s->x);
            break;
        }
    }
    return left <= NEARLY * scale;
}

static bool take(PerpArena *arena, Search *s)
{
    int rows = perp_problem_rows(s->p);
    size_t n = (size_t)s->n;
    s->value = PERP_TAKE(arena, int, rows + 1);
    s->fixed = PERP_TAKE(arena, bool, rows);
    s->part = PERP_TAKE_RAW(arena, Part, s->p->n_joints + s->p->n_boxes + s->p->n_contacts);
    s->x = PERP_TAKE(arena, double, 5 * n);
    s->z = PERP_TAKE(arena, double, rows);
    s->H = PERP_TAKE_RAW(arena, double, half_size(s->n));
    if (!s->value || !s->fixed || !s->part || !s->x || !s->z || !s->H)
        return false;
    s->trial = s->x + n;
    s->step = s->trial + n;
    s->rest = s->step + n;
    s->aim = s->rest + n;
    for (int r = 0; r < rows; r++) {
        s->value[r + 1] = s->value[r];
        for (int e = s->p->row_start[r]; e < s->p->row_start[r + 1]; e++) {
            int body = s->p->entry_body[e];
            s->value[r + 1] += s->p->body_start[body + 1] - s->p->body_start[body];
        }
    }
    return true;
}

// aim = Mt v - b
static void find_momentum(Search *s)
{
    const PerpProblem *p = s->p;
    const double *Mt = p->Mt;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        for (int i = 0; i < n; i++) {
            s->aim[first + i] = -p->b[first + i];
            for (int j = 0; j < n; j++)
                s->aim[first + i] += Mt[i + n * j] * s->v[first + j];
        }
        Mt += n * n;
    }
}

bool perp_least_norm_rests(const PerpProblem *p, const double *v)
{
    return largest_of(v, perp_problem_velocities(p)) <= RESTS * fastest_free(p);
}

PerpLeastNorm perp_least_norm(PerpArena *arena, const PerpProblem *p, const double *v,
                              const double *c_0, double *c)
{
    int rows = perp_problem_rows(p);
    Search s = {.p = p, .v = v, .c_0 = c_0, .c = c, .n = perp_problem_velocities(p)};
    if (s.n > MOST_VELOCITIES)
        return PERP_LEAST_NORM_NONE;
    if (!take(arena, &s))
        return PERP_LEAST_NORM_MEMORY;
    if (!list_parts(&s))
        return PERP_LEAST_NORM_NONE;
    memcpy(c, c_0, (size_t)rows * sizeof *c);
    find_momentum(&s);
    for (int r = 0; r < rows; r++)
        if (s.fixed[r])
            add_row(&s, r, -c_0[r], s.aim);
    return search(&s) ? PERP_LEAST_NORM_FOUND : PERP_LEAST_NORM_NONE;
}
