"""Whether a game is fair: machines play it against one another, and what each side had is counted.

Set-ups are dealt: of what is varied each side has another value, everything else is as usual, and every deal
is played once with each side in each seat.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import NormalDist
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game.contract import Game
from engine.game.filling import Stuck, complete
from engine.game.forms import Flag, Form, Input, Pick

Where = Literal["seat", "game", "pieces"]

SEAT = "seat"
"""What is said to count who begins, and nothing else."""

ASKED = 20
"""Times that a set-up is asked at the most until nothing new is."""


@dataclass(frozen=True)
class Varied:
    """What is varied: a field of the set-up, of each piece or of the game, or the seat; with its values."""

    where: Where
    field: str
    words: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Deal:
    """A game to be played: its set-up, and by varied field what each player has."""

    setup: Mapping[str, Any]
    held: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Ended:
    """What came of a deal: who won, None for nobody."""

    deal: Deal
    winner: str | None


@dataclass(frozen=True)
class Row:
    """How often the side with a value won, of the games in which another side had another value.

    `low` and `high` hold its share with 95 %; `fair` is what it would be if nothing mattered. `verdict` says
    whether it is sure, all rows looked at together; `needed` is the number of games that it would take.
    """

    field: str
    value: str
    games: int
    won: int
    share: float
    low: float
    high: float
    fair: float
    verdict: str
    needed: int | None


def what_to_vary(
    game: Game[Any], players: Sequence[str], pieces: Sequence[Mapping[str, str]], said: Iterable[str]
) -> tuple[Varied, ...]:
    """What `field` or `field=one|other` means in this game; `seat` is nobody's field."""
    so_far = settled(game, {"players": list(players), "pieces": [dict(p) for p in pieces]})
    form = game.setup(so_far)
    piece = form.pieces.get(str(pieces[0]["name"]), Form())
    found = []
    for one in said:
        name, _, listed = one.partition("=")
        name = name.strip()
        if name == SEAT:
            found.append(Varied("seat", SEAT, "Seat", tuple(players)))
            continue
        where: Where = "pieces" if name in piece.fields else "game"
        field = piece.fields.get(name) or form.game.fields.get(name)
        if field is None:
            known = ", ".join([SEAT, *piece.fields, *form.game.fields])
            raise TableRefError(f"--vary: {game.about.title} asks for no {name!r}; expected one of {known}")
        values = tuple(_value(field, text.strip()) for text in listed.split("|")) if listed else _all(field)
        if len(values) < 2:
            raise TableRefError(f"--vary {name}: expected two values at least, as in {name}=one|other")
        found.append(Varied(where, name, field.words, values))
    return tuple(found)


def _all(field: Input) -> tuple[Any, ...]:
    if isinstance(field, Pick) and field.most == 1:
        return tuple(c.value for c in field.candidates if not c.not_now)
    return (False, True) if isinstance(field, Flag) else ()


def _value(field: Input, text: str) -> Any:
    if isinstance(field, Pick):
        known = {str(c.value).casefold(): c.value for c in field.candidates}
        if text.casefold() not in known:
            listed = ", ".join(map(str, known.values()))
            raise TableRefError(f"--vary: {field.words} is not {text!r}; expected one of {listed}")
        return known[text.casefold()]
    if isinstance(field, Flag):
        if text.casefold() not in ("yes", "no"):
            raise TableRefError(f"--vary: {field.words} is yes or no, but got {text!r}")
        return text.casefold() == "yes"
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError as error:
        raise TableRefError(f"--vary: {field.words} is a number, but got {text!r}") from error


def settled(game: Game[Any], so_far: dict[str, Any]) -> dict[str, Any]:
    """The set-up with everything answered as usual that is not said yet."""
    for _ in range(ASKED):
        form = game.setup(so_far)
        new = False
        for given, fields in [
            (so_far, form.game.fields),
            *((p, form.pieces.get(p["name"], Form()).fields) for p in so_far["pieces"]),
        ]:
            missing = [n for n, f in fields.items() if not f.optional and f.usual is None and n not in given]
            answers = complete(Form({name: fields[name] for name in missing}))
            given.update(answers)
            new = new or bool(answers)
        if not new:
            if form.not_yet:
                raise Stuck(form.not_yet[0].words)
            return so_far
    raise Stuck("the set-up asks without end")


def deals(
    game: Game[Any],
    players: Sequence[str],
    pieces: Sequence[Mapping[str, str]],
    varied: Sequence[Varied],
    games: int,
    seed: str = "",
) -> list[Deal]:
    """So many deals; each so often in a row as there are players, what they have handed on by one seat."""
    chance, found, refused = Random(seed), list[Deal](), 0
    decks: dict[str, list[Any]] = {}
    many = len(players)
    while len(found) < games:
        hands = {v.field: [_next(decks, v, chance) for _ in range(1 if v.where == "game" else many)]
                 for v in varied if v.where != "seat"}  # fmt: skip
        try:
            found += [_deal(game, players, pieces, varied, hands, turn) for turn in range(many)]
        except TableRefError as error:
            refused += 1
            if refused > games + 20:
                raise TableRefError(f"{game.about.title}: no such set-up can be begun ({error})") from error
    return found[:games]


def _next(decks: dict[str, list[Any]], varied: Varied, chance: Random) -> Any:
    """The next value of a shuffled deck of them, so that each is dealt about as often."""
    deck = decks.setdefault(varied.field, [])
    if not deck:
        deck += varied.values
        chance.shuffle(deck)
    return deck.pop()


def _deal(
    game: Game[Any],
    players: Sequence[str],
    pieces: Sequence[Mapping[str, str]],
    varied: Sequence[Varied],
    hands: Mapping[str, Sequence[Any]],
    turn: int,
) -> Deal:
    so_far: dict[str, Any] = {"players": list(players), "pieces": [dict(p) for p in pieces]}
    held: dict[str, dict[str, Any]] = {}
    for one in varied:
        if one.where == "seat":
            held[one.field] = {player: player for player in players}
            continue
        dealt = hands[one.field]
        mine = {p: dealt[(k + turn) % len(dealt)] for k, p in enumerate(players)}
        if one.where == "game":
            so_far[one.field] = dealt[0]
        for piece in so_far["pieces"] if one.where == "pieces" else ():
            piece[one.field] = mine[piece["owner"]]
        held[one.field] = mine
    setup = settled(game, so_far)
    game.begin(setup)
    return Deal(setup, held)


def counted(varied: Sequence[Varied], ended: Sequence[Ended], players: Sequence[str]) -> list[Row]:
    """A row for every value of what was varied, the strongest of each first.

    Of a rule of the whole game is counted how often whoever sits first wins under it.
    """
    done = [e for e in ended if e.winner is not None]
    looks = sum(len(one.values) for one in varied)
    fair, rows = 1.0 / len(players), list[Row]()
    for one in varied:
        found = []
        for value in one.values:
            met = [
                (player == e.winner)
                for e in done
                for player, mine in e.deal.held[one.field].items()
                if mine == value and _counts(one, e, player, players)
            ]
            found.append(_row(one, value, len(met), sum(met), fair, deviations(looks)))
        rows += sorted(found, key=lambda row: -row.share) if one.where == "pieces" else found
    return rows


def _counts(one: Varied, ended: Ended, player: str, players: Sequence[str]) -> bool:
    if one.where == "game":
        return player == players[0]
    return len({repr(v) for v in ended.deal.held[one.field].values()}) > 1


def _row(one: Varied, value: Any, games: int, won: int, fair: float, sure: float) -> Row:
    share = won / games if games else 0.0
    low, high = interval_of(won, games)
    least, most = interval_of(won, games, sure)
    verdict = "too strong" if least > fair else "too weak" if most < fair else "nothing sure"
    if one.where == "game":
        verdict = {"too strong": "favours the first", "too weak": "favours the last"}.get(verdict, verdict)
    needed = games_to_be_sure(share, fair, sure) if games else None
    words = {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    return Row(one.words, words, games, won, share, low, high, fair, verdict, needed)


# How sure a share is that was counted in so many games

SURE = 1.96
"""Standard deviations on either side that hold 95 of 100."""


def deviations(looks: int) -> float:
    """Standard deviations that hold 95 of 100 where so many shares are looked at at once (Bonferroni).

    >>> round(deviations(1), 2), round(deviations(10), 2)
    (1.96, 2.81)
    """
    return NormalDist().inv_cdf(1.0 - 0.025 / max(looks, 1))


def interval_of(won: int, games: int, sure: float = SURE) -> tuple[float, float]:
    """The share that lies behind `won` of `games` (Wilson's interval), 95 % unless `sure` says otherwise.

    >>> [round(end, 2) for end in interval_of(7, 12)]
    [0.32, 0.81]
    >>> interval_of(0, 0)
    (0.0, 1.0)
    """
    if games == 0:
        return 0.0, 1.0
    share, square = won / games, sure**2 / games
    middle = (share + square / 2.0) / (1.0 + square)
    half = math.sqrt(share * (1.0 - share) * square + square**2 / 4.0) / (1.0 + square)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def games_to_be_sure(share: float, against: float, sure: float = SURE) -> int | None:
    """How many games it takes until so big a difference from another share is sure; None where there is none.

    >>> games_to_be_sure(0.6, 0.5)
    97
    """
    apart = abs(share - against)
    if apart < 1e-3:
        return None
    spread = max(against * (1.0 - against), share * (1.0 - share))
    return math.ceil(spread * (sure / apart) ** 2)
