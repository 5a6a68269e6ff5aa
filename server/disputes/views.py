"""The dispute that is open, as a viewer is told of it."""

from __future__ import annotations

import math

from engine.game.contract import Question
from engine.ruling import Ruling
from engine.space.table import Standing
from server.disputes.desk import Desk, Open
from server.disputes.dispute import stamp
from server.disputes.evidence import Evidence, involved
from server.disputes.seal import in_groups
from server.formats import units
from server.formats.units import LengthUnit
from server.table.messages import AskedView, DecisionView, DisputeView, RulingView, ShownPicture
from server.table.ruling_view import ruling_view


class Teller:
    """Tells viewers of the dispute that is open; each way of telling it is worked out once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told: tuple[Open | None, dict[tuple[bool, LengthUnit], DisputeView]] = (None, {})

    def view(self, may_act: bool, unit: LengthUnit) -> DisputeView | None:
        """What is frozen now; None while nothing is."""
        opened = self._desk.open
        of, told = self._told
        if opened is not of:
            told = {}
            self._told = opened, told
        if opened is None:
            return None
        key = (may_act, unit)
        if key not in told:
            told[key] = viewed(opened, may_act, unit)
        return told[key]


def viewed(opened: Open, may_act: bool, unit: LengthUnit) -> DisputeView:
    """A dispute for a viewer."""
    dispute = opened.dispute
    evidence, decision = dispute.evidence, dispute.decision
    table = evidence.table

    def shown(ruling: Ruling, question: Question) -> RulingView:
        return ruling_view(table, ruling, question, None, unit)

    return DisputeView(
        id=dispute.id,
        version=opened.version,
        by=dispute.by,
        opened=stamp(dispute.opened),
        at=round(evidence.at, 3),
        instants=[round(s.time, 3) for s in opened.shots],
        ruling=shown(dispute.ruling, evidence.question),
        asked=[AskedView(by=a.by, ruling=shown(a.ruling, a.question)) for a in dispute.asked],
        pictures=[
            ShownPicture(name=p.name, about=p.about, media=p.media, words=units.retold(p.words, unit))
            for p in evidence.pictures
        ],
        facts=list(facts(evidence, unit)),
        decision=None
        if decision is None
        else DecisionView(way=decision.way, outcome=decision.outcome, words=decision.words),
        seal=None if decision is None else in_groups(dispute.seal),
        trouble=opened.trouble,
        may_act=may_act,
    )


def facts(evidence: Evidence, unit: LengthUnit = "in") -> tuple[str, ...]:
    """How surely everything is known, in sentences."""
    said = [place_words(s, unit) for s in involved(evidence.table, evidence.question, evidence.ruling)]
    shot = evidence.shot
    if shot.surface is not None:
        said.append(units.retold(f"Calibration: {shot.surface.note}.", unit))
        off = [f"tag {c.tag} {units.deviation(by, unit)}" for c, by in getattr(shot.surface, "misfits", ())]
        if off:
            said.append(f"Misfit of each corner: {', '.join(off)}.")
    away = shot.time - evidence.at
    when = "at that instant" if abs(away) < 0.02 else f"{away:+.1f} s from that instant"
    known = [j for j in evidence.judged if j.sharpness is not None]
    mine = next((j.sharpness for j in known if j.time == shot.time), None)
    if mine is not None:
        said.append(
            f"Frame {shot.index}, {when}: the sharpest of {len(evidence.judged)} in which nothing of this "
            f"had moved; an edge of a tag is {1 / mine:.1f} pixels wide."
        )
    else:
        said.append(f"Frame {shot.index}, {when}.")
    return tuple(said)


def place_words(standing: Standing, unit: LengthUnit) -> str:
    """Where a piece stood, how surely, and what the camera knew of it."""
    pose, total = standing.pose, standing.uncertainty.total
    sd = math.sqrt(max(float(total[0, 0] + total[1, 1]) / 2, 0.0))
    sd_turn = math.sqrt(max(float(total[2, 2]), 0.0))
    place = f"{units.length(pose.x, unit)}, {units.length(pose.y, unit)}, ± {units.deviation(sd, unit)}"
    turn = f"{units.heading(pose.heading)}, ± {units.angle(sd_turn)}"
    return f"{standing.name} ({standing.status.value}) at {place}; heading {turn}."
