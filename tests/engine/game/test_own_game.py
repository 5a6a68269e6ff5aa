"""The sample game: it conforms, and a fault in it is found by the tests that it inherits."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from engine.game.conformance import GameConformance
from engine.game.contract import Seen
from engine.game.events import Action, Event, Illegal, Reason
from engine.game.match import Match
from engine.game.registry import game_called
from engine.game.showing import Words

FOLDER = str(Path(__file__).resolve().parents[3] / "samples" / "own-game")
GAME = game_called("far_edge", [FOLDER])
FarEdge = type(GAME)
SETUP = {
    "players": ["Ann", "Bob"],
    "pieces": [{"name": "Red", "owner": "Ann"}, {"name": "Blue", "owner": "Bob"}],
    "length": 6,
}


def test_the_first_over_the_edge_wins():
    match = Match.begin(GAME, SETUP)
    match.seal(Action("go", "Ann", {"inches": 6}), "a")
    match.seal(Action("go", "Bob", {"inches": 5}), "b")
    assert (match.state.winner, match.options()) == ("Ann", ())


class CheckRaises(FarEdge):
    def check(self, state, action, seen):
        return (Reason("stay", "Far Edge 1"),) if action.data["inches"] == 0 else ()


class CitesNothing(FarEdge):
    def done(self, state, action, seen, dice):
        return tuple(replace(e, citation="Chess") for e in super().done(state, action, seen, dice))


class Forgets(FarEdge):
    def as_json(self, state):
        return {**super().as_json(state), "round": 1}


class DependsOnLuck(FarEdge):
    luck = random.Random(1)

    def done(self, state, action, seen, dice):
        told = super().done(state, action, seen, dice)
        return (Event("stalled", {}, f"Luck {self.luck.random()}", "Far Edge 1"),) if told else told


class NeverRight(FarEdge):
    def ghosts(self, state, seen):
        return tuple(
            replace(g, right=False) if g.right is not None else g for g in super().ghosts(state, seen)
        )

    def options(self, state, seen):
        return super().options(state, Seen())


class ShowsNoJson(FarEdge):
    def sheets(self, state, viewer):
        return tuple(
            replace(s, widgets=(Words(words="x", text=float("nan")),)) for s in super().sheets(state, viewer)
        )


class Opens(FarEdge):
    def options(self, state, seen):
        return tuple(replace(o, sealed=None) for o in super().options(state, seen))


class TellsDistances(FarEdge):
    about = replace(FarEdge.about, measuring="after declaring")

    def options(self, state, seen):
        far = "" if seen.table is None else f" ({seen.table.standings[0].pose.x:.2f} in)"
        return tuple(replace(o, words=o.words + far) for o in super().options(state, seen))


class Peeks(FarEdge):
    peeked = ""

    def check(self, state, action, seen):
        self.peeked = str(action.data)
        return super().check(state, action, seen)

    def status(self, state, viewer):
        return replace(super().status(state, viewer), more=self.peeked)


class GoesOn(FarEdge):
    def concede(self, state, player):
        return (Event("stalled", {}, f"{player} leaves", "Far Edge 1"),)


class PromisesCounters(FarEdge):
    about = replace(FarEdge.about, cutouts=True)


class PromisesMaps(FarEdge):
    about = replace(FarEdge.about, lays=True)


@pytest.mark.parametrize(
    ("faulty", "test"),
    [
        (PromisesMaps, "test_maps_of_ones_own_are_named_exactly_where_they_are_laid"),
        (PromisesCounters, "test_counters_to_cut_out_are_named_exactly_where_they_are_made"),
        (GoesOn, "test_a_player_gives_up"),
        (TellsDistances, "test_no_hidden_distance_is_told"),
        (Peeks, "test_nobody_else_sees_a_sealed_choice"),
        (CheckRaises, "test_check_answers_whatever_it_is_asked"),
        (CitesNothing, "test_random_games_hold_together"),
        (Forgets, "test_random_games_hold_together"),
        (DependsOnLuck, "test_random_games_hold_together"),
        (NeverRight, "test_a_piece_on_its_ghost_is_accepted"),
        (ShowsNoJson, "test_random_games_hold_together"),
        (Opens, "test_only_options_of_sealed_kinds_are_sealed"),
        (CitesNothing, "test_the_golden_playthrough_of_every_viewer"),
    ],
)
def test_a_faulty_game_is_found(faulty, test):
    suite = type("Suite", (GameConformance,), {"game": faulty(), "limit": 40, "__module__": __name__})()
    method = getattr(suite, test)
    seeded = test in ("test_random_games_hold_together", "test_nobody_else_sees_a_sealed_choice")
    with pytest.raises((AssertionError, KeyError, TypeError, ValueError, Illegal)):
        method(*([1] if seeded else []))
