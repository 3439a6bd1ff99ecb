"""Games that are being played, the tokens that open their seats, and the files in which they are saved."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from rat_envs.engine.colours import style_in
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import (
    LONGEST_REASON,
    IllegalActionError,
    RatEnvsError,
    beginning,
    reason_of,
    shown_path,
)
from rat_envs.engine.game import Game, always_open
from rat_envs.play.browser.invitations import invitations
from rat_envs.play.browser.shown import Page, shown_to
from rat_envs.play.browser.threads import in_thread
from rat_envs.play.saved import (
    MOST_BYTES,
    SUFFIX,
    SavedGame,
    hint_line,
    new_place,
    new_tokens,
    next_line,
    step_line,
    undo_line,
)
from rat_envs.play.session import Session, drawn_seed
from rat_envs.play.terms import Terms
from rat_envs.play.times import in_words, now

__all__ = ["House", "NotKeptError", "NotOpenedError", "OutOfDateError", "Room"]

#: The most characters of an error at the terminal: names of agents in it may be long, and the remedy comes last.
LONGEST_TOLD = 2 * LONGEST_REASON
Result = TypeVar("Result")


class OutOfDateError(RatEnvsError):
    """An answer to a page that has changed meanwhile."""


class NotKeptError(RatEnvsError):
    """A step could not be saved, so it has been undone."""


class NotOpenedError(RatEnvsError):
    """A game cannot be opened or begun. Only the server's terminal says why, because the reason may name files and
    servers."""


class Room:
    """A game that is being played in the browser.

    Everything happens in the server's event loop, except that chance and agents act in a thread. While they do,
    everybody is shown the game as it was before, and nobody else can change it.

    Args:
        session: the game.
        tokens: the token that opens each seat; the last one is for spectators.
        path: the file in which the game is saved; it is up to date.

    Attributes:
        style: the CSS of its drawings.
        seen: the game in the state that may be shown now.
        next_tokens: the tokens of the game that was begun after this one, if there is one.
        pause: seconds between two events that a spectator sees.
        host: the seat of the person whose browser the server opens, if it does.
        earlier: the token of an unfinished game that the host may mean to go on with.
        links: the links of other people's seats, by token, that the host is shown until they have been opened.
    """

    def __init__(self, session: Session, tokens: list[str], path: Path) -> None:
        self.session, self.tokens, self.path = session, tokens, path
        self.seen = session
        self.style = style_in(session.drawing(None))
        self.next_tokens: list[str] | None = None
        self.pause = 0.0
        self.host: int | None = None
        self.earlier: str | None = None
        self.links: dict[str, str] = {}
        self._opened: set[str] = set()
        self._not_kept = ""  # why an agent's action could not be saved
        self._agent_failed = False
        self._pages: dict[str, Page] = {}  # kept until something happens
        self._answered: dict[str, Page] = {}  # what each seat was shown right after it acted
        self._changed = asyncio.Event()
        self._moving: asyncio.Task | None = None
        self._asked_since: datetime | None = None  # when the question was first sent to a page

    def seat_of(self, token: str) -> int | None:
        """The seat that a token of this game opens; None for a spectator's."""
        place = self.tokens.index(token)
        return place if place < len(self.tokens) - 1 else None

    def _player_of(self, token: str) -> int:
        seat = self.seat_of(token)
        if seat is None:
            raise IllegalActionError("You look on: only players can act.")
        return seat

    def shown(self, token: str) -> Page:
        """The page of a token."""
        if token not in self._pages:
            self._pages[token] = self._page(token)
        return self._pages[token]

    def shown_in_turn(self, token: str) -> list[Page]:
        """The page of a token, and before it the pages that it has to show since its seat last acted.

        A seat that has acted is first shown that it waits, if others may be asked in secret. If this page came only
        when they are asked, it would reveal that.
        """
        now = self.shown(token)
        before = self._answered.get(token, now)
        return [now] if before.view == now.view else [before, now]

    def _page(self, token: str, steps: int | None = None) -> Page:
        """The page of a token, now or after this number of steps."""
        seat = self.seat_of(token)
        content = shown_to(self.seen, seat, steps)
        content["problem"] = self._problem_for(seat)
        content["next"] = self.next_for(token)
        content["kept"] = bool(self.session.terms.table or content["acted"])
        content["earlier"] = self.earlier if seat is not None and seat == self.host else None
        return Page.of(content)

    def opened(self, token: str) -> None:
        """Somebody has opened a seat: from now on its link is shown to nobody."""
        if token not in self._opened:
            self._opened.add(token)
            if token in self.links:
                self.tell()

    def invitations(self, token: str) -> str:
        """For the host, the links of seats that nobody has opened yet, as JSON; for all others nothing."""
        if not self.links or self.host is None or self.seat_of(token) != self.host:
            return ""
        return invitations(self.links, {each: self.tokens.index(each) for each in self.links}, self._opened)

    def next_for(self, token: str) -> str | None:
        """The token of the same seat in the game that was begun after this one, if there is one."""
        return self.next_tokens[self.tokens.index(token)] if self.next_tokens else None

    @property
    def next_change(self) -> asyncio.Event:
        """An event that is set when something happens after this moment."""
        return self._changed

    def note_sent(self, token: str, page: Page) -> None:
        """Note when a page with a question is sent to the one who is asked; it is the first time that counts."""
        if self._asked_since is None and not self._somebody_acts and page.view == self.shown(token).view:
            seat = self.seat_of(token)
            self._asked_since = now() if seat is not None and seat == self.session.asked else None

    def act(self, token: str, view: str, action: str, milliseconds: int | None = None) -> None:
        """Apply a person's action.

        Args:
            token: the token of the person's seat.
            view: the page that is answered.
            action: what the person does, in notation.
            milliseconds: the time between the question and the choice, if the page has measured it.

        Raises:
            OutOfDateError: the page has changed since it showed ``view``; nothing has happened.
            IllegalActionError: the action cannot happen here; nothing has happened.
            NotKeptError: it cannot be saved; nothing has happened.
        """
        self._demand_same(token, view)
        seat = self._player_of(token)
        if self._somebody_acts:
            raise IllegalActionError("It is not your turn.")
        asked = {} if self._asked_since is None else {"asked": in_words(self._asked_since)}
        times: dict[str, Any] = {**asked, "answered": in_words(now())}
        self.session.act(seat, action, times if milliseconds is None else {**times, "page_ms": milliseconds})
        self._keep_last()
        if self.session.game.asks_openly is not always_open:
            self._answered[token] = self._page(token, len(self.session.steps) - 1)
        self.tell()
        self.move_on()

    def undo(self, token: str, view: str) -> None:
        """Take back a person's last action; errors are those of :meth:`act`."""
        self._demand_same(token, view)
        seat = self._player_of(token)
        steps = self.seen.steps_before_last(seat)
        if self._somebody_acts:
            raise OutOfDateError("An agent is thinking: nothing was done. Wait until it has acted.")
        self._keep(undo_line(steps))
        self._asked_since = None
        self.session.undo(seat)
        self._answered.clear()
        self._clear_problem()
        self.tell()

    def note_hint(self, token: str, steps: int) -> None:
        """Save that a person is shown a hint after this number of steps.

        Raises:
            NotKeptError: it cannot be saved.
        """
        self._keep(hint_line(self._player_of(token), steps))

    def move_on(self) -> None:
        """Let chance and agents act, one after the other, without waiting for them; what has failed is tried again."""
        if self._moving is None or self._moving.done():
            if self._is_stuck:
                self._clear_problem()
                self.tell()
            self._moving = asyncio.get_running_loop().create_task(self._move_on())

    async def _move_on(self) -> None:
        told = len(self.session.told(None)) if self.pause else 0
        while not self.session.is_over and self.session.asked is None and not self._is_stuck:
            if self.pause and len(self.session.told(None)) > told:
                told = len(self.session.told(None))
                await asyncio.sleep(self.pause)
            self.seen = self.session.as_it_is()
            try:
                await in_thread(self.session.advance_once)
                self._keep_last()
            except NotKeptError as error:
                self._not_kept = str(error)
            except Exception as error:  # an agent from outside may fail in any way: the game stays as it is
                self._report(error)
            self.seen = self.session  # not when the server ends: the thread still uses the session
            self.tell()

    @property
    def _somebody_acts(self) -> bool:
        """Whether chance or an agent is acting at this moment."""
        return self.seen is not self.session

    def _report(self, error: Exception) -> None:
        """Print at the server's terminal why an agent cannot act: the reason may contain what no seat may know."""
        actor = self.session.position.actor
        who = f"player_{actor} ({shown_path(self.session.names[actor])})" if actor >= 0 else "chance"
        reason = str(error) if isinstance(error, RatEnvsError) else f"{type(error).__name__}: {error}"
        told = beginning(reason, LONGEST_TOLD)
        print(f"{shown_path(self.path)}: {who} cannot act: {told}", file=sys.stderr, flush=True)
        self._agent_failed = True

    @property
    def _is_stuck(self) -> bool:
        return self._agent_failed or bool(self._not_kept)

    def _problem_for(self, seat: int | None) -> str:
        """The problem; it names the seat of an agent that cannot act, if this seat may know that the agent is asked."""
        if not self._agent_failed:
            return self._not_kept
        position = self.seen.position
        if self.session.terms.names:  # which may hide who is an agent
            return "The game cannot go on; the server's terminal says why. Load this page again to let it try again."
        is_open = not position.is_chance and position.game.asks_openly(position.state, seat)
        who = f"The agent of player_{position.actor}" if is_open else "An agent"
        return f"{who} cannot act; the server's terminal says why. Load this page again to let it try again."

    def _clear_problem(self) -> None:
        self._not_kept, self._agent_failed = "", False

    def _demand_same(self, token: str, view: str) -> None:
        if self.shown(token).view != view:
            raise OutOfDateError("The table has changed since you chose: nothing was done. Look again, and choose.")

    def _keep_last(self) -> None:
        """Save the last step before anybody is told of it; take it back if it cannot be saved."""
        try:
            self._keep(step_line(self.session.steps[-1], self.session.is_over))
        except NotKeptError:
            self.session.take_back()
            raise
        self._asked_since = None

    def _keep(self, line: str) -> None:
        """Add a line to the file, all of it or nothing."""
        size = None
        try:
            with self.path.open("r+", encoding="utf-8") as file:
                size = file.seek(0, os.SEEK_END)
                if size + len(line) > MOST_BYTES:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
                file.write(line)
        except OSError as error:
            if size is not None:
                with contextlib.suppress(OSError):
                    os.truncate(self.path, size)
            reason = reason_of(error.strerror or str(error))
            raise NotKeptError(f"The game cannot be kept ({reason}): nothing was done. Try again.") from None
        self._pages.clear()

    def tell(self) -> None:
        """Wake all that wait."""
        if self.session.is_over:
            self.session.release()
        self._pages.clear()
        waiting, self._changed = self._changed, asyncio.Event()
        waiting.set()

    def begin_next(self, room: Room) -> None:
        """Show everybody the link to a new game."""
        self.next_tokens = room.tokens
        with contextlib.suppress(NotKeptError):  # then only the link is lost when the server ends
            self._keep(next_line(room.tokens))
        self.tell()


class House:
    """All games of a server, in a folder of its own.

    Args:
        folder: where games are saved; those already there go on.
        trust: whether agents may be code.
        pause: seconds between two events in games that are only watched.
    """

    def __init__(self, folder: Path, trust: bool = False, pause: float = 0.0) -> None:
        self.folder, self.trust, self.pause = folder, trust, pause
        self.rooms: dict[str, Room] = {}
        self._waiting: dict[str, SavedGame] = {}
        self._paths: dict[str, Path] = {}
        self._lock = asyncio.Lock()  # games are made in threads, because agents may take long to load
        folder.mkdir(parents=True, exist_ok=True)
        #: Files that could not be read, each with the reason.
        self.damaged: list[str] = []
        #: Whether the server ends.
        self.has_hung_up = False
        self._told: set[str] = set()
        self._waited_for: set[asyncio.Task] = set()
        for path in sorted(folder.glob(f"*{SUFFIX}"), key=_time_of):
            self._take_in(path)

    def open(
        self,
        game: Game,
        configuration: Configuration,
        names: Sequence[str],
        seed: int | None = None,
        terms: Terms | None = None,
    ) -> Room:
        """A new game.

        Raises:
            RatEnvsError: an agent does not exist, or cannot play this.
        """
        seed = drawn_seed() if seed is None else seed
        return self._begin(Session(game, configuration, names, seed, self.trust, terms=terms))

    def go_on(self, path: Path) -> SavedGame:
        """A saved game with the tokens that open it here: its own if it is kept in the folder, or those of a copy that
        is kept here from now on.

        Raises:
            RecordError: the file is damaged, no saved game, or of another version.
            RatEnvsError: an agent does not exist, cannot play this, or needs trust.
        """
        saved = SavedGame.read(path)
        if saved.tokens and self.holds(saved.tokens):
            return saved
        room = self._begin(saved.session(self.trust))
        return SavedGame.of(room.session, room.tokens)

    def holds(self, tokens: Sequence[str]) -> bool:
        """Whether all of these tokens open a seat here."""
        return all(each in self.rooms or each in self._waiting for each in tokens)

    def _begin(self, session: Session) -> Room:
        """The room of a new game, which is saved from now on."""
        game, names = session.game, session.names
        tokens, path = new_tokens(len(names)), new_place(self.folder, game.name)
        SavedGame.of(session, tokens).write(path)
        return self._add(Room(session, tokens, path))

    async def again(self, room: Room) -> None:
        """Begin a new game with the same people and agents, on the same terms, unless one was begun already.

        Raises:
            IllegalActionError: the game was opened for a line of a file of tables, which says what is played.
            NotOpenedError: none can begin now.
        """
        if room.session.terms.table:
            raise IllegalActionError("No other game begins at this table.")
        async with self._lock:
            if room.next_tokens is None:
                session = room.session
                table = session.game, session.position.configuration, session.names, drawn_seed(), self.trust
                try:
                    room.begin_next(self._begin(await self.done(Session, *table, (), session.terms)))
                except Exception as error:  # an agent from outside may fail in any way
                    raise self._refused(room.path, "No new game can begin", error) from None

    async def room(self, token: str) -> Room | None:
        """The game with a seat that this token opens; None if there is none."""
        if token in self._waiting:
            async with self._lock:
                if token in self._waiting:  # nobody else has opened it meanwhile
                    saved, path = self._waiting[token], self._paths[token]
                    try:
                        room = Room(await self.done(saved.session, self.trust), saved.tokens, path)
                    except Exception as error:  # an agent from outside may fail in any way
                        raise self._refused(path, "This game cannot go on now", error) from None
                    room.next_tokens = self._still_kept(saved)
                    self._add(room)
        return self.rooms.get(token)

    def _still_kept(self, saved: SavedGame) -> list[str] | None:
        """The tokens of the game that was begun after another; None if there is none, or it was removed."""
        tokens = saved.next_tokens
        return tokens if len(tokens) == len(saved.tokens) and self.holds(tokens) else None

    def _refused(self, path: Path, what: str, error: Exception) -> NotOpenedError:
        """The error for a page; the reason is printed at the server's terminal, once."""
        reason = beginning(str(error) if isinstance(error, RatEnvsError) else repr(error), LONGEST_TOLD)
        sentence = f"{shown_path(path)}: {what}: {reason}"
        if sentence not in self._told:
            self._told.add(sentence)
            print(sentence, file=sys.stderr, flush=True)
        return NotOpenedError(f"{what}: the server's terminal says why.")

    def unfinished(self) -> list[SavedGame]:
        """Earlier games that have begun and are not finished, the latest first."""
        kept = {id(saved): saved for saved in self._waiting.values()}.values()
        return [saved for saved in reversed(kept) if saved.has_begun and not saved.is_over]

    def hang_up(self) -> None:
        """End all event streams, because the server ends."""
        self.has_hung_up = True
        for task in self._waited_for:
            task.cancel()
        for room in self.rooms.values():
            room.tell()

    async def done(self, work: Callable[..., Result], *arguments: object) -> Result:
        """The result of work in a thread, for a request that ends with the server.

        Raises:
            NotOpenedError: the server ends before the work.
            Exception: any exception in the work.
        """
        task = asyncio.get_running_loop().create_task(in_thread(work, *arguments))
        self._waited_for.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if self.has_hung_up:
                raise NotOpenedError("The server ends.") from None
            raise
        finally:
            self._waited_for.discard(task)

    def close(self) -> None:
        """Remove the games in which nobody has acted, except those of a file of tables."""
        games = [(room.path, SavedGame.of(room.seen)) for room in self.rooms.values()]
        games += [(self._paths[token], saved) for token, saved in self._waiting.items()]
        for path, saved in games:
            if not saved.has_begun and not saved.terms.table:
                with contextlib.suppress(OSError):
                    path.unlink()

    def _add(self, room: Room) -> Room:
        room.pause = 0.0 if room.session.people else self.pause
        for token in room.tokens:
            self.rooms[token] = room
            self._waiting.pop(token, None)
        return room

    def _take_in(self, path: Path) -> None:
        try:
            saved = SavedGame.read(path)
            _mend_end(path)
        except (RatEnvsError, OSError) as error:
            of_system = f"{shown_path(path)}: {error.strerror or error}" if isinstance(error, OSError) else str(error)
            reason = reason_of(of_system)
            self.damaged.append(f"{reason}: it is left alone.")
            return
        if len(saved.tokens) == len(saved.seats) + 1:
            self._waiting.update(dict.fromkeys(saved.tokens, saved))
            self._paths.update(dict.fromkeys(saved.tokens, path))


def _time_of(path: Path) -> float:
    """The time at which a file was last changed; long ago, if unknown."""
    try:
        return os.path.getmtime(path)
    except OSError:  # a broken link
        return 0.0


def _mend_end(path: Path) -> None:
    """Cut off an incomplete last line, so that the next one begins a line."""
    content = path.read_bytes()
    whole = 1 + max(content.rfind(b"\n"), content.rfind(b"\r"))  # a file is read by either
    if 0 < whole < len(content):
        with path.open("rb+") as file:
            file.truncate(whole)
