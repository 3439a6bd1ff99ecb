"""The base class of agents: an agent gets views of seats and chooses an action for each."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from rat_envs.api.agent_code import name_of, naming_agent, said_of, written_name
from rat_envs.api.seats import Playable, SeatViews
from rat_envs.engine.checks import checked_entropy
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, IllegalActionError, RatEnvsError, reason_of, shown
from rat_envs.engine.game import Game

__all__ = [
    "ROUNDING",
    "Agent",
    "are_chances",
    "array_of",
    "chosen_action",
    "chosen_actions",
    "chosen_with_probability",
    "distribution_of",
    "draw_actions",
    "policy_array",
    "refuse_unknown_options",
]

Self = TypeVar("Self", bound="Agent")

#: The error of rounding that is accepted in sums of probabilities.
ROUNDING = 1e-5
#: The kinds of arguments that can be given by name.
NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Agent:
    """Base class of all agents.

    A subclass returns action probabilities from :meth:`policy_batch`, or overrides :meth:`act_batch`. To ask an agent
    for one seat, call :meth:`act`, :meth:`policy` or :meth:`value`.

    Args:
        seed: seed of the agent's own random numbers; None for one from the operating system.

    Attributes:
        name: the agent's name on the command line.
    """

    name = "agent"
    #: Whether :meth:`policy_batch` is a function of the views alone, so that exploitability can be computed exactly.
    has_policy = True
    #: Whether it reads the past of its game (such as :meth:`SeatViews.news`). Its caller must then record the events.
    listens = False
    #: The number of its seat's last decisions that it must be shown. Its caller must record these, or all events.
    recall = 0
    #: Whether its policy depends on random numbers, but is always the same in the same situation until it is seeded
    #: again. A measurement should then average over many seeds.
    decides_by_seed = False
    #: Whether it asks a server. Its decisions may have cost money, so a tournament saves them soon.
    reaches_out = False
    #: (n) bool: where another agent had to decide in the last :meth:`act_batch`; None if that never happens.
    fell_back: np.ndarray | None = None
    #: (n) int64: the tokens that its last :meth:`act_batch` used at each seat; None if it uses none.
    spent: np.ndarray | None = None
    #: If the agent writes a file: its name for each game and seat there, by the numbers of the game and the seat.
    game_ids: Mapping[tuple[int, int], str] = MappingProxyType({})
    #: The name under which the agent was requested, with options; errors use it. None if it was made without a name.
    written_as: str | None = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        inherited: Any = super(cls, cls)
        if "name" not in vars(cls) and inherited.name in (Agent.name, *(kind.__name__ for kind in cls.__mro__)):
            cls.name = cls.__name__
        if "has_policy" not in vars(cls) and inherited.policy_batch is Agent.policy_batch:
            says_actions_alone = cls.policy_batch is Agent.policy_batch and cls.act_batch is not Agent.act_batch
            cls.has_policy = not says_actions_alone

    def __init__(self, seed: int | None = None) -> None:
        self.seed(seed)

    def __repr__(self) -> str:
        """The name as it was written, and the game if the agent knows it."""
        game = getattr(self, "game", None)
        return f"<Agent {name_of(self)}{f' for {game.name}' if isinstance(game, Game) else ''}>"

    @functools.cached_property
    def random(self) -> np.random.Generator:
        """The generator of the agent's own random numbers; it exists even if a subclass does not call this
        ``__init__``."""
        return np.random.default_rng()

    @classmethod
    def make(cls: type[Self], game: Game, seed: int | None = None, **options: Any) -> Self:
        """Make the agent for a game, with the options that follow its name: ``NAME:key=value,key=value``.

        By default the options are the arguments of the class. The class also gets ``game`` and ``seed`` if it takes
        them. If it takes no ``seed``, the new agent is seeded with :meth:`seed`.

        Raises:
            ConfigurationError: the agent has no such option, needs one that is not given, or cannot be made with the
                value of one.
        """
        arguments = inspect.signature(cls).parameters
        given = {name: value for name, value in {"game": game, "seed": seed}.items() if name in arguments}
        own = [one for one in arguments.values() if one.name not in given and one.kind in NAMED]
        written = written_name(cls)
        refuse_unknown_options(written, options, [one.name for one in own])
        for one in own:
            if one.default is one.empty and one.name not in options:
                raise ConfigurationError(f"The agent {written} needs the option {one.name!r}: write {one.name}=VALUE.")
        try:
            agent = cls(**{**given, **options})
        except RatEnvsError:
            raise
        except (TypeError, ValueError) as error:
            if not options:  # the options in the name cannot be the cause
                raise
            values = ",".join(f"{name}={shown(value)}" for name, value in options.items())
            why = f"{type(error).__name__}: {reason_of(error)}"
            raise ConfigurationError(f"The agent {written} cannot be made with {values} ({why}).") from error
        if seed is not None and "seed" not in given:
            agent.seed(seed)
        return agent

    def check(self, game: Game, configuration: Configuration) -> None:
        """Refuse, before a game begins, what the agent cannot play; by default it plays everything.

        Raises:
            ConfigurationError, CheckpointError, UnknownNameError: in subclasses: it cannot play this; the error says
                why.
        """

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Restart all of the agent's random numbers; None for a seed from the operating system."""
        self.random = np.random.default_rng(checked_entropy(seed))

    def act(self, env: Playable) -> int:
        """The number of a legal action for the seat that is to act, as ``env`` numbers actions.

        Args:
            env: a PettingZoo AEC environment of a rat game, or gymnasium's of one seat (``rat_envs.single``), wrapped
                or not; a narrator; a batch of one game; a position at which a seat is to act; or views of one seat.

        Raises:
            ConfigurationError: ``env`` is something else, or holds more than one game.
            IllegalActionError: no seat is to act: the game is over or has not begun.
        """
        action, meanings = int(chosen_actions(self, _one_view(env))[0]), _meanings(env)
        return action if meanings is None else int(np.argmax(meanings == action))

    def policy(self, env: Playable) -> np.ndarray:
        """(A,) float64: the probability of every action for the seat to act; 0 for illegal actions.

        Numbers that do not add up to 1 are taken as shares. Args are those of :meth:`act`.

        Raises:
            ConfigurationError: as :meth:`act`; or the agent has no probabilities.
            IllegalActionError: as :meth:`act`; or the agent returns something else, or gives some probability to an
                illegal action.
        """
        view = _one_view(env)
        legal = view.masks[0].copy()
        with naming_agent(self):
            given: np.ndarray = _probabilities(self, view).astype(np.float64)[0]
        policy: np.ndarray = given * legal
        total = given.sum()
        if total - policy.sum() > ROUNDING * total:
            illegal = int(np.argmax(given - policy))
            raise IllegalActionError(f"The agent {name_of(self)} gives probability to the illegal action {illegal}.")
        policy = policy if abs(total - 1) <= ROUNDING else policy / policy.sum()
        meanings = _meanings(env)
        return policy if meanings is None else policy[meanings]

    def value(self, env: Playable) -> float | None:
        """The return, from −1 to 1, that the agent expects for the seat to act; None if it makes no estimates.

        Args and errors are those of :meth:`act`.
        """
        with naming_agent(self):
            values = self.value_batch(_one_view(env))
        if values is None:
            return None
        numbers = array_of(self, values).ravel()
        if len(numbers) != 1 or numbers.dtype.kind not in "fiub":
            expected = shown(numbers.tolist())
            raise IllegalActionError(
                f"The agent {name_of(self)} expects the return {expected}: it must be one number, or None."
            )
        return float(numbers[0])

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: for each seat the probability of every action; 0 for illegal actions.

        Raises:
            NotImplementedError: the agent has no probabilities.
        """
        raise NotImplementedError(f"{type(self).__name__} gives no probabilities: it has no policy_batch.")

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """(n) int64: a legal action for each seat, drawn from :meth:`policy_batch`.

        Raises:
            ConfigurationError: the agent defines neither method.
            IllegalActionError: :meth:`policy_batch` returns anything but (n, A) probabilities.
        """
        return draw_actions(_probabilities(self, views), self.random)

    def value_batch(self, views: SeatViews) -> np.ndarray | None:
        """(n) float64: each seat's expected return; None for an agent that makes no estimates."""
        return None

    def fingerprint(self) -> str | None:
        """A hash of what the agent has learnt, to distinguish agents of the same name; None if it has learnt
        nothing."""
        return None

    def learnt_with(self, configuration: Configuration) -> dict[str, Any]:
        """Where the agent learnt to play with other options than these, the values that they had then, by name."""
        return {}

    def release(self) -> None:
        """Free memory that only makes the next decision faster; called when there is nothing to decide for a while."""

    @property
    def remark(self) -> str:
        """A remark on its play so far, in words, besides results; empty if there is none."""
        return ""

    def get_state(self) -> Any:
        """The state that changes as the agent plays, above all its random numbers, as plain values."""
        return self.random.bit_generator.state

    def set_state(self, state: Any) -> None:
        """Restore what :meth:`get_state` returned."""
        self.random.bit_generator.state = state


def _probabilities(agent: Agent, views: SeatViews) -> np.ndarray:
    """(n, A) numbers, 0 or larger: the agent's policy.

    Raises:
        ConfigurationError: the agent has none.
        IllegalActionError: it gives something else.
    """
    policy = policy_array(agent, views)
    if policy.shape != views.masks.shape or policy.dtype.kind not in "fiub" or not are_chances(policy):
        raise IllegalActionError(
            f"The agent {name_of(agent)} gives no probabilities, but {shown(policy.tolist())}: for each of "
            f"{len(views)} seats it must give a finite number from 0 for each of {views.masks.shape[1]} actions, not 0 "
            "for all."
        )
    return policy


def _one_view(env: Playable) -> SeatViews:
    """The view of the one seat to act."""
    views = env if isinstance(env, SeatViews) else SeatViews(env)
    if len(views) != 1:
        raise ConfigurationError(f"An agent acts for one seat here, not for {len(views)}: ask its act_batch for many.")
    is_under_way = getattr(getattr(env, "unwrapped", None), "is_under_way", True)
    if not is_under_way or views.seats[0] < 0 or not views.masks[0].any():
        raise IllegalActionError("No seat is to act: the game is over, or none has begun. Call reset() to begin one.")
    return views


def _meanings(env: Playable) -> np.ndarray | None:
    """(A,): the game's action for each of the environment's numbers; None if they are the same."""
    meanings: np.ndarray | None = getattr(getattr(env, "unwrapped", None), "meanings", None)
    return meanings


def refuse_unknown_options(agent: str, options: dict[str, Any], known: Sequence[str]) -> None:
    """Refuse options that an agent does not have.

    Raises:
        ConfigurationError: one is unknown; the error lists the known ones.
    """
    for name in options:
        if name not in known:
            having = f"the options are {', '.join(known)}" if known else "it has none"
            raise ConfigurationError(f"The agent {agent} has no option {shown(name)}: {having}.")


def chosen_actions(agent: Any, views: SeatViews) -> np.ndarray:
    """(n) integers: an agent's action for each seat.

    Raises:
        IllegalActionError: it returns something else, or an action that is not legal.
        AgentError: it raises an error that is not one of ours.
    """
    masks = views.masks.copy()  # as the agent may change those that it is given
    with naming_agent(agent):
        answer = agent.act_batch(views)
    return _checked_actions(agent, views, masks, answer)


def chosen_action(agent: Agent, views: SeatViews) -> int:
    """An agent's action for the one seat of these views, by :meth:`Agent.act`, which it may override.

    Raises:
        IllegalActionError, AgentError: as :func:`chosen_actions` says.
    """
    masks = views.masks.copy()
    with naming_agent(agent):
        answer = agent.act(views)
    return int(_checked_actions(agent, views, masks, [answer])[0])


def chosen_with_probability(agent: Agent, views: SeatViews) -> tuple[int, float | None]:
    """What :func:`chosen_action` gives, and the probability with which the agent chose it.

    The agent's random numbers go on as if only the action had been asked for. The probability is None if it cannot be
    known: the agent's policy depends on its seed, as a search's does, or it decides by code of its own and has no
    ``policy_batch`` that is a function of the views (``has_policy``).

    Raises:
        IllegalActionError: as :func:`chosen_actions` says; or the agent takes an action to which its ``policy_batch``
            gives no probability.
        ConfigurationError, AgentError: as :meth:`Agent.act`.
    """
    kind = type(agent)
    if kind.policy_batch is Agent.policy_batch or agent.decides_by_seed:
        return chosen_action(agent, views), None
    if kind.act_batch is Agent.act_batch and kind.act is Agent.act:
        masks = views.masks.copy()
        with naming_agent(agent):
            policy = _probabilities(agent, views)
            answer = draw_actions(policy, agent.random)
        action = int(_checked_actions(agent, views, masks, answer)[0])
    else:
        action = chosen_action(agent, views)
        known = _known_probabilities(agent, views) if agent.has_policy else None
        if known is None:
            return action, None
        policy = known
    probability = float(policy[0, action]) / float(policy[0].sum(dtype=np.float64))
    if not probability > 0:
        raise IllegalActionError(
            f"The agent {name_of(agent)} takes action {action} ({views.game.actions[action]}), to which its "
            "policy_batch gives no probability: set has_policy = False in its class if it decides otherwise."
        )
    return action, min(probability, 1.0)


def _known_probabilities(agent: Agent, views: SeatViews) -> np.ndarray | None:
    """The policy of an agent that has decided by code of its own, whose random numbers stay as they are; None if it
    turns out to have none."""
    with naming_agent(agent):
        state = copy.deepcopy(agent.get_state())
        try:
            return _probabilities(agent, views)
        except ConfigurationError as error:
            if isinstance(error.__cause__, NotImplementedError):
                return None
            raise
        finally:
            agent.set_state(state)


def _checked_actions(agent: Any, views: SeatViews, masks: np.ndarray, answer: Any) -> np.ndarray:
    """(n) integers: an agent's answer, checked.

    Args:
        masks: of the views before it was asked.

    Raises:
        IllegalActionError: it is something else, or not legal.
    """
    actions = array_of(agent, answer)
    if actions.shape != (len(views),) or actions.dtype.kind not in "iu" or (actions < 0).any():
        raise IllegalActionError(
            f"The agent {name_of(agent)} does {shown(actions.tolist())}: it must give a whole number from 0 for each "
            f"of {len(views)} seats."
        )
    try:
        legal = masks[np.arange(len(actions)), actions]
    except IndexError:  # an action is too large
        legal = actions < masks.shape[1]
    if not legal.all():
        i = int(legal.argmin())
        raise _illegal(agent, views, i, int(actions[i]), masks[i])
    return actions


def _illegal(agent: Any, views: SeatViews, i: int, action: int, mask: np.ndarray) -> IllegalActionError:
    """The error for an action of seat ``i`` that its mask forbids."""
    names = views.game.actions
    words = f"{action} ({names[action]})" if action < len(names) else f"{action}, of {len(names)} actions"
    legal = ", ".join(f"{each} ({names[each]})" for each in np.flatnonzero(mask))
    return IllegalActionError(
        f"The agent {name_of(agent)} takes action {words}, which player_{views.seats[i]} cannot: legal are {legal}."
    )


def policy_array(agent: Any, views: SeatViews) -> np.ndarray:
    """The result of an agent's ``policy_batch``, as an array of any shape.

    Raises:
        ConfigurationError: it has no ``policy_batch``.
        IllegalActionError: the result cannot be converted to an array.
    """
    try:
        answer = agent.policy_batch(views)
    except NotImplementedError as error:
        reason = reason_of(error) or f"it {said_of(error)}"
        raise ConfigurationError(
            f"The agent {name_of(agent)} cannot decide ({reason}): its class must have policy_batch(views), "
            "which gives probabilities, or act_batch(views), which gives actions."
        ) from error
    return array_of(agent, answer)


def distribution_of(agent: Any, views: SeatViews) -> np.ndarray:
    """(n, A): the result of an agent's ``policy_batch``, checked to be probability distributions over the legal
    actions.

    Raises:
        ConfigurationError: it is not.
        IllegalActionError: the result cannot be converted to an array.
    """
    masks = views.masks.copy()  # as the agent may change those that it is given
    with naming_agent(agent):
        policy = policy_array(agent, views)
    right = policy.dtype.kind in "fiub" and policy.shape == masks.shape and not (policy < 0).any()
    if right:
        totals, legal = policy.sum(axis=1), np.where(masks == 0, 0, policy).sum(axis=1)
        if np.allclose(totals, 1, atol=ROUNDING) and np.allclose(legal, 1, atol=ROUNDING):
            return policy
    raise ConfigurationError(
        f"Agent {name_of(agent)} gives no probability distribution over the legal actions: "
        f"{_wrong_in_totals(totals, legal) if right else f'it must be an array {masks.shape} of numbers from 0'}."
    )


def _wrong_in_totals(totals: np.ndarray, legal: np.ndarray) -> str:
    """What is wrong with non-negative probabilities that have these sums, and these sums over legal actions."""
    away = np.abs(totals - 1)
    if not np.isfinite(away).all():
        return "not all are finite"
    worst = int(away.argmax())
    if away[worst] > 2 * ROUNDING:
        return f"those of a seat add up to {totals[worst]:g}, not 1"
    return f"illegal actions have {(totals - legal).max():g} of it"


def array_of(agent: Any, answer: Any) -> np.ndarray:
    """An agent's answer as an array.

    Raises:
        IllegalActionError: it cannot be converted, such as rows of different lengths or a tensor that needs a gradient.
    """
    try:
        return np.asarray(answer)
    except (RuntimeError, TypeError, ValueError) as error:
        raise IllegalActionError(
            f"The agent {name_of(agent)} answers with what cannot become a numpy array: {reason_of(error)}."
        ) from error


def are_chances(policy: np.ndarray) -> bool:
    """Whether an action can be drawn in each row with probabilities proportional to its numbers."""
    totals = policy.sum(axis=1)
    return bool((policy >= 0).all() and (totals > 0).all() and np.isfinite(totals).all())


def draw_actions(policy: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Draw one action for each row, with probabilities proportional to its numbers."""
    reached = np.cumsum(policy, axis=1)
    drawn = random.random(len(policy)) * reached[:, -1]
    return (reached > drawn[:, None]).argmax(axis=1)
