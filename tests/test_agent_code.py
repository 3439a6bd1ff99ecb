"""What an agent's own code raises is one sentence that names the agent as it was written, wherever it plays."""

from __future__ import annotations

import io
import json
import multiprocessing
import pickle
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from failing_agents import ERRORS, Asked, Cheating, Failing, Needing, raised

import rat_envs
from rat_envs.agents import make_agent
from rat_envs.api.agent_code import AgentError, naming_agent
from rat_envs.api.learner import LearnerGames
from rat_envs.arena import Folder, make_plan, play_match, play_tournament, workers
from rat_envs.arena.jobs import Job
from rat_envs.commands.main import main
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError, RatEnvsError
from rat_envs.engine.registry import get_game
from rat_envs.play.session import Session
from rat_envs.solving.exploitability import exploitability
from rat_envs.testing import check_agent
from rat_envs.training.recommended import options_of
from rat_envs.training.run import train

FILE = Path(__file__).parent / "common" / "failing_agents.py"
BOT = f"{FILE}:Failing"
#: What is said of each error; the line is that of its ``lambda``, or of what that calls.
SAID = {
    "key": "raises KeyError (it has no 'hand')",
    "exit": "raises SystemExit (0)",
    "unsendable": "raises UnsendableError (half of it)",
    "pipe": "raises BrokenPipeError (x)",
    "timeout": "raises TimeoutError (x)",
    "file": "raises FileNotFoundError ([Errno 2] No such file or directory: '/nowhere/weights')",
    "memory": "raises MemoryError",
    "stop": "raises StopIteration",
}


def line_of(text: str) -> int:
    """The only line of the agents' file that begins so."""
    (line,) = (n for n, each in enumerate(FILE.read_text().splitlines(), 1) if each.strip().startswith(text))
    return line


def sentence(bot: str, how: str) -> str:
    """What is said of an agent that fails in this way."""
    line = line_of("raise error" if "raised" in ERRORS[how].__code__.co_names else f'"{how}"')
    shown = bot if len(bot) <= 120 else "…" + bot[-119:]
    return f"The agent {shown} {SAID[how]} in failing_agents.py, line {line}."


class Result(NamedTuple):
    """What a command did."""

    code: Any
    out: str
    err: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Call the command in this process, as the entry point does."""

    def call(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["rat-envs", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        with pytest.raises(SystemExit) as end:
            main()
        return Result(end.value.code or 0, *capsys.readouterr())

    return call


@pytest.mark.parametrize("how", SAID)
@pytest.mark.parametrize("at", ["init", "check", "act"])
def test_arena_and_record_name_the_agent_and_the_line(at: str, how: str, run) -> None:
    bot = f"{BOT}:at={at},how={how}"
    for command in (
        ["arena", "brave_rats", bot, "random", "--games", "4"],
        ["record", "brave_rats", "--agent", "random", "--agent", bot],
    ):
        assert run(*command) == (1, "", f"Error: {sentence(bot, how)}\n")


def test_random_numbers_that_cannot_be_seeded_are_the_agents_fault_too(run) -> None:
    bot = f"{BOT}:at=seed"
    for command in (["arena", "brave_rats", bot, "random"], ["record", "brave_rats", "--agent", bot, "--agent", bot]):
        assert run(*command) == (1, "", f"Error: {sentence(bot, 'key')}\n")


@pytest.mark.parametrize("at", ["one", "remark"])
def test_what_else_an_agent_does_is_its_fault_too(at: str, run) -> None:
    bot = f"{FILE}:Asked:at={at}"
    result = run("record", "brave_rats", "--agent", "random", "--agent", bot)
    assert (result.code, result.err) == (1, f"Error: {sentence(bot, 'key')}\n")


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("words", r"does \['the first'\]: it must give a whole number from 0 for each of 1 seats"),
        ("wrong", r"takes action \d+, of \d+ actions, which player_1 cannot: legal are "),
    ],
)
def test_what_an_agent_answers_to_act_is_checked(at: str, said: str, run) -> None:
    bot = f"{FILE}:Asked:at={at}"
    result = run("record", "brave_rats", "--agent", "random", "--agent", bot)
    assert result.code == 1 and re.match(f"Error: The agent {re.escape(bot)} {said}", result.err)


def test_what_a_table_keeps_of_an_agent_is_asked_by_name() -> None:
    game, bot = get_game("brave_rats"), f"{FILE}:Asked:at="
    with pytest.raises(AgentError, match=f"^{re.escape(sentence(bot + 'state', 'key'))}$"):
        Session(game, game.configuration(), [bot + "state", "random"], 0).advance()
    with pytest.raises(AgentError, match=f"^{re.escape(sentence(bot + 'release', 'key'))}$"):
        Session(game, game.configuration(), [bot + "release", "random"], 0).release()


def test_the_fingerprint_of_an_object_is_asked_by_name() -> None:
    with pytest.raises(AgentError, match=r"^The agent Bot raises KeyError \(it has no 'hand'\) in failing_agents"):
        make_plan("brave_rats", [Asked(at="fingerprint"), "random"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "needs the option 'who': write who=VALUE."),
        (":colour=1", "has no option 'colour': the options are who, number."),
        (":who=me,number=many", "cannot be made with who='me',number='many' (ValueError: invalid literal for int()"),
    ],
)
def test_an_agents_options_are_refused_by_the_name_that_was_written(options: str, said: str, run) -> None:
    bot = f"{FILE}:Needing"
    shown = bot if len(bot) <= 120 else "…" + bot[-119:]
    result = run("arena", "brave_rats", bot + options, "random")
    assert result.code == 1 and result.err.startswith(f"Error: The agent {shown} {said}")
    with pytest.raises(ConfigurationError, match=r"^The agent Needing needs the option 'who'"):
        Needing.make(get_game("brave_rats"))


def test_a_file_that_ends_python_when_it_is_imported_is_named(tmp_path: Path, run) -> None:
    """As a script without a guard does."""
    for code, said in (("import sys\n\nsys.exit(0)\n", "SystemExit (0)"), ("\n\n1 / 0\n", "ZeroDivisionError (div")):
        file = tmp_path / f"{len(code)}.py"
        file.write_text(code)
        result = run("arena", "brave_rats", f"{file}:Bot", "random")
        assert (result.code, result.out) == (1, "")
        words = rf"Error: The agent \S+:Bot raises {re.escape(said)}.* in {file.name}, line 3\.\n"
        assert re.fullmatch(words, result.err)


@pytest.mark.parametrize("how", ["exit", "unsendable", "key"])
def test_workers_say_the_same(how: str) -> None:
    bot = f"{BOT}:how={how}"
    plan = make_plan("brave_rats", [bot, "random"], games=8, chunk=1)
    with pytest.raises(AgentError, match=f"^{re.escape(sentence(bot, how))}$") as error:
        list(workers._in_pool([Job(plan, 0, chunk) for chunk in range(2)], 1))
    assert "act_batch" in str(error.value.__cause__), "the traceback as text"


def test_ctrl_c_within_an_agent_is_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt):
        play_match("brave_rats", [Failing(how="ctrl_c"), "random"], games=4)


def test_of_two_agents_with_one_name_the_right_one_is_meant(tmp_path: Path, run) -> None:
    """As in a course, where everybody hands in a Bot."""
    for who, action in (("alice", 0), ("bob", 15)):
        (tmp_path / who).mkdir()
        (tmp_path / who / "agent.py").write_text(
            "import numpy as np\nfrom rat_envs.agents import Agent\n\n\nclass Bot(Agent):\n"
            f"    def act_batch(self, views):\n        return views.masks.argmax(axis=1) + {action}\n"
        )
    alice, bob = (f"{tmp_path}/{who}/agent.py:Bot" for who in ("alice", "bob"))
    result = run("arena", "brave_rats", alice, bob, "--games", "10")
    assert result.code == 1 and result.err.startswith(f"Error: The agent {bob} takes action ")
    assert make_agent(bob, "brave_rats").name == "Bot"


def test_in_python_the_error_itself_is_the_cause() -> None:
    said = r"^The agent Bot raises KeyError .* in failing_agents\.py, line \d+\.$"
    with pytest.raises(AgentError, match=said) as caught:
        play_match("brave_rats", [Failing(), "random"], games=4)
    assert isinstance(caught.value.__cause__, KeyError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (AgentError, str(caught.value))


def test_opponents_in_an_environment_and_agents_that_are_asked_alone_are_named() -> None:
    said = rf"^The agent {re.escape(BOT)} raises KeyError"
    with pytest.raises(AgentError, match=said):
        LearnerGames("brave_rats", [BOT], n=2, seed=0)
    env = rat_envs.make("brave_rats")
    env.reset(seed=0)
    for at in ("act", "policy", "value"):
        with pytest.raises(AgentError, match=r"^The agent .*Failing:at=\w+ raises KeyError"):
            getattr(make_agent(f"{BOT}:at={at}", "brave_rats"), at)(env)
    with pytest.raises(AgentError, match=r"^The agent .*Failing:at=policy raises KeyError"):
        exploitability("brave_rats", make_agent(f"{BOT}:at=policy", "brave_rats"), preset="small")


def test_a_tournament_of_objects_names_them() -> None:
    agent = Failing(at="never")
    agent.lock = threading.Lock()  # type: ignore[attr-defined]  # which cannot be copied
    with pytest.raises(AgentError, match=r"^The agent Bot raises TypeError \(cannot pickle '_thread\.lock' object\)"):
        play_tournament(make_plan("brave_rats", [agent, "random"], games=4))


def test_probabilities_that_are_not_written_yet_are_asked_for(run) -> None:
    bot = f"{BOT}:at=policy,how=unwritten"
    said = f"The agent {bot} cannot decide (it raises NotImplementedError in failing_agents.py, line "
    assert said in run("arena", "brave_rats", bot, "random").err


def test_the_place_is_that_of_the_agents_own_code() -> None:
    """Not the one within a library that it calls; and if it calls nothing else, the one in the library."""
    with pytest.raises(AgentError, match=r" in test_agent_code\.py, line \d+\.$"), naming_agent("x"):
        np.linalg.inv(np.zeros((2, 3)))
    with pytest.raises(AgentError, match=r" in failing_agents\.py, line \d+\.$"), naming_agent("x"):
        raised(ValueError())


def test_what_numba_cannot_compile_is_said_without_its_listings() -> None:
    @numba.njit
    def wrong(number):
        return number.no_such_attribute

    said = r"^The agent x raises TypingError \(.*no_such_attribute.* in test_agent_code\.py, line \d+\)\.$"
    with pytest.raises(AgentError, match=said), naming_agent("x"):
        wrong(1)


def test_errors_of_ours_stay_what_they_are() -> None:
    for kind in (ConfigurationError, IllegalActionError, RatEnvsError):
        with pytest.raises(RatEnvsError, match=r"^x$") as error, naming_agent("agent"):
            raise kind("x")
        assert type(error.value) is kind


def test_a_mask_that_an_agent_changes_allows_it_nothing() -> None:
    with pytest.raises(IllegalActionError, match=r"^The agent Bot takes action \d+ .*, which player_\d cannot"):
        play_match("brave_rats", [Cheating(), "random"], games=20)
    env = rat_envs.make("brave_rats")
    env.reset(seed=0)
    with pytest.raises(IllegalActionError, match=r"^The agent Bot gives probability to the illegal action \d+\.$"):
        Cheating().policy(env)
    with pytest.raises(ConfigurationError, match=r"illegal actions have "):
        exploitability("brave_rats", Cheating(), preset="small")


@pytest.mark.parametrize("how", SAID)
def test_the_check_of_an_agent_says_what_its_functions_raise(how: str) -> None:
    with pytest.raises(AssertionError, match=f"^act_batch raises {re.escape(SAID[how].split()[1])} "):
        check_agent(Failing(how=how), get_game("brave_rats"), positions=8)


# What an agent does beside its decisions


def test_what_an_agent_prints_is_no_part_of_the_results(run) -> None:
    noisy = f"{FILE}:Noisy"
    result = run("arena", "brave_rats", noisy, "random", "--games", "4", "--json")
    assert result.code == 0 and json.loads(result.out)["games"] == 4
    assert "I am in check.\nI am in policy.\n" in result.err
    result = run("record", "brave_rats", "--agent", noisy, "--agent", "random", "--games", "2")
    assert [json.loads(line)["agents"] for line in result.out.splitlines()] == [[noisy, "random"]] * 2
    assert "I am in check.\nI am in policy.\n" in result.err


@pytest.mark.parametrize(
    "command",
    [
        "exploit brave_rats --preset small --agent {bot}",
        "exploit brave_rats --preset small --against {bot}",
        "best-response brave_rats --steps 64 --games 4 --folder {folder} --agent {bot}",
        'train comme_des_rats --steps 64 --games 12 --folder {folder} --set opponents={{"{bot}":1}}',
    ],
)
def test_what_an_agent_prints_is_no_part_of_the_json(command: str, tmp_path: Path, run) -> None:
    words = [word.format(bot=f"{FILE}:Noisy", folder=tmp_path / "run") for word in command.split()]
    result = run(*words, "--json")
    assert result.code == 0 and isinstance(json.loads(result.out), dict)
    assert "I am in policy.\n" in result.err


def test_what_an_agent_prints_in_a_worker_is_none_either(capfd) -> None:
    plan = make_plan("brave_rats", [f"{FILE}:Noisy", "random"], games=8, chunk=1)
    assert len(list(workers._in_pool([Job(plan, 0, chunk) for chunk in range(2)], 1))) == 2
    out, err = capfd.readouterr()
    assert not out and "I am in policy." in err


def test_an_agent_that_goes_to_another_folder_takes_no_file_along(tmp_path: Path, monkeypatch, run) -> None:
    """Neither what is written, nor the file of the agent, which is looked for anew for each chunk."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text("from failing_agents import Noisy\n")
    arena = ["arena", "brave_rats", "agent.py:Noisy", "random", "--games", "12", "--chunk", "2", "--workers", "1"]
    assert run(*arena, "--out", "played", "--json").code == 0
    manifest = json.loads((tmp_path / "played" / "manifest.json").read_text())
    assert manifest["records"] and len(list((tmp_path / "played" / "chunks").iterdir())) == 3
    assert run("arena", "--from", "played/manifest.json", "--trust").code == 0
    record = ["record", "brave_rats", "--agent", "agent.py:Noisy", "--agent", "random", "--games", "2"]
    assert run(*record, "--out", "games.jsonl").out == "games.jsonl: 2 games.\n"
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 2
    assert Path.cwd() == tmp_path


def test_a_folder_stays_where_it_was_when_it_was_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = make_plan("brave_rats", ["greedy", "random"], games=4)
    folder = Folder("played", plan)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    play_tournament(plan, folder=folder)
    assert (tmp_path / "played" / "results.json").is_file() and not list((tmp_path / "elsewhere").iterdir())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError, match=r"^played holds a tournament with another seed"):
        Folder("played", make_plan("brave_rats", ["greedy", "random"], games=4, seed=1))


def test_a_run_of_training_stays_in_its_folder(tmp_path: Path, monkeypatch) -> None:
    """Its opponent goes elsewhere."""
    monkeypatch.chdir(tmp_path)
    own = {"opponents": {f"{FILE}:Noisy": 1.0}, "folder": "run", "steps": 64, "evaluations": 0, "tensorboard": False}
    result = train(options_of("ppo")("brave_rats", **own))
    assert Path.cwd() == FILE.parent
    assert result.policy_path == Path("run/policy.safetensors") and (tmp_path / result.policy_path).is_file()


def test_workers_end_though_an_agent_thinks_on(monkeypatch) -> None:
    monkeypatch.setattr(workers, "SECONDS_TO_END", 0.5)
    plan = make_plan("brave_rats", [f"{FILE}:Pondering:here=false", "random"], games=8, chunk=1)
    before = {*multiprocessing.active_children()}
    assert len(list(workers._in_pool([Job(plan, 0, chunk) for chunk in range(4)], 2))) == 4
    until = time.monotonic() + 30
    while {*multiprocessing.active_children()} - before:
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize(("other", "code"), [("random", 0), (f"{BOT}:how=exit", 1)])
def test_a_command_ends_though_an_agent_thinks_on(other: str, code: int, tmp_path: Path) -> None:
    words = ["arena", "brave_rats", f"{FILE}:Pondering", other, "--games", "4", "--out", str(tmp_path / "played")]
    ended = subprocess.run([sys.executable, "-m", "rat_envs", *words], capture_output=True, text=True, timeout=100)
    assert ended.returncode == code
    assert (tmp_path / "played" / "results.json").is_file() == (code == 0) == ("Points of all" in ended.stdout)


def test_play_that_does_not_follow_from_the_seed_is_a_reason_for_other_records(tmp_path: Path, run) -> None:
    bot, folder = f"{FILE}:Unseeded", tmp_path / "played"
    assert run("arena", "brave_rats", bot, "random", "--games", "20", "--out", str(folder)).code == 0
    said = run("arena", "--from", str(folder / "manifest.json"), "--trust").err
    shown = bot if len(bot) <= 120 else "…" + bot[-119:]
    end = f"; perhaps the play of {shown} does not follow from its seed, as check_agent tells.\n"
    assert "has other records than the manifest says" in said and said.endswith(end)
    with pytest.raises(AssertionError, match=r"^seed does not start all random numbers anew"):
        check_agent(bot, "brave_rats", positions=40)


def test_an_agents_file_may_stand_in_a_folder_with_an_equals_sign(tmp_path: Path, monkeypatch, run) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "week=3").mkdir()
    (tmp_path / "week=3" / "agent.py").write_text("from failing_agents import Failing, Unseeded\n")
    for bot in ("week=3/agent.py:Unseeded", "week=3/agent.py:Failing:at=never"):
        result = run("arena", "brave_rats", "fast=true", bot, "random", "--games", "4", "--json")
        told = json.loads(result.out)
        assert told["config"]["fast"] and [agent["name"] for agent in told["agents"]] == [bot, "random"]
    assert "There is no file week=4/agent.py" in run("arena", "brave_rats", "week=4/agent.py:Bot", "random").err
    (tmp_path / "week=3.zip").write_bytes(b"no policy")
    assert "week=3.zip" in run("arena", "brave_rats", "week=3.zip", "random").err
    assert "Unknown option week" in run("arena", "brave_rats", "week=4.zip", "random").err
