"""The trained policies that come with the package: they are there, they play, and they say how they came about."""

from __future__ import annotations

import copy
import dataclasses
import json
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest

from rat_envs.agents import make_agent
from rat_envs.agents.learnt import load_policy, save_policy
from rat_envs.agents.policy import PolicyAgent
from rat_envs.agents.shipped import FOLDER, ShippedAgent, shipped_file
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from rat_envs.engine.position import new_stream
from rat_envs.engine.registry import get_game
from rat_envs.ladder import shipping
from rat_envs.ladder.shipping import all_shipped, cards, policies_page, trainings_on_card
from rat_envs.ladder.trainings import again, company, own_settings, train_command, trainings_of
from rat_envs.solving.exploitability import exploitability

LARGEST = 2 * 2**20
SHIPPED = list(all_shipped())
NAMES = [shipped.name for shipped in SHIPPED]


def test_there_is_one_for_each_setting_of_the_ladder_with_a_card():
    assert sorted(path.stem for path in FOLDER.glob("*.safetensors")) == sorted(NAMES)
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(NAMES)


@pytest.mark.parametrize("shipped", SHIPPED, ids=NAMES)
def test_files_are_small_and_of_this_version(shipped):
    path = shipped_file(shipped.game, shipped.players)
    assert path.stem == shipped.name and path.stat().st_size <= LARGEST
    policy = load_policy(path, shipped.game)
    assert policy.configuration == shipped.game.configuration.make(shipped.config)


@pytest.mark.parametrize(("shipped", "card"), cards(), ids=[shipped.name for shipped, _ in cards()])
def test_cards_say_what_is_in_the_files(shipped, card):
    training = load_policy(shipped_file(shipped.game, shipped.players)).training
    assert card["learner"] == training["learner"] == shipped.learner
    assert card["steps"] == sum(each["steps"] for each in card["trainings"])
    assert card["minutes"] == round(sum(each["seconds"] for each in card["trainings"]) / 60, 1) <= 120
    last = card["trainings"][-1]
    assert last["options"]["seed"] == card["seed"] == training["options"]["seed"]
    assert (last["steps"], last["seconds"]) == (training["steps"], training["seconds"])
    assert card["version"] == shipped.game.version
    assert [result["against"] for result in card["results"]][:2] == ["random", "greedy"]
    assert card["results"][0]["mean_return"]["low"] > 0.05
    for estimate in (result["mean_return"] for result in card["results"]):
        assert estimate["low"] < estimate["high"] <= 1 and estimate["low"] <= estimate["mean"] <= estimate["high"]
    assert all(each["command"] in policies_page() for each in card["trainings"])


def test_the_page_says_whom_a_policy_imitated_and_met_and_that_leads_counted():
    training = dict(next(card for shipped, card in cards() if shipped.name == "rattus-2")["trainings"][0])
    assert company(training) == (
        "imitated `ismcts:sims=100,rollout=greedy` at first, for at most 700,000 decisions; met `greedy` in 10 % and "
        "earlier selves in 20 % of its games; in each advantage leads in points had the weight 0.5"
    )
    assert company(training) in policies_page()
    alone = {"teacher": "greedy", "teacher_steps": 0, "opponents": {}, "margin_weight": 0.0}
    assert company({"options": alone}) == company({"options": {}}) == ""


def test_exploitability_is_on_the_card_where_it_is_exact():
    found = {shipped.name: card["exploitability"] for shipped, card in cards()}
    exact = found.pop("brave_rats-2")
    assert set(found.values()) == {None} and f"is {exact:.4f} (`rat-envs exploit brave_rats" in policies_page()
    game = get_game("brave_rats")
    assert exploitability(game, make_agent("learnt", game)).exploitability == pytest.approx(exact, abs=1e-6)


def test_commands_train_first_what_a_policy_began_with(tmp_path):
    pytest.importorskip("torch")
    game = get_game("rattus")
    policy = load_policy(shipped_file(game, 2), game)
    first = copy.deepcopy(policy.training)
    first["options"]["begin_with"] = str(FOLDER / "rattus-4.safetensors")  # whose own card says how it was trained
    path = tmp_path / "first" / "policy.safetensors"
    path.parent.mkdir()
    save_policy(path, PolicyAgent(policy.networks, game, policy.configuration, first))
    second = copy.deepcopy(policy.training)
    second["options"].update(begin_with=str(path), minutes=60.0, config=game.configuration.make(None).to_dict())
    second.update(steps=1234, seconds=600.0)
    save_policy(tmp_path / "policy.safetensors", PolicyAgent(policy.networks, game, None, second))
    trained = trainings_of(tmp_path / "policy.safetensors", tmp_path / "second")
    assert [training["folder"] for training in trained] == [str(path.parent), str(tmp_path / "second")]
    commands = [train_command(game, training) for training in trained]
    assert commands[0].startswith("rat-envs train rattus players=2 --learner ppo --minutes 50 --seed 1")
    assert commands[1].startswith("rat-envs train rattus --learner ppo --minutes 60 --steps 1234 --seed 1")
    assert f'begin_with="{path}"' in commands[1] and commands[1].endswith(f"--folder {tmp_path / 'second'}")


@pytest.mark.parametrize("teacher", ["greedy", "random"])
@pytest.mark.parametrize("teacher_steps", [0, 5, 2_000_000])
@pytest.mark.parametrize("begin_with", ["", "earlier/policy.safetensors"])
def test_commands_say_what_is_not_recommended_with_what_else_they_say(begin_with, teacher_steps, teacher):
    pytest.importorskip("torch")
    from rat_envs.training.recommended import recommended_options
    from rat_envs.training.settings import parse_settings

    game = get_game("rattus_cartus")
    own = {"begin_with": begin_with, "teacher_steps": teacher_steps, "teacher": teacher, "hidden": (8,)}
    options = recommended_options("ppo", game.name, **own, seed=3, minutes=60.0)
    training = {"options": json.loads(json.dumps(dataclasses.asdict(options)))}
    training |= {"learner": "ppo", "steps": 9, "seconds": 3600.0, "folder": "runs/here"}
    words = shlex.split(train_command(game, training))
    said = [words[k + 1] for k, word in enumerate(words) if word == "--set"]
    assert recommended_options("ppo", game.name, **parse_settings(type(options), said), seed=3, minutes=60.0) == options


@pytest.mark.parametrize("shipped", SHIPPED, ids=NAMES)
def test_they_can_be_trained_again_as_their_cards_say(shipped):
    pytest.importorskip("torch")
    for training in trainings_on_card(shipped):
        said = json.loads(json.dumps(dataclasses.asdict(again(shipped.game, training))))
        wanted = own_settings(training)
        assert {name: said[name] for name in wanted} == wanted
        assert (said["seed"], said["minutes"]) == (training["options"]["seed"], training["options"]["minutes"])
        assert again(shipped.game, training, 3.0).minutes == 3.0
        assert training["command"] == train_command(shipped.game, training)


def test_a_policy_is_measured_again_without_training(tmp_path, monkeypatch):
    (shipped,) = (each for each in SHIPPED if each.name == "comme_des_rats-2")
    for suffix in ("json", "safetensors"):
        shutil.copy(FOLDER / f"{shipped.name}.{suffix}", tmp_path)
    before = json.loads((tmp_path / "comme_des_rats-2.json").read_text())
    monkeypatch.setattr(shipping, "FOLDER", tmp_path)
    monkeypatch.setattr(shipping, "YARDSTICKS", {"random": 20})
    shipping.measure_again(shipped)
    after = json.loads((tmp_path / "comme_des_rats-2.json").read_text())
    (result,) = after["results"]
    assert (result["against"], result["games"]) == ("random", 20) and result["mean_return"]["mean"] > 0.3
    assert {**after, "results": before["results"]} == before


def test_cards_name_no_folder_but_that_of_their_command():
    for _, card in cards():
        for training in card["trainings"]:
            assert training["options"]["folder"] == training["folder"]


@pytest.mark.parametrize("shipped", SHIPPED, ids=NAMES)
def test_they_beat_random_play(shipped):
    match = play_match(shipped.game, ["learnt", *["random"] * (shipped.players - 1)], shipped.config, 300, 5)
    assert match.to_json()["agents"][0]["mean_return"]["low"] > 0.05


@pytest.mark.parametrize("name", ["comme_des_rats", "rattus", "rattus_cartus"])
def test_they_play_with_any_number_of_players_and_guide_a_search(name):
    game = get_game(name)
    batch = Batch(game, 6, [{"players": players} for players in (2, 3, 4, 4, 3, 2)], 1)
    for _ in range(20):
        batch.step_random()
    views = SeatViews(batch)
    for agent in (make_agent("learnt", game, 1), make_agent("ismcts:sims=5,policy=learnt", game, 1)):
        policy = agent.policy_batch(views)
        assert (policy[views.masks == 0] == 0).all() and np.allclose(policy.sum(1), 1)
        for i in range(batch.n):
            alone = agent.policy_batch(SeatViews(batch, np.array([i])))
            assert np.allclose(alone[0], policy[i], atol=1e-6)
        assert (np.abs(agent.value_batch(views)) <= 1).all()


def test_pytorch_is_not_needed():
    code = """
import sys
from rat_envs.arena import play_match
play_match("rattus", ["learnt", "random"], {"players": 2}, 4, 1)
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_looks_ahead_itself_guides_no_search():
    with pytest.raises(ConfigurationError, match=r"policy=learnt: .* looks ahead itself"):
        make_agent("ismcts:policy=learnt", "brave_rats")


def test_other_rules_and_other_games_get_one_sentence():
    rattus = get_game("rattus")
    with pytest.raises(CheckpointError, match="version 0 of rattus, but this is version 7: train anew"):
        ShippedAgent(dataclasses.replace(rattus, version=7))
    with pytest.raises(CheckpointError, match="No trained policy of other comes with rat_envs: train one with"):
        ShippedAgent(dataclasses.replace(rattus, name="other"))


@pytest.mark.parametrize("name", ["brave_rats", "comme_des_rats", "rattus", "rattus_cartus"])
def test_other_hidden_facts_leave_their_probabilities_as_they_are(name):
    game = get_game(name)
    config = {} if name == "brave_rats" else {"players": 2}  # only the choice of the other seat is hidden in BraveRats
    agent = make_agent("learnt", game, 1)
    batch = Batch(game, 50, config, 3)
    stream, replaced = new_stream(game, 3), 0
    for _ in range(40):
        batch.step_random()
        before, rows = agent.policy_batch(SeatViews(batch)), batch.states.copy()
        other = copy.deepcopy(batch)
        other.program.determinize_rows(other.states, batch.actors, stream)
        other.refresh()
        replaced += sum(one != two for one, two in zip(rows, other.states, strict=True))
        assert (agent.policy_batch(SeatViews(other)) == before).all()
    assert replaced > 80
