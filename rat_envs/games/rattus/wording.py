"""The table in words: the phrases that text, story and drawing share, and the text for a terminal (100 columns)."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.game import EVERYTHING, PointOfView
from rat_envs.engine.wording import does, game_over, listed, named, number_of, possessive, subject, wrap
from rat_envs.games.rattus.components import CUBES, KNIGHT
from rat_envs.games.rattus.tables import CARDS, LETTERS, REGIONS, TOKEN_IDS
from rat_envs.games.rattus.text_map import WIDTH, map_lines
from rat_envs.games.rattus.view import Face, Player, Rat, Region, View, view

CARD_WORDS = tuple(card.capitalize() for card in CARDS)
#: What each card lets its holder do once a turn (RT-40 to RT-47).
CARD_RULES = (
    "place one more cube in one region than there are rats",
    "move one to three own cubes from a region to a neighbour",
    "move a rat, face down, to a neighbour that has room",
    "move the plague up to two regions; in a ravage it may count as two cubes",
    "look at one or two rats in secret, and swap two of different regions",
    "put an own cube from a region without rats into the palace",
)
#: By number of seat, as in the rulebook's example; cubes on the map are named by the first letter.
COLOURS = ("blue", "red", "yellow", "green")


def text(row: Any, point_of_view: PointOfView) -> str:
    """The table for a terminal, 100 columns wide, from a point of view (RT-70 to RT-73)."""
    seen = view(row, point_of_view)
    lines = [*wrap(f"Rattus: {configuration_in_words(seen)}", WIDTH), "-" * WIDTH, *map_lines(seen)]
    lines += wrap(f"On the map: cubes as {listed(cube_words(seen))}; rats from slot 1 on: {rat_signs(seen)}.", WIDTH)
    lines += ["", *players_in_words(seen), ""]
    lines += [
        *wrap(f"Cards beside the board: {cards_in_words(seen, None)}.", WIDTH, 2),
        *wrap(supply_in_words(seen), WIDTH, 2),
    ]
    lines += looked_at_in_words(seen)
    lines += ["-" * WIDTH, *wrap(" ".join(situation(seen)), WIDTH)]
    lines += wrap(question(seen), WIDTH)
    return "\n".join(lines) + "\n"


# Names


def class_letters(face: Face) -> str:
    """The symbols of a face: M and A, then its classes as the components list them, with a number if more than one."""
    symbols = zip(f"MA{LETTERS}", (face.most, face.every, *face.classes), strict=True)
    return "".join(letter + (str(number) if number > 1 else "") for letter, number in symbols if number)


def face_in_words(face: Face) -> str:
    """A face: its limit, M and A, and the holders it strikes."""
    named_symbols = zip(("M", "A", *CARD_WORDS), (face.most, face.every, *face.classes), strict=True)
    symbols = [name + (f" x{number}" if number > 1 else "") for name, number in named_symbols if number]
    return ", ".join([f"limit {face.limit}", *symbols])


def token_in_words(token: int, face: Face) -> str:
    """A token by its name and face."""
    return f"{TOKEN_IDS[token]} ({face_in_words(face)})"


# The table


def configuration_in_words(seen: View) -> str:
    """The options in play."""
    king = "the King also after the ravage" if seen.king_after_plague else "the King before the plague moves only"
    return f"{number_of(len(seen.players), 'player')}, {king}"


def cube_words(seen: View) -> list[str]:
    """The letters that cubes have on the map."""
    return [f"{COLOURS[player.number][0]} {named(player)}" for player in seen.players]


def rat_signs(seen: View) -> str:
    """What represents a rat on the map."""
    known = f", a number the limit{' you know' * (seen.observer != EVERYTHING)}" if seen.observer is not None else ""
    return f"s from the start, ? from the supply{known}, * chosen just now"


def players_in_words(seen: View) -> list[str]:
    """A line for each player."""
    lines = []
    for player in seen.players:
        mark = ">" if player.is_active and not seen.is_final_ravage else " "
        side = "you" if player.is_observer else player.side
        name = f"{player.name}{f' ({side})' if side else ''}"
        pieces = f"{COLOURS[player.number]:<6}  stock {player.stock:>2}  palace {player.palace:>2}"
        line = f"{mark} {name:<20}{pieces}  score {player.score:>2}  cards: {cards_in_words(seen, player)}"
        lines += wrap(line, WIDTH, 4)
    return lines


def cards_in_words(seen: View, holder: Player | None) -> str:
    """The cards that a player holds, or that lie beside the board; those used this turn are marked."""
    cards = [card for card in range(len(CARDS)) if seen.holder(card) is holder]
    return ", ".join(card_in_words(seen, card) for card in cards) or "none"


def card_in_words(seen: View, card: int) -> str:
    """A card, and whether it has been used."""
    return CARD_WORDS[card] + (" (used)" if is_used(seen, card) else "")


def is_used(seen: View, card: int) -> bool:
    """Whether a card's ability has been used up in this turn (RT-44)."""
    holder = seen.holder(card)
    if card == KNIGHT and seen.node in ("spread", "knight"):
        return False
    return seen.used[card] and holder is not None and holder.is_active and not seen.is_over


def supply_in_words(seen: View) -> str:
    """The supply, the tokens flipped, and those that the observer has not seen, by limit."""
    flipped = [TOKEN_IDS[token] for token, flag in enumerate(seen.flipped) if flag]
    words = [f"Supply: {number_of(seen.supply, 'token')}."]
    words += [f"Flipped: {', '.join(flipped)}."] if flipped else []
    limits = ", ".join(f"{number} of limit {limit}" for limit, number in unseen_limits(seen))
    if limits:
        words.append(f"{which_faces(seen).capitalize()}: {limits}.")
    if seen.start_left:
        left = number_of(seen.start_left, "start token")
        words.append(f"Among the tokens from the supply or removed may be {left} more.")
    return " ".join(words)


def which_faces(seen: View) -> str:
    """Which faces are counted as unseen, by point of view."""
    if seen.observer is None:
        return "not flipped yet"
    return "seen by nobody yet" if seen.observer == EVERYTHING else "not seen by you yet"


def unseen_limits(seen: View) -> list[tuple[int, int]]:
    """How many faces of each limit are unseen."""
    limits = [face.limit for face, unseen in zip(seen.faces, seen.unseen, strict=True) if unseen]
    return [(limit, limits.count(limit)) for limit in sorted(set(limits))]


def looked_at_in_words(seen: View) -> list[str]:
    """RT-70, RT-71: the tokens that somebody has looked at, with the faces that the observer knows."""
    lines = []
    for region in seen.regions:
        for slot, rat in enumerate(region.rats):
            if rat.looked_at_by:
                who = listed(named(seen.players[index]) for index in rat.looked_at_by)
                face = f"{face_in_words(rat.face)}; " if rat.face is not None else ""
                place = f"Rat {slot + 1} in {region.name}, {pile_in_words(rat)}"
                lines += wrap(f"{place}: {face}looked at by {who}.", WIDTH, 2)
    return lines


def pile_in_words(rat: Rat) -> str:
    """Where a token came from (RT-05)."""
    return "laid out at the start" if rat.from_start else "from the supply"


def neighbours_in_words(region: Region) -> str:
    """The regions that a rat, a cube or the plague may move to from a region."""
    names = [REGIONS[other].capitalize() for other in region.neighbours]
    return f"neighbour{'s' * (len(names) > 1)} {listed(names)}" if names else "no neighbours"


# What is happening


def situation(seen: View) -> list[str]:
    """The stage of the game, in sentences."""
    if seen.is_over:
        return [result(seen)]
    sentences = [phase_in_words(seen)]
    if seen.active is not None and seen.last is None:
        done = ["has taken a card"] * seen.card_taken + ["has placed cubes"] * seen.cubes_placed
        done = [words.replace("has", "have") for words in done] if seen.active.is_observer else done
        sentences += [f"{subject(seen.active)} {listed(done)}."] if done else []
    sentences += half_made(seen)
    sentences += [f"{number_of(seen.spread_left, 'rat')} left to lay."] if seen.spread_left else []
    sentences += [
        f"The plague counts as {region.neutral} cubes in {region.name}." for region in seen.regions if region.neutral
    ]
    if seen.asked is not None and not seen.asked.is_observer and seen.node != "turn":
        sentences.append(f"{does(seen.asked, 'be')} asked: {ASKED_OTHERS[seen.node or '']}.")
    return sentences


def phase_in_words(seen: View) -> str:
    """Whose turn it is, or what else is happening."""
    if seen.plague is None:
        return "The set-up begins: the plague is laid out by lot."
    where = f"the plague is in {seen.plague.name}"
    if seen.active is None:
        return f"Set-up: everybody puts two cubes on a region, twice; {where}."
    if seen.is_final_ravage:
        return "The final ravage: tokens are flipped by lot wherever there are cubes."
    if seen.last is None:
        return f"It is {possessive(seen.active)} turn; {where}."
    last = f"{named(seen.last)} {'have' if seen.last.is_observer else 'has'} had the last turn"
    return f"The final round: {last}. It is {possessive(seen.active)} part; {where}."


def half_made(seen: View) -> list[str]:
    """RT-70: an ability in progress."""
    if seen.active is None:
        return []
    if seen.merchant is not None:
        cubes = number_of(seen.merchant.moving, "cube")
        return [f"{subject(seen.active)} will move {cubes} out of {seen.merchant.name}."]
    rats = [f"rat {slot + 1} in {region.name}" for region, slot in seen.chosen]
    if not rats:
        return []
    if seen.node == "monk to":
        return [f"{subject(seen.active)} will move {rats[0]}."]
    return [f"{does(seen.active, 'be')} looking at {listed(rats)}."]


def result(seen: View) -> str:
    """Who has won (RT-66)."""
    winner = seen.winner
    tied = sum(player.score == winner.score for player in seen.players) > 1
    return game_over([winner], f"{winner.score} of {CUBES} cubes", "would have been next" if tied else "")


ASKED_OTHERS = {
    "settle": "where to put two cubes",
    "merchant to": "where the cubes go",
    "monk to": "where the rat goes",
    "witch again": "whether to look at a second rat",
    "swap": "whether to swap the two rats",
    "spread": "where to lay a new rat",
    "knight": "whether the plague is to count as two cubes",
    "flip": "which rat to flip",
    "king": "whether to use the King now",
    "final round": "which ability to use",
}
QUESTIONS = {
    "settle": "Where do you put two cubes?",
    "merchant to": "Where do the cubes go?",
    "monk to": "Where does the rat go?",
    "witch again": "At which second rat do you look, or do you stop?",
    "swap": "Do you swap the two rats, or keep them where they are?",
    "knight": "Is the plague to count as two cubes in this ravage?",
    "spread": "Where do you lay a new rat?",
    "flip": "Which rat do you flip?",
    "king": "Which cube goes to the palace, or do you pass?",
    "final round": "Which of your abilities do you use, or do you pass?",
}
#: In a turn, besides the use of cards.
IN_TURN = {
    "take": "take a class card",
    "place": "place cubes",
    "plague": "move the plague, which ends your turn",
}


def question(seen: View) -> str:
    """What the observer is asked; empty when it is not asked."""
    if seen.node is None or seen.asked is None or not seen.asked.is_observer or seen.is_over:
        return ""
    return turn_question(seen) if seen.node == "turn" else QUESTIONS[seen.node]


def turn_question(seen: View) -> str:
    """What may be done in a turn (RT-10, RT-16)."""
    parts = [words for verb, words in IN_TURN.items() if verb in seen.verbs]
    cards = [card for card, name in enumerate(CARDS) if name in seen.verbs]
    parts += [f"use {listed(f'the {CARD_WORDS[card]}' for card in cards)}"] if cards else []
    return f"What do you do? You may {', or '.join(parts)}."
