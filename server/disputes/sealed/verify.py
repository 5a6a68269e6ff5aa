"""Is this file of a dispute as it was sealed; if not, what has been changed; and is it ruled so today."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from calibration.table_text import in_short
from calibration.whole_files import FileError
from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.records import from_json
from engine.game.showing import Awaited
from server.disputes.documents import html, pdf
from server.disputes.documents.account import Contents, account_of, pictures_listed
from server.disputes.sealed.seal import canonical, seal_of
from server.disputes.tables import move_of, table_of
from server.formats.signing import is_signed
from server.table.questions.differences import EXACT, Changed, differences, ruled_again
from server.table.questions.rulings import Rulings
from server.table.records import asked_of, ruling_record

MOST_BYTES = 200 * 1024 * 1024
"""A file of a dispute has a few megabytes."""


MOST_PLACES = 20
"""Places where a text was changed that are told one by one."""

MOST_COMPARED = 4_000_000
"""Lines that were written times lines that stand there, up to which all places are looked for."""


class NotADispute(TableRefError):
    """A file that is no sealed dispute."""


@dataclass(frozen=True, eq=False)
class Verified:
    """What came of the checking. `changed` says in sentences what is not as it was sealed."""

    seal: str
    changed: tuple[str, ...]
    contents: Contents
    pictures: Mapping[str, bytes]
    """By their digests, as far as they are as they were sealed."""
    signature: str = ""
    page_alone: bool = False
    """Whether nothing but the page differs from what is written from its sealed contents and pictures."""

    @property
    def signed_by(self) -> str:
        """The public half of the key that signed the seal; empty where none did."""
        key = str(self.contents.get("key") or "")
        return key if self.signature and is_signed(self.seal, self.signature, key) else ""

    @property
    def intact(self) -> bool:
        """Whether the file is, byte by byte, what is written from its sealed contents and pictures."""
        return not self.changed


def read(file: Path) -> bytes:
    """The bytes of a file that is not larger than any dispute; a clear error otherwise."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise FileError(f"{file} is too large for the file of a dispute")
        return file.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror or error}") from error


def verify(file: bytes) -> Verified:
    """Checks an HTML or PDF file of a dispute. Raises `NotADispute` for anything else."""
    with _in_short():
        if file.startswith(b"%PDF-"):
            return _verify_pdf(file)
        if b"<html" in file[:200].lower():
            return _verify_html(file)
    raise NotADispute("expected the HTML or PDF file of a dispute but this is neither")


@contextmanager
def _in_short() -> Iterator[None]:
    """What is wrong quotes the file no longer than it can be read."""
    try:
        yield
    except TableRefError as error:
        said = in_short(str(error))
        if said == str(error):
            raise
        raise NotADispute(said) from error


def rule_again(contents: Contents, rulings: Rulings) -> tuple[str, ...]:
    """Where today's engine rules the disputed question or another one differently, in sentences.

    Questions are asked of the game's state of then, a move is ruled from its way: files of form 3 have both.
    """
    try:
        # Numbers that no table has come out as nothing; NumPy need not warn of it.
        with np.errstate(all="ignore"), _in_short():
            return tuple(_rule_again(contents, rulings))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise NotADispute(
            f"the table or a ruling in this file cannot be read: {in_short(str(error))}"
        ) from error


def _rule_again(contents: Contents, rulings: Rulings) -> list[str]:
    found: list[str] = []
    evidence = contents["evidence"]
    table, basis = table_of(evidence["table"]), evidence.get("basis")
    rulings = rulings if basis is None else _of_then(basis, rulings)
    rows = [] if evidence.get("handed_in") else [evidence]
    if evidence.get("move") is not None and basis is not None:
        found += _said(evidence, _move_again(evidence, rulings))
    for row in (*rows, *contents["asked"]):
        found += _said(row, ruled_again(row["ruling"], question_in(row), table, rulings, exactly=True))
    return found


def not_ruled_again(contents: Contents) -> str | None:
    """Why the disputed question is not ruled again from this file, in a sentence; None where it is."""
    evidence = contents["evidence"]
    if not evidence.get("handed_in") or (evidence.get("basis") and evidence.get("move")):
        return None
    return "The disputed move is not in this file: the record of its game rules it again."


def _said(row: Mapping[str, Any], changed: Iterable[Changed]) -> list[str]:
    question = row["ruling"]["question"]
    return [f"{question} {one.words[:1].upper()}{one.words[1:]}" for one in changed]


def _of_then(basis: Mapping[str, Any], rulings: Rulings) -> Rulings:
    """Who answers: the game with its state as it was sealed."""
    game = rulings.game
    if game.about.id != basis["game"]:
        raise NotADispute(f"this dispute is of the game {basis['game']!r}, not of {game.about.id!r}")
    state = game.from_json(basis["state"])
    return Rulings(lambda: (game, state), lambda _: None)


def _move_again(evidence: Mapping[str, Any], rulings: Rulings) -> tuple[Changed, ...]:
    """The disputed move ruled again from its way."""
    basis, kept = evidence["basis"], evidence["ruling"]
    game, move = rulings.game, move_of(evidence["move"])
    awaited = from_json(Awaited, basis["awaited"])
    try:
        ruling = game.guide(game.from_json(basis["state"]), awaited, move, move.before).ruling
    except TableRefError as error:
        return (Changed("the move", str(kept["verdict"]), f"cannot be ruled: {in_short(str(error))}"),)
    if ruling is None:
        return (Changed("the move", str(kept["verdict"]), "not ruled at all"),)
    return tuple(differences(kept, ruling_record(ruling, question_in(evidence), exactly=True), EXACT))


def question_in(row: Mapping[str, Any]) -> Question:
    """The question of a dispute's evidence, or of one that was asked besides, in any form that is known."""
    ruling = row["ruling"]
    # The first form named the question beside its ruling.
    asked = ruling if "asked" in ruling else row.get("question", row)
    return asked_of({**asked, "question": ruling["question"]})


# HTML


class _Parts(HTMLParser):
    """The pictures, the contents and the seal of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pictures: list[tuple[str, str]] = []
        self.contents: list[str] = []
        self.seals: list[str] = []
        self.signature = ""
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what bears on the seal."""
        known = {k: v or "" for k, v in attrs}
        if tag == "meta" and known.get("name") == pdf.MARK:
            self.seals.append(known.get("content", ""))
        if tag == "meta" and known.get("name") == "tableref-signature":
            self.signature = known.get("content", "")
        if tag == "img":
            self.pictures.append((known.get("data-name", ""), known.get("src", "")))
        self._inside = tag == "script" and known.get("id") == "contents"
        if self._inside:
            self.contents.append("")

    def handle_data(self, data: str) -> None:
        """Gathers the contents."""
        if self._inside:
            self.contents[-1] += data

    def handle_endtag(self, tag: str) -> None:
        """The end of the contents."""
        if tag == "script":
            self._inside = False


def _verify_html(file: bytes) -> Verified:
    try:
        text = file.decode()
    except UnicodeDecodeError as error:
        raise NotADispute(f"this file is damaged: {error.reason} at byte {error.start}") from error
    parts = _Parts()
    parts.feed(text)
    if len(parts.seals) != 1 or len(parts.contents) != 1:
        raise NotADispute(
            "this file carries no seal, or more than one: it is no dispute as tableref writes it"
        )
    stated = re.fullmatch(r"([0-9a-f]{64}) [0-9a-f]{64}", parts.seals[0])
    if stated is None:
        raise NotADispute("the seal of this file has been damaged or taken away")
    contents = _contents(parts.contents[0])
    changed = _contents_changed(contents, stated[1])
    pictures, wrong = _pictures_changed(contents, parts.pictures)
    changed += wrong
    changed += _signature_wrong(contents, stated[1], parts.signature)
    expected = html.render(contents, _blanks(contents) | pictures, parts.signature)
    page_alone = file != expected and not changed
    if file != expected:
        places = _text_changed(expected.decode(), text)
        changed += places or ([OTHER_PAGES] if page_alone else [])
        changed += _of_another_version(contents) or ([OTHER_WORDS] if places and page_alone else [])
    return Verified(stated[1], tuple(changed), contents, pictures, parts.signature, page_alone)


OTHER_SIGNATURE = "The signature is not that of the key which sealed this."


def _signature_wrong(contents: Contents, seal: str, signature: str) -> list[str]:
    key = str(contents.get("key") or "")
    if not key and not signature:
        return []
    if not signature:
        return ["The signature has been taken away."]
    return [] if is_signed(seal, signature, key) else [OTHER_SIGNATURE]


def _blanks(contents: Contents) -> dict[str, bytes]:
    return {p["sha256"]: b"" for p in pictures_listed(contents)}


def _contents(text: str) -> Contents:
    try:
        return html.contents_written(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise NotADispute(f"the contents of this file are damaged: {in_short(str(error))}") from error


def _contents_changed(contents: Contents, seal: str) -> list[str]:
    account_of(contents)
    try:
        found = seal_of(canonical(contents))
    except ValueError as error:
        raise NotADispute(f"the contents of this file are damaged: {in_short(str(error))}") from error
    if found == seal:
        return []
    return [f"The figures have been changed: their digest is {found[:16]}…, sealed was {seal[:16]}…."]


def _pictures_changed(contents: Contents, shown: list[tuple[str, str]]) -> tuple[dict[str, bytes], list[str]]:
    """The pictures by the digests that the contents name, and what is wrong with them."""
    listed = {p["name"]: p for p in pictures_listed(contents)}
    found: dict[str, bytes] = {}
    changed, seen = [], set()
    for name, address in shown:
        seen.add(name)
        known = listed.get(name)
        if known is None:
            changed.append(f"A picture {name!r} has been put in.")
            continue
        media, _, data = address.partition(";base64,")
        try:
            picture = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            picture = b""
        if hashlib.sha256(picture).hexdigest() == known["sha256"] and media == f"data:{known['media']}":
            found[known["sha256"]] = picture
        else:
            changed.append(f"The picture {name!r} ({known['words']}) has been changed.")
    changed += [f"The picture {name!r} has been taken away." for name in listed if name not in seen]
    return found, changed


def _text_changed(expected: str, text: str) -> list[str]:
    """What of the text, of styles and of scripts is not what tableref writes from the contents."""
    lines, written = _lines(text), _lines(expected)
    places = _places_changed(written, lines)
    found = [
        f"The text has been changed: {_short(' '.join(now))} stands where {_short(' '.join(was))} was."
        for was, now in places[:MOST_PLACES]
    ]
    if len(places) > MOST_PLACES:
        found.append(f"The text has been changed in {len(places) - MOST_PLACES} more places.")
    return found


def _places_changed(written: list[str], lines: list[str]) -> list[tuple[list[str], list[str]]]:
    """Where other lines stand than were written: what was there, and what is there now."""
    first = next((k for k, (was, now) in enumerate(zip(written, lines, strict=False)) if was != now), None)
    start = min(len(written), len(lines)) if first is None else first
    was, now = written[start:], lines[start:]
    if len(was) * len(now) > MOST_COMPARED:
        # Matching them takes a time that grows with the product: where they part has to do.
        return [(was[:1], now[:1])]
    opcodes = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    return [(was[a:b], now[c:d]) for kind, a, b, c, d in opcodes if kind != "equal"]


def _lines(text: str) -> list[str]:
    """What people read of a page, line by line, without pictures and contents."""
    text = re.sub(r'src="data:[^"]*"', "", text)
    text = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
    text = re.sub(r"<meta name=\"tableref-seal\"[^>]*>", "", text)
    text = re.sub(r"<(?:td|th|dd|dt|p|div|h1|h2|figcaption)\b", r"\n\g<0>", text)
    return [line for line in (re.sub(r"\s+", " ", part).strip() for part in text.split("\n")) if line]


def _short(text: str) -> str:
    words = re.sub(r"<[^>]+>", " ", text)
    words = re.sub(r"\s+", " ", words).strip() or "nothing that is shown"
    return repr(words if len(words) <= 90 else words[:89] + "…")


# PDF


def _verify_pdf(file: bytes) -> Verified:
    stated = pdf.mark_in(file)
    if stated is None:
        raise NotADispute("this PDF carries no seal: it is no dispute as tableref writes it")
    streams = {hashlib.sha256(data).hexdigest(): data for data in _streams(file)}
    held = [data for data in streams.values() if data.startswith(b'{"')]
    if len(held) != 1:
        raise NotADispute("this PDF does not hold the contents of a dispute, or more than one of them")
    contents = _contents(_as_text(held[0]))
    changed = _contents_changed(contents, stated[0])
    listed = pictures_listed(contents)
    pictures = {p["sha256"]: streams[p["sha256"]] for p in listed if p["sha256"] in streams}
    changed += [
        f"The picture {p['name']!r} ({p['words']}) has been changed or taken away."
        for p in listed
        if p["sha256"] not in pictures
    ]
    changed += _signature_wrong(contents, stated[0], stated[2])
    if not changed and file != (expected := _pages(contents, pictures, stated[2])):
        changed.append(PUT_BEHIND if file.startswith(expected) else OTHER_PAGES)
        changed += _of_another_version(contents)
    return Verified(stated[0], tuple(changed), contents, pictures, stated[2])


def _of_another_version(contents: Contents) -> list[str]:
    """That it may be the version alone, where another one sealed the file than checks it."""
    sealed, here = contents["versions"].get("tableref"), version("tableref")
    if sealed in (None, here):
        return []
    return [
        f"It was sealed by tableref {sealed} and is checked by {here}, which may write the same otherwise."
    ]


def _pages(contents: Contents, pictures: Mapping[str, bytes], signature: str) -> bytes:
    try:
        return pdf.render(contents, pictures, signature)
    except Exception as error:
        # Whoever seals rubbish as a picture makes the library that draws it fail in its own ways.
        raise NotADispute(
            f"a picture or a text of this file cannot be drawn: {in_short(str(error))}"
        ) from error


OTHER_PAGES = (
    "The pages are not what is written from the sealed contents: they have been changed, or another version "
    "wrote them. Read what is sealed: --anew FILE writes it."
)
OTHER_WORDS = (
    "What is sealed is as it was sealed, only the page differs: an older tableref may have written it in "
    "other words. Read what is sealed: --anew FILE writes it."
)
PUT_BEHIND = (
    "Something has been put behind the pages that were sealed, which a reader may show in their place."
)


def _as_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise NotADispute(f"the contents of this PDF are damaged: {error.reason}") from error


def _streams(file: bytes) -> Iterator[bytes]:
    """The attached files and the photographs of a PDF as reportlab writes it."""
    left = MOST_BYTES
    for head in re.finditer(rb"\d+ 0 obj\s*<<(.*?)>>\s*stream\r?\n", file, flags=re.DOTALL):
        described = head[1]
        length = re.search(rb"/Length (\d{1,12})", described)
        if length is None or not (b"/EmbeddedFile" in described or b"/DCTDecode" in described):
            continue
        data = file[head.end() : head.end() + int(length[1])]
        try:
            if b"/ASCII85Decode" in described:
                data = base64.a85decode(b"<~" + data.strip(), adobe=True)
            if b"/FlateDecode" in described:
                data = zlib.decompressobj().decompress(data, max(left, 1))
        except (ValueError, zlib.error):
            data = b""
        left -= len(data)
        if left <= 0:
            raise NotADispute("this PDF holds more than any dispute")
        yield data


def as_record(verified: Verified) -> dict[str, Any]:
    """The result as one plain object."""
    evidence = verified.contents["evidence"]
    return {
        "intact": verified.intact,
        "seal": verified.seal,
        "key": verified.signed_by or None,
        "changed": list(verified.changed),
        "id": verified.contents["id"],
        "question": evidence["ruling"]["question"],
        "verdict": evidence["ruling"]["verdict"],
        "decision": verified.contents["decision"],
    }
