// The head of a recording: provenance, scene, bodies and joints.
#include "io/recording/recorder.h"

#include "io/hdf5/hdf5_sink.h"
#include "io/text/hash.h"
#include "model/model.h"
#include "perp/version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool write_origin(hid_t file)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", PERP_VERSION_MAJOR, PERP_VERSION_MINOR,
             PERP_VERSION_PATCH);
    return perp_hdf5_put_text(file, "format", PERP_RECORDING_MARK) &&
           perp_hdf5_put_int(file, "version", PERP_RECORDING_VERSION) &&
           perp_hdf5_put_text(file, "perp", version) &&
           perp_hdf5_put_text(file, "commit", perp_build_commit()) &&
           perp_hdf5_put_text(file, "build", perp_build_flags()) &&
           perp_hdf5_put_text(file, "units", "SI: m, kg, s, rad; quaternions w x y z");
}

// Names with commas between; all of them are what a file without the attribute means.
static bool write_methods(hid_t group, unsigned methods)
{
    char names[PERP_METHOD_COUNT * 32] = "";
    size_t length = 0;
    if ((methods & PERP_ALL_METHODS) == PERP_ALL_METHODS)
        return true;
    for (int k = 0; k < PERP_METHOD_COUNT; k++)
        if (methods & PERP_METHOD_BIT(k))
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length ? "," : "", perp_method_name((PerpMethod)k));
    return length < sizeof names && perp_hdf5_put_text(group, "methods", names);
}

// What a file without the attribute means is the default.
static bool write_newer(hid_t group, const PerpSimulationSettings *s)
{
    return (!s->printed_collisions || perp_hdf5_put_int(group, "printed_collisions", 1)) &&
           (s->data == PERP_DATA_END || perp_hdf5_put_int(group, "data", s->data)) &&
           (s->first_step < 0 || perp_hdf5_put_double(group, "first_step", s->first_step));
}

static bool write_settings(hid_t file, const PerpSimulationSettings *settings)
{
    hid_t group = perp_hdf5_make_group(file, "settings");
    bool ok =
        group >= 0 && perp_hdf5_put_text(group, "scheme", settings->scheme) &&
        perp_hdf5_put_double(group, "step", settings->step) &&
        perp_hdf5_put_int(group, "facets", settings->facets) &&
        perp_hdf5_put_double(group, "tolerance", settings->tolerance) &&
        perp_hdf5_put_double(group, "restitution_threshold", settings->restitution_threshold) &&
        perp_hdf5_put_int(group, "printed_decompression", settings->printed_decompression) &&
        perp_hdf5_put_int(group, "one_phase", settings->one_phase) &&
        perp_hdf5_put_int(group, "jacobian", settings->jacobian) &&
        perp_hdf5_put_int(group, "printed_coriolis", settings->printed_coriolis) &&
        perp_hdf5_put_int(group, "stabilise", settings->stabilise) &&
        perp_hdf5_put_int(group, "linear", settings->linear) &&
        perp_hdf5_put_int(group, "impacts", settings->impacts) &&
        perp_hdf5_put_int(group, "overlap", settings->overlap) &&
        perp_hdf5_put_int(group, "strict", settings->strict) &&
        perp_hdf5_put_double(group, "held_tolerance", settings->held_tolerance) &&
        write_newer(group, settings) && write_methods(group, settings->methods);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

// --- the scene ----------------------------------------------------------------------------------

static bool write_text(hid_t group, const char *name, PerpSceneText text)
{
    char hash[PERP_HASH_SIZE];
    perp_hash(text.bytes, text.size, hash);
    hid_t type = perp_hdf5_text_type(text.size > 0 ? text.size : 1);
    bool ok = type >= 0 && perp_hdf5_write(group, name, type, 0, NULL, text.bytes, "");
    hid_t set = ok ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
    ok = set >= 0 && perp_hdf5_put_text(set, "path", text.path) &&
         perp_hdf5_put_int(set, "size", (long long)text.size) &&
         perp_hdf5_put_text(set, "sha256", hash);
    if (set >= 0)
        H5Dclose(set);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

static const char *parameter_text(const void *user, int index)
{
    const PerpParameter *set = user;
    return index % 2 ? set[index / 2].value : set[index / 2].name;
}

// from[3], at[3], field of view, the body to follow; missing: the scene has no camera.
static bool write_camera(hid_t group, const PerpScene *scene)
{
    const hsize_t extent = 8;
    PerpCamera c;
    if (!scene || !perp_scene_camera(scene, &c))
        return true;
    const double numbers[8] = {c.from[0], c.from[1], c.from[2],       c.at[0],
                               c.at[1],   c.at[2],   c.field_of_view, c.follow};
    return perp_hdf5_write(group, "camera", H5T_NATIVE_DOUBLE, 1, &extent, numbers,
                           "from m, at m, field of view rad, body");
}

static bool write_scene(hid_t file, const PerpRecorderOptions *options)
{
    hid_t group = perp_hdf5_make_group(file, "scene");
    int files = options->scene ? perp_scene_files(options->scene) : 0;
    const char *about = options->scene ? perp_scene_about(options->scene) : "";
    unsigned long long seed = options->scene ? perp_scene_run(options->scene)->seed : 0;
    bool ok = group >= 0 && perp_hdf5_put_int(group, "files", files) &&
              perp_hdf5_put_text(group, "about", about) &&
              perp_hdf5_put(group, "seed", H5T_NATIVE_ULLONG, &seed) &&
              write_camera(group, options->scene) &&
              perp_hdf5_write_texts(group, "parameters", 2 * options->n_set, parameter_text,
                                    options->set);
    for (int k = 0; ok && k < files; k++) {
        char name[16];
        snprintf(name, sizeof name, "%d", k);
        ok = write_text(group, name, perp_scene_text(options->scene, k));
    }
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

// --- bodies and joints --------------------------------------------------------------------------

static const char *body_name(const void *user, int index)
{
    return perp_model_body_name(user, index);
}

static const char *joint_name(const void *user, int index)
{
    return perp_model_joint_name(user, index);
}

static const char *joint_kind(const void *user, int index)
{
    const PerpModel *model = user;
    return perp_joint_kind_name(model->joints[index].kind);
}

static bool write_masses(const PerpAllocator *allocator, const PerpModel *model, hid_t group)
{
    hsize_t count = (hsize_t)model->n_bodies;
    double *mass = perp_allocate(allocator, (size_t)model->n_bodies + 1, sizeof *mass);
    for (int b = 0; mass && b < model->n_bodies; b++)
        mass[b] = model->bodies[b].freedom ? perp_model_body_mass(model, b) : 0;
    bool ok = mass && perp_hdf5_write(group, "mass", H5T_NATIVE_DOUBLE, 1, &count, mass, "kg");
    perp_free(allocator, mass);
    return ok;
}

static bool write_bodies(const PerpAllocator *allocator, const PerpModel *model, hid_t file)
{
    hid_t group = perp_hdf5_make_group(file, "bodies");
    bool ok = group >= 0 &&
              perp_hdf5_write_texts(group, "name", model->n_bodies, body_name, model) &&
              write_masses(allocator, model, group);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

// When each exists; missing: all of them always.
static bool write_enabled(const PerpAllocator *allocator, const PerpModel *model, hid_t group)
{
    const hsize_t extent[2] = {(hsize_t)model->n_joints, 2};
    bool always = true;
    double *times = perp_allocate(allocator, 2 * (size_t)model->n_joints + 1, sizeof *times);
    for (int j = 0; times && j < model->n_joints; j++) {
        times[2 * j] = model->joints[j].start;
        times[2 * j + 1] = model->joints[j].end;
        always = always && times[2 * j] <= 0 && times[2 * j + 1] == INFINITY;
    }
    bool ok = times && (always || perp_hdf5_write(group, "enabled", H5T_NATIVE_DOUBLE, 2, extent,
                                                  times, "s, from and until"));
    perp_free(allocator, times);
    return ok;
}

static bool write_joints(const PerpAllocator *allocator, const PerpModel *model, hid_t file)
{
    hid_t group = perp_hdf5_make_group(file, "joints");
    bool ok = group >= 0 &&
              perp_hdf5_write_texts(group, "name", model->n_joints, joint_name, model) &&
              perp_hdf5_write_texts(group, "kind", model->n_joints, joint_kind, model) &&
              write_enabled(allocator, model, group);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

static const char *site_name(const void *user, int index)
{
    return perp_model_site_name(user, index);
}

// In the frame that the body's definition gave.
static void place_site(const PerpModel *model, const PerpSite *site, double row[7])
{
    PerpVec3 position = site->pose.position;
    PerpQuat q = site->pose.rotation;
    if (site->body >= 0)
        position = perp_vec3_add(position, model->bodies[site->body].centre);
    perp_vec3_store(position, row);
    row[3] = q.w;
    row[4] = q.x;
    row[5] = q.y;
    row[6] = q.z;
}

static bool write_site_places(const PerpAllocator *allocator, const PerpModel *model, hid_t group)
{
    int count = model->control.n_sites;
    const hsize_t extent[2] = {(hsize_t)count, 7};
    double *rows = perp_allocate(allocator, 7 * (size_t)count, sizeof *rows);
    int32_t *body = perp_allocate(allocator, (size_t)count, sizeof *body);
    for (int k = 0; rows && body && k < count; k++) {
        body[k] = model->control.sites[k].body;
        place_site(model, &model->control.sites[k], rows + 7 * (size_t)k);
    }
    bool ok = rows && body &&
              perp_hdf5_write(group, "body", H5T_NATIVE_INT32, 1, extent, body, "") &&
              perp_hdf5_write(group, "placement", H5T_NATIVE_DOUBLE, 2, extent, rows,
                              "position m, rotation");
    perp_free(allocator, rows);
    perp_free(allocator, body);
    return ok;
}

static bool write_sites(const PerpAllocator *allocator, const PerpModel *model, hid_t file)
{
    int count = model->control.n_sites;
    if (count == 0)
        return true;
    hid_t group = perp_hdf5_make_group(file, "sites");
    bool ok = group >= 0 && perp_hdf5_write_texts(group, "name", count, site_name, model) &&
              write_site_places(allocator, model, group);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

static const char *sensor_label(const void *user, int index)
{
    return perp_model_sensor_label(user, index);
}

static const char *sensor_unit(const void *user, int index)
{
    return perp_model_sensor_unit(user, index);
}

// One name for each number.
static bool write_sensors(const PerpModel *model, hid_t file)
{
    int numbers = perp_model_sensor_numbers(model);
    if (numbers == 0)
        return true;
    hid_t group = perp_hdf5_make_group(file, "sensors");
    bool ok = group >= 0 && perp_hdf5_write_texts(group, "name", numbers, sensor_label, model) &&
              perp_hdf5_write_texts(group, "unit", numbers, sensor_unit, model);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

static const char *actuator_name(const void *user, int index)
{
    return perp_model_actuator_name(user, index);
}

static bool write_actuators(const PerpModel *model, hid_t file)
{
    int count = perp_model_actuator_count(model);
    if (count == 0)
        return true;
    hid_t group = perp_hdf5_make_group(file, "actuators");
    bool ok = group >= 0 && perp_hdf5_write_texts(group, "name", count, actuator_name, model);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

bool perp_recorder_write_head(const PerpRecorder *recorder, const PerpRecorderOptions *options)
{
    hid_t file = recorder->file;
    const PerpAllocator *allocator = &recorder->context.allocator;
    PerpSimulationSettings settings = perp_simulation_settings(recorder->simulation);
    return write_origin(file) && perp_hdf5_put_int(file, "every", recorder->every) &&
           perp_hdf5_put_int(file, "planned", options->planned) &&
           perp_hdf5_put_int(file, "problems", options->problems) &&
           perp_hdf5_put_int(file, "problems_every", recorder->problems_every) &&
           perp_hdf5_put_int(file, "n_q", recorder->widths.n_q) &&
           perp_hdf5_put_int(file, "n_v", recorder->widths.n_v) &&
           perp_hdf5_put_text(file, "options", options->options) &&
           write_settings(file, &settings) && write_scene(file, options) &&
           write_bodies(allocator, recorder->model, file) &&
           write_joints(allocator, recorder->model, file) &&
           write_sites(allocator, recorder->model, file) && write_sensors(recorder->model, file) &&
           write_actuators(recorder->model, file) &&
           perp_recorder_write_shapes(allocator, recorder->model, file);
}
