// The expanding polytope algorithm: a polytope inside the Minkowski difference a - b grows at its
// face nearest to the origin until that face is one of the difference itself. The origin need not
// be inside: offsets of faces have signs.
#include "collide/distance/epa.h"

#include "collide/distance/gjk.h"

#include <float.h>

// A polytope of n triangles' corners has 2 n - 4 triangles and 3 n - 6 edges.
enum { MOST_POINTS = 200, MOST_FACES = 2 * MOST_POINTS, MOST_EDGES = 3 * MOST_POINTS };

static const double TOLERANCE = 1e-12; // how far a face may still move, relative to the size

typedef struct Face {
    int corner[3]; // counter-clockwise seen from outside
    PerpVec3 normal;
    double offset;
} Face;

typedef struct Polytope {
    const PerpCore *a, *b;
    double size;
    int n_points, n_faces, n_edges;
    PerpVec3 point[MOST_POINTS];
    Face face[MOST_FACES];
    int edge[MOST_EDGES][2]; // the horizon, while a point is being added
} Polytope;

static PerpVec3 support(const Polytope *p, PerpVec3 direction)
{
    return perp_core_difference(p->a, p->b, direction).w;
}

// A face without area is never the nearest.
static void add_face(Polytope *p, int i, int j, int k)
{
    PerpVec3 x = p->point[i];
    PerpVec3 area = perp_vec3_cross(perp_vec3_sub(p->point[j], x), perp_vec3_sub(p->point[k], x));
    Face face = {{i, j, k}, perp_vec3_normalise(area), INFINITY};
    if (perp_vec3_dot(area, area) > 0)
        face.offset = perp_vec3_dot(face.normal, x);
    p->face[p->n_faces++] = face;
}

// The farther of the two points along and against d, measured along d from x.
static PerpVec3 farther(const Polytope *p, PerpVec3 d, PerpVec3 x)
{
    PerpVec3 ahead = support(p, d), behind = support(p, perp_vec3_scale(-1, d));
    double forth = perp_vec3_dot(d, perp_vec3_sub(ahead, x));
    double back = perp_vec3_dot(d, perp_vec3_sub(x, behind));
    return forth >= back ? ahead : behind;
}

// A tetrahedron: two points, one away from their line, one away from their plane.
static bool start(Polytope *p)
{
    PerpVec3 *x = p->point, t1, t2;
    x[0] = support(p, (PerpVec3){1, 0, 0});
    x[1] = farther(p, (PerpVec3){1, 0, 0}, x[0]);
    PerpVec3 along = perp_vec3_sub(x[1], x[0]);
    if (perp_vec3_norm(along) <= TOLERANCE * p->size)
        return false;
    perp_vec3_tangents(perp_vec3_normalise(along), &t1, &t2);
    x[2] = farther(p, t1, x[0]);
    if (fabs(perp_vec3_dot(t1, perp_vec3_sub(x[2], x[0]))) <= 1e-6 * p->size)
        x[2] = farther(p, t2, x[0]);
    PerpVec3 n = perp_vec3_normalise(perp_vec3_cross(along, perp_vec3_sub(x[2], x[0])));
    x[3] = farther(p, n, x[0]);
    double height = perp_vec3_dot(n, perp_vec3_sub(x[3], x[0]));
    p->size = fmax(p->size, perp_vec3_norm(along));
    if (!(fabs(height) > TOLERANCE * p->size))
        return false;
    p->n_points = 4;
    int one = height > 0 ? 2 : 1, two = 3 - one; // x[3] is behind the face 0, one, two
    add_face(p, 0, one, two);
    add_face(p, 0, two, 3);
    add_face(p, two, one, 3);
    add_face(p, one, 0, 3);
    return true;
}

static int nearest_face(const Polytope *p)
{
    int best = 0;
    for (int f = 1; f < p->n_faces; f++)
        if (p->face[f].offset < p->face[best].offset)
            best = f;
    return best;
}

static int find_edge(const Polytope *p, int from, int to)
{
    for (int e = 0; e < p->n_edges; e++)
        if (p->edge[e][0] == from && p->edge[e][1] == to)
            return e;
    return -1;
}

// An edge met from both sides is inside the hole, one met once is on the horizon.
static void toggle_edge(Polytope *p, int from, int to)
{
    int known = find_edge(p, to, from);
    if (known < 0) {
        p->edge[p->n_edges][0] = from;
        p->edge[p->n_edges++][1] = to;
        return;
    }
    p->n_edges--;
    p->edge[known][0] = p->edge[p->n_edges][0];
    p->edge[known][1] = p->edge[p->n_edges][1];
}

static void remove_face(Polytope *p, int f)
{
    Face face = p->face[f];
    p->face[f] = p->face[--p->n_faces];
    for (int k = 0; k < 3; k++)
        toggle_edge(p, face.corner[k], face.corner[(k + 1) % 3]);
}

static bool is_at_horizon(const Polytope *p, const Face *face)
{
    const int *c = face->corner;
    return find_edge(p, c[1], c[0]) >= 0 || find_edge(p, c[2], c[1]) >= 0 ||
           find_edge(p, c[0], c[2]) >= 0;
}

// Widens the hole about the first face over all that x sees. The hole stays in one piece, even
// where rounding cannot tell whether x sees a face.
static int remove_visible_faces(Polytope *p, int first, PerpVec3 x)
{
    int removed = 1;
    p->n_edges = 0;
    remove_face(p, first);
    for (bool grown = true; grown;) {
        grown = false;
        for (int f = p->n_faces - 1; f >= 0; f--) {
            const Face *face = &p->face[f];
            if (!(perp_vec3_dot(face->normal, x) > face->offset) || !is_at_horizon(p, face))
                continue;
            remove_face(p, f);
            removed++;
            grown = true;
        }
    }
    return removed;
}

// A hole of k triangles without islands has k + 2 sides. False if rounding has made another one.
static bool add_point(Polytope *p, int face, PerpVec3 x)
{
    int removed = remove_visible_faces(p, face, x);
    if (p->n_edges != removed + 2)
        return false;
    p->point[p->n_points] = x;
    for (int e = 0; e < p->n_edges; e++)
        add_face(p, p->edge[e][0], p->edge[e][1], p->n_points);
    p->n_points++;
    return true;
}

bool perp_epa(const PerpCore *a, const PerpCore *b, PerpVec3 *normal, double *most)
{
    Polytope p; // large: only what is used of it is written
    p.a = a;
    p.b = b;
    p.size = a->extent + b->extent;
    p.n_points = p.n_faces = p.n_edges = 0;
    if (!start(&p))
        return false;
    double least = INFINITY;
    while (p.n_points < MOST_POINTS) {
        // offset <= depth <= m'x for the outward normal m of the nearest face
        int nearest = nearest_face(&p);
        Face face = p.face[nearest];
        PerpVec3 x = support(&p, face.normal);
        double depth = perp_vec3_dot(face.normal, x);
        // where the origin is outside, a corner may be nearer to it than the planes of the faces
        *most = face.offset >= 0 ? -face.offset : INFINITY;
        if (depth < least) {
            least = depth;
            *normal = perp_vec3_scale(-1, face.normal);
        }
        if (least - face.offset <= TOLERANCE * p.size || !add_point(&p, nearest, x))
            break;
    }
    return true;
}
