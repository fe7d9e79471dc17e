"""Acting and measuring, against closed forms."""

import pickle

import numpy as np
import perp
import pytest
from perp import robots


@pytest.fixture
def cart():
    """2 kg on a rail with a motor, and what it measures."""
    m = perp.Model()
    m.body(perp.Box(1, 1, 1), mass=2, name="cart")
    m.slider(None, "cart", axis=(1, 0, 0), name="rail")
    m.actuator("motor", "rail")
    m.site("corner", "cart", at=(0.5, 0, 0))
    m.sensor("speed", "joint-speed", "rail")
    m.sensor("felt", "accelerometer", "corner")
    m.sensor("load", "joint-force", "rail")
    return m


def test_controls_and_sensors(cart):
    sim = cart.simulate()
    sensors, controls = sim.sensors, sim.controls
    controls[0] = 6
    sim.step(500)
    assert sim.controls is controls and sim.sensors is sensors
    assert sim.sensor("speed")[0] == pytest.approx(1.5, rel=1e-12)
    assert sim.sensor("felt") == pytest.approx([3, 0, 9.81], abs=1e-6)
    assert sim.sensor("load") == pytest.approx([0, 0, 2 * 9.81], abs=1e-6)
    assert sim.reaction("rail")[0] == pytest.approx([0, 0, 2 * 9.81], abs=1e-6)
    assert sim.actuator_force("motor") == 6
    sim.reset()
    assert sim.t == 0 and sim.sensor("speed")[0] == 0 and controls[0] == 0
    sim.set_control("motor", -2)
    assert controls[0] == -2
    sim.step(1000)
    assert sim.speeds[0, 0] == pytest.approx(-1)


def test_servo_and_expression():
    m = perp.Model(gravity=(0, 0, -10))
    m.body(perp.Box(1, 1, 1), mass=2, name="lift")
    m.slider(None, "lift", axis=(0, 0, 1), name="z")
    m.signal("goal", [(0, 0), (1, 0.5)])
    m.signal("push", 0.0)
    m.actuator("servo", "z", kind="position", kp=1000, kd=100, control="goal")
    m.actuator("feed", "z", control="push + 0*t")
    sim = m.simulate()
    assert np.isnan(sim.controls).all()  # both follow signals
    sim.run(3)
    assert sim.joint("z").coordinate == pytest.approx(0.5 - 20 / 1000, abs=1e-6)  # static error: load / kp
    sim.set_input("push", 20)
    sim.run(3)
    assert sim.joint("z").coordinate == pytest.approx(0.5, abs=1e-6)
    assert sim.signal("goal") == pytest.approx(0.5)


def test_control_callback(cart):
    seen = []

    def hold(sim):
        seen.append((sim.t, sim.speeds[0, 0]))
        sim.set_control("motor", 10 * (1 - sim.speeds[0, 0]))
        with pytest.raises(perp.Busy):
            sim.step()
        with pytest.raises(perp.Busy):
            sim.restore(b"")

    sim = cart.simulate(control=hold)
    sim.step(2000)
    assert len(seen) == 2000 and seen[-1][0] == pytest.approx(1.999)
    assert sim.speeds[0, 0] == pytest.approx(1, abs=1e-3)
    sim.copy().step()

    def wrong(sim):
        raise ZeroDivisionError

    sim = cart.simulate(control=wrong)
    with pytest.raises(ZeroDivisionError):
        sim.step(1000)
    assert sim.t == pytest.approx(1e-3)  # that step is finished, and no other begun


def test_setters(cart):
    sim = cart.simulate()
    sim.set_coordinate("rail", 0.5, speed=2)
    assert sim.joint("rail").coordinate == pytest.approx(0.5) and sim.joint("rail").speed == pytest.approx(2)
    free = perp.Model(gravity=(0, 0, 0))
    free.body(perp.Sphere(0.5), name="ball", mass=3)
    sim = free.simulate()
    sim.set_pose("ball", (1, 2, 3), (0, 0, 0, 2))
    assert sim.positions.tolist() == [[1, 2, 3]] and sim.rotations.tolist() == [[0, 0, 0, 1]]
    sim.set_wrench("ball", force=(3, 0, 0))
    sim.set_gravity((0, 0, -1))
    sim.run(1)
    assert sim.body("ball").velocity == pytest.approx([1, 0, -1])
    assert sim.cast_ray((1.5, 2, 10), (0, 0, -1))[1] == "ball"
    assert sim.cast_ray((50, 0, 0), (0, 0, 1)) is None
    assert sim.distance("ball", None) == np.inf
    J = sim.jacobian("ball", sim.body("ball").position)
    assert (J @ sim.v)[:3] == pytest.approx(sim.body("ball").velocity)
    assert sim.mass_product(sim.v)[:3] == pytest.approx(3 * sim.body("ball").velocity)


@pytest.mark.parametrize("wrong", [
    lambda s: s.set_control("moter", 1), lambda s: s.set_control("motor", np.nan), lambda s: s.set_control(1, 1),
    lambda s: s.set_coordinate("rail", np.inf), lambda s: s.set_coordinate("rail", 0, coordinate=7),
    lambda s: s.set_pose("cart", (1, 2)), lambda s: s.set_pose("cart", quaternion=(0, 0, 0, 0)),
    lambda s: s.set_gravity((0, 0, np.nan)), lambda s: s.set_wrench("cart", (1, 2)), lambda s: s.set_input("x", 1),
    lambda s: s.sensor("sped"), lambda s: s.sensor(17), lambda s: setattr(s, "controls", [1, 2]),
    lambda s: s.cast_ray((0, 0), (1, 0, 0)), lambda s: s.mass_product([1]), lambda s: s.jacobian("cart", "x"),
    lambda s: s.actuator_force(-3), lambda s: (s.controls.__setitem__(0, np.inf), s.step()),
    lambda s: s.model.actuator("a", "rale"), lambda s: s.model.actuator("a", "rail", kind="force-ful"),
    lambda s: s.model.sensor("s", "joint-speed"), lambda s: s.model.sensor("s", "joint-sped", "rail"),
    lambda s: s.model.signal("s", [(1, 2, 3)]), lambda s: s.model.motion("cart", position=["t"]),
    lambda s: (m := s.model.copy(), m.signal("s", "2*"), m.simulate()),
    lambda s: (m := s.model.copy(), m.signal("s", "rail.sped"), m.simulate()),
])
def test_misuse(cart, wrong):
    sim = cart.simulate()
    with pytest.raises((TypeError, ValueError, KeyError, IndexError)) as raised:
        wrong(sim)
    assert str(raised.value)


def test_batch_with_controls_has_the_bits_of_one(cart):
    random = np.random.default_rng(0)
    controls = random.normal(size=(5, 20, 1))
    runs = perp.rollout(cart, 5, controls, every=3)
    assert runs["sensors"].shape == (5, 20, 7)
    for k in range(5):
        sim = cart.simulate()
        for row in range(20):
            sim.controls[:] = controls[k, row]
            sim.step(3)
            assert np.array_equal(sim.sensors, runs["sensors"][k, row])
            assert np.array_equal(sim.q, runs["q"][k, row])


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_batches_have_the_same_bits(mixture, threads):
    speeds = np.linspace(0, 2, 6)
    vary = {"ball-0.velocity": [(v, 0, 0) for v in speeds], "ball-1.mass": 1 + speeds, "default.mu": speeds,
            "ball-2.size": 0.05 + 0.02 * speeds, "arm.size": [(0.05, 0.3 + 0.1 * v) for v in speeds]}
    batch = perp.Batch(mixture, 6, threads=threads, vary=vary, h=2e-3)
    batch.step(100)
    for k in range(6):
        alone = mixture.vary({name: values[k] for name, values in vary.items()}).simulate(h=2e-3)
        alone.step(100)
        assert np.array_equal(alone.q, batch.q[k]) and np.array_equal(alone.positions, batch.positions[k])
        assert np.array_equal(batch.simulation(k).q, alone.q)
    again = pickle.loads(pickle.dumps(batch))
    again.step(10)
    batch.step(10)
    assert np.array_equal(again.q, batch.q)
    batch.reset()
    assert (batch.t == 0).all()


def test_one_that_fails_does_not_stop_the_rest(cart):
    batch = perp.Batch(cart, 4)
    batch.controls[:] = 1
    batch.controls[2] = np.inf
    batch.step(300)
    assert list(batch.failed) == [2] and isinstance(batch.failed[2], perp.Error)
    assert batch.t.tolist() == pytest.approx([0.3, 0.3, 0, 0.3])
    batch.step(10)
    batch.controls[2] = 1
    batch.reset([2])
    batch.step(10)
    assert batch.t.tolist() == pytest.approx([0.32, 0.32, 0.01, 0.32])
    runs = batch.rollout(4, controls=np.full((4, 4, 1), [[[1]], [[1]], [[np.inf]], [[1]]]))
    assert np.isnan(runs["t"][2]).all() and np.isfinite(runs["t"][[0, 1, 3]]).all()


@pytest.mark.parametrize("build", [robots.cart_pole, robots.hopper, robots.gripper, robots.quadruped])
def test_robots_are_certified(build):
    sim = build().simulate(h=2e-3)
    random = np.random.default_rng(3)
    for _ in range(25):
        sim.controls[:] = random.uniform(-1, 1, len(sim.controls))
        sim.step(4)
        assert sim.report.outcome == "solved"
        assert sim.report.joint_gap < 1e-4
