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


@pytest.mark.parametrize("answer", ["I think the wizard is best.\n5", "5", "[5]", "wizard", "So: [5]", "\\boxed{5}"])
def test_answers_are_read_through_the_usual_wrappers(answer):
    register()
    env = textarena.make("rat_envs/BraveRats-v0")
    env.reset(2, seed=1)
    env.get_observation()
    assert env.step(answer) == (False, {}) and env.get_observation()[0] == 1


def test_another_game_begins_without_the_texts_of_the_first():
    register()
    env = textarena.make("rat_envs/BraveRats-v0")
    for _ in range(2):
        env.reset(2, seed=1)
        assert env.get_observation()[1].count("You are player_0") == 1
        env.step("[5]")


def test_the_short_version_shows_the_newest_table_and_all_news():
    register()
    whole, short = (textarena.make(f"rat_envs/Rattus-v0{version}") for version in ("", "-short"))
    done = False
    for env in (whole, short):
        env.reset(2, seed=4)
    while not done:
        (player, text), (same, part) = whole.get_observation(), short.get_observation()
        assert player == same and part.count("Your choices:\n") == 1 and len(part) <= len(text)
        lines = part.splitlines()
        assert [line for line in text.splitlines() if line in set(lines)][-5:] == lines[-5:]
        for env in (whole, short):
            done, _ = env.step(f"[{last_key(part)}]")
    assert whole.close()[0] == short.close()[0] and len(part) < len(text) / 5


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"error_allowance": "x"}, "error_allowance='x': must be a whole number"),
        ({"error_allowance": -1}, "error_allowance=-1: must be 0 or more"),
        ({"players": 5}, "players=5: reset is told how many play"),
    ],
)
def test_wrong_options_are_refused(wrong, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        TextArenaEnv("comme_des_rats", **wrong)
    with pytest.raises(ConfigurationError, match="num_players='2': must be a whole number"):
        TextArenaEnv("comme_des_rats").reset("2")


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
