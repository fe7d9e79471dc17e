// perp demo: writes a built-in scene, runs it and opens its page.
#define _POSIX_C_SOURCE 200809L

#include "demo.h"
#include "run/run.h"
#include "view/view.h"

#include "perp/words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SCENES = 64 };

static const char USAGE[] = "perp demo [NAME] [--list] [--print] [OPTIONS OF perp run]";
static const char DEFAULT[] = "workshop";

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp demo                        the workshop: contact, friction, joints, impact\n"
        "  perp demo --list                 all names\n"
        "  perp demo workshop --json        for a script to read\n"
        "  perp demo --print > mine.yaml    the scene, to change it and perp run mine.yaml\n"
        "\n"
        "usage: %s\n"
        "\n"
        "Leaves the scene demo.yaml, its recording demo.h5 and the page demo.html, which shows it\n"
        "in a browser, here, or in a new folder in /tmp if that is not possible.\n"
        "\n",
        USAGE);
    run_print_options();
    puts("\nExit: as perp run");
    return CLI_OK;
}

// What stands behind about: in the scene.
static void print_about(const DemoScene *scene)
{
    const char *about = strstr(scene->text, "\nabout: ");
    about = about ? about + strlen("\nabout: ") : "";
    printf("  %-12s %.*s\n", scene->name, (int)strcspn(about, "\n"), about);
}

static CliExit print_list(void)
{
    for (int k = 0; demo_scenes[k].name; k++)
        print_about(&demo_scenes[k]);
    return CLI_OK;
}

static const DemoScene *find_scene(const char *name)
{
    const char *names[MAX_SCENES];
    int count = 0;
    for (; count < MAX_SCENES && demo_scenes[count].name; count++) {
        names[count] = demo_scenes[count].name;
        if (strcmp(name, names[count]) == 0)
            return &demo_scenes[count];
    }
    fprintf(stderr, "perp: there is no demo %s; did you mean %s?\nusage: %s\n", name,
            perp_nearest_word(name, names, count), USAGE);
    return NULL;
}

// Here if it may be written to, else a new folder. False if there is none.
static bool choose_folder(char folder[PERP_PATH_SIZE])
{
    if (getcwd(folder, PERP_PATH_SIZE) && access(folder, W_OK) == 0)
        return true;
    snprintf(folder, PERP_PATH_SIZE, "/tmp/perp-demo-XXXXXX");
    return mkdtemp(folder) != NULL;
}

// A demo.yaml that was changed is somebody's work.
static bool is_demo(const char *path)
{
    enum { LONGEST = 1 << 16 };
    FILE *file = fopen(path, "r");
    char *text = calloc(1, LONGEST);
    bool found = !file || (text && fread(text, 1, LONGEST - 1, file) == 0);
    for (int k = 0; text && !found && demo_scenes[k].name; k++)
        found = strcmp(text, demo_scenes[k].text) == 0;
    free(text);
    if (file)
        fclose(file);
    return found;
}

static bool write_scene(const DemoScene *scene, const char *path)
{
    FILE *file = fopen(path, "w");
    bool written = file && fputs(scene->text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    return written;
}

// The recording as a page, opened if there is a desktop to do it on.
static CliExit show_demo(const RunOptions *options, const char *page)
{
    PerpRecording *recording = NULL;
    PerpError error = {0};
    bool silent = options->json || options->quiet;
    if (view_page_size == 0) {
        fprintf(stderr, "perp: no page: this program was built without the viewer\n");
        return CLI_OK;
    }
    CliExit code = CLI_OK;
    if (perp_recording_open(NULL, options->output, &recording, &error))
        code = cli_complain_of_error(&error);
    else
        code = view_write_page(&(ViewSource){.recording = recording, .name = "demo.h5"}, page);
    perp_recording_close(recording);
    if (code == CLI_OK && !silent)
        printf("page          %s%s\n", page, view_open_browser(page) ? ", opened" : "");
    return code;
}

static CliExit run_demo(const DemoScene *scene, RunOptions *options)
{
    enum { ROOM = PERP_PATH_SIZE + 64 };
    char folder[PERP_PATH_SIZE], path[ROOM], recording[ROOM], page[ROOM];
    bool ready = choose_folder(folder);
    snprintf(path, ROOM, "%s/demo.yaml", folder);
    snprintf(recording, ROOM, "%s/demo.h5", folder);
    snprintf(page, ROOM, "%s/demo.html", folder);
    if (ready && !is_demo(path)) {
        fprintf(stderr, "perp: %s: is there already, and not a scene of perp demo; move it away\n",
                path);
        return CLI_BAD_INPUT;
    }
    if (!ready || !write_scene(scene, path)) {
        perror("perp: the scene cannot be written");
        return CLI_BAD_INPUT;
    }
    options->source.path = path;
    if (!options->output) {
        options->output = recording;
        options->force = true; // the demo before this one
    }
    CliExit code = run_scene(options);
    bool recorded = code == CLI_OK || code == CLI_MISMATCH || code == CLI_INTERRUPTED;
    CliExit shown = recorded ? show_demo(options, page) : CLI_OK;
    return code ? code : shown;
}

CliExit cmd_demo(int argc, char **argv)
{
    RunOptions options;
    bool list = false, print = false;
    const CliOption more[] = {{"--list", &list, NULL}, {"--print", &print, NULL}};
    CliExit code = run_read_options(argc, argv, more, 2, USAGE, &options);
    if (code)
        return code;
    if (options.help)
        return print_help();
    if (list)
        return print_list();
    const DemoScene *scene = find_scene(options.source.path ? options.source.path : DEFAULT);
    if (!scene)
        return CLI_USAGE;
    if (print)
        return fputs(scene->text, stdout) < 0 ? CLI_FAILED : CLI_OK;
    return run_check_scheme(options.scheme) ? run_demo(scene, &options) : CLI_USAGE;
}
