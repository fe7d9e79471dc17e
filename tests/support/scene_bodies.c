// The bodies of a random scene: masses, momenta and places in a pile.
#include "scene.h"

#include <math.h>
#include <string.h>

static const double step_length = 0.01; // s
static const double gravity = 9.81;     // m/s^2

// an inertia with a random orientation, or diag(1 or 2) if integer
static void add_inertia(Scene *c, double mass, double Mt[36])
{
    double A[9];
    for (int k = 0; k < 9; k++)
        A[k] = perp_random_normal(&c->random);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = i == j ? 0.2 : 0.0;
            for (int k = 0; k < 3; k++)
                sum += A[i + 3 * k] * A[j + 3 * k] / 3.0;
            Mt[3 + i + 6 * (3 + j)] = 0.1 * mass * sum;
        }
    if (c->options->integer)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                Mt[3 + i + 6 * (3 + j)] = i == j ? perp_random_int(&c->random, 1, 2) : 0.0;
}

// Mt += asymmetry m (S + a a'),  S = -S'
static void add_asymmetry(Scene *c, double mass, double Mt[36])
{
    double size = c->options->asymmetry * mass, a[6];
    if (size == 0.0)
        return;
    for (int i = 0; i < 6; i++)
        a[i] = perp_random_uniform(&c->random, -0.3, 0.3);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            Mt[i + 6 * j] += size * a[i] * a[j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double skew = size * perp_random_uniform(&c->random, -1.0, 1.0);
            Mt[i + 6 * j] += skew;
            Mt[j + 6 * i] -= skew;
        }
}

static void start_velocity(Scene *c, double v[6])
{
    memset(v, 0, 6 * sizeof *v);
    if (c->options->motion == PERP_SCENE_REST)
        return;
    bool sliding = c->options->motion == PERP_SCENE_SLIDING;
    for (int k = 0; k < 6; k++)
        if (!sliding || k < 2 || k == 5)
            v[k] = perp_random_uniform(&c->random, -1.0, 1.0);
    if (!sliding)
        v[2] -= 1.0;
}

// b = Mt v + h m g, or small integers
static void momentum(Scene *c, double mass, const double Mt[36], double b[6])
{
    double v[6];
    start_velocity(c, v);
    for (int i = 0; i < 6; i++) {
        b[i] = i == 2 ? -step_length * mass * gravity : 0.0;
        for (int j = 0; j < 6; j++)
            b[i] += Mt[i + 6 * j] * v[j];
    }
    if (c->options->integer)
        for (int i = 0; i < 6; i++)
            b[i] = perp_random_int(&c->random, -3, i == 2 ? 0 : 3);
}

static void place_body(Scene *c, int body)
{
    double width = 0.5 + 0.5 * sqrt(c->options->bodies);
    for (int k = 0; k < 3; k++)
        c->centre[3 * body + k] = perp_random_uniform(&c->random, 0.0, width);
    for (int k = 0; k < 6 && c->options->moving; k++)
        c->v_s[6 * body + k] = c->options->integer ? perp_random_int(&c->random, -1, 1)
                                                   : perp_random_uniform(&c->random, -0.5, 0.5);
}

void perp_scene_add_body(Scene *c, int body)
{
    const PerpSceneOptions *o = c->options;
    double mass = perp_random_log_uniform(&c->random, 1.0, o->mass_ratio);
    if (o->integer)
        mass = 1 << perp_random_int(&c->random, 0, 2);
    double Mt[36] = {0}, b[6];
    for (int k = 0; k < 3; k++)
        Mt[7 * k] = mass;
    add_inertia(c, mass, Mt);
    momentum(c, mass, Mt, b);
    add_asymmetry(c, mass, Mt);
    place_body(c, body);
    perp_sample_add_body(c->sample, 6, Mt, b);
}
