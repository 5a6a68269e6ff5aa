"""Recorded games and disputes from the command line, and how `serve` and `demo` record."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.errors import TableRefError
from engine.game.events import Event, event_to_json
from server.commands.cli import app
from server.commands.recording import RecordingOptions, kept_words
from server.commands.records import disputing, exporting
from server.disputes.dispute import Decision, Dispute, Sealing
from server.disputes.documents.html import html_of
from server.disputes.documents.pdf import pdf_of
from server.disputes.evidence import collect
from server.exports.jsonl import bring_in, lines
from server.formats.entries import Entry
from server.formats.signing import kept_signing_key
from server.recording.library.games import Library, LibraryPlace
from server.recording.library.records import GameRecord
from server.recording.pictures.video import VideoError
from server.replay.rerule import Again
from server.table.questions.differences import Changed
from tests.server.disputes.conftest import RULINGS, about, given, shot_at
from tests.server.fakes import PATIENCE, wait_until
from tests.server.filled_library import fill
from tests.server.playback import record_game
from tests.server.recording import made

runner = CliRunner()


@pytest.fixture(scope="module")
def game(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> made.MadeGame:
    return made.recorded_round(tmp_path_factory.mktemp("games"), samples)


def said(*arguments: str, columns: int = 160) -> str:
    env = {"COLUMNS": str(columns)}
    result = runner.invoke(app, ["games", *arguments], env=env, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_list_and_show_say_what_was_recorded(game: made.MadeGame) -> None:
    lines = said("list", "--library", str(game.folder), "--json").splitlines()
    (record,) = map(json.loads, lines)
    assert (record["game"], record["state"], record["name"]) == (game.id, "over", "Opening round")
    assert record["entries"] > 10
    assert record["pictures_bytes"] > 100_000
    narrow = said("list", "--library", str(game.folder), columns=60)
    assert game.id in narrow
    began = datetime.fromisoformat(record["began"]).astimezone()
    assert f"{began:%Y-%m-%d %H:%M}" in narrow, "the day stands there whole"
    # Where a time stands alone its zone does, too: the file of a dispute has UTC.
    assert f"{began:%Y-%m-%d %H:%M %Z}\n" in said("show", game.id, "--library", str(game.folder))
    shown = json.loads(said("show", game.id[-4:], "--library", str(game.folder), "--json"))
    assert sum(shown["kinds"].values()) == record["entries"]
    assert shown["kinds"]["camera.appeared"] == len(shown["pieces"])
    assert shown["video_s"] == pytest.approx(record["duration_s"], abs=1.0)
    assert shown["stills"] >= 1
    assert "Red 1" in said("show", game.id, "--library", str(game.folder))


def test_list_and_show_say_what_was_played_and_by_whom(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        fill(library, 1)
    where = ("--library", str(tmp_path))
    (record,) = map(json.loads, said("list", "--json", *where).splitlines())
    one, other = record["players"]
    assert f"White Line Fever: {one} and {other}, Game 0" in said("list", *where, columns=60)
    assert f"White Line Fever, by {one} and {other}" in said("show", record["game"], *where)
    assert f"White Line Fever: {one} and {other}" in said("delete", "--yes", record["game"], *where)


def test_list_searches_and_shows_a_part(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        fill(library, 60)
    where = ("--library", str(tmp_path))
    assert "1 to 50 of 60 games; --first 50 shows the next." in said("list", *where)
    assert "51 to 60 of 60 games." in said("list", "--first", "50", *where)
    found = [
        json.loads(line) for line in said("list", "chloé", "--place", "attic", "--json", *where).splitlines()
    ]
    assert 0 < len(found) < 20
    assert all("Chloé" in game["players"] and game["table"] == "Attic" for game in found)
    days = ("--since", "2020-01-01", "--until", "2020-12-31")
    found = [json.loads(line) for line in said("list", *days, "--json", *where).splitlines()]
    assert {game["began"][:4] for game in found} == {"2020"}
    assert "No such game is in" in said("list", "nobody", *where)


def test_show_counts_what_was_done_and_disputed_in_words(samples: Path, tmp_path: Path) -> None:
    table = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    where = ("--library", str(tmp_path))
    with Library.open(tmp_path) as library:
        game = library.add(GameRecord.new(table))
        with closing(library.journal(game.id)) as journal:
            happened = ["match.action"] * 3 + ["match.undo", "match.moved", "dispute.opened"]
            journal.append([Entry(kind, 0.0, "It happens.") for kind in happened])
        shown = [" ".join(line.split()) for line in said("show", game.id, *where).splitlines()]
        assert {"actions 3, 1 taken back", "disputes 1", "entries 6 in all"} <= set(shown)
        assert not [line for line in shown if "." in line.partition(" ")[0]], "no names of kinds"


@pytest.mark.parametrize("name", ["[/x]", "[bold]x", "Zo\x1b[2J", "\u202eeoZ", "a\nb"])
def test_a_player_may_be_called_anything(samples: Path, tmp_path: Path, name: str) -> None:
    table = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    with Library.open(tmp_path) as library:
        game = library.add(GameRecord.new(table, name=name, about={"source": name}))
        with closing(library.journal(game.id)) as journal:
            journal.append([Entry("play.setup", 0.0, name, {"draft": {"players": [{"name": name}]}})])
    shown = name if name.isprintable() else repr(name)[1:-1]
    for arguments in (["list"], ["show", game.id], ["delete", game.id, "--yes"]):
        told = said(*arguments, "--library", str(tmp_path))
        assert shown in told, arguments
        assert all(one.isprintable() for one in told.split("\n")), arguments


def test_delete_asks_first_and_takes_all(samples: Path, tmp_path: Path) -> None:
    game = made.record_drawn(tmp_path, samples, seconds=2)
    asked = runner.invoke(app, ["games", "delete", game.id, "--library", str(tmp_path)], input="n\n")
    assert "for good?" in asked.output
    with Library.open(tmp_path) as library:
        assert len(library.games()) == 1
    assert "Deleted" in said("delete", game.id, "--library", str(tmp_path), "--yes")
    assert "No game has been recorded yet" in said("list", "--library", str(tmp_path))
    assert not (tmp_path / "pictures" / game.id).exists()


def test_what_cannot_be_recorded_is_refused_at_once() -> None:
    assert RecordingOptions.typed(None, True, "off").video is None
    with pytest.raises(VideoError, match="720p"):
        RecordingOptions.typed(None, True, "large")


@contextmanager
def demo(library: Path) -> Iterator[subprocess.Popen[str]]:
    """The command as a person runs it, until it is told to end."""
    command = [sys.executable, "-m", "server.commands.cli", "demo", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        [*command, "--library", str(library)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"CI": "1"},
    ) as ran:  # fmt: skip
        try:
            yield ran
        finally:
            ran.kill()


def recorded(library: Library) -> tuple[int, float]:
    """How many entries the only game of a library has, and how many seconds it lasted."""
    return max(((game.entries, game.duration_s) for game in library.games()), default=(0, 0.0))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
def test_a_demo_that_is_told_to_end_ends_in_order(tmp_path: Path) -> None:
    """As a machine that shuts down tells everybody."""
    with Library.open(tmp_path) as library, demo(tmp_path) as ran:
        wait_until("a second of a game", lambda: recorded(library)[1] > 1.0)
        ran.send_signal(signal.SIGTERM)
        said, complaints = ran.communicate(timeout=PATIENCE)
    assert (ran.returncode, complaints) == (0, "")
    assert "The game is kept in" in said
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        assert library.state(game) == "over"
        assert game.ended is not None
        reader = library.reader(game.id)
        assert len(list(reader.entries(["camera.appeared"]))) > 5
        assert all(s.whole for s in reader.segments())
        assert reader.table_at(0.5).standings


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is not a signal there")
def test_a_demo_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Until Ctrl-C ends it."""
    with Library.open(tmp_path) as library, demo(tmp_path) as first:
        wait_until("two seconds of a game", lambda: recorded(library)[1] > 2.0)
        first.kill()
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        assert library.state(game) == "cut off"
        entries = list(library.reader(game.id).entries())
        assert [e.number for e in entries] == list(range(1, len(entries) + 1))
    with Library.open(tmp_path) as library, demo(tmp_path) as again:
        # Its first entry says that it goes on.
        wait_until("more to happen", lambda: recorded(library)[0] > len(entries) + 1)
        again.send_signal(signal.SIGINT)
        said, complaints = again.communicate(timeout=PATIENCE)
    assert (again.returncode, complaints) == (0, "")
    assert f"Game {game.id} goes on where it was cut off." in said
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        assert library.state(game) == "over"
        reader = library.reader(game.id)
        after = list(reader.entries())
        assert after[: len(entries)] == entries
        assert [e.number for e in after] == list(range(1, len(after) + 1))
        assert len(after) > len(entries)
        assert all(s.whole for s in reader.segments()), "the video that was cut off is mended"


# Taken along, brought in, ruled again


@pytest.fixture
def taken(tmp_path: Path) -> Iterator[str]:
    with Library.open(tmp_path / "games") as library:
        yield record_game(library)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_out_in_and_the_same_again(tmp_path: Path, taken: str) -> None:
    here, there, file = tmp_path / "games", tmp_path / "other", tmp_path / "new" / "out.jsonl"
    assert run("export", taken, "--library", here, "--out", file).exit_code == 0
    said = run("games", "import", file, "--library", there)
    assert f"Game {taken} is in" in said.output
    assert taken in run("games", "list", "--library", there).output
    shown = run("games", "show", taken, "--library", there).output
    assert re.search(r"imported  \d{4}-\d\d-\d\d \d\d:\d\d \w+$", shown, re.MULTILINE)
    told = run("replay", taken, "--library", there)
    assert (told.exit_code, told.output.strip()) == (0, "16 ruled again; none comes out differently.")


@pytest.mark.parametrize(("form", "ending"), [("mcap", ".mcap"), ("csv", "-csv.zip")])
def test_the_file_is_named_by_the_game(
    tmp_path: Path, taken: str, form: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export", taken[:12], "--to", form, "--library", tmp_path / "games").exit_code == 0
    assert (tmp_path / f"{taken}{ending}").stat().st_size > 1000


def test_the_battle_report_is_a_page_and_a_pdf(tmp_path: Path, taken: str) -> None:
    out = tmp_path / "new" / "folder"
    told = run("report", taken, "--library", tmp_path / "games", "--out", out)
    assert told.exit_code == 0, told.output
    assert (out / f"{taken}-report.html").read_bytes().startswith(b"<!doctype html>")
    assert (out / f"{taken}-report.pdf").read_bytes().startswith(b"%PDF")


def test_what_comes_out_differently_is_listed(tmp_path: Path, taken: str) -> None:
    file, spoilt = tmp_path / "out.jsonl", tmp_path / "spoilt.jsonl"
    run("export", taken, "--library", tmp_path / "games", "--out", file)
    text = file.read_text(encoding="utf-8")
    spoilt.write_text(text.replace('"verdict":"no"', '"verdict":"yes"', 1), encoding="utf-8")
    run("games", "import", spoilt, "--library", tmp_path / "other")
    told = run("replay", taken, "--library", tmp_path / "other")
    assert told.exit_code == 1
    assert "1 decided differently, 0 with other figures." in told.output
    assert "The answer was yes, and is no today." in told.output
    lines = [
        json.loads(x)
        for x in run("replay", taken, "--library", tmp_path / "other", "--json").output.splitlines()
    ]
    assert [line["same"] for line in lines].count(False) == 1


def test_a_game_whose_rules_are_not_at_hand_is_not_ruled_again(tmp_path: Path, taken: str) -> None:
    """All that was done had been told as decided differently."""
    begun = event_to_json(Event("begin", {}, "It begins.", "Far Edge 1"))
    with Library.open(tmp_path / "games") as library, closing(library.journal(taken)) as journal:
        data = {"game": "far_edge", "version": "2", "event": begun}
        journal.append([Entry("match.begin", None, "It begins.", data)])
    with pytest.raises(TableRefError, match=r"rules of far_edge are not at hand: .* its folder with --games"):
        run("replay", taken, "--library", tmp_path / "games")


def test_a_length_is_written_in_one_way() -> None:
    """What was said is told in the same words as what happened by it."""
    words = "The owner of the table lets pieces stay where they stand: Blue 1, 15.0 in from its place"
    more = Changed("the way", "15.0 in", "15.2 in")
    with exporting.console.capture() as told:
        exporting._print_changes(Again(438, 1214.0, words, (more,)))
        exporting._print_said(Again(438, 1214.0, words, said=(words,)))
    said = " ".join(told.get().split())
    assert said.count("15.0″ from its place") == 3
    assert "the way: 15.0″ → 15.2″" in said


def test_answers_come_before_figures_and_what_moved_within_its_deviation_is_counted(
    tmp_path: Path, taken: str
) -> None:
    """Of three rulings: another figure, one that moved within its deviation, another answer."""
    file, spoilt = tmp_path / "out.jsonl", tmp_path / "spoilt.jsonl"
    run("export", taken, "--library", tmp_path / "games", "--out", file)
    lines, ruled = [json.loads(x) for x in file.read_text(encoding="utf-8").splitlines()], 0
    for one in lines:
        if one.get("entry", {}).get("kind") != "ruling":
            continue
        ruled += 1
        data = one["entry"]["data"]
        check = data["checks"][0]
        if ruled == 1:
            check["number"] += 1.0
        elif ruled == 2:
            check |= {"number": check["number"] + 0.04, "sd": 0.05}
        elif ruled == 3:
            data["verdict"] = "too close to call"
    spoilt.write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
    run("games", "import", spoilt, "--library", tmp_path / "other")
    told = run("replay", taken, "--library", tmp_path / "other").output
    assert (
        "1 decided differently, 1 with other figures. In 1 a number moved by less than its deviation." in told
    )
    assert told.index("The answer was too close to call") < told.index(" → ")
    assert told.count(" → ") == 1, "what moved within its deviation is only counted"


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "nothing"),
        ("report", "nothing"),
        ("replay", "nothing"),
        ("games", "import", "nothing.jsonl"),
    ],
)
def test_what_is_not_there(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with Library.open(tmp_path / "games"):
        pass
    with pytest.raises(TableRefError, match="nothing"):
        run(*arguments, "--library", tmp_path / "games")


@pytest.mark.parametrize(
    "arguments",
    [
        ("games", "list"),
        ("games", "show", "one"),
        ("games", "delete", "one", "--yes"),
        ("export", "one"),
        ("report", "one"),
        ("replay", "one"),
        ("dispute", "one"),
    ],
)
def test_who_only_looks_makes_no_library(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """A slip of the pen made a folder, and *no game* was said of it."""
    where = tmp_path / "gmaes"
    with pytest.raises(TableRefError, match=r"there is no library in .*gmaes"):
        run(*arguments, "--library", where)
    assert not where.exists()


def test_what_makes_a_library_says_so(samples: Path, tmp_path: Path) -> None:
    made = f"{tmp_path / 'new'}, which was made for it"
    assert made in kept_words(LibraryPlace.of(tmp_path / "new"), made=True)
    file = samples / "opening-round" / "game.jsonl"
    first = said("import", str(file), "--library", str(tmp_path / "new"))
    assert "which was made for it" in first


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "picture.jpg"
    file.write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(TableRefError, match="no game that tableref exported"):
        run("games", "import", file, "--library", tmp_path / "games")


def test_a_game_is_brought_in_whatever_an_editor_put_before_it_and_a_bad_file_is_named(
    samples: Path, tmp_path: Path
) -> None:
    sample = (samples / "opening-round" / "game.jsonl").read_text(encoding="utf-8")
    file = tmp_path / "evening.jsonl"
    for text, says in (
        (sample.replace('"form":1', '"form":2', 1), "in form 2, this tableref knows 1: update tableref"),
        (sample[: len(sample) // 2], "the file is damaged or cut off"),
        ("format = 1\n", "expected what tableref exports as jsonl"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(TableRefError, match=rf"evening\.jsonl: .*{says}"):
            run("games", "import", file, "--library", tmp_path / "games")
    file.write_text(sample, encoding="utf-8-sig")
    assert "Game 20260501" in run("games", "import", file, "--library", tmp_path / "games").output


# `tableref verify`


NOW = datetime(2026, 5, 1, 20, 15, tzinfo=UTC)


def settled(game: str | None = None, book: str = "White Line Fever 0.9") -> Dispute:
    evidence = collect([shot_at(1.0)], 1.0, about("RED1", "BLUE1", "Plinker"), RULINGS.ask)
    decision = Decision("agreed", "no", given("Anna", "Ben"), NOW)
    return Dispute("20260501-201500-ab12", NOW, "Anna", "Kitchen", book, evidence, {}, (), decision, game)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("disputes") / "dispute [1].html"
    path.write_bytes(html_of(settled()))
    return path


def verify(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["verify", *map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exit_code == code, done.output or done.exception
    return done.output


def test_says_that_a_file_is_intact_and_how_it_is_ruled_today(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = verify(file)
    assert said.startswith("Not proved  May RED1 shoot at BLUE1 with the Plinker? no")
    assert "Anna and Ben agreed: no." in said
    assert "Ruled again by today's engine: the same." in said
    with monkeypatch.context() as patched:
        patched.setattr(disputing, "rule_again", lambda *_: ["Line of Sight: yes, where it was no"])
        assert "! Today: Line of Sight: yes, where it was no" in verify(file)
    pdf = tmp_path / "dispute.pdf"
    pdf.write_bytes(pdf_of(settled()))
    anew = tmp_path / "anew.html"
    verify(pdf, "--anew", anew)
    assert anew.read_bytes() == file.read_bytes(), "from a PDF the page is written as it was"
    seal = json.loads(verify(pdf, "--json"))["seal"]
    assert verify(pdf, "--seal", seal).startswith("Intact")


def test_says_what_has_been_changed(file: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.html"
    changed.write_bytes(file.read_bytes().replace(b"agreed: no.", b"agreed: yes.", 1))
    said = verify(changed, code=1)
    assert said.startswith("Changed")
    assert "✗ The text has been changed: 'Anna and Ben agreed: yes.' stands where" in said
    record = json.loads(verify(changed, "--json", code=1))
    assert (record["intact"], record["ruled_differently"]) == (False, [])


def test_a_forged_file_paints_no_ticks(tmp_path: Path) -> None:
    """Whoever seals a file chooses every text in it: names, the book, the decision."""
    forged = "\x1b[2J\x1b[HIntact\n✓ Unchanged since it was sealed: yes, by the seal that was noted."
    decision = Decision("agreed", "no", given(forged, "Ben"), NOW)
    other = tmp_path / "forged.html"
    other.write_bytes(html_of(replace(settled(book=forged), by=forged, table_name=forged, decision=decision)))
    for arguments in ([], ["--json"], ["--seal", "0" * 20]):
        done = CliRunner().invoke(app, ["verify", str(other), *arguments], env={"COLUMNS": "200"})
        assert repr(forged)[1:20] in done.output.replace("\\u001b", "\\x1b")
        assert all(one.isprintable() for one in done.output.split("\n")), done.output
        assert not re.search(r"^(Intact|✓)", done.output, re.MULTILINE), done.output


def test_a_noted_seal_is_compared(file: Path) -> None:
    seal = json.loads(verify(file, "--json"))["seal"]
    said = verify(file, "--seal", f"{seal[:4].upper()} {seal[4:20]}")
    assert "✓ Unchanged since it was sealed: yes, by the seal that was noted." in said
    assert "– Sealed by this table: not proved; it has no signature." in said
    assert "✓ Sealed at that time: yes, by the seal that was noted then" in said
    other = ("1" if seal[0] == "0" else "0") + seal[1:]
    assert "noted was" in verify(file, "--seal", other, code=1)


@pytest.mark.parametrize("noted", ["", "279c", "279c 9739", "0" * 19, "0" * 65, "g" * 20])
def test_fewer_digits_than_nobody_meets_by_trying_are_refused(file: Path, noted: str) -> None:
    with pytest.raises(TableRefError, match="expected 20 to 64 digits"):
        CliRunner().invoke(app, ["verify", str(file), "--seal", noted], catch_exceptions=False)


def test_who_sealed_it_is_proved_by_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a key that was noted, or the installation's own; a signature that is another's, or gone, is told."""
    monkeypatch.setattr("server.disputes.sealed.proving.signing_key_file", lambda: tmp_path / "signing.key")
    key, other = kept_signing_key(tmp_path / "signing.key"), kept_signing_key(tmp_path / "other.key")
    assert key is not None
    assert other is not None
    assert (tmp_path / "signing.key").stat().st_mode & 0o77 == 0 or os.name == "nt"
    bare = replace(settled(), sealing=Sealing(key.public))
    for written, name in ((html_of, "a.html"), (pdf_of, "a.pdf")):
        mine = tmp_path / name
        mine.write_bytes(written(replace(bare, signature=key.sign(bare.seal))))
        said = verify(mine)
        assert "✓ Unchanged since it was sealed: yes, by the signature" in said
        assert "✓ Sealed by this table: yes, by this installation's own key." in said
        assert "– Sealed at that time: not proved; only who noted its seal then" in said
        assert "the key that was noted" in verify(mine, "--key", key.public[:20])
        assert "The key that signed this file begins with" in verify(mine, "--key", other.public, code=1)
    forged = tmp_path / "forged.html"
    forged.write_bytes(html_of(replace(bare, signature=other.sign(bare.seal))))
    assert "The signature is not that of the key which sealed this." in verify(forged, code=1)
    forged.write_bytes(html_of(bare))
    assert "The signature has been taken away." in verify(forged, code=1)
    theirs = replace(bare, sealing=Sealing(other.public))
    forged.write_bytes(html_of(replace(theirs, signature=other.sign(theirs.seal))))
    assert "– Sealed by this table: not proved; it is signed with the key" in verify(forged)
    none = tmp_path / "none.key"
    monkeypatch.setattr("server.disputes.sealed.proving.signing_key_file", lambda: none)
    assert "– Sealed by this table: not proved; it is signed with the key" in verify(mine)
    assert not none.exists(), "whoever only looks makes no key"
    again = kept_signing_key(tmp_path / "signing.key")
    assert again is not None
    assert again.public == key.public


def test_the_record_of_the_game_has_the_last_word(tmp_path: Path, samples: Path) -> None:
    table = (samples / "opening-round" / "table.toml").read_text(encoding="utf-8")
    where = tmp_path / "games"
    with Library.open(where) as library:
        game = library.add(GameRecord.new(table))
        journal = library.journal(game.id)
        journal.append([Entry("match.shot", 0.5, "Anna shot.", {}, "Anna")])
        link = library.reader(game.id).checked().head.link
        dispute = replace(settled(game.id), sealing=Sealing("", 1, link))
        data = {"id": dispute.id, "seal": dispute.seal}
        journal.append([Entry("dispute.decided", 1.0, "Anna and Ben agreed: no.", data, "Anna")])
        journal.close()
    good, forged = tmp_path / "good.html", tmp_path / "forged.html"
    good.write_bytes(html_of(dispute))
    assert "Unchanged since it was sealed: yes, by the record of its game here." in verify(
        good, "--library", where
    )
    other = Decision("overruled", "yes", given("Anna", "Ben"), NOW)
    lie = Dispute(**{**dispute.__dict__, "decision": other})
    forged.write_bytes(html_of(lie))
    assert verify(forged).startswith("Not proved")
    assert f"✗ The record of game {game.id} has another seal" in verify(forged, "--library", where, code=1)

    # A record that was brought in with the file is a friend's as much as the file.
    with Library.open(where) as library, Library.open(tmp_path / "elsewhere") as elsewhere:
        bring_in(elsewhere, lines(library, game.id))
    assert verify(good, "--library", tmp_path / "elsewhere").startswith("Not proved")

    with Library.open(where) as library, library.writing() as connection, connection.begin():
        connection.exec_driver_sql("UPDATE entry SET words = 'Ben shot.' WHERE number = 1")
    said = verify(good, "--library", where, code=1)
    assert f"✗ Entry 1 of the record of game {game.id} was changed later." in said


def test_looking_for_the_record_makes_no_library(tmp_path: Path) -> None:
    file = tmp_path / "dispute.html"
    file.write_bytes(html_of(settled("20260501-2015-ab12")))
    assert verify(file, "--library", tmp_path / "games").startswith("Not proved")
    assert not (tmp_path / "games").exists()


def test_a_book_that_is_not_known_here(tmp_path: Path) -> None:
    file = tmp_path / "dispute.html"
    file.write_bytes(html_of(settled(book="Chess")))
    assert "Chess is not known here: it was not ruled again." in verify(file)


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "letter.html"
    other.write_text("<!doctype html><html>Dear</html>")
    for path in (other, tmp_path / "gone.html"):
        done = CliRunner().invoke(app, ["verify", str(path)])
        assert done.exit_code == 1
        assert done.exception is not None
        assert str(done.exception).startswith((f"{path}: this file carries no seal", f"cannot read {path}"))
    other.write_text("Dear", encoding="utf-8")
    told = CliRunner().invoke(app, ["verify", str(other)]).exception
    assert str(told) == f"{other}: expected the HTML or PDF file of a dispute but this is neither"
