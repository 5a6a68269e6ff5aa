"""What game this is: its book with every section that a ruling may cite, and the words that are its own."""

from __future__ import annotations

from engine.game.about import About
from engine.games.white_line_fever.book.data import BOOK, BRANDS, WEAPONS

SECTIONS = (
    "Overview", "Setup", "Setup · Deployment", "Rounds", "Rounds · Determine Direction",
    "Rounds · Perform Maneuver", "Rounds · Change Speed", "Maneuvers",
    "Maneuvers · Leaving the Playing Surface", "Maneuvers · Move Car", "Maneuvers · Turn Car",
    "Maneuvers · Drift Car", "Maneuvers · Action", "Floor It", "Floor It · Hazard Check",
    "Floor It · Lose Control", "Floor It · Last Car Standing", "Shoot Weapon · Target",
    "Shoot Weapon · Modifiers · Short Range", "Shoot Weapon · Modifiers · Tailgate", "Shoot Weapon · To Hit",
    "Shoot Weapon · Damage", "Shoot Weapon · Special", "Drop Weapon", "Drop Weapon · Triggering a Droppable",
    "Destroying a Car", "Destroying a Car · Exploding", "Collisions", "Collisions · Spin Out",
    *(f"Brands · {brand}" for brand in BRANDS), *(f"Weapons · {weapon}" for weapon in WEAPONS),
)  # fmt: skip
"""The headings of the book on which something rests."""

TERMS = (
    "White Line Fever", "white_line_fever", "white-line-fever", "Floor It", "floor_it", "floored",
    "Hazard Check", "Last Car Standing", "Lose Control", "lost control", "may change speed", "Maneuver",
    "Maximum Range", "Short Range", "Spin Out", "Tailgate",
)  # fmt: skip
"""Names, terms and kinds of the book that are no everyday words."""

HINTS = (
    (
        "deployment",
        "For a first game take highway: the cars go down in turns, anywhere, and may stay where they stand.",
    ),
    ("deploy", "Put a car where it starts, its nose where it shall look, and tap its name."),
    ("choose", "Drive one of your cars in this round. One that has an enemy ahead is a good choice."),
    ("move", "Push it as many inches as its Speed, with one turn or one drift if you like. Collisions hurt."),
    (
        "shoot",
        "One action after each drive: shoot at what is ahead, near and in sight. Slow cars are easy to hit.",
    ),
    (
        "floor_it",
        "Floor It: another drive, another action. Each is harder than the last; who fails loses control.",
    ),
    ("speed", "End the round with another Speed. Fast cars go further and are harder to hit."),
    ("placed", "A rule puts this car elsewhere: put it on its dashed shape."),
)
"""By kind of action, what whoever plays without the book should know of it."""

ABOUT = About(
    id="white_line_fever",
    title="White Line Fever",
    book=BOOK,
    version="1",
    sections=SECTIONS,
    words=(*TERMS, *WEAPONS, *BRANDS),
    usual=True,
    what="Toy cars with guns among books and mugs. Push your luck: one more drive, or one more shot.",
    lasts="about an hour",
    level="easy",
    prints="a tag for each roof",
    maker="Carlo Guglielmin",
    found="free, on the designer's blog",
    link="https://horizongamesblog.wordpress.com/white-line-fever/",
    hints=HINTS,
)
