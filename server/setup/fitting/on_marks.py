"""Watches a piece that people put on the corner tags: each time that it comes to rest there is a place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.fiducials import TagKey
from calibration.mounts import Mounted, OnMark, beside, measure_mount
from calibration.surface import Surface, diagonal_crossing
from calibration.table_text import with_field
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from engine.space.pieces import Piece, TagMount
from engine.space.table import key_of
from server.setup.fitting.fit_messages import FitMeasuringView, MountView
from server.setup.table_changes import SetupError
from vision.frame import Detection

# A piece stands on a mark when the tag of either is so near the other's, inches; it rests when its tag is
# seen within so many pixels of where the last look saw it, and has been turned when by more than this.
NEAR_IN, RESTS_PX, TURNED = 0.7, 0.6, math.radians(30.0)
# The camera has been moved when most flat tags are seen so many pixels from where they were.
MOVED_PX = 2.0
# A place on the piece that is known no better than this says nothing, inches.
ENOUGH_IN = 0.15


@dataclass(frozen=True, eq=False)
class _Place:
    mark: TagKey
    heading: float
    seen: OnMark


class MarksWatch:
    """Remembers where the flat tags lie in the picture, and collects a piece's places on them."""

    def __init__(self) -> None:
        self.name: str | None = None
        self._marks: dict[TagKey, FloatArray] = {}
        self._places: list[_Place] = []
        self._at: FloatArray | None = None
        self._left = True

    def begin(self, name: str) -> None:
        """Measures this piece from now on; what was seen of another one is forgotten."""
        self.name, self._places, self._at, self._left = name, [], None, True

    def stop(self) -> None:
        """Measures nothing any more."""
        self.name = None

    def forget(self) -> None:
        """Another camera or another table: nothing that was seen counts any more."""
        self.stop()
        self._marks.clear()

    def look(self, detections: Sequence[Detection], table: TableFile, surface: Surface | None) -> None:
        """Takes what one look at the picture has read."""
        seen = {(d.family, d.tag): d for d in detections}
        carried = {(p.mount.family, p.mount.tag) for p in table.pieces if p.mount is not None}
        flat = {k: seen[k].corners for k in table.keys if k in seen and k not in carried}
        known = [k for k in flat if k in self._marks]
        moved = [k for k in known if np.abs((flat[k] - self._marks[k]).mean(axis=0)).max() > MOVED_PX]
        if len(moved) >= 2 and 2 * len(moved) > len(known):
            self._marks.clear()
            self._places.clear()
        self._marks.update(flat)
        piece = self._piece(table)
        if piece is not None and piece.mount is not None and surface is not None:
            self._follow(seen.get((piece.mount.family, piece.mount.tag)), piece.mount, surface)

    def _piece(self, table: TableFile) -> Piece | None:
        if self.name is None:
            return None
        return next((p for p in table.pieces if key_of(p.name) == key_of(self.name or "")), None)

    def _follow(self, tag: Detection | None, mount: TagMount, surface: Surface) -> None:
        if tag is None:
            self._at = None
            return
        here = diagonal_crossing(tag.corners)[0]
        rests = self._at is not None and float(np.hypot(*(here - self._at))) < RESTS_PX
        self._at = here
        place = self._standing(tag, mount, surface)
        if place is None:
            self._left = True
        elif rests:
            last = self._places[-1] if self._places else None
            same = last is not None and last.mark == place.mark
            turned = last is not None and abs(math.remainder(place.heading - last.heading, math.tau)) > TURNED
            if same and not turned and not self._left:
                # Pushed a little once more, or still there: that place, seen better.
                self._places[-1] = place
            else:
                self._places.append(place)
            self._left = False

    def _standing(self, tag: Detection, mount: TagMount, surface: Surface) -> _Place | None:
        """The place on the mark that the tag's piece stands on, if it does."""
        on_table = surface.table_from_image(tag.corners, mount.height)
        centre = on_table.mean(axis=0)
        up = on_table[0] + on_table[1] - on_table[2] - on_table[3]
        for key, corners in self._marks.items():
            mark = surface.table_from_image(corners).mean(axis=0)
            if math.dist(mark, centre) < NEAR_IN + math.hypot(mount.body_from_tag.x, mount.body_from_tag.y):
                seen = OnMark(tag.corners, tag.covariance, corners)
                return _Place(key, math.atan2(up[1], up[0]), seen)
        return None

    def found(self, table: TableFile, surface: Surface | None) -> Mounted | None:
        """How the tag sits, from all places so far.

        Where they tell the height better than the file does, what the file says of it counts too.
        """
        piece = self._piece(table)
        if piece is None or piece.mount is None or surface is None:
            return None
        found = measure_mount(surface, piece.mount, middle_of(piece), [p.seen for p in self._places])
        if found is None:
            return None
        stated = stated_mount(piece.mount, table)
        return beside(found, stated.height, stated.sd_height) if "height" in surer(found, stated) else found

    def view(self, table: TableFile | None, surface: Surface | None) -> FitMeasuringView | None:
        """What the page shows of it; None while nothing is measured."""
        piece = None if table is None else self._piece(table)
        if table is None or piece is None or piece.mount is None:
            return None
        found = self.found(table, surface)
        stated = stated_mount(piece.mount, table)
        return FitMeasuringView(
            name=piece.name,
            words=self._words(piece.name, surface),
            places=len(self._places),
            stated=_view(stated),
            found=None if found is None else _view(found),
            may_keep=found is not None and bool(surer(found, stated)),
            of_both=found is not None and found.of_both,
        )

    def _words(self, name: str, surface: Surface | None) -> str:
        if surface is None or not self._marks:
            return "Uncover the corner tags: the camera must have seen where they lie."
        if not self._places:
            return (
                f"Put {name} on a corner tag: its middle on the middle of the tag, its sides along the "
                "printed edges. Then let go."
            )
        last = self._places[-1]
        there = [p.heading for p in self._places if p.mark == last.mark]
        if max(abs(math.remainder(a - last.heading, math.tau)) for a in there) < math.pi / 2:
            return f"Seen on tag {last.mark[1]}. Turn it about there: the nose where the tail was."
        used = {p.mark for p in self._places}
        free = [k for k in self._marks if k not in used]
        if not free and surface.lens.guessed:
            return (
                "Keep it. The height stays open while the lens is not calibrated: how far away the camera is "
                "is known too badly. Measure again after that."
            )
        if not free:
            return "Keep it, or put it on the tags again: each time makes it surer."
        here = self._marks[last.mark].mean(axis=0)
        far = max(free, key=lambda k: float(np.hypot(*(self._marks[k].mean(axis=0) - here))))
        return f"Seen both ways on tag {last.mark[1]}. Now put it on tag {far[1]}, in the same way."


def middle_of(piece: Piece) -> FloatArray:
    """The middle of a piece's outline in its body's frame, (2,) inches."""
    outline = piece.body.footprint.outline
    return np.asarray((outline.min(axis=0) + outline.max(axis=0)) / 2)


def stated_mount(mount: TagMount, table: TableFile) -> Mounted:
    """What the table file says of a tag, as if it had been measured."""
    # The cloth rises and falls under every piece, measured or not.
    height = table.accuracy.height_on_piece(mount.sd_height)
    place = mount.body_from_tag
    return Mounted(
        mount.height, height, (place.x, place.y), mount.sd_at, place.heading, mount.sd_turn, 0
    )  # fmt: skip


def surer(found: Mounted, stated: Mounted) -> list[str]:
    """What was found better than it is stated: of *height*, *at* and *turn*."""
    if found.sd_at > ENOUGH_IN:
        return []
    sds = {
        "height": (found.sd_height, stated.sd_height),
        "at": (found.sd_at, stated.sd_at),
        "turn": (found.sd_turn, stated.sd_turn),
    }
    return [name for name, (now, before) in sds.items() if now < before]


def with_mount(table: TableFile, name: str, found: Mounted) -> str:
    """The table's text with what was found of a piece's tag. Raises `SetupError` where nothing is surer."""
    number = next(n for n, p in enumerate(table.pieces) if key_of(p.name) == key_of(name))
    piece = table.pieces[number]
    assert piece.mount is not None
    kept = surer(found, stated_mount(piece.mount, table))
    if not kept:
        raise SetupError(
            f"what is stated of the tag on {piece.name} is surer than what was seen: put it on "
            "more corner tags, and turn it about on each"
        )
    why = f"measured by the camera, on {found.places} places"
    fields: dict[str, object] = {}
    if "height" in kept:
        fields |= {"tag_height_in": round(found.height, 3), "tag_sd_height_in": round(found.sd_height, 3)}
    if "at" in kept:
        fields |= {"tag_at_in": [round(v, 3) for v in found.at], "tag_sd_at_in": round(found.sd_at, 3)}
    if "turn" in kept:
        fields |= {
            "tag_turn_deg": round(math.degrees(found.turn), 2),
            "tag_sd_turn_deg": round(math.degrees(found.sd_turn), 2),
        }
    text = table.text
    for field, value in reversed(fields.items()):
        and_stated = f"; the {piece.mount.height:.2f} in stated before counts too" if found.of_both else ""
        told = why + and_stated if field == "tag_height_in" else why
        text = with_field(text, ("piece", number), field, value, told)
    return text


def _view(m: Mounted) -> MountView:
    return MountView(
        height_in=round(m.height, 3), sd_height_in=round(m.sd_height, 3),
        at_in=(round(m.at[0], 3), round(m.at[1], 3)), sd_at_in=round(m.sd_at, 3),
        turn_deg=round(math.degrees(m.turn), 2), sd_turn_deg=round(math.degrees(m.sd_turn), 2),
    )  # fmt: skip
