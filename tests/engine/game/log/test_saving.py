from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.log.saving import load, save
from engine.game.match import Match
from tests.engine.game.test_own_game import FOLDER, GAME, SETUP


def test_a_match_is_saved_without_its_secrets_and_goes_on_with_them():
    match = Match.begin(GAME, SETUP)
    match.play("go", "ann", inches=6, salt="a")
    text = save(match)
    assert '"inches": 6' not in text
    opened = load(text, [FOLDER], match.secrets)
    opened.play("go", "bob", inches=1, salt="b")
    assert opened.state.winner == "Ann"
    assert load(save(opened), [FOLDER]).state == opened.state
    with pytest.raises(TableRefError, match="go is chosen in secret: expected a salt"):
        match.play("go", "bob", inches=1)


def test_a_match_of_another_game_is_looked_at_and_nonsense_is_refused():
    match = Match.begin(GAME, SETUP)
    elsewhere = load(save(match).replace("far_edge", "far_side"))
    assert [e.words for e in elsewhere.log] == [e.words for e in match.log]
    assert elsewhere.options() == ()
    for text in ("", "[]", "{", '{"match": 1}'):
        with pytest.raises(TableRefError, match="expected a match"):
            load(text)
