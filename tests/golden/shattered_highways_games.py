"""The golden games of Shattered Highways."""

from __future__ import annotations

from engine.game.dice import SeededDice
from engine.game.filling import filled
from engine.game.match import Match
from engine.games.shattered_highways.book.data import UNDECIDED
from engine.games.shattered_highways.state import GameState, due
from tests.engine.games.shattered_highways.playing import begun, do, driven, new_round, piece
from tests.golden import to_the_end


def sitting(match: Match[GameState], vehicle: str, seat: str) -> str:
    """Who sits there."""
    return next(w.name for w in match.state.aboard(vehicle) if w.seat == seat)


def stay(match: Match[GameState]) -> None:
    """Everybody who might leap stays on the wreck."""
    while (duty := due(match.state)) is not None and duty.kind == "leap":
        do(match, "stay", warrior=duty.warrior)


def finish(match: Match[GameState]) -> Match[GameState]:
    """Nobody does anything more until the agreed rounds are over."""
    while not match.state.over:
        if due(match.state) is None and match.state.turn is not None:
            do(match, "done")
        elif (duty := due(match.state)) is not None:
            option = match.options()[0]
            match.do(filled(option), None, SeededDice(duty.vehicle))
        else:
            new_round(match)
    return match


def duel() -> Match[GameState]:
    """A Truck against a Car and a Buggy: every action of a driver, armor, bonuses, both edges."""
    match = begun(
        piece("Red 1", "Truck", armor=["front", "left"], weapons=2, arc_2="aft"),
        piece("Red 2", "Buggy", weapons=1),
        piece("Blue 1", "Car", armor=["rear"], chains=True),
        piece("Blue 2", "Car"),
        rounds=2,
    )
    driven(match, "Red 1", 4)
    # 2 sections, and Blue 1 into Blue 2, which keeps control, and into Red 2, which does not.
    do(match, "nudge", (7, 5), vehicle="Red 1", targets=["Blue 1"], side="left")
    do(match, "placed", (3, 2), vehicle="Blue 1", duty="nudged", into=["Blue 2", "Red 2"])
    do(match, "placed", vehicle="Red 2", duty="struck")
    # 6 and 5 and 1 for a Truck less armor: 11. 3 come back less armor.
    do(match, "ram", (9, 3, 6, 5), vehicle="Red 1", targets=["Blue 1"], side="front")
    do(match, "shoot", (5, 4), warrior=sitting(match, "Red 1", "W2"), mount=2, aim="vehicle", to=["Blue 2"])
    do(match, "done")
    # Blue 1 rams back without a Move, in vain, and loses control into Red 2 at -1.
    driver = sitting(match, "Blue 1", "D")
    do(match, "ram", (1, 4, 2), vehicle="Blue 1", warrior=driver, targets=["Red 1"], side="rear")
    do(match, "placed", (6, 2, 3), vehicle="Blue 1", duty="lost", into=["Red 2"], side="right")
    gunner = sitting(match, "Blue 1", "W1")
    do(match, "shoot", (1,), warrior=gunner, mount=1, aim="vehicle", to=["Red 1"])
    do(match, "unjam", warrior=sitting(match, "Blue 1", "P1"), mount=1)
    do(match, "done")
    # Red 2 is behind Blue 1's Drag Chains: 3 less 1 stays.
    do(match, "move", (3,), vehicle="Red 2", dust=True)
    gunner = sitting(match, "Red 2", "W1")
    do(match, "shoot", (6, 2, 2, 3, 3, 3), warrior=gunner, mount=1, aim="warrior", at="Blue's hero")
    do(match, "done")
    driven(match, "Blue 2", 3)
    do(match, "moved", vehicle="Blue 2", edge="front")
    do(match, "shifted", inches=10.0, back=["Red 2"])
    do(match, "done")
    new_round(match, first="Blue")
    do(match, "done")
    driven(match, "Red 1", 5)
    do(match, "moved", vehicle="Red 1")
    do(match, "done")
    # 25 and 3 unmodified: the highest roll against a 1.
    driven(match, "Blue 2", 6)
    do(match, "ram", (6, 1), vehicle="Blue 2", targets=["Red 2"], side="front")
    stay(match)
    do(match, "wreck", (2, 1), behind=["Red 1"])
    do(match, "placed", vehicle="Red 1", duty="veer")
    match.undo("Blue")
    match.redo("Blue")
    return finish(match)


def convoy() -> Match[GameState]:
    """Two Rigs: a sideswipe of two, side mounts, a Hidden Buggy, Reinforcements, a trailer shot off."""
    match = begun(
        piece("Red 1", "Rig", reinforcements=True, weapons=3, arc_1="left", arc_2="right", arc_3="aft",
              armor=["right"], weapon_3="Rocket Rack", hero="P1"),
        piece("Red 2", "Buggy", hidden_in="Red 1"),
        piece("Blue 1", "Rig", weapon_1="Flame Spray", hero="W1"),
        piece("Blue 2", "Car"),
        piece("Blue 3", "Truck"),
        rounds=2,
    )  # fmt: skip
    do(match, "launch", (2,), vehicle="Red 2", rig="Red 1")
    driven(match, "Red 1", 3)
    # Both are struck with one roll; 4 and 1 for a Car, 3 for a Truck.
    do(match, "ram", (5, 3, 4, 4, 3), vehicle="Red 1", targets=["Blue 2", "Blue 3"], side="right")
    do(match, "shoot", (4, 5), warrior=sitting(match, "Red 1", "W1"), mount=1, aim="vehicle", to=["Blue 1"])
    gunner = sitting(match, "Red 1", "W3")
    do(match, "shoot", (6, 6, 2), warrior=gunner, mount=3, aim="vehicle", to=["Blue 1"], part="trailer")
    do(match, "hurt", warrior=sitting(match, "Blue 1", "P2"))
    do(match, "climb", (4,), warrior="Red's hero", part="trailer")
    spare = next(w.name for w in match.state.aboard("Red 1") if w.home)
    do(match, "board", (4,), warrior=spare, to=["Blue 2"])
    do(match, "done")
    # The hero at the Flame Spray jams it; the tractor is aimed at.
    do(match, "shoot", (1,), warrior="Blue's hero", mount=1, aim="vehicle", to=["Red 1"])
    driven(match, "Blue 1", 6)
    do(match, "nudge", (6, 2, 4), vehicle="Blue 1", targets=["Red 1"], side="left", part="tractor")
    do(match, "placed", vehicle="Red 1", duty="nudged")
    do(match, "moved", vehicle="Blue 1")
    match.overrule(("vehicles", "Blue 1", "trailer"), 3, "it had been marked off wrong", "Red")
    do(match, "done")
    do(match, "done")
    do(match, "done")
    do(match, "done")
    new_round(match, first="Blue")
    # Blue 1 is whole enough to drive, then its trailer is shot to pieces.
    do(match, "done")
    do(match, "launch", (4,), vehicle="Red 2", rig="Red 1")
    do(match, "placed", vehicle="Red 2", duty="deployed")
    gunner = sitting(match, "Red 1", "W2")
    at = {"to": ["Blue 1"], "part": "trailer", "bonus": False}
    do(match, "shoot", (6, 3), warrior=gunner, mount=2, aim="vehicle", **at)
    return finish(match)


def decoupled() -> Match[GameState]:
    """A trailer is decoupled in vain, the Rig is unmanned, then decoupled, then destroyed; leaps off it."""
    match = begun(
        piece("Red 1", "Rig", chains=True),
        piece("Red 2", "Buggy", hidden_in="Red 1"),
        piece("Blue 1", "Truck", weapons=2),
        piece("Blue 2", "Buggy"),
        rounds=3,
    )
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "a bridge was too low", "Blue")
    do(match, "decouple", (2,), vehicle="Red 1")
    do(match, "done")
    # Unmanned: it falls back, Blue 2 rams it at -1, and it goes straight on.
    do(match, "placed", (6, 4, 3, 6), vehicle="Red 1", duty="fall back", into=["Blue 2"])
    do(match, "done")
    do(match, "done")
    new_round(match)
    # The Hidden Buggy gets out of the wreck of the trailer at -1.
    do(match, "decouple", (5, 4), vehicle="Red 1")
    stay(match)
    do(match, "wreck", (1, 5), behind=["Blue 2"])
    do(match, "placed", (2,), vehicle="Red 2", duty="deployed")
    do(match, "placed", vehicle="Blue 2", duty="lost", edge="back")
    do(match, "done")
    match.overrule(("vehicles", "Red 1", "hits"), 2, "the tractor had been hit", "Blue")
    gunner = sitting(match, "Blue 1", "W1")
    # The tractor is destroyed.
    do(match, "shoot", (5, 5), warrior=gunner, mount=1, aim="vehicle", to=["Red 1"])
    for roll in (5, 3):
        duty = due(match.state)
        assert duty is not None
        do(match, "leap", (roll,), warrior=duty.warrior, to=["Blue 1"])
        if (duty := due(match.state)) is not None and duty.kind == "seat":
            do(match, "sit", warrior=duty.warrior, seat="cling")
    do(match, "wreck", behind=[])
    do(match, "done")
    # Blue 2 does not get back onto the road.
    do(match, "move", (2,), vehicle="Blue 2")
    return finish(match)


def boarders() -> Match[GameState]:
    """Three players: warriors board, cling, fight and take a Car over, and lose it."""
    match = begun(
        piece("Red 1", "Truck"), piece("Blue 1", "Car"), piece("Gold 1", "Car", hero="P1"), rounds=4
    )
    boarders = [sitting(match, "Red 1", seat) for seat in ("W1", "P1", "P2")]
    for who in boarders:
        do(match, "board", (4,), warrior=who, to=["Blue 1"])
    do(match, "done")
    do(match, "attack", (3, 3), warrior=sitting(match, "Blue 1", "W1"), target=boarders[0])
    do(match, "done")
    do(match, "done")
    # Gold's hero shoots at Blue's and jams; a gunner falls between the vehicles.
    do(match, "attack", (1, 5), warrior="Gold's hero", target="Blue's hero")
    do(match, "board", (1,), warrior=sitting(match, "Gold 1", "W1"), to=["Blue 1"])
    do(match, "done")
    new_round(match, first="Gold")
    do(match, "unjam", warrior="Gold's hero")
    do(match, "done")
    do(match, "change", warrior="Red's hero", seat="P1")
    do(match, "done")
    # Nobody drives the Truck: it falls back, and a 2 is Lost Control, up to the back edge.
    do(match, "placed", (2, 3), vehicle="Red 1", duty="fall back")
    do(match, "placed", vehicle="Red 1", duty="lost", edge="back")
    # Blue 1: three of each, so Blue goes first. Of Red's one acts at -1, one holds on, one falls.
    do(match, "move", (4, 5, 2, 1), vehicle="Blue 1")
    do(match, "moved", vehicle="Blue 1")
    do(match, "done")
    do(match, "attack", (6, 4, 5), warrior=boarders[0], target=sitting(match, "Blue 1", "P1"))
    do(match, "done")
    new_round(match, first="Blue")
    # Two against two: Blue's gunner jumps over to Gold's Car, and its driver is attacked.
    gunner = sitting(match, "Blue 1", "W1")
    do(match, "board", (4,), warrior=gunner, to=["Gold 1"])
    do(match, "sit", warrior=gunner, seat="W1")
    do(match, "done")
    # Damage 5 against a Tenacity of 4 on two dice, and Red has the wheel.
    do(match, "attack", (6, 2, 5, 2, 2), warrior=boarders[0], target="Blue's hero")
    do(match, "change", warrior=boarders[1], seat="D")
    do(match, "done")
    # Red's hero takes the wheel again, and a 4 less 1 is enough to get back onto the road.
    do(match, "change", warrior="Red's hero", seat="D")
    do(match, "move", (4,), vehicle="Red 1")
    do(match, "moved", vehicle="Red 1")
    return finish(match)


def brawl() -> Match[GameState]:
    """Four fleets by random players."""
    kinds = ("Rig", "Truck", "Car", "Buggy")
    pieces = [piece(f"{p} {k + 1}", kinds[(k + n) % 4], chains=n == k, armor=["front"])
              for n, p in enumerate(("Red", "Blue", "Gold", "Jade")) for k in range(2)]  # fmt: skip
    return to_the_end(begun(*pieces, rounds=3, deployment=UNDECIDED), 1, "golden 1")


GAMES = {"duel": duel, "convoy": convoy, "decoupled": decoupled, "boarders": boarders, "brawl": brawl}
