"""Terrain without a tag in the record of a game: it comes, moves and goes while the game goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.table_text import with_block, without_block
from calibration.tablefile import TableFile, TableFileError, load_table, parse_table
from engine.space.geometry import Footprint, Pose, Region
from engine.space.pieces import Body, Piece, Spot
from engine.space.table import UNWATCHED, Hideout, PoseUncertainty, Standing, Thing, ThingName, UnwatchedName
from server.formats.entries import Entry
from server.pipeline.referee import Moment
from server.recording.library.games import Library
from server.recording.outlined import (
    OUTLINED,
    THINGS,
    Unknown,
    outline_record,
    outlined_of,
    unknown_entry,
    unknown_of,
)
from server.recording.reader import Reader
from server.recording.recorder import Recorder
from server.setup.settling.named_things import terrain_text
from tests.server.recording.made import drawn_moment


@pytest.fixture
def table(samples: Path) -> TableFile:
    return load_table(samples / "opening-round" / "table.toml")


def rock(at: tuple[float, float], wide: float = 3.0) -> Piece:
    body = Body("polygon", Footprint.box(wide, 2.0), 1.5)
    return Piece("Rock 1", "terrain", body, colour="#8b8378", spot=Spot(Pose(*at), 0.12))


def with_rock(table: TableFile, piece: Piece) -> TableFile:
    bare = next((n for n, p in enumerate(table.pieces) if p.spot is not None), None)
    text = table.text if bare is None else without_block(table.text, ("piece", bare))
    return parse_table(with_block(text, terrain_text(piece, "kept")), "rock", lens=table.lens)


def seen(table: TableFile, frame: int, there: Piece | None) -> Moment:
    # Everything is drawn somewhere, but for what is known by its outline.
    moment = drawn_moment(table, frame, frame / 15)
    tagged = tuple(s for s in moment.table.standings if s.piece.spot is None)
    moment = replace(moment, table=replace(moment.table, standings=tagged))
    if there is None or there.spot is None:
        return moment
    sure = PoseUncertainty.isotropic(there.spot.sd)
    standing = Standing(there, there.spot.pose, sure, since=moment.time, seen_at=moment.time)
    standings = (*tagged, standing)
    return replace(moment, table=replace(moment.table, standings=standings))


def test_an_outline_is_recorded_told_where_it_stood_and_the_game_goes_on(
    tmp_path: Path, table: TableFile
) -> None:
    first, second = rock((10.0, 12.0)), rock((20.0, 12.0), 3.2)
    one, two = with_rock(table, first), with_rock(table, second)
    recorder = Recorder(tmp_path, table, video=None)
    recorder.start()
    step = [0]

    def play(at: TableFile, there: Piece | None, frames: int = 12) -> None:
        for _ in range(frames):
            moment = seen(at, step[0], there)
            recorder.keep(moment, at, moment.events, lambda _: None)
            step[0] += 1

    play(table, None)
    said = Entry(OUTLINED, step[0] / 15, "kept", outline_record(first), "the owner")
    recorder.append((said,))
    play(one, first)
    # It is gone for a while, then stands elsewhere; an editor wrote that to the file.
    play(one, None)
    play(two, second)
    # And it is off the table.
    play(table, None)
    recorder.flush()
    game = recorder.game
    assert game is not None
    number = game.id
    recorder.stop()
    with Library.open(tmp_path) as library:
        (found,) = library.games()
        assert found.id == number
        reader = library.reader(found.id)
        assert [e.data.get("piece") for e in reader.entries((OUTLINED,))] == ["Rock 1"] * 3
        assert next(iter(reader.entries((OUTLINED,)))).actor == "the owner"
        check(reader)


def check(reader: Reader) -> None:
    """What a replay tells of each part of the game."""
    told = []
    for part in range(5):
        table = reader.table_at((12 * part + 9) / 15)
        here = [s for s in table.standings if s.name == "Rock 1"]
        told.append(
            (
                [((s.pose.x, s.pose.y), round(s.region.area, 1)) for s in here],
                [p.name for p in table.unplaced if p.spot is not None],
            )
        )
    assert told == [
        ([], []),
        ([((10.0, 12.0), 6.0)], []),
        ([], ["Rock 1"]),
        ([((20.0, 12.0), 6.4)], []),
        ([], []),
    ]


@pytest.mark.parametrize(("height_sd", "said"), [(0.0, ["piece", "height_in"]), (0.2, ["piece"])])
def test_a_height_that_was_measured_stays_measured_in_file_and_record(
    table: TableFile, height_sd: float, said: list[str]
) -> None:
    one = replace(rock((10.0, 12.0)), spot=Spot(Pose(10.0, 12.0), 0.12, height_sd))
    (read,) = (p for p in with_rock(table, one).pieces if p.spot is not None)
    record = outline_record(read)
    assert (read.spot, record["said"]) == (one.spot, said)
    assert outlined_of(record).spot == one.spot


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("at_in = [1, 2]", "needs both at_in and edge_sd_in"),
        ("at_in = [1, 2]\nedge_sd_in = 0.1\ntag = 99\ntag_size_in = 1.0", "has no tag and that nobody moves"),
        ("at_in = [1, 2]\nedge_sd_in = 0.0", "edge_sd_in"),
        ("height_sd_in = 0.1", "measured of a piece with at_in"),
    ],
)
def test_a_place_without_a_deviation_or_with_a_tag_is_refused(
    table: TableFile, line: str, words: str
) -> None:
    piece = f'[[piece]]\nname = "Rock"\nkind = "terrain"\nsize_in = [2, 2]\nheight_in = 1.0\n{line}'
    with pytest.raises(TableFileError, match=words):
        parse_table(with_block(table.text, piece), "rock", lens=table.lens)


def test_what_nobody_named_lies_in_the_record_while_it_lay_there_also_after_a_restart(
    tmp_path: Path, table: TableFile
) -> None:
    mug = Thing(ThingName("Thing 1"), Region.rectangle(10.0, 12.0, 3.0, 2.0), 0.2)
    dice = Thing(ThingName("Thing 2"), Region.rectangle(20.0, 12.0, 1.0, 1.0), 0.1)

    def lies(frame: int, *things: Thing) -> Moment:
        moment = drawn_moment(table, frame, frame / 15)
        return replace(moment, table=replace(moment.table, things=things))

    def told(at_s: float) -> list[tuple[str, float]]:
        return [(t.name, t.sd) for t in reader.table_at(at_s).things]

    for run, shown in enumerate((((), (mug,), (mug, dice)), ((), (dice,)))):
        recorder = Recorder(tmp_path, table, video=None)
        recorder.start()
        if not run:
            recorder.append([Entry("match.note", 0.0, "It begins.")])
        for number, things in enumerate(shown):
            for frame in range(15):
                recorder.keep(lies(15 * number + frame, *things), table, [], lambda _: None)
        recorder.append([Entry("match.note", None, "Said.")])
        recorder.stop()
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        reader = library.reader(game.id)
        changed = list(reader.entries([THINGS]))
        assert [[t["name"] for t in e.data["things"]] for e in changed] == [
            ["Thing 1"], ["Thing 1", "Thing 2"], [], ["Thing 2"],
        ]  # fmt: skip
        assert told(changed[0].at_s - 0.01) == []
        assert told(changed[0].at_s) == [("Thing 1", 0.2)]
        assert told(changed[2].at_s - 0.01) == [("Thing 1", 0.2), ("Thing 2", 0.1)]
        assert told(changed[2].at_s) == []
        last = reader.table_at(reader.duration)
        assert [t.region.outline.tolist() for t in last.things] == [dice.region.outline.tolist()]


def test_what_nobody_knows_of_a_table_is_kept_and_told_again() -> None:
    place = Region(np.array([(1.0, 1.0), (4.0, 1.0), (4.0, 3.0)]))
    unknown = Unknown(
        (Thing(ThingName("Thing 1"), place, 0.1),), (Hideout("Red 2", place),), frozenset({"Mug"})
    )
    entry = unknown_entry(unknown, 2.0)
    assert (
        entry.words
        == "Unnamed on the table: Thing 1. May stand where nobody sees: Red 2. In view twice: Mug."
    )
    again = unknown_of(entry.data)
    assert again.record() == unknown.record()
    assert isinstance(again.things[0].name, ThingName)
    assert unknown.is_as(Unknown(*unknown))
    assert not unknown.is_as(again)
    # What an earlier version wrote.
    assert unknown_of({"things": []}) == Unknown()


def test_that_a_table_was_watched_for_a_moment_only_is_kept_as_that() -> None:
    place = Region(np.array([(1.0, 1.0), (4.0, 1.0), (4.0, 3.0)]))
    entry = unknown_entry(Unknown(hideouts=(Hideout(UNWATCHED, place),)), 2.0)
    assert entry.words == "Part of the table has not been watched for long enough."
    (again,) = unknown_of(entry.data).hideouts
    assert isinstance(again.name, UnwatchedName)
