"""The shape of the board, as data: a stylised Europe, 700 wide and 540 high.

Outlines that share two consecutive points touch there. Neighbours are not defined here: drawings take them from the
observation, so that they are right for every map.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from rat_envs.games.rattus.tables import REGIONS

WIDTH, HEIGHT = 700, 540
Point = tuple[int, int]

#: Where the contents of a region are drawn: the middle of its tokens.
CENTRES: dict[str, Point] = {
    "anglia": (98, 126),
    "gallia": (203, 300),
    "germania": (330, 246),
    "hispania": (124, 440),
    "hungaria": (474, 310),
    "italia": (350, 374),
    "polonia": (468, 207),
    "scandia": (340, 76),
    "bulgaria": (522, 404),
    "turcia": (636, 452),
    "russia": (586, 84),
    "tartaria": (624, 226),
}

#: The corners of each region, clockwise.
OUTLINES: dict[str, tuple[Point, ...]] = {
    "anglia": (
        *((30, 190), (46, 150), (28, 116), (46, 84), (40, 58), (76, 36), (122, 42)),
        *((140, 76), (138, 108), (164, 146), (176, 186), (132, 204), (72, 206)),
    ),
    "gallia": (
        *((252, 196), (270, 260), (300, 312), (286, 354), (258, 366), (232, 362), (222, 374)),
        *((138, 358), (146, 312), (116, 294), (110, 270), (150, 254), (186, 232), (214, 204)),
    ),
    "germania": (
        *((252, 196), (270, 176), (292, 168), (330, 168), (360, 182), (392, 176), (398, 220)),
        *((410, 262), (404, 312), (360, 318), (300, 312), (270, 260)),
    ),
    "hispania": (
        *((138, 358), (222, 374), (238, 398), (202, 440), (196, 482), (152, 508)),
        *((104, 520), (66, 502), (34, 506), (38, 440), (30, 384), (60, 364), (98, 370)),
    ),
    "hungaria": (
        *((410, 262), (470, 256), (552, 232), (540, 290), (520, 352), (450, 372)),
        *((428, 360), (412, 342), (404, 312)),
    ),
    "italia": (
        *((300, 312), (360, 318), (404, 312), (412, 342), (402, 362), (400, 390), (420, 420)),
        *((450, 446), (458, 474), (432, 480), (428, 508), (394, 518), (390, 488), (356, 462)),
        *((330, 430), (300, 396), (286, 354)),
    ),
    "polonia": (
        *((392, 176), (424, 166), (462, 156), (508, 122), (556, 164), (552, 232), (470, 256), (410, 262)),
        (398, 220),
    ),
    "scandia": (
        *((292, 168), (284, 142), (242, 132), (226, 88), (256, 42), (316, 16), (384, 10)),
        *((436, 26), (456, 60), (446, 100), (420, 114), (384, 122), (362, 142), (336, 148)),
        (330, 168),
    ),
    "bulgaria": (
        *((540, 290), (566, 304), (582, 332), (574, 362), (592, 390), (590, 416), (560, 428)),
        *((546, 456), (552, 486), (524, 506), (502, 476), (474, 446), (462, 406), (450, 372), (520, 352)),
    ),
    "turcia": (
        *((592, 390), (622, 396), (656, 382), (700, 388), (700, 500), (660, 514), (626, 502)),
        *((590, 512), (566, 482), (578, 446), (590, 416)),
    ),
    "russia": (
        *((456, 60), (482, 40), (500, 14), (590, 8), (700, 10), (700, 148), (620, 150), (556, 164)),
        *((508, 122), (484, 114), (446, 100)),
    ),
    "tartaria": (
        *((556, 164), (620, 150), (700, 148), (700, 306), (662, 298), (636, 306), (630, 326)),
        *((606, 318), (600, 298), (566, 304), (540, 290), (552, 232)),
    ),
}

#: Tints of the land: regions that touch differ.
TINTS: dict[str, int] = {
    **{"anglia": 0, "gallia": 1, "germania": 0, "hispania": 2, "hungaria": 1, "italia": 2},
    **{"polonia": 2, "scandia": 1, "bulgaria": 2, "turcia": 1, "russia": 0, "tartaria": 3},
}
#: Where the palace stands, in the ocean.
PALACE: Point = (54, 296)

#: How far coasts and borders deviate from a straight line, as a fraction of its length, and pieces in each side.
COAST, BORDER, PIECES = 0.11, 0.06, 8


def segments(region: str) -> list[tuple[Point, Point]]:
    """The sides of an outline."""
    corners = OUTLINES[region]
    return list(zip(corners, corners[1:] + corners[:1], strict=True))


@cache
def shared(one: str, other: str) -> tuple[tuple[Point, Point], ...]:
    """The sides where two outlines touch."""
    theirs = {frozenset(side) for side in segments(other)}
    return tuple(side for side in segments(one) if frozenset(side) in theirs)


@cache
def is_coast(side: frozenset[Point]) -> bool:
    """Whether a side belongs to only one region."""
    return sum(side == frozenset(each) for region in REGIONS for each in segments(region)) == 1


@cache
def rough(start: Point, end: Point) -> tuple[tuple[float, float], ...]:
    """A side as drawn, bent pseudo-randomly but the same in both directions; without its end point."""
    if start > end:
        return (start, *reversed(rough(end, start)[1:]))
    points: list[tuple[float, float]] = [start, end]
    share = 0 if start[0] == end[0] == WIDTH else COAST if is_coast(frozenset((start, end))) else BORDER
    while len(points) <= PIECES:
        points = [point for a, b in pairwise(points) for point in (a, bent(a, b, share))] + [end]
    return tuple(points[:-1])


def bent(a: tuple[float, float], b: tuple[float, float], share: float) -> tuple[float, float]:
    """The middle of two points, moved to one side of the line."""
    luck = (int(a[0] * 7 + a[1] * 13 + b[0] * 17 + b[1] * 29) * 2654435761 >> 7) % 1000 / 500 - 1
    dx, dy = b[0] - a[0], b[1] - a[1]
    return round((a[0] + b[0]) / 2 - luck * share * dy, 1), round((a[1] + b[1]) / 2 + luck * share * dx, 1)


@cache
def outline(region: str) -> str:
    """A region's outline as an SVG path."""
    points = [point for side in segments(region) for point in rough(*side)]
    return "M" + " L".join(f"{x:g} {y:g}" for x, y in points) + " Z"


@cache
def border(one: str, other: str) -> str:
    """The border where two regions touch, as an SVG path; empty if they do not."""
    return " ".join("M" + " L".join(f"{x:g} {y:g}" for x, y in (*rough(*side), side[1])) for side in shared(one, other))


def arrow(one: str, other: str) -> str:
    """A slightly bent line between two regions that do not touch, as an SVG path."""
    (x1, y1), (x2, y2) = CENTRES[one], CENTRES[other]
    middle_x, middle_y = (x1 + x2) / 2 - 0.12 * (y2 - y1), (y1 + y2) / 2 + 0.12 * (x2 - x1)
    return f"M{x1} {y1} Q{middle_x:g} {middle_y:g} {x2} {y2}"
