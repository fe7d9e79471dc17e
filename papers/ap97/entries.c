// The list of AP97's entries. The paper has no tables and figures: these are its examples and
// theorems.
#include "papers/ap97/ap97.h"

const PaperEntry papers_ap97[] = {
    {"ap97-counterexample", "section 3: matrices against a claim of Glocker and Pfeiffer",
     ap97_counterexample},
    {"ap97-lemma-3.1", "energy after impacts in one phase, as printed and as meant",
     ap97_lemma_3_1},
    {"ap97-poisson", "energy after impacts in two phases, (3.2)-(3.5)", ap97_poisson},
    {"ap97-energy", "tumbling boxes: (2.22) each step, the linear bound (5.4)", ap97_energy},
    {"ap97-exponential", "a ball on a spring above a floor: the bound (5.3)", ap97_exponential},
    {"ap97-trajectory", "section 4: a ball's bounces against the algorithm by hand",
     ap97_trajectory},
    {"ap97-variants", "section 4: data at q, at q + h v/2, and the nonlinear problem",
     ap97_variants},
    {0},
};
