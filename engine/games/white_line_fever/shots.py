"""Shooting a weapon: target, declared modifiers, Accuracy, damage, and every weapon's special."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.game import Action, Reason
from engine.games.white_line_fever import displacing, lawful, reading
from engine.games.white_line_fever.damage import harm, near, set_speed
from engine.games.white_line_fever.data import PLASMA_SELF, RAILGUN_NEXT, cite
from engine.games.white_line_fever.play import Play, standing_of
from engine.games.white_line_fever.shooting import MODIFIERS, TARGET, rule_shot
from engine.games.white_line_fever.state import Car, GameState, Round
from engine.games.white_line_fever.weapons import Weapon, weapon_called
from engine.measure import tyre_range
from engine.nearby import next_in_line
from engine.ruling import Check, Verdict
from engine.table import TableState

ACTION = cite("Maneuvers", "Action")
TO_HIT = cite("Shoot Weapon", "To Hit")
SPECIAL = cite("Shoot Weapon", "Special")
SHORT, TAILGATE = f"{MODIFIERS} · Short Range", f"{MODIFIERS} · Tailgate"


@dataclass(frozen=True)
class Facts:
    """What counts of where the cars stand. `doubts` are questions that the players have to settle."""

    short: bool
    tailgate: bool
    reached: tuple[str, ...] = ()
    """Other cars within a Grenade's burst, or the next one in a Railgun's line."""
    doubts: tuple[Reason, ...] = ()
    rulings: tuple[tuple[str, str, str], ...] = ()
    """What the players decided instead of the table: question, answer, rule."""


def mounted(car: Car, name: str) -> Weapon | None:
    """A car's weapon of that name, if it carries it."""
    weapon = weapon_called(name)
    return weapon if weapon.name in (car.primary, car.secondary) else None


def unusable(turn: Round, car: Car, weapon: Weapon) -> list[Reason]:
    """Why a mounted weapon cannot be shot now, whoever the target is."""
    reasons = []
    if turn.acted:
        reasons.append(Reason("this Maneuver's action has been performed", ACTION))
    if weapon.droppable:
        reasons.append(Reason(f"{weapon.name} is dropped, not shot", cite("Drop Weapon")))
    if weapon.name in car.spent:
        reasons.append(Reason(f"{car.name}'s {weapon.name} is spent: once per game", weapon.citation))
    if weapon.name == "Shock Gun" and turn.manoeuvre > 1:
        reasons.append(Reason("the Shock Gun shoots on the first Maneuver only", weapon.citation))
    return reasons


def check_shoot(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """A mounted weapon against an enemy car in play that the table, or the players, say is a lawful target.

    Data: `weapon`, `target`, `apply` ("accuracy" or "damage": where the modifiers go). What the table does
    not know is typed: `band` ("short", "maximum" or "out"), `tailgate`, `sight`, `arc`, and for some weapons
    `reached`, the other cars within a Grenade's burst or the next in a Railgun's line. With `band` the
    typed facts count, table or not. `ruled` settles what is too close to call: "yes" or "no" for all of
    it, or an object of check names, which also overrides sure measurements.
    """
    turn, reasons = lawful.in_round(state, action, ("free",), ACTION)
    if turn is None or turn.car is None:
        return reasons
    car, target = state.car(turn.car), state.car(reading.text(action.data, "target"))
    reading.one_of(action.data, "apply", ("accuracy", "damage"), "accuracy")
    name = reading.text(action.data, "weapon")
    weapon = mounted(car, name)
    if weapon is None:
        return [*reasons, Reason(f"{car.name} carries no {weapon_called(name).name}", cite("Weapons"))]
    reasons += unusable(turn, car, weapon)
    if target.owner == car.owner:
        reasons.append(Reason(f"{target.name} is {target.owner}'s own car", TARGET))
    if not target.driving:
        reasons.append(Reason(f"{target.name} is destroyed", cite("Destroying a Car")))
    if reasons:
        return reasons
    return list(facts(state, action, table, car, target, weapon).doubts)


def facts(
    state: GameState, action: Action, table: TableState | None, car: Car, target: Car, weapon: Weapon
) -> Facts:
    """Range band, Tailgate and who else is reached: typed, or from the table; with what is wrong or open."""
    if action.data.get("band") is not None:
        return _typed(state, action, target, weapon)
    if table is None or standing_of(table, car.name) is None or standing_of(table, target.name) is None:
        words = "nobody saw the shot: say the range band (short, maximum or out), and whether it tailgates"
        return Facts(False, False, doubts=(Reason(words, TARGET),))
    return _seen(state, action, table, car, target, weapon)


def _typed(state: GameState, action: Action, target: Car, weapon: Weapon) -> Facts:
    band = reading.one_of(action.data, "band", ("short", "maximum", "out"))
    doubts = []
    if band == "out":
        doubts.append(Reason(f"{target.name} is beyond the {weapon.name}'s Maximum Range", TARGET))
    if not reading.flag(action.data, "sight", usual=True):
        doubts.append(Reason(f"{target.name} cannot be seen", TARGET))
    if not reading.flag(action.data, "arc", usual=True) and not weapon.all_round:
        doubts.append(Reason(f"{target.name} is not in the forward arc", TARGET))
    reached = tuple(state.car(n).name for n in reading.names(action.data, "reached"))
    if reached and weapon.blast_radius is None and not weapon.pierces:
        doubts.append(Reason(f"the {weapon.name} reaches nobody but its target", weapon.citation))
    if weapon.pierces and len(reached) > 1:
        doubts.append(Reason("a Railgun goes on to one car, the next in line", weapon.citation))
    for name in reached:
        if name == target.name or not state.car(name).driving:
            doubts.append(Reason(f"{name} is the target itself or not in play", weapon.citation))
    return Facts(band == "short", reading.flag(action.data, "tailgate"), reached, tuple(doubts))


def _seen(
    state: GameState, action: Action, table: TableState, car: Car, target: Car, weapon: Weapon
) -> Facts:
    ruling = rule_shot(_of_this_game(state, table), car.name, target.name, weapon.name, brand=car.brand)
    doubts: list[Reason] = []
    rulings: list[tuple[str, str, str]] = []
    answers: dict[str, bool] = {}
    for check in ruling.checks:
        said = _answer(action, check)
        if said is not None and said != check.verdict.value:
            rulings.append((check.name, said, check.citation))
        verdict = Verdict(said) if said is not None else check.verdict
        answers[check.name] = verdict is Verdict.YES
        if verdict is Verdict.TOO_CLOSE:
            doubts.append(Reason(f"{check.name}: {check.words}", check.citation, open=True))
        elif verdict is Verdict.NO and check.role == "condition" and said is None:
            doubts.append(Reason(f"{check.name}: {check.words}", check.citation))
    found = Facts(answers["Short Range"], answers["Tailgate"], (), tuple(doubts), tuple(rulings))
    return _with_reached(found, state, action, table, car, target, weapon)


def _answer(action: Action, check: Check) -> str | None:
    """What the players say on a check: to what is open, or by its name to anything."""
    if check.verdict is Verdict.TOO_CLOSE:
        return reading.ruled(action.data, check.name)
    return reading.ruled_by_name(action.data, check.name)


def _of_this_game(state: GameState, table: TableState) -> TableState:
    """The table without cars that are out of the game, wrecks as the obstacles they have become."""
    kept = []
    for standing in table.standings:
        car = next((c for c in state.cars if standing_of(table, c.name) is standing), None)
        if car is not None and car.status in ("waiting", "removed"):
            continue
        if car is not None and car.status == "wreck":
            standing = replace(standing, piece=replace(standing.piece, kind="terrain"))  # noqa: PLW2901
        kept.append(standing)
    return replace(table, standings=tuple(kept))


def _with_reached(
    found: Facts, state: GameState, action: Action, table: TableState, car: Car, target: Car, weapon: Weapon
) -> Facts:
    if "reached" in action.data:
        return replace(found, reached=tuple(state.car(n).name for n in reading.names(action.data, "reached")))
    if weapon.pierces:
        following = _next(state, table, car, target, weapon)
        return replace(found, reached=(following,) if following else ())
    if weapon.blast_radius is None:
        return found
    sure, doubtful = near(state, table, target.name)
    reached, doubts, rulings = list(sure), list(found.doubts), list(found.rulings)
    for name in doubtful:
        said = reading.ruled(action.data, name)
        if said is None:
            words = f'{name}: within {weapon.blast_radius:g}" of {target.name}, too close to call'
            doubts.append(Reason(words, weapon.citation, open=True))
        else:
            rulings.append((name, said, weapon.citation))
            reached += [name] if said == "yes" else []
    return replace(found, reached=tuple(reached), doubts=tuple(doubts), rulings=tuple(rulings))


def _next(state: GameState, table: TableState, car: Car, target: Car, weapon: Weapon) -> str | None:
    """The car behind the target in line, within range, unless an obstacle stops the shot before."""
    here, there = standing_of(table, car.name), standing_of(table, target.name)
    assert here is not None
    assert there is not None
    clear = _of_this_game(state, table)
    others = [s for s in clear.others(car.name, target.name) if s.piece.kind != "token"]
    muzzle = tuple(float(v) for v in here.piece.body.front_axle)
    names = next_in_line(here, (muzzle[0], muzzle[1]), there, others)
    if not names or not state.is_car(names[0]) or weapon.maximum is None:
        return None
    within = tyre_range(here, table.find(names[0])).value <= weapon.maximum
    return state.car(names[0]).name if within else None


@dataclass(frozen=True)
class Modifiers:
    """What changes a shot: by name, and where each went."""

    accuracy: int
    damage: int
    words: tuple[str, ...]


def modifiers(weapon: Weapon, short: bool, tailgate: bool, apply_to: str) -> Modifiers:
    """The modifiers of a shot, declared to go to accuracy or to damage.

    A weapon's own "always" modifiers stay where its line puts them.

    >>> modifiers(weapon_called("Streetsweeper"), True, False, "damage")
    Modifiers(accuracy=2, damage=1, words=('Short Range +1 damage', 'Streetsweeper +2 accuracy'))
    """
    words = []
    for name, there in (("Short Range", short), ("Tailgate", tailgate)):
        if there:
            words.append(f"{name} +1 {apply_to}")
    declared = int(short) + int(tailgate)
    accuracy, damage = (declared, 0) if apply_to == "accuracy" else (0, declared)
    own = 0
    if weapon.name == "Streetsweeper":
        own = 2 if short else -1
    elif weapon.name == "Plinker":
        own = -1
    if own:
        accuracy += own
        words.append(f"{weapon.name} {own:+d} accuracy")
    if weapon.name == "Dirtnap" and tailgate:
        damage += 1
        words.append("Dirtnap +1 damage")
    return Modifiers(accuracy, damage, tuple(words))


def do_shoot(play: Play, action: Action) -> None:
    """Declare, roll, hit or miss, damage, special."""
    car = play.state.car(play.round.car or "")
    target = play.state.car(reading.text(action.data, "target"))
    weapon = weapon_called(reading.text(action.data, "weapon"))
    apply_to = reading.one_of(action.data, "apply", ("accuracy", "damage"), "accuracy")
    found = facts(play.state, action, play.table, car, target, weapon)
    for question, answer, rule in found.rulings:
        play.tell(
            "ruled", f"the players rule {question}: {answer}", lawful.RULED,
            question=question, verdict=answer, rule=rule, by=action.player,
        )  # fmt: skip
    mods = modifiers(weapon, found.short, found.tailgate, apply_to)
    spent = [*car.spent, weapon.name] if weapon.name == "Mark 9 Javelin" else list(car.spent)
    with_words = f", {', '.join(mods.words)}" if mods.words else ""
    play.tell(
        "shot", f"{car.name} shoots at {target.name} with the {weapon.name}{with_words}",
        TARGET if not mods.words else MODIFIERS,
        car=car.name, target=target.name, weapon=weapon.name, short=found.short, tailgate=found.tailgate,
        apply=apply_to, accuracy=mods.accuracy, damage=weapon.damage + mods.damage,
        modifiers=list(mods.words), reached=list(found.reached), spent=spent,
        typed=action.data.get("band") is not None,
    )  # fmt: skip
    roll = play.roll(8, f"to hit {target.name} at Speed {target.speed}", TO_HIT, car.name)
    total = roll.value + mods.accuracy
    sign = f" {mods.accuracy:+d}" if mods.accuracy else ""
    against = f"{roll.value}{sign} against Speed {target.speed}"
    if total >= target.speed:
        play.tell(
            "hit", f"{car.name} hits {target.name}: {against}", TO_HIT, car=car.name, target=target.name
        )
        _hit(play, car, target, weapon, weapon.damage + mods.damage, found.reached)
    else:
        play.tell(
            "missed", f"{car.name} misses {target.name}: {against}", TO_HIT, car=car.name, target=target.name
        )
    _to_self(play, car.name, weapon, roll.value)


def _hit(play: Play, car: Car, target: Car, weapon: Weapon, damage: int, reached: tuple[str, ...]) -> None:
    harm(play, target.name, damage, f"the {weapon.name}", cite("Shoot Weapon", "Damage"))
    for name in reached:
        amount = RAILGUN_NEXT if weapon.pierces else damage
        harm(play, name, amount, f"the {weapon.name}", weapon.citation)
    if not play.state.car(target.name).driving:
        return
    match weapon.name:
        case "Nail Blaster":
            speed = play.state.car(target.name).speed
            set_speed(play, target.name, max(speed - 1, min(speed, 2)), weapon.citation)
        case "Long Horn":
            displacing.owe_spin(play, target.name, weapon.citation)
        case "Disruptor":
            displacing.owe_turn(play, target.name, car.owner, weapon.citation)
        case "Slammer":
            displacing.owe_push(play, target.name, 3.0, weapon.citation, car.name)
        case "Harpoon":
            displacing.owe_pull(play, target.name, 3.0, weapon.citation, car.name)


def _to_self(play: Play, name: str, weapon: Weapon, natural: int) -> None:
    """What a weapon does to its own car, hit or miss."""
    if not play.state.car(name).driving:
        return
    match weapon.name:
        case "Tank Cannon":
            displacing.owe_spin(play, name, weapon.citation)
        case "Field Cannon":
            displacing.owe_shove(play, name, -2.0, weapon.citation)
        case "Plasma Gun" if natural == 1:
            harm(play, name, PLASMA_SELF, "its own Plasma Gun", weapon.citation)
