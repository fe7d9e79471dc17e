// Section 10.3: a four-wheeled rover with an arm on rough ground; papers/pagt06/rover.yaml.
#include "papers/pagt06/entries.h"
#include "papers/pagt06/scene.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 2 };

void pagt06_rover(Paper *paper)
{
    static SceneRun run[RUNS];
    static const char *const stiffness[RUNS] = {"2e4", "2e9"};
    static const char *const names[RUNS] = {"k = 2e4 N/m", "k = 2e9 N/m"};
    paper_table(paper, "rows", "k travel certificate joint_gap penetration balance problems");
    for (int i = 0; i < RUNS; i++) {
        run[i] = (SceneRun){.name = "rover", .body = "chassis", .set = {"k", stiffness[i]}};
        if (!pagt06_scene_run(paper, &run[i]))
            return;
        const double row[7] = {strtod(stiffness[i], NULL),
                               run[i].x[run[i].count - 1],
                               run[i].certificate,
                               run[i].joint_gap,
                               run[i].penetration,
                               run[i].balance,
                               run[i].problems};
        paper_row(paper, row, NULL);
    }
    const SceneRun *const runs[RUNS] = {&run[0], &run[1]};
    pagt06_scene_draw(paper, "height", "height of the chassis (m)", RUNS, runs,
                      (const double *const[]){run[0].z, run[1].z}, names);
    pagt06_scene_draw(paper, "way", "way of the chassis (m)", RUNS, runs,
                      (const double *const[]){run[0].x, run[1].x}, names);
    paper_note(paper, "The paper shows a picture; geometry and data are ours "
                      "(papers/pagt06/rover.yaml), scheme trapezoidal-damped, h = 2e-3.");
    for (int i = 0; i < RUNS; i++) {
        double travel = run[i].x[run[i].count - 1];
        paper_claim(paper, travel > 1, "%s: the rover crosses the ridges, %.2f m in 3 s", names[i],
                    travel);
        paper_claim(paper,
                    run[i].certificate < 1e-9 && run[i].joint_gap < 1e-9 &&
                        run[i].penetration < 1e-9,
                    "%s: every step is certified, joints and contacts hold", names[i]);
    }
}
