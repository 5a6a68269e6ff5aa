"""Cards as they are played: which sides a form offers, which were picked, and where they go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from engine.errors import TableRefError
from engine.game.events import Action, JsonObject
from engine.games.frothy_races.book.data import FACES, SPECIALS, Use, cite
from engine.games.frothy_races.state import Card, Play, Vehicle

CARDS = cite("Whip & Reins Overview")
AS = " as "


class Played(NamedTuple):
    """Cards that were picked: each with the side that counts, and the special ones among them."""

    cards: tuple[tuple[Card, str], ...]
    specials: tuple[str, ...]

    def count(self, face: str) -> int:
        """How many count as Whip or Reins."""
        return sum(shown == face for _, shown in self.cards)

    def bonus(self, use: Use) -> int:
        """What the special cards among them add for a use."""
        return sum(SPECIALS[name].amount for name in self.specials if SPECIALS[name].use == use)


def values(
    v: Vehicle, faces: Iterable[str] = FACES, use: Sequence[Use] = ()
) -> tuple[tuple[str, str, str], ...]:
    """What may be picked from a hand: value, name, words of sides that count and of specials for a use."""
    found = []
    for card in v.hand():
        sides = [face for face in faces if card.shows(face) or lent(v, card, face, use)]
        special = card.special if card.special and SPECIALS[card.special].use in use else ""
        for face in sides:
            alone = len(card.faces) == 1 and not special and face in card.faces
            said = card.name if alone else f"{card.name}{AS}{face}"
            found.append((said, said, ""))
        if special and SPECIALS[special].face in faces:
            found.append((f"{card.name}{AS}{special}", card.name, SPECIALS[special].told))
    return tuple(found)


def plain(v: Vehicle, face: str) -> tuple[str, ...]:
    """The cards of a hand that are this and nothing else: whichever of them is played, it is the same."""
    return tuple(card.name for card in v.hand() if card.faces == (face,) and not card.special)


def lent(v: Vehicle, card: Card, face: str, use: Sequence[Use]) -> bool:
    """Whether a Reins card counts as Whip: in a Speed check and for a space more, with Encouragement."""
    may = face == "whip" and card.shows("reins") and not card.shows("whip")
    return may and bool(v.trait("Encouragement")) and bool({"accelerate", "move"} & set(use))


def picked(v: Vehicle, said: Mapping[str, Any], faces: Sequence[str] = FACES) -> Played:
    """The cards that an action names; an error for one that is named twice or not in the hand."""
    names = said.get("cards") or ()
    cards: list[tuple[Card, str]] = []
    specials: list[str] = []
    for value in [names] if isinstance(names, str) else names:
        name, _, shown = str(value).partition(AS)
        card = next((c for c in v.hand() if c.name == name), None)
        if card is None:
            raise TableRefError(f"{v.name} has no card {name!r} in its hand")
        if any(c.name == name for c, _ in cards):
            raise TableRefError(f"{name} can be played with one side only")
        if shown in SPECIALS:
            specials.append(shown)
            shown = SPECIALS[shown].face
        cards.append((card, shown or next((f for f in card.faces if f in faces), faces[0])))
    return Played(tuple(cards), tuple(specials))


def play_cards(play: Play, name: str, played: Played, why: str) -> None:
    """They go to the Spent box, or are discarded, which is told."""
    if not played.cards:
        return
    gone = [c.name for c, _ in played.cards if c.special in played.specials and SPECIALS[c.special].discarded]
    spent = [c.name for c, _ in played.cards if c.name not in gone]
    shown = ", ".join(f"{c.name}{f' ({face})' if len(c.faces) > 1 else ''}" for c, face in played.cards)
    words = f"{name} plays {shown}: {why}"
    if gone:
        words += f"; {' and '.join(gone)} {'is' if len(gone) == 1 else 'are'} discarded"
    play.tell("cards", words, CARDS, vehicle=name, spent=spent, gone=gone)


def special_played(play: Play, name: str, special: str) -> None:
    """One special card is played for what it does."""
    card = next(c for c in play.vehicle(name).hand() if c.special == special)
    play_cards(play, name, Played(((card, SPECIALS[special].face),), (special,)), SPECIALS[special].words)


# Cards that are swapped

TRAITS = cite("Traits", "Card Recovery")
FOR = " for "


def swaps(v: Vehicle) -> tuple[tuple[str, str], ...]:
    """Each card of the hand with each card of the other type in the Spent and Recovery boxes."""
    away = [c for c in v.cards if c.where in ("spent", "recovery")]
    return tuple((h.name, a.name) for h in v.hand() for a in away if not set(h.faces) & set(a.faces))


def swapped(v: Vehicle, said: JsonObject) -> list[tuple[str, str]]:
    """The cards that are swapped, each pair; an error where those may not be."""
    known = {FOR.join(pair): pair for pair in swaps(v)}
    pairs = [known[str(one)] for one in said.get("swap") or () if str(one) in known]
    names = [name for pair in pairs for name in pair]
    if len(pairs) > v.trait("Adaptive") or len(set(names)) < len(names):
        raise TableRefError(f"expected up to {v.trait('Adaptive')} swaps, and each card once")
    return pairs


def do_swap(play: Play, action: Action) -> None:
    """The cards change places, each of them once."""
    task = play.resolve()
    v = play.vehicle(task.vehicle)
    pairs = swapped(v, action.data)
    if pairs:
        words = f"{v.name} swaps {', '.join(FOR.join(pair) for pair in pairs)}"
        play.tell("adapted", words, TRAITS, vehicle=v.name, pairs=[list(pair) for pair in pairs])
