"""An agent's opinion of the decisions of recorded games, as rows of a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.game import Game
from rat_envs.play.decisions import player_in_table
from rat_envs.replays.explain import Explainer
from rat_envs.replays.frames import Played

__all__ = ["COLUMNS", "explained"]

COLUMNS = (
    *("game_id", "game", "step", "seat", "player", "action", "played"),
    *("probability", "best", "estimate", "value"),
)


def explained(
    records: Sequence[tuple[int, dict[str, Any]]],
    agent: str,
    trust: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[dict[str, Any]]:
    """A row for each action that was possible at each decision, in the order of decisions; numbers of steps from 1.

    Args:
        records: records from :meth:`~rat_envs.engine.records.Recorder.record`, each with its number, which names a game
            whose record has no ``game_id``.
        agent: the agent's name, as on a command line.
        trust: as for :func:`~rat_envs.api.named_agents.make_agent`.
        progress: called with the number of games done and the total.

    Raises:
        RecordError: a record is damaged, of another version, or breaks a rule.
        ConfigurationError, CheckpointError, UnknownNameError: the agent does not exist, or cannot play this.
        IllegalActionError: the agent's probabilities or its value are none.
    """
    explainers: dict[str, Explainer] = {}
    for done, (number, record) in enumerate(records, 1):
        played = Played(record)
        explainer = _explainer(explainers, played.game, played.configuration, agent, trust)
        about = {"game_id": record.get("game_id", number), "game": played.game.name}
        names = record.get("agents")
        for node, event in enumerate(played.events):
            if event.actor >= 0:
                player = player_in_table(names[event.actor]) if names else None
                told = {**about, "step": node + 1, "seat": event.actor, "player": player}
                yield from ({**told, **row} for row in _rows(explainer, played, node))
        progress(done, len(records))


def _explainer(
    kept: dict[str, Explainer], game: Game, configuration: Configuration, agent: str, trust: bool
) -> Explainer:
    """The explainer of a game with these options, which is made once."""
    key = json.dumps([game.name, configuration.to_dict()])
    if key not in kept:
        kept[key] = Explainer(game, configuration, agent, trust)
    return kept[key]


def _rows(explainer: Explainer, played: Played, node: int) -> Iterator[dict[str, Any]]:
    """The possible actions at a node, in the order of their numbers, and what the agent says of each."""
    opinion = explainer.opinion(played.rows[node], played.events[:node])
    estimates = opinion.estimates
    for action in opinion.legal:
        yield {
            "action": played.game.actions[action],
            "played": int(action == played.events[node].action),
            "probability": None if opinion.policy is None else float(opinion.policy[action]),
            "best": int(action == opinion.best),
            "estimate": None if estimates is None or estimates[action] is None else estimates[action],
            "value": opinion.value,
        }
