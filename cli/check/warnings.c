// Likely mistakes in a scene.
#include "check/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double OVERLAP = 1e-6;      // m, deeper ones are worth a word
static const double OFF = 1e-9;          // m or rad by which limits may be off
static const double MISPLACED = 1e-6;    // m or rad, of what a prescribed motion moves
static const double MASS_RATIO = 1e6;    //
static const double INERTIA_RATIO = 1e4; // of principal moments
static const double INSTANT = 1e-9;      // s, length of the step that looks for overlaps
static const double RESOLVED = 2;        // h omega: less than three steps a period
static const double SMOOTH = 0.02;       // rad: height fields whose facets turn by less
static const double STEEP = 0.35;        // rad: an edge that is meant
static const double PI = 3.14159265358979323846;
static const double CLOSED = 1e-3; // of the kinetic energy: what joints may take at the start

static bool warn(Check *check, PerpPlace place, const char *format, ...)
{
    if (check->n_warnings == check->warning_room) {
        int room = 2 * check->warning_room + 16;
        CheckWarning *warnings = realloc(check->warnings, (size_t)room * sizeof *warnings);
        if (!warnings)
            return false;
        check->warnings = warnings;
        check->warning_room = room;
    }
    CheckWarning *warning = &check->warnings[check->n_warnings++];
    warning->place = place;
    va_list values;
    va_start(values, format);
    vsnprintf(warning->text, sizeof warning->text, format, values);
    va_end(values);
    return true;
}

static PerpPlace place_of_scene(const Check *check)
{
    return (PerpPlace){.file = perp_scene_file(check->opened.scene, 0)};
}

static PerpPlace place_of_body(const Check *check, int body)
{
    return perp_scene_body_place(check->opened.scene, body);
}

static PerpPlace place_of_joint(const Check *check, int joint)
{
    return perp_scene_joint_place(check->opened.scene, joint);
}

// --- bodies -------------------------------------------------------------------------------------

static void hold(Check *check, int body_a, int body_b)
{
    if (body_a >= 0)
        check->bodies[body_a].is_held = true;
    if (body_b >= 0)
        check->bodies[body_b].is_held = true;
}

static int body_of_site(const PerpModelDef *def, int site)
{
    return site >= 0 ? def->sites[site].body : -1;
}

static void find_held_bodies(Check *check, const PerpModelDef *def)
{
    for (int k = 0; k < def->n_joints; k++)
        if (def->joints[k].kind != PERP_JOINT_COUPLING)
            hold(check, def->joints[k].body_a, def->joints[k].body_b);
    for (int k = 0; k < def->n_springs; k++)
        hold(check, def->springs[k].body_a, def->springs[k].body_b);
    for (int k = 0; k < def->n_motions; k++)
        hold(check, def->motions[k].body, -1);
    for (int k = 0; k < def->n_actuators; k++)
        hold(check, body_of_site(def, def->actuators[k].site_a),
             body_of_site(def, def->actuators[k].site_b));
}

static bool find_loose_bodies(Check *check, const PerpModelDef *def)
{
    bool ok = true;
    find_held_bodies(check, def);
    for (int body = 0; ok && body < def->n_bodies; body++)
        if (check->bodies[body].shapes == 0 && !check->bodies[body].is_held)
            ok = warn(check, place_of_body(check, body),
                      "body \"%s\" has no shape, joint, spring, actuator or motion: nothing "
                      "touches or holds it",
                      def->bodies[body].name);
    return ok;
}

// A body within the radius r of its centre has no moment beyond m r^2.
static bool find_inertias(Check *check, const PerpModelDef *def)
{
    bool ok = true;
    for (int body = 0; ok && body < def->n_bodies; body++) {
        const CheckBody *measured = &check->bodies[body];
        const double *principal = measured->principal, *centre = def->bodies[body].centre;
        double mass = perp_model_body_mass(check->opened.model, body);
        double gyration = sqrt(principal[0] / mass);
        double reach = measured->reach + hypot(hypot(centre[0], centre[1]), centre[2]);
        if (!measured->is_free_to_turn)
            continue;
        if (principal[0] > INERTIA_RATIO * principal[2])
            ok = warn(check, place_of_body(check, body),
                      "body \"%s\": principal moments from %.3g to %.3g kg m^2 are far apart",
                      def->bodies[body].name, principal[2], principal[0]);
        if (ok && measured->shapes > 0 && gyration > (1 + 1e-9) * reach)
            ok = warn(check, place_of_body(check, body),
                      "body \"%s\": its inertia needs matter %.3g m from the centre, its shapes "
                      "end at %.3g m",
                      def->bodies[body].name, gyration, reach);
    }
    return ok;
}

static bool find_masses(Check *check, const PerpModelDef *def)
{
    int lightest = -1, heaviest = -1;
    double least = INFINITY, most = 0;
    for (int body = 0; body < def->n_bodies; body++) {
        double mass = perp_model_body_mass(check->opened.model, body);
        if (def->bodies[body].freedom && mass < least) {
            least = mass;
            lightest = body;
        }
        if (def->bodies[body].freedom && mass > most) {
            most = mass;
            heaviest = body;
        }
    }
    if (lightest < 0 || most <= MASS_RATIO * least)
        return true;
    return warn(check, place_of_body(check, lightest),
                "masses are more than %g apart: \"%s\" has %.3g kg, \"%s\" %.3g kg", MASS_RATIO,
                def->bodies[lightest].name, least, def->bodies[heaviest].name, most);
}

// --- joints -------------------------------------------------------------------------------------

static bool find_limits(Check *check, const PerpModelDef *def)
{
    bool ok = true;
    for (int k = 0; k < def->n_joints; k++)
        for (int i = 0; ok && i < check_joint_coordinates(def->joints[k].kind); i++) {
            const PerpAxisDef *axis = &def->joints[k].axis_def[i];
            double x = perp_simulation_coordinate(check->probe, k, i);
            if (x < axis->lower - OFF || x > axis->upper + OFF)
                ok = warn(check, place_of_joint(check, k),
                          "joint \"%s\": its limits %.6g and %.6g exclude where it starts, %.6g",
                          def->joints[k].name, axis->lower, axis->upper, x);
        }
    return ok;
}

// --- materials ----------------------------------------------------------------------------------

static bool is_used(const PerpModelDef *def, int material)
{
    for (int k = 0; k < def->n_shapes; k++)
        if (def->shapes[k].material == material)
            return true;
    return false;
}

// Material 0 is there in any scene.
static bool find_materials(Check *check, const PerpModelDef *def)
{
    bool ok = true;
    for (int k = 1; ok && k < def->n_materials; k++)
        if (!is_used(def, k))
            ok = warn(check, place_of_scene(check), "material \"%s\": no shape is made of it",
                      def->materials[k].name);
    return ok;
}

// --- surfaces -----------------------------------------------------------------------------------

// rad: the sharpest of three heights in a row, `between` apart, that rise beyond a line; 0: flatter
// than STEEP at a step that is meant as one
static double valley(double a, double b, double c, double between)
{
    double turn = atan2(c - b, between) - atan2(b - a, between);
    return turn < STEEP ? turn : 0;
}

static double sharpest_valley(const PerpShapeDef *s)
{
    double sharpest = 0;
    for (int i = 0; i < s->rows; i++)
        for (int k = 0; k < s->columns; k++) {
            const double *h = s->heights + (size_t)i * (size_t)s->columns + k;
            if (k > 0 && k < s->columns - 1)
                sharpest = fmax(sharpest, valley(h[-1], h[0], h[1], s->size[0]));
            if (i > 0 && i < s->rows - 1)
                sharpest = fmax(sharpest, valley(h[-s->columns], h[0], h[s->columns], s->size[1]));
        }
    return sharpest;
}

static bool is_round(PerpShapeKind kind)
{
    return kind == PERP_SHAPE_SPHERE || kind == PERP_SHAPE_CAPSULE || kind == PERP_SHAPE_CYLINDER ||
           kind == PERP_SHAPE_ELLIPSOID;
}

// A ball that rolls into a valley of facets is stopped by the next one, an impact without bounce:
// of its speed across the edge it keeps the cosine of the angle between them.
static bool find_facets(Check *check, const PerpModelDef *def)
{
    bool rolls = false, ok = true;
    for (int k = 0; k < def->n_shapes; k++)
        rolls = rolls || (is_round(def->shapes[k].kind) && def->shapes[k].body >= 0);
    for (int k = 0; ok && rolls && k < def->n_shapes; k++) {
        bool is_field = def->shapes[k].kind == PERP_SHAPE_HEIGHT_FIELD;
        double turn = is_field ? sharpest_valley(&def->shapes[k]) : 0;
        if (turn > SMOOTH)
            ok = warn(check, perp_scene_shape_place(check->opened.scene, k),
                      "the height field is of flat facets: what rolls over an edge of a valley "
                      "loses up to %.2g %% of its energy there (%.2g deg); a finer grid takes less",
                      100 * sin(turn) * sin(turn), turn * 180 / PI);
    }
    return ok;
}

// --- the step -----------------------------------------------------------------------------------

// 1, 2 or 5 times a power of ten, at most h
static double round_down(double h)
{
    double power = pow(10, floor(log10(h))), digit = h / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

// Schemes that must follow the fastest mode say so in their verdict, before the first step.
static bool find_fast_modes(Check *check, const PerpVerdict *verdict)
{
    char text[WARNING_SIZE];
    double h = perp_simulation_settings(check->probe).step;
    if (!verdict->check[PERP_CHECK_FASTEST_MODE].holds)
        return warn(check, place_of_scene(check), "%s",
                    perp_verdict_text(verdict, PERP_CHECK_FASTEST_MODE, text, sizeof text));
    bool is_default = strcmp(perp_simulation_settings(check->probe).scheme, "default") == 0;
    if (!is_default || !(h * verdict->fastest > RESOLVED)) // others are chosen for such modes
        return true;
    return warn(
        check, place_of_scene(check),
        "the fastest vibration or decay of springs and dampers, %.3g 1/s, is not followed by "
        "steps of %g s but damped; steps of %g s follow it",
        verdict->fastest, h, round_down(0.2 / verdict->fastest));
}

// --- overlaps -----------------------------------------------------------------------------------

static bool are_of_same_bodies(const PerpContactReport *s, const PerpContactReport *t)
{
    return s->body_a == t->body_a && s->body_b == t->body_b;
}

// The contacts of two bodies follow one another; the deepest speaks for all.
static bool find_overlaps(Check *check)
{
    const PerpModel *model = check->opened.model;
    bool ok = true;
    int count = perp_simulation_contact_count(check->probe);
    for (int k = 0; ok && k < count;) {
        PerpContactReport deepest = perp_simulation_contact(check->probe, k);
        for (k++; k < count; k++) {
            PerpContactReport next = perp_simulation_contact(check->probe, k);
            if (!are_of_same_bodies(&deepest, &next))
                break;
            if (next.gap < deepest.gap)
                deepest = next;
        }
        int body = deepest.body_a >= 0 ? deepest.body_a : deepest.body_b;
        if (deepest.gap < -OVERLAP)
            ok = warn(check, place_of_body(check, body),
                      "\"%s\" and \"%s\" overlap by %.3g m at the start",
                      perp_model_body_name(model, deepest.body_a),
                      perp_model_body_name(model, deepest.body_b), -deepest.gap);
    }
    return ok;
}

// Contacts are known after a step; this one is too short to move anything.
static bool find_in_first_step(Check *check)
{
    PerpError error = {0};
    if (perp_simulation_step(check->probe, INSTANT, &error))
        return warn(check, place_of_scene(check), "the first step fails: %s", error.message);
    return find_overlaps(check) && check_find_closed(check);
}

bool check_find_closed(Check *check)
{
    double closed = perp_simulation_verdict(check->probe).closed;
    double kinetic = perp_simulation_report(check->probe)->energy.kinetic;
    if (!(closed > CLOSED * (closed + kinetic)))
        return true;
    return warn(check, place_of_scene(check),
                "the joints do not allow the velocities of the start: they took %.3g J of them",
                closed);
}

bool check_find_overlap(Check *check)
{
    PerpVerdict verdict = perp_simulation_verdict(check->probe);
    const PerpModel *model = check->opened.model;
    if (!(verdict.overlap > OVERLAP))
        return true;
    return warn(
        check, place_of_body(check, verdict.overlap_a >= 0 ? verdict.overlap_a : verdict.overlap_b),
        "\"%s\" and \"%s\" overlap by %.3g m at the start",
        perp_model_body_name(model, verdict.overlap_a),
        perp_model_body_name(model, verdict.overlap_b), verdict.overlap);
}

// The first step takes them to where motions begin, at once.
static bool find_misplaced(Check *check, const PerpModelDef *def)
{
    int actuator, motion;
    double off = perp_simulation_motion_error(check->probe, &actuator, &motion);
    if (!(off > MISPLACED))
        return true;
    if (motion >= 0) {
        int body = def->motions[motion].body;
        return warn(check, place_of_body(check, body),
                    "the prescribed motion of \"%s\" begins %.3g m or rad from where it is at the "
                    "start",
                    def->bodies[body].name, off);
    }
    const char *name = def->actuators[actuator].name;
    return warn(check, perp_scene_place_of(check->opened.scene, "actuator", name),
                "the motion of \"%s\" begins %.3g m or rad from its length at the start", name,
                off);
}

bool check_find_at_start(Check *check)
{
    const PerpModelDef *def = perp_scene_model_def(check->opened.scene);
    PerpVerdict verdict = perp_simulation_verdict(check->probe);
    return find_loose_bodies(check, def) && find_inertias(check, def) && find_masses(check, def) &&
           find_limits(check, def) && find_misplaced(check, def) && find_materials(check, def) &&
           find_facets(check, def) && find_fast_modes(check, &verdict);
}

bool check_find_warnings(Check *check)
{
    return check_find_at_start(check) && find_in_first_step(check);
}
