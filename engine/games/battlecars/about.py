"""What game this is: its book with every heading that a ruling may cite, and the words that are its own."""

from __future__ import annotations

from engine.game.about import About
from engine.games.battlecars.book.data import BOOK, PASSIVES, WEAPONS

SECTIONS = (
    "Arming Your Vehicle", "Game Turn", "Game Turn · Nominate Target", "Game Turn · Calculate Range",
    "Game Turn · Fire Weapon", "Game Turn · Check to Hit", "Game Turn · Calculate and Record Damage",
    "Game Turn · Roll for Smoke Markers", "Movement", "Firing", "Passive weapons", "Damage",
    "Damage · Damage to Vehicles", "Damage · Damage to Terrain and Wrecks", "Side Damage", "Skidding",
    "Skidding · Drift Table", "Skidding · Final Facing", "Crashing and Ramming",
    "Crashing and Ramming · Head-On Ram", "Crashing and Ramming · Side Ram",
    "Crashing and Ramming · Shunt Ram", "Crashing and Ramming · Damage from Rams and Crashes", "Weapons",
    *(f"Weapons · {name}" for name in (*WEAPONS, *PASSIVES)), "The Driver", "Pedestrians",
)  # fmt: skip
"""The headings of the book, and the stages, tables and weapons under them."""

TERMS = (
    "Battlecars", "battlecars", "Weapon Pod", "Gunnery Computer", "Fire Extinguisher", "Speed Counter",
    "Smoke Marker", "Hit Location", "Final Facing", "Drift Table", "Speed Difference", "Side Ram",
    "Shunt Ram", "Head-On Ram", "Muscle Car", "Three-point turn",
)  # fmt: skip
"""Names and terms of the book that are no everyday words."""

HINTS = (
    ("build", "Put terrain on the board: it blocks the view along the lines."),
    ("speed", "Put a Speed Counter down in secret. All are revealed together."),
    (
        "move",
        "Push it along the lines, as many points as its Speed: to a marked point without a skid. "
        "Who turns too fast skids.",
    ),
    (
        "fire",
        "A pod covers the line of its barrel and those beside it, a turret every line. The nearest counts.",
    ),
    ("return", "Whoever was shot at may shoot back."),
)
"""By kind of action, what whoever plays without the book should know of it."""

ABOUT = About(
    id="battlecars",
    title="Battlecars",
    book=BOOK,
    version="1",
    sections=SECTIONS,
    players=(2, 4),
    boards=("points",),
    vehicles="vehicle",
    words=TERMS,
    sealed=("speed",),
    sheets_per_page=1,
    cutouts=True,
    what="Armed cars on a board of points. Speeds are chosen in secret, and who turns too fast skids.",
    lasts="two to three hours",
    level="middling",
    prints="the board, a tag for each roof, and the counters",
    maker="Gary Chalk and Ian Livingstone, Games Workshop, 1983",
    found="out of print: second-hand",
    link="https://en.wikipedia.org/wiki/Battlecars",
    hints=HINTS,
)
