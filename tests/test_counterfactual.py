"""What a choice is worth: the positions are those asked for, and only the choice differs."""

from __future__ import annotations

import numpy as np
import pytest

from rat_envs.agents.random import RandomAgent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import Estimate, Forgetful, gather, play_on
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError
from rat_envs.engine.position import new_stream
from rat_envs.engine.registry import get_game

GAME = get_game("brave_rats")
PLAY = GAME.action_numbers


def second_round(batch: Batch) -> np.ndarray:
    """Whether player_0 chooses its second card."""
    return (batch.actors == 0) & (batch.states["hand"][:, 0].sum(axis=1) == 7)


def test_gather_takes_one_wanted_position_of_each_game() -> None:
    rows = gather(GAME, "random", second_round, games=50, seed=3)
    assert 40 < len(rows) <= 50
    assert (rows["hand"].sum(axis=2) == 7).all() and (rows["chosen"][:, 0] == -1).all()
    assert len(np.unique(rows["hand"][:, 0], axis=0)) > 3
    assert rows.tobytes() == gather(GAME, "random", second_round, games=50, seed=3).tobytes()
    assert rows.tobytes() != gather(GAME, "random", second_round, games=50, seed=4).tobytes()


def test_of_several_positions_in_a_game_each_can_be_drawn() -> None:
    rows = gather(GAME, "random", lambda batch: batch.actors == 0, games=400, seed=0)
    left = rows["hand"][:, 0].sum(axis=1)
    assert len(rows) == 400 and (np.bincount(left, minlength=9)[5:9] > 30).all()


def test_play_on_begins_with_the_given_action_and_leaves_the_rest_alone() -> None:
    """Player_0 holds Prince and Musician, player_1 the General and the Spy, three rounds each are won."""
    row = Batch(GAME, 1, seed=0).states.copy()
    row["hand"] = 0
    row["hand"][0, 0, [0, 7]] = row["hand"][0, 1, [2, 6]] = 1
    row["rounds_won"] = 3
    rows = np.repeat(row, 40)
    prince = play_on(GAME, rows, "random", first=PLAY["play prince"])
    musician = play_on(GAME, rows, "random", first=PLAY["play musician"])
    assert (prince.own(prince.returns) == 1).all() and (prince.leads() == 1).all()
    assert set(musician.own(musician.returns)) == {1.0}, "a Musician puts the round on hold, then the Prince wins"
    mixed = play_on(GAME, rows, "random", first=np.where(np.arange(40) % 2, PLAY["play prince"], -1))
    assert (mixed.winners[:, 0] == 1).all() and mixed.seats.tolist() == [0] * 40


def test_the_same_seed_gives_the_same_chance_to_every_choice() -> None:
    game = get_game("rattus_cartus")
    rows = gather(game, "greedy", lambda batch: batch.masks[:, game.action_numbers["enter 1"]] > 0, games=8, seed=1)
    again = [play_on(game, rows, "greedy", "random", seed=seed) for seed in (5, 5, 6)]
    assert again[0].scores.tobytes() == again[1].scores.tobytes() != again[2].scores.tobytes()
    leads = again[0].leads()
    for one, seat, lead in zip(again[0].scores, again[0].seats, leads, strict=True):
        assert lead == one[seat] - max(np.delete(one, seat))


def test_play_on_refuses_what_cannot_be() -> None:
    rows = Batch(GAME, 2, seed=0).states.copy()
    with pytest.raises(IllegalActionError, match="legal are"):
        play_on(GAME, rows, "random", first=PLAY["keep prince"])
    with pytest.raises(IllegalActionError, match=r"^first=-2: must be an action, or -1 to leave it to the agent\.$"):
        play_on(GAME, rows, "random", first=np.array([-1, -2]))
    over = Batch(GAME, 1, seed=0, auto_reset=False)
    while over.actors[0] >= 0:
        over.step(over.masks.argmax(axis=1))
    with pytest.raises(ConfigurationError, match=r"^rows: in row 2 nobody is to act, so leave it out\.$"):
        play_on(GAME, np.concatenate([rows, over.states]), "random")
    rows["rounds_won"] = 99
    with pytest.raises(CheckpointError, match="rounds_won"):
        play_on(GAME, rows, "random")


def forget_hand(seen: np.ndarray) -> None:
    """As if the opponent's cards were all alike."""
    seen["opponent_cards"] = 1


def test_a_forgetful_agent_plays_as_if_it_had_not_seen_it() -> None:
    batch = Batch(GAME, 64, seed=0)
    for _ in range(5):
        batch.step_random()
    views = SeatViews(batch)
    greedy = make_agent("greedy", GAME, 0)
    forgetful = Forgetful(greedy, forget_hand)
    changed = views.observations.copy()
    forget_hand(changed.view(GAME.observation)[:, 0])
    assert (forgetful.act_batch(views) == greedy.act_batch(views.showing(changed))).all()
    assert (forgetful.act_batch(views) != greedy.act_batch(views)).any()
    assert (changed != views.observations).any(), "the views themselves stay as they are"


def test_nothing_is_determinized_from_views_that_show_something_else() -> None:
    views = SeatViews(Batch(GAME, 2, seed=0))
    shown = views.showing(views.observations.copy())
    stream = new_stream(GAME, 0)
    for ask in (lambda: shown.determinize(stream), lambda: shown.determinize_one(0, stream)):
        with pytest.raises(ConfigurationError, match="show something other"):
            ask()
    assert len(views.determinize(stream)) == 2
    search = Forgetful(make_agent("ismcts:sims=2", GAME, 0), forget_hand)
    with pytest.raises(ConfigurationError, match="an agent that searches"):
        search.act_batch(views)


def test_random_numbers_are_the_forgetful_agents_own() -> None:
    agent, same = RandomAgent(5), RandomAgent(5)
    forgetful = Forgetful(agent, forget_hand)
    assert forgetful.get_state() == same.get_state(), "they go on"
    views = SeatViews(Batch(GAME, 16, seed=0))
    before = forgetful.get_state()
    first = forgetful.act_batch(views)
    assert (first != forgetful.act_batch(views)).any()
    forgetful.set_state(before)
    assert (first == forgetful.act_batch(views)).all()


def test_an_estimate_is_written_with_its_interval() -> None:
    estimate = Estimate(0.125, -0.25, 0.5)
    assert f"{estimate:+.2f}" == "+0.12 (-0.25 … +0.50)"
    assert f"{estimate}" == "Estimate(mean=0.125, low=-0.25, high=0.5)"


def test_what_is_looked_at_at_once_is_determinized_alike() -> None:
    batch = Batch(GAME, 16, seed=0)
    for _ in range(5):
        batch.step_random()
    chosen = np.array([3, 7, 8])
    views, at_once = SeatViews(batch, chosen), SeatViews(batch, chosen, at_once=True)
    streams = [new_stream(GAME, 0) for _ in range(2)]
    found = [each.determinize(stream) for each, stream in zip((views, at_once), streams, strict=True)]
    assert (found[0] == found[1]).all()
    found = [each.only(np.array([2])).determinize_one(0, new_stream(GAME, 1)) for each in (views, at_once)]
    assert (found[0] == found[1]).all()
    assert (at_once.determinize_one(2, new_stream(GAME, 1)) == found[0]).all()
    batch.step_random()
    assert (views.only(np.array([2])).determinize_one(0, new_stream(GAME, 1)) == found[0]).all(), "these are copied"


class Seeded(RandomAgent):
    """A search, as far as its seeds go, all of which are noted."""

    decides_by_seed = True

    def __init__(self):
        self.seeds = []
        super().__init__(0)

    def seed(self, seed):
        self.seeds.append(seed)
        super().seed(seed)


def test_a_search_has_other_random_numbers_every_four_games() -> None:
    agent = Seeded()
    agent.seeds.clear()
    rows = gather(GAME, agent, second_round, games=10, seed=1)
    assert agent.seeds == [[1, 0], [1, 0, 1], [1, 0, 2]]
    agent.seeds.clear()
    assert len(play_on(GAME, rows[:5], agent, seed=2).returns) == 5
    assert agent.seeds == [[2, 0], [2, 0, 1]]


def test_games_go_on_with_other_chance_than_led_to_them(monkeypatch) -> None:
    seeds = []

    def noting(*arguments, **options):
        seeds.append(set(arguments[3]))
        return Batch(*arguments, **options)

    monkeypatch.setattr("rat_envs.arena.counterfactual.Batch", noting)
    play_on(GAME, gather(GAME, "random", second_round, games=50, seed=3), "random", seed=3)
    assert len(seeds) == 2 and not seeds[0] & seeds[1]
