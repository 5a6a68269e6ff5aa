"""The one root of every error that tableref raises on purpose."""

from __future__ import annotations

from typing import ClassVar


class TableRefError(Exception):
    """Something a person can mend: says what was expected, what came, and what to do.

    Raised anywhere, handled once: by the command line (printed, exit code 2) or by the
    server (an error message on the page, answered with the HTTP `status` of its class).
    """

    status: ClassVar[int] = 409
    """What was asked does not fit how things stand."""


class NotThere(TableRefError):
    """Asked for something by a name or number that nothing has."""

    status = 404


class NotAllowed(TableRefError):
    """Asked for by somebody who may not."""

    status = 403


class NotYet(TableRefError):
    """Asked for what is known only later: ask again."""

    status = 503


class NotUsable(TableRefError):
    """What was sent can be read and makes no sense."""

    status = 422


class TooMuch(TableRefError):
    """Asked for more at once than one may."""

    status = 429


class ShapeError(TableRefError):
    """A geometric input (outline, pose, covariance) that cannot be measured."""
