// Surfaces: friction, restitution and compliance of each pair of materials.
#include "model/compile.h"

#include <assert.h>
#include <math.h>

static const double SOFTEST = 1e300; // m/N: as good as none

static PerpSurface *surface_at(const PerpModel *model, int a, int b)
{
    return &model->surfaces[(size_t)a + (size_t)model->n_materials * (size_t)b];
}

const PerpSurface *perp_model_surface(const PerpModel *model, int material_a, int material_b)
{
    assert(material_a >= 0 && material_a < model->n_materials);
    assert(material_b >= 0 && material_b < model->n_materials);
    return surface_at(model, material_a, material_b);
}

static void check_friction(PerpCheck *check, double mu, double mu_second, double torsion,
                           double rolling, double restitution)
{
    perp_check_at_least(check, "mu", mu, 0);
    perp_check_number(check, "mu_second", mu_second);
    perp_check_at_least(check, "torsion", torsion, 0);
    perp_check_at_least(check, "rolling", rolling, 0);
    perp_check_fraction(check, "restitution", restitution);
}

static void check_compliance(PerpCheck *check, double stiffness, double damping)
{
    perp_check_at_least(check, "stiffness", stiffness, 0);
    perp_check_at_least(check, "damping", damping, 0);
}

static bool is_anisotropic(const PerpMaterialDef *def)
{
    return def->mu_second >= 0;
}

static PerpStatus check_material(const PerpMaterialDef *def, int index, PerpError *error)
{
    const char *name = def->name && def->name[0] ? def->name : NULL;
    PerpCheck check = {.kind = "material", .name = name, .index = index, .error = error};
    check_friction(&check, def->mu, def->mu_second, def->torsion, def->rolling, def->restitution);
    check_compliance(&check, def->stiffness, def->damping);
    perp_check_finite(&check, "axis", def->axis, 3);
    if (is_anisotropic(def))
        perp_check_direction(&check, "axis", def->axis);
    return check.status;
}

static double mu_along_second(const PerpMaterialDef *def)
{
    return is_anisotropic(def) ? def->mu_second : def->mu;
}

static double compliance(const PerpMaterialDef *def)
{
    return def->stiffness > 0 ? fmin(1 / def->stiffness, SOFTEST) : 0;
}

// Springs in series, 1/k = 1/k_a + 1/k_b; each adds its relaxation time damping/stiffness by its
// share of the compliance.
static void combine_compliance(const PerpMaterialDef *a, const PerpMaterialDef *b, PerpPairDef *to)
{
    double C_a = compliance(a), C_b = compliance(b), C = C_a + C_b;
    double of_a = C > 0 ? C_a / C : 0, of_b = C > 0 ? C_b / C : 0;
    to->stiffness = C > 0 ? 1 / C : 0;
    to->damping = of_a * of_a * a->damping + of_b * of_b * b->damping;
}

// mu = sqrt(mu_a mu_b) and so on,  e = max(e_a, e_b)
void perp_combine_materials(const PerpMaterialDef *a, const PerpMaterialDef *b, PerpPairDef *to)
{
    bool isotropic = !is_anisotropic(a) && !is_anisotropic(b);
    to->mu = sqrt(a->mu * b->mu);
    to->mu_second = isotropic ? -1 : sqrt(mu_along_second(a) * mu_along_second(b));
    to->torsion = sqrt(a->torsion * b->torsion);
    to->rolling = sqrt(a->rolling * b->rolling);
    to->restitution = fmax(a->restitution, b->restitution);
    combine_compliance(a, b, to);
}

static void set(PerpSurface *surface, const PerpPairDef *def)
{
    surface->mu = def->mu;
    surface->mu_second = def->mu_second;
    surface->torsion = def->torsion;
    surface->rolling = def->rolling;
    surface->stiffness = def->stiffness > 0 ? def->stiffness : INFINITY;
    surface->damping = def->damping;
    surface->restitution = def->stiffness > 0 ? 0 : def->restitution;
}

// The axis is that of the first that has one.
static PerpSurface combine(const PerpMaterialDef *a, const PerpMaterialDef *b)
{
    const PerpMaterialDef *with_axis = is_anisotropic(a) ? a : b;
    PerpPairDef pair = {.mu = 0};
    PerpSurface surface = {.mu = 0};
    perp_combine_materials(a, b, &pair);
    set(&surface, &pair);
    if (!is_anisotropic(with_axis))
        return surface;
    surface.axis = perp_vec3_normalise(perp_vec3_load(with_axis->axis));
    surface.axis_is_of_b = with_axis != a;
    return surface;
}

static void override(PerpSurface *surface, const PerpPairDef *def)
{
    set(surface, def);
    surface->is_override = true;
    if (def->mu_second < 0) {
        surface->axis = (PerpVec3){0, 0, 0};
        surface->axis_is_of_b = false;
    }
}

static PerpStatus compile_pair(PerpModel *model, const PerpPairDef *def, int index,
                               PerpError *error)
{
    PerpCheck check = {.kind = "pair", .index = index, .error = error};
    perp_check_index(&check, "material_a", def->material_a, 0, model->n_materials);
    perp_check_index(&check, "material_b", def->material_b, 0, model->n_materials);
    check_friction(&check, def->mu, def->mu_second, def->torsion, def->rolling, def->restitution);
    check_compliance(&check, def->stiffness, def->damping);
    if (check.status)
        return check.status;
    PerpSurface *surface = surface_at(model, def->material_a, def->material_b);
    if (surface->is_override)
        perp_check_fail(&check, PERP_BAD_VALUE, "materials %d and %d are paired already",
                        def->material_a, def->material_b);
    if (def->mu_second >= 0 && surface->mu_second < 0)
        perp_check_fail(&check, PERP_BAD_VALUE,
                        "mu_second is %g, but neither material has an axis for it; give one of "
                        "them mu_second and axis",
                        def->mu_second);
    override(surface, def);
    if (def->material_a != def->material_b)
        override(surface_at(model, def->material_b, def->material_a), def);
    return check.status;
}

static PerpStatus allocate_surfaces(PerpModel *model, int n_materials, PerpError *error)
{
    size_t count = (size_t)n_materials * (size_t)n_materials;
    model->surfaces = perp_allocate(&model->context.allocator, count, sizeof *model->surfaces);
    if (!model->surfaces)
        return perp_compile_no_memory(error);
    model->n_materials = n_materials;
    return PERP_OK;
}

PerpStatus perp_compile_surfaces(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    const PerpMaterialDef only = perp_default_material();
    const PerpMaterialDef *materials = def->n_materials > 0 ? def->materials : &only;
    int n = def->n_materials > 0 ? def->n_materials : 1;
    PerpStatus status = PERP_OK;
    for (int k = 0; k < n && !status; k++)
        status = check_material(&materials[k], k, error);
    if (!status)
        status = allocate_surfaces(model, n, error);
    for (int a = 0; a < n && !status; a++)
        for (int b = 0; b < n; b++)
            *surface_at(model, a, b) = combine(&materials[a], &materials[b]);
    for (int k = 0; k < def->n_pairs && !status; k++)
        status = compile_pair(model, &def->pairs[k], k, error);
    return status;
}
