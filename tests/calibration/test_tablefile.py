"""The table file: read, written, its boards and corner tags."""

from __future__ import annotations

import json
import math
import re
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from pydantic import TypeAdapter

from calibration.boards import BoardFields, board_on, fields_of
from calibration.bundle.common import Common, Length
from calibration.fiducials import FiducialError, black_modules, dictionary_of
from calibration.kept_check import KeptCheck, KeptPlace, with_check
from calibration.lens.files import read_lens
from calibration.lens.model import Lens, LensError, guess_lens, lens_to_dict
from calibration.table_text import (
    as_toml,
    block,
    lines_of,
    with_block,
    with_field,
    with_lens_inside,
    without_block,
    without_field,
)
from calibration.tablefile import TableFileError, load_table, parse_table
from engine.boards.board import Board, BoardError, Free
from engine.boards.hexes import Hexes, oval
from engine.boards.points import Points
from engine.boards.ring import LooseTrack
from engine.boards.road import Road
from engine.errors import TableRefError
from engine.space.geometry import Pose, Region
from engine.space.pieces import Hitch

GOOD = """format = 1

[table]
name = "Kitchen"
game = "white-line-fever"

[surface]
size_in = [48.0, 36.0]
near_left_in = [-1.0, -1.0]

[camera]
fov_deg = 78

[[corner]]
tag = 0
size_in = 2.4
at_in = [0.0, 0.0]
turn_deg = 90

[[corner]]
tag = 1
size_in = 2.4
at_in = [46.0, 0.0]

[[corner]]
tag = 2
size_in = 2.4
at_in = [46.0, 34.0]

[[corner]]
tag = 3
size_in = 2.4
at_in = [0.0, 34.0]

[[piece]]
name = "Red 1"
kind = "car"
model = "sedan"
owner = "Red"
colour = "#c0392b"
tag = 10
tag_size_in = 0.9
tag_turn_deg = 180

[[piece]]
name = "Book"
kind = "terrain"
shape = "box"
size_in = [6.0, 9.0]
height_in = 1.2
"""


def test_a_good_file_is_read_as_written() -> None:
    table = parse_table(GOOD)
    assert (table.name, table.game) == ("Kitchen", "white-line-fever")
    assert table.surface.area == pytest.approx(48 * 36)
    assert [c.tag for c in table.corners] == [0, 1, 2, 3]
    assert table.corners[0].turn == pytest.approx(math.pi / 2)
    assert table.corners[1].turn is None
    red, book = table.pieces
    assert red.mount is not None
    assert red.mount.height == red.body.height
    assert red.mount.body_from_tag.heading == pytest.approx(math.pi)
    assert book.mount is None
    assert book.body.footprint.at(red.mount.body_from_tag).area == pytest.approx(54.0)
    assert table.lens_for((1920, 1080)).guessed


@pytest.mark.parametrize(
    ("fields", "model"),
    [
        ("", "terrain"),
        ('shape = "box"\n', "box"),
        ('model = "Tree"\n', "Tree"),
        ('shape = "box"\nmodel = "Tree"\n', "Tree"),
    ],
)
def test_terrain_is_called_by_what_is_said_most_closely(fields: str, model: str) -> None:
    """Battlecars tells trees by it, also of those whose shape is said."""
    _, book = parse_table(GOOD.replace('shape = "box"\n', fields)).pieces
    assert book.body.model == model


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ("diameter_in = 3.0\n", "has size_in and diameter_in: leave out all but one"),
        ("length_in = 3.0\nwidth_in = 2.0\n", "has size_in and length_in"),
        ("width_in = 2.0\n", "has size_in and width_in"),
        ('shape = "cylinder"\n', "size_in is that of a box, and its shape is 'cylinder'"),
    ],
)
def test_a_piece_that_is_described_twice_is_refused_where_people_write_it(fields: str, says: str) -> None:
    """One of both was ignored. What stands in a record is read as it was played with."""
    text = GOOD.replace('shape = "box"\n', fields)
    with pytest.raises(TableRefError, match=f"line 4[0-9].*'Book': .*{re.escape(says)}"):
        parse_table(text)
    assert parse_table(text, recorded=True).pieces[1].body.height == 1.2


@pytest.mark.parametrize(
    ("change", "at", "says"),
    [
        (
            ("size_in = [48.0, 36.0]", "size_in = [48.0, -36.0]"),
            "size_in = [48",
            "surface.size_in.1: .*greater than 0.001, but got -36",
        ),
        (("tag_size_in = 0.9", "tag_sise_in = 0.9"), "tag_sise", "did you mean 'tag_size_in'"),
        (('model = "sedan"', 'model = "sedann"'), "[[piece]]", "did you mean 'sedan'"),
        (("tag = 10", "tag = 3"), None, "tag 3 of tag36h11 is on both 'corner 3' and 'Red 1'"),
        (('colour = "#c0392b"', 'colour = "red"'), "colour =", "but got 'red'"),
        (('name = "Book"', 'name = "red-1"'), None, "called alike: 'Red 1' and 'red-1'"),
        (("height_in = 1.2\n", ""), '[[piece]]\nname = "Book', "a box needs .*missing: height_in"),
        (("size_in = [6.0, 9.0]\nheight_in = 1.2", "diameter_in = 6"), None, "a cylinder .*: height_in"),
        (
            ("size_in = [6.0, 9.0]\nheight_in = 1.2", "length_in = 6\nwidth_in = 9"),
            None,
            "piece .*: height_in",
        ),
        (('kind = "terrain"', 'kind = "hill"'), 'kind = "hill', "but got 'hill'"),
        (("tag_size_in = 0.9", ""), "[[piece]]", "needs tag_size_in"),
        (("format = 1", "format = 2"), "format", "expected 1, as this version .* but got 2"),
        (
            ("[46.0, 34.0]", "[46,0, 34,0]"),
            "at_in = [46,0",
            r"expected 2 values, decimals with a point as in 1\.5",
        ),
        (("at_in = [46.0, 34.0]", "at_in = [46.0]"), "at_in = [46.0]\n", "at_in"),
        (("fov_deg = 78", "fov_deg = 300"), "fov_deg", "less than or equal to 150, but got 300"),
        (("turn_deg = 90", "turn_deg = inf"), "turn_deg", "but got inf"),
        (("at_in = [46.0, 34.0]", "at_in = [nan, 34.0]"), "at_in = [nan", "but got nan"),
        (("tag_size_in = 0.9", "tag_size_in = 1e-300"), "tag_size_in", "equal to 0.1, but got 1e-300"),
        (
            ("tag_size_in = 0.9", "tag_size_in = true"),
            "tag_size_in",
            "a number as 1.5, without quotes, but got True",
        ),
        (
            ("tag = 10", 'tag = "10"'),
            'tag = "10"',
            "a whole number as 10, without quotes, but got '10'",
        ),
        (('owner = "Red"', "owner = 7"), "owner", 'expected a text in quotes, as "Red", but got 7'),
        (("size_in = [48.0, 36.0]", "size_in = 48.0"), "size_in = 48", "expected values in brackets"),
        (('colour = "#c0392b"', 'colour = "red"'), "colour =", 'expected a colour as "#d02f2f"'),
        (('name = "Book"', 'name = ""'), 'name = ""', "expected at least one letter"),
        (("tag = 10", 'tag = ""'), 'tag = ""', "a whole number as 10, without quotes, but got ''"),
        (("[table]", "[[table]]"), None, re.escape("expected one [table], not [[table]]")),
        (('owner = "Red"', 'owner = "Red\\u0000"'), "owner", "expected one line of text"),
        (("tag = 10", "tag = 587"), "[[piece]]", "tag36h11 has the ids 0 to 586 but got 587"),
        (("tag = 10", 'tag = 10\nfamily = "tag99"'), "[[piece]]", "but got 'tag99'"),
    ],
)
def test_a_mistake_is_refused_with_line_field_and_remedy(
    change: tuple[str, str], at: str | None, says: str
) -> None:
    text = GOOD.replace(*change)
    assert text != GOOD
    with pytest.raises(TableFileError, match=says) as caught:
        parse_table(text, "kitchen.toml")
    if at is not None:
        line = text[: text.index(at)].count("\n") + 1
        assert f"kitchen.toml, line {line}:" in str(caught.value)


@pytest.mark.parametrize("name", ["👨\u200d👩\u200d👧", "山田\u3000太郎", "می\u200cروم", "<b>"])
def test_every_name_that_can_be_read_is_one(name: str) -> None:
    assert name in {p.name for p in parse_table(GOOD.replace('"Red 1"', f'"{name}"')).pieces}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("tag_size_in = 0.9", "tag_size_in = 0,9"), "write decimals with a point, as 1.5"),
        (('name = "Red 1"', "name = \u201cRed 1\u201d"), 'write straight quotes, as "Red"'),
        (("tag = 10", "tag: 10"), "write = between a field and its value"),
        (
            ('[[piece]]\nname = "Book"', '[piece]\nname = "Book"'),
            re.escape("write two brackets, as [[piece]]"),
        ),
    ],
)
def test_what_people_type_that_is_no_toml_is_told_with_what_to_write(
    change: tuple[str, str], says: str
) -> None:
    text = GOOD.replace(*change)
    assert text != GOOD
    with pytest.raises(
        TableFileError, match=f"{says}, where it reads {re.escape(change[1].splitlines()[0])}"
    ):
        parse_table(text)


@pytest.mark.parametrize(
    "lens", ["k = {rows = 3, cols = 3, data = [1, 2]}", 'k = {data = "x"}', "k = 1\nsd = {data = [true, {}]}"]
)
def test_a_lens_that_is_none_is_refused_with_its_line(lens: str) -> None:
    text = GOOD.replace("fov_deg = 78", "[camera.lens]\nsize_px = [8, 8]\ndist = [0, 0, 0, 0]\n" + lens)
    with pytest.raises(TableRefError, match=r"kitchen\.toml, .*lens"):
        parse_table(text, "kitchen.toml")


def test_a_deviation_too_small_to_be_squared_is_none() -> None:
    accuracy = parse_table(
        GOOD + "[accuracy]\nprint_scale = 1e-300\nink_in = 1e-300\nheights_in = 0.02\n"
    ).accuracy
    assert accuracy.common == Common(scale=0.0, lift=0.02)


@pytest.mark.parametrize("kind", ["truck", "trailer"])
def test_bodies_on_wheels_come_from_the_catalogue(kind: str) -> None:
    text = GOOD.replace('kind = "car"\nmodel = "sedan"', f'kind = "{kind}"\nmodel = "rig-trailer"')
    red = parse_table(text).pieces[0]
    assert (red.kind, red.body.model, red.driven) == (kind, "rig-trailer", kind == "truck")


RIG = """
[[piece]]
name = "Rig 1"
kind = "truck"
model = "rig-tractor"
tag = 20
tag_size_in = 0.9

[[piece]]
name = "Trailer 1"
kind = "trailer"
model = "rig-trailer"
hitched_to = "rig-1"
"""


def test_a_trailer_is_hitched_to_its_tractor() -> None:
    *_, rig, trailer = parse_table(GOOD + RIG).pieces
    assert rig.hitch is None
    assert trailer.follows
    # Unless said, from the middle of its front edge to that of the rear edge.
    assert trailer.hitch == Hitch("Rig 1", (3.0, 0.0), (-1.7, 0.0), math.radians(15))
    said = RIG + "hitch_at_in = [2.5, 0.0]\nhitch_on_in = [-1.2, 0.0]\nhitch_sd_turn_deg = 5\n"
    assert parse_table(GOOD + said).pieces[-1].hitch == Hitch(
        "Rig 1", (2.5, 0.0), (-1.2, 0.0), math.radians(5)
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("rig-1", "rig-2"), "'Trailer 1' is hitched to 'rig-2', but no piece is called so"),
        (("rig-1", "trailer 1"), "'Trailer 1' is hitched to 'Trailer 1', which hangs on it"),
        (
            ('model = "rig-tractor"', 'model = "rig-tractor"\nhitched_to = "Trailer 1"'),
            "which hangs on it: unhitch",
        ),
        (('hitched_to = "rig-1"', "hitch_at_in = [1, 0]"), "say nothing without hitched_to"),
    ],
)
def test_a_hitch_that_cannot_be_is_refused(change: tuple[str, str], says: str) -> None:
    with pytest.raises(TableFileError, match=says):
        parse_table(GOOD + RIG.replace(*change))


def with_board(fields: str) -> str:
    return GOOD.replace("[camera]", f"[board]\n{fields}\n\n[camera]")


@pytest.mark.parametrize(
    ("fields", "board"),
    [
        ('kind = "free"', Free()),
        ('kind = "points"\nsize = [12, 9]\norigin_in = [1.0, 2.0]', Points(12, 9, 2.0, Pose(1.0, 2.0))),
        # The surface reaches from -1, -1 to 47, 35: its middle is 23, 17.
        ('kind = "points"\nsize = [5, 3]\nspacing_in = 4.0', Points(5, 3, 4.0, Pose(15.0, 13.0))),
        (
            'kind = "hexes"\nsize = [3, 3]\ntolerance_in = 0.3\norigin_in = [9.0, 9.0]\ndirection_deg = 30',
            Hexes.field(3, 3, 2.0, Pose(9.0, 9.0, math.pi / 6), 0.3),
        ),
        (
            'kind = "hexes"\noval = {straight = 3, inside = 1, lanes = 2, clockwise = true}'
            "\norigin_in = [9, 9]",
            Hexes.track(oval(3, 1, 2, clockwise=True), 2.0, Pose(9.0, 9.0)),
        ),
        (
            'kind = "hexes"\norigin_in = [9, 9]\nlanes = [[[0, 0], [1, 0]], [[0, -1], [1, -1]]]',
            Hexes.track([[(0, 0), (1, 0)], [(0, -1), (1, -1)]], 2.0, Pose(9.0, 9.0)),
        ),
        (
            'kind = "hexes"\norigin_in = [9, 9]\n'
            "lanes = [[[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]]]\n"
            "line = [[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]]",
            LooseTrack.of(oval(1, 1, 1)[0][1:] + oval(1, 1, 1)[0][:1], oval(1, 1, 1)[0], 2.0, Pose(9.0, 9.0)),
        ),
        (
            'kind = "road"\nsize_in = [30, 8]\ndirection_deg = 90',
            Road(30.0, 8.0, (3.0, 2.0), Pose(27.0, 2.0, math.pi / 2)),
        ),
    ],
)
def test_the_board_is_read(fields: str, board: Board) -> None:
    found = parse_table(with_board(fields)).board
    assert found == replace(board, frame=found.frame)  # type: ignore[type-var]
    assert (found.frame.x, found.frame.y, found.frame.heading) == pytest.approx(
        (board.frame.x, board.frame.y, board.frame.heading)
    )


def test_without_a_board_the_table_is_free() -> None:
    assert parse_table(GOOD).board == Free()


@pytest.mark.parametrize(
    ("fields", "at", "says"),
    [
        ('kind = "hexs"', "kind", "board.kind: expected free, points, hexes, road, but got 'hexs'"),
        ("size = [3, 3]", "[board]", "board.kind: expected free, points, hexes, road, but got None"),
        ('kind = "points"', "[board]", "board.size: this field is needed and missing"),
        ('kind = "points"\nsize = [0, 3]', "size =", "board.size.0: .*greater than or equal to 1, but got 0"),
        (
            'kind = "points"\nsize = [3, 3]\nspaceing_in = 2.0',
            "spaceing",
            "board.spaceing_in: no such field; did you mean 'spacing_in'",
        ),
        ('kind = "road"\nsize_in = [30, 8]\nspacing_in = 2', "spacing", "board.spacing_in: no such field"),
        ('kind = "road"\nsize_in = [30, 8]\nsection_in = [3, 9]', "[board]", "sections of at most 30 x 8"),
        ('kind = "hexes"', "[board]", "hexes need one of three: size"),
        ('kind = "hexes"\nsize = [3, 3]\nline = [[0, 0]]', "[board]", "give its hexes as lanes"),
        (
            'kind = "hexes"\nlanes = [[[0, 0], [1, 0]]]\nline = [[0, 0], [1, 0]]',
            "[board]",
            "expected 6 to 1200 hexes for a ring but got 2",
        ),
        (
            'kind = "hexes"\nlanes = [[[0, 0], [2, 0]]]',
            "[board]",
            r"lane 1 jumps from hex \(0, 0\) to \(2, 0\)",
        ),
        (
            'kind = "points"\nsize = [30, 9]',
            "[board]",
            r"the board reaches from -6, 9 to 52, 25 inches, the surface from -1, -1 to 47, 35",
        ),
    ],
)
def test_a_mistake_in_the_board_is_refused_with_line_field_and_remedy(
    fields: str, at: str, says: str
) -> None:
    text = with_board(fields)
    with pytest.raises(TableFileError, match=says) as caught:
        parse_table(text, "kitchen.toml")
    line = text[: text.index(at, text.index("[board]"))].count("\n") + 1
    assert str(caught.value).startswith(f"kitchen.toml, line {line}: ")


def test_all_mistakes_are_told_at_once() -> None:
    text = GOOD.replace('colour = "#c0392b"', 'colour = "red"').replace("tag = 2\n", "tag = -2\n")
    with pytest.raises(TableFileError) as caught:
        parse_table(text)
    assert len(str(caught.value).splitlines()) == 2


def test_broken_toml_and_missing_files() -> None:
    with pytest.raises(TableFileError, match="line 1"):
        parse_table("format = = 1")
    with pytest.raises(
        TableFileError, match=r"cannot read the table file nowhere\.toml: there is no such file$"
    ):
        load_table(Path("nowhere.toml"))


MARKED = "\ufeff" + GOOD.replace("fov_deg = 78", 'lens = "lens.json"')
LENS_FILE = (
    '\ufeff{"size_px": [1920, 1080], "k": [[1000, 0, 960], [0, 1000, 540], [0, 0, 1]], "dist": [0, 0, 0, 0]}'
)


@pytest.mark.parametrize("coding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_may_be_written_with_any_editor(tmp_path: Path, coding: str, end: str) -> None:
    (tmp_path / "table.toml").write_bytes(MARKED.replace("\n", end).encode(coding))
    (tmp_path / "lens.json").write_bytes(LENS_FILE.encode(coding))
    table = load_table(tmp_path / "table.toml")
    assert table.text == MARKED[1:]
    assert table.lens is not None


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            GOOD.replace("Red 1", "Röt 1").encode("latin-1"),
            "expected a text in UTF-8 but it is in another one: save it anew",
        ),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "expected a text in UTF-8 but it is no text at all"),
    ],
)
def test_what_is_no_text_is_told_without_a_codecs_words(tmp_path: Path, content: bytes, says: str) -> None:
    for file, read in ((tmp_path / "table.toml", load_table), (tmp_path / "lens.json", read_lens)):
        file.write_bytes(content)
        with pytest.raises(TableRefError, match=f"cannot read the .* file .*: {says}"):
            read(file)
        with pytest.raises(TableRefError, match=r"cannot read the .* file .*: that is a folder"):
            read(tmp_path)


def test_a_lens_file_is_found_beside_the_table(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(GOOD.replace("fov_deg = 78", 'lens = "lens.json"'), encoding="utf-8")
    with pytest.raises(LensError, match=r"lens\.json"):
        load_table(tmp_path / "table.toml")
    (tmp_path / "lens.json").write_text(
        '{"size_px": [1920, 1080], "k": [[1000, 0, 960], [0, 1000, 540], [0, 0, 1]], "dist": [0, 0, 0, 0]}',
        encoding="utf-8",
    )
    assert load_table(tmp_path / "table.toml").lens_for((1920, 1080)).K[0, 0] == 1000


@pytest.mark.parametrize("name", ["opening-round", "overhead-table-1"])
def test_the_samples_are_good_tables(samples: Path, name: str) -> None:
    table = load_table(samples / name / "table.toml")
    assert len(table.corners) >= 4
    assert table.pieces


def test_a_sample_car_is_the_car_of_the_truth(samples: Path) -> None:
    table = load_table(samples / "opening-round" / "table.toml")
    red = table.pieces[0]
    assert red.body.length == pytest.approx(2.981, abs=0.1)
    assert red.body.tyres is not None
    assert np.abs(red.body.rear_axle - [-0.894, 0.0]).max() < 0.02


def test_corners_without_places_set_the_frame() -> None:
    text = re.sub(r"^(at_in|turn_deg) = .*\n", "", GOOD, flags=re.MULTILINE)
    table = parse_table(text)
    assert table.corners == ()
    assert [t.tag for t in table.loose] == [0, 1, 2, 3]
    assert table.frame == (("tag36h11", 0), ("tag36h11", 1))
    assert parse_table(GOOD).frame is None


def test_extra_flat_tags_need_no_place() -> None:
    table = parse_table(GOOD + "\n[[corner]]\ntag = 7\nsize_in = 2.0\n")
    assert [t.tag for t in table.loose] == [7]
    assert len(table.corners) == 4
    assert ("tag36h11", 7) in table.keys


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("at_in = [46.0, 34.0]\n", ""), "3 of 4 corner tags have at_in: state the places of four"),
        (("at_in = [0.0, 0.0]\n", ""), "turn_deg without at_in"),
    ],
)
def test_half_stated_places_are_refused(change: tuple[str, str], says: str) -> None:
    with pytest.raises(TableFileError, match=says):
        parse_table(GOOD.replace(*change))


LENGTH = """
[[length]]
between = [0, 2]
length_in = 57.2
laid = [[0, 0.0, 0.0, 90.0], [2, 46.0, 34.0, 91.5]]
"""


def test_a_measured_length_is_kept_with_where_the_tags_lay() -> None:
    (length,) = parse_table(GOOD + LENGTH).lengths
    assert [tag for _, tag in length.between] == [0, 2]
    assert (length.inches, length.sd) == (57.2, 0.04)
    assert dict(length.laid)["tag36h11", 2] == Pose(46.0, 34.0, math.radians(91.5))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("between = [0, 2]", "between = [2, 2]", "between two tags, but got tag 2 twice"),
        ("between = [0, 2]", "between = [0, 9]", "between corner tags, and tag 9 is none"),
        ("[2, 46.0", "[7, 46.0", "between corner tags, and tag 7 is none"),
        ("length_in = 57.2", "length_in = 57.2\nsd_in = 0.0", "a deviation above 0 and below the length"),
        ("length_in = 57.2", "inches = 57.2", "did you mean 'length_in'|no such field"),
        ("length_in = 57.2", 'length_in = "long"', "line .*length 1, length_in: .*got 'long'"),
    ],
)
def test_a_length_that_cannot_be_is_refused(old: str, new: str, says: str) -> None:
    with pytest.raises(TableFileError, match=says):
        parse_table(GOOD + LENGTH.replace(old, new))


def test_a_scale_that_a_length_told_stands_only_without_it() -> None:
    told = GOOD + '[accuracy]\nprint_scale = 0.001\nscale_by = "{}"\n' + LENGTH
    beside = {by: parse_table(told.format(by)).common for by in ("length", "sheet")}
    held = {by: common.by_lengths(common.lengths).scale for by, common in beside.items()}
    assert held == {"length": 0.01, "sheet": 0.001}
    assert {common.by_lengths(()).scale for common in beside.values()} == {0.001}


@pytest.mark.parametrize(
    ("corner", "sd"),
    [
        ("at_in = [0.0, 0.0]", 0.0),
        ("at_in = [0.0, 0.0]\nturn_deg = 90", 0.0625),
        ("at_in = [0.0, 0.0]\nsd_in = 0.1", 0.1),
        ("at_in = [0.5, 0.0]", 0.0625),
    ],
)
def test_the_tag_that_is_the_origin_is_there_by_definition(corner: str, sd: float) -> None:
    text = GOOD.replace("at_in = [0.0, 0.0]\nturn_deg = 90", corner)
    assert parse_table(text).corners[0].sd == sd


@pytest.mark.parametrize(
    ("stated", "ink"), [("", 0.0015), ("print_size = 0.0", 0.0), ("print_size = 0.0\nink_in = 0.002", 0.002)]
)
def test_a_print_that_is_exact_has_no_ink_unless_it_is_stated(stated: str, ink: float) -> None:
    assert parse_table(f"{GOOD}[accuracy]\n{stated}\n").common.ink == ink


TEXT = """# Ours
format = 1

[surface]
size_in = [48.0, 48.0]  # with the rim

# near the window
[[corner]]
tag = 0

[[piece]]
name = "Red 1"  # Anna's

# a gift
[[piece]]
name = "Blue 1"
tag = 7
"""


def test_a_field_is_changed_in_its_own_line() -> None:
    changed = with_field(TEXT, ("piece", 1), "tag", 8, "glued anew")
    assert changed == TEXT.replace("tag = 7", "tag = 8  # glued anew")
    assert tomllib.loads(with_field(TEXT, ("piece", 0), "tag", 9))["piece"][0] == {"name": "Red 1", "tag": 9}
    assert tomllib.loads(with_field(TEXT, ("camera",), "fov_deg", 70.0))["camera"] == {"fov_deg": 70.0}


def test_a_field_goes_with_all_its_lines() -> None:
    long = (
        TEXT + "footprint_in = [\n  [1.0, 0.0],  # the tip\n  [0.0, 1.0],\n  [-1.0, 0.0],\n]\nowner = 'Ben'\n"
    )
    assert without_field(long, ("piece", 1), "footprint_in") == TEXT + "owner = 'Ben'\n"
    assert without_field(TEXT, ("piece", 1), "footprint_in") == TEXT
    short = with_field(long, ("piece", 1), "footprint_in", [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    assert tomllib.loads(short)["piece"][1]["footprint_in"] == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    assert tomllib.loads(short)["piece"][1]["owner"] == "Ben"


def test_a_table_goes_with_its_own_comments_and_no_others() -> None:
    gone = without_block(TEXT, ("piece", 1))
    assert gone == TEXT[: TEXT.index("\n# a gift")]
    assert "# a gift" in without_block(TEXT, ("piece", 0))
    assert "Anna" not in without_block(TEXT, ("piece", 0))
    assert tomllib.loads(without_block(TEXT, ("piece", 0)))["piece"] == [{"name": "Blue 1", "tag": 7}]


def test_a_table_is_added_at_the_end() -> None:
    added = with_block(TEXT, block("[[piece]]", {"name": 'The "Beast"', "tag": 3, "owner": None}))
    assert added.startswith(TEXT)
    assert tomllib.loads(added)["piece"][2] == {"name": 'The "Beast"', "tag": 3}
    assert lines_of(added)[("piece", 2, "tag")] == len(added.splitlines())


@pytest.mark.parametrize("value", [1, 0.9, 'a\\b\n"ü"', True, [1.5, [2]], {"k": [[1.0, 0.0]], "s": "x"}])
def test_values_are_read_back(value: object) -> None:
    assert tomllib.loads(f"v = {as_toml(value)}")["v"] == value


def test_a_lens_file_becomes_the_lens_itself() -> None:
    lens = lens_to_dict(guess_lens((640, 480)))
    text = with_lens_inside(f'{TEXT}\n[camera]\nlens = "lens.json"\n', lens)
    assert tomllib.loads(text)["camera"]["lens"] == lens


SURFACE = Region.rectangle(0.0, 0.0, 60.0, 60.0)
AT = Pose(14.25, 20.5, math.radians(12.5))
LANES = oval(4, 2, 3)
TRACK = LooseTrack.of(LANES[1], (c for lane in LANES for c in lane), 1.5, AT)


@pytest.mark.parametrize(
    "board",
    [
        Points(9, 5, 3.0, AT),
        Points(9, 5, 3.0, Pose(4.0, 3.0, 0.0), 0.3),
        Hexes.field(7, 4, 2.0, AT),
        Hexes.track(LANES, 1.75, AT),
        TRACK,
        Road(30.0, 8.0, (3.0, 2.0), AT),
    ],
    ids=["points", "a tolerance", "field", "track", "loose", "road"],
)
def test_what_is_written_of_a_board_is_that_board(board: Board) -> None:
    fields = TypeAdapter[object](BoardFields).validate_python(fields_of(board))
    again = board_on(fields, SURFACE)  # type: ignore[arg-type]
    assert again == board
    assert type(again) is type(board)


def test_a_table_without_cells_has_none() -> None:
    assert fields_of(Free()) is None


def test_hexes_that_no_file_can_describe_are_refused() -> None:
    with pytest.raises(BoardError, match="neither a track nor a field"):
        fields_of(Hexes(((0, 0), (1, 0), (5, 0), (0, 1))))


@pytest.mark.parametrize(
    ("family", "tag", "modules"),
    [("tag36h11", 0, 8), ("tag25h9", 34, 7), ("DICT_4X4_50", 49, 6), ("DICT_5X5_100", 7, 7)],
)
def test_modules_are_what_the_reader_reads(family: str, tag: int, modules: int) -> None:
    black = black_modules(family, tag)
    assert black.shape == (modules, modules)
    drawn = np.kron(np.pad(~black, 2, constant_values=True), np.ones((12, 12))).astype(np.uint8) * 255
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary_of(family)).detectMarkers(drawn)
    assert np.ravel(ids).tolist() == [tag]
    assert np.round(np.ravel(corners)[:2]) == pytest.approx([24, 24], abs=1)


@pytest.mark.parametrize(
    ("family", "tag", "says"),
    [
        ("tag36h12", 0, "expected a tag family"),
        ("DICT_9X9_50", 0, "DICT_9X9_50"),
        ("ArucoDetector", 0, "expected a tag family"),
        ("tag25h9", 35, "ids 0 to 34 but got 35"),
        ("tag36h11", -1, "got -1"),
    ],
)
def test_unknown_tags_are_refused(family: str, tag: int, says: str) -> None:
    with pytest.raises(FiducialError, match=says):
        black_modules(family, tag)


PLACE = KeptPlace(
    where="in the middle",
    at_in=(20.0, 21.5),
    short_in=(8.49, 0.03),
    long_in=(11.02, 0.04),
    square_deg=(-0.1, 0.2),
)
CHECK = KeptCheck(
    made="2026-11-23 16:00",
    paper="letter",
    verdict="agrees",
    words='All 3 places agree; [not] a "header" = here',
    scale=(0.001, 0.002),
    stated="0123456789abcdef",
    tags_at=[(0, 0.2, 0.5)],
    places=[PLACE, PLACE],
)
LENS = Lens((1920, 1080), np.array([[1500.0, 0, 960], [0, 1500, 540], [0, 0, 1]]), np.zeros(5))


def test_it_is_read_back_as_it_was_written_and_only_once() -> None:
    text = with_check(GOOD, CHECK)
    assert parse_table(text).check == CHECK
    later = CHECK.model_copy(update={"made": "2026-11-24 09:30", "verdict": "differs"})
    again = with_check(text, later)
    assert parse_table(again).check == later
    assert again.count("[check]") == 1
    assert again.startswith(GOOD.rstrip())


STRIP_PLACE = KeptPlace(where="in the middle", at_in=(20.0, 21.5), length_in=(8.02, 0.05))
STRIP = KeptCheck.model_validate(
    CHECK.model_dump() | {"paper": "strip", "strip_in": (8.0, 0.04), "places": [STRIP_PLACE, STRIP_PLACE]}
)


def test_a_strip_is_kept_with_its_length_and_nothing_of_a_sheet() -> None:
    text = with_check(GOOD, STRIP)
    assert parse_table(text).check == STRIP
    assert "short_in" not in text
    assert (STRIP.laid, CHECK.laid) == ("a strip of 8.00 in", "a sheet of paper")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"strip_in": None}, "expected strip_in"),
        ({"paper": "a4", "strip_in": None}, "expected places of a sheet"),
        ({"places": [PLACE]}, "expected places of a strip"),
        ({"places": [STRIP_PLACE.model_copy(update={"square_deg": (0.0, 0.1)})]}, "or length_in of a strip"),
    ],
)
def test_sheet_and_strip_are_not_mixed(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        KeptCheck.model_validate(STRIP.model_dump() | wrong)


def test_a_table_without_one_has_none() -> None:
    assert parse_table(GOOD).check is None


def test_a_mistake_in_it_is_told_with_its_line() -> None:
    text = with_check(GOOD, CHECK).replace('verdict = "agrees"', 'verdict = "perfect"')
    with pytest.raises(TableFileError, match=r"line \d+: check\.verdict"):
        parse_table(text)


def test_its_mark_changes_with_what_inches_come_from_and_with_nothing_else() -> None:
    table = parse_table(GOOD)
    mark = table.mark(None)
    assert parse_table(with_check(GOOD, CHECK)).mark(None) == mark
    assert parse_table(with_field(GOOD, ("table",), "name", "Another")).mark(None) == mark
    assert (
        replace(table, accuracy=table.accuracy.model_copy(update={"print_scale": 0.003})).mark(None) != mark
    )
    moved = replace(table.corners[0], at=(0.1, 0.0))
    assert replace(table, corners=(moved, *table.corners[1:])).mark(None) != mark
    length = Length((("tag36h11", 0), ("tag36h11", 1)), 46.0, 0.04)
    assert replace(table, lengths=(length,)).mark(None) != mark
    assert table.mark(LENS) != mark
    assert table.mark(replace(LENS, dist=np.array([0.01, 0, 0, 0, 0]))) != table.mark(LENS)
    half = Lens((960, 540), np.array([[750.0, 0, 480], [0, 750, 270], [0, 0, 1]]), np.zeros(5))
    assert table.mark(half) == table.mark(LENS)


# A file from anybody

PIECE = '\n[[piece]]\nname = "q"\nkind = "terrain"\nheight_in = 1.0\n'
HOSTILE = {
    "brackets": "a = " + "[" * 100_000,
    "braces": "a = " + "{a = " * 50_000,
    "dotted name": ".".join("a" * 50_000) + " = 1",
    "dotted names": "\n".join(f"a.b.c.d.e.f.g.h.i.j{k} = 1" for k in range(9000)),
    "dotted table": f"[{'.'.join('a' * 50_000)}]",
    "brackets behind what ends in a quote": f'x = ["""a"""", {"[" * 5000}, "b"]',
    "brackets behind a backslash": f"x = ['\\', {'[' * 5000}, 'b']",
    "large": "#" * 1_000_000,
    "pieces": GOOD + "[[piece]]\n" * 40_000,
    "whole pieces": GOOD
    + "".join(PIECE.replace('"q"', f'"q{k}"') + "diameter_in = 1.0\n" for k in range(4000)),
    "hitched": GOOD + PIECE + f'diameter_in = 1.0\nhitched_to = "{"x" * 200_000}"\n',
    "model": GOOD + PIECE + f'diameter_in = 1.0\nmodel = "{"x" * 200_000}"\n',
    "outline": GOOD + PIECE + f"footprint_in = [{'[1.0, 2.0], ' * 30_000}]\n",
    "fields": GOOD + "\n".join(f"k{k} = 1" for k in range(30_000)),
    "long field": GOOD + "k" * 300_000 + " = 1\n",
    "digits": "a = " + "9" * 5000,
    "texts": '"""' * 100_001,
    "backslashes": '"' + "\\" * 400_000,
    "nul": 'name = "\0"',
    "nul in a name": GOOD.replace('"Red 1"', '"Red\\u00001"'),
    "half a character": GOOD.replace('"Red 1"', '"Red\\ud8001"'),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_file_from_anybody_is_refused_soon_and_in_short(how: str) -> None:
    began = time.process_time()
    with pytest.raises(TableFileError) as told:
        parse_table(HOSTILE[how])
    assert all(len(line) < 600 for line in str(told.value).split("\n"))
    assert str(told.value).count("\n") <= 20
    assert time.process_time() - began < 4.0


def test_an_endless_file_is_none() -> None:
    with pytest.raises(TableFileError, match="at most"):
        load_table(Path("/dev/zero"))


def test_brackets_and_dots_in_texts_and_remarks_are_no_lists() -> None:
    name = "a.b.c.d.e.f.g.h.i.j.k" + "[" * 30
    text = GOOD.replace('"Kitchen"', f'"{name}"  # {name}').replace('"Red 1"', f"'''Red 1'''  # {name}")
    assert parse_table(text).name == name


def test_without_a_folder_no_file_is_touched(tmp_path: Path) -> None:
    lens = tmp_path / "lens.json"
    lens.write_text(json.dumps(lens_to_dict(guess_lens((640, 480)))), encoding="utf-8")
    text = GOOD.replace("fov_deg = 78", f"lens = {json.dumps(str(lens))}")
    assert parse_table(text, folder=tmp_path).lens is not None
    with pytest.raises(TableFileError, match="names the lens file"):
        parse_table(text)
    assert parse_table(text, lens=guess_lens((320, 240))).lens is not None
