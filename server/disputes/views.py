"""The dispute that is open, as a viewer is told of it."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace

from engine.game.contract import Question
from engine.game.registry import STUMBLES
from engine.ruling import Ruling
from engine.space.table import Standing
from server.disputes.desk import Desk, Open
from server.disputes.dispute import Dispute, stamp
from server.disputes.evidence import Evidence, involved
from server.disputes.sealed.seal import DIGITS, in_groups
from server.disputes.settling import Party, concerned
from server.formats import units
from server.formats.units import LengthUnit
from server.play.subjects import Subject
from server.table import gate
from server.table.questions import ruling_messages as messages
from server.table.questions.ruling_view import ruling_view
from server.web.authentication import Identity

log = logging.getLogger("tableref.disputes")


class Teller:
    """Tells viewers of the dispute that is open; each way of telling it is worked out once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told: tuple[Open | None, dict[tuple[Party, LengthUnit, bool], messages.DisputeView]] = (
            None,
            {},
        )

    def view(self, who: Identity, unit: LengthUnit) -> messages.DisputeView | None:
        """What is frozen now, as it is for whoever looks; None while nothing is."""
        opened = self._desk.open
        of, told = self._told
        if opened is not of:
            told = {}
            self._told = opened, told
        if opened is None:
            return None
        party = self._desk.party(who)
        # Two devices of one seat may do the same; of all others none is told apart but by its role.
        mine = party if self._desk.may_withdraw(party) else replace(party, who=Identity(who.role))
        key = (mine, unit, self._desk.hides)
        if key not in told:
            told[key] = viewed(self._desk, opened, party, unit)
        return told[key]


def viewed(desk: Desk, opened: Open, party: Party, unit: LengthUnit) -> messages.DisputeView:
    """A dispute for a viewer."""
    dispute = opened.dispute
    evidence, decision = dispute.evidence, dispute.decision
    table = evidence.table
    told = not desk.withholds(dispute) or _moves(party, dispute)
    said = units.retold if told else _unmeasured

    def public(words: str) -> str:
        return units.retold(gate.scrubbed(words, desk.hides), unit)

    def shown(ruling: Ruling, question: Question) -> messages.RulingView:
        found = ruling_view(table, ruling, question, None, unit)
        return found if told or question is not evidence.question else gate.ruling_of(found)

    return messages.DisputeView(
        id=dispute.id,
        version=opened.version,
        by=dispute.by,
        opened=stamp(dispute.opened),
        at=round(evidence.at, 3),
        instants=[round(s.time, 3) for s in opened.shots],
        ruling=shown(dispute.ruling, evidence.question),
        asked=[messages.AskedView(by=a.by, ruling=shown(a.ruling, a.question)) for a in dispute.asked],
        pictures=[
            messages.ShownPicture(name=p.name, about=p.about, media=p.media, words=said(p.words, unit))
            for p in evidence.pictures
        ],
        facts=[gate.scrubbed(fact, desk.hides) for fact in facts(evidence, unit)],
        decision=None
        if decision is None
        else messages.DecisionView(way=decision.way, outcome=decision.outcome, words=public(decision.words)),
        subject=None if dispute.subject is None else _told(dispute.subject, unit, hidden=desk.hides),
        key=None if dispute.subject is None else dispute.subject.key,
        subjects=subject_views(_offered(desk), unit, hidden=desk.hides) if decision is None else [],
        remedies=[
            messages.RemedyView(
                outcome="yes" if r.key == "keep" else "no",
                words=public(r.words),
                goes=[public(words) for words in r.goes],
            )
            for r in (desk.remedies(dispute) if decision is None else ())
        ],
        count=None if dispute.subject is None else dispute.subject.match.count,
        concerned=[
            messages.ConcernedView(player=player, here=player in desk.seated())
            for player in concerned(dispute)
        ],
        proposal=_proposal(opened, party, concerned(dispute)),
        declined=opened.declined,
        seal=None if decision is None else in_groups(dispute.seal),
        noted=None if decision is None else in_groups(dispute.seal[:DIGITS]),
        saves=decision is not None and not desk.hides,
        trouble=opened.trouble,
        may_act=party.acts,
        may_decide=party.may_decide(concerned(dispute)),
        owner=party.owner,
        may_withdraw=party.acts and (decision is not None or desk.may_withdraw(party)),
        may_reopen=decision is not None and desk.reopenable(dispute) and party.may_decide(concerned(dispute)),
    )


def _moves(party: Party, dispute: Dispute) -> bool:
    """Whether a party makes the move that is disputed, and so may read its length."""
    awaited = None if dispute.subject is None else dispute.subject.awaited
    mover = None if awaited is None else awaited.player
    return party.owner or (party.acts and party.seat is not None and mover in (None, party.seat))


def _unmeasured(words: str, unit: LengthUnit) -> str:
    return gate.unmeasured(units.retold(words, unit))


def _offered(desk: Desk) -> Sequence[Subject]:
    """What else may be disputed; nothing where the game does not say, so that the open one can be settled."""
    try:
        return desk.offered()
    except STUMBLES:
        log.exception("what may be disputed is not known")
        return ()


def subject_views(
    subjects: Sequence[Subject], unit: LengthUnit = "in", *, hidden: bool = False
) -> list[messages.SubjectView]:
    """What may be disputed, for a page, the usual first; without distances where they are `hidden`."""
    return [
        messages.SubjectView(
            key=s.key, words=_told(s, unit, hidden=hidden),
            more=units.retold(gate.scrubbed(s.more, hidden), unit),
        )
        for s in subjects
    ]  # fmt: skip


def _told(subject: Subject, unit: LengthUnit, *, hidden: bool) -> str:
    return units.retold(gate.scrubbed(subject.told, hidden), unit)


def _proposal(opened: Open, party: Party, needed: tuple[str, ...]) -> messages.RulingProposalView | None:
    proposal = opened.proposal
    if proposal is None:
        return None
    return messages.RulingProposalView(
        number=proposal.number,
        by=proposal.by.name,
        outcome=proposal.outcome,
        rolled=proposal.rolled,
        note=proposal.note,
        missing=list(proposal.missing),
        mine=party.may_decide(needed) and (party.owner or proposal.asks(party)),
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
    return (*said, evidence.note) if evidence.note else tuple(said)


def place_words(standing: Standing, unit: LengthUnit) -> str:
    """Where a piece stood, how surely, and what the camera knew of it."""
    pose, total = standing.pose, standing.uncertainty.total
    sd = math.sqrt(max(float(total[0, 0] + total[1, 1]) / 2, 0.0))
    sd_turn = math.sqrt(max(float(total[2, 2]), 0.0))
    place = f"{units.length(pose.x, unit)}, {units.length(pose.y, unit)}, ± {units.deviation(sd, unit)}"
    turn = f"{units.heading(pose.heading)}, ± {units.angle(sd_turn)}"
    return f"{standing.name} ({standing.status.value}) at {place}; heading {turn}."
