// What schemes are made of: the state, forces, problems at a configuration, impacts, projection and
// the energy ledger. A scheme file is the paper's algorithm box and little else.
#ifndef PERP_STEP_STEP_H
#define PERP_STEP_STEP_H

#include "base/compiler.h"
#include "perp/simulation.h"
#include "step/joint_rows.h"
#include "step/kept.h"
#include "step/system.h"

// Everything needed to go on.
typedef struct PerpState {
    double t;     // s
    double *q;    // n_q
    double *v;    // n_v
    double *turn; // n_turn: whole turns of angles, rad
    double h;     // s, of the last step; 0: none yet, or not known
    int halvings; // that misses made in the last step (parts.h)
} PerpState;

typedef struct PerpScheme {
    const char *name, *text;
    int facets;         // of friction polygons, unless settings say, or PERP_FACETS_CIRCULAR
    bool explicit_turn; // bodies turn by the spin before the step, not by the mean
    PerpStatus (*step)(PerpSimulation *sim, double h, PerpError *error);
} PerpScheme;

extern const PerpScheme perp_scheme_default, perp_scheme_anitescu_potra,
    perp_scheme_stewart_trinkle, perp_scheme_paoli_schatzman, perp_scheme_lotstedt,
    perp_scheme_trapezoidal, perp_scheme_trapezoidal_damped;

// What a thread solves islands with. Owned.
typedef struct PerpWorker {
    PerpSolver *solver;
    PerpArena arena; // of the island at hand
    PerpArena bases; // of the stage
    int failed;      // the first of its islands that failed, -1: none
    PerpError error; // of that
} PerpWorker;

// The joint error and overlap at a configuration. Owned.
typedef struct PerpMeasured {
    double *q, *turn; // n_q, n_turn: where
    double joint_gap, penetration;
    bool known;
} PerpMeasured;

// Velocities as inertia alone left them the last time. Owned.
typedef struct PerpCoasted {
    double *from, *v; // n_v
    double h;         // s
    bool known;
} PerpCoasted;

// What can be asked of contacts and limits. Owned; contacts sorted by id.
typedef struct PerpReports {
    PerpContactReport *contacts;
    int n_contacts, contact_room;
    PerpLimitReport *limits;
    int n_limits, limit_room;
} PerpReports;

// A contact or limit that was hit in an impact, with the impulse of a phase.
typedef struct PerpHit PerpHit;

typedef struct PerpCustom PerpCustom;

// A problem at a configuration, its solution, and what it was made of. Lies in the step's arena.
typedef struct PerpStage {
    PerpAssembly rows;
    const double *q;   // where the rows were made; borrowed
    bool is_aside;     // not a problem of the motion: nobody is told
    bool shortest;     // wanted: of all impulses with the same velocities, the shortest
    bool is_tentative; // if a heap is missed, shorter problems take its place (parts.h)
    bool missed_heap;  // that came to pass
    double h;          // s that the problem covers, 0 for impacts
    double *before;    // n_v: velocities before
    double *v;         // n_v: solution
    double *c;         // rows
    double *lambda;    // groups
    double *residual;  // contacts: the worst of each; NULL: not judged
} PerpStage;

// The problem of the last step, for when nothing moves. Lies in the step's arena.
typedef struct PerpStill {
    bool ready;
    double h;    // s
    bool judged; // contacts were
    const double *v_free;
    PerpStage stage;    // not solved
    PerpArenaMark mark; // behind it
} PerpStill;

struct PerpSimulation {
    PerpContext context;
    PerpSimulationSettings settings;
    const PerpScheme *scheme;
    const PerpSystem *system;
    int n_q, n_v, n_turn;    // of the system
    PerpSolver *solver;      // the first worker's
    PerpWorker *workers;     // n_workers
    PerpAllocator guarded;   // of the workers
    int n_workers;           //
    PerpArena arena;         // of one step
    PerpState state, before; // before: as the step began
    double *trial;           // n_q, scratch of schemes
    PerpStepReport report;
    PerpMeasured measured; // the last time
    PerpStill still;
    double start_energy;
    double largest_energy; // J, largest term of the ledger so far
    bool bouncy;           // something in the model has restitution
    double bounce_speed;   // m/s: slower impacts of this step do not bounce
    double *external;      // n_v: impulses of given forces, of the stage at hand
    double rest_speed;     // m/s of 1 + the fastest: slower is at rest, of event-driven schemes
    double damper_work;    // J that dampers take, of the stage at hand
    double given_work;     // J that given forces do beyond `external`, of the stage at hand
    double *scratch;       // n_v

    // of rigid systems
    const PerpModel *model; // borrowed
    PerpRigid rigid;
    PerpContactFinder *finder;
    PerpJointRows joint_rows; // at the state
    PerpCoasted coasted;
    double *radius;     // m, model bodies: of the ball about the centre of mass that holds all
    double *turn_there; // like state.turn, for perp_rigid_turns_at
    bool has_axes;      // some joint has coordinates

    PerpCustom *custom; // of custom systems, else NULL

    PerpKeptIslands kept[3]; // of the last step, of the stage before, of the stage at hand
    int kept_of_step, kept_in_use;

    PerpProblemCallback watch; // NULL: none
    void *watch_user;
    bool judge_contacts; // stages get the residuals of their contacts

    PerpReports reports, next_reports; // of the last step's last problem, of the step at hand
    PerpArena hit_arena;               // of one step
    PerpHit *hits;                     // of the impacts of the step at hand, in that arena
    PerpHit *earlier;                  // of earlier parts of the step, likewise
    bool in_part;                      // the step is divided, and a part of it is done
    double share; // by which impulses at hand are multiplied to start from: of lengths of time
};

// The rows at q, for contacts with gap <= reach; b = 0 and d as the rows say.
PerpStatus perp_stage_assemble(PerpSimulation *sim, const double *q, double reach, double h,
                               PerpStage *stage, PerpError *error);

// Solves the stage's problem, certifies it and adds it to the step's report.
PerpStatus perp_stage_solve(PerpSimulation *sim, const double *v_before, PerpStage *stage,
                            PerpError *error);

// Keeps the contacts of a solved stage for perp_simulation_contact, with the hits so far.
PerpStatus perp_stage_report_contacts(PerpSimulation *sim, const PerpStage *stage,
                                      PerpError *error);
// Adds the contacts and limits that a solved phase of an impact pushes to the step's hits, by this
// part of its impulses.
PerpStatus perp_stage_add_hits(PerpSimulation *sim, const PerpStage *stage, double part,
                               PerpError *error);
// The same of a solved stage that is a part of the step, for perp_reports_add_parts.
PerpStatus perp_stage_keep_part(PerpSimulation *sim, const PerpStage *stage, PerpError *error);
// Adds what was kept of earlier parts to the reports of the last one.
PerpStatus perp_reports_add_parts(PerpSimulation *sim, PerpError *error);
void perp_reports_free(const PerpAllocator *allocator, PerpReports *reports);
// The contact with this id, NULL if there is none. It is mostly `at`, where the last one was found,
// or the next.
PerpContactReport *perp_reports_find(const PerpReports *reports, uint64_t id, int *at);

// y = J v of row r, without d.
double perp_stage_row_speed(const PerpStage *stage, int row, const double *v);
// d = (J - J_other) v of the rows of joints, which are the same in both, at another configuration.
void perp_stage_follow_joints(PerpStage *stage, const PerpStage *other, const double *v);
int perp_stage_contact_row(const PerpStage *stage, int contact); // row of the unilateral

// The rows of joints and motors of `from`, at another configuration, take the place of the stage's.
// False if they are not the same rows.
bool perp_stage_take_joints(PerpStage *stage, const PerpStage *from);

// With the mass matrix of the stage: p = Mt v, v'Mt v/2, and the same of one block.
void perp_stage_momentum(const PerpStage *stage, const double *v, double *p);
double perp_stage_kinetic(const PerpStage *stage, const double *v);
double perp_stage_block_kinetic(const PerpStage *stage, int block, const double *v);

// Keeps the problem of a step of h from the state it began with, for perp_still_step.
void perp_still_keep(PerpSimulation *sim, double h, const double *v_free, const PerpStage *stage,
                     PerpArenaMark mark);
// Did nothing move in the last step, and is this one the same?
bool perp_still_is(const PerpSimulation *sim, double h);
// The step of a scene at rest, by the problem of the last one. `rests`: it did; otherwise the state
// is as it was.
PerpStatus perp_still_step(PerpSimulation *sim, bool *rests, PerpError *error);
// A body whose speed is nothing but rounding of the motion it is kept from, or what the tolerance
// leaves open of it, is at rest, exactly: it would creep otherwise.
void perp_settle(const PerpSimulation *sim, const double *v_free, PerpStage *stage);

// The state moves to q, at time t.
void perp_step_go(PerpSimulation *sim, const double *q, double t);
// m or rad: gaps and errors that a tolerance above 1e-8 makes light of
double perp_step_slop(const PerpSimulation *sim);

// What the step at hand shows of a promise; the least margin counts.
void perp_step_bound(PerpSimulation *sim, PerpBoundKind kind, double margin);
// Do the rows of the problem take energy out, or nothing? [AP97 (2.18)-(2.20)]
bool perp_stage_is_passive(const PerpStage *stage);
// The promise that the kinetic energy of v is at most that of `bound`.
void perp_bound_energy(PerpSimulation *sim, PerpBoundKind kind, const PerpStage *stage,
                       const double *bound, const double *v);
// Notes something that the scheme's theory does not cover.
void perp_step_warn(PerpSimulation *sim, const char *format, ...) PERP_PRINTF(2, 3);

// Compression and decompression at a configuration [AP97 section 3]: v becomes v+. Contacts with
// gap <= closed take part.
PerpStatus perp_impact(PerpSimulation *sim, const double *q, double closed, double *v,
                       PerpError *error);
// The same in two parts, for those who choose among the rows.
PerpStatus perp_impact_rows(PerpSimulation *sim, const double *q, double reach,
                            const PerpReach *near, PerpStage *stage, PerpError *error);
PerpStatus perp_impact_solve(PerpSimulation *sim, PerpStage *compression, double *v,
                             PerpError *error);

// The largest joint error and overlap at the state, into the report.
PerpStatus perp_step_measure(PerpSimulation *sim, PerpError *error);

// Moves the bodies, as little as possible in the metric of M, until joints close and overlaps part
// to rounding. Velocities stay.
PerpStatus perp_project(PerpSimulation *sim, PerpError *error);

// At the end of a step: projection, if the settings or else the scheme want it, or a measurement.
PerpStatus perp_stabilise(PerpSimulation *sim, PerpStabilisation of_scheme, PerpError *error);
// If the settings want it, nu'v + Theta/h = 0 and n'v + min(Phi, 0)/h >= 0: errors are gone after
// the next h, but the impulses put energy in     [PAGT06 10.3, after Anitescu & Hart]
void perp_stabilise_rows(const PerpSimulation *sim, double h, PerpStage *stage);

// The ledger: what a stage's impulses did between v_before and v; then, after the motion, what is
// stored now.
void perp_energy_add_stage(PerpSimulation *sim, const PerpStage *stage);
void perp_energy_close(PerpSimulation *sim);
double perp_energy_stored(PerpSimulation *sim);

#endif
