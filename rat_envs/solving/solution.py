"""Solving a position by the linear program, CFR+ or MCCFR; the results, and the solutions that are saved."""

from __future__ import annotations

import base64
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from rat_envs.engine.archive import write_file
from rat_envs.engine.checks import as_array, checked_seed, whole_or
from rat_envs.engine.errors import ConfigurationError, RecordError, reason_of, shown, shown_name, shown_path
from rat_envs.engine.files import MEBIBYTE, demand_outline, read_json
from rat_envs.engine.game import Game
from rat_envs.engine.presets import Preset
from rat_envs.engine.registry import get_game
from rat_envs.solving.best_response import expected_returns, nash_conv
from rat_envs.solving.cfr import CfrPlus
from rat_envs.solving.game_tree import GameTree, build_game_tree, checked_tree
from rat_envs.solving.mccfr import ExternalSampling
from rat_envs.solving.sequence_form import solve_linear_program

__all__ = [
    "ITERATIONS",
    "METHODS",
    "SOLUTIONS",
    "Solution",
    "converge",
    "kept_solution",
    "save_solution",
    "solution_path",
    "solve_preset",
    "solve_tree",
]

#: ``lp``: the exact linear program; ``cfr``: CFR+; ``mccfr``: external-sampling MCCFR.
METHODS = ("lp", "cfr", "mccfr")
#: The default number of iterations.
ITERATIONS = {"lp": 0, "cfr": 1000, "mccfr": 1_000_000}
#: The most iterations: more than anybody waits for.
MOST_ITERATIONS = 10**15
#: About how many seconds Ctrl-C may have to wait.
SLOW = 0.1
#: The folder of solutions of the presets, one file each.
SOLUTIONS = Path(__file__).parent / "solutions"
FORMAT = "rat-solution/1"
#: The most bytes of a saved solution, and of the policy in it when it is unpacked.
MOST_BYTES = 16 * MEBIBYTE
#: The keys and types of a saved solution.
OUTLINE = {
    "format": str,
    "game": str,
    "version": int,
    "preset": str,
    "method": str,
    "iterations": int,
    "seed": int,
    "value": float,
    "nash_conv": float,
    "histories": int,
    "information_sets": int,
    "first_decision": {str: float},
    "policy": str,
}


@dataclass(frozen=True)
class Solution:
    """A solver's result for a preset.

    Attributes:
        game: the game's name.
        version: the game's version.
        preset: its name.
        method: one of :data:`METHODS`.
        iterations: number of iterations of the method.
        seed: seed of MCCFR's games.
        value: the mean return of player_0 when both play it.
        nash_conv: how much more best responses win, summed over all seats: 0 for an equilibrium.
        histories: number of nodes of the tree.
        information_sets: number of information sets.
        first_decision: the probability of each action of the first decision.
        seconds: time for the tree and the solver, compilation included.
        policy: the probability of each action of each information set, in the order of the tree.
    """

    game: str
    version: int
    preset: str
    method: str
    iterations: int
    seed: int
    value: float
    nash_conv: float
    histories: int
    information_sets: int
    first_decision: dict[str, float]
    seconds: float
    policy: tuple[float, ...]

    def __repr__(self) -> str:
        """One line, without the policy, which may have thousands of numbers."""
        iterations = f" in {self.iterations:,} iterations" if self.iterations else ""
        return (
            f"<Solution of {self.game} {self.preset} by {self.method}{iterations}: value {self.value:+.4f}, "
            f"nash_conv {self.nash_conv:.2g}, {self.information_sets:,} information sets>"
        )

    def summary(self) -> dict[str, object]:
        """Everything but the policy, as plain values for JSON."""
        return {name: value for name, value in asdict(self).items() if name != "policy"}


def solve_preset(
    game: str | Game,
    preset: str | Preset,
    method: str = "lp",
    iterations: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Solution:
    """Solve a position of a game.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        preset: its name, or a :class:`~rat_envs.engine.presets.Preset` of your own.
        method: one of :data:`METHODS`.
        iterations: number of iterations of CFR+ or MCCFR; :data:`ITERATIONS` if not given.
        seed: seed of MCCFR's games.
        progress: called with the numbers of iterations done and of all.

    Raises:
        UnknownNameError: there is no such game or preset.
        ConfigurationError: the method is unknown, or not for this game; the game is too large; or ``iterations`` or
            ``seed`` is wrong.
    """
    game = get_game(game)
    started = time.perf_counter()
    beginning, iterations, seed = game.preset(preset), checked_iterations(method, iterations), checked_seed(seed)
    tree = build_game_tree(beginning.position(game))
    policy = solve_tree(tree, method, None if method == "lp" else iterations, seed, progress)
    return Solution(
        game=game.name,
        version=game.version,
        preset=beginning.name,
        method=method,
        iterations=iterations,
        seed=seed,
        value=float(expected_returns(tree, policy)[0]),
        nash_conv=nash_conv(tree, policy),
        histories=tree.histories,
        information_sets=len(tree.sets),
        first_decision=tree.first_decision(policy),
        seconds=time.perf_counter() - started,
        policy=tuple(policy[tree.players :].tolist()),
    )


def checked_iterations(method: str, iterations: int | None) -> int:
    """The number of iterations of a method: the given one, or its default.

    Raises:
        ConfigurationError: there is no such method, it has no iterations, or they are out of range.
    """
    if not isinstance(method, str) or method not in METHODS:
        raise ConfigurationError(f"method={shown(method)}: must be one of {', '.join(METHODS)}.")
    if iterations is None:
        return ITERATIONS[method]
    if method == "lp":
        raise ConfigurationError(f"iterations={shown(iterations)}: the method lp has none.")
    number = whole_or(iterations, 0)
    if not 1 <= number <= MOST_ITERATIONS:
        raise ConfigurationError(
            f"iterations={shown(iterations)}: must be a whole number from 1 to {MOST_ITERATIONS:,}."
        )
    return number


def solve_tree(
    tree: GameTree,
    method: str,
    iterations: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """(S) float64: the policy that a method finds; args and errors are those of :func:`solve_preset`."""
    tree, iterations, seed = checked_tree(tree), checked_iterations(method, iterations), checked_seed(seed)
    if method == "lp":
        return solve_linear_program(tree)[0]
    policy = tree.uniform()
    for done, average in converge(tree, method, np.linspace(iterations / 100, iterations, 100), seed):
        policy = average
        if progress is not None:
            progress(done, iterations)
    return policy


def converge(tree: GameTree, method: str, stops: np.ndarray, seed: int = 0) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the average policy of CFR+ or MCCFR after each of these numbers of iterations, to see how it converges.

    Args:
        tree: the game.
        method: ``cfr`` or ``mccfr``.
        stops: increasing numbers of iterations.
        seed: seed of MCCFR's games.

    Yields:
        The number of iterations done, and the policy, (S) float64.

    Raises:
        ConfigurationError: the method is neither, or stops or seed are wrong.
    """
    if method not in ("cfr", "mccfr"):
        raise ConfigurationError(f"method={shown(method)}: must be cfr or mccfr.")
    numbers = as_array(stops)
    if numbers.ndim != 1 or numbers.dtype.kind not in "fiu" or not np.isfinite(numbers).all():
        raise ConfigurationError(f"stops={shown(stops)}: must be growing numbers of iterations.")
    seed = checked_seed(seed)
    solver: CfrPlus | ExternalSampling = CfrPlus(tree) if method == "cfr" else ExternalSampling(tree, seed)
    for stop in np.round(numbers).astype(int).tolist():
        if stop > solver.iterations:
            run_until(solver, stop)
            yield solver.iterations, solver.average()


def run_until(solver: CfrPlus | ExternalSampling, stop: int) -> None:
    """Iterate in parts of at most about ``SLOW`` seconds, because Ctrl-C waits for the end of a part."""
    part = 1
    while solver.iterations < stop:
        started = time.perf_counter()
        solver.run(min(part, stop - solver.iterations))
        if time.perf_counter() - started < SLOW / 2:
            part *= 2


def solution_path(game: str, preset: str) -> Path:
    """The file of the solution of a preset."""
    return SOLUTIONS / f"{game}_{preset}.json"


def save_solution(solution: Solution) -> Path:
    """Save a solution as JSON; the policy in it is little-endian float64, compressed by zlib, in base64."""
    path = solution_path(solution.game, solution.preset)
    kept = {"format": FORMAT, **asdict(solution)}
    del kept["seconds"]
    kept["policy"] = base64.b64encode(zlib.compress(np.array(solution.policy).astype("<f8").tobytes(), 9)).decode()
    write_file(path, (json.dumps(kept) + "\n").encode())
    return path


def kept_solution(game: str | Game, preset: str | Preset) -> Solution:
    """The saved solution of a preset.

    Raises:
        UnknownNameError: there is no such game or preset.
        RecordError: none is saved, it is of another version of the game, or the file is damaged.
    """
    game, beginning = get_game(game), preset
    preset = game.preset(beginning).name
    if isinstance(beginning, Preset) and beginning not in game.presets:
        raise RecordError(f"No solution is kept of a preset {shown_name(preset)} of your own: solve it anew.")
    path = solution_path(game.name, preset)
    if not os.path.exists(path):  # unlike Path, it accepts names that no file can have
        raise RecordError(f"No solution of {game.name} {preset} is kept: solve it with --save.")
    kept = read_json(path, "solution", MOST_BYTES, RecordError)
    try:
        demand_outline(kept, OUTLINE)
        if (kept.pop("format"), kept["version"]) != (FORMAT, game.version):
            raise RecordError(
                f"{shown_path(path)} is of another format or version of {game.name}: solve it anew with --save."
            )
        if kept.keys() != OUTLINE.keys() - {"format"} or (kept["game"], kept["preset"]) != (game.name, preset):
            raise ValueError(f"it is not of {game.name} {preset}, or has parts that no solution has")
        return Solution(**{**kept, "policy": _policy_of(kept["policy"]), "seconds": 0.0})
    except RecordError:
        raise
    except (ValueError, zlib.error) as error:
        raise RecordError(
            f"{shown_path(path)} is not a solution: {reason_of(error)}; solve it anew with --save."
        ) from None


def _policy_of(text: str) -> tuple[float, ...]:
    """Read the policy that :func:`save_solution` has written.

    Raises:
        ValueError, zlib.error: it is something else, or larger than any tree of ours.
    """
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("its policy is cut off, or too large")
    policy = np.frombuffer(content, "<f8")
    if not ((policy >= 0) & (policy <= 1 + 1e-9)).all():
        raise ValueError("its policy has numbers that are no probabilities")
    return tuple(policy.tolist())
