"""The documentation says what is the case: pages up to date, examples that run, links that lead somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from rat_envs import docs
from rat_envs.commands.main import app
from rat_envs.engine.configuration import parse_options
from rat_envs.engine.records import read_records, replay
from rat_envs.engine.registry import all_games, get_game, own_versions

ROOT = docs.DOCS.parent
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(docs.DOCS.rglob("*.md"))]
NAMES = [str(path.relative_to(ROOT)) for path in TEXTS]


def code_blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def headings(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(path: Path) -> Iterator[str]:
    """Where the links of a page lead, those to other sites left out."""
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            yield target


PYTHON_BLOCKS = code_blocks(ROOT / "README.md", "python")


def test_pages_of_games_are_up_to_date():
    assert docs.stale_pages() == [], "run python -m rat_envs.docs"


def test_stale_pages_are_named_and_written_anew(tmp_path, capsys):
    folder = tmp_path / "docs"
    shutil.copytree(docs.DOCS, folder)
    page = folder / "games" / "brave_rats.md"
    page.write_text(page.read_text(encoding="utf-8").replace("own_hand", "own_hands"), encoding="utf-8")
    with pytest.raises(SystemExit, match="1"):
        docs.main(["--check", "--folder", str(folder)])
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    assert str(page) in error

    for arguments in (["--folder", str(folder)], ["--check", "--folder", str(folder)]):
        with pytest.raises(SystemExit, match="0"):
            docs.main(arguments)
    page.unlink()
    (folder / "games" / "no_game.md").touch()
    assert docs.stale_pages(folder) == [page, folder / "games" / "no_game.md"]


@pytest.mark.parametrize("number", range(len(PYTHON_BLOCKS)))
def test_readme_example_runs(number, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(PYTHON_BLOCKS[number], f"README.md, Python block {number + 1}", "exec"), {"__name__": "readme"})
    if number == 0:
        assert "player_1 gets" in capsys.readouterr().out


def test_first_readme_example_is_fifteen_lines_of_aec():
    assert len(PYTHON_BLOCKS[0].splitlines()) <= 15
    assert "agent_iter" in PYTHON_BLOCKS[0]


@pytest.mark.parametrize("path", sorted((docs.DOCS / "rules").glob("*.md")), ids=lambda path: path.name)
def test_examples_on_pages_of_rules_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in code_blocks(path, "python"):
        exec(compile(block, path.name, "exec"), {"__name__": "rules"})


@pytest.mark.parametrize("path", TEXTS, ids=NAMES)
def test_links_lead_somewhere(path):
    for link in links(path):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        if anchor:
            assert anchor in headings(target), link


@pytest.mark.parametrize("path", TEXTS, ids=NAMES)
def test_commands_in_texts_exist(path):
    command = typer.main.get_command(app)
    options = {option for parameter in command.params for option in parameter.opts}
    known = {*command.commands, *options}  # type: ignore[attr-defined]
    named = set(re.findall(r"(?:^|`|\$ )rat-envs ([a-z-]+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= known


#: A command, up to the end of its line or of what is quoted; a line may go on after a backslash.
LINE = re.compile(r"(?:^|`|\$ )rat-envs ([a-z-]+)((?:\\\n|[^\n`|;&\\])*)", re.MULTILINE)


@pytest.mark.parametrize("path", TEXTS, ids=NAMES)
def test_options_of_commands_in_texts_exist(path):
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, words in LINE.findall(path.read_text(encoding="utf-8")):
        if name in commands:
            known = {option for parameter in commands[name].params for option in (*parameter.opts, "--help")}
            known |= {option for parameter in commands[name].params for option in parameter.secondary_opts}
            assert set(re.findall(r"(?<=\s)--[a-z-]+", words)) <= known, f"rat-envs {name}{words}"


def test_every_game_is_in_the_texts():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    index = (docs.DOCS / "index.md").read_text(encoding="utf-8")
    for game in all_games().values():
        assert game.environment_id in readme
        assert f"games/{game.name}.md" in index


def test_rules_named_in_the_options_are_on_the_page_of_rules():
    for game in all_games().values():
        rules = (docs.DOCS / "rules" / f"{game.name}.md").read_text(encoding="utf-8")
        for option in game.configuration.options().values():
            for number in re.findall(r"[A-Z]{2}-\d\d", option.rule):
                assert f"**{number}**" in rules


def test_rules_named_in_the_code_are_on_the_page_of_rules():
    for name in own_versions():
        rules = (docs.DOCS / "rules" / f"{name}.md").read_text(encoding="utf-8")
        for file in (ROOT / "rat_envs" / "games" / name).glob("*.py"):
            for number in re.findall(r"\b[A-Z]{2}-\d\d\b", file.read_text(encoding="utf-8")):
                assert f"**{number}**" in rules, file.name


def test_tables_on_pages_are_the_defaults():
    shown = set()
    for path, text in docs.pages().items():
        defaults = get_game(path.stem).configuration.make()
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            values = parse_options(shlex.split(block))
            assert values == {name: defaults.to_dict()[name] for name in values}
            shown |= values.keys()
    assert {"die", "third_rat"} <= shown


def test_the_readme_says_how_much_faster_than_pettingzoos_games_as_it_was_measured():
    page = (docs.DOCS / "speed.md").read_text(encoding="utf-8")
    ratios = re.findall(r"PettingZoo `\w+`, as returned \| ([\d.]+)–([\d.]+) \|", page)
    assert len(ratios) == 3
    least, most = min(float(low) for low, _ in ratios), max(float(high) for _, high in ratios)
    said = f"{int(least)} to {int(most)} times as many as with three of PettingZoo's classic games"
    assert said in " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def test_pages_name_the_games_in_which_maskable_ppo_is_rewarded_for_leads():
    weights = {
        game.title: game.training.get("maskable_ppo", {}).get("margin_weight", 0.0) for game in all_games().values()
    }
    rewarded = {title: weight for title, weight in weights.items() if weight}
    assert set(rewarded.values()) == {0.5}
    said = f"In {' and '.join(rewarded)} it is also rewarded for leads in points (`margin_weight=0.5`)"
    for name in ("learners.md", "benchmark.md"):
        assert said in " ".join((docs.DOCS / name).read_text(encoding="utf-8").split())


def test_what_the_arena_counts_is_on_the_page():
    for path, text in docs.pages().items():
        metrics = get_game(path.stem).metrics
        assert ("## What the arena counts" in text) == bool(metrics)
        for name, meaning in metrics.items():
            assert f"| {name} | {meaning} |" in text


@pytest.mark.parametrize("path", [docs.DOCS / "architecture.md", *docs.pages()], ids=lambda path: path.name)
def test_records_on_pages_agree_with_the_rules(path):
    (block,) = code_blocks(path, "json")
    ((_, record),) = read_records(block.splitlines())
    assert replay(record).is_over


def test_every_format_of_a_file_is_in_the_table_of_files_that_last():
    page = (docs.DOCS / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("## Files that last")[2].partition("\n## ")[0]
    sources = [path for folder in ("rat_envs", "training", "agents") for path in (ROOT / folder).rglob("*.py")]
    code = "".join(path.read_text(encoding="utf-8") for path in sources)
    formats = set(re.findall(r'"(rat-[a-z]+/[0-9]+)"', code))
    assert {"rat-game/1", "rat-record/1"} < formats == set(re.findall(r"`(rat-[a-z]+/[0-9]+)`", table))
