"""What a player for an empty seat is told by a game: good ways to use an option, and how good it stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.game.events import JsonObject
from engine.measure.sweep import Step
from engine.space.geometry import Pose


@dataclass(frozen=True, slots=True)
class Proposal:
    """A way to use an option of this `kind`: what its form is told, and where its piece is pushed.

    `data` is what the option and its form say, as far as it matters; the rest is filled with what is usual.
    `way` are the poses on the table (inches, radians) through which `piece` is pushed, to where it rests;
    empty where nothing is moved. `steps` are the runs and turns of that way, where the game knows them: what
    is tried out in thought need not be recognised. `words` tell the deed after the piece's name ("drives
    3 in"). `guess` is how good it is where it cannot be tried out, in the units of `Worth`.
    """

    kind: str
    piece: str | None = None
    data: JsonObject = field(default_factory=dict)
    way: tuple[Pose, ...] = ()
    steps: tuple[Step, ...] = ()
    words: str = ""
    guess: float | None = None


@dataclass(frozen=True, slots=True)
class Worth:
    """How a player stands, in the game's own terms; 1 is about what one whole vehicle is worth.

    `own` is what they still have and `others` what their opponents have; `chance` is the harm that they may
    expect to do next and `danger` that which they may suffer; `progress` is how far they are on the way to
    what the game is won by, against the others; `won` is 1 for a game that is won, −1 for one lost.
    """

    own: float = 0.0
    others: float = 0.0
    chance: float = 0.0
    danger: float = 0.0
    progress: float = 0.0
    won: float = 0.0
