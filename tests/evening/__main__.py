"""`python -m benchmarks.evenings --game NAME --evenings N --seed S [--json]`: evenings that a machine plays.

An evening that fails prints what was done, with `--shorten` the shortest script that fails, and the call that
plays that again. `--twins` plays pairs that differ only in a secret. With `--unnamed` hands put down mugs and
books that nobody names, and take them away: no sight past them may be told surely while they lie there. The
owner says what some of them are, and hands carry them farther. With `--outages` no picture comes at times, or
only damaged ones, while hands go on. With `--around` phones change hands and seats, terrain is moved, two
push at once, games are ended half-way and deleted, the disk is full, taps come through too late, dice
are typed wrong, choices are made anew, and somebody looks through the replay.
With `--camera` the camera is bumped and the light goes: what was measured is not lost, what is frozen stays.
With `--owners` the set-up is changed in the middle of a game, two pages do the same at once, phones tell old
requests again or sit down under another's name, somebody gives up and takes it back, games that are over are
looked at: everything is done once, a match stays in its record, and what is over shows what it showed.
In one evening of five a machine plays; with `--machine` only those numbers are played.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import sys
import time
from contextlib import nullcontext
from dataclasses import replace

from engine.game.registry import games, games_from
from tests.evening import Played, play, shortest, unlike
from tests.evening.around import AROUND
from tests.evening.camera import CAMERA
from tests.evening.evening import MACHINE_EVERY, TAKES_PART, more_often
from tests.evening.owners import OWNERS

COUNTED = ("game", "number", "acts", "events", "requests", "violation")
"""What is told of each evening."""

UNNAMED, OUTAGES = 8, 8
"""How often something unnamed is put down or taken away, and pictures fail, as an act's weight."""


def main() -> None:
    """Read the command line."""
    # As in the tests: what was imported is there for good, and nobody looks through it for garbage again.
    gc.set_threshold(10_000, 10, 5)
    gc.freeze()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.evenings",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--game", action="append", help="by its name; all that are registered unless given")
    parser.add_argument("--games", help="a folder with games of one's own")
    parser.add_argument("--evenings", type=int, default=3)
    parser.add_argument("--acts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="the number of the first evening")
    parser.add_argument("--script", help="the acts, as a failing evening prints them")
    parser.add_argument("--shorten", action="store_true", help="look for the shortest script of what breaks")
    parser.add_argument("--twins", action="store_true", help="play pairs that differ only in a secret")
    parser.add_argument("--unnamed", action="store_true", help="put mugs and books down that nobody names")
    parser.add_argument("--outages", action="store_true", help="let pictures fail at times")
    parser.add_argument("--around", action="store_true", help="phones change hands, the disk is full, ...")
    parser.add_argument("--camera", action="store_true", help="bump the camera, and switch the light")
    parser.add_argument("--owners", action="store_true", help="change the set-up, act on two pages, ...")
    parser.add_argument("--machine", action="store_true", help="play only evenings in which a machine plays")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.unnamed:
        more_often("unnamed", UNNAMED)
        more_often("names", UNNAMED)
    if args.around:
        for name, weight in AROUND.items():
            more_often(name, weight)
    for asked, some in ((args.camera, CAMERA), (args.owners, OWNERS)):
        for name, weight in some.items() if asked else ():
            more_often(name, weight)
    if args.outages:
        more_often("outage", OUTAGES)
    numbers = range(args.seed, args.seed + args.evenings)
    if args.machine:
        first = args.seed + (TAKES_PART - args.seed) % MACHINE_EVERY
        numbers = range(first, first + MACHINE_EVERY * args.evenings, MACHINE_EVERY)
    script = None if args.script is None else args.script.split(",")
    with games_from(args.games) if args.games else nullcontext():
        names = args.game or [g.about.id for g in games() if g.about is not None]
        broken, told = 0, []
        for name in names:
            for number in numbers:
                began = time.perf_counter()
                with contextlib.redirect_stdout(io.StringIO()):  # the program says where each game is kept
                    found = _one(name, number, args.acts, script, twins=args.twins, shorten=args.shorten)
                broken += bool(found.violation)
                told.append({k: getattr(found, k) for k in COUNTED})
                if not args.json:
                    _print(found, time.perf_counter() - began)
        if args.json:
            sums = {name: sum(one[name] for one in told) for name in ("acts", "events", "requests")}
            print(json.dumps({"violations": broken, "sums": sums, "evenings": told}, indent=1))
    sys.exit(broken > 0)


def _one(
    name: str, number: int, acts: int, script: list[str] | None, *, twins: bool, shorten: bool
) -> Played:
    if twins:
        return unlike(name, number, acts)
    found = play(name, number, acts, script)
    return shortest(found) if found.violation and shorten else replace(found)


def _print(found: Played, took: float) -> None:
    counted = f"{found.acts} acts, {found.events} events, {took:.1f} s"
    print(f"{found.game} {found.number}: {counted} {found.violation}", flush=True)
    if found.violation:
        for line in found.done[-12:]:
            print(f"    {line}")
        script = ",".join(map(str, found.script))
        print(f"    again: --game {found.game} --seed {found.number} --evenings 1 --script {script}")


if __name__ == "__main__":
    main()
