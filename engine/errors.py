"""The one root of every error that tableref raises on purpose."""

from __future__ import annotations


class TableRefError(Exception):
    """Something a person can mend: says what was expected, what came, and what to do.

    Raised anywhere, handled once: by the command line (printed, exit code 2) or by the
    server (an error message on the page).
    """


class ShapeError(TableRefError):
    """A geometric input (outline, pose, covariance) that cannot be measured."""
