"""An agent's opinion of recorded decisions, as a table."""

from __future__ import annotations

import csv
import json

import pytest

from rat_envs.commands.main import main
from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder
from rat_envs.replays.decisions import COLUMNS, explained


def record_of(actions, **config):
    recorder = Recorder(Position("brave_rats", config))
    for action in actions:
        recorder.apply(f"play {action}")
    return recorder.record({"agents": ["me", "greedy"]})


SHORT = record_of(["princess", "prince"])


def decision(rows, step):
    return [row for row in rows if row["step"] == step]


def test_each_possible_action_has_a_row():
    rows = list(explained([(4, SHORT)], "nash"))
    assert [row["step"] for row in rows] == [1] * 8 + [2] * 8
    assert set(rows[0]) == set(COLUMNS) and rows[0]["game_id"] == 4
    for step, name, player in ((1, "play princess", "person"), (2, "play prince", "greedy")):
        those = decision(rows, step)
        assert [row["action"] for row in those if row["played"]] == [name]
        assert {row["player"] for row in those} == {player}
        assert sum(row["probability"] for row in those) == pytest.approx(1)
        (best,) = [row for row in those if row["best"]]
        assert best["probability"] == max(row["probability"] for row in those)
        assert len({row["value"] for row in those}) == 1 and all(row["estimate"] is None for row in those)


def test_a_search_estimates_what_it_has_tried():
    rows = decision(explained([(1, {**SHORT, "game_id": "a"})], "ismcts:sims=60"), 1)
    assert rows[0]["game_id"] == "a"
    for row in rows:
        assert (row["estimate"] is None) == (row["probability"] == 0)
        assert row["estimate"] is None or -1 <= row["estimate"] <= 1


def test_an_agent_without_probabilities_has_a_choice():
    rows = decision(explained([(1, SHORT)], "greedy"), 1)
    assert sum(row["best"] for row in rows) == 1


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    (tmp_path / "games.jsonl").write_text(2 * (json.dumps(SHORT) + "\n"))

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["rat-envs", "replay", "games.jsonl", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0, *capsys.readouterr()

    return run


def test_replay_writes_the_table(run, tmp_path):
    code, out, _ = run("--explain", "random", "--table", "t.csv", "--html", "page.html")
    assert code == 0 and "t.csv: 32 rows of 2 games." in out and (tmp_path / "page.html").exists()
    code, out, _ = run("--explain", "random", "--table", "t.csv", "--game-number", "2")
    assert code == 0 and out.startswith("t.csv: 16 rows of 1 game.")
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["game_id"] for row in rows} == {"2"} and rows[0]["probability"] == "0.125"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--table", "t.csv"), "--table is for an agent's probabilities: add --explain AGENT."),
        (("--explain", "random", "--table", "t.csv", "--gif", "a.gif"), "--table and --gif: write one of them"),
        (("--explain", "random", "--table", "games.jsonl"), "the name of the table must end with .csv"),
        (("--explain", "random", "--beliefs", "--table", "t.csv"), "are for a page: add --html FILE"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(run, arguments, sentence):
    code, _, err = run(*arguments)
    assert code == 1 and sentence in err and err.count("\n") == 1
