"""Every kind of file that is read, how a small whole one is made, and who reads it and uses what it holds."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from rat_envs.agents.learnt import load_policy, save_policy
from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.agents.recall import RecallAgent, size_of_decision
from rat_envs.api.seats import SeatViews
from rat_envs.arena import Folder, make_plan, play_tournament, read_manifest
from rat_envs.arena.chunks import Chunks
from rat_envs.comparison.benchmark import load_benchmark
from rat_envs.comparison.page import benchmark_page
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import parse_options
from rat_envs.engine.files import read_bytes
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder, read_records, replay
from rat_envs.engine.registry import get_game
from rat_envs.ladder.climb import load_ladder
from rat_envs.ladder.page import ladder_page
from rat_envs.ladder.rungs import all_pairings
from rat_envs.ladder.shipping import FOLDER, read_card
from rat_envs.solving import solution

GAME, FAST = "brave_rats", {"fast": True}
DOCS = Path(__file__).parents[2] / "docs"
LEARNERS = ("ppo", "search", "maskable_ppo", "lookahead")


def read_a_record_file(path: Path) -> None:
    """As the command ``replay`` does it."""
    try:
        lines = path.open(encoding="utf-8")
    except (OSError, ValueError):  # which the command line tells
        return
    with lines:
        for _, record in read_records(lines):
            replay(record)


def make_records(path: Path) -> None:
    """Two games, with what was possible at every node."""
    lines = []
    for seed in range(2):
        recorder, stream = Recorder(Position(get_game(GAME), FAST), True), new_stream(get_game(GAME), seed)
        while not recorder.position.is_over:
            recorder.apply(recorder.position.sample(stream))
        lines.append(json.dumps(recorder.record()))
    path.write_text("\n".join(lines[:1]) + "\n")


def read_options(path: Path) -> None:
    """Options of a game as on the command line, one a line."""
    text = read_bytes(path, "options", 10**7).decode("utf-8", "replace")
    get_game("comme_des_rats").configuration.make(parse_options(text.splitlines()))


def make_options(path: Path) -> None:
    """One a line, each of them a value of JSON or a text."""
    path.write_text("players=3\nroles=true\ndie=[1, 1, 2, 1, 1]\n")


def read_configuration(path: Path) -> None:
    """The options of a game as JSON brings them."""
    from rat_envs.engine.files import read_json

    get_game("comme_des_rats").configuration.make(read_json(path, "configuration"))


def make_configuration(path: Path) -> None:
    """All options of a game with tables."""
    path.write_text(json.dumps(get_game("comme_des_rats").configuration.make(None).to_dict()))


def new_plan() -> Any:
    """Of a tournament of some games."""
    return make_plan(GAME, ["greedy", "random"], FAST, 8, seed=1, chunk=2)


def read_a_chunk(path: Path) -> None:
    """In the place of a tournament's first chunk."""
    chunks = Chunks(path.parent, new_plan())
    with mock.patch.object(chunks, "path_of", return_value=path):
        chunks.read(0, 0)


def make_tournament(path: Path, name: str) -> None:
    """A file of a tournament that has been played."""
    folder = Folder(path.parent / "tournament", new_plan())
    play_tournament(new_plan(), folder=folder)
    shutil.copy(folder.path / name, path)


def make_changed_manifest(path: Path) -> None:
    """The manifest of a tournament one of whose agents has gone while another came."""
    folder = path.parent / "tournament"
    for agents in (["greedy", "random", "nash"], ["nash", "greedy", "learnt"]):
        plan = make_plan(GAME, agents, FAST, 4, seed=1)
        play_tournament(plan, folder=Folder(folder, plan))
    shutil.copy(folder / "manifest.json", path)


def use_policy(path: Path) -> None:
    """Load and ask it."""
    agent = load_policy(path, GAME)
    views = SeatViews(Batch(GAME, 4, FAST, seed=1), witnessed={game: [] for game in range(4)})
    assert np.isfinite(agent.policy_batch(views)).all()
    agent.value_batch(views)


def networks(outputs: int, returns: int = 0, recall: int = 0) -> Networks:
    """Two small layers of noise."""
    random, game = np.random.default_rng(1), get_game(GAME)
    inputs = game.observation.itemsize + recall * size_of_decision(game)
    sizes = ((1, inputs, 4), (1, 4, outputs))
    weights = tuple(random.normal(size=size).astype(np.float32) for size in sizes)
    return Networks(weights, (np.zeros((1, 4), np.float32), np.zeros((1, outputs), np.float32)), "tanh", returns)


def make_policy(path: Path) -> None:
    """With a network that expects returns, too."""
    game = get_game(GAME)
    save_policy(path, PolicyAgent(networks(len(game.actions) + game.seats, game.seats), GAME, FAST, {"seed": 1}))


def make_recall(path: Path) -> None:
    """With a network that is shown two earlier decisions."""
    game = get_game(GAME)
    save_policy(path, RecallAgent(networks(len(game.actions) + game.seats, game.seats, 2), GAME, FAST, {"seed": 1}))


def make_lookahead(path: Path) -> None:
    """With three combinations of two numbers."""
    from rat_envs.agents.crossing import Crossed, Crossing
    from rat_envs.agents.lookahead import LookaheadAgent

    crossing = Crossing(np.array([1, 2]), np.array([3, 4, 5], np.uint64))
    value = dataclasses.replace(networks(2), crossed=Crossed(crossing, np.zeros((1, 4, 4), np.float32)))
    save_policy(path, LookaheadAgent(value, 0.5, GAME, FAST, {"seed": 1}))


def use_solution(path: Path) -> None:
    """As one of a preset."""
    with mock.patch.object(solution, "solution_path", return_value=path):
        solution.kept_solution(get_game(GAME), "small")


def resume(learner: str, path: Path) -> None:
    """Restore the run of which the file is the checkpoint, and learn on."""
    from learners import LEARNERS as ALL

    from rat_envs.training.checkpoints import restore
    from rat_envs.training.run import RunOptions

    kind = ALL[learner]
    options: RunOptions = kind.tiny(path.parent / "run", 2)
    run = _new_run(learner, options)
    try:
        restore(run, path)
        if options.LEARNER != "maskable_ppo":
            run.update()
    finally:
        run.close()


def _new_run(learner: str, options: Any) -> Any:
    """A run at its beginning; it is not kept, for the first restoration changes it."""
    return dataclasses.replace(options, tensorboard=False).new_run()


def make_checkpoint(learner: str, path: Path) -> None:
    """Of a run of two updates."""
    from learners import LEARNERS as ALL

    from rat_envs.training.checkpoints import CHECKPOINT
    from rat_envs.training.run import train

    train(ALL[learner].tiny(path.parent / "trained", 2))
    shutil.copy(path.parent / "trained" / CHECKPOINT, path)


def make_transitions(name: str, path: Path) -> None:
    """Of one game."""
    from rat_envs.datasets import write_transitions

    make_records(path)
    write_transitions(path.read_text().splitlines(), path.parent / "transitions")
    shutil.copy(path.parent / "transitions" / name, path)


def use_transitions(name: str, path: Path) -> None:
    """Load them, with the other file of the folder as it was written."""
    from rat_envs.datasets import load_transitions

    with tempfile.TemporaryDirectory() as folder:
        make_transitions(name, Path(folder) / "whole")
        with contextlib.suppress(OSError, ValueError):  # it is no file
            Path(folder, "transitions", name).write_bytes(path.read_bytes())
        for _ in load_transitions(Path(folder) / "transitions"):
            pass


def shorter(name: str, path: Path) -> None:
    """A file of the folder ``docs`` with its first results."""
    kept = json.loads((DOCS / name).read_text())
    path.write_text(json.dumps({**kept, "results": kept["results"][:4]}))


#: By kind: who makes a whole file, and who reads it.
KINDS: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "records": (make_records, read_a_record_file),
    "options": (make_options, read_options),
    "configuration": (make_configuration, read_configuration),
    "manifest": (lambda path: make_tournament(path, "manifest.json"), read_manifest),
    "changed manifest": (make_changed_manifest, read_manifest),
    "chunk": (lambda path: make_tournament(path, "chunks/match-0-chunk-0.safetensors"), read_a_chunk),
    "solution": (
        lambda path: shutil.copy(solution.SOLUTIONS / f"{GAME}_small.json", path),
        use_solution,
    ),
    "policy": (make_policy, use_policy),
    "lookahead": (make_lookahead, use_policy),
    "recall": (make_recall, use_policy),
    "ladder": (
        lambda path: shorter("ladder.json", path),
        lambda path: ladder_page(load_ladder(path), list(all_pairings())),
    ),
    "benchmark": (
        lambda path: shorter("benchmark.json", path),
        lambda path: benchmark_page(load_benchmark(path)),
    ),
    "card": (lambda path: shutil.copy(FOLDER / f"{GAME}-2.json", path), read_card),
    **{
        what: (functools.partial(make_transitions, name), functools.partial(use_transitions, name))
        for what, name in (("manifest of transitions", "manifest.json"), ("transitions", "transitions-00000.npz"))
    },
    **{
        f"checkpoint of {learner}": (functools.partial(make_checkpoint, learner), functools.partial(resume, learner))
        for learner in LEARNERS
    },
}
READERS = {name: read for name, (_, read) in KINDS.items()}


def made(kind: str, folder: Path) -> Path:
    """A whole file of that kind."""
    path = folder / "file"
    KINDS[kind][0](path)
    return path
