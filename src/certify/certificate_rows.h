// What the certificates of a step problem know of each row, measured once for all of them.
#ifndef PERP_CERTIFY_CERTIFICATE_ROWS_H
#define PERP_CERTIFY_CERTIFICATE_ROWS_H

#include "perp/problem.h"

typedef struct PerpCertificateRow {
    double y;            // J v + C c + d
    double y_free;       // J v_f + d, for the gap
    double scale;        // s_r, see measure.h
    double inverse_mass; // W_r
} PerpCertificateRow;

// perp_certify_contacts and perp_certify_gap in one pass over the problem.
PerpStatus perp_certify_with_gap(const PerpContext *context, const PerpProblem *p, const double *v,
                                 const double *c, const double *lambda,
                                 PerpCertificate *certificate, double *of_contact, PerpGap *gap,
                                 PerpError *error);

// The gap of velocities and impulses whose rows have been measured.
void perp_gap_judge(const PerpProblem *p, const double *c, const PerpCertificateRow *row,
                    PerpGap *gap);

// The law with slip held of such impulses, momentum left out.
void perp_held_judge(const PerpProblem *p, const double *c, const double *slip,
                     const PerpCertificateRow *row, PerpHeld *held);

#endif
