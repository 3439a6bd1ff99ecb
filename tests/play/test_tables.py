"""A file of tables: what is opened, what is kept when it is given again, and what is refused."""

from __future__ import annotations

import json

import pytest
import uvicorn
from playing import Running, page_of, post

from rat_envs.engine.errors import ConfigurationError
from rat_envs.play import SavedGame
from rat_envs.play.browser.addresses import LOOPBACK, listen
from rat_envs.play.browser.serve import serve_tables
from rat_envs.play.browser.tables import read_tables

STUDY = [
    {
        "game": "brave_rats",
        "options": {"fast": True},
        "seats": ["me", "random"],
        "seed": 7,
        "labels": {"participant": "P1"},
        "names": ["you", "opponent"],
        "undo": False,
        "hints": False,
    },
    {"game": "rattus", "options": {"players": 3}, "seats": ["me", "greedy", "me"]},
    {"game": "rattus", "options": {"players": 3}, "seats": ["me", "greedy", "me"]},
]


def written(path, lines):
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


@pytest.fixture
def served(tmp_path, monkeypatch, capsys):
    """The links that are printed when a server is started and stopped at once."""

    def start(lines, host=LOOPBACK, port=0, while_open=lambda: None):
        with monkeypatch.context() as patched:
            patched.setattr(uvicorn.Server, "run", lambda self, sockets: (while_open(), sockets[0].close()))
            folder = tmp_path / "folder"
            serve_tables(written(tmp_path / "tables.jsonl", lines), folder, host, port, "http://a.example", False)
        printed = capsys.readouterr().out
        assert printed == (folder / "links.jsonl").read_text()
        return [json.loads(line) for line in printed.splitlines()]

    return start


def test_the_same_command_again_keeps_games_and_links(served, tmp_path):
    links = served([STUDY[0], "", *STUDY[1:]])
    assert [(link["line"], link["seat"]) for link in links] == [(1, 0), (3, 0), (3, 2), (4, 0), (4, 2)]
    assert links[0]["labels"] == {"participant": "P1"} and links[1]["labels"] == {}
    assert len({link["link"] for link in links}) == 5 and len({link["watch"] for link in links}) == 3
    assert served([STUDY[0], "", *STUDY[1:]]) == links
    more = served([STUDY[1], STUDY[0], STUDY[1], {**STUDY[0], "seed": 8}])
    assert {link["link"] for link in links} < {link["link"] for link in more} and len(more) == 6
    assert len(list((tmp_path / "folder").glob("*.rat-game"))) == 4


def test_a_table_has_what_its_line_says(served, tmp_path):
    (link,) = served(STUDY[:1])
    token = link["link"].rpartition("/")[2]
    running = Running(tmp_path / "folder")
    try:
        page = page_of(running.base, token, is_asked=True)
        assert page["seats"] == ["you", "opponent"] and not page["hints"] and not page["again"]
        post(running.base, token, "act", {"view": page["view"], "action": page["choices"][0]["action"]})
        assert not page_of(running.base, token)["can_undo"]
    finally:
        running.stop()
    (path,) = (tmp_path / "folder").glob("*.rat-game")
    saved = SavedGame.read(path)
    assert saved.seed == 7 and saved.config["fast"] and saved.seats == ["me", "random"] and saved.has_begun
    assert served(STUDY[:1]) == [link]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "tables.jsonl, line 2: not JSON|line 2: .*"),
        ("[]", "line 2: the table is \\[\\] and not an object"),
        ({"game": "brave_rats"}, "line 2: the table has no 'seats'"),
        ({**STUDY[1], "lables": {}}, "line 2: there is no 'lables': a table has game, seats, options, seed"),
        ({**STUDY[1], "game": "chess"}, "line 2: There is no game 'chess'"),
        ({**STUDY[1], "options": {"players": 9}}, "line 2: .*players"),
        ({**STUDY[1], "seats": ["me"]}, "line 2: 1 agents for 3 seats"),
        ({**STUDY[0], "seats": ["nash", "nash"]}, "line 2: seats has no me"),
        ({**STUDY[0], "seats": ["me", "nobody"]}, "line 2: .*'nobody'"),
        ({**STUDY[0], "seats": ["me", "bot.py:Bot"]}, "line 2: The table names bot.py:Bot, .*: pass --trust if you"),
        ({**STUDY[0], "names": ["you"]}, "line 2: 1 shown names for 2 seats"),
        ({**STUDY[0], "names": ["you", ""]}, "line 2: the shown name '' must have from 1 to 200 characters"),
        ({**STUDY[0], "seed": -1}, "line 2: seed=-1: must be from 0"),
        ({**STUDY[0], "seed": "7"}, "line 2: .* is '7' and not a whole number"),
        ({**STUDY[0], "undo": 0}, "line 2: .* is 0 and not"),
        ({**STUDY[0], "labels": {"participant": 17}}, "line 2: .* is 17 and not a text"),
        ({**STUDY[0], "labels": {"the participant": "17"}}, "line 2: the label 'the participant' must be letters"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_opened(tmp_path, line, sentence):
    file = written(tmp_path / "tables.jsonl", [STUDY[0], line])
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        serve_tables(file, tmp_path / "folder", LOOPBACK, 0, None, False)
    assert str(caught.value).count(". ") == 0 and not (tmp_path / "folder").exists()


def test_a_file_without_tables_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"tables\.jsonl holds no tables"):
        read_tables(written(tmp_path / "tables.jsonl", [""]))


def test_links_of_a_study_do_not_move_to_another_port(served, monkeypatch):
    with listen(LOOPBACK, 0) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr("rat_envs.play.browser.addresses.DEFAULT_PORT", port)
        with listen(LOOPBACK, port) as other:
            assert other.getsockname()[1] != port
        with pytest.raises(ConfigurationError, match=f"Nothing can listen at '127.0.0.1', port {port}"):
            served(STUDY, port=port)
