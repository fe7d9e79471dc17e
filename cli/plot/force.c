// Forces at contacts: the impulse of the step over its length.
#include "plot/curves.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a force is asked of. bodies: -1 the world, ANY everything.
enum { ANY = -2, UNKNOWN = -3 };
typedef struct Wanted {
    int a, b;
    bool by_id;
    unsigned long long id;
} Wanted;

bool plot_is_force(const char *quantity)
{
    return strncmp(quantity, "force:", 6) == 0 || strncmp(quantity, "contact:", 8) == 0;
}

static int find_body(const PlotRun *run, const char *name)
{
    for (int body = 0; body < run->info->bodies; body++)
        if (strcmp(perp_recording_body(run->recording, body).name, name) == 0)
            return body;
    return strcmp(name, "world") == 0 ? -1 : UNKNOWN;
}

// Names may hold commas: every comma is tried.
static bool find_pair(const PlotRun *run, const char *names, Wanted *wanted)
{
    char *copy = malloc(strlen(names) + 1);
    if (!copy)
        return false;
    memcpy(copy, names, strlen(names) + 1);
    wanted->a = find_body(run, copy);
    wanted->b = ANY;
    for (char *comma = strchr(copy, ','); comma && wanted->a == UNKNOWN;
         comma = strchr(comma + 1, ',')) {
        *comma = '\0';
        int a = find_body(run, copy), b = find_body(run, comma + 1);
        *comma = ',';
        if (a == UNKNOWN || b == UNKNOWN)
            continue;
        wanted->a = a;
        wanted->b = b;
    }
    free(copy);
    return wanted->a != UNKNOWN;
}

static bool find_wanted(const PlotRun *run, const char *quantity, Wanted *wanted)
{
    *wanted = (Wanted){.a = ANY, .b = ANY};
    if (strncmp(quantity, "force:", 6) == 0)
        return find_pair(run, quantity + 6, wanted);
    char *end;
    const char *digits = quantity + 8;
    errno = 0;
    wanted->by_id = true;
    wanted->id = strtoull(digits, &end, 10);
    return end != digits && !*end && errno == 0 && digits[0] != '-';
}

// 1 if it acts on the first of the pair, -1 on the second, 0 if it is another contact.
static int side_of(const Wanted *wanted, const PerpRecordedContact *contact)
{
    if (wanted->by_id)
        return contact->id == wanted->id;
    if (contact->body_a == wanted->a && (wanted->b == ANY || contact->body_b == wanted->b))
        return 1;
    if (contact->body_b == wanted->a && (wanted->b == ANY || contact->body_a == wanted->b))
        return -1;
    return 0;
}

// Normal parts are added as numbers, tangential parts as vectors.
static void add_forces(const Wanted *wanted, const PerpRecordedContact *contacts, int count,
                       double h, double *normal, double *friction)
{
    double tangential[3] = {0};
    for (int k = 0; k < count; k++) {
        const PerpRecordedContact *c = &contacts[k];
        int side = side_of(wanted, c);
        if (side == 0)
            continue;
        double along = 0;
        for (int i = 0; i < 3; i++)
            along += c->impulse[i] * c->normal[i];
        *normal += along / h;
        for (int i = 0; i < 3; i++)
            tangential[i] += side * (c->impulse[i] - along * c->normal[i]) / h;
    }
    *friction = sqrt(tangential[0] * tangential[0] + tangential[1] * tangential[1] +
                     tangential[2] * tangential[2]);
}

static PerpStatus read_forces(PlotRun *run, const Wanted *wanted, const double *lengths,
                              double *normal, double *friction, PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (long k = 0; !status && k < run->frames; k++) {
        const PerpRecordedContact *contacts;
        int count = 0;
        double h = lengths && lengths[k] > 0 ? lengths[k] : run->info->step;
        status = perp_recording_contacts(run->recording, run->first + k, &contacts, &count, error);
        if (!status)
            add_forces(wanted, contacts, count, h, &normal[k], &friction[k]);
    }
    return status;
}

bool plot_force(PlotRun *run, const char *quantity, double **normal, double **friction,
                PerpError *error)
{
    Wanted wanted;
    PlotColumn lengths;
    error->status = PERP_OK;
    if (!perp_recording_has(run->recording, "contacts/start") ||
        !find_wanted(run, quantity, &wanted))
        return false;
    bool known = plot_column(run, "step/length", &lengths, error);
    *normal = calloc((size_t)run->frames + 1, sizeof **normal);
    *friction = calloc((size_t)run->frames + 1, sizeof **friction);
    PerpStatus status = PERP_NO_MEMORY;
    if (*normal && *friction)
        status =
            read_forces(run, &wanted, known ? lengths.values : NULL, *normal, *friction, error);
    else
        error->status = PERP_NO_MEMORY;
    free(lengths.values);
    if (!status)
        return true;
    free(*normal);
    free(*friction);
    return false;
}
