"""What pages ask of a dispute over HTTP: open it, look, ask, decide, save."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import Field

from engine.errors import NotAllowed, NotThere, TooMuch
from engine.ruling import Ruling
from server.disputes.desk import Desk
from server.disputes.dispute import Dispute, stamp
from server.disputes.documents.html import html_of
from server.disputes.documents.pdf import pdf_of
from server.disputes.evidence import labels_of
from server.disputes.pictures import detail_svg, plan_svg
from server.disputes.settling import Party, concerned
from server.disputes.views import Teller, subject_views
from server.formats.units import LengthUnit
from server.table import gate
from server.table.messages import MOST_PICKED, QuestionKey, QuestionView
from server.table.questions.gunner_view import SEAT_NAMES, SeatName, look_from, view_svg
from server.table.questions.ruling_messages import DisputeView, SubjectView
from server.table.questions.ruling_view import question_view
from server.web.authentication import who_asks
from server.web.joining import square_svg
from server.web.messages import Model, Name, answers, refusals
from server.web.middleware import Buckets
from server.web.workers import BUSY_ANSWER, costly

Pieces = Annotated[list[Name], Field(max_length=MOST_PICKED)]
"""What a question is about, the asking piece first."""

SubjectKey = Annotated[str, Field(min_length=1, max_length=120)]
"""What the match offers to be disputed."""


class Freeze(Model):
    """Opens a dispute: about what the match offers under a `key`, or a question about pieces.

    Without either it is about what is usual. `back_s` reaches so many seconds back.
    """

    key: SubjectKey | None = None
    pieces: Pieces = Field(default_factory=list)
    question: QuestionKey | None = None
    back_s: Annotated[float, Field(ge=0, le=600)] = 0.0


class Step(Model):
    """A step in the dispute that is open. With `dispute`, its id, it is refused where that is another one."""

    dispute: Name | None = None


class Ask(Step):
    """Another question of the frozen table."""

    pieces: Pieces
    question: QuestionKey | None = None


class DisputeSubject(Step):
    """Something else of the match, another question or instant (on the source's clock) in its place."""

    key: SubjectKey | None = None
    at: float | None = None
    pieces: Pieces = Field(default_factory=list)
    question: QuestionKey | None = None


class Propose(Step):
    """What shall count; without an `outcome`, to roll for it.

    `rolled` is what the players' D6 showed; without it one is rolled here. `count` is the `count` that was
    shown: refused where the game has gone on since.
    """

    outcome: Literal["yes", "no"] | None = None
    note: Annotated[str, Field(max_length=400)] = ""
    rolled: Annotated[int, Field(ge=1, le=6)] | None = None
    count: Annotated[int, Field(ge=0)] | None = None


class Answered(Model):
    """Consents to the proposal of that number, or does not."""

    number: int
    consents: bool


class Settled(Model):
    """A decided dispute that can be saved; `may_reopen`: whoever asks may have it again.

    `at` is when it was decided, in UTC. `stands`: its decision is in force, neither undone nor taken back by
    a later one.
    """

    id: str
    words: str
    at: str
    stands: bool
    seal: str
    may_reopen: bool


class Offer(Model):
    """What may be disputed now, the usual first, and what was decided lately.

    `playing`: a match is; what is measured on a page is then not what is disputed. `restarted`: tableref
    was started again in it, and what was done before that is none of these.
    """

    playing: bool
    restarted: bool
    subjects: list[SubjectView]
    decided: list[Settled]


REFUSED = refusals(
    {403: "Not for spectators", 404: "No such dispute", 409: "Not now", 429: "Too many steps at once"}
)
DRAWN = REFUSED | answers("A drawing", "image/svg+xml")
HTML = REFUSED | answers("The file", "text/html")
PDF = REFUSED | answers("The file", "application/pdf")
SHOWN = REFUSED | answers("A picture of the evidence", "image/jpeg", "image/png", "image/svg+xml")


STEPS_A_SECOND, STEPS_AT_ONCE = 1.0, 20
"""Steps that a player's device may take in disputes: each is an entry of the record."""


class Steps:
    """How often each device may take a step. May be used from any thread."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._lock = threading.Lock()
        self._buckets = Buckets(STEPS_A_SECOND, STEPS_AT_ONCE, clock)

    def admit(self, request: Request) -> None:
        """Counts one more; 429 where they are too many."""
        who = who_asks(request)
        if not who.device or request.method in ("GET", "HEAD"):
            return  # the owner at this machine, and whoever looks
        with self._lock:
            if not self._buckets.of(who).pass_one():
                raise TooMuch("too many steps at once from this device; wait a moment")


def disputes_router(desk: Desk, clock: Callable[[], float] = time.monotonic) -> APIRouter:
    """Everything under `/api/disputes`; `clock` gives seconds and never jumps."""
    router = APIRouter()
    # Each step may wait for the match and the disk: few at a time, of each device one.
    made = costly(lambda: _version(desk), own=True, admit=Steps(clock).admit)
    steps = APIRouter(route_class=made, responses=BUSY_ANSWER)
    _add_steps(steps, desk, Teller(desk))
    router.include_router(steps)
    drawn = APIRouter(route_class=costly(lambda: _version(desk)), responses=BUSY_ANSWER)
    _add_pictures(router, desk)
    _add_drawings(drawn, desk)
    _add_files(drawn, desk)
    router.include_router(drawn)
    return router


def _version(desk: Desk) -> Hashable:
    """Another one whenever a dispute is another one than before."""
    opened = desk.open
    return None if opened is None else (opened.dispute.id, opened.version), len(desk.decided)


def _party(desk: Desk, request: Request) -> Party:
    party = desk.party(who_asks(request))
    if not party.acts:
        raise NotAllowed(f"a {party.who.role} looks on: players open and settle disputes")
    return party


def _add_steps(router: APIRouter, desk: Desk, teller: Teller) -> None:
    def done(request: Request, step: Callable[[Party], object], unit: LengthUnit) -> DisputeView | None:
        party = _party(desk, request)
        step(party)
        return teller.view(party.who, unit)

    def decided(request: Request) -> list[Settled]:
        party = desk.party(who_asks(request))
        return [
            Settled(
                id=d.id,
                words=gate.scrubbed(d.decision.words, desk.hides) if d.decision else "",
                at=stamp(d.decision.at if d.decision else d.opened),
                stands=desk.stands(d),
                seal=d.seal,
                may_reopen=desk.reopenable(d) and party.may_decide(concerned(d)),
            )
            for d in desk.decided
        ]

    @router.get("/api/disputes", response_model=list[Settled])
    def settled(request: Request) -> list[Settled]:
        """The disputes that were decided lately, the newest first."""
        return decided(request)

    @router.get("/api/disputes/offer", response_model=Offer)
    def offer(request: Request, unit: LengthUnit = "in") -> Offer:
        """What may be disputed now."""
        host = None if desk.subjects is None else desk.subjects.host
        playing = host is not None and host.match is not None
        return Offer(
            playing=playing,
            restarted=host is not None and playing and host.restored > 1,
            subjects=subject_views(desk.offered(), unit, hidden=desk.hides),
            decided=decided(request),
        )

    @router.get("/api/disputes/now", response_model=DisputeView | None)
    def now(request: Request, unit: LengthUnit = "in") -> DisputeView | None:
        """What is frozen on every screen; null while nothing is."""
        return teller.view(who_asks(request), unit)

    @router.get("/api/disputes/{id}/questions", response_model=list[QuestionView], responses=REFUSED)
    def questions(
        id: Name,
        piece: Annotated[list[Name], Query(default_factory=list, max_length=MOST_PICKED)],
        unit: LengthUnit = "in",
    ) -> list[QuestionView]:
        """What may be asked of the frozen table with these pieces picked, the asking one first."""
        return [question_view(q, unit) for q in desk.questions(id, piece)]

    @router.post("/api/disputes", response_model=DisputeView, responses=REFUSED)
    def freeze(request: Request, asked: Freeze, unit: LengthUnit = "in") -> DisputeView | None:
        """Freezes the moment on every screen."""

        def step(party: Party) -> object:
            return desk.freeze(
                party, asked.key, pieces=asked.pieces, which=asked.question, back_s=asked.back_s
            )

        return done(request, step, unit)

    @router.post("/api/disputes/now/ask", response_model=DisputeView, responses=REFUSED)
    def ask(request: Request, asked: Ask, unit: LengthUnit = "in") -> DisputeView | None:
        """Asks another question of the frozen table."""
        return done(request, lambda party: desk.ask(party, asked.pieces, asked.question, asked.dispute), unit)

    @router.post("/api/disputes/now/about", response_model=DisputeView, responses=REFUSED)
    def about(request: Request, asked: DisputeSubject, unit: LengthUnit = "in") -> DisputeView | None:
        """Disputes something else of the match, another question, or another instant."""

        def step(party: Party) -> object:
            return desk.turn_to(
                party, key=asked.key, at=asked.at, pieces=asked.pieces, which=asked.question, id=asked.dispute
            )

        return done(request, step, unit)

    @router.post("/api/disputes/now/propose", response_model=DisputeView, responses=REFUSED)
    def propose(request: Request, asked: Propose, unit: LengthUnit = "in") -> DisputeView | None:
        """Proposes what counts; it is decided once everybody whom it concerns has consented."""

        def step(party: Party) -> object:
            return desk.propose(party, asked.outcome, asked.note, asked.rolled, asked.count, id=asked.dispute)

        return done(request, step, unit)

    @router.post("/api/disputes/now/answer", response_model=DisputeView, responses=REFUSED)
    def answer(request: Request, asked: Answered, unit: LengthUnit = "in") -> DisputeView | None:
        """Consents to what is proposed, or does not."""

        def step(party: Party) -> object:
            return (desk.consent if asked.consents else desk.decline)(party, asked.number)

        return done(request, step, unit)

    @router.post("/api/disputes/now/release", response_model=DisputeView | None, responses=REFUSED)
    def release(request: Request, asked: Step | None = None, unit: LengthUnit = "in") -> DisputeView | None:
        """Lets the table go on."""
        return done(
            request, lambda party: desk.release(party, None if asked is None else asked.dispute), unit
        )

    @router.post("/api/disputes/{id}/reopen", response_model=DisputeView, responses=REFUSED)
    def reopen(request: Request, id: Name, unit: LengthUnit = "in") -> DisputeView | None:
        """Has a decided dispute again."""
        return done(request, lambda party: desk.reopen(party, id), unit)


FileKind = Literal["html", "pdf"]


def file_answer(id: str, kind: FileKind, data: bytes) -> Response:
    """The file of a dispute, to be saved."""
    media = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}[kind]
    name = f'attachment; filename="dispute-{id}.{kind}"'
    return Response(data, media_type=media, headers={"content-disposition": name})


def _finished(desk: Desk, id: str) -> Dispute:
    """A dispute whose file may be had: it holds where everything stood, to the last digit."""
    dispute = desk.find(id)
    gate.refuse_running(desk.hides, "the file of a dispute")
    return dispute


def _plan(desk: Desk, dispute: Dispute, asked: int | None = None) -> str:
    """The frozen table from above, with the lines that decided."""
    ruling, evidence = _ruling(dispute, asked), dispute.evidence
    table = gate.table_of(evidence.table) if desk.hides else evidence.table
    move = None if asked is not None or desk.hides else evidence.move
    labels = labels_of(ruling)
    if asked is None and desk.withholds(dispute):
        labels = tuple((name, name) for name, _ in labels)
    return plan_svg(table, ruling, labels, evidence.board, move, ruler=not desk.hides)


def _near(desk: Desk, dispute: Dispute) -> str:
    """The few inches that decided, where distances are hidden: without a bar.

    Of a move that the game has not taken everything stands as a drawing has it, and nothing says how far.
    """
    evidence, withheld = dispute.evidence, desk.withholds(dispute)
    table, move = (gate.table_of(evidence.table), None) if withheld else (evidence.table, evidence.move)
    drawn = detail_svg(
        table, evidence.question, evidence.ruling, evidence.board, move, ruler=False, figures=not withheld
    )
    assert drawn is not None, "it was drawn of the same ruling"
    return drawn


def _add_files(router: APIRouter, desk: Desk) -> None:
    @router.get("/api/disputes/{id}/dispute.html", response_class=Response, responses=HTML)
    def as_html(id: Name) -> Response:
        """The dispute as one self-contained, sealed file."""
        dispute = _finished(desk, id)
        return file_answer(dispute.id, "html", html_of(dispute))

    @router.get("/api/disputes/{id}/dispute.pdf", response_class=Response, responses=PDF)
    def as_pdf(id: Name) -> Response:
        """The same as a PDF."""
        dispute = _finished(desk, id)
        return file_answer(dispute.id, "pdf", pdf_of(dispute))

    @router.get("/api/disputes/{id}/seal.svg", response_class=Response, responses=DRAWN)
    def square(id: Name) -> Response:
        """The seal as a square to scan: whoever has it can check the file later."""
        dispute = desk.find(id)
        key = f" --key {dispute.sealing.key}" if dispute.signature else ""
        said = f"tableref verify dispute-{dispute.id}.html --seal {dispute.seal}{key}"
        return Response(square_svg(said), media_type="image/svg+xml")


def _add_pictures(router: APIRouter, desk: Desk) -> None:
    @router.get("/api/disputes/{id}/pictures/{name}", response_class=Response, responses=SHOWN)
    def picture(id: Name, name: Name) -> Response:
        """A picture of the evidence, by its name."""
        dispute = desk.find(id)
        shown = dispute.evidence.picture(name)
        if desk.hides and (shown.about == "plan" or shown.name == "near"):
            drawn = (_plan if shown.about == "plan" else _near)(desk, dispute)
            return Response(drawn, media_type=shown.media)
        return Response(shown.data, media_type=shown.media)


def _add_drawings(router: APIRouter, desk: Desk) -> None:
    @router.get("/api/disputes/{id}/gunner.svg", response_class=Response, responses=DRAWN)
    def gunner(
        id: Name,
        asked: Annotated[int | None, Query(ge=0, le=99)] = None,
        seat: SeatName | None = None,
        unit: LengthUnit = "in",
        width: Annotated[int, Query(ge=240, le=1920)] = 960,
    ) -> Response:
        """What the gunner saw, for the question in dispute or one that was asked besides."""
        dispute = desk.find(id)
        ruling, table = _ruling(dispute, asked), dispute.evidence.table
        view = look_from(table, ruling, None if seat is None else SEAT_NAMES[seat])
        size = (float(width), max(width * 0.5625, 0.8 * min(width, 480)))
        return Response(view_svg(table, ruling, view, unit, size), media_type="image/svg+xml")

    @router.get("/api/disputes/{id}/plan.svg", response_class=Response, responses=DRAWN)
    def plan(id: Name, asked: Annotated[int | None, Query(ge=0, le=99)] = None) -> Response:
        """The frozen table from above with the lines that decided."""
        return Response(_plan(desk, desk.find(id), asked), media_type="image/svg+xml")


def _ruling(dispute: Dispute, asked: int | None) -> Ruling:
    if asked is None:
        return dispute.ruling
    if asked >= len(dispute.asked):
        raise NotThere(f"{len(dispute.asked)} other questions were asked, there is no number {asked}")
    return dispute.asked[asked].ruling
