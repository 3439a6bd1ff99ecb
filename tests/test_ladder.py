"""The ladder: who meets, that it goes on where it was stopped, and that the page says what was played."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest

from rat_envs.agents import shipped
from rat_envs.agents.shipped import LEARNT
from rat_envs.api.named_agents import make_agent
from rat_envs.arena import Estimate, in_this_process, play_match
from rat_envs.docs import DOCS
from rat_envs.engine.errors import ConfigurationError, RecordError
from rat_envs.engine.registry import all_games, get_game
from rat_envs.engine.settings import Ladder
from rat_envs.ladder import climb as climbing
from rat_envs.ladder.climb import LADDER, climb, load_ladder, missing, policy_digest
from rat_envs.ladder.page import command, ladder_page
from rat_envs.ladder.rungs import GUIDED, NASH, RUNGS, all_pairings, demand_known, guided, pairing

ALL = all_pairings()
BRAVE_RATS = [replace(pair, games=4, chunk=2) for pair in ALL if pair.game == "brave_rats" and pair.cost == 0]
QUICK = [pair for pair in BRAVE_RATS if LEARNT not in (pair.upper, pair.lower)]


def test_every_rung_meets_the_one_below_in_every_game_by_default_and_for_two():
    for game, declared in all_games().items():
        for players in ({}, {"players": 2}) if game != "brave_rats" else ({},):
            here = [pair for pair in ALL if (pair.game, pair.config) == (game, players)]
            meetings = [(pair.lower, pair.upper) for pair in here if pair.upper != NASH and LEARNT not in pair.upper]
            assert meetings == list(itertools.pairwise(RUNGS))
            assert [pair.lower for pair in here if pair.upper == LEARNT] == list(RUNGS[:3])
            seats = declared.configuration.make(players).players
            searches = guided(declared, seats)
            assert [pair.upper for pair in here if "policy=" in pair.upper] == list(searches)
            assert searches[: len(GUIDED)] == (() if game == "brave_rats" else GUIDED)
    assert {pair.lower for pair in ALL if pair.upper == NASH} == {*RUNGS, LEARNT}
    assert [pair.cost for pair in ALL] == sorted(pair.cost for pair in ALL)


def test_where_a_search_with_a_policy_is_near_to_what_it_meets_more_games_are_played():
    played = {(pair.game, len(pair.config)): pair.games for pair in ALL if pair.upper == GUIDED[0]}
    assert played["rattus", 1] == 120 and played["rattus_cartus", 1] == played["comme_des_rats", 1] == 480
    assert played["rattus_cartus", 0] == 40 and played["rattus", 0] == 120


@pytest.mark.parametrize(
    ("game", "config", "games"),
    [("rattus_cartus", {"players": 2}, [480, 960, 480]), ("comme_des_rats", {}, [1680, 120, 480])],
)
def test_where_par_was_just_within_the_interval_one_pairing_has_more_games(game, config, games):
    here = [pair for pair in ALL if (pair.game, pair.config) == (game, config)]
    assert [pair.games for pair in here if pair.upper in GUIDED] == games


def test_a_search_of_any_size_may_be_on_the_ladder():
    brave_rats = get_game("brave_rats")
    games = [pairing(brave_rats, {}, f"ismcts:sims={sims}", "greedy").games for sims in (1000, 2000, 10_000, 10**6)]
    assert games[0] > games[1] == games[2] == games[3]


def test_a_game_has_searches_with_a_policy_beside_those_of_all():
    more = [pair for pair in ALL if "policy=" in pair.upper and pair.upper not in GUIDED]
    assert {(pair.game, len(pair.config), pair.lower, pair.cost) for pair in more} == {
        ("rattus_cartus", 0, RUNGS[3], 1000)
    }
    options = "policy=learnt,rollout=policy,exploration=0.1,trace_decay=0.95"
    assert {pair.upper: pair.games for pair in more} == {
        f"ismcts:sims=100,{options}": 560,
        f"ismcts:sims=900,{options}": 160,
    }


def test_where_chance_after_the_last_decision_decides_much_it_is_drawn_again_and_again():
    (one,) = (pair for pair in ALL if pair.final_draws > 1)
    assert (one.game, one.config, one.upper, one.final_draws) == ("rattus", {"players": 2}, RUNGS[-1], 64)
    assert all(("--final-draws 64" in command(pair)) == (pair.final_draws > 1) for pair in ALL)


def test_in_rattus_for_two_the_most_simulations_play_more_games_than_elsewhere():
    most = {pair.game: pair.games for pair in ALL if pair.upper == RUNGS[-1] and pair.config}
    assert most == {"comme_des_rats": 40, "rattus": 640, "rattus_cartus": 40}


def test_the_page_shows_wider_intervals_of_what_was_looked_at_more_than_once(tmp_path):
    pair = replace(QUICK[0], looks=3)
    result = climbing.play(pair)
    plain = Estimate.of(result["difference"])
    (shown,) = [line for line in ladder_page([result], [pair]).splitlines() if line.startswith(f"| {pair.upper} ")]
    assert f"{plain.after(3):+.3f}" in shown and f"{plain:+.3f}" not in shown
    assert {pair.upper: pair.looks for pair in ALL if pair.looks > 1 and pair.lower == RUNGS[3]}


def test_a_pairing_is_played_anew_on_other_deals_of_its_own_seed(tmp_path):
    pair = replace(QUICK[0], seed=7)
    assert climbing.play(pair)["records"] != climbing.play(QUICK[0])["records"]
    assert "--seed 7 " in command(pair)
    assert climbing.folder_name(pair, None) != climbing.folder_name(QUICK[0], None)
    assert climbing.folder_name(replace(pair, looks=2), None) == climbing.folder_name(pair, None)
    anew = [each for each in ALL if each.seed != 1]
    assert anew and all(each.looks == 1 for each in anew), "their number of games was set before"


@pytest.mark.parametrize("name", ["more_of", "final_draws", "seeds"])
def test_more_games_of_agents_that_do_not_meet_are_refused_in_a_sentence(name):
    ladder = Ladder(**{name: {(2, "nahs", "random"): 2}})
    with pytest.raises(ConfigurationError, match=rf"^{name}: nahs does not meet random on the ladder for 2 players\.$"):
        demand_known(ladder, {(2, "nash", "random")})


def test_it_plays_what_is_missing_and_nothing_again(tmp_path, monkeypatch):
    path = tmp_path / LADDER
    assert climb(path, QUICK[:1]) == 0
    (first,) = load_ladder(path)
    assert climb(path, QUICK, minutes=0) == len(QUICK) - 1
    assert climb(path, QUICK) == 0
    results = load_ladder(path)
    assert results[0] == first and missing(results, QUICK) == []
    monkeypatch.setattr(climbing, "play", lambda *arguments: pytest.fail("played again"))
    assert climb(path, QUICK) == 0
    assert load_ladder(path) == results


def test_more_games_of_a_match_are_added_to_those_that_were_played(tmp_path, monkeypatch):
    games, asked = tmp_path / "games", []

    def counting(jobs):
        asked.append(len(jobs))
        yield from in_this_process(jobs)

    monkeypatch.setattr(climbing, "in_processes", counting)
    assert climb(tmp_path / LADDER, [replace(QUICK[0], games=8)], games=games) == 0
    more = replace(QUICK[0], games=12)
    assert climb(tmp_path / LADDER, [more], games=games) == 0
    assert asked == [2, 1]  # chunks of two deals, each played from both seats
    assert load_ladder(tmp_path / LADDER) == [climbing.play(more)]
    assert len(list(games.iterdir())) == 1


def test_a_result_stands_until_more_games_have_been_played(tmp_path):
    path, more = tmp_path / LADDER, replace(QUICK[0], games=8)
    climb(path, QUICK[:2])
    (first, second) = load_ladder(path)
    wanted = [more, QUICK[1]]
    assert missing(load_ladder(path), wanted) == [more]
    shown = ladder_page(load_ladder(path), wanted)
    assert f"played anew or in more games: {more.upper} against {more.lower}." in shown and "Not played" not in shown
    assert f"| {more.upper} | {more.lower} | 4 |" in shown and command(QUICK[0]) in shown
    assert climb(path, wanted, minutes=0) == 1 and load_ladder(path) == [first, second]
    assert climb(path, wanted) == 0
    assert load_ladder(path) == [climbing.play(more), second]


def test_a_match_that_was_interrupted_is_gone_on_with(tmp_path, monkeypatch):
    pair, seen = replace(QUICK[0], games=12), []

    def interrupted(jobs):
        yield next(in_this_process(jobs))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(climbing, "in_processes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            climb(tmp_path / LADDER, [pair], games=tmp_path / "games")
    assert load_ladder(tmp_path / LADDER) == []
    climb(tmp_path / LADDER, [pair], progress=lambda *at: seen.append(at), games=tmp_path / "games")
    assert seen == [(1 / 3, 1), (2 / 3, 1), (1, 1)]
    assert load_ladder(tmp_path / LADDER) == [climbing.play(pair)]


def test_games_are_kept_apart_from_those_of_another_match_policy_or_version(monkeypatch):
    pair = QUICK[0]
    names = [
        climbing.folder_name(pair, None),
        climbing.folder_name(QUICK[1], None),
        climbing.folder_name(pair, "other"),
    ]
    monkeypatch.setattr(climbing, "versions", lambda: {"rat_envs": "another"})
    names.append(climbing.folder_name(pair, None))
    monkeypatch.setattr(climbing, "CHUNK_FORMAT", "another")
    names.append(climbing.folder_name(pair, None))
    assert len(set(names)) == 5 and climbing.folder_name(replace(pair, games=9), None) == names[-1]


def test_the_numbers_are_those_of_the_arena(tmp_path):
    pair = replace(QUICK[0], games=40, chunk=256)
    assert climb(tmp_path / LADDER, [pair]) == 0
    (result,) = load_ladder(tmp_path / LADDER)
    agents = [make_agent(name, pair.game, 0) for name in (pair.upper, pair.lower)]
    other = play_match(pair.game, agents, games=4000, seed=3).agents[0].mean_return
    assert result["games"] == 40
    assert result["mean_returns"][pair.upper]["low"] <= other.high
    assert result["mean_returns"][pair.upper]["high"] >= other.low
    means = [result["mean_returns"][name]["mean"] for name in (pair.upper, pair.lower)]
    assert result["difference"]["mean"] == pytest.approx(means[0] - means[1])


def test_the_page_shows_what_was_played_and_names_what_was_not(tmp_path):
    climb(tmp_path / LADDER, QUICK[:1])
    results = load_ladder(tmp_path / LADDER)
    shown = ladder_page(results, QUICK)
    assert f"| {QUICK[0].upper} | {QUICK[0].lower} | 4 |" in shown
    assert f"{QUICK[1].upper} against {QUICK[1].lower}" in shown
    assert command(QUICK[0]) in shown and command(QUICK[1]) not in shown


def test_results_of_a_policy_that_was_replaced_are_played_again(tmp_path, monkeypatch):
    pair = next(pair for pair in BRAVE_RATS if pair.upper == LEARNT)
    path = tmp_path / LADDER
    climb(path, [QUICK[0], pair])
    assert f"| {LEARNT} | {pair.lower} | 4 |" in ladder_page(load_ladder(path), [pair])
    other = tmp_path / "policies"
    other.mkdir()
    (other / "brave_rats-2.safetensors").write_bytes(b"another")
    monkeypatch.setattr(shipped, "FOLDER", other)
    assert missing(load_ladder(path), [QUICK[0], pair]) == [pair]
    assert f"Not played yet: {LEARNT} against {pair.lower}." in ladder_page(load_ladder(path), [pair])


def test_results_by_other_rules_are_played_again(tmp_path):
    path = tmp_path / LADDER
    climb(path, [QUICK[0]])
    kept = json.loads(path.read_text())
    assert missing(load_ladder(path), [QUICK[0]]) == []
    path.write_text(json.dumps({**kept, "results": [{**kept["results"][0], "version": 1}]}))
    assert missing(load_ladder(path), [QUICK[0]]) == [QUICK[0]]


@pytest.mark.parametrize("text", ["", "{}", '{"format": "rat-record/1", "results": []}', "[1]"])
def test_another_file_is_refused_in_a_sentence(tmp_path, text):
    (tmp_path / LADDER).write_text(text)
    with pytest.raises(RecordError) as error:
        load_ladder(tmp_path / LADDER)
    assert str(error.value).count("\n") == 0 and LADDER in str(error.value)


def test_what_is_kept_belongs_on_the_ladder():
    kept = json.loads((DOCS / LADDER).read_text(encoding="utf-8"))["results"]
    known = {pair.match for pair in ALL}
    assert kept and all(climbing.match_of(result) in known for result in kept)
    shipped_ones = {policy_digest(pair) for pair in ALL} - {None}
    assert {result["policy"] for result in kept if "policy" in result} <= shipped_ones
    for result in kept:
        for most, estimate in ((2, result["difference"]), *((1, one) for one in result["mean_returns"].values())):
            assert -most <= estimate["low"] <= estimate["mean"] <= estimate["high"] <= most
            assert estimate["low"] < estimate["high"], "an interval is never of no width"
