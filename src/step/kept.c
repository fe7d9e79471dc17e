#include "step/kept.h"

#include "base/error.h"

#include <string.h>

enum { LOOK = 64 }; // islands that are looked at before one counts as new

void perp_kept_clear(PerpKeptIslands *kept)
{
    kept->count = kept->n_basis = kept->n_solution = kept->next = 0;
}

void perp_kept_free(const PerpAllocator *allocator, PerpKeptIslands *kept)
{
    perp_free(allocator, kept->island);
    perp_free(allocator, kept->basis);
    perp_free(allocator, kept->solution);
}

// Islands mostly keep their order: look on from where the last one was found, not far.
const PerpKeptIsland *perp_kept_find(PerpKeptIslands *kept, uint64_t layout)
{
    for (int i = 0; i < kept->count && i < LOOK; i++) {
        int at = (kept->next + i) % kept->count;
        if (kept->island[at].layout == layout) {
            kept->next = at + 1;
            return &kept->island[at];
        }
    }
    return NULL;
}

PerpKeptIsland *perp_kept_add(const PerpAllocator *allocator, PerpKeptIslands *kept, int basis_size,
                              int n_solution)
{
    void *island = kept->island, *basis = kept->basis, *solution = kept->solution;
    bool room =
        perp_make_room(allocator, &island, &kept->island_room, kept->count + 1,
                       sizeof *kept->island) &&
        perp_make_room(allocator, &basis, &kept->basis_room, kept->n_basis + basis_size, 1) &&
        perp_make_room(allocator, &solution, &kept->solution_room, kept->n_solution + n_solution,
                       sizeof *kept->solution);
    kept->island = island;
    kept->basis = basis;
    kept->solution = solution;
    if (!room)
        return NULL;
    PerpKeptIsland *added = &kept->island[kept->count++];
    *added = (PerpKeptIsland){.basis_first = kept->n_basis,
                              .basis_size = basis_size,
                              .solution_first = kept->n_solution,
                              .n_solution = n_solution};
    kept->n_basis += basis_size;
    kept->n_solution += n_solution;
    return added;
}

// --- what it is good for ------------------------------------------------------------------------

int perp_kept_solution_size(const PerpProblem *p)
{
    return perp_problem_rows(p) + p->n_groups + perp_problem_velocities(p);
}

// The impulses c, as they are or shorter; NULL if memory is short.
static const double *scale(PerpArena *arena, int rows, const double *c, double share)
{
    double *scaled = share == 1 ? NULL : PERP_TAKE_RAW(arena, double, rows);
    for (int k = 0; scaled && k < rows; k++)
        scaled[k] = share * c[k];
    return share == 1 ? c : scaled;
}

bool perp_kept_start(const PerpKeptIslands *all, const PerpKeptIsland *kept, const PerpProblem *p,
                     double share, PerpArena *arena, PerpProblemSettings *settings)
{
    bool has_basis = kept->basis_size > 0;
    if (has_basis) {
        settings->basis = all->basis + kept->basis_first;
        settings->basis_size = kept->basis_size;
    }
    if (has_basis || kept->n_solution != perp_kept_solution_size(p))
        return true;
    settings->start =
        scale(arena, perp_problem_rows(p), all->solution + kept->solution_first, share);
    return settings->start;
}

PerpStatus perp_kept_reuse(const PerpKeptIslands *all, const PerpKeptIsland *kept,
                           const PerpProblem *p, const PerpProblemSettings *settings,
                           PerpArena *arena, PerpProblemResult *result, bool *solved,
                           PerpError *error)
{
    *solved = false;
    if (kept->n_solution != perp_kept_solution_size(p))
        return PERP_OK;
    const double *c = all->solution + kept->solution_first;
    const double *lambda = c + perp_problem_rows(p), *v = lambda + p->n_groups;
    PerpContext scratch = perp_arena_context(arena);
    double *of_contact = NULL;
    if (settings->judge_contacts && !(of_contact = PERP_TAKE(arena, double, p->n_contacts)))
        return perp_fail_memory(error);
    *result = (PerpProblemResult){.outcome = PERP_OUTCOME_SOLVED,
                                  .solved_by = PERP_METHOD_WARM_START,
                                  .basis_reused = true,
                                  .lcp_size = kept->basis_size,
                                  .basis = kept->basis_size ? all->basis + kept->basis_first : NULL,
                                  .v = v,
                                  .c = c,
                                  .lambda = lambda,
                                  .of_contact = of_contact};
    PerpStatus status =
        perp_certify_contacts(&scratch, p, v, c, lambda, &result->certificate, of_contact, error);
    *solved = !status && result->certificate.worst <= settings->tolerance;
    return status;
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
    return hash_ints(hash, p->group_circular, p->group_circular ? p->n_groups : 0);
}
