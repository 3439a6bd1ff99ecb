"""The benchmark of algorithms: what is measured, that it goes on where it was stopped, and algorithms of one's own."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from pennies import PENNIES

from rat_envs.agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.comparison import algorithms, benchmark, psro
from rat_envs.comparison.algorithms import (
    ALGORITHMS,
    AT_LENGTH,
    OPEN_SPIEL,
    Ours,
    find_algorithm,
    installed_algorithms,
    uniform,
)
from rat_envs.comparison.benchmark import (
    BENCHMARK,
    POINTS,
    cells,
    load_benchmark,
    merge,
    play_missing,
    still_missing,
)
from rat_envs.comparison.page import along, benchmark_page, curves, interval, row, tables
from rat_envs.comparison.tasks import EXPLOITABILITY, OPPONENTS, Asked, all_tasks, find_tasks
from rat_envs.docs import DOCS
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError, MissingExtraError, RatEnvsError, RecordError, UnknownNameError
from rat_envs.engine.registry import all_games, get_game, register, unregister
from rat_envs.solving.exploitability import exploitability
from rat_envs.solving.public_tree import _kept_tree
from rat_envs.training.ppo import PPOOptions

SMALL = find_tasks(["brave_rats:small"])


class Steady:
    """Takes the first legal action, and notes how it was asked to learn."""

    asked: list[int] = []

    def __init__(self, task, seed, steps):
        self.asked.clear()

    def learn(self, steps):
        self.asked.append(steps)
        return steps

    def policy_batch(self, views):
        return np.eye(views.masks.shape[1])[views.masks.argmax(1)]


class Unmakable:
    pass


def of_nothing():
    pass


def test_of_many_steps_no_bit_is_longer_than_of_few():
    """The time is looked at between two bits."""
    for steps, most in ((1000, 10), (200_000, 2000), (10**9, 2000)):
        cell = benchmark.Cell(SMALL[0], "steady", 0, steps, 1.0)
        benchmark.learn(Steady(SMALL[0], 0, steps), cell, 0, min(steps, 20_000), 600.0)
        assert max(np.diff([0, *Steady.asked])) == most


def test_tasks_are_the_small_presets_and_the_games_for_two():
    names = [task.name for task in all_tasks()]
    assert names[:4] == [f"{game}:small" for game in all_games()]
    assert names[4:6] == ["brave_rats", "brave_rats:fast=true"]
    assert set(names[6:]) == {f"{game}:players=2" for game in all_games() if game != "brave_rats"}
    assert all(task.measures == (EXPLOITABILITY,) for task in all_tasks() if task.preset)
    assert find_tasks(["rattus:players=2"])[0].measures == tuple(OPPONENTS)


def test_what_is_measured_is_exploitability():
    found = SMALL[0].measure(uniform)
    right = exploitability("brave_rats", make_agent("random", "brave_rats", 0), preset="small").exploitability
    assert found == {EXPLOITABILITY: pytest.approx(right)} and right > 0.4


def test_it_plays_what_is_missing_and_nothing_again(tmp_path, monkeypatch):
    path = tmp_path / BENCHMARK
    wanted = cells(SMALL, ["uniform", f"{__name__}:Steady"], 2, 1000, 1.0)
    assert [cell.seed for cell in wanted] == [0, 0, 1, 1]
    assert play_missing(path, wanted[:1]) == 0
    (first,) = load_benchmark(path)
    assert play_missing(path, wanted, minutes=0) == 3
    assert play_missing(path, wanted) == 0
    results = load_benchmark(path)
    assert results[0] == first and not still_missing(results, wanted)
    monkeypatch.setattr(benchmark, "play", lambda cell: pytest.fail("played again"))
    assert play_missing(path, wanted) == 0
    assert json.loads(path.read_text())["results"] == results


def test_what_ended_for_want_of_time_is_played_again_when_there_is_more(tmp_path):
    path, steady = tmp_path / BENCHMARK, f"{__name__}:Steady"
    hurried, unhurried = (cells(SMALL, ["uniform", steady], 1, 1000, minutes) for minutes in (0.0, 1.0))
    play_missing(path, hurried)
    ends = [result["curve"][-1]["steps"] for result in load_benchmark(path)]
    assert ends == [0, 0] and not still_missing(load_benchmark(path), hurried)
    assert play_missing(path, unhurried) == 0
    results = load_benchmark(path)
    assert [result["curve"][-1]["steps"] for result in results] == [1000, 1000]
    assert not still_missing(results, hurried) and not still_missing(results, cells(SMALL, [steady], 1, 1000, 9.0))


def test_a_class_of_ones_own_has_the_whole_budget(tmp_path):
    (cell,) = cells(SMALL, [f"{__name__}:Steady"], 1, 1000, 1.0)
    play_missing(tmp_path / BENCHMARK, [cell])
    (result,) = load_benchmark(tmp_path / BENCHMARK)
    assert [point["steps"] for point in result["curve"]] == [1000 * point // POINTS for point in range(POINTS + 1)]
    assert Steady.asked[-1] == 1000 and sorted(Steady.asked) == Steady.asked
    assert result["curve"][-1][EXPLOITABILITY] > 0.4


def test_a_function_is_an_algorithm(tmp_path):
    learner = find_algorithm("rat_envs.comparison.algorithms:uniform")(SMALL[0], 0, 10)
    assert learner.policy_batch is algorithms.uniform and learner.learn(10) == 10


@pytest.mark.parametrize("name", ["guessing", "no_module:none", f"{__name__}:Nobody", ":"])
def test_an_algorithm_that_is_not_there_is_refused_in_a_sentence(name):
    with pytest.raises(UnknownNameError, match=r"^There is no algorithm .* or your own as module:object") as error:
        find_algorithm(name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", [f"{__name__}:SMALL", f"{__name__}:Unmakable", f"{__name__}:of_nothing"])
def test_what_is_no_algorithm_is_refused_in_a_sentence(name):
    with pytest.raises(
        ConfigurationError, match=r":\w+ is not an algorithm: it must be a class that takes a task, a seed"
    ):
        find_algorithm(name)


def test_an_algorithm_may_lie_in_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "algorithms_here.py").write_text("def probabilities(views):\n    return views.masks\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", str(tmp_path))])
    assert find_algorithm("algorithms_here:probabilities")(SMALL[0], 0, 10).learn(10) == 10


def test_results_by_other_rules_are_played_again(tmp_path, monkeypatch):
    path, wanted = tmp_path / BENCHMARK, cells(SMALL, ["uniform"], 1, 1000, 1.0)
    play_missing(path, wanted)
    kept = json.loads(path.read_text())
    assert not still_missing(load_benchmark(path), wanted) and kept["results"][0]["version"] == 0
    path.write_text(json.dumps({**kept, "results": [{**kept["results"][0], "version": 1}]}))
    assert load_benchmark(path) == [] and still_missing(load_benchmark(path), wanted) == wanted
    elsewhere = {**kept["results"][0], "cell": {**kept["results"][0]["cell"], "task": "a game that is not installed"}}
    path.write_text(json.dumps({**kept, "results": [elsewhere]}))
    play_missing(path, wanted)
    left = json.loads(path.read_text())["results"]
    assert left[0] == elsewhere and len(left) == 2, "results of what is not here stay"


def test_a_task_that_is_not_there_is_refused_in_a_sentence():
    with pytest.raises(UnknownNameError, match=r"^There is no task 'chess': the tasks are brave_rats:small, "):
        find_tasks(["chess"])
    with pytest.raises(UnknownNameError, match="brave_rats has no preset 'smal': its presets are small"):
        find_tasks(["brave_rats:smal"])
    with pytest.raises(ConfigurationError, match="The task 'rattus:players=3' is for 3: tasks are for two"):
        find_tasks(["rattus:players=3"])
    with pytest.raises(ConfigurationError, match="must name one preset, or options, or neither"):
        find_tasks(["brave_rats:small:fast=true"])


def test_a_game_from_outside_is_a_task_when_it_is_named(tmp_path, capsys):
    register(PENNIES)
    try:
        tasks = find_tasks(["pennies", "pennies:unused=true", "brave_rats:traitor=true"])
        assert [task.name for task in tasks] == ["pennies", "pennies:unused=true", "brave_rats:traitor=true"]
        assert tasks[0].measures == (EXPLOITABILITY, "random", "ismcts:sims=100") and tasks[1].config == {
            "unused": True
        }
        path, wanted = tmp_path / BENCHMARK, cells(tasks[:1], ["uniform"], 1, 10, 1.0)
        assert play_missing(path, wanted) == 0 and still_missing(load_benchmark(path), wanted) == []
        assert load_benchmark(path)[0]["curve"][-1][EXPLOITABILITY] == 0
        assert "Pennies" in tables(load_benchmark(path)) and "| uniform | 0.000 |" in tables(load_benchmark(path))
    finally:
        unregister(PENNIES.name)
    assert load_benchmark(path), "it stays where the game is not installed"
    assert tables(load_benchmark(path)) == ""


def test_a_game_from_outside_that_is_declared_anew_is_played_again_and_costs_no_other_results(tmp_path):
    path = tmp_path / BENCHMARK
    play_missing(path, cells(SMALL, ["uniform"], 1, 10, 1.0))
    ours = load_benchmark(path)
    for game in (PENNIES, dataclasses.replace(PENNIES, heuristics={"greedy": lambda observation, mask: 0})):
        register(game)
        try:
            wanted = cells(find_tasks(["pennies"]), ["uniform"], 1, 10, 1.0)
            left = load_benchmark(path)
            assert left == ours and still_missing(left, wanted) == wanted
            play_missing(path, wanted) if game is PENNIES else None
        finally:
            unregister(game.name)


def test_a_game_too_large_to_be_measured_is_refused_as_a_task(monkeypatch):
    monkeypatch.setattr("rat_envs.solving.exploitability.MOST_UNASKED", 100)
    _kept_tree.cache_clear()
    (task,) = find_tasks(["brave_rats:emperor=true"])
    with pytest.raises(
        ConfigurationError, match=r"^The task brave_rats:emperor=true cannot be measured exactly: .* 100 "
    ):
        task.measure(uniform)


def test_a_name_without_a_module_is_no_algorithm():
    with pytest.raises(
        UnknownNameError, match=r"^There is no algorithm 'copy' \(it is no module and object\): name one"
    ):
        find_algorithm("copy")


def test_a_file_that_cannot_be_imported_is_refused_in_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UnknownNameError, match=r"file 'broken.py' of the algorithm cannot be imported: No module named"
    ):
        find_algorithm("broken.py:alike")


def test_an_algorithm_may_be_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def alike(views):\n    return views.masks / views.masks.sum(1, keepdims=True)\n")
    learner = find_algorithm("mine.py:alike")(SMALL[0], 0, 10)
    assert learner.learn(10) == 10
    with pytest.raises(UnknownNameError, match=r"There is no algorithm 'mine.py:other' \(.*\): name one of uniform"):
        find_algorithm("mine.py:other")
    with pytest.raises(UnknownNameError, match=r"There is no algorithm 'nothing.py:other' \(.*\): name one of uni"):
        find_algorithm("nothing.py:other")


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": "rat-ladder/1", "results": []}'])
def test_another_file_is_refused_in_a_sentence(tmp_path, text):
    (tmp_path / BENCHMARK).write_text(text)
    with pytest.raises(RecordError, match=BENCHMARK):
        load_benchmark(tmp_path / BENCHMARK)


@pytest.mark.parametrize(
    ("task", "name"),
    [
        *[("brave_rats:small", name) for name in ("ppo:none", "ppo:entropy", "ppo:mmd", "search", *AT_LENGTH)],
        *[("rattus_cartus:small", name) for name in ("ppo:none", "search")],
    ],
)
def test_ours_learn_a_preset_and_nothing_else(name, task):
    (chosen,) = find_tasks([task])
    learner = find_algorithm(name)(chosen, 0, 100)
    assert isinstance(learner, Ours) and learner.learn(1) >= 1
    batch = getattr(learner.run, "games", learner.run).batch
    fresh = Batch(chosen.game, 1, dict(chosen.config), 0).observations[0]
    assert not (batch.observations == fresh).all(1).any()


def test_a_preset_has_its_own_options():
    with pytest.raises(ConfigurationError, match=r"^preset=small: must have its own options"):
        PPOOptions(game="rattus", preset="small", config={"players": 3}).new_run()
    with pytest.raises(UnknownNameError, match="no preset 'large'"):
        PPOOptions(game="rattus", preset="large").new_run()


@pytest.mark.parametrize("game", list(all_games()))
def test_games_that_begin_at_a_preset_draw_their_own_chance(game):
    declared = get_game(game)
    row = declared.preset("small").position(declared).state
    batch = Batch(game, 64, dict(declared.preset("small").options), 0)
    batch.begin_at(row)
    assert (batch.actors >= 0).all() and batch.masks.any(1).all()
    before = batch.states.copy()
    batch.step(batch.masks.argmax(1))
    batch.begin_at(row, np.array([3]))
    assert batch.states[4] != before[4]


def test_psro_answers_the_equilibrium_of_its_policies():
    learner = find_algorithm("psro")(SMALL[0], 0, 40_000)
    assert learner.learn(10_000) >= 10_000
    names, payoffs, chances = learner.names, learner.payoffs, learner.chances
    assert len(learner.policies) == len(names) >= 3 and names[0] == "random"
    assert payoffs == pytest.approx(-payoffs.T) and abs(payoffs).max() <= 1
    assert chances.sum() == pytest.approx(1) and (chances @ payoffs).min() >= -1e-9
    opponents = learner.response.options.opponents
    assert sum(opponents.values()) == pytest.approx(1)
    assert opponents == pytest.approx({name: chance for name, chance in zip(names, chances, strict=True) if chance})
    assert payoffs[1, 0] == pytest.approx(psro.mean_return(learner.options, *learner.policies[1::-1]), abs=0.25)


def test_psro_measures_a_policy_against_the_other_one(monkeypatch):
    monkeypatch.setattr(psro, "GAMES", 4000)
    options = PPOOptions("brave_rats")
    greedy, random = (make_agent(name, "brave_rats", 0) for name in ("greedy", "random"))
    match = play_match("brave_rats", [greedy, random], games=4000)
    for pair, expected in (((greedy, random), match.agents[0]), ((random, greedy), match.agents[1])):
        assert psro.mean_return(options, *pair) == pytest.approx(expected.mean_return.mean, abs=0.08)


@pytest.mark.parametrize("name", ["ppo:none", "ppo:entropy", "ppo:mmd"])
def test_ppo_has_one_setting_for_all_games(name, monkeypatch):
    monkeypatch.setattr(PPOOptions, "new_run", lambda options: options)
    options = [find_algorithm(name)(task, 0, 1000).run for task in all_tasks()]
    differ = {"game", "config", "preset", "folder"}
    assert len({str({n: v for n, v in vars(each).items() if n not in differ}) for each in options}) == 1


def test_a_network_is_taught_what_a_mixture_does_in_whole_games(monkeypatch):
    monkeypatch.setattr(psro, "LESSONS", 30)
    learner = find_algorithm("psro")(SMALL[0], 0, 1000)
    learner.policies = [learner.policies[0], Asked(lambda views: np.eye(views.masks.shape[1])[views.masks.argmax(1)])]
    learner.chances = np.array([0.5, 0.5])
    batch = Batch("brave_rats", 1, {}, 0)
    batch.begin_at(SMALL[0].declared.preset("small").position(SMALL[0].declared).state)
    legal = np.flatnonzero(batch.masks[0])
    first = np.full(len(legal), 0.5 / len(legal)) + 0.5 * (np.arange(len(legal)) == 0)
    answer = learner.policy_batch(SeatViews(batch))[0]
    assert answer[legal] == pytest.approx(first, abs=0.08) and answer[batch.masks[0] == 0].max() == 0
    seat = batch.actors[0]
    batch.step(legal[1:2])  # which only random play would do
    while batch.actors[0] != seat:
        batch.step(batch.masks.argmax(1))
    left = np.flatnonzero(batch.masks[0])
    assert len(left) > 1
    assert learner.policy_batch(SeatViews(batch))[0, left] == pytest.approx(np.full(len(left), 1 / len(left)), abs=0.15)


def test_intervals_are_of_students_distribution():
    assert interval([0.0, 1.0]) == "0.500 ± 6.353"  # 12.706 / 2
    assert interval([0.0, 1.0] * 3) == "0.500 ± 0.575"  # 2.571 sqrt(0.3 / 6)
    wide = [float(re.search(r"± (.*)", interval([0.0, 1.0] * half))[1]) for half in range(1, 60)]
    assert wide == sorted(wide, reverse=True)


def test_runs_that_learnt_from_less_than_others_have_no_interval():
    def shown(*steps: int) -> str:
        ends = [{"steps": each, "seconds": 1.0, "exploitability": 0.1 * n} for n, each in enumerate(steps, 1)]
        return row("search", SMALL[0], 1000, ends)

    assert shown(1000, 1024) == "| search | 0.150 ± 0.635 | 1,012 | 2 | 1 |"
    assert shown(300, 1024) == "| search | 0.150 | 300 to 1,024 | 2 | 1 |"
    assert shown(300, 300) == "| search | 0.150 | 300 | 2 | 1 |"


def test_results_of_tasks_that_are_not_known_are_held_to_the_same(tmp_path):
    unknown = {"task": "chess", "algorithm": "uniform", "seed": 0, "steps": 100}
    for curve, wrong in (([{}], True), ([{"steps": 5, "seconds": 1.0}], False)):
        result = {"cell": unknown, "minutes": 1.0, "curve": curve}
        (tmp_path / BENCHMARK).write_text(json.dumps({"format": benchmark.FORMAT, "results": [result]}))
        if wrong:
            with pytest.raises(RecordError, match="has no 'steps'"):
                load_benchmark(tmp_path / BENCHMARK)
        else:
            wanted = cells(SMALL, ["uniform"], 1, 100, 1.0)
            assert still_missing(load_benchmark(tmp_path / BENCHMARK), wanted) == wanted


@pytest.mark.parametrize("name", OPEN_SPIEL)
def test_algorithms_of_open_spiel_learn(name):
    pytest.importorskip("pyspiel")
    pytest.importorskip("tree")
    learner = find_algorithm(name)(SMALL[0], 0, 500)
    assert learner.learn(200) >= 200
    assert 0 < SMALL[0].measure(learner.policy_batch)[EXPLOITABILITY] <= 1


def test_open_spiel_takes_every_task_with_its_options():
    pytest.importorskip("pyspiel")
    pytest.importorskip("tree")
    for task in all_tasks():
        assert len(find_algorithm("dqn")(task, 0, 10).agents) == 2


@pytest.mark.parametrize("name", OPEN_SPIEL)
def test_what_needs_open_spiel_says_so(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "rat_envs.comparison.open_spiel", None)
    with pytest.raises(MissingExtraError, match=rf"^{name} needs .*openspiel"):
        find_algorithm(name)(SMALL[0], 0, 10)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert installed_algorithms() == [each for each in ALGORITHMS if each not in OPEN_SPIEL]


def test_the_page_shows_what_was_played(tmp_path):
    play_missing(tmp_path / BENCHMARK, cells(SMALL, ["uniform"], 2, 10, 1.0))
    results = load_benchmark(tmp_path / BENCHMARK)
    shown = benchmark_page(results)
    assert "| uniform | 0.458 ± 0.000 | 10 | 2 | 0 |" in shown
    assert shown.count("Not played yet.") == len(all_tasks()) - 1
    ((name, picture),) = curves(results).items()
    assert f"pictures/{name}" in shown and b"uniform" in picture


def test_the_algorithm_on_the_page_can_be_compared(tmp_path, monkeypatch):
    (block,) = re.findall(r"```python\n(.*?)```", benchmark_page([]), re.DOTALL)
    (tmp_path / "algorithm_on_the_page.py").write_text(block)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("MyAlgorithm", "uniform"):
        play_missing(tmp_path / BENCHMARK, cells(SMALL, [f"algorithm_on_the_page:{name}"], 1, 10, 1.0))
    ends = [result["curve"][-1] for result in load_benchmark(tmp_path / BENCHMARK)]
    assert [(end["steps"], end[EXPLOITABILITY]) for end in ends] == [(10, pytest.approx(0.458, abs=1e-3))] * 2


def test_an_algorithm_whose_code_has_changed_is_played_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "def mine(views):\n    return views.masks / views.masks.sum(1, keepdims=True)\n"
    wanted = cells(SMALL, ["own.py:mine"], 1, 10, 1.0)
    for text, left in ((code, 1), (code, 0), (code + "# better\n", 1)):
        Path("own.py").write_text(text)
        assert len(still_missing(load_benchmark(Path(BENCHMARK)), wanted)) == left
        play_missing(Path(BENCHMARK), wanted)
    assert len(load_benchmark(Path(BENCHMARK))) == 1


def test_a_class_that_decides_nothing_is_named_and_so_are_wrong_probabilities(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(
        "class Silent:\n    def __init__(self, task, seed, steps): pass\n    def learn(self, steps): return steps\n"
        "def wrong(views):\n    return views.masks * 1.0\n"
    )
    with pytest.raises(ConfigurationError, match=r"^own.py:Silent cannot be compared: its class has no method policy"):
        play_missing(Path(BENCHMARK), cells(SMALL, ["own.py:Silent"], 1, 10, 1.0))
    with pytest.raises(RatEnvsError, match=r"own.py:wrong gives no probability distribution"):
        play_missing(Path(BENCHMARK), cells(SMALL, ["own.py:wrong"], 1, 10, 1.0))


def test_a_curve_is_as_long_as_the_shortest_run():
    runs = [[{"steps": n, "value": n / 10} for n in steps] for steps in ((0, 10, 20), (0, 5, 10))]
    steps, values = along(runs, "value")
    assert steps.tolist() == [0, 5, 10] and values.tolist() == [[0, 0.5, 1], [0, 0.5, 1]]


def test_runs_with_another_budget_have_rows_of_their_own_and_no_curves(tmp_path):
    play_missing(tmp_path / BENCHMARK, cells(SMALL, ["uniform"], 2, 10, 1.0))
    pictures = curves(load_benchmark(tmp_path / BENCHMARK))
    play_missing(tmp_path / BENCHMARK, cells(SMALL, ["uniform"], 1, 2000, 1.0))
    results = load_benchmark(tmp_path / BENCHMARK)
    shown = benchmark_page(results)
    assert "| uniform | 0.458 ± 0.000 | 10 | 2 | 0 |\n| uniform | 0.458 | 2,000 | 1 | 0 |" in shown
    assert curves(results) == pictures


def test_what_is_kept_is_of_the_benchmark():
    kept = load_benchmark(DOCS / BENCHMARK)
    known, names = {task.name for task in all_tasks()}, {*ALGORITHMS, *AT_LENGTH}
    assert {result["cell"]["task"] for result in kept} == known
    assert all(result["cell"]["task"] in known and result["cell"]["algorithm"] in names for result in kept)


def test_names_in_a_file_of_somebody_else_cannot_command_a_terminal():
    (task,) = find_tasks(["brave_rats:small"])
    end = {"steps": 100, "seconds": 1.0, EXPLOITABILITY: 0.5}
    assert "\x1b" not in row("\x1b[31mmine\n", task, 100, [end])


def test_runs_of_several_jobs_are_put_together(tmp_path):
    files = [tmp_path / f"{seed}.json" for seed in (1000, 2000)]
    for file, seed in zip(files, (1000, 2000), strict=True):
        play_missing(file, cells(SMALL, ["uniform"], 1, 10, 1.0, seed))
    path = tmp_path / "all.json"
    assert merge(path, files) == 2 and merge(path, files) == 0
    assert [each["cell"]["seed"] for each in load_benchmark(path)] == [1000, 2000]
    with pytest.raises(RecordError, match=r"^There is no file .*none\.json: name files that --results has written\.$"):
        merge(path, [tmp_path / "none.json"])
