// Problem files: the format recognised, read and written.
#include "io/problem/problem_file.h"

#include "base/error.h"
#include "base/sized.h"
#include "io/text/c_locale.h"
#include "io/text/input.h"
#include "io/text/json_write.h"
#include "io/text/node.h"

#include <stdio.h>
#include <string.h>

void perp_fill_problem_file_options(PerpProblemFileOptions *made, size_t size)
{
    const PerpProblemFileOptions defaults = {.facets = 0};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

// Errors that arise far from any file get its name here.
static PerpStatus blame_file(PerpError *error, PerpStatus status, const char *path)
{
    if (status && error && !error->file[0])
        snprintf(error->file, sizeof error->file, "%s", path);
    return status;
}

static PerpStatus create_file(const PerpContext *context, PerpProblemFile **file, PerpError *error)
{
    PerpContext lent = context ? *context : perp_default_context();
    *file = perp_allocate(&lent.allocator, 1, sizeof **file);
    if (!*file)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory while reading the file");
    (*file)->context = lent;
    perp_arena_init(&(*file)->arena, &lent.allocator);
    return perp_builder_init(&(*file)->builder, &lent.allocator, error);
}

void perp_problem_file_destroy(PerpProblemFile *file)
{
    if (!file)
        return;
    PerpAllocator allocator = file->context.allocator;
    perp_builder_free(&file->builder);
    perp_arena_free(&file->arena);
    perp_free(&allocator, file);
}

static PerpStatus read_root(const PerpDocument *document, PerpProblemFile *file)
{
    const PerpNode *root = document->root;
    PerpStatus status = perp_node_mapping(document, root, "the file");
    if (status)
        return status;
    bool is_lcp = perp_node_find(root, "q") || perp_node_find(root, "M");
    bool is_problem = perp_node_find(root, "bodies");
    if (is_lcp == is_problem)
        return perp_node_fail(document, root, PERP_BAD_SYNTAX,
                              "expected either \"M\" and \"q\" (an LCP) or \"bodies\" (a step "
                              "problem)");
    file->format = PERP_PROBLEM_FILE_JSON;
    return is_lcp ? perp_read_lcp(document, file) : perp_read_step_problem(document, file);
}

static PerpStatus read_json(PerpProblemFile *file, const char *bytes, size_t size, const char *name,
                            PerpError *error)
{
    PerpDocument document;
    PerpStatus status =
        perp_document_parse(&file->context.allocator, bytes, size, name, &document, error);
    if (status)
        return status;
    PerpCLocale locale;
    if (perp_c_locale_enter(&locale)) {
        status = read_root(&document, file);
        perp_c_locale_leave(&locale);
    } else {
        status = perp_fail(error, PERP_NO_MEMORY, "out of memory while reading the file");
    }
    perp_document_free(&document);
    return status;
}

PerpStatus perp_file_parse(const PerpContext *context, const char *bytes, size_t size,
                           const char *name, PerpProblemFile **file, PerpError *error)
{
    PerpStatus status = create_file(context, file, error);
    if (!status)
        status = read_json(*file, bytes, size, name, error);
    if (status) {
        perp_problem_file_destroy(*file);
        *file = NULL;
    }
    return blame_file(error, status, name);
}

static PerpStatus read_fclib(PerpProblemFile *file, const char *path, int facets, PerpError *error)
{
    PerpStatus status = perp_fclib_read(&file->arena, path, facets, &file->fclib, error);
    if (status)
        return status;
    const PerpFclib *fclib = &file->fclib;
    file->format = PERP_PROBLEM_FILE_FCLIB;
    file->info = (PerpFclibInfo){.present = true,
                                 .global = fclib->global,
                                 .dimension = fclib->dimension,
                                 .contacts = fclib->contacts,
                                 .mu = fclib->mu};
    if (fclib->global)
        return perp_convert_global(file, facets, error);
    return facets ? perp_convert_local(file, facets, error) : perp_convert_circular(file, error);
}

static PerpStatus read_file(PerpProblemFile *file, const char *path,
                            const PerpProblemFileOptions *options, PerpError *error)
{
    PerpInput input;
    PerpStatus status =
        perp_input_read(&file->context.allocator, path, PERP_DOCUMENT_SIZE_LIMIT, &input, error);
    if (status)
        return status;
    if (input.hdf5)
        status = read_fclib(file, path, options->facets, error);
    else
        status = read_json(file, input.bytes, input.size, path, error);
    perp_input_free(&input);
    return status;
}

PerpStatus perp_problem_file_read(const PerpContext *context, const char *path,
                                  const PerpProblemFileOptions *options, PerpProblemFile **file,
                                  PerpError *error)
{
    PerpProblemFileOptions chosen = perp_default_problem_file_options();
    *file = NULL;
    PerpStatus status = perp_read_sized(&chosen, sizeof chosen, options,
                                        "perp_default_problem_file_options", error);
    if (status)
        return status;
    if (chosen.facets != 0 && (chosen.facets < 4 || chosen.facets > 256 || chosen.facets % 2 != 0))
        return perp_fail(error, PERP_BAD_VALUE,
                         "facets: expected 0 (circular) or an even number from 4 to 256");
    status = create_file(context, file, error);
    if (!status)
        status = read_file(*file, path, &chosen, error);
    if (status) {
        perp_problem_file_destroy(*file);
        *file = NULL;
    }
    return blame_file(error, status, path);
}

PerpProblemFileKind perp_problem_file_kind(const PerpProblemFile *file)
{
    return file->kind;
}

PerpProblemFileFormat perp_problem_file_format(const PerpProblemFile *file)
{
    return file->format;
}

const PerpLcp *perp_problem_file_lcp(const PerpProblemFile *file)
{
    return file->kind == PERP_PROBLEM_FILE_LCP ? &file->lcp : NULL;
}

const PerpProblem *perp_problem_file_step(const PerpProblemFile *file)
{
    return file->kind == PERP_PROBLEM_FILE_STEP ? &file->problem : NULL;
}

const PerpContactProblem *perp_problem_file_contact(const PerpProblemFile *file)
{
    return file->kind == PERP_PROBLEM_FILE_CONTACT ? &file->local : NULL;
}

const PerpFclibInfo *perp_problem_file_fclib(const PerpProblemFile *file)
{
    return &file->info;
}

PerpStatus perp_problem_file_write(const PerpProblemFile *file, const char *path,
                                   PerpProblemFileFormat format, PerpError *error)
{
    if (format == PERP_PROBLEM_FILE_JSON && file->kind == PERP_PROBLEM_FILE_CONTACT)
        return perp_fail_at(error, PERP_NOT_SUPPORTED, path, 0, 0,
                            "a local problem with circular cones has no JSON form; choose facets, "
                            "which make an LCP of it, or write FCLIB");
    if (format == PERP_PROBLEM_FILE_JSON)
        return file->kind == PERP_PROBLEM_FILE_LCP
                   ? perp_lcp_write(&file->context, &file->lcp, path, error)
                   : perp_problem_write(&file->context, &file->problem, path, error);
    if (!file->info.present)
        return perp_fail_at(error, PERP_NOT_SUPPORTED, path, 0, 0,
                            "only a problem that was read from an FCLIB file can be written as "
                            "one; write JSON instead");
    return perp_fclib_write(&file->context.allocator, &file->fclib, path, error);
}
