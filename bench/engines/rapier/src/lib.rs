//! Rapier behind a few C functions, in single precision with default settings; bodies never sleep.
//! Their caller is bench/engines/engine_rapier.c.
use rapier3d::prelude::*;

pub struct World {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    ground: RigidBodyHandle,
}

fn vector(x: &[f64; 3]) -> Vector {
    Vector::new(x[0] as Real, x[1] as Real, x[2] as Real)
}

// w x y z
fn rotation(q: &[f64; 4]) -> Rotation {
    Rotation::from_xyzw(q[1] as Real, q[2] as Real, q[3] as Real, q[0] as Real)
}

fn shape(kind: i32, size: &[f64; 3]) -> ColliderBuilder {
    let s = vector(size);
    match kind {
        0 => ColliderBuilder::ball(s.x),
        1 => ColliderBuilder::cuboid(s.x, s.y, s.z),
        _ => ColliderBuilder::capsule_z(s.y, s.x),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn perp_rapier_create(dt: f64) -> *mut World {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -9.81);
    world.integration_parameters.dt = dt as Real;
    let ground = world.insert_body(RigidBodyBuilder::fixed());
    Box::into_raw(Box::new(World { world, bodies: Vec::new(), ground }))
}

/// # Safety
/// world is one of perp_rapier_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn perp_rapier_destroy(world: *mut World) {
    drop(unsafe { Box::from_raw(world) });
}

#[unsafe(no_mangle)]
pub extern "C" fn perp_rapier_add_body(
    w: &mut World,
    kind: i32,
    size: &[f64; 3],
    position: &[f64; 3],
    turn: &[f64; 4],
    mass: f64,
    inertia: &[f64; 3],
    mu: f64,
    touching: bool,
) {
    let properties = MassProperties::new(Vector::ZERO, mass as Real, vector(inertia));
    let body = RigidBodyBuilder::dynamic()
        .pose(Pose::from_parts(vector(position), rotation(turn)))
        .additional_mass_properties(properties)
        .can_sleep(false);
    let groups = if touching { InteractionGroups::all() } else { InteractionGroups::none() };
    let collider =
        shape(kind, size).density(0.0).friction(mu as Real).collision_groups(groups);
    w.bodies.push(w.world.insert(body, collider).0);
}

/// The half space normal . x <= offset.
#[unsafe(no_mangle)]
pub extern "C" fn perp_rapier_add_plane(w: &mut World, normal: &[f64; 3], offset: f64, mu: f64) {
    let n = vector(normal);
    let plane = ColliderBuilder::halfspace(rapier3d::na::Unit::new_unchecked(n))
        .translation(n * offset as Real)
        .friction(mu as Real);
    w.world.insert_collider(plane, Some(w.ground));
}

/// A ball joint; a = -1: the world.
#[unsafe(no_mangle)]
pub extern "C" fn perp_rapier_add_joint(
    w: &mut World,
    a: i32,
    b: i32,
    anchor_a: &[f64; 3],
    anchor_b: &[f64; 3],
) {
    let first = if a < 0 { w.ground } else { w.bodies[a as usize] };
    let joint = SphericalJointBuilder::new()
        .local_anchor1(vector(anchor_a))
        .local_anchor2(vector(anchor_b))
        .contacts_enabled(false);
    w.world.insert_impulse_joint(first, w.bodies[b as usize], joint);
}

#[unsafe(no_mangle)]
pub extern "C" fn perp_rapier_step(w: &mut World) {
    w.world.step();
}

/// Position, rotation (w x y z), velocity and spin of body k.
#[unsafe(no_mangle)]
pub extern "C" fn perp_rapier_pose(w: &World, k: i32, to: &mut [f64; 13]) {
    let body = &w.world.bodies[w.bodies[k as usize]];
    let (x, q, v, s) = (body.translation(), body.rotation(), body.linvel(), body.angvel());
    let all = [
        x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, s.x, s.y, s.z,
    ];
    for i in 0..13 {
        to[i] = all[i] as f64;
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn perp_rapier_contacts(w: &World) -> i32 {
    w.world
        .contact_pairs()
        .flat_map(|pair| pair.manifolds())
        .map(|manifold| manifold.data.solver_contacts.len() as i32)
        .sum()
}
