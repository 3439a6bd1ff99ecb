"""The table in the browser under load: many games at once, two people each, on this computer.

    python tests/table_load.py --games 200

Every person plays the first choice as soon as it is asked. Printed as JSON: how long a move took from its being sent to
its answer, and to the new picture; whether a move was lost or done twice; and bytes of a page.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

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


async def play(client, address, answers, pictures, wrong):
    """One person's game, to its end; how often it acted."""
    sent = None
    async with client.stream("GET", f"{address}/events") as events:
        async for line in events.aiter_lines():
            if not line.startswith("data: "):
                continue
            page = json.loads(line[6:])
            if sent is not None:
                pictures.append(time.perf_counter() - sent)
                sent = None
            if page["is_over"]:
                return page["acted"]
            if page["choices"]:
                sent = time.perf_counter()
                choice = page["choices"][page["acted"] % len(page["choices"])]["action"]
                answer = await client.post(f"{address}/act", json={"view": page["view"], "action": choice})
                answers.append(time.perf_counter() - sent)
                if answer.status_code != 200:
                    wrong.append(answer.text)


async def play_all(running, rooms, answers, pictures, wrong):
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=600, limits=limits) as client:
        people = [(room, token) for room in rooms for token in room.tokens[:2]]
        tasks = [play(client, f"{running.base}/seat/{token}", answers, pictures, wrong) for _, token in people]
        return await asyncio.gather(*tasks)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--game", choices=GAMES, default="brave_rats")
    wanted = parser.parse_args()
    answers, pictures, wrong = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        running = Running(Path(folder))
        names = GAMES[wanted.game]
        config = {} if wanted.game == "brave_rats" else {"players": len(names)}
        rooms = [running.open(wanted.game, names, **config) for _ in range(wanted.games)]
        start = time.perf_counter()
        acted = asyncio.run(play_all(running, rooms, answers, pictures, wrong))
        seconds = time.perf_counter() - start
        for number, room in enumerate(rooms):
            people = [step for step in room.session.steps if step.event.actor in (0, 1)]
            if sum(acted[2 * number : 2 * number + 2]) != len(people):
                wrong.append(f"{room.path.name}: moves lost or doubled")
            if SavedGame.read(room.path).session().record() != room.session.record():
                wrong.append(f"{room.path.name}: the file is of another game")
        running.stop()
    print(
        json.dumps(
            {
                "games": wanted.games,
                "moves": len(answers),
                "moves a second": round(len(answers) / seconds),
                **{
                    f"ms to the {what}, {q}th percentile": round(1000 * float(np.percentile(times, q)), 1)
                    for what, times in (("answer", answers), ("picture", pictures))
                    for q in (50, 99)
                },
                "wrong": wrong[:5],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
