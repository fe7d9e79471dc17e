// Scaling of a matrix by powers of two, which loses no bit.
#ifndef PERP_LCP_SCALE_H
#define PERP_LCP_SCALE_H

// Finds row and column so that the largest entry of each row and column of diag(row) M diag(column)
// is near 1; symmetric M gets row = column. M is n x n by columns; a zero row keeps the factor 1.
// scratch: 3 n.
void perp_scale_find(int n, const double *M, double *row, double *column, double *scratch);

double perp_scale_power(double x); // the power of two next to x > 0; 1 if x is 0

#endif
