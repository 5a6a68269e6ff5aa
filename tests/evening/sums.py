"""The report's sums are those of the events that came to count, added up again from the live match."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from engine.game.events import batches, standing_batches
from engine.game.match import Match
from engine.space.table import key_of
from server.reports.account import tell
from tests.evening.house import House, Violation

ROUNDED = 0.05
"""Inches by which a sum may differ."""


def sums(at: House, match: Match[Any]) -> None:
    """Hold how far the report says that each piece went against the moves that were taken."""
    want: dict[str, float] = defaultdict(float)
    from_places: set[str] = set()
    every = list(batches(match.log))
    # What was undone stands in the log all the same.
    left = standing_batches(every)
    for number, events in enumerate(every):
        moved = {key_of(e.pieces[0]) for e in events if e.tone == "move" and e.pieces}
        if number not in left:
            continue
        # Whoever drives up against another and attacks in one deed has driven to where they stand since.
        stands = set(map(key_of, events[0].data.get("stands", ())))
        from_places |= stands & {key_of(e.pieces[0]) for e in events if e.tone == "attack" and e.pieces}
        if not moved:
            continue
        state = match.before(number)
        board = match.game.board(state, at.hands.board)
        went: dict[str, float] = defaultdict(float)
        for event in events:
            if event.tone == "move" and event.pieces:
                inches = match.game.driven(state, event, board)
                if inches is not None:
                    went[key_of(event.pieces[0])] += inches
            # One batch may drive a piece twice: the second time from where the first one left it.
            state = match.folded(state, [event])
        for name, inches in went.items():
            want[name] += inches
        from_places |= moved - went.keys()
    for tally in tell(at.library.reader(at.game_id), photos=False).tallies:
        name, told = key_of(tally.name), tally.distance_in or 0.0
        short = told < want[name] - ROUNDED
        long = name not in from_places and told > want[name] + ROUNDED
        if short or long:
            words = f"{tally.name} went {want[name]:.2f} in by its moves, the report says {told:.2f}"
            raise Violation("a sum of the report is wrong", words)
