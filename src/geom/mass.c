// Mass, centre of mass and inertia of shapes.
#include "geom/shape.h"

static const double PI = 3.14159265358979323846;

// a b'
static PerpMat3 outer(PerpVec3 a, PerpVec3 b)
{
    return (PerpMat3){perp_vec3_scale(b.x, a), perp_vec3_scale(b.y, a), perp_vec3_scale(b.z, a)};
}

// A + s B
static PerpMat3 add_scaled(PerpMat3 A, double s, PerpMat3 B)
{
    return (PerpMat3){perp_vec3_add_scaled(A.x, s, B.x), perp_vec3_add_scaled(A.y, s, B.y),
                      perp_vec3_add_scaled(A.z, s, B.z)};
}

// tr(C) 1 - C: the inertia of a body with the second moments C = integral of x x'
static PerpMat3 inertia_of_moments(PerpMat3 C)
{
    double trace = C.x.x + C.y.y + C.z.z;
    return add_scaled(perp_mat3_diagonal((PerpVec3){trace, trace, trace}), -1, C);
}

// A solid about its origin, symmetric to the three planes, with moments diag(c).
static PerpMassProperties symmetric(double mass, PerpVec3 c)
{
    return (PerpMassProperties){mass, {0, 0, 0}, inertia_of_moments(perp_mat3_diagonal(c))};
}

static PerpMassProperties ellipsoid_mass(double a, double b, double c)
{
    double m = 4.0 / 3.0 * PI * a * b * c;
    return symmetric(m, perp_vec3_scale(m / 5, (PerpVec3){a * a, b * b, c * c}));
}

static PerpMassProperties cylinder_mass(double r, double h)
{
    double m = 2 * PI * r * r * h;
    return symmetric(m, perp_vec3_scale(m, (PerpVec3){r * r / 4, r * r / 4, h * h / 3}));
}

// The cylinder and two half balls, whose moments along z about the middle are those of a ball with
// its halves drawn apart: m (r^2 / 5 + 3 r h / 4 + h^2).
static PerpMassProperties capsule_mass(double r, double h)
{
    PerpMassProperties middle = cylinder_mass(r, h);
    double m = 4.0 / 3.0 * PI * r * r * r;
    double across = m * r * r / 5, along = m * (r * r / 5 + 0.75 * r * h + h * h);
    PerpMassProperties ends = symmetric(m, (PerpVec3){across, across, along});
    return (PerpMassProperties){
        middle.mass + ends.mass, {0, 0, 0}, add_scaled(middle.inertia, 1, ends.inertia)};
}

typedef struct Moments {
    double volume;
    PerpVec3 first;  // integral of x
    PerpMat3 second; // integral of x x'
} Moments;

// The tetrahedron 0, a, b, c of signed volume V: V s / 4 with s = a + b + c, and
// V (a a' + b b' + c c' + s s') / 20.
static void add_tetrahedron(Moments *sum, PerpVec3 a, PerpVec3 b, PerpVec3 c)
{
    double V = perp_vec3_dot(a, perp_vec3_cross(b, c)) / 6;
    PerpVec3 s = perp_vec3_add(a, perp_vec3_add(b, c));
    sum->volume += V;
    sum->first = perp_vec3_add_scaled(sum->first, V / 4, s);
    sum->second = add_scaled(sum->second, V / 20, outer(a, a));
    sum->second = add_scaled(sum->second, V / 20, outer(b, b));
    sum->second = add_scaled(sum->second, V / 20, outer(c, c));
    sum->second = add_scaled(sum->second, V / 20, outer(s, s));
}

static PerpVec3 mean_vertex(const PerpPolyhedron *p)
{
    PerpVec3 sum = {0, 0, 0};
    for (int i = 0; i < p->n_vertices; i++)
        sum = perp_vec3_add(sum, p->vertex[i]);
    return perp_vec3_scale(1.0 / p->n_vertices, sum);
}

// Tetrahedra from the mean of the vertices to the triangles of every face's fan.
static PerpMassProperties polyhedron_mass(const PerpPolyhedron *p)
{
    PerpVec3 middle = mean_vertex(p);
    Moments sum = {0};
    for (int f = 0; f < p->n_faces; f++) {
        int start = p->face_start[f], end = p->face_start[f + 1];
        PerpVec3 a = perp_vec3_sub(p->vertex[p->loop[start]], middle);
        for (int k = start + 1; k + 1 < end; k++)
            add_tetrahedron(&sum, a, perp_vec3_sub(p->vertex[p->loop[k]], middle),
                            perp_vec3_sub(p->vertex[p->loop[k + 1]], middle));
    }
    PerpVec3 centre = perp_vec3_scale(1 / sum.volume, sum.first);
    PerpMat3 moments = add_scaled(sum.second, -sum.volume, outer(centre, centre));
    return (PerpMassProperties){sum.volume, perp_vec3_add(middle, centre),
                                inertia_of_moments(moments)};
}

PerpMassProperties perp_shape_mass(const PerpShape *shape)
{
    const double *s = shape->size;
    switch (shape->kind) {
    case PERP_SHAPE_SPHERE:
        return ellipsoid_mass(s[0], s[0], s[0]);
    case PERP_SHAPE_CAPSULE:
        return capsule_mass(s[0], s[1]);
    case PERP_SHAPE_CYLINDER:
        return cylinder_mass(s[0], s[1]);
    case PERP_SHAPE_ELLIPSOID:
        return ellipsoid_mass(s[0], s[1], s[2]);
    case PERP_SHAPE_BOX:
    case PERP_SHAPE_HULL:
        return polyhedron_mass(shape->polyhedron);
    default:
        return (PerpMassProperties){0};
    }
}

// R I R', density times.
PerpMassProperties perp_mass_moved(PerpMassProperties part, PerpPose pose, double density)
{
    PerpMat3 R = perp_quat_to_matrix(pose.rotation);
    PerpMat3 turned = perp_mat3_product(perp_mat3_product(R, part.inertia), perp_mat3_transpose(R));
    return (PerpMassProperties){
        density * part.mass, perp_pose_point(pose, part.centre),
        add_scaled(perp_mat3_diagonal((PerpVec3){0, 0, 0}), density, turned)};
}

// Both about the common centre: I = I_a + I_b + mu (d'd 1 - d d'), mu = m_a m_b / (m_a + m_b) and
// d from one centre to the other.
PerpMassProperties perp_mass_sum(PerpMassProperties a, PerpMassProperties b)
{
    double mass = a.mass + b.mass;
    if (mass <= 0)
        return (PerpMassProperties){0};
    PerpVec3 d = perp_vec3_sub(b.centre, a.centre);
    PerpMat3 inertia = add_scaled(a.inertia, 1, b.inertia);
    double reduced = a.mass / mass * b.mass;
    return (PerpMassProperties){mass, perp_vec3_add_scaled(a.centre, b.mass / mass, d),
                                add_scaled(inertia, reduced, inertia_of_moments(outer(d, d)))};
}
