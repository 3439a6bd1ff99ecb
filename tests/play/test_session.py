"""A game between people and agents: undo, saved games, results in words."""

from __future__ import annotations

import contextlib
import json
import time

import numpy as np
import pytest

from rat_envs.engine.errors import CheckpointError, IllegalActionError, RatEnvsError, RecordError
from rat_envs.engine.game import CHANCE
from rat_envs.engine.records import replay
from rat_envs.engine.registry import get_game
from rat_envs.play import SavedGame, Session, hint
from rat_envs.play.browser.shown import shown_to
from rat_envs.play.saved import MOST_BYTES, hint_line
from rat_envs.play.terms import Terms

SEATS = {
    "brave_rats": ["me", "greedy"],
    "comme_des_rats": ["greedy", "me", "random"],
    "rattus": ["random", "me", "greedy"],
    "rattus_cartus": ["me", "greedy"],
}


def begun(game, names=None, seed=3):
    names = names or SEATS[game]
    chosen = get_game(game)
    config = {} if game == "brave_rats" else {"players": len(names)}
    session = Session(chosen, chosen.configuration.make(config), names, seed)
    session.advance()
    return session


def play(session, decisions, random):
    """So many decisions of people at random; the notation of what they did."""
    done = []
    while len(done) < decisions and not session.is_over:
        choice = session.offer().choices[random.integers(len(session.offer().choices))]
        done.append(session.game.actions[choice.action])
        session.act(session.asked, choice.action)
        session.advance()
    return done


def notation(session):
    return [step.event.notation for step in session.steps]


@pytest.mark.parametrize("game", SEATS)
def test_a_game_is_played_to_its_end_and_its_record_is_right(game):
    session = begun(game)
    play(session, 10**6, np.random.default_rng(1))
    assert session.is_over and session.asked is None
    record = json.loads(json.dumps(session.record()))
    assert replay(record).returns() == session.position.returns()
    with pytest.raises(IllegalActionError, match=r"^The game is over"):
        session.act(0, 0)


def test_no_agent_is_told_the_seed_of_chance():
    """All chance comes from it."""

    def entropy(agent):
        return agent.random.bit_generator.seed_seq.entropy

    session = begun("rattus", ["random", "greedy", "random"])
    told = [entropy(agent) for agent in session.table.agents]
    assert told == [entropy(agent) for agent in begun("rattus", ["random", "greedy", "random"]).table.agents]
    assert len(set(map(str, told))) == 3, "equal agents do not play alike"
    assert all(isinstance(each, int) and each > 2**32 for each in told), told


@pytest.mark.parametrize("game", SEATS)
def test_what_is_taken_back_happens_again_if_the_same_is_done(game):
    session = begun(game)
    seat = session.people[0]
    done = play(session, 4, np.random.default_rng(2))
    before, table = notation(session), session.position.state.tobytes()
    for action in reversed(done[-2:]):
        session.undo(seat)
        assert session.asked == seat and action in session.position.legal()
    for action in done[-2:]:
        session.act(seat, action)
        session.advance()
    assert notation(session) == before and session.position.state.tobytes() == table


def test_undo_is_refused_where_it_would_be_unfair_or_nothing_is_there():
    alone = begun("brave_rats")
    assert not alone.can_undo(0)
    with pytest.raises(IllegalActionError, match=r"^You have not acted yet"):
        alone.undo(0)
    together = begun("brave_rats", ["me", "me"])
    together.act(0, "play spy")
    assert not together.can_undo(0)
    with pytest.raises(IllegalActionError, match=r"^Other people play, too"):
        together.undo(0)


def test_who_is_not_asked_cannot_act():
    session = begun("brave_rats", ["me", "me"])
    with pytest.raises(IllegalActionError, match=r"^It is not your turn\.$"):
        session.act(1, "play spy")  # nor who else is asked, which may be a secret
    with pytest.raises(IllegalActionError, match="cannot do 'play rat' here"):
        session.act(0, "play rat")
    assert session.steps == []


def test_nobody_decides_for_chance():
    game = get_game("comme_des_rats")
    session = Session(game, game.configuration.make({"players": 3}), ["me", "me", "me"], 3)
    assert session.position.actor == CHANCE
    with pytest.raises(IllegalActionError, match=r"^It is not your turn\.$"):
        session.act(CHANCE, next(iter(session.position.chances())))
    assert session.steps == []


@pytest.mark.parametrize("game", SEATS)
def test_a_saved_game_goes_on_where_it_was(game, tmp_path):
    session = begun(game)
    play(session, 3, np.random.default_rng(4))
    path = tmp_path / "game"
    SavedGame.of(session).write(path)
    again = SavedGame.read(path).session()
    assert again.position.state.tobytes() == session.position.state.tobytes()
    assert again.names == session.names and notation(again) == notation(session)
    assert again._stream == session._stream
    assert [step.stream.tobytes() for step in again.steps] == [step.stream.tobytes() for step in session.steps]
    again.undo(again.people[0])
    play(again, 10**6, np.random.default_rng(5))
    assert replay(again.record()).is_over


@pytest.mark.parametrize("game", ["comme_des_rats", "rattus"])
def test_a_game_that_was_interrupted_has_the_same_chance(game, tmp_path):
    """It is saved and taken up again and again, and half of the times a step is taken back before, and made again."""
    whole, cut, random = begun(game, ["me"] * 3), begun(game, ["me"] * 3), np.random.default_rng(6)
    while not whole.is_over:
        choices = whole.offer().choices
        action = choices[random.integers(len(choices))].action
        for session in (whole, cut):
            session.act(session.asked, action)
            session.advance()
        if random.random() < 0.8:
            continue
        if random.random() < 0.5:
            cut.take_back()
            cut.advance()
        SavedGame.of(cut).write(tmp_path / "game")
        cut = SavedGame.read(tmp_path / "game").session()
        cut.advance()
        while len(cut.steps) < len(whole.steps):
            cut.act(cut.asked, whole.steps[len(cut.steps)].event.notation)
            cut.advance()
    assert notation(cut) == notation(whole)
    assert sum(step.event.actor == CHANCE for step in whole.steps) > 20


def test_what_was_taken_back_before_an_interruption_happens_again(tmp_path):
    session = begun("rattus", ["me", "greedy"])
    done = play(session, 6, np.random.default_rng(4))
    before = notation(session)
    session.undo(0)
    SavedGame.of(session).write(tmp_path / "game")
    again = SavedGame.read(tmp_path / "game").session()
    again.advance()
    again.act(0, done[-1])
    again.advance()
    outcomes = [step.event.notation for step in again.steps if step.event.actor == CHANCE]
    assert outcomes == [name for name, step in zip(before, again.steps, strict=False) if step.event.actor == CHANCE]


def test_an_outcome_that_would_not_have_been_drawn_stays_and_others_follow(tmp_path):
    """Older versions went on with other random numbers."""
    session = begun("comme_des_rats", ["me"] * 3)
    play(session, 2, np.random.default_rng(4))
    saved = SavedGame.of(session)
    place = next(k for k, step in enumerate(session.steps) if len(step.before.chances()) > 1)
    first = session.steps[place]
    other = next(name for name in first.before.chances() if name != first.event.notation)
    saved.steps = [*saved.steps[:place], {"actor": "chance", "action": other}]
    once, twice = saved.session(), saved.session()
    assert once.steps[-1].event.notation == other and once._stream != session.steps[place + 1].stream
    for again in (once, twice):
        again.advance()
    saved = SavedGame.of(once)
    assert notation(once) == notation(twice) == notation(saved.session())
    assert saved.session()._stream == once._stream


def test_agents_of_a_game_that_goes_on_have_numbers_of_their_own_each_time(tmp_path):
    session = begun("brave_rats", ["me", "random"])
    play(session, 2, np.random.default_rng(4))
    played = []
    for saved in (SavedGame.of(session),) * 2:
        again = saved.session()
        assert again.table.agents[1].get_state() != session.table.agents[1].get_state()
        play(again, 2, np.random.default_rng(4))
        played.append(notation(again))
    assert played[0] == played[1]


def test_a_saved_game_keeps_its_terms_times_and_hints(tmp_path):
    session = begun("brave_rats", ["me", "greedy"])
    session.terms = Terms({"participant": "P017"}, ["you", "opponent"], False, False, "a1")
    times = {"asked": "2026-12-01T09:30:00.123Z", "answered": "2026-12-01T09:30:02.000Z", "page_ms": 1850}
    session.act(0, "play spy", times)
    path = tmp_path / "game"
    SavedGame.of(session).write(path)
    with path.open("a") as file:
        file.write(hint_line(0, 1))
    saved = SavedGame.read(path)
    assert saved.terms == session.terms and saved.hints[0]["steps"] == 1
    again = saved.session()
    assert again.terms == session.terms and again.steps[0].to_dict() == session.steps[0].to_dict()
    assert not again.can_undo(0)
    with pytest.raises(IllegalActionError, match="In this game nothing can be taken back"):
        again.undo(0)
    play(again, 10**6, np.random.default_rng(5))
    assert again.record()["agents"] == ["you", "opponent"]
    SavedGame.of(again).write(path)
    record = SavedGame.read(path).record()
    assert record["agents"] == ["me", "greedy"] and record["seed"] == 3 and record["labels"] == {"participant": "P017"}
    assert record["steps"][0] == {"actor": 0, "action": "play spy", **times}
    assert replay(record).is_over


def test_what_was_taken_back_is_in_the_record_if_it_is_asked_for(tmp_path):
    path, spy = tmp_path / "game", '{"actor":0,"action":"play spy"}\n'
    SavedGame.of(begun("brave_rats", ["me", "me"])).write(path)
    steps = ['{"back_to":0}\n', '{"actor":0,"action":"play princess"}\n', '{"actor":1,"action":"play prince"}\n']
    path.write_text(path.read_text() + spy + "".join(steps))
    saved = SavedGame.read(path)
    record = saved.record(undone=True)
    assert record["undone"] == [{"after": 0, "steps": [{"actor": 0, "action": "play spy"}]}]
    assert replay(record).is_over and "undone" not in saved.record()


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        (3, "no saved game: the terms is 3 and not an object"),
        ({"lables": {}}, "there is no 'lables'"),
        ({"labels": {"a b": ""}}, "the label 'a b' must be letters, digits and _"),
        ({"labels": {"a": 1}}, "is 1 and not a text"),
        ({"undo": 1}, "is 1 and not"),
        ({"names": [" "]}, "the shown name ' ' must have from 1 to 200 characters"),
    ],
)
def test_wrong_terms_of_a_saved_game_are_named(tmp_path, terms, sentence):
    path = tmp_path / "game"
    path.write_text(json.dumps({**SavedGame.of(begun("brave_rats")).header(), "terms": terms}) + "\n")
    with pytest.raises(RecordError, match=sentence):
        SavedGame.read(path)


def test_a_saved_game_keeps_what_opens_the_next(tmp_path):
    saved = SavedGame.of(begun("brave_rats"))
    saved.next_tokens = ["a", "b", "c"]
    saved.write(tmp_path / "game")
    assert SavedGame.read(tmp_path / "game") == saved


def test_a_saved_game_that_was_cut_off_loses_its_last_line_alone(tmp_path):
    session = begun("brave_rats")
    play(session, 2, np.random.default_rng(4))
    path = tmp_path / "game"
    SavedGame.of(session).write(path)
    path.write_bytes(path.read_bytes()[:-5])
    assert notation(SavedGame.read(path).session()) == notation(session)[:-1]


def test_a_saved_game_may_begin_with_a_byte_order_mark(tmp_path):
    session = begun("brave_rats")
    play(session, 2, np.random.default_rng(4))
    path = tmp_path / "game"
    SavedGame.of(session).write(path)
    path.write_text(path.read_text(), encoding="utf-8-sig")
    assert notation(SavedGame.read(path).session()) == notation(session)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda lines: [], "no saved game"),
        (lambda lines: ["{}", *lines[1:]], "no saved game"),
        (lambda lines: [lines[0].replace('"seed":3', '"seed":-3'), *lines[1:]], "seed=-3: must be from 0 to"),
        (lambda lines: [lines[0].replace('["me","greedy"]', '"me"'), *lines[1:]], "seats"),
        (lambda lines: [lines[0], "{", *lines[1:]], "line 2: not JSON"),
        (lambda lines: [*lines, '{"back_to":99}'], "there is no step 99"),
        (lambda lines: [*lines, '{"back_to":true}'], "there is no step True"),
        (lambda lines: [*lines, "{}"], "game, line 2: no step: it must have an actor and an action"),
        (lambda lines: [*lines, '{"actor":[0],"action":"play spy"}'], "line 2: no step"),
        (lambda lines: [*lines, '{"actor":0,"action":"play spy","options":[[]]}'], "line 2: no step"),
        (lambda lines: [*lines, '{"actor":0,"action":"play spy","ends":[[]]}'], "line 2: no step"),
        (lambda lines: [*lines, '{"actor":0,"action":"play spy","page_ms":-1}'], "line 2: no step"),
        (lambda lines: [*lines, '{"actor":0,"action":"play spy","page_ms":true}'], "line 2: no step"),
        (lambda lines: [*lines, '{"actor":0,"action":"play spy","asked":"2026-12-01 09:30"}'], "line 2: no step"),
        (
            lambda lines: [*lines, '{"actor":0,"action":"play spy","answered":"2026-13-01T09:30:00.000Z"}'],
            "line 2: no step",
        ),
        (lambda lines: [*lines, '{"hint":0,"steps":0}'], "line 2: no step"),
        (lambda lines: [*lines, '{"hint":0,"steps":-1,"at":"2026-12-01T09:30:00.000Z"}'], "line 2: no step"),
        (lambda lines: [*lines, '{"next":[1]}'], "line 2: no step"),
        (lambda lines: [*lines, '{"next":["a","//elsewhere.example"]}'], "line 2: the token '//elsewhere.example' can"),
        (lambda lines: [*lines, '{"next":["a\\n"]}'], "line 2: the token .* must be letters and digits, - and _"),
        (lambda lines: [lines[0].replace('"tokens":[]', '"tokens":["a","../b"]')], "line 1: the token '../b' can"),
        (lambda lines: [lines[0].replace('"tokens":[]', '"tokens":[""]')], "line 1: the token '' can stand in no link"),
        (lambda lines: [*lines, " " * 70_000], "game: no saved game: Line 2: it has more than 65,536 characters"),
    ],
)
def test_a_damaged_saved_game_is_named_in_a_sentence(tmp_path, damage, sentence):
    path = tmp_path / "game"
    SavedGame.of(begun("brave_rats")).write(path)
    path.write_text("".join(f"{line}\n" for line in damage(path.read_text().splitlines())))
    with pytest.raises(RatEnvsError, match=sentence):
        SavedGame.read(path)


@pytest.mark.parametrize("line", ["{}", '{"back_to":0}', '{"actor":0,"action":"play spy"}'])
def test_a_large_saved_game_takes_seconds(tmp_path, line):
    path = tmp_path / "game"
    SavedGame.of(begun("brave_rats")).write(path)
    room = MOST_BYTES - path.stat().st_size
    path.write_text(path.read_text() + f"{line}\n" * (room // (len(line) + 1)))
    started = time.process_time()
    with contextlib.suppress(RecordError):
        SavedGame.read(path)
    assert time.process_time() - started < 5
    path.write_text(path.read_text() + "{}\n" * 100)
    with pytest.raises(RecordError, match="it has more than 2,097,152 bytes"):
        SavedGame.read(path)


def test_a_saved_game_that_breaks_a_rule_is_refused(tmp_path):
    path = tmp_path / "game"
    SavedGame.of(begun("brave_rats")).write(path)
    path.write_text(path.read_text() + '{"actor":0,"action":"play rat"}\n')
    with pytest.raises(RecordError, match="Step 1: player_0 cannot do 'play rat' here"):
        SavedGame.read(path).session()


def test_a_saved_game_runs_no_code_unless_it_is_trusted(tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit('run')")
    saved = SavedGame("brave_rats", get_game("brave_rats").version, {}, ["me", f"{tmp_path}/mine.py:Mine"], 1)
    saved.config = get_game("brave_rats").configuration.make(None).to_dict()
    with pytest.raises(CheckpointError, match="which is code that would be run: pass --trust"):
        saved.session()


def test_br04_results_are_told_to_each_seat_in_its_own_words():
    session = begun("brave_rats", ["me", "me"])
    for seat, card in ((0, "princess"), (1, "prince")):
        session.act(seat, f"play {card}")
    assert session.is_over
    assert [session.result_in_words(seat) for seat in (0, 1, None)] == [
        "You win.",
        "player_0 wins.",
        "player_0 wins.",
    ]


def test_a_hint_is_the_equilibriums_where_there_is_one():
    session = begun("brave_rats", ["me", "me"])
    found = hint(session.position)
    assert found.source == "equilibrium" and abs(found.value) < 1e-9
    assert sum(one.probability for one in found.choices) == pytest.approx(1)
    assert [one.estimate for one in found.choices] == [None] * 8


def test_a_hint_by_search_gives_each_move_an_estimate():
    session = begun("rattus", ["me", "greedy"])
    found = hint(session.position)
    assert found.source.startswith("search") and -1 <= found.value <= 1
    best, *others = found.choices
    assert all(best.probability >= other.probability for other in others)
    assert best.estimate is not None and -1 <= best.estimate <= 1
    assert {one.choice.action for one in found.choices} == {one.action for one in session.offer().choices}


@pytest.mark.parametrize("game", SEATS)
def test_a_page_shows_nothing_that_its_seat_does_not_know(game):
    """Whatever is hidden from it: its log, whose sentences have tests of their own, is that of what has happened."""
    session, random = begun(game), np.random.default_rng(7)
    stream = session._stream.copy()
    for _ in range(12):
        for seat in range(len(session.names)):
            page, true = shown_to(session, seat), session.position
            session.position = true.copy()
            session.position.determinize(seat, stream)
            assert shown_to(session, seat) == page
            session.position = true
        play(session, 1, random)


def test_a_page_does_not_tell_how_often_others_were_asked():
    session = begun("brave_rats", ["me", "me"])
    before = shown_to(session, 1)
    session.act(0, "play spy")
    after = shown_to(session, 1)
    assert before["waiting"] == "Please wait for player_0.", "whose turn it is, is no secret here"
    assert {name for name in before if before[name] != after[name]} == {"question", "choices", "waiting"}


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("me", "another person"),
        ("greedy", "greedy"),
        ("/home/ann/secret/bad.py:Bad", "bad.py:Bad"),
        ("runs\\mine\\policy.safetensors", "policy.safetensors"),
        ("my.package:Mine", "my.package:Mine"),
        ("ismcts:sims=10,rollout=greedy,policy=/home/ann/policy.safetensors", "ismcts:sims=10,rollout=greedy"),
        ("llm:url=http://10.0.0.7:8000/v1,model=gpt,key=MY_KEY", "llm:model=gpt"),
    ],
)
def test_a_page_names_agents_without_folders_and_servers(name, short):
    session = begun("brave_rats")
    session.names = ["me", name]
    assert shown_to(session, 0)["seats"] == ["you", short]
