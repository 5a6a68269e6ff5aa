"""The table's page asks what the running game asks: of that car, on that sheet, in this turn."""

from __future__ import annotations

import json
import time
from typing import Any

from websockets.sync.client import ClientConnection, connect

from engine.space.geometry import Pose
from tests.server.fakes import PATIENCE, STANDINGS
from tests.server.gaming import begun, gaming


class TablePage:
    """A page of the table as a program uses it: the state, with every change put in."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.state: dict[str, Any] = {}
        self.pieces: dict[str, dict[str, Any]] = {}

    def until(self, fits: Any) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while not (self.state and fits(self.state)):
            assert time.monotonic() < end, "waited in vain for a state that fits"
            heard = json.loads(self.connection.recv(timeout=PATIENCE))
            self.pieces |= {piece["name"]: piece for piece in heard.get("pieces", ())}
            self.state |= {k: v for k, v in heard.items() if k not in ("pieces", "type")}
            self.connection.send(json.dumps({"type": "drawn", "number": heard["number"]}))
        return self.state

    def select(self, *pieces: str, question: str | None = None) -> dict[str, Any]:
        said = {"type": "select", "pieces": list(pieces), "question": question}
        self.connection.send(json.dumps(said))
        wanted = (list(pieces), question)
        return self.until(
            lambda s: (s["selection"]["pieces"], s["selection"]["question"]) == wanted and s["reach"]
        )


def ahead(state: dict[str, Any], role: str, car: str, at: Pose) -> float:
    """Inches that a mark of this role reaches ahead of the front tyres of a car that heads along x."""
    tyres = at.to_table(STANDINGS[car][0].body.tyres[:2])
    points = [p for mark in state["reach"] if mark["role"] == role for p in mark["points"]]
    return float(max(x for x, _ in points) - max(x for x, _ in tyres))


def test_ranges_weapons_and_rings_are_those_of_the_car_on_its_sheet_in_this_turn() -> None:
    with gaming(follows=True) as table, table.joined() as owner:
        begun(owner)
        for kind in ("choose", "move"):
            assert owner.act(kind, car="RED1")["accepted"]
        at = Pose(24, 24, 0)
        table.source.move("RED1", at)
        with connect(table.url.replace("http", "ws") + "ws") as connection:
            page = TablePage(connection)
            page.until(lambda _: abs(page.pieces["RED1"]["x"] - at.x) < 0.05)
            state = page.select("RED1")
            # A Venus: two inches more than the weapon's line says, on every ring and in every word.
            assert [q["label"] for q in state["questions"]] == ["Machine Gun", "Harpoon"]
            state = page.select("RED1", question="Harpoon")
            assert "Short 8″, Maximum 18″" in state["questions"][1]["more"]
            assert abs(ahead(state, "far reach", "RED1", at) - 18.0) < 0.3
            assert abs(ahead(state, "reach", "RED1", at) - 8.0) < 0.3
            # Another car's are its own: a Hammer with a Tank Cannon has no two inches.
            assert [q["label"] for q in page.select("BLUE1")["questions"]] == ["Tank Cannon", "Long Horn"]
            assert owner.act("end")["accepted"]
            state = page.until(lambda s: s["turn"] == 2)
            assert state["selection"]["pieces"] == []
            assert state["reach"] == []
