"""Nothing leaks (BR-30 to BR-32), and the proof of it catches those that do leak or do not sample fairly."""

from __future__ import annotations

import copy
import itertools
import os
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper

import rat_envs
from rat_envs.api.aec import RatAECEnv
from rat_envs.testing import LeakError, leak_test, play_at_random

#: 64 configurations × 79 positions are 5,056; a long run sets 5000 or more here.
POSITIONS = int(os.environ.get("RAT_LEAK_POSITIONS", "79"))
SWITCHES = ("traitor", "draw_pile", "fast", "emperor")
CONFIGURATIONS = [
    {"hands": hands, **dict(zip(SWITCHES, switches, strict=True))}
    for hands in ("clan", "draft", "random", "princess_attack")
    for switches in itertools.product((False, True), repeat=len(SWITCHES))
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: "-".join(map(str, config.values())))
def test_no_configuration_leaks(config: dict[str, Any]) -> None:
    env = rat_envs.make("brave_rats", **config)
    report = leak_test(env, POSITIONS, texts_every=4, pictures_every=40)
    assert report.positions >= POSITIONS
    assert report.seats[1].differing > 0, "player_1 never knows what player_0 has just chosen"


@pytest.mark.parametrize(
    "config",
    [{}, {"draw_pile": True, "hands": "princess_attack"}, {"hands": "draft", "fast": True}],
    ids=("base", "draw_pile", "draft"),
)
def test_resampling_is_fair_in_many_positions(config: dict[str, Any]) -> None:
    env = rat_envs.make("brave_rats", **config)
    report = leak_test(env, 500, seed=10_000, texts_every=1000, pictures_every=1000)
    for seat in report.seats:
        assert abs(seat.differing - seat.differing_by_chance) < 0.1
        assert seat.twins > 0
    assert "No leak in 500 positions" in str(report)


def test_br21_a_determinized_copy_knows_neither_the_opponents_cards_nor_the_future() -> None:
    env = rat_envs.make("brave_rats", draw_pile=True)
    env.reset(seed=1)
    own, other = int(env.action_space("player_0").sample()), env.possible_agents[1]
    masks, drawn = set(), set()
    for seed in range(40):
        world = copy.deepcopy(env)
        world.determinize("player_0", seed)
        world.step(own)
        masks.add(world.observe(other)["action_mask"].tobytes())
        world.step(int(world.action_space(other).sample()))
        drawn.add(world.observe("player_0")["observation"].view(world.game.observation)[0].own_hand.tobytes())
    assert len(masks) > 10
    assert len(drawn) == 5, "each of the five cards in the pile comes up, whatever the next draw is in truth"


@pytest.mark.parametrize("config", CONFIGURATIONS[1::7], ids=lambda config: "-".join(map(str, config.values())))
def test_a_determinized_environment_can_be_played_to_the_end(config: dict[str, Any]) -> None:
    """Also for who is not to act: the mask of who is goes with the new cards."""
    random = np.random.default_rng(0)
    env, batch = rat_envs.make("brave_rats", **config), rat_envs.Batch("brave_rats", 1, config)
    for seed in range(5):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            agent = env.agent_selection
            env.determinize(env.possible_agents[random.integers(2)], seed=int(random.integers(2**62)))
            batch.rows[0] = env.row
            batch.refresh()
            for mask in (env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]):
                assert (mask == batch.masks[0]).all()
            env.step(play_at_random(env, agent, random))


class LeakingObservation(RatAECEnv):
    """One byte tells what the opponent has chosen."""

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        seen["observation"][-1] = self.row.chosen[1 - self.possible_agents.index(agent)]
        return seen


class LeakingText(RatAECEnv):
    """The text tells it."""

    def render_for(self, point_of_view: str, mode: str) -> Any:
        drawn = super().render_for(point_of_view, mode)
        return f"{drawn}{self.row.chosen}" if mode == "ansi" else drawn


class LeakingInfos(RatAECEnv):
    """The infos tell it."""

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        super().reset(seed, options)
        self._tell()

    def step(self, action: int | None) -> None:
        super().step(action)
        self._tell()

    def determinize(self, agent: str, seed: int) -> None:
        super().determinize(agent, seed)
        self._tell()

    def _tell(self) -> None:
        self.infos = {agent: {**info, "hint": int(self.row.chosen.max())} for agent, info in self.infos.items()}


class LeakingMask(RatAECEnv):
    """The mask forbids the card that the opponent has chosen."""

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        other = int(self.row.chosen[1 - self.possible_agents.index(agent)])
        mask = seen["action_mask"].copy()
        if other >= 0 and mask[:8].sum() > 1:
            mask[other] = 0
        return {**seen, "action_mask": mask}


@pytest.mark.parametrize(
    ("leaking", "what"),
    [
        (LeakingObservation, r"observation\['observation'\] in games_played"),
        (LeakingMask, r"observation\['action_mask'\]"),
        (LeakingInfos, r"infos\['hint'\]"),
        (LeakingText, "ansi of player_1, ansi of public"),
    ],
)
def test_what_leaks_is_caught_and_named(leaking: type[RatAECEnv], what: str) -> None:
    with pytest.raises(LeakError, match=f"player_1 .*after [0-9]+ steps of the game of seed [0-9]+ changes {what}"):
        leak_test(leaking("brave_rats"), 100, pictures_every=1000)


def test_a_picture_that_leaks_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    env = rat_envs.make("brave_rats")
    drawing = env.game.drawing
    monkeypatch.setitem(env.game.__dict__, "drawing", lambda row, seat: f"{drawing(row, seat)}{row.chosen}")
    with pytest.raises(LeakError, match="changes picture of player_1"):
        leak_test(env, 100, texts_every=1000, pictures_every=1)


class TruthfulResampler(RatAECEnv):
    """Returns the truth."""

    def determinize(self, agent: str, seed: int) -> None:
        self._batch.refresh()


class LateTruthfulResampler(RatAECEnv):
    """Returns the truth from the third round on."""

    def determinize(self, agent: str, seed: int) -> None:
        if self.row.hand.sum() > 12:
            super().determinize(agent, seed)


class NeverTrueResampler(RatAECEnv):
    """Never returns the truth where it can be avoided."""

    def determinize(self, agent: str, seed: int) -> None:
        truth = self.state_dict()
        before = self.row.tobytes()
        for attempt in range(20):
            super().determinize(agent, seed + attempt)
            if self.row.tobytes() != before:
                return
            self.load_state_dict(truth)


class BiasedResampler(RatAECEnv):
    """Prefers high cards: the highest of three draws."""

    def determinize(self, agent: str, seed: int) -> None:
        other = 1 - self.possible_agents.index(agent)
        draws = []
        for draw in range(3):
            super().determinize(agent, seed + draw)
            draws.append(int(self.row.chosen[other]))
        self.row.chosen[other] = max(draws)


@pytest.mark.parametrize(
    ("unfair", "positions", "what"),
    [
        (TruthfulResampler, 150, "equal the truth and .* equal another truth that looks the same"),
        (LateTruthfulResampler, 500, "equal the truth and .* equal another truth that looks the same"),
        (NeverTrueResampler, 300, "equal the truth|equals the truth"),
        (BiasedResampler, 400, r"chosen\[0\] of the hidden state is 7 more often|equals the truth"),
    ],
)
def test_an_unfair_resampler_is_caught(unfair: type[RatAECEnv], positions: int, what: str) -> None:
    with pytest.raises(LeakError, match=f"^determinize for player_1 does not sample fairly: .*({what})"):
        leak_test(unfair("brave_rats"), positions, texts_every=10_000, pictures_every=10_000)


def test_a_resampler_that_returns_the_true_deal_is_caught() -> None:
    """Here the hidden facts are a deal: twins are other games that begin alike."""
    with pytest.raises(LeakError, match="another truth that looks the same"):
        leak_test(TruthfulResampler("brave_rats", {"draw_pile": True}), 300, texts_every=10_000, pictures_every=10_000)


class HighCard(AECEnv):
    """An environment of another make: both are dealt one of four cards, choose to bet or not, the higher card wins."""

    metadata = {"name": "high_card"}

    def __init__(self, leak: bool = False) -> None:
        self.possible_agents = ["left", "right"]
        self.leak = leak

    def observation_space(self, agent: str) -> spaces.Space:
        return spaces.Box(-1, 9, (3,), np.int64)

    def action_space(self, agent: str) -> spaces.Space:
        return spaces.Discrete(2)

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        self.cards = np.random.default_rng(seed).permutation(4)[:2]
        self.bets = [-1, -1]
        self.agents = self.possible_agents[:]
        self.agent_selection = "left"
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> np.ndarray:
        seat = self.agents.index(agent)
        return np.array([self.cards[seat] + self.leak * 10 * self.cards[1 - seat], *self.bets])

    def step(self, action: int) -> None:
        seat = self.agents.index(self.agent_selection)
        self.bets[seat] = int(action)
        self.agent_selection = self.agents[1 - seat]
        if seat == 1:
            self.terminations = dict.fromkeys(self.agents, True)

    def determinize(self, agent: str, seed: int) -> None:
        seat = self.agents.index(agent)
        others = [card for card in range(4) if card != self.cards[seat]]
        self.cards[1 - seat] = np.random.default_rng(seed).choice(others)


def test_environments_of_other_makes_and_wrappers_can_be_tested() -> None:
    def cards(env: Any) -> bytes:
        return env.unwrapped.cards.tobytes()

    assert leak_test(HighCard(), 300, hidden_state=cards).seats[0].differing == pytest.approx(2 / 3, abs=0.1)
    with pytest.raises(LeakError, match=r"left is shown what it cannot know: .* changes observation"):
        leak_test(HighCard(leak=True), 300, hidden_state=cards)
    wrapped = BaseWrapper(OrderEnforcingWrapper(rat_envs.make("brave_rats")))
    assert leak_test(wrapped, 10).positions == 10
    with pytest.raises(LeakError):
        leak_test(BaseWrapper(LeakingText("brave_rats")), 100)
