"""Tests that every game passes for nothing: `class TestMine(GameConformance): game = GAME`.

Random players fill the game's forms; what must be true of any game is held after every batch. The golden
playthroughs lie in the folder `playthroughs` beside the test, one text a viewer: `python -m
engine.game.conformance NAME FOLDER [--games DIR]` writes them, and a difference is for you to judge.
"""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.boards.board import Board
from engine.boards.free import Free
from engine.boards.hexes import Hexes
from engine.boards.points import Points
from engine.boards.road import Road
from engine.game.contract import Game, RuleBook, Seen
from engine.game.dice import SeededDice
from engine.game.events import Action, Event, Illegal, Reason, event_from_json, event_to_json
from engine.game.forms import check_answers
from engine.game.match import Match
from engine.game.players import Stuck, filled, random_setup, step
from engine.game.records import to_json
from engine.game.showing import Viewer
from engine.game.text import playthrough
from engine.game.viewing import distances_in, log_for, permitted
from engine.space.catalogue import car
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState

ODD: tuple[Any, ...] = (None, True, -1, 7.5, "", "nobody's", [], ["x", "x"], {}, {"a": [None]}, "9" * 400)
"""Values that no form asks for."""

BOARDS: Mapping[str, Board] = {
    "free": Free(),
    "points": Points(6, 5, frame=Pose(4.0, 5.0)),
    "hexes": Hexes.field(6, 5, frame=Pose(4.0, 5.0)),
    "road": Road(20.0, 8.0, frame=Pose(4.0, 5.0)),
}
"""A board of each kind, as a table file may have it."""


class GameConformance:
    """What must be true of any game. A subclass names its `game`, and nothing else."""

    game: Game[Any]
    seeds = (1, 2, 3)
    """The random games that are played."""
    limit = 2000
    """Actions after which a game need not be over."""

    # The game itself

    def test_it_says_what_it_is(self) -> None:
        about = self.game.about
        assert about.id == about.id.lower().replace(" ", "_")
        assert all((about.title, about.book, about.version))
        assert about.sections, "name the sections of the book, so that citations can be checked"
        assert 1 <= about.players[0] <= about.players[1]

    @pytest.mark.parametrize("seed", seeds)
    def test_random_games_hold_together(self, seed: int) -> None:
        match = self.begun(seed)
        chance = random.Random(seed)
        dice = SeededDice(seed)
        states = [self.json(match)]
        for _ in range(self.limit):
            if self.over(match):
                break
            self.hold(match, chance)
            before = match.state
            events = self.stepped(match, chance, dice)
            self.hold_events(events)
            if match.state is not before:
                states.append(self.json(match))
            assert match.game.from_json(plain(self.game.as_json(match.state))) == match.state
        self.hold_told_again(match)
        self.hold_decided(match, chance)
        self.hold_undo(match)

    # Secrets

    @pytest.mark.parametrize("seed", seeds)
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
                assert (option.sealed is not None) == (option.kind in self.game.about.sealed), option.words
                assert option.sealed is None or option.player is not None, "a sealed choice is a player's"

    # Giving up

    def test_a_player_gives_up(self) -> None:
        if getattr(type(self.game), "concede", None) is RuleBook.concede:
            return
        for number, match in enumerate(self.positions()):
            there = [p.player for p in self.game.status(match.state, Viewer()).order if not p.out]
            assert match.may_concede == (() if self.over(match) else tuple(there))
            for player in match.may_concede:
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
        for match in self.positions():
            for action in odd_actions(match):
                reasons = self.game.check(match.state, action, Seen())
                assert isinstance(reasons, tuple)
                assert all(isinstance(r, Reason) and r.words and r.citation for r in reasons), action
                if reasons:
                    with pytest.raises(Illegal):
                        match.do(action, None, SeededDice(1))

    # The table

    def test_a_table_may_be_looked_at_anywhere(self) -> None:
        for match in self.positions():
            for table in tables(match, self.json(match)):
                seen = Seen(table)
                names = tuple(s.name for s in table.standings)
                for viewer in self.viewers(match):
                    plain([to_json(self.game.marks(match.state, table, viewer))])
                plain([to_json(o) for o in match.options(seen)])
                for picked in ((), names[:1], names[:2]):
                    for question in self.game.questions(match.state, picked):
                        plain(to_json(question))
                        if not question.missing and permitted(self.game, match.state, question) is None:
                            self.game.rule(match.state, question, table)
                            plain(to_json(self.game.reach(match.state, question, table)))

    @pytest.mark.parametrize("kind", BOARDS)
    def test_a_piece_put_on_a_cell_stands_on_it(self, kind: str) -> None:
        known = self.game.about.boards
        assert known, "name the kinds of board that the game is played on"
        assert set(known) <= set(BOARDS), f"expected kinds of board among {', '.join(BOARDS)} but got {known}"
        if kind not in known:
            return
        piece = Piece("Any", "car", car("sedan"))
        looked: set[Any] = set()
        for match in self.positions():
            board = self.game.board(match.state, BOARDS[kind])
            assert board.kind in known, f"the board is {board.kind}, but `about` names {known}"
            if board in looked:
                continue
            looked.add(board)
            for cell in board.cells:
                for facing in range(board.facings):
                    put = Standing(piece, board.pose_of(cell, facing), PoseUncertainty.isotropic(0.01, 0.01))
                    snap = board.snap(put)
                    assert (snap.where, snap.cell, snap.facing) == ("cell", cell, facing)

    def test_a_piece_on_its_ghost_is_accepted(self) -> None:
        if getattr(type(self.game), "ghosts", None) is RuleBook.ghosts:
            return
        looked = 0
        for seed in range(1, 9):
            for match, table in self.on_tables(seed):
                for ghost in self.game.ghosts(match.state, Seen(table)):
                    if ghost.pose is None:
                        continue
                    to = Pose(*ghost.pose)
                    put = [replace(s, pose=to) if s.name == ghost.piece else s for s in table.standings]
                    after = TableState.of(table.surface, put, table.time)
                    again = [g for g in self.game.ghosts(match.state, Seen(after)) if g.piece == ghost.piece]
                    assert all(g.right for g in again[:1]), f"{ghost.words}: it stands there"
                    looked += 1
            if looked > 5:
                return
        assert looked, "no ghost came up: nothing was tried"

    def test_no_hidden_distance_is_told(self) -> None:
        if self.game.about.measuring == "always":
            return
        for match in self.positions():
            if permitted(self.game, match.state, None) is None:
                continue
            for table in tables(match, self.json(match)):
                for viewer in self.viewers(match):
                    *screens, log = plain(self.shown(match, viewer, Seen(table)))
                    # What an event tells as measured was measured when the book allowed it.
                    found = distances_in([*screens, [e for e in log if e.get("measured") is not True]])
                    assert not found, f"a distance is told before a target is declared: {found}"

    # What everybody sees

    def test_the_golden_playthrough_of_every_viewer(self) -> None:
        folder = Path(inspect.getfile(type(self))).parent / "playthroughs"
        told = playthroughs(self.game)
        how = f"write it with: python -m engine.game.conformance {self.game.about.id} {folder}"
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

    # Held after every batch

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

    # Helpers

    def begun(self, seed: int) -> Match[Any]:
        """A random match that begins."""
        return Match.begin(self.game, random_setup(self.game, random.Random(seed)))

    def positions(self) -> Iterator[Match[Any]]:
        """A random game, as it stands every few actions."""
        chance, dice = random.Random(7), SeededDice(7)
        match = self.begun(7)
        for number in range(60):
            if number % 6 == 0:
                yield match
            if self.over(match):
                return
            step(match, chance, dice)

    def on_tables(self, seed: int) -> Iterator[tuple[Match[Any], TableState]]:
        """A random game that looks at tables where it can, as it stands after every action with the last."""
        chance, dice = random.Random(seed), SeededDice(seed)
        match = self.begun(seed)
        for _ in range(80):
            table = next(tables(match, self.json(match)), None)
            if self.over(match) or table is None:
                return
            try:
                step(match, chance, dice, table)
            except Stuck:
                step(match, chance, dice)
            yield match, table

    def stepped(self, match: Match[Any], chance: random.Random, dice: SeededDice) -> tuple[Event, ...]:
        """A random lawful action, done."""
        return step(match, chance, dice)

    def over(self, match: Match[Any]) -> bool:
        """Whether the game is over."""
        return self.game.status(match.state, Viewer()).over

    def viewers(self, match: Match[Any]) -> list[Viewer]:
        """Everybody who may look: no player in particular, and each that plays."""
        return [Viewer(), *(Viewer(name) for name in players_of(match))]

    def shown(self, match: Match[Any], viewer: Viewer, seen: Seen | None = None) -> Any:
        """Everything that a viewer is shown of a match."""
        mine = [o for o in match.options(seen) if o.player in (None, viewer.player)]
        return [
            to_json(self.game.status(match.state, viewer)),
            to_json(self.game.sheets(match.state, viewer)),
            to_json(self.game.marks(match.state, None, viewer)),
            to_json(self.game.ghosts(match.state, seen or Seen())),
            to_json(mine),
            [event_to_json(e) for e in log_for(match.log, viewer)],
        ]

    def json(self, match: Match[Any]) -> Any:
        """The state as it is kept."""
        return plain(self.game.as_json(match.state))


def playthroughs(game: Game[Any]) -> dict[str, str]:
    """The golden game as each viewer sees it, by the viewer's name."""
    match, chance, dice = (
        Match.begin(game, random_setup(game, random.Random(0))),
        random.Random(0),
        SeededDice(0),
    )
    for _ in range(60):
        if game.status(match.state, Viewer()).over:
            break
        step(match, chance, dice)
    names = players_of(match)
    viewers = {"everybody": Viewer()} | {name: Viewer(name) for name in names[:2]}
    return {name: playthrough(game, match.log, viewer) for name, viewer in viewers.items()}


def players_of(match: Match[Any]) -> list[str]:
    """The players, in the order of play."""
    return [place.player for place in match.game.status(match.state, Viewer()).order]


def odd_actions(match: Match[Any]) -> Iterator[Action]:
    """Actions that nobody could mean: unknown kinds and players, fields that miss, and wrong values."""
    yield Action("no such thing")
    for option in match.options():
        yield Action(option.kind, "nobody's", dict(option.data))
        yield Action(option.kind, option.player)
        for name in (*option.data, *option.form.fields, "no such field"):
            for value in ODD:
                yield Action(option.kind, option.player, {**option.data, name: value})


def tables(match: Match[Any], state: Any) -> Iterator[TableState]:
    """Some tables on which the pieces of a match stand about."""
    names = sorted({p for sheet in match.game.sheets(match.state, Viewer()) if (p := sheet.piece)})
    owners = {s.piece: s.owner for s in match.game.sheets(match.state, Viewer())}
    chance = random.Random(json.dumps(state, sort_keys=True))
    for _ in range(2 if names else 0):
        yield TableState.of(
            Region.rectangle(0.0, 0.0, 48.0, 48.0),
            [
                Standing(
                    Piece(name, "car", car("sedan"), owner=owners[name]),
                    Pose(chance.uniform(3.0, 45.0), chance.uniform(3.0, 45.0), chance.uniform(-3.0, 3.0)),
                    PoseUncertainty.isotropic(0.01),
                )
                for name in names
            ],
        )


def plain(value: Any) -> Any:
    """A value through JSON, which it must be."""
    return json.loads(json.dumps(value, allow_nan=False))


def main() -> None:
    """Writes the golden playthroughs of a game."""
    import argparse  # noqa: PLC0415

    from engine.game.registry import game_called  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("game")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", action="append", default=[], help="a folder with more games")
    said = parser.parse_args()
    said.folder.mkdir(parents=True, exist_ok=True)
    for name, text in playthroughs(game_called(said.game, said.games)).items():
        (said.folder / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
