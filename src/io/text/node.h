// What a node says: numbers, vectors, keys. Every failure names the place and what was expected.
#ifndef PERP_IO_TEXT_NODE_H
#define PERP_IO_TEXT_NODE_H

#include "base/error.h"
#include "io/text/document.h"

PerpStatus perp_node_fail(const PerpDocument *document, const PerpNode *node, PerpStatus status,
                          const char *format, ...) PERP_PRINTF(4, 5);

// Gives an error that has no place in a file the place of a node. Returns status.
PerpStatus perp_node_blame(const PerpDocument *document, const PerpNode *node, PerpStatus status);

// what names the node in messages, such as "q" or "row 3 of M".
PerpStatus perp_node_mapping(const PerpDocument *document, const PerpNode *node, const char *what);
PerpStatus perp_node_sequence(const PerpDocument *document, const PerpNode *node, const char *what);
PerpStatus perp_node_sequence_of(const PerpDocument *document, const PerpNode *node, int count,
                                 const char *what);

// Numbers follow the grammar of JSON; NaN, infinity and what overflows are refused. Run under
// perp_c_locale_enter, so that the caller's locale does not matter.
PerpStatus perp_node_number(const PerpDocument *document, const PerpNode *node, const char *what,
                            double *number);
// A number, or "inf" or "-inf" in quotes, since JSON has no infinity of its own.
PerpStatus perp_node_bound(const PerpDocument *document, const PerpNode *node, const char *what,
                           double *number);
PerpStatus perp_node_integer(const PerpDocument *document, const PerpNode *node, int low, int high,
                             const char *what, int *number);
// A sequence of exactly count numbers, stored stride apart.
PerpStatus perp_node_numbers(const PerpDocument *document, const PerpNode *node, int count,
                             const char *what, double *numbers, int stride);

// The value of a key; NULL if the mapping has none.
const PerpNode *perp_node_find(const PerpNode *mapping, const char *key);
// The same, but a missing key is an error.
PerpStatus perp_node_require(const PerpDocument *document, const PerpNode *mapping, const char *key,
                             const PerpNode **value);
// Fails at the first key that is not in the list, and names the nearest that is.
PerpStatus perp_node_check_keys(const PerpDocument *document, const PerpNode *mapping,
                                const char *const *keys, int count);
// Of the keys the first `fitting` are suggested for unknown ones.
PerpStatus perp_node_check_keys_of_kind(const PerpDocument *document, const PerpNode *mapping,
                                        const char *const *keys, int count, int fitting);

#endif
