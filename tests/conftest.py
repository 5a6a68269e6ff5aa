"""What tests in every room share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@pytest.fixture(scope="session", autouse=True)
def _own_library(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test opens the library of whoever runs it."""
    os.environ["TABLEREF_LIBRARY"] = str(tmp_path_factory.mktemp("library"))


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
