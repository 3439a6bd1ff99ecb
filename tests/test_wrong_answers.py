"""What agents, algorithms and policies of others answer wrongly gets one sentence, wherever they play."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import FlattenExtractor

from rat_envs.agents import Agent, make_agent
from rat_envs.agents.policy import networks_of
from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.arena import play_match
from rat_envs.commands.main import app
from rat_envs.comparison import benchmark
from rat_envs.comparison.tasks import find_tasks
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError
from rat_envs.solving.exploitability import exploitability
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.run import train


class Answering(Agent):
    """Gives what it was made with for every seat."""

    name = "answering"

    def __init__(self, answer: Any) -> None:
        super().__init__(0)
        self.answer = answer

    def act_batch(self, views):
        return self.answer(views)


class Guessing(Answering):
    """The same for probabilities."""

    def policy_batch(self, views):
        return self.answer(views)

    def act_batch(self, views):
        return Agent.act_batch(self, views)


def uniform(views):
    return views.masks / views.masks.sum(1, keepdims=True)


def lopsided(views):
    """Adds up to 1 on what is legal, with one number below 0 where there is a choice."""
    policy = uniform(views)
    for row, mask in zip(policy, views.masks, strict=True):
        first, last = np.flatnonzero(mask)[[0, -1]]
        row[first] += 3
        row[last] -= 3
    return policy


NO_ACTIONS = [
    lambda views: np.full(len(views), -1),
    lambda views: views.masks.argmax(1) + 0.5,
    lambda views: views.masks.argmax(1)[:1],
    lambda views: views.masks.argmax(1)[:, None],
    lambda views: None,
    lambda views: ["play prince"] * len(views),
]
NO_PROBABILITIES = [
    lambda views: views.masks * np.nan,
    lambda views: np.ones((len(views), 3)),
    lambda views: uniform(views)[:1],
    lambda views: None,
    lopsided,
]


@pytest.mark.parametrize("answer", NO_ACTIONS)
def test_what_is_no_action_is_refused_by_whoever_plays(answer):
    agent = Answering(answer)
    with pytest.raises(IllegalActionError, match=r"The agent answering does .* a whole number from 0 for each of"):
        play_match("brave_rats", [agent, make_agent("random", "brave_rats", 0)], None, 20, seed=1)
    with pytest.raises(IllegalActionError, match="The agent answering does"):
        LearnerGames("brave_rats", [agent], n=4).reset(0)


@pytest.mark.parametrize("answer", NO_PROBABILITIES)
def test_what_are_no_probabilities_is_refused_by_whoever_plays_and_measures(answer):
    agent = Guessing(answer)
    with pytest.raises(IllegalActionError, match=r"The agent answering gives no probabilities, but .* of 16 actions"):
        play_match("brave_rats", [agent, make_agent("random", "brave_rats", 0)], None, 20, seed=1)
    with pytest.raises(ConfigurationError, match="answering gives no probability distribution"):
        exploitability("brave_rats", agent, preset="small")


def test_the_learner_refuses_them_of_opponents_and_teachers(tmp_path, monkeypatch):
    monkeypatch.setattr("rat_envs.training.opponents.make_agent", lambda *_, **__: Answering(NO_ACTIONS[0]))
    alone = {"game": "brave_rats", "num_games": 8, "minibatch": 8, "steps": 100, "minutes": None, "evaluations": 0}
    for number, more in enumerate(({"opponents": {"them": 0.5}}, {"teacher": "them", "teacher_steps": 50})):
        with pytest.raises(IllegalActionError, match="The agent answering does"):
            train(PPOOptions(**alone, **more, folder=str(tmp_path / str(number))))


def test_who_says_actions_alone_has_no_policy():
    assert not Answering.has_policy and Guessing.has_policy and Agent.has_policy
    with pytest.raises(ConfigurationError, match="answering has no policy"):
        exploitability("brave_rats", Answering(lambda views: views.masks.argmax(1)), preset="small")


@pytest.mark.parametrize("name", ["random:seed=3", "ismcts:game=rattus", "nash:seed=1"])
def test_seed_and_game_are_not_options_of_agents(name):
    with pytest.raises(ConfigurationError, match=r"an agent has no option (seed|game)"):
        make_agent(name, "brave_rats")


# Algorithms of the benchmark


@pytest.mark.parametrize("learnt", [None, "many", -5, 0, 12.5, float("nan")])
def test_an_algorithm_that_learns_no_number_of_decisions_costs_no_results(learnt, tmp_path, monkeypatch):
    class Wrong:
        def __init__(self, task, seed, steps):
            pass

        def learn(self, steps):
            return learnt

        def policy_batch(self, views):
            return uniform(views)

    path = tmp_path / benchmark.BENCHMARK
    monkeypatch.setattr(benchmark, "find_algorithm", lambda name: Wrong if name == "wrong" else None)
    (task,) = find_tasks(["brave_rats:small"])
    path.write_text(json.dumps({"format": benchmark.FORMAT, "results": []}))
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match=r"wrong: learn returned .* a whole number above 0"):
        benchmark.play_missing(path, [benchmark.Cell(task, "wrong", 0, 100, 1.0)])
    assert path.read_bytes() == before


# Files


@pytest.mark.parametrize("option", ["--html", "--gif"])
def test_a_page_does_not_take_the_place_of_its_records(option, tmp_path, capsys):
    file, link = tmp_path / "games.jsonl", tmp_path / "link"
    app(["record", "brave_rats", "--games", "1"], standalone_mode=False)
    file.write_text(before := capsys.readouterr().out)
    link.symlink_to(file)
    for place in (file, link):
        with pytest.raises(ConfigurationError, match=rf"^{option} .*that is the file of the records"):
            app(["replay", str(file), option, str(place)], standalone_mode=False)
    assert file.read_text() == before


def games_of_two():
    return RatVecEnv(LearnerGames("brave_rats", [make_agent("random", "brave_rats", 0)], n=2))


class Tenth(FlattenExtractor):
    """What is seen, divided by ten."""

    def forward(self, observations):
        return super().forward(observations) / 10


@pytest.mark.parametrize(
    ("layers", "sentence"),
    [
        ({"features_extractor_class": Tenth}, "with the features extractor Tenth cannot be read: use FlattenExtractor"),
        ({"activation_fn": torch.nn.PReLU}, "with prelu between its layers cannot be read: use relu or tanh"),
        ({"activation_fn": torch.nn.ELU}, "with elu between its layers cannot be read: use relu or tanh"),
    ],
)
def test_networks_that_would_be_read_wrongly_are_refused(layers, sentence):
    model = MaskablePPO("MlpPolicy", games_of_two(), policy_kwargs=layers)
    with pytest.raises(CheckpointError, match=sentence):
        networks_of(model.policy)


def test_a_network_with_numbers_that_are_not_finite_is_refused():
    model = MaskablePPO("MlpPolicy", games_of_two())
    networks_of(model.policy)
    with torch.no_grad():
        model.policy.action_net.bias[0] = torch.nan
    with pytest.raises(CheckpointError, match=r"not finite\. A smaller learning_rate may help"):
        networks_of(model.policy)


def test_what_has_become_infinite_is_not_measured(tmp_path):
    options = {"game": "brave_rats", "num_games": 32, "minibatch": 256, "steps": 20_000, "minutes": None}
    with pytest.raises(CheckpointError, match=r"not finite\. A smaller learning_rate may help"):
        train(PPOOptions(**options, learning_rate=1e30, folder=str(tmp_path)))


def test_a_resumed_run_names_what_differs(tmp_path):
    options = {"game": "brave_rats", "num_games": 8, "minibatch": 8, "minutes": None, "evaluations": 0}
    train(PPOOptions(**options, steps=100, folder=str(tmp_path), config={"draw_pile": True}))
    more = PPOOptions(
        **options, steps=200, folder=str(tmp_path), config={"draw_pile": True, "traitor": True}, resume=True
    )
    with pytest.raises(CheckpointError, match=r"config=\{'traitor': False\}, not \{'traitor': True\}: resume"):
        train(more)
