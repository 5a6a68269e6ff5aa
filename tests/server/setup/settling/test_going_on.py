"""The owner goes on with a contradiction: once, on however many pages that is asked at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from calibration.watching.going_on import Contradiction
from server.setup.settling import going_on
from server.setup.settling.going_on import SAID, GoingOnError, going_on_router
from server.web.authentication import Identity


def test_two_pages_go_on_with_a_contradiction_once_until_another_one_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both are answered between two pictures, of which the newest does not know of it yet."""
    kept: list[Any] = []
    live: Any = SimpleNamespace(began=0.0, go_on=lambda: True, note=kept.append, announce=lambda _: None)
    monkeypatch.setattr(going_on, "who_asks", lambda _: Identity("owner"))
    routes: Any = going_on_router(live).routes
    (ask,) = (route.endpoint for route in routes if "POST" in route.methods)
    for since in (2.0, 8.0):
        contradiction = Contradiction(since, 4.0, None, 0.0)
        live.moment = SimpleNamespace(time=since + 1.0, contradiction=contradiction)
        assert ask(None).gone_on
        with pytest.raises(GoingOnError, match="nothing was changed"):
            ask(None)
    assert [entry.kind for entry in kept] == [SAID, SAID]
