// perp view: a recording as a page for the browser, in a file or served.
#include "common/support.h"
#include "view/view.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] = "perp view RUN.h5 [--html FILE] [--ghost OTHER.h5] [--serve [PORT]]";
enum { DEFAULT_PORT = 8777 };

typedef struct ViewOptions {
    bool help, serve, no_open;
    const char *path, *ghost, *html;
    int port;
} ViewOptions;

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp view run.h5                  writes run.html beside it and opens it\n"
        "  perp view run.h5 --html a.html    only writes the page\n"
        "  perp view b.h5 --ghost a.h5       a second run as a ghost\n"
        "  perp view run.h5 --serve          follows a run that is still going on\n"
        "\n"
        "usage: %s\n"
        "\n"
        "The page is one file that needs no network: play, orbit, pick bodies, look at contacts,\n"
        "forces and friction cones. Press ? in it for its keys. See docs/viewer.md.\n"
        "\n"
        "  --html FILE      write the page there and open nothing\n"
        "  --ghost FILE     another recording, shown transparent at the same time\n"
        "  --serve [PORT]   serve large or growing recordings to browsers on this machine only,\n"
        "                   on 127.0.0.1:PORT (%d; 0: any free one), until Ctrl-C\n"
        "  --no-open        with --serve: do not open the browser\n"
        "\n"
        "Exit: 0 ok, 2 usage, 3 a file cannot be read or written\n",
        USAGE, DEFAULT_PORT);
    return CLI_OK;
}

// --- options ------------------------------------------------------------------------------------

static bool read_port(const char *text, int *port)
{
    char *end;
    long number = strtol(text, &end, 10);
    *port = (int)number;
    return end != text && !*end && number >= 0 && number <= 65535;
}

// Takes --serve and the number after it, if it is one, out of argv. Returns how many are left.
static int take_serve(int argc, char **argv, ViewOptions *options)
{
    int left = 1;
    options->port = DEFAULT_PORT;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--serve") != 0) {
            argv[left++] = argv[k];
            continue;
        }
        options->serve = true;
        if (k + 1 < argc && read_port(argv[k + 1], &options->port))
            k++;
        else
            options->port = DEFAULT_PORT;
    }
    return left;
}

static CliExit read_options(int argc, char **argv, ViewOptions *options)
{
    const CliOption table[] = {
        {"--help", &options->help, NULL},
        {"--no-open", &options->no_open, NULL},
        {"--ghost", NULL, &options->ghost},
        {"--html", NULL, &options->html},
    };
    int left = take_serve(argc, argv, options);
    int others =
        cli_parse(left, argv, table, sizeof table / sizeof *table, &options->path, 1, USAGE);
    if (others < 0)
        return CLI_USAGE;
    if (options->help)
        return CLI_OK;
    if (others == 1 && !(options->serve && options->html))
        return CLI_OK;
    fprintf(stderr, "perp: view needs %s\nusage: %s\n",
            others == 1 ? "either --html or --serve" : "a recording, as perp run -o writes it",
            USAGE);
    return CLI_USAGE;
}

// --- a page in a file ---------------------------------------------------------------------------

// run.h5 -> run.html
static bool name_page(const ViewOptions *options, char path[PERP_PATH_SIZE])
{
    const char *from = options->html ? options->html : options->path;
    const char *slash = strrchr(from, '/'), *dot = strrchr(from, '.');
    bool has_end = !options->html && dot && dot > (slash ? slash + 1 : from);
    int length = has_end ? (int)(dot - from) : (int)strlen(from);
    return snprintf(path, PERP_PATH_SIZE, "%.*s%s", length, from, options->html ? "" : ".html") <
           PERP_PATH_SIZE;
}

// The file appears whole or not at all. Only a page is replaced, and no pipe or device.
static bool write_file(const char *name, const Bytes *bytes)
{
    char part[PERP_PATH_SIZE + 8], target[PERP_PATH_SIZE];
    const char *path = cli_follow_links(name, target);
    if (!cli_may_overwrite(path, "content=\"perp view\"", "a page of perp view"))
        return false;
    if (!cli_may_replace(path)) {
        fprintf(stderr, "perp: %s: a page needs a file\n", name);
        return false;
    }
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "wb");
    bool written = file && fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    if (file && fclose(file) != 0)
        written = false;
    if (written && rename(part, path) == 0)
        return true;
    fprintf(stderr, "perp: %s: cannot be written: %s\n", name, strerror(errno));
    remove(part);
    return false;
}

CliExit view_write_page(PerpRecording *recording, PerpRecording *ghost, const char *path)
{
    Bytes page = {0};
    PerpError error = {0};
    PerpStatus status = view_put_page(&page, recording, ghost, &error);
    CliExit code = CLI_OK;
    if (status)
        code = cli_complain_of_error(&error);
    else if (!write_file(path, &page))
        code = CLI_BAD_INPUT;
    bytes_free(&page);
    return code;
}

static CliExit make_page(const ViewOptions *options, PerpRecording *recording, PerpRecording *ghost)
{
    char path[PERP_PATH_SIZE];
    if (!name_page(options, path)) {
        fprintf(stderr, "perp: the name of the page is too long\n");
        return CLI_USAGE;
    }
    CliExit code = view_write_page(recording, ghost, path);
    if (code)
        return code;
    bool opened = !options->html && view_open_browser(path);
    printf("page   %s%s\n", path, opened ? ", opened in the browser" : "");
    return CLI_OK;
}

// --- the command --------------------------------------------------------------------------------

static CliExit show(const ViewOptions *options, PerpRecording *recording, PerpRecording *ghost)
{
    PerpError error = {0};
    if (!options->serve)
        return make_page(options, recording, ghost);
    if (view_serve(recording, ghost, options->port, !options->no_open, &error))
        return cli_complain_of_error(&error);
    return CLI_OK;
}

CliExit cmd_view(int argc, char **argv)
{
    ViewOptions options = {0};
    PerpRecording *recording = NULL, *ghost = NULL;
    PerpError error = {0};
    CliExit code = read_options(argc, argv, &options);
    if (code)
        return code;
    if (options.help)
        return print_help();
    if (view_page_size == 0) {
        fprintf(stderr, "perp: this program was built without the viewer: npm was missing. "
                        "Run make, which installs it, and try again\n");
        return CLI_FAILED;
    }
    PerpStatus status = perp_recording_open(NULL, options.path, &recording, &error);
    if (!status && options.ghost)
        status = perp_recording_open(NULL, options.ghost, &ghost, &error);
    code = status ? cli_complain_of_error(&error) : show(&options, recording, ghost);
    perp_recording_close(ghost);
    perp_recording_close(recording);
    return code;
}
