"""Many simulations at once, on several threads, each to the same bits as alone."""

from __future__ import annotations

import operator
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from typing_extensions import Unpack

from ._declared import BatchSettings
from ._errors import Closed, Error, check, error_of, new_error
from ._native import ffi, lib
from ._struct import Array, array, documented, pointer, unknown
from .model import Compiled, Model, run_settings
from .simulation import Simulation, busy, new_run, settings_to_c

_SLICE = 256  # steps between two looks at signals


class Batch:
    """n simulations of a model, with arrays of shape (n, ...) that every step fills.

    n: how many
    threads: that step them, 0: one a core; the bits do not depend on it
    vary: for each simulation its own numbers: by name as in Model.vary, arrays whose first axis has n items

    >>> import numpy as np, perp
    >>> m = perp.Model()
    >>> m.world(perp.Plane())
    >>> ball = m.body(perp.Sphere(0.1), at=(0, 0, 1), name="ball")
    >>> batch = perp.Batch(m, 4, vary={"ball.velocity": [[k, 0, 0] for k in range(4)]})
    >>> batch.step(100)
    >>> batch.positions[:, 0, 0].round(6).tolist()
    [0.0, 0.1, 0.2, 0.3]
    """

    def __init__(self, model: Model, n: int, *, threads: int = 0, vary: Mapping[str, Any] | None = None,
                 **settings: Unpack[BatchSettings]) -> None:
        self.n = operator.index(n)
        if self.n < 1:
            raise ValueError(f"n is {n}, not >= 1")
        self.threads = operator.index(threads)
        if not 0 <= self.threads <= 1024:
            raise ValueError(f"threads is {threads}, not in 0 (one a core) .. 1024")
        self.model = model.copy()
        self._given = dict(settings) if model.run is None else {**run_settings(model.run), **settings}
        self._lock = threading.Lock()
        self._models = self._vary(vary or {})
        self._compiled: list[Compiled] = [each.compile() for each in self._models]
        self._create()
        self._make_arrays()

    def _vary(self, vary: Mapping[str, Any]) -> list[Model]:
        for name, values in vary.items():
            if np.shape(values)[:1] != (self.n,):
                raise ValueError(f"vary[{name!r}] has the shape {np.shape(values)}, not one item for each of {self.n}")
        if not vary:
            return [self.model] * self.n
        return [self.model.vary({name: _plain(values[k]) for name, values in vary.items()}) for k in range(self.n)]

    def _create(self) -> None:
        keep: list[Any] = []
        settings = settings_to_c(self._given, keep)
        self._owned: list[Any] = [new_run() for _ in range(self.n)]
        for run, compiled in zip(self._owned, self._compiled):
            check(lib.native_run_start(run, compiled.holder, settings), ffi.addressof(run, "error"))
        self._handles: Any = ffi.new("PerpSimulation *[]", [run.simulation for run in self._owned])
        self._results = ffi.new("PerpBatchResult[]", self.n)
        self._failed: dict[int, Error] = {}
        self._start = [self._save(k) for k in range(self.n)]

    def _make_arrays(self) -> None:
        count = ffi.new("int *")
        lib.perp_simulation_q(self._handles[0], count)
        n_q = count[0]
        lib.perp_simulation_v(self._handles[0], count)
        n_v = count[0]
        bodies, joints = len(self._compiled[0].body_names), len(self._compiled[0].joint_names)
        self._shapes: dict[str, tuple[int, ...]] = {
            "t": (), "q": (n_q,), "v": (n_v,), "position": (bodies, 3), "rotation": (bodies, 4),
            "velocity": (bodies, 3), "spin": (bodies, 3), "coordinate": (joints, lib.PERP_JOINT_COORDINATES),
            "speed": (joints, lib.PERP_JOINT_COORDINATES), "sensor": (self._compiled[0].sensor_numbers,)}
        self._controls = np.full((self.n, len(self._compiled[0].actuator_names)), np.nan)
        self._whole = {name: np.zeros((self.n, *shape)) for name, shape in self._shapes.items()}
        self._arrays = self._c_arrays(self._whole)
        self._read()
        for whole in self._whole.values():
            whole.flags.writeable = False
        self._views = {name: whole.view() for name, whole in self._whole.items()}

    def _c_arrays(self, whole: Mapping[str, Array]) -> Any:
        made = ffi.new("PerpStateArrays[]", self.n)
        for k in range(self.n):
            lib.perp_fill_state_arrays(ffi.addressof(made, k), ffi.sizeof("PerpStateArrays"))
            for name, values in whole.items():
                setattr(made[k], name, ffi.cast("double *", values.ctypes.data + k * values.strides[0]))
        return made

    def _read(self) -> None:
        error = new_error()
        for k in range(self.n):
            check(lib.perp_simulation_read(self._handles[k], ffi.addressof(self._arrays, k), error), error)

    # --- stepping ------------------------------------------------------------------------------------

    def step(self, n: int = 1, h: float = 0.0) -> None:
        """Takes n steps of each simulation. One that fails stays where it is, as `failed` tells, and does not stop
        the others; reset brings it back."""
        steps = operator.index(n)
        if steps < 0:
            raise ValueError(f"n is {n}, not >= 0")
        self._run(steps, h, self._arrays, 0, self._controls)

    def _run(self, steps: int, h: float, arrays: Any, every: int, controls: Array) -> None:
        if not self._lock.acquire(False):
            raise busy()
        try:
            if self._handles is None:
                raise Closed("the batch is closed")
            taken = 0
            while taken < steps:
                count = steps if every else min(steps - taken, _SLICE)
                self._step_some(count, h, arrays, every, controls)
                taken += count
        finally:
            self._lock.release()

    def _step_some(self, count: int, h: float, arrays: Any, every: int, controls: Array) -> None:
        options, error = ffi.new("PerpBatchOptions *"), new_error()
        lib.perp_fill_batch_options(options, ffi.sizeof("PerpBatchOptions"))
        options.steps, options.h, options.threads, options.every = count, float(h), self.threads, every
        now, handles = range(self.n), self._handles
        if self._failed:  # the others go on
            now = [k for k in range(self.n) if k not in self._failed]  # type: ignore[assignment]
            handles = ffi.new("PerpSimulation *[]", [self._handles[k] for k in now])
            arrays = ffi.new("PerpStateArrays[]", [arrays[k] for k in now])
            controls = controls[now]
        options.arrays = arrays
        if controls.size:
            options.controls = pointer(controls)
        check(lib.perp_batch_step(handles, len(now), options, self._results, error), error)
        for place, k in enumerate(now):
            result = self._results[place]
            if result.error.status:
                self._failed[k] = error_of(result.error.status, ffi.addressof(result, "error"))

    @property
    def failed(self) -> dict[int, Error]:
        """The simulations that failed, by index, with what stopped them."""
        return dict(self._failed)

    def rollout(self, steps: int, *, every: int = 1, controls: Any = None, h: float = 0.0) -> dict[str, Array]:
        """Takes steps and keeps every `every`-th state: arrays of shape (n, steps // every, ...) by name, NaN behind
        the failure of a simulation.

        controls: n x (steps // every) x actuators, each row held for `every` steps
        """
        steps, every = operator.index(steps), operator.index(every)
        if steps < 1 or every < 1:
            raise ValueError(f"steps and every are {steps} and {every}, not >= 1")
        rows = steps // every
        whole = {name: np.full((self.n, rows, *shape), np.nan) for name, shape in self._shapes.items()}
        actuators = self._controls.shape[1]
        if controls is None:
            given = np.repeat(self._controls[:, None, :], rows, axis=1)
        else:
            given = array(controls, (self.n, rows, actuators), "controls")
        self._run(rows * every, h, self._c_arrays(whole), every, given)
        if self._handles is not None:
            self._read()
        return {_PLURAL[name]: values for name, values in whole.items()}

    # --- states --------------------------------------------------------------------------------------

    def _save(self, k: int) -> bytes:
        size = lib.perp_simulation_state_size(self._handles[k])
        made = ffi.new("char[]", size)
        lib.perp_simulation_save(self._handles[k], made)
        return bytes(ffi.buffer(made, size))

    def save(self) -> list[bytes]:
        """The states of all simulations, as Simulation.save gives them."""
        with self._open():
            return [self._save(k) for k in range(self.n)]

    def restore(self, states: Sequence[bytes], which: Sequence[int] | None = None) -> None:
        """Sets the simulations `which` (None: all) to states; those that failed go on from there."""
        indices = list(range(self.n)) if which is None else [operator.index(k) for k in which]
        if len(states) != len(indices):
            raise ValueError(f"{len(states)} states for {len(indices)} simulations")
        with self._open():
            error = new_error()
            for k, state in zip(indices, states):
                if not 0 <= k < self.n:
                    raise IndexError(f"there is no simulation {k}, there are {self.n}")
                if not isinstance(state, bytes):
                    raise TypeError(f"a state is bytes, as save gives, not {type(state).__name__}")
                check(lib.perp_simulation_restore(self._handles[k], state, len(state), error), error)
                self._failed.pop(k, None)
                check(lib.perp_simulation_read(self._handles[k], ffi.addressof(self._arrays, k), error), error)

    def reset(self, which: Sequence[int] | None = None) -> None:
        """Back to the start: the simulations `which`, or all."""
        indices = list(range(self.n)) if which is None else [operator.index(k) for k in which]
        if any(not 0 <= k < self.n for k in indices):
            raise IndexError(f"there are {self.n} simulations")
        self.restore([self._start[k] for k in indices], indices)

    def simulation(self, k: int) -> Simulation:
        """A copy of one of them, to look at closely."""
        k = operator.index(k)
        if not 0 <= k < self.n:
            raise IndexError(f"there is no simulation {k}, there are {self.n}")
        made = Simulation(self._models[k], self._given)  # type: ignore[arg-type]
        with self._open():
            state = self._save(k)
        made.restore(state)
        return made

    def set_velocities(self, velocities: Any = None, spins: Any = None) -> None:
        """Sets the velocities (n x bodies x 3, m/s) and spins (rad/s) of all bodies; None: as they are."""
        shape = (self.n, *self._shapes["velocity"])
        new = self.velocities if velocities is None else array(velocities, shape, "velocities")
        turn = self.spins if spins is None else array(spins, shape, "spins")
        if not (np.isfinite(new).all() and np.isfinite(turn).all()):
            raise ValueError("velocities and spins must be finite")
        new, turn = np.ascontiguousarray(new).copy(), np.ascontiguousarray(turn).copy()
        with self._open():
            for k in range(self.n):
                for body in range(shape[1]):
                    lib.perp_simulation_set_velocity(self._handles[k], body, pointer(new[k, body]),
                                                     pointer(turn[k, body]))
            self._read()

    def set_coordinate(self, joint: str, values: Any = None, *, speeds: Any = None, coordinate: int = 0,
                       which: Sequence[int] | None = None) -> None:
        """Sets a coordinate of a joint, and its speed, in the simulations `which` (None: all): one number each."""
        names = self._compiled[0].joint_names
        if joint not in names:
            raise KeyError(unknown("joint", joint, names))
        indices = list(range(self.n)) if which is None else [operator.index(k) for k in which]
        index, k_of_joint, error = names.index(joint), operator.index(coordinate), new_error()
        given = [None if each is None else np.broadcast_to(np.asarray(each, dtype=np.float64), (len(indices),))
                 for each in (values, speeds)]
        with self._open():
            for place, k in enumerate(indices):
                if not 0 <= k < self.n:
                    raise IndexError(f"there is no simulation {k}, there are {self.n}")
                for each, put in zip(given, (lib.perp_simulation_set_coordinate, lib.perp_simulation_set_joint_speed)):
                    if each is not None:
                        check(put(self._handles[k], index, k_of_joint, float(each[place]), error), error)
                check(lib.perp_simulation_read(self._handles[k], ffi.addressof(self._arrays, k), error), error)

    def _open(self) -> _Open:
        return _Open(self)

    @property
    def t(self) -> Array:
        """s, of each."""
        return self._views["t"]

    @property
    def q(self) -> Array:
        """Generalised positions: n x numbers."""
        return self._views["q"]

    @property
    def v(self) -> Array:
        """Generalised velocities: n x numbers."""
        return self._views["v"]

    @property
    def positions(self) -> Array:
        """m: n x bodies x 3."""
        return self._views["position"]

    @property
    def rotations(self) -> Array:
        """Quaternions w x y z: n x bodies x 4."""
        return self._views["rotation"]

    @property
    def velocities(self) -> Array:
        """m/s: n x bodies x 3."""
        return self._views["velocity"]

    @property
    def spins(self) -> Array:
        """rad/s: n x bodies x 3."""
        return self._views["spin"]

    @property
    def controls(self) -> Array:
        """What the actuators are told: n x actuators, yours to write, set before every step; NaN: as it is."""
        return self._controls

    @property
    def sensors(self) -> Array:
        """The numbers of all sensors: n x numbers."""
        return self._views["sensor"]

    def sensor(self, name: str) -> Array:
        """Those of one sensor: n x numbers."""
        names = self._compiled[0].sensor_names
        if name not in names:
            raise KeyError(unknown("sensor", name, names))
        start, count = self._compiled[0].sensor_places[names.index(name)]
        return self._views["sensor"][:, start:start + count]

    @property
    def speeds(self) -> Array:
        """rad/s or m/s: n x joints x 2."""
        return self._views["speed"]

    @property
    def coordinates(self) -> Array:
        """rad or m: n x joints x 2."""
        return self._views["coordinate"]

    # --- end -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Frees the simulations; arrays stay."""
        if not self._lock.acquire(False):
            raise busy()
        try:
            self._handles = None
            for run in self._owned:
                lib.native_run_close(run)
        finally:
            self._lock.release()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.n

    def __getstate__(self) -> dict[str, Any]:
        return {"models": self._models if len({id(each) for each in self._models}) > 1 else None, "model": self.model,
                "n": self.n, "threads": self.threads, "settings": self._given, "states": self.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.n, self.threads, self.model, self._given = (state[name] for name in ("n", "threads", "model", "settings"))
        self._lock = threading.Lock()
        self._models = state["models"] or [self.model] * self.n
        self._compiled = [each.compile() for each in self._models]
        self._create()
        self._make_arrays()
        self.restore(state["states"])

    def __repr__(self) -> str:
        return f"<perp batch of {self.n}: {self.model!r}>"


_PLURAL = {"t": "t", "q": "q", "v": "v", "position": "positions", "rotation": "rotations", "velocity": "velocities",
           "spin": "spins", "coordinate": "coordinates", "speed": "speeds", "sensor": "sensors"}


class _Open:
    """The batch is asked by one thread at a time, and not after its end."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def __enter__(self) -> None:
        if not self._batch._lock.acquire(False):
            raise busy()
        if self._batch._handles is None:
            self._batch._lock.release()
            raise Closed("the batch is closed")

    def __exit__(self, *_: object) -> None:
        self._batch._lock.release()


def _plain(value: Any) -> Any:
    """One item of an array as Python has it."""
    return value.item() if isinstance(value, np.generic) else value


@documented(BatchSettings)
def rollout(model: Model, states: Sequence[bytes] | int, controls: Any = None, *, steps: int | None = None,
            every: int = 1, threads: int = 0, vary: Mapping[str, Any] | None = None, **settings: Unpack[BatchSettings]) -> dict[str, Array]:
    """Simulates from each of the states, or n times from the start, and gives arrays (n, steps // every, ...) by name.

    controls: n x rows x actuators, each row held for `every` steps
    steps: of each, default as many as there are controls

    >>> import perp
    >>> m = perp.Model()
    >>> ball = m.body(perp.Sphere(0.1))
    >>> runs = perp.rollout(m, 3, steps=100, every=50)
    >>> runs["positions"].shape, runs["t"][0].round(6).tolist()
    ((3, 2, 1, 3), [0.05, 0.1])
    """
    n = states if isinstance(states, int) else len(states)
    if steps is None:
        if controls is None:
            raise ValueError("give controls or steps")
        steps = every * np.shape(controls)[1]
    with Batch(model, n, threads=threads, vary=vary, **settings) as batch:
        if not isinstance(states, int):
            batch.restore(states)
        return batch.rollout(steps, every=every, controls=controls)
