"""What keeps the camera from seeing well, in sentences with their remedies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.bundle.coplanar import COPLANAR_WORDS, all_coplanar
from calibration.bundle.doubts import judge
from calibration.kept_check import KeptCheck
from calibration.lens.model import Lens, LensError
from calibration.surface import SeenCorner, Surface, SurfaceError
from calibration.tablefile import TableFile
from calibration.watching.keeper import told
from engine.errors import TableRefError
from vision.evidence import sort_out
from vision.frame import Detection, Frame
from vision.health import SMALL_PX, HealthWatch, Key, covered_or_shining, names_of
from vision.source import Source, SourceEnded
from vision.tags.mirrored import MIRRORED_WORDS, is_mirrored
from vision.tags.pattern import pattern
from vision.tags.unnamed import USUAL_FAMILY, reader_of_all, told_apart, unnamed_words

# Those of the corners, as `tableref print corners` makes them.
USUAL_CORNERS = range(4)

# A webcam's first pictures are dark while it finds its exposure.
WARMING_UP = 12
SKIPPED = 3


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What was found in so many pictures.

    `complaints` are sentences, each with its remedy, the most serious first; `facts` say what was
    seen; `mirrored` says that the picture is, and nothing else is worth saying of its tags.
    """

    pictures: int
    complaints: tuple[str, ...]
    facts: tuple[str, ...]
    mirrored: bool = False

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to fix."""
        return not self.complaints


def pictures_of(source: Source, count: int) -> list[Frame]:
    """Up to `count` pictures: a file's first ones, a live source's once its exposure has settled."""
    frames: list[Frame] = []
    skip = WARMING_UP if source.live else 0
    try:
        while len(frames) < count:
            frame = source.read()
            if skip:
                skip -= 1
                continue
            frames.append(frame)
            skip = SKIPPED if source.live else 0
    except SourceEnded:
        pass
    return frames


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
    read = read or reader_of_all(known).read_all
    watch = HealthWatch({} if table is None else names_of(table), every=0.0, most=200)
    said: Counter[str] = Counter()
    unnamed: set[Key] = set()
    best: tuple[Frame, list[Detection]] | None = None
    widths = []
    most = 0
    for frame in frames:
        detections = read(frame)
        most = max(most, len(detections))
        if table is not None:
            detections, others = told_apart(detections, known)
            unnamed |= others
        widths += [d.side / len(m) for d in detections if (m := pattern(d.family, d.tag)) is not None]
        said.update(f.words for f in watch.update(frame, detections))
        if best is None or len(detections) > len(best[1]):
            best = frame, detections
    assert best is not None
    seen = len(best[1])
    facts = [f"{_count(seen, 'tag')} read in the best of {_count(len(frames), 'picture')}."]
    complaints = []
    if live and len(frames) > 2 and all(np.array_equal(f.image, frames[0].image) for f in frames[1:]):
        complaints.append("The picture stands still, to the last bit: restart the camera or its app.")
    mirrored = is_mirrored(best[0], reader_of_all(known), most)
    if mirrored:
        complaints.append(MIRRORED_WORDS)
    elif not seen:
        complaints.append(_no_tag(best[0], table))
    complaints += [_often(words, times, len(frames)) for words, times in said.most_common()]
    if widths:
        facts.append(f"The smallest has {min(widths):.1f} pixels per module; {SMALL_PX:.1f} are needed.")
    if unnamed:
        complaints.append(unnamed_words(unnamed))
    nameless = sorted({d.tag for d in best[1] if d.family == USUAL_FAMILY and d.tag not in corners})
    if table is None and nameless:
        which = f"tag{'' if len(nameless) == 1 else 's'} {', '.join(map(str, nameless))}"
        facts.append(f"Nobody has said yet what carries {which}: tableref asks for it on its page.")
    if table is None and seen and not mirrored:
        complaints += _corners_without_a_table(best[1], corners)
    if table is not None and seen and not mirrored:
        of_table, more = _against(table, *best, kept)
        complaints += of_table
        facts += more
    return Diagnosis(len(frames), tuple(complaints), tuple(facts), mirrored)


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
        "into view, or name the table file with --table."
    ]


def _against(
    table: TableFile,
    frame: Frame,
    detections: Sequence[Detection],
    kept: Callable[[tuple[int, int]], Lens | None] | None,
) -> tuple[list[str], list[str]]:
    """Complaints and facts from holding one picture's tags against the table file."""
    complaints, facts = [], []
    try:
        lens = kept(frame.size) if kept is not None and table.lens is None else None
        lens = lens or table.lens_for(frame.size)
    except LensError as error:
        return [_sentence(str(error))], []
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
        judged = judge(lens, seen.corners, tags, table.frame, table.accuracy.common, table.corners)
    except SurfaceError as error:
        return [*complaints, _sentence(str(error))], facts
    surface = judged.surface
    if table.check is not None:
        facts.append(_checked(table.check, table.mark(None if lens.guessed else lens)))
    facts.append(f"The corner tags fit their places to {surface.residual:.3f} in.")
    flat = all_coplanar(judged, lens, seen.corners, tags, table.frame, table.accuracy.common)
    complaints += map(_sentence, (COPLANAR_WORDS,) if flat else told(judged))
    complaints += _unread_corners(table, frame, seen.corners, surface)
    read = {(d.family, d.tag) for d in detections}
    complaints += _too_small(table, surface, read)
    missing = [p.name for p in table.pieces if p.mount and (p.mount.family, p.mount.tag) not in read]
    if missing:
        facts.append(f"Not seen: {', '.join(missing)}.")
    return complaints, facts


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


def _too_small(table: TableFile, surface: Surface, read: set[Key]) -> list[str]:
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
    which = "of the table file" if table is not None else "tag36h11"
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
