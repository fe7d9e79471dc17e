// What a study consists of: factors that are crossed, expressions of the parameters, measures.
#ifndef PERP_STUDY_STUDY_H
#define PERP_STUDY_STUDY_H

#include "io/text/document.h"
#include "perp/study.h"
#include "signal/signal.h"
#include "study/sample.h"

enum {
    PERP_STUDY_FACTORS = 64,
    PERP_STUDY_SETS = 64,
    PERP_STUDY_FILES = 256, // of its scene
};

// A parameter and how its values follow from the number of a point of its factor.
typedef struct PerpVaried {
    const char *name;
    const PerpNode *node;  // its key in the study
    PerpSpacing spacing;   // on an axis
    PerpDistribution draw; // in a sample
    int dimension;         // of the sample
    bool is_used;          // by set or run
    bool is_foreign;       // unknown to the scene
    const char **words;    // by the numbers that are its values; NULL: it is a number
    int n_words;
} PerpVaried;

typedef enum PerpFactorKind {
    PERP_FACTOR_AXES, // one parameter, or several that go together
    PERP_FACTOR_RANDOM,
    PERP_FACTOR_LATIN,
    PERP_FACTOR_SOBOL
} PerpFactorKind;

// A set of points. Cases are the product of all factors, the last varying fastest.
typedef struct PerpFactor {
    PerpFactorKind kind;
    long points;
    int first, count; // of its parameters
} PerpFactor;

// An expression of the parameters, for a parameter of the scene or an option of the run.
typedef struct PerpDerived {
    const char *name;
    const PerpNode *node; // the expression
    PerpProgram program;  // owned
} PerpDerived;

// What a measure takes over a run: final(x), largest(x), ...
typedef enum PerpReduce {
    PERP_REDUCE_FINAL,
    PERP_REDUCE_LARGEST,
    PERP_REDUCE_SMALLEST,
    PERP_REDUCE_MEAN,
    PERP_REDUCE_INTEGRAL,
    PERP_REDUCE_AT,
    PERP_REDUCE_FIRST,
    PERP_REDUCE_LAST,
    PERP_REDUCE_COUNT
} PerpReduce;

typedef struct PerpMeasure {
    const char *name;
    const PerpNode *node; // the expression
} PerpMeasure;

// Options of the run that are numbers.
enum { PERP_OPTION_T, PERP_OPTION_H, PERP_OPTION_TOLERANCE, PERP_OPTION_FACETS, PERP_OPTIONS };

// Options of the run that are words. Facets are a number or a word.
typedef enum PerpChoice {
    PERP_CHOICE_SCHEME,
    PERP_CHOICE_FACETS,
    PERP_CHOICE_IMPACTS,
    PERP_CHOICE_STABILISE,
    PERP_CHOICE_JACOBIAN,
    PERP_CHOICE_OVERLAP,
    PERP_CHOICE_EXACT,
    PERP_CHOICE_STRICT,
    PERP_CHOICES
} PerpChoice;

typedef struct PerpChosen {
    const char *word; // of all cases; NULL: not given, or it varies
    int varied;       // the parameter whose values are the words; -1: none
} PerpChosen;

struct PerpStudy {
    PerpContext context;
    PerpDocument document;
    bool is_parsed;
    PerpArena arena;
    PerpStudyInfo info;
    const char *names[PERP_STUDY_NAMES], *measure_names[PERP_STUDY_NAMES];
    PerpVaried varied[PERP_STUDY_NAMES];
    PerpFactor factors[PERP_STUDY_FACTORS];
    int n_factors;
    PerpProgram where;
    PerpDerived sets[PERP_STUDY_SETS];
    int n_sets;
    PerpDerived options[PERP_OPTIONS]; // name NULL: not given
    PerpChosen choices[PERP_CHOICES];
    PerpMeasure measures[PERP_STUDY_NAMES];
    PerpScene *scene;   // as it stands: holds its files
    PerpSceneText text; // of the study itself
};

// Reading. Each section reads its node.
PerpStatus perp_study_read_vary(PerpStudy *study, const PerpNode *node);
PerpStatus perp_study_read_measures(PerpStudy *study, const PerpNode *node);
PerpStatus perp_study_read_run(PerpStudy *study, const PerpNode *node);
// A number written as an expression, such as 30 deg or 2*pi.
PerpStatus perp_study_number(const PerpStudy *study, const PerpNode *node, const char *what,
                             double *number);
// Compiles an expression of the parameters, which count as used.
PerpStatus perp_study_compile(PerpStudy *study, const PerpNode *node, PerpProgram *program);
int perp_study_find_parameter(const PerpStudy *study, const char *name); // -1: none

// Do tables have a column of this name besides parameters and measures?
bool perp_study_is_column(const char *name);

// Reads a study in memory, without its scene. path stands for the file.
PerpStatus perp_study_parse(const PerpContext *context, const char *bytes, size_t size,
                            const char *path, PerpStudy **study, PerpError *error);

// The value of such an expression; NaN if it has none.
double perp_study_evaluate(const PerpProgram *program, const double *parameters, int count);

// The word of a case, or a number of facets; NULL: what the scene says.
const char *perp_study_choice(const PerpStudy *study, PerpChoice choice, const double *parameters);
int perp_choice_index(PerpChoice choice, const char *word); // among the option's words; -1: none
bool perp_is_choice(const char *word);                      // of any option

// The parameters of the scene for a case, as texts in `digits`; returns how many.
typedef char PerpDigits[32];
int perp_study_set(const PerpStudy *study, const double *parameters, PerpParameter *set,
                   PerpDigits *digits);
void perp_study_digits(double number, char *text, int size); // that read back to the same bits

#endif
