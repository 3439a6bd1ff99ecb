"""The agent ``llm:`` with a server of the test's own, which answers well, badly, late and not at all."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from chat_server import USAGE, Behaviour, Handler, Told, chat_server, last_choice
from games_and_configurations import FIRST, each
from typer.testing import CliRunner

import rat_envs
from rat_envs.agents import chat, make_agent
from rat_envs.agents.chat import RefusedError
from rat_envs.agents.language_model import FallbackWarning, LanguageModelAgent
from rat_envs.api.agent import Agent
from rat_envs.arena import Folder, Recorded, make_plan, play_match, play_tournament, read_manifest, replay_tournament
from rat_envs.commands.main import app
from rat_envs.engine.errors import CheckpointError, ConfigurationError, MissingExtraError, RatEnvsError
from rat_envs.engine.registry import get_game
from rat_envs.play import Session
from rat_envs.play.saved import SavedGame

KEY = "sk-test-0123456789"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting between attempts, and no key."""
    monkeypatch.setattr(chat, "FIRST_WAIT", 0.001)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def well(handler: Handler, request: dict[str, Any]) -> None:
    handler.say(last_choice(request))


def then_well(*first: Behaviour) -> Behaviour:
    """These answers first, one after the other, and then good ones."""
    left = list(first)

    def behave(handler: Handler, request: dict[str, Any]) -> None:
        (left.pop(0) if left else well)(handler, request)

    return behave


def says(*texts: Any, finish: str = "stop") -> Behaviour:
    return then_well(*(lambda handler, _, text=text: handler.say(text, finish) for text in texts))


def sends(status: int, body: bytes = b"{}", **headers: str) -> Behaviour:
    return lambda handler, _: handler.send(status, body, **headers)


def decide(url: str, **options: Any) -> tuple[int, LanguageModelAgent]:
    """The first decision of BraveRats, and who made it."""
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    agent = LanguageModelAgent(get_game("brave_rats"), url, "model", seed=1, **options)
    return agent.act(env), agent


def decide_or_fall_back(behaviour: Behaviour, **options: Any) -> tuple[LanguageModelAgent, str, Told]:
    """The same where the fallback has to decide: the agent, the warning, and what the server was told."""
    with chat_server(behaviour) as (url, told), pytest.warns(FallbackWarning) as warned:
        _, agent = decide(url, **options)
    assert (agent.decisions, agent.fallbacks) == (1, 1)
    return agent, str(warned[0].message), told


# Well


def test_a_model_is_told_its_situation_and_chooses() -> None:
    with chat_server(well) as (url, told):
        action, agent = decide(url, temperature=0.5, tokens=99)
    (request,) = told.requests
    assert action == 7
    assert (request["path"], request["model"]) == ("/v1/chat/completions", "model")
    assert (request["temperature"], request["max_tokens"]) == (0.5, 99)
    system, user = request["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert system["content"].startswith("You are player_0 in a game of BraveRats without options.")
    assert user["content"].endswith("\n7. Play Prince")
    assert "authorization" not in told.headers[0]
    assert agent.remark == "1 decisions, 0 of them by the fallback random; 12 tokens"


@each(FIRST)
def test_whole_games_are_played(game: str, config: dict[str, Any]) -> None:
    with chat_server(well) as (url, told), warnings.catch_warnings():
        warnings.simplefilter("error")
        configuration = get_game(game).configuration.make(config)
        names = [f"llm:url={url},model=m"] + ["random"] * (configuration.players - 1)
        session = Session(get_game(game), configuration, names, 3)
        session.advance()
    own = [step.event for step in session.steps if step.event.actor == 0]
    assert len(told.requests) == len(own) > 3
    news = [request["messages"][1]["content"].startswith("News:\n- ") for request in told.requests]
    assert sum(news) > len(news) / 2  # nothing happens between two decisions of one turn
    assert session.table.remarks()[0].startswith(f"player_0: {len(own)} decisions, 0 of them by the fallback")


def test_a_model_may_be_told_the_whole_game_at_every_decision() -> None:
    with chat_server(well) as (url, told):
        play_match("brave_rats", [f"llm:url={url},model=m,memory=all", "greedy"], {"fast": True}, 4)
    longest = max((request["messages"][1]["content"] for request in told.requests), key=len)
    assert longest.startswith("So far:\n- ") and longest.count("You choose") >= 2


def test_many_games_are_decided_at_the_same_time() -> None:
    def slow(handler: Handler, request: dict[str, Any]) -> None:
        under_way.append(1)
        most.append(len(under_way))
        time.sleep(0.02)
        under_way.pop()
        well(handler, request)

    under_way: list[int] = []
    most: list[int] = []
    with chat_server(slow) as (url, _):
        play_match("brave_rats", [f"llm:url={url},model=m,parallel=3", "greedy"], {"fast": True}, 8)
    assert max(most) == 3


def test_an_agent_acts_where_an_event_loop_is_running() -> None:
    async def in_a_loop(url: str) -> int:
        return decide(url)[0]

    with chat_server(well) as (url, _), ThreadPoolExecutor(1) as thread:  # here a browser's loop may be running
        assert thread.submit(asyncio.run, in_a_loop(url)).result() == 7


def test_text_in_parts_is_text() -> None:
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": "[5]"}]}
    texts = [{"type": "text", "text": "[3"}, {"type": "text", "text": "]"}]
    with chat_server(says([thoughts, *texts])) as (url, _):
        assert decide(url)[0] == 3


def test_a_request_holds_what_the_options_say_under_the_servers_names() -> None:
    given = "max_completion_tokens=500,reasoning_effort=none,top_p=0.9,request_seed=7"
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    with chat_server(well) as (url, told):
        for options in ("", f",{given}"):
            make_agent(f"llm:url={url},model=m{options}", "brave_rats").act(env)
    plain, request = ({name: value for name, value in one.items() if name != "messages"} for one in told.requests)
    assert plain == {"path": "/v1/chat/completions", "model": "m"}
    more = {"max_completion_tokens": 500, "reasoning_effort": "none", "top_p": 0.9, "seed": 7}
    assert request == {**plain, **more}


# Badly


def test_an_answer_that_does_not_fit_is_answered_with_what_would_be_right() -> None:
    with chat_server(says("banana", "Play the Queen")) as (url, told):
        action, agent = decide(url)
    assert (action, agent.fallbacks, len(told.requests)) == (7, 0, 3)
    *_, answer, refusal = told.requests[1]["messages"]
    assert answer == {"role": "assistant", "content": "banana"}
    assert refusal["role"] == "user" and refusal["content"].startswith("'banana' is none of your choices. Answer with")
    assert "'Play the Queen' is none of your choices." in told.requests[2]["messages"][-1]["content"]


def test_answers_that_never_fit_are_the_fallbacks_and_counted() -> None:
    agent, warning, told = decide_or_fall_back(says(*["banana"] * 9), again=1)
    assert len(told.requests) == 2
    assert warning == "llm:model names no choice. random decides."
    assert agent.remark == "1 decisions, 1 of them by the fallback random; 24 tokens"


@pytest.mark.parametrize("text", ["I think that", "[3", "3. Play Assassin"])
def test_an_answer_that_was_cut_off_is_told_so_and_does_not_count(text: str, tmp_path: Path) -> None:
    with chat_server(says(text, finish="length")) as (url, told):
        assert decide(url)[0] == 7
    assert told.requests[1]["messages"][-1]["content"].startswith("Your answer was cut off at its longest: be shorter.")
    path = tmp_path / "exchanges.jsonl"
    _, warning, _ = decide_or_fall_back(says(text, finish="length"), again=0, save=str(path))
    assert warning == "llm:model names no choice: its answer was cut off. random decides."
    assert lines(path)[0]["problem"] == "llm:model names no choice: its answer was cut off."


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": "I think\n[3]"},
        {"content": None, "reasoning": "I think\n[3]"},
        {"content": None, "refusal": "I will not."},
        {"content": None, "tool_calls": [{"id": "1"}]},
        {"tool_calls": [{"id": "1"}]},
        {"content": ""},
        {"content": " \n"},
        {"content": []},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "[3]"}]}]},
        {"content": [{"text": 3}]},
    ],
)
def test_a_message_without_text_is_answered_like_any_other_and_counted(message: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    body = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": USAGE}
    with chat_server(then_well(sends(200, json.dumps(body).encode()))) as (url, told):
        action, agent = decide(url, save=str(path))
    assert (action, agent.fallbacks, len(told.requests), agent.tokens_used) == (7, 0, 2, 24)
    *_, answer, refusal = told.requests[1]["messages"]
    assert answer == {"role": "assistant", "content": "…"}  # servers refuse empty messages
    assert refusal["content"].startswith("The answer is empty.")
    first, _ = lines(path)[0]["replies"]
    assert first["reasoning"] == (message.get("reasoning_content") or message.get("reasoning") or "")
    assert first["refusal"] == message.get("refusal", "")


def test_thoughts_alone_that_were_cut_off_are_told_so() -> None:
    message = {"content": None, "reasoning_content": "I think"}
    body = {"choices": [{"message": message, "finish_reason": "length"}], "usage": USAGE}
    with chat_server(then_well(sends(200, json.dumps(body).encode()))) as (url, told):
        decide(url)
    assert told.requests[1]["messages"][-1]["content"].startswith("Your answer was cut off at its longest: be shorter.")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>no</html>",
        b"\xff\xfe",
        b"[" * 100_000,
        b"NaN",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": {"0": 1}}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": "[3]"}]}',
        b'{"choices": [{"message": {"content": 3}}]}',
    ],
)
def test_what_is_no_answer_is_asked_for_again_and_then_given_up(body: bytes) -> None:
    _, warning, told = decide_or_fall_back(sends(200, body), retries=2)
    assert len(told.requests) == 3
    assert warning.startswith("The server 'http://127.0.0.1:") and "gives no answer: " in warning


@pytest.mark.parametrize(
    ("escaped", "read"),
    [("\\ud83d", "\ufffd"), ("\\ude00", "\ufffd"), ("\\ud83d\\ude00", "\U0001f600"), ("\\\\ud83d", "\\ud83d")],
)
def test_half_a_letter_costs_that_letter_and_not_the_answer(escaped: str, read: str, tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    body = '{"choices": [{"message": {"content": "Cut ESCAPED\\n[7]"}}]}'.replace("ESCAPED", escaped)
    with chat_server(sends(200, body.encode())) as (url, told):
        assert decide(url, save=str(path))[0] == 7
    assert len(told.requests) == 1 and lines(path)[0]["replies"][0]["text"] == f"Cut {read}\n[7]"


def test_further_parts_of_a_request_are_sent(tmp_path: Path) -> None:
    path, more = tmp_path / "more.json", {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}}
    path.write_text(json.dumps(more))
    for extra in (str(path), more):
        with chat_server(well) as (url, told):
            decide(url, extra=extra, top_p=0.5)
        assert told.requests[0].items() >= {**more, "top_p": 0.5}.items()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, r"There is no request file more\.json\."),
        ("{", r"more\.json is not a request: it is not JSON"),
        ("[1]", r"extra=more\.json: must hold an object of JSON"),
        ('{"model": "x", "messages": []}', r"extra=more\.json: messages and model cannot be given\."),
    ],
)
def test_what_is_no_part_of_a_request_is_refused(
    content: str | None, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("more.json").write_text(content)
    with pytest.raises(ConfigurationError, match=sentence):
        make_agent("llm:url=http://127.0.0.1/v1,model=m,extra=more.json", "brave_rats")
    with pytest.raises(ConfigurationError, match="is no object of JSON"):
        LanguageModelAgent(get_game("brave_rats"), "http://127.0.0.1/v1", "m", extra={"top_k": {1}})


@pytest.mark.parametrize("usage", [b"[1]", b'"n/a"', b"null", b"3"])
def test_an_answer_counts_whatever_stands_beside_it(usage: bytes) -> None:
    body = b'{"choices": [{"message": {"content": "[7]"}}], "usage": ' + usage + b"}"
    with chat_server(sends(200, body)) as (url, told):
        action, agent = decide(url)
    assert (action, agent.fallbacks, len(told.requests)) == (7, 0, 1)


def test_a_reply_without_end_is_not_read_to_its_end() -> None:
    _, warning, _ = decide_or_fall_back(sends(200, b" " * (chat.MOST_BYTES + 1)), retries=0)
    assert "more than 4 MiB" in warning


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_passes_is_tried_again(status: int) -> None:
    with chat_server(then_well(sends(status, retry_after="0"), sends(status))) as (url, told):
        action, agent = decide(url)
    assert (action, agent.fallbacks, len(told.requests)) == (7, 0, 3)


def test_a_server_is_left_alone_as_long_as_it_asks_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    times = ("7", "2.5", "99999", "soon", "-3", "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2150 07:28:00 GMT")
    with chat_server(then_well(*(sends(429, retry_after=text) for text in times))) as (url, _):
        decide(url, retries=7)
    assert waited == [7, 2.5, chat.LONGEST_WAIT, chat.FIRST_WAIT * 8, chat.FIRST_WAIT * 16, 0, chat.LONGEST_WAIT]


def test_a_server_may_say_until_when_it_wants_to_be_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with chat_server(then_well(sends(429, retry_after=formatdate(time.time() + 30, usegmt=True)))) as (url, _):
        decide(url)
    assert 20 < waited[0] <= 31


@pytest.mark.parametrize("status", [302, 400, 413, 422])
def test_what_does_not_fit_after_an_answer_is_not_tried_again(status: int, tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    behaviour = then_well(well, sends(status, b"too long: the Prince", location="http://127.0.0.1:1/"))
    with chat_server(behaviour) as (url, told):
        _, agent = decide(url, save=str(path))
        env = rat_envs.make("brave_rats")
        env.reset(seed=1)
        with pytest.warns(FallbackWarning) as warned:
            agent.act(env)
    assert (agent.decisions, agent.fallbacks, len(told.requests)) == (2, 1, 2)
    warning = str(warned[0].message)
    assert f" refuses: it says {status}. random decides." in warning and "Prince" not in warning
    assert f"it says {status}, 'too long: the Prince'" in lines(path)[1]["problem"]


@pytest.mark.parametrize("status", [302, 400, 402, 413, 422])
def test_a_request_that_does_not_fit_before_any_answer_stops_the_game_with_the_servers_words(status: int) -> None:
    behaviour = then_well(sends(503, retry_after="0"), sends(status, b"no max_tokens", location="http://127.0.0.1:1/"))
    with (
        chat_server(behaviour) as (url, told),
        pytest.raises(RefusedError, match=rf"refuses: it says {status}, 'no max_tokens'\.$"),
    ):
        decide(url)
    assert len(told.requests) == 2


def test_a_request_that_does_not_fit_beside_others_that_are_answered_stops_nothing() -> None:
    """Of four that are asked at the same time the first one refused is the quickest."""
    left = [sends(400, b"a filter")]

    def behave(handler: Handler, request: dict[str, Any]) -> None:
        if left:
            left.pop()(handler, request)
        else:
            time.sleep(0.2)
            well(handler, request)

    with chat_server(behave) as (url, _), pytest.warns(FallbackWarning, match="refuses: it says 400"):
        result = play_match("brave_rats", [f"llm:url={url},model=m,parallel=4", "greedy"], {"fast": True}, 8)
    assert result.agents[0].fallbacks == 1


def test_parts_of_a_message_that_are_thoughts_are_not_read() -> None:
    parts = [{"type": "reasoning", "text": "[3]"}, {"type": "output_text", "text": "[5"}, {"text": "]"}]
    with chat_server(lambda handler, _: handler.say(parts)) as (url, _):
        action, agent = decide(url)
    assert (get_game("brave_rats").actions[action], agent.fallbacks) == ("play wizard", 0)


def test_credit_that_runs_out_stops_the_game() -> None:
    with chat_server(then_well(well, sends(402, b"pay"))) as (url, _), pytest.raises(RefusedError, match="says 402"):
        play_match("brave_rats", [f"llm:url={url},model=m,parallel=1", "greedy"], {"fast": True}, 4)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_only_another_option_mends_stops_the_game(status: int) -> None:
    with (
        chat_server(sends(status, b'{"error": "no"}')) as (url, told),
        pytest.raises(RefusedError, match=f"refuses: it says {status}"),
    ):
        decide(url)
    assert len(told.requests) == 1


def test_who_is_refused_says_so_once_however_many_ask_at_the_same_time(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(handler: Handler, request: dict[str, Any]) -> None:
        time.sleep(0.01 * len(told.requests))
        with contextlib.suppress(OSError):  # the client may be gone
            handler.send(401, b"no")

    with chat_server(refuse) as (url, told), pytest.raises(RefusedError) as refused:
        play_match("brave_rats", [f"llm:url={url},model=m,parallel=8", "greedy"], {"fast": True}, 16)
    assert "it says 401" in str(refused.value)
    gc.collect()  # exceptions that nobody has looked at are logged now
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


# Late, and not at all


def test_who_answers_too_late_is_not_waited_for() -> None:
    def late(handler: Handler, request: dict[str, Any]) -> None:
        time.sleep(0.5)

    _, warning, told = decide_or_fall_back(late, timeout=0.05, retries=1)
    assert "nothing within 0.05 s" in warning
    assert len(told.requests) == 2


def test_who_answers_drop_by_drop_is_not_waited_for() -> None:
    def drip(handler: Handler, request: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "1000000")
        handler.end_headers()
        for _ in range(30):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)

    def drip_or_end(handler: Handler, request: dict[str, Any]) -> None:
        try:
            drip(handler, request)
        except OSError:
            handler.close_connection = True

    _, warning, _ = decide_or_fall_back(drip_or_end, timeout=0.2, retries=0)
    assert "nothing within 0.2 s" in warning


def test_who_hangs_up_is_asked_again() -> None:
    def hang_up(handler: Handler, request: dict[str, Any]) -> None:
        handler.close_connection = True
        handler.connection.close()

    _, warning, told = decide_or_fall_back(hang_up, retries=1)
    assert "gives no answer: " in warning and len(told.requests) == 2


def test_where_nobody_is_the_fallback_plays() -> None:
    with chat_server(well) as (url, _):
        pass
    with pytest.warns(FallbackWarning, match="gives no answer: .*greedy decides"):
        _, agent = decide(url, retries=1, fallback="greedy")
    assert agent.fallbacks == 1


def test_fallbacks_are_counted_in_the_arena(tmp_path: Path) -> None:
    with chat_server(sends(500)) as (url, _), warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        name = f"llm:url={url},model=m,retries=0"
        match = play_match("brave_rats", [name, "greedy"], {"fast": True}, 4, seed=1)
        plan = make_plan("brave_rats", [name, "greedy"], {"fast": True}, 4, seed=1, chunk=1)
        whole = play_tournament(plan, folder=Folder(tmp_path, plan))
        again = play_tournament(plan, folder=Folder(tmp_path, plan))
    assert match.agents[0].fallbacks > 6 and match.agents[1].fallbacks == 0
    assert whole.agents[0].fallbacks == again.agents[0].fallbacks > 6
    count = whole.agents[0].fallbacks
    assert whole.remarks() == [f"{name}: {count} decisions in 4 games, {count} of them by its fallback; 0 tokens."]


def test_decisions_and_tokens_are_counted_in_the_arena_and_saved_where_there_are_any(tmp_path: Path) -> None:
    with chat_server(then_well(lambda handler, _: handler.say("banana"))) as (url, told):
        command = ["arena", "brave_rats", f"llm:url={url},model=m", "greedy", "--games", "4", "--workers", "1"]
        command += ["--out", str(tmp_path), "fast=true"]
        first, again = (CliRunner().invoke(app, [*command, *more]) for more in (["--json"], []))
    model, greedy = json.loads(first.stdout)["agents"]
    asked = len(told.requests)
    assert (model["decisions"], model["tokens"], model["fallbacks"]) == (asked - 1, 12 * asked, 0)
    assert (greedy["decisions"], greedy["tokens"], greedy["fallbacks"]) == (None, None, 0)
    assert f": {asked - 1} decisions in 4 games, 0 of them by its fallback; {12 * asked} tokens." in again.stdout
    plan = make_plan("brave_rats", ["random", "greedy"], {"fast": True}, 4)
    play_tournament(plan, folder=Folder(tmp_path / "plain", plan))
    saved = (tmp_path / "plain" / "chunks" / "match-0-chunk-0.safetensors").read_bytes()
    assert b'"fallbacks"' in saved and b'"decisions"' not in saved and b'"tokens"' not in saved


@pytest.mark.parametrize("count", [10**30, -5, 1.5, "12"])
def test_tokens_that_cannot_be_are_not_counted(count: Any) -> None:
    body = {"choices": [{"message": {"content": "[7]"}}], "usage": {**USAGE, "prompt_tokens": count}}
    with chat_server(sends(200, json.dumps(body).encode())) as (url, _):
        assert decide(url)[1].tokens_used == 2


def test_what_stops_a_tournament_loses_a_few_deals_only(tmp_path: Path) -> None:
    def runs_out_once(handler: Handler, request: dict[str, Any]) -> None:
        (sends(401) if len(told.requests) == 60 else well)(handler, request)

    with chat_server(runs_out_once) as (url, told):
        agents = [f"llm:url={url},model=m", "greedy"]
        plan = make_plan("brave_rats", agents, {"fast": True}, 24, seed=1)
        with pytest.raises(RefusedError):
            play_tournament(plan, folder=Folder(tmp_path, plan))
        kept = Folder(tmp_path, plan).open()
        result = play_tournament(plan, folder=Folder(tmp_path, plan))
    assert plan.chunk == make_plan("brave_rats", [make_agent(name, "brave_rats") for name in agents]).chunk == 4
    assert len(kept) >= 1 and result.games == 24
    assert make_plan("brave_rats", agents, chunk=50).chunk == 50


# The exchange, and the key


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_exchange_is_saved_beside_the_record(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    with chat_server(says("banana")) as (url, _):
        names = ["--agent", f"llm:url={url},model=m,save={path}", "--agent", "greedy"]
        result = CliRunner().invoke(app, ["record", "brave_rats", "--games", "2", *names, "fast=true"])
    records = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    saved = lines(path)
    taken = [[step["action"] for step in record["steps"] if step["actor"] == 0] for record in records]
    assert [line["action"] for line in saved] == [action for game in taken for action in game]
    assert [line["decision"] for line in saved] == [number for game in taken for number in range(len(game))]
    first = saved[0]
    assert (first["format"], first["game"], first["seat"], first["model"]) == ("rat-exchange/2", "brave_rats", 0, "m")
    assert [reply["text"] for reply in first["replies"]] == ["banana", "I like the last one.\n[7]"]
    assert [message["role"] for message in first["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert first["replies"][0]["usage"] == {"prompt_tokens": 10, "completion_tokens": 2}
    assert f"player_0: {len(saved)} decisions, 0 of them by the fallback random" in result.stderr


def test_records_say_which_lines_are_of_their_games(tmp_path: Path) -> None:
    path, folder = tmp_path / "exchanges.jsonl", tmp_path / "folder"
    with chat_server(well) as (url, _):
        model = f"llm:url={url},model=m,save={path}"
        command = ["record", "brave_rats", "fast=true", "--games", "3", "--agent", model, "--agent", "greedy"]
        records = [json.loads(line) for line in CliRunner().invoke(app, command).stdout.splitlines()]
        plan = make_plan("brave_rats", [model, "greedy", model], {"fast": True}, 4, chunk=1)
        play_tournament(plan, folder=Folder(folder, plan))
    records += Recorded(folder).games()
    decided: dict[str, list[str]] = {}
    for line in lines(path):
        decided.setdefault(line["game_id"], []).append(line["action"])
    for record in records:
        named = {seat for seat, name in enumerate(record["agents"]) if name.startswith("llm:")}
        assert set(record["game_ids"]) == {f"player_{seat}" for seat in named}
        for seat in named:
            own = [step["action"] for step in record["steps"] if step["actor"] == seat]
            assert decided.pop(record["game_ids"][f"player_{seat}"]) == own
    assert not decided and len(records) == 15


def test_lines_of_a_tournament_are_told_apart_by_game(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    with chat_server(well) as (url, _):
        agents = [f"llm:url={url},model=m,save={path}", "greedy", "random"]
        play_tournament(make_plan("brave_rats", agents, {"fast": True}, 8, chunk=2))
    games: dict[str, list[dict[str, Any]]] = {}
    for line in lines(path):
        games.setdefault(line["game_id"], []).append(line)
    assert len(games) == 16  # of two matches with the model
    for own in games.values():
        assert [line["decision"] for line in own] == list(range(len(own)))
        assert len({line["seat"] for line in own}) == 1
        assert own[0]["config"] == get_game("brave_rats").configuration.make({"fast": True}).to_dict()


def test_one_object_in_both_seats_has_two_numbers_of_its_game(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    with chat_server(well) as (url, _):
        agent = make_agent(f"llm:url={url},model=m,save={path}", "brave_rats")
        play_match("brave_rats", [agent, agent], {"fast": True}, 4)
    found = {(line["game_id"], line["seat"]) for line in lines(path)}
    assert len(found) == len({game_id for game_id, _ in found}) == 8


def test_an_answer_is_saved_as_it_was_said_and_sent_back_by_its_end(tmp_path: Path) -> None:
    path, thought = tmp_path / "exchanges.jsonl", f"<think>{'I compare them. ' * 400}</think>\n"
    with chat_server(says(f"{thought}banana", f"{thought}[7]")) as (url, told):
        decide(url, save=str(path))
    (line,) = lines(path)
    answers = [message["content"] for message in line["messages"] if message["role"] == "assistant"]
    assert answers == [f"{thought}banana", f"{thought}[7]"]
    assert told.requests[1]["messages"][2]["content"] == answers[0][-4000:]


@pytest.mark.parametrize("how", ["refused", "interrupted"])
def test_what_has_been_paid_for_is_saved_when_the_play_ends(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pays_for_some(handler: Handler, request: dict[str, Any]) -> None:
        if len(told.requests) < 7:
            well(handler, request)
        else:
            time.sleep(0.2)  # until the others have been answered
            handler.send(402, b"{}") if how == "refused" else handler.say("banana")

    path = tmp_path / "exchanges.jsonl"
    if how == "interrupted":
        monkeypatch.setattr(chat.ChatServer, "without_key", _interrupted_by("banana"))
    with chat_server(pays_for_some) as (url, told):
        agents = [make_agent(f"llm:url={url},model=m,save={path},parallel=8", "brave_rats"), "greedy"]
        with pytest.raises(RefusedError if how == "refused" else KeyboardInterrupt):
            play_match("brave_rats", agents, {"fast": True}, 16)
    saved = lines(path)
    assert len(saved) == 6 and all(line["replies"] and line["action"] and line["fallback"] is None for line in saved)


def _interrupted_by(text: str) -> Any:
    """In the place of what strikes the key out: Ctrl-C when this has been said."""

    def without_key(server: chat.ChatServer, said: str) -> str:
        if said == text:
            raise KeyboardInterrupt
        return said

    return without_key


def test_an_unfinished_exchange_is_saved_without_an_action(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    with (
        chat_server(then_well(lambda handler, _: handler.say("banana"), sends(402))) as (url, _),
        pytest.raises(RefusedError),
    ):
        decide(url, save=str(path))
    (line,) = lines(path)
    assert line["action"] is line["fallback"] is None and line["replies"][0]["text"] == "banana"


def test_a_fallback_is_saved_with_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    decide_or_fall_back(sends(500, b"too long"), save=str(path), retries=0)
    (line,) = lines(path)
    assert line["fallback"] == "random" and "it says 500, 'too long'" in line["problem"] and line["replies"] == []
    assert line["decision"] is line["game_id"] is None  # in a bare environment nobody counts


@pytest.mark.parametrize("status", [200, 500])
def test_a_warning_holds_nothing_of_a_hand_which_the_saved_exchange_does(status: int, tmp_path: Path) -> None:
    def echo(handler: Handler, request: dict[str, Any]) -> None:
        prompt = request["messages"][1]["content"][-150:]
        if status == 200:
            handler.say("I keep the Prince.\n[Play]")
        else:
            handler.send(status, prompt.encode(), retry_after="0")

    path = tmp_path / "exchanges.jsonl"
    _, warning, _ = decide_or_fall_back(echo, save=str(path), retries=0, again=0)
    (line,) = lines(path)
    assert "Prince" in line["problem"] and "Prince" not in warning and "Play" not in warning
    assert warning.endswith(". random decides.")


def test_the_key_is_sent_and_stands_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def echo(handler: Handler, request: dict[str, Any]) -> None:
        said = f"Your key is {handler.headers['authorization']}"
        message = {"content": f"{said}\n[3]", "reasoning": said, "refusal": said}
        handler.send(200, json.dumps({"choices": [{"message": message}]}).encode())

    def refuse(handler: Handler, request: dict[str, Any]) -> None:
        handler.send(400, f"bad key {'x' * 150}{handler.headers['authorization']}".encode())

    monkeypatch.setenv("MY_KEY", KEY)
    path = tmp_path / "exchanges.jsonl"
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    with chat_server(then_well(echo, refuse)) as (url, told):
        agent = make_agent(f"llm:url={url},model=m,key=MY_KEY,save={path}", "brave_rats")
        assert agent.act(env) == 3
        with pytest.warns(FallbackWarning) as warned:
            agent.act(env)
    assert [headers["authorization"] for headers in told.headers] == [f"Bearer {KEY}"] * 2
    seen = [path.read_text(encoding="utf-8"), agent.remark, str(warned[0].message), repr(vars(agent)), agent.name]
    assert all(KEY[:6] not in text for text in seen)
    assert seen[0].count("Your key is Bearer [key]") == 4  # the reply's three texts, and the message


def test_a_key_is_sent_to_nobody_it_was_not_meant_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ConfigurationError, match="unencrypted: use https, or write key= to send none") as error:
        make_agent("llm:url=http://example.org/v1,model=m", "brave_rats")
    assert KEY not in str(error.value)
    for url in ("https://example.org/v1", "http://127.0.0.1:9/v1", "http://localhost:9/v1", "http://[::1]:9/v1"):
        make_agent(f"llm:url={url},model=m", "brave_rats")
    make_agent("llm:url=http://example.org/v1,model=m,key=", "brave_rats")
    with chat_server(well) as (url, told):
        decide(url, key="")
    assert "authorization" not in told.headers[0]


def test_what_goes_to_this_computer_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with chat_server(well) as (proxy, asked), chat_server(well) as (url, told):
        monkeypatch.setenv("HTTP_PROXY", proxy.removesuffix("/v1"))
        monkeypatch.setenv("http_proxy", proxy.removesuffix("/v1"))
        decide(url)
    assert len(told.requests) == 1 and not asked.requests
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:9")  # httpx knows no such proxy
    with chat_server(well) as (url, told):
        decide(url)
    assert len(told.requests) == 1
    with pytest.raises(ConfigurationError, match="The proxy that the environment names cannot be used"):
        decide("https://example.org/v1")


def test_a_key_that_no_header_can_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "one\ntwo")
    with pytest.raises(ConfigurationError, match="more than plain letters") as error:
        make_agent("llm:url=https://example.org/v1,model=m", "brave_rats")
    assert "two" not in str(error.value)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("", "needs the option 'url'"),
        ("url=http://h/v1", "needs the option 'model'"),
        ("url=http://h/v1,model=m,colour=red", "no option 'colour': the options are url, model, key, timeout"),
        ("url=ftp://h,model=m", "must be like http://localhost:8000/v1"),
        ("url=http://h:99999/v1,model=m", "must be like http://localhost:8000/v1"),
        ("url=http://me:secret@h/v1,model=m", "must be without a user, a password"),
        ("url=http://h/v1?key=secret,model=m", "must be without a user, a password"),
        ("url=http://h/v1,model=m,key=sk-secret", "must be the name of the environment variable"),
        ("url=http://h/v1,model=m,timeout=0", "timeout=0: must be a number from 0.001 to 3,600"),
        ("url=http://h/v1,model=m,retries=1.5", "retries=1.5: must be a whole number from 0 to 20"),
        ("url=http://h/v1,model=m,temperature=hot", "temperature='hot': must be a number from 0 to 10"),
        ("url=https://ü..x/v1,model=m", "must be like http://localhost:8000/v1"),
        ("url=http://[::1]evil/v1,model=m", "must be like http://localhost:8000/v1"),
        ("url=https://[v1.x]/v1,model=m", "must be like http://localhost:8000/v1"),
        (f"url=http://h/{'v' * 70_000},model=m", "must be like http://localhost:8000/v1"),
        ("url=http://h/v1,model=m,tokens=0", "tokens=0: must be a whole number from 1 to 10,000,000"),
        (
            "url=http://h/v1,model=m,max_completion_tokens=1.5",
            "max_completion_tokens=1.5: must be a whole number from 1",
        ),
        ("url=http://h/v1,model=m,reasoning_effort=true", "reasoning_effort=True: must be a text"),
        ("url=http://h/v1,model=m,top_p=1.5", "top_p=1.5: must be a number from 0 to 1"),
        ("url=http://h/v1,model=m,request_seed=-1", "request_seed=-1: must be a whole number from 0 to 9,223"),
        ("url=http://h/v1,model=m,memory=none", "memory='none': must be news or all"),
        ("url=http://h/v1,model=m,fallback=llm", "fallback='llm': must be the name of another agent"),
        ("url=http://h/v1,model=m,fallback=nobody", "There is no agent 'nobody'"),
        ("url=http://h/v1,model=m,save=/nowhere/at/all", "save=/nowhere/at/all: cannot be written"),
        ("url=http://h/v1,model=true", "model=True: must be a text"),
    ],
)
def test_options_that_cannot_be_are_refused_in_a_sentence(options: str, reason: str) -> None:
    with pytest.raises(RatEnvsError, match=reason.replace("?", r"\?").replace(".", r"\.")) as error:
        make_agent(f"llm:{options}" if options else "llm", "brave_rats")
    assert "secret" not in str(error.value)


def test_without_httpx_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r"^Asking a language model needs httpx: pip install .*\[llm\]"):
        make_agent("llm:url=http://127.0.0.1:9/v1,model=m", "brave_rats")


def test_a_name_that_somebody_else_has_written_asks_no_server(tmp_path: Path) -> None:
    with chat_server(well) as (url, told):
        name = f"llm:url={url},model=m"
        game = get_game("brave_rats")
        saved = SavedGame.of(Session(game, game.configuration.make({"fast": True}), ["me", name], 1))
        with pytest.raises(CheckpointError, match="names a server that would be sent questions and your key"):
            saved.session()
        assert saved.session(trust=True).names == ["me", name]
        plan = make_plan("brave_rats", [name, "greedy"], {"fast": True}, 4)
        play_tournament(plan, folder=Folder(tmp_path, plan))
        asked = len(told.requests)
        with pytest.raises(CheckpointError, match=r"names a server .* pass --trust if you trust it\."):
            replay_tournament(read_manifest(tmp_path / "manifest.json"))
        assert len(told.requests) == asked


# At the table


def test_a_person_plays_against_a_model_at_the_terminal() -> None:
    with chat_server(well) as (url, told):
        seats = f"me,llm:url={url},model=m,memory=news"
        result = CliRunner().invoke(app, ["play", "brave_rats", "--seats", seats, "fast=true"], input="0\n1\n2\n" * 4)
    assert "player_1: " in result.stdout and "decisions, 0 of them by the fallback random" in result.stdout
    assert told.requests


def test_what_a_model_does_is_taken_back_with_the_rest() -> None:
    with chat_server(well) as (url, _):
        game = get_game("brave_rats")
        session = Session(game, game.configuration.make({}), ["me", f"llm:url={url},model=m"], 1)
        session.act(0, "play spy")
        session.advance()
        session.undo(0)
        assert session.steps == []


def test_agents_that_decide_themselves_say_nothing_of_it() -> None:
    agent = make_agent("random", "brave_rats", 1)
    assert (agent.remark, agent.fell_back, Agent.listens) == ("", None, False)
