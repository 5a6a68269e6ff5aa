from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from calibration.lens.model import LensError
from calibration.tablefile import TableFileError, load_table, parse_table

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
    ("change", "at", "says"),
    [
        (
            ("size_in = [48.0, 36.0]", "size_in = [48.0, -36.0]"),
            "size_in = [48",
            "surface.size_in.1: .*greater than 0, but got -36",
        ),
        (("tag_size_in = 0.9", "tag_sise_in = 0.9"), "tag_sise", "did you mean 'tag_size_in'"),
        (('model = "sedan"', 'model = "sedann"'), "[[piece]]", "did you mean 'sedan'"),
        (("tag = 10", "tag = 3"), None, "tag 3 of tag36h11 is on both 'corner 3' and 'Red 1'"),
        (('colour = "#c0392b"', 'colour = "red"'), "colour =", "but got 'red'"),
        (('name = "Book"', 'name = "red-1"'), None, "called alike: 'Red 1' and 'red-1'"),
        (("height_in = 1.2\n", ""), '[[piece]]\nname = "Book', "missing: height_in"),
        (('kind = "terrain"', 'kind = "hill"'), 'kind = "hill', "but got 'hill'"),
        (("tag_size_in = 0.9", ""), "[[piece]]", "needs tag_size_in"),
        (("format = 1", "format = 2"), "format", "but got 2"),
        (("at_in = [46.0, 34.0]", "at_in = [46.0]"), "at_in = [46.0]\n", "at_in"),
        (("fov_deg = 78", "fov_deg = 300"), "fov_deg", "less than or equal to 150, but got 300"),
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


def test_all_mistakes_are_told_at_once() -> None:
    text = GOOD.replace('colour = "#c0392b"', 'colour = "red"').replace("tag = 2\n", "tag = -2\n")
    with pytest.raises(TableFileError) as caught:
        parse_table(text)
    assert len(str(caught.value).splitlines()) == 2


def test_broken_toml_and_missing_files() -> None:
    with pytest.raises(TableFileError, match="line 1"):
        parse_table("format = = 1")
    with pytest.raises(TableFileError, match="cannot read the table file"):
        load_table(Path("nowhere.toml"))


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
