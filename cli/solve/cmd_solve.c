// perp solve: one problem from a file, solved and certified.
#define _POSIX_C_SOURCE 200809L

#include "common/cli.h"
#include "common/method_list.h"
#include "solve/solve.h"

#include "perp/words.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char USAGE[] =
    "perp solve PROBLEM [--solver auto|lemke|dantzig|block] [--tolerance T] "
    "[--facets U]\n"
    "                  [--methods LIST] [--without LIST] [--trace] "
    "[--minimum-norm] [--json]\n"
    "                  [--write OUT]";

typedef struct Arguments {
    bool help, json, minimum_norm, trace;
    const char *problem, *solver, *tolerance, *facets, *write, *methods, *without;
    PerpLcpMethod method;
    unsigned method_bits;
    double tolerance_number;
    PerpProblemFileOptions file_options;
    PerpProblemFileFormat write_format;
} Arguments;

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp solve scenes/problems/murty.json                a small LCP\n"
        "  perp solve scenes/problems/incline.json --json       a block on an incline\n"
        "  perp solve problem.hdf5                              FCLIB, the exact circular law\n"
        "  perp solve problem.hdf5 --facets 16                  a polygon instead of the circle\n"
        "  perp solve problem.hdf5 --facets 8 --write lcp.json  the LCP behind it\n"
        "  perp solve problem.hdf5 --trace                      what each rung of the ladder did\n"
        "  perp solve problem.hdf5 --without nsgs,proximal      the ladder without two methods\n"
        "  echo '{\"M\": [[2]], \"q\": [-1]}' | perp solve -\n"
        "\n"
        "usage: %s\n"
        "\n"
        "PROBLEM is JSON ({\"M\", \"q\"} or {\"bodies\", ...}, see docs/formats.md), FCLIB's "
        "HDF5,\nor - for JSON from standard input.\n"
        "\n",
        USAGE);
    for (int k = 0; k < PERP_LCP_METHOD_COUNT; k++)
        printf("  %s %-9s%s\n", k ? "        " : "--solver", perp_lcp_method_name((PerpLcpMethod)k),
               perp_lcp_method_text((PerpLcpMethod)k));
    printf("  --tolerance T    residual that counts as solved (%g)\n", PERP_TOLERANCE);
    puts("  --facets U       FCLIB: a polygon of U facets, even, 4 to 256, by pivots, instead of\n"
         "                   the circle\n"
         "  --minimum-norm   of all impulses with the same velocities, the shortest\n"
         "  --methods LIST   of the ladder that may be used, with commas between; default all\n"
         "  --without LIST   of the ladder that may not be used\n"
         "  --trace          a line for each rung that ran: method, contacts, work (sweeps,\n"
         "                   gradients, factorisations or pivots), natural residual, certificate "
         "of\n"
         "                   the best so far, CPU time, whether that was accepted\n"
         "  --json           one JSON object on standard output\n"
         "  --write OUT      the problem as JSON (OUT ends in .json) or FCLIB (.hdf5, .h5)\n"
         "\n"
         "The methods of the ladder, from the cheapest on; LCPs are solved by --solver alone:");
    cli_print_methods(stdout);
    puts("\n"
         "Exit: 0 solved, 2 usage, 3 bad input, 4 not solved to the tolerance");
    return CLI_OK;
}

static CliExit complain(const char *message, const char *value)
{
    fprintf(stderr, "perp: %s, not %s\nusage: %s\n", message, value, USAGE);
    return CLI_USAGE;
}

static CliExit complain_of_error(const PerpError *error)
{
    char text[PERP_PATH_SIZE + PERP_MESSAGE_SIZE];
    fprintf(stderr, "perp: %s\n", perp_error_text(error, text, sizeof text));
    return error->status == PERP_NO_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
}

static CliExit read_solver(Arguments *arguments)
{
    if (!arguments->solver || perp_lcp_method_from_name(arguments->solver, &arguments->method))
        return CLI_OK;
    const char *names[PERP_LCP_METHOD_COUNT];
    for (int k = 0; k < PERP_LCP_METHOD_COUNT; k++)
        names[k] = perp_lcp_method_name((PerpLcpMethod)k);
    fprintf(stderr, "perp: unknown solver %s; did you mean %s?\nusage: %s\n", arguments->solver,
            perp_nearest_word(arguments->solver, names, PERP_LCP_METHOD_COUNT), USAGE);
    return CLI_USAGE;
}

static CliExit read_numbers(Arguments *arguments)
{
    char *end;
    if (arguments->tolerance) {
        double tolerance = strtod(arguments->tolerance, &end);
        if (end == arguments->tolerance || *end || !(tolerance > 0 && tolerance < 1))
            return complain("--tolerance must be a number between 0 and 1", arguments->tolerance);
        arguments->tolerance_number = tolerance;
    }
    if (arguments->facets) {
        long facets = strtol(arguments->facets, &end, 10);
        if (end == arguments->facets || *end || facets < 4 || facets > 256 || facets % 2 != 0)
            return complain("--facets must be an even number from 4 to 256", arguments->facets);
        arguments->file_options.facets = (int)facets;
    }
    return CLI_OK;
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);
    return length > ending_length && strcmp(text + length - ending_length, ending) == 0;
}

static CliExit read_write_format(Arguments *arguments)
{
    if (!arguments->write || ends_in(arguments->write, ".json"))
        return CLI_OK;
    if (!ends_in(arguments->write, ".hdf5") && !ends_in(arguments->write, ".h5"))
        return complain("--write needs a name that ends in .json, .hdf5 or .h5", arguments->write);
    arguments->write_format = PERP_PROBLEM_FILE_FCLIB;
    return CLI_OK;
}

static CliExit read_values(Arguments *arguments)
{
    CliExit code = read_solver(arguments);
    if (!code)
        code = read_numbers(arguments);
    if (!code && !cli_read_methods(arguments->methods, arguments->without, &arguments->method_bits))
        code = CLI_USAGE;
    return code ? code : read_write_format(arguments);
}

static CliExit read_arguments(int argc, char **argv, Arguments *arguments)
{
    PerpLcpSettings settings = perp_default_lcp_settings();
    *arguments = (Arguments){.method = settings.method,
                             .tolerance_number = settings.tolerance,
                             .file_options = perp_default_problem_file_options(),
                             .write_format = PERP_PROBLEM_FILE_JSON};
    const CliOption options[] = {
        {"--help", &arguments->help, NULL},
        {"--json", &arguments->json, NULL},
        {"--minimum-norm", &arguments->minimum_norm, NULL},
        {"--trace", &arguments->trace, NULL},
        {"--methods", NULL, &arguments->methods},
        {"--without", NULL, &arguments->without},
        {"--solver", NULL, &arguments->solver},
        {"--tolerance", NULL, &arguments->tolerance},
        {"--facets", NULL, &arguments->facets},
        {"--write", NULL, &arguments->write},
    };
    int others = cli_parse(argc, argv, options, sizeof options / sizeof *options,
                           &arguments->problem, 1, USAGE);
    if (others < 0)
        return CLI_USAGE;
    if (arguments->help)
        return CLI_OK;
    if (others == 0) {
        fprintf(stderr, "perp: solve needs a problem file\nusage: %s\n", USAGE);
        return CLI_USAGE;
    }
    return read_values(arguments);
}

PerpOutcome solve_outcome(const SolveReport *report)
{
    switch (perp_problem_file_kind(report->file)) {
    case PERP_PROBLEM_FILE_LCP:
        return report->lcp.outcome;
    case PERP_PROBLEM_FILE_CONTACT:
        return report->local.outcome;
    default:
        return report->problem.outcome;
    }
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static PerpStatus solve_lcp(PerpSolver *solver, const Arguments *arguments, SolveReport *report,
                            PerpError *error)
{
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = arguments->method;
    settings.tolerance = arguments->tolerance_number;
    settings.minimum_norm = arguments->minimum_norm;
    return perp_lcp_solve(solver, perp_problem_file_lcp(report->file), &settings, &report->lcp,
                          error);
}

static PerpProblemSettings ladder_settings(const Arguments *arguments, SolveReport *report)
{
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.tolerance = arguments->tolerance_number;
    settings.methods = arguments->method_bits;
    settings.trace = report->traced ? solve_note_rung : NULL;
    settings.trace_user = &report->trace;
    return settings;
}

static PerpStatus solve_problem(PerpSolver *solver, const Arguments *arguments, SolveReport *report,
                                PerpError *error)
{
    PerpProblemSettings settings = ladder_settings(arguments, report);
    settings.method = arguments->method;
    settings.minimum_norm = arguments->minimum_norm;
    return perp_problem_solve(solver, perp_problem_file_step(report->file), &settings,
                              &report->problem, error);
}

static PerpStatus solve_local(PerpSolver *solver, const Arguments *arguments, SolveReport *report,
                              PerpError *error)
{
    PerpProblemSettings settings = ladder_settings(arguments, report);
    return perp_contact_problem_solve(solver, perp_problem_file_contact(report->file), &settings,
                                      &report->local, error);
}

static PerpStatus solve_any(PerpSolver *solver, const Arguments *arguments, SolveReport *report,
                            PerpError *error)
{
    switch (perp_problem_file_kind(report->file)) {
    case PERP_PROBLEM_FILE_LCP:
        return solve_lcp(solver, arguments, report, error);
    case PERP_PROBLEM_FILE_CONTACT:
        return solve_local(solver, arguments, report, error);
    default:
        return solve_problem(solver, arguments, report, error);
    }
}

// The LCP of a global problem is made again by a solver of its own, so that the results stay.
static PerpStatus measure_global(const PerpFrictionCones *cone, SolveReport *report,
                                 PerpError *error)
{
    const PerpProblem *p = perp_problem_file_step(report->file);
    size_t impulses = (size_t)(p->n_contacts + p->n_directions), groups = (size_t)p->n_groups;
    PerpLcp lcp;
    PerpSolver *solver = NULL;
    double *z = malloc((impulses + groups + 1) * sizeof *z);
    PerpStatus status = z ? perp_solver_create(NULL, &solver) : PERP_NO_MEMORY;
    if (!status)
        status = perp_problem_reduce(solver, p, &lcp, error);
    if (!status) {
        memcpy(z, report->problem.c + p->n_joints, impulses * sizeof *z);
        memcpy(z + impulses, report->problem.lambda, groups * sizeof *z);
        status = perp_friction_residual_of_lcp(NULL, cone, &lcp, z, &report->circular, error);
    }
    perp_solver_destroy(solver);
    free(z);
    return status;
}

static PerpStatus measure_circular(const Arguments *arguments, SolveReport *report,
                                   PerpError *error)
{
    const PerpFclibInfo *fclib = perp_problem_file_fclib(report->file);
    if (!fclib->present || fclib->contacts == 0 || arguments->file_options.facets == 0)
        return PERP_OK; // nothing stands for the circle
    report->facets = fclib->dimension == 2 ? 2 : arguments->file_options.facets;
    PerpFrictionCones cone = {
        .dimension = fclib->dimension, .contacts = fclib->contacts, .mu = fclib->mu};
    if (fclib->global)
        return measure_global(&cone, report, error);
    return perp_friction_residual_of_lcp(NULL, &cone, perp_problem_file_lcp(report->file),
                                         report->lcp.z, &report->circular, error);
}

static CliExit print_report(const Arguments *arguments, const SolveReport *report)
{
    if (arguments->json)
        solve_print_json(stdout, report);
    else
        solve_print_text(stdout, report);
    PerpOutcome outcome = solve_outcome(report);
    if (outcome == PERP_OUTCOME_SOLVED)
        return CLI_OK;
    fprintf(stderr, "perp: %s: not solved to the tolerance %g: %s\n", report->path,
            report->tolerance, perp_outcome_name(outcome));
    return CLI_INACCURATE;
}

static CliExit solve_file(const Arguments *arguments, const PerpProblemFile *file)
{
    PerpError error = {0};
    PerpSolver *solver = NULL;
    SolveReport report = {.path = arguments->problem,
                          .file = file,
                          .tolerance = arguments->tolerance_number,
                          .traced = arguments->trace};
    CliExit code = CLI_OK;
    PerpStatus status = perp_solver_create(NULL, &solver);
    double start = cpu_seconds();
    if (!status)
        status = solve_any(solver, arguments, &report, &error);
    report.seconds = cpu_seconds() - start;
    if (!status)
        status = measure_circular(arguments, &report, &error);
    if (status) {
        error.status = status;
        code = complain_of_error(&error);
    } else {
        code = print_report(arguments, &report);
    }
    perp_solver_destroy(solver);
    free(report.trace.rungs);
    return code;
}

// An LCP, as JSON or as a polygon makes one of an FCLIB file, does not go through the ladder.
static CliExit check_kind(const Arguments *arguments, const PerpProblemFile *file)
{
    bool asked = arguments->trace || arguments->methods || arguments->without;
    if (!asked || perp_problem_file_kind(file) != PERP_PROBLEM_FILE_LCP)
        return CLI_OK;
    fprintf(stderr,
            "perp: %s: an LCP is solved by --solver alone; --methods, --without and --trace are "
            "for problems with contacts\n",
            arguments->problem);
    return CLI_USAGE;
}

CliExit cmd_solve(int argc, char **argv)
{
    Arguments arguments;
    PerpError error;
    PerpProblemFile *file;
    CliExit code = read_arguments(argc, argv, &arguments);
    if (code)
        return code;
    if (arguments.help)
        return print_help();
    bool from_input = strcmp(arguments.problem, "-") == 0;
    if (perp_problem_file_read(NULL, from_input ? "/dev/stdin" : arguments.problem,
                               &arguments.file_options, &file, &error))
        return complain_of_error(&error);
    code = check_kind(&arguments, file);
    if (!code && arguments.write &&
        perp_problem_file_write(file, arguments.write, arguments.write_format, &error))
        code = complain_of_error(&error);
    if (!code)
        code = solve_file(&arguments, file);
    perp_problem_file_destroy(file);
    return code;
}
