"""Where the book is silent or says two things, and what is done: the house rules that cannot be chosen."""

from __future__ import annotations

from engine.game.kit.house import Silent

SILENT = (
    Silent(
        "the dice",
        'icons: each of the six once, paired as "Control Roll" says; numbers: 0, 1, 2, 2, 3, 3, as '
        '"Speed Check" lists them',
        (
            "Speed Check",
            "Control Loss",
        ),
    ),
    Silent(
        "Accelerating with Reins",
        "the book prints the words for Whip again; its example and its overview limit who uses as "
        "many Reins as Whip, or twice as many, which is taken",
        ("Speed Changes",),
    ),
    Silent(
        "Movement Example",
        "it tells of phase 2, its moves are those of row 3 of the printed table, which is taken",
        ("Movement",),
    ),
    Silent(
        "Stamina Check Example",
        "the printed track has Speed at 9 and 6 and Reins at 8 and 5; the text names 5 and 9, and 6 "
        "and 9: the track is taken, at 5 both come to the same",
        ("Maintenance Checks",),
    ),
    Silent(
        "Collision Example",
        "White rolls five 0s and sustains two damage against Resilience 1: damage needs a value "
        "*higher* than Resilience",
        ("Collisions",),
    ),
    Silent(
        "Brake",
        "the book prints the words of Yah! again; Haste counts as Slow",
        ("Whip & Reins",),
    ),
    Silent(
        "front, side and rear",
        "of the six neighbours, what lies straight on or 30° beside it is in front, what lies "
        "straight back or 30° beside it is behind, the rest is to the side",
        ("Attacks",),
    ),
    Silent(
        "attack dice",
        "the two highest are kept",
        ("Attacks",),
        cited=("An attack keeps the two highest dice",),
    ),
    Silent(
        "a tie of Attack Values",
        "each loser takes half the other's Speed",
        ("Attacks",),
    ),
    Silent(
        "a slide at a corner",
        "goes to the front side that was not entered last, else to the free one",
        ("Control Loss",),
        cited=("Where a slide at a corner goes",),
    ),
    Silent(
        "a wreck that would roll into a vehicle",
        "comes to rest, and the vehicle makes a Damage roll with the wreck's Speed",
        ("Collisions",),
        cited=("A wreck that rolls into a vehicle comes to rest, and the vehicle makes a Damage roll",),
    ),
    Silent(
        "a lost card",
        "is a spent one, else one in recovery, else one in the hand",
        ("Damage",),
        cited=("Which card is lost",),
    ),
    Silent(
        "low obstacles",
        "are Fragile Obstacles, debris and wrecks, for jumps and a Flyer; a jump clears what is low, "
        "once in a turn, facing the side of a hex, besides the card for a space more or less",
        ("Collisions",),
    ),
    Silent(
        "a Flyer",
        "passes over hazards, Fragile Obstacles, debris and wrecks; it ends on no wreck, where two "
        "models have no room",
        ("Traits",),
    ),
    Silent(
        "a Driver",
        "always rolls and discards the extra dice",
        ("Traits",),
    ),
    Silent(
        "a Maximum Speed below the Speed",
        "reduces the Speed at once, to the highest boxes of the new maximum",
        ("Speed Changes",),
    ),
    Silent(
        "who is wiped out in a collision",
        "changes its Speed as the collision says, and its wreck rolls on with that",
        ("Collisions",),
    ),
    Silent(
        "the trait Stamina",
        "brings back what lies in the Spent box when a round begins; Card Recovery has emptied that "
        "by then, as the book has it",
        ("Traits",),
    ),
    Silent(
        "a point of control for straight movement",
        "is not given back after a Damage roll for debris or another Fragile Obstacle, which counts "
        "as a collision",
        ("Control Loss",),
    ),
    Silent(
        "turning past what was hit",
        "the vehicle that ran into it, where no first space is free as it faces; also in a corridor "
        "where the other blocks every hex",
        ("Collisions",),
    ),
    Silent(
        "Survivor and Determination",
        "the large button plays the card; the switch beside it keeps it",
        ("Traits",),
    ),
    Silent(
        "a jump at a Safe Speed",
        "takes a Control roll with the dice of Control Loss points alone, and always its Damage roll",
        ("Optional Rules",),
    ),
    Silent(
        "a runner",
        "starts each round in the sixth of the track that a D6 says, a second D6 says its side (1 to "
        "3 inside); it goes to the next lane by the way that leads least along the track, and waits "
        "for a hex that is taken",
        ("Race Types",),
        cited=("Where runners start",),
    ),
    Silent(
        "re-rolls",
        "once the dice lie, the player picks those that are rolled again, all together; *Lucky* is "
        "played by picking more than a trait allows",
        ("Dice Re-rolls",),
    ),
    Silent(
        "Lucky",
        "2 dice of a roll, then discarded; a roll of cards of an attack asks the attacker first",
        ("Traits",),
    ),
    Silent(
        "Random",
        "one die: Slide +1 Control Loss Point, Haste and Slow as these, Left and Right Spin −1 to "
        "decelerate and accelerate, Damage 1 Damage",
        ("Permanent Damage Affects",),
        cited=("What a Random damage effect is",),
    ),
    Silent(
        "Adaptive",
        "a card that is given takes the place of the one that it is swapped for",
        ("Traits",),
    ),
    Silent(
        "Rival",
        "is named in the set-up; it is ahead by the distance travelled",
        ("Traits",),
    ),
    Silent(
        "Sneaky",
        "attacks at any point of the other's turn",
        ("Traits",),
    ),
    Silent(
        "lots",
        "a D6 each, the highest first; ties roll again",
        ("Rounds and Phases",),
    ),
    Silent(
        "Toughest and Pursuit",
        "start evenly spread along the middle lane; a Fox a quarter of a lap ahead of the Hounds",
        ("Race Types",),
        cited=("Where vehicles start that do not start on the grid",),
    ),
    Silent(
        "leading where vehicles start apart",
        "in Toughest, Pursuit and Fox and Hounds a lead is what was gained since the start; "
        "Grandstanding and the Whips of Shame are off there unless they are chosen",
        ("Optional Rules",),
    ),
    Silent(
        "to catch up",
        "is to come level along the track, or to stand beside the other",
        ("Race Types",),
    ),
    Silent(
        "whoever is left alone",
        "has won",
        ("Race Types",),
        cited=("Whoever is left alone has won",),
    ),
    Silent(
        "after the last round",
        "Furthest: the furthest; Toughest: who can take the most damage; the Fox, if it was not "
        "caught; Pursuit: who gained most; Scoring: the places bring their points; else who is in "
        "front",
        ("Race Types",),
        cited=("After the last round",),
    ),
    Silent(
        "giving up",
        "the vehicle is taken off the track; the last one left has won",
        cited=("Giving up",),
    ),
    Silent(
        "vehicles",
        "all but the Chariot are made by the Vehicle Creation Guide",
        ("Vehicle Creation Guide",),
        cited=("Vehicles",),
    ),
    Silent(
        "where the track lies",
        "as the table file says, else where the players say",
        ("Setup",),
        cited=("Where the track lies",),
    ),
)
