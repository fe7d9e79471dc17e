// Orders of convergence: errors at successively halved steps, and the fitted orders.
#ifndef PERP_CLI_ORDER_ORDER_H
#define PERP_CLI_ORDER_ORDER_H

#include "run/run.h"

enum { ORDER_LEVELS = 16, ORDER_SCHEMES = 16 };

typedef struct OrderLevel {
    double h;                // s
    double seconds;          // of CPU
    double error_q, error_v; // at the end, against the reference
    double ledger;           // J that the energy ledger leaves to the scheme, at the end
} OrderLevel;

// Positions and velocities of all bodies at the end of a run.
typedef struct OrderEnd {
    double *pose;   // 7 a body: position, rotation w x y z
    double *motion; // 6 a body: velocity, spin
    int impacts;    // with a bounce
    int changes;    // steps after which the number of contacts was another
    double ledger;  // J that the energy ledger leaves to the scheme
} OrderEnd;

typedef struct OrderScheme {
    const char *name;
    OrderLevel level[ORDER_LEVELS];
    OrderEnd reference;
    double order_q, order_v; // fitted; NAN: too few errors above rounding
    double order_ledger;     // likewise
    double apart_q, apart_v; // its reference from that of the first scheme
    PerpError error;         // status PERP_OK: none
} OrderScheme;

typedef struct Order {
    const RunOptions *options;
    OpenScene opened;
    double from, duration; // s
    int levels, n_schemes;
    OrderScheme scheme[ORDER_SCHEMES];
} Order;

// Runs one scheme with all steps. False if it failed, as scheme->error says.
bool order_run(const Order *order, OrderScheme *scheme);
// How far the references are from that of the first scheme that has one.
void order_compare(Order *order);
void order_free(Order *order);

// The order between two levels, log2 of the ratio of errors; NAN if rounding hides it.
double order_between(double coarse, double fine);

void order_print_text(FILE *out, const Order *order);
void order_print_json(FILE *out, const Order *order);

// The errors against the step, or against CPU time. False after a complaint.
bool order_draw(const Order *order, bool against_time, const char *path);

#endif
