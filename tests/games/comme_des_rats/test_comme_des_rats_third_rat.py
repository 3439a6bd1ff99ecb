"""CR-60 to CR-68: two players and the third rat."""

import itertools

import pytest
from comme_des_rats_helpers import (
    THIRD,
    bandages,
    discard,
    end_round,
    faces,
    give,
    lay_out_anyhow,
    names,
    out,
    pass_turn,
    pile_sizes,
    play,
    points,
    set_last_round,
    share,
    stock,
    table,
    third_rat_cards,
    verb,
    view,
)

from rat_envs.engine.position import Position

ALL_TRAPS = "trap trap trap trap trap"
CARDS = ["tr1", "tr2", "tr3", "tr4", "tr5", "tr6"]
FACES = ("key1", "key2", "steal", "claw", "heal")

#: The specification's table: faces in order of preference, then who decides.
RANKS = {
    "tr1": "key2 key1 steal claw heal active",
    "tr2": "key1 steal key2 claw heal opponent",
    "tr3": "steal claw key2 key1 heal active",
    "tr4": "claw key2 steal heal key1 opponent",
    "tr5": "key2 claw heal key1 steal opponent",
    "tr6": "heal key1 claw steal key2 active",
}
both_deciders = pytest.mark.parametrize(
    ("card", "decider"), [("active", 0), ("opponent", 1)], ids=["active", "opponent"]
)


def two(*piles: str, **config: object) -> Position:
    """A game for two."""
    return table(*piles, players=2, **config)


def deciding(who: str) -> Position:
    """A game in which the third rat keeps a claw, then a theft, then a key; ``who`` decides."""
    return two(third_rat=6 * [f"claw steal key1 key2 heal {who}"])


# The third rat takes part


def test_cr60_three_piles_and_two_active_seats() -> None:
    position = two()
    assert pile_sizes(position) == [5, 5, 5]
    for number, active in enumerate((0, 1, 0, 1), 1):
        play(position, "roll heal heal")
        assert position.actor == active  # never the third rat
        play(position, "keep_dice", "partner third_rat", f"reveal tr{number}")


def test_cr60_its_cards_are_shuffled_at_the_start_of_each_round() -> None:
    position = two()
    share(position, "heal heal", "third_rat")
    assert position.chances() == {f"reveal {card}": 1 for card in CARDS}
    position.apply("reveal tr3")
    share(position, "heal heal", "third_rat")
    assert position.chances() == {f"reveal {card}": 1 for card in CARDS if card != "tr3"}
    position.apply("reveal tr1")
    end_round(position, ["cheese1", "", ""])
    lay_out_anyhow(position)
    share(position, "heal heal", "third_rat")
    assert position.chances() == {f"reveal {card}": 1 for card in CARDS}


def test_cr60_it_collects_points() -> None:
    position = two()
    end_round(position, ["cheese1", "", "cheese2 clover"])
    assert points(position) == [1, 0, 2]


def test_cr60_it_counts_for_cr24() -> None:
    position = two()
    end_round(position, ["", "clover", ""])
    assert points(position) == [2, 2, 2]
    lay_out_anyhow(position)
    end_round(position, ["", "", "cheese1"])
    assert points(position) == [2, 2, 3]  # its point is a point


def test_cr60_seven_points_of_its_end_the_game() -> None:
    position = two()
    end_round(position, ["cheese1", "", "cheese2 cheese2 cheese2 cheese1"])
    assert position.is_over


def test_cr60_that_it_is_out_ends_the_round() -> None:
    position = two()
    position.state.bandages[THIRD] = 2
    share(position, "claw heal", "player_1", "claw")
    position.apply("claw third_rat")
    assert verb(position) == "trap"
    assert points(position) == [2, 2, 0]


# As partner


def test_cr61_it_may_be_partner_while_a_card_is_unshown() -> None:
    position = two()
    for number in range(6):
        play(position, "roll heal heal", "keep_dice")
        assert position.legal() == [f"partner player_{1 - number % 2}", "partner third_rat"]
        play(position, "partner third_rat", f"reveal tr{number + 1}")
    play(position, "roll key1 claw", "keep_dice")
    assert (position.actor, position.legal()) == (1, ["die claw", "die key1"])  # no choice: the opponent


def test_cr61_in_the_next_round_it_may_be_again() -> None:
    position = two()
    position.state.third_rat_shown[:] = 1
    position.state.drawn[:2] = 5
    share(position, "heal heal")
    lay_out_anyhow(position)
    share(position, "heal heal")
    assert position.legal() == ["partner player_0", "partner third_rat"]


@pytest.mark.parametrize("card", CARDS)
def test_cr62_it_keeps_the_die_that_its_card_ranks_first(card: str) -> None:
    ranking = RANKS[card].split()[:5]
    for first, second in itertools.combinations(FACES, 2):
        position = two()
        for rat in range(3):
            give(position, rat, "cheese1")
        share(position, f"{first} {second}", "third_rat")
        position.apply(f"reveal {card}")
        if verb(position) == "roll":
            continue  # nothing can be seen of dice that are done
        kept, given_back = sorted((first, second), key=ranking.index)
        assert faces(view(position, 0).partners_die) == kept
        assert faces(view(position, 0).active_die) == given_back


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("other", ["key1", "key2", "steal", "claw"])
def test_cr62_with_two_bandages_it_keeps_healing(card: str, other: str) -> None:
    position = two()
    position.state.bandages[THIRD] = 2
    give(position, 1, "cheese1")
    share(position, f"{other} heal", "third_rat")
    position.apply(f"reveal {card}")
    assert bandages(position) == [0, 0, 1]
    assert position.actor == 0  # and the other die is the active player's
    assert verb(position) == {"key1": "pile", "key2": "pile", "steal": "rob", "claw": "claw"}[other]


def test_cr62_with_one_bandage_it_goes_by_the_card() -> None:
    position = two()
    position.state.bandages[:3] = (2, 2, 1)
    share(position, "key1 heal", "third_rat")
    play(position, "reveal tr2", "pile 1")
    assert bandages(position) == [1, 2, 1]  # the active player healed
    assert stock(position, THIRD) == "cheese1"


def test_cr62_with_two_bandages_and_no_healing_it_goes_by_the_card() -> None:
    position = two()
    position.state.bandages[THIRD] = 2
    share(position, "key1 claw", "third_rat")
    play(position, "reveal tr4")
    assert bandages(position) == [1, 0, 2]


def test_cr62_a_card_is_shown_when_both_dice_are_alike() -> None:
    position = two()
    share(position, "key1 key1", "third_rat")
    assert verb(position) == "reveal"
    position.apply("reveal tr6")
    assert third_rat_cards(view(position, 1).third_rat_card) == ["tr6"]
    play(position, "pile 1", "pile 2")
    assert (stock(position, THIRD), stock(position, 0)) == ("cheese1", "cheese1")


@both_deciders
@pytest.mark.parametrize("active", [0, 1])
def test_cr63_the_card_says_who_chooses_the_pile(card: str, decider: int, active: int) -> None:
    position = two("clover trap cheese1 cheese1 cheese1", third_rat=6 * [f"key1 key2 steal claw heal {card}"])
    if active == 1:
        pass_turn(position)
    share(position, "key1 heal", "third_rat")
    position.apply("reveal tr1")
    assert position.actor == (active if decider == 0 else 1 - active)
    assert position.legal() == ["pile 1", "pile 2", "pile 3"]
    position.apply("pile 1")
    assert [stock(position, rat) for rat in range(3)] == ["", "", "clover"]


def test_cr63_its_second_key_needs_no_second_choice() -> None:
    position = two("clover trap cheese1 cheese1 cheese1")
    share(position, "key2 heal", "third_rat")
    play(position, "reveal tr1", "pile 1")
    assert verb(position) == "roll"
    assert (stock(position, THIRD), bandages(position)) == ("", [0, 0, 0])  # the clover averted the trap


@pytest.mark.parametrize(("card", "decider"), [(card, RANKS[card].split()[-1]) for card in CARDS])
def test_cr63_the_deciders_of_the_six_cards(card: str, decider: str) -> None:
    position = two()
    share(position, "key1 key1", "third_rat")
    position.apply(f"reveal {card}")
    assert position.actor == (0 if decider == "active" else 1)


# What it does


@both_deciders
@pytest.mark.parametrize("active", [0, 1])
def test_cr64_its_cat_goes_to_the_deciders_opponent(card: str, decider: int, active: int) -> None:
    position = deciding(card)
    if active == 1:
        pass_turn(position)
    share(position, "claw key1", "third_rat")
    position.apply("reveal tr1")
    hurt = [0, 0, 0]
    hurt[1 - active if decider == 0 else active] = 1
    assert bandages(position) == hurt
    assert (position.actor, verb(position)) == (active, "pile")  # nothing was chosen


@both_deciders
def test_cr64_who_is_hit_may_use_a_clover_and_counts_as_visited(card: str, decider: int) -> None:
    position = deciding(card)
    hit = 1 - decider
    give(position, hit, "clover")
    share(position, "claw claw", "third_rat")
    position.apply("reveal tr1")
    assert (position.actor, position.legal()) == (hit, ["bandage", "clover"])
    position.apply("clover")
    targets = ["claw third_rat"] if hit == 1 else ["claw player_1", "claw third_rat"]
    assert (position.actor, position.legal()) == (0, targets)


@both_deciders
def test_cr65_the_decider_chooses_who_is_robbed_himself_included(card: str, decider: int) -> None:
    position = deciding(card)
    for rat in range(3):
        give(position, rat, "cheese1")
    share(position, "steal heal", "third_rat")
    position.apply("reveal tr1")
    assert (position.actor, position.legal()) == (decider, ["rob player_0", "rob player_1"])
    play(position, f"rob player_{decider}", "lose cheese1")
    assert stock(position, decider) == ""
    assert stock(position, THIRD) == "cheese1 cheese1"


@both_deciders
def test_cr65_only_who_has_stock(card: str, decider: int) -> None:
    for robbed in (0, 1):
        position = deciding(card)
        give(position, robbed, "clover cheese1")
        give(position, THIRD, "cheese2")
        share(position, "steal heal", "third_rat")
        position.apply("reveal tr1")
        assert (position.actor, position.legal()) == (decider, [f"rob player_{robbed}"])


def test_cr65_nothing_happens_when_neither_has_stock() -> None:
    position = deciding("active")
    give(position, THIRD, "cheese2")
    share(position, "steal heal", "third_rat")
    position.apply("reveal tr1")
    assert verb(position) == "roll"


@both_deciders
def test_cr66_it_heals_itself(card: str, decider: int) -> None:
    position = two(third_rat=6 * [f"heal claw steal key1 key2 {card}"])
    position.state.bandages[:3] = (1, 1, 1)
    share(position, "key1 heal", "third_rat")
    position.apply("reveal tr1")
    assert bandages(position) == [1, 1, 0]
    assert (position.actor, verb(position)) == (0, "pile")


def test_cr66_without_a_bandage_nothing_happens() -> None:
    position = two()
    share(position, "heal heal", "third_rat")
    position.apply("reveal tr6")
    assert bandages(position) == [0, 0, 0]


@pytest.mark.parametrize("seat", [0, 1])
def test_cr67_its_stock_lies_face_up(seat: int) -> None:
    position = two("cheese2 clover trap cheese1 cheese1")
    share(position, "key2 heal", "third_rat")
    play(position, "reveal tr1", "pile 1")
    assert names(view(position, seat).third_rat_stock) == "cheese2 clover"


def test_cr67_it_averts_the_cat_whenever_it_has_a_clover() -> None:
    position = two()
    give(position, THIRD, "clover cheese1")
    share(position, "claw key1", "player_1", "claw")
    position.apply("claw third_rat")
    assert (position.actor, verb(position)) == (0, "pile")
    assert (bandages(position), stock(position, THIRD), discard(position)) == ([0, 0, 0], "cheese1", "clover")


def test_cr67_it_averts_a_trap_with_each_clover_it_has() -> None:
    position = two("trap trap cheese1 cheese1 cheese1")
    give(position, THIRD, "clover clover")
    share(position, "key2 heal", "third_rat")
    play(position, "reveal tr1", "pile 1")
    assert (bandages(position), stock(position, THIRD), discard(position)) == ([0, 0, 0], "", "clover clover")
    assert position.state.traps_beside[0] == 2


def test_cr67_without_a_clover_it_is_hurt_and_put_out_like_anyone() -> None:
    position = two("trap cheese1 cheese1 cheese1 cheese1")
    set_last_round(position)
    position.state.bandages[THIRD] = 2
    give(position, THIRD, "cheese1 cheese2")
    share(position, "key2 steal", "third_rat")
    play(position, "reveal tr1", "pile 1")
    assert position.is_over
    assert out(position) == [THIRD]
    assert discard(position) == "cheese1 cheese2"


@pytest.mark.parametrize("thief", [0, 1])
def test_cr68_either_seat_can_rob_it(thief: int) -> None:
    position = two()
    give(position, THIRD, "cheese1 clover clover")
    share(position, "steal heal", "player_1", "steal" if thief == 1 else "heal")
    assert (position.actor, position.legal()) == (thief, ["rob third_rat"])
    position.apply("rob third_rat")
    assert position.chances() == {"lose cheese1": 1, "lose clover": 2}
    position.apply("lose clover")
    assert (stock(position, thief), stock(position, THIRD)) == ("clover", "cheese1 clover")
    assert names(view(position, 0).third_rat_stock) == "cheese1 clover"  # face up again


@pytest.mark.parametrize("attacker", [0, 1])
def test_cr68_either_seat_can_claw_it(attacker: int) -> None:
    position = two()
    share(position, "claw heal", "player_1", "claw" if attacker == 1 else "heal")
    assert (position.actor, position.legal()) == (attacker, [f"claw player_{1 - attacker}", "claw third_rat"])
    position.apply("claw third_rat")
    assert bandages(position) == [0, 0, 1]


def test_cr68_even_as_partner() -> None:
    position = two()
    give(position, THIRD, "cheese1")
    share(position, "steal heal", "third_rat")
    play(position, "reveal tr5")  # it keeps the healing die
    assert (position.actor, position.legal()) == (0, ["rob third_rat"])
