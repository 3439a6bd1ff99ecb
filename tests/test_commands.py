"""Every command as a person and as a program uses it: output, errors in one sentence, exit codes."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import weakref
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import typer.main
from games_and_configurations import GAMES, LAST, each, each_game, each_pair

import rat_envs
from rat_envs.commands.exact import after_each
from rat_envs.commands.main import app, main
from rat_envs.commands.play import split_names
from rat_envs.datasets import load_transitions
from rat_envs.engine.archive import read_archive
from rat_envs.engine.choices import Choice, Offer
from rat_envs.engine.installation import install_command
from rat_envs.engine.interrupts import SENT
from rat_envs.engine.records import replay
from rat_envs.engine.registry import all_games, get_game
from rat_envs.play.saved import SavedGame
from rat_envs.play.seating import Table
from rat_envs.play.session import Session
from rat_envs.play.terminal import menu
from rat_envs.solving.equilibrium import Deal
from rat_envs.training import run as training_run

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
MAIN = [sys.executable, "-m", "rat_envs.commands.main"]


class Result(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch, capsys):
    """``run("games", "--json")``: call the command in this process, as the entry point does."""

    def call(*arguments: str, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "argv", ["rat-envs", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        return Result(end.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def in_folder(monkeypatch, tmp_path):
    """The present folder is an empty one, for games that are saved when they are left."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def fails(run):
    """``fails("describe", "x")``: the one sentence that the command says before exit code 1."""

    def call(*arguments: str, stdin: str = "") -> str:
        result = run(*arguments, stdin=stdin)
        assert result.code == 1
        assert result.err.startswith("Error: ")
        assert result.err.endswith("\n")
        assert result.err.count("\n") == 1, "one line"
        return result.err

    return call


def lines_of(result: Result) -> list[dict]:
    """The JSON objects, one a line, that a command printed."""
    assert result.code == 0, result.err
    return [json.loads(line) for line in result.out.splitlines()]


def result_of(result: Result) -> dict:
    """The one JSON object that a command printed."""
    (answer,) = lines_of(result)
    return answer


# Help, and what there is


def test_help_lists_every_command(run):
    result = run("--help")
    assert result.code == 0
    assert all(name in result.out for name in COMMANDS)
    expected = {
        "games",
        "describe",
        "record",
        "replay",
        "transitions",
        "play",
        "solve",
        "exploit",
        "train",
        "best-response",
        "arena",
    }
    expected |= {"ladder", "policies", "bench", "benchmark", "warm", "export", "runs"}
    assert set(COMMANDS) == expected


def test_the_version_is_that_of_the_package(run):
    assert run("--version") == Result(0, f"{rat_envs.__version__}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_an_example(name, run):
    result = run(name, "--help")
    assert result.code == 0
    assert f"Example: rat-envs {name}" in " ".join(result.out.split())


def test_paragraphs_of_help_fill_the_terminal(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.strip() for line in run("arena", "--help").out.splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("As many agents as seats"))
    paragraph = lines[start : lines.index("", start)]
    assert len(paragraph) > 2
    for line, after in itertools.pairwise(paragraph):
        assert len(f"{line} {after.split()[0]}") > 78  # the next word had no room


@pytest.mark.parametrize("name", ["play", "arena"])
def test_help_says_what_else_is_trusted_of_a_file(name):
    (trust,) = (parameter for parameter in COMMANDS[name].params if parameter.name == "trust")
    assert "(--from" in trust.help
    assert "also run code that it names, and send your key to a server that it names." in trust.help


def test_help_of_training_names_every_option_of_every_learner(run):
    pytest.importorskip("sb3_contrib")
    from rat_envs.training.recommended import LEARNERS
    from rat_envs.training.settings import list_settings

    shown = " ".join(run("train", "--help").out.split())
    for learner, kind in LEARNERS.items():
        assert f"--set for {learner}: {', '.join(name for name, *_ in list_settings(kind))}." in shown


def test_games(run):
    listed = result_of(run("games", "--json"))
    assert [game["name"] for game in listed] == list(all_games())
    assert all(run("games").out.count(name) >= 1 for name in GAMES)


def test_describe(run):
    result = run("describe", "brave_rats")
    assert result.code == 0
    for words in ("# BraveRats", "`draw_pile`", "`own_hand`", "`play prince`", "`reveal spy`", "## Order of nodes"):
        assert words in result.out


def test_describe_shows_what_options_change(run, fails):
    described = run("describe", "comme_des_rats", "players=3", "die=[3,0,1,1,1]").out
    part = described[described.index("## These options") : described.index("## Options")]
    assert "| `players` | `3` | `4` |" in part
    assert "| `die` | `[3, 0, 1, 1, 1]` | `[1, 1, 2, 1, 1]` |" in part
    assert "`talk`" not in part and "- agents: `player_0`, `player_1`, `player_2`\n" in part
    game = all_games()["comme_des_rats"]
    assert f"- observation: {game.observation.itemsize} numbers, and {len(game.actions)} actions" in part
    assert "| `players` | `2` | `4` |" in run("describe", "rattus", "--players", "2").out
    assert "All options have their defaults." in run("describe", "brave_rats", "fast=false").out
    assert "These options" not in run("describe", "brave_rats").out
    assert 'fast="maybe": must be true or false' in fails("describe", "brave_rats", "fast=maybe")


@each_game
def test_describe_shows_every_option_field_and_action(game, run):
    described = run("describe", game).out
    declared = all_games()[game]
    for words in (*declared.configuration.options(), *declared.observation.names, *declared.metrics):
        assert words in described, words
    assert f"# {declared.title}" in described


# Errors and exit codes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("describe chess", "There is no game 'chess': the games are brave_rats"),
        ("record brave_rats slow=true", "Unknown option slow"),
        ("record brave_rats fast=maybe", 'fast="maybe": must be true or false'),
        ("record brave_rats hands=none", "must be one of clan, draft"),
        ("record brave_rats fast", "'fast' is not an option: write KEY=VALUE"),
        ("record rattus players=3 --players 4", "players is there twice: as an option and as --players"),
        ("record brave_rats --agent greedy", "1 agents for 2 seats"),
        ("record brave_rats --agent greedy --agent nobody", "There is no agent 'nobody'"),
        ("record brave_rats --agent greedy --agent me", "--agent me: nobody is asked here: name an agent"),
        ("play brave_rats --seat 2", "from 0 to 1"),
        ("play brave_rats --against nobody", "There is no agent 'nobody'"),
        ("play", "Missing argument GAME: name a game"),
        ("play --tables tables.jsonl", "--tables is for the browser: add --browser, and --folder DIR"),
        ("play --browser --tables t.jsonl --folder d --no-undo --label a=b", "--label, --undo: a file of tables says"),
        ("play brave_rats --shown-names you", "1 shown names for 2 seats: give one for each, as in you,opponent"),
        ("play brave_rats --from x --label a=1 --no-hints", "--label, --hints: a saved game says all that"),
        ("solve brave_rats draw_pile=true", "draw_pile=true"),
        ("exploit brave_rats hands=draft --agent random", "hands=draft"),
        ("exploit brave_rats --agent nobody", "There is no agent 'nobody'"),
        ("exploit brave_rats --agent nash --against nobody", "There is no agent 'nobody'"),
        ("arena brave_rats greedy", "Name at least two agents: 1 was given"),
        ("arena brave_rats greedy random fast=1", "fast=1: must be true or false"),
        ("arena brave_rats nash random draw_pile=true", "draw_pile=true"),
        ("bench --game chess", "There is no game 'chess'"),
        ("replay no_such_file.jsonl", "no_such_file.jsonl"),
        ("train chess", "There is no game 'chess'"),
        ("record brave_rats --players 3", "brave_rats is always for 2: leave out --players."),
        ("record comme_des_rats --players 7", "players=7: must be a whole number from 2 to 5"),
        ("record comme_des_rats --players 3 --agent greedy --agent loyal", "2 agents for 3 seats"),
        ("record comme_des_rats --players 2 --agent greedy --agent cautious", "There is no agent 'cautious'"),
        ("play comme_des_rats --players 3 --seat 3", "from 0 to 2"),
        ("arena brave_rats loyal random", "There is no agent 'loyal': the agents for brave_rats"),
        ("arena comme_des_rats greedy", "Name at least two agents: 1 was given"),
        ("arena brave_rats greedy oracle:sure=1,kind=2", "There is no agent 'oracle': the agents"),
        ("arena --from nothing.json", "There is no manifest file nothing.json."),
        ("arena comme_des_rats greedy random loyal --players 3 --games 3", "games=3: must be more than 3"),
        ("solve comme_des_rats --json", "the stocks and the cards in the piles are hidden"),
        ("exploit comme_des_rats --agent random players=2", "the stocks and the cards in the piles are hidden"),
        ("exploit rattus", "Take one of its positions (--preset small), or rat-envs best-response for a lower bound."),
        ("arena brave_rats greedy random --players 3", "brave_rats is always for 2: leave out --players."),
        ("arena brave_rats greedy nothing.safetensors", "There is no file nothing.safetensors."),
        ("train brave_rats hidden=3", "hidden is not an option of brave_rats but of a learner: write --set hidden=3."),
        ("arena comme_des_rats nash random --players 2", "the stocks and the cards in the piles are hidden"),
        ("train brave_rats --resume --folder no_such_folder", "no_such_folder"),
        ("train brave_rats --set hiden=[8]", "lookahead has no option 'hiden': did you mean 'hidden'?"),
        ("train rattus --random-weight 0.5", "ppo has no option 'random_weight': it is one of lookahead."),
        ("train brave_rats --set hidden=8", "hidden=8: must be a list of whole numbers in JSON"),
        ("train brave_rats --set minutes=8", "--set minutes: it has an argument of its own"),
        ("train rattus --set ray_workers=3", "ray_workers=3: these play on a Ray cluster alone: say which one, as in"),
        ("train rattus --set num_games=1.5", "num_games=1.5: must be a whole number"),
        ("train --list-options guessing", "maskable_ppo or lookahead or search"),
        ("train brave_rats --learner guessing", "maskable_ppo or lookahead or search"),
        ("train brave_rats --games 2", "games=2: must be more than 2"),
        ("train rattus --players 3 --games 3", "games=3: must be more than 3"),
        ("train rattus --learner lookahead", "only for brave_rats, not for rattus"),
    ],
)
def test_an_error_is_one_sentence(arguments, words, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in fails(*arguments.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--label participant", "--label: 'participant' must be KEY=VALUE, as in participant=P017."),
        ("--label a=1 --label a=2", "--label: the label 'a' is there twice."),
        ("--label 7=1", "--label: the label '7' must be letters, digits and _, as in participant."),
        ("--shown-names you,", "--shown-names: the shown name '' must have from 1 to 200 characters."),
    ],
)
def test_a_wrong_label_or_shown_name_is_named(arguments, words, run):
    result = run("play", "brave_rats", *arguments.split())
    assert result.code == 2 and words in " ".join(re.sub("[│╭─╮╰╯]", " ", result.err).split())


@pytest.mark.parametrize(
    "words",
    [
        ("play", "comme_des_rats", "'die=[2,1,1,1,1]'"),
        ("play", "comme_des_rats", "'die=[2,", "1,", "1,", "1,", "1]'"),
        ("arena", "brave_rats", "'ismcts:sims=100", "random"),
        ("train", "brave_rats", "--set", "'hidden=[8]'"),
        ("train", "brave_rats", "--set='hidden=[8]'"),
    ],
)
def test_single_quotes_that_the_shell_passes_on_are_said_to_be_there(words, run):
    result = run(*words)
    said = " ".join(re.sub("[│╭─╮╰╯]", " ", result.err).split())
    assert result.code == 2
    assert "this shell keeps single quotes: leave them out, or use double quotes." in said


@pytest.mark.parametrize(
    "command", ["record comme_des_rats", "play comme_des_rats", "arena comme_des_rats greedy random"]
)
@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("die=[1,1,2,1,0]", "die=[1, 1, 2, 1, 0]: must be 5 whole numbers from 0, the faces that show key1, key2, ste"),
        ("die=[0,0,2,2,2]", "with the sum 6 and at least one key."),
        ("die=six", 'die="six": must be 5 whole numbers'),
        ("doors=[5,4,3]", "doors=[5, 4, 3]: must be null, or 4 whole numbers from 0: trap, cheese1, cheese2, clover."),
        ("doors=[6,6,4,4]", "must be 15 cards in all, 3 traps or more among them, for the 3 piles of 2 players."),
        ("doors=[2,5,4,4]", "must be 15 cards in all, 3 traps or more among them, for the 3 piles of 2 players."),
        ('third_rat=["key1"]', 'third_rat=["key1"]: must be 6 texts, each with the faces key1, key2, steal, claw, hea'),
    ],
)
def test_a_wrong_component_table_is_one_sentence(command, table, words, fails):
    assert words in fails(*command.split(), "--players", "2", table)


def test_a_file_that_is_no_policy_is_refused(fails, tmp_path):
    path = tmp_path / "policy.safetensors"
    path.write_bytes(b"PK\x03\x04 cut off")
    assert "policy" in fails("exploit", "brave_rats", "--agent", str(path))


def test_a_file_that_could_execute_code_asks_for_trust(fails, tmp_path):
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_stable_baselines3_version", "2.9.2")
    assert "allow it with --trust" in fails("exploit", "brave_rats", "--agent", str(path))


@pytest.mark.parametrize(
    "arguments",
    [
        "chess",
        "describe",
        "record brave_rats --games 0",
        "record brave_rats --seed x",
        "games --nonsense",
        "arena",
        "arena brave_rats greedy random --match 0",
        "arena brave_rats greedy random --from manifest.json",
        "arena --from manifest.json --out folder",
        "arena brave_rats greedy random --ray local --workers 2",
        "train brave_rats --folder=",
    ],
)
def test_a_command_line_that_cannot_be_understood_is_exit_code_2(arguments, run):
    result = run(*arguments.split())
    assert result.code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("solve brave_rats --preset small --iterations 10", "--iterations: the method lp has none"),
        ("solve brave_rats --method cfr --seed 3", "--method, --seed: they are for a preset"),
        (
            "exploit comme_des_rats players=3 --preset small",
            "--preset: it has its own options: leave out players=3. (In Python",
        ),
        ("arena brave_rats greedy random --match 3", "--match: a tournament is played again with --from MANIFEST"),
        ("train", "GAME: name a game"),
    ],
)
def test_what_does_not_fit_together_is_named(arguments, words, run):
    result = run(*arguments.split())
    assert result.code == 2 and words in " ".join(result.err.replace("│", " ").split())
    assert "Usage:" in result.err


# Records


def test_export_writes_the_games_of_a_tournament(run, fails, tmp_path):
    folder, out = tmp_path / "three", tmp_path / "games.jsonl"
    arguments = ["brave_rats", "greedy", "random", "random", "fast=true", "--seed", "4", "--chunk", "2"]
    arena = run("arena", *arguments, "--games", "8", "--out", str(folder), "--json")
    records = lines_of(run("export", str(folder), "--match", "1", "--options"))
    assert [(record["match"], record["deal"]) for record in records] == [(1, deal // 2) for deal in range(8)]
    assert [record["agents"] for record in records] == 4 * [["greedy", "random (2)"], ["random (2)", "greedy"]]
    means = result_of(arena)["matches"][1]["mean_returns"]
    for name in means:
        own = [record["returns"][record["agents"].index(name)] for record in records]
        assert sum(own) / len(own) == pytest.approx(means[name]["mean"])
    result = run("export", str(folder), "--out", str(out))
    assert (result.code, result.out, result.err) == (0, f"{out}: 24 games.\n", "")
    assert run("replay", "--quiet", str(out)).out == "24 records agree with the rules.\n"
    assert "player_0: greedy; player_1: random" in run("replay", str(out), "--game-number", "1").out
    (folder / "chunks" / "match-1-chunk-1.safetensors").unlink()
    result = run("export", str(folder), "--match", "1")
    assert len(lines_of(result)) == 4 and result.err == "1 of 2 chunks have not been played yet.\n"
    assert "must be a number from 0 to 2" in fails("export", str(folder), "--match", "3")
    assert "is of the game brave_rats, not of rattus" in fails("export", str(folder), "--game", "rattus")
    assert "There is no manifest file" in fails("export", str(tmp_path))
    for file in (folder / "chunks").iterdir():
        file.unlink()
    assert "nothing of the tournament has been played yet" in fails("export", str(folder))


def test_export_writes_a_saved_game_that_is_over(run, fails, tmp_path):
    game, path = get_game("brave_rats"), tmp_path / "my.rat-game"
    session = Session(game, game.configuration.make({"fast": True}), ["greedy", "random"], 3)
    session.advance()
    SavedGame.of(session).write(path)
    (record,) = lines_of(run("export", str(path)))
    assert record == {**session.record(), "seed": 3, "game_id": "my"} and record["agents"] == ["greedy", "random"]
    (record,) = lines_of(run("export", str(path), "--options"))
    assert all("options" in step for step in record["steps"]) and replay(record).is_over
    wrong = run("export", str(path), "--match", "0")
    said = " ".join(re.sub("[│╭─╮╰╯]", " ", wrong.err).split())
    assert wrong.code == 2 and "is no folder of a tournament" in said
    session.take_back()
    SavedGame.of(session).write(path)
    assert "my.rat-game: The game is not over after its " in fails("export", str(path))
    path.write_text(path.read_text().replace('"seats":["greedy","random"]', '"seats":["greedy"]'))
    assert "It names 1 seat, but 2 play" in fails("export", str(path))
    assert "There is no saved game file" in fails("export", str(tmp_path / "none"))


def test_record_writes_one_game_a_line(run):
    records = lines_of(run("record", "brave_rats", "--games", "3", "--seed", "7"))
    assert len(records) == 3
    for record in records:
        assert record["format"] == "rat-record/1"
        assert record["config"] == {
            "hands": "clan",
            "traitor": False,
            "draw_pile": False,
            "fast": False,
            "emperor": False,
        }
        assert all(set(step) == {"actor", "action"} for step in record["steps"])


def test_record_writes_a_file_that_it_replaces_only_if_it_holds_records(run, fails, tmp_path):
    out, other = tmp_path / "new" / "games.jsonl", tmp_path / "notes.txt"
    arguments = ["record", "brave_rats", "--games", "2", "--out"]
    result = run(*arguments, str(out))
    assert (result.code, result.out) == (0, f"{out}: 2 games.\n")
    assert out.read_text(encoding="utf-8") == run("record", "brave_rats", "--games", "2").out
    assert run(*arguments, str(out), "--seed", "1").code == 0
    assert out.read_text(encoding="utf-8") == run("record", "brave_rats", "--games", "2", "--seed", "1").out
    for content in ("my notes\n", '{"format": "rat-game/1"}\n', "\xff"):
        other.write_text(content, encoding="latin-1")
        assert "that file holds something else than records: give another name" in fails(*arguments, str(other))
        assert other.read_text(encoding="latin-1") == content
    assert "that is no file" in fails(*arguments, str(tmp_path))


@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.NPZ"])
def test_record_writes_no_lines_of_json_into_a_file_of_arrays(name, fails, tmp_path):
    said = fails("record", "brave_rats", "--out", str(tmp_path / name))
    assert f"records are lines of JSON, so name it {tmp_path / 'x.jsonl'}; rat-envs transitions makes" in said
    assert not list(tmp_path.iterdir())


def test_records_become_transitions(run, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agents = ["--agent", "greedy", "--agent", "random"]
    assert run("record", "brave_rats", "--games", "5", *agents, "--probabilities", "--out", "games.jsonl").code == 0
    result = run("transitions", "games.jsonl", "--out", "data", "--games-per-file", "2")
    rows = list(load_transitions("data", check=True))
    number = sum(len(each["action"]) for each in rows)
    assert (result.code, result.out) == (0, f"data: 5 games, {number} transitions in 3 files.\n")
    assert all((each["probability"] > 0).all() for each in rows)
    assert run("transitions", "games.jsonl", "--out", "data", "--games-per-file", "2").out == result.out
    text = Path("games.jsonl").read_text(encoding="utf-8")
    assert run("transitions", "-", "--out", "other", "--games-per-file", "2", stdin=text).code == 0
    assert Path("other", "manifest.json").read_bytes() == Path("data", "manifest.json").read_bytes()
    assert "another number of games in each file: give another folder" in fails(
        "transitions", "games.jsonl", "--out", "data"
    )
    Path("games.jsonl").write_text(text[:-40], encoding="utf-8")
    said = fails("transitions", "games.jsonl", "--out", "cut", "--games-per-file", "2")
    assert "Line 5: not JSON" in said and len(list(load_transitions("cut"))) == 2
    assert "No such file" in fails("transitions", "none.jsonl", "--out", "new")


def test_games_of_a_tournament_become_transitions(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("arena", "brave_rats", "greedy", "random", "--games", "8", "--out", "runs").code == 0
    assert run("export", "runs", "--out", "games.jsonl").code == 0
    assert run("transitions", "games.jsonl", "--out", "data").out.startswith("data: 8 games, ")
    (rows,) = load_transitions("data")
    assert {(seat, agent) for seat, agent in zip(rows["seat"], rows["agent"], strict=True)} == {*np.ndindex(2, 2)}
    assert np.isnan(rows["probability"]).all()


def test_record_that_is_interrupted_keeps_the_games_that_are_over(run, tmp_path, monkeypatch):
    choose, left = Table.choose, [30]

    def interrupted(*arguments):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return choose(*arguments)

    monkeypatch.setattr(Table, "choose", interrupted)
    out = tmp_path / "games.jsonl"
    result = run("record", "brave_rats", "--games", "1000", "--out", str(out))
    number = len(out.read_text(encoding="utf-8").splitlines())
    said = (
        "Interrupted: the games that are over are kept. To go on, add their number to --seed, and give another --out.\n"
    )
    assert (result.code, result.out, result.err) == (1, f"{out}: {number} game{'s' * (number > 1)}.\n", said)
    assert number > 0 and run("replay", "--quiet", str(out)).code == 0
    held = out.read_bytes()
    for beside in (tmp_path / "games-1.jsonl", tmp_path / "games-2.jsonl"):
        left[0] = 30
        result = run("record", "brave_rats", "--games", "1000", "--seed", "5", "--out", str(out))
        number = len(beside.read_text(encoding="utf-8").splitlines())
        assert result.out.startswith(f"{beside}: {number} game") and result.code == 1
        assert result.out.endswith(f"{out}: the records that were there stay.\n")
        assert out.read_bytes() == held and run("replay", "--quiet", str(beside)).code == 0
    left[0] = 1
    assert run("record", "brave_rats", "--out", str(out)).out == f"{out}: the records that were there stay.\n"
    assert len(list(tmp_path.iterdir())) == 3
    left[0] = 1
    assert run("record", "brave_rats", "--out", str(tmp_path / "none.jsonl")).code == 1
    assert not (tmp_path / "none.jsonl").exists()


@pytest.mark.usefixtures("usual_signals")
@pytest.mark.parametrize("number", SENT)
def test_record_keeps_the_games_that_are_over_when_a_scheduler_ends_it(run, tmp_path, monkeypatch, number):
    choose, left = Table.choose, [30]

    def ended(*arguments):
        left[0] -= 1
        if not left[0]:
            signal.raise_signal(number)
        return choose(*arguments)

    monkeypatch.setattr(Table, "choose", ended)
    out = tmp_path / "games.jsonl"
    result = run("record", "brave_rats", "--games", "1000", "--out", str(out))
    assert result.code == 128 + number and result.err.startswith(
        "Interrupted: the games that are over are kept. To go on"
    )
    assert f"{out}: " in result.out
    held, left[0] = out.read_bytes(), 30
    assert held and run("record", "brave_rats", "--games", "1000", "--out", str(out)).out.endswith("were there stay.\n")
    assert out.read_bytes() == held


def test_games_that_cannot_take_the_place_of_others_are_named_where_they_are(run, tmp_path, monkeypatch):
    out, beside = tmp_path / "games.jsonl", tmp_path / "games-1.jsonl"
    assert run("record", "brave_rats", "--out", str(out)).code == 0
    held = out.read_bytes()

    def is_open(source, target, replace=os.replace):
        if source == beside:
            raise PermissionError(13, "Access is denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", is_open)
    result = run("record", "brave_rats", "--games", "3", "--out", str(out))
    said = f"{beside}: 3 games.\n{out}: the records that were there stay.\n"
    assert result == Result(1, said, f"Error: Access is denied: {out}.\n")
    assert out.read_bytes() == held and len(beside.read_text(encoding="utf-8").splitlines()) == 3


def test_record_takes_a_hyphen_for_standard_output(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("record", "brave_rats", "--out", "-").out == run("record", "brave_rats").out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_records_are_read_as_windows_and_editors_write_them(encoding, run, fails, tmp_path, monkeypatch):
    text = run("record", "brave_rats", "--games", "2").out.replace("\n", "\r\n")
    content = (codecs.BOM_UTF16_BE if encoding == "utf-16-be" else b"") + text.encode(encoding)
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    assert run("replay", "--quiet", str(path)).out == "2 records agree with the rules.\n"
    given = subprocess.run([*MAIN, "replay", "--quiet", "-"], input=content, capture_output=True)
    assert given.stdout.decode().splitlines() == ["2 records agree with the rules."]
    path.write_bytes(content[:-1] if encoding != "utf-8-sig" else content[:-5] + b"\xff")
    assert "Line" in fails("replay", str(path))


def test_record_reads_options_as_json_or_text(run):
    record = result_of(run("record", "brave_rats", "fast=true", "hands=draft", "emperor=false"))
    assert record["config"]["fast"] is True
    assert record["config"]["hands"] == "draft"


def test_record_with_options_lists_what_could_happen(run):
    record = result_of(run("record", "brave_rats", "--options", "hands=princess_attack"))
    lots, first = record["steps"][:2]
    assert lots["actor"] == "chance"
    assert lots["options"] == {"princes player_0": 1, "princes player_1": 1}
    assert first["actor"] == 0
    assert first["options"] == sorted(first["options"])
    assert first["action"] in first["options"]


def test_equal_seeds_give_equal_bytes(run):
    arguments = ["record", "brave_rats", "--games", "4", "hands=random", "draw_pile=true"]
    first = run(*arguments, "--seed", "5").out
    assert first == run(*arguments, "--seed", "5").out
    assert first != run(*arguments, "--seed", "6").out
    assert first.splitlines()[1] == run(*arguments, "--seed", "6").out.splitlines()[0], "game i has seed + i"


def as_words(config: dict) -> list[str]:
    """Options as they are written on a command line."""
    return [f"{name}={json.dumps(value)}" for name, value in config.items()]


@each_pair
def test_records_of_every_game_replay(game, config, run, tmp_path):
    written = run("record", game, "--games", "2", "--seed", "3", "--options", *as_words(config))
    for record in lines_of(written):
        assert record["game"] == game
        assert record["config"] == all_games()[game].configuration.make(config).to_dict()
        players = all_games()[game].configuration.make(config).players
        assert len(record["returns"]) == len(record["scores"]) == players
        assert {step["actor"] for step in record["steps"]} == {"chance", *range(players)} or game == "brave_rats"
    path = tmp_path / "games.jsonl"
    path.write_text(written.out)
    shown = run("replay", str(path))
    assert shown.code == 0
    assert f"Line 2: {game}" in shown.out
    assert shown.out.endswith("2 records agree with the rules.\n")
    assert run("replay", "--quiet", "-", stdin=written.out).out == "2 records agree with the rules.\n"


@pytest.mark.parametrize("players", [2, 3, 5])
def test_players_is_short_for_the_option(players, run):
    short = run("record", "comme_des_rats", "--players", str(players), "--seed", "2", "talk=true")
    assert result_of(short)["config"]["players"] == players
    assert short.out == run("record", "comme_des_rats", "--seed", "2", "talk=true", f"players={players}").out


def test_agents_of_a_game_for_more_players_are_seated_in_their_order(run):
    names = [word for name in ("loyal", "treacherous", "greedy") for word in ("--agent", name)]
    record = result_of(run("record", "comme_des_rats", "--players", "3", "--seed", "5", "talk=true", *names))
    said = {seat: {step["action"] for step in record["steps"] if step["actor"] == seat} for seat in range(3)}
    assert {word for word in said[1] if word.startswith("say")} == {"say peace"}
    assert {word for word in said[2] if word.startswith("say")} == {"say nothing"}
    assert not any(word in said[0] for word in ("say nothing", "say claw player_1"))


@each(LAST)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record: record["steps"][0].update(actor=1), "Step 1: the actor is 1, but chance is to act"),
        (lambda record: record["steps"].pop(), "The game is not over after its"),
        (lambda record: record.update(version=99), "The record is of version 99 of"),
        (lambda record: record.update(winners=[7]), "The record's winners are [7]"),
        (lambda record: record["returns"].append(0.0), "The record's returns are"),
        (lambda record: record["config"].update(players=9), "players"),
    ],
)
def test_replay_names_what_is_wrong_with_a_record_of_any_game(game, config, change, words, run, fails, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(run("record", game, "--seed", "4", "--options", *as_words(config)).out)
    error = fails("replay", "--quiet", str(changed(path, 1, change)))
    assert error.startswith("Error: Line 1: ")
    assert words in error


def test_record_with_agents(run):
    arguments = ["record", "brave_rats", "--games", "2", "--agent", "greedy", "--agent", "random"]
    first = run(*arguments)
    assert len(lines_of(first)) == 2
    assert first.out == run(*arguments).out
    openings = {record["steps"][0]["action"] for record in lines_of(first)}
    assert len(openings) == 1, "greedy always begins alike"
    assert [(record["agents"], record["seed"]) for record in lines_of(first)] == [
        (["greedy", "random"], 0),
        (["greedy", "random"], 1),
    ]


@pytest.mark.parametrize("agent", ["random", "nash", "ismcts:sims=10"])
def test_each_game_of_a_record_is_the_one_of_its_own_seed(run, agent):
    arguments = ["record", "brave_rats", "fast=true", "--agent", agent, "--agent", agent, "--seed"]
    series = run(*arguments, "7", "--games", "3").out.splitlines()
    assert series == [run(*arguments, str(seed)).out.strip() for seed in (7, 8, 9)]


def test_every_game_of_a_search_is_played_with_other_random_numbers(run):
    agents = ["--agent", "ismcts:sims=10", "--agent", "random"]
    games = lines_of(run("record", "brave_rats", *agents, "--games", "30"))
    assert len({game["steps"][0]["action"] for game in games}) > 2


@pytest.fixture
def records(run, tmp_path) -> Path:
    """A file of three good records."""
    path = tmp_path / "games.jsonl"
    path.write_text(run("record", "brave_rats", "--games", "3", "--seed", "7", "--options", "traitor=true").out)
    return path


def changed(path: Path, line: int, change) -> Path:
    """The file with the record in one line changed."""
    lines = path.read_text().splitlines()
    record = json.loads(lines[line - 1])
    change(record)
    lines[line - 1] = json.dumps(record)
    path.write_text("\n".join(lines) + "\n")
    return path


def test_replay_shows_and_counts(records, run):
    result = run("replay", str(records))
    assert result.code == 0
    assert "Line 3: brave_rats" in result.out
    assert "chance give " in result.out
    assert "won by" in result.out or "draw" in result.out
    assert result.out.endswith("3 records agree with the rules.\n")
    assert run("replay", "--quiet", str(records)).out == "3 records agree with the rules.\n"
    assert run("replay", "--quiet", "-", stdin=records.read_text()).out == "3 records agree with the rules.\n"


def test_replay_counts_what_it_has_checked(records, run, fails, tmp_path):
    result = run("replay", str(records), "--game-number", "2")
    assert "Line 2: " in result.out and "Line 1: " not in result.out
    assert result.out.endswith("3 records agree with the rules.\n")
    first = records.read_text().splitlines()[0]
    assert run("replay", "--quiet", "-", stdin=first).out == "1 record agrees with the rules.\n"
    (tmp_path / "empty").write_text("\n")
    assert fails("replay", str(tmp_path / "empty")).endswith("/empty holds no records.\n")
    assert fails("replay", "-") == "Error: Standard input holds no records.\n"


def test_replay_keeps_no_record_that_it_only_checks(run, monkeypatch):
    kept: list[weakref.ref] = []

    class Record(dict):
        """A dict that can be watched."""

    def checked_records(file, game):
        for line in range(1, 6):
            kept.append(weakref.ref(record := Record()))
            yield line, record, None
            del record
            assert sum(each() is not None for each in kept) <= 1

    monkeypatch.setattr("rat_envs.commands.records.checked_records", checked_records)
    assert run("replay", "--quiet", "x").out == "5 records agree with the rules.\n"


def test_replay_of_a_truncated_line(records, fails):
    text = records.read_text()
    records.write_text(text[: len(text) - 40])
    error = fails("replay", "--quiet", str(records))
    assert "Line 3: not JSON" in error
    assert "cut off" in error


def test_replay_of_another_game(records, fails):
    error = fails("replay", str(changed(records, 2, lambda record: record.update(game="chess"))))
    assert "Line 2: There is no game 'chess'" in error
    assert error.rstrip().endswith("--game FILE.py:GAME names a game in code.")


def test_replay_of_another_game_than_is_named(records, run, fails):
    assert run("replay", "--quiet", str(records), "--game", "brave_rats") == run("replay", "--quiet", str(records))
    error = fails("replay", str(records), "--game", "rattus")
    assert "Line 1: The record is of the game 'brave_rats', not of rattus." in error


def test_replay_of_another_version(records, fails):
    error = fails("replay", str(changed(records, 2, lambda record: record.update(version=99))))
    assert "Line 2: The record is of version 99 of brave_rats" in error


def test_replay_of_another_format(records, fails):
    error = fails("replay", str(changed(records, 1, lambda record: record.update(format="rat-record/0"))))
    assert "Line 1: not a record of the format 'rat-record/1'" in error


def test_replay_of_an_impossible_configuration(records, fails):
    error = fails("replay", str(changed(records, 1, lambda record: record["config"].update(fast="no"))))
    assert 'Line 1: fast="no": must be true or false' in error


def test_replay_of_an_illegal_step(records, fails):
    def play_twice(record):
        record["steps"][4] = {"actor": 0, "action": record["steps"][2]["action"]}

    error = fails("replay", str(changed(records, 2, play_twice)))
    assert "Line 2: Step 5: player_0 cannot do 'play " in error
    assert "possible are" in error


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record: record["steps"][0].update(actor=1), "Step 1: the actor is 1, but chance is to act"),
        (lambda record: record["steps"][2]["options"].pop(), "Step 3: the options are"),
        (lambda record: record["steps"].append({"actor": 0, "action": "play spy"}), "the game is over before this"),
        (lambda record: record["steps"].pop(), "The game is not over after its"),
        (lambda record: record.update(scores=[9, 9]), "The record's scores are [9, 9]"),
        (lambda record: record.pop("steps"), "has no list of steps"),
    ],
)
def test_replay_names_what_is_wrong(change, words, records, fails):
    error = fails("replay", "--quiet", str(changed(records, 1, change)))
    assert "Line 1: " in error
    assert words in error


# Play


#: Numbers that come round to every choice, whichever numbers the choices have.
NUMBERS = "".join(f"{number}\n" for number in range(12))


def test_play_to_the_end(run):
    result = run("play", "brave_rats", "--seed", "3", "--against", "random", stdin=NUMBERS * 40)
    assert result.code == 0
    assert result.out.count("Your choice") >= 2
    assert "You play " in result.out
    assert result.out.splitlines()[-1] in ("You win.", "player_1 wins.", "A draw.")


def test_letters_that_the_terminal_does_not_have_end_no_game(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", write_through=True)
    keyboard = io.TextIOWrapper(io.BytesIO(b"m\xfcsician\n" + b"x" * 100 + b"\nquit\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stdin", keyboard)
    monkeypatch.setattr(sys, "argv", ["rat-envs", "play", "brave_rats", "--seed", "3"])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    said = out.buffer.getvalue().decode("latin-1")
    assert "'m?sician' is none of your choices." in said and "xxx..." in said and "You leave the table." in said


@each_pair
def test_every_game_can_be_played_to_the_end(game, config, run):
    arguments = ["play", game, "--seat", "1", "--seed", "3", "--against", "random", *as_words(config)]
    result = run(*arguments, stdin=NUMBERS * 1000)
    assert result.code == 0
    assert result.out.count("Your choice") >= 2
    last = result.out.splitlines()[-1]
    assert last in ("You win.", "A draw.", "Nobody wins.") or " win" in last
    assert result.out == run(*arguments, stdin=NUMBERS * 1000).out, "the seed repeats the game"


def test_many_choices_are_set_in_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    few = Offer("?", tuple(Choice(k, words, "", str(k)) for k, words in enumerate(["Keep the dice", "Roll again"])))
    assert menu(few) == ["  0. Keep the dice", "  1. Roll again"]
    many = Offer("?", tuple(Choice(k, f"Place {'x' * (k // 4)} {k}", "", str(k)) for k in range(10, 40)))
    lines = menu(many)
    assert len(lines) < 30 and max(map(len, lines)) <= 100
    assert lines[0].startswith("  10. Place xx 10")
    assert all(f"{k}. Place {'x' * (k // 4)} {k}" in "\n".join(lines) for k in range(10, 40))


def test_play_with_several_players_by_notation(run, in_folder):
    arguments = ["play", "comme_des_rats", "--players", "3", "--seat", "2", "--seed", "3", "talk=true"]
    result = run(*arguments, stdin="Say Peace\nq\n")
    assert result.code == 0
    assert "player_2 (you)" in result.out
    assert "Promise to claw player_1" in result.out, "what can be said is listed"
    assert "You said: I would not claw player_0." in result.out
    assert result.out.endswith("You leave the table.\n")
    assert [path.name for path in in_folder.iterdir()] == ["comme_des_rats.rat-game"]


def test_play_by_notation_from_the_other_seat(run, in_folder):
    result = run("play", "brave_rats", "--seat", "1", "--seed", "3", stdin="Play Wizard\nq\n")
    assert "You play Wizard" in result.out
    assert "Applewood (player_1, red, you)" in result.out


def test_play_asks_again_after_a_wrong_answer(run):
    result = run("play", "brave_rats", "--seed", "3", stdin="8\n99\nplay chess\n\nkeep spy\nq\n")
    assert result.code == 0
    assert result.out.count("is none of your choices") == 3
    assert "The answer is empty. Write one of the numbers, or `help`." in result.out
    assert "'keep spy' is not possible now." in result.out
    assert "You leave the table." in result.out


def test_a_game_is_saved_and_gone_on_with(run, fails, tmp_path):
    path = tmp_path / "game"
    run("play", "brave_rats", "--seed", "3", stdin=f"5\nsave {path}\nq\n")
    again = run("play", "brave_rats", "--from", str(path), stdin="log\n" + NUMBERS * 40)
    assert again.code == 0 and "You play Wizard" in again.out and " win" in again.out.splitlines()[-1]
    assert "holds a game of 'brave_rats', not of rattus" in fails("play", "rattus", "--from", str(path))
    assert "There is no saved game file" in fails("play", "rattus", "--from", str(tmp_path / "other"))


def test_a_seed_that_is_not_given_has_64_bits(run, tmp_path):
    run("play", "brave_rats", stdin=f"save {tmp_path / 'game'}\nq\n")
    assert SavedGame.read(tmp_path / "game").seed >= 2**32, "by chance less comes once in 2**32 times"


def test_agents_are_watched(run):
    result = run("play", "brave_rats", "--seats", "greedy,random", "--watch", "--seed", "3")
    assert result.code == 0 and "Yarg plays" in result.out and "Your choice" not in result.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seats", "me"], "--seats names 1 for 2 seats: name one for each, as in me,greedy."),
        (["--seats", "me,greedy", "--against", "random"], "--seats names everybody: leave --against out."),
        (["--seats", "greedy,random"], "--seats has no me: add --watch to see agents play."),
        (["--seats", "me,random", "--watch"], "--watch: nobody watches who sits at the table"),
        (["--watch", "--against", "me"], "--watch: nobody watches who sits at the table: put an agent in place of me."),
        (["--watch", "--seat", "0"], "--watch: nobody watches who sits at the table: leave --seat out."),
        (["--seats", "greedy,me", "--seat", "0"], "--seats names everybody: leave --seat out."),
        (["--from", "x", "--watch"], "--watch: a saved game says all that: leave it out."),
        (["--pause", "3"], "--pause is for agents that are watched: leave it out."),
        (["--browser", "--pause", "3"], "--pause is for agents that are watched: leave it out."),
        (["--seats", "me,gredy"], "There is no agent 'gredy'"),
        (["--seat", "2"], "--seat 2: must be a number from 0 to 1."),
        (["--browser", "--from", "x"], "There is no saved game file x"),
        (["--browser", "--from", "x", "--seat", "1"], "--seat: a saved game says all that: leave it out."),
        (["--browser", "--continue", "--from", "x"], "--from names the game to go on with: leave --continue out."),
        (["--browser", "--continue", "--seed", "1"], "--seed: for a new game only: leave it or --continue out."),
        (["--browser", "--continue"], "holds no unfinished game of brave_rats: leave it out to begin one."),
        (["--continue"], "--continue: for a page in the browser only: add --browser, or leave it out."),
        (["--host", "1.2.3.4", "--no-open"], "--host, --open: for a page in the browser only: add --browser"),
        (["--from", "x", "--seats", "me,greedy"], "--seats: a saved game says all that: leave it out."),
        (["--browser", "--host", "no.such.host.invalid", "--no-open"], "Nothing can listen at 'no.such.host.invalid'"),
    ],
)
def test_play_refuses_what_does_not_fit_together(fails, arguments, sentence, tmp_path):
    folder = ["--folder", str(tmp_path)] if "--browser" in arguments else []
    assert sentence in fails("play", "brave_rats", *arguments, *folder)


def test_names_with_options_are_told_apart():
    assert split_names("me,ismcts:sims=10,rollout=greedy,me") == ["me", "ismcts:sims=10,rollout=greedy", "me"]
    assert split_names("greedy, me") == ["greedy", "me"]


@pytest.mark.parametrize("stdin", ["q\n", "quit\n", ""])
def test_play_can_be_left(stdin, run):
    result = run("play", "brave_rats", stdin=stdin)
    assert result.code == 0
    assert result.out.endswith("You leave the table.\n")


# Exact solutions, matches, training, speed


def test_solve(run):
    result = result_of(run("solve", "brave_rats", "fast=true", "--json"))
    assert abs(result["value"]) < 1e-9
    assert result["states"] > 100_000
    assert result["seconds"] > 0
    assert result["config"]["fast"] is True
    assert sum(result["first_move"].values()) == pytest.approx(1)
    assert set(result["first_move"]) <= {word.split()[1] for word in all_games()["brave_rats"].actions}
    assert result["mean_over_deals"] is None and result["by_deal"] is None
    table = run("solve", "brave_rats", "fast=true").out
    assert "value to player_0: " in table
    assert "probability" in table and "mean" not in table


def test_solve_says_what_is_a_mean_over_deals_and_what_is_right_after_each(run):
    arguments = "solve", "brave_rats", "fast=true", "hands=princess_attack"
    result = result_of(run(*arguments, "--json"))
    assert result["mean_over_deals"] == 2
    one, other = result["by_deal"]
    assert (one["outcomes"], other["outcomes"]) == (["princes player_0"], ["princes player_1"])
    assert one["value"] == pytest.approx(0.449614, abs=1e-6) == pytest.approx(-other["value"], abs=1e-6)
    assert one["probability"] == other["probability"] == 0.5
    assert "prince" in one["first_move"] and "prince" not in other["first_move"]
    for card, share in result["first_move"].items():
        halves = [0.5 * each["first_move"].get(card, 0) for each in (one, other)]
        assert share == pytest.approx(sum(halves))
    table = run(*arguments).out
    assert "+0.000000000, the mean over 2 deals;" in table and "first move, the mean over 2 deals" in table
    assert "princes player_0 (0.5000): value to player_0 +0.449613773" in table


def test_many_deals_and_those_in_different_orders_are_not_listed():
    nothing = None  # which is not asked
    assert after_each(nothing, [Deal(number, 0.05, (f"deal {number}",)) for number in range(20)]) is None
    assert after_each(nothing, [Deal(0, 0.5, ("deal 1",)), Deal(1, 0.5, None)]) is None


def test_exploit_against_another_agent(run):
    arguments = "exploit", "brave_rats", "fast=true", "--agent", "nash", "--against", "random"
    result = result_of(run(*arguments, "--json"))
    assert result["mean_return"] == pytest.approx(sum(result["returns"]) / 2) and min(result["returns"]) > 0.1
    said = run(*arguments).out
    assert f"mean return of nash against random: {result['mean_return']:+.9f}" in said
    assert f"{result['returns'][1]:+.9f} as player_1" in said


def test_exploit(run):
    result = result_of(run("exploit", "brave_rats", "fast=true", "--agent", "random", "--json"))
    assert 0 < result["exploitability"] < 1
    assert result["nash_conv"] == pytest.approx(2 * result["exploitability"])
    assert result["nash_conv"] == pytest.approx(sum(result["best_response_returns"]))
    assert result["agent"] == "random"


def test_exploit_with_many_seeds(run):
    arguments = "exploit", "brave_rats", "--preset", "small", "--agent", "ismcts:sims=10"
    one, again, many = (
        result_of(run(*arguments, *seeds, "--json"))["exploitability"]
        for seeds in ([], ["--seeds", "1"], ["--seeds", "8"])
    )
    assert one == again and many < one - 0.1, "a best response does not know what is drawn"


def test_arena(run):
    arguments = ["arena", "brave_rats", "greedy", "random", "--games", "200", "fast=true"]
    result = result_of(run(*arguments, "--json"))
    assert result["config"]["fast"] is True
    greedy, random = result["agents"]
    assert greedy["name"] == "greedy"
    assert greedy["games"] == 200
    assert greedy["wins"] + greedy["draws"] + greedy["losses"] == 200
    assert greedy["win_rate"]["low"] <= greedy["win_rate"]["mean"] <= greedy["win_rate"]["high"]
    assert greedy["mean_return"]["mean"] == pytest.approx(-random["mean_return"]["mean"])
    assert greedy["mean_return"]["mean"] > 0
    assert result == result_of(run(*arguments, "--json"))
    assert run(*arguments).code == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_arena_with_points_shares_and_what_the_game_counts(players, run):
    names = ["loyal", "treacherous", "greedy", "random"][:players]
    arguments = ["arena", "comme_des_rats", *names, "--players", str(players), "--games", "60", "talk=true"]
    result = result_of(run(*arguments, "--json"))
    assert result["config"]["players"] == players
    assert (result["games"], result["deals"]) == (60, 60 // players)
    assert [agent["name"] for agent in result["agents"]] == names
    metrics = list(all_games()["comme_des_rats"].metrics)
    scores = [agent["mean_score"]["mean"] for agent in result["agents"]]
    assert sum(scores) == pytest.approx(result["welfare"]["mean"])
    assert result["welfare"]["low"] < result["welfare"]["mean"] < result["welfare"]["high"]
    for agent in result["agents"]:
        assert list(agent["metrics"]) == metrics
        assert [seat["seat"] for seat in agent["seats"]] == list(range(players))
        for seat in agent["seats"]:
            assert list(seat["metrics"]) == metrics
            assert 0 <= seat["win_share"] <= 1
    loyal, treacherous = (agent["metrics"] for agent in result["agents"][:2])
    assert loyal["promises kept"] == loyal["promises tested"] > 0
    assert treacherous["promises kept"] == 0 < treacherous["promises tested"]
    assert result == result_of(run(*arguments, "--json"))
    shown = run(*arguments).out
    points, decisions = (f"{result[name]['mean']:.{digits}f}" for name, digits in (("welfare", 2), ("length", 1)))
    last = f"Points of all seats together: {points} a game. Decisions: {decisions} ("
    assert shown.splitlines()[-1].startswith(last)
    for words in ("points", "win share", "promises", "tested", "kept", "cat at", "chosen as"):
        assert words in shown, words
    rows = [line.strip("│ ").split("│") for line in shown.splitlines() if line.startswith("│")]
    counted = [[cell.strip() for cell in row] for row in rows if len(row) == 4 + len(metrics)]
    of_loyal = [row for row in counted if row[0] == "loyal"]
    assert of_loyal[-1][1:3] == ["all", f"{scores[0]:.2f}"]
    assert of_loyal[-1][4:] == [f"{mean:.2f}" for mean in loyal.values()]
    assert len(of_loyal) == players + 1


def test_arena_of_a_game_that_counts_nothing_has_one_table(run):
    shown = run("arena", "brave_rats", "greedy", "random", "--games", "40").out
    assert "win share" not in shown
    assert "Points of all seats together: " in shown.splitlines()[-1]


def test_arena_of_more_agents_than_seats_is_a_tournament(run):
    names = ["treacherous", "greedy", "random", "loyal"]
    arguments = ["arena", "comme_des_rats", *names, "--players", "3", "--games", "30", "talk=true"]
    result = result_of(run(*arguments, "--json"))
    assert (result["deals"], result["games"], len(result["matches"])) == (10, 4 * 30, 4)
    assert list(result["pairwise"]) == list(result["ratings"]) == list(result["alpha_rank"]) == names
    assert sum(result["alpha_rank"].values()) == pytest.approx(1)
    shown = run(*arguments).out
    for words in ("mean return less that of", "rating (mu)", "sigma", "alpha-rank", "promises"):
        assert words in shown, words
    assert f"{result['ratings']['loyal']['mu']:.2f}" in shown


def test_arena_is_kept_gone_on_with_and_played_again(run, fails, tmp_path):
    out = tmp_path / "out"
    arguments = [
        "arena",
        "brave_rats",
        "greedy",
        "random",
        "greedy",
        "--games",
        "20",
        "--out",
        str(out),
        "--chunk",
        "4",
    ]
    assert "There is no agent 'gredy'" in fails(*arguments, "gredy")
    assert not out.exists()
    first = result_of(run(*arguments, "--json"))
    assert result_of(run(*arguments, "--json")) == first == json.loads((out / "results.json").read_text())
    assert (out / "heatmap.png").read_bytes().startswith(b"\x89PNG")
    assert "holds a tournament with another seed" in fails(*arguments, "--seed", "1")

    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["command"] == " ".join(["rat-envs", *arguments, "--json"])
    assert manifest["records"] == first["records"]
    again = ["arena", "--from", str(out / "manifest.json")]
    assert result_of(run(*again, "--json")) == {"games": 60, "records": first["records"], "agrees": True}
    second = first["matches"][1]["records"]
    assert run(*again, "--match", "1").out == f"The same 20 games: the hash of their records is {second}.\n"
    assert run("arena", "brave_rats", *again[1:], "--match", "1").out.endswith(f"{second}.\n")
    assert "is of the game brave_rats, not of rattus." in fails("arena", "rattus", *again[1:])
    for option in ("--games", "--final-draws"):
        refused = run(*again, option, "5")
        assert refused.code == 2 and f"leave out {option}" in refused.err
    refused = run("arena", "brave_rats", "nash", *again[1:])
    assert refused.code == 2 and "leave out AGENT" in refused.err
    (out / "manifest.json").write_text(json.dumps({**manifest, "seed": 1}))
    assert "Match 0 (greedy, random) has other records than the manifest says." in fails(*again)


def test_arena_without_its_extra_says_what_is_missing(run, tmp_path, monkeypatch):
    for name in ("openskill.models", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    arguments = ["arena", "brave_rats", "greedy", "random", "--games", "20", "--out", str(tmp_path)]
    result = run(*arguments)
    assert result.code == 0
    assert "alpha-rank" in result.out
    assert result.err.splitlines() == [
        f"Rating needs openskill: {install_command('arena')}",
        f"The heatmap needs matplotlib: {install_command('arena')}",
    ]
    assert result_of(run(*arguments, "--json"))["ratings"] is None


@pytest.mark.filterwarnings("ignore")
def test_train_saves_a_policy_that_other_commands_take(run, tmp_path):
    folder = tmp_path / "run"
    arguments = ["train", "brave_rats", "--folder", str(folder), "--games", "20", "hands=draft", "fast=true", "--json"]
    result = result_of(run(*arguments, "--steps", "32768", "--minutes", "5"))
    assert result["steps"] == 32768
    assert set(result["against"]) == {"random", "greedy"}, "there is no exact equilibrium of a draft"
    assert Path(result["policy"]).is_file()
    record = result_of(run("record", "brave_rats", "--agent", result["policy"], "--agent", "random", "hands=draft"))
    assert record["config"]["hands"] == "draft"
    assert "interrupted" in result


@pytest.mark.filterwarnings("ignore")
def test_train_shows_a_network_earlier_decisions_and_other_commands_do_so_too(run, tmp_path):
    few = ["num_games=16", "steps_per_update=16", "minibatch=64", "evaluations=1"]
    chosen = ["--learner", "ppo", *(word for setting in few for word in ("--set", setting))]
    arguments = ["train", "brave_rats", "fast=true", "--folder", str(tmp_path / "run"), "--games", "20", "--json"]
    result = result_of(run(*arguments, *chosen, "--set", "recall=2", "--steps", "512"))
    assert set(result["against"]) == {"random", "greedy", "nash"} and result["curve"]
    assert "exploitability" not in result, "its policy is not a function of what a seat sees now"
    policy, games = result["policy"], tmp_path / "games.jsonl"
    header = read_archive(policy, "rat-recall/1", "policy")[0]
    assert header["recall"] == 2
    assert header["training"]["options"]["minutes"] is None, "steps alone end a run of steps"
    games.write_text(run("record", "brave_rats", "fast=true", "--agent", policy, "--agent", "random").out)
    assert run("replay", str(games), "--html", str(tmp_path / "page.html"), "--explain", policy).code == 0
    other = run(*arguments, *chosen, "--set", "recall=3", "--steps", "1024", "--resume")
    assert other.code == 1 and "was trained with recall=2, not 3" in other.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 1), *((number, 128 + number) for number in SENT)])
@pytest.mark.parametrize("command", ["train", "best-response"])
@pytest.mark.usefixtures("usual_signals")
def test_training_that_is_interrupted_says_how_it_goes_on(run, tmp_path, monkeypatch, command, number, code):
    report = training_run.report
    monkeypatch.setattr(training_run, "report", lambda *of: (signal.raise_signal(number), report(*of))[1])
    folder = tmp_path / "run"
    result = run(command, "brave_rats", "--folder", str(folder), "--steps", "10000000", "--games", "20", "--json")
    assert result.code == code and "go on with --resume.\n" in result.err
    said = json.loads(result.out)
    assert said["interrupted"] and said["steps"] > 0
    assert (folder / "checkpoint.safetensors").is_file()


#: A learner that is done in a second.
FEW = [
    *("--learner", "ppo", "--set", "num_games=16", "--set", "steps_per_update=16", "--set", "minibatch=64"),
    *("--set", "evaluations=1", "--set", "teacher_steps=0", "--games", "20", "--steps", "1024"),
]


@pytest.mark.parametrize("command", ["train", "best-response"])
@pytest.mark.usefixtures("usual_signals")
@pytest.mark.filterwarnings("ignore")
def test_the_same_command_begins_goes_on_and_ends_well(run, tmp_path, monkeypatch, command):
    folder = tmp_path / "run"
    few = [*FEW, "--set", "preset=small"] if command == "train" else ["--minutes", "0.001", "--games", "20"]
    arguments = [command, "brave_rats", "--folder", str(folder), "--continue", *few]
    folder.mkdir()  # a run that was killed before its first checkpoint
    report = training_run.report
    with monkeypatch.context() as patch:
        patch.setattr(training_run, "report", lambda *of: (signal.raise_signal(signal.SIGTERM), report(*of))[1])
        patch.setattr(training_run.Run, "fraction", lambda run: 0.0)
        result = run(*arguments)
    assert result.code == 128 + signal.SIGTERM and "the same command goes on.\n" in result.err
    updates = read_archive(folder / "checkpoint.safetensors", "rat-training/10", "checkpoint")[0]["counters"]["updates"]
    assert updates == 1
    assert run(*arguments).code == 0
    counters = read_archive(folder / "checkpoint.safetensors", "rat-training/10", "checkpoint")[0]["counters"]
    assert counters["steps"] >= 1024 and not (folder / "previous").exists()
    again = run(*arguments)
    assert again.code == 0 and again.out
    assert read_archive(folder / "checkpoint.safetensors", "rat-training/10", "checkpoint")[0]["counters"] == counters


@pytest.mark.filterwarnings("ignore")
def test_results_are_kept_and_gathered(run, fails, tmp_path):
    place = tmp_path / "runs"
    arguments = ["train", "brave_rats", *FEW, "--set", "preset=small", "--json", "--folder"]
    first = result_of(run(*arguments, str(place / "a"), "--seed", "1000"))
    assert json.loads((place / "a" / "result.json").read_text(encoding="utf-8")) == first
    assert first["learner"] == "ppo" and first["seed"] == 1000 and first["config"]["hands"] == "clan"
    assert first["settings"]["num_games"] == 16 and first["budget"] == {"minutes": None, "steps": 1024}
    assert {"rat_envs", "python", "numpy", "torch"} < first["versions"].keys() and "--seed 1000" in first["command"]
    assert first["against"]["random"]["mean_return"].keys() == {"mean", "low", "high"} and first["exploitability"]
    second = result_of(run(*arguments, str(place / "b"), "--seed", "2000", "--set", "learning_rate=0.125"))
    (place / "c").mkdir()
    (place / "c" / "policy.safetensors").write_bytes((place / "a" / "policy.safetensors").read_bytes())
    (place / "d").mkdir()
    (place / "d" / "result.json").write_text('{"format": 1}', encoding="utf-8")
    said = lines_of(run("runs", str(place), "--json"))[0]
    assert [each["state"] for each in said] == ["measured", "measured", "unmeasured", "damaged"]
    assert said[1] == {**second, "folder": str(place / "b"), "state": "measured"}
    assert said[2]["seed"] == 1000 and said[2]["steps"] == 1024 and said[2]["settings"] == first["settings"]
    _, *rows = csv.reader(table := run("runs", str(place), "--csv").out.splitlines())
    (head,) = csv.reader(table[:1])
    assert [row[head.index("learning_rate")] for row in rows] == ["0.001", "0.125", "0.001", ""]
    assert rows[1][head.index("mean_return_random_low")] == str(second["against"]["random"]["mean_return"]["low"])
    shown = run("runs", str(place))
    assert shown.code == 0 and "not measured" in shown.out and "num_games" not in shown.out
    assert "result.json is damaged (it['format'] is 1 and not a text)" in " ".join(shown.out.split())
    assert run("runs", str(place), "--csv", "--json").code == 2
    assert "holds no runs" in fails("runs", str(place / "a" / "tensorboard"))
    assert "There is no folder" in fails("runs", str(tmp_path / "nowhere"))


@pytest.mark.filterwarnings("ignore")
def test_a_result_is_of_the_policy_beside_it(run, tmp_path, monkeypatch):
    from rat_envs.commands import train

    folder, measured = tmp_path / "run", train.measure
    arguments = ["train", "brave_rats", *FEW, "--set", "preset=small", "--folder", str(folder)]
    assert run(*arguments).code == 0
    held = (folder / "result.json").read_bytes()

    def interrupted(*of):
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(train, "measure", interrupted)
    result = run(*arguments, "--resume", "--steps", "2048")
    assert result.code == 128 + signal.SIGTERM
    said = (
        f"Interrupted: the policy is saved in {folder / 'policy.safetensors'}, and the same with --resume measures it"
    )
    assert result.err.endswith(f"{said}.\n")
    assert (folder / "result.json").read_bytes() == held and "trained since it was" in run("runs", str(folder)).out
    policy = (folder / "policy.safetensors").read_bytes()

    def trained_by_another(*of):
        (folder / "policy.safetensors").write_bytes(policy[:-1])
        return measured(*of)

    monkeypatch.setattr(train, "measure", trained_by_another)
    result = run(*arguments, "--resume", "--steps", "4096")
    assert result.code == 1 and "against" in result.out and "holds another policy by now" in result.err
    assert (folder / "result.json").read_bytes() == held
    (folder / "policy.safetensors").write_bytes(policy)
    monkeypatch.setattr(train, "measure", measured)
    assert run(*arguments, "--replace").code == 0
    assert (folder / "previous" / "result.json").read_bytes() == held and (folder / "result.json").exists()
    assert len(lines_of(run("runs", str(tmp_path), "--json"))[0]) == 1, "what was replaced is not listed"


@pytest.mark.parametrize("command", ["train", "best-response"])
@pytest.mark.parametrize("beside", ["--resume", "--replace"])
def test_a_run_is_gone_on_with_or_begun_and_nothing_else(run, command, beside):
    result = run(command, "brave_rats", "--continue", beside)
    assert result.code == 2 and "Invalid value for --continue: it goes on" in result.err


def test_shipping_that_is_interrupted_exits_as_training_does(run, tmp_path, monkeypatch):
    class Result:
        ended_by = SENT[0]

    monkeypatch.setattr("rat_envs.commands.policies.demand_clone", lambda what: tmp_path)
    monkeypatch.setattr(training_run, "train", lambda *_: Result)
    result = run("policies", "brave_rats")
    assert (result.code, result.err) == (128 + SENT[0], "Interrupted: the same command goes on.\n")


@pytest.mark.filterwarnings("ignore")
def test_train_measures_the_exploitability_of_the_position_that_was_learnt(run, tmp_path):
    few = ["preset=small", "num_games=16", "steps_per_update=16", "minibatch=64", "evaluations=1", "teacher=random"]
    chosen = ["--learner", "ppo", *(word for setting in few for word in ("--set", setting))]
    arguments = ["train", "brave_rats", "--folder", str(tmp_path / "run"), "--games", "20", *chosen]
    result = run(*arguments, "--steps", "512")
    said = result.out
    assert "random is not imitated, because teacher_steps is 0" in result.err
    policy = str(tmp_path / "run" / "policy.safetensors")
    exact = result_of(run("exploit", "brave_rats", "--preset", "small", "--agent", policy, "--json"))["exploitability"]
    assert re.search(rf"exact exploitability of the preset small: 0\.\d+ before training, {exact:.4f} after", said)
    assert "against, in whole games" in said


@pytest.mark.filterwarnings("ignore")
def test_train_looks_ahead_where_nothing_but_choices_is_hidden(run, tmp_path, monkeypatch):
    folder = tmp_path / "run"
    arguments = ["train", "brave_rats", "--folder", str(folder), "--games", "20", "fast=true", "--json"]
    result = result_of(run(*arguments, "--steps", "16384", "--random-weight", "0.2"))
    assert result["learner"] == "lookahead" and result["steps"] == 16384
    assert set(result["against"]) == {"random", "greedy", "nash"}
    assert 0 < result["exploitability"]["after"] <= 1
    assert read_archive(result["policy"], "rat-lookahead/2", "policy")[0]["random_weight"] == 0.2
    assert "<svg" in Path(result["curve"]).read_text(encoding="utf-8")
    again = run(*arguments, "--steps", "16384", "--resume", "--learner", "maskable_ppo")
    assert again.code == 1 and "is of the learner 'lookahead', not 'maskable_ppo'" in again.err
    monkeypatch.setattr("rat_envs.commands.train.measure", lambda *_: {"against": {}})  # it was measured above
    spent = run(*arguments, "--steps", "16384", "--resume", "--random-weight", "0.2")
    assert spent.code == 0 and "the budget was spent already (16,384 steps in" in spent.err
    assert "holds a run: go on with it (--resume)" in run(*arguments, "--steps", "16384").err


def test_train_lists_the_options_of_a_learner(run):
    result = run("train", "--list-options", "maskable_ppo")
    assert result.code == 0
    words = " ".join(result.out.split())
    assert "entropy_coefficient │ 0.005 │ weight of the entropy, which keeps the" in words
    assert "random: 0" not in words and "minutes │" not in words


def test_train_lists_the_options_of_a_learner_with_the_values_of_a_game(run):
    of_all, in_rattus = (
        " ".join(run("train", *game, "--list-options", "ppo").out.split()) for game in ([], ["rattus"])
    )
    assert "margin_weight │ 0.0 │" in of_all and "margin_weight │ 0.5 │" in in_rattus
    assert "opponents │ {} │" in of_all and '"greedy":' in in_rattus and "in rattus" in in_rattus


def test_bench(run, monkeypatch):
    from rat_envs import benchmarks
    from rat_envs.benchmarks import starting

    everything = benchmarks.run_benchmarks
    monkeypatch.setattr(benchmarks, "run_benchmarks", lambda game, peers, effort: everything(game, peers, effort / 20))
    monkeypatch.setattr(starting, "_seconds", lambda code, cache=None: 0.5)  # .ci/run measures it
    rows = result_of(run("bench", "--quick", "--json", "--game", "brave_rats"))
    assert all(set(row) == {"what", "value", "unit", "beside", "ratio", "reach"} for row in rows)
    assert all(row["value"] > 0 for row in rows)
    for words in ("Batch of 4,096", "agent_iter loop", "MaskablePPO", "import rat_envs", "warm cache", "no cache"):
        assert any(words in row["what"] for row in rows), words


# The command as a process


def test_the_entry_point_is_installed_as_declared():
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    assert 'rat-envs = "rat_envs.commands.main:main"' in text


def test_the_package_is_the_command():
    process = subprocess.run([sys.executable, "-m", "rat_envs", "--help"], capture_output=True, text=True)
    assert process.returncode == 0
    assert "Usage: rat-envs [OPTIONS] COMMAND" in process.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_is_shown_for_every_shell(shell, run, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    result = run("--show-completion", shell)
    assert result.code == 0
    assert "_RAT_ENVS_COMPLETE" in result.out


def test_the_shell_completes_commands(run, monkeypatch):
    asked = {"_RAT_ENVS_COMPLETE": "complete_bash", "COMP_WORDS": "rat-envs re", "COMP_CWORD": "1"}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    assert run().out.split() == ["record", "replay"]


def test_output_in_a_pipe_is_the_same_in_another_process(run):
    arguments = ["record", "brave_rats", "--games", "2", "--seed", "1", "draw_pile=true"]
    process = subprocess.run([*MAIN, *arguments], capture_output=True, text=True)
    assert process.returncode == 0
    assert process.stderr == "", "nothing but the records"
    assert process.stdout == run(*arguments).out


@pytest.mark.skipif(os.name != "posix", reason="pipes of the shell")
def test_a_reader_that_goes_away_is_no_error():
    writer = subprocess.Popen(
        [*MAIN, "record", "brave_rats", "--games", "100000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    json.loads(writer.stdout.readline())
    writer.stdout.close()
    assert writer.wait(timeout=60) == 1
    assert writer.stderr.read() == ""
    writer.stderr.close()


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C of a terminal")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 1), *((number, 128 + number) for number in SENT)])
@pytest.mark.usefixtures("usual_signals")
def test_a_signal_in_the_arena_keeps_what_has_been_played(tmp_path, number, code):
    """The signal goes to all processes, as from a terminal, and from a scheduler; there is work for minutes, all of it
    for workers."""
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # tests in the background ignore it
        "from rat_envs.arena import workers; workers.SECONDS_HERE = 0\n"
        "from rat_envs.commands.main import main; main()"
    )
    arguments = ["arena", "brave_rats", "greedy", "random", "--games", "4000000", "--chunk", "50", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments, "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    chunks = tmp_path / "out" / "chunks"
    while process.poll() is None and (not chunks.is_dir() or len(os.listdir(chunks)) < 3):
        time.sleep(0.05)
    os.killpg(process.pid, number)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out) == (code, "")
    assert err == f"Interrupted: the same command goes on from what is in {tmp_path / 'out'}.\n"
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_an_interrupted_ladder_says_where_it_goes_on(run, tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    written: list[Path] = []
    monkeypatch.setattr("rat_envs.ladder.climb.climb", interrupted)
    monkeypatch.setattr("rat_envs.commands.ladder.demand_clone", lambda what: tmp_path)
    monkeypatch.setattr("rat_envs.commands.ladder.write_pages", written.append)
    result = run("ladder")
    assert result.code == 1 and written == [tmp_path / "docs"]
    kept = tmp_path / "runs" / "matches_of_the_ladder"
    assert result.err == f"Interrupted: the same command goes on from what is in {kept}.\n"


def test_an_error_in_a_process():
    process = subprocess.run([*MAIN, "describe", "chess"], capture_output=True, text=True)
    assert process.returncode == 1
    assert process.stdout == ""
    assert process.stderr.startswith("Error: There is no game 'chess'")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_letters_that_the_output_lacks_end_no_command(encoding):
    """As on Windows, where a pipe has another encoding than UTF-8."""
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "rat_envs", "describe", "brave_rats"]
    ended = subprocess.run(command, capture_output=True, env=environment)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"\xe2" not in ended.stdout and b"\\u" not in ended.stdout


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["games"], "| 2-5 "),
        (["play", "--help"], "+- Options ---"),
        (["describe", "comme_des_rats"], "`player_0` ... `player_4`, 2 ... 5 of them"),
        (["play", "comme_des_rats"], " * Cheese is worth one or two points."),
    ],
    ids=lambda each: "-".join(each) if isinstance(each, list) else "",
)
def test_letters_that_the_output_lacks_are_replaced_by_some_that_look_like_them(command, said):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    line = [sys.executable, "-m", "rat_envs", *command]
    ended = subprocess.run(line, input="rules\nquit\n", capture_output=True, env=environment, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert said in ended.stdout and ended.stdout.isascii() and "\\u" not in ended.stdout


@pytest.mark.skipif(os.name != "posix", reason="a shell of another kind")
@pytest.mark.parametrize(
    ("command", "said"), [("games >&-", ""), ("replay - <&-", "Error: Standard input holds no records.")]
)
def test_closed_streams_end_no_command_with_a_traceback(command, said):
    line = f"{shlex.quote(sys.executable)} -m rat_envs {command}"
    ended = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert ended.stderr.strip() == said
