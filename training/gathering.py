"""Playing games on the workers of a Ray cluster, and learning from them in one place.

A worker holds its share of the games, as a run of its own that never learns. In every update it gets the network,
plays, and sends back what it played. A worker that dies loses its games in progress; another takes its place.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.arena.cluster import LOCAL, demand_cores, join_cluster, said_by
from rat_envs.arena.workers import begin_worker
from rat_envs.engine.errors import ConfigurationError, RatEnvsError, shown
from rat_envs.engine.files import demand_outline
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game
from rat_envs.training.run import Run, RunOptions

__all__ = ["Earlier", "GatheringOptions", "GatheringRun", "Played"]

#: The number of workers in a row that may die in one place before any has played there.
TRIES = 3
#: Seconds of waiting for workers to begin after which a line says so.
PATIENCE = 60.0
#: At most this part of the budget goes to imitation.
IMITATED_AT_MOST = 0.4

#: What a worker played, games along the second axis, by name; None if it has died.
Played = Mapping[str, np.ndarray] | None
#: Plain values and arrays that a worker takes over before it begins.
Earlier = tuple[Mapping[str, Any], Mapping[str, np.ndarray]]


@dataclass(frozen=True)
class GatheringOptions(RunOptions):
    """Options shared by learners whose games can be played elsewhere.

    Attributes:
        num_games: number of games played at once.
        ray: address of a Ray cluster on which the games are played, as ``ray.init`` takes it; ``local`` for one of this
            machine alone; empty for none. After a resumption the games of the workers begin anew.
        ray_workers: number of workers; each has its share of the games.
        learning_rate: step size of the optimiser at the start.
        annealing_steps: number of steps over which annealed values fall linearly to their final values.
        final_rate: final learning rate, as a part of the initial one.
        teacher: an agent that the learner imitates at first.
        teacher_steps: number of steps for which the teacher is imitated, but at most two fifths of the budget; 0 for
            none.
    """

    FREE: ClassVar[frozenset[str]] = RunOptions.FREE | {"ray", "ray_workers"}
    COUNTS: ClassVar[tuple[str, ...]] = (*RunOptions.COUNTS, "num_games", "ray_workers", "annealing_steps")

    num_games: int = 64
    ray: str = ""
    ray_workers: int = 2
    learning_rate: float = 1e-3
    annealing_steps: int = 1_000_000
    final_rate: float = 0.1
    teacher: str = "greedy"
    teacher_steps: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._demand(0, 1, "final_rate")
        self._demand(1e-12, math.inf, "learning_rate")
        self._demand(0, math.inf, "teacher_steps")
        if self.ray and self.num_games % self.ray_workers:
            raise ConfigurationError(
                f"num_games={shown(self.num_games)}: must be a multiple of ray_workers={shown(self.ray_workers)}, so "
                "that each has its share."
            )

    def agents(self) -> tuple[str, ...]:
        """The teacher, if there is one."""
        return (self.teacher,) if self.teacher_steps else ()

    def of_worker(self, **changes: Any) -> GatheringOptions:
        """The options of a worker's run, with its share of the games."""
        games = self.num_games // self.ray_workers
        return dataclasses.replace(self, ray="", num_games=games, threads=1, **changes)


class GatheringRun(Run):
    """A learner whose games can be played elsewhere.

    Args:
        options: how to train.

    Attributes:
        teacher: the agent that is imitated at first, if there is one; each learner sets it.
        entropy: entropy of the policy in the last update, in nats; None before the first.
        imitation_is_over: whether imitation has ended; it never starts again, even if a resumed run has a larger
            budget.
    """

    options: GatheringOptions

    def __init__(self, options: GatheringOptions) -> None:
        super().__init__(options)
        self.imitation_is_over = False
        self.teacher: Agent | None = None
        self.entropy: float | None = None
        self.workers: Workers | None = None

    def begin_workers(self) -> None:
        """Begin the workers, if there are any. Do this last, when nothing else can go wrong."""
        if self.options.ray:
            self.workers = Workers(self.options)

    def is_imitating(self) -> bool:
        """Whether an update that begins now would imitate."""
        begins_to_play = self.steps >= self.options.teacher_steps or self.fraction() >= IMITATED_AT_MOST
        return not (self.imitation_is_over or begins_to_play)

    def decide_to_imitate(self) -> bool:
        """Decide whether the update that begins now imitates. After the first one that does not, none does."""
        self.imitation_is_over = not self.is_imitating()
        return not self.imitation_is_over

    def report(self) -> dict[str, Any]:
        """The entropy, and the agent that is being imitated."""
        return {"entropy": self.entropy, "imitated": self.options.teacher if self.is_imitating() else None}

    def imitation_state(self) -> dict[str, Any]:
        """Whether imitation is over, and the state of the teacher."""
        state: dict[str, Any] = {"alone": self.imitation_is_over}
        return state if self.teacher is None else {**state, "teacher": self.teacher.get_state()}

    def set_imitation_state(self, state: Mapping[str, Any]) -> None:
        """Go on from :meth:`imitation_state`.

        Raises:
            KeyError, ValueError: it does not fit.
        """
        demand_outline(state, {"alone": bool})
        self.imitation_is_over = state["alone"]
        if self.teacher is not None:
            self.teacher.set_state(state["teacher"])

    def annealed(self, final: float) -> float:
        """The factor of annealing: from 1 down to ``final``, linearly."""
        return 1 - (1 - final) * min(1.0, self.steps / self.options.annealing_steps)

    def gather(self, imitating: bool) -> None:
        """Play an update's decisions in every game, here or on the workers."""
        if self.workers is None:
            self.play(imitating)
            return
        given = self.parameters(), self.updates, imitating, self.earlier
        for number, played in enumerate(self.workers.play(*given)):
            size = self.options.num_games // self.options.ray_workers
            self.take(slice(number * size, (number + 1) * size), played)

    @abstractmethod
    def play(self, imitating: bool) -> None:
        """Play an update's decisions in every game here."""

    @abstractmethod
    def begin_games(self, seed: int) -> None:
        """Begin other games, with a seed of their own; everything else stays as it is."""

    @abstractmethod
    def parameters(self) -> dict[str, np.ndarray]:
        """The network's parameters, by name."""

    @abstractmethod
    def take_parameters(self, parameters: Mapping[str, np.ndarray], updates: int) -> None:
        """From now on play with these parameters, the result of this many updates."""

    def earlier(self) -> Earlier:
        """The state that a worker takes over before it begins, besides the parameters; empty by default."""
        return {}, {}

    def take_over(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Take over the learner's :meth:`earlier`."""

    @abstractmethod
    def played(self) -> dict[str, np.ndarray]:
        """The arrays of what was played here, by name, with games along the second axis."""

    @abstractmethod
    def take(self, games: slice, played: Played) -> None:
        """Put what a worker played in the place of some games; None if it is lost."""

    def close(self) -> None:
        """End the workers, too."""
        super().close()
        if self.workers is not None:
            self.workers.close()


class Worker:
    """A share of the games.

    Args:
        options: the options of its run.
        number: its own.
    """

    def __init__(self, options: GatheringOptions, number: int) -> None:
        self.options, self.number = options, number
        self.run: GatheringRun | None = None

    def begin(self) -> None:
        """Do nothing: a reply shows that the worker is up."""

    def play(
        self, parameters: Mapping[str, np.ndarray], updates: int, imitating: bool, earlier: Earlier
    ) -> dict[str, np.ndarray]:
        """Play an update's decisions with these parameters, in games of its own."""
        if self.run is None:
            self.run = self.new_run(updates, earlier)
        self.run.take_parameters(parameters, updates)
        self.run.play(imitating)
        return self.run.played()

    def new_run(self, updates: int, earlier: Earlier) -> GatheringRun:
        """A run with games that no other worker has begun, nor the same one before a resumption."""
        run: GatheringRun = self.options.new_run()  # type: ignore[assignment]
        run.take_over(*earlier)
        seed = np.random.SeedSequence([self.options.seed, self.number, updates]).generate_state(1)
        run.begin_games(int(seed[0]))
        return run


class RemoteWorker(Worker):
    """A worker in a process of its own, which uses one core.

    Args:
        game: not used; unpickling it registers the game in this process, where ``options`` name it.
        options: the options of its run.
        number: its own.
    """

    def __init__(self, game: Game, options: GatheringOptions, number: int) -> None:
        begin_worker()
        super().__init__(options, number)


class Workers:
    """All workers, on a Ray cluster.

    Args:
        options: the options of the learner.

    Raises:
        ConfigurationError: there are more workers than cores of this machine, if they are to play here.
        MissingExtraError: Ray is not installed.
        RatEnvsError: no cluster answers at the address.
    """

    def __init__(self, options: GatheringOptions) -> None:
        self.options = options
        self.ray, self.begun = join_cluster(options.ray, "Gathering games on a Ray cluster")
        self.actors: list[Any] = []
        self.deaths = [0] * options.ray_workers
        self.have_begun = [False] * options.ray_workers
        try:
            if options.ray == LOCAL:
                demand_cores(self.ray, "ray_workers", options.ray_workers)
            self.actors += [self.new_actor(number) for number in range(options.ray_workers)]
            self.wait_for_all()
        except BaseException:
            self.close()
            raise

    def wait_for_all(self) -> None:
        """Wait until all have begun; say so if that takes long, for example because a cluster has to grow first."""
        waiting = [actor.begin.remote() for actor in self.actors]
        _, missing = self.ray.wait(waiting, num_returns=len(waiting), timeout=PATIENCE)
        if missing:
            text = f"{len(missing)} of {len(waiting)} Ray workers have not begun: the cluster may lack free cores."
            print(text, file=sys.stderr)

    def new_actor(self, number: int) -> Any:
        """A worker with new games."""
        game = get_game(self.options.game)
        return self.ray.remote(num_cpus=1)(RemoteWorker).remote(game, self.options.of_worker(), number)

    def play(
        self, parameters: Mapping[str, np.ndarray], updates: int, imitating: bool, earlier: Callable[[], Earlier]
    ) -> Sequence[Played]:
        """What each worker has played with these parameters; None for one that died and was replaced.

        Raises:
            RatEnvsError: workers die before they have played.
        """
        sent = self.ray.put(dict(parameters))
        first = None if all(self.have_begun) else self.ray.put(earlier())
        given: list[Any] = [({}, {}) if begun else first for begun in self.have_begun]
        coming = [
            actor.play.remote(sent, updates, imitating, each) for actor, each in zip(self.actors, given, strict=True)
        ]
        return [self.result(number, each) for number, each in enumerate(coming)]

    def result(self, number: int, coming: Any) -> Played:
        """What one worker has played; None if it died and was replaced.

        Raises:
            RatEnvsError: it cannot play. Any other exception in the worker is raised here unchanged.
        """
        lost = self.ray.exceptions
        try:
            played: Played = self.ray.get(coming)
        except lost.RayTaskError as error:
            raise error.cause from None
        except (lost.RayActorError, lost.ObjectLostError, lost.OutOfMemoryError) as error:
            self.replace(number, error)
            return None
        except lost.RayError as error:
            raise RatEnvsError(f"Ray worker {number} cannot play: {said_by(error)}.") from None
        self.deaths[number], self.have_begun[number] = 0, True
        return played

    def replace(self, number: int, error: Exception) -> None:
        """Replace a worker that died.

        Raises:
            RatEnvsError: it died ``TRIES`` times in a row without playing.
        """
        self.deaths[number] += 1
        self.have_begun[number] = False
        if self.deaths[number] >= TRIES:
            raise RatEnvsError(f"Ray worker {number} died {TRIES} times without playing: {said_by(error)}")
        self.actors[number] = self.new_actor(number)
        print(f"Ray worker {number} died; its games in hand are lost, and a new one begins.", file=sys.stderr)

    def close(self) -> None:
        """End the workers, and the cluster if it was started for them."""
        for actor in self.actors:
            self.ray.kill(actor)
        if self.begun:
            self.ray.shutdown()
