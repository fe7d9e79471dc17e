"""Ways to misuse the package by what Python may run in the midst of a call, by what NumPy lets one do to its arrays, by
damaged files and states: each an exception, none a crash. These tests also run under AddressSanitizer."""

import gc
import os
import pickle
import signal
import threading
import time

import numpy as np
import perp
import pytest


@pytest.fixture
def robot(box):
    """A box on a rail, with a motor."""
    box.slider(None, "box", at=(0, 0, 0), axis=(1, 0, 0), name="rail")
    box.actuator("push", "rail")
    return box


class Number:
    """A number that does something when it is looked at."""

    def __init__(self, work):
        self.work = work

    def __float__(self):
        self.work()
        return 1.0

    def __index__(self):
        self.work()
        return 0


class Vector(Number):
    """Likewise three of them."""

    def __len__(self):
        return 3

    def __getitem__(self, k):
        if k > 2:
            raise IndexError
        self.work()
        return 0.5


@pytest.mark.parametrize("use", [
    lambda sim, x: sim.set_velocity("box", x), lambda sim, x: sim.set_velocity("box", None, x),
    lambda sim, x: sim.set_pose("box", x), lambda sim, x: sim.set_gravity(x), lambda sim, x: sim.set_wrench("box", x),
    lambda sim, x: sim.cast_ray((0, 0, 0), x), lambda sim, x: sim.jacobian("box", x), lambda sim, x: sim.mass_product(x),
])
def test_vectors_that_close_what_they_are_for(robot, use):
    sim = robot.simulate()
    sim.step()
    with pytest.raises((perp.Busy, perp.Closed, ValueError)):
        use(sim, Vector(sim.close))
    assert sim.closed or sim.step() is None


@pytest.mark.parametrize("use", [
    lambda sim, x: sim.step(x), lambda sim, x: sim.step(1, x), lambda sim, x: sim.run(x),
    lambda sim, x: sim.set_coordinate("rail", x), lambda sim, x: sim.set_coordinate("rail", speed=x),
    lambda sim, x: sim.set_coordinate("rail", 1.0, coordinate=x), lambda sim, x: sim.set_control("push", x),
    lambda sim, x: sim.set_control(x, 1.0), lambda sim, x: sim.cast_ray((0, 0, 0), (0, 0, 1), x),
    lambda sim, x: sim.reaction(x), lambda sim, x: sim.set_velocity(x, (0, 0, 0)),
])
def test_numbers_that_close_what_they_are_for(robot, use):
    sim = robot.simulate()
    sim.step()
    with pytest.raises((perp.Busy, perp.Closed)):
        use(sim, Number(sim.close))
    assert sim.closed or sim.step() is None


def test_numbers_that_close_a_batch(robot):
    for use in (lambda batch, x: batch.set_coordinate("rail", [x] * 3), lambda batch, x: batch.step(x),
                lambda batch, x: batch.reset([x]), lambda batch, x: batch.rollout(5, h=x)):
        batch = perp.Batch(robot, 3)
        with pytest.raises((perp.Busy, perp.Closed)):
            use(batch, Number(batch.close))


class Lying(bytes):
    def __len__(self):
        return 10**9


def test_states_that_lie_about_their_size(robot):
    batch = perp.Batch(robot, 2)
    batch.step(3)
    batch.restore([Lying(each) for each in batch.save()])
    batch.restore([bytearray(each) for each in batch.save()])
    with pytest.raises(perp.Error):
        batch.restore([batch.save()[0], b"damaged"])


@pytest.fixture
def handler():
    """Sets what a signal calls, again and again at random moments, until it says that it is done."""
    random = np.random.default_rng(4)

    def start(work):
        def called(*_):
            try:
                work()
            except perp.Busy:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 2e-4))

        signal.signal(signal.SIGALRM, called)
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 1e-3))

    before = signal.getsignal(signal.SIGALRM)
    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_signals_that_close_a_simulation(robot, handler):
    for _ in range(60):
        sim = robot.simulate()
        sim.positions
        handler(sim.close)
        with pytest.raises(perp.Closed):
            while True:
                sim.step(), sim.step(3), sim.limits, sim.save(), sim.report, sim.contacts, sim.reaction("rail"), sim.t
                sim.set_velocity("box", (0, 0, 0)), sim.set_pose("box", (0, 0, 0.5)), sim.restore(sim.save())


def test_signals_that_step_a_simulation(mixture, handler):
    sim, heard = mixture.simulate(), []

    def work():
        sim.step()  # what is saved meanwhile would grow
        heard.append(1)

    while len(heard) < 20:
        now = len(heard)
        handler(work)
        while len(heard) == now:
            sim.restore(sim.save())
            sim.contacts


def test_signals_that_close_a_batch(robot, handler):
    for _ in range(30):
        batch = perp.Batch(robot, 3, threads=1)
        batch.positions
        handler(batch.close)
        with pytest.raises(perp.Closed):
            while True:
                batch.step(2), batch.save(), batch.reset(), batch.set_coordinate("rail", 0.1), batch.rollout(2)


def test_signals_that_close_files(tmp_path, robot, handler):
    path, sim = tmp_path / "run.h5", robot.simulate()
    with perp.record(path, sim):
        sim.step(20)
    for _ in range(30):
        run = perp.open(path)
        handler(run.close)
        with pytest.raises(perp.Closed):
            while True:
                run._cache.clear()
                run["time"], run.info, run.contacts(3), run.events, run.positions, run.state(2), run.worst(2)
    for k in range(10):
        sim = robot.simulate()
        recorder = perp.record(tmp_path / f"{k}.h5", sim)
        handler(recorder.close)
        with pytest.raises(perp.Closed):
            while True:
                sim.step(), sim.step(3), recorder.flush()


def test_recorders_that_a_callback_closes(tmp_path, robot):
    sim = robot.simulate(control=lambda _: recorder.close())
    recorder = perp.record(tmp_path / "run.h5", sim)
    sim.step(3)
    assert len(perp.open(tmp_path / "run.h5")) == 1


def test_memory_of_arrays_stays(robot):
    sim, batch = robot.simulate(), perp.Batch(robot, 3)
    for whole in (sim.controls, sim.positions, sim.positions.base, batch.controls, batch.positions, batch.positions.base):
        with pytest.raises((ValueError, AttributeError)):
            whole.resize(0, refcheck=False)
    for view in (sim.controls, batch.controls):  # the view is another one then, and moves nothing
        view.__setstate__((1, (2,), np.dtype(float), False, bytes(16)))
        view.shape = (2, 1)
    gc.collect()
    filler = [bytes(64) for _ in range(1000)]
    sim.step(3), batch.step(3), batch.rollout(3), sim.set_control("push", 1.0), sim.reset()
    assert filler and sim.t == 0
    for view in (sim.positions, batch.positions):
        with pytest.raises(ValueError):
            view.flags.writeable = True


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_made_twice(robot):
    sim, batch = robot.simulate(), perp.Batch(robot, 2)
    system = perp.System([0.0], [0.0], mass=lambda q: [[1.0]])
    custom = system.simulate()
    for again in (lambda: sim.__init__(robot, {}), lambda: sim.__setstate__(sim.__getstate__()),
                  lambda: batch.__init__(robot, 5), lambda: batch.__setstate__(batch.__getstate__()),
                  lambda: custom.__init__(system, {})):
        with pytest.raises(perp.Error, match="already"):
            again()
    sim.step(2), batch.step(2), custom.step(2)
    inside = robot.simulate(control=lambda sim: sim.__init__(robot, {}))
    with pytest.raises(perp.Error, match="already"):
        inside.step(3)
    emptied = robot.simulate(control=lambda sim: vars(sim).clear())
    try:
        emptied.step(3)
    except AttributeError:
        pass
    for use in (emptied.step, emptied.close, lambda: emptied.t):
        with pytest.raises(AttributeError):
            use()


@pytest.mark.parametrize("raised", [SystemExit, GeneratorExit, StopIteration, RecursionError, MemoryError, BaseException])
def test_callbacks_that_raise_what_is_no_error(box, raised):
    def fails(*_):
        raise raised

    system = {"position": [0.0], "velocity": [0.0]}
    for make in (lambda: box.simulate(force=fails), lambda: box.simulate(control=fails),
                 lambda: perp.System(**system, mass=fails).simulate(),
                 lambda: perp.System(**system, mass=lambda q: [[1]], force=fails).simulate()):
        with pytest.raises(raised):
            make().step()


@pytest.mark.filterwarnings("ignore:coroutine")
def test_callbacks_that_are_no_functions_of_numbers(box):
    def generator(*_):
        yield 1

    async def coroutine(*_):
        return 1

    for wrong in (generator, coroutine, dict, np.sin, int):
        with pytest.raises((TypeError, ValueError)):
            box.simulate(force=wrong).step()
    for wrong in (lambda t, q, v: [[[0.0]]], lambda t, q, v: [[[0.0]]] * 3, generator):
        with pytest.raises((TypeError, ValueError)):
            perp.System([0.0], [0.0], mass=lambda q: [[1]], force=lambda t, q, v: [0.0],
                        force_derivatives=wrong).simulate(scheme="trapezoidal").step()
    count = [0]

    def changes(q):
        count[0] += 1
        return np.ones(1 + count[0] % 3)

    with pytest.raises(ValueError, match="shape"):
        perp.System([0.0], [0.0], mass=lambda q: [[1]], constraints=changes).simulate().step(3)


def test_numbers_that_another_thread_changes():
    random, over = np.random.default_rng(3), threading.Event()
    step = perp.StepProblem([np.eye(3)] * 40, b=random.normal(size=120), contacts=random.normal(size=(60, 120)))
    A = random.normal(size=(120, 120))
    contact = perp.ContactProblem.from_matrix(A @ A.T + np.eye(120), random.normal(size=120), np.full(40, 0.5))
    arrays = [step.entry_body, step.row_start, step.body_start, contact.column, contact.start]
    kept = [each.copy() for each in arrays]

    def spoil():
        where = np.random.default_rng(4)
        while not over.is_set():
            for each in arrays:
                each[where.integers(len(each))] = 2**28
            time.sleep(1e-4)

    worker = threading.Thread(target=spoil)
    worker.start()
    end, solved = time.monotonic() + 2, 0
    try:
        while time.monotonic() < end or solved == 0:
            for problem in (step, contact):
                for each, values in zip(arrays, kept):
                    each[:] = values
                try:
                    problem.solve()
                    solved += 1
                except ValueError:
                    pass
    finally:
        over.set()
        worker.join()


def test_starts_that_rise_only_in_32_bits():
    around = np.array([0, 2**31 - 1, -2**31, -1, 0, 0, 0], dtype=np.int32)
    none = np.zeros(0)
    with pytest.raises(ValueError, match="rises"):
        perp.ContactProblem(3, np.ones(2), around, none.astype(np.int32), none, np.zeros(6)).solve()
    p = perp.StepProblem([np.eye(3)], b=[0, 0, -1], contacts=np.zeros((6, 3)))
    p.row_start = around
    with pytest.raises(ValueError, match="rises"):
        p.solve()


def test_definitions_that_lie_about_their_lengths(box):
    box.body(perp.Hull(np.eye(4)[:, :3]), at=(9, 0, 9), name="hull")
    box.signal("wave", [[0.0, 1.0], [1.0, 1.0]])
    for kind, name in (("shapes", "n_vertices"), ("signals", "n_points")):
        damaged = pickle.loads(pickle.dumps(box))
        damaged._items[kind][-1][name] = 10**6
        with pytest.raises(ValueError, match="items, not"):
            damaged.simulate()


def test_simulations_within_simulations(box):
    def nests(*_):
        box.simulate(force=nests).step()

    with pytest.raises(RecursionError):
        box.simulate(force=nests).step()
    holder = {}

    def drops(*_):
        holder.clear()
        gc.collect()

    for settings in (dict(control=drops), dict(force=drops)):
        holder["sim"] = box.simulate(**settings)
        holder["sim"].step(3)


def test_long_batches_hear_interrupts(mixture):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for use in (lambda batch: batch.step(10**7), lambda batch: batch.rollout(10**6, arrays=["t"])):
            batch = perp.Batch(mixture, 8)
            threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT)).start()
            start = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                use(batch)
            assert time.monotonic() - start < 20
            batch.step()
    finally:
        signal.signal(signal.SIGINT, before)


def test_failures_of_a_batch_are_pickled():
    m = perp.Model()
    m.body(perp.Sphere(0.1), name="ball")
    batch = perp.Batch(m, 3, vary={"ball.velocity": [[0, 0, 0], [1e99, 0, 0], [1e99, 0, 0]]}, h=100.0)
    batch.step(3)
    again = pickle.loads(pickle.dumps(batch))
    assert sorted(again.failed) == sorted(batch.failed) == [1, 2]
    again.step()
    assert np.array_equal(again.t, [400, 0, 0]) and again.controls.shape == (3, 0)
    rows = perp.Batch(m, 2, vary={"ball.velocity": [[0, 0, 0], [1e99, 0, 0]]}, h=100.0).rollout(4, every=2)
    assert np.array_equal(rows["t"], [[200, 400], [np.nan, np.nan]], equal_nan=True)


@pytest.mark.parametrize("name", ["🤖", "a.b", "box.mass", "__class__", "a\nb", "%s%n", "../a", "{0}", " ", "e\u0301", "x" * 4000])
def test_names_of_all_kinds(tmp_path, name):
    m = perp.Model()
    m.world(perp.Plane())
    m.body(perp.Sphere(0.1), at=(0, 0, 0.1), name=name)
    m.slider(None, name, at=(0, 0, 0), axis=(1, 0, 0), name=name)
    m.actuator(name, name)
    m.sensor(name, "joint-force", name)
    sim = m.simulate()
    with perp.record(tmp_path / "run.h5", sim):
        sim.step(2)
    run = perp.open(tmp_path / "run.h5")
    assert run.bodies == run.joints == run.sensor_names == [name]
    assert len(run.to_dataframe()) == 3 and sim.body(name).name == name
    assert pickle.loads(pickle.dumps(sim)).sensor(name).shape == sim.sensor(name).shape


def test_files_that_change_while_they_are_read(tmp_path, box):
    path, sim, random = tmp_path / "run.h5", box.simulate(), np.random.default_rng(1)
    with perp.record(path, sim):
        sim.step(100)
    whole = path.read_bytes()
    for k in range(20):
        path.write_bytes(whole)
        run = perp.open(path)
        if k % 2:
            os.truncate(path, int(random.integers(len(whole))))
        else:
            with open(path, "r+b") as file:
                for place in random.integers(len(whole), size=20):
                    file.seek(int(place))
                    file.write(b"\xff")
        for use in (lambda: run["time"], lambda: run.contacts(5), lambda: run.positions, lambda: run.events, run.refresh,
                    run.to_dataframe, lambda: perp.open(path).positions):
            try:
                use()
            except (perp.Error, KeyError, IndexError):
                pass
        run.close()
