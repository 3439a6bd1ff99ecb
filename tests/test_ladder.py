"""The ladder: who meets, that it goes on where it was stopped, and that the page says what was played."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, replace

import pytest

from agents.arena import play_match
from agents.ladder import climb as climbing
from agents.ladder.climb import LADDER, climb, load_ladder, missing
from agents.ladder.page import command, ladder_page
from agents.ladder.rungs import RUNGS, all_pairings
from agents.registry import make_agent
from rat_envs.docs import DOCS
from rat_envs.engine.errors import RecordError
from rat_envs.engine.registry import all_games

ALL = all_pairings()
QUICK = [replace(pair, games=4, chunk=2) for pair in ALL if pair.game == "brave_rats" and pair.cost == 0]


def test_every_rung_meets_the_one_below_in_every_game_by_default_and_for_two():
    for game in all_games():
        for players in ({}, {"players": 2}) if game != "brave_rats" else ({},):
            meetings = [(p.lower, p.upper) for p in ALL if (p.game, p.config) == (game, players) and p.upper != "nash"]
            assert meetings == list(itertools.pairwise(RUNGS))
    assert [pair.lower for pair in ALL if pair.upper == "nash"] == list(RUNGS)
    assert [pair.cost for pair in ALL] == sorted(pair.cost for pair in ALL)


def test_it_plays_what_is_missing_and_nothing_again(tmp_path, monkeypatch):
    path = tmp_path / LADDER
    assert climb(path, QUICK[:1]) == 0
    (first,) = load_ladder(path)
    assert climb(path, QUICK, minutes=0) == len(QUICK) - 1
    assert climb(path, QUICK) == 0
    results = load_ladder(path)
    assert results[0] == first and missing(results, QUICK) == []
    monkeypatch.setattr(climbing, "play", lambda pairing: pytest.fail("played again"))
    assert climb(path, QUICK) == 0
    assert load_ladder(path) == results


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
    page = ladder_page(results, QUICK)
    assert f"| {QUICK[0].upper} | {QUICK[0].lower} | 4 |" in page
    assert f"{QUICK[1].upper} against {QUICK[1].lower}" in page
    assert command(QUICK[0]) in page and command(QUICK[1]) not in page


@pytest.mark.parametrize("text", ["", "{}", '{"format": "rat-record/1", "results": []}', "[1]"])
def test_another_file_is_refused_in_a_sentence(tmp_path, text):
    (tmp_path / LADDER).write_text(text)
    with pytest.raises(RecordError) as error:
        load_ladder(tmp_path / LADDER)
    assert str(error.value).count("\n") == 0 and LADDER in str(error.value)


def test_what_is_kept_belongs_on_the_ladder():
    kept = json.loads((DOCS / LADDER).read_text(encoding="utf-8"))["results"]
    known = [asdict(pair) for pair in ALL]
    assert kept and all(result["pairing"] in known for result in kept)
    assert all(result["difference"]["low"] <= result["difference"]["mean"] for result in kept)
