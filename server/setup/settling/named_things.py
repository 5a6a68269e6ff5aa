"""Somebody says what a thing on the table is: nothing, flat, terrain without a tag, or a piece that moved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from calibration.surface import Surface
from calibration.table_text import block, toml_of, with_block, without_block
from calibration.tablefile import TableFile, parse_table
from engine.errors import TableRefError
from engine.space.pieces import Piece
from engine.space.table import Thing, key_of
from server.formats.entries import Entry
from server.pipeline.referee import Moment, TableEvent
from server.pipeline.runner import Runner
from server.recording.outlined import OUTLINED, off_entry, outline_record
from server.setup.settling.same_camera import OWNER
from server.setup.settling.side_looks import SideLooks, side_router
from server.web.messages import Model, refusals
from vision.places import outlined_piece
from vision.side import SideHeight

PATH = "/api/things"
SAID = "camera.thing"
"""The kind of entry that is kept of what is no terrain."""

WORDS = {
    "flat": "{name} lies flat, and is in nobody's way",
    "nothing": "there is nothing where {name} was seen",
}
"""What is said of a thing, for people."""

ROCK = "#8b8378"
"""What terrain without a tag is drawn in."""

Name = Annotated[str, Field(max_length=80)]


class SayThing(Model):
    """What a thing is: *flat* (dice, paper), or *nothing* at all."""

    name: Name
    what: Literal["flat", "nothing"]


class KeepThing(Model):
    """A thing is terrain without a tag: what it is called, and how high somebody says it is, inches.

    Without a height it is as high as the last photograph from the side has told.
    """

    name: Name
    called: Annotated[str, Field(min_length=1, max_length=40)]
    height_in: Annotated[float, Field(gt=0.0, le=40.0)] | None = None


class MovedThing(Model):
    """A thing is a piece without a tag that stands here now."""

    name: Name
    piece: Name


class TakeOff(Model):
    """A piece without a tag is off the table."""

    piece: Name


class SaidThing(Model):
    """What was said of a thing, in words."""

    name: str
    words: str


def things_router(
    live: Runner, write: Callable[[str], None] | None = None, played: Callable[[], Collection[str]] = tuple
) -> APIRouter:
    """`/api/things`. `write` keeps a table file's text; without it a piece is kept for this evening.

    `played` names what a game is played with: nothing else is called so.
    """
    router = APIRouter()
    refused = refusals({409: "There is none"})
    terrain = Terrain(live, write, played)
    looks = SideLooks(terrain.table, terrain.found)
    router.include_router(side_router(looks))

    @router.post(PATH, response_model=SaidThing, responses=refused)
    def name_it(asked: SayThing) -> SaidThing:
        """The owner says what a thing is."""
        return terrain.named(asked.name, asked.what)

    @router.post(f"{PATH}/keep", response_model=SaidThing, responses=refused)
    def keep(asked: KeepThing) -> SaidThing:
        """The owner keeps a thing as terrain without a tag."""
        high = looks.height_of(asked.name) if asked.height_in is None else SideHeight(asked.height_in)
        return terrain.keep(asked.name, asked.called.strip(), high)

    @router.post(f"{PATH}/moved", response_model=SaidThing, responses=refused)
    def moved(asked: MovedThing) -> SaidThing:
        """The owner says that a thing is a piece without a tag that was moved: it is outlined anew."""
        return terrain.moved(asked.name, asked.piece)

    @router.post(f"{PATH}/off", response_model=SaidThing, responses=refused)
    def off(asked: TakeOff) -> SaidThing:
        """The owner says that a piece without a tag is off the table."""
        return terrain.off(asked.piece)

    return router


class Terrain:
    """Keeps, moves and takes off pieces without a tag, while a table is refereed.

    Several people may say so at once: one after the other, and of each thing once.
    """

    def __init__(
        self,
        live: Runner,
        write: Callable[[str], None] | None,
        played: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._live = live
        self._write = write
        self._played = played
        self._lock = threading.Lock()
        # What was said of a thing, and by which picture: the next one may have been looked at before that.
        self._said: dict[str, int] = {}

    def found(self, name: str) -> tuple[Moment, Thing]:
        """A thing by its name, as it is seen now. Raises what to tell if it is not there any more."""
        moment = self._live.moment
        there: dict[str, Thing] = {t.name: t for t in (() if moment is None else moment.table.things)}
        if moment is None or name not in there:
            raise gone(name)
        if moment.index <= self._said.get(name, -1) + 1:
            raise TableRefError(f"somebody has just said what {name} is: nothing was changed")
        return moment, there[name]

    def named(self, name: str, what: Literal["flat", "nothing"]) -> SaidThing:
        """A thing is in nobody's way."""
        with self._lock:
            moment, thing = self.found(name)
            if not self._live.name_thing(name):
                raise gone(name)
            self._said[name] = moment.index
            words = f"The owner says: {WORDS[what].format(name=name)}."
            data = {"thing": name, "what": what, **seen_as(thing)}
            # In the record first, then everybody is told.
            self._live.note(Entry(SAID, moment.time, words, data, OWNER))
            self._live.announce(TableEvent(moment.time, "camera", None, words))
            return SaidThing(name=name, words=words)

    def keep(self, name: str, called: str, height: SideHeight) -> SaidThing:
        """A thing is terrain of this name and height, inches, from now on."""
        with self._lock:
            table = self.table()
            if key_of(called) in map(key_of, (*(p.name for p in table.pieces), *self._played())):
                raise TableRefError(f"another piece is called {called} already: choose another name")
            moment, thing = self.found(name)
            piece = self._outlined(called, thing, height, moment)
            assert piece.spot is not None
            edges = f"The camera outlined it, ±{1.96 * piece.spot.sd:.2f} in."
            high = f", {height.height:g} in high."
            if height.sd:
                high = f". A photograph shows it {height.height:g} in high (±{1.96 * height.sd:.1f})."
            words = f"The owner says: {name} is {called}{high} {edges}"
            return self._take(moment, thing, piece, words, table.text)

    def moved(self, name: str, called: str) -> SaidThing:
        """A thing is this piece, which stood elsewhere: it is outlined where it stands now."""
        with self._lock:
            table = self.table()
            moment, thing = self.found(name)
            n, before = self._listed(table, called)
            assert before.spot is not None
            height = SideHeight(before.body.height, before.spot.height_sd)
            piece = self._outlined(before.name, thing, height, moment)
            words = f"The owner says: {name} is {before.name}, which was moved. The camera outlined it anew."
            return self._take(moment, thing, piece, words, without_block(table.text, ("piece", n)))

    def off(self, called: str) -> SaidThing:
        """A piece without a tag belongs to the table no more."""
        with self._lock:
            table, moment = self.table(), self._live.moment
            n, piece = self._listed(table, called)
            self._keep(without_block(table.text, ("piece", n)))
            time = 0.0 if moment is None else moment.time
            said = off_entry(piece.name, time, OWNER)
            self._live.note(said)
            self._live.adopt(self._parsed(without_block(table.text, ("piece", n)), table))
            self._live.announce(TableEvent(time, "camera", None, said.words))
            return SaidThing(name=piece.name, words=said.words)

    def _take(self, moment: Moment, thing: Thing, piece: Piece, words: str, text: str) -> SaidThing:
        before = self.table()
        text = with_block(text, terrain_text(piece, words))
        table = self._parsed(text, before)
        self._keep(text)
        data = {**outline_record(piece), "thing": str(thing.name), "seen": seen_as(thing)}
        # In the table file and in the record first, then everybody is told.
        self._live.note(Entry(OUTLINED, moment.time, words, data, OWNER))
        if not self._live.adopt(table, outlined=piece.name, thing=thing.name):
            raise TableRefError("the table was changed meanwhile: say it again")
        self._said[str(thing.name)] = moment.index
        self._live.announce(TableEvent(moment.time, "camera", None, words))
        return SaidThing(name=piece.name, words=words)

    def _outlined(self, called: str, thing: Thing, height: SideHeight, moment: Moment) -> Piece:
        if not isinstance(moment.surface, Surface):
            raise TableRefError(
                "the table is not found in the picture now: show its corner tags, and say it again"
            )
        checked = self.table().checked
        found = outlined_piece(called, thing, height.height, moment.surface, checked, height.sd)
        # Read back from its own text: what is refereed by, recorded and written is the same.
        text = with_block(without_pieces(self.table().text), terrain_text(found, ""))
        return self._parsed(text, self.table()).pieces[-1]

    def _keep(self, text: str) -> None:
        if self._write is not None:
            self._write(text)

    @staticmethod
    def _parsed(text: str, table: TableFile) -> TableFile:
        return parse_table(text, table.name, lens=table.lens)

    @staticmethod
    def _listed(table: TableFile, called: str) -> tuple[int, Piece]:
        for n, piece in enumerate(table.pieces):
            if key_of(piece.name) == key_of(called) and piece.spot is not None:
                return n, piece
        raise TableRefError(f"no piece without a tag is called {called!r}")

    def table(self) -> TableFile:
        """The table file by which things are kept. Raises what to do while there is none."""
        table = self._live.table
        if table is None:
            raise TableRefError("keep the table first: its corner tags say where things stand")
        return table


def gone(name: str) -> TableRefError:
    """What is told of a thing that is not seen any more."""
    return TableRefError(f"{name} is not on the table any more: nothing was changed")


def seen_as(thing: Thing) -> dict[str, Any]:
    """The outline of a thing as the camera saw it, inches."""
    outline = [[round(float(x), 3), round(float(y), 3)] for x, y in thing.region.outline]
    return {"outline_in": outline, "sd_in": thing.sd}


def without_pieces(text: str) -> str:
    """A table's text without its pieces."""
    for n in reversed(range(len(toml_of(text).get("piece", ())))):
        text = without_block(text, ("piece", n))
    return text


def terrain_text(piece: Piece, why: str) -> str:
    """The table of a piece without a tag, with comments."""
    spot = piece.spot
    assert spot is not None
    fields = {
        "name": piece.name,
        "kind": piece.kind,
        "colour": piece.colour or ROCK,
        "shape": "polygon",
        "footprint_in": [[round(float(x), 2), round(float(y), 2)] for x, y in piece.body.footprint.outline],
        "height_in": piece.body.height,
        **({"height_sd_in": spot.height_sd} if spot.height_sd else {}),
        "at_in": [round(spot.pose.x, 2), round(spot.pose.y, 2)],
        "edge_sd_in": round(spot.sd, 3),
    }
    height = "as a photograph from the side showed it" if spot.height_sd else "as somebody said"
    notes = {"height_in": height, "at_in": "as the camera outlined it; it carries no tag"}
    return block(f"# {why}\n[[piece]]" if why else "[[piece]]", fields, notes)
