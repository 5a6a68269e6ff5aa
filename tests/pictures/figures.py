"""`python -m tests.pictures.figures [FOLDER]`: draws the figures of `docs/measuring.md`, into `docs/figures`.

Each figure shows the same table as the example beside it, measured when it is drawn.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from engine.drawing.svg import BLOCKED, CLEAR, NOTE, PALE, Drawing
from engine.measure import distances
from engine.measure.arcs import Arc
from engine.measure.nearby import next_in_line, within
from engine.measure.seeing.closest import closest_visible
from engine.measure.seeing.visible import visible_region
from engine.measure.sweep import Step, Straight, Turn, first_touch, poses_along
from engine.motion.reach import reachable
from engine.motion.recognition import rear_of, recognise
from engine.ruling import Measurement, in_words, normal_cdf
from engine.space.catalogue import box, car, cylinder
from engine.space.geometry import Pose, Region
from engine.space.pieces import Body, Piece, PieceKind
from engine.space.table import PoseUncertainty, Standing

MIDDLE = [(0.0, 0.0)]


def tell(drawing: Drawing, measured: Measurement, words: str, *, good: bool | None = None) -> None:
    """The witness line of a measurement with its words beside the middle."""
    line = measured.witness.line
    if line is None:
        return
    colour = NOTE if good is None else CLEAR if good else BLOCKED
    drawing.line(line, colour=colour, width=2.0, dashed=good is False)
    for end in line:
        drawing.dot(end, colour=colour)
    drawing.label(line.mean(axis=0) + np.array([0.0, 0.25]), words, colour=colour)


def stand(name: str, body: Body, x: float, y: float, degrees: float = 0.0, sd: float = 0.0) -> Standing:
    """A piece on the table, its place known to `sd` inches."""
    kind: PieceKind = "terrain" if body.tyres is None else "car"
    known = PoseUncertainty.isotropic(sd, sd / 2)
    return Standing(Piece(name, kind, body), Pose(x, y, math.radians(degrees)), known)


SEDAN = car("sedan")
RED = stand("Red", SEDAN, 3, 3, 20, sd=0.02)
BLUE = stand("Blue", SEDAN, 12, 5, 100, sd=0.02)
CRATE = stand("Crate", box(1, 3, 2), 8, 3.2, sd=0.02)
TIN = stand("Tin", cylinder(1.6, 3), 7.6, 7, sd=0.02)


def _drawing(pieces: Sequence[Standing], view: tuple[float, float, float, float] = (0, 0, 15, 9)) -> Drawing:
    x0, y0, x1, y1 = view
    drawing = Drawing(Region.rectangle(x0, y0, x1 - x0, y1 - y0), scale=36)
    for piece in pieces:
        drawing.piece(piece)
    return drawing


def _tyre_sight(blockers: Sequence[Standing]) -> distances.Measurement:
    return distances.sight(RED, distances.front_tyres(RED), BLUE, distances.tyres(BLUE), blockers)


def draw_range() -> Drawing:
    """From a front tyre to the nearest tyre."""
    drawing = _drawing([RED, BLUE])
    found = distances.tyre_range(RED, BLUE)
    tell(drawing, found, f"{in_words(found.value, 'in')} ±{found.sd:.2f}")
    return drawing


def draw_edges() -> Drawing:
    """Edge to edge, and an overlap."""
    other = stand("Green", SEDAN, 5.2, 6.6, 65)
    ram = stand("Black", SEDAN, 11.5, 3.6, 20)
    drawing = _drawing([RED, BLUE, other, ram])
    gap = distances.contact(RED, other)
    tell(drawing, gap, in_words(gap.value, "in"))
    depth = distances.contact(BLUE, ram)
    drawing.label((11.6, 1.6), f"overlap {in_words(-depth.value, 'in')}", colour=BLOCKED)
    return drawing


def draw_closest() -> Drawing:
    """The shortest unobstructed segment, against the shortest one."""
    drawing = _drawing([RED, BLUE, CRATE])
    direct = distances.edge_range(RED, BLUE)
    tell(drawing, direct, "", good=False)
    found = closest_visible(RED, BLUE, [CRATE])
    assert found is not None
    tell(drawing, found, in_words(found.value, "in"), good=True)
    return drawing


def draw_sight() -> Drawing:
    """Tyre to tyre: the best line past a crate."""
    drawing = _drawing([RED, BLUE, CRATE, TIN])
    found = _tyre_sight([CRATE, TIN])
    tell(drawing, found, f"{in_words(found.value, 'in')} to spare", good=found.value >= 0)
    return drawing


def draw_corridor() -> Drawing:
    """Any part to any part: the widest strip of clear lines."""
    drawing = _drawing([RED, BLUE, CRATE, TIN])
    found = distances.outline_sight(RED, BLUE, [CRATE, TIN])
    line = found.witness.line
    assert line is not None
    along = (line[1] - line[0]) / np.hypot(*(line[1] - line[0]))
    side = np.array([-along[1], along[0]]) * found.value / 2
    strip = np.array([line[0] - side, line[1] - side, line[1] + side, line[0] + side])
    drawing.polygon(strip, fill=CLEAR, line=CLEAR, opacity=0.25)
    tell(drawing, found, f"{in_words(found.value, 'in')} wide", good=True)
    return drawing


def draw_heights() -> Drawing:
    """Seen from the side: a shot over a wall."""
    drawing = _drawing([], (0, -0.6, 15, 5))
    drawing.line([(0.3, 0), (14.7, 0)], colour=PALE)
    drawing.polygon([(7.5, 0), (8.5, 0), (8.5, 2), (7.5, 2)], fill="#d9cfbd")
    for muzzle, target, good in ((3.5, 1.0, True), (1.0, 1.0, False)):
        drawing.line(
            [(1.5, muzzle), (13.5, target)], colour=CLEAR if good else BLOCKED, width=2, dashed=not good
        )
        drawing.label((1.4, muzzle - 0.1), f"{muzzle:g} in", anchor="end")
    drawing.label((8, -0.4), "a crate 2 in high")
    return drawing


def draw_visible() -> Drawing:
    """What Red's middle sees of the table."""
    view = (0.0, 0.0, 15.0, 9.0)
    drawing = _drawing([], view)
    blockers = [CRATE, TIN]
    seen = visible_region(RED.pose.xy, Region.rectangle(0, 0, 15, 9), [*blockers, BLUE])
    drawing.polygon(seen.outline, fill=CLEAR, line=CLEAR, opacity=0.15)
    for piece in (RED, BLUE, *blockers):
        drawing.piece(piece)
    return drawing


def draw_arc() -> Drawing:
    """A half-plane ahead of the front axle, and a turret's cone."""
    drawing = _drawing([RED, BLUE])
    axle = RED.pose.to_table(RED.piece.body.front_axle)
    across = RED.pose.rotation @ (0.0, 1.0)
    drawing.line([axle - 4 * across, axle + 6.2 * across], dashed=True)
    found = distances.arc(RED, Arc.at(SEDAN, "front axle"), BLUE)
    tell(drawing, found, f"{in_words(found.value, 'in')} inside")
    cone = Arc.at(SEDAN, "middle", width=math.radians(40))
    for side in (-1, 1):
        turn = RED.pose.heading + side * cone.width / 2
        drawing.line([RED.pose.xy, RED.pose.xy + 7 * np.array([math.cos(turn), math.sin(turn)])], colour=NOTE)
    return drawing


def draw_contact() -> Drawing:
    """The first touch of a turn and a run."""
    mover = stand("Red", SEDAN, 3, 3, -10)
    steps: list[Step] = [Straight(2), Turn(math.radians(35), rear_of(SEDAN)), Straight(8)]
    drawing = _drawing([mover, BLUE])
    touch = first_touch(mover, steps, [BLUE])
    assert touch is not None
    for pose in (*poses_along(mover.pose, steps)[1:3], touch.pose):
        drawing.polygon(pose.to_table(SEDAN.footprint.outline), line=NOTE)
    drawing.dot(touch.point, radius=0.14, colour=BLOCKED)
    drawing.label(
        touch.point + np.array([0.3, -0.7]), f"{touch.kind} after {touch.travelled:.2f} in", anchor="start"
    )
    return drawing


def draw_nearby() -> Drawing:
    """Within five inches, straight behind, next in line."""
    red = stand("Red", SEDAN, 7, 4)
    others = [
        stand("Behind", SEDAN, 2.2, 4.3), stand("Blue", SEDAN, 10.8, 5.2, 20),
        stand("Next", SEDAN, 13.2, 6.2, 90), stand("Tin", cylinder(1.2, 2), 7.5, 7.2),
    ]  # fmt: skip
    drawing = _drawing([red, *others])
    for near in within(red, 2.5, others):
        tell(drawing, near.distance, in_words(near.distance.value, "in"))
    line = next_in_line(red, (0, 0), others[1], others)
    drawing.line(
        [red.pose.xy, red.pose.xy + 1.75 * (others[1].pose.xy - red.pose.xy)], dashed=True, colour=BLOCKED
    )
    drawing.label((11.6, 3.6), f"then {', '.join(line)}", colour=BLOCKED)
    return drawing


DONE: list[Step] = [Straight(2.1), Turn(math.radians(51), rear_of(SEDAN)), Straight(3)]


def track() -> list[Pose]:
    """A hand pushes a car through `DONE`: poses as a camera might see them, without noise."""
    at = Pose(2, 3, 0)
    poses = [at] * 5
    for step in DONE:
        poses += [step.part(k / 12).after(at) for k in range(1, 13)]
        at = step.after(at)
    return [*poses, *[at] * 5]


def draw_manoeuvre() -> Drawing:
    """A track, and what it was."""
    drawing = _drawing([], (0, 0, 12, 9))
    for pose in track()[::3]:
        drawing.polygon(pose.to_table(SEDAN.footprint.outline), line=PALE)
    seen = recognise(track(), pivot=rear_of(SEDAN))
    drawing.polygon(seen.end.to_table(SEDAN.footprint.outline), line=CLEAR)
    drawing.label((0.3, 8.4), seen.words, anchor="start")
    return drawing


def draw_reach() -> Drawing:
    """Where a car may end with six inches and one turn."""
    red = stand("Red", SEDAN, 3, 5)
    found = reachable(red, 6, pivot=rear_of(SEDAN), surface=Region.rectangle(0, 0, 15, 10), blockers=[TIN])
    drawing = _drawing([], (0, 0, 15, 10))
    for outline in found.outlines:
        drawing.polygon(outline, fill=CLEAR, line=CLEAR, opacity=0.2)
    for piece in (red, TIN):
        drawing.piece(piece)
    return drawing


def draw_uncertainty() -> Drawing:
    """A limit, and two ranges: one that can be called and one that cannot."""
    drawing = _drawing([], (-1, 0, 14, 5))
    drawing.line([(7, 0.3), (7, 4.6)], dashed=True)
    drawing.label((7, 4.7), "Short Range 10 in")
    for y, middle, sd, verdict in ((2.7, 4.9, 0.7, "yes"), (0.7, 6.4, 0.9, "too close to call")):
        words = f"{verdict}: {normal_cdf((7 - middle) / sd):.1%} sure"
        x = np.linspace(-3.5, 3.5, 61)
        bell = np.stack([middle + x * sd, y + 1.3 * np.exp(-(x**2) / 2)], axis=1)
        drawing.polygon(bell, fill=NOTE, line=NOTE, opacity=0.25)
        drawing.label((11.2, y + 0.3), words)
    return drawing


FIGURES: Mapping[str, Callable[[], Drawing]] = {
    "range": draw_range,
    "edges": draw_edges,
    "closest": draw_closest,
    "sight": draw_sight,
    "corridor": draw_corridor,
    "heights": draw_heights,
    "visible": draw_visible,
    "arc": draw_arc,
    "contact": draw_contact,
    "nearby": draw_nearby,
    "manoeuvre": draw_manoeuvre,
    "reach": draw_reach,
    "uncertainty": draw_uncertainty,
}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2] / "docs" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        (folder / f"{name}.svg").write_text(draw().text(), encoding="utf-8", newline="\n")
        print(f"drew {folder / name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
