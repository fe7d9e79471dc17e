// The convex hull of points by Qhull, coplanar facets merged.
#include "base/error.h"
#include "geom/polyhedron.h"

#include <libqhull_r/qhull_ra.h>

#include <string.h>

// Faces whose planes part by less than this, relative to the size of the hull, become one: the
// noise of vertices that went through single precision.
static const double FLATNESS = 2e-7;

typedef struct Hull {
    const PerpAllocator *allocator;
    qhT qhull;
    FILE *silence;  // where Qhull's own messages go
    double *points; // copy of the input, which Qhull may change
    int *new_index; // of each point among the vertices of the polyhedron, or -1
    PerpPolyhedron *polyhedron;
} Hull;

static double extent(int n, const double *points)
{
    double largest = 0;
    for (int i = 3; i < 3 * n; i++)
        largest = fmax(largest, fabs(points[i] - points[i % 3]));
    return largest;
}

static PerpStatus run_qhull(Hull *hull, int n, const double *points, PerpError *error)
{
    char command[64];
    snprintf(command, sizeof command, "qhull C-%.3g", FLATNESS * extent(n, points));
    memcpy(hull->points, points, 3 * (size_t)n * sizeof(double));
    int code = qh_new_qhull(&hull->qhull, 3, n, hull->points, False, command, NULL, hull->silence);
    if (code == qh_ERRmem)
        return PERP_NO_MEMORY;
    if (code != qh_ERRnone)
        return perp_fail(error, PERP_BAD_VALUE,
                         "the %d vertices of the hull lie in a plane, or too close to one", n);
    return PERP_OK;
}

// Sizes first: vertices, faces and the sum of the faces' sides.
static PerpStatus count(Hull *hull)
{
    qhT *qh = &hull->qhull;
    facetT *facet;
    int n_faces = 0, n_loop = 0;
    FORALLfacets
    {
        n_faces++;
        n_loop += qh_setsize(qh, facet->vertices);
    }
    hull->polyhedron =
        perp_polyhedron_create(hull->allocator, qh->num_vertices, n_faces, n_loop, n_loop / 2);
    return hull->polyhedron ? PERP_OK : PERP_NO_MEMORY;
}

// Vertices keep the order of the points.
static void copy_vertices(Hull *hull, int n)
{
    qhT *qh = &hull->qhull;
    vertexT *vertex;
    for (int i = 0; i < n; i++)
        hull->new_index[i] = -1;
    FORALLvertices hull->new_index[qh_pointid(qh, vertex->point)] = 0;
    int next = 0;
    for (int i = 0; i < n; i++) {
        if (hull->new_index[i] < 0)
            continue;
        hull->polyhedron->vertex[next] = perp_vec3_load(hull->points + 3 * i);
        hull->new_index[i] = next++;
    }
}

// Qhull lists the vertices of a face around it, clockwise from outside.
static void copy_faces(Hull *hull)
{
    qhT *qh = &hull->qhull;
    PerpPolyhedron *p = hull->polyhedron;
    facetT *facet;
    vertexT *vertex, **vertexp;
    int face = 0, start = 0;
    FORALLfacets
    {
        setT *around = qh_facet3vertex(qh, facet);
        int next = start + qh_setsize(qh, around);
        p->face_start[face++] = start;
        start = next;
        FOREACHvertex_(around) p->loop[--next] = hull->new_index[qh_pointid(qh, vertex->point)];
        qh_settempfree(qh, &around);
    }
    p->face_start[face] = start;
}

// Qhull leaves by longjmp when something is wrong; its calls outside qh_new_qhull are caught here.
static PerpStatus convert(Hull *hull, int n, PerpError *error)
{
    if (setjmp(hull->qhull.errexit)) {
        hull->qhull.NOerrexit = True;
        return perp_fail(error, PERP_BAD_VALUE, "the hull of %d vertices has no clean faces", n);
    }
    hull->qhull.NOerrexit = False;
    PerpStatus status = count(hull);
    if (!status) {
        copy_vertices(hull, n);
        copy_faces(hull);
    }
    hull->qhull.NOerrexit = True;
    return status;
}

static void release(Hull *hull)
{
    int long_blocks, long_bytes;
    qh_freeqhull(&hull->qhull, !qh_ALL);
    qh_memfreeshort(&hull->qhull, &long_blocks, &long_bytes);
    if (hull->silence)
        fclose(hull->silence);
    perp_free(hull->allocator, hull->new_index);
    perp_free(hull->allocator, hull->points);
}

static PerpStatus build(Hull *hull, int n, const double *points, PerpError *error)
{
    hull->silence = fopen("/dev/null", "w");
    hull->points = perp_allocate(hull->allocator, 3 * (size_t)n, sizeof(double));
    hull->new_index = perp_allocate(hull->allocator, (size_t)n, sizeof(int));
    if (!hull->silence || !hull->points || !hull->new_index)
        return PERP_NO_MEMORY;
    PerpStatus status = run_qhull(hull, n, points, error);
    if (!status)
        status = convert(hull, n, error);
    if (!status && !perp_polyhedron_complete(hull->polyhedron))
        status = perp_fail(error, PERP_BAD_VALUE, "the hull of %d vertices does not close", n);
    return status;
}

PerpStatus perp_polyhedron_hull(const PerpAllocator *allocator, int n, const double *points,
                                PerpPolyhedron **polyhedron, PerpError *error)
{
    Hull hull = {.allocator = allocator};
    qh_zero(&hull.qhull, NULL);
    PerpStatus status = build(&hull, n, points, error);
    release(&hull);
    if (status)
        perp_free(allocator, hull.polyhedron);
    else
        *polyhedron = hull.polyhedron;
    return status;
}
