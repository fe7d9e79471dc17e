// The remark at the end of AP97 section 3 about Glocker and Pfeiffer.
#include "papers/ap97/ap97.h"

#include <math.h>

// With e the diagonal matrix epsilon and L = Lambda_C: half of  L'e G e L  and of  L'G L
void ap97_counterexample(Paper *paper)
{
    const double G[2][2] = {{4, 2}, {2, 4}}, e[2] = {0.5, 1}, L[2] = {1, -2};
    double with = 0, without = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            with += e[i] * L[i] * G[i][j] * e[j] * L[j] / 2;
            without += L[i] * G[i][j] * L[j] / 2;
        }
    double trace = G[0][0] + G[1][1], determinant = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    double least = trace / 2 - sqrt(trace * trace / 4 - determinant);
    paper_table(paper, "the quadratic forms", "LeGeL/2 LGL/2 difference least-eigenvalue");
    paper_row(paper, (double[]){with, without, with - without, least}, NULL);
    paper_note(paper, "G, epsilon and Lambda_C as printed; the paper gives no numbers beyond them");
    paper_claim(paper, G[0][1] == G[1][0] && least >= 0,
                "G is symmetric and positive semidefinite, 0 <= epsilon <= 1");
    paper_claim(paper, with > without,
                "L'eGeL/2 - L'GL/2 <= 0, which Glocker and Pfeiffer use, is violated");
}
