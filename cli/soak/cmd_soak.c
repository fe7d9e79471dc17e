// perp soak: random scenes, each run to its verdict, which is held against measurements from
// outside.
#include "common/cli.h"
#include "common/json.h"
#include "common/support.h"
#include "soak/soak.h"

#include <math.h>
#include <stdlib.h>

static const char USAGE[] =
    "perp soak [--cases N] [--first K] [--seed S] [--case K] [--remedies] [--verbose] [--json]";

typedef struct Arguments {
    bool help, json, verbose, remedies;
    const char *cases_text, *first_text, *seed_text, *case_text;
    int cases, first, seed, one;
} Arguments;

// Of all cases.
typedef struct Tally {
    int cases, refused, failed, certified, broken, turned;
    int advised, cured, silent;  // not certified: told a step, certified with it; told none
    int fails[PERP_CHECK_COUNT]; // runs in which a check does not hold
    double longest_step;
    int longest;     // its case
    double momentum; // the largest change of an isolated run that is certified
    double gain;     // the largest of a certified run
    double seconds;
} Tally;

static CliExit print_help(void)
{
    printf("Examples:\n"
           "  perp soak                        100 random scenes\n"
           "  perp soak --cases 3000 --seed 7  others, and more\n"
           "  perp soak --first 901 --cases 9  from a case on\n"
           "  perp soak --seed 7 --case 12     one of them, with what was found\n"
           "  perp soak --remedies             what is not certified again, with the step advised\n"
           "\n"
           "usage: %s\n"
           "\n"
           "Random scenes of bodies, joints, springs, motors, meshes, friction and restitution,\n"
           "with steps from 1e-4 to 0.1 s. Energies, overlaps and joint errors are measured from\n"
           "poses and velocities alone. A run that is called certified and does not hold what its\n"
           "verdict promises is reported.\n"
           "\n"
           "Exit: 0 every verdict holds, 1 a step failed, 2 usage, 5 a verdict does not hold\n",
           USAGE);
    return CLI_OK;
}

static void print_checks(const SoakResult *r)
{
    for (int k = 0; k < PERP_CHECK_COUNT; k++)
        if (r->verdict.check[k].applies)
            printf("  %-14s %s %.3e of %.3e at t = %.4g s\n", perp_check_name((PerpCheck)k),
                   r->verdict.check[k].holds ? "holds" : "FAILS", r->verdict.check[k].value,
                   r->verdict.check[k].bound, r->verdict.check[k].t);
}

static void print_case(const Arguments *arguments, int number, const SoakScene *s,
                       const SoakResult *r)
{
    printf("case %d of seed %d: %d bodies, %d joints, %d springs, %d steps of %.3g s: %s%s%s, gain "
           "%.2e, overlap %.1e, joint gap %.1e, longest step %.2g s\n",
           number, arguments->seed, s->def.n_bodies, s->def.n_joints, s->def.n_springs, s->steps,
           s->settings.step, r->status ? r->error.message : "",
           r->status              ? ""
           : r->verdict.certified ? "certified"
                                  : "not certified",
           r->broken ? ", BROKEN" : "", r->gain, r->overlap, r->joint_gap, r->longest_step);
    if (r->status)
        return;
    printf("  at most %d substeps, worst certificate %.1e, %s\n", r->substeps, r->certificate,
           r->worst);
    print_checks(r);
}

static void add(Tally *tally, int number, const SoakResult *r)
{
    tally->cases++;
    tally->refused += r->status == PERP_BAD_VALUE;
    tally->failed += r->status && r->status != PERP_BAD_VALUE;
    tally->certified += !r->status && r->verdict.certified;
    tally->broken += r->broken != NULL;
    for (int k = 0; k < PERP_CHECK_COUNT && !r->status; k++)
        tally->fails[k] += !r->verdict.check[k].holds;
    if (r->longest_step > tally->longest_step) {
        tally->longest_step = r->longest_step;
        tally->longest = number;
    }
    if (!r->status && r->verdict.certified) {
        tally->momentum = fmax(tally->momentum, r->momentum_change);
        tally->turned += r->momentum_change > 1e-3;
        tally->gain = fmax(tally->gain, r->gain);
    }
}

// The steps that a verdict advises, tried. What is still not certified is told.
static void try_remedy(const Arguments *arguments, int number, SoakScene *scene,
                       const SoakResult *result, Tally *tally)
{
    SoakResult again;
    double step = soak_remedy(result);
    if (result->status || result->verdict.certified)
        return;
    tally->silent += step == 0;
    if (step == 0)
        return;
    soak_shorten(scene, step);
    soak_run(scene, &again);
    tally->advised++;
    tally->cured += !again.status && again.verdict.certified;
    tally->broken += again.broken != NULL;
    if (arguments->json || (!again.status && again.verdict.certified && !again.broken))
        return;
    print_checks(result);
    printf("with the step advised, ");
    print_case(arguments, number, scene, &again);
}

static void print_remedies(const Tally *t)
{
    printf("remedies      %d of %d certified with the step advised, %d told none\n", t->cured,
           t->advised, t->silent);
}

static void print_text(const Tally *t)
{
    printf("cases         %d, %.3g s\n", t->cases, t->seconds);
    printf("refused       %d\nfailed        %d steps\ncertified     %d\n", t->refused, t->failed,
           t->certified);
    for (int k = 0; k < PERP_CHECK_COUNT; k++)
        if (t->fails[k] > 0)
            printf("  not         %d by %s\n", t->fails[k], perp_check_name((PerpCheck)k));
    printf("broken        %d verdicts\n", t->broken);
    printf("gain          largest of a certified run %.2e\n", t->gain);
    printf("momentum      largest change of an isolated certified run %.2e, %d above 1e-3\n",
           t->momentum, t->turned);
    printf("longest step  %.3g s, case %d\n", t->longest_step, t->longest);
}

static void print_json(const Tally *t)
{
    printf("{\"cases\": %d, \"refused\": %d, \"failed\": %d, \"certified\": %d, \"broken\": %d",
           t->cases, t->refused, t->failed, t->certified, t->broken);
    json_member(stdout, ", ", "momentum", t->momentum);
    json_member(stdout, ", ", "gain", t->gain);
    json_member(stdout, ", ", "longest_step", t->longest_step);
    json_member(stdout, ", ", "seconds", t->seconds);
    printf(", \"advised\": %d, \"cured\": %d, \"silent\": %d", t->advised, t->cured, t->silent);
    puts("}");
}

static CliExit soak(const Arguments *arguments)
{
    Tally tally = {0};
    SoakResult result;
    SoakScene *scene = malloc(sizeof *scene);
    double begin = cli_seconds();
    int first = arguments->one > 0 ? arguments->one : arguments->first;
    int last = arguments->one > 0 ? first : first + arguments->cases - 1;
    if (!scene)
        return CLI_FAILED;
    for (int number = first; number <= last; number++) {
        soak_make((unsigned long long)arguments->seed, number, scene);
        soak_run(scene, &result);
        add(&tally, number, &result);
        bool told = arguments->verbose || arguments->one > 0 || result.broken || result.status ||
                    (result.verdict.certified && result.momentum_change > 1e-3);
        if (told && !arguments->json)
            print_case(arguments, number, scene, &result);
        if (arguments->remedies)
            try_remedy(arguments, number, scene, &result, &tally);
    }
    free(scene);
    tally.seconds = cli_seconds() - begin;
    if (arguments->json)
        print_json(&tally);
    else
        print_text(&tally);
    if (arguments->remedies && !arguments->json)
        print_remedies(&tally);
    return tally.broken > 0 ? CLI_MISMATCH : tally.failed > 0 ? CLI_FAILED : CLI_OK;
}

CliExit cmd_soak(int argc, char **argv)
{
    Arguments a = {.cases = 100, .first = 1, .seed = 1};
    const char *other = NULL;
    const CliOption options[] = {
        {"--help", &a.help, NULL},        {"--json", &a.json, NULL},
        {"--verbose", &a.verbose, NULL},  {"--cases", NULL, &a.cases_text},
        {"--seed", NULL, &a.seed_text},   {"--case", NULL, &a.case_text},
        {"--first", NULL, &a.first_text}, {"--remedies", &a.remedies, NULL},
    };
    if (cli_parse(argc, argv, options, sizeof options / sizeof *options, &other, 0, USAGE) < 0)
        return CLI_USAGE;
    if (a.help)
        return print_help();
    if (!cli_read_count("--cases", a.cases_text, &a.cases) ||
        !cli_read_count("--first", a.first_text, &a.first) ||
        !cli_read_count("--seed", a.seed_text, &a.seed) ||
        !cli_read_count("--case", a.case_text, &a.one)) {
        fprintf(stderr, "usage: %s\n", USAGE);
        return CLI_USAGE;
    }
    return soak(&a);
}
