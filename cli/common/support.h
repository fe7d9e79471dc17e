// Errors, paths and the clock, shared by the commands.
#ifndef PERP_CLI_COMMON_SUPPORT_H
#define PERP_CLI_COMMON_SUPPORT_H

#include "common/cli.h"

#include "perp/status.h"

// Prints the error with its place; returns the exit code that it means.
CliExit cli_complain_of_error(const PerpError *error);

// "8 facets", or "a circular cone"; valid until the next call.
const char *cli_cone(int facets);
bool cli_same_file(const char *a, const char *b); // false if one is not there
bool cli_is_hdf5(const char *path);               // by its first bytes
bool cli_may_replace(const char *path);           // a regular file, or none
// False after a complaint: a file stands there without `mark` in its first bytes, which all have
// that a command writes; what: in words, with an article.
bool cli_may_overwrite(const char *path, const char *mark, const char *what);
// What a link names, so that a file can be replaced and the link stays; the path itself if it is
// none, or a dangling one.
const char *cli_follow_links(const char *path, char target[PERP_PATH_SIZE]);

// A new folder for files that nobody else needs, in TMPDIR or /tmp. False after a complaint.
bool cli_make_folder(char path[PERP_PATH_SIZE]);
const char *cli_base_name(const char *path); // what follows its last slash

double cli_seconds(void); // of a clock that only goes forward

// By so much a relative margin of a paper's inequality may be negative in a run of this tolerance:
// rounding, or what the solver leaves.
static inline double cli_margin_slack(double tolerance)
{
    return tolerance > 1e-9 / 3 ? 3 * tolerance : 1e-9;
}

#endif
