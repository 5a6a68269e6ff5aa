"""What the table page asks for beside a notice that names a wrong number; only this machine may settle it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field

from calibration.bundle.doubts import Doubt
from calibration.tablefile import TableFile
from server.formats import units
from server.setup.cameras.sourcing import only_here
from server.setup.settling.taking import measurable, measured, offered, taken
from server.setup.table_changes import SetupError
from server.setup.table_setup import TableSetup
from server.web.authentication import owner_is_here
from server.web.messages import Model, refusals

Length = Annotated[float, Field(ge=-600.0, le=600.0)]


class DoubtedView(Model):
    """A number that may be wrong: how it is called, what taking the camera's would write, what to measure."""

    key: str
    words: str
    ours: str | None
    measure: list[str]


class SettlingView(Model):
    """What is named now. `may_change` says whether it can be settled from here."""

    may_change: bool
    doubts: list[DoubtedView]


class TakeOurs(Model):
    """Write the camera's number into the table file."""

    key: Annotated[str, Field(max_length=80)]


class MeasuredAgain(Model):
    """Write what was measured again, inches, in the order of `measure`."""

    key: Annotated[str, Field(max_length=80)]
    lengths_in: Annotated[list[Length], Field(min_length=1, max_length=2)]


def settling_router(setup: TableSetup) -> APIRouter:
    """`/api/doubts`."""
    router = APIRouter()
    refused = refusals({403: "Not from here", 409: "Cannot be settled so"})

    def named(table: TableFile | None) -> dict[str, Doubt]:
        judged = setup.judged
        if judged is None or table is None or not table.corners:
            return {}
        return {_key(d): d for d in judged.named}

    def view(request: Request, unit: units.LengthUnit = "in") -> SettlingView:
        table = setup.table
        doubts = [
            DoubtedView(
                key=key,
                words=units.retold(d.words, unit),
                ours=None if table is None else offered(table, d),
                measure=list(measurable(d)),
            )
            for key, d in named(table).items()
        ]
        return SettlingView(may_change=owner_is_here(request) and setup.may_write, doubts=doubts)

    def write(request: Request, key: str, change: Callable[[TableFile, Doubt], str]) -> SettlingView:
        only_here(request)
        doubt = named(setup.table).get(key)
        if doubt is None:
            raise SetupError("this is settled by now: nothing was changed")
        setup.change(lambda table: change(table, doubt))
        return view(request)

    @router.get("/api/doubts", response_model=SettlingView)
    def doubts(request: Request, unit: Literal["in", "cm"] = "in") -> SettlingView:
        """Which stated numbers contradict what is seen."""
        return view(request, unit)

    @router.post("/api/doubts/take", response_model=SettlingView, responses=refused)
    def take(request: Request, asked: TakeOurs) -> SettlingView:
        """Takes the camera's number."""
        return write(request, asked.key, taken)

    @router.post("/api/doubts/measured", response_model=SettlingView, responses=refused)
    def again(request: Request, asked: MeasuredAgain) -> SettlingView:
        """Takes what was measured again."""
        return write(request, asked.key, lambda table, doubt: measured(table, doubt, asked.lengths_in))

    return router


def _key(doubt: Doubt) -> str:
    return "-".join([doubt.kind, *map(str, doubt.tags)])
