// What the ladder's benchmark tells: a table for each family, one of all, JSON.
#ifndef PERP_BENCH_LADDER_REPORT_H
#define PERP_BENCH_LADDER_REPORT_H

#include "ladder/ablation.h"

#include <stdio.h>

void bench_ladder_print_heading(FILE *out, const BenchLadderOptions *options);
void bench_ladder_print(FILE *out, const BenchLadderResult *result);
void bench_ladder_print_all(FILE *out, const BenchLadderResult *results, int count);
void bench_ladder_print_json(FILE *out, const BenchLadderResult *results, int count);

#endif
