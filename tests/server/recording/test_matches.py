"""The match in a record: what of it came to count."""

from __future__ import annotations

import pytest

from server.recording.journal import Recorded
from server.recording.matches import ends_of_batches, standing
from tests.server.playback import BEGAN


def recorded(kinds: str) -> list[Recorded]:
    """Entries of these kinds, in words too; a slash in a kind is no match's."""
    return [
        Recorded(n, k.replace("/", ".") if "/" in k else f"match.{k}", 0.0, 0.0, BEGAN, k, {}, None)
        for n, k in enumerate(kinds.split(), 1)
    ]


@pytest.mark.parametrize(
    ("kinds", "left"),
    [
        ("begin action shot undo", "begin"),
        ("begin action shot undo redo", "begin action shot"),
        ("begin action shot undo action moved", "begin action moved"),
        ("begin action shot action moved undo undo", "begin"),
        ("begin action shot action moved undo undo redo", "begin action shot"),
    ],
)
def test_undo_and_redo(kinds: str, left: str) -> None:
    entries = recorded(kinds)
    assert [e.words for e in standing(entries)] == left.split()


def test_what_was_seen_and_said_meanwhile_stays() -> None:
    entries = recorded("begin action camera/moved shot dispute/opened undo")
    assert [e.words for e in standing(entries)] == ["begin", "camera/moved", "dispute/opened"]


def test_where_batches_end() -> None:
    entries = recorded("camera/moved begin sheet action camera/moved shot action moved camera/settled")
    assert sorted(ends_of_batches(entries)) == [3, 6, 8]
