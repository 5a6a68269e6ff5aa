"""`python -m benchmarks.games --game NAME [--games N] [--seed S]`: random games of any game, from its forms.

Each game is played to its end by the engine alone. After every action the fold of its events is held, after
every action, or only every `--json-every`th, the JSON of events and state; now and then undo, redo, a
refusal and an overruling; after the game the log's JSON, its replay, and the same actions with the same dice.
One core.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Game
from engine.game.dice import SeededDice
from engine.game.events import Action, Event, Illegal, event_from_json, event_to_json
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.game.registry import game_called
from engine.game.showing import Counter as CounterWidget
from engine.game.showing import Viewer


def play(
    game: Game[Any], number: int, *, checked: bool = True, json_every: int = 1, limit: int = 4000
) -> Match[Any]:
    """One game to its end, everything checked, the JSON after every `json_every`th action."""
    chance, dice = random.Random(number), SeededDice(number)
    match = Match.begin(game, random_setup(game, chance))
    for done in range(limit):
        if game.status(match.state, Viewer()).over:
            return match
        before = match.state
        events = step(match, chance, dice)
        if checked:
            check_batch(match, before, events)
            if (done + number) % json_every == 0:
                check_json(match, events)
            whim(match, chance)
    raise AssertionError(f"the game is not over after {limit} actions")


def check_batch(match: Match[Any], before: Any, events: Sequence[Event]) -> None:
    """An action's events: each says something, and together they lead to the state."""
    state = before
    for event in events:
        assert event.words, f"{event.kind} says nothing"
        if event.kind not in ("action", "sealed", "withdraw", "withdrawn"):
            state = match.game.apply(state, event)
    assert state == match.state, "the fold of the events is another state"


def check_json(match: Match[Any], events: Sequence[Event]) -> None:
    """An action's events, and the state that they lead to, come back from JSON as they were."""
    game, state = match.game, match.state
    for event in events:
        assert event_from_json(json.loads(json.dumps(event_to_json(event)))) == event, event
    assert game.from_json(json.loads(json.dumps(game.as_json(state)))) == state, "the state's JSON"


def whim(match: Match[Any], chance: random.Random) -> None:
    """Now and then: undo and perhaps redo, something unlawful, an overruling."""
    what = chance.random()
    if what < 0.05 and match.undoable is not None:
        before = match.state
        match.undo()
        if chance.random() < 0.7:
            match.redo()
            assert match.state == before, "undo and redo lead elsewhere"
    elif what < 0.08:
        refused(match, chance)
    elif what < 0.085:
        overruled(match, chance)


def overruled(match: Match[Any], chance: random.Random) -> None:
    """A counter of a sheet is set by hand, to the same or one lower."""
    sheets = match.game.sheets(match.state, Viewer())
    counters = [w for s in sheets for w in s.widgets if isinstance(w, CounterWidget) and w.path and not s.out]
    if counters:
        counter = chance.choice(counters)
        match.overrule(counter.path, max(counter.low, counter.value - chance.randint(0, 1)), "a whim")


def refused(match: Match[Any], chance: random.Random) -> None:
    """An action by the wrong player, or of a wrong kind, is refused and changes nothing."""
    before, log = match.state, len(match.log)
    players = [place.player for place in match.game.status(before, Viewer()).order]
    options = match.options()
    attempts = [Action("no such thing"), Action(chance.choice(options).kind, "nobody")] if options else []
    attempts += [Action(o.kind, p, o.data) for o in options for p in players if o.player not in (None, p)]
    for action in attempts[:4]:
        reasons = match.check(action)
        if not reasons:
            continue
        try:
            match.do(action, None, SeededDice(1))
        except Illegal:
            continue
        raise AssertionError(f"{action} was not refused")
    assert (match.state, len(match.log)) == (before, log), "a refused action changed something"


def told_again(match: Match[Any], number: int) -> None:
    """The log through JSON gives the same match, and so do its actions with the same dice."""
    lines = [json.dumps(event_to_json(e), ensure_ascii=False) for e in match.log]
    replayed = Match.replay(match.game, [event_from_json(json.loads(line)) for line in lines], match.secrets)
    assert (replayed.state, replayed.log) == (match.state, match.log), f"game {number} replays to another end"
    again = Match.again(match.game, match.log)
    assert (again.state, again.log) == (match.state, match.log), f"game {number} plays to another end"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", required=True, help="the game's id or title")
    parser.add_argument("--folder", action="append", default=[], help="a folder with more games")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first game")
    parser.add_argument(
        "--json-every", type=int, default=1, help="actions from one check of the JSON to another"
    )
    parser.add_argument("--bare", action="store_true", help="play without checks, for the engine's own speed")
    options = parser.parse_args()
    if options.json_every < 1:
        parser.error(f"expected --json-every of 1 or more but got {options.json_every}")
    try:
        game = game_called(options.game, options.folder)
    except TableRefError as error:
        parser.error(str(error))
    kinds: Counter[str] = Counter()
    lengths, winners = [], Counter[str]()
    start = time.process_time()
    for number in range(options.seed, options.seed + options.games):
        try:
            match = play(game, number, checked=not options.bare, json_every=options.json_every)
            if not options.bare:
                told_again(match, number)
        except Exception as error:
            error.add_note(f"in game {number}")
            raise
        kinds.update(e.kind for e in match.log)
        lengths.append(len(match.log))
        winner = game.status(match.state, Viewer()).winner
        winners["a player wins" if winner else "nobody wins"] += 1
    took = time.process_time() - start
    often = "" if options.json_every == 1 else f", the JSON after every {options.json_every}th action"
    how = "without checks" if options.bare else f"with every check{often}"
    title = game.about.title
    print(f"{options.games} games of {title} played to their end {how}: {options.games / took:.1f} a second")
    print(
        f"{sum(lengths)} events ({sum(lengths) / took:.0f} a second), "
        f"a game {statistics.median(lengths):.0f} in the middle and {max(lengths)} at most; {dict(winners)}"
    )
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))


if __name__ == "__main__":
    main()
