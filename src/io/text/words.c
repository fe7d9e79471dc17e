// The nearest known word by edit distance.
#define _POSIX_C_SOURCE 200809L

#include "io/text/words.h"
#include "perp/words.h"

#include <assert.h>
#include <string.h>

enum { LETTERS = 32 };       // longer words are compared by their first letters
enum { LETTERS_ALIKE = 3 };  // body and bodies
enum { LETTERS_A_SLIP = 4 }; // who mistypes a word may do so once, and once more in so many letters

static int least(int a, int b)
{
    return a < b ? a : b;
}

// Damerau's distance with adjacent swaps: d(i,j) of the first i letters of a and j of b.
static int edit_distance(const char *a, const char *b)
{
    int d[LETTERS + 1][LETTERS + 1];
    int a_length = (int)strnlen(a, LETTERS);
    int b_length = (int)strnlen(b, LETTERS);
    for (int i = 0; i <= a_length; i++) {
        for (int j = 0; j <= b_length; j++) {
            d[i][j] = i + j; // right where i or j is 0, an upper bound elsewhere
            if (i == 0 || j == 0)
                continue;
            int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(replaced, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a_length][b_length];
}

bool perp_word_is_near(const char *word, const char *other)
{
    return strncmp(word, other, LETTERS_ALIKE) == 0 ||
           edit_distance(word, other) <= 1 + (int)strnlen(word, LETTERS) / LETTERS_A_SLIP;
}

const char *perp_nearest_word(const char *word, const char *const *words, int count)
{
    assert(count >= 1);
    int best = 0;
    for (int k = 1; k < count; k++)
        if (edit_distance(word, words[k]) < edit_distance(word, words[best]))
            best = k;
    return words[best];
}
