// A step problem that owns its arrays and grows row by row, in any order of the kinds of rows.
//
//     PerpSample *s = perp_sample_create();
//     int ball = perp_sample_add_body(s, 3, Mt, b);
//     int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &ball, normal, 0.0});
//     perp_sample_add_group(s, contact, 0.5, 0.0);
//     perp_sample_add_direction(s, (PerpSampleRow){1, &ball, tangent, 0.0});
//     PerpProblem p = perp_sample_problem(s);
//     ...
//     perp_sample_free(s);
//
// Without memory the program aborts: this is test code.
#ifndef PERP_TEST_SAMPLE_H
#define PERP_TEST_SAMPLE_H

#include "perp/problem.h"

typedef struct PerpInts {
    int count, room;
    int *at; // owned
} PerpInts;

typedef struct PerpDoubles {
    int count, room;
    double *at; // owned
} PerpDoubles;

void perp_ints_add(PerpInts *list, int value);
void perp_doubles_add(PerpDoubles *list, int count, const double *values);

// Rows of one kind: row r has the entries start.at[r] .. start.at[r+1] - 1.
typedef struct PerpSampleRows {
    PerpInts start, body;
    PerpDoubles J, d;
} PerpSampleRows;

// A row to be added; borrowed for the time of the call.
typedef struct PerpSampleRow {
    int n_entries;
    const int *body; // n_entries
    const double *J; // as many numbers as the bodies have velocities, one body after the other
    double d;
} PerpSampleRow;

typedef struct PerpSample {
    PerpInts body_start;
    PerpDoubles Mt, b;
    PerpSampleRows joints, boxes, contacts, directions;
    PerpDoubles lo, hi;
    PerpInts group_contact, group_start;
    PerpDoubles mu, cohesion;
    int *group_circular; // groups, owned
    PerpSampleRows rows; // all of them in the order of PerpProblem, made by perp_sample_problem
} PerpSample;

PerpSample *perp_sample_create(void);
void perp_sample_free(PerpSample *s); // NULL is allowed

// Each returns the index of what it added among its own kind.
int perp_sample_add_body(PerpSample *s, int velocities, const double *Mt, const double *b);
int perp_sample_add_joint(PerpSample *s, PerpSampleRow row);
int perp_sample_add_box(PerpSample *s, PerpSampleRow row, double lo, double hi);
int perp_sample_add_contact(PerpSample *s, PerpSampleRow row);
int perp_sample_add_group(PerpSample *s, int contact, double mu, double cohesion);
int perp_sample_add_circular_group(PerpSample *s, int contact, double mu, double cohesion);
int perp_sample_add_direction(PerpSample *s, PerpSampleRow row); // to the newest group

// The problem, borrowed from s until s changes or ends. Changes to s->b and s->rows.d show in it.
PerpProblem perp_sample_problem(PerpSample *s);

#endif
