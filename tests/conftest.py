"""What tests in every room share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# As many tests run at once as there are cores: a library that starts threads for each of them would only
# make them wait for one another. Read once, where NumPy and OpenCV are first imported; commands that a test
# starts inherit it.
for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
    os.environ.setdefault(threads, "1")

# How long one example takes says nothing on a machine that runs other tests beside it.
settings.register_profile("tableref", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tableref")

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests begin first, so that no core is left alone with a long one at the end."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


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
