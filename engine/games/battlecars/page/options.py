"""What may be done now, for buttons; and what can be asked of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from engine.boards.board import Cell, facing_words
from engine.boards.points import Points
from engine.boards.spots import spot_words, spots_of, sure
from engine.errors import TableRefError
from engine.game.contract import Option, Question, Reckoned, Seen
from engine.game.forms import Candidate, Fact, Form, Input, Number, Numbers, Pick, SheetPlace
from engine.game.kit.cells import which_of
from engine.game.kit.table import path
from engine.game.log.places import standing_still
from engine.game.showing import Mark
from engine.games.battlecars.acts import beginning, firing, moving, rounds
from engine.games.battlecars.acts.recognised import judge
from engine.games.battlecars.book.data import SIDES, Weapon, cite
from engine.games.battlecars.page.sheets import SPEEDS
from engine.games.battlecars.rules import lines, pieces
from engine.games.battlecars.rules.damage import block_of
from engine.games.battlecars.rules.lines import Aim
from engine.games.battlecars.rules.moves import offered
from engine.games.battlecars.rules.shots import DAMAGE, FIRING, NOMINATE, TO_HIT, Modifier, modifiers, needed
from engine.games.battlecars.state import GameState, Person, Turn, Vehicle, the
from engine.ruling import Belief, Measurement, Ruling, Witness, make_check, many, signed
from engine.space.table import Standing, TableState, key_of

# What can be asked of the board: whether a vehicle is on a line of fire of another, and the range.

SHOT, LINE = "shot", "Line of fire"
RANGE = cite("Game Turn", "Calculate Range")


def questions(state: GameState | None, picked: tuple[str, ...]) -> tuple[Question, ...]:
    """The line of fire from the first vehicle to the second."""
    if state is None or state.unstarted:
        return ()
    if len(picked) > 1:
        words = f"Is {picked[1]} the nearest on a line of fire from {picked[0]}?"
        return (Question(SHOT, words, picked[:2], {}, LINE),)
    missing = "the target" if picked else "the vehicle that fires, then the target"
    words = f"What may {picked[0]} fire at?" if picked else "What may be fired at?"
    return (Question(SHOT, words, picked, {}, LINE, missing=missing),)


def rule(state: GameState | None, question: Question, table: TableState) -> Ruling:
    """Whether a Pod or Turret has the target as the nearest on one of its lines, and the range in points."""
    if question.kind != SHOT or state is None:
        raise TableRefError(f"expected a question of the kind {SHOT!r} in a match but got {question.kind!r}")
    if len(question.pieces) < 2:
        raise TableRefError(
            f"expected two vehicles but got {', '.join(question.pieces) or 'none'}; name both"
        )
    one, other = state.vehicle(question.pieces[0]), state.vehicle(question.pieces[1])
    found = [aim for aim in lines.aims(state, one) if key_of(aim.target.name) == key_of(other.name)]
    shown = _drawn(state, table, one, other)
    sure = Measurement(Belief(float(len(found)), 0.0), "", shown).at_least(1.0)
    words = _words(state, one, other, found)
    check = make_check("Nearest Target on a Line", sure, citation=FIRING if found else RANGE, words=words)
    return Ruling(question.words, table.time, one.name, other.name, (check,), "fire")


def _drawn(state: GameState, table: TableState, one: Vehicle, other: Vehicle) -> Witness:
    """The line from point to point, and the piece that stands first on it where that is another one."""
    if one.cell is None or other.cell is None or one.cell == other.cell:
        return Witness()
    ends = np.array([state.board.pose_of(cell).xy for cell in (one.cell, other.cell)])
    facing = state.board.facing_to(one.cell, other.cell)
    first = None if facing is None else lines.along(state, one.cell, facing, bike=one.bike).nearest
    bars = first is not None and key_of(first.name) != key_of(other.name)
    piece = table.called(first.name) if first is not None and bars else None
    return Witness(ends, () if piece is None else (piece.name,))


def _words(state: GameState, one: Vehicle, other: Vehicle, found: list[Aim]) -> str:
    if found:
        return "; ".join(f"{aim.mount}, {aim.weapon.name}, range {aim.target.range}" for aim in found)
    if one.cell is None or other.cell is None:
        return "one of them is not on the board"
    facing = state.board.facing_to(one.cell, other.cell)
    if facing is None:
        return "no line joins them"
    line = lines.along(state, one.cell, facing, bike=one.bike)
    if line.nearest is not None and key_of(line.nearest.name) == key_of(other.name):
        return "no loaded Pod or Turret fires along that line"
    return f"on that line stands first: {line.nearest.name if line.nearest else line.ends}"


def reach(state: GameState | None, question: Question) -> tuple[Mark, ...]:
    """The lines of fire of the first vehicle."""
    if state is None or question.kind != SHOT or not question.pieces:
        return ()
    if not any(key_of(v.name) == key_of(question.pieces[0]) for v in state.vehicles):
        return ()
    vehicle = state.vehicle(question.pieces[0])
    if vehicle.cell is None:
        return ()
    start = state.board.pose_of(vehicle.cell)
    found = []
    for aim in lines.aims(state, vehicle):
        end = state.board.pose_of(aim.target.cell)
        ends = ((round(start.x, 3), round(start.y, 3)), (round(end.x, 3), round(end.y, 3)))
        found.append(Mark("line", "sight", ends, aim.target.name, piece=vehicle.name))
    return tuple(found)


# What may be done now, for buttons: set-up, speeds, fire that may be returned, a driver's turn.


def ends(state: GameState, vehicle: Vehicle, seen: Seen) -> dict[str, Input]:
    """Which of several ways a vehicle went, or on which of several points and facings it stands.

    Asked where the camera cannot tell; a way says where it ends, too.
    """
    move = seen.newest(vehicle.name)
    if move is None:
        return {}
    one = judge(state, vehicle.name, move)
    if one.ways:
        found = tuple(offered(state, vehicle, way) for way in one.ways)
        return {"way": Pick(words="It went over", candidates=found, optional=True, at_once=True)}
    if not one.spots or sure(one.spots):
        return {}
    return {"ends": which_of("It stands on", state.board, one.spots)}


@lru_cache(maxsize=4096)
def candidate_at(board: Points, cell: Cell) -> Candidate:
    """A point by its number, to be picked by name or tapped where it lies; the same ones for every state."""
    pose = board.pose_of(cell)
    return Candidate(
        cell[1] * board.columns + cell[0], board.name_of(cell), at=(round(pose.x, 3), round(pose.y, 3))
    )


def walk_fields(state: GameState, piece: str, points: tuple[Candidate, ...], seen: Seen) -> dict[str, Input]:
    """Where a driver walks whose figure is on the table: as it was moved, else a point that is typed.

    Points are at hand where the figure is out of sight; one that rests in sight is to be pushed, or stays.
    """
    way = path(seen, piece)
    fields: dict[str, Input] = {"move": way}
    move = seen.newest(piece)
    spots = () if move is None else spots_of(state.board, move.after)
    if spots and not sure(spots):
        fields["ends"] = which_of("It stands on", state.board, spots)
    folded = way.usual is not None or standing_still(piece, seen.table) is not None
    fields["point"] = Pick(words="To", candidates=points, optional=True, folded=folded)
    return fields


def options(state: GameState, seen: Seen) -> tuple[Option, ...]:
    """Everything that somebody may do now."""
    if state.over:
        return ()
    if state.phase == "setup":
        return tuple(_set_up(state, seen)) if state.first is None else ()
    if state.reply is not None:
        return tuple(_reply(state))
    return tuple(_speeds(state) if state.phase == "speed" else _in_turn(state, seen))


def _in_turn(state: GameState, seen: Seen) -> Iterator[Option]:
    """What the driver whose turn it is may do; nothing for one who is dead or stunned."""
    turn = state.turn
    if turn is None or state.person(turn.person).dead:
        return
    person = state.person(turn.person)
    vehicle = state.driven(person)
    if turn.stage == "move" and vehicle is None:
        yield from _on_foot(state, turn, person, seen)
    elif turn.stage == "move" and vehicle is not None and not vehicle.stunned:
        yield from _driving(state, turn, vehicle, seen)
    elif turn.stage != "move" and (vehicle is None or not vehicle.stunned):
        yield from _firing(state, turn, person, vehicle, seen)


# Before the first game turn


def _set_up(state: GameState, seen: Seen) -> Iterator[Option]:
    yield Option(
        "start", None, "Roll for the first move", "the vehicles stand on the centre points of the sides",
        main=True,
    )  # fmt: skip
    board = beginning.board_now(state, seen.board)
    kinds = (Candidate("building", "Building"), Candidate("trees", "Trees"))
    fields: dict[str, Input] = {
        "kind": Pick(words="Terrain", candidates=kinds),
        "column": Number(words="From column", more="A is 1, B is 2", low=1, high=board.columns),
        "row": Number(words="From row", low=1, high=board.rows),
        "columns": Number(words="Columns covered", low=1, high=4, usual=1),
        "rows": Number(words="Rows covered", low=1, high=4, usual=1),
    }
    for standing in pieces.terrain_seen(state, seen, board):
        yield _as_it_lies(board, standing)
    yield Option("build", None, "Place terrain", "its corners lie where diagonals cross", form=Form(fields))


def _as_it_lies(board: Points, standing: Standing) -> Option:
    """A terrain piece on the table, on the points that it covers; which, where that is open."""
    lie = pieces.lie_of(board, standing)
    kinds = (Candidate("building", "Building"), Candidate("trees", "Trees"))
    fields: dict[str, Input] = {
        "kind": Pick(words="It is", candidates=kinds, usual=pieces.usual_kind(standing))
    }
    if not lie.sure:
        fields["lies"] = which_of("Its lowest point", board, lie.spots)
    more = f"{lie.size[0]} by {lie.size[1]} points, the lowest {spot_words(board, lie.spots)}"
    return Option(
        "build", None, f"Place {standing.name} as it lies", more, data={"piece": standing.name},
        form=Form(fields), piece=standing.name,
    )  # fmt: skip


def _speeds(state: GameState) -> Iterator[Option]:
    for player in state.order:
        mine = state.choosing(player)
        if not mine:
            continue
        fields: dict[str, Input] = {}
        for number, v in enumerate(mine, start=1):
            low, high = v.speeds
            more = "now {}, from {} to {}".format(*(signed(n, "d") for n in (v.speed, low, high)))
            fields[rounds.speed_field(number)] = Number(
                words=f"Speed of {v.name}", more=more, low=low, high=high, usual=rounds.usual_speed(v),
                leads=tuple(_speed_leads(v, speed) for speed in range(low, high + 1)),
                on=tuple(SheetPlace(v.name, SPEEDS, speed) for speed in range(low, high + 1)),
            )  # fmt: skip
        yield Option(
            "speed", player, "Place the Speed Counter", "face down; all are revealed together",
            heading=f"Game turn {state.round}", form=Form(fields),
            sealed=f"game turn {state.round}", piece=mine[0].name, main=True,
        )  # fmt: skip


def _speed_leads(v: Vehicle, speed: int) -> str:
    """How far it goes at a Speed, and which corners are safe then."""
    if not speed:
        return "stays, and may turn on the point"
    points = f"{many(abs(speed), 'point')}{' backward' * (speed < 0)}"
    safe = [k for k in range(1, v.layout.sharpest + 1) if abs(speed) <= v.safe(k)]
    return f"{points}, {f'corners up to {45 * max(safe)}° are safe' if safe else 'every corner skids'}"


# Moving


def _driving(state: GameState, turn: Turn, vehicle: Vehicle, seen: Seen) -> Iterator[Option]:
    if vehicle.speed:
        yield _move(state, turn, vehicle, seen)
        if state.house.on_the_way and turn.left is not None and not vehicle.slid:
            yield from _fires(state, turn, state.person(turn.person))
            yield from _drops(state, turn, vehicle, seen)
        return
    yield Option(
        "pivot", turn.player, "Stay" if vehicle.wreck else "Stay, or turn on the point",
        heading=f"{vehicle.name}, Speed 0",
        heading_more="A wreck does not turn." if vehicle.wreck else "A three-point turn to any facing.",
        form=Form({"facing": _facing(state, vehicle, seen)}), piece=vehicle.name, main=True,
    )  # fmt: skip
    yield Option("leave", turn.player, "Get out", piece=vehicle.name)


def _facing(state: GameState, vehicle: Vehicle, seen: Seen) -> Pick:
    """Which way it faces from now on: as it was turned by hand, or as it stood; asked where that is open."""
    board, was = state.board, vehicle.facing
    if vehicle.wreck:
        here = (Candidate(was, facing_words(board, was), "as it stands"),)
        return Pick(words="It faces", candidates=here, usual=was)
    spots = pieces.faces_seen(state, vehicle, seen)
    now = {spot.facing: "as it stands now" for spot in spots}
    if len(spots) > 1:
        now = {spot.facing: f"{100 * spot.probability:.0f} %" for spot in spots}
    usual = was if not spots else spots[0].facing if len(spots) == 1 else None
    stood = "as it stood" if spots and usual != was else "as it stands"
    told = {was: stood} | ({} if usual == was else now)
    ways = tuple(Candidate(f, facing_words(board, f), told.get(f, "")) for f in range(SIDES))
    return Pick(words="It faces", candidates=ways, usual=usual)


def _move(state: GameState, turn: Turn, vehicle: Vehicle, seen: Seen) -> Option:
    count, sharpest = state.to_go(vehicle), vehicle.layout.sharpest
    way = path(seen, vehicle.name)
    typed = way.usual is None
    safe = ", ".join(f"{45 * k}° at {vehicle.safe(k)}" for k in range(1, sharpest + 1))
    fields: dict[str, Input] = {"move": way}
    fields |= ends(state, vehicle, seen)
    fields["corners"] = Numbers(
        words="Corner after each point", more=f"1 is 45° left, 2 is 90°, −1 is 45° right; safe: {safe}",
        low=-sharpest, high=sharpest, least=count, most=count, usual=[0] * count if typed else None,
        optional=True, folded=not typed,
    )  # fmt: skip
    if state.house.on_the_way and count > 1:
        fields["halt"] = Number(
            words="Halts to fire", more="after so many points; the rest is chosen then", low=1,
            high=count - 1, optional=True, folded=True,
        )  # fmt: skip
    how = "backward" if vehicle.speed < 0 else "forward"
    return Option(
        "move", turn.player, "The move is done", heading=f"{vehicle.name} moves {many(count, 'point')} {how}",
        heading_more=f"The first one straight on. Safe corners: {safe}.", form=Form(fields),
        piece=vehicle.name, main=True,
    )  # fmt: skip


def _on_foot(state: GameState, turn: Turn, person: Person, seen: Seen) -> Iterator[Option]:
    cells, board = state.board.cells, state.board
    reached = moving.within_walk(state, person)
    points = tuple(candidate_at(board, c) for c in reached)
    assert person.cell is not None
    piece = pieces.piece_for(state, person.name)
    usual, fields = cells.index(person.cell), dict[str, Input]()
    if piece is None:
        # A figure that is nobody's yet and stands within reach says where they walk.
        figure = pieces.figure_seen(state, person, seen)
        spots = () if figure is None else spots_of(board, figure)
        if sure(spots) and spots[0].cell in reached:
            usual = cells.index(spots[0].cell)
        fields["point"] = Pick(words="To", candidates=points, usual=usual)
    else:
        fields = walk_fields(state, piece, points, seen)
    yield Option(
        "walk", turn.player, "Walk, or stay", heading=f"The {person.name}", form=Form(fields),
        main=True, piece=piece,
    )  # fmt: skip
    for v in moving.to_board(state, person):
        words = f"Get into {v.name}" if v.owner == turn.player else f"Take {v.name} over"
        yield Option("board", turn.player, words, data={"vehicle": v.name}, piece=v.name)


# Firing


def _firing(
    state: GameState, turn: Turn, person: Person, vehicle: Vehicle | None, seen: Seen
) -> Iterator[Option]:
    yield from _fires(state, turn, person)
    if vehicle is not None:
        yield from _drops(state, turn, vehicle, seen)
    elif not turn.targets and firing.spare(state, person) is not None:
        yield Option("reload", turn.player, "Take the rounds of the dead driver here", "and fire nothing")
    yield Option("done", turn.player, f"The {person.name} is done", main=True, ends=True)


def _fires(state: GameState, turn: Turn, person: Person) -> Iterator[Option]:
    """The rounds of the Pods and Turrets, and of a hand weapon."""
    for aim, vehicle in lines.may_fire(state):
        source = person.name if vehicle is None else vehicle.name
        computed = vehicle is not None and vehicle.computed
        yield _fire(state, turn.player, "fire", aim, source, computed=computed)


def chance(state: GameState, aim: Aim, cell: tuple[int, int], *, computed: bool) -> tuple[int, float]:
    """What the range dice have to come to, and how probable that is."""
    least = needed(aim.target, modifiers(state, cell, aim.target, computed=computed))
    return least, aim.weapon.reach.at_least(least)


def shot_question(source: str, aim: Aim) -> Question:
    """Does a line of fire reach a target, and over which range."""
    words = f"Is {aim.target.name} the nearest on a line of fire from {source}?"
    data = {"mount": aim.mount, "line": aim.line.facing}
    return Question(SHOT, words, (source, aim.target.name), data, LINE)


def _fire(state: GameState, player: str, kind: str, aim: Aim, source: str, *, computed: bool) -> Option:
    cell = _cell_of(state, source)
    least, share = chance(state, aim, cell, computed=computed)
    odds = Fact(f"{100 * share:.0f} %", _needs(aim.weapon, least))
    fields: dict[str, Input] = {}
    if found := lines.areas(state, aim):
        parts = tuple(_aimed(state.vehicle(aim.target.name), area) for area in found)
        fields["aim"] = Pick(words="Aim at its", candidates=parts, usual=lines.usual_area(found))
    reach = aim.target.range
    who = the(source)[:1].upper() + the(source)[1:]
    own = lines.once_own(state, aim.target, player)
    vehicle = next((v for v in state.vehicles if v.name == aim.target.name), None)
    lone = (
        "a wreck" if aim.target.sort == "wreck" else "nobody in it" if vehicle and not vehicle.driver else ""
    )
    whose_it_was = f", {player}'s {own}" if own else f", {lone}" if lone else ""
    return Option(
        kind, player, f"{aim.mount.capitalize()}: {aim.weapon.name} at {the(aim.target.name)}",
        f"range {reach}{whose_it_was}", heading=f"{who} fires" if kind == "fire" else f"{who} returns fire",
        data={
            "mount": aim.mount, "weapon": aim.weapon.name, "line": aim.line.facing, "target": aim.target.name
        },
        form=Form(fields), citation=NOMINATE if kind == "fire" else firing.RETURN,
        vain=not share or aim.weapon.damage.most <= reach, piece=None if vehicle is None else vehicle.name,
        facts=(odds, harm(aim.weapon, reach)), question=shot_question(source, aim),
        reckoning=tuple(_reckoning(aim, modifiers(state, cell, aim.target, computed=computed))),
    )  # fmt: skip


def _aimed(target: Vehicle, area: str) -> Candidate:
    """An area to aim at, with the armour before it. A bike's side has one block for three of them."""
    block = target.block(block_of(target, area))
    on = None if target.bike else SheetPlace(target.name, block.name)
    return Candidate(area, area, f"{block.left} armour", on=on)


def _reckoning(aim: Aim, found: Iterable[Modifier]) -> Iterator[Reckoned]:
    """How the odds come about: the range, each modifier, and the damage to expect over that range."""
    weapon, reach = aim.weapon, aim.target.range
    least = needed(aim.target, tuple(found))
    share = weapon.reach.at_least(least)
    yield Reckoned(f"{reach}+", f"range to {the(aim.target.name)}", TO_HIT)
    for one in found:
        yield Reckoned(signed(one.by), one.words, one.citation)
    yield Reckoned(f"{100 * share:.0f} %", f"to hit: {_needs(weapon, least)}", TO_HIT)
    mean = sum(weapon.damage.at_least(reach + n) for n in range(1, max(weapon.damage.most - reach, 0) + 1))
    yield Reckoned(f"{mean:.1f}", f"damage on a hit, {_less(weapon, reach)} on the average", DAMAGE)
    yield Reckoned(f"{share * mean:.1f}", f"damage expected: {share:.2f} times {mean:.1f}", DAMAGE)


def _needs(weapon: Weapon, least: int) -> str:
    share = weapon.reach.at_least(least)
    if 0.0 < share < 1.0:
        return f"{least}+ on {weapon.reach}"
    return f"range {weapon.reach}: {'always hits' if share else 'cannot hit'}"


def _less(weapon: Weapon, reach: int) -> str:
    """The damage dice, less the range where there is any."""
    return f"{weapon.damage} less {reach}" if reach else str(weapon.damage)


def harm(weapon: Weapon, reach: int) -> Fact:
    """The damage that a hit can do over a range of so many points, for people.

    >>> from engine.games.battlecars.book.data import MG, WEAPONS
    >>> harm(WEAPONS[MG], 5).words, harm(WEAPONS[MG], 6).words
    ('0 to 1', 'cannot hurt')
    """
    low, high = (max(n - reach, 0) for n in (weapon.damage.dice + weapon.damage.more, weapon.damage.most))
    how = _less(weapon, reach)
    if not high:
        return Fact("cannot hurt", f"damage is {how}")
    return Fact(str(high) if low == high else f"{low} to {high}", f"damage on a hit, {how}")


def _cell_of(state: GameState, source: str) -> tuple[int, int]:
    vehicle = next((v for v in state.vehicles if v.name == source), None)
    cell = state.place_of(state.person(source)) if vehicle is None else vehicle.cell
    assert cell is not None
    return cell


def _drops(state: GameState, turn: Turn, vehicle: Vehicle, seen: Seen) -> Iterator[Option]:
    cells, board = state.board.cells, state.board
    for mount, kinds, free in lines.may_drop(state):
        for kind in kinds:
            # A counter that somebody has laid on one of them says which is meant.
            lying = {
                spot.cell: (f"{piece}, {100 * spot.probability:.0f} %", sure(spots))
                for piece, spots in pieces.counters_seen(state, seen, kind)
                for spot in spots
            }
            points = tuple(replace(candidate_at(board, c), more=lying.get(c, ("", False))[0]) for c in free)
            meant = [cells.index(c) for c in free if lying.get(c, ("", False))[1]]
            usual = meant[0] if len(meant) == 1 else None
            yield Option(
                "drop", turn.player, f"{mount.name.capitalize()}: drop {kind}",
                f"{mount.rounds.count(kind)} left", heading=f"{vehicle.name} drops",
                data={"mount": mount.name, "kind": kind},
                form=Form({"point": Pick(words="On", candidates=points, usual=usual)}), piece=vehicle.name,
            )  # fmt: skip


def _reply(state: GameState) -> Iterator[Option]:
    assert state.reply is not None
    vehicle = state.vehicle(state.reply.vehicle)
    if vehicle.driver is None:
        return
    player = state.person(vehicle.driver).owner
    for aim in firing.returns(state, vehicle, state.reply.at):
        yield _fire(state, player, "return", aim, vehicle.name, computed=vehicle.computed)
    yield Option(
        "hold", player, "Do not return fire", heading=f"{vehicle.name} returns fire",
        piece=vehicle.name, main=True,
    )  # fmt: skip
