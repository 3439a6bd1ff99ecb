"""What every agent is held to: that it plays legally, by what its seat knows, and the same again from the same seed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from rat_envs.api.agent import ROUNDING, Agent
from rat_envs.api.named_agents import take_seat
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import checked_count
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.game import Game
from rat_envs.engine.position import new_stream
from rat_envs.engine.registry import get_game
from rat_envs.testing.demanding import demand, named

__all__ = ["check_agent"]

#: Games that are looked at together.
GAMES = 8
#: Steps from one look to the next, so that late positions come, too.
STRIDE = 17


def check_agent(
    agent: str | Agent,
    game: str | Game,
    config: Mapping[str, Any] | Configuration | None = None,
    positions: int = 100,
    seed: int = 0,
) -> None:
    """Check, in positions of random play, that an agent does what every agent must do.

    - It takes legal actions, and does not change the views that it is given.
    - The same seed gives the same actions, and so does a restored state.
    - It acts the same when everything that its seat cannot know is replaced.
    - Its probabilities are a distribution over the legal actions; if ``has_policy`` is set, those of a seat depend on
      its view alone. Its values are returns, from −1 to 1.

    Args:
        agent: the agent, by name or as an object.
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        config: options by name.
        positions: the least number of positions to check.
        seed: seed of all random numbers.

    Raises:
        ContractError: the agent breaks a rule; the message says which of its functions does what, and what it should
            do.
        ConfigurationError, CheckpointError, UnknownNameError: the agent refuses to play this.
    """
    game = get_game(game)
    configuration, positions = game.configuration.make(config), checked_count("positions", positions)
    player = take_seat(agent, game, configuration, seed)
    for number, batch in enumerate(random_positions(game, configuration, positions, seed)):
        check_actions(player, batch, seed + number)
        check_probabilities(player, batch, seed + number)
        check_values(player, batch)


def random_positions(game: Game, configuration: Configuration, positions: int, seed: int) -> Iterator[Batch]:
    """Batches of games of random play, one after another, until there were so many positions."""
    batch = Batch(game, GAMES, configuration, seed)
    for _ in range(-(-positions // GAMES)):
        yield batch
        for _ in range(STRIDE):
            batch.step_random()


def check_actions(agent: Agent, batch: Batch, seed: int) -> None:
    """Legal, repeatable, and by what the seats know."""
    views = SeatViews(batch)
    shown = views.observations.tobytes() + views.masks.tobytes()
    actions = seeded(agent, seed, lambda: agent.act_batch(views))
    right = actions.shape == (len(views),) and actions.dtype.kind in "iu"
    demand(right, f"act_batch returns {actions.dtype} of shape {actions.shape}: one whole number for each seat.")
    legal = ((actions >= 0) & (actions < views.masks.shape[1])).all() and views.masks[np.arange(len(views)), actions]
    demand(np.all(legal), f"act_batch returns {actions.tolist()}: not all of these actions are legal.")
    demand(shown == views.observations.tobytes() + views.masks.tobytes(), "act_batch changes the views it is given.")
    again = seeded(agent, seed, lambda: agent.act_batch(views))
    demand(
        (actions == again).all(), "seed does not start all random numbers anew: act_batch differs from the same seed."
    )
    twin = SeatViews(resampled(batch, seed))
    hidden = seeded(agent, seed, lambda: agent.act_batch(twin))
    demand((actions == hidden).all(), "act_batch depends on what the seat cannot know: that was replaced.")
    state = copy.deepcopy(agent.get_state())
    first = agent.act_batch(views)
    agent.set_state(state)
    demand((first == agent.act_batch(views)).all(), "set_state does not go on from what get_state returned.")


def seeded(agent: Agent, seed: int, ask: Callable[[], Any]) -> np.ndarray:
    """What an agent answers when it has just been seeded."""
    with named("seed"):
        agent.seed(seed)
    with named("act_batch"):
        return np.asarray(ask())


def resampled(batch: Batch, seed: int) -> Batch:
    """The same games, all that the seat to act cannot know replaced in each."""
    twin, stream = copy.deepcopy(batch), new_stream(batch.game, seed)
    for row, seat in zip(twin.states, twin.actors.tolist(), strict=True):
        batch.program.determinize(row, seat, stream)
    twin.refresh()
    return twin


def check_probabilities(agent: Agent, batch: Batch, seed: int) -> None:
    """What the agent says of its probabilities, if it says anything."""
    views = SeatViews(batch)
    try:
        policy = np.asarray(agent.policy_batch(views))
    except NotImplementedError:
        demand(not agent.has_policy, "policy_batch is missing: write it, or set has_policy = False.")
        return
    right = (len(views), views.masks.shape[1])
    demand(policy.shape == right, f"policy_batch returns shape {policy.shape}: it must be {right}.")
    demand((policy >= 0).all(), "policy_batch returns a negative probability.")
    demand((policy[views.masks == 0] <= ROUNDING).all(), "policy_batch gives an illegal action a probability.")
    sums = policy.sum(axis=1)
    worst = sums[np.abs(sums - 1).argmax()]
    demand(
        np.allclose(sums, 1, atol=ROUNDING),
        f"policy_batch returns probabilities of a seat that add up to {worst:g}, not 1.",
    )
    if agent.has_policy:
        alone = np.concatenate([agent.policy_batch(SeatViews(batch, np.array([i]))) for i in range(len(views))])
        demand(np.allclose(alone, policy, atol=ROUNDING), "policy_batch depends on more than the one view.")
        hidden = np.asarray(agent.policy_batch(SeatViews(resampled(batch, seed))))
        same = np.allclose(hidden, policy, atol=ROUNDING)
        demand(same, "policy_batch depends on what the seat cannot know: that was replaced.")


def check_values(agent: Agent, batch: Batch) -> None:
    """What the agent expects, if it expects anything."""
    values = agent.value_batch(SeatViews(batch))
    if values is None:
        return
    values = np.asarray(values)
    demand(values.shape == (batch.n,), f"value_batch returns shape {values.shape}: it must be ({batch.n},).")
    demand(
        (np.abs(values) <= 1 + ROUNDING).all(), "value_batch returns more than 1 or less than -1: a return is meant."
    )
