"""One PDF for exactly what a player has: corner tags, a tag for each car and piece of terrain, spares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from calibration.prints.holders import HolderPrint
from calibration.prints.paper import PrintError
from calibration.prints.sheets import CornerPrint, Print, RoofPrint, prints_for
from calibration.tablefile import TableFile

FAMILY = "tag36h11"
"""The family that is printed unless a table says another."""

FIRST_CAR = 10
FIRST_TERRAIN = 30
LAST_ID = 99
"""Tags that nobody has named yet are looked for up to this id."""

MOST_OF_A_KIND = 60

CORNERS = 4
"""Corner tags of a table, with the ids from 0 on."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody has, and how large its tags are to be: sides of black squares in inches.

    Of the `cars`, so many as `holders` says have no flat roof. Raises `PrintError` for a number that
    cannot be printed.
    """

    cars: int = 6
    terrain: int = 0
    spares: int = 0
    holders: int = 0
    corners: bool = True
    roof_size: float = 0.9
    terrain_size: float = 1.6
    corner_size: float = 2.4

    def __post_init__(self) -> None:
        for words in ("cars", "terrain", "spares", "holders"):
            number = getattr(self, words)
            if not 0 <= number <= MOST_OF_A_KIND:
                raise PrintError(f"expected 0 to {MOST_OF_A_KIND} {words} but got {number}")
        if self.holders > self.cars:
            raise PrintError(
                f"{self.holders} holders for {self.cars} cars: there cannot be more holders than cars"
            )
        for words in ("roof_size", "terrain_size", "corner_size"):
            size = getattr(self, words)
            if not 0.4 <= size <= 6.0:
                raise PrintError(f"expected a {words.replace('_', ' ')} of 0.4 to 6 inches but got {size:g}")


@dataclass(frozen=True, slots=True)
class Numbered:
    """The ids of tags to be printed, each kind in order."""

    cars: tuple[int, ...]
    terrain: tuple[int, ...]
    spares: tuple[int, ...]

    @property
    def words(self) -> str:
        """Which id is for what.

        >>> numbered(Wanted(cars=2, terrain=1), ()).words
        'cars 10–11, terrain 30'
        """
        kinds = (("cars", self.cars), ("terrain", self.terrain), ("spares", self.spares))
        return ", ".join(f"{kind} {_spans(ids)}" for kind, ids in kinds if ids)


def numbered(wanted: Wanted, taken: Iterable[int]) -> Numbered:
    """Ids beyond all that are `taken`, so that no tag is printed twice; below them if there are too few.

    Raises `PrintError` if there are not so many ids.

    >>> numbered(Wanted(cars=3), [0, 1, 2, 3, 10, 12, 40]).cars
    (41, 42, 43)
    """
    used = {i for i in taken if i <= LAST_ID}
    free = [i for i in range(FIRST_CAR, LAST_ID + 1) if i not in used]
    beyond = [i for i in free if i > max(used, default=0)]
    number = wanted.cars + wanted.terrain + wanted.spares
    if number > len(free):
        raise PrintError(
            f"{number} tags are asked for, and of the ids {FIRST_CAR} to {LAST_ID} only {len(free)} are "
            "free: ask for fewer"
        )
    pool = beyond if number <= len(beyond) else free
    cars, rest = pool[: wanted.cars], pool[wanted.cars :]
    apart = [i for i in rest if i >= FIRST_TERRAIN]
    if wanted.terrain and wanted.terrain + wanted.spares <= len(apart):
        rest = apart
    terrain, spares = rest[: wanted.terrain], rest[wanted.terrain :][: wanted.spares]
    return Numbered(tuple(cars), tuple(terrain), tuple(spares))


def ids_for(wanted: Wanted, after: TableFile | None = None, seen: Iterable[int] = ()) -> Numbered:
    """Ids that follow those of the table file `after` and of the tags `seen` on the table."""
    keys = () if after is None else after.keys
    return numbered(wanted, [*(tag for family, tag in keys if family == FAMILY), *seen])


def table_prints(wanted: Wanted, after: TableFile | None = None, seen: Iterable[int] = ()) -> list[Print]:
    """What is cut out, with the ids of `ids_for`; corner tags are those of the table, if there is one."""
    ids = ids_for(wanted, after, seen)
    prints: list[Print] = []
    if wanted.corners and after is not None:
        prints += prints_for(after.corners, (), after.loose)
    elif wanted.corners:
        prints += [CornerPrint(n, size=wanted.corner_size) for n in range(CORNERS)]
    roofs = wanted.cars - wanted.holders
    prints += [RoofPrint("Car", tag, wanted.roof_size) for tag in ids.cars[:roofs]]
    prints += [RoofPrint("Terrain", tag, wanted.terrain_size) for tag in ids.terrain]
    prints += [RoofPrint("Spare", tag, wanted.roof_size) for tag in ids.spares]
    return prints + [HolderPrint("Car", tag, wanted.roof_size) for tag in ids.cars[roofs:]]


def sheet_title(wanted: Wanted) -> str:
    """What the sheets are for.

    >>> sheet_title(Wanted(cars=1, terrain=5, corners=False))
    'Tags for 1 car, 5 pieces of terrain · printed top toward the nose'
    """
    kinds = ((wanted.cars, "car", "cars"), (wanted.terrain, "piece of terrain", "pieces of terrain"),
             (wanted.spares, "spare", "spares"))  # fmt: skip
    has = [f"{n} {one if n == 1 else many}" for n, one, many in kinds if n]
    return f"Tags for {', '.join(has) or 'a table'} · printed top toward the nose"


def _spans(ids: Sequence[int]) -> str:
    """Ids as people write them.

    >>> _spans([10, 11, 12, 20])
    '10–12, 20'
    """
    runs: list[list[int]] = []
    for i in ids:
        if runs and i == runs[-1][-1] + 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
