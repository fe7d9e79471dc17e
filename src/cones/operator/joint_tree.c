// Joints that make a tree are eliminated body by body, from the leaves on. A body k, once its
// children are, and the joint to its parent p:
//
//     M_k v_k = f_k + J_k' c,   J_k v_k + J_p v_p + d = 0,   S = (J_k M_k^-1 J_k')^-1
//     c   = -S (J_k M_k^-1 f_k + d + J_p v_p)
//     M_p += J_p' S J_p,   f_p -= J_p' S (J_k M_k^-1 f_k + d)
//
// M_k is the articulated inertia of Featherstone: the block L D L' of the equations of motion and
// joints in this order, which has no fill. The freedom that the joint leaves responds to a force by
//
//     N_k = M_k^-1 - M_k^-1 J_k' S J_k M_k^-1 = H_k' H_k,   H_k of 6 - rows(J_k) rows
//
// and the Delassus operator of the constraints that are left is the sum over the bodies on the way
// from both to their root
//
//     W_cd = sum_k (H_k F_kc)' (H_k F_kd),   F_kc: force of constraint c on body k
//
// that of a problem of unit masses with J_kc = (H_k F_kc)': the freedoms of the joints take the
// place of the bodies, up to six of neighbours in a block. Joints that close loops, and those of
// more than two bodies, are left, as bilateral constraints.

//
// spanning_tree.c chooses the joints, tree_elimination.c eliminates them, tree_passes.c finds
// velocities and the joints' impulses, tree_reduction.c makes the reduced problem.

#include "cones/operator/joint_tree.h"

#include "cones/operator/tree_node.h"

static bool take(PerpArena *arena, const PerpConeProblem *cones, PerpJointTree *tree)
{
    int bodies = cones->p->n_bodies, n = cones->n_constraints;
    *tree = (PerpJointTree){.cones = cones,
                            .n_nodes = bodies,
                            .node = PERP_TAKE_RAW(arena, PerpTreeNode, bodies),
                            .node_of = PERP_TAKE_RAW(arena, int, bodies),
                            .edge = PERP_TAKE_RAW(arena, int, bodies),
                            .left = PERP_TAKE_RAW(arena, int, n),
                            .force = PERP_TAKE_RAW(arena, double, WIDE *bodies),
                            .velocity = PERP_TAKE_RAW(arena, double, WIDE *bodies)};
    return tree->node && tree->node_of && tree->edge && tree->left && tree->force && tree->velocity;
}

// What is left, and the joint of each body.
static void list(PerpJointTree *tree, const PerpSpanningTree *spanning)
{
    for (int c = 0; c < tree->cones->n_constraints; c++)
        if (spanning->of_constraint[c] < 0)
            tree->left[tree->n_left++] = c;
    for (int k = 0; k < tree->n_nodes; k++)
        tree->edge[k] = spanning->joint[k] < 0 ? -1 : spanning->edge[spanning->joint[k]].first;
}

bool perp_joint_tree_build(PerpArena *arena, const PerpConeProblem *cones, PerpJointTree *tree)
{
    PerpSpanningTree spanning;
    if (!take(arena, cones, tree) || !perp_spanning_tree_find(arena, cones, &spanning))
        return false;
    list(tree, &spanning);
    tree->fits = spanning.n_edges > 0 && perp_tree_eliminate(tree, &spanning);
    return !tree->fits || perp_tree_reduce(arena, tree);
}
