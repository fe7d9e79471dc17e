// Datasets read from an untrusted HDF5 file, with all sizes checked.
#include "io/hdf5/hdf5_source.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { OBJECT_SIZE = 64, TEXT_LIMIT = 64 << 10 };

PerpHdf5Quiet perp_hdf5_quiet(void)
{
    PerpHdf5Quiet quiet = {0};
    H5Eget_auto2(H5E_DEFAULT, &quiet.print, &quiet.user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

void perp_hdf5_restore(PerpHdf5Quiet quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.print, quiet.user);
}

// Strong closing: whatever is still open in the file goes with it.
PerpStatus perp_hdf5_open(PerpHdf5Source *source, const char *path, PerpArena *arena,
                          PerpError *error)
{
    *source = (PerpHdf5Source){.file = -1, .path = path, .arena = arena, .error = error};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        source->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (access >= 0)
        H5Pclose(access);
    if (source->file < 0)
        return perp_fail_at(error, PERP_BAD_SYNTAX, path, 0, 0,
                            "HDF5 cannot open the file; it is damaged, or not seekable");
    return PERP_OK;
}

void perp_hdf5_close(PerpHdf5Source *source)
{
    H5Fclose(source->file);
}

static bool is_hard_link(const PerpHdf5Source *source, const char *object)
{
    H5L_info_t info;
    return H5Lexists(source->file, object, H5P_DEFAULT) > 0 &&
           H5Lget_info(source->file, object, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

// Every group on the way must exist before HDF5 may be asked for what is inside it.
bool perp_hdf5_exists(const PerpHdf5Source *source, const char *object)
{
    char prefix[OBJECT_SIZE];
    for (size_t length = 1; object[length - 1]; length++) {
        if (length >= sizeof prefix)
            return false;
        if (object[length] != '/' && object[length] != '\0')
            continue;
        memcpy(prefix, object, length);
        prefix[length] = '\0';
        if (!is_hard_link(source, prefix))
            return false;
    }
    return true;
}

static PerpStatus fail_for_object(const PerpHdf5Source *source, PerpStatus status,
                                  const char *object, const char *message)
{
    return perp_fail_at(source->error, status, source->path, 0, 0, "%s: %s", object, message);
}

// Data in other files is refused, as are links to them.
static bool is_stored_inside(hid_t set)
{
    hid_t creation = H5Dget_create_plist(set);
    bool inside = creation >= 0 && H5Pget_external_count(creation) == 0 &&
                  H5Pget_layout(creation) != H5D_VIRTUAL;
    if (creation >= 0)
        H5Pclose(creation);
    return inside;
}

static bool has_class(hid_t set, H5T_class_t wanted)
{
    hid_t type = H5Dget_type(set);
    bool has = type >= 0 && H5Tget_class(type) == wanted;
    if (type >= 0)
        H5Tclose(type);
    return has;
}

// The number of elements; -1 for rank above 1.
static hssize_t count_elements(hid_t set)
{
    hid_t space = H5Dget_space(set);
    hssize_t count = -1;
    if (space >= 0 && H5Sget_simple_extent_ndims(space) <= 1)
        count = H5Sget_simple_extent_npoints(space);
    if (space >= 0)
        H5Sclose(space);
    return count;
}

static PerpStatus open_numbers(const PerpHdf5Source *source, const char *object, H5T_class_t wanted,
                               int low, int high, hid_t *set, int *count)
{
    if (!perp_hdf5_exists(source, object))
        return fail_for_object(source, PERP_BAD_SYNTAX, object, "missing");
    *set = H5Dopen2(source->file, object, H5P_DEFAULT);
    if (*set < 0)
        return fail_for_object(source, PERP_BAD_SYNTAX, object, "expected a dataset");
    PerpStatus status = PERP_OK;
    hssize_t elements = count_elements(*set);
    if (!has_class(*set, wanted))
        status = fail_for_object(source, PERP_BAD_SYNTAX, object,
                                 wanted == H5T_INTEGER ? "expected integers"
                                                       : "expected floating-point numbers");
    else if (!is_stored_inside(*set))
        status = fail_for_object(source, PERP_NOT_SUPPORTED, object, "data outside the file");
    else if (elements < 0)
        status = fail_for_object(source, PERP_BAD_SIZE, object, "expected a list, rank 1");
    else if (elements < low || elements > high)
        status = perp_fail_at(source->error, PERP_BAD_SIZE, source->path, 0, 0,
                              low == high ? "%s has length %lld, expected %d"
                                          : "%s has length %lld, expected %d to %d",
                              object, (long long)elements, low, high);
    *count = (int)elements;
    if (status)
        H5Dclose(*set);
    return status;
}

static PerpStatus read_numbers(const PerpHdf5Source *source, const char *object, hid_t type,
                               size_t size, int low, int high, void **numbers, int *count)
{
    hid_t set = -1;
    H5T_class_t wanted = H5Tget_class(type);
    PerpStatus status = open_numbers(source, object, wanted, low, high, &set, count);
    if (status)
        return status;
    *numbers = perp_arena_take(source->arena, (size_t)*count, size);
    if (!*numbers)
        status = fail_for_object(source, PERP_NO_MEMORY, object, "out of memory");
    else if (*count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *numbers) < 0)
        status = fail_for_object(source, PERP_BAD_SYNTAX, object, "HDF5 cannot read the data");
    H5Dclose(set);
    return status;
}

PerpStatus perp_hdf5_ints(const PerpHdf5Source *source, const char *object, int low, int high,
                          int **numbers, int *count)
{
    void *data = NULL;
    PerpStatus status =
        read_numbers(source, object, H5T_NATIVE_INT, sizeof(int), low, high, &data, count);
    *numbers = data;
    return status;
}

PerpStatus perp_hdf5_doubles(const PerpHdf5Source *source, const char *object, int low, int high,
                             double **numbers, int *count)
{
    void *data = NULL;
    PerpStatus status =
        read_numbers(source, object, H5T_NATIVE_DOUBLE, sizeof(double), low, high, &data, count);
    *numbers = data;
    for (int k = 0; !status && k < *count; k++)
        if (!isfinite((*numbers)[k]))
            status = perp_fail_at(source->error, PERP_BAD_VALUE, source->path, 0, 0,
                                  "%s[%d] is not finite", object, k);
    return status;
}

PerpStatus perp_hdf5_int(const PerpHdf5Source *source, const char *object, int *number)
{
    int *numbers, count;
    PerpStatus status = perp_hdf5_ints(source, object, 1, 1, &numbers, &count);
    if (!status)
        *number = numbers[0];
    return status;
}

// The dataset is known to be one text of fixed length.
static const char *read_text(const PerpHdf5Source *source, hid_t set, hid_t type)
{
    size_t size = H5Tget_size(type);
    char *text = size <= TEXT_LIMIT ? PERP_TAKE(source->arena, char, size + 1) : NULL;
    if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
        text = NULL;
    return text;
}

const char *perp_hdf5_text(const PerpHdf5Source *source, const char *object)
{
    if (!perp_hdf5_exists(source, object))
        return NULL;
    const char *text = NULL;
    hid_t set = H5Dopen2(source->file, object, H5P_DEFAULT);
    if (set < 0)
        return NULL;
    hid_t type = H5Dget_type(set);
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        count_elements(set) == 1 && is_stored_inside(set))
        text = read_text(source, set, type);
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(set);
    return text;
}
