"""RC-30 to RC-40 and RC-46: what the cards do that a building's visitors have laid."""

import pytest
from rattus_cartus_games import BEFORE_THE_EXAMPLE, EXAMPLE
from rattus_cartus_helpers import (
    asked,
    discarded,
    doors,
    everything,
    hand,
    in_deck,
    influence,
    laid,
    looked,
    play,
    rank,
    ranking,
    rats,
    set_deck,
    sizes,
    start,
    verbs,
)

from rat_envs.engine.position import Position

#: Three buildings for four or five players, two for three: nobody's class is church or royalty.
THREE = "farm 1, castle 1, fortune_tellers_tent 1"
TWO = "farm 1, castle 1"


def who_is_asked(position: Position) -> list[int]:
    """The seats that may act, if all decline."""
    seats = []
    while not position.is_chance and position.legal() == ["act", "decline"]:
        seats.append(position.actor)
        position.apply("decline")
    return seats


# RC-30


def test_rc30_buildings_are_resolved_in_the_order_of_the_row() -> None:
    position = doors(THREE, "", "", "", "")
    play(position, "enter 3; enter 2; enter 1; enter 3")
    assert who_is_asked(position) == [2, 1, 0, 3]
    assert verbs(position) == {"building"}


def test_rc30_buildings_without_visitors_are_passed_over() -> None:
    position = doors(THREE, "", "", "", "")
    play(position, "enter 2; enter 2; enter 2; enter 2")
    assert who_is_asked(position) == [0, 1, 2, 3]
    assert verbs(position) == {"building"}


def test_rc30_one_building_is_finished_before_the_next_begins() -> None:
    position = doors(THREE, "joker", "joker", "joker", "")
    play(position, "enter 2; lay joker; enter 2; lay joker; enter 1; lay joker; enter 3")
    assert asked(position, 2, "act", "decline")
    assert influence(position, "chivalry") == [0, 0, 0, 0]
    assert in_deck(position, "joker") == 12
    position.apply("decline")
    assert asked(position, 0, "act", "decline")
    assert influence(position, "chivalry") == [1, 1, 0, 0]
    assert in_deck(position, "joker") == 13


@pytest.mark.parametrize(("hands", "revealed"), [(["joker", "joker"], [1, 1]), (["joker", "joker", ""], [1, 0, 1])])
def test_rc30_with_two_players_all_cards_are_revealed_at_once(hands: list[str], revealed: list[int]) -> None:
    position = doors(TWO, *hands)
    play(position, "enter 1; lay joker; enter 2; lay joker", *["enter 1"] * (len(hands) - 2))
    assert asked(position, 0, "act", "decline")
    assert position.state.revealed[: len(hands)].tolist() == revealed


# RC-31


def test_rc31_a_point_for_each_population_card_and_joker_and_a_rat_for_each_of_another_class() -> None:
    position = doors(TWO, "peasantry 4, peasantry 0, magic 2, royalty 0, joker, joker, sword, flute", "", "")
    play(position, "enter 1; lay peasantry 4; lay peasantry 0; lay magic 2; lay royalty 0; lay joker; lay joker")
    play(position, "lay sword; lay flute; enter 2; enter 2")
    assert influence(position, "peasantry") == [6, 0, 0]
    assert rats(position) == [12, 10, 10]
    for other in ("bourgeoisie", "church", "chivalry", "magic", "royalty"):
        assert influence(position, other) == [0, 0, 0]


@pytest.mark.parametrize(
    ("building", "track"),
    [
        *(("farm", "peasantry"), ("brewery", "peasantry"), ("marketplace", "bourgeoisie"), ("office", "bourgeoisie")),
        *(("monastery", "church"), ("hospital", "church"), ("castle", "chivalry"), ("guard_tower", "chivalry")),
        *(("fortune_tellers_tent", "magic"), ("pied_pipers_hut", "magic"), ("palace", "royalty")),
        ("treasury", "royalty"),
    ],
)
def test_rc31_the_class_is_the_building_s(building: str, track: str) -> None:
    other = "farm" if track != "peasantry" else "palace"
    foreign = "magic 1" if track != "magic" else "church 1"
    position = doors(f"{building} 2, {other} 1", f"{track} 3, {foreign}", "", "")
    play(position, f"enter 1; lay {track} 3; lay {foreign}; enter 2; enter 2")
    assert influence(position, track) == [2, 0, 0]
    assert rats(position) == [11, 10, 10]


def test_rc31_all_visitors_reveal_and_then_resolve_one_by_one() -> None:
    """player_1's sword takes effect after its own points and before those of the visitors after it."""
    position = doors(TWO, "joker", "sword, magic 0, magic 1", "magic 4")
    play(position, "enter 1; lay joker; enter 1; lay sword; lay magic 0; done; enter 1; lay magic 4")
    assert asked(position, 1, "take_from player_0", "take_from player_2")
    assert position.state.revealed[:3].tolist() == [1, 1, 1]
    assert (influence(position, "peasantry"), rats(position)) == ([1, 1, 0], [10, 11, 10])
    play(position, "take_from player_2")
    assert (influence(position, "peasantry"), rats(position)) == ([1, 1, 1], [10, 11, 11])


def test_rc31_first_the_sword_then_the_flute() -> None:
    position = doors(TWO, "sword, flute", "magic 0, magic 0", "magic 1, magic 1")
    play(position, "enter 1; lay sword; lay flute; enter 1; done; enter 1; done")
    assert asked(position, 0, "take_from player_1", "take_from player_2")
    play(position, "take_from player_2")
    assert asked(position, 2, "give magic 1")
    play(position, "give magic 1")
    assert asked(position, 0, "rat_to player_1", "rat_to player_2")
    play(position, "rat_to player_1")
    assert rats(position) == [9, 11, 10]


def test_rc31_sword_and_flute_of_different_visitors_come_in_order_of_entry() -> None:
    position = doors(TWO, "flute", "sword", "magic 1, magic 1")
    play(position, "enter 1; lay flute; enter 1; lay sword; enter 1; done")
    assert asked(position, 0, "rat_to player_1", "rat_to player_2")
    play(position, "rat_to player_2")
    assert asked(position, 1, "take_from player_0", "take_from player_2")


# RC-32


def test_rc32_a_disc_that_comes_to_an_occupied_space_goes_on_top() -> None:
    position = doors(TWO, "joker", "joker", "joker")
    play(position, "enter 1; lay joker; enter 1; lay joker; enter 1; lay joker")
    assert influence(position, "peasantry") == [1, 1, 1]
    assert ranking(position, "peasantry") == [0, 1, 2]
    position = doors(TWO, "joker", "joker", "joker")
    rank(position, "peasantry", 0, 0, 1)
    play(position, "enter 2; lay joker; enter 1; lay joker; enter 2; lay joker")
    assert ranking(position, "peasantry") == [2, 1]
    assert influence(position, "peasantry") == [0, 1, 1]


def test_rc32_those_above_come_down_when_a_disc_leaves() -> None:
    position = doors(TWO, "joker", "joker", "joker, joker")
    rank(position, "peasantry", 1, 1, 1)
    play(position, "enter 1; lay joker; enter 1; lay joker; enter 1; lay joker; done")
    assert influence(position, "peasantry") == [2, 2, 2]
    assert ranking(position, "peasantry") == [0, 1, 2]
    position = doors(TWO, "joker", "joker", "joker")
    rank(position, "peasantry", 1, 1, 0)
    play(position, "enter 1; lay joker; enter 2; lay joker; enter 1; lay joker")
    assert influence(position, "peasantry") == [2, 1, 1]
    assert ranking(position, "peasantry") == [0, 1, 2], "player_2 comes to lie on player_1"


def test_rc32_the_points_of_one_building_arrive_together() -> None:
    """player_0 passes over player_1 and comes to lie on player_2 although the others play after it."""
    position = doors(TWO, "joker, joker, joker", "", "")
    rank(position, "peasantry", 0, 2, 3)
    play(position, "enter 1; lay joker; lay joker; lay joker; enter 1; enter 1")
    assert influence(position, "peasantry") == [3, 2, 3]
    assert ranking(position, "peasantry") == [2, 0, 1]


def test_rc32_without_points_a_disc_does_not_move() -> None:
    position = doors(TWO, "sword", "", "")
    rank(position, "peasantry", 4, 4, 4)
    play(position, "enter 1; lay sword; enter 2; enter 2")
    assert influence(position, "peasantry") == [4, 4, 4]
    assert ranking(position, "peasantry") == [0, 1, 2]


# RC-39, RC-40: who is premium is asked first


@pytest.mark.parametrize(
    ("laid", "premium"),
    [
        (("joker", "magic 0; magic 1", "joker"), 1),
        (("joker", "magic 0", "sword; sword; flute"), 0),
        (("", "joker", "joker"), 1),
        (("", "", ""), 0),
        (("sword", "", "magic 0"), 2),
        (("joker; magic 0", "magic 1; magic 1", "joker; joker; joker"), 2),
    ],
    ids=str,
)
def test_rc39_the_premium_player_played_most_population_cards_and_jokers(laid: tuple[str, ...], premium: int) -> None:
    position = doors(TWO, *(text.replace(";", ",") for text in laid))
    for text in laid:
        play(position, "enter 1", *(f"lay {card}" for card in text.split("; ") if card))
    while verbs(position) & {"take_from", "rat_to", "give"}:
        position.apply(everything(position)[0])
    assert asked(position, premium, "act", "decline")
    play(position, "act; " + "; ".join(["draw magic 4"] * 4))
    assert who_is_asked(position) == [seat for seat in (0, 1, 2) if seat != premium], "the others by entry"


def test_rc39_every_building_has_its_premium_player() -> None:
    position = doors("castle 1, pied_pipers_hut 1", "joker", "joker, joker", "")
    play(position, "enter 1; lay joker; enter 2; lay joker; lay joker; enter 2; act; act; act")
    assert [hand(position, seat) for seat in range(3)] == ["sword, sword", "flute, flute", "flute"]


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        (("enter 1", "joker"), ("enter 2", "joker"), [2, 1]),
        (("enter 2", "joker"), ("enter 1", "joker"), [2, 1]),
        (("enter 1", "joker"), ("enter 2", "joker; magic 0"), [1, 2]),
        (("enter 1", "joker"), ("enter 1", "joker; magic 0"), [1, 2]),
        (("enter 2", ""), ("enter 1", "sword; sword"), [2, 1]),
    ],
    ids=str,
)
def test_rc40_two_players_have_one_premium_action_a_round(
    first: tuple[str, str], second: tuple[str, str], taken: list[int]
) -> None:
    position = doors("castle 1, pied_pipers_hut 1", first[1].replace(";", ","), second[1].replace(";", ","))
    for enter, cards in (first, second):
        play(position, enter, *(f"lay {card}" for card in cards.split("; ") if card))
    play(position, "act; act")
    assert sizes(position) == taken


def test_rc40_what_was_played_counts_after_its_building_was_resolved() -> None:
    position = doors("castle 1, pied_pipers_hut 1", "joker, joker", "joker")
    play(position, "enter 1; lay joker; lay joker; enter 2; lay joker; act")
    assert (laid(position, 0), position.actor) == ("", 1)
    position.apply("act")
    assert sizes(position) == [2, 1]


# RC-46


def test_rc46_laid_cards_are_discarded_together_after_the_actions() -> None:
    position = doors(TWO, "joker, magic 4", "flute, sword, magic 3, gold", "church 0")
    play(position, "enter 1; lay joker; lay magic 4; enter 1; lay flute; lay sword; lay magic 3")
    play(position, "enter 2; lay church 0")
    assert (discarded(position), in_deck(position, "joker")) == ("", 14)
    play(position, "decline")
    assert (laid(position, 0), discarded(position)) == ("magic 4, joker", "")
    play(position, "decline")
    assert discarded(position) == "magic 3, magic 4"
    assert [in_deck(position, card) for card in ("joker", "sword", "flute", "gold")] == [15, 12, 12, 14]
    assert (laid(position, 0), laid(position, 1), laid(position, 2)) == ("", "", "church 0")
    play(position, "decline")
    assert discarded(position) == "church 0, magic 3, magic 4"
    assert hand(position, 1) == "gold"


def test_rc46_cards_used_in_a_building_are_not_yet_available_to_its_actions() -> None:
    position = doors("castle 1, farm 1", "sword, sword", "", "")
    set_deck(position, "sword", 0)
    play(position, "enter 1; lay sword; lay sword; enter 2; enter 2")
    assert asked(position, 1, "act", "decline"), "nothing was asked at the Castle"
    assert in_deck(position, "sword") == 2


def test_rc46_cards_gained_meanwhile_are_kept() -> None:
    position = doors("castle 1, farm 1", "sword", "", "")
    play(position, "enter 1; lay sword; enter 2; enter 2; act")
    assert hand(position, 0) == "sword, sword"
    assert in_deck(position, "sword") == 10


# The rulebook's example


def test_the_rulebook_s_example() -> None:
    """Red is player_1, yellow player_2, green player_3 and blue player_0, who has a Sword."""
    position = start()
    play(position, BEFORE_THE_EXAMPLE)
    steps = EXAMPLE.strip().split("\n")
    play(position, *steps[:3])
    assert asked(position, 1, "enter 1", "enter 2", "enter 3"), "red begins"
    rats_before, held = rats(position), sizes(position)
    play(position, *steps[3:6])
    assert influence(position, "magic") == [0, 0, 3, 0], "yellow: two witches and a monk"
    assert [now - before for now, before in zip(rats(position), rats_before, strict=True)] == [0, 0, 1, 0]
    assert asked(position, 2, "act", "decline")
    play(position, steps[6])
    assert looked(position, 2) == [1, 5], "the premium action"
    assert influence(position, "church") == [0, 4, 0, 0], "red: a monk, a king and two witches"
    assert asked(position, 1, "act", "decline")
    position.apply("act")
    assert rats(position)[1] == rats_before[1] + 3 - 2
    assert position.actor == 3, "blue has played a Sword: green gives half of its hand"
    assert held[3] == 5
    play(position, "give royalty 0; give royalty 4")
    assert hand(position, 3) == "royalty 0, royalty 0, royalty 0"
    assert "royalty 0, royalty 4" in hand(position, 0)
    assert asked(position, 3, "act", "decline"), "green has entered first: the premium action"
    play(position, "act; act")
    assert rats(position)[3] == rats_before[3] - 2
    assert rats(position)[0] == rats_before[0] - 1
    assert influence(position, "church") == [0, 4, 0, 0]
    assert verbs(position) == {"building"}
