"""Simulations: a model in motion, step by step, each step solved and certified."""

from __future__ import annotations

import enum
import math
import operator
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from . import _declared
from ._declared import SETTINGS, Report, Settings
from ._errors import Busy, Closed, Error, check, error_of
from ._files import close_forgotten, files
from ._native import ffi, lib
from ._struct import (Array, MaterialName, Vector, array, c_array, copied, from_c, from_word, index_of, number, numbers_of,
                      pointer, set_fields, text, translate, vector, words_of)
from .model import Body, BodyName, Compiled, JointName, Model
from .shapes import unit

if TYPE_CHECKING:
    from .batch import Batch
    from .recording import Page, Recorder

ControlFunction = Callable[["Simulation"], None]
ForceFunction = Callable[[float, int, Array, Array], Union[tuple[Vector, Vector], None]]

_SLICE = 0.05  # s between two looks at signals
_PAUSE = 1e-4  # s between two slices of a recorded run, in which other threads may use files
_step_once = lib.native_step_once


class ContactStatus(enum.IntEnum):
    """What a contact did in the last step."""

    OPEN = lib.PERP_CONTACT_OPEN
    STICK = lib.PERP_CONTACT_STICK
    SLIP = lib.PERP_CONTACT_SLIP
    IMPACT = lib.PERP_CONTACT_IMPACT


def dtype_of(c_type: str) -> np.dtype[Any]:
    """The structured dtype of a C struct of numbers."""
    kinds = {"double": "f8", "int": "i4", "long": "i8", "unsigned long long": "u8"}
    names: list[str] = []
    formats: list[Any] = []
    offsets: list[int] = []
    for name, field in ffi.typeof(c_type).fields:
        many = field.type.kind == "array"
        kind = kinds.get((field.type.item if many else field.type).cname, "i4")
        names.append(name)
        formats.append((kind, (field.type.length,)) if many else kind)
        offsets.append(field.offset)
    layout: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(c_type)}
    return np.dtype(layout)


CONTACT = dtype_of("PerpContactReport")
"""The dtype of contacts: id, body_a, body_b (-1: the world), shape_a, shape_b, point (m), normal (from b to a), gap (m,
at the beginning of the step), impulse (N s, on a), velocity (m/s, of a against b after the step), mu, residual, status
(of ContactStatus); world axes."""


def settings_to_c(given: Mapping[str, Any], keep: list[Any]) -> Any:
    """The settings of C; words where C has numbers."""
    values = translate(given, SETTINGS, "a simulation")
    if isinstance(values.get("facets"), str):
        if values["facets"] != "circular":
            raise ValueError(f"facets is {values['facets']!r}, neither 'circular' nor a number")
        values["facets"] = lib.PERP_FACETS_CIRCULAR
    if "tolerance" in values:  # of both laws, also where it is the default of the exact one
        values.setdefault("held_tolerance", values["tolerance"])
    if "methods" in values and not isinstance(values["methods"], int):
        values["methods"] = sum({1 << from_word("PerpMethod", each) for each in values["methods"]})
        if not values["methods"]:
            raise ValueError("methods names none that may be used")
    settings = ffi.new("PerpSimulationSettings *")
    lib.perp_fill_simulation_settings(settings, ffi.sizeof("PerpSimulationSettings"))
    set_fields(settings, values, keep)
    return settings


class Callbacks:
    """Functions of Python that C calls during a step, and the first exception of them."""

    def __init__(self) -> None:
        self.force: ForceFunction | None = None
        self.control: Callable[[], None] | None = None
        self.stop: Callable[[], None] = lambda: None
        self.watch: Callable[[Any], None] | None = None
        self.raised: BaseException | None = None

    def raise_first(self) -> None:
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised


@from_c
def python_force(user: Any, t: float, body: int, position: Any, rotation: Any, force: Any, torque: Any) -> None:
    callbacks: Callbacks = ffi.from_handle(user)
    try:
        if callbacks.raised is None and callbacks.force is not None:
            given = callbacks.force(t, body, numbers_of(position, 3), numbers_of(rotation, 4))
            if given is not None:
                both = [vector(each, 3, "what the force callback gives") for each in given]
                if len(both) != 2:
                    raise ValueError("the force callback gives (force, torque), or None")
                for k in range(3):
                    force[k] += both[0][k]
                    torque[k] += both[1][k]
    except BaseException as raised:
        callbacks.raised = raised
        force[0] = math.nan  # the step fails, and leaves the state as it was


@from_c
def python_control(user: Any, simulation: Any) -> None:
    callbacks: Callbacks = ffi.from_handle(user)
    try:
        if callbacks.control is not None and callbacks.raised is None:
            callbacks.control()
    except BaseException as raised:
        callbacks.raised = raised
        callbacks.stop()


@from_c
def python_watch(user: Any, solved: Any) -> None:
    callbacks: Callbacks = ffi.from_handle(user)
    try:
        if callbacks.watch is not None and callbacks.raised is None:
            callbacks.watch(solved)
    except BaseException as raised:
        callbacks.raised = raised


class Verdict(_declared.Verdict):
    """What the run so far is worth: each check with its value, its bound and whether it holds.

    >>> import perp
    >>> m = perp.Model()
    >>> ball = m.body(perp.Sphere(0.1))
    >>> sim = m.simulate()
    >>> sim.step(10)
    >>> sim.verdict.certified, sim.verdict.check["energy-balance"].holds, sim.verdict.remedies
    (True, True, [])
    """

    __slots__ = ()

    @property
    def remedies(self) -> list[str]:
        """The checks that do not hold, in words, with what would help."""
        room = ffi.new("char[1024]")
        return [text(lib.perp_verdict_text(self._c, k, room, len(room))) for k in range(lib.PERP_CHECK_COUNT)
                if self._c.check[k].applies and not self._c.check[k].holds]


class Nearest(NamedTuple):
    """Where two shapes are nearest to each other, or overlap most."""

    distance: float
    """m; negative: overlap"""
    point_a: Array
    """m, on the first shape, in the world"""
    point_b: Array
    """m, on the second"""
    normal: Array
    """Of length 1, from the second to the first"""


class BodyState:
    """A body in motion: views of the simulation's arrays."""

    __slots__ = ("_sim", "index", "name")

    def __init__(self, sim: Simulation, index: int, name: str) -> None:
        self._sim = sim
        self.index = index
        self.name = name

    @property
    def position(self) -> Array:
        """m, of the body's frame."""
        return self._sim.positions[self.index]  # type: ignore[no-any-return]

    @property
    def rotation(self) -> Array:
        """Quaternion w x y z."""
        return self._sim.rotations[self.index]  # type: ignore[no-any-return]

    @property
    def velocity(self) -> Array:
        """m/s, of the origin of the body's frame."""
        return self._sim.velocities[self.index]  # type: ignore[no-any-return]

    @velocity.setter
    def velocity(self, value: Vector) -> None:
        self._sim.set_velocity(self.index, velocity=value)

    @property
    def spin(self) -> Array:
        """rad/s, about the world's axes."""
        return self._sim.spins[self.index]  # type: ignore[no-any-return]

    @spin.setter
    def spin(self, value: Vector) -> None:
        self._sim.set_velocity(self.index, spin=value)

    @property
    def mass(self) -> float:
        """kg."""
        return float(self._sim._compiled_model().masses[self.index])

    @property
    def momentum(self) -> tuple[Array, Array]:
        """m v of the centre of mass (N s) and angular momentum about it (N m s), world axes."""
        return self._sim._momentum(self.index)

    def __repr__(self) -> str:
        return f"<perp body {self.name!r} at {self.position.tolist()}>"


class JointState:
    """A joint in motion."""

    __slots__ = ("_sim", "index", "name")

    def __init__(self, sim: Simulation, index: int, name: str) -> None:
        self._sim = sim
        self.index = index
        self.name = name

    @property
    def coordinates(self) -> Array:
        """rad or m, two numbers; 0 where the joint has fewer. Angles are counted over turns."""
        return self._sim.coordinates[self.index]  # type: ignore[no-any-return]

    @property
    def coordinate(self) -> float:
        """The first of them."""
        return float(self.coordinates[0])

    @property
    def speed(self) -> float:
        """rad/s or m/s, of the first."""
        return float(self._sim.speeds[self.index, 0])

    @property
    def reaction(self) -> tuple[Array, Array]:
        """Force (N) and moment (N m) on the second body, about the anchor, world axes."""
        return self._sim.reaction(self.index)

    def __repr__(self) -> str:
        return f"<perp joint {self.name!r} at {self.coordinates.tolist()}>"


class Simulation:
    """A model in motion; Model.simulate makes one.

    Arrays such as positions are made once and hold the state after every later step; copy them to keep one. They
    cannot be written to, and outlive the simulation.

    >>> import perp
    >>> m = perp.Model()
    >>> ball = m.body(perp.Sphere(0.1), at=(0, 0, 1), name="ball")
    >>> with m.simulate(h=1e-3) as sim:
    ...     sim.step(1000)
    ...     print(f"t = {sim.t:g} s, z = {sim.body('ball').position[2]:.4f} m, {sim.report.outcome}")
    t = 1 s, z = -3.9050 m, solved
    """

    def __init__(self, model: Model, settings: Settings, force: ForceFunction | None = None,
                 control: ControlFunction | None = None) -> None:
        self._start(model.copy(), settings, force, control)

    # --- owners --------------------------------------------------------------------------------------

    _noun = "simulation"
    _control: ControlFunction | None = None

    def _begin(self, settings: Mapping[str, Any], force: ForceFunction | None) -> None:
        if hasattr(self, "_run"):
            raise Error("the simulation is there already: make another one")
        self._given = dict(settings)
        self._basic: set[str] = set()  # names of attributes that belong to no class derived from this
        self._compiled: Compiled | None = None
        self._run = new_run()
        self._error = ffi.addressof(self._run, "error")
        self._turn = ffi.addressof(self._run, "turn")
        self._holder: Callable[[], Alone | None] = nobody
        self._callbacks = Callbacks()
        self._callbacks.force = force
        self._user = ffi.new_handle(self._callbacks)
        self._arrays: dict[str, Array] = {}
        self._memory: list[Any] = []  # of the arrays
        self._room = 16  # for contacts
        self._recorder: Recorder | None = None
        self._inside = 0  # the thread that is in the control callback
        self._controls: Array | None = None
        self._controls_view: Array | None = None

    def _start(self, model: Model, settings: Mapping[str, Any], force: ForceFunction | None,
               control: ControlFunction | None) -> None:
        """Makes the simulation of a model that nobody changes."""
        for name, function in (("force", force), ("control", control)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} is not callable")
        before = set(vars(self))
        self.model = model
        model._is_simulated = True
        self._begin(settings, force)
        compiled = model.compile()
        self._compiled = compiled
        self._create(lambda settings: lib.native_run_start(self._run, compiled.holder, settings))
        self._control = control
        if control is not None:
            self._callbacks.control, self._callbacks.stop = self._call_control, self._stop
            lib.native_set_control_callback(self._handle, self._user)
        self._basic = set(vars(self)) - before

    def _create(self, create: Callable[[Any], int]) -> None:
        keep: list[Any] = []
        settings = settings_to_c(self._given, keep)
        if self._callbacks.force is not None:
            lib.native_set_force(settings, self._user)
        status = create(settings)
        self._callbacks.raise_first()
        check(status, self._error)
        self._handle: Any = self._run.simulation
        self._shapes = array_shapes(self._handle, self._compiled)

    def close(self) -> None:
        """Frees the memory of the simulation, and ends its recording. Everything but its arrays then raises Closed."""
        self._not_inside("close")
        try:
            with self._alone():
                try:
                    if self._recorder is not None:
                        self._recorder._end(finished=False)
                finally:
                    lib.native_run_close(self._run)
        except Closed:
            pass  # before

    @property
    def closed(self) -> bool:
        """Whether close was called."""
        return bool(self._run.simulation == ffi.NULL)

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _alone(self) -> Alone:
        return Alone(self)

    # --- steps ---------------------------------------------------------------------------------------

    def step(self, n: int = 1, h: float = 0.0, *, progress: bool = False) -> None:
        """Takes n steps of h seconds, by default of the setting h. Other threads of Python run meanwhile.

        A step that fails raises, and leaves the state as it was before that step.
        progress: a bar on standard error
        """
        user = self._user  # C calls it back, whatever callbacks do to this object
        status = _step_once(self._run) if n == 1 and h == 0.0 and not progress else lib.NATIVE_RECORDED
        if status in (lib.NATIVE_RECORDED, lib.NATIVE_BUSY):
            self._not_inside("step")
            with self._alone():
                status = self._steps(n, h, progress)
        if status or self._callbacks.raised is not None:
            self._fail(status)

    def run(self, seconds: float | None = None, *, progress: bool = False) -> None:
        """Steps for that many seconds; None: for the duration that the scene asks for."""
        if seconds is None:
            if self.model.run is None:
                raise ValueError("the model is of no scene, so how long to run must be said: run(seconds)")
            seconds = self.model.run.duration
        seconds = number(seconds, "double", "seconds")
        steps = seconds / self.h
        if not (0 <= steps < 1e15):
            raise ValueError(f"{seconds} s in steps of {self.h} s cannot be run")
        self.step(max(round(steps), 1) if seconds > 0 else 0, progress=progress)

    def _steps(self, n: int, h: float, progress: bool) -> int:
        n, h = steps_and_length(n, h)
        if self._recorder is not None:
            self._recorder._check_process()
        taken = 0
        while taken < n:
            status = self._some_steps(h, min(n - taken, 1 << 30))
            if status or self._callbacks.raised is not None:
                return int(status)
            taken += self._run.taken
            if progress:
                bar = "#" * (40 * taken // n)
                print(f"\r[{bar:40}] {taken}/{n}", end="\n" if taken == n else "", file=sys.stderr, flush=True)
        return 0

    def _some_steps(self, h: float, most: int) -> Any:
        if self._recorder is None:
            return lib.native_step(self._run, h, most, _SLICE)
        with files:
            status = lib.native_step(self._run, h, most, _SLICE)
        if self._run.taken < most:
            time.sleep(_PAUSE)
        return status

    def _fail(self, status: int) -> None:
        self._callbacks.raise_first()
        raise error_of(status, self._error)

    def _call_control(self) -> None:
        """What C calls at the control rate: the arrays are those of now, and what acts may be set."""
        check(lib.native_read(self._run), self._error)
        self._inside = threading.get_ident()
        try:
            assert self._control is not None
            self._control(self)
            if self._controls is not None:  # what it wrote there acts in this step
                check(lib.perp_simulation_set_controls(self._handle, pointer(self._controls), self._error), self._error)
        finally:
            self._inside = 0

    def _stop(self) -> None:
        self._run.stop = True

    def _not_inside(self, what: str) -> None:
        if self._inside == threading.get_ident():
            raise Busy(f"a control callback may not {what} its own simulation")

    # --- the state -----------------------------------------------------------------------------------

    def _array(self, name: str) -> Array:
        found = self._arrays.get(name)
        return self._view(name) if found is None else found

    def _view(self, name: str) -> Array:
        """An array that every step fills; made when it is first asked for."""
        if name not in self._shapes:
            self._compiled_model()
        with self._alone():
            memory, view = c_array(self._shapes[name], writeable=False)
            self._memory.append(memory)
            setattr(self._run.arrays, name, memory)
            check(lib.native_read(self._run), self._error)
            self._arrays[name] = view
        return view

    def _compiled_model(self) -> Compiled:
        if self._compiled is None:
            raise Error("a custom system has no bodies and joints")
        return self._compiled

    @property
    def positions(self) -> Array:
        """m, of the bodies' frames: bodies x 3."""
        return self._array("position")

    @property
    def rotations(self) -> Array:
        """Quaternions w x y z: bodies x 4."""
        return self._array("rotation")

    @property
    def velocities(self) -> Array:
        """m/s, of the origins of the bodies' frames: bodies x 3."""
        return self._array("velocity")

    @velocities.setter
    def velocities(self, values: Any) -> None:
        given = array(values, self.velocities.shape, "velocities")
        for k, velocity in enumerate(given):
            self.set_velocity(k, velocity=velocity)

    @property
    def spins(self) -> Array:
        """rad/s, about the world's axes: bodies x 3."""
        return self._array("spin")

    @spins.setter
    def spins(self, values: Any) -> None:
        given = array(values, self.spins.shape, "spins")
        for k, spin in enumerate(given):
            self.set_velocity(k, spin=spin)

    @property
    def coordinates(self) -> Array:
        """rad or m, of the joints: joints x 2, 0 where a joint has fewer. Angles are counted over turns."""
        return self._array("coordinate")

    @property
    def speeds(self) -> Array:
        """rad/s or m/s, of the joints: joints x 2, 0 where a joint has fewer."""
        return self._array("speed")

    @property
    def sensors(self) -> Array:
        """The numbers of all sensors, one sensor behind the other."""
        return self._array("sensor")

    def sensor(self, which: str | int) -> Array:
        """The numbers of a sensor, by its name or index; a view."""
        compiled = self._compiled_model()
        start, count = compiled.sensor_places[index_of(compiled.sensor_names, "sensor", which)]
        return self.sensors[start:start + count]

    @property
    def controls(self) -> Array:
        """What the actuators are told, one number each, yours to write: set before every step, and after a control
        callback. NaN for those that follow a signal.

        >>> import perp
        >>> m = perp.Model()
        >>> cart = m.body(perp.Box(1, 1, 1), mass=2)
        >>> rail = m.slider(None, cart, axis=(1, 0, 0))
        >>> motor = m.actuator("motor", rail)
        >>> sim = m.simulate()
        >>> sim.controls[:] = 4
        >>> sim.step(1000)
        >>> float(sim.speeds[0, 0].round(6))
        2.0
        """
        if self._controls_view is None:
            with self._alone():
                memory, made = c_array((len(self._compiled_model().actuator_names),), writeable=True)
                self._memory.append(memory)
                self._fill_controls(made)
                self._controls, self._run.controls = made, memory
                self._controls_view = made.view()
        return self._controls_view

    @controls.setter
    def controls(self, values: Any) -> None:
        whole = self.controls
        whole[:] = array(values, whole.shape, "controls")

    def _fill_controls(self, made: Array) -> None:
        for k, actuator in enumerate(self.model._items["actuators"]):
            follows = actuator.get("control", -1) >= 0
            made[k] = math.nan if follows else lib.perp_simulation_control(self._handle, k)

    @property
    def q(self) -> Array:
        """Generalised positions: of rigid bodies seven numbers each, centre of mass and rotation."""
        return self._array("q")

    @property
    def v(self) -> Array:
        """Generalised velocities: of rigid bodies what their freedom leaves of velocity and spin in body axes."""
        return self._array("v")

    @property
    def t(self) -> float:
        """s, at the end of the last step."""
        with self._alone():
            return float(lib.perp_simulation_time(self._handle))

    @property
    def h(self) -> float:
        """s, the length of steps."""
        return float(self._settings().step)

    def _settings(self) -> Any:
        with self._alone():
            settings = ffi.new("PerpSimulationSettings *")
            lib.perp_simulation_copy_settings(self._handle, settings, ffi.sizeof("PerpSimulationSettings"))
            return settings

    @property
    def scheme(self) -> str:
        """The scheme of time stepping."""
        return str(ffi.string(self._settings().scheme).decode())

    # --- by name -------------------------------------------------------------------------------------

    def body(self, which: BodyName) -> BodyState:
        """A body by what Model.body gave, by its name or by its index."""
        names = self._compiled_model().body_names
        index = index_of(names, "body", which.name if isinstance(which, Body) else which)
        return BodyState(self, index, names[index])

    def joint(self, which: JointName) -> JointState:
        """A joint by what Model.hinge and the like gave, by its name or by its index."""
        names = self._compiled_model().joint_names
        index = index_of(names, "joint", which.name if isinstance(which, Body) else which)
        return JointState(self, index, names[index])

    def set_velocity(self, body: BodyName, velocity: Vector | None = None, spin: Vector | None = None) -> None:
        """Sets the velocity (m/s, of the frame's origin) and the spin (rad/s, world axes) of a body; neither counts as
        work in the energy ledger. None: as it is."""
        index = self.body(body).index
        with self._alone():
            now, turning = ffi.new("double[3]"), ffi.new("double[3]")
            lib.perp_simulation_velocity(self._handle, index, now, turning)
            new = now if velocity is None else finite(velocity, "velocity")
            turn = turning if spin is None else finite(spin, "spin")
            lib.perp_simulation_set_velocity(self._handle, index, new, turn)
            check(lib.native_read(self._run), self._error)

    def set_pose(self, body: BodyName, at: Vector | None = None, quaternion: Vector | None = None) -> None:
        """Sets the position (m) and the rotation of a body's frame; None: as it is. Joints that it opens are closed by
        the next step."""
        index = self.body(body).index
        self._not_inside("move")
        with self._alone():
            now, turned = ffi.new("double[3]"), ffi.new("double[4]")
            lib.perp_simulation_pose(self._handle, index, now, turned)
            new = now if at is None else finite(at, "at")
            turn = turned if quaternion is None else ffi.new("double[4]", unit(quaternion))
            check(lib.perp_simulation_set_pose(self._handle, index, new, turn, self._error), self._error)
            check(lib.native_read(self._run), self._error)

    def set_coordinate(self, joint: JointName, value: float | None = None, *, speed: float | None = None,
                       coordinate: int = 0) -> None:
        """Sets a coordinate of a joint (rad or m), and its speed: moves the second body and all that hangs on it."""
        index, which = self.joint(joint).index, number(coordinate, "int", "coordinate")
        self._not_inside("move")
        with self._alone():
            if value is not None:
                given = number(value, "double", "value")
                check(lib.perp_simulation_set_coordinate(self._handle, index, which, given, self._error), self._error)
            if speed is not None:
                given = number(speed, "double", "speed")
                check(lib.perp_simulation_set_joint_speed(self._handle, index, which, given, self._error), self._error)
            check(lib.native_read(self._run), self._error)

    def set_gravity(self, gravity: Vector) -> None:
        """m/s^2, from now on."""
        self._not_inside("change")
        with self._alone():
            check(lib.perp_simulation_set_gravity(self._handle, finite(gravity, "gravity"), self._error), self._error)

    def set_wrench(self, body: BodyName, force: Vector = (0, 0, 0), torque: Vector = (0, 0, 0)) -> None:
        """A force (N) and moment (N m) on a body at its centre of mass, world axes, in every step from now on."""
        index = self.body(body).index
        with self._alone():
            check(lib.perp_simulation_set_wrench(self._handle, index, finite(force, "force"), finite(torque, "torque"),
                                                 self._error), self._error)

    def set_control(self, actuator: str | int, value: float) -> None:
        """What an actuator is told, until it is set again."""
        index = index_of(self._compiled_model().actuator_names, "actuator", actuator)
        given = number(value, "double", "value")
        with self._alone():
            check(lib.perp_simulation_set_control(self._handle, index, given, self._error), self._error)
            if self._controls is not None:
                self._controls[index] = given

    def set_input(self, signal: str | int, value: float) -> None:
        """The value of a signal that is an input."""
        index = index_of(self._compiled_model().signal_names, "signal", signal)
        with self._alone():
            check(lib.perp_simulation_set_input(self._handle, index, number(value, "double", "value"), self._error),
                  self._error)

    def apply_impulse(self, impulse: Vector) -> None:
        """An impulse from outside, now: len(v) numbers, N s or N m s along each of the velocities v. Closed contacts and
        joints answer it; what was approached before bounces."""
        given = np.array(array(impulse, self._shapes["v"], "impulse"))
        self._not_inside("change")
        with self._alone():
            status = lib.perp_simulation_apply_impulse(self._handle, pointer(given), self._error)
            self._callbacks.raise_first()
            check(status, self._error)
            check(lib.native_read(self._run), self._error)

    def set_friction(self, a: MaterialName, b: MaterialName, mu: float) -> None:
        """The coefficient of sliding friction between two materials from now on, in all directions."""
        index, other, value = self.model._material(a), self.model._material(b), number(mu, "double", "mu")
        with self._alone():
            check(lib.perp_simulation_set_friction(self._handle, index, other, value, self._error), self._error)

    def friction(self, a: MaterialName, b: MaterialName) -> float:
        """The coefficient of sliding friction between two materials, as it is."""
        index, other = self.model._material(a), self.model._material(b)
        with self._alone():
            return float(lib.perp_simulation_friction(self._handle, index, other))

    def signal(self, which: str | int) -> float:
        """The value of a signal at its last sample."""
        index = index_of(self._compiled_model().signal_names, "signal", which)
        with self._alone():
            return float(lib.perp_simulation_signal(self._handle, index))

    def actuator_force(self, which: str | int) -> float:
        """N or N m, the mean over the last step."""
        index = index_of(self._compiled_model().actuator_names, "actuator", which)
        with self._alone():
            return float(lib.perp_simulation_actuator_force(self._handle, index))

    def actuator_power(self, which: str | int) -> float:
        """W, the mean over the last step."""
        index = index_of(self._compiled_model().actuator_names, "actuator", which)
        with self._alone():
            return float(lib.perp_simulation_actuator_power(self._handle, index))

    def actuator_length(self, which: str | int) -> float:
        """rad or m, of the coordinate, tendon or distance that it acts on, times its gear."""
        index = index_of(self._compiled_model().actuator_names, "actuator", which)
        with self._alone():
            return float(lib.perp_simulation_actuator_length(self._handle, index))

    def motor_force(self, joint: JointName, coordinate: int = 0) -> float:
        """N or N m of a joint's own motor, without actuators; the mean over the last step."""
        index, which = self.joint(joint).index, number(coordinate, "int", "coordinate")
        with self._alone():
            return float(lib.perp_simulation_motor_force(self._handle, index, which))

    def motion_force(self, body: BodyName) -> tuple[Array, Array]:
        """Force (N) and moment (N m) about its centre by which a prescribed motion moves a body, world axes; means over
        the last step."""
        index = self.body(body).index
        moved = [motion.get("body", 0) for motion in self.model._items["motions"]]
        if index not in moved:
            raise ValueError(f"the motion of {self.body(index).name!r} is not prescribed")
        with self._alone():
            force, moment = np.zeros(3), np.zeros(3)
            lib.perp_simulation_motion_force(self._handle, moved.index(index), pointer(force), pointer(moment))
            return force, moment

    @property
    def motion_error(self) -> tuple[float, str | None]:
        """How far bodies and lengths are from where prescribed motions have them now (m or rad), and the name of the
        body or actuator that is farthest off; None: none is. The next step takes them there."""
        names = self._compiled_model()
        with self._alone():
            actuator, motion = ffi.new("int *"), ffi.new("int *")
            off = float(lib.perp_simulation_motion_error(self._handle, actuator, motion))
        if motion[0] >= 0:
            return off, names.body_names[self.model._items["motions"][motion[0]].get("body", 0)]
        return off, names.actuator_names[actuator[0]] if actuator[0] >= 0 else None

    def site(self, which: str | int) -> tuple[Array, Array]:
        """Where a site is: its position (m) and its rotation (quaternion w x y z) in the world."""
        index = index_of(self._compiled_model().site_names, "site", which)
        with self._alone():
            position, rotation = np.zeros(3), np.zeros(4)
            lib.perp_simulation_site(self._handle, index, pointer(position), pointer(rotation))
            return position, rotation

    def reaction(self, joint: JointName) -> tuple[Array, Array]:
        """Force (N) and moment (N m) of a joint on its second body, about the anchor, world axes; means over the last
        step."""
        index = self.joint(joint).index
        with self._alone():
            force, moment = np.zeros(3), np.zeros(3)
            lib.perp_simulation_joint_reaction(self._handle, index, pointer(force), pointer(moment))
            return force, moment

    def cast_ray(self, origin: Vector, direction: Vector, limit: float = 100.0) -> tuple[float, str] | None:
        """How far along a ray the first shape is (m), and the name of its body; None: nothing within the limit."""
        names, hit = self._compiled_model().body_names, ffi.new("PerpRayHit *")
        start, along = finite(origin, "origin"), finite(direction, "direction")
        far = number(limit, "double", "limit")
        if not any(along):
            raise ValueError("the direction of the ray is zero")
        if not far >= 0:
            raise ValueError(f"limit is {far} m, not >= 0")
        with self._alone():
            if not lib.perp_simulation_cast_ray(self._handle, start, along, far, lib.PERP_ANY_BODY, hit):
                return None
        return float(hit.distance), names[hit.body] if hit.body >= 0 else "world"

    def distance(self, a: BodyName, b: BodyName) -> float:
        """m: the least signed distance of the shapes of two bodies, None: the world."""
        indices = [-1 if each is None or each == "world" else self.body(each).index for each in (a, b)]
        with self._alone():
            return float(lib.perp_simulation_distance(self._handle, *indices))

    def _shape(self, which: str | int) -> int:
        self._compiled_model()
        return self.model._index("shapes", "shape", which)

    def nearest(self, a: str | int, b: str | int) -> Nearest | None:
        """Where two shapes, by name or index, are nearest to each other; None: both are of triangles, or far apart."""
        first, second, found = self._shape(a), self._shape(b), ffi.new("PerpNearest *")
        with self._alone():
            if not lib.perp_simulation_nearest(self._handle, first, second, found):
                return None
        return Nearest(float(found.distance), *(np.array(list(each)) for each in (found.point_a, found.point_b, found.normal)))

    def overlaps(self, shape: str | int) -> list[str]:
        """Names of the shapes that overlap one, of those that may touch it."""
        index, names = self._shape(shape), self.model._names("shapes")
        found = ffi.new("int[]", max(len(names), 1))
        with self._alone():
            count = lib.perp_simulation_overlaps(self._handle, index, found, len(names))
        return [names[found[k]] for k in range(count)]

    def jacobian(self, body: BodyName, point: Vector) -> Array:
        """6 x len(v): velocity of a point of a body (given in the world) and the body's spin are jacobian @ v."""
        index, at = self.body(body).index, finite(point, "point")
        made = np.zeros((6, *self._shapes["v"]))
        with self._alone():
            lib.perp_simulation_jacobian(self._handle, index, at, pointer(made))
        return made

    def mass_product(self, v: Vector) -> Array:
        """M v."""
        given, made = array(v, self._shapes["v"], "v"), np.zeros(self._shapes["v"])
        self._compiled_model()
        with self._alone():
            lib.perp_simulation_mass_product(self._handle, pointer(given), pointer(made))
        return made

    def _momentum(self, index: int) -> tuple[Array, Array]:
        with self._alone():
            linear, angular = np.zeros(3), np.zeros(3)
            lib.perp_simulation_momentum(self._handle, index, pointer(linear), pointer(angular))
            return linear, angular

    # --- what the last step did ----------------------------------------------------------------------

    @property
    def contacts(self) -> npt.NDArray[Any]:
        """The contacts of the last step, a structured array of dtype CONTACT, yours to keep.

        >>> import perp
        >>> m = perp.Model()
        >>> m.world(perp.Plane())
        >>> ball = m.body(perp.Sphere(0.1), at=(0, 0, 0.1))
        >>> sim = m.simulate()
        >>> sim.step()
        >>> bool(sim.contacts["status"][0] == perp.ContactStatus.STICK)
        True
        """
        with self._alone():
            made = np.empty(self._room, dtype=CONTACT)
            count: int = lib.native_contacts(self._run, ffi.from_buffer("PerpContactReport[]", made), self._room)
            if count > self._room:
                self._room = count + count // 2
                made = np.empty(self._room, dtype=CONTACT)
                lib.native_contacts(self._run, ffi.from_buffer("PerpContactReport[]", made), self._room)
            return made[:count]

    @property
    def limits(self) -> list[tuple[str, float]]:
        """Joints at their limits and taut ropes in the last step: name and impulse in N s or N m s."""
        names = self._compiled_model().joint_names
        with self._alone():
            found = [lib.perp_simulation_limit(self._handle, k)
                     for k in range(lib.perp_simulation_limit_count(self._handle))]
        return [(names[each.joint], each.impulse) for each in found]

    @property
    def report(self) -> Report:
        """What the last step did: certificate, energy, worst row; yours to keep."""
        with self._alone():
            return Report(copied(lib.perp_simulation_report(self._handle)))

    @property
    def verdict(self) -> Verdict:
        """What the run so far is worth: docs/verdict.md. Each step may be solved, and the run be wrong all the same."""
        with self._alone():
            return Verdict(copied(lib.perp_simulation_verdict(self._handle)))

    @property
    def stage_times(self) -> dict[str, float]:
        """CPU seconds that the last step spent in each of its stages, after time_stages()."""
        with self._alone():
            return {name: float(lib.perp_simulation_stage_time(self._handle, k))
                    for k, name in enumerate(words_of("PerpTiming"))}

    def time_stages(self, measure: bool = True) -> None:
        """Whether later steps measure what they spend their time with."""
        with self._alone():
            lib.perp_simulation_time_stages(self._handle, number(measure, "_Bool", "measure"))

    def shortest_forces(self, shortest: bool = True) -> None:
        """Whether the forces of later steps are the shortest of all that cause the same motion also while bodies move;
        at rest they always are. It changes the digits that later steps start from."""
        with self._alone():
            lib.perp_simulation_shortest_forces(self._handle, number(shortest, "_Bool", "shortest"))

    def judge_contacts(self, judge: bool = True) -> None:
        """Whether the contacts of later steps have residuals, which costs a certificate more of each problem."""
        with self._alone():
            lib.perp_simulation_judge_contacts(self._handle, number(judge, "_Bool", "judge"))

    # --- checkpoints ---------------------------------------------------------------------------------

    def reset(self, keyframe: str | int | None = None) -> None:
        """Back to the start, or to a keyframe of the model: later steps have the same bits as the first time."""
        self._not_inside("reset")
        index = None if keyframe is None else index_of(self._compiled_model().keyframe_names, "keyframe", keyframe)
        with self._alone():
            status = (lib.perp_simulation_reset(self._handle, self._error) if index is None else
                      lib.perp_simulation_reset_to(self._handle, index, self._error))
            self._look()
            check(status, self._error)

    def _look(self) -> None:
        """Arrays and controls as they are in C now."""
        check(lib.native_read(self._run), self._error)
        if self._controls is not None:
            self._fill_controls(self._controls)

    def save(self) -> bytes:
        """Everything that later steps depend on. A simulation of the same model, settings and build that is restored
        goes on to the same bits."""
        with self._alone():
            size = lib.perp_simulation_state_size(self._handle)
            made = ffi.new("char[]", size)
            lib.perp_simulation_save(self._handle, made)
            return bytes(ffi.buffer(made, size))

    def restore(self, state: bytes) -> None:
        """Goes back to what save gave. What does not fit is refused and changes nothing."""
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise TypeError(f"a state is bytes, as save gives, not {type(state).__name__}")
        given = bytes(state)
        self._not_inside("restore")
        with self._alone():
            check(lib.perp_simulation_restore(self._handle, given, len(given), self._error), self._error)
            self._look()

    def copy(self) -> Simulation:
        """Another simulation of the same model in the same state; it is not recorded."""
        made = self._again()
        made.restore(self.save())
        return made

    def _again(self) -> Simulation:
        made = type(self).__new__(type(self))
        made._start(self.model, self._given, self._callbacks.force, self._control)
        vars(made).update(self._extra())
        return made

    def _extra(self) -> dict[str, Any]:
        """Attributes of a class that is derived from this, or that somebody has added."""
        return {name: value for name, value in vars(self).items() if name not in self._basic}

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Simulation:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "settings": self._given, "force": self._callbacks.force,
                "control": self._control, "state": self.save(), "extra": self._extra()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._start(state["model"], state["settings"], state["force"], state["control"])
        vars(self).update(state["extra"])
        self.restore(state["state"])

    # --- problems ------------------------------------------------------------------------------------

    @contextmanager
    def watch(self) -> Iterator[list[Any]]:
        """Collects the problems of the steps within, with their solutions, as StepProblem.

        >>> import perp
        >>> m = perp.Model()
        >>> m.world(perp.Plane())
        >>> ball = m.body(perp.Sphere(0.1), at=(0, 0, 0.1))
        >>> sim = m.simulate()
        >>> with sim.watch() as problems:
        ...     sim.step()
        >>> [problem.n_contacts for problem in problems]
        [1]
        """
        from .problems import StepProblem

        found: list[Any] = []
        if self._callbacks.watch is not None or (self._recorder is not None and self._recorder.problems != "none"):
            raise ValueError("the problems are being watched, or recorded, already")
        with self._alone():
            self._callbacks.watch = lambda solved: found.append(StepProblem._of_step(solved))
            lib.native_watch(self._handle, self._user)
        try:
            yield found
        finally:
            if not self.closed:
                with self._alone():
                    self._callbacks.watch = None
                    lib.native_watch(self._handle, ffi.NULL)

    def view(self) -> Page:
        """The present state as a page of the viewer: shown by Jupyter, page.save(path) writes it."""
        from .recording import Page

        return Page.of_simulation(self)

    def __repr__(self) -> str:
        if self.closed:
            return "<perp simulation: closed>"
        return f"<perp simulation: {self.model!r} at t = {self.t:g} s>"


class Alone:
    """Within, one thread uses a simulation or a batch, once: no callback of it but the control callback, and nothing
    else that Python may run meanwhile, such as a signal's handler or a number that is an object."""

    __slots__ = ("_owner", "__weakref__")

    def __init__(self, owner: Simulation | Batch) -> None:
        self._owner = owner

    def __enter__(self) -> None:
        owner = self._owner
        taken = lib.native_take(owner._turn)
        if taken == lib.NATIVE_TAKEN or (taken == lib.NATIVE_TAKEN_BEFORE and owner._holder() is None):
            owner._holder = weakref.ref(self)  # gone after an interrupt, whether or not it has left
        elif taken or owner._inside != threading.get_ident():
            raise busy()
        if owner.closed:
            lib.native_leave(owner._turn)
            raise closed(owner)

    def __exit__(self, *_: object) -> None:
        lib.native_leave(self._owner._turn)


def nobody() -> None:
    """Who has a turn that was never taken."""


def new_run() -> Any:
    """What holds a simulation; its memory goes with it, in whatever order Python frees the rest."""
    made = lib.native_run_create()
    if made == ffi.NULL:
        raise MemoryError
    return ffi.gc(made, _destroy_run)


def _destroy_run(run: Any) -> None:
    if run.recorder == ffi.NULL:
        lib.native_run_destroy(run)
    else:
        close_forgotten(lib.native_run_destroy, run)


def array_shapes(handle: Any, compiled: Compiled | None) -> dict[str, tuple[int, ...]]:
    """The arrays that a simulation fills, by their names in C; a custom system has no bodies."""
    count = ffi.new("int *")
    lib.perp_simulation_q(handle, count)
    shapes: dict[str, tuple[int, ...]] = {"t": (), "q": (count[0],)}
    lib.perp_simulation_v(handle, count)
    shapes["v"] = (count[0],)
    if compiled is not None:
        bodies, joints = len(compiled.body_names), len(compiled.joint_names)
        shapes.update(position=(bodies, 3), rotation=(bodies, 4), velocity=(bodies, 3), spin=(bodies, 3),
                      coordinate=(joints, lib.PERP_JOINT_COORDINATES), speed=(joints, lib.PERP_JOINT_COORDINATES),
                      sensor=(compiled.sensor_numbers,))
    return shapes


def steps_and_length(n: int, h: float, least: int = 0) -> tuple[int, float]:
    """How many steps, and how long each is (0: as the settings say), if that can be."""
    steps, length = operator.index(number(n, "", "n")), float(number(h, "double", "h"))
    if not least <= steps < 10**15:
        raise ValueError(f"n is {steps}, not in {least} .. 1e15")
    if not (length == 0 or 0 < length < math.inf):
        raise ValueError(f"h is {length} s, not > 0")
    return steps, length


def busy() -> Busy:
    return Busy("it is in use by another thread, or by the call that this callback or signal's handler interrupts")


def closed(owner: Simulation | Batch) -> Closed:
    return Closed(f"the {owner._noun} is closed")


def finite(value: Any, name: str) -> Any:
    given = vector(value, 3, name)
    if not all(math.isfinite(x) for x in given):
        raise ValueError(f"{name} is {value!r}, which is not finite")
    return ffi.new("double[3]", given)


def schemes() -> dict[str, str]:
    """The schemes of time stepping: name and one line about each."""
    return {ffi.string(lib.perp_scheme_name(k)).decode(): ffi.string(lib.perp_scheme_text(k)).decode()
            for k in range(lib.perp_scheme_count())}


def sensor_kinds() -> dict[str, str]:
    """The kinds of sensors: word and unit ("" where it depends on the joint or has none)."""
    return {name: ffi.string(lib.perp_sensor_kind_unit(k)).decode()
            for k, name in enumerate(words_of("PerpSensorKind"))}


def methods() -> list[str]:
    """The methods of the ladder, for the setting `methods`."""
    return words_of("PerpMethod")
