// Graphs of contacts that are kept from one problem to the next.
#include "math/sparse/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"

enum { LINKS = 20 };

// A chain of bodies: constraint c joins bodies c and c + 1.
typedef struct Chain {
    int start[LINKS + 1], body[2 * LINKS];
    PerpGraph graph;
} Chain;

static void make_chain(int links, Chain *chain)
{
    for (int c = 0; c <= links; c++)
        chain->start[c] = 2 * c;
    for (int e = 0; e < 2 * links; e++)
        chain->body[e] = (e + 1) / 2;
    chain->graph = (PerpGraph){.n_bodies = links + 1,
                               .n_constraints = links,
                               .entry_start = chain->start,
                               .entry_body = chain->body};
}

static void equal_graphs_are_found_again(void **state)
{
    PerpContext context = perp_default_context();
    PerpGraphCache graphs;
    Chain chain;
    (void)state;
    perp_graph_cache_init(&graphs, &context.allocator);
    make_chain(5, &chain);
    const PerpGraph *first = perp_graph_cache_get(&graphs, &chain.graph);
    chain.body[3] = 5; // the caller's lists are not borrowed
    chain.body[3] = 2;
    assert_ptr_equal(perp_graph_cache_get(&graphs, &chain.graph), first);
    assert_int_equal(graphs.found, 1);
    assert_int_equal(graphs.reused, 1);
    chain.body[3] = 5; // another graph of the same size
    const PerpGraph *other = perp_graph_cache_get(&graphs, &chain.graph);
    assert_ptr_not_equal(other, first);
    assert_int_equal(first->entry_body[3], 2);
    assert_int_equal(other->entry_body[3], 5);
    perp_graph_cache_free(&graphs);
}

// The same numbers under a hash that collides are still told apart.
static void a_hash_is_not_enough(void **state)
{
    PerpContext context = perp_default_context();
    PerpGraphCache graphs;
    Chain chain, other;
    (void)state;
    perp_graph_cache_init(&graphs, &context.allocator);
    make_chain(3, &chain);
    make_chain(4, &other);
    const PerpGraph *first = perp_graph_cache_get(&graphs, &chain.graph);
    const PerpGraph *second = perp_graph_cache_get(&graphs, &other.graph);
    graphs.entry[0].hash = graphs.entry[1].hash; // as if both had it
    assert_ptr_equal(perp_graph_cache_get(&graphs, &other.graph), second);
    assert_int_equal(second->n_constraints, 4);
    assert_int_equal(first->n_constraints, 3);
    perp_graph_cache_free(&graphs);
}

// As many as there is room for; the one that was not used for longest goes.
static void the_oldest_goes(void **state)
{
    PerpContext context = perp_default_context();
    PerpGraphCache graphs;
    Chain chain;
    (void)state;
    perp_graph_cache_init(&graphs, &context.allocator);
    for (int links = 1; links <= PERP_CACHED_GRAPHS; links++) {
        make_chain(links, &chain);
        assert_non_null(perp_graph_cache_get(&graphs, &chain.graph));
    }
    make_chain(1, &chain); // used again: the second is the oldest now
    assert_non_null(perp_graph_cache_get(&graphs, &chain.graph));
    make_chain(PERP_CACHED_GRAPHS + 1, &chain);
    assert_non_null(perp_graph_cache_get(&graphs, &chain.graph));
    assert_int_equal(graphs.found, PERP_CACHED_GRAPHS + 1);
    make_chain(1, &chain);
    assert_non_null(perp_graph_cache_get(&graphs, &chain.graph));
    assert_int_equal(graphs.found, PERP_CACHED_GRAPHS + 1);
    make_chain(2, &chain);
    assert_non_null(perp_graph_cache_get(&graphs, &chain.graph));
    assert_int_equal(graphs.found, PERP_CACHED_GRAPHS + 2);
    perp_graph_cache_free(&graphs);
}

// Of large ones few are kept, and no place is taken that was not.
static void few_large_ones_are_kept(void **state)
{
    enum { CELLS = 1500, ASKED = 10 };
    PerpContext context = perp_default_context();
    PerpGraphCache graphs;
    static int start[CELLS + ASKED + 1], body[2 * (CELLS + ASKED)];
    int places = 0;
    (void)state;
    perp_graph_cache_init(&graphs, &context.allocator);
    for (int c = 0; c <= CELLS + ASKED; c++)
        start[c] = 2 * c;
    for (int e = 0; e < 2 * (CELLS + ASKED); e++)
        body[e] = (e + 1) / 2;
    for (int k = 0; k < 2 * ASKED; k++) { // each twice, one after the other
        int constraints = CELLS + k / 2;
        PerpGraph asked = {.n_bodies = constraints + 1,
                           .n_constraints = constraints,
                           .entry_start = start,
                           .entry_body = body};
        const PerpGraph *graph = perp_graph_cache_get(&graphs, &asked);
        assert_non_null(graph);
        assert_int_equal(graph->n_constraints, constraints);
    }
    assert_int_equal(graphs.found, ASKED);
    assert_int_equal(graphs.reused, ASKED);
    for (int k = 0; k < PERP_CACHED_GRAPHS; k++)
        places += graphs.entry[k].graph != NULL;
    assert_int_equal(places, 3);
    perp_graph_cache_free(&graphs);
}

// Who joins is a part of the question; a constraint that joins nothing has no couples.
static void cells_may_join_nothing(void **state)
{
    PerpContext context = perp_default_context();
    PerpGraphCache graphs;
    Chain chain;
    bool joins[LINKS];
    (void)state;
    perp_graph_cache_init(&graphs, &context.allocator);
    make_chain(LINKS, &chain);
    const PerpGraph *whole = perp_graph_cache_get(&graphs, &chain.graph);
    for (int c = 0; c < LINKS; c++)
        joins[c] = true;
    chain.graph.joins = joins;
    assert_ptr_equal(perp_graph_cache_get(&graphs, &chain.graph), whole);
    joins[7] = false;
    const PerpGraph *cut = perp_graph_cache_get(&graphs, &chain.graph);
    assert_ptr_not_equal(cut, whole);
    assert_int_equal(whole->couple_start[8] - whole->couple_start[7], 3);
    assert_int_equal(cut->couple_start[8] - cut->couple_start[7], 0);
    assert_int_equal(cut->couple_start[LINKS], whole->couple_start[LINKS] - 3);
    joins[7] = true; // the caller's list is not borrowed
    assert_false(cut->joins[7]);
    perp_graph_cache_free(&graphs);
}

static void short_memory_is_survived(void **state)
{
    (void)state;
    for (int fail_at = 1;; fail_at++) {
        PerpFailingAllocator memory = {.fail_at = fail_at};
        PerpContext context = perp_failing_context(&memory);
        PerpGraphCache graphs;
        Chain chain;
        perp_graph_cache_init(&graphs, &context.allocator);
        make_chain(LINKS, &chain);
        chain.graph.joins = (bool[LINKS]){true};
        const PerpGraph *first = perp_graph_cache_get(&graphs, &chain.graph);
        const PerpGraph *again = perp_graph_cache_get(&graphs, &chain.graph);
        assert_non_null(again); // fails once only
        perp_graph_cache_free(&graphs);
        assert_int_equal(memory.live, 0);
        if (first)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_graphs_are_found_again),
        cmocka_unit_test(a_hash_is_not_enough),
        cmocka_unit_test(the_oldest_goes),
        cmocka_unit_test(few_large_ones_are_kept),
        cmocka_unit_test(cells_may_join_nothing),
        cmocka_unit_test(short_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
