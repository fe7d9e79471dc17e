// A step problem assembled piece by piece.
#include "io/problem/problem_builder.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

static const size_t NUMBERS_LIMIT = (size_t)PERP_LCP_SIZE_LIMIT * PERP_LCP_SIZE_LIMIT;

// Appends extra >= 1 zeroed elements; *data is the grown array.
static PerpStatus grow(const PerpAllocator *allocator, void **data, size_t *count, size_t *room,
                       size_t extra, size_t size, PerpError *error)
{
    if (extra > NUMBERS_LIMIT - *count)
        return perp_fail(error, PERP_BAD_SIZE,
                         "the problem needs an array of more than %zu numbers", NUMBERS_LIMIT);
    if (*count + extra > *room) {
        size_t wanted = *count + extra > 2 * *room ? *count + extra : 2 * *room;
        void *grown = perp_resize(allocator, *data, wanted, size);
        if (!grown)
            return perp_fail(error, PERP_NO_MEMORY, "out of memory while reading the problem");
        *data = grown;
        *room = wanted;
    }
    memset((char *)*data + *count * size, 0, extra * size);
    *count += extra;
    return PERP_OK;
}

static PerpStatus grow_numbers(PerpProblemBuilder *builder, PerpNumbers *numbers, size_t extra,
                               PerpError *error)
{
    void *data = numbers->data;
    PerpStatus status = grow(&builder->allocator, &data, &numbers->count, &numbers->room, extra,
                             sizeof(double), error);
    numbers->data = data;
    return status;
}

static PerpStatus add_number(PerpProblemBuilder *builder, PerpNumbers *numbers, double number,
                             PerpError *error)
{
    PerpStatus status = grow_numbers(builder, numbers, 1, error);
    if (!status)
        numbers->data[numbers->count - 1] = number;
    return status;
}

static PerpStatus add_index(PerpProblemBuilder *builder, PerpIndices *indices, int index,
                            PerpError *error)
{
    void *data = indices->data;
    PerpStatus status =
        grow(&builder->allocator, &data, &indices->count, &indices->room, 1, sizeof(int), error);
    indices->data = data;
    if (!status)
        indices->data[indices->count - 1] = index;
    return status;
}

PerpStatus perp_builder_init(PerpProblemBuilder *builder, const PerpAllocator *allocator,
                             PerpError *error)
{
    *builder = (PerpProblemBuilder){.allocator = *allocator};
    PerpStatus status = add_index(builder, &builder->body_start, 0, error);
    if (!status)
        status = add_index(builder, &builder->row_start, 0, error);
    if (!status)
        status = add_index(builder, &builder->group_start, 0, error);
    if (status)
        perp_builder_free(builder);
    return status;
}

void perp_builder_free(PerpProblemBuilder *builder)
{
    void *const owned[] = {
        builder->Mt.data,          builder->b.data,          builder->J.data,
        builder->d.data,           builder->lo.data,         builder->hi.data,
        builder->mu.data,          builder->cohesion.data,   builder->body_start.data,
        builder->row_start.data,   builder->entry_body.data, builder->group_contact.data,
        builder->group_start.data, builder->body_row.data,   builder->group_circular.data,
        builder->compliance.data};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        perp_free(&builder->allocator, owned[k]);
    *builder = (PerpProblemBuilder){.allocator = builder->allocator};
}

int perp_builder_bodies(const PerpProblemBuilder *builder)
{
    return (int)builder->body_start.count - 1;
}

int perp_builder_body_size(const PerpProblemBuilder *builder, int body)
{
    return builder->body_start.data[body + 1] - builder->body_start.data[body];
}

PerpStatus perp_builder_body(PerpProblemBuilder *builder, int size, double **block, double **b,
                             PerpError *error)
{
    assert(size >= 1);
    size_t square = (size_t)size * (size_t)size;
    PerpStatus status = grow_numbers(builder, &builder->Mt, square, error);
    if (!status)
        status = grow_numbers(builder, &builder->b, (size_t)size, error);
    if (!status)
        status = add_index(builder, &builder->body_start, (int)builder->b.count, error);
    if (!status)
        status = add_index(builder, &builder->body_row, 0, error);
    if (status)
        return status;
    *block = builder->Mt.data + builder->Mt.count - square;
    *b = builder->b.data + builder->b.count - size;
    return PERP_OK;
}

// Complementary rows become rows of a dense LCP, so their number has its limit; circular ones do
// not.
static PerpStatus check_pairs(const PerpProblemBuilder *builder, PerpError *error)
{
    size_t pairs = builder->group_contact.count +
                   (size_t)(builder->n_boxes + builder->n_contacts + builder->n_directions);
    if (pairs <= PERP_LCP_SIZE_LIMIT || builder->n_round == (int)builder->group_contact.count)
        return PERP_OK;
    return perp_fail(error, PERP_BAD_SIZE,
                     "the problem has more than %d boxes, contacts, friction directions and groups",
                     PERP_LCP_SIZE_LIMIT);
}

PerpStatus perp_builder_row(PerpProblemBuilder *builder, PerpRowKind kind, double d,
                            PerpError *error)
{
    PerpStatus status = add_number(builder, &builder->d, d, error);
    if (!status)
        status = add_number(builder, &builder->compliance, 0, error);
    if (!status)
        status = add_index(builder, &builder->row_start, (int)builder->entry_body.count, error);
    if (status)
        return status;
    builder->n_joints += kind == PERP_ROW_JOINT;
    builder->n_boxes += kind == PERP_ROW_BOX;
    builder->n_contacts += kind == PERP_ROW_CONTACT;
    builder->n_directions += kind == PERP_ROW_DIRECTION;
    if (kind == PERP_ROW_DIRECTION)
        builder->group_start.data[builder->group_start.count - 1]++;
    return check_pairs(builder, error);
}

void perp_builder_compliance(PerpProblemBuilder *builder, double compliance)
{
    builder->compliance.data[builder->compliance.count - 1] = compliance;
    builder->n_compliant++;
}

PerpStatus perp_builder_entry(PerpProblemBuilder *builder, int body, double **J, PerpError *error)
{
    int row = (int)builder->row_start.count - 1;
    if (builder->body_row.data[body] == row)
        return perp_fail(error, PERP_BAD_VALUE, "body %d twice in a row", body);
    builder->body_row.data[body] = row;
    int size = perp_builder_body_size(builder, body);
    PerpStatus status = grow_numbers(builder, &builder->J, (size_t)size, error);
    if (!status)
        status = add_index(builder, &builder->entry_body, body, error);
    if (status)
        return status;
    builder->row_start.data[builder->row_start.count - 1]++;
    *J = builder->J.data + builder->J.count - size;
    return PERP_OK;
}

PerpStatus perp_builder_bounds(PerpProblemBuilder *builder, double lo, double hi, PerpError *error)
{
    PerpStatus status = add_number(builder, &builder->lo, lo, error);
    return status ? status : add_number(builder, &builder->hi, hi, error);
}

PerpStatus perp_builder_group(PerpProblemBuilder *builder, int contact, double mu, double cohesion,
                              PerpError *error)
{
    PerpStatus status = add_index(builder, &builder->group_contact, contact, error);
    if (!status)
        status = add_index(builder, &builder->group_start, builder->n_directions, error);
    if (!status)
        status = add_index(builder, &builder->group_circular, 0, error);
    if (!status)
        status = add_number(builder, &builder->mu, mu, error);
    if (!status)
        status = add_number(builder, &builder->cohesion, cohesion, error);
    return status ? status : check_pairs(builder, error);
}

void perp_builder_round(PerpProblemBuilder *builder)
{
    builder->group_circular.data[builder->group_circular.count - 1] = 1;
    builder->n_round++;
}

PerpProblem perp_builder_problem(const PerpProblemBuilder *builder)
{
    return (PerpProblem){
        .n_bodies = perp_builder_bodies(builder),
        .body_start = builder->body_start.data,
        .Mt = builder->Mt.data,
        .b = builder->b.data,
        .n_joints = builder->n_joints,
        .n_boxes = builder->n_boxes,
        .n_contacts = builder->n_contacts,
        .n_directions = builder->n_directions,
        .row_start = builder->row_start.data,
        .entry_body = builder->entry_body.data,
        .J = builder->J.data,
        .d = builder->d.data,
        .lo = builder->lo.data,
        .hi = builder->hi.data,
        .n_groups = (int)builder->group_contact.count,
        .group_contact = builder->group_contact.data,
        .group_start = builder->group_start.data,
        .mu = builder->mu.data,
        .cohesion = builder->cohesion.data,
        .group_circular = builder->n_round > 0 ? builder->group_circular.data : NULL,
        .compliance = builder->n_compliant > 0 ? builder->compliance.data : NULL,
    };
}
