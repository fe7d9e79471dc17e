// Finding quantities by their names, and their values.
#include "study/quantity.h"

#include "perp/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const body_words[] = {"x",  "y",  "z",    "vx",    "vy",  "vz",    "wx",
                                         "wy", "wz", "roll", "pitch", "yaw", "speed", "spin"};

static int index_of(const char *const *words, int count, const char *word)
{
    for (int k = 0; k < count; k++)
        if (strcmp(words[k], word) == 0)
            return k;
    return -1;
}

// --- of the whole -------------------------------------------------------------------------------

static const char *const report_words[] = {
    "kinetic", "gravity", "spring",      "work",        "friction",  "impact",   "damper", "scheme",
    "balance", "energy",  "certificate", "penetration", "joint_gap", "contacts", "impacts"};

static double report_value(const PerpStepReport *report, int part)
{
    const PerpEnergy *e = &report->energy;
    const double values[COUNT(report_words)] = {e->kinetic,
                                                e->gravity,
                                                e->spring,
                                                e->work,
                                                e->friction,
                                                e->impact,
                                                e->damper,
                                                e->scheme,
                                                e->balance,
                                                e->kinetic + e->gravity + e->spring,
                                                report->certificate.worst,
                                                report->penetration,
                                                report->joint_gap,
                                                report->contacts,
                                                report->impacts};
    return values[part];
}

// --- of bodies ----------------------------------------------------------------------------------

static double body_value(const PerpSimulation *simulation, int body, int part)
{
    double x[3], q[4], v[3], w[3];
    perp_simulation_pose(simulation, body, x, q);
    perp_simulation_velocity(simulation, body, v, w);
    if (part < 9)
        return part < 3 ? x[part] : part < 6 ? v[part - 3] : w[part - 6];
    // R = R_z(yaw) R_y(pitch) R_x(roll)
    switch (part) {
    case 9:
        return atan2(2 * (q[0] * q[1] + q[2] * q[3]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
    case 10:
        return asin(fmin(fmax(2 * (q[0] * q[2] - q[3] * q[1]), -1), 1));
    case 11:
        return atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
    default:
        return part == 12 ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
                          : sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
}

static bool is_meant(const PerpQuantity *quantity, const PerpModel *model, int body)
{
    const char *name = perp_model_body_name(model, body);
    return strncmp(name, quantity->prefix, strlen(quantity->prefix)) == 0;
}

static double bodies_value(const PerpQuantity *quantity, const PerpModel *model,
                           const PerpSimulation *simulation)
{
    double extreme = quantity->over == 1 ? INFINITY : -INFINITY, sum = 0;
    int count = 0;
    for (int k = 0; k < perp_model_body_count(model); k++) {
        if (!is_meant(quantity, model, k))
            continue;
        double value = body_value(simulation, k, quantity->part);
        extreme = quantity->over == 1 ? fmin(extreme, value) : fmax(extreme, value);
        sum += value;
        count++;
    }
    return quantity->over == 2 ? sum / count : extreme;
}

// 'largest of grain-*'
static bool find_bodies(const PerpModel *model, const char *object, const char *part,
                        PerpQuantity *quantity, char *hint, size_t size)
{
    static const char *const words[] = {"largest of ", "smallest of ", "mean of "};
    size_t length = strlen(object);
    for (int over = 0; over < COUNT(words); over++) {
        size_t word = strlen(words[over]);
        if (strncmp(object, words[over], word) != 0 || object[length - 1] != '*')
            continue;
        *quantity = (PerpQuantity){.kind = PERP_QUANTITY_BODIES, .over = over};
        quantity->part = index_of(body_words, COUNT(body_words), part);
        snprintf(quantity->prefix, sizeof quantity->prefix, "%.*s", (int)(length - 1 - word),
                 object + word);
        for (int k = 0; k < perp_model_body_count(model); k++)
            if (is_meant(quantity, model, k))
                return quantity->part >= 0;
        snprintf(hint, size, "no body has a name that begins with \"%.60s\"", quantity->prefix);
    }
    return false;
}

// --- by name ------------------------------------------------------------------------------------

static bool find_of_joint(const PerpModel *model, int joint, const char *part,
                          PerpQuantity *quantity)
{
    static const char *const words[] = {"angle", "position",    "first",       "second",
                                        "speed", "first.speed", "second.speed"};
    static const int coordinate[] = {0, 0, 0, 1, 0, 0, 1};
    int word = index_of(words, COUNT(words), part);
    if (word < 0 || coordinate[word] >= perp_model_joint_coordinates(model, joint))
        return false;
    *quantity = (PerpQuantity){.kind = word < 4 ? PERP_QUANTITY_POSITION : PERP_QUANTITY_SPEED,
                               .index = joint,
                               .part = coordinate[word]};
    return true;
}

static bool find_of_sensor(const PerpModel *model, int sensor, const char *part,
                           PerpQuantity *quantity)
{
    static const char *const axes[] = {"w", "x", "y", "z"};
    int numbers = perp_sensor_kind_numbers(perp_model_sensor_kind(model, sensor));
    int number = numbers == 1 ? (part[0] ? -1 : 0) : index_of(axes, 4, part) - (numbers == 3);
    *quantity = (PerpQuantity){.kind = PERP_QUANTITY_SENSOR,
                               .index = perp_model_sensor_start(model, sensor) + number};
    return number >= 0 && number < numbers;
}

static void suggest(const PerpModel *model, const char *object, const char *part, char *hint,
                    size_t size)
{
    if (hint[0])
        return;
    if (perp_model_find_body(model, object) >= 0)
        snprintf(hint, size, "of a body the nearest is \"%.60s.%s\"", object,
                 perp_nearest_word(part, body_words, COUNT(body_words)));
    else if (perp_model_find_joint(model, object) >= 0)
        snprintf(hint, size, "a joint has .angle or .position, and .speed");
    else if (part[0])
        snprintf(hint, size, "the scene has no body, joint or sensor \"%.60s\"", object);
    else
        snprintf(hint, size, "the nearest known is \"%s\"",
                 perp_nearest_word(object, report_words, COUNT(report_words)));
}

bool perp_quantity_find(const PerpModel *model, const char *object, const char *part,
                        PerpQuantity *quantity, char *hint, size_t size)
{
    int body = perp_model_find_body(model, object), joint = perp_model_find_joint(model, object);
    int sensor = perp_model_find_sensor(model, object);
    int signal = part[0] ? -1 : perp_model_find_signal(model, object);
    int body_part = index_of(body_words, COUNT(body_words), part);
    int report = part[0] ? -1 : index_of(report_words, COUNT(report_words), object);
    *quantity = (PerpQuantity){.kind = PERP_QUANTITY_BODY, .index = body, .part = body_part};
    if (body >= 0 && body_part >= 0)
        return true;
    if ((joint >= 0 && find_of_joint(model, joint, part, quantity)) ||
        (sensor >= 0 && find_of_sensor(model, sensor, part, quantity)) ||
        find_bodies(model, object, part, quantity, hint, size))
        return true;
    *quantity = (PerpQuantity){.kind = signal >= 0 ? PERP_QUANTITY_SIGNAL : PERP_QUANTITY_REPORT,
                               .index = signal,
                               .part = report};
    if (signal < 0 && report < 0)
        suggest(model, object, part, hint, size);
    return signal >= 0 || report >= 0;
}

double perp_quantity_value(const PerpQuantity *quantity, const PerpModel *model,
                           const PerpSimulation *simulation)
{
    int count;
    switch (quantity->kind) {
    case PERP_QUANTITY_BODY:
        return body_value(simulation, quantity->index, quantity->part);
    case PERP_QUANTITY_BODIES:
        return bodies_value(quantity, model, simulation);
    case PERP_QUANTITY_POSITION:
        return perp_simulation_coordinate(simulation, quantity->index, quantity->part);
    case PERP_QUANTITY_SPEED:
        return perp_simulation_joint_speed(simulation, quantity->index, quantity->part);
    case PERP_QUANTITY_SENSOR:
        return perp_simulation_sensors(simulation, &count)[quantity->index];
    case PERP_QUANTITY_SIGNAL:
        return perp_simulation_signal(simulation, quantity->index);
    default:
        return report_value(perp_simulation_report(simulation), quantity->part);
    }
}
