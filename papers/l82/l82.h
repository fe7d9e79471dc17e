// What the entries of L82 share: a run of the scheme lotstedt whose curves are stored.
#ifndef PERP_PAPERS_L82_H
#define PERP_PAPERS_L82_H

#include "papers/paper.h"
#include "perp/system.h"

enum { L82_POINTS = 2001, L82_CURVES = 4 };

typedef struct L82Run {
    Paper *paper;
    PerpModel *model; // NULL: a custom system
    PerpSimulation *simulation;
    PerpStatus status;
    int points;
    double t[L82_POINTS], curve[L82_CURVES][L82_POINTS];
    double least_margin[PERP_BOUND_COUNT]; // of the bounds seen so far, INFINITY: none
    double most_energy_gain;               // J: of stored energy in a step, beyond the work done
    double penetration, joint_gap;         // m: the largest
    int events, impacts, warnings;
    char warning[2 * PERP_NAME_SIZE]; // the first
} L82Run;

// All return a run that l82_end frees, whatever happened; the first one without a simulation.
L82Run *l82_new(Paper *paper);
L82Run *l82_begin(Paper *paper, const PerpModelDef *def, const char *scheme, double threshold);
L82Run *l82_begin_custom(Paper *paper, const PerpSystemDef *def, double threshold);
// One step; false when it failed, which the paper then knows.
bool l82_step(L82Run *run, double h);
void l82_keep(L82Run *run, const double curve[L82_CURVES]); // a point of each curve
void l82_draw(L82Run *run, const char *name, const char *title, const char *y_label, int curves,
              const char *const *names);
// The claims that every run can be held to: L82 (3.7), phi >= 0; lemma 5.2 where there is no
// friction, and something is held.
void l82_claim_theorems(L82Run *run, bool unique);
void l82_end(L82Run *run);

// Coordinates and velocities of a custom run; force of contact i at the end of the last step of h.
double l82_q(const L82Run *run, int i);
double l82_v(const L82Run *run, int i);
double l82_force(const L82Run *run, int constraint, double h);

// x minimises |A x - b| over the x that are 0 outside `set` (bits); A is rows x columns by columns.
// left: the largest |A x - b|. Independent of perp: small normal equations.
void l82_least_squares(int rows, int columns, const double *A, const double *b, int set, double *x,
                       double *left);
double l82_uniform(unsigned *seed); // in -1 .. 1, repeatable

void l82_hinged_bar(Paper *paper);
void l82_edge(Paper *paper);
void l82_impulse(Paper *paper);
void l82_ratchet(Paper *paper);
void l82_quadratic(Paper *paper);
void l82_bounded(Paper *paper);
void l82_ball_on_string(Paper *paper);
void l82_table(Paper *paper);
void l82_rocks(Paper *paper);
void l82_building(Paper *paper);
void l82_accumulation(Paper *paper);
void l82_degenerate(Paper *paper);

#endif
