// Writing of FCLIB files.
#include "base/error.h"
#include "io/hdf5/hdf5_source.h"
#include "io/problem/fclib_data.h"
#include "io/text/output.h"

#include <string.h>

enum { MEMORY_STEP = 1 << 20 };

typedef struct Image {
    void *bytes;
    size_t size;
} Image;

// Each returns false as soon as HDF5 does; the caller need not know which call it was.

static bool write_set(hid_t group, const char *name, hid_t type, hid_t space, const void *data)
{
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0)
        ok = H5Dclose(set) >= 0 && ok;
    return ok;
}

static bool write_list(hid_t group, const char *name, hid_t type, int count, const void *data)
{
    hsize_t extent = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &extent, NULL);
    bool ok = space >= 0 && write_set(group, name, type, space, data);
    if (space >= 0)
        H5Sclose(space);
    return ok;
}

static bool write_int(hid_t group, const char *name, int number)
{
    return write_list(group, name, H5T_NATIVE_INT, 1, &number);
}

static bool write_doubles(hid_t group, const char *name, int count, const double *numbers)
{
    return !numbers || write_list(group, name, H5T_NATIVE_DOUBLE, count, numbers);
}

static bool write_text(hid_t group, const char *name, const char *text)
{
    if (!text)
        return true;
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    bool ok = type >= 0 && space >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 &&
              write_set(group, name, type, space, text);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

static hid_t make_group(hid_t parent, const char *name)
{
    return H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool write_matrix(hid_t root, const char *name, const PerpFclibMatrix *matrix)
{
    if (!matrix->present)
        return true;
    hid_t group = make_group(root, name);
    bool ok = group >= 0 && write_int(group, "nzmax", matrix->nzmax) &&
              write_int(group, "m", matrix->m) && write_int(group, "n", matrix->n) &&
              write_int(group, "nz", matrix->nz) &&
              write_list(group, "p", H5T_NATIVE_INT, matrix->p_count, matrix->p) &&
              write_list(group, "i", H5T_NATIVE_INT, matrix->i_count, matrix->i) &&
              write_doubles(group, "x", matrix->i_count, matrix->x);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

static bool write_vectors(hid_t root, const PerpFclib *fclib)
{
    int rows = fclib->contacts * fclib->dimension;
    hid_t group = make_group(root, "vectors");
    bool ok = group >= 0 && write_doubles(group, "mu", fclib->contacts, fclib->mu) &&
              write_doubles(group, "q", rows, fclib->q) &&
              write_doubles(group, "s", fclib->bilateral, fclib->s) &&
              write_doubles(group, "f", fclib->M.m, fclib->f) &&
              write_doubles(group, "w", rows, fclib->w) &&
              write_doubles(group, "b", fclib->bilateral, fclib->b);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

static bool write_info(hid_t root, const PerpFclib *fclib)
{
    hid_t group = make_group(root, "info");
    bool ok = group >= 0 && write_text(group, "title", fclib->title) &&
              write_text(group, "description", fclib->description) &&
              write_text(group, "math_info", fclib->math_info);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

static bool write_problem(hid_t file, const PerpFclib *fclib)
{
    hid_t root = make_group(file, fclib->global ? "fclib_global" : "fclib_local");
    bool ok = root >= 0 && write_int(root, "spacedim", fclib->dimension) &&
              write_matrix(root, "W", &fclib->W) && write_matrix(root, "V", &fclib->V) &&
              write_matrix(root, "R", &fclib->R) && write_matrix(root, "M", &fclib->M) &&
              write_matrix(root, "H", &fclib->H) && write_matrix(root, "G", &fclib->G) &&
              write_vectors(root, fclib) && write_info(root, fclib);
    if (root >= 0)
        H5Gclose(root);
    return ok;
}

// HDF5 crashes at exit after a write to a full disk. So it writes to memory, and we to the disk.
static hid_t create_in_memory(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (access >= 0 && H5Pset_fapl_core(access, MEMORY_STEP, false) >= 0)
        file = H5Fcreate("perp-file-in-memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

// The bytes of a file that HDF5 holds in memory; NULL if memory is short.
static Image take_image(const PerpAllocator *allocator, hid_t file)
{
    Image image = {0};
    ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(file, NULL, 0) : -1;
    if (size > 0)
        image = (Image){perp_allocate(allocator, (size_t)size, 1), (size_t)size};
    if (image.bytes && H5Fget_file_image(file, image.bytes, image.size) != size) {
        perp_free(allocator, image.bytes);
        image.bytes = NULL;
    }
    return image;
}

static Image make_image(const PerpAllocator *allocator, const PerpFclib *fclib)
{
    Image image = {0};
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    hid_t file = create_in_memory();
    if (file >= 0 && write_problem(file, fclib))
        image = take_image(allocator, file);
    if (file >= 0)
        H5Fclose(file);
    perp_hdf5_restore(quiet);
    return image;
}

static void write_image(FILE *stream, const void *what)
{
    const Image *image = what;
    fwrite(image->bytes, 1, image->size, stream);
}

PerpStatus perp_fclib_write(const PerpAllocator *allocator, const PerpFclib *fclib,
                            const char *path, PerpError *error)
{
    Image image = make_image(allocator, fclib);
    if (!image.bytes)
        return perp_fail_at(error, PERP_NO_MEMORY, path, 0, 0, "out of memory while writing");
    PerpStatus status = perp_output(path, write_image, &image, error);
    perp_free(allocator, image.bytes);
    return status;
}
