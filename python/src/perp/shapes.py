"""Shapes of bodies and of the world, by the words of scene files. Lengths in m, densities in kg/m^3."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from typing_extensions import Unpack

from ._declared import SHAPEFIELDS, ShapeFields
from ._struct import Array, Vector, array, documented, number, translate, vector

Turn = tuple[Vector, float]
"""An axis and an angle in rad."""


def quaternion_of(turn: Turn) -> tuple[float, ...]:
    """The rotation about an axis by an angle, as quaternion w x y z."""
    try:
        axis, angle = turn
    except (TypeError, ValueError):
        raise ValueError(f"turn is {turn!r}, not (axis, angle)") from None
    x = np.array(vector(axis, 3, "the axis of turn"))
    length = float(np.linalg.norm(x))
    if not (math.isfinite(length) and length > 0):
        raise ValueError(f"the axis of turn is {axis!r}, which has no direction")
    half = number(angle, "double", "the angle of turn") / 2
    return (math.cos(half), *(float(c) for c in math.sin(half) * x / length))


def unit(quaternion: Any) -> tuple[float, ...]:
    """The quaternion with length 1."""
    q = vector(quaternion, 4, "quaternion")
    length = math.sqrt(sum(c * c for c in q))
    if not (math.isfinite(length) and length > 0):
        raise ValueError(f"quaternion is {quaternion!r}, which is no rotation")
    return q if abs(length - 1) < 1e-15 else tuple(c / length for c in q)


def place(values: dict[str, Any], turn: Turn | None) -> dict[str, Any]:
    """Reads turn or quaternion into the rotation of a definition."""
    if turn is not None and "rotation" in values:
        raise ValueError("turn and quaternion both say how it is turned; give one")
    if turn is not None:
        values["rotation"] = quaternion_of(turn)
    elif "rotation" in values:
        values["rotation"] = unit(values["rotation"])
    return values


# what the classes take, and what C has of it: sides and lengths are halved there
_SIZES: dict[str, dict[str, float]] = {
    "sphere": {"radius": 1}, "box": {"x": 0.5, "y": 0.5, "z": 0.5},
    "capsule": {"radius": 1, "length": 0.5},
    "cylinder": {"radius": 1, "height": 0.5}, "ellipsoid": {"a": 1, "b": 1, "c": 1},
    "height-field": {"cell along x": 1, "cell along y": 1}}


def size_in_c(kind: str, given: Sequence[Any]) -> tuple[float, ...]:
    """The sizes of a shape as C has them, from what its class takes."""
    parts = _SIZES.get(kind, {})
    if len(given) != len(parts):
        raise ValueError(f"the size of a {kind} is {given!r}, not {', '.join(parts) or 'nothing: it has none'}")
    made = [factor * float(number(each, "double", f"{name} of {kind}")) for each, (name, factor) in zip(given, parts.items())]
    return (*made, *[0.5] * (3 - len(made)))


class Shape:
    """A shape; Box, Sphere and the others make one."""

    def __init__(self, kind: str, size: Sequence[Any], turn: Turn | None, fields: ShapeFields) -> None:
        self._values = place(translate(fields, SHAPEFIELDS, kind), turn)
        self._values["kind"] = kind
        if size:
            self._values["size"] = size_in_c(kind, size)

    def __repr__(self) -> str:
        return f"<perp shape {self._values['kind']}>"


@documented(SHAPEFIELDS)
class Box(Shape):
    """A box by its three sides, in m.

    >>> Box(1, 0.5, 0.2, density=700)
    <perp shape box>
    """

    def __init__(self, x: float, y: float, z: float, *, turn: Turn | None = None, **fields: Unpack[ShapeFields]) -> None:
        super().__init__("box", [x, y, z], turn, fields)


@documented(SHAPEFIELDS)
class Sphere(Shape):
    """A ball by its radius, in m."""

    def __init__(self, radius: float, *, turn: Turn | None = None, **fields: Unpack[ShapeFields]) -> None:
        super().__init__("sphere", [radius], turn, fields)


@documented(SHAPEFIELDS)
class Capsule(Shape):
    """A cylinder with round ends along z: radius, and length between the centres of the ends, in m."""

    def __init__(self, radius: float, length: float, *, turn: Turn | None = None, **fields: Unpack[ShapeFields]) -> None:
        super().__init__("capsule", [radius, length], turn, fields)


@documented(SHAPEFIELDS)
class Cylinder(Shape):
    """A cylinder along z: radius and height, in m."""

    def __init__(self, radius: float, height: float, *, turn: Turn | None = None, **fields: Unpack[ShapeFields]) -> None:
        super().__init__("cylinder", [radius, height], turn, fields)


@documented(SHAPEFIELDS)
class Ellipsoid(Shape):
    """An ellipsoid by its semi-axes, in m."""

    def __init__(self, a: float, b: float, c: float, *, turn: Turn | None = None, **fields: Unpack[ShapeFields]) -> None:
        super().__init__("ellipsoid", [a, b, c], turn, fields)


@documented(SHAPEFIELDS)
class Point(Shape):
    """A point, which touches other shapes but has no mass."""

    def __init__(self, *, turn: Turn | None = None, **fields: Unpack[ShapeFields]) -> None:
        super().__init__("point", [], turn, fields)


@documented(SHAPEFIELDS)
class Plane(Shape):
    """A half space by the normal out of it; only in the world or on fixed bodies. `at` is a point of its surface."""

    def __init__(self, normal: Vector = (0, 0, 1), **fields: Unpack[ShapeFields]) -> None:
        n = np.array(vector(normal, 3, "normal"))
        length = float(np.linalg.norm(n))
        if not (math.isfinite(length) and length > 0):
            raise ValueError(f"normal is {normal!r}, which has no direction")
        n /= length
        axis = np.cross((0, 0, 1), n)
        angle = math.atan2(float(np.linalg.norm(axis)), float(n[2]))
        turn = (axis, angle) if np.linalg.norm(axis) > 0 else ((1.0, 0.0, 0.0), angle)
        super().__init__("plane", [], None if angle == 0 else turn, fields)


@documented(SHAPEFIELDS)
class Hull(Shape):
    """The convex hull of at least four points, n x 3, in m."""

    def __init__(self, vertices: Vector | Sequence[Vector], *, turn: Turn | None = None, **fields: Unpack[ShapeFields]) -> None:
        super().__init__("hull", [], turn, fields)
        points = array(vertices, (-1, 3), "vertices").copy()
        self._values.update(vertices=points, n_vertices=len(points))


@documented(SHAPEFIELDS)
class Mesh(Shape):
    """Triangles, counter-clockwise seen from outside; only in the world or on fixed bodies."""

    def __init__(self, vertices: Array | Sequence[Vector], triangles: Any, *, turn: Turn | None = None,
                 **fields: Unpack[ShapeFields]) -> None:
        super().__init__("mesh", [], turn, fields)
        points = array(vertices, (-1, 3), "vertices").copy()
        corners = array(triangles, (-1, 3), "triangles")
        if not np.array_equal(corners, np.trunc(corners)) or corners.size and not (
                0 <= corners.min() and corners.max() < len(points)):
            raise ValueError(f"triangles must be whole numbers in 0 .. {len(points) - 1}, places in vertices")
        self._values.update(vertices=points, n_vertices=len(points), triangles=corners.astype(np.int32),
                            n_triangles=len(corners))


@documented(SHAPEFIELDS)
class HeightField(Shape):
    """Heights over a grid: cell sizes along x and y in m, rows of heights along x; like Mesh. Centred."""

    def __init__(self, cell: Vector, heights: Array | Sequence[Vector], *, turn: Turn | None = None,
                 **fields: Unpack[ShapeFields]) -> None:
        super().__init__("height-field", vector(cell, 2, "cell"), turn, fields)
        z = array(heights, (-1, -1), "heights").copy()
        self._values.update(heights=z, rows=z.shape[0], columns=z.shape[1])
