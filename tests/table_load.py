"""The table in the browser under load: many games at once, two people each, on this computer.

    python tests/table_load.py --games 200 --thinks 4

The people of all games are played by processes of their own. Each thinks for a random time before it moves, of so many
seconds in the mean (0: as fast as it is answered, which measures what the server can do at most). Printed as JSON: how
long a move took from its being sent to its answer, and to the mover's new picture; the bytes of the longest page; and
whether a move was lost, done twice or out of order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "common"))

from playing import Running

from rat_envs.play import SavedGame

GAMES = {
    "brave_rats": ["me", "me"],
    "comme_des_rats": ["me", "me", "random"],
    "rattus": ["me", "me", "random"],
    "rattus_cartus": ["me", "me"],
}


class Played(NamedTuple):
    """What one person saw: the actions it sent, in order, seconds to answers and pictures, and what went wrong."""

    actions: list[str]
    answers: list[float]
    pictures: list[float]
    longest: int
    wrong: list[str]


async def play(client, address, thinks, arrives):
    """One person's game, to its end."""
    actions, answers, pictures, longest, wrong, sent = [], [], [], 0, [], None
    await asyncio.sleep(arrives)
    async with client.stream("GET", f"{address}/events") as events:
        async for line in events.aiter_lines():
            if not line.startswith("data: "):
                continue
            if sent is not None:
                pictures.append(time.perf_counter() - sent)
                sent = None
            page, longest = json.loads(line[6:]), max(longest, len(line))
            if page["is_over"]:
                return Played(actions, answers, pictures, longest, wrong)
            if page["choices"]:
                await asyncio.sleep(random.expovariate(1 / thinks) if thinks else 0)
                action = random.choice(page["choices"])["action"]
                sent = time.perf_counter()
                answer = await client.post(f"{address}/act", json={"view": page["view"], "action": action})
                answers.append(time.perf_counter() - sent)
                actions.append(action)
                if answer.status_code != 200:
                    wrong.append(answer.text)
    return Played(actions, answers, pictures, longest, [*wrong, "the server hung up"])


def play_all(addresses, thinks):
    """The games of many people, in one process."""

    async def together():
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=600, limits=limits) as client:
            arrivals = (random.uniform(0, 2 * thinks) for _ in addresses)
            return await asyncio.gather(*(play(client, *each, thinks, next(arrivals)) for each in addresses))

    return asyncio.run(together())


def faults(room, first, second):
    """What is not as it should be after a game: moves lost, doubled or out of order, or a file of another game."""
    found = first.wrong + second.wrong
    for seat, played in enumerate((first, second)):
        done = [step.event.notation for step in room.session.steps if step.event.actor == seat]
        if done != played.actions:
            found.append(f"{room.path.name}, player_{seat}: {len(played.actions)} moves sent, {len(done)} done")
    if SavedGame.read(room.path).session().record() != room.session.record():
        found.append(f"{room.path.name}: the file is of another game")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--game", choices=GAMES, default="brave_rats")
    parser.add_argument("--thinks", type=float, default=4.0, help="seconds before a move, in the mean")
    parser.add_argument("--processes", type=int, default=2, help="in which people play")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        running = Running(Path(folder))
        names = GAMES[wanted.game]
        config = {} if wanted.game == "brave_rats" else {"players": len(names)}
        rooms = [running.open(wanted.game, names, **config) for _ in range(wanted.games)]
        people = [(f"{running.base}/seat/{token}",) for room in rooms for token in room.tokens[:2]]
        parts = [people[number :: wanted.processes] for number in range(wanted.processes)]
        start = time.perf_counter()
        with ProcessPoolExecutor(wanted.processes, multiprocessing.get_context("spawn")) as pool:
            done = list(pool.map(play_all, parts, [wanted.thinks] * len(parts)))
        seconds = time.perf_counter() - start
        played = [done[number % len(parts)][number // len(parts)] for number in range(len(people))]
        by_room = zip(rooms, played[::2], played[1::2], strict=True)
        wrong = [fault for room, first, second in by_room for fault in faults(room, first, second)]
        running.stop()
    print(json.dumps(figures(played, seconds, wanted.games, wrong), indent=1))


def figures(played, seconds, games, wrong):
    """What is printed."""
    times = {what: [one for each in played for one in getattr(each, what)] for what in ("answers", "pictures")}
    return {
        "games": games,
        "moves": len(times["answers"]),
        "moves a second": round(len(times["answers"]) / seconds),
        **{
            f"ms, {what}, {q}th percentile": round(1000 * float(np.percentile(times[what], q)), 1)
            for what in times
            for q in (50, 99)
        },
        "bytes of the longest page": max(each.longest for each in played),
        "wrong": len(wrong),
        "for example": wrong[:5],
    }


if __name__ == "__main__":
    main()
