// The section expect of a scene: outcomes that a run of the scene must have.
#include "io/scene/scene_reader.h"

#include <math.h>
#include <stddef.h>

static const char *const expect_words[PERP_EXPECT_KIND_COUNT] = {
#define EXPECT_WORD(name, word, numbers) word,
    PERP_EXPECT_LIST(EXPECT_WORD)
#undef EXPECT_WORD
};

static const int expect_numbers[PERP_EXPECT_KIND_COUNT] = {
#define EXPECT_NUMBERS(name, word, numbers) numbers,
    PERP_EXPECT_LIST(EXPECT_NUMBERS)
#undef EXPECT_NUMBERS
};

enum { OF_A_SENSOR = 1 << PERP_EXPECT_VALUE | 1 << PERP_EXPECT_VALUES };

// Outcomes of a body have a body and a tolerance; bounds on the run are tolerances themselves.
enum {
#define EXPECT_BIT(name, word, numbers) | ((numbers) > 0 ? 1 << PERP_EXPECT_##name : 0)
    OF_A_BODY = 0 PERP_EXPECT_LIST(EXPECT_BIT)
#undef EXPECT_BIT
};

const char *perp_expect_kind_name(PerpExpectKind kind)
{
    return (unsigned)kind < PERP_EXPECT_KIND_COUNT ? expect_words[kind] : "?";
}

static PerpStatus read_body_of(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    return perp_scene_find(reader, value, "body", &reader->scene->body_names, target);
}

static PerpStatus read_sensor_of(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpExpectation *expectation = target;
    PerpStatus status = perp_scene_find(reader, value, "sensor", &reader->scene->sensor_names,
                                        &expectation->sensor);
    if (status)
        return status;
    const PerpSensorDef *def =
        (const PerpSensorDef *)reader->scene->sensors.items + expectation->sensor;
    int numbers = perp_sensor_kind_numbers(def->kind);
    if (numbers != expect_numbers[expectation->kind])
        return perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                              "the sensor \"%.100s\" has %d numbers; expected one for \"value\", "
                              "three for \"values\"",
                              def->name, numbers);
    return PERP_OK;
}

static PerpStatus read_bound(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpExpectation *expectation = target;
    const PerpField bound = {expect_words[expectation->kind], PERP_FIELD_NON_NEGATIVE, 0, NULL, 0};
    return perp_field_value(reader, value, &bound, &expectation->within);
}

static PerpStatus read_outcome(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpExpectation *expectation = target;
    const char *word = expect_words[expectation->kind];
    switch (expect_numbers[expectation->kind]) {
    case 0:
        return read_bound(reader, value, target);
    case 1:
        return perp_scene_number(reader, value, word, expectation->value);
    default:
        return perp_scene_numbers(reader, value, 3, word, expectation->value);
    }
}

static const PerpField expect_field_list[] = {
#define EXPECT_FIELD(name, word, numbers) {word, PERP_FIELD_OWN, 0, read_outcome, 0},
    PERP_EXPECT_LIST(EXPECT_FIELD)
#undef EXPECT_FIELD
        {"name", PERP_FIELD_TEXT, offsetof(PerpExpectation, name), NULL, 0},
    {"body", PERP_FIELD_OWN, offsetof(PerpExpectation, body), read_body_of,
     OF_A_BODY & ~OF_A_SENSOR},
    {"sensor", PERP_FIELD_OWN, 0, read_sensor_of, OF_A_SENSOR},
    {"within", PERP_FIELD_NON_NEGATIVE, offsetof(PerpExpectation, within), NULL, OF_A_BODY},
    {"t", PERP_FIELD_NON_NEGATIVE, offsetof(PerpExpectation, time), NULL, 0},
};
static const PerpFields expect_fields =
    PERP_FIELDS_OF_KINDS("an expected outcome", expect_field_list, expect_words);

static PerpStatus choose_kind(PerpSceneReader *reader, const PerpNode *item, int *kind)
{
    const PerpNode *body;
    PerpStatus status = perp_fields_check(reader, item, &expect_fields);
    if (!status)
        status = perp_fields_choose(reader, item, expect_words, PERP_EXPECT_KIND_COUNT, kind);
    if (!status && *kind < 0)
        status = perp_node_fail(reader->document, item, PERP_BAD_SYNTAX,
                                "an expected outcome: expected one of the keys position, velocity, "
                                "spin, height, energy-error, penetration, joint-gap, certificate, "
                                "value, values");
    if (!status && expect_numbers[*kind] > 0)
        status = perp_node_require(reader->document, item,
                                   1 << *kind & OF_A_SENSOR ? "sensor" : "body", &body);
    return status;
}

static PerpStatus check_time(PerpSceneReader *reader, const PerpNode *item, double time)
{
    const PerpNode *node = perp_node_find(item, "t");
    double duration = reader->scene->run.duration;
    if (!node || time <= duration)
        return PERP_OK;
    return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                          "t: expected a time within the run of %.6g s, found %.6g", duration,
                          time);
}

PerpStatus perp_read_expectation(PerpSceneReader *reader, const PerpNode *name,
                                 const PerpNode *item)
{
    (void)name;
    PerpExpectation expectation = {.name = "",
                                   .body = -1,
                                   .sensor = -1,
                                   .within = 1e-9,
                                   .time = INFINITY,
                                   .place = perp_scene_place(reader, item)};
    int kind = -1;
    PerpStatus status = choose_kind(reader, item, &kind);
    if (status)
        return status;
    expectation.kind = (PerpExpectKind)kind;
    status = perp_fields_read(reader, item, &expect_fields, 1u << kind, expect_words[kind],
                              &expectation);
    if (!status)
        status = check_time(reader, item, expectation.time);
    return status ? status
                  : perp_scene_add(reader, item, &reader->scene->expectations, &expectation);
}
