"""The tables kept on this computer: a folder each, which one was used last, and with which camera."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibration.fiducials import TagKey
from calibration.lens.model import lens_to_dict
from calibration.table_text import LONGEST_FILE, text_of, toml_of, with_lens_inside
from calibration.tablefile import load_table, parse_table
from calibration.whole_files import FileError, write_whole
from engine.errors import TableRefError
from server.pipeline.opening import FILE, Choice
from server.setup.cameras.camera_wish import wish_of
from server.setup.cameras.sourcing import control_words, size_words
from vision.tags.unnamed import USUAL_FAMILY

FIRST_NAME = "My table"
LAST = "last.json"
MOST_LETTERS = 40


class TablesError(TableRefError):
    """A kept table that is not there, or a name that cannot be used."""


class LastUsed(BaseModel):
    """What was used last: the table, and the source as it was chosen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str | None = None
    spec: str | None = None
    loop: bool = False
    size: str = "1920x1080"
    fps: Annotated[float, Field(ge=0.1, le=240)] | None = None
    focus: str = "auto"
    exposure: str = "auto"

    @property
    def choice(self) -> Choice | None:
        """The source, None if none was chosen."""
        if self.spec is None:
            return None
        return Choice(
            self.spec, self.loop, wish_of(self.size, self.fps or 30.0, self.focus, self.exposure), self.fps
        )


@dataclass(frozen=True, slots=True)
class KeptTable:
    """A kept table: what people call it, and its file, which may not be written yet."""

    name: str
    file: Path

    @property
    def written(self) -> bool:
        """Whether it has been set up so far that there is a file."""
        return self.file.is_file()


def tables_folder() -> Path:
    """Where they are kept on this computer: `TABLEREF_TABLES`, or the user's data folder."""
    named = os.environ.get("TABLEREF_TABLES")
    return Path(named) if named else user_data_path("tableref", appauthor=False) / "tables"


class KeptTables:
    """The tables in a folder, that of this computer's user unless told otherwise."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = tables_folder() if folder is None else folder

    def all(self) -> tuple[KeptTable, ...]:
        """All of them by name; one that was only begun is among them."""
        if not self.folder.is_dir():
            return ()
        return tuple(KeptTable(f.name, f / FILE) for f in sorted(self.folder.iterdir()) if f.is_dir())

    def find(self, name: str) -> KeptTable:
        """The table of that name, upper and lower case alike. Raises `TablesError`."""
        for kept in self.all():
            if kept.name.casefold() == name.strip().casefold():
                return kept
        known = ", ".join(t.name for t in self.all()) or "none yet"
        raise TablesError(f"expected the name of a kept table but got {name!r}; there are: {known}")

    def last(self) -> LastUsed:
        """What was used last; nothing where that cannot be read."""
        try:
            return LastUsed.model_validate_json((self.folder / LAST).read_bytes())
        except (OSError, ValidationError):
            return LastUsed()

    def current(self) -> KeptTable:
        """The table used last, or a first one that is still to be set up."""
        name = self.last().table
        for kept in self.all():
            if kept.name == name:
                return kept
        name = self.free(FIRST_NAME)
        return KeptTable(name, self.folder / name / FILE)

    def use(self, kept: KeptTable) -> None:
        """This one is the last used from now on."""
        self._remember(table=kept.name)

    def watched(self, choice: Choice) -> None:
        """Remembers the source, to go on with it another time."""
        wish = choice.wish
        self._remember(
            spec=choice.spec, loop=choice.loop, size=size_words(wish.size), fps=choice.fps,
            focus=control_words(wish.focus), exposure=control_words(wish.exposure),
        )  # fmt: skip

    def new(self, name: str) -> KeptTable:
        """A table that is still to be set up, under a name that is free. Raises `TablesError`."""
        kept = self._named(name)
        kept.file.parent.mkdir(parents=True)
        return kept

    def copy(self, kept: KeptTable, name: str) -> KeptTable:
        """A copy under another name."""
        return self._write(name, _whole_text(kept.file))

    def bring_in(self, file: Path, name: str | None = None) -> KeptTable:
        """A table file from elsewhere, checked, with its lens in it. Raises what is wrong with it.

        Somebody else's file does not choose what is read here: its lens lies beside it, or below.
        """
        lens = _lens_named(file)
        if lens and not (file.parent / lens).resolve().is_relative_to(file.parent.resolve()):
            raise TablesError(f"{file} names the lens file {lens!r}: put it beside that file, and name it so")
        table = load_table(file)
        return self._write(name or self.free(slug_of(table.name)), _whole_text(file))

    def hand_out(self, kept: KeptTable, file: Path) -> None:
        """Writes the table as one file that can be brought in elsewhere."""
        write_whole(file, _whole_text(kept.file).encode())

    def delete(self, kept: KeptTable) -> None:
        """Takes it away for good."""
        try:
            shutil.rmtree(kept.file.parent)
        except OSError as error:
            raise FileError(f"cannot delete {kept.file.parent}: {error.strerror or error}") from error

    def free(self, wanted: str) -> str:
        """The name, or with a number if there is one already."""
        taken = {t.name.casefold() for t in self.all()}
        names = [wanted, *(f"{wanted} {n}" for n in range(2, len(taken) + 3))]
        return next(n for n in names if n.casefold() not in taken)

    def _named(self, name: str) -> KeptTable:
        called = slug_of(name)
        if called != name.strip():
            raise TablesError(
                f"expected a name of letters, digits, blanks and - of at most {MOST_LETTERS} but got {name!r}"
            )
        if self.free(called) != called:
            raise TablesError(f"there is a table called {called!r} already: choose another name")
        return KeptTable(called, self.folder / called / FILE)

    def _write(self, name: str, text: str) -> KeptTable:
        kept = self._named(name)
        parse_table(text, str(kept.file))
        kept.file.parent.mkdir(parents=True)
        write_whole(kept.file, text.encode())
        return kept

    def _remember(self, **changed: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        last = self.last().model_copy(update=changed)
        write_whole(self.folder / LAST, json.dumps(last.model_dump(), indent=1).encode())


def slug_of(name: str) -> str:
    """A name that can be a folder's on every system.

    >>> slug_of("Kitchen: table/1 ")
    'Kitchen table 1'
    """
    cleaned = " ".join(re.sub(r"[^\w \-]", " ", name).split())[:MOST_LETTERS].strip()
    return cleaned or FIRST_NAME


def _whole_text(file: Path) -> str:
    """A table file with everything in it, also the lens that lies beside it. Raises what is wrong with it."""
    table = load_table(file)
    if table.lens is None or not _lens_named(file):
        return table.text
    return with_lens_inside(table.text, lens_to_dict(table.lens))


def _lens_named(file: Path) -> str:
    """The lens file that a table file names; empty where it names none, or is none."""
    try:
        camera = toml_of(text_of(file, LONGEST_FILE)).get("camera")
    except ValueError:
        return ""  # `load_table` says what is wrong with it
    named = camera.get("lens") if isinstance(camera, dict) else None
    return named if isinstance(named, str) else ""


class OtherTables:
    """The pieces of the kept tables by their tags; a file is read again when it has changed."""

    def __init__(self, tables: KeptTables) -> None:
        self._tables = tables
        self._read: dict[Path, tuple[float, dict[TagKey, str]]] = {}

    def words(self, tags: Iterable[TagKey], own: Path | None) -> list[str]:
        """A sentence for each table but the `own` one on which some of these tags carry pieces."""
        wanted = sorted(tags)
        told = []
        for kept in self._tables.all():
            if own is not None and kept.file.resolve() == own.resolve():
                continue
            named = self._pieces(kept.file)
            there = [(key, named[key]) for key in wanted if key in named]
            if there:
                told.append(_sentence(there, kept.name))
        return told

    def _pieces(self, file: Path) -> dict[TagKey, str]:
        """What its tags carry; nothing where there is no file yet, or one with a mistake."""
        try:
            changed = file.stat().st_mtime
            if file not in self._read or self._read[file][0] != changed:
                pieces = load_table(file).pieces
                carried = {(p.mount.family, p.mount.tag): p.name for p in pieces if p.mount is not None}
                self._read[file] = changed, carried
        except (OSError, TableRefError):
            return {}
        return self._read[file][1]


def _sentence(there: list[tuple[TagKey, str]], table: str) -> str:
    """What those tags are on that table.

    >>> _sentence([(("tag36h11", 41), "Red 1")], "Garage")
    'On the table Garage, kept on this computer, tag 41 is Red 1: name it so here, or put it away.'
    """
    names = ", ".join(
        f"tag {tag if family == USUAL_FAMILY else f'{family} {tag}'} is {name}"
        for (family, tag), name in there
    )
    them = "it" if len(there) == 1 else "them"
    return f"On the table {table}, kept on this computer, {names}: name {them} so here, or put {them} away."
