"""What a driver does: Move, Nudge, Ram; decoupling a trailer; a Hidden Buggy that drives out."""

from __future__ import annotations

from engine.game.events import Action
from engine.games.shattered_highways.acts.rounds import edge_reached
from engine.games.shattered_highways.book.data import MOVED, STAYS, UNCOUPLED, Part, Side, cite
from engine.games.shattered_highways.rules import damage, striking
from engine.games.shattered_highways.rules.striking import Strike
from engine.games.shattered_highways.state import Play

MOVE = cite("Move")


def do_move(play: Play, action: Action) -> None:
    """The driver rolls: 3+ and the vehicle may be moved, 2 and it stays, 1 and it has Lost Control.

    A vehicle against the back edge has this one Move to get back.
    """
    name = str(action.data["vehicle"])
    driver = play.state.driver(name)
    assert driver is not None
    late = play.turn.late
    roller = damage.drives(play.state, name, data=action.data)
    rolled = play.uncontested(roller, f"Move of {name}, {MOVED}+", MOVE)
    success = rolled.total >= MOVED
    stays = "stays where it is" if rolled.total >= STAYS else "goes out of control"
    words = "moves" if success else "does not get back onto the road" if late else stays
    play.tell(
        "drove", f"{name} {words}", MOVE,
        vehicle=name, warrior=driver.name, value=rolled.total, success=success,
    )  # fmt: skip
    if success:
        damage.cling(play, name, action.data)
    elif late:
        damage.drop(play, name, f"{name} has dropped too far back", MOVE)
    elif rolled.total < STAYS:
        damage.lose(play, name)


def do_moved(play: Play, action: Action) -> None:
    """The vehicle stands where it moved to."""
    name = str(action.data["vehicle"])
    play.tell("moved", f"{name} has moved", MOVE, vehicle=name)
    edge_reached(play, name, action)


def do_nudge(play: Play, action: Action) -> None:
    """In the course of a Move another vehicle, or with a Rig's side several, may be pushed away."""
    strike = strike_of(action)
    striking.nudge(play, strike, damage.drives(play.state, strike.vehicle, data=action.data))


def do_ram(play: Play, action: Action) -> None:
    """Up against another vehicle and into it; without a Move where they stand so since an earlier Ram."""
    strike = strike_of(action)
    if play.turn.stage != "moving":
        damage.cling(play, strike.vehicle, action.data)
    roller = damage.drives(play.state, strike.vehicle, data=action.data)
    striking.ram(play, strike, roller)
    edge_reached(play, strike.vehicle, action)


def strike_of(action: Action) -> Strike:
    """What an action declares."""
    said = action.data
    side: Side = said.get("side") or "front"
    part: Part = said.get("part") or ""
    own: Part = said.get("own_part") or ""
    return Strike(str(said["vehicle"]), tuple(said["targets"]), side, part, own, said.get("warrior"))


def do_decouple(play: Play, action: Action) -> None:
    """A destroyed trailer comes off with 4+ on the driver's die (house default); one try each turn."""
    name = str(action.data["vehicle"])
    roller = damage.drives(play.state, name, data=action.data)
    rolled = play.uncontested(roller, f"decouple the trailer, {UNCOUPLED}+", damage.DESTROYED)
    done = rolled.total >= UNCOUPLED
    words = f"{name} {'decouples' if done else 'fails to decouple'} its trailer"
    play.tell("decouple", words, damage.DESTROYED, vehicle=name, value=rolled.total, success=done)
    if done:
        damage.wreck_trailer(play, name)


def do_launch(play: Play, action: Action) -> None:
    """The Buggy's driver rolls to leave the trailer; else it stays inside for now."""
    name = str(action.data["vehicle"])
    driver = play.state.driver(name)
    assert driver is not None
    rolled = play.uncontested(damage.rolls_for(driver), f"Drive, {MOVED}+", damage.HIDDEN_BUGGY)
    out = rolled.total >= MOVED
    words = f"{name} {'comes out' if out else 'stays in the trailer'}"
    play.tell(
        "launch", words, damage.HIDDEN_BUGGY, vehicle=name, warrior=driver.name, value=rolled.total,
        success=out,
    )  # fmt: skip
    if out:
        damage.launched(play, name, str(action.data["rig"]))
