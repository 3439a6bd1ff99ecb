"""The game at the terminal: numbers as cards have them, what has changed, and commands."""

from __future__ import annotations

import re
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rat_envs.agents import Agent
from rat_envs.agents.random import RandomAgent
from rat_envs.engine.errors import ConfigurationError, RatEnvsError, shown_path
from rat_envs.engine.position import Position
from rat_envs.engine.registry import get_game
from rat_envs.play import Session
from rat_envs.play.hints import Hint, hint
from rat_envs.play.saved import SavedGame
from rat_envs.play.terminal import Terminal, can_forget, clear_screen, going_on, what_becomes_of_it
from rat_envs.solving.public_tree import build_tree


@pytest.fixture
def play(capsys, tmp_path, monkeypatch):
    """Play with these answers; whether the game came to its end, and what was printed."""

    monkeypatch.chdir(tmp_path)  # where a game is kept when no answers are left

    def run(game, names, answers, config=None, seed=3):
        chosen, left = get_game(game), iter(answers)

        def ask(prompt):
            print(prompt)
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        session = Session(chosen, chosen.configuration.make(config or {}), names, seed)
        finished = Terminal(session, ask=ask).run()
        return finished, capsys.readouterr().out, session

    return run


def test_br_a_card_is_played_by_its_value(play):
    _, out, session = play("brave_rats", ["me", "greedy"], ["7"])
    assert session.steps[0].event.notation == "play prince"
    assert "  7. Play Prince" in out and "You play Prince, Applewood plays" in out


def test_a_card_that_is_gone_is_not_another_one(play):
    _, out, session = play("brave_rats", ["me", "greedy"], ["prince", "prince"])
    assert len([step for step in session.steps if step.event.actor == 0]) == 1
    assert "'prince' is none of your choices." in out


def test_what_is_meant_can_be_written_in_several_ways(play):
    _, _, session = play("brave_rats", ["me", "me"], ["", "play general", "", "", "PLAY  Wizard"])
    assert [step.event.notation for step in session.steps] == ["play general", "play wizard"]


def test_words_that_fit_several_choices_are_asked_again(play):
    _, out, session = play("rattus", ["me", "random"], ["place"], {"players": 2})
    assert "'place' may be: 1. Place 2 cubes in" in out
    assert not any(step.event.actor == 0 for step in session.steps)


def test_the_table_is_shown_on_request_and_not_after_every_choice(play):
    answers = ["0", "1", "2"]
    _, out, _ = play("brave_rats", ["me", "greedy"], answers)
    assert out.count("BraveRats: a clan of eight cards each") == 1
    _, out, _ = play("brave_rats", ["me", "greedy"], ["0", "table", "1"])
    assert out.count("BraveRats: a clan of eight cards each") == 2


def test_commands(play, tmp_path):
    path = tmp_path / "kept"
    answers = ["help", "log", "undo", "5", "undo", "rules", "save", f"save {path}", "hint", "quit"]
    finished, out, session = play("brave_rats", ["me", "greedy"], answers)
    assert not finished and session.steps == []
    for sentence in (
        "take back your last choice",
        "You have not acted yet: there is nothing to take back.",
        "You play Wizard",
        "Write a file, too: save FILE.",
        f"Saved. Go on with: rat-envs play brave_rats --from {path}",
        "By equilibrium; expected return +0.00",
        "You leave the table.",
    ):
        assert sentence in out
    assert path.exists()


def test_why_nothing_else_can_be_chosen(play, monkeypatch):
    _, out, session = play("brave_rats", ["me", "random"], ["WHY the emperor?"])
    rules = "docs/rules/brave_rats.md."
    assert out.count("Which card do you play?\n") == out.count("  7. Play Prince\n") == 2 and session.steps == []
    assert (
        "The rules allow nothing else now. Write `rules` for the rules in brief.\nAll rules, by number, are in" in out
    )
    assert rules in out
    monkeypatch.setattr("rat_envs.play.terminal.clone_folder", lambda: None)
    assert rules not in play("brave_rats", ["me", "random"], ["why"])[1], "an installed package has no such page"


def test_a_game_is_not_saved_over_another_file(play, tmp_path):
    notes, kept = tmp_path / "notes.txt", tmp_path / "kept"
    notes.write_text("not a game")
    answers = [f"save {path}" for path in (notes, tmp_path, kept, kept)]
    _, out, _ = play("brave_rats", ["me", "greedy"], answers)
    assert notes.read_text() == "not a game"
    assert f"It could not be saved: {shown_path(notes)} is there already, and no saved game: write another name." in out
    assert f"{shown_path(tmp_path)} is there already" in out
    assert out.count("Saved. Go on with") == 2, "a game may replace a game"


def test_the_home_folder_is_understood_and_names_are_quoted(play, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    _, out, _ = play("brave_rats", ["me", "greedy"], ["save ~/my game", "save ~nobody-at-all/x", "save a\0b"])
    assert [path.name for path in tmp_path.iterdir()] == ["my game"]
    assert f"--from '{tmp_path}/my game'" in out
    assert out.count("It could not be saved: ") == 2


def test_several_people_at_one_keyboard_see_their_own_side_only(play):
    out_of_sight = "\n" * shutil.get_terminal_size().lines
    _, out, _ = play("brave_rats", ["me", "me"], ["", "7", "", "", "6"])
    first, _, second = out.partition("player_1's turn: the others look away")
    read, _, on_the_screen = first.rpartition(out_of_sight)
    assert "You choose Prince." in read and "player_1 comes next. Press Enter when you have read this" in read
    assert "Prince" not in on_the_screen and "You choose Prince." not in second.partition("Your choice")[0]
    assert out_of_sight in second.partition("Your choice")[0]


def test_on_a_terminal_nothing_can_be_scrolled_back_to(capsys, monkeypatch):
    clear_screen()
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    clear_screen()
    assert capsys.readouterr().out.endswith("\x1b[H\x1b[2J\x1b[3J")


@pytest.mark.parametrize("term", ["dumb", "", None])
def test_a_terminal_that_cannot_forget_is_not_said_to(term, play, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("TERM", raising=False)
    if term is not None:
        monkeypatch.setenv("TERM", term)
    _, out, _ = play("brave_rats", ["me", "me"], ["", "7", "", "", "6"])
    lines = "\n" * shutil.get_terminal_size().lines
    assert "\x1b" not in out and lines in out.partition("player_1's turn")[2]
    assert "out of sight" not in out
    cannot = "player_1 comes next. Press Enter when you have read this: empty lines will move it up, because this"
    assert f"{cannot} terminal cannot clear it: do not scroll back." in out


class Console:
    """What Windows has as ``kernel32``, as far as it is asked: a console in some mode, or none."""

    def __init__(self, mode, can_be_set):
        self.mode, self.can_be_set = mode, can_be_set

    def GetStdHandle(self, number):  # noqa: N802 (as in Windows)
        return {-11: 7}[number]

    def GetConsoleMode(self, handle, place):  # noqa: N802
        if handle != 7 or self.mode is None:
            return 0
        place._obj.value = self.mode
        return 1

    def SetConsoleMode(self, handle, mode):  # noqa: N802
        if handle == 7 and self.can_be_set:
            self.mode = mode
        return int(self.can_be_set)


@pytest.mark.parametrize(
    ("console", "can", "mode"),
    [(Console(3, True), True, 7), (Console(3, False), False, 3), (Console(None, True), False, None)],
    ids=["new", "classic", "none"],
)
def test_a_console_of_windows_is_told_to_do_what_sequences_say(console, can, mode, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("ctypes.windll", SimpleNamespace(kernel32=console), raising=False)
    assert can_forget() == can and console.mode == mode
    assert what_becomes_of_it().startswith("it will be out of sight" if can else "empty lines will move it up")
    clear_screen()
    assert capsys.readouterr().out.endswith("\x1b[3J") == can


def test_how_a_game_goes_on_is_said_as_windows_reads_it(monkeypatch):
    game = get_game("brave_rats")
    session = Session(game, game.configuration.make({}), ["me", "greedy"], 3)
    monkeypatch.setattr("sys.platform", "win32")
    said = going_on(session, Path(r"games\one.rat-game"))
    assert said == r"rat-envs play brave_rats --from games\one.rat-game"


def test_the_end_tells_several_people_only_what_is_new(play):
    finished, out, _ = play("brave_rats", ["me", "me"], ["", "princess", "", "", "prince"])
    assert finished
    end = out.rpartition("Your choice")[2]
    assert "Points: player_0" in end and end.count("The Princess finds the Prince.") == 1


def test_agents_are_watched_to_the_end(play):
    finished, out, _ = play("brave_rats", ["greedy", "random"], [])
    assert finished
    assert "Yarg plays" in out and ("wins." in out or "Nobody wins." in out)


def test_a_whole_game_by_numbers(play):
    finished, out, _ = play("comme_des_rats", ["me", "greedy", "greedy"], ["1"] * 500, {"players": 3})
    assert finished
    assert "The game is over" in out and "Points: player_0" in out


# What ends a game before its time


class Failing(RandomAgent):
    """Plays at random, and fails at its second decision."""

    def __init__(self, seed=None, error=None):
        super().__init__(seed)
        self.error, self.decisions = error, 0

    def act_batch(self, views):
        self.decisions += 1
        if self.decisions > 1:
            raise self.error
        return super().act_batch(views)


class Unlawful(Agent):
    """Plays the Princess again and again."""

    def act_batch(self, views):
        return np.array([get_game("brave_rats").action_numbers["play princess"]])


@pytest.fixture
def interrupted(tmp_path, monkeypatch, capsys):
    """Play with these agents and answers until something is raised: that, and what was printed."""
    monkeypatch.chdir(tmp_path)

    def run(names, agents, answers=(), kind=RatEnvsError):
        left = iter(answers)
        game = get_game("brave_rats")
        session = Session(game, game.configuration.make({}), names, 3)
        for seat, agent in agents.items():
            session.table.agents[seat] = agent
        with pytest.raises(kind) as error:
            Terminal(session, ask=lambda prompt: next(left)).run()
        return str(error.value), capsys.readouterr().out

    return run


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("x"), r"The agent random raises KeyError \(it has no 'x'\) in test_terminal\.py, line \d+\."),
        (OSError(5, "no disk"), r"The agent random raises OSError \(\[Errno 5\] no disk\) in .*"),
        (EOFError("gone"), r"The agent random raises EOFError \(gone\) in .*"),
        (SystemExit(0), r"The agent random raises SystemExit \(0\) in .*"),
        (ConfigurationError("The server refuses."), r"The server refuses\."),
    ],
)
def test_a_game_outlives_an_agent_that_fails(error, words, interrupted, tmp_path):
    said, out = interrupted(["me", "random"], {1: Failing(1, error)}, ["0", "1"])
    assert re.fullmatch(words, said)
    assert out.endswith("The game is saved. Go on with: rat-envs play brave_rats --from brave_rats.rat-game\n")
    session = SavedGame.read(tmp_path / "brave_rats.rat-game").session()
    assert [step.event.actor for step in session.steps] == [0, 1, 0]


def test_ctrl_c_keeps_the_game_in_a_new_file(interrupted, tmp_path):
    def answers():
        yield "0"
        raise KeyboardInterrupt

    for name in ("brave_rats.rat-game", "brave_rats-2.rat-game", "brave_rats-3.rat-game"):
        _, out = interrupted(["me", "random"], {}, answers(), KeyboardInterrupt)
        assert out.endswith(f"--from {name}\n") and (tmp_path / name).exists()
    interrupted(["me", "random"], {1: Failing(1, KeyboardInterrupt())}, ["0", "1"], KeyboardInterrupt)
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_closed_terminal_keeps_the_game(name, interrupted, tmp_path):
    number = getattr(signal, name)

    def answers():
        yield "0"
        signal.raise_signal(number)
        yield "1"

    before = signal.signal(number, signal.SIG_DFL)
    try:
        _, out = interrupted(["me", "random"], {}, answers(), KeyboardInterrupt)
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert out.endswith("--from brave_rats.rat-game\n") and (tmp_path / "brave_rats.rat-game").exists()


def test_a_terminal_that_is_gone_keeps_the_game(interrupted, tmp_path, monkeypatch):
    """The signal comes while the game is written."""
    written = SavedGame.write

    def write(self, path):
        signal.raise_signal(signal.SIGHUP)
        written(self, path)

    def answers():
        yield "0"
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(SavedGame, "write", write)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        interrupted(["me", "random"], {}, answers(), OSError)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert SavedGame.read(tmp_path / "brave_rats.rat-game").has_begun


def test_a_window_that_closes_may_send_several_signals(interrupted, tmp_path, monkeypatch):
    """The second comes while the game is written."""
    written = SavedGame.write

    def write(self, path):
        signal.raise_signal(signal.SIGHUP)
        written(self, path)
        signal.raise_signal(signal.SIGTERM)

    def answers():
        yield "0"
        signal.raise_signal(signal.SIGHUP)
        yield "1"

    monkeypatch.setattr(SavedGame, "write", write)
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP, signal.SIGTERM)}
    try:
        interrupted(["me", "random"], {}, answers(), KeyboardInterrupt)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert SavedGame.read(tmp_path / "brave_rats.rat-game").has_begun


@pytest.mark.parametrize("last", [[], ["quit"], ["q"]])
def test_who_leaves_keeps_the_game(last, play, tmp_path):
    finished, out, session = play("brave_rats", ["me", "random"], ["0", *last])
    said = "The game is saved. Go on with: rat-envs play brave_rats --from brave_rats.rat-game"
    assert not finished and out.endswith(f"{said}\nYou leave the table.\n")
    again = SavedGame.read(tmp_path / "brave_rats.rat-game").session()
    assert [step.event.action for step in again.steps] == [step.event.action for step in session.steps]


def test_who_leaves_before_a_move_keeps_nothing(play, tmp_path):
    finished, out, _ = play("brave_rats", ["me", "random"], ["quit"])
    assert not finished and out.endswith("You leave the table.\n") and not list(tmp_path.iterdir())


def test_who_leaves_overwrites_no_other_game(play, tmp_path):
    first = play("brave_rats", ["me", "random"], ["0", "quit"]) and (tmp_path / "brave_rats.rat-game").read_bytes()
    _, out, _ = play("brave_rats", ["me", "random"], ["1", "quit"])
    assert "--from brave_rats-2.rat-game" in out and (tmp_path / "brave_rats.rat-game").read_bytes() == first


def test_a_game_that_a_file_holds_as_it_is_gets_no_other(play, tmp_path):
    _, out, _ = play("brave_rats", ["me", "random"], ["0", "save kept", "quit"])
    assert "The game is saved. Go on with: rat-envs play brave_rats --from kept\n" in out
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    answers = iter(["quit"])
    Terminal(SavedGame.read("kept").session(), ask=lambda prompt: next(answers), path=Path("kept")).run()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    play("brave_rats", ["me", "random"], ["0", "save kept", "1", "quit"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["brave_rats.rat-game", "kept"]


def test_a_game_in_which_nobody_has_acted_is_not_kept(interrupted, tmp_path):
    _, out = interrupted(["random", "me"], {0: Failing(1, None)}, iter(lambda: 1 / 0, 1), ZeroDivisionError)
    assert "saved" not in out and not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_said(interrupted, monkeypatch):
    def refuse(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(SavedGame, "write", refuse)
    said, out = interrupted(["me", "random"], {1: Failing(1, ValueError("x"))}, ["0", "1"])
    assert said.startswith("The agent random raises ValueError (x) in test_terminal.py, line ")
    assert out.endswith("The game could not be saved: [Errno 13] Permission denied.\n")


def test_an_agent_that_does_what_is_not_possible_shows_nobody_its_hand(interrupted):
    said, _ = interrupted(["me", "random"], {1: Unlawful()}, ["0", "2"])
    assert said == "player_1 (random) cannot act: it does what is not possible."
    said, _ = interrupted(["random", "random"], {1: Unlawful()})
    assert "takes action 1 (play princess), which player_1 cannot: legal are " in said, "nobody plays against it"


@pytest.mark.parametrize(("name", "trust", "end"), [("random", False, ""), ("a.py:B", False, " --trust")])
def test_the_command_that_goes_on_trusts_what_it_must(name, trust, end, tmp_path):
    game = get_game("brave_rats")
    session = Session(game, game.configuration.make({}), ["me", "random"], 3, trust)
    session.names[1] = name
    assert going_on(session, Path("s1.game")) == f"rat-envs play brave_rats --from s1.game{end}"


# Hints


def test_what_is_too_large_to_be_solved_at_once_is_searched(monkeypatch):
    monkeypatch.setattr("rat_envs.play.hints.MOST_SOON", 1000)
    monkeypatch.setattr("rat_envs.play.hints.SIMULATIONS", 10)
    assert hint(Position("brave_rats", {"emperor": True})).source == "search with 10 simulations"
    small = Position("brave_rats", {"hands": "princess_attack", "fast": True, "traitor": True})
    with pytest.raises(ConfigurationError, match="brave_rats has more than 1,000 public states with these options"):
        build_tree(small.game, small.configuration, 1000)


def test_a_hint_says_on_a_terminal_that_it_takes_a_while(play, monkeypatch):
    monkeypatch.setattr("rat_envs.play.terminal.hint", lambda position: Hint("x", 0.0, ()))
    assert "Thinking …" not in play("brave_rats", ["me", "random"], ["hint"])[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "Thinking …\nBy x;" in play("brave_rats", ["me", "random"], ["hint"])[1]
