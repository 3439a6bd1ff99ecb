"""Nothing leaks (BR-30 to BR-32, CR-70 to CR-78), and the proof of it catches those that do leak or do not sample
fairly."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from games_and_configurations import EVERY, LAST, each, label
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper

import rat_envs
from rat_envs.api.aec import RatAECEnv
from rat_envs.engine.registry import get_game
from rat_envs.testing import LeakError, leak_test, play_at_random

#: Positions that are looked at in each configuration; of BraveRats 64 × 79 = 5,056. A long run sets 5000 or more.
LONG_RUN = os.environ.get("RAT_LEAK_POSITIONS")
#: In Rattus only the Witch looks at tokens, and not soon.
POSITIONS = {"brave_rats": 79, "rattus": 60}
POSITIONS_OF_OTHERS = 30
ALL = [(game, config) for game, configurations in EVERY.items() for config in configurations]


def hidden_state(game: str, config: dict[str, Any]) -> Callable[[Any], bytes] | None:
    """The row without what seats know, by its hash alone, which is equal or not, where samples are even only nearly."""

    def digest(env: Any) -> bytes:
        row = env.unwrapped.game_state.copy()
        for name in get_game(game).knowledge:
            row[name] = 0
        return hashlib.sha256(row.tobytes()).digest()

    nearly = game == "rattus_cartus" or (game == "comme_des_rats" and config.get("roles", False))
    return digest if nearly else None


@each(ALL)
def test_no_configuration_leaks(game: str, config: dict[str, Any]) -> None:
    positions = int(LONG_RUN or POSITIONS.get(game, POSITIONS_OF_OTHERS))
    # A position a game, or two: games differ from one configuration to the next.
    seed = 0 if game in POSITIONS else 100_000 * EVERY[game].index(config)
    report = leak_test(
        rat_envs.make(game, **config),
        positions,
        seed,
        hidden_state=hidden_state(game, config),
        texts_every=25 if LONG_RUN else 8,  # interpreted, they take most of the time
        pictures_every=200 if LONG_RUN else 40,
    )
    assert report.positions >= positions
    assert report.seats[1].differing > 0, "player_1 never knows all that player_0 knows"


#: A game for three in which nothing but keys is rolled: it is short, and openings often look the same.
KEYS_ONLY = {"players": 3, "die": [6, 0, 0, 0, 0]}


@pytest.mark.parametrize(
    ("game", "config", "positions"),
    [
        ("brave_rats", {}, 500),
        ("brave_rats", {"draw_pile": True, "hands": "princess_attack"}, 500),
        ("brave_rats", {"hands": "draft", "fast": True}, 500),
        ("comme_des_rats", KEYS_ONLY, 150),
        ("comme_des_rats", {**KEYS_ONLY, "roles": True}, 150),
        ("comme_des_rats", {"players": 2, "talk": True}, 150),
    ],
    ids=lambda value: label("", value) if isinstance(value, dict) else None,
)
def test_resampling_is_fair_in_many_positions(game: str, config: dict[str, Any], positions: int) -> None:
    env = rat_envs.make(game, **config)
    report = leak_test(env, positions, seed=10_000, texts_every=1000, pictures_every=1000)
    for seat in report.seats:
        assert abs(seat.differing - seat.differing_by_chance) < 0.1
        assert seat.twins > 0
    assert f"No leak in {positions} positions" in str(report)


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


@each([(game, config) for game, configurations in EVERY.items() for config in configurations[1::7]] + LAST)
def test_a_determinized_environment_can_be_played_to_the_end(game: str, config: dict[str, Any]) -> None:
    """Also for who is not to act: the mask of who is goes with the new cards."""
    random = np.random.default_rng(0)
    env, batch = rat_envs.make(game, **config), rat_envs.Batch(game, 1, config)
    for seed in range(5):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            agent = env.agent_selection
            env.determinize(str(random.choice(env.possible_agents)), seed=int(random.integers(2**62)))
            batch.states[0] = env.game_state
            batch.refresh()
            for mask in (env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]):
                assert (mask == batch.masks[0]).all()
            env.step(play_at_random(env, agent, random))


def test_cr78_a_determinized_copy_knows_neither_the_piles_nor_the_roles() -> None:
    """What lies on top of a pile, and who is who, comes out as it may be, whatever it is in truth."""
    env = rat_envs.make("comme_des_rats", players=3, roles=True)
    env.reset(seed=4)
    assert 0 not in env.game_state.role[:3], "with another chance, choose another seed: here nobody is the Manipulator"
    own = env.game_state.role[0]
    tops, roles = set(), set()
    for seed in range(60):
        world = copy.deepcopy(env)
        world.determinize("player_0", seed)
        assert world.game_state.role[0] == own
        tops.add(tuple(world.game_state.pile[:3, 0].tolist()))
        roles.add(tuple(world.game_state.role[1:3].tolist()))
    unseen = {1, 2, 3, 4} - {int(own)}
    assert roles == {(one, other) for one in unseen for other in unseen if one != other}
    assert len(tops) > 25
    assert {top[0] for top in tops} == {0, 1, 2, 3}


class LeakingObservation(RatAECEnv):
    """One byte tells what the opponent has chosen."""

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        seen["observation"][-1] = self.game_state.chosen[1 - self.possible_agents.index(agent)]
        return seen


class LeakingText(RatAECEnv):
    """The text tells it."""

    def render_for(self, point_of_view: str, mode: str) -> Any:
        drawn = super().render_for(point_of_view, mode)
        return f"{drawn}{self.game_state.chosen}" if mode == "ansi" else drawn


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
        self.infos = {agent: {**info, "hint": int(self.game_state.chosen.max())} for agent, info in self.infos.items()}


class LeakingMask(RatAECEnv):
    """The mask forbids the card that the opponent has chosen."""

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        other = int(self.game_state.chosen[1 - self.possible_agents.index(agent)])
        mask = seen["action_mask"].copy()
        if other >= 0 and mask[:8].sum() > 1:
            mask[other] = 0
        return {**seen, "action_mask": mask}


@pytest.mark.parametrize(
    ("leaking", "what"),
    [
        (LeakingObservation, r"observation\['observation'\] in emperor"),
        (LeakingMask, r"observation\['action_mask'\]"),
        (LeakingInfos, r"infos\['hint'\]"),
        (LeakingText, "ansi of player_1, ansi of public"),
    ],
)
def test_what_leaks_is_caught_and_named(leaking: type[RatAECEnv], what: str) -> None:
    with pytest.raises(LeakError, match=f"player_1 .*after [0-9]+ steps of the game of seed [0-9]+ changes {what}"):
        leak_test(leaking("brave_rats"), 100, pictures_every=1000)


def test_paragraphs_that_leak_are_caught_and_named() -> None:
    game = get_game("brave_rats")
    assert game.paragraphs is not None
    own = game.paragraphs

    def leaking(row: Any, point_of_view: Any) -> list[str]:
        return [*own(row, point_of_view), str(row.chosen)]

    with pytest.raises(LeakError, match="changes paragraphs of player_1, paragraphs of public"):
        leak_test(RatAECEnv(dataclasses.replace(game, paragraphs=leaking)), 100, pictures_every=1000)


class LeakingRoles(RatAECEnv):
    """The observation shows a role before its card is shown."""

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        left = (self.possible_agents.index(agent) + 1) % len(self.possible_agents)
        fields = seen["observation"].view(self.game.observation)[0]
        fields.roles_shown[1, self.game_state.role[left]] = 1
        return seen


class LeakingPile(RatAECEnv):
    """The observation shows the top card of the first pile."""

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        drawn = self.game_state.drawn[0]
        if drawn < 5:
            seen["observation"].view(self.game.observation)[0].known_piles[0, drawn, self.game_state.pile[0, drawn]] = 1
        return seen


class LeakingStocks(RatAECEnv):
    """The observation is sure of everything in the left neighbour's stock."""

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        left = (self.possible_agents.index(agent) + 1) % len(self.possible_agents)
        seen["observation"].view(self.game.observation)[0].sure[1] = self.game_state.stock[left]
        return seen


class LeakingRoleText(RatAECEnv):
    """The text tells everybody what a seat is."""

    def render_for(self, point_of_view: str, mode: str) -> Any:
        drawn = super().render_for(point_of_view, mode)
        return f"{drawn}{self.game_state.role}" if mode == "ansi" else drawn


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize(
    ("leaking", "what"),
    [
        (LeakingRoles, r"observation\['observation'\] in roles_shown\[1, \d\](, .*)?"),
        (LeakingPile, r"observation\['observation'\] in known_piles\[0, \d, \d\](, .*)?"),
        (LeakingStocks, r"observation\['observation'\] in sure\[1, \d\](, .*)?"),
        (LeakingRoleText, r"ansi of player_\d, ansi of public"),
    ],
)
def test_what_leaks_of_comme_des_rats_is_caught_and_named(leaking: type[RatAECEnv], what: str, players: int) -> None:
    env = leaking("comme_des_rats", {"players": players, "roles": True, "talk": True})
    where = r"after \d+ steps of the game of seed \d+"
    with pytest.raises(LeakError, match=rf"^player_\d is shown what it cannot know: .* {where} changes {what}\.$"):
        leak_test(env, 100, texts_every=1, pictures_every=1000)


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
        if self.game_state.hand.sum() > 12:
            super().determinize(agent, seed)


class NeverTrueResampler(RatAECEnv):
    """Never returns the truth where it can be avoided."""

    def determinize(self, agent: str, seed: int) -> None:
        truth = self.state_dict()
        before = self.game_state.tobytes()
        for attempt in range(20):
            super().determinize(agent, seed + attempt)
            if self.game_state.tobytes() != before:
                return
            self.load_state_dict(truth)


class BiasedResampler(RatAECEnv):
    """Prefers high cards: the highest of three draws."""

    def determinize(self, agent: str, seed: int) -> None:
        other = 1 - self.possible_agents.index(agent)
        draws = []
        for draw in range(3):
            super().determinize(agent, seed + draw)
            draws.append(int(self.game_state.chosen[other]))
        self.game_state.chosen[other] = max(draws)


@pytest.mark.parametrize(
    ("unfair", "positions", "what"),
    [
        (TruthfulResampler, 150, "does not sample fairly: .* equal the truth and .* equal another truth"),
        (
            LateTruthfulResampler,
            500,
            "does not sample fairly: .* equal the truth and .* equal another truth",
        ),
        (NeverTrueResampler, 300, "depends on what it cannot know: .* from equal random numbers, in chosen"),
        (
            BiasedResampler,
            400,
            r"does not sample fairly: .*(chosen\[0\] of the hidden state is [17] (more|less) often|equals the truth)",
        ),
    ],
)
def test_an_unfair_resampler_is_caught(unfair: type[RatAECEnv], positions: int, what: str) -> None:
    with pytest.raises(LeakError, match=f"^determinize for player_1 {what}"):
        leak_test(unfair("brave_rats"), positions, texts_every=10_000, pictures_every=10_000)


class KnowingResampler(RatAECEnv):
    """Leaves what other seats know of the true table, as far as it fits the new one (the rule CR-78 once had)."""

    def determinize(self, agent: str, seed: int) -> None:
        sure = self.game_state.sure.copy()
        super().determinize(agent, seed)
        for observer in range(int(self.game_state.config.players)):
            if observer != self.possible_agents.index(agent):
                self.game_state.sure[observer] = np.minimum(sure[observer], self.game_state.stock[: sure.shape[1]])


def test_cr78_a_resampler_that_keeps_what_others_know_is_caught() -> None:
    with pytest.raises(LeakError, match=r"depends on what it cannot know: .* from equal random numbers, in sure\."):
        leak_test(KnowingResampler("comme_des_rats"), 300, 3, texts_every=1000, pictures_every=1000)


def test_a_resampler_that_returns_the_true_deal_is_caught() -> None:
    """Here the hidden facts are a deal: twins are other games that begin alike."""
    with pytest.raises(LeakError, match="another truth that looks the same"):
        leak_test(TruthfulResampler("brave_rats", {"draw_pile": True}), 300, texts_every=10_000, pictures_every=10_000)


def test_a_resampler_of_comme_des_rats_that_returns_the_truth_is_caught() -> None:
    """Here nothing but the deal is hidden; a fair one passes in as many positions of the same games (above)."""
    with pytest.raises(LeakError, match=r"^determinize for player_\d does not .* another truth that looks the same"):
        leak_test(TruthfulResampler("comme_des_rats", KEYS_ONLY), 150, 10_000, texts_every=1000, pictures_every=1000)


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


class VanishingInfos(RatAECEnv):
    """The infos tell what the opponent has chosen, and nothing once that was replaced."""

    def step(self, action: int | None) -> None:
        super().step(action)
        for agent in self.agents:
            self.infos[agent]["chosen"] = int(self.game_state.chosen[1 - self.possible_agents.index(agent)])


def test_what_goes_when_hidden_facts_are_replaced_is_a_leak() -> None:
    with pytest.raises(LeakError, match=r"is shown what it cannot know: .* changes infos.*chosen"):
        leak_test(VanishingInfos("brave_rats"), 100, texts_every=1000, pictures_every=1000)


def test_too_few_games_for_fairness_are_said() -> None:
    one, many = (leak_test(RatAECEnv("brave_rats"), number, texts_every=999, pictures_every=999) for number in (4, 800))
    assert "fairness takes at least" in str(one) and one.seats[0].games < 22
    assert "fairness takes at least" not in str(many)


def test_positions_of_long_games_come_from_many_of_them() -> None:
    report = leak_test(RatAECEnv("rattus"), 64, texts_every=999, pictures_every=999)
    assert report.positions == 64 and report.games >= 32, "a game has some 200"
