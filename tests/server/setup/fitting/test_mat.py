"""The edge of the mat, offered as the table's outline, and what is written of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.truth import true_frames
from calibration.surface import CornerTag
from calibration.tablefile import TableFile, parse_table
from server.pipeline.photo import open_picture
from server.setup.fitting.mat import MatOutline
from server.setup.printing.last_look import LastLook
from server.setup.surface_setup import FoundTable, TableFinder
from server.setup.table_changes import SetupError
from tests.calibration.test_surface import PLACES
from tests.vision.test_edges import SURFACE, photographed, rectangle
from vision.frame import Detection, Frame, Image
from vision.mat_edges import MatEdge, find_mat_edges
from vision.tags.unnamed import reader_of_all

TABLE = parse_table(
    """format = 1
[table]
name = "Club"
[surface]
size_in = [48.4, 48.4]
near_left_in = [-1.2, -1.2]
"""
    + "".join(
        f'[[corner]]\ntag = {n}\nfamily = "tag36h11"\nsize_in = 2.4\nat_in = [{x}, {y}]\n'
        for n, (x, y) in enumerate(PLACES)
    )
)


def looked(image: Image, tags: int = 4, table: TableFile = TABLE) -> LastLook:
    seen = [
        Detection(
            "tag36h11",
            n,
            SURFACE.image_from_table(CornerTag("tag36h11", n, 2.4, at, 1.57, 0.0).corners_at()),
            np.eye(8),
        )
        for n, at in enumerate(PLACES[:tags])
    ]
    return LastLook(Frame(image, 0.0, 0, "a picture"), tuple(seen), table, (SURFACE, table.surface.outline))


def test_the_edge_is_shown_and_written_when_it_is_taken() -> None:
    mat, last = MatOutline(), looked(photographed(rectangle((-3.0, -2.0), (50.0, 48.5))))
    view = mat.find(last)
    assert view.may_take
    assert re.match(
        r"The edge is found on all four sides: 5[23]\.\d × 50\.\d in, each side ±0\.0\d in", view.words
    )
    low, high = SURFACE.table_from_image(np.array(view.outline)).min(axis=0), (50.0, 48.5)
    assert low == pytest.approx([-3.0, -2.0], abs=0.1)
    text = mat.text(TABLE)
    assert "the edge of the mat, as the camera found it" in text
    outline = parse_table(text).surface.outline
    assert outline.min(axis=0) == pytest.approx([-3.0, -2.0], abs=0.08)
    assert outline.max(axis=0) == pytest.approx(high, abs=0.08)
    with pytest.raises(SetupError, match="has changed since the edge was found"):
        mat.text(parse_table(text))


def test_a_side_without_an_edge_stays_and_is_told() -> None:
    mat = MatOutline()
    view = mat.find(looked(photographed(rectangle((-3.0, -2.0), (90.0, 48.5)))))
    assert "on 3 of four sides" in view.words
    assert "The right side stays where it is: no clear edge" in view.words
    outline = parse_table(mat.text(TABLE)).surface.outline
    assert outline.max(axis=0) == pytest.approx([47.2, 48.5], abs=0.08)


def test_a_mat_askew_is_told() -> None:
    view = MatOutline().find(looked(photographed(rectangle((-4.0, -4.0), (50.0, 50.0), 2.0))))
    assert "The near side runs 2.0° askew to the corner tags." in view.words


def test_nothing_is_offered_where_nothing_is_seen() -> None:
    mat = MatOutline()
    view = mat.find(looked(photographed(rectangle((-60.0, -60.0), (110.0, 110.0)))))
    assert (view.may_take, view.outline) == (False, [])
    assert view.words.startswith("No edge of the mat is found. It must be in the picture")
    with pytest.raises(SetupError, match="look for it again"):
        mat.text(TABLE)


def test_what_is_missing_is_said() -> None:
    mat, last = MatOutline(), looked(photographed(rectangle((-3.0, -2.0), (50.0, 48.5))))
    for lacking, says in [
        (replace(last, table=None), "keep the table first"),
        (replace(last, found=None), "the table is not found now"),
        (replace(last, detections=last.detections[:2]), "corner tags seen now: 2; at least three"),
    ]:
        with pytest.raises(SetupError, match=says):
            mat.find(lacking)


def test_the_mat_of_path_traced_pictures_reaches_equally_far_on_every_side(
    shared: Path,
) -> None:
    outside = []
    for truth in (t for size in ("1080p", "4k") for t in true_frames(shared / "renders" / f"stills-{size}")):
        frame = Frame(open_picture(truth.picture), 0.0, 0, truth.picture.name)
        seen = reader_of_all(()).read_all(frame, thorough=False)
        found = TableFinder(truth.corners[0].size).look(frame, seen, truth.lens)
        if not isinstance(found, FoundTable):
            continue
        low = np.array(found.near_left)
        high = low + found.size
        sides = find_mat_edges(frame.image, found.surface, low, high)
        assert all(isinstance(e, MatEdge) for e in sides), (truth.picture, sides)
        near, right, far, left = (e.at for e in sides if isinstance(e, MatEdge))
        outside += [low[1] - near, right - high[0], far - high[1], low[0] - left]
    assert len(outside) >= 20
    assert np.ptp(outside) < 0.12
