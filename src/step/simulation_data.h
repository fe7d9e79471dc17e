// The simulation: settings, system, state, and what each stage of a step needs or leaves behind.
#ifndef PERP_STEP_SIMULATION_DATA_H
#define PERP_STEP_SIMULATION_DATA_H

#include "perp/simulation.h"
#include "perp/verdict.h"
#include "step/control/controls_data.h"
#include "step/islands/island_cache.h"
#include "step/rows/joint_row_cache.h"
#include "step/schemes/scheme.h"
#include "step/stage.h"
#include "step/systems/system.h"

// Everything needed to go on.
typedef struct PerpState {
    double t;       // s
    double *q;      // n_q
    double *v;      // n_v
    double *turn;   // n_turn: whole turns of angles, rad
    double h;       // s, of the last step; 0: none yet, or not known
    int held;       // steps in a row, up to the last, with an island answered with slip held
    int halvings;   // of the last step, because a large island was not solved (schemes/substeps.h)
    double cached;  // s, of the substep that the island cache is of; 0: of the whole step
    double longest; // s, that its substeps might have had by step limits; 0: any length
} PerpState;

enum { PERP_MOST_HALVINGS = 4 };

// Velocities after a torque-free motion over h: inertia alone, no forces. Owned.
typedef struct PerpInertialMotion {
    double *from, *v; // n_v
    double h;         // s
    bool known;
} PerpInertialMotion;

// Angles of joints at the state: those that a motion begins with are those that the last one ended
// with. Owned.
typedef struct PerpJointAngles {
    double *q;            // n_q: where
    double *value, *next; // n_turn: there, and at the end of a motion
    bool known;
} PerpJointAngles;

// Of rigid systems. Owned, but for the model.
typedef struct PerpBodies {
    const PerpModel *model; // &own; NULL: the system is a custom one
    const PerpModel *given; // borrowed: as it was compiled
    PerpModel own;          // with joints, springs and surfaces of its own, which may change
    PerpRigid rigid;
    PerpContactFinder *finder;
    PerpJointRowCache joint_rows; // at the state
    PerpJointAngles angles;       // likewise
    PerpInertialMotion inertial;  // the last one
    double *radius;               // m, model bodies: of the ball about the centre of mass
    double *turn;                 // like state.turn, for perp_rigid_turns_at
    bool has_axes;                // some joint has coordinates
    bool reads_turns;             // whose values, whole turns and all, rows or forces depend on
} PerpBodies;

typedef struct PerpCustom PerpCustom;

// What a thread solves islands with. Owned.
typedef struct PerpWorker {
    PerpSolver *solver;
    PerpArena arena; // of the island at hand
    PerpArena bases; // of the stage
    int failed;      // the first of its islands that failed, -1: none
    PerpError error; // of that
} PerpWorker;

typedef struct PerpWorkers {
    PerpWorker *worker; // count
    int count;
    PerpSolver *solver;    // the first one's
    PerpAllocator guarded; // theirs, if there are several
} PerpWorkers;

// Vectors that schemes write intermediate results to. Owned.
typedef struct PerpScratch {
    double *q; // n_q
    double *v; // n_v
} PerpScratch;

// Speeds that decide about impacts, m/s.
typedef struct PerpThresholds {
    double bounce; // slower impacts of this step have restitution 0
    double rest;   // of 1 + the fastest: slower is at rest, of event-driven schemes
} PerpThresholds;

// The energy ledger. Owned.
typedef struct PerpLedger {
    double start;       // J, stored at the beginning
    double largest;     // J, largest term so far
    double *external;   // n_v: impulses of given forces, of the stage at hand
    double damper_work; // J that dampers take, of the stage at hand
    double given_work;  // J that given forces do beyond `external`, of the stage at hand
} PerpLedger;

// The run so far, for its verdict (report/verdict.h): plain numbers, part of checkpoints.
typedef struct PerpRunLedger {
    double steps, held;                     // so far; of them, with slip held
    double least;                           // J, of stored energy minus work, since the start
    double kinetic;                         // J, the largest
    double least_potential, most_potential; // J
    double work;                            // J, the largest |work|
    double given;                           // 1: velocities are a caller's, not those of a step
    double closed;                          // J that joints took from such velocities
    double soft;                            // J that soft contacts and limits took: some comes back
    double laws, compared; // by how much laws of impact differed, of the change; impacts compared
    double turned[3], momentum; // kg m^2/s: angular momentum gained, of isolated systems; its size
    double worst[PERP_CHECK_COUNT], at[PERP_CHECK_COUNT]; // of each check; s, when
} PerpRunLedger;

// Of the step at hand, for the verdict: it joins the run when the step is done.
typedef struct PerpStepNotes {
    double check[PERP_CHECK_COUNT]; // the worst values
    double closed, soft;            // J, as in PerpRunLedger
    double laws, compared;          // likewise
} PerpStepNotes;

// What the verdict's bounds are measured by, as created.
typedef struct PerpVerdictScales {
    double thickness;     // m, of the thinnest shape; INFINITY: none has one
    double weight;        // N, of all bodies
    bool contacts;        // there may be some
    bool joints;          // there are some
    bool isolated;        // nothing acts from outside: momenta stay
    double fastest;       // 1/s: frequency or rate of the fastest mode of the springs and dampers
    double start_moved;   // m: bodies that overlapped were moved apart by at most this
    double start_overlap; // m: the deepest as it was given, and
    int overlap_a, overlap_b; // of which bodies
} PerpVerdictScales;

// Joint error and overlap at the last configuration where they were measured. Owned.
typedef struct PerpConstraintErrors {
    double *q, *turn; // n_q, n_turn: where
    double joint_gap, penetration;
    bool known;
} PerpConstraintErrors;

// Soft contacts and limits of the step at hand that are too stiff for it, and how deep their forces
// press them (rows/soft_rows.h). In the step's arena.
typedef struct PerpStiffContacts {
    int count;
    uint64_t *id;  // count
    double *depth; // count: m or rad
} PerpStiffContacts;

// The problem of the last step, solved again as it is while nothing moves (sleep.h). Lies in the
// step's arena.
typedef struct PerpSleep {
    bool ready;
    double h;    // s
    bool judged; // contacts were
    const double *v_free;
    PerpStage stage;    // not solved
    PerpArenaMark mark; // behind it
} PerpSleep;

// Reports of contacts and limits. Owned; contacts sorted by id.
typedef struct PerpReports {
    PerpContactReport *contacts;
    int n_contacts, contact_room;
    PerpLimitReport *limits;
    int n_limits, limit_room;
} PerpReports;

// A contact or limit that was hit in an impact, with the impulse of a phase.
typedef struct PerpHit PerpHit;

typedef struct PerpContactReports {
    PerpReports last, next; // of the last step's last problem, of the step at hand
    PerpArena arena;        // of one step
    PerpHit *hits;          // of the impacts of the step at hand, in that arena
    PerpHit *earlier;       // of earlier substeps, likewise
    bool in_substep;        // the step is divided, and a substep of it is done
    bool in_round;          // next is of a problem that is solved again with more contacts
} PerpContactReports;

// Callbacks and extra reports that the caller wants.
typedef struct PerpObservers {
    PerpProblemCallback problem; // NULL: none
    void *user;
    bool judge_contacts; // stages get the residuals of their contacts
    bool shortest;       // forces are the shortest also while bodies move
} PerpObservers;

// CPU time of the last step by stages, if it is asked for (timing.h).
typedef struct PerpTimings {
    bool on;
    PerpTiming now; // the stage that runs
    double since;   // s, on the thread's clock
    double seconds[PERP_TIMING_COUNT];
} PerpTimings;

// X(name, numbers): what a program may do (control/journal.c); -1: as many as the model has.
#define PERP_JOURNAL_LIST(X)                                                                       \
    X(CALLBACK, 1)                                                                                 \
    X(CONTROL, 2)                                                                                  \
    X(INPUT, 2)                                                                                    \
    X(GRAVITY, 3)                                                                                  \
    X(WRENCH, 7)                                                                                   \
    X(FRICTION, 3)                                                                                 \
    X(STATE, -1) /* poses, velocities, coordinates: the state that they leave */                   \
    X(RESET, 1)                                                                                    \
    X(IMPULSE, -1)                                                                                 \
    X(LENGTH, 1) /* s, of the next step */                                                         \
    X(FORCE, 6)

typedef enum PerpJournalCode {
#define PERP_JOURNAL_CODE(name, numbers) PERP_JOURNAL_##name,
    PERP_JOURNAL_LIST(PERP_JOURNAL_CODE)
#undef PERP_JOURNAL_CODE
        PERP_JOURNAL_COUNT
} PerpJournalCode;

typedef struct PerpJournal {
    bool keep, lost;
    long step;       // taken so far
    double length;   // s, of the next step if a journal that is followed says so, else 0
    double *numbers; // count. Owned
    int count, room;
} PerpJournal;

struct PerpSimulation {
    // as created
    PerpContext context;
    PerpSimulationSettings settings;
    const PerpScheme *scheme;
    const PerpSystem *system;
    int n_q, n_v, n_turn;  // of the system
    bool has_restitution;  // some contact or limit
    bool has_links;        // springs, dampers, armatures
    bool has_armature;     // some joint coordinate
    bool has_soft;         // contacts or limits with compliance
    PerpBodies bodies;     // of rigid systems
    PerpControls controls; // of rigid systems
    PerpCustom *custom;    // of custom systems, else NULL

    // the state, now and as the step at hand began
    PerpState state, before;

    // memory of one step
    PerpArena arena;
    PerpScratch scratch;
    PerpThresholds threshold;
    PerpStiffContacts stiff;

    // solving: threads, warm starts, scenes at rest
    PerpWorkers workers;
    PerpIslandCaches caches;
    PerpSleep sleep;

    // what a step leaves behind
    PerpStepReport report;
    PerpLedger ledger;
    PerpRunLedger run;
    PerpVerdictScales scales;
    PerpStepNotes noted;
    PerpConstraintErrors errors;
    PerpContactReports contacts;
    PerpObservers observers;
    PerpTimings timings;
    PerpJournal journal;
};

#endif
