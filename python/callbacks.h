// Functions of Python that the library calls; cffi defines them. Each ends in an exception that
// Python keeps, or in numbers; numbers that are missing are NaN, which fails the step.
extern "Python+C" void python_force(void *user, double t, int body, const double *position,
                                    const double *rotation, double *force, double *torque);
extern "Python+C" void python_control(void *user, PerpSimulation *simulation);
extern "Python+C" void python_watch(void *user, const PerpSolvedProblem *solved);
// Of custom systems: `which` is a bit of NATIVE_, 0 the mass; results go to `to` and `more`.
extern "Python+C" double python_system(void *user, unsigned which, double t, const double *q,
                                       const double *v, int index, double *to, double *more);
