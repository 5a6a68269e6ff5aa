"""The one place where a game is played: who may do what, once, and never lost."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration.tablefile import parse_table
from engine.game.dice import Want
from engine.game.events import event_to_json
from engine.game.showing import Awaited, Viewer
from engine.space.table import TableState
from server.formats.entries import Entry, MemoryLog
from server.play.drafts import Draft
from server.play.host import MatchHost
from server.play.keeping import KINDS, USED, modes_entry
from server.play.messages import (
    Act,
    Anew,
    Answer,
    Begin,
    Free,
    Mistyped,
    Modes,
    Overrule,
    Redo,
    SetModes,
    SetUp,
    Sit,
    Undo,
    from_player,
)
from server.play.moving.measuring import rolled_here
from server.play.moving.seeing import Seeing
from server.play.throws import Throw
from server.play.view import log_lines
from server.recording.recorder import Recorder
from server.web.authentication import Identity
from tests.server.fakes import SURFACE
from vision.simulate.scenes import named_scene

OWNER, ANNA, BEN, GUEST, CAMERA = (
    Identity("owner"), Identity("player", "a" * 16), Identity("player", "b" * 16),
    Identity("spectator", "c" * 16), Identity("camera", "d" * 16),
)  # fmt: skip

DRAFT = Draft.model_validate(
    {
        "game": "white_line_fever",
        "players": [{"name": "Anna", "colour": "#c0392b"}, {"name": "Ben", "colour": "#2d6cc0"}],
        "pieces": [
            {"name": n, "owner": o, "answers": {"brand": b, "primary": p, "secondary": s}}
            for n, o, b, p, s in (
                ("Red 1", "Anna", "Venus", "Machine Gun", "Harpoon"),
                ("Red 2", "Anna", "Mule", "Autocannon", "Oil"),
                ("Blue 1", "Ben", "Hammer", "Tank Cannon", "Long Horn"),
                ("Blue 2", "Ben", "Pulsar", "Plinker", "Railgun"),
            )
        ],
        "answers": {"deployment": "highway"},
    }
)

_numbers = itertools.count()


def key() -> str:
    return f"key-{next(_numbers):06}"


def act(host: MatchHost, who: Identity, kind: str, player: str | None = None, **data: Any) -> Answer:
    said = {name: data.pop(name) for name in ("dice", "unmeasured") if name in data}
    return host.ask(who, Act(type="act", key=key(), kind=kind, player=player, data=data, **said))


def done(answer: Answer) -> Answer:
    assert answer.accepted, (answer.error, answer.reasons, answer.wanted)
    return answer


def begun(
    keeps: Any = None, table: Callable[[], TableState | None] = lambda: None, **handed: Any
) -> MatchHost:
    """A game in its first round, with both players on their phones."""
    host = MatchHost(keeps, table, **handed)
    done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
    done(host.ask(ANNA, Sit(type="sit", key=key(), player="Anna")))
    done(host.ask(BEN, Sit(type="sit", key=key(), player="Ben")))
    done(host.ask(OWNER, Begin(type="begin", key=key())))
    for car in ("Red 1", "Blue 1", "Red 2", "Blue 2"):
        done(act(host, OWNER, "deploy", car=car))
    return host


def state(host: MatchHost) -> dict[str, Any]:
    assert host.match is not None
    return dict(host.game.as_json(host.match.state))


DRIVE = {"type": "act", "kind": "choose", "data": {"car": "Red 1"}}
SPEED = ["cars", "Red 1", "speed"]

REQUESTS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("act for Anna", DRIVE | {"player": "Anna"}, ["owner", "Anna"]),
    ("act for nobody", DRIVE, ["owner", "Anna"]),
    ("set up", {"type": "setup", "draft": DRAFT.model_dump()}, []),
    ("overrule", {"type": "overrule", "path": SPEED, "value": 2, "words": "agreed"}, ["owner"]),
    ("undo the owner's", {"type": "undo"}, ["owner"]),
    ("redo", {"type": "redo"}, []),
    ("give up for Anna", {"type": "concede", "player": "Anna"}, ["owner", "Anna"]),
    ("give up", {"type": "concede"}, ["Anna", "Ben"]),
    ("give up for a stranger", {"type": "concede", "player": "Mallory"}, []),
    ("end", {"type": "anew"}, ["owner"]),
    ("begin again", {"type": "begin"}, []),
    ("modes", {"type": "modes", "modes": {"dice": "type"}}, ["owner"]),
    ("sit in Ben's seat", {"type": "sit", "player": "Ben"}, ["Ben"]),
    ("free Ben's seat", {"type": "free", "player": "Ben"}, ["owner"]),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "allowed"), [pytest.param(r, a, id=n) for n, r, a in REQUESTS])
def test_who_may_do_what(asked: dict[str, Any], allowed: list[str]) -> None:
    request = from_player.validate_python(asked | {"key": key()})
    everybody = {"owner": OWNER, "Anna": ANNA, "Ben": BEN, "spectator": GUEST, "camera": CAMERA}
    did = [name for name, who in everybody.items() if begun().ask(who, request).accepted]
    assert did == allowed


def test_a_refused_request_changes_nothing() -> None:
    keeps = MemoryLog()
    host = begun(keeps)
    before, kept = state(host), len(keeps.entries)
    for who in (BEN, GUEST, CAMERA):
        assert not act(host, who, "choose", car="Red 1").accepted
    assert not act(host, BEN, "choose", "Anna", car="Red 1").accepted
    assert state(host) == before
    assert len(keeps.entries) == kept


def test_the_first_policy_that_refuses_answers() -> None:
    """A deed that everything stands against is told the law first, dice last: nothing is asked in vain."""
    table = TableState.of(SURFACE, [], 1.0)
    host, measured = begun(), False
    match, host.seeing = host.match, Seeing(lambda: table, moves=lambda: {})
    assert match is not None
    match.game = replace(
        match.game,
        awaits=lambda _: (Awaited("Red 1", "choose", "Anna", "now"),),
        by_camera=lambda *_: measured,
    )

    def told(car: str, *, who: Identity = ANNA, unmeasured: str | None = None, dice: bool = True) -> str:
        said = {"key": key(), "kind": "choose", "data": {"car": car}, "unmeasured": unmeasured}
        answer = host.ask(who, Act.model_validate(said | {"type": "act", "dice": [1] if dice else None}))
        return " ".join([*(r.words for r in answer.reasons), answer.error or ""])

    assert "Blue 1" in told("Blue 1")
    assert "this was not measured" in told("Red 1")
    assert told("Red 1", unmeasured="a cat") == (
        "Proposed: Ben, or the owner of the table, has to agree to it."
    )
    measured = True
    assert "dice are rolled here" in told("Red 1")
    assert told("Red 1", dice=False) == ""
    done(host.ask(OWNER, Undo(type="undo", key=key())))
    measured = False
    typed = told("Red 1", who=OWNER, unmeasured="a cat")
    assert "no die is rolled for it" in typed, "the owner's word is enough, and the owner may type dice"


class TestKeys:
    def test_told_twice_is_done_once(self) -> None:
        host = begun()
        done(act(host, ANNA, "choose", car="Red 1"))
        twice = Act(type="act", key=key(), kind="move", data={"car": "Red 1"})
        first, second = host.ask(ANNA, twice), host.ask(ANNA, twice)
        assert first == second
        assert first.accepted
        assert state(host)["round"]["stage"] == "free"
        third = host.ask(ANNA, twice.model_copy(update={"key": key()}))
        assert not third.accepted
        assert third.reasons[0].citation.startswith("White Line Fever 0.9")

    def test_a_key_of_another_device_is_another_key(self) -> None:
        host, same = begun(), key()
        done(host.ask(OWNER, Act(type="act", key=same, kind="choose", data={"car": "Red 1"})))
        answer = host.ask(BEN, Act(type="act", key=same, kind="choose", data={"car": "Red 1"}))
        assert not answer.accepted

    def test_still_once_after_a_restart(self) -> None:
        keeps = MemoryLog()
        host = begun(keeps)
        done(act(host, ANNA, "choose", car="Red 1"))
        moved = Act(type="act", key=key(), kind="move", data={"car": "Red 1"})
        done(host.ask(ANNA, moved))
        again = MatchHost(MemoryLog())
        again.restore(keeps.entries)
        before = state(again)
        assert again.ask(ANNA, moved).accepted
        assert state(again) == before

    def test_what_was_refused_may_be_asked_again(self) -> None:
        host, same = begun(), key()
        floor = Act(type="act", key=same, kind="choose", data={"car": "Blue 1"})
        assert not host.ask(OWNER, floor).accepted
        assert host.ask(OWNER, floor.model_copy(update={"data": {"car": "Red 1"}})).accepted


class TestKeeping:
    def test_is_kept_before_it_is_shown(self) -> None:
        seen: list[dict[str, Any] | None] = []

        class Watched(MemoryLog):
            def append(self, batch: Any) -> Any:
                seen.append(None if host.match is None else dict(host.game.as_json(host.match.state)))
                return super().append(batch)

        host = begun()
        host.keeping.journal = Watched()
        before = state(host)
        done(act(host, ANNA, "choose", car="Red 1"))
        assert seen == [before]
        assert state(host) != before

    def test_is_kept_with_the_time_of_the_table_that_was_ruled_on(self) -> None:
        """The camera goes on seeing while a deed is ruled on."""
        keeps, shown = MemoryLog(), []

        def table() -> TableState:
            shown.append(float(len(shown)))
            return TableState.of(SURFACE, (), shown[-1])

        host = begun(keeps, table)
        deeds = (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"}))
        for kind, data in deeds:
            before, kept = len(shown), len(keeps.entries)
            done(act(host, ANNA, kind, **data))
            assert shown[before:] == [float(before)]
            assert {e.time_s for e in keeps.entries[kept:]} == {shown[-1]}

    def test_what_cannot_be_kept_does_not_happen(self) -> None:
        class Broken:
            def append(self, batch: Any) -> Any:
                raise OSError("no room")

        host = begun()
        host.keeping.journal = Broken()
        before = state(host)
        with pytest.raises(OSError, match="no room"):
            act(host, ANNA, "choose", car="Red 1")
        assert state(host) == before

    def test_goes_on_after_a_restart(self) -> None:
        keeps = MemoryLog()
        host = begun(keeps)
        done(host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes(questions="ask"))))
        done(act(host, ANNA, "choose", car="Red 1"))
        done(act(host, ANNA, "move", car="Red 1"))
        done(act(host, ANNA, "shoot", weapon="Machine Gun", target="Blue 1", band="short"))
        done(host.ask(OWNER, Undo(type="undo", key=key())))
        again = MatchHost(MemoryLog())
        again.restore(keeps.entries)
        assert state(again) == state(host)
        assert again.draft == host.draft
        assert again.modes == host.modes
        assert again.player_of(ANNA) == "Anna"
        assert again.match is not None
        assert again.match.redoable == host.match.redoable if host.match else False
        logs = [host.match.log if host.match else (), again.match.log]
        assert [rolled_here(host._seed, log) for log in logs] == [1, 1]
        done(act(again, ANNA, "shoot", weapon="Machine Gun", target="Blue 1", band="short"))

    def test_goes_on_from_the_library_with_all_that_belongs_to_it(self, tmp_path: Path) -> None:
        table = parse_table(named_scene("bare").to_toml(), "the simulated table")

        @contextmanager
        def evening() -> Iterator[MatchHost]:
            recorder = Recorder(tmp_path, table, video=None)
            recorder.start()
            host = MatchHost(recorder)
            host.restore(recorder.entries(KINDS))
            yield host
            recorder.stop()

        with evening() as host:
            done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
            done(host.ask(ANNA, Sit(type="sit", key=key(), player="Anna")))
            done(host.ask(OWNER, Begin(type="begin", key=key())))
            done(host.ask(OWNER, Anew(type="anew", key=key())))
            done(host.ask(OWNER, Begin(type="begin", key=key())))
            done(act(host, ANNA, "deploy", car="Red 1"))
            before = state(host)
        with evening() as host:
            assert state(host) == before
            assert host.draft == DRAFT
            assert host.player_of(ANNA) == "Anna"
            done(act(host, OWNER, "deploy", car="Blue 1"))
            done(host.ask(OWNER, Anew(type="anew", key=key())))
        for _ in range(2):
            with evening() as host:
                assert host.match is None
                assert host.draft == DRAFT
                assert host.player_of(ANNA) == "Anna"

    def test_a_game_put_away_does_not_come_back(self) -> None:
        keeps = MemoryLog()
        host = begun(keeps)
        done(host.ask(OWNER, Anew(type="anew", key=key())))
        again = MatchHost()
        again.restore(keeps.entries)
        assert again.match is None
        assert again.draft == DRAFT

    def test_entries_are_plain_and_cite(self) -> None:
        keeps = MemoryLog()
        begun(keeps)
        spoken = [e for e in keeps.entries if e.kind.startswith("match.")]
        assert all(isinstance(e, Entry) and e.words for e in spoken)
        assert all(e.data["event"]["citation"] for e in spoken)
        assert spoken[0].data["game"] == "white_line_fever"
        assert len(spoken[0].data["seed"]) == 16


class TestDice:
    def test_are_rolled_here_from_the_logged_seed(self) -> None:
        keeps = MemoryLog()
        host = begun(keeps)
        for kind, data in (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"})):
            done(act(host, ANNA, kind, **data))
        done(act(host, ANNA, "shoot", weapon="Machine Gun", target="Blue 1", band="maximum"))
        seed = next(e.data["seed"] for e in keeps.entries if e.kind == "match.begin")
        rolled = [e.data["event"]["data"] for e in keeps.entries if e.kind == "match.roll"]
        assert rolled[0]["source"] == f"seed {seed}, roll 1"

    def test_a_die_that_fell_is_not_rolled_again_by_undoing(self) -> None:
        host = begun()
        for kind, data in (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"})):
            done(act(host, ANNA, kind, **data))
        for _ in range(3):
            done(act(host, ANNA, "shoot", weapon="Machine Gun", target="Blue 1", band="maximum"))
            assert host.match is not None
            rolls = [e.data["source"] for e in host.match.log if e.kind == "roll"]
            assert rolls[-1].endswith("roll 1")
            assert "the owner may" in str(host.ask(ANNA, Undo(type="undo", key=key())).error)
            done(host.ask(OWNER, Undo(type="undo", key=key())))

    def test_a_player_types_none_where_they_are_rolled_here(self) -> None:
        host = begun()
        for kind, data in (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"})):
            done(act(host, ANNA, kind, **data))
        shot = {"weapon": "Machine Gun", "target": "Blue 1", "band": "maximum"}
        refused = act(host, ANNA, "shoot", dice=[8], **shot)
        assert "dice are rolled here at this table" in str(refused.error)
        done(act(host, OWNER, "shoot", player="Anna", dice=[8], **shot))
        assert host.match is not None
        assert any("(dice typed by the owner of the table)" in e.words for e in host.match.log)

    def test_a_player_rules_on_nothing_by_themselves(self) -> None:
        """What nobody saw is said by its fields, not by a ruling on checks that there are none of."""
        host = begun()
        for kind, data in (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"})):
            done(act(host, OWNER, kind, **data))
        shot = {
            "weapon": "Machine Gun",
            "target": "Blue 1",
            "ruled": {"Maximum Range": "yes", "Nonsense": "yes"},
        }
        refused = act(host, ANNA, "shoot", **shot)
        assert not refused.accepted
        assert "nobody saw the shot" in refused.reasons[0].words

    def test_a_die_that_was_typed_wrong_may_be_taken_back(self) -> None:
        keeps = MemoryLog()
        host = begun(keeps)
        done(host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes(dice="type"))))
        for kind, data in (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"})):
            done(act(host, ANNA, kind, **data))
        done(act(host, ANNA, "shoot", weapon="Machine Gun", target="Blue 1", band="maximum", dice=[3]))
        # Whoever missed tries nothing else instead: they say that it was typed wrong, or the owner undoes it.
        assert not host.ask(ANNA, Undo(type="undo", key=key())).accepted
        assert (host.may_undo(ANNA), host.may_retype(ANNA), host.may_retype(BEN)) == (False, True, False)
        done(host.ask(OWNER, Undo(type="undo", key=key())))
        shot = {"weapon": "Machine Gun", "target": "Blue 1", "band": "maximum"}
        refused = act(host, ANNA, "shoot", dice=[8], **shot)
        assert "say first that it was mistyped" in refused.reasons[0].words
        assert not host.ask(GUEST, Mistyped(type="mistyped", key=key())).accepted
        done(host.ask(ANNA, Mistyped(type="mistyped", key=key())))
        done(act(host, ANNA, "shoot", dice=[8], **shot))
        log = len(host.match.log)
        for who in (BEN, GUEST):
            assert not host.ask(who, Mistyped(type="mistyped", key=key(), back=True)).accepted
        done(host.ask(ANNA, Mistyped(type="mistyped", key=key(), back=True)))
        assert [event.kind for event in host.match.log[log:]] == ["undo", "mistyped"]
        assert "no die was typed" in str(
            host.ask(OWNER, Mistyped(type="mistyped", key=key(), back=True)).error
        )
        assert "Anna says that a die was typed wrong" in "\n".join(
            line.words for line in log_lines(host.match.log, Viewer())
        )
        # Nothing else is tried instead: that very shot has its dice typed anew, or the owner does something.
        assert "to be typed anew first" in str(act(host, ANNA, "floor_it").error)
        assert "to be typed anew first" in str(
            act(host, ANNA, "shoot", dice=[8], **shot | {"weapon": "X"}).error
        )
        assert {o.kind for o in host.options() if not host.comes_first(ANNA, o)} == {"shoot"}
        assert not host.comes_first(OWNER, host.options()[0])
        again = MatchHost(MemoryLog())
        again.restore(keeps.entries)
        assert again.match is not None
        assert again.match.retyping is not None
        done(act(host, ANNA, "shoot", dice=[8], **shot))
        assert host.match.retyping is None

    def test_whoever_has_seen_dice_of_a_deed_takes_back_nothing_before_it(self) -> None:
        """Done once more from there it would be another deed, and its dice would be thrown anew."""
        host = begun()
        done(act(host, ANNA, "choose", car="Red 1"))
        assert host.may_undo(ANNA)
        deed = Act(type="act", key=key(), kind="shoot", player="Anna", data={}, dice=None)
        throw = Throw("t", ANNA, "Anna", deed, (), (Want(8, "a shot"),))
        host.throws.put(throw)
        assert host.may_undo(ANNA), "no die has fallen"
        host.throws.waiting["t"] = replace(throw, typed={0: 4})
        assert (host.may_undo(ANNA), host.may_undo(OWNER)) == (False, True)
        assert not host.ask(ANNA, Undo(type="undo", key=key())).accepted

    def test_that_have_fallen_are_not_rolled_here_instead(self) -> None:
        """They were dropped without a word as the owner switched, and the deed had others."""
        host = begun()
        done(host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes(dice="type"))))
        deed = Act(type="act", key=key(), kind="shoot", player="Anna", data={}, dice=None)
        throw = Throw("t", ANNA, "Anna", deed, (), (Want(8, "a shot"), Want(8, "a shot")))
        host.throws.put(replace(throw, typed={0: 4}))
        refused = host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes()))
        assert "dice have fallen for what Anna does" in str(refused.error)
        assert host.modes.dice == "type"
        assert host.throws.waiting["t"].typed == {0: 4}
        host.throws.waiting["t"] = throw
        done(host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes())))
        assert not host.throws.waiting

    def test_no_number_of_the_seed_is_rolled_twice(self) -> None:
        keeps = MemoryLog()
        host = begun(keeps)
        for kind, data in (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"})):
            done(act(host, ANNA, kind, **data))
        shot = {"weapon": "Machine Gun", "target": "Blue 1", "band": "maximum"}
        done(act(host, ANNA, "shoot", **shot))
        done(host.ask(OWNER, Undo(type="undo", key=key())))
        again = MatchHost(MemoryLog())
        again.restore(keeps.entries)
        # The die of the shot stays, after a restart too; the next one is roll 2.
        done(act(again, OWNER, "shoot", **shot))
        done(act(again, OWNER, "floor_it"))
        assert again.match is not None
        rolls = [e.data["source"].split(", ")[1] for e in again.match.log if e.kind == "roll"]
        assert rolls == ["roll 1", "roll 1", "roll 2"]

    def test_are_asked_for_when_they_are_typed(self) -> None:
        host = begun()
        done(host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes(dice="type"))))
        for kind, data in (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"})):
            done(act(host, ANNA, kind, **data))
        shot = {"weapon": "Machine Gun", "target": "Blue 1", "band": "maximum"}
        asked = act(host, ANNA, "shoot", **shot)
        assert [(w.sides, "to hit" in w.why) for w in asked.wanted] == [(8, True)]
        wrong = act(host, ANNA, "shoot", dice=[9], **shot)
        assert "1 to 8" in str(wrong.error)
        done(act(host, ANNA, "shoot", dice=[8], **shot))
        assert host.match is not None
        assert host.match.log[-1].kind in ("hit", "damaged")


class TestTurns:
    def test_a_player_takes_back_only_their_own_last_deed(self) -> None:
        host = begun()
        done(act(host, ANNA, "choose", car="Red 1"))
        assert not host.ask(BEN, Undo(type="undo", key=key())).accepted
        done(host.ask(ANNA, Undo(type="undo", key=key())))
        assert not host.ask(ANNA, Undo(type="undo", key=key())).accepted
        done(host.ask(OWNER, Redo(type="redo", key=key())))

    def test_a_player_does_again_only_what_they_took_back_themselves(self) -> None:
        host = begun()
        done(act(host, ANNA, "choose", car="Red 1"))
        assert not host.may_redo(ANNA), "nothing was taken back"
        done(host.ask(ANNA, Undo(type="undo", key=key())))
        assert (host.may_redo(ANNA), host.may_redo(BEN), host.may_undo(ANNA)) == (True, False, False)
        refused = host.ask(BEN, Redo(type="redo", key=key()))
        assert "do again only what you took back yourself" in str(refused.error)
        done(host.ask(ANNA, Redo(type="redo", key=key())))
        assert host.match is not None
        assert host.match.log[-1].kind == "redo"
        # What she did again is hers to take back as it was before.
        assert (host.may_redo(ANNA), host.may_undo(ANNA), host.may_undo(BEN)) == (False, True, False)
        done(host.ask(ANNA, Undo(type="undo", key=key())))
        done(host.ask(ANNA, Redo(type="redo", key=key())))
        done(host.ask(OWNER, Undo(type="undo", key=key())))
        assert not host.may_redo(ANNA), "the owner has a reason"
        assert not host.ask(ANNA, Redo(type="redo", key=key())).accepted

    def test_a_player_does_not_take_back_an_overruling(self) -> None:
        host = begun()
        done(act(host, ANNA, "choose", car="Red 1"))
        over = Overrule(type="overrule", key=key(), path=list(SPEED), value=5, words="as agreed")
        done(host.ask(OWNER, over))
        assert not host.ask(ANNA, Undo(type="undo", key=key())).accepted
        assert state(host)["cars"]["Red 1"]["speed"] == 5

    def test_an_overruling_says_what_it_was(self) -> None:
        host = begun()
        over = Overrule(
            type="overrule", key=key(), path=["cars", "Red 1", "speed"], value=5, words="as agreed"
        )
        done(host.ask(OWNER, over))
        assert state(host)["cars"]["Red 1"]["speed"] == 5
        assert host.match is not None
        assert "3 → 5, as agreed (overruled by the owner of the table)" in host.match.log[-1].words

    def test_the_log_says_what_was_undone(self) -> None:
        host = begun()
        done(act(host, ANNA, "choose", car="Red 1"))
        done(host.ask(ANNA, Undo(type="undo", key=key())))
        assert host.match is not None
        lines = log_lines(host.match.log, Viewer())
        assert [(line.first, line.undone) for line in lines[-3:]] == [
            (True, True),
            (False, True),
            (True, False),
        ]
        assert log_lines(host.match.log, Viewer(), 3) == lines[-3:]
        done(host.ask(OWNER, Redo(type="redo", key=key())))
        assert not any(line.undone for line in log_lines(host.match.log, Viewer()))


class TestSettingUp:
    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (
                {"players": [{"name": "Anna", "colour": "#000000"}] * 2, "pieces": []},
                "another player is called 'Anna' already",
            ),
            ({"pieces": [{**DRAFT.pieces[0].model_dump(), "owner": "Zoe"}]}, "does not play"),
            ({"pieces": [DRAFT.pieces[0].model_dump()] * 2}, "another car is called"),
            ({"answers": {"first": "Zoe"}}, "first: expected one of Anna, Ben"),
            ({"answers": {"moon": "full"}}, "moon: nobody asked for it"),
            ({"game": "chess"}, "no game called 'chess'"),
        ],
    )
    def test_what_cannot_be_is_refused(self, change: dict[str, Any], said: str) -> None:
        draft = Draft.model_validate(DRAFT.model_dump() | change)
        answer = MatchHost().ask(OWNER, SetUp(type="setup", key=key(), draft=draft))
        assert said in " ".join([str(answer.error), *(reason.words for reason in answer.reasons)])

    def test_the_rule_book_has_the_last_word_at_the_beginning(self) -> None:
        host = MatchHost()
        lone = DRAFT.model_copy(update={"players": DRAFT.players[:1], "pieces": DRAFT.pieces[:2]})
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=lone)))
        answer = host.ask(OWNER, Begin(type="begin", key=key()))
        assert [reason.words for reason in answer.reasons] == ["A game needs two players or more."]
        assert host.match is None

    def test_a_player_arms_their_own_cars_and_no_others(self) -> None:
        host = MatchHost()
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
        done(host.ask(ANNA, Sit(type="sit", key=key(), player="Anna")))

        def armed(number: int) -> Draft:
            pieces = [
                p.model_copy(update={"answers": p.answers | ({"brand": "Essence"} if k == number else {})})
                for k, p in enumerate(DRAFT.pieces)
            ]
            return DRAFT.model_copy(update={"pieces": pieces})

        assert not host.ask(ANNA, SetUp(type="setup", key=key(), draft=armed(2))).accepted
        done(host.ask(ANNA, SetUp(type="setup", key=key(), draft=armed(0))))
        assert host.draft.pieces[0].answers["brand"] == "Essence"

    def test_nobody_overwrites_what_somebody_else_has_changed(self) -> None:
        host = MatchHost()
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT, before=host.draft)))
        faster = DRAFT.model_copy(update={"answers": {"deployment": "highway", "first": "Ben"}})
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=faster, before=DRAFT)))
        late = DRAFT.model_copy(update={"answers": {}})
        answer = host.ask(OWNER, SetUp(type="setup", key=key(), draft=late, before=DRAFT))
        assert not answer.accepted
        assert answer.number == host.number == 2
        assert host.draft == faster

    def test_a_seat_goes_with_its_player(self) -> None:
        host = MatchHost()
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
        done(host.ask(ANNA, Sit(type="sit", key=key(), player="Anna")))
        done(host.ask(ANNA, Sit(type="sit", key=key(), player="Ben")))
        assert host.player_of(ANNA) == "Ben"
        assert host.seats.taken == {"Ben"}
        done(host.ask(OWNER, Free(type="free", key=key(), player="Ben")))
        assert host.player_of(ANNA) is None


def test_events_are_kept_as_they_are() -> None:
    keeps = MemoryLog()
    host = begun(keeps)
    assert host.match is not None
    kept = [e.data["event"] for e in keeps.entries if e.kind.startswith("match.")]
    assert kept == [event_to_json(e) for e in host.match.log]


@pytest.mark.parametrize(
    ("modes", "words"),
    [
        (Modes(), "Dice are rolled here; the table is measured for everything."),
        (
            Modes(dice="type", moves="ask"),
            "Dice are typed from the table; moves are entered by hand, all else is measured.",
        ),
        (Modes(questions="ask"), "Dice are rolled here; moves are measured, all else is entered by hand."),
        (
            Modes(moves="ask", questions="ask"),
            "Dice are rolled here; moves and all else are entered by hand.",
        ),
    ],
)
def test_what_is_measured_is_told_as_a_sentence(modes: Modes, words: str) -> None:
    """It read *the players say questions*."""
    assert modes_entry(None, modes).words == words


@pytest.mark.parametrize("request_", [Undo(type="undo", key="twice-00"), Redo(type="redo", key="twice-00")])
def test_of_two_pages_that_mean_the_newest_deed_at_once_the_first_is_heard(request_: Undo | Redo) -> None:
    host = begun()
    assert host.match is not None
    if isinstance(request_, Redo):
        for _ in range(2):
            done(host.ask(OWNER, Undo(type="undo", key=key())))
    shown, counted = host.match.counted[-1].number, len(host.match.counted)
    asked = request_.model_copy(update={"newest": shown})
    done(host.ask(OWNER, asked.model_copy(update={"key": key()})))
    refused = host.ask(OWNER, asked.model_copy(update={"key": key()}))
    assert not refused.accepted
    assert "the game has gone on since you tapped that" in str(refused.error)
    assert abs(len(host.match.counted) - counted) == 1


def test_a_game_that_was_begun_meanwhile_is_not_ended_by_what_was_tapped_before() -> None:
    host = begun()
    assert host.match is not None
    shown = host.match.counted[-1].number
    done(host.ask(OWNER, Anew(type="anew", key=key(), newest=shown)))
    assert not host.ask(OWNER, Anew(type="anew", key=key(), newest=shown)).accepted
    done(host.ask(OWNER, Begin(type="begin", key=key())))
    assert not host.ask(OWNER, Anew(type="anew", key=key(), newest=shown)).accepted
    assert host.match is not None


LATE = [
    {"type": "act", "kind": "choose", "player": "Anna", "data": {"car": "Red 1"}},
    {"type": "concede", "player": "Anna"},
    {"type": "overrule", "path": SPEED, "value": 2, "words": "agreed"},
]


@pytest.mark.parametrize("said", LATE)
def test_what_is_told_again_late_is_done_once_and_in_no_other_position(said: dict[str, Any]) -> None:
    host = begun()
    assert host.match is not None
    shown = {"newest": host.match.counted[-1].number}
    first, other = (from_player.validate_python(said | {"key": key()}) for _ in range(2))
    again, late = (from_player.validate_python(one.model_dump() | shown) for one in (first, other))
    done(host.ask(OWNER, first))
    count = host.match.count
    done(host.ask(OWNER, again))
    refused = host.ask(OWNER, late)
    assert "the game has gone on since you tapped that" in str(refused.error)
    assert host.match.count == count


@pytest.mark.parametrize("stuck_s", [0.0, 2.9, 3.0, 60.0])
@pytest.mark.parametrize("said", LATE)
def test_what_was_stuck_for_seconds_is_done_in_no_other_position(
    said: dict[str, Any], stuck_s: float
) -> None:
    """It ended that player's next turn; while others act at the same time it is heard."""
    now = [100.0]
    host = begun(clock=lambda: now[0])
    assert host.match is not None
    stuck = from_player.validate_python(said | {"key": key(), "shown": host.match.counted[-1].number})
    now[0] += 30.0
    done(host.ask(OWNER, from_player.validate_python(LATE[-1] | {"key": key(), "words": "said before"})))
    now[0] += stuck_s
    count, answer = host.match.count, host.ask(OWNER, stuck)
    assert answer.accepted == (stuck_s < 3.0)
    if not answer.accepted:
        assert "the game has gone on since you tapped that" in str(answer.error)
        assert host.match.count == count


def test_by_the_key_of_what_was_done_nothing_else_is_said_to_be_done() -> None:
    host = begun()
    switched = SetModes(type="modes", key="a-key-of-its-own", modes=Modes(dice="type"))
    assert done(host.ask(OWNER, switched)) == done(host.ask(OWNER, switched)), "told again it is done once"
    other = host.ask(OWNER, switched.model_copy(update={"modes": Modes(dice="roll")}))
    assert (other.accepted, other.error) == (False, USED)
    assert host.modes.dice == "type"
