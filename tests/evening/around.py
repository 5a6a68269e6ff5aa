"""What happens around a game: terrain is bumped, phones change hands, the disk is full, others begin."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
from websockets.sync.client import ClientConnection

from engine.game.dice import Roll, rolls_of
from engine.game.events import Event
from engine.game.filling import Stuck
from engine.space.geometry import Pose
from engine.space.table import ThingName
from server.recording.errors import StorageTrouble
from server.recording.library.games import GameWriter
from server.recording.spool import JournalFile
from server.web.authentication import Identity
from tests.evening import acts
from tests.evening.again import ruled_again
from tests.evening.checks import difference
from tests.evening.evening import Again, Evening, act
from tests.evening.house import House, Violation

AROUND = {
    "terrain": 3, "together": 3, "phones": 3, "next_game": 2, "disk": 2, "scrub": 2,
    "stuck": 4, "mistypes": 3, "thinks_again": 3,
}  # fmt: skip
"""What is done only where it is asked for, as an act's weight: it takes long, or ends a game half-way."""

FULL_FOR = (acts.offer, acts.drive, acts.back, acts.agree, acts.says, acts.stays)
"""What is done while the disk is full."""

ENDS_FULL = 0.3
"""How often another game begins while the disk is full."""

LATE_PICTURES = 6
"""So many pictures after others went on comes through what was stuck: too late."""

DEEDS_TYPED = 4
"""Deeds at the most until a die is typed."""

BUMP = 0.8
"""Inches by which terrain is bumped at the most."""


@act(0)
def terrain(evening: Evening, chance: random.Random) -> str:
    """What nobody drives is bumped, turned, taken off, put elsewhere or put back."""
    hands, at = evening.at.hands, evening.at
    names = [p.name for p in evening.scene.pieces if not p.driven]
    if not names:
        return "there is none"
    name = chance.choice(names)
    what = chance.choice(["bumped", "bumped", "turned", "off", "elsewhere", "back"])
    pose = hands.poses.get(name, evening.scene.start[name])
    if what == "off":
        hands.poses.pop(name, None)
    elif what == "back":
        hands.poses[name] = evening.scene.start[name]
    elif what == "elsewhere":
        hands.poses[name] = Pose(chance.uniform(6, 42), chance.uniform(6, 40), chance.uniform(-3, 3))
    elif what == "turned":
        hands.poses[name] = pose.compose(Pose(0.0, 0.0, chance.uniform(-1, 1)))
    else:
        off = Pose(chance.uniform(-BUMP, BUMP), chance.uniform(-BUMP, BUMP), chance.uniform(-0.1, 0.1))
        hands.poses[name] = pose.compose(off)
    at.tick(chance.choice([1, 6]))
    return f"{name} {what}"


@act(0)
def together(evening: Evening, chance: random.Random) -> str:
    """Two people push a piece each in the same second, or one pushes while another turns."""
    hands, cars = evening.at.hands, evening.cars()
    if len(cars) < 2:
        return "there are not two"
    match = evening.at.served.match.match
    awaited = [] if match is None else [a.piece for a in match.game.awaits(match.state) if a.piece in cars]
    one = chance.choice(awaited or cars)
    two = chance.choice([c for c in cars if c != one])
    spacing = getattr(hands.board, "spacing", None)
    fars = [chance.uniform(0.5, 6) if spacing is None else spacing * chance.choice([1, 2]) for _ in "12"]
    begun = {name: hands.poses[name] for name in (one, two)}
    late = chance.choice([0, 1, 2])
    for k in range(1, 4 + late):
        for name, far, since in zip((one, two), fars, (0, late), strict=True):
            part = min(max(k - since, 0), 3) / 3
            hands.poses[name] = begun[name].compose(Pose(far * part, 0.0))
            if 0.0 < part < 1.0:
                hands.moving.add(name)
            else:
                hands.moving.discard(name)
        evening.at.tick()
    hands.moving -= {one, two}
    evening.at.tick(chance.choice([1, 5]))
    return f"{one} {fars[0]:.1f} in and {two} {fars[1]:.1f} in"


@act(0)
def names(evening: Evening, chance: random.Random) -> str:
    """The owner says what a thing is that nobody had named, or that it was moved or taken off."""
    hands = evening.at.hands
    if not hands.unnamed.keys() - hands.named - set(hands.kept.values()):
        acts.unnamed(evening, chance)
    hands.found = True
    evening.at.tick(chance.choice([1, 6]))
    hands.found = False
    said = _named(evening, chance)
    evening.at.tick(2)
    return said


def _named(evening: Evening, chance: random.Random) -> str:
    at, hands = evening.at, evening.at.hands
    moment = at.live.moment
    things = [] if moment is None else [str(t.name) for t in moment.table.things]
    kept = [name for name, thing in hands.kept.items() if thing in hands.unnamed]
    fits = ["keep", "keep", "keep", "flat", "nothing"] if things else []
    fits += ["moved", "moved"] if things and hands.kept else []
    fits += ["carried", "carried", "gone", "off"] if kept else []
    what = chance.choice(fits if fits and chance.random() < 0.9 else ["keep", "flat", "moved", "off"])
    path, body = f"/api/things/{what}", dict[str, Any]()
    if what == "carried":
        # Nobody says so: the place is bare, and something lies elsewhere.
        return _carried(evening, chance, hands.kept[chance.choice(kept)])
    if what == "gone":
        name = chance.choice(kept)
        del hands.unnamed[hands.kept[name]]
        return f"{name} taken away"
    if what == "keep":
        evening.devices += 1
        called = chance.choice([f"Rock {evening.devices}", "Rock", "Red 1"])
        body = {"called": called, "height_in": chance.choice([0.5, 2.0, 6.0])}
    elif what in ("flat", "nothing"):
        path, body = "/api/things", {"what": what}
    else:
        body = {"piece": chance.choice(list(hands.kept) or ["Rock"])}
    if what != "off":
        body["name"] = chance.choice(things or ["Thing 0"])
    who = House.owner if chance.random() < 0.9 else chance.choice(list(at.phones.values()))
    answer = at.post(who, path, body)
    if who.role == "player" and answer.status_code < 400:
        raise Violation("a phone says what a thing is", f"{path} {body}")
    if answer.status_code >= 500:
        raise Violation("a thing cannot be named", f"{path} {body}: {answer.text[:300]}")
    return f"{path} {body} {answer.status_code} {answer.text[:120]}"


def _carried(evening: Evening, chance: random.Random, thing: ThingName) -> str:
    """A thing that was kept as terrain is carried a little farther."""
    hands = evening.at.hands
    outline, _ = hands.unnamed.pop(thing)
    evening.at.tick(2)
    by = np.array([chance.uniform(-9, 9), chance.uniform(-9, 9)])
    hands.unnamed[ThingName(f"Thing {len(hands.past.truths)}")] = (outline + by, hands.time)
    evening.at.tick(6)
    return f"{thing} is carried {by}"


# Phones


def another(evening: Evening) -> Identity:
    """A phone that nobody had before."""
    evening.devices += 1
    return Identity("player", f"{0xA000 + evening.devices:016x}")


@act(0)
def phones(evening: Evening, chance: random.Random) -> str:
    """A player comes back with another phone, two change places, or somebody hops to a free seat."""
    at = evening.at
    what = chance.choice(["leaves", "taken back", "another", "swap", "hops", "hops", "freed"])
    player = chance.choice(list(at.phones))
    who = at.phones[player]
    if what == "swap" and len(at.phones) > 1:
        other = chance.choice([p for p in at.phones if p != player])
        evening.send(who, type="sit", player=None)
        evening.send(at.phones[other], type="sit", player=player)
        evening.send(who, type="sit", player=other)
        at.phones[player], at.phones[other] = at.phones[other], who
        return f"{player} and {other} change places"
    if what == "hops" and len(at.phones) > 1:
        return _hops(evening, chance, player)
    if what == "leaves":
        at.client.cookies.clear()
        code = at.client.post("/api/leave", headers=at.headers(who)).status_code
        _gone(evening, who, player, code)
    elif what == "taken back":
        at.get(who, "/api/me")
        code = at.client.request("DELETE", f"/api/passes/{who.device}").status_code
        _gone(evening, who, player, code)
    elif what == "freed":
        evening.send(House.owner, type="free", player=player)
        evening.send(who, type="sit", player=player)
        return f"{player} freed, and back"
    else:
        evening.send(who, type="sit", player=None)
    at.phones[player] = new = another(evening)
    said = evening.send(new, type="sit", player=player)
    if not said["accepted"]:
        raise Violation("a seat that is free cannot be taken", f"{player}: {said['error']}")
    return f"{player} {what}, and is back with another phone"


def _gone(evening: Evening, who: Identity, player: str, code: int) -> None:
    """With its pass a phone has lost its seat, and may not even look any more."""
    if code != 204:
        raise Violation("a pass is not given back", f"{player}: {code}")
    if player in evening.at.served.match.seats.taken:
        raise Violation("a phone that is gone keeps its seat", player)
    if (seen := evening.at.get(who, "/api/state").status_code) < 400:
        answer = evening.at.get(who, "/api/me")
        if answer.status_code == 200 and answer.json()["role"] == "player":
            raise Violation("a pass that was given back is good", f"{player}: {seen}")


def _hops(evening: Evening, chance: random.Random, player: str) -> str:
    """A phone takes the seat of somebody who is gone for a moment, agrees to all there, and goes back."""
    at, who = evening.at, evening.at.phones[player]
    other = chance.choice([p for p in at.phones if p != player])
    away = at.phones[other]
    evening.send(away, type="sit", player=None)
    evening.send(who, type="sit", player=other)
    done = [evening.send(who, type="agree", proposal=id, agrees=True)["accepted"]
            for id in list(at.served.match.proposals.waiting)]  # fmt: skip
    evening.send(who, type="sit", player=player)
    evening.send(away, type="sit", player=other)
    return f"{player} as {other} agrees: {done}"


# The library


@act(0)
def next_game(evening: Evening, chance: random.Random) -> str:
    """The owner ends the game in the middle and begins the next one at once; an older one may be deleted."""
    at = evening.at
    if at.served.match.match is None or chance.random() < 0.5:
        return _tidied(evening, chance)
    old, was, when = at.game_id, at.shown(at.spectator)["match"], at.recorder.now_s
    at.tick()
    if chance.random() < 0.5:
        acts._added_up(evening)
    at.tick()
    another_begins(evening, chance)
    evening.ended.append(old)
    evening.were[old] = (was, when)
    at.recorder.flush()
    holds(evening, old, was, when)
    evening.killed = False  # of the new one nothing is missing
    return f"{old} ended, {at.game_id} begun"


def another_begins(evening: Evening, chance: random.Random) -> None:
    """The owner ends the game, and begins another one with the same people."""
    at, old = evening.at, evening.at.game_id
    offered = at.disputable()
    if offered and chance.random() < 0.3:
        # It is left open: nothing follows from it in the next game.
        at.post(House.owner, "/api/disputes", {"key": chance.choice(offered)["key"]})
    if not evening.send(House.owner, type="anew")["accepted"]:
        raise Violation("a game cannot be ended", old)
    evening.known.shown.clear()
    evening.known.held = 0
    if chance.random() < 0.5:
        at.tick(chance.choice([1, 3]))
    evening.begin(chance)
    if at.game_id == old:
        raise Violation("two games lie in one record", old)
    if at.get(House.owner, "/api/disputes/now").json() is not None:
        _nothing_follows(evening, chance)


def _nothing_follows(evening: Evening, chance: random.Random) -> None:
    """A dispute of a game that was ended changes nothing of the next one, and can be put away."""
    at, match = evening.at, evening.at.served.match.match
    before = None if match is None else match.count
    body = {"outcome": chance.choice(["yes", "no", None]), "note": "as it was"}
    said = [
        at.post(House.owner, "/api/disputes/now/propose", body),
        at.post(House.owner, "/api/disputes/now/release", {}),
    ]
    if said[0].status_code >= 500 or said[1].status_code != 200:
        words = [f"{one.status_code} {one.text[:200]}" for one in said]
        raise Violation("a dispute of an ended game fails", "; ".join(words))
    if match is not None and match.count != before:
        raise Violation("a dispute of an ended game changes the next one", f"{before}, {match.count}")


def holds(evening: Evening, old: str, was: dict[str, Any] | None, when: float) -> None:
    """The record of a game that was ended shows what the pages showed last, and can be read."""
    at = evening.at
    answer = at.get(at.spectator, f"/api/games/{old}/match", t=when)
    if answer.status_code != 200:
        raise Violation("the replay of an ended game fails", f"{answer.status_code} {answer.text[:200]}")
    then = answer.json()
    for part in ("status", "sheets"):
        if was is not None and then[part] != was[part]:
            raise Violation(f"an ended game shows another {part}", difference(then[part], was[part]))
    for path in (f"/api/games/{old}", f"/api/games/{old}/entries", f"/api/games/{old}/disputes"):
        answer = at.get(at.spectator, path)
        if answer.status_code != 200:
            raise Violation("the papers of an ended game fail", f"{path}: {answer.status_code}")
    state = at.library.state(at.library.game(old))
    if state != "over":
        raise Violation("an ended game is not over", f"{old} is {state}")
    kept = list(at.library.reader(old).entries(["dispute."]))
    closed = {
        e.data["id"] for e in kept if e.kind in ("dispute.decided", "dispute.withdrawn", "dispute.lost")
    }
    left = [
        e.words
        for e in kept
        if e.kind == "dispute.opened" and e.data["subject"] and e.data["id"] not in closed
    ]
    if left and not evening.killed:
        raise Violation("the record of an ended game leaves a dispute open", "; ".join(left))
    for name in ("jsonl", "report"):
        answer = at.client.post(f"/api/exports/{old}?to={name}")
        if answer.status_code != 200:
            raise Violation("an export of an ended game fails", f"{name}: {answer.text[:200]}")
    if not evening.killed:
        ruled_again(at, old)


def _tidied(evening: Evening, chance: random.Random) -> str:
    """The owner deletes a game: one that is over is gone, and that which is played stays."""
    at = evening.at
    if at.recorder.game is not None and at.served.match.match is not None:
        code = at.client.request("DELETE", f"/api/games/{at.game_id}").status_code
        if code < 400:
            raise Violation("a game is deleted that is being played", at.game_id)
    if not evening.ended:
        return "none is over"
    old = evening.ended.pop(chance.randrange(len(evening.ended)))
    with at.socket(at.spectator, f"/ws/replay?game={old}") as page:
        page.recv(timeout=30)
        answer = at.client.request("DELETE", f"/api/games/{old}")
        page.send('{"type": "seek", "at_s": 1.0}')
        page.send('{"type": "play", "rate": 1.0}')
        at.tick()
    if answer.status_code != 200:
        raise Violation("a game cannot be deleted", f"{old}: {answer.status_code} {answer.text[:200]}")
    if old in [game["id"] for game in at.get(House.owner, "/api/games").json()["games"]]:
        raise Violation("a game that was deleted is listed", old)
    left = at.get(at.spectator, f"/api/games/{old}/match", t=1e6).status_code
    if left != 404:
        raise Violation("a game that was deleted is shown", f"{old}: {left}")
    return f"{old} deleted"


# The disk


@contextmanager
def full(copy: bool) -> Iterator[None]:
    """A disk without room for the library, and with `copy` for the journal beside it, too."""

    def no_room(*_: object, **__: object) -> None:
        raise StorageTrouble("the disk is full")

    with mock.patch.object(GameWriter, "write", no_room):
        if not copy:
            yield
            return
        with mock.patch.object(JournalFile, "add", return_value=False):
            yield


@act(0)
def disk(evening: Evening, chance: random.Random) -> str:
    """The disk is full for a while: people play on, and all of it is kept; it may be killed meanwhile."""
    at = evening.at
    if at.served.match.match is None:
        return "no match"
    at.tick()  # what was shown before stays what was shown at that time
    killed, done = chance.random() < 0.3, []
    # A killed program leaves what it wrote beside the library; elsewhere nothing is copied.
    with full(copy=not killed and chance.random() < 0.5):
        for _ in range(chance.randint(1, 3)):
            done.append(chance.choice(FULL_FOR)(evening, chance)[:80])
            at.tick()
        at.recorder.flush()
        notices = at.recorder.notices
        if at.recorder._session is not None and at.recorder._session.journal.waiting and not notices:
            raise Violation("nobody is told of a full disk", "; ".join(done))
        ends = not killed and chance.random() < ENDS_FULL
        if ends:
            another_begins(evening, chance)
        if killed:
            evening.known.unsaved = True
            raise Again(killed=True)
    session = at.recorder._session
    if session is not None and not session.journal.retry():
        raise Violation("what waited is not written", "; ".join(done))
    at.recorder.flush()
    if ends and chance.random() < 0.5:
        raise Again(killed=False)
    return "; ".join(done) + ("; another begins" if ends else "")


@act(0)
def scrub(evening: Evening, chance: random.Random) -> str:
    """A spectator goes back and forth in the replay while the game goes on: pieces stand where they stood."""
    at = evening.at
    if at.recorder.game is None:
        return "nothing is recorded"
    done = chance.choice([acts.push, acts.drive, acts.offer, acts.back])
    with at.socket(at.spectator, f"/ws/replay?game={at.game_id}") as page:
        first = _told(page)["playback"]
        _goes_to(page, first, chance.uniform(0, 0.9))
        page.send(json.dumps({"type": "play", "rate": 2.0}))
        said = done(evening, chance)
        page.send(json.dumps({"type": "play", "rate": 0.0}))
        _goes_to(page, first, chance.uniform(0, 0.9))
    at.recorder.flush()
    _stood(evening, chance)
    return f"{done.__name__}: {said[:80]}"


@act(0)
def stuck(evening: Evening, chance: random.Random) -> str:
    """What was tapped before others went on, and comes through seconds later, is not done."""
    at, who = evening.at, evening.somebody(chance)
    options = evening.offered(who)
    if not options:
        return "nothing is offered"
    option = chance.choice(options)
    try:
        data = evening.answers(option, chance)
    except Stuck:
        return f"{option.kind} cannot be filled"
    deed = {"type": "act", "kind": option.kind, "player": option.player, "data": data}
    message: dict[str, Any] = chance.choice([deed, {"type": "undo"}, {"type": "redo"}])
    message = {**message, "shown": evening.newest(who)}
    at.tick()  # what was shown before stays what was shown at that time
    said = chance.choice([acts.offer, acts.offer, acts.drive, acts.back])(evening, chance)
    at.tick(LATE_PICTURES)
    before = evening.newest(House.owner)
    answer = evening.send(who, **message)
    gone_on = message["shown"] != before
    refused = "gone on" in (answer["error"] or "")
    if gone_on and (answer["accepted"] or answer["proposed"] or evening.newest(House.owner) != before):
        raise Violation("what was stuck is done", f"{message} after {said[:120]}")
    if refused and not gone_on:
        raise Violation("what is the newest is refused as too old", f"{message} after {said[:120]}")
    return f"{who.role} {message['type']} {'refused' if refused else 'heard'}, after {said[:80]}"


@act(0)
def mistypes(evening: Evening, chance: random.Random) -> str:
    """Dice of the table are typed, one of them wrong: the deed is taken back, and asks for them anew."""
    at, host = evening.at, evening.at.served.match
    if host.match is None:
        return "no match"
    usual = host.modes.model_dump()
    evening.send(House.owner, type="modes", modes={**usual, "dice": "type"})
    for _ in range(DEEDS_TYPED):
        at.tick()
        said = chance.choice([acts.offer, acts.drive])(evening, chance)
        if host.match is None or _typed(host.match.counted[-1].events):
            break
    match = host.match
    if chance.random() < 0.5:
        evening.send(House.owner, type="modes", modes=usual)
    if match is None or not _typed((deed := match.counted[-1]).events):
        return "no die was typed"
    at.tick()
    who, before, back = evening.somebody(chance), match.count, chance.random() < 0.5
    if not back and not evening.send(House.owner, type="undo")["accepted"]:
        return f"not taken back: {said[:80]}"
    answer = evening.send(who, type="mistyped", back=back)
    if not answer["accepted"]:
        if back and match.count != before:
            raise Violation(
                "a refused word about a die takes a deed back", f"{answer['error']}: {said[:120]}"
            )
        return f"not typed anew: {answer['error']}"
    if any(die.source == "typed" for die in match.fallen()):
        raise Violation("a die that was typed wrong still lies", said[:200])
    told = deed.events[0].data
    if deed.events[0].kind == "action":
        act = {"type": "act", "kind": told["kind"], "player": told["player"], "data": told["data"]}
        if evening.send(House.owner, **act)["accepted"] and _typed(match.counted[-1].events):
            raise Violation("a die that was typed wrong counts again", f"{act}")
    return f"{who.role} typed wrong, back {back}: {said[:80]}"


def _typed(events: Sequence[Event]) -> list[Roll]:
    """The dice of a deed that people typed."""
    return [roll for roll in rolls_of(events) if roll.source == "typed"]


@act(0)
def thinks_again(evening: Evening, chance: random.Random) -> str:
    """What was chosen in secret is taken back by whoever chose it, by nobody else, and chosen anew."""
    at = evening.at
    said = acts.choose(evening, chance)
    if at.served.match.match is None:
        return said
    for player, phone in at.phones.items():
        match = at.shown(phone)["match"]
        mine = [one for one in match["chosen"] if one["mine"]]
        if not mine or match["reveals"]:
            continue
        at.tick()
        asked = {"type": "withdraw", "group": mine[0]["group"], "player": player}
        for other in (at.spectator, at.stranger, *(p for p in at.phones.values() if p != phone)):
            if evening.send(other, **asked)["accepted"]:
                raise Violation("another's choice is taken back", f"a {other.role} that of {player}")
        answer = evening.send(phone, **asked)
        if not answer["accepted"]:
            raise Violation("one's own choice cannot be taken back", f"{player}: {answer['error']}")
        left = at.shown(phone)["match"]["chosen"]
        if any(one["player"] == player and one["group"] == mine[0]["group"] for one in left):
            raise Violation("a choice that was taken back still counts", f"{player}: {left}")
        return f"{player} thinks again; {acts.choose(evening, chance)}"
    return f"nobody has chosen; {said[:80]}"


def _told(page: ClientConnection) -> dict[str, Any]:
    """What a page of the replay is told next; it says at once that it has drawn it."""
    told: dict[str, Any] = json.loads(page.recv(timeout=30))
    if told["type"] == "refused":
        raise Violation("a replay refuses to be looked at", json.dumps(told)[:300])
    page.send(json.dumps({"type": "drawn", "number": told["number"]}))
    return told


def _goes_to(page: ClientConnection, first: dict[str, Any], share: float) -> None:
    """The page goes to a time of the game, as a share of all that was played when it was opened."""
    when = first["duration_s"] * share
    if when < 1.0:
        return
    page.send(json.dumps({"type": "seek", "at_s": when}))
    for _ in range(60):
        there = _told(page).get("playback") or {}
        if abs(there.get("at_s", math.inf) - when) < 0.1:
            return
    raise Violation("a replay does not go where it is sent", f"{when:.2f} s: {there}")


def _stood(evening: Evening, chance: random.Random) -> None:
    """The record has every piece that rested, and was in view, where it truly stood at the time."""
    at = evening.at
    reader, now = at.library.reader(at.game_id), at.recorder.now_s
    since, ahead = at.hands.past.runs[-1]
    for _ in range(4):
        when = chance.uniform(0.0, now)
        if when + ahead < since:
            continue  # of an earlier run
        table = reader.table_at(when)
        truth = at.hands.past.at(table.time + ahead)
        for standing in table.standings:
            if standing.name not in truth.poses or standing.name in truth.hidden:
                continue
            if standing.status.value != "still":
                continue
            off = math.dist(standing.pose.xy, truth.poses[standing.name].xy)
            if off > 0.1:
                words = f"{standing.name} at {when:.1f} s is {off:.2f} in beside where it stood"
                raise Violation("the record has a piece elsewhere", words)
