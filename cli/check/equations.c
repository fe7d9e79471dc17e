// Norms in the metric of M, links and moving bodies of the equations of motion.
#include "check/equations.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 6 }; // velocities of a rigid body

// --- the metric of M ----------------------------------------------------------------------------

void metric_momentum(const PerpEquations *e, const double *v, double *p)
{
    const double *M = e->M;
    for (int k = 0; k < e->n_blocks; k++) {
        for (int i = e->block_start[k]; i < e->block_start[k + 1]; i++)
            p[i] = 0;
        for (int j = e->block_start[k]; j < e->block_start[k + 1]; j++)
            for (int i = e->block_start[k]; i < e->block_start[k + 1]; i++)
                p[i] += *M++ * v[j];
    }
}

double metric_square(const PerpEquations *e, const double *v)
{
    const double *M = e->M;
    double sum = 0;
    for (int k = 0; k < e->n_blocks; k++)
        for (int j = e->block_start[k]; j < e->block_start[k + 1]; j++)
            for (int i = e->block_start[k]; i < e->block_start[k + 1]; i++)
                sum += v[i] * *M++ * v[j];
    return sum;
}

double metric_norm(const PerpEquations *e, const double *v)
{
    return sqrt(metric_square(e, v));
}

// Cholesky's factorisation M = L L', then forward and back. A root of what is not positive is NaN
// and stays.
static void divide_block(int n, const double *M, double *x)
{
    double L[LARGEST][LARGEST];
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = M[i + n * j];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[i][k] * x[k];
        x[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= L[k][i] * x[k];
        x[i] /= L[i][i];
    }
}

void metric_divide(const PerpEquations *e, double *x)
{
    const double *M = e->M;
    for (int k = 0; k < e->n_blocks; k++) {
        int n = e->block_start[k + 1] - e->block_start[k];
        if (n <= LARGEST)
            divide_block(n, M, x + e->block_start[k]);
        M += n * n;
    }
}

double metric_dual(const PerpEquations *e, const double *f, double *work)
{
    int n = e->block_start[e->n_blocks];
    double sum = 0;
    memcpy(work, f, (size_t)n * sizeof *work);
    metric_divide(e, work);
    for (int i = 0; i < n; i++)
        sum += f[i] * work[i];
    return sqrt(sum);
}

// --- links --------------------------------------------------------------------------------------

double link_rate(const PerpEquations *e, int link, const double *v)
{
    const double *g = e->gradient + e->value_start[link];
    double sum = 0;
    for (int k = e->link_start[link]; k < e->link_start[link + 1]; k++)
        for (int i = e->block_start[e->entry_block[k]]; i < e->block_start[e->entry_block[k] + 1];
             i++)
            sum += *g++ * v[i];
    return sum;
}

double link_value(const PerpEquations *e, int link, int velocity)
{
    const double *g = e->gradient + e->value_start[link];
    for (int k = e->link_start[link]; k < e->link_start[link + 1]; k++) {
        int first = e->block_start[e->entry_block[k]], end = e->block_start[e->entry_block[k] + 1];
        if (velocity >= first && velocity < end)
            return g[velocity - first];
        g += end - first;
    }
    return 0;
}

void link_add(const PerpEquations *e, int link, double s, double *f)
{
    const double *g = e->gradient + e->value_start[link];
    for (int k = e->link_start[link]; k < e->link_start[link + 1]; k++)
        for (int i = e->block_start[e->entry_block[k]]; i < e->block_start[e->entry_block[k] + 1];
             i++)
            f[i] += s * *g++;
}

// f - sum (stiffness psi + damping g'v) g                                        [PAGT06 (9.1)]
void links_add_force(const PerpEquations *e, const double *v, double *f)
{
    for (int i = 0; i < e->n_links; i++)
        link_add(e, i, -e->stiffness[i] * e->psi[i] - e->damping[i] * link_rate(e, i, v), f);
}

// --- bodies -------------------------------------------------------------------------------------

static int count_bits(unsigned bits)
{
    int count = 0;
    for (; bits; bits >>= 1)
        count += bits & 1;
    return count;
}

bool next_moving(const CheckStates *states, MovingBody *body)
{
    const PerpModelDef *def = perp_scene_model_def(states->scene);
    int from = body->body + 1, block = body->body < 0 ? 0 : body->block + 1;
    int first = body->first + body->n;
    for (int b = from; b < def->n_bodies; b++) {
        unsigned freedom = def->bodies[b].freedom & PERP_FREE_ALL;
        if (!freedom)
            continue;
        *body = (MovingBody){b, block, first, count_bits(freedom), freedom};
        return true;
    }
    return false;
}

int free_spin_at(const MovingBody *body)
{
    const unsigned turning = PERP_FREE_ROTATION_X | PERP_FREE_ROTATION_Y | PERP_FREE_ROTATION_Z;
    return (body->freedom & turning) == turning ? body->first + body->n - 3 : -1;
}

void cross_product(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}
