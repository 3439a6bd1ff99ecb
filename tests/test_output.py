"""What commands print beside text: names stand there as they are written, whatever marks of rich are in them."""

from __future__ import annotations

import errno
import sys
from functools import partial
from pathlib import Path

import pytest
from numba import njit
from rich.console import Console

import rat_envs
from rat_envs.command_line import run_alone
from rat_envs.commands.output import counted, print_numbers, print_table, waiting
from rat_envs.engine.compile import compiling
from rat_envs.look_alikes import IN_ASCII, LOOK_ALIKES
from rat_envs.shells import as_typed

NAMES = ["own.py:Rat:bias=0.9", "runs/[v1]/p.safetensors", "runs/a[/b].safetensors", "[red]", "[/x]"]


@pytest.mark.parametrize("name", NAMES)
def test_names_in_tables_stand_as_they_are_written(name, capsys):
    print_table(("agent",), [(name,)])
    print_table((name,), [("agent",)])
    assert capsys.readouterr().out.count(name) == 2


@pytest.mark.parametrize("name", NAMES)
def test_progress_on_a_terminal_takes_any_name(name, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    with counted(f"solving {name}") as progress:
        progress(1, 2)
    assert f"solving {name}" in capsys.readouterr().err
    with waiting(f"playing against {name}"):
        pass
    assert f"playing against {name}" in capsys.readouterr().err


def test_progress_in_a_log_is_a_line_now_and_then(capsys, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("rat_envs.log_lines.time.monotonic", lambda: clock[0])
    with counted("playing") as progress:
        for second in range(0, 150, 10):
            clock[0] = second
            progress(10 * second, 2000)
    assert capsys.readouterr().err == "playing: 600 of 2,000\nplaying: 1,200 of 2,000\n"


@pytest.mark.skipif(not compiling(), reason="nothing is compiled")
def test_a_rule_that_cannot_be_compiled_ends_a_command_in_a_sentence(capsys):
    def command() -> None:
        """Call what Numba cannot compile."""
        njit(lambda number: number.nothing)(3)

    with pytest.raises(SystemExit, match="1"):
        run_alone(command, "compile", [])
    said = capsys.readouterr().err
    assert said.startswith("Error: Numba cannot compile a function (Unknown attribute 'nothing' of type int64")
    assert said.endswith("; if it is a game's, rat_envs.testing.check_game says which.\n") and said.count("\n") == 1


def test_any_other_fault_of_ours_is_shown_as_it_is():
    def command() -> None:
        """Divide by nothing."""
        raise ZeroDivisionError("by nothing")

    with pytest.raises(ZeroDivisionError, match="by nothing"):
        run_alone(command, "divide", [])


def test_numbers_are_never_folded_and_names_are(capsys):
    names = [f"agent {number} of some folder" for number in range(12)]
    rows = [[name, *12 * ["-0.050 ± 0.616"]] for name in names]
    print_numbers(["less that of", *names], rows)
    out = capsys.readouterr().out
    assert out.count("-0.050 ± 0.616") == 144 and "agent 11 of" in out


def test_what_does_not_fit_a_terminal_is_said(monkeypatch, capsys):
    monkeypatch.setattr("rat_envs.commands.output.Console", partial(Console, force_terminal=True, width=120))
    print_numbers(["who", *"abcdefghijkl"], [["x", *12 * ["-0.050 ± 0.616"]]], "It is too wide.")
    print_numbers(["who", "a"], [["x", "-0.050 ± 0.616"]], "It is too wide.")
    out = capsys.readouterr().out
    assert out.startswith("It is too wide.\n") and out.count("too wide") == 1 and out.count("-0.050 ± 0.616") == 1
    print_numbers(["who", *"abcdefghijkl"], [["x", *12 * ["-0.050 ± 0.616"]]], fold=True)
    folded = capsys.readouterr().out
    assert folded.count("-0.050") == 12 and "0.050 ± 0.616" not in folded


# Other systems


@pytest.mark.parametrize(("system", "said"), [("win32", ""), ("linux", "Error: Invalid argument: the output.\n")])
def test_a_closed_pipe_of_windows_ends_a_command_in_silence(system, said, capsys, monkeypatch):
    def command() -> None:
        """Print to nobody."""
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("rat_envs.command_line.drop_output", lambda: None)
    with pytest.raises(SystemExit, match="1"):
        run_alone(command, "print", [])
    assert capsys.readouterr().err == said


def test_a_file_whose_name_windows_cannot_have_is_named_there(capsys, monkeypatch):
    def command() -> None:
        """Open a file of an impossible name."""
        raise OSError(errno.EINVAL, "Invalid argument", "a?b")

    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit, match="1"):
        run_alone(command, "open", [])
    assert capsys.readouterr().err == "Error: Invalid argument: a?b.\n"


def test_commands_are_written_as_the_shells_of_the_system_read_them(monkeypatch):
    words = ["rat-envs", "play", "brave_rats", "--from"]
    monkeypatch.setattr(sys, "platform", "win32")
    assert as_typed([*words, r"games\one.rat-game"]) == r"rat-envs play brave_rats --from games\one.rat-game"
    assert as_typed([*words, r"my games\one"]) == r'rat-envs play brave_rats --from "my games\one"'
    monkeypatch.setattr(sys, "platform", "linux")
    assert as_typed([*words, "my games/one"]) == "rat-envs play brave_rats --from 'my games/one'"


# Letters that the output's encoding lacks


def test_ours_have_look_alikes_and_others_their_number():
    written = "2–5 × 3 ± 0.5 … “it’s” → 4 − 1 • ┏━┓│ é \udc80".encode("ascii", LOOK_ALIKES)
    assert written == rb"""2-5 x 3 +/- 0.5 ... "it's" -> 4 - 1 * +-+| \xe9 \udc80"""
    assert "2–5 × 3 ± 0.5 … • ’".encode("cp1252", LOOK_ALIKES).decode("cp1252") == "2–5 × 3 ± 0.5 … • ’"
    assert "4 − 1 é".encode("latin-1", LOOK_ALIKES) == b"4 - 1 \xe9"
    with pytest.raises(UnicodeDecodeError):
        b"\xe9".decode("ascii", LOOK_ALIKES)


def test_every_letter_of_ours_has_a_look_alike():
    folder = Path(rat_envs.__file__).parent
    paths = [*folder.rglob("*.py"), *folder.rglob("*.md")]
    used = {letter for path in paths for letter in path.read_text(encoding="utf-8") if not letter.isascii()}
    assert len(used) > 5 and not used - IN_ASCII.keys()
    assert all(words.isascii() and words for words in IN_ASCII.values())
