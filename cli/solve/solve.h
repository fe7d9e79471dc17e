// What perp solve found, for its two reports.
#ifndef PERP_CLI_SOLVE_SOLVE_H
#define PERP_CLI_SOLVE_SOLVE_H

#include "perp/friction.h"
#include "perp/problem_file.h"

#include <stdio.h>

// What the rungs of the ladder did, in order.
typedef struct SolveTrace {
    PerpRungTrace *rungs;
    int count, room;
    bool short_of_memory;
} SolveTrace;

// Borrows from the file and the solver.
typedef struct SolveReport {
    const char *path;
    const PerpProblemFile *file;
    double tolerance;
    double seconds;                // CPU time of the solve
    PerpLcpResult lcp;             // if the file holds an LCP
    PerpContactResult local;       // if it holds a contact problem without bodies
    PerpProblemResult problem;     // else
    bool traced;                   // trace is wanted
    SolveTrace trace;              //
    int facets;                    // of the friction polygon of an FCLIB problem; 0: none
    PerpFrictionResidual circular; // of an FCLIB problem with polygons
} SolveReport;

PerpOutcome solve_outcome(const SolveReport *report);

void solve_note_rung(void *user, const PerpRungTrace *rung); // user: a SolveTrace
void solve_print_trace(FILE *out, const SolveTrace *trace);
void solve_print_trace_json(FILE *out, const SolveTrace *trace); // a member of an object

void solve_print_text(FILE *out, const SolveReport *report);
void solve_print_json(FILE *out, const SolveReport *report);

#endif
