#include "cones/least_norm.h"

#include "math/sparse/block_lu.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 6, ITERATIONS = 60, HALVINGS = 40, PIECES = 200 };
static const double DEAR = 5e4;        // products of blocks in a factorisation: not worth it
static const double HOLDING = 1e-6;    // of the free speeds: slower rows hold
static const double RESTS = 1e-8;      // likewise: slower bodies rest
static const double PRECISION = 1e-13; // of the impulses that bodies get
static const double NEARLY = 1e-10;    // likewise, where rounding ends the search
static const double DEFINITE = 1e-12;  // of the largest diagonal, added to all

// A constraint: an equation, a bounded row, a contact with all its friction groups, or the friction
// of a soft contact, whose normal impulse is unique.
typedef struct Part {
    enum { FREE, BOX, CONTACT, FRICTION } kind;
    int rows;            // how many
    int row;             // the first: of a contact its normal one
    int friction;        // the row of friction that comes next, the others follow
    int group, n_groups; // of a contact and of friction
    double normal;       // of friction: the impulse that bounds it
    double lo, hi;       // of a box
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
    double *z_part, *c_part, *q_part, *D;  // of the part at hand: rows; rows x rows
    double *step_blocks;                   // bodies * BLOCK
    PerpBlockLu H;                         // in blocks of bodies, the second derivative
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

static int row_of(const Part *part, int k)
{
    return k == 0 ? part->row : part->friction + k - 1;
}

static void add_part(Search *s, Part part)
{
    for (int k = 0; k < part.rows; k++)
        s->fixed[row_of(&part, k)] = false;
    s->part[s->n_parts++] = part;
}

// A contact with its groups.
static void add_contact(Search *s, int contact, int group, int n_groups, double slow)
{
    const PerpProblem *p = s->p;
    int normal = p->n_joints + p->n_boxes + contact;
    int first = n_groups > 0 ? p->group_start[group] : 0;
    int last = n_groups > 0 ? p->group_start[group + n_groups] : 0;
    int friction = p->n_joints + p->n_boxes + p->n_contacts + first;
    Part part = {.kind = CONTACT,
                 .rows = 1 + last - first,
                 .row = normal,
                 .friction = friction,
                 .group = group,
                 .n_groups = n_groups};
    bool holds = speed(s, normal) <= slow;
    for (int k = 1; k < part.rows; k++)
        holds = holds && fabs(speed(s, row_of(&part, k))) <= slow;
    if (is_compliant(p, normal)) {
        part.kind = FRICTION;
        part.rows--;
        part.row = friction;
        part.friction++;
        part.normal = fmax(0, s->c_0[normal]);
    }
    if (holds && part.rows > 0)
        add_part(s, part);
}

static void list_parts(Search *s)
{
    const PerpProblem *p = s->p;
    double slow = HOLDING * fastest_free(p);
    for (int r = 0; r < perp_problem_rows(p); r++)
        s->fixed[r] = true;
    for (int r = 0; r < p->n_joints; r++)
        if (!is_compliant(p, r))
            add_part(s, (Part){.kind = FREE, .rows = 1, .row = r});
    for (int i = 0; i < p->n_boxes; i++) {
        int r = p->n_joints + i;
        if (!is_compliant(p, r) && fabs(speed(s, r)) <= slow)
            add_part(s, (Part){.kind = BOX, .rows = 1, .row = r, .lo = p->lo[i], .hi = p->hi[i]});
    }
    for (int i = 0, g = 0, next; i < p->n_contacts; i++, g = next) {
        for (next = g; next < p->n_groups && p->group_contact[next] == i;)
            next++;
        add_contact(s, i, g, next - g, slow);
    }
}

// --- projection and its derivative --------------------------------------------------------------
//
// Of a contact: the impulses c = (t, x_g) nearest to z = (n, z_g) with t >= 0 and, for each
// friction group, |x_g| <= s_g or, of a polygon's directions, x_g >= 0, sum x_g <= s_g, where s_g =
// mu_g t + cohesion_g. With the multiplier tau_g >= 0 of that,
//
//     t = n + sum mu_g tau_g(s_g),   tau = max(0, |z| - s)   or   sum max(0, z_i - tau) = s
//
// whose right side is convex and falls in t, piece by piece linear.

static bool is_circular(const PerpProblem *p, int g)
{
    return p->group_circular && p->group_circular[g];
}

static double norm(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// tau with sum max(0, z_i - tau) = s, the set of what is left shrinking [Michelot 1986]; active:
// its size, 0 if tau is 0.
static double simplex_multiplier(int n, const double *z, double s, int *active)
{
    double tau = 0;
    *active = 0;
    for (;;) {
        double sum = -s;
        int left = 0;
        for (int i = 0; i < n; i++)
            if (z[i] > 0 && z[i] >= tau) {
                sum += z[i];
                left++;
            }
        if (!(sum > 0) || left == *active)
            return tau;
        tau = sum / left;
        *active = left;
    }
}

static double multiplier(const PerpProblem *p, int g, const double *z, double s, int *active)
{
    int n = p->group_start[g + 1] - p->group_start[g];
    if (!is_circular(p, g))
        return simplex_multiplier(n, z, s, active);
    double tau = norm(n, z) - s;
    *active = tau > 0;
    return fmax(tau, 0);
}

// Newton's method from t = 0 on, which passes the pieces upwards.
static double normal_impulse(const PerpProblem *p, const Part *part, const double *z)
{
    double t = 0;
    for (int k = 0; k < PIECES; k++) {
        double excess = z[0] - t, slope = 1;
        const double *z_g = z + 1;
        for (int g = part->group; g < part->group + part->n_groups; g++) {
            int active;
            excess += p->mu[g] * multiplier(p, g, z_g, p->mu[g] * t + p->cohesion[g], &active);
            slope += active > 0 ? p->mu[g] * p->mu[g] / active : 0;
            z_g += p->group_start[g + 1] - p->group_start[g];
        }
        if (!(excess > 0) || t + excess / slope == t)
            break;
        t += excess / slope;
    }
    return t;
}

// x_g; its derivative by z_g with t held into a block of D, that of mu tau into q. Returns minus
// the derivative of mu tau by t.
static double project_group(const PerpProblem *p, int g, double s, const double *z, double *x,
                            double *q, double *D, int stride)
{
    int n = p->group_start[g + 1] - p->group_start[g], active;
    double tau = multiplier(p, g, z, s, &active), length = norm(n, z);
    bool circular = is_circular(p, g), bound = active > 0;
    double shrink = circular && bound ? s / length : 1;
    for (int i = 0; i < n; i++) {
        bool works = circular || z[i] >= tau;
        double w = !bound || !works ? 0 : circular ? z[i] / length : 1;
        x[i] = circular ? shrink * z[i] : fmax(0, z[i] - tau);
        q[i] = bound ? p->mu[g] * w / active : 0;
        for (int j = 0; j < n; j++) {
            bool both = works && (circular || z[j] >= tau);
            double w_j = circular ? z[j] / (length > 0 ? length : 1) : 1;
            D[stride * i + j] = both ? shrink * ((i == j) - (bound ? w * w_j / active : 0)) : 0;
        }
    }
    return bound ? p->mu[g] * p->mu[g] / active : 0;
}

// The groups of a contact of which the first row is `at`; 1 minus the derivative of all mu tau by
// t.
static double project_groups(Search *s, const Part *part, double t, int at)
{
    const PerpProblem *p = s->p;
    int n = part->rows;
    double A = 1;
    memset(s->D, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int g = part->group; g < part->group + part->n_groups; g++) {
        A += project_group(p, g, p->mu[g] * t + p->cohesion[g], s->z_part + at, s->c_part + at,
                           s->q_part + at, s->D + n * at + at, n);
        at += p->group_start[g + 1] - p->group_start[g];
    }
    return A;
}

static void project_contact(Search *s, const Part *part)
{
    const double *z = s->z_part;
    double *c = s->c_part, *q = s->q_part, *D = s->D;
    int n = part->rows;
    c[0] = normal_impulse(s->p, part, z);
    double A = project_groups(s, part, c[0], 1);
    q[0] = c[0] > 0 || z[0] >= 0; // at kinks what holds
    // D = q q'/A + blocks
    for (int i = 0; i < n && q[0] > 0; i++)
        for (int j = 0; j < n; j++)
            D[n * i + j] += q[i] * q[j] / A;
}

// c_part = P(z_part) and D, its derivative.
static void project(Search *s, const Part *part)
{
    if (part->kind == CONTACT || part->kind == FRICTION) {
        if (part->kind == CONTACT)
            project_contact(s, part);
        else
            project_groups(s, part, part->normal, 0);
        return;
    }
    double z = s->z_part[0];
    s->c_part[0] = part->kind == BOX ? fmin(fmax(z, part->lo), part->hi) : z;
    s->D[0] = s->c_part[0] == z;
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
    const double *z = s->z_part, *c = s->c_part;
    double value = 0;
    memcpy(s->rest, s->aim, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->n_parts; i++) {
        const Part *part = &s->part[i];
        for (int k = 0; k < part->rows; k++)
            s->z_part[k] = s->z[row_of(part, k)] = row_times(s, row_of(part, k), x);
        project(s, part);
        for (int k = 0; k < part->rows; k++) {
            value += c[k] * (z[k] - c[k] / 2);
            s->c[row_of(part, k)] = c[k];
            add_row(s, row_of(part, k), -c[k], s->rest);
        }
    }
    for (int i = 0; i < s->n; i++)
        value -= s->aim[i] * x[i];
    return value;
}

// The numbers a, b of the block of bodies i and j, which stands once.
static double *number_of(const Search *s, int i, int j, int a, int b)
{
    const int *place = s->H.pattern->place;
    bool transposed;
    if (place[i] > place[j])
        return number_of(s, j, i, b, a);
    double *block = perp_block_lu_block(&s->H, i, j, &transposed);
    return block + b + s->H.pad * a;
}

// H_ij += factor J_ki' J_lj of two entries
static void add_block(Search *s, int i, int j, const double *J_i, const double *J_j, double factor)
{
    const int *start = s->p->body_start, *place = s->H.pattern->place;
    if (place[i] > place[j])
        return; // comes with k and l exchanged
    double *to = number_of(s, i, j, 0, 0);
    for (int a = 0; a < start[i + 1] - start[i]; a++)
        for (int b = 0; b < start[j + 1] - start[j]; b++)
            to[b + s->H.pad * a] += factor * J_i[a] * J_j[b];
}

// H += D_kl J_k' J_l
static void add_product(Search *s, int k, int l, double factor)
{
    const PerpProblem *p = s->p;
    const int *start = p->body_start, *body = p->entry_body;
    const double *J_k = p->J + s->value[k];
    for (int e = p->row_start[k]; e < p->row_start[k + 1]; e++) {
        const double *J_l = p->J + s->value[l];
        for (int f = p->row_start[l]; f < p->row_start[l + 1]; f++) {
            add_block(s, body[e], body[f], J_k, J_l, factor);
            J_l += start[body[f] + 1] - start[body[f]];
        }
        J_k += start[body[e] + 1] - start[body[e]];
    }
}

// What bodies with fewer velocities lack gets a 1.
static void make_definite(Search *s)
{
    double largest = 0;
    for (int k = 0; k < s->p->n_bodies; k++)
        for (int i = 0; i < BLOCK; i++)
            largest = fmax(largest, *number_of(s, k, k, i, i));
    for (int k = 0; k < s->p->n_bodies; k++) {
        int n = s->p->body_start[k + 1] - s->p->body_start[k];
        for (int i = 0; i < BLOCK; i++)
            *number_of(s, k, k, i, i) += i < n ? DEFINITE * largest : 1;
    }
}

static void fill_matrix(Search *s)
{
    perp_block_lu_clear(&s->H);
    for (int i = 0; i < s->n_parts; i++) {
        const Part *part = &s->part[i];
        for (int k = 0; k < part->rows; k++)
            s->z_part[k] = s->z[row_of(part, k)];
        project(s, part);
        for (int k = 0; k < part->rows; k++)
            for (int l = 0; l < part->rows; l++)
                if (s->D[part->rows * k + l] != 0)
                    add_product(s, row_of(part, k), row_of(part, l), s->D[part->rows * k + l]);
    }
    make_definite(s);
}

// H step = rest; false if H is singular
static bool solve(Search *s)
{
    const int *start = s->p->body_start;
    double *x = s->step_blocks;
    if (!perp_block_lu_factor(&s->H))
        return false;
    memset(x, 0, (size_t)(BLOCK * s->p->n_bodies) * sizeof(double));
    for (int k = 0; k < s->p->n_bodies; k++)
        for (int i = start[k]; i < start[k + 1]; i++)
            x[BLOCK * k + i - start[k]] = s->rest[i];
    perp_block_lu_solve(&s->H, x);
    for (int k = 0; k < s->p->n_bodies; k++)
        for (int i = start[k]; i < start[k + 1]; i++)
            s->step[i] = x[BLOCK * k + i - start[k]];
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

// scale: the impulses of the bodies, of which `aim` is what the parts give
static bool search(Search *s, double scale)
{
    double value = evaluate(s, s->x), left = largest_of(s->rest, s->n);
    for (int k = 0; k < ITERATIONS && left > PRECISION * scale; k++) {
        fill_matrix(s);
        if (!solve(s) || !go(s, &value, &left)) {
            evaluate(s, s->x);
            break;
        }
    }
    return left <= NEARLY * scale;
}

// Rows of the contact that has most.
static int largest_part(const PerpProblem *p)
{
    int largest = 1;
    for (int g = 0, first = 0; g < p->n_groups; g++) {
        if (p->group_contact[g] != p->group_contact[first])
            first = g;
        int rows = 1 + p->group_start[g + 1] - p->group_start[first];
        largest = rows > largest ? rows : largest;
    }
    return largest;
}

static bool take(PerpArena *arena, Search *s)
{
    int rows = perp_problem_rows(s->p), most = largest_part(s->p);
    size_t n = (size_t)s->n;
    s->z_part = PERP_TAKE(arena, double, most *(3 + most));
    s->value = PERP_TAKE(arena, int, rows + 1);
    s->fixed = PERP_TAKE(arena, bool, rows);
    s->part = PERP_TAKE_RAW(arena, Part, s->p->n_joints + s->p->n_boxes + s->p->n_contacts);
    s->x = PERP_TAKE(arena, double, 5 * n);
    s->z = PERP_TAKE(arena, double, rows);
    s->step_blocks = PERP_TAKE_RAW(arena, double, BLOCK * s->p->n_bodies);
    if (!s->z_part || !s->value || !s->fixed || !s->part || !s->x || !s->z || !s->step_blocks)
        return false;
    s->c_part = s->z_part + most;
    s->q_part = s->c_part + most;
    s->D = s->q_part + most;
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

// Bodies that share a part, one pair after the other; NULL: only counts them.
static int list_pairs(const Search *s, int *i, int *j)
{
    const PerpProblem *p = s->p;
    int pairs = 0;
    for (int k = 0; k < s->n_parts; k++)
        for (int a = 0; a < s->part[k].rows; a++) {
            int first = row_of(&s->part[k], 0), row = row_of(&s->part[k], a);
            for (int e = p->row_start[first]; e < p->row_start[first + 1]; e++)
                for (int f = p->row_start[row]; f < p->row_start[row + 1]; f++) {
                    if (p->entry_body[e] == p->entry_body[f])
                        continue;
                    if (i) {
                        i[pairs] = p->entry_body[e];
                        j[pairs] = p->entry_body[f];
                    }
                    pairs++;
                }
        }
    return pairs;
}

// The pattern of H, not its numbers.
static bool find_pattern(PerpArena *arena, Search *s, PerpBlockPattern *pattern)
{
    int pairs = list_pairs(s, NULL, NULL);
    int *i = PERP_TAKE_RAW(arena, int, pairs), *j = PERP_TAKE_RAW(arena, int, pairs);
    if (!i || !j)
        return false;
    list_pairs(s, i, j);
    return perp_block_pattern_find(arena, s->p->n_bodies, pairs, i, j, pattern);
}

static bool has_large_bodies(const PerpProblem *p)
{
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body_start[k + 1] - p->body_start[k] > BLOCK)
            return true;
    return false;
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
    PerpBlockPattern pattern;
    if (has_large_bodies(p))
        return PERP_LEAST_NORM_NONE;
    if (!take(arena, &s))
        return PERP_LEAST_NORM_MEMORY;
    list_parts(&s);
    if (!find_pattern(arena, &s, &pattern))
        return PERP_LEAST_NORM_MEMORY;
    if (pattern.work > DEAR)
        return PERP_LEAST_NORM_NONE;
    if (!perp_block_lu_take(arena, &pattern, BLOCK, &s.H))
        return PERP_LEAST_NORM_MEMORY;
    s.H.symmetric = true;
    memcpy(c, c_0, (size_t)rows * sizeof *c);
    find_momentum(&s);
    double scale = largest_of(s.aim, s.n);
    for (int r = 0; r < rows; r++)
        if (s.fixed[r])
            add_row(&s, r, -c_0[r], s.aim);
    scale = fmax(scale, largest_of(s.aim, s.n));
    return search(&s, scale) ? PERP_LEAST_NORM_FOUND : PERP_LEAST_NORM_NONE;
}
