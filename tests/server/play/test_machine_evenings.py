"""Evenings of one person against two machines, to the end: with its own hand, and with hands that slip.

The person pushes and asks as people do; time goes by as it is told. Nothing may stall.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.driver.deciding import Choice
from engine.game.contract import Seen
from engine.game.match import Match
from engine.game.showing import Viewer
from engine.space.geometry import Pose
from engine.space.table import key_of
from server.play.machine import staying
from server.play.thinking import AsItLies, Decision, Thinker, Told
from tests.evening.house import House
from tests.server.play.test_machine import Evening, evening
from tests.volume import DEEP, volume

GAMES = ("battlecars", "car_cult", "frothy_races", "shattered_highways", "white_line_fever")
ANN, MACHINES = "Ann", ("Ben", "Cem")
STALLS = 25
"""Looks after which an evening in which nothing happens has stalled."""

LOOKS = volume(20, 4000)
"""Looks of an evening: in the gate its beginning, else to its end."""

SLIP_IN, SLIP_TURN, SLIPS = 0.2, math.radians(5.0), 0.3
"""Inches and radians by which a hand slips, and how often."""


class Person:
    """Plays a seat, and pushes what machines want where they have no hand."""

    def __init__(self, table: Evening, seed: str, *, pushes_all: bool) -> None:
        self.table, self.host, self.all = table, table.host, pushes_all
        self.chance, self.thinks = random.Random(seed), Thinker()
        self.refused: list[str] = []

    @property
    def match(self) -> Match[Any]:
        assert self.host.match is not None
        return self.host.match

    def look(self) -> None:
        """Does what is to be done, one thing at a time."""
        for one in list(self.host.proposals.waiting.values()):
            self.table.send(House.owner, type="agree", proposal=one.id, agrees=True)
        if self.put_right():
            return
        if self.match.revealing(self.seen) is not None:
            self.table.send(House.owner, type="reveal")
            return
        if self.all and self.push_for_machines():
            return
        told = Told(self.match.log, self.seen, ANN)
        count = self.match.count
        found = self.thinks(Decision(told, "learner", "even", str(count)), self.match.game).choice
        if found is not None:
            self.do(found)

    @property
    def seen(self) -> Seen:
        return self.host.seeing.now(self.host.owners)

    def put_right(self) -> bool:
        strays = [s.ghost for s in self.host.strays() if s.ghost]
        for ghost in [*self.match.game.ghosts(self.match.state, self.seen), *strays]:
            mine = self.all or self.host.owners.get(key_of(ghost.piece)) == ANN
            if ghost.pose is not None and not ghost.right and mine and ghost.piece in self.table.hands.poses:
                self.push(ghost.piece, [Pose(*ghost.pose)])
                return True
        return False

    def push(self, piece: str, way: Sequence[Pose], slips: bool = False) -> None:
        for pose in way:
            self.table.hands.move(piece, pose)
            self.table.at.tick()
        if slips and self.chance.random() < SLIPS:
            turn = self.chance.uniform(0.0, math.tau)
            off = Pose(
                SLIP_IN * math.cos(turn), SLIP_IN * math.sin(turn), self.chance.choice([-1, 1]) * SLIP_TURN
            )
            self.table.hands.move(piece, way[-1].compose(off))
        self.table.at.tick(6)

    def push_for_machines(self) -> bool:
        for intent in list(self.table.machines._intents.values()):
            choice = intent.choice
            lies = any(key_of(m.piece) == key_of(str(choice.piece)) for m in self.seen.moves.values())
            if intent.count != self.match.count or not choice.piece or not choice.way:
                continue
            if not lies:
                self.push(choice.piece, choice.way, slips=True)
                return True
            if intent.unlawful:
                self.push(choice.piece, choice.way[-1:])
                return True
        return False

    def do(self, choice: Choice) -> None:
        taken: Choice | None = choice
        if choice.piece and choice.way:
            self.push(choice.piece, choice.way)
            taken = self.thinks(AsItLies(Told(self.match.log, self.seen, ANN), choice, "1"), self.match.game)
        action = (taken or choice).action
        stays = staying(choice, self.match.options(self.seen)).action if choice.piece else action
        first = {} if taken else {"unmeasured": "it slipped"}
        unseen = {"unmeasured": "nothing was to be seen"}
        for asked, why in ((action, first), (action, unseen), (stays, {}), (stays, unseen)):
            data = {k: v for k, v in asked.data.items() if v != "thought"}
            answer = self.table.send(
                House.owner, type="act", kind=asked.kind, player=asked.player, data=data, **why
            )
            if answer.accepted or answer.proposed:
                return
        self.refused.append(f"{asked.kind} {data}: {answer.error or [r.words for r in answer.reasons]}")


@pytest.mark.parametrize("game", GAMES if DEEP else ("shattered_highways",))
@pytest.mark.parametrize("simulated", [True, False], ids=["its own hand", "hands that slip"])
def test_an_evening_against_two_machines_does_not_stall(tmp_path: Path, game: str, simulated: bool) -> None:
    with evening(tmp_path, game, simulated=simulated) as table:
        begin(table, game)
        person = Person(table, game, pushes_all=not simulated)
        idle, last = 0, -1
        for _ in range(LOOKS):
            match = person.match
            if match.game.status(match.state, Viewer()).over:
                break
            person.look()
            table.step()
            idle, last = (idle + 1, last) if match.count == last else (0, match.count)
            assert idle < STALLS, told(table, person)
        else:
            assert not DEEP, f"not over: {told(table, person)}"
        assert person.match.count > volume(5, 20)


def begin(table: Evening, game: str) -> None:
    driven = [p.name for p in table.at.hands.scene.pieces if p.driven and not p.follows]
    owners = [ANN, *MACHINES]
    named = [
        {
            "name": name,
            "colour": "#c8322b",
            "machine": None if name == ANN else {"level": "fair", "temper": "even"},
        }
        for name in owners
    ]
    each = [driven[0], driven[-1], driven[len(driven) // 2]]
    pieces = [{"name": p, "owner": o, "answers": {}} for p, o in zip(each, owners, strict=True)]
    draft = {"game": game, "players": named, "pieces": pieces, "answers": {}}
    answer = table.send(House.owner, type="setup", draft=draft)
    assert answer.accepted, answer
    answer = table.send(House.owner, type="begin")
    assert answer.accepted, answer


def told(table: Evening, person: Person) -> str:
    match = person.match
    status = match.game.status(match.state, Viewer())
    options = [
        (o.player, o.kind, o.piece, [r.words for r in o.not_now][:2]) for o in match.options(person.seen)
    ]
    says = [(v.player, v.headline, v.words) for v in table.machines.views()]
    ghosts = [(g.piece, g.words, g.right) for g in match.game.ghosts(match.state, person.seen)]
    log = [e.words for e in match.log][-6:]
    pushed = [(p, i.count, i.pushed, i.off, i.choice.goal) for p, i in table.machines._intents.items()]
    moves = list(person.seen.moves)
    said = [status.what, status.who, says, options[:12], ghosts, pushed, moves, person.refused[-4:], log]
    return "\n".join(map(str, said))
