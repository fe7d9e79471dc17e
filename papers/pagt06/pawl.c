// Section 10.3: a pawl is pushed into a hole over a cantilever; papers/pagt06/pawl.yaml.
#include "papers/pagt06/entries.h"
#include "papers/pagt06/scene.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 3 };

static double largest(const SceneRun *run)
{
    double most = 0;
    for (int k = 0; k < run->count; k++)
        most = fmax(most, fabs(run->angle[k]));
    return most;
}

static double in_motion(const SceneRun *run)
{
    return run->energy.kinetic + run->energy.spring;
}

static void add_row(Paper *paper, const char *stiffness, const SceneRun *run)
{
    const double row[8] = {strtod(stiffness, NULL), run->x[run->count - 1], largest(run),
                           run->certificate,        run->penetration,       run->energy.scheme,
                           run->energy.work,        in_motion(run)};
    paper_row(paper, row, NULL);
}

void pagt06_pawl(Paper *paper)
{
    static SceneRun run[RUNS];
    static const char *const stiffness[RUNS] = {"2e3", "2e4", "2e9"};
    static const char *const names[RUNS] = {"k = 2e3", "k = 2e4", "k = 2e9"};
    const SceneRun *runs[RUNS];
    const double *x[RUNS], *angle[RUNS];
    static SceneRun printed;
    paper_table(paper, "rows", "k x deflection certificate penetration scheme work energy");
    for (int i = 0; i < RUNS; i++) {
        run[i] = (SceneRun){.name = "pawl", .body = "pawl", .set = {"k", stiffness[i]}};
        if (!pagt06_scene_run(paper, &run[i]))
            return;
        add_row(paper, stiffness[i], &run[i]);
        runs[i] = &run[i];
        x[i] = run[i].x;
        angle[i] = run[i].angle;
    }
    printed = (SceneRun){
        .name = "pawl", .body = "pawl", .set = {"k", stiffness[RUNS - 1]}, .scheme = "trapezoidal"};
    if (!pagt06_scene_run(paper, &printed))
        return;
    paper_table(paper, "as printed", "k x deflection certificate penetration scheme work energy");
    add_row(paper, stiffness[RUNS - 1], &printed);
    pagt06_scene_draw(paper, "position", "pawl (mm)", RUNS, runs, x, names);
    pagt06_scene_draw(paper, "cantilever", "cantilever (rad)", RUNS, runs, angle, names);
    paper_note(paper, "The paper shows a picture; geometry and data are ours "
                      "(papers/pagt06/pawl.yaml), scheme trapezoidal-damped, h = 5e-4; as printed: "
                      "trapezoidal. energy: kinetic and of the cantilever at the end.");
    paper_note(paper, "At k = 2e9 the cantilever swings with h w of about 25 when the pawl hits "
                      "it, which no step of 5e-4 follows. The printed rule keeps that energy in "
                      "motion that alternates from step to step; the damped one takes it out "
                      "itself, more than half of the work done: that is why its ledger is open, "
                      "and why the pawl comes to rest.");
    paper_claim(paper, fabs(run[0].x[run[0].count - 1] - 2.85) < 1e-6 && run[0].speed < 1e-6,
                "a soft cantilever gives way: the pawl comes to rest at the end of the hole");
    paper_claim(paper, run[RUNS - 1].x[run[RUNS - 1].count - 1] < 0,
                "a rigid one holds it back, at x = %.3f mm",
                run[RUNS - 1].x[run[RUNS - 1].count - 1]);
    paper_claim(paper, fabs(printed.energy.scheme) < 1e-9 && in_motion(&printed) > 10,
                "as printed, k = 2e9: the ledger closes to %.1e J, and %.0f J stay in motion",
                fabs(printed.energy.scheme), in_motion(&printed));
    paper_claim(paper,
                run[RUNS - 1].energy.scheme > 0.5 * run[RUNS - 1].energy.work &&
                    in_motion(&run[RUNS - 1]) < 1e-3,
                "damped, k = 2e9: the scheme takes %.0f J of %.0f J, nothing moves at the end",
                run[RUNS - 1].energy.scheme, run[RUNS - 1].energy.work);
    for (int i = 0; i < RUNS; i++)
        paper_claim(paper, run[i].certificate < 1e-9 && run[i].penetration < 1e-9,
                    "%s: every step is certified, nothing overlaps", names[i]);
}
