// Words that were mistyped.
#ifndef PERP_IO_TEXT_WORDS_H
#define PERP_IO_TEXT_WORDS_H

#include <stdbool.h>

// May the one have been meant by the other?
bool perp_word_is_near(const char *word, const char *other);

#endif
