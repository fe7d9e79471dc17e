#include "lcp/round_bundle.h"

#include "lcp/round_bodies.h"

static int entries_of(const PerpCell *cell)
{
    return cell->end - cell->first;
}

// Row after row of an entry into one lane.
static void put_entry(const PerpRound *round, int entry, float *J, int *place)
{
    *place = PERP_FLOATS_ROW * round->entry_body[entry];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < round->size; i++)
            J[PERP_FLOATS * (PERP_FLOATS_COLUMNS * k + i)] =
                (float)perp_round_row(round, entry, k)[i];
}

// Bundles without their numbers; lanes that have no body are at the row of zeros.
static bool take_rows(PerpArena *arena, const PerpRound *round, PerpBundles *bundles)
{
    size_t sides = 0, at = 0;
    for (int c = 0; c < round->n_cells; c++) {
        int *most = &bundles->bundle[c / PERP_FLOATS].sides;
        *most = entries_of(&round->cell[c]) > *most ? entries_of(&round->cell[c]) : *most;
    }
    for (int k = 0; k < bundles->n; k++)
        sides += (size_t)bundles->bundle[k].sides;
    bundles->J = PERP_TAKE(arena, PerpFloats, 3 * PERP_FLOATS_COLUMNS * sides);
    bundles->place = PERP_TAKE_RAW(arena, int, PERP_FLOATS *sides);
    if (!bundles->J || !bundles->place)
        return false;
    for (size_t i = 0; i < PERP_FLOATS * sides; i++)
        bundles->place[i] = PERP_FLOATS_ROW * round->p->n_bodies;
    for (int k = 0; k < bundles->n; k++) {
        bundles->bundle[k].first = at;
        at += (size_t)bundles->bundle[k].sides;
    }
    return true;
}

static void put_cells(const PerpRound *round, PerpBundles *bundles)
{
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        int bundle = c / PERP_FLOATS, lane = c % PERP_FLOATS;
        size_t side = bundles->bundle[bundle].first;
        for (int e = cell->first; e < cell->end; e++, side++)
            put_entry(round, e, (float *)(bundles->J + 3 * PERP_FLOATS_COLUMNS * side) + lane,
                      bundles->place + PERP_FLOATS * side + lane);
        for (int k = 0; k < 3; k++)
            ((float *)&bundles->d[3 * bundle + k])[lane] = (float)cell->d[k];
    }
}

static void put_bodies(const PerpRound *round, PerpBundles *bundles)
{
    int s = round->size, columns = bundles->diagonal ? 1 : s;
    for (int b = 0; b < bundles->bodies; b++)
        for (int i = 0; i < s; i++) {
            ((float *)&bundles->free[b])[i] = (float)round->free[s * b + i];
            for (int j = 0; j < columns; j++) {
                int column = bundles->diagonal ? b : PERP_FLOATS_COLUMNS * b + j;
                ((float *)&bundles->inverse[column])[i] =
                    (float)round->inverse[s * s * b + s * (bundles->diagonal ? i : j) + i];
            }
        }
}

bool perp_bundles_build(PerpArena *arena, const PerpRound *round, PerpBundles *bundles)
{
    int n = (round->n_cells + PERP_FLOATS - 1) / PERP_FLOATS, bodies = round->p->n_bodies;
    int columns = round->diagonal ? 1 : PERP_FLOATS_COLUMNS;
    *bundles = (PerpBundles){.cells = round->n_cells,
                             .n = n,
                             .bundle = PERP_TAKE(arena, PerpBundle, n),
                             .d = PERP_TAKE(arena, PerpFloats, 3 * n),
                             .bodies = bodies,
                             .inverse = PERP_TAKE(arena, PerpFloats, columns * bodies),
                             .free = PERP_TAKE(arena, PerpFloats, bodies),
                             .diagonal = round->diagonal};
    if (!bundles->bundle || !bundles->d || !bundles->inverse || !bundles->free ||
        !take_rows(arena, round, bundles))
        return false;
    put_cells(round, bundles);
    put_bodies(round, bundles);
    return true;
}

void perp_bundles_put(const PerpBundles *bundles, const double *from, PerpFloats *to)
{
    for (int c = 0; c < bundles->cells; c++)
        for (int k = 0; k < 3; k++)
            ((float *)&to[3 * (c / PERP_FLOATS) + k])[c % PERP_FLOATS] = (float)from[3 * c + k];
}

void perp_bundles_get(const PerpBundles *bundles, const PerpFloats *from, double *to)
{
    for (int c = 0; c < bundles->cells; c++)
        for (int k = 0; k < 3; k++)
            to[3 * c + k] =
                (double)((const float *)&from[3 * (c / PERP_FLOATS) + k])[c % PERP_FLOATS];
}
