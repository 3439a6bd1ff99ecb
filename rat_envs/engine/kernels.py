"""Loops over many games at once, written once and bound to one game's rules by ``Specialiser``.

A single environment is a batch of one. ``rat_envs.engine.memory`` describes the layout of ``memory``. The names
declared below stand for the bound game's own, and so do the rules that are imported from ``contract``.
"""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.contract import (
    NUMBER_OF_ACTIONS,
    NUMBER_OF_OUTCOMES,
    actor,
    apply,
    chance,
    declare,
    determinize,
    legal,
    observe,
    observe_fixed,
    possible,
    returns,
    setup,
)
from rat_envs.engine.counts import fill
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.engine.memory import GAMES_PER_SCRATCH, fetch_ahead, record_at
from rat_envs.engine.random import draw_set_byte, draw_weighted, seed_stream

#: The dtype of each array of a batch, and how many bytes per game lie before it.
STREAMS, PLAY_STREAMS, REWARDS, ACTORS, ACTIONS = declare("STREAMS PLAY_STREAMS REWARDS ACTORS ACTIONS")
ROWS, OBSERVATIONS, MASKS, DONES = declare("ROWS OBSERVATIONS MASKS DONES")
BEFORE_PLAY_STREAMS, BEFORE_REWARDS = declare("BEFORE_PLAY_STREAMS BEFORE_REWARDS")
BEFORE_ACTORS, BEFORE_ACTIONS, BEFORE_ROWS = declare("BEFORE_ACTORS BEFORE_ACTIONS BEFORE_ROWS")
BEFORE_OBSERVATIONS, BEFORE_MASKS, BEFORE_DONES = declare("BEFORE_OBSERVATIONS BEFORE_MASKS BEFORE_DONES")
#: Other ways to read them: a row and an observation as bytes, those of an observation that change during a game, a mask
#: without its padding, and one as words of eight actions; and scratch, after the arrays.
ROW_BYTES, OBSERVATION_BYTES, CHANGING_BYTES = declare("ROW_BYTES OBSERVATION_BYTES CHANGING_BYTES")
MASK_BYTES, MASK_WORDS = declare("MASK_BYTES MASK_WORDS")
SCRATCH, BEFORE_SCRATCH = declare("SCRATCH BEFORE_SCRATCH")
#: Bytes per game in an array, and of the configuration at the beginning of a row.
STREAM_SIZE, REWARDS_SIZE, ROW_SIZE, OBSERVATION_SIZE = declare("STREAM_SIZE REWARDS_SIZE ROW_SIZE OBSERVATION_SIZE")
MASK_SIZE, SCRATCH_SIZE, CONFIGURATION_SIZE = declare("MASK_SIZE SCRATCH_SIZE CONFIGURATION_SIZE")

NOT_TO_ACT = -1
#: What ``step_one`` returns for an action that the mask forbids.
ILLEGAL = -3


def stream_of(memory, n, i):
    """The random stream of chance in game ``i`` of ``n``."""
    return record_at(memory, i * STREAM_SIZE, STREAMS)


def play_stream_of(memory, n, i):
    """The random stream of random play."""
    return record_at(memory, n * BEFORE_PLAY_STREAMS + i * STREAM_SIZE, PLAY_STREAMS)


def reward_of(memory, n, i):
    """The record of the rewards of the last step by seat: float32."""
    return record_at(memory, n * BEFORE_REWARDS + i * REWARDS_SIZE, REWARDS)


def actor_of(memory, n, i):
    """The record of the seat to act."""
    return record_at(memory, n * BEFORE_ACTORS + i * 4, ACTORS)


def action_of(memory, n, i):
    """The record of the action to be applied, negative for none."""
    return record_at(memory, n * BEFORE_ACTIONS + i * 4, ACTIONS)


def row_of(memory, n, i):
    """The row of the game itself."""
    return record_at(memory, n * BEFORE_ROWS + i * ROW_SIZE, ROWS)


def row_bytes_of(memory, n, i):
    """The record of the row as bytes."""
    return record_at(memory, n * BEFORE_ROWS + i * ROW_SIZE, ROW_BYTES)


def observation_of(memory, n, i):
    """The observation of the seat to act."""
    return record_at(memory, n * BEFORE_OBSERVATIONS + i * OBSERVATION_SIZE, OBSERVATIONS)


def observation_bytes_of(memory, n, i):
    """The record of the observation of the seat to act as bytes."""
    return record_at(memory, n * BEFORE_OBSERVATIONS + i * OBSERVATION_SIZE, OBSERVATION_BYTES)


def changing_bytes_of(memory, n, i):
    """The record of the observation's bytes up to the fields that stay the same during a game."""
    return record_at(memory, n * BEFORE_OBSERVATIONS + i * OBSERVATION_SIZE, CHANGING_BYTES)


def mask_of(memory, n, i):
    """The record of the legal-action mask."""
    return record_at(memory, n * BEFORE_MASKS + i * MASK_SIZE, MASKS)


def actions_of_mask(memory, n, i):
    """The record of the legal-action mask without its padding to whole words: the part that a game may write."""
    return record_at(memory, n * BEFORE_MASKS + i * MASK_SIZE, MASK_BYTES)


def mask_words_of(memory, n, i):
    """The record of the legal-action mask, eight actions per word."""
    return record_at(memory, n * BEFORE_MASKS + i * MASK_SIZE, MASK_WORDS)


def done_of(memory, n, i):
    """The record of whether the last step ended the game."""
    return record_at(memory, n * BEFORE_DONES + i, DONES)


def scratch_of(memory, n, start):
    """The record of the weights of a chance node, not shared with another thread."""
    place = n * BEFORE_SCRATCH + OBSERVATION_SIZE + start // GAMES_PER_SCRATCH * SCRATCH_SIZE
    return record_at(memory, place, SCRATCH)


@out_of_line
def resolve_chance(row, stream, weights):
    """Draw outcomes of chance nodes until a seat acts or the game is over."""
    while actor(row) == CHANCE:
        for outcome in range(NUMBER_OF_OUTCOMES):
            weights[outcome] = 0
        chance(row, weights)
        apply(row, draw_weighted(stream, weights))


@out_of_line
def begin(row, row_bytes, stream, weights):
    """Begin a new game in ``row``, up to the first decision."""
    for place in range(CONFIGURATION_SIZE, len(row_bytes)):
        row_bytes[place] = 0
    setup(row)
    resolve_chance(row, stream, weights)


@out_of_line
def show(memory, n, i, anew):
    """Write actor, observation and mask of game ``i``; observation and mask are all 0 when it is over.

    What stays the same during a game is written only if it is shown ``anew``.
    """
    row = row_of(memory, n, i)
    mask = actions_of_mask(memory, n, i).values
    seat = actor(row)
    actor_of(memory, n, i).seat = seat
    if anew or seat < 0:
        fill(observation_bytes_of(memory, n, i).values, 0)
    else:
        fill(changing_bytes_of(memory, n, i).values, 0)
    fill(mask, 0)
    if seat >= 0:
        if anew:
            observe_fixed(row, observation_of(memory, n, i))
        observe(row, seat, observation_of(memory, n, i))
        legal(row, mask)


def reset(memory, n, start, stop, only_done):
    """Begin new games in rows ``start`` to ``stop``: all of them, or those whose ``dones`` is set (which stays set)."""
    weights = scratch_of(memory, n, start).values
    for i in range(start, stop):
        if only_done and not done_of(memory, n, i).done:
            continue
        begin(row_of(memory, n, i), row_bytes_of(memory, n, i).values, stream_of(memory, n, i), weights)
        show(memory, n, i, 1)
        if not only_done:
            fill(reward_of(memory, n, i).values, 0)
            done_of(memory, n, i).done = 0
    return actor_of(memory, n, start).seat


def step(memory, n, start, stop, auto_reset, random_play):
    """Apply ``actions``, which are legal, in rows ``start`` to ``stop``; a negative one leaves its row alone.

    With ``random_play`` a uniform legal action of every game that is not over is drawn and written there first.
    """
    weights = scratch_of(memory, n, start).values
    for i in range(start, stop):
        fetch_ahead(memory, n * BEFORE_ROWS + (i + 1) * ROW_SIZE, ROWS)
        fetch_ahead(memory, n * BEFORE_OBSERVATIONS + (i + 1) * OBSERVATION_SIZE, CHANGING_BYTES)
        if random_play:
            draw_action(memory, n, i)
        advance(memory, n, i, auto_reset, weights)
    return actor_of(memory, n, start).seat


def advance(memory, n, i, auto_reset, weights):
    """Apply the action of game ``i``, draw what chance decides, and show the result."""
    action = action_of(memory, n, i).number
    reward = reward_of(memory, n, i).values
    fill(reward, 0)
    done_of(memory, n, i).done = 0
    if action < 0:
        return
    row = row_of(memory, n, i)
    stream = stream_of(memory, n, i)
    anew = 0
    apply(row, action)
    if actor(row) == CHANCE:
        resolve_chance(row, stream, weights)
    if actor(row) == TERMINAL:
        returns(row, reward)
        done_of(memory, n, i).done = 1
        if auto_reset:
            begin(row, row_bytes_of(memory, n, i).values, stream, weights)
            anew = 1
    show(memory, n, i, anew)


def step_one(memory, action):
    """Apply ``action`` in a batch of one: the seat to act next, ``TERMINAL``, or ``ILLEGAL`` with nothing changed."""
    legal_here = 0 <= action < NUMBER_OF_ACTIONS and mask_of(memory, 1, 0).values[action]
    if not legal_here:
        return ILLEGAL
    action_of(memory, 1, 0).number = action
    advance(memory, 1, 0, 0, scratch_of(memory, 1, 0).values)
    return actor_of(memory, 1, 0).seat


def observe_one(memory, n, i, seat):
    """What ``seat`` knows of game ``i``, into the batch's scratch observation."""
    fill(record_at(memory, n * BEFORE_SCRATCH, OBSERVATION_BYTES).values, 0)
    observe_whole(row_of(memory, n, i), seat, record_at(memory, n * BEFORE_SCRATCH, OBSERVATIONS))


def observe_whole(row, seat, out):
    """Write all that ``seat`` knows into ``out``, which holds 0."""
    observe_fixed(row, out)
    observe(row, seat, out)


def draw_action(memory, n, i):
    """Draw a uniform legal action, or none when the game is over, into ``actions``."""
    over = actor_of(memory, n, i).seat < 0
    words = mask_words_of(memory, n, i).values
    action_of(memory, n, i).number = NOT_TO_ACT if over else draw_set_byte(play_stream_of(memory, n, i), words)


def first_illegal(memory, n):
    """The first row whose entry in ``actions`` is neither legal nor negative; −1 if there is none."""
    for i in range(n):
        action = action_of(memory, n, i).number
        if action >= 0 and (action >= NUMBER_OF_ACTIONS or not mask_of(memory, n, i).values[action]):
            return i
    return -1


def observe_seats(memory, n, games, seats, records):
    """Write into ``records[k]`` what seat ``seats[k]`` of game ``games[k]`` knows."""
    for k in range(len(games)):
        observe_whole(row_of(memory, n, games[k]), seats[k], records[k])


def determinize_rows(rows, seats, stream):
    """Replace in each row what its seat cannot know by a sample of what it could be."""
    for i in range(len(rows)):
        determinize(rows[i], seats[i], stream)


def refresh(memory, n, start, stop):
    """Write actors, observations and masks anew after rows have been changed from outside."""
    for i in range(start, stop):
        show(memory, n, i, 1)
    return actor_of(memory, n, start).seat


def first_impossible(rows):
    """The first row that is impossible; −1 if there is none."""
    for i in range(len(rows)):
        if not possible(rows[i]):
            return i
    return -1


def seed_streams(memory, n, seeds, chance_purpose, play_purpose):
    """Start both random streams of every game from its seed."""
    for i in range(n):
        seed_stream(stream_of(memory, n, i), seeds[i], chance_purpose)
        seed_stream(play_stream_of(memory, n, i), seeds[i], play_purpose)
