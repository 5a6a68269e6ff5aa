"""What `serve` and `demo` serve, put together: a table, the game at it, its record and its disputes."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter

from calibration.tablefile import TableFile
from engine.boards.board import Board, Free
from engine.errors import TableRefError
from engine.game.match import Match
from engine.game.registry import STUMBLES
from engine.game.showing import Viewer
from engine.space.pieces import Piece
from engine.space.table import TableState, key_of
from server.disputes.desk import reply
from server.disputes.recorded.archive import desk_for
from server.exports.tuio import tuio_router
from server.formats.signing import SigningKey
from server.pipeline.runner import Runner
from server.play.host import MatchHost
from server.play.keeping import KINDS
from server.play.machine import Machines
from server.play.moving.move_guide import MoveGuide
from server.play.moving.seeing import Seeing, in_play, lying
from server.play.routes import play_router
from server.play.subjects import Subjects
from server.play.thinking import ADVISES, BESIDE
from server.play.view import SharedView
from server.recording.library.games import Library
from server.recording.recorder import Recorder
from server.replay.moves import recalled
from server.replay.pictures import pictures_router
from server.replay.routes import replay_router
from server.serving.run import PageServer
from server.setup.cameras.sourcing import Chooser, sources_router
from server.setup.laying import LaidMaps, laying_router
from server.setup.settling.going_on import going_on_router
from server.setup.settling.named_things import things_router
from server.setup.settling.same_camera import same_camera_router
from server.table import gate
from server.table.questions.rulings import Rulings
from server.web.certificates import Certificate

log = logging.getLogger("tableref.serving")


@dataclass(frozen=True)
class Assembled:
    """The server of a table with all its pages, the game that is played there, and what is shown of it."""

    server: PageServer
    match: MatchHost
    told: Callable[[TableState], TableState]
    """What of the table may leave to other programs."""
    scene: SharedView
    """What the pages of the game show."""
    machines: Machines
    """The players whom tableref plays."""


def put_as_left(live: Runner, match: MatchHost) -> None:
    """Puts the pieces of a simulated table, which begins anew, where the game that goes on has them.

    What the game has taken off the table is not put there again, nor what hangs on it, as long as it is off:
    the camera has not seen it since, so no page has it to be put down for the next game.
    """
    if not live.can_move or match.match is None or live.table is None:
        return
    gone = _removed(match.match, live.table.pieces)
    off = [piece.name for piece in live.table.pieces if key_of(piece.name) in gone]
    lifted: dict[str, str] = {}
    for piece in live.table.pieces:
        by = next((name for name in off if piece.name == name or piece.hangs_on(name)), None)
        if by is not None:
            live.lift(piece.name)
            lifted[piece.name] = by
        elif piece.mount is not None and (place := match.match.places.get(piece.name)) is not None:
            live.move(piece.name, place.pose)

    def put_back() -> None:
        now = match.match
        gone = _removed(now, () if live.table is None else live.table.pieces)
        for name in [name for name, by in lifted.items() if key_of(by) not in gone]:
            del lifted[name]
            place = None if now is None else now.places.get(name)
            # It may have begun off the table, and another may be watched by now.
            with suppress(TableRefError):
                live.put(name) if place is None else live.move(name, place.pose)

    if lifted:
        match.watch(put_back, asks=True)


def _removed(match: Match[Any] | None, pieces: Sequence[Piece]) -> frozenset[str]:
    """The pieces that are off the table by the game, by `key_of`; none where it does not say."""
    if match is None:
        return frozenset()
    try:
        shed = match.game.shed(match.state)
        hung = (piece.name for piece in pieces if any(piece.hangs_on(name) for name in shed))
        return frozenset(map(key_of, (*match.game.removed(match.state), *hung)))
    except STUMBLES:
        log.exception("%s does not say what is off the table", match.game.about.title)
        return frozenset()


def assemble(
    chooser: Chooser,
    opened: socket.socket,
    table: TableFile | None,
    recorder: Recorder | None,
    library: Library | None,
    certificate: Certificate | None = None,
    key: bytes | None = None,
    signing: SigningKey | None = None,
    more: Sequence[APIRouter] = (),
    write: Callable[[str], None] | None = None,
) -> Assembled:
    """Everything that is served of the table that `chooser` watches; a game that was cut off goes on.

    A new one is that which the table file names, unless another is chosen. `table` is None while it is to
    be set up; `more` are further pages, `write` keeps the text of its file.

    Without a `recorder` nothing is kept, without a `library` no recorded game can be replayed.
    """
    live = chooser.live
    match = MatchHost(recorder, game=None if table is None else table.game, seeing=_seeing(live, recorder))
    if recorder is not None:
        match.restore(recorder.entries(KINDS))
        recorder.over = partial(_over, match)

    def tell() -> None:
        live.lay(lying(match.match))
        live.plays(in_play(match.match, match.owners))

    match.watch(tell, asks=True)
    tell()
    rulings = Rulings(
        lambda: (match.game, None if match.match is None else match.match.state), turn=lambda: match.turn
    )

    def told(table: TableState) -> TableState:
        return gate.table_of(table) if rulings.hides else table

    def lost() -> tuple[str, str] | None:
        return None if desk.lost is None else (desk.lost.id, desk.lost.words)

    guide = MoveGuide(live, match)
    maps, machines = LaidMaps(), Machines(match, live, thinker=BESIDE)
    told_of = partial(_trouble, recorder), maps.offered, machines, partial(_record, recorder), lost
    scene = SharedView(match, live, guide, *told_of)
    laying = laying_router(maps, lambda: match.game.about, scene.relaid)
    routers = [
        sources_router(chooser),
        same_camera_router(live),
        going_on_router(live),
        things_router(live, write, lambda: [piece.name for piece in match.draft.pieces]),
        tuio_router(live, told),
        play_router(scene, ADVISES),
        laying,
        *more,
    ]
    if library is not None:
        routers += [replay_router(library, rulings, time.perf_counter), pictures_router(library)]
    desk = desk_for(
        live,
        rulings,
        recorder,
        lambda: "" if live.table is None else live.table.name,
        Subjects(match, guide),
        signing,
    )
    if recorder is not None:
        desk.restore(recorder.entries(("dispute.",)))
    machines.replies = partial(reply, desk)
    machines.watch()
    server = PageServer(live, rulings, opened, certificate, routers, key, desk)
    server.authenticator.passes.watch(match.vacate)
    return Assembled(server, match, told, scene, machines)


def _seeing(live: Runner, recorder: Recorder | None) -> Seeing:
    """The table and its board as the camera has them now, and the moves that actions of the record took."""

    def table() -> TableState | None:
        return None if live.moment is None else live.moment.table

    def board() -> Board:
        return Free() if live.moment is None else live.moment.board

    if recorder is None:
        return Seeing(table, board=board)
    then = partial(recalled, recorder, lambda: None if live.moment is None else live.moment.time)
    return Seeing(table, board=board, recall=then)


def _over(host: MatchHost) -> bool:
    """Whether a match is played that has come to its end."""
    match = host.match
    try:
        return match is not None and match.game.status(match.state, Viewer()).over
    except STUMBLES:
        log.exception("%s does not say whether the game is over", host.game.about.title)
        return False


def _record(recorder: Recorder | None) -> str | None:
    """Under which id the game is kept, so that it can be seen again."""
    return recorder.game.id if recorder and recorder.game else None


def _trouble(recorder: Recorder | None) -> str | None:
    """What people at the game should know of its record."""
    return " ".join(recorder.notices) or None if recorder else "This game is not recorded."
