// Forces passed up a tree and velocities down again: what impulses of the constraints that are left
// do to bodies and joints. Equations in joint_tree.c.

#include "base/compiler.h"
#include "cones/operator/joint_tree.h"
#include "cones/operator/tree_node.h"

#include <string.h>

// force = b + J'r of what is left
PERP_KERNEL_PART void gather_forces(PerpJointTree *tree, const double *r)
{
    const PerpConeProblem *cones = tree->cones;
    const PerpProblem *p = cones->p;
    int s = cones->bodies.size;
    for (int k = 0; k < p->n_bodies; k++) {
        double *f = tree->force + WIDE * tree->node_of[k];
        int n = p->body_start[k + 1] - p->body_start[k];
        const double *b = p->b + p->body_start[k];
        memset(f, 0, WIDE * sizeof(double));
        for (int i = 0; i < SIX && n == SIX; i++)
            f[i] = b[i] / cones->speed;
        for (int i = 0; i < n && n != SIX; i++)
            f[i] = b[i] / cones->speed;
    }
    for (int l = 0; l < tree->n_left; l++) {
        const PerpConstraint *constraint = &cones->constraint[tree->left[l]];
        for (int e = constraint->first; e < constraint->end; e++)
            for (int k = 0; k < perp_constraint_rows(constraint); k++) {
                const double *J = perp_over_bodies_row(cones, e, k);
                double *f = tree->force + WIDE * tree->node_of[cones->bodies.entry_body[e]];
                double impulse = r[3 * tree->left[l] + k];
                if (s == SIX)
                    perp_wide_add(1, J, &impulse, f);
                for (int i = 0; i < s && s < SIX; i++)
                    f[i] += J[i] * impulse;
            }
    }
}

// From the leaves to the roots: f_p -= J_p' S (J M^-1 f + d)
PERP_KERNEL_PART void pass_forces(PerpJointTree *tree)
{
    for (int k = 0; k < tree->n_nodes; k++) {
        const PerpTreeNode *node = &tree->node[k];
        _Alignas(64) double y[WIDE] = {0};
        if (node->parent < 0)
            continue;
        perp_wide_add(SIX, node->below_columns, tree->force + WIDE * k, y);
        perp_wide_add(node->rows, node->S_columns, node->d, y);
        perp_wide_subtract(node->rows, node->Jp, y, tree->force + WIDE * node->parent);
    }
}

// From the roots to the leaves: c = -S (J M^-1 f + d + J_p v_p), v = M^-1 (f + J'c)
PERP_KERNEL_PART void find_velocities(PerpJointTree *tree, double *r)
{
    const PerpConeProblem *cones = tree->cones;
    const int *joint = tree->edge;
    for (int k = tree->n_nodes - 1; k >= 0; k--) {
        const PerpTreeNode *node = &tree->node[k];
        double *f = tree->force + WIDE * k, *v = tree->velocity + WIDE * k;
        _Alignas(64) double y[WIDE], c[WIDE] = {0};
        memcpy(y, node->d, sizeof y);
        if (node->parent >= 0)
            perp_wide_add(SIX, node->Jp_columns, tree->velocity + WIDE * node->parent, y);
        perp_wide_add(SIX, node->below_columns, f, c);
        perp_wide_add(node->rows, node->S_columns, y, c);
        perp_wide_subtract(node->rows, node->J, c, f);
        memset(v, 0, WIDE * sizeof(double));
        perp_wide_add(SIX, node->mass, f, v);
        for (int row = 0, at = node->rows > 0 ? joint[node->body] : 0; row < node->rows; at++)
            for (int i = 0; i < perp_constraint_rows(&cones->constraint[at]); i++)
                r[3 * at + i] = -c[row++];
    }
}

PERP_VECTOR_KERNEL void perp_tree_respond(PerpJointTree *tree, double *r)
{
    gather_forces(tree, r);
    pass_forces(tree);
    find_velocities(tree, r);
}

void perp_joint_tree_from_whole(const PerpJointTree *tree, const double *r, double *x)
{
    for (int l = 0; l < tree->n_left; l++)
        memcpy(x + 3 * l, r + 3 * tree->left[l], 3 * sizeof(double));
}

void perp_joint_tree_to_whole(PerpJointTree *tree, const double *x, double *r)
{
    memset(r, 0, (size_t)(3 * tree->cones->n_constraints) * sizeof(double));
    for (int l = 0; l < tree->n_left; l++)
        memcpy(r + 3 * tree->left[l], x + 3 * l, 3 * sizeof(double));
    perp_tree_respond(tree, r);
}
