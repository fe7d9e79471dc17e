// Simulations: creation, the step loop around a scheme, and what can be asked.

#include "step/step.h"

#include "base/error.h"
#include "lcp/solver.h"

#include <math.h>
#include <string.h>

static const PerpScheme *const schemes[] = {&perp_scheme_default, &perp_scheme_anitescu_potra};
enum { SCHEMES = sizeof schemes / sizeof *schemes, ROOM = 4 << 20 };

int perp_scheme_count(void)
{
    return SCHEMES;
}

const char *perp_scheme_name(int scheme)
{
    return scheme >= 0 && scheme < SCHEMES ? schemes[scheme]->name : "?";
}

const char *perp_scheme_text(int scheme)
{
    return scheme >= 0 && scheme < SCHEMES ? schemes[scheme]->text : "?";
}

PerpSimulationSettings perp_default_simulation_settings(void)
{
    return (PerpSimulationSettings){.scheme = "default",
                                    .step = 1e-3,
                                    .facets = 8,
                                    .tolerance = 1e-9,
                                    .restitution_threshold = 1e-3};
}

// --- creation -----------------------------------------------------------------------------------

static PerpStatus check_settings(const PerpSimulationSettings *s, PerpError *error)
{
    if (!(isfinite(s->step) && s->step > 0))
        return perp_fail(error, PERP_BAD_VALUE, "the step is %g s, not > 0", s->step);
    if (s->facets < 4 || s->facets > 64 || s->facets % 2)
        return perp_fail(error, PERP_BAD_VALUE, "facets is %d, not an even number in 4 .. 64",
                         s->facets);
    if (!(s->tolerance > 0))
        return perp_fail(error, PERP_BAD_VALUE, "the tolerance is %g, not > 0", s->tolerance);
    if (!(s->restitution_threshold >= 0))
        return perp_fail(error, PERP_BAD_VALUE, "restitution_threshold is %g m/s, not >= 0",
                         s->restitution_threshold);
    return PERP_OK;
}

static const PerpScheme *find_scheme(const char *name)
{
    for (int i = 0; i < SCHEMES; i++)
        if (strcmp(name, schemes[i]->name) == 0)
            return schemes[i];
    return NULL;
}

static bool take_state(const PerpSimulation *sim, PerpState *state)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    size_t joints = (size_t)(sim->model->n_joints * PERP_JOINT_COORDINATES);
    state->pose = perp_allocate(allocator, (size_t)sim->model->n_bodies, sizeof(PerpPose));
    state->v = perp_allocate(allocator, (size_t)sim->rigid.n_v, sizeof(double));
    state->turn = perp_allocate(allocator, joints, sizeof(double));
    return state->pose && state->v && state->turn;
}

static void free_state(const PerpSimulation *sim, PerpState *state)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    perp_free(allocator, state->pose);
    perp_free(allocator, state->v);
    perp_free(allocator, state->turn);
}

static void copy_state(const PerpSimulation *sim, const PerpState *from, PerpState *to)
{
    size_t joints = (size_t)(sim->model->n_joints * PERP_JOINT_COORDINATES);
    to->t = from->t;
    memcpy(to->pose, from->pose, (size_t)sim->model->n_bodies * sizeof(PerpPose));
    memcpy(to->v, from->v, (size_t)sim->rigid.n_v * sizeof(double));
    memcpy(to->turn, from->turn, joints * sizeof(double));
}

static bool has_restitution(const PerpModel *model)
{
    for (int i = 0; i < model->n_materials * model->n_materials; i++)
        if (model->surfaces[i].restitution > 0)
            return true;
    for (int j = 0; j < model->n_joints; j++) {
        if (model->joints[j].restitution > 0)
            return true;
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            if (model->joints[j].axis[k].restitution > 0)
                return true;
    }
    return false;
}

static void set_start(PerpSimulation *sim)
{
    for (int b = 0; b < sim->model->n_bodies; b++) {
        const PerpBody *body = &sim->model->bodies[b];
        sim->state.pose[b] = body->pose;
        perp_rigid_set_twist(&sim->rigid, b, (PerpTwist){body->velocity, body->spin}, sim->state.v);
    }
    for (int s = 0; s < sim->model->n_shapes; s++) {
        const PerpModelShape *shape = &sim->model->shapes[s];
        if (shape->body >= 0)
            sim->radius[shape->body] =
                fmax(sim->radius[shape->body],
                     perp_vec3_norm(shape->pose.position) + shape->shape.radius);
    }
    sim->bouncy = has_restitution(sim->model);
    sim->start_energy = perp_energy_stored(sim);
}

// Room ahead, so that a scene that slowly gathers contacts asks for memory rarely: address space,
// not memory, until it is used.
static bool reserve(PerpArena *arena, size_t bytes)
{
    bool taken = perp_arena_take(arena, bytes, 1) != NULL;
    perp_arena_rewind(arena);
    return taken;
}

static bool take_memory(PerpSimulation *sim)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    size_t bodies = (size_t)sim->model->n_bodies;
    sim->trial = perp_allocate(allocator, bodies, sizeof(PerpPose));
    sim->radius = perp_allocate(allocator, bodies, sizeof(double));
    sim->external = perp_allocate(allocator, (size_t)sim->rigid.n_v, sizeof(double));
    sim->scratch = perp_allocate(allocator, (size_t)sim->rigid.n_v, sizeof(double));
    sim->turn_there = perp_allocate(
        allocator, (size_t)(sim->model->n_joints * PERP_JOINT_COORDINATES), sizeof(double));
    return sim->trial && sim->radius && sim->external && sim->scratch && sim->turn_there &&
           take_state(sim, &sim->state) && take_state(sim, &sim->before) &&
           !perp_contact_finder_create(&sim->context, sim->model, &sim->finder) &&
           !perp_solver_create(&sim->context, &sim->solver) && reserve(&sim->arena, ROOM) &&
           reserve(&sim->solver->arena, ROOM);
}

PerpStatus perp_simulation_create(const PerpContext *context, const PerpModel *model,
                                  const PerpSimulationSettings *settings,
                                  PerpSimulation **simulation, PerpError *error)
{
    PerpContext used = context ? *context : perp_default_context();
    PerpSimulationSettings set = settings ? *settings : perp_default_simulation_settings();
    const PerpScheme *scheme = find_scheme(set.scheme ? set.scheme : "");
    PerpStatus status = check_settings(&set, error);
    *simulation = NULL;
    if (!status && !scheme)
        status = perp_fail(error, PERP_BAD_VALUE, "there is no scheme \"%s\"", set.scheme);
    if (status)
        return status;
    PerpSimulation *sim = perp_allocate(&used.allocator, 1, sizeof *sim);
    if (!sim)
        return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    *sim = (PerpSimulation){.context = used, .model = model, .settings = set, .scheme = scheme};
    perp_arena_init(&sim->arena, &sim->context.allocator);
    status = perp_rigid_create(model, &sim->rigid, error);
    if (!status && !take_memory(sim))
        status = perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    if (status) {
        perp_simulation_destroy(sim);
        return status;
    }
    set_start(sim);
    *simulation = sim;
    return PERP_OK;
}

void perp_simulation_destroy(PerpSimulation *sim)
{
    if (!sim)
        return;
    PerpAllocator allocator = sim->context.allocator;
    free_state(sim, &sim->state);
    free_state(sim, &sim->before);
    perp_free(&allocator, sim->trial);
    perp_free(&allocator, sim->radius);
    perp_free(&allocator, sim->external);
    perp_free(&allocator, sim->scratch);
    perp_free(&allocator, sim->turn_there);
    for (int i = 0; i < 3; i++) {
        perp_free(&allocator, sim->bases[i].kept);
        perp_free(&allocator, sim->bases[i].basis);
    }
    perp_free(&allocator, sim->contacts);
    perp_free(&allocator, sim->next_contacts);
    perp_contact_finder_destroy(sim->finder);
    perp_solver_destroy(sim->solver);
    perp_rigid_free(&sim->rigid);
    perp_arena_free(&sim->arena);
    perp_free(&allocator, sim);
}

// --- stepping -----------------------------------------------------------------------------------

static void begin_report(PerpSimulation *sim)
{
    PerpEnergy energy = sim->report.energy;
    sim->report = (PerpStepReport){.outcome = PERP_LCP_SOLVED, .energy = energy};
}

// The contacts of the step at hand become those that can be asked for.
static void show_contacts(PerpSimulation *sim)
{
    PerpContactReport *contacts = sim->contacts;
    int room = sim->contact_room;
    sim->contacts = sim->next_contacts;
    sim->contact_room = sim->next_contact_room;
    sim->n_contacts = sim->n_next_contacts;
    sim->next_contacts = contacts;
    sim->next_contact_room = room;
    sim->n_next_contacts = 0;
}

PerpStatus perp_simulation_step(PerpSimulation *sim, double h, PerpError *error)
{
    PerpStepReport report = sim->report;
    double length = h > 0 ? h : sim->settings.step;
    perp_arena_rewind(&sim->arena);
    copy_state(sim, &sim->state, &sim->before);
    begin_report(sim);
    sim->bases_in_use = sim->bases_of_step;
    sim->bases[sim->bases_of_step].next = 0;
    PerpStatus status = PERP_OK;
    if (sim->rigid.n_bodies > 0)
        status = sim->scheme->step(sim, length, error);
    else
        sim->state.t += length; // nothing can move
    if (status) {
        copy_state(sim, &sim->before, &sim->state);
        sim->report = report;
        return status;
    }
    show_contacts(sim);
    sim->bases_of_step = sim->bases_in_use;
    sim->report.t = sim->state.t;
    sim->report.h = length;
    perp_energy_close(sim);
    return PERP_OK;
}

// atan2 jumps by a whole turn where the angle does not
void perp_step_count_turns(const PerpModel *model, const PerpPose *from, const PerpPose *to,
                           double *turn)
{
    const double pi = 3.14159265358979323846;
    PerpJointRow row;
    for (int j = 0; j < model->n_joints; j++)
        for (int k = 0; k < perp_joint_table(model->joints[j].kind)->coordinates; k++) {
            double change =
                perp_joint_value(model, to, j, k, &row) - perp_joint_value(model, from, j, k, &row);
            bool angle = perp_joint_table(model->joints[j].kind)->angles >> k & 1;
            if (angle && fabs(change) > pi)
                turn[PERP_JOINT_COORDINATES * j + k] -= copysign(2 * pi, change);
        }
}

const double *perp_step_turns_at(PerpSimulation *sim, const PerpPose *pose)
{
    size_t count = (size_t)(sim->model->n_joints * PERP_JOINT_COORDINATES);
    memcpy(sim->turn_there, sim->state.turn, count * sizeof(double));
    perp_step_count_turns(sim->model, sim->state.pose, pose, sim->turn_there);
    return sim->turn_there;
}

// --- questions ----------------------------------------------------------------------------------

double perp_simulation_time(const PerpSimulation *sim)
{
    return sim->state.t;
}

const PerpStepReport *perp_simulation_report(const PerpSimulation *sim)
{
    return &sim->report;
}

void perp_simulation_pose(const PerpSimulation *sim, int body, double position[3],
                          double rotation[4])
{
    perp_rigid_user_pose(&sim->rigid, sim->state.pose, body, position, rotation);
}

// v_origin = v_centre - w x R centre
void perp_simulation_velocity(const PerpSimulation *sim, int body, double velocity[3],
                              double spin[3])
{
    PerpPose pose = sim->state.pose[body];
    PerpTwist twist = perp_rigid_twist(&sim->rigid, sim->state.v, body);
    PerpVec3 w = perp_quat_rotate(pose.rotation, twist.angular);
    PerpVec3 arm = perp_quat_rotate(pose.rotation, sim->model->bodies[body].centre);
    perp_vec3_store(perp_vec3_sub(twist.linear, perp_vec3_cross(w, arm)), velocity);
    perp_vec3_store(w, spin);
}

void perp_simulation_set_velocity(PerpSimulation *sim, int body, const double velocity[3],
                                  const double spin[3])
{
    PerpPose pose = sim->state.pose[body];
    PerpVec3 w = perp_vec3_load(spin);
    PerpVec3 arm = perp_quat_rotate(pose.rotation, sim->model->bodies[body].centre);
    PerpTwist twist = {perp_vec3_add(perp_vec3_load(velocity), perp_vec3_cross(w, arm)),
                       perp_quat_rotate_back(pose.rotation, w)};
    sim->start_energy -= perp_rigid_kinetic(&sim->rigid, sim->state.v);
    perp_rigid_set_twist(&sim->rigid, body, twist, sim->state.v);
    sim->start_energy += perp_rigid_kinetic(&sim->rigid, sim->state.v); // neither work nor loss
}

void perp_simulation_momentum(const PerpSimulation *sim, int body, double linear[3],
                              double angular[3])
{
    const PerpBody *b = &sim->model->bodies[body];
    PerpTwist twist = perp_rigid_twist(&sim->rigid, sim->state.v, body);
    PerpVec3 L = perp_mat3_times(b->inertia, twist.angular);
    perp_vec3_store(perp_vec3_scale(b->mass, twist.linear), linear);
    perp_vec3_store(perp_quat_rotate(sim->state.pose[body].rotation, L), angular);
}

double perp_simulation_coordinate(const PerpSimulation *sim, int joint, int coordinate)
{
    PerpJointRow row;
    return perp_joint_value(sim->model, sim->state.pose, joint, coordinate, &row) +
           sim->state.turn[PERP_JOINT_COORDINATES * joint + coordinate];
}

int perp_simulation_contacts(const PerpSimulation *sim)
{
    return sim->n_contacts;
}

PerpContactReport perp_simulation_contact(const PerpSimulation *sim, int contact)
{
    return sim->contacts[contact];
}
