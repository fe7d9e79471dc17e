// The rows of a random scene: contacts, joints and boxes between bodies of a pile.
#include "frame.h"
#include "scene.h"

#include <math.h>
#include <string.h>

static void pick_bodies(Scene *c, PerpFrame *f)
{
    int bodies = c->options->bodies;
    bool pair = bodies > 1 && perp_random_uniform(&c->random, 0.0, 1.0) < c->options->pair_share;
    f->n_entries = pair ? 2 : 1;
    f->body[0] = perp_random_int(&c->random, 0, bodies - 1);
    f->body[1] =
        (f->body[0] + perp_random_int(&c->random, 1, bodies > 1 ? bodies - 1 : 1)) % bodies;
}

// the normal points from the second body, or the ground below, to the first; the point is halfway
static void place_frame(Scene *c, PerpFrame *f)
{
    const double *first = c->centre + 3 * f->body[0], *second = c->centre + 3 * f->body[1];
    for (int k = 0; k < 3; k++) {
        double jitter = perp_random_uniform(&c->random, -0.3, 0.3);
        double apart = f->n_entries == 2 ? first[k] - second[k] : (k == 2 ? 1.0 : 0.0);
        f->normal[k] = apart + 0.3 * jitter;
        f->arm[0][k] = -0.5 * apart + jitter;
        f->arm[1][k] = f->arm[0][k] + apart;
    }
    perp_frame_tangents(f);
}

static void place_frame_on_grid(Scene *c, PerpFrame *f)
{
    memset(f->normal, 0, sizeof f->normal);
    memset(f->tangent, 0, sizeof f->tangent);
    int axis = perp_random_int(&c->random, 0, 2);
    f->normal[axis] = perp_random_coin(&c->random) ? 1.0 : -1.0;
    f->tangent[0][(axis + 1) % 3] = 1.0;
    f->tangent[1][(axis + 2) % 3] = 1.0;
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++)
            f->arm[e][k] = perp_random_int(&c->random, -1, 1);
}

static PerpFrame pick_frame(Scene *c)
{
    PerpFrame f;
    pick_bodies(c, &f);
    if (c->options->integer)
        place_frame_on_grid(c, &f);
    else
        place_frame(c, &f);
    return f;
}

// d = -J v_s + slack: v_s has the row velocity `slack`
static PerpSampleRow make_row(const Scene *c, const PerpFrame *f, const double force[3],
                              const double torque[3], double slack, double *J)
{
    PerpSampleRow row = perp_frame_row(f, force, torque, J);
    row.d = slack;
    for (int e = 0; e < f->n_entries; e++)
        for (int k = 0; k < 6; k++)
            row.d -= J[6 * e + k] * c->v_s[6 * f->body[e] + k];
    return row;
}

// Direction k of the tangent plane: on an ellipse, or on the grid if integer.
static void friction_direction(const Scene *c, const PerpFrame *f, int k, double out[3])
{
    static const int grid[16][2] = {{1, 0},  {-1, 0},  {0, 1},  {0, -1},  {1, 1},  {-1, -1},
                                    {1, -1}, {-1, 1},  {2, 1},  {-2, -1}, {1, -2}, {-1, 2},
                                    {1, 2},  {-1, -2}, {2, -1}, {-2, 1}};
    double x = grid[k % 16][0], y = grid[k % 16][1];
    if (!c->options->integer)
        perp_circle_point((double)k / c->options->facets, &x, &y);
    for (int i = 0; i < 3; i++)
        out[i] = x * f->tangent[0][i] + c->options->anisotropy * y * f->tangent[1][i];
}

static double pick_mu(Scene *c)
{
    if (c->options->integer)
        return 0.5 * perp_random_int(&c->random, 0, 2);
    return perp_random_uniform(&c->random, c->options->mu_min, c->options->mu_max);
}

static void add_group(Scene *c, int contact, double radius)
{
    double cohesion = perp_random_uniform(&c->random, 0.0, c->options->cohesion);
    perp_sample_add_group(c->sample, contact, radius * pick_mu(c), cohesion);
}

static void add_sliding(Scene *c, const PerpFrame *f, int contact)
{
    double direction[3], J[12];
    add_group(c, contact, 1.0);
    for (int k = 0; k < c->options->facets; k++) {
        friction_direction(c, f, k, direction);
        perp_sample_add_direction(c->sample, make_row(c, f, direction, perp_no_vector, 0.0, J));
    }
}

static void add_circular(Scene *c, const PerpFrame *f, int contact, double pressed)
{
    double second[3], J[12], mu = pick_mu(c);
    for (int i = 0; i < 3; i++)
        second[i] = c->options->anisotropy * f->tangent[1][i];
    perp_sample_add_circular_group(c->sample, contact, mu, mu * pressed);
    perp_sample_add_direction(c->sample, make_row(c, f, f->tangent[0], perp_no_vector, 0.0, J));
    perp_sample_add_direction(c->sample, make_row(c, f, second, perp_no_vector, 0.0, J));
}

static void add_circular_spinning(Scene *c, const PerpFrame *f, int contact, double pressed)
{
    double J[12], mu = 0.125 * pick_mu(c);
    if (c->options->torsion) {
        perp_sample_add_circular_group(c->sample, contact, mu, mu * pressed);
        perp_sample_add_direction(c->sample, make_row(c, f, perp_no_vector, f->normal, 0.0, J));
    }
    if (c->options->rolling)
        perp_sample_add_circular_group(c->sample, contact, mu, mu * pressed);
    for (int k = 0; k < 2 && c->options->rolling; k++)
        perp_sample_add_direction(c->sample, make_row(c, f, perp_no_vector, f->tangent[k], 0.0, J));
}

static void add_rolling(Scene *c, const PerpFrame *f, int contact)
{
    double direction[3], J[12];
    add_group(c, contact, 0.125);
    for (int k = 0; k < c->options->facets; k++) {
        friction_direction(c, f, k, direction);
        perp_sample_add_direction(c->sample, make_row(c, f, perp_no_vector, direction, 0.0, J));
    }
}

static void add_torsion(Scene *c, const PerpFrame *f, int contact)
{
    double down[3] = {-f->normal[0], -f->normal[1], -f->normal[2]}, J[12];
    add_group(c, contact, 0.125);
    perp_sample_add_direction(c->sample, make_row(c, f, perp_no_vector, f->normal, 0.0, J));
    perp_sample_add_direction(c->sample, make_row(c, f, perp_no_vector, down, 0.0, J));
}

static double pick_slack(Scene *c)
{
    if (!c->options->moving || perp_random_coin(&c->random))
        return 0.0;
    return c->options->integer ? 1.0 : perp_random_uniform(&c->random, 0.0, 0.5);
}

void perp_scene_add_contact(Scene *c)
{
    double J[12];
    PerpFrame f = pick_frame(c);
    PerpSampleRow row = make_row(c, &f, f.normal, perp_no_vector, pick_slack(c), J);
    int contact = perp_sample_add_contact(c->sample, row);
    if (c->options->circular) {
        bool presses = c->options->product && c->options->cohesion > 0;
        double pressed =
            presses ? perp_random_uniform(&c->random, 0.0, 10 * c->options->cohesion) : 0;
        add_circular(c, &f, contact, pressed);
        if (c->options->product)
            add_circular_spinning(c, &f, contact, pressed);
        return;
    }
    if (c->options->facets > 0)
        add_sliding(c, &f, contact);
    if (c->options->facets > 0 && c->options->rolling)
        add_rolling(c, &f, contact);
    if (c->options->torsion)
        add_torsion(c, &f, contact);
}

// a point of the first body stays at a point of the second
static void add_ball(Scene *c, const PerpFrame *f)
{
    double J[12];
    for (int k = 0; k < 3; k++)
        perp_sample_add_joint(c->sample, make_row(c, f, perp_axis[k], perp_no_vector, 0.0, J));
}

static void add_hinge(Scene *c, const PerpFrame *f)
{
    double J[12];
    add_ball(c, f);
    for (int k = 0; k < 2; k++)
        perp_sample_add_joint(c->sample, make_row(c, f, perp_no_vector, f->tangent[k], 0.0, J));
}

// once more a row of a ball joint, or a combination of its three rows
static void add_dependent_row(Scene *c, const PerpFrame *f)
{
    double J[12], force[3];
    for (int k = 0; k < 3; k++)
        force[k] = c->options->integer ? k + 1 : perp_random_uniform(&c->random, -1.0, 1.0);
    bool copy = perp_random_coin(&c->random);
    perp_sample_add_joint(c->sample,
                          make_row(c, f, copy ? perp_axis[0] : force, perp_no_vector, 0.0, J));
}

void perp_scene_add_joints(Scene *c)
{
    const PerpSceneOptions *o = c->options;
    for (int joint = 0; joint < o->balls + o->hinges; joint++) {
        PerpFrame f = pick_frame(c);
        if (joint < o->balls)
            add_ball(c, &f);
        else
            add_hinge(c, &f);
        for (int k = joint; k < o->redundant; k += o->balls + o->hinges)
            add_dependent_row(c, &f);
    }
}

void perp_scene_add_limit(Scene *c, int number)
{
    double J[12], slack = pick_slack(c);
    PerpFrame f = pick_frame(c);
    if (number % 2 == 0)
        perp_sample_add_box(c->sample, make_row(c, &f, perp_no_vector, f.normal, slack, J), 0.0,
                            INFINITY);
    else
        perp_sample_add_box(c->sample, make_row(c, &f, perp_no_vector, f.normal, -slack, J),
                            -INFINITY, 0.0);
}

void perp_scene_add_motor(Scene *c, bool locked)
{
    bool integer = c->options->integer;
    PerpFrame f = pick_frame(c);
    double target =
        integer ? perp_random_int(&c->random, -1, 1) : perp_random_uniform(&c->random, -1.0, 1.0);
    double lo =
        integer ? perp_random_int(&c->random, -2, 0) : perp_random_uniform(&c->random, -0.1, 0.02);
    double hi = lo + (locked ? 0.0 : integer ? 2.0 : perp_random_uniform(&c->random, 0.0, 0.1));
    double J[12];
    perp_sample_add_box(c->sample, make_row(c, &f, perp_no_vector, f.tangent[0], target, J), lo,
                        hi);
}
