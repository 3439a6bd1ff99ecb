"""The map as SVG: sea, land and borders, and the pieces on them."""

from __future__ import annotations

from rat_envs.engine.colours import Dark
from rat_envs.engine.svg import circle, group, label, path, placed, rectangle, symbol
from rat_envs.engine.wording import listed, named, number_of
from rat_envs.games.rattus.board import CENTRES, HEIGHT, PALACE, TINTS, WIDTH, arrow, border, outline
from rat_envs.games.rattus.choices import rat_spot, region_spot
from rat_envs.games.rattus.symbols import CASTLE, EYE, RAT, SKULL
from rat_envs.games.rattus.symbols import INK as SYMBOL_INK
from rat_envs.games.rattus.tables import REGIONS
from rat_envs.games.rattus.view import Face, Rat, Region, View
from rat_envs.games.rattus.wording import COLOURS, class_letters, face_in_words, neighbours_in_words, pile_in_words

SEA, WAVE, COAST_LINE, BORDER_LINE, ROUTE = "#bcd0cf", "#a5bfbf", "#6b5a3e", "#94794f", "#55482f"
LAND = ("#ecdcb4", "#e3cf9f", "#f0e4c4", "#e0d0ab")
OUT_OF_PLAY, OUT_LINE, OUT_INK = "#c8c8c0", "#92928a", "#52524b"
INK, PAPER, GOLD, DARK_GOLD, RING = "#33291b", "#fbf6e8", "#c98a06", "#8f640b", "#7d5ba6"
PALACE_GROUND, LIMIT = "#d9cda9", "#8c2f1c"
BACK = "#54432f"
SEAT_COLOURS = ("#2f62a3", "#b23b36", "#e2b21f", "#3b7a45")
SEAT_INKS = ("#ffffff", "#ffffff", "#231d14", "#ffffff")
#: The map's colours in dark mode.
DARK_COLOURS = {
    SEA: "#1b282b",
    WAVE: "#2c3d40",
    COAST_LINE: "#8a7a5c",
    BORDER_LINE: "#8d7a55",
    ROUTE: "#a8966f",
    **dict(zip(LAND, ("#4b4331", "#433b2a", "#514937", "#473f2e"), strict=True)),
    OUT_OF_PLAY: "#2b2b28",
    OUT_LINE: "#5d5d56",
    OUT_INK: "#a5a59c",
    INK: Dark.INK,
    PAPER: Dark.PAPER,
    PALACE_GROUND: "#544a35",
    SYMBOL_INK: Dark.INK,
    RING: "#b797dd",
}
#: Text in dark mode: white on colours stays, the red of limits is lighter.
DARK_WORDS = {PAPER: PAPER, LIMIT: "#f5a297"}


RAT_RADIUS, RAT_STEP = 14, 31
CUBE, CUBE_STEP = 24, 28
#: Letters of a face that fit on a token; a hint shows all of them.
LETTERS_ON_TOKEN = 5
SIZES_OF_LETTERS = {3: 8, 4: 6.6, 5: 5.4}
#: Where short waves are drawn.
WAVES = ((200, 40), (180, 120), (40, 236), (30, 340), (262, 470), (230, 510), (300, 500), (480, 520), (620, 350))


def board(seen: View) -> str:
    """The whole map, its upper left corner at (0, 0)."""
    regions = [region for region in seen.regions if not region.in_play]
    regions += [region for region in seen.regions if region.in_play]
    return clipped(
        rectangle(0, 0, WIDTH, HEIGHT, SEA),
        *(path(f"M{x} {y} q5 -5 10 0 t10 0 t10 0", "none", WAVE, 1.4) for x, y in WAVES),
        routes(seen, 1),
        *(path(outline(REGIONS[region.number]), "none", WAVE, 8) for region in regions),
        *(land(region) for region in regions),
        borders(seen),
        routes(seen, 0.4),
        palace(seen),
        *(contents(seen, region) for region in regions),
        rectangle(0, 0, WIDTH, HEIGHT, "none", COAST_LINE, 0, 5),
    )


def clipped(*parts: str) -> str:
    """Elements of the map, clipped to its edges."""
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg {size} viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'


def pairs(seen: View) -> list[tuple[Region, Region]]:
    """All pairs of regions."""
    return [(one, other) for one in seen.regions for other in seen.regions[one.number + 1 :]]


def land(region: Region) -> str:
    """The ground of a region."""
    name = REGIONS[region.number]
    if not region.in_play:
        return path(outline(name), OUT_OF_PLAY, OUT_LINE, 1.2)
    ground = path(outline(name), LAND[TINTS[name]], COAST_LINE, 1.6)
    return group(ground, hint=neighbours_hint(region), spot=region_spot(region.number))


def neighbours_hint(region: Region) -> str:
    """What borders and routes show, for readers who do not see them."""
    return f"{region.name}: {neighbours_in_words(region)}"


def borders(seen: View) -> str:
    """Where regions touch: a thin line between neighbours; a wall where the plague cannot pass."""
    lines = []
    for one, other in pairs(seen):
        line = border(REGIONS[one.number], REGIONS[other.number])
        if not line or not (one.in_play and other.in_play):
            continue
        if other.number in one.neighbours:
            tints = LAND[TINTS[REGIONS[one.number]]]
            lines.append(path(line, "none", tints, 2.4) + dashed(line, BORDER_LINE, 1.5, "5 3"))
        else:
            lines.append(path(line, "none", INK, 5.5) + path(line, "none", OUT_LINE, 2))
    return "".join(lines)


def routes(seen: View, opacity: float) -> str:
    """Arrows of the board: dashed lines between neighbours that do not touch."""
    lines = [
        dashed(arrow(REGIONS[one.number], REGIONS[other.number]), ROUTE, 2.2, "7 5")
        for one, other in pairs(seen)
        if other.number in one.neighbours and not border(REGIONS[one.number], REGIONS[other.number])
    ]
    return group(*lines, opacity=opacity)


def dashed(line: str, colour: str, width: float, dashes: str) -> str:
    """A dashed line."""
    return f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-dasharray="{dashes}"/>'


# Pieces


def contents(seen: View, region: Region) -> str:
    """A region's name, and what lies on it."""
    x, y = CENTRES[REGIONS[region.number]]
    if not region.in_play:
        name = label(x, y, region.name, 13, OUT_INK, "middle", True)
        return name + label(x, y + 14, "not in play", 11, OUT_INK, "middle")
    return group(
        label(x, y - 27, region.name, 13.5, INK, "middle", True),
        rats(seen, region, x, y),
        cubes(region, x, y + 18),
        plague(region, x + 50, y - 32) if region.has_plague else "",
        hint=neighbours_hint(region),
        spot=region_spot(region.number),
    )


def rats(seen: View, region: Region, x: float, y: float) -> str:
    """The tokens from slot 1 on; a dot where there is none."""
    if not region.rats:
        return circle(x, y, 2.5, BORDER_LINE)
    first = x - RAT_STEP * (len(region.rats) - 1) / 2
    return "".join(rat(seen, region, slot, first + RAT_STEP * slot, y) for slot in range(len(region.rats)))


def rat(seen: View, region: Region, slot: int, x: float, y: float) -> str:
    """A token: its face if the observer knows it, else the back; and who has looked at it."""
    token = region.rats[slot]
    who = [seen.players[index] for index in token.looked_at_by]
    hint = f"Rat {slot + 1}, {pile_in_words(token)}"
    hint += f": {face_in_words(token.face)}" if token.face is not None else ""
    hint += f"; looked at by {listed(map(named, who))}" if who else ""
    chosen = circle(x, y, RAT_RADIUS + 3, "none", GOLD, 3) if token.is_chosen else ""
    disc = back(x, y) if token.face is None else face(token.face, x, y)
    ring = ring_of_start(x, y) if token.from_start else ""
    return group(
        chosen, disc, ring, looked(token, x, y - RAT_RADIUS - 2), hint=hint, spot=rat_spot(region.number, slot)
    )


def back(x: float, y: float) -> str:
    """A token face down."""
    return circle(x, y, RAT_RADIUS, BACK, INK, 1.2) + symbol(RAT, x - 10, y - 10, 20)


def ring_of_start(x: float, y: float) -> str:
    """A thin ring on a token laid out at set-up, since everybody can keep track of those."""
    radius = RAT_RADIUS - 1.2
    style = f'fill="none" stroke="{RING}" stroke-width="1.8" stroke-dasharray="4 2"'
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {style}/>'


def face(printed: Face, x: float, y: float) -> str:
    """A token that the observer knows: limit above, symbols below."""
    letters = class_letters(printed)
    if len(letters) > LETTERS_ON_TOKEN:
        letters = letters[: LETTERS_ON_TOKEN - 2] + ".."
    return (
        circle(x, y, RAT_RADIUS, PAPER, INK, 1.6)
        + label(x, y - 0.5, str(printed.limit), 13, LIMIT, "middle", True)
        + label(x, y + 7.5, letters, SIZES_OF_LETTERS[max(3, len(letters))], INK, "middle", True)
    )


def looked(token: Rat, x: float, y: float) -> str:
    """Above a token: an eye and the initials of those who have looked at it."""
    if not token.looked_at_by:
        return ""
    initials = "".join(COLOURS[index][0] for index in token.looked_at_by)
    width = 15 + 5.2 * len(initials)
    return (
        rectangle(x - width / 2, y - 6, width, 11, PAPER, INK, 5, 0.7)
        + symbol(EYE, x - width / 2 + 1.5, y - 6, 10)
        + label(x - width / 2 + 13, y + 1.8, initials, 8, INK, bold=True)
    )


def cubes(region: Region, x: float, y: float) -> str:
    """The cubes of each colour with their number, and those that the plague piece counts for."""
    piles = [(index, number) for index, number in enumerate(region.cubes) if number]
    first = x - CUBE_STEP * (len(piles) - 1) / 2
    shown = "".join(
        cube(index, number, first + CUBE_STEP * place - CUBE / 2, y) for place, (index, number) in enumerate(piles)
    )
    moving = label(x, y + CUBE + 11, f"{number_of(region.moving, 'cube')} leaving", 11, INK, "middle", True)
    return shown + (moving if region.moving else "")


def cube(index: int, number: int, x: float, y: float) -> str:
    """A cube of a player, its upper left corner at (x, y): a number and the initial of its colour on the front."""
    colour, ink, depth = SEAT_COLOURS[index], SEAT_INKS[index], CUBE / 6
    front = CUBE - depth
    top = f"M{x:g} {y + depth:g} l{depth:g} {-depth:g} h{front:g} l{-depth:g} {depth:g} Z"
    side = f"M{x + front:g} {y + depth:g} l{depth:g} {-depth:g} v{front:g} l{-depth:g} {depth:g} Z"
    words = str(number)
    middle = x + front / 2 + 3.5 * len(words) - 2.5
    return group(
        path(side, colour, INK, 0.8) + path(side, "#00000040"),
        path(top, colour, INK, 0.8) + path(top, "#ffffff50"),
        rectangle(x, y + depth, front, front, colour, INK, 0, 0.8),
        label(middle, y + CUBE - 5.6, words, 12.5 if number < 10 else 11, ink, "end", True),
        label(middle + 0.6, y + CUBE - 5.6, COLOURS[index][0], 8.5, ink),
    )


def plague(region: Region, x: float, y: float) -> str:
    """The plague piece, and what it counts for."""
    counts = placed(
        x + 9,
        y - 10,
        1,
        circle(0, 0, 8, LIMIT, PAPER, 1),
        label(0, 3.4, f"+{region.neutral}", 11, PAPER, "middle", True),
    )
    hint = f"The plague{f', counts as {region.neutral} cubes' if region.neutral else ''}"
    piece = circle(x, y, 15, "#2c2433", GOLD, 2) + symbol(SKULL, x - 10, y - 10, 20)
    return group(piece, counts if region.neutral else "", hint=hint)


def palace(seen: View) -> str:
    """The palace with the cubes in it."""
    x, y = PALACE
    places = [(index, player.palace) for index, player in enumerate(seen.players) if player.palace]
    shown = "".join(
        cube(index, number, x - 26 + 27 * (place % 2), y - 6 + 26 * (place // 2))
        for place, (index, number) in enumerate(places)
    )
    return group(
        circle(x, y, 48, PALACE_GROUND, COAST_LINE, 1.6),
        symbol(CASTLE, x - 12, y - 44, 24),
        label(x, y - 10, "Palace", 11, INK, "middle", True),
        shown,
        hint="Cubes in the palace",
    )
