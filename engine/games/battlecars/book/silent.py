"""Where the book is silent or says two things, and what is done: the house rules that cannot be chosen."""

from __future__ import annotations

from engine.game.kit.house import Silent

SILENT = (
    Silent(
        "vehicles",
        "up to four in all, one on the centre point of each side of the board, facing in",
        cited=("Vehicles",),
    ),
    Silent(
        "who ties for the first move",
        "rolls again",
    ),
    Silent(
        "order in a turn",
        "the move first, then fire and passive weapons",
        ("Game Turn",),
    ),
    Silent(
        "a corner on the last point",
        "is taken there",
        ("Movement",),
    ),
    Silent(
        "a skid while cornering",
        "the corner is lost; points drifted count towards the Speed",
        (
            "Skidding",
            "Movement",
        ),
    ),
    Silent(
        "a skid of 1 to 4 that took it off its way",
        "the driver chooses the points that are left anew, from where it stands; who drove onto a "
        "counter and drifted nowhere goes on as was pushed",
        (
            "Skidding",
            "Skidding · Final Facing",
        ),
        cited=("After a skid that took it off its way the driver chooses the rest anew",),
    ),
    Silent(
        "a crash",
        "ends the movement but not the turn (which a ram and a skid of 5 or more end): the driver may fire",
        ("Crashing and Ramming",),
    ),
    Silent(
        "return fire",
        "does not count against *can't fire twice at same target*, and not among the targets of "
        "one's own turn; a driver on foot who fired may be fired at",
        ("Game Turn",),
    ),
    Silent(
        "arming",
        "fills every space; a mix of passive weapons is dealt out in turn",
        ("Arming Your Vehicle",),
    ),
    Silent(
        "one's own vehicles",
        "are no targets, and block the line to what is beyond",
        ("Game Turn",),
    ),
    Silent(
        "dropping past a corner",
        "is allowed; fire past it is not",
        (
            "Passive weapons",
            "Firing",
        ),
    ),
    Silent(
        "terrain near the start",
        "may not lie on the centre points of the sides nor on those beside them",
    ),
    Silent(
        "points and corners of trees",
        "a bike rolls for each of them, also where one step has several",
        ("Movement",),
    ),
    Silent(
        "counters under a drift",
        "act when the car runs onto one on its own, not while it drifts",
        (
            "Skidding",
            "Passive weapons",
        ),
    ),
    Silent(
        "a drift that runs into something",
        "is a crash or a ram there, with no roll for the Final Facing",
        (
            "Skidding",
            "Crashing and Ramming",
        ),
    ),
    Silent(
        "the Final Facing",
        "5 to 11 run clockwise round the ring, from 45° to the right to 45° to the left",
        ("Skidding · Final Facing",),
    ),
    Silent(
        "a bike that slides",
        "takes the tyres' damage on the side on which it lies",
        ("Skidding · Final Facing",),
        cited=("A bike that slides takes the tyres' damage on its side",),
    ),
    Silent(
        "tyres",
        "a flat one takes 1 off safe speeds and 2 off the top; a vehicle needs its engine and two "
        "tyres to move, else it is a wreck and stands",
        (
            "Skidding · Drift Table",
            "Movement",
        ),
        cited=("When a vehicle is a wreck",),
    ),
    Silent(
        "a line blocked by a corner",
        "who drives along it crashes into what has the corner",
        (
            "Movement",
            "Crashing and Ramming",
        ),
    ),
    Silent(
        "rams at 45°",
        "count as from the front or from the rear; a vehicle in reverse is met by its heading",
        (
            "Crashing and Ramming · Head-On Ram",
            "Crashing and Ramming · Shunt Ram",
        ),
    ),
    Silent(
        "a ram or crash",
        "is rolled once for both; from 14 on all drivers in it are stunned",
        ("Crashing and Ramming · Damage from Rams and Crashes",),
    ),
    Silent(
        "a relative velocity of 0",
        "does no damage",
        ("Crashing and Ramming · Damage from Rams and Crashes",),
    ),
    Silent(
        "a shot that nobody aims",
        "hits the end, of a side by the Side Damage table",
        (
            "Game Turn · Nominate Target",
            "Damage · Damage to Vehicles",
        ),
    ),
    Silent(
        "what is beyond a miss",
        "is rolled for anew, up to terrain or a wreck",
        (
            "Game Turn",
            "Damage",
        ),
    ),
    Silent(
        "smoke",
        "counts on any point of the line, both ends included, once",
        ("Weapons · Smoke",),
    ),
    Silent(
        "terrain of 1, 2, 4, more points",
        "is covered by 2, 4, 8, 16 markers and then removed; a wreck by 8, a bike's by 4",
        ("Damage · Damage to Terrain and Wrecks",),
    ),
    Silent(
        "a mine",
        "goes off once",
        ("Weapons · Mines",),
        cited=("A mine goes off once",),
    ),
    Silent(
        "a driver on foot",
        "does not walk over or onto the point of a vehicle that is no wreck",
        ("Pedestrians",),
    ),
    Silent(
        "the occupant of a wreck",
        "is who stayed in it, or stands on its point on foot; fires its missile weapons like a "
        "vehicle's, besides the hand weapon, and is in its cover",
        ("Pedestrians",),
    ),
    Silent(
        "getting out, taking over",
        "on the same point; from the same or a neighbouring point",
        ("Pedestrians",),
    ),
    Silent(
        "terrain that is seen",
        "its sides are rounded to whole points, at least one; a circle may lie any way",
    ),
    Silent(
        "giving up",
        "a player's vehicles are taken off the board; the last one left has won",
        cited=("Giving up",),
    ),
    Silent(
        "victory",
        "the last player with a living driver has won; after `rounds` or `quiet` game turns whoever "
        "has most armour and components left in vehicles with a driver, and with as many nobody",
        ("Game Turn",),
        cited=("Victory",),
    ),
)
