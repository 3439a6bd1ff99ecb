"""Earlier decisions beside the observation: what the learner is shown again, and who plays as it learnt."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("torch")

from learners import LEARNERS, checkpoint, learnt, refusal
from learners import PPO as TINY

import rat_envs
from rat_envs.agents import make_agent
from rat_envs.agents.learnt import load_policy, save_policy
from rat_envs.agents.recall import RecallAgent
from rat_envs.api.learner import LearnerGames
from rat_envs.api.recalled import NO_DECISION, Recollection
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine.archive import write_archive
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.position import new_stream
from rat_envs.engine.program import program
from rat_envs.engine.registry import get_game
from rat_envs.engine.story import Event
from rat_envs.solving.exploitability import exploitability
from rat_envs.training.checkpoints import CHECKPOINT
from rat_envs.training.gathering import Worker
from rat_envs.training.opponents import FrozenSelf
from rat_envs.training.ppo import PPO, PPOOptions
from rat_envs.training.run import train

#: Games, in one of which actions name players, with their options.
GAMES = [("comme_des_rats", {"players": 3}), ("brave_rats", {}), ("rattus", {"players": 2})]
RECALL = 3


def small(game: str = "brave_rats", config=None, **changes) -> PPOOptions:
    few = {"num_games": 8, "steps_per_update": 16, "minibatch": 64, "epochs": 1, "hidden": (16,), "recall": RECALL}
    shared = {"minutes": None, "steps": 10**9, "tensorboard": False, "precision": "float32"}
    return PPOOptions(game=game, config=config or {}, **shared, **{**few, **changes})


def trained(game: str = "brave_rats", config=None, **changes) -> PPO:
    """A run whose network is no longer about the same everywhere."""
    run = PPO(small(game, config, learning_rate=1e-2, **changes))
    for _ in range(3):
        run.update()
    return run


def drawn(batch: Batch, random: np.random.Generator) -> np.ndarray:
    """A legal action in each game, any."""
    return np.array([random.choice(np.flatnonzero(mask)) for mask in batch.masks])


def told(run: PPO) -> tuple[list[list[Event]], list[bytes], list[bytes]]:
    """Keep what happens in a run's games from now on; and by step what its seats recall, kept and rebuilt from that."""
    games, batch = run.games, run.games.batch
    events: list[list[Event]] = [[] for _ in range(batch.n)]
    kept, rebuilt = [], []
    ask, step = games.recalled, games.step

    def recalled(chosen):
        views = SeatViews(batch, witnessed=dict(enumerate(events))).recalled(RECALL)
        rebuilt.append(b"".join(each.tobytes() for each in views))
        kept.append(b"".join(each.tobytes() for each in games.views().recalled(RECALL)))
        return ask(chosen)

    def step_and_tell(actions, learnt):
        rows, actors = batch.states.copy(), batch.actors.tolist()
        step(actions, learnt)
        for i, actor in enumerate(actors):
            events[i].append(Event(batch.game, actor, int(actions[i]), rows[i], None, batch.configurations[i].players))
            if batch.dones[i]:
                events[i].clear()

    games.recalled, games.step = recalled, step_and_tell
    return events, kept, rebuilt


@pytest.mark.parametrize(("game", "config"), GAMES)
def test_the_learner_recalls_what_has_happened_byte_for_byte(game, config):
    run = PPO(small(game, config, opponents={"random": 0.2, "frozen": 0.3}, random_starts=0.5, steps_per_update=100))
    _, kept, rebuilt = told(run)
    for _ in range(10):
        run.play(imitating=False)
        if run.decisions.dones[:50].any():
            break
    assert run.decisions.dones.any()
    assert kept == rebuilt and len(set(kept)) > 90


@pytest.mark.parametrize(("game", "config"), GAMES)
def test_a_narrated_game_tells_the_same_decisions(game, config):
    env = rat_envs.Narrator(rat_envs.make(game, **config))
    env.reset(seed=1)
    batch, random = env.unwrapped.batch, np.random.default_rng(1)
    kept = Recollection(batch, RECALL)
    for _ in range(60):
        if batch.actors[0] < 0:
            break
        found, right = SeatViews(env).recalled(RECALL), kept.of(np.zeros(1, int), batch.actors, RECALL)
        assert all(np.array_equal(one, other) for one, other in zip(found, right, strict=True))
        action = int(random.choice(np.flatnonzero(batch.masks[0])))
        kept.note(batch, np.array([action]))
        env.step(action)
    assert (found.actions != NO_DECISION).all()


def test_the_network_is_shown_the_latest_decision_first_and_nothing_for_those_that_are_missing():
    run = PPO(small("comme_des_rats", {"players": 3}))
    model, batch, game = run.model, run.games.batch, run.games.batch.game
    random, seen, actions = np.random.default_rng(1), [], []
    for _ in range(40):
        if batch.actors[0] == 1:
            seen.append(model.see(batch.observations)[0, : len(model.columns)])
        recalled = run.games.recalled(np.arange(batch.n))
        shown = model.see(batch.observations, recalled)[0]
        now, before = shown[: len(model.columns)], shown[len(model.columns) :].reshape(RECALL, -1)
        if batch.actors[0] == 1:
            done = list(zip(seen[-2::-1], actions[::-1], strict=True))[:RECALL]
            assert np.array_equal(now, seen[-1])
            for k, (one, action) in enumerate(done):
                assert np.array_equal(before[k], [*one, *np.eye(model.actions, dtype=np.int8)[action]])
            assert not before[len(done) :].any()
        chosen = drawn(batch, random)
        if batch.actors[0] == 1:
            actions.append(int((game.relative_actions[3, 1] == chosen[0]).argmax()))
        run.games.step(chosen, np.ones(batch.n, bool))
        assert not batch.dones[0]
    assert len(actions) > RECALL


@pytest.mark.parametrize(
    ("game", "config", "crossed"),
    [*((game, config, ()) for game, config in GAMES), ("brave_rats", {}, ("own_hand", "opponent_cards"))],
)
def test_what_is_saved_plays_as_what_was_trained(game, config, crossed, tmp_path):
    run = trained(game, config, crossed=crossed)
    save_policy(tmp_path / "policy.safetensors", run.agent())
    saved = load_policy(tmp_path / "policy.safetensors", game)
    assert isinstance(saved, RecallAgent) and saved.recall == RECALL
    views, batch = run.games.views(), run.games.batch
    policy, values = saved.policy_batch(views), saved.value_batch(views)
    frozen = FrozenSelf(run.model.networks(), 1, np.random.default_rng(1))
    assert np.array_equal(run.agent().policy_batch(views), policy)
    assert np.allclose(frozen.policy_batch(views), policy, atol=1e-6)
    if batch.game.seat_actions:
        policy = np.take_along_axis(policy, batch.game.relative_actions[views.players, views.seats], 1)
    run.play(imitating=False)
    drawn = np.take_along_axis(policy, run.decisions.actions[0][:, None], 1)[:, 0]
    assert np.allclose(np.log(drawn), run.decisions.log_probabilities[0], atol=1e-3)
    assert np.allclose(values, run.decisions.values[0, :, 0, 0].clip(-1, 1), atol=1e-3)


@pytest.mark.parametrize(("game", "config"), GAMES)
def test_nothing_hidden_reaches_it_from_earlier_decisions(game, config):
    """What its seat could not know is drawn anew wherever it decided, and what others did is something else."""
    run = trained(game, config)
    agent, batch, stream = run.agent(), run.games.batch, new_stream(get_game(game), 1)
    events, _, _ = told(run)
    batch.reset(3)
    run.games.recollection.clear(np.arange(batch.n))
    random, replaced = np.random.default_rng(1), 0
    for _ in range(40):
        run.games.step(drawn(batch, random), np.ones(batch.n, bool))
        before = [[without_secrets(event, int(batch.actors[i]), stream) for event in events[i]] for i in range(batch.n)]
        replaced += sum(
            (one.before.tobytes() != other.before.tobytes()) and one.actor == batch.actors[i]
            for i in range(batch.n)
            for one, other in zip(events[i], before[i], strict=True)
        )
        hidden = Batch(game, batch.n, config, seed=5)
        hidden.states[:] = SeatViews(batch).determinize(stream)
        hidden.refresh()
        true = agent.policy_batch(SeatViews(batch, witnessed=dict(enumerate(events))))
        assert np.array_equal(agent.policy_batch(SeatViews(hidden, witnessed=dict(enumerate(before)))), true)
    assert replaced > 100


def without_secrets(event: Event, seat: int, stream) -> Event:
    """The same event to a seat that knows nothing but what it saw and did itself."""
    before = event.before.copy()
    if event.actor != seat:
        return dataclasses.replace(event, action=0, before=np.zeros_like(before))
    program(event.game).determinize(before, seat, stream)
    return dataclasses.replace(event, before=before)


def test_it_plays_wherever_somebody_keeps_what_happens():
    run = trained("comme_des_rats", {"players": 3})
    env, agent = rat_envs.Narrator(rat_envs.make("comme_des_rats", players=3)), run.agent()
    env.reset(seed=1)
    while env.unwrapped.agents:
        env.step(agent.act(env) if not env.unwrapped.terminations[env.unwrapped.agent_selection] else None)
    match = play_match("comme_des_rats", [agent, "random", "greedy"], {"players": 3}, 6, 1)
    assert match.games == 6


def test_where_nobody_keeps_it_a_sentence_says_so():
    agent = trained().agent()
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    for ask in (agent.act, agent.policy, agent.value):
        with pytest.raises(ConfigurationError, match=r"recalls its seat's last 3 decisions.*rat_envs\.Narrator"):
            ask(env)
    views = SeatViews(Batch("brave_rats", 2, seed=1), witnessed={0: [], 1: []})
    agent.act_batch(views)
    with pytest.raises(ConfigurationError, match="recalls"):
        agent.act_batch(views.showing(views.observations))
    for seat in (0, 1, None):
        with pytest.raises(ConfigurationError, match=r"^opponents: policy recalls its seat's last 3 decisions"):
            LearnerGames("brave_rats", [agent], 4, seed=1, seat=seat)
    run = PPO(small(recall=RECALL - 1))
    with pytest.raises(ConfigurationError, match="recalls"):
        agent.act_batch(run.games.views())


def test_it_guides_no_search_and_has_no_exact_exploitability(tmp_path):
    path = tmp_path / "policy.safetensors"
    save_policy(path, PPO(small()).agent())
    with pytest.raises(ConfigurationError, match=r"policy=.*: it recalls what its seat has decided"):
        make_agent(f"ismcts:policy={path}", "brave_rats")
    with pytest.raises(ConfigurationError, match="has no policy that is a function of what it sees"):
        exploitability("brave_rats", make_agent(str(path), "brave_rats"))


def test_it_begins_with_a_policy_that_recalls_as_much(tmp_path):
    before, path = trained("rattus", {"players": 2}), tmp_path / "policy.safetensors"
    save_policy(path, before.agent())
    run = PPO(small("rattus", {"players": 4}, seed=5, begin_with=str(path)))
    for _ in range(30):
        run.games.step(drawn(run.games.batch, run.games.random), np.ones(run.games.batch.n, bool))
    views = run.games.views()
    assert (views.recalled(RECALL).actions != NO_DECISION).all()
    assert np.allclose(run.agent().policy_batch(views), before.agent().policy_batch(views), atol=1e-3)
    with pytest.raises(ConfigurationError, match=r"begin_with=.*: it recalls 3 decisions, so begin with recall=3"):
        PPO(small("rattus", recall=0, begin_with=str(path)))
    save_policy(path, PPO(small("rattus", recall=0)).agent())
    with pytest.raises(ConfigurationError, match=r"begin_with=.*: it recalls 0 decisions"):
        PPO(small("rattus", begin_with=str(path)))


def test_a_teacher_and_opponents_may_recall_too(tmp_path):
    path = tmp_path / "policy.safetensors"
    save_policy(path, trained().agent())
    run = PPO(small(teacher=str(path), teacher_steps=10**6, opponents={str(path): 0.5}))
    run.update()
    assert run.report()["imitated"] == str(path)


@pytest.mark.parametrize(
    ("learner", "role"),
    [
        ("ppo", "teacher"),
        ("ppo", "opponents"),
        ("maskable_ppo", "imitated"),
        ("maskable_ppo", "opponents"),
        ("search", "teacher"),
    ],
)
def test_who_recalls_more_than_is_kept_neither_teaches_nor_plays_and_no_run_is_begun(learner, role, tmp_path):
    path, folder = tmp_path / "policy.safetensors", tmp_path / "run"
    save_policy(path, PPO(small()).agent())
    asked = {role: {str(path): 0.5} if role == "opponents" else str(path)}
    if role == "teacher":
        asked["teacher_steps"] = 100
    with pytest.raises(ConfigurationError, match=r"last 3 decisions, and none are kept in these games: .* recall=3"):
        train(LEARNERS[learner].tiny(folder, **asked))
    assert not folder.exists() or not any(folder.iterdir())


def test_a_resumed_run_is_the_same_and_damage_gets_one_sentence(tmp_path):
    changes = {"recall": 2, "opponents": {"random": 0.3, "frozen": 0.4}, "random_starts": 0.5}
    train(TINY.tiny(tmp_path / "whole", 8, **changes))
    run = PPO(TINY.tiny(tmp_path / "half", 8, **changes))
    run.folder.mkdir()
    for _ in range(4):
        run.update()
    run.save()
    header, arrays = checkpoint(tmp_path / "half")
    train(TINY.tiny(tmp_path / "half", 8, resume=True, **changes))
    assert learnt(tmp_path / "half") == learnt(tmp_path / "whole")
    assert "recall=2, not 3" in refusal(TINY.tiny(tmp_path / "half", 8, resume=True, **{**changes, "recall": 3}))
    actions = arrays["recollection/actions"]
    assert (actions != NO_DECISION).any()
    for damage, sentence in ((len(get_game("brave_rats").actions), "not an action"), (NO_DECISION, "has not decided")):
        damaged = {**arrays, "recollection/actions": np.full_like(actions, damage)}
        write_archive(tmp_path / "half" / CHECKPOINT, header, damaged)
        assert sentence in refusal(TINY.tiny(tmp_path / "half", 8, resume=True, **changes))


def test_workers_send_what_their_seats_recall():
    run = PPO(small(num_games=8, ray_workers=2))
    played = Worker(run.options.of_worker(), 1).play(run.parameters(), 0, False, run.earlier())
    run.take(slice(4, 8), played)
    assert np.array_equal(run.decisions.observations[:, 4:], played["observations"])
    assert run.decisions.observations[:, 4:, len(run.model.columns) :].any()
    run.fit(imitating=False)


def test_what_cannot_be_recalled_gets_one_sentence():
    for wrong in ({"recall": -1}, {"recall": 10**6}, {"recall": 1000, "hidden": (512,)}):
        with pytest.raises(ConfigurationError, match=r"recall=.*: must be"):
            small("rattus", **wrong)
