// Energy after an impact in two phases, AP97 5.1, from two stored problems.
#include "check/margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SAME = 1e-12; // relative: momenta that are the same but for rounding

// A problem of an impact's first phase: v^c in L(v^-, 0). The arrays are owned.
struct Compression {
    long step;
    double t, energy; // J, of v^-
    int sizes[5];     // of the problem
    double *momentum; // M v^c
    double *c;        // of contacts
    double *normals;  // J of their rows, one after the other
    size_t n_normals;
};

static void free_compression(Compression *one)
{
    free(one->momentum);
    free(one->c);
    free(one->normals);
}

static bool is_still(const PerpProblem *p)
{
    for (int r = 0; r < perp_problem_rows(p); r++)
        if (p->d[r] != 0)
            return false;
    return p->n_contacts > 0 && p->n_joints == 0 && p->n_boxes == 0;
}

static void get_sizes(const PerpProblem *p, int sizes[5])
{
    const int of[] = {p->n_bodies, p->n_contacts, p->n_directions, p->n_groups,
                      perp_problem_velocities(p)};
    memcpy(sizes, of, sizeof of);
}

// Where the values of the friction rows begin in J: those of the contacts stand before them.
static size_t count_normals(const PerpProblem *p)
{
    size_t count = 0;
    for (int e = 0; e < p->row_start[p->n_contacts]; e++)
        count += (size_t)(p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]]);
    return count;
}

static void multiply_mass(const PerpProblem *p, const double *v, double *momentum)
{
    const double *M = p->Mt;
    for (int k = 0; k < p->n_bodies; k++) {
        for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
            momentum[i] = 0;
        for (int j = p->body_start[k]; j < p->body_start[k + 1]; j++)
            for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
                momentum[i] += *M++ * v[j];
    }
}

static bool remember(Compressions *compressions, const PerpRecordedProblem *stored, double energy)
{
    const PerpProblem *p = &stored->problem;
    size_t contacts = (size_t)p->n_contacts, velocities = (size_t)perp_problem_velocities(p);
    if (compressions->n_open == compressions->room) {
        int room = 2 * compressions->room + 16;
        Compression *larger = realloc(compressions->open, (size_t)room * sizeof *larger);
        if (!larger)
            return false;
        compressions->open = larger;
        compressions->room = room;
    }
    Compression *one = &compressions->open[compressions->n_open++];
    *one = (Compression){.step = stored->step, .t = stored->t, .energy = energy};
    get_sizes(p, one->sizes);
    one->n_normals = count_normals(p);
    one->momentum = malloc((velocities + 1) * sizeof(double));
    one->c = malloc((contacts + 1) * sizeof(double));
    one->normals = malloc((one->n_normals + 1) * sizeof(double));
    if (!one->momentum || !one->c || !one->normals)
        return false;
    multiply_mass(p, stored->v, one->momentum);
    memcpy(one->c, stored->c, contacts * sizeof(double));
    memcpy(one->normals, p->J, one->n_normals * sizeof(double));
    return true;
}

// e of a contact, from the friction that its restitution allows, mu e c_n^c; < 0: it does not show.
static double restitution(const PerpProblem *p, const Compression *one, int contact)
{
    for (int g = 0; g < p->n_groups; g++)
        if (p->group_contact[g] == contact && p->mu[g] > 0 && one->c[contact] > 0)
            return p->cohesion[g] / (p->mu[g] * one->c[contact]);
    return one->c[contact] > 0 ? -1 : 0;
}

// The e of all contacts that were pushed, < 0 if there is no such one.
static double common_restitution(const PerpProblem *p, const Compression *one)
{
    double e = -1;
    for (int i = 0; i < p->n_contacts; i++) {
        double own = restitution(p, one, i);
        if (one->c[i] <= 0)
            continue;
        if (own < 0 || (e >= 0 && fabs(own - e) > SAME))
            return -1;
        e = own;
    }
    return e;
}

// b = M v^c + e sum n c_n^c                                                         [AP97 (3.3)]
static bool is_decompression(const PerpProblem *p, const Compression *one, double e)
{
    const double *J = p->J;
    double *b = one->momentum, off = 0, scale = 0;
    for (int i = 0; i < p->n_contacts; i++)
        for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++)
            for (int j = p->body_start[p->entry_body[k]]; j < p->body_start[p->entry_body[k] + 1];
                 j++)
                b[j] += e * one->c[i] * *J++;
    for (int j = 0; j < perp_problem_velocities(p); j++) {
        off = fmax(off, fabs(b[j] - p->b[j]));
        scale = fmax(scale, fabs(p->b[j]));
    }
    return off <= SAME * scale;
}

static bool fits(const Compression *one, const PerpRecordedProblem *stored)
{
    int sizes[5];
    get_sizes(&stored->problem, sizes);
    return one->step == stored->step && one->t == stored->t &&
           memcmp(sizes, one->sizes, sizeof sizes) == 0 &&
           memcmp(one->normals, stored->problem.J, one->n_normals * sizeof(double)) == 0;
}

static void forget(Compressions *compressions, int index)
{
    free_compression(&compressions->open[index]);
    compressions->open[index] = compressions->open[--compressions->n_open];
}

static void forget_other_steps(Compressions *compressions, long step)
{
    for (int k = compressions->n_open - 1; k >= 0; k--)
        if (compressions->open[k].step != step)
            forget(compressions, k);
}

static double relative(double bound, double value)
{
    double scale = fmax(fabs(bound), fabs(value));
    return scale > 0 ? (bound - value) / scale : 0;
}

// T(v+) <= T(v^-) with friction and one e: case 2 of docs/theory/ap97.md. Whatever comes next with
// the same rows is the decompression, or there was none.
bool margin_of_impact(Compressions *compressions, const PerpRecordedProblem *stored,
                      const PerpCertificate *certificate, bool *found, double *margin)
{
    *found = false;
    forget_other_steps(compressions, stored->step);
    if (!certificate->symmetric || !is_still(&stored->problem))
        return true;
    for (int k = 0; k < compressions->n_open; k++) {
        Compression *one = &compressions->open[k];
        if (!fits(one, stored))
            continue;
        double e = common_restitution(&stored->problem, one);
        *found = e > 0 && is_decompression(&stored->problem, one, e);
        *margin = relative(one->energy, certificate->energy);
        forget(compressions, k);
        if (*found)
            return true;
        break;
    }
    return remember(compressions, stored, certificate->free_energy);
}

void compressions_free(Compressions *compressions)
{
    while (compressions->n_open > 0)
        forget(compressions, 0);
    free(compressions->open);
}
