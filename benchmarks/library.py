"""How soon a library of many games answers: `python -m benchmarks.library --games 10000 --json`.

Makes a library in a folder that goes away again, serves it, and asks for its first, middle and last page and
for searches over HTTP, as the page does, and for one game. Prints what each answer took, milliseconds.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import insert

from server.pipeline.runner import Runner
from server.recording.journal import Recorded
from server.recording.library import schema
from server.recording.library.games import Library
from server.recording.library.records import GameRecord, Newest, rows_of
from server.recording.library.search import BEGIN, SETUP, index_game
from server.replay.routes import replay_router
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.server.fakes import HandMoved, KnowsAll

TABLE = Path(__file__).parent.parent / "samples" / "opening-round" / "table.toml"
PLAYERS = ("Anna", "Ben", "Chloé", "Dmitri", "Erin", "Farid", "Greta", "Hugo", "Ines", "Jörg")
TABLES = ("Kitchen", "Club room", "Attic", "Sports hall")
ENTRIES = 12


def fill(library: Library, count: int) -> None:
    """So many games of two players each, at four tables, in ten years."""
    text = TABLE.read_text(encoding="utf-8")
    chance = random.Random(1)
    began = datetime(2016, 1, 1, 20, tzinfo=UTC)
    with library.writing() as connection, connection.begin():
        for k in range(count):
            at = began + timedelta(days=3650) * k / count
            table = chance.choice(TABLES)
            record = GameRecord(f"g{k:06d}", f"Game {k}", table, at, at, text, None)
            connection.execute(insert(schema.game).values(record.as_json()))
            players = [{"name": name, "colour": "#c8322b"} for name in chance.sample(PLAYERS, 2)]
            told: list[dict[str, Any]] = [{"draft": {"players": players}}, {"game": "white_line_fever"}]
            entries = [
                Recorded(n + 1, kind, float(n), None, at, "", data, None)
                for n, (kind, data) in enumerate(
                    [(SETUP, told[0]), (BEGIN, told[1]), *[("camera.settled", {})] * (ENTRIES - 2)]
                )
            ]
            for into, rows in rows_of(record.id, entries, (), Newest()).items():
                connection.execute(insert(into), rows)
            index_game(connection, record.id)


def asked(count: int) -> Iterator[tuple[str, dict[str, str | int]]]:
    """What is asked, and as which parameters."""
    yield "first page", {}
    yield "middle page", {"first": count // 2}
    yield "last page", {"first": max(0, count - 50)}
    yield "player", {"player": "chloe"}
    yield "two players", {"words": "anna jorg"}
    yield "game", {"game": "white line"}
    yield "place", {"place": "attic"}
    yield "month", {"since": "2020-05-01T00:00:00Z", "until": "2020-06-01T00:00:00Z"}
    yield "player, place and year", {"words": "ben kitchen", "since": "2021-01-01T00:00:00Z"}
    yield "last page of a player", {"player": "greta", "first": count // 5 - 50 if count > 500 else 0}
    yield "nobody", {"words": "nobody"}


def measured(count: int, runs: int) -> dict[str, Any]:
    """Milliseconds of each answer: the middle and the slowest of the runs."""
    with tempfile.TemporaryDirectory() as folder, Library.open(folder) as library:
        fill(library, count)
        source = HandMoved()
        live, book = Runner(source, KnowsAll(source)), Rulings.by_book(None)
        routers = [replay_router(library, book, time.monotonic)]
        found: dict[str, Any] = {}
        with (
            PageServer(live, book, listen(port=0), routers=routers) as server,
            httpx.Client(base_url=server.address) as client,
        ):
            questions = [(name, "/api/games", values) for name, values in asked(count)]
            for name, path, values in [*questions, ("one game", f"/api/games/g{count // 2:06d}", {})]:
                took = []
                for _ in range(runs):
                    begun = time.perf_counter()
                    answer = client.get(path, params=values)
                    took.append(1000 * (time.perf_counter() - begun))
                    answer.raise_for_status()
                found[name] = {
                    "median_ms": round(statistics.median(took), 1),
                    "worst_ms": round(max(took), 1),
                    "total": answer.json().get("total"),
                    "kB": round(len(answer.content) / 1000, 1),
                }
    return {"games": count, "runs": runs, "answers": found}


def main() -> None:
    """Prints a line for each question, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured(options.games, options.runs)
    if options.json:
        print(json.dumps(found))
        return
    for name, one in found["answers"].items():
        print(f"{name:24s} {one['median_ms']:7.1f} ms, at worst {one['worst_ms']:7.1f}  {one['kB']} kB")


if __name__ == "__main__":
    main()
