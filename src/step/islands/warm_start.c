// Warm starts from the contact impulses of the last step.

#include "step/islands/warm_start.h"

// What a row along `along` has of an impulse.
static double part_of(const double *impulse, PerpVec3 along)
{
    PerpVec3 p = {impulse[0], impulse[1], impulse[2]};
    double length = perp_vec3_dot(along, along);
    return length > 0 ? perp_vec3_dot(p, along) / length : 0;
}

double *perp_warm_start(PerpArena *arena, const PerpReports *reports, double impulse_scale,
                        const PerpAssembly *rows, const PerpIslands *islands, int island)
{
    const PerpProblem *p = islands->whole;
    int normals = p->n_joints + p->n_boxes, directions = normals + p->n_contacts, group = 0, at = 0;
    int first = islands->row_first[island], end = islands->row_first[island + 1];
    double *start = PERP_TAKE(arena, double, end - first);
    for (int k = first; start && k < end; k++) {
        int row = islands->row[k], contact = row - normals;
        if (row < normals)
            continue;
        double of_row = impulse_scale;
        if (row >= directions) {
            while (p->group_start[group + 1] <= row - directions)
                group++;
            contact = p->group_contact[group];
            int facets = p->group_start[group + 1] - p->group_start[group];
            if (!p->group_circular[group])
                of_row *= 2.0 / facets; // parts of a regular polygon sum up
        }
        const PerpContactReport *last =
            perp_reports_find(reports, rows->unilateral[contact].id, &at);
        if (last && rows->unilateral[contact].kind == PERP_UNILATERAL_CONTACT)
            start[k - first] = of_row * part_of(last->impulse, rows->along[row]);
    }
    return start;
}
