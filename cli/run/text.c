// The summary of a run as text.
#include "run/run.h"

#include <math.h>

enum { SHOWN = 12 }; // bodies; the rest is left to --json and --csv

static void print_run(FILE *out, const Run *run)
{
    const char *about = perp_scene_about(run->opened.scene);
    fprintf(out, "scene         %s%s%s\n", run->options->source.path, about[0] ? ": " : "", about);
    fprintf(out, "run           %.6g s, %ld steps of %g s, scheme %s, %s\n",
            perp_simulation_time(run->simulation), run->tally.steps, run->settings.step,
            run->settings.scheme, cli_cone(run->settings.facets));
    if (run->end != RUN_FINISHED)
        fprintf(out, "              %s; %ld steps were planned\n",
                run->end == RUN_FAILED ? "the next step failed" : "interrupted", run->planned);
    fprintf(out, "speed         %.4g steps/s, %.3g s\n", (double)run->tally.steps / run->seconds,
            run->seconds);
}

static void print_law(FILE *out, const RunTally *tally, const PerpSimulationSettings *settings)
{
    long exact = tally->steps - tally->missed_steps - tally->held_steps;
    if (exact == tally->steps)
        fprintf(out, "every step within the tolerance (%g)\n", settings->tolerance);
    else if (tally->missed_steps == 0)
        fprintf(
            out, "%ld of %ld steps on the exact law of friction (%g), %ld with slip held (%g)\n",
            exact, tally->steps, settings->tolerance, tally->held_steps, settings->held_tolerance);
    else
        fprintf(out, "%ld of %ld steps missed the tolerance (%g)\n", tally->missed_steps,
                tally->steps, settings->tolerance);
}

static void print_held(FILE *out, const RunTally *tally)
{
    if (tally->held_steps > 0 && tally->held_contacts == 0)
        fprintf(out, "  slip held   in %ld steps, at the slip of their answers: no gap is off\n",
                tally->held_steps);
    else if (tally->held_steps > 0)
        fprintf(out,
                "  slip held   in %ld steps: gaps of sliding contacts, at most %d, are off by at "
                "most %.3g um a step\n",
                tally->held_steps, tally->held_contacts, 1e6 * tally->gap_error);
}

// "certified" is said of a run whose every check holds; else of its steps, with what does not hold.
static void print_verdict(FILE *out, const Run *run, const PerpVerdict *verdict)
{
    char text[2 * PERP_NAME_SIZE];
    const RunTally *tally = &run->tally;
    bool solved = tally->missed_steps == 0;
    fputs(verdict->certified ? "outcome       certified: "
          : solved           ? "outcome       certified steps, but not the run: "
                             : "outcome       ",
          out);
    print_law(out, tally, &run->settings);
    for (int k = PERP_CHECK_GAIN; k < PERP_CHECK_COUNT; k++)
        if (!verdict->check[k].holds)
            fprintf(out, "  but         %s\n",
                    perp_verdict_text(verdict, (PerpCheck)k, text, sizeof text));
    print_held(out, tally);
    if (verdict->moved > 0)
        fprintf(out, "  start       bodies that overlapped were moved apart by at most %.3g m\n",
                verdict->moved);
}

// What was checked of the whole run, each with its bound, several a line.
static void print_checks(FILE *out, const PerpVerdict *verdict)
{
    enum { A_LINE = 3 };
    int shown = 0;
    for (int k = PERP_CHECK_GAIN; k < PERP_CHECK_COUNT; k++) {
        const PerpChecked *check = &verdict->check[k];
        const char *unit = perp_check_unit((PerpCheck)k);
        if (!check->applies)
            continue;
        fputs(shown == 0 ? "verdict       " : shown % A_LINE ? ", " : ",\n              ", out);
        fprintf(out, "%s %.1e%s%s (%.1e)", perp_check_name((PerpCheck)k), check->value,
                unit[0] ? " " : "", unit, check->bound);
        shown++;
    }
    fputc('\n', out);
}

static void print_certificate(FILE *out, const Run *run)
{
    const RunTally *tally = &run->tally;
    PerpVerdict verdict = perp_simulation_verdict(run->simulation);
    if (tally->steps == 0)
        return;
    print_verdict(out, run, &verdict);
    print_checks(out, &verdict);
    fprintf(out, "certificate   worst %.2e, %s, t = %.6g s\n", tally->certificate.worst,
            tally->worst[0] ? tally->worst : "nothing touches", tally->certificate_time);
    if (tally->velocity_bound > 0)
        fprintf(out,
                "velocities    within %.2e of the exact solution's, as a part of what contacts and "
                "joints change in them\n",
                tally->velocity_bound);
}

static void print_geometry(FILE *out, const RunTally *tally)
{
    fprintf(out, "penetration   largest %.2e m\n", tally->penetration);
    fprintf(out, "joint gap     largest %.2e m or rad\n", tally->joint_gap);
    fprintf(out, "contacts      at most %d at a time, %ld impacts with a bounce\n", tally->contacts,
            tally->impacts);
    fprintf(out, "work          %ld problems, %ld pivots\n", tally->problems, tally->pivots);
    if (tally->divided_steps > 0)
        fprintf(out, "substeps      %ld of %ld steps divided, into at most %d\n",
                tally->divided_steps, tally->steps, tally->most_substeps);
}

static void print_energy(FILE *out, const PerpEnergy *energy, double largest)
{
    fprintf(out, "energy        kinetic %.6g J, gravity %.6g J, springs %.6g J\n", energy->kinetic,
            energy->gravity, energy->spring);
    fprintf(out, "  put in      %.6g J by forces, motors and moving constraints\n", energy->work);
    fprintf(out, "  taken out   friction %.6g J, impact %.6g J, dampers %.6g J\n", energy->friction,
            energy->impact, energy->damper);
    fprintf(out, "  balance     scheme %.3g J, relative %.2e, largest %.2e\n", energy->scheme,
            energy->balance, largest);
}

// The least margin of each inequality of the papers whose assumptions some step satisfied; those of
// the scheme's own paper that no step did are said to have had no part in it.
static void print_bounds(FILE *out, const Run *run)
{
    const RunTally *tally = &run->tally;
    const char *head = "bounds";
    for (int k = 0; k < PERP_BOUND_COUNT; k++) {
        const PerpBound *bound = &tally->bound[k];
        if (!run_names_bound(run, (PerpBoundKind)k))
            continue;
        if (!bound->applies) {
            fprintf(out, "%-13s %-10s did not apply: no step satisfied its assumptions\n", head,
                    perp_bound_name((PerpBoundKind)k));
            head = "";
            continue;
        }
        fprintf(out, "%-13s %-10s %s, least margin %.2e at t = %.6g s\n", head,
                perp_bound_name((PerpBoundKind)k),
                run_violates(run, (PerpBoundKind)k) ? "VIOLATED" : "holds", bound->margin,
                tally->bound_time[k]);
        head = "";
    }
}

static void print_body(FILE *out, const Run *run, int body)
{
    double position[3], rotation[4], velocity[3], spin[3];
    perp_simulation_pose(run->simulation, body, position, rotation);
    perp_simulation_velocity(run->simulation, body, velocity, spin);
    fprintf(out, "  %-18.40s", perp_model_body_name(run->opened.model, body));
    for (int k = 0; k < 3; k++)
        fprintf(out, " %11.6g", position[k]);
    fputs("  ", out);
    for (int k = 0; k < 3; k++)
        fprintf(out, " %11.4g", velocity[k]);
    fputc('\n', out);
}

static void print_bodies(FILE *out, const Run *run)
{
    int count = perp_model_body_count(run->opened.model);
    if (count == 0)
        return;
    fprintf(out, "%-20s %35s   %35s\n", "bodies", "position, m", "velocity, m/s");
    for (int body = 0; body < count && body < SHOWN; body++)
        print_body(out, run, body);
    if (count > SHOWN)
        fprintf(out, "  and %d more: --json, --csv\n", count - SHOWN);
}

static void print_numbers(FILE *out, const double *numbers, int count)
{
    for (int k = 0; k < count; k++)
        fprintf(out, "%s%.9g", k ? " " : "", numbers[k]);
}

static void print_outcome(FILE *out, const Run *run, const PerpExpectation *expectation,
                          const RunOutcome *outcome)
{
    static const char *const verdicts[] = {"not reached", "met", "MISSED"};
    const PerpPlace *place = &expectation->place;
    fprintf(out, "  %-11s %s", verdicts[outcome->verdict],
            perp_expect_kind_name(expectation->kind));
    if (expectation->body >= 0)
        fprintf(out, " of %s", perp_model_body_name(run->opened.model, expectation->body));
    if (expectation->sensor >= 0)
        fprintf(out, " of %s", perp_model_sensor_name(run->opened.model, expectation->sensor));
    fprintf(out, " at t = %g s", run_due_time(run, expectation));
    if (outcome->verdict != RUN_NOT_REACHED) {
        fputs(": ", out);
        print_numbers(out, outcome->measured, outcome->count);
        fputs(", expected ", out);
        bool is_value = expectation->body >= 0 || expectation->sensor >= 0;
        if (is_value)
            print_numbers(out, expectation->value, outcome->count);
        fprintf(out, "%s %g", is_value ? " within" : "at most", expectation->within);
    }
    fprintf(out, " (%s%s%s:%d)\n", expectation->name, expectation->name[0] ? ", " : "", place->file,
            place->line);
}

static void print_expectations(FILE *out, const Run *run)
{
    int count = perp_scene_expectations(run->opened.scene);
    if (count > 0)
        fprintf(out, "expected\n");
    for (int k = 0; k < count; k++)
        print_outcome(out, run, perp_scene_expectation(run->opened.scene, k), &run->outcomes[k]);
}

void run_print_text(FILE *out, const Run *run)
{
    print_run(out, run);
    print_certificate(out, run);
    if (run->options->accuracy > 0)
        fprintf(out, "accuracy      positions within %.2e m by estimate, %g m were asked for\n",
                run->accuracy, run->options->accuracy);
    print_geometry(out, &run->tally);
    print_energy(out, &perp_simulation_report(run->simulation)->energy, run->tally.balance);
    print_bounds(out, run);
    print_bodies(out, run);
    print_expectations(out, run);
    if (run->options->csv)
        fprintf(out, "time series   %s\n", run->options->csv);
}
