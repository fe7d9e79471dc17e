// The scenes of scenes/demo, which are part of the program; cmake/embed_scenes.cmake writes the
// table.
#ifndef PERP_CLI_DEMO_H
#define PERP_CLI_DEMO_H

typedef struct DemoScene {
    const char *name, *text;
} DemoScene;

extern const DemoScene demo_scenes[]; // ended by one without name

#endif
