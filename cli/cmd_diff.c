// perp diff: where two recordings first differ, and by how much.
#include "common/cli.h"
#include "common/json.h"
#include "common/support.h"

#include "perp/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] = "perp diff A.h5 B.h5 [--tolerance T] [--json]";

// One of the two recordings, read frame by frame.
typedef struct Side {
    const char *path;
    PerpRecording *recording;
    const PerpRecordingInfo *info;
    long frame, step;
    double t;
    double *pose, *velocity;
    const PerpRecordedContact *contacts; // of the frame
    int n_contacts;
} Side;

// How far apart a body is.
typedef struct Distance {
    double position, rotation, velocity, spin; // m, rad, m/s, rad/s
} Distance;

typedef struct Parting {
    long compared;    // frames that both have
    bool parted;      //
    long step;        // the first that differs by more than the tolerance
    double t;         //
    int body;         // that differs most there
    Distance there;   // of that body
    Distance largest; // over all frames and bodies
    Distance last;    // in the last frame that both have, the largest of all bodies
    int largest_body; // of the largest position difference
    double largest_time;
    bool with_contacts;           // both have them, and no tolerance is given
    bool contacts_parted;         //
    long contacts_step;           // the first whose contacts differ
    double contacts_t;            //
    int bodies[2];                // of the first that differs there; -1: the world
    double impulse, impulse_time; // N s: largest difference of an impulse
} Parting;

static CliExit print_help(void)
{
    printf("Examples:\n"
           "  perp diff a.h5 b.h5                     bit for bit\n"
           "  perp diff a.h5 b.h5 --tolerance 1e-9    differences up to that do not count\n"
           "  perp diff a.h5 b.h5 --json              for a script to read\n"
           "\n"
           "usage: %s\n"
           "\n"
           "Compares positions, rotations, velocities and spins of all bodies in the frames of\n"
           "the same step. Says in which step and at which body the runs part, and how far apart\n"
           "they come. Without a tolerance contacts are compared, too, where both have them.\n"
           "\n"
           "Exit: 0 the same, 2 usage, 3 not a recording, or of different bodies, 5 different\n",
           USAGE);
    return CLI_OK;
}

// --- frames -------------------------------------------------------------------------------------

static bool open_side(Side *side, const char *path)
{
    PerpError error = {0};
    *side = (Side){.path = path, .frame = -1};
    if (perp_recording_open(NULL, path, &side->recording, &error)) {
        cli_complain_of_error(&error);
        return false;
    }
    side->info = perp_recording_info(side->recording);
    side->pose = calloc((size_t)side->info->bodies + 1, 7 * sizeof(double));
    side->velocity = calloc((size_t)side->info->bodies + 1, 6 * sizeof(double));
    if (!side->pose || !side->velocity)
        fprintf(stderr, "perp: %s: out of memory\n", path);
    return side->pose && side->velocity;
}

static void close_side(Side *side)
{
    perp_recording_close(side->recording);
    free(side->pose);
    free(side->velocity);
}

static PerpStatus next_step(Side *side, PerpError *error)
{
    double step;
    if (++side->frame >= side->info->frames)
        return PERP_OK;
    PerpStatus status =
        perp_recording_series(side->recording, "step/number", side->frame, 1, &step, error);
    side->step = status ? 0 : (long)step;
    return status;
}

static PerpStatus read_motion(Side *side, PerpError *error)
{
    PerpStatus status =
        perp_recording_series(side->recording, "time", side->frame, 1, &side->t, error);
    if (!status)
        status = perp_recording_poses(side->recording, side->frame, 1, side->pose, error);
    if (!status)
        status = perp_recording_velocities(side->recording, side->frame, 1, side->velocity, error);
    return status;
}

static PerpStatus read_contacts(Side *side, PerpError *error)
{
    return perp_recording_contacts(side->recording, side->frame, &side->contacts, &side->n_contacts,
                                   error);
}

// --- distances ----------------------------------------------------------------------------------

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

// The angle between two rotations: 4 asin(|a -+ b| / 2), exact for small ones.
static double angle(const double *a, const double *b)
{
    double apart = 0, sum = 0;
    for (int k = 0; k < 4; k++) {
        apart += (a[k] - b[k]) * (a[k] - b[k]);
        sum += (a[k] + b[k]) * (a[k] + b[k]);
    }
    return 4 * asin(fmin(sqrt(fmin(apart, sum)) / 2, 1));
}

static Distance measure(const Side *a, const Side *b, int body)
{
    const double *pose_a = a->pose + 7 * body, *pose_b = b->pose + 7 * body;
    const double *v_a = a->velocity + 6 * body, *v_b = b->velocity + 6 * body;
    return (Distance){distance(pose_a, pose_b), angle(pose_a + 3, pose_b + 3), distance(v_a, v_b),
                      distance(v_a + 3, v_b + 3)};
}

static double largest_of(const Distance *d)
{
    return fmax(fmax(d->position, d->rotation), fmax(d->velocity, d->spin));
}

static void widen(Distance *to, const Distance *d)
{
    to->position = fmax(to->position, d->position);
    to->rotation = fmax(to->rotation, d->rotation);
    to->velocity = fmax(to->velocity, d->velocity);
    to->spin = fmax(to->spin, d->spin);
}

// Bit for bit, so that -0 and NaN count too.
static bool differs(const Side *a, const Side *b, int body)
{
    return memcmp(a->pose + 7 * body, b->pose + 7 * body, 7 * sizeof(double)) != 0 ||
           memcmp(a->velocity + 6 * body, b->velocity + 6 * body, 6 * sizeof(double)) != 0;
}

static void compare_frame(const Side *a, const Side *b, double tolerance, Parting *parting)
{
    bool was_parted = parting->parted;
    parting->last = (Distance){0};
    for (int body = 0; body < a->info->bodies; body++) {
        Distance d = measure(a, b, body);
        bool counts = tolerance > 0 ? !(largest_of(&d) <= tolerance) : differs(a, b, body);
        if (d.position > parting->largest.position) {
            parting->largest_body = body;
            parting->largest_time = a->t;
        }
        widen(&parting->largest, &d);
        widen(&parting->last, &d);
        if (!counts || was_parted)
            continue;
        if (!parting->parted || largest_of(&d) > largest_of(&parting->there)) {
            parting->body = body;
            parting->there = d;
        }
        parting->parted = true;
        parting->step = a->step;
        parting->t = a->t;
    }
    parting->compared++;
}

// Bit for bit; the index of the first that differs, -1: none does.
static int first_other_contact(const Side *a, const Side *b)
{
    for (int k = 0; k < a->n_contacts && k < b->n_contacts; k++) {
        const PerpRecordedContact *s = &a->contacts[k], *t = &b->contacts[k];
        if (s->id != t->id || s->body_a != t->body_a || s->body_b != t->body_b ||
            s->status != t->status || memcmp(s->point, t->point, sizeof s->point) != 0 ||
            memcmp(s->impulse, t->impulse, sizeof s->impulse) != 0)
            return k;
    }
    int fewer = a->n_contacts < b->n_contacts ? a->n_contacts : b->n_contacts;
    return a->n_contacts == b->n_contacts ? -1 : fewer;
}

static void widen_impulse(const Side *a, const Side *b, Parting *parting)
{
    for (int k = 0; k < a->n_contacts && k < b->n_contacts; k++) {
        double apart = distance(a->contacts[k].impulse, b->contacts[k].impulse);
        if (a->contacts[k].id == b->contacts[k].id && apart > parting->impulse) {
            parting->impulse = apart;
            parting->impulse_time = a->t;
        }
    }
}

static void compare_contacts(const Side *a, const Side *b, Parting *parting)
{
    int other = first_other_contact(a, b);
    if (other < 0)
        return;
    widen_impulse(a, b, parting);
    if (parting->contacts_parted)
        return;
    const PerpRecordedContact *contact =
        other < a->n_contacts ? &a->contacts[other] : &b->contacts[other];
    parting->contacts_parted = true;
    parting->contacts_step = a->step;
    parting->contacts_t = a->t;
    parting->bodies[0] = contact->body_a;
    parting->bodies[1] = contact->body_b;
}

static PerpStatus read_frame(Side *side, bool with_contacts, PerpError *error)
{
    PerpStatus status = read_motion(side, error);
    return status || !with_contacts ? status : read_contacts(side, error);
}

// Frames of the same step, in both.
static PerpStatus compare(Side *a, Side *b, double tolerance, Parting *parting, PerpError *error)
{
    PerpStatus status = next_step(a, error);
    if (!status)
        status = next_step(b, error);
    while (!status && a->frame < a->info->frames && b->frame < b->info->frames) {
        if (a->step != b->step) {
            status = next_step(a->step < b->step ? a : b, error);
            continue;
        }
        status = read_frame(a, parting->with_contacts, error);
        if (!status)
            status = read_frame(b, parting->with_contacts, error);
        if (!status)
            compare_frame(a, b, tolerance, parting);
        if (!status && parting->with_contacts)
            compare_contacts(a, b, parting);
        if (!status)
            status = next_step(a, error);
        if (!status)
            status = next_step(b, error);
    }
    return status;
}

static bool have_same_bodies(const Side *a, const Side *b)
{
    bool same = a->info->bodies == b->info->bodies;
    for (int k = 0; same && k < a->info->bodies; k++)
        same = strcmp(perp_recording_body(a->recording, k).name,
                      perp_recording_body(b->recording, k).name) == 0;
    if (!same)
        fprintf(stderr, "perp: %s and %s are not of the same bodies\n", a->path, b->path);
    return same;
}

static bool is_same(const Parting *parting)
{
    return !parting->parted && !parting->contacts_parted;
}

// --- reports ------------------------------------------------------------------------------------

static void print_distance(const char *label, const Distance *d)
{
    printf("%-13s position %.3e m, rotation %.3e rad, velocity %.3e m/s, spin %.3e rad/s\n", label,
           d->position, d->rotation, d->velocity, d->spin);
}

static const char *name_of(const Side *side, int body)
{
    return body < 0 ? "world" : perp_recording_body(side->recording, body).name;
}

static void print_result(const Side *a, const Parting *p)
{
    if (p->parted)
        printf("result        they part in step %ld, t = %.9g s, at %s\n", p->step, p->t,
               name_of(a, p->body));
    else if (p->contacts_parted)
        puts("result        the same motion, other contacts");
    else
        printf("result        the same%s\n", p->with_contacts ? ", contacts too" : "");
    if (!p->contacts_parted)
        return;
    printf("contacts      differ from step %ld on, t = %.9g s, between %s and %s\n",
           p->contacts_step, p->contacts_t, name_of(a, p->bodies[0]), name_of(a, p->bodies[1]));
    if (p->impulse > 0)
        printf("              impulses by up to %.3e N s, t = %.9g s\n", p->impulse,
               p->impulse_time);
}

static void print_text(const Side *a, const Side *b, const Parting *p)
{
    printf("compared      %ld frames, %d bodies; %s has %ld frames, %s has %ld\n", p->compared,
           a->info->bodies, a->path, a->info->frames, b->path, b->info->frames);
    if (strcmp(a->info->scene_sha, b->info->scene_sha) != 0)
        puts("scenes        differ");
    print_result(a, p);
    if (!p->parted)
        return;
    print_distance("there", &p->there);
    print_distance("largest", &p->largest);
    printf("              position at %s, t = %.9g s\n",
           perp_recording_body(a->recording, p->largest_body).name, p->largest_time);
    print_distance("last frame", &p->last);
}

static void json_distance(const char *name, const Distance *d)
{
    printf(",\n \"%s\": ", name);
    json_member(stdout, "{", "position", d->position);
    json_member(stdout, ", ", "rotation", d->rotation);
    json_member(stdout, ", ", "velocity", d->velocity);
    json_member(stdout, ", ", "spin", d->spin);
    putchar('}');
}

static void print_json(const Side *a, const Side *b, const Parting *p)
{
    json_text(stdout, "{", "a", a->path);
    json_text(stdout, ", ", "b", b->path);
    printf(", \"compared\": %ld, \"same\": %s", p->compared, is_same(p) ? "true" : "false");
    if (p->with_contacts)
        printf(", \"same_contacts\": %s", p->contacts_parted ? "false" : "true");
    if (p->contacts_parted) {
        printf(",\n \"contacts\": {\"step\": %ld", p->contacts_step);
        json_member(stdout, ", ", "t", p->contacts_t);
        fputs(", \"between\": [", stdout);
        json_string(stdout, name_of(a, p->bodies[0]));
        fputs(", ", stdout);
        json_string(stdout, name_of(a, p->bodies[1]));
        json_member(stdout, "], ", "impulse", p->impulse);
        putchar('}');
    }
    if (p->parted) {
        printf(",\n \"step\": %ld", p->step);
        json_member(stdout, ", ", "t", p->t);
        json_text(stdout, ", ", "body", perp_recording_body(a->recording, p->body).name);
        json_distance("there", &p->there);
        json_distance("largest", &p->largest);
        json_distance("last", &p->last);
    }
    puts("}");
}

static CliExit diff(Side *a, Side *b, double tolerance, bool json)
{
    PerpError error = {0};
    bool both = perp_recording_has(a->recording, "contacts/impulse") &&
                perp_recording_has(b->recording, "contacts/impulse");
    Parting parting = {.with_contacts = both && !(tolerance > 0)};
    if (!have_same_bodies(a, b))
        return CLI_BAD_INPUT;
    if (compare(a, b, tolerance, &parting, &error))
        return cli_complain_of_error(&error);
    if (json)
        print_json(a, b, &parting);
    else
        print_text(a, b, &parting);
    return is_same(&parting) ? CLI_OK : CLI_MISMATCH;
}

CliExit cmd_diff(int argc, char **argv)
{
    bool help = false, json = false;
    const char *paths[2] = {NULL, NULL}, *typed = NULL;
    const CliOption options[] = {
        {"--help", &help, NULL}, {"--json", &json, NULL}, {"--tolerance", NULL, &typed}};
    if (cli_parse(argc, argv, options, 3, paths, 2, USAGE) < 0)
        return CLI_USAGE;
    if (help)
        return print_help();
    char *end = NULL;
    double tolerance = typed ? strtod(typed, &end) : 0;
    if (!paths[1] || (typed && (end == typed || *end || !(tolerance >= 0)))) {
        fprintf(stderr, "perp: diff needs two recordings and a tolerance >= 0, if any\nusage: %s\n",
                USAGE);
        return CLI_USAGE;
    }
    Side a = {0}, b = {0};
    CliExit code = open_side(&a, paths[0]) && open_side(&b, paths[1])
                       ? diff(&a, &b, tolerance, json)
                       : CLI_BAD_INPUT;
    close_side(&a);
    close_side(&b);
    return code;
}
