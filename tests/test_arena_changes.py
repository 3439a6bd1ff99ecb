"""Tournaments whose agents come, go and change: what has been played between the others is kept and stays the same."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rat_envs.arena import Folder, Plan, Recorded, TournamentResult, make_plan, play_tournament, read_manifest
from rat_envs.arena.chunks import Chunks
from rat_envs.arena.jobs import Chunk, Job, play_job
from rat_envs.arena.plan import Entrant
from rat_envs.arena.roster import Roster
from rat_envs.arena.tournament import replay_tournament
from rat_envs.commands.main import app
from rat_envs.engine.archive import write_archive
from rat_envs.engine.errors import CheckpointError
from rat_envs.engine.registry import get_game

BOT = """
from rat_envs.agents.random import RandomAgent

class Bot(RandomAgent):
    pass
"""


def some_plan(*agents: str, **others) -> Plan:
    """Matches of four deals in two chunks."""
    return make_plan("brave_rats", agents, **{"config": {"fast": True}, "games": 8, "seed": 3, "chunk": 2, **others})


def played(path: Path, plan: Plan) -> tuple[TournamentResult, list[tuple[str, ...]]]:
    """The result of going on in a folder, and who met in each chunk that was played for it."""
    met: list[tuple[str, ...]] = []

    def spread(jobs: Sequence[Job]) -> Generator[Chunk, None, None]:
        for job in jobs:
            met.append(tuple(job.plan.agents[place].name for place in job.plan.matches[job.match]))
            yield play_job(job)

    return play_tournament(plan, spread, Folder(path, plan)), met


def files(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (path / "chunks").iterdir()}


def of_match(result: TournamentResult, *names: str) -> object:
    return next(match for match in result.matches if {*match.mean_returns} == {*names})


# In a folder


def test_an_agent_is_taken_out_and_comes_back_without_a_game_being_played(tmp_path: Path) -> None:
    whole, met = played(tmp_path, some_plan("greedy", "random", "nash"))
    before = files(tmp_path)
    assert len(met) == len(before) == 6
    without, met = played(tmp_path, some_plan("greedy", "nash"))
    assert met == [] and files(tmp_path) == before
    assert without.names == ["greedy", "nash"] and without.games == 8
    assert without.matches == (of_match(whole, "greedy", "nash"),)
    assert played(tmp_path, some_plan("greedy", "random", "nash")) == (whole, [])
    other_order, met = played(tmp_path, some_plan("nash", "greedy", "random"))
    assert met == [] and other_order.names == ["nash", "greedy", "random"]
    assert other_order.pairwise == whole.pairwise and other_order.records != whole.records
    assert of_match(other_order, "greedy", "random") == of_match(whole, "greedy", "random")
    assert files(tmp_path) == before


def test_the_results_of_a_folder_that_never_changed_are_as_ever(tmp_path: Path) -> None:
    plan = some_plan("greedy", "random", "nash")
    assert played(tmp_path, plan)[0] == play_tournament(plan)
    values = json.loads((tmp_path / "manifest.json").read_text())
    assert values["format"] == "rat-tournament/1" and not {"numbers", "entered"} & {*values}


def test_only_the_matches_of_a_mended_agent_are_played_and_its_old_games_stay(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    names = [f"{bot}:Bot", "greedy", "random"]
    first, _ = played(tmp_path / "out", some_plan(*names))
    before = files(tmp_path / "out")
    bot.write_text(BOT + "\n")
    second, met = played(tmp_path / "out", some_plan(*names))
    assert Counter(met) == {(names[0], "greedy"): 2, (names[0], "random"): 2}
    now = files(tmp_path / "out")
    assert len(now) == 10 and {name: now[name] for name in before} == before
    assert of_match(second, "greedy", "random") == of_match(first, "greedy", "random")
    assert second.records != first.records, "its random numbers are others"
    manifest = read_manifest(tmp_path / "out" / "manifest.json")
    assert replay_tournament(manifest, trust=True) == (24, second.records)
    bot.write_text(BOT)
    assert played(tmp_path / "out", some_plan(*names)) == (first, [])


def test_a_new_agent_is_played_against_all_others_also_after_an_interruption(tmp_path: Path) -> None:
    first, _ = played(tmp_path, some_plan("greedy", "random"))
    plan = some_plan("nash", "greedy", "random", "random")

    def interrupted(jobs: Sequence[Job]) -> Generator[Chunk, None, None]:
        yield play_job(jobs[0])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_tournament(plan, interrupted, Folder(tmp_path, plan))
    assert Folder(tmp_path, plan).changes() == [], "it has been said"
    result, met = played(tmp_path, plan)
    assert len(met) == 2 * 5 - 1
    assert of_match(result, "greedy", "random") == first.matches[0]
    assert result.games == 48 and len({match.records for match in result.matches}) == 6
    manifest = read_manifest(tmp_path / "manifest.json")
    assert replay_tournament(manifest) == (48, result.records)
    assert manifest.matches is not None
    assert replay_tournament(manifest, match=5) == (8, manifest.matches[5])


def test_more_games_also_come_to_matches_that_were_left_aside(tmp_path: Path) -> None:
    """Of their last chunk, too, all deals are played again."""
    games = {"games": 6}  # three deals: the second chunk has one
    whole = play_tournament(some_plan("greedy", "random", "nash"))
    played(tmp_path, some_plan("greedy", "random", "nash", **games))
    _, met = played(tmp_path, some_plan("greedy", "random"))
    assert met == [("greedy", "random")]
    back = Folder(tmp_path, some_plan("greedy", "random", "nash"))
    assert "Of 24 games 16 are kept as they were played, and 8 are to be played." in back.changes()
    result, met = played(tmp_path, some_plan("greedy", "random", "nash"))
    assert sorted(met) == [("greedy", "nash"), ("random", "nash")]
    assert result == whole
    with pytest.raises(CheckpointError, match="a tournament of 8 games a match, and not of 6"):
        Folder(tmp_path, some_plan("greedy", "random", **games))


def test_where_nothing_has_been_played_yet_a_tournament_begins_anew(tmp_path: Path) -> None:
    Folder(tmp_path, some_plan("greedy", "random")).open()
    result, _ = played(tmp_path, some_plan("nash", "random"))
    assert result == play_tournament(some_plan("nash", "random"))
    assert "numbers" not in json.loads((tmp_path / "manifest.json").read_text())


def test_a_tournament_of_nobody_who_was_there_is_another_one(tmp_path: Path) -> None:
    played(tmp_path, some_plan("greedy", "random"))
    with pytest.raises(CheckpointError, match="holds a tournament with other agents: give another folder"):
        Folder(tmp_path, some_plan("nash", "learnt"))
    played(tmp_path, some_plan("nash", "random"))
    assert Folder(tmp_path, some_plan("nash", "learnt")).changes()


def test_a_folder_has_room_for_so_many_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path, some_plan("greedy", "random", "nash"))
    monkeypatch.setattr("rat_envs.arena.roster.MOST_EVER", 5)
    with pytest.raises(CheckpointError, match=r"there would be 6 matches in the folder, .* room for 5: give another"):
        Folder(tmp_path, some_plan("greedy", "random", "nash", "learnt"))


def test_a_folder_that_another_run_has_changed_meanwhile_is_gone_on_with_as_it_is(tmp_path: Path) -> None:
    plan = some_plan("greedy", "random", "nash")
    ours = Folder(tmp_path, plan)
    played(tmp_path, some_plan("random", "nash"))
    result = play_tournament(plan, folder=ours)
    assert result.games == 24 and len(files(tmp_path)) == 6
    manifest = read_manifest(tmp_path / "manifest.json")
    assert replay_tournament(manifest) == (24, result.records)


def test_a_chunk_of_another_match_is_refused(tmp_path: Path) -> None:
    played(tmp_path, some_plan("greedy", "random", "nash"))
    played(tmp_path, some_plan("greedy", "nash"))
    chunks = tmp_path / "chunks"
    (chunks / "match-1-chunk-0.safetensors").write_bytes((chunks / "match-0-chunk-0.safetensors").read_bytes())
    with pytest.raises(CheckpointError, match=r"match-1-chunk-0\.safetensors is damaged or of another tournament"):
        Folder(tmp_path, some_plan("greedy", "nash")).open()


# Who meets whom


def tournament(agents: str, players: int, **others) -> Plan:
    """Agents by letters, each of which is as good as a file."""
    game = get_game("comme_des_rats")
    config = game.configuration.make({"players": players}).to_dict()
    entrants = tuple(Entrant("random", letter) for letter in agents)
    return Plan(game, game.version, config, entrants, **{"games": 60, "seed": 5, "chunk": 5, **others})


def games_of(plan: Plan, match: int) -> tuple:
    """All that decides the games of a match: who sits where in each deal, and their random numbers."""
    who = plan.seats_of(match, 1).tolist()
    agents = plan.agents_of(match, 1)
    drawn = {plan.agents[place].sha256: agent.random.bit_generator.state["state"] for place, agent in agents.items()}
    order = [plan.agents[place].sha256 for place in agents]
    return [[[plan.agents[place].sha256 for place in seats] for seats in deal] for deal in who], drawn, order


@pytest.mark.parametrize(("players", "most"), [(2, 5), (3, 6), (4, 3)])
def test_a_match_stays_the_same_whoever_else_comes_and_goes(players: int, most: int) -> None:
    draw, roster, seen = random.Random(players), Roster(), {}
    for _ in range(12):
        number = draw.choice([size for size in range(2, most + 1) if size != players or players == 2])
        plan = tournament("".join(draw.sample("abcdefg", number)), players)
        roster, entered = roster.enter(plan)
        assert entered.agents == plan.agents and len(entered.matches) == len(plan.matches)
        numbers = [entered.number_of(match) for match in range(len(entered.matches))]
        assert len({*numbers}) == len(numbers)
        assert Roster.from_dict(json.loads(json.dumps(roster.to_dict())), entered) == roster
        assert Plan.from_dict(json.loads(json.dumps(entered.to_dict()))) == entered
        for match, line_up in enumerate(entered.matches):
            key = tuple(sorted(str(entered.agents[place].sha256) for place in line_up))
            games = games_of(entered, match)
            assert seen.setdefault(key, (numbers[match], games)) == (numbers[match], games)
    assert len(roster.matches) == len(seen) and len({str(games) for _, games in seen.values()}) == len(seen)


def test_as_many_agents_as_seats_have_their_own_order_and_so_other_games() -> None:
    roster, whole = Roster().enter(tournament("abcd", 3))
    roster, three = roster.enter(tournament("abc", 3))
    assert three.matches == [(0, 1, 2)] and three.number_of(0) == 4 and len(roster.aside(three)) == 4
    assert three.seats_of(0, 1)[:, 0].tolist() == [[0, 1, 2]] * 5
    roster, turned = roster.enter(tournament("bac", 3))
    assert turned.number_of(0) == 5 and turned.seats_of(0, 0)[0, 0].tolist() == [0, 1, 2]
    assert roster.enter(tournament("abc", 3)) == (roster, three)
    assert roster.enter(tournament("abcd", 3)) == (roster, whole)


def test_of_too_many_matches_those_that_were_drawn_are_kept_and_nobody_plays_less() -> None:
    roster, first = Roster().enter(tournament("abcdefghijkl", 4))
    assert first.numbers is None
    often = min(Counter(place for match in first.matches for place in match).values())
    roster, second = roster.enter(tournament("acdefghijklmn", 4))
    kept = [match for match in range(len(second.matches)) if second.number_of(match) < len(first.matches)]
    assert len(kept) == sum(1 not in match for match in first.matches)
    fresh = Counter(place for match in tournament("acdefghijklmn", 4).matches for place in match)
    now = Counter(place for match in second.matches for place in match)
    assert all(now[place] >= fresh[place] for place in range(13)) and now[12] <= fresh[12] + 1 <= often + 2
    assert roster.enter(tournament("acdefghijklmn", 4)) == (roster, second)
    roster, back = roster.enter(tournament("abcdefghijkl", 4))
    assert {*range(len(first.matches))} <= {back.number_of(match) for match in range(len(back.matches))}


# The manifest


AGENTS = [{"name": name, "sha256": None} for name in ("greedy", "random", "nash")]
WRONG_MATCHES = ["", "0-2", "0-2 x", "0-2 8 ever", "0-2 8 ordered now", "0-3 8", "0-1-2 8", "0-2 1", "0-2 9", "1-2 8"]


@pytest.mark.parametrize(
    "changes",
    [
        {"entered": None},
        {"entered": {"agents": [], "matches": []}},
        {"numbers": {"agents": [0, 0], "matches": [1], "line_ups": ["0-1"]}},
        {"numbers": {"agents": [0, 1], "matches": [1], "line_ups": ["0-1"]}},
        {"numbers": {"agents": [0, 2], "matches": [0], "line_ups": ["0-1"]}},
        {"numbers": {"agents": [0, 2], "matches": [7], "line_ups": ["0-1"]}},
        {"numbers": {"agents": [0, 2], "matches": [-2], "line_ups": ["0-1"]}},
        {"numbers": {"agents": [0, 9], "matches": [1], "line_ups": ["0-1"]}},
        {"numbers": {"agents": [0, 2], "matches": [1], "line_ups": ["0-2"]}},
        {"numbers": {"agents": [0, 2], "matches": [1], "line_ups": ["0"]}},
        {"numbers": {"agents": [0, 2], "matches": [], "line_ups": []}},
        {"numbers": {"agents": [0, 2], "matches": [1], "line_ups": ["0-x"]}},
        {"numbers": []},
        *({"entered": {"agents": AGENTS, "matches": ["0-1 8", text, "1-2 8"]}} for text in WRONG_MATCHES),
    ],
)
def test_numbers_that_cannot_be_are_refused_in_a_sentence(changes: dict, tmp_path: Path) -> None:
    played(tmp_path, some_plan("greedy", "random", "nash"))
    played(tmp_path, some_plan("greedy", "nash"))
    path = tmp_path / "manifest.json"
    values = json.loads(path.read_text())
    assert values["format"] == "rat-tournament/2"
    path.write_text(json.dumps({**values, **changes}))
    with pytest.raises(CheckpointError, match=r"manifest\.json is not a complete manifest"):
        read_manifest(path)


# The commands


def test_the_arena_says_what_is_kept_played_and_left_aside(tmp_path: Path) -> None:
    bots = [tmp_path / f"{name}.py" for name in ("amy", "bob")]
    for bot in bots:
        bot.write_text(BOT)
    amy, bob = (f"{bot}:Bot" for bot in bots)
    out = tmp_path / "out"
    command = ["arena", "brave_rats", "fast=true", "--games", "8", "--chunk", "2", "--workers", "1", "--json"]

    def run(*agents: str):
        result = CliRunner().invoke(app, [*command, *agents, "--out", str(out)])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout), result.stderr

    first, said = run(amy, bob, "random")
    assert "has had other agents" not in said
    bots[1].write_text(BOT + "\n")
    second, said = run(bob, "random", "greedy")
    assert said.splitlines()[:3] == [
        f"{out} has had other agents (changed: {bob}; gone: {amy}; new: greedy).",
        "Of 24 games 0 are kept as they were played, and 24 are to be played.",
        "Left aside: 3 matches played before. The games stay in the folder, and count again when the same agents are "
        "back.",
    ]
    assert [agent["name"] for agent in second["agents"]] == [bob, "random", "greedy"]
    assert json.loads((out / "results.json").read_text()) == second
    exported = CliRunner().invoke(app, ["export", str(out)])
    records = [json.loads(line) for line in exported.stdout.splitlines()]
    assert len(records) == 24 and {name for record in records for name in record["agents"]} == {bob, "random", "greedy"}
    assert exported.stderr == "Left out: 3 matches of agents that have changed or gone.\n"
    assert CliRunner().invoke(app, ["export", str(out), "--match", "0"]).stderr == ""
    bots[1].write_text(BOT)
    third, said = run(amy, bob, "random")
    assert third == first and f"(changed: {bob}; gone: greedy; back again: {amy})" in said
    assert "Of 24 games 24 are kept as they were played, and 0 are to be played." in said


def test_a_folder_keeps_its_chunks_when_a_search_leaves_and_is_not_for_one_if_they_are_large(tmp_path: Path) -> None:
    """By default a search has chunks of 4 deals, and others of 256."""
    command = ["arena", "brave_rats", "fast=true", "--games", "12", "--workers", "1", "--out", str(tmp_path / "few")]
    search = "ismcts:sims=1"
    assert CliRunner().invoke(app, [*command, "random", "greedy", search]).exit_code == 0
    result = CliRunner().invoke(app, [*command, "random", "greedy"])
    assert result.exit_code == 0 and "Of 12 games 12 are kept" in result.stderr
    assert read_manifest(tmp_path / "few" / "manifest.json").plan.chunk == 4
    command[-1] = str(tmp_path / "many")
    assert CliRunner().invoke(app, [*command, "random", "greedy"]).exit_code == 0
    result = CliRunner().invoke(app, [*command, "random", "greedy", search])
    assert result.exit_code == 1 and "holds a tournament with chunks of 256 deals, not 4" in str(result.exception)
    assert CliRunner().invoke(app, [*command, "random", "greedy", search, "--chunk", "256"]).exit_code == 0


def test_recorded_games_are_those_of_the_agents_of_now(tmp_path: Path) -> None:
    played(tmp_path, some_plan("greedy", "random", "nash"))
    whole = [record["steps"] for record in Recorded(tmp_path).games(1)]
    played(tmp_path, some_plan("nash", "greedy"))
    recorded = Recorded(tmp_path)
    records = list(recorded.games())
    assert recorded.aside == 2 and recorded.chunks() == (2, 0)
    assert [record["steps"] for record in records] == whole
    assert [record["agents"] for record in records] == [["greedy", "nash"], ["nash", "greedy"]] * 4
    assert {record["match"] for record in records} == {0}


def test_files_of_other_names_are_no_chunks(tmp_path: Path) -> None:
    (tmp_path / "chunks").mkdir()
    for name in ("match-x-chunk-0.safetensors", "match-7-chunk-0.safetensors.partial", "match-3-chunk-12.safetensors"):
        write_archive(tmp_path / "chunks" / name, {"format": "x"}, {})
    assert Chunks(tmp_path, some_plan("greedy", "random")).numbers() == {3}
