"""Agents whose own code fails, each in the way that its options say."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import threading
from pathlib import Path

import numpy as np

from rat_envs.agents import Agent


class UnsendableError(Exception):
    """An error that pickle cannot make again."""

    def __init__(self, one, other):
        super().__init__("half of it")


ERRORS = {
    "key": lambda: {}["hand"],
    "exit": lambda: sys.exit(0),
    "unsendable": lambda: raised(UnsendableError(1, 2)),
    "pipe": lambda: raised(BrokenPipeError("x")),
    "timeout": lambda: raised(TimeoutError("x")),
    "file": lambda: Path("/nowhere/weights").read_text(),
    "memory": lambda: raised(MemoryError()),
    "unwritten": lambda: raised(NotImplementedError()),
    "stop": lambda: raised(StopIteration()),
    "ctrl_c": lambda: raised(KeyboardInterrupt()),
}


def raised(error):
    raise error


class Failing(Agent):
    """Plays at random until it is asked in a certain place."""

    name = "Bot"

    def __init__(self, seed=None, at="act", how="key"):
        self.at, self.how = at, how
        self.reach("init")
        super().__init__(seed)

    def reach(self, place):
        if place == self.at:
            ERRORS[self.how]()

    def check(self, game, configuration):
        self.reach("check")

    def seed(self, seed):
        super().seed(seed)
        self.reach("seed")

    def act_batch(self, views):
        self.reach("act")
        return super().act_batch(views)

    def policy_batch(self, views):
        self.reach("policy")
        return views.masks / views.masks.sum(axis=1, keepdims=True)

    def value_batch(self, views):
        self.reach("value")
        return super().value_batch(views)


class Asked(Failing):
    """Fails where it is asked for something else than its policy."""

    def act(self, env):
        self.reach("one")
        return "the first" if self.at == "words" else super().act(env) + (self.at == "wrong") * 99

    def fingerprint(self):
        self.reach("fingerprint")

    @property
    def remark(self):
        self.reach("remark")
        return ""

    def get_state(self):
        self.reach("state")
        return super().get_state()

    def release(self):
        self.reach("release")


class Needing(Agent):
    """Takes a number, and needs a name."""

    def __init__(self, who, number=0):
        super().__init__()
        self.number = int(number)


class Noisy(Agent):
    """Prints wherever it is asked, and goes to another folder."""

    def reach(self, place):
        print(f"I am in {place}.")
        os.chdir(Path(__file__).parent)

    def check(self, game, configuration):
        self.reach("check")

    def policy_batch(self, views):
        self.reach("policy")
        return views.masks / views.masks.sum(axis=1, keepdims=True)


class Unseeded(Agent):
    """Draws from random numbers that nobody seeds."""

    def act_batch(self, views):
        return np.array([random.choice(np.flatnonzero(mask)) for mask in views.masks])


class Pondering(Agent):
    """Thinks on for ever, in a thread of its own; in workers alone, or here too."""

    thread = None

    def __init__(self, seed=None, here=True):
        super().__init__(seed)
        if Pondering.thread is None and (here or multiprocessing.parent_process() is not None):
            Pondering.thread = threading.Thread(target=threading.Event().wait)
            Pondering.thread.start()

    def policy_batch(self, views):
        return views.masks / views.masks.sum(axis=1, keepdims=True)


class Cheating(Agent):
    """Lets itself do everything."""

    name = "Bot"

    def policy_batch(self, views):
        views.masks[:] = 1
        return views.masks / views.masks.sum(axis=1, keepdims=True)
