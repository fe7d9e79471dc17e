"""Many simulations at once, on several threads, each to the same bits as alone."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import Unpack

from ._declared import BATCHSETTINGS, BatchSettings
from ._errors import Closed, Error, check, error_of, new_error
from ._native import ffi, lib
from ._struct import Array, array, c_array, documented, index_of, mapping, pointer, real, unknown
from .model import Compiled, JointName, Model, run_settings
from .simulation import Alone, Simulation, array_shapes, closed, new_run, nobody, settings_to_c, steps_and_length

_SLICE = 0.1  # s between two looks at signals, about


def _layout(c_type: str, fields: Mapping[str, tuple[str, int]]) -> np.dtype[Any]:
    """Some fields of a struct of C, for NumPy: format and offset."""
    layout: Any = {"names": list(fields), "formats": [kind for kind, _ in fields.values()],
                   "offsets": [offset for _, offset in fields.values()], "itemsize": ffi.sizeof(c_type)}
    return np.dtype(layout)


# arrays of all simulations are given to C as addresses, what became of each is read by NumPy: no loops in Python
_ARRAYS = _layout("PerpStateArrays", {name: ("u8", field.offset) for name, field in ffi.typeof("PerpStateArrays").fields})
_RESULT = _layout("PerpBatchResult", {"status": ("i4", ffi.offsetof("PerpBatchResult", "error", "status"))})


@documented(BATCHSETTINGS)
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

    _noun = "batch"

    def __init__(self, model: Model, n: int, *, threads: int = 0, vary: Mapping[str, Any] | None = None,
                 **settings: Unpack[BatchSettings]) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"model is {type(model).__name__}, not a perp.Model")
        count, workers = operator.index(n), operator.index(threads)
        if not 1 <= count < 2**31:
            raise ValueError(f"n is {n}, not in 1 .. 2^31")
        if not 0 <= workers <= 1024:
            raise ValueError(f"threads is {threads}, not in 0 (one a core) .. 1024")
        given = dict(settings) if model.run is None else {**run_settings(model.run), **settings}
        self._start(model.copy(), count, workers, given, _varied(model, count, vary or {}))

    def _start(self, model: Model, n: int, threads: int, settings: Mapping[str, Any], models: list[Model]) -> None:
        if hasattr(self, "_owned"):
            raise Error("the batch is there already: make another one")
        self.model, self.n, self.threads, self._given, self._models = model, n, threads, settings, models
        model._is_simulated = True
        compiled = [each.compile() for each in models]
        self._compiled: Compiled = compiled[0]  # all have the same bodies, joints, actuators and sensors
        self._turn = ffi.new("NativeTurn *")
        self._holder: Callable[[], Alone | None] = nobody
        self._inside = 0  # no thread is in a callback: there are none
        keep: list[Any] = []
        c_settings = settings_to_c(settings, keep)
        self._owned: list[Any] = []
        for each in compiled:
            run = new_run()
            check(lib.native_run_start(run, each.holder, c_settings), ffi.addressof(run, "error"))
            self._owned.append(run)
        self._simulations = [run.simulation for run in self._owned]
        self._handles: npt.NDArray[np.uintp] | None = np.array(
            [int(ffi.cast("uintptr_t", simulation)) for simulation in self._simulations], dtype=np.uintp)
        self._results = np.zeros(n, dtype=_RESULT)
        self._failed: dict[int, Error] = {}
        self._cost = 1e-5  # s of a thread for a step of one, as the last ones took
        self._states = [self._save(k) for k in range(n)]  # of the start
        self._shapes = array_shapes(self._simulations[0], self._compiled)
        self._memory, self._controls = c_array((n, len(self._compiled.actuator_names)), writeable=True)
        self._controls[:] = np.nan
        self._controls_view = self._controls.view()
        self._whole: dict[str, tuple[Any, Array]] = {}  # memory and array
        self._views: dict[str, Array] = {}
        self._places = self._addresses({})

    # --- arrays --------------------------------------------------------------------------------------

    def _addresses(self, arrays: Mapping[str, Array], row: int = 0) -> npt.NDArray[Any]:
        """Where in arrays of shape (n, ...) each simulation finds its place, or its row; 0: not wanted."""
        made = np.zeros(self.n, dtype=_ARRAYS)
        made["size"] = ffi.sizeof("PerpStateArrays")
        for name, values in arrays.items():
            first = values.ctypes.data + (row * values.strides[1] if row > 0 else 0)
            made[name] = first + values.strides[0] * np.arange(self.n)
        return made

    def _array(self, name: str) -> Array:
        """One that every later step fills; made when it is first asked for."""
        if name not in self._views:
            with self._alone():
                self._whole[name] = c_array((self.n, *self._shapes[name]), writeable=False)
                self._places = self._addresses({each: values for each, (_, values) in self._whole.items()})
                self._read()
                self._views[name] = self._whole[name][1].view()
        return self._views[name]

    def _read(self, which: Sequence[int] | None = None) -> None:
        if not self._whole:
            return
        places, error = ffi.from_buffer("PerpStateArrays[]", self._places), new_error()
        for k in range(self.n) if which is None else which:
            check(lib.perp_simulation_read(self._simulations[k], ffi.addressof(places, k), error), error)

    @property
    def t(self) -> Array:
        """s, of each."""
        return self._array("t")

    @property
    def q(self) -> Array:
        """Generalised positions: n x numbers."""
        return self._array("q")

    @property
    def v(self) -> Array:
        """Generalised velocities: n x numbers."""
        return self._array("v")

    @property
    def positions(self) -> Array:
        """m: n x bodies x 3."""
        return self._array("position")

    @property
    def rotations(self) -> Array:
        """Quaternions w x y z: n x bodies x 4."""
        return self._array("rotation")

    @property
    def velocities(self) -> Array:
        """m/s: n x bodies x 3."""
        return self._array("velocity")

    @property
    def spins(self) -> Array:
        """rad/s: n x bodies x 3."""
        return self._array("spin")

    @property
    def coordinates(self) -> Array:
        """rad or m: n x joints x 2."""
        return self._array("coordinate")

    @property
    def speeds(self) -> Array:
        """rad/s or m/s: n x joints x 2."""
        return self._array("speed")

    @property
    def sensors(self) -> Array:
        """The numbers of all sensors: n x numbers."""
        return self._array("sensor")

    def sensor(self, which: str | int) -> Array:
        """Those of one sensor: n x numbers."""
        start, count = self._compiled.sensor_places[index_of(self._compiled.sensor_names, "sensor", which)]
        return self.sensors[:, start:start + count]

    @property
    def controls(self) -> Array:
        """What the actuators are told: n x actuators, yours to write, set before every step; NaN: as it is."""
        return self._controls_view

    @controls.setter
    def controls(self, values: Any) -> None:
        self._controls[:] = values

    # --- stepping ------------------------------------------------------------------------------------

    def step(self, n: int = 1, h: float = 0.0) -> None:
        """Takes n steps of each simulation. One that fails stays where it is, as `failed` tells, and does not stop
        the others; reset brings it back."""
        steps, length = steps_and_length(n, h)
        with self._alone():
            for which, _, count in self._pieces(steps):
                self._steps(which, count, length, self._places, self._controls[which])

    def _pieces(self, steps: int, every: int = 1) -> Iterator[tuple[slice, int, int]]:
        """All simulations' steps, or rows of `every` steps, in pieces between two looks at signals: which simulations,
        first, how many. As many at once of one simulation as that lets: another one's memory is far away."""
        workers = self.threads or os.cpu_count() or 1
        first = 0
        while first < self.n and steps > 0:
            room = _SLICE * workers / self._cost / every
            which = slice(first, min(self.n, first + max(4 * workers, int(room / steps))))
            count, at = which.stop - first, 0
            while at < steps:
                length = min(steps - at, max(1, int(_SLICE * workers / self._cost / every / count)))
                start = time.monotonic()
                yield which, at, length
                self._cost = max((time.monotonic() - start) * workers / (length * every * count), 1e-9)
                at += length
            first = which.stop

    def _steps(self, which: slice, steps: int, h: float, places: npt.NDArray[Any], controls: Array, every: int = 0) -> None:
        """places: of all simulations; controls: of those; which: those of them that have failed stay behind."""
        if self._handles is None:
            raise closed(self)
        now, handles, places = list(range(self.n)[which]), self._handles[which], places[which]
        if self._failed:
            going = [k for k, each in enumerate(now) if each not in self._failed]
            now = [now[k] for k in going]
            handles, places, controls = handles[going], places[going], controls[going]
        options, error = ffi.new("PerpBatchOptions *"), new_error()
        lib.perp_fill_batch_options(options, ffi.sizeof("PerpBatchOptions"))
        options.steps, options.h, options.threads, options.every = steps, h, self.threads, every
        options.arrays = ffi.from_buffer("PerpStateArrays[]", places)
        if controls.size:
            options.controls = pointer(controls)
        results = ffi.from_buffer("PerpBatchResult[]", self._results)
        check(lib.perp_batch_step(ffi.from_buffer("PerpSimulation *[]", handles), len(handles), options, results, error),
              error)
        for place in np.flatnonzero(self._results["status"][:len(handles)]).tolist():
            failure = error_of(results[place].error.status, ffi.addressof(results[place], "error"))
            self._failed[now[place]] = failure

    @property
    def failed(self) -> dict[int, Error]:
        """The simulations that failed, by index, with what stopped them."""
        return dict(self._failed)

    def rollout(self, steps: int, *, every: int = 1, controls: Any = None, h: float = 0.0,
                arrays: Sequence[str] | None = None) -> dict[str, Array]:
        """Takes steps // every times `every` steps and keeps the state after each time: arrays of shape (n, steps //
        every, ...) by name, NaN behind the failure of a simulation.

        controls: n x (steps // every) x actuators, each row held for `every` steps
        arrays: which of "t", "q", "v", "positions", "rotations", "velocities", "spins", "coordinates", "speeds",
            "sensors" are kept, default all
        """
        steps, length = steps_and_length(steps, h, least=1)
        every = operator.index(every)
        if not 1 <= every <= steps:
            raise ValueError(f"every is {every}, not in 1 .. {steps}, the number of steps")
        rows = steps // every
        arrays = [arrays] if isinstance(arrays, str) else arrays
        for name in arrays or ():
            if name not in _SINGULAR:
                raise KeyError(unknown("array", name, list(_SINGULAR)))
        whole = {single: np.full((self.n, rows, *self._shapes[single]), np.nan)
                 for name, single in _SINGULAR.items() if arrays is None or name in arrays}
        if controls is None:
            given = np.repeat(self._controls[:, None, :], rows, axis=1)
        else:
            given = array(controls, (self.n, rows, self._controls.shape[1]), "controls")
        with self._alone():
            for which, first, count in self._pieces(rows, every):
                part = np.ascontiguousarray(given[which, first:first + count])
                self._steps(which, count * every, length, self._addresses(whole, first), part, every)
            self._read()
        return {name: whole[single] for name, single in _SINGULAR.items() if single in whole}

    # --- states --------------------------------------------------------------------------------------

    def _save(self, k: int) -> bytes:
        simulation = self._simulations[k]
        made = ffi.new("char[]", lib.perp_simulation_state_size(simulation))
        lib.perp_simulation_save(simulation, made)
        return bytes(ffi.buffer(made))

    def _which(self, which: Sequence[int] | None) -> Sequence[int]:
        indices = range(self.n) if which is None else [operator.index(k) for k in which]
        for k in indices:
            if not 0 <= k < self.n:
                raise IndexError(f"there is no simulation {k}, there are {self.n}")
        return indices

    def save(self) -> list[bytes]:
        """The states of all simulations, as Simulation.save gives them."""
        with self._alone():
            return [self._save(k) for k in range(self.n)]

    def restore(self, states: Sequence[bytes], which: Sequence[int] | None = None) -> None:
        """Sets the simulations `which` (None: all) to states; those that failed go on from there."""
        indices = self._which(which)
        if len(states) != len(indices):
            raise ValueError(f"{len(states)} states for {len(indices)} simulations")
        for state in states:
            if not isinstance(state, (bytes, bytearray, memoryview)):
                raise TypeError(f"a state is bytes, as save gives, not {type(state).__name__}")
        states = [bytes(state) for state in states]
        with self._alone():
            error = new_error()
            try:
                for k, state in zip(indices, states):
                    check(lib.perp_simulation_restore(self._simulations[k], state, len(state), error), error)
                    self._failed.pop(k, None)
            finally:
                self._read(indices)

    def reset(self, which: Sequence[int] | None = None) -> None:
        """Back to the start: the simulations `which`, or all."""
        indices = self._which(which)
        self.restore([self._states[k] for k in indices], indices)

    def simulation(self, k: int) -> Simulation:
        """A copy of one of them, to look at closely."""
        (index,) = self._which([k])
        made = Simulation(self._models[index], self._given)  # type: ignore[arg-type]
        with self._alone():
            state = self._save(index)
        made.restore(state)
        return made

    def set_velocities(self, velocities: Any = None, spins: Any = None) -> None:
        """Sets the velocities (n x bodies x 3, m/s) and spins (rad/s) of all bodies; None: as they are."""
        new = np.array(array(self.velocities if velocities is None else velocities, self.velocities.shape, "velocities"))
        turn = np.array(array(self.spins if spins is None else spins, self.spins.shape, "spins"))
        if not (np.isfinite(new).all() and np.isfinite(turn).all()):
            raise ValueError("velocities and spins must be finite")
        with self._alone():
            for k, simulation in enumerate(self._simulations):
                for body in range(new.shape[1]):
                    lib.perp_simulation_set_velocity(simulation, body, pointer(new[k, body]), pointer(turn[k, body]))
            self._read()

    def set_coordinate(self, joint: JointName, values: Any = None, *, speeds: Any = None, coordinate: int = 0,
                       which: Sequence[int] | None = None) -> None:
        """Sets a coordinate of a joint, and its speed, in the simulations `which` (None: all): one number each."""
        name: Any = getattr(joint, "name", joint)
        index, of_joint = index_of(self._compiled.joint_names, "joint", name), operator.index(coordinate)
        indices, error = self._which(which), new_error()
        with self._alone():
            for given, put in ((values, lib.perp_simulation_set_coordinate),
                               (speeds, lib.perp_simulation_set_joint_speed)):
                if given is None:
                    continue
                each = np.broadcast_to(real(given), (len(indices),)).tolist()
                for k, value in zip(indices, each):
                    check(put(self._simulations[k], index, of_joint, value, error), error)
            self._read(indices)

    # --- end -----------------------------------------------------------------------------------------

    def _alone(self) -> Alone:
        return Alone(self)

    @property
    def closed(self) -> bool:
        """Whether close was called."""
        return self._handles is None

    def close(self) -> None:
        """Frees the simulations; arrays stay."""
        try:
            with self._alone():
                self._handles = None
                for run in self._owned:
                    lib.native_run_close(run)
        except Closed:
            pass  # before

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.n

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "n": self.n, "threads": self.threads, "settings": self._given,
                "models": self._models, "states": self.save(), "start": self._states, "controls": self._controls.copy(),
                "failed": self._failed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._start(state["model"], state["n"], state["threads"], state["settings"], state["models"])
        self.restore(state["states"])
        self._states, self._failed = state["start"], state["failed"]
        self._controls[:] = state["controls"]

    def __repr__(self) -> str:
        return f"<perp batch of {self.n}: {self.model!r}>"


_SINGULAR = {"t": "t", "q": "q", "v": "v", "positions": "position", "rotations": "rotation", "velocities": "velocity",
             "spins": "spin", "coordinates": "coordinate", "speeds": "speed", "sensors": "sensor"}


def _varied(model: Model, n: int, vary: Mapping[str, Any]) -> list[Model]:
    """A model for each simulation; the same one if nothing varies."""
    for name, values in mapping(vary, "vary").items():
        if np.shape(values)[:1] != (n,):
            raise ValueError(f"vary[{name!r}] has the shape {np.shape(values)}, not one item for each of {n}")
    if not vary:
        return [model.copy()] * n
    return [model.vary({name: _plain(values[k]) for name, values in vary.items()}) for k in range(n)]


def _plain(value: Any) -> Any:
    """One item of an array as Python has it."""
    return value.item() if isinstance(value, np.generic) else value


@documented(BATCHSETTINGS)
def rollout(model: Model, states: Sequence[bytes] | int, controls: Any = None, *, steps: int | None = None,
            every: int = 1, threads: int = 0, vary: Mapping[str, Any] | None = None,
            arrays: Sequence[str] | None = None, **settings: Unpack[BatchSettings]) -> dict[str, Array]:
    """Simulates from each of the states, or n times from the start, and gives arrays (n, steps // every, ...) by name.

    controls: n x rows x actuators, each row held for `every` steps
    steps: of each, default as many as there are controls
    arrays: which are wanted, see Batch.rollout; default all

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
        steps = every * array(controls, (n, -1, -1), "controls").shape[1]
    with Batch(model, n, threads=threads, vary=vary, **settings) as batch:
        if not isinstance(states, int):
            batch.restore(states)
        return batch.rollout(steps, every=every, controls=controls, arrays=arrays)
