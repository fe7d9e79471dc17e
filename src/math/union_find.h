// Union-find: disjoint sets, each with the smallest of its members as root.
#ifndef PERP_MATH_UNION_FIND_H
#define PERP_MATH_UNION_FIND_H

// The root of x, with path halving. At first parent[x] = x.
static inline int perp_find_root(int *parent, int x)
{
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    return x;
}

static inline void perp_unite(int *parent, int a, int b)
{
    int root_a = perp_find_root(parent, a), root_b = perp_find_root(parent, b);
    if (root_a < root_b)
        parent[root_b] = root_a;
    else
        parent[root_a] = root_b;
}

#endif
