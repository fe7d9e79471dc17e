#include "check_promises.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ROUNDING = 1e-9; // relative: margins may be negative by as much
static const double SAME = 1e-12;    // relative: momenta that are the same but for rounding

static void add(PromiseMargin *margin, double value, long step)
{
    if (margin->count++ == 0 || value < margin->least) {
        margin->least = value;
        margin->step = step;
    }
}

static double relative(double bound, double value)
{
    double scale = fmax(fabs(bound), fabs(value));
    return scale > 0 ? (bound - value) / scale : 0;
}

// --- ST97 3.5 -----------------------------------------------------------------------------------

// x'Mt y, x and y of all bodies
static double product(const PerpProblem *p, const double *x, const double *y)
{
    const double *M = p->Mt;
    double sum = 0;
    for (int k = 0; k < p->n_bodies; k++)
        for (int j = p->body_start[k]; j < p->body_start[k + 1]; j++)
            for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
                sum += x[i] * *M++ * y[j];
    return sum;
}

static int normal_row(const PerpProblem *p, int contact)
{
    return p->n_joints + p->n_boxes + contact;
}

// Does a contact push though it is deeper than rounding makes it: d < 0?
static bool pushes_apart(const PerpRecordedProblem *stored, double h)
{
    const double rounding = 1e-15; // m, as in the step
    const PerpProblem *p = &stored->problem;
    for (int i = 0; i < p->n_contacts; i++)
        if (stored->c[normal_row(p, i)] > 0 && p->d[normal_row(p, i)] < -rounding / h)
            return true;
    return false;
}

// With b = M v + h k the promise  v_new'M v_new/2 <= v'M v/2 + h k'v_new - lambda mu c_n - |v_new -
// v|_M^2/2  is  v_new'M v_new + lambda mu c_n <= b'v_new, which the problem alone decides.
static void check_dissipation(PromiseCheck *check, const PerpRecordedProblem *stored,
                              const PerpCertificate *certificate)
{
    const PerpProblem *p = &stored->problem;
    double bound = 0, value = product(p, stored->v, stored->v);
    if (p->n_joints > 0 || p->n_boxes > 0 || pushes_apart(stored, check->h))
        return;
    for (int i = 0; i < perp_problem_velocities(p); i++)
        bound += p->b[i] * stored->v[i];
    for (int g = 0; g < p->n_groups; g++)
        value += stored->lambda[g] * p->mu[g] * stored->c[normal_row(p, p->group_contact[g])];
    double scale = certificate->free_energy + certificate->energy;
    add(&check->computed[PERP_PROMISE_ST97_DISSIPATION], scale > 0 ? (bound - value) / scale : 0,
        stored->step);
}

// --- AP97 5.1 -----------------------------------------------------------------------------------

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

static bool remember(PromiseCheck *check, const PerpRecordedProblem *stored, double energy)
{
    const PerpProblem *p = &stored->problem;
    size_t contacts = (size_t)p->n_contacts, velocities = (size_t)perp_problem_velocities(p);
    if (check->n_open == check->room) {
        int room = 2 * check->room + 16;
        Compression *larger = realloc(check->open, (size_t)room * sizeof *larger);
        if (!larger)
            return false;
        check->open = larger;
        check->room = room;
    }
    Compression *one = &check->open[check->n_open++];
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

static void forget(PromiseCheck *check, int index)
{
    free_compression(&check->open[index]);
    check->open[index] = check->open[--check->n_open];
}

static void forget_other_steps(PromiseCheck *check, long step)
{
    for (int k = check->n_open - 1; k >= 0; k--)
        if (check->open[k].step != step)
            forget(check, k);
}

// T(v+) <= T(v^-) with friction and one e: case 2 of docs/theory/ap97.md. Whatever comes next with
// the same rows is the decompression, or there was none.
static bool check_impact(PromiseCheck *check, const PerpRecordedProblem *stored,
                         const PerpCertificate *certificate)
{
    forget_other_steps(check, stored->step);
    if (!certificate->symmetric || !is_still(&stored->problem))
        return true;
    for (int k = 0; k < check->n_open; k++) {
        Compression *one = &check->open[k];
        if (!fits(one, stored))
            continue;
        double e = common_restitution(&stored->problem, one);
        bool found = e > 0 && is_decompression(&stored->problem, one, e);
        if (found)
            add(&check->computed[PERP_PROMISE_AP97_IMPACT],
                relative(one->energy, certificate->energy), stored->step);
        forget(check, k);
        if (found)
            return true;
        break;
    }
    return remember(check, stored, certificate->free_energy);
}

// --- all of them --------------------------------------------------------------------------------

bool promise_check_problem(PromiseCheck *check, const PerpRecordedProblem *stored,
                           const PerpCertificate *certificate)
{
    if (certificate->symmetric)
        add(&check->computed[PERP_PROMISE_AP97_STEP], -certificate->energy_excess, stored->step);
    if (certificate->symmetric && strcmp(check->scheme, "stewart-trinkle") == 0)
        check_dissipation(check, stored, certificate);
    return check_impact(check, stored, certificate);
}

PerpStatus promise_check_recorded(PromiseCheck *check, PerpRecording *recording, PerpError *error)
{
    long frames = perp_recording_info(recording)->frames;
    double *margins = calloc(2 * (size_t)frames + 1, sizeof *margins), *steps = margins + frames;
    PerpStatus status = margins ? PERP_OK : PERP_NO_MEMORY;
    if (!status)
        status = perp_recording_series(recording, "step/number", 0, frames, steps, error);
    for (int k = 0; !status && k < PERP_PROMISE_COUNT; k++) {
        char name[64];
        snprintf(name, sizeof name, "promise/%s", perp_promise_name((PerpPromiseKind)k));
        if (!perp_recording_has(recording, name))
            continue;
        status = perp_recording_series(recording, name, 0, frames, margins, error);
        for (long f = 0; !status && f < frames; f++)
            if (!isnan(margins[f]))
                add(&check->recorded[k], margins[f], (long)steps[f]);
    }
    free(margins);
    return status;
}

static bool is_broken(const PromiseMargin *margin)
{
    return margin->count > 0 && !(margin->least >= -ROUNDING);
}

bool promise_check_holds(const PromiseCheck *check)
{
    for (int k = 0; k < PERP_PROMISE_COUNT; k++)
        if (is_broken(&check->recorded[k]) || is_broken(&check->computed[k]))
            return false;
    return true;
}

static void print_margin(FILE *out, const char *lead, const PromiseMargin *margin, const char *of)
{
    fprintf(out, "%s least %.2e in step %ld, of %ld %s%s", lead, margin->least, margin->step,
            margin->count, of, is_broken(margin) ? ": BROKEN" : "");
}

void promise_check_print(FILE *out, const PromiseCheck *check)
{
    const char *head = "margins";
    for (int k = 0; k < PERP_PROMISE_COUNT; k++) {
        const PromiseMargin *recorded = &check->recorded[k], *computed = &check->computed[k];
        if (recorded->count == 0 && computed->count == 0)
            continue;
        fprintf(out, "%-13s %-10s", head, perp_promise_name((PerpPromiseKind)k));
        if (recorded->count > 0)
            print_margin(out, " recorded:", recorded, "frames");
        if (computed->count > 0)
            print_margin(out, recorded->count > 0 ? "; computed again:" : " computed:", computed,
                         "problems");
        else
            fputs("; examined only, perp replay computes it again", out);
        fputc('\n', out);
        head = "";
    }
    if (*head)
        fputs("margins       none are recorded\n", out);
}

static void print_json_margin(FILE *out, const char *name, const PromiseMargin *margin)
{
    fprintf(out, ", \"%s\": ", name);
    if (margin->count == 0) {
        fputs("null", out);
        return;
    }
    json_member(out, "{", "least", margin->least);
    fprintf(out, ", \"step\": %ld, \"count\": %ld}", margin->step, margin->count);
}

void promise_check_json(FILE *out, const PromiseCheck *check)
{
    const char *comma = "";
    fputs(",\n \"margins\": [", out);
    for (int k = 0; k < PERP_PROMISE_COUNT; k++) {
        const PromiseMargin *recorded = &check->recorded[k], *computed = &check->computed[k];
        if (recorded->count == 0 && computed->count == 0)
            continue;
        fprintf(out, "%s\n  ", comma);
        json_text(out, "{", "promise", perp_promise_name((PerpPromiseKind)k));
        print_json_margin(out, "recorded", recorded);
        print_json_margin(out, "computed", computed);
        fprintf(out, ", \"kept\": %s}",
                is_broken(recorded) || is_broken(computed) ? "false" : "true");
        comma = ",";
    }
    fputc(']', out);
}

void promise_check_free(PromiseCheck *check)
{
    while (check->n_open > 0)
        forget(check, 0);
    free(check->open);
}
