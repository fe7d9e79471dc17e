// Any bytes through the scene reader. It fails with a message and a place, or gives a scene.
#include "io/scene/scene_reader.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PerpScene *scene;
    PerpError error = {0};
    PerpStatus status = perp_scene_parse(NULL, (const char *)data, size, "scenes/examples/fuzz",
                                         NULL, 0, &scene, &error);
    if ((status == PERP_OK) != (scene != NULL))
        abort();
    if (status && (error.message[0] == '\0' || error.line < 1 || error.column < 1))
        abort();
    perp_scene_destroy(scene);
    return 0;
}
