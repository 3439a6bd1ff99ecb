"""Our own games keep the contract that games from outside are held to, and whatever breaks it is named."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from games_and_configurations import each_pair
from pennies import PENNIES
from stones import STONES, actor, apply, determinize, legal, observe, returns, winners

from rat_envs.engine.choices import Choice, Offer
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import ContractError, LeakError
from rat_envs.engine.game import Game
from rat_envs.engine.presets import Preset
from rat_envs.engine.registry import all_games
from rat_envs.testing import check_game


@each_pair
def test_our_games_keep_the_contract(game: str, config: dict[str, Any]) -> None:
    """One game node by node; ``test_leaks.py`` looks at more positions."""
    check_game(game, [config], games=1, positions=4)


def test_a_toy_game_keeps_it_and_is_registered_for_the_moment_only() -> None:
    check_game(STONES, [None, {"players": 2, "lose": True}, {"players": 4, "pile": "large"}], games=2, positions=40)
    assert "stones" not in all_games()


def with_rules(**rules: Callable[..., Any]) -> Game:
    """The toy game with some other rules."""
    return with_rules_of(STONES, **rules)


def with_rules_of(game: Game, **rules: Callable[..., Any]) -> Game:
    """A game with some other rules, and a name of its own: compiled code is found again by the name."""
    name = "_".join([game.name, *(rule.__name__ for rule in rules.values())])
    return dataclasses.replace(game, name=name, rules=dataclasses.replace(game.rules, **rules))


# Each of these breaks one part of the contract. Row and arguments are those of the rule that is replaced.


def actor_is_a_seat_too_many(row):
    return 3 if row.stones == 1 else actor(row)


def actor_says_nothing(row):
    pass


def actor_changes_the_row(row):
    row.stones = 3
    return 0


def setup_raises(row):
    row.turn = [1][row.turn + 1]


def legal_allows_nothing(row, mask):
    if row.whisper == 0:
        legal(row, mask)


def legal_writes_two(row, mask):
    mask[2] = 2


def legal_allows_too_much(row, mask):
    legal(row, mask)
    mask[0] = mask[1] = 1


def apply_raises_for_too_much(row, action):
    if row.turn >= 0 and row.whisper > 0 and action + 1 > row.stones:
        raise ValueError("so many stones are not there")
    apply(row, action)


def legal_changes_the_row(row, mask):
    legal(row, mask)
    row.whisper = 1


def chance_is_negative(row, weights):
    weights[0] = 2
    weights[1] = -1


def chance_does_nothing(row, weights):
    pass


def chance_is_too_heavy(row, weights):
    weights[0] = weights[1] = 2**30


def apply_does_nothing_more(row, action):
    if row.whisper == 0:
        apply(row, action)


def apply_changes_the_configuration(row, action):
    apply(row, action)
    row.config.lose = 1


def observe_changes_the_row(row, seat, out):
    observe(row, seat, out)
    row.whisper = 2


def observe_writes_what_is_fixed(row, seat, out):
    observe(row, seat, out)
    out.lose = seat


def observe_goes_too_far(row, seat, out):
    out.stones = [5, 6, 7][row.stones - 5]


def returns_are_in_stones(row, out):
    for seat in range(row.config.players):
        out[seat] = row.config.players - 1 if seat == row.turn else -1


def returns_are_for_the_winner_alone(row, out):
    out[row.turn] = 1


def returns_change_the_row(row, out):
    returns(row, out)
    row.stones = 1


def eliminated_names_the_winners(row, out):
    winners(row, out)


def winners_name_a_seat_too_many(row, out):
    out[3] = 1


def scores_change_the_row(row, out):
    row.stones = 1


def winners_name_nobody(row, out):
    pass


def returns_are_a_draw_but_for_rounding(row, out):
    out[0] = 1e-17
    out[1] = -1e-17


def test_a_draw_needs_no_winner_whatever_rounding_does() -> None:
    rules = {"returns": returns_are_a_draw_but_for_rounding, "winners": winners_name_nobody}
    check_game(with_rules(**rules), games=1, positions=1)


def determinize_replaces_what_is_known(row, seat, stream):
    if row.whisper > 0:
        row.whisper = row.whisper % 3 + 1


def determinize_takes_a_stone(row, seat, stream):
    determinize(row, seat, stream)
    if seat == row.turn and row.stones >= 2:
        row.stones = 1


def observe_tells_a_secret(row, seat, out):
    out.stones = row.stones
    out.whisper = row.whisper


def observe_says_nothing(row, seat, out):
    pass


def determinize_changes_the_configuration(row, seat, stream):
    row.config.lose = 1


def tally_changes_the_row(row, action, counts):
    row.stones = 1


def simultaneous_changes_the_row(row):
    row.stones = 1


def public_raises(row):
    row.whisper = [0][row.stones]


def legal_is_for_small_numbers(row, mask):
    """Interpreted, the product is a number of one byte; compiled, it is of eight."""
    mask[0] = 1
    mask[1] = row.stones * 50 >= 100


def actor_is_nobody(row):
    return -2


def simultaneous_to_the_last(row):
    return row.turn >= 0


FAULTS: dict[Callable[..., Any] | tuple[Callable[..., Any], ...], str] = {
    setup_raises: "setup raises IndexError .*: it must raise nothing",
    actor_is_a_seat_too_many: "actor returns 3: it must be a seat below 3, CHANCE or TERMINAL",
    actor_says_nothing: "actor returns None: it must be a seat below 3",
    actor_changes_the_row: "actor changes the row: only setup, apply and determinize may",
    legal_allows_nothing: "legal allows player_0 nothing, though it is to act: it must allow something",
    legal_writes_two: "legal writes 2 into the mask: it must write 1, or nothing",
    legal_changes_the_row: "legal changes the row",
    (legal_allows_too_much, apply_raises_for_too_much): (
        r"apply of the legal action 'take 2' raises ValueError \(so many stones are not there\): it must raise nothing"
    ),
    chance_is_negative: "chance writes a negative weight: weights are whole numbers from 0",
    chance_does_nothing: "chance writes weights that add up to 0: they must add up to a number from 1",
    chance_is_too_heavy: "chance writes weights that add up to 2147483648: they must",
    apply_does_nothing_more: "apply leads to no end in 500 nodes: games must end",
    apply_changes_the_configuration: "apply of .* changes the configuration in the row: it must stay as it is",
    observe_changes_the_row: "observe changes the row",
    observe_writes_what_is_fixed: "observe or observe_fixed writes fields from 'lose' on that differ between seats",
    observe_goes_too_far: "observe raises IndexError .*: it must raise nothing",
    returns_are_in_stones: r"returns gives \[.*2\.0.*\]: a return must be from -1 to 1",
    returns_are_for_the_winner_alone: r"returns gives \[.*1\.0.*\]: they must add up to 0",
    returns_change_the_row: "returns changes the row",
    scores_change_the_row: "scores changes the row",
    eliminated_names_the_winners: r"eliminated names the seats \[.*\] where \[.*\] have won: it must name other seats",
    winners_name_a_seat_too_many: r"winners names the seats \[3\]: it must name seats below 3",
    winners_name_nobody: r"winners names nobody where returns gives \[.*\]: it must name those that have won",
    determinize_replaces_what_is_known: "determinize changes what player_0 observes: it may replace only what",
    (observe_says_nothing, determinize_takes_a_stone): "determinize changes what player_. may do: the mask must stay",
    determinize_changes_the_configuration: "determinize changes the configuration in the row",
    observe_tells_a_secret: "determinize changes what player_[12] observes",
    public_raises: "public raises IndexError",
    tally_changes_the_row: "tally changes the row",
    simultaneous_changes_the_row: "simultaneous changes the row",
    simultaneous_to_the_last: (
        r"simultaneous says of the seats \[0.*\] that their choices stay unseen until another has chosen"
    ),
    legal_is_for_small_numbers: r"legal comes to a number that its type does not hold \(overflow .*\): write int\(",
    actor_is_nobody: "actor says that a new game is over: somebody, or chance, must be to act",
}


def broken(fault: Any) -> Game:
    """The toy game with rules that are named like ``legal_allows_nothing``."""
    rules = fault if isinstance(fault, tuple) else (fault,)
    return with_rules(**{rule.__name__.split("_")[0]: rule for rule in rules})


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: getattr(fault, "__name__", "two_rules"))
def test_a_broken_rule_is_named(fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rat_envs.testing.walks.LONGEST_GAME", 500)
    with pytest.raises(ContractError, match=rf"^configs\[0\], game of seed \d, {FAULTS[fault]}.*\.$"):
        check_game(broken(fault), games=10)
    assert not [name for name in all_games() if name.startswith("stones")]


def actor_is_wrong_for_two(row):
    return 2 if row.config.players == 2 and row.turn >= 0 else actor(row)


def test_the_configuration_in_which_a_rule_is_broken_is_named() -> None:
    game = with_rules(actor=actor_is_wrong_for_two)
    with pytest.raises(ContractError, match=r"^configs\[1\], game of seed 7, actor returns 2: it must be .* below 2"):
        check_game(game, [{"pile": "large"}, {"players": 2}], games=1, positions=1, seed=7)


# What interpreted play alone does not show


def scores_are_drawn(row, out):
    out[0] = np.random.randint(1_000_000)


def legal_takes_words_for_numbers(row, mask):
    legal(row, mask)
    for number in [7, "8"]:
        mask[0] = mask[0] or int(number) == 9


def determinize_depends_on_the_truth(row, seat, stream):
    if seat != 0 and row.whisper > 0:
        row.whisper = row.whisper % 3 + 1


WHEN_COMPILED = {
    scores_are_drawn: "scores does something else when compiled",
    legal_takes_words_for_numbers: "legal cannot be compiled (.*): it must keep to what Numba compiles",
    determinize_depends_on_the_truth: "determinize for player_1 depends on what that seat cannot know",
}


@pytest.mark.skipif(not compiling(), reason="needs compiled mode to compare with")
@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("fault", WHEN_COMPILED, ids=lambda fault: fault.__name__)
def test_a_rule_that_is_another_one_when_compiled_is_named(fault: Any) -> None:
    with pytest.raises(ContractError, match=rf"^configs\[0\], game of seed 0, {WHEN_COMPILED[fault]}.*\.$"):
        check_game(broken(fault))


def chance_is_drawn(row, weights):
    weights[np.random.randint(3)] = 1


def test_a_game_that_is_played_otherwise_in_a_batch_is_caught() -> None:
    with pytest.raises(
        ContractError, match=r"^configs\[0\], after \d+ steps states .* of game \d+ of a batch differ from"
    ):
        check_game(with_rules(chance=chance_is_drawn), games=0)


def chance_lays_twelve(row, weights):
    weights[3] = 1


@dataclasses.dataclass(frozen=True)
class Forgetful(STONES.configuration):
    """Options of which a record keeps only the number of players."""

    def to_dict(self) -> dict[str, Any]:
        return {"players": self.players}


@pytest.mark.parametrize(
    ("chance", "sentence"),
    [
        (STONES.rules.chance, r"raises RecordError \(.*\): it must raise nothing"),
        (chance_lays_twelve, "leads to another row: to_dict of the configuration must hold all options"),
    ],
)
def test_a_configuration_that_records_do_not_hold_is_caught(chance: Callable[..., Any], sentence: str) -> None:
    game = dataclasses.replace(with_rules(chance=chance), configuration=Forgetful)
    with pytest.raises(ContractError, match=f"playing the record again {sentence}"):
        check_game(game, [{"pile": "large"}])


def determinize_whispers_one(row, seat, stream):
    if seat != 0 and row.whisper > 0:
        row.whisper = 1


def test_what_leaks_and_what_is_sampled_unfairly_is_caught() -> None:
    with pytest.raises(LeakError, match=r"^player_[12] is told what it cannot know of 'whisper [123]'"):
        check_game(dataclasses.replace(STONES, sees=lambda event, seat: [event.notation]), games=1)
    with pytest.raises(LeakError, match=r"^determinize for player_[12] does not sample fairly"):
        check_game(with_rules(determinize=determinize_whispers_one), games=1)


@dataclasses.dataclass(frozen=True)
class Open(STONES.configuration):
    """Options that do not say that the whisper is hidden."""

    def hidden_information(self) -> str | None:
        return None


@dataclasses.dataclass(frozen=True)
class Closed(PENNIES.configuration):
    """Options that say that more is hidden."""

    def hidden_information(self) -> str | None:
        return "a secret"


def never_simultaneous(row):
    return False


def public_does_nothing(row):
    pass


REPLACES = "determinize for player_[12] replaces more than public takes back, though hidden_information says that"
WHAT_IS_HIDDEN = {
    "hidden_information": (dataclasses.replace(STONES, name="open_stones", configuration=Open), REPLACES),
    "public": (with_rules_of(PENNIES, public=public_does_nothing), REPLACES),
    "simultaneous beside what is hidden": (
        dataclasses.replace(
            with_rules_of(PENNIES, simultaneous=never_simultaneous), name="closed_pennies", configuration=Closed
        ),
        "public takes back a choice of which",
    ),
    "simultaneous": (with_rules_of(PENNIES, simultaneous=never_simultaneous), "public takes back a choice of which"),
}


@pytest.mark.parametrize("rule", WHAT_IS_HIDDEN)
def test_what_is_hidden_must_be_declared_or_exact_answers_were_wrong(rule: str) -> None:
    game, sentence = WHAT_IS_HIDDEN[rule]
    with pytest.raises(ContractError, match=rf"^configs\[0\], game of seed 0, {sentence}"):
        check_game(game, games=1, positions=1)


def test_a_game_of_one_choice_each_keeps_the_contract() -> None:
    check_game(PENNIES, games=2, positions=40)


def test_a_state_without_what_is_no_sample_can_be_given() -> None:
    game = with_rules(determinize=determinize_whispers_one)
    check_game(game, games=1, positions=50, hidden_state=lambda env: env.unwrapped.game_state.stones.tobytes())


# Declarations


def test_a_preset_that_cannot_be_played_is_named() -> None:
    game = dataclasses.replace(STONES, presets=(Preset("small", "Soon over.", {}, ("lay 5", "take 1")),))
    with pytest.raises(
        ContractError, match=r"^The preset small of stones cannot be played: player_0 cannot do 'take 1'"
    ):
        check_game(game)


def test_a_preset_whose_rules_fail_is_named() -> None:
    game = dataclasses.replace(with_rules(setup=setup_raises), presets=(Preset("small", "Soon over.", {}, ("lay 5",)),))
    with pytest.raises(ContractError, match=r"^The preset small of .* cannot be played: IndexError: list index out of"):
        check_game(game)


def always_two(observation, mask):
    return 1


def misspelt(observation, mask):
    return observation.stone


HEURISTICS = {
    always_two: "act_batch returns .*: not all of these actions are legal",
    misspelt: r"act_batch raises KeyError \('stone'\): it must raise nothing",
}


@pytest.mark.skipif(not compiling(), reason="a misspelt name is another error when interpreted")
@pytest.mark.parametrize("heuristic", HEURISTICS, ids=lambda heuristic: heuristic.__name__)
def test_a_heuristic_that_plays_wrongly_is_named(heuristic: Any) -> None:
    game = dataclasses.replace(STONES, heuristics={"greedy": heuristic})
    with pytest.raises(ContractError, match=rf"^configs\[0\], heuristic 'greedy', {HEURISTICS[heuristic]}"):
        check_game(game, games=0, positions=1)


def offer_all_but_one(state, seat, actions):
    return Offer("Which?", tuple(Choice(action, STONES.actions[action]) for action in actions[:-1]))


def offer_by_the_whisper(state, seat, actions):
    return Offer(f"After {state.whisper}?", tuple(Choice(action, STONES.actions[action]) for action in actions))


@pytest.mark.parametrize(
    ("offered", "sentence"),
    [
        (offer_all_but_one, r"offer has choices for the actions \[2, 3\] where \[2, 3, 4\] are legal"),
        (offer_by_the_whisper, "offer depends on what the seat to act cannot know: that was replaced"),
    ],
)
def test_a_wrong_offer_is_named(offered: Any, sentence: str) -> None:
    game = dataclasses.replace(STONES, offer=offered)
    with pytest.raises(ContractError, match=rf"^configs\[0\], game of seed \d, {sentence}"):
        check_game(game, games=10, positions=1)


SHOWN: dict[str, tuple[dict[str, Any], str]] = {
    "text": (
        {"text": lambda row: ""},
        r"text from the point of view None raises TypeError \(.*\): it must raise nothing",
    ),
    "no text": ({"text": lambda row, seat: 3}, "text from the point of view None returns int: it must return a text"),
    "paragraphs": (
        {"paragraphs": lambda row, seat: "A stone."},
        r"paragraphs from the point of view None returns 'A stone\.': it must return a list of texts",
    ),
    "drawing": ({"drawing": lambda row, seat: "a table"}, "drawing from the point of view None returns what is no SVG"),
    "asks_openly": ({"asks_openly": lambda row, seat: 3}, "asks_openly returns 3: it must be true or false"),
    "sees": ({"sees": lambda event, seat: "A stone."}, "sees of 'lay .*' returns 'A stone.': it must return a list of"),
    "remembers": (
        {"remembers": lambda event, seat: None, "drawing": lambda row, seat, remembered: "<svg/>"},
        "remembers of 'lay .*' returns None: it must be a list",
    ),
}


@pytest.mark.parametrize("what", SHOWN)
def test_what_shows_a_game_wrongly_is_named(what: str) -> None:
    changes, sentence = SHOWN[what]
    with pytest.raises(ContractError, match=rf"^configs\[0\], {sentence}"):
        check_game(dataclasses.replace(STONES, **changes), games=0, positions=1)


def test_a_heuristic_that_every_game_has_as_an_agent_is_named() -> None:
    with pytest.raises(
        ContractError, match=r"^The heuristic 'ismcts' would never play: every game has an agent of that"
    ):
        check_game(dataclasses.replace(STONES, heuristics={"ismcts": always_two}))


@pytest.mark.parametrize("training", [{"pppo": {}}, {"ppo": {"hiden": (16,)}}])
def test_settings_that_no_learner_has_are_named(training: dict[str, Any]) -> None:
    pytest.importorskip("torch")
    with pytest.raises(ContractError, match=r"^training of stones cannot be used for 'p+o': .*(learner|hidden)"):
        check_game(dataclasses.replace(STONES, training=training))


def test_a_name_that_is_taken_is_named() -> None:
    game = dataclasses.replace(STONES, name="brave_rats")
    with pytest.raises(
        ContractError, match=r"^The name 'brave_rats' is that of another game, BraveRats: a name is uni"
    ):
        check_game(game)
