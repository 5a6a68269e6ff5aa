"""A table, and a move on it, as plain JSON and back, exactly: what was ruled can be ruled again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from calibration.table_text import in_short
from engine.errors import TableRefError
from engine.motion.moves import Move, Read
from engine.space.geometry import Footprint, Pose, Region, as_points
from engine.space.pieces import Body, Hitch, Piece, Spot
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.recording.outlined import Unknown


def table_record(table: TableState) -> dict[str, Any]:
    """Everything that a rule book can ask of a table: inches, radians, seconds of the source's clock.

    What belongs to the table and was never seen is told as `unplaced` where there is such a thing, and what
    nobody named as `things`; where cars that were not read may stand as `hideouts`, and what is in view twice
    as `twice`.
    """
    unplaced = [piece_record(p) for p in table.unplaced]
    return {
        "time_s": table.time,
        "surface_in": table.surface.outline.tolist(),
        "pieces": [standing_record(s) for s in table.standings],
        **({"unplaced": unplaced} if unplaced else {}),
        **Unknown.of(table).record(),
    }


def standing_record(standing: Standing) -> dict[str, Any]:
    """A piece as it stands, exactly."""
    hitch = standing.piece.hitch
    return {
        **piece_record(standing.piece),
        "pose": [standing.pose.x, standing.pose.y, standing.pose.heading],
        "own": standing.uncertainty.own.tolist(),
        "shared": standing.uncertainty.shared.tolist(),
        "status": standing.status.value,
        "since_s": standing.since,
        "seen_s": standing.seen_at,
        **({} if hitch is None else {"hitch": asdict(hitch)}),
    }


def piece_record(piece: Piece) -> dict[str, Any]:
    """What a piece is like, wherever it stands; what it hangs on aside."""
    body, spot = piece.body, piece.spot
    return {
        "name": piece.name,
        "kind": piece.kind,
        "owner": piece.owner,
        "colour": piece.colour,
        "model": body.model,
        "footprint_in": body.footprint.outline.tolist(),
        "height_in": body.height,
        "tyres_in": None if body.tyres is None else body.tyres.tolist(),
        **({} if spot is None else {"spot": [spot.pose.x, spot.pose.y, spot.pose.heading, spot.sd]}),
    }


def table_of(record: Mapping[str, Any]) -> TableState:
    """The table that `table_record` wrote; a clear error for anything else."""
    try:
        standings = tuple(standing_of(p) for p in record["pieces"])
        unplaced = tuple(piece_of(p) for p in record.get("unplaced", ()))
        surface = Region(as_points(record["surface_in"], "surface"))
        return TableState(float(record["time_s"]), surface, standings, unplaced, *Unknown.read(record))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise TableRefError(f"expected a table as a dispute keeps it, but {_said(error)}") from error


def standing_of(record: Mapping[str, Any]) -> Standing:
    """The piece that `standing_record` wrote."""
    shared = np.array(record["shared"], dtype=np.float64).reshape(3, -1)
    x, y, heading = map(float, record["pose"])
    return Standing(
        piece_of(record),
        Pose(x, y, heading),
        PoseUncertainty(np.array(record["own"], dtype=np.float64), shared),
        Status(record["status"]),
        float(record["since_s"]),
        float(record["seen_s"]),
    )


def piece_of(record: Mapping[str, Any]) -> Piece:
    """The piece that `piece_record` wrote, with the hitch of a standing's."""
    tyres = record["tyres_in"]
    body = Body(
        str(record["model"]),
        Footprint(as_points(record["footprint_in"], "footprint")),
        float(record["height_in"]),
        None if tyres is None else as_points(tyres, "tyres"),
    )
    hitch = record.get("hitch")
    if hitch is not None:
        hitch = Hitch(str(hitch["to"]), _point(hitch["at"]), _point(hitch["on"]), float(hitch["sd_turn"]))
    spot = record.get("spot")
    if spot is not None:
        x, y, heading, sd = map(float, spot)
        spot = Spot(Pose(x, y, heading), sd)
    return Piece(
        str(record["name"]), record["kind"], body, None, record["owner"], record["colour"], hitch, spot
    )


def _point(of: Sequence[float]) -> tuple[float, float]:
    x, y = map(float, of)
    return x, y


def _said(error: Exception) -> str:
    return in_short(f"{error} is missing" if isinstance(error, KeyError) else str(error))


# A move


def move_record(move: Move) -> dict[str, Any]:
    """The table as the piece left it, where it was read on its way, where it rests: inches, radians, seconds.

    `rests` are the same of where it rested before it was moved on.
    """
    rests: list[dict[str, Any]] = []
    earlier = move.earlier
    while earlier is not None:
        rests.insert(0, _rest_record(earlier))
        earlier = earlier.earlier
    return {
        "id": move.id,
        "piece": move.piece,
        "since_s": move.since,
        "before": table_record(move.before),
        "way": [[r.time, r.pose.x, r.pose.y, r.pose.heading, r.sd, r.sd_heading] for r in move.reads],
        "rests": [*rests, _rest_record(move)],
    }


def _rest_record(move: Move) -> dict[str, Any]:
    return {
        "until_s": move.until,
        "at": standing_record(move.after),
        "reads": len(move.reads),
        "lifted": move.lifted,
        "id": move.id,
    }


def move_of(record: Mapping[str, Any]) -> Move:
    """The move that `move_record` wrote; a clear error for anything else."""
    try:
        before: TableState = table_of(record["before"])
        way = tuple(
            Read(float(t), Pose(float(x), float(y), float(turn)), float(sd), float(sd_turn))
            for t, x, y, turn, sd, sd_turn in record["way"]
        )
        found: Move | None = None
        for rest in record["rests"]:
            found = Move(
                str(rest["id"]), str(record["piece"]), before, standing_of(rest["at"]),
                float(record["since_s"]), float(rest["until_s"]), way[: int(rest["reads"])],
                bool(rest["lifted"]), found,
            )  # fmt: skip
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise TableRefError(f"expected a move as a dispute keeps it, but {error!r}") from error
    if found is None:
        raise TableRefError("expected a move as a dispute keeps it, but it rests nowhere")
    return found
