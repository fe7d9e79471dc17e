// The schema of recordings: every series and column with its unit and type.
#include "io/recording/recording_format.h"

#include "base/sized.h"

#include <math.h>
#include <string.h>

#define SERIES(name, unit, type, group)                                                            \
    {                                                                                              \
        {name, unit, PERP_COLUMN_##type, 0, 0, 0}, PERP_RECORD_##group                             \
    }
#define BOUND(name, word, text) SERIES("bound/" word, "1", DOUBLE, BOUNDS),
#define RESIDUAL(name, word, unit) SERIES("certificate/" word, "1", FLOAT, CERTIFICATE),

// In the order of perp_series_values.
const PerpSeriesDef perp_series[PERP_SERIES_COUNT] = {
    {{"time", "s", PERP_COLUMN_DOUBLE, 0, 0, 0}, -1},
    {{"step/number", "", PERP_COLUMN_LONG, 0, 0, 0}, -1},
    SERIES("energy/kinetic", "J", DOUBLE, ENERGY),
    SERIES("energy/gravity", "J", DOUBLE, ENERGY),
    SERIES("energy/spring", "J", DOUBLE, ENERGY),
    SERIES("energy/work", "J", DOUBLE, ENERGY),
    SERIES("energy/friction", "J", DOUBLE, ENERGY),
    SERIES("energy/impact", "J", DOUBLE, ENERGY),
    SERIES("energy/damper", "J", DOUBLE, ENERGY),
    SERIES("energy/scheme", "J", DOUBLE, ENERGY),
    SERIES("energy/balance", "1", DOUBLE, ENERGY),
    SERIES("certificate/worst", "1", DOUBLE, CERTIFICATE),
    SERIES("certificate/kind", "", BYTE, CERTIFICATE),
    SERIES("certificate/row", "", INT, CERTIFICATE),
    SERIES("certificate/energy_excess", "1", DOUBLE, CERTIFICATE),
    PERP_RESIDUAL_LIST(RESIDUAL) //
    SERIES("step/wall", "s", FLOAT, STEP),
    SERIES("step/problems", "", INT, STEP),
    SERIES("step/impacts", "", INT, STEP),
    SERIES("step/substeps", "", INT, STEP),
    SERIES("step/contacts", "", INT, STEP),
    SERIES("step/pivots", "", INT, STEP),
    SERIES("step/outcome", "", BYTE, STEP),
    SERIES("step/method", "", BYTE, STEP),
    SERIES("step/penetration", "m", DOUBLE, STEP),
    SERIES("step/joint_gap", "m or rad", DOUBLE, STEP),
    SERIES("step/length", "s", DOUBLE, STEP),
    SERIES("held/residual", "1", DOUBLE, STEP),
    SERIES("held/gap_error", "m", DOUBLE, STEP),
    SERIES("held/contacts", "", INT, STEP),
    SERIES("held/exact", "1", DOUBLE, STEP),
    SERIES("verdict/unmet", "", INT, STEP),
    PERP_BOUND_LIST(BOUND) //
};

void perp_series_values(const PerpFrame *frame, double values[PERP_SERIES_COUNT])
{
    const PerpStepReport *r = frame->report;
    const PerpEnergy *e = &r->energy;
    const PerpCertificate *c = &r->certificate;
    const double head[] = {r->t,
                           (double)frame->step,
                           e->kinetic,
                           e->gravity,
                           e->spring,
                           e->work,
                           e->friction,
                           e->impact,
                           e->damper,
                           e->scheme,
                           e->balance,
                           c->worst,
                           (double)c->worst_kind,
                           (double)c->residual_row[c->worst_kind],
                           c->energy_excess};
    const double tail[] = {frame->wall,
                           (double)r->problems,
                           (double)r->impacts,
                           (double)r->substeps,
                           (double)r->contacts,
                           (double)r->pivots,
                           (double)r->outcome,
                           (double)r->solved_by,
                           r->penetration,
                           r->joint_gap,
                           r->h,
                           r->held.residual,
                           r->gap_error,
                           (double)r->held.contacts,
                           r->held_exact,
                           (double)r->unmet};
    memcpy(values, head, sizeof head);
    values += sizeof head / sizeof *head;
    memcpy(values, c->residual, sizeof c->residual);
    values += PERP_RESIDUAL_COUNT;
    memcpy(values, tail, sizeof tail);
    values += sizeof tail / sizeof *tail;
    for (int k = 0; k < PERP_BOUND_COUNT; k++)
        values[k] = r->bound[k].applies ? r->bound[k].margin : NAN;
}

int perp_series_find(const char *name)
{
    for (int k = 0; k < PERP_SERIES_COUNT; k++)
        if (strcmp(name, perp_series[k].column.name) == 0)
            return k;
    return -1;
}

int perp_recording_series_count(void)
{
    return PERP_SERIES_COUNT;
}

const char *perp_recording_series_name(int series)
{
    return series >= 0 && series < PERP_SERIES_COUNT ? perp_series[series].column.name : "?";
}

const char *perp_recording_series_unit(int series)
{
    return series >= 0 && series < PERP_SERIES_COUNT ? perp_series[series].column.unit : "?";
}

// --- wide columns -------------------------------------------------------------------------------

enum { BODIES = -1, JOINTS = -2, N_Q = -3, N_V = -4, SENSORS = -5, ACTUATORS = -6 }; // to be
// filled in

static const PerpSeriesDef wide_columns[PERP_WIDE_COUNT] = {
    {{"q", "m, 1", PERP_COLUMN_DOUBLE, N_Q, 0, 0}, PERP_RECORD_STATE},
    {{"v", "m/s, rad/s", PERP_COLUMN_DOUBLE, N_V, 0, 0}, PERP_RECORD_STATE},
    {{"pose", "m, 1", PERP_COLUMN_NUMBER, BODIES, 7, 0}, PERP_RECORD_POSES},
    {{"velocity", "m/s, rad/s", PERP_COLUMN_NUMBER, BODIES, 6, 0}, PERP_RECORD_VELOCITIES},
    {{"coordinate", "m or rad", PERP_COLUMN_DOUBLE, JOINTS, PERP_JOINT_COORDINATES, 0},
     PERP_RECORD_JOINTS},
    {{"certificate/name", "", PERP_COLUMN_NAME, 0, 0, 0}, PERP_RECORD_CERTIFICATE},
    {{"sensors/value", "", PERP_COLUMN_DOUBLE, SENSORS, 0, 0}, PERP_RECORD_SENSORS},
    {{"loads/joint", "N, N m", PERP_COLUMN_NUMBER, JOINTS, 6, 0}, PERP_RECORD_LOADS},
    {{"loads/motor", "N or N m", PERP_COLUMN_NUMBER, JOINTS, PERP_JOINT_COORDINATES, 0},
     PERP_RECORD_LOADS},
    {{"loads/actuator", "N or N m", PERP_COLUMN_NUMBER, ACTUATORS, 0, 0}, PERP_RECORD_LOADS},
    {{"contacts/start", "", PERP_COLUMN_LONG, 0, 0, 0}, PERP_RECORD_CONTACTS},
    {{"contacts/count", "", PERP_COLUMN_INT, 0, 0, 0}, PERP_RECORD_CONTACTS},
    {{"contacts/id", "", PERP_COLUMN_LONG, 0, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/body", "", PERP_COLUMN_INT, 2, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/shape", "", PERP_COLUMN_INT, 2, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/point", "m", PERP_COLUMN_NUMBER, 3, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/normal", "1", PERP_COLUMN_NUMBER, 3, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/gap", "m", PERP_COLUMN_DOUBLE, 0, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/velocity", "m/s", PERP_COLUMN_NUMBER, 3, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/impulse", "N s", PERP_COLUMN_DOUBLE, 3, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/mu", "1", PERP_COLUMN_FLOAT, 0, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/residual", "1", PERP_COLUMN_FLOAT, 0, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"contacts/status", "", PERP_COLUMN_BYTE, 0, 0, BODIES}, PERP_RECORD_CONTACTS},
    {{"events/time", "s", PERP_COLUMN_DOUBLE, 0, 0, 0}, PERP_RECORD_EVENTS},
    {{"events/step", "", PERP_COLUMN_LONG, 0, 0, 0}, PERP_RECORD_EVENTS},
    {{"events/frame", "", PERP_COLUMN_LONG, 0, 0, 0}, PERP_RECORD_EVENTS},
    {{"events/kind", "", PERP_COLUMN_BYTE, 0, 0, 0}, PERP_RECORD_EVENTS},
    {{"events/body", "", PERP_COLUMN_INT, 2, 0, 0}, PERP_RECORD_EVENTS},
    {{"events/joint", "", PERP_COLUMN_INT, 0, 0, 0}, PERP_RECORD_EVENTS},
    {{"events/size", "N s or m/s", PERP_COLUMN_DOUBLE, 0, 0, 0}, PERP_RECORD_EVENTS},
    {{"problems/step", "", PERP_COLUMN_LONG, 0, 0, 0}, PERP_RECORD_PROBLEMS},
    {{"problems/time", "s", PERP_COLUMN_DOUBLE, 0, 0, 0}, PERP_RECORD_PROBLEMS},
    {{"problems/residual", "1", PERP_COLUMN_DOUBLE, PERP_RESIDUAL_COUNT, 0, 0},
     PERP_RECORD_PROBLEMS},
    {{"problems/outcome", "", PERP_COLUMN_BYTE, 0, 0, 0}, PERP_RECORD_PROBLEMS},
    {{"problems/method", "", PERP_COLUMN_BYTE, 0, 0, 0}, PERP_RECORD_PROBLEMS},
    {{"problems/ints_end", "", PERP_COLUMN_LONG, 0, 0, 0}, PERP_RECORD_PROBLEMS},
    {{"problems/doubles_end", "", PERP_COLUMN_LONG, 0, 0, 0}, PERP_RECORD_PROBLEMS},
    {{"problems/ints", "", PERP_COLUMN_INT, 0, 0, 0}, PERP_RECORD_PROBLEMS},
    {{"problems/doubles", "", PERP_COLUMN_DOUBLE, 0, 0, 0}, PERP_RECORD_PROBLEMS},
    {{"journal", "", PERP_COLUMN_DOUBLE, 0, 0, 0}, PERP_RECORD_ALWAYS},
};

bool perp_product_def(PerpWide wide, const PerpWidths *widths, PerpColumnDef *def, int *group)
{
    const int counts[] = {widths->bodies, widths->joints,  widths->n_q,
                          widths->n_v,    widths->sensors, widths->actuators};
    *def = wide_columns[wide].column;
    *group = wide_columns[wide].group;
    if (def->type == PERP_COLUMN_NUMBER)
        def->type = widths->single ? PERP_COLUMN_FLOAT : PERP_COLUMN_DOUBLE;
    if (def->at_once == BODIES)
        def->at_once = widths->bodies; // at rest each of them has a contact or more
    if (def->width >= 0)
        return true;
    def->width = counts[-1 - def->width];
    return def->width > 0;
}

// --- names --------------------------------------------------------------------------------------

const char *perp_record_group_name(PerpRecordGroup group)
{
#define WORD(name, word, text) word,
    static const char *const words[] = {PERP_RECORD_LIST(WORD)};
#undef WORD
    return (int)group >= 0 && group < PERP_RECORD_GROUP_COUNT ? words[group] : "?";
}

const char *perp_record_group_text(PerpRecordGroup group)
{
#define TEXT(name, word, text) text,
    static const char *const texts[] = {PERP_RECORD_LIST(TEXT)};
#undef TEXT
    return (int)group >= 0 && group < PERP_RECORD_GROUP_COUNT ? texts[group] : "?";
}

const char *perp_event_kind_name(PerpEventKind kind)
{
    static const char *const names[] = {"impact", "slip", "take-off", "limit"};
    return (int)kind >= 0 && kind < PERP_EVENT_KIND_COUNT ? names[kind] : "?";
}

void perp_fill_recorder_options(PerpRecorderOptions *made, size_t size)
{
    const PerpRecorderOptions defaults = {.groups = (1u << PERP_RECORD_GROUP_COUNT) - 1,
                                          .every = 1,
                                          .problems_every = 1,
                                          .options = "{}"};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}
