from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from shapely import Point, Polygon

from calibration.lens.model import guess_lens
from calibration.lens.target import read_grey
from calibration.surface import SurfaceError
from calibration.tablefile import TableFile, load_table, parse_table
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.pieces import Spot
from engine.space.table import hull_of
from server.formats.terminal import line
from server.pipeline.json_records import look_record
from server.pipeline.photo import PhotoError, PhotoReading, look_at, open_picture, tag_thing, things_words
from server.table.batch import rule_clip
from server.table.questions.rulings import Rulings
from tests.crowd import crowded_scene
from vision.frame import Image
from vision.places import seen_outline
from vision.simulate.live import ScriptedTable
from vision.simulate.scenes import default_scene
from vision.source import SourceRefused, open_source


def test_a_real_photograph_puts_the_tag_where_it_lies(shared: Path, samples: Path) -> None:
    """Border markers by hand, lens unknown: within 0.10 inch, with a deviation that admits it."""
    table = load_table(samples / "overhead-table-1" / "table.toml")
    look = look_at(shared / "photos" / "overhead-table-1" / "frame_00.jpg", table)
    record = look_record(look)
    assert record["consistent"]
    assert 0.0 < record["chi_square"] < 3.0 * record["freedom"]
    assert all({"kind", "tags", "stated", "found", "words"} <= d.keys() for d in record["doubts"])
    (tag,) = record["pieces"]
    error = math.hypot(tag["tag_x_in"], tag["tag_y_in"])
    assert error <= 0.10
    assert error <= 2.5 * tag["sd_xy_in"]
    # Eight hand-placed markers leave a millimetre or two; claiming less would be a lie, more useless.
    assert 0.02 <= tag["sd_xy_in"] <= 0.10
    assert record["surface"]["lens"] == "guess"
    assert "guessed" in record["surface"]["note"]
    assert len(look.surface.misfits) == 8


@pytest.fixture(scope="module")
def still(shared: Path) -> Path:
    return shared / "renders" / "opening-round" / "still_0036.jpg"


@pytest.fixture(scope="module")
def table(samples: Path) -> TableFile:
    return load_table(samples / "opening-round" / "table.toml")


@pytest.fixture(scope="module")
def look(still: Path, table: TableFile) -> PhotoReading:
    """What the still shows of the table as its file states it."""
    return look_at(still, table)


def test_what_carries_no_tag_stands_in_a_photograph_where_it_was_outlined_or_leaves_answers_open(
    still: Path, table: TableFile, look: PhotoReading, tmp_path: Path
) -> None:
    crate = look.table.find("Crate")
    spot = Spot(crate.pose, 0.05)
    outlined = tuple(replace(p, mount=None, spot=spot) if p.name == "Crate" else p for p in table.pieces)
    told = replace(table, pieces=outlined)
    found = look_at(still, told)
    assert "Crate" not in found.missing
    stands = found.table.find("Crate")
    assert stands.pose == crate.pose
    assert found.table.unplaced == ()
    # Pushed half an inch since, it is told as that unsure; and where it stands, as surely as it is seen.
    moved = replace(told, pieces=tuple(
        replace(p, spot=Spot(Pose(crate.pose.x + 0.5, crate.pose.y, crate.pose.heading), 0.05))
        if p.name == "Crate" else p for p in outlined
    ))  # fmt: skip
    here, beside = (
        float(np.sqrt(np.linalg.eigvalsh(t.find("Crate").uncertainty.total[:2, :2]).max()))
        for t in (found.table, look_at(still, moved).table)
    )
    assert 1.96 * here < 0.4
    assert 0.5 < 1.96 * beside < 1.0
    # Where the cloth shows, and where something larger lies, it does not: what it could change is open.
    image, surface = open_picture(still), found.surface
    body = Polygon(seen_outline(stands.piece, surface))
    for around, colour, name in ((0.6, None, "gone"), (2.5, (30, 30, 200), "another")):
        ring = np.rint(surface.image_from_table(np.array(body.buffer(around).exterior.coords)))
        aside = np.array(body.buffer(around + 0.6).exterior.coords)
        x, y = np.rint(surface.image_from_table(aside)).astype(int).T
        bare = np.median(image[y, x], axis=0) if colour is None else np.array(colour)
        picture = tmp_path / f"{name}.png"
        cv2.imwrite(str(picture), cv2.fillPoly(image.copy(), [ring.astype(np.int32)], bare.tolist()))
        seen = look_at(picture, told)
        assert "Crate" in seen.missing
        assert [p.name for p in seen.table.unplaced] == ["Crate"]
        assert "Crate carries no tag and is not seen where it was outlined" in seen.warnings


def test_a_rendered_still_agrees_with_its_truth(shared: Path, look: PhotoReading) -> None:
    folder = shared / "renders" / "opening-round"
    assert look.missing == ()
    assert look.warnings == ()
    truth = json.loads((folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()[36])["cars"]
    for sighting in look.sightings:
        car = truth.get(str(sighting.detection.tag))
        if car is not None:
            assert math.dist((sighting.pose.x, sighting.pose.y), (car["x"], car["y"])) < 0.02


def test_a_tag_that_the_table_file_does_not_name_is_told(still: Path, table: TableFile) -> None:
    gone = next(p for p in table.pieces if p.name == "Blue 1")
    assert gone.mount is not None
    named = replace(table, pieces=tuple(p for p in table.pieces if p is not gone))
    (words,) = look_at(still, named).warnings
    assert words.startswith(f"Tag {gone.mount.tag} is in view, and nobody said what carries it")


def test_what_nobody_named_is_found_on_a_still_and_leaves_open_what_it_could_change(
    still: Path, table: TableFile
) -> None:
    """One picture has no later one to show that a thing stays: it is there as it is."""
    mug = next(p for p in table.pieces if p.name == "Mug")
    untold = replace(table, pieces=tuple(p for p in table.pieces if p is not mug))
    known = look_at(still, table, things=True)
    pose = known.table.find("Mug").pose
    # Dice and counters lie there that are no pieces.
    assert len(known.table.things) == 7
    assert not any(t.touches(Point(pose.xy)) for t in known.table.things)
    assert not look_at(still, untold).table.things
    seen = look_at(still, untold, things=True)
    (found,) = [t for t in seen.table.things if t.touches(Point(pose.xy))]
    assert len(seen.table.things) == 8
    assert f"{found.name} at " in things_words(seen.table.things)
    # A tag that is read on what looks like the cloth is on something, too.
    there = next(d for d in known.sightings if d.piece is mug).detection
    thing = tag_thing(there, known.surface)
    assert thing.name == f"Tag {there.tag}"
    assert thing.region.polygon.contains(Point(pose.xy))


def test_a_clip_is_ruled_with_what_nobody_named_from_its_first_rest_on() -> None:
    """A sight past it is never surely clear, neither before it has stayed for long nor in a short clip."""
    scene = default_scene()
    table = parse_table(scene.to_toml(), "simulated")
    untold = replace(table, pieces=tuple(p for p in table.pieces if p.name != "Mug"))
    ends = {"Red 1": Pose(8.0, 22.0, 0.0), "Blue 1": Pose(24.0, 22.0, math.pi), "Mug": Pose(16.0, 22.3, 0.0)}
    moved = replace(scene, start=dict(scene.start) | ends)
    lines = list(rule_clip(ScriptedTable(moved, fps=5.0, seconds=1.0), untold, Rulings.by_book(None)))
    told = [r for r in lines if r["kind"] == "ruling" and r["asked"]["pieces"] == ["Red 1", "Blue 1"]]
    sights = [next(c for c in r["checks"] if c["name"] == "Line of Sight") for r in told]
    assert [c["verdict"] for c in sights] == ["too close to call"]
    assert "Thing 1 is there, and nobody has said what it is" in sights[0]["words"]
    assert [r for r in lines if r.get("event") == "camera" and r["words"].startswith("Tag 31 is in view")]
    source = ScriptedTable(moved, fps=5.0, seconds=1.0)
    plain = list(rule_clip(source, untold, Rulings.by_book(None), things=False))
    assert not any("Thing" in str(r) for r in plain)


def drawn(tmp_path: Path, change: Callable[[Image, PhotoReading], Image] | None = None) -> PhotoReading:
    """What a picture of the simulated table shows, with a car in the set-up that is not on the table."""
    table = parse_table(default_scene().to_toml(), "simulated")
    car = next(p for p in table.pieces if p.name == "Red 1")
    assert car.mount is not None
    boxed = replace(car, name="Boxed", mount=replace(car.mount, tag=400))
    table, path = replace(table, pieces=(*table.pieces, boxed)), tmp_path / "drawn.png"
    image = ScriptedTable(default_scene(), fps=5.0, seconds=1.0).read().image
    cv2.imwrite(str(path), image)
    look = look_at(path, table, things=False)
    if change is None:
        return look
    cv2.imwrite(str(path), change(image.copy(), look))
    return look_at(path, table, things=False)


def lines(look: PhotoReading, name: str) -> int:
    """How many sights between cars a piece leaves open."""
    cars = [s for s in look.table.standings if s.piece.driven]
    pairs = itertools.combinations(cars, 2)
    return sum(name in look.table.hiding_between(a, b) for a, b in pairs)


def square(look: PhotoReading, name: str, image: Image) -> tuple[Image, slice, slice]:
    """The picture of a piece's tag with a rim of paper, and its rows and columns."""
    corners = next(s for s in look.sightings if s.piece.name == name).detection.corners
    (x0, y0), (x1, y1) = np.floor(corners.min(axis=0)) - 6, np.ceil(corners.max(axis=0)) + 7
    rows, columns = slice(int(y0), int(y1)), slice(int(x0), int(x1))
    return image[rows, columns], rows, columns


def test_a_car_that_was_not_read_is_where_the_table_is_not_seen_to_be_free(tmp_path: Path) -> None:
    """It may block a sight over its place, and no other; one that is in its box blocks none here."""
    there = drawn(tmp_path)
    assert "Boxed" in there.missing
    assert lines(there, "Boxed") == 0

    def paint(image: Image, look: PhotoReading) -> Image:
        _, rows, columns = square(look, "Red 2", image)
        image[rows, columns] = (50, 43, 200)
        return image

    seen = drawn(tmp_path, paint)
    assert "Red 2" in seen.missing
    one, other = seen.table.find("Red 3"), seen.table.find("Blue 1")
    assert "Red 2" in seen.table.hiding_between(one, other)
    assert 0 < lines(seen, "Red 2") < 6
    # It may be the one in the box, too: nobody read either.
    assert lines(seen, "Boxed") == lines(seen, "Red 2")
    ruling = Rulings.by_book(None).answer(seen.table, ("Red 3", "Blue 1"), None)[1]
    assert "show Red 2 and Boxed to the camera" in ruling.check("Line of Sight").words
    # A covered mug is terrain, and may stand anywhere.
    assert not seen.table.unplaced


def test_a_piece_whose_tag_is_in_view_twice_is_there_and_one_of_the_two_has_to_go(tmp_path: Path) -> None:
    for name in ("Red 2", "Mug"):

        def twice(image: Image, look: PhotoReading, name: str = name) -> Image:
            tag, *_ = square(look, name, image)
            x, y = np.rint(look.surface.image_from_table(np.array([[22.4, 20.8]]))[0]).astype(int)
            image[y : y + tag.shape[0], x : x + tag.shape[1]] = tag
            return image

        seen = drawn(tmp_path, twice)
        assert name in seen.missing
        assert seen.table.unplaced == ()
        assert seen.table.twice == {name}
        places = [h.region.polygon for h in seen.table.hideouts if h.name == name]
        true = default_scene().start[name]
        assert len(places) == 2
        assert {p.contains(Point(true.xy)) for p in places} == {True, False}
        # What a second one at either place could change is open, and no other line.
        cars = [s for s in seen.table.standings if s.piece.driven]
        for a, b in itertools.combinations(cars, 2):
            crossed = any(p.intersects(hull_of((a.region, b.region))) for p in places)
            assert (name in seen.table.hiding_between(a, b)) == crossed
        assert 0 < lines(seen, name) < math.comb(len(cars), 2)
        past = [
            Rulings.by_book(None).answer(seen.table, (a.name, b.name), None)[1].check("Line of Sight")
            for a, b in itertools.combinations(cars, 2)
            if a.piece.owner != b.piece.owner and name in seen.table.hiding_between(a, b)
        ]
        assert not any(sight.verdict is Verdict.YES for sight in past)
        close = [sight.words for sight in past if sight.verdict is Verdict.TOO_CLOSE]
        assert close
        for words in close:
            assert f"two tags of {name} are in view" in words
            assert words.endswith(f"; take one of the two tags of {name} away")


def test_what_is_not_seen_is_missing_and_not_invented(
    still: Path, table: TableFile, look: PhotoReading, tmp_path: Path
) -> None:
    picture = cv2.imread(str(still))
    assert picture is not None
    blue = next(s for s in look.sightings if s.piece.name == "Blue 1")
    x, y = blue.detection.centre.astype(int)
    cv2.circle(picture, (int(x), int(y)), 16, (60, 110, 50), -1)
    cv2.imwrite(str(tmp_path / "covered.png"), picture)
    again = look_at(tmp_path / "covered.png", table)
    assert again.missing == ("Blue 1",)
    assert "Blue 1" not in [s.name for s in again.table.standings]


def test_a_mirrored_photograph_says_so_instead_of_missing_its_corner_tags(
    still: Path, table: TableFile, tmp_path: Path
) -> None:
    picture = cv2.imread(str(still))
    assert picture is not None
    cv2.imwrite(str(tmp_path / "mirrored.png"), picture[:, ::-1])
    with pytest.raises(PhotoError, match=r"the picture is mirrored.*turn mirroring"):
        look_at(tmp_path / "mirrored.png", table)


def test_pictures_that_cannot_be_used_say_why(samples: Path, tmp_path: Path) -> None:
    table = load_table(samples / "overhead-table-1" / "table.toml")
    with pytest.raises(PhotoError, match="cannot open the picture"):
        look_at(tmp_path / "none.jpg", table)
    (tmp_path / "text.jpg").write_text("no picture", encoding="utf-8")
    with pytest.raises(PhotoError, match="is not a picture"):
        look_at(tmp_path / "text.jpg", table)
    with pytest.raises(PhotoError, match=r"is a folder: name the pictures in it, as .*\*\.jpg"):
        look_at(tmp_path, table)
    (tmp_path / "other.png").write_bytes(cv2.imencode(".png", np.zeros((800, 600, 3), np.uint8))[1].tobytes())
    lens = guess_lens((800, 600))
    with pytest.raises(PhotoError, match=r"other\.png: .* at 800x600 .* 600x800: turn the .* by a quarter"):
        look_at(tmp_path / "other.png", replace(table, lens=lens))


HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(range(256))
JPEG = cv2.imencode(".jpg", np.random.default_rng(3).integers(0, 255, (90, 120, 3), np.uint8))[1].tobytes()


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty.jpg", b"", "is empty: copy it again"),
        ("cut.jpg", JPEG[: len(JPEG) // 2], "is damaged or was cut off: copy it again"),
        ("IMG_1.HEIC", HEIC, "is a HEIC picture, as iPhones take them.*save it as JPEG"),
        ("renamed.jpg", HEIC, "is a HEIC picture"),
    ],
)
def test_what_is_no_picture_is_told_alike_by_every_command(
    name: str, data: bytes, says: str, samples: Path, tmp_path: Path
) -> None:
    """`locate` opens a picture, `doctor` and `rule` a source."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(PhotoError, match=says):
        look_at(tmp_path / name, load_table(samples / "overhead-table-1" / "table.toml"))
    with pytest.raises(SourceRefused, match=says):
        open_source(str(tmp_path / name)).read()


def test_a_jpeg_that_a_phone_calls_heic_is_a_picture_everywhere(tmp_path: Path) -> None:
    (tmp_path / "IMG_1.HEIC").write_bytes(JPEG)
    assert open_picture(tmp_path / "IMG_1.HEIC").shape == (90, 120, 3)
    assert open_source(str(tmp_path / "IMG_1.HEIC")).read().size == (120, 90)


def test_what_cannot_be_a_table_is_told(samples: Path, tmp_path: Path) -> None:
    table = load_table(samples / "overhead-table-1" / "table.toml")
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((480, 640), 128, np.uint8))
    with pytest.raises(SurfaceError, match=r"grey\.png: the table cannot be found.*at least three"):
        look_at(tmp_path / "grey.png", table)


def turned(path: Path) -> None:
    """A 64x48 JPEG whose EXIF says that it should be shown turned by a quarter."""
    plain = cv2.imencode(".jpg", np.full((48, 64), 90, np.uint8))[1].tobytes()
    tag = b"MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
    exif = b"Exif\x00\x00" + tag
    path.write_bytes(plain[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + plain[2:])
    assert cv2.imread(str(path)).shape[:2] == (64, 48), "the mark must be one that OpenCV would obey"


def test_a_phones_this_side_up_is_ignored(tmp_path: Path) -> None:
    """The lens belongs to the sensor's pixels, whichever way the phone was held."""
    turned(tmp_path / "phone.jpg")
    assert open_picture(tmp_path / "phone.jpg").shape == (48, 64, 3)
    assert read_grey(tmp_path / "phone.jpg").shape == (48, 64)


def test_lines_are_strict_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        line({"x": math.nan})


def test_a_table_that_nobody_measured(still: Path, look: PhotoReading, samples: Path) -> None:
    """No ruler: the corner tags' places are left out of the table file, their size gives the scale."""
    text = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    bare = re.sub(r"^(at_in|turn_deg) = .*\n", "", text, flags=re.MULTILINE)
    found = look_at(still, parse_table(bare))
    for one, other in zip(look.sightings, found.sightings, strict=True):
        apart = math.dist((one.pose.x, one.pose.y), (other.pose.x, other.pose.y))
        assert apart < 0.04
        assert apart < 3 * math.sqrt(np.trace(other.uncertainty.total[:2, :2]))
    assert "printed sizes" in found.surface.note


@pytest.mark.parametrize(
    ("share", "bend", "shift"), [(0.9, 0.1, (20.0, -15.0)), (1.15, -0.07, (-12.0, 25.0))]
)
def test_under_another_cameras_lens_what_is_stated_covers_the_truth(
    still: Path, table: TableFile, look: PhotoReading, share: float, bend: float, shift: tuple[float, float]
) -> None:
    assert table.lens is not None
    K = table.lens.K * np.array([[share, 1, 1], [1, share, 1], [1, 1, 1]])
    K[:2, 2] += shift
    other = replace(table.lens, K=K, dist=table.lens.dist + np.array([bend, 0, 0, 0, 0]))
    found = look_at(still, replace(table, lens=other))
    assert any("lens" in warning for warning in found.warnings)
    assert found.table.standings
    inside = []
    for there in look.table.standings:
        here = found.table.find(there.name)
        off = np.subtract(here.pose.xy, there.pose.xy)
        assert off @ np.linalg.solve(here.uncertainty.total[:2, :2], off) < 5.991
        for one in look.table.standings:
            # Of two places what all share is the same, and so is their distance surer.
            two, far = found.table.find(one.name).uncertainty, math.dist(one.pose.xy, there.pose.xy)
            if one is not there:
                apart = math.dist(found.table.find(one.name).pose.xy, here.pose.xy) - far
                between = two.shared[:2] - here.uncertainty.shared[:2]
                total = (two.own + here.uncertainty.own)[:2, :2] + between @ between.T
                inside.append(abs(apart) < 1.96 * math.sqrt(np.linalg.eigvalsh(total).max()))
    assert np.mean(inside) >= 0.95


def test_a_corner_tag_that_is_not_where_the_file_says_is_named(still: Path, samples: Path) -> None:
    text = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    wrong = text.replace("at_in = [46.0, 46.0]", "at_in = [46.3, 46.0]")
    assert wrong != text
    (warning,) = look_at(still, parse_table(wrong)).warnings
    assert warning.startswith("corner tag 2 lies 0.3")


def test_a_single_picture_out_of_focus_is_read_as_a_film_would_be(tmp_path: Path) -> None:
    """Small tags under a blur that no general reader decodes, among tags that nobody has named."""
    scene = crowded_scene(cars=8, printed_px=20.0, foreign=4, seed=3)
    picture = cv2.GaussianBlur(ScriptedTable(scene).read().image, (0, 0), 1.33)
    file = tmp_path / "blurred.png"
    cv2.imwrite(str(file), picture)
    look = look_at(file, parse_table(scene.to_toml()))
    assert len(look.sightings) >= 7
    for seen in look.sightings:
        true = scene.start[seen.piece.name]
        assert math.dist(seen.pose.xy, true.xy) < 0.1


def test_a_small_tag_is_read_whether_or_not_larger_ones_are_covered(tmp_path: Path) -> None:
    """Cars' tags were sought by the middle size of all that was not read, which was a larger one's."""
    scene = default_scene((1280, 720))
    file, table = tmp_path / "small.png", parse_table(scene.to_toml())
    picture = ScriptedTable(scene).read().image.copy()
    cv2.imwrite(str(file), picture)
    whole = look_at(file, table, things=False)
    assert not whole.missing
    for name in ("Book", "Mug"):
        under, rows, columns = square(whole, name, picture)
        picture[rows, columns] = under.mean(axis=(0, 1))
    cv2.imwrite(str(file), picture)
    covered = look_at(file, table, things=False)
    assert set(covered.missing) == {"Book", "Mug"}
