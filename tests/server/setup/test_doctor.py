"""What `tableref doctor` says of good and bad pictures of a table."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.lens.model import guess_lens
from calibration.tablefile import TableFile, load_table, parse_table
from engine.errors import TableRefError
from engine.space.geometry import Region
from server.commands.cli import app
from server.pipeline.photo import look_at
from server.setup.doctor import DAMAGED_WORDS, examine, pictures_of
from tests.volume import volume
from vision.frame import Detection, Frame, Image
from vision.source import Source, SourceEnded, open_source
from vision.tags.pattern import aruco_dictionary
from vision.tags.reading import TagReader
from vision.tags.unnamed import unnamed_words


@pytest.fixture(scope="module")
def table(samples: Path) -> TableFile:
    return load_table(samples / "opening-round" / "table.toml")


@pytest.fixture(scope="module")
def still(samples: Path) -> Image:
    source = open_source(str(samples / "opening-round" / "opening-round.mp4"))
    image = source.read().image
    source.close()
    return image


@pytest.fixture(scope="module")
def found(still: Image, table: TableFile) -> list[Detection]:
    """The tags of the good picture, read once."""
    return TagReader.of(table.keys).read_all(Frame(still, 0.0, 0))


def complaints(
    image: Image, table: TableFile | None, found: list[Detection] | None = None
) -> tuple[str, ...]:
    """What is said of a picture, whose tags are read unless they have been `found` already."""
    read = None if found is None else lambda _: found
    return examine([Frame(image, 0.0, 0)], table, read=read).complaints


def test_of_a_tag_of_another_size_its_black_square_is_to_be_measured(
    still: Image, samples: Path, found: list[Detection]
) -> None:
    """A tag of 0.9 inch that is taken for one of 0.75 looks as if it sat much higher."""
    folder = samples / "opening-round"
    text = (folder / "table.toml").read_text(encoding="utf-8")
    one = parse_table(text.replace("tag_size_in = 0.9\n", "tag_size_in = 0.75\n", 1), folder=folder)
    told = examine([Frame(still, 0.0, 0)], one, read=lambda _: found)
    assert any("measure how high it sits, and its black square" in words for words in told.complaints)


@pytest.mark.parametrize(
    ("size", "says"),
    [
        (6.1, "The corner tags do not fit together, by .*measure their black squares"),
        (2.6, "measure again how high the roof tags sit, and the black squares of roof and corner tags"),
    ],
)
def test_corner_tags_of_another_size_are_not_said_to_fit(
    still: Image, found: list[Detection], size: float, says: str
) -> None:
    """They are 2.4 inches large, 6.1 in centimetres, and nobody measured where they lie."""
    corners = "".join(f"[[corner]]\ntag = {k}\nsize_in = {size}\n" for k in range(4))
    cars = "".join(
        f'[[piece]]\nname = "Car {k}"\nkind = "car"\nmodel = "sedan"\ntag = {k}\ntag_size_in = 0.9\n'
        for k in (10, 11, 12, 13)
    )
    table = parse_table("format = 1\n[table]\n[surface]\nsize_in = [48.0, 48.0]\n" + corners + cars)
    told = examine([Frame(still, 0.0, 0)], table, read=lambda _: found)
    assert any(re.search(says, words) for words in told.complaints), told.complaints
    assert not any("fit their places" in fact for fact in told.facts)


def test_a_good_picture_is_well(still: Image, table: TableFile) -> None:
    well = examine([Frame(still, 0.0, 0)], table)
    assert well.healthy
    assert any("tags read" in fact for fact in well.facts)
    assert any("fit their places" in fact for fact in well.facts)
    assert any("pixels per module; 1.5 are needed." in fact for fact in well.facts)
    assert complaints(still, None) == ()
    # Nobody has named a tag where there is no table: then more pixels are needed.
    new = examine([Frame(still, 0.0, 0)], None)
    assert any("2.2 are needed to find a new tag, 1.5 once it is named." in fact for fact in new.facts)


def test_a_corner_tag_out_of_place_is_named_with_its_distance(
    still: Image, table: TableFile, found: list[Detection]
) -> None:
    corners = [c if c.tag != 3 else replace(c, at=(c.at[0] + 0.3, c.at[1])) for c in table.corners]
    said = complaints(still, replace(table, corners=tuple(corners)), found)
    assert len(said) == 1
    assert "Corner tag 3 lies 0.29" in said[0]


@pytest.mark.parametrize(("level", "why"), [(255, "glare lies on it"), (120, "it is covered")])
def test_a_corner_tag_that_is_not_read(
    level: int, why: str, still: Image, table: TableFile, found: list[Detection]
) -> None:
    spoilt = still.copy()
    x, y = corner_in(found, 2)
    cv2.circle(spoilt, (round(x), round(y)), 34, (level, level, level), -1)
    said = complaints(spoilt, table)
    assert [s for s in said if s.startswith("Corner tag 2 is not read") and why in s]


def corner_in(found: list[Detection], tag: int) -> tuple[float, float]:
    """Where a corner tag is seen, pixels."""
    x, y = next(d.centre for d in found if d.tag == tag)
    return float(x), float(y)


def test_a_lens_that_is_guessed_or_of_another_resolution(
    still: Image, table: TableFile, found: list[Detection]
) -> None:
    assert any("lens is not calibrated" in s for s in complaints(still, replace(table, lens=None), found))
    other = replace(table, lens=guess_lens((1280, 720)))
    said = complaints(still, other, found)
    assert [s for s in said if "calibrated at 1280x720" in s and "1920x1080" in s]


def test_a_kept_lens_counts(still: Image, table: TableFile) -> None:
    bare = replace(table, lens=None)
    assert examine([Frame(still, 0.0, 0)], bare, kept=lambda _: table.lens).healthy


def test_a_piece_whose_tag_this_camera_cannot_read(still: Image, table: TableFile) -> None:
    extra = table.pieces[0]
    assert extra.mount is not None
    tiny = replace(extra, name="Tiny", mount=replace(extra.mount, tag=99, size=0.5))
    said = complaints(still, replace(table, pieces=(*table.pieces, tiny)))
    assert [s for s in said if "Tiny's tag would have only 1." in s]


def test_a_tag_that_the_table_file_does_not_name_is_told(still: Image, table: TableFile) -> None:
    gone, *rest = (p for p in table.pieces if p.mount is not None)
    assert gone.mount is not None
    said = complaints(still, replace(table, pieces=tuple(rest)))
    assert said == (unnamed_words([("tag36h11", gone.mount.tag)]),)


def test_without_a_table_all_is_not_well_with_one_tag(still: Image, found: list[Detection]) -> None:
    """A picture that shows but one corner tag, and one that shows a car alone."""
    for corner, words in ((0, "only 0 found"), (None, "No corner tags found")):
        spoilt = still.copy()
        for tag in range(4):
            if tag != corner:
                x, y = corner_in(found, tag)
                cv2.circle(spoilt, (round(x), round(y)), 60, (128, 128, 128), -1)
        seen = examine([Frame(spoilt, 0.0, 0)], None)
        (said,) = seen.complaints
        assert words in said
        assert any("what carries tags 10, " in fact for fact in seen.facts)


def test_no_tag_at_all(table: TableFile) -> None:
    grey = np.full((480, 640, 3), 150, np.uint8)
    assert any("No tag of this table is read" in s for s in complaints(grey, table))
    assert any("very dark" in s for s in complaints(grey // 10, None))
    assert any("burnt white" in s for s in complaints(np.full_like(grey, 255), None))


def test_a_live_picture_that_stands_still_is_noticed(still: Image, found: list[Detection]) -> None:
    def said(frames: list[Frame], *, live: bool = True) -> str:
        return " ".join(examine(frames, None, live=live, read=lambda _: found).complaints)

    frames = [Frame(still, float(k), k) for k in range(3)]
    assert "stands still" not in said(frames, live=False)
    assert said(frames).startswith("The picture stands still")
    assert "stands still" not in said([Frame(np.roll(still, k, axis=0), float(k), k) for k in range(3)])


def test_no_picture_is_an_error() -> None:
    with pytest.raises(TableRefError, match="at least one picture"):
        examine([], None)


def test_a_folder_is_read_to_its_end_and_no_further(tmp_path: Path) -> None:
    for k in range(3):
        cv2.imwrite(str(tmp_path / f"{k}.png"), np.full((20, 30), 50 * k, np.uint8))
    assert len(pictures_of(open_source(str(tmp_path)), 9)) == 3
    assert len(pictures_of(open_source(str(tmp_path)), 2)) == 2


class Filmed(Source):
    """A video of which these pictures are damaged."""

    name, live, notice = "clip.mp4", False, None

    def __init__(self, image: Image, film: str) -> None:
        """Of each letter a picture: `x` is damaged, `b` is black."""
        black = np.zeros_like(image)
        self.frames = [
            Frame(black if c == "b" else image, k / 10, k, damaged=c == "x") for k, c in enumerate(film)
        ]

    def read(self) -> Frame:
        if not self.frames:
            raise SourceEnded
        return self.frames.pop(0)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(("film", "looked_at", "told"), [("xx..x.", "...", False), ("xxx", "x", True)])
def test_of_a_damaged_video_whole_pictures_are_looked_at(
    film: str, looked_at: str, told: bool, still: Image, table: TableFile, found: list[Detection]
) -> None:
    frames = pictures_of(Filmed(still, film), 3)
    assert "".join("x" if f.damaged else "." for f in frames) == looked_at
    complaints = examine(frames, table, read=lambda _: found).complaints
    assert (DAMAGED_WORDS in complaints) == told


@pytest.mark.parametrize(("film", "looked_at"), [("bbb..b.", "..."), ("bb", "b"), ("bx.", ".")])
def test_of_a_video_that_begins_black_it_is_looked_at_what_comes_then(
    film: str, looked_at: str, still: Image
) -> None:
    frames = pictures_of(Filmed(still, film), 3)
    assert "".join("." if f.image.any() else "b" for f in frames) == looked_at


def test_the_command_says_it_and_its_code_tells(still: Image, samples: Path, tmp_path: Path) -> None:
    good, dark = tmp_path / "good.png", tmp_path / "dark.png"
    cv2.imwrite(str(good), still)
    cv2.imwrite(str(dark), (still * 0.22).astype(np.uint8))
    table = str(samples / "opening-round" / "table.toml")
    run = CliRunner()
    well = run.invoke(app, ["doctor", "--source", str(good), "--table", table])
    assert (well.exit_code, "All is well." in well.output) == (0, True)
    ill = run.invoke(app, ["doctor", "--source", str(dark), "--table", table])
    assert ill.exit_code == 1
    assert "too dark" in ill.output


def test_a_bundle_names_nobody_and_shows_the_same_doubts(still: Image, samples: Path, tmp_path: Path) -> None:
    """What is handed on can be looked at again, and does not say who plays, with what, on whose computer."""
    home = tmp_path / "home" / "roberta"
    home.mkdir(parents=True)
    photo, file, out = home / "photo.png", home / "table.toml", tmp_path / "new" / "out.zip"
    cv2.imwrite(str(photo), (still * 0.22).astype(np.uint8))
    text = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    for old, new in (("Opening round", "Roberta's cellar"), ("Red 1", "Roberta's Wolf"), ("Red", "Roberta")):
        text = text.replace(f'"{old}"', f'"{new}"')
    file.write_text("# Roberta laid this out\n" + text, encoding="utf-8")
    run = CliRunner()
    asked = ["--source", str(photo), "--table", str(file)]
    assert run.invoke(app, ["doctor", *asked, "--bundle", str(out)]).exit_code == 1
    archive = zipfile.ZipFile(out)
    assert set(archive.namelist()) == {
        "README.txt", "picture.png", "table.toml", "lens.json", "findings.txt", "about.json",
    }  # fmt: skip
    for name in archive.namelist():
        if not name.endswith(".png"):
            assert "roberta" not in archive.read(name).decode().casefold(), name
    again = tmp_path / "again"
    archive.extractall(again)
    (before,) = open_source(str(photo)).read().image[None]
    assert np.array_equal(open_source(str(again / "picture.png")).read().image, before)
    said, known = archive.read("findings.txt").decode(), load_table(again / "table.toml")
    assert "too dark" in said
    assert {"Car 1", "Terrain 1"} <= {piece.name for piece in known.pieces}
    assert known.lens_for((1920, 1080)).K.tolist() == load_table(file).lens_for((1920, 1080)).K.tolist()
    cv2.imwrite(str(photo), cv2.resize(still, None, fx=0.5, fy=0.5))
    half = run.invoke(app, ["doctor", *asked, "--bundle", str(tmp_path / "half.zip")])
    assert "calibrated at 1920x1080 pixels but the picture has 960x540" in half.output
    assert "lens.json" in zipfile.ZipFile(tmp_path / "half.zip").namelist(), "just then it is wanted"
    bare = run.invoke(app, ["doctor", "--source", str(photo), "--bundle", str(tmp_path / "bare.zip")])
    assert "without names" in bare.output


def test_a_real_table_laid_by_hand_is_not_accused_of_more_than_its_lens(shared: Path, samples: Path) -> None:
    hand_laid = load_table(samples / "overhead-table-1" / "table.toml")
    source = open_source(str(shared / "photos" / "overhead-table-1" / "frame_00.jpg"))
    said = examine([source.read()], hand_laid).complaints
    assert len(said) == 1
    assert "lens is not calibrated" in said[0]


def test_a_mirrored_picture_is_told(still: Image, table: TableFile) -> None:
    mirrored = np.ascontiguousarray(still[:, ::-1])
    for known in (None, table):
        (said,) = complaints(mirrored, known)
        assert said.startswith("The picture is mirrored")


def test_a_piece_that_is_not_read_is_not_well(still: Image, table: TableFile, found: list[Detection]) -> None:
    shining = still.copy()
    x, y = corner_in(found, 10)
    cv2.circle(shining, (round(x) + 6, round(y) + 4), 9, (255, 255, 255), -1)
    ill = examine([Frame(shining, 0.0, 0)], table)
    assert (ill.healthy, ill.unread) == (False, ("Red 1",))
    # One good picture among several is enough.
    assert examine([Frame(shining, 0.0, 0), Frame(still, 0.1, 1)], table).healthy


def test_a_wide_allowance_does_not_hide_a_misfit(
    still: Image, table: TableFile, found: list[Detection]
) -> None:
    there = {0: (0.0, 0.0), 1: (47.5, 0.5), 2: (45.0, 47.0), 3: (-1.0, 46.5)}
    loose = tuple(replace(c, at=there[c.tag], turn=None, sd=3.0) for c in table.corners)
    said = " ".join(complaints(still, replace(table, corners=loose), found))
    assert "in from their stated places" in said


def test_a_table_smaller_than_its_corner_tags_is_told(
    still: Image, table: TableFile, found: list[Detection]
) -> None:
    (said,) = complaints(still, replace(table, surface=Region.rectangle(0.0, 0.0, 4.8, 48.0)), found)
    assert "a table of 4.8 x 48 in, but its corner tags lie 46 x 46 in apart: correct" in said


def test_a_table_far_larger_than_its_corner_tags_is_told_by_doctor_and_locate(
    still: Image, table: TableFile, found: list[Detection], tmp_path: Path
) -> None:
    """A slip by a factor of ten passed without a word."""
    large = replace(table, surface=Region.rectangle(0.0, 0.0, 480.0, 48.0))
    (said,) = complaints(still, large, found)
    assert said == (
        "The set-up states a table of 480 x 48 in, but its corner tags lie 46 x 46 in apart; far beyond them "
        "little is measured surely: correct size_in under [surface], or lay the tags near the table's "
        "corners."
    )
    photo = tmp_path / "table.png"
    cv2.imwrite(str(photo), still)
    assert said.rstrip(".") in look_at(photo, large).warnings
    assert complaints(still, replace(table, surface=Region.rectangle(0.0, 0.0, 90.0, 60.0)), found) == ()


def test_the_command_tells_a_game_that_is_not_there(still: Image, samples: Path, tmp_path: Path) -> None:
    photo, file = tmp_path / "good.png", tmp_path / "table.toml"
    cv2.imwrite(str(photo), still)
    text = (samples / "opening-round" / "table.toml").read_text()
    file.write_text(text.replace("white-line-fever", "no such game"))
    done = CliRunner().invoke(app, ["doctor", "--source", str(photo), "--table", str(file)])
    assert (done.exit_code, "no game called 'no such game'" in done.output) == (1, True)


def test_a_roof_tag_that_is_stated_to_lie_flat_is_told(
    still: Image, table: TableFile, found: list[Detection]
) -> None:
    first, *rest = table.pieces
    assert first.mount is not None
    low = replace(first, mount=replace(first.mount, height=0.0))
    (said,) = complaints(still, replace(table, pieces=(low, *rest)), found)
    assert said.startswith("Red 1's tag looks 1.0 in above the table")


def test_deviations_with_which_nothing_can_be_ruled_are_told(
    still: Image, table: TableFile, found: list[Detection]
) -> None:
    assert "apart is known to ±" in " ".join(complaints(still, replace(table, checked=3.0), found))


@pytest.mark.parametrize("tag", [99, 100, 300, 586])
def test_every_tag_of_the_family_is_found_with_a_table_and_without(tag: int, table: TableFile) -> None:
    image = np.full((480, 640, 3), 235, np.uint8)
    drawn = cv2.aruco.generateImageMarker(aruco_dictionary("tag36h11"), tag, 96)
    image[180:276, 260:356] = drawn[..., None]
    found = examine([Frame(image, 0.0, 0)], None)
    assert found.facts[0] == "1 tag read in the best of 1 picture."
    assert any(f"what carries tag {tag}:" in fact for fact in found.facts)
    assert examine([Frame(image, 0.0, 0)], table).unnamed == {("tag36h11", tag)}


def test_a_tag_that_is_in_view_twice_is_told_and_belongs_to_nobody(
    still: Image, table: TableFile, found: list[Detection]
) -> None:
    corners = next(d.corners for d in found if d.tag == 10)
    (x0, y0), (x1, y1) = (np.rint(f(corners, axis=0)).astype(int) for f in (np.min, np.max))
    copied = still.copy()
    copied[40 : 60 + y1 - y0, 40 : 60 + x1 - x0] = still[y0 - 10 : y1 + 10, x0 - 10 : x1 + 10]
    said = examine([Frame(copied, 0.0, 0)], table)
    assert [words for words in said.complaints if words.startswith("Two tags 10 are in view")]
    assert said.unread == (), "it is read, and twice"


def test_doctor_and_locate_read_the_same_pieces(still: Image, table: TableFile, tmp_path: Path) -> None:
    """Of small tags too: what a second look finds in the one, the other must not call unread."""
    bare = replace(table, lens=None)
    reads = []
    # Of the wider picture all is read at the first look.
    for width in (1280, 880)[volume(1, 0) :]:
        small = cv2.resize(still, (width, width * 9 // 16), interpolation=cv2.INTER_AREA)
        cv2.imwrite(str(tmp_path / "small.png"), small)
        found = examine([Frame(small, 0.0, 0)], bare)
        assert found.unread == look_at(tmp_path / "small.png", bare).missing
        counted = f"{len(table.keys) - len(found.unread)} tags read in the best of 1 picture."
        assert found.facts[0] == counted
        assert re.match(r"The smallest has [01]\.\d pixels .* 1\.5 are needed", found.facts[1])
        for name in {p.name for p in table.pieces} - set(found.unread):
            assert not any(words.startswith(f"{name}'s tag would have only") for words in found.complaints)
        first = {d.tag for d in TagReader.of(table.keys).read_all(Frame(small, 0.0, 0))}
        reads.append(len(table.keys) - len(first) - len(found.unread))
    assert max(reads) > 0, "none of these pictures needed the second look"
