// The folder of a study: made once, found again.
#define _XOPEN_SOURCE 700

#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNKS = 2048,
    SMALL_CHUNK = 16,
    SOME_CHUNKS = 64,
    LONGEST = PERP_PATH_SIZE - 256 // name of a folder, so that its files' names fit
};

static bool complain(const char *path)
{
    fprintf(stderr, "perp: %s: %s\n", path, strerror(errno));
    return false;
}

void sweep_find_path(const Sweep *sweep, const char *name, char path[SWEEP_PATH])
{
    snprintf(path, SWEEP_PATH, "%s/%s", sweep->folder, name);
}

bool sweep_make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST || complain(path);
}

// Every folder on the way to a file.
static bool make_folders(const char *path)
{
    char part[SWEEP_PATH];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!sweep_make_folder(part))
            return false;
        *slash = '/';
    }
    return true;
}

void sweep_chunk_path(const Sweep *sweep, const char *kind, long chunk, char path[SWEEP_PATH])
{
    snprintf(path, SWEEP_PATH, "%s/%s/%03ld/%05ld", sweep->folder, kind, chunk / SWEEP_FOLDER,
             chunk);
    if (access(path, F_OK) != 0)
        make_folders(path);
}

bool sweep_sync_folder(const char *path)
{
    char folder[SWEEP_PATH];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int file = open(folder, O_RDONLY | O_CLOEXEC);
    bool synced = file >= 0 && (fsync(file) == 0 || errno == EINVAL); // some systems cannot
    int cause = errno;
    if (file >= 0)
        close(file);
    errno = cause;
    return synced;
}

// --- files ---------------------------------------------------------------------------------------

static bool write_file(const char *path, const char *bytes, size_t size)
{
    char part[SWEEP_PATH + 32];
    snprintf(part, sizeof part, "%s.%ld.new", path, (long)getpid());
    FILE *file = make_folders(path) ? fopen(part, "wb") : NULL;
    if (!file)
        return complain(path);
    bool written =
        fwrite(bytes, 1, size, file) == size && fflush(file) == 0 && fsync(fileno(file)) == 0;
    written = fclose(file) == 0 && written && rename(part, path) == 0 && sweep_sync_folder(path);
    if (!written) {
        complain(path);
        unlink(part);
    }
    return written;
}

static bool has_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    char *found = file ? malloc(size + 1) : NULL;
    bool same = found && fread(found, 1, size + 1, file) == size && memcmp(found, bytes, size) == 0;
    free(found);
    if (file)
        fclose(file);
    return same;
}

// How long the folder is that all files are in, with its slash.
static size_t common_folder(char (*paths)[PATH_MAX], int count)
{
    size_t length = strlen(paths[0]);
    for (int k = 0; k < count; k++)
        for (size_t c = 0; c < length; c++)
            if (paths[k][c] != paths[0][c])
                length = c;
    while (length > 0 && paths[0][length - 1] != '/')
        length--;
    return length;
}

typedef bool (*FileUse)(const char *path, const char *bytes, size_t size);

// The absolute path without "." and "..", no link followed: as names relative to a file mean it.
static bool find_absolute(const char *path, char absolute[PATH_MAX])
{
    char folder[PATH_MAX] = "", whole[PATH_MAX], *rest;
    size_t length = 0;
    if (path[0] != '/' && !getcwd(folder, sizeof folder))
        return false;
    if (snprintf(whole, sizeof whole, "%s/%s", folder, path) >= (int)sizeof whole) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *part = strtok_r(whole, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        if (strcmp(part, "..") == 0)
            length = length > 0 ? (size_t)(strrchr(absolute, '/') - absolute) : 0;
        else if (strcmp(part, ".") != 0)
            length += (size_t)snprintf(absolute + length, PATH_MAX - length, "/%s", part);
        absolute[length] = '\0';
    }
    return length > 0;
}

// Calls use for each file of the study as it stands in the folder; sweep gets the names of the
// study and the scene. Where the study itself was does not matter: it names the scene only.
static bool each_file(Sweep *sweep, FileUse use)
{
    int count = perp_study_files(sweep->study);
    char(*paths)[PATH_MAX] = calloc((size_t)count, sizeof *paths);
    bool good = paths != NULL;
    for (int k = 0; good && k < count; k++)
        good = find_absolute(perp_study_file(sweep->study, k).path, paths[k]) ||
               complain(perp_study_file(sweep->study, k).path);
    size_t skip = good ? common_folder(paths + 1, count - 1) : 0;
    for (int k = 0; good && k < count; k++) {
        PerpSceneText text = perp_study_file(sweep->study, k);
        char name[PERP_PATH_SIZE], path[SWEEP_PATH];
        const char *kind = k == 0 ? "study" : "scene";
        const char *inner = k == 0 ? strrchr(paths[k], '/') + 1 : paths[k] + skip;
        errno = ENAMETOOLONG;
        good = snprintf(name, sizeof name, "files/%s/%s", kind, inner) < (int)sizeof name ||
               complain(paths[k]);
        sweep_find_path(sweep, name, path);
        good = good && use(path, text.bytes, text.size);
        if (k < 2)
            memcpy(k == 0 ? sweep->file : sweep->scene, name, sizeof name);
    }
    free(paths);
    return good;
}

// --- the plan ------------------------------------------------------------------------------------

static bool write_plan(const Sweep *sweep)
{
    char text[3 * PERP_PATH_SIZE], path[SWEEP_PATH];
    int size =
        snprintf(text, sizeof text, "perp-sweep 2\nchunk %ld\npoints %ld\nstudy %s\nscene %s\n",
                 sweep->chunk, sweep->info->points, sweep->file, sweep->scene);
    sweep_find_path(sweep, "plan", path);
    return write_file(path, text, (size_t)size);
}

static bool read_plan(Sweep *sweep, long *points)
{
    char path[SWEEP_PATH];
    sweep_find_path(sweep, "plan", path);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool read = fscanf(file, "perp-sweep 2 chunk %ld points %ld study %1023[^\n] scene %1023[^\n]",
                       &sweep->chunk, points, sweep->file, sweep->scene) == 4 &&
                sweep->chunk > 0 && *points > 0;
    fclose(file);
    return read;
}

bool sweep_is_folder(const char *path)
{
    Sweep sweep;
    long points;
    snprintf(sweep.folder, sizeof sweep.folder, "%s", path);
    return read_plan(&sweep, &points);
}

// About 2000 files for large studies, and enough chunks for many workers in small ones.
static long choose_chunk(long points)
{
    long chunk = (points + SOME_CHUNKS - 1) / SOME_CHUNKS;
    chunk = chunk < SMALL_CHUNK ? chunk : SMALL_CHUNK;
    long needed = (points + CHUNKS - 1) / CHUNKS;
    return chunk > needed ? chunk : needed;
}

static void fill_in(Sweep *sweep, const char *folder)
{
    *sweep = (Sweep){0};
    snprintf(sweep->folder, sizeof sweep->folder, "%s", folder);
    for (size_t end = strlen(sweep->folder); end > 1 && sweep->folder[end - 1] == '/'; end--)
        sweep->folder[end - 1] = '\0';
    if (gethostname(sweep->host, sizeof sweep->host - 1) != 0 || !sweep->host[0])
        snprintf(sweep->host, sizeof sweep->host, "unknown");
    for (char *c = sweep->host; *c; c++)
        *c = *c <= ' ' || *c == '/' ? '_' : *c;
}

// scene: a copy of the one that it names, or NULL.
static bool read_study(Sweep *sweep, const char *path, const char *scene)
{
    PerpError error = {0};
    if (perp_study_read_with_scene(NULL, path, scene, &sweep->study, &error)) {
        cli_complain_of_error(&error);
        return false;
    }
    sweep->info = perp_study_info(sweep->study);
    return true;
}

static bool differs(const char *folder)
{
    fprintf(stderr,
            "perp: %s: begun with another study or scene; choose another folder, or go on as it "
            "was begun: perp sweep retry %s\n",
            folder, folder);
    return false;
}

// None, empty, or what a driver leaves behind that is killed before it writes the plan. Else the
// name of what is in it.
static bool is_free(const char *path, char found[256])
{
    struct dirent *entry;
    DIR *folder = opendir(path);
    snprintf(found, 256, "%s", !folder && errno == ENOTDIR ? "a file" : "");
    while (!found[0] && folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        bool counts = strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
                      strcmp(name, "files") != 0 && strncmp(name, "plan.", 5) != 0;
        snprintf(found, 256, "%s", counts ? name : "");
    }
    if (folder)
        closedir(folder);
    return !found[0];
}

static bool complain_of_folder(const char *folder, const char *found)
{
    fprintf(stderr, "perp: %s: there is %s already; a study needs a new or empty folder\n", folder,
            found);
    return false;
}

static bool begin_new(Sweep *sweep, long chunk)
{
    char path[SWEEP_PATH];
    snprintf(path, sizeof path, "%s/", sweep->folder);
    sweep->chunk = chunk > 0 ? chunk : choose_chunk(sweep->info->points);
    if (sweep->chunk > sweep->info->points)
        sweep->chunk = sweep->info->points;
    return make_folders(path) && each_file(sweep, write_file) && write_plan(sweep);
}

bool sweep_begin(Sweep *sweep, const char *study, const char *folder, long chunk)
{
    long points = 0;
    char other[256];
    if (strlen(folder) > LONGEST) {
        errno = ENAMETOOLONG;
        return complain(folder);
    }
    fill_in(sweep, folder);
    if (!read_study(sweep, study, NULL))
        return false;
    bool is_new = is_free(folder, other); // before the plan is looked for: another driver may begin
    bool found = read_plan(sweep, &points), good = false;
    PerpError error = {0};
    if (found)
        good = (points == sweep->info->points && each_file(sweep, has_bytes)) || differs(folder);
    else if (!is_new)
        complain_of_folder(folder, other);
    else if (perp_study_check(sweep->study, &error))
        cli_complain_of_error(&error);
    else
        good = begin_new(sweep, chunk);
    if (!good) {
        sweep_close(sweep);
        return false;
    }
    sweep->n_chunks = (sweep->info->points + sweep->chunk - 1) / sweep->chunk;
    return true;
}

bool sweep_open(Sweep *sweep, const char *folder)
{
    char path[SWEEP_PATH], scene[SWEEP_PATH];
    long points;
    fill_in(sweep, folder);
    if (!read_plan(sweep, &points)) {
        fprintf(stderr, "perp: %s: no folder of a study, as perp sweep STUDY -o DIR makes it\n",
                folder);
        return false;
    }
    sweep_find_path(sweep, sweep->file, path);
    sweep_find_path(sweep, sweep->scene, scene);
    if (!read_study(sweep, path, scene))
        return false;
    if (points != sweep->info->points) {
        fprintf(stderr, "perp: %s: was changed since the study was begun\n", path);
        sweep_close(sweep);
        return false;
    }
    sweep->n_chunks = (points + sweep->chunk - 1) / sweep->chunk;
    return true;
}

void sweep_close(Sweep *sweep)
{
    perp_study_destroy(sweep->study);
    sweep->study = NULL;
}
