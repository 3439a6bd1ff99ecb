"""Our own agents are held to what agents from anywhere are; and each fault of an agent is named in one sentence."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from rat_envs.agents import make_agent
from rat_envs.api.agent import Agent
from rat_envs.engine.errors import ContractError
from rat_envs.engine.registry import get_game
from rat_envs.testing import check_agent
from rat_envs.testing.agents import random_positions

OURS = [
    *[(game, agent) for game in ("brave_rats", "rattus", "rattus_cartus") for agent in ("random", "greedy")],
    *[("comme_des_rats", agent) for agent in ("random", "greedy", "loyal", "treacherous")],
    *[(game, "ismcts:sims=12,rollout=greedy") for game in ("brave_rats", "comme_des_rats")],
]


@pytest.mark.parametrize(("game", "agent"), OURS)
def test_our_agents_keep_what_is_asked_of_them(game: str, agent: str) -> None:
    check_agent(agent, game, positions=80)


class Faulty(Agent):
    """Plays at random but for one fault."""

    def policy_batch(self, views: Any) -> np.ndarray:
        """Uniform."""
        return views.masks / views.masks.sum(axis=1, keepdims=True)


class Illegal(Faulty):
    def act_batch(self, views: Any) -> np.ndarray:
        return (views.masks == 0).argmax(axis=1)


class Unseeded(Faulty):
    def seed(self, seed: Any) -> None:
        self.random = np.random.default_rng()


class Peeking(Faulty):
    has_policy = False

    def act_batch(self, views: Any) -> np.ndarray:
        rows = views._SeatViews__states.take(views._SeatViews__rows)
        return np.array([np.flatnonzero(mask)[int(row["hand"].sum() + row["chosen"].sum()) % int(mask.sum())]
                         for row, mask in zip(rows, views.masks, strict=True)])  # fmt: skip


class Unfinished(Agent):
    has_policy = True

    def act_batch(self, views: Any) -> np.ndarray:
        return views.masks.argmax(axis=1)


class Excessive(Faulty):
    def policy_batch(self, views: Any) -> np.ndarray:
        return 2.0 * super().policy_batch(views)


class Overconfident(Faulty):
    def value_batch(self, views: Any) -> np.ndarray:
        return np.full(len(views), 3.0)


class Changing(Faulty):
    def act_batch(self, views: Any) -> np.ndarray:
        views.masks[:] = 1
        return views.masks.argmin(axis=1)


FAULTS = {
    Illegal: r"^act_batch returns \[.*\]: not all of these actions are legal\.$",
    Unseeded: "^seed does not start all random numbers anew",
    Peeking: "^act_batch depends on what the seat cannot know",
    Unfinished: "^policy_batch is missing: write it, or set has_policy = False",
    Excessive: "^policy_batch returns probabilities of a seat that add up to ",
    Changing: "^act_batch changes the views it is given",
    Overconfident: "^value_batch returns more than 1 or less than -1",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_named(fault: type[Agent]) -> None:
    with pytest.raises(ContractError, match=FAULTS[fault]):
        check_agent(fault(0), "brave_rats", {"draw_pile": True}, positions=200)


def test_what_becomes_an_array_is_as_good_as_one() -> None:
    for kind in (list, tuple):

        class Plain(Faulty):
            def act_batch(self, views: Any, kind: type = kind) -> Any:
                return kind(views.masks.argmax(axis=1).tolist())

            def policy_batch(self, views: Any, kind: type = kind) -> Any:
                return kind(super().policy_batch(views).tolist())

            def value_batch(self, views: Any, kind: type = kind) -> Any:
                return kind([0.5] * len(views))

        check_agent(Plain(0), "brave_rats", positions=40)


def fails(*arguments: Any) -> Any:
    """In place of a method."""
    raise KeyError("hand")


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        ({"act_batch": fails}, r"^act_batch raises KeyError \('hand'\): it must raise nothing\.$"),
        ({"act_batch": lambda self, views: [[0], [1, 2]]}, r"^act_batch returns what cannot become a numpy array \("),
        ({"act_batch": lambda self, views: sys.exit()}, r"^act_batch raises SystemExit"),
        ({"act_batch": lambda self, views: None}, r"^act_batch returns object of shape \(\): one whole number"),
        ({"policy_batch": fails}, r"^policy_batch raises KeyError"),
        (
            {"policy_batch": lambda self, views: [[1], [1, 2]]},
            r"^policy_batch returns what cannot become a numpy array",
        ),
        ({"policy_batch": lambda self, views: None}, r"^policy_batch returns shape \(\): it must be \(8, 16\)\.$"),
        (
            {"policy_batch": lambda self, views: views.masks.astype(object)},
            r"^policy_batch returns an array of object: it must be numbers\.$",
        ),
        ({"policy_batch": lambda self, views: views.masks * np.nan}, r"^policy_batch returns a number that is not fin"),
        ({"value_batch": fails}, r"^value_batch raises KeyError"),
        (
            {"value_batch": lambda self, views: ["a"] * len(views)},
            r"^value_batch returns an array of <U1: it must be num",
        ),
        ({"value_batch": lambda self, views: [[1], [1, 2]]}, r"^value_batch returns what cannot become"),
        ({"get_state": fails}, r"^get_state raises KeyError"),
        ({"set_state": fails}, r"^set_state raises KeyError"),
        (
            {"check": fails},
            r"^The agent Bot raises KeyError \(it has no 'hand'\) in test_check_agents\.py, line \d+\.$",
        ),
    ],
)
def test_an_agent_whose_code_fails_breaks_a_rule(methods: dict[str, Any], sentence: str) -> None:
    own = {"act_batch": lambda self, views: views.masks.argmax(axis=1)}
    with pytest.raises(ContractError, match=sentence):
        check_agent(type("Bot", (Faulty,), own | methods)(0), "brave_rats", positions=8)


def test_what_an_agent_cannot_play_is_its_own_error() -> None:
    with pytest.raises(Exception, match="cannot be played like this by the agent nash: it hides more than"):
        check_agent(make_agent("nash", "brave_rats"), "brave_rats", {"draw_pile": True})


class PeekingPolicy(Faulty):
    """Its actions are fair, its probabilities are not: solvers and exploitability take these alone."""

    def act_batch(self, views: Any) -> np.ndarray:
        return views.masks.argmax(axis=1)

    def policy_batch(self, views: Any) -> np.ndarray:
        rows = views._SeatViews__states.take(views._SeatViews__rows)
        weights = views.masks * np.arange(1.0, views.masks.shape[1] + 1) ** (1 + rows["chosen"].max(axis=1))[:, None]
        return weights / weights.sum(axis=1, keepdims=True)


def test_probabilities_that_depend_on_hidden_facts_are_found() -> None:
    with pytest.raises(ContractError, match=r"^policy_batch depends on what the seat cannot know"):
        check_agent(PeekingPolicy(0), "brave_rats", positions=80)


def test_late_positions_are_looked_at_too() -> None:
    game = get_game("rattus_cartus")
    rounds = {int(row["rounds_played"]) for batch in random_positions(game, game.configuration(), 100, 0)
              for row in batch.states}  # fmt: skip
    assert len(rounds) > 5
