// The report of perp solve as text: what was solved, how it ended, and the certificate.
#include "solve/solve.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

enum { SHOWN = 12 }; // longer vectors are left to --json

static void print_counted(FILE *out, const char *separator, int count, const char *noun,
                          const char *nouns)
{
    fprintf(out, "%s%d %s", separator, count, count == 1 ? noun : nouns);
}

static void print_vector(FILE *out, const char *name, const double *numbers, int count)
{
    if (count == 0 || count > SHOWN)
        return;
    fprintf(out, "%-13s", name);
    for (int k = 0; k < count; k++)
        fprintf(out, " %.10g", numbers[k]);
    fputc('\n', out);
}

static const char *explain_outcome(PerpOutcome outcome)
{
    switch (outcome) {
    case PERP_OUTCOME_SOLVED:
        return "every residual is within the tolerance";
    case PERP_OUTCOME_MISSED:
        return "this is the best found, but a residual is above the tolerance";
    case PERP_OUTCOME_RAY:
        return "the path ended on a ray; no solution was found, none is excluded";
    case PERP_OUTCOME_INFEASIBLE:
        return "proved: no z >= 0 has M z + q >= 0";
    default:
        return "the limit of pivots was reached";
    }
}

static void print_work(FILE *out, const SolveReport *report, PerpLcpMethod method, int pivots,
                       int attempts, int factorisations)
{
    PerpOutcome outcome = solve_outcome(report);
    fprintf(out, "solver        %s\n", perp_lcp_method_name(method));
    fprintf(out, "outcome       %s: %s (%g)\n", perp_outcome_name(outcome),
            explain_outcome(outcome), report->tolerance);
    print_counted(out, "work          ", pivots, "pivot", "pivots");
    print_counted(out, ", ", attempts, "attempt", "attempts");
    print_counted(out, ", ", factorisations, "factorisation", "factorisations");
    fprintf(out, ", %.3f ms CPU\n", 1e3 * report->seconds);
}

static void print_lcp_certificate(FILE *out, const PerpLcpCertificate *certificate, int free)
{
    fprintf(out, "certificate   worst %.2e in row %d\n", certificate->worst,
            certificate->worst_row);
    if (free > 0)
        fprintf(out, "  equation    %.2e   |w| of the free rows\n", certificate->equation);
    fprintf(out, "  slack       %.2e   w < 0\n", certificate->slack);
    fprintf(out, "  sign        %.2e   z < 0\n", certificate->sign);
    fprintf(out, "  gap         %.2e   w and z both > 0\n", certificate->gap);
}

static void print_ray(FILE *out, const PerpLcpResult *result)
{
    const PerpLcpRayCertificate *certificate = &result->ray_certificate;
    fprintf(out, "certificate   worst %.2e of the ray z + t dz\n", certificate->worst);
    fprintf(out, "  farkas      %.2e   M'dz > 0; zero with q'dz < 0 excludes any solution\n",
            certificate->farkas);
    fprintf(out, "  q'dz        %.2e   relative to its terms\n", certificate->q_dz);
    print_vector(out, "dz", result->ray.dz, result->n);
}

static void print_lcp(FILE *out, const SolveReport *report)
{
    const PerpLcp *p = perp_problem_file_lcp(report->file);
    const PerpLcpResult *result = &report->lcp;
    print_counted(out, "problem       LCP, ", p->n, "row", "rows");
    if (p->free > 0)
        fprintf(out, ", of which %d free", p->free);
    fputc('\n', out);
    print_work(out, report, result->method, result->pivots, result->attempts,
               result->factorisations);
    if (result->outcome == PERP_OUTCOME_RAY || result->outcome == PERP_OUTCOME_INFEASIBLE) {
        print_ray(out, result);
        return;
    }
    print_lcp_certificate(out, &result->certificate, p->free);
    print_vector(out, "z", result->z, p->n);
    print_vector(out, "w", result->w, p->n);
}

static void print_certificate(FILE *out, const PerpCertificate *certificate)
{
    fprintf(out, "certificate   worst %.2e, %s\n", certificate->worst,
            perp_residual_name(certificate->worst_kind));
    for (int k = 0; k < PERP_RESIDUAL_COUNT; k++)
        if (certificate->residual_row[k] >= 0)
            fprintf(out, "  %-11s %.2e   %s %d\n", perp_residual_name((PerpResidual)k),
                    certificate->residual[k], perp_residual_unit((PerpResidual)k),
                    certificate->residual_row[k]);
    fprintf(out, "energy        %.6g J; without constraints %.6g J; excess %.2e%s\n",
            certificate->energy, certificate->free_energy, certificate->energy_excess,
            certificate->symmetric ? "" : " (M is not symmetric: no bound known)");
}

// Methods for circular cones have no pivots to count.
static void print_ladder(FILE *out, const SolveReport *report, PerpMethod method, int iterations)
{
    PerpOutcome outcome = solve_outcome(report);
    fprintf(out, "solved by     %s\n", perp_method_name(method));
    fprintf(out, "outcome       %s: %s (%g)\n", perp_outcome_name(outcome),
            explain_outcome(outcome), report->tolerance);
    print_counted(out, "work          ", iterations, "iteration", "iterations");
}

static void print_local(FILE *out, const SolveReport *report)
{
    const PerpContactProblem *p = perp_problem_file_contact(report->file);
    const PerpContactResult *result = &report->local;
    const PerpContactCertificate *certificate = &result->certificate;
    print_counted(out, "problem       contact problem without bodies, ", p->contacts, "contact",
                  "contacts");
    fprintf(out, " in %d-D", p->dimension);
    print_counted(out, ", ", p->bilateral, "bilateral row", "bilateral rows");
    if (result->islands > 0)
        print_counted(out, ",\n              ", result->islands, "island", "islands");
    fputc('\n', out);
    print_ladder(out, report, result->solved_by, result->iterations);
    print_counted(out, ", ", result->sweeps, "sweep", "sweeps");
    fprintf(out, ", %.3f ms CPU\n", 1e3 * report->seconds);
    fprintf(out, "certificate   worst %.2e of the exact circular law\n", certificate->worst);
    fprintf(out, "  contact     %.2e   contact %d, relative to doing nothing\n",
            certificate->contact, certificate->worst_contact);
    fprintf(out, "  natural     %.2e   |r - P_K(r - u - mu |u_T| e_n)| / |q|\n",
            certificate->natural);
    if (p->bilateral > 0)
        fprintf(out, "  joint       %.2e   bilateral row %d\n", certificate->joint,
                certificate->worst_joint);
    print_vector(out, "r", result->r, perp_contact_problem_rows(p));
    print_vector(out, "u", result->u, perp_contact_problem_rows(p));
}

static void print_method(FILE *out, const SolveReport *report)
{
    const PerpProblemResult *result = &report->problem;
    if (!perp_problem_file_step(report->file)->group_circular) {
        fprintf(out, "\n              reduced to an LCP of size %d\n", result->lcp_size);
        print_work(out, report, result->method, result->pivots, result->attempts,
                   result->factorisations);
        return;
    }
    fputs(", circular\n", out);
    print_ladder(out, report, result->solved_by, result->iterations);
    fprintf(out, ", %.3f ms CPU\n", 1e3 * report->seconds);
}

static void print_problem(FILE *out, const SolveReport *report)
{
    const PerpProblem *p = perp_problem_file_step(report->file);
    const PerpProblemResult *result = &report->problem;
    print_counted(out, "problem       step problem, ", p->n_bodies, "body", "bodies");
    print_counted(out, ", ", perp_problem_velocities(p), "velocity", "velocities");
    print_counted(out, "\n              ", p->n_joints, "joint row", "joint rows");
    if (!p->group_circular)
        fprintf(out, " of rank %d", result->joint_rank);
    print_counted(out, ", ", p->n_boxes, "box row", "box rows");
    print_counted(out, ", ", p->n_contacts, "contact", "contacts");
    print_counted(out, ", ", p->n_directions, "friction direction", "friction directions");
    print_method(out, report);
    print_certificate(out, &result->certificate);
    print_vector(out, "v", result->v, perp_problem_velocities(p));
    print_vector(out, "c", result->c, perp_problem_rows(p));
    print_vector(out, "lambda", result->lambda, p->n_groups);
}

// A polygon inscribed in the circle reaches cos(pi/u) of its radius between two corners.
static void print_circular(FILE *out, const SolveReport *report)
{
    const PerpFclibInfo *fclib = perp_problem_file_fclib(report->file);
    print_counted(out, "friction      ", fclib->contacts, "contact", "contacts");
    if (fclib->dimension == 2)
        fputs(", planar: two directions are exact\n", out);
    else
        fprintf(out,
                ", polyhedral: a polygon of %d facets inscribed in the circle;\n"
                "              depending on direction, friction is up to %.2g %% weaker and %.3g "
                "degrees askew\n",
                report->facets, 100 * (1 - cos(PI / report->facets)), 180.0 / report->facets);
    fprintf(out, "circular      residual of the exact circular law %.2e at contact %d\n",
            report->circular.residual, report->circular.contact);
}

void solve_print_text(FILE *out, const SolveReport *report)
{
    if (report->traced)
        solve_print_trace(out, &report->trace);
    fprintf(out, "file          %s\n", report->path);
    if (perp_problem_file_kind(report->file) == PERP_PROBLEM_FILE_LCP)
        print_lcp(out, report);
    else if (perp_problem_file_kind(report->file) == PERP_PROBLEM_FILE_CONTACT)
        print_local(out, report);
    else
        print_problem(out, report);
    if (report->facets > 0)
        print_circular(out, report);
}
