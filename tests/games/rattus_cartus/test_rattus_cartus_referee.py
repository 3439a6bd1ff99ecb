"""The second referee of Rattus Cartus by itself: it was here before the game it holds to the specification."""

import functools
from collections import Counter
from typing import Any

import pytest
from rattus_cartus_components import CLASS_OF, CLASSES, JOKERS, POPULATION, SPECIAL_CARDS, name_of
from rattus_cartus_games import (
    ACTIONS,
    BEFORE_THE_EXAMPLE,
    CONFIGURATIONS,
    DEFAULTS,
    EXAMPLE,
    OUTCOMES,
    TABLES,
    THE_OTHERS,
    random_player,
    steps_of,
)
from rattus_cartus_referee import Referee

GAMES = 3
NO_SUPPLY = [[0, 0, 0]] * 60

# Random games


@functools.lru_cache(maxsize=64)
def check_buildings(in_use: tuple[str, ...]) -> None:
    """Thirty different ones, five of each class."""
    assert Counter(CLASS_OF[name_of(card)] for card in in_use) == dict.fromkeys(CLASSES, 5)
    assert len(set(in_use)) == 30


@functools.lru_cache(maxsize=64)
def cards_with(in_use: tuple[str, ...]) -> Counter[str]:
    """The cards in the box that belong to these buildings."""
    names = {name_of(card) for card in in_use}
    special = {card: number for card, (number, building) in SPECIAL_CARDS.items() if building in names}
    return Counter(POPULATION) + Counter(joker=JOKERS) + Counter(special)


def check_table(referee: Referee) -> None:
    """Everything in the box is somewhere, once."""
    cards = Counter(card for card in referee.nun_row.values() if card)
    piles = [referee.unseen, referee.sleeping or Counter(), referee.discarded, referee.decks]
    for pile in piles + [pile for player in referee.players for pile in (player.hand, player.aside, player.laid)]:
        for card, number in pile.items():
            cards[card] += number
    if referee.in_use:
        assert cards == cards_with(tuple(referee.in_use))
        check_buildings(tuple(referee.in_use))
    assert referee.deck_size() >= 0
    assert referee.deck_size() or not referee.discarded
    assert all(player.rats >= 0 for player in referee.players)
    tokens = sum(len(player.tokens) for player in referee.players) + referee.tokens_left.total()
    assert tokens == 20
    assert sum(player.laid.total() for player in referee.players if player not in referee.entered) == 0


def check_options(referee: Referee) -> None:
    options = referee.options()
    assert options
    if referee.actor() == "chance":
        assert set(options) <= OUTCOMES
        assert all(type(weight) is int and weight > 0 for weight in options.values())
    else:
        assert referee.actor() in range(len(referee.players))
        assert options == sorted(set(options))
        assert set(options) <= ACTIONS


def check_end(referee: Referee, done: Counter[str]) -> None:
    rounds, replacements = {2: (10, 10), 3: (9, 12), 4: (8, 6), 5: (8, 6)}[len(referee.players)]
    assert done["supply"] == done["enter"] == rounds * len(referee.players)
    assert done["nun"] == 5
    assert done["building"] + len(referee.unseen_buildings) == 30
    assert len(referee.unseen_buildings) == referee.unknown_replacements
    assert referee.unknown_replacements + len(referee.known_replacements) == replacements
    returns, scores, winners = referee.result()
    assert sum(returns) == 0
    assert len(returns) == len(scores) == len(referee.players)
    nuns = sum(int(str(card).split()[1]) for card in referee.nun_row.values())
    if not winners:
        assert all(player.rats > nuns for player in referee.players)
        assert not referee.config["fewest_rats_survive"]
        assert not any(returns)
    elif not referee.config["fewest_rats_survive"]:
        assert all(referee.players[seat].rats <= nuns for seat in winners)


def play_at_random(config: dict[str, Any], seed: int) -> None:
    referee, pick = Referee(DEFAULTS | config), random_player(seed)
    done: Counter[str] = Counter()
    while not referee.over:
        check_table(referee)
        check_options(referee)
        text = pick(referee.options())
        referee.apply(text)
        done[text.split()[0]] += 1
    check_table(referee)
    check_end(referee, done)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_random_games_keep_every_card_and_end_after_their_rounds(name: str) -> None:
    for seed in range(GAMES):
        play_at_random(CONFIGURATIONS[name], seed)


@pytest.mark.parametrize("table", TABLES)
def test_they_do_with_other_component_tables(table: str) -> None:
    for seed in range(GAMES):
        play_at_random(TABLES[table], seed)


def test_every_action_and_outcome_of_the_notation_occurs_and_no_other() -> None:
    assert (len(ACTIONS), len(OUTCOMES)) == (128, 197)
    actions: set[str] = set()
    outcomes: set[str] = set()
    for config in TABLES.values():
        for seed in range(3):
            referee, pick = Referee(DEFAULTS | config), random_player(seed)
            while not referee.over:
                (outcomes if referee.actor() == "chance" else actions).update(referee.options())
                referee.apply(pick(referee.options()))
    assert actions == ACTIONS
    assert outcomes == OUTCOMES


# Games by hand


def play(referee: Referee, text: str) -> None:
    for step in steps_of(text):
        assert step in referee.options(), f"{step} is not among {referee.actor()}'s {list(referee.options())}"
        referee.apply(step)


def open_doors(row: str, *hands: str, **config: Any) -> Referee:
    """The first round's phase C, with these building cards in the row and these cards in hand."""
    referee = Referee({**DEFAULTS, "supply": NO_SUPPLY, "players": len(hands), **config})
    cards = row.split(", ")
    while not any(option.startswith("enter ") for option in referee.options()):
        options = sorted(referee.options())
        referee.apply(f"building {cards.pop(0)}" if options[0].startswith("building ") else options[0])
        for player, hand in zip(referee.players, hands, strict=True):
            player.hand = Counter(hand.split(", ") if hand else [])
    return referee


def rats(referee: Referee) -> list[int]:
    return [player.rats for player in referee.players]


def hand_sizes(referee: Referee) -> list[int]:
    return [player.hand.total() for player in referee.players]


def test_the_rulebooks_example_comes_out() -> None:
    referee = Referee(DEFAULTS)
    play(referee, BEFORE_THE_EXAMPLE)
    play(referee, EXAMPLE)
    assert set(referee.options()) <= {text for text in OUTCOMES if text.startswith("building ")}
    assert len(referee.options()) == 24
    blue, red, yellow, green = referee.players
    assert (blue.rats, red.rats, yellow.rats, green.rats) == (5, 9, 9, 4)
    assert (red.influence["church"], yellow.influence["magic"]) == (4, 3)
    assert sum(sum(player.influence.values()) for player in referee.players) == 7
    assert (blue.hand.total(), green.hand.total()) == (8, 3)
    assert blue.hand["royalty 0"] == blue.hand["royalty 4"] == blue.hand["sword"] == 1
    assert referee.discarded.total() == 7


def test_rc07_the_deck_is_renewed_at_once_and_the_row_sleeps() -> None:
    referee = open_doors("hospital 1, brewery 1", "church 0, church 0, joker", "", buildings=THE_OTHERS)
    referee.unseen = Counter({"magic 0": 3, "magic 4": 2})  # the row alone
    play(referee, "enter 1; done; enter 2; act; discard church 0")
    assert referee.sleeping == Counter({"magic 0": 3, "magic 4": 2})
    assert referee.unseen == Counter(["church 0"])
    play(referee, "discard church 0; discard joker")
    assert referee.unseen == referee.discarded == Counter(["church 0"]), "the new deck is not empty"
    assert rats(referee) == [6, 10]


def test_rc12_known_replacements_come_up_as_they_went_in() -> None:
    referee = Referee({**DEFAULTS, "players": 2, "supply": NO_SUPPLY})
    replaced = []
    for building in ("farm", "castle", "palace"):
        while referee.actor() != "chance" or "building monastery 1" not in referee.options():
            options = sorted(referee.options())
            referee.apply(next((text for text in options if text in ("done", "decline")), options[0]))
        play(referee, f"building {building} 1; building {building} 2")
        for text in (f"building {building} 3", f"building {building} 4", f"building {building} 5"):
            if referee.actor() == "chance":
                replaced.append(referee.row[1])
                referee.apply(text)
        if referee.actor() == "chance":
            replaced.append(referee.row[1])
            referee.apply(next(text for text in referee.options() if "tent" in text))
    # Ten unknown cards: four for the farm, four for the castle, two for the palace; then the first that went in.
    assert replaced == [
        *("farm 2", "farm 3", "farm 4", "farm 5", "castle 2", "castle 3", "castle 4", "castle 5"),
        *("palace 2", "palace 3"),
    ]
    assert (referee.actor(), referee.row) == (0, ["palace 1", "farm 2"])
    assert referee.known_replacements == [*replaced[1:], "palace 4"]


def test_rc22_passers_come_back_in_order_and_may_pass_again() -> None:
    row = "farm 1, castle 1, palace 1"
    referee = open_doors(row, "pass, pass, pass", "pass", "", "", buildings=DEFAULTS["buildings"])
    play(referee, "pass; pass")
    assert referee.options() == ["enter 1", "enter 2", "enter 3"]
    play(referee, "enter 1; enter 1")
    assert referee.actor() == 0
    play(referee, "pass")
    assert referee.actor() == 1
    play(referee, "enter 1")
    assert referee.actor() == 0
    play(referee, "pass; enter 1; act")
    assert [player.seat for player in referee.visitors[0]] == [2, 3, 1, 0]


def test_rc23_laying_ends_without_playable_cards() -> None:
    referee = open_doors("palace 1, farm 1, castle 1", "gold, pass, joker, sword", "gold", "", "")
    play(referee, "enter 1")
    assert referee.options() == ["done", "lay joker", "lay sword"]
    play(referee, "lay sword; lay joker")
    assert referee.actor() == 1
    play(referee, "enter 1")
    assert referee.actor() == 2


def test_rc36_a_lone_visitor_and_equal_visitors_have_no_use_for_swords() -> None:
    hands = ("sword, magic 0", "sword, magic 1, magic 1", "sword, sword")
    referee = open_doors("farm 1, castle 1", *hands)
    play(referee, "enter 1; lay sword; done; enter 1; lay sword; done; enter 2; lay sword; lay sword; decline; decline")
    assert (referee.actor(), referee.options()) == (2, ["act", "decline"])
    assert referee.discarded.total() == 0
    assert referee.decks["sword"] == 14, "those in hand came on top of the twelve"


def test_rc36_most_and_fewest_tied() -> None:
    four = "magic 0, magic 1, magic 2, magic 3"
    referee = open_doors("farm 1, castle 1, palace 1", f"sword, {four}", f"{four}, gold", "magic 4", "sword, magic 4")
    play(referee, "enter 1; lay sword; done; enter 1; done; enter 1; done; enter 1; lay sword; done")
    assert (referee.actor(), referee.options()) == (0, ["take_from player_1", "take_from player_2"])
    play(referee, "take_from player_1")
    assert (referee.actor(), len(referee.options())) == (1, 5)
    play(referee, "give gold; give magic 3; decline; decline; decline; decline")
    assert hand_sizes(referee) == [6, 3, 1, 1]
    assert (referee.players[0].hand["gold"], referee.players[0].hand["magic 3"]) == (1, 2)


def test_rc36_who_holds_one_card_gives_none() -> None:
    referee = open_doors("farm 1, castle 1, palace 1", "sword, magic 0", "magic 4", "magic 4", "joker, magic 0")
    play(referee, "enter 1; lay sword; done; enter 1; done; enter 1; done; enter 2; lay joker; done")
    play(referee, "take_from player_2; decline; decline; decline; decline")
    assert hand_sizes(referee) == [1, 1, 1, 1]
    assert referee.players[3].influence["chivalry"] == 1


@pytest.mark.parametrize(("before", "after"), [([3, 0, 0], [2, 0, 1]), ([0, 1, 1], [0, 1, 1])])
def test_rc38_the_flute(before: list[int], after: list[int]) -> None:
    referee = open_doors("farm 1, castle 1", "flute, flute, magic 0", "magic 1, magic 1", "flute")
    for player, number in zip(referee.players, before, strict=True):
        player.rats = number
    play(referee, "enter 1; lay flute; done; enter 1; done; enter 1")
    play(referee, "done")
    if before[0]:
        assert (referee.actor(), referee.options()) == (0, ["rat_to player_1", "rat_to player_2"])
        referee.apply("rat_to player_2")
    assert rats(referee) == after
    assert referee.options() == ["act", "decline"]


def test_rc40_one_premium_action_with_two_players() -> None:
    referee = open_doors("marketplace 1, palace 1", "magic 0", "magic 0")
    play(referee, "enter 2; lay magic 0; enter 1; lay magic 0; act; act")
    assert referee.players[1].hand["joker"] == 1, "entered later: the standard action, alone in the building"
    assert referee.players[0].tokens == [1, 1]


def test_rc41_the_brewery_pays_nothing_for_one_point() -> None:
    referee = open_doors("brewery 1, office 1", "", "magic 0, magic 0", "magic 0", buildings=THE_OTHERS)
    play(referee, "enter 1; enter 1; lay magic 0; lay magic 0; enter 1; lay magic 0; act")
    referee.apply(sorted(referee.options())[0])
    referee.apply(sorted(referee.options())[0])
    assert referee.actor() == "chance"
    assert next(iter(referee.options())).startswith("building "), "nothing is asked of the others"


def test_rc43_the_hospital() -> None:
    referee = open_doors("hospital 1, office 1", "gold, joker, magic 4, magic 4", "magic 1", "", buildings=THE_OTHERS)
    play(referee, "enter 1; lay joker; done; enter 1; done; enter 2")
    assert (referee.actor(), referee.options()) == (0, ["act", "decline"])
    play(referee, "act; discard gold; discard magic 4; discard magic 4")
    assert (referee.actor(), referee.options()) == (1, ["discard magic 1", "done"])
    play(referee, "discard magic 1; act")
    assert rats(referee) == [6, 9, 10]
    assert referee.discarded == Counter({"magic 4": 2, "magic 1": 1})


def test_rc44_the_guard_tower() -> None:
    row = "guard_tower 1, guard_tower 2, treasury 1"
    hands = ("joker, joker", "gold, gold, gold, gold", "gold", "gold, pass, joker, joker", "gold, gold")
    referee = open_doors(row, *hands, buildings=THE_OTHERS)
    play(referee, "enter 1; done; enter 3; enter 3; enter 2; lay joker; done; enter 3; act")
    for _ in range(3):
        assert (referee.actor(), referee.options()) == (1, ["give gold"])
        referee.apply("give gold")
    assert hand_sizes(referee) == [7, 1, 1, 3, 0], "seat 2 holds fewer, seat 3 is in a tower, seat 4 gives all"
    assert (referee.actor(), referee.options()) == (1, ["act", "decline"]), "no other tower has a giver"


def test_rc45_the_last_point_comes_after_everybodys_cards() -> None:
    referee = open_doors("farm 1, castle 1, palace 1", "joker", "joker", "", "")
    referee.round = referee.rounds
    referee.players[1].influence["peasantry"] = 1
    referee.players[1].arrived["peasantry"] = 1
    play(referee, "enter 1; lay joker; enter 1; lay joker; enter 2; enter 2")
    for _ in range(5):
        assert all(text.startswith("nun ") for text in referee.options())
        referee.apply(next(iter(referee.options())))
    assert referee.over
    assert [player.influence["peasantry"] for player in referee.players] == [2, 2, 0, 0]
    assert referee.players[2].influence["chivalry"] == 1
    assert referee.result()[1] == [5, 10, 10, 0]


@pytest.mark.parametrize(
    ("hands", "scores"),
    [
        (["gold, gold", "gold", "gold", ""], [6, 1, 1, 0]),
        (["gold", "gold", "gold", ""], [3, 3, 3, 0]),
        (["gold", "gold", "gold", "gold"], [2, 2, 2, 2]),
        (["gold", "", "", ""], [6, 0, 0, 0]),
        (["gold, gold", "gold, gold", "gold", ""], [4, 4, 0, 0]),
        (["gold", "gold"], [4, 4]),
        (["gold, gold", "gold"], [6, 0]),
        (["magic 1, joker, pass", "magic 2, pass", "sword, flute"], [2 + 1, 1, 4]),
        (["", "", ""], [0, 0, 0]),
    ],
)
def test_rc61_to_rc63_majorities(hands: list[str], scores: list[int]) -> None:
    referee = open_doors("farm 1, castle 1" + (", palace 1" if len(hands) > 3 else ""), *hands)
    referee.nun_row = dict.fromkeys(referee.nun_row, "magic 4")
    assert referee.result()[1] == scores


def test_rc65_to_rc67_who_wins() -> None:
    def winners(survive: bool, nuns: int, *standings: tuple[int, int]) -> list[int]:
        referee = open_doors("farm 1, castle 1", "", "", "", fewest_rats_survive=survive)
        referee.nun_row = {place: f"magic {nuns if place == 1 else 0}" for place in referee.nun_row}
        for player, (points, number) in zip(referee.players, standings, strict=True):
            player.tokens, player.rats = [points], number
        return referee.result()[2]

    assert winners(False, 3, (5, 4), (3, 3), (2, 0)) == [1]
    assert winners(False, 3, (3, 1), (3, 3), (3, 1)) == [0, 2]
    assert winners(False, 3, (5, 4), (5, 5), (5, 6)) == []
    assert winners(True, 3, (3, 4), (5, 4), (9, 6)) == [1]
    assert winners(True, 3, (5, 4), (5, 4), (9, 6)) == [0, 1]
    assert winners(True, 3, (0, 3), (5, 4), (9, 6)) == [0]
