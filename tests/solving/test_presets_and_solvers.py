"""Presets are legal positions; their trees are sound; the solvers agree with each other and with brute force."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from pure_policies import pure_policies

from rat_envs.agents import make_agent
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, RecordError, UnknownNameError
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.engine.position import Position
from rat_envs.engine.presets import Preset
from rat_envs.engine.registry import all_games, get_game
from rat_envs.solving import solution as solving
from rat_envs.solving.best_response import best_response, best_response_values, expected_returns, nash_conv
from rat_envs.solving.exploitability import exploitability, policy_of
from rat_envs.solving.game_tree import GameTree, build_game_tree
from rat_envs.solving.sequence_form import solve_linear_program
from rat_envs.solving.solution import converge, kept_solution, save_solution, solve_preset

GAMES = sorted(all_games())
#: Games whose small preset is solved in a second or two.
QUICK = ["brave_rats", "rattus", "rattus_cartus"]
TREES: dict[str, GameTree] = {}


def tree_of(game: str) -> GameTree:
    """The tree of a small preset, built once."""
    if game not in TREES:
        chosen = get_game(game)
        TREES[game] = build_game_tree(chosen.preset("small").position(chosen))
    return TREES[game]


def random_policy(tree: GameTree, seed: int) -> np.ndarray:
    """Anything goes."""
    return tree.normalised(np.random.default_rng(seed).random(tree.sequences) ** 3)


@pytest.mark.parametrize("game", GAMES)
def test_presets_are_legal_positions_that_go_on(game: str) -> None:
    chosen = get_game(game)
    for preset in chosen.presets:
        position = preset.position(chosen)  # every step of the opening is checked
        assert not position.is_over and position.configuration.players == 2
        assert isinstance(position.configuration, Configuration)
    with pytest.raises(UnknownNameError, match=f"{game} has no preset 'tiny': its presets are small."):
        chosen.preset("tiny")


@pytest.mark.parametrize("game", GAMES)
def test_trees_are_sound(game: str) -> None:
    tree = tree_of(game)
    nodes, edges, sets = tree.nodes, tree.edges, tree.sets
    assert len(edges) == len(nodes) - 1 == nodes["edges"].sum()
    assert sorted(edges["child"].tolist()) == list(range(1, len(nodes)))
    by_chance = np.repeat(nodes["actor"] == CHANCE, nodes["edges"])
    sums = np.bincount(np.repeat(np.arange(len(nodes)), nodes["edges"])[by_chance], edges["probability"][by_chance])
    assert sums[nodes["actor"][: len(sums)] == CHANCE] == pytest.approx(1)
    decisions = nodes[nodes["actor"] >= 0]
    assert (sets["actions"][decisions["place"]] == decisions["edges"]).all()
    assert (sets["seat"][decisions["place"]] == decisions["actor"]).all()
    assert abs(tree.returns.sum(axis=1)).max() < 1e-6
    assert (nodes["actor"] == TERMINAL).sum() == len(tree.returns)
    assert (np.diff(sets["first_sequence"]) == sets["actions"][:-1]).all()
    assert (sets["parent"] < sets["first_sequence"]).all()  # what a seat did before has a lower number


@pytest.mark.parametrize("game", GAMES)
def test_information_sets_are_what_the_game_shows(game: str) -> None:
    """In random play below the preset, mask and observation are those of the set's representative."""
    tree = tree_of(game)
    random = np.random.default_rng(1)
    chosen = get_game(game)
    shown = Batch(game, len(tree.sets), chosen.preset("small").options, seed=0)
    shown.states[:] = tree.rows(tree.sets["node"])
    shown.refresh()
    for _ in range(10):
        position, number = chosen.preset("small").position(chosen), 0
        while tree.nodes[number]["actor"] != TERMINAL:
            node = tree.nodes[number]
            edges = tree.edges[node["first_edge"] : node["first_edge"] + node["edges"]]
            assert position.is_chance == (node["actor"] == CHANCE)
            texts = chosen.outcomes if position.is_chance else chosen.actions
            assert [texts[action] for action in edges["action"]] == sorted(
                position.chances() if position.is_chance else position.legal(), key=texts.index
            )
            if not position.is_chance:
                assert shown.actors[node["place"]] == position.actor
                assert shown.observations[node["place"]].tobytes() == position.observe(position.actor).tobytes()
            edge = edges[random.integers(len(edges))]
            position.apply(texts[edge["action"]])
            number = int(edge["child"])
        assert position.is_over


@pytest.mark.parametrize("game", QUICK)
def test_regrets_come_to_the_value_of_the_linear_program(game: str) -> None:
    tree = tree_of(game)
    policy, value = solve_linear_program(tree)
    assert expected_returns(tree, policy)[0] == pytest.approx(value, abs=1e-7)
    assert nash_conv(tree, policy) < 1e-7
    ((_, average),) = converge(tree, "cfr", np.array([400]))
    distance = nash_conv(tree, average)
    assert distance < 0.01
    assert abs(expected_returns(tree, average)[0] - value) <= distance + 1e-7


@pytest.mark.parametrize("game", ["brave_rats", "rattus"])
def test_sampled_regrets_fall_as_one_over_the_root_of_time(game: str) -> None:
    """Sixteen times the iterations are worth a fourth of the distance; chance is given a factor of two either way."""
    tree = tree_of(game)
    ratios = []
    for seed in range(4):
        (_, early), (_, late) = converge(tree, "mccfr", np.array([4000, 64_000]), seed)
        ratios.append(nash_conv(tree, late) / nash_conv(tree, early))
    assert 1 / 8 < np.exp(np.log(ratios).mean()) < 1 / 2


def test_equal_seeds_give_equal_policies_however_the_iterations_are_parted() -> None:
    tree = tree_of("brave_rats")
    (*_, (_, one)) = converge(tree, "mccfr", np.array([10, 300, 1000]), seed=5)
    ((_, other),) = converge(tree, "mccfr", np.array([1000]), seed=5)
    ((_, another),) = converge(tree, "mccfr", np.array([1000]), seed=6)
    assert one.tobytes() == other.tobytes() != another.tobytes()


def late_position(game: str, seed: int) -> Position:
    """Some steps into a preset, where few pure strategies are left."""
    chosen = get_game(game)
    position, random = chosen.preset("small").position(chosen), np.random.default_rng(seed)
    while (tree := build_game_tree(position)) and np.prod(tree.sets["actions"].astype(float)) > 3000:
        texts = list(position.chances()) if position.is_chance else position.legal()
        position.apply(texts[random.integers(len(texts))])
    return position


@pytest.mark.parametrize("seed", range(3))
def test_no_pure_strategy_does_better_than_the_best_response(seed: int) -> None:
    tree = build_game_tree(late_position("brave_rats", seed))
    policy = random_policy(tree, seed)
    for seat in range(2):
        best = max(expected_returns(tree, pure)[seat] for pure in pure_policies(tree, seat, policy))
        response, value = best_response(tree, policy, seat)
        assert value == pytest.approx(best, abs=1e-12)
        assert expected_returns(tree, response)[seat] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("lp", [1]), "method='lp': must be cfr or mccfr."),
        (("mccfr", [5], -1), "seed=-1: must be a whole number from 0"),
        (("cfr", 5), "stops=5: must be growing numbers of iterations."),
        (("cfr", "ab"), "stops='ab': must be growing numbers of iterations."),
        (("cfr", [float("nan")]), "stops=[nan]: must be growing numbers of iterations."),
    ],
)
def test_what_cannot_converge_is_refused(arguments, sentence: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        list(converge(tree_of("brave_rats"), *arguments))
    assert str(raised.value).startswith(sentence)


def test_no_solution_is_kept_of_a_preset_of_ones_own() -> None:
    for name in ("mine", "small"):
        with pytest.raises(RecordError, match=f"^No solution is kept of a preset {name} of your own: solve it anew"):
            kept_solution("brave_rats", Preset(name, "", {}, ()))


@pytest.mark.parametrize("game", GAMES)
def test_kept_solutions_are_equilibria_of_the_trees_as_they_are(game: str) -> None:
    tree = tree_of(game)
    kept = kept_solution(get_game(game), "small")
    policy = np.concatenate([np.ones(tree.players), kept.policy])
    assert (kept.histories, kept.information_sets) == (tree.histories, len(tree.sets))
    assert nash_conv(tree, policy) < 1e-6
    assert expected_returns(tree, policy)[0] == pytest.approx(kept.value, abs=1e-7)


@pytest.mark.parametrize("game", QUICK)
def test_kept_solutions_have_the_value_that_is_found_anew(game: str) -> None:
    anew = solve_preset(get_game(game), "small")
    assert anew.value == pytest.approx(kept_solution(get_game(game), "small").value, abs=1e-7)
    assert sum(anew.first_decision.values()) == pytest.approx(1)


def test_solutions_are_kept_whole_and_others_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(solving, "SOLUTIONS", tmp_path)
    game = get_game("brave_rats")
    with pytest.raises(RecordError, match="No solution of brave_rats small is kept"):
        kept_solution(game, "small")
    found = solve_preset(game, "small", "cfr", 50)
    assert replace(solve_preset("brave_rats", "small", "cfr", 50), seconds=0.0) == replace(found, seconds=0.0)
    path = save_solution(found)
    content = path.read_bytes()
    assert kept_solution(game, "small") == replace(found, seconds=0.0)
    assert re.fullmatch(
        rf"<Solution of {game.name} small by \w+( in [\d,]+ iterations)?: value [+-]0\.\d{{4}}, nash_conv \S+, [\d,]+ "
        r"information sets>",
        repr(found),
    )
    assert save_solution(found).read_bytes() == content
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(RecordError, match="is not a solution"):
        kept_solution(game, "small")


@pytest.mark.parametrize("game", ["brave_rats", "rattus_cartus"])
def test_an_agent_is_as_exploitable_as_its_policy(game: str) -> None:
    chosen = get_game(game)
    tree = tree_of(game)
    configuration = chosen.preset("small").position(chosen).configuration
    for name in ("random", "greedy"):
        agent = make_agent(name, game, 0)
        policy = policy_of(agent, tree, configuration)
        result = exploitability(chosen, agent, preset="small")
        assert result.nash_conv == pytest.approx(nash_conv(tree, policy))
        assert result.best_response_returns == pytest.approx(tuple(best_response_values(tree, policy)))
        assert result.nash_conv > 0.01
    assert policy_of(make_agent("random", game, 0), tree, configuration) == pytest.approx(tree.uniform())


def test_what_is_too_large_or_not_for_two_is_refused_in_a_sentence() -> None:
    game = get_game("brave_rats")
    with pytest.raises(ConfigurationError, match="more than 10,000 histories; small enough is preset small"):
        build_game_tree(Position(game), most=10_000)
    with pytest.raises(ConfigurationError, match="must be one of lp, cfr, mccfr"):
        solve_preset(game, "small", "magic")
    three = Preset("three", "", {"players": 3})
    with pytest.raises(ConfigurationError, match="too large for a tabular solver"):
        build_game_tree(three.position(get_game("rattus_cartus")), most=1000)
