// SIGINT and SIGTERM: a run finishes its step and reports before it ends.
#ifndef PERP_CLI_COMMON_INTERRUPT_H
#define PERP_CLI_COMMON_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
bool interrupt_requested(void);

#endif
