"""What a page of the game shows to whoever looks at it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from engine.game.events import Action, Event, batches
from engine.game.match import Match
from engine.games.white_line_fever.acts.placing import check_placed
from engine.games.white_line_fever.state.game_state import Duty, GameState
from engine.space.geometry import Pose
from engine.space.table import TableState, key_of
from server.pipeline.runner import Runner
from server.pipeline.snapshot import Snapshot
from server.play.aiming import shots
from server.play.host import MatchHost
from server.play.messages import LogLine, MatchView, Me, OptionView, PlayState, Seat
from server.play.sheets import catalogue, sheets
from server.web.authentication import Identity

LOG_SHOWN = 200
"""Lines of the log that a page is told."""

AIM_EVERY = 0.5
"""Seconds between two looks at the targets: figures that flicker cannot be read."""

QUIET = ("undo", "redo")
"""Kinds of events that tell of others, and are never struck through."""


class Drives(Protocol):
    """What recognises how a car is being driven, for the driver's screen."""

    def view(self, snapshot: Snapshot) -> dict[str, Any] | None:
        """What the screen shows, None while there is nothing to show."""
        ...


class Scene:
    """The game and the table together, looked at by any number of pages: worked out once for all."""

    def __init__(
        self,
        host: MatchHost,
        live: Runner,
        driving: Drives | None = None,
        trouble: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.host = host
        self.live = live
        self._driving = driving
        self._trouble = trouble
        self._lock = threading.Lock()
        self._catalogue = catalogue()
        self._aimed: list[dict[str, Any]] | None = None
        self._ghosts: list[dict[str, Any]] = []
        self._aimed_for = (-1, -1)
        self._aimed_version = 0
        self._kept: tuple[int, dict[str, Any]] = (-1, {})
        self._aimed_at = float("-inf")
        self._drove: tuple[int, dict[str, Any] | None] = (-1, None)

    def driving(self) -> dict[str, Any] | None:
        """What the driver's screen shows now."""
        if self._driving is None:
            return None
        snapshot = self.live.snapshot
        with self._lock:
            if self._drove[0] != snapshot.number:
                self._drove = (snapshot.number, self._driving.view(snapshot))
            return self._drove[1]

    def state(self, who: Identity) -> PlayState:
        """Everything, as it is for whoever looks."""
        host = self.host
        player = host.player_of(who)
        return PlayState(
            number=host.number,
            game=host.game.about.book,
            phase="setup" if host.match is None else "match",
            me=Me(
                role=who.role,
                player=player,
                owner=who.role == "owner",
                acts=who.role == "owner" or player is not None,
                may_undo=host.may_undo(who),
            ),
            seats=[
                Seat(player=p.name, colour=p.colour, taken=p.name in host.taken()) for p in host.draft.players
            ],
            draft=host.draft,
            catalogue=self._catalogue,
            modes=host.modes,
            match=self._match(who),
            driving=self.driving(),
            trouble=self._trouble(),
        )

    def version(self) -> tuple[int, int, str | None]:
        """Another one whenever a page shows something else than before, what is driven left aside."""
        match = self.host.match
        if match is not None:
            self._look(match.state)
        return self.host.number, self._aimed_version, self._trouble()

    def _match(self, who: Identity) -> MatchView | None:
        match = self.host.match
        if match is None:
            return None
        self._look(match.state)
        return MatchView(
            options=[
                OptionView(
                    kind=o.kind, player=o.player, words=o.words, data=dict(o.data),
                    mine=self.host.may_do(who, o),
                )
                for o in match.options()
            ],
            shots=self._aimed,
            ghosts=self._ghosts,
            **self._same_for_all(match),
        )  # fmt: skip

    def _same_for_all(self, match: Match[Any]) -> dict[str, Any]:
        """What every page shows of a match, worked out once for each change."""
        with self._lock:
            number = self.host.number
            if self._kept[0] != number:
                parts = {
                    "state": match.game.as_json(match.state),
                    "sheets": sheets(match.state),
                    "undoable": match.undoable,
                    "redoable": match.redoable,
                    "log": log_lines(match.log)[-LOG_SHOWN:],
                }
                self._kept = (number, parts)
            return self._kept[1]

    def _look(self, state: GameState) -> None:
        """Targets and ghosts, measured anew after each change, and now and then as the table changes."""
        with self._lock:
            seen = (self.host.number, self.live.snapshot.number)
            now = self.live.clock()
            stale = seen[0] != self._aimed_for[0] or now - self._aimed_at > AIM_EVERY
            if seen == self._aimed_for or not stale:
                return
            aimed = shots(state, self.host.table_for("shoot"))
            placed = ghosts(state, self.host.table_for("placed"))
            self._aimed_version += (aimed, placed) != (self._aimed, self._ghosts)
            self._aimed, self._ghosts = aimed, placed
            self._aimed_for, self._aimed_at = seen, now


def ghosts(state: GameState, table: TableState | None) -> list[dict[str, Any]]:
    """Where cars must stand that a rule puts elsewhere, outlines in inches; `right` once they do."""
    if table is None:
        return []
    standing = {key_of(s.name): s for s in table.standings}
    found = []
    for duty in state.duties:
        here = standing.get(key_of(duty.car))
        if duty.target is None or here is None or duty.kind == "blast":
            continue
        outline = Pose(*duty.target).to_table(here.piece.body.footprint.outline)
        found.append(
            {
                "car": duty.car,
                "kind": duty.kind,
                "outline": [[round(float(x), 3), round(float(y), 3)] for x, y in outline],
                "right": _right(state, duty, table),
            }
        )
    return found


def _right(state: GameState, duty: Duty, table: TableState) -> bool:
    return not check_placed(state, Action("placed", None, {"car": duty.car}), table)


def log_lines(log: tuple[Event, ...]) -> list[LogLine]:
    """The log for people: what belongs together by `batch`, and what was taken back."""
    parts = batches(log)
    done: list[int] = []
    undone: list[int] = []
    for number, (first, *_) in enumerate(parts):
        if first.kind == "undo" and done:
            undone.append(done.pop())
        elif first.kind == "redo" and undone:
            done.append(undone.pop())
        elif first.kind not in QUIET:
            done.append(number)
            undone.clear()
    kept = set(done)
    told = [(event, batch) for batch, events in enumerate(parts) for event in events]
    return [
        LogLine(
            number=n, batch=b, kind=e.kind, words=e.words, citation=e.citation,
            undone=b not in kept and e.kind not in QUIET,
        )
        for n, (e, b) in enumerate(told, start=1)
    ]  # fmt: skip
