"""What the set-up page asks for in the step Check; only the machine itself may check."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request

from calibration.bundle.doubts import Judged
from calibration.kept_check import with_check
from calibration.tablefile import TableFile
from calibration.watching.keeper import contradiction_words
from server.setup.cameras.sourcing import only_here
from server.setup.printing.last_look import LastLook
from server.setup.proving.check_messages import DoCheck, ProofView
from server.setup.proving.check_watch import CheckWatch
from server.web.authentication import owner_is_here
from server.web.messages import refusals


def check_step_router(
    look: Callable[[], LastLook],
    change: Callable[[Callable[[TableFile], str]], None],
    judged: Callable[[], Judged | None],
) -> APIRouter:
    """The step Check. `look` is what was seen last, `change` writes the table file's new text.

    `judged` says how well what is stated fits what is seen.
    """
    router, watch = APIRouter(), CheckWatch()
    refused = refusals({403: "Not from here", 409: "Cannot be checked now"})

    @router.get("/api/setup/check", response_model=ProofView)
    def state(request: Request) -> ProofView:
        """The check that is being made, or the one that is kept with the table."""
        return watch.view(look(), owner_is_here(request))

    @router.post("/api/setup/check", response_model=ProofView, responses=refused)
    def do(request: Request, asked: DoCheck) -> ProofView:
        """Begins a check, looks at the newest picture, takes the strip's length, or stops."""
        only_here(request)
        if asked.how == "begin":
            watch.begin(look())
        elif asked.how == "stop":
            watch.stop()
        elif asked.how == "length":
            watch.strip_is(asked.length_in)
        else:
            fits = judged()
            done = watch.look(look(), () if fits is None else contradiction_words(fits))
            if done is not None:
                change(lambda table: with_check(table.text, done))
        return watch.view(look(), True)

    return router
