"""The check of a table: what is laid on it, and the watch that waits for it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from typing import Any

import numpy as np
import pytest

from calibration.accuracy import RULED_IN, Accuracy
from calibration.kept_check import KeptCheck, with_check
from calibration.proofs.sheet_proof import SeenStrip, SheetProof, strip_proof
from calibration.surface import Surface
from calibration.tablefile import TableFile, parse_table
from engine.space.geometry import Pose
from server.setup.checking import strip
from server.setup.doctor import examine
from server.setup.printing.last_look import LastLook
from server.setup.proving.check_watch import CheckWatch, out_of_date, verdict_of
from server.setup.proving.laid import laid_strip, spots_on, taken_tags
from server.setup.table_changes import SetupError
from tests.calibration.proofs.laid_sheets import LETTER, PLACES, READ_PX, Drawn, drawn_table
from tests.server.setup.printing.drawn_sheet import true_surface
from tests.server.setup.printing.test_sheet_scale import tags_of
from tests.volume import deep, volume
from vision.frame import Detection, Frame
from vision.locate import tag_corners
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import named_scene

A4 = (210 / 25.4, 297 / 25.4)
TEXT = """format = 1
[surface]
size_in = [49.0, 46.5]
near_left_in = [-3.0, -3.0]
""" + "".join(f"[[corner]]\ntag = {n}\nsize_in = 2.4\n" for n in range(4))
MEASURED = "[accuracy]\nprint_scale = 0.0015\n"


ENDS = strip("50,51", 1.4, 0.0)


@dataclass
class Table:
    """The simulated table as the set-up page sees it, its place and its lens known exactly."""

    source: SimulatedTable
    file: TableFile
    surface: Surface
    tags: tuple[Any, ...] = ()
    dark: float = 1.0
    strip: bool = False

    def look(self) -> LastLook:
        """The newest picture; only a strip's tags move on this table, else they are read once."""
        frame = self.source.read()
        if self.dark < 1.0:
            level = np.mean(frame.image)
            faint = level + (frame.image.astype(float) - level) * self.dark
            frame = Frame(np.clip(faint, 0, 255).astype(np.uint8), frame.time, frame.index, frame.source)
        if self.strip or not self.tags:
            self.tags = tuple(tags_of(frame))
        outline = self.file.surface.outline
        lens = replace(self.surface.lens, origin="file")
        return LastLook(frame, self.tags, self.file, (self.surface, outline), lens)

    def lay_strip(self, at: Any, turn: float, length: float = 8.0) -> None:
        """Lays the strip with its middle at a place."""
        self.strip = True
        for end, way in zip(ENDS, (-0.5, 0.5), strict=True):
            here = Pose(float(at[0]), float(at[1]), turn).compose(Pose(way * length, 0.0))
            self.source.put(end.name, here)

    def lay(self, size: tuple[float, float] | None, at: Any = (0.0, 0.0), turn: float = 0.0) -> None:
        self.source.lay_paper(size, Pose(float(at[0]), float(at[1]), turn))


@pytest.fixture
def table() -> Iterator[Table]:
    scene = named_scene("first")
    # A second passes with every look at the clock, however busy this machine is.
    ticks = count(1.0)
    bare = replace(scene, pieces=ENDS, start={})
    source = SimulatedTable(bare, clock=lambda: next(ticks), sleep=lambda _: None)
    yield Table(source, parse_table(TEXT), true_surface())
    source.close()


def asked(watch: CheckWatch, table: Table) -> list[tuple[float, float]]:
    """The middles of the marked areas, inches."""
    spots = watch.view(table.look(), True).spots
    middles = [table.surface.table_from_image(np.array(s.outline)).mean(axis=0) for s in spots]
    return [(float(x), float(y)) for x, y in middles]


def until(watch: CheckWatch, table: Table, wanted: int, notices: tuple[str, ...] = ()) -> KeptCheck | None:
    """Looks until so many places are measured."""
    for _ in range(6):
        look = table.look()
        done = watch.look(look, notices)
        view = watch.view(look, True)
        if done is not None or sum(s.done for s in view.spots) >= wanted:
            return done
    raise AssertionError(view.words)


def checked(
    table: Table, size: tuple[float, float] = (8.5, 11.0), notices: tuple[str, ...] = ()
) -> KeptCheck:
    """A whole check with one sheet."""
    watch = CheckWatch(lambda: datetime(2026, 11, 23, 16, 0))
    watch.begin(table.look())
    for n, at in enumerate(asked(watch, table)):
        table.lay(size, (at[0] + 1.0, at[1] - 0.7), 0.3 * n)
        done = until(watch, table, n + 1, notices)
    assert done is not None
    assert not watch.view(table.look(), True).running
    return done


@pytest.mark.parametrize(("paper", "size"), [("letter", (8.5, 11.0)), ("a4", A4)])
def test_a_sheet_of_known_paper_agrees_with_a_table_known_exactly(
    table: Table, paper: str, size: tuple[float, float]
) -> None:
    kept = checked(table, size)
    assert (kept.verdict, kept.paper, kept.made) == ("agrees", paper, "2026-11-23 16:00")
    for place in kept.places:
        assert place.short_in[0] == pytest.approx(size[0], abs=0.03)
        assert place.long_in[0] == pytest.approx(size[1], abs=0.03)
        assert abs(place.square_deg[0]) < 0.3
    assert "All 3 places agree" in kept.words


def strip_checked(table: Table, length: float = 8.0) -> KeptCheck:
    """A whole check with a strip, along, across and askew."""
    watch = CheckWatch(lambda: datetime(2026, 11, 23, 16, 0))
    watch.begin(table.look())
    watch.strip_is(length)
    for n, at in enumerate(asked(watch, table)):
        table.lay_strip((at[0] + 0.6, at[1] - 0.7), 0.8 * n, length)
        done = until(watch, table, n + 1)
    assert done is not None
    return done


@pytest.mark.parametrize("length", [8.0, pytest.param(12.0, marks=deep)])
def test_a_strip_of_known_length_agrees_and_is_kept_as_a_sheet_is(table: Table, length: float) -> None:
    kept = strip_checked(table, length)
    assert (kept.verdict, kept.paper, kept.strip_in) == ("agrees", "strip", (length, 0.04))
    assert "All 3 places agree" in kept.words
    assert "By the strip, lengths come out" in kept.words
    for place in kept.places:
        assert place.length_in is not None
        assert place.length_in[0] == pytest.approx(length, abs=0.03)
        assert 0.04 < place.length_in[1] < 0.08
    # It is read back from the table file, shown with its 95 %, and told.
    look = table.look()
    table.file = parse_table(with_check(TEXT, kept))
    assert table.file.check == kept
    view = CheckWatch().view(table.look(), True)
    assert view.kept is not None
    assert (view.kept.strip_in, view.kept.out_of_date) == (length, "")
    for told in view.places:
        (one,) = told.lengths
        assert (one.what, one.true_in, one.inside, told.square_deg) == ("length", length, True, None)
        assert one.sure_in == pytest.approx(1.96 * 0.045, abs=0.04)
    assert look.frame is not None
    facts = examine([look.frame], table.file, lambda _: look.lens).facts
    assert f"checked with a strip of {length:.2f} in, 2026-11-23 16:00: it agreed." in " ".join(facts)


def test_a_strip_tells_a_table_that_is_too_large(table: Table) -> None:
    table.surface = replace(table.surface, translation=table.surface.translation * 1.03)
    kept = strip_checked(table, 12.0)
    assert kept.verdict == "differs"
    assert "does not agree with the strip" in kept.words
    assert "its length of 12.00 in measures 12.3" in kept.words
    assert "All lengths come out too long alike" in kept.words
    assert kept.scale[0] == pytest.approx(0.03, abs=0.003)


def test_a_strip_in_view_is_known_by_its_tags_and_asks_for_its_length(table: Table) -> None:
    watch = CheckWatch()
    watch.begin(table.look())
    near, middle, _ = asked(watch, table)
    assert not watch.view(table.look(), True).strip.seen
    table.lay_strip(near, 0.4)
    for _ in range(3):
        watch.look(table.look())
    view = watch.view(table.look(), True)
    assert "A check strip is in view (tags 50 and 51)" in view.words
    assert (view.strip.seen, view.strip.length_in, view.places) == (True, None, [])
    with pytest.raises(SetupError, match="say how long the strip is"):
        watch.strip_is(None)
    # A length that cannot be meant is told with what it looks like, and measures nothing.
    watch.strip_is(12.0)
    for _ in range(3):
        watch.look(table.look())
    assert "The strip's tags look 8.0 in apart, not 12" in watch.view(table.look(), True).words
    watch.strip_is(8.0)
    until(watch, table, 1)
    assert "Now lay the same strip" in watch.view(table.look(), True).words
    # Begun with a strip, a sheet tells nothing.
    table.lay((8.5, 11.0), middle)
    for end in ENDS:
        table.source.lift(end.name)
    for _ in range(3):
        watch.look(table.look())
    view = watch.view(table.look(), True)
    assert "The first place was measured with a strip: use it everywhere." in view.words
    assert [s.done for s in view.spots] == [True, False, False]


def test_the_same_table_two_percent_off_is_told_with_what_to_look_at(table: Table) -> None:
    # Known as exactly as before, but everything is taken for larger than it is.
    table.surface = replace(table.surface, translation=table.surface.translation * 1.02)
    kept = checked(table)
    assert kept.verdict == "differs"
    assert "All lengths come out too long alike" in kept.words
    assert "printed size of the corner tags" in kept.words
    assert kept.scale[0] == pytest.approx(0.02, abs=0.003)


def test_one_place_after_the_other_is_asked_for_and_nothing_is_taken_that_moves(table: Table) -> None:
    watch = CheckWatch()
    look = table.look()
    watch.begin(look)
    assert "by the near left corner" in watch.view(look, True).words
    near, middle, far = asked(watch, table)
    table.lay((8.5, 11.0), (middle[0] + 9.0, middle[1] - 9.0))
    watch.look(table.look())
    assert "middle must be in the marked area" in watch.view(look, True).words
    for step in range(3):
        table.lay((8.5, 11.0), (near[0] + 0.5 * step, near[1]))
        watch.look(table.look())
        assert "leave the sheet where it is" in watch.view(look, True).words
        assert watch.view(look, True).places == []
    until(watch, table, 1)
    view = watch.view(look, True)
    assert ("Measured 1 of 3" in view.words, "in the middle" in view.words) == (True, True)
    assert [p.where for p in view.places] == ["by the near left corner"]
    # Another paper in the next place tells nothing of the first one's.
    table.lay(A4, middle)
    for _ in range(3):
        watch.look(table.look())
    assert "another paper" in watch.view(look, True).words
    # Whoever lays it in the last place first has that one measured.
    table.lay((8.5, 11.0), far)
    until(watch, table, 2)
    assert [s.done for s in watch.view(look, True).spots] == [True, False, True]
    watch.stop()
    assert watch.look(table.look()) is None
    assert watch.view(look, True).spots == []


def test_a_camera_that_moves_meanwhile_begins_the_check_anew(table: Table) -> None:
    watch = CheckWatch()
    watch.begin(table.look())
    table.lay((8.5, 11.0), asked(watch, table)[0])
    until(watch, table, 1)
    look = table.look()
    shifted = tuple(replace(d, corners=d.corners + 4.0) for d in look.detections)
    watch.look(replace(look, detections=shifted))
    assert not any(s.done for s in watch.view(look, True).spots)


def test_there_must_be_a_table_first() -> None:
    with pytest.raises(SetupError, match="keep the table first"):
        CheckWatch().begin(LastLook(None, (), None, None))


def test_what_the_referee_finds_wrong_is_told_whatever_the_sheet_says(table: Table) -> None:
    kept = checked(table, notices=("corner tag 2 lies 1.00 in from its stated place",))
    assert kept.verdict == "differs"
    assert kept.words.startswith(
        "What is stated of the table contradicts what the camera sees: corner tag 2 lies"
    )
    assert "The sheet agrees with what the camera makes of it" in kept.words


def test_it_holds_until_sizes_lens_or_camera_are_others_and_the_doctor_tells_of_it(table: Table) -> None:
    kept = checked(table)
    look = table.look()
    assert out_of_date(kept, table.file, look) == ""
    table.file = parse_table(with_check(TEXT, kept))
    assert out_of_date(kept, table.file, table.look()) == ""
    assert "sizes" in out_of_date(kept, parse_table(TEXT.replace("2.4", "2.5")), look)
    assert look.lens is not None
    other = replace(look, lens=replace(look.lens, dist=look.lens.dist + 0.01))
    assert "lens" in out_of_date(kept, table.file, other)
    assert look.frame is not None
    moved = tuple(replace(d, corners=d.corners + 0.02 * look.frame.size[0]) for d in look.detections)
    assert "was moved" in out_of_date(kept, table.file, replace(look, detections=moved))
    # A hand over a tag is no change.
    assert out_of_date(kept, table.file, replace(look, detections=look.detections[1:])) == ""
    # The doctor tells of it, too.
    frame = look.frame

    def facts(text: str) -> str:
        return " ".join(examine([frame], parse_table(text), lambda _: look.lens).facts)

    assert "checked with a sheet of paper, 2026-11-23 16:00: it agreed." in facts(with_check(TEXT, kept))
    old = with_check(TEXT.replace("2.4", "2.41"), kept)
    assert "it agreed, but its sizes, corner tags or lens were changed since" in facts(old)


def test_a_scale_that_a_sheet_has_set_is_not_proven_by_a_sheet() -> None:
    drawn, rng = drawn_table(1)
    proof = drawn.check(rng)
    by_sheet = parse_table(TEXT + MEASURED + 'scale_by = "sheet"\n')
    said = verdict_of(proof, by_sheet, ["a", "b", "c"], {}, False)
    assert said[0] == "agrees"
    assert "not that they are right" in said[1]
    by_ruler = parse_table(TEXT + MEASURED + 'scale_by = "length"\n')
    assert "not that they are right" not in verdict_of(proof, by_ruler, ["a", "b", "c"], {}, False)[1]


def test_what_is_wrong_in_one_place_names_the_nearest_corner_tag_and_the_place() -> None:
    drawn, rng = drawn_table(1)
    proof = drawn.check(rng, LETTER)
    off = proof.errors.copy()
    off[2, 1] += 0.6
    tags = {n: np.array(at) for n, at in enumerate([(0.0, 0.0), (43.6, 0.0), (42.1, 41.3), (-1.2, 39.4)])}
    wheres = ["near left", "in the middle", "by the far right corner"]
    verdict, words = verdict_of(replace(proof, errors=off), parse_table(TEXT), wheres, tags, True)
    assert verdict == "differs"
    assert "Worst by the far right corner: its long side of 11.00 in measures 11." in words
    assert "Look first at corner tag 2, the nearest" in words
    assert "nobody has calibrated it yet" in words


def test_edges_that_are_seen_badly_are_too_unsure_to_tell() -> None:
    drawn, rng = drawn_table(1)
    proof = replace(drawn.check(rng), blurred=(False, True, False))
    verdict, words = verdict_of(proof, parse_table(TEXT), ["here", "in the middle", "there"], {}, False)
    assert verdict == "unsure"
    assert "Too unsure to tell: in the middle the edges" in words


def test_places_are_in_the_picture_and_beside_the_corner_tags() -> None:
    surface, outline = true_surface(), parse_table(TEXT).surface.outline
    tags = [np.array(at) for at in ((0.0, 0.0), (43.6, 0.0), (42.1, 41.3), (-1.2, 39.4))]
    spots = spots_on(surface, outline, tags, surface.lens.size)
    assert math.dist(spots[1].at, outline.mean(axis=0)) < 1e-9
    for spot in spots:
        marked = spot.outline(surface)
        assert (marked > 0).all()
        assert (marked < np.array(surface.lens.size)).all()
        assert min(math.dist(spot.at, tag) for tag in tags) > 9.0


STRIP_TEXT = "format = 1\n[surface]\nsize_in = [49.0, 46.5]\n" + "".join(
    f"[[corner]]\ntag = {n}\nsize_in = 2.4\n" for n in range(4)
)
TABLE = parse_table(STRIP_TEXT)
SIZES_MEASURED = Accuracy(print_scale=0.0015)
SEEDS, DRAWS = 100, volume(8, 20)


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


def strip_laid_thrice(drawn: Drawn, rng: np.random.Generator, length: float = 8.0) -> SheetProof:
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
    in_play = parse_table(STRIP_TEXT + piece + outline)
    assert taken_tags(in_play) == [51]
    assert laid_strip(seen, in_play, true_surface()) is None


def test_good_tables_agree_as_often_as_is_stated() -> None:
    for accuracy, stated in ((Accuracy(), False), (SIZES_MEASURED, True)):
        blamed, inside = 0, []
        for seed in range(SEEDS):
            drawn, rng = drawn_table(seed, accuracy, stated=stated)
            proof = strip_laid_thrice(drawn, rng)
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
        for seed in range(DRAWS):
            drawn, rng = drawn_table(seed, SIZES_MEASURED, scale=scale)
            blames.append(strip_laid_thrice(drawn, rng, length).blame[0])
        told[length] = DRAWS - blames.count("none")
        assert blames.count("scale") >= told[length] - 2
    assert told[12.0] >= DRAWS - 1
    assert told[12.0] >= told[8.0] >= 0.75 * DRAWS


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
