// perp demo: a built-in scene, run where its files can be looked at afterwards.
#define _POSIX_C_SOURCE 200809L

#include "demo.h"
#include "run.h"

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
        "The scene and its time series, demo.csv, are written beside the program, or into a new\n"
        "folder in /tmp if that is not possible. The summary says where.\n"
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
    for (int k = 0; k < demo_scene_count; k++)
        print_about(&demo_scenes[k]);
    return CLI_OK;
}

static const DemoScene *find_scene(const char *name)
{
    const char *names[MAX_SCENES];
    int count = demo_scene_count < MAX_SCENES ? demo_scene_count : MAX_SCENES;
    for (int k = 0; k < count; k++) {
        names[k] = demo_scenes[k].name;
        if (strcmp(name, names[k]) == 0)
            return &demo_scenes[k];
    }
    fprintf(stderr, "perp: there is no demo %s; did you mean %s?\nusage: %s\n", name,
            perp_nearest_word(name, names, count), USAGE);
    return NULL;
}

// The folder of this very program if it may be written to, else a new one. False if there is none.
static bool choose_folder(char folder[PERP_PATH_SIZE])
{
    ssize_t length = readlink("/proc/self/exe", folder, PERP_PATH_SIZE - 1);
    if (length > 0) {
        folder[length] = '\0';
        *strrchr(folder, '/') = '\0';
        if (access(folder, W_OK) == 0)
            return true;
    }
    snprintf(folder, PERP_PATH_SIZE, "/tmp/perp-demo-XXXXXX");
    return mkdtemp(folder) != NULL;
}

static bool write_scene(const DemoScene *scene, const char *path)
{
    FILE *file = fopen(path, "w");
    bool written = file && fputs(scene->text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    return written;
}

static CliExit run_demo(const DemoScene *scene, RunOptions *options)
{
    char folder[PERP_PATH_SIZE], path[PERP_PATH_SIZE + 64], csv[PERP_PATH_SIZE + 64];
    bool ready = choose_folder(folder);
    snprintf(path, sizeof path, "%s/%.48s.yaml", folder, scene->name);
    snprintf(csv, sizeof csv, "%s/demo.csv", folder);
    if (!ready || !write_scene(scene, path)) {
        perror("perp: the scene cannot be written");
        return CLI_BAD_INPUT;
    }
    options->source.path = path;
    if (!options->csv)
        options->csv = csv;
    return run_scene(options);
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
