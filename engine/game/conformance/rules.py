"""What must be true of any game's rules, log and secrets."""

from __future__ import annotations

import inspect
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.errors import TableRefError
from engine.game.conformance.holding import Holding
from engine.game.conformance.playing import SEEDS, plain, playthroughs
from engine.game.contract import Option, Seen
from engine.game.dice import SeededDice
from engine.game.events import Action, Illegal, Reason, event_to_json
from engine.game.filling import Stuck, filled
from engine.game.forms import Die, Input, Number, Numbers, Pick, PickPieces, SetUpForm, Text
from engine.game.match import Match
from engine.game.players import random_setup
from engine.game.records import to_json
from engine.game.registry import OURS, games
from engine.game.showing import Cards, Counter, Slots, Track, Viewer, Widget, Words

ODD: tuple[Any, ...] = (None, True, -1, 7.5, "", "nobody's", [], ["x", "x"], {}, {"a": [None]}, "9" * 400)
"""Values that no form asks for."""

GONE = "Gone 9"
"""A piece that a page still showed a moment ago."""


class RulesConformance(Holding):
    """Tests without a table."""

    # The game itself

    def test_it_says_what_it_is(self) -> None:
        about = self.game.about
        assert about.id == about.id.lower().replace(" ", "_")
        assert all((about.title, about.book, about.version))
        assert about.sections, "name the sections of the book, so that citations can be checked"
        assert 1 <= about.players[0] <= about.players[1]
        if not self.game.states.of.__module__.startswith("engine."):
            ours = {found.id for found in games() if found.where == OURS}
            assert about.id not in ours, f"tableref has a game {about.id!r} already: give `about` another id"

    def test_what_is_asked_before_it_begins_has_words_and_names_of_its_own(self) -> None:
        players = ["Ann", "Bob", "Cleo", "Dirk"][: max(self.game.about.players[0], 2)]
        pieces = [{"name": f"{player} 1", "owner": player} for player in players]
        self.hold_asked(self.game.setup({"players": players, "pieces": pieces}))
        self.hold_asked(self.game.setup(random_setup(self.game, random.Random(1))))
        for kind, rule in self.game.rules.items():
            assert rule.words.strip(), f"the rule of {kind!r} has no words"

    def test_a_page_may_ask_what_to_set_up_before_anybody_is_named(self) -> None:
        for players in ([], ["Ann"]):
            self.hold_asked(self.game.setup({"players": players, "pieces": []}))

    def test_hints_and_facts_are_of_kinds_of_action_that_there_are(self) -> None:
        for what, named in (("about.hints", dict(self.game.about.hints)), ("facts", self.game.facts)):
            unknown = [kind for kind in named if kind not in self.game.rules]
            assert not unknown, f"`{what}` names {unknown}; expected kinds among {', '.join(self.game.rules)}"

    def hold_asked(self, form: SetUpForm) -> None:
        """What is asked before a game has words, and no name that a set-up has already."""
        whole = [("the game", form.game, {"players", "pieces", "laid"})]
        whole += [(name, one, {"name", "owner"}) for name, one in form.pieces.items()]
        for what, asked, taken in whole:
            for name, one in asked.fields.items():
                assert name not in taken, f"{what}: {name!r} is the core's, call the field otherwise"
                assert one.words.strip(), f"{what}: the input {name!r} has no words"
        for reason in form.not_yet:
            self.hold_citation(reason.citation)

    @pytest.mark.parametrize("seed", SEEDS)
    def test_random_games_hold_together(self, seed: int) -> None:
        match = self.begun(seed)
        chance = random.Random(seed)
        dice = SeededDice(seed)
        for _ in range(self.limit):
            if self.over(match):
                break
            before, was = match.state, self.json(match)
            self.hold(match, chance)
            events = self.stepped(match, chance, dice)
            self.hold_events(events)
            assert plain(self.game.as_json(before)) == was, (
                "an event gives a new state, as `replace` does, and leaves the one before it as it is"
            )
            self.hold_kept(match)
        self.hold_told_again(match)
        self.hold_decided(match, chance)
        self.hold_undo(match)

    # Secrets

    @pytest.mark.parametrize("seed", SEEDS)
    def test_nobody_else_sees_a_sealed_choice(self, seed: int) -> None:
        if not self.game.about.sealed:
            return
        # A set-up may leave nothing to choose, such as one piece each: then another is tried.
        compared = 0
        for begun in range(seed, seed + 1000, 100):
            compared += self.compared_in(begun)
            if compared:
                break
        assert compared, "no sealed choice with two different answers came up"

    def compared_in(self, seed: int) -> int:
        """Sealed choices of a random game that were compared."""
        match, chance = self.begun(seed), random.Random(seed)
        dice, compared = SeededDice(seed), 0
        for _ in range(min(self.limit, 200)):
            if self.over(match):
                break
            compared += self.compared_sealed(match, chance)
            self.stepped(match, chance, dice)
        return compared

    def compared_sealed(self, match: Match[Any], chance: random.Random) -> int:
        """Two answers to each sealed option: everybody else sees the same whichever was given."""
        compared = 0
        for option in match.options():
            if option.sealed is None or option.not_now:
                continue
            actions = [a for a in (filled(option, chance) for _ in range(12)) if not match.check(a)]
            other = next((a for a in actions if a.data != actions[0].data), None)
            if other is None:
                continue
            outputs = []
            for action in (actions[0], other):
                copy = Match.replay(self.game, match.log, match.secrets)
                event, sealed = copy.propose_seal(action, "salt")
                copy.commit((event,), [sealed])
                viewers = [v for v in self.viewers(match) if v.player != option.player]
                told = json.dumps([self.shown(copy, v) for v in viewers] + [self.json(copy)])
                outputs.append(told.replace(sealed.hash, "hash"))
            assert outputs[0] == outputs[1], f"{option.words}: others see what {option.player} chose"
            compared += 1
        return compared

    def test_only_options_of_sealed_kinds_are_sealed(self) -> None:
        for match in self.positions():
            for option in match.options():
                assert (option.sealed is not None) == (option.kind in self.game.about.sealed), (
                    f"{option.words}: its kind {option.kind!r} stands in `about.sealed` exactly where "
                    "its options name what they are `sealed` in"
                )
                assert option.sealed is None or option.player is not None, "a sealed choice is a player's"

    # Giving up

    def test_a_player_gives_up(self) -> None:
        if self.game.give_up is None:
            return
        for number, match in enumerate(self.positions()):
            there = [p.player for p in self.game.status(match.state, Viewer()).order if not p.out]
            assert match.may_concede == (() if self.over(match) else tuple(there))
            players = match.may_concede
            turn = number % max(len(players), 1)
            for player in players[turn : turn + 1] if self.in_turn else players:
                self.hold_conceded(Match.replay(self.game, match.log, match.secrets), player, number)

    def hold_conceded(self, match: Match[Any], player: str, seed: int) -> None:
        """Nothing is theirs any more, the others play on without them, and the last one has won."""
        state, chance, dice = match.state, random.Random(seed), SeededDice(seed)
        self.hold_events(match.concede(player))
        for _ in range(20):
            if self.over(match):
                break
            if (group := match.revealing()) is not None:
                match.reveal(group, None, dice)
                continue
            assert match.options(), f"nobody has anything to do once {player} has given up"
            assert all(o.player != player for o in match.options()), f"{player} has given up"
            assert player not in match.may_concede
            self.stepped(match, chance, dice)
        while others := match.may_concede[1:]:
            match.concede(others[0], "Somebody")
        status = self.game.status(match.state, Viewer())
        assert status.over, "one player is left"
        assert status.winner != player
        self.hold_told_again(match)
        while match.state != state:
            match.undo()

    # Odd actions

    def test_check_answers_whatever_it_is_asked(self) -> None:
        before: Sequence[Option] = ()
        for match in self.positions():
            for name, action in asked_in_vain(match, before):
                for reason in self.game.check(match.state, action, Seen()):
                    self.hold_words(to_json(reason))
                    fields = (action.kind, *action.data)
                    named = [f for f in fields if reason.words.startswith((f"{f}:", f"{f!r} is"))]
                    assert not named, f"nothing that people read: {reason.words}"
                    assert not name or not reason.words.startswith(f"{name}:"), f"a field: {reason.words}"
            before = match.options()
            for action in odd_actions(match):
                reasons = self.game.check(match.state, action, Seen())
                assert isinstance(reasons, tuple)
                assert all(isinstance(r, Reason) and r.words and r.citation for r in reasons), action
                if reasons:
                    with pytest.raises(Illegal):
                        match.do(action, None, SeededDice(1))

    # What is marked by hand

    def test_what_a_sheet_offers_to_mark_by_hand_is_taken_and_told_in_words(self) -> None:
        for number, match in enumerate(list(self.positions())[::3]):
            viewers = [v for v in self.viewers(match) if v.player]
            sheets = self.game.sheets(match.state, viewers[number % len(viewers)])
            sheet = next((s for s in sheets if s.owner == viewers[number % len(viewers)].player), None)
            for widget in () if sheet is None else (*sheet.widgets, *sheet.by_hand):
                for value in _markable(widget):
                    told = match.overruling(getattr(widget, "path", ()), value, "so it is on the table")
                    self.hold_words(event_to_json(told[0]))
                for value in ("nobody's", -99, ["nobody's"]) if getattr(widget, "path", ()) else ():
                    try:
                        match.overruling(widget.path, value, "so it is on the table")  # type: ignore[union-attr]
                    except TableRefError as error:
                        assert sheet is not None
                        assert str(error).startswith(f"{sheet.title} · "), str(error)

    # What everybody sees

    def test_the_golden_playthrough_of_every_viewer(self) -> None:
        folder = Path(inspect.getfile(type(self))).parent / self.playthroughs
        told = playthroughs(self.game)
        how = f"write it with: python -m engine.game.conformance {self.game.about.id} {folder}"
        module = self.game.states.of.__module__
        if not module.startswith("engine."):
            how += f" --games {_folder_of(module)}"
        for name, text in told.items():
            path = folder / f"{name}.txt"
            assert path.exists(), f"there is no golden playthrough for {name}; {how}"
            assert path.read_text(encoding="utf-8") == text, f"{path} is not what {name} sees today; {how}"

    def test_a_move_without_a_camera_is_told_as_not_measured(self) -> None:
        for match in self.positions():
            for action in match.lawful():
                measured = self.game.measured(match.state, action, Seen())
                awaited = action.kind in {one.kind for one in self.game.awaits(match.state)}
                assert measured is False or not (measured or awaited), (
                    f"{action.kind}: nothing was seen of it"
                )


def _folder_of(module: str) -> Path:
    """The folder that holds a module, or the package in which it lies."""
    package = module.partition(".")[0]
    home = Path(inspect.getfile(sys.modules[package]))
    return home.parent.parent if home.stem == "__init__" else home.parent


def _markable(widget: Widget) -> tuple[Any, ...]:
    """The ends of what a page lets be marked on a widget."""
    if isinstance(widget, Cards) or not widget.path:
        return ()
    match widget:
        case Counter():
            return (widget.low, widget.high)
        case Track():
            return (0, len(widget.boxes) - 1)
        case Words():
            return tuple(c.value for c in (*widget.choices[:1], *widget.choices[-1:]))
        case Slots():
            return ([None] * len(widget.slots), [*widget.choices[:1]] * len(widget.slots))


def asked_in_vain(match: Match[Any], before: Sequence[Option]) -> Iterator[tuple[str, Action]]:
    """What people may ask on a page and is not right, with the field of what they typed.

    Forms with a number too large, a piece that is gone, nothing at all; and what was offered `before`.
    """
    for option in match.options():
        right = _as_usual(option)
        for name, one in option.form.fields.items():
            yield name, replace(right, data={n: v for n, v in right.data.items() if n != name})
            for value in _typed_wrong(one):
                yield name, replace(right, data={**right.data, name: value})
            for value in _not_to_pick(one):
                yield "", replace(right, data={**right.data, name: value})
    yield from (("", _as_usual(option)) for option in before)


def _as_usual(option: Option) -> Action:
    try:
        return filled(option, random.Random(1))
    except Stuck:
        return Action(option.kind, option.player, dict(option.data))


def _typed_wrong(one: Input) -> Iterator[Any]:
    """What people may type into an input, and it does not take."""
    match one:
        case Number():
            yield from (one.low - 1, one.high + 1, one.low + 0.5)
        case Numbers():
            yield from ([], [one.low - 1], [one.high + 1] * one.most)
        case Text():
            yield "w" * (one.longest + 1)


def _not_to_pick(one: Input) -> Iterator[Any]:
    """What a page may still have shown a moment ago, what is barred, and too few and too many."""
    match one:
        case Pick(most=1):
            yield from [GONE, *[c.value for c in one.candidates if c.not_now][:1]]
        case Pick() | PickPieces():
            yield from ([], [GONE], [*(c.value for c in one.candidates), GONE])
        case Die():
            yield from ([], [*one.faces[:1]] * (one.count + 1))


def odd_actions(match: Match[Any]) -> Iterator[Action]:
    """Actions that nobody could mean: unknown kinds and players, fields that miss, and wrong values."""
    yield Action("no such thing")
    for option in match.options():
        yield Action(option.kind, "nobody's", dict(option.data))
        yield Action(option.kind, option.player)
        for name in (*option.data, *option.form.fields, "no such field"):
            for value in ODD:
                yield Action(option.kind, option.player, {**option.data, name: value})
