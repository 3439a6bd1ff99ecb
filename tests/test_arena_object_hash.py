"""Agents as objects: the same hash where they play the same, in every process, and another where they may not."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rat_envs.agents import Agent, make_agent
from rat_envs.arena import Folder, make_plan, play_match, play_tournament
from rat_envs.arena.object_hash import object_hash

WORDS = ("plague", "rat", "cheese", "cat", "crown", "merchant", "wizard")
CLASS = """
from rat_envs.agents import Agent
{around}
class Low(Agent):
    def __init__(self, bias=0.9):
        super().__init__()
        self.bias, self.words = bias, set({words})
        self.itself, self.by_word = self, {{word: {{1, word}} for word in self.words}}

    def policy_batch(self, views):
        {comment}
        return views.masks * ({amount} + helped(self.bias)) * (len(self.words) in {{"b", "a", 7}})

def helped(bias):
    return {inside}
"""
USUAL = {"words": WORDS, "comment": "", "amount": 1, "around": "FACTOR = 2", "inside": "bias * FACTOR"}


class Low(Agent):
    """Has probabilities, and whatever attributes it is given."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__()
        vars(self).update(attributes)

    def policy_batch(self, views):
        return views.masks.astype(float)


def made(**changed: Any) -> Agent:
    """An agent of a class as a cell of a notebook would define it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(CLASS.format(**{**USUAL, **changed}), names)
    agent: Agent = names["Low"]()
    return agent


def test_the_hash_is_the_same_in_processes_with_other_orders_of_sets() -> None:
    script = textwrap.dedent(CLASS.format(**USUAL)) + (
        "\nfrom rat_envs.arena.object_hash import object_hash\nprint(object_hash(Low()))"
    )
    found = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        found.add(
            subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True).stdout
        )
    assert found == {f"{object_hash(made())}\n"}


@pytest.mark.parametrize(
    "changed",
    [{"amount": 3}, {"around": "FACTOR = 3"}, {"inside": "bias"}, {"words": WORDS[1:]}],
)
def test_other_code_or_attributes_give_another_hash(changed: dict) -> None:
    assert object_hash(made(**changed)) not in (object_hash(made()), None)


def test_comments_and_lines_do_not_count() -> None:
    assert object_hash(made(comment="# a comment\n", around="\n\nFACTOR = 2")) == object_hash(made())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"bias": 0.9}, {"bias": 0.2}),
        ({"table": np.arange(3)}, {"table": np.arange(4)}),
        ({"inner": Low(bias=1)}, {"inner": Low(bias=2)}),
        ({"rule": lambda x: x + 1}, {"rule": lambda x: x + 2}),
        ({"kind": dict}, {"kind": list}),
    ],
)
def test_attributes_count(one: dict, other: dict) -> None:
    assert object_hash(Low(**one)) == object_hash(Low(**one)) is not None
    assert object_hash(Low(**one)) != object_hash(Low(**other))


def test_random_numbers_and_play_do_not_count() -> None:
    agent, before = Low(own=np.random.default_rng(1)), object_hash(Low(own=np.random.default_rng(2)))
    agent.seed(5)
    play_match("brave_rats", [agent, "random"], {"fast": True}, games=4)
    assert object_hash(agent) == before is not None


def test_built_in_agents_that_have_played_are_what_they_were() -> None:
    for name in ("greedy", "random", "nash", "ismcts:sims=4"):
        agent = make_agent(name, "brave_rats", 1)
        before = object_hash(agent)
        play_match("brave_rats", [agent, "random"], {"fast": True}, games=4)
        assert object_hash(agent) == before is not None


def test_a_changed_object_plays_anew_and_the_same_one_does_not(tmp_path: Path) -> None:
    def result(bias: float) -> list[str]:
        plan = make_plan("brave_rats", [Low(bias=bias), "random"], {"fast": True}, games=8)
        folder = Folder(tmp_path, plan)
        play_tournament(plan, folder=folder)
        return folder.changes()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert result(0.9) == result(0.9) == []
        assert result(0.2)[0].endswith("has had other agents (changed: Low).")


def test_what_has_no_hash_is_kept_on_its_name_with_a_warning(tmp_path: Path) -> None:
    class Locked(Low):
        def __init__(self) -> None:
            super().__init__(lock=threading.Lock())

        def __deepcopy__(self, memory: Any) -> Locked:
            return Locked()

    assert object_hash(Locked()) is None
    plan = make_plan("brave_rats", [Locked(), "random"], {"fast": True}, games=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        play_tournament(plan, folder=Folder(tmp_path, plan))
    with pytest.warns(UserWarning, match="holds games of Locked, which are kept on the name alone"):
        play_tournament(plan, folder=Folder(tmp_path, plan))
