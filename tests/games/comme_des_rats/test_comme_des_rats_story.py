"""What each seat is told of a game of Comme des Rats, and what it is not told."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from comme_des_rats_helpers import give, lay_out_anyhow, play, share, start, stream, table

from rat_envs.engine.position import Position
from rat_envs.engine.story import story, witness
from rat_envs.games.comme_des_rats.components import BANDAGE, CHEESE1, CLOVER, HYPNOTIST, LOSE, NONE, REDIRECT
from rat_envs.games.comme_des_rats.story import moments
from rat_envs.testing import story_test

VARIANTS = [
    {"players": 3},
    {"players": 2, "roles": True, "talk": True},
    {"players": 3, "roles": True, "doors": [8, 2, 2, 3], "die": [1, 1, 2, 2, 0]},
    {"players": 2, "roles": True, "doors": [3, 0, 0, 12], "die": [1, 1, 1, 3, 0], "extra_rounds": 3},
    {"players": 5, "roles": True, "talk": True, "extra_rounds": 1},
]
variants = pytest.mark.parametrize("config", VARIANTS, ids=str)


def told(position: Position, seat: int | None, *steps: str) -> list[str]:
    """What a seat is told of these steps; the position is left as it is."""
    position = position.copy()
    return story([witness(position, step) for step in steps], seat)


# Whole games


@variants
def test_cr75_the_story_tells_nothing_hidden(config):
    assert story_test("comme_des_rats", config, nodes=200) > 100


@variants
def test_cr23_the_story_of_a_whole_game_tells_all_points_and_the_result(config):
    position, random, told_points, sentences = start(**config), stream(11), Counter(), []
    while not position.is_over:
        event = witness(position, position.sample(random))
        assert moments(event)[-1].tobytes() == event.after.tobytes()
        for seat in range(config["players"]):
            assert all(sentence.isascii() and sentence.endswith(".") for sentence in event.seen_by(seat))
        sentences = event.seen_by(None)
        assert not re.search(r"\byour?\b", " ".join(sentences), re.IGNORECASE)
        for sentence in sentences:
            if sentence.startswith("The round is over"):
                told_points.update({rat: int(number) for rat, number in re.findall(r"(\w+) got (\d+)", sentence)})
    points = dict(zip(("player_0", "player_1", "player_2", "player_3", "player_4"), position.row.points, strict=True))
    if config["players"] == 2:
        points["rat"] = points.pop("player_2")
    assert told_points == Counter(points)
    assert sentences[-1].startswith("The game is over: ")


# CR-76: what is not used leaves no trace

KEEP_BACK = {BANDAGE: "bandage", REDIRECT: "no_redirect"}


@variants
def test_cr76_a_clover_or_the_hypnotist_kept_back_is_told_as_if_there_were_none(config):
    kept = 0
    for seed in range(2):
        position, random = start(**config), stream(seed)
        while not position.is_over:
            steps = position.chances() if position.row.phase == LOSE else position.legal()
            kept += sum(check_kept_back(position, step) for step in steps)
            position.apply(position.sample(random))
    assert kept > 0


def check_kept_back(position: Position, step: str) -> bool:
    """Whether a step opens a window for another seat; not used, it is told as if there had been none."""
    row, after, without = position.row, position.copy(), position.copy()
    witnessed = [witness(after, step)]
    owner = after.actor
    observer = (owner + 1) % row.config.players
    if row.phase in KEEP_BACK or after.row.phase not in KEEP_BACK or row.sure[observer, owner, CLOVER]:
        return False
    while after.row.phase in KEEP_BACK and after.actor == owner:
        witnessed.append(witness(after, KEEP_BACK[int(after.row.phase)]))
    without.row.stock[owner, CHEESE1] += without.row.stock[owner, CLOVER]
    without.row.stock[owner, CLOVER] = 0
    if row.role[owner] == HYPNOTIST:
        without.row.role[owner] = NONE
    as_if = witness(without, step)
    if after.row.phase in KEEP_BACK or without.row.phase in KEEP_BACK:  # another seat's, or a clover just drawn
        return False
    if re.search("is over|is out", " ".join(as_if.seen_by(None))):  # stocks are laid open
        return False
    for seat in (observer, None):
        assert story(witnessed, seat) == as_if.seen_by(seat)
    return True


def test_cr76_al_ratone_who_does_not_claim_leaves_no_trace():
    position = table(players=3, roles="hypnotist al_ratone fool")
    play(position, "roll key1 claw", "keep_dice")
    for seat in (0, 1, 2, None):
        assert told(position, seat, "no_claim") == []


def test_cr06_cr07_cr08_roll_partner_and_dice_are_told_to_all():
    steps = ("roll key1 key2", "reroll", "roll steal claw", "partner player_1", "die claw")
    assert told(table(), 0, *steps) == [
        "You rolled one key and two keys.",
        "You rolled again: theft and claw.",
        "You chose player_1 as partner.",
        "player_1 kept claw, you got theft.",
    ]
    assert told(table(), 1, *steps)[2:] == ["player_0 chose you as partner.", "You kept claw, player_0 got theft."]


def test_cr17_healing_is_told_to_all():
    position = table()
    position.row.bandages[:2] = 1
    healed = told(position, 0, "roll heal heal", "keep_dice", "partner player_1")[-3:]
    assert healed[0] == "player_1 kept healing, you got healing."
    assert healed[1:] == ["player_1 gave back a bandage.", "You gave back a bandage."]


def test_cr40_statements_are_told_to_all():
    steps = ("roll key1 claw", "keep_dice", "say claw player_2", "say peace")
    assert told(table(talk=True), 2, *steps)[1:] == [
        "player_1 said: I would claw you.",
        "You said: I would not claw player_0.",
    ]
    assert told(table(talk=True), 0, *steps)[-1] == "player_2 said: I would not claw you."
    assert told(table(talk=True), None, *steps[:2], "say nothing")[1:] == ["player_1 said nothing."]


def test_cr13_cr18_cr73_a_stored_card_is_told_to_its_drawer_alone_and_a_trap_to_all():
    position = table("trap clover cheese1 cheese1 cheese1", "cheese2 cheese1 cheese1 cheese1 trap")
    share(position, "key1 key2", "player_1", "key2")
    assert told(position, 1, "pile 1") == [
        "You drew a trap from pile 1.",
        "You got a bandage.",
        "You drew a clover from pile 1.",
    ]
    for seat in (0, 2, None):
        assert told(position, seat, "pile 1")[::2] == [
            "player_1 drew a trap from pile 1.",
            "player_1 drew a card from pile 1.",
        ]
    play(position, "pile 1")
    assert told(position, 0, "pile 2") == ["You drew 2 cheese from pile 2."]
    assert told(position, 1, "pile 2") == ["player_0 drew a card from pile 2."]


def test_cr14_cr73_a_stolen_card_is_told_to_thief_and_robbed_alone():
    position = table()
    give(position, 1, "cheese2 clover")
    share(position, "steal claw", "player_2", "steal")
    assert told(position, 2, "rob player_1", "lose clover") == ["You robbed player_1.", "You got a clover."]
    assert told(position, 1, "rob player_1", "lose clover") == ["player_2 robbed you.", "You lost a clover."]
    for seat in (0, None):
        assert told(position, seat, "rob player_1", "lose clover") == ["player_2 robbed player_1."]


def test_cr73_what_a_thief_who_is_out_takes_is_told_to_all():
    position = table()
    give(position, 1, "cheese2 cheese2 cheese1")
    position.row.bandages[0] = 2
    share(position, "steal claw", "player_2", "claw")
    play(position, "claw player_0", "rob player_1")
    assert told(position, 1, "lose cheese2")[0] == "2 cheese was stolen from you and discarded."
    assert told(position, None, "lose cheese2")[0] == "2 cheese was stolen from player_1 and discarded."


def test_cr15_cr19_a_cat_and_a_clover_used_are_told_to_all():
    position = table()
    give(position, 1, "clover")
    share(position, "claw heal", "player_2", "claw")
    used = ["player_2 sent the cat at you.", "You discarded a clover instead of getting a bandage."]
    assert told(position, 1, "claw player_1", "clover") == used
    for seat in (0, None):
        hurt = ["player_2 sent the cat at player_1.", "player_1 got a bandage."]
        assert told(position, seat, "claw player_1", "bandage") == hurt


def test_cr20_cr23_a_lost_stock_and_all_stocks_at_the_end_of_a_round_are_told_to_all():
    position = table()
    position.row.bandages[1] = 2
    for rat, cards in enumerate(("cheese1", "cheese2 cheese2 clover", "trap")):
        give(position, rat, cards)
    share(position, "claw heal", "player_2", "claw")
    play(position, "claw player_1")
    assert told(position, 1, "bandage") == [
        "You got a bandage.",
        "You are out of the round and lost 2 cards of 2 cheese and a clover.",
        "player_0 showed 1 cheese.",
        "player_2 showed a trap.",
        "The round is over: player_0 got 1 point.",
        "Round 2 begins.",
    ]
    assert told(position, None, "bandage")[1].startswith("player_1 is out of the round and lost 2 cards of 2 cheese")


@pytest.mark.parametrize(
    ("points", "extra_rounds", "last"),
    [
        ((9, 0, 0), 0, "The game is over: {0} won."),
        ((9, 9, 0), 0, "The game is over: {1} and player_1 share the win."),
        ((9, 9, 0), 1, "A further round begins, to break the tie."),
    ],
)
def test_cr31_cr32_who_has_won_or_that_a_tie_is_to_be_broken_is_told(points, extra_rounds, last):
    position = table(extra_rounds=extra_rounds)
    position.row.points[:3] = points
    position.row.drawn[:2] = 5
    steps = ("roll heal heal", "keep_dice", "partner player_1")
    assert told(position, 0, *steps)[-1] == last.format("you have", "you")
    assert told(position, None, *steps)[-1] == last.format("player_0 has", "player_0")


def test_cr50_cr51_roles_are_told_to_their_seats_alone_and_the_manipulators_to_all():
    position = start(players=3, roles=True)
    lay_out_anyhow(position)
    steps = ("role fool", "role manipulator", "role al_ratone")
    assert told(position, 0, *steps) == ["You are the Fool.", "player_1 showed the Manipulator."]
    assert told(position, 1, *steps) == ["You are the Manipulator.", "You showed the Manipulator."]
    assert told(position, None, *steps) == ["player_1 showed the Manipulator."]


def test_cr51_cr71_only_the_manipulator_is_told_what_lies_in_the_piles_he_orders():
    position = table("cheese1 clover trap cheese1 cheese2", players=3, roles="manipulator al_ratone fool")
    steps = ("look 2", "look 1", *["place cheese1"] * 4, "place trap", "place cheese1", "place clover", "place cheese2")
    public = ["player_0 looked through pile 2.", "player_0 looked through pile 1."]
    for seat in (1, 2, None):
        assert told(position, seat, *steps) == public
    assert told(position, 0, *steps) == [
        "You looked through pile 2: 1 cheese, 1 cheese, 1 cheese, 1 cheese, trap.",
        "You looked through pile 1: 1 cheese, clover, trap, 1 cheese, 2 cheese.",
        "You put pile 2 in order: 1 cheese, 1 cheese, 1 cheese, 1 cheese, trap.",
        "You put pile 1 in order: trap, 1 cheese, clover, 2 cheese, 1 cheese.",
    ]


def test_cr73_the_manipulator_is_told_what_is_stored_from_his_piles_and_from_no_other():
    position = table(players=3, roles="manipulator hypnotist fool")
    play(position, "look 1", "look 2", *["place cheese1"] * 8)
    share(position, "key1 heal", "player_1", "key1")
    assert told(position, 0, "pile 1") == ["player_1 drew 1 cheese from pile 1."]
    assert told(position, 2, "pile 1") == ["player_1 drew a card from pile 1."]
    assert told(position, 0, "pile 3") == ["player_1 drew a card from pile 3."]


def test_cr52_al_ratone_is_told_to_all_when_he_claims():
    position = table(players=3, roles="hypnotist al_ratone fool")
    play(position, "roll heal heal", "keep_dice")
    assert told(position, 1, "claim")[0] == "You showed Al Ratone and became partner."
    shares = "player_1 kept healing, player_0 got healing."
    assert told(position, 2, "claim") == ["player_1 showed Al Ratone and became partner.", shares]


def test_cr53_the_hypnotist_is_told_to_all_when_he_sends_the_cat_on():
    position = table(players=3, roles="alchemist hypnotist fool")
    share(position, "claw heal", "player_2", "claw")
    assert told(position, 0, "claw player_1", "redirect player_2") == [
        "player_2 sent the cat at player_1.",
        "player_1 showed the Hypnotist and sent the cat at player_2.",
        "player_2 got a bandage.",
    ]
    for seat in (0, 2, None):
        assert told(position, seat, "claw player_1", "no_redirect")[1:] == ["player_1 got a bandage."]


def test_cr54_a_trap_that_the_fool_stores_is_told_to_him_alone():
    position = table("trap cheese1 cheese1 cheese1 cheese1", players=3, roles="alchemist fool hypnotist")
    share(position, "key1 heal", "player_1", "key1")
    assert told(position, 1, "pile 1") == ["You drew a trap from pile 1."]
    for seat in (0, 2, None):
        assert told(position, seat, "pile 1") == ["player_1 drew a card from pile 1."]


def test_cr54_a_stolen_trap_and_all_that_comes_of_it_is_told_in_order():
    position = table(players=3, roles="alchemist fool hypnotist")
    give(position, 1, "trap trap cheese1")
    share(position, "steal claw", "player_2", "steal")
    play(position, "rob player_1")
    assert told(position, 0, "lose trap") == [
        "A trap was stolen from player_1 and discarded.",
        "player_2 got a bandage.",
        "player_1 showed the Fool and discarded a trap.",
        "player_1 got a bandage.",
    ]
    assert told(position, 1, "lose trap")[2] == "You showed the Fool and discarded a trap."
    assert told(position, 0, "lose cheese1") == []


def test_cr61_a_partner_without_a_choice_is_told():
    position = table(players=2)
    position.row.third_rat_shown[:] = 1
    assert told(position, 1, "roll key1 claw", "keep_dice")[1:] == ["You are partner."]
    assert told(position, 0, "roll key1 claw", "keep_dice")[1:] == ["player_1 is partner."]


def test_cr62_cr63_cr73_the_third_rat_and_what_it_draws_are_told_to_all():
    position = table("clover cheese1 cheese1 cheese1 trap", players=2)
    play(position, "roll key1 heal", "keep_dice", "partner third_rat")
    assert told(position, 1, "reveal tr2", "pile 1") == [
        "The third rat showed tr2: you decide.",
        "The third rat kept one key, player_0 got healing.",
        "The third rat drew a clover from pile 1.",
    ]
    assert told(position, 0, "reveal tr2")[0] == "The third rat showed tr2: player_1 decides."


def test_cr64_the_cat_of_the_third_rat_is_told_to_all():
    position = table(players=2)
    play(position, "roll claw heal", "keep_dice", "partner third_rat")
    assert told(position, 1, "reveal tr3")[2:] == ["The third rat sent the cat at you.", "You got a bandage."]
    assert told(position, 0, "reveal tr3")[2:] == ["The third rat sent the cat at player_1.", "player_1 got a bandage."]


def test_cr67_the_third_rats_clover_is_told_to_all():
    position = table(players=2)
    give(position, 2, "clover")
    share(position, "claw heal", "player_1", "claw")
    used = "The third rat discarded a clover instead of getting a bandage."
    for seat in (0, 1, None):
        assert told(position, seat, "claw third_rat")[1:] == [used]


def test_cr73_what_is_stolen_from_or_by_the_third_rat_is_told_to_all():
    position = table(players=2)
    give(position, 2, "cheese2")
    share(position, "steal heal", "player_1", "steal")
    play(position, "rob third_rat")
    assert told(position, 0, "lose cheese2") == ["player_1 got 2 cheese."]
    position = table(players=2)
    give(position, 1, "clover")
    play(position, "roll steal heal", "keep_dice", "partner third_rat", "reveal tr1", "rob player_1")
    assert told(position, 0, "lose clover") == ["The third rat got a clover."]
    assert told(position, 1, "lose clover") == ["You lost a clover."]
