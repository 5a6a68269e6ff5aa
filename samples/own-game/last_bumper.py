"""Last Bumper, a game of two to four cars that are pushed by hand, as an example of a whole game.

Every round all drivers choose a speed in secret, 2 to 8 inches, and the fastest drives first. A car is pushed
so far at most, and turns by 60° at most. The first car that it touches is rammed, and the push ends there:
that one loses an armour and is pushed an inch away. If it still drives, a die of 1 to 3 costs the car that
rams one, too. Who has rammed nobody may shoot: at a car in sight, ahead of the nose and within 10 inches.
A die of 4 hits, or of 5 if the car is faster than 4 inches. A car without armour is out, and the last one
that drives has won.
"""

import math
from dataclasses import dataclass, replace

from engine.game.contract import About, Game, Option, Question, Seen, move_named, names_awaited
from engine.game.dice import Want
from engine.game.events import FactField, Illegal, Reason
from engine.game.forms import Candidate, Fact, Form, Number, Pick, SetUpForm
from engine.game.kit import free_moves, reading
from engine.game.kit.actions import Rule
from engine.game.kit.events import Events
from engine.game.kit.shown import outline, way
from engine.game.kit.states import States, called, changed
from engine.game.kit.table import ACCEPT, off_goal, path, pose_json, standing_of
from engine.game.kit.table import seen as seen_on
from engine.game.showing import Awaited, Counter, Ghost, Guide, Place, Progress, Sheet, Status
from engine.measure import distances
from engine.measure.arcs import Arc
from engine.measure.contacts import Contact, contacts
from engine.measure.sweep import Straight, Turn
from engine.ruling import Ruling, Verdict, make_check
from engine.space.geometry import Pose

BOOK = "Last Bumper 1"
SECTIONS = ("Speed", "The push", "Ramming", "Shooting", "The end")
SPEED, PUSH, RAM, SHOT, END = (f"{BOOK} · {section}" for section in SECTIONS)
SLOWEST, FASTEST, BEND, FAR, AWAY = 2, 8, math.radians(60), 10.0, 1.0
SLACK, ASKEW = 0.5, math.radians(15)  # inches and radians by which a hand may push amiss


# The state, and the events that change it


@dataclass(frozen=True)
class Car:
    """A car, and where it has to be put (x, y, heading) since a ram that a camera saw."""

    name: str
    owner: str
    armour: int = 3
    speed: int = 0
    to: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Fight:
    """Where the game stands: `order` has the cars whose turn is still to come, `shoots` is who has driven.

    Nothing is kept that follows from the rest: who overrules an armour has a state that holds together.
    """

    cars: tuple[Car, ...] = ()
    revealed: int = 0
    order: tuple[str, ...] = ()
    shoots: str | None = None
    winner: str | None = None
    over: bool = False

    def car(self, name):
        """The car of that name."""
        return called(self.cars, name, "car")

    @property
    def driving(self):
        """The cars that are not out."""
        return tuple(car for car in self.cars if car.armour)

    @property
    def now(self):
        """The car whose turn it is; None while everybody chooses a speed, and at the end."""
        turns = [car for name in self.order if (car := self.car(name)).armour]
        return turns[0] if turns and not self.over else None

    @property
    def shoved(self):
        """The car that has to be put elsewhere before anything else is done."""
        return next((car for car in self.driving if car.to is not None), None)

    @property
    def round(self):
        """The number of the round."""
        return self.revealed + (self.now is None)


STATES = States(Fight, by_name=("cars",))
EVENTS = Events("Last Bumper", pieces=("car", "other", "into"), states=STATES)


@EVENTS.on("revealed", tone="turn")
def revealed(state, data):
    """Every car has its speed, and its turn."""
    cars = tuple(replace(car, speed=data["speeds"].get(car.name, 0)) for car in state.cars)
    return replace(state, cars=cars, order=tuple(data["order"]), shoots=None, revealed=state.revealed + 1)


@EVENTS.on("driven", tone="move")
def driven(state, data):
    """A car has driven; it may shoot where it has rammed nobody."""
    return done(state, data) if data["into"] else replace(state, shoots=data["car"])


@EVENTS.on("hurt", tone=lambda data: "bad" if data["left"] else "loss")
def hurt(state, data):
    """A car has lost armour, and has to be put elsewhere if it was rammed."""
    to = None if data["to"] is None else tuple(data["to"])
    return replace(state, cars=changed(state.cars, [data["car"]], armour=data["left"], to=to))


@EVENTS.on("put", tone="quiet")
def put(state, data):
    """A car stands where a ram has pushed it."""
    return replace(state, cars=changed(state.cars, [data["car"]], to=None))


@EVENTS.on("shot", tone="attack")
@EVENTS.on("held", tone="quiet")
def done(state, data):
    """The turn of a car is over."""
    return replace(state, order=tuple(name for name in state.order if name != data["car"]), shoots=None)


EVENTS.only_told("missed", tone="miss")


@EVENTS.on("over", tone="end")
def over(state, data):
    """Somebody has won, or nobody."""
    return replace(state, over=True, winner=data["winner"])


# Before the game


def setup(so_far):
    """One car for each of two to four players."""
    players, pieces = reading.seated(so_far)
    owned = [(str(piece.get("name")), str(piece.get("owner"))) for piece in pieces]
    lacks = reading.not_seated(players, owned, 4, "car")
    lacks += ["each player has one car"] if len(owned) > len(players) else []
    return SetUpForm(not_yet=tuple(Reason(words, SPEED) for words in lacks))


def begin(said):
    """The cars stand where they were put."""
    if reasons := setup(said).not_yet:
        raise Illegal(reasons)
    state = Fight(tuple(Car(one["name"], one["owner"]) for one in said["pieces"]))
    words = f"{', '.join(said['players'])} begin"
    return (EVENTS.told("begin", words, SPEED, {"state": STATES.as_json(state)}),)


# What may be done


def offers(state, seen):
    """Everybody chooses a speed; then one car after the other drives, and shoots."""
    if state.over:
        return ()
    if car := state.shoved:
        form = Form({"move": path(seen, car.name)})
        return (Option("put", car.owner, f"{car.name} stands there", form=form, citation=RAM, piece=car.name,
                       main=True, not_now=amiss(state, seen.table)),)  # fmt: skip
    car = state.now
    if car is None:
        leads = tuple(f"hits on {needed(speed)}+" for speed in range(SLOWEST, FASTEST + 1))
        form = Form({"inches": Number(words="Speed", low=SLOWEST, high=FASTEST, unit="in", leads=leads)})
        return tuple(
            Option("speed", one.owner, f"Choose the speed of {one.name}", form=form, citation=SPEED,
                   piece=one.name, sealed=f"round {state.round}")
            for one in state.driving
        )  # fmt: skip
    others = [one for one in state.driving if one != car]
    if state.shoots == car.name:
        hold = Option("hold", car.owner, "Hold fire", citation=SHOT, piece=car.name, ends=True)
        return (*(shot_at(state, seen.table, car, one) for one in others), hold)
    rams = tuple(Candidate(one.name, one.name) for one in others)
    into = Pick(words="It rams", candidates=rams, optional=True, folded=True)
    form = Form({"move": path(seen, car.name), "into": into})
    words = f"Push {car.name} up to {car.speed} in"
    return (Option("push", car.owner, words, form=form, citation=PUSH, piece=car.name, main=True),)


def amiss(state, table):
    """That a car does not stand where it has to be put; something may stand there, and the players decide."""
    wrong = [ghost for ghost in ghosts(state, Seen(table)) if ghost.right is False]
    return tuple(Reason(ghost.words, RAM, open=True) for ghost in wrong)


def shot_at(state, table, car, target):
    """A shot, with what the table has against it; what is too close to call the players decide."""
    (asks,) = questions(state, (car.name, target.name))
    unseen = [] if table is None else [name for name in asks.pieces if seen_on(table, name) is None]
    against = [Reason(f"{name} cannot be seen", SHOT, open=True, fact=True) for name in unseen]
    for check in () if table is None or unseen else rule(state, asks, table).checks:
        if check.verdict is not Verdict.YES:
            close = check.verdict is Verdict.TOO_CLOSE
            words = f"{check.name}: {check.words}"
            against.append(Reason(words, SHOT, open=close, close=close, fact=close))
    return Option("shoot", car.owner, f"Shoot at {target.name}", heading="Shoot", citation=SHOT,
                  data={"target": target.name}, piece=target.name, question=asks, not_now=tuple(against),
                  facts=(Fact(f"{needed(car.speed)}+", "on a die"),))  # fmt: skip


def needed(speed):
    """What the die has to show: a fast car shoots badly."""
    return 5 if speed > FASTEST / 2 else 4


def questions(_state, picked):
    """May one car shoot at another: also asked while nobody plays."""
    if len(picked) < 2:
        return (Question("shot", "May it shoot?", picked, label="Shot", missing="pick the target"),)
    by, at = picked[:2]
    return (Question("shot", f"May {by} shoot at {at}?", (by, at), label="Shot"),)


def rule(_state, asks, table):
    """The range from edge to edge, what is ahead of the nose, and whether anything stands between."""
    by, at = (table.find(name) for name in asks.pieces)
    ahead = distances.arc(by, Arc.at(by.piece.body, "nose"), at, "footprint").at_least(0.0)
    walls = [one for one in table.others(by.name, at.name) if one.piece.blocks_sight]
    clear = distances.outline_sight(by, at, walls).at_least(0.0)
    sight = clear.unless_in_the_way(table.hiding_between(by, at))
    sight = replace(sight, witness=replace(sight.witness, shows="sight"))  # the page draws that line
    where = "ahead of" if ahead.value >= 0.0 else "behind"
    past = f"hidden by {' and '.join(sight.witness.blockers)}"
    return Ruling(asks.words, table.time, by.name, at.name, (
        make_check("Range", distances.edge_range(by, at).at_most(FAR), citation=SHOT),
        make_check("Ahead", ahead, citation=SHOT, words=f"{abs(ahead.value):.2f} in {where} the nose"),
        make_check("In sight", sight, citation=SHOT, words="clear" if sight.value >= 0.0 else past),
    ), deed=f"shoot at {at.name}")  # fmt: skip


# How a push is judged


@dataclass(frozen=True)
class Driven:
    """A push as the rules have it: where the car should stand, inches that it may go, and whom it touches."""

    ruling: Ruling
    should: Pose
    most: float
    met: tuple[Contact, ...]


def judged(state, move):
    """The push; or, once it has been put right, what it was before."""

    def alone(move):
        car, gone = state.car(move.piece), move.recognised()
        there = [one for one in move.before.others(car.name) if one.name in {c.name for c in state.driving}]
        met = contacts(move.start, [done.step for done in gone.steps], there)
        sure = [one for one in met if one.verdict is Verdict.YES]
        most = min([car.speed, *(free_moves.inches_to(gone, one) for one in sure)])
        words = f"Was that push of {car.name} by the rules?"
        ruling = Ruling(words, move.until, car.name, "", (
            make_check("How far", gone.length.at_most(round(most + SLACK, 2)), citation=PUSH),
            make_check("Turn", gone.turned.at_most(BEND + ASKEW), citation=PUSH),
            free_moves.straight_line(car.name, gone, SLACK, PUSH),
        ))  # fmt: skip
        return free_moves.Judged(Driven(ruling, cut_short(move, most), most, met))

    def beside(push):
        """Inches beside its place at which a way with a turn is too long by no more than it may be."""
        away = math.dist(move.earlier.after.pose.xy, push.driven.should.xy)
        return free_moves.short_of(away, push.driven.ruling.check("How far").number - push.driven.most, SLACK)

    whole = alone(move)
    before = free_moves.put_right(move, whole, alone, inches=SLACK, radians=ASKEW, most=beside)
    if before is None:
        return whole
    # What was undone touches nobody.
    driven, gone = before.driven, move.earlier.recognised()
    met = tuple(one for one in driven.met if free_moves.inches_to(gone, one) <= driven.most + SLACK)
    return replace(before, driven=replace(driven, met=met), righted=True)


def cut_short(move, most):
    """Where a car should stand: on its own way, as far as it may go and turn."""
    pose, left = move.start.pose, {Straight: float(most), Turn: BEND}
    for step in (done.step for done in move.recognised().steps):
        share = min(1.0, left[type(step)] / max(step.size, 1e-6))
        left[type(step)] -= share * step.size
        pose = step.part(share).after(pose)
    return pose


def rammed_by(push, said):
    """The car that is rammed, and what the players have to say of that; `said` is what they did say."""
    asked = []
    for met in push.driven.met:
        question, answer = f"{push.driven.ruling.subject} touches {met.other}", "yes"
        if met.verdict is Verdict.TOO_CLOSE:
            answer = reading.ruled(said, question)
            asked.append(Reason(f"whether {question} is too close to call", RAM, open=True, question=question,
                                fact=True, pieces=(met.other,)))  # fmt: skip
        if answer == "yes":
            return met.other, asked
    return None, asked


def as_seen(state, action, seen):
    """A push with the car that it rams, and what is against it."""
    move = move_named(action, seen, state.now.name) if action.kind == "push" and state.now else None
    if move is None or isinstance(move, Reason):
        return action, () if move is None else (move,)
    push = judged(state, move)
    if "into" in action.data:
        return action, push.reasons()
    other, asked = rammed_by(push, action.data)
    full = action if other is None else replace(action, data={**action.data, "into": other})
    return full, [*push.reasons(), *asked]


def by_camera(state, action, seen):
    """A car that was put somewhere stands there; of one that has driven the camera knows the way."""
    if action.kind == "put" and state.shoved:
        return seen_on(seen.table, state.shoved.name) is not None
    return names_awaited(awaits(state), action, seen)


def awaits(state):
    """The car that has to be put elsewhere; else the one whose turn it is, until it has driven."""
    if (car := state.shoved) and not state.over:
        return (Awaited(car.name, "put", car.owner, f"put {car.name}, {car.armour} left", anywhere=True),)
    car = state.now
    if car is None or state.shoots == car.name:
        return ()
    return (Awaited(car.name, "push", car.owner, f"push {car.name} in round {state.round}"),)


def guide(state, awaited, move, table):
    """How far it may go; how far it has gone; and whether that was by the rules."""
    name, speed = awaited.piece, state.car(awaited.piece).speed
    if awaited.kind == "put":
        if move is None or move.after.status.value != "still":
            return Guide(name, "ready" if move is None else "moving", name, "Put it on the outline.")
        against, goal = amiss(state, table), state.shoved.to
        return free_moves.put_down(name, "", against, "In place", "It stands there", goal=goal)
    if move is None:
        here = standing_of(table, name)
        reach = () if here is None else (outline("reach", here, here.pose.compose(Pose(speed, 0, 0))),)
        facts = (f"up to {speed} in, turned by 60° at most",)
        return Guide(name, "ready", f"Push {name}", facts=facts, marks=reach)
    gone, push = move.recognised(), judged(state, move)
    other, asked = rammed_by(push, {})
    shown = {
        "progress": Progress(gone.length.value, speed, f"{gone.length.value:.2f} of {speed} in"),
        "steps": tuple(done.words for done in gone.runs),
        "facts": (*(one.words for one in asked), *([] if other is None else [f"{name} rams {other}"])),
    }
    if move.after.status.value != "still":
        left = f"{max(speed - gone.length.value, 0.0):.1f} in left"
        return Guide(name, "moving", left, marks=tuple(way(move)), **shown)
    should = [] if push.legal else [outline("goal", move.after, push.driven.should)]
    off = off_goal(move.after, push.driven.should, SLACK, ASKEW)
    words = free_moves.off_words(off.away.value, off.askew)
    # One tap accepts all that is against it, so it is not offered where something is asked besides.
    accept = "" if asked else ACCEPT
    return push.rested(name, words, "Take it", accept=accept, marks=(*way(move), *should), **shown)


# What is done


def do_put(play, _action):
    """A car is where a ram has pushed it."""
    car = play.state.shoved
    play.tell("put", f"{car.name} stands where the ram has pushed it", RAM, car=car.name)


def do_speed(play, action):
    """The speeds are revealed, and the fastest drives first."""
    inches = {player: said["inches"] for player, said in action.data["choices"].items()}
    speeds = {car.name: inches[car.owner] for car in play.state.driving}
    order = sorted(speeds, key=lambda name: -speeds[name])
    words = ", ".join(f"{name} {speeds[name]} in" for name in order)
    play.tell("revealed", words, SPEED, speeds=speeds, order=order)


def do_push(play, action):
    """A car drives, and may ram another: straight away from where it stands now."""
    car, other, move = play.state.now, action.data.get("into"), move_named(action, play.seen, None)
    inches = None if move is None else inches_of(judged(play.state, move))
    far = "" if inches is None else f" {inches:.2f} in"
    play.tell("driven", f"{car.name} drives{far}", PUSH, car=car.name, inches=inches, into=other)
    if other is None:
        return
    to = None
    if move is not None:
        there, here = move.before.find(other).pose, move.after.pose
        angle = math.atan2(there.y - here.y, there.x - here.x)
        x, y = there.x + AWAY * math.cos(angle), there.y + AWAY * math.sin(angle)
        to = pose_json(Pose(x, y, there.heading))
    harm(play, other, f"{car.name} rams {other}", RAM, to)
    if play.state.car(other).armour:
        (roll,) = play.rolls([Want(6, f"{car.name} is unhurt by its ram, 4+", by=car.owner)], RAM, [car.name])
        if roll.value < 4:
            harm(play, car.name, f"{car.name} is hurt by its own ram", RAM)


def inches_of(push):
    """How far a car has driven; None where it went another way than any that is known."""
    length = push.driven.ruling.check("How far").number
    known = push.driven.ruling.check("Straight Line").verdict is Verdict.YES
    return round(min(length, push.driven.most) if push.righted else length, 2) if known else None


def harm(play, name, words, citation, to=None):
    """A car loses an armour."""
    left = play.state.car(name).armour - 1
    what = f"it has {left} armour left" if left else "it is out"
    play.tell("hurt", f"{words}: {what}", citation, car=name, left=left, to=to)


def do_shoot(play, action):
    """A die decides whether it hits."""
    car, target = play.state.now, action.data["target"]
    why = f"{car.name} shoots at {target}, {needed(car.speed)}+"
    play.tell("shot", why, SHOT, car=car.name, other=target)
    (roll,) = play.rolls([Want(6, why, by=car.owner)], SHOT, [car.name, target])
    if roll.value >= needed(car.speed):
        harm(play, target, f"{car.name} hits {target}", SHOT)
    else:
        play.tell("missed", f"{car.name} misses {target}", SHOT, car=car.name, other=target)


def do_hold(play, _action):
    """Nobody is shot at."""
    car = play.state.now
    play.tell("held", f"{car.name} holds fire", SHOT, car=car.name)


def give_up(play, player):
    """The cars of a player are out."""
    for car in play.state.driving:
        if car.owner == player:
            play.tell("hurt", f"{player} gives up {car.name}", END, car=car.name, left=0, to=None)
    settle(play)


def settle(play, *, rolling=True):
    """The last one that drives has won: after whatever was done, or was overruled by hand."""
    drive = play.state.driving
    if not play.state.over and len(drive) < 2:
        winner = drive[0].owner if drive else None
        play.tell("over", f"{winner or 'Nobody'} has the last bumper", END, winner=winner)


# What is shown


def ghosts(state, seen):
    """Where the car has to be put that was rammed."""
    car = state.shoved
    if car is None or state.over:
        return ()
    here = seen_on(seen.table, car.name)
    off = None if here is None else off_goal(here, Pose(*car.to), SLACK, ASKEW).verdict
    right = None if off is None else off is not Verdict.NO
    return (Ghost(car.name, car.to, f"put {car.name} where the ram has pushed it", RAM, right),)


def removed(state):
    """The cars that are out are taken off the table."""
    return tuple(car.name for car in state.cars if not car.armour)


def status(state, _viewer):
    """Whose turn it is, and who has how much armour."""
    car = state.shoved or state.now
    order = tuple(Place(c.owner, c == car, not c.armour, c.armour, f"{c.armour} armour") for c in state.cars)
    if state.over:
        return Status.at_the_end(state.winner, order)
    if car is None:
        return Status(f"Round {state.round}", "Everybody chooses a speed", order=order)
    does = "may shoot" if state.shoots == car.name else "drives"
    who = f"{car.name} is pushed away" if state.shoved else f"{car.owner} {does}"
    return Status(f"Round {state.round}", who, player=car.owner, piece=car.name, order=order)


def sheets(state, _viewer):
    """What each car has, to be tapped where it is wrong."""
    return tuple(
        Sheet(car.name, car.owner, piece=car.name, out=not car.armour, widgets=(
            Counter(words="Armour", value=car.armour, high=9, path=("cars", car.name, "armour")),
            Counter(words="Speed", value=car.speed, high=FASTEST, path=("cars", car.name, "speed")),
        ), summary=f"{car.armour} armour, speed {car.speed}")
        for car in state.cars
    )  # fmt: skip


HINTS = (
    ("speed", "Who is fast drives first and gets far; who drives 4 inches or less shoots better."),
    ("push", "Push the car by hand, and let go. The first car that it touches is rammed."),
    ("shoot", "A car in sight, ahead of the nose and within 10 inches."),
)

GAME = Game(
    about=About(
        "last_bumper", "Last Bumper", BOOK, "1", sections=SECTIONS, players=(2, 4), sealed=("speed",),
        what="Cars ram and shoot until one is left.", lasts="half an hour", level="easy", hints=HINTS,
    ),
    states=STATES,
    events=EVENTS,
    rules={
        "speed": Rule(do_speed, "the speeds that were chosen are revealed", SPEED),
        "put": Rule(do_put, "it stands where the ram has pushed it", RAM),
        "push": Rule(do_push, "push[ and ram {into}]", PUSH),
        "shoot": Rule(do_shoot, "shoot at {target}", SHOT),
        "hold": Rule(do_hold, "hold fire", SHOT),
    },
    facts={"push": (FactField("into", "It rams", denies=True),)},
    setup=setup,
    begin=begin,
    offers=offers,
    as_seen=as_seen,
    settle=settle,
    give_up=give_up,
    by_camera=by_camera,
    driven=lambda _state, event, _board: event.data.get("inches"),
    awaits=awaits,
    guide=guide,
    questions=questions,
    rule=rule,
    ghosts=ghosts,
    removed=removed,
    status=status,
    sheets=sheets,
)  # fmt: skip
