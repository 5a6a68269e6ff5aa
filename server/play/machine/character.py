"""Whether a player of a game to come is the machine, and how it plays."""

from __future__ import annotations

from engine.driver.characters import LevelName, TemperName
from server.web.messages import Model


class Machine(Model):
    """How the machine plays a seat: how well, and what it cares for."""

    level: LevelName = "fair"
    temper: TemperName = "even"
