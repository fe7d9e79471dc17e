// The entries of PS02, one file each, and the particle that they all throw.
#ifndef PERP_PAPERS_PS02_ENTRIES_H
#define PERP_PAPERS_PS02_ENTRIES_H

#include "papers/paper.h"

void ps02_ball(Paper *paper);       // ball.c
void ps02_corner(Paper *paper);     // corner.c
void ps02_estimate(Paper *paper);   // estimate.c
void ps02_lemma_3(Paper *paper);    // general.c
void ps02_metric(Paper *paper);     // general.c
void ps02_nonconvex(Paper *paper);  // general.c
void ps02_first_step(Paper *paper); // first_step.c

enum { PS02_WALLS = 2 };

// A particle of mass 1 in the plane, between straight walls normal'q >= 0.
typedef struct Ps02Particle {
    double position[2], velocity[2], force[2];
    int walls;
    double normal[PS02_WALLS][2];
    double e;
    PerpSimulation *simulation;
} Ps02Particle;

// False after a failure, which the paper then knows.
bool ps02_start(Paper *paper, Ps02Particle *particle, double h);
bool ps02_step(Paper *paper, Ps02Particle *particle);
void ps02_end(Ps02Particle *particle);
const double *ps02_position(const Ps02Particle *particle);
const double *ps02_velocity(const Ps02Particle *particle);

#endif
