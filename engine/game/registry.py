"""Which games there are: folders of `engine.games`, entry points `tableref.games`, and named folders.

A game that cannot be loaded is listed with the reason and stops nothing.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import engine.games
from engine.errors import TableRefError
from engine.game.about import About

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

    from engine.boards.pictures import Cutout, GameMap, Laying
    from engine.game.contract import Game

OURS = "tableref"
"""Where the games come from that are tableref's own, and not another's."""

GROUP = "tableref.games"
"""The entry points under which installed packages offer games: `far_edge = "far_edge:GAME"`."""

STUMBLES = (Exception, SystemExit)
"""What may come out of a plug-in, which is another's code: it may not end tableref either."""

INSTALL = "install its package, or name its folder with --games"
"""What to do about a game that is not there."""

_named: tuple[str, ...] = ()
"""The folders of games of this process, as its command line names them."""


@contextmanager
def games_from(*folders: str) -> Iterator[None]:
    """Within it, the games of these folders are found by everybody, besides those that are installed."""
    global _named  # noqa: PLW0603 - which games there are is the same for a whole process
    before = _named
    _named = (*before, *folders)
    try:
        yield
    finally:
        _named = before


def folders_named() -> tuple[str, ...]:
    """The folders of games of this process, as its command line names them."""
    return _named


@dataclass(frozen=True, slots=True)
class Found:
    """A game that is there, or one that should be: `about` if it can be loaded, else the `reason` why not.

    `where` says where it comes from: "tableref", the name of a package, or a folder.
    """

    id: str
    where: str
    about: About | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a game may be: its module, loaded when it is needed, and the name of the game in it."""

    name: str
    where: str
    module: Callable[[], ModuleType]
    attribute: str = "GAME"

    def about(self) -> About:
        """What it is, from its module `about` if there is one, so that no rules are loaded."""
        module = self.module()
        told = _inner(module, "about")
        return _checked_about(self.game().about if told is None else told.ABOUT, self.name)

    def game(self) -> Game[Any]:
        """The game, a value of the contract's type."""
        module = self.module()
        if not hasattr(module, self.attribute):
            module = _inner(module, "game") or module
        from engine.game.answering import within_limit  # noqa: PLC0415 - a list of games needs no rules
        from engine.game.contract import Game  # noqa: PLC0415 - the same

        found = getattr(module, self.attribute, None)
        if not isinstance(found, Game):
            got = "none" if found is None else repr(found)
            words = f"expected a Game called {self.attribute} but found {got}"
            raise TableRefError(f"{module.__name__}: {words}")
        _checked_about(found.about, self.name)
        return found if self.where == OURS else within_limit(found)


def games(folders: Sequence[str] = ()) -> tuple[Found, ...]:
    """Every game that can be found, those that are broken with the reason."""
    found: dict[str, Found] = {}
    for place in _places(folders):
        one = _looked_at(place)
        if one.id in found:
            there = f"a game called {one.id} comes from {found[one.id].where} already"
            reason = f"{there}: give this one another id in its About"
            one = Found(f"{one.id} ({one.where})", one.where, None, reason)
        found[one.id] = one
    return tuple(found.values())


def game_called(name: str, folders: Sequence[str] = ()) -> Game[Any]:
    """The game of that id or title; case, spaces, dashes and underscores do not matter."""
    for place in _places(folders):  # no further than it is found: installed packages are looked up slowly
        if _same(place.name, name):
            return _loaded(place)
    known, broken = [], []
    for place in _places(folders):
        one = _looked_at(place)
        if one.about is None:
            broken.append(f"; {one.id} cannot be played: {one.reason}")
            continue
        known.append(one.id)
        if _same(one.about.id, name) or _same(one.about.title, name):
            return _loaded(place)
    words = f"no game called {name!r}; expected one of {', '.join(known)}: {INSTALL}"
    raise TableRefError(words + "".join(broken))


def game_of_table(name: str | None) -> Game[Any]:
    """The game that a table file names; without a name the usual one, or else the first there is."""
    if name is not None:
        return game_called(name)
    there = [found for found in games() if found.about is not None]
    if not there:
        raise TableRefError(f"no game can be played: {INSTALL}")
    usual = (found for found in there if found.about is not None and found.about.usual)
    return game_called(next(usual, there[0]).id)


def game_or_unknown(name: str, version: str = "", folders: Sequence[str] = ()) -> Game[Any]:
    """The game of that id, or one that lets its records be looked at without its rules."""
    from engine.game.log.unknown import unknown_game  # noqa: PLC0415 - a list of games needs no rules

    try:
        return game_called(name, folders)
    except TableRefError as error:
        # Whatever is wrong with a game must not keep a record shut.
        return unknown_game(name, version, str(error))


def maps_of(name: str, folders: Sequence[str] = ()) -> tuple[GameMap, ...]:
    """The maps to print that a game brings in its module `maps`; none if it has no such module."""
    told = _maps_module(name, folders)
    return () if told is None else tuple(told.MAPS)


def cutouts_of(name: str, folders: Sequence[str] = ()) -> Callable[..., tuple[Cutout, ...]] | None:
    """What makes the counters that a game brings to cut out, given its board's spacing; None without any."""
    return getattr(_maps_module(name, folders), "cutouts", None)


def laying_of(name: str, folders: Sequence[str] = ()) -> Laying | None:
    """How maps of one's own are laid for a game; None where it brings no way to."""
    return getattr(_maps_module(name, folders), "LAYING", None)


def _maps_module(name: str, folders: Sequence[str]) -> ModuleType | None:
    """The module `maps` of a game; None if it has none."""
    about = game_called(name, folders).about
    for place in _places(folders):
        if _same(place.name, about.id):
            return _inner(place.module(), "maps")
    return None


def _places(folders: Sequence[str]) -> Iterator[_Place]:
    for module in pkgutil.iter_modules(engine.games.__path__):
        if module.ispkg:
            yield _Place(module.name, OURS, _imports(f"engine.games.{module.name}"))
    yield from _installed()
    for folder in dict.fromkeys((*_named, *folders)):
        inside = [
            m.name for m in pkgutil.iter_modules([folder]) if not m.name.startswith(("test", "conftest"))
        ]
        for name in inside:
            yield _Place(name, folder, _imports(name, folder))
        if not inside:
            yield _Place(folder, folder, _nothing(folder))


@lru_cache(maxsize=2)
def _points(path: tuple[str, ...]) -> EntryPoints:  # noqa: ARG001 - what it is kept under
    """What the packages on the path register: all of them are read for it, so once for each path."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and only needed here

    return entry_points(group=GROUP)


def _installed() -> Iterator[_Place]:
    for point in _points(tuple(sys.path)):
        where = point.dist.name if point.dist is not None else point.module
        yield _Place(point.name, where, _imports(point.module), point.attr or "GAME")


def _imports(name: str, folder: str | None = None) -> Callable[[], ModuleType]:
    def module() -> ModuleType:
        return importlib.import_module(name) if folder is None else _from_folder(name, folder)

    return module


def _nothing(folder: str) -> Callable[[], ModuleType]:
    def module() -> ModuleType:
        raise TableRefError(f"no game lies in {folder}: expected a Python package or module with GAME")

    return module


def _from_folder(name: str, folder: str) -> ModuleType:
    """The module of that name in a folder that is on no path."""
    spec = importlib.machinery.PathFinder.find_spec(name, [folder])
    if spec is None or spec.loader is None:
        raise TableRefError(f"{name} in {folder} is no Python module")
    known = sys.modules.get(name)
    if known is not None:
        if getattr(known, "__file__", None) != spec.origin:
            raise TableRefError(f"another module is called {name}, too: rename the one in {folder}")
        return known
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _inner(module: ModuleType, name: str) -> ModuleType | None:
    """A module of a package; None where there is none of that name."""
    if not hasattr(module, "__path__") or importlib.util.find_spec(f"{module.__name__}.{name}") is None:
        return None
    return importlib.import_module(f"{module.__name__}.{name}")


def _looked_at(place: _Place) -> Found:
    try:
        about = place.about()
    except STUMBLES as error:
        # A plug-in is another's code: whatever it raises is told, and the other games are there.
        return Found(place.name, place.where, None, _reason(error))
    return Found(about.id, place.where, about)


def _loaded(place: _Place) -> Game[Any]:
    try:
        return place.game()
    except STUMBLES as error:
        # The same: a person can mend it, or play another.
        reason = f"{place.name} from {place.where} cannot be played: {_reason(error)}"
        raise TableRefError(reason) from error


def _reason(error: BaseException) -> str:
    words = str(error) if isinstance(error, TableRefError) else f"{type(error).__name__}: {error}"
    where = "" if isinstance(error, SyntaxError) else at_line(error, lambda module: module not in _FINDERS)
    return f"{words} ({where})" if where else words


_FINDERS = frozenset({"engine", "importlib", "_frozen_importlib", "_frozen_importlib_external"})
"""What loads a plug-in."""


def at_line(error: BaseException, of: Callable[[str], bool]) -> str:
    """The innermost file and line at which an error came up in a module or package of such a name."""
    found, at = "", error.__traceback__
    while at is not None:
        module = str(at.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        if of(module):
            name = at.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
            found = f"{name}, line {at.tb_lineno}"
        at = at.tb_next
    return found


def _checked_about(about: Any, name: str) -> About:
    if not isinstance(about, About):
        raise TableRefError(f"{name}: expected `about` to be an About but got {about!r}")
    return about


def _same(one: str, other: str) -> bool:
    from engine.space.table import key_of  # noqa: PLC0415 - a list of games needs no geometry

    return key_of(one) == key_of(other)
