// Clusters: bodies that springs and dampers join share one block of the step problem, because the
// matrix of an implicit scheme couples them  [PAGT06 (5.9)]. Rows are expressed on these blocks.
#ifndef PERP_STEP_IMPLICIT_CLUSTERS_H
#define PERP_STEP_IMPLICIT_CLUSTERS_H

#include "step/systems/system.h"

// Which velocity goes where. Lies in the arena.
typedef struct PerpClusters {
    const PerpProblem *whole; // borrowed: the problem in the system's blocks
    int count;
    int *cluster_of;  // blocks -> cluster
    int *named_block; // count: the first block of each
    int *start;       // count + 1: into the velocities of clusters
    int *mass_start;  // count + 1: into matrices in blocks over clusters
    int *place;       // velocities of the system -> of clusters
} PerpClusters;

// False if memory is short.
bool perp_clusters_find(PerpArena *arena, const PerpProblem *whole, const PerpBlockRows *links,
                        PerpClusters *clusters);

// Vectors to the order of clusters, and back.
void perp_clusters_gather(const PerpClusters *clusters, const double *v, double *gathered);
void perp_clusters_scatter(const PerpClusters *clusters, const double *gathered, double *v);

// Matrices over clusters, by columns: A += s B of one block; of a pair of blocks in one cluster;
// of s g g' for row i of links.
void perp_clusters_add_pair(const PerpClusters *clusters, double s, int to, int from,
                            const double *B, double *A);
void perp_clusters_add_blocks(const PerpClusters *clusters, double s, const double *B, double *A);
void perp_clusters_add_square(const PerpClusters *clusters, double s, const PerpBlockRows *links,
                              int i, double *A);
// y = A x, both in the order of clusters
void perp_clusters_times(const PerpClusters *clusters, const double *A, const double *x, double *y);

// The same rows on the blocks of clusters, with the matrix Mt; b is zero.
bool perp_clusters_merge(PerpArena *arena, const PerpClusters *clusters, const PerpAssembly *rows,
                         const double *Mt, PerpAssembly *merged);

#endif
