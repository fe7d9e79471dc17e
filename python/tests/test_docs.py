"""The programs of the README and of docs/python.md run and print what is said."""

import contextlib
import io
import pathlib
import re

import numpy as np
import perp
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)


def run(program, **names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "docs", "exec"), {"perp": perp, "np": np, **names})
    return printed.getvalue().strip()


def test_readme():
    (program,) = blocks("README.md")
    assert f"It prints `{run(program)}`." in (ROOT / "README.md").read_text()


def test_page(tmp_path, monkeypatch, box):
    hello, acting, recordings, many, gym, problems = blocks("docs/python.md")
    assert "solved" in run(hello)
    box.body(perp.Box(0.1, 0.1, 1), at=(3, 0, 1), name="arm")
    box.body(perp.Box(0.1, 0.1, 1), at=(3, 0, 2), name="hand")
    box.hinge(None, "arm", at=(3, 0, 0.5), axis=(0, 1, 0), name="hinge")
    box.hinge("arm", "hand", at=(3, 0, 1.5), axis=(0, 1, 0), name="elbow")
    definitions = [line for line in acting.splitlines() if line.startswith(("m.actuator", "m.si", "m.sensor"))]
    uses = [line for line in acting.splitlines() if line.startswith("sim.")]
    run("\n".join(definitions), m=box)
    run("\n".join([*uses, acting.splitlines()[-1] + ".step()"]), m=box, sim=box.simulate())
    monkeypatch.chdir(tmp_path)
    run(recordings, sim=box.simulate())
    run(many.replace("1000", "8"), m=box, masses=np.linspace(1, 2, 8))
    pytest.importorskip("gymnasium")
    run(gym)
    monkeypatch.chdir(ROOT)
    names = {"M": np.eye(2), "q": -np.ones(2), "M1": np.eye(2), "M2": np.eye(1), "b": [1, 0, -1], "D": [[1, 0, 0]],
             "q0": [1.0], "v0": [0.0], "k": lambda t, q, v: -q, "phi": lambda q: q + 5}
    program = problems.replace('"problem.hdf5"', '"scenes/problems/incline.json"').replace("...", "[[0, 0, 1]]")
    run(program.replace("mass=M", "mass=lambda q: [[1.0]]").replace("pagt06-table-10.1", "st97-balls").replace(
        '["E"]', '["h"]'), **names)


def test_from_mujoco():
    other, own = blocks("docs/from-mujoco.md")
    lines = [len([line for line in block.splitlines() if line.strip()]) for block in (other, own)]
    assert max(lines) <= 22
    assert run(own).splitlines()[-1].startswith("solved")
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return  # of make bench
    assert run(other)
