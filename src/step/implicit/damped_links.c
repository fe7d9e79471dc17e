// Links of the damped trapezoidal scheme: docs/theory/pagt06.md.

#include "step/implicit/damped_links.h"

#include "math/dense.h"
#include "math/union_find.h"

#include <string.h>

static const double STIFF = 0.5;     // s or r of a link whose motion the step cannot resolve
static const double AGITATED = 1e-4; // of the island's energy, in one stiff link

static PerpDamping mix(double s, double r, double h)
{
    return (PerpDamping){
        .s = s, .r = r, .a = -h * (1 - s) / 4, .b = h * (1 + 3 * s) / 4, .theta = (1 + r) / 2};
}

// 1/m = g'M^-1 g
static PerpDamping damping_of(const PerpSimulation *sim, const PerpBlockDiagonal *mass,
                              const PerpLinks *links, int i, double h, double *x)
{
    int n = sim->n_v;
    memset(x, 0, 2 * (size_t)n * sizeof(double));
    perp_block_rows_add_row(&links->gradient, i, 1, x);
    memcpy(x + n, x, (size_t)n * sizeof(double));
    for (int e = links->gradient.row_start[i]; e < links->gradient.row_start[i + 1]; e++) {
        int block = links->gradient.entry_body[e];
        perp_block_diagonal_solve_block(mass, block, x + mass->start[block]);
    }
    double mobility = perp_dot(n, x, x + n);
    mobility /= 1 + (links->inertia ? links->inertia[i] : 0) * mobility;
    double u = perp_block_rows_dot(&links->gradient, i, sim->state.v);
    double z = h * h * links->stiffness[i] * mobility, y = h * links->damping[i] * mobility;
    PerpDamping damping = mix(z / (4 + z), y / (6 + y), h);
    damping.agitation = mobility > 0 ? u * u / mobility : 0;
    return damping;
}

bool perp_damping_find(PerpSimulation *sim, const PerpStage *stage, const PerpImplicit *im,
                       PerpDamping *damping)
{
    const PerpProblem *p = &stage->rows.problem;
    int *value_start = PERP_TAKE(&sim->arena, int, p->n_bodies + 1);
    int *pivot = PERP_TAKE(&sim->arena, int, im->n);
    double *LU = PERP_TAKE(&sim->arena, double, im->values);
    double *x = PERP_TAKE(&sim->arena, double, 2 * im->n);
    if (!value_start || !pivot || !LU || !x)
        return false;
    perp_block_diagonal_value_start(p->n_bodies, p->body_start, value_start);
    PerpBlockDiagonal mass = {p->n_bodies, p->body_start, value_start, LU, pivot};
    if (perp_block_diagonal_factor(&mass, p->Mt) >= 0)
        return false;
    for (int i = 0; i < im->links.count; i++)
        damping[i] = damping_of(sim, &mass, &im->links, i, stage->h, x);
    return true;
}

// --- islands that take a step of the backward Euler rule ----------------------------------------

static void unite_rows(int n_rows, const int *row_start, const int *entry_body, int *parent)
{
    for (int r = 0; r < n_rows; r++)
        for (int e = row_start[r] + 1; e < row_start[r + 1]; e++)
            perp_unite(parent, entry_body[e - 1], entry_body[e]);
}

// Marks the islands with a stiff link that moves: more than AGITATED of the island's energy.
static void mark_agitated(const PerpSimulation *sim, const PerpStage *stage, const PerpLinks *links,
                          const PerpDamping *damping, int *parent, double *energy, bool *marked)
{
    for (int k = 0; k < stage->rows.problem.n_bodies; k++)
        energy[perp_find_root(parent, k)] += 2 * perp_stage_block_kinetic(stage, k, sim->state.v);
    for (int i = 0; i < links->count; i++) {
        if (links->gradient.row_start[i] == links->gradient.row_start[i + 1])
            continue;
        int root = perp_find_root(parent, links->gradient.entry_body[links->gradient.row_start[i]]);
        bool stiff = damping[i].s > STIFF || damping[i].r > STIFF;
        marked[root] = marked[root] || (stiff && damping[i].agitation > AGITATED * energy[root]);
    }
}

// Links of marked islands get the backward Euler rule, their bodies lead = 1.
bool perp_damping_calm(PerpSimulation *sim, const PerpStage *stage, const PerpLinks *links,
                       PerpDamping *damping, double *lead)
{
    const PerpProblem *p = &stage->rows.problem;
    int *parent = PERP_TAKE(&sim->arena, int, p->n_bodies);
    double *energy = PERP_TAKE(&sim->arena, double, p->n_bodies);
    bool *marked = PERP_TAKE(&sim->arena, bool, p->n_bodies);
    if (!parent || !energy || !marked)
        return false;
    for (int k = 0; k < p->n_bodies; k++)
        parent[k] = k;
    unite_rows(links->count, links->gradient.row_start, links->gradient.entry_body, parent);
    unite_rows(perp_problem_rows(p), p->row_start, p->entry_body, parent);
    mark_agitated(sim, stage, links, damping, parent, energy, marked);
    for (int k = 0; k < p->n_bodies; k++)
        for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
            lead[i] = marked[perp_find_root(parent, k)] ? 1 : 0.5;
    for (int i = 0; i < links->count; i++) {
        int e = links->gradient.row_start[i];
        if (e < links->gradient.row_start[i + 1] &&
            marked[perp_find_root(parent, links->gradient.entry_body[e])]) {
            damping[i].a = -stage->h / 2;
            damping[i].b = stage->h;
            damping[i].theta = 1;
        }
    }
    return true;
}

// Mt += (h gamma b + h delta theta + I) g g', and the rest of the link's impulse to b.
void perp_damping_add(const PerpSimulation *sim, const PerpImplicit *im, const PerpDamping *damping,
                      double h, double *scratch, double *Mt, double *b)
{
    const PerpLinks *links = &im->links;
    memset(scratch, 0, 2 * (size_t)im->n * sizeof(double));
    for (int i = 0; i < links->count; i++) {
        const PerpDamping *d = &damping[i];
        double gamma = links->stiffness[i], delta = links->damping[i];
        double u = perp_block_rows_dot(&links->gradient, i, sim->state.v);
        double inertia = links->inertia ? links->inertia[i] : 0;
        double tension = gamma * (links->psi[i] + d->a * u) + delta * (1 - d->theta) * u;
        perp_clusters_add_square(&im->clusters, h * gamma * d->b + h * delta * d->theta + inertia,
                                 &links->gradient, i, Mt);
        perp_block_rows_add_row(&links->gradient, i, inertia * u - h * tension, scratch);
    }
    perp_clusters_gather(&im->clusters, scratch, scratch + im->n);
    perp_axpy(im->n, 1, scratch + im->n, b);
}

void perp_damping_impulse(const PerpImplicit *im, const PerpDamping *damping,
                          const PerpStage *stage, double *impulse)
{
    const PerpLinks *links = &im->links;
    for (int i = 0; i < links->count; i++) {
        double u = perp_block_rows_dot(&links->gradient, i, stage->before);
        double u_new = perp_block_rows_dot(&links->gradient, i, stage->v);
        double speed = u + damping[i].theta * (u_new - u);
        perp_block_rows_add_row(&links->gradient, i, -stage->h * links->damping[i] * speed,
                                impulse);
    }
}
