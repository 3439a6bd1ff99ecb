"""Measurements of speed: every figure is per second of processor time on one core, measured in one run with what it is
compared to."""

from __future__ import annotations

from rat_envs.benchmarks.games import measure_games
from rat_envs.benchmarks.guided import measure_guided
from rat_envs.benchmarks.learner import measure_learner
from rat_envs.benchmarks.learning import measure_learning
from rat_envs.benchmarks.measuring import Row
from rat_envs.benchmarks.moves import measure_moves
from rat_envs.benchmarks.peers import measure_peers
from rat_envs.benchmarks.search import measure_search
from rat_envs.benchmarks.starting import measure_starting
from rat_envs.engine.registry import all_games, get_game

__all__ = ["Row", "run_benchmarks", "run_learning_benchmarks", "run_search_benchmarks"]


def run_benchmarks(game: str | None = None, peers: bool = False, effort: float = 1.0) -> list[Row]:
    """All benchmarks of one game, or of all.

    Args:
        game: its name; all, if not given.
        peers: whether also to measure the installed peers, beside the first of the games.
        effort: 1 for figures worth quoting, less for a smoke test.
    """
    rows: list[Row] = []
    games = [get_game(game)] if game else list(all_games().values())
    for chosen in games:
        rows += measure_games(chosen, effort)
        rows += measure_learner(chosen, effort)
    rows += measure_starting()
    return rows + (measure_peers(games[0], effort) if peers else [])


def run_search_benchmarks(game: str | None = None, effort: float = 1.0) -> list[Row]:
    """Benchmarks of search and sampled regrets in one game, or in all, beside OpenSpiel's if it is installed; and of
    searches with a policy beside those with rollouts, by simulations and by moves.

    Args:
        game, effort: as for :func:`run_benchmarks`.
    """
    games = [get_game(game)] if game else list(all_games().values())
    return measure_search(games, effort) + measure_guided(games, effort) + measure_moves(games, effort)


def run_learning_benchmarks(game: str | None = None, effort: float = 1.0) -> list[Row]:
    """Benchmarks of our learner beside MaskablePPO in one game, or in all.

    Args:
        game, effort: as for :func:`run_benchmarks`.
    """
    return measure_learning([get_game(game)] if game else all_games().values(), effort)
