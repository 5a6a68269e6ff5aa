"""A game as an MCAP recording with Foxglove's messages: opens in Foxglove and Lichtblick.

Channels: `/tf` and `/scene` (where everything stands), `/events` (what happened, in words), `/rulings`
(answers with their numbers) and `/rulings/scene` (the lines that decided), `/record` (every entry,
whole), `/camera` (the video, picture by picture) and `/stills`. The recording's clock is the date and
hour: the game's beginning and the game's own time on it.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import IO, Any, NamedTuple

import av
from av.bitstream import BitStreamFilterContext
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.CompressedVideo_pb2 import CompressedVideo
from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
from foxglove_schemas_protobuf.Log_pb2 import Log
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from google.protobuf.message import Message
from mcap.writer import CompressionType, Writer
from mcap_protobuf.schema import register_schema

from engine.space.table import TableState
from server.exports import foxglove
from server.recording.journal import as_json, record_of
from server.recording.pictures.video import Segment
from server.recording.reader import Reader
from server.table.questions.question_log import RULING
from server.table.records import asked_of

Schema = dict[str, Any]


def _object(fields: dict[str, Schema], title: str | None = None) -> Schema:
    named = {} if title is None else {"title": title}
    return named | {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(*values: Any) -> Schema:
    return {"enum": list(values)}


_NUMBER: Schema = {"type": "number"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_TEXT: Schema = {"type": "string"}
_TIME = _object({"sec": _WHOLE, "nsec": _WHOLE | {"maximum": 999_999_999}})
_SOME: Schema = {"type": ["number", "null"]}

RULING_SCHEMA = _object(
    {
        "timestamp": _TIME,
        "question": _TEXT,
        "pieces": _list(_TEXT),
        "label": _TEXT,
        "verdict": _one_of("yes", "no", "too close to call"),
        "checks": _list(
            _object(
                {
                    "name": _TEXT,
                    "role": _one_of("condition", "modifier"),
                    "verdict": _one_of("yes", "no", "too close to call"),
                    "number": _SOME,
                    "limit": _SOME,
                    "margin": _SOME,
                    "sd": _SOME,
                    "p_yes": _SOME,
                    "unit": _TEXT,
                    "words": _TEXT,
                    "citation": _TEXT,
                    "blockers": _list(_TEXT),
                }
            )
        ),
    },
    "tableref.Ruling",
)
"""An answer with every number of it: inches, or degrees where `unit` says so."""

ENTRY = _object(
    {
        "number": _WHOLE,
        "kind": _TEXT,
        "at_s": _NUMBER,
        "source_s": {"type": ["number", "null"]},
        "wall": _TEXT,
        "actor": {"type": ["string", "null"]},
        "words": _TEXT,
        "data": {"type": "object"},
    },
    "tableref.Entry",
)
"""One entry of the record, whole; `at_s` counts seconds from the game's beginning."""


def ruling(data: Mapping[str, Any], at_ns: int) -> dict[str, Any]:
    """The data of a recorded ruling (`server.table.records.ruling_record`) as `RULING_SCHEMA` has it."""
    asked = asked_of(data)
    shape = RULING_SCHEMA["properties"]["checks"]["items"]["properties"]
    return {
        "timestamp": {"sec": at_ns // 1_000_000_000, "nsec": at_ns % 1_000_000_000},
        "question": data["question"],
        "pieces": list(asked.pieces),
        "label": asked.label,
        "verdict": data["verdict"],
        "checks": [{name: check[name] for name in shape} for check in data["checks"]],
    }


# The recording

log = logging.getLogger("tableref.exporting")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Channel:
    """A topic and the kind of its messages: one of Foxglove's, or our own with its JSON Schema."""

    topic: str
    kind: type[Message] | Schema

    def register(self, writer: Writer) -> int:
        """Makes it known to a recording, which numbers it."""
        if isinstance(self.kind, dict):
            shape = as_json(self.kind).encode()
            known = writer.register_schema(name=self.kind["title"], encoding="jsonschema", data=shape)
            return writer.register_channel(self.topic, "json", known)
        return writer.register_channel(self.topic, "protobuf", register_schema(writer, self.kind))


TF = Channel("/tf", FrameTransforms)
SCENE = Channel("/scene", SceneUpdate)
EVENTS = Channel("/events", Log)
RECORD = Channel("/record", ENTRY)
RULINGS = Channel("/rulings", RULING_SCHEMA)
WITNESS = Channel("/rulings/scene", SceneUpdate)
CAMERA = Channel("/camera", CompressedVideo)
STILLS = Channel("/stills", CompressedImage)

CHANNELS = (TF, SCENE, EVENTS, RECORD, RULINGS, WITNESS, CAMERA, STILLS)


Clock = Callable[[float], int]
"""The recording's time, nanoseconds, of the game's own, seconds."""


class Said(NamedTuple):
    """One message at its time; `order` keeps those of one instant as they are listed here."""

    at_ns: int
    order: int
    channel: Channel
    message: Message | dict[str, Any]


def write_mcap(stream: IO[bytes], reader: Reader, pictures: bool = True) -> None:
    """Writes a whole game; without its pictures and video unless they are wanted."""
    writer = Writer(stream, compression=CompressionType.ZSTD)
    writer.start(profile="", library=f"tableref {version('tableref')}")
    ids = {channel.topic: channel.register(writer) for channel in CHANNELS}
    game = reader.game
    writer.add_metadata("game", {"id": game.id, "name": game.name, "table": game.table_name})
    writer.add_attachment(0, 0, "table.toml", "application/toml", game.table_text.encode())
    for count, said in enumerate(_said(reader, pictures)):
        writer.add_message(ids[said.channel.topic], said.at_ns, _bytes(said.message), said.at_ns, count)
    writer.finish()  # type: ignore[no-untyped-call]


def _bytes(message: Message | dict[str, Any]) -> bytes:
    if isinstance(message, Message):
        return message.SerializeToString(deterministic=True)
    return as_json(message).encode()


def _said(reader: Reader, pictures: bool) -> Iterator[Said]:
    began_ns = (reader.game.began - EPOCH) // (datetime.resolution) * 1000

    def at_ns(at_s: float) -> int:
        return began_ns + round(at_s * 1_000_000_000)

    ways = [_tables(reader, at_ns), _entries(reader, at_ns)]
    if pictures:
        ways += [_stills(reader, at_ns), *(_film(s, at_ns) for s in reader.segments())]
    return heapq.merge(*ways, key=lambda said: said[:2])


def _tables(reader: Reader, at_ns: Clock) -> Iterator[Said]:
    """The poses whenever one has changed; the scene when a piece comes, goes, is covered or seen again."""
    poses: Any = None
    looks: dict[str, str] = {}
    for table in reader.tables():
        now = at_ns(table.time)
        looks_now = {s.name: str(s.status) for s in table.standings}
        if looks_now != looks:
            gone = sorted(looks.keys() - looks_now.keys())
            yield Said(now, 0, SCENE, foxglove.scene(table, now, gone))
            looks = looks_now
        poses_now = _poses(table)
        if poses_now != poses:
            yield Said(now, 1, TF, foxglove.transforms(table, now))
            poses = poses_now


def _poses(table: TableState) -> tuple[Any, ...]:
    return tuple((s.name, s.pose.x, s.pose.y, s.pose.heading) for s in table.standings)


def _entries(reader: Reader, at_ns: Clock) -> Iterator[Said]:
    last = 0.0
    for entry in reader.entries():
        # Told late, an entry stands where it was told: a recording's messages are in order.
        last = max(last, entry.at_s)
        now = at_ns(last)
        level = Log.WARNING if entry.kind.startswith("dispute.") else Log.INFO
        yield Said(now, 2, EVENTS, foxglove.told(entry.words, entry.kind, entry.number, now, level))
        yield Said(now, 3, RECORD, record_of(entry))
        if entry.kind == RULING:
            yield Said(now, 4, RULINGS, ruling(entry.data, now))
            yield Said(now, 5, WITNESS, foxglove.witness(entry.data, now))


def _stills(reader: Reader, at_ns: Clock) -> Iterator[Said]:
    for at_s in reader.stills():
        jpeg = reader.still_near(at_s)
        if jpeg is not None:
            now = at_ns(at_s)
            yield Said(now, 6, STILLS, foxglove.picture(jpeg, now))


def _film(segment: Segment, at_ns: Clock) -> Iterator[Said]:
    """A segment's pictures as the encoder made them; of a damaged one those that can be read."""
    try:
        with av.open(str(segment.path)) as container:
            stream = container.streams.video[0]
            plain = BitStreamFilterContext("h264_mp4toannexb", stream)
            for packet in container.demux(stream):
                if packet.pts is None or packet.time_base is None:
                    continue
                now = at_ns(segment.begins_s + float(packet.pts * packet.time_base))
                for unit in plain.filter(packet):
                    yield Said(now, 7, CAMERA, foxglove.video(bytes(unit), now))
    except (av.FFmpegError, IndexError, OSError) as error:
        log.warning("%s cannot be exported further: %s", segment.path, error)
