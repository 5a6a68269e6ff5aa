"""tableref installs where README says it does, by its wheel and by its lock, and takes no other name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.volume import Figure, deep

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"

PLATFORMS = {
    "Linux": "x86_64-manylinux_2_31",
    "Windows": "x86_64-pc-windows-msvc",
    "a Mac with Apple silicon": "aarch64-apple-darwin",
    "a Mac with an Intel chip": "x86_64-apple-darwin",
    "Raspberry Pi": "aarch64-manylinux_2_31",
}
"""By README's words, the platform as uv names it: glibc 2.31 is Debian's of 2021 and Ubuntu's of 2020."""

MACOS = "14.0"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that `make wheel` makes, built as it does."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "--wheel-dir", str(folder), str(ROOT)],
        check=True, cwd=folder,
    )  # fmt: skip
    (made,) = folder.glob("tableref-*-py3-none-any.whl")
    return made


def test_the_wheel_takes_one_name(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tableref", "tableref.pth"}
    rooms = {name.split("/")[2] for name in names if name.startswith("tableref/rooms/")}
    assert rooms == {"engine", "calibration", "vision", "server"}
    for needed in (
        "server/samples/opening-round/opening-round.mp4",
        "server/samples/own-game/far_edge.py",
        "server/samples/own-game/last_bumper.py",
        "server/static/play/play.js",
    ):
        assert f"tableref/rooms/{needed}" in names


def test_another_package_of_a_rooms_name_is_not_in_the_way(wheel: Path, tmp_path: Path) -> None:
    """A stranger's `server` in the same environment, found before ours: tableref runs all the same."""
    strangers = tmp_path / "strangers"
    strangers.mkdir()
    (strangers / "server.py").write_text("raise SystemExit('the stranger was imported')\n")
    place = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(place)
    run = (
        f"import sys, site; sys.path[:0] = {[str(strangers), str(place)]}; site.addsitedir({str(place)!r})\n"
        "sys.argv = ['tableref', 'rulebooks']\n"
        "import tableref, atexit\n"
        "atexit.register(lambda: print(sys.modules['server'].__file__, sys.modules['engine'].__file__))\n"
        "tableref.main()"
    )
    said = subprocess.run(
        [sys.executable, "-P", "-c", run], cwd=tmp_path, check=True, capture_output=True, text=True,
        env=clean(),
    ).stdout  # fmt: skip
    assert "White Line Fever" in said
    assert said.count(str(Path("tableref") / "rooms")) == 2


def clean() -> dict[str, str]:
    """The environment of somebody who never saw this checkout."""
    kept = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    return kept | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "160"}


def uv() -> str:
    found = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert found, "uv is in the packages of the tests: make setup-dev"
    return found


def interpreter(python: str) -> str | None:
    """An interpreter of this version on this machine, also one that only pyenv knows of; None without one."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for known in sorted(versions.glob(f"{python}.*/bin/python")):
        return str(known)
    found = subprocess.run(
        [uv(), "python", "find", "--no-config", "--no-python-downloads", python],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    return None if found.returncode else found.stdout.strip()


def resolved(python: str, platform: str) -> str:
    """What uv says against the lock's pins on a platform with wheels alone: nothing where each has one."""
    done = subprocess.run(
        [uv(), "pip", "compile", "--quiet", "--no-config", "--no-header", "--only-binary", ":all:",
         "--python-version", python, "--python-platform", PLATFORMS[platform], str(LOCK)],
        check=False, capture_output=True, text=True, env=os.environ | {"MACOSX_DEPLOYMENT_TARGET": MACOS},
    )  # fmt: skip
    return done.stderr if done.returncode else ""


def readme_says() -> tuple[tuple[str, ...], set[str]]:
    """The Pythons and the platforms that README promises."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    told = re.search(r"You need Python ([\d., or]+) on ([^.]+(?:\.\d[^.]*)*)\.", text)
    assert told, "README says which Pythons and which systems"
    return tuple(re.findall(r"3\.\d+", told[1])), {name for name in PLATFORMS if name in told[2]}


def test_readme_names_what_is_tried() -> None:
    assert readme_says() == (PYTHONS, set(PLATFORMS))


@deep
def test_the_lock_resolves_with_wheels_wherever_readme_says(figure: Figure) -> None:
    tried = [(python, platform) for python in PYTHONS for platform in PLATFORMS]
    with ThreadPoolExecutor(4) as several:
        wrong = {
            f"Python {python}, {platform}": said
            for (python, platform), said in zip(
                tried, several.map(lambda what: resolved(*what), tried), strict=True
            )
            if said
        }
    figure("Pythons and systems for which the lock resolves with wheels alone", len(tried) - len(wrong))
    assert wrong == {}


@deep
def test_the_wheel_installs_and_runs_from_an_empty_folder(
    wheel: Path, tmp_path: Path, figure: Figure
) -> None:
    """On each Python that this machine has; which ones that were is told."""
    ran = []
    for python in PYTHONS:
        found = interpreter(python)
        if found is None:
            continue
        folder = tmp_path / python
        folder.mkdir()
        env = folder / "env"
        at = env / ("Scripts" if os.name == "nt" else "bin")
        for command in (
            [uv(), "venv", "--quiet", "--no-config", "--python", found, str(env)],
            [uv(), "pip", "install", "--quiet", "--no-config", "--python", str(env), "--only-binary", ":all:",
             "--constraints", str(LOCK), str(wheel)],
            [str(at / "tableref"), "print", "sheet", "--out", "sheet.pdf"],
            [str(at / "tableref"), "demo", "--seconds", "1", "--port", "0", "--no-browser",
             "--library", "games"],
            [str(at / "python"), "-m", "tableref", "rulebooks"],
        ):  # fmt: skip
            subprocess.run(command, cwd=folder, env=clean(), check=True, capture_output=True)
        assert (folder / "sheet.pdf").read_bytes().startswith(b"%PDF")
        ran.append(python)
    figure("Pythons on which the wheel was installed and run from an empty folder", ", ".join(ran))
    assert ran
