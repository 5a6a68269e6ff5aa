"""A circuit of single hexes from the empty sheet to the race on it, in Chromium.

It is drawn with the mouse, kept and printed; printed on the simulated table it is chosen in the set-up, and a
round is raced on it with cars that a hand pushes. `TABLEREF_SCREENSHOTS` names a folder to keep pictures in.
"""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from playwright.sync_api import Browser, Page, expect

from calibration.boards import HexesFields
from engine.boards.board import Cell
from engine.boards.hexes import oval
from engine.boards.ring import LooseTrack
from engine.game.registry import game_called
from engine.games.frothy_races.book.laying import circuit_of
from engine.games.frothy_races.rules.moves import choice
from server.setup.laying import LaidMaps
from tests.server.fakes import wait_until
from tests.server.gaming import Player
from tests.server.page.evenings import Evening, deed, fits, opened, photograph, says
from tests.volume import deep
from vision.simulate import scenes

GAME = game_called("frothy_races")
DESKTOP = (1366, 900)

RINGS = [[(q + 4, r + 6) for q, r in lane] for lane in oval(9, 2, 3)]
"""What is drawn: three hexes wide round the middle of the sheet."""

START = [(8, 4), (8, 3), (6, 4), (6, 3)]
"""The start places in their order, on the near straight."""

SPACING = 2.0
PLAYERS = {"Anna": ("Red 1", "#c8322b"), "Ben": ("Blue 1", "#2f6fd0")}


def named(cell: Cell) -> str:
    return f"{cell[0]},{cell[1]}"


def drawn(page: Page, cells: list[Cell]) -> None:
    """The mouse is drawn over hexes in one stroke."""
    boxes = [page.locator(f'[data-id="{named(cell)}"]').bounding_box() for cell in cells]
    places = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]
    assert len(places) == len(cells)
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place)
    page.mouse.up()
    expect(page.locator(f'[data-id="{named(cells[-1])}"]:not(.free)')).to_have_count(1)


def laid(page: Page) -> None:
    """From an empty sheet to a circuit that nothing is against; what is wrong is said on the way."""
    page.locator("#empty").click()
    expect(page.locator("#map polygon.free")).to_have_count(24 * 13)
    for ring in RINGS:
        drawn(page, ring[:-1])
    says(page, "#wrong", "It does not close")
    for ring in RINGS:
        page.locator(f'[data-id="{named(ring[-1])}"]').click()
    says(page, "#wrong", "No start place lies yet")
    page.locator('[data-mark="start place"]').click()
    for cell in START:
        page.locator(f'[data-id="{named(cell)}"]').click()
    page.locator('[data-mark="hazard"]').click()
    page.locator(f'[data-id="{named(RINGS[1][20])}"]').click()
    page.locator("#name").fill("Ring road")
    page.locator("#name").press("Tab")
    expect(page.locator("#print")).to_have_attribute("href", re.compile("Ring%20road"))
    says(page, "#wrong", "It can be played on.")
    says(page, "#wrong", "3 hexes side by side")
    fits(page)
    photograph(page, "lay-drawn")
    page.locator("#keep").click()
    says(page, "#wrong", "Ring road is kept")


def printed(page: Page) -> None:
    """What is printed, looked at: sheets with lines, every hex by its name, hexes 2 inches apart."""
    href = page.locator("#print").get_attribute("href")
    answer = page.request.get(f"{page.url.removesuffix('/lay')}{href}")
    assert answer.ok
    document = pypdfium2.PdfDocument(io.BytesIO(answer.body()))
    folder = os.environ.get("TABLEREF_SCREENSHOTS")
    board = circuit_of(LaidMaps().texts(GAME.about.id)[0]).board(SPACING)
    missing = {board.name_of(cell) for cell in board.cells}
    apart = []
    for number, sheet in enumerate(document):
        picture = sheet.render(scale=1.0)
        assert 0.002 < float((np.asarray(picture.to_numpy())[..., 0] < 128).mean()) < 0.5
        if folder:
            picture.to_pil().save(Path(folder) / f"lay-printed-{number}.png")
        text = sheet.get_textpage()
        words = text.get_text_range()
        missing -= set(words.split())
        for one, other in zip(board.line[:-1], board.line[1:], strict=True):
            if board.pose_of(one).y == board.pose_of(other).y:
                boxes = [_box(text, board.name_of(cell)) for cell in (one, other)]
                if all(boxes):
                    apart.append(abs(boxes[0] - boxes[1]) / 72)  # type: ignore[operator]
    assert missing == set()
    assert len(apart) > 5
    assert np.median(apart) == pytest.approx(SPACING, abs=0.05), "to scale, but for digits of other widths"


def _box(text: pypdfium2.PdfTextPage, name: str) -> float | None:
    """Where the middle of a word stands on a sheet, points; None where it does not stand there."""
    found = text.search(name, match_whole_word=True).get_next()
    if found is None:
        return None
    ends = [text.get_charbox(found[0]), text.get_charbox(found[0] + found[1] - 1)]
    return (ends[0][0] + ends[1][2]) / 2


def scene_of(text: str, size: tuple[int, int]) -> scenes.Scene:
    """The simulated table with that circuit printed on its cloth, and two small cars on its start."""
    circuit = circuit_of(text)
    fields = HexesFields(
        kind="hexes",
        lanes=[list(lane) for lane in circuit.lanes],
        line=list(circuit.line),
        spacing_in=SPACING,
    )
    scene = replace(scenes.hexes_scene(size), board_fields=fields)
    cars = tuple(scene.piece(name) for name, _ in PLAYERS.values())
    board = scene.board
    start = {
        car.name: board.pose_of(cell, facing)
        for car, (cell, facing) in zip(cars, circuit.start[2:], strict=True)
    }
    return replace(scene, pieces=cars, start=start)


def drafted() -> dict[str, object]:
    """Two players with a slow rolling start, so that a round is short; no circuit is named."""
    players = [{"name": player, "colour": colour} for player, (_, colour) in PLAYERS.items()]
    pieces = [
        {"name": name, "owner": player, "answers": {"type": "Chariot", "slower": 1}}
        for player, (name, _) in PLAYERS.items()
    ]
    answers = {"rolling": True, "truce": False, "stamina": False}
    return {"game": "Frothy Races", "players": players, "pieces": pieces, "answers": answers}


def begun(evening: Evening, owner: Player, page: Page) -> None:
    """The circuit is chosen in the set-up by its name, and raced on as it lies on the table."""
    wait_until("the first picture", lambda: evening.live.moment is not None)
    owner.done(type="setup", draft=drafted())
    page.locator(".pick", has_text="Ring road").click()
    wait_until(
        "the choice", lambda: str(evening.host.draft.answers.get("circuit", "")).startswith("Ring road:")
    )
    photograph(page, "lay-chosen")
    owner.done(type="modes", modes={"dice": "type", "moves": "see", "questions": "see"})
    owner.done(type="begin")
    owner.done(type="act", kind="start", data={}, dice=[5, 2])
    state = evening.host.match.state  # type: ignore[union-attr]
    assert isinstance(state.board, LooseTrack)
    assert [state.vehicle(name).cell for name, _ in PLAYERS.values()] == START[:2]
    assert state.board.frame == scenes.named_scene("laid").board.frame, "as it lies on the table"
    evening.put_all({v.name: state.board.pose_of(v.cell, v.facing) for v in state.vehicles})
    for player, (name, _) in PLAYERS.items():
        owner.done(type="act", kind="check", player=player, data={"vehicle": name}, dice=["0", "0"])


def pushed(evening: Evening, page: Page, number: int) -> None:
    """A hand pushes the car that moves; the move is recognised as legal and taken as it lies."""
    state = evening.host.match.state  # type: ignore[union-attr]
    (awaited,) = GAME.awaits(state)
    v = state.vehicle(awaited.piece)
    way = next(w for w in choice(state, v, state.turn).ways if set(w.sides) == {"F"} and not w.into)
    evening.put_all({v.name: state.board.pose_of(way.cells[-1], v.facing)})
    expect(page.locator('[data-takes="move"]')).to_be_visible()
    expect(deed(page, "move")).to_have_count(0)
    photograph(page, f"lay-raced-{number}")
    page.locator('[data-takes="move"]').click()
    wait_until(
        "the move is taken",
        lambda: evening.host.match.state.vehicle(v.name).cell == way.cells[-1],  # type: ignore[union-attr]
    )


def raced(evening: Evening, page: Page, owner: Player) -> None:
    """A round, every move of it pushed and seen; none turns at its end."""
    moves = 0
    while (state := evening.host.match.state).round == 1:  # type: ignore[union-attr]
        if GAME.awaits(state):
            pushed(evening, page, moves)
            moves += 1
        else:
            option = evening.host.match.options()[0]  # type: ignore[union-attr]
            assert option.kind in ("steer", "done"), option.words
            owner.done(type="act", kind=option.kind, player=option.player, data=dict(option.data))
    assert moves == 4, "two spaces a round for each of two"
    log = evening.host.match.log  # type: ignore[union-attr]
    assert sum(event.kind == "moved" for event in log) == moves
    for v in state.vehicles:
        assert 1.0 < (v.travelled - v.start) * len(state.board.middle) < 3.0


@deep
def test_a_circuit_is_laid_printed_and_raced_on(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLEREF_TABLES", str(tmp_path / "tables"))
    with (
        opened(browser, tmp_path / "laid", "hexes") as evening,
        evening.joined() as connection,
    ):
        Player(connection).done(type="setup", draft=drafted())
        page = evening.page(DESKTOP, to="/lay")
        laid(page)
        printed(page)
    (text,) = LaidMaps().texts(GAME.about.id)
    monkeypatch.setitem(scenes.SCENES, "laid", lambda size: scene_of(text, size))
    with (
        opened(browser, tmp_path / "raced", "laid") as evening,
        evening.joined() as connection,
    ):
        owner = Player(connection)
        page = evening.page(DESKTOP)
        begun(evening, owner, page)
        raced(evening, page, owner)
        fits(page)
