"""The owner goes on with a contradiction that nobody can settle now: everything is as unsure as it is off."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Literal

from fastapi import APIRouter, Request

from calibration.watching.going_on import Contradiction
from engine.errors import TableRefError
from server.formats import units
from server.formats.entries import Entry
from server.pipeline.referee import Moment, TableEvent
from server.pipeline.runner import Runner
from server.setup.settling.same_camera import OWNER
from server.web.authentication import may, who_asks
from server.web.messages import Model, refusals

PATH = "/api/contradiction"
SAID = "camera.gone_on"
"""The kind of entry that is kept of it."""


class GoingOnError(TableRefError):
    """There is nothing to go on with."""


class ContradictionView(Model):
    """What cannot be true of what is stated: by how much, since when, and what going on leads to.

    `asked`: nothing is ruled because of it, and `may_say`: who asks may go on. `words` are empty where all
    fits.
    """

    asked: bool
    gone_on: bool
    may_say: bool
    words: str
    leads_to: str


def going_on_router(live: Runner) -> APIRouter:
    """`/api/contradiction`."""
    router = APIRouter()
    refused = refusals({409: "All fits"})
    # Two pages may ask for it at once: what is gone on with, by when it was found.
    lock, gone_on_with = threading.Lock(), set[float]()

    def contradicted() -> tuple[Moment, Contradiction] | None:
        moment = live.moment
        found = None if moment is None else moment.contradiction
        return None if moment is None or found is None else (moment, found)

    def view(request: Request, unit: units.LengthUnit) -> ContradictionView:
        may_say, known = may(who_asks(request).role, "POST", PATH), contradicted()
        if known is None:
            return ContradictionView(asked=False, gone_on=False, may_say=may_say, words="", leads_to="")
        moment, found = known
        return ContradictionView(
            asked=not found.gone_on,
            gone_on=found.gone_on,
            may_say=may_say,
            words=units.retold(f"{found.words}, since {_hour(moment, found)}", unit),
            leads_to=leads_to(found),
        )

    @router.get(PATH, response_model=ContradictionView)
    def look(request: Request, unit: Literal["in", "cm"] = "in") -> ContradictionView:
        """What cannot be true of what is stated, and whether the owner goes on."""
        return view(request, unit)

    @router.post(PATH, response_model=ContradictionView, responses=refused)
    def go_on(request: Request) -> ContradictionView:
        """The owner goes on, with everything as unsure as it is off."""
        with lock:
            known = contradicted()
            # The newest picture may have been looked at before that was said.
            said = known is not None and (known[1].gone_on or known[1].since in gone_on_with)
            if known is None or said or not live.go_on():
                raise GoingOnError(
                    "what is stated fits what is seen, or is gone on with: nothing was changed"
                )
            moment, found = known
            gone_on_with.add(found.since)
        why = f"The owner goes on although what is stated cannot all be true: {_off(live, found)}."
        words = f"{why} {leads_to(found)}"
        data = {"times": round(found.times, 2), "corner": found.corner, "off_in": round(found.off, 3)}
        # In the record first, then everybody is told.
        live.note(Entry(SAID, moment.time, words, data, OWNER))
        live.announce(TableEvent(moment.time, "camera", None, words))
        return view(request, "in").model_copy(update={"asked": False, "gone_on": True})

    return router


def _off(live: Runner, found: Contradiction) -> str:
    """By how much and since when, on the clock that events are told by."""
    began = found.since if live.began is None else live.began
    return f"{found.words}, since {units.seconds(max(0.0, found.since - began))}"


def _hour(moment: Moment, found: Contradiction) -> str:
    """Since when, by the clock on the wall: who looks later reads the same."""
    return f"{datetime.now() - timedelta(seconds=max(0.0, moment.time - found.since)):%H:%M:%S}"


def leads_to(found: Contradiction) -> str:
    """What going on means, for people."""
    times = f"{found.times:.1f} times"
    return f"Lengths are at least {times} as unsure until it is settled, so that more is too close to call."
