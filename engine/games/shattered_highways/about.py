"""What game this is: its book with every section that a ruling may cite, and the words that are its own."""

from __future__ import annotations

from engine.game.about import About
from engine.games.shattered_highways.book.data import BOOK, CLASSES

SECTIONS = (
    "Move Template", "Vehicles", *(f"Vehicles · {name}" for name in CLASSES), "Vehicle Weapons",
    "Vehicle Add-ons", "Vehicle Add-ons · Armor", "Vehicle Add-ons · Drag Chains", "Rig-only Add-ons",
    "Rig-only Add-ons · Hidden Buggy", "Rig-only Add-ons · Reinforcements", "Warriors", "Cannon Fodder",
    "Heroes", "Fleet Construction", "Play Setup", "How to Play", "A Combat Round", "Within a Round",
    "All Warrior Actions", "Board", "Change", "Cling", "Attack", "Driver Actions", "Move", "Nudge", "Ram",
    "Lost Control", "Gunner Actions", "Shoot", "Destroyed!",
)  # fmt: skip
"""The headings of the book on which something rests."""

TERMS = (
    "Shattered Highways", "shattered_highways", "shattered-highways", "Cannon Fodder", "Drag Chains",
    "Hidden Buggy", "Reinforcements", "Tenacity", "Lost Control", "unmanned", "decouple", "creation points",
    "Machine Gun", "Flame Spray", "Rocket Rack",
)  # fmt: skip
"""Names, terms and kinds of the book that are no everyday words."""

HINTS = (
    ("deploy", "Put a vehicle down on the road, its nose the way that the road goes."),
    ("order", "Give your vehicles an order in secret. All orders are revealed together."),
    ("move", "Keep the front bumper inside the template, and end looking along the road."),
    ("nudge", "Side against side: nudge the other one away by a section or more."),
    ("shoot", "A mounted weapon reaches 6 in, in a half circle fore or aft."),
    ("board", "Within an inch, edge to edge, a warrior can go over to another vehicle."),
)
"""By kind of action, what whoever plays without the book should know of it."""

ABOUT = About(
    id="shattered_highways",
    sheets_per_page=3,
    title="Shattered Highways",
    book=BOOK,
    version="1",
    sections=SECTIONS,
    players=(2, 4),
    boards=("road", "free"),
    vehicles="vehicle",
    words=TERMS,
    sealed=("order",),
    what="Fleets on a road that rolls on under their wheels: ram, shoot, and board from car to car.",
    lasts="one to two hours",
    level="middling",
    prints="a tag for each roof; a rig needs two",
    maker="an author whom it does not name",
    found="free: search the web for “Shattered Highways” and “rolling road”",
    hints=HINTS,
)
