"""Where the book is silent or says two things, and what is done: the house rules that cannot be chosen."""

from __future__ import annotations

from engine.game.kit.house import Silent

SILENT = (
    Silent(
        "where the template lies across the road",
        "its middle at the bumper's middle; for Lost Control over the middle of all bodies",
        ("Move Template",),
    ),
    Silent(
        "the farthest edge of a section",
        "its edge whose middle is farthest from the template's middle; the vehicle's own middle goes there",
        ("Lost Control",),
    ),
    Silent(
        "a bumper put down outside the template",
        "up to 0.1 in is a hand's error",
        ("Move",),
    ),
    Silent(
        "a vehicle that seems to stand in another",
        "up to 0.15 in is an outline's error; that two solid bodies do stand in one another is taken "
        "as one in twenty before it is measured",
        ("Nudge",),
    ),
    Silent(
        "vehicles that count as touching",
        "up to 0.12 in apart, along a Rig's side 0.15 in",
        (
            "Nudge",
            "Ram",
        ),
    ),
    Silent(
        "a nudged Rig",
        "no more than its own box of two sections",
        ("Nudge",),
    ),
    Silent(
        "where a 180° arc begins",
        "at the edge of the body that the weapon is mounted on: front, rear or side",
        (
            "Vehicle Weapons",
            "Shoot",
        ),
    ),
    Silent(
        "the fleet's shift",
        "until its middle is that of the road, 3 in at least; who would go over the back edge is left "
        "against it",
        ("Move",),
        cited=("Moving the fleet back",),
    ),
    Silent(
        "a vehicle has reached an edge",
        "from 0.1 in away",
        ("Move",),
    ),
    Silent(
        "fleet construction",
        "each player spends the agreed points; one hero for each player costs nothing and sits where "
        "the player wants, else drives the first vehicle; every other seat has Cannon Fodder",
        ("Fleet Construction",),
    ),
    Silent(
        'a Truck\'s "+1 addon"',
        "one creation point of armor or Drag Chains comes with it",
        ("Vehicles · Truck",),
    ),
    Silent(
        'armor on the "sides"',
        "left and right are two sections of one point each; a Rig has the four sections once for "
        "both its bodies",
        ("Vehicle Add-ons · Armor",),
    ),
    Silent(
        "seats",
        "D, then W for each weapon, then P; a Rig's tractor has D and one P, all others are on the trailer",
        ("Vehicles · Rig",),
    ),
    Silent(
        "a Buggy with its one weapon",
        "the second seat is the gunner's",
        ("Vehicles · Buggy",),
    ),
    Silent(
        "further weapons",
        "*Flame Spray* 5 points, 3 in, D6+3; *Rocket Rack* 8 points, 9 in, D6+3; in place of a Machine "
        "Gun they cost the difference",
        ("Vehicle Weapons",),
        cited=("Further weapons",),
    ),
    Silent(
        "deployments",
        "*anywhere*, or *chase*: the first player's vehicles ahead of all others",
        ("Play Setup",),
        cited=("Deployment",),
    ),
    Silent(
        "who rolls the same",
        "rolls again, among themselves",
        ("A Combat Round",),
    ),
    Silent(
        "three or four players",
        "the highest roll first in each number of the play order, then the next; who takes a vehicle "
        "over that two others have boarded: whoever has more warriors on it",
        ("A Combat Round",),
    ),
    Silent(
        "the play order",
        "numbers go up to the size of the largest fleet that was fielded, destroyed and hidden "
        "vehicles counted; only vehicles on the road are numbered",
        ("A Combat Round",),
    ),
    Silent(
        "a total below 1",
        "counts as 1 in an uncontested roll; in a contested one, and for a highest roll, the die "
        "itself counts",
        ("All Warrior Actions",),
    ),
    Silent(
        "modifiers of a defender",
        "none: a defence is no action",
        (
            "Attack",
            "Nudge",
        ),
    ),
    Silent(
        "Cling",
        "one roll for each Move, with the Nudge or Ram that it becomes, and for each Nudge or Ram "
        "that succeeds against the vehicle; none for Lost Control, falling back or the fleet's shift",
        ("Cling",),
    ),
    Silent(
        "damage of a Nudge",
        "1 for both whoever wins; once for a Rig that nudges several",
        ("Nudge",),
    ),
    Silent(
        "a Nudge in vain",
        "the Move goes on as far as the way is clear; one Nudge in a Move",
        ("Nudge",),
    ),
    Silent(
        "Lost Control in a Nudge",
        "ends the Move",
        ("Lost Control",),
    ),
    Silent(
        "damage to a Rig",
        "split, the odd point to the trailer; what one half cannot take is lost; a destroyed trailer "
        "takes none; the tractor's front takes what hits the front, the trailer the rest, unless the "
        "players say otherwise",
        (
            "Vehicles · Rig",
            "Shoot",
        ),
    ),
    Silent(
        "a tractor at 0",
        "destroys the Rig",
        (
            "Vehicles · Rig",
            "Destroyed!",
        ),
    ),
    Silent(
        "decoupling",
        "4+ on the driver's die, once a turn, no warrior's action; the trailer's weapons and Drag "
        "Chains go with it; until then it cannot be driven and its weapons are silent",
        ("Destroyed!",),
    ),
    Silent(
        "a Nudge or Ram against an unmanned vehicle",
        "its player rolls a D6; one that veers into another does, too",
        ("Driver Actions",),
    ),
    Silent(
        "an unmanned vehicle that is struck, or behind a wreck",
        "fails without a roll",
        (
            "Driver Actions",
            "Destroyed!",
        ),
    ),
    Silent(
        "a 1 behind a wreck",
        "D6 damage, and Lost Control in place of the veer",
        ("Destroyed!",),
    ),
    Silent(
        "Boarding a Rig",
        "its trailer, unless the players say the tractor; who boards clings if no seat is taken",
        ("Board",),
    ),
    Silent(
        "Attack on a Rig",
        "on the same half of it",
        ("Attack",),
    ),
    Silent(
        '"on a 6+ it targets both" and "the maximum on their die"',
        "the second: a 6 on a D6, a 10 on a D10",
        (
            "Shoot",
            "Ram",
        ),
    ),
    Silent(
        "Hidden Buggy",
        "drives out in its Rig's turn as its driver's action; a failed roll may be tried again next "
        "round; it is played from the next round on. It is put down facing the road, within a "
        "section length of the Rig. With a trailer that is decoupled as a wreck it leaves at −1, or "
        "is lost",
        ("Rig-only Add-ons · Hidden Buggy",),
        cited=("Where a Hidden Buggy is put down",),
    ),
    Silent(
        "the 4 in × 6 in box",
        "is a Rig's, on one toy or two, also of a tractor that has lost its trailer",
        ("Move",),
    ),
    Silent(
        "a vehicle that is nudged into another",
        "is a Nudge for that one too: who clings rolls, and a 1 is Lost Control as well; armor does "
        "not count, and of a Rig the trailer takes it",
        ("Nudge",),
    ),
    Silent(
        "pushed off the back edge",
        "a vehicle is on the road again, and has no last chance to lose",
        ("Move",),
    ),
    Silent(
        "un-jamming",
        "takes the round: the weapon is shot from the next turn on; a mounted one is cleared also as the "
        "second action after a Change or a Cling; a hero clears their own weapon after neither, and a "
        "Cling that comes later does not jam it again",
        (
            "Shoot",
            "Attack",
            "All Warrior Actions",
        ),
    ),
    Silent(
        "Drag Chains",
        "count for Move, Nudge, Ram, Board, Attack, Shoot, Cling with a Move and decoupling; not for "
        "leaps off a wreck, a Buggy that drives out, and rolls that are no action",
        ("Vehicle Add-ons · Drag Chains",),
    ),
    Silent(
        "a leap off a wreck",
        "has the −1 alone",
        ("Destroyed!",),
    ),
    Silent(
        "a full vehicle",
        "two warriors of one player who have not acted may change places: both have changed",
        ("Change",),
    ),
    Silent(
        "shrapnel",
        "hits whom the defender names, but nobody of the shooter's own",
        ("Shoot",),
    ),
    Silent(
        "against the back edge",
        "in its next turn nobody does anything but change seats and roll the Move; not trying is failing",
        ("Move",),
    ),
    Silent(
        "giving up",
        "a player's warriors are out of the fight, and their vehicles leave the road; one that "
        "others have boarded is theirs, with its place in the play order",
        cited=("Giving up",),
    ),
    Silent(
        "victory",
        "the last player with a warrior on the road; after the agreed rounds whoever controls "
        "vehicles of more creation points, then of more hit points, then whoever has more warriors "
        "on the road",
        cited=("Victory",),
    ),
    Silent(
        "how exactly a vehicle is placed",
        "within `place_tolerance` and `facing_tolerance`",
        (
            "Play Setup",
            "Lost Control",
        ),
        cited=("How exactly a vehicle is placed",),
    ),
)
