"""Games from outside: registered or added by a package, they get everything that ours get."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from kuhn import KUHN
from others_agents import Steady

import rat_envs
from rat_envs.arena import in_processes, make_plan, play_match, play_tournament, workers
from rat_envs.commands.main import app
from rat_envs.docs import pages
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import ConfigurationError, PluginError, PluginWarning, RecordError, UnknownNameError
from rat_envs.engine.game import Game
from rat_envs.engine.registry import all_games, command_name, get_game, known_versions, own_versions

Install = Callable[..., Path]
COMMON = Path(__file__).parent.parent / "common"


def command(*words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """``rat-envs`` in a process of its own."""
    code = [sys.executable, "-m", "rat_envs.commands.main", *words]
    return subprocess.run(code, capture_output=True, text=True, input=stdin, timeout=300)


# Registered


def test_a_registered_game_is_known_to_both_registries_and_to_every_maker(kuhn: str) -> None:
    assert get_game(kuhn) is KUHN is all_games()[kuhn]
    for env in (rat_envs.make(kuhn), pettingzoo.make("aec", "rat/kuhn-v0"), rat_envs.make(KUHN)):
        env.reset(seed=1)
        env.step(1)
        assert env.unwrapped.game is KUHN
    assert pettingzoo.make("parallel", "rat/kuhn-v0").unwrapped.game is KUHN
    assert gymnasium.make("rat_envs/Kuhn-v0", opponent="greedy").reset(seed=0)[0].shape == (5,)
    assert gymnasium.make_vec("rat_envs/Kuhn-v0", num_envs=3).reset(seed=0)[0].shape == (3, 5)
    assert "kuhn.md" not in {path.name for path in pages()}, "our pages are of our games, whatever is installed"


def test_what_is_unregistered_is_forgotten_everywhere() -> None:
    rat_envs.register(KUHN)
    rat_envs.unregister("kuhn")
    assert "kuhn" not in known_versions()
    assert "rat_envs/Kuhn-v0" not in gymnasium.registry
    assert "rat/kuhn-v0" not in pettingzoo.aec_registry and "rat/kuhn-v0" not in pettingzoo.parallel_registry
    with pytest.raises(UnknownNameError, match=r"^There is no game 'kuhn': the games are brave_rats, "):
        get_game("kuhn")
    with pytest.raises(UnknownNameError, match=r"^No game 'kuhn' has been registered in this process: .* are none\.$"):
        rat_envs.unregister("kuhn")


def test_a_taken_name_is_refused(kuhn: str) -> None:
    rat_envs.register(KUHN)  # the same again is no other
    other = dataclasses.replace(KUHN)
    with pytest.raises(
        ConfigurationError,
        match=r"^There is a game 'kuhn' already: give yours another name, or register it with replace=True\.$",
    ):
        rat_envs.register(other)
    with pytest.raises(ConfigurationError, match=r"^There is a game 'rattus' already: give yours another name\.$"):
        rat_envs.register(dataclasses.replace(KUHN, name="rattus"))
    with pytest.raises(ConfigurationError, match=r"^Only a Game can be registered, not 'kuhn'\.$"):
        rat_envs.register("kuhn")  # type: ignore[arg-type]
    assert get_game("kuhn") is KUHN


def test_a_cell_that_is_run_again_takes_the_place_of_its_game(kuhn: str) -> None:
    newer = dataclasses.replace(KUHN, version=1)
    rat_envs.register(newer, replace=True)
    assert get_game("kuhn") is newer
    assert "rat_envs/Kuhn-v0" not in gymnasium.registry and "rat_envs/Kuhn-v1" in gymnasium.registry
    with pytest.raises(ConfigurationError, match=r"^There is a game 'kuhn' already"):
        rat_envs.register(KUHN)
    rat_envs.register(KUHN, replace=True)
    assert get_game("kuhn") is KUHN
    with pytest.raises(ConfigurationError, match=r"^There is a game 'rattus' already: give yours another name\.$"):
        rat_envs.register(dataclasses.replace(KUHN, name="rattus"), replace=True)  # those of rat_envs stay
    with pytest.raises(ConfigurationError, match=r"^Only a Game can be registered"):
        rat_envs.register("kuhn", replace=True)  # type: ignore[arg-type]
    pennies = dataclasses.replace(KUHN, name="not_there_yet")
    rat_envs.register(pennies, replace=True)  # in place of none
    rat_envs.unregister("not_there_yet")


def test_openspiel_knows_a_registered_game(kuhn: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from rat_envs.api.openspiel import register_all

    register_all()  # whichever came first
    assert pyspiel.load_game("python_rat_kuhn").new_initial_state().is_chance_node()


# In other processes


def test_a_game_is_pickled_by_the_module_that_holds_it_registered_or_not() -> None:
    assert pickle.loads(pickle.dumps(KUHN)) is KUHN
    assert copy.deepcopy(KUHN) is KUHN
    env = rat_envs.make(KUHN)
    env.reset(seed=3)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.game is KUHN and twin.game_state.tobytes() == env.game_state.tobytes()
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).game.title)"
    path = {"PYTHONPATH": ":".join(sys.path)}
    process = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(env), capture_output=True, env=path)
    assert process.stdout.decode().strip() == "Kuhn poker"


def test_a_game_that_no_module_holds_says_so_when_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = dataclasses.replace(KUHN, name="nowhere")
    assert copy.deepcopy(Batch(nowhere, 2)).game is nowhere
    with pytest.raises(ConfigurationError, match=r"^No other process can find the game 'nowhere': assign it to a name"):
        pickle.dumps(nowhere)
    monkeypatch.setattr(sys.modules[KUHN.configuration.__module__], "NOWHERE", nowhere, raising=False)
    assert pickle.loads(pickle.dumps(nowhere)) is nowhere, "as it was told to do"


def test_a_module_that_must_not_be_imported_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "blocked", None)
    with pytest.raises(ConfigurationError, match=r"^No other process can find the game 'lost'"):
        pickle.dumps(dataclasses.replace(KUHN, name="lost"))


def test_workers_play_a_game_that_is_registered_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SECONDS_HERE", 0.0)
    plan = make_plan(KUHN, ["random", Steady(1)], games=40, seed=1, chunk=10)
    assert play_tournament(plan, lambda jobs: in_processes(jobs, 2)) == play_tournament(plan)


# In a file


@pytest.fixture
def in_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Matching pennies in a file of the folder one is in, as a command names it."""
    (tmp_path / "coins.py").write_bytes((COMMON / "pennies.py").read_bytes())
    monkeypatch.chdir(tmp_path)
    yield "coins.py:PENNIES"
    if "pennies" in all_games():
        rat_envs.unregister("pennies")


def run(*words: str) -> None:
    app(list(words), standalone_mode=False)


def test_commands_take_a_game_in_a_file(
    in_file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SECONDS_HERE", 0.0)
    run("describe", in_file)
    assert capsys.readouterr().out.startswith("# Pennies")
    assert command_name(get_game("pennies")) == in_file
    run("arena", in_file, "random", "others_agents:Steady", "--games", "40", "--chunk", "5", "--workers", "2")
    assert "others_agents:Steady" in capsys.readouterr().out
    run("record", in_file, "--games", "1", "--out", "games.jsonl")
    assert json.loads(Path("games.jsonl").read_text())["game"] == "pennies"
    run("warm", in_file)
    assert capsys.readouterr().out.splitlines()[-1].startswith("pennies: " if compiling() else "Nothing is compiled")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("coins.py", r"There is no game 'coins\.py': .* Of a file, name the game, too: coins\.py:GAME\."),
        ("sums.py:GAME", r"The file 'sums\.py' of the game 'sums\.py:GAME' cannot be imported: .*int.* \(line 2\)\."),
        ("coins.py:PENNY", r"There is no game 'PENNY' in coins.py: its games are PENNIES\."),
        ("no_coins.py:PENNIES", r"There is no file no_coins.py for the game 'no_coins.py:PENNIES'\."),
        ("no_coins:PENNIES", r"The module 'no_coins' of the game 'no_coins:PENNIES' cannot be imported: .*\."),
        ("math:pi", r"There is no game 'pi' in math: it has no games\."),
    ],
)
def test_what_is_no_game_in_a_file_is_refused(in_file: str, name: str, sentence: str) -> None:
    Path("sums.py").write_text("one = 1\nGAME = one + 'two'\n")
    with pytest.raises(UnknownNameError, match=f"^{sentence}$"):
        run("describe", name)


@pytest.mark.skipif(sys.platform == "win32", reason="links are for administrators there")
def test_a_link_to_a_file_of_any_name_holds_a_game(in_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("coins.py").rename("-coins")
    Path("-coins.py").symlink_to("-coins")
    run("describe", "./-coins.py:PENNIES")
    assert capsys.readouterr().out.startswith("# Pennies")
    assert command_name(get_game("pennies")) == "./-coins.py:PENNIES"


def test_what_is_played_of_a_game_in_a_file_goes_on_with_it(
    in_file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("save kept.json\nq\n"))
    run("play", in_file)
    assert f"Go on with: rat-envs play {in_file} --from kept.json\n" in capsys.readouterr().out
    run("arena", in_file, "random", "others_agents:Steady", "--games", "40", "--out", "played")
    rat_envs.unregister("pennies")
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    run("play", in_file, "--from", "kept.json")
    assert "Points: player_0" in capsys.readouterr().out
    rat_envs.unregister("pennies")
    run("arena", in_file, "--from", "played/manifest.json", "--trust")
    assert capsys.readouterr().out.startswith("The same 40 games")


def test_no_record_can_name_code(in_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    run("record", in_file, "--games", "1", "--out", "games.jsonl")
    rat_envs.unregister("pennies")
    Path("games.jsonl").write_text(Path("games.jsonl").read_text().replace('"pennies"', f'"{in_file}"'))
    with pytest.raises(RecordError, match=r"There is no game 'coins.py:PENNIES'"):
        run("replay", "games.jsonl")


def test_a_record_is_replayed_with_the_game_that_the_command_names(
    in_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run("record", in_file, "--games", "2", "--out", "games.jsonl")
    rat_envs.unregister("pennies")
    with pytest.raises(RecordError, match=r"^Line 1: There is no game 'pennies'"):
        run("replay", "games.jsonl")
    capsys.readouterr()
    run("replay", "games.jsonl", "--quiet", "--game", in_file)
    assert capsys.readouterr().out == "2 records agree with the rules.\n"


# Added by a package


def test_a_package_adds_a_game_to_every_command(install: Install, tmp_path: Path) -> None:
    install("poker", games={"kuhn": "kuhn:KUHN"})
    assert known_versions()["kuhn"] == 0
    assert get_game("kuhn") is KUHN is all_games()["kuhn"]
    names = [game["name"] for game in json.loads(command("games", "--json").stdout)]
    assert names == [*own_versions(), "kuhn"]
    assert command("describe", "kuhn").stdout.startswith("# Kuhn poker")
    records = command("record", "kuhn", "--games", "3", "--agent", "greedy", "--agent", "random")
    assert command("replay", "-", "--no-quiet", stdin=records.stdout).stdout.endswith(
        "3 records agree with the rules.\n"
    )
    arena = command("arena", "kuhn", "greedy", "random", "ismcts:sims=20", "--games", "8", "--workers", "1", "--json")
    assert json.loads(arena.stdout)["games"] == 24
    assert "card:" in command("play", "kuhn", "--seed", "1", stdin="1\n1\n1\n").stdout
    code = "import rat_envs, pettingzoo, gymnasium, sys; assert 'kuhn' not in sys.modules;"
    code += "print(pettingzoo.make('aec', 'rat/kuhn-v0'), gymnasium.make('rat_envs/Kuhn-v0').unwrapped.game.name)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "kuhn kuhn\n"


@pytest.mark.parametrize(
    ("entries", "name", "sentence"),
    [
        (
            {"kuhn": "no_such_module:KUHN"},
            "kuhn",
            "The package poker adds 'kuhn', but no_such_module:KUHN cannot be lo",
        ),
        ({"kuhn": "kuhn:NOTHING"}, "kuhn", "The package poker adds 'kuhn', but kuhn:NOTHING cannot be loaded (Attrib"),
        ({"kuhn": "kuhn:ACTIONS"}, "kuhn", "The package poker adds 'kuhn', but kuhn:ACTIONS is not a Game."),
        (
            {"leduc": "kuhn:KUHN"},
            "leduc",
            "The entry point 'leduc' of kuhn:KUHN adds version 0 of kuhn: it must be named 'kuhn'.",
        ),
        (
            {"kuhn-v3": "kuhn:KUHN"},
            "kuhn",
            "The entry point 'kuhn-v3' of kuhn:KUHN adds version 0 of kuhn: it must be named 'kuhn'.",
        ),
    ],
)
def test_what_cannot_be_used_is_named_with_its_package_and_ours_go_on(
    entries: dict[str, str], name: str, sentence: str, install: Install
) -> None:
    install("poker", games=entries)
    with pytest.raises(PluginError) as caught:
        get_game(name)
    assert str(caught.value).startswith(sentence) and "\n" not in str(caught.value)
    with pytest.warns(PluginWarning) as warned:
        games = all_games()
    assert [str(warning.message) for warning in warned] == [str(caught.value)]
    assert list(games) == list(own_versions())
    assert get_game("rattus") is games["rattus"]


def test_a_broken_package_costs_one_line_of_a_command(install: Install) -> None:
    install("poker", games={"kuhn": "no_such_module:KUHN"})
    result = command("games", "--json")
    assert len(json.loads(result.stdout)) == len(own_versions())
    assert result.stderr.startswith("Warning: The package poker adds 'kuhn', but ") and result.stderr.count("\n") == 1


def test_two_packages_cannot_add_one_name_and_none_can_take_ours(install: Install) -> None:
    install("poker", games={"kuhn": "kuhn:KUHN", "rattus": "kuhn:KUHN"})
    install("other_poker", games={"kuhn": "kuhn:ACTIONS"})
    with pytest.raises(PluginError, match=r"^More than one entry point adds 'kuhn', those of other_poker and poker: "):
        get_game("kuhn")
    assert get_game("rattus").title == "Rattus"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert list(all_games()) == list(own_versions())
    assert any("adds a game 'rattus': that name is taken by one of rat_envs" in str(each.message) for each in warned)
    with pytest.raises(
        ConfigurationError, match=r"^There is a game 'kuhn' already, which kuhn:[A-Z]+ adds: give yours"
    ):
        rat_envs.register(KUHN)


VERSION_3: Game = dataclasses.replace(KUHN, name="kuhn_three", version=3)


def test_a_version_stands_in_the_name_of_the_entry_point(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kuhn_three", sys.modules[__name__])
    install("poker", games={"kuhn_three-v3": "kuhn_three:VERSION_3"})
    assert known_versions()["kuhn_three"] == 3
    assert get_game("kuhn_three") is VERSION_3


def test_a_match_of_a_game_that_hides_its_cards() -> None:
    """Betting with the highest card only wins from who never bets: folds cost nothing more than the ante."""
    result = play_match(KUHN, ["greedy", "random"], games=2000, seed=3)
    assert np.isfinite(result.agents[0].mean_return.mean) and result.agents[0].mean_return.low > 0


def test_arguments_that_were_never_names(kuhn: str) -> None:
    for wrong in ("Kuhn", "", "kuhn-v0"):
        with pytest.raises(UnknownNameError):
            get_game(wrong)
