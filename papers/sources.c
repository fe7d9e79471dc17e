// The five papers, each with its list of entries.
#include "papers/collected.h"

const PaperSource paper_sources[] = {
    {"ap97", "M. Anitescu, F. A. Potra",
     "Formulating dynamic multi-rigid-body contact problems with friction as solvable linear "
     "complementarity problems",
     1997, papers_ap97},
    {"pagt06", "F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle",
     "A linearly implicit trapezoidal method for integrating stiff multibody dynamics with "
     "contact, joints, and friction",
     2006, papers_pagt06},
    {"st97", "D. E. Stewart, J. C. Trinkle", "Dynamics, friction, and complementarity problems",
     1997, papers_st97},
    {"l82", "P. Lötstedt", "Mechanical systems of rigid bodies subject to unilateral constraints",
     1982, papers_l82},
    {"ps02", "L. Paoli (and M. Schatzman)",
     "A time-stepping scheme for multibody dynamics with unilateral constraints", 2010,
     papers_ps02},
};
const int paper_source_count = sizeof paper_sources / sizeof *paper_sources;
