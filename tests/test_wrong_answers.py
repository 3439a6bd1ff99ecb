"""What agents, algorithms and policies of others answer wrongly gets one sentence, wherever they play."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from others_agents import Careless, Undecided
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import FlattenExtractor

import rat_envs
from rat_envs.agents import Agent, make_agent
from rat_envs.agents.learnt import FORMATS, load_policy, save_policy
from rat_envs.agents.policy import networks_of
from rat_envs.agents.shipped import shipped_file
from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.arena import play_match
from rat_envs.commands.arguments import configured
from rat_envs.commands.main import app
from rat_envs.commands.train import tell
from rat_envs.comparison import benchmark
from rat_envs.comparison.tasks import find_tasks
from rat_envs.engine.archive import read_archive, write_archive
from rat_envs.engine.configuration import parse_options
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError
from rat_envs.engine.folders import locked_file
from rat_envs.engine.registry import get_game
from rat_envs.play import Session
from rat_envs.solving.exploitability import exploitability
from rat_envs.training.checkpoints import CHECKPOINT
from rat_envs.training.folder import GATHERED, PREVIOUS, set_aside
from rat_envs.training.opponents import OpponentPool
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.recommended import options_of
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
#: The last is right where there is one seat.
NO_PROBABILITIES = [
    lambda views: views.masks * np.nan,
    lambda views: np.where(views.masks > 0, np.inf, 0.0),
    lambda views: views.masks * 0.0,
    lambda views: np.ones((len(views), 3)),
    lambda views: None,
    lopsided,
    lambda views: uniform(views)[:1],
]


@pytest.mark.parametrize("answer", NO_ACTIONS)
def test_what_is_no_action_is_refused_by_whoever_plays(answer):
    agent = Answering(answer)
    with pytest.raises(IllegalActionError, match=r"The agent answering does .* a whole number from 0 for each of"):
        play_match("brave_rats", [agent, make_agent("random", "brave_rats", 0)], None, 20, seed=1)
    with pytest.raises(IllegalActionError, match="The agent answering does"):
        LearnerGames("brave_rats", [agent], n=4).reset(0)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            lambda views: views.masks.argmin(1),
            r"action \d+ \(.*\), which player_\d cannot: legal are 0 \(play musician",
        ),
        (
            lambda views: views.masks.argmax(1) + 100,
            r"action 100, of 16 actions, which player_0 cannot: legal are 0 \(",
        ),
    ],
)
def test_an_agent_that_does_what_is_illegal_is_named_wherever_it_plays(answer, sentence, monkeypatch):
    agent = Answering(answer)
    sentence = f"The agent answering takes {sentence}"
    with pytest.raises(IllegalActionError, match=sentence):
        play_match("brave_rats", [make_agent("random", "brave_rats", 0), agent], {"hands": "clan"}, 20, seed=1)
    with pytest.raises(IllegalActionError, match=sentence):
        LearnerGames("brave_rats", [agent], n=4).reset(0)
    monkeypatch.setattr("rat_envs.play.seating.make_agent", lambda *_, **__: agent)
    session = Session(get_game("brave_rats"), get_game("brave_rats").configuration.make(), ["them", "them"], seed=1)
    with pytest.raises(IllegalActionError, match=sentence):
        session.advance()


CANNOT_BE_ARRAYS = [
    lambda views: torch.ones(views.masks.shape, requires_grad=True),
    lambda views: [[1.0], [0.5, 0.5]] + [[1.0]] * len(views),
]


@pytest.mark.parametrize("answer", CANNOT_BE_ARRAYS)
def test_what_cannot_become_an_array_is_refused_by_whoever_plays_and_measures(answer):
    for ask in (
        lambda: play_match("brave_rats", [Guessing(answer), make_agent("random", "brave_rats", 0)], None, 20, seed=1),
        lambda: exploitability("brave_rats", Guessing(answer), preset="small"),
    ):
        with pytest.raises(IllegalActionError, match="The agent answering answers with what cannot become a numpy arr"):
            ask()


def test_an_agent_that_has_no_method_to_decide_is_refused_where_it_would():
    with pytest.raises(
        ConfigurationError, match=r"The agent Undecided cannot decide \(Undecided gives no probabilities"
    ):
        play_match("brave_rats", [Undecided(), make_agent("random", "brave_rats", 0)], None, 20, seed=1)
    with pytest.raises(
        ConfigurationError, match=r"The agent Undecided cannot decide \(Undecided gives no probabilities"
    ):
        exploitability("brave_rats", Undecided(), preset="small")


def test_an_agent_that_is_given_its_method_when_it_is_made_plays():
    agent = Undecided()
    agent.policy_batch = uniform
    assert play_match("brave_rats", [agent, make_agent("random", "brave_rats", 0)], None, 20, seed=1).agents[0].games


def test_an_agent_whose_base_class_never_began_plays():
    match = play_match("brave_rats", [Careless(), make_agent("random", "brave_rats", 0)], None, 20, seed=1)
    assert match.agents[0].games == 20


@pytest.mark.parametrize("answer", NO_PROBABILITIES)
def test_what_are_no_probabilities_is_refused_by_whoever_plays_and_measures(answer):
    agent = Guessing(answer)
    with pytest.raises(IllegalActionError, match=r"The agent answering gives no probabilities, but .* of 16 actions"):
        play_match("brave_rats", [agent, make_agent("random", "brave_rats", 0)], None, 20, seed=1)
    with pytest.raises(ConfigurationError, match="answering gives no probability distribution"):
        exploitability("brave_rats", agent, preset="small")


def test_what_is_wrong_with_probabilities_is_said():
    def uneven(views):
        policy = views.masks / views.masks.sum(axis=1, keepdims=True)
        policy[0] = 0.75 * policy[0] + 0.25 * (np.arange(policy.shape[1]) == views.masks[0].argmin())
        return policy

    agent = Guessing(None)
    for agent.policy_batch, reason in (
        (lambda views: 7 * views.masks / views.masks.sum(axis=1, keepdims=True), "those of a seat add up to 7, not 1"),
        (uneven, r"illegal actions have 0\.25 of it"),
        (lambda views: np.full(views.masks.shape, np.inf), "not all are finite"),
        (lambda views: views.masks[:, 1:], r"it must be an array \(\d+, 16\) of numbers from 0"),
    ):
        with pytest.raises(ConfigurationError, match=rf"^Agent answering gives no .* legal actions: {reason}\.$"):
            exploitability("brave_rats", agent, preset="small")


@pytest.mark.parametrize("answer", NO_PROBABILITIES[:-1])
def test_what_are_no_probabilities_is_refused_when_the_agent_is_asked_for_them(answer):
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"The agent answering gives no probabilities, but .* of 16 actions"):
        Guessing(answer).policy(env)


def test_probabilities_of_one_seat_add_up_to_one_and_are_of_legal_actions():
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    in_proportion = Guessing(lambda views: 3 * views.masks).policy(env)
    assert in_proportion == pytest.approx(env.last()[0]["action_mask"] / 8)
    with pytest.raises(IllegalActionError, match=r"gives probability to the illegal action 8\."):
        Guessing(lambda views: np.ones_like(views.masks)).policy(env)
    with pytest.raises(ConfigurationError, match="has no policy_batch"):
        Agent().policy(env)


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


def test_a_run_is_not_resumed_with_another_opponent_in_its_file(tmp_path):
    options = {"game": "brave_rats", "num_games": 8, "minibatch": 8, "minutes": None, "evaluations": 0}
    opponent = tmp_path / "opponent.safetensors"
    save_policy(opponent, train(PPOOptions(**options, steps=8, folder=str(tmp_path / "first"))).agent)
    playing = {**options, "opponents": {str(opponent): 0.5}, "folder": str(tmp_path / "second")}
    train(PPOOptions(**playing, steps=100))
    train(PPOOptions(**playing, steps=200, resume=True))
    save_policy(opponent, train(PPOOptions(**options, steps=8, seed=1, folder=str(tmp_path / "third"))).agent)
    with pytest.raises(CheckpointError, match=r"was trained with another .*opponent\.safetensors, whose file had the"):
        train(PPOOptions(**playing, steps=300, resume=True))


@pytest.mark.parametrize("learner", ["ppo", "maskable_ppo"])
def test_shares_that_are_no_numbers_are_refused(learner):
    with pytest.raises(ConfigurationError, match="must be parts from 0 to 1, together at most 1"):
        options_of(learner)(opponents={"random": float("nan")})


def test_a_run_is_resumed_where_what_it_began_with_lies_elsewhere(tmp_path):
    options = {"game": "brave_rats", "num_games": 8, "minibatch": 8, "minutes": None, "evaluations": 0}
    train(PPOOptions(**options, steps=8, folder=str(tmp_path / "first")))
    here, there, other = (tmp_path / name for name in ("here/begun.safetensors", "there/begun.safetensors", "other"))
    for path in (here, there):
        path.parent.mkdir()
        path.write_bytes((tmp_path / "first" / "policy.safetensors").read_bytes())
    begun = {**options, "folder": str(tmp_path / "second")}
    train(PPOOptions(**begun, steps=100, begin_with=str(here)))
    train(PPOOptions(**begun, steps=200, begin_with=str(there), resume=True))
    with pytest.raises(CheckpointError, match=r"was trained with begin_with='.*, not '.*other': resume"):
        train(PPOOptions(**begun, steps=300, begin_with=str(other), resume=True))


def test_what_else_opponents_keep_goes_on_too():
    def pool() -> OpponentPool:
        made = OpponentPool("brave_rats", 0, 4, {"ismcts:sims=3": 0.5}, 0.0, 2)
        networks = load_policy(shipped_file(get_game("rattus"), 2), "rattus").networks
        made.add(networks, 0)
        return made

    before, after = pool(), pool()
    (agent,), (same,) = before.fixed.values(), after.fixed.values()
    agent.seed(5)
    state, arrays = before.get_state([])
    assert same.get_state() != agent.get_state()
    after.set_state(json.loads(json.dumps(state)), arrays)
    assert same.get_state()["key"] == agent.get_state()["key"]


def test_a_policy_that_was_exact_before_is_told_without_a_ratio(capsys):
    report = {"interrupted": False, "steps": 1, "seconds": 1.0, "policy": "p", "curve": None, "against": {}}
    tell({**report, "exploitability": {"before": 0.0, "after": 0.01}}, as_json=False)
    assert "0.0000 before training, 0.0100 after\n" in capsys.readouterr().out


@pytest.mark.parametrize("learner", ["ppo", "maskable_ppo"])
def test_training_against_a_file_that_could_execute_code_asks_for_trust(learner, tmp_path):
    path = tmp_path / "mine.zip"
    games = LearnerGames("brave_rats", ["random"], n=2, seed=0)
    MaskablePPO("MlpPolicy", RatVecEnv(games), n_steps=8, batch_size=8, seed=0, device="cpu").save(path)
    sizes = {"num_games": 8, "minibatch": 8} if learner == "ppo" else {"num_games": 8}
    kind = options_of(learner)
    options = kind(
        game="brave_rats", opponents={str(path): 0.5}, steps=8, minutes=None, folder=str(tmp_path / "run"), **sizes
    )
    with pytest.raises(CheckpointError, match=r"mine\.zip .*allow it with --trust"):
        train(options)
    assert not (tmp_path / "run").exists()
    train(replace(options, trust=True))
    with pytest.raises(CheckpointError, match=r"mine\.zip .*allow it with --trust"):
        train(replace(kind.saved(tmp_path / "run"), steps=1000))  # trusted once, not for good
    assert train(replace(kind.saved(tmp_path / "run", trust=True), steps=1000)).steps >= 1000


def test_a_checkpoint_that_names_code_does_not_run_it(tmp_path):
    code, ran = tmp_path / "own.py", tmp_path / "ran"
    code.write_text(
        f"from pathlib import Path\nfrom rat_envs.agents.random import RandomAgent\nPath({str(ran)!r}).touch()\n"
        "class Own(RandomAgent):\n    name = 'own'\n"
    )
    options = {"game": "brave_rats", "num_games": 8, "minibatch": 8, "minutes": None, "evaluations": 0}
    train(PPOOptions(**options, steps=8, folder=str(tmp_path / "run"), opponents={f"{code}:Own": 0.5}))
    ran.unlink()
    with pytest.raises(CheckpointError, match=r"names .*own\.py:Own, which is code that would be run: pass trust=True"):
        PPOOptions.saved(tmp_path / "run")
    assert not ran.exists()
    assert PPOOptions.saved(tmp_path / "run", trust=True).opponents == {f"{code}:Own": 0.5}


@pytest.mark.parametrize("name", [PREVIOUS, GATHERED])
def test_a_file_where_a_replaced_run_would_go_stops_it_before_anything_moves(name, tmp_path):
    (tmp_path / name).write_text("somebody's")
    set_aside(tmp_path)  # no run is there that would move
    (tmp_path / CHECKPOINT).write_text("the first")
    with pytest.raises(CheckpointError, match=f"{name} is in the way of the run that is replaced: move it away"):
        set_aside(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        CHECKPOINT: "the first",
        name: "somebody's",
    }


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"layers": ...}, "it has no 'layers'"),
        ({"config": ...}, "it has no 'config'"),
        ({"training": 7}, r"it\['training'\] is 7 and not an object"),
        ({"observation_size": 70}, "it was made for observations of 70 numbers and 16 actions, not of 71 and 16"),
    ],
)
def test_a_policy_with_another_header_says_what_is_wrong_with_it(change, sentence, tmp_path):
    path = tmp_path / "policy.safetensors"
    header, arrays = read_archive(shipped_file(get_game("brave_rats"), 2), tuple(FORMATS), "policy")
    write_archive(path, {name: value for name, value in {**header, **change}.items() if value is not ...}, arrays)
    with pytest.raises(CheckpointError, match=rf"is not a policy of brave_rats: {sentence}\."):
        load_policy(path, "brave_rats")


# Options


@pytest.mark.parametrize(("options", "players"), [(["players=3", "players=4"], None), (["players=3"], 3)])
def test_an_option_that_is_there_twice_is_refused(options, players):
    with pytest.raises(ConfigurationError, match="players is there twice"):
        configured("rattus", options, players)


def test_a_name_that_is_there_twice_in_an_object_is_refused():
    with pytest.raises(ConfigurationError, match=r"^greedy is there twice: give one value\.$"):
        parse_options(['opponents={"greedy": 0.2, "greedy": 0.3}'])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{greedy:0.2, frozen:0.2}", {"greedy": 0.2, "frozen": 0.2}),
        ("{mine.zip:0.5}", {"mine.zip": 0.5}),
        ("[own_hand,opponent_cards]", ["own_hand", "opponent_cards"]),
        ("[key2 key1 steal, two words ,3,null,[x]]", ["key2 key1 steal", "two words", 3, None, ["x"]]),
        ("{}", {}),
        ('["a",b]', '["a",b]'),
        ("[a,,b]", "[a,,b]"),
        ("[v1]/policy.zip", "[v1]/policy.zip"),
        ("{ismcts:sims=25:0.5}", "{ismcts:sims=25:0.5}"),
        ("a,b", "a,b"),
    ],
)
def test_texts_in_lists_and_objects_need_no_quotes(text, value):
    assert parse_options([f"x={text}"]) == {"x": value}


def test_a_name_that_is_there_twice_without_quotes_is_refused():
    with pytest.raises(ConfigurationError, match=r"^greedy is there twice"):
        parse_options(["opponents={greedy:0.2,greedy:0.3}"])


def test_an_empty_path_is_no_folder_and_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match="must be the path of a folder"):
        PPOOptions(folder="")
    with pytest.raises(CheckpointError, match="is no file"), locked_file(Path("")):
        pass
    assert not list(tmp_path.iterdir())


def test_an_agent_without_a_name_is_called_by_its_class():
    class Careless(Agent):
        pass

    class MoreCareless(Careless):
        pass

    class Named(Guessing):
        pass

    assert [kind.name for kind in (Careless, MoreCareless, Named)] == ["Careless", "MoreCareless", "answering"]
