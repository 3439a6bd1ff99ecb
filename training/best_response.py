"""A lower bound on what a best response wins against an agent, where the truth is out of reach: learn one.

Any opponent shows that an agent can be beaten by so much, so the learnt one's mean return in fresh games is a lower
bound on what a best response wins; its interval is that of the mean. It is not an exploitability: a better opponent may
exist. (Timbers et al. 2022, "Approximate exploitability", learn one by search; here it is learnt by MaskablePPO.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from rat_envs.api.named_agents import make_agent
from rat_envs.arena import Estimate, play_match
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.registry import get_game
from rat_envs.training.maskable_ppo import MaskablePPOOptions
from rat_envs.training.progress import Report
from rat_envs.training.recommended import recommended
from rat_envs.training.run import train

__all__ = ["LowerBound", "learn_best_response", "response_options"]


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
        steps: moves it learnt from.
        seconds: that this took.
        policy: the file of the learnt opponent, an agent like any other.
        interrupted: whether Ctrl-C ended the training early; the bound holds all the same.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def response_options(game: str, agent: str, **changes: Any) -> MaskablePPOOptions:
    """The game's recommended settings, with ``agent`` in all other seats of all games. Where they begin with imitation,
    that is of the game's heuristic, whoever is to be beaten.

    Args:
        game: registered name.
        agent: by name, or the path of a saved policy.
        changes: further options of training.
    """
    alone = {"opponents": {agent: 1.0}, "latest_share": 0.0, "older_at_once": 0, "average_share": 0.1}
    own = {"game": game, "folder": f"runs/best_response_{game}"}
    return MaskablePPOOptions(**{**recommended(game, MaskablePPOOptions.LEARNER), **alone, **own, **changes})


def learn_best_response(
    options: MaskablePPOOptions, games: int = 4000, progress: Callable[[Report], None] | None = None
) -> LowerBound:
    """Learn to beat one agent, and measure the result in games that were not learnt from.

    Args:
        options: from :func:`response_options`; ``resume`` goes on with the run in the folder.
        games: how many games measure it.
        progress: called after every update.

    Raises:
        ConfigurationError: ``options`` name several opponents, or frozen selves.
        CheckpointError: what is to be resumed is missing, damaged, or of another run.
    """
    if list(options.opponents.values()) != [1.0] or options.latest_share > 0:
        raise ConfigurationError(
            f"opponents={shown(dict(options.opponents))}: must be one agent with all games, {{name: 1.0}}."
        )
    (name,) = options.opponents
    game = get_game(options.game)
    configuration = game.configuration.make(options.config)
    result = train(options, progress)
    others = [make_agent(name, game, options.seed + seat) for seat in range(1, configuration.players)]
    match = play_match(game, [result.agent, *others], configuration, games, seed=options.seed + 1)
    response = match.agents[0]
    return LowerBound(
        game=game.name,
        config=configuration.to_dict(),
        agent=name,
        lower_bound=response.mean_return,
        by_seat=tuple(seat.mean_return for seat in response.seats),
        games=match.games,
        steps=result.steps,
        seconds=result.seconds,
        policy=str(result.policy_path),
        interrupted=result.interrupted,
    )
