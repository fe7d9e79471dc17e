// The order in which bodies are eliminated from M + J'C J.
#ifndef PERP_LCP_ROUND_ORDER_H
#define PERP_LCP_ROUND_ORDER_H

#include "lcp/round.h"

// What is needed before the first factorisation; false if memory is short.
bool perp_round_order_prepare(PerpRound *round);
// Before each factorisation: of large problems the order is that of the cells which have a C now.
// Vectors of bodies that were made in places of the order before mean nothing behind it. False if
// memory is short.
bool perp_round_order_follow(PerpRound *round);

#endif
