"""Parsing answers in words, of people and of language models: the choice that is meant, or what would have been
right."""

from __future__ import annotations

import difflib
import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from rat_envs.engine.choices import Choice, Offer
from rat_envs.engine.errors import AnswerError, shown
from rat_envs.engine.game import Game

__all__ = ["parse"]

#: How much of an answer is read: its last characters, of these the last lines, and of each line the end.
MOST_CHARACTERS, MOST_LINES, LONGEST_LINE = 20_000, 200, 2000
#: The most choices that are listed after an answer that names none.
MOST_NAMED = 12
#: Words for a choice, before a colon and before a number in a sentence.
CALLED = ("action", "answer", "choice", "choose", "decision", "move", "number", "option", "pick", "play", "select")
#: The most places of a sentence in which the name of a choice is looked for.
MOST_PARTS = 20
#: A choice is named in a sentence after one of these words; and a number there, if it does not count something.
CUE = rf"\b(?:{'|'.join(CALLED)}|go with|take)s?(?:\s+(?:number|option|action|choice|is|will be))*"
AFTER_NUMBER = "and|as|because|for|here|now|since|so|then|this|to|which|with"
CUED_NUMBER = re.compile(rf"{CUE}[\s:=*#`'\"(]+(\d+)\b(?P<counts>[*`'\")]*\s+(?!(?:{AFTER_NUMBER})\b)\w)?")
CUED_WORDS = re.compile(rf"{CUE}[\s:*`'\"(]+([^.,;:!?()]+)")
#: The number of a choice before or after a part of its words, as in "7 - Prince" and "Prince (7)".
KEY_APART = re.compile(r"^\W*\d+\s*(?:[^\w\s]+\s|\()|[^\w\s]\s*\d+\W*$")
FIRST_NUMBER = re.compile(r"[\s*#>`'\"(-]*(\d+)\b")
#: Words that are ignored.
ARTICLES = ("a", "an", "the")
#: A sentence without brackets is an answer if it is in the first person, or begins like an order.
OWN = {"i", "i'll", "i'm", "i've", "let", "let's", "me", "my", "we", "we'll"}
ORDERS = {*CALLED, "go", "take"}
#: A heading before a choice has one of the words above, and otherwise only these.
HEADING = {
    *CALLED,
    *OWN,
    "best",
    "chosen",
    "final",
    "for",
    "here",
    "is",
    "now",
    "round",
    "so",
    "therefore",
    "this",
    "turn",
}
#: A sentence with one of these may name a choice that it decides against.
WORDS_AGAINST = """
    not never no none neither nor cannot can't don't won't isn't wouldn't shouldn't avoid refuse except without
    instead rather than over or if unless but however though although actually wait would could might may
    considered considering tempting too bad worse worst wrong risky dangerous suicide lose loses opponent
    opponents opponent's enemy they their he she expect expected alternative next later save keep hold
"""
AGAINST = {*WORDS_AGAINST.split()}
#: In a choice's words, what follows one of the first is negated; so is what comes before one of the second.
NEGATIONS, BEFORE_NEGATIONS = {"not", "no", "none", "nothing", "never", "neither", "without", "don't"}, {"do", "will"}
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
#: Other brackets that models have learnt to use.
BOXES = re.compile(
    r"\\boxed\{(?:\\text\{)?([^{}]*)\}?\}|<answer>([^<>]*)</answer>|<answer>\s*([^<>\n]*)\s*\Z", re.IGNORECASE
)
#: A tag that the question opened and the answer closes; it may be missing, too, if it stops the model.
CLOSING = re.compile(r"</answer>\s*\Z", re.IGNORECASE)
#: The tags around reasoning.
THOUGHT = "think|thinking|thought|thoughts|reason|reasoning"
BEGINS, ENDS = (re.compile(rf"<{end}(?:{THOUGHT})>|\[{end}THINK\]", re.IGNORECASE) for end in ("", "/"))
#: A field of JSON with its value, and the names of those that hold the choice.
FIELD = re.compile(r'"(\w+)"\s*:\s*("[^"]*"|[^,{}]*)')
FIELD_OF_CHOICE = re.compile(
    r"(?:my_|final_|chosen_|selected_|best_)?(?:(?:action|choice|option)(?:_number|_id|_key)?|answer|decision|move|pick|play)"
)
#: A number with a sign, a fraction or a percentage is not the number of a choice.
OTHER_NUMBER = re.compile(r"(?<!\w)[-+−]\d+|(?<!\d)\d+(?:\s*%|[.,/]\d+)")


def parse(answer: str, asked: Offer, game: Game) -> Choice:
    """The one choice that an answer names.

    An answer may name a choice by its key ("3"), its words ("Play the Prince"), both, its notation, or a part of its
    words that no other choice has ("prince"). Upper and lower case are the same. The name may be in ``[brackets]``,
    in Markdown or a field of JSON, or follow a heading ("My choice: 3"). The last line that names a choice counts; it
    may be a sentence ("I choose 3"). It may name one only, and not beside words that may speak against it ("not [3]").
    Text marked as reasoning, such as between ``<think>`` and ``</think>``, is ignored.

    Args:
        answer: the answer of a person or a model.
        asked: the question and its choices.
        game: the game whose notation is understood.

    Raises:
        AnswerError: the answer names no choice, or several; the message says what would have been right.
    """
    if not asked.choices:
        raise AnswerError("Nothing is asked.", "Wait for your turn.")
    reader = _Reader(asked, game)
    if not isinstance(answer, str):
        raise AnswerError(f"An answer must be a text, not {shown(answer)}.", reader.right(""))
    lines = _lines(answer)
    for below, line in enumerate(reversed(lines)):
        if (found := reader.read(line, is_last=not below)) is not None:
            if below:
                reader.demand_no_list(lines[: len(lines) - below], found)
            return found
    raise reader.refusal(lines[-1] if lines else "")


def _lines(answer: str) -> list[str]:
    """The last lines of an answer that are not empty, without the reasoning before."""
    end = max((found.end() for found in ENDS.finditer(answer)), default=0)
    text = BEGINS.split(answer[end:], maxsplit=1)[0][-MOST_CHARACTERS:]
    text = CLOSING.sub("", BOXES.sub(lambda found: f"[{found[1] or found[2] or found[3] or ''}]", text))
    return [line.strip()[-LONGEST_LINE:] for line in text.splitlines() if line.strip()][-MOST_LINES:]


def _words(text: str) -> tuple[str, ...]:
    """The words and numbers of a text in small letters, without punctuation."""
    small = "".join(" " if unicodedata.decomposition(letter)[:4] in ("<sup", "<sub") else letter for letter in text)
    plain = unicodedata.normalize("NFKC", small).replace("’", "'").replace("_", " ").casefold()
    words = [word for word in (word.strip("'") for word in re.findall(r"[\w']+", plain)) if word]
    return tuple(word for word in words if word not in ARTICLES) or tuple(words)


def _is_heading(text: str) -> bool:
    """Whether a text announces a choice: "My choice", but not "Next choice"."""
    words = {*_words(text)}
    return words <= HEADING and not words.isdisjoint(CALLED)


class _Reader:
    """The choices of an offer by all their possible names."""

    def __init__(self, asked: Offer, game: Game) -> None:
        self.choices, self.game = asked.choices, game
        self.keys = [_words(one.key) for one in self.choices]
        self.said = [_words(one.words) for one in self.choices]
        self.noted = [_words(game.actions[one.action]) for one in self.choices]
        self.also = [[_words(words) for words in one.also] for one in self.choices]
        names = [*self.keys, *self.said, *self.noted, *(each for names in self.also for each in names)]
        self.known = {word for name in names for word in name}

    def read(self, line: str, is_last: bool) -> Choice | None:
        """The choice that a line names; None if it names none.

        Args:
            line: a line of an answer.
            is_last: whether a part of a choice's words is enough.

        Raises:
            AnswerError: it names several, or may be deciding against the one that it names.
        """
        if fields := FIELD.findall(line):
            found = self.of_fields([(name.casefold(), value.strip('"')) for name, value in fields])
        else:
            found = self.named(line) if is_last else self.exactly(line)
            for heading, _, rest in (line.partition(":"), line.rpartition(":")):
                if not found and _is_heading(heading):
                    found = self.named(rest)
            found = found or self.within(line)
        named = list(dict.fromkeys(found))
        if len(named) > 1:
            raise AnswerError(_several(line, named), "Answer with one of these numbers.")
        return named[0] if named else None

    def of_fields(self, fields: Sequence[tuple[str, str]]) -> list[Choice]:
        """The choices that fields of JSON name: one of them, or all together."""
        values = [value for name, value in fields if FIELD_OF_CHOICE.fullmatch(name)]
        named = [one for value in values for one in self.exactly(value)]
        return named or (self.exactly(" ".join(value for _, value in fields)) if values else [])

    def demand_no_list(self, lines: Sequence[str], found: Choice) -> None:
        """Refuse the last of several choices that are listed in words, if what comes after them names none.

        Raises:
            AnswerError: they are so listed.
        """
        is_listed = len(lines) > 1 and _words(lines[-1]) not in self.keys
        before = self.exactly(lines[-2]) if is_listed else []
        if before and found not in before:
            raise AnswerError(
                _several(f"{lines[-2]} {lines[-1]}", [*before, found]), "Answer with one of these numbers."
            )

    def named(self, part: str) -> list[Choice]:
        """The choices that a text names exactly, or of which it is a part."""
        return self.exactly(part) or self.partly(part)

    def exactly(self, part: str) -> list[Choice]:
        """The choices that a text names exactly; a key comes before words, and words before notation."""
        raw, words = part.strip().casefold(), _words(part)
        if found := self._where(raw == one.key.casefold() for one in self.choices):
            return found
        if not words or not self.known.issuperset(words) or part.count("[") != part.count("]"):
            return []
        joint = [[key + names for key, names in zip(self.keys, each, strict=True)] for each in (self.said, self.noted)]
        for called in ([] if OTHER_NUMBER.search(part) else [self.keys, *joint]) + [self.said, self.noted]:
            if found := self._where(name == words for name in called):
                return found
        return self._where(words in also for also in self.also)

    def partly(self, part: str) -> list[Choice]:
        """The choices that contain all words of a text, none of them negated; or the one that contains all but its
        key."""
        words = _words(part)
        if all(word.isdecimal() for word in words) or not self.known.issuperset(words) or OTHER_NUMBER.search(part):
            return []
        if found := self._with_all(words):
            return found
        for key, rest in ((words[:1], words[1:]), (words[-1:], words[:-1])) if KEY_APART.search(part) else ():
            if key in self.keys and not NEGATIONS & {*rest} and len(found := self._with_all(rest)) == 1:
                return found if self.keys[self.choices.index(found[0])] == key else []
        return []

    def _with_all(self, words: tuple[str, ...]) -> list[Choice]:
        """The choices that contain all of some words; among those with equal words, the one that has them in this
        order."""
        called = list(zip(self.said, self.noted, strict=True))
        fits = [_has(said, words) or _has(noted, words) or _has_together(said, noted, words) for said, noted in called]
        equal = {tuple(sorted(said)) for (said, _), fit in zip(called, fits, strict=True) if fit}
        if sum(fits) > 1 and len(equal) == 1:
            ordered = [fit and _is_in_order(words, said) for (said, _), fit in zip(called, fits, strict=True)]
            fits = ordered if sum(ordered) == 1 else fits
        return self._where(fits)

    def within(self, line: str) -> list[Choice]:
        """The choices that a sentence names among other words.

        Raises:
            AnswerError: it names one, but may be deciding against it.
        """
        bracketed, rest = self._bracketed(OTHER_NUMBER.sub(" ", line))
        words, plain = _words(rest), " ".join(rest.casefold().split())
        cued = list(CUED_NUMBER.finditer(plain))[-MOST_PARTS:]
        begins = [found for found in (FIRST_NUMBER.match(plain), *cued) if found]  # words of a choice may follow
        parts = [plain] if bracketed else [plain[found.end(1) :] for found in begins]
        worded, own = self._worded(words, [*parts, *CUED_WORDS.findall(plain)[-MOST_PARTS:]])
        others = {*(Counter(words) - own)}
        numbers = [found[1] for found in cued if not worded or not found["counts"]]
        if not bracketed and (worded or numbers):  # otherwise numbers count other things
            numbers += [word for word in others if word.isdecimal()]
        named = [*bracketed, *worded, *self._where(key[:1] and key[0] in numbers for key in self.keys)]
        if len({*named}) == 1:
            is_against = bool(AGAINST & others) or "?" in rest
            is_choice = bracketed or OWN & {*words} or words[0] in ORDERS or all(map(str.isdecimal, others))
            is_amount = not worded and any(found["counts"] for found in cued)
            if is_against or is_amount or not is_choice:
                one = f"{named[0].key}. {named[0].words}"
                raise AnswerError(f"{shown(line)} names {one}, but may not choose it.", self.right(line))
        return named

    def _bracketed(self, line: str) -> tuple[list[Choice], str]:
        """The choices in a line's brackets, and the line without these."""
        named, rest = [], line
        for text in list(dict.fromkeys(BRACKETS.findall(line)))[-MOST_PARTS:]:
            found = self.named(text)
            named += found if len(found) == 1 else []
            rest = rest.replace(f"[{text}]", " " if len(found) == 1 else f" {text} ")
        return named, rest

    def _worded(self, words: tuple[str, ...], parts: Iterable[str]) -> tuple[list[Choice], Counter[str]]:
        """The choices whose names appear among other words, or else the first that a part of the sentence names; and
        the words of these names. A name within another name does not count.

        Args:
            words: those of a sentence.
            parts: the parts of it where a choice would be named.
        """
        calls = zip(self.said, self.noted, self.also, strict=True)
        named = [_longest_within([said, noted, *also], words) for said, noted, also in calls]
        own = [name if name and not any(_is_within(name, other) for other in named) else () for name in named]
        if any(own):
            return self._where(own), Counter(itertools.chain(*own))
        for part in parts:
            if len(found := self.named(part)) == 1:
                return found, Counter(_words(part))
        return [], Counter()

    def _where(self, fits: Iterable[object]) -> list[Choice]:
        return [one for one, fit in zip(self.choices, fits, strict=True) if fit]

    def refusal(self, line: str) -> AnswerError:
        """Why an answer that ends with this line names no choice, and what would have been right."""
        if not line:
            reason = "The answer is empty."
        elif line.casefold() in self.game.action_numbers:
            reason = f"{shown(line)} is not possible now."
        else:
            reason = f"{shown(line)} is none of your choices."
        return AnswerError(reason, self.right(line))

    def right(self, line: str) -> str:
        """A sentence that says how to answer, with all choices, or with those nearest to a line if there are many."""
        choices, rest = list(self.choices), ""
        if len(choices) > MOST_NAMED:
            by_words = {" ".join(said): one for one, said in zip(self.choices, self.said, strict=True)}
            near = difflib.get_close_matches(" ".join(_words(line[:200])), by_words, MOST_NAMED, cutoff=0.0)
            keys = {by_words[words].key for words in near}
            choices = [one for one in self.choices if one.key in keys]
            rest = f"; or another of the {len(self.choices)} numbers"
        names = "; ".join(f"{one.key}. {one.words}" for one in choices)
        return f"Answer with the number of one of these: {names}{rest}."


def _several(line: str, found: Sequence[Choice]) -> str:
    """The error for a line that may mean any of several choices."""
    names = "; ".join(f"{one.key}. {one.words}" for one in found[:MOST_NAMED])
    return f"{shown(line)} may be: {names}{'; …' * (len(found) > MOST_NAMED)}."


def _longest_within(names: Iterable[tuple[str, ...]], words: tuple[str, ...]) -> tuple[str, ...]:
    """The longest of some names of several words that appear among other words; none if none appears."""
    return max((name for name in names if len(name) > 1 and _is_within(name, (*words, ""))), key=len, default=())


def _is_within(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a name is a part, and not all, of some words."""
    return len(name) < len(words) and f" {' '.join(name)} " in f" {' '.join(words)} "


def _has(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a name contains all of some words; negated words only with their negation, and in its order."""
    if NEGATIONS & {*words}:
        return _is_in_order(words, name)
    place = next((place for place, word in enumerate(name) if word in NEGATIONS), len(name))
    affirmed = [word for word in name[:place] if place == len(name) or word not in BEFORE_NEGATIONS]
    return Counter(words) <= Counter(affirmed)


def _has_together(said: tuple[str, ...], noted: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a choice's words and its notation together contain all of some words, none of them a number or a
    negation."""
    is_plain = NEGATIONS.isdisjoint({*said, *noted, *words}) and not any(word.isdecimal() for word in words)
    return is_plain and Counter(words) <= Counter(said) | Counter(noted)


def _is_in_order(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether a name has some words in this order."""
    rest = iter(name)
    return all(word in rest for word in words)
