"""Trains the quadruped to walk by PPO of stable-baselines3: pip install stable-baselines3; some minutes."""

from __future__ import annotations

import gymnasium
import perp.gym
from stable_baselines3 import PPO


def main() -> None:
    env = gymnasium.make("perp/Quadruped-v0")
    agent = PPO("MlpPolicy", env, verbose=1)
    agent.learn(total_timesteps=200_000)
    agent.save("quadruped")
    observed, _ = env.reset(seed=0)
    core = env.unwrapped.core  # type: ignore[attr-defined]
    for _ in range(200):
        action, _ = agent.predict(observed, deterministic=True)
        observed, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
    print(f"walked {core.batch.positions[0, 0, 0]:.2f} m in {core.batch.t[0]:.1f} s")


if __name__ == "__main__":
    main()
