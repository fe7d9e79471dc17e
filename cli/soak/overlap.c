// Overlaps, from poses alone: balls within one body (its corners, ends and rim have no radius), and
// how deep they are in the other. Exact where one of the two is a sphere, else a lower bound of
// what must be moved to part them.
#include "soak/soak.h"

#include <math.h>

enum {
    RIM = 16, // points on each rim of a cylinder
    MOST_BALLS = 2 * RIM
};

static const double PI = 3.14159265358979323846;
static const double DEEPEST = 0.2; // m: farther below the terrain a body may have come from below

// --- balls within a body ------------------------------------------------------------------------

typedef struct Balls {
    int count;
    double radius, centre[MOST_BALLS][3]; // in the world
} Balls;

static void place(const double position[3], const double rotation[4], const double local[3],
                  double out[3])
{
    soak_rotate(rotation, local, out);
    for (int k = 0; k < 3; k++)
        out[k] += position[k];
}

static void add_ball(Balls *balls, const double position[3], const double rotation[4], double x,
                     double y, double z)
{
    const double local[3] = {x, y, z};
    place(position, rotation, local, balls->centre[balls->count++]);
}

static void find_balls(const PerpShapeDef *s, const double position[3], const double rotation[4],
                       Balls *balls)
{
    const double *a = s->size;
    bool has_radius = s->kind == PERP_SHAPE_SPHERE || s->kind == PERP_SHAPE_CAPSULE;
    balls->count = 0;
    balls->radius = has_radius ? a[0] : 0;
    if (s->kind == PERP_SHAPE_SPHERE)
        add_ball(balls, position, rotation, 0, 0, 0);
    for (int k = 0; k < 2 && s->kind == PERP_SHAPE_CAPSULE; k++)
        add_ball(balls, position, rotation, 0, 0, k ? a[1] : -a[1]);
    for (int k = 0; k < 8 && s->kind == PERP_SHAPE_BOX; k++)
        add_ball(balls, position, rotation, k & 1 ? a[0] : -a[0], k & 2 ? a[1] : -a[1],
                 k & 4 ? a[2] : -a[2]);
    for (int k = 0; k < 2 * RIM && s->kind == PERP_SHAPE_CYLINDER; k++)
        add_ball(balls, position, rotation, a[0] * cos(k / 2 * 2 * PI / RIM),
                 a[0] * sin(k / 2 * 2 * PI / RIM), k & 1 ? a[1] : -a[1]);
}

// --- how deep a point is in a body --------------------------------------------------------------

// m, negative outside; x in the frame of the shape
static double depth_in(const PerpShapeDef *s, const double x[3])
{
    const double *a = s->size;
    double off = sqrt(x[0] * x[0] + x[1] * x[1]), least = INFINITY, outside = 0;
    double along = fmin(fmax(x[2], -a[1]), a[1]);
    double part[3] = {a[0] - fabs(x[0]), a[1] - fabs(x[1]), a[2] - fabs(x[2])};
    int parts = 3;
    if (s->kind == PERP_SHAPE_SPHERE)
        return a[0] - sqrt(off * off + x[2] * x[2]);
    if (s->kind == PERP_SHAPE_CAPSULE)
        return a[0] - sqrt(off * off + (x[2] - along) * (x[2] - along));
    if (s->kind == PERP_SHAPE_CYLINDER) {
        part[0] = a[0] - off;
        part[1] = a[1] - fabs(x[2]);
        parts = 2;
    }
    for (int k = 0; k < parts; k++) {
        least = fmin(least, part[k]);
        outside += part[k] < 0 ? part[k] * part[k] : 0;
    }
    return least < 0 ? -sqrt(outside) : least;
}

static double overlap_of(const Balls *balls, const PerpShapeDef *s, const double position[3],
                         const double rotation[4])
{
    const double back[4] = {rotation[0], -rotation[1], -rotation[2], -rotation[3]};
    double deepest = 0, d[3], x[3];
    for (int i = 0; i < balls->count; i++) {
        for (int k = 0; k < 3; k++)
            d[k] = balls->centre[i][k] - position[k];
        soak_rotate(back, d, x);
        deepest = fmax(deepest, balls->radius + depth_in(s, x));
    }
    return deepest;
}

// --- the terrain --------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double to_segment(const double x[3], const double a[3], const double b[3])
{
    double ab[3], ax[3], off[3];
    subtract(b, a, ab);
    subtract(x, a, ax);
    double part = fmin(fmax(dot(ab, ax) / dot(ab, ab), 0), 1);
    for (int k = 0; k < 3; k++)
        off[k] = ax[k] - part * ab[k];
    return sqrt(dot(off, off));
}

// The distance of x, and whether the triangle is right above it.
static double to_triangle(const double x[3], double t[3][3], bool *above)
{
    double u[3], v[3], n[3], ax[3], side[3], edge[3], least = INFINITY;
    subtract(t[1], t[0], u);
    subtract(t[2], t[0], v);
    subtract(x, t[0], ax);
    cross(u, v, n);
    double height = dot(n, ax) / sqrt(dot(n, n));
    bool beside = false, over = height < 0;
    for (int k = 0; k < 3; k++) {
        subtract(t[(k + 1) % 3], t[k], edge);
        subtract(x, t[k], ax);
        cross(n, edge, side);
        beside = beside || dot(side, ax) < 0;
        over = over && edge[0] * ax[1] - edge[1] * ax[0] >= 0;
        least = fmin(least, to_segment(x, t[k], t[(k + 1) % 3]));
    }
    *above = over;
    return beside ? least : fabs(height);
}

// The two triangles of a cell, counter-clockwise from above.
static void corners(const SoakScene *s, int row, int column, int half, double t[3][3])
{
    static const int right[2][3] = {{0, 1, 1}, {0, 1, 0}}, up[2][3] = {{0, 0, 1}, {0, 1, 1}};
    for (int k = 0; k < 3; k++) {
        int x = column + right[half][k], y = row + up[half][k];
        t[k][0] = x - SOAK_CELLS / 2.0;
        t[k][1] = y - SOAK_CELLS / 2.0;
        t[k][2] = s->heights[y * (SOAK_CELLS + 1) + x];
    }
}

// How deep a point is, negative above; shapes are smaller than a cell. Near the border and farther
// down it may have come from below.
static double depth_in_terrain(const SoakScene *s, const double x[3])
{
    int column = (int)floor(x[0] + SOAK_CELLS / 2.0), row = (int)floor(x[1] + SOAK_CELLS / 2.0);
    double least = INFINITY, t[3][3];
    bool below = false, above;
    if (row < 1 || column < 1 || row >= SOAK_CELLS - 1 || column >= SOAK_CELLS - 1)
        return -INFINITY;
    for (int cell = 0; cell < 18; cell++) {
        corners(s, row - 1 + cell / 6, column - 1 + cell / 2 % 3, cell % 2, t);
        least = fmin(least, to_triangle(x, t, &above));
        below = below || above;
    }
    return !below ? -least : least < DEEPEST ? least : -INFINITY;
}

static double overlap_with_world(const SoakScene *s, const Balls *balls)
{
    double deepest = 0;
    if (s->def.n_shapes == s->def.n_bodies)
        return 0;
    bool plane = s->shape[s->def.n_bodies].kind == PERP_SHAPE_PLANE;
    for (int i = 0; i < balls->count; i++) {
        const double *x = balls->centre[i];
        bool far = !isfinite(x[0]) || !isfinite(x[1]) || fabs(x[0]) + fabs(x[1]) > 2 * SOAK_CELLS;
        double depth = plane ? -x[2] : far ? -INFINITY : depth_in_terrain(s, x);
        deepest = fmax(deepest, balls->radius + depth);
    }
    return deepest;
}

// --- all ----------------------------------------------------------------------------------------

static bool are_joined(const SoakScene *s, int a, int b)
{
    for (int j = 0; j < s->def.n_joints; j++)
        if ((s->joint[j].body_a == a && s->joint[j].body_b == b) ||
            (s->joint[j].body_a == b && s->joint[j].body_b == a))
            return true;
    return false;
}

double soak_overlap(const SoakScene *s, const PerpSimulation *simulation)
{
    double x[SOAK_BODIES][3], q[SOAK_BODIES][4], deepest = 0;
    Balls balls;
    for (int b = 0; b < s->def.n_bodies; b++)
        perp_simulation_pose(simulation, b, x[b], q[b]);
    for (int b = 0; b < s->def.n_bodies; b++) {
        find_balls(&s->shape[b], x[b], q[b], &balls);
        deepest = fmax(deepest, overlap_with_world(s, &balls));
        for (int a = 0; a < s->def.n_bodies; a++)
            if (a != b && !are_joined(s, a, b))
                deepest = fmax(deepest, overlap_of(&balls, &s->shape[a], x[a], q[a]));
    }
    return deepest;
}
