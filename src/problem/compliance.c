#include "problem/compliance.h"

#include <math.h>
#include <string.h>

int perp_compliance_count(const PerpProblem *p)
{
    int count = 0, rows = p->compliance ? perp_problem_rows(p) : 0;
    for (int r = 0; r < rows; r++)
        count += p->compliance[r] > 0;
    return count;
}

typedef struct Expansion {
    const PerpProblem *p;
    int *of_row;     // rows: the body that is added to each, -1: none
    int *mass_start; // bodies: into Mt
    int soft;        // bodies that are added
    int more;        // entries that are added
    int masses;      // numbers of Mt
} Expansion;

// Friction acts on the body of its normal, with 0: cones have the same bodies in all their rows.
static void share_with_friction(Expansion *x)
{
    const PerpProblem *p = x->p;
    int contacts = p->n_joints + p->n_boxes, directions = contacts + p->n_contacts;
    for (int g = 0; g < p->n_groups; g++)
        for (int k = p->group_start[g]; k < p->group_start[g + 1]; k++) {
            x->of_row[directions + k] = x->of_row[contacts + p->group_contact[g]];
            x->more += x->of_row[directions + k] >= 0;
        }
}

static bool begin(PerpArena *arena, const PerpProblem *p, Expansion *x)
{
    int rows = perp_problem_rows(p);
    *x = (Expansion){.p = p,
                     .of_row = PERP_TAKE_RAW(arena, int, rows),
                     .mass_start = PERP_TAKE_RAW(arena, int, p->n_bodies)};
    if (!x->of_row || !x->mass_start)
        return false;
    for (int r = 0; r < rows; r++)
        x->of_row[r] = p->compliance[r] > 0 ? p->n_bodies + x->soft++ : -1;
    x->more = x->soft;
    share_with_friction(x);
    for (int k = 0; k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        x->mass_start[k] = x->masses;
        x->masses += n * n;
    }
    return true;
}

// Mt of the bodies that are added is filled in with their rows.
static bool add_bodies(PerpArena *arena, const Expansion *x, PerpProblem *rigid, double **mass)
{
    const PerpProblem *p = x->p;
    int n = p->n_bodies, velocities = perp_problem_velocities(p);
    int *body_start = PERP_TAKE_RAW(arena, int, n + x->soft + 1);
    double *Mt = PERP_TAKE_RAW(arena, double, x->masses + x->soft);
    double *b = PERP_TAKE(arena, double, velocities + x->soft);
    if (!body_start || !Mt || !b)
        return false;
    memcpy(body_start, p->body_start, (size_t)(n + 1) * sizeof(int));
    for (int k = 0; k < x->soft; k++)
        body_start[n + k + 1] = velocities + k + 1;
    memcpy(Mt, p->Mt, (size_t)x->masses * sizeof(double));
    memcpy(b, p->b, (size_t)velocities * sizeof(double));
    rigid->n_bodies = n + x->soft;
    rigid->body_start = body_start;
    rigid->Mt = Mt;
    rigid->b = b;
    *mass = Mt + x->masses - n; // by number of the body
    return true;
}

// sum J_i^2/Mt_ii of an entry: about the inverse mass of a row
static double mobility(const Expansion *x, int body, const double *J)
{
    int n = x->p->body_start[body + 1] - x->p->body_start[body];
    const double *Mt = x->p->Mt + x->mass_start[body];
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += Mt[(n + 1) * i] > 0 ? J[i] * J[i] / Mt[(n + 1) * i] : 0;
    return sum;
}

// Any m serves; that which the row moves keeps the range of masses as it is.
static void add_rows(const Expansion *x, int *row_start, int *entry_body, double *J, double *mass)
{
    const PerpProblem *p = x->p;
    const double *from = p->J;
    int at = 0;
    for (int r = 0; r < perp_problem_rows(p); r++) {
        double W = 0;
        row_start[r] = at;
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
            int body = p->entry_body[e], n = p->body_start[body + 1] - p->body_start[body];
            W += p->compliance[r] > 0 ? mobility(x, body, from) : 0;
            memcpy(J, from, (size_t)n * sizeof(double));
            entry_body[at++] = body;
            J += n;
            from += n;
        }
        if (x->of_row[r] < 0)
            continue;
        entry_body[at++] = x->of_row[r];
        *J++ = W > 0 ? sqrt(p->compliance[r] / W) : sqrt(p->compliance[r]);
        if (p->compliance[r] > 0)
            mass[x->of_row[r]] = W > 0 ? 1 / W : 1;
    }
    row_start[perp_problem_rows(p)] = at;
}

bool perp_compliance_expand(PerpArena *arena, const PerpProblem *p, PerpProblem *rigid)
{
    Expansion x;
    int rows = perp_problem_rows(p), entries = p->row_start[rows], values = 0;
    double *mass;
    *rigid = *p;
    rigid->compliance = NULL;
    for (int e = 0; e < entries; e++)
        values += p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
    if (!begin(arena, p, &x) || !add_bodies(arena, &x, rigid, &mass))
        return false;
    int *row_start = PERP_TAKE_RAW(arena, int, rows + 1);
    int *entry_body = PERP_TAKE_RAW(arena, int, entries + x.more);
    double *J = PERP_TAKE_RAW(arena, double, values + x.more);
    if (!row_start || !entry_body || !J)
        return false;
    add_rows(&x, row_start, entry_body, J, mass);
    rigid->row_start = row_start;
    rigid->entry_body = entry_body;
    rigid->J = J;
    return true;
}
