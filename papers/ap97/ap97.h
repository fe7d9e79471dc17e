// The entries of AP97.
#ifndef PERP_PAPERS_AP97_H
#define PERP_PAPERS_AP97_H

#include "papers/paper.h"

void ap97_counterexample(Paper *paper);
void ap97_lemma_3_1(Paper *paper);
void ap97_poisson(Paper *paper);
void ap97_energy(Paper *paper);
void ap97_exponential(Paper *paper);
void ap97_trajectory(Paper *paper);
void ap97_variants(Paper *paper);

#endif
