"""What MkDocs is told besides `mkdocs.yml`: pages from outside ``docs``, and links that lead to the site's own pages.

The Markdown of this project is written for whoever reads it in the repository. Here

- README, CONTRIBUTING, CHANGELOG and SECURITY become pages, and so do the notebooks;
- every other file of the repository to which a page links becomes a page that shows it;
- links to all of these lead to those pages, so that nothing leads out of the site by accident;
- every game's page shows the replay of a game, which is played for it;
- nested lists, which GitHub indents by two, are indented by four, as Python-Markdown wants it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "website"))

from notebook_pages import page_of_notebook  # noqa: E402

DOCS = ROOT / "docs"

#: Documents at the top of the repository, by the page that shows each.
DOCUMENTS = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md"} | {
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
#: What stands on a game's page in place of the replay.
REPLAY = "<!-- Here the site shows the replay of a game. -->"
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")
FENCE = re.compile(r"^ *(```+|~~~+)")
LANGUAGES = {".py": "python", ".toml": "toml", ".md": "markdown", ".json": "json", ".yml": "yaml", ".cff": "yaml"}


def linked_files(text: str, folder: Path) -> Iterator[Path]:
    """The files and folders of the repository to which a text in ``folder`` links, from the top of the repository."""
    for target, _ in LINK.findall(text):
        path = Path(os.path.normpath(folder / target))
        if "://" not in target and path.is_relative_to(ROOT) and path.exists():
            yield path.relative_to(ROOT)


def page_for(path: Path) -> str | None:
    """The page of the site that shows a file of the repository; None for what lies in ``docs`` anyway."""
    if str(path) in DOCUMENTS:
        return DOCUMENTS[str(path)]
    if path.parts[0] == "docs":
        return None
    if path.suffix == ".ipynb":
        return str(path.with_suffix(".md"))
    return f"source/{path}.md"


def source_page(path: Path) -> str:
    """A page that shows a file, or all files of a folder."""
    place = ROOT / path
    files = [place] if place.is_file() else sorted(file for file in place.rglob("*") if is_text(file))
    parts = [f"# {path}\n"]
    for file in files:
        name = str(file.relative_to(ROOT))
        heading = f"## {name}\n\n" if place.is_dir() else ""
        text = file.read_text(encoding="utf-8").rstrip()
        parts.append(f"{heading}``````{LANGUAGES.get(file.suffix, 'text')}\n{text}\n``````\n")
    return "\n".join(parts)


def is_text(file: Path) -> bool:
    """Whether a file belongs on the page of its folder."""
    hidden = any(part.startswith((".", "__")) or part.endswith(".egg-info") for part in file.parts[1:])
    return file.is_file() and not hidden and file.suffix in LANGUAGES


def replay_frame(name: str) -> str:
    """The replay of a game, within its page."""
    return f'<iframe class="replay" title="The replay of a game" src="../replays/{name}.html"></iframe>'


def replay_page(name: str) -> str:
    """A page that shows a game between rules of thumb, step by step."""
    from rat_envs import get_game
    from rat_envs.play import Session
    from rat_envs.replays import make_page

    game = get_game(name)
    configuration = game.configuration.make(None)
    session = Session(game, configuration, ["greedy"] * configuration.players, 7)
    session.advance()
    return make_page([session.record()])


def on_files(files: Files, config: Any) -> Files:
    """Add what does not lie in ``docs``."""
    texts = [(file.abs_src_path, file.content_string) for file in files.documentation_pages()]
    texts += [(str(ROOT / name), (ROOT / name).read_text(encoding="utf-8")) for name in DOCUMENTS]
    linked = {path for name, text in texts for path in linked_files(text, Path(name).parent)}
    linked |= {notebook.relative_to(ROOT) for notebook in (ROOT / "notebooks").glob("*.ipynb")}

    for name, page in DOCUMENTS.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    for page in sorted((ROOT / "website" / "api").glob("*.md")):
        files.append(File.generated(config, f"api/{page.name}", abs_src_path=str(page)))
    files.append(File.generated(config, "assets/rat_envs.css", abs_src_path=str(ROOT / "website" / "rat_envs.css")))
    for page in sorted((DOCS / "games").glob("*.md")):
        files.append(File.generated(config, f"replays/{page.stem}.html", content=replay_page(page.stem)))
    for path in sorted(linked):
        page = page_for(path)
        if page is None or str(path) in DOCUMENTS:
            continue
        if path.suffix == ".ipynb":
            text, pictures = page_of_notebook(ROOT / path)
            for name, picture in pictures.items():
                files.append(File.generated(config, f"notebooks/{name}", content=picture))
        else:
            text = source_page(path)
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn links to files into links to pages, and indent lists."""
    source = page.file.src_uri
    if source.startswith("source/"):
        return markdown
    places = {shown: name for name, shown in DOCUMENTS.items()}
    origin = places.get(source) or (source if source.startswith("notebooks/") else f"docs/{source}")
    folder = (ROOT / origin).parent

    def lead(match: re.Match[str]) -> str:
        target, anchor = match.group(1), match.group(2) or ""
        path = Path(os.path.normpath(folder / target))
        if "://" in target or not path.is_relative_to(ROOT) or not path.exists():
            return match.group(0)
        inside = path.relative_to(ROOT)
        there = page_for(inside) or str(inside.relative_to("docs"))
        return os.path.relpath(there, Path(source).parent) + anchor

    markdown = markdown.replace(REPLAY, replay_frame(Path(source).stem))
    return indent_lists(outside_fences(markdown, lambda text: LINK.sub(lead, text)))


#: Where the theme's script would fetch parts from: a browser without ResizeObserver, and diagrams, which we do not use.
FETCHED = re.compile(rb"https://unpkg\.com/[^\"']*")


def on_post_build(config: Any) -> None:
    """Take out of the theme's scripts the addresses of other hosts."""
    for script in Path(config["site_dir"]).glob("assets/javascripts/*.js"):
        script.write_bytes(FETCHED.sub(b"", script.read_bytes()))
    for listing in Path(config["site_dir"]).glob("assets/**/*.map"):
        listing.unlink()


def outside_fences(markdown: str, change: Any) -> str:
    """Change every line that is not in a block of code."""
    lines, inside = [], False
    for line in markdown.split("\n"):
        if FENCE.match(line):
            inside = not inside
        lines.append(line if inside or FENCE.match(line) else change(line))
    return "\n".join(lines)


def indent_lists(markdown: str) -> str:
    """Indent what belongs to an item of a list by four for each level, in place of two or three."""

    def wider(line: str) -> str:
        words = line.lstrip(" ")
        spaces = len(line) - len(words)
        return " " * (4 * ((spaces + 1) // 3 if spaces > 3 else min(1, spaces // 2))) + words if spaces else line

    return outside_fences(markdown, wider)
