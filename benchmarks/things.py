"""`python -m benchmarks.things FOLDER [--untold]|--sights N|--minutes M`: is what nobody named found, alone.

Frames with exact truth as in `shared/renders/things`: cars and terrain stand where the truth says, all else
on the table is unknown. A still is shown for four seconds, a sequence (`sequence.json`) at its own rate and
its last frame for four more. Counted are things of a square inch or more with visible contrast that nobody
holds: `found`, their share that is found within four seconds; `outline_in`, how far their outline in the
picture lies from what was found, inches on the table, where its edge is visible: nothing that is known stands
before or beside it, and colours differ across it; `outline_everywhere_in`, the same of the whole outline, the
dark sides of things in their own shadows with it; `coverage_95`, the share of the whole within its stated
95 %; `false_per_hour`, what was told where the truth has nothing; and `ms_per_frame`, at 15 frames a second.

With `--untold` the cars and terrain of such a folder are taken as things that nobody told of, a third of each
picture at a time: what the camera sees of them is in the mask of every pixel beside it.

With `--sights N` so many simulated tables are drawn in place of a folder, each with one to four pieces that
the table file does not name, or whose tag is another one than it says. After four seconds every line between
two cars is asked for. `wrong` are those told surely that are not so: of which pieces, and what was seen.

With `--minutes M` simulated tables on which everything is known are played so long in all, at two frames a
second by a clock that is handed in: pieces are pushed, hands come, rest and go, and a lamp is switched. Every
thing that is told is a false one: `false` says where, when and below which hand and light.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely import LineString, Polygon

from benchmarks.command import command
from benchmarks.renders import Mode
from benchmarks.truth import TrueFrame, pictures_with_truth, read_truth
from calibration.surface import Surface
from calibration.tablefile import parse_table
from engine.errors import TableRefError
from engine.measure.distances import sight
from engine.ruling import Measurement
from engine.space.geometry import FloatArray, Footprint, Pose, Region
from engine.space.pieces import Body, Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, Thing
from server.pipeline.referee import Referee
from vision.frame import Frame, Image
from vision.simulate.live import SimulatedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import named_scene
from vision.tags.reading import TagReader
from vision.things import LOOK_EVERY_S, ThingWatch, covered

SHOWN_S, FPS = 4.0, 15.0
LEAST_AREA, LEAST_CONTRAST, BEYOND_IN = 1.0, 15.0, 1.2
# Of a thing so much must be covered by what was found, and of what was found so little by nothing.
FOUND, OWN = 0.4, 0.3
# Untold pieces of a picture are so many shares; the labels of cars and terrain in its mask; what comes nearer
# to its rim, pixels, may be cut off there.
SHARES, LABELS, RIM_PX = 3, (100, 150), 6
# An edge is looked at so far to its sides and along it, inches; pieces hide a little beside them.
ACROSS_IN, STRETCH_IN, BESIDE_IN = 0.12, 0.1, 0.15


@dataclass
class Score:
    """What a run adds up."""

    wanted: int = 0
    found: int = 0
    false: int = 0
    seconds: float = 0.0
    spent: float = 0.0
    off: list[float] = field(default_factory=list)
    visible: list[bool] = field(default_factory=list)
    inside: list[bool] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """The sums as shares and percentiles."""
        everywhere = np.array(self.off or [math.nan])
        off = everywhere[np.array(self.visible or [True])]
        off = off if len(off) else np.array([math.nan])
        return {
            "found": None if not self.wanted else round(self.found / self.wanted, 4),
            "things": self.wanted,
            "outline_in": {"median": _told(np.median(off)), "p95": _told(np.percentile(off, 95))},
            "outline_everywhere_in": {
                "median": _told(np.median(everywhere)),
                "p95": _told(np.percentile(everywhere, 95)),
            },
            "visible": None if not self.visible else round(float(np.mean(self.visible)), 4),
            "false_per_hour": round(self.false / max(self.seconds, 1e-9) * 3600.0, 2),
            "false": self.false,
            "coverage_95": None if not self.inside else round(float(np.mean(self.inside)), 4),
            "ms_per_frame": round(1000.0 * self.spent / max(self.seconds * FPS, 1.0), 3),
            "missed": self.missed,
        }


def _told(value: Any) -> float | None:
    return None if math.isnan(value) else round(float(value), 4)


def shows(folder: Path) -> Iterator[tuple[str, list[tuple[float, TrueFrame]]]]:
    """What is shown and at which times, seconds: each still by itself, a sequence as one."""
    pairs = pictures_with_truth(folder)
    if not pairs:
        raise TableRefError(f"no picture with a truth file of the same name below {folder}")
    for place in sorted({truth.parent for truth, _ in pairs}):
        here = [(t, p) for t, p in pairs if t.parent == place]
        sequence = place / "sequence.json"
        if sequence.is_file():
            rate = float(json.loads(sequence.read_text(encoding="utf-8"))["fps"])
            frames = [read_truth(t, p) for t, p in here if t.stem.startswith("frame_")]
            here = [(t, p) for t, p in here if not t.stem.startswith("frame_")]
            times = [(k / rate, frame) for k, frame in enumerate(frames)]
            end = (len(frames) - 1) / rate
            more = [(end + k * LOOK_EVERY_S, frames[-1]) for k in range(1, _looks() + 1)]
            yield str(sequence), [*times, *more]
        for truth, picture in here:
            frame = read_truth(truth, picture)
            yield str(picture), [(k * LOOK_EVERY_S, frame) for k in range(_looks() + 1)]


def _looks() -> int:
    return round(SHOWN_S / LOOK_EVERY_S)


def play(
    name: str, shown: list[tuple[float, TrueFrame]], score: Score, untold: Mapping[int, Any] | None = None
) -> None:
    """One still or sequence, and what is told at its end; tags that are `untold` carry things by their id."""
    first, last = shown[0][1], shown[-1][1]
    keys = {(c.family, c.tag) for c in first.corners}
    image, before = first.image(), first
    read = TagReader.of(frozenset(keys)).read_all(Frame(image, 0.0, 0))
    surface = Mode().surface(first, first.lens, read)
    watch = ThingWatch(_table_of(first), [c.corners_at() for c in first.corners])
    told: tuple[Thing, ...] = ()
    for k, (at, truth) in enumerate(shown):
        if truth is not before:
            image, before = truth.image(), truth
        frame = Frame(image, at, k)
        began = time.process_time()
        told = watch.update(frame, surface, standings(truth, untold or ()))
        score.spent += time.process_time() - began
    score.seconds += shown[-1][0] - shown[0][0] + LOOK_EVERY_S
    _judge(name, last, surface, told, score, untold)


def standings(truth: TrueFrame, untold: Container[int] = ()) -> list[Standing]:
    """Cars and tagged terrain where they truly stand, but for what is untold: as the tracker holds them."""
    raws = {tag: raw for tag, raw in _tagged(truth).items() if tag not in untold}
    return [
        _standing(p, raws[p.mount.tag]) for p in truth.pieces if p.mount is not None and p.mount.tag in raws
    ]


def _tagged(truth: TrueFrame) -> dict[int, Any]:
    """The truth's cars and terrain by their tags."""
    every = (*truth.raw["cars"], *truth.raw["terrain"])
    return {int(raw["tag_id"]): raw for raw in every if raw["tag_id"] is not None}


def play_untold(folder: Path, score: Score) -> None:
    """Each picture that has a mask, as often as there are shares, its pieces shared out as untold things."""
    for truth_file, picture in pictures_with_truth(folder):
        masked = cv2.imread(str(picture.with_suffix(".mask.png")), cv2.IMREAD_GRAYSCALE)
        if masked is None:
            continue
        frame = read_truth(truth_file, picture)
        seen = dict(_masked(frame, np.asarray(masked, np.uint8)))
        for share in range(SHARES):
            untold = {tag: seen[tag] for tag in sorted(seen)[share::SHARES]}
            shown = [(k * LOOK_EVERY_S, frame) for k in range(_looks() + 1)]
            play(f"{picture}, {share + 1} of {SHARES}", shown, score, untold)


def _masked(truth: TrueFrame, masked: NDArray[np.uint8]) -> Iterator[tuple[int, dict[str, Any]]]:
    """What the camera sees of pieces, each whole and by itself, by its tag, as the truth tells of things."""
    image, tagged = truth.image(), _tagged(truth)
    stands_on = {p.mount.tag: p.body.footprint.outline for p in truth.pieces if p.mount is not None}
    for label in LABELS:
        _, parts = cv2.connectedComponents((masked == label).astype(np.uint8))
        at = {tag: np.rint(t.corners_in_image.mean(axis=0)).astype(int) for tag, t in truth.tags.items()}
        there = [tag for tag, (x, y) in at.items() if 0 <= y < len(parts) and 0 <= x < len(parts[0])]
        owners = [(int(parts[at[tag][1], at[tag][0]]), tag) for tag in there if tag in tagged]
        for part, tag in owners:
            own = (parts == part).astype(np.uint8)
            x, y, w, h = cv2.boundingRect(own)
            cut = x < RIM_PX or y < RIM_PX or x + w > own.shape[1] - RIM_PX or y + h > own.shape[0] - RIM_PX
            if part == 0 or cut or [p for p, _ in owners].count(part) > 1:
                continue
            near, far = (cv2.dilate(own, np.ones((2 * n + 1, 2 * n + 1), np.uint8)) for n in (4, 14))
            cloth = image[(far > near) & (masked == 0)]
            if not len(cloth):
                continue
            contrast = float(np.abs(image[own > 0] - np.median(cloth, axis=0)).mean())
            rim = max(cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0], key=len)[:, 0]
            yield tag, {
                "id": -tag, "kind": truth.tags[tag].role, "silhouette_px": rim.tolist(),
                "outline_in": stands_on[tag].tolist(), "contrast": contrast, "visible_fraction": 1.0,
            }  # fmt: skip


def _standing(piece: Piece, raw: dict[str, Any]) -> Standing:
    x, y, *_ = raw["center_in"]
    return Standing(piece, Pose(x, y, math.radians(raw["heading_deg"])), PoseUncertainty.exact())


def _table_of(truth: TrueFrame) -> Region:
    places = np.array([c.at for c in truth.corners])
    low, high = places.min(axis=0) - BEYOND_IN, places.max(axis=0) + BEYOND_IN
    return Region.rectangle(*low.tolist(), *(high - low).tolist())


def _judge(
    name: str,
    truth: TrueFrame,
    surface: Surface,
    told: tuple[Thing, ...],
    score: Score,
    untold: Mapping[int, Any] | None,
) -> None:
    """Holds what is told against what is there; where anything is `untold`, that alone is counted."""
    there = [*truth.raw.get("things", []), *(untold or {}).values()]
    seen = {t["id"]: Polygon(_on_table(surface, t)).buffer(0) for t in there if len(t["silhouette_px"]) > 2}
    found: dict[int, list[Thing]] = {}
    for thing in told:
        shape = thing.region.polygon.buffer(0)
        shares = {k: shape.intersection(s).area / max(min(shape.area, s.area), 1e-9) for k, s in seen.items()}
        best = max(shares, key=lambda k: shares[k], default=None)
        if best is None or shares[best] < OWN:
            score.false += 1
            score.missed.append(f"{name}: false at {np.round(thing.region.outline.mean(axis=0), 1).tolist()}")
        else:
            found.setdefault(best, []).append(thing)
    for raw in there if untold is None else untold.values():
        if not counts(raw):
            continue
        score.wanted += 1
        own, shape = found.get(raw["id"], []), seen.get(raw["id"])
        part = sum(t.region.polygon.buffer(0).intersection(shape).area for t in own) if shape else 0.0
        if shape is None or part < FOUND * shape.area:
            score.missed.append(f"{name}: {raw['kind']} {raw['id']} ({part:.1f} sq in of it found)")
            continue
        score.found += 1
        known = [covered(s, surface) for s in standings(truth, untold or ())]
        _outline(
            shape, own, score, Edges(truth.image(), surface, [Polygon(k).buffer(BESIDE_IN) for k in known])
        )


def counts(raw: dict[str, Any]) -> bool:
    """Whether a thing is one that has to be found."""
    area = Polygon(raw["outline_in"]).buffer(0).area
    plain = not raw.get("cloth_itself") and not raw.get("in_hand")
    return bool(
        plain and area >= LEAST_AREA and raw["contrast"] >= LEAST_CONTRAST and raw["visible_fraction"] > 0.5
    )


def _on_table(surface: Surface, raw: dict[str, Any]) -> FloatArray:
    """The outline that the camera sees, laid on the table, (n, 2) inches.

    The truth's goes through the middles of the outermost pixels: half a pixel inside of the edge.
    """
    seen = Polygon(raw["silhouette_px"]).buffer(0.5, join_style="mitre")
    whole = seen if isinstance(seen, Polygon) else seen.convex_hull
    return np.asarray(surface.table_from_image(np.array(whole.exterior.coords)[:-1]))


@dataclass(frozen=True)
class Edges:
    """Where edges are visible in a picture; `known`, polygons in inches, hides what lies below."""

    image: Image
    surface: Surface
    known: list[Polygon]

    def visible(self, ring: LineString, at: float) -> bool:
        """Whether colours differ enough across a ring there, in the mean of a stretch."""
        here = ring.interpolate(at)
        if any(k.contains(here) for k in self.known):
            return False
        sides: list[list[FloatArray]] = [[], []]
        for off in np.linspace(-STRETCH_IN, STRETCH_IN, 5):
            one, two = (ring.interpolate((at + float(off) + d) % ring.length) for d in (-0.05, 0.05))
            along = np.array([two.x - one.x, two.y - one.y])
            across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-9)
            middle = np.array([one.x + two.x, one.y + two.y]) / 2
            for side, way in zip(sides, (-ACROSS_IN, ACROSS_IN), strict=True):
                x, y = np.rint(self.surface.image_from_table((middle + way * across)[None])[0]).astype(int)
                if 0 <= x < self.image.shape[1] and 0 <= y < self.image.shape[0]:
                    side.append(self.image[y, x].astype(float))
        if not all(sides):
            return False
        one_side, other_side = (np.mean(side, axis=0) for side in sides)
        return bool(np.abs(one_side - other_side).mean() >= LEAST_CONTRAST)


def _outline(shape: Polygon, own: list[Thing], score: Score, edges: Edges) -> None:
    whole = shape if isinstance(shape, Polygon) else shape.convex_hull
    ring = LineString(whole.exterior.coords)
    rims = [LineString([*t.region.outline, t.region.outline[0]]) for t in own]
    for at in np.arange(0.0, ring.length, 0.1):
        off = min(rim.distance(ring.interpolate(float(at))) for rim in rims)
        score.off.append(off)
        score.inside.append(off <= 1.96 * own[0].sd)
        score.visible.append(edges.visible(ring, float(at)))


SHAPES = (
    Footprint.box(1.2, 1.2), Footprint.box(3.0, 2.0), Footprint.box(5.0, 0.8), Footprint.disc(2.2),
    Footprint.disc(3.4), Footprint.box(2.0, 4.5),
)  # fmt: skip
COLOURS = ("#c8322b", "#2f6fd0", "#e8e4da", "#202225", "#a3763f", "#6d4aa0", "#d8b13a", "#2e8b57", "#8b8378")
APART_IN, EDGE_IN, CARS, TOLD_TERRAIN, STRANGE_TAG = 4.2, 4.5, 4, 2, 200
# A colour is visible on a cloth that is off by so many levels in the mean; a line is clear or not by so much.
VISIBLE, CLEARLY_IN = 25.0, 0.02


@dataclass
class Sights:
    """What was asked of drawn tables, and told."""

    tables: int = 0
    lines: int = 0
    sure: int = 0
    told: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def ask_sights(seed: int, sums: Sights) -> None:
    """Draws a table with things that nobody told of, waits, and asks for every line between its cars."""
    rng = random.Random(seed)
    scene, untold, unread = _strewn(rng, named_scene(rng.choice(("default", "ground", "points"))))
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    source = SimulatedTable(scene, fps=1.0, clock=lambda: now[0], sleep=sleep)
    table = parse_table(scene.to_toml(), "simulated")
    told = tuple(_as_told(p, unread) for p in table.pieces if p.name not in untold)
    referee = Referee(replace(table, pieces=told), things=True)
    while now[0] <= SHOWN_S + 1.0:
        moment = referee.step(source.read())
        now[0] += 1e-3
    referee.close()
    there = {p.name: _exactly(p, scene.start[p.name]) for p in scene.pieces}
    sums.tables += 1
    cars = [s for s in moment.table.standings if s.piece.moves]
    for one, other in itertools.combinations(cars, 2):
        hiding = moment.table.hiding_between(one, other)
        said = _clear(one, other, moment.table.standings).unless_in_the_way(hiding).verdict().value
        truly = _clear(there[one.name], there[other.name], list(there.values())).value
        sums.lines += 1
        sums.told[said] += 1
        sums.sure += said in ("yes", "no")
        if (said == "yes" and truly < -CLEARLY_IN) or (said == "no" and truly > CLEARLY_IN):
            sums.wrong.append(
                f"seed {seed}: {one.name} to {other.name} is told {said}, and is {truly:+.2f} in; untold: "
                f"{', '.join(sorted(untold)) or 'none'}; unread: {', '.join(sorted(unread)) or 'none'}; "
                f"{len(moment.table.things)} things seen"
            )


def _strewn(rng: random.Random, scene: Scene) -> tuple[Scene, set[str], set[str]]:
    """A scene's cars and new terrain strewn about; which of it nobody tells of, and whose tags are others."""
    cars = [p for p in scene.pieces if p.moves and not p.follows][:CARS]
    cloth = np.array([int(scene.cloth[k : k + 2], 16) for k in (1, 3, 5)])
    seen = [
        c for c in COLOURS if np.abs([int(c[k : k + 2], 16) for k in (1, 3, 5)] - cloth).mean() >= VISIBLE
    ]
    count = rng.randint(1, 4)
    terrain = []
    for k in range(count + TOLD_TERRAIN):
        height = rng.uniform(0.5, 3.5)
        mount = TagMount("tag36h11", 60 + k, 0.9, height, sd_at=0.005, sd_turn=0.0035, sd_height=0.005)
        body = Body(f"block {k}", rng.choice(SHAPES), height)
        terrain.append(Piece(f"Block {k}", "terrain", body, mount, None, rng.choice(seen)))
    start: dict[str, Pose] = {}
    (x0, y0), (width, depth) = scene.near_left, scene.size
    for piece in (*cars, *terrain):
        for _ in range(200):
            pose = Pose(
                rng.uniform(x0 + EDGE_IN, x0 + width - EDGE_IN),
                rng.uniform(y0 + EDGE_IN, y0 + depth - EDGE_IN),
                rng.uniform(-math.pi, math.pi),
            )
            if all(math.dist(pose.xy, p.xy) >= APART_IN for p in start.values()):
                start[piece.name] = pose
                break
    pieces = tuple(p for p in (*cars, *terrain) if p.name in start)
    unknown = [p.name for p in terrain[:count] if p.name in start]
    # What is known and was never read keeps every line open: mostly there is none.
    unread = set(unknown[:1]) if rng.random() < 0.25 else set()
    return replace(scene, pieces=pieces, start=start), set(unknown) - unread, unread


def _as_told(piece: Piece, unread: set[str]) -> Piece:
    if piece.name not in unread or piece.mount is None:
        return piece
    return replace(piece, mount=replace(piece.mount, tag=piece.mount.tag + STRANGE_TAG))


def _exactly(piece: Piece, pose: Pose) -> Standing:
    return Standing(piece, pose, PoseUncertainty.exact())


def _clear(one: Standing, other: Standing, everything: Sequence[Standing]) -> Measurement:
    """Whether a line between the corners of two cars is clear, inches."""
    ends = (one.piece.body.footprint.outline, other.piece.body.footprint.outline)
    others = [s for s in everything if s.name not in (one.name, other.name) and s.piece.blocks_sight]
    return sight(one, ends[0], other, ends[1], others).at_least(0.0)


PLAYED_FPS, SCENES_PLAYED, LIGHTS, SWITCHED_S = 2.0, ("default", "points", "ground"), (1.0, 0.6, 1.25), 40.0
EACH_MINUTES = 3.0


@dataclass
class Played:
    """What minutes of play with hands, shadows and a lamp told."""

    minutes: float = 0.0
    frames: int = 0
    pushes: int = 0
    hands: int = 0
    false: list[str] = field(default_factory=list)


def play_minutes(seed: int, minutes: float, sums: Played) -> None:
    """Plays a known table so long, and counts what is told that is not there."""
    rng = random.Random(seed)
    name = SCENES_PLAYED[seed % len(SCENES_PLAYED)]
    scene, now, light = named_scene(name), [0.0], 1.0

    def sleep(seconds: float) -> None:
        now[0] += seconds

    source = SimulatedTable(scene, fps=PLAYED_FPS, clock=lambda: now[0], sleep=sleep)
    referee = Referee(parse_table(scene.to_toml(), "simulated"), things=True)
    cars = [p.name for p in scene.pieces if p.moves and p.name in scene.start]
    (x0, y0), (width, depth) = scene.near_left, scene.size
    due, switched, told, hand = 4.0, SWITCHED_S, set[str](), "none"
    # What lies there from the first on and is no piece, as a spare tag, is there.
    settled = 2.0 * SHOWN_S
    while now[0] < minutes * 60.0:
        frame = source.read()
        image = np.clip(frame.image * light, 0, 255).astype(np.uint8) if light != 1.0 else frame.image
        moment = referee.step(replace(frame, image=image))
        for thing in moment.table.things:
            if thing.name not in told and now[0] > settled:
                at = np.round(thing.region.outline.mean(axis=0), 1).tolist()
                sums.false.append(f"{name}, seed {seed}, {now[0]:.1f} s: at {at}, hand {hand}, light {light}")
            told.add(thing.name)
        sums.frames += 1
        if now[0] >= due:
            spot = (rng.uniform(x0 + 3, x0 + width - 3), rng.uniform(y0 + 3, y0 + depth - 3))
            hand = rng.choice(("push", "push", "over", "rests", "none"))
            source.show_hand(None)
            if hand == "push":
                pushed, to = rng.choice(cars), Pose(*spot, rng.uniform(-math.pi, math.pi))
                if _is_free(pushed, to, moment.table.standings):
                    source.move(pushed, to, "push")
                    sums.pushes += 1
            elif hand != "none":
                source.cover(spot)
                sums.hands += 1
            due = now[0] + rng.uniform(1.0, 2.5) + (4.0 if hand == "rests" else 0.0)
        if now[0] >= switched:
            light, switched = rng.choice([v for v in LIGHTS if v != light]), switched + SWITCHED_S
        now[0] += 1e-3
    referee.close()
    sums.minutes += minutes


def _is_free(name: str, pose: Pose, standings: Sequence[Standing]) -> bool:
    """Whether a car can be pushed there: nobody pushes it into a crate, as a drawn table would let it."""
    places = {s.name: s.piece.body.footprint for s in standings}
    if name not in places:
        return False
    there = Polygon(pose.to_table(places[name].outline))
    others = (s for s in standings if s.name != name and s.piece.solid)
    return not any(there.intersects(Polygon(s.pose.to_table(s.piece.body.footprint.outline))) for s in others)


def looked(
    folder: Annotated[Path | None, "of pictures with truth files beside them, or a clip"] = None,
    *,
    untold: Annotated[bool, "take the folder's cars and terrain as things that nobody told of"] = False,
    sights: Annotated[int | None, "so many drawn tables, and lines past pieces that nobody told of"] = None,
    minutes: Annotated[float | None, "so many of play with hands and a lamp, three a table"] = None,
    seed: Annotated[int, "the first one of `--sights` and `--minutes`"] = 1,
) -> dict[str, Any]:
    """The figures of a folder, of lines of sight, or of minutes of play; what is found then is false."""
    cv2.setNumThreads(1)
    if sights is not None:
        sums = Sights()
        for number in range(seed, seed + sights):
            ask_sights(number, sums)
        return {**asdict(sums), "told": dict(sums.told)}
    if minutes is not None:
        played = Played()
        for k in range(math.ceil(minutes / EACH_MINUTES)):
            play_minutes(seed + k, min(EACH_MINUTES, minutes - k * EACH_MINUTES), played)
        an_hour = round(len(played.false) * 60.0 / max(played.minutes, 1e-9), 2)
        return {**asdict(played), "false_per_hour": an_hour, "wrong": len(played.false)}
    if folder is None:
        raise TableRefError("expected a folder of pictures, --sights or --minutes")
    score = Score()
    # OpenCV works out its tables of colours when the first picture is turned: that is no cost of a frame.
    cv2.cvtColor(np.zeros((1, 1, 3), np.uint8), cv2.COLOR_BGR2LAB)
    folder = folder if folder.is_dir() else folder.parent
    if untold:
        play_untold(folder, score)
    for name, shown in shows(folder) if not untold else ():
        play(name, shown, score)
    return score.figures()


if __name__ == "__main__":
    sys.exit(command(looked))
