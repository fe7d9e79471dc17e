// The states of a recording, with a simulation of its scene.
#include "check/states.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static PerpStatus make_simulation(CheckStates *states, PerpError *error)
{
    states->settings = perp_recording_settings(states->recording);
    PerpStatus status = perp_recording_scene(states->recording, &states->scene, error);
    if (!status)
        status =
            perp_model_create(NULL, perp_scene_model_def(states->scene), &states->model, error);
    if (!status)
        status = perp_simulation_create(NULL, states->model, &states->settings, &states->simulation,
                                        error);
    return status;
}

static bool take_memory(CheckStates *states)
{
    states->n_coordinates = perp_recording_has(states->recording, "coordinate")
                                ? perp_model_joint_count(states->model) * PERP_JOINT_COORDINATES
                                : 0;
    states->q = calloc((size_t)states->n_q + 1, sizeof(double));
    states->v = calloc((size_t)states->n_v + 1, sizeof(double));
    states->q_old = calloc((size_t)states->n_q + 1, sizeof(double));
    states->v_old = calloc((size_t)states->n_v + 1, sizeof(double));
    states->coordinates = calloc((size_t)states->n_coordinates + 1, sizeof(double));
    return states->q && states->v && states->q_old && states->v_old && states->coordinates;
}

PerpStatus check_states_open(CheckStates *states, PerpRecording *recording, PerpError *error)
{
    int stored_q, stored_v;
    *states = (CheckStates){.recording = recording};
    PerpStatus status = make_simulation(states, error);
    if (status)
        return status;
    perp_simulation_q(states->simulation, &states->n_q);
    perp_simulation_v(states->simulation, &states->n_v);
    perp_recording_state_size(recording, &stored_q, &stored_v);
    if (!take_memory(states))
        return error->status = PERP_NO_MEMORY;
    status = perp_recording_journal(recording, &states->journal, &states->n_journal, error);
    if (status)
        return status;
    if (states->n_q == stored_q && states->n_v == stored_v)
        return PERP_OK;
    snprintf(error->message, sizeof error->message,
             "the scene has other bodies than the recording");
    return error->status = PERP_BAD_SIZE;
}

void check_states_close(CheckStates *states)
{
    perp_simulation_destroy(states->simulation);
    perp_model_destroy(states->model);
    perp_scene_destroy(states->scene);
    free(states->q);
    free(states->v);
    free(states->q_old);
    free(states->v_old);
    free(states->coordinates);
}

PerpStatus check_states_unturned(CheckStates *states, long frame, bool *unturned, PerpError *error)
{
    const double half_turn = 3.14159;
    PerpStatus status = PERP_OK;
    *unturned = perp_model_joint_count(states->model) == 0 || states->n_coordinates > 0;
    if (states->n_coordinates > 0)
        status =
            perp_recording_coordinates(states->recording, frame, 1, states->coordinates, error);
    for (int k = 0; !status && k < states->n_coordinates; k++)
        *unturned = *unturned && fabs(states->coordinates[k]) < half_turn;
    return status;
}

PerpStatus check_states_follow(CheckStates *states, long frame, bool *gives, PerpError *error)
{
    double number;
    long from = states->at;
    *gives = false;
    if (states->n_journal == 0)
        return PERP_OK;
    PerpStatus status =
        perp_recording_series(states->recording, "step/number", frame, 1, &number, error);
    if (!status)
        status =
            perp_simulation_follow_journal(states->simulation, states->journal, states->n_journal,
                                           (long)number - 1, &states->at, error);
    if (!status)
        *gives = perp_journal_gives(states->journal, from, states->at);
    return status;
}
