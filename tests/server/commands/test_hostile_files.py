"""Files from a friend, mutated: one clear line each, in bounded time and memory, and nothing is written."""

from __future__ import annotations

import json
import math
import random
import re
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from calibration.lens.files import read_lens
from engine.errors import TableRefError
from server.commands.records.disputing import check_dispute
from server.commands.records.games import import_game
from server.disputes.documents import html, pdf
from server.disputes.documents.account import MOST_TEXT, NoAccount, account_of
from server.disputes.sealed.seal import canonical, seal_of
from server.disputes.sealed.verify import MOST_PLACES, verify
from server.recording.library.games import Library
from server.setup.kept_tables import KeptTables
from tests.volume import Figure, volume

resource = pytest.importorskip("resource", reason="memory is bounded by the system here")

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "samples" / "opening-round"
DISPUTE = ROOT / "tests" / "golden" / "disputes" / "before-the-contract.html"
SECONDS, BYTES = 2.0, 200 << 20
"""Processor time, and memory besides what is in use, that one file may take."""

LENS = """%YAML:1.0
---
image_width: 1920
image_height: 1080
camera_name: webcam
camera_matrix: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 1400.0, 0., 960.0, 0., 1400.0, 540.0, 0., 0., 1. ]
distortion_coefficients: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ 0.05, -0.1, 0.0, 0.0, 0.01 ]
"""

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**31, 2**63, 2**64, 10**40, -(10**400), 1e-320, 1e308, math.nan, math.inf,
    "", "\x00", "\ud800", "\x1b[2J", "\u202e", "a" * 100_000, "../../../etc/passwd", "/dev/zero", "0" * 5000,
    [], {}, [[]] * 1000, {"a": {"b": {"c": []}}}, [1, "2", None], {"": ""}, "2026-13-45T99:99:99Z", "eJw=",
)  # fmt: skip
"""What nobody writes where it is written."""

BITS = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b[2J", b"[" * 5000, b"{" * 5000, b'"', b"'", b"\\",
    b"\n" * 3000, b"9" * 400, b"1e999", b"-", b"&a ", b"*a", b"<<: *a", b"!!python/object:os.system", b"%",
    b"---\n", b"= =", b"nan", b"inf", b"[[piece]]\n", b"a.b.c.d = 1\n", b"</script>", b"<!--", b"%PDF-1.7\n",
)  # fmt: skip
"""What confuses a reader, put anywhere."""


def text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*at, key))


def put(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    """The same value with another one at a place."""
    if not at:
        return new
    key, *rest = at
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[key] = put(value[key], tuple(rest), new)
    return changed


def other_value(data: str, rng: random.Random) -> str:
    """A JSON text with something else in one or a few of its places, or without them."""
    value = json.loads(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.choice(list(places(value)))
        if at and isinstance(at[-1], str) and rng.random() < 0.2:
            below = value
            for key in at[:-1]:
                below = below[key]
            value = put(value, at[:-1], {k: v for k, v in below.items() if k != at[-1]})
        else:
            value = put(value, at, rng.choice(VALUES))
    return text(value)


def other_bytes(data: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, left out, doubled or put in; or the file cut off."""
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        a = rng.randrange(len(data) + 1)
        b = min(len(data), a + rng.choice((1, 1, 4, 40, 400)))
        what = rng.randrange(5)
        if what == 0:
            data = data[:a] + bytes([rng.randrange(256)]) + data[a + 1 :]
        elif what == 1:
            data = data[:a] + data[b:]
        elif what == 2:
            data = data[:b] + data[a:]
        elif what == 3:
            data = data[:a] + rng.choice(BITS) + data[a:]
        elif rng.random() < 0.3:
            data = data[:a]
    return data


def other_number(data: bytes, rng: random.Random) -> bytes:
    """A number or a word of a text made another one."""
    found = list(re.finditer(rb"-?\d+\.?\d*|\"[^\"\n]*\"", data))
    if not found:
        return data
    one = rng.choice(found)
    new = text(rng.choice(VALUES)).encode("utf-8", "surrogatepass")
    return data[: one.start()] + new + data[one.end() :]


def other_line(data: bytes, rng: random.Random) -> bytes:
    """A line of a game made another one, left out, doubled, or put elsewhere."""
    lines = data.splitlines()
    k = rng.randrange(len(lines))
    what = rng.randrange(6)
    if what < 3:
        lines[k] = other_value(lines[k].decode(), rng).encode("utf-8", "surrogatepass")
    elif what == 3:
        del lines[k]
    elif what == 4:
        lines.insert(rng.randrange(len(lines)), lines[k])
    else:
        lines[k] = other_bytes(lines[k], rng)
    return ended(lines)


def ended(lines: list[bytes]) -> bytes:
    """The lines of a game, with an end that counts them: what is wrong is not that."""
    if lines and lines[-1].startswith(b'{"end"'):
        lines[-1] = b'{"end":%d}' % len(lines)
    return b"\n".join(lines) + b"\n"


CONTENTS = re.compile(rb'(<script type="application/json"[^>]*>)(.*?)(</script>)', re.DOTALL)


def other_contents(data: bytes, rng: random.Random) -> bytes:
    """A dispute with something else in its contents."""
    found = CONTENTS.search(data)
    assert found is not None
    new = other_value(found[2].decode(), rng).replace("<", "\\u003c")
    return data[: found.start(2)] + new.encode("utf-8", "surrogatepass") + data[found.end(2) :]


EMBEDDED = re.compile(rb"/Length (\d+)( /Type /EmbeddedFile\s*>>\s*stream\r?\n)")


def other_sealed(data: bytes, rng: random.Random) -> bytes:
    """A dispute on paper with something else in its contents, and the seal that these have."""
    found = EMBEDDED.search(data)
    assert found is not None
    end = found.end() + int(found[1])
    return sealed_again(data, other_value(zlib.decompress(data[found.end() : end]).decode(), rng))


def sealed_again(data: bytes, new: str) -> bytes:
    """A dispute on paper with other contents and their seal."""
    found = EMBEDDED.search(data)
    assert found is not None
    end = found.end() + int(found[1])
    packed = zlib.compress(new.encode("utf-8", "surrogatepass"))
    changed = data[: found.start()] + b"/Length %d%s%s" % (len(packed), found[2], packed) + data[end:]
    with suppress(ValueError):
        seal = seal_of(canonical(json.loads(new)))
        changed = re.sub(rb"(tableref-seal )[0-9a-f]{64}", rb"\g<1>" + seal.encode(), changed)
    return changed


# Opening them


def game(file: Path, folder: Path) -> None:
    import_game(file, str(folder / "library"))
    with Library.open(str(folder / "library")) as library:
        for one in library.games():
            library.delete(one.id)


def dispute(file: Path, folder: Path) -> None:
    check_dispute(file, None, None, str(folder / "library"), None, as_json=True)


def lens(file: Path, folder: Path) -> None:
    read_lens(file)


def table(file: Path, folder: Path) -> None:
    kept = KeptTables(folder / "tables")
    kept.delete(kept.bring_in(file, None))


def short_game() -> bytes:
    """A game with a little of everything: three blocks, and every kind of line there is."""
    kinds: dict[str, list[bytes]] = {}
    for line in (SAMPLE / "game.jsonl").read_bytes().splitlines():
        record = json.loads(line)
        kinds.setdefault(str((sorted(record)[0], record.get("kind"))), []).append(line)
    kept = {line for lines in kinds.values() for line in lines[:3]}
    return ended([x for x in (SAMPLE / "game.jsonl").read_bytes().splitlines() if x in kept])


Mutation = Callable[[bytes, random.Random], bytes]
Opening = Callable[[Path, Path], None]

FILES: dict[str, tuple[Path | None, Opening, tuple[Mutation, ...], tuple[int, int]]] = {
    "game.jsonl": (None, game, (other_line, other_line, other_bytes), (25, 2000)),
    "dispute.html": (
        DISPUTE, dispute,
        (other_contents, other_contents, other_bytes), (20, 2000),
    ),
    "dispute.pdf": (None, dispute, (other_sealed, other_sealed, other_bytes), (10, 2000)),
    "lens.yaml": (None, lens, (other_number, other_bytes), (30, 2000)),
    "table.toml": (SAMPLE / "table.toml", table, (other_number, other_bytes), (30, 2000)),
}  # fmt: skip
"""By name: what is mutated, how it is opened, in which ways it is mutated, and how often."""


def whole_file(name: str) -> bytes:
    made = FILES[name][0]
    if name == "dispute.pdf":
        sealed = verify(DISPUTE.read_bytes())
        return pdf.render(sealed.contents, sealed.pictures, sealed.signature)
    return made.read_bytes() if made else LENS.encode() if name == "lens.yaml" else short_game()


@contextmanager
def bounded_memory() -> Iterator[None]:
    """What asks for more than it may is refused by the system."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    status = Path("/proc/self/status")
    found = re.search(r"VmSize:\s+(\d+)", status.read_text()) if status.exists() else None
    if found is not None:
        resource.setrlimit(resource.RLIMIT_AS, (int(found[1]) * 1024 + BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def written(folder: Path) -> list[str]:
    """What lies in a folder; the database of a library has its own housekeeping, and its locks are empty."""
    found = (f for f in folder.rglob("*") if "library.sqlite" not in f.name and f.suffix != ".lock")
    return sorted(str(f.relative_to(folder)) for f in found)


def refused(open_it: Callable[[], None]) -> str | None:
    """Why a file is refused; None where it is taken, with or without problems that are told."""
    try:
        with bounded_memory():
            open_it()
    except typer.Exit:
        return None
    except TableRefError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", FILES)
def test_a_mutated_file_is_refused_in_one_line_or_taken(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], figure: Figure
) -> None:
    _, opens, mutations, many = FILES[name]
    whole, file, folder = whole_file(name), tmp_path / name, tmp_path / "home"
    folder.mkdir()
    file.write_bytes(whole)
    opens(file, folder)  # unchanged it is taken, and whatever is loaded late is loaded
    capsys.readouterr()
    before = written(folder)
    said: list[str] = []
    slowest = [0.0]

    @settings(
        max_examples=volume(*many), deadline=None, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.sampled_from(mutations), st.integers(0, 2**32))
    def tried(mutation: Mutation, seed: int) -> None:
        file.write_bytes(mutation(whole, random.Random(seed)))
        took = SECONDS
        for _ in range(3):  # on a busy machine the same work may once cost many times as much
            began = time.process_time()
            why = refused(lambda: opens(file, folder))
            took = min(took, time.process_time() - began)
            if took < SECONDS:
                break
        slowest[0] = max(slowest[0], took)
        assert took < SECONDS
        assert written(folder) == before
        if why is not None:
            said.append(why)
            lines = why.splitlines()
            # Of a table each mistake is told, with its line.
            assert len(lines) == 1 or all(line.startswith(str(file)) for line in lines), why
            assert max(map(len, lines)) < 1000, why[:300]
            assert "Traceback" not in why
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", out), "a terminal would obey"

    tried()
    figure(f"mutated {name}: refused of {volume(*many)}", len(said))
    figure(f"mutated {name}: the slowest, seconds", round(slowest[0], 2))
    assert said


def test_a_dispute_of_endless_texts_takes_no_time_and_is_told_in_one_line() -> None:
    """A word without an end is laid out letter by letter; of a text that fills a page it is said so."""
    sealed, whole = verify(DISPUTE.read_bytes()).contents, whole_file("dispute.pdf")
    evidence, asked = sealed["evidence"], sealed["asked"][0]

    def forged(**others: Any) -> dict[str, Any]:
        return {**sealed, "evidence": {**evidence, **others}}

    for contents, why in (
        ({**sealed, "asked": [{**asked, "by": "a" * 100_000}]}, f"texts of at most {MOST_TEXT} letters"),
        (
            forged(ruling={**evidence["ruling"], "question": "a" * 100_000}),
            f"texts of at most {MOST_TEXT} letters",
        ),
        (forged(events=[{"time_s": 0.5, "words": "ab " * 1000}] * 100), "200000 in all"),
        ({**sealed, "asked": [{**asked, "by": "a " * 1_900}]}, "cannot be drawn"),
    ):
        began = time.process_time()
        with pytest.raises(TableRefError, match=why) as refusal:
            verify(sealed_again(whole, text(contents)))
        assert len(str(refusal.value).splitlines()) == 1
        assert time.process_time() - began < SECONDS
    began = time.process_time()
    long = forged(ruling={**evidence["ruling"], "question": "a" * (MOST_TEXT - 100)})
    assert verify(sealed_again(whole, text(long))).changed
    assert time.process_time() - began < SECONDS


def test_a_forged_dispute_of_very_many_lines_takes_no_time_and_is_told_in_few() -> None:
    sealed = verify(DISPUTE.read_bytes())

    def forged(asked: int = 1, pieces: int = 1, events: int = 0) -> dict[str, Any]:
        evidence = sealed.contents["evidence"]
        there = {**evidence["table"], "pieces": evidence["table"]["pieces"] * pieces}
        told = [{"time_s": 0.5, "words": f"No {k % 2}"} for k in range(events)]
        asks = sealed.contents["asked"] * asked
        return {**sealed.contents, "asked": asks, "evidence": {**evidence, "table": there, "events": told}}

    def shown(events: int, **others: str) -> bytes:
        text = html.render(forged(events=events), sealed.pictures, "").decode()
        return re.sub(r"No (\d)</", lambda found: f"No {others['_' + found[1]]}</", text).encode()

    many = shown(6000, _0="1", _1="0")
    began = time.process_time()
    assert any("stands where" in words for words in verify(many).changed)
    assert time.process_time() - began < SECONDS
    told = verify(shown(100, _0="0", _1="other")).changed
    assert any(re.fullmatch(r"The text has been changed in \d+ more places\.", words) for words in told)
    assert len(told) < MOST_PLACES + 10
    # Each question is ruled again, past every piece.
    for contents in (forged(asked=500), forged(pieces=500)):
        with pytest.raises(NoAccount, match="expected a dispute of at most 40 questions and 500 pieces"):
            account_of(contents)
