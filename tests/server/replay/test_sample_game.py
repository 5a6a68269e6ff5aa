"""The recorded game that comes with tableref is ruled the same on every run and machine.

`tests/golden/opening-round.rulings.jsonl` holds the rulings; to write it anew after a rule was changed
on purpose: `python -m tests.server.replay.test_sample_game`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.exports.jsonl import bring_in
from server.recording.library.games import Library
from server.recording.reader import Reader
from server.replay.rerule import rule_again
from server.table.questions.question_log import RULING
from server.table.questions.rulings import Rulings
from server.table.records import asked_of, ruling_record
from tests.server.record_sample import ID, SAMPLE

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "opening-round.rulings.jsonl"


def rulings(reader: Reader) -> Iterator[dict[str, Any]]:
    """Every ruling of the record, ruled by today's engine from where everything stood."""
    book = Rulings.by_book(None)
    for entry in reader.entries([RULING]):
        asked = asked_of(entry.data)
        ruling = book.ask(asked, reader.table_at(entry.at_s))
        yield {"number": entry.number} | ruling_record(ruling, asked)


def opened(folder: Path) -> Library:
    library = Library.open(folder)
    with SAMPLE.open(encoding="utf-8") as stream:
        bring_in(library, stream)
    return library


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with opened(tmp_path_factory.mktemp("games")) as library:
        yield library.reader(ID)


def test_the_rulings_are_those_of_the_golden_file(sample: Reader) -> None:
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    now = list(rulings(sample))
    assert len(now) == len(golden) > 20
    assert {r["verdict"] for r in golden} == {"yes", "no", "too close to call"}
    for is_now, was in zip(now, golden, strict=True):
        assert is_now == was


def test_twice_the_same(sample: Reader) -> None:
    assert list(rulings(sample)) == list(rulings(sample))


def test_nothing_comes_out_otherwise_than_in_play(sample: Reader) -> None:
    """The record keeps places to a thousandth of an inch: no verdict of that evening hangs on less."""
    told = list(rule_again(sample, Rulings.by_book(None)))
    assert len(told) > 20
    assert [a for a in told if a.changes] == []


def test_it_holds_the_whole_round(sample: Reader) -> None:
    assert sample.duration == pytest.approx(41.6, abs=0.1)
    assert {s.name for s in sample.table_at(20.0).standings} == {p.name for p in sample.table.pieces}
    kinds = {e.kind for e in sample.entries(["camera."])}
    assert {"camera.moving", "camera.settled", "camera.held", "camera.lost", "camera.found"} <= kinds


def main() -> None:
    """Writes the golden file."""
    import tempfile  # noqa: PLC0415 - only to write

    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as library:
        told = [json.dumps(r, ensure_ascii=False) + "\n" for r in rulings(library.reader(ID))]
    GOLDEN.write_text("".join(told), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
