"""The documentation keeps up with the code."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import PIL.Image
import pytest
import typer
import yaml

from server.commands.cli import LateCommand, app

ROOT = Path(__file__).resolve().parents[1]
DOCS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

TOP_LEVEL = {
    "pyproject.toml", "vision", "engine", "calibration", "server", "tests", "samples",
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "benchmarks", "docs",
    "requirements.lock", "requirements-dev.lock", "CITATION.cff",
}  # fmt: skip


def commands(group: Any, path: str = "tableref") -> Iterator[tuple[str, Any]]:
    context = typer.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        command = found.loaded if isinstance(found, LateCommand) else found
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


COMMANDS = dict(commands(typer.main.get_command(app)))


def options(command: Any) -> set[str]:
    return {
        flag
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.hidden
        for flag in (*parameter.opts, *parameter.secondary_opts)
        if flag.startswith("--")
    }


def sections(text: str) -> dict[str, str]:
    """What stands under each `## ` heading that names a command."""
    parts = re.split(r"^## `(tableref [^`]+)`$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


SECTIONS = sections((ROOT / "docs" / "commands.md").read_text(encoding="utf-8"))


def test_every_command_has_a_section_and_every_section_a_command() -> None:
    assert set(SECTIONS) == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_is_documented_and_no_other(name: str) -> None:
    written = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", SECTIONS.get(name, "")))
    assert written - {"--help"} == options(COMMANDS[name]) - {"--help"}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_table_of_commands_names_each(name: str) -> None:
    table = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").split("\n## ")[0]
    assert f"`{name}`" in table


def shown_commands() -> Iterator[tuple[str, str]]:
    for page in DOCS:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"```(?:sh|bat|console)\n(.*?)```", text, flags=re.DOTALL):
            for line in block.splitlines():
                if match := re.match(r"(?:\$ )?(?:\.venv\S*[/\\])?(tableref .*)", line):
                    yield page.name, match[1]


@pytest.mark.parametrize(("page", "line"), list(shown_commands()))
def test_commands_shown_in_the_docs_exist_with_their_options(page: str, line: str) -> None:
    name = max((c for c in COMMANDS if f"{line} ".startswith(f"{c} ")), key=len, default="")
    assert name, f"{page} shows {line!r}, which is no command"
    assert set(re.findall(r"(?<!\S)--[a-z][a-z-]*", line)) <= options(COMMANDS[name])


def test_make_targets_shown_in_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    shown = set(re.findall(r"(?:^|`)make ([a-z]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.M))
    assert {"setup", "demo", "test"} <= shown <= targets


def named_dependencies() -> set[str]:
    lines = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]
    for group in PROJECT["dependency-groups"].values():
        lines += group
    return {re.match(r"[\w.-]+", line)[0].lower() for line in lines}  # type: ignore[index]


def wanted_by_some() -> set[str]:
    lines = [line for extra in PROJECT["project"]["optional-dependencies"].values() for line in extra]
    return {re.match(r"[\w.-]+", line)[0].lower() for line in lines}  # type: ignore[index]


def test_every_dependency_has_its_line() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^- `([\w.-]+)`: \S", text, flags=re.MULTILINE))
    assert named == named_dependencies() | wanted_by_some()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_lock_files_hold_the_dependencies_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    wanted = {d for d in named_dependencies() if "dev" in lock or d not in dev_dependencies()}
    pins = re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==", text, re.MULTILINE)
    assert wanted <= set(pins)
    assert "://" not in text
    assert not re.search(r"^--", text, re.MULTILINE), "a lock file names packages, not where to find them"
    assert text.count("--hash=sha256:") >= len(pins)


def dev_dependencies() -> set[str]:
    return {re.match(r"[\w.-]+", line)[0].lower() for line in PROJECT["dependency-groups"]["dev"]}  # type: ignore[index]


def links() -> Iterator[tuple[Path, str]]:
    for page in DOCS:
        text = page.read_text(encoding="utf-8")
        for found in re.finditer(r'\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"', text):
            target = found[1] or found[2]
            if not re.match(r"[a-z]+://", target):
                yield page, target


def anchors(page: Path) -> set[str]:
    """The ids that a forge gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize(("page", "target"), [pytest.param(p, t, id=f"{p.name}:{t}") for p, t in links()])
def test_relative_links_lead_somewhere(page: Path, target: str) -> None:
    file, _, anchor = target.partition("#")
    there = (page.parent / file).resolve() if file else page
    assert there.exists(), f"{page.name} links to {target}, which is not there"
    assert not anchor or anchor in anchors(there), f"{there.name} has no heading {anchor!r}"


def test_top_level_holds_only_what_belongs_there() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    top = {line.split("/")[0] for line in tracked}
    assert {name for name in top if not name.startswith(".")} == TOP_LEVEL


def test_the_ruling_on_its_page_is_what_measure_says(shared: Path, samples: Path) -> None:
    text = (ROOT / "docs" / "rulings.md").read_text(encoding="utf-8")
    shown = re.findall(r"```text\n(May Red 1 .*?)```", text, flags=re.DOTALL)
    still = shared / "renders" / "opening-round" / "still_0036.jpg"
    table = samples / "opening-round" / "table.toml"
    said = subprocess.run(
        [sys.executable, "-m", "server.commands.cli", "measure", str(still), "--table", str(table),
         "--from", "Red 1", "--to", "Blue 2"],
        cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8",
        env=os.environ | {"COLUMNS": "160", "PYTHONIOENCODING": "utf-8"},
    ).stdout  # fmt: skip
    assert len(shown) == 1
    assert [words(line) for line in shown[0].splitlines()] == [words(line) for line in said.splitlines()]
    assert numbers(shown[0]) == pytest.approx(numbers(said), abs=0.05)


def words(line: str) -> str:
    return " ".join(re.sub(r"\d+\.\d+", "#", line).split())


def numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"\d+\.\d+", text)]


def test_what_contributing_tells_to_make_exists() -> None:
    told = set(re.findall(r"`make ([a-z-]+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"setup-dev", "test"} <= told <= targets


README_WORDS = 900
SENTENCE_WORDS = 30
MOVING_PICTURE_BYTES = 3_000_000
PLAIN = ["README.md", "docs/setup.md", "docs/playing.md", "docs/trouble.md", "docs/cameras.md"]
"""What newcomers read, which is held to short sentences from its first line to its last."""


def test_readme_is_short_and_its_code_runs() -> None:
    readme = ROOT / "README.md"
    assert len(readme.read_text(encoding="utf-8").split()) <= README_WORDS
    ran = doctest.testfile(str(readme), module_relative=False)
    assert ran.failed == 0
    assert 8 <= ran.attempted <= 12


def test_readme_has_a_moving_picture_of_a_size_that_loads_by_day_and_by_night() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (night,), (day,) = (re.findall(rf'{at}="([^"]+)"', text) for at in ("srcset", "src"))
    assert day != night
    for shown in (day, night):
        with PIL.Image.open(ROOT / shown) as picture:
            assert getattr(picture, "n_frames", 1) > 10
        assert (ROOT / shown).stat().st_size <= MOVING_PICTURE_BYTES


def test_every_picture_of_the_docs_is_shown_somewhere() -> None:
    shown = {(page.parent / target).resolve() for page, target in links()}
    kept = [p for end in ("png", "webp", "svg") for p in (ROOT / "docs").rglob(f"*.{end}")]
    assert [p.name for p in kept if p.resolve() not in shown] == []


def test_the_figures_of_readme_are_those_of_the_docs_with_their_commands() -> None:
    """Each stands where it is told in full, so that who measures anew finds both."""
    told = (ROOT / "README.md").read_text(encoding="utf-8").split("## How sure it is")[1].split("\n## ")[0]
    full = "".join((ROOT / "docs" / name).read_text("utf-8") for name in ("how-good.md", "accuracy.md"))
    commands = re.findall(r"`(python -m benchmarks\.[^`]*)`", told)
    figures = re.findall(r"\d[\d,]*\.?\d*", re.sub(r"`[^`]*`|\([^)]*\)", "", told))
    assert len(commands) == 6
    assert len(figures) >= 12
    assert [c for c in commands if " ".join(c.split()[:3]) not in full] == []
    assert [f for f in figures if not re.search(rf"(?<![\d.]){re.escape(f)}(?![\d])", full)] == []


def test_the_index_of_the_docs_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\(([\w-]+\.md)", index))
    assert named == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page: of its paragraphs, points and table cells; code and pictures are none."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"!\[[^]]*\]\([^)]*\)|<picture>.*?</picture>", "", text, flags=re.DOTALL)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)|\n(?=\|)", text):
        for cell in part.split("|") if part.startswith("|") else [part]:
            for sentence in re.split(r"(?<=[.!?:])[)*]*\s+(?=\S)", " ".join(cell.split())):
                if re.search(r"\w", sentence):
                    yield sentence


def first_screen(page: Path) -> str:
    """What stands on a game's page before its rules are gone through."""
    return page.read_text(encoding="utf-8").split("\n## How it is ruled\n")[0]


def plain_pages() -> Iterator[tuple[str, str]]:
    for name in PLAIN:
        yield name, (ROOT / name).read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").glob("*-engine.md")):
        of_game = page.with_name(page.name.replace("-engine", ""))
        yield of_game.name, first_screen(of_game)


@pytest.mark.parametrize(("name", "text"), [pytest.param(n, t, id=n) for n, t in plain_pages()])
def test_newcomers_read_short_sentences(name: str, text: str) -> None:
    """At most thirty words, each counted as a reader would."""
    told = list(sentences(text))
    assert len(told) > 20
    assert [s for s in told if len(s.split()) > SENTENCE_WORDS] == []


def test_the_version_is_one_everywhere() -> None:
    version = PROJECT["project"]["version"]
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"tableref-{version}-py3" in (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*-wrong.yml"))
    assert len(forms) == 2
    for form in forms:
        text = form.read_text(encoding="utf-8")
        assert f"tableref {version}" in text
        asked = yaml.safe_load(text)
        assert {"name", "description", "body"} <= set(asked)
        for line in re.findall(r"`(tableref [^`]+)`", text):
            name = max((c for c in COMMANDS if f"{line} ".startswith(f"{c} ")), key=len, default="")
            assert name, f"{form.name} shows {line!r}, which is no command"
            assert set(re.findall(r"(?<!\S)--[a-z][a-z-]*", line)) <= options(COMMANDS[name])
