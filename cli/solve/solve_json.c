// The report of perp solve as one JSON object.
#include "common/cli.h"
#include "common/json.h"
#include "solve/solve.h"

static void print_member(FILE *out, const char *name, double number)
{
    fprintf(out, "\"%s\": ", name);
    json_number(out, number);
}

static void print_vector(FILE *out, const char *name, const double *numbers, int count)
{
    fprintf(out, ",\n \"%s\": ", name);
    json_numbers(out, numbers, count);
}

static void print_work(FILE *out, const SolveReport *report, PerpLcpMethod method, int pivots,
                       int attempts, int factorisations, bool basis_reused)
{
    fprintf(out,
            ",\n \"status\": \"%s\", \"solver\": \"%s\", \"pivots\": %d, \"attempts\": %d, "
            "\"factorisations\": %d, \"basis_reused\": %s,\n ",
            perp_outcome_name(solve_outcome(report)), perp_lcp_method_name(method), pivots,
            attempts, factorisations, basis_reused ? "true" : "false");
    print_member(out, "seconds", report->seconds);
    fputs(", ", out);
    print_member(out, "tolerance", report->tolerance);
}

static void print_lcp_certificate(FILE *out, const PerpLcpCertificate *certificate)
{
    fputs(",\n \"certificate\": {", out);
    print_member(out, "equation", certificate->equation);
    fputs(", ", out);
    print_member(out, "slack", certificate->slack);
    fputs(", ", out);
    print_member(out, "sign", certificate->sign);
    fputs(", ", out);
    print_member(out, "gap", certificate->gap);
    fputs(", ", out);
    print_member(out, "worst", certificate->worst);
    fprintf(out, ", \"worst_row\": %d}", certificate->worst_row);
}

static void print_ray(FILE *out, const PerpLcpResult *result)
{
    const PerpLcpRay *ray = &result->ray;
    fputs(",\n \"ray\": {\"z\": ", out);
    json_numbers(out, ray->z, result->n);
    fputs(",\n  \"dz\": ", out);
    json_numbers(out, ray->dz, result->n);
    fputs(",\n  \"cover\": ", out);
    json_numbers(out, ray->cover, result->n);
    fputs(",\n  ", out);
    print_member(out, "z0", ray->z0);
    fputs(", ", out);
    print_member(out, "dz0", ray->dz0);
    fputs(", ", out);
    print_member(out, "worst", result->ray_certificate.worst);
    fputs(", ", out);
    print_member(out, "farkas", result->ray_certificate.farkas);
    fputs(", ", out);
    print_member(out, "q_dz", result->ray_certificate.q_dz);
    fputc('}', out);
}

static void print_lcp(FILE *out, const SolveReport *report)
{
    const PerpLcp *p = perp_problem_file_lcp(report->file);
    const PerpLcpResult *result = &report->lcp;
    fprintf(out, "{\"kind\": \"lcp\", \"n\": %d, \"free\": %d", p->n, p->free);
    print_work(out, report, result->method, result->pivots, result->attempts,
               result->factorisations, result->basis_reused);
    print_lcp_certificate(out, &result->certificate);
    print_vector(out, "z", result->z, p->n);
    print_vector(out, "w", result->w, p->n);
    if (result->outcome == PERP_OUTCOME_RAY || result->outcome == PERP_OUTCOME_INFEASIBLE)
        print_ray(out, result);
}

static void print_certificate(FILE *out, const PerpCertificate *certificate)
{
    fputs(",\n \"certificate\": {", out);
    for (int k = 0; k < PERP_RESIDUAL_COUNT; k++) {
        print_member(out, perp_residual_name((PerpResidual)k), certificate->residual[k]);
        fputs(", ", out);
    }
    print_member(out, "worst", certificate->worst);
    fprintf(out, ", \"worst_kind\": \"%s\", \"worst_row\": %d,\n  ",
            perp_residual_name(certificate->worst_kind),
            certificate->residual_row[certificate->worst_kind]);
    print_member(out, "energy", certificate->energy);
    fputs(", ", out);
    print_member(out, "free_energy", certificate->free_energy);
    fputs(", ", out);
    print_member(out, "energy_excess", certificate->energy_excess);
    fprintf(out, ", \"symmetric\": %s}", certificate->symmetric ? "true" : "false");
}

static void print_problem(FILE *out, const SolveReport *report)
{
    const PerpProblem *p = perp_problem_file_step(report->file);
    const PerpProblemResult *result = &report->problem;
    fprintf(out,
            "{\"kind\": \"problem\", \"bodies\": %d, \"velocities\": %d, \"joints\": %d, "
            "\"boxes\": %d, \"contacts\": %d, \"directions\": %d, \"groups\": %d,\n "
            "\"lcp_size\": %d, \"joint_rank\": %d",
            p->n_bodies, perp_problem_velocities(p), p->n_joints, p->n_boxes, p->n_contacts,
            p->n_directions, p->n_groups, result->lcp_size, result->joint_rank);
    print_work(out, report, result->method, result->pivots, result->attempts,
               result->factorisations, result->basis_reused);
    fprintf(out, ", \"solved_by\": \"%s\", \"iterations\": %d", perp_method_name(result->solved_by),
            result->iterations);
    print_certificate(out, &result->certificate);
    print_vector(out, "v", result->v, perp_problem_velocities(p));
    print_vector(out, "c", result->c, perp_problem_rows(p));
    print_vector(out, "lambda", result->lambda, p->n_groups);
}

static void print_local(FILE *out, const SolveReport *report)
{
    const PerpContactProblem *p = perp_problem_file_contact(report->file);
    const PerpContactResult *result = &report->local;
    const PerpContactCertificate *certificate = &result->certificate;
    fprintf(out,
            "{\"kind\": \"local\", \"dimension\": %d, \"contacts\": %d, \"bilateral\": %d, "
            "\"islands\": %d,\n \"status\": \"%s\", \"solved_by\": \"%s\", \"iterations\": %d, "
            "\"sweeps\": %d,\n ",
            p->dimension, p->contacts, p->bilateral, result->islands,
            perp_outcome_name(result->outcome), perp_method_name(result->solved_by),
            result->iterations, result->sweeps);
    print_member(out, "seconds", report->seconds);
    fputs(", ", out);
    print_member(out, "tolerance", report->tolerance);
    fputs(",\n \"certificate\": {", out);
    print_member(out, "worst", certificate->worst);
    fputs(", ", out);
    print_member(out, "contact", certificate->contact);
    fputs(", ", out);
    print_member(out, "natural", certificate->natural);
    fputs(", ", out);
    print_member(out, "joint", certificate->joint);
    fprintf(out, ", \"worst_contact\": %d}", certificate->worst_contact);
    print_vector(out, "r", result->r, perp_contact_problem_rows(p));
    print_vector(out, "u", result->u, perp_contact_problem_rows(p));
}

// Where the velocities of the problem stand in the file, which has another order.
static void print_order(FILE *out, const SolveReport *report)
{
    const int *velocity = perp_problem_file_fclib(report->file)->velocity;
    int count = perp_problem_velocities(perp_problem_file_step(report->file));
    fputs(",\n \"v_index\": [", out);
    for (int k = 0; k < count; k++)
        fprintf(out, "%s%d", k ? ", " : "", velocity[k]);
    fputc(']', out);
}

static void print_circular(FILE *out, const SolveReport *report)
{
    const PerpFclibInfo *fclib = perp_problem_file_fclib(report->file);
    fprintf(out, ",\n \"circular\": {\"dimension\": %d, \"facets\": %d, ", fclib->dimension,
            report->facets);
    print_member(out, "residual", report->circular.residual);
    fprintf(out, ", \"contact\": %d}", report->circular.contact);
}

void solve_print_json(FILE *out, const SolveReport *report)
{
    if (perp_problem_file_kind(report->file) == PERP_PROBLEM_FILE_LCP)
        print_lcp(out, report);
    else if (perp_problem_file_kind(report->file) == PERP_PROBLEM_FILE_CONTACT)
        print_local(out, report);
    else
        print_problem(out, report);
    if (perp_problem_file_fclib(report->file)->global)
        print_order(out, report);
    if (report->facets > 0)
        print_circular(out, report);
    if (report->traced)
        solve_print_trace_json(out, &report->trace);
    fputs("}\n", out);
}
