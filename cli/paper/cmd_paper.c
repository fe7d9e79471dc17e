// perp paper: the tables, figures and worked examples of the papers, beside what they print.
#include "common/support.h"
#include "paper/paper.h"

#include "perp/words.h"

#include <string.h>

enum { MAX_NAMES = 256 };

static const char USAGE[] = "perp paper [NAME|KEY|all] [-o DIR] [--json]";
static const char FOLDER[] = "perp-papers";

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp paper                            the papers and the names of their entries\n"
        "  perp paper ap97-counterexample        one entry\n"
        "  perp paper ap97                       all entries of a paper\n"
        "  perp paper all -o results             all there are, files into results/\n"
        "  perp paper ap97-lemma-3.1 --json      for a script to read\n"
        "\n"
        "usage: %s\n"
        "\n"
        "Each entry is computed anew and printed beside the numbers of the paper, with relative\n"
        "differences, and its claims are tested. The tables are written as CSV and the figures\n"
        "as SVG.\n"
        "\n"
        "  -o DIR    folder of the files, made if it is not there (default ./%s)\n"
        "  --json    one JSON object; of several entries, a list of them\n"
        "\n"
        "Exit: 0 ok, 1 an entry could not be computed, 2 usage, 3 files cannot be written,\n"
        "      5 a claim failed\n",
        USAGE, FOLDER);
    return CLI_OK;
}

static CliExit print_list(void)
{
    for (int s = 0; s < paper_source_count; s++) {
        const PaperSource *source = &paper_sources[s];
        printf("%s%s  %s (%d):\n        %s\n", s ? "\n" : "", source->key, source->authors,
               source->year, source->title);
        for (const PaperEntry *entry = source->entries; entry->name; entry++)
            printf("  %-28s %s\n", entry->name, entry->text);
    }
    return CLI_OK;
}

// --- choosing -----------------------------------------------------------------------------------

// Is the entry asked for: by its name, its paper's key, or all.
static bool is_chosen(const PaperSource *source, const PaperEntry *entry, const char *name)
{
    return strcmp(name, "all") == 0 || strcmp(name, source->key) == 0 ||
           strcmp(name, entry->name) == 0;
}

static int choose(const char *name, const PaperEntry **chosen)
{
    int count = 0;
    for (int s = 0; s < paper_source_count; s++)
        for (const PaperEntry *entry = paper_sources[s].entries; entry->name; entry++)
            if (is_chosen(&paper_sources[s], entry, name) && count < MAX_NAMES)
                chosen[count++] = entry;
    return count;
}

static CliExit complain_of_name(const char *name)
{
    const PaperEntry *all[MAX_NAMES];
    const char *names[MAX_NAMES + 1];
    int count = choose("all", all);
    for (int k = 0; k < count; k++)
        names[k] = all[k]->name;
    names[count] = "all";
    fprintf(stderr,
            "perp: there is no entry %s; did you mean %s? perp paper lists them\nusage: %s\n", name,
            perp_nearest_word(name, names, count + 1), USAGE);
    return CLI_USAGE;
}

// --- running ------------------------------------------------------------------------------------

static CliExit report(const PaperEntry *entry, const Paper *paper, const char *folder, bool json)
{
    if (json)
        paper_print_json(stdout, entry, paper);
    else
        paper_print_text(stdout, entry, paper);
    if (!paper_write_files(folder, entry, paper))
        return CLI_BAD_INPUT;
    return paper_failed_claims(paper) > 0 ? CLI_MISMATCH : CLI_OK;
}

static CliExit run_entry(const PaperEntry *entry, const char *folder, bool json)
{
    Paper *paper = paper_create();
    CliExit code = CLI_FAILED;
    if (!paper) {
        fprintf(stderr, "perp: %s: out of memory\n", entry->name);
        return CLI_FAILED;
    }
    entry->run(paper);
    if (paper_failed(paper)) {
        fprintf(stderr, "perp: %s could not be computed\n", entry->name);
        cli_complain_of_error(&paper->error);
        if (json)
            paper_print_failure_json(stdout, entry, paper);
    } else {
        code = report(entry, paper, folder, json);
    }
    paper_destroy(paper);
    return code;
}

static CliExit run_entries(const PaperEntry **entries, int count, const char *folder, bool json)
{
    CliExit worst = CLI_OK;
    const char *separator = "";
    if (json && count > 1)
        putchar('[');
    for (int k = 0; k < count; k++) {
        fputs(separator, stdout);
        CliExit code = run_entry(entries[k], folder, json);
        separator = json ? ",\n" : "\n";
        if (worst == CLI_OK || code == CLI_FAILED)
            worst = code;
    }
    if (json)
        puts(count > 1 ? "]" : "");
    else
        printf("\nfiles in %s\n", folder);
    return worst;
}

CliExit cmd_paper(int argc, char **argv)
{
    bool help = false, json = false;
    const char *name = NULL, *folder = FOLDER;
    const PaperEntry *chosen[MAX_NAMES];
    const CliOption options[] = {
        {"--help", &help, NULL}, {"--json", &json, NULL}, {"-o", NULL, &folder}};
    if (cli_parse(argc, argv, options, 3, &name, 1, USAGE) < 0)
        return CLI_USAGE;
    if (help)
        return print_help();
    if (!name)
        return print_list();
    int count = choose(name, chosen);
    return count > 0 ? run_entries(chosen, count, folder, json) : complain_of_name(name);
}
