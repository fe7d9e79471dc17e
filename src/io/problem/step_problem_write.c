// Writing of a step problem as JSON.
#include "base/error.h"
#include "io/text/json_write.h"
#include "io/text/output.h"
#include "perp/problem_file.h"

#include <math.h>
#include <string.h>

// Where the writer is: the numbers of the blocks and rows follow each other without an index.
typedef struct Writer {
    FILE *stream;
    const PerpProblem *p;
    const double *Mt, *J; // of the next block and the next entry
    const double *friction_J;
} Writer;

// Only +0 may be left out: -0 would not come back.
static bool is_diagonal(const double *block, int size)
{
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            if (i != j && (block[i + j * size] != 0 || signbit(block[i + j * size])))
                return false;
    return size > 0;
}

static void write_block(Writer *writer, int size)
{
    if (is_diagonal(writer->Mt, size)) {
        perp_write_numbers(writer->stream, writer->Mt, size, size + 1);
    } else {
        fputc('[', writer->stream);
        for (int i = 0; i < size; i++) {
            fputs(i ? ",\n           " : "", writer->stream);
            perp_write_numbers(writer->stream, writer->Mt + i, size, size);
        }
        fputc(']', writer->stream);
    }
    writer->Mt += (size_t)size * (size_t)size;
}

static void write_body(Writer *writer, int body)
{
    const int *start = writer->p->body_start;
    int size = start[body + 1] - start[body];
    fputs("{\"M\": ", writer->stream);
    write_block(writer, size);
    fputs(",\n     \"b\": ", writer->stream);
    perp_write_numbers(writer->stream, writer->p->b + start[body], size, 1);
    fputc('}', writer->stream);
}

static int count_row_numbers(const PerpProblem *p, int row)
{
    int count = 0;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        count += p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
    return count;
}

static void write_on(Writer *writer, int row)
{
    const PerpProblem *p = writer->p;
    fputs("\"on\": [", writer->stream);
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        fprintf(writer->stream, "%s%d", e > p->row_start[row] ? ", " : "", p->entry_body[e]);
    fputc(']', writer->stream);
}

// The vectors of a row, one for each body; *J moves behind them.
static void write_vectors(Writer *writer, int row, const double **J)
{
    const PerpProblem *p = writer->p;
    fputc('[', writer->stream);
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
        int size = p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
        fputs(e > p->row_start[row] ? ", " : "", writer->stream);
        perp_write_numbers(writer->stream, *J, size, 1);
        *J += size;
    }
    fputc(']', writer->stream);
}

static void write_row(Writer *writer, int row, const char *key)
{
    fputc('{', writer->stream);
    write_on(writer, row);
    fprintf(writer->stream, ", \"%s\": ", key);
    write_vectors(writer, row, &writer->J);
    fputs(", \"d\": ", writer->stream);
    perp_write_number(writer->stream, writer->p->d[row]);
    if (writer->p->compliance && writer->p->compliance[row] > 0) {
        fputs(", \"compliance\": ", writer->stream);
        perp_write_number(writer->stream, writer->p->compliance[row]);
    }
}

static void write_joint(Writer *writer, int joint)
{
    write_row(writer, joint, "J");
    fputc('}', writer->stream);
}

static void write_box(Writer *writer, int box)
{
    write_row(writer, writer->p->n_joints + box, "J");
    fputs(", \"lo\": ", writer->stream);
    perp_write_number(writer->stream, writer->p->lo[box]);
    fputs(", \"hi\": ", writer->stream);
    perp_write_number(writer->stream, writer->p->hi[box]);
    fputc('}', writer->stream);
}

static int first_direction_row(const PerpProblem *p)
{
    return p->n_joints + p->n_boxes + p->n_contacts;
}

static bool same_bodies(const PerpProblem *p, int row, int other)
{
    int count = p->row_start[row + 1] - p->row_start[row];
    return count == p->row_start[other + 1] - p->row_start[other] &&
           memcmp(p->entry_body + p->row_start[row], p->entry_body + p->row_start[other],
                  (size_t)count * sizeof *p->entry_body) == 0;
}

static void write_group(Writer *writer, int group)
{
    const PerpProblem *p = writer->p;
    int first = first_direction_row(p) + p->group_start[group];
    int end = first_direction_row(p) + p->group_start[group + 1];
    fputs("\n       {\"mu\": ", writer->stream);
    perp_write_number(writer->stream, p->mu[group]);
    fputs(", \"cohesion\": ", writer->stream);
    perp_write_number(writer->stream, p->cohesion[group]);
    if (first < end) {
        fputs(", ", writer->stream);
        write_on(writer, first);
    }
    bool circular = p->group_circular && p->group_circular[group];
    fputs(circular ? ", \"facets\": \"circular\",\n        \"T\": [" : ",\n        \"D\": [",
          writer->stream);
    for (int row = first; row < end; row++) {
        fputs(row > first ? ",\n              " : "", writer->stream);
        write_vectors(writer, row, &writer->friction_J);
    }
    fputs("],\n        \"d\": ", writer->stream);
    perp_write_numbers(writer->stream, p->d + first, end - first, 1);
    fputc('}', writer->stream);
}

static void write_contact(Writer *writer, int contact)
{
    const PerpProblem *p = writer->p;
    write_row(writer, p->n_joints + p->n_boxes + contact, "n");
    bool any = false;
    for (int group = 0; group < p->n_groups; group++) {
        if (p->group_contact[group] != contact)
            continue;
        fputs(any ? "," : ",\n     \"friction\": [", writer->stream);
        write_group(writer, group);
        any = true;
    }
    fputs(any ? "]}" : "}", writer->stream);
}

static void write_list(Writer *writer, const char *key, int count,
                       void (*write_item)(Writer *, int))
{
    fprintf(writer->stream, "  \"%s\": [", key);
    for (int k = 0; k < count; k++) {
        fputs(k ? ",\n    " : "\n    ", writer->stream);
        write_item(writer, k);
    }
    fputs(count ? "\n  ]" : "]", writer->stream);
}

static void write_problem(FILE *stream, const void *what)
{
    const PerpProblem *p = what;
    Writer writer = {.stream = stream, .p = p, .Mt = p->Mt, .J = p->J, .friction_J = p->J};
    for (int row = 0; row < first_direction_row(p); row++)
        writer.friction_J += count_row_numbers(p, row);
    fputs("{\n", stream);
    write_list(&writer, "bodies", p->n_bodies, write_body);
    fputs(",\n", stream);
    write_list(&writer, "joints", p->n_joints, write_joint);
    fputs(",\n", stream);
    write_list(&writer, "boxes", p->n_boxes, write_box);
    fputs(",\n", stream);
    write_list(&writer, "contacts", p->n_contacts, write_contact);
    fputs("\n}\n", stream);
}

// The file keeps groups inside their contacts and one list of bodies for each group.
static PerpStatus check_layout(const PerpProblem *p, const char *path, PerpError *error)
{
    for (int g = 0; g < p->n_groups; g++) {
        int first = first_direction_row(p) + p->group_start[g];
        int end = first_direction_row(p) + p->group_start[g + 1];
        if (g > 0 && p->group_contact[g] < p->group_contact[g - 1])
            return perp_fail_at(error, PERP_NOT_SUPPORTED, path, 0, 0,
                                "friction group %d: groups must be in the order of their contacts",
                                g);
        for (int row = first + 1; row < end; row++)
            if (!same_bodies(p, first, row))
                return perp_fail_at(error, PERP_NOT_SUPPORTED, path, 0, 0,
                                    "friction group %d: its directions must act on the same bodies",
                                    g);
    }
    return PERP_OK;
}

PerpStatus perp_problem_write(const PerpContext *context, const PerpProblem *p, const char *path,
                              PerpError *error)
{
    (void)context; // nothing to allocate
    PerpStatus status = check_layout(p, path, error);
    return status ? status : perp_output(path, write_problem, p, error);
}
