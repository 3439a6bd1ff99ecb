"""Answers in words, of people and of language models: which choice is meant, or what would have been right."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence

from rat_envs.engine.choices import Choice, Offer
from rat_envs.engine.errors import AnswerError, shown
from rat_envs.engine.game import Game

__all__ = ["parse"]

#: Of an answer the last so many characters are read, and of those the last so many lines.
MOST_CHARACTERS, MOST_LINES = 20_000, 200
#: So many choices are named to whoever gave none of them.
MOST_NAMED = 12
#: A number in a sentence is a choice only after one of these words.
CUE = re.compile(
    r"\b(?:answer|action|choice|choose|go with|move|number|option|pick|select)s?"
    r"(?: number| option| action)?(?: is| will be| would be)?[\s:=*#`'\"(\[]+(\w+)\b"
)
#: Words that make no difference.
ARTICLES = ("a", "an", "the")
#: A sentence with one of these may name a choice that it decides against.
AGAINST = {"not", "never", "avoid", "instead", "rather", "than", "unless", "if", "or", "don't", "won't", "can't"}
AGAINST |= {"bad", "worse", "worst", "wrong", "cannot", "neither", "nor", "over", "except", "isn't", "wouldn't"}
BRACKETS = re.compile(r"\[([^\[\]]*)\]")


def parse(answer: str, asked: Offer, game: Game) -> Choice:
    """The one choice that an answer names.

    An answer may name a choice by its key ("3"), its words ("Play the Prince"), both, its notation, or a part of its
    words that no other choice has ("prince"). Upper and lower case are the same. The name may be in ``[brackets]`` or
    Markdown, or follow words with a colon ("My choice: 3"). If several lines name a choice, the last of them counts; it
    may name one only, and not beside words that may speak against it ("not [3]"). If no line is only a choice, the last
    line may name one within a sentence. Text between ``<think>`` and ``</think>`` is ignored.

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
    lines = _lines(answer)
    for line in reversed(lines):
        if (bracketed := reader.bracketed(line)) is not None:
            return bracketed
        for part in (line, line.partition(":")[2], line.rpartition(":")[2]):
            found = reader.exactly(part) or (reader.partly(part) if line is lines[-1] else [])
            if len(found) == 1:
                return found[0]
    within = reader.within(lines[-1]) if lines else []
    if len(within) == 1:
        return within[0]
    raise reader.refusal(lines[-1] if lines else "")


def _lines(answer: str) -> list[str]:
    """The last lines of an answer that are not empty, without what was thought before."""
    if not isinstance(answer, str):
        return []
    text = answer[-MOST_CHARACTERS:].rpartition("</think>")[2].partition("<think>")[0]
    return [line.strip() for line in text.splitlines() if line.strip()][-MOST_LINES:]


def _words(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, whatever stands around them, in small letters."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").replace("_", " ").casefold()
    words = [word for word in (word.strip("'") for word in re.findall(r"[\w']+", plain)) if word]
    return tuple(word for word in words if word not in ARTICLES) or tuple(words)


class _Reader:
    """The choices of an offer by all that they may be called."""

    def __init__(self, asked: Offer, game: Game) -> None:
        self.choices, self.game = asked.choices, game
        self.keys = [_words(one.key) for one in self.choices]
        self.said = [_words(one.words) for one in self.choices]
        self.noted = [_words(game.actions[one.action]) for one in self.choices]
        self.also = [[_words(words) for words in one.also] for one in self.choices]

    def bracketed(self, line: str) -> Choice | None:
        """The choice that stands in a line's brackets; None if there is none.

        Raises:
            AnswerError: there are several, or the line may speak against it.
        """
        named: dict[Choice, None] = {}
        rest = line
        for text in dict.fromkeys(BRACKETS.findall(line)):
            found = self.exactly(text) or self.partly(text)
            if len(found) == 1:
                named[found[0]] = None
                rest = rest.replace(f"[{text}]", " ")
        if len(named) > 1:
            raise AnswerError(_several(line, list(named)), "Answer with one of these numbers.")
        if named and AGAINST & {*_words(rest)}:
            raise AnswerError(f"{shown(line)} may speak against what is in brackets.", self.right(line))
        return next(iter(named), None)

    def exactly(self, part: str) -> list[Choice]:
        """The choices that a text names and nothing else; a key comes before words, and they before notation."""
        raw, words = part.strip().casefold(), _words(part)
        if found := self._where(raw == one.key.casefold() for one in self.choices):
            return found
        if not words:
            return []
        joint = [[key + names for key, names in zip(self.keys, each, strict=True)] for each in (self.said, self.noted)]
        for called in (self.keys, self.said, self.noted, *joint):
            if found := self._where(name == words for name in called):
                return found
        return self._where(words in also for also in self.also)

    def partly(self, part: str) -> list[Choice]:
        """The choices that have all words of a text."""
        words = set(_words(part))
        if not words or all(word.isdecimal() for word in words):
            return []
        return self._where(words <= {*said, *noted} for said, noted in zip(self.said, self.noted, strict=True))

    def within(self, line: str) -> list[Choice]:
        """The choices that a sentence names among other words."""
        words = _words(line)
        if found := self._named_within(words):
            return found
        keys = set(CUE.findall(" ".join(line.casefold().split())))
        return self._where(key[:1] and key[0] in keys for key in self.keys) if not AGAINST & {*words} else []

    def _named_within(self, words: tuple[str, ...]) -> list[Choice]:
        """The choices whose names stand among other words that do not speak against them; a name within another one's
        does not count."""
        calls = zip(self.said, self.noted, self.also, strict=True)
        named = [_longest_within([said, noted, *also], words) for said, noted, also in calls]
        own = [name if name and not any(_is_within(name, other) for other in named) else () for name in named]
        if AGAINST & ({*words}.difference(*own)):
            return []
        return self._where(own)

    def _where(self, fits: Iterable[object]) -> list[Choice]:
        return [one for one, fit in zip(self.choices, fits, strict=True) if fit]

    def refusal(self, line: str) -> AnswerError:
        """What is wrong with an answer that ends with this line, and what would have been right."""
        found = next(filter(None, (self.exactly(line), self.partly(line), self.within(line))), [])
        if not line:
            reason = "The answer is empty."
        elif found:
            reason = _several(line, found)
        elif line.casefold() in self.game.action_numbers:
            reason = f"{shown(line)} is not possible now."
        else:
            reason = f"{shown(line)} is none of your choices."
        return AnswerError(reason, "Answer with one of these numbers." if found else self.right(line))

    def right(self, line: str) -> str:
        """A sentence that says how to answer, with the choices or, of many, those that are nearest to a line."""
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
    """That a line may be any of some choices."""
    names = "; ".join(f"{one.key}. {one.words}" for one in found[:MOST_NAMED])
    return f"{shown(line)} may be: {names}{'; …' * (len(found) > MOST_NAMED)}."


def _longest_within(names: Iterable[tuple[str, ...]], words: tuple[str, ...]) -> tuple[str, ...]:
    """The longest of some names of several words that stands among other words; none if none does."""
    return max((name for name in names if len(name) > 1 and _is_within(name, (*words, ""))), key=len, default=())


def _is_within(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a name is a part, and not all, of some words."""
    return len(name) < len(words) and f" {' '.join(name)} " in f" {' '.join(words)} "
