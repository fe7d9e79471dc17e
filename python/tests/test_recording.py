"""Recordings: what was simulated is what is read, by name; figures, tables, pages."""

import threading

import numpy as np
import perp
import pytest


@pytest.fixture
def servo():
    """A cart that a callback drives, with sensors of one and of three numbers."""
    m = perp.Model()
    m.body(perp.Box(1, 1, 1), mass=2, name="cart")
    m.slider(None, "cart", axis=(1, 0, 0), name="rail")
    m.actuator("motor", "rail")
    m.site("corner", "cart", at=(0.5, 0, 0))
    m.sensor("speed", "joint-speed", "rail")
    m.sensor("felt", "accelerometer", "corner")
    m.sensor("motor load", "actuator-force", "motor")
    return m


def drive(sim):
    sim.controls[0] = 10 * (1 - sim.speeds[0, 0])


def test_what_a_callback_does_is_recorded(servo, tmp_path):
    sim, seen = servo.simulate(control=drive), []
    with perp.record(tmp_path / "run.h5", sim):
        for _ in range(50):
            sim.step()
            seen.append((sim.sensors.copy(), sim.coordinates.copy()))
    run = perp.open(tmp_path / "run.h5")
    assert run.info.finished and len(run) == 51
    assert run.sensor_names == ["speed", "felt", "motor load"]
    assert run.sensor("felt").shape == (51, 3) and run.sensor("speed").shape == (51, 1)
    assert np.array_equal(run.sensors, np.concatenate([run.sensor(name) for name in run.sensor_names], axis=1))
    assert np.array_equal(run.sensors[1:], [sensors for sensors, _ in seen])
    assert np.array_equal(run.coordinates[1:], [coordinates for _, coordinates in seen])
    assert np.array_equal(run.sensor("felt.x"), run.sensor("felt")[:, 0])
    assert run.sensor("motor load")[1, 0] == pytest.approx(10)  # the first call acts in the first step
    with pytest.raises(KeyError, match="felt"):
        run.sensor("flet")
    table = run.to_dataframe()
    assert np.array_equal(table["felt.z"], run.sensor("felt")[:, 2]) and np.array_equal(table["rail"], run.joint("rail")[:, 0])


def test_figures(servo, tmp_path):
    sim = servo.simulate(control=drive)
    with perp.record(tmp_path / "run.h5", sim):
        sim.step(20)
    run = perp.open(tmp_path / "run.h5")
    for what, lines, unit in (("energy", 3, "J"), ("energy/kinetic", 1, "J"), ("cart", 3, "m"), ("rail", 1, "m"),
                              ("felt", 3, "m/s^2"), ("felt.x", 1, "m/s^2"), ("motor load", 1, "N")):
        ax = run.plot(what)
        assert len(ax.get_lines()) >= lines and unit in ax.get_ylabel(), what
    with pytest.raises(KeyError, match="energy"):
        run.plot("enrgy")


def test_pages_need_no_network(box, tmp_path):
    sim = box.simulate()
    with perp.record(tmp_path / "run.h5", sim):
        sim.step(5)
    for page in (perp.open(tmp_path / "run.h5").view(), sim.view()):
        assert page._repr_html_().startswith("<iframe") and "<canvas" in page.html
        assert not any(address in page.html for address in ('src="http', 'href="http', "//cdn"))
    sim.view().save(tmp_path / "now.html")
    assert (tmp_path / "now.html").stat().st_size > 100_000


def test_other_threads_read_while_one_records(box, tmp_path):
    path, sim = tmp_path / "run.h5", box.simulate()
    with perp.record(path, sim, groups=["poses"]) as recorder:
        recorder.flush()
        worker = threading.Thread(target=lambda: sim.run(30))
        worker.start()
        frames = 0
        while worker.is_alive():
            frames = max(frames, len(perp.open(path)))
        worker.join()
    assert len(perp.open(path)) == 30001 and frames > 0


def test_problems_are_watched_or_recorded(box, tmp_path):
    sim = box.simulate()
    with sim.watch(), pytest.raises(ValueError, match="watched"):
        perp.record(tmp_path / "run.h5", sim, problems="every")
    with perp.record(tmp_path / "run.h5", sim, problems="every"):
        with pytest.raises(ValueError, match="already"):
            sim.watch().__enter__()
        sim.step(2)
    assert len(perp.open(tmp_path / "run.h5").problems()) == 2


def test_progress(box, capsys):
    box.simulate().step(1000, progress=True)
    assert capsys.readouterr().err.endswith("[" + 40 * "#" + "] 1000/1000\n")
