// PS02, the general case: M(q) and K that is not convex. Lemma 2 and 3 step by step, the motion
// against exact ones, and the Argmin against the nearest point by geometry.
#include "papers/ps02/entries.h"

#include <math.h>
#include <string.h>

typedef enum Shape { INSIDE, OUTSIDE, TWO_DISCS, OBLIQUE } Shape;

// A particle of mass 1 in the plane. OBLIQUE: in the coordinates r and psi = phi + r, without
// force.
typedef struct Domain {
    Shape shape;
    double position[2], velocity[2], force[2], e;
    PerpSimulation *simulation;
} Domain;

static const double APART = 0.6; // m: of the two centres from the middle

// --- systems ------------------------------------------------------------------------------------

static void mass(void *user, const double *q, double *M)
{
    bool oblique = ((const Domain *)user)->shape == OBLIQUE;
    double r2 = q[0] * q[0];
    M[0] = oblique ? 1 + r2 : 1;
    M[1] = M[2] = oblique ? -r2 : 0;
    M[3] = oblique ? r2 : 1;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    const Domain *d = user;
    double turn = v[1] - v[0]; // dphi/dt
    (void)t;
    memcpy(k, d->force, 2 * sizeof(double));
    if (d->shape == OBLIQUE) {
        k[0] = q[0] * turn * turn + 2 * q[0] * v[0] * turn;
        k[1] = -2 * q[0] * v[0] * turn;
    }
}

static double centre(const Domain *d, int i)
{
    return d->shape == TWO_DISCS ? (i ? APART : -APART) : 0;
}

static void gaps(void *user, const double *q, double *phi)
{
    const Domain *d = user;
    if (d->shape == OBLIQUE)
        phi[0] = 1 - q[0];
    for (int i = 0; i <= (d->shape == TWO_DISCS) && d->shape != OBLIQUE; i++) {
        double outside = hypot(q[0] - centre(d, i), q[1]) - 1;
        phi[i] = d->shape == INSIDE ? -outside : outside;
    }
}

static void gradients(void *user, const double *q, double *n)
{
    const Domain *d = user;
    if (d->shape == OBLIQUE) {
        n[0] = -1;
        n[1] = 0;
        return;
    }
    for (int i = 0; i <= (d->shape == TWO_DISCS); i++) {
        double x = q[0] - centre(d, i), r = hypot(x, q[1]), sign = d->shape == INSIDE ? -1 : 1;
        n[2 * i] = sign * x / r;
        n[2 * i + 1] = sign * q[1] / r;
    }
}

static bool start(Paper *paper, Domain *d, double h)
{
    PerpError error = {0};
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    const double e[2] = {d->e, d->e};
    def.n = 2;
    def.position = d->position;
    def.velocity = d->velocity;
    def.user = d;
    def.mass = mass;
    def.force = force;
    def.n_constraints = d->shape == TWO_DISCS ? 2 : 1;
    def.constraints = gaps;
    def.constraint_gradients = gradients;
    def.restitution = e;
    settings.scheme = "paoli-schatzman";
    settings.step = h;
    if (perp_simulation_create_custom(NULL, &def, &settings, &d->simulation, &error))
        paper_fail(paper, &error);
    return !paper_failed(paper);
}

static bool step(Paper *paper, Domain *d, double q[2])
{
    PerpError error = {0};
    int n;
    if (paper_failed(paper))
        return false;
    if (perp_simulation_step(d->simulation, 0, &error))
        paper_fail(paper, &error);
    memcpy(q, perp_simulation_q(d->simulation, &n), 2 * sizeof(double));
    return !paper_failed(paper);
}

// --- lemma 3 ------------------------------------------------------------------------------------

enum { PAST = 4 }; // q^{n-2} .. q^{n+1}

typedef struct Lemma3 {
    int applied;
    double largest, bound; // of (grad f(Z^n), w)/(h |w|^2); what Lipschitz' constant allows
} Lemma3;

static double norm(const double v[2])
{
    return hypot(v[0], v[1]);
}

// w = V^n + e V^{n-2};  (grad f(Z^n), w) <= L h/(2 (1 + e)) |w|^2,  L = 1/least |q| between the Z
static void observe(Domain *d, double h, double q[PAST][2], Lemma3 *seen)
{
    double w[2], Z[2], last[2], n[2], phi;
    for (int i = 0; i < 2; i++) {
        w[i] = (q[3][i] - q[2][i] + d->e * (q[1][i] - q[0][i])) / h;
        Z[i] = (q[3][i] + d->e * q[1][i]) / (1 + d->e);
        last[i] = (q[2][i] + d->e * q[0][i]) / (1 + d->e);
    }
    gaps(d, Z, &phi);
    gradients(d, Z, n);
    if (phi > 1e-9 || norm(w) < 1e-3)
        return;
    seen->applied++;
    seen->largest = fmax(seen->largest, (n[0] * w[0] + n[1] * w[1]) / (h * norm(w) * norm(w)));
    seen->bound = fmax(seen->bound, 1 / (2 * (1 + d->e) * fmin(norm(Z), norm(last))));
}

static bool try_lemma_3(Paper *paper, Shape shape, double e, double h)
{
    Domain d = {.shape = shape,
                .position = {0.3, shape == INSIDE ? 0 : 1.4},
                .velocity = {0.8, 0},
                .force = {0, -9.81},
                .e = e};
    Lemma3 seen = {.largest = -INFINITY};
    double q[PAST][2] = {{0}};
    memcpy(q[PAST - 1], d.position, sizeof d.position);
    if (!start(paper, &d, h))
        return false;
    for (int n = 0; n * h < 1; n++) {
        memmove(q[0], q[1], (PAST - 1) * sizeof q[0]);
        if (!step(paper, &d, q[PAST - 1]))
            break;
        if (n >= PAST - 2)
            observe(&d, h, q, &seen);
    }
    perp_simulation_destroy(d.simulation);
    paper_row(paper, (double[]){shape == OUTSIDE, e, h, seen.applied, seen.largest, seen.bound},
              NULL);
    return seen.applied > 0 && seen.largest <= seen.bound * (1 + 1e-6);
}

void ps02_lemma_3(Paper *paper)
{
    bool right = true;
    paper_table(paper, "rows", "nonconvex e h applied largest bound");
    for (int shape = INSIDE; shape <= OUTSIDE; shape++)
        for (int i = 0; i <= 2; i++)
            for (int k = 0; k < 2 && !paper_failed(paper); k++)
                right = try_lemma_3(paper, (Shape)shape, i * 0.5, k ? 1e-3 : 1e-2) && right;
    paper_claim(paper, right,
                "lemma 3: (grad f(Z^n), w) <= O(h) |w|^2 with w = V^n + e V^{n-2}, and the O(h) is "
                "L h/(2 (1 + e)), L of grad f");
    paper_note(paper, "A particle inside a disc (convex) and outside one, under gravity, 1 s. "
                      "largest: of (grad f(Z^n), w)/(h |w|^2) over the steps in which f(Z^n) = 0.");
}

// --- M(q) ---------------------------------------------------------------------------------------

// Straight to the unit circle, reflected with e there, straight on; with e = 0 along the circle.
static void billiard(double e, double t, double x[2])
{
    const double p[2] = {0.5, 0}, v[2] = {0, 2};
    double hit = sqrt(1 - p[0] * p[0]) / v[1], w[2] = {v[0], v[1]}, n[2] = {p[0], hit * v[1]};
    double outward = n[0] * v[0] + n[1] * v[1];
    for (int i = 0; i < 2 && t > hit; i++)
        w[i] -= (1 + e) * outward * n[i];
    for (int i = 0; i < 2; i++)
        x[i] = t > hit ? n[i] + (t - hit) * w[i] : p[i] + t * v[i];
    if (t > hit && e == 0) {
        double along = atan2(n[1], n[0]) + (t - hit) * (n[0] * w[1] - n[1] * w[0]);
        x[0] = cos(along);
        x[1] = sin(along);
    }
}

// In (r, psi): r = 0.5, psi = r, and (dr/dt, dpsi/dt) = (0, 4).
static double fly(Paper *paper, double e, double h, double *off_normal, int *pushes)
{
    const double end = 0.6;
    Domain d = {.shape = OBLIQUE, .position = {0.5, 0.5}, .velocity = {0, 4}, .e = e};
    double q[2] = {0.5, 0.5}, v[2] = {0, 4}, M[4], k[2], next[2] = {0}, exact[2];
    if (!start(paper, &d, h))
        return INFINITY;
    for (int n = 0; n < lround(end / h) && step(paper, &d, next); n++) {
        double u[2] = {(next[0] - q[0]) / h, (next[1] - q[1]) / h}, normal[2];
        mass(&d, q, M); // lemma 2: M(q^n) (V^{n-1} - V^n + h G^n) is along grad f = (-1, 0)
        force(&d, 0, q, v, k);
        for (int i = 0; i < 2; i++)
            normal[i] = M[i] * (v[0] - u[0]) + M[i + 2] * (v[1] - u[1]) + h * k[i];
        *off_normal = fmax(*off_normal, fmax(fabs(normal[1]), -normal[0]));
        *pushes += normal[0] > 1e-6;
        memcpy(q, next, sizeof q);
        memcpy(v, u, sizeof v);
    }
    perp_simulation_destroy(d.simulation);
    billiard(e, end, exact);
    double phi = next[1] - next[0];
    return hypot(next[0] * cos(phi) - exact[0], next[0] * sin(phi) - exact[1]);
}

void ps02_metric(Paper *paper)
{
    double off_normal = 0, least = INFINITY, most = 0;
    int pushes = 0;
    paper_table(paper, "rows", "e error(h) error(h/2) ratio");
    for (int i = 0; i <= 2 && !paper_failed(paper); i++) {
        double mean[2] = {0, 0}; // over phases of the impact: a single one can be lucky
        for (int phase = 0; phase < 8; phase++)
            for (int k = 0; k < 2; k++)
                mean[k] += fly(paper, i * 0.5, (k ? 1e-3 : 2e-3) * (1 + phase / 97.), &off_normal,
                               &pushes) /
                           8;
        paper_row(paper, (double[]){i * 0.5, mean[0], mean[1], mean[0] / mean[1]}, NULL);
        least = fmin(least, mean[0] / mean[1]);
        most = fmax(most, mean[1]);
    }
    paper_claim(paper, off_normal < 1e-8 && pushes > 0,
                "lemma 2 with M(q): M(q^n) (V^{n-1} - V^n + h G^n) is in N_K(Z^n), to %.1e, and "
                "pushes in %d steps",
                off_normal, pushes);
    paper_claim(paper, most < 0.02 && least > 1.5,
                "(P5) in the metric of M(q): the reflected motion to %.1e m, and half the step "
                "divides the error by %.2f at least",
                most, least);
    paper_note(paper,
               "A free particle inside the unit circle in the coordinates r and psi = phi + "
               "r, in which M(q) is full; straight lines, and after an impact with e = 0 the "
               "circle, are the exact motion. Mean error "
               "at 0.6 s over eight steps near 2e-3 s.");
}

// --- the nearest point of a set that is not convex ----------------------------------------------

static bool is_in(const Domain *d, const double q[2])
{
    double phi[2] = {0, 0};
    gaps((void *)d, q, phi);
    return fmin(phi[0], phi[1]) > -1e-12;
}

// The least distance from W to the outside of both discs: W itself, a point of either circle, or
// where they meet.
static double nearest(const Domain *d, const double W[2])
{
    double least = is_in(d, W) ? 0 : INFINITY, tip = sqrt(1 - APART * APART);
    for (int i = 0; i < 2; i++) {
        double x = W[0] - centre(d, i), r = hypot(x, W[1]);
        double on[2] = {centre(d, i) + x / r, W[1] / r};
        if (is_in(d, on))
            least = fmin(least, fabs(r - 1));
        least = fmin(least, hypot(W[0], W[1] - (i ? tip : -tip)));
    }
    return least;
}

void ps02_nonconvex(Paper *paper)
{
    double worst = 0;
    int active = 0, steps = 0;
    paper_table(paper, "rows", "x h active worst");
    for (int k = 0; k < 9; k++)
        for (int j = 0; j < 3 && !paper_failed(paper); j++) { // the last: one long step into both
            double h = j == 2 ? 0.2 : j ? 0.05 : 0.01, here = 0, end = j == 2 ? 0.1 : 0.6;
            int pushed = 0;
            Domain d = {.shape = TWO_DISCS,
                        .position = {0.1 * (k - 4) + 0.013, j == 2 ? 1.4 : 1.6},
                        .velocity = {0.1 * k, j == 2 ? -6 : -3},
                        .force = {0, -9.81}};
            double q[3][2];
            for (int i = 0; i < 2; i++) {
                q[1][i] = d.position[i];
                q[0][i] = d.position[i] - h * d.velocity[i];
            }
            if (!start(paper, &d, h))
                return;
            for (int n = 0; n * h < end && step(paper, &d, q[2]); n++) {
                double W[2];
                for (int i = 0; i < 2; i++)
                    W[i] = 2 * q[1][i] - q[0][i] + h * h * d.force[i];
                double best = nearest(&d, W);
                here = fmax(here, fabs(hypot(q[2][0] - W[0], q[2][1] - W[1]) - best));
                here = is_in(&d, q[2]) ? here : INFINITY;
                pushed += best > 1e-9;
                memmove(q[0], q[1], 2 * sizeof q[0]);
                steps++;
            }
            perp_simulation_destroy(d.simulation);
            paper_row(paper, (double[]){d.position[0], h, pushed, here}, NULL);
            worst = fmax(worst, here);
            active += pushed;
        }
    paper_claim(paper, worst < 1e-9 && active > steps / 4,
                "K outside two discs: q^{n+1} is in K and the nearest point to W in all of %d "
                "steps, in %d of which constraints push; distances to %.1e m",
                steps, active, worst);
    paper_note(paper, "Particles fall on two discs of radius 1 that overlap, e = 0: K has a corner "
                      "that is not convex. The Argmin is known by geometry.");
}
