"""What tests in every room share."""

from __future__ import annotations

import gc
import json
import os
import random
import secrets
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.volume import DEEP

# As many tests run at once as there are cores: a library that starts threads for each of them would only
# make them wait for one another. Read once, where NumPy and OpenCV are first imported; commands that a test
# starts inherit it.
for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
    os.environ.setdefault(threads, "1")

# Pictures are megabytes: where their memory goes back to the system, each new one is of pages that are
# cleared first. Read as a process starts: what runs the tests, and commands that they start, inherit it.
os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(256 << 20))
os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(512 << 20))

# Hundreds of thousands of objects are there for good once all tests are read: looked at as often as Python
# does by itself, they cost a tenth of the whole run.
gc.set_threshold(10_000, 10, 5)

# How long one example takes says nothing on a machine that runs other tests beside it. The gate gives the
# same answer twice: its examples are fixed. `make deep` draws others; what it finds becomes an example here.
_ALWAYS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("gate", derandomize=True, database=None, max_examples=30, **_ALWAYS)
settings.register_profile("deep", max_examples=1000, print_blob=True, **_ALWAYS)
settings.load_profile("deep" if DEEP else "gate")

# What tests write goes to memory where there is enough of it: a library waits for the disk with every entry,
# and what is proved by that is proved by processes that are killed. `make deep` writes to the disk.
MEMORY = Path("/dev/shm")
if not DEEP and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4 << 30:
    tempfile.tempdir = os.environ.setdefault("TMPDIR", str(MEMORY))

# A test that hangs is ended after a quarter of an hour; what proves by volume may take hours.
if DEEP:
    os.environ.setdefault("PYTEST_TIMEOUT", str(12 * 3600))

# What a terminal is like is for a test to say: the one that the tests run in may show no colours.
for said in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
    os.environ.pop(said, None)
os.environ["TERM"] = "xterm"

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
TOOK = Path(__file__).with_name("took.json")
QUICK = 1.0
"""Seconds that all tests of a file may take together to be among the quick ones."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only the files that took less than a second")
    parser.addoption(
        "--keep-took", action="store_true", help=f"write how long each file took into {TOOK.name}"
    )


def _took() -> dict[str, float]:
    """Read how many seconds each test file took when that was last kept."""
    return dict(json.loads(TOOK.read_text("utf-8"))) if TOOK.is_file() else {}


@pytest.fixture(autouse=True)
def _dice_fall_alike(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let dice and all that is drawn be the same in each run of the gate; `make deep` draws anew."""
    if not DEEP:
        drawn = random.Random(request.node.nodeid)
        monkeypatch.setattr(secrets, "token_hex", lambda size=None: drawn.randbytes(size or 32).hex())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this run does not ask for; the longest files begin, so that all workers end together."""
    took = _took()

    def seconds(item: pytest.Item) -> float:
        return took.get(item.path.relative_to(config.rootpath).as_posix(), QUICK)

    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    left_out = [
        item
        for item in items
        if (item.get_closest_marker("deep") and not DEEP)
        or (config.getoption("quick") and (seconds(item) > QUICK or item.get_closest_marker("browser")))
    ]
    config.hook.pytest_deselected(items=left_out)
    gone = set(map(id, left_out))
    items[:] = sorted((i for i in items if id(i) not in gone), key=lambda i: (-seconds(i), str(i.path)))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """All that was read with the tests is there for good: nobody looks through it for garbage again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str, object], None]:
    """Tells a figure that was measured, by the words under which the table of `make deep` prints it."""
    return lambda words, value: record_property(f"figure: {words}", str(value))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print one table of the figures that were measured, and keep how long each file took if asked."""
    reports = [r for of in terminalreporter.stats.values() for r in of if isinstance(r, pytest.TestReport)]
    told = [
        (words.removeprefix("figure: "), value, r.nodeid)
        for r in reports
        if r.when == "call"
        for words, value in r.user_properties
        if words.startswith("figure: ")
    ]
    if told:
        terminalreporter.section("figures")
        for words, value, test in sorted(told):
            terminalreporter.line(f"| {words} | {value} | {test} |")
    if config.getoption("keep_took"):
        _keep_took(reports)


def _keep_took(reports: Iterable[pytest.TestReport]) -> None:
    """Write down how many seconds each file took; files that did not run keep what is known of them."""
    took: dict[str, float] = defaultdict(float)
    for report in reports:
        took[report.nodeid.split("::")[0]] += report.duration
    root = Path(__file__).resolve().parents[1]
    known = {path: seconds for path, seconds in {**_took(), **took}.items() if (root / path).is_file()}
    rows = ",\n".join(f"{json.dumps(path)}: {seconds:.1f}" for path, seconds in sorted(known.items()))
    TOOK.write_text(f"{{\n{rows}\n}}\n", "utf-8")


@pytest.fixture(scope="session", autouse=True)
def _own_library(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test opens the library of whoever runs it, nor the kept tables."""
    os.environ["TABLEREF_LIBRARY"] = str(tmp_path_factory.mktemp("library"))
    os.environ["TABLEREF_TABLES"] = str(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of photographs and renders beside the repository."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the pictures in {SHARED}, which are not part of the repository")
    return SHARED


@pytest.fixture(scope="session")
def samples() -> Path:
    """The tables and clips that come with the repository."""
    return Path(__file__).resolve().parents[1] / "samples"
