// Random impacts of one system with three velocities.
#ifndef PERP_PAPERS_AP97_IMPACTS_H
#define PERP_PAPERS_AP97_IMPACTS_H

#include "papers/paper.h"

enum { IMPACT_VELOCITIES = 3, IMPACT_CONTACTS = 3 };

typedef struct Impact {
    int contacts;
    double M[IMPACT_VELOCITIES * IMPACT_VELOCITIES];
    double n[IMPACT_CONTACTS][IMPACT_VELOCITIES], t[IMPACT_CONTACTS][IMPACT_VELOCITIES];
    double mu, e[IMPACT_CONTACTS];
    double before[IMPACT_VELOCITIES];
} Impact;

// What a law made of many impacts.
typedef struct ImpactTally {
    int impacts, grown; // grown: by more than rounding
    double largest;     // T+ / T-
    double rebound;     // -n'v+ / n'v^- of the first contact, mean
} ImpactTally;

typedef enum ImpactLaw {
    IMPACT_ONE_PHASE,         // v+ = (1 + e) v^c - e v^-
    IMPACT_ONE_PHASE_PRINTED, // v+ = (1 + e) v^c - v^-
    IMPACT_TWO_PHASES,        // friction of decompression bounded by mu (e c_n^c + c_n^x)
    IMPACT_TWO_PHASES_PRINTED // by mu c_n^x
} ImpactLaw;

// Of `count` random impacts. e: of all contacts; < 0: of each its own, random.
ImpactTally impact_statistics(Paper *paper, ImpactLaw law, int count, int contacts, double mu,
                              double e);

#endif
