"""A machine's seat at a table: it says what it wants, takes what hands did, and replies like anybody."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.driver.deciding import Choice
from engine.driver.pushing import told
from engine.game.dice import rolls_of
from engine.game.events import Action
from engine.game.filling import complete
from engine.game.match import Match
from engine.game.pushing import THOUGHT, along
from engine.game.registry import game_called, games_from
from engine.measure.sweep import Straight, Turn
from engine.motion.moves import Move
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Standing, TableState, key_of
from server.play.host import MatchHost
from server.play.keeping import KINDS
from server.play.machine import (
    AS_IT_STANDS,
    ENTERED,
    NOT_SO,
    ON_ITS_WAY_S,
    PUSHED,
    TRIES,
    UNSEEN_S,
    Intent,
    Machines,
    device_of,
    near,
    off_words,
)
from server.play.messages import Answer, from_player
from server.play.thinking import Decided
from server.play.throws import Throw
from server.web.authentication import Identity
from tests.evening.house import House, house
from tests.evening.table import STEP_S, Hands
from tests.volume import volume
from vision.simulate.scenes import BOARDS, named_scene

SAMPLE = Path(__file__).parents[3] / "samples" / "own-game"
MACHINE = {"level": "learner", "temper": "even"}
PERSON = Identity("player", "1" * 16)


class Evening:
    """A table at which machines play, looked at one step after the other by a clock of its own."""

    def __init__(self, at: House, hands: Hands) -> None:
        self.at, self.hands, self.host = at, hands, at.served.match
        self.machines: Machines = at.served.machines
        self.now = 0.0
        self.machines._clock = lambda: self.now
        self.keys = 0

    def send(self, who: Identity, **message: Any) -> Answer:
        self.keys += 1
        return self.host.ask(who, from_player.validate_python({"key": f"key-{self.keys:08}", **message}))

    def begin(self, game: str, players: dict[str, dict[str, str] | None], each: int = 1) -> None:
        driven = [p for p in self.at.hands.scene.pieces if p.driven and not p.follows]
        pieces = [
            {"name": p.name, "owner": p.owner, "answers": {}}
            for owner in players
            for p in [q for q in driven if q.owner == owner][:each]
        ]
        named = [{"name": n, "colour": "#c8322b", "machine": m} for n, m in players.items()]
        draft = {"game": game, "players": named, "pieces": pieces, "answers": {}}
        assert self.send(House.owner, type="setup", draft=draft).accepted
        assert self.send(House.owner, type="begin").accepted

    def step(self, times: int = 1, seconds: float = 2.0) -> None:
        for _ in range(times):
            self.now += seconds
            self.machines.step()
            self.at.tick(5)

    def says(self, player: str) -> str:
        return next(v.headline for v in self.machines.views() if v.player == player)

    @property
    def kinds(self) -> list[tuple[str | None, str]]:
        """Who did what, so far."""
        assert self.host.match is not None
        done = [e for e in self.host.match.log if e.kind == "action"]
        return [(e.data["player"], e.data["kind"]) for e in done]


@contextmanager
def evening(folder: Path, game: str, *, simulated: bool = True) -> Iterator[Evening]:
    scene = named_scene(next(BOARDS[k] for k in BOARDS if k in game_called(game).about.boards))
    hands = Hands(scene, "1", simulated=simulated)
    with house(folder, scene, hands, {}) as at:
        yield Evening(at, hands)


def test_it_plays_by_itself_where_it_has_a_hand(tmp_path: Path) -> None:
    """Two machines on a simulated table: they set up, choose in secret, drive and fire without anybody."""
    with evening(tmp_path, "shattered_highways") as table:
        table.begin("shattered_highways", {"Red": MACHINE, "Blue": MACHINE}, each=2)
        table.step(24)
        assert ("Red", "deploy") in table.kinds
        assert ("Blue", "deploy") in table.kinds
        assert table.host.match is not None
        assert table.host.match.state.round >= 1
        moves = [e for e in table.host.match.log if e.kind == "action" and e.data["kind"] == "deploy"]
        assert all(e.measured for e in moves), "what it pushed itself is measured like anybody's move"


def test_no_phone_has_the_seat_that_tableref_plays(tmp_path: Path) -> None:
    """A phone that sat down there before the game began kept the machine from its seat."""
    with evening(tmp_path, "shattered_highways") as table:
        driven = [p for p in table.at.hands.scene.pieces if p.driven and not p.follows]
        draft = {
            "game": "shattered_highways",
            "players": [{"name": n, "colour": "#c8322b", "machine": None} for n in ("Red", "Blue")],
            "pieces": [{"name": p.name, "owner": p.owner, "answers": {}} for p in driven[:1] + driven[-1:]],
            "answers": {},
        }
        assert table.send(House.owner, type="setup", draft=draft).accepted
        assert table.send(PERSON, type="sit", player="Blue").accepted
        draft["players"][1]["machine"] = MACHINE  # type: ignore[index]
        assert table.send(House.owner, type="setup", draft=draft).accepted
        assert table.host.player_of(PERSON) is None
        for name in ("Blue", " BLUE"):
            refused = table.send(PERSON, type="sit", player=name)
            assert refused.error == "tableref plays Blue; the owner can change that in the set-up"
        assert [s["taken"] for s in table.at.shown(House.owner)["seats"]] == [False, True]
        assert table.send(House.owner, type="begin").accepted
        table.step()
        assert table.host.player_of(device_of("Blue")) == "Blue"
        again = MatchHost(table.at.recorder)
        again.restore(table.at.recorder.entries(KINDS))
        assert again.seats.taken == {"Blue"}
        assert again.player_of(PERSON) is None


def test_it_is_at_no_loss_while_a_piece_has_to_be_put_somewhere_first(tmp_path: Path) -> None:
    """It was told to be left to people, who could not act for it either."""
    with games_from(str(SAMPLE)), evening(tmp_path, "far_edge", simulated=False) as table:
        table.begin("far_edge", {"Red": None, "Blue": MACHINE})
        said = {"kind": "go", "player": "Red"}
        assert table.send(House.owner, type="act", **said, data={"inches": 3}).accepted
        table.step(12)
        match = table.host.match
        assert match is not None
        assert match.state.round == 2, "both have chosen, and both cars have to be pushed"
        assert [(v.headline, v.left) for v in table.machines.views()] == [("", False)]
        for ghost in match.game.ghosts(match.state, table.host.seeing.now(table.host.owners)):
            assert ghost.pose is not None
            table.hands.move(ghost.piece, Pose(*ghost.pose))
        table.at.tick(6)
        table.step(4)
        assert match.chosen == (("round 2", "Blue"),)


def test_there_is_time_to_take_back_more_than_what_a_machine_did_last(tmp_path: Path) -> None:
    """It did it again after a second and a half, and one's own mis-tap before it was out of reach."""
    with evening(tmp_path, "shattered_highways") as table:
        table.begin("shattered_highways", {"Red": MACHINE, "Blue": MACHINE})
        while ("Blue", "deploy") not in table.kinds:
            table.step()
        match = table.host.match
        assert match is not None
        assert table.send(House.owner, type="undo").accepted
        count = match.count
        table.step(3)
        assert table.says("Blue") or table.says("Red"), "it says what it wants"
        assert match.count == count, "and does not do it yet"
        assert table.send(House.owner, type="undo").accepted
        table.step(12)
        assert match.count > count + 1


@pytest.mark.parametrize("blue", [MACHINE, None])
def test_whoever_plays_against_machines_alone_takes_back_what_they_did_since(
    tmp_path: Path, blue: dict[str, str] | None
) -> None:
    """A machine answers at once: a mis-tap on a phone was out of reach of that phone for good."""
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": None, "Blue": blue}, each=2)
        assert table.send(PERSON, type="sit", player="Red").accepted
        table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
        match = table.host.match
        assert match is not None
        begun = match.count
        assert table.send(PERSON, type="act", kind="deploy", data={"car": "Red 1"}).accepted
        if blue is None:
            data = {"car": "Blue 1"}
            assert table.send(House.owner, type="act", kind="deploy", player="Blue", data=data).accepted
        while match.count < begun + 2:
            table.step()
        alone = blue is not None
        assert table.at.shown(PERSON)["me"]["may_undo"] is alone
        assert table.send(PERSON, type="undo").accepted is alone
        if alone:
            assert match.counted[-1].events[0].data["player"] == "Red"
            assert table.send(PERSON, type="undo").accepted
            assert match.counted[-1].number < begun


def test_it_says_so_where_it_finds_nothing_lawful_and_goes_on_looking(tmp_path: Path) -> None:
    """Else everybody would wait for it, and nothing would tell that they may act for it."""
    with evening(tmp_path, "shattered_highways") as table:
        table.begin("shattered_highways", {"Red": MACHINE, "Blue": MACHINE})
        table.step(4)
        done = list(table.kinds)
        assert done
        thinks, at_a_loss = table.machines._thinker, Decided(None, asked=True)
        table.machines._intents.clear()
        table.machines._thinker = lambda *_: at_a_loss  # type: ignore[assignment]
        table.step(2)
        assert [v.left for v in table.machines.views()] == [False, False]
        shown = table.machines.number
        table.step()
        assert table.machines.number > shown
        assert table.says("Red") == "Red is left to you: act for Red"
        assert [m["left"] for m in table.at.shown(House.owner)["machines"]] == [True, True]
        table.machines._thinker = thinks
        table.step(8)
        assert table.kinds[: len(done)] == done
        assert len(table.kinds) > len(done)
        assert [v.left for v in table.machines.views()] == [False, False]


def test_in_the_next_game_it_looks_anew(tmp_path: Path) -> None:
    """Where it had nothing to do in one game, it stood still at the same count of the next."""
    with evening(tmp_path, "white_line_fever") as table:
        think = table.machines._thinker
        for thinker in (lambda *_: Decided(None, asked=False), think):
            table.machines._thinker = thinker
            table.begin("white_line_fever", {"Red": MACHINE, "Blue": MACHINE})
            table.step(3)
            if thinker is not think:
                assert table.send(House.owner, type="anew").accepted
        assert table.kinds


def test_people_push_its_cars_onto_the_shape_that_it_shows(tmp_path: Path) -> None:
    with evening(tmp_path, "white_line_fever", simulated=False) as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        table.send(PERSON, type="sit", player="Red")
        table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
        table.step()
        assert not table.machines.ghosts(), "it is not its turn"
        assert table.send(
            House.owner, type="act", kind="deploy", player="Red", data={"car": "Red 1"}
        ).accepted
        table.step()
        assert table.says("Blue") == "Blue 1 is put down"
        if table.machines.ghosts():
            drive(table, "Blue 1")
        table.step(2)
        assert ("Blue", "deploy") in table.kinds
        # Red drives and ends its round; then the machine wants to drive.
        pushed(table, "Red 1", ahead=3.0)
        move = next(m.id for m in table.host.seeing.moves().values())
        assert table.send(
            House.owner, type="act", kind="move", player="Red", data={"car": "Red 1", "move": move}
        ).accepted
        assert table.send(House.owner, type="act", kind="end", player="Red").accepted
        table.step()
        (ghost,) = table.machines.ghosts()
        assert table.says("Blue").startswith("Blue 1 drives") or table.says("Blue").startswith("Blue 1 turns")
        assert ghost.pose is not None
        shown = table.at.shown(House.spectator)
        assert [m["headline"] for m in shown["machines"]] == [table.says("Blue")]
        (told,) = shown["match"]["ghosts"]
        # How it is to be pushed: each part of the way up to the shape, in the words of the headline.
        assert told["piece"] == "Blue 1"
        assert told["legs"][-1]["pose"] == pytest.approx(told["pose"])
        (view,) = (v for v in table.machines.views() if v.player == "Blue")
        assert view.steps == [leg["words"] for leg in told["legs"]][: 0 if len(told["legs"]) == 1 else None]
        assert [m["words"][0] for m in told["marks"]] == [
            str(k) for k in (len(told["legs"]), *range(1, len(told["legs"])))
        ]
        # While nobody pushes it, it waits, however long.
        table.step(3, seconds=60.0)
        assert table.kinds[-1] == ("Red", "end")
        # Where it was pushed unlawfully people may take that for it; else it takes its move itself.
        here = table.hands.poses["Blue 1"]
        assert [v.left for v in table.machines.views()] == [False]
        pushed(table, "Blue 1", ahead=9.0)
        table.step(8)
        assert [v.left for v in table.machines.views()] == [True]
        assert NOT_SO in table.machines.ghosts()[0].words
        assert table.machines.ghosts()[0].legs, "it may be pushed anew"
        # Put back, it is asked for as before.
        table.hands.move("Blue 1", here)
        table.at.tick(6)
        table.step()
        assert [v.left for v in table.machines.views()] == [False]
        assert NOT_SO not in table.machines.ghosts()[0].words
        drive(table, "Blue 1")
        table.step(2)
        assert ("Blue", "move") in table.kinds
        assert table.host.match is not None
        done = [e for e in table.host.match.log if e.kind == "action" and e.data["kind"] == "move"]
        assert done[-1].measured


def its_turn_to_drive(table: Evening) -> None:
    """White Line Fever, in which Red has driven, and Blue, whom tableref plays, says how it wants to."""
    table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
    table.send(PERSON, type="sit", player="Red")
    table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
    table.send(House.owner, type="act", kind="deploy", player="Red", data={"car": "Red 1"})
    table.step(3)
    if table.machines.ghosts():
        drive(table, "Blue 1")
    table.step(2)
    pushed(table, "Red 1", ahead=3.0)
    move = next(m.id for m in table.host.seeing.moves().values())
    data = {"car": "Red 1", "move": move}
    assert table.send(House.owner, type="act", kind="move", player="Red", data=data).accepted
    assert table.send(House.owner, type="act", kind="end", player="Red").accepted
    table.step()


def test_it_thinks_of_nothing_until_a_car_that_its_hand_put_back_is_seen_there(tmp_path: Path) -> None:
    """The hand that put it there covers it: a way that begins where it lay before is no way."""
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        table.send(PERSON, type="sit", player="Red")
        table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
        table.send(House.owner, type="act", kind="deploy", player="Red", data={"car": "Red 1"})
        table.step(6)
        pushed(table, "Red 1", ahead=3.0)
        (move,) = table.host.seeing.moves()
        data = {"car": "Red 1", "move": move}
        assert table.send(House.owner, type="act", kind="move", player="Red", data=data).accepted
        stood = table.hands.poses["Blue 1"]
        table.hands.move("Blue 1", stood.compose(Pose(-3.0, 0.0, 1.5)))
        table.at.tick(6)
        assert table.send(House.owner, type="act", kind="end", player="Red").accepted
        push, thinks, seen = table.machines._hand.push, table.machines._thinker, []

        def covers(piece: str, *way: Any) -> None:
            push(piece, *way)
            table.hands.covered.add(piece)
            table.at.tick(1)

        def spies(job: Any, game: Any) -> Any:
            seen.append(job.told.seen.table.find("Blue 1"))
            return thinks(job, game)

        table.machines._hand.push, table.machines._thinker = covers, spies  # type: ignore[assignment]
        table.step(1, seconds=0.5)
        assert near(table.hands.poses["Blue 1"], stood, 0.1, 0.05), "it was put back"
        table.step(1, seconds=0.5)
        assert seen == []
        table.hands.covered.clear()
        table.at.tick(4)
        table.step(1, seconds=0.5)
        assert near(seen[0].pose, stood, 0.1, 0.05)


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_car_that_rests_where_its_way_turns_is_on_its_way(tmp_path: Path, goes_on: bool) -> None:
    """Whoever pushes it looks what comes next: it does not count as it stands after a few seconds."""
    with evening(tmp_path, "white_line_fever", simulated=False) as table:
        its_turn_to_drive(table)
        intent = table.machines._intents["Blue"]
        here = table.hands.poses["Blue 1"]
        way = along(here, (Straight(3.0), Turn(math.radians(40.0), (-0.8, 0.0))))
        table.machines._intents["Blue"] = replace(intent, choice=replace(intent.choice, way=way))
        pushed(table, "Blue 1", ahead=3.0)
        table.step(2, seconds=60.0)
        assert table.kinds[-1] == ("Red", "end"), "on a slow machine few pictures show it"
        (ghost,) = table.machines.ghosts()
        assert ghost.words.endswith("Go on with step 2.")
        (view,) = (v for v in table.machines.views() if v.player == "Blue")
        assert view.words == "Go on with step 2."
        assert [step.split()[0] for step in view.steps] == ["drive", "turn"]
        if goes_on:
            drive(table, "Blue 1")
            table.step(2)
        else:
            table.at.tick(round(ON_ITS_WAY_S / STEP_S))
            table.step()
        assert table.kinds[-1] == ("Blue", "move")


def test_what_a_hand_pushes_on_is_looked_at_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was thought about where it lay: no refusal is counted, and no way begins where it lies now."""
    with evening(tmp_path, "white_line_fever", simulated=False) as table:
        its_turn_to_drive(table)
        wanted = table.machines._intents["Blue"]
        assert wanted.start is not None
        looks = table.machines._as_it_lies

        def meanwhile(*asked: Any) -> Choice | None:
            monkeypatch.setattr(table.machines, "_as_it_lies", looks)
            found = looks(*asked)
            pushed(table, "Blue 1", ahead=9.0)
            return found

        monkeypatch.setattr(table.machines, "_as_it_lies", meanwhile)
        drive(table, "Blue 1")
        table.step(2)
        assert table.kinds[-1] == ("Red", "end")
        assert (table.machines._refused, table.machines._intents["Blue"].choice) == ({}, wanted.choice)
        # Thought of anew, its way begins where the whole push did.
        table.machines._intents.clear()
        table.step()
        again = table.machines._intents["Blue"]
        assert again.start is not None
        assert math.dist(again.start.xy, wanted.start.xy) < 0.2
        assert again.choice.action.kind == "move"


@pytest.mark.parametrize("simulated", [True, False], ids=["its own hand", "people push"])
def test_where_players_say_how_pieces_moved_they_enter_it_for_a_machine(
    tmp_path: Path, simulated: bool
) -> None:
    """No push of it is measured there: it was pushed three times, and then left its turn to people."""
    with evening(tmp_path, "shattered_highways", simulated=simulated) as table:
        table.begin("shattered_highways", {"Red": None, "Blue": MACHINE})
        modes = {"dice": "roll", "moves": "ask", "questions": "see"}
        assert table.send(House.owner, type="modes", modes=modes).accepted
        chance = random.Random(1)
        while not table.says("Blue"):
            (option, *_) = (o for o in table.host.options() if o.player != "Blue")
            data = {**option.data, **complete(option.form, chance)}
            told = {"kind": option.kind, "player": option.player, "data": data}
            assert table.send(House.owner, type="act", **told).accepted
            table.step(4)
        table.step(8)
        (view,) = (v for v in table.machines.views() if v.player == "Blue")
        assert view.headline == "Blue 1 is put down"
        assert view.left, "people may take it"
        assert view.words == ("" if simulated else PUSHED) + f"{ENTERED} for Blue."


@pytest.mark.parametrize(
    ("game", "shot", "by_itself"), [("battlecars", "fire", True), ("white_line_fever", "shoot", False)]
)
def test_a_shot_that_rests_on_no_table_it_fires_itself_where_players_say_what_shots_rest_on(
    tmp_path: Path, game: str, shot: str, by_itself: bool
) -> None:
    """From cell to cell nothing has to be said; elsewhere it says what it wants, and people enter it."""
    with evening(tmp_path, game) as table:
        owners = list(dict.fromkeys(p.owner for p in table.at.hands.scene.pieces if p.driven and p.owner))
        table.begin(game, dict.fromkeys(owners[:2], MACHINE), each=2)
        modes = {"dice": "roll", "moves": "see", "questions": "ask"}
        assert table.send(House.owner, type="modes", modes=modes).accepted
        if not by_itself:
            table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
        asked: list[str] = []
        for _ in range(volume(150, 2000)):
            table.step()
            asked += [v.headline for v in table.machines.views() if v.words.startswith(ENTERED)]
            if asked or shot in {kind for _, kind in table.kinds}:
                break
        assert (not asked, shot in {kind for _, kind in table.kinds}) == (by_itself, by_itself)
        assert all("shoots" in headline for headline in asked)


def test_no_inches_of_a_way_are_told_where_the_book_hides_them_and_none_of_one_that_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with evening(tmp_path, "white_line_fever", simulated=False) as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        here = table.hands.poses["Blue 1"]
        steps = (Straight(3.0), Turn(0.5, (0.0, 0.0)), Straight(2.0))
        assert table.host.match is not None
        words = f"Blue 1 {told(steps)}"
        choice = Choice(Action("move", "Blue", {}), words, "Blue 1", along(here, steps))
        intent = Intent(choice, table.host.match.count, 0.0, here)
        table.machines._intents["Blue"] = intent
        monkeypatch.setattr(type(table.host.match.game), "awaits", lambda _game, _state: ())
        parts = [leg.words for leg in table.machines.ghosts()[0].legs]
        assert parts == ["drive 3 in", "turn left by 29°", "drive 2 in"]
        assert table.machines.views()[0].headline == "Blue 1 drives 3″, turns left by 29°, drives 2″"
        table.machines._intents["Blue"] = replace(intent, lies="a move")
        (ghost,) = table.machines.ghosts()
        assert (ghost.legs, ghost.marks) == ((), ())
        table.machines._intents["Blue"] = intent
        monkeypatch.setattr("server.play.machine.hides", lambda _game, _state: True)
        (ghost,) = table.machines.ghosts()
        assert [leg.words for leg in ghost.legs] == ["drive", "turn left by 29°", "drive"]
        assert [m.words for m in ghost.marks] == ["3: drive", "1: drive", "2: left 29°"]
        assert table.machines.views()[0].headline == "Blue 1 drives …, turns left by 29°, drives …"


def pushed(table: Evening, piece: str, ahead: float) -> None:
    """A hand pushes a piece straight ahead."""
    here = table.hands.poses[piece]
    for k in range(1, 7):
        table.hands.move(piece, here.compose(Pose(ahead * k / 6, 0.0)))
        table.at.tick()
    table.at.tick(6)


def drive(table: Evening, piece: str) -> None:
    """A hand pushes a piece along the way that the machine has in mind."""
    way = next(i.choice.way for i in table.machines._intents.values() if i.choice.piece == piece)
    for pose in way:
        table.hands.move(piece, pose)
        table.at.tick()
    table.at.tick(6)


def asked_for_dice(table: Evening, game: str) -> Throw:
    """Let two machines play where dice are typed, until one has to roll."""
    table.begin(game, {"Red": MACHINE, "Blue": MACHINE})
    assert table.send(House.owner, type="modes", modes={"dice": "type"}).accepted
    for _ in range(80):
        table.step()
        if table.host.throws.waiting:
            break
    (throw,) = table.host.throws.waiting.values()
    return throw


def fell(table: Evening) -> set[str]:
    assert table.host.match is not None
    return {roll.source.split()[0] for roll in rolls_of(table.host.match.log)}


@pytest.mark.parametrize("game", ["shattered_highways", "frothy_races"])
def test_people_roll_for_it_where_dice_are_typed(tmp_path: Path, game: str) -> None:
    with evening(tmp_path, game) as table:
        throw = asked_for_dice(table, game)
        assert throw.machine
        assert table.host.match is not None
        count, number, says = table.host.match.count, table.host.number, table.says(throw.by)
        table.step(8)
        assert (table.host.match.count, table.host.number, table.says(throw.by)) == (count, number, says)
        assert says, "it goes on saying what it wants"
        assert list(table.host.throws.waiting.values()) == [throw], "it does nothing else meanwhile"
        for _ in range(9):
            if (waiting := next(iter(table.host.throws.waiting.values()), None)) is None:
                break
            dice = [
                want.faces[0] if want.faces else k % want.sides + 1 for k, want in enumerate(waiting.wanted)
            ]
            table.send(House.owner, type="rolled", throw=waiting.id, dice=dice)
        assert table.host.match.count > count
        assert fell(table) == {"typed"}
        done = [e for e in table.host.match.log if e.kind == "action"][-1]
        assert (done.data["player"], done.data["kind"]) == (throw.by, throw.request.kind)  # type: ignore[union-attr]
        assert "(dice typed by the owner of the table)" in done.words


def test_what_it_does_with_dice_is_taken_back_or_goes_on_with_others(tmp_path: Path) -> None:
    with evening(tmp_path, "shattered_highways") as table:
        throw = asked_for_dice(table, "shattered_highways")
        # Taken back so often, it is left to people.
        asked = []
        while throw is not None:
            assert table.send(House.owner, type="rolled", throw=throw.id, dice=None).accepted
            asked.append(throw.by)
            table.step(9)
            throw = next(iter(table.host.throws.waiting.values()), None)
        assert asked == [asked[0]] * TRIES + [asked[-1]] * TRIES, "who goes first may be rolled for by either"
        assert [table.machines._stuck(player) for player in set(asked)] == [True, True]
        table.machines._refused.clear()
        # After an undo, what is asked for is asked of that position.
        for _ in range(9):
            table.step()
        (again,) = table.host.throws.waiting.values()
        assert table.send(House.owner, type="undo").accepted
        assert not table.host.throws.waiting
        for _ in range(40):
            table.step()
            if table.host.throws.waiting:
                break
        assert again.id not in table.host.throws.waiting
        assert table.host.throws.waiting
        # With dice that are rolled here from now on it goes on by itself.
        assert table.host.match is not None
        count = table.host.match.count
        assert table.send(House.owner, type="modes", modes={"dice": "roll"}).accepted
        table.step(2)
        assert table.host.match.count > count
        assert fell(table) == {"seed"}


def test_it_asks_for_its_dice_anew_after_a_restart_and_rolls_them_once(tmp_path: Path) -> None:
    scene = named_scene(BOARDS["free"])
    hands = Hands(scene, "1", simulated=True)
    with house(tmp_path, scene, hands, {}) as at:
        before = asked_for_dice(Evening(at, hands), "car_cult")
    later = Hands(scene, "1", hands)
    with house(tmp_path, scene, later, {}) as at:
        table = Evening(at, later)
        table.keys = 1000  # no key of before
        gone = table.send(House.owner, type="rolled", throw=before.id, dice=[1] * len(before.wanted))
        assert "not asked for any more" in str(gone.error)
        for _ in range(9):
            table.step()
        (throw,) = table.host.throws.waiting.values()
        assert (throw.machine, throw.by, throw.wanted) == (True, before.by, before.wanted)
        typed = [k % want.sides + 1 for k, want in enumerate(throw.wanted)]
        assert table.send(House.owner, type="rolled", throw=throw.id, dice=typed).accepted
        assert table.host.match is not None
        assert [roll.value for roll in rolls_of(table.host.match.log)] == typed


def declared(folder: Path) -> tuple[Any, Hands]:
    """An attack of Car Cult that is declared and not rolled, and the table to go on with it."""
    scene = named_scene(BOARDS["free"])
    hands = Hands(scene, "1", simulated=True)
    with house(folder, scene, hands, {}) as at:
        table = Evening(at, hands)
        table.begin("car_cult", {"Red": MACHINE, "Blue": MACHINE}, each=2)
        for _ in range(60):
            table.step()
            if table.host.match is not None and table.host.match.state.attack is not None:
                break
        assert table.host.match is not None
        attack = table.host.match.state.attack
        assert attack is not None
    return attack, Hands(scene, "1", hands)


def test_where_others_do_not_agree_to_its_no_it_asks_for_a_yes(tmp_path: Path) -> None:
    """It said three times that the target is not within range; then its attack was left to people."""
    attack, later = declared(tmp_path)
    later.poses.pop(attack.target)
    with house(tmp_path, named_scene(BOARDS["free"]), later, {}) as at:
        table = Evening(at, later)
        table.keys = 1000  # no key of before
        table.machines._coin = lambda _: "yes"  # type: ignore[method-assign]
        table.step(7)
        match = table.host.match
        assert match is not None
        assert match.state.attack != attack
        (ranged,) = (e for e in match.log if e.kind == "ranged" and e.data["target"] == attack.target)
        assert (ranged.data["reached"], ranged.data["distance"]) == (True, None)


def test_it_goes_on_when_a_car_comes_into_view_without_which_it_was_refused(tmp_path: Path) -> None:
    """After a restart the target was not seen at first: its attack was left to people for good."""
    scene = named_scene(BOARDS["free"])
    attack, later = declared(tmp_path)
    stood = later.poses.pop(attack.target)
    with house(tmp_path, scene, later, {}) as at:
        table = Evening(at, later)
        table.keys = 1000  # no key of before
        table.machines._coin = lambda _: "nobody knows"  # type: ignore[method-assign]
        table.step(12)
        assert table.host.match is not None
        assert table.host.match.state.attack == attack, "without its target nobody can say whether it hits"
        by = scene.piece(attack.car).owner
        assert table.says(str(by)) == f"{by} is left to you: act for {by}"
        table.step(3)
        assert table.host.match.state.attack == attack
        later.poses[attack.target] = stood
        assert (by, "fire") not in table.kinds
        table.step(6)
        assert (by, "fire") in table.kinds


def test_its_seat_is_taken_and_free_again_with_the_machine(tmp_path: Path) -> None:
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        table.step()
        assert table.host.player_of(device_of("Blue")) == "Blue"
        refused = table.send(PERSON, type="sit", player="Blue")
        assert "tableref plays Blue" in str(refused.error)
        assert key_of("Blue 1") in table.host.owners


def test_a_push_that_no_picture_has_shown_is_waited_for_however_late_pictures_come(tmp_path: Path) -> None:
    with evening(tmp_path, "shattered_highways") as table:
        table.begin("shattered_highways", {"Red": MACHINE, "Blue": MACHINE})
        table.machines._hand.push = lambda *_: None  # type: ignore[method-assign]
        for _ in range(40):
            table.step()
            if any(intent.pushed for intent in table.machines._intents.values()):
                break
        (intent,) = table.machines._intents.values()
        for _ in range(9):
            table.now += 60.0
            table.machines.step()
        assert list(table.machines._intents.values()) == [intent]
        began = table.hands.time
        while table.hands.time < began + UNSEEN_S + 1.0:
            table.at.tick()
        table.machines.step()
        assert not table.machines._intents, "it thinks anew: the pictures do not show it"


@pytest.mark.parametrize("slip", [Pose(0.0, 6.0), Pose(-0.25, 0.0)], ids=["against the book", "too close"])
def test_what_its_own_hand_pushed_wrong_goes_back_before_it_is_pushed_again(
    tmp_path: Path, slip: Pose
) -> None:
    """Pushed on from where it lies, its way would only grow, and never be lawful again; nobody is asked."""
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": MACHINE, "Blue": MACHINE})
        push, spoiled, ways = table.machines._hand.push, [], []

        def slips(piece: str, way: Sequence[Pose], seen: TableState, slower: int = 1) -> None:
            drives = any(i.choice.action.kind == "move" for i in table.machines._intents.values())
            if drives and not spoiled:
                spoiled.append((piece, table.hands.poses[piece]))
                way = [*way, way[-1].compose(slip)] if slip.y else [*way[:-1], way[-1].compose(slip)]
            elif spoiled:
                ways.append((piece, way[-1], slower))
            push(piece, way, seen, slower)

        table.machines._hand.push = slips  # type: ignore[method-assign]
        for _ in range(60):
            table.step()
            if any(kind == "move" for _, kind in table.kinds):
                break
        ((piece, began),) = spoiled
        back, end, _ = ways[0]
        assert (back, round(math.dist(end.xy, began.xy), 1)) == (piece, 0.0)
        assert table.host.match is not None
        done = [e for e in table.host.match.log if e.kind == "action" and e.data["kind"] == "move"]
        assert done[0].measured, "put back, it drives as anybody does"
        assert [slower for _, _, slower in ways[:2]] == [1, 2], "pushed again, it is pushed more slowly"


@pytest.mark.parametrize(
    ("goal", "told", "words"),
    [
        ((0.6, 0.0, 0.0), True, "It belongs 0.6 in ahead."),
        ((0.6, 0.0, 0.0), False, "It belongs a little ahead."),
        # What is off by less than half of what is near enough is not told besides.
        ((-0.6, 0.19, 0.06), True, "It belongs 0.6 in back."),
        (
            (-0.6, -0.21, 0.08),
            True,
            "It belongs 0.6 in back and 0.2 in to its right and turned 5° to the left.",
        ),
        ((0.19, 0.6, -0.08), True, "It belongs 0.6 in to its left and turned 5° to the right."),
        ((0.3, 0.3, 0.0), True, "It belongs 0.3 in ahead and 0.3 in to its left."),
    ],
)
def test_how_to_put_a_piece_right_is_said_without_inches_where_they_are_hidden(
    goal: tuple[float, float, float], told: bool, words: str
) -> None:
    choice = Choice(Action("move", "Blue", {}), "drives", "Blue 1", (Pose(*goal),))
    here = Standing(named_scene("default").pieces[0], Pose(0.0, 0.0), PoseUncertainty.exact())
    move = Move("1", "Blue 1", TableState(0.0, Region.rectangle(0, 0, 9, 9), (here,)), here, 0.0, 1.0)
    assert off_words(choice, move, told=told) == words
    # What may stay is told so; what is against the book is not.
    intent = Intent(choice, 0, 0.0, off=words)
    assert intent.told == f"{words} {AS_IT_STANDS}"
    assert replace(intent, unlawful=True).told == f"{NOT_SO} {words}"


def test_what_was_carried_to_its_shape_before_it_was_looked_for_counts_where_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody would touch it again, and tableref would wait for ever."""
    with evening(tmp_path, "white_line_fever", simulated=False) as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
        table.send(House.owner, type="act", kind="deploy", player="Red", data={"car": "Red 1"})
        table.hands.move("Blue 1", Pose(24.0, 24.0))
        table.at.tick(6)
        table.step()
        (ghost,) = table.machines.ghosts()
        assert ghost.pose is not None
        seen = table.machines._seen
        monkeypatch.setattr(table.machines, "_seen", lambda: replace(seen(), moves={}))
        table.step(3)
        assert table.kinds[-1] == ("Red", "deploy"), "it stands elsewhere"
        table.hands.move("Blue 1", Pose(*ghost.pose))
        table.at.tick(6)
        table.step(2)
        assert ("Blue", "deploy") in table.kinds
        assert table.host.match is not None
        done = [e for e in table.host.match.log if e.kind == "action" and e.data["kind"] == "deploy"]
        assert done[-1].measured


def test_a_piece_that_has_to_be_put_right_is_waited_for_before_it_is_moved(tmp_path: Path) -> None:
    """From elsewhere nothing can be pushed lawfully: it would say a move that nobody saw."""
    with evening(tmp_path, "battlecars", simulated=False) as table:
        table.begin("battlecars", {"Red": None, "Blue": MACHINE})
        assert table.send(House.owner, type="act", kind="start", data={}, dice=[3, 8]).accepted
        table.send(House.owner, type="act", kind="speed", player="Red", data={"speed_1": 0})
        match = table.host.match
        assert match is not None
        speed = {"speed_1": 2}
        assert table.send(House.owner, type="act", kind="speed", player="Blue", data=speed).accepted
        vehicle = match.state.vehicle("Blue 1")
        assert match.places["Blue 1"].ruled, "it is its turn, and it has not been put where it starts"
        assert any(a.piece == "Blue 1" for a in match.game.awaits(match.state))
        table.step(4)
        assert not table.machines._intents
        assert not table.host.proposals.waiting
        table.hands.move("Blue 1", match.state.board.pose_of(vehicle.cell, vehicle.facing))
        table.at.tick(6)
        table.step()
        (ghost,) = table.machines.ghosts()
        assert ghost.piece == "Blue 1"


def test_a_car_whose_nose_is_at_the_edge_stays_there_and_asks_nobody_for_leave(tmp_path: Path) -> None:
    """It must go 5 in, and no push of it is to be seen: that it stands still is."""
    with evening(tmp_path, "car_cult") as table:
        table.begin("car_cult", {"Red": None, "Blue": MACHINE})
        table.send(PERSON, type="sit", player="Red")
        scene = table.at.hands.scene
        nose = scene.piece("Blue 1").body.footprint.outline[:, 0].max()
        at_edge = Pose(scene.surface.outline[:, 0].min() + nose - 0.1, 9.0, math.pi)
        table.hands.move("Blue 1", at_edge)
        table.at.tick(6)
        for owner, tokens in (("Red", 0), ("Blue", 2)):
            data = {"car": f"{owner} 1", "tokens": tokens}
            assert table.send(House.owner, type="act", kind="deploy", player=owner, data=data).accepted
        match = table.host.match
        assert match is not None
        while match.state.turn.stage != "act":
            table.step()
        for _ in range(TRIES):
            way = (Pose(at_edge.x, at_edge.y, at_edge.heading + math.radians(2.0)),)
            data = {"car": "Blue 1", "move": THOUGHT, "ruled": "no"}
            turns = Choice(Action("move", "Blue", data), "turns left by 2°", "Blue 1", way)
            table.machines._keep("Blue", Intent(turns, match.count, table.now))
            table.step(2)
            if match.state.turn.moved:
                break
        assert not table.host.proposals.waiting
        assert match.state.turn.moved
        done = [e for e in match.log if e.kind == "action" and e.data["kind"] == "move"]
        assert [(e.measured, e.data["data"].get("stays")) for e in done] == [(None, True)]
        # Undone and done again it is the same; ruled again from the record, too.
        moved = match.state
        for deed in ("undo", "redo"):
            assert table.send(House.owner, type=deed).accepted
            assert match.state.turn.moved is (deed == "redo")
        assert match.state == moved
        seen = table.host.seeing.now(table.host.owners)
        assert Match.again(match.game, match.log, lambda _: seen).state == moved


@pytest.mark.parametrize("simulated", [True, False], ids=["its own hand", "people's hands"])
def test_that_a_piece_stays_is_not_asked_where_a_machine_puts_it_right(
    tmp_path: Path, simulated: bool
) -> None:
    with evening(tmp_path, "white_line_fever", simulated=simulated) as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
        for player in ("Red", "Blue"):
            data = {"car": f"{player} 1"}
            assert table.send(House.owner, type="act", kind="deploy", player=player, data=data).accepted
        table.hands.move("Blue 1", table.hands.poses["Blue 1"].compose(Pose(-6.0, 0.0)))
        table.at.tick(6)
        strays = table.at.shown(House.owner)["match"]["strays"]
        assert {s["piece"]: s["mine"] for s in strays} == {"Blue 1": not simulated}


def test_a_machine_does_not_put_its_piece_where_a_piece_of_a_person_stands(tmp_path: Path) -> None:
    """It put one car into the other, whose tag was not seen any more."""
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        table.send(House.owner, type="act", kind="deployment", data={"deployment": "highway"})
        for player in ("Red", "Blue"):
            data = {"car": f"{player} 1"}
            assert table.send(House.owner, type="act", kind="deploy", player=player, data=data).accepted
        red, blue = table.hands.poses["Red 1"], table.hands.poses["Blue 1"]
        away = blue.compose(Pose(-6.0, 0.0))
        table.hands.move("Blue 1", away)
        table.hands.move("Red 1", blue)
        table.at.tick(6)
        table.step(3)
        assert table.hands.poses["Blue 1"] == away
        table.hands.move("Red 1", red)
        table.at.tick(6)
        table.step(3)
        there = table.hands.poses["Blue 1"]
        assert math.dist(there.xy, blue.xy) < 0.1
