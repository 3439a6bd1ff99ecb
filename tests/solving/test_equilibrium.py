"""Equilibrium and exploitability of BraveRats, checked by independent ways to the same numbers."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.optimize import linprog

from rat_envs.agents import Agent, make_agent
from rat_envs.agents.search import SearchAgent, SearchOptions
from rat_envs.api.seats import SeatViews
from rat_envs.engine import Batch, get_game
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.position import Position
from rat_envs.ladder.page import ladder_page
from rat_envs.solving.averaged import Averaged
from rat_envs.solving.equilibrium import find_equilibrium
from rat_envs.solving.exploitability import exploitability
from rat_envs.solving.public_tree import find_states
from rat_envs.solving.returns import exact_returns

GAME = get_game("brave_rats")
FAST = GAME.configuration(fast=True)


@functools.cache
def base():
    return find_equilibrium(GAME, GAME.configuration())


def test_the_base_game_has_value_zero_and_a_mixed_opening():
    assert base().value == pytest.approx(0, abs=1e-9)
    first_move = base().first_move()
    assert sum(first_move.values()) == pytest.approx(1)
    assert len(first_move) > 3
    assert max(first_move.values()) < 0.5


def test_nash_cannot_be_exploited():
    result = exploitability(GAME, make_agent("nash", GAME, 0))
    assert abs(result.exploitability) < 1e-9
    assert abs(result.nash_conv) < 1e-9


def test_what_nash_returns_against_learnt_is_as_the_ladder_says():
    nash, learnt = (make_agent(name, GAME, 0) for name in ("nash", "learnt"))
    returns = exact_returns(GAME, nash, learnt)
    assert min(returns) >= -1e-9
    assert f"Against `learnt` it returns {sum(returns) / 2:+.4f}, exactly" in ladder_page([], [])


def value_of(position: Position) -> float:
    """The value to player_0, by plain recursion and a linear program at every simultaneous choice."""
    if position.is_over:
        return position.returns()[0]
    if position.is_chance:
        chances = position.chances()
        return sum(w * value_of(after(position, a)) for a, w in chances.items()) / sum(chances.values())
    legal = position.legal()
    if not position.program.simultaneous(position.state):
        values = [value_of(after(position, action)) for action in legal]
        return max(values) if position.actor == 0 else min(values)
    payoffs = []
    for action in legal:
        middle = after(position, action)
        payoffs.append([value_of(after(middle, other)) for other in middle.legal()])
    matrix = np.array(payoffs)
    rows, columns = matrix.shape
    result = linprog(
        [*[0.0] * rows, -1.0],
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[*[1.0] * rows, 0.0]],
        b_eq=[1.0],
        bounds=[*[(0, None)] * rows, (None, None)],
    )
    return -result.fun


def after(position: Position, action: str) -> Position:
    following = position.copy()
    following.apply(action)
    return following


def random_endgames(number: int, cards_left: int, seed: int) -> list[Position]:
    """Positions of the base game at the beginning of a round with so many cards left."""
    random = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < number:
        position = Position(GAME)
        while not position.is_over and position.state.hand[0].sum() > cards_left:
            for _ in range(2):
                position.apply(str(random.choice(position.legal())))
        if not position.is_over:
            found.append(position)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_endgames_have_the_value_that_plain_recursion_gives(seed):
    equilibrium = base()
    for position in random_endgames(6, 3, seed):
        number = find_states(GAME, equilibrium.tree, position._rows)[0]
        assert equilibrium.values[number] == pytest.approx(value_of(position), abs=1e-7)


def test_the_strategies_secure_the_value_in_every_state_sampled():
    equilibrium = base()
    for position in random_endgames(40, 5, 9):
        number = find_states(GAME, equilibrium.tree, position._rows)
        node = equilibrium.tree.nodes[number[0]]
        if node["seconds"] == 0:
            continue
        start = node["first_child"]
        children = equilibrium.tree.children[start : start + node["firsts"] * node["seconds"]]
        payoffs = equilibrium.values[children].reshape(node["firsts"], node["seconds"])
        first = equilibrium.strategies(number, np.array([0]))[0]
        second = equilibrium.strategies(number, np.array([1]))[0]
        legal = [GAME.action_numbers[action] for action in sorted(position.legal(), key=GAME.action_numbers.get)]
        assert (first[legal] @ payoffs).min() >= equilibrium.values[number[0]] - 1e-9
        if len(legal) == node["seconds"]:
            others = np.flatnonzero(second)
            assert second[others].sum() == pytest.approx(1)


def test_princess_attack_is_fair_because_the_lot_is():
    configuration = GAME.configuration(fast=True, hands="princess_attack")
    assert find_equilibrium(GAME, configuration).value == pytest.approx(0, abs=1e-9)
    assert find_equilibrium("brave_rats", configuration) is find_equilibrium(GAME, configuration)


def test_uniform_play_has_the_exploitability_that_sampling_confirms():
    """A best response cannot be beaten by what simple opponents win against uniform play."""
    uniform = exploitability(GAME, make_agent("random", GAME, 0), FAST)
    greedy = mean_return(make_agent("greedy", GAME, 1), make_agent("random", GAME, 2), 4000)
    nash = mean_return(make_agent("nash", GAME, 1), make_agent("random", GAME, 2), 4000)
    assert 0 < greedy < uniform.exploitability + 0.03
    assert 0 < nash < uniform.exploitability + 0.03
    first, second = uniform.best_response_returns
    assert first == pytest.approx(second)  # the game is symmetric
    assert uniform.nash_conv == pytest.approx(first + second)
    assert uniform.exploitability == pytest.approx(uniform.nash_conv / 2)


def mean_return(agent: Agent, other: Agent, games: int) -> float:
    batch = Batch(GAME, games, FAST, seed=3, auto_reset=False)
    total = np.zeros(games)
    while (batch.actors >= 0).any():
        actions = np.full(games, -1)
        for seat, player in enumerate((agent, other)):
            chosen = np.flatnonzero(batch.actors == seat)
            if len(chosen):
                actions[chosen] = player.act_batch(SeatViews(batch, chosen))
        batch.step(actions)
        total += batch.rewards[:, 0]
    return total.mean()


class PureAgent(Agent):
    """Always plays its lowest card."""

    name = "lowest"

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        policy = np.zeros(views.masks.shape)
        policy[np.arange(len(views)), views.masks.argmax(axis=1)] = 1
        return policy


def test_a_pure_strategy_loses_everything_to_a_best_response():
    assert exploitability(GAME, PureAgent(), FAST).exploitability == pytest.approx(1)


class Overconfident(Agent):
    """Its probabilities do not sum to one."""

    name = "overconfident"

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        return views.masks.astype(float)


def test_what_cannot_be_solved_or_measured_is_refused_in_a_sentence():
    with pytest.raises(ConfigurationError, match="with draw_pile=true the cards in hand are hidden"):
        find_equilibrium(GAME, GAME.configuration(draw_pile=True))
    with pytest.raises(ConfigurationError, match="with hands=draft the first card kept of each packet is hidden"):
        find_equilibrium(GAME, GAME.configuration(hands="draft"))
    with pytest.raises(
        ConfigurationError, match=r"Agent overconfident gives no .*: those of a seat add up to [2-8], not 1\."
    ):
        exploitability(GAME, Overconfident(), FAST)


def test_nash_refuses_a_state_that_no_game_comes_to():
    batch = Batch("brave_rats", 1, seed=0)
    batch.states["hand"][0, 0] = [0, 0, 0, 1, 0, 0, 0, 0]
    batch.refresh()
    with pytest.raises(ConfigurationError, match="nash knows the states alone that a game comes to"):
        make_agent("nash", "brave_rats").policy_batch(SeatViews(batch))


def test_nash_plays_mixed_configurations_in_one_batch():
    batch = Batch(GAME, 4, [{"fast": True}, {}, {"fast": True}, {}], seed=1)
    batch.step([3, 3, 4, 4])  # player_1 is to act, and does not see that
    policy = make_agent("nash", GAME, 0).policy_batch(SeatViews(batch))
    assert policy.sum(axis=1) == pytest.approx(1)
    assert policy[1] == pytest.approx(policy[3])
    assert policy[0] == pytest.approx(policy[2])
    first_move = np.zeros(16)
    for action, share in base().first_move().items():
        first_move[GAME.action_numbers[action]] = share
    assert policy[1] == pytest.approx(first_move)


class Uneven(Agent):
    """Gives one action less, or the wrong sum, or nothing."""

    has_policy = True

    def __init__(self, seed: int, what: str) -> None:
        super().__init__(seed)
        self.what = what

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        even = views.masks / views.masks.sum(axis=1, keepdims=True)
        answers = {
            "short": even[:, :-1],
            "few": even[1:],
            "twice": 2 * even,
            "never": 0 * even,
            "text": even.astype(str),
        }
        return answers.get(self.what)  # type: ignore[return-value]


@pytest.mark.parametrize("what", [("short",), ("few",), ("text",), ("nothing",), ("twice", "never")])
def test_every_agent_that_is_averaged_has_a_policy_of_its_own(what: tuple[str, ...]) -> None:
    """The mean of two that are none would be one."""
    agent = Averaged([Uneven(seed, each) for seed, each in enumerate(what)])
    with pytest.raises(ConfigurationError, match="gives no probability distribution over the legal actions"):
        exploitability("brave_rats", agent, preset="small")


@pytest.mark.parametrize("wrong", [[], ["greedy"]])
def test_only_agents_are_averaged(wrong: list) -> None:
    with pytest.raises(ConfigurationError, match=r"^agents=.*: must be agents, one or more\.$"):
        Averaged(wrong)
    assert len(Averaged(make_agent("greedy", "brave_rats", seed) for seed in range(2)).agents) == 2


def test_agents_that_are_averaged_keep_nothing_between_decisions():
    agents = [SearchAgent(SearchOptions(sims=8), seed=seed) for seed in range(2)]
    views = SeatViews(Batch("brave_rats", 3, seed=0))
    expected = np.mean([agent.policy_batch(views) for agent in agents], axis=0)
    assert all(agent._rooms[1] for agent in agents)
    assert np.array_equal(Averaged(agents).policy_batch(views), expected)
    assert not any(agent._rooms[1] for agent in agents)
