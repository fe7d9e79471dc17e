// What a benchmark ran on, read from the system.
#include "common/machine.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

void bench_read_cpu(char text[BENCH_TEXT])
{
    strcpy(text, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[BENCH_TEXT];
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        strcpy(text, colon + 2);
        break;
    }
    if (file)
        fclose(file);
}

void bench_read_date(char text[BENCH_TEXT])
{
    time_t now = time(NULL);
    struct tm parts;
    strftime(text, BENCH_TEXT, "%Y-%m-%d", gmtime_r(&now, &parts));
}

FILE *bench_open_result(const char *directory, const char *name, const char *extension)
{
    char date[BENCH_TEXT], path[1024];
    bench_read_date(date);
    snprintf(path, sizeof path, "%s/%s-%s.%s", directory, name, date, extension);
    mkdir(directory, 0777);
    FILE *file = fopen(path, "w");
    fprintf(stderr, file ? "written: %s\n" : "cannot write %s\n", path);
    return file;
}
