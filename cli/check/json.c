// Report of perp check as one JSON object.
#include "common/json.h"
#include "check/check.h"

static void print_body(FILE *out, const Check *check, const PerpBodyDef *def, int body)
{
    const CheckBody *measured = &check->bodies[body];
    json_text(out, "{", "name", def->name);
    if (def->freedom != 0)
        json_member(out, ", ", "mass", perp_model_body_mass(check->opened.model, body));
    if (measured->is_free_to_turn)
        json_vector(out, ", ", "principal_inertia", measured->principal, 3);
    fprintf(out, ", \"freedom\": %d, \"shapes\": %d}", check_bits(def->freedom), measured->shapes);
}

static void print_joint(FILE *out, const Check *check, const PerpJointDef *def, int joint)
{
    const PerpModel *model = check->opened.model;
    double at[PERP_JOINT_COORDINATES];
    for (int k = 0; k < check_joint_coordinates(def->kind); k++)
        at[k] = perp_simulation_coordinate(check->probe, joint, k);
    json_text(out, "{", "name", def->name);
    json_text(out, ", ", "kind", perp_joint_kind_name(def->kind));
    if (def->kind != PERP_JOINT_COUPLING) {
        json_text(out, ", ", "a", perp_model_body_name(model, def->body_a));
        json_text(out, ", ", "b", perp_model_body_name(model, def->body_b));
    }
    fprintf(out, ", \"equations\": %d", check_joint_equations(def->kind));
    json_vector(out, ", ", "coordinates", at, check_joint_coordinates(def->kind));
    fputc('}', out);
}

static void print_warning(FILE *out, const CheckWarning *warning)
{
    json_text(out, "{", "file", warning->place.file);
    fprintf(out, ", \"line\": %d, \"column\": %d", warning->place.line, warning->place.column);
    json_text(out, ", ", "text", warning->text);
    fputc('}', out);
}

static void print_files(FILE *out, const PerpScene *scene)
{
    fputs(",\n \"files\": [", out);
    for (int k = 0; k < perp_scene_files(scene); k++) {
        fputs(k ? ", " : "", out);
        json_string(out, perp_scene_file(scene, k));
    }
    fputc(']', out);
}

void check_print_json(FILE *out, const Check *check)
{
    const PerpModelDef *def = perp_scene_model_def(check->opened.scene);
    json_text(out, "{", "scene", check->path);
    json_text(out, ", ", "about", perp_scene_about(check->opened.scene));
    print_files(out, check->opened.scene);
    fputs(",\n \"bodies\": [", out);
    for (int k = 0; k < def->n_bodies; k++) {
        fputs(k ? ",\n  " : "\n  ", out);
        print_body(out, check, &def->bodies[k], k);
    }
    fputs("],\n \"joints\": [", out);
    for (int k = 0; k < def->n_joints; k++) {
        fputs(k ? ",\n  " : "\n  ", out);
        print_joint(out, check, &def->joints[k], k);
    }
    fprintf(out, "],\n \"shapes\": %d, \"warnings\": [", def->n_shapes);
    for (int k = 0; k < check->n_warnings; k++) {
        fputs(k ? ",\n  " : "\n  ", out);
        print_warning(out, &check->warnings[k]);
    }
    fputs("]}\n", out);
}
