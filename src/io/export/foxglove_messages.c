// Foxglove's schemas and messages for scenes, transforms and contacts.
#include "io/export/foxglove_messages.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/export/foxglove_json.h"
#include "io/export/mesh.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// --- schemas ------------------------------------------------------------------------------------

// Foxglove knows these two by their names; the fields that are used are named here for others.
static const char transforms_schema[] =
    "{\"title\":\"foxglove.FrameTransforms\",\"type\":\"object\",\"properties\":{\"transforms\":"
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"timestamp\":{\"type\":\"object\"},\"parent_frame_id\":{\"type\":\"string\"},"
    "\"child_frame_id\":{\"type\":\"string\"},\"translation\":{\"type\":\"object\"},"
    "\"rotation\":{\"type\":\"object\"}}}}},\"required\":[\"transforms\"]}";
static const char scene_schema[] =
    "{\"title\":\"foxglove.SceneUpdate\",\"type\":\"object\",\"properties\":{"
    "\"deletions\":{\"type\":\"array\"},\"entities\":{\"type\":\"array\",\"items\":{"
    "\"type\":\"object\",\"properties\":{\"timestamp\":{\"type\":\"object\"},"
    "\"frame_id\":{\"type\":\"string\"},\"id\":{\"type\":\"string\"},"
    "\"lifetime\":{\"type\":\"object\"},\"frame_locked\":{\"type\":\"boolean\"},"
    "\"metadata\":{\"type\":\"array\"},\"arrows\":{\"type\":\"array\"},"
    "\"cubes\":{\"type\":\"array\"},\"spheres\":{\"type\":\"array\"},"
    "\"cylinders\":{\"type\":\"array\"},\"lines\":{\"type\":\"array\"},"
    "\"triangles\":{\"type\":\"array\"},\"texts\":{\"type\":\"array\"},"
    "\"models\":{\"type\":\"array\"}}}}},\"required\":[\"entities\"]}";
static const char step_schema[] =
    "{\"title\":\"perp.Step\",\"type\":\"object\",\"properties\":{\"time\":{\"type\":\"number\"},"
    "\"energy\":{\"type\":\"object\"},\"certificate\":{\"type\":\"object\"},"
    "\"step\":{\"type\":\"object\"}}}";

const PerpTopicDef perp_topics[PERP_TOPIC_COUNT] = {
    {"/transforms", "foxglove.FrameTransforms", transforms_schema},
    {"/shapes", "foxglove.SceneUpdate", scene_schema},
    {"/contacts", "foxglove.SceneUpdate", scene_schema},
    {"/step", "perp.Step", step_schema},
};

// --- where the bodies are -----------------------------------------------------------------------

static PerpStatus add_transforms(PerpMessages *m, long k, PerpText *text, PerpError *error)
{
    PerpExport *x = m->x;
    const double *pose;
    PerpStatus status = perp_export_motion(x, k, &pose, NULL, error);
    perp_text_add(text, "{\"transforms\":[");
    for (int body = 0; !status && body < x->info->bodies; body++, pose += 7) {
        perp_text_add(text, body ? ",{" : "{");
        perp_json_time(text, x->time[k]);
        perp_text_add(text, ",\"parent_frame_id\":");
        perp_json_string(text, m->root);
        perp_text_add(text, ",\"child_frame_id\":");
        perp_json_string(text, perp_recording_body(x->recording, body).name);
        perp_text_add(text, ",");
        perp_json_vector(text, "translation", perp_vec3_load(pose));
        perp_text_add(text, ",");
        perp_json_rotation(text, "rotation", pose + 3);
        perp_text_add(text, "}");
    }
    perp_text_add(text, "]}");
    return status;
}

// --- shapes -------------------------------------------------------------------------------------

static PerpVec3 mesh_vertex(const PerpMesh *mesh, size_t k)
{
    return (PerpVec3){mesh->vertex[3 * k], mesh->vertex[3 * k + 1], mesh->vertex[3 * k + 2]};
}

static PerpStatus add_triangles(PerpMessages *m, const PerpRecordedShape *shape, double plane,
                                PerpText *text, PerpError *error)
{
    PerpMesh mesh;
    PerpStatus status =
        perp_mesh_create(m->x->context, shape, plane, perp_mesh_segments(m->x), &mesh, error);
    if (status)
        return status;
    perp_text_add(text, ",\"points\":[");
    for (size_t k = 0; k < (size_t)mesh.n_vertices; k++) {
        PerpVec3 v = mesh_vertex(&mesh, k);
        perp_text_print(text, "%s{\"x\":%.6g,\"y\":%.6g,\"z\":%.6g}", k ? "," : "", v.x, v.y, v.z);
    }
    perp_text_add(text, "],\"colors\":[],\"indices\":[");
    for (size_t k = 0; k < 3 * (size_t)mesh.n_triangles; k++)
        perp_text_print(text, "%s%d", k ? "," : "", mesh.triangle[k]);
    perp_text_add(text, "]");
    perp_mesh_free(m->x->context, &mesh);
    return PERP_OK;
}

// Which list a shape goes into, and its size there; everything else becomes triangles.
static const char *choose_list(const PerpRecordedShape *shape, PerpVec3 *size)
{
    const double *s = shape->size;
    if (strcmp(shape->kind, "box") == 0) {
        *size = (PerpVec3){2 * s[0], 2 * s[1], 2 * s[2]};
        return "cubes";
    }
    if (strcmp(shape->kind, "sphere") == 0) {
        *size = (PerpVec3){2 * s[0], 2 * s[0], 2 * s[0]};
        return "spheres";
    }
    if (strcmp(shape->kind, "ellipsoid") == 0) {
        *size = (PerpVec3){2 * s[0], 2 * s[1], 2 * s[2]};
        return "spheres";
    }
    if (strcmp(shape->kind, "cylinder") == 0) {
        *size = (PerpVec3){2 * s[0], 2 * s[0], 2 * s[1]};
        return "cylinders";
    }
    return "triangles";
}

static PerpStatus add_shape(PerpMessages *m, int index, double plane, double t, PerpText *text,
                            PerpError *error)
{
    PerpRecordedShape shape = perp_recording_shape(m->x->recording, index);
    PerpVec3 size = {0};
    PerpStatus status = PERP_OK;
    char id[32];
    double colour[4];
    const char *list = choose_list(&shape, &size);
    const char *frame =
        shape.body < 0 ? m->root : perp_recording_body(m->x->recording, shape.body).name;
    snprintf(id, sizeof id, "shape %d", index);
    perp_json_entity(text, frame, id, t);
    perp_json_empty_lists(text, list);
    perp_text_print(text, ",\"%s\":[{", list);
    perp_json_pose(text, perp_vec3_load(shape.position), shape.rotation);
    if (strcmp(list, "triangles") == 0) {
        status = add_triangles(m, &shape, plane, text, error);
    } else {
        perp_text_add(text, ",");
        perp_json_vector(text, "size", size);
    }
    if (strcmp(list, "cylinders") == 0)
        perp_text_add(text, ",\"bottom_scale\":1,\"top_scale\":1");
    if (perp_recording_colour(m->x->recording, index, colour))
        perp_json_own_colour(text, colour);
    else
        perp_json_colour(text, shape.body < 0 ? 8 : shape.body % 8);
    perp_text_add(text, "}]}");
    return status;
}

static PerpStatus add_shapes(PerpMessages *m, long k, PerpText *text, PerpError *error)
{
    double plane;
    PerpStatus status = perp_mesh_plane(m->x, &plane, error);
    perp_text_add(text, "{\"deletions\":[],\"entities\":[");
    for (int shape = 0; !status && shape < m->x->info->shapes; shape++) {
        perp_text_add(text, shape ? "," : "");
        status = add_shape(m, shape, plane, m->x->time[k], text, error);
    }
    perp_text_add(text, "]}");
    return status;
}

// --- contacts -----------------------------------------------------------------------------------

// The rotation that takes the x axis, along which arrows point, to a direction.
static void turn_x_to(PerpVec3 d, double q[4])
{
    PerpVec3 t1, t2;
    perp_vec3_tangents(d, &t1, &t2);
    PerpMat3 R = {d, t1, t2};
    PerpQuat rotation = perp_quat_from_matrix(R);
    q[0] = rotation.w, q[1] = rotation.x, q[2] = rotation.y, q[3] = rotation.z;
}

static void add_arrow(const PerpMessages *m, const PerpRecordedContact *contact, PerpText *text)
{
    static const int colour_of_status[] = {6, 2, 1, 3}; // open, stick, slip, impact
    PerpVec3 impulse = perp_vec3_load(contact->impulse);
    double length = m->arrow * perp_vec3_norm(impulse), q[4];
    turn_x_to(perp_vec3_normalise(impulse), q);
    perp_text_add(text, "{");
    perp_json_pose(text, perp_vec3_load(contact->point), q);
    perp_json_number(text, ",\"shaft_length\":", 0.75 * length);
    perp_json_number(text, ",\"shaft_diameter\":", 0.06 * length);
    perp_json_number(text, ",\"head_length\":", 0.25 * length);
    perp_json_number(text, ",\"head_diameter\":", 0.14 * length);
    perp_json_colour(text, colour_of_status[contact->status & 3]);
    perp_text_add(text, "}");
}

static PerpStatus add_contacts(PerpMessages *m, long k, PerpText *text, PerpError *error)
{
    const PerpRecordedContact *contacts = NULL;
    int count = 0, arrows = 0;
    PerpStatus status = PERP_OK;
    if (perp_recording_has(m->x->recording, "contacts/start"))
        status = perp_recording_contacts(m->x->recording, m->x->frame[k], &contacts, &count, error);
    perp_text_add(text, "{\"deletions\":[],\"entities\":[");
    perp_json_entity(text, m->root, "contacts", m->x->time[k]);
    perp_json_empty_lists(text, "arrows");
    perp_text_add(text, ",\"arrows\":[");
    for (int i = 0; !status && i < count; i++)
        if (perp_vec3_norm(perp_vec3_load(contacts[i].impulse)) > 0) {
            perp_text_add(text, arrows++ ? "," : "");
            add_arrow(m, &contacts[i], text);
        }
    perp_text_add(text, "]}]}");
    return status;
}

// --- numbers ------------------------------------------------------------------------------------

// energy/kinetic becomes {"energy": {"kinetic": ..}}; '-' becomes '_', which message paths allow.
static void add_step(const PerpMessages *m, long k, PerpText *text)
{
    char open[64] = "";
    perp_text_add(text, "{");
    for (int s = 0; s < m->n_series; s++) {
        const char *name = perp_recording_series_name(m->which[s]);
        const char *slash = strchr(name, '/');
        size_t group = slash ? (size_t)(slash - name) : 0;
        bool same = strlen(open) == group && strncmp(open, name, group) == 0;
        if (!same && open[0])
            perp_text_add(text, "}");
        perp_text_add(text, s > 0 && !(same && group == 0 && s == 0) ? "," : "");
        if (!same && group > 0)
            perp_text_print(text, "\"%.*s\":{", (int)group, name);
        if (!same)
            snprintf(open, sizeof open, "%.*s", (int)group, name);
        char key[64];
        snprintf(key, sizeof key, "%s", slash ? slash + 1 : name);
        for (char *c = key; *c; c++)
            *c = *c == '-' ? '_' : *c;
        perp_text_print(text, "\"%s\":", key);
        perp_json_number(text, "", m->series[(size_t)s * (size_t)m->x->frames + (size_t)k]);
    }
    perp_text_add(text, open[0] ? "}}" : "}");
}

PerpStatus perp_messages_write(PerpMessages *m, PerpTopic topic, long k, PerpText *text,
                               PerpError *error)
{
    switch (topic) {
    case PERP_TOPIC_TRANSFORMS:
        return add_transforms(m, k, text, error);
    case PERP_TOPIC_SHAPES:
        return add_shapes(m, k, text, error);
    case PERP_TOPIC_CONTACTS:
        return add_contacts(m, k, text, error);
    default:
        add_step(m, k, text);
        return PERP_OK;
    }
}

// --- the whole ----------------------------------------------------------------------------------

static PerpStatus load_series(PerpMessages *m, PerpError *error)
{
    PerpExport *x = m->x;
    PerpStatus status = PERP_OK;
    // grouped, so that an object is opened once
    static const char *const groups[] = {"time", "energy/", "certificate/", "step/"};
    for (size_t g = 0; !status && g < sizeof groups / sizeof *groups; g++)
        for (int k = 0; !status && k < perp_recording_series_count(); k++) {
            const char *name = perp_recording_series_name(k);
            double *values;
            if (strncmp(name, groups[g], strlen(groups[g])) != 0 ||
                !perp_recording_has(x->recording, name))
                continue;
            status = perp_export_series(x, name, &values, error);
            if (status)
                return status;
            memcpy(m->series + (size_t)m->n_series * (size_t)x->frames, values,
                   (size_t)x->frames * sizeof *values);
            m->which[m->n_series++] = k;
            perp_free(&x->context->allocator, values);
        }
    return status;
}

// The largest impulse of the chosen frames is drawn as long as a fifth of the plane's half side.
static PerpStatus choose_arrow(PerpMessages *m, PerpError *error)
{
    PerpExport *x = m->x;
    double plane, largest = 0;
    PerpStatus status = perp_mesh_plane(x, &plane, error);
    bool recorded = perp_recording_has(x->recording, "contacts/start");
    for (long k = 0; !status && recorded && k < x->frames; k++) {
        const PerpRecordedContact *contacts;
        int count = 0;
        status = perp_recording_contacts(x->recording, x->frame[k], &contacts, &count, error);
        for (int i = 0; !status && i < count; i++)
            largest = fmax(largest, perp_vec3_norm(perp_vec3_load(contacts[i].impulse)));
    }
    m->arrow = largest > 0 ? 0.2 * plane / largest : 1;
    return status;
}

PerpStatus perp_messages_create(PerpExport *x, PerpMessages *m, PerpError *error)
{
    size_t series = (size_t)perp_recording_series_count();
    *m = (PerpMessages){.x = x, .root = "world"};
    for (int body = 0; body < x->info->bodies; body++)
        if (strcmp(perp_recording_body(x->recording, body).name, m->root) == 0)
            m->root = "the world";
    m->series =
        perp_allocate(&x->context->allocator, series * (size_t)x->frames + 1, sizeof *m->series);
    m->which = perp_allocate(&x->context->allocator, series + 1, sizeof *m->which);
    if (!m->series || !m->which)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    PerpStatus status = load_series(m, error);
    return status ? status : choose_arrow(m, error);
}

void perp_messages_free(PerpMessages *m)
{
    perp_free(&m->x->context->allocator, m->series);
    perp_free(&m->x->context->allocator, m->which);
}
