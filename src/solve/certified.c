#include "solve/certified.h"

#include "certify/certificate_rows.h"

#include <math.h>
#include <string.h>

bool perp_certified_take(PerpArena *arena, const PerpProblem *p, bool judge_contacts,
                         PerpCertified *best)
{
    *best = (PerpCertified){.p = p,
                            .judged = p,
                            .arena = arena,
                            .scratch = perp_arena_context(arena),
                            .v = PERP_TAKE(arena, double, perp_problem_velocities(p)),
                            .c = PERP_TAKE(arena, double, perp_problem_rows(p)),
                            .lambda = PERP_TAKE(arena, double, p->n_groups),
                            .slip_held = PERP_TAKE(arena, double, p->n_groups)};
    best->certificate.worst = INFINITY;
    if (judge_contacts) {
        best->of_contact = PERP_TAKE(arena, double, p->n_contacts);
        best->of_contact_now = PERP_TAKE(arena, double, p->n_contacts);
        if (!best->of_contact || !best->of_contact_now)
            return false;
    }
    return best->v && best->c && best->lambda && best->slip_held;
}

static void copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof(double));
}

static void keep(PerpCertified *best, const PerpPoint *point, const PerpCertificate *certificate,
                 const PerpGap *gap)
{
    const PerpProblem *p = best->p;
    best->certificate = *certificate;
    best->gap = *gap;
    best->found_by = best->method;
    copy(best->v, point->v, perp_problem_velocities(p));
    copy(best->c, point->c, perp_problem_rows(p));
    copy(best->lambda, point->lambda, p->n_groups);
    if (best->of_contact)
        copy(best->of_contact, best->of_contact_now, p->n_contacts);
}

static double certify(void *user, const PerpProblem *p, const PerpPoint *point, double tolerance,
                      double *of_contact)
{
    PerpCertified *best = user;
    p = p == best->p ? best->judged : p;
    PerpCertificate certificate;
    PerpGap gap = {0};
    PerpArenaMark mark = perp_arena_mark(best->arena);
    double *contacts = of_contact ? of_contact : best->of_contact_now;
    PerpStatus status =
        perp_certify_with_gap(&best->scratch, p, point->v, point->c, point->lambda, &certificate,
                              contacts, best->with_gap ? &gap : NULL, NULL);
    perp_arena_release(best->arena, mark);
    if (status)
        return NAN;
    if (of_contact && best->of_contact)
        copy(best->of_contact_now, of_contact, p->n_contacts);
    if (certificate.worst < best->certificate.worst || certificate.worst <= tolerance)
        keep(best, point, &certificate, &gap);
    return certificate.worst;
}

static double certify_other(void *user, const PerpProblem *p, const PerpPoint *point,
                            double tolerance, double *of_contact)
{
    (void)tolerance;
    PerpCertified *best = user;
    PerpCertificate certificate;
    PerpArenaMark mark = perp_arena_mark(best->arena);
    PerpStatus status = perp_certify_contacts(&best->scratch, p, point->v, point->c, point->lambda,
                                              &certificate, of_contact, NULL);
    perp_arena_release(best->arena, mark);
    return status ? NAN : certificate.worst;
}

const PerpLcpJudge perp_certified_lcp_judge = {perp_lcp_certify, perp_lcp_certify_ray};

PerpJudge perp_certified_judge(PerpCertified *best)
{
    return (PerpJudge){certify, best, &perp_certified_lcp_judge};
}

PerpJudge perp_certified_judge_others(PerpCertified *best)
{
    return (PerpJudge){certify_other, best, &perp_certified_lcp_judge};
}

double perp_certified_accept_held(PerpCertified *best, const PerpPoint *point, const double *slip,
                                  double tolerance)
{
    PerpHeld held;
    PerpArenaMark mark = perp_arena_mark(best->arena);
    PerpStatus status =
        perp_certify_held(&best->scratch, best->judged, point->v, point->c, slip, &held, NULL);
    perp_arena_release(best->arena, mark);
    if (status)
        return NAN;
    bool first = !best->has_held, better = held.gap_speed < best->held.gap_speed;
    if (held.residual <= tolerance && (first || better)) {
        if (isnan(certify(best, best->p, point, INFINITY, NULL)))
            return NAN;
        best->held = held;
        best->has_held = true;
        copy(best->slip_held, slip, best->p->n_groups);
    }
    return held.residual;
}

double perp_certified_contacts(PerpArena *arena, const PerpContactProblem *p, const double *r,
                               double *u, PerpContactCertificate *certificate)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    PerpContext scratch = perp_arena_context(arena);
    PerpStatus status = perp_contact_problem_certify(&scratch, p, r, u, certificate, NULL);
    perp_arena_release(arena, mark);
    return status ? NAN : certificate->worst;
}
