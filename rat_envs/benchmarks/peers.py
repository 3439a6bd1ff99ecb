"""Speed of installed peers, measured in turns with one of our games, with random legal play on one core."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rat_envs.api.aec import RatAECEnv
from rat_envs.benchmarks.games import aec_loop, batch_steps
from rat_envs.benchmarks.measuring import Row, in_turns
from rat_envs.engine.game import Game

__all__ = ["measure_peers"]

Work = Callable[[], int]


def _pettingzoo() -> Iterator[tuple[str, Work]]:
    import pettingzoo

    for name in ("rps_v2", "tictactoe_v3", "leduc_holdem_v4"):
        module = importlib.import_module(f"pettingzoo.classic.{name}")
        env = module.env()
        env.reset(seed=0)
        loop = _rps_loop if name == "rps_v2" else aec_loop
        yield f"PettingZoo {pettingzoo.__version__} {name}, as returned", functools.partial(loop, env, 10)


def _rps_loop(env, games: int) -> int:
    """The ordinary loop for a game whose observation has no mask."""
    steps = 0
    for _ in range(games):
        env.reset()
        for _agent in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(steps % 3)
            steps += 1
    return steps


def _open_spiel() -> Iterator[tuple[str, Work]]:
    import pyspiel

    def seen_and_chosen(state: Any, player: int, number: int) -> int:
        """The action of a player that has been given its observation and its legal actions."""
        state.information_state_tensor(player)
        legal = np.asarray(state.legal_actions_mask(player)).nonzero()[0]
        return int(legal[number % len(legal)])

    for name in ("goofspiel(num_cards=8)", "leduc_poker"):
        game = pyspiel.load_game(name)

        def play(game=game) -> int:
            steps = 0
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(state.chance_outcomes()[0][0])
                    continue
                if state.is_simultaneous_node():
                    state.apply_actions([seen_and_chosen(state, player, steps + player) for player in range(2)])
                    steps += 2
                    continue
                state.apply_action(seen_and_chosen(state, state.current_player(), steps))
                steps += 1
            return steps

        yield f"OpenSpiel {name} from Python, observation and mask", play


def _rlcard() -> Iterator[tuple[str, Work]]:
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make("leduc-holdem")
    env.set_agents([RandomAgent(env.num_actions) for _ in range(env.num_players)])

    def play() -> int:
        before = env.timestep
        env.run(is_training=False)
        return env.timestep - before

    yield "RLCard leduc-holdem", play


def _pgx() -> Iterator[tuple[str, Work]]:
    import jax
    import jax.numpy as jnp
    import pgx

    games = 4096
    for name in ("tic_tac_toe", "leduc_holdem"):
        env = pgx.make(name)
        step = _pgx_step(env, jax, jnp)
        state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))
        box = [state, jax.random.PRNGKey(1)]

        def play(step=step, box=box) -> int:
            box[1], key = jax.random.split(box[1])
            box[0] = jax.block_until_ready(step(box[0], key))
            return games

        yield f"Pgx {name}, batch of {games:,} on the CPU", play


def _pgx_step(env, jax, jnp):
    from pgx.experimental import auto_reset

    advance = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def step(state, key):
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        keys = jax.random.split(key, logits.shape[0])
        return advance(state, jax.random.categorical(key, logits, axis=-1), keys)

    return step


PEERS = {"pettingzoo.classic": _pettingzoo, "pyspiel": _open_spiel, "rlcard": _rlcard, "pgx": _pgx}


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep all threads that begin within it on one core, if the system allows it: JAX would use all cores."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure_peers(game: Game, effort: float) -> list[Row]:
    """Steps per second of each peer that is installed; the ratio is ours over theirs, loop to loop, batch to batch.

    Args:
        game: our game.
        effort: as for :func:`rat_envs.benchmarks.run_benchmarks`.
    """
    env = RatAECEnv(game)
    env.reset(seed=0)
    loop, batch = (functools.partial(aec_loop, env, 50), "agent_iter loop"), (batch_steps(game), "Batch, random play")
    rows = []
    for package, peers in PEERS.items():
        ours, name = batch if package == "pgx" else loop
        with contextlib.suppress(ImportError), warnings.catch_warnings(), one_core():
            warnings.simplefilter("ignore")
            for what, work in peers():
                _, theirs, ratio = in_turns(ours, work, effort)
                rows.append(Row(what, theirs, "steps/s", f"ours ({game.name}, {name})", ratio))
    return rows
