"""Where every piece has to stand by what was done: noted with each batch, so that an undo leads back there.

A piece gets a new place when a move of it is taken, when it was put where the game wanted it, or when the
players let it stay where it stands; whatever else moves it leaves it astray.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.game.contract import NOTHING_SEEN, Game, Seen
from engine.game.events import PLAYERS, Event
from engine.game.records import from_json, to_json
from engine.game.showing import Awaited, Ghost, Viewer
from engine.measure.sweep import surface_margin
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, Status, TableState, key_of

AWAY, TURNED = 0.25, math.radians(10.0)
"""Inches and radians by which a piece may surely stand off its place before it is told (house default)."""

SLACK, SLACK_TURN = 0.25, math.radians(5.0)
"""How much farther off a piece may stand on a board, as a share of its spacing, and radians."""

SURE = 3.0
"""Standard deviations by which it has to be sure."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece has to stand: inches and radians.

    `free`: it may be turned by so much either way. `seen`: it was seen, there or since; else it was hidden
    when it was put there, and is looked at as soon as it is seen. `ruled`: a rule put it there and not a
    hand, so that it has to be put there; `slack`: inches that it may stand off besides, as within a cell of
    a board.
    """

    x: float
    y: float
    heading: float
    free: float = 0.0
    seen: bool = True
    ruled: bool = False
    slack: float = 0.0

    @property
    def pose(self) -> Pose:
        """The same as a pose."""
        return Pose(self.x, self.y, self.heading)


Places = Mapping[str, Place]
"""By the names of the pieces."""


@dataclass(frozen=True, eq=False)
class Stray:
    """A piece that surely stands elsewhere than it has to: inches away, and radians that it is turned."""

    piece: str
    place: Place
    away: float
    turned: float

    @property
    def words(self) -> str:
        """How far it is off, in words."""
        where = "where the rules put it" if self.place.ruled else "its place"
        return f"{self.piece} stands {off_words(self.away, self.turned)} from {where}"

    @property
    def deed(self) -> str:
        """What is to be done with it."""
        return "put it there" if self.place.ruled else "put it back"

    @property
    def ghost(self) -> Ghost:
        """Where it has to go back."""
        place = self.place
        pose = (place.x, place.y, place.heading)
        words = f"{self.words}: {self.deed}, or let it stay"
        return Ghost(self.piece, pose, words, PLAYERS, right=False)


def off_words(away: float, turned: float) -> str:
    """How far a piece is off.

    >>> off_words(2.04, 0.0), off_words(0.0, 1.6), off_words(2.04, 1.6)
    ('2.0 in', '92°', '2.0 in and 92°')
    """
    degrees = f"{math.degrees(abs(turned)):.0f}°"
    if abs(turned) < math.radians(2.0):
        return f"{away:.1f} in"
    return f"{away:.1f} in and {degrees}" if away >= 0.05 else degrees


def off_place(place: Place, standing: Standing) -> tuple[float, float]:
    """How far a piece stands from its place: inches, and radians beyond what is free."""
    turned = wrap_angle(standing.pose.heading - place.heading)
    beyond = math.copysign(max(abs(turned) - place.free, 0.0), turned)
    return math.dist(standing.pose.xy, place.pose.xy), beyond


def in_place(place: Place, standing: Standing) -> bool:
    """Whether a piece may stand where it has to: it is not surely elsewhere."""
    away, turned = off_place(place, standing)
    total = standing.uncertainty.total
    sd, sd_turned = math.sqrt(max(total[0, 0], total[1, 1])), math.sqrt(total[2, 2])
    free = SLACK_TURN if place.slack else 0.0
    return away - SURE * sd <= AWAY + place.slack and abs(turned) - SURE * sd_turned <= TURNED + free


def standing_still(name: str, table: TableState | None) -> Standing | None:
    """A piece that rests where it can be seen."""
    standings = () if table is None else table.standings
    found = next((s for s in standings if key_of(s.name) == key_of(name)), None)
    return found if found is not None and found.status is Status.STILL else None


# What is astray


def unbound(game: Game[Any], state: Any, seen: Seen) -> frozenset[str]:
    """The pieces that may stand elsewhere than where they were left, by `key_of` their names.

    They are out of play, stand for nothing yet, are on their way by a move that is not taken yet, or the game
    wants them elsewhere.
    """
    names = [ghost.piece for ghost in game.ghosts(state, NOTHING_SEEN)]
    names += [awaited.piece for awaited in game.awaits(state) if awaited.anywhere]
    names += [move.piece for move in seen.moves.values()]
    names += game.spare(state, seen)
    sheets = game.sheets(state, Viewer())
    names += [sheet.piece for sheet in sheets if sheet.out and sheet.piece is not None]
    names += _nobodys(seen.table, [sheet.piece for sheet in sheets if sheet.piece is not None])
    return frozenset(map(key_of, with_bodies(names, seen.table))) | taken_off(game, state, seen.table)


def taken_off(game: Game[Any], state: Any, table: TableState | None) -> frozenset[str]:
    """The pieces that the book has taken off the table, with what hangs on them, by `key_of` their names."""
    gone = with_bodies(game.removed(state), table)
    if table is not None:
        known = {key_of(s.name) for s in table.standings}
        shed = (name for name in game.shed(state) if key_of(name) in known)
        gone += [s.name for name in shed for s in table.vehicle(name)[1:]]
    return frozenset(map(key_of, gone))


def with_bodies(names: Iterable[str], table: TableState | None) -> list[str]:
    """These pieces, and all that hang on them or pull them: they go together."""
    found = list(names)
    known = set() if table is None else {key_of(s.name) for s in table.standings}
    if table is not None:
        found += [s.name for name in found if key_of(name) in known for s in table.vehicle(name)]
    return found


def _nobodys(table: TableState | None, played: Collection[str]) -> list[str]:
    """The pieces that are made to be driven and that nobody plays; none where the game has no sheets."""
    mine = {key_of(name) for name in played}
    if table is None or not mine:
        return []
    heads = {s.name: table.vehicle(s.name)[0] for s in table.standings if s.piece.driven}
    return [name for name, head in heads.items() if key_of(head.name) not in mine]


def strays(game: Game[Any], state: Any, places: Places, seen: Seen) -> tuple[Stray, ...]:
    """The pieces that surely stand elsewhere than they have to."""
    if seen.table is None:
        return ()
    off = [
        (place, standing)
        for name, place in places.items()
        if place.seen
        and (standing := standing_still(name, seen.table)) is not None
        and not in_place(place, standing)
    ]
    # Mostly all stand where they have to: then nobody need know which may stand elsewhere.
    if not off or game.status(state, Viewer()).over:
        return ()
    free = unbound(game, state, seen)
    return tuple(
        Stray(standing.name, place, *off_place(place, standing))
        for place, standing in off
        if key_of(standing.name) not in free
    )


# What is noted


def folded(places: Places, first: Event) -> Places:
    """The places after a batch, whose first event has those that changed."""
    changed = first.data.get("stands")
    if not changed:
        return places
    now = {**places, **{name: from_json(Place, at) for name, at in changed.items() if at is not None}}
    return {name: place for name, place in now.items() if changed.get(name, True) is not None}


def with_stands(first: Event, changed: Mapping[str, Place | None]) -> Event:
    """The first event of a batch with the places that change by it; None where one is not known any more."""
    if not changed:
        return first
    told = {name: None if place is None else to_json(place) for name, place in changed.items()}
    return replace(first, data={**first.data, "stands": told})


def place_of(standing: Standing) -> Place:
    """The place where a piece stands."""
    pose = standing.pose
    return Place(round(pose.x, 4), round(pose.y, 4), round(wrap_angle(pose.heading), 4))


def noted(
    game: Game[Any], before: Any, after: Any, places: Places, events: Sequence[Event], seen: Seen
) -> dict[str, Place | None]:
    """The places that change by a batch, given the states around it and what was seen when it was done."""
    table = seen.table
    if table is None:
        return {}
    wanted = {key_of(g.piece): g for g in game.ghosts(before, NOTHING_SEEN)}
    still = {key_of(g.piece): g.pose for g in game.ghosts(after, NOTHING_SEEN)}
    moved = set(map(key_of, with_bodies(moved_by(game.awaits(before), events[0], seen), table)))
    ruled = {key_of(g.piece): g for g in _put_by_rule(game, before, after, places, seen)}
    slack = SLACK * float(getattr(game.board(after, seen.board), "spacing", 0.0))
    left = {name for name, ghost in wanted.items() if still.get(name, 0) != ghost.pose}
    # Whose turn it is has no shape any more: where a rule has put it, it is still to be put.
    moved |= left - _still_to_be_put(game, after, places, seen)
    loose = {key_of(s.name) for s in table.standings if s.piece.look == "token"}
    moved |= loose & {key_of(name) for event in events for name in event.pieces}
    settled = not any(awaited.anywhere for awaited in game.awaits(after))
    found: dict[str, Place | None] = {}
    for standing in table.standings:
        key, rests = key_of(standing.name), standing.status is Status.STILL
        if standing.piece.follows:
            continue
        if key in ruled and not (rests and ruled[key].right):
            found[standing.name] = _by_rule(ruled[key], slack, seen=rests)
        elif key in moved:
            found[standing.name] = place_of(standing) if rests else _hidden(wanted.get(key))
        elif settled and rests and standing.name not in places and on_surface(standing, table):
            found[standing.name] = place_of(standing)
    unseen = {key_of(name) for name in found}
    found |= {g.piece: _hidden(g) for key, g in wanted.items() if key in moved - unseen}
    return {name: place for name, place in found.items() if place is not None or name in places}


def _put_by_rule(game: Game[Any], before: Any, after: Any, places: Places, seen: Seen) -> Iterator[Ghost]:
    """Where pieces of a board stand by the game since something was done, that stood elsewhere on it before.

    What a hand had moved there already is `right`; all else is to be put there as a step of its own. So is a
    piece that has been nowhere yet, or not on the board, and stands elsewhere than where it starts.
    """
    was = {key_of(ghost.piece): ghost.pose for ghost in game.on_board(before, NOTHING_SEEN)}
    known = set(map(key_of, places)) & was.keys()
    for ghost in game.on_board(after, seen):
        begins = ghost.right is False and key_of(ghost.piece) not in known
        if begins or was.get(key_of(ghost.piece), ghost.pose) != ghost.pose:
            yield ghost


def _still_to_be_put(game: Game[Any], after: Any, places: Places, seen: Seen) -> set[str]:
    """The pieces of a board that a rule has put somewhere, and no hand yet."""
    ruled = {key_of(name) for name, place in places.items() if place.ruled}
    return ruled & {key_of(g.piece) for g in game.on_board(after, seen) if g.right is False}


def _by_rule(ghost: Ghost, slack: float, *, seen: bool) -> Place | None:
    if ghost.pose is None:
        return None
    return Place(*ghost.pose, free=ghost.free, seen=seen, ruled=True, slack=round(slack, 4))


def _hidden(ghost: Ghost | None) -> Place | None:
    """Where a piece was put that could not be seen: where the game wanted it, if that is known."""
    if ghost is None or ghost.pose is None:
        return None
    return Place(*ghost.pose, free=ghost.free, seen=False)


def on_surface(standing: Standing, table: TableState) -> bool:
    """Whether a piece lies on the table with all of it."""
    return surface_margin(standing.region.outline, table.surface) >= 0.0


def moved_by(awaited: Sequence[Awaited], first: Event, seen: Seen) -> Iterator[str]:
    """The pieces whose awaited move an action takes: those that it names, or the only one of its kind."""
    if first.kind != "action":
        return
    same = [one.piece for one in awaited if one.kind == first.data["kind"]]
    named = frozenset(map(key_of, _names_in(first.data["data"], seen)))
    meant = [piece for piece in same if key_of(piece) in named]
    yield from meant or (same if len(same) == 1 else [])


def _names_in(data: Mapping[str, Any], seen: Seen) -> Iterable[str]:
    for value in data.values():
        if isinstance(value, str):
            yield seen.moves[value].piece if value in seen.moves else value
        elif isinstance(value, Mapping):
            yield from (inner for inner in value.values() if isinstance(inner, str))
