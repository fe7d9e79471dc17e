// MuJoCo: Newton's method on elliptic cones, contacts as soft as they come. Joints make its
// coordinates; free bodies have six each; loops are closed by soft equations. Motors are velocity
// actuators with the force limits of the scene, and need the implicit integrator.
#define _GNU_SOURCE
#include "common/measure.h"
#include "engines/engine.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct World {
    mjModel *model;
    mjData *data;
    int *ids;
} World;

// --- the scene as XML ---------------------------------------------------------------------------

static int joint_of(const BenchScene *scene, int body)
{
    for (int k = 0; k < scene->n_joints; k++)
        if (scene->joints[k].b == body && !scene->joints[k].closes)
            return k;
    return -1;
}

static void write_geom(FILE *out, const BenchScene *scene, const BenchBody *b)
{
    static const char *const names[] = {"sphere", "box", "capsule"};
    fprintf(out, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", b->mass,
            b->inertia[0], b->inertia[1], b->inertia[2]);
    if (scene->touching)
        fprintf(out, "<geom type='%s' size='%.17g %.17g %.17g'/>", names[b->kind], b->size[0],
                b->size[1], b->size[2]);
}

static void write_joint(FILE *out, const BenchBody *b, const BenchJoint *j, int number)
{
    double axis[3];
    fprintf(out, "<joint name='j%d' pos='%.17g %.17g %.17g' ", number, j->anchor_b[0],
            j->anchor_b[1], j->anchor_b[2]);
    bench_turn_back(b->rotation, j->axis, axis);
    if (j->hinge)
        fprintf(out, "type='hinge' axis='%.17g %.17g %.17g'/>", axis[0], axis[1], axis[2]);
    else
        fprintf(out, "type='ball'/>");
}

static void write_body(FILE *out, const BenchScene *scene, int body, int joint)
{
    const BenchBody *b = &scene->bodies[body];
    const BenchJoint *j = joint < 0 ? NULL : &scene->joints[joint];
    double place[3], turn[4];
    memcpy(place, b->position, sizeof place);
    memcpy(turn, b->rotation, sizeof turn);
    if (j && j->a >= 0) {
        const BenchBody *a = &scene->bodies[j->a];
        double arm[3] = {place[0] - a->position[0], place[1] - a->position[1],
                         place[2] - a->position[2]};
        double back[4];
        bench_turn_back(a->rotation, arm, place);
        mju_negQuat(back, a->rotation);
        mju_mulQuat(turn, back, b->rotation);
    }
    fprintf(out, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>", body,
            place[0], place[1], place[2], turn[0], turn[1], turn[2], turn[3]);
    if (j)
        write_joint(out, b, j, joint);
    else
        fprintf(out, "<freejoint/>");
    write_geom(out, scene, b);
    for (int k = body + 1; scene->n_joints > 0 && k < scene->n_bodies; k++) {
        int own = joint_of(scene, k);
        if (own >= 0 && scene->joints[own].a == body)
            write_body(out, scene, k, own);
    }
    fprintf(out, "</body>\n");
}

static void write_plane(FILE *out, const BenchPlane *p)
{
    fprintf(out,
            "<geom type='plane' size='0 0 1' pos='%.17g %.17g %.17g' zaxis='%.17g %.17g %.17g'/>\n",
            p->offset * p->normal[0], p->offset * p->normal[1], p->offset * p->normal[2],
            p->normal[0], p->normal[1], p->normal[2]);
}

// A ball joint that closes a loop; anchors are of the first body.
static void write_loops(FILE *out, const BenchScene *scene)
{
    fprintf(out, "<equality>");
    for (int k = 0; k < scene->n_joints; k++) {
        const BenchJoint *j = &scene->joints[k];
        if (!j->closes)
            continue;
        fprintf(out, "<connect body1='b%d' anchor='%.17g %.17g %.17g'", j->b, j->anchor_b[0],
                j->anchor_b[1], j->anchor_b[2]);
        if (j->a >= 0)
            fprintf(out, " body2='b%d'", j->a);
        fprintf(out, "/>");
    }
    fprintf(out, "</equality>\n");
}

// kv: stiff beside the inertias of the scenes' limbs
static void write_motors(FILE *out, const BenchScene *scene)
{
    static const double GAIN = 50; // N m s/rad
    fprintf(out, "<actuator>");
    for (int k = 0; k < scene->n_joints; k++)
        if (scene->joints[k].torque > 0)
            fprintf(out, "<velocity joint='j%d' kv='%g' forcerange='%.17g %.17g'/>", k, GAIN,
                    -scene->joints[k].torque, scene->joints[k].torque);
    fprintf(out, "</actuator>\n");
}

static void write_scene(FILE *out, const BenchScene *scene)
{
    fprintf(out,
            "<mujoco><compiler angle='radian' balanceinertia='true'/>"
            "<option timestep='%.17g' gravity='0 0 -9.81' cone='elliptic' solver='Newton'%s/>"
            "<default><geom friction='%.17g 0 0' condim='3'/></default><worldbody>\n",
            scene->dt, bench_is_mechanism(scene) ? " integrator='implicitfast'" : "", scene->mu);
    for (int k = 0; k < scene->n_planes; k++)
        write_plane(out, &scene->planes[k]);
    for (int k = 0; k < scene->n_bodies; k++) {
        int joint = joint_of(scene, k);
        if (joint < 0 || scene->joints[joint].a < 0)
            write_body(out, scene, k, joint);
    }
    fprintf(out, "</worldbody>\n");
    write_loops(out, scene);
    write_motors(out, scene);
    fprintf(out, "</mujoco>\n");
}

// --- the run ------------------------------------------------------------------------------------

// MuJoCo's errors do not return; the run is a process of its own
static char *last_message;

static void stop(const char *text)
{
    snprintf(last_message, BENCH_MESSAGE, "%.150s", text);
    _exit(1);
}

static void be_quiet(const char *text)
{
    (void)text;
}

static mjModel *compile(const BenchScene *scene, char message[BENCH_MESSAGE])
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    mjVFS *files = bench_memory(1, sizeof *files);
    write_scene(out, scene);
    fclose(out);
    mj_defaultVFS(files);
    mj_addBufferVFS(files, "scene.xml", text, (int)size);
    mjModel *model = mj_loadXML("scene.xml", files, message, BENCH_MESSAGE);
    mj_deleteVFS(files);
    free(files);
    free(text);
    return model;
}

static void *create(const BenchEngine *engine, const BenchScene *scene, char message[BENCH_MESSAGE])
{
    (void)engine;
    last_message = message;
    mju_user_error = stop;
    mju_user_warning = be_quiet;
    World *w = bench_memory(1, sizeof *w);
    w->model = compile(scene, message);
    if (!w->model) {
        for (char *end = message; (end = strchr(end, '\n'));)
            *end = end[1] ? ' ' : '\0';
        return NULL;
    }
    w->data = mj_makeData(w->model);
    for (int k = 0, motor = 0; k < scene->n_joints; k++)
        if (scene->joints[k].torque > 0)
            w->data->ctrl[motor++] = scene->joints[k].speed;
    w->ids = bench_memory((size_t)scene->n_bodies, sizeof *w->ids);
    for (int k = 0; k < scene->n_bodies; k++) {
        char name[32];
        snprintf(name, sizeof name, "b%d", k);
        w->ids[k] = mj_name2id(w->model, mjOBJ_BODY, name);
    }
    message[0] = '\0';
    return w;
}

static bool step(void *world, char message[BENCH_MESSAGE])
{
    World *w = world;
    mj_step(w->model, w->data);
    const mjWarningStat *seen = w->data->warning;
    if (seen[mjWARN_CONTACTFULL].number || seen[mjWARN_CNSTRFULL].number)
        snprintf(message, BENCH_MESSAGE, "contact buffer full");
    else if (seen[mjWARN_BADQPOS].number || seen[mjWARN_BADQVEL].number ||
             seen[mjWARN_BADQACC].number)
        snprintf(message, BENCH_MESSAGE, "blew up and began anew");
    else
        return true;
    return false;
}

// positions that belong to the end of the step
static void poses(void *world, int count, BenchPose *p)
{
    World *w = world;
    mj_kinematics(w->model, w->data);
    mj_comPos(w->model, w->data);
    mj_fwdVelocity(w->model, w->data);
    for (int k = 0; k < count; k++) {
        double speed[6];
        memcpy(p[k].position, w->data->xpos + 3 * w->ids[k], sizeof p[k].position);
        memcpy(p[k].rotation, w->data->xquat + 4 * w->ids[k], sizeof p[k].rotation);
        mj_objectVelocity(w->model, w->data, mjOBJ_BODY, w->ids[k], speed, 0);
        memcpy(p[k].spin, speed, sizeof p[k].spin);
        memcpy(p[k].velocity, speed + 3, sizeof p[k].velocity);
    }
}

static int contacts(const void *world)
{
    return ((const World *)world)->data->ncon;
}

static void destroy(void *world)
{
    World *w = world;
    mj_deleteData(w->data);
    mj_deleteModel(w->model);
    free(w->ids);
    free(w);
}

static bool can_play(const BenchScene *scene)
{
    return !scene->file;
}

const BenchEngine bench_engine_mujoco = {.name = "mujoco",
                                         .text = "MuJoCo, Newton's method, elliptic cones",
                                         .can_play = can_play,
                                         .create = create,
                                         .step = step,
                                         .poses = poses,
                                         .contacts = contacts,
                                         .destroy = destroy};
