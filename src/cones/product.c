#include "cones/product.h"

#include "cones/cone.h"

#include "math/small_solve.h"

#include <math.h>
#include <string.h>

enum { MOST = PERP_PRODUCT_NUMBERS, PASSES = 100 };

static PerpProductGroup group_of(const PerpConeProblem *cones, const PerpConstraint *constraint,
                                 int k, int first, int n)
{
    double slope = constraint->cone == &perp_cone_coupled ? constraint->slope[k] : 1;
    return (PerpProductGroup){first, n, slope, constraint->facets[k],
                              cones->facet + constraint->facet[k]};
}

PerpProductCone perp_product_cone(const PerpConeProblem *cones, int constraint)
{
    const PerpConstraint *own = &cones->constraint[constraint];
    const PerpConstraint *coupled = constraint < 2 * cones->n_coupled ? own + 1 : NULL;
    PerpProductCone cone = {3, 1, {group_of(cones, own, 0, 1, 2)}, own->floor};
    if (!coupled)
        return cone;
    cone.n = MOST;
    cone.n_groups = coupled->other < 0 ? 2 : 3;
    cone.group[1] = group_of(cones, coupled, 0, 3, coupled->split);
    cone.group[2] = group_of(cones, coupled, 1, 3 + coupled->split, 3 - coupled->split);
    return cone;
}

// --- one group ----------------------------------------------------------------------------------

static double length_of(const PerpProductGroup *g, const double *y)
{
    return sqrt(perp_small_dot(g->n, y, y));
}

// s(u) = -w'u
static double slip_of(const PerpProductGroup *g, const double *u)
{
    int at;
    return g->facets > 0 ? perp_facets_slip(g->facets, g->facet, u, &at)
                         : g->slope * length_of(g, u);
}

// w, the point of P that dissipates most
static void find_best(const PerpProductGroup *g, const double *u, double w[2])
{
    int at = 0;
    double length = length_of(g, u);
    if (g->facets > 0)
        perp_facets_slip(g->facets, g->facet, u, &at);
    for (int i = 0; i < 2; i++)
        w[i] = g->facets > 0            ? g->facet[at].p[i]
               : i < g->n && length > 0 ? -g->slope * u[i] / length
                                        : 0;
}

// Where the point of height P lies that is nearest to y: at y, on the circle or on a vertex at
// height w, or on an edge of the normal w, of offset |w|.
typedef struct Piece {
    bool outside, on_edge;
    double w[2];
} Piece;

static Piece piece_of_disc(const PerpProductGroup *g, const double *y, double height)
{
    double length = length_of(g, y);
    Piece piece = {.outside = length > g->slope * fmax(height, 0)};
    for (int i = 0; i < g->n && piece.outside; i++)
        piece.w[i] = g->slope * y[i] / length;
    return piece;
}

static Piece piece_of_vertex(const double *p)
{
    return (Piece){.outside = true, .w = {p[0], p[1]}};
}

// The edge that y is farthest beyond, and if y is beyond one of its ends the next vertex or edge.
static Piece piece_of_polygon(const PerpProductGroup *g, const double *y, double height)
{
    int n = g->facets, at = 0;
    double nearest = INFINITY, beyond = -INFINITY;
    Piece piece = {false, false, {0, 0}};
    if (!(height > 0)) { // of a polygon that begins to grow the vertex that is farthest along y
        double back[2] = {-y[0], -y[1]};
        perp_facets_slip(n, g->facet, back, &at);
        return piece_of_vertex(g->facet[at].p);
    }
    for (int k = 0; k < n; k++) {
        const PerpFacet *f = &g->facet[k], *next = &g->facet[(k + 1) % n];
        double excess = perp_small_dot(2, f->normal, y) - height * f->offset;
        beyond = fmax(beyond, excess);
        if (excess <= 0)
            continue;
        double edge[2] = {next->p[0] - f->p[0], next->p[1] - f->p[1]};
        double from[2] = {y[0] - height * f->p[0], y[1] - height * f->p[1]};
        double along = perp_small_dot(2, edge, from) / (height * perp_small_dot(2, edge, edge));
        const double *end = along < 0 ? f->p : next->p;
        double far[2] = {y[0] - height * end[0], y[1] - height * end[1]};
        bool on_edge = along >= 0 && along <= 1;
        double distance = on_edge ? excess : sqrt(perp_small_dot(2, far, far));
        if (distance >= nearest)
            continue;
        nearest = distance;
        piece = on_edge ? (Piece){true, true, {f->offset * f->normal[0], f->offset * f->normal[1]}}
                        : piece_of_vertex(end);
    }
    piece.outside = beyond > 0;
    return piece;
}

static Piece find_piece(const PerpProductGroup *g, const double *y, double height)
{
    return g->facets > 0 ? piece_of_polygon(g, y, height) : piece_of_disc(g, y, height);
}

// --- the cone -----------------------------------------------------------------------------------

double perp_product_slip(const PerpProductCone *cone, const double *u)
{
    double sum = 0;
    for (int k = 0; k < cone->n_groups; k++)
        sum += slip_of(&cone->group[k], u + cone->group[k].first);
    return sum;
}

void perp_product_slope(const PerpProductCone *cone, const double *u, double *slope)
{
    double w[2];
    memset(slope, 0, (size_t)cone->n * sizeof(double));
    for (int k = 0; k < cone->n_groups; k++) {
        find_best(&cone->group[k], u + cone->group[k].first, w);
        for (int i = 0; i < cone->group[k].n; i++)
            slope[cone->group[k].first + i] = -w[i];
    }
}

// The x_n that minimises (x_n - y_n)^2 + sum over groups of the squared distance of y_g from x_n
// P_g. While all groups stay on their pieces it is a mean of y_n and of w'y_g; from y_n upwards, as
// in Newton's method on a concave function, it rises until they do. *weight: what the mean is
// divided by; 0 if the floor holds x_n up.
static double find_height(const PerpProductCone *cone, const double *y, Piece *piece,
                          double *weight)
{
    double height = y[0];
    for (int pass = 0; pass < PASSES; pass++) {
        double sum = y[0], before = height;
        *weight = 1;
        for (int k = 0; k < cone->n_groups; k++) {
            const PerpProductGroup *g = &cone->group[k];
            piece[k] = find_piece(g, y + g->first, height);
            if (piece[k].outside) {
                sum += perp_small_dot(g->n, piece[k].w, y + g->first);
                *weight += perp_small_dot(g->n, piece[k].w, piece[k].w);
            }
        }
        height = sum / *weight;
        if (!(height > before))
            break;
    }
    if (height > cone->floor)
        return height;
    for (int k = 0; k < cone->n_groups; k++)
        piece[k] = find_piece(&cone->group[k], y + cone->group[k].first, cone->floor);
    *weight = 0;
    return cone->floor;
}

// The derivative of the height.
static void find_rise(const PerpProductCone *cone, const Piece *piece, double weight, double *rise)
{
    memset(rise, 0, MOST * sizeof(double));
    if (weight == 0)
        return;
    rise[0] = 1 / weight;
    for (int k = 0; k < cone->n_groups; k++)
        for (int i = 0; i < cone->group[k].n && piece[k].outside; i++)
            rise[cone->group[k].first + i] = piece[k].w[i] / weight;
}

// x of a group: y, height w, or the foot of y on the edge
static void place_group(const PerpProductGroup *g, const Piece *piece, const double *y,
                        double height, double *x)
{
    double square = perp_small_dot(g->n, piece->w, piece->w);
    double back = piece->on_edge ? perp_small_dot(g->n, piece->w, y) / square - height : 0;
    for (int i = 0; i < g->n; i++)
        x[i] = !piece->outside  ? y[i]
               : piece->on_edge ? y[i] - back * piece->w[i]
                                : height * piece->w[i];
}

// dx of a group: with the height along w, and where y may move: everywhere inside, along an edge,
// around a disc.
static void differentiate_group(const PerpProductCone *cone, int k, const Piece *piece,
                                const double *y, double height, const double *rise, double *dP)
{
    const PerpProductGroup *g = &cone->group[k];
    double square = perp_small_dot(g->n, piece->w, piece->w), length = length_of(g, y);
    double free = !piece->outside || piece->on_edge ? 1
                  : g->facets > 0                   ? 0
                                                    : g->slope * height / length;
    for (int i = 0; i < g->n; i++) {
        double *row = dP + cone->n * (g->first + i);
        for (int j = 0; j < cone->n && piece->outside; j++)
            row[j] = piece->w[i] * rise[j];
        for (int j = 0; j < g->n; j++) {
            double across = piece->outside ? piece->w[i] * piece->w[j] / square : 0;
            row[g->first + j] += free > 0 ? free * ((i == j) - across) : 0;
        }
    }
}

// The same for discs alone, which is asked for most: their lengths are needed once.
static void project_on_discs(const PerpProductCone *cone, const double *y, double *P)
{
    double length[PERP_PRODUCT_GROUPS], height = y[0], before;
    for (int k = 0; k < cone->n_groups; k++)
        length[k] = length_of(&cone->group[k], y + cone->group[k].first);
    do {
        double sum = y[0], weight = 1, rim = height > 0 ? height : 0;
        before = height;
        for (int k = 0; k < cone->n_groups; k++) {
            double slope = length[k] > cone->group[k].slope * rim ? cone->group[k].slope : 0;
            sum += slope * length[k];
            weight += slope * slope;
        }
        height = sum / weight;
    } while (height > before);
    P[0] = height = height > cone->floor ? height : cone->floor;
    for (int k = 0; k < cone->n_groups; k++) {
        const PerpProductGroup *g = &cone->group[k];
        double most = g->slope * height, shrink = length[k] > most ? most / length[k] : 1;
        for (int i = g->first; i < g->first + g->n; i++)
            P[i] = shrink * y[i];
    }
}

static bool has_polygon(const PerpProductCone *cone)
{
    for (int k = 0; k < cone->n_groups; k++)
        if (cone->group[k].facets > 0)
            return true;
    return false;
}

void perp_product_project(const PerpProductCone *cone, const double *y, double *P, double *dP)
{
    if (!dP && !has_polygon(cone)) {
        memset(P, 0, (size_t)cone->n * sizeof(double));
        project_on_discs(cone, y, P);
        return;
    }
    Piece piece[PERP_PRODUCT_GROUPS];
    double rise[MOST], weight, height = find_height(cone, y, piece, &weight);
    int n = cone->n;
    memset(P, 0, (size_t)n * sizeof(double));
    P[0] = height;
    if (dP) {
        find_rise(cone, piece, weight, rise);
        memset(dP, 0, (size_t)(n * n) * sizeof(double));
        memcpy(dP, rise, (size_t)n * sizeof(double));
    }
    for (int k = 0; k < cone->n_groups && height > 0; k++) {
        int first = cone->group[k].first;
        place_group(&cone->group[k], &piece[k], y + first, height, P + first);
        if (dP)
            differentiate_group(cone, k, &piece[k], y + first, height, rise, dP);
    }
}

// --- as a cone of the problem -------------------------------------------------------------------

static int numbers(const PerpConeProblem *cones, int c)
{
    return c < 2 * cones->n_coupled ? MOST : 3;
}

static double slip(const PerpConeProblem *cones, int c, const double *u)
{
    PerpProductCone cone = perp_product_cone(cones, c);
    return cones->shift * perp_product_slip(&cone, u);
}

static void project(const PerpConeProblem *cones, int c, const double *y, double *x)
{
    PerpProductCone cone = perp_product_cone(cones, c);
    perp_product_project(&cone, y, x, NULL);
}

static double residual(const PerpConeProblem *cones, int c, const double *r, const double *u)
{
    PerpProductCone cone = perp_product_cone(cones, c);
    double y[MOST] = {0}, P[MOST], square = 0;
    for (int i = 0; i < cone.n; i++)
        y[i] = r[i] - u[i];
    y[0] -= cones->shift * perp_product_slip(&cone, u);
    perp_product_project(&cone, y, P, NULL);
    for (int i = 0; i < cone.n; i++)
        square += (r[i] - P[i]) * (r[i] - P[i]);
    return sqrt(square);
}

// Rows of the solution to the constraint's own C and g, and to what it has of its coupled
// constraint's.
static void spread_rows(PerpConeProblem *cones, int constraint, int n, const double *rows,
                        double *g)
{
    int columns = n + 1, constraints = n / 3;
    for (int i = 0; i < n; i++) {
        int a = constraint + i / 3;
        g[3 * constraint + i] = rows[columns * i + n];
        for (int b = constraint; b < constraint + constraints; b++) {
            double *C = a == b ? cones->newton.C + 9 * a : cones->newton.cross + 9 * a;
            memcpy(C + 3 * (i % 3), rows + columns * i + 3 * (b - constraint), 3 * sizeof(double));
        }
    }
}

// As second_order.c, with blocks between a cone and its coupled constraint.
static bool linearise(PerpConeProblem *cones, int c, const PerpNewtonTerms *terms, const double *r,
                      const double *u, double *g)
{
    PerpProductCone cone = perp_product_cone(cones, c);
    int n = cone.n, columns = n + 1;
    const double *r_c = r + 3 * c, *u_c = u + 3 * c;
    double y[MOST] = {0}, P[MOST], slope[MOST], dP[MOST * MOST], A[MOST * MOST],
           B[MOST * (MOST + 1)];
    for (int i = 0; i < n; i++)
        y[i] = r_c[i] - u_c[i];
    y[0] -= cones->shift * perp_product_slip(&cone, u_c);
    perp_product_project(&cone, y, P, dP);
    perp_product_slope(&cone, u_c, slope);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            B[columns * i + j] = dP[n * i] * cones->shift * slope[j] + dP[n * i + j];
            A[n * i + j] = (i == j) - (1 - terms->regularisation) * dP[n * i + j] +
                           terms->rho * B[columns * i + j];
        }
        B[columns * i + n] = P[i] - r_c[i];
    }
    if (!perp_small_solve(n, A, columns, B))
        return false;
    spread_rows(cones, c, n, B, g);
    return true;
}

const PerpCone perp_cone_product = {.name = "product",
                                    .scaling = PERP_SCALE_TOGETHER,
                                    .lane = PERP_LANE_OTHER,
                                    .is_contact = true,
                                    .numbers = numbers,
                                    .slip = slip,
                                    .project = project,
                                    .residual = residual,
                                    .linearise = linearise};

// --- its further groups, which it speaks for ----------------------------------------------------

static int no_numbers(const PerpConeProblem *cones, int c)
{
    (void)cones, (void)c;
    return 0;
}

static double no_residual(const PerpConeProblem *cones, int c, const double *r, const double *u)
{
    (void)cones, (void)c, (void)r, (void)u;
    return 0;
}

static bool linearised_already(PerpConeProblem *cones, int c, const PerpNewtonTerms *terms,
                               const double *r, const double *u, double *g)
{
    (void)cones, (void)c, (void)terms, (void)r, (void)u, (void)g;
    return true;
}

const PerpCone perp_cone_coupled = {.name = "coupled",
                                    .scaling = PERP_SCALE_GROUPS,
                                    .lane = PERP_LANE_OTHER,
                                    .numbers = no_numbers,
                                    .residual = no_residual,
                                    .linearise = linearised_already};
