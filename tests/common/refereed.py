"""Records held to a second referee: what is the same for every game that has one."""

from __future__ import annotations

from typing import Any


def check_against(referee: Any, record: dict[str, Any]) -> None:
    """Assert that every node of a record with options, and its result, is what a referee says.

    Args:
        referee: at the first node of a game with the record's configuration; it has ``over``, ``actor()``,
            ``options()``, ``apply(text)`` and ``result() -> (returns, scores, winners)``.
        record: as :meth:`rat_envs.engine.records.Recorder.record` makes it; nothing of the package is used here.
    """
    for number, step in enumerate(record["steps"], 1):
        actor, action, options = step["actor"], step["action"], step["options"]
        assert not referee.over, f"step {number}: the game is over, but the record goes on with {actor!r}: {action!r}"
        right = referee.actor()
        assert actor == right, f"step {number}: {right!r} is to act at {referee.options()}, the record says {actor!r}"
        right = referee.options()
        assert options == right, f"step {number}: the options are {right}, the record says {options}"
        assert action in right, f"step {number}: possible are {right}, but the record has {action!r}"
        referee.apply(action)
    assert referee.over, f"the record stops after {len(record['steps'])} steps, where {referee.actor()!r} is to act"
    returns, scores, winners = referee.result()
    assert record["scores"] == scores, f"the scores are {scores}, the record says {record['scores']}"
    assert record["winners"] == winners, f"the winners are {winners}, the record says {record['winners']}"
    assert len(record["returns"]) == len(returns) and all(
        abs(said - right) < 1e-6 for said, right in zip(record["returns"], returns, strict=True)
    ), f"the returns are {[str(share) for share in returns]}, the record says {record['returns']}"
