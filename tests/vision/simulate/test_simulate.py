"""The simulated table: camera, cars, boards and what is drawn of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.boards import HexesFields, PointsFields, RoadFields
from calibration.lens.model import Lens
from calibration.surface import CornerTag
from calibration.tablefile import parse_table
from engine.errors import TableRefError
from engine.space.geometry import FloatArray, Footprint, Pose
from engine.space.pieces import Body, Piece, TagMount
from tests import grounds
from vision.frame import Image
from vision.simulate.drawing.background import ground_of
from vision.simulate.drawing.camera import Camera, Patch, overhead
from vision.simulate.drawing.render import Renderer
from vision.simulate.drawing.sensor import Noise, develop, tone_table
from vision.simulate.drawing.solids import Hand
from vision.simulate.drawing.tags import PlacedTag, modules
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import LIGHTS, Scene, SceneLooseTag, ScenePlacement, SceneSnapshot, Sensor
from vision.simulate.scenes import SCENES, default_scene, named_scene, sim_lens
from vision.simulate.truth import truth_of

SMALL = (640, 360)


def camera(tilt: float = 6.0, size: tuple[int, int] = (1920, 1080), barrel: bool = True) -> Camera:
    lens = sim_lens(size)
    if not barrel:
        lens = Lens(size, lens.K, np.zeros(5))
    return overhead(lens, over=(23.0, 22.0), height=58.0, tilt_deg=tilt, azimuth_deg=40.0, roll_deg=3.0)


def tag_scene(tag: PlacedTag, *, size: tuple[int, int] = (960, 540), sensor: Sensor | None = None) -> Scene:
    """A plain cloth with one block on it, whose top carries the tag."""
    mount = TagMount(tag.family, tag.tag, tag.size, tag.height)
    body = Body("plain", Footprint.box(1.4 * tag.printed, 1.4 * tag.printed), tag.height)
    return Scene(
        name="one tag",
        near_left=(-1.5, -1.5),
        size=(48.0, 48.0),
        corners=(),
        pieces=(Piece("Block", "terrain", body, mount, None, "#888888"),),
        start={"Block": tag.pose},
        camera=camera(size=size),
        sensor=sensor or Sensor.perfect(),
        road=False,
    )


def picture_of(scene: Scene, snapshot: SceneSnapshot | None = None) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return Renderer(scene).picture([snapshot or scene.snapshot], 0)


def edge_offsets(image: FloatArray, cam: Camera, tag: PlacedTag) -> list[float]:
    """How far each side of the black square lies outside its true place in the image, mean, pixels.

    Measured without any of the drawing's own code: grey levels along normals of the projected side;
    how much of a normal is dark says where the step is.
    """
    corners = tag.corners
    middle = cam.project(corners).mean(axis=0)
    offsets = []
    reach = 3.0
    along_normal = np.arange(-reach, reach + 1e-9, 0.05)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        found = []
        for share in np.linspace(0.15, 0.85, 60):
            here, ahead = cam.project(np.array([a + share * (b - a), a + (share + 1e-3) * (b - a)]))
            tangent = (ahead - here) / np.linalg.norm(ahead - here)
            normal = np.array([-tangent[1], tangent[0]])
            if normal @ (here - middle) < 0:
                normal = -normal
            spots = here + along_normal[:, None] * normal
            x0, y0 = np.floor(spots).astype(int).T
            u, v = (spots - np.floor(spots)).T
            levels = (
                (1 - u) * (1 - v) * image[y0, x0] + u * (1 - v) * image[y0, x0 + 1]
                + (1 - u) * v * image[y0 + 1, x0] + u * v * image[y0 + 1, x0 + 1]
            )  # fmt: skip
            dark, bright = levels[:10].mean(), levels[-10:].mean()
            black = float(((bright - levels) / (bright - dark)).mean()) * (2 * reach)
            found.append(black - reach)
        offsets.append(float(np.mean(found)))
    return offsets


class TestCamera:
    def test_straight_down_shows_the_far_edge_on_top(self) -> None:
        cam = overhead(sim_lens(), over=(10.0, 20.0), height=50.0)
        middle, right, far = cam.project(np.array([[10.0, 20.0, 0.0], [11.0, 20.0, 0.0], [10.0, 21.0, 0.0]]))
        assert middle == pytest.approx([cam.lens.K[0, 2], cam.lens.K[1, 2]], abs=1e-6)
        assert right[0] > middle[0] + 10
        assert far[1] < middle[1] - 10
        assert cam.position == pytest.approx([10.0, 20.0, 50.0])

    def test_a_tilted_camera_hangs_toward_its_azimuth_and_looks_at_the_point(self) -> None:
        cam = overhead(sim_lens(), over=(10.0, 20.0), height=50.0, tilt_deg=10.0, azimuth_deg=90.0)
        assert cam.position == pytest.approx([10.0, 20.0 + 50 * math.tan(math.radians(10)), 50.0])
        assert cam.project(np.array([[10.0, 20.0, 0.0]]))[0] == pytest.approx(cam.lens.K[:2, 2])
        assert pytest.approx(np.eye(3)) == cam.R @ cam.R.T
        assert np.linalg.det(cam.R) == pytest.approx(1.0)

    @given(
        x=st.floats(-20, 66),
        y=st.floats(-2, 50),
        z=st.floats(0, 4),
        tilt=st.floats(0, 15),
        k1=st.floats(-0.2, 0.1),
    )
    def test_what_is_projected_comes_back(self, x: float, y: float, z: float, tilt: float, k1: float) -> None:
        lens = sim_lens()
        bent = Lens(lens.size, lens.K, np.array([k1, 0.02, 0.001, -0.001, 0.0]))
        cam = overhead(bent, over=(23.0, 22.0), height=58.0, tilt_deg=tilt)
        pixel = cam.project(np.array([[x, y, z]]))
        assert cam.unproject(pixel, z)[0] == pytest.approx([x, y], abs=1e-8)

    @pytest.mark.parametrize(
        "patch", [Patch(0, 0, 90, 70), Patch(1700, 900, 220, 180), Patch(900, 500, 1, 1)]
    )
    def test_samples_lie_where_the_lens_puts_them(self, patch: Patch) -> None:
        cam = camera()
        x, y = cam.samples(patch, 3, 1.25)
        assert x.shape == (patch.h * 3, patch.w * 3)
        points = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 1.25)])[:: max(1, x.size // 500)]
        rows, cols = np.divmod(np.arange(x.size)[:: max(1, x.size // 500)], patch.w * 3)
        expected = np.column_stack([patch.x - 0.5 + (cols + 0.5) / 3, patch.y - 0.5 + (rows + 0.5) / 3])
        assert np.abs(cam.project(points) - expected).max() < 1e-5

    def test_the_whole_picture_is_sampled_exactly_too(self) -> None:
        cam = camera()
        x, y = cam.samples(Patch(0, 0, 1920, 1080), 1, 0.0, nodes=28)
        pick = np.random.default_rng(0).integers(0, (1080, 1920), (400, 2))
        points = np.column_stack([x[pick[:, 0], pick[:, 1]], y[pick[:, 0], pick[:, 1]], np.zeros(400)])
        assert np.abs(cam.project(points) - pick[:, ::-1]).max() < 1e-4

    def test_a_camera_must_hang_above(self) -> None:
        with pytest.raises(TableRefError, match="above the table"):
            overhead(sim_lens(), over=(0, 0), height=0.0)


class TestTags:
    @pytest.mark.parametrize(
        ("family", "side"),
        [("tag36h11", 8), ("tag25h9", 7), ("tag16h5", 6), ("DICT_4X4_50", 6), ("DICT_5X5_100", 7)],
    )
    def test_has_a_black_rim_and_a_white_margin(self, family: str, side: int) -> None:
        cells = modules(family, 7)
        assert cells.shape == (side + 2, side + 2)
        margin = np.ones_like(cells, dtype=bool)
        margin[1:-1, 1:-1] = False
        assert (cells[margin] == 1).all()
        rim = ~margin
        rim[2:-2, 2:-2] = False
        assert (cells[rim] == 0).all()

    def test_refuses_what_does_not_exist(self) -> None:
        with pytest.raises(TableRefError, match="0 to 586, but 600"):
            modules("tag36h11", 600)
        with pytest.raises(TableRefError, match="cannot draw tags of the family 'tagXYZ'"):
            modules("tagXYZ", 1)

    def test_an_upright_tag_looks_as_opencv_draws_it(self) -> None:
        tag = PlacedTag("tag36h11", 33, 8.0, Pose(0.0, 0.0, math.pi / 2), 0.0)
        centres = np.arange(10) - 4.5
        x, y = np.meshgrid(centres, -centres)
        white, cover = tag.paint(x, y)
        assert (cover == 1.0).all()
        drawn = cv2.aruco.generateImageMarker(
            cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11), 33, 8
        )
        assert ((white > 0.4)[1:-1, 1:-1] == (np.asarray(drawn) > 127)).all()

    def test_corner_order_is_that_of_the_upright_print(self) -> None:
        tag = PlacedTag("tag36h11", 0, 2.0, Pose(10.0, 20.0, math.pi / 2), 0.5)
        assert tag.corners == pytest.approx(
            np.array([(9, 21, 0.5), (11, 21, 0.5), (11, 19, 0.5), (9, 19, 0.5)])
        )
        assert tag.printed == 2.5


class TestWhereThingsAreDrawn:
    @pytest.mark.parametrize(
        ("x", "y", "heading", "height"),
        [
            (24.0, 22.0, 0.0, 1.0),
            (8.0, 36.0, 0.35, 2.0),
            (40.0, 8.0, -2.0, 0.5),
            (23.7, 30.2, math.pi / 4, 3.7),
        ],
    )
    def test_a_large_tags_edges_are_right_to_a_fiftieth_of_a_pixel(
        self, x: float, y: float, heading: float, height: float
    ) -> None:
        tag = PlacedTag("tag36h11", 42, 10.0, Pose(x, y, heading), height)
        scene = tag_scene(tag)
        image = picture_of(scene)[..., 1].astype(np.float64)
        assert max(abs(o) for o in edge_offsets(image, scene.camera, tag)) < 0.02

    def test_the_measuring_would_notice_a_small_shift(self) -> None:
        tag = PlacedTag("tag36h11", 42, 10.0, Pose(24.0, 22.0, 0.2), 1.0)
        scene = tag_scene(tag)
        image = picture_of(scene)[..., 1].astype(np.float64)
        shifted = replace(tag, pose=Pose(24.01, 22.0, 0.2))
        assert max(abs(o) for o in edge_offsets(image, scene.camera, shifted)) > 0.05

    def test_corner_tags_are_as_exact(self) -> None:
        corner = CornerTag("tag36h11", 5, 10.0, (30.0, 20.0), 1.1)
        scene = replace(tag_scene(PlacedTag("tag36h11", 1, 1.0, Pose(5.0, 5.0), 1.0)), corners=(corner,))
        tag = PlacedTag("tag36h11", 5, 10.0, Pose(30.0, 20.0, 1.1), 0.0)
        image = picture_of(scene)[..., 1].astype(np.float64)
        assert max(abs(o) for o in edge_offsets(image, scene.camera, tag)) < 0.02

    def test_a_general_reader_finds_every_tag_where_the_truth_has_it(self) -> None:
        scene = replace(default_scene(), sensor=Sensor.perfect())
        truth = truth_of(Renderer(scene), scene.snapshot)
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
        grey = cv2.cvtColor(picture_of(scene), cv2.COLOR_BGR2GRAY)
        corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(grey)
        found = {int(i): c[0] for i, c in zip(np.ravel(ids), corners, strict=True)}
        large = {int(k) for k, t in truth["tags"].items() if t["side_px"] > 30}
        assert large == {0, 1, 2, 3, 30, 31, 32, 33, 34}
        assert large <= set(found) <= {int(k) for k in truth["tags"]}
        for tag in large:
            # OpenCV's reader gives whole-pixel corners; their order and mean must be right.
            off = found[tag] - np.array(truth["tags"][str(tag)]["corners_px"])
            assert np.abs(off).max() < 1.5, tag
            assert np.abs(off.mean(axis=0)).max() < 0.6, tag

    def test_raised_tags_are_seen_displaced_outward(self) -> None:
        scene = default_scene()
        low = scene.camera.project(np.array([[44.0, 44.0, 0.0]]))[0]
        high = scene.camera.project(np.array([[44.0, 44.0, 1.0]]))[0]
        middle = scene.camera.project(np.array([[*scene.camera.position[:2], 0.0]]))[0]
        assert np.linalg.norm(high - middle) - np.linalg.norm(low - middle) > 5.0


class TestRedrawing:
    """Only what changed is drawn again; the picture must not remember anything else."""

    def test_moving_and_coming_back_leaves_no_trace(self) -> None:
        scene = replace(default_scene(SMALL), sensor=Sensor(noise=0.0))
        renderer = Renderer(scene)
        before = renderer.picture([scene.snapshot], 0)
        moved = dict(scene.snapshot.placements) | {"Red 1": ScenePlacement(Pose(9.0, 12.0, 2.0))}
        between = renderer.picture([SceneSnapshot(moved, Hand(Pose(20.0, 20.0, 1.0)))], 1)
        after = renderer.picture([scene.snapshot], 2)
        assert np.abs(between.astype(int) - before).max() > 40
        assert (after == before).all()

    def test_a_patch_is_what_a_whole_picture_would_show(self) -> None:
        scene = replace(default_scene(SMALL), sensor=Sensor(noise=0.0))
        places = dict(scene.snapshot.placements) | {"Blue 2": ScenePlacement(Pose(35.0, 30.0, 0.3), 1.0)}
        del places["Hill"]
        stepwise = Renderer(scene)
        stepwise.picture([scene.snapshot], 0)
        once = picture_of(scene, SceneSnapshot(places))
        assert np.abs(stepwise.picture([SceneSnapshot(places)], 1).astype(int) - once).max() <= 1

    def test_the_nearer_of_two_hides_the_farther(self) -> None:
        scene = default_scene(SMALL)
        mug = scene.piece("Mug")
        behind = Pose(2.9, 20.0, math.pi / 2)
        places = {"Mug": ScenePlacement(Pose(5.2, 20.0)), "Red 1": ScenePlacement(behind)}
        truth = truth_of(Renderer(scene), SceneSnapshot(places))
        assert mug.body.height > 3
        assert truth["tags"]["10"]["visible_fraction"] < 0.9
        assert truth["tags"]["31"]["visible_fraction"] == 1.0

    def test_an_exposure_smears_a_moving_car_and_nothing_else(self) -> None:
        scene = replace(default_scene(SMALL), sensor=Sensor(noise=0.0, blur=0.0))
        start = scene.start["Red 1"]
        steps = [
            SceneSnapshot(
                dict(scene.snapshot.placements)
                | {"Red 1": ScenePlacement(Pose(start.x + d, start.y, start.heading))}
            )
            for d in (-0.6, -0.2, 0.2, 0.6)
        ]
        sharp = [picture_of(scene, s).astype(float) for s in steps]
        smeared = Renderer(replace(scene, sensor=Sensor(noise=0.0, blur=0.0))).picture(steps, 0).astype(float)
        low, high = np.minimum.reduce(sharp) - 1, np.maximum.reduce(sharp) + 1
        assert ((smeared >= low) & (smeared <= high)).all()
        assert max(np.abs(smeared - s).max() for s in sharp) > 30
        still = scene.camera.project(np.array([[*scene.start["Blue 1"].xy, 1.0]]))[0].astype(int)
        around = np.s_[still[1] - 8 : still[1] + 8, still[0] - 8 : still[0] + 8]
        assert np.abs(smeared[around] - sharp[0][around]).max() <= 1


class TestSensor:
    def test_noise_has_its_sigma_and_belongs_to_the_frame(self) -> None:
        grey = np.full((360, 640, 3), 128, np.uint8)
        noise = Noise(SMALL, 4.0, 7)
        first, again, other = noise.on(grey, 3), noise.on(grey, 3), noise.on(grey, 4)
        assert float(first.astype(float).std()) == pytest.approx(4.0, rel=0.05)
        assert float(first.mean()) == pytest.approx(128.0, abs=0.1)
        assert (first == again).all()
        joint = np.corrcoef(first.ravel().astype(float), other.ravel().astype(float))[0, 1]
        assert abs(joint) < 0.02

    @pytest.mark.parametrize(
        ("tone", "light", "level"),
        [
            ("linear", 0.5, 128),
            ("srgb", 0.5, 188),
            ("srgb", 0.2140, 127),
            ("contrast", 0.2140, 127),
            ("srgb", 7.0, 255),
            ("srgb", -1.0, 0),
        ],
    )
    def test_tone_curves(self, tone: Any, light: float, level: int) -> None:
        got = develop(np.array([light], np.float32), tone_table(tone))
        assert int(got[0]) == pytest.approx(level, abs=1)

    def test_blur_softens_and_jpeg_changes_a_little(self) -> None:
        scene = default_scene(SMALL)
        sharp = picture_of(replace(scene, sensor=Sensor(noise=0.0, blur=0.0)))
        soft = picture_of(replace(scene, sensor=Sensor(noise=0.0, blur=1.5)))
        packed = picture_of(replace(scene, sensor=Sensor(noise=0.0, blur=0.0, jpeg=60)))
        energy = [float(cv2.Laplacian(i, cv2.CV_64F).std()) for i in (sharp, soft)]
        assert energy[1] < 0.5 * energy[0]
        assert 0 < np.abs(packed.astype(int) - sharp).mean() < 6

    @pytest.mark.parametrize("light", list(LIGHTS))
    def test_white_paper_is_bright_but_not_burnt_out(self, light: str) -> None:
        scene = replace(default_scene(SMALL), light=LIGHTS[light], sensor=Sensor(noise=0.0))
        image = picture_of(scene)
        corners = scene.camera.project(np.array([(1.35, -1.35 + d, 0.0) for d in (0.0, 1.0)]))
        paper = image[tuple(np.rint(corners[0]).astype(int)[::-1])]
        assert 90 < int(paper.max()) < 255

    def test_the_same_seed_draws_the_same_table(self) -> None:
        a, b, c = (picture_of(named_scene("default", SMALL, seed)) for seed in (1, 1, 2))
        assert (a == b).all()
        assert (a != c).any()


class TestTruth:
    def test_says_where_everything_is(self) -> None:
        scene = default_scene()
        truth = truth_of(Renderer(scene), scene.snapshot, file="frame_0000.jpg")
        assert truth["schema"] == "table-truth-1"
        assert truth["image"] == {"file": "frame_0000.jpg", "width": 1920, "height": 1080}
        assert len(truth["cars"]) == 6
        assert len(truth["terrain"]) == 5
        assert len(truth["pairs"]) == 15
        roles = [t["role"] for t in truth["tags"].values()]
        assert (roles.count("corner"), roles.count("car"), roles.count("terrain")) == (4, 6, 5)
        assert all(t["visible_fraction"] == 1.0 and t["in_frame"] for t in truth["tags"].values())
        R, t = np.array(truth["camera"]["R_world_to_cam"]), np.array(truth["camera"]["t_world_to_cam"])
        K, dist = np.array(truth["camera"]["K"]), np.array(truth["camera"]["dist_k1k2p1p2k3"])
        for tag in truth["tags"].values():
            points = np.array([tag["center_in"], *tag["corners_in"]])
            pixels = cv2.projectPoints(points, cv2.Rodrigues(R)[0], t, K, dist)[0].reshape(-1, 2)
            assert pixels == pytest.approx(np.array([tag["center_px"], *tag["corners_px"]]), abs=2e-3)
        car = next(c for c in truth["cars"] if c["name"] == "Red 1")
        wheels = scene.start["Red 1"].to_table(scene.piece("Red 1").body.tyres)
        assert np.array(car["wheel_contacts_in"])[:, :2] == pytest.approx(wheels, abs=1e-4)

    def test_a_hand_covers_what_lies_under_it(self) -> None:
        scene = default_scene(SMALL)
        at = scene.start["Red 1"]
        renderer = Renderer(scene)
        over = truth_of(
            renderer, SceneSnapshot(scene.snapshot.placements, Hand(Pose(at.x, at.y + 4.8, math.pi / 2)))
        )
        beside = truth_of(
            renderer, SceneSnapshot(scene.snapshot.placements, Hand(Pose(at.x + 9, at.y, math.pi / 2)))
        )
        assert over["hand_in_frame"]
        assert over["tags"]["10"]["visible_fraction"] < 0.2
        assert beside["tags"]["10"]["visible_fraction"] == 1.0

    def test_covered_tags_look_covered(self) -> None:
        scene = replace(default_scene(), sensor=Sensor.perfect())
        at = scene.start["Red 1"]
        hand = Hand(Pose(at.x, at.y + 4.8, math.pi / 2))
        image = picture_of(scene, SceneSnapshot(scene.snapshot.placements, hand))
        spot = np.rint(scene.camera.project(np.array([[at.x, at.y, 1.0]]))[0]).astype(int)
        blue, _, red = image[spot[1], spot[0]].astype(int)
        assert red > 1.5 * blue

    def test_absent_and_lifted_pieces(self) -> None:
        scene = default_scene(SMALL)
        places = dict(scene.snapshot.placements)
        del places["Red 2"]
        places["Red 1"] = ScenePlacement(places["Red 1"].pose, 3.0)
        truth = truth_of(Renderer(scene), SceneSnapshot(places))
        assert "11" not in truth["tags"]
        assert truth["tags"]["10"]["center_in"][2] == pytest.approx(0.98 + 3.0)
        assert next(c for c in truth["cars"] if c["name"] == "Red 1")["lift_in"] == 3.0

    def test_pairs_name_what_stands_between(self) -> None:
        scene = default_scene(SMALL)
        places = {
            "Red 1": ScenePlacement(Pose(10.0, 10.0)),
            "Blue 1": ScenePlacement(Pose(30.0, 10.0)),
            "Hill": ScenePlacement(Pose(20.0, 10.0)),
            "Red 2": ScenePlacement(Pose(25.0, 10.0, math.pi / 2)),
            "Mug": ScenePlacement(Pose(20.0, 30.0)),
        }
        truth = truth_of(Renderer(scene), SceneSnapshot(places))
        pair = next(p for p in truth["pairs"] if (p["a"], p["b"]) == (10, 13))
        assert pair["los2d_blockers"] == [32]
        assert pair["los2d_car_blockers"] == [11]
        assert pair["centre_in"] == 20.0

    def test_foreign_tags_are_in_view_but_not_in_play(self) -> None:
        scene = named_scene("evening", SMALL)
        truth = truth_of(Renderer(scene), scene.snapshot)
        foreign = {t["id"] for t in truth["tags"].values() if t["role"] == "foreign"}
        assert foreign == {77, 401}
        assert not foreign & {p.mount.tag for p in scene.pieces if p.mount}

    def test_twins_and_other_families_keep_their_own_entries(self) -> None:
        loose = (
            SceneLooseTag("tag36h11", 10, 0.9, Pose(3.0, 40.0)),
            SceneLooseTag("DICT_4X4_50", 3, 1.0, Pose(9.0, 40.0)),
        )
        scene = replace(default_scene(SMALL), loose=loose)
        truth = truth_of(Renderer(scene), scene.snapshot)
        assert sum(t["id"] == 10 for t in truth["tags"].values()) == 2
        assert truth["tags"]["DICT_4X4_50:3"]["role"] == "foreign"


class TestScenes:
    @pytest.mark.parametrize("name", list(SCENES))
    def test_the_table_file_describes_the_scene(self, name: str) -> None:
        scene = named_scene(name)
        table = parse_table(scene.to_toml())
        assert table.name == scene.name
        assert table.game is None
        assert table.surface.polygon.equals(scene.surface.polygon)
        assert table.board == scene.board
        lens = table.lens_for((1920, 1080))
        assert pytest.approx(scene.lens.K) == lens.K
        assert lens.dist == pytest.approx(scene.lens.dist)
        assert [(c.tag, c.at, c.size) for c in table.corners] == [
            (c.tag, c.at, c.size) for c in scene.corners
        ]
        assert [p.name for p in table.pieces] == [p.name for p in scene.pieces]
        for ours, theirs in zip(scene.pieces, table.pieces, strict=True):
            assert theirs.kind == ours.kind
            assert theirs.body.height == ours.body.height
            assert theirs.body.footprint.outline == pytest.approx(ours.body.footprint.outline, abs=1e-4)
            assert theirs.mount is not None
            assert ours.mount is not None
            assert (theirs.mount.tag, theirs.mount.size, theirs.mount.height) == (
                ours.mount.tag, ours.mount.size, ours.mount.height,
            )  # fmt: skip
            assert theirs.mount.sd_turn == pytest.approx(ours.mount.sd_turn, rel=0.01)
            if ours.body.tyres is not None:
                assert theirs.body.tyres == pytest.approx(ours.body.tyres, abs=1e-4)

    def test_the_default_table_is_legal(self) -> None:
        scene = default_scene()
        regions = {n: scene.piece(n).body.footprint.at(p).polygon for n, p in scene.start.items()}
        for name, region in regions.items():
            assert scene.surface.polygon.contains(region), name
            assert not any(region.intersects(other) for n, other in regions.items() if n != name), name
        owners = [p.owner for p in scene.pieces if p.kind == "car"]
        assert (owners.count("Red"), owners.count("Blue")) == (3, 3)

    def test_the_whole_surface_is_in_the_picture(self) -> None:
        scene = default_scene()
        outline = np.column_stack([scene.surface.outline, np.zeros(4)])
        pixels = scene.camera.project(outline)
        assert (pixels > 10).all()
        assert (pixels < np.array([1910, 1070])).all()

    def test_unknown_names_are_refused(self) -> None:
        with pytest.raises(TableRefError, match="default, bare, duel, evening"):
            named_scene("moon")
        with pytest.raises(TableRefError, match="no piece called 'Green 1'"):
            default_scene().piece("Green 1")
        with pytest.raises(TableRefError, match="does not have: Ghost"):
            replace(default_scene(), start={"Ghost": Pose(0, 0)})

    def test_scripted_frames_of_a_still_table_differ_by_noise_only(self) -> None:
        table = ScriptedTable(default_scene(SMALL), seconds=0.3)
        a, b = table.read(), table.read()
        assert (a.image != b.image).any()
        assert np.abs(a.image.astype(int) - b.image).max() < 30


def drawn(scene: Scene) -> Image:
    return Renderer(scene).picture([scene.snapshot], 0)


class TestBoard:
    """A board is printed on the cloth where the table file says, and nowhere else."""

    def test_every_kind_of_board_is_in_the_table_file(self) -> None:
        oval = {"straight": 4, "inside": 1, "lanes": 2, "clockwise": True}
        for fields in (
            PointsFields(kind="points", size=(4, 3), origin_in=(5.0, 6.0), direction_deg=30.0),
            HexesFields.model_validate({"kind": "hexes", "oval": oval}),
            RoadFields(kind="road", size_in=(36.0, 8.0)),
        ):
            scene = replace(default_scene(SMALL), board_fields=fields)
            assert parse_table(scene.to_toml()).board == scene.board

    def test_lines_darken_the_cloth_and_the_rest_stays(self) -> None:
        scene = replace(named_scene("points", SMALL), sensor=Sensor.perfect(), pieces=(), start={})
        with_board, without = drawn(scene), drawn(replace(scene, board_fields=None))
        ends = [(*scene.board.pose_of(c).xy, 0.0) for c in ((0, 0), (12, 12), (6, 6))]
        low, high, middle = scene.camera.project(np.array(ends))
        changed = np.argwhere(np.abs(with_board.astype(int) - without).max(axis=2) > 2)[:, ::-1]
        margin = 0.1 * (high[0] - low[0])
        assert len(changed) > 1000
        assert changed[:, 0].min() > low[0] - margin
        assert changed[:, 0].max() < high[0] + margin
        u, v = np.rint(middle).astype(int)
        assert with_board[v, u].sum() < 0.8 * without[v, u].sum()


def test_of_a_drawn_table_hardly_more_is_kept_than_its_ground_and_its_picture() -> None:
    """Light is worked out again, and what was drawn is kept where something stands."""
    scene = default_scene()
    renderer = Renderer(scene)
    before = renderer.picture([scene.snapshot], 0)
    w, h = scene.camera.size
    kept = [a.nbytes for a in vars(renderer).values() if isinstance(a, np.ndarray)]
    drawn = sum(a.nbytes for a in renderer._drawn_tiles.values())
    assert sum(kept) < w * h * 3 * (2 + 1 + 0.1)
    assert 0 < drawn < 0.4 * w * h * 3 * 4
    # Who is taken away leaves nothing behind, and is drawn as before when they come back.
    renderer.picture([SceneSnapshot({}, None)], 0)
    assert renderer._drawn_tiles == {}
    assert np.array_equal(renderer.picture([scene.snapshot], 0), before)


def test_a_bare_table_of_a_name_is_kept_as_it_is_drawn_and_any_other_is_drawn() -> None:
    scene = named_scene("first")
    ground, other = ground_of(scene), ground_of(replace(scene, seed=2))
    kept = grounds._kept(ground)
    assert np.array_equal(kept, grounds._draw(ground))
    assert isinstance(kept, np.memmap)
    assert not isinstance(grounds._kept(other), np.memmap)
    assert not np.array_equal(grounds._kept(other), kept)
