"""The sentence at the top of the set-up page: what to do now, and at which step that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from server.setup.printing.advice import FOUND_PX, measured_view, too_small
from server.setup.printing.last_look import LastLook
from server.setup.setup_messages import CardView, SurfaceState
from vision.tags.mirrored import MIRRORED_WORDS

Step = Literal["camera", "surface", "pieces", "play"]

NO_CAMERA = "Choose the camera that looks down on the table."

ENOUGH_PX = 720
"""The shorter side of a picture in which corner tags of the usual size are wide enough, pixels."""

MODULES = 8
"""Modules across the black square of the usual family."""


def next_step(
    waiting: str | None, mirrored: bool, look: LastLook, surface: SurfaceState, cards: Sequence[CardView]
) -> tuple[Step, str]:
    """What is to be done now; `waiting` says why there is no picture, None where there is one."""
    if waiting is not None or mirrored or look.frame is None:
        return "camera", waiting or (MIRRORED_WORDS if mirrored else NO_CAMERA)
    picture = look.frame.size
    if not surface.found or look.table is None:
        # How surely distances are known stands in its step, for who asks; here stands what is to be done.
        asked, mark, _ = surface.words.partition("? ")
        found_words = f"{asked}{mark.rstrip()}"
        return "surface", found_words if surface.found else f"{surface.words} {few_pixels(picture)}".rstrip()
    driven = [p for p in look.table.pieces if p.driven]
    if len(driven) < 2:
        if cards:
            return "pieces", "Say what carries the tags that are seen."
        few = None if look.found is None else too_small(measured_view(*look.found), picture)
        return "pieces", few or "Put a car with a roof tag on the table: it appears here by itself."
    more = f" {len(cards)} more {'tag has' if len(cards) == 1 else 'tags have'} no name." if cards else ""
    return "play", f"Ready: ask for the first ruling.{more}"


def few_pixels(picture: tuple[int, int]) -> str:
    """What a small picture asks of corner tags that are not seen; empty for one of the usual size.

    >>> few_pixels((640, 480)).partition(". ")[0], few_pixels((1280, 720))
    ('The picture is small, 640 × 480 pixels, and a corner tag must be 18 wide in it', '')
    """
    if min(picture) >= ENOUGH_PX:
        return ""
    return (
        f"The picture is small, {picture[0]} × {picture[1]} pixels, and a corner tag must be "
        f"{math.ceil(FOUND_PX * MODULES)} wide in it. Choose a larger picture size if the camera offers it "
        "(Source, on the table's page), bring the camera closer, or print larger corner tags."
    )
