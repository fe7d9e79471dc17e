// The verdict of a run: what the certificates of its steps cannot say. Each step may be solved to
// the last digit and the run be wrong: steps too long for a spring, bodies that pass through each
// other, energy from nowhere. docs/verdict.md derives the bounds.
#ifndef PERP_VERDICT_H
#define PERP_VERDICT_H

#include "perp/api.h"
#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// X(name, word, unit): what is checked. Energies are relative to the energy at play: the largest
// kinetic energy so far, the range of the potential one, and the work done.
#define PERP_CHECK_LIST(X)                                                                         \
    X(SOLVED, "solved", "steps")        /* steps that missed the tolerance */                      \
    X(GAIN, "energy-gain", "")          /* rise of stored energy beyond the work done */           \
    X(BALANCE, "energy-balance", "")    /* energy that the scheme itself took or gave */           \
    X(OVERLAP, "overlap", "m")          /* at the end of a step */                                 \
    X(PASSAGE, "passage", "m")          /* overlap between the ends of a step */                   \
    X(JOINT_GAP, "joint-gap", "")       /* m or rad, at the end of a step */                       \
    X(FASTEST_MODE, "fastest-mode", "") /* step times frequency or rate of the fastest mode */     \
    X(DIGITS, "digits", "m")            /* spacing of the numbers that positions are made of */    \
    X(MOMENTUM, "momentum", "")         /* change of angular momentum of an isolated system */     \
    X(EARLY_BOUNCE, "early-bounce", "") /* way to a bounce that is not located, by thickness */    \
    X(LOST_BOUNCES, "lost-bounces", "") /* energy that bounces left out would have given back */

typedef enum PerpCheck {
#define PERP_CHECK_CODE(name, word, unit) PERP_CHECK_##name,
    PERP_CHECK_LIST(PERP_CHECK_CODE)
#undef PERP_CHECK_CODE
        PERP_CHECK_COUNT
} PerpCheck;

// The word and the unit of reports; "?" if out of range.
PERP_API const char *perp_check_name(PerpCheck check);
PERP_API const char *perp_check_unit(PerpCheck check);

// One check.
typedef struct PerpChecked {
    bool applies; // there is something to check
    bool holds;   // value <= bound
    double value; // the worst so far
    double bound; // what the verdict promises
    double t;     // s, end of the step of the worst value
    double step;  // s: a step that should hold the bound; 0: it holds, or shorter ones do not help
} PerpChecked;

// All checks of a run.
typedef struct PerpVerdict {
    bool certified;                      // every check holds
    long steps;                          // that it speaks of
    PerpChecked check[PERP_CHECK_COUNT]; // by PerpCheck
    double moved;  // m: bodies that overlapped at the start were moved apart by at most this
    double closed; // J: taken from velocities, given by the caller, that joints do not allow
    double
        fastest; // 1/s: frequency or rate of the fastest mode of springs and dampers at the start
    double overlap;           // m: the deepest of the start as it was given, between
    int overlap_a, overlap_b; // these bodies
} PerpVerdict;

// The verdict of all steps so far, also of those before a checkpoint that was restored. What is
// known before the first step (FASTEST_MODE) is judged at once.
PERP_API PerpVerdict perp_simulation_verdict(const PerpSimulation *simulation);

// A check that does not hold in words, with the remedy: "energy rose by 12 % at t = 0.3 s (at most
// 0.5 %): try steps of 2e-4 s". Always terminated; returns text.
PERP_API const char *perp_verdict_text(const PerpVerdict *verdict, PerpCheck check, char *text,
                                       int size);

#ifdef __cplusplus
}
#endif
#endif
