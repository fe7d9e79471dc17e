// Queries of a compiled model: counts, names, masses.
#include "model/model.h"

#include "math/mat3.h"

#include <assert.h>

int perp_model_body_count(const PerpModel *model)
{
    return model->n_bodies;
}

int perp_model_joint_count(const PerpModel *model)
{
    return model->n_joints;
}

int perp_model_shape_count(const PerpModel *model)
{
    return model->n_shapes;
}

const char *perp_model_body_name(const PerpModel *model, int body)
{
    assert(body >= -1 && body < model->n_bodies);
    return body < 0 ? "world" : model->bodies[body].name;
}

const char *perp_model_joint_name(const PerpModel *model, int joint)
{
    assert(joint >= 0 && joint < model->n_joints);
    return model->joints[joint].name;
}

int perp_model_find_body(const PerpModel *model, const char *name)
{
    return perp_name_index_find(&model->body_names, name);
}

int perp_model_find_joint(const PerpModel *model, const char *name)
{
    return perp_name_index_find(&model->joint_names, name);
}

double perp_model_body_mass(const PerpModel *model, int body)
{
    assert(body >= 0 && body < model->n_bodies);
    return model->bodies[body].mass;
}

void perp_model_body_inertia(const PerpModel *model, int body, double inertia[3][3])
{
    assert(body >= 0 && body < model->n_bodies);
    const PerpMat3 *J = &model->bodies[body].inertia;
    perp_vec3_store(J->x, inertia[0]);
    perp_vec3_store(J->y, inertia[1]);
    perp_vec3_store(J->z, inertia[2]);
}
