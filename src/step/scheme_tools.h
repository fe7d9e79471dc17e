// What schemes are made of: the state, forces, problems at a configuration, impacts, projection and
// the energy ledger. A scheme file is the paper's algorithm box and little else.
#ifndef PERP_STEP_SCHEME_TOOLS_H
#define PERP_STEP_SCHEME_TOOLS_H

#include "base/compiler.h"
#include "step/simulation_data.h"

// --- rows at a configuration, solved and certified: scheme_tools.c, islands/solve_stage.c --------

// The rows at q, for contacts with gap <= reach; b = 0 and d as the rows say.
PerpStatus perp_stage_assemble(PerpSimulation *sim, const double *q, double reach, double h,
                               PerpStage *stage, PerpError *error);

// M x = f in place for each of the columns, with the mass matrix of a stage.
PerpStatus perp_stage_divide(PerpSimulation *sim, const PerpStage *stage, int columns, double *x,
                             PerpError *error);

// Solves the stage's problem, certifies it and adds it to the step's report.
PerpStatus perp_stage_solve(PerpSimulation *sim, const double *v_before, PerpStage *stage,
                            PerpError *error);

// --- report/contact_reports.c --------------------------------------------------------------------

// Keeps the contacts of a solved stage for perp_simulation_contact, with the hits so far.
PerpStatus perp_stage_report_contacts(PerpSimulation *sim, const PerpStage *stage,
                                      PerpError *error);
// Adds the contacts and limits that a solved phase of an impact pushes to the step's hits, by this
// fraction of its impulses.
PerpStatus perp_stage_add_hits(PerpSimulation *sim, const PerpStage *stage, double part,
                               PerpError *error);
// The same of a solved stage that is a substep, for perp_reports_add_substeps.
PerpStatus perp_stage_report_substep(PerpSimulation *sim, const PerpStage *stage, PerpError *error);
// The reports of a solved stage, for warm starts of the next round, with more contacts.
PerpStatus perp_stage_report_round(PerpSimulation *sim, const PerpStage *stage, PerpError *error);
// Adds the earlier substeps to the reports of the last one.
PerpStatus perp_reports_add_substeps(PerpSimulation *sim, PerpError *error);
void perp_contact_reports_begin(PerpContactReports *contacts); // of a step
// The reports of the step at hand become those that can be asked for.
void perp_contact_reports_show(PerpContactReports *contacts);
void perp_reports_free(const PerpAllocator *allocator, PerpReports *reports);
// The contact with this id, NULL if there is none. It is mostly `at`, where the last one was found,
// or the next.
PerpContactReport *perp_reports_find(const PerpReports *reports, uint64_t id, int *at);

// --- the state: scheme_tools.c -------------------------------------------------------------------

// The state moves to q, at time t.
void perp_step_go(PerpSimulation *sim, const double *q, double t);
// Is a kinetic energy rounding of the one that free motion would have, speeds by at_rest smaller?
// Energies that overflow are not: their step fails.
bool perp_step_is_creep(double moving, double at_rest, double free);
// Finite, and far from overflow?
bool perp_step_is_in_range(int n, const double *x);
// Fails if the state has numbers that are not finite, or next to overflow: step.c
PerpStatus perp_step_check_range(const PerpSimulation *sim, PerpError *error);
// m or rad: gaps and errors that a tolerance above 1e-8 makes light of
double perp_step_slop(double tolerance);
// Notes something that the scheme's theory does not cover.
void perp_step_warn(PerpSimulation *sim, const char *format, ...) PERP_PRINTF(2, 3);

// --- report/bounds.c -----------------------------------------------------------------------------

// What the step at hand shows of an a-priori bound; the least margin counts.
void perp_step_bound(PerpSimulation *sim, PerpBoundKind kind, double margin);
// Do the rows of the problem take energy out, or nothing? [AP97 (2.18)-(2.20)]
bool perp_stage_is_passive(const PerpStage *stage);
// The bound that the kinetic energy of v is at most that of `bound`.
void perp_bound_energy(PerpSimulation *sim, PerpBoundKind kind, const PerpStage *stage,
                       const double *bound, const double *v);

// --- events/impact.c -----------------------------------------------------------------------------

// Compression and decompression at a configuration [AP97 section 3]: v becomes v+. Contacts with
// gap <= closed take part, pair by pair if settings or scheme say so.
PerpStatus perp_impact(PerpSimulation *sim, const double *q, double closed, double *v,
                       PerpError *error);
// The same in two calls, for those who choose among the rows: in sequence only if settings say so.
PerpStatus perp_impact_rows(PerpSimulation *sim, const double *q, double reach,
                            const PerpReach *speculative, PerpStage *stage, PerpError *error);
PerpStatus perp_impact_solve(PerpSimulation *sim, PerpStage *compression, double *v,
                             PerpError *error);
// All contacts of the rows at once.
PerpStatus perp_impact_together(PerpSimulation *sim, PerpStage *compression, double *v,
                                PerpError *error);

// --- stabilisation.c -----------------------------------------------------------------------------

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

// --- report/energy.c -----------------------------------------------------------------------------

// The ledger: what a stage's impulses did between v_before and v; then, after the motion, what is
// stored now.
void perp_energy_add_stage(PerpSimulation *sim, const PerpStage *stage);
void perp_energy_close(PerpSimulation *sim);
double perp_energy_stored(PerpSimulation *sim);
bool perp_is_coordinate(const PerpSimulation *sim, int joint, int coordinate);

#endif
