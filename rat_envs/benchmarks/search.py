"""Speed of search and sampled regrets beside OpenSpiel's in C++: simulations and iterations per second, in turns in one
run.

OpenSpiel's ISMCTS cannot play goofspiel: it needs seats that move one at a time and a game that can resample what is
hidden, and goofspiel made turn-based cannot do that. So OpenSpiel's MCTS is used there, which looks at what is hidden
and samples nothing. ISMCTS plays leduc_poker, and oh_hell, whose games are about as long as those of goofspiel(8).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rat_envs.benchmarks.measuring import Row, best_in_turns
from rat_envs.engine.batch import Batch
from rat_envs.engine.game import Game

__all__ = [
    "Contender",
    "compare",
    "measure_search",
    "open_spiel_sampling",
    "open_spiel_search",
    "our_sampling",
    "our_search",
]

#: The number of simulations for one move, and of iterations at a time.
SIMULATIONS = 1000
ITERATIONS = 1000
#: The exploration weight in OpenSpiel's examples; it does not matter for speed.
EXPLORATION = 2.0
#: The preset of our games in which regrets are sampled.
PRESET = "small"

#: Prizes are in a fixed order, so that the game has no chance, as in BraveRats.
GOOFSPIEL = "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards={},points_order=descending))"
#: Games to search in, by their names here.
FOR_ISMCTS = {"leduc_poker": "leduc_poker", "oh_hell, 3 players, 8 tricks": "oh_hell(players=3,num_tricks_fixed=8)"}
FOR_MCTS = {"goofspiel(8), which it sees whole": GOOFSPIEL.format(8)}
#: Games whose regrets are sampled, each with the number of its information states.
FOR_SAMPLING = {
    "kuhn_poker": ("kuhn_poker", 12),
    "goofspiel(4)": (GOOFSPIEL.format(4), 162),
    "leduc_poker": ("leduc_poker", 936),
    "liars_dice": ("liars_dice", 24576),
}


@dataclass(frozen=True)
class Contender:
    """Something whose speed is measured.

    Attributes:
        what: its name, in words.
        work: a function that does some work, and returns how much.
        size: the number of information states of its game, if that matters.
    """

    what: str
    work: Callable[[], int]
    size: int = 0

    def __str__(self) -> str:
        return f"{self.what}, {self.size:,} information states" if self.size else self.what


def has_open_spiel() -> bool:
    """Whether OpenSpiel is installed."""
    return importlib.util.find_spec("pyspiel") is not None


def open_spiel() -> str:
    """OpenSpiel's name and version."""
    return f"OpenSpiel {importlib.metadata.version('open_spiel')}"


def open_spiel_search() -> Iterator[Contender]:
    """OpenSpiel's searches with random rollouts, for the first move of a game; nothing if it is not installed."""
    if not has_open_spiel():
        return
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    for what, name in FOR_ISMCTS.items():
        chosen = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        blind = pyspiel.ISMCTSBot(0, evaluator, EXPLORATION, SIMULATIONS, -1, chosen, False, False)
        yield Contender(f"{open_spiel()} ISMCTS, {what}", searching(blind, first_decision(name)))
    for what, name in FOR_MCTS.items():
        game, megabytes, solve, verbose = pyspiel.load_game(name), 1000, False, False
        seeing = pyspiel.MCTSBot(game, evaluator, EXPLORATION, SIMULATIONS, megabytes, solve, 0, verbose)
        yield Contender(f"{open_spiel()} MCTS, {what}", searching(seeing, first_decision(name)))


def first_decision(name: str) -> Any:
    """The state of one of OpenSpiel's games at the first decision after a deal."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node():
        outcomes = state.legal_actions()
        state.apply_action(outcomes[len(outcomes) // 2])
    return state


def searching(bot: Any, state: Any) -> Callable[[], int]:
    """A function that runs one search after another in the same state; each begins from nothing."""

    def search() -> int:
        bot.step(state)
        return SIMULATIONS

    return search


def open_spiel_sampling() -> Iterator[Contender]:
    """OpenSpiel's external-sampling MCCFR: as in ours, an iteration updates every seat once."""
    if not has_open_spiel():
        return
    import pyspiel

    for what, (name, size) in FOR_SAMPLING.items():
        solver = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game(name), 0)
        yield Contender(f"{open_spiel()} external sampling, {what}", sampling(solver), size)


def sampling(solver: Any) -> Callable[[], int]:
    """A function that runs one iteration after another."""

    def sample() -> int:
        for _ in range(ITERATIONS):
            solver.run_iteration()
        return ITERATIONS

    return sample


def our_search(games: Iterable[Game]) -> Iterator[Contender]:
    """Our search with random rollouts, for the first move of a game."""
    from rat_envs.agents.search import SearchAgent, SearchOptions
    from rat_envs.api.seats import SeatViews

    def searching(game: Game) -> Callable[[], int]:
        agent, batch = SearchAgent(SearchOptions(sims=SIMULATIONS), seed=0), Batch(game, 1, seed=0)
        batch.reset()
        views = SeatViews(batch)

        def search() -> int:
            agent.act_batch(views)
            return SIMULATIONS

        return search

    for game in games:
        yield Contender(f"{game.name}: ISMCTS", searching(game))


def our_sampling(games: Iterable[Game]) -> Iterator[Contender]:
    """Our external-sampling MCCFR, in the small preset of a game."""
    from rat_envs.solving.game_tree import build_game_tree
    from rat_envs.solving.mccfr import ExternalSampling

    def sampling(solver: ExternalSampling) -> Callable[[], int]:
        def sample() -> int:
            solver.run(ITERATIONS)
            return ITERATIONS

        return sample

    for game in games:
        tree = build_game_tree(game.preset(PRESET).position(game))
        what = f"{game.name}, preset {PRESET}: external sampling"
        yield Contender(what, sampling(ExternalSampling(tree)), len(tree.sets))


def compare(ours: Iterable[Contender], theirs: Iterable[Contender], unit: str, effort: float) -> list[Row]:
    """The best speed of each over several turns, all in one run: theirs, and each of ours beside those of theirs with
    the nearest size."""
    ours, theirs = list(ours), list(theirs)
    speeds = best_in_turns([one.work for one in [*theirs, *ours]], effort)
    their_speeds, our_speeds = speeds[: len(theirs)], speeds[len(theirs) :]
    rows = [Row(str(one), speed, unit) for one, speed in zip(theirs, their_speeds, strict=True)]
    for one, speed in zip(ours, our_speeds, strict=True):
        distances = [abs(math.log(max(one.size, 1) / max(other.size, 1))) for other in theirs]
        rows += [
            Row(str(one), speed, unit, str(other), speed / their_speed)
            for other, their_speed, distance in zip(theirs, their_speeds, distances, strict=True)
            if distance == min(distances)
        ]
        rows += [] if theirs else [Row(str(one), speed, unit)]
    return rows


def measure_search(games: Iterable[Game], effort: float) -> list[Row]:
    """Simulations per second of searches, and iterations per second of sampled regrets."""
    games = list(games)
    rows = compare(our_search(games), open_spiel_search(), "simulations/s", effort)
    return rows + compare(our_sampling(games), open_spiel_sampling(), "iterations/s", effort)
