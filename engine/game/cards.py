"""Decks and hands: nobody knows the order of a pile, for a card is drawn from it when it is drawn.

A die of as many sides as the pile has cards decides, from the logged seed or typed from a real deck, so no
hidden order lies in any record. What a hand holds is for its player: `drawn_event` tells others how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.errors import TableRefError
from engine.game.dice import Dice, Want
from engine.game.events import Event
from engine.game.showing import Cards, Viewer


@dataclass(frozen=True)
class Deck:
    """A pile that is drawn from, what was discarded, and the players' hands."""

    pile: tuple[str, ...]
    discarded: tuple[str, ...] = ()
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def hand(self, player: str) -> tuple[str, ...]:
        """What a player holds."""
        return tuple(self.hands.get(player, ()))

    def draw(self, player: str, dice: Dice, count: int = 1) -> tuple[Deck, tuple[str, ...]]:
        """The deck after a player has drawn, and the cards; an empty pile is the discarded ones again."""
        deck, drawn = self, []
        for _ in range(count):
            if not deck.pile:
                deck = replace(deck, pile=tuple(sorted(deck.discarded)), discarded=())
            if not deck.pile:
                raise TableRefError(f"{player} cannot draw: every card is in somebody's hand")
            card = _drawn(deck.pile, player, dice)
            drawn.append(card)
            hands = {**deck.hands, player: (*deck.hand(player), card)}
            deck = replace(deck, pile=_without(deck.pile, card), hands=hands)
        return deck, tuple(drawn)

    def discard(self, player: str, card: str) -> Deck:
        """The deck after a player has discarded or played a card; a clear error for one not in the hand."""
        if card not in self.hand(player):
            holds = ", ".join(self.hand(player)) or "nothing"
            raise TableRefError(f"{player} does not hold {card!r}; expected one of {holds}")
        hands = {**self.hands, player: _without(self.hand(player), card)}
        return replace(self, hands=hands, discarded=(*self.discarded, card))

    def shown(self, player: str, viewer: Viewer, words: str = "Hand") -> Cards:
        """A hand for a sheet: faces for its player, their number for everybody else."""
        hand = self.hand(player)
        return (
            Cards(words=words, cards=hand)
            if viewer.player == player
            else Cards(words=words, hidden=len(hand))
        )


def drawn_event(player: str, cards: Sequence[str], citation: str) -> Event:
    """That a player has drawn: which cards, for the player alone. It is not undone by players."""
    many = f"{len(cards)} card{'s' * (len(cards) != 1)}"
    return Event(
        "drawn", {"player": player, "cards": list(cards)}, f"{player} draws {', '.join(cards)}", citation,
        audience=(player,), public=f"{player} draws {many}", barrier=True,
    )  # fmt: skip


def _drawn(pile: tuple[str, ...], player: str, dice: Dice) -> str:
    if len(pile) == 1:
        return pile[0]
    (roll,) = dice.together([Want(len(pile), "draw a card", pile, player)])
    return pile[roll.value - 1]


def _without(cards: Sequence[str], card: str) -> tuple[str, ...]:
    place = list(cards).index(card)
    return (*cards[:place], *cards[place + 1 :])
