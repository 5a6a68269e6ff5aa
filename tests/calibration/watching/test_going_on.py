"""Going on with a contradiction: everything as unsure as it is off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import Accuracy
from calibration.bundle.doubts import judge
from calibration.bundle.parts import SeenTag
from calibration.lens.model import Lens, usual_covariance
from calibration.surface import CornerTag, SeenCorner, Surface
from calibration.watching.going_on import contradiction, loosened
from calibration.watching.keeper import SurfaceKeeper
from engine.space.catalogue import box
from engine.space.geometry import Pose
from engine.space.pieces import Piece, TagMount
from tests.calibration.test_surface import LENS, camera, seen_by, tags
from tests.volume import Figure, volume
from vision.frame import Detection
from vision.locate import locate_all

# As a simulated table states itself: paper is flat, prints are exact.
EXACT = Accuracy(print_scale=0.0, print_size=0.0, ink_in=0.0, cloth_in=0.02, heights_in=0.02)
PLACE_SD, HEIGHT_SD, NOISE_PX = 0.005, 0.045, 0.05
KNOWN = replace(LENS, covariance=usual_covariance(LENS))


def drawn(seed: int, wrong: str) -> tuple[list[SeenCorner], list[SeenTag], list[Pose]]:
    """A table whose stated corner places, heights or both are off by far more than their deviations.

    Eight roof tags stand at the poses given; they were read often, so that heights show in their sizes.
    """
    rng, truth = np.random.default_rng(seed), camera()
    seen = [
        replace(s, corner=replace(s.corner, sd=PLACE_SD, turn=None, paper=EXACT.laid))
        for s in seen_by(truth, tags(), NOISE_PX, seed=seed)
    ]
    if wrong != "heights":
        for k in rng.permutation(4)[: rng.integers(2, 4)]:
            at = seen[k].corner.at + rng.normal(0, 0.7, 2)
            seen[k] = replace(seen[k], corner=replace(seen[k].corner, at=(float(at[0]), float(at[1]))))
    roofs, poses = [], []
    noise = NOISE_PX / 5
    for k, height in enumerate((1.0, 1.1, 1.2, 1.0, 1.3, 1.1, 1.2, 1.0)):
        off = 0.0 if wrong == "corners" else rng.uniform(0.3, 0.45) * rng.choice([-1, 1])
        pose = Pose(rng.uniform(5, 41), rng.uniform(5, 41), rng.uniform(-3, 3))
        square = CornerTag("tag36h11", 10 + k, 0.9, (pose.x, pose.y), pose.heading, 0.0).corners_at()
        pixels = truth.image_from_table(square, height) + rng.normal(0, noise, (4, 2))
        roofs.append(
            SeenTag(
                "tag36h11",
                10 + k,
                0.9,
                height + off,
                pixels,
                np.eye(8) * noise**2,
                HEIGHT_SD,
                EXACT.glued(0.02),
            )
        )
        poses.append(pose)
    return seen, roofs, poses


def share_inside(surface: Surface, roofs: list[SeenTag], poses: list[Pose]) -> float:
    """Share of the pieces' places that lie inside their stated 95 %."""
    pieces = [
        Piece(
            str(t.tag),
            "terrain",
            box(3.0, 1.2, t.height),
            mount=TagMount(t.family, t.tag, t.size, t.height, Pose(0, 0, 0), 0.0, 0.0, t.sd_height, 0.02),
        )
        for t in roofs
    ]
    reads = [Detection(t.family, t.tag, t.corners, t.covariance) for t in roofs]
    inside = []
    for s, pose in zip(locate_all(reads, pieces, surface, 0.0), poses, strict=True):
        off = np.array([s.tag_pose.x - pose.x, s.tag_pose.y - pose.y])
        u = s.tag_uncertainty
        inside.append(off @ np.linalg.solve((u.own + u.shared @ u.shared.T)[:2, :2], off) < 5.991)
    return float(np.mean(inside))


@pytest.mark.parametrize("lens", [LENS, KNOWN], ids=["exact lens", "usual lens"])
def test_places_lie_inside_their_stated_95_percent_once_it_is_gone_on(lens: Lens, figure: Figure) -> None:
    shares = []
    for seed in range(volume(9, 90)):
        corners, roofs, poses = drawn(seed, ("heights", "corners", "both")[seed % 3])
        if judge(lens, corners, roofs, None, EXACT.common).consistent:
            continue
        surface = loosened(lens, corners, roofs, None, EXACT.common)
        assert surface is not None
        shares.append(share_inside(surface, roofs, poses))
    assert len(shares) >= volume(5, 50)
    told = f"{np.mean(shares):.3f} over {len(shares)} tables"
    figure("share of places inside their 95 % after going on with a contradiction", told)
    assert np.mean(shares) >= 0.93


def test_a_corner_tag_that_lies_where_it_is_stated_is_not_named() -> None:
    corners, roofs, _ = drawn(0, "heights")
    judged = judge(LENS, corners, roofs, None, EXACT.common)
    exact = [(s.corner, 0.004) for s in corners]
    surface = replace(judged.solved.surface, misfits=tuple(exact))
    found = contradiction(replace(judged, solved=replace(judged.solved, surface=surface)), 0.0, gone_on=False)
    assert found is not None
    assert "corner tag" not in found.words
    moved = replace(surface, misfits=((corners[2].corner, 0.4), *exact))
    found = contradiction(replace(judged, solved=replace(judged.solved, surface=moved)), 0.0, gone_on=False)
    assert found is not None
    assert found.words.endswith("corner tag 2 lies 0.40 in from its stated place")


def test_without_a_contradiction_nothing_is_loosened_and_going_on_changes_nothing() -> None:
    keepers = [SurfaceKeeper(KNOWN, common=EXACT.common) for _ in range(2)]
    keepers[1].go_on()
    for k in range(3):
        seen = seen_by(camera(), tags(), NOISE_PX, seed=k)
        roofs = [replace(t, height=h) for t, h in zip(drawn(k, "corners")[1], [1.0, 1.1], strict=False)]
        for keeper in keepers:
            keeper.update(float(k), seen, (), roofs)
    one, other = (keeper.surface for keeper in keepers)
    assert one is not None
    assert other is not None
    assert keepers[1].judged is not None
    assert keepers[1].judged.loosened is None
    assert np.array_equal(one.covariance, other.covariance)
    assert one.lift == other.lift
