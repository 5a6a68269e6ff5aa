"""Text and JSON Lines on their way to a terminal: what a file or a player wrote is shown, and never obeyed.

A terminal takes some characters for orders (clear, paint, go up a line) or writes what follows from right to
left, and Rich takes square brackets for its markup. All that the commands print, and every line of the log,
passes `visible`.
"""

from __future__ import annotations

import json
import logging
import math
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from engine.words import is_order

AGAIN_S, MISTAKES_KNOWN = 60.0, 100
"""Seconds after which a mistake is told again, and how many are known apart."""


def visible(text: object) -> str:
    r"""A text as one line in which every character is one that is shown; others are written as Python does.

    >>> visible("\x1b[2JIntact\n✓"), visible("Zoë \u202e1 ot 3")
    ('\\x1b[2JIntact\\n✓', 'Zoë \\u202e1 ot 3')
    """
    told = str(text)
    if told.isprintable():
        return told
    return "".join(c.encode("unicode_escape").decode() if is_order(c) else c for c in told)


def styled(text: object, style: str) -> Text:
    """A text that a file or a player may have written, in a style of ours."""
    return Text(visible(text), style)


class Terminal(Console):
    """Where commands print to. A text is printed as one line, just as it is: no markup, no emoji.

    What has a style is `styled`, or printed with `style`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, soft_wrap=True, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Makes every text that is printed, also in the cell of a table, `visible`."""
        return super().render_str(visible(text), **options)

    def print_lines(self, text: str) -> None:
        """Prints a text of several lines, each `visible`; those after the first set in."""
        for k, line in enumerate(text.split("\n")):
            self.print(f"  {line}" if k else line)


class VisibleFormatter(logging.Formatter):
    """Log lines of which each is `visible`; those of a traceback stay lines of their own."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is logging's
        """The line itself."""
        return visible(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """The traceback under it."""
        return "\n".join(map(visible, super().formatException(ei).split("\n")))


class Seldom(logging.Filter):
    """Lets the same mistake into a log once a minute, and says how often it came meanwhile.

    A game that stumbles does so at every frame, for every page.

    >>> now = 0.0
    >>> seldom = Seldom(lambda: now)
    >>> mistake = ValueError, ValueError("no"), None
    >>> line = logging.LogRecord("x", logging.ERROR, "", 0, "%s failed", ("A game",), mistake)
    >>> [seldom.filter(line) for _ in range(4)]
    [True, False, False, False]
    >>> now = 60.0
    >>> seldom.filter(line), line.getMessage()
    (True, 'A game failed (3 more times)')
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._told: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this line is written."""
        if not record.exc_info:
            return True
        words, now = record.getMessage(), self._clock()
        key = f"{record.name} {words} {type(record.exc_info[1]).__name__}"
        since, times = self._told.pop(key, (-math.inf, 0))
        again = now - since < AGAIN_S
        self._told[key] = (since, times + 1) if again else (now, 0)
        if len(self._told) > MISTAKES_KNOWN:
            self._told.popitem(last=False)
        if not again and times:
            record.msg, record.args = f"{words} ({times} more times)", None
        return not again


def log_to_terminal() -> None:
    """Writes what the log warns of to the terminal, every line `visible`; once for a process."""
    root = logging.getLogger()
    if any(isinstance(handler.formatter, VisibleFormatter) for handler in root.handlers):
        return
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.addFilter(Seldom())
    handler.setFormatter(VisibleFormatter("%(levelname)s: %(message)s"))
    root.addHandler(handler)


def line(record: dict[str, Any]) -> str:
    r"""One record as one line; what a terminal would obey is written as JSON writes it.

    >>> print(line({"player": "Zo\u202e"}))
    {"player": "Zo\u202e"}
    """
    told = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return told if told.isprintable() else "".join(json.dumps(c)[1:-1] if is_order(c) else c for c in told)


_apart: list[TextIO] = []
"""Where records go while all else goes to the errors."""


@contextmanager
def apart() -> Iterator[TextIO]:
    """Keeps the output for records: what others print within it, as a game might, goes to the errors."""
    _apart.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield _apart[-1]
    finally:
        _apart.pop()


def tell(record: dict[str, Any]) -> None:
    """Prints a record as one line, at once."""
    print(line(record), file=_apart[-1] if _apart else sys.stdout, flush=True)
