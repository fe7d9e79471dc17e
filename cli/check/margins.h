// Margins of the papers' a-priori bounds, computed again from what a recording holds: one file a
// paper.
#ifndef PERP_CLI_CHECK_MARGINS_H
#define PERP_CLI_CHECK_MARGINS_H

#include "check/equations.h"

// --- from the states at both ends of a step -----------------------------------------------------

typedef struct MarginStep {
    CheckStates *states;    // q_old, v_old: at its beginning; q, v: at its end
    double t, h;            // s: its beginning, its length
    const double *recorded; // PERP_BOUND_COUNT margins, NaN: not of this step
} MarginStep;

// Each fills in what it can tell of its paper's bounds. Whether a step satisfies
// a bound's assumptions was decided by the run.
PerpStatus margins_of_pagt06(const MarginStep *step, double margin[PERP_BOUND_COUNT],
                             PerpError *error);
PerpStatus margins_of_l82(const MarginStep *step, double margin[PERP_BOUND_COUNT],
                          PerpError *error);
PerpStatus margins_of_ps02(const MarginStep *step, double margin[PERP_BOUND_COUNT],
                           PerpError *error);

// --- from a stored problem ----------------------------------------------------------------------

// L82, lemma 5.2. *applies: no friction and no bounded rows, and the problem was solved.
PerpStatus margin_of_uniqueness(const PerpRecordedProblem *stored, bool *applies, double *margin,
                                PerpError *error);

// ST97 3.5. False: it says nothing about this problem. h: s, of the run.
bool margin_of_dissipation(const PerpRecordedProblem *stored, const PerpCertificate *certificate,
                           double h, double *margin);
double margin_of_speed(const PerpCertificate *certificate); // of ST97 4.1

// AP97 5.1, impacts in two phases. Compressions of a step that may still find their decompression:
typedef struct Compression Compression;
typedef struct Compressions {
    Compression *open;
    int n_open, room;
} Compressions;

// Problems in the order of the recording. *found: this one is the decompression of one before.
// False if memory is short.
bool margin_of_impact(Compressions *compressions, const PerpRecordedProblem *stored,
                      const PerpCertificate *certificate, bool *found, double *margin);
void compressions_free(Compressions *compressions);

#endif
