#include "linear/joints_passes.h"

#include "base/lanes.h"
#include "math/dense.h"
#include "math/sparse/block_sparse.h"

#include <string.h>

typedef PerpJoints Joints;

enum { BLOCK = 3, PAD = PERP_JOINTS_PAD, BODY = PERP_JOINTS_BODY, ENTRY = BODY * PAD };

// Loops over the velocities of a body are compiled for six of them, and for any number.

// v = Mt^-1 b
PERP_VECTOR_KERNEL static void find_free_velocities(const Joints *joints)
{
    const PerpProblem *p = joints->p;
    for (int k = 0; k < p->n_bodies; k++) {
        const double *inverse = joints->inverse + joints->block[k], *b = p->b + p->body_start[k];
        double *v = joints->v + p->body_start[k];
        int n = perp_joints_size(p, k);
        if (!joints->diagonal[k])
            perp_block_times(n, inverse, b, v);
        else if (n == BODY)
            for (int i = 0; i < BODY; i++)
                v[i] = inverse[i] * b[i];
        else
            for (int i = 0; i < n; i++)
                v[i] = inverse[i] * b[i];
    }
}

// u += J v
PERP_KERNEL_PART void add_speed(int n, const double *J, const double *v, PerpLanes4 *u)
{
    for (int i = 0; i < n; i++)
        perp_lanes4_add(u, (const PerpLanes4 *)J + i, v[i]);
}

PERP_VECTOR_KERNEL void perp_joints_find_speeds(const Joints *joints)
{
    const PerpProblem *p = joints->p;
    const int *place = joints->graph->pattern.place;
    for (int constraint = 0; constraint < joints->n_constraints; constraint++) {
        int first = joints->constraint_row[constraint],
            rows = joints->constraint_row[constraint + 1] - first;
        double *u = joints->u + PAD * place[constraint];
        PerpLanes4 sum = {0};
        for (int e = joints->entry_start[constraint]; e < joints->entry_start[constraint + 1];
             e++) {
            const double *J = joints->J + ENTRY * e;
            const double *v = joints->v + p->body_start[joints->entry_body[e]];
            int n = perp_joints_size(p, joints->entry_body[e]);
            if (n == BODY)
                add_speed(BODY, J, v, &sum);
            else
                add_speed(n, J, v, &sum);
        }
        *(PerpLanes4 *)u = sum;
        for (int k = 0; k < rows; k++)
            u[k] += p->d[first + k];
    }
}

void perp_joints_begin(Joints *joints)
{
    memset(joints->c, 0, (size_t)joints->p->n_joints * sizeof(double));
    find_free_velocities(joints);
}

// --- corrections --------------------------------------------------------------------------------

double perp_joints_begin_at_rest(Joints *joints, const PerpProblem *p)
{
    joints->p = p;
    memset(joints->c, 0, (size_t)p->n_joints * sizeof(double));
    memset(joints->v, 0, (size_t)perp_problem_velocities(p) * sizeof(double));
    memset(joints->u, 0, (size_t)(PAD * joints->n_constraints) * sizeof(double));
    for (int constraint = 0; constraint < joints->n_constraints; constraint++) {
        double *u = joints->u + PAD * joints->graph->pattern.place[constraint];
        for (int r = joints->constraint_row[constraint]; r < joints->constraint_row[constraint + 1];
             r++)
            *u++ = p->d[r];
    }
    return perp_max_abs(PAD * joints->n_constraints, joints->u);
}

PERP_KERNEL_PART double dot(int n, const double *J, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += J[i] * v[i];
    return sum;
}

static void fill_errors(const Joints *joints, const PerpProblem *p)
{
    const double *J = p->J;
    for (int constraint = 0; constraint < joints->n_constraints; constraint++) {
        double *u = joints->u + PAD * joints->graph->pattern.place[constraint];
        memset(u, 0, PAD * sizeof(double));
        for (int r = joints->constraint_row[constraint]; r < joints->constraint_row[constraint + 1];
             r++, u++) {
            double sum = p->d[r];
            for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
                const double *v = joints->v + p->body_start[p->entry_body[e]];
                int n = perp_joints_size(p, p->entry_body[e]);
                sum += n == BODY ? dot(BODY, J, v) : dot(n, J, v);
                J += n;
            }
            *u = sum;
        }
    }
}

double perp_joints_find_errors(const Joints *joints, const PerpProblem *p)
{
    fill_errors(joints, p);
    return perp_max_abs(PAD * joints->n_constraints, joints->u);
}

// --- both ---------------------------------------------------------------------------------------

// v += K'c
PERP_KERNEL_PART void add_velocity(int n, const double *restrict K, const double *restrict c,
                                   double *restrict v)
{
    double c0 = c[0], c1 = c[1], c2 = c[2];
    for (int i = 0; i < n; i++)
        v[i] += K[i] * c0 + K[BODY + i] * c1 + K[2 * BODY + i] * c2;
}

// c += dc, v += Mt^-1 J'dc
PERP_VECTOR_KERNEL static void add_impulses(const Joints *joints)
{
    const PerpProblem *p = joints->p;
    for (int constraint = 0; constraint < joints->n_constraints; constraint++) {
        const double *dc = joints->u + PAD * joints->graph->pattern.place[constraint];
        int first = joints->constraint_row[constraint];
        for (int r = first; r < joints->constraint_row[constraint + 1]; r++)
            joints->c[r] += dc[r - first];
        for (int e = joints->entry_start[constraint]; e < joints->entry_start[constraint + 1];
             e++) {
            const double *K = joints->rows + BLOCK * BODY * e;
            double *v = joints->v + p->body_start[joints->entry_body[e]];
            int n = perp_joints_size(p, joints->entry_body[e]);
            if (n == BODY)
                add_velocity(BODY, K, dc, v);
            else
                add_velocity(n, K, dc, v);
        }
    }
}

void perp_joints_add_impulses(Joints *joints)
{
    perp_block_lu_solve_ordered(&joints->lu, joints->u);
    add_impulses(joints);
}
