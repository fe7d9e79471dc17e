// The nearest known word, for messages that suggest one.
#ifndef PERP_WORDS_H
#define PERP_WORDS_H

#include "perp/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The word of the list with the fewest letters to insert, delete, replace or swap with a neighbour;
// the first of equals. count >= 1.
PERP_API const char *perp_nearest_word(const char *word, const char *const *words, int count);

#ifdef __cplusplus
}
#endif
#endif
