"""The application as `serve` puts it together, at a table whose pieces a test moves by hand, recorded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from websockets.sync.client import connect

from calibration.tablefile import TableFile, parse_table
from engine.measure.sweep import Straight, Turn
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.moves.segmentation import MoveWatch
from server.pipeline.opening import Choice, Opener
from server.pipeline.referee import Moment, Refereeing, TableEvent
from server.pipeline.runner import Runner
from server.recording.library.games import Library
from server.recording.recorder import Recorder
from server.serving.assembly import assemble
from server.serving.run import listen
from server.setup.cameras.sourcing import Chooser
from server.web.authentication import Role
from tests.hand import Habits, push
from tests.server.fakes import BARE, CAMERA, PATIENCE, HandMoved, wait_until
from tests.server.gaming import Player, Table
from vision.frame import Frame
from vision.simulate.scenes import named_scene

Said = dict[str, object]

STEADY = Habits(wobble=0.008, wobble_turn=0.004, slip=0.002, slip_turn=0.001, missed=0.0, speed=6.0)


class Hands(HandMoved):
    """Pieces of a table file, put where a test wants them; the pictures are plain."""

    def __init__(self, poses: Mapping[str, Pose]) -> None:
        super().__init__()
        self.poses = dict(poses)

    def read(self) -> Frame:
        self._go.wait(1 / self._fps)
        self._index += 1
        return BARE.restamped(self._index, self._index / self._fps)


class Sees(Refereeing):
    """A referee that knows where the hands have put everything; `hidden` is not seen."""

    def __init__(self, source: Hands, file: TableFile, sd: float) -> None:
        self._source, self._file = source, file
        self._sure = PoseUncertainty.isotropic(sd, 0.01)
        self.hidden: set[str] = set()
        self._moves = MoveWatch()

    def step(self, frame: Frame) -> Moment:
        with self._source._lock:
            standings = [
                Standing(
                    piece, self._source.poses[piece.name], self._sure,
                    self._source.statuses.get(piece.name, Status.STILL), 0.0, frame.time,
                )
                for piece in self._file.pieces
                if piece.name in self._source.poses and piece.name not in self.hidden
            ]  # fmt: skip
        table = TableState.of(self._file.surface, standings, frame.time)
        read = frozenset(s.name for s in standings)
        moves = self._moves.update(table, read)
        under_way, events = self._moves.under_way(), ()
        if frame.index == 1:
            events = tuple(TableEvent(frame.time, "appeared", n, f"{n} is on the table.") for n in read)
        return Moment(frame.index, frame.time, frame, table, CAMERA, events, (), read, moves, under_way)


@dataclass
class AtTable(Table):
    """A served and recorded table with its library; what a hand does is seen before it returns."""

    library: Library
    sees: Sees
    file: TableFile

    @property
    def game(self) -> str:
        """The id of the game that is recorded."""
        return self.library.games()[0].id

    @contextmanager
    def joined(self, role: Role = "owner", headers: dict[str, str] | None = None) -> Iterator[Player]:
        """As `Table.joined`, with patience for a machine that is busy."""
        more = headers if headers is not None else ({} if role == "owner" else self.shown(role))
        where = self.url.replace("http", "ws") + "ws/play"
        with connect(where, additional_headers=more, open_timeout=PATIENCE) as connection:
            yield Player(connection)

    def put(self, **at: Pose) -> None:
        """Hands put pieces there, all at once; spaces in names are written as underscores."""
        for name, pose in at.items():
            self.source.move(name.replace("_", " "), pose)
        self.look()

    def look(self, frames: int = 2) -> None:
        """So many frames more have been seen."""
        number = self.live.snapshot.number
        wait_until("a frame", lambda: self.live.snapshot.number >= number + frames)

    def drive(self, name: str, *steps: Straight | Turn, seed: int = 3) -> None:
        """A hand pushes a car, and every frame of it is seen; it rests where that ends."""
        body = next(piece.body for piece in self.file.pieces if piece.name == name)
        axle = float(body.rear_axle[0])
        steps = tuple(Turn(s.angle, (axle, 0.0)) if isinstance(s, Turn) else s for s in steps)
        one = push(
            steps, np.random.default_rng(seed), model=body.model, start=self.source.poses[name],
            habits=STEADY, fps=15,
        )  # fmt: skip
        for pose in one.track[1:]:
            self.source.statuses[name] = Status.MOVING
            self.source.move(name, pose)
            self.look()
        self.source.move(name, one.end)
        self.look()
        self.source.statuses[name] = Status.STILL
        self.look()


@contextmanager
def at_table(
    folder: Path,
    poses: Mapping[str, Pose],
    scene: str = "default",
    sd: float = 0.012,
) -> Iterator[AtTable]:
    """A table that is served and recorded into this folder; again in the same folder, its game goes on."""
    drawn = named_scene(scene)
    # Terrain that nobody has put down would leave every line of sight open.
    there = tuple(p for p in drawn.pieces if p.name in poses or p.kind != "terrain")
    start = {p.name: drawn.start[p.name] for p in there if p.name in drawn.start}
    file = parse_table(replace(drawn, pieces=there, start=start).to_toml(), "the table of a test")
    source = Hands(poses)
    recorder = Recorder(folder, file, video=None)
    recorder.start()
    with Library.open(folder) as library:
        sees = Sees(source, file, sd)
        live = Runner(source, sees, keeper=recorder)
        choice = Choice(f"sim:{scene}")
        chooser = Chooser(live, Opener(file, drawn=True), choice)
        served = assemble(chooser, listen(port=0), file, recorder, library)
        try:
            with served.server as server:
                wait_until("the first moment", lambda: live.moment is not None)
                yield AtTable(source, live, served.match, server, library, sees, file)
        finally:
            recorder.stop()


def degrees(x: float, y: float, heading: float) -> Pose:
    """A pose, inches and degrees."""
    return Pose(x, y, math.radians(heading))


WHERE: dict[str, Pose] = {
    "Red 1": degrees(10, 24, 0), "Red 2": degrees(6, 40, 0), "Blue 1": degrees(21, 24, 180),
    "Blue 2": degrees(42, 40, 180),
}  # fmt: skip


def draft(
    game: str, pieces: Sequence[tuple[str, str, dict[str, object]]], **answers: object
) -> dict[str, object]:
    """A set-up for Anna and Ben."""
    return {
        "game": game,
        "players": [{"name": "Anna", "colour": "#c8322b"}, {"name": "Ben", "colour": "#1f6fd0"}],
        "pieces": [{"name": n, "owner": o, "answers": a} for n, o, a in pieces],
        "answers": answers,
    }


FEVER = draft(
    "white_line_fever",
    [
        ("Red 1", "Anna", {"brand": "Venus", "primary": "Machine Gun", "secondary": "Harpoon"}),
        ("Red 2", "Anna", {"brand": "Mule", "primary": "Autocannon", "secondary": "Oil"}),
        ("Blue 1", "Ben", {"brand": "Hammer", "primary": "Tank Cannon", "secondary": "Long Horn"}),
        ("Blue 2", "Ben", {"brand": "Pulsar", "primary": "Plinker", "secondary": "Railgun"}),
    ],
    deployment="highway",
)
