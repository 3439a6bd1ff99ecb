"""A language model is rewarded for a seat of a game in verifiers, where verifiers is installed."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from typing import Any

import pytest
from chat_server import Handler, chat_server

pytest.importorskip("verifiers.v1", reason="verifiers is not installed: pip install 'verifiers>=0.4'")
if shutil.which("uv") is None:
    pytest.skip("verifiers starts its chat by uv, which is not installed", allow_module_level=True)

import verifiers.v1 as vf

from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.records import replay
from rat_envs.play.verifiers import RatTaskset, RatTasksetConfig

MODULE = """from rat_envs.play.verifiers import RatEnv, RatTaskset

__all__ = ["RatEnv", "RatTaskset"]
"""


FULL = b'{"error": {"message": "maximum context length"}}'


def said(request: dict[str, Any]) -> str:
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def last_of(request: dict[str, Any]) -> str:
    """The last choice of the question before, which what is said to an answer does not repeat."""
    asked = [str(message["content"]) for message in request["messages"] if "Your choices:" in str(message["content"])]
    return "[{}]".format(re.findall(r"(?:^|: |; )(\d+)\. ", asked[-1], re.MULTILINE)[-1])


def episode(behaviour: Any, tmp_path, monkeypatch, **more: Any) -> Any:
    """One game of BraveRats against greedy."""
    (tmp_path / "rat_games.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    taskset = {"id": "rat-games", "game": "brave_rats", "options": {"fast": True}, "opponents": "greedy", **more}

    async def play(url: str) -> Any:
        env = vf.load_environment(vf.resolve_env_config({"taskset": taskset}))
        client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY_AT_ALL")
        context = vf.ModelContext(model="m", client=client, sampling=vf.SamplingConfig())
        async with env.serving():
            (task,) = env.taskset.take(1)
            return await env.run_episode(task, context)

    with chat_server(behaviour) as (url, _):
        return asyncio.run(play(url))


def test_a_model_is_rewarded_with_the_return_of_its_seat(tmp_path, monkeypatch):
    def answer(handler: Handler, request: dict[str, Any]) -> None:
        text = said(request)
        answered = sum(message["role"] == "assistant" for message in request["messages"])
        keys = re.findall(r"(?:^|: |; )(\d+)\. ", text, re.MULTILINE)
        handler.say("banana" if answered == 1 and "none of your" not in text else f"[{keys[-1]}]")

    played = episode(answer, tmp_path, monkeypatch)
    assert played.ok, played.errors
    (trace,) = played.traces
    final = replay(trace.info["record"])
    assert trace.reward == final.returns()[0]
    assert trace.metrics["refused"] == 1 and trace.metrics["decisions"] >= 3
    assert trace.metrics["won"] == (0 in final.winners())


@pytest.mark.parametrize(("memory", "heading"), [("news", "News:"), ("all", "So far:")])
def test_every_request_holds_one_table_and_training_sees_every_turn(memory, heading, tmp_path, monkeypatch):
    requests = []

    def answer(handler: Handler, request: dict[str, Any]) -> None:
        requests.append(request["messages"])
        handler.say("banana" if len(requests) == 2 else last_of(request))

    played = episode(answer, tmp_path, monkeypatch, memory=memory)
    assert played.ok, played.errors
    (trace,) = played.traces
    assert trace.metrics["refused"] == 1 and trace.metrics["decisions"] == len(requests) - 1 >= 3
    assert [len(messages) for messages in requests] == [2, 2, 4, *(2 for _ in requests[3:])]
    assert requests[2][:2] == requests[1] and requests[2][2]["content"] == "banana"
    assert all(str(messages).count("Your choices:") == 1 for messages in requests)
    assert str(requests[-1]).count(heading) == 1
    told = [str(messages[1]["content"]).partition(heading)[2].partition("\n\n")[0] for messages in requests]
    assert (told[1] in told[-1]) == (memory == "all")

    sampled = [node for branch in trace.branches for node in branch.nodes if node.sampled]
    assert len(trace.branches) == len(requests) - 1 and len(sampled) == len(requests) == trace.num_turns
    assert len({id(node) for node in sampled}) == len(sampled) and all(branch.trainable for branch in trace.branches)
    assert len({id(branch.nodes[0]) for branch in trace.branches}) == 1


def test_only_the_chat_without_tools_can_be_told_less(tmp_path, monkeypatch):
    (tmp_path / "rat_games.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    config = {"taskset": {"id": "rat-games", "memory": "news"}, "player": {"harness": {"id": "bash"}}}
    with pytest.raises(ValueError, match=r"memory='news': the program that asks the model must be 'null'.*not 'bash'"):
        vf.resolve_env_config(config)


def test_a_model_that_never_chooses_has_lost(tmp_path, monkeypatch):
    played = episode(lambda handler, request: handler.say("banana"), tmp_path, monkeypatch)
    (trace,) = played.traces
    assert (trace.reward, trace.metrics["refused"], trace.metrics["decisions"]) == (-1, 3, 0)
    assert "record" not in trace.info


def test_the_model_sits_at_every_seat_on_the_same_chance():
    config = RatTasksetConfig(id="rat-games", game="comme_des_rats", options={"players": 3}, seed=5)
    tasks = list(RatTaskset(config).take(7))
    assert [(task.data.seat, task.data.seed) for task in tasks] == [
        (0, 5),
        (1, 5),
        (2, 5),
        (0, 6),
        (1, 6),
        (2, 6),
        (0, 7),
    ]
    assert tasks[1].data.system_prompt.startswith("You are player_1 in a game of Comme des Rats with ")


def test_an_answer_that_was_cut_off_names_no_choice(tmp_path, monkeypatch):
    def answer(handler, request):
        is_first = not any(message["role"] == "assistant" for message in request["messages"])
        handler.say(last_of(request), finish="length" if is_first else "stop")

    (trace,) = episode(answer, tmp_path, monkeypatch).traces
    assert trace.metrics["refused"] == 1
    assert "Your answer was cut off at its longest" in trace.transcript


@pytest.mark.parametrize(("status", "before"), [(402, 0), (402, 2), (400, 2)])
def test_a_server_that_fails_is_no_game_lost(status, before, tmp_path, monkeypatch):
    def answer(handler, request):
        answered = sum(message["role"] == "assistant" for message in request["messages"])
        handler.send(status, FULL) if answered == before else handler.say("[7]")

    (trace,) = episode(answer, tmp_path, monkeypatch).traces
    assert trace.rewards == trace.metrics == {} and not trace.ok
    assert trace.last_error.type == "ProviderError" and "maximum context length" in trace.last_error.message


@pytest.mark.parametrize("wrong", [{"again": -1}, {"seed": -1}, {"seed": 2**64}, {"memory": "none"}])
def test_wrong_settings_are_refused_at_once(wrong):
    with pytest.raises(ValueError, match="should be"):
        RatTasksetConfig(id="rat-games", **wrong)


def test_nobody_is_asked_at_the_opponents_seats():
    with pytest.raises(ConfigurationError, match="opponents='me': nobody is asked there: name an agent"):
        next(iter(RatTaskset(RatTasksetConfig(id="rat-games", opponents="me")).take(1)))


def test_after_the_last_seed_comes_the_first():
    tasks = list(RatTaskset(RatTasksetConfig(id="rat-games", seed=2**64 - 1)).take(4))
    assert [task.data.seed for task in tasks] == 2 * [2**64 - 1] + 2 * [0]
