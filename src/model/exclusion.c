// Pairs of shapes excluded from contact.
#include "model/compile.h"

#include <assert.h>

// A pair of bodies, smaller < larger; -1: the world.
typedef struct BodyPair {
    int smaller, larger;
} BodyPair;

static BodyPair sort_pair(int a, int b)
{
    return a < b ? (BodyPair){a, b} : (BodyPair){b, a};
}

// The k-th reason not to touch: first the listed pairs, then the joints. False if it is none.
static bool excluded_pair(const PerpModelDef *def, size_t k, BodyPair *pair)
{
    if (k < (size_t)def->n_exclusions) {
        *pair = sort_pair(def->exclusions[k].body_a, def->exclusions[k].body_b);
        return true;
    }
    const PerpJointDef *joint = &def->joints[k - (size_t)def->n_exclusions];
    *pair = sort_pair(joint->body_a, joint->body_b);
    bool to_world = joint->body_a < 0 || joint->body_b < 0; // what hangs may still touch the ground
    return joint->kind != PERP_JOINT_COUPLING && !joint->collide && !to_world;
}

static PerpStatus check_exclusions(const PerpModelDef *def, PerpError *error)
{
    for (int k = 0; k < def->n_exclusions; k++) {
        const PerpExclusionDef *pair = &def->exclusions[k];
        PerpCheck check = {.kind = "exclusion", .index = k, .error = error};
        perp_check_index(&check, "body_a", pair->body_a, -1, def->n_bodies);
        perp_check_index(&check, "body_b", pair->body_b, -1, def->n_bodies);
        if (pair->body_a == pair->body_b)
            perp_check_fail(&check, PERP_BAD_VALUE, "both bodies are %d", pair->body_a);
        if (check.status)
            return check.status;
    }
    return PERP_OK;
}

// By counting: start[larger + 2] counts, its sums are where the lists begin, and filling moves
// start[larger + 1] from the begin of its list to the end, which is where it belongs.
static void list_pairs(PerpModel *model, const PerpModelDef *def, size_t n_reasons)
{
    int *start = model->excluded_start;
    BodyPair pair;
    for (size_t k = 0; k < n_reasons; k++)
        if (excluded_pair(def, k, &pair))
            start[pair.larger + 2]++;
    for (int body = 0; body < model->n_bodies; body++)
        start[body + 2] += start[body + 1];
    for (size_t k = 0; k < n_reasons; k++)
        if (excluded_pair(def, k, &pair))
            model->excluded[start[pair.larger + 1]++] = pair.smaller;
}

PerpStatus perp_compile_exclusions(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    PerpStatus status = check_exclusions(def, error);
    if (status)
        return status;
    const PerpAllocator *allocator = &model->context.allocator;
    size_t n_reasons = (size_t)def->n_exclusions + (size_t)def->n_joints;
    model->excluded_start = perp_allocate(allocator, (size_t)model->n_bodies + 2, sizeof(int));
    model->excluded = perp_allocate(allocator, n_reasons, sizeof(int));
    if (!model->excluded_start || !model->excluded)
        return perp_compile_no_memory(error);
    list_pairs(model, def, n_reasons);
    return PERP_OK;
}

static bool is_excluded(const PerpModel *model, BodyPair pair)
{
    int end = model->excluded_start[pair.larger + 1];
    for (int k = model->excluded_start[pair.larger]; k < end; k++)
        if (model->excluded[k] == pair.smaller)
            return true;
    return false;
}

static bool can_move(const PerpModel *model, int body)
{
    return body >= 0 && model->bodies[body].freedom != 0;
}

bool perp_model_may_touch(const PerpModel *model, int shape_s, int shape_t)
{
    assert(shape_s >= 0 && shape_s < model->n_shapes && shape_t >= 0 && shape_t < model->n_shapes);
    const PerpModelShape *s = &model->shapes[shape_s], *t = &model->shapes[shape_t];
    if (s->body == t->body || !(can_move(model, s->body) || can_move(model, t->body)))
        return false;
    if (!(s->group & t->mask) || !(t->group & s->mask))
        return false;
    return !is_excluded(model, sort_pair(s->body, t->body));
}
