"""The tables kept on this computer: a folder each, which one was used last, and with which camera."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibration.fiducials import TagKey
from calibration.lens.model import lens_to_dict
from calibration.table_text import LONGEST_FILE, text_of, toml_of, with_field, with_lens_inside
from calibration.tablefile import TableFile, load_table, parse_table
from calibration.whole_files import FileError, write_whole
from engine.errors import TableRefError
from server.pipeline.opening import FILE, Choice, Opener
from server.pipeline.referee import TableEvent
from server.pipeline.runner import Runner
from server.setup.cameras.camera_wish import wish_of
from server.setup.cameras.sourcing import control_words, size_words
from server.setup.setup_messages import ChooseTable
from server.setup.table_changes import SetupError
from vision.source import parse_source
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
        table = parse_table(text, str(kept.file))
        if slug_of(table.name) != kept.name:
            # Pages and records call it as it calls itself: a copy is no more its original.
            text = with_field(text, ("table",), "name", kept.name)
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


# Takes over live what somebody changes in the table file with an editor

EVERY_S = 1.0


class FileWatch:
    """Looks at the running table's file every second; as a context manager, in a thread of its own.

    A changed file is refereed by from the next picture on. One with a mistake is not: what is wrong is told
    with every moment until it is mended, and the table goes on as it was.
    """

    def __init__(self, live: Runner, player: Opener, choice: Callable[[], Choice]) -> None:
        self._live = live
        self._player = player
        self._choice = choice
        self._lock = threading.Lock()
        self._seen: tuple[Path, bytes] | None = self._content()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tableref-table-file", daemon=True)

    @property
    def file(self) -> Path | None:
        """The file of the table that is watched; None where it describes itself."""
        return self._player.file_for(parse_source(self._choice().spec))

    def check(self, words: str = "The set-up was changed outside this page and is read anew.") -> None:
        """Takes over what is new in the file, if anything is; `words` tell of it."""
        with self._lock:
            content = self._content()
            if content == self._seen:
                return
            same = self._seen is not None and content is not None and self._seen[0] == content[0]
            self._seen = content
            self._take_over(words if same else "")

    def take_over(self) -> None:
        """Referees by what is in the file now, or by another kept table's. Raises what is wrong with it."""
        with self._lock:
            content = self._content()
            self._refer()
            self._seen = content
            self._live.remark = ""

    def _take_over(self, words: str) -> None:
        try:
            self._refer()
        except TableRefError as error:
            self._live.remark = f"What was changed in the set-up is not used, as it has a mistake: {error}"
            self._live.announce()
            return
        self._live.remark = ""
        moment = self._live.moment
        if words and moment is not None:
            self._live.announce(TableEvent(moment.time, "source", None, words))

    def write(self, text: str) -> None:
        """Writes a text that whoever asks is about to referee by: it is not read anew."""
        with self._lock:
            file = self.file
            if file is not None:
                write_whole(file, text.encode())
                self._seen = file, text.encode()

    def _refer(self) -> None:
        """Referees by what the file says; without a new beginning where only pieces without tags differ."""
        asked = parse_source(self._choice().spec)
        table, now = self._player.known_table(asked), self._live.table
        if table is None or now is None or table.text == now.text or not self._live.adopt(table):
            ended = self._live.snapshot.state == "ended"
            self._live.refer(self._player.refers(asked, ended=ended))

    def _content(self) -> tuple[Path, bytes] | None:
        file = self.file
        try:
            return None if file is None else (file, file.read_bytes())
        except OSError:
            return None

    def _run(self) -> None:
        while not self._over.wait(EVERY_S):
            self.check()

    def __enter__(self) -> FileWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(timeout=5.0)


# Writes the table file of the set-up page, and referees by it


class TableWriter:
    """Writes what people say of a table; `file` is None of a drawn one, which describes itself."""

    def __init__(self, live: Runner, player: Opener, watch: FileWatch, tables: KeptTables) -> None:
        self._live, self._player, self._watch, self._tables = live, player, watch, tables

    @property
    def file(self) -> Path | None:
        """Where the table is kept."""
        return self._watch.file

    @property
    def name(self) -> str:
        """How the table is called."""
        table = self._live.table
        return self._tables.current().name if table is None else table.name

    def running(self) -> TableFile:
        """The table that is refereed by. Raises `SetupError` where none is kept."""
        table = self._live.table
        if table is None or self.file is None:
            raise SetupError("keep the table first: its corner tags say where things stand")
        return table

    def none_yet(self) -> None:
        """Raises `SetupError` where a table is kept already."""
        if self._live.table is not None:
            raise SetupError("this table is set up already: begin another one under Tables")

    def write(self, text: str) -> None:
        """Checks the text, keeps it and referees by it; nothing is kept of one with a mistake."""
        file = self.file
        if file is None:
            raise SetupError("this table describes itself: there is nothing to set up")
        parse_table(text, str(file), file.parent)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode())
        if file == self._player.kept:
            self._tables.use(KeptTable(file.parent.name, file))
        self._watch.take_over()

    def choose(self, asked: ChooseTable) -> None:
        """Goes on with another kept table, which is refereed by at once."""
        if self.file != self._player.kept:
            running = self.file or "a table that describes itself"
            raise SetupError(
                f"tableref was started with {running}: start it in another folder, without --table, to "
                "choose among the kept tables"
            )
        if asked.how == "use":
            kept = self._tables.find(asked.name)
        elif asked.how == "new":
            kept = self._tables.new(asked.name)
        else:
            kept = self._tables.copy(self._tables.current(), asked.name)
        before, self._player.kept = self._player.kept, kept.file
        try:
            self._watch.take_over()
        except TableRefError:
            self._player.kept = before
            raise
        self._tables.use(kept)
