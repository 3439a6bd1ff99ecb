"""What each seat is told of Rattus Cartus: each kind of event by hand, and that nothing hidden is told."""

from __future__ import annotations

from typing import Any

import pytest
from rattus_cartus_games import BEFORE_THE_EXAMPLE, EXAMPLE, THE_OTHERS, random_player, steps_of
from rattus_cartus_helpers import count_cards

from rat_envs.engine.position import Position
from rat_envs.engine.story import moments, story, witness
from rat_envs.games.rattus_cartus import rules
from rat_envs.games.rattus_cartus.components import FLUTE, GO_ON, PASS, SWORD
from rat_envs.games.rattus_cartus.flow import go_on_once
from rat_envs.games.rattus_cartus.tables import CARDS
from rat_envs.games.rattus_cartus.wording import cards_in_words
from rat_envs.testing import story_test

CONFIGURATIONS: list[dict[str, Any]] = [
    {"players": 2, "buildings": THE_OTHERS, "supply": [[3, 1, 1], [2, 0, 1], [2, 1, 0], [0, 1, 1], [0, 3, 0]] * 12},
    {"players": 3, "buildings": "recommended", "vp_tokens": [1] * 10 + [3] * 10},
    {"players": 4, "buildings": THE_OTHERS},
    {"players": 5, "buildings": "random_cards"},
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: str(config["players"]))
def test_rc71_the_story_tells_nothing_hidden(config):
    assert story_test("rattus_cartus", config, nodes=250) > 500


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: str(config["players"]))
def test_every_event_is_told_step_by_step_up_to_what_the_rules_make_of_it(config):
    position, choose = new_game(**config), random_player(1)
    heard: list[str] = []
    while not position.is_over:
        event = witness(position, choose(position.chances() if position.is_chance else position.legal()))
        assert moments(event, rules.take, go_on_once, GO_ON)[-1].tobytes() == event.after.tobytes()
        told_to_all = [event.seen_by(seat) for seat in (None, *range(config["players"]))]
        heard += told_to_all[0]
    rounds = position.state.rounds_played
    assert sum(sentence.startswith("Round ") for sentence in heard) == rounds
    for seat in range(config["players"]):
        gained = [s for s in heard if s.startswith(f"player_{seat} gained")]
        assert sum(int(s.split()[2]) for s in gained) == position.state.influence[:, seat].sum()
        rats = [s.split() for s in heard if s.startswith(f"player_{seat} got") and " rat" in s]
        kept = [s for s in heard if f"Flute gave a rat to player_{seat}." in s]
        gone = [s for s in heard if s.startswith(f"player_{seat}'s Flute")]
        number = 10 + sum(-int(w[4]) if w[2] == "rid" else int(w[2]) for w in rats) + len(kept) - len(gone)
        assert number == position.state.rats[seat]


def new_game(**config: Any) -> Position:
    """The beginning; without compiled code, which these tests need too little to wait for."""
    return Position("rattus_cartus", config, compiled=False)


def told(position: Position, seat: int | None, script: str) -> str:
    """What a seat is told, step by step."""
    return " ".join(story([witness(position, step) for step in steps_of(script)], seat))


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


def test_rc06_rc71_draws_are_told_to_their_owner():
    position = new_game(players=3, buildings="random_building")
    assert told(position, 0, "choose farm; choose office") == (
        "The Farm will be in the game. The Office will be in the game."
    )
    position = new_game(players=3, buildings="random_cards")
    assert told(position, 0, "choose farm 3") == "Farm 3 will be in the game."
    draws = "draw peasantry 0; draw church 1; draw magic 4; draw royalty 2; draw royalty 2; draw magic 3"
    assert told(new_game(players=2), 0, draws).endswith("You drew royalty 2. player_1 drew a card.")
    assert told(new_game(players=2), 1, draws).endswith("player_0 drew a card. You drew magic 3.")
    assert "magic 3" not in told(new_game(players=2), None, draws)


def test_rc11_rc12_buildings_and_their_supplies_are_told():
    position = game_with(HANDS[:2], "farm 1")
    assert told(position, 0, "building farm 3; building palace 4") == (
        "Farm 3 lies in slot 2 (supply: draw 2, look at 1). "
        "Palace 4 lies in slot 2 (supply: draw 2, drop 1), in place of Farm 3."
    )


def test_rc15_rc09_supplies_and_looks():
    position = game_with(HANDS, "farm 3, castle 5")
    script = "supply 1; draw magic 1; draw magic 3; look 4; nun church 3; supply 2; look 4"
    assert told(position.copy(), 0, script) == (
        "You took the supply of the Farm: draw 2, look at 1. You drew magic 1. You drew magic 3. "
        "You looked at row card 4: church 3. player_1 took the supply of the Castle: drop 1, look at 1. "
        "player_1 got rid of 1 rat (9 left). player_1 looked at row card 4."
    )
    assert told(position.copy(), 1, script).endswith("You looked at row card 4: church 3.")
    assert told(position, 2, script) == (
        "player_0 took the supply of the Farm: draw 2, look at 1. player_0 drew a card. player_0 drew a card. "
        "player_0 looked at row card 4. player_1 took the supply of the Castle: drop 1, look at 1. "
        "player_1 got rid of 1 rat (9 left). player_1 looked at row card 4."
    )
    assert told(position.copy(), 0, "supply 2; look 4").endswith("player_2 looked at row card 4.")


def test_rc15_a_supply_that_two_buildings_offer_is_told_by_name():
    assert told(game_with(HANDS, "farm 2, castle 2"), 2, "supply 2") == (
        "player_0 took the supply of the Castle: drop 2. player_0 got rid of 2 rats (8 left)."
    )


def test_rc20_rc21_cards_are_laid_face_down():
    position = game_with(HANDS, "farm 2, castle 2")
    told(position, 0, "supply 1; supply 1; supply 1")
    script = "enter 2; lay church 0; lay church 4; done; enter 1; done"
    assert told(position.copy(), 0, script) == (
        "You entered the Castle. You laid church 0. You laid church 4. player_1 entered the Farm."
    )
    assert told(position, 2, script) == (
        "player_0 entered the Castle. player_0 laid a card. player_0 laid a card. player_1 entered the Farm."
    )


def test_rc22_passes():
    position = game_with(HANDS, "office 2, castle 2", buildings=THE_OTHERS.replace("guard_tower", "castle"))
    position.state.special_deck[PASS - 30] -= 2
    position.state.hand[0, PASS] = 2
    count_cards(position.state)
    told(position, 0, "supply 1; supply 1; supply 1")
    assert told(position, 1, "pass") == "player_0 passed."
    assert told(position, 0, "enter 1; done; enter 1; done; pass").endswith("You passed.")


def test_rc31_rc36_rc37_the_rulebooks_example():
    position = new_game(players=4)
    heard: list[list[str]] = [[], [], [], []]
    for step in steps_of(BEFORE_THE_EXAMPLE) + steps_of(EXAMPLE):
        event = witness(position, step)
        for seat in range(4):
            heard[seat] += event.seen_by(seat)
    everywhere = set.intersection(*map(set, heard[:1] + heard[3:]))
    assert "player_1 revealed church 1, magic 0 3, royalty 2 at the Monastery in slot 2." in everywhere
    assert "player_2 gained 3 influence in magic (3 in all)." in everywhere
    assert "You got 2 swords." in heard[0] and "player_0 got 2 swords." in heard[1]
    assert "You did not use the Castle." in heard[1] and "player_1 did not use the Castle." in heard[0]
    assert "Round 2 of 8 begins; player_1 will start." in heard[0]
    gift = [sentence for sentence in heard[3] if "gave" in sentence or "Sword" in sentence]
    assert gift == ["player_0's Sword: you must give 2 cards.", "You gave royalty 0 4 to player_0."]
    assert "You got royalty 0 4 from player_3." in heard[0]
    assert "player_3 gave 2 cards to player_0." in heard[1] and "player_3 gave 2 cards to player_0." in heard[2]
    assert "You looked at row card 1: chivalry 0." in heard[2] and "player_2 looked at row card 1." in heard[0]
    assert heard[1].count("player_2 looked at row card 1.") == heard[2].count("You looked at row card 1: chivalry 0.")


def special_game(building: str, laid: list[dict[int, int]], hands: list[dict[str, int]] | None = None) -> Position:
    """Three players in one building, the last about to be done with laying; each has laid these cards."""
    castles = THE_OTHERS.replace("guard_tower", "castle") if building == "castle" else THE_OTHERS
    position = game_with(HANDS, f"{building} 2, office 2", buildings=castles)
    told(position, 0, "supply 1; supply 1; supply 1; enter 1; done; enter 1; done; enter 1")
    row = position.state
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


def test_rc38_flutes():
    position = special_game("treasury", [{FLUTE: 1}, {FLUTE: 1, 0: 1}, {FLUTE: 0}])
    heard = told(position.copy(), 1, "done")
    assert "player_0 revealed flute at the Treasury." in heard
    assert "player_0's Flute gave a rat to player_2. You gained 1 influence in royalty (1 in all)." in heard
    position = special_game("treasury", [{FLUTE: 1}, {}, {}])
    position.apply("done")
    assert told(position.copy(), 0, "rat_to player_2") == "Your Flute gave a rat to player_2."
    assert told(position, 2, "rat_to player_2") == "player_0's Flute gave a rat to you."


def test_rc36_a_sword_for_which_nobody_can_give():
    position = special_game("treasury", [{SWORD: 1}, {}, {}], [{}, {"gold": 1}, {"gold": 2}])
    position.apply("done")
    for seat, words in enumerate(("Your Sword: player_1", "player_0's Sword: you", "player_0's Sword: player_1")):
        assert f"{words} had fewer than 2 cards and gave nothing." in told(position.copy(), seat, "take_from player_1")
    heard = told(position, None, "take_from player_2")
    assert "player_0's Sword: player_2 must give 1 card." in heard and "nothing" not in heard


def test_rc43_the_hospital():
    position = special_game("hospital", [{3: 1}, {}, {}], [{"gold": 1, "magic 1": 2}])
    position.apply("done")
    script = "act; discard gold; discard magic 1; done"
    assert told(position.copy(), 2, script) == (
        "player_0 used the Hospital. player_0 got rid of 1 rat (8 left). player_0 discarded gold for a rat. "
        "player_0 got rid of 1 rat (7 left). player_0 discarded magic 1 for a rat. player_0 got rid of 1 rat (6 left)."
    )
    assert "You discarded gold for a rat. You got rid of 1 rat (7 left)." in told(position.copy(), 0, script)
    assert told(position, 1, "decline").startswith("player_0 did not use the Hospital.")


def test_rc44_the_guard_tower():
    position = game_with(HANDS, "guard_tower 2, office 2", buildings=THE_OTHERS)
    told(position, 0, "supply 1; supply 1; supply 1; enter 1; lay magic 2; done; enter 2; done; enter 2; done")
    position.state.hand[1, :] = 0
    position.state.hand[1, 3] = 4
    position.state.hand[0, :] = 0
    count_cards(position.state)
    script = "act; give peasantry 3; give peasantry 3; give peasantry 3"
    assert told(position.copy(), 2, script).startswith(
        "player_0 used the Guard Tower. player_0's Guard Tower: player_1 must give 3 cards. "
        "player_1 gave 3 cards to player_0. player_0's Guard Tower: you must give 3 cards."
    )
    position.state.hand[2, :] = 0
    position.state.hand[2, 9] = 2
    count_cards(position.state)
    heard = told(position.copy(), 0, script)
    assert "You got peasantry 3 3 3 from player_1. You got bourgeoisie 4 4 from player_2." in heard
    heard = told(position, 2, script)
    assert "You gave bourgeoisie 4 4 to player_0." in heard and "player_1 gave 3 cards to player_0." in heard


def test_rc07_rc64_a_new_deck_and_tokens():
    position = game_with(HANDS, "farm 1, palace 1")
    position.state.deck_size, position.state.pool[:] = 1, 0
    position.state.pool[[5, 6]], position.state.discarded[9] = (1, 5), 2
    assert told(position, 1, "supply 1; draw bourgeoisie 0").endswith(
        "draw 4. player_0 drew a card. The discard pile has been shuffled into a new population deck."
    )
    for ran_out in (0, 1):  # a single card is discarded: the new deck has one card, as the old one had
        position = game_with(HANDS, "farm 1, palace 1")
        position.state.deck_size, position.state.pool[:], position.state.ran_out = 1, 0, ran_out
        position.state.pool[[5, 6][: 2 - ran_out]], position.state.discarded[9] = 1, 1
        assert told(position, 1, "supply 1; draw bourgeoisie 0").endswith(
            "player_0 drew a card. The discard pile has been shuffled into a new population deck."
        )
    position = game_with(HANDS, "farm 2, palace 2")
    told(position, 0, "supply 1; supply 1; supply 1; enter 2; done; enter 1; done; enter 1; done")
    while position.state.resolved == 0:
        position.apply("decline")
    assert "player_0 got 1 victory point. player_0 got 1 victory point." in told(position, 1, "act")


def test_rc65_rc66_the_end_is_told():
    position, choose = new_game(players=2), random_player(0)
    while not position.is_over:
        event = witness(position, choose(position.chances() if position.is_chance else position.legal()))
    row, heard = position.state, event.seen_by(0)
    nuns = int((row.nun % 5).sum())
    assert any(sentence.startswith("The nun-row was ") and f"{nuns} nun" in sentence for sentence in heard)
    assert f"player_1 had in hand: {cards_in_words(row.hand[1].tolist())}." in heard
    assert heard[-1].startswith("The game is over: ")
