"""Models built in code: what they compile to, against closed forms."""

import pickle

import numpy as np
import perp
import pytest
from perp._native import ffi, lib


def test_masses_of_shapes():
    m = perp.Model()
    m.body(perp.Box(1, 2, 3), name="box", density=10)
    m.body(perp.Sphere(0.5), name="ball")
    m.body(perp.Cylinder(0.5, 2), name="can")
    m.body(perp.Capsule(0.5, 2), name="pill")
    m.body(perp.Ellipsoid(1, 2, 3), name="egg")
    m.body(perp.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), name="corner")
    m.body(perp.Box(1, 1, 1), perp.Box(1, 1, 1, at=(2, 0, 0), density=3), name="two", mass=4)
    m.body(perp.Box(1, 1, 1), free="fixed", name="post")
    expected = {"box": 60, "ball": 1000 * np.pi / 6, "can": 500 * np.pi, "pill": 500 * np.pi + 1000 * np.pi / 6,
                "egg": 8000 * np.pi, "corner": 1000 / 6, "two": 4, "post": 1000}
    assert m.masses == pytest.approx(expected, rel=1e-12)


def test_free_fall_is_exact():
    m = perp.Model(gravity=(0, 0, -10))
    m.body(perp.Sphere(0.1), at=(1, 2, 3), velocity=(4, 0, 5), name="ball")
    sim = m.simulate(h=0.01)
    sim.step(100)
    assert sim.body("ball").position == pytest.approx([5, 2, 3 + 5 - 5], abs=1e-9)
    assert sim.body("ball").velocity == pytest.approx([4, 0, -5], abs=1e-9)


def test_block_on_incline_by_closed_form():
    mu, angle, h, steps = 0.3, 0.5, 1e-3, 400
    m = perp.Model()
    m.material("wood", mu=mu)
    m.world(perp.Plane((np.sin(angle), 0, np.cos(angle))), material="wood")
    m.body(perp.Box(0.2, 0.2, 0.1), at=0.05 * np.array([np.sin(angle), 0, np.cos(angle)]),
           turn=((0, 1, 0), angle), material="wood", name="block")
    sim = m.simulate(h=h)
    sim.step(steps)
    speed = 9.81 * (np.sin(angle) - mu * np.cos(angle)) * h * steps
    assert np.linalg.norm(sim.body("block").velocity) == pytest.approx(speed, rel=1e-6)
    assert set(sim.contacts["status"]) == {perp.ContactStatus.SLIP}


def every_joint():
    m = perp.Model(gravity=(0, 0, 0))
    arms = [m.body(perp.Box(0.1, 0.1, 0.1), at=(0, k, 0), name=f"b{k}") for k in range(9)]
    m.ball(None, arms[0], at=(0, 0, 1), name="ball")
    first = m.hinge(None, arms[1], at=(0, 1, 0), axis=(0, 0, 1), name="hinge", motor_speed=1, motor_force=10)
    m.slider(None, arms[2], axis=(1, 0, 0), name="slider", lower=-1, upper=1)
    m.universal(None, arms[3], at=(0, 3, 0), axis=(0, 1, 0), second_axis=(1, 0, 0), name="universal",
                first=perp.Axis(friction=0.1))
    m.cylindrical(None, arms[4], at=(0, 4, 0), second=perp.Axis(motor_speed=2, motor_force=1), name="cylindrical")
    m.weld(None, arms[5], name="weld")
    m.distance(None, arms[6], at=(0, 6, 1), to=(0, 6, 0), name="distance")
    m.point_on_plane(None, arms[7], at=(0, 7, 0), name="plane")
    other = m.hinge(None, arms[8], at=(0, 8, 0), axis=(0, 0, 1), name="other")
    m.coupling(first, other, ratio=(1, 2), name="gears")
    m.spring("b7", "world", at=(0, 7, 0), to=(1, 7, 0), stiffness=3, damping=1, rest=0.5)
    m.force("b0", force=(0, 0, 1), torque=(0, 1, 0), end=0.5)
    m.exclude("b0", "b1")
    m.material("ice", mu=0)
    m.pair("default", "ice", mu=0.1)
    return m


def test_every_joint():
    m = every_joint()
    sim = m.simulate()
    sim.step(1000)
    assert m.joints == ["ball", "hinge", "slider", "universal", "cylindrical", "weld", "distance", "plane", "other",
                        "gears"]
    assert sim.joint("hinge").coordinate == pytest.approx(1, abs=1e-2)
    assert sim.joint("other").coordinate == pytest.approx(-0.5, abs=1e-2)
    assert sim.coordinates[m.joints.index("cylindrical"), 1] == pytest.approx(2, abs=1e-2)
    assert sim.body("b5").position == pytest.approx([0, 5, 0], abs=1e-9)
    assert sim.report.joint_gap < 1e-6


def test_every_kind_of_joint_has_a_function():
    kinds = [ffi.string(lib.perp_joint_kind_name(kind)).decode() for kind in range(lib.PERP_JOINT_KIND_COUNT)]
    assert [kind for kind in kinds if not hasattr(perp.Model, kind.replace("-", "_"))] == []


def test_planar_and_fixed():
    m = perp.Model()
    m.body(perp.Sphere(0.1), free="planar-xz", velocity=(0, 0, 1), name="disc")
    m.body(perp.Sphere(0.1), at=(1, 0, 0), free=["x", "rotation-y"], name="cart")
    m.body(perp.Sphere(0.1), at=(2, 0, 0), free=0, name="post")
    sim = m.simulate()
    sim.step(10)
    assert len(sim.v) == 3 + 2
    assert sim.body("cart").position == pytest.approx([1, 0, 0])
    assert sim.body("post").position == pytest.approx([2, 0, 0])


def test_pickle_keeps_the_model(mixture):
    again = pickle.loads(pickle.dumps(mixture)).simulate()
    sim = mixture.simulate()
    sim.step(50)
    again.step(50)
    assert np.array_equal(sim.q, again.q)


def test_vary(mixture):
    other = mixture.vary({"ball-0.mass": 2, "ball-1.size": 0.2, "shoulder.motor_force": 0, "default.mu": 0.1})
    assert other.masses["ball-0"] == pytest.approx(2)
    assert other.masses["ball-1"] == pytest.approx(8 * mixture.masses["ball-1"])
    assert other.simulate().joint("shoulder").coordinate == 0
    with pytest.raises(KeyError, match="ball-0"):
        mixture.vary({"ball-O.mass": 2})
    with pytest.raises(KeyError, match="mass"):
        mixture.vary({"ball-0.mas": 2})


def test_a_loaded_scene_can_be_changed():
    m = perp.load("scenes/stack.yaml")
    bodies = len(m.bodies)
    m.body(perp.Sphere(0.2), at=(3, 0, 1), name="visitor")
    sim = m.simulate()
    sim.step(5)
    assert len(sim.positions) == bodies + 1
    assert sim.h == m.run.step
    assert pickle.loads(pickle.dumps(m)).bodies == m.bodies
