"""Ways to misuse the package: each an exception, none a crash. These tests also run under AddressSanitizer."""

import ctypes
import gc
import multiprocessing
import os
import pickle
import signal
import threading
import time

import numpy as np
import perp
import pytest


def test_use_after_close(box):
    sim = box.simulate()
    positions, body = sim.positions, sim.body("box")
    sim.step(3)
    sim.close()
    sim.close()
    assert sim.closed and "closed" in repr(sim)
    assert positions[0, 2] == pytest.approx(0.5)  # the last state stays
    for use in (sim.step, sim.save, sim.copy, lambda: sim.step(10), lambda: sim.contacts, lambda: sim.report,
                lambda: sim.t, lambda: sim.q, lambda: sim.restore(b""), lambda: sim.limits, lambda: body.momentum,
                lambda: sim.set_velocity("box", (0, 0, 1)), lambda: pickle.dumps(sim), lambda: sim.judge_contacts(True),
                lambda: sim.watch().__enter__(), lambda: sim.view(), lambda: sim.h):
        with pytest.raises(perp.Closed):
            use()


def test_owners_that_are_gone(box):
    sim = box.simulate()
    arrays = [sim.positions, sim.rotations, sim.q, sim.v, sim.body("box").position]
    sim.step()
    contacts, report, energy = sim.contacts, sim.report, sim.report.energy
    del sim, box
    gc.collect()
    filler = [np.random.default_rng(0).random(1000) for _ in range(100)]
    assert [float(each.ravel()[0]) for each in arrays] and filler
    assert len(contacts) == 4 and report.t > 0 and energy.kinetic >= 0
    run = perp.load("scenes/stack.yaml").run
    gc.collect()
    assert run.scheme == "default"


def test_views_cannot_be_written(box):
    sim = box.simulate()
    with pytest.raises(ValueError, match="read-only"):
        sim.positions[0, 0] = 1
    with pytest.raises(ValueError):
        sim.positions.flags.writeable = True
    with pytest.raises(AttributeError):
        sim.positions = np.zeros((1, 3))


@pytest.mark.parametrize("wrong", [
    lambda m: m.body("box"), lambda m: m.body(perp.Box(1, 1, "x")), lambda m: m.body(at=(1, 2)),
    lambda m: m.body(at="abc"), lambda m: m.body(at=[[1, 2, 3]]), lambda m: m.body(wait=3), lambda m: m.body(name=3),
    lambda m: m.body(name="a\0b"), lambda m: m.body(free="planar"), lambda m: m.body(free=[1.5]),
    lambda m: m.body(mass="heavy"), lambda m: m.body(mass=None), lambda m: m.body(quaternion=(0, 0, 0, 0)),
    lambda m: m.body(turn=3), lambda m: m.body(turn=((0, 0, 0), 1)), lambda m: m.body(inertia=(1, 1, 1)),
    lambda m: m.hinge("box", "bix", at=(0, 0, 0)), lambda m: m.hinge(0, 17, at=(0, 0, 0)),
    lambda m: m.hinge(0, -2, at=(0, 0, 0)), lambda m: m.hinge("box", None, at=(0, 0)),
    lambda m: m.hinge("box", None, at=(0, 0, 0), uper=1), lambda m: m.coupling(0, 1),
    lambda m: m.body(perp.Box(1, 1, 1, material="wood")), lambda m: m.body(perp.Box(1, 1, 1, group=-1)),
    lambda m: m.body(perp.Box(1, 1, 1, group=2**40)), lambda m: m.pair("a", "b"), lambda m: m.exclude("box", 1.5),
    lambda m: perp.Mesh([(0, 0, 0)], [(0, 0, 1)]), lambda m: perp.Mesh([(0, 0, 0)], [(0, 0, 0.5)]),
    lambda m: perp.Hull([1, 2, 3]), lambda m: perp.HeightField((1, 1), [1, 2]), lambda m: perp.Plane((0, 0, 0)),
    lambda m: perp.Model(gravity=9.81), lambda m: m.force("box", force=3), lambda m: m.spring("box", None, at=None),
    lambda m: perp.Axis(lowest=1), lambda m: m.hinge(perp.Model().body(), None, at=(0, 0, 0)),
    lambda m: m.material("default", mu="x"), lambda m: m.vary({"box.mass": "x"}), lambda m: m.vary({"mass": 1}),
])
def test_wrong_definitions(box, wrong):
    with pytest.raises((TypeError, ValueError, KeyError, IndexError, OverflowError)) as raised:
        wrong(box)
    assert str(raised.value)
    sim = box.simulate()  # the model is as it was
    sim.step(2)


@pytest.mark.parametrize("wrong", [
    dict(at=(np.nan, 0, 0)), dict(at=(np.inf, 0, 0)), dict(mass=-1.0), dict(name="box"), dict(velocity=(1e999, 0, 0)),
    dict(mass=1, inertia=(1, 1, 100)), dict(free=4096),
])
def test_what_the_library_refuses(box, wrong):
    box.body(perp.Sphere(0.1), **wrong)
    with pytest.raises(perp.BadValue):
        box.simulate()


@pytest.mark.parametrize("wrong", [
    dict(h=0), dict(h=-1), dict(h=float("nan")), dict(h="x"), dict(scheme="anitescu"), dict(scheme=3), dict(facets=7),
    dict(facets="round"), dict(threads=-1), dict(threads=10**6), dict(tolerance=0), dict(methods=["newtown"]),
    dict(stabilise="maybe"), dict(strict=1), dict(hh=1), dict(force=3), dict(threads=2**40), dict(scheme="a\0"),
])
def test_wrong_settings(box, wrong):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        box.simulate(**wrong)


def test_wrong_arguments_of_steps(box):
    sim = box.simulate()
    for wrong in (-1, 1.5, "1", None, 2**80):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            sim.step(wrong)
    for wrong in (-1.0, float("nan"), float("inf"), "x", None):
        with pytest.raises((TypeError, ValueError)):
            sim.step(1, h=wrong)
    for wrong in ("bix", 1, -2, 1.5, None, (1,)):
        with pytest.raises((TypeError, KeyError, IndexError)):
            sim.body(wrong)
    for wrong in ((1, 2), "abc", None and 0, (np.nan, 0, 0), [[1, 2, 3]]):
        if wrong is not None:
            with pytest.raises((TypeError, ValueError)):
                sim.set_velocity("box", wrong)
    with pytest.raises(ValueError):
        sim.velocities = np.zeros((2, 3))
    with pytest.raises(ValueError, match="run"):
        sim.run()
    assert sim.t == 0


def test_damaged_states(mixture):
    sim = mixture.simulate()
    sim.step(30)
    state, q = sim.save(), sim.q.copy()
    rng = np.random.default_rng(1)
    for wrong in (b"", b"x", state[:-1], state + b"x", bytes(len(state))):
        with pytest.raises(perp.Error):
            sim.restore(wrong)
    for _ in range(200):
        damaged = bytearray(state)
        damaged[rng.integers(len(state))] ^= 1 << rng.integers(8)
        try:
            sim.restore(bytes(damaged))
            sim.step()
        except perp.Error:
            pass
    with pytest.raises(TypeError):
        sim.restore("text")
    with pytest.raises(perp.Error):
        perp.Model().simulate().restore(state)
    sim.restore(state)
    assert np.array_equal(sim.q, q)


def test_callbacks_that_misbehave(box):
    for wrong in (lambda *a: 3, lambda *a: ((1, 2), (1, 2, 3)), lambda *a: "ab", lambda *a: ((1, 2, 3),),
                  lambda: None, lambda *a: (_ for _ in ()).throw(KeyboardInterrupt)):
        sim = box.simulate(force=wrong)
        with pytest.raises((TypeError, ValueError, KeyboardInterrupt)):
            sim.step(5)
        assert sim.t == 0
    sim = box.simulate(force=lambda *a: ((np.nan, 0, 0), (0, 0, 0)))
    with pytest.raises(perp.Error):
        sim.step()


def test_callbacks_that_use_their_simulation(box):
    found = []

    def meddle(*_):
        for use in (sim.step, sim.close, sim.save, lambda: sim.contacts, lambda: sim.restore(b"")):
            try:
                use()
            except perp.Error as error:
                found.append(type(error))

    sim = box.simulate(force=meddle)
    sim.step()
    assert found == [perp.Busy] * 5


def test_threads_on_one_simulation(mixture):
    sim, errors, steps = mixture.simulate(), [], [0]
    sim.positions

    def work():
        for _ in range(200):
            try:
                sim.step()
                steps[0] += 1
                sim.contacts
                sim.save()
            except perp.Busy as error:
                errors.append(error)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sim.t > 0 and np.isfinite(sim.positions).all()


def test_close_from_another_thread(mixture):
    sim = mixture.simulate()
    stop = threading.Event()

    def work():
        while not stop.is_set():
            try:
                sim.step(20)
            except (perp.Closed, perp.Busy):
                pass
            time.sleep(1e-3)

    worker = threading.Thread(target=work)
    worker.start()
    time.sleep(0.05)
    while not sim.closed:
        try:
            sim.close()
        except perp.Busy:
            pass
    stop.set()
    worker.join()


@pytest.fixture
def interrupts():
    """Ctrl-C raises, also in what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupts_are_heard(mixture, interrupts):
    sim = mixture.simulate(h=1e-4)
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            sim.step(10**7)
    assert time.monotonic() - start < 20
    t = sim.t
    sim.step()
    assert sim.t > t


def test_custom_systems_that_misbehave():
    def raises(q):
        raise ZeroDivisionError

    for wrong in (dict(mass=3), dict(mass=lambda q: np.eye(3)), dict(mass=raises), dict(mass=lambda q: "x"),
                  dict(mass=lambda q: -np.eye(2)), dict(mass=lambda q: np.full((2, 2), np.nan)),
                  dict(position=[]), dict(velocity=[1]), dict(mu=[1, 2, 3]), dict(joints=lambda q: [[1, 2]]),
                  dict(joints=raises), dict(joint_names=["a"]), dict(rates=lambda q: [1, 2]),
                  dict(force=lambda t, q: q), dict(force=lambda t, q, v: [1, 2, 3]),
                  dict(joints=lambda q: [q[0]], joint_gradients=lambda q: [[2], [0]])):
        given = {"position": [0, 1], "velocity": [0, 0], "mass": lambda q: np.eye(2), **wrong}
        with pytest.raises((TypeError, ValueError, ZeroDivisionError, perp.Error)):
            perp.System(**given).simulate().step(3)

    calls = [0]

    def late(t, q, v):
        calls[0] += 1
        if t > 0.0055:
            raise ZeroDivisionError("late")
        return -q

    sim = perp.System([1.0], [0.0], mass=lambda q: [[1]], force=late).simulate(h=1e-3)
    with pytest.raises(ZeroDivisionError, match="late"):
        sim.step(100)
    assert sim.t == pytest.approx(0.006) and np.isfinite(sim.q).all()
    with pytest.raises(perp.Error, match="no bodies"):
        sim.positions
    with pytest.raises(perp.Error):
        sim.body("x")


def test_wrong_problems():
    for wrong in (([[1, 2]], [1]), ([[1]], [1, 2]), ([["x"]], [1]), ([[np.nan]], [1]), (np.zeros((0, 0)), []),
                  (3, 4), ([[1]], [None])):
        with pytest.raises((TypeError, ValueError)):
            perp.solve_lcp(*wrong)
    for wrong in (dict(free=2), dict(free=-1), dict(cover=[1, 2]), dict(basis=[1, 2]), dict(method="lemon"),
                  dict(tolerance=0), dict(tolerances=1), dict(cover=[-1.0])):
        with pytest.raises((TypeError, ValueError)):
            perp.solve_lcp([[1]], [-1], **wrong)
    with pytest.raises(ValueError):
        perp.StepProblem([np.eye(3)], b=[1, 2])
    with pytest.raises(ValueError):
        perp.StepProblem([-np.eye(3)], b=[1, 2, 3]).solve()
    with pytest.raises(ValueError):
        perp.StepProblem([np.eye(3)], b=[0, 0, 0], contacts=[[0, 0, 1]], friction=[perp.Friction(7, [[1, 0, 0]], 0.5)])
    p = perp.StepProblem([np.eye(3)], b=[0, 0, -1], contacts=[[0, 0, 1]])
    for name, value in (("J", np.zeros(1)), ("entry_body", np.array([5])), ("row_start", np.array([0, 9])),
                        ("body_start", np.array([0, 900])), ("d", np.zeros(0)), ("group_start", np.array([3])),
                        ("n_contacts", 2), ("n_boxes", -1), ("Mt", np.zeros(2))):
        kept = getattr(p, name)
        setattr(p, name, value)
        with pytest.raises((ValueError, IndexError)):
            p.solve()
        setattr(p, name, kept)
    with pytest.raises(ValueError):
        p.certify([1], [1], [])
    with pytest.raises((ValueError, TypeError)):
        perp.ContactProblem(3, np.ones(1), np.array([0, 9], np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros(3)).solve()
    with pytest.raises(perp.FileFailure):
        perp.read_problem("no/such/file.json")


def test_files_that_are_missing_or_malformed(tmp_path, box):
    with pytest.raises(perp.FileFailure) as raised:
        perp.load("no/such/scene.yaml")
    assert isinstance(raised.value, OSError)
    bad = tmp_path / "bad.yaml"
    bad.write_text("bodies:\n  ball: {sphere: 0.1, veloctiy: [0, 0, 1]}\n")
    with pytest.raises(perp.Error, match="velocity") as raised:
        perp.load(bad)
    assert (raised.value.file, raised.value.line, raised.value.column) == (str(bad), 2, 23)
    assert str(raised.value).startswith(f"{bad}:2:23: ")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.line, str(again)) == (2, str(raised.value))
    with pytest.raises(perp.Error):
        perp.open(bad)
    with pytest.raises(TypeError):
        perp.load(3)
    with pytest.raises(ValueError):
        perp.load("a\0b")
    sim = box.simulate()
    with pytest.raises(perp.Error):
        perp.record(tmp_path / "no" / "such" / "run.h5", sim)
    with pytest.raises((TypeError, ValueError)):
        perp.record(tmp_path / "run.h5", sim, groups=["everything"])
    with pytest.raises((TypeError, ValueError)):
        perp.record(tmp_path / "run.h5", sim, every=0)
    sim.step()


def test_recordings_and_their_ends(tmp_path, box):
    sim = box.simulate()
    recorder = perp.record(tmp_path / "a.h5", sim)
    with pytest.raises(ValueError, match="already"):
        perp.record(tmp_path / "b.h5", sim)
    sim.step(3)
    sim.close()
    recorder.close()
    with pytest.raises(perp.Closed):
        recorder.flush()
    run = perp.open(tmp_path / "a.h5")
    assert len(run) == 4 and not run.info.finished
    for wrong in ("energy/kinetics", 3, "x\0"):
        with pytest.raises((KeyError, TypeError, ValueError)):
            run[wrong]
    for wrong in (4, -5, 1.5, None):
        with pytest.raises((IndexError, TypeError)):
            run.contacts(wrong)
    with pytest.raises(KeyError):
        run.body("bix")
    with pytest.raises(KeyError):
        run.plot("enery")
    with pytest.raises(ValueError):
        run.export(tmp_path / "a.xyz")
    info, times = run.info, run.time
    run.close()
    run.close()
    gc.collect()
    assert info.frames == 4 and len(times) == 4 and info.perp
    for use in (lambda: run.info, lambda: run["time"] if not run._cache else run.refresh(), lambda: run.contacts(0),
                lambda: run.events, lambda: len(run), lambda: run.export(tmp_path / "a.csv")):
        with pytest.raises(perp.Closed):
            use()
    forgotten = box.simulate()
    perp.record(tmp_path / "c.h5", forgotten)
    forgotten.step()
    del forgotten
    gc.collect()
    assert len(perp.open(tmp_path / "c.h5")) >= 1


def test_batches(box):
    for wrong in (dict(n=0), dict(n=-1), dict(n=1.5), dict(n=2, threads=-1), dict(n=2, vary={"box.mass": [1]}),
                  dict(n=2, vary={"bix.mass": [1, 2]}), dict(n=2, vary={"box.mass": 3}), dict(n=2, hh=3)):
        with pytest.raises((TypeError, ValueError, KeyError)):
            perp.Batch(box, **wrong)
    batch = perp.Batch(box, 3)
    positions, states = batch.positions, batch.save()
    for wrong in (lambda: batch.step(-1), lambda: batch.step(1.5), lambda: batch.step(1, h=-1),
                  lambda: batch.step(1, h=float("nan")), lambda: batch.restore(states[:2]),
                  lambda: batch.restore(states, [0, 1, 9]), lambda: batch.restore([b"x"], [0]),
                  lambda: batch.restore(["x"], [0]), lambda: batch.reset([3]), lambda: batch.simulation(3),
                  lambda: batch.rollout(0), lambda: batch.rollout(1, every=0),
                  lambda: batch.set_velocities(np.zeros(3)), lambda: batch.set_velocities(np.full((3, 1, 3), np.nan))):
        with pytest.raises((TypeError, ValueError, IndexError)):
            wrong()
    batch.step(2)
    batch.close()
    batch.close()
    assert np.isfinite(positions).all()
    for use in (batch.step, batch.save, batch.reset, lambda: batch.simulation(0), lambda: batch.rollout(1),
                lambda: pickle.dumps(batch)):
        with pytest.raises(perp.Closed):
            use()


def test_after_the_model_is_changed(box):
    sim = box.simulate()
    box.body(perp.Sphere(0.1), at=(3, 0, 1))
    other = box.simulate()
    sim.step(2)
    assert len(sim.positions) == 1 and len(other.positions) == 2
    assert len(sim.copy().positions) == 1


def test_what_is_given_may_change_afterwards():
    m, at, speed, points = perp.Model(), np.zeros(3), [0.0, 0.0, 0.0], np.eye(4)[:, :3].copy()
    for k in range(3):
        at[0], speed[1] = k, k
        m.body(perp.Sphere(0.1), at=at, velocity=speed, name=f"ball-{k}")
        m.force(f"ball-{k}", at=at, force=speed)
    m.spring("ball-0", "ball-1", at=at, to=at, stiffness=1)
    shape = perp.Hull(points, at=at)
    wave = np.array([[0.0, 1.0], [1.0, 1.0]])
    m.body(shape, at=(9, 0, 0), name="hull")
    m.signal("wave", wave)
    masses, field, mesh = m.masses, np.zeros((3, 3)), np.array([[0, 1, 2]])
    m.world(perp.HeightField((1, 1), field, at=(0, 0, -9)), perp.Mesh(points, mesh, at=(0, 0, -5)))
    for each in (at, points, wave, field):
        each[:] = np.nan
    speed[1], mesh[:] = 99, 10**6
    points.resize((1, 3), refcheck=False)
    sim = m.simulate()
    assert sim.positions[:3, 0].tolist() == [0, 1, 2] and sim.velocities[:3, 1].tolist() == [0, 1, 2]
    assert m.masses == masses and m.vary({"hull.at": (9, 0, 1)}).masses == masses
    at[:] = 5
    other = m.vary({"ball-0.at": at})
    at[:] = 7
    assert other.simulate().body("ball-0").position.tolist() == [5, 5, 5]


def test_what_is_given_to_problems_and_systems_may_change_afterwards():
    b, d, mu = np.array([1.0, 0.0, -1.0]), np.zeros(1), np.array([0.5])
    p = perp.StepProblem([np.eye(3)], b=b, d=d, contacts=[[0, 0, 1]])
    system = perp.System([0.0], [0.0], mass=lambda q: [[1.0]], constraints=lambda q: [q[0] + 1], mu=mu)
    for each in (b, d, mu):
        each[:] = np.nan
    assert p.solve().v.tolist() == [1, 0, 0] and system.mu.tolist() == [0.5]
    system.simulate().step()


def test_the_model_of_a_simulation_stays(box):
    sim, batch = box.simulate(), perp.Batch(box, 2, vary={"box.mass": [1, 2]})
    for model in (sim.model, batch.model, sim.copy().model, pickle.loads(pickle.dumps(sim)).model):
        for change in (lambda m: m.body(perp.Sphere(0.1)), lambda m: m.material("ice", mu=0.1),
                       lambda m: m.site("tool", "box"), lambda m: m.keyframe("up")):
            with pytest.raises(perp.Error, match="copy"):
                change(model)
        assert model.vary({"box.mass": 3}).masses == {"box": 3}
        for free in (model.copy(), pickle.loads(pickle.dumps(model))):
            free.body(perp.Sphere(0.1), at=(9, 0, 9))
            assert len(free.simulate().positions) == 2
    with pytest.raises(KeyError):
        sim.friction("ice", "default")
    assert sim.copy().t == 0 and len(sim.positions) == 1


# --- interrupts, threads, processes ------------------------------------------------------------------


class Interrupt(Exception):
    """What a signal raises, at any moment."""


@pytest.fixture
def alarms():
    def interrupt(*_):
        raise Interrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_no_interrupt_locks_a_simulation_up(box, alarms):
    sim, random, heard = box.simulate(), np.random.default_rng(2), 0
    for delay in random.uniform(1e-5, 5e-4, 300):
        try:
            alarms(delay)
            while True:
                sim.step()
                sim.step(3)
                sim.contacts
                sim.save()
        except Interrupt:
            heard += 1
    assert heard == 300
    sim.t  # leaves what an interrupt may have kept it from leaving
    worker = threading.Thread(target=sim.step)
    before = sim.t
    worker.start()
    worker.join()
    assert sim.t > before


def in_child(work):
    """What a forked process ends with: 0, unless work raises or takes too long."""
    child = os.fork()
    if child == 0:
        signal.alarm(600)
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
    return os.waitpid(child, 0)[1]


def test_children_of_a_process_whose_threads_step(tmp_path, mixture):
    sim, batch, over = mixture.simulate(), perp.Batch(mixture, 5, threads=3), threading.Event()
    recorder = perp.record(tmp_path / "parent.h5", sim)

    def work():
        while not over.is_set():
            sim.step(20)

    def use():
        path = tmp_path / f"child-{os.getpid()}.h5"
        mine = mixture.simulate(threads=2)
        with perp.record(path, mine):
            mine.step(3)
        assert len(perp.open(path)) == 4
        batch.step(2)
        for refused in (sim.step, recorder.flush):
            with pytest.raises(perp.Error):
                refused()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        assert [in_child(use) for _ in range(5)] == [0] * 5
    finally:
        over.set()
        worker.join()
    recorder.close()
    run = perp.open(tmp_path / "parent.h5")
    assert run.info.finished and run.time[-1] == sim.t
    batch.step()


def test_a_child_that_ends_leaves_the_recording_alone(tmp_path, box):
    path, ready = tmp_path / "run.h5", os.pipe()
    sim = box.simulate()
    recorder = perp.record(path, sim)
    sim.step(5)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.read(ready[0], 1)  # the parent has gone on
        del recorder, sim
        gc.collect()
        ctypes.CDLL(None).exit(0)  # HDF5 closes its files
    sim.step(500)
    recorder.flush()
    written = path.read_bytes()
    os.write(ready[1], b"x")
    assert os.waitpid(child, 0)[1] == 0
    assert path.read_bytes() == written
    sim.step(5)
    recorder.close()
    run = perp.open(path)
    assert len(run) == 511 and run.time == pytest.approx(np.linspace(0, 0.51, 511))
    assert run.body("box").position[-1] == pytest.approx([0, 0, 0.5])


def test_files_forgotten_in_many_threads(tmp_path, box):
    def work(k):
        for j in range(4):
            sim = box.simulate()
            perp.record(tmp_path / f"{k}-{j}.h5", sim, groups=["poses"])
            sim.step(2)
            sim.cycle = sim  # the garbage collector's
            del sim
            perp.open(tmp_path / f"{k}-{j}.h5").time
            if j % 4 == k:
                gc.collect()

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    gc.collect()
    assert all(len(perp.open(path)) == 3 for path in tmp_path.glob("*.h5"))


def stepped(sim):
    sim.step(10)
    return sim, sim.report


def test_pickles_across_processes(mixture):
    sims = [mixture.simulate(h=1e-3 * (k + 1)) for k in range(3)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        back = pool.map(stepped, sims)
    for sim, (other, report) in zip(sims, back):
        sim.step(10)
        assert np.array_equal(sim.q, other.q) and report.as_dict() == sim.report.as_dict()


def test_what_is_promised_can_be_pickled(mixture):
    sim, scene = mixture.simulate(), perp.load("scenes/examples/incline.yaml", a="24 deg")
    sim.step(3)
    scene.body(perp.Sphere(0.1), at=(0, 0, 5))
    for value in (mixture, scene, scene.run, sim, sim.report, sim.report.certificate, sim.contacts,
                  perp.Batch(mixture, 2), perp.Box(1, 1, 1), perp.Axis(lower=-1), perp.solve_lcp([[1]], [-1]),
                  perp.read_problem("scenes/problems/incline.json").solve(), perp.Closed("x"), mixture.bodies):
        again = pickle.loads(pickle.dumps(value))
        assert repr(again) == repr(value) or isinstance(value, Exception)
    assert pickle.loads(pickle.dumps(scene)).run.duration == scene.run.duration


def test_derived_classes(mixture):
    class Mine(perp.Simulation):
        def __init__(self, model, name):
            self.early = 1
            super().__init__(model, {"h": 2e-3})
            self.name = name

    sim = Mine(mixture, "own")
    sim.step(3)
    again = sim.copy()
    assert isinstance(again, Mine) and again.name == "own" and again.early == 1 and again.t == sim.t
    again.step()
    assert again.h == 2e-3

    class Robot(perp.Model):
        def __init__(self):
            super().__init__(gravity=(0, 0, 0))
            self.arm = self.body(perp.Sphere(1), name="arm")

    assert isinstance(Robot().vary({"arm.mass": 2}), Robot) and Robot().copy().arm.name == "arm"
    unready = perp.Simulation.__new__(perp.Simulation)
    with pytest.raises(AttributeError):
        unready.step()


def test_control_callbacks_that_meddle(tmp_path, box):
    box.slider(None, "box", axis=(1, 0, 0), name="rail")
    box.actuator("push", "rail")
    refused = []

    def meddle(sim):
        sim.controls[:] = 1000.0  # acts in this step
        for use in (sim.close, sim.step, lambda: sim.step(5), sim.reset, lambda: sim.restore(b""),
                    lambda: sim.set_pose("box", (0, 0, 1)), lambda: perp.record(tmp_path / "x.h5", sim)):
            with pytest.raises(perp.Busy):
                use()
            refused.append(use)
        sim.contacts, sim.report, sim.positions, sim.save(), sim.copy().close(), sim.sensors

    sim = box.simulate(control=meddle)
    sim.step()
    assert len(refused) == 7
    assert sim.speeds[0, 0] == pytest.approx(1e-3, rel=1e-6)  # 1000 N on 1000 kg for 1 ms


@pytest.mark.parametrize("wrong", [
    lambda m: m.body(perp.Sphere(np.nan)), lambda m: m.body(perp.Sphere(-1)), lambda m: m.body(perp.Sphere(1e300)),
    lambda m: m.body(perp.Box(0, 1, 1)), lambda m: m.body(perp.Hull(np.zeros((5, 3)))),
    lambda m: m.body(perp.Hull(np.full((5, 3), np.nan))), lambda m: m.body(perp.Hull(np.zeros((0, 3)))),
    lambda m: m.world(perp.Mesh(np.zeros((0, 3)), np.zeros((0, 3)))), lambda m: m.world(perp.HeightField((1, 1), [[1]])),
    lambda m: m.world(perp.HeightField((0, 1), np.zeros((3, 3)))), lambda m: m.body(at=(1j, 0, 0)),
    lambda m: m.body(perp.Box(1, 1, 1, density=np.inf)), lambda m: m.body(perp.Box(1, 1, 1), mass=1e-320),
    lambda m: m.hinge("box", "box", at=(0, 0, 0)), lambda m: m.hinge("box", None, at=(0, 0, 0), axis=(0, 0, 0)),
    lambda m: m.hinge("box", None, at=(0, 0, 0), lower=1, upper=-1), lambda m: m.spring("box", None, stiffness=-1),
    lambda m: m.material("m", mu=-1), lambda m: m.material("m", restitution=7), lambda m: m.force("nobody"),
    lambda m: m.distance("box", None, at=(0, 0, 0), to=(0, 0, 0)), lambda m: m.rope("box", None, at=(0,), to=(1,)),
    lambda m: m.body(name="x" * 100000), lambda m: m.body(name="\ud800"), lambda m: m.sensor("s", "x" * 9999, "box"),
    lambda m: m.signal("s", "(" * 100000), lambda m: m.signal("s", [[np.nan, 1]]), lambda m: m.signal("s", np.zeros((0, 2))),
    lambda m: m.actuator("a", site="nowhere"), lambda m: m.coupling("a", "b"),
])
def test_more_wrong_definitions(box, wrong):
    with pytest.raises((TypeError, ValueError, KeyError, IndexError, AttributeError, perp.Error)) as raised:
        wrong(box)
        box.simulate()
    assert str(raised.value)


@pytest.mark.parametrize("wrong", [
    lambda sim: sim.step(10**30), lambda sim: sim.step(np.array([1, 2])), lambda sim: sim.run(np.nan),
    lambda sim: sim.run(-1), lambda sim: sim.run(1e300), lambda sim: sim.body(10**30), lambda sim: sim.body(b"box"),
    lambda sim: sim.set_velocity("box", np.zeros((3, 3))), lambda sim: sim.set_velocity("box", (1e999, 0, 0)),
    lambda sim: sim.cast_ray((0, 0, np.nan), (0, 0, 1)), lambda sim: sim.distance("box", "bix"),
    lambda sim: sim.restore(bytes(10**6)), lambda sim: sim.restore(np.zeros(9)), lambda sim: sim.contacts["nothing"],
    lambda sim: sim.positions.__setitem__(0, 1), lambda sim: sim.positions.resize(9), lambda sim: sim.report.nothing,
    lambda sim: setattr(sim.report, "t", 1), lambda sim: setattr(sim, "t", 1), lambda sim: sim.joint(0),
    lambda sim: sim.sensor("x"), lambda sim: setattr(sim, "controls", [1]), lambda sim: sim.judge_contacts(2),
    lambda sim: perp.Batch(sim, 3), lambda sim: perp.Batch(sim.model, 10**30), lambda sim: perp.rollout(sim.model, 2),
    lambda sim: perp.rollout(sim.model, 2, np.zeros((3, 4, 0))), lambda sim: perp.rollout(sim.model, -1, steps=1),
    lambda sim: perp.rollout(sim.model, [b"x"], steps=1), lambda sim: perp.rollout(sim.model, 2, steps=2, arrays=["p"]),
    lambda sim: perp.record(3, sim), lambda sim: perp.record("/tmp", sim), lambda sim: perp.open(""),
    lambda sim: perp.open(None), lambda sim: perp.load(""), lambda sim: perp.load("scenes", x=[1]),
    lambda sim: perp.solve_lcp(np.full((2, 2), np.inf), [1, 1]), lambda sim: perp.paper("../x"),
    lambda sim: perp.paper("--help"), lambda sim: perp.Simulation(3, {}), lambda sim: perp.Recording(sim),
    lambda sim: perp.StepProblem([np.eye(3)], b=[np.nan, 0, 0]), lambda sim: perp.Simulation(sim.model, {"h": 1j}),
])
def test_more_wrong_uses(box, wrong):
    sim = box.simulate()
    with pytest.raises((TypeError, ValueError, KeyError, IndexError, OverflowError, AttributeError, perp.Error)) as raised:
        wrong(sim)
    assert str(raised.value)
    sim.step(2)
    assert sim.t == pytest.approx(2e-3)


@pytest.mark.parametrize("wrong, says", [
    (lambda m: m.body(at=(1, 2)), "at is"), (lambda m: m.body(at=np.array([1j, 2, 3])), "at is"),
    (lambda m: m.body(at=["1", "2", "3"]), "at is"), (lambda m: m.spring("box", None, to=(1,)), "to is"),
    (lambda m: m.simulate(h="x"), "^h is"), (lambda m: m.simulate(methods=[]), "methods"),
    (lambda m: m.simulate(impacts="hard"), "there is no impacts 'hard'"),
    (lambda m: m.sensor("s", "speed", "box"), "there is no sensor kind"),
    (lambda m: m.simulate().step(1.5), "^n is 1.5"), (lambda m: m.simulate().step(1, "x"), "^h is"),
    (lambda m: m.simulate().cast_ray((0, 0, 0), (0, 0, 0)), "direction"),
    (lambda m: m.simulate().cast_ray((0, 0, 0), (0, 0, 1), np.nan), "limit"),
    (lambda m: m.simulate().apply_impulse([1j] * 6), "impulse"), (lambda m: perp.solve_lcp([[1j]], [1]), "M is"),
    (lambda m: perp.solve_lcp(np.ma.masked_array([[1.0]], [[True]]), [1]), "M is MaskedArray"),
    (lambda m: perp.solve_lcp([[1.0]], [-1], basis=[0.5]), "basis is not"),
    (lambda m: perp.solve_lcp([[1.0]], [-1], basis=[300]), "basis is not"),
    (lambda m: m.vary("box.mass"), "values is str, not a dict"), (lambda m: m.keyframe("up", joints=[1]), "joints is list"),
    (lambda m: m.keyframe("up", bodies="box"), "bodies is str"), (lambda m: m.signal("s", "t", constants=3), "constants is int"),
    (lambda m: m.actuator("a", tendon=["rail"]), "tendon is list"), (lambda m: perp.Batch(m, 2, vary=[1, 2]), "vary is list"),
    (lambda m: perp.record("run.h5", m), "sim is Model"),
    (lambda m: perp.Batch(None, 3), "model is NoneType"), (lambda m: perp.Batch(m, 2).step(2**70), "^n is"),
    (lambda m: perp.Batch(m, 2).rollout(3, every=5), "every is 5"), (lambda m: m.vary({3: 1}), "3 is no name"),
    (lambda m: m.vary({"box.size": 2}), "not x, y, z"), (lambda m: m.vary({"box.size": (1, 2)}), "not x, y, z"),
    (lambda m: m.vary({"box.size": (1, 2, "3")}), "z of box"), (lambda m: m.vary({"shape-0.size": 1}), "it has none"),
    (lambda m: perp.Batch(m, 2, vary={"box.size": [1, 2]}), "not x, y, z"),
])
def test_messages_say_what_was_said(box, wrong, says):
    with pytest.raises((TypeError, ValueError), match=says):
        wrong(box)
