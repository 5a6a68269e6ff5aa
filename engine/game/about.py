"""What a game is, in a module that is quickly read: a list of games imports no rules.

A game's folder may have a module `about` with its constant `ABOUT`; else the game itself is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class About:
    """What a game is. `id` is its folder's name, `book` how it is cited, `sections` those of the book.

    `players` are the fewest and the most, `boards` the kinds of board that it can be played on. `vehicles`
    names its kind of piece that players own ("car").
    `measuring` "after declaring" forbids every distance before a target is declared. `words` are the
    game's own, which stand nowhere outside its folder, its tests, samples and docs page. `sealed` are the
    kinds of action that players choose in secret and that are revealed together. `usual`: where a table
    names no game, this one is meant. `sheets_per_page`: how many of its record sheets are printed on a page.
    `cutouts`: its module `maps` makes counters to cut out. `lays`: it says how maps of one's own are laid.

    For whoever chooses a game, in our own words: `what` is done in it, how long it `lasts`, how hard it is
    (`level`), what has to be printed (`prints`), who made it (`maker`), where its book is to be had
    (`found`), with a `link`. `hints` are for a first game without the book: by kind of action a sentence.
    """

    id: str
    title: str
    book: str
    version: str
    sections: tuple[str, ...] = ()
    players: tuple[int, int] = (2, 12)
    boards: tuple[str, ...] = ("free",)
    kinds: tuple[str, ...] = ("car", "terrain", "token")
    vehicles: str = "car"
    measuring: Literal["always", "after declaring"] = "always"
    words: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    usual: bool = False
    sheets_per_page: int = 6
    cutouts: bool = False
    lays: bool = False
    what: str = ""
    lasts: str = ""
    level: str = ""
    prints: str = ""
    maker: str = ""
    found: str = ""
    link: str = ""
    hints: tuple[tuple[str, str], ...] = ()


def house(what: str) -> str:
    """The citation of something that a rule book leaves open.

    >>> house("Victory")
    'house default · Victory'
    """
    return f"house default · {what}"


def citing(book: str) -> Callable[..., str]:
    """Cites a book by its places, from the chapter on.

    >>> cite = citing("A Book 1.0")
    >>> cite("Moving", "Turns"), cite()
    ('A Book 1.0 · Moving · Turns', 'A Book 1.0')
    """
    return lambda *places: " · ".join((book, *places))


SEEN = house("What the camera saw counts")
"""Where every game's book leaves open who says how a piece was moved."""
