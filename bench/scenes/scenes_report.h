// What the benchmark of scenes tells: tables for terminals and for Markdown, JSON, the plot of cost
// against contacts.
#ifndef PERP_BENCH_SCENES_SCENES_REPORT
#define PERP_BENCH_SCENES_SCENES_REPORT

#include "common/table.h"
#include "scenes/contest.h"

#include <stdio.h>

typedef struct BenchResult {
    char name[BENCH_NAME];
    const char *text;
    double dt;
    int steps, n_bodies;
    bool pile, stands, has_joints, touching;
    int n_scores;
    BenchScore *scores;
} BenchResult;

bool bench_is_perp(const BenchScore *score);
// s a step of the fastest peer that did all steps, over the second half; NaN: there is none
double bench_fastest_late(const BenchResult *result);

void bench_report_heading(const BenchStyle *style, double seconds);
void bench_report_result(const BenchStyle *style, const BenchResult *result);
void bench_report_summary(const BenchStyle *style, const BenchResult *results, int count);
int bench_count_piles(const BenchResult *results, int count);
// cost and memory per contact over the settled piles; nothing if fewer than two ran
void bench_report_scaling(const BenchStyle *style, const BenchResult *results, int count);

void bench_scenes_json(FILE *out, const BenchResult *results, int count, double seconds);
// false: nothing to draw, or no memory
bool bench_scaling_svg(FILE *out, const BenchResult *results, int count);

#endif
