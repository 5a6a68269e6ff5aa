"""A map that is kept while a game is set up is offered to pages that are open, without another change."""

from __future__ import annotations

from server.pipeline.runner import Runner
from server.play.drafts import Draft
from server.play.host import MatchHost
from server.play.view import Scene
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.play.test_host import OWNER

OVAL = "Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid"


def test_a_new_map_is_told_to_pages_that_are_open() -> None:
    source = HandMoved()
    host = MatchHost(None, lambda: None, "frothy_races")
    host.draft = Draft.model_validate({"game": "frothy_races"})
    scene = Scene(host, Runner(source, KnowsAll(source, 0.01)))
    kept: list[str] = []
    scene.laid = lambda game: kept if game == "frothy_races" else ()

    def offered() -> list[str]:
        setup = scene.state(OWNER).setup
        assert setup is not None
        return [c["words"] for c in setup["game"]["fields"]["circuit"]["candidates"]]

    before, version = offered(), scene.version()
    kept.append(OVAL)
    scene.relaid()
    assert scene.version() != version
    assert offered() == [*before, "Sunday"]
    assert scene.state(OWNER).game.lays
