// Private to the scene generator: a random scene while it grows.
#ifndef PERP_TEST_SCENE_H
#define PERP_TEST_SCENE_H

#include "generate.h"

typedef struct Scene {
    PerpRandom random;
    const PerpSceneOptions *options;
    PerpSample *sample;
    double *centre; // 3 per body, m
    double *v_s;    // 6 per body: the velocity that keeps every joint and contact
} Scene;

void perp_scene_add_body(Scene *c, int body);
void perp_scene_add_joints(Scene *c);
void perp_scene_add_limit(Scene *c, int number); // the odd ones bound c from above
void perp_scene_add_motor(Scene *c, bool locked);
void perp_scene_add_contact(Scene *c);

#endif
