// What src/lib.rs offers to C.
#ifndef PERP_BENCH_ENGINES_RAPIER
#define PERP_BENCH_ENGINES_RAPIER

#include <stdbool.h>

typedef struct PerpRapierWorld PerpRapierWorld;

PerpRapierWorld *perp_rapier_create(double dt);
void perp_rapier_destroy(PerpRapierWorld *world);
// kind, size: of a BenchBody; rotation: w x y z
void perp_rapier_add_body(PerpRapierWorld *world, int kind, const double size[3],
                          const double position[3], const double rotation[4], double mass,
                          const double inertia[3], double mu, bool touching);
void perp_rapier_add_plane(PerpRapierWorld *world, const double normal[3], double offset,
                           double mu);
void perp_rapier_add_joint(PerpRapierWorld *world, int a, int b, const double anchor_a[3],
                           const double anchor_b[3]); // a = -1: the world
void perp_rapier_step(PerpRapierWorld *world);
// position, rotation (w x y z), velocity and spin
void perp_rapier_pose(const PerpRapierWorld *world, int body, double to[13]);
int perp_rapier_contacts(const PerpRapierWorld *world);

#endif
