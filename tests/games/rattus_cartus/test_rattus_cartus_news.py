"""What news tell of Rattus Cartus: each kind of event by hand, and that whole games are told truly."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from rattus_cartus_games import BEFORE_THE_EXAMPLE, EXAMPLE, THE_OTHERS, random_player, steps_of
from rattus_cartus_helpers import count_cards

from rat_envs.engine.position import Position
from rat_envs.games.rattus_cartus.components import FLUTE, GIVE, NONE, PASS, building_of
from rat_envs.games.rattus_cartus.news import news
from rat_envs.games.rattus_cartus.tables import CARDS, CLASSES, GUARD_TOWER, SPECIALS
from rat_envs.games.rattus_cartus.wording import BUILDING_WORDS, SPECIAL_PLURALS, cards_in_words

CONFIGURATIONS: list[dict[str, Any]] = [
    {"players": 2, "buildings": THE_OTHERS, "supply": [[3, 1, 1], [2, 0, 1], [2, 1, 0], [0, 1, 1], [0, 3, 0]] * 12},
    {"players": 3, "buildings": "recommended", "vp_tokens": [1] * 10 + [3] * 10},
    {"players": 4, "buildings": THE_OTHERS},
    {"players": 5, "buildings": "random_cards"},
]


def new_game(**config: Any) -> Position:
    """The beginning; without compiled code, which these tests need too little to wait for."""
    return Position("rattus_cartus", config, compiled=False)


def seen_by(position: Position, seat: int) -> Any:
    """An observation to keep."""
    return position.observe(seat)[0].copy()


def told(position: Position, seat: int, script: str) -> str:
    """What a seat is told, step by step."""
    sentences = []
    for step in steps_of(script):
        before = seen_by(position, seat)
        position.apply(step)
        sentences += news(before, seen_by(position, seat))
    return " ".join(sentences)


def at_once(position: Position, seat: int, script: str) -> str:
    """What a seat is told of all these steps together."""
    before = seen_by(position, seat)
    for step in steps_of(script):
        position.apply(step)
    return " ".join(news(before, seen_by(position, seat)))


def game_with(hands: list[str], first_row: str, **config: Any) -> Position:
    """A game after its deal and its first row of buildings."""
    position = new_game(players=len(hands), **config)
    for card in ", ".join(hands).split(", "):
        position.apply(f"draw {card}")
    for card in first_row.split(", "):
        position.apply(f"building {card}")
    return position


HANDS = [
    "peasantry 0, peasantry 1, church 0, church 4, magic 2",
    "peasantry 4, bourgeoisie 3, chivalry 2, magic 0, magic 4",
    "royalty 0, royalty 1, royalty 2, royalty 3, royalty 4",
]

# By hand


def test_rc06_rc11_news_of_the_set_up():
    position = new_game(players=3, buildings="random_building")
    assert (
        told(position, 0, "choose farm; choose office")
        == "The Farm will be in the game. The Office will be in the game."
    )
    position = new_game(players=3, buildings="random_cards")
    assert told(position, 0, "choose farm 3") == "Farm 3 will be in the game."
    position = new_game(players=2)
    draws = "draw peasantry 0; draw church 1; draw magic 4; draw royalty 2; draw royalty 2; draw magic 3"
    assert told(position.copy(), 0, draws).startswith("You drew peasantry 0. You drew church 1. You drew magic 4.")
    assert told(position.copy(), 0, draws).endswith("You drew royalty 2. player_1 drew 1 card.")
    assert told(position.copy(), 1, draws).endswith("player_0 drew 1 card. You drew magic 3.")
    assert at_once(position, 0, draws) == "You drew peasantry 0, church 1, magic 4, royalty 2 2. player_1 drew 1 card."


def test_rc11_rc12_news_of_buildings():
    position = game_with(HANDS[:2], "farm 1")
    assert told(position, 0, "building farm 3; building palace 4") == (
        "Farm 3 lies in slot 2 (supply: draw 2, look at 1). "
        "Palace 4 lies in slot 2 (supply: draw 2, drop 1), in place of Farm 3."
    )


def test_rc15_rc09_news_of_supplies():
    position = game_with(HANDS, "farm 3, castle 5")
    script = "supply 1; draw magic 1; draw magic 3; look 4; nun church 3; supply 2; look 4"
    assert told(position.copy(), 0, script) == (
        "You took the supply of the Farm: draw 2, look at 1. You drew magic 1. You drew magic 3. "
        "You looked at row card 4: church 3. player_1 took the supply of the Castle: drop 1, look at 1. "
        "player_1 got rid of 1 rat (9 left). player_1 looked at row card 4."
    )
    assert told(position, 2, script) == (
        "player_0 took the supply of the Farm: draw 2, look at 1. player_0 drew 1 card. player_0 drew 1 card. "
        "player_0 looked at row card 4. player_1 took the supply of the Castle: drop 1, look at 1. "
        "player_1 got rid of 1 rat (9 left). player_1 looked at row card 4."
    )
    assert told(position.copy(), 0, "supply 2; look 4").endswith("player_2 looked at row card 4.")


def test_rc15_a_supply_that_two_buildings_offer():
    position = game_with(HANDS, "farm 2, castle 2")
    assert told(position, 2, "supply 2") == (
        "player_0 took the supply of the Farm or the Castle: drop 2. player_0 got rid of 2 rats (8 left)."
    )


def test_rc20_rc21_news_of_entering_and_laying():
    position = game_with(HANDS, "farm 2, castle 2")
    told(position, 0, "supply 1; supply 1; supply 1")
    script = "enter 2; lay church 0; lay church 4; done; enter 1; done"
    assert told(position.copy(), 0, script) == (
        "You entered the Castle. You laid church 0 4. player_1 entered the Farm. player_1 laid no cards."
    )
    assert told(position.copy(), 2, script) == (
        "player_0 entered the Castle. player_0 laid 2 cards. player_1 entered the Farm. player_1 laid no cards."
    )
    assert at_once(position, 2, script) == (
        "player_0 entered the Castle and laid 2 cards. player_1 entered the Farm and laid no cards."
    )


def test_rc22_news_of_passes():
    position = game_with(HANDS, "office 2, castle 2", buildings=THE_OTHERS.replace("guard_tower", "castle"))
    position.row.special_deck[PASS - 30] -= 2
    position.row.hand[0, PASS] = 2
    count_cards(position.row)
    told(position, 0, "supply 1; supply 1; supply 1")
    assert told(position, 1, "pass") == "player_0 passed."
    assert told(position, 0, "enter 1; done; enter 1; done; pass").endswith("player_2 laid no cards. You passed.")


def test_rc31_rc36_news_of_the_rulebooks_example():
    position = new_game(players=4)
    steps = steps_of(BEFORE_THE_EXAMPLE) + steps_of(EXAMPLE)
    heard: list[list[str]] = [[], [], [], []]
    before: list[Any] = []
    for step in steps:
        position.apply(step)
        if position.row.rounds_played == 0 and position.row.entries < 4:
            continue
        before = before or [seen_by(position, seat) for seat in range(4)]
        for seat in range(4):
            now = seen_by(position, seat)
            heard[seat] += news(before[seat], now)
            before[seat] = now
    everywhere = set.intersection(*map(set, heard[:1] + heard[3:]))
    assert "player_1 revealed church 1, magic 0 3, royalty 2 at the Monastery in slot 2." in everywhere
    assert "player_2 gained 3 influence in magic (3 in all)." in everywhere
    assert "You got sword x2." in heard[0] and "player_0 got 2 swords." in heard[1]
    assert "player_0 did not use the Castle." not in heard[1] and "You did not use the Castle." in heard[1]
    assert "Round 2 begins; player_1 will start." in heard[0] and "Round 2 begins; you will start." in heard[1]
    gift = [sentence for sentence in heard[3] if "gave" in sentence or "Sword" in sentence]
    assert gift == ["player_0's Sword: you must give 2 cards.", "You gave royalty 0 4 to player_0."]
    assert "You got royalty 0 4 from player_3." in heard[0]
    assert "player_3 gave 2 cards to player_0." in heard[1] and "player_3 gave 2 cards to player_0." in heard[2]
    assert "You looked at row card 1: chivalry 0." in heard[2] and "player_2 looked at row card 1." in heard[0]
    assert "You looked again at a row card seen before." in heard[2]
    assert "player_2 looked again at a row card seen before." in heard[1]


def special_game(building: str, laid: list[dict[int, int]], hands: list[dict[str, int]] | None = None) -> Position:
    """Three players in one building, the last about to be done with laying; each has laid these cards."""
    castles = THE_OTHERS.replace("guard_tower", "castle") if building == "castle" else THE_OTHERS
    position = game_with(HANDS, f"{building} 2, office 2", buildings=castles)
    told(position, 0, "supply 1; supply 1; supply 1; enter 1; done; enter 1; done; enter 1")
    row = position.row
    row.hand[:3] = 0
    row.hand[2, 0] = 1  # something to lay
    for seat, cards in enumerate(laid):
        for kind, number in cards.items():
            row.laid[seat, kind] = number
    for seat, held in enumerate(hands or []):
        for card, number in held.items():
            row.hand[seat, CARDS.index(card)] = number
    count_cards(row)
    return position


def test_rc38_news_of_flutes():
    position = special_game("treasury", [{FLUTE: 1}, {FLUTE: 1, 0: 1}, {FLUTE: 0}])
    assert told(position.copy(), 1, "done") == (
        "player_2 laid no cards. player_0 revealed flute at the Treasury. "
        "You gained 1 influence in royalty (1 in all). "
        "player_0's Flute gave a rat to player_2. You got 1 rat (9 in all)."
    )
    position = special_game("treasury", [{FLUTE: 1}, {}, {}])
    position.apply("done")
    assert told(position.copy(), 0, "rat_to player_2") == "Your Flute gave a rat to player_2."
    assert told(position, 2, "rat_to player_2") == "player_0's Flute gave a rat to you."


def test_rc43_news_of_the_hospital():
    position = special_game("hospital", [{3: 1}, {}, {}], [{"gold": 1, "magic 1": 2}])
    position.apply("done")
    script = "act; discard gold; discard magic 1; done"
    assert told(position.copy(), 2, script) == (
        "player_0 got rid of 1 rat (8 left). player_0 discarded gold for a rat. player_0 got rid of 1 rat (7 left). "
        "player_0 discarded magic 1 for a rat. player_0 got rid of 1 rat (6 left)."
    )
    assert "You discarded gold for a rat. You got rid of 1 rat (7 left)." in told(position.copy(), 0, script)
    assert told(position, 1, "decline").startswith("player_0 did not use the Hospital.")


def test_rc44_news_of_the_guard_tower():
    position = game_with(HANDS, "guard_tower 2, office 2", buildings=THE_OTHERS)
    told(position, 0, "supply 1; supply 1; supply 1; enter 1; lay magic 2; done; enter 2; done; enter 2; done")
    position.row.hand[1, :] = 0
    position.row.hand[1, 3] = 4
    position.row.hand[0, :] = 0
    count_cards(position.row)
    script = "act; give peasantry 3; give peasantry 3; give peasantry 3"
    assert told(position.copy(), 2, "act; " + script[5:]).startswith(
        "player_0's Guard Tower: player_1 must give 3 cards. player_1 gave 3 cards to player_0. "
        "player_0's Guard Tower: you must give 3 cards."
    )
    position.row.hand[2, :] = 0
    position.row.hand[2, 9] = 2
    count_cards(position.row)
    heard = told(position.copy(), 0, script)
    assert heard.startswith("Your Guard Tower: player_1 must give 3 cards.")
    assert "You got peasantry 3 3 3, bourgeoisie 4 4 from player_1 and player_2." in heard
    assert "player_1 gave 3 cards to player_0. player_2 gave 2 cards to player_0." not in heard
    heard = told(position, 2, script)
    assert "You gave bourgeoisie 4 4 to player_0." in heard and "player_1 gave 3 cards to player_0." in heard


def test_rc07_rc64_news_of_tokens_and_a_new_deck():
    position = game_with(HANDS, "farm 1, palace 1")
    position.row.deck_size, position.row.pool[:] = 1, 0
    position.row.pool[[5, 6]], position.row.discarded[9] = (1, 5), 2
    assert told(position, 1, "supply 1; draw bourgeoisie 0").endswith(
        "draw 4. player_0 drew 1 card. The discard pile has been shuffled into a new population deck."
    )
    position = game_with(HANDS, "farm 2, palace 2")
    told(position, 0, "supply 1; supply 1; supply 1; enter 2; done; enter 1; done; enter 1; done")
    while position.row.resolved == 0:
        position.apply("decline")
    assert told(position, 1, "act").startswith("player_0 got 2 victory points.")


def test_rc65_the_end_is_told():
    position = new_game(players=2)
    choose = random_player(0)
    while not position.is_over:
        last = position.row.rounds_played
        before = seen_by(position, 0) if last > 7 else None
        position.apply(choose(position.chances() if position.is_chance else position.legal()))
        if before is None:
            continue
        heard = news(before, seen_by(position, 0))
        assert any("Round" in sentence or "last round" in sentence for sentence in heard) == (
            last != position.row.rounds_played
        )
    row = position.row
    nuns = int((row.nun % 5).sum())
    assert any(sentence.startswith("The nun-row is revealed: ") and f"{nuns} nun" in sentence for sentence in heard)
    assert f"player_1 had in hand: {cards_in_words(row.hand[1].tolist())}." in heard
    assert heard[-1].startswith("The game is over: ")


# Whole games

WHO = r"(You|you|Your|your|player_\d)"
CARD_LIST = r"((?:(?:\w+(?: \d)+|\w+ x\d+|joker|sword|flute|pass|gold)(?:, )?)+)"


class Happened:
    """What every seat has done between two observations, out of actions and rows."""

    def __init__(self) -> None:
        self.steps: Counter[tuple[int, str]] = Counter()
        self.drawn: Counter[tuple[int, int]] = Counter()
        self.given: Counter[tuple[int, int]] = Counter()
        self.got: Counter[tuple[int, int]] = Counter()
        self.marks: set[tuple[int, int]] = set()
        self.slots: dict[tuple[int, str], str] = {}

    def note(self, old: Any, new: Any, actor: int, action: str) -> None:
        """One step."""
        self.steps[(actor, action)] += 1
        for seat in range(old.config.players):
            more = new.hand[seat] + new.aside[seat] - old.hand[seat] - old.aside[seat]
            for kind in np.flatnonzero(more > 0):
                self.got[(seat, int(kind))] += int(more[kind])
        for place, marks in enumerate(new.looked & ~old.looked):
            self.marks |= {(seat, place + 1) for seat in range(old.config.players) if marks >> seat & 1}
        if action.startswith("draw "):
            self.drawn[(int(old.doer), CARDS.index(action[5:]))] += 1
        held = new.hand.sum(axis=1) + new.aside.sum(axis=1) - old.hand.sum(axis=1) - old.aside.sum(axis=1)
        if old.phase == GIVE or (action == "act" and building_of(old.slot[old.resolved]) == GUARD_TOWER):
            taker = int(old.taker) if old.phase == GIVE else actor
            for seat in np.flatnonzero(held < 0):
                self.given[(int(seat), taker)] += int(-held[seat])
        if action.startswith(("supply", "enter")):
            self.slots[(actor, action.split()[0])] = BUILDING_WORDS[building_of(old.slot[int(action.split()[1]) - 1])]


def check(sentence: str, happened: Happened, old: Any, new: Any, me: int) -> str:
    """A sentence is true, as far as this test knows its kind; every kind is known. Returns the kind."""
    for number, (pattern, test) in enumerate(KINDS_OF_NEWS):
        if match := re.fullmatch(pattern, sentence):
            seat = me if match.groups() and match[1].lower().startswith("you") else None
            if seat is None and match.groups() and match[1].startswith("player_"):
                seat = int(match[1][7:])
            assert test(happened, old, new, seat, match, me), sentence
            return f"{number}"
    raise AssertionError(sentence)


def seat_of(name: str, me: int) -> int:
    """The seat of a name."""
    return me if name.lower().startswith("you") else int(name[7:8])


def cards_of(words: str) -> Counter[int]:
    """Cards by kind out of words."""
    found: Counter[int] = Counter()
    for part in words.split(", "):
        name, *others = part.split()
        if name in CLASSES:
            found.update(CARDS.index(f"{name} {nuns}") for nuns in others)
        else:
            found[CARDS.index(name)] += int(others[0][1:]) if others else 1
    return found


def done(happened: Happened, seat: int, verb: str) -> int:
    """How often a seat did something."""
    return sum(number for (who, step), number in happened.steps.items() if who == seat and step.split()[0] == verb)


def drew(h: Happened, _old: Any, _new: Any, seat: int, match: Any, _me: int) -> bool:
    """So many cards, or these."""
    kinds = Counter({kind: number for (who, kind), number in h.drawn.items() if who == seat})
    return kinds == cards_of(match[2]) if match[1] == "You" else kinds.total() == int(match[2].split()[0])


def discarded(h: Happened, _old: Any, _new: Any, seat: int, match: Any, _me: int) -> bool:
    """So many cards at the Hospital, or these."""
    if match[2].endswith(("card", "cards")):
        return done(h, seat, "discard") == int(match[2].split()[0])
    return all(h.steps[(seat, f"discard {CARDS[kind]}")] == number for kind, number in cards_of(match[2]).items())


def gave(h: Happened, _old: Any, _new: Any, seat: int, match: Any, me: int) -> bool:
    """So many cards to whom."""
    number = int(match[2].split()[0]) if match[2].endswith(("card", "cards")) else cards_of(match[2]).total()
    return h.given[(seat, seat_of(match[3], me))] == number


def got(h: Happened, _old: Any, _new: Any, seat: int, match: Any, _me: int) -> bool:
    """Own cards of whatever origin."""
    return all(h.got[(seat, kind)] >= number for kind, number in cards_of(match[2]).items())


def got_specials(h: Happened, _old: Any, _new: Any, seat: int, match: Any, _me: int) -> bool:
    """Special cards of another seat."""
    parts = re.findall(rf"(\d+) ({'|'.join((*SPECIALS, *SPECIAL_PLURALS))})\b", match[2])
    kinds = [(SPECIALS.index(n) if n in SPECIALS else SPECIAL_PLURALS.index(n), int(number)) for number, n in parts]
    return bool(parts) and all(h.got[(seat, 30 + special)] >= number for special, number in kinds)


def held(row: Any, seat: int) -> int:
    """Cards in hand and aside."""
    return int(row.hand[seat].sum() + row.aside[seat].sum())


def more_or_fewer(h: Happened, old: Any, new: Any, seat: int, match: Any, _me: int) -> bool:
    """The net change, cards laid in between counted as held."""
    laid = done(h, seat, "lay")
    return held(new, seat) + laid - held(old, seat) == int(match[2]) * (1 if match[3] == "more" else -1)


def laid(h: Happened, _old: Any, new: Any, seat: int, match: Any, _me: int) -> bool:
    """Cards that lie at a building."""
    words = match[2]
    if words == "no cards":
        return not new.laid[seat].any()
    if words.endswith(("card", "cards")):
        return int(new.laid[seat].sum()) == int(words.split()[0])
    return Counter({int(kind): int(new.laid[seat, kind]) for kind in np.flatnonzero(new.laid[seat])}) == cards_of(words)


def influence(_h: Happened, old: Any, new: Any, seat: int, match: Any, _me: int) -> bool:
    """All gains, and no other."""
    parts = re.findall(r"(\d+) influence in (\w+) \((\d+) in all\)", match[2])
    told_gains = {CLASSES.index(name): (int(more), int(now)) for more, name, now in parts}
    more = new.influence[:, seat] - old.influence[:, seat]
    return told_gains == {int(t): (int(more[t]), int(new.influence[t, seat])) for t in np.flatnonzero(more)}


def revealed(_h: Happened, _old: Any, new: Any, seat: int, match: Any, _me: int) -> bool:
    """The cards laid at a building."""
    here = BUILDING_WORDS[building_of(new.slot[new.slot_of[seat]])]
    cards = Counter({int(kind): int(new.laid[seat, kind]) for kind in np.flatnonzero(new.laid[seat])})
    return cards == cards_of(match[2]) and here in match[3] and bool(new.revealed[seat])


def flute(h: Happened, old: Any, new: Any, seat: int, match: Any, me: int) -> bool:
    """Whoever chose, the rat came from the one with the most flutes to another of the same building."""
    taker = seat_of(match[2], me)
    flutes = np.maximum(old.laid[:, FLUTE], new.laid[:, FLUTE])
    chosen = [step for (who, step), _ in h.steps.items() if who == seat and step.startswith("rat_to")]
    is_chosen = not chosen or f"rat_to player_{taker}" in chosen
    same = new.slot_of[seat] == new.slot_of[taker]
    return bool(is_chosen and same and flutes[seat] > flutes[taker])


def rats(_h: Happened, old: Any, new: Any, seat: int, match: Any, _me: int) -> bool:
    """So many are left, and the change is no more than one off for a Flute told beside it."""
    change = int(match[3]) * (1 if match[2] == "got" else -1)
    return int(match[4]) == new.rats[seat] and abs(int(new.rats[seat]) - int(old.rats[seat]) - change) <= 1


def looked(h: Happened, _old: Any, new: Any, seat: int, match: Any, _me: int) -> bool:
    """Where, and what."""
    place = int(match[2])
    card = match[3] is None or CARDS[new.nun[place - 1]] == match[3]
    return (seat, place) in h.marks and card


def must_give(_h: Happened, _old: Any, new: Any, seat: int, match: Any, me: int) -> bool:
    """Who, and how many."""
    giver = seat_of(match[3], me)
    is_sword = new.slot_of[giver] == new.slot_of[seat]
    return (new.taker, new.giver, new.gives_left) == (seat, giver, int(match[4])) and is_sword == (match[2] == "Sword")


KINDS_OF_NEWS = (
    (rf"{WHO} drew (\d+ cards?|.*)\.", drew),
    (rf"{WHO} took the supply of (.*): .*\.", lambda h, o, n, s, m, me: h.slots[(s, "supply")] in m[2]),
    (rf"{WHO} did not use the (.*)\.", lambda h, o, n, s, m, me: h.steps[(s, "decline")] > 0),
    (rf"{WHO} discarded (.*) for (?:a rat|rats)\.", discarded),
    (rf"{WHO} gave (.*) to {WHO}\.", gave),
    (rf"{WHO} got {CARD_LIST}(?: from .*)?\.", got),
    (rf"{WHO} got (\d+ (?:{'|'.join((*SPECIALS, *SPECIAL_PLURALS))}).*)\.", got_specials),
    (rf"{WHO} has (\d+) cards? (more|fewer)\.", more_or_fewer),
    (rf"{WHO} no longer have (.*)\.", lambda h, o, n, s, m, me: held(n, s) < held(o, s) + sum(h.got.values())),
    (rf"{WHO} passed(?: (\d+) times)?\.", lambda h, o, n, s, m, me: done(h, s, "pass") == int(m[2] or 1)),
    (rf"{WHO} entered the ([^.]*?)(?: and laid no cards)?\.", lambda h, o, n, s, m, me: h.slots[(s, "enter")] in m[2]),
    (rf"{WHO} (?:entered the .* and )?laid (.*)\.", laid),
    (rf"{WHO} revealed (.*) at the (.*)\.", revealed),
    (rf"{WHO} gained (.*)\.", influence),
    (rf"{WHO}(?:'s)? Flute gave a rat to {WHO}\.", flute),
    (rf"{WHO} (got|got rid of) (\d+) rats? \((\d+) (?:in all|left)\)\.", rats),
    (rf"{WHO} looked at row card (\d)(?:: (.*))?\.", looked),
    (rf"{WHO} looked again at a row card seen before\.", lambda h, o, n, s, m, me: done(h, s, "look") > 0),
    (rf"{WHO} got (\d+) victory points?\.", lambda h, o, n, s, m, me: int(m[2]) == n.points[s] - o.points[s]),
    (rf"{WHO}(?:'s)? (Sword|Guard Tower): {WHO} must give (\d+) cards?\.", must_give),
    (r"Round (\d+) begins; .* will start\.", lambda h, o, n, s, m, me: int(m[1]) == n.rounds_played + 1),
    (r"The last round is over\.", lambda h, o, n, s, m, me: n.rounds_played > o.rounds_played),
    (r"(.*) lies in slot (\d).*\.", lambda h, o, n, s, m, me: n.slot[int(m[2]) - 1] != NONE),
    (r".* will be in the game\.", lambda h, o, n, s, m, me: (n.in_use != o.in_use).any()),
    (r"The (?:discard pile has been|population deck has run).*\.", lambda h, o, n, s, m, me: n.ran_out),
    (r"The nun-row .*\.|The game is over: .*\.|.* (?:is|are) dead\.|.* had in hand: .*\.", lambda *_: True),
)


def check_nothing_is_missing(heard: str, happened: Happened, old: Any, new: Any, me: int) -> None:
    """Node by node, draws, rats, influence, tokens and who entered are told; of cards no more than is known."""
    for seat in range(old.config.players):
        name = "[Yy]ou" if seat == me else f"player_{seat}"
        if old.rats[seat] != new.rats[seat]:
            assert re.search(rf"{name} got .*rats? \(|[Ff]lute gave a rat to {name}|{name}r?(?:'s)? Flute", heard)
        assert (old.influence[:, seat] != new.influence[:, seat]).any() == bool(re.search(rf"{name} gained", heard))
        assert (old.points[seat] != new.points[seat]) == bool(re.search(rf"{name} got \d+ victory", heard))
        if any(who == seat and step.startswith("enter") for who, step in happened.steps):
            assert re.search(rf"{name} entered", heard)
        if any(who == seat for who, _ in happened.drawn) and not new.ran_out:
            assert re.search(rf"{name} drew", heard)
    others = " ".join(re.findall(r"player_\d drew [^.]*\.", heard))
    assert not any(name in others for name in CLASSES)


@pytest.mark.parametrize(
    ("config", "at_own_nodes"),
    [*((config, True) for config in CONFIGURATIONS), (CONFIGURATIONS[0], False), (CONFIGURATIONS[1], False)],
    ids=[*("2 at own nodes", "3 at own nodes", "4 at own nodes", "5 at own nodes"), "2", "3"],
)
def test_news_are_true(config, at_own_nodes):
    kinds: Counter[str] = Counter()
    position, seat = new_game(**config), config["players"] - 1
    choose = random_player(2 + config["players"])
    happened, old, before = Happened(), position.row.copy(), seen_by(position, seat)
    while not position.is_over:
        last, actor = position.row.copy(), position.actor
        action = choose(position.chances() if position.is_chance else position.legal())
        position.apply(action)
        happened.note(last, position.row, actor, action)
        if at_own_nodes and position.actor != seat and not position.is_over:
            continue
        now = seen_by(position, seat)
        heard = news(before, now)
        kinds.update(check(sentence, happened, old, position.row, seat) for sentence in heard)
        assert not heard or now.tobytes() != before.tobytes()
        if not at_own_nodes:
            check_nothing_is_missing(" ".join(heard), happened, old, position.row, seat)
        happened, old, before = Happened(), position.row.copy(), now
    assert kinds.total() > 100 and len(kinds) > 10


@pytest.mark.parametrize("config", CONFIGURATIONS[1:3], ids=["3", "4"])
def test_news_never_fail_however_much_is_missed(config):
    position, seat, choose = new_game(**config), config["players"] - 1, random_player(1)
    seen = [seen_by(position, seat)]
    number = 0
    while not position.is_over:
        position.apply(choose(position.chances() if position.is_chance else position.legal()))
        number += 1
        if number % 9 == 0 or position.is_over:
            seen.append(seen_by(position, seat))
    chosen = np.random.default_rng(0).integers(0, len(seen), (60, 2))
    for first, last in [*map(sorted, chosen.tolist()), (0, len(seen) - 1)]:
        for sentence in news(seen[first], seen[last]):
            assert sentence.endswith(".") and sentence.isascii()
    assert news(seen[0], seen[0]) == []
