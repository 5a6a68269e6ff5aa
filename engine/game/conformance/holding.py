"""What is held after every batch of a game."""

from __future__ import annotations

import random
from typing import Any

from engine.game.conformance.playing import Playing, plain, players_of
from engine.game.contract import Seen
from engine.game.dice import SeededDice
from engine.game.events import Event, Illegal, event_from_json, event_to_json
from engine.game.forms import check_answers
from engine.game.match import Match
from engine.game.players import Stuck, filled


class Holding(Playing):
    """Options, forms, events, citations, the log told again, decisions and undo."""

    def hold(self, match: Match[Any], chance: random.Random) -> None:
        """Options and their forms are lawful exactly when the check has no reason; all of it is JSON."""
        assert players_of(match), "the order of play in the status names nobody"
        for viewer in self.viewers(match):
            plain(self.shown(match, viewer))
        for option in match.options():
            for reason in option.not_now:
                self.hold_citation(reason.citation)
            if option.citation:
                self.hold_citation(option.citation)
            self.hold_option(match, option, chance)

    def hold_option(self, match: Match[Any], option: Any, chance: random.Random) -> None:
        """An option as its form is filled: told reasons are the check's, and none means that it is done."""
        try:
            action = filled(option, chance)
        except Stuck:
            return
        said = {n: v for n, v in action.data.items() if n not in option.data}
        assert check_answers(option.form, said, "") == (), f"{option.words}: its form refuses {said}"
        reasons = self.game.check(match.state, action, Seen())
        assert bool(reasons) or not [r for r in option.not_now if not r.open], f"{option.words} is lawful"
        for reason in reasons:
            self.hold_citation(reason.citation)
        if option.sealed is not None:
            return
        try:
            self.game.act(match.state, action, Seen(), SeededDice(1))
        except Illegal as illegal:
            assert reasons, f"{option.words} is lawful but refused: {illegal}"
        else:
            assert not reasons, f"{option.words} is done although: {reasons[0].words}"

    def hold_events(self, events: tuple[Event, ...]) -> None:
        """Events are JSON, say something, and cite the book."""
        for event in events:
            assert event_from_json(plain(event_to_json(event))) == event
            assert event.words, f"{event.kind} says nothing"
            self.hold_citation(event.citation)

    def hold_citation(self, citation: str) -> None:
        """A citation is of a section of the book, or of a house default."""
        book = self.game.about.book
        if citation.startswith("house default") or citation == book:
            return
        head, dot, section = citation.partition(f"{book} · ")
        assert dot, f"{citation!r} cites neither {book!r} nor a house default"
        assert not head, citation
        known = self.game.about.sections
        assert any(section == s or section.startswith(f"{s} · ") for s in known), f"no section {section!r}"

    def hold_told_again(self, match: Match[Any]) -> None:
        """The log through JSON gives the same match, and so do its actions with the same dice."""
        lines = [plain(event_to_json(event)) for event in match.log]
        replayed = Match.replay(self.game, [event_from_json(line) for line in lines], match.secrets)
        assert (replayed.state, replayed.log) == (match.state, match.log), "the log replays to another end"
        again = Match.again(self.game, match.log)
        assert (again.state, again.log) == (match.state, match.log), "the same actions give another end"

    def hold_decided(self, match: Match[Any], chance: random.Random) -> None:
        """A decision takes a batch and all after it back, is told again like any other, and can be undone."""
        match = Match.replay(self.game, match.log, match.secrets)
        counted, state = match.counted, match.state
        if len(counted) < 2:
            return
        place = chance.randrange(1, len(counted))
        match.decide("It is taken back", counted[place].number)
        assert match.state == counted[place - 1].state, "a decision leads elsewhere than back"
        self.hold_told_again(match)
        match.undo()
        assert (match.state, len(match.counted)) == (state, len(counted)), (
            "undoing a decision leads elsewhere"
        )

    def hold_undo(self, match: Match[Any]) -> None:
        """Back to the beginning and forward again, the same states are passed."""
        passed = []
        while match.undoable is not None:
            passed.append(match.state)
            match.undo()
            assert self.over(match) is False
        for state in reversed(passed):
            match.redo()
            assert match.state == state, "redo leads elsewhere than undo came from"
        assert match.redoable is None
