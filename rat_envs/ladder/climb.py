"""Playing what is missing on the ladder, and saving it: one JSON object, written anew after every pairing.

The games of a pairing can be saved, too, in a tournament's folder. Then an interrupted pairing goes on where it was,
and if a pairing gets more games, those already played count.
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
#: The keys and types of a result.
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
    """The results so far, one for each pairing; empty if there is no file yet.

    Raises:
        RecordError: the file holds something else.
    """
    return read_results(path, FORMAT, "ladder", OUTLINE)


def missing(results: Sequence[dict[str, Any]], pairings: Sequence[Pairing]) -> list[Pairing]:
    """The pairings that have not been played, or were played with other settings than now, or by a trained policy that
    has been replaced since.
    """
    played = [result["pairing"] for result in standing(results, pairings)]
    return [pairing for pairing in pairings if asdict(pairing) not in played]


def standing(results: Sequence[dict[str, Any]], pairings: Sequence[Pairing]) -> list[dict[str, Any]]:
    """The results that belong on the ladder: of these pairings, by the present rules and trained policies.

    If a pairing is to be played anew, with more games or other settings, its old result stays until then.
    """
    wanted = {pairing.match for pairing in pairings}
    belonging = [result for result in results if match_of(result) in wanted and _has_both_sides(result)]
    belonging = [each for each in belonging if each["version"] == get_game(each["pairing"]["game"]).version]
    return [each for each in belonging if each.get("policy") == policy_digest(Pairing(**each["pairing"]))]


def match_of(result: dict[str, Any]) -> tuple[str, str, str, str]:
    """The agents and the game of a result."""
    return Pairing(**result["pairing"]).match


def _has_both_sides(result: dict[str, Any]) -> bool:
    """Whether the results of both agents of a pairing are there."""
    sides = {result["pairing"]["upper"], result["pairing"]["lower"]}
    return sides <= result["mean_returns"].keys() and sides <= result["win_rates"].keys()


def policy_digest(pairing: Pairing) -> str | None:
    """The hexadecimal SHA-256 of the file of the trained policy that takes part; None if none does."""
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
    """Play the missing pairings, and write their results to ``path``.

    Args:
        path: the file of the ladder.
        pairings: the pairings that belong on it; results of others, and of policies that were replaced, are dropped.
        minutes: begin no pairing after this time.
        progress: called with the number of missing pairings that are done, including the part of one under way, and
            with their total.
        games: the folder in which each pairing has a folder for its games; they are not saved, if not given.

    Returns:
        The number of pairings still missing.

    Raises:
        CheckpointError: another process writes the file, or the saved games of a pairing are damaged or more than
            wanted.
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
    """The function to call with the numbers of games done and of all games of the pairing with this number."""
    if progress is None:
        return None
    return lambda done, games: progress(number + done / games, total)


def folder_name(pairing: Pairing, policy: str | None) -> str:
    """The folder of a pairing's games: the same if there are more games, another one for another policy or version."""
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
    """Play one pairing, on all cores; or the rest of it, if its games are saved in a folder within ``games``."""
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
