"""``ladder``: the strength of all agents in all games, kept in docs/ladder.json and shown in docs/ladder.md."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

from rat_envs.commands.output import counted
from rat_envs.docs import write_pages
from rat_envs.engine.errors import demand_clone, needing
from rat_envs.engine.registry import get_game
from rat_envs.ladder.rungs import LEARNT, SEED, Pairing, ladder_of, policy_folder


def ladder(
    minutes: Annotated[float, typer.Option(min=0.0, help="Begin no match after so much time.")] = float("inf"),
) -> None:
    """Play what is missing on the ladder and write its page; for a clone of the repository, since it changes docs/.

    Cheap matches are played first. Ctrl-C loses the match under way; the same command goes on.

    Example: rat-envs ladder --minutes 60
    """
    from rat_envs.ladder.climb import LADDER, climb, load_ladder, missing
    from rat_envs.ladder.rungs import all_pairings

    docs = demand_clone("rat-envs ladder") / "docs"
    pairings = all_pairings()
    if any(LEARNT in (pairing.upper, pairing.lower) for pairing in missing(load_ladder(docs / LADDER), pairings)):
        with needing("Training", "training"):
            importlib.import_module("rat_envs.training")
    try:
        with counted("matches") as progress:
            left = climb(docs / LADDER, pairings, learn, minutes, progress)
    finally:
        write_pages(docs)
    print(f"{left} matches are missing." if left else "The ladder is complete.")


def learn(pairing: Pairing) -> tuple[Path, dict[str, Any]]:
    """The policy of a pairing, trained if that has not been done: its file, and how it came about."""
    with needing("Training", "training"):
        from rat_envs.agents.learnt import load_policy
        from rat_envs.training.recommended import recommended_learner, recommended_options
        from rat_envs.training.run import POLICY
        from rat_envs.training.run import train as run_training

    game = get_game(pairing.game)
    configuration, path = game.configuration.make(pairing.config), Path(policy_folder(pairing)) / POLICY
    options = recommended_options(
        recommended_learner(game, configuration),
        game.name,
        config=configuration.to_dict(),
        folder=str(path.parent),
        seed=SEED,
        minutes=None,
        steps=ladder_of(game).steps,
        resume=path.parent.is_dir(),
    )
    result = run_training(options)
    if result.interrupted:
        raise KeyboardInterrupt
    policy = load_policy(path, game)
    digest = hashlib.sha256(b"".join(array.tobytes() for _, array in sorted(policy.contents()[1].items())))
    training = {name: policy.training[name] for name in ("learner", "steps")}
    return path, {**training, "weights": digest.hexdigest()}


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(ladder)
