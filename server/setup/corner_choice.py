"""Which tags mark the table's corners, and what is wrong when prints of two tables lie mixed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from calibration.fiducials import TagKey
from calibration.tablefile import TableFile
from server.setup.fitting.named import in_pixels
from server.setup.setup_messages import TagView
from server.setup.table_changes import SetupError
from server.table import gate
from vision.frame import Detection
from vision.tags.unnamed import USUAL_FAMILY, USUAL_TAGS

CORNERS: tuple[TagKey, ...] = tuple((USUAL_FAMILY, tag) for tag in range(4))
"""The tags that are printed for a table's corners."""


def chosen_corners(tags: Sequence[int]) -> tuple[TagKey, ...]:
    """The corners by the ids that somebody chose. Raises `SetupError` unless they are four to be seen."""
    keys = tuple((USUAL_FAMILY, tag) for tag in tags)
    if len(set(keys)) != len(CORNERS):
        raise SetupError(
            f"a table has four corner tags, each with an id of its own: choose four, not {len(set(keys))}"
        )
    unread = [tag for family, tag in keys if (family, tag) not in USUAL_TAGS]
    if unread:
        last = USUAL_TAGS[-1][1]
        raise SetupError(
            f"tag {unread[0]} is not looked for on a table that is not set up: choose ids up to {last}"
        )
    return keys


def doubled_corner(copies: Iterable[Detection], corners: Collection[TagKey]) -> str:
    """What to do where a corner's id is in view twice; "" where none is."""
    twice = sorted({d.tag for d in copies if (d.family, d.tag) in corners})
    if not twice:
        return ""
    which = f"tags {twice[0]}" if len(twice) == 1 else f"of each of the tags {', '.join(map(str, twice))}"
    return (
        f"Two {which} are in view, so nobody knows which marks the corner: prints of two tables are mixed, "
        "or one was printed twice. Take the other one away, or choose other tags as corners."
    )


def doubled_others(copies: Iterable[Detection], corners: Collection[TagKey]) -> list[str]:
    """What to do about other ids that are in view twice."""
    twice = sorted({d.tag for d in copies if (d.family, d.tag) not in corners})
    return [
        f"Two tags {tag} are in view: print one of them anew with an id of its own, or take it away."
        for tag in twice
    ]


def carriers(table: TableFile) -> Mapping[TagKey, str]:
    """Which piece carries a tag, by the table file."""
    return {(p.mount.family, p.mount.tag): p.name for p in table.pieces if p.mount is not None}


UNSCALED = 30.0
"""Pixels of an inch where no corner tag is in view: more than a whole table has."""


def tag_views(
    detections: Sequence[Detection], corners: Collection[TagKey], table: TableFile | None
) -> list[TagView]:
    """The tags in the picture, each with what it is."""
    carried = {} if table is None else carriers(table)
    views = []
    for d in sorted(detections, key=lambda d: (d.family, d.tag)):
        key = d.family, d.tag
        known: Literal["corner", "piece", "unknown"]
        known = "piece" if key in carried else "corner" if key in corners else "unknown"
        corners_px = in_pixels(d.corners)
        views.append(TagView(tag=d.tag, corners=corners_px, what=known, name=carried.get(key, "")))
    return views


def drawn_only(tags: Sequence[TagView], corner_in: float) -> list[TagView]:
    """The tags as a drawing has them, for a game that hides distances: those of pieces tell where they stand.

    `corner_in` is the black side of a corner tag, inches: by it the picture has its scale.
    """
    sides = [math.dist(*tag.corners[:2]) for tag in tags if tag.what == "corner"]
    scale = sum(sides) / len(sides) / corner_in if sides else UNSCALED
    return [
        tag if tag.what == "corner" else tag.model_copy(update={"corners": gate.pictured(tag.corners, scale)})
        for tag in tags
    ]
