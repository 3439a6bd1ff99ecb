"""Ratings, alpha-rank, pairwise results and the picture, each against what is known."""

from __future__ import annotations

import importlib
import io
import itertools
import sys

import numpy as np
import pytest

from rat_envs.arena import Estimate, heatmap, make_plan, play_match, play_tournament
from rat_envs.arena.alpha_rank import alpha_rank, fixation
from rat_envs.arena.estimates import mean_estimate
from rat_envs.arena.heatmap import shortened
from rat_envs.arena.pairwise import by_agent, largest_leads, mean_differences, pairwise
from rat_envs.arena.playing import Played
from rat_envs.arena.ratings import rate
from rat_envs.engine.errors import ConfigurationError, MissingExtraError, needing
from rat_envs.engine.seats import share_out


def played(who: list[list[int]], returns: np.ndarray) -> Played:
    """Games of (deals, seatings, seats) returns, in each deal the same seatings ``who``."""
    seats = np.broadcast_to(np.array(who), returns.shape)
    nothing = np.zeros(returns.shape, np.int32)
    tallies = np.zeros((*returns.shape, 0), np.int32)
    return Played(seats, returns, returns, nothing, nothing.astype(np.int8), tallies, nothing, nothing, nothing)


def duel(one: int, other: int, chance: float, deals: int, seed: int) -> Played:
    """Games of two in both seatings; the first agent wins each with that chance."""
    first = np.where(np.random.default_rng(seed).random((deals, 2)) < chance, 1.0, -1.0)
    returns = np.stack([np.stack([first[:, 0], -first[:, 0]], 1), np.stack([-first[:, 1], first[:, 1]], 1)], 1)
    return played([[one, other], [other, one]], returns)


# Pairwise


def test_pairwise_differences_by_hand() -> None:
    """Three seats, agent 0 in two of them: its return is the mean of both."""
    returns = np.array([[[1.0, 0.0, -1.0]], [[0.0, 0.5, -0.5]]])
    both = played([[0, 0, 1]], returns)
    assert {number: values.tolist() for number, values in by_agent(both, both.mean_returns).items()} == {
        0: [[0.5], [0.25]],
        1: [[-1.0], [-0.5]],
    }
    table = pairwise(3, [both, played([[0, 1, 0]], returns[:, :, ::-1] * 0)])
    assert table[0][2] is table[1][2] is None
    assert table[0][1].mean == pytest.approx((1.5 / 2 + 0.75 / 2) / 2), "over the matches, then over the deals"
    assert table[1][0] == Estimate(-table[0][1].mean, -table[0][1].high, -table[0][1].low)
    differences = mean_differences(table)
    assert np.isnan(differences[0, 2]) and differences[1, 1] == 0


def test_deals_that_two_agents_split_are_no_proof_that_they_are_alike() -> None:
    """Two deals say little: the interval of their difference is that of two equal values from -2 to 2."""
    split = duel(0, 1, 0.5, 2, 0)._replace(mean_returns=np.zeros((2, 2, 2)))
    assert pairwise(2, [split])[0][1] == mean_estimate(np.zeros(2), -2.0, 2.0)


def test_with_more_seats_an_agent_can_be_less_far_ahead() -> None:
    """Four seats: one, two or three of them win alone or together against the others, who lose a third each."""
    matches = [played([[0] * own + [1] * (4 - own)], np.zeros((2, 1, 4))) for own in (1, 2, 3)]
    most = [4 / 3, 2 / 3, 4 / 9]
    for match, lead in zip(matches, most, strict=True):
        won = [share for share in itertools.product((0.0, 1.0), repeat=4) if any(share)]
        leads = []
        for out in map(list, won):
            share_out(out, 4)
            own = (match.who[0, 0] == 0).sum()
            leads.append(np.mean(out[:own]) - np.mean(out[own:]))
        assert max(leads) == pytest.approx(lead)
        assert largest_leads(match) == pytest.approx({0: lead, 1: most[4 - own - 1]})


# Ratings


def test_ratings_tell_how_likely_each_wins() -> None:
    """In the model, wins have the odds e^((mu − mu') / c) to 1, c being the root of twice beta² for certain ratings."""
    chances = {(0, 1): 0.75, (1, 2): 0.75, (0, 2): 0.9}
    matches = [duel(*pair, chance, 2000, seed) for seed, (pair, chance) in enumerate(chances.items())]
    ratings = rate(3, matches)
    assert ratings is not None
    scale = np.sqrt(2) * 25 / 6
    for (one, other), chance in chances.items():
        odds = (ratings[one].mu - ratings[other].mu) / scale
        assert 1 / (1 + np.exp(-odds)) == pytest.approx(chance, abs=0.04)
    assert all(0.3 < rating.sigma < 0.7 for rating in ratings)
    assert ratings == rate(3, matches)


def test_another_order_of_few_games_gives_about_the_same_ratings() -> None:
    """In one order the leads would lie 1.6 apart, in the mean over 40 orders (the standard deviation)."""
    some, random = duel(0, 1, 0.575, 100, 1), np.random.default_rng(0)
    leads = []
    for _ in range(8):
        one, other = rate(2, [some._replace(returns=some.returns[random.permutation(100)])])  # type: ignore[misc]
        leads.append(one.mu - other.mu)
    assert np.std(leads) < 0.6 and min(leads) > 0


def test_equal_returns_are_ties_and_more_players_are_ranked() -> None:
    deals = 40
    returns = np.tile([[[1.0, 0.0, 0.0, -1.0]]], (deals, 1, 1))
    first, second, third, last = rate(4, [played([[0, 1, 2, 3]], returns)])  # type: ignore[misc]
    assert first.mu > second.mu + 3
    assert second.mu == pytest.approx(third.mu, abs=0.1)
    assert third.mu > last.mu + 3


def test_without_openskill_there_are_no_ratings(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    assert rate(2, [duel(0, 1, 0.5, 2, 0)]) is None


# Alpha-rank

#: Values of OpenSpiel 2.0.2, ``alpharank.compute([DIFFERENCES / 2], m, alpha)``, by alpha and m.
DIFFERENCES = np.array([[0, 0.3, -0.1, 0.02], [-0.3, 0, 0.25, -0.01], [0.1, -0.25, 0, 0.04], [-0.02, 0.01, -0.04, 0]])
OF_OPEN_SPIEL = {
    (100, 50): [0.303492833707, 0.234160749503, 0.382178573339, 0.080167843451],
    (10, 50): [0.400891132458, 0.25749377093, 0.29339263851, 0.048222458102],
    (30, 10): [0.316896086715, 0.272771153519, 0.346154024582, 0.064178735183],
}


@pytest.mark.parametrize(("alpha", "population"), OF_OPEN_SPIEL)
def test_alpha_rank_is_that_of_open_spiel(alpha: int, population: int) -> None:
    expected = OF_OPEN_SPIEL[alpha, population]
    assert alpha_rank(DIFFERENCES, alpha, population) == pytest.approx(expected, abs=1e-10)


def test_alpha_rank_of_a_circle_and_of_a_ladder() -> None:
    circle = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert alpha_rank(circle) == pytest.approx([1 / 3] * 3)
    ladder = np.array([[0.0, -1, 1], [1, 0, 2], [-1, -2, 0]])
    assert alpha_rank(ladder) == pytest.approx([0, 1, 0])
    below = np.pad(circle, ((0, 1), (0, 1)))
    below[:3, 3], below[3, :3] = 1, -1
    assert alpha_rank(below) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0]), "who loses to a whole circle has nothing"
    assert alpha_rank(np.zeros((2, 2))) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("advantage", [-3.0, -0.1, 0.0, 1e-9, 0.2, 5.0])
def test_fixation_is_that_of_the_birth_and_death_process(advantage: float) -> None:
    """One among m takes over with 1 / (1 + the sum over k < m of e^(−uk))."""
    chances = 1 / (1 + sum(np.exp(-advantage * k) for k in range(1, 20)))
    assert fixation(np.array([[advantage]]), 20)[0, 0] == pytest.approx(chances, rel=1e-9)


def test_large_advantages_do_not_overflow() -> None:
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert fixation(np.array([1e4, -1e4]), 50).tolist() == [1.0, 0.0]


# The picture


def test_heatmap_is_a_picture_with_the_best_in_blue() -> None:
    from PIL import Image

    names = ["ismcts:sims=1000,rollout=greedy", "random", "greedy"]
    differences = np.array([[0, 1.5, np.nan], [-1.5, 0, -0.2], [np.nan, 0.2, 0]])
    content = heatmap(names, differences, "brave_rats")
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    assert picture.format is None and min(picture.size) > 300
    colours = {colour for _, colour in picture.getcolors(10**6)}
    assert any(blue > red + 60 for red, _, blue in colours)
    assert any(red > blue + 60 for red, _, blue in colours)
    assert heatmap(names, -differences, "brave_rats") != content


def test_heatmap_takes_the_result_of_a_tournament_and_says_what_else_it_needs() -> None:
    result = play_tournament(make_plan("brave_rats", ["greedy", "random", "nash"], {"fast": True}, games=4))
    assert heatmap(result) == heatmap(result.names, result.differences(), "brave_rats: who beats whom")
    match = play_match("brave_rats", ["greedy", "random"], {"fast": True}, games=4)
    for given in ([match], [["a", "b"]], [["a", "b"], np.zeros((3, 3))]):
        with pytest.raises(
            ConfigurationError, match=r"^heatmap needs the TournamentResult of play_tournament, or names"
        ):
            heatmap(*given)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["greedy", "random"], ["greedy", "random"]),
        (["runs/a/policy.st", "runs/b/policy.st", "greedy"], ["a/policy.st", "b/policy.st", "greedy"]),
        (
            ["/home/me/course/ann/agent.py:Bot", "/home/me/course/bob/agent.py:Bot"],
            ["ann/agent.py:Bot", "bob/agent.py:Bot"],
        ),
        (["/home/one.st", "runs/two.st"], ["/home/one.st", "runs/two.st"]),
        (["/home/one.st", "/two.st"], ["home/one.st", "two.st"]),
        (["llm:" + 60 * "x" + ",model=m", "nash"], ["…" + 23 * "x" + ",model=m", "nash"]),
        (["a" + 60 * "x", "b" + 60 * "x"], ["a" + 60 * "x", "b" + 60 * "x"]),
    ],
)
def test_long_names_are_shortened_as_long_as_they_are_told_apart(names: list[str], short: list[str]) -> None:
    assert shortened(names) == short


def test_names_with_dollar_signs_are_drawn_as_they_are() -> None:
    pytest.importorskip("matplotlib")
    assert heatmap(["$\\rat$.py:Rat", "a_$x$"], np.zeros((2, 2)), "$\\rat$").startswith(b"\x89PNG")


def test_a_library_that_is_there_and_broken_is_named_with_its_reason(monkeypatch, tmp_path) -> None:
    (tmp_path / "seaborn.py").write_text("raise ImportError('libcudart.so.12: cannot open')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "seaborn", raising=False)
    sentence = r"^This needs libraries of which one cannot be imported: libcudart\.so\.12: cannot open\.$"
    with pytest.raises(MissingExtraError, match=sentence), needing("This", "arena"):
        importlib.import_module("seaborn")


def test_the_heatmap_says_what_it_needs(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r'^The heatmap needs matplotlib: pip install ".*\[arena\]"$'):
        heatmap(["a", "b"], np.zeros((2, 2)), "")
