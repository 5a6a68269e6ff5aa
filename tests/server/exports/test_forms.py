"""Recorded games taken along in every form, read back by others' libraries, and brought in again."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import httpx
import jsonschema_rs
import pytest
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.CompressedVideo_pb2 import CompressedVideo
from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
from foxglove_schemas_protobuf.Log_pb2 import Log
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from google.protobuf.unknown_fields import UnknownFieldSet
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from sqlalchemy import select

from engine.errors import TableRefError
from server.exports.forms import FORMS, ExportName, NothingToExport, export, file_name
from server.exports.jsonl import NotAnExport, bring_in, lines, tables
from server.formats.entries import Entry
from server.recording.errors import StorageTrouble
from server.recording.library import schema
from server.recording.library.database import NEWEST
from server.recording.library.games import Library
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
    """Everything that the library keeps of a game."""
    found = {}
    with library.engine.connect() as connection:
        game = select(schema.game).where(schema.game.c.id == id)
        found["game"] = [tuple(r) for r in connection.execute(game)]
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
            (lambda t: told(t, id=7), "line 1: expected an id"),
            (lambda t: told(t, began="yesterday"), "line 1: the game cannot be read"),
            (lambda t: told(t, lens="[]"), "line 1: the game cannot be read"),
            (lambda t: told(t, table_file="no table"), "line 1: the game cannot be read"),
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

    def test_where_its_pictures_cannot_be_kept(self, made: Made, tmp_path: Path) -> None:
        with Library.open(tmp_path / "other") as other:
            (tmp_path / "other" / "pictures").write_text("in the way")
            with pytest.raises(StorageTrouble, match="cannot be kept in"):
                bring_in(other, lines(made.library, made.id))
            assert other.games() == ()

    def test_nothing_is_written_beside_the_library(self, made: Made, tmp_path: Path) -> None:
        """Of an older version, so that it is unpacked into a library of then first."""
        old = told(list(lines(made.library, made.id)), id=str(tmp_path / "outside"))
        old[0] = old[0].replace(f'"library": "{NEWEST}"', '"library": "0001"')
        assert '"0001"' in old[0]
        before = sorted(tmp_path.rglob("*"))
        with Library.open(tmp_path / "other") as other, pytest.raises(NotAnExport, match="expected an id"):
            bring_in(other, [line for line in old if not line.startswith(('{"block', '{"dev', '{"cal'))])
        assert [p for p in sorted(tmp_path.rglob("*")) if tmp_path / "other" not in (p, *p.parents)] == before


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
