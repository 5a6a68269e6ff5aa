"""A movement phase: the Speed check, cards for a space more or less, the way, and its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from engine.errors import TableRefError
from engine.game.events import Action, JsonObject, Reason
from engine.games.frothy_races.book import data as book
from engine.games.frothy_races.book.data import FACES, SPECIALS, Marker, Use, cite
from engine.games.frothy_races.rules import moves
from engine.games.frothy_races.rules.control import OVER_WHIPPING, collide
from engine.games.frothy_races.rules.damage import reroll_task
from engine.games.frothy_races.rules.moves import Way
from engine.games.frothy_races.state import Card, GameState, Play, Task, Turn, Vehicle
from engine.ruling import many, signed
from engine.words import listed

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
        words += f"; {listed(gone)} {'is' if len(gone) == 1 else 'are'} discarded"
    play.tell("cards", words, CARDS, vehicle=name, spent=spent, gone=gone)


def special_played(play: Play, name: str, special: str) -> None:
    """One special card is played for what it does."""
    card = next(c for c in play.vehicle(name).hand() if c.special == special)
    play_cards(play, name, Played(((card, SPECIALS[special].face),), (special,)), SPECIALS[special].words)


# Cards that are swapped

SWAPPING = cite("Traits", "Card Recovery")
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
        play.tell("adapted", words, SWAPPING, vehicle=v.name, pairs=[list(pair) for pair in pairs])


# The Speed check: cards, dice, which two are kept, and the change of Speed that follows.

CHECK = book.cite("Speed Check")
RESULT = book.cite("Speed Check", "Result of the Speed Check")
CHANGES = book.cite("Speed Changes")
GRANDSTANDING = book.cite("Optional Rules", "Speed Check")
CHAMPING = book.cite("Traits", "Acceleration")

ALTERNATIVE = book.cite("Alternative Rules", "Speed Check")

AGAIN = {True: "Lash", False: "Tight Leash"}
"""The traits with which dice are rolled again, by whether it accelerates."""

STEADY = {True: "Tireless", False: "Anchor"}
"""The traits with which no dice are rolled, by whether it accelerates."""


def tired_reins(state: GameState, v: Vehicle) -> int:
    """The Reins cards that count as played because of its Stamina."""
    return sum(e.amount for e in v.tired if e.sort == "reins") if state.rules.stamina else 0


def bare_way(state: GameState, v: Vehicle) -> str:
    """Which way it goes without cards: it decelerates, unless it is champing at the bit."""
    return "accelerate" if v.trait("Champing at the Bit") and not held_back(state, v) else "decelerate"


def way_of(state: GameState, v: Vehicle, said: Mapping[str, Any], played: Played) -> bool:
    """Whether it accelerates; without cards there is nothing to choose."""
    if not played.cards:
        return bare_way(state, v) == "accelerate"
    usual = "decelerate" if held_back(state, v) else "accelerate"
    return bool(said.get("way", usual) == "accelerate")


def held_back(state: GameState, v: Vehicle) -> tuple[Reason, ...]:
    """Why a leader may not accelerate: Grandstanding to the Crowd."""
    ahead = moves.ahead_by(state, v)
    if ahead is None or not state.rules.grandstanding or not moves.far(state, ahead):
        return ()
    words = f"{v.name} leads by {many(round(ahead), 'space')} and may not accelerate"
    return (Reason(words, GRANDSTANDING),)


def against(state: GameState, v: Vehicle, said: Mapping[str, Any]) -> list[Reason]:
    """What the book has against a Speed check."""
    must = bare_way(state, v)
    if picked(v, said).cards or said.get("way") in (None, must):
        return []
    rule = CHECK if must == "decelerate" else CHAMPING
    return [Reason(f"without Whip or Reins cards it must {must}", rule)]


def extra_dice(state: GameState, v: Vehicle, *, accelerates: bool) -> int:
    """Dice besides those of cards: for who is last and far behind, and by traits."""
    shamed = state.rules.shame and accelerates and moves.far(state, moves.behind_by(state, v))
    return int(shamed) + v.trait("Long Legs" if accelerates else "Rubber Shoes")


def do_check(play: Play, action: Action) -> None:
    """Cards are played, dice rolled; what is left to choose stays on the agenda."""
    v = play.vehicle(str(action.data["vehicle"]))
    played = picked(v, action.data)
    accelerates = way_of(play.state, v, dict(action.data), played)
    play_cards(play, v.name, played, f"Speed check to {'accelerate' if accelerates else 'decelerate'}")
    whip, reins = played.count("whip"), played.count("reins") + tired_reins(play.state, v)
    bonus = played.bonus("accelerate" if accelerates else "decelerate")
    why = f"Speed check of {v.name}, to {'accelerate' if accelerates else 'decelerate'}"
    data = {"accelerates": accelerates, "bonus": bonus, "cards": whip + reins}
    if v.trait(STEADY[accelerates]):
        _offer(play, v, tuple(range(v.trait(STEADY[accelerates]) + 1)), data)
        return
    adjust = play.state.rules.adjust
    # Cards add no dice then; the Whips of Shame and traits still do, and one die of all is kept.
    count = (1 if adjust else 2 + whip + reins) + extra_dice(play.state, v, accelerates=accelerates)
    values = play.numbers(v, count, why, ALTERNATIVE if adjust else CHECK)
    data["forced"] = 0 if v.trait("Beastmaster") else book.forced_lowest(whip, reins, accelerates=accelerates)
    again = reroll_task(v, values, AGAIN[accelerates], "check", why, check=data)
    if again is not None:
        play.owe(again)
        return
    _rolled(play, v, values, data)


def rolled_again(play: Play, task: Task, dice: list[str]) -> None:
    """The Speed check goes on with these dice."""
    _rolled(play, play.vehicle(task.vehicle), tuple(int(d) for d in dice), dict(task.data["check"]))


def _rolled(play: Play, v: Vehicle, values: tuple[int, ...], data: dict[str, Any]) -> None:
    """The dice lie: what they come to is offered."""
    if play.state.rules.adjust:
        by = range(-data["cards"], data["cards"] + 1)
        _offer(play, v, tuple(sorted({max(value + k, 0) for value in values for k in by})), data)
    else:
        _offer(play, v, tuple(sum(pair) for pair in book.check_pairs(values, data["forced"])), data)


def _offer(play: Play, v: Vehicle, totals: tuple[int, ...], data: dict[str, Any]) -> None:
    """The values to choose from; one alone applies at once."""
    if len(totals) == 1:
        change(play, v.name, totals[0], data)
        return
    dice = keeps_dice(play.state, data)
    words = f"{v.name} chooses {'which dice' if dice else 'the value'} of its Speed check{' it keeps' * dice}"
    play.owe(Task("keep", v.name, words, CHECK, {**data, "totals": list(totals)}))


def keeps_dice(state: GameState, data: Mapping[str, Any]) -> bool:
    """Whether a Speed check is chosen among its dice: not by cards on a single one, nor without any."""
    return "forced" in data and not state.rules.adjust


def do_keep(play: Play, action: Action) -> None:
    """The dice that are kept are chosen."""
    task = play.resolve()
    change(play, task.vehicle, int(action.data.get("value", usual_value(task))), dict(task.data))


def usual_value(task: Task) -> int:
    """The value that is meant where none is given: the most when it accelerates, else the least."""
    totals = task.data["totals"]
    return int(max(totals) if task.data["accelerates"] else min(totals))


def spurred(state: GameState, v: Vehicle) -> int:
    """What its Rival adds, while that vehicle is ahead."""
    other = next((o for o in state.racing if o.name == v.rival), None)
    ahead = other is not None and other.travelled > v.travelled + moves.LEVEL
    return v.trait("Rival") if ahead else 0


def modified(v: Vehicle, value: int, bonus: int, *, accelerates: bool, rolled: bool) -> int:
    """The Speed check value with what special cards add, and to one that was `rolled` traits and damage."""
    value += bonus
    if rolled and accelerates:
        value += v.amount("accelerating") + v.trait("Hyperactive") - v.trait("Cautious")
    elif rolled:
        value += v.amount("decelerating") + v.trait("Lazy") - v.trait("Reckless")
    most = [e.amount for e in v.effects if e.sort == f"most {'ac' if accelerates else 'de'}celeration"]
    return min([value, *most])


def outcome(state: GameState, v: Vehicle, value: int, data: Mapping[str, Any]) -> tuple[Marker, int, str]:
    """Where the Speed marker comes to stand, by how many boxes it over-whips, and that in words."""
    accelerates = bool(data["accelerates"])
    # With Tireless or Anchor no roll is made.
    rolled = "forced" in data
    bonus = data["bonus"] + (spurred(state, v) if accelerates and rolled else 0)
    total = modified(v, value, bonus, accelerates=accelerates, rolled=rolled)
    if total < 0 and (v.trait("Cautious") if accelerates else v.trait("Reckless")):
        accelerates, total = not accelerates, -total
    total = max(total, 0)
    many, marker = f"{total} box{'es' * (total != 1)}", Marker(v.speed, v.box, v.brake)
    if not accelerates:
        return book.decelerated(v.licence, marker, total), 0, f"decelerates by {many}"
    marker, over = book.accelerated(v.licence, marker, total, v.top)
    words = f"accelerates by {many}" + (f" and over-whips by {over}" if over else "")
    return book.decelerated(v.licence, marker, over), over, words


def change(play: Play, name: str, value: int, data: dict[str, Any]) -> None:
    """The Speed marker moves; beyond the maximum it is moved back by the difference."""
    marker, over, words = outcome(play.state, play.vehicle(name), value, data)
    play.set_speed(name, marker, words, OVER_WHIPPING if over else CHANGES, always=True)
    play.tell("checked", f"{name} goes at Speed {play.vehicle(name).speed}", RESULT, vehicle=name)


# A vehicle's turn in a movement phase: cards for a space more or less, the way, turning, the end of it.

MOVEMENT = book.cite("Movement")
STRAIGHT = book.cite("Movement", "Straight Movement")
DRIFT = book.cite("Movement", "Drift Movement")
TURNING = book.cite("Movement", "Changing Direction (Turning)")
MODIFYING = book.cite("Movement", "Modifying Movement")
JUMPS = book.cite("Movement", "Jumps")
LEAP = 2
"""The spaces that a Leap clears."""
FORCED = book.cite("Movement", "Movement & Collisions")
DRIFTS = book.cite("Alternative Rules", "Drift Moves")

RAMMING = "Ramming Speed"

TURNS = {"left": 1, "straight": 0, "right": -1}


def mover(state: GameState) -> tuple[Vehicle, Turn]:
    """Whose turn it is."""
    if state.turn is None:
        raise TableRefError("nobody's turn to move")
    return state.vehicle(state.turn.vehicle), state.turn


def do_pace(play: Play, action: Action) -> None:
    """A Whip card adds a space, a Reins card takes one away."""
    v, turn = mover(play.state)
    played = picked(v, action.data)
    (_, face), stop = played.cards[0], "Emergency Stop" in played.specials
    fewer = int(action.data.get("fewer") or 1) if stop else 1
    left = turn.left + 1 if face == "whip" else max(turn.left - fewer, 0)
    words = f"{signed(left - turn.left)} space{'s' * (abs(left - turn.left) != 1)}"
    play_cards(play, v.name, played, words)
    told = f"{v.name} has {many(left, 'space')} to move"
    ramming = RAMMING in played.specials
    play.tell("paces", told, MODIFYING, vehicle=v.name, left=left, card=face, ramming=ramming)
    if stop:
        marker = book.rated(v.licence, play.marker(v.name), v.speed - fewer, v.top)
        play.set_speed(v.name, marker, "Emergency Stop", MODIFYING)


def may_jump(state: GameState, v: Vehicle, turn: Turn) -> tuple[Way, ...]:
    """The jumps that it may make now with a card, once in its turn and moving straight."""
    barred = v.trait("Whitey") or turn.jump or not turn.straight or turn.lost or not v.hand()
    if not state.rules.jumps or barred or turn.left < 2:
        return ()
    return moves.jumps(state, v, LEAP if v.trait("Leap") else 1, turn.left)


def do_jump(play: Play, action: Action) -> None:
    """A card is played: the movement clears a low obstacle, or two with Leap."""
    v, _ = mover(play.state)
    play_cards(play, v.name, picked(v, action.data), "a jump")
    clears = LEAP if v.trait("Leap") else 1
    play.tell("jumps", f"{v.name} jumps", JUMPS, vehicle=v.name, clears=clears)


def way_called(state: GameState, v: Vehicle, turn: Turn, sides: str) -> Way:
    """The way of these sides among those that are allowed; an error that names them."""
    found = moves.choice(state, v, turn)
    full = next((w for w in found.ways if w.sides == sides), None)
    if full is not None and not found.reins:
        return full
    part = next((w for w in moves.ways(state, v, turn, len(sides)) if w.sides == sides), None)
    begins = len(sides) < turn.left and any(w.sides.startswith(sides) for w in found.ways)
    if part is not None and not part.into and begins and not found.reins:
        return part
    known = ", ".join(w.sides for w in found.ways) or "none"
    raise TableRefError(f"{v.name} cannot go {sides!r} now; expected one of {known}, or the beginning of one")


def do_move(play: Play, action: Action) -> None:
    """It goes its way from hex to hex, up to where something happens; then it may turn."""
    v, turn = mover(play.state)
    way = way_called(play.state, v, turn, str(action.data["way"]))
    if not _went(play, v.name, way, str(action.data.get("unseen", ""))):
        return
    turned = action.data.get("turn")
    if turned is not None and play.turn.left == 0:
        turn_by(play, TURNS[str(turned)])


def _went(play: Play, name: str, way: Way, unseen: str = "") -> bool:
    """Whether it went the whole way with nothing to resolve.

    `unseen` is told once, with the first part: what the camera did not see of the way.
    """
    done = 0
    while done < len(way.cells):
        run = done + 1
        while run < len(way.cells) and not _stops(play.state, play.vehicle(name), way, run):
            run += 1
        drifts = play.turn.drifts
        _run(play, name, way, done, run, "" if done else unseen)
        moves.enter(play, name)
        if "J" in way.sides[done:run]:
            v = play.vehicle(name)
            play.owe(moves.control_task(name, "a jump", JUMPS, heading=v.facing, jump=moves.half(v.speed)))
        if play.turn.drifts > max(drifts, 1):
            _drift_costs(play, name, way.sides[run - 1])
        done = run
        if play.state.agenda:
            return False
    if way.into:
        v, turn = play.vehicle(name), play.turn
        side = way.sides[len(way.cells)]
        play.tell("lost", f"{name} would move into {way.into}", FORCED, vehicle=name)
        collide(play, name, way.steps[len(way.cells)], way.into, heading=v.facing, side=side)
        assert turn.vehicle == name
        return False
    return True


def _stops(state: GameState, v: Vehicle, way: Way, run: int) -> bool:
    """Whether something is to be resolved on the hex that is the last of a run."""
    if way.sides[run - 1] == "J":
        return False
    if run > 1 and way.sides[run - 2] == "J":
        return True
    before = way.sides[run - 2] if run > 1 else state.turn.side if state.turn is not None else ""
    costly = state.rules.more_drifts == "control" and moves.is_drift(v, way.sides[run - 1], before)
    return moves.meets(state, v, way.cells[run - 1]) or costly


def _run(play: Play, name: str, way: Way, done: int, run: int, unseen: str = "") -> None:
    """The hexes from one to another, told as one."""
    v, turn = play.vehicle(name), play.turn
    board, cells = play.state.board, way.cells[done:run]
    after = v
    for cell in cells:
        after = replace(after, travelled=moves.stepped(play.state, after, cell), cell=cell)
    sides = way.sides[done:run]
    corner = v.facing % 2 == 1
    last, drifts = turn.side, 0
    for s in sides:
        drifts += moves.is_drift(v, s, last)
        last = s
    words = f"{name} moves {many(len(cells), 'space')} to {board.name_of(cells[-1])}"
    if drifts:
        words += f" with {'a drift' if drifts < 2 else f'{drifts} drifts'}"
    if "J" in sides:
        words += " with a jump"
    more = {"unseen": unseen} if unseen else {}
    words += f" ({unseen})" if unseen else ""
    rule = STRAIGHT if not drifts else DRIFTS if corner else DRIFT
    play.tell(
        "moved", words, rule, vehicle=name, cells=[list(c) for c in cells],
        travelled=after.travelled, left=turn.left - len(cells), drifts=turn.drifts + drifts,
        doubled=turn.doubled or (corner and drifts > 0), side=last if corner else "",
        straight=not drifts and "J" not in sides, jumped="J" in sides, **more,
    )  # fmt: skip


def _drift_costs(play: Play, name: str, side: str) -> None:
    """Where a further drift takes a Control roll, it does so at once."""
    if play.state.rules.more_drifts == "control":
        heading = moves.step_to(play.vehicle(name).facing, side)
        play.owe(moves.control_task(name, "a further drift", DRIFTS, heading=heading))


def turn_by(play: Play, turned: int) -> None:
    """It changes its direction by 30° or goes on straight; at no Safe Speed it makes a Control roll."""
    v, turn = mover(play.state)
    if not turned:
        end_turn(play, v.name)
        return
    way = "left" if turned > 0 else "right"
    facing = (v.facing + turned) % 12
    play.tell("turned", f"{v.name} turns 30° to the {way}", TURNING, vehicle=v.name, facing=facing, ends=True)
    if not v.safe:
        before: dict[str, Any] = {"heading": v.facing, "side": turn.side, "way": v.facing}
        play.owe(moves.control_task(v.name, f"turning {way}", TURNING, **before))


def do_turn(play: Play, action: Action) -> None:
    """It turns at the end of its movement, or does not."""
    turn_by(play, TURNS[str(action.data.get("turn", "straight"))])


def do_done(play: Play, _action: Action) -> None:
    """A vehicle that did not move ends its turn."""
    end_turn(play, mover(play.state)[0].name)


def end_turn(play: Play, name: str) -> None:
    """Its turn is over; straight movement gives back control."""
    v, turn = play.vehicle(name), play.turn
    if turn.moved and turn.straight and not v.involved and v.control > v.least_control:
        play.add_control(name, -1, "straight movement")
    play.tell("ended", f"the turn of {name} is over", MOVEMENT, vehicle=name)


def may_whip(state: GameState, v: Vehicle, turn: Turn) -> bool:
    """Whether a Whip card may add a space: where a free way of one more is left, or somebody to be rammed."""
    if turn.card or turn.lost or not v.whips:
        return False
    return bool(moves.free_ways(state, v, turn, turn.left + 1)) or may_ram(state, v, turn)


def may_ram(state: GameState, v: Vehicle, turn: Turn) -> bool:
    """Whether Ramming Speed may be played on a vehicle that a way of one space more runs into."""
    if turn.card or turn.lost or not v.holds(RAMMING):
        return False
    names = {o.name for o in state.racing}
    return any(w.into in names for w in moves.ways(state, v, turn, turn.left + 1))
