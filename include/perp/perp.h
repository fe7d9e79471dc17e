// perp: rigid bodies with joints, contact, Coulomb friction and impact. Each step is one
// complementarity problem; perp solves it, checks it independently and says how good it is.
#ifndef PERP_PERP_H
#define PERP_PERP_H

#include "perp/cone.h"    // the circular friction cone: its residual
#include "perp/context.h" // memory and log
#include "perp/file.h"    // problem files: JSON and FCLIB
#include "perp/lcp.h"     // plain and mixed linear complementarity problems
#include "perp/problem.h" // the step problem and its certificate
#include "perp/status.h"  // status codes and errors
#include "perp/version.h" // the version
#include "perp/words.h"   // the nearest known word

#endif
