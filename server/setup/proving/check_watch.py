"""A check that is being made: a sheet or a strip is looked for in one place after the other, and measured."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import numpy as np

from calibration.accuracy import RULED_IN
from calibration.fiducials import TagKey
from calibration.kept_check import CheckVerdict, KeptCheck, KeptPlace, LaidName, Pair
from calibration.lens.model import Lens
from calibration.prints.paper import PAPERS
from calibration.prints.strip import STRIP_TAGS
from calibration.proofs.sheet_proof import SeenSheet, SeenStrip, SheetProof, proof_of, strip_proof
from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from engine.words import listed
from server.setup.corner_choice import carriers
from server.setup.fitting.named import in_pixels
from server.setup.printing.last_look import LastLook
from server.setup.proving.check_messages import (
    SIDES,
    CheckedView,
    KeptCheckView,
    LengthView,
    ProofView,
    Side,
    SpotView,
    StripView,
)
from server.setup.proving.laid import OFF, Laid, Spot, laid_sheet, laid_strip, reach, spots_on, taken_tags
from server.setup.table_changes import SetupError
from vision.paper_edges import find_sheets

SURE = 1.96
"""So many deviations make 95 %."""


def verdict_of(
    proof: SheetProof,
    table: TableFile,
    wheres: Sequence[str],
    tags: Mapping[int, FloatArray],
    guessed: bool,
    notices: Sequence[str] = (),
) -> tuple[CheckVerdict, str]:
    """The verdict and its sentences.

    `wheres` are the places' names, `tags` where the flat tags lie on the table, (2,) inches, `guessed` says
    that nobody has calibrated the lens. `notices` are what the referee finds to contradict the table file.
    """
    thing = _thing(proof)
    if notices:
        here = "agrees with what the camera makes of it" if proof.agrees else "does not agree with it either"
        return "differs", (
            f"What is stated of the table contradicts what the camera sees: {'; '.join(notices)}. The "
            f"{thing} {here}. Put that right first, then check again."
        )
    if not proof.agrees:
        return "differs", " ".join(_differs(proof, table, wheres, tags, guessed))
    unsure = [where for where, blurred in zip(wheres, proof.blurred, strict=True) if blurred]
    if unsure:
        what, or_else = ("tags", "") if thing == "strip" else ("edges", ", or lay it on something darker")
        return "unsure", (
            f"Too unsure to tell: {listed(unsure)} the {what} of the {thing} are seen too badly. Bring "
            f"the camera closer, give it more light{or_else}."
        )
    said = [f"All {len(wheres)} places agree with the table within its stated deviations. {_scale(proof)}"]
    outside = int((np.abs(proof.errors) > SURE * proof.sds).sum())
    if outside:
        few = "One figure lies" if outside == 1 else f"{outside} figures lie"
        said.append(f"{few} outside its own 95 %, which among {proof.errors.size} happens by chance.")
    if table.accuracy.scale_by == "sheet" and thing == "sheet":
        said.append(
            "The scale itself was taken from a sheet of paper: so this shows that inches are the same all "
            "over the table, not that they are right. A strip, or a ruler between two corner tags, proves "
            "that."
        )
    return "agrees", " ".join(said)


def _differs(
    proof: SheetProof, table: TableFile, wheres: Sequence[str], tags: Mapping[int, FloatArray], guessed: bool
) -> list[str]:
    blame, at = proof.blame
    thing = _thing(proof)
    said = [f"The table does not agree with the {thing}. Worst {wheres[at]}: {_worst(proof, at)}."]
    ratio, _ = proof.scale
    if blame == "scale":
        way = "long" if ratio > 0 else "short"
        said.append(f"All lengths come out too {way} alike. {_scale(proof)}")
        if table.corners:
            said.append("Look first at the stated places of the corner tags, then at their printed size.")
        elif table.accuracy.scale_by == "sheet":
            said.append(
                "Look first at the paper: is it the size of the one that the scale was taken from?"
                if thing == "sheet"
                else "Look first at the sheet that the scale was taken from: was it whole and flat?"
            )
        else:
            said.append(
                "Look first at the printed size of the corner tags: take a known length, or the scale of "
                f"{'this' if thing == 'sheet' else 'a'} sheet, in the step Table, then check again."
            )
        return said
    near = min(tags, key=lambda tag: math.dist(tags[tag], proof.middles[at])) if tags else None
    if blame == "stretch":
        said.append("Everywhere alike, but not in all directions.")
        if table.corners:
            said.append("Look first at the stated places of the corner tags: measure width and depth again.")
        else:
            said.append(_lens(guessed))
        return said
    if near is not None:
        stated = ", and is its stated place right" if table.corners else ""
        said.append(f"Look first at corner tag {near}, the nearest: has it moved, does it lie flat{stated}?")
    said.append(f"See that the {thing} lies flat there. {_lens(guessed, then=True)}")
    return said


def _thing(proof: SheetProof) -> str:
    """What was laid: a sheet has two sides, a strip one length."""
    return "sheet" if len(proof.true) > 1 else "strip"


def _lens(guessed: bool, then: bool = False) -> str:
    look = "Then look at the lens" if then else "Look first at the lens"
    if guessed:
        return f"{look}: nobody has calibrated it yet."
    return f"{look}: was it calibrated for this camera, at this zoom and focus?"


def _worst(proof: SheetProof, at: int) -> str:
    errors, sds = proof.errors[at], proof.sds[at]
    n = int(np.argmax(np.abs(errors / sds)))
    if n == 2:
        off, sure = math.degrees(abs(errors[2])), math.degrees(SURE * sds[2])
        return f"the sheet's right angle comes out {off:.1f}° off, stated are ±{sure:.1f}°"
    true, error, sure = float(proof.true[n]), float(errors[n]), float(SURE * sds[n])
    what = SIDES[n] if len(proof.true) > 1 else "length"
    return (
        f"its {what} of {true:.2f} in measures {true + error:.2f} ({signed(error)} in, stated are "
        f"±{sure:.2f})"
    )


def _scale(proof: SheetProof) -> str:
    ratio, sd = proof.scale
    way = "long" if ratio > 0 else "short"
    return (
        f"By the {_thing(proof)}, lengths come out {100 * abs(ratio):.1f} % too {way} "
        f"(±{100 * SURE * sd:.1f} %); the table states ±{100 * SURE * proof.stated_scale:.1f} % for that, "
        "both at 95 %."
    )


def signed(inches: float) -> str:
    """An error in inches with its sign.

    >>> signed(-0.034)
    '−0.03'
    """
    return f"{'−' if inches < 0 else '+'}{abs(inches):.2f}"


# What was measured in each place, as it is kept with the table and as the page shows it


def kept_places(proof: SheetProof, wheres: Sequence[str]) -> list[KeptPlace]:
    """The places as they are kept, `wheres` their names."""

    def pair(value: float, sd: float) -> tuple[float, float]:
        return round(float(value), 4), round(float(sd), 4)

    places = []
    for where, middle, error, sd in zip(wheres, proof.middles, proof.errors, proof.sds, strict=True):
        at = (round(float(middle[0]), 2), round(float(middle[1]), 2))
        lengths = [pair(true + error[k], sd[k]) for k, true in enumerate(proof.true)]
        if len(lengths) < 2:
            places.append(KeptPlace(where=where, at_in=at, length_in=lengths[0]))
            continue
        square = pair(math.degrees(error[2]), math.degrees(sd[2]))
        places.append(
            KeptPlace(where=where, at_in=at, short_in=lengths[0], long_in=lengths[1], square_deg=square)
        )
    return places


def place_told(place: KeptPlace, kind: LaidName, strip_in: float) -> CheckedView:
    """A place as the page shows it; `strip_in` is the strip's length where one was laid."""
    if place.length_in is not None:
        return CheckedView(where=place.where, lengths=[_told("length", strip_in, place.length_in)])
    assert kind != "strip"
    measured = (place.short_in, place.long_in)
    off, sd = place.square_deg or (0.0, 0.0)
    return CheckedView(
        where=place.where,
        lengths=[
            _told(side, true, m) for side, true, m in zip(SIDES, PAPERS[kind], measured, strict=True) if m
        ],
        square_deg=off,
        square_sure_deg=round(SURE * sd, 4),
        square_inside=abs(off) <= SURE * sd,
    )


def check_told(kept: KeptCheck, out_of_date: str) -> KeptCheckView:
    """A kept check as the page shows it."""
    return KeptCheckView(
        made=kept.made,
        paper=kept.paper,
        strip_in=None if kept.strip_in is None else kept.strip_in[0],
        verdict=kept.verdict,
        words=kept.words,
        out_of_date=out_of_date,
    )


def _told(what: Side, true: float, measured: Pair) -> LengthView:
    value, sd = measured
    return LengthView(
        what=what,
        true_in=round(true, 3),
        measured_in=value,
        error_in=round(value - true, 4),
        sure_in=round(SURE * sd, 4),
        inside=abs(value - true) <= SURE * sd,
    )


# The check

# A sheet or strip rests when its corners are seen within so many pixels of where the last look saw them.
RESTS_PX = 1.0
# The camera or the tags have been moved when a flat tag is seen so many pixels from where it was; since an
# earlier check, when by such a share of the picture's width.
MOVED_PX, MOVED_SHARE = 2.5, 0.01

NOT_SEEN = (
    "Lay a whole sheet of US Letter or A4 flat in the marked area {where}, all its edges in view, on "
    "something darker than paper; or a check strip, both its tags up. Let go of it. It may lie turned."
)
NEXT = "Measured {done} of {all}. Now lay the same {thing} in the marked area {where}, and let go of it."
TURNED = " Turn it otherwise than before: so it measures along and across."
HOW_LONG = (
    "A check strip is in view (tags {0} and {1}). Measure it with a ruler, from the middle of one tag to "
    "that of the other, and type its length below."
)
NOT_SO_LONG = (
    "The strip's tags look {0:.1f} in apart, not {1:g}: measure from the middle of one to that of the other, "
    "and type its length again."
)


class CheckWatch:
    """The places at which a sheet or strip has been measured so far, with the newest picture's table."""

    def __init__(self, now: Callable[[], datetime] = datetime.now) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._running = False
        self._words = ""
        self._length: float | None = None
        self._begin("")

    def _begin(self, mark: str) -> None:
        self._mark = mark
        self._looked: object = None
        self._spots: tuple[Spot, ...] = ()
        self._taken: dict[int, SeenSheet | SeenStrip] = {}
        self._kind: LaidName | None = None
        self._before: list[Laid] = []
        self._tags: dict[TagKey, FloatArray] = {}
        self._laid: FloatArray | None = None

    # What people say

    def begin(self, last: LastLook) -> None:
        """Begins anew; what was measured before is forgotten. Raises `SetupError` without a table."""
        with self._lock:
            if last.table is None or last.found is None or last.frame is None:
                raise SetupError("keep the table first, with its corner tags in view")
            self._begin(last.table.mark(_known_lens(last)))
            self._running = True
        self.look(last)

    def strip_is(self, length: float | None) -> None:
        """Takes the strip's length that somebody measured, inches."""
        with self._lock:
            if length is None:
                raise SetupError("say how long the strip is, from the middle of one tag to that of the other")
            self._length = length

    def stop(self) -> None:
        """Checks nothing any more."""
        with self._lock:
            self._running = False

    # What is seen

    def look(self, last: LastLook, notices: Sequence[str] = ()) -> KeptCheck | None:
        """Takes one more picture; the whole check, once its last place is measured.

        `notices` are what the referee finds to contradict the table file.
        """
        with self._lock:
            if not self._running or last.frame is None or last.frame is self._looked:
                return None
            self._looked = last.frame
            table, found = last.table, last.found
            if table is None or found is None:
                self._words = "The table is not found now: clear the corner tags."
                return None
            mark = table.mark(_known_lens(last))
            flat = _flat(last, table)
            if mark != self._mark or _moved(flat, self._tags):
                self._begin(mark)
            self._tags |= flat
            surface = found[0]
            if not self._spots:
                on_table = [surface.table_from_image(at[None])[0] for at in self._tags.values()]
                self._spots = spots_on(surface, found[1], on_table, last.frame.size)
            self._words = self._take(_things(last, table, surface))
            if len(self._taken) < len(self._spots):
                return None
            self._running = False
            return self._kept(table, surface, last, notices)

    def _take(self, things: list[Laid]) -> str:
        """Measures what lies still in a place that is asked for; what to do now."""
        before = self._before
        self._before, self._laid, words = things, None, ""
        for thing in things:
            n = min(range(len(self._spots)), key=lambda k: math.dist(self._spots[k].at, thing.middle))
            beside = math.dist(self._spots[n].at, thing.middle) > reach(self._spots)
            refused = self._refused(thing, beside)
            if refused or n in self._taken:
                words = words or refused
                continue
            self._laid = thing.outline
            if not any(_still(thing, other) for other in before):
                words = f"Measuring: leave the {_called(thing.kind)} where it is."
            else:
                self._kind = thing.kind
                self._taken[n] = thing.seen
        if len(self._taken) == len(self._spots):
            return ""
        if words:
            return words
        if self._taken:
            done, thing_ = len(self._taken), _called(self._kind)
            told = NEXT.format(done=done, all=len(self._spots), where=self._asked, thing=thing_)
            return told + (TURNED if self._kind == "strip" else "")
        return NOT_SEEN.format(where=self._asked)

    def _refused(self, thing: Laid, beside: bool) -> str:
        """Why what lies there is not measured; empty where nothing is against it."""
        if self._taken and self._kind != thing.kind:
            if "strip" in (self._kind, thing.kind):
                return f"The first place was measured with a {_called(self._kind)}: use it everywhere."
            return "This is another paper than in the first place: use the same sheet everywhere."
        if isinstance(thing.seen, SeenStrip):
            if self._length is None:
                return HOW_LONG.format(*STRIP_TAGS)
            looks = math.dist(*thing.seen.ends)
            if abs(math.log(looks / self._length)) > OFF:
                return NOT_SO_LONG.format(looks, self._length)
        if beside:
            what = _called(thing.kind)
            return f"The {what}'s middle must be in the marked area: lay it {self._asked}."
        return ""

    @property
    def _asked(self) -> str:
        """The place that is asked for now, in words."""
        return next((s.where for n, s in enumerate(self._spots) if n not in self._taken), "")

    def _proof(self, table: TableFile, surface: Surface) -> SheetProof | None:
        seen = [self._taken[n] for n in sorted(self._taken)]
        if not seen or self._kind is None:
            return None
        if self._kind == "strip":
            assert self._length is not None
            strips = [s for s in seen if isinstance(s, SeenStrip)]
            return strip_proof(strips, (self._length, RULED_IN), table.checked)
        true = np.array(PAPERS[self._kind])
        sheets = [s for s in seen if isinstance(s, SeenSheet)]
        return proof_of(surface, sheets, true, table.accuracy.cloth_in, table.checked)

    def _kept(self, table: TableFile, surface: Surface, last: LastLook, notices: Sequence[str]) -> KeptCheck:
        proof = self._proof(table, surface)
        assert proof is not None
        assert self._kind is not None
        assert last.frame is not None
        on_table = {key[1]: surface.table_from_image(at[None])[0] for key, at in self._tags.items()}
        wheres = [self._spots[n].where for n in sorted(self._taken)]
        verdict, words = verdict_of(proof, table, wheres, on_table, _known_lens(last) is None, notices)
        ratio, sd = proof.scale
        return KeptCheck(
            made=self._now().isoformat(" ", "minutes"),
            paper=self._kind,
            strip_in=(self._length, RULED_IN) if self._kind == "strip" and self._length is not None else None,
            verdict=verdict,
            words=words,
            scale=(round(ratio, 5), round(sd, 5)),
            stated=self._mark,
            tags_at=_in_shares(self._tags, last),
            places=kept_places(proof, wheres),
        )

    # What is shown

    def view(self, last: LastLook, here: bool) -> ProofView:
        """What the page shows."""
        with self._lock:
            table, found = last.table, last.found
            kept = None if table is None else table.check
            spots = self._spots if self._running and found is not None else ()
            return ProofView(
                may_change=here,
                ready=table is not None and found is not None,
                running=self._running,
                words=self._words if self._running else "",
                spots=[
                    SpotView(where=s.where, outline=in_pixels(s.outline(found[0])), done=n in self._taken)
                    for n, s in enumerate(spots)
                    if found is not None
                ],
                laid=[] if self._laid is None or not self._running else in_pixels(self._laid),
                strip=StripView(
                    tags=STRIP_TAGS,
                    seen=any(thing.kind == "strip" for thing in self._before),
                    length_in=self._length,
                    taken=[] if table is None else taken_tags(table),
                ),
                places=self._places(last, kept),
                kept=None
                if kept is None or table is None
                else check_told(kept, out_of_date(kept, table, last)),
            )

    def _places(self, last: LastLook, kept: KeptCheck | None) -> list[CheckedView]:
        """The places that were measured so far; those of the kept check while none is being made."""
        if not self._running:
            true = 0.0 if kept is None or kept.strip_in is None else kept.strip_in[0]
            return [] if kept is None else [place_told(p, kept.paper, true) for p in kept.places]
        if last.table is None or last.found is None or self._kind is None:
            return []
        proof = self._proof(last.table, last.found[0])
        wheres = [self._spots[n].where for n in sorted(self._taken)]
        places = [] if proof is None else kept_places(proof, wheres)
        return [place_told(p, self._kind, self._length or 0.0) for p in places]


def out_of_date(kept: KeptCheck, table: TableFile, last: LastLook) -> str:
    """What has changed since a check, in words; empty while it holds."""
    if kept.stated != table.mark(_known_lens(last)):
        return "Since then the table's sizes, its corner tags or the lens were changed: check again."
    if last.frame is not None:
        now = {tag: np.array((x, y)) for tag, x, y in _in_shares(_flat(last, table), last)}
        off = [np.hypot(*(now[tag] - (x, y))) for tag, x, y in kept.tags_at if tag in now]
        if off and max(off) > MOVED_SHARE:
            return "Since then the camera or a corner tag was moved: check again."
    return ""


def _known_lens(last: LastLook) -> Lens | None:
    """What the picture is seen through; None while the lens is guessed."""
    return None if last.lens is None or last.lens.guessed else last.lens


def _flat(last: LastLook, table: TableFile) -> dict[TagKey, FloatArray]:
    """Where the flat tags are seen, (2,) pixels each."""
    flat = set(table.keys) - set(carriers(table))
    return {(d.family, d.tag): d.corners.mean(axis=0) for d in last.detections if (d.family, d.tag) in flat}


def _moved(now: dict[TagKey, FloatArray], before: dict[TagKey, FloatArray]) -> bool:
    return any(np.hypot(*(at - before[key])) > MOVED_PX for key, at in now.items() if key in before)


def _still(thing: Laid, other: Laid) -> bool:
    off = (np.abs(thing.outline - np.roll(other.outline, n, axis=0)).max() for n in range(4))
    return thing.kind == other.kind and any(float(o) < RESTS_PX for o in off)


def _things(last: LastLook, table: TableFile, surface: Surface) -> list[Laid]:
    """What lies on the table to prove it with, the strip first."""
    assert last.frame is not None
    strip = laid_strip(last.detections, table, surface)
    sheets = [laid_sheet(s, surface) for s in find_sheets(last.frame.grey, surface.table_from_image)]
    return [thing for thing in (strip, *sheets) if thing is not None]


def _called(kind: LaidName | None) -> str:
    return "strip" if kind == "strip" else "sheet"


def _in_shares(tags: dict[TagKey, FloatArray], last: LastLook) -> list[tuple[int, float, float]]:
    assert last.frame is not None
    wide = last.frame.size[0]
    return [
        (key[1], round(float(at[0] / wide), 4), round(float(at[1] / wide), 4)) for key, at in tags.items()
    ]
