"""No lie in the log: what an event says was measured is held against where everything truly stood.

Of each batch: the places that it notes, how far a move went and where it ended, whom it touched and whom it
says that it did not, and every number of the ruling on which a shot rests.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from shapely import Point, Polygon

from engine.boards.hexes import Hexes
from engine.errors import TableRefError
from engine.game.contract import NOTHING_SEEN
from engine.game.events import SAID, UNMEASURED, Event, batches
from engine.game.log.places import AWAY, TURNED
from engine.game.log.settled import question_of
from engine.game.match import Match
from engine.game.showing import Mark, Viewer
from engine.measure.sweep import Straight, Turn, poses_along
from engine.ruling import Check, Ruling, Verdict
from engine.space.geometry import Footprint, Pose, wrap_angle
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState, Thing, key_of
from server.play.moving.seeing import ranges_in
from tests.evening.house import House, Violation
from tests.evening.table import SD, SD_TURN, Truth, on_the_way

SURE = 6.0
"""Deviations beyond which a number that was measured is a lie: no reading is off by more than 2.5."""

TAKEN_FOR = 0.35
"""Inches by which a way may be told otherwise than it went, on a table without a board."""

NEAR = 0.15
"""Inches from a piece that may be told as touched."""

DEEP = 0.25
"""Share of the smaller of two outlines that a car surely drove through, though no touch is told."""

TOUCHED = ("contacts", "hit", "hits", "under", "touched", "triggered", "into", "cars", "reached")
"""Fields that name the pieces which something touched."""


def no_lies(at: House, match: Match[Any], since: int) -> None:
    """Hold every batch from the number `since` on, as long as the table is known on which it was done."""
    for number, events in enumerate(batches(match.log)):
        table = at.served.match.seen_at.get(number)
        if number < since or table is None:
            continue
        no_false_seal(events)
        truth = at.hands.past.at(table.time)
        places(events[0], truth)
        if events[0].kind == "action" and events[0].measured is True and _counts(match, number):
            moved(at, match, number, events)
            shot(at, match, number, events[0], table, truth)


def _counts(match: Match[Any], number: int) -> bool:
    """Whether a batch has not been undone in the act that it was done in."""
    try:
        match.before(number)
    except TableRefError:
        return False
    return True


def no_false_seal(events: Sequence[Event]) -> None:
    """What was said or let pass for unmeasured is never told as measured."""
    said = [e for e in events if e.kind == UNMEASURED]
    said += [e for e in events if e.kind == SAID and any(f["how"] != "waived" for f in e.data["facts"])]
    sealed = [e for e in events if e.measured is True]
    if said and sealed:
        raise Violation("what was said is told as measured", f"{said[0].words}; {sealed[0].words}")


def places(first: Event, truth: Truth) -> None:
    """Where a piece is noted to have been seen standing it stood, and nothing lay over it.

    Looked at again and found elsewhere, it has to stand where it had to: there it truly stood not.
    """
    for name, place in (first.data.get("stands") or {}).items():
        if place is None or not place["seen"] or place["ruled"] or name not in truth.poses:
            continue
        pose = truth.poses[name]
        off = math.dist(pose.xy, (place["x"], place["y"]))
        turned = max(0.0, abs(wrap_angle(pose.heading - place["heading"])) - place["free"])
        if first.data.get("right") is False:
            if off < AWAY and turned < TURNED:
                raise Violation("a piece is told out of place that is not", first.words)
            continue
        if name in truth.hidden or off > SURE * SD or turned > SURE * SD_TURN:
            hidden = ", and is covered" if name in truth.hidden else ""
            words = f"{first.words}: {name} is noted {off:.2f} in and {turned:.2f} rad off{hidden}"
            raise Violation("a place is noted where nothing stood", words)


# Moves


def moved(at: House, match: Match[Any], number: int, events: Sequence[Event]) -> None:
    """How far, to where, and past whom the pieces of a batch were moved."""
    for said in ranges_in(events[0]).values():
        name = str(said["piece"])
        truths = at.hands.past.between(float(said["since_s"]), float(said["until_s"]))
        if name not in at.hands.poses or len(truths) < 2:
            continue
        length(at, match, number, events, name, truths)
        steps(at, match, number, events, name, truths)
        end(at, match, number, events, name, truths[-1])
        touched(at, events, name, truths)
        untouched(at, match, number, events, name, truths)


def length(
    at: House, match: Match[Any], number: int, events: Sequence[Event], name: str, truths: Sequence[Truth]
) -> None:
    """Off a board a way is as long as the car was truly pushed, up to the piece that it ran into."""
    board = match.game.board(match.before(number), at.hands.board)
    told = [match.game.driven(match.before(number), event, board) for event in events]
    inches = [float(t) for t in told if t is not None]
    if not inches or getattr(board, "spacing", None) is not None:
        return
    axle = at.hands.axle(name)
    # The axle goes straight and stands still in a turn: its way is the sum of the runs.
    went = on_the_way(truths, name)
    track = [pose.compose(Pose(axle, 0.0)) for pose, _ in went]
    way = sum(math.dist(a.xy, b.xy) for a, b in pairwise(track))
    # A run is as long as it leads ahead; what it leads aside is a drift, which is held by where it ends.
    halted = track[_back(went, name) : _at_the_touch(at, match, number, events, name, went)]
    # What is pushed on from where it rested, and put back there, has gone as far as it had.
    ahead = min(abs(sum(_ahead(a, b) for a, b in pairwise(way))) for way in (halted, _first(halted)))
    if not ahead - TAKEN_FOR <= inches[0] <= way + TAKEN_FOR:
        words = f"{events[0].words} is told as {inches[0]:.2f} in; it went {way:.2f}, {ahead:.2f} of it ahead"
        raise Violation("a length is a lie", words)


def _back(went: Sequence[tuple[Pose, Truth]], name: str) -> int:
    """From which place of a way on it was seen: nobody sees a covered piece go, and come back to its start.

    What is moved is hidden, too; what rests, and is hidden, is covered.
    """
    covered, back = False, 0
    for k, ((before, _), (pose, truth)) in enumerate(pairwise(went), 1):
        covered = covered or (name in truth.hidden and pose == before)
        if covered and math.dist(pose.xy, went[0][0].xy) <= TAKEN_FOR:
            back = k
    return back


def _first(track: Sequence[Pose]) -> Sequence[Pose]:
    """Give a way until it is first where it ends."""
    ends = (k for k, pose in enumerate(track, 1) if pose == track[-1])
    return track[: next(ends, None)]


def _at_the_touch(
    at: House, match: Match[Any], number: int, events: Sequence[Event], name: str,
    went: Sequence[tuple[Pose, Truth]],
) -> int | None:  # fmt: skip
    """How many places of a way there are until it truly meets what it is told to have run into.

    A hand may push a simulated car on through another one, over a token or the table's edge; by the book its
    move has ended.
    """
    into = {n for event in events if event.tone == "move" for n in names_under(event.data, ("into",))}
    met = {key_of(n) for event in events for n in names_under(event.data, ("token",))}
    lying = match.game.marks(match.before(number), None, Viewer()) if met else ()
    tokens = [_drawn(m) for m in lying if m.role == "token" and key_of(m.words) in met]
    # What is no piece may be the edge.
    surface = at.hands.scene.surface.polygon if into - at.hands.poses.keys() else None
    for k, (pose, truth) in enumerate(went[1:], 1):
        car = Polygon(at.hands.outline(name, pose))
        if any(_within(at, name, pose, other, truth) > 0.0 for other in into & truth.poses.keys()):
            return k + 1
        if any(car.intersects(token) for token in tokens):
            return k + 1
        if surface is not None and not surface.contains(car):
            return k + 1
    return None


def _drawn(mark: Mark) -> Polygon:
    """What a token covers of the table."""
    return Polygon(mark.points) if mark.shape == "polygon" else Point(mark.points[0]).buffer(mark.radius)


def _ahead(one: Pose, other: Pose) -> float:
    """How far it is from one place of a piece to the next along its heading, inches."""
    heading = one.heading + wrap_angle(other.heading - one.heading) / 2
    return (other.x - one.x) * math.cos(heading) + (other.y - one.y) * math.sin(heading)


def steps(
    at: House, match: Match[Any], number: int, events: Sequence[Event], name: str, truths: Sequence[Truth]
) -> None:
    """The steps that are told of a free way lead from where the piece stood to where it stands or touched."""
    went = on_the_way(truths, name)
    halted = went[: _at_the_touch(at, match, number, events, name, went)][-1][0]
    for data in (event.data for event in events if event.data.get("steps") and event.data.get("from")):
        start = Pose(*data["from"])
        rows = [
            Turn(one["angle"], tuple(one["pivot"]))
            if one["kind"] == "turn"
            else Straight(one["ahead"], one.get("left", 0.0))
            for one in data["steps"]
        ]
        there = poses_along(start, rows)[-1].xy
        begun = math.dist(start.xy, truths[0].poses[name].xy)
        off = min(math.dist(there, pose.xy) for pose in (halted, went[-1][0]))
        if max(begun, off) > TAKEN_FOR:
            words = f"{events[0].words}: its steps begin {begun:.2f} in and end {off:.2f} in beside it"
            raise Violation("a way is a lie", words)


def end(at: House, match: Match[Any], number: int, events: Sequence[Event], name: str, truth: Truth) -> None:
    """On a board the piece truly stands in the cell in which the move is told to end."""
    board = match.game.board(match.before(number), at.hands.board)
    spacing = getattr(board, "spacing", None)
    pushed = (events[0].data.get("stands") or {}).get(name) or {}
    if spacing is None or pushed.get("ruled"):
        return
    after = match.batch(number).state
    was = {key_of(g.piece): g.pose for g in match.game.on_board(match.before(number), NOTHING_SEEN)}
    for ghost in match.game.on_board(after, NOTHING_SEEN):
        if key_of(ghost.piece) != key_of(name) or ghost.pose is None or ghost.pose == was.get(key_of(name)):
            continue
        off = math.dist(ghost.pose[:2], truth.poses[name].xy)
        if off > (0.62 if isinstance(board, Hexes) else 0.75) * spacing:  # a corner of its cell and a hair
            words = f"{events[0].words} is told to end {off:.2f} in from where {name} stands"
            raise Violation("an end is a lie", words)


def touched(at: House, events: Sequence[Event], name: str, truths: Sequence[Truth]) -> None:
    """Whom a move is told to have touched it truly came near; what is covered is taken to stand as it did."""
    told = {n for event in events[:1] for n in names_under(event.data.get("data"), TOUCHED)}
    told |= {n for event in events if event.tone == "move" for n in names_under(event.data, TOUCHED)}
    covered = frozenset.intersection(*(truth.hidden for truth in truths))
    for other in told & at.hands.poses.keys() - {name} - covered:
        apart = min(
            (
                _apart(at, name, pose, other, truth.poses[other])
                for pose, truth in on_the_way(truths, name)
                if other in truth.poses
            ),
            default=math.inf,
        )
        if apart > NEAR:
            raise Violation(
                "a contact is a lie", f"{events[0].words}: {other} was never nearer than {apart:.2f} in"
            )


def untouched(
    at: House, match: Match[Any], number: int, events: Sequence[Event], name: str, truths: Sequence[Truth]
) -> None:
    """Where a game tells contacts, no car is driven through and not told."""
    kind = events[0].data["kind"]
    if not any(one.field == "contacts" for one in match.game.facts.get(kind, ())):
        return
    before = match.before(number)
    told = {key_of(n) for event in events for n in event.pieces}
    sheets = match.game.sheets(before, Viewer())
    cars = [s.piece for s in sheets if s.piece is not None and not s.out]
    way = on_the_way(truths, name)
    if _fetched(at, match, number, name, way[0][0]):
        return
    for other in cars:
        if key_of(other) in told or other not in at.hands.poses or other == name:
            continue
        if any(_within(at, name, pose, other, truth) > 0.0 for pose, truth in way[:1]):
            continue  # cars that stand in one another were put there by no hand that pushes
        for pose, truth in way:
            share = 0.0 if other in truth.hidden else _within(at, name, pose, other, truth)
            if share > DEEP:
                words = f"{events[0].words}: it went through {other} ({share:.0%}), which is not told"
                raise Violation("a contact is hushed up", words)


def _fetched(at: House, match: Match[Any], number: int, name: str, start: Pose) -> bool:
    """Whether a hand brings a piece to where a rule puts it from where neither hand nor rule had left it.

    Only what it met as the rule moved it counts, and that way nobody pushes it: a hand carries it. One that
    is slid is pushed from where it stood, one that is spun from no farther than its length.
    """
    ghosts = match.game.ghosts(match.before(number), NOTHING_SEEN)
    target = next((g.pose for g in ghosts if key_of(g.piece) == key_of(name)), None)
    batch = next(batch for batch in match.counted if batch.number == number).earlier
    while batch is not None and (place := batch.places.get(name)) is not None and place.ruled:
        batch = batch.earlier
    if target is None or batch is None or place is None:
        return False
    length = Polygon(at.hands.outline(name, start)).length / 2
    return math.dist(start.xy, place.pose.xy) > AWAY and math.dist(start.xy, target[:2]) > length


def _within(at: House, name: str, pose: Pose, other: str, truth: Truth) -> float:
    """How much of the smaller of two pieces lies within the other, as a share."""
    one, two = (Polygon(at.hands.outline(n, p)) for n, p in ((name, pose), (other, truth.poses[other])))
    return float(one.intersection(two).area / min(one.area, two.area))


def names_under(data: Any, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of pieces that stand under some keys, at any depth."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key not in keys:
                yield from names_under(value, keys)
                continue
            for one in value if isinstance(value, list | tuple) else [value]:
                name = one.get("other", one.get("name")) if isinstance(one, Mapping) else one
                if isinstance(name, str):
                    yield name
    elif isinstance(data, list | tuple):
        for value in data:
            yield from names_under(value, keys)


def _apart(at: House, one: str, here: Pose, other: str, there: Pose) -> float:
    """How far apart two pieces are, inches between their outlines."""
    a, b = at.hands.outline(one, here), at.hands.outline(other, there)
    return float(Polygon(a).distance(Polygon(b)))


# Shots


def shot(at: House, match: Match[Any], number: int, first: Event, table: TableState, truth: Truth) -> None:
    """Every number of the ruling that a measured action rests on is true within its deviation."""
    before = match.before(number)
    question = question_of(match.game, before, first)
    if question is None or any(name in truth.hidden for name in question.pieces):
        return
    table = table.owned(at.served.match.owners)
    found, should, plainly = (
        _ruled(match, before, question, table),
        _ruled(match, before, question, true_table(table, truth)),
        _ruled(match, before, question, true_table(table, truth, (SD, SD_TURN))),
    )
    if found is None or should is None or plainly is None:
        return
    for check in found.checks:
        true, plain = (
            next((c for c in one.checks if c.name == check.name), None) for one in (should, plainly)
        )
        if true is None or plain is None or check.verdict is Verdict.TOO_CLOSE:
            continue
        _held(first, check, true, alike=_seen_alike(found, should), plain=plain.verdict is true.verdict)


def _seen_alike(found: Ruling, should: Ruling) -> bool:
    """Whether a part is in sight in both or in neither: else one looks through what stands there."""
    sights = ([c for c in r.checks if c.witness.shows == "sight"] for r in (found, should))
    one, other = ({c.name: c.margin > 0.0 for c in checks} for checks in sights)
    return one == other


def _held(first: Event, check: Check, true: Check, *, alike: bool, plain: bool) -> None:
    """A check is as it truly is: where that is `plain`, for a sight has no depth that tells how nearly.

    Of what is so near that it could be read either way, some is told the wrong way, as the odds have it.
    """
    surely = plain and check.verdict is not true.verdict and true.verdict is not Verdict.TOO_CLOSE
    if surely and abs(true.margin) > SURE * max(check.sd, SD) and abs(check.margin) > 0.0:
        words = f"{first.words}: {check.words}, but truly {true.words}"
        raise Violation("a ruling is a lie", words)
    off = check.number - true.number
    # What may hide parts of either makes what is visible farther, and no nearer.
    far = (off if check.words.startswith("at least") else abs(off)) > SURE * max(check.sd, SD) + 0.02
    if check.witness.shows == "range" and alike and far:
        words = f"{first.words}: {check.words}, but truly {true.words}"
        raise Violation("a range is a lie", words)


def _ruled(match: Match[Any], state: Any, question: Any, table: TableState) -> Ruling | None:
    try:
        return match.game.rule(state, question, table)
    except TableRefError:
        return None


def true_table(table: TableState, truth: Truth, sd: tuple[float, float] = (1e-6, 1e-6)) -> TableState:
    """Give the same table as it truly stood, known exactly; what nobody has named is terrain that hides.

    With `sd`, inches and radians, each piece is known no better than so.
    """
    sure = PoseUncertainty.isotropic(*sd)
    standings = tuple(
        replace(s, pose=truth.poses[s.name], uncertainty=sure, status=Status.STILL)
        if s.name in truth.poses and s.name not in truth.hidden
        else s
        for s in table.standings
        # What was taken off the table is in nobody's way any more.
        if s.name in truth.poses or s.status is not Status.LOST
    )
    return replace(table, standings=(*standings, *map(_named, table.things)), things=())


def _named(thing: Thing) -> Standing:
    """What a thing is, as whoever put it down knows: as high as a mug."""
    middle = thing.region.outline.mean(axis=0)
    body = Body("polygon", Footprint(thing.region.outline - middle), 3.5)
    piece = Piece(str(thing.name), "terrain", body)
    return Standing(piece, Pose(float(middle[0]), float(middle[1])), PoseUncertainty.isotropic(1e-6, 1e-6))
