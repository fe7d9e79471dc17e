"""Simulations: views, reports, checkpoints, callbacks, the bits of the program."""

import copy
import pathlib
import pickle
import subprocess
import threading
import time

import numpy as np
import perp
import pytest
from perp._program import PROGRAM

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "scenes"
SCENES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.yaml"))
LARGE = {"pile.yaml"}  # few steps only


def test_arrays_are_views_that_steps_fill(mixture):
    sim = mixture.simulate()
    names = ("positions", "rotations", "velocities", "spins", "coordinates", "q", "v")
    arrays = {name: getattr(sim, name) for name in names}
    before = {name: values.copy() for name, values in arrays.items()}
    sim.step(20)
    for name in names:
        assert getattr(sim, name) is arrays[name]
        assert not np.array_equal(before[name], arrays[name])
        assert not arrays[name].flags.writeable
    twin = mixture.simulate()
    twin.step(20)
    for name in names:
        assert np.array_equal(getattr(twin, name), arrays[name])


def test_names(mixture):
    sim = mixture.simulate()
    assert np.shares_memory(sim.body("bob").position, sim.positions)
    assert sim.body(-1).name == "bob"
    assert sim.body(mixture.bodies.index("arm")).name == "arm"
    assert sim.joint("shoulder").name == "shoulder"


def test_contacts_add_up_to_the_weight(box):
    sim = box.simulate(h=1e-3)
    sim.step(100)
    contacts = sim.contacts
    kept = contacts.copy()
    up = np.where(contacts["body_b"] < 0, 1, -1)[:, None] * contacts["impulse"]
    assert up.sum(axis=0) / sim.h == pytest.approx([0, 0, 9810], abs=1e-3)
    sim.set_velocity("box", velocity=(1, 0, 0))
    sim.step(10)
    for name in perp.CONTACT.names:  # what was given out stays
        assert np.array_equal(kept[name], contacts[name], equal_nan=name == "residual")


def test_report(box):
    sim = box.simulate()
    sim.step(10)
    report = sim.report
    assert report.outcome == "solved"
    assert report.certificate.worst <= 1e-8
    assert report.certificate.worst == max(report.certificate.residual.values())
    assert report.t == sim.t
    assert report.energy.gravity == pytest.approx(1000 * 9.81 * 0.5)
    certificate = sim.report.certificate  # outlives its report
    assert isinstance(certificate.as_dict()["residual"]["momentum"], float)
    assert "outcome='solved'" in repr(report)


@pytest.mark.parametrize("how", [lambda sim: sim.copy(), copy.deepcopy, lambda sim: pickle.loads(pickle.dumps(sim))])
def test_copies_go_on_to_the_same_bits(mixture, how):
    sim = mixture.simulate(h=2e-3)
    sim.step(100)
    other = how(sim)
    sim.step(100)
    other.step(100)
    assert other.t == sim.t
    assert np.array_equal(sim.q, other.q) and np.array_equal(sim.v, other.v)


def test_restore(mixture):
    sim = mixture.simulate()
    positions = sim.positions
    state, before = sim.save(), positions.copy()
    sim.step(50)
    after = positions.copy()
    sim.restore(state)
    assert np.array_equal(positions, before)
    sim.step(50)
    assert np.array_equal(positions, after)


def test_step_in_several_ways(mixture):
    one, other = mixture.simulate(), mixture.simulate()
    for _ in range(30):
        one.step()
    other.step(30)
    assert np.array_equal(one.q, other.q)
    other.step(0)
    other.step(2, h=5e-4)
    assert other.t == pytest.approx(0.031)


def test_force_callback_and_its_exceptions(box):
    calls = []

    def push(t, body, position, rotation):
        calls.append((t, body))
        if t > 0.0097:
            raise ZeroDivisionError("of the callback")
        return (10000.0, 0, 0), (0, 0, 0)

    sim = box.simulate(force=push)
    with pytest.raises(ZeroDivisionError, match="of the callback"):
        sim.step(100)
    assert sim.t == pytest.approx(0.01)
    assert sim.body("box").velocity[0] == pytest.approx((10000 - 0.5 * 9810) / 1000 * 0.01, rel=1e-6)
    assert calls[0] == (pytest.approx(0.0005), 0)  # the middle of the first step


def test_velocities_are_set(box):
    sim = box.simulate()
    view = sim.velocities
    sim.body("box").velocity = (1, 2, 3)
    sim.body("box").spin = (0, 0, 4)
    assert view.tolist() == [[1, 2, 3]] and sim.spins.tolist() == [[0, 0, 4]]
    sim.velocities = [[0, 0, 0]]
    assert view.tolist() == [[0, 0, 0]]


def test_other_threads_run_meanwhile(box):
    m = perp.Model()
    for k in range(200):
        m.body(perp.Sphere(0.1), at=(k, 0, 0.1))
    m.world(perp.Plane())
    sim, counted = m.simulate(), [0]
    worker = threading.Thread(target=lambda: sim.step(300))
    worker.start()
    while worker.is_alive():
        counted[0] += 1
        time.sleep(0)
    assert counted[0] > 10
    assert sim.t == pytest.approx(0.3)


@pytest.mark.parametrize("scene", SCENES)
def test_same_bits_as_the_program(scene, tmp_path):
    m = perp.load(f"scenes/{scene}")
    steps = 3 if scene in LARGE else 40
    run = tmp_path / "run.h5"
    subprocess.run([PROGRAM, "run", f"scenes/{scene}", "-t", repr(steps * m.run.step), "-o", run, "--record", "state"],
                   check=False, capture_output=True)
    sim = m.simulate()
    sim.step(steps)
    with perp.open(run) as recording:
        q, v = recording.state(-1)
        assert recording.info.steps == steps
    assert np.array_equal(q, sim.q) and np.array_equal(v, sim.v)
    m._changed()  # not the scene any more, but its definitions as Python has them
    again = m.simulate()
    again.step(min(steps, 10))
    sim.reset()
    sim.step(min(steps, 10))
    assert again.save() == sim.save()


def test_parameters(tmp_path):
    m = perp.load("scenes/examples/incline.yaml", a="24 deg", side=0.1)
    assert m.masses["block"] == pytest.approx(1)
    assert m.vary({"side": 0.2}).masses["block"] == pytest.approx(8)
    assert pickle.loads(pickle.dumps(m)).masses == m.masses
    with pytest.raises(perp.BadValue, match="sid"):
        perp.load("scenes/examples/incline.yaml", sid=0.1)


def test_papers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "st97-rod" in perp.papers()
    found = perp.paper("ap97-counterexample")
    assert found["name"] == "ap97-counterexample"
    assert list(tmp_path.iterdir()) == []  # it leaves no files
    with pytest.raises(perp.Error, match="st97-rot"):
        perp.paper("st97-rot")


def test_program():
    version = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
    assert perp.__version__ in version


def test_motions_tell_how_far_off_they_begin():
    m = perp.Model()
    m.body(perp.Sphere(0.1), mass=1, name="cart")
    m.body(perp.Sphere(0.1), at=(5, 0, 0), mass=1, name="lift")
    m.slider(None, "cart", axis=(1, 0, 0), name="rail")
    m.actuator("push", "rail", kind="motion", control="0.02 + t")
    m.motion("lift", position=["5", "0", "0.003 + t"])
    sim = m.simulate(overlap="allow")
    off, name = sim.motion_error
    assert name == "push" and abs(off - 0.02) < 1e-12
    sim.step(3)
    assert sim.motion_error[0] < 1e-9
    still = perp.Model()
    still.body(perp.Sphere(0.1))
    assert still.simulate().motion_error == (0.0, None)
    lift = perp.Model()
    lift.body(perp.Sphere(0.1), mass=1, name="other")
    lift.body(perp.Sphere(0.1), at=(5, 0, 0), mass=1, name="lift")
    lift.motion("lift", position=["5", "0", "0.003 + t"])
    off, name = lift.simulate().motion_error
    assert name == "lift" and abs(off - 0.003) < 1e-12
