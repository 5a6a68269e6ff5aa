"""What keeps the camera from seeing well, in sentences with their remedies."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from calibration.bundle.coplanar import COPLANAR_WORDS, all_coplanar
from calibration.bundle.doubts import Judged, judge
from calibration.fiducials import TagKey
from calibration.kept_check import KeptCheck
from calibration.lens.model import Lens, LensError
from calibration.surface import SeenCorner, Surface, SurfaceError
from calibration.tablefile import TableFile
from calibration.watching.keeper import contradiction_words
from engine.errors import TableRefError
from engine.space.table import PoseUncertainty
from server.pipeline.photo import looked_again, odd_size, read_alone, too_low
from server.setup.printing.advice import FOUND_PX
from vision.evidence import sort_out
from vision.frame import Detection, Frame
from vision.health import BRIGHT, SMALL_PX, HealthWatch, covered_or_shining, names_of
from vision.locate import locate_all
from vision.source import Source, SourceEnded
from vision.sources.files import Pictures
from vision.tags.copies import doubled_words
from vision.tags.mirrored import MIRRORED_WORDS, is_mirrored
from vision.tags.pattern import pattern
from vision.tags.reading import TagReader
from vision.tags.unnamed import USUAL_FAMILY, reader_of_all, told_apart, unnamed_words

# Those of the corners, as `tableref print corners` makes them.
USUAL_CORNERS = range(4)

# A misfit of the corner tags that no hand and no ruler makes, inches.
MISFIT_IN = 0.25
# A distance known no better than this, one standard deviation, settles few rulings, inches.
UNSURE_IN = 1.0
# A webcam's first pictures are dark while it finds its exposure.
WARMING_UP = 12
SKIPPED = 3
# So many damaged pictures are passed over for whole ones.
DAMAGED = 600
# A picture nowhere brighter than this shows nothing, 8-bit levels.
BLACK = 12
DAMAGED_WORDS = "The picture is damaged, parts of it were lost: copy the video again, or film it anew."


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What was found in so many pictures.

    `complaints` are sentences, each with its remedy, the most serious first; `facts` say what was
    seen; `mirrored` says that the picture is, and nothing else is worth saying of its tags. `unread` names
    the table file's pieces whose tags were read in none of the pictures, `unnamed` are the tags in view that
    it does not name.
    """

    pictures: int
    complaints: tuple[str, ...]
    facts: tuple[str, ...]
    mirrored: bool = False
    unread: tuple[str, ...] = ()
    unnamed: frozenset[TagKey] = frozenset()

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to fix."""
        return not self.complaints and not self.unread


@dataclass
class _Reads:
    """Reads pictures one after the other, and keeps what all of them showed besides.

    Against a table file each is read as `locate` reads it, so that a picture does not tell the one this and
    the other that; `given` reads it where that has been done already. `most` is the largest number of tags in
    one picture, `doubled` are ids that were in one twice, `unnamed` those that the table file does not name.
    """

    known: frozenset[TagKey]
    given: Callable[[Frame], list[Detection]] | None = None
    most: int = 0
    doubled: set[TagKey] = field(default_factory=set)
    unnamed: set[TagKey] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.every = reader_of_all(self.known)
        self.alone = TagReader.of(self.known) if self.known and self.given is None else None

    def read(self, frame: Frame) -> list[Detection]:
        """The tags that count, in one picture."""
        if self.alone is not None:
            detections, copies = read_alone(frame, self.alone)
            twice = {(d.family, d.tag) for d in copies}
            others = told_apart(self.every.read_all(frame, thorough=False), self.known)[1]
            self.doubled |= twice
            self.most = max(self.most, len(detections) + len(twice) + len(others))
        else:
            detections = (self.given or self.every.read_all)(frame)
            self.most = max(self.most, len(detections))
            if self.given is None:
                self.doubled |= {(d.family, d.tag) for d in self.every.copies}
            detections, others = (
                told_apart(detections, self.known) if self.known else (detections, frozenset())
            )
        self.unnamed |= others
        return detections

    def again(
        self, frame: Frame, table: TableFile, surface: Surface, detections: Sequence[Detection]
    ) -> list[Detection]:
        """What a second look finds of small roof tags, now that their size in the picture is known."""
        if self.alone is None:
            return []
        return looked_again(frame, self.alone, table, surface, detections, self.doubled)


def pictures_of(source: Source, count: int) -> list[Frame]:
    """Up to `count` pictures: a file's first whole ones, a live source's once its exposure has settled.

    Of a video those are passed over in which nothing is seen, as before a camera has opened its eye.
    """
    video = not (source.live or isinstance(source, Pictures))
    frames: list[Frame] = []
    damaged: Frame | None = None
    passed = 0
    skip = WARMING_UP if source.live else 0
    try:
        while len(frames) < count and passed < DAMAGED:
            frame = source.read()
            if skip:
                skip -= 1
            elif frame.damaged or (video and float(np.percentile(frame.grey, 99.5)) < BLACK):
                damaged, passed = damaged or frame, passed + 1
            else:
                frames.append(frame)
                skip = SKIPPED if source.live else 0
    except SourceEnded:
        pass
    # Where none is whole there is nothing else to look at.
    return frames or ([] if damaged is None else [damaged])


def examine(
    frames: Sequence[Frame],
    table: TableFile | None,
    kept: Callable[[tuple[int, int]], Lens | None] | None = None,
    live: bool = False,
    read: Callable[[Frame], list[Detection]] | None = None,
    corners: Collection[int] = USUAL_CORNERS,
) -> Diagnosis:
    """What is wrong in these pictures of one camera, held against the table file if there is one.

    `kept` finds a lens kept for the camera; `live` pictures must differ from each other.
    `read` gives a picture's tags where they have been read already; `corners` are the ids of the corner tags
    where there is no table file.
    """
    if not frames:
        raise TableRefError("expected at least one picture to look at but the source gave none")
    known = frozenset(() if table is None else table.keys)
    reads = _Reads(known, read)
    watch = HealthWatch({} if table is None else names_of(table), every=0.0, most=200)
    said: Counter[str] = Counter()
    seen_keys: set[TagKey] = set()
    best: tuple[Frame, list[Detection]] | None = None
    widths = []
    for frame in frames:
        detections = reads.read(frame)
        seen_keys |= {(d.family, d.tag) for d in detections}
        widths += _modules(detections)
        said.update(f.words for f in watch.update(frame, detections))
        if best is None or len(detections) > len(best[1]):
            best = frame, detections
    assert best is not None
    seen = len(best[1])
    facts: list[str] = []
    complaints = [DAMAGED_WORDS] if best[0].damaged else []
    if live and len(frames) > 2 and all(np.array_equal(f.image, frames[0].image) for f in frames[1:]):
        complaints.append("The picture stands still, to the last bit: restart the camera or its app.")
    mirrored = is_mirrored(best[0], reads.every, reads.most)
    if mirrored:
        complaints.append(MIRRORED_WORDS)
    elif not seen:
        complaints.append(_no_tag(best[0], table))
    complaints += [_often(words, times, len(frames)) for words, times in said.most_common()]
    complaints += map(doubled_words, sorted(reads.doubled))
    if reads.unnamed:
        complaints.append(unnamed_words(reads.unnamed))
    nameless = sorted({d.tag for d in best[1] if d.family == USUAL_FAMILY and d.tag not in corners})
    if table is None and nameless:
        which = f"tag{'' if len(nameless) == 1 else 's'} {', '.join(map(str, nameless))}"
        facts.append(f"Nobody has said yet what carries {which}: tableref asks for it on its page.")
    if table is None and seen and not mirrored:
        complaints += _corners_without_a_table(best[1], corners)
    if table is not None and seen and not mirrored:
        of_table, more, again = _against(table, *best, kept, reads)
        complaints += of_table
        facts += more
        seen, widths = seen + len(again), widths + _modules(again)
        seen_keys |= {(d.family, d.tag) for d in again} | reads.doubled
    if widths:
        facts.insert(0, _smallest(min(widths), named=table is not None))
    facts.insert(0, f"{_count(seen, 'tag')} read in the best of {_count(len(frames), 'picture')}.")
    unread = () if table is None or mirrored or not seen else _unread_pieces(table, seen_keys)
    return Diagnosis(len(frames), tuple(complaints), tuple(facts), mirrored, unread, frozenset(reads.unnamed))


def _modules(detections: Sequence[Detection]) -> list[float]:
    """How wide the modules of tags are, pixels."""
    return [d.side / len(m) for d in detections if (m := pattern(d.family, d.tag)) is not None]


def _smallest(width: float, *, named: bool = True) -> str:
    """What is too little does not round to what is enough. Without a table file no tag is named yet.

    >>> _smallest(1.48), _smallest(1.52)[:22]
    ('The smallest has 1.4 pixels per module; 1.5 are needed.', 'The smallest has 1.5 p')
    >>> _smallest(2.18, named=False)
    'The smallest has 2.1 pixels per module; 2.2 are needed to find a new tag, 1.5 once it is named.'
    """
    least = SMALL_PX if named else FOUND_PX
    told = math.floor(10 * width) / 10 if width < least else width
    new = "" if named else f"{FOUND_PX:.1f} are needed to find a new tag, "
    after = "are needed" if named else "once it is named"
    return f"The smallest has {told:.1f} pixels per module; {new}{SMALL_PX:.1f} {after}."


def _unread_pieces(table: TableFile, read: Collection[TagKey]) -> tuple[str, ...]:
    return tuple(p.name for p in table.pieces if p.mount and (p.mount.family, p.mount.tag) not in read)


def unread_words(unread: Sequence[str]) -> str:
    """Of pieces that the table file names and whose tags were not read, what to do.

    >>> unread_words(["Red 1"])
    'Red 1 is not read. Clear its tag of hands, glare and blur, or put it on the table, and look again.'
    """
    names = ", ".join(unread)
    one = len(unread) == 1
    is_, its, it = ("is", "its tag", "it") if one else ("are", "their tags", "them")
    return (
        f"{names} {is_} not read. Clear {its} of hands, glare and blur, or put {it} on the table, and look "
        "again."
    )


def _corners_without_a_table(seen: Sequence[Detection], corners: Collection[int]) -> list[str]:
    """Without a table file, whether a surface could be found: by four of the tags printed for corners."""
    found = sorted({d.tag for d in seen if d.family == USUAL_FAMILY and d.tag in corners})
    if len(found) == len(corners):
        return []
    wanted = "0 to 3" if corners == USUAL_CORNERS else ", ".join(map(str, sorted(corners)))
    which = (
        f"Of the corner tags {wanted}, only {', '.join(map(str, found))} found"
        if found
        else "No corner tags found"
    )
    return [
        f"{which}: print them with tableref print corners and lay all four "
        "into view, or name the table with --table."
    ]


def _against(
    table: TableFile,
    frame: Frame,
    detections: Sequence[Detection],
    kept: Callable[[tuple[int, int]], Lens | None] | None,
    reads: _Reads,
) -> tuple[list[str], list[str], list[Detection]]:
    """Complaints and facts of one picture held against the table file, and what a second look reads."""
    complaints, facts = [], []
    try:
        lens = kept(frame.size) if kept is not None and table.lens is None else None
        lens = lens or table.lens_for(frame.size)
    except LensError as error:
        return [_sentence(str(error))], [], []
    if lens.guessed:
        complaints.append(
            "The lens is not calibrated, so distances are less sure than they could be: "
            "use tableref calibrate lens, or the page's Calibrate."
        )
    else:
        facts.append(_sentence(lens.note))
    seen = sort_out(detections, table)
    tags = [*seen.loose, *seen.raised]
    try:
        judged = judge(lens, seen.corners, tags, table.frame, table.common, table.corners)
    except SurfaceError as error:
        return [*complaints, _sentence(str(error))], facts, []
    surface = judged.surface
    if table.check is not None:
        facts.append(_checked(table.check, table.mark(None if lens.guessed else lens)))
    flat = all_coplanar(judged, lens, seen.corners, tags, table.frame, table.common)
    if judged.consistent and not flat:
        if surface.residual <= MISFIT_IN:
            facts.append(f"The corner tags fit their places to {surface.residual:.3f} in.")
        complaints += too_low(table, surface, seen)
        complaints += _unsure(table, surface, detections)
    complaints += map(_sentence, (COPLANAR_WORDS,) if flat else contradiction_words(judged))
    complaints += _misfit(table, surface, judged)
    complaints += _unread_corners(table, frame, seen.corners, surface)
    again = reads.again(frame, table, surface, detections)
    read = {(d.family, d.tag) for d in (*detections, *again)}
    complaints += _too_small(table, surface, read | reads.doubled)
    return complaints, facts, again


def _misfit(table: TableFile, surface: Surface, judged: Judged) -> list[str]:
    """Places of the corner tags that cannot be meant, though nothing contradicts them."""
    if not table.corners:
        if surface.residual <= MISFIT_IN or contradiction_words(judged):
            return []
        return [
            f"The corner tags do not fit together, by {surface.residual:.2f} in: measure their black "
            "squares, and see that they lie flat."
        ]
    complaints = []
    if surface.residual > MISFIT_IN and not contradiction_words(judged):
        complaints.append(
            f"The corner tags lie {surface.residual:.2f} in from their stated places: the set-up grants "
            "them that (sd_in), but it is too much to rule by. Measure the places again."
        )
    return [*complaints, *odd_size(table)]


def _unsure(table: TableFile, surface: Surface, detections: Sequence[Detection]) -> list[str]:
    """Of stated deviations with which hardly any distance could be ruled by."""
    found = locate_all(detections, table.pieces, surface, 0.0, table.checked)
    sds = [_apart_sd(a.uncertainty, b.uncertainty) for a, b in combinations(found, 2)]
    if not sds or (usual := float(np.median(sds))) < UNSURE_IN:
        return []
    return [
        f"How far pieces stand apart is known to ±{usual:.1f} in only, too unsure to rule by: see what "
        "the set-up grants under [accuracy], checked_in and tag_sd_at_in."
    ]


def _apart_sd(one: PoseUncertainty, other: PoseUncertainty) -> float:
    """How surely the way from one place to another is known in its least sure direction, inches."""
    shared = (one.shared - other.shared)[:2]
    covariance = one.own[:2, :2] + other.own[:2, :2] + shared @ shared.T
    return math.sqrt(float(np.linalg.eigvalsh(covariance)[-1]))


def _checked(check: KeptCheck, mark: str) -> str:
    """When the inches were checked with a sheet of paper or a strip, and what came of it."""
    came = {"agrees": "it agreed", "differs": "it did not agree", "unsure": "it was too unsure to tell"}
    held = (
        "" if check.stated == mark else ", but its sizes, corner tags or lens were changed since: check again"
    )
    return f"The table was checked with {check.laid}, {check.made}: {came[check.verdict]}{held}."


def _unread_corners(
    table: TableFile, frame: Frame, seen: Sequence[SeenCorner], surface: Surface
) -> list[str]:
    read = {(s.corner.family, s.corner.tag) for s in seen}
    complaints = []
    for corner in table.corners:
        if (corner.family, corner.tag) not in read:
            why = covered_or_shining(frame.grey, surface.image_from_table(corner.corners_at()))
            complaints.append(f"Corner tag {corner.tag} is not read: {why}.")
    return complaints


def _too_small(table: TableFile, surface: Surface, read: set[TagKey]) -> list[str]:
    """Pieces whose tags this camera cannot read from where it hangs, though they were not seen."""
    x0, y0, x1, y1 = table.surface.polygon.bounds
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    complaints = []
    for piece in table.pieces:
        mount = piece.mount
        if mount is None or (mount.family, mount.tag) in read:
            continue
        drawn = pattern(mount.family, mount.tag)
        if drawn is None:
            continue
        ends = surface.image_from_table(
            np.stack([middle, middle + np.array([mount.size, 0.0])]), mount.height
        )
        module = float(np.linalg.norm(ends[1] - ends[0])) / len(drawn)
        if module < SMALL_PX:
            complaints.append(
                f"{piece.name}'s tag would have only {module:.1f} pixels per module: print it larger, bring "
                "the camera closer, or choose a higher resolution."
            )
    return complaints


def _no_tag(frame: Frame, table: TableFile | None) -> str:
    level = float(np.percentile(frame.grey, 95))
    if level < 60:
        return "No tag is read and the picture is very dark: turn on more light, uncover the lens."
    if float(np.percentile(frame.grey, 25)) >= BRIGHT:
        return "No tag is read and the picture is burnt white: lower the exposure, or dim the light."
    which = "of this table" if table is not None else "tag36h11"
    return (
        f"No tag {which} is read: are tags in the picture, printed with their white border, the "
        "camera in focus, and not too far away?"
    )


def _often(words: str, times: int, pictures: int) -> str:
    return words if times == pictures else f"{words} (In {times} of {pictures} pictures.)"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
