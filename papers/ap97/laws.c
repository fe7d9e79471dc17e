// Lemma 3.1 and its neighbours on many random impacts.
#include "papers/ap97/ap97.h"
#include "papers/ap97/impacts.h"

#include <math.h>

enum { IMPACTS = 20000 };

static const char COLUMNS[] = "printed contacts mu e impacts grown largest rebound";

static ImpactTally add_row(Paper *paper, ImpactLaw law, int contacts, double mu, double e)
{
    ImpactTally tally = impact_statistics(paper, law, IMPACTS, contacts, mu, e);
    bool printed = law == IMPACT_ONE_PHASE_PRINTED || law == IMPACT_TWO_PHASES_PRINTED;
    paper_row(paper,
              (double[]){printed, contacts, mu, e < 0 ? -1 : e, tally.impacts, tally.grown,
                         tally.largest, tally.rebound},
              NULL);
    return tally;
}

// One contact and three, the same e at all of them; the tallies summed up.
static ImpactTally add_rows(Paper *paper, ImpactLaw law, double mu)
{
    static const double e[] = {0.25, 0.5, 1};
    ImpactTally sum = {0};
    for (int contacts = 1; contacts <= IMPACT_CONTACTS; contacts += 2)
        for (int k = 0; k < 3; k++) {
            ImpactTally tally = add_row(paper, law, contacts, mu, e[k]);
            sum.impacts += tally.impacts;
            sum.grown += tally.grown;
        }
    return sum;
}

void ap97_lemma_3_1(Paper *paper)
{
    paper_table(paper, "impacts", COLUMNS);
    ImpactTally meant = add_rows(paper, IMPACT_ONE_PHASE, 0.7);
    ImpactTally half = add_row(paper, IMPACT_ONE_PHASE, 1, 0.7, 0.5);
    ImpactTally half_printed = add_row(paper, IMPACT_ONE_PHASE_PRINTED, 1, 0.7, 0.5);
    paper_note(paper, "systems with 3 velocities, random M, n, D and v^-, every contact hit; "
                      "largest: of T+/T-; rebound: mean of -n'v+/n'v^- at the first contact; "
                      "printed: 1 where v+ = (1 + e) v^c - v^-, as printed");
    paper_claim(paper, meant.grown == 0,
                "lemma 3.1 with v+ = (1 + e) v^c - e v^-: energy grew in %d of %d impacts",
                meant.grown, meant.impacts);
    paper_claim(paper, fabs(half.rebound - 0.5) < 1e-9 && fabs(half_printed.rebound - 1) < 1e-9,
                "v+ = (1 + e) v^c - v^-, as printed, is a misprint: at e = 0.5 one contact "
                "rebounds by %.3g, with e v^- by %.3g, and the lemma's proof has e v^-",
                half_printed.rebound, half.rebound);
}

void ap97_poisson(Paper *paper)
{
    paper_table(paper, "impacts", COLUMNS);
    ImpactTally smooth = add_rows(paper, IMPACT_TWO_PHASES, 0);
    ImpactTally rough = add_rows(paper, IMPACT_TWO_PHASES, 0.7);
    ImpactTally printed = add_row(paper, IMPACT_TWO_PHASES_PRINTED, 1, 0.7, 1);
    ImpactTally mixed = add_row(paper, IMPACT_TWO_PHASES, 3, 0, -1);
    ImpactTally mixed_rough = add_row(paper, IMPACT_TWO_PHASES, 3, 0.7, -1);
    paper_note(paper, "as ap97-lemma-3.1; printed: 1 where friction of decompression is bounded by "
                      "mu c_n^x, else by mu (e c_n^c + c_n^x); e = -1: each contact its own");
    paper_note(paper,
               "different e and friction, of which nothing is proved: energy grew in %d of "
               "%d impacts",
               mixed_rough.grown, mixed_rough.impacts);
    paper_claim(paper, smooth.grown + mixed.grown == 0,
                "without friction, the same e or not, energy grew in %d of %d impacts (proof in "
                "docs/theory/ap97.md): what Glocker and Pfeiffer claim holds there, although the "
                "inequality of their proof does not",
                smooth.grown + mixed.grown, smooth.impacts + mixed.impacts);
    paper_claim(paper, rough.grown == 0,
                "with friction bounded by mu (e c_n^c + c_n^x) and one e it grew in %d of %d "
                "(proof in docs/theory/ap97.md)",
                rough.grown, rough.impacts);
    paper_claim(paper, printed.grown > 0,
                "bounded by mu c_n^x, as printed, it grew in %d of %d impacts with one contact, up "
                "to %.3g times: theorem 5.1 must assume that it does not",
                printed.grown, printed.impacts, printed.largest);
}
