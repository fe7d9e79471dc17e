// Axes: linear and logarithmic scales, ticks and their labels.
#include "plot/axis.h"

#include "plot/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES "\xC3\x97"
#define DOT "\xC2\xB7"

static const double LARGEST = 1e290;   // differences of such values do not overflow
static const double SMALLEST = 1e-290; // length of an axis
static const double SHARPEST = 1e-12;  // length over size of the values, so that ticks differ

bool perp_axis_coordinate(const PerpAxis *axis, double value, double *coordinate)
{
    if (!(fabs(value) <= LARGEST) || (axis->log && !(value > 0)))
        return false;
    *coordinate = axis->log ? log10(value) : value;
    return true;
}

double perp_axis_place(const PerpAxis *axis, double coordinate)
{
    double share = (coordinate - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

// The last of 1, 2, 5, 10 times a power of ten that is not above; the decade, if coarse.
static double round_down(double exponent, bool coarse)
{
    static const double digits[3] = {0.69897000433601880, 0.30102999566398120, 0}; // log10: 5, 2, 1
    double decade = floor(exponent + 1e-9);
    for (int k = 0; k < 3 && !coarse; k++)
        if (decade + digits[k] <= exponent + 1e-9)
            return decade + digits[k];
    return decade;
}

static double round_up(double exponent, bool coarse)
{
    static const double digits[3] = {0, 0.30102999566398120, 0.69897000433601880};
    double decade = floor(exponent - 1e-9);
    for (int k = 0; k < 3 && !coarse; k++)
        if (decade + digits[k] >= exponent - 1e-9)
            return decade + digits[k];
    return decade + 1;
}

static void fit_decades(PerpAxis *axis, double low, double high)
{
    bool coarse = high - low > 3;
    axis->low = round_down(low, coarse);
    axis->high = round_up(high, coarse);
    if (axis->high - axis->low < 0.5) {
        axis->low = round_down(low - 0.1, false);
        axis->high = round_up(high + 0.1, false);
    }
}

void perp_axis_fit(PerpAxis *axis, double low, double high, double share)
{
    if (low > high) {
        low = 0;
        high = 1;
    }
    if (axis->log) {
        fit_decades(axis, low, high);
        return;
    }
    double least = fmax(SMALLEST, SHARPEST * fmax(fabs(low), fabs(high)));
    if (high - low < least) {
        double centre = low + (high - low) / 2;
        double half = fmax(fabs(centre) * 0.05, least);
        low = centre == 0 ? -1 : centre - half;
        high = centre == 0 ? 1 : centre + half;
    }
    double free = share * (high - low);
    axis->low = low - free;
    axis->high = high + free;
}

// --- ticks --------------------------------------------------------------------------------------

static double power_of_ten(double mantissa, int exponent)
{
    return exponent < 0 ? mantissa / pow(10, -exponent) : mantissa * pow(10, exponent);
}

static PerpTick *add_tick(PerpTicks *ticks, double at)
{
    if (ticks->count == PERP_MAX_TICKS)
        return NULL;
    PerpTick *tick = &ticks->tick[ticks->count++];
    *tick = (PerpTick){.at = at, .minor = true};
    return tick;
}

static void label_tick(PerpTick *tick, const char *label)
{
    tick->minor = false;
    snprintf(tick->label, sizeof tick->label, "%s", label);
}

// The largest of 1, 2, 5 times 10^exponent that makes at least `wanted` steps, or nearly.
static int choose_step(double length, int wanted, int *exponent)
{
    double rough = length / wanted;
    *exponent = (int)floor(log10(rough));
    double share = rough / power_of_ten(1, *exponent);
    if (share < 1.4)
        return 1;
    if (share < 3.2)
        return 2;
    if (share < 7.1)
        return 5;
    ++*exponent;
    return 1;
}

static int exponent_of(long long number)
{
    int exponent = 0;
    for (number = llabs(number); number >= 10; number /= 10)
        exponent++;
    return exponent;
}

// What the labels have in common: an offset, if they would need more than six digits, and a power
// of 1000, if they would need many zeros.
static int find_common(long long first, long long last, int exponent, long long *offset)
{
    long long largest = llabs(first) > llabs(last) ? llabs(first) : llabs(last);
    *offset = largest >= 1000000 ? first : 0;
    if (*offset)
        largest = last - first;
    int leading = exponent + exponent_of(largest);
    return leading >= 5 || leading <= -4 ? 3 * (int)floor(leading / 3.0) : 0;
}

static void write_note(PerpTicks *ticks, long long offset, int exponent, int common)
{
    int length = 0;
    ticks->note[0] = '\0';
    if (common)
        length = snprintf(ticks->note, sizeof ticks->note, TIMES "10^%d", common);
    if (!offset)
        return;
    char *end = ticks->note + length;
    size_t room = sizeof ticks->note - (size_t)length;
    const char *before = length ? "^ " : "", *sign = offset < 0 ? "- " : "+ ";
    int leading = exponent_of(offset);
    if (exponent > -18 && exponent <= 0)
        snprintf(end, room, "%s%s%s", before, sign, perp_decimal(llabs(offset), exponent).text);
    else
        snprintf(end, room, "%s%s%s" DOT "10^%d", before, sign,
                 perp_decimal(llabs(offset), -leading).text, exponent + leading);
}

static void add_steps(const PerpAxis *axis, int wanted, PerpTicks *ticks)
{
    int exponent;
    long long step = choose_step(axis->high - axis->low, wanted, &exponent);
    double length = power_of_ten((double)step, exponent);
    double slack = 1e-9 * (axis->high - axis->low);
    long long first = llround(ceil((axis->low - slack) / length)) * step;
    long long last = llround(floor((axis->high + slack) / length)) * step;
    long long offset;
    int common = find_common(first, last, exponent, &offset);
    write_note(ticks, offset, exponent, common);
    for (long long k = first; k <= last; k += step) {
        PerpTick *tick = add_tick(ticks, power_of_ten((double)k, exponent));
        if (tick)
            label_tick(tick, perp_decimal(k - offset, exponent - common).text);
    }
}

static void label_decade(PerpTick *tick, int digit, int decade, bool plain)
{
    char label[PERP_TICK_LABEL];
    if (plain)
        snprintf(label, sizeof label, "%s", perp_decimal(digit, decade).text);
    else if (digit == 1)
        snprintf(label, sizeof label, "10^%d", decade);
    else
        snprintf(label, sizeof label, "%d" DOT "10^%d", digit, decade);
    label_tick(tick, label);
}

// Between decades, ticks if there is room; 2 and 5 with labels if there are few.
static void add_digits(const PerpAxis *axis, int decade, bool plain, PerpTicks *ticks)
{
    double length = axis->high - axis->low;
    for (int digit = 2; digit <= 9 && length <= 10; digit++) {
        double at = decade + log10(digit);
        if (at < axis->low - 1e-9 || at > axis->high + 1e-9)
            continue;
        PerpTick *tick = add_tick(ticks, at);
        if (tick && length <= 2 && (digit == 2 || digit == 5))
            label_decade(tick, digit, decade, plain);
    }
}

// Every n-th decade has a label.
static void add_decades(const PerpAxis *axis, int wanted, PerpTicks *ticks)
{
    int low = (int)floor(axis->low + 1e-9), high = (int)floor(axis->high + 1e-9);
    int every = 1;
    while ((high - low) / every > wanted)
        every = every == 1 ? 2 : every == 2 ? 3 : every == 3 ? 5 : 2 * every;
    bool plain = low >= -3 && high <= 3;
    for (int decade = low; decade <= high; decade++) {
        bool labelled = decade % every == 0;
        if (decade >= axis->low - 1e-9 && (labelled || high - low <= PERP_MAX_TICKS / 2)) {
            PerpTick *tick = add_tick(ticks, decade);
            if (tick && labelled)
                label_decade(tick, 1, decade, plain);
        }
        add_digits(axis, decade, plain, ticks);
    }
}

void perp_axis_ticks(const PerpAxis *axis, int wanted, PerpTicks *ticks)
{
    ticks->count = 0;
    ticks->note[0] = '\0';
    wanted = wanted < 2 ? 2 : wanted > 20 ? 20 : wanted;
    if (axis->log)
        add_decades(axis, wanted, ticks);
    else
        add_steps(axis, wanted, ticks);
}
