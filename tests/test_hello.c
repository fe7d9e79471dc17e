// The program of the README. Its output is checked by tests/cli/test_hello.sh.
#include "perp/perp.h"
#include <stdio.h>

int main(void)
{
    PerpBodyDef box = perp_default_body();
    box.position[2] = 1; // m
    PerpShapeDef shapes[2] = {perp_default_shape(), perp_default_shape()};
    shapes[0].kind = PERP_SHAPE_BOX; // a cube of 1 m, 1000 kg
    shapes[0].body = 0;
    shapes[1].kind = PERP_SHAPE_PLANE; // of the world: the ground, z <= 0
    PerpModelDef def = perp_default_model_def();
    def.n_bodies = 1;
    def.bodies = &box;
    def.n_shapes = 2;
    def.shapes = shapes;

    PerpError error;
    PerpModel *model = NULL;
    PerpSimulation *simulation = NULL;
    PerpStatus status = perp_model_create(NULL, &def, &model, &error);
    if (!status)
        status = perp_simulation_create(NULL, model, NULL, &simulation, &error);
    for (int k = 0; k < 1000 && !status; k++) // 1 s
        status = perp_simulation_step(simulation, 1e-3, &error);
    if (status) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }

    double position[3], rotation[4];
    perp_simulation_pose(simulation, 0, position, rotation);
    const PerpStepReport *report = perp_simulation_report(simulation);
    printf("height %.4f m, %s, certificate %.0e\n", position[2], perp_outcome_name(report->outcome),
           report->certificate.worst);
    for (int k = 0; k < perp_simulation_contact_count(simulation); k++) {
        PerpContactReport contact = perp_simulation_contact(simulation, k);
        printf("contact at (%4.1f, %4.1f): %s, %.1f N\n", contact.point[0], contact.point[1],
               perp_contact_status_name(contact.status), contact.impulse[2] / 1e-3);
    }
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
}
