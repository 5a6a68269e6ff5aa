"""`python -m benchmarks.sight [--json]`: how fast, how true and how well calibrated sight is measured.

One core, everything in the same run. `--scenes N` sets how many random scenes are held against
whole-number arithmetic and shapely (a five-hundredth of them also against dense sampling, any part to
any part). `--plot FILE` writes the growth with the number of blockers as an SVG.

Peers are measured for what they can do where they are installed (`pip install pyvisgraph
extremitypathfinder visilibity`, the last with SWIG and a compiler); those that are not are named as skipped.
"""

from __future__ import annotations

import importlib
import itertools
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from shapely.geometry import LineString

from benchmarks.command import command
from benchmarks.sight_truth import (
    any_part_disagrees,
    calibration,
    crowded_table,
    segment_disagreements,
    small_scene,
)
from engine.drawing.svg import CLEAR, NOTE, PALE, Drawing
from engine.measure import distances
from engine.measure.seeing.visible import visible_region
from engine.space.catalogue import CARS, box
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing

# The processor's own time does not count what else the machine is doing; some systems keep it too coarsely.
CLOCK = time.process_time if time.get_clock_info("process_time").resolution < 1e-5 else time.perf_counter

SURFACE = Region.rectangle(0, 0, 48, 48)


def milliseconds(task: Callable[[], object], runs: int = 9) -> float:
    """The median time of a task in milliseconds of one core, after one run to warm up."""
    task()
    found = []
    for _ in range(runs):
        start = CLOCK()
        task()
        found.append((CLOCK() - start) * 1e3)
    return statistics.median(found)


def shapely_loop(cars: Sequence[Standing], terrain: Sequence[Standing]) -> dict[tuple[str, str], float]:
    """The straightforward way: every line against every outline, one shapely call each."""
    shapes = {s.name: s.region.polygon for s in (*cars, *terrain)}
    best: dict[tuple[str, str], float] = {}
    for a, b in itertools.permutations(cars, 2):
        others = [shape for name, shape in shapes.items() if name not in (a.name, b.name)]
        clearest = -math.inf
        for p in a.pose.to_table(distances.front_tyres(a)):
            for q in b.pose.to_table(distances.tyres(b)):
                line, room = LineString([p, q]), distances.PLENTY
                for shape in others:
                    if line.intersects(shape):
                        room = min(room, -line.intersection(shape).length)
                    else:
                        room = min(room, line.distance(shape))
                clearest = max(clearest, room)
        best[a.name, b.name] = clearest
    return best


def speed() -> dict[str, float]:
    """A pair tyre to tyre, any part to any part, and the straightforward loop, on one table."""
    cars, terrain = crowded_table(np.random.default_rng(11))
    everything = [*cars, *terrain]

    def tyre_sight(a: Standing, b: Standing) -> distances.Measurement:
        return distances.sight(a, distances.front_tyres(a), b, distances.tyres(b), everything)

    pairs = list(itertools.islice(itertools.combinations(cars, 2), 0, None, 5))
    tyres = [milliseconds(partial(tyre_sight, *pair), 3) for pair in pairs]
    any_part = [milliseconds(partial(distances.outline_sight, *pair, everything), 3) for pair in pairs]
    start = CLOCK()
    loop = shapely_loop(cars, terrain)
    seconds = CLOCK() - start
    wrong = sum(
        (tyre_sight(a, b).value >= 0) != (loop[a.name, b.name] >= 0)
        for a, b in itertools.permutations(cars, 2)
        if abs(loop[a.name, b.name]) > 1e-9
    )
    return {
        "cars": len(cars),
        "terrain": len(terrain),
        "tyres_ms": statistics.median(tyres),
        "any_part_ms": statistics.median(any_part),
        "any_part_p95_ms": float(np.quantile(any_part, 0.95)),
        "shapely_pair_ms": seconds * 1e3 / len(loop),
        "loop_disagreements": int(wrong),
    }


def growth(counts: Sequence[int] = (10, 20, 40, 80, 160, 320, 640, 1280)) -> list[dict[str, float]]:
    """Milliseconds a query by the number of blockers on the same table (median over pairs)."""
    rng = np.random.default_rng(4)
    crate = Piece("crate", "terrain", box(0.4, 0.4, 1.0))
    exact = PoseUncertainty.exact()
    places = rng.uniform((1, 1, 0), (47, 47, 3), (max(counts), 3))
    ends = [
        tuple(
            Standing(Piece(n, "car", CARS["sedan"]), Pose(*map(float, rng.uniform(low, high))), exact)
            for n, low, high in (("A", (4, 4, 0), (12, 44, 6)), ("B", (34, 4, 0), (44, 44, 6)))
        )
        for _ in range(8)
    ]
    rows = []
    for count in counts:
        crates = [
            Standing(Piece(f"c{k}", "terrain", crate.body), Pose(*map(float, p)), exact)
            for k, p in enumerate(places[:count])
        ]
        any_part, tyres = [], []
        for a, b in ends:
            rest = [c for c in crates if min(math.dist(c.pose.xy, s.pose.xy) for s in (a, b)) > 2]
            any_part.append(milliseconds(partial(distances.outline_sight, a, b, rest), 3))
            ends_of = a, distances.front_tyres(a), b, distances.tyres(b)
            tyres.append(milliseconds(partial(distances.sight, *ends_of, rest), 3))
        medians = statistics.median(any_part), statistics.median(tyres)
        rows.append({"blockers": count, "any_part_ms": medians[0], "tyres_ms": medians[1]})
    return rows


def exponent(rows: Sequence[dict[str, float]], key: str) -> float:
    """The slope of the cost on a double logarithmic scale, over the upper half of the counts."""
    upper = rows[len(rows) // 2 - 1 :]
    x, y = np.log([r["blockers"] for r in upper]), np.log([r[key] for r in upper])
    return float(np.polyfit(x, y, 1)[0])


def peers() -> list[dict[str, Any]]:
    """Other packages on the same table, for what they can do, beside ours."""
    cars, terrain = crowded_table(np.random.default_rng(12), cars=8, terrain=14)
    eye, target = cars[0].pose.xy, cars[1].pose.xy
    walls = [*cars[2:], *terrain]
    outlines = [s.region.outline for s in walls]
    ours_region = milliseconds(lambda: visible_region(eye, SURFACE, walls), 5)
    zero = [(0.0, 0.0)]
    ours_line = milliseconds(lambda: distances.sight(cars[0], zero, cars[1], zero, walls), 5)
    rows: list[dict[str, Any]] = []

    def peer(name: str, can: str, ours: float, build: Callable[[Any], Callable[[], object]]) -> None:
        try:
            module = importlib.import_module(name)
        except ImportError:
            rows.append({"name": name, "skipped": "not installed here"})
            return
        theirs = milliseconds(build(module), 3)
        rows.append({"name": name, "can": can, "theirs_ms": theirs, "ours_ms": ours, "ratio": theirs / ours})

    def pyvisgraph(module: Any) -> Callable[[], object]:
        graph_module = importlib.import_module("pyvisgraph.graph")
        vertices = importlib.import_module("pyvisgraph.visible_vertices")
        graph = graph_module.Graph([[module.Point(float(x), float(y)) for x, y in o] for o in outlines])
        point = module.Point(float(eye[0]), float(eye[1]))
        return lambda: vertices.visible_vertices(point, graph)

    def extremity(module: Any) -> Callable[[], object]:
        environment = module.PolygonEnvironment()
        rim = [tuple(map(float, p)) for p in SURFACE.outline]
        holes = [[tuple(map(float, p)) for p in o[::-1]] for o in outlines]
        environment.store(rim, holes, validate=False)
        environment.prepare()
        ends = tuple(map(float, eye)), tuple(map(float, target))
        return lambda: environment.find_shortest_path(*ends)

    def visilibity(module: Any) -> Callable[[], object]:
        rings = [module.Polygon([module.Point(*map(float, p)) for p in SURFACE.outline])]
        rings += [module.Polygon([module.Point(*map(float, p)) for p in o[::-1]]) for o in outlines]
        environment = module.Environment(rings)
        point = module.Point(*map(float, eye))
        return lambda: module.Visibility_Polygon(point, environment, 1e-9)

    peer("pyvisgraph", "which corners a point sees", ours_region, pyvisgraph)
    peer("extremitypathfinder", "whether a straight way joins two points (prepared)", ours_line, extremity)
    peer("visilibity", "what a point sees, as a polygon", ours_region, visilibity)
    return rows


def plotted(rows: Sequence[dict[str, float]]) -> str:
    """The growth as an SVG: milliseconds over blockers, both logarithmic, with n log n beside it."""
    drawing = Drawing(Region.rectangle(-1.2, -1.0, 9.4, 6.4), scale=60)

    def x_of(blockers: float) -> float:
        return math.log2(blockers / 10)

    def y_of(ms: float) -> float:
        return math.log10(ms / 0.1) * 1.6

    for n in (r["blockers"] for r in rows):
        drawing.line([(x_of(n), 0), (x_of(n), 5)], colour=PALE, width=1)
        drawing.label((x_of(n), -0.3), f"{n:g}")
    for ms in (0.1, 1, 10, 100):
        drawing.line([(0, y_of(ms)), (x_of(rows[-1]["blockers"]), y_of(ms))], colour=PALE, width=1)
        drawing.label((-0.15, y_of(ms) - 0.06), f"{ms:g} ms", anchor="end")
    first = rows[0]
    curves = (("any_part_ms", NOTE, "any part to any part"), ("tyres_ms", CLEAR, "tyre to tyre"))
    for key, colour, words in curves:
        line = [(x_of(r["blockers"]), y_of(r[key])) for r in rows]
        drawing.line(line, colour=colour, width=2.5)
        drawing.label((line[-1][0], line[-1][1] + 0.15), words, colour=colour, anchor="end")
    bound = [
        first["any_part_ms"] * (r["blockers"] * math.log(r["blockers"])) / (10 * math.log(10)) for r in rows
    ]
    inside = [(x_of(r["blockers"]), y_of(b)) for r, b in zip(rows, bound, strict=True) if y_of(b) < 5]
    drawing.line(inside, dashed=True)
    drawing.label((inside[-1][0] + 0.1, inside[-1][1]), "n log n", anchor="start")
    drawing.label((3.5, -0.75), "blockers on the table")
    return drawing.text()


def measured(
    *,
    scenes: Annotated[int, "random scenes to check"] = 1_000_000,
    tables: Annotated[int, "random tables to calibrate on"] = 200,
    plot: Annotated[Path | None, "write the growth as an SVG"] = None,
) -> dict[str, Any]:
    """All figures."""
    found: dict[str, Any] = speed()
    rng = np.random.default_rng(21)
    any_part = max(scenes // 500, 1)
    found["scenes"] = scenes
    found["any_part_scenes"] = any_part
    found["disagreements"] = (
        segment_disagreements(rng, scenes)
        + sum(any_part_disagrees(*small_scene(rng)) for _ in range(any_part))
        + int(found.pop("loop_disagreements"))
    )
    calibrated = calibration(np.random.default_rng(22), tables)
    found |= {
        "verdicts": calibrated.verdicts,
        "confident_right": calibrated.right,
        "too_close": calibrated.too_close,
        "unavoidable": float(calibrated.unavoidable),
        "too_close_ratio": float(calibrated.ratio),
    }
    rows = growth()
    found["growth"] = rows
    found["growth_exponent"] = {k: exponent(rows, k) for k in ("any_part_ms", "tyres_ms")}
    found["peers"] = peers()
    if plot:
        plot.write_text(plotted(rows), encoding="utf-8")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    return command(measured, argv)


if __name__ == "__main__":
    sys.exit(main())
