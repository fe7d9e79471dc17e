// Rays against shapes.
#ifndef PERP_COLLIDE_RAY_H
#define PERP_COLLIDE_RAY_H

#include "model/model.h"

typedef struct PerpRay {
    PerpVec3 origin, direction; // world; unit
    double limit;               // m
} PerpRay;

typedef struct PerpRayPoint {
    double distance; // m, along the ray; 0 if it starts inside
    PerpVec3 normal; // unit, world, out of the shape; 0 if it starts inside
} PerpRayPoint;

// False if the shape is not met within the limit.
bool perp_ray_meets(const PerpShape *shape, PerpPose pose, const PerpRay *ray, PerpRayPoint *point);

#endif
