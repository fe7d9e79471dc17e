"""Custom systems: a mass matrix, forces and constraints given as functions of NumPy arrays, under every scheme."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np
from typing_extensions import Unpack

from ._declared import SETTINGS, Settings
from ._native import ffi, lib
from ._struct import Array, Vector, array, documented, encoded, from_c, numbers_of, pointer
from .model import Model
from .simulation import Callbacks, Simulation

Numbers = Union[Array, Sequence[float], Sequence[Sequence[float]], float]
OfPosition = Callable[[Array], Numbers]
OfMotion = Callable[[float, Array, Array], Numbers]


class _Calls:
    """What C calls back: functions by their bit, each with the shape of what it gives."""

    def __init__(self, n: int, callbacks: Callbacks) -> None:
        self.n = n
        self.callbacks = callbacks
        self.functions: dict[int, tuple[Callable[..., Any], str, tuple[int, ...], str]] = {}

    def values(self, which: int, t: float, q: Array, v: Array | None, index: int) -> Any:
        function, takes, shape, name = self.functions[which]
        arguments: dict[str, tuple[Any, ...]] = {"q": (q,), "tqv": (t, q, v), "qi": (q, index)}
        given = function(*arguments[takes])
        if which == lib.NATIVE_FORCE_DERIVATIVES:
            by_position, by_velocity = given
            return [array(by_position, shape, name), array(by_velocity, shape, name)]
        return array(given, shape, name)


@from_c
def python_system(user: Any, which: int, t: float, q: Any, v: Any, index: int, to: Any, more: Any) -> float:
    calls: _Calls = ffi.from_handle(user)
    try:
        if calls.callbacks.raised is None:
            made = calls.values(which, t, numbers_of(q, calls.n), numbers_of(v, calls.n) if v else None, index)
            if which in (lib.NATIVE_POTENTIAL, lib.NATIVE_POWER):
                return float(made)
            for room, values in zip((to, more), made if isinstance(made, list) else [made]):
                columns = np.asfortranarray(values).ravel("F")
                ffi.memmove(room, np.ascontiguousarray(columns), 8 * columns.size)
            return 0.0
    except BaseException as raised:
        calls.callbacks.raised = raised
    if to:
        to[0] = math.nan  # the step fails, and leaves the state as it was
    return math.nan


class System:
    """M(q) dv/dt = k(t, q, v) + links + constraint forces; Theta(q) = 0, Phi(q) >= 0, G(q)'v >= 0, v = dq/dt.

    position, velocity: at the start
    mass: q -> n x n, symmetric, positive definite
    force: (t, q, v) -> n
    potential, power: q -> J and (t, q, v) -> W, for the energy ledger: of the part of the force that has a potential,
        and of the part that has none
    joints: q -> values that are to be 0
    constraints: q -> values that are to be >= 0; restitution, mu: of each, or one number
    tangents: (q, i) -> n x 1 or n x 2, whose transpose times v is the slip at constraint i
    rates: q -> n x m, columns g with g'v >= 0
    links: q -> elongations of springs and dampers; stiffness, damping: of each, or one number
    force_derivatives: (t, q, v) -> dk/dq, dk/dv; joint_gradients, constraint_gradients, link_gradients: q -> n x
        count. Those that are not given are found by differences; those that are given are checked against them.

    >>> import numpy as np
    >>> pendulum = System([0.1], [0.0], mass=lambda q: [[1.0]], force=lambda t, q, v: -9.81 * np.sin(q))
    >>> sim = pendulum.simulate(scheme="trapezoidal", h=1e-3)
    >>> sim.step(1000)
    >>> bool(abs(sim.q[0] - 0.1 * np.cos(np.sqrt(9.81))) < 1e-3)
    True
    """

    def __init__(self, position: Vector, velocity: Vector, mass: OfPosition, *, force: OfMotion | None = None,
                 potential: OfPosition | None = None, power: OfMotion | None = None, joints: OfPosition | None = None,
                 constraints: OfPosition | None = None, restitution: Vector | float = 0, mu: Vector | float = 0,
                 tangents: Callable[[Array, int], Numbers] | None = None, rates: OfPosition | None = None,
                 links: OfPosition | None = None, stiffness: Vector | float = 0, damping: Vector | float = 0,
                 force_derivatives: Callable[[float, Array, Array], tuple[Numbers, Numbers]] | None = None,
                 joint_gradients: OfPosition | None = None, constraint_gradients: OfPosition | None = None,
                 link_gradients: OfPosition | None = None, joint_names: Sequence[str] = (),
                 constraint_names: Sequence[str] = ()) -> None:
        self.position = array(position, (-1,), "position").copy()
        self.n = len(self.position)
        if self.n < 1:
            raise ValueError("position is empty")
        self.velocity = array(velocity, (self.n,), "velocity").copy()
        self._functions = {
            "mass": mass, "force": force, "potential": potential, "power": power, "joints": joints,
            "constraints": constraints, "tangents": tangents, "rates": rates, "links": links,
            "force_derivatives": force_derivatives, "joint_gradients": joint_gradients,
            "constraint_gradients": constraint_gradients, "link_gradients": link_gradients}
        for name, function in self._functions.items():
            if not callable(function) and (function is not None or name == "mass"):
                raise TypeError(f"{name} is not callable")
        self._measure()
        self.restitution = self._each(restitution, self.n_constraints, "restitution")
        self.mu = self._each(mu, self.n_constraints, "mu")
        self.stiffness = self._each(stiffness, self.n_links, "stiffness")
        self.damping = self._each(damping, self.n_links, "damping")
        self.joint_names, self.constraint_names = list(joint_names), list(constraint_names)
        for names, count, what in ((self.joint_names, self.n_joints, "joint_names"),
                                   (self.constraint_names, self.n_constraints + self.n_rates, "constraint_names")):
            if names and len(names) != count:
                raise ValueError(f"{what} has {len(names)} names, not {count}")

    def _count(self, name: str) -> int:
        function: Any = self._functions[name]
        return 0 if function is None else array(function(self.position.copy()), (-1,), name).size

    def _measure(self) -> None:
        """How many constraints there are, from the functions at the start."""
        self.n_joints, self.n_constraints, self.n_links = (self._count(each)
                                                           for each in ("joints", "constraints", "links"))
        rates: Any = self._functions["rates"]
        tangents: Any = self._functions["tangents"]
        self.n_rates = 0 if rates is None else array(rates(self.position.copy()), (self.n, -1), "rates").shape[1]
        self.n_tangents = 0
        if tangents is not None and self.n_constraints > 0:
            self.n_tangents = array(tangents(self.position.copy(), 0), (self.n, -1), "tangents").shape[1]

    def _each(self, value: Any, count: int, name: str) -> Array:
        given = np.asarray(value, dtype=np.float64)
        return np.full(count, float(given)) if given.ndim == 0 else array(given, (count,), name).copy()

    def _shapes(self) -> dict[str, tuple[int, str, tuple[int, ...]]]:
        n = self.n
        return {"mass": (0, "q", (n, n)), "force": (lib.NATIVE_FORCE, "tqv", (n,)),
                "potential": (lib.NATIVE_POTENTIAL, "q", ()), "power": (lib.NATIVE_POWER, "tqv", ()),
                "joints": (lib.NATIVE_JOINTS, "q", (self.n_joints,)),
                "constraints": (lib.NATIVE_CONSTRAINTS, "q", (self.n_constraints,)),
                "tangents": (lib.NATIVE_TANGENTS, "qi", (n, self.n_tangents)),
                "rates": (lib.NATIVE_RATES, "q", (n, self.n_rates)),
                "links": (lib.NATIVE_LINKS, "q", (self.n_links,)),
                "force_derivatives": (lib.NATIVE_FORCE_DERIVATIVES, "tqv", (n, n)),
                "joint_gradients": (lib.NATIVE_JOINT_GRADIENTS, "q", (n, self.n_joints)),
                "constraint_gradients": (lib.NATIVE_CONSTRAINT_GRADIENTS, "q", (n, self.n_constraints)),
                "link_gradients": (lib.NATIVE_LINK_GRADIENTS, "q", (n, self.n_links))}

    def _define(self, callbacks: Callbacks, keep: list[Any]) -> Any:
        """The definition in C, whose functions lead to those of Python."""
        calls, given = _Calls(self.n, callbacks), 0
        for name, (bit, takes, shape) in self._shapes().items():
            function: Any = self._functions[name]
            if function is not None:
                calls.functions[bit] = (function, takes, shape, name)
                given |= bit
        user = ffi.new_handle(calls)
        definition = ffi.new("PerpSystemDef *")
        lib.perp_fill_system(definition, ffi.sizeof("PerpSystemDef"))
        keep += [calls, user]
        lib.native_set_system(definition, user, given)
        definition.n, definition.n_joints, definition.n_constraints = self.n, self.n_joints, self.n_constraints
        definition.n_tangents, definition.n_rates, definition.n_links = self.n_tangents, self.n_rates, self.n_links
        for name in ("position", "velocity", "restitution", "mu", "stiffness", "damping"):
            keep.append(getattr(self, name).copy())
            setattr(definition, name, pointer(keep[-1]))
        for name in ("joint_names", "constraint_names"):
            if getattr(self, name):
                texts = [ffi.new("char[]", encoded(each, name)) for each in getattr(self, name)]
                keep += [texts, ffi.new("char *[]", texts)]
                setattr(definition, name, keep[-1])
        return definition

    @documented(SETTINGS)
    def simulate(self, **settings: Unpack[Settings]) -> CustomSimulation:
        """A simulation of the system."""
        return CustomSimulation(self, settings)


class CustomSimulation(Simulation):
    """A custom system in motion: q and v, report, checkpoints; no bodies."""

    def __init__(self, system: System, settings: Settings) -> None:
        self._start_system(system, settings)

    def _start_system(self, system: System, settings: Mapping[str, Any]) -> None:
        before = set(vars(self))
        self.system = system
        self.model = Model()
        self._begin(settings, None)
        keep: list[Any] = []
        definition = system._define(self._callbacks, keep)
        self._keep = keep  # as long as there are steps
        self._create(lambda settings: lib.native_run_start_custom(self._run, definition, settings))
        self._basic = set(vars(self)) - before

    def _again(self) -> CustomSimulation:
        made = type(self).__new__(type(self))
        made._start_system(self.system, self._given)
        vars(made).update(self._extra())
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {"system": self.system, "settings": self._given, "state": self.save(), "extra": self._extra()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._start_system(state["system"], state["settings"])
        vars(self).update(state["extra"])
        self.restore(state["state"])

    def __repr__(self) -> str:
        return "<perp simulation: closed>" if self.closed else f"<perp simulation: {self.system.n} coordinates at t = {self.t:g} s>"
