#include "math/sparse/block_kernels.h"

#include "base/compiler.h"
#include "base/lanes.h"

#include <math.h>
#include <string.h>

// The k-th lane by itself, and the others.
static const _Alignas(64) double itself[6][8] = {{1},          {0, 1},          {0, 0, 1},
                                                 {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};
static const _Alignas(64) double others[6][8] = {
    {0, 1, 1, 1, 1, 1, 1, 1}, {1, 0, 1, 1, 1, 1, 1, 1}, {1, 1, 0, 1, 1, 1, 1, 1},
    {1, 1, 1, 0, 1, 1, 1, 1}, {1, 1, 1, 1, 0, 1, 1, 1}, {1, 1, 1, 1, 1, 0, 1, 1}};

#define SIZE 3
#define PAD 4
#define NAME(name) name##_3
#define LANES PerpLanes4
#define ADD perp_lanes4_add
#define SUBTRACT perp_lanes4_subtract
#define ADD_PRODUCT perp_lanes4_add_product
#define SCALE perp_lanes4_scale
#define TOTAL perp_lanes4_total
#include "math/sparse/block_kernels_body.h"
#undef SIZE
#undef PAD
#undef NAME
#undef LANES
#undef ADD
#undef SUBTRACT
#undef ADD_PRODUCT
#undef SCALE
#undef TOTAL

#define SIZE 6
#define PAD 8
#define NAME(name) name##_6
#define LANES PerpLanes8
#define ADD perp_lanes8_add
#define SUBTRACT perp_lanes8_subtract
#define ADD_PRODUCT perp_lanes8_add_product
#define SCALE perp_lanes8_scale
#define TOTAL perp_lanes8_total
#include "math/sparse/block_kernels_body.h"

const PerpBlockKernels *perp_block_kernels(int size)
{
    return size == 3 ? &perp_block_kernels_3 : &perp_block_kernels_6;
}
