// FCLIB files: the conversion against its formula, every layout, and files that lie.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/problem/problem_file.h"
#include "perp/friction.h"

#include <dirent.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[] = "/tmp/perp-test-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    bool made = mkdtemp(folder);
    snprintf(path, sizeof path, "%s/problem.hdf5", folder);
    return made ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

// ---- a small writer of HDF5, independent of the library's ----

static void put(hid_t file, const char *object, hid_t type, int rank, const hsize_t *extent,
                const void *data)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5E_BEGIN_TRY
    {
        H5Ldelete(file, object, H5P_DEFAULT); // fails if there is none yet
    }
    H5E_END_TRY
    hid_t space = H5Screate_simple(rank, extent, NULL);
    hid_t set = H5Dcreate2(file, object, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (data)
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(links);
}

static void put_ints(hid_t file, const char *object, const int *numbers, int count)
{
    hsize_t extent = (hsize_t)count;
    put(file, object, H5T_NATIVE_INT, 1, &extent, numbers);
}

static void put_int(hid_t file, const char *object, int number)
{
    put_ints(file, object, &number, 1);
}

static void put_doubles(hid_t file, const char *object, const double *numbers, int count)
{
    hsize_t extent = (hsize_t)count;
    put(file, object, H5T_NATIVE_DOUBLE, 1, &extent, numbers);
}

static void put_in(hid_t file, const char *group, const char *name, const int *numbers, int count)
{
    char object[64];
    snprintf(object, sizeof object, "%s/%s", group, name);
    put_ints(file, object, numbers, count);
}

enum { TRIPLETS = 0, COLUMNS = -1, ROWS = -2, LARGEST = 64 };

// A dense matrix (by columns) in one of the three layouts, without its zeros.
static void put_matrix(hid_t file, const char *group, int layout, int m, int n, const double *A)
{
    int p[LARGEST + 1] = {0}, i[LARGEST], entries = 0;
    double x[LARGEST];
    int lines = layout == ROWS ? m : n, length = layout == ROWS ? n : m;
    for (int line = 0; line < lines; line++) {
        for (int k = 0; k < length; k++) {
            int row = layout == ROWS ? line : k, column = layout == ROWS ? k : line;
            if (A[row + m * column] == 0)
                continue;
            if (layout == TRIPLETS)
                p[entries] = row;
            i[entries] = layout == TRIPLETS ? column : k;
            x[entries++] = A[row + m * column];
        }
        if (layout != TRIPLETS)
            p[line + 1] = entries;
    }
    char object[64];
    put_in(file, group, "m", &m, 1);
    put_in(file, group, "n", &n, 1);
    put_in(file, group, "nz", layout == TRIPLETS ? &entries : &layout, 1);
    put_in(file, group, "nzmax", &entries, 1);
    put_in(file, group, "p", p, layout == TRIPLETS ? entries : lines + 1);
    put_in(file, group, "i", i, entries);
    snprintf(object, sizeof object, "%s/x", group);
    put_doubles(file, object, x, entries);
}

// ---- the local problem: two contacts in space, one bilateral row ----

enum { L_ROWS = 6, L_CONTACTS = 2 };
static double W[L_ROWS * L_ROWS], V[L_ROWS], R[1] = {3}, q[L_ROWS], s[1] = {-0.5};
static const double mu[L_CONTACTS] = {0.3, 0.7};

static void fill_local(void)
{
    for (int j = 0; j < L_ROWS; j++) {
        for (int i = 0; i < L_ROWS; i++)
            W[i + L_ROWS * j] = (i == j ? 4 : 0) + cos(i + j) + 0.01 * (i - j);
        V[j] = 0.5 - j;
        q[j] = sin(j + 1);
    }
    W[2] = 0;
}

static hid_t create_local(int layout, bool bilateral)
{
    fill_local();
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    put_int(file, "/fclib_local/spacedim", 3);
    put_matrix(file, "/fclib_local/W", layout, L_ROWS, L_ROWS, W);
    put_doubles(file, "/fclib_local/vectors/q", q, L_ROWS);
    put_doubles(file, "/fclib_local/vectors/mu", mu, L_CONTACTS);
    if (bilateral) {
        put_matrix(file, "/fclib_local/V", layout, L_ROWS, 1, V);
        put_matrix(file, "/fclib_local/R", layout, 1, 1, R);
        put_doubles(file, "/fclib_local/vectors/s", s, 1);
    }
    return file;
}

static void write_local(int layout, bool bilateral)
{
    H5Fclose(create_local(layout, bilateral));
}

static PerpProblemFileOptions with_facets(int facets)
{
    PerpProblemFileOptions options = perp_default_problem_file_options();
    options.facets = facets;
    return options;
}

static PerpProblemFile *read_back(int facets)
{
    PerpProblemFile *file = NULL;
    PerpError error = {0};
    PerpProblemFileOptions options = with_facets(facets);
    if (perp_problem_file_read(NULL, path, &options, &file, &error))
        fail_msg("%s", error.message);
    return file;
}

// u of the polyhedral impulses z, straight from W, V, q
static void local_velocity(const double *z, int facets, double *u)
{
    double r[L_ROWS] = {0};
    for (int c = 0; c < L_CONTACTS; c++) {
        r[3 * c] = z[1 + c];
        for (int k = 0; k < facets; k++) {
            double beta = z[1 + L_CONTACTS + c * facets + k];
            r[3 * c + 1] += cos(2 * acos(-1.0) * k / facets) * beta;
            r[3 * c + 2] += sin(2 * acos(-1.0) * k / facets) * beta;
        }
    }
    for (int i = 0; i < L_ROWS; i++) {
        u[i] = q[i] + V[i] * z[0];
        for (int j = 0; j < L_ROWS; j++)
            u[i] += W[i + L_ROWS * j] * r[j];
    }
}

static void check_local(const PerpLcp *p, int facets)
{
    double z[64], w[64], u[L_ROWS];
    int n = 1 + L_CONTACTS * (2 + facets);
    assert_int_equal(p->n, n);
    assert_int_equal(p->free, 1);
    for (int k = 0; k < n; k++)
        z[k] = 1 + sin(3 * k);
    for (int i = 0; i < n; i++) {
        w[i] = p->q[i];
        for (int j = 0; j < n; j++)
            w[i] += p->M[i + n * j] * z[j];
    }
    local_velocity(z, facets, u);
    for (int c = 0; c < L_CONTACTS; c++) {
        double lambda = z[n - L_CONTACTS + c], limit = mu[c] * z[1 + c];
        assert_true(fabs(w[1 + c] - u[3 * c]) < 1e-12);
        for (int k = 0; k < facets; k++) {
            double angle = 2 * acos(-1.0) * k / facets;
            double slip = lambda + cos(angle) * u[3 * c + 1] + sin(angle) * u[3 * c + 2];
            assert_true(fabs(w[1 + L_CONTACTS + c * facets + k] - slip) < 1e-12);
            limit -= z[1 + L_CONTACTS + c * facets + k];
        }
        assert_true(fabs(w[n - L_CONTACTS + c] - limit) < 1e-12);
    }
    // V'r + R l + s, with r recovered as in u = W r + ... for W = 1, V = 0
    double bilateral = s[0] + R[0] * z[0];
    for (int c = 0; c < L_CONTACTS; c++) {
        bilateral += V[3 * c] * z[1 + c];
        for (int k = 0; k < facets; k++) {
            double angle = 2 * acos(-1.0) * k / facets, beta = z[1 + L_CONTACTS + c * facets + k];
            bilateral += (V[3 * c + 1] * cos(angle) + V[3 * c + 2] * sin(angle)) * beta;
        }
    }
    assert_true(fabs(w[0] - bilateral) < 1e-12);
}

static void test_local_layouts(void **state)
{
    (void)state;
    static const int layouts[] = {COLUMNS, ROWS, TRIPLETS};
    for (int k = 0; k < 3; k++) {
        write_local(layouts[k], true);
        PerpProblemFile *file = read_back(6);
        assert_int_equal(perp_problem_file_kind(file), PERP_PROBLEM_FILE_LCP);
        assert_int_equal(perp_problem_file_format(file), PERP_PROBLEM_FILE_FCLIB);
        const PerpFclibInfo *info = perp_problem_file_fclib(file);
        assert_true(info->present && !info->global && info->dimension == 3 && info->contacts == 2);
        assert_memory_equal(info->mu, mu, sizeof mu);
        check_local(perp_problem_file_lcp(file), 6);
        perp_problem_file_destroy(file);
    }
}

// Each facet is a unit vector, exact along the axes.
static void test_directions(void **state)
{
    (void)state;
    double d[2];
    for (int k = 0; k < 8; k++) {
        perp_friction_direction(k, 8, d);
        assert_true(fabs(hypot(d[0], d[1]) - 1) < 1e-15);
        if (k % 2 == 0)
            assert_true(d[0] * d[1] == 0 && fabs(d[0] + d[1]) == 1);
    }
    perp_friction_direction(1, 2, d);
    assert_true(d[0] == -1 && d[1] == 0);
}

static void test_planar(void **state)
{
    (void)state;
    static const double planar_W[4] = {2, 0.5, 0.25, 3}, planar_q[2] = {-1, 4};
    static const double M[16] = {2, 0.5, -0.5, 0.5, 0.25, 3, -3, -1, -0.25, -3, 3, -1, 0, 1, 1, 0};
    static const double lcp_q[4] = {-1, 4, -4, 0};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_int(file, "/fclib_local/spacedim", 2);
    put_matrix(file, "/fclib_local/W", COLUMNS, 2, 2, planar_W);
    put_doubles(file, "/fclib_local/vectors/q", planar_q, 2);
    put_doubles(file, "/fclib_local/vectors/mu", (double[]){0.5}, 1);
    H5Fclose(file);
    PerpProblemFile *read = read_back(8);
    const PerpLcp *p = perp_problem_file_lcp(read);
    assert_int_equal(p->n, 4);
    for (int k = 0; k < 16; k++)
        assert_true(p->M[k] == M[k]);
    for (int k = 0; k < 4; k++)
        assert_true(p->q[k] == lcp_q[k]);
    perp_problem_file_destroy(read);
}

// ---- the global problem: two bodies of three velocities each, interleaved ----

enum { G_VELOCITIES = 6, G_COLUMNS = 6 };
static double mass[36], H[36], G[6], f[6], w[6], b[1] = {0.75};

static void fill_global(void)
{
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) {
            mass[i + 6 * j] = i % 2 == j % 2 ? (i == j ? 5 : 0.1 * (i + j)) : 0;
            H[i + 6 * j] = i % 2 == 0 || j >= 3 ? sin(1 + i + 7 * j) : 0;
        }
    for (int i = 0; i < 6; i++) {
        G[i] = i % 2 ? 0 : 1 + i;
        f[i] = i - 2.5;
        w[i] = cos(i);
    }
}

static hid_t create_global(int layout)
{
    fill_global();
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_int(file, "/fclib_global/spacedim", 3);
    put_matrix(file, "/fclib_global/M", layout, 6, 6, mass);
    put_matrix(file, "/fclib_global/H", layout, 6, 6, H);
    put_matrix(file, "/fclib_global/G", layout, 6, 1, G);
    put_doubles(file, "/fclib_global/vectors/f", f, 6);
    put_doubles(file, "/fclib_global/vectors/w", w, 6);
    put_doubles(file, "/fclib_global/vectors/b", b, 1);
    put_doubles(file, "/fclib_global/vectors/mu", mu, 2);
    return file;
}

// Row by row of the step problem: y = J v + d must be the velocity that FCLIB speaks of.
// x += A r, or A'r
static void add_product(const PerpFclibMatrix *A, bool transposed, const double *r, double *x)
{
    for (int k = 0; k < A->entries; k++)
        x[transposed ? A->column[k] : A->row[k]] +=
            A->x[k] * r[transposed ? A->row[k] : A->column[k]];
}

// u = W r + V l + q and V'r + R l + s by rows, whatever the layout
static void test_circular_local(void **state)
{
    (void)state;
    for (int layout = 0; layout < 3; layout++) {
        double r[3 * L_CONTACTS + 1], u[3 * L_CONTACTS + 1], x[3 * L_CONTACTS + 1];
        PerpContactCertificate certificate;
        write_local(-layout, true); // TRIPLETS, COLUMNS, ROWS
        PerpProblemFile *file = read_back(0);
        const PerpFclib *fclib = &file->fclib;
        const PerpContactProblem *p = perp_problem_file_contact(file);
        assert_int_equal(perp_problem_file_kind(file), PERP_PROBLEM_FILE_CONTACT);
        assert_null(perp_problem_file_lcp(file));
        assert_int_equal(perp_contact_problem_rows(p), 3 * L_CONTACTS + 1);
        for (int i = 0; i < perp_contact_problem_rows(p); i++)
            r[i] = sin(1 + i);
        memcpy(x, fclib->q, 3 * L_CONTACTS * sizeof *x);
        x[3 * L_CONTACTS] = fclib->s[0];
        add_product(&fclib->W, false, r, x);
        add_product(&fclib->V, false, r + 3 * L_CONTACTS, x);
        add_product(&fclib->V, true, r, x + 3 * L_CONTACTS);
        add_product(&fclib->R, false, r + 3 * L_CONTACTS, x + 3 * L_CONTACTS);
        assert_int_equal(perp_contact_problem_certify(NULL, p, r, u, &certificate, NULL), PERP_OK);
        for (int i = 0; i < perp_contact_problem_rows(p); i++)
            assert_true(fabs(u[i] - x[i]) < 1e-13);
        perp_problem_file_destroy(file);
    }
}

static void check_global_rows(const PerpProblem *p, const int *velocity, int facets)
{
    const double *J = p->J;
    for (int row = 0; row < perp_problem_rows(p); row++) {
        double dense[6] = {0};
        for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
            int body = p->entry_body[e];
            for (int k = p->body_start[body]; k < p->body_start[body + 1]; k++)
                dense[velocity[k]] = *J++;
        }
        int contact = row <= 2 ? row - 1 : (row - 3) / facets;
        double angle = 2 * acos(-1.0) * ((row - 3) % facets) / facets;
        double weight[3] = {row <= 2, row <= 2 ? 0 : cos(angle), row <= 2 ? 0 : sin(angle)};
        double d = row == 0 ? b[0] : 0;
        for (int t = 0; t < 3 && row > 0; t++)
            d += weight[t] * w[3 * contact + t];
        assert_true(fabs(p->d[row] - d) < 1e-14);
        for (int i = 0; i < 6; i++) {
            double expected = row == 0 ? G[i] : 0;
            for (int t = 0; t < 3 && row > 0; t++)
                expected += weight[t] * H[i + 6 * (3 * contact + t)];
            assert_true(fabs(dense[i] - expected) < 1e-14);
        }
    }
}

static void test_global(void **state)
{
    (void)state;
    static const int layouts[] = {COLUMNS, ROWS, TRIPLETS};
    static const int order[6] = {0, 2, 4, 1, 3, 5};
    for (int layout = 0; layout < 3; layout++) {
        H5Fclose(create_global(layouts[layout]));
        PerpProblemFile *file = read_back(4);
        assert_true(perp_problem_file_fclib(file)->global);
        const PerpProblem *p = perp_problem_file_step(file);
        assert_int_equal(p->n_bodies, 2);
        assert_int_equal(p->n_joints, 1);
        assert_int_equal(p->n_contacts, 2);
        assert_int_equal(p->n_directions, 8);
        assert_int_equal(p->n_groups, 2);
        assert_memory_equal(perp_problem_file_fclib(file)->velocity, order, sizeof order);
        for (int k = 0; k < 6; k++)
            assert_true(p->b[k] == f[order[k]]);
        for (int body = 0; body < 2; body++)
            for (int k = 0; k < 9; k++)
                assert_true(p->Mt[9 * body + k] ==
                            mass[order[3 * body + k % 3] + 6 * order[3 * body + k / 3]]);
        check_global_rows(p, order, 4);
        assert_memory_equal(p->mu, mu, sizeof mu);
        perp_problem_file_destroy(file);
    }
}

// ---- writing ----

static void test_round_trip(void **state)
{
    (void)state;
    char copy[80];
    snprintf(copy, sizeof copy, "%s/copy.hdf5", folder);
    for (int global = 0; global < 2; global++) {
        if (global)
            H5Fclose(create_global(TRIPLETS));
        else
            write_local(ROWS, true);
        PerpProblemFile *file = read_back(4), *again;
        PerpProblemFileOptions four = with_facets(4);
        assert_int_equal(perp_problem_file_write(file, copy, PERP_PROBLEM_FILE_FCLIB, NULL),
                         PERP_OK);
        assert_int_equal(perp_problem_file_read(NULL, copy, &four, &again, NULL), PERP_OK);
        const PerpFclibMatrix *a = global ? &file->fclib.H : &file->fclib.W;
        const PerpFclibMatrix *c = global ? &again->fclib.H : &again->fclib.W;
        assert_int_equal(a->nz, c->nz);
        assert_int_equal(a->entries, c->entries);
        assert_memory_equal(a->p, c->p, (size_t)a->p_count * sizeof *a->p);
        assert_memory_equal(a->i, c->i, (size_t)a->i_count * sizeof *a->i);
        assert_memory_equal(a->x, c->x, (size_t)a->i_count * sizeof *a->x);
        if (!global)
            assert_memory_equal(file->lcp.M, again->lcp.M, sizeof(double) * 13 * 13);
        perp_problem_file_destroy(again);
        assert_int_equal(perp_problem_file_write(file, "/none/x.h5", PERP_PROBLEM_FILE_FCLIB, NULL),
                         PERP_NO_FILE);
        assert_int_equal(perp_problem_file_write(file, copy, PERP_PROBLEM_FILE_JSON, NULL),
                         PERP_OK);
        assert_int_equal(perp_problem_file_read(NULL, copy, NULL, &again, NULL), PERP_OK);
        assert_int_equal(perp_problem_file_kind(again), perp_problem_file_kind(file));
        perp_problem_file_destroy(again);
        perp_problem_file_destroy(file);
    }
    unlink(copy);
}

static void put_text(hid_t file, const char *object, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    put(file, object, type, 0, NULL, text);
    H5Tclose(type);
}

static void test_texts_survive(void **state)
{
    (void)state;
    hid_t created = create_local(COLUMNS, false);
    put_text(created, "/fclib_local/info/title", "a title");
    put_text(created, "/fclib_local/info/description", "some words");
    put_int(created, "/fclib_local/info/math_info", 3); // not a text: left out
    H5Fclose(created);
    PerpProblemFile *file = read_back(4);
    assert_int_equal(perp_problem_file_write(file, path, PERP_PROBLEM_FILE_FCLIB, NULL), PERP_OK);
    perp_problem_file_destroy(file);
    file = read_back(4);
    assert_string_equal(file->fclib.title, "a title");
    assert_string_equal(file->fclib.description, "some words");
    assert_null(file->fclib.math_info);
    perp_problem_file_destroy(file);
}

// A limit on file sizes stands for a full disk.
static void test_full_disk(void **state)
{
    (void)state;
    char copy[80];
    snprintf(copy, sizeof copy, "%s/full.hdf5", folder);
    write_local(COLUMNS, true);
    PerpProblemFile *file = read_back(4);
    PerpError error = {0};
    struct rlimit before, tiny;
    getrlimit(RLIMIT_FSIZE, &before);
    tiny = before;
    tiny.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tiny);
    PerpStatus status = perp_problem_file_write(file, copy, PERP_PROBLEM_FILE_FCLIB, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, PERP_NO_FILE);
    assert_non_null(strstr(error.message, "File too large"));
    perp_problem_file_destroy(file); // that the folder is empty is checked when it is removed
}

// ---- files that lie ----

static void check_refused_with(int facets, PerpStatus status, const char *fragment)
{
    PerpProblemFile *file;
    PerpError error = {0};
    PerpProblemFileOptions options = with_facets(facets);
    PerpStatus found = perp_problem_file_read(NULL, path, &options, &file, &error);
    if (found != status || !strstr(error.message, fragment))
        fail_msg("%s \"%s\", expected %s \"%s\"", perp_status_name(found), error.message,
                 perp_status_name(status), fragment);
    assert_string_equal(error.file, path);
    assert_null(file);
}

static void check_refused(PerpStatus status, const char *fragment)
{
    check_refused_with(0, status, fragment);
    check_refused_with(8, status, fragment);
}

typedef struct IntLie {
    int layout;
    const char *object;
    int count;
    int numbers[8];
    PerpStatus status;
    const char *fragment;
} IntLie;

static const IntLie int_lies[] = {
    {COLUMNS, "/fclib_local/spacedim", 1, {4}, PERP_BAD_VALUE, "spacedim: expected 2 or 3"},
    {COLUMNS, "/fclib_local/spacedim", 2, {3, 3}, PERP_BAD_SIZE, "spacedim has length 2"},
    {COLUMNS,
     "/fclib_local/spacedim",
     1,
     {2},
     PERP_BAD_SIZE,
     "vectors/mu has length 2, expected 3"},
    {COLUMNS, "/fclib_local/W/m", 1, {5}, PERP_BAD_SIZE, "W: expected a square matrix"},
    {COLUMNS, "/fclib_local/W/m", 1, {-1}, PERP_BAD_SIZE, "negative"},
    {COLUMNS, "/fclib_local/W/n", 1, {INT_MAX}, PERP_BAD_SIZE, "too large"},
    {COLUMNS, "/fclib_local/W/nz", 1, {-3}, PERP_BAD_VALUE, "nz: expected -1"},
    {COLUMNS, "/fclib_local/W/nz", 1, {1000}, PERP_BAD_SIZE, "W/p has length 7, expected 1000"},
    {TRIPLETS, "/fclib_local/W/p", 3, {0, 0, 0}, PERP_BAD_SIZE, "W/p has length 3"},
    {TRIPLETS, "/fclib_local/W/i", 3, {0, 0, 0}, PERP_BAD_SIZE, "W/i has length 3"},
    {COLUMNS, "/fclib_local/W/i", 3, {0, 0, 0}, PERP_BAD_SIZE, "W/x has length 35, expected 3"},
    {COLUMNS, "/fclib_local/W/p", 6, {0}, PERP_BAD_SIZE, "W/p has length 6, expected 7"},
    {COLUMNS,
     "/fclib_local/W/p",
     7,
     {0, 1, 2, 3, 4, 5, 1000},
     PERP_BAD_VALUE,
     "p: expected starts"},
    {COLUMNS, "/fclib_local/W/p", 7, {0, 9, 8, 9, 9, 9, 9}, PERP_BAD_VALUE, "p: expected starts"},
    {COLUMNS, "/fclib_local/W/p", 7, {1, 1, 1, 1, 1, 1, 1}, PERP_BAD_VALUE, "p: expected starts"},
    {COLUMNS, "/fclib_local/W/p", 7, {0, 0, 0, 0, 0, 0, -1}, PERP_BAD_VALUE, "p: expected starts"},
    {COLUMNS, "/fclib_local/V/n", 1, {2}, PERP_BAD_SIZE, "sizes of W, V and R"},
    {COLUMNS, "/fclib_local/R/m", 1, {2}, PERP_BAD_SIZE, "sizes of W, V and R"},
};

static void test_integers_that_lie(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof int_lies / sizeof *int_lies; k++) {
        const IntLie *lie = &int_lies[k];
        hid_t file = create_local(lie->layout, true);
        put_ints(file, lie->object, lie->numbers, lie->count);
        H5Fclose(file);
        check_refused(lie->status, lie->fragment);
    }
}

static void test_indices_outside(void **state)
{
    (void)state;
    static const int values[] = {-1, 6, INT_MIN, INT_MAX};
    static const char *const objects[] = {"/fclib_local/W/i", "/fclib_local/W/p"};
    int numbers[35] = {0};
    for (int object = 0; object < 2; object++)
        for (int k = 0; k < 4; k++) {
            hid_t file = create_local(object == 0 && k < 2 ? COLUMNS : TRIPLETS, false);
            numbers[34] = values[k];
            put_ints(file, objects[object], numbers, 35);
            H5Fclose(file);
            check_refused(PERP_BAD_VALUE, "an index is outside the matrix");
        }
}

static void test_values_that_lie(void **state)
{
    (void)state;
    static const struct {
        const char *object;
        int count, place;
        double value;
        PerpStatus status;
        const char *fragment;
    } lies[] = {
        {"/fclib_local/W/x", 35, 7, NAN, PERP_BAD_VALUE, "/fclib_local/W/x[7] is not finite"},
        {"/fclib_local/vectors/q", 6, 5, INFINITY, PERP_BAD_VALUE, "q[5] is not finite"},
        {"/fclib_local/vectors/q", 5, 0, 0, PERP_BAD_SIZE, "q has length 5, expected 6"},
        {"/fclib_local/vectors/mu", 2, 1, -0.1, PERP_BAD_VALUE, "mu: expected no negative"},
        {"/fclib_local/vectors/s", 2, 0, 0, PERP_BAD_SIZE, "s has length 2, expected 1"},
    };
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        double numbers[35] = {0};
        hid_t file = create_local(COLUMNS, true);
        numbers[lies[k].place] = lies[k].value;
        put_doubles(file, lies[k].object, numbers, lies[k].count);
        H5Fclose(file);
        check_refused(lies[k].status, lies[k].fragment);
    }
}

static void delete_and_check(const char *object, const char *fragment)
{
    hid_t file = create_local(COLUMNS, true);
    assert_true(H5Ldelete(file, object, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    check_refused(PERP_BAD_SYNTAX, fragment);
}

static void test_missing_parts(void **state)
{
    (void)state;
    delete_and_check("/fclib_local", "neither /fclib_local nor /fclib_global");
    delete_and_check("/fclib_local/spacedim", "/fclib_local/spacedim: missing");
    delete_and_check("/fclib_local/W", "/fclib_local/W/m: missing");
    delete_and_check("/fclib_local/V", "/fclib_local/V: missing");
    delete_and_check("/fclib_local/R", "/fclib_local/R: missing");
    delete_and_check("/fclib_local/vectors", "/fclib_local/vectors/mu: missing");
    delete_and_check("/fclib_local/W/x", "/fclib_local/W/x: missing");
}

static void test_wrong_types(void **state)
{
    (void)state;
    const double number = 3;
    const int integers[6] = {0};
    hsize_t one = 1, six = 6, square[2] = {2, 3}, huge = (hsize_t)1 << 40;
    hid_t file = create_local(COLUMNS, false);
    put(file, "/fclib_local/spacedim", H5T_NATIVE_DOUBLE, 1, &one, &number);
    H5Fclose(file);
    check_refused(PERP_BAD_SYNTAX, "spacedim: expected integers");
    file = create_local(COLUMNS, false);
    put(file, "/fclib_local/vectors/q", H5T_NATIVE_INT, 1, &six, integers);
    H5Fclose(file);
    check_refused(PERP_BAD_SYNTAX, "q: expected floating-point numbers");
    file = create_local(COLUMNS, false);
    put(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 2, square, q);
    H5Fclose(file);
    check_refused(PERP_BAD_SIZE, "q: expected a list, rank 1");
    file = create_local(COLUMNS, false);
    put(file, "/fclib_local/W/i", H5T_NATIVE_INT, 1, &huge, NULL); // declared, never stored
    H5Fclose(file);
    check_refused(PERP_BAD_SIZE, "W/i has length 1099511627776");
    file = create_local(COLUMNS, false);
    H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "/fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    check_refused(PERP_BAD_SYNTAX, "q: expected a dataset");
}

// Data and links that lead out of the file are not followed.
static void test_outside_the_file(void **state)
{
    (void)state;
    hid_t file = create_local(COLUMNS, false);
    H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT);
    H5Lcreate_external("/etc/passwd", "/x", file, "/fclib_local/vectors/q", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Fclose(file);
    check_refused(PERP_BAD_SYNTAX, "q: missing");
    file = create_local(COLUMNS, false);
    H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT);
    hsize_t six = 6;
    hid_t space = H5Screate_simple(1, &six, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, "/etc/passwd", 0, 48);
    hid_t set = H5Dcreate2(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                           creation, H5P_DEFAULT);
    H5Dclose(set);
    H5Pclose(creation);
    H5Sclose(space);
    H5Fclose(file);
    check_refused(PERP_NOT_SUPPORTED, "q: data outside the file");
}

static void test_global_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *object;
        int value;
        const char *fragment;
    } lies[] = {
        {"/fclib_global/M/n", 5, "M: expected a square matrix"},
        {"/fclib_global/H/m", 5, "H: expected as many rows"},
        {"/fclib_global/G/m", 5, "G: expected as many rows"},
        {"/fclib_global/H/n", 5, "H: its size is no multiple of spacedim"},
    };
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        hid_t file = create_global(COLUMNS);
        put_int(file, lies[k].object, lies[k].value);
        H5Fclose(file);
        check_refused(PERP_BAD_SIZE, lies[k].fragment);
    }
}

// 3000 contacts make more rows than an LCP may have; nothing that large is even read.
static void test_size_limit(void **state)
{
    (void)state;
    hid_t file = create_local(COLUMNS, false);
    put_int(file, "/fclib_local/W/m", 9000);
    put_int(file, "/fclib_local/W/n", 9000);
    H5Fclose(file);
    check_refused_with(8, PERP_BAD_SIZE,
                       "3000 contacts with 8 friction directions each make an LCP of 30000");
}

static void test_damaged_file(void **state)
{
    (void)state;
    write_local(COLUMNS, true);
    FILE *stream = fopen(path, "r+b");
    fseek(stream, 0, SEEK_END);
    long size = ftell(stream);
    fclose(stream);
    for (long k = 8; k < size; k += 97) {
        write_local(COLUMNS, true);
        assert_int_equal(truncate(path, k), 0);
        PerpProblemFile *file;
        assert_int_equal(perp_problem_file_read(NULL, path, NULL, &file, NULL), PERP_BAD_SYNTAX);
    }
}

static void sweep_allocations(void)
{
    PerpStatus status = PERP_NO_MEMORY;
    for (int k = 1; status == PERP_NO_MEMORY; k++) {
        PerpFailingAllocator memory = {.fail_at = k};
        PerpContext context = perp_failing_context(&memory);
        PerpProblemFile *file;
        PerpError error = {0};
        status = perp_problem_file_read(&context, path, NULL, &file, &error);
        assert_int_equal(error.status, status);
        perp_problem_file_destroy(file);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, PERP_OK);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    write_local(COLUMNS, true);
    sweep_allocations();
    H5Fclose(create_global(ROWS));
    sweep_allocations();
}

// HDF5 goes on printing for others after we have silenced it for ourselves.
static void test_error_printing_is_restored(void **state)
{
    (void)state;
    H5E_auto2_t before, after;
    void *user;
    write_local(COLUMNS, true);
    H5Eget_auto2(H5E_DEFAULT, &before, &user);
    assert_non_null(before);
    perp_problem_file_destroy(read_back(4));
    H5Eget_auto2(H5E_DEFAULT, &after, &user);
    assert_true(before == after);
}

// ---- the circular law ----

// One contact, W = 1: sliding along the first tangent, which the polygon has, is exact.
static void test_cone_residual(void **state)
{
    (void)state;
    const double friction = 0.5, free_velocity[3] = {-1, 3, 0};
    PerpFrictionCones cone = {.dimension = 3, .contacts = 1, .mu = &friction};
    const double r[3] = {1, -0.5, 0}, u[3] = {0, 2.5, 0}, zero[3] = {0};
    assert_true(perp_friction_residual(&cone, free_velocity, u, r).residual < 1e-15);
    PerpFrictionResidual idle = perp_friction_residual(&cone, free_velocity, free_velocity, zero);
    assert_true(fabs(idle.residual - 1) < 1e-15);
    const double apart[3] = {1, 3, 0}, wrong[3] = {0.25, 0, 0};
    assert_true(perp_friction_residual(&cone, apart, apart, zero).residual == 0);
    assert_true(perp_friction_residual(&cone, apart, apart, wrong).residual > 0.2);
    const double broken[3] = {NAN, 0, 0};
    assert_true(perp_friction_residual(&cone, free_velocity, broken, r).residual == INFINITY);
}

static void test_cone_residual_of_lcp(void **state)
{
    (void)state;
    write_local(COLUMNS, false);
    PerpProblemFile *file = read_back(64);
    const PerpLcp *p = perp_problem_file_lcp(file);
    PerpSolver *solver;
    PerpLcpResult result;
    PerpFrictionResidual fine, idle;
    PerpFrictionCones cone = {.dimension = 3, .contacts = 2, .mu = mu};
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    assert_int_equal(perp_lcp_solve(solver, p, NULL, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_int_equal(perp_friction_residual_of_lcp(NULL, &cone, p, result.z, &fine, NULL), PERP_OK);
    assert_true(fine.residual < 0.1);
    double *zero = calloc((size_t)p->n, sizeof *zero);
    assert_int_equal(perp_friction_residual_of_lcp(NULL, &cone, p, zero, &idle, NULL), PERP_OK);
    assert_true(fabs(idle.residual - 1) < 1e-12);
    PerpStatus status = PERP_NO_MEMORY;
    for (int k = 1; status == PERP_NO_MEMORY; k++) {
        PerpFailingAllocator memory = {.fail_at = k};
        PerpContext context = perp_failing_context(&memory);
        status = perp_friction_residual_of_lcp(&context, &cone, p, zero, &idle, NULL);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, PERP_OK);
    free(zero);
    perp_solver_destroy(solver);
    perp_problem_file_destroy(file);
}

// ---- the collection, where it is at hand ----

static void read_collection_file(const char *name, int *solved)
{
    PerpProblemFile *file;
    PerpError error = {0};
    PerpProblemFileOptions options = with_facets(4);
    PerpStatus status = perp_problem_file_read(NULL, name, &options, &file, &error);
    if (status && status != PERP_BAD_SIZE)
        fail_msg("%s: %s", name, error.message);
    *solved += !status;
    perp_problem_file_destroy(file);
}

static void test_collection(void **state)
{
    (void)state;
    const char *root = "../shared/fclib";
    DIR *families = opendir(root);
    if (!families)
        skip();
    int count = 0;
    for (struct dirent *family; (family = readdir(families));) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", root, family->d_name);
        DIR *members = family->d_name[0] == '.' ? NULL : opendir(name);
        for (struct dirent *member; members && (member = readdir(members));) {
            snprintf(name, sizeof name, "%s/%s/%s", root, family->d_name, member->d_name);
            if (strstr(member->d_name, ".hdf5"))
                read_collection_file(name, &count);
        }
        if (members)
            closedir(members);
    }
    closedir(families);
    assert_true(count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_layouts),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_planar),
        cmocka_unit_test(test_global),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_texts_survive),
        cmocka_unit_test(test_integers_that_lie),
        cmocka_unit_test(test_indices_outside),
        cmocka_unit_test(test_values_that_lie),
        cmocka_unit_test(test_missing_parts),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_outside_the_file),
        cmocka_unit_test(test_global_shapes),
        cmocka_unit_test(test_circular_local),
        cmocka_unit_test(test_size_limit),
        cmocka_unit_test(test_damaged_file),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_error_printing_is_restored),
        cmocka_unit_test(test_cone_residual),
        cmocka_unit_test(test_cone_residual_of_lcp),
        cmocka_unit_test(test_collection),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
