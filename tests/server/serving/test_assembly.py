"""What `serve` puts together of a table file."""

from __future__ import annotations

import pytest

from calibration.tablefile import parse_table
from server.pipeline.opening import Choice, Player
from server.pipeline.runner import Runner
from server.play.view import Scene
from server.serving.assembly import assemble
from server.serving.run import listen
from server.setup.cameras.sourcing import Chooser
from server.web.authentication import Identity
from tests.server.fakes import HandMoved, KnowsAll
from vision.simulate.scenes import named_scene


@pytest.mark.parametrize(
    ("said", "title"),
    [("", "White Line Fever"), ('game = "shattered-highways"\n', "Shattered Highways")],
)
def test_the_game_of_the_table_file_is_set_up(said: str, title: str) -> None:
    text = named_scene("default").to_toml().replace("[table]\n", f"[table]\n{said}", 1)
    table = parse_table(text, "the simulated table")
    source = HandMoved()
    with Runner(source, KnowsAll(source)) as live, listen(port=0) as opened:
        chooser = Chooser(live, Player(), Choice("sim"), webcams=tuple)
        served = assemble(chooser, opened, table, None, None)
        state = Scene(served.match, live).state(Identity("owner"))
        assert state.game.title == title
        assert (state.phase, state.draft.game) == ("setup", state.game.id)
