// The island cache: finding, adding, warm starts, and solutions used again.

#include "step/islands/island_cache.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { SEARCHED = 64 };             // islands that are compared before one counts as new
static const double SCALED = 1e-11; // residual up to which another length only scales impulses

void perp_island_cache_clear(PerpIslandCache *cache)
{
    cache->count = cache->n_basis = cache->n_solution = cache->next = 0;
}

// Islands mostly stay in order: the search begins where the last one was found.
const PerpCachedIsland *perp_island_cache_find(PerpIslandCache *cache, uint64_t layout)
{
    for (int i = 0; i < cache->count && i < SEARCHED; i++) {
        int at = (cache->next + i) % cache->count;
        if (cache->island[at].layout == layout) {
            cache->next = at + 1;
            return &cache->island[at];
        }
    }
    return NULL;
}

PerpCachedIsland *perp_island_cache_add(const PerpAllocator *allocator, PerpIslandCache *cache,
                                        int basis_size, int n_solution)
{
    void *island = cache->island, *basis = cache->basis, *solution = cache->solution;
    bool room =
        perp_make_room(allocator, &island, &cache->island_room, cache->count + 1,
                       sizeof *cache->island) &&
        perp_make_room(allocator, &basis, &cache->basis_room, cache->n_basis + basis_size, 1) &&
        perp_make_room(allocator, &solution, &cache->solution_room, cache->n_solution + n_solution,
                       sizeof *cache->solution);
    cache->island = island;
    cache->basis = basis;
    cache->solution = solution;
    if (!room)
        return NULL;
    PerpCachedIsland *added = &cache->island[cache->count++];
    *added = (PerpCachedIsland){.basis_first = cache->n_basis,
                                .basis_size = basis_size,
                                .solution_first = cache->n_solution,
                                .n_solution = n_solution};
    cache->n_basis += basis_size;
    cache->n_solution += n_solution;
    return added;
}

// --- use ----------------------------------------------------------------------------------------

int perp_island_solution_size(const PerpProblem *p)
{
    return perp_problem_rows(p) + p->n_groups + perp_problem_velocities(p);
}

// factor c; NULL if memory is short.
static const double *scale(PerpArena *arena, int n, const double *c, double factor)
{
    double *scaled = factor == 1 ? NULL : PERP_TAKE_RAW(arena, double, n);
    for (int k = 0; scaled && k < n; k++)
        scaled[k] = factor * c[k];
    return factor == 1 ? c : scaled;
}

bool perp_island_cache_start(const PerpIslandCache *cache, const PerpCachedIsland *island,
                             const PerpProblem *p, double impulse_scale, PerpArena *arena,
                             PerpProblemSettings *settings)
{
    bool has_basis = island->basis_size > 0;
    if (has_basis) {
        settings->basis = cache->basis + island->basis_first;
        settings->basis_size = island->basis_size;
    }
    if (has_basis || island->n_solution != perp_island_solution_size(p))
        return true;
    const double *solution = cache->solution + island->solution_first;
    settings->start = scale(arena, perp_problem_rows(p), solution, impulse_scale);
    settings->start_slip = solution + perp_problem_rows(p);
    return settings->start;
}

PerpStatus perp_island_cache_reuse(const PerpIslandCache *cache, const PerpCachedIsland *island,
                                   double factor, const PerpProblem *p,
                                   const PerpProblemSettings *settings, PerpArena *arena,
                                   PerpProblemResult *result, bool *solved, PerpError *error)
{
    *solved = false;
    if (island->n_solution != perp_island_solution_size(p))
        return PERP_OK;
    const double *c =
        scale(arena, island->n_solution, cache->solution + island->solution_first, factor);
    if (!c)
        return perp_fail_memory(error);
    const double *lambda = c + perp_problem_rows(p), *v = lambda + p->n_groups;
    PerpContext scratch = perp_arena_context(arena);
    double *of_contact = NULL;
    if (settings->judge_contacts && !(of_contact = PERP_TAKE(arena, double, p->n_contacts)))
        return perp_fail_memory(error);
    *result =
        (PerpProblemResult){.outcome = PERP_OUTCOME_SOLVED,
                            .solved_by = PERP_METHOD_WARM_START,
                            .basis_reused = true,
                            .lcp_size = island->basis_size,
                            .basis = island->basis_size ? cache->basis + island->basis_first : NULL,
                            .v = v,
                            .c = c,
                            .lambda = lambda,
                            .of_contact = of_contact};
    PerpStatus status =
        perp_certify_contacts(&scratch, p, v, c, lambda, &result->certificate, of_contact, error);
    double enough = factor == 1 ? settings->tolerance : fmin(settings->tolerance, SCALED);
    *solved = !status && result->certificate.worst <= enough;
    return status;
}

// --- the three of a simulation ------------------------------------------------------------------

void perp_island_caches_begin(PerpIslandCaches *caches)
{
    perp_island_caches_use(caches, caches->of_step);
    caches->impulse_scale = caches->cached_scale = 1;
}

int perp_island_caches_spare(PerpIslandCaches *caches)
{
    int spare = 0;
    while (spare == caches->of_step || spare == caches->in_use)
        spare++;
    perp_island_cache_clear(&caches->cache[spare]);
    return spare;
}

void perp_island_caches_use(PerpIslandCaches *caches, int cache)
{
    caches->in_use = cache;
    caches->cache[cache].next = 0;
}

void perp_island_caches_free(const PerpAllocator *allocator, PerpIslandCaches *caches)
{
    for (int i = 0; i < PERP_ISLAND_CACHES; i++) {
        perp_free(allocator, caches->cache[i].island);
        perp_free(allocator, caches->cache[i].basis);
        perp_free(allocator, caches->cache[i].solution);
    }
}

// --- hashing ------------------------------------------------------------------------------------

enum { LANES = 4 }; // so that one multiplication need not wait for the other

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

// Long arrays in lanes, what is left word by word.
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const char *from = bytes;
    uint64_t lane[LANES] = {hash, 1, 2, 3}, word[LANES];
    if (size >= sizeof word) {
        for (; size >= sizeof word; size -= sizeof word, from += sizeof word) {
            memcpy(word, from, sizeof word);
            for (int k = 0; k < LANES; k++)
                lane[k] = mix(lane[k], word[k]);
        }
        hash = mix(mix(mix(lane[0], lane[1]), lane[2]), lane[3]);
    }
    for (; size > 0; size -= size < sizeof *word ? size : sizeof *word, from += sizeof *word) {
        *word = 0;
        memcpy(word, from, size < sizeof *word ? size : sizeof *word);
        hash = mix(hash, *word);
    }
    return hash;
}

static uint64_t hash_doubles(uint64_t hash, const double *x, int n)
{
    return hash_bytes(hash, x, (size_t)n * sizeof *x);
}

static uint64_t hash_ints(uint64_t hash, const int *x, int n)
{
    return hash_bytes(hash, x, (size_t)n * sizeof *x);
}

static int count_values(const PerpProblem *p)
{
    int values = 0;
    for (int e = 0; e < p->row_start[perp_problem_rows(p)]; e++)
        values += p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
    return values;
}

static int count_masses(const PerpProblem *p)
{
    int values = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        values += n * n;
    }
    return values;
}

uint64_t perp_problem_hash(const PerpProblem *p)
{
    const int sizes[] = {p->n_bodies,   p->n_joints,     p->n_boxes,
                         p->n_contacts, p->n_directions, p->n_groups};
    int rows = perp_problem_rows(p);
    uint64_t hash = hash_ints(0, sizes, sizeof sizes / sizeof *sizes);
    hash = hash_ints(hash, p->body_start, p->n_bodies + 1);
    hash = hash_doubles(hash, p->Mt, count_masses(p));
    hash = hash_doubles(hash, p->b, perp_problem_velocities(p));
    hash = hash_ints(hash, p->row_start, rows + 1);
    hash = hash_ints(hash, p->entry_body, p->row_start[rows]);
    hash = hash_doubles(hash, p->J, count_values(p));
    hash = hash_doubles(hash, p->d, rows);
    hash = hash_doubles(hash, p->lo, p->n_boxes);
    hash = hash_doubles(hash, p->hi, p->n_boxes);
    hash = hash_ints(hash, p->group_contact, p->n_groups);
    hash = hash_ints(hash, p->group_start, p->n_groups + 1);
    hash = hash_doubles(hash, p->mu, p->n_groups);
    hash = hash_doubles(hash, p->cohesion, p->n_groups);
    hash = hash_doubles(hash, p->compliance, p->compliance ? rows : 0);
    return hash_ints(hash, p->group_circular, p->group_circular ? p->n_groups : 0);
}
