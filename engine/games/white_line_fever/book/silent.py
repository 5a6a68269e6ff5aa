"""Where the book is silent or says two things, and what is done: the house rules that cannot be chosen."""

from __future__ import annotations

from engine.game.kit.house import Silent

SILENT = (
    Silent(
        "types of deployment",
        "*arena*: each player along an edge of their own, opposite edges first; *highway*: one car "
        "after the other in turn, anywhere. A D6 decides if nobody does: 1 to 3 arena",
        ("Setup · Deployment",),
        cited=("Deployment",),
    ),
    Silent(
        "another car",
        "the driver may choose another one until the first maneuver of the round is taken",
        ("Rounds · Perform Maneuver",),
    ),
    Silent(
        "giving up",
        "a player's cars are taken off the table; the others play on, and the last one has won",
        cited=("Giving up",),
    ),
    Silent(
        "who begins",
        "the first player, or `first` in the setup",
        ("Rounds",),
    ),
    Silent(
        "maximum Speed",
        "never below 1, however many big boxes",
        ("Shoot Weapon · Damage",),
    ),
    Silent(
        "two Hammers against one car",
        "both count",
        ("Brands · Hammer",),
    ),
    Silent(
        "a seen run that ends up to 0.25 in aside",
        "is no drift, only a hand's trembling",
        ("Maneuvers · Drift Car",),
    ),
    Silent(
        "leaving the surface",
        "as soon as any part of the car is over the edge",
        ("Maneuvers · Leaving the Playing Surface",),
    ),
    Silent(
        "tokens on the way to a contact",
        "first the tokens in the order of the way, then the contact",
        ("Drop Weapon · Triggering a Droppable",),
    ),
    Silent(
        "a token that destroys the car, a Barricade",
        "the maneuver ends there, short of its Speed; what lies beyond is not met",
        ("Weapons · Barricade",),
    ),
    Silent(
        "Speed lost on the way (Spikes, a big box)",
        "shortens the maneuver under way to the new Speed, or to where the car was by then if that "
        "is farther",
        ("Weapons · Spikes",),
    ),
    Silent(
        "Oil, Springboard while driving",
        "act where the car meets them: the maneuver is broken off there, whatever the hand did "
        "after it, the car is put where its ghost is, and what is left of the maneuver is driven "
        "from there, with its turn or drift if that was not made yet",
        (
            "Weapons · Oil",
            "Weapons · Springboard",
        ),
    ),
    Silent(
        "what is left of a maneuver",
        "may be less than 1 in; less than the tolerance of a length is nothing",
        ("Maneuvers · Move Car",),
    ),
    Silent(
        "Springboard",
        "6 in ahead, the way the car points",
        ("Weapons · Springboard",),
    ),
    Silent(
        "Slammer, Harpoon",
        "along the line between the middles of the two cars; the heading stays",
        (
            "Weapons · Slammer",
            "Weapons · Harpoon",
        ),
    ),
    Silent(
        "a turn at once away from what the car stands against",
        "a car or an obstacle behind it or beside it keeps its corners off: of the points of its rear that "
        "one counts about which it swings no deeper into it than a hand strays, 0.1 in; a token keeps off "
        "none",
        (
            "Maneuvers · Turn Car",
            "Collisions",
        ),
    ),
    Silent(
        "a pushed or pulled car",
        "stops at the first thing that it touches, which is a Collision; what it touched before it "
        "was moved counts only if it goes deeper into it",
        ("Collisions",),
    ),
    Silent(
        "a car that is turned where it stands",
        "what it swings into is a Collision; one that spins out is lifted and set down: what it "
        "touches there counts, not what it touched before",
        (
            "Collisions",
            "Collisions · Spin Out",
        ),
    ),
    Silent(
        "Spin Out, Disruptor",
        "about the car's middle",
        (
            "Collisions · Spin Out",
            "Weapons · Disruptor",
        ),
    ),
    Silent(
        "Barricade",
        "a Collision with nobody else: the car's own D8, at least its Speed",
        ("Weapons · Barricade",),
    ),
    Silent(
        "where arcs begin",
        "the forward arc lies ahead of the shooter's front axle, and a target is in it with any "
        "tyre; the rear arc of a target lies behind its rear axle, and a shooter is in it with a "
        "front tyre",
        (
            "Shoot Weapon · Target",
            "Shoot Weapon · Modifiers · Tailgate",
        ),
    ),
    Silent(
        "Railgun",
        "the next thing on the line through the target's middle; if that is no car in play, or "
        "beyond the Railgun's Maximum Range, nobody",
        ("Weapons · Railgun",),
    ),
    Silent(
        "modifiers that nobody declared",
        "go to Accuracy; the page begins with what promises more, and the tap on *Shoot* declares it",
        ("Shoot Weapon · To Hit",),
    ),
    Silent(
        "one's own token",
        "acts on one's own car as on any other: *Floor It* with a turn at once may swing a corner "
        "back over it; the driver's screen says so before",
        ("Drop Weapon · Triggering a Droppable",),
    ),
    Silent(
        "where a dropped token lies",
        "its edge at the car's rear, its middle behind the car, give or take `place_tolerance` where it is "
        "seen; one without a tag is taken to lie behind the middle of the rear, one with a tag that is laid "
        "later is met where it is seen",
        ("Drop Weapon",),
    ),
    Silent(
        "a token off the surface, or on an obstacle",
        "lies there, and is met where it lies",
        ("Drop Weapon",),
    ),
    Silent(
        "a Hammer in a Collision of three",
        "adds its 2 to what it touched, and takes 2 less: who ran into two has touched both, these one "
        "another not",
        ("Brands · Hammer",),
    ),
    Silent(
        "a car that explodes",
        "does so where it was stopped, by a token on its way; it is taken off the table",
        ("Destroying a Car · Exploding",),
    ),
    Silent(
        "exactly on a limit",
        "20.00 in of 20 is in range; a contact of exactly 0.00 is too close to call",
        ("Shoot Weapon · Target",),
    ),
    Silent(
        '"the driver" in a Collision',
        "the car of this round: a Collision of the driver's other cars does not end the round",
        ("Collisions",),
    ),
    Silent(
        "a wreck, turned over",
        "lies where it was last seen, give or take 0.3 in and 10°: its tag is hidden",
        ("Destroying a Car",),
    ),
    Silent(
        "Grenade Launcher",
        "on a hit, every car within 5 in of the target, edge to edge, takes the damage of the shot",
        ("Weapons · Grenade Launcher",),
    ),
    Silent(
        "explosions that set each other off",
        "each is settled before anybody has won; if nobody is left, nobody wins",
        ("Destroying a Car · Exploding",),
    ),
    Silent(
        "a Pulsar that lost control",
        "may still change its Speed: always is always",
        ("Brands · Pulsar",),
    ),
    Silent(
        "Hazard Check modifiers",
        "none in the surviving text",
        ("Floor It · Hazard Check",),
    ),
    Silent(
        "names",
        "no two pieces of a game have the same name",
        ("Setup",),
        cited=("Names",),
    ),
    Silent(
        "where a displaced car stands",
        "within `place_tolerance` and `place_turn_tolerance` of its ghost",
        ("Collisions · Spin Out",),
        cited=("Where a displaced car stands",),
    ),
)
