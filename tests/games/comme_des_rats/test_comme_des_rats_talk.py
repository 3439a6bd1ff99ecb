"""CR-40, CR-41: statements."""

import pytest
from comme_des_rats_helpers import give, lay_out_anyhow, marked, play, share, table, verb, view

FACES = ("key1", "key2", "steal", "claw", "heal")


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_cr40_each_other_seat_speaks_clockwise_from_the_active_players_left(players: int) -> None:
    position = table(players=players, talk=True)
    for active in (0, 1):
        play(position, "roll heal heal", "keep_dice")
        for speaker in range(active + 1, active + players):
            assert (position.actor, verb(position)) == (speaker % players, "say")
            position.apply("say nothing")
        assert (position.actor, verb(position)) == (active, "partner")
        position.apply(f"partner player_{(active + 1) % players}")


def test_cr40_what_can_be_said() -> None:
    position = table(players=4, talk=True)
    play(position, "roll key1 heal", "keep_dice")
    claws = ["say claw player_0", "say claw player_2", "say claw player_3"]
    assert position.legal() == sorted(["say nothing", "say peace", "say die key1", "say die heal", *claws])
    position.apply("say peace")
    assert "say claw player_1" in position.legal()
    assert "say claw player_2" not in position.legal()


def test_cr40_one_face_rolled_twice_is_one_statement() -> None:
    position = table(talk=True)
    play(position, "roll key1 key1", "keep_dice")
    claws = ["say claw player_0", "say claw player_2"]
    assert position.legal() == sorted(["say nothing", "say peace", "say die key1", *claws])


def test_cr40_the_third_rat_can_be_threatened_and_says_nothing() -> None:
    position = table(players=2, talk=True)
    play(position, "roll key1 heal", "keep_dice")
    assert "say claw third_rat" in position.legal()
    position.apply("say claw third_rat")
    assert (position.actor, verb(position)) == (0, "partner")


def test_cr40_after_the_final_roll() -> None:
    position = table(talk=True)
    play(position, "roll key1 claw", "reroll")
    assert verb(position) == "roll"
    position.apply("roll key2 heal")
    assert verb(position) == "say"
    dice = [text for text in position.legal() if text.startswith("say die")]
    assert dice == ["say die heal", "say die key2"]


def test_cr40_without_talk_nobody_speaks() -> None:
    position = table()
    share(position, "key1 claw")
    assert verb(position) == "partner"


def test_cr40_statements_are_public() -> None:
    position = table(players=4, talk=True)
    play(position, "roll key1 claw", "keep_dice", "say die claw", "say claw player_3", "say peace")
    position.apply("partner player_2")
    for seat in range(4):
        statements = view(position, seat).statements
        assert marked(statements[(0 - seat) % 4]) == []
        assert marked(statements[(1 - seat) % 4]) == [2 + FACES.index("claw")]
        assert marked(statements[(2 - seat) % 4]) == [2 + len(FACES) + (3 - seat) % 4]
        assert marked(statements[(3 - seat) % 4]) == [1]


def test_cr40_a_statement_on_the_third_rat_is_seen() -> None:
    position = table(players=2, talk=True)
    play(position, "roll key1 claw", "keep_dice", "say claw third_rat")
    assert marked(view(position, 0).statements[1]) == [2 + len(FACES) + 5]
    assert marked(view(position, 1).statements[0]) == [2 + len(FACES) + 5]


def test_cr41_statements_bind_nobody() -> None:
    quiet, loud = table(players=4, talk=True), table(players=4, talk=True)
    play(quiet, "roll key1 claw", "keep_dice", *(3 * ["say nothing"]))
    play(loud, "roll key1 claw", "keep_dice", "say die key1", "say peace", "say claw player_1")
    for text in ("partner player_1", "die claw", "claw player_3", "pile 1"):
        assert loud.legal() == quiet.legal()
        play(quiet, text)
        play(loud, text)
    assert loud.state.bandages.tolist() == quiet.state.bandages.tolist() == [0, 0, 0, 1, 0]


@pytest.mark.parametrize("dice", ["key1 key1", "key1 heal", "heal heal", "steal steal"])
def test_cr41_statements_are_made_whatever_was_rolled(dice: str) -> None:
    position = table(talk=True)
    play(position, f"roll {dice}", "keep_dice")
    assert verb(position) == "say"


def test_cr41_statements_are_forgotten_when_the_turn_is_over() -> None:
    position = table(talk=True)
    play(position, "roll key1 heal", "keep_dice", "say peace", "say claw player_0", "partner player_1", "die heal")
    assert view(position, 0).statements.sum() == 2  # still there while the dice are resolved
    position.apply("pile 1")
    assert all(view(position, seat).statements.sum() == 0 for seat in range(3))
    play(position, "roll heal heal", "keep_dice")
    assert verb(position) == "say"  # in the next turn anew


def test_cr41_also_when_the_round_is_over() -> None:
    position = table(talk=True)
    give(position, 0, "cheese1")
    position.state.drawn[:2] = 5
    play(position, "roll heal heal", "keep_dice", "say peace", "say peace", "partner player_1")
    assert verb(position) == "trap"
    assert all(view(position, seat).statements.sum() == 0 for seat in range(3))
    lay_out_anyhow(position)
    assert all(view(position, seat).statements.sum() == 0 for seat in range(3))
