// The solution of an island, at its places in the whole problem.

#include "step/islands/islands.h"

#include <string.h>

void perp_islands_scatter_velocities(const PerpIslands *islands, int island,
                                     const PerpProblem *part, const double *from, double *v)
{
    const PerpProblem *p = islands->whole;
    for (int k = 0; k < part->n_bodies; k++) {
        int body = islands->body[islands->body_first[island] + k];
        int size = part->body_start[k + 1] - part->body_start[k];
        memcpy(v + p->body_start[body], from + part->body_start[k], (size_t)size * sizeof(double));
    }
}

void perp_islands_scatter(const PerpIslands *islands, int island, const PerpProblem *part,
                          const PerpProblemResult *result, const PerpIslandPlaces *to)
{
    const PerpProblem *p = islands->whole;
    const int *row = islands->row + islands->row_first[island];
    const int *contact = row + part->n_joints + part->n_boxes;
    const int *group = islands->group + islands->group_first[island];
    perp_islands_scatter_velocities(islands, island, part, result->v, to->v);
    for (int k = 0; k < perp_problem_rows(part); k++)
        to->c[row[k]] = result->c[k];
    for (int g = 0; g < part->n_groups; g++)
        to->lambda[group[g]] = result->lambda[g];
    for (int k = 0; k < part->n_contacts && to->of_contact; k++)
        to->of_contact[contact[k] - p->n_joints - p->n_boxes] = result->of_contact[k];
}

void perp_islands_renumber(const PerpIslands *islands, int island, const PerpProblem *part,
                           PerpCertificate *certificate)
{
    const PerpProblem *p = islands->whole;
    const int *row = islands->row + islands->row_first[island];
    const struct {
        PerpResidual from, to;
        int first, whole_first; // of the class, within the island's rows and the whole's
    } classes[] = {
        {PERP_RESIDUAL_JOINT, PERP_RESIDUAL_JOINT, 0, 0},
        {PERP_RESIDUAL_BOX_RANGE, PERP_RESIDUAL_BOX_SIGN, part->n_joints, p->n_joints},
        {PERP_RESIDUAL_APPROACH, PERP_RESIDUAL_CONTACT_GAP, part->n_joints + part->n_boxes,
         p->n_joints + p->n_boxes},
        {PERP_RESIDUAL_SLIP, PERP_RESIDUAL_SLIP_GAP,
         part->n_joints + part->n_boxes + part->n_contacts,
         p->n_joints + p->n_boxes + p->n_contacts},
    };
    int *at = certificate->residual_row;
    if (at[PERP_RESIDUAL_MOMENTUM] >= 0)
        at[PERP_RESIDUAL_MOMENTUM] =
            islands->body[islands->body_first[island] + at[PERP_RESIDUAL_MOMENTUM]];
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
        for (int kind = (int)classes[c].from; kind <= (int)classes[c].to; kind++)
            if (at[kind] >= 0)
                at[kind] = row[classes[c].first + at[kind]] - classes[c].whole_first;
    for (int kind = PERP_RESIDUAL_CONE; kind <= PERP_RESIDUAL_DISSIPATION; kind++)
        if (at[kind] >= 0)
            at[kind] = islands->group[islands->group_first[island] + at[kind]];
}
