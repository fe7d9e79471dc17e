// A stage: speeds of rows, momentum and kinetic energy.

#include "step/stage.h"

#include "base/compiler.h"
#include "math/sparse/block_sparse.h"

#include <string.h>

int perp_stage_contact_row(const PerpStage *stage, int contact)
{
    return stage->rows.problem.n_joints + stage->rows.problem.n_boxes + contact;
}

double perp_stage_row_speed(const PerpStage *stage, int row, const double *v)
{
    const PerpProblem *p = &stage->rows.problem;
    const double *J = p->J + stage->rows.row_values[row];
    double sum = 0;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1]; i++)
            sum += *J++ * v[i];
    return sum;
}

// (a - b)'v
PERP_KERNEL_PART double turn(int n, const double *a, const double *b, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * v[i];
    return sum;
}

void perp_stage_follow_joints(PerpStage *stage, const PerpStage *other, const double *v)
{
    const PerpProblem *p = &stage->rows.problem;
    const double *J = p->J, *J_other = other->rows.problem.J;
    for (int r = 0; r < other->rows.problem.n_joints; r++) {
        double sum = 0;
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
            int first = p->body_start[p->entry_body[e]];
            int n = p->body_start[p->entry_body[e] + 1] - first;
            sum += n == 6 ? turn(6, J, J_other, v + first) : turn(n, J, J_other, v + first);
            J += n;
            J_other += n;
        }
        stage->rows.d[r] =
            perp_source_is_control(stage->rows.row_joint[r]) ? stage->rows.d[r] + sum : sum;
    }
}

bool perp_stage_take_joints(PerpStage *stage, const PerpStage *from)
{
    const PerpProblem *to = &stage->rows.problem, *p = &from->rows.problem;
    int rows = to->n_joints + to->n_boxes;
    if (p->n_joints != to->n_joints || p->n_boxes != to->n_boxes ||
        from->rows.row_values[rows] != stage->rows.row_values[rows])
        return false;
    memcpy(stage->rows.J, from->rows.J, (size_t)stage->rows.row_values[rows] * sizeof(double));
    return true;
}

// p = A v for the n x n block A
static void multiply_block(int n, const double *A, const double *v, double *p)
{
    for (int i = 0; i < n; i++) {
        p[i] = 0;
        for (int j = 0; j < n; j++)
            p[i] += A[i + n * j] * v[j];
    }
}

void perp_stage_momentum(const PerpStage *stage, const double *v, double *p)
{
    const PerpProblem *problem = &stage->rows.problem;
    const double *block = problem->Mt;
    for (int k = 0; k < problem->n_bodies; k++) {
        int first = problem->body_start[k], n = problem->body_start[k + 1] - first;
        multiply_block(n, block, v + first, p + first);
        block += n * n;
    }
}

double perp_stage_block_kinetic(const PerpStage *stage, int block, const double *v)
{
    const PerpProblem *problem = &stage->rows.problem;
    int first = problem->body_start[block], n = problem->body_start[block + 1] - first;
    const double *M = problem->Mt + stage->rows.mass_start[block];
    return perp_block_form(n, M, v + first) / 2;
}

double perp_stage_kinetic(const PerpStage *stage, const double *v)
{
    double energy = 0;
    for (int k = 0; k < stage->rows.problem.n_bodies; k++)
        energy += perp_stage_block_kinetic(stage, k, v);
    return energy;
}
