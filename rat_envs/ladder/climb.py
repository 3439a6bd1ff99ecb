"""Plays what is missing on the ladder, and keeps it: one JSON object, written anew after every pairing.

The games of a pairing may be kept, too, in a tournament's folder: then it is gone on with where it was interrupted, and
where it is to have more games, those that have been played count.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rat_envs.agents.shipped import LEARNT, shipped_file
from rat_envs.arena import in_processes, make_plan, play_tournament
from rat_envs.arena.chunks import CHUNK_FORMAT
from rat_envs.arena.folder import Folder, versions
from rat_envs.arena.plan import file_hash
from rat_envs.engine.archive import write_file
from rat_envs.engine.files import read_results
from rat_envs.engine.folders import locked_file
from rat_envs.engine.registry import get_game
from rat_envs.ladder.rungs import Pairing

__all__ = ["LADDER", "climb", "load_ladder", "match_of", "missing", "standing"]

#: The file of the ladder, in the folder ``docs``.
LADDER = "ladder.json"
FORMAT = "rat-ladder/2"
ESTIMATE = {"mean": float, "low": float, "high": float}
#: What a result holds.
OUTLINE = {
    "pairing": {
        "game": str,
        "config": dict,
        "upper": str,
        "lower": str,
        "games": int,
        "chunk": int,
        "cost": int,
        "final_draws": int,
        "seed": int,
        "looks": int,
    },
    "version": int,
    "games": int,
    "difference": ESTIMATE,
    "mean_returns": {str: ESTIMATE},
    "win_rates": {str: ESTIMATE},
}


def load_ladder(path: Path) -> list[dict[str, Any]]:
    """What has been played: a result for each pairing; nothing if there is no file yet.

    Raises:
        RecordError: the file holds something else.
    """
    return read_results(path, FORMAT, "ladder", OUTLINE)


def missing(results: Sequence[dict[str, Any]], pairings: Sequence[Pairing]) -> list[Pairing]:
    """The pairings that have not been played, or in other games than they are to be by now, or only by a trained policy
    that has been replaced since.
    """
    played = [result["pairing"] for result in standing(results, pairings)]
    return [pairing for pairing in pairings if asdict(pairing) not in played]


def standing(results: Sequence[dict[str, Any]], pairings: Sequence[Pairing]) -> list[dict[str, Any]]:
    """Results that belong on the ladder: of these pairings, by the rules and the trained policies as they are now.

    One whose pairing is to be played in more games, or otherwise, stands until it has been.
    """
    wanted = {pairing.match for pairing in pairings}
    belonging = [result for result in results if match_of(result) in wanted and _has_both_sides(result)]
    belonging = [each for each in belonging if each["version"] == get_game(each["pairing"]["game"]).version]
    return [each for each in belonging if each.get("policy") == policy_digest(Pairing(**each["pairing"]))]


def match_of(result: dict[str, Any]) -> tuple[str, str, str, str]:
    """Who met in which game."""
    return Pairing(**result["pairing"]).match


def _has_both_sides(result: dict[str, Any]) -> bool:
    """Whether what each of the two agents of a pairing came to is there."""
    sides = {result["pairing"]["upper"], result["pairing"]["lower"]}
    return sides <= result["mean_returns"].keys() and sides <= result["win_rates"].keys()


def policy_digest(pairing: Pairing) -> str | None:
    """SHA-256 of the file of the trained policy that takes part, hexadecimal; None if none does."""
    if not any(LEARNT in side for side in (pairing.upper, pairing.lower)):
        return None
    game = get_game(pairing.game)
    return file_hash(shipped_file(game, game.configuration.make(pairing.config).players))


def climb(
    path: Path,
    pairings: Sequence[Pairing],
    minutes: float = float("inf"),
    progress: Callable[[float, int], None] | None = None,
    games: Path | None = None,
) -> int:
    """Play what is missing, and write it to ``path``.

    Args:
        path: the file of the ladder.
        pairings: what belongs on it; results of others, and of policies that were replaced, are dropped.
        minutes: begin no pairing after so much time.
        progress: called with how many of the missing pairings are done, of one under way the part, and with their
            number.
        games: the folder in which each pairing has one for its games; they are not kept, if not given.

    Returns:
        How many pairings are still missing.

    Raises:
        CheckpointError: another process writes the file, or what is kept of a pairing is damaged or has more games.
    """
    started = time.monotonic()
    with locked_file(path):
        results = standing(load_ladder(path), pairings)
        wanted, places = missing(results, pairings), [pairing.match for pairing in pairings]
        for number, pairing in enumerate(wanted):
            if time.monotonic() - started >= 60 * minutes:
                break
            played = play(pairing, games, _part(progress, number, len(wanted)))
            results = [*(result for result in results if match_of(result) != pairing.match), played]
            results.sort(key=lambda result: places.index(match_of(result)))
            write_file(path, (json.dumps({"format": FORMAT, "results": results}, indent=1) + "\n").encode())
    return len(missing(results, pairings))


def _part(progress: Callable[[float, int], None] | None, number: int, total: int) -> Callable[[int, int], None] | None:
    """What to call with games done and to be done of the pairing of this number."""
    if progress is None:
        return None
    return lambda done, games: progress(number + done / games, total)


def folder_name(pairing: Pairing, policy: str | None) -> str:
    """Where the games of a pairing are kept: the same for more of them, another with another policy or version."""
    made_by = {
        "policy": policy,
        "version": get_game(pairing.game).version,
        "format": CHUNK_FORMAT,
        "versions": versions(),
    }
    same = {**asdict(pairing), "games": None, "looks": None, **made_by}
    digest = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()
    return f"{pairing.game}-{digest[:16]}"


def play(
    pairing: Pairing, games: Path | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """One pairing, on all cores; or what is left of it, if its games are kept in a folder within ``games``."""
    digest = policy_digest(pairing)
    numbers = pairing.games, pairing.seed, pairing.chunk, pairing.final_draws
    plan = make_plan(pairing.game, [pairing.upper, pairing.lower], pairing.config, *numbers)
    folder = None if games is None else Folder(games / folder_name(pairing, digest), plan, "rat-envs ladder")
    result = play_tournament(plan, in_processes, folder, progress)
    upper, lower = result.names
    difference = result.pairwise[upper][lower]
    assert difference is not None
    agents = {pairing.upper: result.agents[0], pairing.lower: result.agents[1]}
    return {
        "pairing": asdict(pairing),
        "version": plan.version,
        "games": result.games,
        "difference": asdict(difference),
        "mean_returns": {name: asdict(agent.mean_return) for name, agent in agents.items()},
        "win_rates": {name: asdict(agent.win_rate) for name, agent in agents.items()},
        "records": result.records,
        "versions": versions(),
        **({"policy": digest} if digest else {}),
    }
