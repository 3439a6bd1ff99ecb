"""The options of Rattus, and the map and the tokens that a user can replace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration, Option, integer, is_whole_number, shown_as_json, switch
from rat_envs.games.rattus.tables import (
    CARDS,
    REGIONS,
    REGIONS_OF_TIER,
    START,
    TIERS,
    TOKEN_IDS,
    default_map,
    default_tokens,
)

DEFAULT = "default"
#: Columns of a token's face: limit, M, A, then how often each class is printed.
LIMIT, MOST, EVERY, CLASSES = range(4)
FACE = CLASSES + len(CARDS)
LARGEST_LIMIT = 9
LARGEST_COUNT = 3


def tiers_in_play(players: int) -> tuple[str, ...]:
    """RT-01."""
    return TIERS[: players - 1]


class Map(Option):
    """Tiers and neighbours of the regions; stored as 1 for neighbours, and on the diagonal for regions in play."""

    dtype = np.dtype(("i1", (len(REGIONS), len(REGIONS))))

    def values(self) -> str:
        return '"default", or {"tiers": {"light": 8 names, "middle": 2, "dark": 2}, "edges": pairs of names}'

    def check(self, value: Any) -> str | None:
        if value == DEFAULT:
            return None
        if not isinstance(value, Mapping) or set(value) != {"tiers", "edges"}:
            return '"default" or an object with "tiers" and "edges"'
        return check_tiers(value["tiers"]) or check_edges(value["edges"]) or check_boards(value)

    def encode(self, value: Any) -> Any:
        return adjacency(default_map() if value == DEFAULT else value, TIERS)


def check_tiers(tiers: Any) -> str | None:
    """The three tiers hold the twelve regions, each once."""
    sizes = {tier: len(names) for tier, names in REGIONS_OF_TIER.items()}
    if (
        not isinstance(tiers, Mapping)
        or set(tiers) != set(sizes)
        or not all(isinstance(t, tuple) for t in tiers.values())
    ):
        return 'a map whose "tiers" are lists of names under "light", "middle" and "dark"'
    for tier, size in sizes.items():
        if len(tiers[tier]) != size:
            return f"a map with {size} {tier} regions, not {len(tiers[tier])}"
    names = [name for tier in TIERS for name in tiers[tier]]
    for name in names:
        if name not in REGIONS:
            return f"a map of the regions {', '.join(REGIONS)}; {shown_as_json(name)} is none"
        if names.count(name) > 1:
            return f"a map in whose tiers each region stands once; {name} stands there twice"
    return None


def check_edges(edges: Any) -> str | None:
    """Every edge joins two different regions, and no pair occurs twice."""
    if not isinstance(edges, tuple):
        return 'a map whose "edges" are a list of pairs of regions'
    seen = set()
    for edge in edges:
        if not isinstance(edge, tuple) or len(edge) != 2 or any(name not in REGIONS for name in edge):
            return f"a map in which every edge is a pair of regions; {shown_as_json(edge)} is none"
        if edge[0] == edge[1]:
            return f"a map in which every edge joins two different regions; {shown_as_json(edge)} does not"
        if frozenset(edge) in seen:
            return f"a map in which every pair of neighbours occurs once; {shown_as_json(edge)} occurs again"
        seen.add(frozenset(edge))
    return None


def check_boards(value: Mapping[str, Any]) -> str | None:
    """RT-01: the plague can reach every region, for any number of players."""
    for players in (2, 3, 4):
        near = adjacency(value, tiers_in_play(players))
        reached = near[REGIONS.index(value["tiers"]["light"][0])] > 0
        for _ in REGIONS:
            reached = near[reached].any(axis=0)
        cut_off = [name for number, name in enumerate(REGIONS) if near[number, number] and not reached[number]]
        if cut_off:
            return f"a map that is connected with {players} players; edges do not lead to {cut_off[0]} from everywhere"
    return None


def adjacency(value: Mapping[str, Any], tiers: Iterable[str]) -> np.ndarray:
    """(12, 12) int8: 1 for neighbours, and on the diagonal, among the regions of these tiers."""
    near = np.eye(len(REGIONS), dtype=np.int8)
    for one, other in value["edges"]:
        near[REGIONS.index(one), REGIONS.index(other)] = near[REGIONS.index(other), REGIONS.index(one)] = 1
    in_play = np.isin(REGIONS, [name for tier in tiers for name in value["tiers"][tier]])
    return near * np.outer(in_play, in_play)


class Tokens(Option):
    """The faces of the rat tokens, by token: limit, M, A, and how often each class is printed."""

    dtype = np.dtype(("i1", (len(TOKEN_IDS), FACE)))

    def values(self) -> str:
        return f'"default", or {len(TOKEN_IDS)} objects {{"id", "set", "limit", "m", "a", "classes"}}'

    def check(self, value: Any) -> str | None:
        if value == DEFAULT:
            return None
        if not isinstance(value, tuple):
            return f'"default" or a list of {len(TOKEN_IDS)} tokens'
        for token in value:
            wrong = check_token(token)
            if wrong:
                return wrong
        counts = Counter(token["id"] for token in value)
        for name in TOKEN_IDS:
            if counts[name] != 1:
                return f"a list in which every token from s01 to s12 and r01 to r37 occurs once, {name} too"
        return None

    def encode(self, value: Any) -> Any:
        faces = np.zeros((len(TOKEN_IDS), FACE), np.int8)
        for token in default_tokens() if value == DEFAULT else value:
            classes = [list(token["classes"]).count(card) for card in CARDS]
            faces[TOKEN_IDS.index(token["id"])] = [token["limit"], token["m"], token["a"], *classes]
        return faces


def check_token(token: Any) -> str | None:
    """Check one token on its own."""
    fields = ("id", "set", "limit", "m", "a", "classes")
    if not isinstance(token, Mapping) or set(token) != set(fields):
        return f"a list of objects with {', '.join(fields)}; {shown_as_json(token)} is none"
    name, classes = token["id"], token["classes"]
    if name not in TOKEN_IDS:
        return f"a list of the tokens s01 to s12 and r01 to r37; {shown_as_json(name)} is none of them"
    right = "start" if TOKEN_IDS.index(name) < START else "regular"
    if token["set"] != right:
        return f'a list in which the set of {name} is "{right}"'
    if not is_whole_number(token["limit"], 1, LARGEST_LIMIT):
        return f"a list in which the limit of {name} is a whole number from 1 to {LARGEST_LIMIT}"
    for symbol in ("m", "a"):
        if not is_whole_number(token[symbol], 0, LARGEST_COUNT):
            return f"a list in which {symbol} of {name} is a whole number from 0 to {LARGEST_COUNT}"
    if not isinstance(classes, tuple) or any(
        card not in CARDS or classes.count(card) > LARGEST_COUNT for card in classes
    ):
        return f"a list in which the classes of {name} are of {', '.join(CARDS)}, each {LARGEST_COUNT} times at most"
    if token["m"] + token["a"] + len(classes) == 0:
        return f"a list in which {name} has a symbol"
    return None


@dataclass(frozen=True)
class RattusConfiguration(Configuration):
    """Players, the interpretation of one rule, and the components."""

    players: int = integer(4, 2, 4, "how many play, and so which regions are in play", "RT-01, RT-04")
    king_after_plague: bool = switch(True, "the King may be used after the ravage too", "RT-47")
    map: Any = Map(DEFAULT, "tiers and neighbours of the regions", "components").declare()  # noqa: RUF009
    tokens: Any = Tokens(DEFAULT, "the faces of the rat tokens", "components").declare()  # noqa: RUF009

    def write(self, out: Any) -> None:
        super().write(out)
        board = default_map() if self.map == DEFAULT else self.map
        out["map"] = adjacency(board, tiers_in_play(self.players))

    def hidden_information(self) -> str | None:
        return "the rat tokens lie face down"
