// The constant part of a recording, read from an untrusted file.
#include "io/recording/recording.h"

#include "base/error.h"
#include "io/hdf5/hdf5_source.h"
#include "io/scene/scene_reader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_LIMIT = 64 << 20, NAME_LIMIT = 4096, COUNT_LIMIT = 1 << 24 };

// --- attributes ---------------------------------------------------------------------------------

static hid_t open_attribute(hid_t object, const char *name)
{
    return H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
}

static bool is_scalar(hid_t attribute)
{
    hid_t space = H5Aget_space(attribute);
    bool scalar = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0)
        H5Sclose(space);
    return scalar;
}

// NULL if there is no such text.
static const char *read_text(PerpRecording *recording, hid_t object, const char *name)
{
    hid_t attribute = open_attribute(object, name);
    hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
    char *text = NULL;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        is_scalar(attribute) && H5Tget_size(type) <= TEXT_LIMIT)
        text = PERP_TAKE(&recording->arena, char, H5Tget_size(type) + 1);
    if (text && H5Aread(attribute, type, text) < 0)
        text = NULL;
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return text;
}

static bool read_number(hid_t object, const char *name, H5T_class_t wanted, hid_t as, void *number)
{
    hid_t attribute = open_attribute(object, name);
    hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
    bool ok = type >= 0 && H5Tget_class(type) == wanted && is_scalar(attribute) &&
              H5Aread(attribute, as, number) >= 0;
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return ok;
}

static bool read_int(hid_t object, const char *name, long long low, long long high,
                     long long *number)
{
    return read_number(object, name, H5T_INTEGER, H5T_NATIVE_LLONG, number) && *number >= low &&
           *number <= high;
}

static bool read_double(hid_t object, const char *name, double *number)
{
    return read_number(object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, number) && isfinite(*number);
}

static hid_t open_group(const PerpRecording *recording, const char *name)
{
    PerpHdf5Source source = {.file = recording->file};
    return perp_hdf5_exists(&source, name) ? H5Gopen2(recording->file, name, H5P_DEFAULT) : -1;
}

// --- origin and settings ------------------------------------------------------------------------

static PerpStatus check_format(PerpRecording *recording, PerpError *error)
{
    const char *format = read_text(recording, recording->file, "format");
    long long version = 0;
    if (!format || strcmp(format, PERP_RECORDING_MARK) != 0 ||
        !read_int(recording->file, "version", 1, INT_MAX, &version))
        return perp_fail_at(error, PERP_BAD_SYNTAX, recording->path, 0, 0,
                            "an HDF5 file, but not a recording of perp");
    recording->info.format = (int)version;
    if (version > PERP_RECORDING_VERSION)
        return perp_fail_at(error, PERP_NOT_SUPPORTED, recording->path, 0, 0,
                            "format version %lld; this perp reads up to %d, a newer one is needed",
                            version, PERP_RECORDING_VERSION);
    return PERP_OK;
}

static PerpStatus read_origin(PerpRecording *recording, PerpError *error)
{
    PerpRecordingInfo *info = &recording->info;
    hid_t file = recording->file;
    long long every = 1, planned = 0, n_q = 0, n_v = 0, problems = 0, problems_every = 1;
    info->perp = read_text(recording, file, "perp");
    info->commit = read_text(recording, file, "commit");
    info->build = read_text(recording, file, "build");
    info->options = read_text(recording, file, "options");
    if (!info->perp || !info->commit || !info->build || !info->options ||
        !read_int(file, "every", 1, INT_MAX, &every) ||
        !read_int(file, "planned", 0, LONG_MAX, &planned) ||
        !read_int(file, "problems", 0, PERP_PROBLEMS_EVERY, &problems) ||
        !read_int(file, "problems_every", 1, INT_MAX, &problems_every) ||
        !read_int(file, "n_q", 0, COUNT_LIMIT, &n_q) ||
        !read_int(file, "n_v", 0, COUNT_LIMIT, &n_v))
        return perp_recording_fail(recording, PERP_BAD_SYNTAX, "attributes",
                                   "some are missing or wrong", error);
    info->every = (int)every;
    info->planned = (long)planned;
    recording->problems = (PerpRecordProblems)problems;
    recording->problems_every = (int)problems_every;
    recording->widths.n_q = (int)n_q;
    recording->widths.n_v = (int)n_v;
    return PERP_OK;
}

// Settings that are flags or choices, and how many choices there are.
static bool read_choices(hid_t group, PerpSimulationSettings *s)
{
    long long printed = 0, one_phase = 0, coriolis = 0, linear = 0, strict = 0, jacobian = 0,
              stabilise = 0;
    bool ok = read_int(group, "printed_decompression", 0, 1, &printed) &&
              read_int(group, "one_phase", 0, 1, &one_phase) &&
              read_int(group, "printed_coriolis", 0, 1, &coriolis) &&
              read_int(group, "linear", 0, 1, &linear) &&
              read_int(group, "strict", 0, 1, &strict) &&
              read_int(group, "jacobian", 0, PERP_JACOBIAN_COUNT - 1, &jacobian) &&
              read_int(group, "stabilise", 0, PERP_STABILISE_COUNT - 1, &stabilise);
    s->printed_decompression = printed;
    s->one_phase = one_phase;
    s->printed_coriolis = coriolis;
    s->linear = linear;
    s->strict = strict;
    s->jacobian = (PerpJacobian)jacobian;
    s->stabilise = (PerpStabilisation)stabilise;
    return ok;
}

// Earlier recordings know neither: their impacts were simultaneous, overlaps were allowed.
static bool read_starts(hid_t group, PerpSimulationSettings *s)
{
    long long impacts = PERP_IMPACTS_SIMULTANEOUS, overlap = PERP_OVERLAP_ALLOW;
    bool ok = (H5Aexists(group, "impacts") == 0 ||
               read_int(group, "impacts", 0, PERP_IMPACTS_COUNT - 1, &impacts)) &&
              (H5Aexists(group, "overlap") == 0 ||
               read_int(group, "overlap", 0, PERP_OVERLAP_COUNT - 1, &overlap));
    s->impacts = (PerpImpacts)impacts;
    s->overlap = (PerpOverlap)overlap;
    return ok;
}

// Settings that older recordings do not have: absent means the default.
static bool read_newer(hid_t group, PerpSimulationSettings *s)
{
    long long collisions = 0, data = 0;
    bool ok =
        (H5Aexists(group, "printed_collisions") == 0 ||
         read_int(group, "printed_collisions", 0, 1, &collisions)) &&
        (H5Aexists(group, "data") == 0 || read_int(group, "data", 0, PERP_DATA_COUNT - 1, &data)) &&
        (H5Aexists(group, "first_step") == 0 ||
         (read_double(group, "first_step", &s->first_step) && isfinite(s->first_step)));
    s->printed_collisions = collisions;
    s->data = (PerpData)data;
    return ok;
}

// Recordings of versions 1 and 2 know the exact law only.
static bool read_held_tolerance(hid_t group, double *tolerance)
{
    *tolerance = 0;
    return H5Aexists(group, "held_tolerance") == 0 ||
           (read_double(group, "held_tolerance", tolerance) && *tolerance >= 0);
}

// Names with commas between; missing: all.
static PerpStatus read_methods(PerpRecording *recording, hid_t group, unsigned *methods,
                               PerpError *error)
{
    char name[32];
    const char *list = read_text(recording, group, "methods");
    PerpMethod method;
    if (!list && H5Aexists(group, "methods") == 0)
        return PERP_OK; // the default
    if (!list)
        return perp_recording_fail(recording, PERP_BAD_SYNTAX, "settings/methods", "no text",
                                   error);
    *methods = 0;
    for (bool more = true; more; list += strcspn(list, ",") + 1) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(list, ","), list);
        if (!perp_method_from_name(name, &method))
            return perp_fail_at(error, PERP_NOT_SUPPORTED, recording->path, 0, 0,
                                "settings/methods: this perp has no method \"%s\"", name);
        *methods |= PERP_METHOD_BIT(method);
        more = list[strcspn(list, ",")] != '\0';
    }
    return PERP_OK;
}

static PerpStatus read_settings(PerpRecording *recording, PerpError *error)
{
    PerpSimulationSettings *s = &recording->settings;
    hid_t group = open_group(recording, "settings");
    long long facets = 0;
    *s = perp_default_simulation_settings();
    s->scheme = group < 0 ? NULL : read_text(recording, group, "scheme");
    bool ok = s->scheme && read_double(group, "step", &s->step) && s->step > 0 &&
              read_int(group, "facets", 0, 64, &facets) &&
              read_double(group, "tolerance", &s->tolerance) &&
              read_double(group, "restitution_threshold", &s->restitution_threshold) &&
              read_choices(group, s) && read_starts(group, s) && read_newer(group, s) &&
              read_held_tolerance(group, &s->held_tolerance);
    PerpStatus status =
        ok ? read_methods(recording, group, &s->methods, error)
           : perp_recording_fail(recording, PERP_BAD_SYNTAX, "settings", "missing or wrong", error);
    if (group >= 0)
        H5Gclose(group);
    s->facets = (int)facets;
    recording->info.step = s->step;
    return status;
}

// --- datasets -----------------------------------------------------------------------------------

// The extents of a dataset that lies in the file, of rank up to 2; its class must be the wanted.
static hid_t open_set(const PerpRecording *recording, const char *name, H5T_class_t wanted,
                      int rank, hsize_t extent[2])
{
    PerpHdf5Source source = {.file = recording->file};
    hid_t set = perp_hdf5_exists(&source, name) ? H5Dopen2(recording->file, name, H5P_DEFAULT) : -1;
    if (set < 0)
        return -1;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set), creation = H5Dget_create_plist(set);
    bool ok = type >= 0 && space >= 0 && creation >= 0 && H5Tget_class(type) == wanted &&
              H5Tis_variable_str(type) <= 0 && H5Pget_external_count(creation) == 0 &&
              H5Pget_layout(creation) != H5D_VIRTUAL && H5Sget_simple_extent_ndims(space) == rank &&
              (rank == 0 || H5Sget_simple_extent_dims(space, extent, NULL) == rank);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (creation >= 0)
        H5Pclose(creation);
    if (ok)
        return set;
    H5Dclose(set);
    return -1;
}

// width 0: rank 1. *count < 0 asks for any number.
static void *read_array(PerpRecording *recording, const char *name, hid_t type, size_t size,
                        int width, int64_t *count)
{
    hsize_t extent[2] = {0};
    hid_t set = open_set(recording, name, H5Tget_class(type), width ? 2 : 1, extent);
    bool ok = set >= 0 && (!width || extent[1] == (hsize_t)width) && extent[0] <= COUNT_LIMIT &&
              (*count < 0 || (hsize_t)*count == extent[0]);
    void *data = NULL;
    if (ok) {
        *count = (int64_t)extent[0];
        data = perp_arena_take(&recording->arena,
                               (size_t)extent[0] * (size_t)(width ? width : 1) + 1, size);
    }
    if (data && extent[0] > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        data = NULL;
    if (set >= 0)
        H5Dclose(set);
    return data;
}

static const char **cut_texts(PerpRecording *recording, const char *padded, size_t size,
                              size_t count)
{
    const char **texts = PERP_TAKE(&recording->arena, const char *, count + 1);
    char *ended = PERP_TAKE(&recording->arena, char, count *(size + 1) + 1);
    if (!texts || !ended)
        return NULL;
    for (size_t k = 0; k < count; k++) {
        memcpy(ended + k * (size + 1), padded + k * size, size);
        texts[k] = ended + k * (size + 1);
    }
    return texts;
}

static const char **read_texts(PerpRecording *recording, const char *name, int64_t *count)
{
    hsize_t extent[2] = {0};
    hid_t set = open_set(recording, name, H5T_STRING, 1, extent);
    hid_t type = set < 0 ? -1 : H5Dget_type(set);
    size_t size = type < 0 ? 0 : H5Tget_size(type);
    char *padded = NULL;
    if (size > 0 && size <= NAME_LIMIT && extent[0] <= COUNT_LIMIT &&
        (*count < 0 || (hsize_t)*count == extent[0]))
        padded = PERP_TAKE(&recording->arena, char, (size_t)extent[0] * size + 1);
    if (padded && extent[0] > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded) < 0)
        padded = NULL;
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    if (padded)
        *count = (int64_t)extent[0];
    return padded ? cut_texts(recording, padded, size, (size_t)extent[0]) : NULL;
}

// --- the scene ----------------------------------------------------------------------------------

static bool read_scene_text(PerpRecording *recording, int index, const char **sha)
{
    char name[24];
    long long size = 0;
    snprintf(name, sizeof name, "scene/%d", index);
    hid_t set = open_set(recording, name, H5T_STRING, 0, NULL);
    hid_t type = set < 0 ? -1 : H5Dget_type(set);
    PerpSceneText *text = &recording->texts[index];
    char *bytes = NULL;
    if (type >= 0 && read_int(set, "size", 0, TEXT_LIMIT, &size) &&
        H5Tget_size(type) == (size_t)(size > 0 ? size : 1))
        bytes = PERP_TAKE(&recording->arena, char, size + 2);
    if (bytes && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
        bytes = NULL;
    const char *path = set < 0 ? NULL : read_text(recording, set, "path");
    *sha = set < 0 ? NULL : read_text(recording, set, "sha256");
    *text = (PerpSceneText){path, bytes, (size_t)size};
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return bytes && path && *sha;
}

static bool read_parameters(PerpRecording *recording)
{
    int64_t count = -1;
    const char **texts = read_texts(recording, "scene/parameters", &count);
    if (!texts || count % 2 || count > 2 * PERP_SCENE_PARAMETER_LIMIT)
        return false;
    recording->n_set = (int)(count / 2);
    recording->set = PERP_TAKE(&recording->arena, PerpParameter, recording->n_set + 1);
    for (int k = 0; recording->set && k < recording->n_set; k++)
        recording->set[k] = (PerpParameter){texts[2 * k], texts[2 * k + 1]};
    return recording->set != NULL;
}

static bool read_scene_group(PerpRecording *recording, hid_t group)
{
    PerpRecordingInfo *info = &recording->info;
    long long files = 0;
    bool ok = read_int(group, "files", 0, PERP_SCENE_FILE_LIMIT, &files) &&
              read_number(group, "seed", H5T_INTEGER, H5T_NATIVE_ULLONG, &info->seed);
    info->about = read_text(recording, group, "about");
    recording->n_texts = ok ? (int)files : 0;
    recording->texts = PERP_TAKE(&recording->arena, PerpSceneText, recording->n_texts + 1);
    ok = ok && info->about && recording->texts && read_parameters(recording);
    info->scene = info->scene_sha = info->scene_path = "";
    for (int k = 0; ok && k < recording->n_texts; k++) {
        const char *sha;
        ok = read_scene_text(recording, k, &sha);
        if (ok && k == 0) {
            info->scene = recording->texts[0].bytes;
            info->scene_path = recording->texts[0].path;
            info->scene_sha = sha;
        }
    }
    return ok;
}

static bool has(const PerpRecording *recording, const char *name)
{
    PerpHdf5Source source = {.file = recording->file};
    return perp_hdf5_exists(&source, name);
}

static bool read_camera(PerpRecording *recording)
{
    int64_t count = 8;
    if (!has(recording, "scene/camera"))
        return true;
    double *n = read_array(recording, "scene/camera", H5T_NATIVE_DOUBLE, sizeof *n, 0, &count);
    for (int k = 0; n && k < 8; k++)
        if (!isfinite(n[k]))
            return false;
    if (!n || !(n[7] >= -1 && n[7] < COUNT_LIMIT))
        return false;
    recording->camera = (PerpCamera){{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, n[6], (int)n[7]};
    recording->has_camera = true;
    return true;
}

static PerpStatus read_scene(PerpRecording *recording, PerpError *error)
{
    hid_t group = open_group(recording, "scene");
    bool ok = group >= 0 && read_scene_group(recording, group) && read_camera(recording);
    if (group >= 0)
        H5Gclose(group);
    return ok ? PERP_OK
              : perp_recording_fail(recording, PERP_BAD_SYNTAX, "scene", "missing or wrong", error);
}

// --- bodies, joints, shapes ---------------------------------------------------------------------

static bool read_bodies(PerpRecording *recording)
{
    int64_t count = -1, joints = -1;
    const char **names = read_texts(recording, "bodies/name", &count);
    double *mass =
        names ? read_array(recording, "bodies/mass", H5T_NATIVE_DOUBLE, sizeof *mass, 0, &count)
              : NULL;
    recording->joints = read_texts(recording, "joints/name", &joints);
    recording->bodies = mass ? PERP_TAKE(&recording->arena, PerpRecordedBody, count + 1) : NULL;
    if (!recording->bodies || !recording->joints)
        return false;
    for (int64_t b = 0; b < count; b++)
        recording->bodies[b] = (PerpRecordedBody){names[b], mass[b]};
    recording->info.bodies = (int)count;
    recording->info.joints = (int)joints;
    return true;
}

static bool read_joint_times(PerpRecording *recording)
{
    int64_t count = recording->info.joints;
    if (!has(recording, "joints/enabled"))
        return true;
    recording->joint_times =
        read_array(recording, "joints/enabled", H5T_NATIVE_DOUBLE, sizeof(double), 2, &count);
    return recording->joint_times != NULL;
}

// Recordings of scenes without sites have none of this.
static bool read_sites(PerpRecording *recording)
{
    int64_t count = -1;
    if (!has(recording, "sites/name"))
        return true;
    const char **names = read_texts(recording, "sites/name", &count);
    int *body =
        names ? read_array(recording, "sites/body", H5T_NATIVE_INT, sizeof *body, 0, &count) : NULL;
    double *rows =
        body ? read_array(recording, "sites/placement", H5T_NATIVE_DOUBLE, sizeof *rows, 7, &count)
             : NULL;
    recording->sites = rows ? PERP_TAKE(&recording->arena, PerpRecordedSite, count + 1) : NULL;
    if (!recording->sites)
        return false;
    for (int64_t k = 0; k < count; k++) {
        PerpRecordedSite *site = &recording->sites[k];
        if (body[k] < -1 || body[k] >= recording->info.bodies)
            return false;
        site->name = names[k];
        site->body = body[k];
        memcpy(site->position, rows + 7 * k, sizeof site->position);
        memcpy(site->rotation, rows + 7 * k + 3, sizeof site->rotation);
    }
    recording->n_sites = (int)count;
    return true;
}

// Recordings of scenes without actuators have none of this, nor have older ones.
static bool read_actuators(PerpRecording *recording)
{
    int64_t names = -1;
    if (!has(recording, "actuators/name"))
        return true;
    recording->actuators = read_texts(recording, "actuators/name", &names);
    recording->widths.actuators = recording->actuators ? (int)names : 0;
    return recording->actuators != NULL;
}

// Recordings of scenes without sensors have none of this.
static bool read_sensors(PerpRecording *recording)
{
    int64_t names = -1, units = -1;
    if (!has(recording, "sensors/name"))
        return true;
    recording->sensors = read_texts(recording, "sensors/name", &names);
    recording->sensor_units = read_texts(recording, "sensors/unit", &units);
    recording->widths.sensors = (int)names;
    return recording->sensors && recording->sensor_units && names == units;
}

// Where each shape's vertices and triangles are, and that the triangles name vertices it has.
static bool share_facets(PerpRecording *recording, int64_t count, const int64_t *vertex_start,
                         const int64_t *triangle_start, int64_t vertices, int64_t triangles,
                         const float *vertex, const int *triangle)
{
    if (vertex_start[0] != 0 || triangle_start[0] != 0)
        return false;
    for (int64_t s = 0; s < count; s++) {
        int64_t v = vertex_start[s], v_end = vertex_start[s + 1];
        int64_t t = triangle_start[s], t_end = triangle_start[s + 1];
        if (v_end < v || v_end > vertices || t_end < t || t_end > triangles)
            return false;
        for (int64_t k = 3 * t; k < 3 * t_end; k++)
            if (triangle[k] < 0 || triangle[k] >= v_end - v)
                return false;
        PerpRecordedShape *shape = &recording->shapes[s];
        shape->n_vertices = (int)(v_end - v);
        shape->n_triangles = (int)(t_end - t);
        shape->vertex = vertex + 3 * v;
        shape->triangle = triangle + 3 * t;
    }
    return true;
}

static bool read_facets(PerpRecording *recording, int64_t count)
{
    int64_t starts = count + 1, vertices = -1, triangles = -1;
    int64_t *vertex_start = read_array(recording, "shapes/vertex_start", H5T_NATIVE_INT64,
                                       sizeof *vertex_start, 0, &starts);
    int64_t *triangle_start = read_array(recording, "shapes/triangle_start", H5T_NATIVE_INT64,
                                         sizeof *triangle_start, 0, &starts);
    float *vertex =
        read_array(recording, "shapes/vertex", H5T_NATIVE_FLOAT, sizeof *vertex, 3, &vertices);
    int *triangle =
        read_array(recording, "shapes/triangle", H5T_NATIVE_INT, sizeof *triangle, 3, &triangles);
    return vertex_start && triangle_start && vertex && triangle &&
           share_facets(recording, count, vertex_start, triangle_start, vertices, triangles, vertex,
                        triangle);
}

static bool read_shapes(PerpRecording *recording)
{
    int64_t count = -1;
    const char **kinds = read_texts(recording, "shapes/kind", &count);
    int *body = kinds
                    ? read_array(recording, "shapes/body", H5T_NATIVE_INT, sizeof *body, 0, &count)
                    : NULL;
    double *rows = body ? read_array(recording, "shapes/placement", H5T_NATIVE_DOUBLE, sizeof *rows,
                                     10, &count)
                        : NULL;
    recording->shapes = rows ? PERP_TAKE(&recording->arena, PerpRecordedShape, count + 1) : NULL;
    if (!recording->shapes)
        return false;
    for (int64_t s = 0; s < count; s++) {
        PerpRecordedShape *shape = &recording->shapes[s];
        if (body[s] < -1 || body[s] >= recording->info.bodies)
            return false;
        shape->kind = kinds[s];
        shape->body = body[s];
        memcpy(shape->size, rows + 10 * s, sizeof shape->size);
        memcpy(shape->position, rows + 10 * s + 3, sizeof shape->position);
        memcpy(shape->rotation, rows + 10 * s + 6, sizeof shape->rotation);
    }
    recording->info.shapes = (int)count;
    if (has(recording, "shapes/colour")) {
        recording->colours =
            read_array(recording, "shapes/colour", H5T_NATIVE_DOUBLE, sizeof(double), 4, &count);
        if (!recording->colours)
            return false;
    }
    return read_facets(recording, count);
}

PerpStatus perp_recording_read_head(PerpRecording *recording, PerpError *error)
{
    PerpStatus status = check_format(recording, error);
    if (!status)
        status = read_origin(recording, error);
    if (!status)
        status = read_settings(recording, error);
    if (!status)
        status = read_scene(recording, error);
    if (!status && !read_bodies(recording))
        status = perp_recording_fail(recording, PERP_BAD_SYNTAX, "bodies or joints",
                                     "missing or wrong", error);
    if (!status && !(read_joint_times(recording) && read_sites(recording)))
        status = perp_recording_fail(recording, PERP_BAD_SYNTAX, "sites or joints", "wrong", error);
    if (!status && !(read_sensors(recording) && read_actuators(recording)))
        status =
            perp_recording_fail(recording, PERP_BAD_SYNTAX, "sensors or actuators", "wrong", error);
    if (!status && !read_shapes(recording))
        status =
            perp_recording_fail(recording, PERP_BAD_SYNTAX, "shapes", "missing or wrong", error);
    return status;
}
