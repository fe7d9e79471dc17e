// Islands: bodies that rows connect form one problem of their own; the world and fixed bodies do
// not connect. They are counted in the order of their first bodies.
#ifndef PERP_STEP_ISLANDS_ISLANDS_H
#define PERP_STEP_ISLANDS_ISLANDS_H

#include "base/memory.h"
#include "perp/problem.h"

// A problem divided into islands. Everything lies in the arena.
typedef struct PerpIslands {
    const PerpProblem *whole; // borrowed
    int count;
    int *island_of;   // bodies -> island
    int *body_first;  // count + 1: into body
    int *body;        // bodies, island by island
    int *row_first;   // count + 1: into row
    int *row;         // rows, island by island, each in the order of the whole
    int *group_first; // count + 1: into group
    int *group;       // groups, likewise
    // for extraction, where there is more than one:
    int *local_body;    // bodies -> place within their island
    int *local_contact; // contacts, likewise
    int *mass_start;    // bodies: where their blocks begin in Mt
    int *value_start;   // rows + 1: where their numbers begin in J
} PerpIslands;

bool perp_islands_find(PerpArena *arena, const PerpProblem *whole, PerpIslands *islands);

// The problem of one island; false if memory is short. Several threads may do so at once.
bool perp_islands_extract(PerpArena *arena, const PerpIslands *islands, int island,
                          PerpProblem *part);

// Places for what all islands together find.
typedef struct PerpIslandPlaces {
    double *v, *c, *lambda; // velocities, rows, groups
    double *of_contact;     // contacts: residuals; NULL: not asked for
} PerpIslandPlaces;

// Copies the velocities of an island, or its whole solution, to their places in the whole.
void perp_islands_scatter_velocities(const PerpIslands *islands, int island,
                                     const PerpProblem *part, const double *from, double *v);
void perp_islands_scatter(const PerpIslands *islands, int island, const PerpProblem *part,
                          const PerpProblemResult *result, const PerpIslandPlaces *to);

// The certificate of an island speaks of its own bodies and rows: their numbers in the whole.
void perp_islands_renumber(const PerpIslands *islands, int island, const PerpProblem *part,
                           PerpCertificate *certificate);

#endif
