"""Lets the tests of each game import the helpers and the referee beside them, with pytest's detailed assertions."""

import sys
from pathlib import Path

import pytest

for folder in sorted(path for path in Path(__file__).parent.iterdir() if path.is_dir()):
    sys.path.insert(0, str(folder))
    pytest.register_assert_rewrite(*(file.stem for file in folder.glob("*.py") if not file.stem.startswith("test_")))
