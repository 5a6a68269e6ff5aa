"""Where pieces without a tag stand: outlined once, watched by their own looks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from shapely.geometry import Polygon

from calibration.table_text import with_block
from calibration.tablefile import parse_table
from engine.ruling import unplaced_words
from engine.space.geometry import Footprint, Pose
from engine.space.pieces import Body, Piece, Spot
from engine.space.table import Status, Thing
from server.pipeline.referee import Moment
from server.setup.settling.named_things import terrain_text
from tests.vision.untold import UNTOLD, UntoldTable
from vision.places import PlaceWatch, Verdict, outlined_piece
from vision.things import STAYS_S


class Table(UntoldTable):
    """The same, of which a thing is kept as Rock 1."""

    def keep(self, moment: Moment, thing: Thing, height: float) -> Moment:
        piece = outlined_piece("Rock 1", thing, height, moment.surface)  # type: ignore[arg-type]
        text = with_block(self.referee.table.text, terrain_text(piece, "kept"))
        told = tuple(p for p in parse_table(text).pieces if p.name not in UNTOLD)
        table = replace(self.referee.table, text=text, pieces=told)
        assert self.referee.adopt(table, outlined="Rock 1", thing=thing.name, time=moment.time)
        return self.watch(0.4)


def near(moment: Moment, place: Pose) -> Thing:
    return min(moment.table.things, key=lambda t: math.dist(t.region.outline.mean(axis=0), place.xy))


def test_a_thing_is_kept_as_terrain_watched_where_it_stands_and_told_when_it_leaves() -> None:
    table = Table()
    crate = next(p for p in table.scene.pieces if p.name == "Crate")
    place = table.scene.start["Crate"]
    moment = table.watch(STAYS_S + 1.5)
    thing = near(moment, place)
    count = len(moment.table.things)
    moment = table.keep(moment, thing, crate.body.height)
    # It blocks from now on, with its own deviation, and is asked about no more.
    moment = table.watch(1.5)
    assert len(moment.table.things) == count - 1
    rock = moment.table.find("Rock 1")
    assert rock.status is Status.STILL
    truth = Polygon(place.to_table(crate.body.footprint.outline))
    sd = math.sqrt(rock.uncertainty.total[0, 0])
    rim = rock.region.polygon.exterior
    off = [rim.distance(truth.exterior.interpolate(at)) for at in np.arange(0.0, truth.length, 0.1)]
    assert np.quantile(off, 0.95) < 1.96 * sd < 0.8
    # Below a hand it stays.
    table.source.show_hand(Pose(place.x, place.y, math.radians(75)), 4.5)
    assert table.watch(2.0).table.find("Rock 1")
    table.source.show_hand(None)
    moment = table.watch(1.5)
    assert moment.table.find("Rock 1").status is Status.STILL
    assert len(moment.table.things) == count - 1
    # Pushed aside by half an inch it is not where it was: what lies there is asked about anew.
    table.source.put("Crate", Pose(place.x + 0.5, place.y, place.heading))
    moment = table.watch(2 * STAYS_S + 3.0)
    assert [p.name for p in moment.table.unplaced] == ["Rock 1"]
    assert len(moment.table.things) == count
    assert moment.table.hiding == ("Rock 1",)
    assert unplaced_words(moment.table.hiding).startswith("Rock 1 is not seen where it was outlined")
    # Put back, it is there again, and taken away it is gone.
    table.source.put("Crate", place)
    moment = table.watch(STAYS_S)
    assert moment.table.find("Rock 1").status is Status.STILL
    table.source.lift("Crate")
    moment = table.watch(2.5)
    assert [p.name for p in moment.table.unplaced] == ["Rock 1"]
    assert [w.split(" ", 2)[2] for w in table.words.get("Rock 1", [])] == [
        "does not stand where it was outlined any more.",
        "stands where it was outlined.",
        "does not stand where it was outlined any more.",
    ]


def test_what_looks_otherwise_for_long_is_gone_and_a_hand_over_it_is_not() -> None:
    piece = Piece("Rock", "terrain", Body("rock", Footprint.box(2, 2), 1.0), spot=Spot(Pose(5, 5), 0.1))
    watch = PlaceWatch([piece])
    plain, hand, road = (Verdict(1.0, 0.9, alike) for alike in (0.95, 0.1, 0.2))

    def see(verdict: Verdict, since: float, until: float) -> list[list[str]]:
        times = np.arange(since, until, 0.5)
        return [told for at in times if (told := watch.take(float(at), {"Rock": verdict}))]

    # What the table file says is believed once the place looks so for a second.
    assert not see(plain, 0.0, 1.0)
    assert not watch.standings
    see(plain, 1.0, 2.0)
    assert [s.status for s in watch.standings] == [Status.STILL]
    assert not see(hand, 2.0, 8.0)
    assert [s.status for s in watch.standings] == [Status.HELD]
    assert not see(plain, 8.0, 9.0)
    # Below it is a printed road: nothing is bare, but it looks like something else.
    assert see(road, 9.0, 19.5) == [["Rock"]]
    assert (watch.standings, watch.away) == ((), ("Rock",))
    assert see(plain, 20.0, 21.0) == [["Rock"]]
    assert not watch.away
    # Most of it covered by a piece: it stays, unseen.
    see(Verdict(0.2, 0.0), 21.0, 30.0)
    assert [s.status for s in watch.standings] == [Status.HELD]
    # Bare cloth in place of it.
    assert see(Verdict(1.0, 0.1), 30.0, 33.0) == [["Rock"]]
