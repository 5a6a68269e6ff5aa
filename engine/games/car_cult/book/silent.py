"""Where the notes are silent or say two things, and what is done: the house rules that cannot be chosen."""

from __future__ import annotations

from engine.game.kit.house import Silent

SILENT = (
    Silent(
        "giving up",
        "a player's cars are taken off the table; the others play on, and the last one has won",
        cited=("Giving up",),
    ),
    Silent(
        "the order of activation",
        "who has most Speed tokens now goes next, not at the round's start; equal D20s are rolled again",
        ("Car Activation",),
    ),
    Silent(
        "one filled zone, none",
        "the minimum is 0; with none the car stands",
        ("Car Movement/Engines",),
    ),
    Silent(
        "a damaged engine zone",
        "has no Speed token and gives no turn",
        ("Car Movement/Engines",),
    ),
    Silent(
        "a Damage token on a zone with a Speed token",
        "the Speed token is lost",
        ("Attacking opponents · Apply Damage",),
    ),
    Silent(
        "allocating",
        "all at once, before the car moves; each Speed token on a weapon is used by declaring an attack",
        ("Car Activation",),
    ),
    Silent(
        "attacks",
        "before or after the move, not in it",
        ("Attacking opponents · Apply ST to weapon",),
    ),
    Silent(
        "drift",
        "left and right together",
        ("Car Movement/Engines",),
    ),
    Silent(
        "turns",
        "a turn of up to 45° takes one, of up to 90° two, and so on",
        ("Car Movement/Engines",),
    ),
    Silent(
        "inches for dice",
        "whole ones, rounded down; a car that is short by less than one rolls its D20 all the same",
        (
            "Car Movement/Engines",
            "Down Shift · Rough terrain",
        ),
    ),
    Silent(
        "Down Shift",
        "the first token leaves free, each further one takes a D20; its damage goes onto the engine, "
        "past Armour",
        ("Down Shift",),
    ),
    Silent(
        "a turn of less than 5°",
        "is none",
        ("Car Movement/Engines",),
    ),
    Silent(
        "what a car touches as its move begins",
        "stops it only where it goes deeper into it than a hand strays, 0.1 in; a turn at once is about "
        "that point of its rear that swings no corner into it",
        ("Down Shift · Blocking terrain",),
    ),
    Silent(
        "Rough and Blocking terrain",
        "stand under *Down Shift* in the notes, and are cited so",
        ("Down Shift",),
    ),
    Silent(
        "terrain as a target",
        "only Blocking terrain, where `terrain` says what destroys it: the Blast alone counts on the roll, "
        "and what is destroyed leaves the table",
        ("Attacking opponents · Declare target",),
    ),
    Silent(
        "tokens along the route",
        "are laid with the move, or as the activation ends; one that lies beside the route by more than "
        "`length_tolerance` has to be accepted",
        ("Building a Car Cult · Mines",),
    ),
    Silent(
        "the order on the way",
        "Rough terrain and Mines as the car comes to them, what it touches last; typed, Rough terrain first",
        (
            "Down Shift · Rough terrain",
            "Building a Car Cult · Mines",
        ),
    ),
    Silent(
        "a tie that a car joins later",
        "all of the tied cars roll anew",
        ("Car Activation",),
    ),
    Silent(
        "Rough terrain",
        "measured where the ruler lies, at the middle of the front, along the straight runs",
        ("Down Shift · Rough terrain",),
    ),
    Silent(
        '"suffers 1 ST" at Blocking terrain',
        "a Damage token, as in the example",
        ("Down Shift · Blocking terrain",),
    ),
    Silent(
        "the edge of the table",
        "is Blocking terrain",
        ("Down Shift · Blocking terrain",),
        cited=("The edge of the table is Blocking terrain",),
    ),
    Silent(
        "another model",
        "each owner places the tokens of their own car",
        ("Down Shift · Blocking terrain",),
    ),
    Silent(
        "a Reinforced Ram",
        "attacks whom the car touches, which stops there and keeps its Speed tokens; it works while "
        "a zone of it is undamaged",
        ("Building a Car Cult · Reinforced Ram",),
    ),
    Silent(
        "damage that no attacker did",
        "the owner places it; of braking the next opponent, who has to",
        (
            "Car Movement/Engines",
            "Attacking opponents · Apply Damage",
        ),
    ),
    Silent(
        "Mines",
        "trigger edge to edge, whatever stands between, but not for the car that lays them in that "
        "move; also for a car that begins within 4 in and drives away, and later for the one that "
        "laid them; their attack is not rerolled",
        ("Building a Car Cult · Mines",),
    ),
    Silent(
        "an explosion",
        "reaches visible parts within the distance; of a car that a Mine or Rough terrain on its way has "
        "blown up, from where it was then",
        ("Exploding Cars",),
    ),
    Silent(
        "the Fixer",
        "swaps tokens of its own car, also one that has been used",
        ("Building a Car Cult · Fanatical Fixer",),
    ),
    Silent(
        "crew",
        "each member once, weapons twice, all else once on a car",
        ("Building a Car Cult",),
    ),
    Silent(
        "deployment",
        "one car each in turn, anywhere",
        ("Game rounds and turns",),
        cited=("Deployment",),
    ),
    Silent(
        "engines",
        "the tables of four to seven zones, with the +ST symbols of every card, stand in "
        "`engine/games/car_cult/book/data.py`",
        ("Building a Car Cult",),
        cited=("Engines",),
    ),
    Silent(
        "straight lines",
        "a run may curve as far as a hand trembles, then it is no straight line",
        ("Car Movement/Engines",),
        cited=("Straight lines",),
    ),
    Silent(
        "victory",
        "the last player with a car has won; after `quiet` rounds whoever has most undamaged zones",
        cited=("Victory",),
    ),
    Silent(
        "a campaign",
        "cars may begin with Damage tokens from the game before, among the wishes of the comments",
        ("Comments",),
        cited=("Campaign",),
    ),
)
