// Sites, actuators, motions and sensors of a model.
#include "model/compile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A name of its own among those of its kind.
static PerpStatus take_name(PerpModel *model, const char *given, const char *kind, int index,
                            PerpNameIndex *names, char **name, PerpError *error)
{
    *name = perp_compile_name(model, given, kind, index);
    if (!*name)
        return perp_compile_no_memory(error);
    return perp_compile_unique(names, kind, *name, index, error);
}

// --- sites --------------------------------------------------------------------------------------

static PerpStatus compile_site(PerpModel *model, const PerpSiteDef *def, int index,
                               PerpError *error)
{
    PerpSite *site = &model->control.sites[index];
    PerpStatus status =
        take_name(model, def->name, "site", index, &model->control.site_names, &site->name, error);
    if (status)
        return status;
    PerpCheck check = {.kind = "site", .name = site->name, .error = error};
    perp_check_index(&check, "body", def->body, -1, model->n_bodies);
    perp_check_finite(&check, "position", def->position, 3);
    perp_check_rotation(&check, "rotation", def->rotation);
    if (check.status)
        return check.status;
    site->body = def->body;
    site->pose = (PerpPose){perp_vec3_load(def->position), perp_compile_quat(def->rotation)};
    if (def->body >= 0)
        site->pose.position = perp_vec3_sub(site->pose.position, model->bodies[def->body].centre);
    return PERP_OK;
}

// --- actuators ----------------------------------------------------------------------------------

static int coordinates_of(const PerpModel *model, int joint)
{
    return perp_joint_table(model->joints[joint].kind)->coordinates;
}

static void check_coordinate(PerpCheck *check, const PerpModel *model, int joint, int coordinate)
{
    perp_check_index(check, "joint", joint, 0, model->n_joints);
    if (check->status)
        return;
    const PerpJoint *j = &model->joints[joint];
    if (coordinate < 0 || coordinate >= coordinates_of(model, joint))
        perp_check_fail(check, PERP_BAD_VALUE, "the joint \"%s\" is a %s, which has no %s", j->name,
                        perp_joint_kind_name(j->kind),
                        coordinate == 1 ? "second coordinate" : "such coordinate");
}

// Just one of joint, tendon, site.
static void check_transmission(PerpCheck *check, const PerpModel *model, const PerpActuatorDef *def)
{
    int given = (def->joint >= 0) + (def->n_terms > 0) + (def->site_a >= 0);
    if (given != 1)
        perp_check_fail(check, PERP_BAD_VALUE,
                        "expected a joint, a tendon or a site to act on, found %d of them", given);
    if (def->n_terms < 0 || def->n_terms > PERP_TENDON_TERMS)
        perp_check_fail(check, PERP_BAD_SIZE, "n_terms is %d, not in 0 .. %d", def->n_terms,
                        PERP_TENDON_TERMS);
    if (check->status)
        return;
    if (def->joint >= 0)
        check_coordinate(check, model, def->joint, def->coordinate);
    for (int k = 0; k < def->n_terms; k++) {
        check_coordinate(check, model, def->terms[k].joint, def->terms[k].coordinate);
        perp_check_number(check, "ratio", def->terms[k].ratio);
    }
    perp_check_index(check, "site_a", def->site_a, -1, model->control.n_sites);
    perp_check_index(check, "site_b", def->site_b, -1, model->control.n_sites);
    bool is_wrench = def->site_a >= 0 && def->site_b < 0;
    if (is_wrench && def->kind != PERP_ACTUATOR_FORCE)
        perp_check_fail(check, PERP_BAD_VALUE, "at a single site it can be a force only, not a %s",
                        perp_actuator_kind_name(def->kind));
    if (is_wrench && !check->status && model->control.sites[def->site_a].body < 0)
        perp_check_fail(check, PERP_BAD_VALUE, "its site is in the world, which does not move");
    if (def->site_b >= 0 && def->site_a == def->site_b)
        perp_check_fail(check, PERP_BAD_VALUE, "its two sites are the same");
}

// What would do nothing is refused.
static void check_effect(PerpCheck *check, const PerpActuatorDef *def)
{
    bool is_wrench = def->site_a >= 0 && def->site_b < 0, has_wrench = false;
    for (int k = 0; k < 6; k++)
        has_wrench = has_wrench || def->wrench[k] != 0;
    if (is_wrench && !has_wrench)
        perp_check_fail(check, PERP_BAD_VALUE, "at a site it needs a push or a twist");
    if (!is_wrench && has_wrench)
        perp_check_fail(check, PERP_BAD_VALUE, "push and twist are for a single site");
    if (def->kind == PERP_ACTUATOR_POSITION && def->kp == 0 && def->kd == 0)
        perp_check_fail(check, PERP_BAD_VALUE, "a position servo needs kp or kd");
}

// lower <= upper, neither NaN
static void check_range(PerpCheck *check, const char *what, double lower, double upper)
{
    if (!(lower <= upper))
        perp_check_fail(check, PERP_BAD_VALUE,
                        "its range of %s is %g to %g; expected the lower one "
                        "first",
                        what, lower, upper);
}

static PerpStatus check_actuator(const PerpModel *model, const PerpActuatorDef *def,
                                 const char *name, PerpError *error)
{
    PerpCheck check = {.kind = "actuator", .name = name, .error = error};
    perp_check_index(&check, "kind", (int)def->kind, 0, PERP_ACTUATOR_KIND_COUNT);
    perp_check_index(&check, "control", def->control, -1, model->control.n_signals);
    if (!check.status)
        check_transmission(&check, model, def);
    perp_check_finite(&check, "wrench", def->wrench, 6);
    if (!check.status)
        check_effect(&check, def);
    perp_check_number(&check, "gear", def->gear);
    perp_check_at_least(&check, "kp", def->kp, 0);
    perp_check_at_least(&check, "kd", def->kd, 0);
    perp_check_at_least(&check, "time_constant", def->time_constant, 0);
    perp_check_times(&check, def->start, def->end);
    check_range(&check, "forces", def->force_lower, def->force_upper);
    check_range(&check, "controls", def->control_lower, def->control_upper);
    if (def->gear == 0)
        perp_check_fail(&check, PERP_BAD_VALUE, "its gear is 0");
    if (def->kind == PERP_ACTUATOR_MOTION && (def->control < 0 || def->time_constant > 0))
        perp_check_fail(&check, PERP_BAD_VALUE,
                        "a motion needs a signal of t as control, and no time constant");
    if (def->kind == PERP_ACTUATOR_MOTION && def->start > 0)
        perp_check_fail(&check, PERP_BAD_VALUE, "a motion begins with the run, not at %g s",
                        def->start);
    return check.status;
}

static PerpStatus compile_actuator(PerpModel *model, const PerpActuatorDef *def, int index,
                                   PerpError *error)
{
    PerpActuator *actuator = &model->control.actuators[index];
    PerpStatus status = take_name(model, def->name, "actuator", index,
                                  &model->control.actuator_names, &actuator->name, error);
    if (!status)
        status = check_actuator(model, def, actuator->name, error);
    if (status)
        return status;
    *actuator = (PerpActuator){.name = actuator->name,
                               .kind = def->kind,
                               .control = def->control,
                               .n_terms = def->joint >= 0 ? 1 : def->n_terms,
                               .site_a = def->site_a,
                               .site_b = def->site_b,
                               .force = perp_vec3_load(def->wrench),
                               .moment = perp_vec3_load(def->wrench + 3),
                               .gear = def->gear,
                               .force_lower = def->force_lower,
                               .force_upper = def->force_upper,
                               .control_lower = def->control_lower,
                               .control_upper = def->control_upper,
                               .kp = def->kp,
                               .kd = def->kd,
                               .time_constant = def->time_constant,
                               .start = def->start,
                               .end = def->end};
    if (def->n_terms > 0)
        memcpy(actuator->term, def->terms, (size_t)def->n_terms * sizeof *def->terms);
    if (def->joint >= 0)
        actuator->term[0] = (PerpTendonTerm){def->joint, def->coordinate, 1};
    return PERP_OK;
}

// --- motions ------------------------------------------------------------------------------------

static PerpStatus compile_motion(PerpModel *model, const PerpMotionDef *def, int index,
                                 PerpError *error)
{
    int n_signals = model->control.n_signals;
    PerpMotion *motion = &model->control.motions[index];
    PerpCheck check = {.kind = "motion", .index = index, .error = error};
    perp_check_index(&check, "body", def->body, 0, model->n_bodies);
    if (!check.status)
        check.name = model->bodies[def->body].name;
    perp_check_index(&check, "angle", def->angle, -1, n_signals);
    perp_check_direction(&check, "axis", def->axis);
    for (int k = 0; k < 3; k++)
        perp_check_index(&check, "position", def->position[k], -1, n_signals);
    if (check.status)
        return check.status;
    const PerpBody *body = &model->bodies[def->body];
    if (body->freedom != PERP_FREE_ALL)
        perp_check_fail(&check, PERP_BAD_VALUE,
                        "the body must be free in all directions to be moved");
    for (int k = 0; k < index; k++)
        if (model->control.motions[k].body == def->body)
            perp_check_fail(&check, PERP_BAD_VALUE, "the body has two motions");
    *motion = (PerpMotion){
        .body = def->body,
        .position = {def->position[0], def->position[1], def->position[2]},
        .angle = def->angle,
        .axis = perp_vec3_normalise(perp_vec3_load(def->axis)),
        .origin =
            perp_vec3_sub(body->pose.position, perp_quat_rotate(body->pose.rotation, body->centre)),
        .start = body->pose.rotation,
        .is_velocity = def->is_velocity,
    };
    return check.status;
}

// --- sensors ------------------------------------------------------------------------------------

static int objects_of(const PerpModel *model, PerpSensorObject object)
{
    switch (object) {
    case PERP_SENSES_JOINT:
        return model->n_joints;
    case PERP_SENSES_ACTUATOR:
        return model->control.n_actuators;
    case PERP_SENSES_SITE:
        return model->control.n_sites;
    case PERP_SENSES_SIGNAL:
        return model->control.n_signals;
    default:
        return model->n_bodies;
    }
}

// A shape stands for its body, which must be the one that is given.
static void check_sensor_shape(PerpCheck *check, const PerpModel *model, const char *what,
                               int shape, int body)
{
    perp_check_index(check, what, shape, -1, model->n_shapes);
    if (!check->status && shape >= 0 && model->shapes[shape].body != body)
        perp_check_fail(check, PERP_BAD_VALUE, "%s %d is of body %d, not of %d", what, shape,
                        model->shapes[shape].body, body);
}

static bool has_frame(PerpSensorKind kind)
{
    return kind == PERP_SENSOR_JOINT_FORCE || kind == PERP_SENSOR_JOINT_MOMENT ||
           kind == PERP_SENSOR_CONTACT_FORCE || kind == PERP_SENSOR_CONTACT_MOMENT;
}

static PerpStatus check_sensor(const PerpModel *model, const PerpSensorDef *def, const char *name,
                               PerpError *error)
{
    PerpCheck check = {.kind = "sensor", .name = name, .error = error};
    perp_check_index(&check, "kind", (int)def->kind, 0, PERP_SENSOR_KIND_COUNT);
    if (check.status)
        return check.status;
    PerpSensorObject object = perp_sensor_kind_object(def->kind);
    if (object != PERP_SENSES_BODIES)
        perp_check_index(&check, "index", def->index, 0, objects_of(model, object));
    bool has_coordinate = def->kind == PERP_SENSOR_JOINT_POSITION ||
                          def->kind == PERP_SENSOR_JOINT_SPEED ||
                          def->kind == PERP_SENSOR_MOTOR_FORCE;
    if (has_coordinate && !check.status)
        check_coordinate(&check, model, def->index, def->coordinate);
    perp_check_index(&check, "other", def->other, PERP_ANY_BODY, model->n_bodies);
    perp_check_index(&check, "frame", def->frame, -1, model->control.n_sites);
    if (def->kind == PERP_SENSOR_DISTANCE && def->other == PERP_ANY_BODY)
        perp_check_fail(&check, PERP_BAD_VALUE, "a distance needs another body");
    if (def->frame >= 0 && !has_frame(def->kind))
        perp_check_fail(&check, PERP_BAD_VALUE, "a %s has no frame",
                        perp_sensor_kind_name(def->kind));
    check_sensor_shape(&check, model, "shape", def->shape, def->index);
    check_sensor_shape(&check, model, "other_shape", def->other_shape, def->other);
    if (object != PERP_SENSES_BODY && (def->shape >= 0 || def->other_shape >= 0))
        perp_check_fail(&check, PERP_BAD_VALUE, "a %s has no shape",
                        perp_sensor_kind_name(def->kind));
    if (object == PERP_SENSES_BODY && def->other == def->index)
        perp_check_fail(&check, PERP_BAD_VALUE, "its two bodies are the same");
    if (def->n_bodies < 0)
        perp_check_fail(&check, PERP_BAD_SIZE, "n_bodies is %d", def->n_bodies);
    for (int k = 0; k < def->n_bodies; k++)
        perp_check_index(&check, "bodies", def->bodies[k], 0, model->n_bodies);
    perp_check_at_least(&check, "noise", def->noise, 0);
    perp_check_at_least(&check, "limit", def->limit, 0);
    return check.status;
}

static PerpStatus compile_sensor(PerpModel *model, const PerpSensorDef *def, int index,
                                 PerpError *error)
{
    PerpControlModel *control = &model->control;
    PerpSensor *sensor = &control->sensors[index];
    PerpStatus status =
        take_name(model, def->name, "sensor", index, &control->sensor_names, &sensor->name, error);
    if (!status)
        status = check_sensor(model, def, sensor->name, error);
    if (status)
        return status;
    bool is_set = perp_sensor_kind_object(def->kind) == PERP_SENSES_BODIES;
    int n_bodies = !is_set ? 0 : def->n_bodies > 0 ? def->n_bodies : model->n_bodies;
    *sensor = (PerpSensor){.name = sensor->name,
                           .kind = def->kind,
                           .index = def->index,
                           .coordinate = def->coordinate,
                           .other = def->other,
                           .frame = def->frame,
                           .n_bodies = n_bodies,
                           .noise = def->noise,
                           .limit = def->limit,
                           .shape = def->shape,
                           .other_shape = def->other_shape,
                           .start = control->n_sensor_numbers};
    sensor->bodies = perp_allocate(&model->context.allocator, (size_t)n_bodies, sizeof(int));
    if (!sensor->bodies)
        return perp_compile_no_memory(error);
    for (int k = 0; k < n_bodies; k++)
        sensor->bodies[k] = def->n_bodies > 0 ? def->bodies[k] : k;
    control->n_sensor_numbers += perp_sensor_kind_numbers(def->kind);
    return PERP_OK;
}

// The sensor's name, or with an axis behind a dot.
static PerpStatus label_numbers(PerpModel *model, PerpError *error)
{
    static const char *const axes[] = {"w", "x", "y", "z"};
    const PerpAllocator *allocator = &model->context.allocator;
    PerpControlModel *c = &model->control;
    c->labels = perp_allocate(allocator, (size_t)c->n_sensor_numbers, sizeof *c->labels);
    if (!c->labels)
        return perp_compile_no_memory(error);
    for (int k = 0; k < c->n_sensors; k++) {
        int numbers = perp_sensor_kind_numbers(c->sensors[k].kind);
        for (int i = 0; i < numbers; i++) {
            const char *axis = numbers == 1 ? "" : axes[i + 4 - numbers];
            size_t size = strlen(c->sensors[k].name) + 3;
            char *label = perp_allocate(allocator, size, 1);
            if (!label)
                return perp_compile_no_memory(error);
            snprintf(label, size, "%s%s%s", c->sensors[k].name, axis[0] ? "." : "", axis);
            c->labels[c->sensors[k].start + i] = label;
        }
    }
    return PERP_OK;
}

// --- all of it ----------------------------------------------------------------------------------

// Zeroed items, counted at once: what a failed step leaves behind can be freed.
static PerpStatus take_lists(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    const PerpAllocator *allocator = &model->context.allocator;
    PerpControlModel *c = &model->control;
    c->sites = perp_allocate(allocator, (size_t)def->n_sites, sizeof *c->sites);
    c->n_sites = c->sites ? def->n_sites : 0;
    c->actuators = perp_allocate(allocator, (size_t)def->n_actuators, sizeof *c->actuators);
    c->n_actuators = c->actuators ? def->n_actuators : 0;
    c->motions = perp_allocate(allocator, (size_t)def->n_motions, sizeof *c->motions);
    c->n_motions = c->motions ? def->n_motions : 0;
    c->sensors = perp_allocate(allocator, (size_t)def->n_sensors, sizeof *c->sensors);
    c->n_sensors = c->sensors ? def->n_sensors : 0;
    c->signals = perp_allocate(allocator, (size_t)def->n_signals, sizeof *c->signals);
    c->n_signals = c->signals ? def->n_signals : 0;
    c->order = perp_allocate(allocator, (size_t)def->n_signals, sizeof *c->order);
    c->keyframes = perp_allocate(allocator, (size_t)def->n_keyframes, sizeof *c->keyframes);
    c->n_keyframes = c->keyframes ? def->n_keyframes : 0;
    bool enough = c->keyframes &&
                  perp_name_index_create(allocator, def->n_keyframes, &c->keyframe_names) &&
                  c->sites && c->actuators && c->motions && c->sensors && c->signals && c->order &&
                  perp_name_index_create(allocator, def->n_sites, &c->site_names) &&
                  perp_name_index_create(allocator, def->n_actuators, &c->actuator_names) &&
                  perp_name_index_create(allocator, def->n_sensors, &c->sensor_names) &&
                  perp_name_index_create(allocator, def->n_signals, &c->signal_names);
    return enough ? PERP_OK : perp_compile_no_memory(error);
}

PerpStatus perp_compile_control(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    PerpStatus status = take_lists(model, def, error);
    if (!status && def->control_every < 0)
        status = perp_fail(error, PERP_BAD_VALUE, "control_every is %d steps, not at least 1",
                           def->control_every);
    model->control.every = def->control_every > 0 ? def->control_every : 1;
    model->control.noise_seed = def->noise_seed;
    for (int k = 0; k < def->n_sites && !status; k++)
        status = compile_site(model, &def->sites[k], k, error);
    for (int k = 0; k < def->n_actuators && !status; k++)
        status = compile_actuator(model, &def->actuators[k], k, error);
    for (int k = 0; k < def->n_motions && !status; k++)
        status = compile_motion(model, &def->motions[k], k, error);
    for (int k = 0; k < def->n_sensors && !status; k++)
        status = compile_sensor(model, &def->sensors[k], k, error);
    if (!status)
        status = label_numbers(model, error);
    if (!status)
        status = perp_compile_signals(model, def, error);
    return status ? status : perp_compile_keyframes(model, def, error);
}

void perp_control_free(const PerpAllocator *allocator, PerpControlModel *c)
{
    for (int k = 0; k < c->n_sites; k++)
        perp_free(allocator, c->sites[k].name);
    for (int k = 0; k < c->n_actuators; k++)
        perp_free(allocator, c->actuators[k].name);
    for (int k = 0; k < c->n_sensors; k++) {
        perp_free(allocator, c->sensors[k].name);
        perp_free(allocator, c->sensors[k].bodies);
    }
    for (int k = 0; k < c->n_sensor_numbers && c->labels; k++)
        perp_free(allocator, c->labels[k]);
    perp_keyframes_free(allocator, c);
    for (int k = 0; k < c->n_signals; k++) {
        perp_free(allocator, c->signals[k].name);
        perp_free(allocator, c->signals[k].file);
        perp_program_free(allocator, &c->signals[k].program);
        perp_table_free(allocator, &c->signals[k].table);
    }
    void *const owned[] = {c->sites,   c->actuators, c->motions,  c->sensors,
                           c->signals, c->order,     c->measured, c->labels};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        perp_free(allocator, owned[k]);
    perp_name_index_free(allocator, &c->site_names);
    perp_name_index_free(allocator, &c->actuator_names);
    perp_name_index_free(allocator, &c->sensor_names);
    perp_name_index_free(allocator, &c->signal_names);
}
