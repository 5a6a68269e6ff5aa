"""Settling a camera: taking what it sees, and the same camera again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from calibration.bundle.doubts import Doubt
from calibration.lens.model import Lens
from calibration.tablefile import TableFile, parse_table
from engine.space.table import Status
from server.formats.entries import Entry
from server.pipeline.another_view import ANOTHER_WORDS, AWAY_S
from server.pipeline.referee import Moment, Referee
from server.setup.settling.same_camera import PATH, SameCameraError, agreement, kept_calibration
from server.setup.settling.settling_routes import measurable, measured, offered, taken
from server.setup.table_changes import SetupError
from server.web.authentication import may
from tests.crowd import bumped
from tests.server.fakes import PATIENCE, wait_until
from tests.server.firsttime import FirstTime, first_time
from tests.volume import deep
from vision.frame import Frame
from vision.simulate.drawing.camera import Camera
from vision.simulate.drawing.render import Renderer
from vision.simulate.live import ScriptedTable, SimulatedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import default_scene

MOVED = (1.5, -1.5, 1.0)


def elsewhere(camera: Camera, zoom: float = 1.0, shift: tuple[float, float, float] = MOVED) -> Camera:
    """The camera hung elsewhere, or another one there, of a longer focal length."""
    K = camera.lens.K.copy()
    K[0, 0], K[1, 1] = zoom * K[0, 0], zoom * K[1, 1]
    hung = bumped(camera, shift=shift, turn_deg=4.0)
    return replace(hung, lens=replace(hung.lens, K=K))


def picture(scene: Scene, zoom: float = 1.0) -> Frame:
    return ScriptedTable(replace(scene, camera=elsewhere(scene.camera, zoom)), fps=5.0, seconds=0.2).read()


@pytest.fixture(scope="module")
def scene() -> Scene:
    return default_scene()


@pytest.mark.parametrize(
    ("zoom", "agrees"),
    [
        *((1.0, True), (1.05, False), (0.95, False)),
        *(pytest.param(zoom, False, marks=deep) for zoom in (1.15, 0.8)),
    ],
)
def test_the_tags_agree_with_its_own_calibration_alone(scene: Scene, zoom: float, agrees: bool) -> None:
    lens = parse_table(scene.to_toml()).lens_for((1920, 1080))
    found = agreement(lens, parse_table(scene.to_toml()), picture(scene, zoom))
    assert found.agrees == agrees
    # What the tags say is true, whatever the calibration says.
    assert abs(found.found - zoom * found.stated) < 3 * found.sd
    assert f"the calibration says {found.stated:.0f}" in found.words


def test_what_is_kept_must_be_a_calibration_at_this_size(scene: Scene) -> None:
    table = parse_table(scene.to_toml())
    assert kept_calibration(table, "nobody's camera", (1920, 1080)).guessed is False
    with pytest.raises(SameCameraError, match="1280"):
        kept_calibration(table, "nobody's camera", (1280, 720))
    with pytest.raises(SameCameraError, match="no calibration is kept for pictures of 1280 × 720"):
        kept_calibration(replace(table, lens=None), "nobody's camera", (1280, 720))


def judged(referee: Referee, scene: Scene, since: float) -> Moment:
    source = ScriptedTable(scene, fps=5.0, seconds=1.2)
    return [referee.step(source.read().restamped(n, since + n / 5.0)) for n in range(6)][-1]


def test_what_the_tags_cannot_tell_of_it_stays_in_the_deviations(scene: Scene) -> None:
    """A camera that hangs higher than before may have been zoomed."""
    referee = Referee(parse_table(scene.to_toml()))
    lens: Lens = parse_table(scene.to_toml()).lens_for((1920, 1080))
    judged(referee, scene, 0.0)
    higher = replace(scene, camera=elsewhere(scene.camera, shift=(1.5, -1.5, 5.0)))
    suspected = judged(referee, higher, 6.0)
    assert suspected.another
    assert ANOTHER_WORDS in suspected.notices
    referee.use_lens(lens, resumed=True)
    after = judged(referee, higher, 7.2)
    # Calibrated anew where it hangs now, nothing is left open.
    referee.use_lens(replace(lens))
    anew = judged(referee, higher, 8.4)
    referee.close()
    assert not after.another
    assert ANOTHER_WORDS not in after.notices
    assert all(s.status is Status.STILL for s in after.table.standings)

    def unsure(moment: Moment) -> float:
        return max(float(np.linalg.norm(s.uncertainty.shared[:2])) for s in moment.table.standings)

    assert 1.2 * unsure(anew) < unsure(after) < unsure(suspected)
    truth = scene.snapshot.placements
    for s in after.table.standings:
        loading = s.uncertainty.shared[:2]
        covariance = s.uncertainty.own[:2, :2] + loading @ loading.T
        off = s.pose.xy - truth[s.name].pose.xy
        assert np.sqrt(off @ np.linalg.solve(covariance, off)) < 4.0


@pytest.fixture
def served(tmp_path: Path, scene: Scene) -> Iterator[FirstTime]:
    """A simulated table with a file of its own that holds the camera's calibration."""
    with first_time(tmp_path / "tables", "sim") as first:
        yield first


def comes_back(first: FirstTime, zoom: float = 1.0) -> Callable[[], bool]:
    """The cable is out for a while, and then a camera answers that sees the table from elsewhere.

    Returns a question: whether the newest picture was taken since.
    """
    source = first.live.source
    assert isinstance(source, SimulatedTable)
    after = replace(source.scene, camera=elsewhere(default_scene().camera, zoom))
    began, sleep = math.inf, source._sleep

    def away(_: float) -> None:
        nonlocal began
        source._sleep = sleep
        began = source._clock()
        sleep(AWAY_S + 0.5)
        source.scene, source._renderer = after, Renderer(after)

    def since() -> bool:
        moment = first.live.moment
        return moment is not None and moment.time > began + AWAY_S

    source._sleep = away
    return since


def suspects(first: FirstTime) -> bool:
    moment = first.live.moment
    return moment is not None and moment.another and moment.surface is not None


def ask(first: FirstTime) -> httpx.Response:
    return httpx.post(f"{first.server.address}{PATH.lstrip('/')}", timeout=PATIENCE)


def test_it_is_said_kept_and_taken_up_only_where_the_tags_agree(
    served: FirstTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Entry] = []
    monkeypatch.setattr(served.live, "note", kept.append)
    wait_until("the table to be found", lambda: bool(served.live.moment and served.live.moment.surface))
    assert ask(served).json()["error"].startswith("no other camera is suspected any more")

    def said(zoom: float) -> tuple[httpx.Response, Entry]:
        """What is answered when somebody says so of a camera that comes back, and what is kept of that."""
        since = comes_back(served, zoom)
        wait_until("another camera to be suspected", lambda: since() and suspects(served))
        answer, entry = ask(served), kept.pop()
        assert not kept
        assert (entry.kind, entry.actor, entry.data["taken_up"]) == ("camera.same", "the owner", zoom == 1.0)
        assert "The owner said that it is the same camera." in entry.words
        assert any(e.event.words == entry.words for e in served.live.snapshot.events)
        return answer, entry

    answer, _ = said(0.85)
    look: dict[str, Any] = httpx.get(f"{served.server.address}{PATH.lstrip('/')}").json()
    assert look == {"asked": True, "may_say": True}
    assert httpx.get(f"{served.server.address}healthz").json()["another_camera"]
    assert answer.status_code == 409
    words = answer.json()["error"]
    assert "The corner tags do not agree with the kept calibration: by the tags its focal length" in words
    assert "Calibrate this camera (page Calibrate)" in words
    assert suspects(served)
    answer, entry = said(1.0)
    assert answer.status_code == 200, answer.text
    wait_until("the calibration to be used", lambda: not suspects(served))
    assert "It is used again." in entry.words


def test_only_the_owner_says_it() -> None:
    assert may("owner", "POST", PATH)
    assert not may("player", "POST", PATH)
    assert not may("spectator", "POST", PATH)


TEXT = """format = 1
[table]
name = "t"
[surface]
size_in = [48.0, 48.0]
[[corner]]
tag = 0
size_in = 2.4
at_in = [0.0, 0.0]
[[corner]]
tag = 1
size_in = 2.4
at_in = [47.0, 0.0]  # by tape
[[corner]]
tag = 2
size_in = 2.0
at_in = [47.0, 46.0]
sd_in = 0.2
[[corner]]
tag = 3
size_in = 2.4
at_in = [0.0, 46.0]
"""
CORNER = Doubt("corner", (1,), 1.0, 0.08, 0.0, 0.97, "corner tag 1 lies off", (46.03, 0.04))
WIDTH = Doubt("width", (), 46.0, 0.1, 47.0, 0.9, "it is narrower")
SWAP = Doubt("swap", (1, 2), 0.0, 0.0, 0.0, 1.0, "swapped")
LENS = Doubt("lens", (), 1181.0, 20.0, 1100.0, 0.9, "another lens")


def table() -> TableFile:
    return read(TEXT)


def read(text: str) -> TableFile:
    return parse_table(text, "t", Path())


def places(text: str) -> dict[int, tuple[tuple[float, float], float]]:
    return {c.tag: (c.at, c.sd) for c in read(text).corners}


def test_a_corner_is_written_where_it_is_seen_with_the_deviation_of_that_alone() -> None:
    text = taken(table(), CORNER)
    assert places(text) == places(TEXT) | {1: ((46.03, 0.04), 0.08)}
    assert "stated before: 47, 0" in text
    assert offered(table(), CORNER) == "corner tag 1 at 46.03, 0.04 ± 0.08 in, not 47, 0"


def test_a_width_moves_all_corners_that_are_not_at_the_left() -> None:
    after = places(taken(table(), WIDTH))
    assert after[0] == places(TEXT)[0]
    assert after[1] == ((46.0, 0.0), 0.1)
    assert after[2] == ((46.0, 46.0), 0.2)
    assert offered(table(), WIDTH) == "46.00 ± 0.10 in from left to right, not 47.00"


def test_swapped_tags_get_each_others_place_and_keep_their_own_size() -> None:
    corners = {c.tag: c for c in read(taken(table(), SWAP)).corners}
    assert (corners[1].at, corners[1].size) == ((47.0, 46.0), 2.4)
    assert (corners[2].at, corners[2].size) == ((47.0, 0.0), 2.0)


def test_what_is_measured_again_is_as_exact_as_a_ruler() -> None:
    assert places(measured(table(), CORNER, [46.1, 0.0]))[1] == ((46.1, 0.0), 0.0625)
    assert places(measured(table(), WIDTH, [46.5]))[1][0] == (46.5, 0.0)
    assert len(measurable(CORNER)) == 2
    assert measurable(SWAP) == ()


def test_what_cannot_be_taken_is_refused() -> None:
    assert offered(table(), LENS) is None
    with pytest.raises(SetupError):
        taken(table(), LENS)
    with pytest.raises(SetupError, match="expected 2 lengths"):
        measured(table(), CORNER, [1.0])
    with pytest.raises(SetupError, match="expected about 47"):
        measured(table(), WIDTH, [4.6])
