"""Files that nobody else may read, as keys are."""

from __future__ import annotations

import os
from pathlib import Path


def write_private(file: Path, data: bytes) -> None:
    """Written beside and moved into place, readable by nobody else from its first byte."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.part")
    draft.unlink(missing_ok=True)
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "wb") as stream:
        stream.write(data)
    draft.replace(file)
