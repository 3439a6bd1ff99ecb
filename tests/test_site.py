"""The site builds without a warning, its links lead somewhere, and its pages ask no other host for anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytest.importorskip("mkdocs", reason='pip install ".[site]"')
pytest.importorskip("material", reason='pip install ".[site]"')

#: What a browser fetches by itself: these attributes of these tags.
FETCHED = {
    ("audio", "src"),
    ("embed", "src"),
    ("iframe", "src"),
    ("image", "href"),
    ("img", "src"),
    ("img", "srcset"),
    ("link", "href"),
    ("object", "data"),
    ("script", "src"),
    ("source", "src"),
    ("source", "srcset"),
    ("use", "href"),
    ("video", "src"),
}


class Page(HTMLParser):
    """What a page links to and fetches, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one tag."""
        for name, value in attrs:
            if (tag, name) in FETCHED:
                self.fetched.append(value or "")
            elif tag == "a" and name == "href":
                self.links.append(value or "")
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built strictly, without running notebooks."""
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "RAT_ENVS_SITE_NOTEBOOKS": "no"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert process.stdout + process.stderr == ""
    return folder


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Page]:
    """Every page by its file."""
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_there_is_a_page_for_every_text(site):
    for path in (ROOT / "docs").rglob("*.md"):
        assert (site / path.relative_to(ROOT / "docs").with_suffix(".html")).exists()
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert (site / "notebooks" / f"{path.stem}.html").exists()
    for name in ("readme", "contributing", "changelog", "security"):
        assert (site / f"{name}.html").exists()


def test_links_lead_to_pages_and_anchors(pages, site):
    count = 0
    for path, page in pages.items():
        for link in [*page.links, *page.fetched]:
            if re.match(r"[a-z]+:", link) or path.name == "404.html":
                continue
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_relative_to(site) and target.exists(), f"{path.name}: {link}"
            if target in pages and not anchor.startswith("__"):
                assert anchor in pages[target].anchors, f"{path.name}: {link}"
            count += 1
    assert count > 1000


def test_no_page_asks_another_host(pages, site):
    for path, page in pages.items():
        for address in page.fetched:
            assert not re.match(r"(https?:)?//", address), f"{path.name}: {address}"
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", path.read_text(encoding="utf-8")), path.name
    hosts = re.compile(r"https?://[\w.-]*(unpkg|jsdelivr|cdnjs|cloudflare|googleapis|gstatic|polyfill)")
    for path in [*site.rglob("*.js"), *site.rglob("*.html")]:
        assert not hosts.search(path.read_text(encoding="utf-8")), path.name


def test_every_game_has_a_picture_and_a_way_to_play(pages, site):
    for name in ("brave_rats", "comme_des_rats", "rattus", "rattus_cartus"):
        for folder in ("games", "playing"):
            page = pages[site / folder / f"{name}.html"]
            assert f"../pictures/{name}.svg" in page.fetched
        assert (site / "pictures" / f"{name}.svg").read_bytes().startswith(b"<svg")


def test_the_reference_shows_the_public_names(pages, site):
    import rat_envs
    import rat_envs.arena
    import rat_envs.testing

    reference = [page for path, page in pages.items() if path.parent.name == "api"]
    anchors = {anchor.rpartition(".")[2] for page in reference for anchor in page.anchors}
    for package in (rat_envs, rat_envs.testing):
        assert set(package.__all__) <= anchors
    assert {"play_match", "play_tournament", "make_plan"} <= anchors
