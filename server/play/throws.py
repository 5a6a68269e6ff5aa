"""Dice of the table that are typed where they are rolled: each player's on their own phone.

A deed that needs them waits until all are typed. Whoever does it may type the others' instead, and so may the
owner, so that nobody holds an evening up. For a machine whoever plays rolls, and the record says who did.
It is kept in no record: after a restart the deed is done anew.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Option
from engine.game.dice import TypedDice, Want
from engine.game.events import ASIDE, OWNER, RULED, RULED_BY, Event
from engine.game.log.history import Batch
from engine.game.match import Match
from server.play.messages import Act, Reveal
from server.play.seats import MACHINE, NotYours
from server.web.authentication import Identity

KEPT = 50
"""So many deeds that were put off are remembered with their dice."""

Face = int | str
"""What a die shows: its number, or its icon."""


@dataclass(frozen=True)
class Throw:
    """A deed that waits for dice: by whose page, what was asked there, the dice `wanted`, and those `typed`.

    `by` is the player who does it, or the owner. `given` are the dice that were typed before these, `typists`
    all who have typed any of them. `at` is the number of the batch after which it is done, 0 for none.
    """

    id: str
    who: Identity
    by: str
    request: Act | Reveal
    given: tuple[Face, ...]
    wanted: tuple[Want, ...]
    typed: Mapping[int, Face] = field(default_factory=dict)
    typists: tuple[str, ...] = ()
    at: int = 0

    @property
    def fell(self) -> bool:
        """Whether dice have fallen for it: whoever does it may not do something else instead."""
        return bool(self.given or self.typed)

    @property
    def machine(self) -> bool:
        """Whether a machine does it: it has no hands to roll with."""
        return self.who.device.startswith(MACHINE)

    @property
    def missing(self) -> tuple[int, ...]:
        """Which dice are still to be typed, by their place in `wanted`."""
        return tuple(k for k in range(len(self.wanted)) if k not in self.typed)

    @property
    def with_given(self) -> Act | Reveal:
        """The deed as it asks for these dice."""
        return self.request.model_copy(update={"dice": list(self.given)})

    @property
    def with_all(self) -> Act | Reveal:
        """The deed with all dice that are typed."""
        dice = [*self.given, *(self.typed[k] for k in range(len(self.wanted)))]
        return self.request.model_copy(update={"dice": dice})

    def same(self, other: Throw) -> bool:
        """Whether it is the very same deed, and waits for the same dice, or for later ones of it."""
        return self.who == other.who and self.asks(other)

    def asks(self, other: Throw) -> bool:
        """Whether it waits for the dice of the same deed, or for later ones of it, whoever does it."""
        mine, theirs = (one.request.model_dump(exclude={"key", "dice"}) for one in (self, other))
        begun = self.given[: len(other.given)] == other.given
        later = len(self.given) > len(other.given)
        return mine == theirs and begun and (later or self.wanted == other.wanted)

    def may_type(self, who: Identity, seat: str | None, by: str | None, of: str | None) -> bool:
        """Whether somebody may type a die that is rolled `by` a player and asked for on the phone `of` one.

        Who rolls it, who does the deed, and the owner; for a machine all who play.
        """
        if who.role == "owner" or self.does(who):
            return True
        return seat is not None and (seat == by or (self.machine and of is None))

    def _not_yours(self, by: str | None, of: str | None) -> str:
        """Who may type a die that is rolled `by` a player and asked for on the phone `of` one, for people."""
        if not self.machine:
            return f"{by or self.by} types that die, or {self.by}"
        return "whoever plays types that die" if of is None else f"{of} types that die, or {OWNER}"

    def does(self, who: Identity) -> bool:
        """Whether the deed is somebody's."""
        return who == self.who or who.role == self.who.role == "owner"

    def goes_back(self, who: Identity) -> bool:
        """Whether somebody may take it back, and that leads on.

        A machine reveals only what nobody else does: it would ask for the same dice again at once. A player
        who sees what fell does not try something else.
        """
        if who.role == "owner":
            return self.does(who) or (self.machine and isinstance(self.request, Act))
        return self.does(who) and not self.fell

    def with_dice(
        self, said: Sequence[Face | None], who: Identity, seat: str | None, whose: Sequence[str | None]
    ) -> Throw:
        """With what somebody typed, null where they say nothing. `NotYours` for the dice of others.

        `whose` are the phones on which they are asked for (see `waited_for`).
        """
        if len(said) != len(self.wanted):
            words = f"expected {len(self.wanted)} dice, null for those of others, but got {len(said)}"
            raise TableRefError(words)
        typed = dict(self.typed)
        for k, value in enumerate(said):
            if value is None:
                continue
            if not self.may_type(who, seat, self.wanted[k].by, whose[k]):
                raise NotYours(self._not_yours(self.wanted[k].by, whose[k]))
            TypedDice([value]).together([self.wanted[k]])  # an error for what it cannot show
            typed[k] = value
        return replace(self, typed=typed, typists=tuple(dict.fromkeys((*self.typists, seat or OWNER))))


def waited_for(throw: Throw, at_a_phone: Callable[[str], bool], seat: str | None) -> tuple[str | None, ...]:
    """On whose phone each die is asked for; None: where the deed is done. `seat` is who does it."""
    return tuple(
        want.by if want.by is not None and want.by != seat and at_a_phone(want.by) else None
        for want in throw.wanted
    )


@dataclass
class Throws:
    """The deeds at a table that wait for dice, one of each who does them; gone once the game goes on.

    Dice that have fallen are kept: where the same deed is done after all, from where it was done before, they
    lie as they fell.
    """

    waiting: dict[str, Throw] = field(default_factory=dict)
    taken_back: list[Throw] = field(default_factory=list)
    """Those that were put off with dice that had fallen, the newest last."""

    def find(self, id: str) -> Throw:
        """One of them; a clear error for one that is gone."""
        if id not in self.waiting:
            words = "these dice are not asked for any more: the game went on, or it was taken back"
            raise TableRefError(words)
        return self.waiting[id]

    def put(self, throw: Throw) -> Throw:
        """One more, instead of another one of the same page; the very same deed keeps what is typed."""
        before = next((one for one in self.waiting.values() if one.who == throw.who), None)
        if before is not None and before.same(throw):
            return before
        if before is not None:
            self.take_back(before.id)
        fell = next((one for one in self.taken_back if one.at == throw.at and one.asks(throw)), None)
        if fell is not None:
            self.taken_back.remove(fell)
            throw = replace(fell, id=throw.id, who=throw.who, by=throw.by, request=throw.request)
        self.waiting[throw.id] = throw
        return throw

    def held(self, who: Identity) -> Throw | None:
        """The deed of somebody for which dice have fallen."""
        return next((one for one in self.waiting.values() if one.who == who and one.fell), None)

    def seated(self, player: str, device: str | None) -> None:
        """The deed of a player waits on the phone that has the seat from now on; of a free seat on none."""
        who = Identity("player", device or "")
        for one in self.waiting.values():
            if one.by == player and one.who.role == "player" and not one.machine:
                self.waiting[one.id] = replace(one, who=who)

    def take_back(self, id: str) -> None:
        """That one is gone; dice that have fallen for it are kept."""
        throw = self.waiting.pop(id, None)
        if throw is not None and throw.fell:
            self.taken_back = [*self.taken_back, throw][-KEPT:]

    def stop(self) -> None:
        """Asks for no more dice: they are rolled here from now on, but for those that have fallen."""
        fell = next((one for one in self.waiting.values() if one.fell), None)
        if fell is not None:
            words = "type the others first, or take it back"
            raise TableRefError(f"dice have fallen for what {fell.by} does: {words}")
        self.waiting.clear()

    def aside(self) -> Throws:
        """As they are now, whatever is done here from now on."""
        return Throws(dict(self.waiting), list(self.taken_back))

    def drop(self, id: str) -> None:
        """That one is gone."""
        self.waiting.pop(id, None)

    def went_on(self, events: Sequence[Event]) -> None:
        """The game went on: what dice were asked for was asked of another position."""
        if events and events[0].kind not in ASIDE:
            for id in list(self.waiting):
                self.take_back(id)


def acted(event: Event) -> Act:
    """The deed of an action in the log, to be asked for once more."""
    said = {name: value for name, value in event.data["data"].items() if name != RULED_BY}
    return Act(
        type="act", key=secrets.token_hex(8), kind=event.data["kind"], player=event.data["player"], data=said,
        dice=None,
    )  # fmt: skip


def alike(deed: Act | Option, other: Act) -> bool:
    """Whether it is the same deed, however its move is measured and whatever is ruled of it by now."""
    loose = (RULED, RULED_BY, *(n for n, v in other.data.items() if isinstance(v, Mapping)))
    same = all(other.data[n] == v for n, v in deed.data.items() if n in other.data and n not in loose)
    return same and deed.kind == other.kind and deed.player in (None, other.player)


def to_retype(match: Match[Any]) -> Act | None:
    """The deed that was taken back as a die of it was typed wrong; None where none was.

    A secret choice is none: what was chosen lies there again, and is revealed by whoever asks for it.
    """
    first = None if match.retyping is None else match.retyping.events[0]
    if first is None or first.kind != "action" or first.data["kind"] in match.game.about.sealed:
        return None
    return acted(first)


def comes_first(who: Identity, deed: Act | Option, throws: Throws, retyping: Batch[Any] | None) -> str:
    """Why a player may not do a deed yet, for people; empty where they may.

    Dice have fallen for what they do, or those of what was taken back for that are to be typed anew.
    """
    if who.device.startswith(MACHINE):
        return ""
    fell = throws.held(who)
    if fell is not None and not (isinstance(fell.request, Act) and alike(deed, fell.request)):
        return f"dice have fallen for what you do: type the others first, or {OWNER} takes it back"
    first = None if retyping is None else retyping.events[0]
    if (
        retyping is not None
        and first is not None
        and first.kind == "action"
        and not alike(deed, acted(first))
    ):
        return f"the dice of {retyping.words} are to be typed anew first, or {OWNER} does something else"
    return ""
