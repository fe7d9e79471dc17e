// The sections materials and pairs of a scene.
#include "io/scene/scene_reader.h"
#include "model/model.h"

#include <stddef.h>
#include <string.h>

static const PerpField material_field_list[] = {
    {"mu", PERP_FIELD_NON_NEGATIVE, offsetof(PerpMaterialDef, mu), NULL, 0},
    {"second-mu", PERP_FIELD_NON_NEGATIVE, offsetof(PerpMaterialDef, mu_second), NULL, 0},
    {"axis", PERP_FIELD_DIRECTION, offsetof(PerpMaterialDef, axis), NULL, 0},
    {"torsion", PERP_FIELD_NON_NEGATIVE, offsetof(PerpMaterialDef, torsion), NULL, 0},
    {"rolling", PERP_FIELD_NON_NEGATIVE, offsetof(PerpMaterialDef, rolling), NULL, 0},
    {"restitution", PERP_FIELD_FRACTION, offsetof(PerpMaterialDef, restitution), NULL, 0},
    {"stiffness", PERP_FIELD_POSITIVE, offsetof(PerpMaterialDef, stiffness), NULL, 0},
    {"damping", PERP_FIELD_NON_NEGATIVE, offsetof(PerpMaterialDef, damping), NULL, 0},
};
static const PerpFields material_fields = PERP_FIELDS("a material", material_field_list);

// Index 0, for shapes that name no material. It gets a name only if the scene describes it.
PerpStatus perp_add_default_material(PerpSceneReader *reader)
{
    PerpMaterialDef def = perp_default_material();
    def.name = "default";
    PerpSceneFile *file = reader->last_file;
    reader->document = &file->document;
    PerpStatus status =
        perp_scene_add(reader, file->document.root, &reader->scene->materials, &def);
    return status ? status
                  : perp_scene_enter(reader, file->document.root, "material", "default",
                                     &reader->material_names);
}

// The first description of `default` replaces the built-in one.
static PerpStatus place_material(PerpSceneReader *reader, const PerpNode *name,
                                 const PerpMaterialDef *def)
{
    PerpSceneList *materials = &reader->scene->materials;
    if (strcmp(def->name, "default") == 0 && !reader->describes_default) {
        reader->describes_default = true;
        reader->material_names.names[0].place = perp_scene_place(reader, name);
        *(PerpMaterialDef *)materials->items = *def;
        return PERP_OK;
    }
    PerpStatus status =
        perp_scene_enter(reader, name, "material", def->name, &reader->material_names);
    return status ? status : perp_scene_add(reader, name, materials, def);
}

PerpStatus perp_read_material(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    PerpMaterialDef def = perp_default_material();
    PerpStatus status = perp_scene_name(reader, name, "material", &def.name);
    if (!status)
        status = perp_fields_read(reader, item, &material_fields, 0, "", &def);
    bool has_axis = !status && perp_node_find(item, "axis");
    const PerpNode *second = status ? NULL : perp_node_find(item, "second-mu");
    if (second && !has_axis)
        return perp_node_fail(reader->document, second, PERP_BAD_SYNTAX,
                              "second-mu: expected also \"axis\", the direction of mu");
    return status ? status : place_material(reader, name, &def);
}

static PerpStatus read_materials(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpPairDef *pair = target;
    PerpStatus status = perp_node_sequence_of(reader->document, value, 2, "between");
    if (!status)
        status = perp_scene_find(reader, value->child, "material", &reader->material_names,
                                 &pair->material_a);
    if (!status)
        status = perp_scene_find(reader, value->child->next, "material", &reader->material_names,
                                 &pair->material_b);
    return status;
}

static const PerpField pair_field_list[] = {
    {"between", PERP_FIELD_OWN, 0, read_materials, 0},
    {"mu", PERP_FIELD_NON_NEGATIVE, offsetof(PerpPairDef, mu), NULL, 0},
    {"second-mu", PERP_FIELD_NON_NEGATIVE, offsetof(PerpPairDef, mu_second), NULL, 0},
    {"torsion", PERP_FIELD_NON_NEGATIVE, offsetof(PerpPairDef, torsion), NULL, 0},
    {"rolling", PERP_FIELD_NON_NEGATIVE, offsetof(PerpPairDef, rolling), NULL, 0},
    {"restitution", PERP_FIELD_FRACTION, offsetof(PerpPairDef, restitution), NULL, 0},
    {"stiffness", PERP_FIELD_POSITIVE, offsetof(PerpPairDef, stiffness), NULL, 0},
    {"damping", PERP_FIELD_NON_NEGATIVE, offsetof(PerpPairDef, damping), NULL, 0},
};
static const PerpFields pair_fields = PERP_FIELDS("a pair", pair_field_list);

PerpStatus perp_read_pair(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    (void)name;
    PerpPairDef pair = perp_default_pair();
    const PerpNode *between = NULL;
    PerpStatus status = perp_fields_check(reader, item, &pair_fields);
    if (!status)
        status = perp_node_require(reader->document, item, "between", &between);
    if (!status)
        status = read_materials(reader, between, &pair);
    if (status)
        return status;
    const PerpMaterialDef *materials = reader->scene->materials.items;
    // what a pair does not say combines as it would without the pair
    perp_combine_materials(&materials[pair.material_a], &materials[pair.material_b], &pair);
    status = perp_fields_read(reader, item, &pair_fields, 0, "", &pair);
    return status ? status : perp_scene_add(reader, item, &reader->scene->pairs, &pair);
}
