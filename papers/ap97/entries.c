// The entries of AP97.
#include "papers/paper.h"

#include <math.h>

// With D = epsilon and L = Lambda_C, half of  L'D G D L - L'G L,  which Glocker and Pfeiffer take
// for <= 0.                                                               [AP97 section 3, remark]
static void show_counterexample(Paper *paper)
{
    const double G[2][2] = {{4, 2}, {2, 4}}, epsilon[2] = {0.5, 1}, L[2] = {1, -2};
    double with = 0, without = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            with += epsilon[i] * L[i] * G[i][j] * epsilon[j] * L[j] / 2;
            without += L[i] * G[i][j] * L[j] / 2;
        }
    double trace = G[0][0] + G[1][1], det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    double least = trace / 2 - sqrt(trace * trace / 4 - det);
    paper_table(paper, "the quadratic forms", "LeGeL/2 LGL/2 difference least-eigenvalue-of-G");
    paper_row(paper, (double[]){with, without, with - without, least}, NULL);
    paper_claim(paper, G[0][1] == G[1][0] && least >= 0,
                "G is symmetric and positive semidefinite");
    paper_claim(paper, with - without > 0,
                "L'eGeL/2 - L'GL/2 <= 0, which Glocker and Pfeiffer use, is violated");
}

const PaperEntry papers_ap97[] = {
    {"ap97-counterexample", "section 3: matrices against a claim of Glocker and Pfeiffer",
     show_counterexample},
    {0},
};
