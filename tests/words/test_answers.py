"""Answers in words: forgiving where one choice is meant, and a sentence that says what is right where none is."""

from __future__ import annotations

import functools

import pytest
from games_and_configurations import PAIRS
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_envs.api.answers import parse
from rat_envs.engine.choices import Choice, Offer, offer
from rat_envs.engine.errors import AnswerError
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position, new_stream


@functools.cache
def asked() -> list[tuple[Offer, Game]]:
    """Offers of every game, of every kind of node that random play meets."""
    found: dict[tuple[str, str, int], tuple[Offer, Game]] = {}
    for game, config in PAIRS:
        position = Position(game, config)
        stream = new_stream(position.game, 2)
        while not position.is_over:
            if not position.is_chance:
                one = offer(position)
                found.setdefault((game, one.question[:20], min(len(one.choices), 4)), (one, position.game))
            position.apply(position.sample(stream))
    return list(found.values())


def brave_rats() -> tuple[Offer, Game]:
    position = Position("brave_rats")
    return offer(position), position.game


def refusal(answer: str, one: Offer, game: Game) -> AnswerError:
    with pytest.raises(AnswerError) as error:
        parse(answer, one, game)
    return error.value


REASONING = st.sampled_from(["", "I think.\n", "First I look.\n\nThen I choose:\n", "<think>\n[1]\n2\n</think>\n"])
DRESSED = st.sampled_from(
    ["{}", "[{}]", "**{}**", "`{}`", " {} ", "{}.", "({})", "Answer: {}", "My final choice is: **{}**", "> [ {} ]"]
)
CASE = st.sampled_from([str, str.upper, str.lower, str.title])


@settings(max_examples=400, deadline=None)
@given(data=st.data(), reasoning=REASONING, dressed=DRESSED, case=CASE)
def test_every_choice_is_understood_by_number_by_name_and_by_both(data, reasoning, dressed, case):
    one, game = data.draw(st.sampled_from(asked()))
    choice = data.draw(st.sampled_from(one.choices))
    named = data.draw(st.sampled_from([choice.key, choice.words, f"{choice.key}. {choice.words}"]))
    answer = reasoning + dressed.format(case(named))
    assert parse(answer, one, game) == choice, answer


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_every_choice_is_understood_by_its_notation(data):
    one, game = data.draw(st.sampled_from(asked()))
    choice = data.draw(st.sampled_from(one.choices))
    assert parse(game.actions[choice.action], one, game) == choice


@settings(max_examples=300, deadline=None)
@given(answer=st.text(max_size=300), data=st.data())
def test_any_text_is_a_choice_or_is_refused_with_what_would_be_right(answer, data):
    one, game = data.draw(st.sampled_from(asked()))
    try:
        found = parse(answer, one, game)
    except AnswerError as error:
        reason, sentence = error.reason, str(error)
    else:
        assert found in one.choices
        return
    assert reason.endswith(".") and "\n" not in sentence
    named = [choice for choice in one.choices if f"{choice.key}. {choice.words}" in sentence]
    assert len(named) >= min(len(one.choices), 2)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("prince", "Play Prince"),
        ("Play the prince", "Play Prince"),
        ("I will play Prince now", "Play Prince"),
        ("I choose 4", "Play Ambassador"),
        ("I go with option 4, since it counts twice.", "Play Ambassador"),
        ('{"action": 3}', "Play Assassin"),
        ("Play Spy would be bad.\n\nPlay Wizard", "Play Wizard"),
        ("[2]\nNo, wait.\n[5]", "Play Wizard"),
        ("I keep [7] for later and play [5].\n[5]", "Play Wizard"),
        ("Not [1], rather [2] or [3]?\nMy choice: [5]", "Play Wizard"),
        ("[5], that is [Play Wizard]", "Play Wizard"),
        ("[5] beats [everything]", "Play Wizard"),
        ("[3]\nThat is my choice.", "Play Assassin"),
        ("３", "Play Assassin"),
        ("<think>[1] or [2]?</think>[6]", "Play General"),
    ],
)
def test_what_models_write(answer, words):
    assert parse(answer, *brave_rats()).words == words


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "The answer is empty."),
        ("\n \n", "The answer is empty."),
        ("<think>[3]", "The answer is empty."),
        ("banana", "'banana' is none of your choices."),
        ("8", "'8' is none of your choices."),
        ("Prince or Spy", "'Prince or Spy' is none of your choices."),
        ("I will not play Prince", "'I will not play Prince' is none of your choices."),
        ("I have 3 cards that win", "'I have 3 cards that win' is none of your choices."),
        ("keep spy", "'keep spy' is not possible now."),
        ("play", "'play' may be: 0. Play Musician; 1. Play Princess; "),
        ("Never [3]", "'Never [3]' may speak against what is in brackets."),
        ("I'd rather keep [7].", '"I\'d rather keep [7]." may speak against what is in brackets.'),
        ("Option 3 is bad", "'Option 3 is bad' is none of your choices."),
        ("[7] over [3]", "'[7] over [3]' may be: 7. Play Prince; 3. Play Assassin."),
        ("[3]\n[Prince], not [Spy].\nSo be it.", "'[Prince], not [Spy].' may be: 7. Play Prince; 2. Play Spy."),
    ],
)
def test_what_is_refused_and_why(answer, reason):
    error = refusal(answer, *brave_rats())
    assert str(error).startswith(reason)
    assert "7. Play Prince" in str(error)


@pytest.mark.parametrize("answer", ["I choose [5] over [3].", "Final: [6] (not [1])", "[3] or [4]"])
def test_a_line_that_names_two_choices_is_refused_with_both(answer):
    assert refusal(answer, *brave_rats()).right == "Answer with one of these numbers."


def test_of_many_choices_the_nearest_are_named():
    position = Position("rattus")
    many = Offer("Where?", tuple(Choice(i, f"Place {i} cubes in Gallia", key=str(i)) for i in range(40)))
    error = str(refusal("Place 33 cubes in Galia", many, position.game))
    assert "33. Place 33 cubes in Gallia" in error and error.endswith("; or another of the 40 numbers.")
    assert error.count(". Place") == 12


def test_nobody_answers_what_is_not_asked():
    assert "Nothing is asked." in str(refusal("3", Offer("", ()), Position("brave_rats").game))


def test_an_answer_of_any_length_is_read_quickly_from_its_end():
    assert parse("[1] " * 2_000_000 + "\n[6]", *brave_rats()).words == "Play General"
    assert "is none of your choices" in str(refusal("[" * 1_000_000, *brave_rats()))
