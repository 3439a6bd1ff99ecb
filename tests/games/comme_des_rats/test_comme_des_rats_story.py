"""What each seat is told of a game of Comme des Rats, and what it is not told."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from comme_des_rats_helpers import give, lay_out_anyhow, play, share, start, stream, table

from rat_envs.engine.position import Position
from rat_envs.engine.story import moments, story, witness
from rat_envs.games.comme_des_rats import rules
from rat_envs.games.comme_des_rats.components import BANDAGE, CHEESE1, CLOVER, GO_ON, HYPNOTIST, LOSE, NONE, REDIRECT
from rat_envs.games.comme_des_rats.dice import go_on_once
from rat_envs.games.comme_des_rats.story import hidden_facts
from rat_envs.testing import story_test

VARIANTS = [
    {"players": 3},
    {"players": 2, "roles": True, "talk": True},
    {"players": 3, "roles": True, "doors": [8, 2, 2, 3], "die": [1, 1, 2, 2, 0]},
    {"players": 2, "roles": True, "doors": [3, 0, 0, 12], "die": [1, 1, 1, 3, 0], "extra_rounds": 3},
    {"players": 5, "roles": True, "talk": True, "extra_rounds": 1},
]
variants = pytest.mark.parametrize("config", VARIANTS, ids=str)


def told(position: Position, seat: int | None, *steps: str) -> str:
    """What a seat is told of these steps; the position is left as it is."""
    position = position.copy()
    return " ".join(story([witness(position, step) for step in steps], seat))


def told_others(position: Position, seat: int, *steps: str) -> str:
    """What all seats but one, and a spectator, are told in the same words."""
    others = [other for other in (*range(position.state.config.players), None) if other != seat]
    (words,) = {told(position, other, *steps) for other in others}
    return words


# Whole games


@variants
def test_cr75_the_story_tells_nothing_hidden(config):
    assert story_test("comme_des_rats", config, nodes=200) > 100


@variants
def test_cr23_the_story_of_a_whole_game_tells_all_points_and_the_result(config):
    position, random, told_points, sentences = start(**config), stream(11), Counter(), []
    while not position.is_over:
        event = witness(position, position.sample(random))
        assert moments(event, rules.take, go_on_once, GO_ON)[-1].tobytes() == event.after.tobytes()
        for seat in range(config["players"]):
            assert all(sentence.isascii() and sentence.endswith(".") for sentence in event.seen_by(seat))
        sentences = event.seen_by(None)
        assert not re.search(r"\byour?\b", " ".join(sentences), re.IGNORECASE)
        for sentence in sentences:
            if sentence.startswith("The round is over"):
                told_points.update({rat: int(number) for rat, number in re.findall(r"(\w+) got (\d+)", sentence)})
    points = dict(zip(("player_0", "player_1", "player_2", "player_3", "player_4"), position.state.points, strict=True))
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
            steps = position.chances() if position.state.phase == LOSE else position.legal()
            kept += sum(check_kept_back(position, step) for step in steps)
            position.apply(position.sample(random))
    assert kept > 0


def check_kept_back(position: Position, step: str) -> bool:
    """Whether a step opens a window for another seat; not used, it is told as if there had been none."""
    row, after, without = position.state, position.copy(), position.copy()
    witnessed = [witness(after, step)]
    owner = after.actor
    observer = (owner + 1) % row.config.players
    if row.phase in KEEP_BACK or after.state.phase not in KEEP_BACK or row.sure[observer, owner, CLOVER]:
        return False
    while after.state.phase in KEEP_BACK and after.actor == owner:
        witnessed.append(witness(after, KEEP_BACK[int(after.state.phase)]))
    without.state.stock[owner, CHEESE1] += without.state.stock[owner, CLOVER]
    without.state.stock[owner, CLOVER] = 0
    if row.role[owner] == HYPNOTIST:
        without.state.role[owner] = NONE
    as_if = witness(without, step)
    if after.state.phase in KEEP_BACK or without.state.phase in KEEP_BACK:  # another seat's, or a clover just drawn
        return False
    if re.search("is over|is out", " ".join(as_if.seen_by(None))):  # stocks are laid open
        return False
    for seat in (observer, None):
        assert story(witnessed, seat) == as_if.seen_by(seat)
    return True


def test_cr06_to_cr08_roll_partner_and_dice_are_told_to_all():
    steps = ("roll key1 key2", "reroll", "roll steal claw", "partner player_1", "die claw")
    assert told(table(), 0, *steps) == (
        "You rolled one key and two keys. You rolled again: theft and claw. You chose player_1 as partner. "
        "player_1 kept claw, you got theft."
    )
    assert told(table(), 1, *steps).endswith("player_0 chose you as partner. You kept claw, player_0 got theft.")


def test_cr13_cr18_cr73_a_stored_card_is_told_to_its_drawer_alone_and_a_trap_to_all():
    position = table("trap clover cheese1 cheese1 cheese1")
    share(position, "key2 heal", "player_1", "key2")
    trap = "drew a trap from pile 1."
    assert told(position, 1, "pile 1") == f"You {trap} You got a bandage. You drew a clover from pile 1."
    others = f"player_1 {trap} player_1 got a bandage. player_1 drew a card from pile 1."
    assert told_others(position, 1, "pile 1") == others


def test_cr14_cr73_a_stolen_card_is_told_to_thief_and_robbed_alone():
    position = table()
    give(position, 1, "cheese2 clover")
    share(position, "steal claw", "player_2", "steal")
    steps = ("rob player_1", "lose clover")
    assert told(position, 2, *steps) == "You robbed player_1. You got a clover."
    assert told(position, 1, *steps) == "player_2 robbed you. You lost a clover."
    assert told(position, 0, *steps) == told(position, None, *steps) == "player_2 robbed player_1."


def test_cr15_cr19_cats_and_clovers_are_told_to_all():
    position = table()
    give(position, 1, "clover")
    share(position, "claw heal", "player_2", "claw")
    used = "discarded a clover instead of getting a bandage."
    assert told(position, 1, "claw player_1", "clover") == f"player_2 sent the cat at you. You {used}"
    assert told(position, None, "claw player_1", "clover") == f"player_2 sent the cat at player_1. player_1 {used}"


def test_cr17_healing_is_told_to_all():
    position = table()
    position.state.bandages[:2] = 1
    words = told(position, 0, "roll heal heal", "keep_dice", "partner player_1")
    assert words.endswith("player_1 gave back a bandage. You gave back a bandage.")


def test_cr20_cr23_lost_stocks_and_the_stocks_at_the_end_of_a_round_are_told_to_all():
    position = table()
    position.state.bandages[1] = 2
    for rat, cards in enumerate(("cheese1", "cheese2 cheese2 clover", "trap")):
        give(position, rat, cards)
    share(position, "claw heal", "player_2", "claw")
    play(position, "claw player_1")
    assert told(position, 1, "bandage") == (
        "You got a bandage. You are out of the round and lost 2 cards of 2 cheese and a clover. "
        "player_0 showed 1 cheese. player_2 showed a trap. The round is over: player_0 got 1 point. Round 2 begins."
    )
    assert "player_1 is out of the round and lost 2 cards of 2 cheese and a clover." in told(position, None, "bandage")


def test_cr21_cr73_what_a_thief_who_is_out_takes_is_told_to_all():
    position = table()
    give(position, 1, "cheese2 cheese1")
    position.state.bandages[0] = 2
    share(position, "steal claw", "player_2", "claw")
    play(position, "claw player_0", "rob player_1")
    assert told(position, 1, "lose cheese2").startswith("2 cheese was stolen from you and discarded.")
    assert told(position, None, "lose cheese2").startswith("2 cheese was stolen from player_1 and discarded.")


@pytest.mark.parametrize(
    ("points", "extra_rounds", "last"),
    [
        ((9, 0, 0), 0, "The game is over: you have won."),
        ((9, 9, 0), 0, "The game is over: you and player_1 share the win."),
        ((9, 9, 0), 1, "A further round begins, to break the tie."),
    ],
)
def test_cr24_cr31_cr32_who_has_won_or_that_a_tie_is_to_be_broken_is_told(points, extra_rounds, last):
    position = table(extra_rounds=extra_rounds)
    position.state.points[:3] = points
    position.state.drawn[:2] = 5
    end = f"The round is over: you got 2 points, player_1 got 2 points and player_2 got 2 points. {last}"
    assert told(position, 0, "roll heal heal", "keep_dice", "partner player_1").endswith(end)


def test_cr31_what_has_broken_a_tie_is_told():
    position = table()
    position.state.points[:3] = 9, 9, 0
    position.state.stock[1, 0] += 1  # a trap: no points, but a card
    position.state.drawn[:2] = 5
    end = "The game is over: player_1 has won. Of those tied it stored most cards in the last round."
    assert told(position, 0, "roll heal heal", "keep_dice", "partner player_1").endswith(end)


@pytest.mark.parametrize(
    ("points", "last"),
    [
        ((9, 0, 9), "The game is over: you have won."),
        ((9, 9, 9), "The game is over: you and player_1 share the win."),
        ((0, 0, 9), "The game is over: the third rat has won."),
    ],
)
def test_cr81_a_seat_that_ties_with_the_third_rat_is_told_to_have_won(points, last):
    position = table(players=2)
    position.state.third_rat_shown[:] = 1
    position.state.points[:3] = points
    position.state.drawn[:2] = 5
    assert told(position, 0, "roll heal heal", "keep_dice").endswith(last)


def test_cr67_the_third_rat_is_named_among_the_hidden_facts():
    facts = hidden_facts(table(players=2).state)
    assert "clover in the stock of player_1" in facts and "clover in the stock of the third rat" in facts
    assert not any("player_2" in fact for fact in facts)


def test_cr40_statements_are_told_to_all():
    position = table(talk=True)
    play(position, "roll key1 claw", "keep_dice")
    steps = ("say claw player_2", "say peace")
    assert told(position, 2, *steps) == "player_1 said: I would claw you. You said: I would not claw player_0."
    assert told(position, 0, *steps).endswith("player_2 said: I would not claw you.")
    assert told_others(position, 1, "say nothing") == "player_1 said nothing."


def test_cr50_cr51_a_role_is_told_to_its_seat_alone_and_the_manipulators_to_all():
    position = start(players=3, roles=True)
    lay_out_anyhow(position)
    steps = ("role fool", "role manipulator", "role al_ratone")
    assert told(position, 0, *steps) == "You are the Fool. player_1 showed the Manipulator."
    assert told(position, 1, *steps) == "You are the Manipulator. You showed the Manipulator."
    assert told(position, None, *steps) == "player_1 showed the Manipulator."


def test_cr51_cr71_cr73_the_manipulator_alone_is_told_what_lies_in_his_piles():
    position = table("cheese1 clover trap cheese1 cheese2", roles="manipulator al_ratone fool")
    steps = ("look 2", "look 1", *["place cheese1"] * 4, "place trap", "place cheese1", "place clover", "place cheese2")
    public = "player_0 looked through pile 2. player_0 looked through pile 1."
    assert told_others(position, 0, *steps) == public
    assert told(position, 0, *steps) == (
        "You looked through pile 2: 1 cheese, 1 cheese, 1 cheese, 1 cheese, trap. "
        "You looked through pile 1: 1 cheese, clover, trap, 1 cheese, 2 cheese. "
        "You put pile 2 in order: 1 cheese, 1 cheese, 1 cheese, 1 cheese, trap. "
        "You put pile 1 in order: trap, 1 cheese, clover, 2 cheese, 1 cheese."
    )
    play(position, *steps, "roll key1 heal", "keep_dice", "no_claim", "partner player_2", "die key1")
    assert told(position, 0, "pile 2") == "player_2 drew 1 cheese from pile 2."
    assert told(position, 1, "pile 2") == told(position, None, "pile 2") == "player_2 drew a card from pile 2."
    assert told(position, 0, "pile 3") == "player_2 drew a card from pile 3."


def test_cr52_cr76_al_ratone_is_told_to_all_if_he_claims_and_else_to_nobody():
    position = table(roles="hypnotist al_ratone fool")
    play(position, "roll claw heal", "keep_dice")
    assert told(position, 1, "claim") == "You showed Al Ratone and became partner."
    assert told_others(position, 1, "claim") == "player_1 showed Al Ratone and became partner."
    assert told(position, 1, "no_claim") == told_others(position, 1, "no_claim") == ""


def test_cr53_cr76_the_hypnotist_is_told_to_all_if_he_sends_the_cat_on_and_else_to_nobody():
    position = table(roles="alchemist hypnotist fool")
    share(position, "claw heal", "player_2", "claw")
    play(position, "claw player_1")
    sent = "player_1 showed the Hypnotist and sent the cat at player_2. player_2 got a bandage."
    assert told(position, 0, "redirect player_2") == told(position, None, "redirect player_2") == sent
    assert told_others(position, 1, "no_redirect") == "player_1 got a bandage."


def test_cr54_a_trap_that_the_fool_stores_is_told_to_him_alone_and_all_that_comes_of_it_to_all():
    position = table("trap cheese1 cheese1 cheese1 cheese1", roles="alchemist fool hypnotist")
    share(position, "key1 steal", "player_1", "key1")
    assert told(position, 1, "pile 1") == "You drew a trap from pile 1."
    assert told_others(position, 1, "pile 1") == "player_1 drew a card from pile 1."
    play(position, "pile 1")
    give(position, 1, "trap trap cheese1")
    play(position, "rob player_1")
    assert (
        told(position, 2, "lose trap")
        == told(position, None, "lose trap")
        == (
            "A trap was stolen from player_1 and discarded. player_0 got a bandage. "
            "player_1 showed the Fool and discarded a trap. player_1 got a bandage."
        )
    )
    assert told(position, 2, "lose cheese1") == told(position, None, "lose cheese1") == ""


def test_cr61_to_cr64_the_third_rat_is_told_to_all():
    position = table("clover cheese1 cheese1 cheese1 trap", players=2)
    play(position, "roll key1 claw", "keep_dice", "partner third_rat")
    kept = "The third rat kept one key, player_0 got claw. The third rat drew a clover from pile 1."
    assert told(position, 1, "reveal tr2", "pile 1") == f"The third rat showed tr2: you decide. {kept}"
    claw = "The third rat showed tr3: player_0 decides. The third rat kept claw, player_0 got one key."
    assert told(position, 1, "reveal tr3") == f"{claw} The third rat sent the cat at you. You got a bandage."
    position = table(players=2)
    position.state.third_rat_shown[:] = 1
    assert told(position, 1, "roll key1 claw", "keep_dice").endswith("You are partner.")


def test_cr67_cr73_what_the_third_rat_uses_loses_or_steals_is_told_to_all():
    position = table(players=2)
    give(position, 2, "clover")
    share(position, "steal claw", "player_1", "claw")
    used = "The third rat discarded a clover instead of getting a bandage."
    assert told(position, 0, "claw third_rat").endswith(used)
    play(position, "claw player_0")
    assert told(position, 1, "rob third_rat", "lose clover") == "player_0 robbed the third rat. player_0 got a clover."
    position = table(players=2)
    give(position, 1, "clover")
    play(position, "roll steal heal", "keep_dice", "partner third_rat", "reveal tr1", "rob player_1")
    assert told(position, 0, "lose clover") == told(position, None, "lose clover") == "The third rat got a clover."
