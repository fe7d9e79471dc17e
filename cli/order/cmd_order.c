// perp order: the order of convergence of a scheme on a scene.
#include "order/order.h"

#include <math.h>
#include <string.h>

static const char USAGE[] =
    "perp order SCENE [--scheme S|all] [--steps N] [--from H] [-t SECONDS] [--svg FILE]\n"
    "                  [--work FILE] [--set NAME=VALUE ...] [--json] [OPTIONS OF SCHEMES]";

enum { DEFAULT_LEVELS = 5, MORE = 4 };
static const double COARSER = 8; // than the scene's step: the first level, if not told otherwise

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp order scenes/spinning-top.yaml -t 0.5         the order of the scene's scheme\n"
        "  perp order scenes/four-bar.yaml --scheme all --svg order.svg --work work.svg\n"
        "  perp order scenes/bouncing-ball.yaml --from 0.01 --steps 6 --json\n"
        "\n"
        "usage: %s\n"
        "\n"
        "Runs the scene with steps H, H/2, H/4, ... and measures the error at its end against\n"
        "the same scheme with an eighth of the smallest step.\n"
        "\n"
        "  --scheme S       a scheme, or all of them (default: the scene's)\n"
        "  --steps N        levels of refinement, 2 to %d (default %d)\n"
        "  --from H         the largest step (default: %g times the scene's)\n"
        "  -t SECONDS       how long (default: as the scene says)\n"
        "  --svg FILE       the errors against the step\n"
        "  --work FILE      the errors against CPU time\n"
        "  --json           one JSON object\n"
        "\n"
        "--facets, --tolerance, --stabilise, --jacobian, --printed-coriolis, --linear,\n"
        "--one-phase, --printed-decompression, --printed-collisions, --data, --first-step: as for\n"
        "perp run\n"
        "\n"
        "Exit: 0 ok, 1 a run failed, 2 usage, 3 bad input\n",
        USAGE, ORDER_LEVELS, DEFAULT_LEVELS, COARSER);
    return CLI_OK;
}

static CliExit complain(const char *what)
{
    fprintf(stderr, "perp: %s\nusage: %s\n", what, USAGE);
    return CLI_USAGE;
}

static void choose_schemes(Order *order)
{
    const char *asked = order->options->scheme;
    bool all = asked && strcmp(asked, "all") == 0;
    int count = all ? perp_scheme_count() : 1;
    order->n_schemes = count < ORDER_SCHEMES ? count : ORDER_SCHEMES;
    for (int k = 0; k < order->n_schemes; k++)
        order->scheme[k].name = all     ? perp_scheme_name(k)
                                : asked ? asked
                                        : perp_scene_run(order->opened.scene)->scheme;
}

// The duration is a whole number of the largest steps.
static bool choose_times(Order *order, double from)
{
    const PerpRunDef *def = perp_scene_run(order->opened.scene);
    double duration = order->options->duration > 0 ? order->options->duration : def->duration;
    order->from = from > 0 ? from : COARSER * def->step;
    if (order->options->step > 0)
        order->from = order->options->step;
    double steps = fmax(round(duration / order->from), 1);
    order->duration = steps * order->from;
    return ldexp(steps, order->levels + 3) < 1e9;
}

static CliExit run_all(Order *order)
{
    CliExit code = CLI_OK;
    for (int k = 0; k < order->n_schemes; k++)
        if (!order_run(order, &order->scheme[k])) {
            fprintf(stderr, "perp: %s with %s: %s\n", order->options->source.path,
                    order->scheme[k].name, order->scheme[k].error.message);
            code = CLI_FAILED;
        }
    order_compare(order);
    return code;
}

static CliExit measure(Order *order, const char *svg, const char *work)
{
    CliExit code = run_all(order);
    if (order->options->json)
        order_print_json(stdout, order);
    else
        order_print_text(stdout, order);
    if ((svg && !order_draw(order, false, svg)) || (work && !order_draw(order, true, work)))
        return CLI_BAD_INPUT;
    return code;
}

CliExit cmd_order(int argc, char **argv)
{
    RunOptions options;
    Order order = {.options = &options, .levels = DEFAULT_LEVELS};
    PerpError error;
    const char *steps = NULL, *from_text = NULL, *svg = NULL, *work = NULL;
    double from = 0;
    const CliOption more[MORE] = {{"--steps", NULL, &steps},
                                  {"--from", NULL, &from_text},
                                  {"--svg", NULL, &svg},
                                  {"--work", NULL, &work}};
    CliExit code = run_read_options(argc, argv, more, MORE, USAGE, &options);
    if (code)
        return code;
    if (options.help)
        return print_help();
    if (!options.source.path)
        return complain("order needs a scene");
    if (options.csv || options.strict)
        return complain("order has neither --csv nor --strict");
    bool all = options.scheme && strcmp(options.scheme, "all") == 0;
    if ((!all && !run_check_scheme(options.scheme)) ||
        !cli_read_count("--steps", steps, &order.levels) ||
        !cli_read_number("--from", from_text, &from))
        return CLI_USAGE;
    if (order.levels < 2 || order.levels > ORDER_LEVELS)
        return complain("--steps is out of range");
    if (open_scene(&options.source, &order.opened, &error)) {
        code = cli_complain_of_error(&error);
    } else {
        choose_schemes(&order);
        code = choose_times(&order, from) ? measure(&order, svg, work)
                                          : complain("these are too many steps");
    }
    order_free(&order);
    return code;
}
