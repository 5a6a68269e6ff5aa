"""Records the sample round as `samples/opening-round/game.jsonl`: `python -m tests.server.record_sample`.

The clip is refereed as in play; whenever the table has come to rest and an answer between opponents
comes out differently, it is asked for. Pictures are left out: the clip itself lies beside.
"""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from calibration.tablefile import load_table
from server.exports.jsonl import lines
from server.pipeline.referee import Referee
from server.recording.library.games import Library
from server.recording.recorder import Recorder
from server.table.questions.question_log import ruling_entry
from server.table.questions.rulings import Rulings, gist
from vision.source import SourceEnded, open_source

FOLDER = Path(__file__).resolve().parents[2] / "samples" / "opening-round"
SAMPLE = FOLDER / "game.jsonl"
ID = "20260501-2015-demo"
BEGAN = datetime(2026, 5, 1, 20, 15, tzinfo=UTC)


def main() -> None:
    """Referees the clip and writes the game."""
    table, book = load_table(FOLDER / "table.toml"), Rulings.by_book(None)
    referee, source = Referee(table), open_source(str(FOLDER / "opening-round.mp4"))
    known: dict[tuple[str, str], object] = {}
    with tempfile.TemporaryDirectory() as folder:
        now = 0.0
        recorder = Recorder(
            folder, table, video=None, resume=False, about={"made": "from the sample clip"},
            wall=lambda: BEGAN, real=lambda: now,
        )  # fmt: skip
        recorder.start()
        due = False
        while True:
            try:
                moment = referee.step(source.read())
            except SourceEnded:
                break
            now = moment.time
            recorder.keep(moment, table, moment.events, lambda _: None)
            recorder.flush()
            due = due or bool(moment.events)
            if not (due and book.at_rest(moment.table)):
                continue
            due = False
            for one, other in book.opponents(moment.table):
                question, ruling = book.answer(moment.table, (one.name, other.name))
                if known.get((one.name, other.name)) != gist(ruling):
                    known[one.name, other.name] = gist(ruling)
                    recorder.append([ruling_entry(ruling, question)])
        source.close()
        recorder.stop()
        with Library.open(folder) as library:
            found = list(lines(library, library.games()[0].id, pictures=False))
    head = json.loads(found[0])
    head["game"] |= {"id": ID, "name": "Opening round"}
    found[0] = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    SAMPLE.write_text("".join(line + "\n" for line in found), encoding="utf-8", newline="\n")
    print(f"{SAMPLE}: {len(found)} lines, {SAMPLE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
