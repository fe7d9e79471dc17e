#include "sample.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *resize(void *memory, int count, size_t size)
{
    void *larger = realloc(memory, (size_t)count * size);
    if (!larger)
        abort();
    return larger;
}

void perp_ints_add(PerpInts *list, int value)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 8;
        list->at = resize(list->at, list->room, sizeof(int));
    }
    list->at[list->count++] = value;
}

void perp_doubles_add(PerpDoubles *list, int count, const double *values)
{
    if (list->count + count > list->room) {
        list->room = 2 * list->room + count + 8;
        list->at = resize(list->at, list->room, sizeof(double));
    }
    if (count > 0)
        memcpy(list->at + list->count, values, (size_t)count * sizeof(double));
    list->count += count;
}

static void free_rows(PerpSampleRows *rows)
{
    free(rows->start.at);
    free(rows->body.at);
    free(rows->J.at);
    free(rows->d.at);
    memset(rows, 0, sizeof *rows);
}

PerpSample *perp_sample_create(void)
{
    PerpSample *s = resize(NULL, 1, sizeof *s);
    memset(s, 0, sizeof *s);
    perp_ints_add(&s->body_start, 0);
    perp_ints_add(&s->group_start, 0);
    return s;
}

void perp_sample_free(PerpSample *s)
{
    if (!s)
        return;
    PerpSampleRows *rows[] = {&s->joints, &s->boxes, &s->contacts, &s->directions, &s->rows};
    for (int k = 0; k < 5; k++)
        free_rows(rows[k]);
    PerpInts *ints[] = {&s->body_start, &s->group_contact, &s->group_start};
    for (int k = 0; k < 3; k++)
        free(ints[k]->at);
    PerpDoubles *doubles[] = {&s->Mt, &s->b, &s->lo, &s->hi, &s->mu, &s->cohesion};
    for (int k = 0; k < 6; k++)
        free(doubles[k]->at);
    free(s->group_circular);
    free(s);
}

int perp_sample_add_body(PerpSample *s, int velocities, const double *Mt, const double *b)
{
    perp_doubles_add(&s->Mt, velocities * velocities, Mt);
    perp_doubles_add(&s->b, velocities, b);
    perp_ints_add(&s->body_start, s->b.count);
    return s->body_start.count - 2;
}

static int velocities_of(const PerpSample *s, int body)
{
    assert(body >= 0 && body < s->body_start.count - 1);
    return s->body_start.at[body + 1] - s->body_start.at[body];
}

static int add_row(const PerpSample *s, PerpSampleRows *rows, PerpSampleRow row)
{
    if (rows->start.count == 0)
        perp_ints_add(&rows->start, 0);
    int numbers = 0;
    for (int e = 0; e < row.n_entries; e++) {
        perp_ints_add(&rows->body, row.body[e]);
        numbers += velocities_of(s, row.body[e]);
    }
    perp_doubles_add(&rows->J, numbers, row.J);
    perp_doubles_add(&rows->d, 1, &row.d);
    perp_ints_add(&rows->start, rows->body.count);
    return rows->d.count - 1;
}

int perp_sample_add_joint(PerpSample *s, PerpSampleRow row)
{
    return add_row(s, &s->joints, row);
}

int perp_sample_add_box(PerpSample *s, PerpSampleRow row, double lo, double hi)
{
    perp_doubles_add(&s->lo, 1, &lo);
    perp_doubles_add(&s->hi, 1, &hi);
    return add_row(s, &s->boxes, row);
}

int perp_sample_add_contact(PerpSample *s, PerpSampleRow row)
{
    return add_row(s, &s->contacts, row);
}

static int add_group(PerpSample *s, int contact, double mu, double cohesion, bool round)
{
    s->group_circular =
        realloc(s->group_circular, ((size_t)s->mu.count + 1) * sizeof *s->group_circular);
    assert(s->group_circular);
    s->group_circular[s->mu.count] = round;
    assert(contact >= 0 && contact < s->contacts.d.count);
    perp_ints_add(&s->group_contact, contact);
    perp_doubles_add(&s->mu, 1, &mu);
    perp_doubles_add(&s->cohesion, 1, &cohesion);
    perp_ints_add(&s->group_start, s->directions.d.count);
    return s->mu.count - 1;
}

int perp_sample_add_group(PerpSample *s, int contact, double mu, double cohesion)
{
    return add_group(s, contact, mu, cohesion, false);
}

int perp_sample_add_circular_group(PerpSample *s, int contact, double mu, double cohesion)
{
    return add_group(s, contact, mu, cohesion, true);
}

int perp_sample_add_direction(PerpSample *s, PerpSampleRow row)
{
    assert(s->mu.count > 0);
    s->group_start.at[s->group_start.count - 1]++;
    return add_row(s, &s->directions, row);
}

static void append_rows(PerpSampleRows *all, const PerpSampleRows *rows)
{
    int entries_before = all->body.count;
    for (int r = 0; r < rows->d.count; r++)
        perp_ints_add(&all->start, entries_before + rows->start.at[r + 1]);
    for (int e = 0; e < rows->body.count; e++)
        perp_ints_add(&all->body, rows->body.at[e]);
    perp_doubles_add(&all->J, rows->J.count, rows->J.at);
    perp_doubles_add(&all->d, rows->d.count, rows->d.at);
}

static void join_rows(PerpSample *s)
{
    free_rows(&s->rows);
    perp_ints_add(&s->rows.start, 0);
    append_rows(&s->rows, &s->joints);
    append_rows(&s->rows, &s->boxes);
    append_rows(&s->rows, &s->contacts);
    append_rows(&s->rows, &s->directions);
}

PerpProblem perp_sample_problem(PerpSample *s)
{
    join_rows(s);
    return (PerpProblem){
        .n_bodies = s->body_start.count - 1,
        .body_start = s->body_start.at,
        .Mt = s->Mt.at,
        .b = s->b.at,
        .n_joints = s->joints.d.count,
        .n_boxes = s->boxes.d.count,
        .n_contacts = s->contacts.d.count,
        .n_directions = s->directions.d.count,
        .row_start = s->rows.start.at,
        .entry_body = s->rows.body.at,
        .J = s->rows.J.at,
        .d = s->rows.d.at,
        .lo = s->lo.at,
        .hi = s->hi.at,
        .n_groups = s->mu.count,
        .group_contact = s->group_contact.at,
        .group_start = s->group_start.at,
        .mu = s->mu.at,
        .cohesion = s->cohesion.at,
        .group_circular = s->group_circular,
    };
}
