"""News of Rattus: a sentence for every kind of event, and nothing but the truth in whole games."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from rattus_table_helpers import CONFIGURATIONS, NAMES, SET_UP, SET_UP_OF_TWO, played, seen_by, told

from rat_envs.engine.position import Position, new_stream
from rat_envs.games.rattus.components import LOOKED_AT, SUPPLY_PILE
from rat_envs.games.rattus.news import news
from rat_envs.games.rattus.tables import CARDS, REGIONS, TOKEN_IDS
from rat_envs.games.rattus.tokens import note_looks

# Events by hand


def test_rt06_rt07_news_of_the_set_up():
    position = Position("rattus", {"players": 3})
    assert told(position, 1, "plague italia") == "The plague begins in Italia."
    assert told(position, 1, "place gallia; place italia; place anglia") == (
        "Your right neighbour puts 2 cubes in Gallia. You put 2 cubes in Italia. "
        "Your left neighbour puts 2 cubes in Anglia."
    )
    assert told(position, 2, "place gallia; place italia; place anglia").endswith(
        "Your left neighbour puts 2 cubes in Anglia. It is your left neighbour's turn."
    )


def test_news_of_a_turn():
    """RT-11, RT-12, RT-15, RT-20."""
    turn = "take monk; place tartaria; plague germania; rat polonia"
    assert told(played(SET_UP, players=4), 0, turn) == (
        "You take the Monk. You place a cube in Tartaria. You move the plague to Germania. You lay a rat in Polonia. "
        "It is your left neighbour's turn."
    )
    who = "The player opposite"
    assert told(played(SET_UP, players=4), 2, turn) == (
        f"{who} takes the Monk. {who} places a cube in Tartaria. {who} moves the plague to Germania. "
        f"{who} lays a rat in Polonia. It is your right neighbour's turn."
    )
    position = played(f"{SET_UP}; {turn}", players=4)
    assert told(position.copy(), 0, "take monk") == "Your left neighbour takes the Monk from you."
    assert told(position, 2, "take monk") == "Your right neighbour takes the Monk from the player opposite."


def test_news_of_two_players():
    position = played(SET_UP_OF_TWO, players=2)
    assert told(position, 1, "take knight") == "The player opposite takes the Knight."
    assert told(position, 1, "place gallia; plague italia") == (
        "The player opposite places a cube in Gallia. The player opposite moves the plague to Italia (Knight)."
    )


def test_rt40_rt42_rt46_news_of_cubes():
    position = played(f"{SET_UP}; take merchant", players=4)
    assert told(position.copy(), 0, "merchant tartaria 2; to russia") == (
        "You move 2 cubes from Tartaria to Russia (Merchant)."
    )
    assert told(position, 3, "merchant tartaria 1; to turcia") == (
        "Your left neighbour moves a cube from Tartaria to Turcia (Merchant)."
    )
    position = played(f"{SET_UP}; take peasant", players=4)
    assert told(position, 3, "peasant anglia") == "Your left neighbour places 2 cubes in Anglia (Peasant)."
    position = played(f"{SET_UP}; take king", players=4)
    position.row.rats[REGIONS.index("tartaria")] = 0
    assert told(position, 3, "king tartaria") == "Your left neighbour moves a cube from Tartaria to the palace (King)."


def test_rt41_rt45_news_of_rats():
    position = played(f"{SET_UP}; take monk", players=4)
    assert told(position, 1, "monk gallia 1; to anglia") == (
        "Your right neighbour moves a rat from Gallia to Anglia (Monk)."
    )
    position = played(f"{SET_UP}; take witch", players=4)
    looks = "witch gallia 1; token s01; witch italia 1; token s02"
    assert told(position.copy(), 1, looks) == (
        "Your right neighbour looks at rat 1 in Gallia. Your right neighbour looks at rat 1 in Italia."
    )
    assert told(position, 0, looks) == (
        "You look at rat 1 in Gallia: limit 2, M, Witch, King. "
        "You look at rat 1 in Italia: limit 2, M, Merchant, Knight."
    )
    assert told(position.copy(), 0, "swap") == "You swap rat 1 in Gallia and rat 1 in Italia."
    assert told(position.copy(), 0, "keep") == ""
    assert told(position.copy(), 1, "swap") == "", "nothing tells these two from each other"
    position.row.pile[0, REGIONS.index("italia")] = SUPPLY_PILE
    assert told(position, 1, "swap") == "Your right neighbour swaps rat 1 in Gallia and rat 1 in Italia."


def test_rt45_news_of_a_second_look_in_one_region_and_of_a_known_face():
    position = played(f"{SET_UP_OF_TWO}; take monk; monk anglia 1; to gallia; place gallia; plague germania", players=2)
    position.apply("rat italia")
    for step in ["take witch", "witch gallia 1", "token s01"]:
        position.apply(step)
    assert told(position.copy(), 1, "witch gallia 2; token s02") == (
        "You look at rat 2 in Gallia: limit 2, M, Merchant, Knight."
    )
    assert told(position, 0, "witch gallia 2; token s02") == "The player opposite looks at rat 2 in Gallia."


RAVAGE = (
    f"{SET_UP}; take monk; place tartaria; plague germania; rat polonia; place turcia; plague scandia; rat anglia; "
    "take knight; place gallia; plague germania; rat gallia; take peasant; place tartaria; plague scandia; rat russia; "
    "take witch; place tartaria; plague germania; rat gallia; place turcia; plague scandia; rat russia; "
    "place bulgaria; plague germania; rat hungaria; take merchant; place tartaria; plague scandia; rat anglia; "
    "take king; place tartaria; plague germania; rat italia; place turcia"
)


def test_rt24_to_rt29_news_of_the_rulebooks_ravage():
    position = played(RAVAGE, players=4)
    assert told(position.copy(), 1, "plague gallia; rat hispania; rat hispania; flip 2; token r01") == (
        "You move the plague to Gallia. You lay a rat in Hispania. You lay a rat in Hispania. "
        "r01 (limit 1, Merchant, Monk) is flipped in Gallia: the player opposite loses a cube."
    )
    assert told(
        position, 3, "plague gallia; rat hispania; rat hispania; flip 2; token r01; flip 1; token s03; token r06"
    ) == (
        "The player opposite moves the plague to Gallia. The player opposite lays a rat in Hispania. "
        "The player opposite lays a rat in Hispania. "
        "r01 (limit 1, Merchant, Monk) is flipped in Gallia: you lose a cube. "
        "s03 (limit 3, M, Peasant, Monk) is flipped in Gallia: nobody loses a cube. "
        "r06 (limit 2, M, Merchant, Monk) is flipped in Gallia: you lose a cube and your right neighbour loses a cube. "
        "It is your right neighbour's turn."
    )


def test_rt44_news_of_the_knight():
    position = played(f"{SET_UP}; take knight; place gallia; plague gallia; rat italia", players=4)
    assert told(position.copy(), 0, "bonus") == "You let the plague count as two cubes (Knight)."
    assert told(position, 1, "no_bonus") == "Your right neighbour does not let the plague count as cubes."


@pytest.mark.parametrize("answer", ["bonus", "no_bonus"])
def test_rt44_the_knights_answer_is_not_told_when_the_ravage_is_over_at_once(answer):
    position = played(f"{SET_UP}; take knight; place gallia; plague gallia; rat italia", players=4)
    row, gallia, s12 = position.row, REGIONS.index("gallia"), TOKEN_IDS.index("s12")
    row.face[0, gallia], row.looked[0, gallia], row.seen[s12] = s12, 15, 15
    note_looks(row, gallia)
    row.holder[CARDS.index("king")] = 0
    row.rats[REGIONS.index("tartaria")] = 0
    assert told(position, 1, answer) == (
        "s12 (limit 6, M, A, Peasant, Knight) is flipped in Gallia: nobody loses a cube."
    ), "the King is asked now"
    assert "king tartaria" in position.legal()


def test_rt60_to_rt65_news_of_the_end():
    position = played(f"{SET_UP_OF_TWO}; place gallia; plague germania; rat italia; place gallia", players=2)
    position.row.supply = 1
    assert told(position, 0, "plague polonia; rat hungaria").endswith(
        "The player opposite lays a rat in Hungaria. The final round begins: the supply has run out. "
        "The final ravage begins."
    )
    assert told(position, 0, "token s06").startswith(
        "s06 (limit 4, M, Peasant, Merchant, Witch) is flipped in Gallia: you lose a cube."
    )


def test_rt60_the_reason_of_the_final_round():
    position = played(f"{SET_UP_OF_TWO}; take knight; place gallia; plague germania; rat scandia", players=2)
    position.apply("take peasant")
    position.row.stock[1] = 1
    assert told(position, 1, "place hispania; plague polonia; rat hungaria").endswith(
        "The final round begins: all cubes of yours are on the board. "
        "It is the player opposite's part in the final round."
    )
    assert told(position, 1, "plague italia").startswith(
        "The player opposite moves the plague to Italia (Knight): it counts as two cubes there. "
        "The final ravage begins."
    )


# Whole games


@dataclass
class Happened:
    """What has happened between two observations, as the steps and the rows have it."""

    steps: Counter = field(default_factory=Counter)
    lost: Counter = field(default_factory=Counter)
    flipped: Counter = field(default_factory=Counter)

    def note(self, old: Any, new: Any, actor: int, action: str) -> None:
        """Count a step with what came of it."""
        verb, *named = action.split()
        self.steps[(actor, action)] += 1
        change = new.cubes.astype(int) - old.cubes
        if verb == "to" and old.cubes_moving:
            source, goal, number = int(old.chosen_regions[0]), REGIONS.index(named[0]), int(old.cubes_moving)
            change[actor, source] += number
            change[actor, goal] -= number
            self.steps[(actor, f"moves {number} {REGIONS[source]} {named[0]}")] += 1
        elif verb == "token" and old.seen_because == LOOKED_AT:
            place = f"{REGIONS[old.seen_region]} {old.seen_slot + 1}"
            self.steps[(int(old.active), f"witch {place}")] += 1
        elif verb == "to":
            self.steps[(actor, f"monk {REGIONS[old.chosen_regions[0]]} {named[0]}")] += 1
        elif verb in ("place", "peasant", "king"):
            region = REGIONS.index(named[0])
            number = int(old.stock[actor]) - int(new.stock[actor]) if verb != "king" else -1
            number = number if old.last_active < 0 or verb == "king" else 1
            change[actor, region] -= number
            self.steps[(actor, f"puts {number} {named[0]}")] += 1
        for token in np.flatnonzero(new.flipped > old.flipped):
            self.flipped[TOKEN_IDS[token]] += 1
        for seat, region in zip(*np.nonzero(change[: old.config.players]), strict=True):
            assert change[seat, region] < 0 and (new.flipped > old.flipped).any()
            self.lost[(int(seat), REGIONS[region])] -= int(change[seat, region])


WHO = r"([Yy]ou|[Yy]our left neighbour|[Yy]our right neighbour|[Tt]he player opposite)"
PLACES = {2: ["you", "the player opposite"], 3: ["you", "your left neighbour", "your right neighbour"]}
PLACES[4] = ["you", "your left neighbour", "the player opposite", "your right neighbour"]
CARD = "|".join(card.capitalize() for card in CARDS)
REGION = "|".join(region.capitalize() for region in REGIONS)
#: Sentences about one action, and the step that makes them true.
DEEDS = (
    (rf"{WHO} puts? (\d+) cubes in (\w+)", "puts {1} {2}"),
    (rf"{WHO} places? (a|\d+) cubes? in (\w+)(?: \(Peasant\))?", "puts {1} {2}"),
    (rf"{WHO} moves? (a|\d+) cubes? from (\w+) to (\w+) \(Merchant\)", "moves {1} {2} {3}"),
    (rf"{WHO} moves? a cube from (\w+) to the palace \(King\)", "king {1}"),
    (rf"{WHO} moves? a rat from (\w+) to (\w+) \(Monk\)", "monk {1} {2}"),
    (rf"{WHO} looks? at rat (\d) in (\w+)(?:: limit .*)?", "witch {2} {1}"),
    (rf"{WHO} swaps? .*", "swap"),
    (rf"{WHO} moves? the plague to (\w+).*", "plague {1}"),
    (rf"{WHO} lets? the plague count as two cubes \(Knight\)", "bonus"),
    (rf"{WHO} (?:do|does) not let the plague count as cubes", "no_bonus"),
    (rf"{WHO} takes? the ({CARD})(?: from .*)?", "take {1}"),
)
TOKEN = r"([sr]\d\d) \([^)]*\)"


def check(sentence: str, happened: Happened, old: Any, new: Any, seat: int) -> None:
    """A sentence is true, as far as this test knows its kind; every kind is known."""
    places = PLACES[old.config.players]

    def seat_of(name: str) -> int:
        return (seat + places.index(name[0].lower() + name[1:])) % len(places)

    words = sentence.removesuffix(".")
    for pattern, step in DEEDS:
        if match := re.fullmatch(pattern, words):
            who, *others = match.groups()
            done = step.format(who, *("1" if each == "a" else each.lower() for each in others))
            assert happened.steps[(seat_of(who), done)], (sentence, happened)
            return
    if " flipped" in words:
        check_flips(words, happened, seat_of)
    elif match := re.fullmatch(rf"{WHO} ha(?:ve|s) cubes: (.*)", words):
        check_differences(match[2], old, new, seat_of(match[1]))
    elif match := re.fullmatch(rf"{WHO} lays? (.*)", words):
        check_rats(match[2], happened, seat_of(match[1]))
    else:
        check_state(words, old, new, seat_of)


def check_rats(words: str, happened: Happened, seat: int) -> None:
    """How many rats were laid where."""
    for number, region in re.findall(r"(a|\d) rats? in (\w+)", words):
        assert happened.steps[(seat, f"rat {region.lower()}")] == (1 if number == "a" else int(number)), words


def check_state(words: str, old: Any, new: Any, seat_of: Any) -> None:
    """Sentences about how the table is now."""
    if match := re.fullmatch(r"(\d+) rats? came from the supply", words):
        assert int(match[1]) == old.supply - new.supply
    elif match := re.fullmatch(r"The plague (?:begins in|has moved to) (\w+)", words):
        assert REGIONS[new.plague] == match[1].lower()
    elif match := re.fullmatch(r"It is (your|.*'s) (?:turn|part in the final round)", words):
        who = "you" if match[1] == "your" else match[1].removesuffix("'s")
        assert seat_of(who) == new.active
    else:
        assert re.fullmatch(r"The final (round begins: .*|ravage begins)", words), words
        assert new.last_active >= 0


def check_flips(words: str, happened: Happened, seat_of: Any) -> None:
    """Tokens that were flipped, and who lost what, where that is told."""
    for name in re.findall(TOKEN, words):
        assert happened.flipped[name], words
    if match := re.fullmatch(rf".* flipped in ({REGION}): (.*)", words):
        told_losses = {
            (seat_of(who), match[1].lower()): 1 if number == "a" else int(number)
            for who, number in re.findall(rf"{WHO} loses? (a|\d+) cube", match[2])
        }
        lost = {key: number for key, number in happened.lost.items() if key[1] == match[1].lower()}
        assert told_losses == lost, words


def check_differences(words: str, old: Any, new: Any, seat: int) -> None:
    """Where a player has more or fewer cubes."""
    for part in words.split(", "):
        match = re.fullmatch(r"(\d+) (more|fewer) in (?:the )?(\w+)", part)
        assert match is not None, words
        number = int(match[1]) * (1 if match[2] == "more" else -1)
        if match[3] == "palace":
            assert number == int(new.palace[seat]) - int(old.palace[seat])
        else:
            region = REGIONS.index(match[3].lower())
            assert number == int(new.cubes[seat, region]) - int(old.cubes[seat, region]), words


@pytest.mark.parametrize("at_own_nodes", [False, True], ids=["after every node", "from node to node of a seat"])
@pytest.mark.parametrize("config", CONFIGURATIONS, ids=NAMES)
def test_news_are_true_and_complete(config, at_own_nodes):
    kinds: Counter = Counter()
    for seed in range(2):
        position, seat = Position("rattus", config), seed % config["players"]
        stream = new_stream(position.game, 40 + seed)
        happened, old, before = Happened(), position.row.copy(), seen_by(position, seat)
        while not position.is_over:
            last, actor = position.row.copy(), position.actor
            action = position.sample(stream)
            position.apply(action)
            happened.note(last, position.row, actor, action)
            if at_own_nodes and position.actor != seat and not position.is_over:
                continue
            now = seen_by(position, seat)
            sentences = news(before, now)
            for sentence in sentences:
                check(sentence, happened, old, position.row, seat)
                kinds[re.sub(WHO, "X", sentence).split()[1]] += 1
            check_nothing_is_missing(" ".join(sentences), happened, old, position.row, at_own_nodes)
            happened, old, before = Happened(), position.row.copy(), now
    assert kinds.total() > 100 and len(kinds) > 8


def check_nothing_is_missing(told: str, happened: Happened, old: Any, new: Any, at_own_nodes: bool) -> None:
    """Cards, flips, the plague and, after every node, cubes are told."""
    assert Counter(re.findall(TOKEN, told)) == happened.flipped
    assert told.count(" the ") >= (old.holder != new.holder).sum()
    if old.plague != new.plague:
        assert f"to {REGIONS[new.plague].capitalize()}" in told or "begins in" in told
    for region in np.flatnonzero((old.cubes != new.cubes).any(axis=0)):
        assert REGIONS[region].capitalize() in told
    if not at_own_nodes and happened.lost and "flipped in" not in told:
        assert "fewer in" in told
