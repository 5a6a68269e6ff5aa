"""A recorded game as files for other programs; and what leaves by none of them."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import av
import httpx
import jsonschema_rs
import numpy as np
import pytest
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.CompressedVideo_pb2 import CompressedVideo
from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
from foxglove_schemas_protobuf.Log_pb2 import Log
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from google.protobuf.unknown_fields import UnknownFieldSet
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from shapely.geometry import Polygon
from sqlalchemy import select, update

from engine.errors import TableRefError
from engine.space.geometry import Footprint, Pose, Region
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.exports import foxglove, jsonl, recording
from server.exports.forms import FORMS, ExportName, NothingToExport, export, file_name
from server.exports.jsonl import NotAnExport, bounded, bring_in, lines, tables
from server.formats.entries import Entry
from server.pipeline.runner import Runner
from server.recording.errors import StorageTrouble
from server.recording.library import schema
from server.recording.library.database import NEWEST
from server.recording.library.games import Library
from server.recording.library.records import as_exported
from server.recording.reader import SECRET
from server.recording.recorder import Recorder
from server.replay.rerule import rule_again
from server.replay.routes import replay_router
from server.replay.timeline import Timeline
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.server.fakes import STANDINGS, SURFACE, HandMoved, KnowsAll
from tests.server.playback import BEGAN, record_game, table_file
from tests.server.recording.made import SMALL, drawn_moment, record
from tests.server.replay.test_routes import Shown, showing


@dataclass(frozen=True)
class Made:
    """A library with a game of eight seconds, its stills and its video."""

    library: Library
    id: str


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    table = table_file()
    moments = [drawn_moment(table, k, k / 15) for k in range(120)]
    game = record(tmp_path_factory.mktemp("games"), table, moments, video=SMALL)
    with Library.open(game.folder) as library:
        yield Made(library, game.id)


def rows(library: Library, id: str) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that the library keeps of a game, but for the mark that it was brought in."""
    found = {}
    with library.engine.connect() as connection:
        game = select(schema.game).where(schema.game.c.id == id)
        found["game"] = [tuple(as_exported(r._mapping).values()) for r in connection.execute(game)]
        for table in tables():
            asked = select(table).where(table.c.game == id).order_by(table.c.number)
            found[table.name] = [tuple(r) for r in connection.execute(asked)]
    return found


def files_of(library: Library, id: str) -> dict[str, bytes]:
    folder = library.place.pictures_of(id)
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


class TestInAgain:
    def test_it_is_the_same_game_to_the_last_bit(self, made: Made, tmp_path: Path) -> None:
        file = tmp_path / "game.jsonl"
        export(made.library, made.id, ExportName.JSONL, file)
        with Library.open(tmp_path / "other") as other, file.open(encoding="utf-8") as stream:
            assert bring_in(other, stream) == made.id
            assert rows(other, made.id) == rows(made.library, made.id)
            assert files_of(other, made.id) == files_of(made.library, made.id)
            assert len(files_of(other, made.id)) > 5
            assert list(lines(other, made.id)) == list(lines(made.library, made.id))
            ours, theirs_ = made.library.reader(made.id), other.reader(made.id)
            assert list(ours.entries()) == list(theirs_.entries())
            poses = [[(s.name, s.pose, s.status) for s in t.standings] for t in ours.tables()]
            assert [[(s.name, s.pose, s.status) for s in t.standings] for t in theirs_.tables()] == poses

    def test_without_pictures(self, made: Made, tmp_path: Path) -> None:
        with Library.open(tmp_path / "other") as other:
            bring_in(other, lines(made.library, made.id, pictures=False))
            assert rows(other, made.id) == rows(made.library, made.id)
            assert files_of(other, made.id) == {}

    def test_from_a_library_of_the_first_version(self, made: Made, tmp_path: Path) -> None:
        """That one had entries alone."""
        whole = [json.loads(line) for line in lines(made.library, made.id)]
        old = [line for line in whole if line.keys() & {"record", "entry", "file"}]
        old[0]["library"] = "0001"
        for line in old:
            line.get("entry", {}).pop("before", None)
        old.append({"end": len(old) + 1})
        with Library.open(tmp_path / "other") as other:
            assert bring_in(other, map(json.dumps, old)) == made.id
            assert rows(other, made.id)["entry"] == rows(made.library, made.id)["entry"]
            assert files_of(other, made.id) == files_of(made.library, made.id)
            assert [g.id for g in other.games()] == [made.id]

    def test_every_line_is_json_and_entries_can_be_read(self, made: Made) -> None:
        told = [json.loads(line) for line in lines(made.library, made.id)]
        assert told[0]["game"]["id"] == made.id
        entry = next(t["entry"] for t in told if "entry" in t)
        assert entry["data"]["piece"]
        assert told[-1] == {"end": len(told)}

    def test_a_game_that_is_there_already_is_refused(self, made: Made) -> None:
        before = rows(made.library, made.id)
        with pytest.raises(TableRefError, match="already"):
            bring_in(made.library, lines(made.library, made.id))
        assert rows(made.library, made.id) == before

    @pytest.mark.parametrize(
        ("spoil", "said"),
        [
            (lambda t: [], "first line"),
            (lambda t: ["{}", *t[1:]], "first line"),
            (lambda t: ["no json", *t[1:]], "line 1 is no JSON"),
            (lambda t: t[:-1], "ends too early"),
            (lambda t: t[: len(t) // 2], "ends too early"),
            (lambda t: [*t[:5], *t[6:]], "expected one of|ends too early"),
            (lambda t: [*t[:3], t[3][:-9], *t[4:]], "line 4 is no JSON"),
            (lambda t: [*t[:3], "[]", *t[4:]], "line 4: expected an object"),
            (lambda t: [*t[:3], '{"entry": {"number": 3}}', *t[4:]], "line 4: expected entry with"),
            (lambda t: [*t[:3], '{"virus": {}}', *t[4:]], "line 4: expected one of"),
            (lambda t: [t[0].replace('"library":"', '"library":"9'), *t[1:]], "update tableref"),
            (
                lambda t: [*t[:-1], '{"file": {"name": "../../evil", "at": 0, "data": ""}}', t[-1]],
                "no name of a picture",
            ),
            (
                lambda t: [*t[:-1], '{"file": {"name": "a.jpg", "at": 7, "data": ""}}', t[-1]],
                "missing before",
            ),
            (lambda t: [*t[:-1], '{"file": {"name": "a.jpg", "at": 0, "data": "*"}}', t[-1]], "base64"),
            (lambda t: told(t, id=".."), "line 1: expected an id of letters, digits and dashes"),
            (lambda t: told(t, id=""), "line 1: expected an id"),
            (lambda t: told(t, id=7), "line 1: expected values of game .* id is 7"),
            (lambda t: told(t, began="yesterday"), "line 1: the game cannot be read"),
            (lambda t: told(t, lens="[]"), "line 1: the game cannot be read"),
            (lambda t: told(t, table_file="no table"), "line 1: the game cannot be read"),
            (
                lambda t: [t[0].replace('"about":{', '"about":{"far":1e999,'), *t[1:]],
                r"^line 1: expected values of game .{0,60} but about is \{.{0,70} does not fit its column$",
            ),
        ],
    )
    def test_a_spoilt_file_is_refused_and_leaves_nothing(
        self, made: Made, tmp_path: Path, spoil: Any, said: str
    ) -> None:
        whole = list(lines(made.library, made.id, pictures=False))
        with Library.open(tmp_path / "other") as other:
            with pytest.raises(NotAnExport, match=said):
                bring_in(other, spoil(whole))
            assert other.games() == ()
            assert not list((tmp_path / "other").rglob("*.jpg"))
            assert not list((tmp_path / "other").rglob("*.part"))
            assert bring_in(other, whole) == made.id

    @pytest.mark.parametrize("lens", ["/etc/hostname", "/dev/zero", "pipe"])
    def test_no_file_is_touched_that_its_table_names(self, made: Made, tmp_path: Path, lens: str) -> None:
        os.mkfifo(tmp_path / "pipe")
        table = made.library.game(made.id).table_text
        inside = table[table.index("[camera") : table.index("[[corner]]")]
        table = table.replace(inside, f'[camera]\nlens = "{tmp_path / lens}"\n\n')
        whole = told(list(lines(made.library, made.id, pictures=False)), table_file=table, lens=None)
        with Library.open(tmp_path / "other") as other:
            with pytest.raises(NotAnExport, match=r"line 1: .* names the lens file"):
                bring_in(other, whole)
            assert other.games() == ()

    @pytest.mark.parametrize("version", [NEWEST, "0003"])
    def test_nobody_goes_on_with_it(self, made: Made, tmp_path: Path, version: str) -> None:
        """The same table, not over, the last entry just now: with the dice of whoever wrote the file."""
        mark = {"at": "2026-05-01T20:15:00+00:00", "ended": None}
        about = {"source": "a friend", "imported": mark}
        whole = told(list(lines(made.library, made.id, pictures=False)), ended=None, about=about)
        whole[0] = whole[0].replace(f'"library": "{NEWEST}"', f'"library": "{version}"')
        assert f'"{version}"' in whole[0]
        if version != NEWEST:
            whole = [json.dumps(_without(json.loads(line), "before")) for line in whole]
        table = made.library.game(made.id).table
        with Library.open(tmp_path / "other") as other:
            bring_in(other, whole)
            game = other.game(made.id)
            assert other.state(game) == "imported"
            assert game.ended is not None
            assert game.about["imported"]["at"] > "2026-05-01T20:15:00"
            assert other.unfinished(table.name) is None
            newest = other.reader(made.id).newest.wall
        recorder = Recorder(tmp_path / "other", table, video=None, wall=lambda: newest or datetime.now(UTC))
        recorder.start()
        recorder.stop()
        assert not recorder.said
        with Library.open(tmp_path / "other") as other:
            assert other.game(made.id).entries == made.library.game(made.id).entries

    def test_one_that_was_marked_as_not_over_is_still_not_gone_on_with(
        self, made: Made, tmp_path: Path
    ) -> None:
        with Library.open(tmp_path / "other") as other:
            bring_in(other, lines(made.library, made.id, pictures=False))
            with other.writing() as connection, connection.begin():
                connection.execute(update(schema.game).values(ended=None))
            assert other.unfinished(made.library.game(made.id).table.name) is None

    def test_where_its_pictures_cannot_be_kept(self, made: Made, tmp_path: Path) -> None:
        with Library.open(tmp_path / "other") as other:
            (tmp_path / "other" / "pictures").write_text("in the way")
            with pytest.raises(StorageTrouble, match="cannot be kept in"):
                bring_in(other, lines(made.library, made.id))
            assert other.games() == ()

    def test_nothing_is_written_beside_the_library(self, made: Made, tmp_path: Path) -> None:
        """Of an older version, so that it is unpacked into a library of then first."""
        old = told(list(lines(made.library, made.id)), id="../../outside")
        old[0] = old[0].replace(f'"library": "{NEWEST}"', '"library": "0001"')
        assert '"0001"' in old[0]
        before = sorted(tmp_path.rglob("*"))
        with Library.open(tmp_path / "other") as other, pytest.raises(NotAnExport, match="expected an id"):
            bring_in(other, [line for line in old if not line.startswith(('{"block', '{"dev', '{"cal'))])
        assert [p for p in sorted(tmp_path.rglob("*")) if tmp_path / "other" not in (p, *p.parents)] == before


def _without(line: dict[str, Any], name: str) -> dict[str, Any]:
    line.get("entry", {}).pop(name, None)
    return line


HOSTILE_ROWS = [
    ("entry", "words", "a\0b"), ("entry", "words", 7), ("entry", "words", None), ("entry", "words", "\ud800"),
    ("entry", "number", "3"), ("entry", "number", True), ("entry", "number", 2**63), ("entry", "number", -1),
    ("entry", "number", 1.5), ("entry", "at_s", "now"), ("entry", "at_s", 1e300), ("entry", "at_s", [1]),
    ("entry", "wall", "yesterday"), ("entry", "wall", "x" * 33), ("entry", "kind", "x" * 81),
    ("entry", "data", "[]"), ("entry", "data", "no"), ("entry", "data", ["x"]), ("entry", "actor", 1),
    ("entry", "data", {"event": {"a": "\0\ud800"}}), ("entry", "data", '{"a": ' + "[" * 60_000),
    ("block", "data", "AAAA"), ("block", "begins_s", None), ("block", "data", 4), ("block", "data", "ä"),
    ("deviation", "data", "AAAA"), ("calibration", "data", {}), ("calibration", "data", "x"),
    ("file", "name", "a\0b"), ("file", "name", "a/./b"), ("file", "name", 7), ("file", "name", "x" * 300),
    ("file", "name", "\x1b[2J"), ("file", "at", "1e400"), ("file", "at", None), ("file", "name", "a//b"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "value"), HOSTILE_ROWS)
@pytest.mark.parametrize("version", [NEWEST, "0003"])
def test_a_value_that_tableref_never_wrote_is_refused_in_one_line(
    made: Made, tmp_path: Path, kind: str, name: str, value: object, version: str
) -> None:
    whole = [json.loads(line) for line in lines(made.library, made.id)]
    whole[0]["library"] = version
    if version != NEWEST:
        whole = [_without(line, "before") for line in whole]
    whole[-1:] = [{"calibration": {"number": 1, "at_s": 0.0, "data": "{}"}}, {"end": len(whole) + 1}]
    one = next(line for line in whole if kind in line)
    one[kind][name] = value
    with Library.open(tmp_path / "other") as other:
        with pytest.raises(NotAnExport, match="line ") as error:
            bring_in(other, map(json.dumps, whole))
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 600
        assert other.games() == ()
        assert not list((tmp_path / "other").rglob("*.jpg"))


HEADS = [
    ("id", "a\0b"), ("name", "a\0b"), ("name", None), ("name", 3), ("table_name", ["x"]), ("began", 1),
    ("began", "0001-01-01T00:00:00+23:00"), ("ended", "never"), ("about", "[]"), ("about", "[[1, 2]]"),
    ("about", "{" * 60_000), ("about", 3), ("lens", "{}"), ("lens", 1), ("table_file", "\ud800"),
    ("table_file", "a = " + "[" * 100_000), ("id", "x" * 3_000_000), ("name", "\ud800"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), HEADS)
def test_a_game_that_tableref_never_wrote_is_refused_in_one_line(
    made: Made, tmp_path: Path, name: str, value: object
) -> None:
    whole = told(list(lines(made.library, made.id, pictures=False)), **{name: value})
    for version in (NEWEST, "0003"):
        with Library.open(tmp_path / "other") as other:
            with pytest.raises(NotAnExport, match="line 1") as error:
                bring_in(
                    other, [whole[0].replace(f'"library": "{NEWEST}"', f'"library": "{version}"'), *whole[1:]]
                )
            assert "\n" not in str(error.value)
            assert len(str(error.value)) < 600
            assert other.games() == ()


@pytest.mark.parametrize(
    "version", ["head", "heads", "base", "-1", "0001:0002", "x" * 10_000, 4, None, ["0001"]]
)
def test_a_version_that_is_none_is_refused(made: Made, tmp_path: Path, version: object) -> None:
    whole = [json.loads(line) for line in lines(made.library, made.id, pictures=False)]
    whole[0]["library"] = version
    with (
        Library.open(tmp_path / "other") as other,
        pytest.raises(NotAnExport, match="update tableref") as error,
    ):
        bring_in(other, map(json.dumps, whole))
    assert len(str(error.value)) < 300


def told(whole: list[str], **game: object) -> list[str]:
    """The lines with something else said of the game itself."""
    first = json.loads(whole[0])
    first["game"] |= game
    return [json.dumps(first), *whole[1:]]


@pytest.fixture(scope="module")
def messages(made: Made, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Schema's name, time and message by topic, in the reader's order."""
    file = tmp_path_factory.mktemp("out") / "game.mcap"
    export(made.library, made.id, ExportName.MCAP, file)
    return read_back(file)


def read_back(file: Path) -> dict[str, list[Any]]:
    """Schema's name, time and message by topic; Foxglove's in the classes that the file itself describes."""
    found: dict[str, list[Any]] = {}
    decoders = DecoderFactory()
    with file.open("rb") as stream:
        for kind, channel, message in make_reader(stream).iter_messages():
            assert kind is not None
            if channel.message_encoding == "json":
                shape, data = json.loads(kind.data), json.loads(message.data)
                assert (kind.encoding, kind.name) == ("jsonschema", shape["title"])
                jsonschema_rs.Draft202012Validator(shape).validate(data)
            else:
                decode = decoders.decoder_for(channel.message_encoding, kind)
                assert decode is not None
                data = decode(message.data)
            found.setdefault(channel.topic, []).append((kind.name, message.log_time, data))
    return found


class TestMcap:
    def test_every_message_is_one_of_foxgloves(self, messages: dict[str, list[Any]]) -> None:
        for topic, kind in (
            ("/tf", FrameTransforms),
            ("/scene", SceneUpdate),
            ("/events", Log),
            ("/camera", CompressedVideo),
            ("/stills", CompressedImage),
        ):
            assert {name for name, _, _ in messages[topic]} == {kind.DESCRIPTOR.full_name}
            for _, at_ns, data in messages[topic][:40]:
                theirs: Any = kind.FromString(data.SerializeToString())
                assert not len(UnknownFieldSet(theirs))
                stamped = theirs.transforms[0] if topic == "/tf" else theirs
                stamped = theirs.entities[0] if topic == "/scene" else stamped
                assert stamped.timestamp.ToNanoseconds() == at_ns

    def test_times_are_the_dates_and_in_order(self, made: Made, messages: dict[str, list[Any]]) -> None:
        # In whole microseconds, as dates are: as a fraction, nanoseconds of today do not fit a float.
        began = round(made.library.game(made.id).began.timestamp() * 1e6) * 1000
        for told in messages.values():
            times = [at for _, at, _ in told]
            assert times == sorted(times)
            assert began <= times[0] <= times[-1] < began + 9 * 10**9

    def test_tracks_are_where_the_cars_were(self, made: Made, messages: dict[str, list[Any]]) -> None:
        reader = made.library.reader(made.id)
        began = round(reader.game.began.timestamp() * 1000)
        for _, at_ns, data in messages["/tf"][::10]:
            table = reader.table_at((at_ns / 1e6 - began) / 1000)
            for frame in data.transforms:
                pose = table.find(frame.child_frame_id).pose
                assert frame.translation.x == pytest.approx(pose.x * 0.0254, abs=1e-6)
                assert frame.translation.y == pytest.approx(pose.y * 0.0254, abs=1e-6)

    def test_the_record_is_whole(self, made: Made, messages: dict[str, list[Any]]) -> None:
        entries = list(made.library.reader(made.id).entries())
        assert [d["number"] for _, _, d in messages["/record"]] == [e.number for e in entries]
        assert [d["data"] for _, _, d in messages["/record"]] == [dict(e.data) for e in entries]
        assert [d.message for _, _, d in messages["/events"]] == [e.words for e in entries]

    def test_the_video_can_be_decoded_from_its_units(self, messages: dict[str, list[Any]]) -> None:
        units = [d.data for _, _, d in messages["/camera"]]
        assert units[0].startswith(b"\0\0\0\1")
        with av.open(io.BytesIO(b"".join(units)), format="h264") as film:
            pictures = [f.to_ndarray(format="gray") for f in film.decode(video=0)]
        assert len(pictures) == len(units)
        assert abs(float(pictures[0].mean()) - 90) < 6

    def test_without_pictures(self, made: Made, tmp_path: Path) -> None:
        export(made.library, made.id, ExportName.MCAP, tmp_path / "game.mcap", pictures=False)
        with (tmp_path / "game.mcap").open("rb") as stream:
            topics = {channel.topic for _, channel, _ in make_reader(stream).iter_messages()}
        assert topics == {"/tf", "/scene", "/events", "/record"}


@pytest.fixture(scope="module")
def found(made: Made, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    file = tmp_path_factory.mktemp("out") / "game.zip"
    export(made.library, made.id, ExportName.CSV, file)
    with zipfile.ZipFile(file) as together:
        return {
            name: list(csv.DictReader(io.StringIO(together.read(name).decode("utf-8"))))
            for name in together.namelist()
        }


def test_rulings_stand_in_the_recording_with_their_numbers(tmp_path: Path) -> None:
    with Library.open(tmp_path / "games") as library:
        id = record_game(library)
        export(library, id, ExportName.MCAP, tmp_path / "game.mcap")
        kept = [e.data for e in library.reader(id).entries(["ruling"])]
    told = read_back(tmp_path / "game.mcap")
    rulings = [data for _, _, data in told["/rulings"]]
    assert [(r["question"], r["verdict"]) for r in rulings] == [(d["question"], d["verdict"]) for d in kept]
    assert [c["number"] for c in rulings[0]["checks"]] == [c["number"] for c in kept[0]["checks"]]
    name, _, scene = told["/rulings/scene"][0]
    first = next(c["line"] for c in kept[0]["checks"] if c["line"] and c["role"] == "condition")
    assert (name, scene.entities[0].lifetime.seconds) == ("foxglove.SceneUpdate", 5)
    assert [(p.x, p.y) for p in scene.entities[0].lines[0].points] == [
        pytest.approx((x * 0.0254, y * 0.0254), abs=1e-5) for x, y in first
    ]


class TestTables:
    def test_tracks(self, made: Made, found: dict[str, list[dict[str, str]]]) -> None:
        reader = made.library.reader(made.id)
        for row in found["tracks.csv"][::25]:
            pose = reader.table_at(float(row["time_s"])).find(row["piece"]).pose
            assert (float(row["x_in"]), float(row["y_in"])) == pytest.approx((pose.x, pose.y), abs=6e-4)
            assert float(row["sd_x_in"]) > 0
        assert {r["piece"] for r in found["tracks.csv"]} == {p.name for p in reader.table.pieces}

    def test_events(self, made: Made, found: dict[str, list[dict[str, str]]]) -> None:
        entries = list(made.library.reader(made.id).entries())
        assert [int(r["number"]) for r in found["events.csv"]] == [e.number for e in entries]
        assert [json.loads(r["data"]) for r in found["events.csv"]] == [dict(e.data) for e in entries]

    def test_a_name_is_no_formula(self, tmp_path: Path) -> None:
        with Library.open(tmp_path / "games") as library:
            id = record_game(library)
            journal = library.journal(id)
            journal.append([Entry("dispute.opened", None, "=1+1 disputes.", {"by": "=1+1"}, "@SUM(A1)")])
            journal.close()
            export(library, id, ExportName.CSV, tmp_path / "game.zip")
        with zipfile.ZipFile(tmp_path / "game.zip") as together:
            *_, last = csv.DictReader(io.StringIO(together.read("events.csv").decode("utf-8")))
        assert (last["actor"], last["words"], last["data"]) == (
            "'@SUM(A1)",
            "'=1+1 disputes.",
            '{"by":"=1+1"}',
        )


class TestVideo:
    def test_one_film_as_long_as_the_game(self, made: Made, tmp_path: Path) -> None:
        export(made.library, made.id, ExportName.VIDEO, tmp_path / "game.mp4")
        with av.open(str(tmp_path / "game.mp4")) as film:
            times = [float(f.pts * f.time_base) for f in film.decode(video=0)]  # type: ignore[operator]
        segments = made.library.reader(made.id).segments()
        assert times == sorted(times)
        assert times[-1] == pytest.approx(segments[-1].ends_s - segments[0].begins_s, abs=0.01)

    def test_none_was_kept(self, tmp_path: Path) -> None:
        with Library.open(tmp_path / "games") as library:
            id = record_game(library)
            with pytest.raises(NothingToExport, match="no video was kept"):
                export(library, id, ExportName.VIDEO, tmp_path / "game.mp4")
        assert [p.name for p in tmp_path.iterdir()] == ["games"]


@pytest.mark.parametrize("form", list(ExportName))
def test_every_form_has_a_name_for_its_file(made: Made, form: ExportName) -> None:
    assert file_name(made.library, made.id, form).startswith(made.id)
    assert FORMS[form].ending in file_name(made.library, made.id, form)


def test_where_nothing_can_be_written(made: Made, tmp_path: Path) -> None:
    with pytest.raises(TableRefError, match="cannot write"):
        export(made.library, made.id, ExportName.JSONL, tmp_path / "nowhere" / "game.jsonl")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    with showing(tmp_path_factory.mktemp("games")) as one:
        yield one


class TestOverTheNet:
    def test_written_and_fetched_once(self, shown: Shown, tmp_path: Path) -> None:
        with httpx.Client(base_url=shown.url, timeout=120) as client, Library.open(tmp_path) as other:
            told = client.post(f"/api/exports/{shown.game}?to=jsonl").json()
            assert told["name"] == f"{shown.game}.jsonl"
            file = client.get(told["address"])
            assert "attachment" in file.headers["content-disposition"]
            assert bring_in(other, file.text.splitlines()) == shown.game
            assert other.game(shown.game).began == BEGAN
            assert client.get(told["address"]).status_code == 404

    @pytest.mark.parametrize(
        ("path", "status"),
        [("/api/exports/nothing?to=jsonl", 404), ("/api/exports/{game}?to=video", 409),
         ("/api/exports/{game}?to=scroll", 422), ("/api/exports/{game}", 422)],
    )  # fmt: skip
    def test_what_cannot_be(self, shown: Shown, path: str, status: int) -> None:
        answer = httpx.post(shown.url.rstrip("/") + path.format(game=shown.game))
        assert answer.status_code == status
        assert answer.json()["error"]

    def test_not_for_another_sites_page(self, shown: Shown) -> None:
        address = f"{shown.url}api/exports/{shown.game}?to=jsonl"
        assert httpx.post(address, headers={"origin": "http://evil.example"}).status_code == 403


# Foxglove


AT = 1_700_000_000_123_456_789
L_SHAPE = Footprint(np.array([(0, 0), (6, 0), (6, 2), (2, 2), (2, 5), (0, 5)], dtype=float))


def whole_table(status: Status = Status.STILL) -> TableState:
    standings = [Standing(p, pose, PoseUncertainty.exact(), status) for p, pose in STANDINGS.values()]
    standings.append(
        Standing(Piece("wall", "terrain", Body("wall", L_SHAPE, 2.0)), Pose(20, 5), PoseUncertainty.exact())
    )
    return TableState.of(SURFACE, standings)


def volume(points: Any, indices: Any) -> float:
    """What a closed skin of triangles encloses; positive only if all of them face outward."""
    corners = np.array([(p.x, p.y, p.z) for p in points])[np.array(indices).reshape(-1, 3)]
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6)


def test_every_piece_has_its_frame_where_it_stands() -> None:
    told = foxglove.transforms(whole_table(), AT)
    frames = {t.child_frame_id: t for t in told.transforms}
    assert frames.keys() == {*STANDINGS, "wall"}
    red, pose = frames["RED1"], STANDINGS["RED1"][1]
    assert red.parent_frame_id == "table"
    assert red.timestamp.ToNanoseconds() == AT
    assert (red.translation.x, red.translation.y) == pytest.approx((pose.x * 0.0254, pose.y * 0.0254))
    assert 2 * math.atan2(red.rotation.z, red.rotation.w) == pytest.approx(pose.heading, abs=1e-6)


def test_solids_are_as_large_as_the_pieces() -> None:
    told = foxglove.scene(whole_table(), AT, gone=["RED9"])
    solids = {e.id: e for e in told.entities}
    for standing in whole_table().standings:
        triangles = solids[standing.name].triangles[0]
        body = standing.piece.body
        expected = Polygon(body.footprint.outline).area * body.height * 0.0254**3
        assert volume(triangles.points, triangles.indices) == pytest.approx(expected, rel=1e-3)
        assert solids[standing.name].frame_id == standing.name
        assert [t.text for t in solids[standing.name].texts] == [standing.name]
    assert [d.id for d in told.deletions] == ["RED9"]


def test_a_covered_piece_fades() -> None:
    seen = foxglove.scene(whole_table(), AT)
    held = foxglove.scene(whole_table(Status.HELD), AT)
    assert seen.entities[1].triangles[0].color.a == 1.0
    assert held.entities[1].triangles[0].color.a < 0.5


def test_pictures_film_and_words() -> None:
    image = foxglove.picture(b"\xff\xd8jpeg", AT)
    film = foxglove.video(b"\0\0\0\1unit", AT)
    log = foxglove.told("RED1 stands still.", "camera.settled", 7, AT)
    assert (image.data, image.format) == (b"\xff\xd8jpeg", "jpeg")
    assert (film.data, film.format) == (b"\0\0\0\1unit", "h264")
    assert (log.message, log.name, log.line, log.level) == ("RED1 stands still.", "camera.settled", 7, 2)


@pytest.mark.parametrize("schema", [recording.ENTRY, recording.RULING_SCHEMA])
def test_schemas_are_schemas(schema: dict[str, Any]) -> None:
    jsonschema_rs.meta.validate(json.loads(json.dumps(schema)))
    assert schema["title"].split(".")[0] == "tableref"


@pytest.mark.parametrize(
    ("text", "rgb"),
    [("#d8453e", (0xD8, 0x45, 0x3E)), ("#fa0", (255, 170, 0)), ("Gold", (255, 215, 0)), ("reddish", None)],
)
def test_colours(text: str, rgb: tuple[int, int, int] | None) -> None:
    table = TableState.of(
        Region.rectangle(0, 0, 9, 9),
        [
            Standing(
                Piece("RED1", "car", STANDINGS["RED1"][0].body, colour=text),
                Pose(1, 1),
                PoseUncertainty.exact(),
            )
        ],
    )
    told = foxglove.scene(table, AT)
    colour = told.entities[1].triangles[0].color
    expected = (0.5, 0.5, 0.5) if rgb is None else tuple(v / 255 for v in rgb)
    assert (colour.r, colour.g, colour.b) == pytest.approx(expected, abs=1e-3)


# What is brought in


def spoilt(line: str) -> str:
    """The line with a list where text belongs."""
    value = json.loads(line)
    value["entry"]["words"] = ["no", "text"]
    return json.dumps(value)


WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "too long": (lambda _: '{"entry": "' + "x" * 5000 + '"}', "at most"),
    "nested": (lambda _: "[" * 4000, "line"),
    "another type": (spoilt, "does not fit its column"),
    "twice": (str, "there twice"),
}


@pytest.mark.parametrize("how", WRONG)
def test_what_is_no_export_is_refused_in_one_line(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    lines = (samples / "opening-round" / "game.jsonl").read_text(encoding="utf-8").splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith('{"entry"'))
    change, words = WRONG[how]
    if how == "twice":
        lines[at + 1] = lines[at]
    given = "\n".join([*lines[:at], change(lines[at]), *lines[at + 1 :]])
    if how == "too long":
        monkeypatch.setattr(jsonl, "LONGEST_LINE", max(map(len, lines[: at + 1])) + 100)
        given = given.replace("x" * 5000, "x" * 2 * jsonl.LONGEST_LINE)
    with Library.open(tmp_path) as library:
        with pytest.raises(NotAnExport, match=words) as told:
            bring_in(library, bounded(io.StringIO(given)))
        assert "\n" not in str(told.value)
        assert library.games() == ()


def test_a_line_without_an_end_is_not_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LONGEST_LINE", 100)
    assert len(next(bounded(io.StringIO("x" * 10_000)))) == 101


# What players chose in secret


CHOSEN = "swerve-to-the-left"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, str]]:
    with Library.open(tmp_path_factory.mktemp("games")) as library:
        id = record_game(library)
        journal = library.journal(id)
        journal.append([Entry(SECRET, None, "A choice.", {"sealed": {"choice": CHOSEN}}, "Anna")])
        journal.close()
        yield library, id


def test_whoever_goes_on_with_the_game_reads_it(kept: tuple[Library, str]) -> None:
    library, id = kept
    (entry,) = library.reader(id).entries((SECRET,))
    assert entry.data["sealed"]["choice"] == CHOSEN


@pytest.mark.parametrize("form", [f for f in ExportName if f is not ExportName.VIDEO])
def test_no_export_holds_it(kept: tuple[Library, str], tmp_path: Path, form: ExportName) -> None:
    library, id = kept
    path = tmp_path / "file"
    export(library, id, form, path, pictures=False)
    data = path.read_bytes()
    if form is ExportName.CSV:
        with zipfile.ZipFile(path) as together:
            data = b"".join(together.read(name) for name in together.namelist())
    if form is ExportName.MCAP:
        from mcap.reader import make_reader  # noqa: PLC0415 - this form alone is read with it

        with path.open("rb") as stream:
            data = b"".join(message.data for *_, message in make_reader(stream).iter_messages())
    assert data
    assert CHOSEN.encode() not in data
    assert SECRET.encode() not in data


def test_neither_replay_nor_what_is_asked_over_http(kept: tuple[Library, str]) -> None:
    library, id = kept
    reader = library.reader(id)
    assert "A choice." not in [tick.words for tick in Timeline(reader).after(0)]
    assert "A choice." not in [again.words for again in rule_again(reader)]
    source, rulings = HandMoved(), Rulings.by_book(None)
    routers = [replay_router(library, rulings, lambda: 0.0)]
    with PageServer(Runner(source, KnowsAll(source)), rulings, listen(port=0), routers=routers) as server:
        for path in ("", "/entries", "/disputes"):
            answer = httpx.get(f"{server.address}api/games/{id}{path}")
            assert answer.status_code == 200
            assert "A choice." not in answer.text
            assert CHOSEN not in answer.text
