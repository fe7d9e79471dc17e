// The ladder: methods for one problem, from the cheapest on, until the certificate accepts an
// answer. rungs.c has the table, one row a rung; ladder.c the loop over it.
#ifndef PERP_SOLVE_LADDER_H
#define PERP_SOLVE_LADDER_H

#include "cones/operator/joint_tree.h"
#include "perp/contact_problem.h"
#include "pivoting/step_pivoting.h"
#include "solve/certified.h"
#include "solve/solver.h"

typedef struct PerpLadder {
    // the problem: one of the first two, and its constraint form
    const PerpProblem *p;
    const PerpContactProblem *contact;
    PerpConeProblem *cones; // NULL: not wanted, or not built
    PerpJointTree *tree;    // of joints that are eliminated: cones is what is left then; else NULL
    PerpConeProblem *whole; // before they were
    PerpSolver *solver;
    PerpArena *arena; // the solver's
    const PerpProblemSettings *settings;
    PerpInterrupt interrupt;       // of the settings
    PerpCertified *best_certified; // of a step problem

    // where it stands
    double *r;           // 3 a constraint: the iterate
    double *first_order; // 3 a constraint: where the last first-order method ended
    double *best;        // 3 a constraint: the best so far by the natural residual
    double residual;     // of it
    PerpMethod best_by;  // the method that found it
    double asked;        // natural residual that the tolerance asks for; thresholds speak of it
    double aim;          // natural residual at which a rung may end: that, or less
    bool has_start;      // r holds impulses to start from
    bool fresh;          // all of them are 0: contacts that are all new
    bool begun;          // a first-order method has gone on from them
    bool accepted;       // an answer was
    bool held;           // it solves the law with slip held only
    double *slip;        // a constraint: that slip
    PerpMethod accepted_by;
    bool memory_short;
    bool interrupted;  // the caller wants no more
    PerpStatus status; // what went wrong, if memory is not all
    PerpError *error;  // its message

    // of contact problems
    double *impulse, *velocity; // rows
    PerpContactCertificate *contact_certificate;

    int iterations, sweeps, pivots; // counted up
    PerpPivotingResult pivoting;    // what pivoting tells of itself
    int attempt;                    // of a rung that resumes
} PerpLadder;

// Where a rung starts.
typedef enum PerpRungStart {
    PERP_FROM_LAST,        // the iterate as it is
    PERP_FROM_START,       // the impulses to start from, scaled; the iterate after the first time
    PERP_FROM_FIRST_ORDER, // where the last first-order method ended
    PERP_FROM_BEST,        //
    PERP_FROM_ZERO
} PerpRungStart;

typedef enum PerpRungStage {
    PERP_STAGE_DIRECT, // before the constraint form is built; asks the certificate itself
    PERP_STAGE_CONES,  // works on the constraint form
    PERP_STAGE_ROWS,   // works on the rows of the problem; asks the certificate itself
    PERP_STAGE_REFINE, // works on the constraint form, once an answer is accepted
} PerpRungStage;

typedef struct PerpRung {
    const char *name; // what it does on the ladder, in a few words
    PerpMethod method;
    PerpRungStage stage;
    bool (*fits)(const PerpLadder *ladder); // thresholds on size and tolerance
    PerpRungStart from;
    int (*budget)(const PerpLadder *ladder); // bound on work: sweeps, gradients, factorisations
    double (*aim)(const PerpLadder *ladder); // natural residual at which it ends
    bool resumes; // goes on with a tighter aim if it came to its aim and was not accepted
    // From ladder->r on, which becomes what it found. Returns the natural residual, NAN if memory
    // is short. work: at most; on return, how much.
    double (*run)(PerpLadder *ladder, double aim, int *work);
} PerpRung;

// rungs.c: the table, and its thresholds on answers.
extern const PerpRung perp_rungs[];
extern const int perp_rung_count;
// Is the constraint form built? Else pivoting alone is left.
bool perp_rungs_want_cones(const PerpProblem *p, const PerpProblemSettings *settings);
// May the certificate, which measures otherwise, accept an answer with this natural residual?
bool perp_rungs_may_pass(const PerpLadder *ladder, double residual);
// The next aim if it does not accept one that came to the aim.
double perp_rungs_next_aim(const PerpLadder *ladder);

// What the table has no column for.
typedef struct PerpRungBounds {
    double margin, contact_margin; // natural residual to aim at, of the tolerance of certificates;
                                   // the same of contact problems
    double loosest;                // tolerance that is asked for at the most
    double sharper, sharpest;      // the next aim of a contact problem that is not accepted
    int contact_passes;            // over its islands
    double sharp;                  // residual that Newton's method aims at
    int finishing_steps;           // factorisations: Newton's method after proximal points
    int held_slips;                // slips that are held in turn
    double held_tighter;           // the next aim of a law with slip held
    int dense_rows;                // of joined bodies: one dense matrix
    int dense_steps;               // of Newton's method with it
} PerpRungBounds;

extern const PerpRungBounds perp_rung_bounds;

// Runs the rungs of these stages. True if an answer was accepted or memory is short.
bool perp_ladder_run(PerpLadder *ladder, PerpRungStage first, PerpRungStage last);

// Sets it at the foot of the ladder, for ladder->cones, with a residual of r = best = 0. False if
// memory is short.
bool perp_ladder_begin(PerpLadder *ladder, double tolerance);

// Impulses of the problem before joints were eliminated: r itself, or from the arena; NULL if
// memory is short.
const double *perp_ladder_whole(const PerpLadder *ladder, const double *r);

// The answer of a step problem that impulses r of the constraint form stand for: from the arena.
// False if memory is short.
bool perp_ladder_spread(const PerpLadder *ladder, const double *r, PerpPoint *point);
// Asks the certificate about them; true if they are accepted.
bool perp_ladder_certify(PerpLadder *ladder, const double *r);
// The same of the impulses of a contact problem, ladder->impulse.
bool perp_ladder_certify_contacts(PerpLadder *ladder);

#endif
