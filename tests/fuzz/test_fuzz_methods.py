"""Public methods called with anything: a right answer, or one sentence, and never a crash.

``RAT_ENVS_FUZZ=20000 pytest tests/fuzz/test_fuzz_methods.py`` makes 20,000 calls in each game.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from games_and_configurations import GAMES

import rat_envs
from rat_envs.api.named_agents import make_agent
from rat_envs.api.single import RatSingleEnv, RatVectorEnv
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import RatEnvsError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game

TIMES = int(os.environ.get("RAT_ENVS_FUZZ", "2000" if compiling() else "100"))
LONGEST = 2000  # sentences about illegal actions list those that are legal

#: Values that somebody may hand to a method, in place of what it asks for.
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        2,
        5,
        -1,
        -2,
        99,
        10**6,
        2**31,
        2**32 - 1,
        2**63,
        2**64,
        -(2**63) - 1,
        10**30,
        0.5,
        1e300,
    ),
    *(float("nan"), float("inf"), "", "x", "player_0", "player_1", "public", "own", "x" * 10_000, b"", b"\0" * 64, 1j),
    *(
        [],
        [0],
        [0, 1],
        [[0]],
        [None],
        ["x"],
        {},
        {"player_0": 0},
        {"players": 3},
        {"players": 99},
        (),
        (0,),
        {0},
        range(3),
    ),
    *(
        np.array([0]),
        np.array([10**6]),
        np.array([-1]),
        np.array(3),
        np.array([0.5]),
        np.array([np.nan]),
        np.zeros((2, 2)),
    ),
    *(
        np.array(["x"]),
        np.array([None]),
        np.array([], int),
        np.int8(-5),
        np.uint64(2**63),
        np.float32(1),
        object(),
        print,
    ),
)


def agent_calls(make: Callable[..., Any], game: str) -> dict[str, Callable[..., Any]]:
    """The methods of an environment by name, each as a function of odd values; it is made anew now and then."""
    env = make(game)
    env.reset(seed=1)
    names = ("reset", "step", "observe", "observation_space", "action_space", "legal_for", "determinize", "render_for")
    calls = {name: getattr(env, name) for name in names if hasattr(env, name)}
    calls |= {name: getattr(env, name) for name in ("load_state_dict", "last") if hasattr(env, name)}
    calls["state_dict"] = lambda *odd: env.load_state_dict(
        {**env.state_dict(), **dict(zip(env.state_dict(), odd, strict=False))}
    )
    return calls


def batch_calls(game: str) -> dict[str, Callable[..., Any]]:
    """The methods of a batch, and the making of one."""
    batch = Batch(game, 3, seed=1)
    names = ("seed", "reset", "step", "observe", "observe_one", "set_state", "explain", "begin_at")
    return {
        **{name: getattr(batch, name) for name in names},
        "n": lambda odd: Batch(game, odd if not isinstance(odd, int) or odd < 1000 else -odd),
        "config": lambda odd: Batch(game, 2, odd),
        "making": lambda odd: Batch(game, 2, seed=odd),
        "threads": lambda odd: Batch(game, 2, threads=odd),
        "of": lambda odd: Batch(odd, 2),
    }


def position_calls(game: str) -> dict[str, Callable[..., Any]]:
    """The methods of a position, and the making of one."""
    position = Position(game)
    stream = new_stream(position.game, 1)
    return {
        "apply": position.apply,
        "observe": position.observe,
        "determinize": lambda odd: position.determinize(odd, stream),
        "stream": lambda odd: position.determinize(0, odd),
        "sample": lambda odd: position.copy().sample(odd),
        "config": lambda odd: Position(game, odd),
        "new_stream": lambda odd: new_stream(position.game, odd),
    }


def gymnasium_calls(game: str) -> dict[str, Callable[..., Any]]:
    """The methods of gymnasium's two environments, and the making of one."""
    single, many = RatSingleEnv(game), RatVectorEnv(game, 3)
    single.reset(seed=1)
    many.reset(seed=1)
    return {
        "single step": single.step,
        "single reset": lambda odd: single.reset(seed=odd),
        "many step": many.step,
        "many reset": lambda odd: many.reset(seed=odd),
        "opponent": lambda odd: RatSingleEnv(game, odd),
        "seat": lambda odd: RatSingleEnv(game, "random", odd),
        "render mode": lambda odd: RatSingleEnv(game, render_mode=odd),
        "num_envs": lambda odd: RatVectorEnv(game, odd if not isinstance(odd, int) or odd < 1000 else -odd),
        "make_agent": lambda odd: make_agent(odd, get_game(game)),
        "agent's seed": lambda odd: make_agent("random", get_game(game), odd),
    }


KINDS = {
    "aec": lambda game: agent_calls(rat_envs.make, game),
    "parallel": lambda game: agent_calls(rat_envs.make_parallel, game),
    "batch": batch_calls,
    "position": position_calls,
    "gymnasium": gymnasium_calls,
}


def arguments_of(name: str, random: np.random.Generator) -> list[Any]:
    """As many odd values as a method takes."""
    number = {"observe_one": 2, "explain": 2, "determinize": 2, "render_for": 2, "last": 0, "observe": 1, "begin_at": 2}
    return [ODD[random.integers(len(ODD))] for _ in range(number.get(name, 1))]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_anything_gets_a_right_answer_or_a_sentence(kind, game):
    random = np.random.default_rng(7)
    calls = KINDS[kind](game)
    wrong = set()
    for number in range(TIMES // 10):
        name = list(calls)[number % len(calls)]
        arguments = arguments_of(name, random)
        if kind == "position" and name == "determinize":
            arguments = arguments[:1]
        if kind == "batch" and name == "observe":
            arguments = arguments * 2
        try:
            calls[name](*arguments)
        except (RatEnvsError, gymnasium.error.Error) as error:
            if len(str(error)) > LONGEST:
                wrong.add(f"{name}: {len(str(error))} characters")
        except Exception as error:
            wrong.add(f"{name}{tuple(str(a)[:40] for a in arguments)}: {type(error).__name__} {str(error)[:100]!r}")
        if number % 200 == 199:
            calls = KINDS[kind](game)
    assert not wrong, "\n" + "\n".join(sorted(wrong))
