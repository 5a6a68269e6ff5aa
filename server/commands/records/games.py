"""`tableref games …`: what lies in the library of games, and taking a game away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.words import listed
from server.commands.options import (
    GameArgument,
    JsonOption,
    LibraryOption,
)
from server.formats.terminal import Terminal, tell, visible
from server.recording.errors import LibraryError
from server.recording.library.games import Library, LibraryPlace
from server.recording.library.records import IMPORTED, RULED_NOW, GameRecord
from server.recording.library.search import AT_ONCE, Wanted
from server.recording.spool import recover

app = typer.Typer(
    name="games", help="The library of recorded games.", no_args_is_help=True, add_completion=False
)
console = Terminal()

DAY = ["%Y-%m-%d"]

COUNTED = {
    "actions": ("match.action", {"match.undo": "taken back", "match.overrule": "overruled"}),
    "disputes": ("dispute.opened", {"dispute.decided": "decided"}),
}
"""What is counted of a game by the kind of entry, and what became of it; `--json` has every kind."""


@app.command("list")
def list_games(
    words: Annotated[
        list[str] | None, typer.Argument(help="Player, game or table to look for.", metavar="[WORD]...")
    ] = None,
    player: Annotated[str, typer.Option("--player", help="Who played.")] = "",
    game: Annotated[str, typer.Option("--game", help="What was played.")] = "",
    place: Annotated[str, typer.Option("--place", help="At which table.")] = "",
    since: Annotated[
        datetime | None, typer.Option("--since", help="The first day.", formats=DAY, show_default=False)
    ] = None,
    until: Annotated[
        datetime | None, typer.Option("--until", help="The last day.", formats=DAY, show_default=False)
    ] = None,
    count: Annotated[int, typer.Option("--count", help="How many at most.", min=1)] = AT_ONCE,
    first: Annotated[int, typer.Option("--first", help="Skip this many of the newest.", min=0)] = 0,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the recorded games, the newest first."""
    ends = None if until is None else until + timedelta(days=1)
    wanted = Wanted(" ".join(words or ()), player, game, place, since, ends)
    with Library.looked_at(library) as opened:
        said = recover(opened)
        found = opened.search(wanted, first, count)
        records = [_summary(game, opened) for game in found.games]
        if as_json:
            for record in records:
                tell(record)
            return
        for sentence in said:
            console.print(sentence)
        if not records:
            none = "No game has been recorded yet" if wanted == Wanted() and not first else "No such game is"
            console.print(f"{none} in {opened.words}.")
            return
        for record in records:
            _print_line(record)
        if len(records) < found.total:
            ends_at = first + len(records)
            more = f"; --first {ends_at} shows the next" if ends_at < found.total else ""
            console.print(f"{first + 1} to {ends_at} of {found.total} games{more}.")


@app.command()
def show(game: GameArgument, library: LibraryOption = None, as_json: JsonOption = False) -> None:
    """Say what is in a recorded game: versions, pieces, what was done, pictures."""
    with Library.looked_at(library) as opened:
        record = opened.game(game)
        reader = opened.reader(record.id)
        kinds = Counter(entry.kind for entry in reader.entries())
        segments = reader.segments()
        found = _summary(record, opened) | {
            "pieces": [piece.name for piece in reader.table.pieces],
            "kinds": dict(sorted(kinds.items())),
            "stills": len(reader.stills()),
            "video_s": round(sum(s.ends_s - s.begins_s for s in segments), 1),
            "about": dict(record.about),
            "folder": str(opened.place.pictures_of(record.id)),
        }
    if as_json:
        tell(found)
        return
    console.print(f"{record.id}  ", style="bold", end="")
    console.print(f"{record.name}, {found['state']}, {_lasted(found['duration_s'])}")
    console.print(f"  began     {_when(found['began'], '%Z')}")
    if record.played is not None:
        console.print(f"  played    {_title(record.played)}, by {listed(record.players)}")
    console.print(f"  pieces    {', '.join(found['pieces'])}")
    for what, count in _counted(kinds):
        console.print(f"  {what:9s} {count}")
    video = f"{_lasted(found['video_s'])} of video" if segments else "no video"
    size = size_words(found["pictures_bytes"])
    console.print(f"  pictures  {found['stills']} stills, {video}, {size} in {found['folder']}")
    for name, value in found["about"].items():
        if name in RULED_NOW:
            continue  # how it is ruled again, and nothing that it holds
        console.print(f"  {name:9s} {_when(value['at'], '%Z') if name == IMPORTED else value}")


def _counted(kinds: Counter[str]) -> Iterator[tuple[str, str]]:
    """What players would look for, and how many there are of it."""
    for what, (kind, more) in COUNTED.items():
        if kinds[kind]:
            became = (f"{kinds[k]} {words}" for k, words in more.items() if kinds[k])
            yield what, ", ".join([f"{kinds[kind]}", *became])
    yield "entries", f"{kinds.total()} in all"


@app.command()
def delete(
    games: Annotated[list[str], typer.Argument(help="Ids, or parts of them.", metavar="GAME...")],
    library: LibraryOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """Delete recorded games for good, with their pictures and video."""
    with Library.looked_at(library) as opened:
        found = [opened.game(game) for game in games]
        for record in found:
            what = _what({"played": record.played, "players": list(record.players), "name": record.name})
            words = f"{record.id} ({what}, {record.entries} entries)"
            if not yes and not typer.confirm(f"Delete {visible(words)} for good?"):
                continue
            opened.delete(record.id)
            console.print(f"Deleted {words}.")


@app.command("import")
def import_game(
    file: Annotated[Path, typer.Argument(help="A game that was exported as jsonl.", metavar="FILE")],
    library: LibraryOption = None,
) -> None:
    """Bring an exported game into the library, exactly as it was."""
    from server.exports.jsonl import NotAnExport, bounded, bring_in  # noqa: PLC0415 - it brings numpy's and the tracks' weight

    try:
        # A byte order mark is what an editor left there.
        stream = file.open(encoding="utf-8-sig")
    except OSError as error:
        raise LibraryError(f"cannot read {file}: {error.strerror or error}") from error
    place = LibraryPlace.of(library)
    made = "" if place.is_there else ", which was made for it"
    with stream, Library.open(place) as opened:
        try:
            id = bring_in(opened, bounded(stream))
        except UnicodeDecodeError as error:
            raise NotAnExport(f"{file} is no game that tableref exported: it is no text in UTF-8") from error
        except NotAnExport as error:
            raise NotAnExport(f"{file}: {error}") from error
        console.print(f"Game {id} is in {opened.words}{made}.")


def _summary(game: GameRecord, library: Library) -> dict[str, Any]:
    return {
        "game": game.id,
        "name": game.name,
        "table": game.table_name,
        "players": list(game.players),
        "played": game.played,
        "began": game.began.isoformat(timespec="seconds"),
        "ended": None if game.ended is None else game.ended.isoformat(timespec="seconds"),
        "state": library.state(game),
        "entries": game.entries,
        "duration_s": round(game.duration_s, 1),
        "pictures_bytes": bytes_in(library.place.pictures_of(game.id)),
    }


def _print_line(record: Mapping[str, Any]) -> None:
    """Print a game of the list, on two lines: whole on a narrow screen, too."""
    state = "" if record["state"] == "over" else f"  {record['state']}"
    room = f"pictures {size_words(record['pictures_bytes'])}"
    console.print(
        f"{record['game']}  {_when(record['began'])}  {_lasted(record['duration_s'])}, {room}{state}"
    )
    console.print(f"    {_what(record)}")


def _what(record: Mapping[str, Any]) -> str:
    """What was played by whom, and at which table."""
    who = listed(record["players"])
    played = who if record["played"] is None else f"{_title(record['played'])}: {who}"
    return ", ".join(filter(None, (played, record["name"])))


def _when(moment: str, zone: str = "") -> str:
    """A moment in ISO 8601, such as when a game began, by this computer's clock."""
    return datetime.fromisoformat(moment).astimezone().strftime(f"%Y-%m-%d %H:%M {zone}").strip()


def _title(played: str | None) -> str:
    """What was played, by its name; nothing while no match was begun. No game is loaded for that."""
    return (played or "").replace("_", " ").title()


def bytes_in(folder: Path) -> int:
    """How much lies in a folder."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else 0


def size_words(count: int) -> str:
    """Bytes for people.

    >>> size_words(0), size_words(1_500_000), size_words(2_340_000_000)
    ('none', '1.5 MB', '2.3 GB')
    """
    if count == 0:
        return "none"
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def _lasted(duration_s: float) -> str:
    """A duration for people.

    >>> _lasted(7.2), _lasted(754), _lasted(8000)
    ('7 s', '12 min', '2 h 13 min')
    """
    if duration_s < 60:
        return f"{duration_s:.0f} s"
    minutes = int(duration_s // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
