// perp check of a recording.
#ifndef PERP_CLI_CHECK_RECORDING_H
#define PERP_CLI_CHECK_RECORDING_H

#include "common/cli.h"

CliExit check_recording(const char *path, bool json);

#endif
