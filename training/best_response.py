"""A lower bound on what a best response wins against an agent, where the truth is out of reach: learn one.

Any opponent shows that an agent can be beaten by so much, so the learnt one's mean return in fresh games is a lower
bound on what a best response wins; its interval is that of the mean. It is not an exploitability: a better opponent may
exist. (Timbers et al. 2022, "Approximate exploitability", learn one by search; here it is learnt by PPO.)
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

#: Options that say what the learner begins with: who sets one decides all.
OF_THE_NETWORK = frozenset({"begin_with", "hidden", "activation", "separate", "recall", "crossed", "teacher_steps"})
#: With larger steps a policy that has been trained for long loses at first, and two minutes are too short to win that
#: back.
GOING_ON = {"teacher_steps": 0, "learning_rate": 2e-4, "averaged": 10}


@dataclass(frozen=True)
class LowerBound:
    """What a learnt opponent wins against an agent that has all other seats.

    Attributes:
        game: its name.
        config: every option.
        agent: against whom.
        lower_bound: the learnt opponent's mean return over all seats.
        by_seat: its mean return from each seat.
        games: played afterwards, to measure it.
        steps: decisions it learnt from.
        seconds: that this took.
        policy: the file of the learnt opponent, an agent like any other.
        interrupted: whether Ctrl-C, SIGTERM or SIGHUP ended the training early; the bound holds all the same.
        ended_by: the number of that signal; None where none did.
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
        agent: by name, or the path of a saved policy.
        changes: further options of training.
    """
    players = get_game(game).configuration.make(changes.get("config")).players
    begun = {} if OF_THE_NETWORK & changes.keys() else begin_with_shipped(get_game(game), players)
    own = {"game": game, "opponents": {agent: 1.0}, "folder": f"runs/best_response_{game}"}
    return PPOOptions(**{**recommended(game, PPOOptions.LEARNER), **begun, **own, **changes})


def begin_with_shipped(game: Game, players: int) -> dict[str, Any]:
    """Options of a learner that begins with the package's policy; empty where there is none that a network can be."""
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
        games: how many games measure it.
        progress: called after every update.

    Raises:
        ConfigurationError: ``options`` name several opponents, or give the learner several seats.
        UnknownNameError: there is no such agent; frozen selves are none.
        CheckpointError: what is to be resumed is missing, damaged, or of another run.
    """
    if list(options.opponents.values()) != [1.0] or options.most_seats > 1:
        given = f"opponents={shown(dict(options.opponents))}, most_seats={shown(options.most_seats)}"
        raise ConfigurationError(f"{given}: must be one agent with all games, {{name: 1.0}}, and one seat.")
    (name,) = options.opponents
    game = get_game(options.game)
    configuration = game.configuration.make(options.config)
    met = make_agent(name, game, trust=options.trust)  # now: its file may be another one when all is learnt
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
