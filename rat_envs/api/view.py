"""The common base of PettingZoo's two interfaces: a batch of one, drawn from a point of view, that can be saved."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from gymnasium.error import ResetNeeded

from rat_envs.api.copying import CopiedWhole
from rat_envs.api.illegal import demand_illegal
from rat_envs.api.spaces import LegalActions, copy_of_space, masked_observation_space, seat_names, vector_space
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import checked_seed
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError, ConfigurationError, RatEnvsError, UnknownNameError, shown
from rat_envs.engine.game import EVERYTHING, Game, PointOfView
from rat_envs.engine.position import new_stream
from rat_envs.engine.random import FUTURE_STREAM
from rat_envs.engine.raster import can_rasterise, demand_packages, rasterise
from rat_envs.engine.registry import get_game
from rat_envs.engine.states import demand_row

__all__ = [
    "NO_RENDER_MODE",
    "RENDER_MODES",
    "GameView",
    "NotResetError",
    "demand_flat",
    "demand_render_mode",
    "render_modes",
    "render_table",
]

#: All render modes; :func:`render_modes` lists those that can be drawn here.
RENDER_MODES = ("human", "ansi", "rgb_array", "svg")
#: The error if there is no render mode.
NO_RENDER_MODE = "render() draws nothing without a render mode: make the environment with render_mode='ansi'."
#: The methods after which ``human`` prints the table.
DRAWN_AFTER = ("reset", "step")
#: Types of objects that copies share.
NEVER_CHANGING = (str, int, float, type(None), Game, Configuration)


class NotResetError(RatEnvsError, ResetNeeded):
    """Something that exists only while a game goes on was asked for before ``reset()``, or after the end."""


def render_modes() -> list[str]:
    """The render modes that can be drawn: pictures need the extra ``render``."""
    return [mode for mode in RENDER_MODES if mode != "rgb_array" or can_rasterise()]


def demand_render_mode(mode: str | None) -> None:
    """Refuse anything that is not a render mode, or cannot be drawn here.

    Raises:
        ConfigurationError: it is not None, and not one of ``RENDER_MODES``.
        MissingExtraError: it is ``rgb_array``, and the packages that draw pictures are not installed.
    """
    if mode is not None and not (isinstance(mode, str) and mode in RENDER_MODES):
        raise ConfigurationError(f"render_mode={shown(mode)}: must be None, {', '.join(RENDER_MODES)}.")
    if mode == "rgb_array" and not can_rasterise():
        demand_packages()


def demand_flat(flat: Any) -> bool:
    """``flat``, if it is True or False.

    Raises:
        ConfigurationError: it is something else.
    """
    if not isinstance(flat, (bool, np.bool_)):
        raise ConfigurationError(f"flat={shown(flat)}: must be True or False.")
    return bool(flat)


def render_table(
    game: Game, row: Any, point_of_view: PointOfView, mode: str, dark: bool = False
) -> str | np.ndarray | None:
    """The table from a point of view, pictures in dark colours if ``dark``.

    Returns:
        Text for ``ansi``, (H, W, 3) uint8 for ``rgb_array``, the text of the SVG document for ``svg``, None for
        ``human``, which prints the text.
    """
    if mode == "rgb_array":
        return rasterise(game.drawing(row, point_of_view), dark=dark)
    if mode == "svg":
        return game.drawing(row, point_of_view)
    text = game.text(row, point_of_view)
    return text if mode == "ansi" else print(text)


class GameView(CopiedWhole):
    """One game behind an environment's interface.

    Subclasses name in ``_kept`` their attributes that are saved with a game, and return in ``_has_begun`` whether there
    has been a game. (All attributes exist before the first game: ``__getattr__`` would make all of them slower.)
    """

    _kept: tuple[str, ...] = ()
    #: Attributes that are short cuts into others, and not part of a copy.
    _short_cuts: tuple[str, ...] = ()
    _has_begun = False
    #: PettingZoo's flag: the actions of all agents can be given at once.
    _is_parallelizable = True
    #: The number of actions besides the game's own.
    _more_actions = 0
    #: The point of view that ``own`` means.
    _own = "public"

    def __init__(
        self,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None,
        render_mode: str | None,
        point_of_view: str,
        flat: bool,
        illegal: str,
    ) -> None:
        self.game = get_game(game)
        self.configuration = self.game.configuration.make(config)
        self.possible_agents = seat_names(self.configuration.players)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        demand_render_mode(render_mode)
        names = ("own", "public", *self.possible_agents, *([EVERYTHING] if self.game.shows_everything else []))
        if not isinstance(point_of_view, str) or point_of_view not in names:
            raise ConfigurationError(f"point_of_view={shown(point_of_view)}: must be one of {', '.join(names)}.")
        self.render_mode = render_mode
        self.point_of_view = point_of_view
        #: Whether an observation is the vector alone.
        self.flat = demand_flat(flat)
        #: What happens to an illegal action: ``raise``, ``random`` or ``lose``.
        self.illegal = demand_illegal(illegal)
        #: The number of illegal actions of each agent in this game; empty if they raise.
        self.illegal_actions: dict[str, int] = {}
        if illegal != "raise":
            self._kept = (*self._kept, "illegal_actions")
            self._forgive()
        actions = len(self.game.actions) + self._more_actions
        self.observation_spaces = {
            agent: vector_space(self.game) if flat else masked_observation_space(self.game, actions)
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: LegalActions(actions, self, agent) for agent in self.possible_agents}
        self.agents: list[str] = []
        self.metadata = {
            "name": self.game.name,
            "render_modes": render_modes(),
            "render_fps": 1,
            "is_parallelizable": self._is_parallelizable,
        }
        self._attach(Batch(self.game, 1, self.configuration, auto_reset=False))

    def _demand_begun(self, what: str) -> None:
        """Refuse what needs a game before the first one.

        Raises:
            NotResetError: there has been no game yet.
        """
        if not self._has_begun:
            raise NotResetError(f"No game is under way: call reset() before {what}().")

    def observation_space(self, agent: str) -> spaces.Space:
        """The space of an agent's observation; always the same object.

        Raises:
            UnknownNameError: there is no such agent.
        """
        self.seat_of(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> LegalActions:
        """The space of actions by number, whose ``sample()`` is legal; always the same object.

        Raises:
            UnknownNameError: there is no such agent.
        """
        self.seat_of(agent)
        return self.action_spaces[agent]

    def _forgive(self) -> None:
        """Begin to count illegal actions anew."""
        self.illegal_actions = dict.fromkeys(self.possible_agents, 0)

    def _seed_spaces(self, seed: int) -> None:
        seed = checked_seed(seed)
        for seat, space in enumerate(self.action_spaces.values()):
            space.seed_with_game(seed, seat)

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Begin a new game, or go on from the state among the options."""
        if options is not None:
            self._begin_at(seed, options)
        else:
            self._batch.reset(seed)
        if seed is not None:
            self._seed_spaces(seed)

    def _begin_at(self, seed: int | None, options: Mapping[str, Any]) -> None:
        """Begin at the state in the options.

        Raises:
            ConfigurationError: they are not options, or no seat is to act in the state among them.
        """
        if not isinstance(options, Mapping):
            raise ConfigurationError(f"options={shown(options)}: must be options by name, such as state.")
        state, batch = options.get("state"), self._batch
        if state is None:
            batch.reset(seed)
            return
        if getattr(state, "shape", None) == self.state_space.shape:
            raise ConfigurationError(
                "state: env.state() is what all seats see together, from which no game can go on: give env.game_state."
            )
        demand_row(self.game, state, batch.states["config"][0])
        state, before = state.copy(), batch.get_state()  # the state may be this game's own
        batch.reset(seed)
        batch.begin_at(state)
        if batch.actors[0] < 0:
            batch.set_state(before)
            raise ConfigurationError("state: no decision is left there, so that nobody is to act.")

    def _attach(self, batch: Batch) -> None:
        """Take ``batch`` as this view's game; subclasses take their short cuts into its arrays here."""
        self._batch = batch
        if self.render_mode == "human":
            for name in DRAWN_AFTER:
                setattr(self, name, functools.partial(self._draw_after, getattr(type(self), name)))

    def _draw_after(self, change: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Draw the table when it has changed, as gymnasium requires of ``human``; in other modes this costs nothing."""
        answer = change(self, *arguments, **keywords)
        if arguments != (None,):  # which agents pass in their last step after the end
            self.render()
        return answer

    @property
    def game_state(self) -> Any:
        """The whole game, hidden facts included: for debugging, never for an agent."""
        return self._batch.states[0]

    @property
    def state_space(self) -> spaces.Box:
        """The space of :meth:`state`."""
        return vector_space(self.game, len(self.possible_agents))

    def state(self) -> np.ndarray:
        """(P * O,) int8: the observations of all seats one after another, for a critic that sees more than its agent.

        It is what all seats know together, so an agent must never use it for its own choice. Facts that no seat knows,
        such as the order of a pile, are not in it.
        """
        self._demand_begun("state")
        return np.concatenate([self._batch.observe_one(0, seat) for seat in range(len(self.possible_agents))])

    def seat_of(self, agent: str) -> int:
        """The number of an agent's seat.

        Raises:
            UnknownNameError: there is no such agent.
        """
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            right = ", ".join(self.possible_agents)
            raise UnknownNameError(f"There is no agent {shown(agent)}: the agents are {right}.") from None

    def determinize(self, agent: str, seed: int) -> None:
        """Replace everything that ``agent`` cannot know, including future chance, by a random sample that fits its
        knowledge.

        The environment is changed in place. What ``agent`` observes stays the same, byte for byte.

        Args:
            agent: an agent's name.
            seed: seed of the sample and of future chance.

        Raises:
            NotResetError: there has been no game yet.
            UnknownNameError: there is no such agent.
            ConfigurationError: ``seed`` is not a whole number from 0 to 2**64 - 1.
        """
        self._demand_begun("determinize")
        seat, batch = self.seat_of(agent), self._batch
        batch.program.determinize(batch.states[0], seat, new_stream(self.game, seed, batch.program.compiled))
        batch.program.seed_stream(batch.streams[0], np.uint64(checked_seed(seed)), FUTURE_STREAM)
        batch.refresh()

    def render_for(self, point_of_view: str, mode: str, dark: bool = False) -> str | np.ndarray | None:
        """Render the table from a point of view.

        Args:
            point_of_view: an agent's name, ``public`` for what everybody knows, or ``all`` for everything.
            mode: the render mode.
            dark: whether a picture (``rgb_array``) has dark colours.

        Returns:
            The result of :func:`render_table` in this mode.

        Raises:
            ConfigurationError: there is no such mode, or the game cannot show everything.
            UnknownNameError: there is no such agent.
            MissingExtraError: ``mode`` is ``rgb_array``, and the extra ``render`` is not installed.
        """
        eyes = self._eyes(point_of_view)
        demand_render_mode(mode)
        return render_table(self.game, self.game_state, eyes, mode, dark)

    def _eyes(self, name: str) -> PointOfView:
        """The point of view of that name."""
        if isinstance(name, str) and name in ("public", EVERYTHING):
            return None if name == "public" else self.game.demand_everything()
        return self.seat_of(name)

    def _looking(self) -> str:
        """The name of the present point of view."""
        return self._own if self.point_of_view == "own" else self.point_of_view

    def render(self) -> Any:
        """The table in the render mode, from the point of view.

        Raises:
            NotResetError: there has been no game yet.
        """
        self._demand_begun("render")
        if self.render_mode is None:
            logger.warn(NO_RENDER_MODE)
            return None
        return self.render_for(self._looking(), self.render_mode)

    def _repr_svg_(self) -> str:
        """The picture for a notebook: the table from the point of view."""
        return self.game.drawing(self.game_state, self._eyes(self._looking()))

    def state_dict(self) -> dict[str, Any]:
        """Everything needed to go on from here: plain values and bytes. The random numbers with which action spaces
        sample are not in it.

        Raises:
            NotResetError: there has been no game yet.
        """
        self._demand_begun("state_dict")
        return {
            "game": self.game.name,
            "version": self.game.version,
            "config": self.configuration.to_dict(),
            "games": self._batch.get_state(),
            **{name: _plain_copy(getattr(self, name)) for name in self._kept},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where :meth:`state_dict` was taken, in this or another environment of the same configuration.

        Raises:
            CheckpointError: the state is damaged, incomplete, or of another game, version or configuration; nothing has
                changed.
        """
        if not isinstance(state, Mapping):
            raise CheckpointError(f"A saved state must be what state_dict() gives, not {type(state).__name__}.")
        self._demand_same(state)
        missing = [name for name in ("games", *self._kept) if name not in state]
        if missing:
            raise CheckpointError(f"The saved state has no {missing[0]!r}: it is incomplete.")
        before = self._batch.get_state()
        self._batch.set_state(state["games"])
        wrong = self._wrong_in(state)
        if wrong:
            self._batch.set_state(before)
            raise CheckpointError(f"The saved state is damaged: its {wrong!r} are not those of its game.")
        for name in self._kept:
            setattr(self, name, _plain_copy(state[name]))
        self._follow()

    def _demand_same(self, state: Mapping[str, Any]) -> None:
        """Demand that the saved state is of this game, this version and this configuration."""
        own = self.configuration.to_dict()
        config = state.get("config")
        pairs = [
            (name, state.get(name), getattr(self.game, where))
            for name, where in (("game", "name"), ("version", "version"))
        ]
        if isinstance(config, dict) and config.keys() == own.keys():
            pairs += [(name, config[name], right) for name, right in own.items()]
        else:
            pairs.append(("config", config, own))
        for name, found, right in pairs:
            if type(found) is not type(right) or found != right:
                raise CheckpointError(
                    f"The saved state has {name} {shown(found)}, this environment has {shown(right)}."
                )

    def _miscounts(self, state: Mapping[str, Any]) -> bool:
        """Whether the numbers of illegal actions in a saved state are impossible."""
        counts = state.get("illegal_actions", {})
        right = isinstance(counts, dict) and list(counts) == list(self.illegal_actions)
        return not right or not all(type(count) is int and count >= 0 for count in counts.values())

    def _wrong_in(self, state: Mapping[str, Any]) -> str | None:
        """The attribute in ``_kept`` that is impossible in the game that has been loaded; None if all are possible."""
        raise NotImplementedError

    def _follow(self) -> None:
        """Set the attributes that follow from the game and from those in ``_kept``."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in (*self._short_cuts, *DRAWN_AFTER)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for space in self.action_spaces.values():
            space.owner = self
        self._attach(self._batch)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        twin = memo[id(self)] = object.__new__(type(self))
        twin.__setstate__({name: _deep_copy(value, twin, memo) for name, value in self.__getstate__().items()})
        return twin


def _deep_copy(value: Any, owner: GameView, memo: dict[int, Any]) -> Any:
    """A copy of a part of a view, for the view's copy ``owner``; immutable objects are shared."""
    if isinstance(value, NEVER_CHANGING):
        return value
    if type(value) is dict:
        return {name: _deep_copy(part, owner, memo) for name, part in value.items()}
    if type(value) is list:
        return [_deep_copy(part, owner, memo) for part in value]
    if isinstance(value, spaces.Space):
        return memo.setdefault(id(value), copy_of_space(value))
    return copy.deepcopy(value, memo)


def _plain_copy(value: Any) -> Any:
    """A copy of nested dicts and lists that shares no mutable part."""
    if isinstance(value, dict):
        return {name: _plain_copy(part) for name, part in value.items()}
    if isinstance(value, (list, np.ndarray)):
        return value.copy()
    return value
