"""Environments, by gymnasium's own checker."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
import perp.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

NAMES = ["CartPole", "Hopper", "Gripper", "Quadruped"]


@pytest.mark.filterwarnings("ignore:.*Box observation space m.*")
@pytest.mark.parametrize("name", NAMES)
def test_checker(name):
    env = gymnasium.make(f"perp/{name}-v0")
    check_env(env.unwrapped, skip_render_check=True)
    env.close()


def test_vector_and_single_have_the_same_bits():
    env = gymnasium.make("perp/CartPole-v0").unwrapped
    envs = gymnasium.make_vec("perp/CartPole-v0", num_envs=1, vectorization_mode="vector_entry_point")
    one, _ = env.reset(seed=5)
    many, _ = envs.reset(seed=5)
    for k in range(10):
        assert np.array_equal(one, many[0])
        action = np.array([0.3 * (-1) ** k], dtype=np.float32)
        one, reward, *_ = env.step(action)
        many, rewards, *_ = envs.step(action[None])
        assert reward == rewards[0]


def test_vector_begins_anew():
    envs = gymnasium.make_vec("perp/CartPole-v0", num_envs=3, vectorization_mode="vector_entry_point")
    envs.reset(seed=1)
    actions = np.array([[1.0], [0.0], [-1.0]], dtype=np.float32)
    ended, began = set(), set()
    for _ in range(120):
        over = set(np.flatnonzero(envs.over))
        observed, rewards, terminated, _, _ = envs.step(actions)
        began |= {k for k in over if abs(observed[k, 0]) <= 0.05 and rewards[k] == 0}
        ended |= set(np.flatnonzero(terminated))
    assert ended == began == {0, 1, 2}
    assert observed.shape == (3, 4) and observed.dtype == np.float32


def test_feedback_balances_the_pole():
    env = gymnasium.make("perp/CartPole-v0")
    observed, _ = env.reset(seed=0)
    total = 0.0
    for _ in range(500):
        x, v, angle, turn = observed
        observed, reward, terminated, truncated, _ = env.step(
            np.array([(1 * x + 2 * v + 30 * angle + 6 * turn) / 10], dtype=np.float32))
        total += reward
        if terminated or truncated:
            break
    assert total == 500


def test_misuse():
    m = perp.robots.cart_pole()
    with pytest.raises(KeyError, match="rail"):
        perp.gym.Environment(perp.gym.Task(m, ["rial"], lambda batch, _: 0))
    with pytest.raises(ValueError, match="control_lower"):
        perp.gym.Environment(perp.gym.Task(perp.Model(), [lambda batch: batch.t], lambda batch, _: 0))
    for wrong in (dict(observations=[]), dict(steps=0), dict(noise=-1.0), dict(noise=np.nan)):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            perp.gym.Environment(perp.gym.Task(**{"model": m, "observations": ["rail"], "reward": lambda batch, _: 0, **wrong}))
    with pytest.raises(KeyError, match="no joint 'rial'"):
        perp.gym.Environment(perp.gym.Task(m, ["rail"], lambda batch, _: 0, noisy=["rial"]))
    env = perp.gym.Environment(perp.gym.cart_pole())
    env.reset()
    with pytest.raises(ValueError):
        env.step(np.zeros(3))
