#include "cones/operator/simd_pack.h"

#include "cones/operator/over_bodies.h"

static int entries_of(const PerpConstraint *constraint)
{
    return constraint->end - constraint->first;
}

// Row after row of an entry into one lane.
static void put_entry(const PerpConeProblem *cones, int entry, float *J, int *place)
{
    *place = PERP_FLOATS_ROW * cones->bodies.entry_body[entry];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < cones->bodies.size; i++)
            J[PERP_FLOATS * (PERP_FLOATS_COLUMNS * k + i)] =
                (float)perp_over_bodies_row(cones, entry, k)[i];
}

// Packs without their numbers; lanes that have no body are at the row of zeros.
static bool take_rows(PerpArena *arena, const PerpConeProblem *cones, PerpPacks *packs)
{
    size_t sides = 0, at = 0;
    for (int c = 0; c < cones->n_constraints; c++) {
        int *most = &packs->pack[c / PERP_FLOATS].sides;
        *most =
            entries_of(&cones->constraint[c]) > *most ? entries_of(&cones->constraint[c]) : *most;
    }
    for (int k = 0; k < packs->n; k++)
        sides += (size_t)packs->pack[k].sides;
    packs->J = PERP_TAKE(arena, PerpFloats, 3 * PERP_FLOATS_COLUMNS * sides);
    packs->place = PERP_TAKE_RAW(arena, int, PERP_FLOATS *sides);
    if (!packs->J || !packs->place)
        return false;
    for (size_t i = 0; i < PERP_FLOATS * sides; i++)
        packs->place[i] = PERP_FLOATS_ROW * cones->p->n_bodies;
    for (int k = 0; k < packs->n; k++) {
        packs->pack[k].first = at;
        at += (size_t)packs->pack[k].sides;
    }
    return true;
}

static void put_constraints(const PerpConeProblem *cones, PerpPacks *packs)
{
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        int pack = c / PERP_FLOATS, lane = c % PERP_FLOATS;
        size_t side = packs->pack[pack].first;
        for (int e = constraint->first; e < constraint->end; e++, side++)
            put_entry(cones, e, (float *)(packs->J + 3 * PERP_FLOATS_COLUMNS * side) + lane,
                      packs->place + PERP_FLOATS * side + lane);
        for (int k = 0; k < 3; k++)
            ((float *)&packs->d[3 * pack + k])[lane] = (float)constraint->d[k];
    }
}

static void put_bodies(const PerpConeProblem *cones, PerpPacks *packs)
{
    int s = cones->bodies.size, columns = packs->diagonal ? 1 : s;
    for (int b = 0; b < packs->bodies; b++)
        for (int i = 0; i < s; i++) {
            ((float *)&packs->free[b])[i] = (float)cones->bodies.free[s * b + i];
            for (int j = 0; j < columns; j++) {
                int column = packs->diagonal ? b : PERP_FLOATS_COLUMNS * b + j;
                ((float *)&packs->inverse[column])[i] =
                    (float)cones->bodies.inverse[s * s * b + s * (packs->diagonal ? i : j) + i];
            }
        }
}

bool perp_packs_build(PerpArena *arena, const PerpConeProblem *cones, PerpPacks *packs)
{
    int n = (cones->n_constraints + PERP_FLOATS - 1) / PERP_FLOATS, bodies = cones->p->n_bodies;
    int columns = cones->bodies.diagonal ? 1 : PERP_FLOATS_COLUMNS;
    *packs = (PerpPacks){.constraints = cones->n_constraints,
                         .n = n,
                         .pack = PERP_TAKE(arena, PerpPack, n),
                         .d = PERP_TAKE(arena, PerpFloats, 3 * n),
                         .bodies = bodies,
                         .inverse = PERP_TAKE(arena, PerpFloats, columns * bodies),
                         .free = PERP_TAKE(arena, PerpFloats, bodies),
                         .diagonal = cones->bodies.diagonal};
    if (!packs->pack || !packs->d || !packs->inverse || !packs->free ||
        !take_rows(arena, cones, packs))
        return false;
    put_constraints(cones, packs);
    put_bodies(cones, packs);
    return true;
}

void perp_packs_put(const PerpPacks *packs, const double *from, PerpFloats *to)
{
    for (int c = 0; c < packs->constraints; c++)
        for (int k = 0; k < 3; k++)
            ((float *)&to[3 * (c / PERP_FLOATS) + k])[c % PERP_FLOATS] = (float)from[3 * c + k];
}

void perp_packs_get(const PerpPacks *packs, const PerpFloats *from, double *to)
{
    for (int c = 0; c < packs->constraints; c++)
        for (int k = 0; k < 3; k++)
            to[3 * c + k] =
                (double)((const float *)&from[3 * (c / PERP_FLOATS) + k])[c % PERP_FLOATS];
}
