from __future__ import annotations

import math

import pytest

from engine.errors import TableRefError
from engine.space.catalogue import box
from engine.space.hand_made import table_of


def test_a_table_is_made_in_a_line():
    table = table_of(
        {"Red 1": ("Sedan", 10, 24), "Rock": (box(2, 2, 1), 20, 24, 90)},
        size=(36, 36),
        owners={"Red 1": "Red"},
    )
    red, rock = table.standings
    assert (red.piece.kind, red.piece.owner, rock.piece.kind) == ("car", "Red", "terrain")
    assert (rock.pose.x, rock.pose.heading) == (20, math.pi / 2)
    assert table.surface.area == 36 * 36


@pytest.mark.parametrize(
    ("place", "words"), [(("sedan", 1), "Red: expected a model"), (("ufo", 1, 1), "no car model")]
)
def test_what_makes_no_sense_is_refused(place, words):
    with pytest.raises(TableRefError, match=words):
        table_of({"Red": place})
