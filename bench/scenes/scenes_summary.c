// What all scenes together show: perp beside the fastest peer, and cost against contacts.
#include "scenes/scenes_report.h"

#include <math.h>
#include <string.h>

// --- perp beside the fastest peer ---------------------------------------------------------------

bool bench_is_perp(const BenchScore *score)
{
    return score->engine->prove;
}

// of those that did all steps; NULL: none did
static const BenchScore *fastest_peer(const BenchResult *result)
{
    const BenchScore *best = NULL;
    for (int k = 0; k < result->n_scores; k++) {
        const BenchScore *score = &result->scores[k];
        if (!bench_is_perp(score) && score->run.ending == BENCH_WHOLE &&
            (!best || score->late < best->late))
            best = score;
    }
    return best;
}

double bench_fastest_late(const BenchResult *result)
{
    const BenchScore *best = fastest_peer(result);
    return best ? best->late : NAN;
}

static const BenchScore *find_score(const BenchResult *result, const BenchEngine *engine)
{
    static const BenchScore none = {.whole = NAN, .late = NAN};
    for (int k = 0; k < result->n_scores; k++)
        if (result->scores[k].engine->name == engine->name)
            return &result->scores[k];
    return &none;
}

static void add_certified(BenchTableRow *row, const BenchScore *score)
{
    if (score->run.judged)
        bench_add(row, "%d/%d", score->run.proof.certified, score->run.proof.steps);
    else
        bench_add(row, "-");
}

static void print_summary_row(const BenchStyle *style, const BenchResult *result)
{
    BenchTableRow row = {.count = 0};
    const BenchScore *peer = fastest_peer(result);
    const BenchScore *game = find_score(result, &bench_engine_perp_game);
    const BenchScore *rough = find_score(result, &bench_engine_perp_rough);
    const BenchScore *exact = find_score(result, &bench_engine_perp_exact);
    const BenchScore *standard = find_score(result, &bench_engine_perp);
    bench_add(&row, "%s", result->name);
    bench_add(&row, "%d", exact->run.contacts);
    bench_add(&row, "%s", peer ? peer->engine->name : "-");
    bench_add_number(&row, 1e3 * bench_fastest_late(result));
    bench_add_number(&row, 1e3 * game->late);
    bench_add_number(&row, game->late / bench_fastest_late(result));
    bench_add_number(&row, 1e3 * rough->late);
    bench_add_number(&row, rough->late / bench_fastest_late(result));
    add_certified(&row, rough);
    bench_add_number(&row, 1e3 * exact->late);
    bench_add_number(&row, exact->late / bench_fastest_late(result));
    add_certified(&row, exact);
    bench_add_number(&row, 1e3 * standard->late);
    bench_add_number(&row, standard->late / bench_fastest_late(result));
    add_certified(&row, standard);
    bench_print_row(style, &row);
}

void bench_report_summary(const BenchStyle *style, const BenchResult *results, int count)
{
    static const char *const titles[] = {"scene",       "contacts",   "fastest peer", "its ms",
                                         "1e-1: ms",    "times peer", "1e-3: ms",     "times peer",
                                         "certified",   "1e-8: ms",   "times peer",   "certified",
                                         "default: ms", "times peer", "certified"};
    BenchTableRow head = {.count = 0};
    for (size_t k = 0; k < sizeof titles / sizeof *titles; k++)
        bench_add(&head, "%s", titles[k]);
    bench_print_title(style, "summary: perp beside the fastest peer that did all steps, ms a step "
                             "over the second half of the steps done");
    bench_print_head(style, &head);
    for (int k = 0; k < count; k++)
        print_summary_row(style, &results[k]);
    fflush(style->out);
}

// --- cost against contacts ----------------------------------------------------------------------

int bench_count_piles(const BenchResult *results, int count)
{
    int piles = 0;
    for (int k = 0; k < count; k++)
        piles += results[k].pile;
    return piles;
}

static void print_scaling(const BenchStyle *style, const BenchResult *results, int count,
                          double (*value)(const BenchScore *score))
{
    BenchTableRow head = {.count = 0};
    const BenchResult *first = NULL;
    for (int k = 0; k < count && !first; k++)
        first = results[k].pile ? &results[k] : NULL;
    bench_add(&head, "pile");
    for (int k = 0; k < first->n_scores; k++)
        bench_add(&head, "%s", first->scores[k].engine->name);
    bench_print_head(style, &head);
    for (int k = 0; k < count; k++) {
        BenchTableRow row = {.count = 0};
        if (!results[k].pile)
            continue;
        bench_add(&row, "%s", results[k].name);
        for (int e = 0; e < results[k].n_scores; e++)
            bench_add_number(&row, value(&results[k].scores[e]));
        bench_print_row(style, &row);
    }
}

static double microseconds_a_contact(const BenchScore *score)
{
    return score->run.contacts ? 1e6 * score->late / score->run.contacts : NAN;
}

static double kilobytes_a_contact(const BenchScore *score)
{
    return score->run.judged && score->run.contacts ? score->run.bytes / 1e3 / score->run.contacts
                                                    : NAN;
}

void bench_report_scaling(const BenchStyle *style, const BenchResult *results, int count)
{
    if (bench_count_piles(results, count) < 2)
        return;
    bench_print_title(style, "cost: microseconds a contact and step, second half");
    print_scaling(style, results, count, microseconds_a_contact);
    bench_print_title(style, "memory: kB a contact, heap at the end of the run");
    print_scaling(style, results, count, kilobytes_a_contact);
    fflush(style->out);
}
