"""`python -m benchmarks.games --game NAME [--own] [--games N] [--seed S]`: random games of any game.

Each is played to its end by the engine alone, from its forms. After every action the fold of its events is
held, after every action, or only every `--json-every`th, the JSON of events and state; now and then undo,
redo, a refusal and an overruling; after the game the log's JSON, its replay, and the same actions with the
same dice. With `--own` the players are those that the game's tests know: what they build, shoot and drive is
drawn so that more happens, and after every action what must be true of that game is held as well. One core.
"""

from __future__ import annotations

import importlib
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from benchmarks.command import command
from engine.game.contract import Game
from engine.game.dice import Dice, SeededDice
from engine.game.events import Action, Event, Illegal, event_from_json, event_to_json
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.game.registry import game_called
from engine.game.showing import Counter as CounterWidget
from engine.game.showing import Viewer

Held = Callable[[Any], None]
"""Raises an `AssertionError` that says what is wrong with a state."""


def _nothing(_state: Any) -> None:
    """Nothing more has to be true."""


def _as_set_up(game: Game[Any], _number: int, chance: random.Random) -> dict[str, Any]:
    """A set-up as its form can be filled."""
    return random_setup(game, chance)


def unlawful(match: Match[Any], chance: random.Random) -> Iterator[Action]:
    """Actions by the wrong player, or of a wrong kind."""
    players = [place.player for place in match.game.status(match.state, Viewer()).order]
    if options := match.options():
        yield Action("no such thing")
        yield Action(chance.choice(options).kind, "nobody")
    for one in options:
        yield from (Action(one.kind, p, one.data) for p in players if one.player not in (None, p))


def overruled(match: Match[Any], chance: random.Random) -> None:
    """A counter of a sheet is set by hand, to the same or one lower."""
    sheets = match.game.sheets(match.state, Viewer())
    counters = [w for s in sheets for w in s.widgets if isinstance(w, CounterWidget) and w.path and not s.out]
    if counters:
        counter = chance.choice(counters)
        match.overrule(counter.path, max(counter.low, counter.value - chance.randint(0, 1)), "a whim")


@dataclass(frozen=True)
class Players:
    """Random players of a game, and what is held of the games that they play."""

    game: Game[Any]
    setup: Callable[[Game[Any], int, random.Random], dict[str, Any]] = _as_set_up
    """The set-up of the game of a number."""
    act: Callable[[Match[Any], random.Random, Dice], Sequence[Event]] = step
    """Does something lawful."""
    hold: Held = _nothing
    """What is true between two actions."""
    hold_event: Callable[[Any, Event, Any], None] | None = None
    """What is true of each event, between the states before and after it."""
    unlawful: Callable[[Match[Any], random.Random], Iterator[Action]] = unlawful
    """Actions at a wrong time or by the wrong player."""
    overruled: Callable[[Match[Any], random.Random], None] = overruled
    """Sets something by hand."""
    seed: str = "{}"
    """What the chance and the dice of the game of a number are seeded with."""
    whims: bool = True
    """Whether they undo, redo, try what is unlawful, and overrule now and then."""
    thorough: int = 1
    """Every so many games everything is checked; in the others `hold` alone is."""
    json_every: int = 1
    """Every so many actions the JSON is checked."""
    limit: int = 4000
    """Actions after which a game must be over."""

    def play(self, number: int, *, checked: bool = True) -> Match[Any]:
        """The game of that number to its end, all that is `checked` held."""
        seed = self.seed.format(number)
        chance = random.Random(int(seed) if seed.isdigit() else seed)
        dice = SeededDice(int(seed) if seed.isdigit() else seed)
        match = Match.begin(self.game, self.setup(self.game, number, chance))
        return self.finish(match, chance, dice, number, checked=checked)

    def finish(
        self, match: Match[Any], chance: random.Random, dice: Dice, number: int = 0, *, checked: bool = True
    ) -> Match[Any]:
        """A game that has begun, to its end."""
        thorough = checked and number % self.thorough == 0
        for done in range(self.limit):
            if self.game.status(match.state, Viewer()).over:
                if thorough:
                    told_again(match, number)
                return match
            before = match.state
            events = self.act(match, chance, dice)
            if checked:
                self._held(match, before, events, thorough)
            if thorough:
                if (done + number) % self.json_every == 0:
                    check_json(match, events)
                if self.whims:
                    self._whim(match, chance)
        raise AssertionError(f"game {number} is not over after {self.limit} actions")

    def _held(self, match: Match[Any], before: Any, events: Sequence[Event], thorough: bool) -> None:
        if self.hold_event is not None:
            check_batch(match, before, events, self.hold_event)
        elif thorough:
            check_batch(match, before, events)
        self.hold(match.state)

    def _whim(self, match: Match[Any], chance: random.Random) -> None:
        """Now and then: undo and perhaps redo, something unlawful, an overruling."""
        what = chance.random()
        if what < 0.05 and match.undoable is not None:
            before = match.state
            match.undo()
            if chance.random() < 0.7:
                match.redo()
                assert match.state == before, "undo and redo lead elsewhere"
        elif what < 0.08:
            self._refused(match, chance)
        elif what < 0.085:
            self.overruled(match, chance)

    def _refused(self, match: Match[Any], chance: random.Random) -> None:
        """What is unlawful is refused for the reasons that the check tells, and changes nothing."""
        before, log = match.state, len(match.log)
        for action in list(self.unlawful(match, chance))[:4]:
            reasons = match.check(action)
            assert all(r.words and r.citation for r in reasons)
            if not reasons:
                continue
            try:
                match.do(action, None, SeededDice(1))
            except Illegal as error:
                found = error.reasons
            else:
                found = ()
            assert found, f"{action} was not refused"
            other = f"{action} is refused for other reasons than it was told"
            assert found == reasons or action.kind in self.game.about.sealed, other
        assert (match.state, len(match.log)) == (before, log), "a refused action changed something"


def own_players(game: Game[Any]) -> Players:
    """The players that a game's tests know; an `ImportError` says that there are none."""
    found: Players = importlib.import_module(f"tests.engine.games.{game.about.id}.suite").PLAYERS
    return found


def check_batch(
    match: Match[Any],
    before: Any,
    events: Sequence[Event],
    hold_event: Callable[[Any, Event, Any], None] | None = None,
) -> None:
    """An action's events: each says something, and together they lead to the state."""
    state = before
    for event in events:
        assert event.words, f"{event.kind} says nothing"
        if event.kind in ("action", "sealed", "withdraw", "withdrawn"):
            continue
        after = match.game.apply(state, event)
        if hold_event is not None:
            hold_event(state, event, after)
        state = after
    assert state == match.state, "the fold of the events is another state"


def check_json(match: Match[Any], events: Sequence[Event]) -> None:
    """An action's events, and the state that they lead to, come back from JSON as they were."""
    game, state = match.game, match.state
    for event in events:
        assert event_from_json(json.loads(json.dumps(event_to_json(event)))) == event, event
    assert game.from_json(json.loads(json.dumps(game.as_json(state)))) == state, "the state's JSON"


def told_again(match: Match[Any], number: int) -> None:
    """The log through JSON gives the same match, and so do its actions with the same dice."""
    lines = [json.dumps(event_to_json(e), ensure_ascii=False) for e in match.log]
    replayed = Match.replay(match.game, [event_from_json(json.loads(line)) for line in lines], match.secrets)
    assert (replayed.state, replayed.log) == (match.state, match.log), f"game {number} replays to another end"
    again = Match.again(match.game, match.log)
    assert (again.state, again.log) == (match.state, match.log), f"game {number} plays to another end"


def played(
    *,
    game: Annotated[str, "the game's id or title"],
    folder: Annotated[list[str] | None, "a folder with more games"] = None,
    own: Annotated[bool, "by the players that the game's tests know"] = False,
    games: int = 1000,
    seed: Annotated[int, "number of the first game"] = 0,
    json_every: Annotated[int, "actions from one check of the JSON to another, 1 or more"] = 1,
    bare: Annotated[bool, "play without checks, for the engine's own speed"] = False,
) -> dict[str, Any]:
    """Plays them, and counts what happened."""
    one = game_called(game, folder or [])
    players = own_players(one) if own else Players(one, json_every=max(json_every, 1))
    kinds: Counter[str] = Counter()
    lengths, winners = [], Counter[str]()
    start = time.process_time()
    for number in range(seed, seed + games):
        try:
            match = players.play(number, checked=not bare)
        except Exception as error:
            error.add_note(f"in game {number}")
            raise
        kinds.update(e.kind for e in match.log)
        lengths.append(len(match.log))
        winners["a player wins" if one.status(match.state, Viewer()).winner else "nobody wins"] += 1
    took = time.process_time() - start
    return {
        "game": one.about.title, "games": games, "games_a_second": round(games / took, 1),
        "events": sum(lengths), "events_a_second": round(sum(lengths) / took),
        "events_a_game": {"median": statistics.median(lengths), "most": max(lengths)},
        **winners, "kinds": dict(kinds.most_common()),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(command(played))
