// Private to the LCP generators.
#ifndef PERP_TEST_LCP_SAMPLE_H
#define PERP_TEST_LCP_SAMPLE_H

#include "generate.h"

double *perp_numbers(int count); // zeros, owned by the caller
PerpLcpSample *perp_lcp_sample_create(int n, int free_rows);

#endif
