"""Damage: armour, what lies behind it, ammunition and tanks that explode, drivers, terrain and wrecks."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.game.about import house
from engine.games.battlecars.book import data as book
from engine.games.battlecars.book.data import Formula, Section, Weapon
from engine.games.battlecars.book.vehicles import BARRELS, hits
from engine.games.battlecars.rules.lines import AREAS
from engine.games.battlecars.state import Component, GameState, Person, Play, Vehicle
from engine.ruling import many
from engine.words import listed

VEHICLES = book.cite("Damage", "Damage to Vehicles")
COVER = book.cite("Damage", "Damage to Terrain and Wrecks")
DRIVER = book.cite("The Driver")
WRECK = house("When a vehicle is a wreck")

TANK = "fuel tank"


@dataclass
class Harm:
    """What one strike has done so far: rounds that it hit, by mount, and the tank's hits before it.

    Rounds count only where no Gunnery Computer worked as they were hit: those may go off. `reached` are the
    sections whose armour or inside it has hit.
    """

    before: int
    reached: set[str] = field(default_factory=set)
    rounds: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stray:
    """A round that detonated and goes off along a line."""

    vehicle: str
    mount: str
    weapon: str
    line: int


def block_of(vehicle: Vehicle, area: str) -> str:
    """The armour block of an area; a bike's sides have one each."""
    return area.split(maxsplit=1)[0] if vehicle.bike else area


def section_of(area: str) -> Section:
    """The section behind an area."""
    last = area.rsplit(maxsplit=1)[-1]
    return next(s for s in book.SECTIONS if s == last)


def onward(area: str, come: int) -> tuple[Section, ...]:
    """The section behind an area and, but for shots at right angles to a side, those further along."""
    first = book.SECTIONS.index(section_of(area))
    if come in (2, 6):
        return (book.SECTIONS[first],)
    return book.SECTIONS[first:] if come in (0, 1, 7) else book.SECTIONS[first::-1]


def any_area(play: Play, vehicle: Vehicle, come: int, by: str) -> str:
    """The area that is hit where nobody aims: an end, of a side by the Side Damage table."""
    areas = AREAS[come]
    if come not in (2, 6):
        return areas[0]
    (face,) = play.d8(f"side of {vehicle.name} that is hit", book.cite("Side Damage"), by, (vehicle.name,))
    return f"{areas[0].split()[0]} {book.SIDE_PARTS[face - 1]}"


def strike(
    play: Play, name: str, area: str, come: int, points: int, weapon: Weapon | None, by: str, citation: str
) -> list[Stray]:
    """Points of damage on an area: the armour block first, the rest inside. Which rounds go off by it."""
    vehicle = play.state.vehicle(name)
    tank = vehicle.component(TANK)
    harm = Harm(tank.hits, {section_of(area)})
    block = vehicle.block(block_of(vehicle, area))
    held = min(points, block.left)
    if held:
        words = f"{held} damage to the {area} armour of {name}, {block.left - held} left"
        play.tell("armour", words, citation, vehicle=name, block=block.name, points=held)
    left = points - held
    for section in onward(area, come):
        left = inside(play, name, section, left, by, harm)
    burn(play, name, weapon, harm, by)
    strays = detonate(play, name, weapon, harm, by)
    settle_wreck(play, name)
    return strays


def alive(vehicle: Vehicle, name: str) -> bool:
    """Whether a row of a Hit Location Table still names something to hit."""
    return (vehicle.driver is not None) if name == "driver" else vehicle.working(name)


def whole(vehicle: Vehicle, section: Section) -> bool:
    """Whether a section is not destroyed: something that its table names still stands."""
    return any(alive(vehicle, name) for row in hits(vehicle.layout.kind)[section] for name in row)


def inside(play: Play, name: str, section: Section, points: int, by: str, harm: Harm) -> int:
    """Points behind the armour of a section, by its Hit Location Table; the surplus where it is destroyed."""
    again = ""
    while points > 0:
        vehicle = play.state.vehicle(name)
        if not whole(vehicle, section):
            return points
        harm.reached.add(section)
        (face,) = play.d8(f"hit location, {section} of {name}{again}", VEHICLES, by, (name,))
        row = hits(vehicle.layout.kind)[section][face - 1]
        found = next((n for n in row if alive(vehicle, n)), None)
        if found is None:
            again = f", again: at {face} no {listed(row, 'or')} is left"
            continue
        if found == "driver":
            assert vehicle.driver is not None
            points -= hurt(play, play.state.person(vehicle.driver), points, VEHICLES)
        else:
            points -= broken(play, name, vehicle.component(found), points, VEHICLES, harm)
        again = f", again: {many(points, 'point')} left"
    return 0


def broken(
    play: Play, name: str, one: Component, points: int, citation: str, harm: Harm | None = None
) -> int:
    """Points on a component, at most what it still takes; of a mount empty spaces first. How many it took."""
    taken = min(points, one.left)
    if not taken:
        return 0
    empty = one.left - len(one.rounds)
    lost = list(one.rounds[len(one.rounds) - max(taken - empty, 0) :]) if one.sort == "mount" else []
    left = one.left - taken
    words = f"{taken} damage to the {one.name} of {name}" + (", destroyed" if not left else f", {left} left")
    words += f"; lost: {', '.join(lost)}" if lost else ""
    play.tell("inside", words, citation, vehicle=name, component=one.name, points=taken, lost=lost)
    if harm is not None and not play.state.vehicle(name).computed:
        harm.rounds += [(one.name, r) for r in lost if r in book.WEAPONS]
    return taken


def hurt(play: Play, person: Person, points: int, citation: str) -> int:
    """Points on a driver, who is dead after three. How many they took."""
    taken = min(points, person.left)
    where = {} if person.vehicle is None else {"vehicle": person.vehicle}
    words = f"{taken} damage to the {person.name}, {person.left - taken} left"
    play.tell("hurt", words, citation, person=person.name, points=taken, **where)
    if taken == person.left:
        kill(play, person, DRIVER)
    return taken


def kill(play: Play, person: Person, citation: str) -> None:
    """A driver is dead."""
    where = {} if person.vehicle is None else {"vehicle": person.vehicle}
    play.tell("killed", f"the {person.name} is dead", citation, person=person.name, **where)


# What burns and goes off


def burn(play: Play, name: str, weapon: Weapon | None, harm: Harm, by: str) -> None:
    """Whether the Fuel Tank explodes: a D8, one more for each of its hits, for a Rocket or Shell 2 less."""
    vehicle = play.state.vehicle(name)
    tank = vehicle.component(TANK)
    if weapon is None or vehicle.wreck:
        return
    struck = tank.hits > harm.before
    equipped = vehicle.working(book.EXTINGUISHER)
    if weapon.name == book.FLAME:
        near = vehicle.bike or tank.section in harm.reached
        burns = (struck and not harm.before) or (near and harm.before > 0 and not equipped)
        more = 0
    else:
        burns, more = weapon.explosive and struck and not equipped, book.SHELLED_TANK
    if not burns:
        return
    formula = Formula(1, tank.hits + more)
    why = f"{TANK} of {name} ({formula}, {book.DETONATES}+ explodes)"
    total = formula.of(play.d8(why, weapon.citation, by, (name,)))
    if total >= book.DETONATES:
        explode(play, name, weapon.citation)
    else:
        play.add_words(len(play.events) - 1, f"; it does not explode: {total}")


def explode(play: Play, name: str, citation: str) -> None:
    """The tank explodes: the vehicle is destroyed and its driver dead."""
    driver = play.state.vehicle(name).driver
    play.tell("exploded", f"the {TANK} of {name} explodes", citation, vehicle=name)
    if driver is not None:
        kill(play, play.state.person(driver), citation)


def detonate(play: Play, name: str, weapon: Weapon | None, harm: Harm, by: str) -> list[Stray]:
    """Which rounds go off that a Shell or Rocket hit: a D8 each without a working Gunnery Computer."""
    vehicle = play.state.vehicle(name)
    if weapon is None or not weapon.explosive or not harm.rounds:
        return []
    why = f"ammunition of {name}, {book.DETONATES}+ detonates"
    faces = play.d8(why, weapon.citation, by, (name,), len(harm.rounds))
    found = []
    for face, (mount, lost) in zip(faces, harm.rounds, strict=True):
        if face < book.DETONATES:
            continue
        barrel = vehicle.mount(mount).barrel
        if barrel == "any":
            (way,) = play.d8(f"direction of the {lost}", weapon.citation, by, (name,))
            line = way - 1
        else:
            line = (vehicle.facing + BARRELS[barrel]) % book.SIDES
        words = f"a {lost} in the {mount} of {name} detonates"
        play.tell("detonated", words, weapon.citation, vehicle=name, mount=mount, weapon=lost, line=line)
        found.append(Stray(name, mount, lost, line))
    return found


def settle_wreck(play: Play, name: str) -> None:
    """A vehicle that cannot move, or of which nothing is left inside, is a wreck."""
    vehicle = play.state.vehicle(name)
    nothing = not any(c.works for c in vehicle.components)
    if not vehicle.wreck and (nothing or not vehicle.movable):
        play.tell("wrecked", f"{name} can no longer move: it is a wreck", WRECK, vehicle=name)


# Terrain and wrecks


def mark(play: Play, name: str, points: int, cell: tuple[int, int]) -> None:
    """Damage markers on terrain or a wreck; what is more hits whoever takes cover on that point."""
    state = play.state
    terrain = next((t for t in state.terrain if t.name == name), None)
    most = terrain.most if terrain is not None else wreck_markers(state.vehicle(name))
    held = terrain.markers if terrain is not None else state.vehicle(name).markers
    taken = min(points, most - held)
    if taken:
        words = f"{many(taken, 'damage marker')} on {name}, {held + taken} of {most}"
        play.tell("marked", words, COVER, target=name, markers=taken)
    if terrain is not None and held + taken >= most:
        play.tell("razed", f"{name} is destroyed and removed", COVER, terrain=name)
    left = points - taken
    if held + taken >= most:
        for person in sheltering(play.state, name, cell):
            if left > 0:
                left -= hurt(play, person, left, COVER)


def sheltering(state: GameState, name: str, cell: tuple[int, int]) -> tuple[Person, ...]:
    """The living drivers who take cover in a wreck or on a point of terrain."""
    return tuple(p for p in state.living if p.vehicle == name) + state.walkers(cell)


def wreck_markers(vehicle: Vehicle) -> int:
    """Damage markers that cover a wreck (house default): 8 of a car, 4 of a bike."""
    return 4 if vehicle.bike else 8
