"""A double pendulum in its two angles, as functions of NumPy arrays, under two schemes; examples/double_pendulum.c."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import perp

Array = npt.NDArray[np.float64]
G = 9.81


def mass(q: Array) -> Array:
    c = np.cos(q[0] - q[1])
    return np.array([[2, c], [c, 1]])


def force(t: float, q: Array, v: Array) -> Array:
    s = np.sin(q[0] - q[1])
    return np.array([-s * v[1] ** 2 - 2 * G * np.sin(q[0]), s * v[0] ** 2 - G * np.sin(q[1])])


def potential(q: Array) -> float:
    return float(-G * (2 * np.cos(q[0]) + np.cos(q[1])))


def main() -> None:
    pendulum = perp.System([1.0, 0.5], [0.0, 0.0], mass, force=force, potential=potential)
    for scheme in ("trapezoidal", "anitescu-potra"):
        sim = pendulum.simulate(scheme=scheme, h=1e-3)
        sim.step(1000)
        print(f"{scheme:15} angles {sim.q.round(4).tolist()}, energy error {sim.report.energy.balance:.1e}")


if __name__ == "__main__":
    main()
