"""Recordings of runs: written while a simulation steps, read as arrays, plotted, shown in Jupyter."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from typing_extensions import Unpack

from ._declared import RECORDFIELDS, RecordFields, RecordingInfo
from ._errors import Closed, Error, check, new_error
from ._files import close_forgotten, close_what_waits, files
from ._native import ffi, lib
from ._program import call
from ._struct import (Array, copied, documented, encoded, from_word, index_of, number, numbers_of, pointer, set_fields,
                      text, translate, unknown, words_of)
from .model import Model, Path, Scene
from .problems import StepProblem
from .simulation import CONTACT, Simulation, dtype_of

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

_PROBLEMS = {"none": 0, "worst": 1, "every": 2}
_COORDINATES = lib.PERP_JOINT_COORDINATES
RECORDED_CONTACT = dtype_of("PerpRecordedContact")
EVENT = dtype_of("PerpRecordedEvent")


# --- writing -----------------------------------------------------------------------------------------


class Recorder:
    """A recording that is being written; perp.record makes one."""

    def __init__(self, path: str, sim: Simulation, options: Any, problems: str, keep: list[Any]) -> None:
        if sim._recorder is not None:
            raise ValueError("the simulation is being recorded already")
        if problems != "none" and sim._callbacks.watch is not None:
            raise ValueError("the problems of the simulation are being watched")
        sim._not_inside("record")
        close_what_waits()
        self._sim, self._keep, self.path, self.problems, self._process = sim, [options, keep], path, problems, os.getpid()
        model = sim._compiled_model()
        with sim._alone(), files:
            handle, error = ffi.new("PerpRecorder **"), new_error()
            check(lib.perp_recorder_create(ffi.NULL, encoded(path, "path"), model.handle, sim._handle, options, handle,
                                           error), error)
            self._handle = handle[0]
            sim._recorder, sim._run.recorder = self, self._handle
            status = lib.perp_recorder_append(self._handle, 0.0, error)
            if status:
                self._end(finished=False)
                check(status, error)

    def _check_process(self) -> None:
        if self._process != os.getpid():
            raise Error("the recording belongs to the process that was forked; a copy of the simulation is not recorded")

    def flush(self) -> None:
        """Everything up to now is in the file and survives a kill."""
        if self._sim._recorder is not self:
            raise Closed("the recording is closed")
        self._check_process()
        error = new_error()
        with self._sim._alone(), files:
            if self._sim._recorder is not self:  # a signal's handler has closed it meanwhile
                raise Closed("the recording is closed")
            check(lib.perp_recorder_flush(self._handle, error), error)

    def close(self, finished: bool = True) -> None:
        """Ends the file; finished: the run came to its end."""
        if self._sim._recorder is self:
            with self._sim._alone():
                self._end(finished)

    def _end(self, finished: bool) -> None:
        """The caller has the simulation's turn. A child process leaves the file to its parent."""
        self._sim._recorder, self._sim._run.recorder = None, ffi.NULL
        if self._process != os.getpid():
            return
        error = new_error()
        with files:
            status = lib.perp_recorder_close(self._handle, finished, error)
        check(status, error)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close(finished=kind is None)


def _groups(groups: Sequence[str]) -> int:
    return sum({1 << from_word("PerpRecordGroup", each) for each in groups})


@documented(RECORDFIELDS)
def record(path: Path, sim: Simulation, *, groups: Sequence[str] | None = None, problems: str = "none",
           **fields: Unpack[RecordFields]) -> Recorder:
    """Records every step of the simulation until the recorder is closed, as `perp run -o` does.

    with perp.record("run.h5", sim):
        sim.step(1000)

    groups: of "state", "poses", "velocities", "joints", "energy", "certificate", "step", "contacts", "events",
        "bounds", "sensors"; None: all
    problems: which are stored with their solutions, for `perp check`: "none", "worst" or "every"
    """
    if not isinstance(sim, Simulation):
        raise TypeError(f"sim is {type(sim).__name__}, not a perp.Simulation")
    keep: list[Any] = []
    values = translate(fields, RECORDFIELDS, "a recording")
    if problems not in _PROBLEMS:
        raise ValueError(unknown("choice of problems", problems, list(_PROBLEMS)))
    if number(values.get("every", 1), "int", "every") < 1 or number(values.get("problems_every", 1), "int", "every") < 1:
        raise ValueError("every is a number of steps, >= 1")
    options = ffi.new("PerpRecorderOptions *")
    lib.perp_fill_recorder_options(options, ffi.sizeof("PerpRecorderOptions"))
    set_fields(options, values, keep)
    options.problems = _PROBLEMS[problems]
    if groups is not None:
        options.groups = _groups(groups)
    scene = sim.model._scene
    if scene is not None:
        parameters = ffi.new("PerpParameter[]", max(len(scene.parameters), 1))
        for k, (name, value) in enumerate(scene.parameters.items()):
            set_fields(parameters[k], {"name": name, "value": value}, keep)
        keep += [parameters, scene]
        options.scene, options.set, options.n_set = scene.handle, parameters, len(scene.parameters)
    return Recorder(os.fspath(path), sim, options, problems, keep)


# --- pages -------------------------------------------------------------------------------------------


class Page:
    """A page of the viewer: one HTML text that needs no network. Jupyter shows it."""

    def __init__(self, html: str, height: int = 480) -> None:
        self.html = html
        self.height = height

    @classmethod
    def of_recording(cls, path: Path, height: int = 480) -> Page:
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            call("view", os.fspath(path), "--html", os.fspath(page))
            return cls(page.read_text(encoding="utf-8"), height)

    @classmethod
    def of_simulation(cls, sim: Simulation) -> Page:
        """The present state, as a recording of one frame."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "now.h5")
            twin = sim.copy()
            with record(path, twin):
                pass
            twin.close()
            return cls.of_recording(path)

    def save(self, path: Path) -> None:
        """Writes the page."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.html.encode()).decode()
        return (f'<iframe src="data:text/html;base64,{data}" style="width:100%;height:{self.height}px;border:0" '
                'sandbox="allow-scripts"></iframe>')

    def __repr__(self) -> str:
        return f"<perp page: {len(self.html)} characters>"


# --- reading -----------------------------------------------------------------------------------------


class RecordedBody:
    """A body of a recording: arrays over the frames."""

    def __init__(self, run: Recording, index: int, name: str) -> None:
        self._run, self.index, self.name = run, index, name

    @property
    def position(self) -> Array:
        """m: frames x 3."""
        return self._run.positions[:, self.index]

    @property
    def rotation(self) -> Array:
        """Quaternions w x y z: frames x 4."""
        return self._run.rotations[:, self.index]

    @property
    def velocity(self) -> Array:
        """m/s: frames x 3."""
        return self._run.velocities[:, self.index]

    @property
    def spin(self) -> Array:
        """rad/s: frames x 3."""
        return self._run.spins[:, self.index]


class Recording:
    """A recording: arrays by name, figures, the viewer. In Jupyter, the recording alone on a line shows it."""

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        close_what_waits()
        handle, error = ffi.new("PerpRecording **"), new_error()
        with files:
            status = lib.perp_recording_open(ffi.NULL, encoded(self.path, "path"), handle, error)
        check(status, error)
        self._handle: Any = ffi.gc(handle[0], lambda recording: close_forgotten(lib.perp_recording_close, recording))
        self._cache: dict[str, Any] = {}
        self.bodies = [text(lib.perp_recording_body(self._handle, k).name) for k in range(self.info.bodies)]
        self.joints = [text(lib.perp_recording_joint(self._handle, k)) for k in range(self.info.joints)]
        numbers = range(lib.perp_recording_sensor_count(self._handle))
        self._sensors = [text(lib.perp_recording_sensor(self._handle, k)) for k in numbers]
        self._sensor_units = [text(lib.perp_recording_sensor_unit(self._handle, k)) for k in numbers]

    def _c(self) -> Any:
        if self._handle is None:
            raise Closed("the recording is closed")
        return self._handle

    def close(self) -> None:
        """Closes the file, as soon as nothing reads it; arrays that were read stay."""
        with files:
            self._handle = None

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refresh(self) -> None:
        """Looks again at a file that is still being written."""
        with files:
            error = new_error()
            check(lib.perp_recording_refresh(self._c(), error), error)
            self._cache.clear()

    @property
    def info(self) -> RecordingInfo:
        """Where the run came from and how it was made."""
        with files:
            handle = self._c()
            return RecordingInfo(copied(lib.perp_recording_info(handle)))

    def __len__(self) -> int:
        """How many frames there are; the start counts."""
        return self.info.frames

    @property
    def series(self) -> list[str]:
        """Names of the series that the recording has, such as "energy/kinetic"."""
        with files:
            names = [lib.perp_recording_series_name(k) for k in range(lib.perp_recording_series_count())]
            return [text(name) for name in names if lib.perp_recording_has(self._c(), name)]

    def __getitem__(self, name: str) -> Array:
        """A series by its name, such as "time", "energy/kinetic", "certificate/worst", "step/contacts"."""
        if not isinstance(name, str):
            raise TypeError("series have names, such as 'energy/kinetic'; run.series lists them")
        if name not in self._cache:
            if name not in self.series:
                raise KeyError(unknown("series", name, self.series))
            values = self._read(lib.perp_recording_series, (1,), encoded(name, "name"))
            self._cache[name] = values.reshape(-1)
        found: Array = self._cache[name]
        return found

    def _read(self, read: Any, width: tuple[int, ...], *first: Any) -> Array:
        with files:
            frames = len(self)
            made, error = np.zeros((frames, *width)), new_error()
            check(read(self._c(), *first, 0, frames, pointer(made), error), error)
            return made

    def _cached(self, name: str, read: Any, width: tuple[int, ...]) -> Array:
        if name not in self._cache:
            self._cache[name] = self._read(read, width)
        found: Array = self._cache[name]
        return found

    @property
    def time(self) -> Array:
        """s, of the frames."""
        return self["time"]

    def _poses(self) -> Array:
        return self._cached("poses", lib.perp_recording_poses, (len(self.bodies), 7))

    def _motion(self) -> Array:
        return self._cached("motion", lib.perp_recording_velocities, (len(self.bodies), 6))

    @property
    def positions(self) -> Array:
        """m: frames x bodies x 3."""
        return self._poses()[:, :, :3]

    @property
    def rotations(self) -> Array:
        """Quaternions w x y z: frames x bodies x 4."""
        return self._poses()[:, :, 3:]

    @property
    def velocities(self) -> Array:
        """m/s: frames x bodies x 3."""
        return self._motion()[:, :, :3]

    @property
    def spins(self) -> Array:
        """rad/s: frames x bodies x 3."""
        return self._motion()[:, :, 3:]

    @property
    def coordinates(self) -> Array:
        """rad or m: frames x joints x 2."""
        return self._cached("coordinates", lib.perp_recording_coordinates, (len(self.joints), _COORDINATES))

    @property
    def sensors(self) -> Array:
        """The numbers of all sensors, one sensor behind the other: frames x numbers."""
        return self._cached("sensors", lib.perp_recording_sensors, (len(self._sensors),))

    @property
    def sensor_names(self) -> list[str]:
        """Names of the sensors, in order."""
        return list(dict.fromkeys(map(_sensor_of, self._sensors)))

    def sensor(self, which: str) -> Array:
        """The numbers of a sensor, frames x numbers; one of them by its own name, such as "felt.x", frames."""
        names = self.sensor_names
        if which in self._sensors and which not in names:
            return self.sensors[:, self._sensors.index(which)]
        which = names[index_of(names, "sensor", which)]
        return self.sensors[:, [_sensor_of(each) == which for each in self._sensors]]

    def body(self, which: str | int) -> RecordedBody:
        """A body by its name or index."""
        index = index_of(self.bodies, "body", which)
        return RecordedBody(self, index, self.bodies[index])

    def joint(self, which: str | int) -> Array:
        """The coordinates of a joint: frames x 2."""
        return self.coordinates[:, index_of(self.joints, "joint", which)]

    def _frame(self, frame: int) -> int:
        index, frames = number(frame, "int", "frame"), len(self)
        if not -frames <= index < frames:
            raise IndexError(f"there is no frame {index}, there are {frames}")
        return int(index) % frames

    def contacts(self, frame: int) -> npt.NDArray[Any]:
        """The contacts of a frame, a structured array."""
        index = self._frame(frame)
        with files:
            found, count, error = ffi.new("PerpRecordedContact **"), ffi.new("int *"), new_error()
            handle = self._c()  # its memory, which the next call may take
            check(lib.perp_recording_contacts(handle, index, found, count, error), error)
            if not count[0]:
                return np.zeros(0, dtype=RECORDED_CONTACT)
            size = count[0] * RECORDED_CONTACT.itemsize
            return np.frombuffer(ffi.buffer(found[0], size), dtype=RECORDED_CONTACT).copy()

    def state(self, frame: int) -> tuple[Array, Array]:
        """q and v of a frame, to the bit."""
        index = self._frame(frame)
        with files:
            n_q, n_v, handle, error = ffi.new("int *"), ffi.new("int *"), self._c(), new_error()
            lib.perp_recording_state_size(handle, n_q, n_v)
            q, v = np.zeros(n_q[0]), np.zeros(n_v[0])
            check(lib.perp_recording_state(handle, index, pointer(q), pointer(v), error), error)
        return q, v

    @property
    def journal(self) -> Array:
        """What a program did to the simulation, as numbers: docs/recording.md."""
        with files:
            numbers, count, error = ffi.new("double **"), ffi.new("long *"), new_error()
            check(lib.perp_recording_journal(self._c(), numbers, count, error), error)
            if not count[0]:
                return np.zeros(0)
            return np.frombuffer(ffi.buffer(numbers[0], 8 * count[0])).copy()

    def given(self, frame: int) -> bool:
        """Whether a program changed the state or gravity between the frame before and this one: what is stored before
        and after is then neither work nor loss."""
        index, journal = self._frame(frame), self.journal
        if index == 0:
            return False
        steps = [int(step) for step in self["step/number"][index - 1:index + 1]]
        first, last = (lib.perp_journal_length(pointer(journal), len(journal), step) for step in steps)
        return bool(lib.perp_journal_gives(pointer(journal), first, last))

    def sensors_after(self, sim: Simulation, frame: int) -> Array:
        """What the sensors of a simulation of the same model show at a frame, computed from the frame's state, contacts
        and loads and from the frame before, if that is one step earlier; NaN: what these do not tell. Whole turns of
        angles and inputs count as they are in the simulation now."""
        index = self._frame(frame)
        (q, v), shown = self.state(index), np.full(sim.sensors.size, np.nan)
        if (q.size, v.size, len(self._sensors)) != (sim.q.size, sim.v.size, shown.size):
            raise ValueError("the simulation has other bodies or sensors than the recording")
        contacts, keep = self._reports(index), []
        at, step = ffi.new("PerpSensedState *"), ffi.new("PerpSensedStep *")

        def borrowed(values: Any) -> Any:
            keep.append(np.ascontiguousarray(values, dtype=float))
            return pointer(keep[-1])

        at.q, at.v, at.step = borrowed(q), borrowed(v), int(self["step/number"][index])
        at.h = self["step/length"][index] if contacts is not None and "step/length" in self.series else 0.0
        at.n_contacts = -1
        if contacts is not None:
            at.contacts, at.n_contacts = ffi.from_buffer("PerpContactReport[]", contacts), len(contacts)
        self._fill_loads(step, index, sim.controls.size, borrowed)
        before = self._state_before(index, borrowed)
        if before is not None:
            step.before, step.t = before, self["time"][index - 1]
            step.sensors = borrowed(self.sensors[index - 1])
            if self._has("coordinate") or not self.joints:
                width = _COORDINATES * len(self.joints)
                step.coordinates = borrowed(self._at(lib.perp_recording_coordinates, width, index - 1))
        with sim._alone():
            lib.perp_simulation_sensors_after(sim._handle, at, step, pointer(shown))
        return shown

    def _has(self, name: str) -> bool:
        with files:
            return bool(lib.perp_recording_has(self._c(), encoded(name, "name")))

    def _reports(self, frame: int) -> npt.NDArray[Any] | None:
        """The contacts of a frame as a step reports them; None: they are not recorded."""
        if not self._has("contacts/impulse") or "step/length" not in self.series:
            return None
        recorded = self.contacts(frame)
        made = np.zeros(len(recorded), dtype=CONTACT)
        for name in recorded.dtype.names or ():
            made[name] = recorded[name]
        return made

    def _state_before(self, frame: int, borrowed: Any) -> Any:
        """The state one step earlier; None: it is not recorded, or a program changed it."""
        steps = self["step/number"]
        if frame == 0 or steps[frame - 1] != steps[frame] - 1 or self.given(frame):
            return None
        before, (q, v) = ffi.new("PerpSensedState *"), self.state(frame - 1)
        before.q, before.v = borrowed(q), borrowed(v)
        return before

    def _at(self, read: Any, width: int, frame: int) -> Array:
        with files:
            made, error = np.zeros(width), new_error()
            check(read(self._c(), frame, 1, pointer(made), error), error)
            return made

    def _fill_loads(self, step: Any, frame: int, actuators: int, borrowed: Any) -> None:
        """The forces of joints and actuators in the step to a frame, as far as they are recorded."""
        if not self.joints or (self._has("loads/joint") and self._has("loads/motor")):
            step.reactions = borrowed(self._at(lib.perp_recording_reactions, 6 * len(self.joints), frame))
            step.motors = borrowed(self._at(lib.perp_recording_motor_forces, _COORDINATES * len(self.joints), frame))
        with files:
            recorded = lib.perp_recording_actuator_count(self._c()) if self._has("loads/actuator") else 0
        if recorded == actuators:
            step.actuators = borrowed(self._at(lib.perp_recording_actuator_forces, actuators, frame))
            if frame > 0:
                step.forces = borrowed(self._at(lib.perp_recording_actuator_forces, actuators, frame - 1))

    def worst(self, frame: int) -> str:
        """What the worst residual of a frame is of, such as "slip between a and b"."""
        index = self._frame(frame)
        with files:
            name, error = ffi.new("char[]", lib.PERP_NAME_SIZE), new_error()
            check(lib.perp_recording_worst(self._c(), index, name, error), error)
        return text(name)

    @property
    def events(self) -> npt.NDArray[Any]:
        """Impacts, slips, take-offs, limits: a structured array; kind counts as in perp.event_kinds()."""
        with files:
            handle = self._c()
            count = lib.perp_recording_events(handle)
            made, error = ffi.new("PerpRecordedEvent[]", max(count, 1)), new_error()
            for k in range(count):
                check(lib.perp_recording_event(handle, k, ffi.addressof(made, k), error), error)
        return np.frombuffer(ffi.buffer(made), dtype=EVENT)[:count].copy()

    def problems(self) -> list[StepProblem]:
        """The problems that were stored, each with its solution."""
        found = []
        with files:
            handle = self._c()
            for k in range(lib.perp_recording_problems(handle)):
                c, error = ffi.new("PerpRecordedProblem *"), new_error()
                check(lib.perp_recording_problem(handle, k, c, error), error)
                made = StepProblem._from_c(ffi.addressof(c, "problem"))
                made.t = c.t
                made.solution = (numbers_of(c.v, made.n_velocities), numbers_of(c.c, len(made.d)),
                                 numbers_of(getattr(c, "lambda"), len(made.mu)))
                found.append(made)
        return found

    def model(self) -> Model:
        """The model of the scene in the recording."""
        scene = Scene.__new__(Scene)
        with files:
            handle, error = ffi.new("PerpScene **"), new_error()
            check(lib.perp_recording_scene(self._c(), handle, error), error)
        scene.handle = ffi.gc(handle[0], lib.perp_scene_destroy)
        scene._take_texts({})
        return Model.__new__(Model)._take(scene)

    # --- for other programs --------------------------------------------------------------------------

    def to_dataframe(self) -> pandas.DataFrame:
        """All series, positions, joint coordinates and sensors as a pandas table, a row a frame, indexed by time."""
        import pandas

        columns = {name: self[name] for name in self.series if name != "time"}
        for k, body in enumerate(self.bodies):
            columns.update({f"{body}.{axis}": self.positions[:, k, i] for i, axis in enumerate("xyz")})
        for k, joint in enumerate(self.joints):
            columns[joint] = self.coordinates[:, k, 0]
        columns.update({number: self.sensor(number).reshape(len(self)) for number in self._sensors})
        return pandas.DataFrame(columns, index=pandas.Index(self.time, name="time"))

    def plot(self, what: str = "energy", ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Draws a series, a group of series such as "energy", a sensor, a joint or the position of a body, by
        matplotlib."""
        curves, unit = self._curves(what)
        if ax is None:
            import matplotlib.pyplot

            ax = matplotlib.pyplot.figure(layout="constrained").gca()
        for label, values in curves.items():
            ax.plot(self.time, values, label=label)
        if len(curves) > 1:
            ax.legend()
        ax.set_xlabel("time (s)")
        ax.set_ylabel(f"{what} ({unit})" if unit else what)
        return ax

    def _curves(self, what: str) -> tuple[dict[str, Array], str]:
        """What is drawn under a name: curves by their labels, and their unit."""
        group = [name for name in self.series if name.startswith(what + "/") and name != "energy/balance"]
        numbers = [number for number in self._sensors if what in (number, _sensor_of(number))]
        if what in self.series:
            return {what: self[what]}, self._unit(what)
        if group:
            return {name.partition("/")[2]: self[name] for name in group}, self._unit(group[0])
        if numbers:
            unit = self._sensor_units[self._sensors.index(numbers[0])]
            return {number: self.sensor(number).reshape(len(self)) for number in numbers}, unit
        if what in self.bodies:
            return {axis: self.body(what).position[:, i] for i, axis in enumerate("xyz")}, "m"
        if what in self.joints:
            return {what: self.joint(what)[:, 0]}, "rad or m"
        known = [*self.series, *{name.partition("/")[0] for name in self.series}, *self.sensor_names, *self.bodies, *self.joints]
        raise KeyError(unknown("quantity", what, known))

    def _unit(self, series: str) -> str:
        for k in range(lib.perp_recording_series_count()):
            if text(lib.perp_recording_series_name(k)) == series:
                return text(lib.perp_recording_series_unit(k))
        return ""

    def export(self, path: Path, format: str | None = None) -> int:
        """Writes it for other programs, by the ending of the path or the format: "csv", "contacts", "npz", "vtk",
        "gltf", "mcap", "fclib". Gives the number of files."""
        name = os.fspath(path)
        if format is None:
            endings = [(text(lib.perp_export_ending(k)), each) for k, each in enumerate(words_of("PerpExportFormat"))]
            fits = [each for ending, each in endings if name.endswith(ending)]
            if not fits:
                raise ValueError(f"what {name!r} is to be, its ending does not say; give format")
            format = fits[0]
        count, error = ffi.new("int *"), new_error()
        with files:
            status = lib.perp_export(ffi.NULL, self._c(), encoded(name, "path"), from_word("PerpExportFormat", format),
                                     ffi.NULL, count, error)
        check(status, error)
        return int(count[0])

    def check(self) -> dict[str, Any]:
        """What `perp check` finds: certificates, energies and bounds computed anew."""
        found: dict[str, Any] = json.loads(call("check", self.path, "--json"))
        return found

    def view(self, height: int = 480) -> Page:
        """The page of the viewer."""
        return Page.of_recording(self.path, height)

    def _repr_html_(self) -> str:
        return self.view()._repr_html_()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<perp recording: closed>"
        return f"<perp recording {self.path!r}: {len(self)} frames, {len(self.bodies)} bodies>"


def _sensor_of(number: str) -> str:
    """The sensor that a number belongs to: "felt" of "felt.x"."""
    name, dot, part = number.rpartition(".")
    return name if dot and part in ("w", "x", "y", "z") else number


def open(path: Path) -> Recording:
    """Opens a recording, also one that is being written."""
    return Recording(path)


def event_kinds() -> list[str]:
    """Words for the kinds of events."""
    return words_of("PerpEventKind")
