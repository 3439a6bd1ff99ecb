"""A lower bound on the return of a best response to an agent, where it cannot be computed: the return of a learnt one.

Whatever an opponent wins, a best response wins at least as much. So the learnt opponent's mean return in fresh games is
a lower bound on the return of a best response; its interval is that of the mean. It is not an exploitability: a better
opponent may exist. (Timbers et al. 2022, "Approximate exploitability", learn one by search; here it is learnt by PPO.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from rat_envs.agents.policy import PolicyAgent, the_one
from rat_envs.agents.shipped import has_policy, shipped_file, shipped_policy
from rat_envs.api.named_agents import make_agent
from rat_envs.arena import Estimate, play_opponents
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.progress import Report
from rat_envs.training.recommended import recommended
from rat_envs.training.run import train

__all__ = ["LowerBound", "begin_with_shipped", "learn_best_response", "response_options"]

#: Options that define the network with which the learner begins: if one is set, the package's policy is not used.
OF_THE_NETWORK = frozenset({"begin_with", "hidden", "activation", "separate", "recall", "crossed", "teacher_steps"})
#: With larger steps a policy that has been trained for long gets worse at first, and two minutes are too short to
#: recover.
GOING_ON = {"teacher_steps": 0, "learning_rate": 2e-4, "averaged": 10}


@dataclass(frozen=True)
class LowerBound:
    """The return of a learnt opponent against an agent in all other seats.

    Attributes:
        game: the game's name.
        config: every option.
        agent: the agent that it plays against.
        lower_bound: the learnt opponent's mean return over all seats.
        by_seat: its mean return from each seat.
        games: number of games played afterwards to measure it.
        steps: number of decisions it learnt from.
        seconds: time that this took.
        policy: the file of the learnt opponent, which can be used like any other agent.
        interrupted: whether Ctrl-C, SIGTERM or the like ended the training early; the bound holds all the same.
        ended_by: the number of that signal; None without one.
    """

    game: str
    config: dict[str, Any]
    agent: str
    lower_bound: Estimate
    by_seat: tuple[float, ...]
    games: int
    steps: int
    seconds: float
    policy: str
    interrupted: bool
    ended_by: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def response_options(game: str, agent: str, **changes: Any) -> PPOOptions:
    """The game's recommended settings, with ``agent`` in all other seats of all games.

    The learner begins with the trained policy that comes with the package, where that is a network with which it can go
    on and the changes say nothing of the network; elsewhere, if the game's settings say so, it imitates the heuristic
    first.

    Args:
        game: registered name.
        agent: its name, or the path of a saved policy.
        changes: further options of training.
    """
    players = get_game(game).configuration.make(changes.get("config")).players
    begun = {} if OF_THE_NETWORK & changes.keys() else begin_with_shipped(get_game(game), players)
    own = {"game": game, "opponents": {agent: 1.0}, "folder": f"runs/best_response_{game}"}
    return PPOOptions(**{**recommended(game, PPOOptions.LEARNER), **begun, **own, **changes})


def begin_with_shipped(game: Game, players: int) -> dict[str, Any]:
    """Options of a learner that begins with the package's policy; empty if there is none with a suitable network."""
    policy = shipped_policy(game, players) if has_policy(game) else None
    if not isinstance(policy, PolicyAgent):
        return {}
    networks = the_one(policy.networks)
    layers = {"hidden": tuple(networks.layers[1:-1]), "activation": networks.activation}
    return {"begin_with": str(shipped_file(game, players)), **layers, **GOING_ON}


def learn_best_response(
    options: PPOOptions, games: int = 4000, progress: Callable[[Report], None] | None = None
) -> LowerBound:
    """Learn to beat one agent, and measure the result in games that were not learnt from.

    Args:
        options: from :func:`response_options`; ``resume`` goes on with the run in the folder.
        games: number of games to measure it.
        progress: called after every update.

    Raises:
        ConfigurationError: ``options`` name several opponents, or give the learner several seats.
        UnknownNameError: there is no such agent; frozen selves do not count as one.
        CheckpointError: the run to resume is missing, damaged, or a different one.
    """
    if list(options.opponents.values()) != [1.0] or options.most_seats > 1:
        given = f"opponents={shown(dict(options.opponents))}, most_seats={shown(options.most_seats)}"
        raise ConfigurationError(f"{given}: must be one agent with all games, {{name: 1.0}}, and one seat.")
    (name,) = options.opponents
    game = get_game(options.game)
    configuration = game.configuration.make(options.config)
    met = make_agent(name, game, trust=options.trust)  # now, because its file may change during training
    result = train(options, progress)
    (response,) = play_opponents(game, result.agent, [met], configuration, games, options.seed + 1).values()
    return LowerBound(
        game=game.name,
        config=configuration.to_dict(),
        agent=name,
        lower_bound=response.mean_return,
        by_seat=tuple(seat.mean_return for seat in response.seats),
        games=response.games,
        steps=result.steps,
        seconds=result.seconds,
        policy=str(result.policy_path),
        interrupted=result.interrupted,
        ended_by=result.ended_by,
    )
