"""The ladder: who meets, that it goes on where it was stopped, and that the page says what was played."""

from __future__ import annotations

import itertools
import json
import sys
from dataclasses import asdict, replace

import pytest

from rat_envs.api.named_agents import make_agent
from rat_envs.arena import play_match
from rat_envs.docs import DOCS
from rat_envs.engine.errors import MissingExtraError, RecordError
from rat_envs.engine.registry import all_games
from rat_envs.engine.settings import Ladder
from rat_envs.ladder import climb as climbing
from rat_envs.ladder import page
from rat_envs.ladder.climb import LADDER, climb, load_ladder, missing
from rat_envs.ladder.page import command, ladder_page
from rat_envs.ladder.rungs import LEARNT, NASH, RUNGS, Pairing, all_pairings, policy_folder

ALL = all_pairings()
BRAVE_RATS = [replace(pair, games=4, chunk=2) for pair in ALL if pair.game == "brave_rats" and pair.cost == 0]
QUICK = [pair for pair in BRAVE_RATS if LEARNT not in (pair.upper, pair.lower)]


def no_learning(pairing):
    pytest.fail("nothing learnt plays")


def test_every_rung_meets_the_one_below_in_every_game_by_default_and_for_two():
    for game in all_games():
        for players in ({}, {"players": 2}) if game != "brave_rats" else ({},):
            here = [pair for pair in ALL if (pair.game, pair.config) == (game, players)]
            meetings = [(pair.lower, pair.upper) for pair in here if pair.upper not in (NASH, LEARNT)]
            assert meetings == list(itertools.pairwise(RUNGS))
            assert [pair.lower for pair in here if pair.upper == LEARNT] == list(RUNGS[:3])
    assert {pair.lower for pair in ALL if pair.upper == NASH} == {*RUNGS, LEARNT}
    assert [pair.cost for pair in ALL] == sorted(pair.cost for pair in ALL)


def test_it_plays_what_is_missing_and_nothing_again(tmp_path, monkeypatch):
    path = tmp_path / LADDER
    assert climb(path, QUICK[:1], no_learning) == 0
    (first,) = load_ladder(path)
    assert climb(path, QUICK, no_learning, minutes=0) == len(QUICK) - 1
    assert climb(path, QUICK, no_learning) == 0
    results = load_ladder(path)
    assert results[0] == first and missing(results, QUICK) == []
    monkeypatch.setattr(climbing, "play", lambda *arguments: pytest.fail("played again"))
    assert climb(path, QUICK, no_learning) == 0
    assert load_ladder(path) == results


def test_the_numbers_are_those_of_the_arena(tmp_path):
    pair = replace(QUICK[0], games=40, chunk=256)
    assert climb(tmp_path / LADDER, [pair], no_learning) == 0
    (result,) = load_ladder(tmp_path / LADDER)
    agents = [make_agent(name, pair.game, 0) for name in (pair.upper, pair.lower)]
    other = play_match(pair.game, agents, games=4000, seed=3).agents[0].mean_return
    assert result["games"] == 40
    assert result["mean_returns"][pair.upper]["low"] <= other.high
    assert result["mean_returns"][pair.upper]["high"] >= other.low
    means = [result["mean_returns"][name]["mean"] for name in (pair.upper, pair.lower)]
    assert result["difference"]["mean"] == pytest.approx(means[0] - means[1])


def test_the_page_shows_what_was_played_and_names_what_was_not(tmp_path):
    climb(tmp_path / LADDER, QUICK[:1], no_learning)
    results = load_ladder(tmp_path / LADDER)
    shown = ladder_page(results, QUICK)
    assert f"| {QUICK[0].upper} | {QUICK[0].lower} | 4 |" in shown
    assert f"{QUICK[1].upper} against {QUICK[1].lower}" in shown
    assert command(QUICK[0]) in shown and command(QUICK[1]) not in shown


def test_what_is_learnt_plays_and_can_be_learnt_again(tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib")
    from rat_envs.commands import ladder
    from rat_envs.training import recommended

    monkeypatch.chdir(tmp_path)
    options = recommended.recommended_options
    for module in (ladder, page):
        monkeypatch.setattr(module, "ladder_of", lambda game: Ladder(steps=2))
    short = {"hidden": (8, 8), "num_games": 64, "tensorboard": False}
    monkeypatch.setattr(recommended, "recommended_options", lambda *names, **own: options(*names, **own, **short))
    wanted = [pair for pair in BRAVE_RATS if LEARNT in (pair.upper, pair.lower)]
    assert climb(tmp_path / LADDER, wanted, ladder.learn) == 0
    results = load_ladder(tmp_path / LADDER)
    assert [result["games"] for result in results] == [4] * len(wanted) and len(wanted) >= 3
    assert len({result["training"]["weights"] for result in results}) == 1  # trained once
    shown = ladder_page(results, wanted)
    assert f"| {LEARNT} | random | 4 |" in shown and f"| {NASH} | {LEARNT} | 4 |" in shown
    folder = policy_folder(wanted[0])
    assert f"rat-envs arena brave_rats {folder}/policy.safetensors random" in shown
    again = f"rat-envs train brave_rats --steps 2 --minutes 600 --seed 1 --folder {folder}"
    assert shown.count(again) == 1


def test_what_learning_needs_is_said_before_anything_is_played(tmp_path, monkeypatch):
    from rat_envs.commands import ladder

    monkeypatch.setattr(ladder, "demand_clone", lambda what: tmp_path)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "rat_envs.training", raising=False)
    with pytest.raises(MissingExtraError, match=r"^Training needs torch: "):
        ladder.ladder()
    assert list(tmp_path.iterdir()) == []


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
    learnt = [result for result in kept if LEARNT in (result["pairing"]["upper"], result["pairing"]["lower"])]
    folders = {policy_folder(Pairing(**result["pairing"])): result["training"]["weights"] for result in learnt}
    assert all(
        result["training"]["weights"] == folders[policy_folder(Pairing(**result["pairing"]))] for result in learnt
    )
    assert all(result["difference"]["low"] <= result["difference"]["mean"] for result in kept)
