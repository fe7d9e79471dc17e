// Problems for tests, benchmarks and fuzzing: seeded random ones and the field's classics.
//
// Every step problem made here has a solution by AP97 theorem 2.2: a velocity v_s is chosen first
// and the d of every row such that v_s keeps joints and contacts, and stands still along friction.
#ifndef PERP_TEST_GENERATE_H
#define PERP_TEST_GENERATE_H

#include "random.h"
#include "sample.h"

typedef enum PerpSceneMotion {
    PERP_SCENE_REST,     // b = h M g
    PERP_SCENE_SLIDING,  // and horizontal velocities and spin about the vertical
    PERP_SCENE_IMPACTING // and any velocities, mostly downwards
} PerpSceneMotion;

// Random rigid bodies of six velocities (three of the centre, three of rotation).
typedef struct PerpSceneOptions {
    int bodies;        // default 4, >= 1
    int contacts;      // default 10
    double pair_share; // of rows between two bodies instead of body and ground, default 0.5
    int facets;        // directions of a sliding group, default 4; 0: frictionless
    bool circular;     // one circular group at each contact instead of polygons, default false
    bool product;      // and circular groups of torsion, rolling, cohesion as asked, default false
    double mu_min, mu_max;  // default 0.2, 0.8
    double mass_ratio;      // heaviest over lightest, log-uniform, default 1
    double asymmetry;       // size of a random skew and a positive part of Mt, relative, default 0
    double anisotropy;      // length of the second friction axis, default 1
    double cohesion;        // largest friction limit at c_n = 0, N s, default 0
    bool torsion, rolling;  // further friction groups at each contact, default false
    int balls, hinges;      // joints of three and five rows, default 0
    int redundant;          // further joint rows, dependent on the others, default 0
    int limits;             // boxes with one finite bound, 0, default 0
    int motors;             // boxes with two finite bounds, default 0
    int locks;              // boxes with lo = hi, default 0
    bool integer;           // small integers in M, b, J and d: many exact ties, default false
    bool moving;            // v_s is random instead of 0, and contacts have gaps, default false
    PerpSceneMotion motion; // default REST
} PerpSceneOptions;

PerpSceneOptions perp_default_scene_options(void);
PerpSceneOptions perp_random_scene_options(PerpRandom *r, int max_contacts); // anything goes

PerpSample *perp_sample_scene(uint64_t seed, const PerpSceneOptions *options);

// The Painleve rod [ST97 section 1.4]: mass 1, half length 1, moment of inertia 1/3, `turns` of a
// full turn from the horizontal, its left end on the table moving at (speed, 0) while the rod turns
// at `spin` rad/s, one step h of gravity.
PerpSample *perp_sample_painleve_rod(double mu, double turns, double speed, double spin, double h);

// 1/m + l^2 cos^2 / J - mu l^2 sin cos / J < 0: sliding to the left, the rod has no acceleration,
// or two                                                                         [ST97 section 1.4]
bool perp_painleve_jams(double mu, double turns);

// A cube between two fingers that move along x only, each pushed towards the other by the impulse
// `squeeze`, gravity along -z. The cube has six velocities, the fingers have one.
PerpSample *perp_sample_grasp(double mu, double squeeze, int facets);

// A round table on evenly spaced legs, one step of weight: four legs or more are dependent
// [L82 section 5]. facets = 0: frictionless.
PerpSample *perp_sample_table(int legs, double mu, int facets);

// Cubes of mass 1 upon each other, the top one of mass `mass_ratio`; four contacts below each.
PerpSample *perp_sample_stack(int cubes, double mass_ratio, double mu, int facets);

// A ball between two walls that rise `turns` of a full turn from the horizontal, pushed down.
PerpSample *perp_sample_groove(double mu, double turns, int facets);

// A closed ring of bodies in the plane x, y with hinges along z between neighbours: 5 rows each,
// of which 3 depend on the others. It falls along -y onto two frictional contacts. bodies >= 3.
PerpSample *perp_sample_ring(int bodies, double mu, int facets);

// A plain or mixed LCP with its own arrays; a solution or a proof that none exists comes with it.
typedef struct PerpLcpSample {
    PerpLcp lcp;
    double *M, *q;    // what lcp shows
    double *solution; // n; NULL if none was built in
    double *farkas;   // n: y >= 0, M'y <= 0, q'y < 0; NULL if not built in
} PerpLcpSample;

void perp_lcp_sample_free(PerpLcpSample *s); // NULL is allowed

// integer: small integer entries, and a third of the solution degenerate (z_i = w_i = 0).
PerpLcpSample *perp_lcp_sample_psd(uint64_t seed, int n, int rank, bool integer);      // symmetric
PerpLcpSample *perp_lcp_sample_monotone(uint64_t seed, int n, int rank, bool integer); // PSD + skew
PerpLcpSample *perp_lcp_sample_p_matrix(uint64_t seed, int n, bool integer); // positive minors

// PSD + nonnegative. Lemke finds a solution, since z >= 0, M z >= 0, z'M z = 0 imply q'z >= 0; no
// solution is built in.
PerpLcpSample *perp_lcp_sample_copositive(uint64_t seed, int n, bool integer);

// Mixed, monotone, with a nonsingular free block.
PerpLcpSample *perp_lcp_sample_mixed(uint64_t seed, int n, int free);

// The optimality conditions of: least x'Q x / 2 + c'x  with  E x = e, A x >= a. Free rows: x and
// the multipliers of E, whose block is zero; `repeated` rows of E are combinations of the others.
PerpLcpSample *perp_lcp_sample_kkt(uint64_t seed, int variables, int equalities, int repeated,
                                   int inequalities);

// No z >= 0 has M z + q >= 0; M is symmetric positive semidefinite.
PerpLcpSample *perp_lcp_sample_infeasible(uint64_t seed, int n);

// Lemke with a covering vector of ones visits 2^n bases. Murty 1978: L is 1 on and 2 below the
// diagonal. Fathi 1979: L L', symmetric positive definite.
PerpLcpSample *perp_lcp_sample_murty(int n);
PerpLcpSample *perp_lcp_sample_fathi(int n);

// Monotone and degenerate: Lemke with a covering vector of ones comes back to a basis if of tied
// rows the last (number 0 and 2) or the first (1 and 2) leaves, and solves all three with the
// lexicographic rule. Found by search in rational arithmetic.
enum { PERP_CYCLING_SAMPLES = 3 };
PerpLcpSample *perp_lcp_sample_cycling(int number);

// A string of tridiagonal stiffness -1, 2, -1 pulled down on a floor that bulges in the middle.
PerpLcpSample *perp_lcp_sample_obstacle(int n);

// The two players' positive costs, rows x columns by columns. Owned.
typedef struct PerpGame {
    int rows, columns;
    double *A, *B;
} PerpGame;

PerpGame perp_random_game(uint64_t seed, int rows, int columns, bool integer);
void perp_game_free(PerpGame *game);

// A Nash equilibrium (x, y) as an LCP. Free rows: 1 - sum x, 1 - sum y with the costs s, t as
// unknowns; then 0 <= A y - s  perp  x >= 0,  0 <= B'x - t  perp  y >= 0. Lemke solves it.
PerpLcpSample *perp_lcp_sample_game(const PerpGame *game);

// The same without s, t: 0 <= A y - 1  perp  x >= 0,  0 <= B'x - 1  perp  y >= 0. It has solutions,
// but whatever the covering vector, Lemke's path is a ray from the start: the first column to
// enter is nonnegative and zero on the diagonal. Lemke and Howson start from elsewhere.
PerpLcpSample *perp_lcp_sample_plain_game(const PerpGame *game);

#endif
