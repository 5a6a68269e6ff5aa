"""`python -m benchmarks.honesty FOLDER|CLIP [--json]`: whether what is called at 95 % comes true in 95 %.

On frames with exact truth (folders and clips of the form of `shared/renders`), each once with everything
stated as people state it: *hand-made*, with all errors that hands make at once (places of corner tags to 1/8
inch, heights to 1/16, tags glued askew, tilted and bent, a cloth that is not flat, a printer up to 1.5 %
off); and *mistaken*, with one stated number wrong at a time, everything else right: each corner, the width,
the depth, swapped corners, all places, the lens, the focal length, heights. Frames of hand-made tables are
read as they are. Pictures are read once; only what is stated changes.

`coverage_95` is the share of car poses (x, y and heading together) inside their stated 95 %,
`coverage_95_positions`, `coverage_95_headings` and `coverage_95_ranges` those of x and y, of headings and of
tyre ranges alone. `confident_wrong` counts wrong *yes* and *no* of ranges held against limits within an inch
of the truth, `named_right` is the share of gross mistakes that were named, `named_first` as the likeliest,
`named_alone` without other ones beside that explain the same picture, `accused_wrong` the share of all cases
in which only innocent numbers were. A number that nothing in the picture speaks of (the place of a corner tag
that is covered) is no mistake of that picture.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from benchmarks.clip_truth import EACH
from benchmarks.command import command
from benchmarks.stated import BY_HAND, Mounts, Stated, judged
from calibration.bundle.doubts import Doubt, DoubtKind, Judged
from engine.errors import TableRefError
from engine.space.pieces import Piece
from tests.honesty_scene import Scene, Score, hand_made, scenes, score


@dataclass(frozen=True, eq=False)
class Case:
    """One stated number wrong: what it is called, by how much, whether it ought to be named, as what."""

    name: str
    row: str
    stated: Stated
    gross: bool
    kinds: tuple[DoubtKind, ...]
    tags: tuple[int, ...] = ()


def cases(scene: Scene) -> Iterator[Case]:
    """Every mistake about one scene."""
    base, read = scene.stated, {d.tag for d in scene.detections}
    yield Case("nothing", "nothing", base, False, ())
    for tag, corner in base.corners.items():
        for k, off in enumerate((0.1, -0.1, 0.3, -0.3, 1.0, -1.0)):
            along = np.array([off, 0.0]) if (k + tag) % 2 else np.array([0.0, off])
            at = (float(corner.at[0] + along[0]), float(corner.at[1] + along[1]))
            moved = replace(base, corners=base.corners | {tag: replace(corner, at=at)})
            gross = abs(off) > 0.7 and tag in read
            yield Case(f"corner {tag} {off:+}", "corner", moved, gross, ("corner",), (tag,))
    for axis, kind in ((0, "width"), (1, "depth")):
        for inches in (0.5, -0.5, 1.0, -1.0, 2.0, -2.0):
            row: DoubtKind = "width" if kind == "width" else "depth"
            yield Case(f"{kind} {inches:+}", kind, _stretched(base, axis, inches), abs(inches) >= 1.0, (row,))
    tags = sorted(base.corners)
    for i, a in enumerate(tags):
        for b in tags[i + 1 :]:
            ca, cb = base.corners[a], base.corners[b]
            swapped = base.corners | {a: replace(ca, at=cb.at), b: replace(cb, at=ca.at)}
            yield Case(f"swap {a} {b}", "swap", replace(base, corners=swapped), True, ("swap",), (a, b))
    for share in (0.03, -0.03, 0.05, -0.05, 0.07, -0.07):
        places = {
            t: replace(c, at=(c.at[0] * (1 + share), c.at[1] * (1 + share))) for t, c in base.corners.items()
        }
        yield Case(
            f"places {share:+.0%}", "scale", replace(base, corners=places), abs(share) >= 0.05, ("scale",)
        )
    for share in (0.01, -0.01, 0.02, -0.02, 0.05, -0.05):
        K = base.lens.K.copy()
        K[0, 0] *= 1 + share
        K[1, 1] *= 1 + share
        # From straight above over flat tags the focal length and the camera's height cannot be told apart.
        yield Case(
            f"focal {share:+.0%}", "focal", replace(base, lens=replace(base.lens, K=K)), False, ("lens",)
        )
    yield Case("another lens", "lens", replace(base, lens=_another(base)), True, ("lens",))
    for inches in (0.25, -0.25, 0.5, -0.5, 0.75, -0.75):
        yield Case(f"heights {inches:+}", "heights", _raised(base, inches), False, ("heights",))


def _stretched(base: Stated, axis: int, inches: float) -> Stated:
    low = min(c.at[axis] for c in base.corners.values())
    high = max(c.at[axis] for c in base.corners.values())
    corners = {}
    for tag, corner in base.corners.items():
        at = list(corner.at)
        at[axis] += inches * (at[axis] > (low + high) / 2)
        corners[tag] = replace(corner, at=(at[0], at[1]))
    return replace(base, corners=corners)


def _another(base: Stated) -> Any:
    """A lens of another make: longer, bent the other way, off the middle."""
    K = base.lens.K.copy()
    K[0, 0] *= 0.9
    K[1, 1] *= 0.9
    K[0, 2] += 0.01 * base.lens.size[0]
    dist = base.lens.dist + np.array([-0.12 if base.lens.dist[0] > -0.15 else 0.12, 0.02, 0.0, 0.0, 0.0])
    return replace(base.lens, K=K, dist=dist)


def _raised(base: Stated, inches: float) -> Stated:
    def lifted(piece: Piece) -> Piece:
        assert piece.mount is not None
        height = max(piece.mount.height + inches, 0.1)
        return replace(piece, mount=replace(piece.mount, height=height))

    return replace(base, pieces={t: lifted(p) for t, p in base.pieces.items()})


def _means(doubt: Doubt, case: Case) -> bool:
    """Whether what is told is the mistake that was made."""
    return doubt.kind in case.kinds and set(case.tags) <= set(doubt.tags)


@dataclass
class Tally:
    """Scores by row, and who was accused."""

    rows: dict[str, Score]
    named: list[bool]
    first: list[bool]
    alone: list[bool]
    accused: list[bool]
    told: list[dict[str, Any]]

    def add(self, row: str, label: str, result: Judged | None, points: Score, case: Case | None) -> None:
        """One case."""
        self.rows[row].add(points)
        doubts = () if result is None else result.named
        meant = [case is not None and _means(d, case) for d in doubts]
        right = any(meant)
        if case is not None and case.gross:
            self.named.append(right)
            self.first.append(right and meant[0])
            self.alone.append(right and len(doubts) == 1)
        self.accused.append(bool(doubts) and not right)
        self.told.append(
            {
                "case": label,
                "named": [d.words for d in doubts],
                "right": right,
                "withheld": points.withheld,
                "coverage_95": points.figures()["coverage_95"],
                "confident_wrong": points.wrong,
                "car_p95_in": points.figures()["car_in"]["p95"],
            }
        )


def run(
    source: Path,
    draws: int,
    seed: int,
    most: int | None,
    mounts: Mounts = BY_HAND,
    *,
    mistakes: bool = True,
) -> dict[str, Any]:
    """Everything, as one JSON object."""
    tally = Tally(defaultdict(Score), [], [], [], [], [])
    found = scenes(source, mounts=mounts, most=most)
    flat = [s for s in found if "print_scale" not in s.truth.raw]
    for scene in found:
        if scene not in flat:
            whole = judged(scene.stated, scene.detections)
            tally.add("as they are", scene.name, whole, score(scene, scene.stated, whole), None)
            continue
        for case in cases(scene) if mistakes else ():
            result = _tried(case.stated, scene)
            points = Score(withheld=1, cases=1) if result is None else score(scene, case.stated, result)
            tally.add(case.row, f"{scene.name}: {case.name}", result, points, case)
    for k in range(draws if flat else 0):
        scene = flat[k % len(flat)]
        stated, detections, cars = hand_made(scene, seed + k, mounts)
        drawn = replace(scene, detections=detections)
        made = judged(stated, detections)
        tally.add(
            "hand-made", f"{scene.name}: hands {seed + k}", made, score(drawn, stated, made, cars), None
        )
    total = Score()
    for points in tally.rows.values():
        total.add(points)
    return {
        **total.figures(),
        "named_right": round(float(np.mean(tally.named)), 4) if tally.named else None,
        "named_first": round(float(np.mean(tally.first)), 4) if tally.first else None,
        "named_alone": round(float(np.mean(tally.alone)), 4) if tally.alone else None,
        "accused_wrong": round(float(np.mean(tally.accused)), 4) if tally.accused else None,
        "rows": {name: points.figures() for name, points in tally.rows.items()},
        "cases": tally.told,
    }


def _tried(stated: Stated, scene: Scene) -> Judged | None:
    """What comes of it; None where no table could be found, which rules nothing."""
    try:
        return judged(stated, scene.detections)
    except TableRefError:
        return None


def tell(figures: dict[str, Any]) -> None:
    """A line a row, and one of what was named."""
    for name, row in figures["rows"].items():
        poses, places, headings, ranges = (
            row[f"coverage_95{what}"] or math.nan for what in ("", "_positions", "_headings", "_ranges")
        )
        print(
            f"{name:12} n {row['n']:4}  in 95 %: poses {poses:.3f} (places {places:.3f}, "
            f"headings {headings:.3f})  ranges {ranges:.3f}  wrong {row['confident_wrong']}/{row['checks']}  "
            f"too close {row['too_close_share']:.2f}  withheld {row['withheld']}  "
            f"car p95 {row['car_in']['p95']}  range sd {row['range_sd_in']['median']}"
        )
    right, first, alone = (figures[f"named_{how}"] for how in ("right", "first", "alone"))
    print(f"named right {right}, first {first}, alone {alone}  accused wrong {figures['accused_wrong']}")


def compared(
    source: Annotated[
        Path,
        "pictures with truth files beside them, at any depth, of those named frame_NUMBER every 20th; "
        f"of clips (a video with truth.jsonl and scene.json beside it) {EACH} moments at rest without a "
        f"hand and {EACH} with a hand, spread over the clip, in which every car stands on the table",
    ],
    *,
    draws: Annotated[int, "hand-made tables drawn"] = 200,
    seed: Annotated[int, "of the first one drawn"] = 1,
    most: Annotated[int | None, "only so many frames, the first"] = None,
    no_mistakes: Annotated[bool, "only hand-made tables"] = False,
    mounts: Annotated[
        tuple[float, float, float, float] | None,
        "how exactly tags sit on their cars, and are stated to: place, turn, height, tilt (inches, degrees)",
    ] = None,
) -> dict[str, Any]:
    """The figures of a folder or clip."""
    sit = Mounts(*mounts) if mounts else BY_HAND
    return run(source, draws, seed, most, sit, mistakes=not no_mistakes)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    return command(compared, argv, tell)


if __name__ == "__main__":
    sys.exit(main())
