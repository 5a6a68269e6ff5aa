"""Maps of one's own are kept by their names, refused with what is wrong, and printed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pypdfium2
import pytest
from typer.testing import CliRunner

from engine.game.registry import game_called
from server.commands.cli import app
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.setup.laying import LaidMaps, laying_router
from server.setup.tables import TablesError
from server.table.rulings import Rulings
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll

GAME = "frothy_races"
OVAL = "Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid"


@dataclass
class Served:
    """A served page that lays maps, and how often others were told."""

    maps: LaidMaps
    url: str = ""
    told: list[int] = field(default_factory=list)


@contextmanager
def served(folder: Path, game: str = GAME) -> Iterator[Served]:
    source = HandMoved()
    one = Served(LaidMaps(folder))
    live = Runner(source, KnowsAll(source, 0.01))
    about = game_called(game).about
    routers = [laying_router(one.maps, lambda: about, lambda: one.told.append(1))]
    with PageServer(live, Rulings.by_book(None), listen(port=0), routers=routers) as server:
        one.url = server.address
        yield one


def test_they_are_kept_by_game_and_name(tmp_path: Path) -> None:
    maps = LaidMaps(tmp_path)
    maps.keep(GAME, OVAL)
    maps.keep(GAME, "Monday: straight")
    maps.keep(GAME, "sunday: straight")
    maps.keep("another", OVAL)
    assert LaidMaps(tmp_path).texts(GAME) == ("Monday: straight", "sunday: straight")
    maps.remove(GAME, "SUNDAY")
    assert maps.texts(GAME) == ("Monday: straight",)
    assert maps.texts("another") == (OVAL,)
    assert maps.texts("a third") == ()


@pytest.mark.parametrize("content", ["{", "[]", '{"frothy_races": [1]}', '{"frothy_races": "x"}'])
def test_a_file_that_is_none_is_refused_and_left_as_it_is(tmp_path: Path, content: str) -> None:
    (tmp_path / "maps.json").write_text(content)
    maps = LaidMaps(tmp_path)
    for deed in (lambda: maps.texts(GAME), lambda: maps.keep(GAME, OVAL)):
        with pytest.raises(TablesError, match="mend it or take it away"):
            deed()
    assert maps.offered(GAME) == ()
    assert (tmp_path / "maps.json").read_text() == content


def test_a_map_is_looked_at_kept_printed_and_removed(tmp_path: Path) -> None:
    with served(tmp_path) as one, httpx.Client(base_url=one.url, timeout=PATIENCE) as page:
        first = page.get("api/lay").json()
        assert first["title"] == "Frothy Races"
        assert "left bend" in first["pieces"]
        assert first["kept"] == []
        look = page.get("api/lay/look", params={"text": f"{OVAL}; hazard 1.5"}).json()
        assert look["wrong"] == []
        assert look["marks"] == [["1.5", "hazard"]]
        assert len(look["cells"]) == len({c["name"] for c in look["cells"]}) > 100
        refused = page.post("api/lay", json={"text": "Monday: straight"})
        assert refused.status_code == 422
        assert "it turns by 0°" in refused.json()["error"]
        assert one.told == []
        kept = page.post("api/lay", json={"text": OVAL})
        assert kept.json()["kept"] == [{"name": "Sunday", "text": OVAL}]
        assert one.told == [1]
        pdf = page.get("api/lay/map.pdf", params={"text": OVAL})
        assert len(pypdfium2.PdfDocument(io.BytesIO(pdf.content))) > 4
        assert page.get("api/lay/map.pdf", params={"text": "Monday:"}).status_code == 422
        assert page.delete("api/lay/Sunday").json()["kept"] == []


def test_a_game_that_lays_none_says_so(tmp_path: Path) -> None:
    with served(tmp_path, "battlecars") as one:
        answer = httpx.get(f"{one.url}api/lay")
    assert answer.status_code == 404
    assert "Battlecars has no maps that are laid from pieces" in answer.json()["error"]


def test_the_command_prints_it_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEREF_TABLES", str(tmp_path))
    LaidMaps().keep(GAME, OVAL)
    ask = ["print", "map", "--game", "frothy races"]
    assert "--map Sunday: Sunday, laid here" in CliRunner().invoke(app, ask).output
    out = tmp_path / "map.pdf"
    CliRunner().invoke(app, [*ask, "--map", "Sunday", "--out", str(out)], catch_exceptions=False)
    assert len(pypdfium2.PdfDocument(out)) > 4
