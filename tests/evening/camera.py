"""What happens to the camera of an evening: it is bumped, the light goes, and everything is read anew."""

from __future__ import annotations

import random
from collections.abc import Iterable

from calibration.watching.going_on import Contradiction
from engine.motion.moves import Move
from tests.evening import acts
from tests.evening.evening import Evening, act
from tests.evening.house import House, Violation
from tests.evening.table import Eyes

CAMERA = {"bump": 4, "light": 2, "contradiction": 2}
"""What is done only where it is asked for, as an act's weight."""


@act(0)
def bump(evening: Evening, chance: random.Random) -> str:
    """The camera is bumped: between two moves, while a piece is pushed or placed, or during a dispute."""
    when = chance.choice(["rests", "rests", "pushed", "pushed", "disputed"])
    if when == "pushed":
        return _while_pushed(evening, chance)
    if when == "disputed":
        return _while_disputed(evening, chance)
    return _nothing_is_lost(evening, chance, elsewhere=True)


@act(0)
def light(evening: Evening, chance: random.Random) -> str:
    """A lamp is switched on or off: nothing is read for a moment, and then a little otherwise."""
    return _nothing_is_lost(evening, chance, elsewhere=False)


@act(0)
def contradiction(evening: Evening, chance: random.Random) -> str:
    """What is stated cannot all be true: nothing is ruled until the owner goes on, or settles it."""
    at, hands, path = evening.at, evening.at.hands, "/api/contradiction"
    if hands.contradicted is None:
        hands.contradicted = Contradiction(hands.time, chance.choice([1.5, 3.0, 8.0]), None, 0.0)
        at.tick(chance.choice([1, 3]))
        done = chance.choice([acts.offer, acts.drive, acts.says, acts.back])(evening, chance)
        if not hands.withheld:
            raise Violation("a contradiction is gone on with by nobody", done)
        return f"held; {done[:80]}"
    if chance.random() < 0.3 or not hands.withheld:
        hands.contradicted = None
        at.tick(chance.choice([1, 3]))
        return "settled"
    who = chance.choice([*at.phones.values(), at.spectator])
    by_others, first, second = (at.post(one, path, {}) for one in (who, House.owner, House.owner))
    if by_others.status_code != 403 or (first.status_code, second.status_code) != (200, 409):
        words = [f"{one.status_code} {one.text[:120]}" for one in (by_others, first, second)]
        raise Violation("a contradiction is gone on with by anybody, or twice", "; ".join(words))
    at.tick(chance.choice([1, 3]))
    return "gone on"


def _unread(evening: Evening, chance: random.Random, *, elsewhere: bool) -> None:
    """Nothing is read in some pictures; from the next on everything is, by the camera as it hangs now."""
    at, hands = evening.at, evening.at.hands
    covered = set(hands.covered)
    hands.covered |= hands.poses.keys()
    at.tick(chance.randint(1, 4))
    hands.covered -= hands.poses.keys() - covered
    eyes = at.live._referee
    assert isinstance(eyes, Eyes)
    eyes.looks_anew(elsewhere=elsewhere)


def _with_parts(moves: Iterable[Move]) -> set[str]:
    """Give the moves by id, with those that they went on from, as where the camera ended one."""
    found = set()
    for one in moves:
        part: Move | None = one
        while part is not None:
            found.add(part.id)
            part = part.earlier
    return found


def _nothing_is_lost(evening: Evening, chance: random.Random, *, elsewhere: bool) -> str:
    """Hands do nothing meanwhile: what lay there to be taken lies there still."""
    at = evening.at
    if chance.random() < 0.7:
        _pushed_first(evening, chance)
    before = _with_parts(at.served.match.seeing.moves().values())
    _unread(evening, chance, elsewhere=elsewhere)
    at.tick(chance.choice([1, 3, 6]))
    if lost := before - _with_parts(at.served.match.seeing.moves().values()):
        raise Violation("a move that was measured is lost", ", ".join(sorted(lost)))
    return f"{'bumped' if elsewhere else 'another light'}; {len(before)} moves lie there"


def _awaited(evening: Evening) -> list[str]:
    """Give the pieces that are to be moved, of those on the table."""
    match = evening.at.served.match.match
    awaited = [] if match is None else [a.piece for a in match.game.awaits(match.state)]
    return [name for name in awaited if name in evening.at.hands.poses]


def _pushed_first(evening: Evening, chance: random.Random) -> None:
    """A piece is pushed from its place, and has rested for a moment or two."""
    hands = evening.at.hands
    evening.at.tick()  # what was shown before stays what was shown at that time
    evening.open(chance, acts.PLAYED_ON, secretly=not evening.secret)
    match, awaited = evening.at.served.match.match, _awaited(evening)
    if match is None or not awaited:
        return
    name = chance.choice(awaited)
    hands.covered.discard(name)
    if name in match.places:
        hands.poses[name] = match.places[name].pose
        evening.at.tick(6)
    spacing = getattr(hands.board, "spacing", None)
    far = chance.uniform(0.5, 6.0) if spacing is None else spacing
    acts.shove(evening, name, far, chance.choice([0.0, 0.0, 1.0]), rests=chance.choice([1, 2, 3, 5]))


def _while_pushed(evening: Evening, chance: random.Random) -> str:
    """A hand bumps it with the piece half-way: where that had to go, or ahead."""
    at, hands = evening.at, evening.at.hands
    cars = _awaited(evening) or evening.cars()
    if not cars:
        return "there is none"
    name = chance.choice(cars)
    start, far = hands.poses[name], chance.uniform(0.5, 6.0)
    turn = chance.choice([0.0, 0.0, 0.6, -0.6])
    hands.covered.discard(name)
    hands.moving.add(name)
    hands.poses[name] = hands.ahead(name, far / 2, 0.0)
    at.tick()
    _unread(evening, chance, elsewhere=True)
    if chance.random() < 0.8:
        hands.poses[name] = hands.ahead(name, far / 2, turn)
        at.tick()
    else:
        hands.poses[name] = start
    hands.moving.discard(name)
    at.tick(chance.choice([1, 6]))
    return f"{name} is pushed {far:.1f} in"


def _while_disputed(evening: Evening, chance: random.Random) -> str:
    """What is frozen stays as it was; it is looked at another instant, and decided or withdrawn."""
    at = evening.at
    offered = at.disputable()
    if not offered:
        return "nothing to dispute"
    opened = at.post(House.owner, "/api/disputes", {"key": chance.choice(offered)["key"]})
    if opened.status_code != 200:
        return f"not opened: {opened.text[:80]}"
    _unread(evening, chance, elsewhere=True)
    at.tick(chance.choice([1, 4]))
    said = [at.get(House.owner, "/api/disputes/now")]
    if said[0].json()["ruling"] != opened.json()["ruling"]:
        raise Violation("a dispute that is frozen is ruled otherwise", opened.json()["id"])
    if chance.random() < 0.5:
        instants = opened.json()["instants"]
        said.append(at.post(House.owner, "/api/disputes/now/about", {"at": chance.choice(instants)}))
    outcome = chance.choice(["yes", "no", None])
    said.append(at.post(House.owner, "/api/disputes/now/propose", {"outcome": outcome, "note": "bumped"}))
    said.append(at.post(House.owner, "/api/disputes/now/release", {}))
    if any(one.status_code >= 500 for one in said):
        words = "; ".join(f"{one.status_code} {one.text[:200]}" for one in said)
        raise Violation("a dispute fails", words)
    return f"disputed: {[one.status_code for one in said]}"
