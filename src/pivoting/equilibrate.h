// Scaling of a matrix by powers of two, which loses no bit.
#ifndef PERP_PIVOTING_EQUILIBRATE_H
#define PERP_PIVOTING_EQUILIBRATE_H

// Finds row and column so that the largest entry of each row and column of diag(row) M diag(column)
// is near 1; symmetric M gets row = column. M is n x n by columns; a zero row keeps the factor 1.
// scratch: 3 n.
void perp_equilibrate(int n, const double *M, double *row, double *column, double *scratch);

double perp_power_of_two(double x); // the power of two next to x > 0; 1 if x is 0

#endif
