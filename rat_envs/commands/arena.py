"""``arena``: measure who beats whom."""

from __future__ import annotations

import functools
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rat_envs.api.agent_code import agents_at_work
from rat_envs.commands.arguments import (
    AsJson,
    GameNameOrNone,
    Players,
    Seed,
    TrustManifest,
    configured,
    demand_game,
    not_nan,
    options_given,
    split_options,
)
from rat_envs.commands.output import counted, interruptible, kept_in, print_numbers
from rat_envs.engine.checks import MOST_GAMES
from rat_envs.engine.errors import MissingExtraError, missing_extra

if TYPE_CHECKING:
    from rat_envs.arena import Folder, Plan, Spread, TournamentResult

#: Beside the manifest.
HEATMAP = "heatmap.png"
FromManifest = Annotated[
    Path | None, typer.Option("--from", help="Play again what this manifest says; name a GAME that is in code.")
]
Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="AGENT AGENT... [KEY=VALUE]...", help="Agents and options, in any order."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Save everything in this folder; the same command continues there, and so it does with more games or "
        "other agents."
    ),
]
SecondsPerDecision = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        max=86_400.0,
        callback=not_nan,
        help="Where an agent takes longer, end, and say which. Chunks have 4 deals then, if --chunk is not given.",
    ),
]
#: What a manifest says, by name of the parameter.
GIVEN = ("words", "players", "games", "seed", "out", "chunk", "final_draws")


def arena(
    context: typer.Context,
    game: GameNameOrNone = None,
    words: Words = None,
    players: Players = None,
    games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Number of games in each match, over all seatings.")
    ] = 2000,
    seed: Seed = 0,
    out: Out = None,
    chunk: Annotated[
        int | None, typer.Option(min=1, help="Deals played in one go: 256 if not given, 4 with a search or llm.")
    ] = None,
    final_draws: Annotated[
        int,
        typer.Option(min=1, help="How many times to draw the chance after each game's last decision; the mean counts."),
    ] = 1,
    seconds_per_decision: SecondsPerDecision = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core if not given.")] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Play on this Ray cluster; local starts one.")
    ] = None,
    manifest: FromManifest = None,
    match: Annotated[int | None, typer.Option(min=0, help="With --from: this match only.")] = None,
    as_json: AsJson = False,
    trust: TrustManifest = False,
) -> None:
    """Let agents play each other: seats rotate, and every seating gets the same deals.

    As many agents as seats play one match. With more agents, every group that fills the seats plays a match; with more
    than two players and more than 100 such groups, a balanced sample of them does. With fewer agents, some take several
    seats, in every way in which at least two different agents meet.

    Example: rat-envs arena brave_rats greedy random --games 2000
    """
    spread = spread_over(workers, ray, seconds_per_decision)
    if manifest is not None:
        refuse_beside_manifest(context)
        replay(manifest, game, match, spread, trust, as_json)
        return
    if match is not None:
        raise typer.BadParameter("a tournament is played again with --from MANIFEST: add that.", param_hint="--match")
    if game is None:
        raise typer.BadParameter("name a game and agents, or --from a manifest.", param_hint="GAME")
    from rat_envs.arena import make_plan, play_tournament

    names, options = split_options(words or [])
    chosen, configuration = configured(game, options, players)
    chunk = usual_chunk(out, names, seconds_per_decision) if chunk is None else chunk
    plan = make_plan(chosen, names, configuration, games, seed, chunk, final_draws)
    folder = None if out is None else taken_up(out, plan)
    with interruptible(kept_in(out)), counted("playing") as progress, agents_at_work():
        result = play_tournament(plan, spread, folder, progress, trust)
    show(result, bool(chosen.metrics), as_json)
    if result.ratings is None and not result.are_equal:
        print(missing_extra("Rating", "openskill", "arena"), file=sys.stderr)
    if folder is not None:
        draw(result, folder)


def taken_up(out: Path, plan: Plan) -> Folder:
    """The folder of a tournament; what other agents than before mean for what it holds is said."""
    from rat_envs.arena import Folder

    folder = Folder(out, plan, shlex.join(["rat-envs", *sys.argv[1:]]))
    for sentence in folder.changes():
        print(sentence, file=sys.stderr)
    return folder


def usual_chunk(out: Path | None, names: list[str], seconds_per_decision: float | None) -> int | None:
    """The deals of a chunk, if nothing is said of them: those of the folder; few where agents may take no longer than
    so many seconds for each decision, which is seen by the chunk; None for the usual ones.
    """
    from rat_envs.arena.folder import chunk_of_folder
    from rat_envs.arena.plan import DEALS_OF_SLOW_AGENTS

    found = None if out is None else chunk_of_folder(out, names)
    return DEALS_OF_SLOW_AGENTS if found is None and seconds_per_decision is not None else found


def spread_over(workers: int | None, ray: str | None, seconds_per_decision: float | None = None) -> Spread:
    """Who plays."""
    from rat_envs.arena import in_processes, on_ray

    if ray is None:
        return functools.partial(in_processes, workers=workers, seconds_per_decision=seconds_per_decision)
    if seconds_per_decision is not None:
        raise typer.BadParameter(
            "only processes on this machine have a limit of time: leave out --ray.", param_hint="--seconds-per-decision"
        )
    if workers is not None:
        raise typer.BadParameter("a Ray cluster has its own workers: leave out --workers.", param_hint="--ray")
    return functools.partial(on_ray, address=ray)


def replay(path: Path, game: str | None, match: int | None, spread: Spread, trust: bool, as_json: bool) -> None:
    """Play again what a manifest says, and say whether it came out the same.

    Args:
        game: of which it has to be, if it is given.
    """
    from rat_envs.arena import read_manifest, replay_tournament

    manifest = read_manifest(path)
    demand_game(path, manifest.plan.game.name, game)
    with interruptible(kept_in(None)), counted("playing again") as progress, agents_at_work():
        games, records = replay_tournament(manifest, match, spread, progress, trust)
    if as_json:
        print(json.dumps({"games": games, "records": records, "agrees": True}))
    else:
        print(f"The same {games:,} games: the hash of their records is {records}.")


def show(result: TournamentResult, counts: bool, as_json: bool) -> None:
    """The result as tables, or as JSON."""
    if as_json:
        print(json.dumps(result.to_json()))
        return
    tables = [result.table(), result.metrics_table()] if counts else [result.table()]
    for head, *rows in tables:
        print_numbers(head, rows)
    if len(result.agents) > 2:
        head, *rows = result.pairwise_table()
        print_numbers(
            head, rows, "The table of pairwise differences is too wide for this terminal: --json prints them."
        )
    if not result.are_equal:
        head, *rows = result.standings()
        print_numbers(head, rows)
    for sentence in [*result.totals(), *result.remarks()]:
        print(sentence)


def refuse_beside_manifest(context: typer.Context) -> None:
    """Name what was given though the manifest says it."""
    if given := options_given(context, GIVEN):
        raise typer.BadParameter(f"the manifest says it all: leave out {given}.", param_hint="--from")


def draw(result: TournamentResult, folder: Folder) -> None:
    """Who beats whom as a picture in the folder, or a sentence on what it needs."""
    from rat_envs.arena import heatmap

    try:
        folder.write(HEATMAP, heatmap(result))
    except MissingExtraError as error:
        print(error, file=sys.stderr)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(arena)
