"""Models of the environments in perp.gym, built of primitives."""

from __future__ import annotations

import math

from .model import Model
from .shapes import Box, Capsule, Plane, Sphere


def cart_pole() -> Model:
    """A pole on a cart on a rail; the control is a force on the cart, at most 10 N."""
    m = Model()
    cart = m.body(Box(0.3, 0.2, 0.1), mass=1, name="cart")
    pole = m.body(Capsule(0.02, 1.0, group=2, mask=4), mass=0.1, at=(0, 0, 0.5), name="pole")
    rail = m.slider(None, cart, axis=(1, 0, 0), name="rail")
    m.hinge(cart, pole, at=(0, 0, 0), axis=(0, 1, 0), name="pin")
    m.actuator("motor", rail, control_lower=-10, control_upper=10)
    return m


def hopper() -> Model:
    """One leg in the plane x z: torso, thigh, shank and foot; the controls are torques, at most 40, 40 and 20 N m."""
    m = Model()
    m.material("rubber", mu=0.9)
    m.world(Plane(), material="rubber")
    parts = {"torso": (Capsule(0.05, 0.4), (0, 0, 1.25), 3.5), "thigh": (Capsule(0.05, 0.45), (0, 0, 0.825), 4.0),
             "shank": (Capsule(0.04, 0.5), (0, 0, 0.35), 2.7),
             "foot": (Capsule(0.06, 0.39, turn=((0, 1, 0), math.pi / 2)), (0.065, 0, 0.1), 5.1)}
    for name, (shape, at, mass) in parts.items():
        m.body(shape, at=at, mass=mass, free="planar-xz", material="rubber", name=name)
    m.hinge("torso", "thigh", at=(0, 0, 1.05), axis=(0, -1, 0), lower=-2.6, upper=0.0, damping=1, name="hip")
    m.hinge("thigh", "shank", at=(0, 0, 0.6), axis=(0, -1, 0), lower=-2.6, upper=0.0, damping=1, name="knee")
    m.hinge("shank", "foot", at=(0, 0, 0.1), axis=(0, -1, 0), lower=-0.8, upper=0.8, damping=1, name="ankle")
    for joint, torque in (("hip", 40), ("knee", 40), ("ankle", 20)):
        m.actuator(f"{joint} motor", joint, control_lower=-1, control_upper=1, gear=torque)
    m.exclude("torso", "shank")
    m.exclude("thigh", "foot")
    m.exclude("torso", "foot")
    return m


def gripper() -> Model:
    """Two fingers on a gantry and a box; the controls are places of the gantry along x and z, and the grip."""
    m = Model()
    m.material("rubber", mu=0.8)
    m.world(Plane(), material="rubber")
    m.body(Box(0.1, 0.1, 0.1), at=(0, 0, 0.2 + 0.55), mass=1, name="carriage")
    m.body(Box(0.1, 0.12, 0.06), at=(0, 0, 0.5), mass=0.5, name="hand")
    for name, side in (("left", -1), ("right", 1)):
        m.body(Box(0.02, 0.06, 0.2), at=(side * 0.06, 0, 0.36), mass=0.1, material="rubber", name=name)
    m.body(Box(0.06, 0.06, 0.06), at=(0.2, 0, 0.03), mass=0.1, material="rubber", name="box")
    m.slider(None, "carriage", axis=(1, 0, 0), lower=-0.5, upper=0.5, name="x")
    m.slider("carriage", "hand", axis=(0, 0, 1), lower=-0.38, upper=0.2, name="z")
    m.slider("hand", "left", axis=(1, 0, 0), lower=-0.02, upper=0.05, name="left slide")
    m.slider("hand", "right", axis=(-1, 0, 0), lower=-0.02, upper=0.05, name="right slide")
    for joint, low, high in (("x", -0.5, 0.5), ("z", -0.38, 0.2)):
        m.actuator(f"{joint} servo", joint, kind="position", kp=2000, kd=100, control_lower=low, control_upper=high)
    for finger in ("left", "right"):
        m.actuator(f"{finger} grip", f"{finger} slide", control_lower=-10, control_upper=10)
        m.exclude("carriage", finger)
    return m


def quadruped() -> Model:
    """A torso on four legs with two joints each; the controls are their angles, reached by servos."""
    m = Model()
    m.material("rubber", mu=0.9)
    m.world(Plane(), material="rubber")
    m.body(Box(0.4, 0.2, 0.1), at=(0, 0, 0.45), mass=8, name="torso", material="rubber")
    for name, x, y in (("front left", 0.17, 0.13), ("front right", 0.17, -0.13), ("hind left", -0.17, 0.13),
                       ("hind right", -0.17, -0.13)):
        thigh, shank = f"{name} thigh", f"{name} shank"
        m.body(Capsule(0.025, 0.18, group=2, mask=1), at=(x, y, 0.35), mass=0.5, name=thigh)
        m.body(Capsule(0.02, 0.16, group=2, mask=1), Sphere(0.03, at=(0, 0, -0.1), group=2, mask=1), at=(x, y, 0.15),
               mass=0.3, name=shank, material="rubber")
        m.hinge("torso", thigh, at=(x, y, 0.45), axis=(0, 1, 0), lower=-1.2, upper=1.2, name=f"{name} hip")
        m.hinge(thigh, shank, at=(x, y, 0.25), axis=(0, 1, 0), lower=-1.5, upper=1.5, name=f"{name} knee")
        for joint in ("hip", "knee"):
            m.actuator(f"{name} {joint} servo", f"{name} {joint}", kind="position", kp=60, kd=2, control_lower=-1,
                       control_upper=1, force_lower=-30, force_upper=30)
    return m
