"""The generated pages in ``docs``: ``python -m rat_envs.docs [--check]``.

The pages in ``docs/games`` come from the games' own declarations, that of the ladder from ``docs/ladder.json``, that of
the trained policies from their cards, and those in ``docs/recipes`` from the scripts there and their results.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rat_envs.command_line import run_alone
from rat_envs.describe import describe
from rat_envs.engine.archive import write_file
from rat_envs.engine.contract import declared
from rat_envs.engine.errors import RatEnvsError, demand_clone
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder
from rat_envs.engine.registry import get_game, own_versions
from rat_envs.engine.story import witness
from rat_envs.play.seating import PERSON

__all__ = ["DOCS", "all_pages", "main", "page", "pages", "stale_pages", "write_pages"]

#: The folder ``docs`` of a clone.
DOCS = Path(__file__).resolve().parent.parent / "docs"

COMMAND = "python -m rat_envs.docs"
NOTE = f"<!-- Written by `{COMMAND}` from the game's declaration: change that, not this page. -->"
#: How many people play in the commands for a page.
PEOPLE = 2
PLAYING_NOTE = f"<!-- Written by `{COMMAND}` from rat_envs/games/{{}}/how_to_play.md: change that, not this page. -->"


def example_record(game: Game, seed: int) -> str:
    """The record of a game of random legal play, as ``rat-envs record`` writes it."""
    stream = new_stream(game, seed, compiled=False)
    recorder = Recorder(Position(game, compiled=False))
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(stream))
    return json.dumps(recorder.record())


@declared
def choose(observation, mask):
    """The heuristic that plays the game in the picture."""


def example_picture(game: Game, seed: int) -> str:
    """An SVG of the table as ``player_0`` sees it, at a decision past the middle of a game.

    ``player_1`` plays at random, and so do all others in a game without a heuristic.
    """
    rule = game.heuristics.get("greedy")
    stream = new_stream(game, seed, compiled=False)
    position = Position(game, compiled=False)
    play = position.program.bind(play_by, {choose: rule}) if rule else None
    shown: list[tuple[Position, list[Any]]] = []
    remembered: list[Any] = []
    while not position.is_over:
        if position.actor == 0:
            shown.append((position.copy(), list(remembered)))
        if play is None or position.is_chance or position.actor == 1:
            action: int | str = position.sample(stream)
        else:
            action = int(play(position.observe(position.actor)[0], position.mask()))
        remembered += witness(position, action).remembered_by(0)
    middle, before = shown[len(shown) * 3 // 5]
    return game.picture(middle.state, 0, before)


def play_by(observation, mask):
    """The action of the heuristic."""
    return choose(observation, mask)


def page(game: Game, docs: Path = DOCS) -> str:
    """The whole page of a game, with a link to its rules if ``docs`` has them."""
    has_rules = (docs / "rules" / f"{game.name}.md").exists()
    rules = f"The rules by number are in [rules/{game.name}.md](../rules/{game.name}.md).\n" if has_rules else ""
    title, tables = describe(game).split(f"{game.summary}\n", 1)
    return f"""{NOTE}

{title}{game.summary}
{how_to_play(game)}
![{game.title} in the middle of a game](../pictures/{game.name}.svg)

*The table as `player_0` sees it: `render_mode="rgb_array"` gives this picture as an array.*

<!-- Here the site shows the replay of a game. -->
{tables}
## A record

`rat-envs record {game.name} --seed 7` writes this line, which `rat-envs replay` checks and shows:

```json
{example_record(game, 7)}
```

## More

{rules}House rules and variants: [change a game](../changing_a_game.md).
What changed from version to version is in the [changelog](../../CHANGELOG.md).
"""


def how_to_play(game: Game) -> str:
    """The link to the explanation of a game for people, if there is one."""
    if not game.how_to_play:
        return ""
    return f"[How to play](../playing/{game.name}.md) explains the game in five minutes.\n"


def playing_page(game: Game) -> str:
    """The explanation of a game for people, and how to play it on a page, with friends, tomorrow, and afterwards."""
    configuration = game.configuration.make({})
    players = f" --players {min(PEOPLE, configuration.players)}" if "players" in configuration.to_dict() else ""
    play, seats = f"rat-envs play {game.name}", ",".join([PERSON] * PEOPLE)
    return f"""{game.how_to_play}
### In the browser

```
{play}{players} --browser
{play}{players} --seats {seats} --browser --host 0.0.0.0
{play} --browser --continue
rat-envs replay {game.name}.jsonl --html game.html --explain learnt
```

1. The game on a page, where you click what you play. It needs the extra `browser`: `pip install ".[browser]"`.
2. With a friend in the same Wi-Fi. The page of each of you has a link of its own: *Invite* on your page shows your
   friend's. Undo is only for games against agents alone.
3. Tomorrow: go on with the game that you left. At the terminal, the last line of a game that you leave says how.
4. Afterwards, in the folder in which you have saved the record of the game (*Save the record*): all its steps, and what
   a trained agent thinks of each decision. `rat-envs export FILE --out {game.name}.jsonl` makes a record of a game that
   was saved at the terminal and is over.

[More on playing](../../README.md#play).

{PLAYING_NOTE.format(game.name)}
"""


def own_games() -> dict[str, Game]:
    """The games that come with the package; pages of others belong to their own documentation."""
    return {name: get_game(name) for name in own_versions()}


def pages(docs: Path = DOCS) -> dict[Path, str]:
    """The text of every game's page, by its file."""
    return {docs / "games" / f"{name}.md": page(game, docs) for name, game in own_games().items()}


def all_pages(docs: Path = DOCS) -> dict[Path, str]:
    """The text of every generated page, by its file."""
    from rat_envs.comparison.benchmark import BENCHMARK, load_benchmark
    from rat_envs.comparison.page import benchmark_page
    from rat_envs.ladder.climb import LADDER, load_ladder
    from rat_envs.ladder.page import ladder_page
    from rat_envs.ladder.rungs import all_pairings
    from rat_envs.ladder.shipping import policies_page
    from rat_envs.recipes.results import recipe_pages

    others = {
        "ladder.md": ladder_page(load_ladder(docs / LADDER), all_pairings()),
        "policies.md": policies_page(),
        "benchmark.md": benchmark_page(load_benchmark(docs / BENCHMARK)),
    }
    playing = {f"playing/{name}.md": playing_page(game) for name, game in own_games().items() if game.how_to_play}
    pictures = {f"pictures/{name}.svg": example_picture(game, 7) for name, game in own_games().items()}
    written = {docs / name: text for name, text in (others | playing | pictures).items()}
    return {**pages(docs), **written, **recipe_pages(docs)}


def write_pages(docs: Path = DOCS) -> list[Path]:
    """Write all pages anew; return their paths."""
    for folder in ("games", "pictures", "playing"):
        (docs / folder).mkdir(parents=True, exist_ok=True)
    written = all_pages(docs)
    for path, text in written.items():
        write_file(path, text.encode())
    return list(written)


def stale_pages(docs: Path = DOCS) -> list[Path]:
    """Pages that are missing, are out of date, or belong to no game and no recipe."""
    wanted = all_pages(docs)
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    return stale + sorted({*docs.glob("games/*.md"), *docs.glob("recipes/*.md")} - set(wanted))


def docs(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if a page is out of date.")
    ] = False,
    folder: Annotated[Path | None, typer.Option(help="The folder docs of another clone.")] = None,
) -> None:
    """Write the pages of the games and of the ladder from the code, in a clone of the repository.

    Example: python -m rat_envs.docs --check
    """
    place = folder or demand_clone(COMMAND) / "docs"
    if not check:
        print("\n".join(map(str, write_pages(place))))
    elif stale := stale_pages(place):
        raise RatEnvsError(f"not what the code says: {', '.join(map(str, stale))}; run {COMMAND}.")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages, or check them, and leave Python with an exit code."""
    run_alone(docs, COMMAND, arguments)


if __name__ == "__main__":
    main()
