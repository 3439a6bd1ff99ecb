"""Answers in words: forgiving where one choice is meant, and a sentence that says what is right where none is."""

from __future__ import annotations

import contextlib
import functools
import re
import time
from collections import Counter

import pytest
from games_and_configurations import PAIRS
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_envs.api.answers import ARTICLES, NEGATIONS, parse
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


LISTED = st.sampled_from(
    ["", "My options:\n{key}. {words}\n{other}. {other_words}\n", "{other_words}\nRisk: {other}\n"]
)
SAID = ["I choose {key}.", "\\boxed{{{key}}}", '{{"action": {key}, "confidence": {other}}}', "<answer>{key}</answer>"]
SAID += [
    '```json\n{{"why": "[{other}] loses",\n"choice": "{words}",\n"next": {other}}}\n```',
    "I will go with option {key}.",
]
SAID += [
    "[{key}]\nConfidence: {other}",
    "[{key}]\n\nGood luck!",
    "<THINK>{other}</THINK>\n{key}",
    "My answer is {key}.",
]


@settings(max_examples=400, deadline=None)
@given(data=st.data(), listed=LISTED, said=st.sampled_from(SAID))
def test_what_a_model_lists_before_its_answer_and_adds_to_it_is_not_its_answer(data, listed, said):
    one, game = data.draw(st.sampled_from(asked()))
    choice, other = data.draw(st.sampled_from(one.choices)), data.draw(st.sampled_from(one.choices))
    named = {"key": choice.key, "words": choice.words, "other": other.key, "other_words": other.words}
    answer = listed.format(**named) + said.format(**named)
    assert parse(answer, one, game) == choice, answer


CONTRADICTIONS = ["{key}. {words}", "[{key}] {words}", "[{key}. {words}]", "{key}: {words}", "I choose {key}. {words}"]
CONTRADICTIONS += ["I considered [{key}], but I go with {other}.", "I choose {key}. No, {other}.", "[{key}, {other}]"]
CONTRADICTIONS += ["I choose {key} because {words} is too risky.", "{words} looks tempting, but I choose {key}"]
CONTRADICTIONS += ["{key} or {other}", "-{key}", "[-{key}]", "{key}%", "{key}.5", "[{key}]? No.", "not {key}"]


@settings(max_examples=400, deadline=None)
@given(data=st.data(), said=st.sampled_from(CONTRADICTIONS))
def test_an_answer_that_contradicts_itself_is_refused(data, said):
    one, game = data.draw(st.sampled_from([each for each in asked() if len(each[0].choices) > 1]))
    choice, other = data.draw(st.lists(st.sampled_from(one.choices), min_size=2, max_size=2, unique=True))
    answer = said.format(key=choice.key, other=other.key, words=other.words)
    assert refusal(answer, one, game)


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
        ("[THINK]3[/THINK]\n7", "Play Prince"),
        ("Prince (7)", "Play Prince"),
        ("[7 - Prince]", "Play Prince"),
        ("\\boxed{\\text{Play Prince}}", "Play Prince"),
        ("So my answer is the Prince (7).", "Play Prince"),
        ("3. Play Assassin\nI'll go with the Prince.", "Play Prince"),
        ("Play General.\nNext round plan: Prince", "Play General"),
        ("9. Play Assassin", "Play Assassin"),
        ("Reasoning.\n<answer>4", "Play Ambassador"),
        ("Reasoning.\n<answer>\nPlay the ambassador \n", "Play Ambassador"),
        ("4</answer>", "Play Ambassador"),
        ("<answer>\n4\n</answer>\nThank you.", "Play Ambassador"),
        ("[5]\n2 to go!", "Play Wizard"),
        ("[5]\n1. It is strong.\n2. It wins.", "Play Wizard"),
        ("Choice: 3\n4 rounds needed", "Play Assassin"),
        ("[5]\nNumber of cards: 3", "Play Wizard"),
        ('{"action": "play", "card": "wizard"}', "Play Wizard"),
        ('{"action": 7, "move_number": 3}', "Play Prince"),
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
        ("<think>\n" + "I do not know.\n" * 2000 + "3. Play Assassin\nThis could", "The answer is empty."),
        (3, "An answer must be a text, not 3."),
        (b"3", "An answer must be a text, not b'3'."),
        ("banana", "'banana' is none of your choices."),
        ("8", "'8' is none of your choices."),
        ("Prince or Spy", "'Prince or Spy' is none of your choices."),
        ("I will not play Prince", "'I will not play Prince' names 7. Play Prince, but may not choose it."),
        ("I have 3 cards that win", "'I have 3 cards that win' is none of your choices."),
        ("keep spy", "'keep spy' is not possible now."),
        ("play", "'play' may be: 0. Play Musician; 1. Play Princess; "),
        ("Never [3]", "'Never [3]' names 3. Play Assassin, but may not choose it."),
        ("I'd rather keep [7].", '"I\'d rather keep [7]." names 7. Play Prince, but may not choose it.'),
        ("Option 3 is bad", "'Option 3 is bad' names 3. Play Assassin, but may not choose it."),
        ("[7] over [3]", "'[7] over [3]' may be: 7. Play Prince; 3. Play Assassin."),
        ("Play Prince would be suicide.", "'Play Prince would be suicide.' names 7. Play Prince, but may not ch"),
        ("Opponent will choose 7, so I wait.", "'Opponent will choose 7, so I wait.' names 7. Play Prince, but may"),
        ("[1", "'[1' is none of your choices."),
        ("[3]\n[Prince], not [Spy].\nSo be it.", "'[Prince], not [Spy].' may be: 7. Play Prince; 2. Play Spy."),
    ],
)
def test_what_is_refused_and_why(answer, reason):
    error = refusal(answer, *brave_rats())
    assert str(error).startswith(reason)
    assert "7. Play Prince" in str(error)


@pytest.mark.parametrize(
    "answer",
    [
        "I choose [5] over [3].",
        "Final: [6] (not [1])",
        "[3] or [4]",
        "4. Play Assassin",
        "2. Play Spy\n3. Play Assassin\nThe second.",
    ],
)
def test_a_line_that_names_two_choices_is_refused_with_both(answer):
    assert refusal(answer, *brave_rats()).right == "Answer with one of these numbers."


def offer_of(words: list[str]) -> Offer:
    return Offer("Which?", tuple(Choice(i, words, key=str(i + 1)) for i, words in enumerate(words)))


@pytest.mark.parametrize(
    ("words", "answer", "meant"),
    [
        (["Use it", "Do not use it"], "use it", "Use it"),
        (["Look", "Do not use it"], "use it", None),
        (["Look", "Do not use it"], "do it", None),
        (["Look", "Do not use it"], "not use it", "Do not use it"),
        (["Get the bandage", "Discard a clover, and get no bandage"], "A bandage, and no clover.", None),
        (["Get the bandage", "Discard a clover, and get no bandage"], "no clover", None),
        (["Get the bandage", "Discard a clover, and get no bandage"], "clover", "Discard a clover, and get no bandage"),
        (["Look at rat 1", "Look at no other rat"], "Look at the other rat", None),
        (["Draw a trap", "Draw 1 cheese", "Draw 2 cheese"], "I choose 1 cheese next.", None),
        (["Draw a trap", "Draw 1 cheese", "Draw 2 cheese"], "I pick 2 cheese", "Draw 2 cheese"),
        (["Pass", "Wait", "Take the Knight", "Move 3 cubes out of Gallia"], "Move 3 cubes from Gallia.", None),
        (["Pass", "Wait", "Take the Knight", "Move 3 cubes out of Gallia"], "I move 3 cubes out of Gallia!", "Move 3"),
    ],
)
def test_a_choice_is_not_taken_for_its_opposite_nor_an_amount_for_a_number(words, answer, meant):
    one, game = offer_of(words), Position("rattus").game
    if meant is None:
        assert refusal(answer, one, game)
    else:
        assert parse(answer, one, game).words.startswith(meant)


SEATS = ["Steal from player_0", "Steal from player_1", "Steal from player_3"]
PILES = ["Draw from pile 1", "Draw from pile 2", "Draw from pile 4"]
LAID = ["Lay a magic card with 2 nuns", "Lay a magic card with 4 nuns", "Lay a church card with 1 nun", "Done"]
PLACES = ["Place 2 cubes in Anglia", "Look at rat 2 in Anglia (Witch)", "Place 1 cube in Gallia"]
COUNTS = ["The plague counts as 2 cubes", "The plague counts as nothing"]


@pytest.mark.parametrize(
    ("words", "answer", "meant"),
    [
        (SEATS, "player_1", "Steal from player_1"),
        (SEATS, "player_2", None),
        (SEATS, "I choose player_3.", "Steal from player_3"),
        (PILES, "pile 2", "Draw from pile 2"),
        (PILES, "[pile 3]", None),
        (PILES, "2 pile", "Draw from pile 2"),
        (PILES, "I take pile 4", "Draw from pile 4"),
        (LAID, "4 magic", "Lay a magic card with 4 nuns"),
        (LAID, "magic with 2", "Lay a magic card with 2 nuns"),
        (LAID, "[1 card]", "Lay a church card with 1 nun"),
        (LAID, "4 church", None),
        (LAID, "2 nuns in Galia", None),
        (PLACES, "Anglia 2", None),
        (PLACES, "Gallia 1", "Place 1 cube in Gallia"),
        (PLACES, "3 cubes gallia", None),
        (COUNTS, "nothing", "The plague counts as nothing"),
        (COUNTS, "counts as 3", None),
        (["Claim it", "Do not claim it"], "no 1", None),
        (["Promise not to claw player_1", "Promise to claw player_1"], "not claw", "Promise not to claw player_1"),
        (["Draw a trap", "Draw 1 cheese", "Draw 2 cheese"], "cheese 2", "Draw 2 cheese"),
    ],
)
def test_a_number_in_a_name_is_not_the_number_of_a_choice(words, answer, meant):
    one, game = offer_of(words), Position("rattus").game
    if meant is None:
        assert refusal(answer, one, game)
    else:
        assert parse(answer, one, game).words == meant


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_a_part_of_the_words_of_a_choice_is_that_choice_or_several(data):
    one, game = data.draw(st.sampled_from(asked()))
    choice = data.draw(st.sampled_from(one.choices))
    words_of = {each: re.findall(r"[\w']+", each.words.casefold().replace("_", " ")) for each in one.choices}
    names = {each: [word for word in words if word not in ARTICLES] for each, words in words_of.items()}
    first = data.draw(st.integers(0, len(names[choice]) - 1))
    part = names[choice][first : data.draw(st.integers(first + 1, len(names[choice])))]
    fits = [each for each in one.choices if not Counter(part) - Counter(names[each])]
    try:
        found = parse(" ".join(part), one, game)
    except AnswerError:
        assert len(fits) > 1 or NEGATIONS & {*names[choice]} or all(map(str.isdecimal, part))
    else:
        assert found in fits or " ".join(part) in [each.key for each in one.choices]


@pytest.mark.parametrize(
    "answer", ["I save [7].", "[5]\nTheir choice: 7", "Backup option: 3", '{"move_number": 3}', "4 Play Assassin"]
)
def test_what_may_be_no_choice_is_none(answer):
    assert refusal(answer, *brave_rats())


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
    position = Position("rattus")
    many = Offer("Where?", tuple(Choice(i, f"Place {i} cubes in Gallia", key=str(i)) for i in range(100)))
    started = time.process_time()
    for hostile in ("choose 1 ", "choose x. ", "my answer: ", '{"move": "', "[a]", "place 9 cubes in gallia ", "1"):
        with contextlib.suppress(AnswerError):
            parse(hostile * 10_000, many, position.game)
    assert time.process_time() - started < 10
