#include "cli.h"
CliExit cmd_plot(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return CLI_USAGE;
}
