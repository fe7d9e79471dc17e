// Section 5: where multiplier and acceleration both vanish, their derivatives decide. A mass at
// rest on q >= 0 under f = +-t^p.
#include "papers/l82/l82.h"

#include <math.h>

typedef struct Push {
    double sign;
    int degree;
} Push;

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = 1;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    const Push *push = user;
    (void)q, (void)v;
    k[0] = push->sign * pow(t, push->degree);
}

static void above(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[0];
}

static bool try_push(Paper *paper, Push push)
{
    const double rest = 0, end = 1;
    PerpSystemDef def = perp_default_system();
    def.n = 1;
    def.position = def.velocity = &rest;
    def.user = &push;
    def.mass = mass;
    def.force = force;
    def.n_constraints = 1;
    def.constraints = above;
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    bool right = false;
    if (run && l82_step(run, end)) {
        double closed =
            push.sign > 0 ? pow(end, push.degree + 2) / ((push.degree + 1) * (push.degree + 2)) : 0;
        right = fabs(l82_q(run, 0) - closed) < 1e-9 && run->warnings == (push.degree > 1);
        paper_row(paper, (double[]){push.sign, push.degree, l82_q(run, 0), closed, run->warnings},
                  NULL);
    }
    l82_end(run);
    return right;
}

void l82_degenerate(Paper *paper)
{
    bool right = true;
    paper_table(paper, "pushes", "sign degree q(1) closed-form warnings");
    for (int degree = 0; degree <= 3 && !paper_failed(paper); degree++)
        for (int sign = -1; sign <= 1; sign += 2)
            right = try_push(paper, (Push){sign, degree}) && right;
    paper_claim(paper, right,
                "the active set is right in all cases, with a warning where the first derivatives "
                "(2.9) do not decide");
    paper_note(paper,
               "Chosen here: a unit mass. Degree 0 is decided by (2.5b), 1 by (2.9); beyond, "
               "the constraint is kept until its multiplier or acceleration shows.");
}
