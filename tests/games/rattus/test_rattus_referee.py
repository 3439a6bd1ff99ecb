"""The second referee of Rattus by itself: it is here before the game that ``test_rattus_nodes.py`` will hold to it."""

import random

import pytest
from rattus_referee import Referee

#: The worked example of the specification up to the last turn's first flip.
EXAMPLE = """
plague scandia; place tartaria; place turcia; place bulgaria; place gallia
place tartaria; place bulgaria; place turcia; place tartaria
take monk; place tartaria; plague germania; rat polonia
place turcia; plague scandia; rat anglia
take knight; place gallia; plague germania; rat gallia
take peasant; place tartaria; plague scandia; rat russia
take witch; place tartaria; plague germania; rat gallia
place turcia; plague scandia; rat russia
place bulgaria; plague germania; rat hungaria
take merchant; place tartaria; plague scandia; rat anglia
take king; place tartaria; plague germania; rat italia
place turcia; plague gallia; rat hispania; rat hispania; flip 2; token r01; flip 1; token s03; token r06
"""


def test_the_rulebooks_example_comes_out() -> None:
    referee = Referee({"players": 4, "king_after_plague": True, "map": "default", "tokens": "default"})
    for text in EXAMPLE.strip().replace("\n", "; ").split("; "):
        assert text in referee.options(), f"{text} is not among {sorted(referee.options())}"
        referee.apply(text)
    assert referee.actor() == 2
    assert "place hispania" in referee.options()
    assert "place gallia" not in referee.options(), "there are no rats left"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_end_with_one_winner_and_returns_that_sum_to_0(players: int) -> None:
    luck = random.Random(players)
    for _ in range(10):
        referee = Referee({"players": players, "king_after_plague": True, "map": "default", "tokens": "default"})
        while not referee.over:
            options = referee.options()
            referee.apply(luck.choice(sorted(options)))
        returns, scores, winners = referee.result()
        assert len(winners) == 1
        assert abs(sum(returns)) < 1e-9
        assert scores[winners[0]] == max(scores)
