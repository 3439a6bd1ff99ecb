"""Agents play anywhere: in an environment, in a batch, as objects, by any name; and refuse what they cannot play."""

from __future__ import annotations

import importlib
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from games_and_configurations import FIRST, each
from kuhn import KUHN
from others_agents import Steady
from typer.testing import CliRunner

import rat_envs
from rat_envs.agents import agent_names, make_agent
from rat_envs.agents.search import SearchAgent
from rat_envs.api.agent import Agent
from rat_envs.api.learner import LearnerGames
from rat_envs.api.named_agents import agent_file
from rat_envs.api.seats import SeatViews
from rat_envs.api.single import RatSingleEnv
from rat_envs.arena import (
    Folder,
    in_processes,
    make_plan,
    play_match,
    play_opponents,
    play_tournament,
    read_manifest,
    replay_tournament,
    workers,
)
from rat_envs.arena.object_hash import object_hash
from rat_envs.commands.main import app
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import (
    CheckpointError,
    ConfigurationError,
    IllegalActionError,
    PluginError,
    RatEnvsError,
    UnknownNameError,
)
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.solving.equilibrium import find_equilibrium
from rat_envs.solving.exploitability import exploitability

Install = Callable[..., Path]

# In an environment


@each(FIRST)
def test_an_agent_plays_in_a_pettingzoo_loop_and_does_what_it_does_in_a_batch(
    game: str, config: dict[str, Any]
) -> None:
    from pettingzoo.utils import wrappers

    for name in ("random", "greedy", "ismcts:sims=5"):
        bare = rat_envs.make(game, **config)
        env = wrappers.OrderEnforcingWrapper(bare)
        batch = Batch(game, 1, config, auto_reset=False)
        env.reset(seed=4)
        batch.reset(seed=4)
        agent, other = (make_agent(name, game, 7) for _ in range(2))
        for _ in env.agent_iter():
            _, _, terminated, _, _ = env.last()
            if terminated:
                break
            policy = agent.policy(env)
            assert policy.shape == batch.masks[0].shape and policy.dtype == np.float64
            assert policy.sum() == pytest.approx(1) and not policy[batch.masks[0] == 0].any()
            action = agent.act(env)
            assert action == other.act(batch)
            env.step(action)
            batch.step([action])
        assert batch.dones[0]
        with pytest.raises(IllegalActionError, match=r"^No seat is to act: the game is over"):
            agent.act(env)


def test_views_of_an_environment_are_those_of_its_batch() -> None:
    env, batch = rat_envs.make("comme_des_rats"), Batch("comme_des_rats", 1)
    env.reset(seed=9)
    batch.reset(seed=9)
    seen, expected = SeatViews(env), SeatViews(batch)
    for name in ("seats", "players", "observations", "masks"):
        assert (getattr(seen, name) == getattr(expected, name)).all()
    assert seen.configuration(0) == env.configuration
    agent = make_agent("greedy", "comme_des_rats")
    assert agent.act(seen) == agent.act(env)


def test_what_an_agent_cannot_look_at_is_refused_in_a_sentence() -> None:
    agent = make_agent("random", "brave_rats", 0)
    env = rat_envs.make("brave_rats")
    env.reset(seed=0)
    wrapped = SimpleNamespace(env=env)  # as Tianshou's wrapper, which has no ``unwrapped``
    for wrong in ({"observation": 3}, None, rat_envs.make_parallel("brave_rats"), wrapped):
        with pytest.raises(
            ConfigurationError, match=r"^Agents see .* AEC env.*: make one with rat_envs\.make or .*\.env\."
        ):
            agent.act(wrong)
    assert env.action_space(env.agent_selection).contains(agent.act(wrapped.env))
    with pytest.raises(ConfigurationError, match=r"^An agent acts for one seat here, not for 3: ask its act_batch"):
        agent.act(Batch("brave_rats", 3))


@each([*FIRST, ("comme_des_rats", {"players": 5, "talk": True})])
def test_agents_act_in_the_environment_of_one_seat_by_its_numbers(game, config) -> None:
    env = gymnasium.make(get_game(game).gymnasium_id, disable_env_checker=True, **config)
    agent = make_agent("greedy", game)
    with pytest.raises(IllegalActionError, match=r"^No seat is to act: the game is over, or none has begun"):
        agent.act(env)
    moved = 0
    for seed in range(3 * len(FIRST)):
        env.reset(seed=seed)
        for _ in range(seed):
            env.reset()  # the seat moves on
        over, inner = False, env.unwrapped
        while not over:
            action, batch = agent.act(env), inner.batch
            here = agent.act(batch)
            assert inner.action_masks()[action]
            assert inner.meanings[action] == here and inner.seat == batch.actors[0]
            policy = agent.policy(env)
            assert (policy == agent.policy(batch)[inner.meanings]).all() and policy[action] == 1
            moved += action != here
            over = env.step(action)[2]
        with pytest.raises(IllegalActionError, match=r"^No seat is to act: the game is over"):
            agent.policy(env)
    assert not moved or inner.game.seat_actions
    assert moved or not config.get("talk"), "greedy names nobody there"


def test_agents_act_at_a_position() -> None:
    position, agent = Position("comme_des_rats", {"players": 2}), make_agent("greedy", "comme_des_rats")
    stream, asked = new_stream("comme_des_rats", 1), 0
    while not position.is_over:
        if position.is_chance:
            with pytest.raises(IllegalActionError, match=r"^No seat is to act at this position: chance is to act\.$"):
                agent.act(position)
            position.apply(position.sample(stream))
            continue
        before = position.state.tobytes()
        action, policy = agent.act(position), agent.policy(position)
        assert policy[action] == 1 and position.mask()[action] and position.state.tobytes() == before
        assert (SeatViews(position).observations == position.observe(position.actor).view(np.int8)).all()
        position.apply(action)
        asked += 1
    assert asked
    with pytest.raises(IllegalActionError, match=r"^No seat is to act at this position: the game is over\.$"):
        agent.policy(position)


def test_nash_knows_what_every_state_is_worth() -> None:
    agent, game = make_agent("nash", "brave_rats", 0), get_game("brave_rats")
    env = rat_envs.make("brave_rats", fast=True)
    env.reset(seed=0)
    worth = find_equilibrium(game, env.configuration).value
    assert agent.value(env) == pytest.approx(worth)
    env.step(agent.act(env))
    assert agent.value(env) == pytest.approx(-worth), "the first choice is unseen: the second seat expects what it did"
    assert make_agent("random", game, 0).value(env) is None
    batch = Batch(game, 500, {"fast": True}, seed=3)
    for _ in range(3):
        batch.step_random()
    values = agent.value_batch(SeatViews(batch))
    assert values is not None and len(set(values.round(6))) > 10 and np.abs(values).max() <= 1


# Seeds


def test_a_search_opponent_is_as_reproducible_as_any_other() -> None:
    code = """
import numpy as np
from rat_envs.api.single import RatSingleEnv
env = RatSingleEnv("brave_rats", opponent="ismcts:sims=30")
for seed in (5, 6):
    env.reset(seed=seed)
    over, seen, random = False, [], np.random.default_rng(0)
    while not over:
        observation, reward, over, _, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
        seen.append(observation.tobytes().hex())
    print(seen, reward)
"""
    first, second = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first == second
    assert first.splitlines()[0] != first.splitlines()[1]


def test_a_seed_starts_all_random_numbers_anew_and_a_state_holds_them_all() -> None:
    batch = Batch("brave_rats", 40, seed=3)
    views = SeatViews(batch)
    for agent in (make_agent(name, "brave_rats", 1) for name in ("random", "ismcts:sims=15")):
        before = agent.act_batch(views).tolist()
        state = json.loads(json.dumps(agent.get_state()))
        after = agent.act_batch(views).tolist()
        agent.seed(2)
        assert agent.act_batch(views).tolist() != before
        agent.set_state(state)
        assert agent.act_batch(views).tolist() == after
        agent.seed(1)
        assert agent.act_batch(views).tolist() == before
    assert isinstance(agent, SearchAgent)
    agent.act_batch(views)
    assert len(pickle.dumps(agent)) < 2000, "trees stay at home"


# By any name


def test_names_are_those_of_the_game_at_hand() -> None:
    assert agent_names("brave_rats") == ["random", "nash", "ismcts", "learnt", "llm", "greedy"]
    assert agent_names("comme_des_rats")[5:] == ["greedy", "loyal", "treacherous"]
    assert set(agent_names()) == set(agent_names("comme_des_rats"))


def test_a_class_by_module_or_by_file_plays_with_options(tmp_path: Path) -> None:
    source = Path(sys.modules["others_agents"].__file__ or "").read_text()
    path = tmp_path / "mine.py"
    path.write_text(source)
    for name in ("others_agents:Steady", f"{path}:Steady"):
        one, other = make_agent(name, "brave_rats", 3), make_agent(f"{name}:place=2", "brave_rats", 3)
        batch = Batch("brave_rats", 1, seed=0)
        assert (one.act(batch), other.act(batch)) == (0, 2)
    assert agent_file(f"{path}:Steady:place=2") == path
    assert agent_file("others_agents:Steady:place=2") == Path(sys.modules["others_agents"].__file__ or "")
    assert agent_file("no_such.module:Steady") is agent_file("greedy") is agent_file("learnt") is None
    path.write_text(source.replace("self.place = place", "self.place = place + 4"))
    assert make_agent(f"{path}:Steady", "brave_rats").act(batch) == 4, "a file that has changed is read again"


@pytest.mark.parametrize("inserts", [False, True], ids=["", "with sys.path.insert"])
def test_what_lies_beside_a_file_is_its_own(inserts: bool, tmp_path: Path) -> None:
    path, head = list(sys.path), "import sys, os\nsys.path.insert(0, os.path.dirname(__file__))\n" if inserts else ""
    source = f"{head}from choosing import choose\nfrom parts.more import NAME\n" + (
        "from rat_envs.agents import Agent\n\nclass Bot(Agent):\n    name = NAME\n"
        "    def act_batch(self, views):\n        return [choose(mask) for mask in views.masks]\n"
    )
    for folder, taken in (("alice", "mask.argmax()"), ("bob", "len(mask) - 1 - mask[::-1].argmax()")):
        (tmp_path / folder / "parts").mkdir(parents=True)
        (tmp_path / folder / "agent.py").write_text(source)
        (tmp_path / folder / "choosing.py").write_text(f"def choose(mask):\n    return {taken}\n")
        (tmp_path / folder / "parts" / "more.py").write_text(f"NAME = '{folder}'\n")
    batch = Batch("brave_rats", 1, seed=0)
    for _ in range(2):
        bots = [make_agent(f"{tmp_path / folder}/agent.py:Bot", "brave_rats") for folder in ("alice", "bob")]
        assert [(bot.name, bot.act(batch)) for bot in bots] == [("alice", 0), ("bob", 7)]
    assert not {"choosing", "parts", "parts.more"} & set(sys.modules) and sys.path == path


def test_what_lies_beside_a_file_stands_in_for_no_library(tmp_path: Path) -> None:
    for name in ("numpy", "statistics"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not this one')\n")
    (tmp_path / "agent.py").write_text(
        "import statistics\nimport numpy\nfrom rat_envs.agents import Agent\nclass Bot(Agent):\n    name = 'bot'\n"
    )
    assert make_agent(f"{tmp_path}/agent.py:Bot", "brave_rats").name == "bot"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "greed",
            "There is no agent 'greed': the agents for brave_rats are greedy, random, nash, ismcts, learnt,",
        ),
        (
            "",
            "There is no agent '': the agents for brave_rats are random, nash, ismcts, learnt, llm, greedy, the",
        ),
        ("nush:depth=2", "There is no agent 'nush': the agents for brave_rats are nash, random"),
        ("random:depth=2", "The agent random has no option 'depth': it has none."),
        ("greedy:depth=2", "The agent greedy has no option 'depth': it has none."),
        ("nash:x", "'x' is not an option of the agent nash: write nash:KEY=VALUE,KEY=VALUE."),
        (
            "no_such_module:Agent",
            "The module 'no_such_module' of the agent 'no_such_module:Agent' cannot be imported: ",
        ),
        ("others_agents:Stead", "There is no 'Stead' in others_agents: its agents are Steady, Demanding, Unseeded, Un"),
        (
            "others_agents:NO_AGENT",
            "others_agents:NO_AGENT is not an agent: it must be a class derived from rat_envs.agen",
        ),
        ("others_agents:Steady:depth=2", "The agent others_agents:Steady has no option 'depth': the options are place"),
        ("others_agents:Demanding", "The agent others_agents:Demanding needs the option 'price': write price=VALUE."),
        (
            "others_agents:Demanding:price=dear",
            "The agent others_agents:Demanding cannot be made with price='dear' (ValueError: could not convert string",
        ),
        ("nothing/here.py:Agent", "There is no file nothing/here.py for the agent 'nothing/here.py:Agent'."),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(name: str, sentence: str) -> None:
    with pytest.raises(RatEnvsError) as caught:
        make_agent(name, "brave_rats")
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_a_package_adds_an_agent(install: Install) -> None:
    install("rats", agents={"steady": "others_agents:Steady", "broken": "no_such:Agent", "three": "kuhn:ACTIONS"})
    assert agent_names("brave_rats")[-3:] == ["broken", "steady", "three"]
    match = play_match("brave_rats", ["steady:place=7", "steady"], games=10)
    assert match.agents[0].wins == 10
    with pytest.raises(PluginError, match=r"^The package rats adds 'broken', but no_such:Agent cannot be loaded \(Mod"):
        make_agent("broken", "brave_rats")
    with pytest.raises(PluginError, match=r"^The package rats adds 'three', but kuhn:ACTIONS is not a class\.$"):
        make_agent("three", "brave_rats")
    with pytest.raises(UnknownNameError, match="are broken, random, "):
        make_agent("brokn", "brave_rats")


# As objects


def test_a_match_takes_names_and_objects() -> None:
    named, made = (
        play_match("brave_rats", agents, games=20, seed=2)
        for agents in (["random", "greedy"], [make_agent(name, "brave_rats", 9) for name in ("random", "greedy")])
    )
    assert named == made
    results = play_opponents("brave_rats", "greedy", ["random", Steady()], games=20)
    assert list(results) == ["random", "steady"]


def test_a_tournament_takes_objects_and_its_manifest_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Steady(5)
    plan = make_plan("brave_rats", [agent, "random", SearchAgent(seed=3)], games=8, chunk=2)
    folder = Folder(tmp_path / "out", plan)
    here = play_tournament(plan, folder=folder)
    monkeypatch.setattr(workers, "SECONDS_HERE", 0.0)
    assert play_tournament(plan, lambda jobs: in_processes(jobs, 2)) == here
    assert here.names[:2] == ["steady", "random"]
    written = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert written["agents"][:2] == [
        {"name": "steady", "sha256": object_hash(Steady(5)), "is_object": True},
        {"name": "random", "sha256": None},
    ]
    manifest = read_manifest(tmp_path / "out" / "manifest.json")
    assert manifest.plan == plan
    with pytest.raises(
        ConfigurationError, match=r"^'steady' took part as an object of Python, not by a name: it cannot"
    ):
        replay_tournament(manifest)


def test_a_manifest_that_names_code_is_played_again_only_if_it_is_trusted(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(Path(sys.modules["others_agents"].__file__ or "").read_text())
    plan = make_plan("brave_rats", [f"{path}:Steady:place=1", "others_agents:Steady"], games=8)
    assert plan.agents[0].sha256 == plan.agents[1].sha256 is not None
    play_tournament(plan, folder=Folder(tmp_path / "out", plan))
    manifest = read_manifest(tmp_path / "out" / "manifest.json")
    with pytest.raises(CheckpointError, match=r"^The manifest names .*mine\.py:Steady:place=1, which is code that"):
        replay_tournament(manifest)
    assert replay_tournament(manifest, trust=True)[0] == 8
    path.write_text(path.read_text() + "\n")
    with pytest.raises(CheckpointError, match=r"mine\.py is not the file that entered the tournament"):
        replay_tournament(manifest, trust=True)


def test_an_agent_that_takes_no_seed_is_seeded_all_the_same(tmp_path: Path) -> None:
    batch = Batch("brave_rats", 50, seed=0)
    played = [
        make_agent("others_agents:Unseeded", "brave_rats", seed).act_batch(SeatViews(batch)) for seed in (1, 1, 2)
    ]
    assert (played[0] == played[1]).all() and (played[0] != played[2]).any()
    plan = make_plan("brave_rats", ["others_agents:Unseeded", "random"], games=8)
    play_tournament(plan, folder=Folder(tmp_path / "out", plan))
    assert replay_tournament(read_manifest(tmp_path / "out" / "manifest.json"), trust=True)[0] == 8


def test_a_module_is_told_by_what_is_in_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "of_somebody.py"
    path.write_text(Path(sys.modules["others_agents"].__file__ or "").read_text())
    monkeypatch.syspath_prepend(tmp_path)
    agents = ["of_somebody:Steady", "random"]
    plan = make_plan("brave_rats", agents, games=8)
    folder = Folder(tmp_path / "out", plan)
    assert "of_somebody" not in sys.modules, "only who plays runs it"
    play_tournament(plan, folder=folder)
    path.write_text(path.read_text() + "\n")
    changed = Folder(tmp_path / "out", make_plan("brave_rats", agents, games=8))
    assert "(changed: of_somebody:Steady)" in changed.changes()[0]


def test_a_module_in_the_current_folder_is_found_and_no_other_looks_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lying_here.py").write_text(Path(sys.modules["others_agents"].__file__ or "").read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", str(tmp_path))])
    before = list(sys.path)
    plan = make_plan("brave_rats", ["lying_here:Steady", "random"], games=8)
    assert plan.agents[0].sha256 is not None
    assert make_agent("lying_here:Steady", "brave_rats").name == "steady" and sys.path == before
    (tmp_path / "another.py").write_text("")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("another")


def test_objects_that_cannot_be_sent_are_refused_before_any_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Local(Steady):
        """Of this function alone."""

    plan = make_plan("brave_rats", [Local(), "random"], games=20, chunk=2)
    assert play_tournament(plan).games == 20
    monkeypatch.setattr(workers, "play_job", lambda job: pytest.fail("something has been played"))
    with pytest.raises(
        RatEnvsError, match=r"^An agent cannot be sent to worker processes \(.*Local.*\): play with one"
    ):
        play_tournament(plan, lambda jobs: in_processes(jobs, 2))


# What cannot be played

DRAFT = {"hands": "draft"}
HIDES = "brave_rats cannot be played like this by the agent nash: it hides more than simultaneous choices ("
UNSOLVED = HIDES.replace("played like this by the agent nash", "solved as a whole")


@pytest.mark.parametrize(
    "words",
    [
        ["play", "brave_rats", "hands=draft", "--against", "nash"],
        ["record", "brave_rats", "hands=draft", "--agent", "nash", "--agent", "random"],
        ["arena", "brave_rats", "hands=draft", "nash", "random"],
        ["exploit", "brave_rats", "hands=draft", "--agent", "nash"],
    ],
)
def test_commands_refuse_before_the_first_choice(words: list[str]) -> None:
    result = CliRunner().invoke(app, words, input="1\n")
    assert str(result.exception).startswith(UNSOLVED if words[0] == "exploit" else HIDES)
    assert result.stdout == ""


def test_everything_that_plays_refuses_before_the_game_begins() -> None:
    nash, game = make_agent("nash", "brave_rats", 0), get_game("brave_rats")
    played: list[bool] = []

    class Watching(Agent):
        def act_batch(self, views: SeatViews) -> np.ndarray:
            played.append(True)
            return views.masks.argmax(axis=1)

    refusals: list[Callable[[], Any]] = [
        lambda: play_match(game, [Watching(), nash], DRAFT, games=4),
        lambda: play_tournament(make_plan(game, [Watching(), "nash"], DRAFT, games=4)),
        lambda: LearnerGames(game, [nash], 2, DRAFT),
        lambda: RatSingleEnv(game, opponent="nash", **DRAFT),
        lambda: exploitability(game, nash, DRAFT),
        lambda: LearnerGames(game, [Watching()], 2, DRAFT, seat=0).set_opponents([nash]),
    ]
    for refuse in refusals:
        played.clear()
        with pytest.raises(ConfigurationError, match=f"^{re.escape(HIDES)}"):
            refuse()
        assert len(played) <= 1
    with pytest.raises(UnknownNameError, match=r"^kuhn has no heuristic 'loyal': it has greedy\.$"):
        play_match(KUHN, [make_agent("loyal", "comme_des_rats"), "random"])
    with pytest.raises(UnknownNameError, match=r"^brave_rats has no heuristic 'loyal': it has greedy\.$"):
        exploitability(get_game("brave_rats"), make_agent("loyal", "comme_des_rats"), preset="small")


def test_training_refuses_opponents_before_it_begins(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    from rat_envs.training.maskable_ppo import MaskablePPOOptions
    from rat_envs.training.run import train

    options = {"config": DRAFT, "folder": str(tmp_path / "run"), "num_games": 8, "tensorboard": False}
    for changes in ({"opponents": {"random": 0.5, "nash": 0.5}, "latest_share": 0.0}, {"imitated": "nash"}):
        with pytest.raises(ConfigurationError, match=f"^{re.escape(HIDES)}"):
            train(MaskablePPOOptions(**options, imitation_steps=64, **changes))  # type: ignore[arg-type]
        assert not (tmp_path / "run").exists()


def test_a_learnt_policy_plays_its_game_alone() -> None:
    from rat_envs.agents.policy import Networks, PolicyAgent

    game = get_game("brave_rats")
    sizes = (game.observation.itemsize, len(game.actions))
    agent = PolicyAgent(Networks((np.zeros((1, *sizes), np.float32),), (np.zeros((1, sizes[1]), np.float32),)), game)
    with pytest.raises(CheckpointError, match=r"^This policy plays brave_rats, not rattus\.$"):
        play_match("rattus", [agent] * 4)


def test_the_environments_know_no_agent_but_by_name() -> None:
    """Arrows point one way: modules of ``api`` import none of ``agents``."""
    folder = Path(rat_envs.__file__).parent / "api"
    for path in folder.rglob("*.py"):
        assert not re.search(r"^\s*(from|import) rat_envs\.(agents|training|arena)", path.read_text(), re.MULTILINE), (
            path
        )
