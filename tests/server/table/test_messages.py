"""Messages are checked, and every one of them is documented."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from server.table.messages import FROM_PAGE, TO_PAGE, Drawn, PutPiece, Select, Show, StateChange, from_page
from server.web.messages import Model

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "protocol.md"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"type": "select", "pieces": ["RED1"]}', Select(type="select", pieces=["RED1"])),
        ('{"type": "select", "question": null}', Select(type="select")),
        ('{"type": "show", "view": "picture", "unit": "cm"}', Show(type="show", view="picture", unit="cm")),
        ('{"type": "drawn", "number": 7}', Drawn(type="drawn", number=7)),
        (
            '{"type": "move", "piece": "RED1", "x": 1, "y": 2.5, "heading": 0}',
            PutPiece(type="move", piece="RED1", x=1, y=2.5, heading=0),
        ),
    ],
)
def test_what_a_page_may_say(text: str, meant: Model) -> None:
    assert from_page.validate_json(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"type": "dance"}',
        '{"type": "drawn", "number": -1}',
        '{"type": "show", "view": "sideways", "unit": "in"}',
        '{"type": "select", "pieces": ["RED1"], "damage": 9}',
        '{"type": "select", "pieces": [""]}',
        json.dumps({"type": "select", "pieces": ["x" * 81]}),
        '{"type": "move", "piece": "RED1", "x": NaN, "y": 0, "heading": 0}',
        '{"type": "move", "piece": "RED1", "x": 1e9, "y": 0, "heading": 0}',
    ],
)
def test_what_is_not_understood(text: str) -> None:
    with pytest.raises(ValidationError):
        from_page.validate_json(text)


def test_a_change_holds_only_what_changed() -> None:
    sent = StateChange(type="change", number=3, time=1.0, ruling=None).model_dump(exclude_unset=True)
    assert sent == {"type": "change", "number": 3, "time": 1.0, "ruling": None}


@pytest.mark.parametrize("model", [*TO_PAGE, *FROM_PAGE], ids=lambda m: m.__name__)
def test_every_message_and_each_of_its_fields_is_documented(model: type[Model]) -> None:
    name = model.model_fields["type"].annotation.__args__[0]  # type: ignore[union-attr]
    sections = DOCUMENT.read_text(encoding="utf-8").split("\n### ")
    section = next((s for s in sections if s.startswith(f"`{name}`")), None)
    assert section is not None, f"docs/protocol.md has no section on the message `{name}`"
    missing = [field for field in model.model_fields if f"`{field}`" not in section]
    assert missing == []
