// Checkpoints: the state, the energy ledger, the island cache and the contacts of the last step, as
// bytes. The contact search has no memory that its results depend on.
//
//     head | q | v | turn | cached islands | their solutions | their bases | contacts | limits |
//     controls | applied wrenches | friction: mu and mu_second of each pair of materials

#include "step/control/controls.h"
#include "step/scheme_tools.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { VERSION = 5, SCHEME_SIZE = 32, ENERGIES = sizeof(PerpEnergy) / sizeof(double) };
static const char MARK[8] = "perpstat";

typedef struct Head {
    char mark[8];
    char scheme[SCHEME_SIZE];
    int32_t version;
    int32_t n_q, n_v, n_turn;
    int32_t n_islands, n_basis, n_solution; // islands, and numbers of their bases and solutions
    int32_t n_contacts, n_limits;
    int32_t held, halvings;
    int32_t n_controls, n_wrench, n_friction;
    double t, h, cached, longest, start_energy, largest_energy;
    PerpEnergy energy;
    PerpRunLedger run;
} Head;

typedef struct SavedIsland {
    uint64_t layout, problem;
    int32_t basis_size, n_solution;
} SavedIsland;

typedef struct SavedContact {
    uint64_t id;
    int32_t body[2], shape[2];
    int64_t status;
    double point[3], normal[3], impulse[3], velocity[3], gap, mu;
} SavedContact;

typedef struct SavedLimit {
    uint64_t id;
    int64_t joint;
    double impulse;
} SavedLimit;

static size_t size_of(const Head *head)
{
    size_t doubles =
        (size_t)head->n_q + (size_t)head->n_v + (size_t)head->n_turn + (size_t)head->n_solution;
    return sizeof *head + doubles * sizeof(double) + (size_t)head->n_islands * sizeof(SavedIsland) +
           (size_t)head->n_basis + (size_t)head->n_contacts * sizeof(SavedContact) +
           (size_t)head->n_limits * sizeof(SavedLimit) +
           ((size_t)head->n_controls + (size_t)head->n_wrench + (size_t)head->n_friction) *
               sizeof(double);
}

// --- saving -------------------------------------------------------------------------------------

static int friction_numbers(const PerpSimulation *sim)
{
    const PerpModel *model = sim->bodies.model;
    return model ? 2 * model->n_materials * model->n_materials : 0;
}

static Head describe(const PerpSimulation *sim)
{
    const PerpIslandCache *cache = &sim->caches.cache[sim->caches.of_step];
    Head head = {.version = VERSION,
                 .n_q = sim->n_q,
                 .n_v = sim->n_v,
                 .n_turn = sim->n_turn,
                 .n_islands = cache->count,
                 .n_basis = cache->n_basis,
                 .n_solution = cache->n_solution,
                 .n_contacts = sim->contacts.last.n_contacts,
                 .n_limits = sim->contacts.last.n_limits,
                 .held = sim->state.held,
                 .halvings = sim->state.halvings,
                 .n_controls = sim->controls.n_numbers,
                 .n_wrench = sim->controls.wrench ? 6 * sim->bodies.model->n_bodies : 0,
                 .n_friction = sim->controls.has_friction ? friction_numbers(sim) : 0,
                 .t = sim->state.t,
                 .h = sim->state.h,
                 .cached = sim->state.cached,
                 .longest = sim->state.longest,
                 .start_energy = sim->ledger.start,
                 .largest_energy = sim->ledger.largest,
                 .energy = sim->report.energy,
                 .run = sim->run};
    memcpy(head.mark, MARK, sizeof MARK);
    strncpy(head.scheme, sim->scheme->name, SCHEME_SIZE - 1);
    return head;
}

size_t perp_simulation_state_size(const PerpSimulation *sim)
{
    Head head = describe(sim);
    return size_of(&head);
}

static void put(char **to, const void *from, size_t size)
{
    if (size > 0)
        memcpy(*to, from, size);
    *to += size;
}

static void put_contact(char **to, const PerpContactReport *c)
{
    SavedContact saved = {.id = c->id,
                          .body = {c->body_a, c->body_b},
                          .shape = {c->shape_a, c->shape_b},
                          .status = c->status,
                          .gap = c->gap,
                          .mu = c->mu};
    memcpy(saved.point, c->point, sizeof saved.point);
    memcpy(saved.normal, c->normal, sizeof saved.normal);
    memcpy(saved.impulse, c->impulse, sizeof saved.impulse);
    memcpy(saved.velocity, c->velocity, sizeof saved.velocity);
    put(to, &saved, sizeof saved);
}

void perp_simulation_save(const PerpSimulation *sim, void *bytes)
{
    const PerpIslandCache *cache = &sim->caches.cache[sim->caches.of_step];
    Head head = describe(sim);
    char *to = bytes;
    put(&to, &head, sizeof head);
    put(&to, sim->state.q, (size_t)sim->n_q * sizeof(double));
    put(&to, sim->state.v, (size_t)sim->n_v * sizeof(double));
    put(&to, sim->state.turn, (size_t)sim->n_turn * sizeof(double));
    for (int k = 0; k < cache->count; k++) {
        const PerpCachedIsland *island = &cache->island[k];
        SavedIsland saved = {island->layout, island->problem, island->basis_size,
                             island->n_solution};
        put(&to, &saved, sizeof saved);
    }
    put(&to, cache->solution, (size_t)cache->n_solution * sizeof(double));
    put(&to, cache->basis, (size_t)cache->n_basis);
    for (int k = 0; k < sim->contacts.last.n_contacts; k++)
        put_contact(&to, &sim->contacts.last.contacts[k]);
    for (int k = 0; k < sim->contacts.last.n_limits; k++) {
        const PerpLimitReport *limit = &sim->contacts.last.limits[k];
        SavedLimit saved = {limit->id, limit->joint, limit->impulse};
        put(&to, &saved, sizeof saved);
    }
    put(&to, sim->controls.numbers, (size_t)head.n_controls * sizeof(double));
    put(&to, sim->controls.wrench, (size_t)head.n_wrench * sizeof(double));
    for (int k = 0; k < head.n_friction / 2; k++) {
        const double mu[2] = {sim->bodies.model->surfaces[k].mu,
                              sim->bodies.model->surfaces[k].mu_second};
        put(&to, mu, sizeof mu);
    }
}

// --- checking -----------------------------------------------------------------------------------

static PerpStatus refuse(PerpError *error, const char *what)
{
    return perp_fail(error, PERP_BAD_VALUE, "the checkpoint is damaged: %s", what);
}

static bool are_finite(const char *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double number;
        memcpy(&number, bytes + k * sizeof number, sizeof number);
        if (!isfinite(number))
            return false;
    }
    return true;
}

static PerpStatus check_head(const PerpSimulation *sim, const void *bytes, size_t size, Head *head,
                             PerpError *error)
{
    if (size < sizeof *head || memcmp(bytes, MARK, sizeof MARK) != 0)
        return perp_fail(error, PERP_BAD_SYNTAX, "not a checkpoint");
    memcpy(head, bytes, sizeof *head);
    head->scheme[SCHEME_SIZE - 1] = '\0';
    if (head->version != VERSION)
        return perp_fail(error, PERP_NOT_SUPPORTED, "a checkpoint of version %d, this perp has %d",
                         (int)head->version, VERSION);
    if (strcmp(head->scheme, sim->scheme->name) != 0)
        return perp_fail(error, PERP_BAD_VALUE, "a checkpoint of the scheme %s, not %s",
                         head->scheme, sim->scheme->name);
    int n_wrench = sim->bodies.model ? 6 * sim->bodies.model->n_bodies : 0;
    if (head->n_q != sim->n_q || head->n_v != sim->n_v || head->n_turn != sim->n_turn ||
        head->n_controls != sim->controls.n_numbers ||
        (head->n_wrench != 0 && head->n_wrench != n_wrench) ||
        (head->n_friction != 0 && head->n_friction != friction_numbers(sim)))
        return perp_fail(error, PERP_BAD_SIZE, "a checkpoint of another model");
    if (head->n_islands < 0 || head->n_basis < 0 || head->n_solution < 0 || head->n_contacts < 0 ||
        head->n_limits < 0 || head->held < 0 || head->halvings < 0 ||
        head->halvings > PERP_MOST_HALVINGS || size != size_of(head))
        return refuse(error, "its sizes do not fit");
    if (!isfinite(head->t) || !isfinite(head->h) || !isfinite(head->start_energy) ||
        !(head->cached >= 0 && head->longest >= 0) || !isfinite(head->cached + head->longest) ||
        !isfinite(head->largest_energy) || !are_finite((const char *)&head->energy, ENERGIES) ||
        !are_finite((const char *)&head->run, sizeof head->run / sizeof(double)))
        return refuse(error, "its time or energy is not finite");
    return PERP_OK;
}

static bool are_rotations(const PerpSimulation *sim, const char *q)
{
    for (int b = 0; sim->bodies.model && b < sim->bodies.model->n_bodies; b++) {
        PerpPose pose;
        memcpy(&pose, q + (size_t)b * sizeof pose, sizeof pose);
        PerpQuat r = pose.rotation;
        if (!(fabs(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z - 1) < 1e-6))
            return false;
    }
    return true;
}

static bool are_bases(const Head *head, const char *saved, const char *basis)
{
    int64_t rest = head->n_basis, rest_of_solution = head->n_solution;
    for (int k = 0; k < head->n_islands; k++) {
        SavedIsland one;
        memcpy(&one, saved + (size_t)k * sizeof one, sizeof one);
        if (one.basis_size < 0 || one.n_solution <= 0)
            return false;
        rest -= one.basis_size;
        rest_of_solution -= one.n_solution;
    }
    for (int k = 0; k < head->n_basis; k++)
        if (basis[k] != 0 && basis[k] != 1)
            return false;
    return rest == 0 && rest_of_solution == 0;
}

static bool is_index(int index, int count)
{
    return index >= -1 && index < count;
}

// In order of their ids, as they are searched for.
static bool are_contacts(const PerpSimulation *sim, const char *saved, int count)
{
    int bodies = sim->bodies.model ? sim->bodies.model->n_bodies : 0;
    int shapes = sim->bodies.model ? sim->bodies.model->n_shapes : 0;
    uint64_t last = 0;
    for (int k = 0; k < count; k++) {
        SavedContact c;
        memcpy(&c, saved + (size_t)k * sizeof c, sizeof c);
        if ((k > 0 && c.id < last) || !is_index(c.body[0], bodies) ||
            !is_index(c.body[1], bodies) || !is_index(c.shape[0], shapes) ||
            !is_index(c.shape[1], shapes) || c.status < 0 ||
            c.status >= PERP_CONTACT_STATUS_COUNT || !are_finite((const char *)c.point, 14))
            return false;
        last = c.id;
    }
    return true;
}

static bool are_limits(const PerpSimulation *sim, const char *saved, int count)
{
    for (int k = 0; k < count; k++) {
        SavedLimit limit;
        memcpy(&limit, saved + (size_t)k * sizeof limit, sizeof limit);
        if (limit.joint < -1 || limit.joint > INT32_MAX || !isfinite(limit.impulse) ||
            (sim->bodies.model && limit.joint >= sim->bodies.model->n_joints))
            return false;
    }
    return true;
}

// Where the sections begin.
typedef struct Sections {
    const char *q, *v, *turn, *islands, *solution, *basis, *contacts, *limits, *controls, *wrench;
    const char *friction;
} Sections;

static Sections find_sections(const Head *head, const char *bytes)
{
    Sections sections;
    sections.q = bytes + sizeof *head;
    sections.v = sections.q + (size_t)head->n_q * sizeof(double);
    sections.turn = sections.v + (size_t)head->n_v * sizeof(double);
    sections.islands = sections.turn + (size_t)head->n_turn * sizeof(double);
    sections.solution = sections.islands + (size_t)head->n_islands * sizeof(SavedIsland);
    sections.basis = sections.solution + (size_t)head->n_solution * sizeof(double);
    sections.contacts = sections.basis + head->n_basis;
    sections.limits = sections.contacts + (size_t)head->n_contacts * sizeof(SavedContact);
    sections.controls = sections.limits + (size_t)head->n_limits * sizeof(SavedLimit);
    sections.wrench = sections.controls + (size_t)head->n_controls * sizeof(double);
    sections.friction = sections.wrench + (size_t)head->n_wrench * sizeof(double);
    return sections;
}

static bool are_frictions(const Head *head, const char *saved)
{
    for (int k = 0; k < head->n_friction / 2; k++) {
        double mu;
        memcpy(&mu, saved + 2 * (size_t)k * sizeof mu, sizeof mu);
        if (!(mu >= 0))
            return false;
    }
    return true;
}

static PerpStatus check_sections(const PerpSimulation *sim, const Head *head,
                                 const Sections *sections, PerpError *error)
{
    size_t doubles = (size_t)head->n_q + (size_t)head->n_v + (size_t)head->n_turn;
    if (!are_finite(sections->q, doubles))
        return refuse(error, "its state is not finite");
    if (!are_rotations(sim, sections->q))
        return refuse(error, "a rotation is not a unit quaternion");
    if (!are_bases(head, sections->islands, sections->basis) ||
        !are_finite(sections->solution, (size_t)head->n_solution))
        return refuse(error, "its bases do not fit");
    if (!are_contacts(sim, sections->contacts, head->n_contacts) ||
        !are_limits(sim, sections->limits, head->n_limits))
        return refuse(error, "its contacts do not fit");
    if (!are_finite(sections->controls,
                    (size_t)head->n_controls + (size_t)head->n_wrench + (size_t)head->n_friction))
        return refuse(error, "its controls are not finite");
    if (!are_frictions(head, sections->friction))
        return refuse(error, "a coefficient of friction is negative");
    return PERP_OK;
}

// --- restoring ----------------------------------------------------------------------------------

static bool make_all_room(PerpSimulation *sim, const Head *head)
{
    const PerpAllocator *allocator = &sim->context.allocator;
    PerpIslandCache *cache = &sim->caches.cache[0];
    PerpReports *reports = &sim->contacts.last;
    void *island = cache->island, *basis = cache->basis, *solution = cache->solution;
    void *contacts = reports->contacts, *limits = reports->limits;
    bool ok = perp_make_room(allocator, &island, &cache->island_room, head->n_islands,
                             sizeof *cache->island) &&
              perp_make_room(allocator, &basis, &cache->basis_room, head->n_basis, 1) &&
              perp_make_room(allocator, &solution, &cache->solution_room, head->n_solution,
                             sizeof *cache->solution) &&
              perp_make_room(allocator, &contacts, &reports->contact_room, head->n_contacts,
                             sizeof *reports->contacts) &&
              perp_make_room(allocator, &limits, &reports->limit_room, head->n_limits,
                             sizeof *reports->limits);
    cache->island = island;
    cache->basis = basis;
    cache->solution = solution;
    reports->contacts = contacts;
    reports->limits = limits;
    return ok;
}

static void get_islands(PerpIslandCache *cache, const Head *head, const Sections *sections)
{
    perp_island_cache_clear(cache);
    cache->count = head->n_islands;
    for (int k = 0; k < head->n_islands; k++) {
        SavedIsland saved;
        memcpy(&saved, sections->islands + (size_t)k * sizeof saved, sizeof saved);
        cache->island[k] =
            (PerpCachedIsland){saved.layout,     saved.problem,     cache->n_basis,
                               saved.basis_size, cache->n_solution, saved.n_solution};
        cache->n_basis += saved.basis_size;
        cache->n_solution += saved.n_solution;
    }
    if (head->n_basis > 0)
        memcpy(cache->basis, sections->basis, (size_t)head->n_basis);
    if (head->n_solution > 0)
        memcpy(cache->solution, sections->solution, (size_t)head->n_solution * sizeof(double));
}

static void get_contact(const char *bytes, PerpContactReport *c)
{
    SavedContact saved;
    memcpy(&saved, bytes, sizeof saved);
    *c = (PerpContactReport){.id = saved.id,
                             .body_a = saved.body[0],
                             .body_b = saved.body[1],
                             .shape_a = saved.shape[0],
                             .shape_b = saved.shape[1],
                             .gap = saved.gap,
                             .mu = saved.mu,
                             .status = (PerpContactStatus)saved.status};
    memcpy(c->point, saved.point, sizeof saved.point);
    memcpy(c->normal, saved.normal, sizeof saved.normal);
    memcpy(c->impulse, saved.impulse, sizeof saved.impulse);
    memcpy(c->velocity, saved.velocity, sizeof saved.velocity);
}

static void get_reports(PerpReports *reports, const Head *head, const Sections *sections)
{
    reports->n_contacts = head->n_contacts;
    reports->n_limits = head->n_limits;
    for (int k = 0; k < head->n_contacts; k++)
        get_contact(sections->contacts + (size_t)k * sizeof(SavedContact), &reports->contacts[k]);
    for (int k = 0; k < head->n_limits; k++) {
        SavedLimit saved;
        memcpy(&saved, sections->limits + (size_t)k * sizeof saved, sizeof saved);
        reports->limits[k] = (PerpLimitReport){saved.id, (int)saved.joint, saved.impulse};
    }
}

static void get_doubles(double *to, const char *from, int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

static void restore_friction(PerpSimulation *sim, const Head *head, const char *saved)
{
    const PerpModel *given = sim->bodies.given;
    sim->controls.has_friction = head->n_friction > 0;
    for (int k = 0; given && k < given->n_materials * given->n_materials; k++) {
        PerpSurface *surface = &sim->bodies.own.surfaces[k];
        double mu[2];
        *surface = given->surfaces[k];
        if (head->n_friction == 0)
            continue;
        memcpy(mu, saved + (size_t)k * sizeof mu, sizeof mu);
        surface->mu = mu[0];
        surface->mu_second = mu[1];
        if (mu[1] < 0)
            surface->axis = (PerpVec3){0, 0, 0};
    }
}

// The last that may fail: nothing is changed then.
static bool restore_controls(PerpSimulation *sim, const Head *head, const Sections *sections)
{
    PerpControls *c = &sim->controls;
    double *wrench = NULL;
    if (head->n_wrench > 0) {
        wrench = perp_allocate(&sim->context.allocator, (size_t)head->n_wrench, sizeof *wrench);
        if (!wrench)
            return false;
        get_doubles(wrench, sections->wrench, head->n_wrench);
    }
    perp_free(&sim->context.allocator, c->wrench);
    c->wrench = wrench;
    get_doubles(c->numbers, sections->controls, head->n_controls);
    if (sim->bodies.model)
        sim->bodies.rigid.gravity = perp_vec3_load(c->gravity);
    restore_friction(sim, head, sections->friction);
    perp_presence_apply(sim);
    return true;
}

PerpStatus perp_simulation_restore(PerpSimulation *sim, const void *bytes, size_t size,
                                   PerpError *error)
{
    Head head;
    PerpStatus status = check_head(sim, bytes, size, &head, error);
    if (status)
        return status;
    Sections sections = find_sections(&head, bytes);
    status = check_sections(sim, &head, &sections, error);
    if (status)
        return status;
    if (!make_all_room(sim, &head) || !restore_controls(sim, &head, &sections))
        return perp_fail_memory(error);
    sim->state.t = head.t;
    sim->state.h = head.h;
    sim->state.held = head.held;
    sim->state.halvings = head.halvings;
    sim->state.cached = head.cached;
    sim->state.longest = head.longest;
    get_doubles(sim->state.q, sections.q, head.n_q);
    get_doubles(sim->state.v, sections.v, head.n_v);
    get_doubles(sim->state.turn, sections.turn, head.n_turn);
    sim->caches.of_step = 0; // as at the beginning: the same steps use the same memory again
    sim->sleep.ready = false;
    perp_arena_rewind(&sim->arena);
    get_islands(&sim->caches.cache[0], &head, &sections);
    get_reports(&sim->contacts.last, &head, &sections);
    sim->ledger.start = head.start_energy;
    sim->ledger.largest = head.largest_energy;
    sim->run = head.run;
    sim->report = (PerpStepReport){.t = head.t, .substeps = 1, .energy = head.energy};
    return PERP_OK;
}
