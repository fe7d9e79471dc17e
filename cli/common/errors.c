// Errors of the library on standard error, and the exit codes they mean.
#include "common/support.h"

CliExit cli_complain_of_error(const PerpError *error)
{
    char text[PERP_PATH_SIZE + PERP_MESSAGE_SIZE];
    fprintf(stderr, "perp: %s\n", perp_error_text(error, text, sizeof text));
    return error->status == PERP_NO_MEMORY ? CLI_FAILED : CLI_BAD_INPUT;
}
