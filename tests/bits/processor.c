// What GCC's function versions are told of the processor: nothing (plain), everything but AVX-512
// (AVX2), or everything. Linked before libgcc, whose variables of these names then stay out.
// Compiled with PERP_FEATURES, the first word of features, and PERP_MORE, the others.
struct Model {
    unsigned vendor, type, subtype, features[1];
};

extern struct Model __cpu_model;
extern unsigned __cpu_features2[4];
int __cpu_indicator_init(void);

struct Model __cpu_model = {1, 1, 1, {PERP_FEATURES}};
unsigned __cpu_features2[4] = {PERP_MORE, PERP_MORE, PERP_MORE, PERP_MORE};

int __cpu_indicator_init(void)
{
    return 0;
}
