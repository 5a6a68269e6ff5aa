"""What game this is: its notes with every heading that a ruling may cite, and the words that are its own."""

from __future__ import annotations

from engine.game.about import About
from engine.games.car_cult.book.data import ARMOUR, BOOK, CARDS

SECTIONS = (
    "Creating a Car Game",
    "Core Mechanics",
    "Game rounds and turns",
    "Car Activation",
    "Car Movement/Engines",
    "Down Shift",
    "Down Shift · Rough terrain",
    "Down Shift · Blocking terrain",
    "Attacking opponents",
    "Attacking opponents · Declare target",
    "Attacking opponents · Apply ST to weapon",
    "Attacking opponents · Measure range and determine LoS",
    "Attacking opponents · Roll Attack dice",
    "Attacking opponents · Apply Speed and Blast modifiers",
    "Attacking opponents · Apply Damage",
    "Exploding Cars",
    "Building a Car Cult",
    *(
        f"Building a Car Cult · {c.name}"
        for c in CARDS.values()
        if c.sort not in ("engine", "armour") and not c.wish
    ),
    f"Building a Car Cult · {ARMOUR}",
    "Comments",
)
"""The headings of the notes, and the stages and components under them."""

TERMS = (
    "Car Cult", "car_cult", "car-cult", "Dangerous Driver", "Gutsy Gunner", "Fanatical Fixer",
    "Reinforced Ram", "Build Limit", "Action Zone", "Spark Plug", "Down Shift", "Crack Shot", "Crap Shot",
    "Speed token", "Damage token", "Flamethrower", "Turbo Booster",
)  # fmt: skip
"""Names, terms and kinds of the notes that are no everyday words."""

HINTS = (
    (
        "deploy",
        "Put a car down, and say how many Speed tokens lie on its engine: more of them make it faster.",
    ),
    ("shift", "Fewer Speed tokens on the engine make a car slower, and let it turn more."),
    ("allocate", "Deal out the Speed tokens that the car has made among its parts."),
    (
        "move",
        "Push it between the least and the most inches of its engine. Each empty zone is a turn of 45°.",
    ),
    ("declare", "Name a target first: until then every distance is hidden, from everybody."),
    ("fire", "Now it is measured, and the dice tell what became of it."),
)
"""By kind of action, what whoever plays without the book should know of it."""

ABOUT = About(
    id="car_cult",
    title="Car Cult",
    book=BOOK,
    version="1",
    sections=SECTIONS,
    players=(2, 6),
    boards=("free",),
    measuring="after declaring",
    words=TERMS,
    cutouts=True,
    what="Gangs of cars, each built of engine, weapons and crew. Nobody measures before the target is named.",
    lasts="one to two hours",
    level="middling",
    prints="a tag for each roof and each patch of rough ground, and the counters",
    maker="the East London Fellowship",
    found="free: an entry of 25 November 2016 in their blog",
    link="https://eastlondonfellowship.blogspot.com/2016/11/whilst-over-wills-at-weekend-he.html",
    hints=HINTS,
)
