"""What the board and the tokens show by default; ``docs/rules/rattus.md`` says what is printed and what is assumed."""

from __future__ import annotations

from typing import Any

#: Class cards, by number.
CARDS = ("peasant", "merchant", "monk", "knight", "witch", "king")
#: Their classes as letters on tokens: Peasantry, Bourgeoisie, Church, Chivalry, Magic, Royalty.
LETTERS = "PBCKWR"

#: Tiers of regions, in the order in which they come into play with more players (RT-01).
TIERS = ("light", "middle", "dark")
REGIONS_OF_TIER = {
    "light": ("anglia", "gallia", "germania", "hispania", "hungaria", "italia", "polonia", "scandia"),
    "middle": ("bulgaria", "turcia"),
    "dark": ("russia", "tartaria"),
}
#: Regions by number: table order.
REGIONS = tuple(name for tier in TIERS for name in REGIONS_OF_TIER[tier])

#: Pairs of neighbours.
EDGES = (
    *(("gallia", "hispania"), ("russia", "tartaria"), ("anglia", "gallia"), ("germania", "italia")),
    *(("germania", "scandia"), ("hispania", "italia"), ("gallia", "germania"), ("gallia", "italia")),
    *(("germania", "polonia"), ("hungaria", "polonia"), ("bulgaria", "hungaria"), ("bulgaria", "turcia")),
    *(("polonia", "russia"), ("germania", "hungaria"), ("russia", "scandia"), ("bulgaria", "tartaria")),
    *(("hungaria", "tartaria"), ("hungaria", "italia"), ("polonia", "tartaria"), ("anglia", "scandia")),
    *(("tartaria", "turcia"), ("italia", "turcia")),
)

#: Tokens laid out at set-up, and all others.
START, REGULAR = 12, 37
#: Tokens by number: the start tokens first.
TOKEN_IDS = (*(f"s{number:02}" for number in range(1, START + 1)), *(f"r{n:02}" for n in range(1, REGULAR + 1)))
#: For every token: its limit, number of M, number of A, and the letters of its classes.
FACES = (
    *("2 1 0 WR", "2 1 0 BK", "3 1 0 PC", "3 1 0 KW", "3 1 0 BR", "4 1 0 PBW"),
    *("4 1 0 PBC", "4 1 0 BCR", "4 1 0 KWR", "5 0 1 PCK", "5 0 1 CWR", "6 1 1 PK"),
    *("1 0 0 BC", "1 0 0 BK", "1 0 0 PW", "1 0 0 CR", "1 0 0 WR", "2 1 0 BC"),
    *("2 1 0 PK", "2 1 0 PC", "2 1 0 PR", "2 1 0 KW", "3 1 0 CW", "3 1 0 PB"),
    *("3 1 0 WR", "3 1 0 BK", "3 1 0 PK", "4 1 0 PCR", "4 1 0 CKW", "4 1 0 BKR"),
    *("4 1 0 PBR", "4 1 0 PWR", "4 1 0 BCW", "4 1 0 CKR", "4 1 0 BCK", "5 0 1 PBK"),
    *("5 0 1 KWR", "5 0 1 PBW", "5 0 1 BCW", "5 0 1 CKW", "5 0 1 PBR", "5 0 1 CKR"),
    *("5 0 1 PWR", "6 1 1 BK", "6 1 1 PB", "6 1 1 CK", "6 1 1 PW", "6 1 1 WR"),
    "6 1 1 CR",
)


def default_map() -> dict[str, Any]:
    """The default map, as a user writes one."""
    return {
        "tiers": {tier: list(names) for tier, names in REGIONS_OF_TIER.items()},
        "edges": [list(edge) for edge in EDGES],
    }


def default_tokens() -> list[dict[str, Any]]:
    """The default tokens, as a user writes them."""
    return [
        {
            "id": name,
            "set": "start" if number < START else "regular",
            "limit": int(limit),
            "m": int(most),
            "a": int(every),
            "classes": [CARDS[LETTERS.index(letter)] for letter in letters],
        }
        for number, (name, (limit, most, every, letters)) in enumerate(
            zip(TOKEN_IDS, (face.split() for face in FACES), strict=True)
        )
    ]
