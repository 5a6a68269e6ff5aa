"""The passes that are out: which devices showed one lately, and which were taken back."""

from __future__ import annotations

import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.whole_files import FileError, write_private

log = logging.getLogger("tableref.passes")

LASTS_S = 14 * 24 * 3600
"""Seconds that a pass is good for: the next evening begins without scanning again."""

DEVICES_SHOWN = 200

SYSTEMS = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "CrOS", "Linux")
BROWSERS = (
    ("Firefox", "Firefox"), ("FxiOS", "Firefox"), ("Edg", "Edge"), ("SamsungBrowser", "Samsung Internet"),
    ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"),
)  # fmt: skip


def device_words(agent: str) -> str:
    """What a device is, as far as its browser says.

    >>> device_words("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1")
    'Safari on iPhone'
    >>> device_words("Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Safari/537.36"), device_words("curl/8")
    ('Chrome on Android', 'a device')
    """
    system = next((name for name in SYSTEMS if name in agent), None)
    browser = next((name for sign, name in BROWSERS if sign in agent), None)
    return f"{browser or 'a browser'} on {system}" if system else "a device"


@dataclass(frozen=True)
class Shown:
    """A pass that was shown: of which role and device, what that is, and when last, Unix seconds."""

    role: str
    device: str
    words: str
    last: float


class Passes:
    """Which passes are no longer good; kept in a file once it is named, so that a restart forgets none."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._file: Path | None = None
        self._taken: dict[str, float] = {}
        self._shown: OrderedDict[str, Shown] = OrderedDict()
        self._watchers: list[Callable[[str], None]] = []

    def watch(self, taken: Callable[[str], None]) -> None:
        """Calls `taken` with the device of every pass that is taken back, also of those before a restart.

        And of each that a player's device has changed for one with which nobody plays.
        """
        self._watchers.append(taken)
        for device in list(self._taken):
            taken(device)

    def keep_in(self, file: Path) -> None:
        """Remembers what is taken back in this file from now on."""
        self._file = file
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
            taken = {str(device): float(at) for device, at in kept.items()}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, AttributeError, TypeError):
            log.warning("cannot read %s: passes that were taken back are good again; use --new-links", file)
        else:
            self._taken |= taken
            self._tell(*taken)

    def good(self, device: str) -> bool:
        """Whether the pass of a device has not been taken back."""
        return device not in self._taken

    def showed(self, role: str, device: str, agent: str) -> None:
        """A device has shown its pass."""
        now = self._clock()
        known = self._shown.get(device) or Shown(role, device, device_words(agent), now)
        self._shown[device] = replace(known, role=role, last=now)
        self._shown.move_to_end(device)
        while len(self._shown) > DEVICES_SHOWN:
            self._shown.popitem(last=False)

    def shown(self) -> list[tuple[Shown, float]]:
        """The good passes shown since the start, the latest first, each with how long ago, seconds."""
        now = self._clock()
        return [(one, max(0.0, now - one.last)) for one in reversed(list(self._shown.values()))]

    def take_back(self, device: str) -> bool:
        """Makes the pass of a device worthless; False if it was not shown here.

        It is so at once, also where that cannot be written down: then a `FileError` says that a restart
        forgets it.
        """
        was_shown = self._shown.pop(device, None) is not None
        now = self._clock()
        # An older one has run out by itself.
        self._taken = {d: at for d, at in self._taken.items() if now - at < LASTS_S} | {device: now}
        self._tell(device)
        self._write()
        return was_shown

    def changed(self, device: str) -> None:
        """Tells that a device is no player's any more, though it has a pass."""
        self._tell(device)

    def _write(self) -> None:
        if self._file is None:
            return
        try:
            write_private(self._file, json.dumps(self._taken).encode())
        except OSError as error:
            log.warning("which passes were taken back cannot be kept in %s: %s", self._file, error)
            raise FileError(
                f"the pass is good no more, but a restart forgets that ({error.strerror or error}): "
                "make room where tableref keeps its key, and start it with --new-links"
            ) from error

    def _tell(self, *devices: str) -> None:
        for device in devices:
            for taken in self._watchers:
                taken(device)
