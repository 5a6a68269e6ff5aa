"""What people do in an evening: what the pages offer, what hands do, what an owner does."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from engine.game.contract import Option
from engine.game.filling import Stuck, complete
from engine.game.forms import Form
from engine.game.showing import Awaited
from engine.space.geometry import Footprint, Pose
from engine.space.table import ThingName, key_of
from server.disputes.sealed.verify import verify
from server.formats import units
from server.play.machine import device_of
from server.play.messages import GuideView
from server.play.thinking import AsItLies, Decision, Thinker, Told
from server.recording.journal import LEAP_S
from server.table.gate import hides, scrubbed
from server.web.authentication import Identity
from tests.evening.again import again
from tests.evening.checks import then_as_now
from tests.evening.consent import said_by_machine
from tests.evening.evening import Again, Evening, act
from tests.evening.hidden import no_ruler_anywhere, no_ruler_streamed
from tests.evening.house import House, Violation
from tests.evening.sums import sums
from tests.evening.table import STEP_S

FAR = 12.0
"""Inches that a car is pushed at the most for one move."""


SPACED = 4
"""Every so many looks the whole record is added up and ruled again."""

PLAYED_ON = 8
"""Deeds at the most until a piece is to be driven."""

THOUGHT_OF = 6
"""Ways that are thought out for a drive, of which one is driven."""

LOOKS, IDLE = 6, 0.2
"""How often a machine looks before it must have said something; how often hands let it wait."""

ROLLED = 0.7
"""How often people roll for it as it asks: else it waits, whatever else is done meanwhile."""

SLIPS = 0.2
"""How often a hand pushes a machine's piece amiss."""

NO_SLIP = Pose(0.0, 0.0)
"""A piece is left just where it was pushed."""

TWICE = 0.2
"""How often it is killed once more as it begins."""

PUSHES = 7
"""How often one pushes on until a move is legal."""


@act(12)
def offer(evening: Evening, chance: random.Random) -> str:
    """Do what a page offers: it is done, or refused with a reason that the page had shown."""
    people = chance.sample([House.owner, *evening.at.phones.values()], 1 + len(evening.at.phones))
    who, options = next(((p, found) for p in people if (found := evening.offered(p))), (people[0], []))
    if not options:
        return "nothing is offered"
    option = chance.choice(options)
    try:
        data = evening.answers(option, chance)
    except Stuck:
        return f"{option.kind} cannot be filled"
    page = evening.at.wire(who)
    message = {"type": "act", "kind": option.kind, "player": option.player, "data": data}
    answer = evening.carry_out(who, message, chance)
    refused = answer["error"] or [r["words"] for r in answer["reasons"]]
    if not answer["accepted"] and not (refused or answer["wanted"]):
        raise Violation("refused without a reason", f"{option.kind} {data}")
    _had_shown(evening, option, data, answer, page)
    answer = decided(evening, who, message, answer, chance)
    why = "" if answer["accepted"] else f" refused: {refused}"
    return f"{who.role} {option.kind} {str(data)[:120]}{why}"


def _had_shown(
    evening: Evening, option: Option, data: dict[str, Any], answer: dict[str, Any], page: str
) -> None:
    """What a page offers without a question is done, or the page had shown why not."""
    if answer["accepted"] or option.form.fields or answer["wanted"] or answer["proposed"]:
        return
    match = evening.at.served.match.match
    hidden = match is not None and hides(match.game, match.state)
    for reason in answer["reasons"]:
        words = scrubbed(units.retold(reason["words"]), hidden)
        if words not in page and not reason["open"]:
            raise Violation("refused by what the page had not shown", f"{option.kind} {data}: {words}")


def decided(
    evening: Evening, who: Identity, message: dict[str, Any], answer: dict[str, Any], chance: random.Random
) -> dict[str, Any]:
    """Decide what is open, as the page asks it, mostly; those who are asked mostly agree to what is said."""
    for _ in range(3):
        reasons = answer["reasons"]
        each = all(r["question"] for r in reasons)
        if not reasons or not (each or all(r["open"] for r in reasons)) or chance.random() < 0.3:
            break
        ruled = {r["question"]: chance.choice(["yes", "yes", "no"]) for r in reasons if r["question"]}
        before = message["data"].get("ruled") or {}
        ruled |= ({"": before} if isinstance(before, str) else before) | ({} if each else {"": "yes"})
        message = {**message, "data": {**message["data"], "ruled": ruled}}
        answer = evening.carry_out(who, message, chance)
    if answer["proposed"] and chance.random() < 0.8:
        for phone in chance.sample([*evening.at.phones.values()], len(evening.at.phones)):
            for one in evening.at.shown(phone)["match"]["proposals"]:
                if one["mine"]:
                    evening.send(phone, type="agree", proposal=one["id"], agrees=chance.random() < 0.9)
        # All have agreed: where dice are to be typed it is asked again.
        answer = evening.carry_out(who, message, chance) if evening.shows_own(who) else answer
    return answer


@act(6)
def says(evening: Evening, chance: random.Random) -> str:
    """A player types what the form asks for and nobody saw, or what was seen otherwise."""
    host = evening.at.served.match
    if host.match is None:
        return "no match"
    facts = {kind: {one.field for one in some} for kind, some in host.match.game.facts.items()}
    open_to = [
        (phone, o, said)
        for phone in evening.at.phones.values()
        for o in host.options()
        if o.player is not None and host.may_do(phone, o.player) and all(r.open for r in o.not_now)
        if (said := [n for n in o.form.fields if n in facts.get(o.kind, ())])
    ]
    if not open_to:
        return "nothing is to be said"
    who, option, said = chance.choice(open_to)
    try:
        data = evening.answers(option, chance)
        for name in chance.sample(said, min(len(said), chance.choice([1, 1, 2]))):
            asked = replace(option.form.fields[name], optional=False, usual=None)
            data |= complete(Form({name: asked}), chance)
    except Stuck:
        return f"{option.kind} cannot be filled"
    message = {"type": "act", "kind": option.kind, "player": option.player, "data": data}
    if any(a.kind == option.kind for a in host.match.game.awaits(host.match.state)) and chance.random() < 0.3:
        message["unmeasured"] = "we saw it"
    answer = decided(evening, who, message, evening.carry_out(who, message, chance), chance)
    told = answer["error"] or [r["words"] for r in answer["reasons"]]
    return f"{option.player} {option.kind} {str(data)[:160]} {answer['accepted']} {told}"


@act(2)
def choose(evening: Evening, chance: random.Random) -> str:
    """A player chooses in secret, or whoever is to act goes on until somebody has to choose."""
    offered = evening.offered(House.owner)
    secret = [o for o in offered if o.sealed is not None]
    if not secret:
        return "goes on: " + offer(evening, chance)
    option = chance.choice(secret)
    try:
        data = evening.answers(option, chance)
    except Stuck:
        return f"{option.kind} cannot be filled"
    who = evening.at.phones.get(option.player or "", House.owner)
    answer = evening.send(who, type="act", kind=option.kind, player=option.player, data=data)
    return f"{option.player} {option.kind} in secret: {answer['accepted']}"


@act(8)
def push(evening: Evening, chance: random.Random) -> str:
    """Push a car that may be moved ahead, as the page asks, and let it rest."""
    match = evening.at.served.match.match
    awaited = [] if match is None else [a.piece for a in match.game.awaits(match.state)]
    cars = [n for n in awaited if n in evening.at.hands.poses] or evening.cars()
    name = chance.choice(cars)
    here = evening.at.hands.poses[name]
    spacing = getattr(evening.at.hands.board, "spacing", None)
    far = chance.uniform(0.5, 7) if spacing is None else spacing * chance.choice([1, 2])
    shove(evening, name, far, math.radians(chance.choice([0, 0, 60, -60, 45])))
    return f"{name} {far:.1f} in from {here.x:.1f}, {here.y:.1f}"


def shove(evening: Evening, name: str, far: float, turn: float, rests: int = 6) -> None:
    """Push a piece ahead, then turn it about its rear axle, and let it rest."""
    hands = evening.at.hands
    start = hands.poses[name]
    for k in range(1, 4):
        hands.moving.add(name)
        hands.poses[name] = start.compose(Pose(far * k / 3, 0.0))
        evening.at.tick()
    if turn:
        hands.poses[name] = hands.ahead(name, 0.0, turn)
    hands.moving.discard(name)
    evening.at.tick(rests)


@act(14)
def drive(evening: Evening, chance: random.Random) -> str:
    """Drive a car as the page asks for it, push on until it is legal, and take the move as measured."""
    match, at = evening.at.served.match.match, evening.at
    if match is None:
        return "no match"
    if chance.random() < 0.5:
        at.tick()  # what was shown before stays what was shown at that time
        evening.open(chance, PLAYED_ON, secretly=not evening.secret)
    awaited = [a for a in match.game.awaits(match.state) if not a.anywhere and a.piece in at.hands.poses]
    if not awaited:
        return "none is awaited"
    one = chance.choice(awaited)
    at.hands.covered.discard(one.piece)
    if one.piece in match.places and chance.random() < 0.8:
        at.hands.poses[one.piece] = match.places[one.piece].pose
        at.tick(6)
        if chance.random() < 0.5 and (way := _way_of(evening, one, chance)):
            return f"{one.piece} as was thought out: {_driven(evening, one, way, chance)}"
    spacing = getattr(match.game.board(match.state, evening.at.hands.board), "spacing", None)
    turn = math.radians(chance.choice([0, 0, 0, 60, -60, 30, -45]))
    if turn and chance.random() < 0.5:
        at.hands.poses[one.piece] = at.hands.ahead(one.piece, 0.0, turn)
        at.tick(6)
    pushed, pushes, guide = 0.0, 0, at.served.scene.guide()
    while (
        pushed < FAR
        and pushes < PUSHES
        and not (
            guide is not None
            and guide.piece == one.piece
            and guide.phase == "rested"
            and guide.verdict == "yes"
        )
    ):
        left = 1.0
        if guide is not None and guide.piece == one.piece and guide.progress is not None:
            left = float(guide.progress["of"]) - float(guide.progress["used"])
        step = spacing if spacing is not None else max(0.3, min(left, 6.0))
        shove(evening, one.piece, step, 0.0, rests=4)
        pushed, pushes = pushed + step, pushes + 1
        guide = at.served.scene.guide()
    if guide is None or guide.move is None or chance.random() < 0.15:
        if chance.random() < 0.5:
            return f"{one.piece} {pushed:.1f} in, left there"
        return f"{one.piece} {pushed:.1f} in, given up: {_counts_anyway(evening, one, chance)}"
    return f"{one.piece} {pushed:.1f} in, {guide.verdict}: {_taken(evening, one, guide, chance)}"


def _way_of(evening: Evening, one: Awaited, chance: random.Random) -> Sequence[Pose]:
    """Give a way of a piece that its game proposes to a player; none where it proposes none."""
    host, match = evening.at.served.match, evening.at.served.match.match
    if match is None or one.player is None:
        return ()
    seen = host.seeing.now(host.owners)
    found = islice(match.game.proposals(match.state, seen, one.player, chance), THOUGHT_OF)
    ways = [p.way for p in found if p.way and key_of(p.piece or "") == key_of(one.piece)]
    return chance.choice(ways) if ways else ()


def _driven(evening: Evening, one: Awaited, way: Sequence[Pose], chance: random.Random) -> str:
    """Push a piece through these places, let it rest, and take the move as it was measured."""
    at = evening.at
    _push_along(evening, one.piece, way)
    guide = at.served.scene.guide()
    if guide is None or guide.move is None:
        return "left there"
    return f"{guide.verdict}: {_taken(evening, one, guide, chance)}"


def _taken(evening: Evening, one: Awaited, guide: GuideView, chance: random.Random) -> str:
    """Whoever moves it takes the move as it was measured."""
    match, at = evening.at.served.match.match, evening.at
    options = [o for o in evening.offered(House.owner) if o.kind == guide.kind]
    options = [o for o in options if o.piece is not None and key_of(o.piece) == key_of(one.piece)] or options
    if not options or match is None:
        return "nothing takes it"
    option = options[0]
    who = at.phones.get(option.player or "", House.owner)
    try:
        data = evening.answers(option, chance)
    except Stuck:
        return f"{option.kind} cannot be filled"
    facts = {f.field for f in match.game.facts.get(option.kind, ())}
    data = {n: v for n, v in data.items() if n not in facts or n in option.data}
    paths = [n for n, f in option.form.fields.items() if f.type == "path"]
    data |= dict.fromkeys(paths[:1], guide.move) | guide.said
    message = {"type": "act", "kind": option.kind, "player": option.player, "data": data}
    answer = decided(evening, who, message, evening.carry_out(who, message, chance), chance)
    return f"{answer['accepted']} {answer['error'] or [r['words'] for r in answer['reasons']]}"


def _counts_anyway(evening: Evening, one: Awaited, chance: random.Random) -> str:
    """The owner says that a move counts which nobody gets right."""
    options = [o for o in evening.offered(House.owner) if o.kind == one.kind]
    mine = [o for o in options if o.piece is not None and key_of(o.piece) == key_of(one.piece)] or options
    match = evening.at.served.match.match
    if not mine or match is None:
        return "nothing takes it"
    try:
        data = {**mine[0].data, **complete(mine[0].form, chance)}
    except Stuck:
        return "it cannot be filled"
    facts = {f.field for f in match.game.facts.get(one.kind, ())}
    data = {n: v for n, v in data.items() if n not in facts or n in mine[0].data}
    message: dict[str, Any] = {"type": "act", "kind": one.kind, "player": mine[0].player, "data": data}
    answer = evening.carry_out(House.owner, message | {"unmeasured": "we gave up"}, chance)
    return str(answer["accepted"])


@act(6)
def ghosts(evening: Evening, _: random.Random) -> str:
    """Put pieces where they have to stand: each is accepted there."""
    match = evening.at.served.match.match
    if match is None:
        return "no match"
    host, hands = evening.at.served.match, evening.at.hands
    wanted = [g for g in match.game.ghosts(match.state, host.seeing.now(host.owners)) if not g.right]
    strays = [s.ghost for s in host.strays()]
    placed: dict[str, Pose] = {}
    for ghost in (*wanted, *strays):
        if ghost.pose is not None and ghost.piece in hands.poses:
            hands.poses[ghost.piece] = placed[ghost.piece] = Pose(*ghost.pose)
            hands.covered.discard(ghost.piece)
    if not placed:
        return "none"
    evening.at.tick(7)
    again = {g.piece: g for g in match.game.ghosts(match.state, host.seeing.now(host.owners))}
    still = {s.piece: s for s in host.strays()}
    for name, pose in placed.items():
        found, stray = again.get(name), still.get(name)
        if found is not None and found.pose == (pose.x, pose.y, pose.heading) and found.right is False:
            raise Violation("a ghost that was stood on is not accepted", f"{name}: {found.words}")
        if stray is not None and stray.place.pose == pose:
            raise Violation("a ghost that was stood on is not accepted", f"{name}: {stray.words}")
    evening.at.shown(House.owner)
    return ", ".join(placed)


@act(4)
def deploy(evening: Evening, chance: random.Random) -> str:
    """Put a piece down that may come from anywhere, until the page lets it be taken there."""
    name = evening.put_down(chance)
    return "none is to be put down" if name is None else name


@act(3)
def mishap(evening: Evening, chance: random.Random) -> str:
    """A hand covers a car, takes it off, puts it elsewhere or pushes a wrong one."""
    hands, name = evening.at.hands, chance.choice(evening.cars() or ["none"])
    what = chance.choice(["cover", "uncover", "elsewhere", "back", "wrong", "swap", "lift"])
    if what == "cover":
        hands.covered.add(name)
    elif what == "uncover":
        hands.covered.clear()
    elif what == "elsewhere":
        hands.poses[name] = Pose(chance.uniform(4, 42), chance.uniform(4, 40), chance.uniform(-3, 3))
    elif what == "back":
        hands.poses[name] = evening.scene.start[name]
    elif what == "swap":
        other = chance.choice(evening.cars())
        hands.poses[name], hands.poses[other] = hands.poses[other], hands.poses[name]
    elif what == "lift":
        # Lifted as one does who is about to turn it, and put down again after a while.
        hands.covered.add(name)
        evening.at.tick(3)
        evening.at.shown(House.owner)
        hands.poses[name] = hands.poses[name].compose(Pose(chance.uniform(-6, 6), chance.uniform(-2, 2)))
        hands.covered.discard(name)
    else:
        shove(evening, name, chance.uniform(1, 4), 0.0)
    evening.at.tick(chance.choice([1, 6]))
    return f"{what} {name}"


@act(0)
def unnamed(evening: Evening, chance: random.Random) -> str:
    """Put a mug or a book down between two cars, or take it away; nobody says what it is."""
    hands, cars = evening.at.hands, evening.cars()
    if hands.unnamed and chance.random() < 0.5:
        name = chance.choice(sorted(hands.unnamed))
        del hands.unnamed[name]
        evening.at.tick(2)
        return f"{name} taken away"
    one, other = (hands.poses[n] for n in (chance.choice(cars), chance.choice(cars)))
    at, turn = chance.uniform(0.3, 0.7), chance.uniform(-3, 3)
    pose = Pose(one.x + at * (other.x - one.x), one.y + at * (other.y - one.y), turn)
    shape = chance.choice([Footprint.disc(3.2), Footprint.box(6.0, 9.0)])
    name = ThingName(f"Thing {len(hands.past.truths)}")
    hands.unnamed[name] = (np.asarray(pose.to_table(shape.outline)), hands.time)
    evening.at.tick(6)
    return f"{name} put down"


@act(0)
def outage(evening: Evening, chance: random.Random) -> str:
    """No picture comes for a while, or only damaged ones; hands go on, or nobody does anything."""
    at, hands, name = evening.at, evening.at.hands, chance.choice(evening.cars() or ["none"])
    what, damaged = chance.choice(["nothing", "ahead", "elsewhere"]), chance.random() < 0.5
    covered = set(hands.covered)
    if damaged:
        hands.covered |= hands.poses.keys()
        at.tick(chance.randint(1, 6))
    if what == "ahead" and name in hands.poses:
        far, turn = chance.uniform(0.5, 8), chance.uniform(-0.8, 0.8)
        hands.passes(name, hands.ahead(name, far, 0.0))
        hands.move(name, hands.ahead(name, far, turn))
    elif what == "elsewhere" and name in hands.poses:
        hands.move(name, Pose(chance.uniform(4, 42), chance.uniform(4, 40), chance.uniform(-3, 3)))
    if damaged:
        hands.covered |= hands.poses.keys()
        at.tick(chance.randint(1, 6))
        hands.covered -= hands.poses.keys() - covered
    else:
        # A clock that leaps farther ahead of the real one to the next picture is told as another source's.
        hands.time += chance.uniform(1, 0.98 * (LEAP_S - STEP_S))
    at.tick(chance.choice([1, 6]))
    return f"{'damaged' if damaged else 'no picture'}; {what} {name}"


@act(0)
def machine(evening: Evening, chance: random.Random) -> str:
    """A machine looks, and hands push its piece as it says, some of them a little wrong."""
    at, player = evening.at, evening.machine
    if player is None:
        return "nobody's"
    at.tick()  # what was shown before stays what was shown at that time
    host = at.served.match
    played = "; ".join(_thought_out(evening, chance) for _ in range(chance.choice([0, 1, 2])))
    looks, done = chance.choice([1, 3, LOOKS]), list[str]()
    rolls = chance.random() < ROLLED
    before, lay = 0 if host.match is None else host.match.count, dict(at.hands.poses)
    for _ in range(looks):
        at.served.machines.step()
        done += _pushed_for(evening, chance)
        if rolls and any(one.machine for one in host.throws.waiting.values()):
            evening.typed_by_each(device_of(player), {}, chance)
            done.append("dice typed for it")
        at.tick(4)
    after = 0 if host.match is None else host.match.count
    said_by_machine(at, player, before)
    if looks == LOOKS and after == before and at.hands.poses == lay:
        _says_something(evening, player)
    says = next((v.headline for v in at.served.machines.views() if v.player == player), "")
    return f"{played}; {player} {after - before} deeds, {'; '.join(done)}; says {says!r}"


def _thought_out(evening: Evening, chance: random.Random) -> str:
    """A player who knows the game goes on: with what a driver would do in that seat, pushed by hand."""
    at, host, match = evening.at, evening.at.served.match, evening.at.served.match.match
    if match is None or evening.over():
        return "nothing to play"
    if match.revealing(host.seeing.now(host.owners)) is not None:
        return f"revealed: {evening.carry_out(House.owner, {'type': 'reveal'}, chance)['accepted']}"
    _put_back(evening)
    for player in chance.sample(list(at.phones), len(at.phones)):
        told = Told(match.log, host.seeing.now(host.owners), player)
        choice = Thinker()(Decision(told, "learner", "even", str(match.count)), match.game).choice
        if choice is None:
            continue
        action = choice.action
        if choice.piece and choice.way:
            name = next((n for n in at.hands.poses if key_of(n) == key_of(choice.piece)), "")
            if not name:
                continue
            _push_along(evening, name, choice.way)
            told = replace(told, seen=host.seeing.now(host.owners))
            taken = Thinker()(AsItLies(told, choice, str(match.count)), match.game)
            if taken is None:
                return f"{player} pushes {name} to where it may not stand"
            action = taken.action
        message = {"type": "act", "kind": action.kind, "player": action.player, "data": dict(action.data)}
        who = at.phones[player]
        answer = decided(evening, who, message, evening.carry_out(who, message, chance), chance)
        why = answer["error"] or [r["words"] for r in answer["reasons"]]
        return f"{player} {action.kind} {answer['accepted'] or why}"
    return "nobody has anything to do"


def _put_back(evening: Evening, name: str | None = None) -> None:
    """Put what stands elsewhere where it has to stand, before a move of it begins; not what has no tag."""
    hands = evening.at.hands
    for stray in evening.at.served.match.strays():
        if name in (None, stray.piece) and stray.piece not in hands.kept:
            hands.poses[stray.piece] = stray.place.pose
            evening.at.tick(6)


def _push_along(evening: Evening, name: str, way: Sequence[Pose], slip: Pose = NO_SLIP) -> None:
    """Push a piece through these places, let go of it a little beside the last, and let it rest."""
    hands = evening.at.hands
    hands.covered.discard(name)
    hands.moving.add(name)
    for pose in way:
        hands.poses[name] = pose
        evening.at.tick()
    hands.poses[name] = way[-1].compose(slip)
    hands.moving.discard(name)
    evening.at.tick(6)


def _pushed_for(evening: Evening, chance: random.Random) -> list[str]:
    """Hands push each piece that a machine wants somewhere, where it has no hand of its own."""
    at, host = evening.at, evening.at.served.match
    done: list[str] = []
    for intent in list(at.served.machines._intents.values()):
        name, way = intent.choice.piece, intent.choice.way
        if at.hands.simulated or host.match is None or intent.count != host.match.count or not way:
            continue
        name = next((n for n in at.hands.poses if key_of(n) == key_of(str(name))), "")
        lies = any(key_of(m.piece) == key_of(name) for m in host.seeing.moves().values())
        if not name or (lies and not intent.unlawful) or chance.random() < IDLE:
            continue
        _put_back(evening, name)
        slip, slips = NO_SLIP, chance.random() < SLIPS and not lies
        if slips:
            off, turn = chance.uniform(0.1, 0.2), chance.uniform(-math.pi, math.pi)
            slip = Pose(off * math.cos(turn), off * math.sin(turn), math.radians(chance.choice([-5, 5])))
        _push_along(evening, name, way[-1:] if lies else way, slip)
        done.append(f"{name} pushed{' amiss' if slips else ''}")
    return done


def _says_something(evening: Evening, player: str) -> None:
    """Where only a machine can go on, it says what it wants, or that it is left to people."""
    at, host = evening.at, evening.at.served.match
    match = host.match
    if match is None or evening.over() or host.proposals.waiting or host.throws.waiting or host.strays():
        return
    if at.get(House.owner, "/api/disputes/now").json() is not None:
        return
    ghosts = match.game.ghosts(match.state, host.seeing.now(host.owners))
    whose = {o.player for o in host.options() if not o.not_now}
    if whose != {player} or any(g.right is False for g in ghosts):
        return
    (view,) = (v for v in at.served.machines.views() if v.player == player)
    if not view.headline:
        raise Violation("a machine stands still and says nothing", f"{[o.kind for o in host.options()]}")


@act(4)
def back(evening: Evening, chance: random.Random) -> str:
    """Undo or redo."""
    who, what = evening.somebody(chance), chance.choice(["undo", "undo", "redo"])
    answer = evening.send(who, type=what)
    return f"{who.role} {what} {answer['accepted']}"


@act(2)
def unmeasured(evening: Evening, chance: random.Random) -> str:
    """The owner, or the mover with another's consent, accepts a move without measuring."""
    match = evening.at.served.match.match
    if match is None:
        return "no match"
    kinds, who = {a.kind for a in match.game.awaits(match.state)}, evening.somebody(chance)
    options = [o for o in evening.offered(who) if o.kind in kinds]
    if not options:
        return "none is awaited"
    option = chance.choice(options)
    try:
        data = {**option.data, **complete(option.form, chance)}
    except Stuck:
        return f"{option.kind} cannot be filled"
    message: dict[str, Any] = {"type": "act", "kind": option.kind, "player": option.player, "data": data}
    answer = evening.carry_out(who, message | {"unmeasured": "by hand"}, chance)
    return f"{option.kind} {answer['accepted']} {answer['proposed']}"


@act(6)
def agree(evening: Evening, chance: random.Random) -> str:
    """Whoever is asked answers what is proposed; at times somebody does whose answer it is not."""
    at = evening.at
    proposals = list(at.served.match.proposals.waiting)
    if not proposals:
        return "nothing is proposed"
    who, number = evening.somebody(chance), chance.choice(proposals)
    if chance.random() < 0.75:
        people = chance.sample([*at.phones.values()], len(at.phones))
        asked = [(p, one["id"]) for p in people for one in at.shown(p)["match"]["proposals"] if one["mine"]]
        who, number = next(iter(asked), (who, number))
    said = {"proposal": number, "agrees": chance.random() < 0.8}
    return f"{who.role} {said} {evening.send(who, type='agree', **said)['accepted']}"


@act(2)
def looks(evening: Evening, chance: random.Random) -> str:
    """Open lists, reports and exports of the running game."""
    at, id = evening.at, evening.at.game_id
    for path in (
        f"/api/games/{id}", f"/api/games/{id}/entries", f"/api/games/{id}/disputes", "/api/disputes",
        "/api/disputes/offer", "/api/state", "/api/questions", "/api/play/sheets.pdf", "/healthz",
    ):  # fmt: skip
        for who in (House.owner, at.spectator):
            answer = at.get(who, path)
            if answer.status_code >= 500:
                words = f"{path} for a {who.role}: {answer.status_code} {answer.text[:200]}"
                raise Violation("a page fails", words)
    name = chance.choice(["jsonl", "report", "csv"])
    answer = at.client.post(f"/api/exports/{id}?to={name}")
    if answer.status_code >= 500:
        raise Violation("an export fails", f"{name}: {answer.status_code} {answer.text[:200]}")
    if evening.looked % SPACED == 0 or evening.ends:
        _added_up(evening)
    evening.looked += 1
    match = at.served.match.match
    if match is not None and hides(match.game, match.state):
        no_ruler_streamed(at)
        no_ruler_anywhere(at, evening.looked + evening.number // 4)
    return name


def _added_up(evening: Evening) -> None:
    """Hold the whole record: its sums, and what comes of it when it is ruled again.

    A record only grows: what is wrong in it is wrong at the end as well, and before the program is killed,
    after which its last second may be missing.
    """
    match = evening.at.served.match.match
    if match is not None:
        sums(evening.at, match)
    if match is not None and not evening.killed:
        again(evening.at, match)


@act(2)
def rewind(evening: Evening, chance: random.Random) -> str:
    """Look at earlier times in the replay: it shows what the live pages showed then."""
    if not evening.known.shown:
        return "nothing to look back at"
    seen = chance.sample(evening.known.shown, min(4, len(evening.known.shown)))
    for when, then in seen:
        then_as_now(evening.at, when, then)
    return ", ".join(f"{when:.0f} s" for when, _ in seen)


@act(2)
def dispute(evening: Evening, chance: random.Random) -> str:
    """Open a dispute about what is offered, propose, answer on every phone, decide, look at its papers."""
    at = evening.at
    subjects = at.disputable()
    if not subjects:
        return "nothing to dispute"
    opened = at.post(evening.somebody(chance), "/api/disputes", {"key": chance.choice(subjects)["key"]})
    if opened.status_code != 200:
        return f"not opened: {opened.text[:80]}"
    said = [opened.status_code]
    outcome = chance.choice(["yes", "no", None])
    body: dict[str, Any] = {"outcome": outcome, "note": "as we saw it"}
    proposed = at.post(evening.somebody(chance), "/api/disputes/now/propose", body)
    said.append(proposed.status_code)
    if proposed.status_code == 200:
        number = (proposed.json().get("proposal") or {}).get("number")
        for who in (at.spectator, at.stranger, *at.phones.values()):
            if number is not None:
                consent = {"number": number, "consents": chance.random() < 0.8}
                code = at.post(who, "/api/disputes/now/answer", consent).status_code
                if who in (at.spectator, at.stranger) and code == 200:
                    raise Violation("somebody without a seat decides a dispute", f"a {who.role}")
                said.append(code)
    if at.get(House.owner, "/api/disputes/now").json() is not None:
        said.append(at.post(House.owner, "/api/disputes/now/release", {}).status_code)
    id = opened.json()["id"]
    if chance.random() < 0.3:
        # Had again: as long as it is open it goes on from there, and is left as it was decided.
        said += [at.post(evening.somebody(chance), f"/api/disputes/{id}/reopen", {}).status_code]
        said += [at.post(House.owner, "/api/disputes/now/release", {}).status_code]
    if any(code >= 500 for code in said):
        raise Violation("a dispute fails", f"{said}")
    papers = [f"/api/games/{at.game_id}/disputes", f"/api/disputes/{id}/plan.svg"]
    if chance.random() < 0.3:
        papers.append(f"/api/disputes/{id}/dispute.{chance.choice(['html', 'pdf'])}")
    for path in papers:
        had = at.get(House.owner, path)
        if had.status_code >= 500:
            raise Violation("the papers of a dispute fail", f"{path}: {had.status_code} {had.text[:200]}")
        changed = verify(had.content).changed if "/dispute." in path and had.status_code == 200 else ()
        if changed:
            raise Violation("the file of a dispute is not as it was sealed", f"{path}: {' '.join(changed)}")
    return f"{said}"


@act(1)
def modes(evening: Evening, chance: random.Random) -> str:
    """The owner switches what is automatic."""
    said = {
        "dice": chance.choice(["roll", "type"]), "moves": chance.choice(["see", "see", "see", "ask"]),
        "questions": chance.choice(["see", "see", "see", "ask"]),
    }  # fmt: skip
    return f"{said} {evening.send(House.owner, type='modes', modes=said)['accepted']}"


@act(1)
def overrule(evening: Evening, chance: random.Random) -> str:
    """The owner taps a figure of a sheet and types another."""
    shown = evening.at.shown(House.owner)["match"]
    if shown is None:
        return "no match"
    widgets = [
        w for s in shown["sheets"] for w in s["widgets"] if w.get("path") and isinstance(w.get("value"), int)
    ]
    if not widgets:
        return "nothing to tap"
    widget = chance.choice(widgets)
    value = max(0, widget["value"] + chance.choice([-1, 1, 2]))
    said = {"path": widget["path"], "value": value, "words": "counted again"}
    return f"{said} {evening.send(House.owner, type='overrule', **said)['accepted']}"


@act(1)
def concede(evening: Evening, chance: random.Random) -> str:
    """Somebody gives up, once in a while; and most take it back."""
    player, who = chance.choice(list(evening.at.phones.items()))
    if chance.random() < 0.8:
        return "thinks of giving up"
    done = evening.send(who, type="concede", player=player)["accepted"]
    if chance.random() < 0.8:
        evening.send(House.owner, type="undo")
    return f"{player} {done}"


@act(1)
def anew(evening: Evening, chance: random.Random) -> str:
    """A game that is over is put away, and another one is begun."""
    match = evening.at.served.match.match
    if match is None or chance.random() < 0.3:
        evening.begin(chance) if match is None else None
        return "begun" if match is None else "not yet"
    shown = evening.at.shown(House.owner)["match"]
    if not shown["status"]["over"]:
        return "it goes on"
    evening.send(House.owner, type="anew")
    evening.known.shown.clear()
    evening.known.held = 0
    evening.begin(chance)
    return "another game"


@act(1)
def stays(evening: Evening, chance: random.Random) -> str:
    """Pieces that stand elsewhere are let stay."""
    strays = [s.piece for s in evening.at.served.match.strays()]
    who = evening.somebody(chance)
    return f"{strays} {evening.send(who, type='stays', pieces=strays)['accepted']}" if strays else "none"


@act(1)
def restart(evening: Evening, chance: random.Random) -> str:
    """The program is ended, or killed, and begun again."""
    killed = chance.random() < 0.5
    if killed and evening.looked:
        _added_up(evening)
    raise Again(killed=killed, twice=chance.random() < TWICE)
