"""Environments for gymnasium, single and vector, on any model with actuators; four are registered.

    import gymnasium, perp.gym
    env = gymnasium.make("perp/CartPole-v0")
    envs = gymnasium.make_vec("perp/Quadruped-v0", num_envs=256, vectorization_mode="vector_entry_point")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv

from . import robots
from ._struct import Array, unknown
from .batch import Batch
from .model import Model, Path, load

Bools = npt.NDArray[np.bool_]
Observation = Union[str, Callable[[Batch], Any]]
"""A name or a function of the batch. Names: a sensor, a joint (its coordinate), "JOINT.speed", and "BODY.position",
"BODY.rotation", "BODY.velocity", "BODY.spin"."""
Reward = Union[str, Callable[[Batch, Array], Any]]
"""A sensor of one number, or a function of the batch and the actions that gives a number for each simulation."""

_OF_BODY = {"position": "positions", "rotation": "rotations", "velocity": "velocities", "spin": "spins"}


def reader(batch: Batch, what: Observation) -> Callable[[Batch], Array]:
    """What an observation reads: n x numbers."""
    if callable(what):
        return lambda now: np.asarray(what(now), dtype=np.float64).reshape(now.n, -1)
    bodies, joints, sensors = batch.model.bodies, batch.model.joints, batch.model.sensors
    name, _, part = what.rpartition(".")
    if what in sensors:
        return lambda now: now.sensor(what)
    if what in joints:
        return lambda now: now.coordinates[:, joints.index(what), :1]
    if name in joints and part == "speed":
        return lambda now: now.speeds[:, joints.index(name), :1]
    if name in bodies and part in _OF_BODY:
        return lambda now: np.asarray(getattr(now, _OF_BODY[part])[:, bodies.index(name)])
    known = sensors + joints + [f"{each}.speed" for each in joints] + [f"{b}.{p}" for b in bodies for p in _OF_BODY]
    raise KeyError(unknown("observation", what, known))


@dataclass
class Task:
    """What is observed, rewarded and ended of a model.

    observations: names or functions, one behind the other in what the agent sees
    reward: a sensor's name, or a function of the batch and the actions
    terminated: a function of the batch: which simulations have come to an end
    steps: of the simulation for each action; h: s, of each
    noise: rad or m, and per second: how far the joints' coordinates and speeds are from the start after a reset
    noisy: the joints that are moved so, default all
    settings: of the simulations
    """

    model: Model | Path
    observations: Sequence[Observation]
    reward: Reward
    terminated: Callable[[Batch], Any] | None = None
    steps: int = 1
    h: float = 2e-3
    noise: float = 0.01
    noisy: Sequence[str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


class _Core:
    """A task on a batch, which the single and the vector environment share."""

    def __init__(self, task: Task, n: int, threads: int = 0) -> None:
        if not task.observations:
            raise ValueError("observations names nothing that the agent sees")
        if not (task.steps >= 1 and 0 <= task.noise < np.inf):
            raise ValueError(f"steps is {task.steps}, noise {task.noise}; expected steps >= 1 and a finite noise >= 0")
        model = task.model if isinstance(task.model, Model) else load(task.model)
        self.task = task
        self.batch = Batch(model, n, threads=threads, h=task.h, **task.settings)
        self.readers = [reader(self.batch, each) for each in task.observations]
        lower, upper = self._ranges(model)
        self.middle, self.half = (upper + lower) / 2, (upper - lower) / 2
        self.noisy = model.joints if task.noisy is None else list(task.noisy)
        for each in self.noisy:
            if each not in model.joints:
                raise KeyError(unknown("joint", each, model.joints))
        self.start = dict(zip(model.joints, self.batch.coordinates[0, :, 0].tolist()))
        self.batch.controls[:] = self.middle

    def _ranges(self, model: Model) -> tuple[Array, Array]:
        items = model._items["actuators"]
        lower = np.array([item.get("control_lower", -np.inf) for item in items])
        upper = np.array([item.get("control_upper", np.inf) for item in items])
        if not items or not (np.isfinite(lower).all() and np.isfinite(upper).all()):
            raise ValueError("every actuator needs control_lower and control_upper, and there must be one")
        return lower, upper

    def reset(self, which: Sequence[int], random: np.random.Generator) -> None:
        self.batch.reset(which)
        noise = self.task.noise
        for joint in self.noisy if noise > 0 else []:
            values, speeds = random.uniform(-noise, noise, (2, len(which)))
            self.batch.set_coordinate(joint, self.start[joint] + values, speeds=speeds, which=which)

    def observe(self) -> npt.NDArray[np.float32]:
        return np.concatenate([np.asarray(read(self.batch), dtype=np.float64) for read in self.readers],
                              axis=1).astype(np.float32)

    def act(self, actions: Array) -> None:
        if np.isnan(actions).any():
            raise ValueError("an action is not a number")
        self.batch.controls[:] = self.middle + self.half * np.clip(actions, -1, 1)
        self.batch.step(self.task.steps)

    def reward(self, actions: Array) -> Array:
        what = self.task.reward
        given = self.batch.sensor(what)[:, 0] if isinstance(what, str) else what(self.batch, actions)
        return np.nan_to_num(np.broadcast_to(np.asarray(given, dtype=np.float64), (self.batch.n,)))

    def terminated(self) -> Bools:
        ended = np.zeros(self.batch.n, dtype=bool)
        if self.task.terminated is not None:
            ended |= np.asarray(self.task.terminated(self.batch), dtype=bool)
        ended[list(self.batch.failed)] = True
        return ended

    def observation_space(self) -> Any:
        return gymnasium.spaces.Box(-np.inf, np.inf, (self.observe().shape[1],), np.float32)

    def action_space(self) -> Any:
        return gymnasium.spaces.Box(-1.0, 1.0, (len(self.half),), np.float32)


class Environment(gymnasium.Env[npt.NDArray[np.float32], npt.NDArray[np.float32]]):
    """One simulation as an environment of gymnasium; actions are -1 .. 1 over the range of each control."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        self.core = _Core(task, 1, threads=1)
        self.render_mode = render_mode
        self.observation_space = self.core.observation_space()
        self.action_space = self.core.action_space()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None
              ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self.core.reset([0], self.np_random)
        return self.core.observe()[0], {}

    def step(self, action: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        actions = np.asarray(action, dtype=np.float64).reshape(1, -1)
        self.core.act(actions)
        reward, ended = float(self.core.reward(actions)[0]), bool(self.core.terminated()[0])
        return self.core.observe()[0], reward, ended, False, {}

    def close(self) -> None:
        self.core.batch.close()


class VectorEnvironment(VectorEnv[npt.NDArray[np.float32], npt.NDArray[np.float32], Any]):
    """Many simulations at once, stepped by C on all cores. One that has ended begins anew with the next step."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, task: Task, num_envs: int = 1, max_episode_steps: int | None = None, threads: int = 0) -> None:
        super().__init__()
        self.core = _Core(task, num_envs, threads)
        self.num_envs = num_envs
        self.most = max_episode_steps
        self.single_observation_space = self.core.observation_space()
        self.single_action_space = self.core.action_space()
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self.over = np.zeros(num_envs, dtype=bool)
        self.age = np.zeros(num_envs, dtype=int)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None
              ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        super().reset(seed=seed)
        self.core.reset(range(self.num_envs), self.np_random)
        self.over[:], self.age[:] = False, 0
        return self.core.observe(), {}

    def step(self, actions: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], Array, Bools, Bools, dict[str, Any]]:
        given = np.asarray(actions, dtype=np.float64).reshape(self.num_envs, -1)
        anew = np.flatnonzero(self.over)
        self.core.act(given)
        if len(anew):
            self.core.reset(anew.tolist(), self.np_random)
        self.age += 1
        self.age[anew] = 0
        rewards, ended = self.core.reward(given).copy(), self.core.terminated()
        rewards[anew], ended[anew] = 0.0, False
        late = np.zeros_like(ended) if self.most is None else (self.age >= self.most) & ~ended
        self.over = ended | late
        return self.core.observe(), rewards, ended, late, {}

    def close_extras(self, **kwargs: Any) -> None:
        self.core.batch.close()


# --- the registered ones -----------------------------------------------------------------------------


def _tilted(batch: Batch, body: str, cosine: float) -> Bools:
    """Which are turned so far that their z has less than that much of up."""
    w, x, y, z = np.moveaxis(batch.rotations[:, batch.model.bodies.index(body)], -1, 0)
    return np.asarray(1 - 2 * (x * x + y * y) < cosine)


def cart_pole() -> Task:
    """Balance a pole on a cart."""
    def fallen(batch: Batch) -> Bools:
        return np.asarray((np.abs(batch.coordinates[:, 1, 0]) > 0.21) | (np.abs(batch.coordinates[:, 0, 0]) > 2.4))

    return Task(robots.cart_pole(), ["rail", "rail.speed", "pin", "pin.speed"], lambda batch, _: 1.0 - fallen(batch),
                fallen, steps=2, h=1e-2, noise=0.05)


def hopper() -> Task:
    """Hop forward on one leg."""
    def fallen(batch: Batch) -> Bools:
        return np.asarray((batch.positions[:, 0, 2] < 0.8) | _tilted(batch, "torso", 0.5))

    def reward(batch: Batch, actions: Array) -> Any:
        return 1.0 + batch.velocities[:, 0, 0] - 1e-3 * (actions**2).sum(axis=1)

    joints = ["hip", "knee", "ankle"]
    return Task(robots.hopper(), ["torso.position", "torso.rotation", "torso.velocity", "torso.spin", *joints,
                                  *(f"{each}.speed" for each in joints)], reward, fallen, steps=4, h=2e-3, noise=0.005)


def gripper() -> Task:
    """Pick up a box and carry it to x = -0.2 m, 0.2 m above the ground."""
    goal = np.array([-0.2, 0.0, 0.2])

    def reward(batch: Batch, _: Array) -> Any:
        box, hand = batch.positions[:, batch.model.bodies.index("box")], batch.positions[:, 1]
        near = np.linalg.norm(box - hand - (0, 0, -0.2), axis=1)
        return -np.linalg.norm(box - goal, axis=1) - 0.5 * near

    return Task(robots.gripper(), ["x", "z", "left slide", "right slide", "x.speed", "z.speed", "box.position",
                                   "box.rotation", "box.velocity"], reward, steps=10, h=2e-3, noise=0.01, noisy=["x", "z"])


def quadruped() -> Task:
    """Walk forward on four legs."""
    def fallen(batch: Batch) -> Bools:
        return np.asarray((batch.positions[:, 0, 2] < 0.2) | _tilted(batch, "torso", 0.3))

    def reward(batch: Batch, actions: Array) -> Any:
        return 0.5 + batch.velocities[:, 0, 0] - 0.02 * (actions**2).sum(axis=1)

    m = robots.quadruped()
    return Task(m, ["torso.position", "torso.rotation", "torso.velocity", "torso.spin", *m.joints,
                    *(f"{each}.speed" for each in m.joints)], reward, fallen, steps=4, h=5e-3, noise=0.02)


_TASKS: dict[str, tuple[Callable[[], Task], int]] = {
    "CartPole": (cart_pole, 500), "Hopper": (hopper, 1000), "Gripper": (gripper, 300), "Quadruped": (quadruped, 1000)}


def _single(name: str, **options: Any) -> Environment:
    return Environment(_TASKS[name][0](), **options)


def _vector(name: str, num_envs: int = 1, **options: Any) -> VectorEnvironment:
    options.setdefault("max_episode_steps", _TASKS[name][1])
    return VectorEnvironment(_TASKS[name][0](), num_envs, **options)


def _register() -> None:
    for name, (_, most) in _TASKS.items():
        if f"perp/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"perp/{name}-v0", entry_point="perp.gym:_single",
                               vector_entry_point="perp.gym:_vector", max_episode_steps=most, kwargs={"name": name})


_register()
