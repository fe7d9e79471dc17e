// perp, default scheme, circular cones.
#include "engine.h"
#include "measure.h"
#include "perp/perp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct World {
    PerpScene *scene; // if it came from a file
    PerpModel *model;
    PerpSimulation *simulation;
    BenchProof proof;
} World;

// --- the model ----------------------------------------------------------------------------------

static PerpBodyDef define_body(const BenchBody *b)
{
    PerpBodyDef body = perp_default_body();
    memcpy(body.position, b->position, sizeof body.position);
    memcpy(body.rotation, b->rotation, sizeof body.rotation);
    body.mass = b->mass;
    memcpy(body.inertia, b->inertia, sizeof b->inertia);
    return body;
}

static PerpShapeDef define_shape(const BenchBody *b, int body)
{
    static const PerpShapeKind kinds[] = {PERP_SHAPE_SPHERE, PERP_SHAPE_BOX, PERP_SHAPE_CAPSULE};
    PerpShapeDef shape = perp_default_shape();
    shape.kind = kinds[b->kind];
    shape.body = body;
    shape.density = 0;
    for (int k = 0; k < 3; k++)
        shape.size[k] = b->size[k] > 0 ? b->size[k] : 1;
    return shape;
}

// the plane's frame has z along its normal
static PerpShapeDef define_plane(const BenchPlane *p)
{
    PerpShapeDef shape = perp_default_shape();
    shape.kind = PERP_SHAPE_PLANE;
    double q[4] = {1 + p->normal[2], -p->normal[1], p->normal[0], 0};
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int k = 0; k < 4; k++)
        shape.rotation[k] = q[k] / length;
    for (int k = 0; k < 3; k++)
        shape.position[k] = p->offset * p->normal[k];
    return shape;
}

static PerpJointDef define_joint(const BenchJoint *j)
{
    PerpJointDef joint = perp_default_joint();
    joint.body_a = j->a;
    joint.body_b = j->b;
    memcpy(joint.anchor, j->anchor, sizeof joint.anchor);
    return joint;
}

static PerpStatus make_model(const BenchScene *scene, PerpModel **model, PerpError *error)
{
    size_t bodies = (size_t)scene->n_bodies, joints = (size_t)scene->n_joints;
    PerpBodyDef *body = bench_memory(bodies, sizeof *body);
    PerpShapeDef *shape = bench_memory(bodies + BENCH_PLANES, sizeof *shape);
    PerpJointDef *joint = bench_memory(joints + 1, sizeof *joint);
    PerpMaterialDef material = perp_default_material();
    PerpModelDef def = perp_default_model_def();
    material.mu = scene->mu;
    for (int k = 0; k < scene->n_bodies; k++) {
        body[k] = define_body(&scene->bodies[k]);
        shape[k] = define_shape(&scene->bodies[k], k);
    }
    for (int k = 0; k < scene->n_planes; k++)
        shape[scene->n_bodies + k] = define_plane(&scene->planes[k]);
    for (int k = 0; k < scene->n_joints; k++)
        joint[k] = define_joint(&scene->joints[k]);
    def.n_bodies = scene->n_bodies;
    def.bodies = body;
    def.n_shapes = scene->touching ? scene->n_bodies + scene->n_planes : 0;
    def.shapes = shape;
    def.n_joints = scene->n_joints;
    def.joints = joint;
    def.n_materials = 1;
    def.materials = &material;
    PerpStatus status = perp_model_create(NULL, &def, model, error);
    free(body);
    free(shape);
    free(joint);
    return status;
}

static PerpStatus read_model(World *w, const char *name, PerpError *error)
{
    char path[512];
    snprintf(path, sizeof path, PERP_BENCH_SCENES "/%s.yaml", name);
    PerpStatus status = perp_scene_read(NULL, path, NULL, 0, &w->scene, error);
    return status ? status
                  : perp_model_create(NULL, perp_scene_model_def(w->scene), &w->model, error);
}

// --- the run ------------------------------------------------------------------------------------

static void destroy(void *world)
{
    World *w = world;
    perp_simulation_destroy(w->simulation);
    perp_model_destroy(w->model);
    perp_scene_destroy(w->scene);
    free(w);
}

static void see_problem(void *user, const PerpSolvedProblem *solved)
{
    BenchProof *proof = &((World *)user)->proof;
    proof->problems++;
    proof->iterations += solved->result->iterations;
    proof->pivots += solved->result->pivots;
    if ((int)solved->result->solved_by < BENCH_METHODS)
        proof->method[solved->result->solved_by]++;
}

static void *create(const BenchEngine *engine, const BenchScene *scene, char message[BENCH_MESSAGE])
{
    World *w = bench_memory(1, sizeof *w);
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpError error = {0};
    settings.facets = 0;
    settings.step = scene->dt;
    settings.tolerance = engine->setting;
    settings.held_tolerance = settings.tolerance;
    settings.threads = engine->threads > 0 ? engine->threads : 1;
    PerpStatus status =
        scene->file ? read_model(w, scene->file, &error) : make_model(scene, &w->model, &error);
    if (!status)
        status = perp_simulation_create(NULL, w->model, &settings, &w->simulation, &error);
    if (status) {
        snprintf(message, BENCH_MESSAGE, "%.150s", error.message);
        destroy(w);
        return NULL;
    }
    perp_simulation_watch(w->simulation, see_problem, w);
    return w;
}

static bool step(void *world, char message[BENCH_MESSAGE])
{
    World *w = world;
    PerpError error;
    if (perp_simulation_step(w->simulation, 0, &error)) {
        snprintf(message, BENCH_MESSAGE, "%.150s", error.message);
        return false;
    }
    const PerpStepReport *report = perp_simulation_report(w->simulation);
    w->proof.steps++;
    w->proof.certified += report->outcome == PERP_OUTCOME_SOLVED;
    if ((int)report->outcome < BENCH_OUTCOMES)
        w->proof.outcome[report->outcome]++;
    w->proof.worst = fmax(w->proof.worst, report->certificate.worst);
    w->proof.penetration = report->penetration;
    w->proof.gap = report->joint_gap;
    return true;
}

static int bodies(const void *world)
{
    return perp_model_body_count(((const World *)world)->model);
}

static void poses(void *world, int count, BenchPose *p)
{
    const World *w = world;
    for (int k = 0; k < count; k++) {
        perp_simulation_pose(w->simulation, k, p[k].position, p[k].rotation);
        perp_simulation_velocity(w->simulation, k, p[k].velocity, p[k].spin);
    }
}

static int contacts(const void *world)
{
    return perp_simulation_report(((const World *)world)->simulation)->contacts;
}

static void prove(const void *world, BenchProof *proof)
{
    *proof = ((const World *)world)->proof;
}

static bool can_play(const BenchScene *scene)
{
    (void)scene;
    return true;
}

#define ENGINE(tolerance)                                                                          \
    {                                                                                              \
        .name = "perp-" #tolerance, .text = "perp, circular cones, tolerance " #tolerance,         \
        .can_play = can_play, .create = create, .step = step, .bodies = bodies, .poses = poses,    \
        .contacts = contacts, .prove = prove, .destroy = destroy, .setting = tolerance             \
    }

const BenchEngine bench_engine_perp_exact = ENGINE(1e-8);
const BenchEngine bench_engine_perp_rough = ENGINE(1e-3);
const BenchEngine bench_engine_perp_game = ENGINE(1e-1);
