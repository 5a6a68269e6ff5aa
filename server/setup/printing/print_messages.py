"""What the step *Print* asks, and what it is told. Inches, but for the table, whose sides are feet."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from calibration.prints.paper import usual_paper
from calibration.prints.table_sheet import Wanted
from server.setup.printing.game_prints import GameWish
from server.web.messages import Model

Paper = Literal["letter", "a4"]
Count = Annotated[int, Field(ge=0, le=60)]
Feet = Annotated[float, Field(ge=0.5, le=30.0)]
Name = Annotated[str, Field(max_length=80)]


class Have(Model):
    """What somebody says that they have. Feet, and a roof tag's black square in inches.

    `game` is the id of the game to be played, `map` that of a map that is printed with its cells so many
    inches apart (as on the table's board, else as the map has them), `counters` those of the game too.
    `paper` is what this system's locale prints on, where nobody says.
    """

    cars: Count = 6
    terrain: Count = 0
    spares: Count = 0
    holders: Count = 0
    corners: bool = True
    size_in: Annotated[float, Field(ge=0.4, le=6.0)] = 0.9
    paper: Annotated[Paper, Field(default_factory=usual_paper)]
    width_ft: Feet = 4.0
    depth_ft: Feet = 4.0
    game: Name = ""
    map: Name = ""
    spacing_in: Annotated[float, Field(ge=0.5, le=6.0)] | None = None
    counters: bool = False

    @property
    def wish(self) -> GameWish:
        """What of a game the sheet holds."""
        return GameWish(self.game, self.map, self.spacing_in, self.counters)

    @property
    def wanted(self) -> Wanted:
        """What the sheet holds. Raises `PrintError`."""
        return Wanted(
            self.cars, self.terrain, self.spares, self.holders, self.corners, roof_size=self.size_in
        )


class SizeView(Model):
    """A size of roof tag: pixels a module at the table's middle and far corner, and what comes of them."""

    size_in: float
    middle_px: float
    corner_px: float
    read: Literal["everywhere", "once named", "middle", "nowhere"]
    words: str


class GameChoice(Model):
    """A game that may be played, and whether it `needs` a board."""

    game: str
    title: str
    needs: bool


class MapChoice(Model):
    """A map that can be printed, with its cells so many inches apart; None where that cannot be chosen."""

    map: str
    words: str
    spacing_in: float | None


class GameAdvice(Model):
    """What the game that was asked for has to print.

    `maps` are its maps, `proposed` the one to print where nobody says otherwise ("" for none); `words` say
    of the chosen one how large it is, and without any what to do.
    `counters` says whether it has some to cut out. `fill_in` is what is filled in by hand, with its sheets
    of paper; empty where there is nothing.
    """

    maps: list[MapChoice]
    proposed: str
    words: str
    counters: bool
    fill_in: str


class PrintAdvice(Model):
    """What to print. Without a picture there are no `sizes` to compare, and nothing is proposed.

    `paper` says how many sheets of it are used, and `on` of which size; `games` are those that may be played.
    """

    ids: str
    sizes: list[SizeView]
    proposed_in: float | None
    words: str
    paper: str
    on: Paper
    games: list[GameChoice]
    game: GameAdvice
