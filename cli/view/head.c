// The head of the payload: what does not change from frame to frame, as JSON; the meshes; events.
#define _POSIX_C_SOURCE 200809L

#include "common/json.h"
#include "common/step_outcomes.h"
#include "common/support.h"
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const VIEW_SERIES[] = {
    "energy/kinetic",   "energy/gravity", "energy/spring", "energy/work",   "energy/friction",
    "energy/impact",    "energy/damper",  "energy/scheme", "step/contacts", "certificate/worst",
    "step/penetration", "step/joint_gap", "held/residual", "held/gap_error"};
const int VIEW_SERIES_COUNT = sizeof VIEW_SERIES / sizeof *VIEW_SERIES;

PerpStatus view_fail(PerpError *error, PerpStatus status, const char *message)
{
    *error = (PerpError){.status = status};
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

// --- bodies and shapes --------------------------------------------------------------------------

static void put_flag(FILE *out, const char *separator, const char *name, bool value)
{
    fprintf(out, "%s\"%s\": %s", separator, name, value ? "true" : "false");
}

static void put_bodies(FILE *out, const PerpRecording *recording)
{
    fputs(",\n\"bodies\": [", out);
    for (int k = 0; k < perp_recording_info(recording)->bodies; k++) {
        PerpRecordedBody body = perp_recording_body(recording, k);
        json_text(out, k ? ",\n{" : "\n{", "name", body.name);
        json_member(out, ", ", "mass", body.mass);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_shapes(FILE *out, const PerpRecording *recording)
{
    fputs(",\n\"shapes\": [", out);
    for (int k = 0; k < perp_recording_info(recording)->shapes; k++) {
        PerpRecordedShape shape = perp_recording_shape(recording, k);
        json_text(out, k ? ",\n{" : "\n{", "kind", shape.kind);
        json_member(out, ", ", "body", shape.body);
        json_vector(out, ", ", "size", shape.size, 3);
        json_vector(out, ", ", "position", shape.position, 3);
        json_vector(out, ", ", "rotation", shape.rotation, 4);
        double colour[4];
        if (perp_recording_colour(recording, k, colour))
            json_vector(out, ", ", "colour", colour, 4);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_meshes(Bytes *bytes, const PerpRecording *recording)
{
    for (int k = 0; k < perp_recording_info(recording)->shapes; k++) {
        PerpRecordedShape shape = perp_recording_shape(recording, k);
        if (shape.n_triangles == 0)
            continue;
        size_t section = bytes_begin(bytes, "MESH");
        bytes_u32(bytes, (uint32_t)k);
        bytes_u32(bytes, (uint32_t)shape.n_vertices);
        bytes_u32(bytes, (uint32_t)shape.n_triangles);
        for (int i = 0; i < 3 * shape.n_vertices; i++)
            bytes_f32(bytes, shape.vertex[i]);
        for (int i = 0; i < 3 * shape.n_triangles; i++)
            bytes_u32(bytes, (uint32_t)shape.triangle[i]);
        bytes_end(bytes, section);
    }
}

// --- the head -----------------------------------------------------------------------------------

static void put_names(FILE *out, const PerpRecording *recording)
{
    fputs(",\n\"series\": [", out);
    for (int k = 0, known = 0; k < VIEW_SERIES_COUNT; k++)
        if (perp_recording_has(recording, VIEW_SERIES[k]))
            fprintf(out, "%s\"%s\"", known++ ? ", " : "", VIEW_SERIES[k]);
    fputs("],\n\"values\": [", out);
    for (int k = 0; k < perp_recording_sensor_count(recording); k++) {
        json_text(out, k ? ",\n{" : "\n{", "name", perp_recording_sensor(recording, k));
        json_text(out, ", ", "unit", perp_recording_sensor_unit(recording, k));
        fputc('}', out);
    }
    fputs("],\n\"events\": [", out);
    for (int k = 0; k < PERP_EVENT_KIND_COUNT; k++)
        fprintf(out, "%s\"%s\"", k ? ", " : "", perp_event_kind_name((PerpEventKind)k));
    fputc(']', out);
}

static void put_sites(FILE *out, const PerpRecording *recording)
{
    fputs(",\n\"sites\": [", out);
    for (int k = 0; k < perp_recording_sites(recording); k++) {
        PerpRecordedSite site = perp_recording_site(recording, k);
        json_text(out, k ? ",\n{" : "\n{", "name", site.name);
        json_member(out, ", ", "body", site.body);
        json_vector(out, ", ", "position", site.position, 3);
        json_vector(out, ", ", "rotation", site.rotation, 4);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_camera(FILE *out, const PerpRecording *recording)
{
    PerpCamera camera;
    if (!perp_recording_camera(recording, &camera))
        return;
    json_vector(out, ",\n\"camera\": {", "from", camera.from, 3);
    json_vector(out, ", ", "at", camera.at, 3);
    json_member(out, ", ", "fieldOfView", camera.field_of_view);
    json_member(out, ", ", "follow", camera.follow);
    fputc('}', out);
}

// The name of the scene's file without folder and ending.
static void put_title(FILE *out, const char *path)
{
    char title[PERP_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    snprintf(title, sizeof title, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(title, '.');
    if (dot && dot != title)
        *dot = '\0';
    json_text(out, ",\n", "title", title[0] ? title : "run");
}

static void put_facts(FILE *out, const PerpRecording *recording, const ViewPart *part,
                      const char *note)
{
    const PerpRecordingInfo *info = perp_recording_info(recording);
    fputs("{\"format\": 1", out);
    put_title(out, info->scene_path);
    json_text(out, ",\n", "about", info->about);
    json_text(out, ",\n", "perp", info->perp);
    json_text(out, ",\n", "commit", info->commit);
    json_text(out, ",\n", "note", note);
    json_member(out, ",\n", "step", info->step);
    json_member(out, ",\n", "every", info->every);
    json_member(out, ",\n", "frames", (double)info->frames);
    json_member(out, ",\n", "planned", (double)info->planned);
    json_member(out, ",\n", "stride", (double)part->stride);
    put_flag(out, ",\n", "closed", info->closed);
    put_flag(out, ",\n", "finished", info->finished);
}

PerpStatus view_put_head(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                         const char *name, const char *note, PerpError *error)
{
    char *text = NULL, verdict[256];
    size_t size = 0;
    StepOutcomes outcomes;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return view_fail(error, PERP_NO_MEMORY, "no memory for the head of the page");
    put_facts(out, recording, part, note);
    json_text(out, ",\n", "file", name);
    PerpStatus counted = cli_count_outcomes(recording, &outcomes, error);
    json_text(out, ",\n", "verdict", cli_verdict_words(&outcomes, verdict, sizeof verdict));
    put_bodies(out, recording);
    put_shapes(out, recording);
    put_sites(out, recording);
    put_camera(out, recording);
    view_put_scene(out, recording);
    put_names(out, recording);
    fputs("}\n", out);
    bool whole = !ferror(out);
    whole = fclose(out) == 0 && whole;
    if (whole) {
        size_t section = bytes_begin(bytes, "HEAD");
        bytes_put(bytes, text, size);
        bytes_end(bytes, section);
        put_meshes(bytes, recording);
    }
    free(text);
    if (counted)
        return counted;
    return whole ? PERP_OK : view_fail(error, PERP_NO_MEMORY, "no memory for the head of the page");
}

// --- events -------------------------------------------------------------------------------------

static PerpStatus read_events(PerpRecording *recording, PerpRecordedEvent *events, long count,
                              PerpError *error)
{
    for (long k = 0; k < count; k++) {
        PerpStatus status = perp_recording_event(recording, k, &events[k], error);
        if (status)
            return status;
    }
    return PERP_OK;
}

static void put_event_columns(Bytes *bytes, const PerpRecordedEvent *events, long count)
{
    bytes_u32(bytes, (uint32_t)count);
    for (long k = 0; k < count; k++)
        bytes_f64(bytes, events[k].t);
    for (long k = 0; k < count; k++)
        bytes_u32(bytes, (uint32_t)events[k].frame);
    for (long k = 0; k < count; k++)
        bytes_u32(bytes, (uint32_t)events[k].body_a);
    for (long k = 0; k < count; k++)
        bytes_u32(bytes, (uint32_t)events[k].body_b);
    for (long k = 0; k < count; k++)
        bytes_u32(bytes, (uint32_t)events[k].joint);
    for (long k = 0; k < count; k++)
        bytes_f32(bytes, events[k].size);
    for (long k = 0; k < count; k++) {
        unsigned char kind = (unsigned char)events[k].kind;
        bytes_put(bytes, &kind, 1);
    }
}

PerpStatus view_put_events(Bytes *bytes, PerpRecording *recording, PerpError *error)
{
    long count = perp_recording_events(recording);
    PerpRecordedEvent *events = calloc((size_t)count + 1, sizeof *events);
    if (!events)
        return view_fail(error, PERP_NO_MEMORY, "no memory for the events");
    PerpStatus status = read_events(recording, events, count, error);
    if (!status) {
        size_t section = bytes_begin(bytes, "EVNT");
        put_event_columns(bytes, events, count);
        bytes_end(bytes, section);
    }
    free(events);
    return status;
}
