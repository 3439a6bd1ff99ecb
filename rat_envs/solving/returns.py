"""The exact returns of two agents against each other, computed without playing games, and so without luck."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.agent_code import let_agent_check
from rat_envs.engine.game import Game
from rat_envs.engine.presets import Preset
from rat_envs.engine.registry import get_game
from rat_envs.solving.best_response import expected_returns, play_in_public_states
from rat_envs.solving.exploitability import (
    Progress,
    configuration_of,
    demand_measurable,
    demand_policy,
    policy_in_public_states,
    policy_of,
    position_for_two,
)
from rat_envs.solving.game_tree import build_game_tree
from rat_envs.solving.public_tree import bind, build_tree

__all__ = ["exact_returns"]


def exact_returns(
    game: str | Game,
    agent: Agent,
    other: Agent,
    config: Any = None,
    *,
    preset: str | Preset | None = None,
    progress: Progress | None = None,
) -> tuple[float, float]:
    """The exact mean return of an agent against another one, as player_0 and as player_1.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`, for two players.
        agent, other: agents whose policies are functions of their views.
        config: options by name.
        preset: a position by name in place of a whole game; it has its own options.
        progress: called with the number of states done and the total, for one agent after the other.

    Raises:
        ConfigurationError: an agent has no such policy; or the configuration hides more than simultaneous choices, and
            no preset is named; or other options are given beside a preset.
        UnknownNameError: there is no such preset.
    """
    game = get_game(game)
    configuration = configuration_of(game, config, preset)
    agents = agent, other
    for each in agents:
        demand_policy(each)
        let_agent_check(each, game, configuration)
    if preset is not None:
        position = position_for_two(game, preset)
        tree = build_game_tree(position)
        own, others = (policy_of(each, tree, position.configuration, progress) for each in agents)
        seats = np.append(np.arange(2), tree.sets["seat"][tree.owners])
        firsts, seconds = (expected_returns(tree, np.where(seats == seat, own, others)) for seat in range(2))
        return float(firsts[0]), float(seconds[1])
    demand_measurable(game, configuration)
    public = build_tree(game, configuration)
    own, others = (policy_in_public_states(each, game, configuration, public, progress)[0] for each in agents)
    found = []
    for seat, pair in enumerate(((own, others), (others, own))):
        values = np.zeros(len(public.nodes))
        bind(game, play_in_public_states)(public.nodes, public.children, public.weights, *pair, values)
        found.append(float(values[-1]) * (1 if seat == 0 else -1))
    return found[0], found[1]
