"""A game learnt by RLlib's PPO on its new API stack (RLModules, connectors), masks included, as a script to read.

Needs the extras ``training`` and ``rllib``. One policy plays all seats and learns from all of them.

    python -m rat_envs.training.rllib brave_rats --minutes 2
"""

from __future__ import annotations

import time
from typing import Annotated, Any

import gymnasium
import numpy as np
import typer

import rat_envs
from rat_envs.command_line import run_alone
from rat_envs.engine.errors import needing

with needing("Learning by RLlib", "rllib"):
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

__all__ = ["RatMultiAgentEnv", "configuration", "main"]

POLICY = "every seat"


class RatMultiAgentEnv(MultiAgentEnv):
    """A game as RLlib sees it: only who is to act observes, and all are rewarded at the end.

    Args:
        config: ``game``, its name, and options of the game.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        options = dict(config)
        self.env = rat_envs.make(options.pop("game"), **options)
        self.possible_agents = self.agents = list(self.env.possible_agents)
        self.observation_spaces = dict.fromkeys(self.agents, observation_space(self.env))
        actions = gymnasium.spaces.Discrete(int(self.env.action_space(self.agents[0]).n))
        self.action_spaces = dict.fromkeys(self.agents, actions)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[dict, dict]:
        """A new game."""
        self.env.reset(seed=seed)
        return self.observed(), {}

    def step(self, action_dict: dict[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        """The action of whoever is to act."""
        agent = self.env.agent_selection
        self.env.step(int(action_dict[agent]))
        over = any(self.env.terminations.values())
        seen = self.last_seen() if over else self.observed()
        return seen, dict(self.env.rewards), {"__all__": over}, {"__all__": False}, {}

    def observed(self) -> dict[str, dict[str, np.ndarray]]:
        """What who is to act sees."""
        agent = self.env.agent_selection
        return {agent: named(self.env.observe(agent))}

    def last_seen(self) -> dict[str, dict[str, np.ndarray]]:
        """What all see at the end."""
        return {agent: named(self.env.observe(agent)) for agent in self.possible_agents}


def observation_space(env: Any) -> gymnasium.spaces.Dict:
    """As RLlib's module for masks wants it: float32 parts of these names."""
    sizes = env.observation_space(env.possible_agents[0])
    return gymnasium.spaces.Dict(
        {
            "observations": gymnasium.spaces.Box(-128, 127, sizes["observation"].shape, np.float32),
            "action_mask": gymnasium.spaces.Box(0, 1, sizes["action_mask"].shape, np.float32),
        }
    )


def named(seen: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """An observation under RLlib's names; at the end nothing is legal, and the mask allows all."""
    mask = seen["action_mask"].astype(np.float32)
    return {
        "observations": seen["observation"].astype(np.float32),
        "action_mask": mask if mask.any() else np.ones_like(mask),
    }


def configuration(game: str, runners: int = 0, seed: int = 0, **options: Any) -> PPOConfig:
    """RLlib's PPO, in self-play with one policy.

    Args:
        game: its name.
        runners: processes that play; 0 to play in this one.
        seed: of everything random.
        options: of the game.
    """
    env = RatMultiAgentEnv({"game": game, **options})
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        observation_space=env.observation_spaces[env.possible_agents[0]],
        action_space=env.action_spaces[env.possible_agents[0]],
        model_config={"head_fcnet_hiddens": [128, 128], "head_fcnet_activation": "relu"},
    )
    return (
        PPOConfig()
        .environment(
            RatMultiAgentEnv, env_config={"game": game, **options}, disable_env_checking=True
        )  # it knows no mask
        .env_runners(num_env_runners=runners)
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda agent, *rest, **more: POLICY)
        .rl_module(rl_module_spec=module)
        .training(lr=5e-4, gamma=1.0, entropy_coeff=0.02, train_batch_size_per_learner=2048, minibatch_size=256)
        .debugging(seed=seed)
    )


def learn(
    game: Annotated[str, typer.Argument(help="A game by name.")],
    minutes: Annotated[float, typer.Option(help="How long to learn.")] = 2.0,
    runners: Annotated[int, typer.Option(help="Processes that play; 0 to play in this one.")] = 0,
) -> None:
    """Learn a game by RLlib's PPO."""
    algorithm = configuration(game, runners).build_algo()
    started = time.monotonic()
    while time.monotonic() - started < 60 * minutes:
        result = algorithm.train()
        steps = result["num_env_steps_sampled_lifetime"]
        entropy = result["learners"][POLICY]["entropy"]
        print(f"{int(steps):,} steps, {time.monotonic() - started:.0f} s, entropy {float(entropy):.3f}")
    algorithm.stop()


def main() -> None:
    """The script."""
    run_alone(learn, "python -m rat_envs.training.rllib")


if __name__ == "__main__":
    main()
