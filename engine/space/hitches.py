"""Vehicles of several bodies: where a trailer without a tag stands, as far as that can be known."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from engine.space.geometry import Pose
from engine.space.pieces import Hitch, Piece
from engine.space.table import PoseUncertainty, Standing


def with_followers(standings: Iterable[Standing], pieces: Iterable[Piece]) -> tuple[Standing, ...]:
    """The standings, and those of the bodies that follow one of them, in the order of `pieces`."""
    listed = tuple(pieces)
    known = {s.name: s for s in standings}
    # Round again while a body was found, for another may hang on it.
    found = True
    while found:
        found = False
        for piece in listed:
            if piece.hitch is not None and piece.follows and piece.name not in known:
                puller = known.get(piece.hitch.to)
                if puller is not None:
                    known[piece.name], found = following(piece, piece.hitch, puller), True
    return tuple(known[p.name] for p in listed if p.name in known)


def following(piece: Piece, hitch: Hitch, puller: Standing) -> Standing:
    """A body that hangs straight behind the one that pulls it, and how far from that it may be.

    Its deviation is that of the one that pulls, carried to its own middle, and on top of it that of the
    angle at the pin: its middle may swing about the pin by as much.
    """
    reach = (hitch.on[0] - hitch.at[0], hitch.on[1] - hitch.at[1])
    pose = puller.pose.compose(Pose(*reach))
    carry = np.vstack([puller.pose.jacobian(reach), [0.0, 0.0, 1.0]])
    dx, dy = pose.rotation @ np.array([-hitch.at[0], -hitch.at[1]])
    swing = np.array([[-dy], [dx], [1.0]]) * hitch.sd_turn
    own = carry @ puller.uncertainty.own @ carry.T + swing @ swing.T
    uncertainty = PoseUncertainty(own, carry @ puller.uncertainty.shared)
    return Standing(piece, pose, uncertainty, puller.status, puller.since, puller.seen_at)
