"""A simulated table with a printed board, from the picture to the words on the page."""

from __future__ import annotations

from calibration.tablefile import parse_table
from server.pipeline.referee import Referee
from server.table.projection import TableSpace, piece_views
from vision.frame import Frame
from vision.simulate.drawing.render import Renderer
from vision.simulate.scenes import named_scene


def test_cars_on_printed_points_are_read_through_the_print_and_told_by_cell() -> None:
    scene = named_scene("points")
    picture = Renderer(scene).picture([scene.snapshot], 0)
    moment = Referee(parse_table(scene.to_toml())).step(Frame(picture, 0.0, 0, "sim"))
    assert moment.board == scene.board
    views = piece_views(moment.table, TableSpace(), "in", moment.board)
    said = {v.name: v.place_words.partition(" · ")[0] for v in views}
    assert said["Red 1"] == "on C4 facing right"
    assert said["Red 2"] == "on E9 facing up and right"
    assert said["Blue 1"] == "on J5 facing left"
    assert said["Blue 2"] in ("between I11 and I10 facing down", "between I10 and I11 facing down")
