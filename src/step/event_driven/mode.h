// The mode of the event-driven scheme [L82]: the active set between two events, its accelerations,
// the complementarity problem that decides about it, impulses, and the integration of the smooth
// motion between events.
#ifndef PERP_STEP_EVENT_DRIVEN_MODE_H
#define PERP_STEP_EVENT_DRIVEN_MODE_H

#include "step/scheme_tools.h"

// SI units. What is smaller than these is rounding.
#define PERP_CLOSED 1e-9       // m: a constraint with a smaller phi is closed
#define PERP_HELD_REACH 1e-3   // m: reach of the search for held constraints
#define PERP_AT_REST 1e-9      // m/s, of 1 + the fastest velocity: a slower constraint is at rest
#define PERP_LARGEST_REST 1e-4 // m/s, likewise: at the end of long series of events
#define PERP_SKIN 1e-13     // m: how far a passive constraint falls below 0 before it is an event
#define PERP_LEAVES 1e-10   // m: the same for one that is leaving at no speed, by CVODE's errors
#define PERP_UNDECIDED 1e-9 // of the accelerations: lambda or delta that is smaller vanishes
#define PERP_DROPS 1e-8     // of the accelerations: delta at which an active constraint is dropped
#define PERP_SLOWEST_BOUNCE 1e-5 // m/s: below, the skin would be what bounces

// Friction of an active constraint in one group: two tangents, or one.
typedef struct PerpSlipMode {
    bool slips;
    bool begins; // to slip, in two directions, from rest or nearly so
    double u[2]; // unit: direction of slip; of a sticking group the one it would slip in
} PerpSlipMode;

enum { PERP_SLIP_MODES = 3 }; // sliding, torsion, rolling

// A unilateral constraint that is active: treated as if it were bilateral   [L82 section 4]
typedef struct PerpActiveContact {
    uint64_t id;
    double push; // its multiplier where the active set was decided, as an acceleration
    int n_slip_modes;
    PerpSlipMode slip_mode[PERP_SLIP_MODES];
} PerpActiveContact;

// A passive constraint that was closed when the interval began: how far phi may fall.
typedef struct PerpBelow {
    uint64_t id;
    double floor;
} PerpBelow;

typedef enum PerpBoxState { PERP_BOX_AT_LOWER = -1, PERP_BOX_HELD, PERP_BOX_AT_UPPER } PerpBoxState;

// The active set J(t1, t2) and what friction and bounded multipliers do in it. In the step's arena.
typedef struct PerpMode {
    int n_held, n_boxes, n_below;
    PerpActiveContact *held;
    PerpBoxState *box; // n_boxes                                       [L82 (6.4)-(6.5)]
    PerpBelow *below;
    int rank;
    int *row; // rank: the rows of G' , the independent ones  [L82 lemma 5.2, part 3]
} PerpMode;

// The rows of a mode at a configuration, dense: joints, held boxes, then each held constraint with
// the tangents of its sticking groups. In the step's arena.
typedef struct PerpModeRows {
    PerpStage stage;    // all rows there
    int n;              //
    double *G;          // n_v x n, by columns: velocities  y = G'v + d
    double *W;          // n_v x n: forces; normals carry the friction of their slipping groups
    double *d;          // n: of motors, minus their speed
    double *error;      // n: theta and phi, 0 where there are none
    double *box_force;  // n_v: of boxes at their bounds
    double box_power;   // W that motors at their bounds give,
    double box_loss;    // W that dry friction at its bounds takes
    double least_slip;  // m/s: of slipping groups and boxes at bounds, along their directions
    int *normal;        // n_held: the row of each normal
    double *slip_speed; // n_held: sum of mu |slip| of the slipping groups, m/s
    bool lost;          // a held constraint is not there any more
} PerpModeRows;

// --- mode_rows.c --------------------------------------------------------------------------------

PerpStatus perp_mode_rows(PerpSimulation *sim, const PerpMode *mode, const double *q,
                          const double *v, double reach, PerpModeRows *rows, PerpError *error);
// slope = dG/dt' v along the motion, by differences of fourth order; n numbers
PerpStatus perp_mode_slopes(PerpSimulation *sim, const PerpMode *mode, const double *q,
                            const double *v, const PerpModeRows *rows, double *slope,
                            PerpError *error);
// The largest |g'v| of held normals above what may be drift: > 0 where a gradient has jumped, and
// the constraint is to be judged anew [L82, end of section 2].
double perp_mode_jump(const PerpSimulation *sim, const PerpMode *mode, const PerpModeRows *rows,
                      const double *v);
int perp_mode_find(const PerpMode *mode, uint64_t id);    // index of a held constraint, or -1
int perp_stage_find(const PerpStage *stage, uint64_t id); // index of a contact, or -1
// Forces of held constraint k with its friction, times h, into the rows of a problem.
void perp_mode_put_forces(const PerpModeRows *rows, const PerpMode *mode, int k, const double *v,
                          const double *lambda, double h, double *c);
// The number of tangents of a friction group, and T'v of them; J of tangent k, dense, added.
int perp_slip_tangents(const PerpProblem *p, int group);
void perp_slip_of_group(const PerpStage *stage, int group, const double *v, double slip[2]);
void perp_slip_add_tangent(const PerpStage *stage, int group, int k, double scale, double *to);
// The slip of a slipping group and its direction; beyond a standstill the direction before it, so
// that forces are smooth across the event.
void perp_slip_direction(const PerpStage *stage, int group, const PerpSlipMode *slip_mode,
                         const double *v, double slip[2], double u[2]);

// --- accelerate.c -------------------------------------------------------------------------------

// The motion of a mode at (t, q, v)  [L82 (4.4)-(4.6)]. In the step's arena.
typedef struct PerpAcceleration {
    double *a;                     // n_v
    double *lambda;                // rows: 0 for those left out of G'
    double work, friction, damper; // W: given, and taken
    double largest;                // of M^-1 f
    double force;                  // sqrt(f'M^-1 f), the rate at which S may grow  [L82 (3.6)]
    bool lost;                     // see PerpModeRows
} PerpAcceleration;

PerpStatus perp_mode_accelerate(PerpSimulation *sim, const PerpMode *mode, double t,
                                const double *q, const double *v, PerpAcceleration *motion,
                                PerpError *error);
// f with springs and dampers; adds to damper what dampers take
PerpStatus perp_mode_force(PerpSimulation *sim, double t, const double *q, const double *v,
                           double *f, double *damper, PerpError *error);
// Chooses G' at the state: joints first, then what pushes most.
PerpStatus perp_mode_choose_rows(PerpSimulation *sim, PerpMode *mode, PerpError *error);
// The state on the mode's constraints: positions, then velocities, each by the least change.
PerpStatus perp_mode_project(PerpSimulation *sim, PerpMode *mode, PerpError *error);
// --- active_set.c -------------------------------------------------------------------------------

// Finds the active set at the state, whose velocities no closed constraint opposes  [L82 section 5]
PerpStatus perp_mode_decide(PerpSimulation *sim, double look_ahead, PerpMode *mode,
                            PerpError *error);
// The largest delta or slip acceleration that (2.5b) gives to what the mode holds, relative to the
// accelerations; INFINITY where Coulomb's law has no solution.
PerpStatus perp_mode_doubt(PerpSimulation *sim, const PerpMode *mode, double t, const double *q,
                           const double *v, double *doubt, PerpError *error);

// --- impulse.c ----------------------------------------------------------------------------------

// Impulses at the state until no closed constraint is approached  [L82 (2.10)-(2.11), (3.9)]
PerpStatus perp_impulse(PerpSimulation *sim, PerpError *error);
double perp_at_rest_speed(const PerpSimulation *sim);

// --- smooth.c -----------------------------------------------------------------------------------

typedef enum PerpSmoothEnd { PERP_SMOOTH_TIME, PERP_SMOOTH_EVENT, PERP_SMOOTH_LOST } PerpSmoothEnd;

// Moves the state in a mode up to time `end` or the first event.
PerpStatus perp_smooth_motion(PerpSimulation *sim, PerpMode *mode, double end, PerpSmoothEnd *why,
                              PerpError *error);

#endif
