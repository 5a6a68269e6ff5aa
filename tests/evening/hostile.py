"""What a hostile phone sends: any message of the protocol, with fields of its own, in anybody's name."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

from engine.game.filling import Stuck, complete
from tests.evening.evening import Evening, act
from tests.evening.house import House, Violation

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e9, 2.5, "", "yes", "no", "Red 1", [], ["Red 1", "Blue 1"], [0, 0, 0],
    {"": "yes"}, {"x": 1}, "×" * 300, [[1, 2], [3, 4]],
)  # fmt: skip
"""What may stand in a field."""

GARBAGE = (
    "", "null", "[]", "{", '{"type": "act"}', '{"type": "undo", "key": 3}',
    '{"type": "none", "key": "abcdefgh"}', "\x00", '{"key": "' + "k" * 3000 + '"}',
    '{"type": "act", "key": "abcdefgh", "kind": "move", "data": {"car": {"a": [1e999]}}}',
    '{"type": "overrule", "key": "abcdefgh", "path": [], "words": "x"}',
)  # fmt: skip
"""What is no message of the protocol."""


def phone(evening: Evening, chance: random.Random) -> Any:
    """Give a phone: mostly a player's, sometimes one without a seat, or a spectator's."""
    at = evening.at
    return chance.choice([*at.phones.values(), *at.phones.values(), at.stranger, at.spectator])


@act(5)
def cheat(evening: Evening, chance: random.Random) -> str:
    """A phone sends what no page offers it: for others and itself, with facts of its own."""
    host, who = evening.at.served.match, phone(evening, chance)
    options = host.options()
    if host.match is None or not options:
        return "nothing is offered"
    option = chance.choice(options)
    data = dict(option.data)
    with suppress(Stuck):
        data |= complete(option.form, chance) if chance.random() < 0.5 else evening.answers(option, chance)
    facts = [one.field for one in host.match.game.facts.get(option.kind, ())]
    for name in chance.sample(facts, min(len(facts), chance.choice([0, 1, 1, 2]))):
        data[name] = _fact(evening, chance)
    if chance.random() < 0.3:
        data["ruled"] = chance.choice(["yes", "no", {"": "yes"}, {chance.choice(evening.cars()): "yes"}])
    if chance.random() < 0.2:
        data[chance.choice(["ruled_by", "measured", "player", "from", "owner", *data])] = chance.choice(
            VALUES
        )
    said: dict[str, Any] = {"type": "act", "kind": option.kind, "data": data}
    said["player"] = chance.choice([option.player, host.player_of(who), None])
    if chance.random() < 0.2:
        said["unmeasured"] = "I saw it"
    if chance.random() < 0.1:
        said["dice"] = [chance.randint(1, 6) for _ in range(3)]
    answer = evening.send(who, **said)
    return f"{host.player_of(who)}: {said} {answer['accepted']} {answer['proposed']}"


def _fact(evening: Evening, chance: random.Random) -> Any:
    cars = evening.cars()
    return chance.choice(
        [[chance.choice(cars)], chance.choice(cars), True, False, "yes", [], [{"other": chance.choice(cars)}],
         chance.uniform(0, 20), [chance.uniform(4, 40), chance.uniform(4, 40), 0.0], *VALUES]
    )  # fmt: skip


@act(3)
def hostile(evening: Evening, chance: random.Random) -> str:
    """A phone sends any other message, in anybody's name."""
    host, who, players = evening.at.served.match, phone(evening, chance), evening.players
    anyone, shown = chance.choice(players), evening.at.shown(who)
    strays = [s.piece for s in host.strays()] or evening.cars()[:1]
    groups = [c["group"] for c in (shown["match"] or {}).get("chosen", [])] or ["round 1"]
    proposals = list(host.proposals.waiting) or ["none"]
    throws = list(host.throws.waiting.values())
    throw = chance.choice(throws) if throws else None
    dice = [chance.choice([None, 1, 1]) for _ in (throw.wanted if throw else ())]
    message: dict[str, Any] = chance.choice(
        [
            {"type": "sit", "player": anyone},
            {"type": "free", "player": anyone},
            {"type": "withdraw", "group": chance.choice(groups), "player": chance.choice([anyone, None])},
            {"type": "reveal"},
            {"type": "undo"},
            {"type": "redo"},
            {"type": "concede", "player": chance.choice([p for p in players if p != host.player_of(who)])},
            {"type": "mistyped"},
            {"type": "stays", "pieces": strays},
            {"type": "overrule", "path": ["players", 0], "value": "Me", "words": "so it is"},
            {"type": "anew"},
            {"type": "begin"},
            {"type": "modes", "modes": {"dice": "type", "moves": "ask", "questions": "ask"}},
            {
                "type": "rolled",
                "throw": throw.id if throw else "none",
                "dice": chance.choice([dice, dice, None]),
            },
            {"type": "agree", "proposal": chance.choice(proposals), "agrees": True},
            {"type": "setup", "draft": host.draft.model_dump()},
        ]
    )
    answer = evening.send(who, **message)
    return f"{who.role} {host.player_of(who)}: {message['type']} {answer['accepted']}"


@act(1)
def garbage(evening: Evening, chance: random.Random) -> str:
    """A phone sends what is no message: it is told so, and others play on."""
    who = phone(evening, chance)
    with evening.at.socket(who, "/ws/play") as page:
        page.recv(timeout=30)
        sent = chance.choice(GARBAGE)
        page.send(sent)
        while (told := json.loads(page.recv(timeout=30)))["type"] != "answer":
            continue
        if told["accepted"]:
            raise Violation("garbage is accepted", sent)
    return sent[:60]


@act(1)
def hostile_door(evening: Evening, chance: random.Random) -> str:
    """A phone asks over HTTP for what is the owner's: it is refused, and nothing fails."""
    at, who = evening.at, phone(evening, chance)
    method, path, body = chance.choice(
        [
            ("post", "/api/disputes/now/release", {}),
            ("post", "/api/disputes/now/overrule", {"outcome": "yes", "note": "so it is"}),
            ("post", "/api/disputes/now/answer", {"number": 1, "consents": True}),
            ("post", "/api/disputes", {"key": "batch:999999"}),
            ("post", f"/api/exports/{at.game_id}?to=jsonl", None),
            ("delete", f"/api/games/{at.game_id}", None),
        ]
    )
    before = at.served.match.match, at.served.match.number
    answer = at.client.request(method, path, json=body, headers=at.headers(who))
    if answer.status_code >= 500:
        raise Violation(
            "a hostile request fails", f"{method} {path}: {answer.status_code} {answer.text[:200]}"
        )
    if path.startswith("/api/games") and answer.status_code < 400:
        raise Violation("a phone deletes a game", path)
    if (at.served.match.match, at.served.match.number) != before and "answer" not in path:
        raise Violation("a hostile request changes the match", f"{who.role} {method} {path}")
    return f"{who.role} {method} {path} {answer.status_code}"


@act(1)
def walks_off(evening: Evening, chance: random.Random) -> str:
    """A player walks off with the phone; the owner frees the seat, and it is taken again."""
    player, who = chance.choice(list(evening.at.phones.items()))
    freed = evening.send(House.owner, type="free", player=player)["accepted"]
    stray = evening.send(who, type="undo")["accepted"]
    if stray:
        raise Violation("a phone without a seat acts", f"{player}'s took back something")
    return f"{player} {freed} {evening.send(who, type='sit', player=player)['accepted']}"
