// CPU time of the calling thread, for traces.
#ifndef PERP_BASE_CLOCK_H
#define PERP_BASE_CLOCK_H

double perp_thread_seconds(void);

#endif
