// The report of perp solve as one JSON object.
#include "common/cli.h"
#include "common/json.h"
#include "solve/solve.h"

static void print_work(FILE *out, const SolveReport *report, PerpLcpMethod method, int pivots,
                       int attempts, int factorisations, bool basis_reused)
{
    fprintf(out,
            ",\n \"status\": \"%s\", \"solver\": \"%s\", \"pivots\": %d, \"attempts\": %d, "
            "\"factorisations\": %d, \"basis_reused\": %s,\n ",
            perp_outcome_name(solve_outcome(report)), perp_lcp_method_name(method), pivots,
            attempts, factorisations, basis_reused ? "true" : "false");
    json_member(out, "", "seconds", report->seconds);
    json_member(out, ", ", "tolerance", report->tolerance);
}

static void print_lcp_certificate(FILE *out, const PerpLcpCertificate *certificate)
{
    json_member(out, ",\n \"certificate\": {", "equation", certificate->equation);
    json_member(out, ", ", "slack", certificate->slack);
    json_member(out, ", ", "sign", certificate->sign);
    json_member(out, ", ", "gap", certificate->gap);
    json_member(out, ", ", "worst", certificate->worst);
    fprintf(out, ", \"worst_row\": %d}", certificate->worst_row);
}

static void print_ray(FILE *out, const PerpLcpResult *result)
{
    const PerpLcpRay *ray = &result->ray;
    json_vector(out, ",\n \"ray\": {", "z", ray->z, result->n);
    json_vector(out, ",\n  ", "dz", ray->dz, result->n);
    json_vector(out, ",\n  ", "cover", ray->cover, result->n);
    json_member(out, ",\n  ", "z0", ray->z0);
    json_member(out, ", ", "dz0", ray->dz0);
    json_member(out, ", ", "worst", result->ray_certificate.worst);
    json_member(out, ", ", "farkas", result->ray_certificate.farkas);
    json_member(out, ", ", "q_dz", result->ray_certificate.q_dz);
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
    json_vector(out, ",\n ", "z", result->z, p->n);
    json_vector(out, ",\n ", "w", result->w, p->n);
    if (result->outcome == PERP_OUTCOME_RAY || result->outcome == PERP_OUTCOME_INFEASIBLE)
        print_ray(out, result);
}

static void print_certificate(FILE *out, const PerpCertificate *certificate)
{
    fputs(",\n \"certificate\": {", out);
    for (int k = 0; k < PERP_RESIDUAL_COUNT; k++)
        json_member(out, k ? ", " : "", perp_residual_name((PerpResidual)k),
                    certificate->residual[k]);
    json_member(out, ", ", "worst", certificate->worst);
    fprintf(out, ", \"worst_kind\": \"%s\", \"worst_row\": %d,\n  ",
            perp_residual_name(certificate->worst_kind),
            certificate->residual_row[certificate->worst_kind]);
    json_member(out, "", "energy", certificate->energy);
    json_member(out, ", ", "free_energy", certificate->free_energy);
    json_member(out, ", ", "energy_excess", certificate->energy_excess);
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
    json_vector(out, ",\n ", "v", result->v, perp_problem_velocities(p));
    json_vector(out, ",\n ", "c", result->c, perp_problem_rows(p));
    json_vector(out, ",\n ", "lambda", result->lambda, p->n_groups);
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
    json_member(out, "", "seconds", report->seconds);
    json_member(out, ", ", "tolerance", report->tolerance);
    json_member(out, ",\n \"certificate\": {", "worst", certificate->worst);
    json_member(out, ", ", "contact", certificate->contact);
    json_member(out, ", ", "natural", certificate->natural);
    json_member(out, ", ", "joint", certificate->joint);
    fprintf(out, ", \"worst_contact\": %d}", certificate->worst_contact);
    json_vector(out, ",\n ", "r", result->r, perp_contact_problem_rows(p));
    json_vector(out, ",\n ", "u", result->u, perp_contact_problem_rows(p));
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
    json_member(out, "", "residual", report->circular.residual);
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
