"""What the tests share. They run from the folder of the sources."""

import pathlib

import matplotlib
import perp
import pytest

matplotlib.use("Agg")
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def in_sources(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def box():
    """A box at rest on the ground."""
    m = perp.Model()
    m.world(perp.Plane())
    m.body(perp.Box(1, 1, 1), at=(0, 0, 0.5), name="box")
    return m


@pytest.fixture
def mixture():
    """A bit of everything: balls that bounce and slide, a pendulum with a motor, a rope."""
    m = perp.Model()
    m.material("default", restitution=0.3)
    m.world(perp.Plane())
    for k in range(4):
        m.body(perp.Sphere(0.1), at=(0.3 * k, 0, 0.3 + 0.1 * k), velocity=(1, 0, 0), name=f"ball-{k}")
    arm = m.body(perp.Capsule(0.05, 0.4), at=(0, 2, 2), name="arm", turn=((0, 1, 0), 1.0))
    m.hinge(None, arm, at=(0, 2, 2.2), axis=(0, 1, 0), name="shoulder", motor_speed=1, motor_force=5)
    bob = m.body(perp.Sphere(0.1), at=(0.5, 2, 1.5), name="bob")
    m.rope(arm, bob, at=(0, 2, 1.8), to=(0.5, 2, 1.5), name="rope")
    return m
