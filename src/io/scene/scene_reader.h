// What the readers of a scene's sections share: the scene that grows, the files, the scope of
// expressions, and functions that read a node's value. Each section has a file of its own.
#ifndef PERP_IO_SCENE_SCENE_READER_H
#define PERP_IO_SCENE_SCENE_READER_H

#include "base/memory.h"
#include "io/text/expression.h"
#include "io/text/input.h"
#include "io/text/node.h"
#include "perp/scene.h"

enum {
    PERP_SCENE_ITEM_LIMIT = 1000000,        // bodies, shapes, joints, ... together
    PERP_SCENE_ITERATION_LIMIT = 1000000,   // of repeat, in one section
    PERP_SCENE_CHARACTER_LIMIT = 100000000, // of expressions, evaluated
    PERP_SCENE_FILE_LIMIT = 256,            // scenes and meshes
    PERP_SCENE_BYTE_LIMIT = 64 << 20,       // of all files together
    PERP_SCENE_INCLUDE_DEPTH = 16,          //
    PERP_SCENE_PARAMETER_LIMIT = 1000,      //
    PERP_SCENE_NAME_SIZE = 128,             // bytes of a name, with the end
    PERP_SCENE_ERRORS = 20,                 // that are told of one scene
};

#define PERP_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// An array that grows.
typedef struct PerpSceneList {
    size_t item_size;
    void *items; // owned
    int count, room;
} PerpSceneList;

struct PerpScene {
    PerpContext context;
    PerpArena arena; // names, vertices, heights, paths
    PerpSceneList bodies, shapes, joints, springs, forces, materials, pairs, exclusions;
    PerpSceneList sites, signals, actuators, motions, sensors, keyframes;
    PerpSceneList expectations, shape_places;
    PerpSceneText texts[PERP_SCENE_FILE_LIMIT]; // of each name in file_names
    PerpNames body_names, joint_names, sensor_names, file_names;
    PerpNames spring_names, force_names, site_names, signal_names, actuator_names, keyframe_names;
    PerpModelDef def;
    PerpRunDef run;
    const char *about;
    PerpCamera camera;
    bool has_camera;
};

// A scene file, parsed. The files of a scene form a list: what is included stands before what
// includes it.
typedef struct PerpSceneFile PerpSceneFile;
struct PerpSceneFile {
    PerpDocument document;
    PerpSceneFile *next;
};

// A coupling whose joints are looked up when all joints are known.
typedef struct PerpPendingCoupling {
    int joint;
    const PerpDocument *document;
    const PerpNode *node[2];
    const char *name[2];
} PerpPendingCoupling;

typedef struct PerpSceneReader {
    PerpScene *scene;
    PerpError *error;
    const PerpParameter *set;
    int n_set;
    const PerpSceneText *given; // where files come from, NULL: from the disk
    int n_given;
    PerpSceneFile *first_file, *last_file; // owned
    int n_errors;    // found so far, if the caller has a log: all but the last are told there
    PerpError found; // the last
    PerpPlace place[PERP_SCENE_ERRORS]; // of each: repeated items err alike, and are told once
    const PerpDocument *document;       // of the node that is being read
    size_t bytes_left;
    PerpScope scope;          // owns its parameters
    PerpSceneList parameters; // double
    PerpSceneList couplings;  // PerpPendingCoupling
    PerpSceneList meshes;     // PerpSceneMesh, one for each file name in mesh_names
    PerpNames material_names, mesh_names, run_keys;
    int coordinate; // of the joint that is being read
    int items, iterations;
    bool describes_default; // the material of shapes that name none
} PerpSceneReader;

PerpStatus perp_scene_fail_for_memory(const PerpSceneReader *reader, const PerpNode *node);
PerpPlace perp_scene_place(const PerpSceneReader *reader, const PerpNode *node);

// The value of a part of a scalar's text.
PerpStatus perp_scene_evaluate(PerpSceneReader *reader, const PerpNode *node, const char *start,
                               size_t length, const char *what, double *number);

// Values. `what` names the value in messages.
PerpStatus perp_scene_number(PerpSceneReader *reader, const PerpNode *node, const char *what,
                             double *number);
PerpStatus perp_scene_positive(PerpSceneReader *reader, const PerpNode *node, const char *what,
                               double *number);
// A number, inf or -inf.
PerpStatus perp_scene_bound(PerpSceneReader *reader, const PerpNode *node, const char *what,
                            double *number);
PerpStatus perp_scene_integer(PerpSceneReader *reader, const PerpNode *node, double low,
                              double high, const char *what, double *number);
PerpStatus perp_scene_numbers(PerpSceneReader *reader, const PerpNode *node, int count,
                              const char *what, double *numbers);
PerpStatus perp_scene_sizes(PerpSceneReader *reader, const PerpNode *node, int count,
                            const char *what, double *sizes); // all above 0
PerpStatus perp_scene_direction(PerpSceneReader *reader, const PerpNode *node, const char *what,
                                double direction[3]); // not zero; not normalised
PerpStatus perp_scene_flag(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           bool *flag);
PerpStatus perp_scene_word(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           const char *const *words, int count, int *index);

// A name with its {expressions} replaced by their values, owned by the scene.
PerpStatus perp_scene_name(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           const char **name);
// The index of a name that was given before.
PerpStatus perp_scene_find(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           const PerpNames *names, int *index);
PerpStatus perp_scene_find_body(PerpSceneReader *reader, const PerpNode *node, int *body);
PerpStatus perp_scene_find_two_bodies(PerpSceneReader *reader, const PerpNode *node,
                                      const char *what, int *body_a, int *body_b);
// Enters a name that must be new; its index is the number of names before it.
PerpStatus perp_scene_enter(PerpSceneReader *reader, const PerpNode *node, const char *what,
                            const char *name, PerpNames *names);

// Appends a copy of an item; perp_scene_append of what belongs to another item, and is not counted.
PerpStatus perp_scene_append(PerpSceneReader *reader, const PerpNode *node, PerpSceneList *list,
                             const void *item);
PerpStatus perp_scene_add(PerpSceneReader *reader, const PerpNode *node, PerpSceneList *list,
                          const void *item);
void perp_scene_list_free(const PerpAllocator *allocator, PerpSceneList *list);

// One key of a mapping and where its value goes.
typedef PerpStatus (*PerpFieldRead)(PerpSceneReader *reader, const PerpNode *value, void *target);

typedef enum PerpFieldKind {
    PERP_FIELD_OWN, // by the function `read`
    PERP_FIELD_NUMBER,
    PERP_FIELD_POSITIVE,
    PERP_FIELD_NON_NEGATIVE,
    PERP_FIELD_FRACTION, // 0 .. 1
    PERP_FIELD_BOUND,
    PERP_FIELD_VECTOR,
    PERP_FIELD_DIRECTION,
    PERP_FIELD_FLAG,
    PERP_FIELD_TEXT, // const char *
} PerpFieldKind;

typedef struct PerpField {
    const char *key;
    PerpFieldKind kind;
    size_t offset;      // of the value in the target
    PerpFieldRead read; // gets the target moved by offset
    unsigned only;      // the variants that have this key, one bit each; 0: all
} PerpField;

typedef struct PerpFields {
    const char *what; // "a body", for messages
    const PerpField *fields;
    int count;
    const char *const *kinds; // keys of which one names the kind: bit k of `only` is that of kind k
    int n_kinds;              // 0: there are no kinds
} PerpFields;

#define PERP_FIELDS(what, list)                                                                    \
    {                                                                                              \
        what, list, PERP_COUNT(list), NULL, 0                                                      \
    }
#define PERP_FIELDS_OF_KINDS(what, list, words)                                                    \
    {                                                                                              \
        what, list, PERP_COUNT(list), words, PERP_COUNT(words)                                     \
    }

PerpStatus perp_field_value(PerpSceneReader *reader, const PerpNode *node, const PerpField *field,
                            void *target);

// Refuses what is no mapping, and unknown keys.
PerpStatus perp_fields_check(PerpSceneReader *reader, const PerpNode *mapping,
                             const PerpFields *fields);
// The same, then refuses keys that `variant` (a bit, 0 for no variants) does not have, and reads
// the others in the order of the file.
PerpStatus perp_fields_read(PerpSceneReader *reader, const PerpNode *mapping,
                            const PerpFields *fields, unsigned variant, const char *variant_name,
                            void *target);
// The index of the one word that is a key of the mapping; -1 if there is none. Two are an error.
PerpStatus perp_fields_choose(PerpSceneReader *reader, const PerpNode *mapping,
                              const char *const *words, int count, int *index);
const PerpNode *perp_fields_key(const PerpNode *mapping, const char *text); // NULL: there is none
PerpStatus perp_fields_refuse_both(PerpSceneReader *reader, const PerpNode *mapping,
                                   const char *key, const char *other);

// Fields that several sections have: a colour, "#d55e00" or [red, green, blue, opacity], to four
// doubles; enabled: {from: 1, until: 2} to two, start and end.
PerpStatus perp_read_colour(PerpSceneReader *reader, const PerpNode *value, void *colour);
PerpStatus perp_read_enabled(PerpSceneReader *reader, const PerpNode *value, void *times);

// Sections. Items of mappings have a name (the key), items of lists have NULL.
PerpStatus perp_read_material(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_pair(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_body(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_world(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_joint(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_spring(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_force(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_exclusion(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_site(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_signal(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_actuator(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_motion(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_sensor(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_keyframe(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
PerpStatus perp_read_expectation(PerpSceneReader *reader, const PerpNode *name,
                                 const PerpNode *item);

// A number that changes: an expression, a table, an input. Its index goes to `signal`.
PerpStatus perp_scene_signal(PerpSceneReader *reader, const PerpNode *node, int *signal);
// The same, unless it is a number already: then signal is -1.
PerpStatus perp_scene_number_or_signal(PerpSceneReader *reader, const PerpNode *node,
                                       double *number, int *signal);
// An actuator whose name must be new; node is its place.
PerpStatus perp_scene_add_actuator(PerpSceneReader *reader, const PerpNode *node,
                                   const PerpActuatorDef *def);

PerpStatus perp_add_default_material(PerpSceneReader *reader);
PerpStatus perp_resolve_couplings(PerpSceneReader *reader);

// Files. The path of a file is relative to the file that names it.
PerpStatus perp_scene_load(PerpSceneReader *reader, const char *path);
PerpStatus perp_scene_load_bytes(PerpSceneReader *reader, const char *bytes, size_t size,
                                 const char *name);
PerpStatus perp_scene_input(PerpSceneReader *reader, const PerpNode *node, const char *path,
                            PerpInput *input);
PerpStatus perp_scene_path(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           const char **path);
PerpStatus perp_check_repeats(PerpSceneReader *reader, const PerpNode *root);

// Top-level keys that are not lists of items.
PerpStatus perp_read_parameters(PerpSceneReader *reader);
PerpStatus perp_read_run(PerpSceneReader *reader);
PerpStatus perp_read_gravity(PerpSceneReader *reader);
PerpStatus perp_read_about(PerpSceneReader *reader);
PerpStatus perp_read_camera(PerpSceneReader *reader);         // once bodies are known
PerpStatus perp_read_start_keyframe(PerpSceneReader *reader); // likewise keyframes

// A top-level key with many items, which repeat blocks may have too.
typedef struct PerpSection {
    const char *key;
    bool by_name; // a mapping, else a list
    PerpStatus (*read)(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item);
} PerpSection;

enum { PERP_SECTIONS = 15 };
extern const PerpSection perp_sections[PERP_SECTIONS]; // in the order in which they are read

// Of the repeat blocks of the current file.
PerpStatus perp_read_repeats(PerpSceneReader *reader, const PerpSection *section);
// With a log reading goes on behind an error, for the sake of others: then it returns PERP_OK.
PerpStatus perp_scene_go_on(PerpSceneReader *reader, PerpStatus status);

PerpStatus perp_read_items(PerpSceneReader *reader, const PerpSection *section,
                           const PerpNode *items);

// perp_scene_read for a text in memory; name stands for the file.
PerpStatus perp_scene_parse(const PerpContext *context, const char *bytes, size_t size,
                            const char *name, const PerpParameter *set, int n_set,
                            PerpScene **scene, PerpError *error);

#endif
