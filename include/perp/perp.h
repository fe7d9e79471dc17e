// perp: rigid bodies with joints, contact, Coulomb friction and impact. Each step is one
// complementarity problem or a few; perp solves them, certifies each by independent code and
// reports its residuals.
#ifndef PERP_PERP_H
#define PERP_PERP_H

#include "perp/api.h"     // PERP_API
#include "perp/context.h" // memory and log
#include "perp/status.h"  // status codes and errors
#include "perp/version.h" // the version

#include "perp/control.h"    // sites, signals, actuators, motions, sensors
#include "perp/model.h"      // bodies, joints, springs, materials
#include "perp/scene.h"      // the same, and how to run it, from a YAML file
#include "perp/shape.h"      // shapes
#include "perp/simulation.h" // a model in motion
#include "perp/system.h"     // custom systems, given as functions
#include "perp/verdict.h"    // what a whole run is worth

#include "perp/contact_problem.h" // contact problems without bodies, FCLIB's local ones
#include "perp/friction.h"        // the residual of the circular friction law
#include "perp/lcp.h"             // plain and mixed linear complementarity problems
#include "perp/problem.h"         // the step problem and its certificate
#include "perp/problem_file.h"    // problem files: JSON and FCLIB

#include "perp/batch.h"     // many simulations at once, states as arrays
#include "perp/export.h"    // recordings for other programs
#include "perp/figure.h"    // series drawn as SVG and text
#include "perp/recording.h" // runs kept in files
#include "perp/study.h"     // many runs of a scene whose parameters vary
#include "perp/table.h"     // tables: CSV, HDF5, Parquet
#include "perp/words.h"     // the nearest of several words, for messages

#endif
