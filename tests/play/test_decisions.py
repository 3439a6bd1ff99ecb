"""Decisions of saved games as a table, and a folder of games as records."""

from __future__ import annotations

import csv
import json

import pytest

from rat_envs.commands.main import main
from rat_envs.engine.records import replay
from rat_envs.engine.registry import get_game
from rat_envs.play import SavedGame, Session
from rat_envs.play.decisions import COLUMNS, decisions
from rat_envs.play.saved import hint_line, step_line, undo_line
from rat_envs.play.terms import Terms

TIMES = {"asked": "2026-12-01T09:30:00.123Z", "answered": "2026-12-01T09:30:02.000Z", "page_ms": 1850}


def kept(path, cards, labels=None, config=None):
    """A saved game of two people at BraveRats, in which a card of None takes back the last two steps."""
    game = get_game("brave_rats")
    session = Session(game, game.configuration.make(config), ["me", "me"], 3, terms=Terms(labels or {}))
    SavedGame.of(session).write(path)
    for card in cards:
        if card is None:
            session.take_back()
            session.take_back()
        else:
            session.act(session.asked, f"play {card}", TIMES if card == "spy" else {})
        with path.open("a") as file:
            file.write(undo_line(len(session.steps)) if card is None else step_line(session.steps[-1]))
    return SavedGame.read(path)


def test_each_decision_is_a_row(tmp_path):
    saved = kept(tmp_path / "g", ["spy", "general", "princess", "prince"], {"participant": "P017"})
    rows = decisions(saved, "g")
    assert [(row["seat"], row["step"], row["turn"]) for row in rows] == [(0, 1, 1), (1, 2, 1), (1, 3, 2), (0, 4, 2)]
    assert [row["legal"] for row in rows] == [8, 8, 7, 7]
    first = rows[0]
    assert first["label_participant"] == "P017" and first["player"] == "person" and first["seed"] == 3
    assert first["response_ms"] == 1877 and first["page_ms"] == 1850 and rows[1]["response_ms"] is None
    assert all(row["finished"] == 1 for row in rows)
    assert [row["return"] for row in rows] == [-1.0, 1.0, 1.0, -1.0]
    assert set(rows[0]) == {*COLUMNS, "label_participant"}


def test_what_was_taken_back_comes_before_what_was_done_instead(tmp_path):
    path = tmp_path / "g"
    kept(path, ["spy", "general", "wizard", "musician", None, "prince", "prince", None, None, "princess", "prince"])
    with path.open("a") as file:
        file.write(hint_line(0, 0))
    rows = decisions(SavedGame.read(path), "g", undone=True)
    assert [(row["step"], row["action"].removeprefix("play "), row["undone"]) for row in rows] == [
        (1, "spy", 1),
        (1, "princess", 0),
        (2, "general", 1),
        (2, "prince", 0),
        (3, "wizard", 1),
        (3, "prince", 1),
        (4, "musician", 1),
        (4, "prince", 1),
    ]
    assert [row["hint"] for row in rows] == [1, 1, 0, 0, 0, 0, 0, 0]
    assert [row["step"] for row in decisions(SavedGame.read(path), "g")] == [1, 2]


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line; its exit code, and what it prints to standard output and to standard error."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["rat-envs", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return left.value.code or 0, printed.out, printed.err

    return run


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    kept(folder / "a.rat-game", ["princess", "prince"], {"participant": "P1", "condition": "x"})
    kept(folder / "b.rat-game", ["spy"], {"participant": "P2, the second"})
    (folder / "c.rat-game").write_text("{}\n")
    return folder


def test_a_folder_of_games_is_exported(folder, run, tmp_path):
    _, out, err = run("export", str(folder))
    (record,) = [json.loads(line) for line in out.splitlines()]
    assert record["game_id"] == "a" and record["labels"] == {"participant": "P1", "condition": "x"}
    assert record["seed"] == 3 and replay(record).is_over
    assert "Left out: " in err and "c.rat-game: no saved game" in err and "1 game not over yet" in err
    assert run("export", str(folder), "--game", "rattus")[1] == ""


def test_the_table_of_a_folder_has_a_column_for_each_label(folder, run, tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "records.jsonl"
    code, _, err = run("export", str(folder), "--table", str(table), "--out", str(out))
    assert code == 0 and "2 decisions of 1 game." in err and len(out.read_text().splitlines()) == 1
    code, printed, err = run("export", str(folder), "--unfinished", "--table", str(table))
    assert code == 0 and printed == "" and "3 decisions of 2 games." in err
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [*COLUMNS[:3], "label_participant", "label_condition", *COLUMNS[3:]]
    assert [row["game_id"] for row in rows] == ["a", "a", "b"] and [row["finished"] for row in rows] == ["1", "1", "0"]
    assert rows[2]["label_participant"] == "P2, the second" and rows[2]["return"] == rows[2]["label_condition"] == ""


def test_options_of_export_that_do_not_fit_are_refused(folder, run, tmp_path):
    assert "--unfinished is for the table" in run("export", str(folder), "--unfinished")[2]
    name = str(folder / "a.rat-game")
    assert "the name of the table must end with .csv" in run("export", str(folder), "--table", name)[2]
    assert "are for games that people played" in run("export", str(tmp_path), "--undone")[2]
