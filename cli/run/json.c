// The summary of a run as one JSON object.
#include "common/json.h"
#include "run/run.h"

static void print_run(FILE *out, const Run *run)
{
    static const char *const ends[] = {"finished", "interrupted", "failed", "unrecorded"};
    json_text(out, "{", "scene", run->options->source.path);
    json_text(out, ", ", "about", perp_scene_about(run->opened.scene));
    json_text(out, ",\n ", "status", ends[run->end]);
    if (run->end == RUN_FAILED)
        json_text(out, ", ", "error", run->error.message);
    if (run->saved[0])
        json_text(out, ", ", "saved", run->saved);
    json_member(out, ",\n ", "t", perp_simulation_time(run->simulation));
    json_member(out, ", ", "h", run->settings.step);
    fprintf(out, ", \"steps\": %ld, \"planned_steps\": %ld", run->tally.steps, run->planned);
    json_text(out, ", ", "scheme", run->settings.scheme);
    fprintf(out, ", \"facets\": %d", run->settings.facets);
    json_member(out, ",\n ", "seconds", run->seconds);
    json_member(out, ", ", "steps_per_second", (double)run->tally.steps / run->seconds);
}

static void print_tally(FILE *out, const RunTally *tally, double tolerance)
{
    const PerpCertificate *certificate = &tally->certificate;
    json_member(out, ",\n ", "tolerance", tolerance);
    fprintf(out, ", \"missed_steps\": %ld, \"held_steps\": %ld, \"held_contacts\": %d",
            tally->missed_steps, tally->held_steps, tally->held_contacts);
    json_member(out, ", ", "held_residual", tally->held_residual);
    json_member(out, ", ", "held_exact", tally->held_exact);
    json_member(out, ", ", "gap_error", tally->gap_error);
    fputs(", \"velocity_bound\": ", out);
    json_number(out, tally->velocity_bound);
    json_member(out, ",\n \"certificate\": {", "worst", certificate->worst);
    json_text(out, ", ", "kind", perp_residual_name(certificate->worst_kind));
    json_text(out, ", ", "of", perp_residual_unit(certificate->worst_kind));
    fprintf(out, ", \"row\": %d", certificate->residual_row[certificate->worst_kind]);
    json_text(out, ", ", "name", tally->worst);
    json_member(out, ", ", "t", tally->certificate_time);
    json_member(out, "},\n ", "penetration", tally->penetration);
    json_member(out, ", ", "joint_gap", tally->joint_gap);
    fprintf(out, ",\n \"contacts\": %d, \"impacts\": %ld, \"problems\": %ld, \"pivots\": %ld",
            tally->contacts, tally->impacts, tally->problems, tally->pivots);
    fprintf(out, ", \"divided_steps\": %ld, \"most_substeps\": %d", tally->divided_steps,
            tally->most_substeps);
}

static void print_energy(FILE *out, const PerpEnergy *energy, double largest)
{
    json_member(out, ",\n \"energy\": {", "kinetic", energy->kinetic);
    json_member(out, ", ", "gravity", energy->gravity);
    json_member(out, ", ", "spring", energy->spring);
    json_member(out, ", ", "work", energy->work);
    json_member(out, ",\n  ", "friction", energy->friction);
    json_member(out, ", ", "impact", energy->impact);
    json_member(out, ", ", "damper", energy->damper);
    json_member(out, ", ", "scheme", energy->scheme);
    json_member(out, ",\n  ", "balance", energy->balance);
    json_member(out, ", ", "largest_balance", largest);
    fputc('}', out);
}

static void print_verdict(FILE *out, const Run *run)
{
    if (run->options->accuracy > 0)
        json_member(out, ",\n ", "accuracy", run->accuracy);
    char text[2 * PERP_NAME_SIZE];
    PerpVerdict verdict = perp_simulation_verdict(run->simulation);
    fprintf(out, ",\n \"certified\": %s", verdict.certified ? "true" : "false");
    json_member(out, ", ", "moved_apart", verdict.moved);
    fputs(", \"verdict\": {", out);
    for (int k = 0, shown = 0; k < PERP_CHECK_COUNT; k++) {
        const PerpChecked *check = &verdict.check[k];
        if (!check->applies)
            continue;
        fputs(shown++ ? ",\n  " : "\n  ", out);
        json_string(out, perp_check_name((PerpCheck)k));
        fprintf(out, ": {\"holds\": %s", check->holds ? "true" : "false");
        json_member(out, ", ", "value", check->value);
        json_member(out, ", ", "bound", check->bound);
        json_member(out, ", ", "t", check->t);
        if (check->step > 0)
            json_member(out, ", ", "step", check->step);
        if (!check->holds)
            json_text(out, ", ", "text",
                      perp_verdict_text(&verdict, (PerpCheck)k, text, sizeof text));
        fputc('}', out);
    }
    fputc('}', out);
}

static void print_bounds(FILE *out, const Run *run)
{
    const RunTally *tally = &run->tally;
    const char *separator = "";
    fputs(",\n \"bounds\": [", out);
    for (int k = 0; k < PERP_BOUND_COUNT; k++) {
        const PerpBound *bound = &tally->bound[k];
        if (!run_names_bound(run, (PerpBoundKind)k))
            continue;
        fputs(separator, out);
        separator = ",\n  ";
        json_text(out, "{", "name", perp_bound_name((PerpBoundKind)k));
        json_text(out, ", ", "text", perp_bound_text((PerpBoundKind)k));
        fprintf(out, ", \"applies\": %s", bound->applies ? "true" : "false");
        if (!bound->applies) {
            fputs(", \"margin\": null, \"t\": null, \"holds\": null}", out);
            continue;
        }
        json_member(out, ", ", "margin", bound->margin);
        json_member(out, ", ", "t", tally->bound_time[k]);
        fprintf(out, ", \"holds\": %s}", run_violates(run, (PerpBoundKind)k) ? "false" : "true");
    }
    fprintf(out, "],\n \"warned_steps\": %ld", tally->warned_steps);
    if (tally->warned_steps > 0)
        json_text(out, ", ", "warning", tally->warning);
}

static void print_body(FILE *out, const Run *run, int body)
{
    double position[3], rotation[4], velocity[3], spin[3];
    perp_simulation_pose(run->simulation, body, position, rotation);
    perp_simulation_velocity(run->simulation, body, velocity, spin);
    json_string(out, perp_model_body_name(run->opened.model, body));
    json_vector(out, ": {", "position", position, 3);
    json_vector(out, ", ", "rotation", rotation, 4);
    json_vector(out, ",\n   ", "velocity", velocity, 3);
    json_vector(out, ", ", "spin", spin, 3);
    fputc('}', out);
}

void run_print_bodies_json(FILE *out, const Run *run)
{
    fputc('{', out);
    for (int body = 0; body < perp_model_body_count(run->opened.model); body++) {
        fputs(body ? ",\n  " : "\n  ", out);
        print_body(out, run, body);
    }
    fputc('}', out);
}

static void print_expectation(FILE *out, const Run *run, const PerpExpectation *expectation,
                              const RunOutcome *outcome)
{
    static const char *const verdicts[] = {"not reached", "met", "missed"};
    json_text(out, "{", "name", expectation->name);
    json_text(out, ", ", "kind", perp_expect_kind_name(expectation->kind));
    if (expectation->body >= 0)
        json_text(out, ", ", "body", perp_model_body_name(run->opened.model, expectation->body));
    if (expectation->sensor >= 0)
        json_text(out, ", ", "sensor",
                  perp_model_sensor_name(run->opened.model, expectation->sensor));
    json_text(out, ", ", "verdict", verdicts[outcome->verdict]);
    json_member(out, ", ", "t", run_due_time(run, expectation));
    json_member(out, ", ", "within", expectation->within);
    if (outcome->verdict != RUN_NOT_REACHED) {
        json_vector(out, ",\n   ", "expected", expectation->value, outcome->count);
        json_vector(out, ", ", "measured", outcome->measured, outcome->count);
    }
    json_text(out, ",\n   ", "file", expectation->place.file);
    fprintf(out, ", \"line\": %d, \"column\": %d}", expectation->place.line,
            expectation->place.column);
}

void run_print_json(FILE *out, const Run *run)
{
    print_run(out, run);
    print_tally(out, &run->tally, run->settings.tolerance);
    print_energy(out, &perp_simulation_report(run->simulation)->energy, run->tally.balance);
    print_verdict(out, run);
    print_bounds(out, run);
    fputs(",\n \"bodies\": ", out);
    run_print_bodies_json(out, run);
    fputs(",\n \"expectations\": [", out);
    for (int k = 0; k < perp_scene_expectations(run->opened.scene); k++) {
        fputs(k ? ",\n  " : "\n  ", out);
        print_expectation(out, run, perp_scene_expectation(run->opened.scene, k),
                          &run->outcomes[k]);
    }
    fputs("]}\n", out);
}
