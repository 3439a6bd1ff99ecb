"""Who sees what of an action or outcome, in sentences."""

from __future__ import annotations

from rat_envs.engine.story import Event

__all__ = ["sees"]


def sees(event: Event, seat: int | None) -> list[str]:
    """What a seat, or for None a spectator, sees of an event."""
    return []
