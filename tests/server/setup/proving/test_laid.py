"""A strip with two tags, held against tables drawn by their stated deviations; without pictures."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import RULED_IN, Accuracy
from calibration.proofs.sheet_proof import SheetProof
from calibration.proofs.strip_proof import SeenStrip, strip_proof
from calibration.surface import Surface
from calibration.tablefile import parse_table
from engine.space.geometry import Pose
from server.setup.proving.laid import laid_strip, taken_tags
from tests.calibration.proofs.laid_sheets import PLACES, READ_PX, Drawn, drawn_table
from tests.server.setup.printing.drawn_sheet import true_surface
from vision.frame import Detection
from vision.locate import tag_corners

TEXT = "format = 1\n[surface]\nsize_in = [49.0, 46.5]\n" + "".join(
    f"[[corner]]\ntag = {n}\nsize_in = 2.4\n" for n in range(4)
)
TABLE = parse_table(TEXT)
MEASURED = Accuracy(print_scale=0.0015)
SEEDS = 100


def seen_by(
    true: Surface,
    at: tuple[float, float],
    turn: float,
    length: float = 8.0,
    rng: np.random.Generator | None = None,
    cloth: float = 0.0,
) -> list[Detection]:
    """The strip's two tags, its middle at a place on the table; with `rng` as badly read as tags are."""
    found = []
    for tag, way in ((50, -0.5), (51, 0.5)):
        end = Pose(*at, turn).compose(Pose(way * length, 0.0))
        height = 0.0 if rng is None else rng.normal(0.0, cloth)
        corners = np.column_stack([end.to_table(tag_corners(1.4)), np.full(4, height)])
        pixels = true.project(corners)
        if rng is not None:
            pixels = pixels + rng.normal(0.0, READ_PX, (4, 2))
        found.append(Detection("tag36h11", tag, pixels, READ_PX**2 * np.eye(8)))
    return found


def checked(drawn: Drawn, rng: np.random.Generator, length: float = 8.0) -> SheetProof:
    """The strip in three places of a drawn table; a ruler has said how long it is."""
    table = replace(TABLE, accuracy=drawn.accuracy)
    strips = []
    for at in PLACES:
        seen = seen_by(drawn.true, at, rng.uniform(0, math.tau), length, rng, drawn.accuracy.cloth_in)
        laid = laid_strip(seen, table, drawn.surface)
        assert laid is not None
        assert isinstance(laid.seen, SeenStrip)
        strips.append(laid.seen)
    return strip_proof(strips, (length + rng.normal(0.0, RULED_IN), RULED_IN))


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.0, -1.2])
def test_a_strip_measures_what_it_is_wherever_it_lies(turn: float) -> None:
    laid = laid_strip(seen_by(true_surface(), (21.0, 20.0), turn), TABLE, true_surface())
    assert laid is not None
    assert isinstance(laid.seen, SeenStrip)
    assert math.dist(*laid.seen.ends) == pytest.approx(8.0, abs=1e-3)
    assert laid.middle == pytest.approx([21.0, 20.0], abs=1e-3)
    proof = strip_proof([laid.seen], (8.0, RULED_IN))
    assert proof.agrees
    # The ruler is what is least sure of a strip on a table that is known exactly.
    assert RULED_IN < proof.sds[0, 0] < 2 * RULED_IN


def test_one_tag_alone_is_no_strip_and_neither_are_tags_in_play() -> None:
    seen = seen_by(true_surface(), (21.0, 20.0), 0.3)
    assert laid_strip(seen[:1], TABLE, true_surface()) is None
    piece = '[[piece]]\nname = "Rock"\nkind = "terrain"\ntag = 51\ntag_size_in = 1.6\ntag_height_in = 1.0\n'
    outline = "height_in = 1.0\nfootprint_in = [[-1, -1], [1, -1], [1, 1], [-1, 1]]\n"
    in_play = parse_table(TEXT + piece + outline)
    assert taken_tags(in_play) == [51]
    assert laid_strip(seen, in_play, true_surface()) is None


def test_good_tables_agree_as_often_as_is_stated() -> None:
    for accuracy, stated in ((Accuracy(), False), (MEASURED, True)):
        blamed, inside = 0, []
        for seed in range(SEEDS):
            drawn, rng = drawn_table(seed, accuracy, stated=stated)
            proof = checked(drawn, rng)
            blamed += not proof.agrees
            inside.append(np.abs(proof.errors) <= 1.96 * proof.sds)
        # Of 100 draws at 5 %, 5 are called wrong; more than 9 would be a chance of 3 %.
        assert blamed <= 9, (accuracy, stated)
        assert 0.90 < np.mean(inside) < 0.99, (accuracy, stated)


@pytest.mark.parametrize("scale", [0.03, -0.03])
def test_a_wrong_scale_is_told_and_a_longer_strip_tells_it_surer(scale: float) -> None:
    told = {}
    for length in (8.0, 12.0):
        blames = []
        for seed in range(20):
            drawn, rng = drawn_table(seed, MEASURED, scale=scale)
            blames.append(checked(drawn, rng, length).blame[0])
        told[length] = 20 - blames.count("none")
        assert blames.count("scale") >= told[length] - 2
    assert told[12.0] >= 19
    assert told[12.0] >= told[8.0] >= 15


def test_one_place_that_is_wrong_is_named() -> None:
    def seen(at: tuple[float, float], turn: float, length: float = 12.0) -> SeenStrip:
        laid = laid_strip(seen_by(true_surface(), at, turn, length), TABLE, true_surface())
        assert laid is not None
        assert isinstance(laid.seen, SeenStrip)
        return laid.seen

    good = [seen((12.0, 12.0), 0.0), seen((21.0, 20.0), 1.5)]
    assert strip_proof([*good, seen((30.0, 28.0), 0.7)], (12.0, RULED_IN)).blame[0] == "none"
    assert strip_proof([*good, seen((30.0, 28.0), 0.7, 12.8)], (12.0, RULED_IN)).blame == ("place", 2)
    # What is wrong everywhere alike is the scale, along and across.
    wide = [
        seen(at, turn, 12.4) for at, turn in (((12.0, 12.0), 0.0), ((21.0, 20.0), 1.5), ((30.0, 28.0), 0.7))
    ]
    assert strip_proof(wide, (12.0, RULED_IN)).blame[0] == "scale"
