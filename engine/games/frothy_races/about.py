"""What game this is: its book with every heading that a ruling may cite, and the words that are its own."""

from __future__ import annotations

from engine.game.about import About
from engine.games.frothy_races.book.data import BOOK

SECTIONS = (
    "Vehicles", "Setup", "Dice Re-rolls", "Race Types", "Summary of Basic Features", "Control Loss Points",
    "Whip & Reins Overview", "Rounds and Phases", "Speed Check", "Speed Changes", "Movement", "Control Loss",
    "Attacks", "Damage", "Collisions", "Maintenance Checks", "Optional Rules", "Alternative Rules",
    "Vehicle Creation Guide", "Whip & Reins", "Permanent Damage Affects", "Traits",
)  # fmt: skip
"""The headings of the book; what stands under one is cited with it."""

TERMS = (
    "Frothy Races", "frothy_races", "Driving Licence", "Control Loss Point", "Wipe-Out", "Over-Whipping",
    "Whips of Shame", "Grandstanding", "Fox and Hounds", "First Round Truce", "Ramming Speed",
    "Champing at the Bit", "Cat O' Nine", "Left Spin", "Right Spin", "War Beast",
)  # fmt: skip
"""Names and terms of the book that are no everyday words."""

HINTS = (
    ("start", "Lots decide who stands where at the start."),
    ("check", "Play a card and choose: accelerate or decelerate. Without a card most decelerate."),
    ("move", "Push it hex by hex, straight on or with one drift. A turn comes at the end."),
    ("attack", "Somebody is beside you: attack, if you like."),
    ("control", "Roll for control: pairs cancel one another, what is left moves you."),
)
"""By kind of action, what whoever plays without the book should know of it."""

ABOUT = About(
    id="frothy_races",
    title="Frothy Races",
    book=BOOK,
    version="1",
    sections=SECTIONS,
    players=(2, 6),
    boards=("hexes",),
    vehicles="vehicle",
    words=TERMS,
    sealed=("clash",),
    sheets_per_page=1,
    lays=True,
    what="A race on a track of hexes, round after round, with whip and reins, ramming and wrecks.",
    lasts="one to two hours",
    level="many rules, the optional ones are switches",
    prints="the track and a tag for each vehicle",
    maker="Frothers Unite UK, for the show Salute 2012",
    found="the club's guide 3.6, given out with the game",
    hints=HINTS,
)
