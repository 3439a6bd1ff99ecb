"""Checks for every agent: it plays legally, by what its seat knows, and repeatably with the same seed."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rat_envs.api.agent import ROUNDING, Agent
from rat_envs.api.agent_code import AgentError
from rat_envs.api.named_agents import take_seat
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import checked_count
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ContractError, reason_of
from rat_envs.engine.game import Game
from rat_envs.engine.position import new_stream
from rat_envs.engine.registry import get_game
from rat_envs.testing.demanding import demand, named

__all__ = ["check_agent"]

#: The number of games that are checked together.
GAMES = 8
#: Steps from one check to the next, so that late positions are checked, too.
STRIDE = 17


def check_agent(
    agent: str | Agent,
    game: str | Game,
    config: Mapping[str, Any] | Configuration | None = None,
    positions: int = 100,
    seed: int = 0,
) -> None:
    """Check an agent's duties in positions of random play.

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
        ContractError: the agent breaks a rule, or its code raises an error; the message names the function, what it
            does, and what it should do.
        ConfigurationError, CheckpointError, UnknownNameError: the agent refuses to play this.
    """
    game = get_game(game)
    configuration, positions = game.configuration.make(config), checked_count("positions", positions)
    try:
        player = take_seat(agent, game, configuration, seed)
    except AgentError as error:
        raise ContractError(str(error)) from error
    for number, batch in enumerate(random_positions(game, configuration, positions, seed)):
        check_actions(player, batch, seed + number)
        check_probabilities(player, batch, seed + number)
        check_values(player, batch)


def random_positions(game: Game, configuration: Configuration, positions: int, seed: int) -> Iterator[Batch]:
    """Batches of games of random play, one after another, until there are this many positions."""
    batch = Batch(game, GAMES, configuration, seed)
    for _ in range(-(-positions // GAMES)):
        yield batch
        for _ in range(STRIDE):
            batch.step_random()


def check_actions(agent: Agent, batch: Batch, seed: int) -> None:
    """Check that actions are legal, repeatable, and depend only on what the seats know."""
    views = SeatViews(batch)
    actions = seeded(agent, seed, views)
    demand(
        (actions == seeded(agent, seed, views)).all(),
        "seed does not start all random numbers anew: act_batch differs from the same seed.",
    )
    hidden = seeded(agent, seed, SeatViews(resampled(batch, seed)))
    demand((actions == hidden).all(), "act_batch depends on what the seat cannot know: that was replaced.")
    with named("get_state"):
        state = copy.deepcopy(agent.get_state())
    first = legal_actions(agent, views)
    with named("set_state"):
        agent.set_state(state)
    demand((first == legal_actions(agent, views)).all(), "set_state does not go on from what get_state returned.")


def seeded(agent: Agent, seed: int, views: SeatViews) -> np.ndarray:
    """(n) legal actions that an agent takes when it has just been seeded."""
    with named("seed"):
        agent.seed(seed)
    return legal_actions(agent, views)


def legal_actions(agent: Agent, views: SeatViews) -> np.ndarray:
    """(n) actions that an agent takes, checked to be legal."""
    masks, observations = views.masks.copy(), views.observations.copy()
    with named("act_batch"):
        actions = array("act_batch", agent.act_batch(views))
    kept = np.array_equal(masks, views.masks) and np.array_equal(observations, views.observations)
    demand(kept, "act_batch changes the views it is given.")
    right = actions.shape == (len(views),) and actions.dtype.kind in "iu"
    demand(right, f"act_batch returns {actions.dtype} of shape {actions.shape}: one whole number for each seat.")
    legal = ((actions >= 0) & (actions < masks.shape[1])).all() and masks[np.arange(len(masks)), actions]
    demand(np.all(legal), f"act_batch returns {actions.tolist()}: not all of these actions are legal.")
    return actions


def array(what: str, given: Any) -> np.ndarray:
    """The result of a function as an array."""
    try:
        return np.asarray(given)
    except Exception as error:  # such as rows of different lengths, or a tensor that needs a gradient
        raise ContractError(f"{what} returns what cannot become a numpy array ({reason_of(error)}).") from error


def numbers(what: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The same for a result that must be numbers of this shape."""
    found = array(what, given)
    demand(found.shape == shape, f"{what} returns shape {found.shape}: it must be {shape}.")
    demand(found.dtype.kind in "fiub", f"{what} returns an array of {found.dtype}: it must be numbers.")
    demand(np.isfinite(found).all(), f"{what} returns a number that is not finite.")
    return found


def resampled(batch: Batch, seed: int) -> Batch:
    """The same games, with everything replaced that the seat to act in each cannot know."""
    twin, stream = copy.deepcopy(batch), new_stream(batch.game, seed)
    for row, seat in zip(twin.states, twin.actors.tolist(), strict=True):
        batch.program.determinize(row, seat, stream)
    twin.refresh()
    return twin


def check_probabilities(agent: Agent, batch: Batch, seed: int) -> None:
    """Check the agent's probabilities, if it gives any."""
    views = SeatViews(batch)
    masks = views.masks.copy()
    try:
        policy = policy_of(agent, views)
    except NotImplementedError:
        demand(not agent.has_policy, "policy_batch is missing: write it, or set has_policy = False.")
        return
    demand((policy >= 0).all(), "policy_batch returns a negative probability.")
    demand((policy[masks == 0] <= ROUNDING).all(), "policy_batch gives an illegal action a probability.")
    sums = policy.sum(axis=1)
    worst = sums[np.abs(sums - 1).argmax()]
    demand(
        np.allclose(sums, 1, atol=ROUNDING),
        f"policy_batch returns probabilities of a seat that add up to {worst:g}, not 1.",
    )
    if agent.has_policy:
        with named("policy_batch"):
            alone = np.concatenate([policy_of(agent, SeatViews(batch, np.array([i]))) for i in range(len(views))])
            hidden = policy_of(agent, SeatViews(resampled(batch, seed)))
        demand(np.allclose(alone, policy, atol=ROUNDING), "policy_batch depends on more than the one view.")
        same = np.allclose(hidden, policy, atol=ROUNDING)
        demand(same, "policy_batch depends on what the seat cannot know: that was replaced.")


def policy_of(agent: Agent, views: SeatViews) -> np.ndarray:
    """(n, A) numbers of ``policy_batch``.

    Raises:
        NotImplementedError: the agent has none.
    """
    shape = views.masks.shape
    with named("policy_batch", NotImplementedError):
        return numbers("policy_batch", agent.policy_batch(views), shape)


def check_values(agent: Agent, batch: Batch) -> None:
    """Check the returns that the agent expects, if it gives any."""
    with named("value_batch"):
        values = agent.value_batch(SeatViews(batch))
    if values is None:
        return
    expected = numbers("value_batch", values, (batch.n,))
    demand(
        (np.abs(expected) <= 1 + ROUNDING).all(), "value_batch returns more than 1 or less than -1: a return is meant."
    )
