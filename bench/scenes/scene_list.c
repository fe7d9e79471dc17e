// The scenes of the benchmark. SI units, density 1000 unless said, mu = 0.5, dt = 1/240 s unless
// said.
#include "scenes/scene.h"

#include <math.h>

static const double DENSITY = 1000;

// the same numbers everywhere: a linear congruence on 64 bits [Knuth]
static double random_unit(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void random_rotation(unsigned long long *seed, double q[4])
{
    double length = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = random_unit(seed) - 0.5;
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(length);
}

// --- piles --------------------------------------------------------------------------------------

static const double CELL = 0.11; // m, of the grid from which things fall

static void add_walls(BenchScene *s, double half)
{
    bench_add_plane(s, 0, 0, 1, 0);
    bench_add_plane(s, 1, 0, 0, -half);
    bench_add_plane(s, -1, 0, 0, -half);
    bench_add_plane(s, 0, 1, 0, -half);
    bench_add_plane(s, 0, -1, 0, -half);
}

// place k of a grid as wide as high, moved a little by chance
static void place_in_grid(int k, int side, unsigned long long *seed, double x[3])
{
    int cell[3] = {k % side, k / side % side, k / (side * side)};
    for (int d = 0; d < 3; d++)
        x[d] =
            CELL * (cell[d] + (d < 2 ? 0.5 - 0.5 * side : 0.5)) + 0.008 * (random_unit(seed) - 0.5);
}

static void add_mixed(BenchScene *s, int k, unsigned long long *seed, const double x[3])
{
    static const double half[3] = {0.035, 0.03, 0.025};
    double q[4];
    random_rotation(seed, q);
    if (k % 3 == 0) {
        bench_add_sphere(s, 0.05, DENSITY, x);
    } else if (k % 3 == 1) {
        int body = bench_add_box(s, half, DENSITY, x);
        for (int d = 0; d < 4; d++)
            s->bodies[body].rotation[d] = q[d];
    } else {
        bench_add_capsule(s, 0.03, 0.02, DENSITY, x, q);
    }
}

static void fill_box(BenchScene *s, int size, bool mixed)
{
    unsigned long long seed = 1;
    int side = (int)ceil(cbrt(size));
    add_walls(s, 0.5 * CELL * side);
    for (int k = 0; k < size; k++) {
        double x[3];
        place_in_grid(k, side, &seed, x);
        if (mixed)
            add_mixed(s, k, &seed, x);
        else
            bench_add_sphere(s, 0.05, DENSITY, x);
    }
}

static void make_fall(BenchScene *s, int size)
{
    fill_box(s, size, false);
    s->steps = 360;
}

static void make_pile(BenchScene *s, int size)
{
    fill_box(s, size, false);
    s->settle = 1.2;
    s->pile = true;
    s->steps = 60;
}

static void make_mixed_pile(BenchScene *s, int size)
{
    fill_box(s, size, true);
    s->settle = 1.2;
    s->steps = 60;
}

// --- things that stand --------------------------------------------------------------------------

static void stand(BenchScene *s, double duration)
{
    bench_add_plane(s, 0, 0, 1, 0);
    s->stands = true;
    s->steps = (int)(duration / s->dt + 0.5);
}

static void make_stack(BenchScene *s, int size)
{
    static const double half[3] = {0.5, 0.5, 0.5};
    stand(s, 10);
    for (int k = 0; k < size; k++)
        bench_add_box(s, half, DENSITY, (double[]){0, 0, 0.5 + k});
}

// each ten times heavier than the one below
static void make_mass_ratio(BenchScene *s, int size)
{
    static const double half[3] = {0.5, 0.5, 0.5};
    stand(s, 5);
    for (int k = 0; k < size; k++)
        bench_add_box(s, half, pow(10, k), (double[]){0, 0, 0.5 + k});
}

// size rows; every other one begins and ends with half a brick
static void make_wall(BenchScene *s, int size)
{
    static const double a = 0.4, half[3] = {0.1995, 0.1, 0.1}, short_half[3] = {0.0995, 0.1, 0.1};
    double left = -0.5 * a * size;
    stand(s, 2);
    for (int row = 0; row < size; row++) {
        double z = 0.1 + 0.2 * row;
        bool shifted = row % 2 == 1;
        for (int k = 0; k < size - shifted; k++)
            bench_add_box(s, half, DENSITY, (double[]){left + a * (k + 0.5 + 0.5 * shifted), 0, z});
        if (!shifted)
            continue;
        bench_add_box(s, short_half, DENSITY, (double[]){left + 0.25 * a, 0, z});
        bench_add_box(s, short_half, DENSITY, (double[]){left + a * (size - 0.25), 0, z});
    }
}

static void make_pyramid(BenchScene *s, int size)
{
    static const double half[3] = {0.1, 0.1, 0.1};
    stand(s, 2);
    for (int row = 0; row < size; row++)
        for (int k = 0; k < size - row; k++)
            bench_add_box(s, half, DENSITY,
                          (double[]){0.21 * (k - 0.5 * (size - row - 1)), 0, 0.1 + 0.2 * row});
}

// --- joints -------------------------------------------------------------------------------------

// links of 0.1 m, 0.07 kg, released horizontal; dt = 1e-3 s
static int hang_chain(BenchScene *s, int size)
{
    static const double sideways[4] = {0.70710678118654752, 0, 0.70710678118654752, 0};
    s->dt = 1e-3;
    s->touching = false;
    int last = -1;
    for (int k = 0; k < size; k++) {
        double middle[3] = {0.1 * (k + 0.5), 0, 0}, anchor[3] = {0.1 * k, 0, 0};
        int link = bench_add_capsule(s, 0.015, 0.04, DENSITY, middle, sideways);
        bench_add_joint(s, last, link, anchor);
        last = link;
    }
    return last;
}

static void make_chain(BenchScene *s, int size)
{
    hang_chain(s, size);
    s->steps = 4000;
}

static void make_heavy_chain(BenchScene *s, int size)
{
    int last = hang_chain(s, size);
    double end = 0.1 * size, radius = 0.5, volume = 4.0 / 3.0 * 3.14159265358979 * pow(radius, 3);
    int ball = bench_add_sphere(s, radius, 1e4 / volume, (double[]){end + radius, 0, 0});
    bench_add_joint(s, last, ball, (double[]){end, 0, 0});
    s->steps = 4000;
}

// arm or leg: two capsules downwards from a point
static void add_limb(BenchScene *s, int torso, double x, double y, double z, double half)
{
    static const double upright[4] = {1, 0, 0, 0};
    double length = 2 * half + 0.1;
    int upper =
        bench_add_capsule(s, 0.045, half, DENSITY, (double[]){x, y, z - 0.5 * length}, upright);
    bench_add_joint(s, torso, upper, (double[]){x, y, z});
    int lower =
        bench_add_capsule(s, 0.04, half, DENSITY, (double[]){x, y, z - 1.5 * length}, upright);
    bench_add_joint(s, upper, lower, (double[]){x, y, z - length});
}

static void add_ragdoll(BenchScene *s, double x, double y, double z)
{
    static const double half[3] = {0.16, 0.1, 0.28};
    int torso = bench_add_box(s, half, DENSITY, (double[]){x, y, z});
    int head = bench_add_sphere(s, 0.11, DENSITY, (double[]){x, y, z + 0.41});
    bench_add_joint(s, torso, head, (double[]){x, y, z + 0.29});
    add_limb(s, torso, x - 0.22, y, z + 0.22, 0.1);
    add_limb(s, torso, x + 0.22, y, z + 0.22, 0.1);
    add_limb(s, torso, x - 0.09, y, z - 0.29, 0.14);
    add_limb(s, torso, x + 0.09, y, z - 0.29, 0.14);
}

static void make_ragdolls(BenchScene *s, int size)
{
    for (int k = 0; k < size; k++)
        add_ragdoll(s, 0.7 * (k % 2), 0.4 * (k / 2 % 2), 1.5 + 1.8 * (k / 4));
    bench_add_plane(s, 0, 0, 1, 0);
    s->steps = 480;
}

// --- robots and mechanisms ----------------------------------------------------------------------

static const double X_AXIS[3] = {1, 0, 0}, Y_AXIS[3] = {0, 1, 0}, Z_AXIS[3] = {0, 0, 1};
static const double TORQUE = 40; // N m

// a capsule between two points of the plane y = const
static int add_strut(BenchScene *s, double radius, double x0, double z0, double x1, double z1,
                     double y)
{
    double dx = x1 - x0, dz = z1 - z0, half = 0.5 * atan2(dx, dz);
    return bench_add_capsule(s, radius, 0.5 * hypot(dx, dz) - radius, DENSITY,
                             (double[]){0.5 * (x0 + x1), y, 0.5 * (z0 + z1)},
                             (double[]){cos(half), 0, sin(half), 0});
}

// hip, thigh and shank, bent; the foot is the end of the shank, below the hip
static void add_leg(BenchScene *s, int torso, double x, double y, double z)
{
    static const double half[3] = {0.03, 0.03, 0.03}, length = 0.2, bend = 1.0, speed = 0.5;
    double side = y > 0 ? 0.06 : -0.06, knee_x = x - length * sin(bend),
           knee_z = z - length * cos(bend), foot_z = z - 2 * length * cos(bend);
    int hip = bench_add_box(s, half, DENSITY, (double[]){x, y, z});
    bench_add_hinge(s, torso, hip, (double[]){x, y, z}, X_AXIS, 0, TORQUE);
    y += side;
    int thigh = add_strut(s, 0.02, x, z, knee_x, knee_z, y);
    bench_add_hinge(s, hip, thigh, (double[]){x, y, z}, Y_AXIS, -speed, TORQUE);
    int shank = add_strut(s, 0.02, knee_x, knee_z, x, foot_z, y);
    bench_add_hinge(s, thigh, shank, (double[]){knee_x, y, knee_z}, Y_AXIS, 2 * speed, TORQUE);
}

// bent by 1 rad at the hips, it stands up within 1.5 s
static void make_quadruped(BenchScene *s, int size)
{
    static const double half[3] = {0.2, 0.1, 0.05};
    double z = 0.4 * cos(1.0) + 0.001;
    (void)size;
    s->dt = 2e-3;
    s->steps = 750;
    bench_add_plane(s, 0, 0, 1, 0);
    int torso = bench_add_box(s, half, DENSITY, (double[]){0, 0, z});
    for (int leg = 0; leg < 4; leg++)
        add_leg(s, torso, leg % 2 ? -0.2 : 0.2, leg / 2 ? -0.14 : 0.14, z);
}

// crank 0.1, coupler 0.3, rocker 0.2, frame 0.3 m; a load of 4 kg swings from the coupler
static void make_four_bar(BenchScene *s, int size)
{
    static const double z = 1;
    double rocker = acos((0.2 * 0.2 + 0.2 * 0.2 - 0.3 * 0.3) / (2 * 0.2 * 0.2)), x, top;
    (void)size;
    s->dt = 2e-3;
    s->steps = 1500;
    s->touching = false;
    x = 0.3 + 0.2 * cos(rocker);
    top = z + 0.2 * sin(rocker);
    int crank = add_strut(s, 0.01, 0, z, 0.1, z, 0);
    bench_add_hinge(s, -1, crank, (double[]){0, 0, z}, Y_AXIS, 6, TORQUE);
    int coupler = add_strut(s, 0.01, 0.1, z, x, top, 0);
    bench_add_hinge(s, crank, coupler, (double[]){0.1, 0, z}, Y_AXIS, 0, 0);
    int bar = add_strut(s, 0.01, 0.3, z, x, top, 0);
    bench_add_hinge(s, -1, bar, (double[]){0.3, 0, z}, Y_AXIS, 0, 0);
    bench_close_loop(s, coupler, bar, (double[]){x, 0, top});
    double middle = 0.5 * (0.1 + x), hook = 0.5 * (z + top);
    int load = bench_add_sphere(s, 0.1, DENSITY, (double[]){middle, 0, hook - 0.3});
    bench_add_joint(s, coupler, load, (double[]){middle, 0, hook});
}

// six hinges; the hand sweeps over a table and pushes a box
static void make_arm(BenchScene *s, int size)
{
    static const double box[3] = {0.1, 0.1, 0.1};
    (void)size;
    s->dt = 2e-3;
    s->steps = 750;
    bench_add_plane(s, 0, 0, 1, 0);
    int base = add_strut(s, 0.06, 0, 0.1, 0, 0.4, 0);
    bench_add_hinge(s, -1, base, (double[]){0, 0, 0.1}, Z_AXIS, 0.8, TORQUE);
    int upper = add_strut(s, 0.04, 0, 0.4, 0.3, 0.6, 0);
    bench_add_hinge(s, base, upper, (double[]){0, 0, 0.4}, Y_AXIS, 0, 2 * TORQUE);
    int lower = add_strut(s, 0.035, 0.3, 0.6, 0.6, 0.4, 0);
    bench_add_hinge(s, upper, lower, (double[]){0.3, 0, 0.6}, Y_AXIS, 0, TORQUE);
    int wrist = add_strut(s, 0.03, 0.6, 0.4, 0.6, 0.25, 0);
    bench_add_hinge(s, lower, wrist, (double[]){0.6, 0, 0.4}, X_AXIS, 0, TORQUE);
    int palm = add_strut(s, 0.03, 0.6, 0.25, 0.6, 0.17, 0);
    bench_add_hinge(s, wrist, palm, (double[]){0.6, 0, 0.25}, Y_AXIS, 0, TORQUE);
    int hand = bench_add_sphere(s, 0.05, DENSITY, (double[]){0.6, 0, 0.1});
    bench_add_hinge(s, palm, hand, (double[]){0.6, 0, 0.15}, Z_AXIS, 0, TORQUE);
    bench_add_box(s, box, 200, (double[]){0.6, 0.2, 0.1});
}

// --- scene files, for perp alone ----------------------------------------------------------------

static void read_later(BenchScene *s, const char *file)
{
    s->file = file;
    s->stands = true;
    s->steps = 480;
}

static void make_arch(BenchScene *s, int size)
{
    (void)size;
    read_later(s, "arch");
}

static void make_card_house(BenchScene *s, int size)
{
    (void)size;
    read_later(s, "card-house");
}

const BenchSceneEntry bench_scenes[] = {
    {"box", "one resting box, 10 s", make_stack, 1, true},
    {"stack", "ten unit boxes, 10 s", make_stack, 10, true},
    {"mass-ratio-1e4", "five boxes, each ten times heavier than the one below, 5 s",
     make_mass_ratio, 5, true},
    {"mass-ratio-1e6", "seven boxes, each ten times heavier than the one below, 5 s",
     make_mass_ratio, 7, false},
    {"wall", "20 rows of staggered bricks, 410 in all, 2 s", make_wall, 20, true},
    {"pyramid", "a pyramid of 120 boxes, 2 s", make_pyramid, 15, false},
    {"chain-100", "100 links with ball joints, released horizontal, 4 s, dt 1 ms", make_chain, 100,
     true},
    {"chain-1000", "the same with 1000 links", make_chain, 1000, false},
    {"chain-1e4-kg", "20 links and 10 000 kg at the end", make_heavy_chain, 20, false},
    {"ragdolls", "16 ragdolls of 10 bodies, 9 ball joints each, dropped in fours, 2 s",
     make_ragdolls, 16, false},
    {"quadruped", "13 bodies, 12 driven hinges, stands up on its four feet, 1.5 s, dt 2 ms",
     make_quadruped, 0, true},
    {"four-bar", "a driven crank, coupler and rocker with a swinging load, 3 s, dt 2 ms",
     make_four_bar, 0, false},
    {"arm", "an arm with six driven hinges pushes a box over a table, 1.5 s, dt 2 ms", make_arm, 0,
     true},
    {"pile-50", "a settled pile of 50 spheres, 60 steps", make_pile, 50, true},
    {"pile-150", "a settled pile of 150 spheres, 60 steps", make_pile, 150, false},
    {"pile-500", "a settled pile of 500 spheres, 60 steps", make_pile, 500, true},
    {"pile-1000", "a settled pile of 1000 spheres, 60 steps", make_pile, 1000, false},
    {"pile-2000", "a settled pile of 2000 spheres, 60 steps", make_pile, 2000, false},
    {"pile-8000", "a settled pile of 8000 spheres, 60 steps", make_pile, 8000, false},
    {"pile-30000", "a settled pile of 30 000 spheres, 60 steps", make_pile, 30000, false},
    {"mixed-500", "a settled pile of 500 spheres, boxes, capsules", make_mixed_pile, 500, false},
    {"mixed-2000", "the same with 2000", make_mixed_pile, 2000, false},
    {"fall-500", "500 spheres fall into a walled box, 1.5 s", make_fall, 500, false},
    {"fall-2000", "2000 spheres fall, 1.5 s", make_fall, 2000, false},
    {"fall-8000", "8000 spheres fall, 1.5 s", make_fall, 8000, false},
    {"arch", "scenes/arch.yaml, 2 s, perp alone", make_arch, 0, false},
    {"card-house", "scenes/card-house.yaml, 2 s, perp alone", make_card_house, 0, false},
};
const int bench_scene_count = sizeof bench_scenes / sizeof *bench_scenes;
