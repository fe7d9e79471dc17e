// Simulations: a model in motion, step by step, each step solved and certified.
#ifndef PERP_SIMULATION_H
#define PERP_SIMULATION_H

#include "perp/api.h"
#include "perp/model.h"
#include "perp/problem.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Called where the scheme takes its forces, with the time t and the pose there ("default": the
// middle of the step); adds to force and torque (world axes, about the centre of mass; N, N m).
typedef void (*PerpForceCallback)(void *user, double t, int body, const double position[3],
                                  const double rotation[4], double force[3], double torque[3]);

// Called now and then within a step, from any of the threads that solve it. True gives the step up:
// it fails with PERP_INTERRUPTED and leaves the state as it was.
typedef bool (*PerpInterruptCallback)(void *user);

// X(name, word): the derivatives of forces in the matrix of the trapezoidal scheme [PAGT06 section
// 9]
#define PERP_JACOBIAN_LIST(X)                                                                      \
    X(SWITCH, "switch")           /* exact while the matrix stays positive definite, else: */      \
    X(APPROXIMATE, "approximate") /* (9.2)-(9.3): definite for any stiffness, of order 1 */        \
    X(EXACT, "exact")

typedef enum PerpJacobian {
#define PERP_JACOBIAN_CODE(name, word) PERP_JACOBIAN_##name,
    PERP_JACOBIAN_LIST(PERP_JACOBIAN_CODE)
#undef PERP_JACOBIAN_CODE
        PERP_JACOBIAN_COUNT
} PerpJacobian;

// X(name, word): what is done about joint errors and overlaps that steps leave.
#define PERP_STABILISE_LIST(X)                                                                     \
    X(SCHEME, "scheme")   /* what the scheme does by itself */                                     \
    X(NONE, "none")       /* nothing */                                                            \
    X(ROWS, "rows")       /* in the right-hand sides of the rows [PAGT06 section 10.3] */          \
    X(PROJECT, "project") /* by projection, which leaves velocities alone */

typedef enum PerpStabilisation {
#define PERP_STABILISE_CODE(name, word) PERP_STABILISE_##name,
    PERP_STABILISE_LIST(PERP_STABILISE_CODE)
#undef PERP_STABILISE_CODE
        PERP_STABILISE_COUNT
} PerpStabilisation;

// X(name, word): where anitescu-potra takes M, n, D and nu, and which contacts are established
// [AP97 section 4]
#define PERP_DATA_LIST(X)                                                                          \
    X(END, "end")       /* q_new = q + h v, as the algorithm has it */                             \
    X(START, "start")   /* q */                                                                    \
    X(MIDDLE, "middle") /* q + h v/2 */

typedef enum PerpData {
#define PERP_DATA_CODE(name, word) PERP_DATA_##name,
    PERP_DATA_LIST(PERP_DATA_CODE)
#undef PERP_DATA_CODE
        PERP_DATA_COUNT
} PerpData;

// X(name, word): impacts at several contacts at the same moment.
#define PERP_IMPACTS_LIST(X)                                                                       \
    X(SCHEME, "scheme")             /* the scheme's own: sequential for "default" */               \
    X(SIMULTANEOUS, "simultaneous") /* all at once, in two phases [AP97 section 3] */              \
    X(SEQUENTIAL, "sequential")     /* pair by pair, the fastest approach first */

typedef enum PerpImpacts {
#define PERP_IMPACTS_CODE(name, word) PERP_IMPACTS_##name,
    PERP_IMPACTS_LIST(PERP_IMPACTS_CODE)
#undef PERP_IMPACTS_CODE
        PERP_IMPACTS_COUNT
} PerpImpacts;

// X(name, word): bodies that overlap at the start by more than PERP_START_OVERLAP.
#define PERP_OVERLAP_LIST(X)                                                                       \
    X(REFUSE, "refuse")     /* the simulation is not created: BAD_VALUE with both names */         \
    X(SEPARATE, "separate") /* they are moved apart before the start, as little as possible */     \
    X(ALLOW, "allow")       /* they stay, and the first step parts them */

typedef enum PerpOverlap {
#define PERP_OVERLAP_CODE(name, word) PERP_OVERLAP_##name,
    PERP_OVERLAP_LIST(PERP_OVERLAP_CODE)
#undef PERP_OVERLAP_CODE
        PERP_OVERLAP_COUNT
} PerpOverlap;

// Of the smaller thickness of the two shapes: overlaps at the start that nobody minds.
#define PERP_START_OVERLAP 1e-3

// The word that users type; "?" if out of range.
PERP_API const char *perp_impacts_name(PerpImpacts impacts);
PERP_API const char *perp_overlap_name(PerpOverlap overlap);
PERP_API const char *perp_data_name(PerpData data);
PERP_API const char *perp_jacobian_name(PerpJacobian jacobian);
PERP_API const char *perp_stabilisation_name(PerpStabilisation stabilisation);

// What settings.facets may say beside a number of facets.
enum {
    PERP_FACETS_SCHEME = -1,  // the scheme's own cone: circular for "default", else 8 facets
    PERP_FACETS_CIRCULAR = 0, // the exact law
};

// How a model moves.
typedef struct PerpSimulationSettings {
    size_t size;                  // set by perp_default_simulation_settings
    const char *scheme;           // default "default", see perp_scheme_name
    double step;                  // s, default 1e-3, > 0
    int facets;                   // of the friction polygon, even, 4 .. 64, planar: 2, or one of
                                  // the above; default PERP_FACETS_SCHEME
    double tolerance;             // certificate that counts as met, default 1e-8
    double restitution_threshold; // m/s: slower impacts do not bounce, default 1e-3, >= 0
    bool printed_decompression;   // friction of decompression bounded by mu c_n^x alone, as AP97
                                  // prints it, which lets energy grow; default false
    bool one_phase;               // v+ = (1 + e) v^c - e v^-, one problem an impact; default false
    PerpJacobian jacobian;        // of trapezoidal schemes, default SWITCH
    bool printed_coriolis;        // trapezoidal: k_v = F(v) as PAGT06 prints it, which costs an
                                  // order; default false: the exact derivative
    PerpStabilisation stabilise;  // default SCHEME
    bool linear;                  // stewart-trinkle: one LCP a step, without the iteration of
                                  // ST97 3.4; default false
    int threads;                  // that solve islands at the same time, default 1; 0: one a core.
                                  // Results have the same bits for any number
    bool strict;                  // a missed certificate fails the step; default false
    double held_tolerance;        // certificate of friction with slip held (PerpHeld) that counts
                                  // as an answer where the exact law is not solved at a bounded
                                  // price; 0: none does; default < 0: `tolerance`, or
                                  // PERP_HELD_TOLERANCE if that is PERP_TOLERANCE
    unsigned methods;             // bits of PerpMethod that may be used, default PERP_ALL_METHODS
    PerpForceCallback force;      // default NULL
    void *force_user;             // first argument of force
    bool printed_collisions;      // trapezoidal: impacts at located collisions only, as PAGT06
                                  // section 7 prints it; default false: also where a step begins
                                  // with a closed contact that approaches
    PerpData data;                // anitescu-potra: where its rows are taken, default END
    double first_step;            // paoli-schatzman: c of z(h) = c h G^0 in the first step, which
                                  // then is q^1 in Argmin_K |q_0 + h u_0 + h z(h) - Z| as printed;
                                  // default < 0: it is like the others, with q^-1 = q_0 - h u_0
    PerpImpacts impacts;          // at several contacts at the same moment, default SCHEME
    PerpOverlap overlap;          // of bodies at the start, default REFUSE
    PerpInterruptCallback interrupt; // default NULL: a step runs to its end
    void *interrupt_user;            // first argument of interrupt
} PerpSimulationSettings;

PERP_DEFAULTS(PerpSimulationSettings, simulation_settings)

// How many schemes there are.
PERP_API int perp_scheme_count(void);
PERP_API const char *perp_scheme_name(int scheme); // what settings.scheme may be
PERP_API const char *perp_scheme_text(int scheme); // one line about it

// All in joules since the start; stored energy as it is now.
typedef struct PerpEnergy {
    double kinetic, gravity, spring; // stored
    double work;                     // done by forces, motors and moving constraints
    double friction, impact, damper; // taken out
    double scheme;                   // taken out by the scheme itself: what the others leave over
    double balance;                  // |scheme| relative to the largest term so far
} PerpEnergy;

// X(name, word, text): inequalities that the papers prove. docs/theory says under which
// assumptions.
#define PERP_BOUND_LIST(X)                                                                         \
    X(AP97_STEP, "AP97 2.3", "energy after a step: (2.22)")                                        \
    X(AP97_IMPACT, "AP97 5.1", "energy after an impact: (5.3)-(5.4), lemma 3.1")                   \
    X(PAGT06_GROWTH, "PAGT06 8.1", "kinetic energy grows at most exponentially")                   \
    X(PAGT06_STIFF, "PAGT06 9.1", "energy with stiff springs and dampers")                         \
    X(PAGT06_UNIFORM, "PAGT06 9.2", "velocity bounded uniformly in the stiffness")                 \
    X(PAGT06_LIMIT, "PAGT06 9.3", "stiff links come near to rigid ones")                           \
    X(L82_GROWTH, "L82 (3.7)", "speed grows at most exponentially between impacts: (3.7)-(3.8)")   \
    X(L82_UNIQUE, "L82 5.2", "accelerations are unique though multipliers are not")                \
    X(PS02_ENERGY, "PS02", "the energy estimate of the projection scheme")                         \
    X(ST97_DISSIPATION, "ST97 3.5", "energy after a step with constant M")                         \
    X(ST97_BOUNDED, "ST97 4.1", "speed grows by h |k| a step at most, in the metric of M(q_new)")

typedef enum PerpBoundKind {
#define PERP_BOUND_CODE(name, word, text) PERP_BOUND_##name,
    PERP_BOUND_LIST(PERP_BOUND_CODE)
#undef PERP_BOUND_CODE
        PERP_BOUND_COUNT
} PerpBoundKind;

// The theorem, and one line about it; "?" if out of range.
PERP_API const char *perp_bound_name(PerpBoundKind kind);
PERP_API const char *perp_bound_text(PerpBoundKind kind);

// What a step showed of an a-priori bound whose assumptions it satisfied.
typedef struct PerpBound {
    bool applies;  // its assumptions hold
    double margin; // (bound - value) / scale; < 0 by more than rounding: broken
} PerpBound;

enum { PERP_NAME_SIZE = 128 };

// What the last step did.
typedef struct PerpStepReport {
    double t, h;          // s, at its end; its length
    int problems;         // complementarity problems solved
    int impacts;          // impacts with a bounce
    int substeps;         // that it was divided into, 1: undivided. At collisions and events,
                          // of schemes that locate them (trapezoidal ones, lotstedt); of
                          // the default one, where large islands were not solved at once
    int contacts;         // contacts in the problem, points
    int pivots;           //
    PerpOutcome outcome;  // the worst
    PerpMethod solved_by; // by which the problem with the worst certificate was solved
    PerpCertificate certificate; // the worst of the step's problems on the exact law
    char worst[PERP_NAME_SIZE];  // what its worst residual is of, such as "slip between a and b"
    PerpHeld held;               // of islands that are answered with slip held: the worst residual
                                 // and gap speed, and their contacts in all
    double gap_error;            // m: the largest h gap_speed of them
    double held_exact;           // their worst residual on the exact law, which is no promise
    PerpGap gap;        // the largest of problems with circular friction solved in this step
    double penetration; // m, largest overlap after the step
    double joint_gap;   // m or rad, largest joint error after the step
    PerpEnergy energy;  // at the end of the step
    PerpBound bound[PERP_BOUND_COUNT]; // the least margin of the step's problems
    int iterations;                    // of schemes that iterate: the most in a problem
    double contraction;                // of those iterations, measured; 0: not known
    int warnings;                      // what the scheme could not treat as its theory asks for
    char warning[2 * PERP_NAME_SIZE];  // the first of them, in words
    unsigned unmet; // of the run so far: bits 1 << PerpCheck of its verdict (verdict.h) that do not
                    // hold
} PerpStepReport;

// A model, or a custom system, in motion.
typedef struct PerpSimulation PerpSimulation;

// The model is borrowed until the simulation ends.
PERP_API PerpStatus perp_simulation_create(const PerpContext *context, const PerpModel *model,
                                           const PerpSimulationSettings *settings,
                                           PerpSimulation **simulation, PerpError *error);
PERP_API void perp_simulation_destroy(PerpSimulation *simulation); // NULL is allowed

// The first `size` bytes of the settings, for perp_simulation_settings and other languages.
PERP_API void perp_simulation_copy_settings(const PerpSimulation *simulation,
                                            PerpSimulationSettings *settings, size_t size);

// Those it was created with, PERP_FACETS_SCHEME resolved: with them it can be created again.
static inline PerpSimulationSettings perp_simulation_settings(const PerpSimulation *simulation)
{
    PerpSimulationSettings settings;
    perp_simulation_copy_settings(simulation, &settings, sizeof settings);
    return settings;
}

// One step of settings.step, or of h if h > 0. A failed step leaves the state as it was.
PERP_API PerpStatus perp_simulation_step(PerpSimulation *simulation, double h, PerpError *error);

// An impulse from outside, now: M (v2 - v1) = F + what closed constraints answer [L82
// (2.10)-(2.11)]. What was approached before bounces by Newton's law (3.9); what only the impulse
// presses together does not. impulse: as many numbers as perp_simulation_v has, N s or N m s along
// each of those velocities. The ledger counts F'(v1 + v2)/2 as work. A failure leaves the state as
// it was.
PERP_API PerpStatus perp_simulation_apply_impulse(PerpSimulation *simulation, const double *impulse,
                                                  PerpError *error);

// s, at the end of the last step.
PERP_API double perp_simulation_time(const PerpSimulation *simulation);
// What the last step did; belongs to the simulation and changes with each step.
PERP_API const PerpStepReport *perp_simulation_report(const PerpSimulation *simulation);

// Of the frame that the body's definition gave; velocity of its origin, spin about world axes. Of a
// body that does not exist they are NAN, and set_velocity does nothing.
PERP_API void perp_simulation_pose(const PerpSimulation *simulation, int body, double position[3],
                                   double rotation[4]);
PERP_API void perp_simulation_velocity(const PerpSimulation *simulation, int body,
                                       double velocity[3], double spin[3]);
PERP_API void perp_simulation_set_velocity(PerpSimulation *simulation, int body,
                                           const double velocity[3], const double spin[3]);
// Momentum m v of the centre of mass and angular momentum about it, world axes.
PERP_API void perp_simulation_momentum(const PerpSimulation *simulation, int body, double linear[3],
                                       double angular[3]);
// The coordinate of a joint, angles counted over turns; NAN if there is none.
PERP_API double perp_simulation_coordinate(const PerpSimulation *simulation, int joint,
                                           int coordinate);

// What a contact did in the last step.
typedef enum PerpContactStatus {
    PERP_CONTACT_OPEN,   // no impulse
    PERP_CONTACT_STICK,  //
    PERP_CONTACT_SLIP,   //
    PERP_CONTACT_IMPACT, // approached faster than settings.restitution_threshold, and hit
    PERP_CONTACT_STATUS_COUNT
} PerpContactStatus;

// The word of reports; "?" if out of range.
PERP_API const char *perp_contact_status_name(PerpContactStatus status);

// One contact point of the last step.
typedef struct PerpContactReport {
    unsigned long long id; // the same from step to step
    int body_a, body_b;    // -1: the world
    int shape_a, shape_b;  // indices
    double point[3];       // m, world
    double normal[3];      // from b to a
    double gap;            // m, at the beginning of the step
    double impulse[3];     // N s, on a, world axes
    double velocity[3];    // m/s, of a against b at the point after the step, world axes
    double mu;             // of sliding
    double residual; // the worst in the step's last problem and in the impacts that pushed it;
                     // NaN: not judged, see perp_simulation_judge_contacts
    PerpContactStatus status; // after the step
} PerpContactReport;

// --- acting --------------------------------------------------------------------------------------
//
// Indices and numbers are checked: BAD_VALUE with a message, and nothing is changed. What is set is
// neither work nor loss: the ledger goes on from there.

// The control of an actuator that has no signal; it stays until it is set again.
PERP_API PerpStatus perp_simulation_set_control(PerpSimulation *simulation, int actuator,
                                                double value, PerpError *error);
// The value of a signal that is an input.
PERP_API PerpStatus perp_simulation_set_input(PerpSimulation *simulation, int signal, double value,
                                              PerpError *error);
// Of the frame that the body's definition gave. Joints that it opens are closed by the next step.
PERP_API PerpStatus perp_simulation_set_pose(PerpSimulation *simulation, int body,
                                             const double position[3], const double rotation[4],
                                             PerpError *error);
// Coordinate and speed of a joint: moves the second body and all that hangs on it by joints. A
// coordinate leaves velocities as they are against the first body; a speed, positions.
// Refused where that closes a loop or is held by the world.
PERP_API PerpStatus perp_simulation_set_coordinate(PerpSimulation *simulation, int joint,
                                                   int coordinate, double value, PerpError *error);
PERP_API PerpStatus perp_simulation_set_joint_speed(PerpSimulation *simulation, int joint,
                                                    int coordinate, double speed, PerpError *error);
PERP_API PerpStatus perp_simulation_set_gravity(PerpSimulation *simulation, const double gravity[3],
                                                PerpError *error); // m/s^2
// A force (N) and moment (N m) on a body, world axes, at its centre of mass; it acts in every step
// until it is set again.
PERP_API PerpStatus perp_simulation_set_wrench(PerpSimulation *simulation, int body,
                                               const double force[3], const double torque[3],
                                               PerpError *error);
// The coefficient of sliding friction between two materials from now on, the same in all
// directions; as it is. Materials are counted as in PerpModelDef; a model without any has the
// default one, 0.
PERP_API PerpStatus perp_simulation_set_friction(PerpSimulation *simulation, int material_a,
                                                 int material_b, double mu, PerpError *error);
PERP_API double perp_simulation_friction(const PerpSimulation *simulation, int material_a,
                                         int material_b); // NAN: no such materials
// As it was created: later steps have the same bits. Callbacks stay. Not of custom systems.
PERP_API PerpStatus perp_simulation_reset(PerpSimulation *simulation, PerpError *error);
// The same with a keyframe of the model as the start, -1: without any. Time is 0. After a failure
// (a joint of the keyframe is part of a loop) it is as with -1.
PERP_API PerpStatus perp_simulation_reset_to(PerpSimulation *simulation, int keyframe,
                                             PerpError *error);

// Called at the beginning of a step, every control_every steps, before signals are sampled; may set
// controls, inputs and wrenches.
typedef void (*PerpControlCallback)(void *user, PerpSimulation *simulation);
// Has it called with `user`. NULL: no longer.
PERP_API void perp_simulation_set_control_callback(PerpSimulation *simulation,
                                                   PerpControlCallback callback, void *user);

// --- the journal ---------------------------------------------------------------------------------
//
// What a program does to a simulation, call by call: everything above, callbacks' forces, impulses,
// resets. With it a run can be made again without the program, to the same bits. Recordings keep
// it, and perp replay follows it.

// Begins a journal. step: how many were taken, -1: what comes belongs before the start, and what
// has been set already is written. Steps are counted on.
PERP_API void perp_simulation_begin_journal(PerpSimulation *simulation, long step);
PERP_API void perp_simulation_end_journal(PerpSimulation *simulation); // none is kept any longer
// Its numbers, until the next call to the simulation; count -1: memory was short for some.
PERP_API const double *perp_simulation_journal(const PerpSimulation *simulation, int *count);
// Empties it; step: how many were taken.
PERP_API void perp_simulation_clear_journal(PerpSimulation *simulation, long step);
// Does what a journal says from *at on that was done after `step` steps or before, and moves *at
// behind it: with -1 before the start, with k before step k + 1.
// Forces are for a PerpForceCallback to take one after the other; false: there are no more.
PERP_API PerpStatus perp_simulation_follow_journal(PerpSimulation *simulation,
                                                   const double *numbers, long count, long step,
                                                   long *at, PerpError *error);
PERP_API bool perp_journal_next_force(const double *numbers, long count, long *at, double force[3],
                                      double torque[3]);
// Whether what was done between two places changed the state or gravity: what is stored before and
// after is then neither work nor loss.
PERP_API bool perp_journal_gives(const double *numbers, long from, long to);
// How many numbers were written before a step.
PERP_API long perp_journal_length(const double *numbers, long count, long step);

// --- measuring -----------------------------------------------------------------------------------
//
// Forces are means over the last step, impacts included; 0 before the first. Indices are checked:
// where there is no such thing, numbers are NAN.

// The numbers of all sensors, see perp_model_sensor_start; valid as long as the simulation.
PERP_API const double *perp_simulation_sensors(const PerpSimulation *simulation, int *count);
// Those of one sensor; returns how many.
PERP_API int perp_simulation_sensor(const PerpSimulation *simulation, int sensor,
                                    double values[PERP_SENSOR_NUMBERS]);
// A state whose sensors are asked for: positions and velocities as perp_simulation_q and _v have
// them, the contacts of the step that led there, its length in s (0: none) and number (for noise).
typedef struct PerpSensedState {
    const double *q, *v;               //
    const PerpContactReport *contacts; // n_contacts
    int n_contacts;                    // -1: not known
    double h;                          //
    long step;                         //
} PerpSensedState;

// What the sensors show there, as far as it tells; NAN: forces of joints and actuators, signals,
// accelerations, and forces of contacts that are not known. Whole turns of angles count as they are
// now.
PERP_API void perp_simulation_sensors_at(PerpSimulation *simulation, const PerpSensedState *at,
                                         double *values);
// What tells more of a step: the state before it, one step of the run earlier, with what joints and
// sensors showed there, and the loads of the step, as recordings have them. NULL: not known.
typedef struct PerpSensedStep {
    const PerpSensedState *before;                // q and v
    double t;                                     // s, then
    const double *coordinates;                    // then, PERP_JOINT_COORDINATES a joint
    const double *sensors, *forces;               // then; of the actuators
    const double *reactions, *motors, *actuators; // of the step: 6 a joint,
                                                  // PERP_JOINT_COORDINATES a joint, 1 an actuator
} PerpSensedStep;

// What the sensors show after such a step: accelerations and signals, too, where the state before
// is known, forces of joints and actuators where the loads are. NAN: not told; inputs count as they
// are now.
PERP_API void perp_simulation_sensors_after(PerpSimulation *simulation, const PerpSensedState *at,
                                            const PerpSensedStep *step, double *values);
// A signal at the last sample, and what an actuator was told: its control, within its range.
PERP_API double perp_simulation_signal(const PerpSimulation *simulation, int signal);
PERP_API double perp_simulation_control(const PerpSimulation *simulation, int actuator);
PERP_API double perp_simulation_actuator_force(const PerpSimulation *simulation, int actuator);
PERP_API double perp_simulation_actuator_power(const PerpSimulation *simulation, int actuator); // W
PERP_API double perp_simulation_actuator_length(const PerpSimulation *simulation, int actuator);
// Force and moment of a joint on its second body by its equations and limits, about the anchor
// there, world axes. Not by lotstedt, and 0 of couplings and in directions that freedom blocks.
PERP_API void perp_simulation_joint_reaction(const PerpSimulation *simulation, int joint,
                                             double force[3], double moment[3]);
// Of the motor of the joint's definition, without actuators.
PERP_API double perp_simulation_motor_force(const PerpSimulation *simulation, int joint,
                                            int coordinate);
// Force and moment by which a prescribed motion moves its body, about its centre, world axes.
PERP_API void perp_simulation_motion_force(const PerpSimulation *simulation, int motion,
                                           double force[3], double moment[3]);
// How far bodies and lengths are from where prescribed motions have them at the present time, m or
// rad, and which of the two is the farthest off; -1: none is off. The next step takes them there.
PERP_API double perp_simulation_motion_error(const PerpSimulation *simulation, int *actuator,
                                             int *motion);
// The rate of perp_simulation_coordinate.
PERP_API double perp_simulation_joint_speed(const PerpSimulation *simulation, int joint,
                                            int coordinate);
// Where a site is, in the world.
PERP_API void perp_simulation_site(const PerpSimulation *simulation, int site, double position[3],
                                   double rotation[4]);

// What a ray meets first.
typedef struct PerpRayHit {
    int body, shape;  // -1: the world; shape -1: nothing
    double distance;  // m, along the ray
    double normal[3]; // out of the shape; 0 if the ray starts inside
} PerpRayHit;

// Looks along a ray from a point, as far as `limit` (m), past the shapes of the body `except`
// (PERP_ANY_BODY: of none). False: nothing there.
PERP_API bool perp_simulation_cast_ray(const PerpSimulation *simulation, const double origin[3],
                                       const double direction[3], double limit, int except,
                                       PerpRayHit *hit);
// Where two shapes are nearest to each other, or overlap most.
typedef struct PerpNearest {
    double distance;               // m, negative: overlap
    double point_a[3], point_b[3]; // on either shape, world
    double normal[3];              // unit, from b to a
} PerpNearest;

// Of any two shapes of the model, whether they may touch or not. False: farther apart than 1e6 m,
// no such shapes, or both of triangles.
PERP_API bool perp_simulation_nearest(const PerpSimulation *simulation, int shape_a, int shape_b,
                                      PerpNearest *nearest);
// The shapes that overlap a shape, of those that may touch it: their number, and the first `room`
// of them.
PERP_API int perp_simulation_overlaps(const PerpSimulation *simulation, int shape, int *others,
                                      int room);
// m: the least signed distance of the shapes of two bodies, -1: the world; INFINITY if one has
// none.
PERP_API double perp_simulation_distance(const PerpSimulation *simulation, int body_a, int body_b);
// p = M v, of all velocities as perp_simulation_v has them. NAN: of a custom system.
PERP_API void perp_simulation_mass_product(const PerpSimulation *simulation, const double *v,
                                           double *p);
// J, 6 rows by n_v columns, row after row: velocity of a point of a body (given in the world) and
// the body's spin, world axes, are J v.
PERP_API void perp_simulation_jacobian(const PerpSimulation *simulation, int body,
                                       const double point[3], double *J);

// The contacts of the last step: how many, and one of them; of one that does not exist, without
// bodies, and its numbers NAN.
PERP_API int perp_simulation_contact_count(const PerpSimulation *simulation);
PERP_API PerpContactReport perp_simulation_contact(const PerpSimulation *simulation, int contact);
// All of them, by ascending ids, as long as no step is taken.
PERP_API const PerpContactReport *perp_simulation_contacts(const PerpSimulation *simulation,
                                                           int *count);

// Whether the forces of the steps to come are the shortest of all that cause the same motion also
// while bodies move, which costs a few sparse factorisations an island and step; at rest they
// always are (docs/theory/forces.md). In the scheme default; it changes the digits that later steps
// start from.
PERP_API void perp_simulation_shortest_forces(PerpSimulation *simulation, bool shortest);

// Whether the contacts of the steps to come are reported with residuals, which costs a certificate
// more of each problem; at first they are not. The contacts of lotstedt are never: their forces are
// of modes, not of a problem.
PERP_API void perp_simulation_judge_contacts(PerpSimulation *simulation, bool judge);

// X(name, word, text): what a step spends its time with.
#define PERP_TIMING_LIST(X)                                                                        \
    X(OTHER, "other", "what the scheme does itself")                                               \
    X(CONTROL, "control", "signals, controls, sensors, the control callback")                      \
    X(FORCES, "forces", "gravity, given forces, free motion")                                      \
    X(COLLIDE, "collide", "contacts")                                                              \
    X(ASSEMBLE, "assemble", "rows of joints, actuators, contacts")                                 \
    X(SOLVE, "solve", "islands, their solution and certificates")                                  \
    X(PROJECT, "project", "joints and overlaps after the motion")                                  \
    X(REPORT, "report", "contacts, the energy ledger, the verdict")

typedef enum PerpTiming {
#define PERP_TIMING_CODE(name, word, text) PERP_TIMING_##name,
    PERP_TIMING_LIST(PERP_TIMING_CODE)
#undef PERP_TIMING_CODE
        PERP_TIMING_COUNT
} PerpTiming;

// The word of the list; "?" if out of range.
PERP_API const char *perp_timing_name(PerpTiming stage);
// Whether the steps to come measure their stages, which costs a reading of the clock each; at first
// they do not.
PERP_API void perp_simulation_time_stages(PerpSimulation *simulation, bool measure);
// CPU seconds of the calling thread that the last step spent in a stage; together they are the
// whole step. 0: not measured.
PERP_API double perp_simulation_stage_time(const PerpSimulation *simulation, PerpTiming stage);

// A joint at its limit, or a taut rope, in the last step.
typedef struct PerpLimitReport {
    unsigned long long id; // the same from step to step
    int joint;             // its index
    double impulse;        // N s or N m s, > 0
} PerpLimitReport;

// The joints at their limits in the last step: how many, and one of them; joint -1: none.
PERP_API int perp_simulation_limit_count(const PerpSimulation *simulation);
PERP_API PerpLimitReport perp_simulation_limit(const PerpSimulation *simulation, int limit);

// Stored energies (kinetic, gravity, spring) at q and v, see perp_simulation_q; the others are 0.
// Whole turns of angles count as they are now.
PERP_API void perp_simulation_energy_at(PerpSimulation *simulation, const double *q,
                                        const double *v, PerpEnergy *energy);

// A problem of a step with its solution; everything is borrowed for the time of the call.
typedef struct PerpSolvedProblem {
    double t;                        // s, of the beginning of what it covers
    const PerpProblem *problem;      // as it was solved
    const PerpProblemResult *result; // with its certificate
} PerpSolvedProblem;

// Called for every problem whose certificate counts in the report, and for certified ones beside a
// large island that was missed and is solved in substeps.
typedef void (*PerpProblemCallback)(void *user, const PerpSolvedProblem *solved);
// callback NULL: no longer.
PERP_API void perp_simulation_watch(PerpSimulation *simulation, PerpProblemCallback callback,
                                    void *user);

// Checkpoints: everything that later steps depend on, as bytes. A simulation of the same model,
// settings and build that is restored goes on to the same bits. Bytes that do not fit are refused
// and change nothing. The report of the last step is not kept but for its time and energy.
PERP_API size_t perp_simulation_state_size(const PerpSimulation *simulation); // as it is now
PERP_API void perp_simulation_save(const PerpSimulation *simulation, void *bytes);
PERP_API PerpStatus perp_simulation_restore(PerpSimulation *simulation, const void *bytes,
                                            size_t size, PerpError *error);

#ifdef __cplusplus
}
#endif
#endif
