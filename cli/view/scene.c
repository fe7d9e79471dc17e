// What the scene adds to the head of the payload: joints, springs, actuators, sensors.
#include "common/json.h"
#include "view/view.h"

#include <math.h>
#include <string.h>

// --- joints and springs -------------------------------------------------------------------------

// R(q)' v
static void turn_back(const double q[4], const double v[3], double out[3])
{
    const double w = q[0], x = -q[1], y = -q[2], z = -q[3];
    double t[3] = {2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])};
    out[0] = v[0] + w * t[0] + y * t[2] - z * t[1];
    out[1] = v[1] + w * t[1] + z * t[0] - x * t[2];
    out[2] = v[2] + w * t[2] + x * t[1] - y * t[0];
}

// A point of the world at the start, in the frame of a body.
static void to_body(const PerpModelDef *def, int body, const double point[3], double out[3])
{
    memcpy(out, point, 3 * sizeof *out);
    if (body < 0)
        return;
    const PerpBodyDef *of = &def->bodies[body];
    double arm[3];
    for (int k = 0; k < 3; k++)
        arm[k] = point[k] - of->position[k];
    turn_back(of->rotation, arm, out);
}

typedef struct Link {
    int index; // of the joint, -1 for springs
    const char *name, *kind;
    int a, b;
    const double *anchor_a, *anchor_b, *axis; // in the world at the start
    const double *axis_b;                     // of universal joints, else NULL
    double start, end;                        // s, when it exists
} Link;

// Only where it is not always there; JSON has no infinity.
static void put_times(FILE *out, double start, double end)
{
    if (start > 0)
        json_member(out, ", ", "from", start);
    if (isfinite(end))
        json_member(out, ", ", "until", end);
}

static void put_link(FILE *out, const PerpModelDef *def, const Link *link, bool is_first)
{
    double a[3], b[3], axis[3];
    to_body(def, link->a, link->anchor_a, a);
    to_body(def, link->b, link->anchor_b, b);
    memcpy(axis, link->axis, sizeof axis);
    if (link->a >= 0)
        turn_back(def->bodies[link->a].rotation, link->axis, axis);
    json_member(out, is_first ? "\n{" : ",\n{", "index", link->index);
    json_text(out, ", ", "name", link->name ? link->name : "");
    json_text(out, ", ", "kind", link->kind);
    json_member(out, ", ", "a", link->a);
    json_member(out, ", ", "b", link->b);
    json_vector(out, ", ", "anchorA", a, 3);
    json_vector(out, ", ", "anchorB", b, 3);
    json_vector(out, ", ", "axis", axis, 3);
    if (link->axis_b) {
        memcpy(axis, link->axis_b, sizeof axis);
        if (link->b >= 0)
            turn_back(def->bodies[link->b].rotation, link->axis_b, axis);
        json_vector(out, ", ", "axisB", axis, 3);
    }
    put_times(out, link->start, link->end);
    fputc('}', out);
}

static void put_links(FILE *out, const PerpModelDef *def)
{
    static const double no_axis[3] = {0};
    bool is_first = true;
    for (int k = 0; k < def->n_joints; k++) {
        const PerpJointDef *joint = &def->joints[k];
        if (joint->kind == PERP_JOINT_COUPLING) // has no place
            continue;
        bool is_long = joint->kind == PERP_JOINT_DISTANCE || joint->kind == PERP_JOINT_ROPE;
        Link link = {k,
                     joint->name,
                     perp_joint_kind_name(joint->kind),
                     joint->body_a,
                     joint->body_b,
                     joint->anchor,
                     is_long ? joint->anchor_b : joint->anchor,
                     joint->axis,
                     joint->kind == PERP_JOINT_UNIVERSAL ? joint->axis_b : NULL,
                     joint->start,
                     joint->end};
        put_link(out, def, &link, is_first);
        is_first = false;
    }
    for (int k = 0; k < def->n_springs; k++) {
        const PerpSpringDef *spring = &def->springs[k];
        Link link = {-1,
                     spring->name,
                     "spring",
                     spring->body_a,
                     spring->body_b,
                     spring->anchor_a,
                     spring->anchor_b,
                     no_axis,
                     NULL,
                     spring->start,
                     spring->end};
        put_link(out, def, &link, is_first);
        is_first = false;
    }
}

// --- actuators and sensors ------------------------------------------------------------------

static void put_terms(FILE *out, const PerpActuatorDef *actuator)
{
    fputs(", \"terms\": [", out);
    for (int k = 0; k < actuator->n_terms; k++) {
        json_member(out, k ? ", {" : "{", "joint", actuator->terms[k].joint);
        json_member(out, ", ", "coordinate", actuator->terms[k].coordinate);
        json_member(out, ", ", "ratio", actuator->terms[k].ratio);
        fputc('}', out);
    }
    if (actuator->n_terms == 0 && actuator->joint >= 0) {
        json_member(out, "{", "joint", actuator->joint);
        json_member(out, ", ", "coordinate", actuator->coordinate);
        json_member(out, ", ", "ratio", 1);
        fputc('}', out);
    }
    fputc(']', out);
}

// A force on coordinates of joints, between two sites, or at one.
static void put_actuators(FILE *out, const PerpModelDef *def)
{
    for (int k = 0; k < def->n_actuators; k++) {
        const PerpActuatorDef *actuator = &def->actuators[k];
        json_text(out, k ? ",\n{" : "\n{", "name", actuator->name);
        json_text(out, ", ", "kind", perp_actuator_kind_name(actuator->kind));
        put_terms(out, actuator);
        json_member(out, ", ", "siteA", actuator->site_a);
        json_member(out, ", ", "siteB", actuator->site_b);
        json_vector(out, ", ", "wrench", actuator->wrench, 6);
        json_member(out, ", ", "gear", actuator->gear);
        put_times(out, actuator->start, actuator->end);
        fputc('}', out);
    }
}

static const char *name_of(const char *name)
{
    return name && name[0] ? name : "?";
}

// What a sensor looks at, by name.
static const char *sensed(const PerpModelDef *def, const PerpSensorDef *sensor)
{
    switch (perp_sensor_kind_object(sensor->kind)) {
    case PERP_SENSES_JOINT:
        return name_of(def->joints[sensor->index].name);
    case PERP_SENSES_ACTUATOR:
        return name_of(def->actuators[sensor->index].name);
    case PERP_SENSES_BODY:
        return sensor->index < 0 ? "world" : name_of(def->bodies[sensor->index].name);
    case PERP_SENSES_SITE:
        return name_of(def->sites[sensor->index].name);
    default:
        return "";
    }
}

static void put_sensors(FILE *out, const PerpModelDef *def)
{
    for (int k = 0; k < def->n_sensors; k++) {
        const PerpSensorDef *sensor = &def->sensors[k];
        json_text(out, k ? ",\n{" : "\n{", "name", sensor->name);
        json_text(out, ", ", "kind", perp_sensor_kind_name(sensor->kind));
        json_text(out, ", ", "of", sensed(def, sensor));
        json_member(out, ", ", "numbers", perp_sensor_kind_numbers(sensor->kind));
        fputc('}', out);
    }
}

// A recording without its scene's text has nothing of it, and is a recording nevertheless.
void view_put_scene(FILE *out, const PerpRecording *recording)
{
    static const PerpModelDef none = {0};
    PerpScene *scene = NULL;
    PerpStatus status = perp_recording_scene(recording, &scene, NULL);
    const PerpModelDef *def = status ? &none : perp_scene_model_def(scene);
    fputs(",\n\"joints\": [", out);
    put_links(out, def);
    fputs("],\n\"actuators\": [", out);
    put_actuators(out, def);
    fputs("],\n\"sensors\": [", out);
    put_sensors(out, def);
    fputc(']', out);
    perp_scene_destroy(scene);
}
