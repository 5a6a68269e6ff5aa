"""Random games to hold a game against, and what everybody is shown of them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.boards.board import Free
from engine.game.contract import Game, Option, Seen
from engine.game.dice import SeededDice
from engine.game.events import PASS, RULED, Action, Event, Reason, batches, event_to_json
from engine.game.filling import Stuck, complete
from engine.game.forms import Form, PathOnTable
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.game.pushing import along, pushed
from engine.game.records import to_json
from engine.game.showing import Awaited, Viewer
from engine.game.text import log_text, option_text, sheet_text, status_text
from engine.game.viewing import log_for
from engine.measure.sweep import Step, Straight, Turn
from engine.motion.moves import Move
from engine.space.catalogue import car
from engine.space.geometry import Pose, Region, wrap_angle
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState, key_of

SEEDS = (1, 2, 3)
"""The random games that are played."""


class Playing:
    """Random games of `game`."""

    game: Game[Any]
    limit = 2000
    """Actions after which a game need not be over."""
    in_turn = False
    """Whether one player after another gives up as a random game goes on, not all at each of its moments."""
    playthroughs = "playthroughs"
    """Where its golden playthroughs lie, from the folder of the test: two games in one have each its own."""

    def begun(self, seed: int) -> Match[Any]:
        """A random match that begins."""
        return Match.begin(self.game, random_setup(self.game, random.Random(seed)))

    def positions(self) -> Iterator[Match[Any]]:
        """A random game, as it stands every few actions."""
        chance, dice = random.Random(7), SeededDice(7)
        match = self.begun(7)
        for number in range(60):
            if number % 6 == 0:
                yield match
            if self.over(match):
                return
            step(match, chance, dice)

    def on_tables(self, seed: int) -> Iterator[tuple[Match[Any], TableState]]:
        """A random game that looks at tables where it can, as it stands after every action with the last.

        What is awaited is pushed now and then, and the players accept what they may.
        """
        chance, dice = random.Random(seed), SeededDice(seed)
        match = self.begun(seed)
        for number in range(80):
            table = next(tables(match, self.json(match)), None)
            if self.over(match) or table is None:
                return
            ways = list(pushes(match, table)) if number % 3 else []
            push = chance.choice(ways) if ways else None
            action, against = (None, ()) if push is None else answered(match, push)
            if push is not None and action is not None and not against:
                match.do(action, push.seen, dice)
                yield match, push.seen.table or table
                continue
            try:
                step(match, chance, dice, table)
            except Stuck:
                step(match, chance, dice)
            yield match, table

    def stepped(self, match: Match[Any], chance: random.Random, dice: SeededDice) -> tuple[Event, ...]:
        """A random lawful action, done."""
        return step(match, chance, dice)

    def over(self, match: Match[Any]) -> bool:
        """Whether the game is over."""
        return self.game.status(match.state, Viewer()).over

    def viewers(self, match: Match[Any]) -> list[Viewer]:
        """Everybody who may look: no player in particular, and each that plays."""
        return [Viewer(), *(Viewer(name) for name in players_of(match))]

    def shown(self, match: Match[Any], viewer: Viewer, seen: Seen | None = None) -> Any:
        """Everything that a viewer is shown of a match."""
        mine = [o for o in match.options(seen) if o.player in (None, viewer.player)]
        return [
            to_json(self.game.status(match.state, viewer)),
            to_json(self.game.sheets(match.state, viewer)),
            to_json(self.game.cards(match.state)),
            to_json(self.game.marks(match.state, None, viewer)),
            to_json(self.game.ghosts(match.state, seen or Seen())),
            to_json(mine),
            [event_to_json(e) for e in log_for(match.log, viewer)],
        ]

    def json(self, match: Match[Any]) -> Any:
        """The state as it is kept."""
        return plain(self.game.as_json(match.state))


def playthrough(game: Game[Any], log: Iterable[Event], viewer: Viewer) -> str:
    """A game as a viewer sees it: what is told, batch by batch, the status, and the sheets that changed."""
    match: Match[Any] = Match(game)
    parts = [f"{game.about.title}, seen by {viewer.player or 'everybody'}"]
    shown: dict[str, str] = {}
    for batch in batches(log):
        match.commit(batch)
        sheets = {sheet.title: sheet_text(sheet) for sheet in game.sheets(match.state, viewer)}
        parts += ["", log_text(log_for(batch, viewer)), status_text(game.status(match.state, viewer))]
        parts += [text for title, text in sheets.items() if shown.get(title) != text]
        parts += [f"? {option_text(o)}" for o in match.options() if o.player in (None, viewer.player)]
        shown = sheets
    return "\n".join(parts) + "\n"


def playthroughs(game: Game[Any]) -> dict[str, str]:
    """The golden game as each viewer sees it, by the viewer's name."""
    match, chance, dice = (
        Match.begin(game, random_setup(game, random.Random(0))),
        random.Random(0),
        SeededDice(0),
    )
    for _ in range(60):
        if game.status(match.state, Viewer()).over:
            break
        step(match, chance, dice)
    names = players_of(match)
    viewers = {"everybody": Viewer()} | {name: Viewer(name) for name in names[:2]}
    return {name: playthrough(game, match.log, viewer) for name, viewer in viewers.items()}


def players_of(match: Match[Any]) -> list[str]:
    """The players, in the order of play."""
    return [place.player for place in match.game.status(match.state, Viewer()).order]


def tables(match: Match[Any], state: Any) -> Iterator[TableState]:
    """Some tables on which the pieces of a match stand about."""
    sheets = match.game.sheets(match.state, Viewer())
    owners = {s.piece: s.owner for s in sheets if s.piece} or set_up(match)
    names = sorted(owners)
    chance = random.Random(json.dumps(state, sort_keys=True))
    for _ in range(2 if names else 0):
        yield TableState.of(
            Region.rectangle(0.0, 0.0, 48.0, 48.0),
            [
                Standing(
                    Piece(name, "car", car("sedan"), owner=owners[name]),
                    Pose(chance.uniform(3.0, 45.0), chance.uniform(3.0, 45.0), chance.uniform(-3.0, 3.0)),
                    PoseUncertainty.isotropic(0.01),
                )
                for name in names
            ],
        )


@dataclass(frozen=True, eq=False)
class Push:
    """A piece that is awaited, pushed through these steps."""

    match: Match[Any]
    awaited: Awaited
    table: TableState
    steps: tuple[Step, ...]

    @cached_property
    def seen(self) -> Seen:
        """What the camera has seen of it."""
        game, piece = self.match.game, self.awaited.piece
        seen = Seen(self.table, board=game.board(self.match.state, Free()))
        return pushed(seen, piece, along(self.table.find(piece).pose, self.steps), PUSHED)

    @property
    def move(self) -> Move:
        """How it went."""
        return self.seen.moves[PUSHED]

    def action(self) -> Action:
        """What takes it as it was measured."""
        kind, piece = self.awaited.kind, self.awaited.piece
        for option in (o for o in self.match.options(self.seen) if o.kind == kind):
            name = next((n for n in option.form.fields if takes(option, n, piece)), None)
            if name is not None:
                assert None in (option.player, self.awaited.player) or option.player == self.awaited.player, (
                    f"{piece} is awaited of {self.awaited.player}, but its option is {option.player}'s: "
                    "whoever is awaited takes the move"
                )
                data = {**option.data, **_said_besides(option.form, name), name: PUSHED}
                return Action(kind, option.player, data)
        raise AssertionError(
            f"{piece} is awaited for {kind!r}, but no option of this kind takes its move: expected one whose "
            f"form has a PathOnTable of {piece}, as `path` in engine/game/kit/table.py makes it"
        )


def answered(match: Match[Any], push: Push) -> tuple[Action, tuple[Reason, ...]]:
    """The action that takes a push, once players accept what they may; and what is still against."""
    action = push.action()
    answers: dict[str, str] = {}
    against = match.game.check(match.state, action, push.seen)
    for _ in range(ROUNDS):
        if not against or not all(reason.open for reason in against):
            break
        answers |= {reason.question or PASS: "yes" for reason in against}
        action = replace(action, data={**action.data, RULED: answers})
        against = match.game.check(match.state, action, push.seen)
    return action, against


ROUNDS = 4
"""How often the players answer what is open of one push: an answer may leave another question."""

PUSHED = "pushed"
"""The id of a move that a test has made."""


def pushes(match: Match[Any], table: TableState) -> Iterator[Push]:
    """What is awaited, pushed this way and that: short, far, turned, back, and into what stands nearest."""
    for awaited in match.game.awaits(match.state):
        standing = table.called(awaited.piece)
        for steps in () if standing is None else (*_WAYS, _at_nearest(standing, table)):
            yield Push(match, awaited, table, steps)


_WAYS: tuple[tuple[Step, ...], ...] = (
    (Straight(1.5),), (Straight(4.0),), (Turn(0.5, (0.0, 0.0)), Straight(3.0)), (Straight(-2.0),),
    (Straight(9.0),),
)  # fmt: skip


def _at_nearest(piece: Standing, table: TableState) -> tuple[Step, ...]:
    """The way into what stands nearest."""
    others = table.others(piece.name)
    if not others:
        return (Straight(0.5),)
    nearest = min(others, key=lambda one: math.dist(one.pose.xy, piece.pose.xy))
    x, y = nearest.pose.x - piece.pose.x, nearest.pose.y - piece.pose.y
    turn = wrap_angle(math.atan2(y, x) - piece.pose.heading)
    return (Turn(turn, (0.0, 0.0)), Straight(max(math.hypot(x, y) - 1.0, 0.1)))


def takes(option: Option, name: str, piece: str) -> bool:
    """Whether a field of an option's form asks for a move of a piece."""
    one = option.form.fields[name]
    return isinstance(one, PathOnTable) and key_of(one.piece) == key_of(piece)


def _said_besides(form: Form, name: str) -> dict[str, Any]:
    """What nobody can leave out of a form besides the field of that name, as far as it can be given."""
    said: dict[str, Any] = {}
    for field, one in form.fields.items():
        if field != name and not one.optional and one.usual is None:
            with suppress(Stuck):
                said |= complete(Form({field: one}))
    return said


def set_up(match: Match[Any]) -> dict[str, str | None]:
    """What options and awaited moves of a match, from its beginning on, are about, and whose it is."""
    found: dict[str, str | None] = {}
    for one in match.counted:
        found |= {o.piece: o.player for o in match.game.options(one.state, Seen()) if o.piece}
        found |= {a.piece: a.player for a in match.game.awaits(one.state)}
    return found


def plain(value: Any) -> Any:
    """A value through JSON, which it must be."""
    return json.loads(json.dumps(value, allow_nan=False))
