"""Named positions to begin at: a configuration, and what has happened before anybody plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rat_envs.engine.game import Game
    from rat_envs.engine.position import Position

__all__ = ["Preset", "opening"]


def opening(text: str) -> tuple[str, ...]:
    """The notations in a text that separates them by semicolons."""
    return tuple(" ".join(step.split()) for step in text.split(";"))


@dataclass(frozen=True)
class Preset:
    """A position of a game with a name: its configuration and its opening.

    Everybody knows the opening. So whatever it caused is common knowledge, even what seats saw in secret; only what
    happens afterwards can be hidden from anybody.

    Attributes:
        name: as on the command line.
        summary: one sentence for tables.
        options: options by name; what is not named keeps its default.
        opening: notations of actions and chance outcomes in the order of nodes, as in records.
    """

    name: str
    summary: str
    options: Mapping[str, Any] = field(default_factory=dict)
    opening: tuple[str, ...] = ()

    def position(self, game: Game, compiled: bool | None = None) -> Position:
        """A new position of ``game`` at the end of the opening.

        Args:
            compiled: as for :class:`~rat_envs.engine.batch.Batch`.

        Raises:
            ConfigurationError: an option is wrong.
            IllegalActionError: the opening breaks a rule.
        """
        from rat_envs.engine.position import Position

        position = Position(game, self.options, compiled)
        for notation in self.opening:
            position.apply(notation)
        return position
