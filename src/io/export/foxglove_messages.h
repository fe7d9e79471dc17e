// Foxglove's schemas and messages as JSON.
#ifndef PERP_IO_EXPORT_FOXGLOVE_MESSAGES_H
#define PERP_IO_EXPORT_FOXGLOVE_MESSAGES_H

#include "base/text.h"
#include "io/export/export.h"

typedef enum PerpTopic {
    PERP_TOPIC_TRANSFORMS, // foxglove.FrameTransforms: where the bodies are
    PERP_TOPIC_SHAPES,     // foxglove.SceneUpdate, once
    PERP_TOPIC_CONTACTS,   // foxglove.SceneUpdate: arrows
    PERP_TOPIC_STEP,       // perp.Step: every series
    PERP_TOPIC_COUNT
} PerpTopic;

typedef struct PerpTopicDef {
    const char *topic, *schema_name, *schema;
} PerpTopicDef;

extern const PerpTopicDef perp_topics[PERP_TOPIC_COUNT];

typedef struct PerpMessages {
    PerpExport *x;
    const char *root; // frame of the world
    double *series;   // owned: frames of each series that was recorded, one after the other
    int n_series;
    int *which;   // owned: of perp_recording_series_name
    double arrow; // m for 1 N s
} PerpMessages;

PerpStatus perp_messages_create(PerpExport *x, PerpMessages *messages, PerpError *error);
void perp_messages_free(PerpMessages *messages);

// Adds the message of a topic at the k-th chosen frame to the text.
PerpStatus perp_messages_write(PerpMessages *messages, PerpTopic topic, long k, PerpText *text,
                               PerpError *error);

#endif
