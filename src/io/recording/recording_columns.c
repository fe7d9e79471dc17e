// The growing datasets of a recording, read slice by slice.
#include "io/recording/recording.h"

#include "base/error.h"
#include "io/hdf5/hdf5_source.h"

#include <string.h>

enum { COLUMNS = PERP_SERIES_COUNT + PERP_WIDE_COUNT };

static PerpReadColumn *column_of(PerpRecording *recording, int index)
{
    return index < PERP_SERIES_COUNT ? &recording->series[index]
                                     : &recording->wide[index - PERP_SERIES_COUNT];
}

// --- opening ------------------------------------------------------------------------------------

static bool describe(const PerpRecording *recording, int index, PerpColumnDef *def)
{
    int group;
    if (index >= PERP_SERIES_COUNT)
        return perp_product_def((PerpWide)(index - PERP_SERIES_COUNT), &recording->widths, def,
                                &group);
    *def = perp_series[index].column;
    return true;
}

// Exactly the type that this version writes.
static bool has_type(hid_t set, PerpColumnType wanted)
{
    hid_t type = H5Dget_type(set), expected = perp_column_type(wanted);
    bool same = type >= 0 && expected >= 0 && H5Tget_class(type) == H5Tget_class(expected) &&
                H5Tget_size(type) == H5Tget_size(expected) && H5Tis_variable_str(type) <= 0;
    if (type >= 0)
        H5Tclose(type);
    if (expected >= 0)
        H5Tclose(expected);
    return same;
}

// Chunked: neither outside the file nor virtual.
static bool is_chunked(hid_t set)
{
    hid_t creation = H5Dget_create_plist(set);
    bool chunked = creation >= 0 && H5Pget_layout(creation) == H5D_CHUNKED;
    if (creation >= 0)
        H5Pclose(creation);
    return chunked;
}

static bool get_extent(hid_t set, const PerpColumnDef *def, int64_t *rows)
{
    const int rank = 1 + (def->width > 0) + (def->depth > 0);
    hsize_t extent[3] = {0};
    hid_t space = H5Dget_space(set);
    bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, extent, NULL) == rank &&
                (rank < 2 || extent[1] == (hsize_t)def->width) &&
                (rank < 3 || extent[2] == (hsize_t)def->depth) && extent[0] < (UINT64_C(1) << 48);
    if (space >= 0)
        H5Sclose(space);
    *rows = fits ? (int64_t)extent[0] : 0;
    return fits;
}

static PerpStatus open_column(PerpRecording *recording, int index, PerpError *error)
{
    PerpReadColumn *column = column_of(recording, index);
    PerpHdf5Source source = {.file = recording->file};
    if (!describe(recording, index, &column->def) || !perp_hdf5_exists(&source, column->def.name))
        return PERP_OK;
    column->set = H5Dopen2(recording->file, column->def.name, H5P_DEFAULT);
    if (column->set < 0 || !is_chunked(column->set) || !has_type(column->set, column->def.type) ||
        !get_extent(column->set, &column->def, &column->rows))
        return perp_recording_fail(recording, PERP_BAD_SYNTAX, column->def.name,
                                   "not as in a perp recording", error);
    return PERP_OK;
}

// Whether numbers are doubles or floats shows in the points of contacts and in the poses.
static bool is_single(const PerpRecording *recording)
{
    static const char *const names[] = {"pose", "velocity", "contacts/point"};
    PerpHdf5Source source = {.file = recording->file};
    bool single = false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        hid_t set = perp_hdf5_exists(&source, names[k])
                        ? H5Dopen2(recording->file, names[k], H5P_DEFAULT)
                        : -1;
        single = single || (set >= 0 && has_type(set, PERP_COLUMN_FLOAT));
        if (set >= 0)
            H5Dclose(set);
    }
    return single;
}

// All columns of a group are there, or none.
static PerpStatus check_ragged(const PerpRecording *recording, int from, int to, bool there,
                               PerpError *error)
{
    for (int w = from; w < to; w++)
        if ((recording->wide[w].set >= 0) != there)
            return perp_recording_fail(recording, PERP_BAD_SYNTAX, recording->wide[w].def.name,
                                       there ? "missing" : "without its fellows", error);
    return PERP_OK;
}

PerpStatus perp_recording_open_columns(PerpRecording *recording, PerpError *error)
{
    PerpStatus status = PERP_OK;
    recording->widths.bodies = recording->info.bodies;
    recording->widths.joints = recording->info.joints;
    recording->widths.single = is_single(recording);
    for (int k = 0; !status && k < COLUMNS; k++)
        status = open_column(recording, k, error);
    if (!status && recording->series[0].set < 0)
        status = perp_recording_fail(recording, PERP_BAD_SYNTAX, "time", "missing", error);
    if (!status)
        status = check_ragged(recording, PERP_WIDE_CONTACT_START, PERP_WIDE_CONTACT_END,
                              recording->wide[PERP_WIDE_CONTACT_START].set >= 0, error);
    if (!status)
        status = check_ragged(recording, PERP_WIDE_EVENT_TIME, PERP_WIDE_EVENT_END,
                              recording->wide[PERP_WIDE_EVENT_TIME].set >= 0, error);
    if (!status)
        status = check_ragged(recording, PERP_WIDE_PROBLEM_STEP, PERP_WIDE_JOURNAL,
                              recording->wide[PERP_WIDE_PROBLEM_STEP].set >= 0, error);
    return status ? status : perp_recording_count(recording, error);
}

void perp_recording_close_columns(PerpRecording *recording)
{
    for (int k = 0; k < COLUMNS; k++)
        if (column_of(recording, k)->set >= 0)
            H5Dclose(column_of(recording, k)->set);
}

// --- rows ---------------------------------------------------------------------------------------

static bool read_slab(const PerpReadColumn *column, int64_t first, int64_t count, hid_t type,
                      void *rows)
{
    const hsize_t start[3] = {(hsize_t)first, 0, 0};
    const hsize_t extent[3] = {(hsize_t)count, (hsize_t)column->def.width,
                               (hsize_t)column->def.depth};
    int rank = 1 + (column->def.width > 0) + (column->def.depth > 0);
    hid_t space = H5Dget_space(column->set), memory = H5Screate_simple(rank, extent, NULL);
    bool ok = space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
              H5Dread(column->set, type, memory, space, H5P_DEFAULT, rows) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    return ok;
}

static PerpStatus read_as(const PerpRecording *recording, const PerpReadColumn *column,
                          int64_t first, int64_t count, hid_t type, void *rows, PerpError *error)
{
    if (column->set < 0)
        return perp_recording_fail(recording, PERP_NOT_SUPPORTED,
                                   column->def.name ? column->def.name : "data", "not recorded",
                                   error);
    if (first < 0 || count < 0 || first > column->rows || count > column->rows - first)
        return perp_recording_fail(recording, PERP_BAD_SIZE, column->def.name, "no such rows",
                                   error);
    if (count == 0)
        return PERP_OK;
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    bool ok = type >= 0 && read_slab(column, first, count, type, rows);
    perp_hdf5_restore(quiet);
    return ok ? PERP_OK
              : perp_recording_fail(recording, PERP_BAD_SYNTAX, column->def.name,
                                    "HDF5 cannot read the data", error);
}

PerpStatus perp_recording_rows(const PerpRecording *recording, const PerpReadColumn *column,
                               int64_t first, int64_t count, void *rows, PerpError *error)
{
    hid_t type = perp_column_type(column->def.type);
    PerpStatus status = read_as(recording, column, first, count, type, rows, error);
    if (type >= 0)
        H5Tclose(type);
    return status;
}

PerpStatus perp_recording_numbers(PerpRecording *recording, const PerpReadColumn *column,
                                  int64_t first, int64_t count, double *numbers, PerpError *error)
{
    return read_as(recording, column, first, count, H5T_NATIVE_DOUBLE, numbers, error);
}

// --- how many -----------------------------------------------------------------------------------

static int64_t least_rows(PerpRecording *recording, int from, int to, int64_t most)
{
    for (int k = from; k < to; k++)
        if (column_of(recording, k)->set >= 0 && column_of(recording, k)->rows < most)
            most = column_of(recording, k)->rows;
    return most;
}

// A run that was cut off may have a frame whose contacts did not make it.
static PerpStatus drop_frames(PerpRecording *recording, int64_t *frames, PerpError *error)
{
    enum { WIDE = PERP_SERIES_COUNT };
    const PerpReadColumn *starts = &recording->wide[PERP_WIDE_CONTACT_START];
    const PerpReadColumn *counts = &recording->wide[PERP_WIDE_CONTACT_COUNT];
    int64_t contacts =
        least_rows(recording, WIDE + PERP_WIDE_PER_FRAME, WIDE + PERP_WIDE_CONTACT_END, INT64_MAX);
    PerpStatus status = PERP_OK;
    for (; starts->set >= 0 && *frames > 0 && !status; --*frames) {
        int64_t start;
        int32_t count;
        status = perp_recording_rows(recording, starts, *frames - 1, 1, &start, error);
        if (!status)
            status = perp_recording_rows(recording, counts, *frames - 1, 1, &count, error);
        if (!status && start >= 0 && count >= 0 && start <= contacts && count <= contacts - start)
            break;
    }
    return status;
}

// Rows of a table, whose columns are [from, to), up to the last whole frame's step.
static PerpStatus count_until(PerpRecording *recording, PerpWide from, PerpWide to, PerpWide steps,
                              long *count, PerpError *error)
{
    enum { WIDE = PERP_SERIES_COUNT };
    PerpStatus status = PERP_OK;
    int64_t rows = least_rows(recording, WIDE + (int)from, WIDE + (int)to, INT64_MAX);
    if (recording->wide[steps].set < 0)
        rows = 0;
    for (; rows > 0 && !status; rows--) {
        int64_t step;
        status = perp_recording_rows(recording, &recording->wide[steps], rows - 1, 1, &step, error);
        if (!status && step <= recording->info.steps)
            break;
    }
    *count = (long)rows;
    return status;
}

PerpStatus perp_recording_count(PerpRecording *recording, PerpError *error)
{
    for (int k = 0; k < COLUMNS; k++) {
        PerpReadColumn *column = column_of(recording, k);
        if (column->set >= 0 && !get_extent(column->set, &column->def, &column->rows))
            return perp_recording_fail(recording, PERP_BAD_SYNTAX, column->def.name,
                                       "not as in a perp recording", error);
    }
    double step = 0;
    int64_t frames = least_rows(recording, 0, PERP_SERIES_COUNT + PERP_WIDE_PER_FRAME, INT64_MAX);
    PerpStatus status = drop_frames(recording, &frames, error);
    if (!status && frames > 0)
        status =
            perp_recording_numbers(recording, &recording->series[1], frames - 1, 1, &step, error);
    recording->info.frames = (long)frames;
    recording->info.steps = step >= 0 && step < 1e15 ? (long)step : 0;
    if (!status)
        status = count_until(recording, PERP_WIDE_EVENT_TIME, PERP_WIDE_EVENT_END,
                             PERP_WIDE_EVENT_STEP, &recording->events, error);
    if (!status)
        status = count_until(recording, PERP_WIDE_PROBLEM_STEP, PERP_WIDE_PROBLEM_END,
                             PERP_WIDE_PROBLEM_STEP, &recording->n_problems, error);
    return status;
}
