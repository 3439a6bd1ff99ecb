"""Our games behind TextArena's interface, where TextArena is installed."""

from __future__ import annotations

import re

import pytest

textarena = pytest.importorskip("textarena", reason="TextArena is not installed: pip install textarena")

from rat_envs.engine.errors import ConfigurationError  # noqa: E402
from rat_envs.play.textarena import TextArenaEnv, register  # noqa: E402


def last_key(observation: str) -> str:
    """The last of the choices that were listed last."""
    return re.findall(r"^(\d+)\. ", observation.rpartition("Your choices:\n")[2], re.MULTILINE)[-1]


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        ("rat_envs/BraveRats-v0", 2, {}),
        ("rat_envs/CommeDesRats-v0", 3, {"talk": True}),
        ("rat_envs/Rattus-v0", 2, {}),
        ("rat_envs/RattusCartus-v0", 2, {}),
    ],
)
def test_a_game_is_played_by_the_loop_of_textarenas_documentation(name, players, options):
    register()
    env = textarena.make(name, **options)
    env.reset(num_players=players, seed=4)
    seen, done = {}, False
    while not done:
        player, observation = env.get_observation()
        seen[player] = observation
        done, _ = env.step(action=f"I take the last one.\n[{last_key(observation)}]")
    rewards, info = env.close()
    assert set(rewards) == set(range(players)) and sum(rewards.values()) == pytest.approx(0)
    assert all(f"You are player_{player} in a game of" in text for player, text in seen.items())
    assert all(one["reason"] == "The game is over." and not one["invalid_move"] for one in info.values())


def test_nobody_is_told_what_another_has_answered():
    env = TextArenaEnv("brave_rats")
    env.reset(2, seed=1)
    env.get_observation()
    env.step("The other will never guess that this is my Prince.\n[7]")
    player, observation = env.get_observation()
    assert player == 1
    assert "guess" not in str(observation) and "choose" not in str(observation[1:])


def test_an_answer_that_fits_nothing_is_answered_and_at_last_loses():
    env = TextArenaEnv("brave_rats", error_allowance=1)
    env.reset(2, seed=1)
    env.get_observation()
    assert env.step("banana") == (False, {})
    player, (answer, refusal) = env.get_observation()
    assert (player, answer[:2]) == (0, (0, "banana"))
    assert refusal[1].startswith(
        "'banana' is none of your choices. Answer with the number of one of these: 0. Play Mus"
    )
    assert env.step("banana") == (True, {})
    rewards, info = env.close()
    assert rewards == {0: -1, 1: 1}
    assert [info[player]["invalid_move"] for player in (0, 1)] == [True, False]


def test_equal_seeds_give_equal_games_and_other_numbers_of_players_are_refused():
    env = TextArenaEnv("comme_des_rats")
    texts = []
    for _ in range(2):
        env.reset(4, seed=7)
        texts.append(str(env.get_observation()))
    assert texts[0] == texts[1]
    with pytest.raises(ConfigurationError, match="num_players=3: BraveRats is for 2 players"):
        TextArenaEnv("brave_rats").reset(3)
