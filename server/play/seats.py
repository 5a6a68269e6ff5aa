"""Which player each phone belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.errors import NotAllowed, TableRefError
from engine.space.table import key_of
from server.web.authentication import Identity

MACHINE = "machine:"
"""With what the device of a player begins who is no person."""


class NotYours(NotAllowed):
    """Somebody asks for what their role or seat does not allow."""


class Seats:
    """The devices of the players, each of one player at most; read without waiting for a change."""

    def __init__(self) -> None:
        self._devices: dict[str, str] = {}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._devices.items())

    def aside(self) -> Seats:
        """As they are now."""
        other = Seats()
        other._devices = self._devices
        return other

    @property
    def taken(self) -> frozenset[str]:
        """The players whose seat some device has."""
        return frozenset(self._devices)

    def at_a_phone(self, player: str) -> bool:
        """Whether a player is there with a device of their own: a person, who can be asked on it."""
        device = self._devices.get(player)
        return device is not None and not device.startswith(MACHINE)

    def player_of(self, who: Identity) -> str | None:
        """Whose device this is."""
        return next((p for p, device in self._devices.items() if device == who.device and device), None)

    def changes(
        self, who: Identity, wanted: str | None, players: Sequence[str]
    ) -> list[tuple[str, str | None]]:
        """Which seats change when somebody sits down as a player, or stands up (None)."""
        if not who.device:
            raise NotYours("this machine is the owner's and acts for everybody; a seat is for a phone")
        now = self.player_of(who)
        if wanted is None:
            return [] if now is None else [(now, None)]
        player = next((p for p in players if key_of(p) == key_of(wanted)), None)
        if player is None:
            known = ", ".join(players) or "nobody yet"
            raise TableRefError(f"no player called {wanted!r}; there are: {known}")
        if self._devices.get(player, who.device) != who.device:
            raise NotYours(f"another phone is {player}'s already; the owner can free the seat")
        left: list[tuple[str, str | None]] = [] if now in (None, player) else [(str(now), None)]
        return [*left, (player, who.device)]

    def put(self, player: str, device: str | None) -> None:
        """Gives a seat to a device, or frees it."""
        others = {name: had for name, had in self._devices.items() if name != player}
        self._devices = others if device is None else {**others, player: device}
