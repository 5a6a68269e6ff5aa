"""A still of the table at every event: JPEG files, named by the game's own time in milliseconds."""

from __future__ import annotations

from bisect import bisect_left
from pathlib import Path

from server.formats.jpeg import whole_jpeg
from server.recording.errors import StorageTrouble
from vision.frame import Frame

QUALITY = 88
"""Of pictures that did not come as JPEG: the modules of a small tag stay readable."""

NEAR_S = 2.0
"""A still farther than this from what it is asked for does not show it."""


class Stills:
    """The stills in one folder; made when the first one is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, frame: Frame, at_s: float) -> Path:
        """Keeps a picture whole: as it came, if it came as JPEG. Raises `StorageTrouble`."""
        path = self.folder / f"{round(at_s * 1000):010d}.jpg"
        draft = path.with_suffix(".part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(whole_jpeg(frame, QUALITY))
            draft.replace(path)
        except OSError as error:
            raise StorageTrouble(
                f"a still cannot be kept in {self.folder}: {error.strerror or error}"
            ) from error
        return path

    def times(self) -> list[float]:
        """When there are stills, in order."""
        if not self.folder.is_dir():
            return []
        return sorted(int(p.stem) / 1000 for p in self.folder.glob("*.jpg") if p.stem.isdigit())

    def nearest(self, at_s: float) -> Path | None:
        """The still that shows this time, None if none does."""
        times = self.times()
        k = bisect_left(times, at_s)
        near = min(times[max(0, k - 1) : k + 1], key=lambda t: abs(t - at_s), default=None)
        if near is None or abs(near - at_s) > NEAR_S:
            return None
        return self.folder / f"{round(near * 1000):010d}.jpg"
