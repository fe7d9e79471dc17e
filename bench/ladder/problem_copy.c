// Copies of step problems that outlive the step.
#include "common/measure.h"
#include "ladder/problem.h"

#include <stdlib.h>
#include <string.h>

static void *copy(const void *array, size_t count, size_t size)
{
    void *memory = array ? bench_memory(count + 1, size) : NULL;
    if (array && count > 0)
        memcpy(memory, array, count * size);
    return memory;
}

#define COPY(array, count) copy(array, (size_t)(count), sizeof *(array))

static int size_of_body(const PerpProblem *p, int body)
{
    return p->body_start[body + 1] - p->body_start[body];
}

static size_t numbers_in_masses(const PerpProblem *p)
{
    size_t count = 0;
    for (int k = 0; k < p->n_bodies; k++)
        count += (size_t)size_of_body(p, k) * (size_t)size_of_body(p, k);
    return count;
}

static size_t numbers_in_rows(const PerpProblem *p)
{
    size_t count = 0;
    for (int k = 0; k < p->row_start[perp_problem_rows(p)]; k++)
        count += (size_t)size_of_body(p, p->entry_body[k]);
    return count;
}

PerpProblem *bench_copy_problem(const PerpProblem *p)
{
    PerpProblem *own = bench_memory(1, sizeof *own);
    int rows = perp_problem_rows(p);
    *own = *p;
    own->body_start = COPY(p->body_start, p->n_bodies + 1);
    own->Mt = COPY(p->Mt, numbers_in_masses(p));
    own->b = COPY(p->b, perp_problem_velocities(p));
    own->row_start = COPY(p->row_start, rows + 1);
    own->entry_body = COPY(p->entry_body, p->row_start[rows]);
    own->J = COPY(p->J, numbers_in_rows(p));
    own->d = COPY(p->d, rows);
    own->lo = COPY(p->lo, p->n_boxes);
    own->hi = COPY(p->hi, p->n_boxes);
    own->group_contact = COPY(p->group_contact, p->n_groups);
    own->group_start = COPY(p->group_start, p->n_groups + 1);
    own->mu = COPY(p->mu, p->n_groups);
    own->cohesion = COPY(p->cohesion, p->n_groups);
    own->group_circular = COPY(p->group_circular, p->n_groups);
    own->compliance = p->compliance ? COPY(p->compliance, rows) : NULL;
    return own;
}

void bench_free_problem(PerpProblem *p)
{
    if (!p)
        return;
    const void *arrays[] = {p->body_start,  p->Mt,
                            p->b,           p->row_start,
                            p->entry_body,  p->J,
                            p->d,           p->lo,
                            p->hi,          p->group_contact,
                            p->group_start, p->mu,
                            p->cohesion,    p->group_circular,
                            p->compliance};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free((void *)arrays[k]);
    free(p);
}
