"""Players that know no game: they set it up and play at random, from its forms alone."""

from __future__ import annotations

from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Game, State
from engine.game.dice import Dice
from engine.game.events import Action, Event, Illegal
from engine.game.filling import Chance, Stuck, complete, filled
from engine.game.forms import Form
from engine.game.log.placed import Sight
from engine.game.match import Match

_PLAYERS = ["Ann", "Bob", "Cleo", "Dirk", "Eva", "Finn", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea"]


def random_setup(game: Game[Any], chance: Chance, *, tries: int = 200) -> dict[str, Any]:
    """A set-up that a game accepts, from its forms alone."""
    for _ in range(tries):
        fewest, most = game.about.players
        players = _PLAYERS[: chance.randint(fewest, min(most, max(fewest, 4)))]
        each = chance.randint(1, 3)
        pieces = [{"name": f"{player} {k + 1}", "owner": player} for player in players for k in range(each)]
        so_far: dict[str, Any] = {"players": players, "pieces": pieces}
        try:
            return answered(game, so_far, chance)
        except Stuck:
            continue
    raise TableRefError(f"{game.about.title}: found no set-up that its own form accepts in {tries} tries")


def answered(game: Game[Any], so_far: dict[str, Any], chance: Chance) -> dict[str, Any]:
    """Answers everything that is asked, and what is asked then, until nothing new is; each field once.

    What is asked no more after another answer is answered no more.
    """
    asked: set[tuple[str, str]] = set()
    for _ in range(20):
        form = game.setup(so_far)
        rows = [
            ("", so_far, form.game.fields),
            *((p["name"], p, form.pieces.get(p["name"], Form()).fields) for p in so_far["pieces"]),
        ]
        new = False
        for name, given, fields in rows:
            missing = {n: one for n, one in fields.items() if (name, n) not in asked}
            given.update(complete(Form(missing), chance))
            asked |= {(name, n) for n in missing}
            new = new or bool(missing)
        if not new:
            if form.not_yet:
                raise Stuck(form.not_yet[0].words)
            for name, given, fields in rows:
                for gone in [n for n in given if (name, n) in asked and n not in fields]:
                    del given[gone]
            return so_far
    raise Stuck("the set-up asks without end")


def choose(match: Match[State], chance: Chance, sight: Sight = None, *, tries: int = 30) -> Action:
    """A lawful action at random; `Stuck` when none is found, with what each option lacked."""
    offered = match.options(sight)
    options = [o for o in offered if not o.not_now]
    why = {o.words: o.not_now[0].words for o in offered if o.not_now}
    for _ in range(tries if options else 0):
        option = chance.choice(options)
        try:
            action = filled(option, chance)
        except Stuck as stuck:
            why.setdefault(option.words, str(stuck))
            continue
        reasons = match.check(action, sight)
        if not reasons:
            return action
        why.setdefault(option.words, f"{action.data}: {reasons[0].words}")
    if not offered:
        raise Stuck(f"there is no option: {match.game.about.title} offers nothing, and is not over")
    lacks = "; ".join(f"{words} ({reason})" for words, reason in why.items())
    raise Stuck(f"no option could be filled lawfully: {lacks}")


def step(match: Match[State], chance: Chance, dice: Dice, sight: Sight = None) -> tuple[Event, ...]:
    """A random lawful action, done, in secret where it is a sealed choice.

    Where everybody has chosen and it cannot be revealed as things stand now, somebody takes a choice back.
    """
    if not match.options(sight) and (group := match.revealing(sight)) is not None:
        try:
            return match.reveal(group, sight, dice)
        except Illegal:
            player = chance.choice([p for g, p in match.chosen if g == group])
            return match.append(match.propose_withdraw(player, group, sight))
    action = choose(match, chance, sight)
    if action.kind in match.game.about.sealed:
        return match.seal(action, f"{chance.randint(0, 2**64):x}", sight, dice)[0]
    return match.do(action, sight, dice)
