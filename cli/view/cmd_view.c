// perp view: a recording, or the start of a scene, as a page for the browser, in a file or served.
#include "common/support.h"
#include "view/view.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "perp view RUN.h5 [--html FILE] [--window FROM:TO] [--ghost OTHER.h5] [--serve [PORT]]\n"
    "       perp view SCENE [--set NAME=VALUE ...] [--html FILE] [--serve [PORT]]";
enum { DEFAULT_PORT = 8777 };

typedef struct ViewOptions {
    bool help, serve, no_open;
    const char *ghost, *html;
    SceneSource source; // its path may be that of a recording
    ViewWindow window;
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
        "  perp view run.h5 --window 1.2:1.4 with every recorded step from 1.2 s to 1.4 s\n"
        "  perp view scene.yaml              the start of a scene, without a run\n"
        "\n"
        "usage: %s\n"
        "\n"
        "The page is one file that needs no network: play, orbit, pick bodies, look at contacts,\n"
        "forces and friction cones. Press ? in it for its keys. See docs/viewer.md. Of a scene\n"
        "it shows bodies, joints, sites, sensors and their names at the start, in NAME.start.html\n"
        "in the current folder; what is wrong with the scene is told as perp check does.\n"
        "\n"
        "  --html FILE      write the page there and open nothing\n"
        "  --window F:T     every recorded step from F to T, in seconds, besides the 60 frames a\n"
        "                   second that a page holds of the rest\n"
        "  --ghost FILE     another recording, shown transparent at the same time\n"
        "  --serve [PORT]   serve large or growing recordings to browsers on this machine only,\n"
        "                   on 127.0.0.1:PORT (%d; 0: any free one), until Ctrl-C\n"
        "  --no-open        with --serve: do not open the browser\n"
        "  --set NAME=VALUE a parameter of the scene; may be repeated\n"
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

// FROM:TO
static bool read_window(const char *text, ViewWindow *window)
{
    char *middle, *end;
    if (!text)
        return true;
    window->from = strtod(text, &middle);
    window->to = *middle == ':' ? strtod(middle + 1, &end) : 0;
    if (middle != text && *middle == ':' && end != middle + 1 && !*end && isfinite(window->from) &&
        isfinite(window->to) && window->to > window->from)
        return true;
    fprintf(stderr, "perp: --window must be two times in seconds, such as 1.2:1.4, not %s\n", text);
    return false;
}

static const char *find_fault(const ViewOptions *options, const char *window, bool is_run)
{
    if (options->serve && options->html)
        return "either --html or --serve";
    if (options->serve && window)
        return "no --window with --serve: the page fetches every step of a time by the key w";
    if (!is_run && (window || options->ghost))
        return "a recording for --window and --ghost, not a scene";
    if (is_run && options->source.n_set > 0)
        return "a scene for --set, not a recording";
    return NULL;
}

static CliExit read_options(int argc, char **argv, ViewOptions *options)
{
    const char *window = NULL, *set = NULL;
    const CliOption table[] = {
        {"--help", &options->help, NULL},
        {"--no-open", &options->no_open, NULL},
        {"--ghost", NULL, &options->ghost},
        {"--html", NULL, &options->html},
        {"--window", NULL, &window},
        {"--set", NULL, &set}, // without value; the others have been taken
    };
    int left = take_parameters(argc, argv, &options->source);
    left = left > 0 ? take_serve(left, argv, options) : 0;
    int others = left == 0 ? -1
                           : cli_parse(left, argv, table, sizeof table / sizeof *table,
                                       &options->source.path, 1, USAGE);
    if (others < 0 || !read_window(window, &options->window))
        return CLI_USAGE;
    if (options->help)
        return CLI_OK;
    const char *fault = others == 1 ? find_fault(options, window, cli_is_hdf5(options->source.path))
                                    : "a recording, as perp run -o writes it, or a scene";
    if (!fault)
        return CLI_OK;
    fprintf(stderr, "perp: view needs %s\nusage: %s\n", fault, USAGE);
    return CLI_USAGE;
}

// --- a page in a file ---------------------------------------------------------------------------

// a/run.h5 -> a/run.html beside it, a/scene.yaml -> scene.start.html here
static bool name_page(const ViewOptions *options, bool is_run, char path[PERP_PATH_SIZE])
{
    const char *given = options->source.path, *name = cli_base_name(given);
    const char *from = is_run ? given : strcmp(given, "-") == 0 ? "scene" : name;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - from) : (int)strlen(from);
    if (options->html)
        return snprintf(path, PERP_PATH_SIZE, "%s", options->html) < PERP_PATH_SIZE;
    return snprintf(path, PERP_PATH_SIZE, "%.*s%s", length, from,
                    is_run ? ".html" : ".start.html") < PERP_PATH_SIZE;
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

CliExit view_write_page(const ViewSource *source, const char *path)
{
    Bytes page = {0};
    PerpError error = {0};
    PerpStatus status = view_put_page(&page, source, &error);
    CliExit code = CLI_OK;
    if (status)
        code = cli_complain_of_error(&error);
    else if (!write_file(path, &page))
        code = CLI_BAD_INPUT;
    bytes_free(&page);
    return code;
}

static CliExit make_page(const ViewOptions *options, const ViewSource *source, bool is_run)
{
    char path[PERP_PATH_SIZE];
    if (!name_page(options, is_run, path)) {
        fprintf(stderr, "perp: the name of the page is too long\n");
        return CLI_USAGE;
    }
    CliExit code = view_write_page(source, path);
    if (code)
        return code;
    bool opened = !options->html && view_open_browser(path);
    printf("page   %s%s\n", path, opened ? ", opened in the browser" : "");
    return CLI_OK;
}

// --- the command --------------------------------------------------------------------------------

static void announce(const ViewService *service, const char *address)
{
    (void)service;
    printf("serving %s, Ctrl-C ends it\n", address);
    fflush(stdout);
}

static CliExit show(const ViewOptions *options, const ViewSource *source, bool is_run)
{
    PerpError error = {0};
    ViewService service = {
        .port = options->port, .open = !options->no_open, .until = -1, .announce = announce};
    if (!options->serve)
        return make_page(options, source, is_run);
    return view_serve(source, &service, &error) ? cli_complain_of_error(&error) : CLI_OK;
}

static CliExit open_run(const ViewOptions *options, ViewSource *source)
{
    PerpError error = {0};
    PerpStatus status = perp_recording_open(NULL, options->source.path, &source->recording, &error);
    if (!status && options->ghost)
        status = perp_recording_open(NULL, options->ghost, &source->ghost, &error);
    return status ? cli_complain_of_error(&error) : CLI_OK;
}

CliExit cmd_view(int argc, char **argv)
{
    ViewOptions options = {0};
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
    bool is_run = cli_is_hdf5(options.source.path);
    ViewSource source = {.name = cli_base_name(options.source.path),
                         .ghost_name = options.ghost ? cli_base_name(options.ghost) : "",
                         .window = options.window};
    code =
        is_run ? open_run(&options, &source) : view_open_start(&options.source, &source.recording);
    if (!code)
        code = show(&options, &source, is_run);
    perp_recording_close(source.ghost);
    perp_recording_close(source.recording);
    return code;
}
