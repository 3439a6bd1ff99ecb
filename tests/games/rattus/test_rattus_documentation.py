"""The page of rules says what the code has: tables of components, and the rulebook's example."""

from __future__ import annotations

import json
import re

from rat_envs.docs import DOCS
from rat_envs.engine.position import Position
from rat_envs.games.rattus.components import MONK
from rat_envs.games.rattus.configuration import RattusConfiguration
from rat_envs.games.rattus.tables import CARDS, LETTERS, REGIONS, default_map, default_tokens

PAGE = (DOCS / "rules" / "rattus.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """What stands beneath a heading, up to the next one."""
    return re.split(r"^#+ ", PAGE.split(f"# {title}\n")[1], flags=re.MULTILINE)[0]


def test_class_cards_on_the_page():
    rows = re.findall(r"^\| \w+ \| `(\w+)` \| \w+ \| (\w) \|$", section("Components"), re.MULTILINE)
    assert rows == list(zip(CARDS, LETTERS, strict=True))


def test_regions_on_the_page():
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) players \|", section("Regions"), re.MULTILINE)
    assert [name for name, _, _ in rows] == list(REGIONS)
    with_players = {"light": "2, 3, 4", "middle": "3, 4", "dark": "4"}
    for tier, names in default_map()["tiers"].items():
        assert [name for name, shown, players in rows if (shown, players) == (tier, with_players[tier])] == names


def test_neighbours_on_the_page():
    rows = re.findall(r"^\| (\w+) – (\w+) \|", section("Neighbours"), re.MULTILINE)
    assert sorted(map(sorted, rows)) == sorted(map(sorted, default_map()["edges"]))


def test_tokens_on_the_page():
    shown = {}
    for limit, start, regular in re.findall(r"^\| (\d) \|(.*)\|(.*)\|$", section("Rat tokens"), re.MULTILINE):
        for pile, cell in (("start", start), ("regular", regular)):
            for name, symbols, letters in re.findall(r"`(\w+)` (?:([MA]+) )?([A-Z]+)", cell):
                shown[name] = (pile, int(limit), symbols, letters)
    assert shown == {
        token["id"]: (
            *(token["set"], token["limit"], "M" * token["m"] + "A" * token["a"]),
            "".join(LETTERS[CARDS.index(card)] for card in token["classes"]),
        )
        for token in default_tokens()
    }


def test_the_example_of_a_map_is_one():
    (block,) = re.findall(r"```json\n(.*?)```", section("Other maps and tokens"), re.DOTALL)
    board = json.loads(block)
    for players in (2, 3, 4):
        RattusConfiguration.make({"players": players, "map": board})
    assert board["tiers"] == default_map()["tiers"]
    left_out = [edge for edge in default_map()["edges"] if edge not in board["edges"]]
    assert left_out == [["anglia", "scandia"], ["italia", "turcia"]]


def test_the_rulebooks_example_comes_out_as_the_page_says():
    (lines,) = re.findall(r"```\n(.*?)```", section("The rulebook's example"), re.DOTALL)
    position = Position("rattus")
    gallia, hispania = REGIONS.index("gallia"), REGIONS.index("hispania")
    for text in lines.strip().replace("\n", "; ").split("; "):
        if text == "plague gallia":
            assert position.actor == 1
            assert position.state.stock.tolist() == [13, 13, 14, 14]
            assert position.state.rats[gallia] == 3
            assert position.state.holder[MONK] == 0
        position.apply(text)
    assert position.state.stock.tolist() == [13, 13, 15, 16], "one yellow cube and two green ones"
    assert position.state.rats[[gallia, hispania]].tolist() == [0, 3]
    assert position.state.supply == 26
    assert position.actor == 2
