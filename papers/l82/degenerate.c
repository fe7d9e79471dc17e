// Section 5: where multiplier and acceleration both vanish, their derivatives decide. A mass at
// rest on q >= 0 under f = +-t^p; and one under f = +-dx/dt of another that begins to move, whose
// derivative is by the motion.
#include "papers/l82/l82.h"

#include <math.h>

enum { BY_MOTION = -1 };

typedef struct Push {
    double sign;
    int degree; // or BY_MOTION
} Push;

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    const Push *push = user;
    (void)q;
    k[0] = push->sign * (push->degree == BY_MOTION ? v[1] : pow(t, push->degree));
    k[1] = 1;
}

static void above(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[0];
}

static bool try_push(Paper *paper, Push push)
{
    static const double rest[2] = {0, 0};
    const double end = 1;
    int degree = push.degree == BY_MOTION ? 1 : push.degree;
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = def.velocity = rest;
    def.user = &push;
    def.mass = mass;
    def.force = force;
    def.n_constraints = 1;
    def.constraints = above;
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    bool right = false;
    if (run && l82_step(run, end)) {
        double closed = push.sign > 0 ? pow(end, degree + 2) / ((degree + 1) * (degree + 2)) : 0;
        right = fabs(l82_q(run, 0) - closed) < 1e-9 && run->warnings == (degree > 1) &&
                (degree > 1 || run->events == 0);
        paper_row(
            paper,
            (double[]){push.sign, push.degree, l82_q(run, 0), closed, run->warnings, run->events},
            NULL);
    }
    l82_end(run);
    return right;
}

void l82_degenerate(Paper *paper)
{
    bool right = true;
    paper_table(paper, "pushes", "sign degree q(1) closed-form warnings events");
    for (int degree = BY_MOTION; degree <= 3 && !paper_failed(paper); degree++)
        for (int sign = -1; sign <= 1; sign += 2)
            right = try_push(paper, (Push){sign, degree}) && right;
    paper_claim(
        paper, right,
        "the active set is right in all cases, at once where (2.5b) or the first derivatives "
        "(2.9) decide, and with a warning where they do not");
    paper_note(paper, "Chosen here: unit masses; degree -1 is f = +-dx/dt with x'' = 1. Degree 0 "
                      "is decided by (2.5b), 1 by (2.9); beyond, "
                      "the constraint is kept until its multiplier or acceleration shows.");
}
