"""A game at the terminal: one or more people at one keyboard, or only agents, which people watch."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown

from rat_envs.api.answers import parse
from rat_envs.api.named_agents import reason_to_trust
from rat_envs.api.outcomes import points_in_words
from rat_envs.api.text import rules_for_players
from rat_envs.engine.choices import Offer
from rat_envs.engine.errors import (
    AnswerError,
    IllegalActionError,
    RatEnvsError,
    RecordError,
    reason_of,
    shown_path,
)
from rat_envs.engine.game import Game
from rat_envs.engine.installation import clone_folder
from rat_envs.engine.interrupts import handling_sent
from rat_envs.engine.registry import command_name
from rat_envs.play.hints import Hint, hint
from rat_envs.play.saved import SavedGame
from rat_envs.play.session import Session
from rat_envs.shells import as_typed

__all__ = ["Terminal", "menu"]

#: The number of blanks between two columns of a menu.
GAP = 3
#: A menu of more choices than this is set in columns.
LONG_MENU = 9
#: The escape sequence that clears a terminal's screen and the lines before it.
FORGET = "\x1b[H\x1b[2J\x1b[3J"
#: What Windows calls the output, and the mode of a console that does what such sequences say.
STD_OUTPUT_HANDLE, ENABLE_VIRTUAL_TERMINAL_PROCESSING = -11, 0x4
COMMANDS = {
    "table": "show the whole table",
    "log": "tell all that has happened",
    "hint": "ask a strong player",
    "undo": "take back your last choice",
    "rules": "show the rules in brief",
    "why": "show again what you can choose, and where the rules are that allow no more",
    "save FILE": "keep the game, to go on with `rat-envs play GAME --from FILE`",
    "help": "show this list",
    "quit": "leave the table; the game is saved if somebody has moved",
}


class LeaveError(Exception):
    """A person leaves the table."""


class Closed:
    """Handles SIGTERM and the like at the table: like Ctrl-C, but only once, because a window that closes may
    send several.

    Attributes:
        signal: the number of the first signal; None until one comes.
        is_saving: whether the game is being saved, which no signal interrupts.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self.is_saving = False

    def handle(self, number: int, frame: Any) -> None:
        """Let the first signal interrupt the game, and none interrupt the saving after it.

        Raises:
            KeyboardInterrupt: it is the first signal.
        """
        if self.signal is None:
            self.signal = number
            if not self.is_saving:
                raise KeyboardInterrupt


class Terminal:
    """Plays a session to its end.

    Args:
        session: the game.
        pause: seconds between two events, for people who watch.
        ask: reads a line after showing a prompt.
        path: the file that the session goes on from, if any.

    Attributes:
        closed: the signal that has closed the table, if any.
    """

    def __init__(
        self,
        session: Session,
        pause: float = 0.0,
        ask: Callable[[str], str] = input,
        path: Path | None = None,
    ) -> None:
        self.session = session
        self.pause = pause
        self._ask = ask
        self.closed = Closed()
        self._told: dict[int | None, int] = {}
        self._last: int | None = None
        #: The last file, and what it holds.
        self._kept = None if path is None else (path, SavedGame.of(session))

    def run(self) -> bool:
        """Play until the game is over or a person leaves; return whether it is over.

        A game that is left, or ended by a failing agent, Ctrl-C, a signal or the end of the input, is saved to a new
        file.

        Raises:
            RatEnvsError: an agent cannot act.
            KeyboardInterrupt: Ctrl-C, SIGTERM, or a terminal that closes.
            OSError: the terminal cannot be read or written.
        """
        with handling_sent(self.closed.handle):
            return self._run()

    def _run(self) -> bool:
        people = self.session.people
        if people:
            print("Write the number of your choice, or `help`.")
        self._show_table(people[0] if len(people) == 1 else None)
        try:
            while not self.session.is_over:
                self._go_on()
        except (LeaveError, EOFError):
            self._rescue()
            print("You leave the table.")
            return False
        except (KeyboardInterrupt, OSError):  # OSError if the terminal has closed
            self._rescue()
            raise
        seat = people[0] if len(people) == 1 else None
        self._tell(seat)
        self._show_table(seat)
        print(points_in_words(self.session.position.scores()))
        print(self.session.result_in_words(seat))
        for remark in self.session.table.remarks():
            print(remark)
        return True

    def _go_on(self) -> None:
        """One decision of a person, or one event."""
        session = self.session
        if session.asked is None:
            self._advance_once()
            if not session.people:
                self._watch()
            return
        seat = session.asked
        if len(session.people) > 1 and seat != self._last:
            self._pass_keyboard(seat)
        self._last = seat
        self._tell(seat)
        self._decide(seat)

    def _advance_once(self) -> None:
        """Let chance or an agent act.

        Raises:
            MemoryError, RatEnvsError: it cannot; the game is saved.
        """
        actor = self.session.position.actor
        try:
            self.session.advance_once()
        except Exception as error:  # an agent from outside may fail in any way
            self._rescue()
            is_secret = isinstance(error, IllegalActionError) and self.session.people  # it lists all that was possible
            if isinstance(error, (MemoryError, RatEnvsError)) and not is_secret:
                raise
            who = f"player_{actor} ({shown_path(self.session.names[actor])})" if actor >= 0 else "chance"
            why = "it does what is not possible" if is_secret else f"{type(error).__name__}: {reason_of(error)}"
            raise RatEnvsError(f"{who} cannot act: {why}.") from error

    def _rescue(self) -> None:
        """Save a game that does not go on now to a new file, if a person has acted and no file holds it as it is."""
        self.closed.is_saving = True
        saved = SavedGame.of(self.session)
        if not saved.has_begun:
            return
        path, kept = self._kept or (None, None)
        try:
            if path is None or kept != saved or not path.exists():
                path = new_path(saved.game)
                saved.write(path)
            said = f"The game is saved. Go on with: {going_on(self.session, path)}"
        except (OSError, ValueError) as error:
            said = f"The game could not be saved: {reason_of(error)}."
        with contextlib.suppress(OSError):  # the terminal may have closed
            print(f"\n{said}")

    def _watch(self) -> None:
        if self._tell(None) and self.pause:
            time.sleep(self.pause)

    def _pass_keyboard(self, seat: int) -> None:
        """Pass the keyboard: nobody else may see what this person knows, and this person not what the one before has
        chosen."""
        if self._last is not None:
            self._ask(f"\nplayer_{seat} comes next. Press Enter when you have read this: {what_becomes_of_it()}.")
            clear_screen()
        self._ask(f"\nplayer_{seat}'s turn: the others look away. Press Enter.")
        clear_screen()
        self._show_table(seat)

    def _decide(self, seat: int) -> None:
        """Ask until the person has acted or taken an action back."""
        offer = self.session.offer()
        print(f"\n{offer.question}")
        print("\n".join(menu(offer)))
        while True:
            answer = self._ask("Your choice: ").strip()
            try:
                if self._obey(seat, answer, offer):
                    return
            except AnswerError as error:
                print(f"{error.reason} Write one of the numbers, or `help`.")
            except IllegalActionError as error:
                print(error)

    def _obey(self, seat: int, answer: str, offer: Offer) -> bool:
        """Do what the person has written; return whether that has changed the table."""
        command, _, rest = answer.partition(" ")
        commands: dict[str, Callable[[], object]] = {
            "help": lambda: print("\n".join(f"  {name:<10} {words}" for name, words in COMMANDS.items())),
            "table": lambda: self._show_table(seat),
            "log": lambda: print("\n".join(self.session.told(seat))),
            "hint": self._hint,
            "rules": lambda: Console().print(Markdown(rules_for_players(self.session.game))),
            "why": lambda: print("\n".join([offer.question, *menu(offer), *why_no_more(self.session.game)])),
            "save": lambda: self._save(rest),
        }
        if command.lower() in ("q", "quit", "exit"):
            raise LeaveError
        if command.lower() == "undo":
            self.session.undo(seat)
            self._told[seat] = min(self._told.get(seat, 0), len(self.session.told(seat)))
            self._show_table(seat)
            return True
        if command.lower() in commands:
            commands[command.lower()]()
            return False
        self.session.act(seat, parse(answer, offer, self.session.game).action)
        self._tell(seat)
        return True

    def _hint(self) -> None:
        if not self.session.terms.hints:
            print("In this game no hints are given.")
            return
        if sys.stdout.isatty():
            print("Thinking …", flush=True)
        print(hint_in_words(hint(self.session.position.copy())))

    def _save(self, name: str) -> None:
        if not name.strip():
            print("Write a file, too: save FILE.")
            return
        try:
            path = Path(name.strip()).expanduser()
            demand_replaceable(path)
            saved = SavedGame.of(self.session)
            saved.write(path)
            self._kept = path, saved
            print(f"Saved. Go on with: {going_on(self.session, path)}")
        except (OSError, RuntimeError, ValueError) as error:  # an unknown user's home, or an impossible file name
            print(f"It could not be saved: {error}")

    def _tell(self, seat: int | None) -> list[str]:
        """Print the sentences that a seat, or for None a spectator, has not been told yet."""
        sentences = self.session.told(seat)
        new = sentences[self._told.get(seat, 0) :]
        self._told[seat] = len(sentences)
        self._told[None] = len(self.session.told(None))  # so that the end does not repeat what is printed above it
        for sentence in new:
            print(f"  {sentence}")
        return new

    def _show_table(self, seat: int | None) -> None:
        print(f"\n{table_in_words(self.session.game, self.session.position.state, seat)}")


def new_path(game: str) -> Path:
    """The name of a file that does not exist yet, for a saved game in the present folder."""
    numbers = itertools.chain([""], (f"-{k}" for k in itertools.count(2)))
    names = (Path(f"{game}{number}.rat-game") for number in numbers)
    return next(name for name in names if not os.path.lexists(name))


def going_on(session: Session, path: Path) -> str:
    """The command that goes on with a saved game."""
    trust = session.trust or any(map(reason_to_trust, session.names))
    command = "rat-envs", "play", command_name(session.game), "--from", str(path)
    return as_typed([*command, *(["--trust"] if trust else [])])


def demand_replaceable(path: Path) -> None:
    """Refuse to overwrite anything but a saved game.

    Raises:
        RecordError: the file exists, and is not a saved game.
    """
    if not path.exists():
        return
    try:
        SavedGame.read(path)
    except RecordError:
        raise RecordError(f"{shown_path(path)} is there already, and no saved game: write another name.") from None


def table_in_words(game: Game, row: Any, seat: int | None) -> str:
    """The table for a terminal. If the terminal is narrower than the game's text, it is in paragraphs, which can be
    wrapped."""
    text = game.text(row, seat)
    columns, _ = shutil.get_terminal_size((len(text), 0))  # a pipe has no width, and gets the text as it is
    if game.paragraphs is None or max(map(len, text.splitlines()), default=0) <= columns:
        return text
    lines = [
        textwrap.fill(paragraph, columns, subsequent_indent="  ", break_on_hyphens=False)
        for paragraph in game.paragraphs(row, seat)
    ]
    return "\n".join(lines) + "\n"


def can_forget() -> bool:
    """Whether this is a terminal that understands escape sequences."""
    if not sys.stdout.isatty():
        return False
    return enable_sequences() if sys.platform == "win32" else os.environ.get("TERM", "dumb") not in ("", "dumb")


def enable_sequences() -> bool:
    """Let the console of Windows understand escape sequences; whether it does."""
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 (other systems have none)
    console, mode = kernel.GetStdHandle(STD_OUTPUT_HANDLE), ctypes.c_ulong()
    if not kernel.GetConsoleMode(console, ctypes.byref(mode)):
        return False
    return bool(kernel.SetConsoleMode(console, mode.value | ENABLE_VIRTUAL_TERMINAL_PROCESSING))


def what_becomes_of_it() -> str:
    """What happens to the screen when it is cleared here, in words."""
    if sys.stdout.isatty() and not can_forget():
        return "empty lines will move it up, because this terminal cannot clear it: do not scroll back"
    return "it will be out of sight"


def clear_screen() -> None:
    """Clear the screen, and also the lines that can be scrolled back to, if the terminal can."""
    _, lines = shutil.get_terminal_size()
    print("\n" * lines)
    if can_forget():
        print(FORGET, end="", flush=True)


def why_no_more(game: Game) -> list[str]:
    """Where the rules are that allow no more than what is listed, in sentences."""
    lines = ["The rules allow nothing else now. Write `rules` for the rules in brief."]
    clone = clone_folder()
    numbered = clone / "docs" / "rules" / f"{game.name}.md" if clone else None
    if numbered and numbered.exists():
        lines.append(f"All rules, by number, are in {numbered}.")
    return lines


def menu(offer: Offer) -> list[str]:
    """The choices, each with what to type for it; many of them in columns."""
    wide = max(len(choice.key) for choice in offer.choices)
    items = [f"  {choice.key:>{wide}}. {choice.words}" for choice in offer.choices]
    columns, _ = shutil.get_terminal_size()
    longest = max(map(len, items)) + GAP
    if len(items) <= LONG_MENU or columns < 2 * longest:
        return items
    number = min(columns // longest, 1 + (len(items) - 1) // LONG_MENU)
    height = -(-len(items) // number)
    return ["".join(f"{item:<{longest}}" for item in items[row::height]).rstrip() for row in range(height)]


def hint_in_words(found: Hint) -> str:
    """A hint, with one choice on each line."""
    lines = [f"By {found.source}; expected return {found.value:+.2f}"]
    for one in found.choices:
        estimate = "" if one.estimate is None else f"{one.estimate:+.2f}"
        lines.append(f"  {one.probability:>4.0%}  {estimate:>5}  {one.choice.words}")
    return "\n".join(textwrap.shorten(line, 100) if len(line) > 100 else line for line in lines)
