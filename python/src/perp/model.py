"""Models built in code, or loaded from scene files, that compile into the library's constant model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from typing_extensions import TypedDict, Unpack

from ._declared import (ACTUATORFIELDS, AXISFIELDS, BODYFIELDS, FORCEFIELDS, JOINTFIELDS, MATERIALFIELDS, PAIRFIELDS,
                        SENSORFIELDS, SETTINGS, SHAPEFIELDS, SITEFIELDS, SPRINGFIELDS, ActuatorFields, AxisFields, BodyFields,
                        ForceFields, JointFields, MaterialFields, PairFields, Run, SensorFields, Settings, SiteFields,
                        SpringFields)
from ._errors import Error, check, new_error
from ._native import ffi, lib
from ._struct import (Changing, Field, MaterialName, Vector, array, copied, documented, encoded, from_word, get_fields,
                      index_of, mapping, number, owned, set_fields, text, translate, unknown, vector, word)
from .shapes import Shape, Turn, place, size_in_c

if TYPE_CHECKING:
    from .simulation import ControlFunction, ForceFunction, Simulation

Path = Union[str, "os.PathLike[str]"]

# the arrays of PerpModelDef: struct, what fills it with defaults, fields of counts and sizes
_ARRAYS: dict[str, tuple[str, str, str, str]] = {
    "bodies": ("PerpBodyDef", "body", "n_bodies", "body_size"),
    "shapes": ("PerpShapeDef", "shape", "n_shapes", "shape_size"),
    "joints": ("PerpJointDef", "joint", "n_joints", "joint_size"),
    "springs": ("PerpSpringDef", "spring", "n_springs", "spring_size"),
    "forces": ("PerpForceDef", "force", "n_forces", "force_size"),
    "materials": ("PerpMaterialDef", "material", "n_materials", "material_size"),
    "pairs": ("PerpPairDef", "pair", "n_pairs", "pair_size"),
    "exclusions": ("PerpExclusionDef", "", "n_exclusions", ""),
    "sites": ("PerpSiteDef", "site", "n_sites", "site_size"),
    "signals": ("PerpSignalDef", "signal", "n_signals", "signal_size"),
    "actuators": ("PerpActuatorDef", "actuator", "n_actuators", "actuator_size"),
    "motions": ("PerpMotionDef", "motion", "n_motions", "motion_size"),
    "sensors": ("PerpSensorDef", "sensor", "n_sensors", "sensor_size"),
    "keyframes": ("PerpKeyframeDef", "keyframe", "n_keyframes", "keyframe_size"),
}
_SINGLE = {"bodies": "body", "shapes": "shape", "joints": "joint", "sites": "site", "signals": "signal",
           "actuators": "actuator", "sensors": "sensor", "keyframes": "keyframe"}
_AXIS = {"PerpAxisDef": "axis_def", "PerpAxisSoftDef": "axis_soft"}
_FREEDOM = {"fixed": 0, "x": 1, "y": 2, "z": 4, "rotation-x": 8, "rotation-y": 16, "rotation-z": 32, "all": 63,
            "point": 7, "planar-xy": 35, "planar-xz": 21}
_ROTATIONS = 56


class Body:
    """A body of a model, to refer to it."""

    __slots__ = ("model", "index", "name")

    def __init__(self, model: Model, index: int, name: str) -> None:
        self.model = model
        self.index = index
        self.name = name

    def __repr__(self) -> str:
        return f"<perp {type(self).__name__.lower()} {self.name!r}>"


class Joint(Body):
    """A joint of a model, to refer to it."""

    __slots__ = ()


BodyName = Union[Body, str, int, None]
"""A body: what Model.body gave, its name, or its index; None or "world" for the world."""
JointName = Union[Joint, str, int]
Coordinate = Union[JointName, tuple[JointName, int]]
"""A joint, or a joint and which of its coordinates, 0 or 1."""


class OneAxisFields(JointFields, AxisFields, total=False):
    """Of a joint with one coordinate, and what acts on that."""


class Pose(TypedDict, total=False):
    """Where a body is in a keyframe, and how it moves, by the words of Model.body."""

    at: Vector
    turn: Turn
    quaternion: Vector
    velocity: Vector
    spin: Vector


@documented(AXISFIELDS)
class Axis:
    """What acts on one coordinate of a universal or cylindrical joint.

    >>> Axis(lower=-1, upper=1, friction=0.1)
    Axis(lower=-1, upper=1, friction=0.1)
    """

    def __init__(self, **fields: Unpack[AxisFields]) -> None:
        self._values = translate(fields, AXISFIELDS, "an axis")

    def _of(self, struct: str) -> dict[str, Any]:
        return {name: value for name, value in self._values.items() if AXISFIELDS[name].struct == struct}

    def __repr__(self) -> str:
        return f"Axis({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"


def freedom_bits(free: Any) -> int:
    """The bits of a word, of a list of words, or a number that is given as it is."""
    if isinstance(free, str):
        free = [free]
    if isinstance(free, (list, tuple)):
        for each in free:
            if each not in _FREEDOM:
                raise ValueError(unknown("freedom", each, list(_FREEDOM)))
        bits = 0
        for each in free:
            bits |= _FREEDOM[each]
        return bits
    return int(number(free, "int", "free"))


def names_of(handle: Any, what: str) -> list[str]:
    """Names of the parts of a compiled model."""
    count, name = getattr(lib, f"perp_model_{what}_count"), getattr(lib, f"perp_model_{what}_name")
    return [text(name(handle, k)) for k in range(count(handle))]


class Compiled:
    """The constant model of the library, with its names."""

    def __init__(self, handle: Any) -> None:
        holder = lib.native_model_create(handle)
        if holder == ffi.NULL:
            lib.perp_model_destroy(handle)
            raise MemoryError
        self.holder, self.handle = ffi.gc(holder, lib.native_model_release), handle
        self.body_names = names_of(handle, "body")
        self.joint_names = names_of(handle, "joint")
        self.actuator_names = names_of(handle, "actuator")
        self.sensor_names = names_of(handle, "sensor")
        self.site_names = names_of(handle, "site")
        self.keyframe_names = names_of(handle, "keyframe")
        self.signal_names = names_of(handle, "signal")
        self.sensor_places = [(int(lib.perp_model_sensor_start(handle, k)),
                               int(lib.perp_sensor_kind_numbers(lib.perp_model_sensor_kind(handle, k))))
                              for k in range(len(self.sensor_names))]
        self.sensor_numbers = int(lib.perp_model_sensor_numbers(handle))
        self.masses = np.array([lib.perp_model_body_mass(handle, k) for k in range(len(self.body_names))])
        self.masses.flags.writeable = False


class Model:
    """Bodies, shapes, joints, springs and forces. SI units, z is up, quaternions w x y z.

    >>> import perp
    >>> m = perp.Model()
    >>> m.world(perp.Plane())
    >>> box = m.body(perp.Box(1, 1, 1), at=(0, 0, 0.5), name="box")
    >>> sim = m.simulate()
    >>> sim.step(100)
    >>> sim.body(box).position.round(6).tolist()
    [0.0, 0.0, 0.5]

    gravity: m/s^2, three numbers
    control_every: steps between samples of signals and calls of the control callback
    noise_seed: of the sensors
    """

    def __init__(self, gravity: Vector = (0, 0, -9.81), *, control_every: int = 1, noise_seed: int = 0) -> None:
        self._gravity = vector(gravity, 3, "gravity")
        self._more = {"control_every": number(control_every, "int", "control_every"),
                      "noise_seed": number(noise_seed, "int", "noise_seed")}
        self._items: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _ARRAYS}
        self._compiled: Compiled | None = None
        self._scene: Scene | None = None  # as long as it is not changed

    # --- bodies and shapes ---------------------------------------------------------------------------

    @documented(BODYFIELDS)
    def body(self, *shapes: Shape, turn: Turn | None = None, density: float | None = None,
             material: MaterialName | None = None, **fields: Unpack[BodyFields]) -> Body:
        """Adds a body made of shapes.

        turn: axis and angle in rad, instead of quaternion
        density, material: of shapes that say none themselves
        free: directions in which it may move: "all", "fixed", "point", "planar-xy", "planar-xz", or a list of
            "x", "y", "z", "rotation-x", "rotation-y", "rotation-z"
        mass: without inertia it is spread over the shapes as their densities say
        """
        if "inertia" in fields and np.shape(fields["inertia"]) == (3,):
            fields = {**fields, "inertia": (*fields["inertia"], 0, 0, 0)}
        values = place(translate(fields, BODYFIELDS, "a body"), turn)
        if "freedom" in values:
            values["freedom"] = freedom_bits(values["freedom"])
        if "centre" in values and "inertia" not in values:
            raise ValueError("centre needs inertia, which is about the centre of mass")
        if "inertia" in values and "mass" not in values:
            raise ValueError("inertia needs mass")
        made = [self._shape_values(shape, density, material) for shape in shapes]
        index = self._add("bodies", values)
        for shape in made:
            self._add("shapes", {**shape, "body": index})
        return Body(self, index, values.get("name") or f"body-{index}")

    def world(self, *shapes: Shape, material: MaterialName | None = None) -> None:
        """Adds shapes that never move."""
        for values in [self._shape_values(shape, None, material) for shape in shapes]:
            self._add("shapes", {**values, "body": -1})

    def _shape_values(self, shape: Shape, density: float | None, material: MaterialName | None) -> dict[str, Any]:
        if not isinstance(shape, Shape):
            raise TypeError(f"{shape!r} is no shape; perp.Box, perp.Sphere and the like make one")
        values = dict(shape._values)
        if density is not None:
            values.setdefault("density", density)
        if material is not None:
            values.setdefault("material", material)
        if "material" in values:
            values["material"] = self._material(values["material"])
        set_fields(ffi.new("PerpShapeDef *"), values, [])
        return values

    # --- joints --------------------------------------------------------------------------------------

    def _joint(self, kind: str, a: BodyName, b: BodyName, fields: JointFields, axes: Sequence[Axis] = (),
               **values: Any) -> Joint:
        made = translate(fields, JOINTFIELDS, f"a {kind}")
        made.update({name: value for name, value in values.items() if value is not None})
        made.update(kind=from_word("PerpJointKind", kind), body_a=self._body(a), body_b=self._body(b))
        for struct, field in _AXIS.items() if axes else ():
            made[field] = [axis._of(struct) for axis in axes]
        index = self._add("joints", made)
        return Joint(self, index, made.get("name") or f"joint-{index}")

    @documented(JOINTFIELDS)
    def ball(self, a: BodyName, b: BodyName, *, at: Vector, **fields: Unpack[JointFields]) -> Joint:
        """Two bodies with a common point `at`: m, in the world at the start, like all points and axes of joints."""
        return self._joint("ball", a, b, fields, anchor=vector(at, 3, "at"))

    def _with_axis(self, kind: str, a: BodyName, b: BodyName, at: Vector, axis: Vector, fields: OneAxisFields) -> Joint:
        translate(fields, {**JOINTFIELDS, **AXISFIELDS}, f"a {kind}")
        of_axis: Any = {name: value for name, value in fields.items() if name in AXISFIELDS}
        of_joint: Any = {name: value for name, value in fields.items() if name in JOINTFIELDS}
        return self._joint(kind, a, b, of_joint, [Axis(**of_axis)], anchor=vector(at, 3, "at"),
                           axis=vector(axis, 3, "axis"))

    @documented(JOINTFIELDS, AXISFIELDS)
    def hinge(self, a: BodyName, b: BodyName, *, at: Vector, axis: Vector = (0, 0, 1),
              **fields: Unpack[OneAxisFields]) -> Joint:
        """Two bodies with a common point `at` and axis; its coordinate is the angle of b against a."""
        return self._with_axis("hinge", a, b, at, axis, fields)

    @documented(JOINTFIELDS, AXISFIELDS)
    def slider(self, a: BodyName, b: BodyName, *, at: Vector = (0, 0, 0), axis: Vector = (0, 0, 1),
               **fields: Unpack[OneAxisFields]) -> Joint:
        """b moves along an axis of a; its coordinate is the position."""
        return self._with_axis("slider", a, b, at, axis, fields)

    @documented(JOINTFIELDS)
    def universal(self, a: BodyName, b: BodyName, *, at: Vector, axis: Vector, second_axis: Vector,
                  first: Axis | None = None, second: Axis | None = None, **fields: Unpack[JointFields]) -> Joint:
        """A common point; `axis` of a and `second_axis` of b stay perpendicular. Coordinates: angles about them."""
        return self._joint("universal", a, b, fields, [first or Axis(), second or Axis()],
                           anchor=vector(at, 3, "at"), axis=vector(axis, 3, "axis"),
                           axis_b=vector(second_axis, 3, "second_axis"))

    @documented(JOINTFIELDS)
    def cylindrical(self, a: BodyName, b: BodyName, *, at: Vector, axis: Vector = (0, 0, 1),
                    first: Axis | None = None, second: Axis | None = None, **fields: Unpack[JointFields]) -> Joint:
        """b slides along (first) and turns about (second) an axis of a."""
        return self._joint("cylindrical", a, b, fields, [first or Axis(), second or Axis()],
                           anchor=vector(at, 3, "at"), axis=vector(axis, 3, "axis"))

    @documented(JOINTFIELDS)
    def weld(self, a: BodyName, b: BodyName, *, at: Vector = (0, 0, 0), **fields: Unpack[JointFields]) -> Joint:
        """Two bodies that do not move against each other."""
        return self._joint("weld", a, b, fields, anchor=vector(at, 3, "at"))

    @documented(JOINTFIELDS)
    def distance(self, a: BodyName, b: BodyName, *, at: Vector, to: Vector, length: float = 0,
                 **fields: Unpack[JointFields]) -> Joint:
        """A rigid rod from the point `at` of a to the point `to` of b. length: m, default as at the start."""
        return self._joint("distance", a, b, fields, anchor=vector(at, 3, "at"), anchor_b=vector(to, 3, "to"),
                           length=length)

    @documented(JOINTFIELDS)
    def rope(self, a: BodyName, b: BodyName, *, at: Vector, to: Vector, length: float = 0, restitution: float = 0,
             **fields: Unpack[JointFields]) -> Joint:
        """The points `at` of a and `to` of b are at most `length` (m, default as at the start) apart.

        restitution: 0 to 1, when it goes taut
        """
        return self._joint("rope", a, b, fields, anchor=vector(at, 3, "at"), anchor_b=vector(to, 3, "to"),
                           length=length, restitution=restitution)

    @documented(JOINTFIELDS)
    def point_on_plane(self, a: BodyName, b: BodyName, *, at: Vector, axis: Vector = (0, 0, 1),
                       **fields: Unpack[JointFields]) -> Joint:
        """The point `at` of b stays in the plane of a whose normal is `axis`."""
        return self._joint("point-on-plane", a, b, fields, anchor=vector(at, 3, "at"), axis=vector(axis, 3, "axis"))

    @documented(JOINTFIELDS)
    def coupling(self, a: JointName, b: JointName, *, ratio: Vector = (1, -1),
                 coordinates: tuple[int, int] = (0, 0), **fields: Unpack[JointFields]) -> Joint:
        """Gears, racks, screws: ratio[0] coordinate(a) + ratio[1] coordinate(b) stays as it is."""
        one, other = vector(ratio, 2, "ratio")
        first, second = (number(each, "int", "coordinates") for each in coordinates)
        return self._joint("coupling", None, None, fields, joint_a=self._joint_index(a), joint_b=self._joint_index(b),
                           ratio_a=one, ratio_b=other, coordinate_a=first, coordinate_b=second)

    # --- springs, forces, materials ------------------------------------------------------------------

    @documented(SPRINGFIELDS)
    def spring(self, a: BodyName, b: BodyName, **fields: Unpack[SpringFields]) -> None:
        """A spring and damper from the point `at` of a to the point `to` of b, in the world at the start."""
        values = translate(fields, SPRINGFIELDS, "a spring")
        self._add("springs", {**values, "body_a": self._body(a), "body_b": self._body(b)})

    @documented(FORCEFIELDS)
    def force(self, body: BodyName, **fields: Unpack[ForceFields]) -> None:
        """A force on a body: force + wave sin(2 pi frequency t + phase), from start to end.

        >>> import perp
        >>> m = perp.Model()
        >>> box = m.body(perp.Box(1, 1, 1))
        >>> m.force(box, force=("100*sin(t)", 0, 0), name="push")
        """
        values = {**translate(fields, FORCEFIELDS, "a force"), "body": self._body(body)}
        name = values.get("name") or f"force-{len(self._items['forces'])}"
        for field in ("force", "torque"):
            values.update(self._changing(values.get(field, ()), field, name))
        self._add("forces", values)

    def _changing(self, given: Changing, field: str, name: str) -> dict[str, Any]:
        """The constant part and the signals of three numbers; nothing to add unless one of them is text."""
        if isinstance(given, str) or not any(isinstance(each, str) for each in given):
            return {}
        constant = vector([0 if isinstance(each, str) else each for each in given], 3, field)
        signals = [self._signal(each, f"{name} {field} {axis}") if isinstance(each, str) else -1
                   for each, axis in zip(given, "xyz")]
        return {field: constant, f"{field}_signal": signals}

    @documented(MATERIALFIELDS)
    def material(self, name: str, **fields: Unpack[MaterialFields]) -> str:
        """Adds a material, or describes the one named "default"; gives its name, for shapes."""
        values = {**translate(fields, MATERIALFIELDS, "a material"), "name": name}
        set_fields(ffi.new("PerpMaterialDef *"), values, [])
        materials = self._items["materials"]
        if not materials:
            self._add("materials", {"name": "default"})
        known = [each.get("name", "") for each in materials]
        if name == "default" and "default" in known:
            self._changed()
            materials[known.index(name)].update(values)
        elif name in known:
            raise ValueError(f"there is a material {name!r} already")
        else:
            self._add("materials", values)
        return name

    @documented(PAIRFIELDS)
    def pair(self, a: MaterialName, b: MaterialName, **fields: Unpack[PairFields]) -> None:
        """How two materials rub and bounce, instead of what follows from each."""
        values = {**translate(fields, PAIRFIELDS, "a pair"), "material_a": self._material(a),
                  "material_b": self._material(b)}
        self._add("pairs", values)

    def exclude(self, a: BodyName, b: BodyName) -> None:
        """The two bodies never touch."""
        self._add("exclusions", {"body_a": self._body(a), "body_b": self._body(b)})

    # --- acting and measuring ------------------------------------------------------------------------

    @documented(SITEFIELDS)
    def site(self, name: str, body: BodyName = None, *, turn: Turn | None = None, **fields: Unpack[SiteFields]) -> str:
        """A named frame on a body, or in the world; gives its name."""
        values = place(translate(fields, SITEFIELDS, "a site"), turn)
        self._add("sites", {**values, "name": name, "body": self._body(body)})
        return name

    def signal(self, name: str, value: str | float | Sequence[Vector] = 0.0, *, cubic: bool = False,
               constants: Mapping[str, float] = {}) -> str:
        """A number that changes: an expression of t and of what is measured, such as "-12*hinge.angle", a table of
        (t, value) rows, or a number, which sim.set_input changes; gives its name.

        cubic: between the rows of a table, else linear
        constants: numbers that the expression may name
        """
        values: dict[str, Any] = {"name": name, "cubic": cubic}
        if mapping(constants, "constants"):
            values["constants"] = [{"name": each, "value": number(value, "double", each)}
                                   for each, value in constants.items()]
            values["n_constants"] = len(constants)
        if isinstance(value, str):
            values["expression"] = value
        elif isinstance(value, (Sequence, np.ndarray)):
            table = array(value, (-1, 2), "the table of t and value").copy()
            values.update(table=table, n_points=len(table))
        else:
            values["value"] = value
        self._add("signals", values)
        return name

    def _signal(self, which: str | int | None, name: str) -> int:
        """The index of a signal; an expression becomes one."""
        if which is None:
            return -1
        if isinstance(which, str) and which not in self._names("signals"):
            self.signal(name, which)
            return len(self._items["signals"]) - 1
        return self._index("signals", "signal", which)

    @documented(ACTUATORFIELDS)
    def actuator(self, name: str, joint: JointName | None = None, *, control: str | None = None,
                 site: str | None = None, to: str | None = None, tendon: Mapping[Any, float] | None = None,
                 **fields: Unpack[ActuatorFields]) -> str:
        """What acts on a joint's coordinate, on a tendon, between two sites, or by a wrench at a site; gives its name.

        control: a signal, or an expression; None: sim.controls sets it
        site, to: two sites, between which it acts; site alone: a wrench there
        tendon: ratio of each joint, by name, or by (name, 1) of its second coordinate
        """
        values = translate(fields, ACTUATORFIELDS, "an actuator")
        values.update(name=name, joint=-1 if joint is None else self._joint_index(joint),
                      site_a=-1 if site is None else self._index("sites", "site", site),
                      site_b=-1 if to is None else self._index("sites", "site", to))
        if tendon is not None:
            values["terms"] = [{**self._coordinate(each), "ratio": ratio}
                               for each, ratio in mapping(tendon, "tendon").items()]
            values["n_terms"] = len(values["terms"])
        self._check("actuators", values)
        values["control"] = self._signal(control, f"{name} control")
        self._add("actuators", values)
        return name

    def motion(self, body: BodyName, *, position: Sequence[str | None] = (None, None, None), angle: str | None = None,
               axis: Vector = (0, 0, 1), velocity: bool = False) -> None:
        """A body whose motion is given: signals or expressions of its position (m), and of its turn (rad) about an
        axis. velocity: they are m/s and rad/s instead."""
        index = self._index("bodies", "body", body)
        name = self._names("bodies")[index]
        if len(position) != 3:
            raise ValueError(f"position is {position!r}, not three signals")
        values = {"body": index, "axis": vector(axis, 3, "axis"), "is_velocity": velocity}
        self._check("motions", values)
        signals = [self._signal(each, f"{name} {direction}") for each, direction in zip(position, "xyz")]
        self._add("motions", {**values, "position": signals, "angle": self._signal(angle, f"{name} angle")})

    @documented(SENSORFIELDS)
    def sensor(self, name: str, kind: str, of: Any = None, *, other: BodyName | int = lib.PERP_ANY_BODY,
               frame: str | None = None, **fields: Unpack[SensorFields]) -> str:
        """A sensor, read after every step; gives its name.

        kind: "joint-position", "contact-force", "accelerometer", ...; perp.sensor_kinds() has all, with units
        of: the joint, actuator, body, site or signal; for sets of bodies a list of them, None: all
        other: contacts and distance: the other body, None or "world": the world
        frame: forces and moments: the site in whose axes they are
        """
        values = translate(fields, SENSORFIELDS, "a sensor")
        for each in ("shape", "other_shape"):
            if isinstance(values.get(each), str):
                values[each] = self._index("shapes", "shape", values[each])
        code = from_word("PerpSensorKind", kind)
        senses = lib.perp_sensor_kind_object(code)
        kinds = {lib.PERP_SENSES_JOINT: "joints", lib.PERP_SENSES_ACTUATOR: "actuators", lib.PERP_SENSES_BODY: "bodies",
                 lib.PERP_SENSES_SITE: "sites", lib.PERP_SENSES_SIGNAL: "signals"}
        if senses == lib.PERP_SENSES_BODIES:
            chosen = [] if of is None else [self._index("bodies", "body", each) for each in of]
            values.update(bodies=np.array(chosen, dtype=np.int32), n_bodies=len(chosen))
        else:
            values["index"] = self._index(kinds[senses], _SINGLE[kinds[senses]], of)
        if other != lib.PERP_ANY_BODY:
            values["other"] = self._body(other)
        if frame is not None:
            values["frame"] = self._index("sites", "site", frame)
        self._add("sensors", {**values, "name": name, "kind": code})
        return name

    def keyframe(self, name: str, *, joints: Mapping[Any, float | tuple[float, float]] = {},
                 bodies: Mapping[Any, Pose] = {}, controls: Mapping[str, float] = {}, inputs: Mapping[str, float] = {},
                 start: bool = False) -> str:
        """A named state, for sim.reset(name); what it does not say is as at the start. Gives its name.

        joints: rad or m, or (rad or m, rad/s or m/s), by name, or by (name, 1) of second coordinates; all that hangs
            on the joint moves along
        bodies: of each at, turn or quaternion, velocity, spin, as in Model.body
        controls: of actuators that follow no signal; inputs: of signals that are inputs
        start: simulations start from it

        >>> import perp
        >>> m = perp.Model()
        >>> box = m.body(perp.Box(1, 1, 1), name="box")
        >>> rail = m.slider(None, "box", axis=(1, 0, 0), name="rail")
        >>> m.keyframe("far", joints={"rail": (2.0, 0.5)})
        'far'
        >>> sim = m.simulate()
        >>> sim.reset("far")
        >>> sim.joint("rail").coordinate, sim.joint("rail").speed
        (2.0, 0.5)
        """
        if name in self._names("keyframes"):
            raise ValueError(f"there is a keyframe {name!r} already")
        for parts, what in ((joints, "joints"), (bodies, "bodies"), (controls, "controls"), (inputs, "inputs")):
            mapping(parts, what)
        of_joints = []
        for each, given in joints.items():
            position, speed = given if isinstance(given, tuple) else (given, 0.0)
            of_joints.append({**self._coordinate(each), "position": position, "speed": speed})
        poses = [self._pose(self._index("bodies", "body", each), pose) for each, pose in bodies.items()]
        of_controls, of_inputs = ([{"index": self._index(kind, what, each), "value": value} for each, value in given.items()]
                                  for kind, what, given in (("actuators", "actuator", controls), ("signals", "signal", inputs)))
        index = self._add("keyframes", {
            "name": name, "n_poses": len(poses), "poses": poses, "n_joints": len(of_joints), "joints": of_joints,
            "n_controls": len(of_controls), "controls": of_controls, "n_inputs": len(of_inputs), "inputs": of_inputs})
        if number(start, "_Bool", "start"):
            self._more = {**self._more, "keyframe": index}
        return name

    def _pose(self, body: int, given: Pose) -> dict[str, Any]:
        """Of a keyframe: the body's own start, and what is given."""
        known = {name: BODYFIELDS[name] for name in ("at", "quaternion", "velocity", "spin")}
        own = {"position": (0, 0, 0), "rotation": (1, 0, 0, 0), "velocity": (0, 0, 0), "spin": (0, 0, 0)}
        rest = {name: value for name, value in given.items() if name != "turn"}
        own.update({name: value for name, value in self._items["bodies"][body].items() if name in own})
        return {"body": body, **own, **place(translate(rest, known, "a pose"), given.get("turn"))}

    # --- names ---------------------------------------------------------------------------------------

    def _names(self, kind: str) -> list[str]:
        single = _SINGLE.get(kind, kind)
        return [item.get("name") or f"{single}-{k}" for k, item in enumerate(self._items[kind])]

    def _index(self, kind: str, what: str, which: Any) -> int:
        if isinstance(which, Body):
            if which.model is not self:
                raise ValueError(f"{which!r} is of another model")
            return which.index
        if not isinstance(which, str) and number(which, "int", what) < 0:  # C's world, or the last? neither
            raise IndexError(f"there is no {what} {which}")
        return index_of(self._names(kind), what, which)

    def _body(self, which: BodyName) -> int:
        return -1 if which is None or which == "world" else self._index("bodies", "body", which)

    def _joint_index(self, which: JointName) -> int:
        return self._index("joints", "joint", which)

    def _coordinate(self, which: Coordinate) -> dict[str, int]:
        joint, coordinate = which if isinstance(which, tuple) else (which, 0)
        return {"joint": self._joint_index(joint), "coordinate": number(coordinate, "int", "coordinate")}

    def _material(self, which: MaterialName) -> int:
        if which == "default" and not self._items["materials"]:
            return 0
        return self._index("materials", "material", which)

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, in order."""
        return self._names("bodies")

    @property
    def joints(self) -> list[str]:
        """Names of the joints, in order."""
        return self._names("joints")

    @property
    def actuators(self) -> list[str]:
        """Names of the actuators, in order."""
        return self._names("actuators")

    @property
    def sensors(self) -> list[str]:
        """Names of the sensors, in order."""
        return self._names("sensors")

    @property
    def materials(self) -> list[str]:
        """Names of the materials, in order; the first is of shapes that say none."""
        return self._names("materials") or ["default"]

    @property
    def shapes(self) -> list[str]:
        """Names of the shapes, in order."""
        return self._names("shapes")

    @property
    def sites(self) -> list[str]:
        """Names of the sites, in order."""
        return self._names("sites")

    @property
    def signals(self) -> list[str]:
        """Names of the signals, in order."""
        return self._names("signals")

    @property
    def keyframes(self) -> list[str]:
        """Names of the keyframes, in order."""
        return self._names("keyframes")

    @property
    def masses(self) -> dict[str, float]:
        """kg, of each body."""
        compiled = self.compile()
        return dict(zip(compiled.body_names, compiled.masses.tolist()))

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(items)} {kind}" for kind, items in self._items.items() if items)
        return f"<perp model: {counts or 'empty'}>"

    # --- compilation ---------------------------------------------------------------------------------

    def _changed(self) -> None:
        if self._is_simulated:
            raise Error("the model is that of a simulation or a batch and stays as it is; change a copy() of it and simulate that")
        self._compiled = self._scene = None

    def _check(self, kind: str, values: Mapping[str, Any]) -> None:
        """A wrong type or length is an error now, not later."""
        set_fields(ffi.new(f"{_ARRAYS[kind][0]} *"), values, [])

    def _add(self, kind: str, values: dict[str, Any]) -> int:
        self._check(kind, values)
        self._changed()
        self._items[kind].append(values)
        return len(self._items[kind]) - 1

    def compile(self) -> Compiled:
        """The constant model, checked by the library. Simulations of the same model share it."""
        if self._compiled is None:
            if self._scene is not None:
                self._compiled = self._scene.compile()
            else:
                items = dict(self._items)
                items["bodies"], items["shapes"] = self._with_shared_mass()
                self._compiled = compile_items(self._gravity, items, self._more)
        return self._compiled

    def _with_shared_mass(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """A mass without inertia is spread over the shapes, unless the body cannot turn."""
        bodies, shapes = list(self._items["bodies"]), list(self._items["shapes"])
        for index, body in enumerate(bodies):
            own = [k for k, shape in enumerate(shapes) if shape.get("body", -1) == index]
            turns = body.get("freedom", _FREEDOM["all"]) & _ROTATIONS
            if not body.get("mass") or any(body.get("inertia", ())) or not turns or not own:
                continue
            mass = number(body["mass"], "double", "mass")
            bodies[index] = {name: value for name, value in body.items() if name not in ("mass", "inertia", "centre")}
            alone = [{name: value for name, value in shapes[k].items() if name != "material"} | {"body": 0}
                     for k in own]
            total = compile_items(self._gravity, {"bodies": [bodies[index]], "shapes": alone}).masses[0]
            for k in own:
                density = shapes[k].get("density", 1000.0)
                shapes[k] = {**shapes[k], "density": density * (mass / total)}
        return bodies, shapes

    # --- variations ----------------------------------------------------------------------------------

    def vary(self, values: Mapping[str, Any]) -> Model:
        """Another model that differs in some numbers.

        "name.field" is a keyword of the body, joint, spring, force, material or shape of that name; "name.size",
        "name.density" and "name.material" of a body are those of its only shape; sizes are what the class of the
        shape takes. Names without a dot are parameters of the scene that the model was loaded from.

        >>> import perp
        >>> m = perp.Model()
        >>> box = m.body(perp.Box(1, 1, 1), name="box")
        >>> m.vary({"box.mass": 2.0}).masses
        {'box': 2.0}
        """
        for name in mapping(values, "values"):
            if not isinstance(name, str):
                raise TypeError(f"{name!r} is no name of what varies, such as 'box.mass'")
        parameters = {name: value for name, value in values.items() if "." not in name}
        if parameters:
            if self._scene is None:
                raise ValueError(f"{next(iter(parameters))!r} is a parameter of a scene, and the model is none")
            made = self.copy()._take(self._scene.with_parameters(parameters))
        else:
            made = self.copy()
        for name, value in values.items():
            if "." in name:
                made._changed()
                made._vary(name, value)
        return made

    def _vary(self, path: str, value: Any) -> None:
        name, _, field = path.rpartition(".")
        size = Field("size", "PerpShapeDef", "m", False)
        tables = {"bodies": BODYFIELDS, "joints": {**JOINTFIELDS, **AXISFIELDS}, "springs": SPRINGFIELDS,
                  "forces": FORCEFIELDS, "materials": MATERIALFIELDS, "actuators": ACTUATORFIELDS,
                  "sensors": SENSORFIELDS, "sites": SITEFIELDS, "shapes": {**SHAPEFIELDS, "size": size}}
        fits: list[str] = []
        for kind, table in tables.items():
            names = self._names(kind)
            if name not in names:
                continue
            fits += table
            if field in table:
                self._set(kind, names.index(name), table[field].name, value)
                return
        own = [k for k, shape in enumerate(self._items["shapes"])
               if name in self.bodies and shape.get("body", -1) == self.bodies.index(name)]
        if len(own) == 1 and field in tables["shapes"]:
            self._set("shapes", own[0], tables["shapes"][field].name, value)
        elif fits:
            raise KeyError(f"{name!r} has no {unknown('field', field, fits).partition('no ')[2]}")
        else:
            raise KeyError(unknown("item", name, [each for kind in tables for each in self._names(kind) if each]))

    def _set(self, kind: str, index: int, field: str, value: Any) -> None:
        item = dict(self._items[kind][index])
        if kind == "joints" and field in AXISFIELDS:
            place_of = _AXIS[AXISFIELDS[field].struct]
            axes = [dict(axis) for axis in item.get(place_of, [{}])]
            axes[0][field] = value
            item[place_of] = axes
        elif field == "size":
            shape = item["kind"] if isinstance(item["kind"], str) else word("PerpShapeKind", item["kind"])
            item["size"] = size_in_c(shape, [value] if np.ndim(value) == 0 else value)
        elif field == "freedom":
            item[field] = freedom_bits(value)
        elif kind == "shapes" and field == "material":
            item[field] = self._material(value)
        else:
            item[field] = owned(value)
        if kind == "bodies" and field == "mass" and "inertia" in item and any(item["inertia"]):
            factor = number(value, "double", "mass") / self._items[kind][index]["mass"]
            item["inertia"] = tuple(factor * each for each in item["inertia"])
        self._check(kind, item)
        self._items[kind][index] = item

    # --- motion --------------------------------------------------------------------------------------

    @documented(SETTINGS)
    def simulate(self, *, force: ForceFunction | None = None, control: ControlFunction | None = None,
                 **settings: Unpack[Settings]) -> Simulation:
        """A simulation of the model as it is now; of a loaded scene with the settings of its `run`.

        force: called in each step for each body as force(t, body, position, rotation) with the time, the
            index of the body and its pose then; what it gives acts during the step: (force, torque) in N and N m about
            the centre of mass, world axes, or None
        control: called as control(sim) at the beginning of a step, every control_every steps; it may look at the
            state and the sensors, and set controls, inputs and wrenches. If it raises, the step is finished first
        """
        from .simulation import Simulation

        if self._run is not None:
            settings = {**run_settings(self._run), **settings}  # type: ignore[typeddict-item]
        return Simulation(self, settings, force, control)

    _run: Run | None = None
    _is_simulated = False
    about = ""
    """What a loaded scene says of itself."""

    @property
    def run(self) -> Run | None:
        """How the scene asks to be run: duration, step, scheme; None if the model is built in code."""
        return self._run

    # --- copies --------------------------------------------------------------------------------------

    def copy(self) -> Model:
        """Another model with the same definitions."""
        made = type(self).__new__(type(self))
        vars(made).update(vars(self))
        made._items = {kind: [dict(item) for item in items] for kind, items in self._items.items()}
        made._is_simulated = False
        return made

    __copy__ = copy

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_compiled": None, "_is_simulated": False}

    def _take(self, scene: Scene) -> Model:
        """Becomes the model of a scene."""
        definition = lib.perp_scene_model_def(scene.handle)
        self._gravity = tuple(definition.gravity)
        self._more = {"control_every": definition.control_every, "noise_seed": definition.noise_seed,
                      "keyframe": definition.keyframe}
        self._items = {kind: [] for kind in _ARRAYS}
        for kind, (_, _, count, _) in _ARRAYS.items():
            for k in range(getattr(definition, count)):
                self._items[kind].append(get_fields(getattr(definition, kind)[k]))
        self._compiled, self._scene = None, scene
        self._run = Run(copied(lib.perp_scene_run(scene.handle)))
        self.about = text(lib.perp_scene_about(scene.handle))
        return self


def run_settings(run: Run) -> dict[str, Any]:
    """The settings that the program chooses for a scene."""
    return {"h": run.step, "scheme": run.scheme, "facets": run.facets,
            "restitution_threshold": run.restitution_threshold, "jacobian": run.jacobian, "stabilise": run.stabilise,
            "printed_coriolis": run.printed_coriolis, "linear": run.linear, "one_phase": run.one_phase,
            "printed_decompression": run.printed_decompression, "printed_collisions": run.printed_collisions,
            "data": run.data, "first_step": run.first_step, "impacts": run.impacts, "overlap": run.overlap}


def compile_items(gravity: tuple[float, ...], items: Mapping[str, Sequence[Mapping[str, Any]]],
                  more: Mapping[str, Any] = {}) -> Compiled:
    """The library's model of definitions, which it checks."""
    keep: list[Any] = []
    definition = ffi.new("PerpModelDef *")
    lib.perp_fill_model_def(definition, ffi.sizeof("PerpModelDef"))
    definition.gravity = list(gravity)
    set_fields(definition, more, keep)
    for kind, (c_type, filler, count, size) in _ARRAYS.items():
        given = items.get(kind, ())
        made = ffi.new(f"{c_type}[]", max(len(given), 1))
        keep.append(made)
        for k, values in enumerate(given):
            if filler:
                getattr(lib, f"perp_fill_{filler}")(ffi.addressof(made, k), ffi.sizeof(c_type))
            if kind == "shapes":
                values = {**values, "kind": values.get("kind", "sphere")}
            set_fields(made[k], values, keep)
        setattr(definition, count, len(given))
        setattr(definition, kind, made)
        if size:
            setattr(definition, size, ffi.sizeof(c_type))
    return create_model(definition)


def create_model(definition: Any) -> Compiled:
    handle, error = ffi.new("PerpModel **"), new_error()
    check(lib.perp_model_create(ffi.NULL, definition, handle, error), error)
    return Compiled(handle[0])


class Scene:
    """A scene file that was read, with its texts, so that it can be read again."""

    def __init__(self, path: str, parameters: Mapping[str, str]) -> None:
        self.parameters = dict(parameters)
        name = encoded(path, "path")
        self._read(lambda *set_and_out: lib.perp_scene_read(ffi.NULL, name, *set_and_out))
        self._take_texts(self.parameters)

    def _take_texts(self, parameters: Mapping[str, str]) -> None:
        self.parameters = dict(parameters)
        self.texts: list[tuple[bytes, bytes]] = []
        for k in range(lib.perp_scene_files(self.handle)):
            file = lib.perp_scene_text(self.handle, k)
            self.texts.append((ffi.string(file.path), bytes(ffi.buffer(file.bytes, file.size))))

    def _read(self, read: Callable[..., int]) -> None:
        keep: list[Any] = []
        given = ffi.new("PerpParameter[]", max(len(self.parameters), 1))
        for k, (name, value) in enumerate(self.parameters.items()):
            set_fields(given[k], {"name": name, "value": value}, keep)
        handle, error = ffi.new("PerpScene **"), new_error()
        check(read(given, len(self.parameters), handle, error), error)
        self.handle = ffi.gc(handle[0], lib.perp_scene_destroy)

    def _read_texts(self) -> None:
        keep: list[Any] = []
        texts = ffi.new("PerpSceneText[]", max(len(self.texts), 1))
        for k, (path, content) in enumerate(self.texts):
            c_path, c_bytes = ffi.new("char[]", path), ffi.new("char[]", content)
            keep += [c_path, c_bytes]
            texts[k].path, texts[k].bytes, texts[k].size = c_path, c_bytes, len(content)
        self._read(lambda *rest: lib.perp_scene_read_texts(ffi.NULL, texts, len(self.texts), *rest))

    def with_parameters(self, parameters: Mapping[str, Any]) -> Scene:
        """The same files with other parameters."""
        scene = Scene.__new__(Scene)
        scene.texts = self.texts
        scene.parameters = {**self.parameters, **expressions(parameters)}
        scene._read_texts()
        return scene

    def compile(self) -> Compiled:
        return create_model(lib.perp_scene_model_def(self.handle))

    def __getstate__(self) -> dict[str, Any]:
        return {"texts": self.texts, "parameters": self.parameters}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.texts, self.parameters = state["texts"], state["parameters"]
        self._read_texts()


def expressions(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Values of parameters as scene files have them: numbers to the last bit, expressions as they are."""
    return {name: value if isinstance(value, str) else repr(float(number(value, "double", name)))
            for name, value in parameters.items()}


def load(path: Path, /, **parameters: float | str) -> Model:
    """The model of a scene file, its parameters replaced by those given: numbers, or expressions such as "30 deg".

    >>> import perp
    >>> m = perp.load("scenes/examples/incline.yaml", a="24 deg")
    >>> m.bodies
    ['block']
    """
    return Model.__new__(Model)._take(Scene(os.fspath(path), expressions(parameters)))
