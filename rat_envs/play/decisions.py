"""Decisions of saved games as rows of a table: who was asked what, when, and what the game came to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rat_envs.engine.position import Position
from rat_envs.play.saved import SavedGame
from rat_envs.play.seating import PERSON
from rat_envs.play.times import milliseconds_between

__all__ = ["COLUMNS", "decisions", "player_in_table"]

#: The columns of a table of decisions; those of labels come after the first three.
COLUMNS = (
    *("game_id", "game", "seed", "seat", "player", "step", "turn", "action", "legal"),
    *("asked", "answered", "response_ms", "page_ms", "hint", "undone", "finished", "return", "score"),
)

#: What the player is called in a table where a person sits.
A_PERSON = "person"


def decisions(saved: SavedGame, game_id: str, undone: bool = False) -> list[dict[str, Any]]:
    """A row for each decision of a person or an agent, in the order of steps; None where something is not known.

    Args:
        saved: the game, over or not.
        game_id: what it is called.
        undone: whether decisions that were taken back are rows, too, before those that were taken in their place.

    Raises:
        RecordError: the game is damaged, of another version, or breaks a rule.
    """
    final = saved.position()
    ends = _ends(final)
    lines = [(saved.steps, 0, False)]
    if undone:
        lines = [*_taken_back(saved), *lines]
    found = [row for steps, first, is_undone in lines for row in _rows(saved, steps, first, is_undone)]
    found.sort(key=lambda row: row["step"])
    about = {"game_id": game_id, "game": saved.game, "seed": saved.seed}
    labels = {f"label_{name}": value for name, value in saved.terms.labels.items()}
    return [{**about, **labels, **row, **ends[row["seat"]]} for row in found]


def player_in_table(name: str) -> str:
    """What a table says of who sits at a seat: the name of an agent, or that it is a person."""
    return A_PERSON if name == PERSON else name


def _ends(final: Position) -> list[dict[str, Any]]:
    """What a game has come to for each seat."""
    is_over, players = final.is_over, final.configuration.players
    returns, scores = (final.returns(), final.scores()) if is_over else ([None] * players, [None] * players)
    return [
        {"finished": int(is_over), "return": one, "score": score} for one, score in zip(returns, scores, strict=True)
    ]


def _taken_back(saved: SavedGame) -> list[tuple[list[dict[str, Any]], int, bool]]:
    """The steps of a game before each time that some were taken back, the first time first; with the number of those
    that stayed."""
    found, steps = [], saved.steps
    for back in reversed(saved.undone):  # what was left then has changed only by what was taken back later
        steps = [*steps[: back["after"]], *back["steps"]]
        found.append((steps, back["after"], True))
    return found[::-1]


def _rows(saved: SavedGame, steps: list[dict[str, Any]], first: int, undone: bool) -> Iterator[dict[str, Any]]:
    """The rows of these steps from the one of this number on, counted from 0."""
    hinted = {(hint["hint"], hint["steps"]) for hint in saved.hints}
    turns = [0] * len(saved.seats)
    for number, (step, legal) in enumerate(zip(steps, _numbers_of_actions(saved, steps), strict=True)):
        seat = step["actor"]
        if seat == "chance":
            continue
        turns[seat] += 1
        if number >= first:
            asked, answered = step.get("asked"), step.get("answered")
            yield {
                "seat": seat,
                "player": player_in_table(saved.seats[seat]),
                "step": number + 1,
                "turn": turns[seat],
                "action": step["action"],
                "legal": legal,
                "asked": asked,
                "answered": answered,
                "response_ms": milliseconds_between(asked, answered) if asked and answered else None,
                "page_ms": step.get("page_ms"),
                "hint": int((seat, number) in hinted),
                "undone": int(undone),
            }


def _numbers_of_actions(saved: SavedGame, steps: list[dict[str, Any]]) -> list[int]:
    """How many actions or outcomes there were at each step."""
    numbers: list[int] = []
    saved.position(
        steps,
        lambda position, step: numbers.append(len(position.chances() if position.is_chance else position.legal())),
    )
    return numbers
