// How a scene is to be looked at, and when parts of it exist: colours, the camera, `enabled`.
#include "io/scene/scene_reader.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// --- colours ------------------------------------------------------------------------------------

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

// "#rrggbb"
static bool read_hex(const char *text, double colour[4])
{
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    for (int k = 0; k < 3; k++) {
        int high = hex_digit(text[1 + 2 * k]), low = hex_digit(text[2 + 2 * k]);
        if (high < 0 || low < 0)
            return false;
        colour[k] = (16 * high + low) / 255.0;
    }
    colour[3] = 1;
    return true;
}

static PerpStatus refuse_colour(PerpSceneReader *reader, const PerpNode *value)
{
    return perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                          "colour: expected \"#rrggbb\" or three or four numbers from 0 to 1: red, "
                          "green, blue, opacity");
}

PerpStatus perp_read_colour(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    double *colour = target;
    if (value->kind == PERP_NODE_SCALAR)
        return read_hex(value->text, colour) ? PERP_OK : refuse_colour(reader, value);
    int count = value->kind == PERP_NODE_SEQUENCE && value->count == 4 ? 4 : 3;
    colour[3] = 1;
    PerpStatus status = perp_scene_numbers(reader, value, count, "colour", colour);
    for (int k = 0; k < count && !status; k++)
        if (!(colour[k] >= 0 && colour[k] <= 1))
            status = refuse_colour(reader, value);
    return status;
}

// --- enabled ------------------------------------------------------------------------------------

static const PerpField enabled_field_list[] = {
    {"from", PERP_FIELD_NON_NEGATIVE, 0, NULL, 0},
    {"until", PERP_FIELD_BOUND, sizeof(double), NULL, 0},
};
static const PerpFields enabled_fields = PERP_FIELDS("enabled", enabled_field_list);

PerpStatus perp_read_enabled(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    double *times = target;
    PerpStatus status = perp_fields_read(reader, value, &enabled_fields, 0, "", times);
    if (!status && !(times[0] < times[1]))
        status = perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                                "enabled: expected \"from\" before \"until\"");
    return status;
}

// --- the camera ---------------------------------------------------------------------------------

static PerpStatus read_follow(PerpSceneReader *reader, const PerpNode *value, void *body)
{
    return perp_scene_find(reader, value, "body", &reader->scene->body_names, body);
}

static PerpStatus read_view(PerpSceneReader *reader, const PerpNode *value, void *angle)
{
    double *view = angle;
    PerpStatus status = perp_scene_positive(reader, value, "field-of-view", view);
    if (!status && !(*view < 3.1))
        status = perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                                "field-of-view: expected less than 3.1 rad, found %.6g", *view);
    return status;
}

static const PerpField camera_field_list[] = {
    {"from", PERP_FIELD_VECTOR, offsetof(PerpCamera, from), NULL, 0},
    {"at", PERP_FIELD_VECTOR, offsetof(PerpCamera, at), NULL, 0},
    {"field-of-view", PERP_FIELD_OWN, offsetof(PerpCamera, field_of_view), read_view, 0},
    {"follow", PERP_FIELD_OWN, offsetof(PerpCamera, follow), read_follow, 0},
};
static const PerpFields camera_fields = PERP_FIELDS("camera", camera_field_list);

static PerpStatus read_camera_of_file(PerpSceneReader *reader)
{
    const PerpNode *required, *node = perp_node_find(reader->document->root, "camera");
    PerpCamera *camera = &reader->scene->camera;
    if (!node)
        return PERP_OK;
    *camera = (PerpCamera){.follow = -1};
    PerpStatus status = perp_fields_read(reader, node, &camera_fields, 0, "", camera);
    if (!status)
        status = perp_node_require(reader->document, node, "from", &required);
    if (!status && memcmp(camera->from, camera->at, sizeof camera->at) == 0)
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "camera: expected \"from\" away from \"at\"");
    reader->scene->has_camera = true;
    return status ? status : perp_scene_enter(reader, node, "key", "camera", &reader->run_keys);
}

PerpStatus perp_read_camera(PerpSceneReader *reader)
{
    PerpStatus status = PERP_OK;
    for (PerpSceneFile *file = reader->first_file; !status && file; file = file->next) {
        reader->document = &file->document;
        status = read_camera_of_file(reader);
    }
    return status;
}
