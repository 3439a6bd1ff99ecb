"""Tournaments: the same however they are played, interrupted and gone on with, and played again from their manifest."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import signal
import socket
import sys
import threading
import types
from collections.abc import Generator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from games_and_configurations import each_pair
from made_up_policies import some_networks

from rat_envs.agents import make_agent, shipped
from rat_envs.agents.learnt import save_policy
from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.api.agent import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import (
    Folder,
    Plan,
    Recorded,
    in_processes,
    in_this_process,
    make_plan,
    mean_estimate,
    on_ray,
    play_match,
    play_tournament,
    read_manifest,
    replay_tournament,
    workers,
)
from rat_envs.arena import plan as plans
from rat_envs.arena.chunks import CHUNK_FORMAT
from rat_envs.arena.jobs import Chunk, Job, play_job
from rat_envs.engine import batch
from rat_envs.engine.archive import PARTIAL_SUFFIX, read_archive, write_archive
from rat_envs.engine.errors import (
    CheckpointError,
    ConfigurationError,
    MissingExtraError,
    RatEnvsError,
    RecordError,
    UnknownNameError,
)
from rat_envs.engine.position import Position
from rat_envs.engine.random import CHANCE_STREAM, STREAM
from rat_envs.engine.registry import get_game

TALK = {"players": 2, "talk": True}


def small_plan(**changes) -> Plan:
    """Three agents, three matches of ten deals in three chunks."""
    games = {"game": "brave_rats", "agents": ["greedy", "random", "greedy"], "config": {"draw_pile": True}}
    return make_plan(**{**games, "games": 20, "seed": 4, "chunk": 4, **changes})


class InOrder(Agent):
    """Plays its cards in a fixed order, the highest first or the lowest first."""

    def __init__(self, highest: bool) -> None:
        super().__init__(0)
        self.highest = highest

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        actions = np.arange(views.masks.shape[1])
        rank = np.where(views.masks > 0, actions if self.highest else -actions, -1000)
        return np.eye(len(actions))[rank.argmax(axis=1)]


# What comes of it


def test_where_all_agents_are_the_same_the_seats_are_what_to_look_at(tmp_path) -> None:
    plan = make_plan("brave_rats", ["random", "random"], {"fast": True}, games=200, seed=1)
    result = play_tournament(plan, folder=Folder(tmp_path, plan))
    assert (result.are_equal, result.ratings, result.alpha_rank) == (True, None, None)
    assert result.remarks()[0].startswith("All agents are random: differences between them are chance")
    first, second = result.seat_returns
    own = [np.mean([agent.seats[seat].mean_return for agent in result.agents]) for seat in (0, 1)]
    assert [first.mean, second.mean] == pytest.approx(own) and first.mean == -second.mean
    assert first.low < first.mean < first.high
    assert first.reach < max(agent.seats[0].return_estimate.reach for agent in result.agents), "of twice as many games"
    other = play_tournament(make_plan("brave_rats", ["random", "greedy"], {"fast": True}, games=20))
    assert not other.are_equal and other.remarks() == [] and other.alpha_rank is not None


def test_the_length_of_games_is_that_of_the_records_also_where_they_are_kept(tmp_path) -> None:
    plan = make_plan("brave_rats", ["greedy", "random", "nash"], {"fast": True}, games=12, seed=2, chunk=4)
    result = play_tournament(plan, folder=Folder(tmp_path, plan))
    assert play_tournament(plan, folder=Folder(tmp_path, plan)) == result
    lengths: dict[int, list[int]] = {}
    for record in Recorded(tmp_path).games():
        decisions = sum(step["actor"] != "chance" for step in record["steps"])
        lengths.setdefault(record["deal"], []).append(decisions)
    assert result.length == mean_estimate(np.array([np.mean(of_deal) for _, of_deal in sorted(lengths.items())]))


def test_three_agents_are_measured_as_by_hand(monkeypatch) -> None:
    """Highest first always beats lowest first (``test_arena`` has the rounds); lowest against lowest is a draw."""
    monkeypatch.setattr(plans, "make_agent", lambda name, *rest, **others: InOrder(name == "greedy"))
    result = play_tournament(make_plan("brave_rats", ["greedy", "random", "random"], games=40, chunk=7))
    assert (result.games, result.deals, len(result.matches)) == (120, 20, 3)
    high, low, other = result.agents
    assert [agent.name for agent in result.agents] == result.names == ["greedy", "random", "random (2)"]
    assert (high.games, high.wins, high.draws, high.losses) == (80, 80, 0, 0)
    assert (low.games, low.wins, low.draws, low.losses) == (80, 0, 40, 40)
    alike = functools.partial(mean_estimate, least=-1.0, most=1.0)
    assert high.mean_return == alike(np.ones(20))
    assert low.mean_return == other.mean_return == alike(np.full(20, -0.5))
    assert result.pairwise["greedy"] == dict.fromkeys(result.names[1:], mean_estimate(np.full(20, 2.0), -2.0, 2.0))
    assert result.pairwise["random"]["random (2)"] == mean_estimate(np.zeros(20), -2.0, 2.0)
    assert result.alpha_rank == pytest.approx({"greedy": 1.0, "random": 0.0, "random (2)": 0.0})
    assert result.matches[1].mean_returns == {"greedy": alike(np.ones(20)), "random (2)": alike(-np.ones(20))}
    assert result.ratings is not None
    assert result.ratings["greedy"].mu > 30 > 22 > result.ratings["random"].mu
    assert [row[0] for row in result.standings()][:2] == ["agent", "greedy"]
    head, *rows = result.pairwise_table()
    assert head[1:] == [row[0] for row in rows] == result.names
    assert rows[0][1:] == ["", "+2.000 ± 0.674", "+2.000 ± 0.674"]


@pytest.mark.parametrize("names", [["greedy", "loyal"], ["treacherous", "greedy", "loyal"]])
def test_one_match_is_that_of_play_match(names: list[str]) -> None:
    """With agents that always do the same, whatever their random numbers."""
    config = {"players": len(names), "talk": True}
    plan = make_plan("comme_des_rats", names, config, games=30, seed=6, chunk=4)
    match = play_match("comme_des_rats", [make_agent(name, "comme_des_rats") for name in names], config, 30, 6)
    result = play_tournament(plan)
    assert (result.agents, result.welfare, result.games) == (match.agents, match.welfare, match.games)
    assert result.table() == match.table()


def test_every_match_is_played_on_the_same_deals() -> None:
    """Agents that do the same cannot be told apart then, not even by chance."""
    result = play_tournament(make_plan("comme_des_rats", ["loyal"] * 3, TALK, games=30, chunk=6))
    one, other, third = (agent.mean_score for agent in result.agents)
    assert one == other == third
    assert len({match.records for match in result.matches}) == 1
    assert {estimate.mean for estimate in result.pairwise["loyal"].values()} == {0.0}
    assert one.low < one.high, "deals differ"


def test_chance_that_is_drawn_again_changes_mean_returns_alone() -> None:
    """In Rattus the plague goes on after the last decision: its mean over many draws varies less from deal to deal."""
    games = {"config": {"players": 2}, "games": 60, "seed": 2, "chunk": 20}
    once, often = (make_plan("rattus", ["random", "random"], **games, final_draws=draws) for draws in (1, 16))
    one, many = play_job(Job(once, 0, 0)), play_job(Job(often, 0, 0))
    assert many.records == one.records
    for name in ("who", "returns", "scores", "winners", "tallies", "fallbacks", "decisions", "tokens"):
        assert np.array_equal(getattr(many.played, name), getattr(one.played, name))
    assert np.array_equal(one.played.mean_returns, one.played.returns)
    means = many.played.mean_returns
    assert np.allclose(means.sum(axis=2), 0) and np.isin(means * 16, range(-16, 17)).all()
    assert len(np.unique(means)) > 5 > len(np.unique(many.played.returns))
    plain, result = play_tournament(once), play_tournament(often)
    spread = [of.agents[0].mean_return.high - of.agents[0].mean_return.low for of in (plain, result)]
    assert spread[1] < 0.9 * spread[0]
    assert (result.records, result.ratings, result.welfare) == (plain.records, plain.ratings, plain.welfare)
    assert [agent.win_rate for agent in result.agents] == [agent.win_rate for agent in plain.agents]
    assert result.agents[0].mean_return.mean == pytest.approx(result.matches[0].mean_returns["random"].mean)


def test_what_is_drawn_again_is_the_same_in_all_seatings_and_with_all_agents() -> None:
    """Two of the same kind are at par in every deal, whatever chance says."""
    agents = [InOrder(highest=True), InOrder(highest=True)]
    result = play_tournament(make_plan("rattus", agents, {"players": 2}, games=20, seed=1, final_draws=16))
    one, other = result.names
    assert result.pairwise[one][other].mean == 0.0


def test_without_chance_after_the_last_decision_it_is_the_same() -> None:
    once, thrice = (play_tournament(small_plan(final_draws=draws)) for draws in (1, 3))
    assert replace(thrice, final_draws=1) == once


def test_a_tournament_with_final_draws_goes_on_and_comes_out_the_same_again(tmp_path) -> None:
    plan = make_plan("rattus", ["greedy", "random"], {"players": 2}, games=12, chunk=2, final_draws=4)
    with pytest.raises(KeyboardInterrupt):
        play_tournament(plan, interrupted_after(2, []), Folder(tmp_path, plan))
    assert play_tournament(plan, folder=Folder(tmp_path, plan)) == play_tournament(plan)
    assert read_manifest(tmp_path / "manifest.json").plan == plan
    assert replay_tournament(read_manifest(tmp_path / "manifest.json"))[0] == 12


def test_fewer_agents_than_seats() -> None:
    plan = make_plan("comme_des_rats", ["treacherous", "random"], {"players": 3, "talk": True}, games=60)
    result = play_tournament(plan)
    treacherous, random = result.agents
    assert plan.matches == [(0, 0, 1), (0, 1, 1)]
    assert treacherous.games == random.games == 20 * 3 * (2 + 1)
    assert treacherous.mean_return.mean == pytest.approx(-random.mean_return.mean)
    assert result.pairwise["treacherous"]["random"].low > 0  # type: ignore[union-attr]
    assert json.loads(json.dumps(result.to_json()))["games"] == 120


# However it is played


def test_results_are_equal_here_and_in_one_worker_and_in_two(monkeypatch) -> None:
    monkeypatch.setattr(workers, "SECONDS_HERE", 0.0)
    plan = small_plan()
    here = play_tournament(plan, in_this_process)
    assert here == play_tournament(plan, lambda jobs: workers._in_pool(jobs, 1))
    seen: list[tuple[int, int]] = []
    two = functools.partial(in_processes, workers=2)
    assert here == play_tournament(plan, two, progress=lambda *at: seen.append(at))
    assert seen[0] == (0, 60) and seen[-1] == (60, 60) and len(seen) == 1 + 9
    assert here != play_tournament(small_plan(seed=5))


def test_results_are_equal_in_whatever_order_chunks_arrive() -> None:
    def backwards(jobs: Sequence[Job]) -> Generator[Chunk, None, None]:
        yield from map(play_job, reversed(jobs))

    assert play_tournament(small_plan(), backwards) == play_tournament(small_plan())


def test_results_are_equal_on_ray() -> None:
    pytest.importorskip("ray", reason="an extra of its own: ray")
    plan = small_plan()
    assert play_tournament(plan, functools.partial(on_ray, address="local")) == play_tournament(plan)
    with pytest.raises(UnknownNameError, match="There is no agent 'nobody'"):
        list(on_ray([Job(make_plan("brave_rats", ["nobody", "random"]), 0, 0)], "local"))


def test_ray_that_is_not_there_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r'^Playing on a Ray cluster needs ray: pip install ".*\[ray\]"$'):
        play_tournament(small_plan(), functools.partial(on_ray, address="local"))


def test_no_cluster_is_no_long_wait(monkeypatch) -> None:
    """Ray itself would try for minutes."""
    monkeypatch.setitem(sys.modules, "ray", types.SimpleNamespace(is_initialized=lambda: False))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens there
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(RatEnvsError, match=f"^No Ray cluster answers at '{address}' "):
            list(on_ray([Job(small_plan(), 0, 0)], address))


def test_an_error_of_a_worker_is_that_of_the_agent() -> None:
    with pytest.raises(UnknownNameError, match=r"^There is no agent 'nobody': the agents for brave_rats are random"):
        list(workers._in_pool([Job(make_plan("brave_rats", ["nobody", "random"]), 0, 0)], 1))


def test_a_worker_that_is_killed_is_reported(monkeypatch) -> None:
    """As the system does for want of memory."""
    monkeypatch.setattr(workers, "play_job", signal.raise_signal)
    with pytest.raises(RatEnvsError, match=r"^A worker process has been killed"):
        list(workers._in_pool([signal.SIGKILL], 1))  # type: ignore[list-item]


def test_a_worker_uses_one_core(monkeypatch) -> None:
    batch.available_cores.cache_clear()
    monkeypatch.setenv("RAT_ENVS_THREADS", "3")
    assert batch.available_cores() == 3
    for wrong in ("abc", "0", "-3", "1.5"):
        batch.available_cores.cache_clear()
        monkeypatch.setenv("RAT_ENVS_THREADS", wrong)
        with pytest.raises(ConfigurationError, match=f"^RAT_ENVS_THREADS={wrong}: must be a whole number from 1"):
            batch.available_cores()
    batch.available_cores.cache_clear()
    workers.begin_worker()
    assert batch.available_cores() == 1
    batch.available_cores.cache_clear()


# Interrupted and gone on with


def interrupted_after(number: int, played: list[tuple[int, int]]):
    """Plays so many chunks, then Ctrl-C."""

    def spread(jobs: Sequence[Job]) -> Generator[Chunk, None, None]:
        for chunk in itertools.islice(in_this_process(jobs), number):
            played.append((chunk.match, chunk.chunk))
            yield chunk
        raise KeyboardInterrupt

    return spread


def listing(played: list[tuple[int, int]]):
    """Plays, and says what."""

    def spread(jobs: Sequence[Job]) -> Generator[Chunk, None, None]:
        for chunk in in_this_process(jobs):
            played.append((chunk.match, chunk.chunk))
            yield chunk

    return spread


def test_what_was_interrupted_goes_on_and_ends_the_same(tmp_path) -> None:
    plan, before, after = small_plan(), [], []
    with pytest.raises(KeyboardInterrupt):
        play_tournament(plan, interrupted_after(4, before), Folder(tmp_path / "out", plan))
    assert before == [(0, 0), (1, 0), (2, 0), (0, 1)]
    assert read_manifest(tmp_path / "out" / "manifest.json").records is None
    leftover = tmp_path / "out" / "chunks" / f"match-1-chunk-1.safetensors{PARTIAL_SUFFIX}"
    leftover.write_bytes(b"half")

    seen: list[tuple[int, int]] = []
    result = play_tournament(plan, listing(after), Folder(tmp_path / "out", plan), lambda *at: seen.append(at))
    assert result == play_tournament(plan)
    assert sorted(before + after) == sorted(itertools.product(range(3), range(3)))
    assert seen[0] == (4 * 3 * 2 + 4 * 2, 60)
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results == json.loads(json.dumps(result.to_json()))
    assert (results["version"], results["final_draws"]) == (plan.version, plan.final_draws)

    def nobody(jobs: Sequence[Job]) -> Generator[Chunk, None, None]:
        assert not jobs
        yield from ()

    assert play_tournament(plan, nobody, Folder(tmp_path / "out", plan)) == result


@pytest.mark.parametrize("fewer", [14, 16, 18])
def test_more_games_are_added_to_those_that_were_played(fewer: int, tmp_path) -> None:
    """Seven, eight or nine deals of ten, in chunks of four: of the last chunk all deals are played again."""
    fewer_games, plan, added = small_plan(games=fewer), small_plan(), []
    play_tournament(fewer_games, folder=Folder(tmp_path, fewer_games))
    result = play_tournament(plan, listing(added), Folder(tmp_path, plan))
    last = {14: [1, 2], 16: [2], 18: [2]}[fewer]
    assert sorted(added) == sorted(itertools.product(range(3), last))
    assert result == play_tournament(plan)
    manifest = read_manifest(tmp_path / "manifest.json")
    assert (manifest.plan.games, manifest.records) == (20, result.records)
    with pytest.raises(CheckpointError, match=rf"a tournament of 20 games a match, and not of {fewer}: ask for as"):
        Folder(tmp_path, fewer_games)


def test_more_games_that_were_interrupted_are_gone_on_with(tmp_path) -> None:
    fewer_games, plan = small_plan(games=14), small_plan()
    play_tournament(fewer_games, folder=Folder(tmp_path, fewer_games))
    before, after = [], []
    with pytest.raises(KeyboardInterrupt):
        play_tournament(plan, interrupted_after(2, before), Folder(tmp_path, plan))
    assert play_tournament(plan, listing(after), Folder(tmp_path, plan)) == play_tournament(plan)
    assert sorted(before + after) == sorted(itertools.product(range(3), [1, 2]))


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"seed": 5}, "another seed"),
        ({"chunk": 5}, "chunks of 4 deals, not 5"),
        ({"final_draws": 5}, "other final draws"),
        ({"agents": ["nash", "learnt"], "config": {}}, "other options"),
        ({"agents": ["loyal", "learnt"]}, "other agents"),
        ({"config": {"fast": True}}, "other options"),
        ({"game": "rattus", "config": {}}, "another game"),
    ],
)
def test_the_folder_of_another_tournament_is_refused(changes: dict, difference: str, tmp_path) -> None:
    Folder(tmp_path, small_plan()).open()
    with pytest.raises(CheckpointError, match=f"holds a tournament with {difference}: give another folder.$"):
        Folder(tmp_path, small_plan(**changes))
    Folder(tmp_path, small_plan())


def test_a_folder_in_which_another_tournament_began_meanwhile_is_refused(tmp_path) -> None:
    plan, another = small_plan(), small_plan(seed=5)
    ours, others = Folder(tmp_path, plan), Folder(tmp_path, another)
    played = play_tournament(another, folder=others)
    with pytest.raises(CheckpointError, match="holds a tournament with another seed"):
        play_tournament(plan, folder=ours)
    assert play_tournament(another, folder=Folder(tmp_path, another)) == played


def test_a_file_is_no_folder(tmp_path) -> None:
    (tmp_path / "games.jsonl").touch()
    with pytest.raises(CheckpointError, match=r"games\.jsonl is a file: name a folder\.$"):
        Folder(tmp_path / "games.jsonl", small_plan())


def test_a_folder_begun_with_other_versions_or_with_other_files_is_refused(tmp_path) -> None:
    Folder(tmp_path / "out", small_plan()).open()
    path = tmp_path / "out" / "manifest.json"
    path.write_text(path.read_text().replace(f'"numpy": "{np.__version__}"', '"numpy": "0.1"'))
    with pytest.raises(CheckpointError, match="with another version of numpy"):
        Folder(tmp_path / "out", small_plan())
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(CheckpointError, match="holds other files and no tournament"):
        Folder(tmp_path, small_plan())


def test_a_damaged_chunk_is_named(tmp_path) -> None:
    plan = small_plan()
    play_tournament(plan, folder=Folder(tmp_path, plan))
    path = tmp_path / "chunks" / "match-2-chunk-1.safetensors"
    other = (tmp_path / "chunks" / "match-0-chunk-1.safetensors").read_bytes()
    header, arrays = read_archive(path, CHUNK_FORMAT, "chunk")
    write_archive(tmp_path / "typed", header, {**arrays, "winners": arrays["winners"].astype(float)})
    for content in (path.read_bytes()[:-40], other, (tmp_path / "typed").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=r"match-2-chunk-1\.safetensors is .*\. Delete it, and it is pl"):
            play_tournament(plan, folder=Folder(tmp_path, plan))
    path.unlink()
    play_tournament(plan, folder=Folder(tmp_path, plan))


@each_pair
def test_every_game_comes_back_from_its_chunk(game, config, tmp_path) -> None:
    plan = make_plan(game, ["random", "greedy"], config, games=10, chunk=2)
    result = play_tournament(plan, folder=Folder(tmp_path, plan))
    records = list(Recorded(tmp_path).games())
    assert len(records) == result.games
    for name, agent in zip(result.names, result.agents, strict=True):
        own = [each["returns"][seat] for each in records for seat, who in enumerate(each["agents"]) if who == name]
        assert np.mean(own) == pytest.approx(agent.mean_return.mean)


def test_actions_that_do_not_lead_to_the_games_are_refused(tmp_path) -> None:
    plan = small_plan()
    play_tournament(plan, folder=Folder(tmp_path, plan))
    path = tmp_path / "chunks" / "match-0-chunk-0.safetensors"
    header, arrays = read_archive(path, CHUNK_FORMAT, "chunk")
    for actions in (arrays["actions"][::-1], arrays["actions"][:, :2]):
        write_archive(path, header, {**arrays, "actions": actions})
        with pytest.raises(CheckpointError, match=r"chunk-0\.safetensors: its actions do not lead to the games that"):
            list(Recorded(tmp_path).games())


# Manifests and hashes


def steps_of(game: str, config: dict, seed: int, seated: list[Agent]) -> list[tuple[int, int]]:
    """Who acts and what happens in a game, played node by node."""
    from rat_envs.engine.batch import Batch

    position, streams = Position(game, config), np.zeros(1, STREAM)
    position.program.seed_stream(streams[0], np.uint64(seed), CHANCE_STREAM)
    one, steps = Batch(game, 1, config, 0), []
    while not position.is_over:
        if position.is_chance:
            outcome = position.sample(streams[0])
            steps.append((-1, position.game.outcome_numbers[outcome]))
            position.apply(outcome)
            continue
        one.states[0] = position.state
        one.refresh()
        steps.append((position.actor, seated[position.actor].act(SeatViews(one))))
        position.apply(steps[-1][1])
    return [*steps, (-2, 0)]


def test_the_hash_is_over_every_step_of_every_game() -> None:
    config = {"players": 3, "talk": True}
    plan = make_plan("comme_des_rats", ["loyal", "greedy", "treacherous", "greedy"], config, games=12, seed=2, chunk=3)
    chunk = play_job(Job(plan, 1, 1))
    agents = {number: make_agent(plan.agents[number].name, "comme_des_rats") for number in plan.matches[1]}
    games = [
        steps_of("comme_des_rats", config, seed, [agents[number] for number in seating])
        for seed, deal in zip(plan.seeds_of(1).tolist(), plan.seats_of(1, 1).tolist(), strict=True)
        for seating in deal
    ]
    assert len(games) == 3

    def digest() -> str:
        return hashlib.sha256(np.array([step for steps in games for step in steps], "<i2").tobytes()).hexdigest()

    assert chunk.records == digest()
    for steps, place in itertools.product(games, (0, 7, -2)):
        actor, action = steps[place]
        steps[place] = actor, action + 1
        assert chunk.records != digest()
        steps[place] = actor, action


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """The manifest of a tournament that has been played."""
    folder, plan = tmp_path_factory.mktemp("finished"), small_plan()
    play_tournament(plan, folder=Folder(folder, plan, "rat-envs arena brave_rats …"))
    return folder / "manifest.json"


def test_a_manifest_says_everything(finished) -> None:
    values = json.loads(finished.read_text())
    assert set(values["versions"]) == {"rat_envs", "python", "numpy", "numba"}
    assert values["command"] == "rat-envs arena brave_rats …"
    assert values["config"] == get_game("brave_rats").configuration.make({"draw_pile": True}).to_dict()
    assert (values["game"], values["version"], values["seed"], values["games"]) == ("brave_rats", 0, 4, 20)
    assert [match["agents"] for match in values["matches"]] == [
        ["greedy", "random"],
        ["greedy", "greedy"],
        ["random", "greedy"],
    ]
    assert len({values["records"], *(match["records"] for match in values["matches"])}) == 4
    assert read_manifest(finished).plan == small_plan()


def test_a_tournament_and_any_match_of_it_come_out_the_same_again(finished) -> None:
    manifest = read_manifest(finished)
    assert manifest.matches is not None
    assert replay_tournament(manifest) == (60, manifest.records)
    assert replay_tournament(manifest, match=2) == (20, manifest.matches[2])
    with pytest.raises(ConfigurationError, match=r"^match=3: must be a number from 0 to 2"):
        replay_tournament(manifest, match=3)


def test_other_records_are_noticed_and_the_match_is_named(finished, monkeypatch) -> None:
    """One action of one game in one chunk is another one."""
    manifest = read_manifest(finished)
    act = Agent.act_batch

    def other(self: Agent, views: SeatViews) -> np.ndarray:
        actions = act(self, views)
        actions[0] = np.flatnonzero(views.masks[0])[0]
        return actions

    monkeypatch.setattr("rat_envs.agents.random.RandomAgent.act_batch", other)
    with pytest.raises(RecordError, match=r"^Match 0 \(greedy, random\) has other records than the manifest says.$"):
        replay_tournament(manifest)
    assert replay_tournament(manifest, match=1)[0] == 20, "nobody there plays at random"
    manifest.versions["numpy"] = "0.1"
    with pytest.raises(RecordError, match=r"says \(numpy 0.1 then, [\d.]+ now\)"):
        replay_tournament(manifest, match=2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "rat-record/1"}, "is of format 'rat-record/1'"),
        ({"version": 7}, "is of version 7 of brave_rats, but this is version 0"),
        ({"matches": []}, "is not a complete manifest"),
        ({"agents": [{"name": "greedy"}]}, "is not a complete manifest"),
        ({"seed": None}, "is not a complete manifest"),
        ({"game": "chess"}, "There is no game 'chess'"),
    ],
)
def test_what_is_no_manifest_is_refused_in_a_sentence(changes: dict, words: str, finished, tmp_path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({**json.loads(finished.read_text()), **changes}))
    with pytest.raises(RatEnvsError, match=words):
        read_manifest(path)


def test_hashes_that_do_not_fit_together_or_are_not_there_yet_are_refused(finished, tmp_path) -> None:
    manifest = read_manifest(finished)
    manifest.records = "0" * 64
    with pytest.raises(RecordError, match="do not make up its hash of all records"):
        replay_tournament(manifest)
    Folder(tmp_path, small_plan()).open()
    with pytest.raises(ConfigurationError, match="has not been finished"):
        replay_tournament(read_manifest(tmp_path / "manifest.json"))


def some_policy(path: Path, seed: int) -> None:
    game, random = get_game("brave_rats"), np.random.default_rng(seed)
    sizes = [game.observation.itemsize, 8, len(game.actions)]
    weights = tuple(random.normal(size=(1, *shape)).astype(np.float32) for shape in itertools.pairwise(sizes))
    biases = tuple(np.zeros((1, size), np.float32) for size in sizes[1:])
    save_policy(path, PolicyAgent(Networks(weights, biases), game))


def test_a_folder_with_the_games_of_one_policy_is_not_another_ones(tmp_path: Path) -> None:
    game = get_game("brave_rats")
    one, same, other = (PolicyAgent(some_networks(game, scale=scale), game) for scale in (0.1, 0.1, 0.3))
    plan = make_plan("brave_rats", [one, "random"], games=20)
    play_tournament(plan, folder=Folder(tmp_path, plan))
    assert Folder(tmp_path, make_plan("brave_rats", [same, "random"], games=20)).changes() == []
    another = Folder(tmp_path, make_plan("brave_rats", [other, "random"], games=20))
    assert another.changes()[0] == f"{tmp_path} has had other agents (changed: policy)."
    assert another.open() == {}


@pytest.mark.parametrize("name", ["learnt", "ismcts:sims=2,policy=learnt"])
def test_a_policy_that_comes_with_the_package_takes_part_by_what_is_in_its_file_too(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of the package may bring another one."""
    config = {"players": 3}  # there are policies for two and for four: the nearest plays, the one for fewer
    plan = make_plan("rattus", [name, "random"], config, games=6)
    file = shipped.FOLDER / "rattus-2.safetensors"
    assert plan.agents[0].sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    play_tournament(plan, folder=Folder(tmp_path / "out", plan))
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / file.name).write_bytes(b"another")
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "policies")
    with pytest.raises(CheckpointError, match=r"rattus-2\.safetensors is not the file that entered the tournament"):
        play_tournament(plan)
    changed = Folder(tmp_path / "out", make_plan("rattus", [name, "random"], config, games=6))
    assert f"(changed: {name})" in changed.changes()[0]


def test_a_policy_takes_part_by_what_is_in_its_file(tmp_path) -> None:
    path = tmp_path / "policy.safetensors"
    some_policy(path, 1)
    plan = make_plan("brave_rats", [str(path), "random"], games=20, chunk=3)
    assert plan.agents[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert plan.agents[1].sha256 is None
    play_tournament(plan, folder=Folder(tmp_path / "out", plan))
    manifest = read_manifest(tmp_path / "out" / "manifest.json")
    assert replay_tournament(manifest) == (20, manifest.records)
    some_policy(path, 2)
    with pytest.raises(CheckpointError, match=r"policy.safetensors is not the file that entered the tournament"):
        replay_tournament(manifest)
    changed = Folder(tmp_path / "out", make_plan("brave_rats", [str(path), "random"], games=20, chunk=3))
    assert f"(changed: {path})" in changed.changes()[0]
    path.unlink()
    with pytest.raises(RatEnvsError, match=r"^There is no file .*policy\.safetensors\.$"):
        replay_tournament(manifest)


# Waiting for workers


def test_workers_are_waited_for_in_short_waits_and_each_is_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = []

    def noted(tasks: set[Future], seconds: float) -> Generator[Future, None, None]:
        waits.append(len(tasks))
        return as_completed(tasks, seconds)

    monkeypatch.setattr(workers, "as_completed", noted)
    monkeypatch.setattr(workers, "SECONDS_OF_WAIT", 0.02)
    tasks: list[Future] = [Future() for _ in range(4)]
    for task, seconds in zip(tasks, (0.2, 0.05, 0.1), strict=False):
        threading.Timer(seconds, task.set_result, [seconds]).start()
    tasks[3].set_exception(ValueError("a worker's own"))
    ended = list(workers.as_they_end(tasks))
    assert ended == [tasks[3], tasks[1], tasks[2], tasks[0]]
    assert len(waits) > 4 and waits[0] == 4 and waits[-1] == 1
    with pytest.raises(ValueError, match="own"):
        ended[0].result()
