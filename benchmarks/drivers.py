"""`python -m benchmarks.drivers --game NAME --games N [--against random|plain|near] [--alike]`.

Games of a machine against another one, on a drawn table of which everything is measured from the truth:
*random* plays lawfully at random by the forms, *plain* drives at full speed at the nearest target, in a race
along the track, and shoots what it can; *near* is *hard*, but looks one deed ahead. The seats change hands
from game to game. Counted are games won, proposals that were not lawful, and how long decisions take, by the
processor's clock. One core.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from benchmarks.command import command
from engine.driver.balance import interval_of, settled
from engine.driver.characters import LEVEL, LevelName, TemperName
from engine.driver.contest import DrawnTable
from engine.driver.contest import play as to_the_end
from engine.driver.deciding import Choice, Driver, Position, at_random, decide
from engine.errors import TableRefError
from engine.game.contract import Game
from engine.game.dice import SeededDice
from engine.game.filling import Stuck
from engine.game.match import Match
from engine.game.players import answered
from engine.game.registry import game_called
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty
from server.play.thinking import THINKS_S
from vision.simulate.scenes import scene_of_board

SD, SD_HEADING = 0.005, 0.002
"""Inches and radians by which the truth is known."""

NEAR = replace(LEVEL["hard"], beam=0)
"""*hard* that looks no farther than one deed ahead."""


def table_of(game: Game[Any], names: Sequence[str], *, exact: bool = False) -> DrawnTable:
    """The simulated table of the game's board, with these vehicles and what hangs on them."""
    scene = scene_of_board(game.about.boards)
    sure = PoseUncertainty.exact() if exact else PoseUncertainty.isotropic(SD, SD_HEADING)
    return DrawnTable.of(scene.surface, scene.pieces, scene.start, scene.board, names, sure)


@dataclass
class Played:
    """A game that was played."""

    number: int
    winner: str | None
    machine: str
    actions: int
    decisions: list[float] = field(default_factory=list)
    illegal: int = 0
    stuck: str = ""
    seconds: float = 0.0


def plain(position: Position[Any], chance: random.Random) -> Choice | None:
    """Drives at full speed at the nearest target or along the track, shoots, else does what is usual."""
    driver = Driver(position, level="hard", seed=f"{chance.random()}")
    proposals = list(driver.proposals())
    shots = {o.piece: o for o in position.options if o.question is not None and not o.not_now}
    # In a race the target is the track ahead: its game proposes those ways first that lead along it best.
    race = bool(getattr(position.state, "track", None))
    found: list[tuple[float, float, Any]] = []
    for nth, one in enumerate(proposals):
        option = next(
            (o for o in position.options if o.kind == one.kind and (not one.way or o.piece == one.piece)),
            None,
        )
        if one.way and one.piece:
            far = float(nth) if race else _nearest(position, one.piece, one.way[-1]) - 0.5 * len(one.way)
            score = 50.0 - far
        elif option is not None and option.question is not None and shots:
            score = 100.0 + _odds(option)
        else:
            speeds = [v for v in one.data.values() if isinstance(v, int) and not isinstance(v, bool)]
            score = 10.0 * (option is not None and option.main) + max(speeds, default=0)
        found.append((score, chance.random(), one))
    found.sort(key=lambda row: (-row[0], row[1]))
    return driver.first_lawful(one for _, _, one in found)


def _nearest(position: Position[Any], piece: str, at: Pose) -> float:
    table = position.seen.table
    if table is None:
        return 0.0
    mine = table.find(piece).piece.owner
    others = [s for s in table.standings if s.piece.driven and s.piece.owner not in (None, mine)]
    return min((math.dist(at.xy, s.pose.xy) for s in others), default=0.0)


def _odds(option: Any) -> float:
    for fact in option.facts:
        words = fact.words.split()
        if words and words[0].replace(".", "").isdigit():
            return float(words[0])
    return 0.0


@dataclass(frozen=True)
class Side:
    """Who plays a seat: a machine of this character, or an opponent: *random*, *plain* or *near*."""

    how: str
    level: LevelName = "hard"
    temper: TemperName = "even"

    def choose(self, position: Position[Any], seed: str) -> Choice | None:
        """What is done."""
        if self.how == "machine":
            until = time.process_time() + THINKS_S
            return decide(
                position,
                level=self.level,
                temper=self.temper,
                seed=seed,
                clock=time.process_time,
                until=until,
            )
        if self.how == "near":
            return Driver(position, level=NEAR, seed=seed).decide()
        return (plain if self.how == "plain" else at_random)(position, random.Random(seed))


def mirrored(game: Game[Any], setup: Mapping[str, Any]) -> dict[str, Any]:
    """The usual house rules, and equal forces: each side's pieces are those of the first, one by one."""
    asked = game.setup(dict(setup)).pieces
    first = [
        {n: f.usual for n, f in asked[p["name"]].fields.items() if f.usual is not None} | p
        for p in setup["pieces"]
        if p["owner"] == setup["pieces"][0]["owner"]
    ]
    nth: Counter[str] = Counter()
    pieces = []
    for piece in setup["pieces"]:
        told = first[nth[piece["owner"]] % len(first)]
        nth[piece["owner"]] += 1
        pieces.append({**told, "name": piece["name"], "owner": piece["owner"]})
    return settled(game, {"players": setup["players"], "pieces": pieces})


def begun(
    game: Game[Any], number: int, pieces_each: int, *, exact: bool = False, alike: bool = False, **rules: Any
) -> tuple[Match[Any], DrawnTable, list[str]]:
    """A match with two players of the simulated table, set up from its form and by these house rules.

    `alike`: both have the same vehicles, by the usual house rules; else all that is asked is drawn.
    """
    # Each set-up is played once from either side: so cars that are better are nobody's.
    chance = random.Random(f"{game.about.id} {number // 2}")
    scene = scene_of_board(game.about.boards)
    owners = list(dict.fromkeys(p.owner for p in scene.pieces if p.owner))
    fewest, _ = game.about.players
    players = owners[: max(fewest, 2)]
    driven = [p for p in scene.pieces if p.driven and p.owner in players and not p.follows]
    for attempt in range(80):
        each = max(1, pieces_each - attempt // 10)
        pieces = [p for p in driven if [q for q in driven if q.owner == p.owner].index(p) < each]
        so_far: dict[str, Any] = {
            "players": list(players), "pieces": [{"name": p.name, "owner": p.owner} for p in pieces],
            **rules,
        }  # fmt: skip
        try:
            setup = answered(game, so_far, chance)
            if alike:
                setup = mirrored(game, setup) | rules
            match = Match.begin(game, setup)
        except (Stuck, TableRefError):
            continue
        return match, table_of(game, [p.name for p in pieces], exact=exact), players
    raise TableRefError(f"{game.about.title}: no set-up that its own form accepts could be begun")


def play(
    game: Game[Any],
    number: int,
    machine: Side,
    other: Side,
    pieces_each: int = 2,
    watch: Callable[[Any], object] = id,
    *,
    exact: bool = False,
    alike: bool = False,
    **rules: Any,
) -> Played:
    """One game to its end; `watch` is shown each state, `rules` are house rules that differ."""
    match, table, players = begun(game, number, pieces_each, exact=exact, alike=alike, **rules)
    mine = players[number % len(players)]
    took: list[float] = []

    def choose(position: Position[Any], turn: int) -> Choice | None:
        side = machine if position.player == mine else other
        began = time.process_time()
        choice = side.choose(position, f"{number} {turn}")
        if side is machine:
            took.append(time.process_time() - began)
        return choice

    began = time.process_time()
    found = to_the_end(match, table, players, choose, SeededDice(f"{game.about.id} {number}"), watch)
    return Played(
        number, found.winner, mine, found.actions, took, int(found.illegal), found.stuck,
        time.process_time() - began,
    )  # fmt: skip


def told(game: Game[Any], games: Sequence[Played]) -> dict[str, Any]:
    """The figures of a row of games."""
    ended = [g for g in games if g.winner is not None]
    won = sum(g.winner == g.machine for g in ended)
    times = sorted(t for g in games for t in g.decisions)
    share = won / len(ended) if ended else 0.0
    low, high = interval_of(won, len(ended))
    return {
        "game": game.about.id,
        "games": len(games),
        "decided": len(ended),
        "won": won,
        "share": round(share, 3),
        "interval": [round(low, 3), round(high, 3)],
        "stuck": [f"{g.number}: {g.stuck}"[:300] for g in games if g.stuck],
        "illegal": sum(g.illegal for g in games),
        "decisions": len(times),
        "p95_s": round(times[int(0.95 * (len(times) - 1))], 3) if times else 0.0,
        "longest_s": round(times[-1], 3) if times else 0.0,
        "seconds_a_game": round(sum(g.seconds for g in games) / max(len(games), 1), 2),
        "actions": statistics.median([g.actions for g in games]) if games else 0,
    }


def played(
    *,
    game: Annotated[list[str], "by its name; may be said of several"],
    games: int = 20,
    seed: Annotated[int, "number of the first game"] = 0,
    level: LevelName = "hard",
    temper: TemperName = "even",
    against: Annotated[list[str] | None, "random, plain, near; the first two unless said"] = None,
    pieces: Annotated[int, "vehicles a side at the most"] = 2,
    seconds: Annotated[float, "begin no game after so much processor time"] = math.inf,
    exact: Annotated[bool, "everything is known exactly: quicker, never open"] = False,
    alike: Annotated[bool, "both sides have the same vehicles"] = False,
) -> Iterator[dict[str, Any]]:
    """A row of figures for each game and opponent."""
    for one in map(game_called, game):
        for opponent in against or ["random", "plain"]:
            done: list[Played] = []
            began = time.process_time()
            for number in range(seed, seed + games):
                if done and time.process_time() - began > seconds:
                    break
                machine, other = Side("machine", level, temper), Side(opponent)
                done.append(play(one, number, machine, other, pieces, exact=exact, alike=alike))
            yield {"level": level, "against": opponent, **told(one, done)}


if __name__ == "__main__":
    sys.exit(command(played, say=lambda row: print(row, flush=True)))
