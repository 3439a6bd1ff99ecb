"""The page of rules says what the code has: tables of components, options, notation, and the rulebooks' example."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter

import pytest
from rattus_cartus_games import BEFORE_THE_EXAMPLE, EXAMPLE, steps_of

from rat_envs.docs import DOCS
from rat_envs.engine.position import Position
from rat_envs.games.rattus_cartus.actions import GIVES
from rat_envs.games.rattus_cartus.configuration import WAYS, RattusCartusConfiguration, cards_of
from rat_envs.games.rattus_cartus.notation import ACTIONS, OUTCOMES
from rat_envs.games.rattus_cartus.tables import (
    BUILDING_CARDS,
    BUILDINGS,
    CARDS,
    CLASSES,
    COPIES,
    COPIES_BY_NUNS,
    LARGEST_TOKEN,
    POPULATION_COPIES,
    REPLACEMENTS,
    ROUNDS,
    ROW,
    SPECIAL_COPIES,
    SPECIALS,
    SUPPLY,
    SUPPLY_BY_COPY,
    TOKENS,
)

PAGE = (DOCS / "rules" / "rattus_cartus.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """What stands beneath a heading, up to the next one."""
    return re.split(r"^#+ ", PAGE.split(f"# {title}\n")[1], flags=re.MULTILINE)[0]


def table(title: str, number: int = 0) -> list[list[str]]:
    """The cells of a table of a section, without its head."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", section(title), re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in blocks[number].splitlines()[2:]]


def words_of(title: str) -> str:
    """A section as one line, as how it is wrapped does not matter."""
    return " ".join(section(title).split())


def test_rules_stand_on_the_page_once_and_in_order():
    numbers = [int(number) for number in re.findall(r"^- \*\*RC-(\d\d)\*\*", PAGE, re.MULTILINE)]
    set_up_and_row, entering, visits = [*range(1, 13), 15], [*range(20, 24)], [*range(30, 33), *range(36, 48), 50]
    assert numbers == [*set_up_and_row, *entering, *visits, *range(60, 68), *range(70, 78)]
    assert set(numbers) >= {int(number) for number in re.findall(r"RC-(\d\d)", PAGE)}


def test_classes_and_buildings_on_the_page():
    rows = [[cell.split("`")[1] for cell in row[1:]] for row in table("Classes and buildings")]
    assert [name for name, _, _ in rows] == list(CLASSES)
    assert [building for _, *pair in rows for building in pair] == list(BUILDINGS)
    assert f"and five cards of each building (printed): {len(BUILDING_CARDS)} building cards" in words_of(
        "Classes and buildings"
    )
    assert COPIES == 5


def test_population_cards_on_the_page():
    (row,) = table("Cards")
    assert [int(cell) for cell in row[1:]] == list(COPIES_BY_NUNS)
    totals = [len(CLASSES) * number for number in COPIES_BY_NUNS]
    assert "there are 84, 14 of each class, and 24, 12, 12, 12 and 24 of them have 0 to 4 nuns" in words_of("Cards")
    assert totals == [24, 12, 12, 12, 24]
    assert sum(totals) == sum(POPULATION_COPIES) == 84
    assert f"`{CARDS[0]}` … `{CARDS[len(POPULATION_COPIES) - 1]}`" in words_of("Cards")


def test_special_cards_on_the_page():
    rows = [(row[1].strip("`"), int(row[2])) for row in table("Cards", 1)]
    assert rows == list(zip(SPECIALS, SPECIAL_COPIES, strict=True))
    first_and_second = {
        cell.split(" `")[0]: cell.split("`")[1] for row in table("Classes and buildings") for cell in row[2:]
    }
    for row in table("Cards", 1):
        giver = BUILDINGS.index(first_and_second[row[3]])
        assert CARDS[GIVES[giver]] == row[1].strip("`")


def test_victory_point_tokens_on_the_page():
    assert f"**Victory point tokens**: {len(TOKENS)} (printed), each worth {TOKENS[0]} (assumed)." in section("Cards")
    assert set(TOKENS) == {TOKENS[0]}
    assert f"the values of all {len(TOKENS)}, from 1 to {LARGEST_TOKEN}" in words_of("Other components")


def test_supply_actions_on_the_page():
    rows = [[int(cell) for cell in row[:4]] for row in table("Building cards")]
    assert rows == [[copy + 1, *triple] for copy, triple in enumerate(SUPPLY_BY_COPY)]


def test_building_actions_on_the_page():
    rows = table("Building cards", 1)
    assert [row[0].strip("`") for row in rows] == list(BUILDINGS)
    for row, kind in zip(rows, GIVES, strict=True):
        plural = {"pass": "passes", "gold": "gold"}.get(CARDS[kind], f"{CARDS[kind]}s")
        assert (row[1:] == [f"2 {plural}", f"1 {CARDS[kind]}"]) == (kind > 0)


def test_numbers_by_players_on_the_page():
    rows = [[int(cell) for cell in row] for row in table("By number of players")]
    assert rows == [[players, ROUNDS[players], ROW[players], REPLACEMENTS[players]] for players in (2, 3, 4, 5)]


def test_options_on_the_page():
    rows = {row[0].strip("`"): row[1:] for row in table("Options")}
    options = RattusCartusConfiguration.options()
    assert list(rows) == list(options)
    for name, value in RattusCartusConfiguration.make().to_dict().items():
        assert rows[name][1].strip('`"') == str(value).lower()
        if options[name].rule != "components":
            assert rows[name][2] == options[name].rule
    assert rows["players"][0] == "2, 3, 4, 5"
    assert re.findall(r'"(\w+)"', rows["buildings"][0]) == list(WAYS)


@pytest.mark.parametrize("title", ["A list of buildings", "Other components"])
def test_values_for_commands_are_values(title):
    found = re.findall(r'^`rat-envs record rattus_cartus "(\w+)=(.*)"`\.$', section(title), re.MULTILINE)
    assert found
    for name, value in found:
        read = RattusCartusConfiguration.make({name: value if name == "buildings" else json.loads(value)})
        assert read != RattusCartusConfiguration.make()


def test_the_example_of_buildings_is_what_the_page_says():
    (code,) = re.findall(r"^BUILDINGS = (\(.*?^\))", section("A list of buildings"), re.DOTALL | re.MULTILINE)
    chosen = [card for item in ast.literal_eval(code).split(",") for card in cards_of(item.strip())]
    by_building = Counter(card.rpartition(" ")[0] for card in chosen)
    assert "Bourgeoisie and Royalty are mixed, and all other classes have their second" in words_of(
        "A list of buildings"
    )
    both = {"bourgeoisie", "royalty"}
    for number, name in enumerate(CLASSES):
        pair = BUILDINGS[2 * number : 2 * number + 2]
        assert (by_building[pair[0]] > 0) == (name in both)
        assert by_building[pair[0]] + by_building[pair[1]] == COPIES


def test_the_example_of_supply_actions_is_what_the_page_says():
    (code,) = re.findall(r"```python\n(.*?supply=supply.*?)```", section("Other components"), re.DOTALL)[:1]
    names: dict = {}
    exec(code, names)
    changed = [number for number, triple in enumerate(names["supply"]) if tuple(triple) != SUPPLY[number]]
    assert [BUILDING_CARDS[number] for number in changed] == ["palace 5"]
    before, now = SUPPLY[changed[0]], names["supply"][changed[0]]
    assert tuple(now) == (before[0] + 1, *before[1:]), "a card more"


def test_notation_on_the_page():
    rows = table("Notation and order of nodes")
    for column, texts in ((0, ACTIONS), (2, OUTCOMES)):
        shown = {row[column].strip("`"): int(row[column + 1]) for row in rows if row[column]}
        assert shown.pop("all") == len(texts)
        assert shown == Counter(text.split()[0] for text in texts)
        if texts is ACTIONS:  # outcomes stand on the page in the order in which they come up
            assert list(shown) == list(dict.fromkeys(text.split()[0] for text in texts))


def test_the_rulebooks_example_is_the_one_that_is_tested():
    (lines,) = re.findall(r"```\n(.*?)```", section("The rulebooks' example"), re.DOTALL)
    assert steps_of(lines) == steps_of(BEFORE_THE_EXAMPLE) + steps_of(EXAMPLE)


def test_the_rulebooks_example_comes_out_as_the_page_says():
    position = Position("rattus_cartus")
    for text in steps_of(BEFORE_THE_EXAMPLE) + steps_of(EXAMPLE):
        position.apply(text)
    order = (0, 1, 2, 3)  # Blue, Red, Yellow, Green
    rats = [str(position.state.rats[seat]) for seat in order]
    cards = [str(position.state.hand[seat].sum()) for seat in order]
    assert f"have {', '.join(rats[:3])} and {rats[3]} rats, and {', '.join(cards[:3])} and {cards[3]} cards" in PAGE
