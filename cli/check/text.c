// Report of perp check as text.
#include "check/check.h"

#include <math.h>

static const int equations[PERP_JOINT_KIND_COUNT] = {
#define JOINT_EQUATIONS(name, word, equations, coordinates, text) equations,
    PERP_JOINT_LIST(JOINT_EQUATIONS)
#undef JOINT_EQUATIONS
};

static const int coordinates[PERP_JOINT_KIND_COUNT] = {
#define JOINT_COORDINATES(name, word, equations, coordinates, text) coordinates,
    PERP_JOINT_LIST(JOINT_COORDINATES)
#undef JOINT_COORDINATES
};

int check_joint_equations(PerpJointKind kind)
{
    return equations[kind];
}

int check_joint_coordinates(PerpJointKind kind)
{
    return coordinates[kind];
}

static void print_body(FILE *out, const Check *check, const PerpBodyDef *def, int body)
{
    const CheckBody *measured = &check->bodies[body];
    fprintf(out, "  %-18.40s", def->name);
    if (def->freedom == 0)
        fprintf(out, " %12s", "fixed");
    else
        fprintf(out, " %12.6g", perp_model_body_mass(check->opened.model, body));
    fprintf(out, " %8d %7d  ", check_bits(def->freedom), measured->shapes);
    for (int k = 0; k < 3 && measured->is_free_to_turn; k++)
        fprintf(out, " %.6g", measured->principal[k]);
    fputc('\n', out);
}

static void print_bodies(FILE *out, const Check *check, const PerpModelDef *def)
{
    int velocities = 0;
    for (int body = 0; body < def->n_bodies; body++)
        velocities += check_bits(def->bodies[body].freedom);
    fprintf(out, "bodies        %d with %d velocities\n", def->n_bodies, velocities);
    if (def->n_bodies > 0)
        fprintf(out, "  %-18s %12s %8s %7s   %s\n", "", "mass, kg", "freedom", "shapes",
                "principal inertia, kg m^2");
    for (int body = 0; body < def->n_bodies; body++)
        print_body(out, check, &def->bodies[body], body);
}

static void print_joint(FILE *out, const Check *check, const PerpJointDef *def, int joint)
{
    const PerpModel *model = check->opened.model;
    fprintf(out, "  %-18.40s %-14s", def->name, perp_joint_kind_name(def->kind));
    if (def->kind == PERP_JOINT_COUPLING)
        fprintf(out, " %s, %s", perp_model_joint_name(model, def->joint_a),
                perp_model_joint_name(model, def->joint_b));
    else
        fprintf(out, " %s, %s", perp_model_body_name(model, def->body_a),
                perp_model_body_name(model, def->body_b));
    for (int k = 0; k < coordinates[def->kind]; k++)
        fprintf(out, "%s %.6g", k ? "," : "; at",
                perp_simulation_coordinate(check->probe, joint, k));
    fputc('\n', out);
}

static void print_joints(FILE *out, const Check *check, const PerpModelDef *def)
{
    int rows = 0;
    for (int joint = 0; joint < def->n_joints; joint++)
        rows += equations[def->joints[joint].kind];
    fprintf(out, "joints        %d with %d equations\n", def->n_joints, rows);
    for (int joint = 0; joint < def->n_joints; joint++)
        print_joint(out, check, &def->joints[joint], joint);
}

static void print_shapes(FILE *out, const PerpModelDef *def)
{
    int count[PERP_SHAPE_KIND_COUNT] = {0};
    for (int k = 0; k < def->n_shapes; k++)
        count[def->shapes[k].kind]++;
    fprintf(out, "shapes        %d", def->n_shapes);
    const char *separator = ": ";
    for (int kind = 0; kind < PERP_SHAPE_KIND_COUNT; kind++)
        if (count[kind] > 0) {
            fprintf(out, "%s%d %s", separator, count[kind],
                    perp_shape_kind_name((PerpShapeKind)kind));
            separator = ", ";
        }
    fputc('\n', out);
}

static void print_warnings(FILE *out, const Check *check)
{
    fprintf(out, "warnings      %d\n", check->n_warnings);
    for (int k = 0; k < check->n_warnings; k++) {
        const CheckWarning *warning = &check->warnings[k];
        fprintf(out, "  %s:", warning->place.file);
        if (warning->place.line > 0)
            fprintf(out, "%d:%d:", warning->place.line, warning->place.column);
        fprintf(out, " %s\n", warning->text);
    }
}

void check_print_text(FILE *out, const Check *check)
{
    const PerpModelDef *def = perp_scene_model_def(check->opened.scene);
    const char *about = perp_scene_about(check->opened.scene);
    fprintf(out, "scene         %s%s%s\n", check->path, about[0] ? ": " : "", about);
    for (int k = 1; k < perp_scene_files(check->opened.scene); k++)
        fprintf(out, "  uses        %s\n", perp_scene_file(check->opened.scene, k));
    print_bodies(out, check, def);
    print_joints(out, check, def);
    print_shapes(out, def);
    fprintf(out, "also          %d springs, %d forces, %d expectations\n", def->n_springs,
            def->n_forces, perp_scene_expectations(check->opened.scene));
    print_warnings(out, check);
}
