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

void pagt06_pawl(Paper *paper)
{
    static SceneRun run[RUNS];
    static const char *const stiffness[RUNS] = {"2e3", "2e4", "2e9"};
    static const char *const names[RUNS] = {"k = 2e3", "k = 2e4", "k = 2e9"};
    const SceneRun *runs[RUNS];
    const double *x[RUNS], *angle[RUNS];
    paper_table(paper, "rows", "k x deflection certificate penetration balance");
    for (int i = 0; i < RUNS; i++) {
        run[i] = (SceneRun){.name = "pawl", .body = "pawl", .set = {"k", stiffness[i]}};
        if (!pagt06_scene_run(paper, &run[i]))
            return;
        const double row[6] = {strtod(stiffness[i], NULL), run[i].x[run[i].count - 1],
                               largest(&run[i]),           run[i].certificate,
                               run[i].penetration,         run[i].balance};
        paper_row(paper, row, NULL);
        runs[i] = &run[i];
        x[i] = run[i].x;
        angle[i] = run[i].angle;
    }
    pagt06_scene_draw(paper, "position", "pawl (mm)", RUNS, runs, x, names);
    pagt06_scene_draw(paper, "cantilever", "cantilever (rad)", RUNS, runs, angle, names);
    paper_note(paper, "The paper shows a picture; geometry and data are ours "
                      "(papers/pagt06/pawl.yaml), scheme trapezoidal-damped, h = 5e-4.");
    paper_claim(paper, fabs(run[0].x[run[0].count - 1] - 2.85) < 1e-6 && run[0].speed < 1e-6,
                "a soft cantilever gives way: the pawl comes to rest at the end of the hole");
    paper_claim(paper, run[RUNS - 1].x[run[RUNS - 1].count - 1] < 0,
                "a rigid one holds it back, at x = %.3f mm",
                run[RUNS - 1].x[run[RUNS - 1].count - 1]);
    for (int i = 0; i < RUNS; i++)
        paper_claim(paper, run[i].certificate < 1e-9 && run[i].penetration < 1e-9,
                    "%s: every step is certified, nothing overlaps", names[i]);
}
