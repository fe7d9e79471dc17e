// FCLIB files of recorded step problems.
#include "base/error.h"
#include "io/export.h"

PerpStatus perp_export_fclib(PerpExport *x, PerpError *error)
{
    return perp_fail_at(error, PERP_NOT_SUPPORTED, x->path, 0, 0, "no problems were recorded");
}
