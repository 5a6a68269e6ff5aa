"""A paper bridge that carries a tag over a car without a flat roof: cut out, fold, glue its feet on."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.prints.paper import Page
from calibration.prints.sheets import bordered_side

# A leg with its foot, inches: legs of up to 0.8 inch leave a foot of 0.3 to glue.
LEG = 1.1
FOOT = 0.3

# Marks to fold the foot at, inches from the upper fold.
EVERY = 0.1


@dataclass(frozen=True, slots=True)
class HolderPrint:
    """A tag on a bridge: two legs fold down before and behind it, each ends in a foot that folds outward.

    The feet are glued before and behind the cockpit: the tag lies level above it. Its black square is
    `size` inches, its top toward the nose. Marks every tenth of an inch tell how high each leg is folded:
    they may differ.
    """

    name: str
    tag: int
    size: float = 0.9
    family: str = "tag36h11"

    @property
    def width(self) -> float:
        """With the tag's white border, inches."""
        return bordered_side(self.family, self.tag, self.size)

    @property
    def height(self) -> float:
        """From foot to foot, laid flat, inches."""
        return self.width + 2 * LEG

    def draw(self, page: Page, x: float, y: float) -> None:
        """Draws it with its lower left corner at (x, y)."""
        side, low = self.width, y + LEG
        page.outline(x, y, side, self.height)
        page.tag(self.family, self.tag, x, low, self.size)
        for fold, away in ((low, -1.0), (low + side, 1.0)):
            page.dashes(x, fold, x + side, fold)
            for n in range(3, round((LEG - FOOT) / EVERY) + 1):
                level, tick = fold + away * n * EVERY, 0.12 if n % 5 == 0 else 0.06
                page.line(x, level, x + tick, level)
                page.line(x + side - tick, level, x + side, level)
        middle, room = x + side / 2, side - 0.3
        nose = low + side + 0.2
        page.polygon([(middle, nose), (middle - 0.08, nose - 0.09), (middle + 0.08, nose - 0.09)])
        page.text("fold down", middle, low + side + 0.03, room, size=0.07)
        page.text("fold down", middle, low - 0.09, room, size=0.07)
        page.text(f"{self.name} · {self.tag}", middle, low - 0.25, room, size=0.09)
        for level in (low + side + 0.55, low - 0.6):
            page.text("foot: fold outward", middle, level, room, size=0.07)
            page.text("at a mark, glue", middle, level - 0.1, room, size=0.07)
