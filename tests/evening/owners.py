"""What owners do in the middle of a game: the set-up is changed, two pages act at once, pages lie open."""

from __future__ import annotations

import random
import re
from typing import Any

from calibration.table_text import without_block
from calibration.tablefile import parse_table
from tests.evening import acts, around
from tests.evening.checks import difference
from tests.evening.evening import Evening, act
from tests.evening.house import House, Violation
from tests.evening.table import Eyes

OWNERS = {"sets_up": 3, "two_owners": 3, "left_open": 3, "gives_up": 2, "looks_back": 2, "same_seat": 1}
"""What is done only where it is asked for, as an act's weight."""


@act(0)
def sets_up(evening: Evening, chance: random.Random) -> str:
    """The set-up of the table is changed, as where a height is measured: the game goes on in its record."""
    at, hands = evening.at, evening.at.hands
    before = None if at.recorder.game is None else at.game_id
    playing = at.served.match.match is not None
    what = chance.choice(["height", "height", "words", "dropped", "back"])
    text = _changed(evening, chance, what)
    at.tick(chance.choice([0, 1]))
    hands.text = text
    at.live.refer(Eyes(hands, parse_table(text, "the table of the evening")))
    at.tick(chance.choice([2, 3, 6]))  # the first picture is one that was waited for before
    if chance.random() < 0.5:
        what += "; " + acts.offer(evening, chance)[:80]
    if playing and at.game_id != before:
        raise Violation("a match goes on in another record", f"{before}, {at.game_id}")
    return what


def _changed(evening: Evening, chance: random.Random, what: str) -> str:
    """The text of the table file, changed."""
    hands = evening.at.hands
    if what == "words":
        return f"{hands.text}# looked at {evening.events}\n"
    if what == "dropped":
        table = parse_table(hands.text, "the table of the evening")
        gone = [n for n, p in enumerate(table.pieces) if p.name not in hands.poses and p.spot is None]
        return without_block(hands.text, ("piece", gone[-1])) if gone else hands.text
    if what == "back":
        return evening.scene.to_toml()
    heights = [*re.finditer(r"(?m)^tag_height_in = ([\d.]+)", hands.text)]
    if not heights:
        return hands.text
    one = chance.choice(heights)
    high = max(0.1, float(one[1]) + chance.choice([-0.1, 0.1]))
    return f"{hands.text[: one.start(1)]}{high:.2f}{hands.text[one.end(1) :]}"


# Two pages of the owner


@act(0)
def two_owners(evening: Evening, chance: random.Random) -> str:
    """The owner has two pages open, and taps the same on both at once: it is done once."""
    what = chance.choice(["undo", "undo", "redo", "agree", "anew", "dispute"])
    shown = evening.at.shown(House.owner)["match"]
    if shown is None:
        return "no match"
    if what == "agree":
        return _agreed_twice(evening, shown, chance)
    if what == "dispute":
        return _disputed_twice(evening, chance)
    match = evening.at.served.match.match
    assert match is not None
    if what == "anew":
        return _ended_twice(evening, shown["newest"], chance)
    first, second = (evening.send(House.owner, type=what, newest=shown["newest"])["accepted"] for _ in "12")
    if first and second:
        raise Violation("what was meant once is done twice", what)
    return f"{what} {first}, {second}"


def _agreed_twice(evening: Evening, shown: dict[str, Any], chance: random.Random) -> str:
    """One page agrees to what is proposed, and the other does as well, or does not."""
    if not shown["proposals"]:
        return "nothing is proposed"
    id, match = chance.choice(shown["proposals"])["id"], evening.at.served.match.match
    assert match is not None
    before = match.count
    said = [
        evening.send(House.owner, type="agree", proposal=id, agrees=chance.random() < 0.7)["accepted"]
        for _ in "12"
    ]
    if all(said) and id not in evening.at.served.match.proposals.waiting and match.count - before > 1:
        raise Violation("what was proposed is done twice", id)
    return f"{said}"


def _disputed_twice(evening: Evening, chance: random.Random) -> str:
    """One page lets a dispute go and opens another one; the other one still means the first."""
    at = evening.at
    offered = at.disputable()
    if not offered:
        return "nothing to dispute"
    first, second = (chance.choice(offered)["key"] for _ in "12")
    opened = at.post(House.owner, "/api/disputes", {"key": first})
    if opened.status_code != 200:
        return f"not opened: {opened.text[:80]}"
    at.post(House.owner, "/api/disputes/now/release", {"dispute": opened.json()["id"]})
    after = at.post(evening.somebody(chance), "/api/disputes", {"key": second})
    if after.status_code != 200:
        return f"not opened again: {after.text[:80]}"
    late = [
        at.post(House.owner, f"/api/disputes/now/{step}", {"dispute": opened.json()["id"], **body})
        for step, body in (("propose", {"outcome": "yes"}), ("about", {"key": first}), ("release", {}))
    ]
    now = at.get(House.owner, "/api/disputes/now").json()
    if any(one.status_code != 409 for one in late) or now["version"] != after.json()["version"]:
        raise Violation("a dispute is settled that was not shown", f"{[one.text[:80] for one in late]}")
    at.post(House.owner, "/api/disputes/now/release", {"dispute": after.json()["id"]})
    return "each by its own name"


def _ended_twice(evening: Evening, newest: int, chance: random.Random) -> str:
    """One page ends the game and begins the next; the other one has tapped the same before."""
    if chance.random() < 0.7:
        return "thinks of ending it"
    at = evening.at
    old, was, when = at.game_id, at.shown(at.spectator)["match"], at.recorder.now_s
    at.tick()
    around.another_begins(evening, chance)
    evening.ended.append(old)
    evening.were[old] = (was, when)
    match = at.served.match.match
    if evening.send(House.owner, type="anew", newest=newest)["accepted"] and match is not None:
        newest_now = match.counted[-1].number
        if newest_now != newest:
            raise Violation("a game is ended by what was tapped before it", f"{newest}, {newest_now}")
        evening.begin(chance)
    evening.killed = False
    return f"{old} ended once"


# Pages that lie open, and phones that say the same again


@act(0)
def left_open(evening: Evening, chance: random.Random) -> str:
    """A phone tells an old request again: as it was it is done once; with its key nothing else is done."""
    if not evening.sent:
        return "nothing was asked yet"
    one = chance.choice(evening.sent)
    who, old, same_run = one.who, one.message, one.at is evening.at
    what = chance.choice(["again", "again", "other", "tapped", "tapped"])
    match = evening.at.served.match.match
    before = None if match is None else (match.count, len(match.log))
    game = evening.at.recorder.game
    known = same_run or (game is not None and one.game == game.id)
    if what == "tapped" and old["type"] not in ("setup", "begin", "anew"):
        # A page that was never drawn anew: what it offers is asked by a new key, by all the rules.
        message = {name: value for name, value in old.items() if name != "key"}
        return f"{who.role} {message['type']} once more: {evening.send(who, **message)['accepted']}"
    if not one.accepted or not known:
        return "it was refused, or the record of another game has it"
    message = dict(old)
    if what == "other":
        others = [other.message for other in evening.sent if other.message["type"] != old["type"]]
        if not others or not same_run:
            return "nothing else was asked"  # of what was asked before a restart the record has the key alone
        message = {**chance.choice(others), "key": old["key"]}
    answer = evening.told_again(who, message)
    match = evening.at.served.match.match
    now = None if match is None else (match.count, len(match.log))
    if now != before:
        raise Violation("what is told again is done again", f"{message}")
    if what == "other" and answer["accepted"]:
        raise Violation("what was never done is said to be done", f"{message}")
    return f"{who.role} {message['type']} told {what}: {answer['accepted']}"


@act(0)
def same_seat(evening: Evening, chance: random.Random) -> str:
    """Another phone comes in under the name of somebody who is there, written otherwise: it has no seat."""
    at, seats = evening.at, evening.at.served.match.seats
    player, new = chance.choice(list(at.phones)), around.another(evening)
    written = chance.choice(
        [player, player.upper(), f" {player} ", player.lower(), f"{player[:1]} {player[1:]}"]
    )
    taken, owner = dict(seats), seats.player_of(at.phones[player])
    answer = evening.send(new, type="sit", player=written)
    if owner == player and (answer["accepted"] or dict(seats) != taken):
        raise Violation("a seat is taken from somebody", f"{written!r}: {taken}, {dict(seats)}")
    if answer["accepted"]:
        evening.send(new, type="sit", player=None)
        evening.send(at.phones[player], type="sit", player=player)
    return f"{written!r} {answer['accepted']}"


# Games


@act(0)
def gives_up(evening: Evening, chance: random.Random) -> str:
    """A player gives up, others play on or not, and it is taken back: the match stands as it did."""
    at, match = evening.at, evening.at.served.match.match
    if match is None or evening.over():
        return "nothing to play"
    player, who = chance.choice(list(at.phones.items()))
    seat = at.served.match.player_of(who)
    before, counted = match.game.as_json(match.state), len(match.counted)
    at.tick()
    if not evening.send(who, type="concede", player=seat)["accepted"]:
        return f"{player} may not"
    done = [acts.offer(evening, chance)[:60] for _ in range(chance.choice([0, 0, 1, 2]))]
    at.tick(chance.choice([0, 1, 3]))
    forth = chance.random() < 0.3
    for _ in range(40):
        if len(match.counted) <= counted:
            break
        if not evening.send(House.owner, type="undo")["accepted"]:
            return f"{player}; {done}; not taken back"
    if len(match.counted) == counted and match.game.as_json(match.state) != before:
        words = difference(match.game.as_json(match.state), before)
        raise Violation("what was given up is not taken back", f"{player}: {words}")
    if forth:
        evening.send(House.owner, type="redo")
        evening.send(House.owner, type="undo")
    return f"{player} gives up; {done}; taken back"


@act(0)
def looks_back(evening: Evening, chance: random.Random) -> str:
    """While a game is played somebody looks at one that is over: it shows what it showed at its end."""
    over = [id for id in evening.ended if id in evening.were]
    if not over:
        return "none is over"
    old = chance.choice(over)
    was, when = evening.were[old]
    around.holds(evening, old, was, when)
    return f"{old} is as it was"
