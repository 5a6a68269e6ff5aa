"""What the table page asks for beside a notice that names a wrong number; only this machine may settle it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field

from calibration.accuracy import CORNER_IN
from calibration.bundle.doubts import Doubt
from calibration.table_text import toml_of, with_field
from calibration.tablefile import TableFile
from server.formats import units
from server.setup.cameras.sourcing import only_here
from server.setup.table_changes import SetupError
from server.setup.table_setup import TableSetup
from server.web.authentication import owner_is_here
from server.web.messages import Model, refusals

# Nothing that a camera sees is written as surer than this, inches.
SUREST_IN = 0.01
_AXIS = {"width": 0, "depth": 1}


def offered(table: TableFile, doubt: Doubt) -> str | None:
    """What taking the camera's number would write, in words; None where there is no one number to write."""
    if doubt.kind == "corner" and doubt.at is not None:
        x, y = doubt.at
        was = next(c.at for c in table.corners if c.tag == doubt.tags[0])
        here = f"corner tag {doubt.tags[0]} at {x:.2f}, {y:.2f} ± {doubt.sd:.2f} in"
        return f"{here}, not {was[0]:g}, {was[1]:g}"
    if doubt.kind == "swap":
        return "corner tags {} and {} in each other's place".format(*doubt.tags)
    if doubt.kind in _AXIS:
        way = "left to right" if doubt.kind == "width" else "near to far"
        return f"{doubt.value:.2f} ± {doubt.sd:.2f} in from {way}, not {doubt.stated:.2f}"
    return None


def measurable(doubt: Doubt) -> tuple[str, ...]:
    """The lengths that somebody can measure again and type here, in words; empty where there is none."""
    if doubt.kind == "corner":
        return "from the left (x)", "from the near side (y)"
    if doubt.kind in _AXIS:
        return ("left to right" if doubt.kind == "width" else "near to far",)
    return ()


def taken(table: TableFile, doubt: Doubt) -> str:
    """The table's text with the camera's number, and with its deviation. Raises `SetupError`."""
    if doubt.kind == "corner" and doubt.at is not None:
        return _corner(table, doubt.tags[0], doubt.at, max(doubt.sd, SUREST_IN), "as the camera sees it")
    if doubt.kind == "swap":
        return _swapped(table, *doubt.tags)
    if doubt.kind in _AXIS:
        return _stretched(table, doubt, doubt.value, doubt.sd, "as the camera sees it")
    raise SetupError("no one number can be taken here: measure again what is named")


def measured(table: TableFile, doubt: Doubt, lengths: Sequence[float]) -> str:
    """The table's text with what a ruler says now, as exact as rulers are. Raises `SetupError`."""
    if len(lengths) != len(measurable(doubt)) or not lengths:
        raise SetupError(f"expected {len(measurable(doubt))} lengths but got {len(lengths)}")
    if doubt.kind == "corner":
        return _corner(table, doubt.tags[0], (lengths[0], lengths[1]), CORNER_IN, "measured again")
    return _stretched(table, doubt, lengths[0], 0.0, "measured again")


def _corner(table: TableFile, tag: int, at: tuple[float, float], sd: float, why: str) -> str:
    n, entry = next(e for e in _entries(table) if e[1]["tag"] == tag)
    x, y = entry["at_in"]
    note = f"{why}; stated before: {x:g}, {y:g}"
    text = with_field(table.text, ("corner", n), "at_in", [round(v, 2) for v in at], note)
    return with_field(text, ("corner", n), "sd_in", round(sd, 4))


def _swapped(table: TableFile, a: int, b: int) -> str:
    """Each of the two gets the other's id: what is stated of a place stays with the place."""
    text = table.text
    by_tag = {entry["tag"]: (n, entry) for n, entry in _entries(table)}
    for tag, other in ((a, b), (b, a)):
        n, entry = by_tag[tag]
        theirs = by_tag[other][1]
        text = with_field(text, ("corner", n), "tag", other, f"exchanged with {tag}")
        for name in ("family", "size_in"):
            if theirs.get(name) != entry.get(name) and name in theirs:
                text = with_field(text, ("corner", n), name, theirs[name])
    return text


def _stretched(table: TableFile, doubt: Doubt, length: float, sd: float, why: str) -> str:
    axis, text = _AXIS[doubt.kind], table.text
    sds = {c.tag: c.sd for c in table.corners}
    if not 0.5 * doubt.stated < length < 2.0 * doubt.stated:
        raise SetupError(f"expected about {doubt.stated:.1f} inches but got {length:g}")
    for n, entry in _entries(table):
        at = list(entry["at_in"])
        before = at[axis]
        at[axis] = round(before * length / doubt.stated, 2)
        if at[axis] == before:
            continue
        text = with_field(text, ("corner", n), "at_in", at, f"{why}; stated before: {before:g}")
        unsure = sd * abs(before) / doubt.stated
        text = with_field(text, ("corner", n), "sd_in", round(max(sds[entry["tag"]], unsure), 4))
    return text


def _entries(table: TableFile) -> list[tuple[int, dict[str, Any]]]:
    """The corner tags of stated place, with where they stand in the file."""
    listed = toml_of(table.text).get("corner", [])
    return [(n, entry) for n, entry in enumerate(listed) if "at_in" in entry]


# What the page asks for

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
