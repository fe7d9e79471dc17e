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


def test_sensors_are_computed_again(servo, tmp_path):
    sim = servo.simulate(control=drive)
    with perp.record(tmp_path / "run.h5", sim):
        sim.step(20)
        sim.set_coordinate("rail", 0.25)
        sim.step(5)
    run, again = perp.open(tmp_path / "run.h5"), servo.simulate()
    for frame in range(1, 26):
        shown = run.sensors_after(again, frame)
        assert np.allclose(shown[[0, 4]], run.sensors[frame, [0, 4]], rtol=1e-12, atol=1e-12)
        # accelerations are of two states, and nobody knows what was set between them
        assert np.isnan(shown[1:4]).all() if frame == 21 else np.allclose(shown[1:4], run.sensors[frame, 1:4])
    assert np.isnan(run.sensors_after(again, 0)[1:4]).all()
    assert run.journal.size > 0 and [k for k in range(26) if run.given(k)] == [21]
    with pytest.raises(IndexError, match="there is no frame 26"):
        run.sensors_after(again, 26)
    other = perp.Model()
    other.body(perp.Sphere(1))
    with pytest.raises(ValueError, match="other bodies or sensors"):
        run.sensors_after(other.simulate(), 1)


def test_contacts_and_loads_are_part_of_what_sensors_show(tmp_path):
    m = perp.Model()
    m.world(perp.Plane())
    m.body(perp.Box(1, 1, 1), at=(0, 0, 0.5), mass=3, name="box")
    m.sensor("weight", "contact-force", "box")
    m.sensor("height", "position", m.site("middle", "box"))
    sim = m.simulate()
    with perp.record(tmp_path / "all.h5", sim):
        sim.step(10)
    run = perp.open(tmp_path / "all.h5")
    assert run.journal.size == 0 and not run.given(5)
    assert np.allclose(run.sensors_after(m.simulate(), 10), [0, 0, 3 * 9.81, 0, 0, 0.5], atol=1e-9)
    sim = m.simulate()
    with perp.record(tmp_path / "bare.h5", sim, groups=["state", "step", "sensors"]):
        sim.step(10)
    shown = perp.open(tmp_path / "bare.h5").sensors_after(m.simulate(), 10)
    assert np.isnan(shown[:3]).all() and np.allclose(shown[3:], [0, 0, 0.5])
