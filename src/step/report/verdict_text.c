// The verdict of a run in words: what does not hold, by how much, and which step would do.

#include "perp/verdict.h"

#include <stdio.h>

#define PERP_CHECK_WORD(name, word, unit) word,
#define PERP_CHECK_UNIT(name, word, unit) unit,
static const char *const words[] = {PERP_CHECK_LIST(PERP_CHECK_WORD)};
static const char *const units[] = {PERP_CHECK_LIST(PERP_CHECK_UNIT)};
#undef PERP_CHECK_WORD
#undef PERP_CHECK_UNIT

const char *perp_check_name(PerpCheck check)
{
    return (unsigned)check < PERP_CHECK_COUNT ? words[check] : "?";
}

const char *perp_check_unit(PerpCheck check)
{
    return (unsigned)check < PERP_CHECK_COUNT ? units[check] : "?";
}

static int print_finding(PerpCheck check, const PerpChecked *c, char *text, size_t size)
{
    switch (check) {
    case PERP_CHECK_SOLVED:
        return snprintf(text, size, "%.0f steps missed the tolerance", c->value);
    case PERP_CHECK_GAIN:
        return snprintf(text, size,
                        "the energy rose by %.3g %% without work, up to t = %.6g s (at most "
                        "%.3g %%)",
                        100 * c->value, c->t, 100 * c->bound);
    case PERP_CHECK_BALANCE:
        return snprintf(text, size,
                        "%.3g %% of the energy is unaccounted for at t = %.6g s (at most %.3g %%)",
                        100 * c->value, c->t, 100 * c->bound);
    case PERP_CHECK_OVERLAP:
        return snprintf(text, size, "bodies overlap by %.3g m at t = %.6g s (at most %.2g m)",
                        c->value, c->t, c->bound);
    case PERP_CHECK_PASSAGE:
        return snprintf(text, size,
                        "bodies may have passed through each other within the step to t = %.6g s, "
                        "overlapping by %.3g m (at most %.2g m)",
                        c->t, c->value, c->bound);
    case PERP_CHECK_JOINT_GAP:
        return snprintf(text, size, "joints are open by %.3g m or rad at t = %.6g s (at most %.2g)",
                        c->value, c->t, c->bound);
    case PERP_CHECK_FASTEST_MODE:
        return snprintf(text, size,
                        "the step is too long for the stiffest spring, damper or taut joint: "
                        "h omega = %.3g (at most %.3g)",
                        c->value, c->bound);
    case PERP_CHECK_DIGITS:
        return snprintf(text, size,
                        "positions are so far from the origin that they are known to %.2g m only, "
                        "t = %.6g s (at most %.2g m)",
                        c->value, c->t, c->bound);
    case PERP_CHECK_MOMENTUM:
        return snprintf(text, size,
                        "the angular momentum changed by %.3g %% up to t = %.6g s, though nothing "
                        "acts from outside (at most %.3g %%)",
                        100 * c->value, c->t, 100 * c->bound);
    case PERP_CHECK_EARLY_BOUNCE:
        return snprintf(text, size,
                        "contacts bounced together at the beginning of a step, up to %.3g of a "
                        "body's thickness before they closed, t = %.6g s (at most %.2g)",
                        c->value, c->t, c->bound);
    case PERP_CHECK_LOST_BOUNCES:
        return snprintf(
            text, size,
            "contacts landed that should have bounced, which took %.3g %% of the energy "
            "up to t = %.6g s (at most %.3g %%)",
            100 * c->value, c->t, 100 * c->bound);
    default:
        return snprintf(text, size, "?");
    }
}

static const char *print_remedy(PerpCheck check, const PerpChecked *c, char *text, size_t size)
{
    if (c->step > 0)
        snprintf(text, size, ": try steps of %g s", c->step);
    else if (check == PERP_CHECK_DIGITS)
        snprintf(text, size, ": move the scene to the origin");
    else
        snprintf(text, size, "%s", "");
    return text;
}

const char *perp_verdict_text(const PerpVerdict *verdict, PerpCheck check, char *text, int size)
{
    char finding[256], cure[64];
    if (size <= 0)
        return text;
    if ((unsigned)check >= PERP_CHECK_COUNT || verdict->check[check].holds) {
        text[0] = '\0';
        return text;
    }
    const PerpChecked *c = &verdict->check[check];
    print_finding(check, c, finding, sizeof finding);
    snprintf(text, (size_t)size, "%s%s", finding, print_remedy(check, c, cure, sizeof cure));
    return text;
}
