"""What each seat is told of a game of Rattus, and what it is not told."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from rattus_helpers import final_round, lay, table
from rattus_table_helpers import CONFIGURATIONS, NAMES, SET_UP, SET_UP_OF_TWO, played, points_of_view, told

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.story import witness
from rat_envs.games.rattus.tables import REGIONS
from rat_envs.testing import story_test

configurations = pytest.mark.parametrize("config", CONFIGURATIONS, ids=NAMES)


@configurations
def test_rt71_the_story_tells_nothing_hidden(config):
    assert story_test("rattus", config, nodes=150) > 100


# Step by step


def test_rt06_rt07_rt08_the_set_up():
    position = Position("rattus", {"players": 3})
    assert told(position, 1, "plague italia") == "The plague begins in Italia."
    steps = "place gallia; place italia; place anglia; place anglia; place italia"
    assert told(position, 1, steps).startswith("player_0 places 2 cubes in Gallia. You place 2 cubes in Italia.")
    assert told(position.copy(), 0, "place gallia") == "You place 2 cubes in Gallia. It is your turn."
    assert told(position, None, "place gallia") == "player_0 places 2 cubes in Gallia. It is player_0's turn."


def test_rt11_rt12_rt15_rt20_a_turn():
    turn = "take monk; place tartaria; plague germania; rat polonia"
    assert told(played(SET_UP, players=4), 0, turn) == (
        "You take the Monk. You place 1 cube in Tartaria. You move the plague to Germania. You lay a rat in Polonia. "
        "It is player_1's turn."
    )
    position = played(SET_UP, players=4)
    assert told(position, 1, turn).endswith("player_0 lays a rat in Polonia. It is your turn.")
    assert told(position.copy(), 0, "take monk") == "player_1 takes the Monk from you."
    assert told(position, None, "take monk") == "player_1 takes the Monk from player_0."


def test_rt14_rt40_rt42_rt46_cubes():
    few_left = table(cubes={"italia": [18]}, rats={"gallia": 3})
    assert told(few_left, 1, "place gallia") == "player_0 places 2 cubes in Gallia."
    position = table(cubes={"italia": [3]}, rats={"italia": 0}, cards={"merchant": 0, "peasant": 0, "king": 0})
    assert told(position, 0, "merchant italia 2; to gallia") == "You move 2 cubes from Italia to Gallia (Merchant)."
    assert told(position, 3, "peasant anglia") == "player_0 places 2 cubes in Anglia (Peasant)."
    assert told(position, None, "king italia") == "player_0 moves a cube from Italia to the palace (King)."


def test_rt47_the_king_declined():
    position = table("gallia", {"italia": [1]}, {"italia": 0, "germania": 0}, {"king": 0}, placed=True)
    assert told(position, 1, "plague germania; pass").endswith("player_0 does not use the King. It is your turn.")


def test_rt43_rt44_the_knight():
    position = played(f"{SET_UP_OF_TWO}; take knight; place gallia", players=2)
    assert told(position.copy(), 1, "plague italia") == "player_0 moves the plague to Italia (Knight)."
    assert told(position.copy(), 1, "plague germania") == "player_0 moves the plague to Germania."
    told(position, 0, "plague gallia; rat germania")
    assert told(position.copy(), 0, "bonus") == "You let the plague count as 2 cubes (Knight)."
    assert told(position, 1, "no_bonus") == "player_0 does not let the plague count as cubes."


@pytest.mark.parametrize(("answer", "losses"), [("bonus", "You lose 1 cube."), ("no_bonus", "Nobody loses a cube.")])
def test_rt44_the_answer_counts_for_a_known_token_flipped_at_once(answer, losses):
    position = table("germania", {"gallia": [0, 2]}, {"gallia": "start:s06"}, {"knight": 0}, placed=True)
    lay(position, "gallia", "start:s06", [2])
    told(position, 0, "plague gallia; rat italia")
    assert told(position, 1, answer).endswith(
        f"s06 (limit 4, M, Peasant, Merchant, Witch) is flipped: rat 1 in Gallia. {losses} It is your turn."
    )


# Secrets


def test_rt45_rt71_faces_are_told_to_the_looker_alone():
    position = played(f"{SET_UP}; take witch", players=4)
    looks = "witch gallia 1; token s01; witch italia 1; token s02"
    assert told(position.copy(), 0, looks) == (
        "You look at rat 1 in Gallia: s01 (limit 2, M, Witch, King). "
        "You look at rat 1 in Italia: s02 (limit 2, M, Merchant, Knight)."
    )
    look = "player_0 looks at rat 1 in Gallia."
    for seat in (1, 2, 3, None):
        assert told(position.copy(), seat, looks) == f"{look} player_0 looks at rat 1 in Italia."
    assert told(position, 1, "witch gallia 1; token s01; stop") == f"{look} player_0 looks at no second rat."


def test_rt45_rt80_a_face_that_another_has_seen_is_told_to_the_looker_alone():
    position = table(rats={"gallia": 2}, cards={"witch": 0})
    lay(position, "gallia", "start:s01 supply", [2])
    assert told(position.copy(), 0, "witch gallia 1") == "You look at rat 1 in Gallia: s01 (limit 2, M, Witch, King)."
    for seat in (1, 2, None):
        assert told(position.copy(), seat, "witch gallia 1; witch gallia 2; token r01") == (
            "player_0 looks at rat 1 in Gallia. player_0 looks at rat 2 in Gallia."
        )


def test_rt41_rt45_rt71_everybody_sees_which_rats_are_moved_and_swapped():
    position = played(f"{SET_UP}; take monk", players=4)
    assert told(position.copy(), 0, "monk gallia 1; to anglia") == "You move rat 1 in Gallia to Anglia (Monk)."
    assert told(position, None, "monk gallia 1; to anglia") == "player_0 moves rat 1 in Gallia to Anglia (Monk)."
    position = played(f"{SET_UP}; take witch; witch gallia 1; token s01; witch italia 1; token s02", players=4)
    assert told(position.copy(), 0, "swap") == "You swap rat 1 in Gallia and rat 1 in Italia."
    assert told(position.copy(), 1, "swap") == "player_0 swaps rat 1 in Gallia and rat 1 in Italia."
    assert told(position, None, "keep") == "player_0 does not swap rat 1 in Gallia and rat 1 in Italia."


# Ravage and end


def test_rt24_to_rt29_the_rulebooks_ravage():
    cubes, cards = {"gallia": [0, 0, 1, 2]}, {"monk": 0, "merchant": 3}
    position = table("anglia", cubes, {"gallia": 3}, cards, active=1, placed=True)
    assert told(position, 3, "plague gallia; rat hispania; rat hispania; flip 2; token r01; flip 1").endswith(
        "r01 (limit 1, Merchant, Monk) is flipped: rat 2 in Gallia. You lose 1 cube."
    )
    assert told(position, 3, "token s03; token r06") == (
        "s03 (limit 3, M, Peasant, Monk) is flipped: rat 1 in Gallia. Nobody loses a cube. "
        "r06 (limit 2, M, Merchant, Monk) is flipped: rat 1 in Gallia. player_2 loses 1 cube. You lose 1 cube. "
        "It is player_2's turn."
    )


def test_rt60_why_the_final_round_begins():
    position = table(rats={"scandia": 0}, cards={"monk": 3}, placed=True, supply=0)
    assert told(position, 3, "plague scandia").endswith(
        "The final round begins: the supply has run out. It is your part in the final round."
    )
    full = table("germania", {"italia": [20]}, {"scandia": 0}, {"monk": 3}, placed=True)
    assert "The final round begins: all your cubes are on the board." in told(full.copy(), 0, "plague scandia")
    assert "The final round begins: all player_0's cubes are on the board." in told(full, None, "plague scandia")


def test_rt62_to_rt64_the_final_round():
    position = final_round(cards={"peasant": 2, "monk": 2, "knight": 1}, cubes={"italia": [1, 1, 1, 1]})
    assert told(position, 0, "peasant italia; pass") == (
        "player_2 places 1 cube in Italia (Peasant). player_2 passes. It is player_1's part in the final round."
    )
    assert told(position, 1, "plague italia") == (
        "You move the plague to Italia (Knight): it counts as 2 cubes there. The final ravage begins."
    )


def test_rt65_rt66_known_tokens_flipped_in_one_step_and_the_result():
    rats = dict.fromkeys(REGIONS, 0) | {"gallia": 1, "italia": 1}
    position = final_round(0, {"gallia": [3, 1], "italia": [0, 2]}, rats, {"peasant": 1}, players=2)
    lay(position, "gallia", "start:s03", [0])
    lay(position, "italia", "start:s05", [0])
    assert told(position.copy(), 0, "peasant italia") == (
        "player_1 places 1 cube in Italia (Peasant). The final ravage begins. "
        "s03 (limit 3, M, Peasant, Monk) is flipped: rat 1 in Gallia. You lose 1 cube. player_1 loses 1 cube. "
        "s05 (limit 3, M, Merchant, King) is flipped: rat 1 in Italia. player_1 loses 1 cube. "
        "The game is over: player_1 has won with 2 of 20 cubes. Of those tied it would have been next."
    )
    assert told(position, 1, "peasant italia").endswith(
        "The game is over: you have won with 2 of 20 cubes. Of those tied you would have been next."
    )


def test_rt24_rt65_the_last_ravage_of_a_turn_is_told_before_the_final_one():
    rats = dict.fromkeys(REGIONS, 0) | {"gallia": 1, "italia": 1}
    position = table("gallia", {"gallia": [1], "italia": [1]}, rats, placed=True, supply=0)
    lay(position, "gallia", "start:r01", [0])
    lay(position, "italia", "start:r02", [0])
    first, final = "r02 (limit 1, Merchant, Knight)", "r01 (limit 1, Merchant, Monk)"
    assert told(position, 1, "plague italia").startswith(
        f"player_0 moves the plague to Italia. {first} is flipped: rat 1 in Italia. Nobody loses a cube. "
        "The final round begins: the supply has run out. The final ravage begins. "
        f"{final} is flipped: rat 1 in Gallia. Nobody loses a cube. The game is over: player_0 has won"
    )


# Whole games


@configurations
def test_whole_games_are_told_to_everybody(config):
    position = Position("rattus", config)
    stream = new_stream(position.game, 3)
    while not position.is_over:
        event = witness(position, position.sample(stream))
        sentences = {seat: event.seen_by(seat) for seat in points_of_view(config)}
        lost = Counter()
        for who, number in re.findall(r"player_(\d) loses (\d+) cube", " ".join(sentences[None])):
            lost[int(who)] += int(number)
        if event.notation.split()[0] not in ("place", "peasant"):
            assert all(lost[seat] == event.after.stock[seat] - event.before.stock[seat] for seat in range(4))
        assert len({len(each) for each in sentences.values()}) == 1, "all but faces is told to all"
        assert not re.search(r"\byour?\b", " ".join(sentences[None]), re.IGNORECASE)
    winner = position.winners()[0]
    result = f"won with {position.scores()[winner]} of 20 cubes."
    assert sentences[None][-1].startswith(f"The game is over: player_{winner} has {result}")
    assert sentences[winner][-1].startswith(f"The game is over: you have {result}")
