#include "frame.h"

#include "random.h"

#include <math.h>

const double perp_no_vector[3] = {0.0, 0.0, 0.0};
const double perp_axis[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double a[3])
{
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++)
        a[k] /= length;
}

void perp_frame_tangents(PerpFrame *f)
{
    normalise(f->normal);
    int far_axis = fabs(f->normal[0]) < 0.6 ? 0 : 1;
    cross(f->normal, perp_axis[far_axis], f->tangent[0]);
    normalise(f->tangent[0]);
    cross(f->normal, f->tangent[0], f->tangent[1]);
}

PerpSampleRow perp_frame_row(const PerpFrame *f, const double force[3], const double torque[3],
                             double *J)
{
    for (int e = 0; e < f->n_entries; e++) {
        double sign = e == 0 ? 1.0 : -1.0, moment[3];
        cross(f->arm[e], force, moment);
        for (int k = 0; k < 3; k++) {
            J[6 * e + k] = sign * force[k];
            J[6 * e + 3 + k] = sign * (moment[k] + torque[k]);
        }
    }
    return (PerpSampleRow){f->n_entries, f->body, J, 0.0};
}

void perp_frame_add_sliding(PerpSample *s, const PerpFrame *f, int contact, double mu, int facets)
{
    double J[12], direction[3], x, y;
    if (facets > 0)
        perp_sample_add_group(s, contact, mu, 0.0);
    for (int k = 0; k < facets; k++) {
        perp_circle_point((double)k / facets, &x, &y);
        for (int i = 0; i < 3; i++)
            direction[i] = x * f->tangent[0][i] + y * f->tangent[1][i];
        perp_sample_add_direction(s, perp_frame_row(f, direction, perp_no_vector, J));
    }
}

int perp_frame_add_contact(PerpSample *s, const PerpFrame *f, double mu, int facets)
{
    double J[12];
    int contact = perp_sample_add_contact(s, perp_frame_row(f, f->normal, perp_no_vector, J));
    perp_frame_add_sliding(s, f, contact, mu, facets);
    return contact;
}

void perp_frame_add_ball(PerpSample *s, const PerpFrame *f)
{
    double J[12];
    for (int k = 0; k < 3; k++)
        perp_sample_add_joint(s, perp_frame_row(f, perp_axis[k], perp_no_vector, J));
}

void perp_frame_add_hinge(PerpSample *s, const PerpFrame *f)
{
    double J[12];
    perp_frame_add_ball(s, f);
    for (int k = 0; k < 2; k++)
        perp_sample_add_joint(s, perp_frame_row(f, perp_no_vector, f->tangent[k], J));
}
