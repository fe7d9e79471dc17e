// Attributes and whole datasets written to an HDF5 file.
#include "io/hdf5/hdf5_sink.h"

#include <stdlib.h>
#include <string.h>

bool perp_hdf5_put(hid_t object, const char *name, hid_t type, const void *number)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        space < 0 ? -1 : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, number) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

bool perp_hdf5_put_int(hid_t object, const char *name, long long number)
{
    return perp_hdf5_put(object, name, H5T_NATIVE_LLONG, &number);
}

bool perp_hdf5_put_double(hid_t object, const char *name, double number)
{
    return perp_hdf5_put(object, name, H5T_NATIVE_DOUBLE, &number);
}

hid_t perp_hdf5_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, size) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
        H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    if (type >= 0)
        H5Tclose(type);
    return -1;
}

bool perp_hdf5_put_text(hid_t object, const char *name, const char *text)
{
    size_t length = strlen(text);
    hid_t type = perp_hdf5_text_type(length > 0 ? length : 1);
    bool ok = type >= 0 && perp_hdf5_put(object, name, type, text);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

bool perp_hdf5_write(hid_t group, const char *name, hid_t type, int rank, const hsize_t *extent,
                     const void *data, const char *unit)
{
    hsize_t elements = 1;
    for (int k = 0; k < rank; k++)
        elements *= extent[k];
    hid_t space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = space < 0
                    ? -1
                    : H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 && (!unit[0] || perp_hdf5_put_text(set, "unit", unit)) &&
              (elements == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (set >= 0)
        ok = H5Dclose(set) >= 0 && ok;
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

static size_t longest(int count, const char *(*text)(const void *user, int index), const void *user)
{
    size_t size = 1;
    for (int k = 0; k < count; k++) {
        size_t length = strlen(text(user, k));
        size = length > size ? length : size;
    }
    return size;
}

bool perp_hdf5_write_texts(hid_t group, const char *name, int count,
                           const char *(*text)(const void *user, int index), const void *user)
{
    size_t size = longest(count, text, user);
    char *texts = calloc((size_t)count + 1, size);
    hid_t type = perp_hdf5_text_type(size);
    hsize_t extent = (hsize_t)count;
    if (texts)
        for (int k = 0; k < count; k++)
            memcpy(texts + (size_t)k * size, text(user, k), strlen(text(user, k)));
    bool ok = texts && type >= 0 && perp_hdf5_write(group, name, type, 1, &extent, texts, "");
    if (type >= 0)
        H5Tclose(type);
    free(texts);
    return ok;
}

hid_t perp_hdf5_make_group(hid_t parent, const char *name)
{
    return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}
