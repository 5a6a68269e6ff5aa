"""What has to be done before a game goes on: a queue of duties, each of a kind and perhaps somebody's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast

from engine.errors import TableRefError
from engine.game import records


class Owed(Protocol):
    """Something owed: `by` is the player who has to do it, None whoever has the piece that it is about."""

    @property
    def kind(self) -> str:
        """What has to be done."""

    @property
    def by(self) -> str | None:
        """The player who does it."""


Due = TypeVar("Due")
Duty = TypeVar("Duty", bound=Owed)


def owed(kind: type[Due], *told: Mapping[str, Any]) -> tuple[Due, ...]:
    """The duties that an event tells of."""
    return tuple(records.from_json(kind, one, "duty") for one in told)


def without(queue: tuple[Duty, ...], meant: Callable[[Duty], bool]) -> tuple[Duty, ...]:
    """The queue without the first duty that is meant; an error where nothing of that kind is owed."""
    for k, duty in enumerate(queue):
        if meant(duty):
            return queue[:k] + queue[k + 1 :]
    raise TableRefError("the log is out of order: nothing of that kind was owed")


def handed_on(
    queue: tuple[Duty, ...], there: Collection[str], whose: Callable[[Duty], str]
) -> tuple[Duty, ...]:
    """The queue in which nobody owes anything who is not in the game any more: whose the piece is does it."""
    return tuple(
        duty if duty.by is None or duty.by in there else cast(Duty, replace(cast(Any, duty), by=whose(duty)))
        for duty in queue
    )
