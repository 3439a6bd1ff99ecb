"""What commands print beside text: names stand there as they are written, whatever marks of rich are in them."""

from __future__ import annotations

import pytest

from rat_envs.commands.output import counted, print_table, waiting

NAMES = ["own.py:Rat:bias=0.9", "runs/[v1]/p.safetensors", "runs/a[/b].safetensors", "[red]", "[/x]"]


@pytest.mark.parametrize("name", NAMES)
def test_names_in_tables_stand_as_they_are_written(name, capsys):
    print_table(("agent",), [(name,)])
    print_table((name,), [("agent",)])
    assert capsys.readouterr().out.count(name) == 2


@pytest.mark.parametrize("name", NAMES)
def test_progress_on_a_terminal_takes_any_name(name, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    with counted(f"solving {name}") as progress:
        progress(1, 2)
    assert f"solving {name}" in capsys.readouterr().err
    with waiting(f"playing against {name}"):
        pass
    assert f"playing against {name}" in capsys.readouterr().err
