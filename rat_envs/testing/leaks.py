"""A test that nothing leaks: agents are shown only what they can know, and the rest can be replaced by a fair
sample."""

from __future__ import annotations

import copy
import math
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from rat_envs.api.spaces import LegalActions
from rat_envs.api.view import GameView
from rat_envs.engine.checks import checked_count
from rat_envs.engine.errors import ConfigurationError, LeakError, shown
from rat_envs.testing.stories import story_test

__all__ = ["LeakError", "LeakReport", "SeatReport", "leak_test", "play_at_random"]

#: At most this share of a game's positions is looked at, so that they come from about this many games: each game is one
#: observation in the test of fairness.
SHARE_OF_POSITIONS, GAMES = 0.5, 64
#: The assumed length of a game, until one has been played.
USUAL_LENGTH = 100
#: A twin branches off at most this many steps back, and is given up after this many attempts.
TWIN_STEPS, TWIN_ATTEMPTS = 4, 3
#: The first positions of a game, in which different games often look the same.
OPENING_STEPS = 4
#: The probability that a fair environment is called unfair.
FALSE_ALARMS = 1e-5

Play = Callable[[Any, str, np.random.Generator], Any]
Look = dict[str, Hashable]
#: Stands for a value under a name that does not exist.
_ABSENT = object()


@dataclass(frozen=True)
class SeatReport:
    """The findings for one agent.

    Attributes:
        positions: the number of positions looked at.
        differing: share of resamples that differ from the truth.
        differing_by_chance: share of resamples that differ from a second one.
        twins: the number of resamples that were compared with a second truth that looks the same to the agent.
        largest_z: the largest deviation from fairness that was found, in standard deviations.
        allowed_z: the largest deviation that chance alone may cause.
        games: the number of games looked at. Each counts as one observation, so no deviation can be larger than its
            square root, except those from twins of openings.
    """

    agent: str
    positions: int
    differing: float
    differing_by_chance: float
    twins: int
    largest_z: float
    allowed_z: float
    games: int

    def __str__(self) -> str:
        least = math.floor(self.allowed_z**2) + 1
        short = f" (fairness takes at least {least} games to be tested)" if self.games < least else ""
        return (
            f"{self.agent}: {self.positions} positions, resamples differ from the truth in {self.differing:.1%} of them"
            f" and from each other in {self.differing_by_chance:.1%}; {self.twins} twins;"
            f" largest deviation {self.largest_z:.1f} of {self.allowed_z:.1f} allowed{short}"
        )


@dataclass(frozen=True)
class LeakReport:
    """The report of a :func:`leak_test` that found nothing wrong."""

    positions: int
    games: int
    seats: tuple[SeatReport, ...]

    def __str__(self) -> str:
        head = f"No leak in {self.positions} positions of {self.games} games."
        return "\n".join([head, *map(str, self.seats)])


def leak_test(
    env: Any,
    positions: int = 1000,
    seed: int = 0,
    *,
    play: Play | None = None,
    hidden_state: Callable[[Any], bytes] | None = None,
    reseed: Callable[[Any, int], None] | None = None,
    texts_every: int = 1,
    pictures_every: int = 100,
) -> LeakReport:
    """Show that no agent of ``env`` learns what it cannot know, and that ``determinize`` samples it fairly.

    Positions come from random play. In each position and for every agent, a copy of the environment is determinized,
    which makes it a *resample* of the truth. The agent's observation, mask, info, legal actions, reward, end and
    renderings (if the environment offers ``render_for(agent, mode)``) must stay as they were, byte for byte; for
    environments of this package, so must its story (:func:`~rat_envs.testing.stories.story_test`).

    ``determinize`` must depend only on what the agent sees: from the same seed, determinizing a resample must give the
    same state as determinizing the truth, byte for byte.

    Fairness is tested without knowing the game:

    - The truth must equal a resample as often as two resamples equal each other.
    - Each byte of the hidden state must have each value as often in the truth as in resamples, and the same mean.
    - A resample must equal the truth as often as it equals a *twin*: another truth that looks the same to the agent,
      reached from the same position up to four steps earlier, or in the opening of another game. So a resampler that
      returns the truth is caught wherever twins are found.

    Args:
        env: any PettingZoo AEC environment that can be copied by ``copy.deepcopy`` and offers
            ``determinize(agent, seed)``, which replaces in place what the agent cannot know; wrappers too.
        positions: the number of positions to look at, each for every agent.
        seed: seed of everything: game ``i`` begins with ``env.reset(seed=seed + i)``.
        play: ``(env, agent, random) -> action``: the play that leads to the positions; by default uniform over the
            legal actions. Sampling is fair only with respect to it.
        hidden_state: ``(env) -> bytes`` of the whole game without random streams; by default
            ``env.unwrapped.game_state`` without what the agents know (``Game.knowledge``).
        reseed: ``(env, seed)``: gives the chance of the running game a new seed, for more twins.
        texts_every: texts are compared in one of this many positions.
        pictures_every: pictures are compared in one of this many positions.

    Returns:
        The numbers behind the result.

    Raises:
        ConfigurationError: it is another environment, a parallel one for instance.
        LeakError: something is wrong; one sentence says what, for which agent and in which position.
    """
    _demand_testable(env)
    positions = checked_count("positions", positions)
    test = _LeakTest(env, seed, play or play_at_random, hidden_state or _row_bytes, reseed or _reseed)
    test.texts_every, test.pictures_every = texts_every, pictures_every
    while test.positions < positions:
        test.play_game(positions)
    test.compare_openings(positions)
    if isinstance(env.unwrapped, GameView):
        story_test(env.unwrapped.game, env.unwrapped.configuration, positions, seed)
    return test.report()


def _demand_testable(env: Any) -> None:
    """Refuse anything but an environment that can be tested.

    Raises:
        ConfigurationError: it is none.
    """
    if not hasattr(env, "agent_iter") or not hasattr(env, "determinize"):
        raise ConfigurationError(
            f"{shown(env)} cannot be tested for leaks: it must be a PettingZoo AEC environment with determinize."
        )


def play_at_random(env: Any, agent: str, random: np.random.Generator) -> Any:
    """An action drawn uniformly from the legal ones, by the mask in the observation or in ``infos``."""
    observation = env.observe(agent)
    for place in (observation, env.infos[agent]):
        if isinstance(place, Mapping) and "action_mask" in place:
            return int(random.choice(np.flatnonzero(place["action_mask"])))
    space = env.action_space(agent)
    space.seed(int(random.integers(2**31)))
    return space.sample()


def resampled(env: Any, agent: str, seed: int) -> Any:
    """A copy in which everything that ``agent`` cannot know is replaced."""
    resample = copy.deepcopy(env)
    resample.determinize(agent, seed)
    return resample


def _whole_row(env: Any) -> bytes:
    return np.asarray(env.unwrapped.game_state).tobytes()


def _row_bytes(env: Any) -> bytes:
    row = env.unwrapped.game_state.copy()  # np.array of a record would share its memory
    for name in getattr(getattr(env.unwrapped, "game", None), "knowledge", ()):
        row[name] = 0
    return row.tobytes()


def _reseed(env: Any, seed: int) -> None:
    if isinstance(env.unwrapped, GameView):
        env.unwrapped._batch.seed(seed)


class _Sums:
    """Sums of terms that are 0 on average if all is fair; terms of different clusters are independent."""

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self.total = np.zeros(shape)
        self.squares = np.zeros(shape)
        self.cluster = np.zeros(shape)

    def close(self) -> None:
        """End the cluster, and add it to the totals."""
        self.total += self.cluster
        self.squares += self.cluster**2
        self.cluster[...] = 0

    def z(self) -> np.ndarray:
        """The total in standard deviations."""
        return self.total / np.sqrt(np.where(self.squares > 0, self.squares, 1))


class _Evidence:
    """Comparisons of truths, resamples and twins for one agent. Hidden states of different lengths count as
    different."""

    def __init__(self) -> None:
        self.positions = self.equal_truth = self.equal_other = 0
        self.twins = self.twin_is_truth = self.twin_is_twin = 0
        self.equality = _Sums()
        self.twin = _Sums()
        self.values: _Sums | None = None
        self.means: _Sums | None = None

    def add_resamples(self, truth: bytes, first: bytes, second: bytes) -> None:
        """Add two independent resamples of one position."""
        self.positions += 1
        self.equal_truth += truth == first
        self.equal_other += first == second
        self.equality.cluster += ((truth == first) + (truth == second)) / 2 - (first == second)
        states = [np.frombuffer(state, np.uint8) for state in (truth, first, second)]
        if self.values is None or self.means is None:
            self.values, self.means = _Sums((len(truth), 256)), _Sums((len(truth),))
        if all(len(state) == len(self.means.total) for state in states):
            places = np.arange(len(truth))
            for state, weight in zip(states, (2, -1, -1), strict=True):
                self.values.cluster[places, state] += weight
                self.means.cluster += weight * state.view(np.int8).astype(float)

    def add_twin(self, truth: bytes, twin: bytes, resample: bytes) -> None:
        """A resample of ``truth``, and another truth that looks the same."""
        self.twins += 1
        self.twin_is_truth += resample == truth
        self.twin_is_twin += resample == twin
        self.twin.cluster += float(resample == truth) - float(resample == twin)

    def close(self) -> None:
        """End a game; the next one is independent of it."""
        for sums in (self.equality, self.twin, self.values, self.means):
            if sums is not None:
                sums.close()

    def allowed_z(self) -> float:
        """The limit that a fair environment exceeds in one of ``1 / FALSE_ALARMS`` tests, over all counts together."""
        bytewise = [np.count_nonzero(sums.squares) for sums in (self.values, self.means) if sums is not None]
        return NormalDist().inv_cdf(1 - FALSE_ALARMS / (2 * (2 + sum(bytewise))))

    def largest_z(self) -> float:
        """The largest deviation from fairness, in standard deviations."""
        all_sums = (self.equality, self.twin, self.values, self.means)
        return max(float(np.abs(sums.z()).max()) for sums in all_sums if sums is not None)

    def complaint(self, dtype: np.dtype | None) -> str | None:
        """The complaint about what is unfair; empty if nothing is."""
        allowed = self.allowed_z()
        if self.largest_z() <= allowed:
            return None
        if abs(self.twin.z()) > allowed:
            return (
                f"of {self.twins} resamples {self.twin_is_truth} equal the truth and {self.twin_is_twin} equal another "
                "truth that looks the same to this agent; it should be as many"
            )
        if abs(self.equality.z()) > allowed:
            return (
                f"in {self.positions} positions a resample equals the truth {self.equal_truth} times and another "
                f"resample {self.equal_other} times; it should be as many"
            )
        assert self.values is not None
        assert self.means is not None
        place = int(np.maximum(np.abs(self.values.z()).max(axis=1), np.abs(self.means.z())).argmax())
        value = int(np.abs(self.values.z()[place]).argmax())
        often = "more" if self.values.total[place, value] < 0 else "less"
        name = f"byte {place}" if dtype is None else field_at(dtype, place)
        return (
            f"{name} of the hidden state is {value} {often} often in resamples than in the truth "
            f"({self.largest_z():.1f} standard deviations)"
        )


class _LeakTest:
    """One run of :func:`leak_test`."""

    texts_every = pictures_every = 1

    def __init__(
        self,
        env: Any,
        seed: int,
        play: Play,
        hidden_state: Callable[[Any], bytes],
        reseed: Callable[[Any, int], None],
    ) -> None:
        self.env = env
        self.seed = seed
        self.play = play
        self.hidden_state = hidden_state
        self.reseed = reseed
        self.positions = self.games = self.games_seen = self.steps = 0
        self.evidence: dict[str, _Evidence] = defaultdict(_Evidence)

    def play_game(self, positions: int) -> None:
        """Play one game at random, and look at some of its positions until ``positions`` have been seen in all."""
        env, random = self.env, np.random.default_rng([self.seed, self.games])
        game_seed = self.seed + self.games
        env.reset(seed=game_seed)
        earlier: deque[tuple[Any, str, Any]] = deque(maxlen=TWIN_STEPS)
        share, before, step = self._share(positions), self.positions, 0
        looks = deque(random.random(TWIN_STEPS + 1) < share)
        while env.agents and self.positions < positions:
            if looks.popleft():
                self._look_at(f"after {step} steps of the game of seed {game_seed}", earlier, random)
            agent = env.agent_selection
            if env.terminations[agent] or env.truncations[agent]:
                break
            action = self.play(env, agent, random)
            if any(looks):
                earlier.append((copy.deepcopy(env), agent, action))
            else:
                earlier.clear()
            looks.append(random.random() < share)
            env.step(action)
            step += 1
        self.games, self.steps = self.games + 1, self.steps + step
        self.games_seen += self.positions > before
        for evidence in self.evidence.values():
            evidence.close()

    def _share(self, positions: int) -> float:
        """The share of the positions of the next game to look at."""
        length = max(1, self.steps / self.games) if self.games else USUAL_LENGTH
        return min(SHARE_OF_POSITIONS, max(1, positions / GAMES) / length)

    def _look_at(self, where: str, earlier: Iterable[tuple[Any, str, Any]], random: np.random.Generator) -> None:
        """Compare the position with resamples of it, and these with twins, for every agent."""
        env = self.env
        truth = self.hidden_state(env)
        modes = self._modes()
        self.positions += 1
        for agent in env.agents:
            seen, drawn = look(env, agent), draw(env, agent, modes)
            seeds = [int(random.integers(2**62)) for _ in range(2)]
            first, second = (resampled(env, agent, seed) for seed in seeds)
            for resample, before, after in (
                (first, {**seen, **drawn}, {**look(first, agent), **draw(first, agent, modes)}),
                (second, seen, look(second, agent)),
            ):
                self._compare(agent, where, before, after, resample)
            self._compare_tables(agent, where, second, resampled(first, agent, seeds[1]))
            if self.hidden_state(env) != truth:
                raise LeakError(
                    f"{where}: determinize for {agent} on a deep copy changes the environment it was copied from."
                )
            states = self.hidden_state(first), self.hidden_state(second)
            self.evidence[agent].add_resamples(truth, *states)
            twin = self._twin(agent, list(earlier), random)
            if twin is not None:
                self.evidence[agent].add_twin(truth, twin, states[0])

    def _modes(self) -> list[str]:
        modes = []
        if self.positions % self.texts_every == 0:
            modes.append("ansi")
        if self.positions % self.pictures_every == self.pictures_every // 2:
            modes.append("picture")
        return modes

    def _compare_tables(self, agent: str, where: str, of_truth: Any, of_resample: Any) -> None:
        """Compare two resamples, from one seed, of tables that look the same to the agent."""
        row = getattr(of_truth.unwrapped, "game_state", None)
        is_record = isinstance(row, (np.void, np.record))
        whole = _whole_row if is_record else self.hidden_state
        states = whole(of_truth), whole(of_resample)
        if states[0] == states[1]:
            return
        places = [place for place, (one, other) in enumerate(zip(*states, strict=True)) if one != other]
        names = (
            {field_at(row.dtype, place).split("[")[0] for place in places}
            if row is not None and is_record
            else {"the state"}
        )
        raise LeakError(
            f"determinize for {agent} depends on what it cannot know: of two tables that look alike to it {where} it "
            f"makes different ones from equal random numbers, in {', '.join(sorted(names))}."
        )

    def _compare(self, agent: str, where: str, before: Look, after: Look, env: Any) -> None:
        """Check that everything that is shown stays the same, and that nothing is added or missing."""
        changed = [name for name in {**before, **after} if before.get(name, _ABSENT) != after.get(name, _ABSENT)]
        if changed:
            names = ", ".join(_in_detail(name, before.get(name), after.get(name), env) for name in changed)
            raise LeakError(f"{agent} is shown what it cannot know: replacing it {where} changes {names}.")

    def _twin(self, agent: str, earlier: list[tuple[Any, str, Any]], random: np.random.Generator) -> bytes | None:
        """The hidden state of another truth that looks the same to ``agent``, after the same own actions."""
        if not earlier:
            return None
        path = earlier[-min(int(random.geometric(0.5)), len(earlier)) :]
        goals = [look(env, agent) for env in [*(env for env, _, _ in path[1:]), self.env]]
        for _ in range(TWIN_ATTEMPTS):
            world = copy.deepcopy(path[0][0])
            self.reseed(world, int(random.integers(2**62)))
            for (_, actor, action), goal in zip(path, goals, strict=True):
                world.step(action if actor == agent else self.play(world, actor, random))
                if look(world, agent) != goal:
                    break
            else:
                return self.hidden_state(world)
        return None

    def compare_openings(self, number: int) -> None:
        """Compare games that look the same to an agent from the first position on, in pairs, as twins."""
        alike: dict[tuple[str, Hashable], list[tuple[int, bytes]]] = defaultdict(list)
        for opening in range(number):
            for agent, history, truth in self._opening(opening):
                others = alike[agent, history]
                others.append((opening, truth))
                if len(others) == 2:
                    self._compare_pair(agent, others)
                    others.clear()

    def _opening(self, opening: int) -> Iterator[tuple[str, Hashable, bytes]]:
        """Play some first steps; return for every agent everything that it has seen, and the hidden state."""
        env, random = self.env, np.random.default_rng([self.seed, opening, 1])
        env.reset(seed=self.seed + self.games + opening)
        histories = {agent: [hash(tuple(look(env, agent).items()))] for agent in env.agents}
        for _ in range(opening % (OPENING_STEPS + 1)):
            agent = env.agent_selection
            if env.terminations[agent] or env.truncations[agent]:
                break
            env.step(self.play(env, agent, random))
            for agent, history in histories.items():
                history.append(hash(tuple(look(env, agent).items())))
        truth = self.hidden_state(env)
        for agent, history in histories.items():
            yield agent, tuple(history), truth

    def _compare_pair(self, agent: str, pair: list[tuple[int, bytes]]) -> None:
        evidence = self.evidence[agent]
        for (opening, truth), (_, twin) in (pair, pair[::-1]):
            for _ in self._opening(opening):
                break
            random = np.random.default_rng([self.seed, opening, 2])
            evidence.add_twin(truth, twin, self.hidden_state(resampled(self.env, agent, int(random.integers(2**62)))))
        evidence.close()

    def report(self) -> LeakReport:
        """The numbers, if they show a fair environment."""
        row = getattr(self.env.unwrapped, "game_state", None)
        dtype = row.dtype if self.hidden_state is _row_bytes and isinstance(row, (np.void, np.record)) else None
        seats = []
        for agent, evidence in self.evidence.items():
            complaint = evidence.complaint(dtype)
            if complaint:
                raise LeakError(f"determinize for {agent} does not sample fairly: {complaint}.")
            n = max(evidence.positions, 1)
            z = evidence.largest_z(), evidence.allowed_z()
            shares = 1 - evidence.equal_truth / n, 1 - evidence.equal_other / n
            seats.append(SeatReport(agent, evidence.positions, *shares, evidence.twins, *z, self.games_seen))
        return LeakReport(self.positions, self.games_seen, tuple(seats))


def look(env: Any, agent: str) -> Look:
    """Everything that the interface shows ``agent``, except pictures and texts, by name and in comparable form."""
    seen: Look = dict(_leaves("observation", env.observe(agent)))
    for name in ("infos", "rewards", "_cumulative_rewards", "terminations", "truncations"):
        seen.update(_leaves(name, getattr(env, name, {}).get(agent)))
    space = env.action_space(agent)
    if isinstance(space, LegalActions):
        seen["action_space"] = space.legal().tobytes()
    seen["agent_selection"] = env.agent_selection
    seen["agents"] = tuple(env.agents)
    return seen


def draw(env: Any, agent: str, modes: Iterable[str]) -> Look:
    """The renderings for ``agent`` and for the public, if the environment offers ``render_for``."""
    drawn: Look = {}
    bare = env.unwrapped
    if hasattr(bare, "render_for"):
        for mode in modes:
            for point_of_view in (agent, "public"):
                drawn[f"{mode} of {point_of_view}"] = _rendering(bare, point_of_view, mode)
                if mode == "ansi" and isinstance(bare, GameView) and bare.game.paragraphs is not None:
                    said = bare.game.paragraphs(bare.game_state, _seat_of(bare, point_of_view))
                    drawn[f"paragraphs of {point_of_view}"] = tuple(said)
    return drawn


def _rendering(env: Any, point_of_view: str, mode: str) -> Hashable:
    if mode == "ansi":
        return env.render_for(point_of_view, "ansi")
    if isinstance(env, GameView):  # pixels are made from the SVG, and take a hundred times as long
        return env.game.drawing(env.game_state, _seat_of(env, point_of_view))
    return np.asarray(env.render_for(point_of_view, "rgb_array")).tobytes()


def _seat_of(env: GameView, point_of_view: str) -> int | None:
    return None if point_of_view == "public" else env.possible_agents.index(point_of_view)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Hashable]]:
    """The parts of a nested value by name, arrays as dtype, shape and bytes."""
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from _leaves(f"{name}[{key!r}]", value[key])
    elif isinstance(value, (list, tuple)):
        for place, part in enumerate(value):
            yield from _leaves(f"{name}[{place}]", part)
    elif isinstance(value, (np.ndarray, np.generic)):
        yield name, (value.dtype.str, value.shape, value.tobytes())
    else:
        yield name, (type(value).__name__, repr(value))


def _in_detail(name: str, before: Any, after: Any, env: Any) -> str:
    """``name``, and for an observation with named fields those that differ."""
    dtype = getattr(getattr(env.unwrapped, "game", None), "observation", None)
    if not (isinstance(dtype, np.dtype) and isinstance(before, tuple) and isinstance(after, tuple)):
        return name
    if not name.startswith("observation") or before[:2] != after[:2] or len(after[2]) != dtype.itemsize:
        return name
    places = [place for place in range(dtype.itemsize) if before[2][place] != after[2][place]]
    return f"{name} in {', '.join(field_at(dtype, place) for place in places)}"


def field_at(dtype: np.dtype, offset: int) -> str:
    """The name of the field of a structured dtype that holds the byte ``offset``, with its place in an array."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        place = ", ".join(map(str, np.unravel_index(offset // base.itemsize, shape)))
        inner = field_at(base, offset % base.itemsize)
        return f"[{place}]" + (f".{inner}" if inner else "")
    for name, (part, start, *_) in (dtype.fields or {}).items():
        if start <= offset < start + part.itemsize:
            inner = field_at(part, offset - start)
            return name + (inner if inner.startswith("[") or not inner else f".{inner}")
    return ""
