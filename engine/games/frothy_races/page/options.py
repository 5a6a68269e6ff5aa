"""What may be done now, for buttons; and what can be asked of the table.

Answered from where the camera has them: every hex and facing that it leaves open counts with its odds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engine.boards.board import Cell, Rival, facing_words
from engine.boards.hexes import distance, front_first
from engine.boards.spots import odds_of
from engine.errors import TableRefError
from engine.game.contract import Option, Question, Seen
from engine.game.forms import Candidate, Fact, Form, Input, Number, Pick, Ready
from engine.game.kit.cells import which_of
from engine.game.kit.table import path, standing_of
from engine.game.showing import Mark
from engine.games.frothy_races.acts import attacking, moving
from engine.games.frothy_races.acts.attacking import ATTACKS, discard_value, icons_there
from engine.games.frothy_races.acts.attacking import most as resolving_most
from engine.games.frothy_races.acts.moving import AS, FOR, plain, swaps, values
from engine.games.frothy_races.acts.recognised import judge
from engine.games.frothy_races.acts.rounds import INITIATIVE
from engine.games.frothy_races.book.data import FACES, PHASES, Use, many_dice
from engine.games.frothy_races.page.guide import hexagon
from engine.games.frothy_races.rules import control, moves
from engine.games.frothy_races.rules.damage import LUCKY, by_card
from engine.games.frothy_races.rules.moves import Choice, offered, ways
from engine.games.frothy_races.state import GameState, Task, Turn, Vehicle
from engine.ruling import Belief, Measurement, Ruling, make_check, many
from engine.space.table import TableState, key_of
from engine.words import listed

# What can be asked of two vehicles: who is in front, on which side one stands, what may be reached.

LEVEL = 0.05
"""Less of a space than this is none: the inside decides."""

NO_SPACES = "it has no spaces to move"


class Answer(NamedTuple):
    """What is so where two vehicles stand for sure, None where it cannot be said, and in words why."""

    right: bool | None
    words: str


class Asked(NamedTuple):
    """A kind of question: `words` of the two, what it is called, where the book has it, and its answer."""

    words: str
    label: str
    citation: str
    answer: Callable[[GameState, Vehicle, Vehicle], Answer]


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """What may be asked of the first vehicle and the second, or of one before the other is picked."""
    if state is None or state.track is None or state.over:
        return ()
    known = {key_of(v.name): v for v in state.vehicles if v.here}
    if any(key_of(name) not in known for name in picked[:2]):
        return ()
    two = [known[key_of(name)].name for name in picked[:2]]
    missing = ("", "the other vehicle", "two vehicles")[2 - len(two)]
    named = [*two, "another" if two else "one", "another"]
    return tuple(
        Question(kind, one.words.format(*named), tuple(two), {}, one.label, missing=missing)
        for kind, one in ASKED.items()
    )


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """The answer with the odds of every hex and facing on which the two may stand."""
    if state is None or state.track is None or question.kind not in ASKED:
        raise TableRefError(f"expected {', '.join(ASKED)} in a race but got {question.kind!r}")
    if len(question.pieces) < 2:
        raise TableRefError(
            f"expected two vehicles but got {', '.join(question.pieces) or 'none'}; name both"
        )
    one, other = (state.vehicle(name) for name in question.pieces[:2])
    for v in (one, other):
        if not v.here:
            raise TableRefError(f"{v.name} is not on the track: ask of two that are")
    asked = ASKED[question.kind]
    ones, others = _stands(state, one, table), _stands(state, other, table)
    likely, share, yes, no = Answer(None, ""), 0.0, 0.0, 0.0
    for here in ones:
        for there in others:
            odds = here.probability * there.probability
            found = _standing(state, one, here, other, there, asked)
            yes += odds if found.right is True else 0.0
            no += odds if found.right is False else 0.0
            if odds > share:
                likely, share = found, odds
    # Where one may stand beside the track, nothing is said of that share: it can be neither a yes nor a no.
    yes = max(0.0, min(max(0.5, yes), 1.0 - no))
    number = float(yes > 0.5)
    held = Measurement(Belief(number, 0.0), "", limit=1.0, margin=number - 1.0, p_yes=yes)
    check = make_check(asked.label, held, citation=asked.citation, words=likely.words)
    return Ruling(question.words, table.time, one.name, other.name, (check,))


def _stands(state: GameState, v: Vehicle, table: TableState) -> list[Rival]:
    """Where a vehicle may stand, None beside the track: as the camera has it, else as the race has it."""
    seen = standing_of(table, v.name)
    if seen is None:
        assert v.cell is not None
        return [Rival(v.cell, v.facing, 1.0)]
    return odds_of(state.board.snap(seen))


def _standing(
    state: GameState, one: Vehicle, here: Rival, other: Vehicle, there: Rival, asked: Asked
) -> Answer:
    """The answer where the two stand so."""
    for v, where in ((one, here), (other, there)):
        if where.cell is None or where.facing is None:
            return Answer(None, f"{v.name} is seen beside the track")
    assert here.cell is not None
    if here.cell == there.cell:
        return Answer(False, f"both on {state.board.name_of(here.cell)}")
    now = state.with_vehicle(one.name, cell=here.cell, facing=here.facing)
    now = now.with_vehicle(other.name, cell=there.cell, facing=there.facing)
    return asked.answer(now, now.vehicle(one.name), now.vehicle(other.name))


def _between(one: Cell, other: Cell) -> str:
    count = distance(one, other) - 1
    return f"{many(count, 'hex', 'hexes') if count else 'no hex'} between"


def _front(state: GameState, one: Vehicle, other: Vehicle) -> Answer:
    assert one.cell is not None
    assert other.cell is not None
    there = {v.name: v.cell for v in state.vehicles if v.here and v.cell is not None}
    first = next(name for name in front_first(state.board, there) if name in (one.name, other.name))
    lane = len(state.board.middle)
    gap = (state.board.progress(one.cell) - state.board.progress(other.cell) + 0.5) % 1.0 - 0.5
    spaces = abs(gap) * lane
    apart = f"{spaces:.1f} spaces of the middle lane apart along the track"
    if spaces < LEVEL:
        apart = "level along the track, on its inside"
    return Answer(first == one.name, f"{first} is in front, {apart}; {_between(one.cell, other.cell)}")


def _side(state: GameState, one: Vehicle, other: Vehicle) -> Answer:  # noqa: ARG001
    assert one.cell is not None
    assert other.cell is not None
    for way in range(0, 12, 2):
        if moves.beside(one.cell, way) == other.cell:
            arc = moves.arc_of(one.facing, way)
            where = {"front": "in front of", "side": "to the side of", "rear": "behind"}[arc]
            return Answer(arc == "side", f"{other.name} is {where} {one.name}")
    return Answer(False, f"not beside it: {_between(one.cell, other.cell)}")


def _reaches(state: GameState, one: Vehicle, other: Vehicle) -> Answer:
    assert one.cell is not None
    assert other.cell is not None
    turn = _turn(state, one)
    if turn is None:
        return Answer(False, NO_SPACES)
    into = next((w for w in ways(state, one, turn, turn.left) if w.into == other.name), None)
    words = f"with {many(turn.left, 'space')}; {_between(one.cell, other.cell)}"
    if into is None:
        return Answer(False, f"no way leads into {other.name} {words}")
    return Answer(True, f"space {len(into.cells) + 1} may lead into {other.name} {words}")


def _turn(state: GameState, v: Vehicle) -> Turn | None:
    """The spaces that it has left in its turn, else those of this phase, or of the next one to come."""
    turn = state.turn
    if turn is not None and turn.vehicle == v.name:
        return turn if turn.left and not turn.lost else None
    if not v.races:
        return None
    phase = state.step if state.phase == "move" else 1
    if v.moved and state.phase == "move":
        phase += 1
    spaces = v.licence.spaces(phase, v.speed) if phase <= PHASES else 0
    return Turn(v.name, spaces) if spaces else None


ASKED: Mapping[str, Asked] = {
    "front": Asked("Is {0} in front of {1}?", "In front", INITIATIVE, _front),
    "side": Asked("Does {1} stand to the side of {0}?", "To the side", ATTACKS, _side),
    "reach": Asked("May {0} move into {1}?", "Within reach", moving.MOVEMENT, _reaches),
}
"""Every kind of question."""


def reach(state: GameState | None, question: Question) -> tuple[Mark, ...]:
    """The hexes to which the first vehicle may go, or those to its side."""
    if state is None or state.track is None or not question.pieces or question.kind == "front":
        return ()
    v = next((o for o in state.vehicles if key_of(o.name) == key_of(question.pieces[0]) and o.here), None)
    if v is None:
        return ()
    cells = dict.fromkeys(_sides(v) if question.kind == "side" else _goes(state, v))
    return tuple(
        Mark("polygon", "reach", hexagon(state, cell), piece=v.name)
        for cell in cells
        if state.board.holds(cell)
    )


def _sides(v: Vehicle) -> Iterator[Cell]:
    assert v.cell is not None
    for way in range(0, 12, 2):
        if moves.arc_of(v.facing, way) == "side":
            yield moves.beside(v.cell, way)


def _goes(state: GameState, v: Vehicle) -> Iterator[Cell]:
    turn = _turn(state, v)
    for way in ways(state, v, turn, turn.left) if turn else ():
        yield from way.cells


# What may be done now, for buttons: what is owed, Speed checks, a turn in a movement phase, attacks.


def cards(
    v: Vehicle, faces: Sequence[str] = FACES, use: Sequence[Use] = (), *, least: int = 0, most: int = 99,
    only: str = "",
) -> dict[str, Input]:  # fmt: skip
    """Which cards of the hand are played, each with the side that counts; nothing where there are none.

    `only` one special card, for what it does.
    """
    offered = tuple(one for one in values(v, faces, use) if not only or one[0].endswith(f"{AS}{only}"))
    if not offered:
        return {}
    many = min(most, max(2, len([c for c in v.hand() if any(c.shows(f) for f in faces)])))
    candidates = tuple(Candidate(*one) for one in offered)
    return {"cards": Pick(words="Cards", candidates=candidates, least=least, most=many, optional=least == 0)}


def ready(
    v: Vehicle, faces: Sequence[str], most: int, said: str = "", leads: Callable[[int], str] = lambda _: "",
    **more: str,
) -> tuple[Ready, ...]:  # fmt: skip
    """Answers with up to `most` plain cards of one sort: which of those are played makes no difference.

    `said` comes before the cards in words, `leads` is told their number, `more` is answered besides.
    """
    return tuple(
        Ready(
            f"{said}{count} {face.capitalize()} card{'s' * (count > 1)}",
            {"cards": list(plain(v, face)[:count]), **more}, leads(count),
        )
        for face in faces
        for count in range(1, min(most, len(plain(v, face))) + 1)
    )  # fmt: skip


def ends(state: GameState, v: Vehicle, turn: Turn, seen: Seen) -> dict[str, Input]:
    """Which of several ways a vehicle went, or on which of several hexes and facings it rests, with odds.

    Asked where the camera cannot tell; a way says where it ends, too. A hex that is named once may be tapped
    on the drawing.
    """
    move = seen.newest(v.name)
    if move is None:
        return {}
    one = judge(state, move)
    if one.ways:
        gone = tuple(offered(state, v, turn, way) for way in one.ways[: moves.LISTED])
        return {"over": Pick(words="It went over", candidates=gone, optional=True, at_once=True)}
    if len(one.spots) < 2:
        return {}
    return {"ends": which_of("It rests on", state.board, one.spots, tapped=True)}


def options(state: GameState, seen: Seen) -> tuple[Option, ...]:
    """Everything that somebody may do now."""
    if state.over:
        return ()
    if state.agenda:
        return tuple(_owed(state, state.agenda[0]))
    if state.attack is not None:
        return tuple(_clash(state))
    if state.phase == "setup" and state.track is None:
        grid = "the vehicles stand on the starting grid"
        return (Option("start", None, "Draw lots for the places", grid, main=True),)
    if state.phase == "check":
        return tuple(_check(state, v) for v in state.racing if not v.checked)
    return tuple(_in_turn(state, seen))


# What is owed


def _owed(state: GameState, task: Task) -> Iterator[Option]:
    v = state.vehicle(task.vehicle)
    if not v.races:
        return
    if task.kind == "control":
        yield from _control(state, v, task)
    elif task.kind == "keep":
        totals = tuple(Candidate(t, str(t), leads=_kept(state, v, t, task)) for t in task.data["totals"])
        way = "accelerate" if task.data["accelerates"] else "decelerate"
        what = "Keep these dice" if moving.keeps_dice(state, task.data) else "Take this value"
        yield Option(
            "keep", v.owner, f"{what} to {way}", heading=f"Speed check of {v.name}",
            data={"vehicle": v.name}, form=Form({"value": Pick(
                words="Value", candidates=totals, usual=moving.usual_value(task), at_once=True
            )}),
            piece=v.name, main=True,
        )  # fmt: skip
    elif task.kind == "reface":
        yield from _face(state, v, task)
    elif task.kind == "reroll":
        yield _reroll(v, task)
    elif task.kind == "adapt":
        pairs = tuple(Candidate(FOR.join(p), FOR.join(p)) for p in swaps(v))
        most = max(2, v.trait("Adaptive"))
        form = Form({"swap": Pick(words="Swap", candidates=pairs, least=0, most=most, optional=True)})
        more = f"Adaptive: up to {v.trait('Adaptive')}, or none"
        yield Option(
            "adapt", v.owner, "Swap cards", more, heading=f"{v.name} at the start of the round",
            data={"vehicle": v.name}, form=form, citation=task.citation, piece=v.name, main=True,
        )  # fmt: skip
    elif task.kind == "survive":
        hurt = f"{v.name} sustains {task.data['points']} damage"
        yield _plays("survive", v, "Survivor", "the Damage roll is made again", hurt, task)
    elif task.kind == "recover":
        spent = "the spent cards go to Recovery"
        yield _plays("recover", v, "Determination", "all cards come back to the hand", spent, task)


def _kept(state: GameState, v: Vehicle, value: int, task: Task) -> str:
    """The Speed that a value of the Speed check leads to, what it moves then, and whether that is safe."""
    marker, over, _ = moving.outcome(state, v, value, task.data)
    spaces = sum(v.licence.spaces(phase, marker.speed) for phase in range(1, PHASES + 1))
    turns = f"turns take a Control roll with {many_dice(control.dice_of(v, marker.speed))}"
    told = [f"Speed {marker.speed}", f"{many(spaces, 'space')} in the round"]
    told += [f"over-whips by {over}"] if over else []
    return ", ".join([*told, turns if v.control_dice(marker.speed) else "safe"])


def _reroll(v: Vehicle, task: Task) -> Option:
    """Which dice are rolled again, or none."""
    dice, card = task.data["dice"], by_card(v)
    count = resolving_most(task, v)
    more = f"{task.data['free']} by a trait" if task.data["free"] else ""
    more += f"{', ' if more else ''}{card} more with {LUCKY}" if card else ""
    candidates = tuple(Candidate(k, face, f"die {k}") for k, face in enumerate(dice, start=1))
    again = Pick(
        words="Roll again", more=more, candidates=candidates, least=0, most=max(2, count), optional=True
    )
    return Option(
        "reroll", v.owner, "Go on with these dice", "what is picked is rolled again, once and together",
        heading=f"{v.name}: {task.data['what']}", heading_more=f"The dice show {', '.join(dice)}.",
        data={"vehicle": v.name}, form=Form({"again": again}), citation=task.citation, piece=v.name,
        main=True,
    )  # fmt: skip


def _plays(kind: str, v: Vehicle, card: str, plays: str, keeps: str, task: Task) -> Option:
    """Whether a special card is played: each answer is one tap, and neither is taken for granted."""
    answers = (
        Candidate(True, f"Play {card}", leads=f"{plays}; it is discarded"),
        Candidate(False, f"Keep {card}", leads=keeps),
    )
    return Option(
        kind, v.owner, f"{v.name}: {card}", heading=task.words, data={"vehicle": v.name},
        form=Form({"play": Pick(words=card, candidates=answers, usual=True, at_once=True)}),
        citation=task.citation, piece=v.name, main=True,
    )  # fmt: skip


def _control(state: GameState, v: Vehicle, task: Task) -> Iterator[Option]:
    heading = f"Control roll of {v.name}: {task.data['why']}"
    if "icons" not in task.data:
        dice, driver = control.dice_of(v), v.trait("Driver")
        if dice:
            less = f", Driver {many_dice(driver)}" if driver else ""
            with_cards = ready(
                v, FACES, 2, leads=lambda count: f"{many_dice(dice + count)}, {count + driver} discarded"
            )
            yield Option(
                "control", v.owner, "Roll for control", f"{many_dice(dice)} and one for each card",
                heading=heading, heading_more=f"Each card discards a die{less}.", data={"vehicle": v.name},
                form=Form(cards(v, use=("control",)), ready=with_cards), piece=v.name,
                main=True, facts=(Fact(str(dice), "die" if dice == 1 else "dice"),),
            )  # fmt: skip
        return
    found = control.choices(state, task)
    outcomes = tuple(
        Candidate(
            discard_value(o), f"Discard {discard_value(o)}", leads=o.words,
            group="in control" if not o.failed else "control is lost",
        )
        for o in found
    )  # fmt: skip
    shown = ", ".join(task.data["icons"])
    yield Option(
        "discard", v.owner, "Take this outcome", heading=heading, heading_more=f"The dice show {shown}.",
        data={"vehicle": v.name}, form=Form({"discard": Pick(
            words="Discard", candidates=outcomes, usual=outcomes[0].value, at_once=True
        )}),
        piece=v.name, main=True,
    )  # fmt: skip
    for special in control.after_cards(v):
        fields: dict[str, Input] = {}
        if special == "Cool":
            there = icons_there(task.data["icons"])
            if not there:
                continue
            icons = tuple(Candidate(i, i) for i in there)
            fields["icon"] = Pick(words="Discard all", more="the card is discarded, too", candidates=icons)
        more, vain = _special(special, task.data["icons"])
        yield Option(
            "special", v.owner, f"Play {special}", more, heading=heading,
            data={"vehicle": v.name, "card": special}, form=Form(fields), piece=v.name, vain=vain,
        )  # fmt: skip


def _special(special: str, icons: list[str]) -> tuple[str, bool]:
    """What a special card makes of the dice, and whether that is what they show already."""
    if special == "Cool":
        return "", False
    icon = control.TURNED[special]
    if icon not in icons:
        return f"it changes nothing: there is no {icon}", True
    return f"the dice count as {', '.join(control.swapped(icons, icon))}", False


def _face(state: GameState, v: Vehicle, task: Task) -> Iterator[Option]:
    found, stops = control.facings(state, v)
    if not found:
        return
    kept = () if stops else (v.facing,)
    ways = tuple(
        Candidate(
            f, facing_words(state.board, f), leads="as it stands" if f == v.facing else "turned past it"
        )
        for f in (*kept, *found)
    )
    more = "Its Speed becomes 0." if stops else "By 30°, or as it stands."
    yield Option(
        "face", v.owner, f"Turn it past {task.data['into']}", heading=f"{v.name} after the collision",
        heading_more=more, data={"vehicle": v.name}, citation=task.citation, piece=v.name, main=True,
        form=Form({"facing": Pick(words="It faces", candidates=ways, usual=found[0], at_once=True)}),
    )  # fmt: skip


# The Speed check


def _check(state: GameState, v: Vehicle) -> Option:
    """Cards, and which way: it is chosen with cards, and without them it is what the book says."""
    fields = cards(v, use=("accelerate", "decelerate"))
    held, tired = moving.held_back(state, v), moving.tired_reins(state, v)
    bare = moving.bare_way(state, v)
    often: tuple[Ready, ...] = ()
    if fields:
        fields["way"] = Pick(
            words="Roll to", more="with the cards that are picked", optional=True, at_once=True,
            candidates=tuple(
                Candidate(
                    way, way, "" if way == bare else "with a card",
                    not_now=held if way == "accelerate" else (),
                )
                for way in ("accelerate", "decelerate")
            ),
        )  # fmt: skip
        often = (Ready(f"{bare}, no card", {"cards": [], "way": bare}),)
        for way, face in (("accelerate", "whip"), ("decelerate", "reins")):
            if way != "accelerate" or not held:
                often += ready(v, (face,), 2 if way == "accelerate" else 1, f"{way}, ", way=way)
    more = f"without cards it {bare}s"
    if tired:
        more += f"; {tired} Reins count as played"
    return Option(
        "check", v.owner, f"Speed check of {v.name}", more, heading=f"{v.name} at Speed {v.speed}",
        data={"vehicle": v.name}, form=Form(fields, ready=often), piece=v.name, main=True,
    )  # fmt: skip


# A turn


def _in_turn(state: GameState, seen: Seen) -> Iterator[Option]:
    turn = state.turn
    if turn is None:
        return
    v = state.vehicle(turn.vehicle)
    if not v.races or turn.lost:
        return
    found = moves.choice(state, v, turn) if turn.left else Choice(())
    if turn.left and not found.reins:
        yield _move(state, v, turn, found, seen)
        yield from _at_once(state, v, turn, found, seen)
    if not turn.left and turn.moved:
        yield _turns(v)
    elif not turn.left:
        yield Option("done", v.owner, "It does not move", data={"vehicle": v.name}, piece=v.name, main=True)
    yield from _paces(state, v, turn, found)
    over = dict.fromkeys(
        moves.low(state, cell)
        for way in moving.may_jump(state, v, turn)
        for cell, side in zip(way.cells, way.sides, strict=True)
        if side == "J" and moves.low(state, cell)
    )
    if over:
        yield Option(
            "jump", v.owner, f"Jump over {listed(over, 'or')}", "1 card, a Control roll and a Damage roll",
            heading=f"{v.name}: cards", data={"vehicle": v.name}, form=Form(cards(v, least=1, most=1)),
            piece=v.name,
        )  # fmt: skip
    for other, mover in attacking.sneaks(state):
        yield Option(
            "attack", other.owner, f"Personal attack on {mover.name}", "Sneaky",
            heading=f"{other.name} attacks", piece=mover.name,
            data={"vehicle": other.name, "target": mover.name, "sort": "personal"},
        )  # fmt: skip
    if turn.left or turn.moved:
        for sort in attacking.SORTS:
            for target in attacking.targets(state, v, sort):
                yield Option(
                    "attack", v.owner, f"{sort.capitalize()} attack on {target.name}",
                    heading=f"{v.name} attacks", piece=target.name,
                    data={"vehicle": v.name, "target": target.name, "sort": sort},
                )  # fmt: skip


def _move(state: GameState, v: Vehicle, turn: Turn, found: Choice, seen: Seen) -> Option:
    way = path(seen, v.name)
    typed = way.usual is None
    candidates = tuple(
        Candidate(w.sides, moves.way_words(v, w), moves.met_words(state, v, w)) for w in found.ways
    )
    fields: dict[str, Input] = {"move": way, **ends(state, v, turn, seen)}
    fields["way"] = Pick(
        words="Way", candidates=candidates, usual=candidates[0].value if typed else None,
        optional=not typed, folded=not typed,
    )  # fmt: skip
    turns = (Candidate("straight", "straight on"), Candidate("left", "left"), Candidate("right", "right"))
    fields["turn"] = Pick(words="Then it turns", candidates=turns, optional=True)
    if turn.left > 1:
        fields["spaces"] = Number(
            words="Only so many spaces now", more="to attack on the way", low=1, high=turn.left - 1,
            optional=True, folded=True,
        )  # fmt: skip
    safe = "A Safe Speed." if v.safe else f"A turn takes a Control roll with {many_dice(control.dice_of(v))}."
    more = f"A collision cannot be avoided: choose what it runs into. {safe}" if found.forced else safe
    heading = f"{v.name} moves {many(turn.left, 'space')}"
    return Option(
        "move", v.owner, "The move is done", heading=heading, heading_more=more,
        data={"vehicle": v.name}, form=Form(fields), piece=v.name, main=True,
    )  # fmt: skip


def _at_once(state: GameState, v: Vehicle, turn: Turn, found: Choice, seen: Seen) -> Iterator[Option]:
    """What it may run into from where it stands: nothing of that is to be pushed, nor to be seen."""
    if seen.table is None or seen.newest(v.name) is not None:
        return
    here = {moves.meaning(state, v, turn, way): way for way in reversed(found.ways) if not way.cells}
    for way in reversed(here.values()):
        kind = control.met(state, way.steps[0], way.into)[1]
        yield Option(
            "move", v.owner, f"Run into {way.into} where it stands", f"{kind}, {moves.SIDES[way.sides[0]]}",
            heading=f"{v.name} moves {many(turn.left, 'space')}", data={"vehicle": v.name, "way": way.sides},
            citation=moving.FORCED, piece=v.name,
        )  # fmt: skip


def _turns(v: Vehicle) -> Option:
    safe = "a Safe Speed" if v.safe else f"a Control roll with {many_dice(control.dice_of(v))}"
    turns = (
        Candidate("straight", "straight on", leads="its turn is over"),
        Candidate("left", "left", leads=safe),
        Candidate("right", "right", leads=safe),
    )
    return Option(
        "steer", v.owner, "End the movement", heading=f"{v.name} has moved", data={"vehicle": v.name},
        form=Form({"turn": Pick(words="It turns", candidates=turns, usual="straight", at_once=True)}),
        piece=v.name, main=True,
    )  # fmt: skip


def _paces(state: GameState, v: Vehicle, turn: Turn, found: Choice) -> Iterator[Option]:
    """A Whip card for a space more, a Reins card for one less."""
    if turn.card:
        return
    boxed = found.forced or found.reins or not moves.free_ways(state, v, turn, turn.left + 1)
    if moving.may_whip(state, v, turn) and not boxed:
        yield _pace(v, "whip", "A space more", cards(v, ("whip",), ("move",), least=1, most=1))
    elif moving.may_ram(state, v, turn):
        # Whatever stands in the way, this card alone lets it collide on purpose.
        ramming = cards(v, ("whip",), ("move",), least=1, most=1, only=moving.RAMMING)
        yield _pace(v, "whip", f"A space more, with {moving.RAMMING}", ramming)
    if turn.left and v.hand("reins"):
        fields = cards(v, ("reins",), ("move",), least=1, most=1)
        if any(c.special == "Emergency Stop" for c in v.hand()):
            fields["fewer"] = Number(
                words="Spaces less with Emergency Stop", low=1, high=turn.left, usual=1, folded=True
            )
        words = "A space less, to avoid a collision" if found.reins else "A space less"
        yield _pace(v, "reins", words, fields, main=found.reins)


def _pace(v: Vehicle, face: str, words: str, fields: dict[str, Input], *, main: bool = False) -> Option:
    return Option(
        "pace", v.owner, words, f"1 {face.capitalize()} card", heading=f"{v.name}: cards",
        data={"vehicle": v.name, "face": face}, form=Form(fields), piece=v.name, main=main,
    )  # fmt: skip


def _clash(state: GameState) -> Iterator[Option]:
    attack = state.attack
    assert attack is not None
    for v in attacking.chooses(state, attack):
        begins = v.name == attack.attacker
        faces = attacking.counts_as(v, attack.sort, begins=begins)
        least = int(begins)
        use = f"{attack.sort} {'attack' if begins else 'defence'}"
        against = attack.target if begins else attack.attacker
        left = sum(len(o.hand()) for o in state.vehicles)
        group = f"round {state.round}, phase {state.step}: {attack.attacker} attacks, {left} cards in hand"
        yield Option(
            "clash", v.owner, "Choose cards", "in secret; revealed together",
            heading=f"{attack.sort.capitalize()} attack {'on' if begins else 'by'} {against}",
            form=Form(cards(v, faces, (use,), least=least), ready=ready(v, faces, 4)),  # type: ignore[arg-type]
            sealed=group, piece=v.name, main=True,
        )  # fmt: skip
