"""What the file of a dispute proves, and by what: unchanged, sealed by this table, sealed at that time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calibration.whole_files import FileError
from engine.errors import TableRefError
from server.disputes.sealed.seal import in_groups, noted_digits
from server.disputes.sealed.verify import Verified
from server.formats.signing import kept_signing_key, signing_key_file
from server.recording.library.games import Library, LibraryPlace


@dataclass(frozen=True)
class Proof:
    """One statement about a file: by what it is proved, or None, and why not."""

    statement: str
    by: str | None
    why: str = ""

    @property
    def words(self) -> str:
        """One sentence for people."""
        return f"{self.statement}: {f'yes, by {self.by}' if self.by else f'not proved; {self.why}'}."


@dataclass(frozen=True)
class RecordedSeal:
    """What the record of the game, if it is on this computer, says of the dispute.

    `seal` is None where it is not here; `wall` is when it was written; `problems` what does not fit.
    """

    seal: str | None = None
    wall: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proofs:
    """The three statements, and what speaks against the file."""

    unchanged: Proof
    by_table: Proof
    at_time: Proof
    problems: tuple[str, ...]
    recorded: RecordedSeal

    @property
    def all(self) -> tuple[Proof, ...]:
        """In the order in which they are told."""
        return (self.unchanged, self.by_table, self.at_time)

    def as_json(self) -> dict[str, Any]:
        """By what each is proved; null where it is not."""
        return {"unchanged": self.unchanged.by, "by_table": self.by_table.by, "at_time": self.at_time.by}


def proofs_of(found: Verified, seal: str | None, key: str | None, library: str | None) -> Proofs:
    """What a file proves together with what was noted elsewhere and with what is on this computer."""
    recorded = recorded_seal(found, library)
    problems = [*found.changed, *recorded.problems]
    noted = None if seal is None else _begins(found.seal, seal, "seal of this file")
    trusted = None if key is None else _begins(found.signed_by, key, "key that signed this file")
    problems += [said for said in (noted, trusted) if said]
    whole, signed, own = not problems, found.signed_by, _own_key()
    here = recorded.seal is not None
    vouched = (
        "the seal that was noted" if seal
        else "the record of its game here" if here
        else "the signature, which only the holder of its key can make" if signed
        else None
    )  # fmt: skip
    by_key = "the key that was noted" if key else "this installation's own key" if signed == own else None
    return Proofs(
        Proof("Unchanged since it was sealed", vouched if whole else None, _why_not(whole)),
        Proof("Sealed by this table", by_key if whole and signed else None, _why_no_table(signed)),
        Proof(
            "Sealed at that time",
            "the seal that was noted then: what was made later has another" if whole and seal else None,
            _why_no_time(recorded),
        ),
        tuple(problems),
        recorded,
    )


def _begins(whole: str, noted: str, what: str) -> str | None:
    """A sentence if noted digits are not those with which a seal or key begins."""
    digits = noted_digits(noted)
    if whole.startswith(digits):
        return None
    begins = in_groups(whole[: len(digits)]) or "nothing"
    return f"The {what} begins with {begins}, noted was {in_groups(digits)}."


def _why_not(whole: bool) -> str:
    if not whole:
        return "see what has been changed"
    return "its parts fit together, but anybody can make a file that does: give the noted seal with --seal"


def _why_no_table(signed: str) -> str:
    if not signed:
        return "it has no signature"
    return (
        f"it is signed with the key {in_groups(signed)}: compare it with the one that the table shows, --key"
    )


def _why_no_time(recorded: RecordedSeal) -> str:
    said = "only who noted its seal then can prove that, with --seal"
    if recorded.seal is not None:
        said += f"; the record here says {recorded.wall}, by its computer's own clock"
    return said


def _own_key() -> str:
    try:
        key = kept_signing_key(signing_key_file(), make=False)
    except FileError:
        return ""
    return "" if key is None else key.public


def recorded_seal(found: Verified, library: str | None) -> RecordedSeal:
    """The seal of this dispute in the record of its game here, and whether that was changed later."""
    game, id = found.contents.get("game"), found.contents.get("id")
    if game is None:
        return RecordedSeal()
    try:
        place = LibraryPlace.of(library)
        if not place.is_there:
            # Looking makes no library.
            return RecordedSeal()
        with Library.open(place) as opened:
            reader = opened.reader(str(game))
            if reader.game.imported:
                # Whoever forges a file can forge a record beside it.
                return RecordedSeal()
            for entry in reader.entries(("dispute.decided",)):
                if entry.data.get("id") == id:
                    break
            else:
                return RecordedSeal()
            seal, problems = str(entry.data.get("seal")), []
            if seal != found.seal:
                problems.append(f"The record of game {game} has another seal: {in_groups(seal)}.")
            upon = found.contents.get("record") or {}
            now = reader.checked()
            then = reader.checked(int(upon["entries"])) if upon.get("link") else None
            if now.broken is not None:
                problems.append(f"Entry {now.broken} of the record of game {game} was changed later.")
            elif then is not None and then.head.link != upon["link"]:
                problems.append(
                    f"The record of game {game} was changed after this was sealed: its first "
                    f"{upon['entries']} entries are others."
                )
            return RecordedSeal(seal, f"{entry.wall:%Y-%m-%d %H:%M} UTC", tuple(problems))
    except TableRefError:
        # The game was played elsewhere, or there is no library here: the file speaks for itself.
        return RecordedSeal()
