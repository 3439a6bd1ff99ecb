"""Learning a game with RLlib's PPO on its new API stack (RLModules, connectors), with masks: a script to read.

Needs the extras ``training`` and ``rllib``. One policy plays all seats and learns from all of them.

    python -m rat_envs.training.rllib rattus players=2 --minutes 2 --folder runs/rattus-rllib
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import gymnasium
import numpy as np
import typer

import rat_envs
from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.arena.cluster import LOCAL, demand_cores, join_cluster
from rat_envs.command_line import run_alone
from rat_envs.commands.arguments import Continue, Replace, Resume, demand_alone, how_to_go_on
from rat_envs.commands.output import leave_interrupted
from rat_envs.engine.archive import write_file
from rat_envs.engine.configuration import Configuration, parse_options
from rat_envs.engine.errors import (
    CheckpointError,
    ConfigurationError,
    IllegalActionError,
    MissingExtraError,
    needing,
    reason_of,
    shown,
    shown_path,
)
from rat_envs.engine.files import demand_outline, read_json
from rat_envs.engine.folders import locked

try:
    with needing("Learning by RLlib", "rllib"):
        import torch
        from ray.rllib.algorithms.ppo import PPOConfig
        from ray.rllib.core.columns import Columns
        from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
        from ray.rllib.env.multi_agent_env import MultiAgentEnv
        from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
except MissingExtraError as error:
    if __name__ != "__main__":
        raise
    sys.exit(f"Error: {error}")  # one sentence for those who run this as a script

from rat_envs.training.ending import asked_to_end
from rat_envs.training.folder import set_aside

__all__ = ["POLICY", "RLlibAgent", "RatMultiAgentEnv", "configuration", "main"]

#: The name of the one policy that RLlib learns.
POLICY = "every seat"
#: In the folder of a run: RLlib's checkpoint, the same while it is being saved, and in it a description of the run.
SAVED, PART, RUN = "checkpoint", "checkpoint.part", "rat_envs.json"
#: Games against ``random`` at the end: enough to see that it has learnt something, and they take seconds.
GAMES = 400
#: RLlib gives each runner another seed near this one, and NumPy accepts 32 bits.
MOST_SEED = 2**31 - 1


class RatMultiAgentEnv(MultiAgentEnv):
    """A game as RLlib sees it: only the seat to act observes, and all seats are rewarded at the end.

    Args:
        config: ``game``, its name, and options of the game.

    Raises:
        ConfigurationError: no game is named, or an option is wrong.
        UnknownNameError: there is no such game.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        options = dict(config)
        if "game" not in options:
            raise ConfigurationError(f"config={shown(options)}: must name the game, as {{'game': 'brave_rats'}} does.")
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
        """Apply the action of the seat to act.

        Raises:
            IllegalActionError: the action is not legal, ``action_dict`` holds anything but one action of the seat to
                act, or the game is over.
            NotResetError: no game is under way.
        """
        agent = self.env.agent_selection
        if self.env.is_under_way and list(action_dict) != [agent]:
            raise IllegalActionError(
                f"action_dict={shown(action_dict)}: must hold an action of {agent}, whose turn it is, and nothing else."
            )
        self.env.step(next(iter(action_dict.values()), -1))
        over = any(self.env.terminations.values())
        seen = self.last_seen() if over else self.observed()
        return seen, dict(self.env.rewards), {"__all__": over}, {"__all__": False}, {}

    def observed(self) -> dict[str, dict[str, np.ndarray]]:
        """The observation of the seat to act."""
        agent = self.env.agent_selection
        return {agent: named(self.env.observe(agent))}

    def last_seen(self) -> dict[str, dict[str, np.ndarray]]:
        """The observations of all seats at the end."""
        return {agent: named(self.env.observe(agent)) for agent in self.possible_agents}


def observation_space(env: Any) -> gymnasium.spaces.Dict:
    """The observation space that RLlib's action-masking module needs: float32 parts with these names."""
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
        seed: seed of everything random.
        options: options of the game.
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
        )  # RLlib's check ignores the mask
        .env_runners(num_env_runners=runners)
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda agent, *rest, **more: POLICY)
        .rl_module(rl_module_spec=module)
        .training(lr=5e-4, gamma=1.0, entropy_coeff=0.02, train_batch_size_per_learner=2048, minibatch_size=256)
        .debugging(seed=seed)
    )


class RLlibAgent(Agent):
    """An agent that plays by a module that RLlib has trained: ``RLlibAgent(algorithm.get_module(POLICY))``.

    Args:
        module: of one policy; it takes observations as :func:`observation_space` says.
        seed: seed of drawing its actions.
    """

    name = "rllib"

    def __init__(self, module: RLModule, seed: int | None = None) -> None:
        super().__init__(seed)
        self.module = module

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the probabilities from which the module would draw."""
        parts = {"observations": views.observations, "action_mask": views.masks}
        seen = {name: torch.from_numpy(part.astype(np.float32)) for name, part in parts.items()}
        with torch.no_grad():
            logits = self.module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        policy: np.ndarray = torch.softmax(logits.double(), dim=1).numpy()
        return policy


def more_than_zero(minutes: float) -> float:
    """Refuse times that are not positive numbers.

    Raises:
        typer.BadParameter: it is not a positive number.
    """
    if math.isnan(minutes) or minutes <= 0:
        raise typer.BadParameter(f"{minutes:g} is no time to learn in: give a number above 0.")
    return minutes


def place_of(folder: Path, resume: bool, replace: bool, trust: bool) -> Path:
    """The folder of a run, if one may begin there, or go on.

    Raises:
        CheckpointError: there is nothing to resume, it has to be trusted first, or a run is not to be replaced.
    """
    if resume and replace:
        raise ConfigurationError("A run is resumed or replaced, not both.")
    saved = is_saved(folder)
    if resume and not saved:
        raise CheckpointError(f"There is no run in {shown_path(folder)} to resume: start one there without --resume.")
    if resume:
        demand_trusted(folder, trust)
    if saved and not resume and not replace:
        raise CheckpointError(
            f"{shown_path(folder)} holds a run: go on with it (--resume --trust), replace it (--replace), or give "
            "another folder."
        )
    return folder.resolve()


def demand_trusted(folder: Path, trust: bool) -> None:
    """Refuse to go on with a run that is not trusted.

    Raises:
        CheckpointError: it is not.
    """
    if not trust:
        raise CheckpointError(
            "A checkpoint of RLlib can execute code of whoever wrote it when it is loaded: if you trust the origin of "
            f"{shown_path(folder / SAVED)}, allow it with --trust."
        )


def is_saved(folder: Path) -> bool:
    """Whether a run is saved in a folder; if saving was killed between two renamings, it is finished first."""
    if not (folder / SAVED).exists() and (folder / PART / RUN).is_file():
        os.replace(folder / PART, folder / SAVED)
    return (folder / SAVED).exists()


def save(algorithm: Any, folder: Path, run: dict[str, Any], resumed: bool) -> None:
    """Save a checkpoint, and last in its folder what the run is; what was there before is whole until then."""
    part, old = folder / PART, folder / f"{SAVED}.old"
    shutil.rmtree(part, ignore_errors=True)
    algorithm.save_to_path(part)
    write_file(part / RUN, json.dumps(run).encode())
    if resumed:
        shutil.rmtree(old, ignore_errors=True)
        os.replace(folder / SAVED, old)
    else:
        set_aside(folder, (SAVED,))
    os.replace(part, folder / SAVED)
    shutil.rmtree(old, ignore_errors=True)


def restore(algorithm: Any, folder: Path, run: dict[str, Any]) -> float:
    """Go on from the checkpoint in a folder, which is trusted; how many seconds have been learnt there.

    Raises:
        CheckpointError: it is of another game, of other options or of another seed, or is damaged.
    """
    place = folder / SAVED
    saved = read_json(place / RUN, "run of RLlib")
    try:
        demand_outline(saved, {"game": str, "config": {}, "seed": int, "seconds": float})
    except ValueError as error:
        raise CheckpointError(f"{shown_path(place / RUN)} is damaged ({error}).") from None
    for name in ("game", "config", "seed"):
        if saved[name] != run[name]:
            raise CheckpointError(
                f"{shown_path(place)} is of a run with {name}={shown(saved[name])}, not {shown(run[name])}: resume it "
                "with that, or begin anew with --replace."
            )
    try:
        algorithm.restore_from_path(place)
    except Exception as error:  # whatever unpacking what was damaged, or written by another version, ends in
        raise CheckpointError(
            f"{shown_path(place)} cannot be restored ({type(error).__name__}: {reason_of(error)}): begin anew with "
            "--replace."
        ) from error
    return float(saved["seconds"])


def tell(result: dict[str, Any], seconds: float) -> None:
    """Print a line about an iteration: the mean returns by seat of the games that ended in it, which add up to 0."""
    entropy = float(result["learners"][POLICY]["entropy"])
    means = result["env_runners"].get("agent_episode_returns_mean", {})
    returns = ", ".join(f"{agent} {mean:+.2f}" for agent, mean in sorted(means.items())) or "no game has ended"
    steps = int(result["num_env_steps_sampled_lifetime"])
    print(f"{steps:,} steps, {seconds:.0f} s, entropy {entropy:.3f}, mean return: {returns}", flush=True)


def measure(game: str, module: RLModule, options: Configuration, seed: int) -> None:
    """Print the policy's return against random play, with the policy in every seat in turn."""
    agents: list[str | Agent] = [RLlibAgent(module, seed), *["random"] * (options.players - 1)]
    mean = play_match(game, agents, options, GAMES, seed).agents[0].mean_return
    print(f"mean return against random, with its 95 % interval: {mean:+.2f}, {GAMES} games")


def learn(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game by name.")],
    options: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Options of the game.")] = None,
    minutes: Annotated[
        float,
        typer.Option(callback=more_than_zero, help="How long to learn, including the time before --resume."),
    ] = 2.0,
    runners: Annotated[int, typer.Option(min=0, help="Processes that play; 0 to play in this one.")] = 0,
    seed: Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Of everything random.")] = 0,
    folder: Annotated[
        Path | None, typer.Option(help="Where the checkpoint is saved; runs/GAME-rllib if not given.")
    ] = None,
    resume: Resume = False,
    replace: Replace = False,
    go_on_or_begin: Continue = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Load the checkpoint for --resume or --continue, which can execute code.")
    ] = False,
) -> None:
    """Learn a game by RLlib's PPO, save a checkpoint, and play against random. Ctrl-C and SIGTERM save, too."""
    given = parse_options(options or [])
    known = rat_envs.get_game(game)
    settings = known.configuration.make(given)
    run = {"game": known.name, "config": settings.to_dict(), "seed": seed}
    folder = Path("runs") / f"{known.name}-rllib" if folder is None else folder
    demand_alone(go_on_or_begin, resume, replace)
    if go_on_or_begin:
        demand_trusted(folder, trust)
    resume = resume or (go_on_or_begin and is_saved(folder))
    place = place_of(folder, resume, replace, trust)
    with locked(place), a_cluster() as ray:
        demand_cores(ray, "runners", runners)
        algorithm = configuration(game, runners, seed, **given).build_algo()
        learnt = restore(algorithm, place, run) if resume else 0.0
        learnt, ended_by = go_on(algorithm, learnt, 60 * minutes)
        save(algorithm, place, {**run, "seconds": learnt}, resume)
        print(f"checkpoint saved in {shown_path(place / SAVED)}")
        if ended_by is not None:
            algorithm.stop()
            leave_interrupted(f"Interrupted; {how_to_go_on(go_on_or_begin)}.", ended_by)
        measure(game, algorithm.get_module(POLICY), settings, seed)
        algorithm.stop()


@contextlib.contextmanager
def a_cluster() -> Iterator[Any]:
    """Ray, and a cluster if none had been joined, which then ends with this."""
    ray, begun = join_cluster(LOCAL, "Learning by RLlib")
    try:
        yield ray
    finally:
        if begun:
            ray.shutdown()


def go_on(algorithm: Any, learnt: float, seconds: float) -> tuple[float, int | None]:
    """Learn until so many seconds are spent; how many are then, and the signal that has ended it before.

    Args:
        learnt: how many are spent already.
    """
    if learnt >= seconds:
        print(
            f"Nothing was learnt: the budget was spent already ({learnt / 60:.1f} minutes); --minutes are those of the "
            "whole run.",
            file=sys.stderr,
        )
    started = time.monotonic() - learnt
    with asked_to_end() as ending:
        while time.monotonic() - started < seconds and ending.signal is None:
            tell(algorithm.train(), time.monotonic() - started)
        learnt = max(learnt, time.monotonic() - started)
        return learnt, ending.signal if learnt < seconds else None


def main() -> None:
    """The script."""
    run_alone(learn, "python -m rat_envs.training.rllib")


if __name__ == "__main__":
    from rat_envs.training.rllib import main  # so the names in a checkpoint can be found when it is restored

    main()
