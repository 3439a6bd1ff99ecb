"""The map for a terminal: a box for each region, about where it lies."""

from __future__ import annotations

from rat_envs.games.rattus.tables import REGIONS
from rat_envs.games.rattus.view import Rat, Region, View

WIDTH = 100
BOX, INNER = 19, 17
#: Neighbours in a line of a box.
NEIGHBOURS = 4
#: The boxes in rows from north to south.
ROWS = (
    ("anglia", "", "scandia", "", "russia"),
    ("gallia", "germania", "polonia", "", "tartaria"),
    ("hispania", "italia", "hungaria", "bulgaria", "turcia"),
)
COLOUR_LETTERS = "bryg"


def map_lines(seen: View) -> list[str]:
    """The whole map; a region's box holds cubes, rats by slot, and the first letters of its neighbours."""
    lines = []
    for names in ROWS:
        boxes = [box(seen.regions[REGIONS.index(name)]) if name else [] for name in names]
        height = max(map(len, boxes))
        rows = [[piece(each, line, height) for each in boxes] for line in range(height)]
        lines += [" ".join(row).rstrip() for row in rows]
    return lines


def piece(region_box: list[str], line: int, height: int) -> str:
    """A line of a box that is stretched to the height of its row."""
    if line >= height - 1 or line >= len(region_box) - 1:
        last = line == height - 1
        edge, middle = (region_box[-1], blank(region_box)) if region_box else (" " * BOX, " " * BOX)
        return edge if last else middle
    return region_box[line]


def blank(region_box: list[str]) -> str:
    """An empty line of a box."""
    side = "|" if region_box[0].strip() else " "
    return f"{side}{'':{INNER}}{side}"


def box(region: Region) -> list[str]:
    """A region's box, all lines 19 wide; one that is not in play has no border."""
    if not region.in_play:
        words = ["", region.name, "(not in play)"]
        return [f"{line:^{BOX}}" for line in (*words, "")]
    inside = [head(region), cubes(region), rats(region), *neighbours(region)]
    return [f"+{'-' * INNER}+", *(f"|{line:<{INNER}}|" for line in inside), f"+{'-' * INNER}+"]


def head(region: Region) -> str:
    """The name, and the plague piece with what it counts for."""
    plague = "PLAGUE" + (f"+{region.neutral}" if region.neutral else "") if region.has_plague else ""
    return f"{region.name.upper():<{INNER - len(plague)}}{plague}"


def cubes(region: Region) -> str:
    """Cubes by colour."""
    numbers = zip(region.cubes, COLOUR_LETTERS, strict=False)
    return " ".join(f"{number}{letter}" for number, letter in numbers if number) or "-"


def rats(region: Region) -> str:
    """Rats by slot."""
    return " ".join(["rats", *map(rat_sign, region.rats)]) if region.rats else "no rats"


def rat_sign(rat: Rat) -> str:
    """A rat: the limit if its face is known, else the pile it comes from."""
    sign = str(rat.face.limit) if rat.face is not None else "s" if rat.from_start else "?"
    return sign + ("*" if rat.is_chosen else "")


def neighbours(region: Region) -> list[str]:
    """The neighbours' first letters, in lines."""
    names = [REGIONS[other][:3] for other in region.neighbours]
    parts = [names[first : first + NEIGHBOURS] for first in range(0, len(names), NEIGHBOURS)]
    return [("> " if not number else "  ") + " ".join(part) for number, part in enumerate(parts)]
