"""The sealed contents of a dispute as people read them: what HTML, PDF and the checking of both say alike."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from calibration.table_text import in_short
from calibration.tablefile import MOST_PIECES
from engine.errors import TableRefError
from engine.ruling import in_words
from server.disputes.sealed.seal import FORMAT, KNOWN, MOST_ASKED, in_groups
from server.formats import units

MOST_TEXT, MOST_LETTERS = 50 * MOST_PIECES, 200_000
"""Letters of one text of a dispute, which may name every piece of a table, and of all. Pages of more would
take minutes to be laid out."""

Contents = Mapping[str, Any]
Row = tuple[str, ...]


class NoAccount(TableRefError):
    """Contents that are no dispute's, or of a form that this tableref does not know."""


@dataclass(frozen=True)
class CheckLine:
    """One question of the ruling, for people."""

    name: str
    role: str
    verdict: str
    said: str
    measured: str
    margin: str
    chance: str
    citation: str


@dataclass(frozen=True)
class Account:
    """A dispute in words and rows of words."""

    title: str
    verdict: str
    outcome: str
    counts: str
    heading: tuple[tuple[str, str], ...]
    checks: tuple[CheckLine, ...]
    places: tuple[Row, ...]
    calibration: tuple[str, ...]
    corners: tuple[Row, ...]
    frames: tuple[Row, ...]
    asked: tuple[Row, ...]
    events: tuple[Row, ...]


def account_of(contents: Contents) -> Account:
    """The account of sealed contents. Raises `NoAccount` for anything else."""
    if contents.get("format") != FORMAT:
        raise NoAccount(f"expected the contents of a dispute but got {str(contents.get('format'))[:60]!r}")
    if contents.get("version") not in KNOWN:
        raise NoAccount(
            f"this dispute has form {contents.get('version')!r} and this tableref knows {KNOWN[-1]}: "
            "get a newer one"
        )
    try:
        account = _account(contents)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise NoAccount(
            f"the contents of this dispute cannot be read: {type(error).__name__} {in_short(str(error))}"
        ) from error
    letters = [len(text) for text in _texts(account)]
    if max(letters) > MOST_TEXT or sum(letters) > MOST_LETTERS:
        raise NoAccount(
            f"expected a dispute of texts of at most {MOST_TEXT} letters, {MOST_LETTERS} in all, but got one "
            f"of {max(letters)}, {sum(letters)} in all: tableref seals no such file"
        )
    return account


def _texts(value: object) -> Iterator[str]:
    """Every text of an account."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, Account | CheckLine):
        for field in fields(value):
            yield from _texts(getattr(value, field.name))


def _account(contents: Contents) -> Account:
    evidence, decision = contents["evidence"], contents["decision"]
    ruling = evidence["ruling"]
    # Each is ruled again, past every piece.
    asked, pieces = len(contents["asked"]), len(evidence["table"]["pieces"])
    if asked > MOST_ASKED or pieces > MOST_PIECES:
        raise NoAccount(
            f"expected a dispute of at most {MOST_ASKED} questions and {MOST_PIECES} pieces but got {asked} "
            f"and {pieces}: tableref seals no such file"
        )
    for asked in contents["asked"]:
        for check in asked["ruling"]["checks"]:
            _check(check)
    outcome, counts = "Not decided.", ""
    if decision is not None:
        outcome, counts = str(decision["words"]), str(decision["outcome"])
    made = contents["versions"]
    return Account(
        title=str(ruling["question"]),
        verdict=str(ruling["verdict"]),
        outcome=outcome,
        counts=counts,
        heading=(
            ("Table", str(contents["table_name"])),
            ("Rule book", str(contents["book"])),
            ("Opened", f"{contents['opened']['at']} by {contents['opened']['by']}"),
            *_about(contents),
            ("Decided", "not yet" if decision is None else f"{decision['at']} by {decision['by']}"),
            *_consents(decision),
            *_sealed_by(contents),
            ("Instant", f"{evidence['at_s']:.2f} s on the {contents['clock']}'s clock"),
            ("Number", str(contents["id"])),
            ("Recorded in", str(contents["game"] or "no game")),
            ("Ruled by", ", ".join(f"{name} {made[name]}" for name in sorted(made)) or "tableref"),
        ),
        checks=tuple(_check(c) for c in ruling["checks"]),
        places=tuple(_place(p) for p in evidence["table"]["pieces"]),
        calibration=(*_calibration(evidence["calibration"]), *filter(None, [evidence.get("note")])),
        corners=_corners(evidence["calibration"]),
        frames=_frames(evidence),
        asked=tuple(
            (str(a["ruling"]["question"]), str(a["ruling"]["verdict"]), str(a["by"]))
            for a in contents["asked"]
        ),
        events=tuple(
            (f"{e['time_s'] - evidence['at_s']:+.1f} s", str(e["words"])) for e in evidence["events"]
        ),
    )


def _about(contents: Contents) -> Sequence[tuple[str, str]]:
    """What of the match it is about, which files of before form 3 do not say."""
    rows = (("About", contents.get("subject")), ("Had again after", contents.get("reopens")))
    return [(name, str(value)) for name, value in rows if value]


def _consents(decision: Mapping[str, Any] | None) -> Sequence[tuple[str, str]]:
    """Who consented, and as whom."""
    devices = {"player": "on the device of that seat", "owner": "the owner of the table"}
    given = () if decision is None else decision.get("consents", ())
    named = ((c, dict.fromkeys((c["who"], devices[c["as"]]))) for c in given)
    return [("Agreed", ", ".join((*who, c["at"]))) for c, who in named]


def _sealed_by(contents: Contents) -> Sequence[tuple[str, str]]:
    """By whose key and upon which record it is sealed, which files of before form 4 do not say."""
    key, record = contents.get("key"), contents.get("record") or {}
    rows = [("Table's key", in_groups(str(key)))] if key else []
    if record.get("link"):
        rows.append(
            (
                "Record",
                f"its first {record['entries']} entries, whose link is {in_groups(str(record['link']))}",
            )
        )
    return rows


def _check(check: Mapping[str, Any]) -> CheckLine:
    unit = check["unit"]

    def number(value: float | None) -> str:
        return "–" if value is None else in_words(value, unit)

    sd = "" if check["sd"] is None or check["sd"] <= 0 else f" ± {_fine(check['sd'], unit)}"
    # A number without a unit is how a game keeps its answer: what it means is in the words.
    told = bool(unit)
    return CheckLine(
        name=check["name"],
        role=check["role"],
        verdict=check["verdict"],
        said=check["words"],
        measured=f"{number(check['number'])} against {number(check['limit'])}" if told else "–",
        margin=f"{number(check['margin'])}{sd}" if told else "–",
        chance=units.chance(check["p_yes"]),
        citation=check["citation"],
    )


def _fine(sd: float, unit: str) -> str:
    return f"{math.degrees(sd):.2f}°" if unit == "rad" else f"{sd:.3f} in"


def _place(piece: Mapping[str, Any]) -> Row:
    x, y, heading = piece["pose"]
    total = [piece["own"][k][k] + sum(v * v for v in piece["shared"][k]) for k in range(3)]
    sd, sd_turn = math.sqrt(max(total[0] + total[1], 0.0) / 2), math.sqrt(max(total[2], 0.0))
    return (
        str(piece["name"]),
        f"{x:.3f} in",
        f"{y:.3f} in",
        f"± {sd:.3f} in",
        units.heading(heading, 1),
        f"± {math.degrees(sd_turn):.2f}°",
        str(piece["status"]),
    )


def _calibration(record: Mapping[str, Any] | None) -> tuple[str, ...]:
    if record is None:
        return ("The table had not been found in the picture.",)
    note = str(record["note"])
    said = [note[:1].upper() + note[1:] + "."]
    if "camera_in" in record:
        x, y, z = record["camera_in"]
        said.append(f"The camera hangs {z:.1f} in above the table, over ({x:.1f} in, {y:.1f} in).")
    return tuple(said)


def _corners(record: Mapping[str, Any] | None) -> tuple[Row, ...]:
    return tuple(
        (
            f"{c['family']} {c['tag']}",
            f"({c['at_in'][0]:.2f} in, {c['at_in'][1]:.2f} in)",
            f"{c['misfit_in']:.4f} in",
        )
        for c in (record or {}).get("corners", ())
    )


def _frames(evidence: Mapping[str, Any]) -> tuple[Row, ...]:
    used, rows = evidence["frame"]["time_s"], []
    for frame in evidence["frames"]:
        sharp = frame["sharpness"]
        rows.append(
            (
                str(frame["index"]),
                f"{frame['time_s'] - evidence['at_s']:+.2f} s",
                "–" if sharp is None else f"{1 / sharp:.2f} pixels",
                "ruled from" if frame["time_s"] == used else "",
            )
        )
    return tuple(rows)


def pictures_listed(contents: Contents) -> Sequence[Mapping[str, Any]]:
    """The pictures that the contents name, each with name, about, media, sha256 and words."""
    try:
        listed: Sequence[Mapping[str, Any]] = contents["evidence"]["pictures"]
        for picture in listed:
            for key in ("name", "about", "media", "sha256", "words"):
                if not isinstance(picture[key], str):
                    raise NoAccount(f"a picture's {key} is {picture[key]!r}, expected words")
    except (KeyError, TypeError) as error:
        raise NoAccount(f"the contents of this dispute name no pictures: {in_short(str(error))}") from error
    return listed
