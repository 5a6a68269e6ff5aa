from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.bundle.doubts import Judged
from calibration.lens.model import guess_lens
from calibration.tablefile import TableFile, parse_table
from engine.space.geometry import Pose
from engine.space.table import UNWATCHED, Status, TwiceName
from server.moves.segmentation import JOIN_S
from server.pipeline.json_records import fit_record
from server.pipeline.referee import BLANK_WORDS, Moment, Referee, tell
from server.table.messages import Health
from tests.crowd import bumped
from vision.frame import Frame
from vision.simulate.live import ScriptedTable
from vision.simulate.play import Act, RunLeg, manoeuvre
from vision.simulate.scene import Scene, SceneLooseTag
from vision.simulate.scenes import default_scene
from vision.source import SourceEnded
from vision.tags.mirrored import MIRRORED_WORDS
from vision.things import ThingWatch
from vision.track import TrackChange

BUMP_AT = 1.5


@pytest.fixture(scope="module")
def scene() -> Scene:
    return default_scene()


def table_of(scene: Scene, *changes: tuple[str, str]) -> TableFile:
    text = scene.to_toml()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_table(text)


def watch(source: ScriptedTable, referee: Referee) -> list[Moment]:
    moments = []
    while True:
        try:
            moments.append(referee.step(source.read()))
        except SourceEnded:
            return moments


def worst(moment: Moment, scene: Scene) -> float:
    """The largest distance between where a piece is said to stand and where it was drawn, inches."""
    truth = scene.snapshot.placements
    return max(
        math.dist((s.pose.x, s.pose.y), (truth[s.name].pose.x, truth[s.name].pose.y))
        for s in moment.table.standings
    )


def test_a_bumped_camera_is_told_held_and_found_again_within_a_second(scene: Scene) -> None:
    knocked = bumped(scene.camera, shift=(0.4, -0.3, 0.2), turn_deg=0.5)
    source = ScriptedTable(scene, fps=10.0, seconds=4.0, bumps=[(BUMP_AT, knocked)])
    moments = watch(source, Referee(table_of(scene)))
    before = [m for m in moments if m.time < BUMP_AT]
    assert all(s.status is Status.STILL for s in before[-1].table.standings)
    held = [m for m in moments if any("camera is moving" in n for n in m.notices)]
    assert held
    assert held[0].time == pytest.approx(BUMP_AT)
    for moment in held:
        # Nothing can be ruled from what is held, and nothing was moved to where it only seemed to be.
        assert all(s.status is Status.HELD for s in moment.table.standings)
        assert worst(moment, scene) < 0.02
    events = [e for m in moments for e in m.events if e.kind == "camera"]
    assert len(events) == 1
    assert events[0].time - BUMP_AT <= 1.0
    assert worst(moments[-1], scene) < 0.02
    assert all(s.status is Status.STILL for s in moments[-1].table.standings)


def test_a_car_that_had_come_to_rest_has_moved_as_it_was_measured_when_the_camera_is_bumped(
    scene: Scene,
) -> None:
    start = scene.start["Red 1"]
    path = manoeuvre(start, [RunLeg(3.0)])
    knocked = bumped(scene.camera, shift=(0.4, -0.3, 0.2), turn_deg=0.5)
    acts = [Act(0.5, 1.2, "Red 1", path, touch="none")]
    source = ScriptedTable(scene, acts, fps=10.0, seconds=3.0, bumps=[(2.0, knocked)])
    moments = watch(source, Referee(table_of(scene)))
    assert any("camera is moving" in notice for m in moments for notice in m.notices)
    (move,) = (move for m in moments for move in m.moves)
    assert move.piece == "Red 1"
    assert move.gone == pytest.approx(3.0, abs=0.05)
    assert moments[-1].time - move.until < JOIN_S, "it would have ended later by itself"


def test_a_picture_that_a_program_begins_to_mirror_is_told_and_rules_nothing(scene: Scene) -> None:
    """A second of the table as it is, then its mirror image, then as it is again."""
    source = ScriptedTable(scene, fps=4.0, seconds=1.0)
    plain = [source.read() for _ in range(4)]
    flipped = [replace(f, image=np.ascontiguousarray(f.image[:, ::-1])) for f in plain]
    shown = [*plain, *flipped, *flipped, *plain]
    referee = Referee(table_of(scene))
    moments = [referee.step(f.restamped(n, n / 4.0)) for n, f in enumerate(shown)]
    referee.close()
    assert all(s.status is Status.STILL for s in moments[3].table.standings)
    for moment in moments[4:12]:
        assert all(s.status is not Status.STILL for s in moment.table.standings)
        assert moment.read == frozenset()
    told = [n for n, m in enumerate(moments) if MIRRORED_WORDS in m.notices]
    assert told
    assert set(told) <= set(range(4, 12))
    assert (11 in told, 12 in told) == (True, False)
    assert not any("corner" in n for n in moments[11].notices)
    assert all(s.status is Status.STILL for s in moments[-1].table.standings)


def test_a_wrong_tag_height_is_noticed_while_the_pieces_stand_about(scene: Scene) -> None:
    crate = next(p for p in scene.pieces if p.kind == "terrain" and p.body.height > 1.5)
    assert crate.mount is not None
    text = scene.to_toml()
    block = text[text.index(f'name = "{crate.name}"') :]
    line = next(x for x in block.splitlines() if x.startswith("tag_height_in"))
    wrong = table_of(
        scene, (f"{block[: block.index(line)]}{line}", f"{block[: block.index(line)]}tag_height_in = 0.3")
    )
    moments = watch(ScriptedTable(scene, fps=10.0, seconds=0.4), Referee(wrong))
    notices = [n for n in moments[-1].notices if "tag looks" in n]
    assert len(notices) == 1
    assert notices[0].startswith(f"{crate.name}'s tag looks")
    right = watch(ScriptedTable(scene, fps=10.0, seconds=0.4), Referee(table_of(scene)))
    assert not [n for n in right[-1].notices if "tag looks" in n]


def test_no_height_is_doubted_by_pictures_that_were_out_of_focus() -> None:
    """Autofocus hunts for some seconds: tags look larger meanwhile, and nothing of that stays."""
    scene = default_scene((1280, 720))
    source = ScriptedTable(scene, fps=4.0, seconds=1.0)
    plain = [source.read() for _ in range(4)]
    there = [0.2 * k for k in range(20)]
    hunting = [0.0] * 10 + there + [4.0 - blur for blur in there] + [0.0] * 40
    referee = Referee(table_of(scene))
    moments = []
    for n, blur in enumerate(hunting):
        frame = plain[n % 4].restamped(n, n / 5.0)
        if blur:
            frame = replace(frame, image=np.asarray(cv2.GaussianBlur(frame.image, (0, 0), blur), np.uint8))
        moments.append(referee.step(frame))
    said = [notice for m in moments for notice in m.notices]
    assert any("changing its focus" in notice for notice in said)
    assert all(s.status is Status.STILL for s in moments[-1].table.standings)
    assert not [notice for m in moments[-20:] for notice in m.notices if "not what was stated" in notice]


def test_a_picture_without_any_tag_is_told_until_tags_are_seen_again(scene: Scene) -> None:
    """The lens is covered, the lamp is out, or all is burnt out: nothing was said of it."""
    source = ScriptedTable(scene, fps=4.0, seconds=1.0)
    plain = [source.read() for _ in range(4)]
    black = [replace(f, image=np.full_like(f.image, 3)) for f in plain]
    referee = Referee(table_of(scene))
    moments = [referee.step(f.restamped(n, n / 4.0)) for n, f in enumerate([*plain, *black, *black, *plain])]
    told = [n for n, m in enumerate(moments) if BLANK_WORDS in m.notices]
    assert told == list(range(7, 12)), "from a second after the last tag was read"
    assert all(s.status is not Status.STILL for m in moments[4:12] for s in m.table.standings)


def test_no_printed_line_stays_a_thing_after_pictures_that_were_out_of_focus() -> None:
    """Autofocus that hunts as a table is begun made nine things of a road's lines, for good."""
    scene = default_scene((1280, 720))
    source = ScriptedTable(scene, fps=4.0, seconds=1.0)
    plain = [source.read() for _ in range(4)]
    referee = Referee(table_of(scene), things=True)
    moments = []
    for n in range(90):
        frame = plain[n % 4].restamped(n, 0.4 * n)
        if 10 <= n < 23:
            frame = replace(frame, image=np.asarray(cv2.GaussianBlur(frame.image, (0, 0), 1.5), np.uint8))
        moments.append(referee.step(frame))
    told = [m.table.things for m in moments]
    assert any(told), "the printed lines were told as things"
    assert not told[-1]
    # Until it is known again where nothing lies, all is open.
    anew = next(n for n in range(23, 90) if told[n - 1] and not told[n])
    assert any(h.name == UNWATCHED for h in moments[anew].table.hideouts)


def test_a_lens_calibrated_while_playing_is_used_from_the_next_frame(scene: Scene) -> None:
    lens = scene.camera.lens
    text = scene.to_toml()
    start = text.index("[camera.lens]")
    unknown = parse_table(text[:start] + text[text.index("[[corner]]", start) :])
    referee = Referee(unknown)
    source = ScriptedTable(scene, fps=10.0, seconds=0.6)
    first = referee.step(source.read())
    assert first.surface is not None
    assert "guessed" in first.surface.note
    referee.use_lens(guess_lens((640, 480)))
    assert "guessed" in (referee.step(source.read()).surface or first.surface).note
    referee.use_lens(lens)
    later = referee.step(source.read())
    assert later.surface is not None
    assert "guessed" not in later.surface.note
    assert worst(later, scene) < 0.03


def test_a_kept_lens_is_found_for_a_table_that_names_none(scene: Scene) -> None:
    text = scene.to_toml()
    start = text.index("[camera.lens]")
    unknown = parse_table(text[:start] + text[text.index("[[corner]]", start) :])
    source = ScriptedTable(scene, fps=10.0, seconds=0.2)
    asked = []

    def kept(size: tuple[int, int]) -> object:
        asked.append(size)
        return scene.camera.lens

    moment = Referee(unknown, kept=kept).step(source.read())  # type: ignore[arg-type]
    assert asked == [(1920, 1080)]
    assert moment.surface is not None
    assert "guessed" not in moment.surface.note


def test_a_tag_that_nobody_named_is_told_while_it_is_played(scene: Scene) -> None:
    loose = SceneLooseTag("tag36h11", 77, 1.6, Pose(20.0, 44.0, 0.7))
    frame = ScriptedTable(replace(scene, loose=(loose,))).read()
    referee = Referee(table_of(scene), beside=True)
    looking = referee._unnamed._pool.submit
    try:
        told: list[bool] = []
        for second in (0, 11, 22):
            notices = referee.step(replace(frame, time=float(second))).notices
            told.append(any(words.startswith("Tag 77 is in view") for words in notices))
            # What runs beside goes in its order: what was begun before is over with this.
            looking(int).result()
    finally:
        referee.close()
    assert told == [False, False, True], "a reader may err once"


def test_terrain_that_is_not_seen_is_asked_for_by_name_until_it_is_seen(scene: Scene) -> None:
    """It may stand anywhere until then, and when its place is bare; what is covered stays where it was."""
    mug = next(p for p in scene.pieces if p.obstacle)
    without = replace(scene, start={n: p for n, p in scene.start.items() if n != mug.name})
    referee = Referee(table_of(scene))
    asked = f"{mug.name} is not seen and may be in the way"

    def looked_at(seen: Scene, since: float, covered: bool = False) -> Moment:
        """Three seconds of it, from then on; `covered` has a cloth of another colour over the piece."""
        moments = []
        for frame in frames(ScriptedTable(seen, fps=5.0, seconds=3.0)):
            if covered:
                x, y = np.rint(place).astype(int)
                frame.image[y - 110 : y + 110, x - 110 : x + 110] = (60, 90, 160)
            moments.append(referee.step(replace(frame, time=frame.time + since)))
        return moments[-1]

    before = looked_at(without, 0.0)
    assert [p.name for p in before.table.unplaced] == [mug.name]
    assert [n for n in before.notices if n.startswith(asked) and "out of the set-up" in n]
    there = looked_at(scene, 4.0)
    assert there.surface is not None
    at = np.array([there.table.find(mug.name).pose.xy])
    (place,) = there.surface.image_from_table(at, mug.body.height)
    # However long it is covered.
    covered = [looked_at(scene, since, covered=True) for since in (8.0, 30.0)]
    assert [m.table.find(mug.name).status for m in covered] == [Status.HELD, Status.HELD]
    for moment in (there, *covered, looked_at(scene, 34.0)):
        assert moment.table.find(mug.name).pose.xy == pytest.approx(scene.start[mug.name].xy, abs=0.05)
        assert moment.table.unplaced == ()
        assert not any(n.startswith(asked) for n in moment.notices)
    # Taken off it hides nothing where it stood, and may stand anywhere.
    gone = looked_at(without, 38.0)
    assert gone.table.called(mug.name) is None
    assert [p.name for p in gone.table.unplaced] == [mug.name]
    assert [n for n in gone.notices if n.startswith(asked)]
    assert looked_at(scene, 42.0).table.unplaced == ()


def test_a_car_whose_tag_is_in_view_twice_stands_at_one_of_the_two_places(
    scene: Scene,
) -> None:
    source = ScriptedTable(scene, fps=5.0, seconds=1.0)
    referee = Referee(table_of(scene))
    shown = frames(source)
    first = referee.step(shown[0])
    car = next(s for s in first.table.standings if s.piece.moves)
    assert first.surface is not None
    (x, y), (u, v) = first.surface.image_from_table(
        np.array([car.pose.xy, (22.0, 3.0)]), car.piece.body.height
    )
    x, y, u, v = (round(float(at)) for at in (x, y, u, v))
    reach = 32

    def copied(frame: Frame) -> Frame:
        image = frame.image.copy()
        image[v - reach : v + reach, u - reach : u + reach] = image[
            y - reach : y + reach, x - reach : x + reach
        ]
        return replace(frame, image=image)

    again = Referee(table_of(scene))
    moment = [again.step(copied(frame)) for frame in shown][-1]
    assert moment.table.unplaced == ()
    places = [h.region.polygon for h in moment.table.hideouts]
    assert len(places) == 2
    assert any(p.contains(car.region.polygon) for p in places)
    here = next(s for s in moment.table.standings if s.region.polygon.distance(car.region.polygon) > 3.0)
    assert moment.table.hiding_between(car, here) == (car.name,)
    assert isinstance(moment.table.hiding_between(car, here)[0], TwiceName)
    assert moment.table.hiding_between(here) == ()
    assert not any("has not been seen" in words for words in moment.notices)


def test_a_car_that_is_played_with_and_was_never_read_is_where_nobody_sees_and_one_in_the_box_is_not(
    scene: Scene,
) -> None:
    source = ScriptedTable(scene, fps=5.0, seconds=1.0)
    shown = frames(source)
    first = Referee(table_of(scene)).step(shown[0])
    car = first.table.find("Red 2")
    assert first.surface is not None
    (place,) = first.surface.image_from_table(np.array([car.pose.xy]), car.piece.body.height)
    hidden = tuple(slice(round(at) - 20, round(at) + 20) for at in place[::-1].tolist())

    def without(frame: Frame) -> Frame:
        image = frame.image.copy()
        image[hidden] = (50, 43, 200)
        return replace(frame, image=image)

    ends = first.table.find("Red 3"), first.table.find("Blue 1")
    for names, said in ((frozenset(), ()), (frozenset({"red2"}), ("Red 2",))):
        referee = Referee(table_of(scene), things=True)
        referee.plays(frozenset(names))
        moments = [referee.step(without(frame)) for frame in shown]
        assert "Red 2" not in [s.name for s in moments[-1].table.standings]
        # Its body is something that nobody has watched for long, too.
        told = {tuple(n for n in m.table.hiding_between(*ends) if n != UNWATCHED) for m in moments}
        assert told == {said}
        # The same places are the same from look to look, and the record is told once.
        assert len({m.table.hideouts for m in moments}) == 1
    # Once it is read it is where it stands.
    after = [referee.step(replace(frame, time=frame.time + 1.0)) for frame in shown][-1]
    assert after.table.find("Red 2")
    assert not after.table.hideouts


def test_a_sight_past_what_has_not_been_watched_for_long_is_open_and_no_other(scene: Scene) -> None:
    """A mug that nobody named stands between two cars when the camera begins; nothing else does."""
    ends = {"Red 1": Pose(8.0, 22.0, 0.0), "Blue 1": Pose(24.0, 22.0, math.pi), "Mug": Pose(16.0, 22.3, 0.0)}
    there = replace(scene, start=dict(scene.start) | ends)
    table = table_of(there)
    untold = replace(table, pieces=tuple(p for p in table.pieces if p.name != "Mug"))
    moments = watch(ScriptedTable(there, fps=5.0, seconds=5.0), Referee(untold, things=True))
    past = [m.table.hiding_between(m.table.find("Red 1"), m.table.find("Blue 1")) for m in moments]
    assert past[0] == (UNWATCHED,)
    assert past[-1] == ("Thing 1",)
    assert [p for p in past if p not in ((UNWATCHED,), ("Thing 1",))] == []
    assert not any(m.table.hideouts for m in moments if m.time > 4.0)
    elsewhere = [m.table.hiding_between(m.table.find("Blue 2"), m.table.find("Blue 3")) for m in moments]
    assert set(elsewhere) == {()}
    same = {m.table.hideouts for m in moments if m.time > 0.6 and m.table.hideouts}
    assert len(same) == 1, "and nothing is ruled anew while it waits"


def test_before_the_first_look_anything_may_lie_anywhere(scene: Scene) -> None:
    """The pieces of the table file are no reason to think that nothing else is there."""
    watch_of = ThingWatch(scene.surface)
    (anywhere,) = watch_of.unwatched
    assert anywhere.region.polygon.equals(scene.surface.polygon)
    assert not ThingWatch(scene.surface, quiet=True).unwatched
    first = Referee(table_of(scene), things=True).step(ScriptedTable(scene, fps=5.0).read())
    assert not first.table.hideouts, "a look is enough where all is explained"


def frames(source: ScriptedTable) -> list[Frame]:
    return [source.read() for _ in range(source.frames)]


def first_look(table: TableFile, scene: Scene) -> Moment:
    """The third frame of a table at rest, with the surface found."""
    moment = watch(ScriptedTable(scene, fps=5.0, seconds=0.6), Referee(table))[-1]
    assert moment.surface is not None
    return moment


def test_what_is_stated_is_held_against_what_is_seen_at_every_moment(scene: Scene) -> None:
    fits = fit_record(judged_of(first_look(table_of(scene), scene)))
    assert fits["consistent"]
    assert fits["doubts"] == []
    assert 0.0 < fits["chi_square"] < 3.0 * fits["freedom"] + 10.0
    off = first_look(table_of(scene, ("at_in = [45.0, 0.0]", "at_in = [46.0, 0.0]")), scene)
    told = Health(ok=True, state="running", words="", fps=5.0, **fit_record(judged_of(off)))
    (doubt, *_) = told.doubts
    assert (doubt.kind, doubt.tags) == ("corner", [1])
    crossed = table_of(
        scene,
        ("at_in = [0.0, 0.0]", "at_in = [none]"),
        ("at_in = [45.0, 0.0]", "at_in = [0.0, 0.0]"),
        ("at_in = [45.0, 45.0]", "at_in = [38.0, 45.0]"),
        ("at_in = [none]", "at_in = [45.0, 45.0]"),
    )
    nowhere = first_look(crossed, scene)
    assert not judged_of(nowhere).consistent
    assert {s.status for s in nowhere.table.standings} == {Status.HELD}
    assert any("Nothing is ruled" in n for n in nowhere.notices)
    assert "Nothing is ruled" in nowhere.blind, "on a phone the notices stand far below the table"
    assert not any("looks" in n for n in nowhere.notices), "no height is doubted from a wrong surface"


@pytest.mark.parametrize(
    ("moved", "said"), [(0.01, "Red 1 is seen again."), (2.0, "Red 1 is elsewhere now.")]
)
def test_a_car_that_was_carried_is_elsewhere_and_not_merely_seen_again(
    scene: Scene, moved: float, said: str
) -> None:
    told = tell(TrackChange(1.0, scene.piece("Red 1"), Status.LOST, Status.MOVING, moved))
    assert told is not None
    assert (told.kind, told.words) == ("found", said)


def judged_of(moment: Moment) -> Judged:
    assert moment.judged is not None
    return moment.judged


@pytest.mark.parametrize(
    ("piece", "moved", "said"),
    [
        ("Book", 0.04, "Book stands still."),
        ("Book", 0.14, "Book stands still, 0.14 in from where it stood."),
        ("Red 1", 0.04, "Red 1 stands still, 0.04 in from where it stood."),
    ],
)
def test_what_stands_must_have_moved_further_to_be_told(
    scene: Scene, piece: str, moved: float, said: str
) -> None:
    """Damaged pictures show a book a little aside; a car that went as far was pushed."""
    told = tell(TrackChange(1.0, scene.piece(piece), Status.MOVING, Status.STILL, moved))
    assert told is not None
    assert told.words == said
