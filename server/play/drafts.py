"""A game to come: which one, who plays with which pieces, and what its forms were answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from engine.driver.characters import LevelName, TemperName
from engine.errors import TableRefError
from engine.game.contract import Game
from engine.game.events import Illegal, Reason
from engine.game.forms import Form, SetUpForm, check_answers
from engine.game.showing import PlayCard
from engine.space.table import key_of, names_alike
from engine.words import is_one_line
from server.play.seats import NotYours
from server.web.messages import Model, Name

Colour = Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]
PlayerName = Annotated[str, Field(min_length=1, max_length=40)]


class Machine(Model):
    """How tableref plays a seat: how well, and what it cares for."""

    level: LevelName = "fair"
    temper: TemperName = "even"


class DraftPlayer(Model):
    """A player of a game to come. With `machine` nobody sits there, and tableref plays."""

    name: PlayerName
    colour: Colour
    machine: Machine | None = None


class DraftPiece(Model):
    """A piece of a game to come, and the answers to its form."""

    name: Name
    owner: PlayerName
    answers: dict[str, Any] = Field(default_factory=dict)


class Draft(Model):
    """A game as it is being set up. Players sit in this order, each to the right of the one before.

    `game` is its id, empty while none was chosen; `answers` are those to the form of the game.
    """

    game: Annotated[str, Field(max_length=80)] = ""
    players: Annotated[list[DraftPlayer], Field(max_length=12, default_factory=list)]
    pieces: Annotated[list[DraftPiece], Field(max_length=60, default_factory=list)]
    answers: dict[str, Any] = Field(default_factory=dict)


def draft_of(data: Mapping[str, Any]) -> Draft:
    """A draft as a journal holds it, also one from before there were several games."""
    if "cars" not in data:
        return Draft.model_validate(data)
    pieces = [
        {
            "name": car["name"],
            "owner": car["owner"],
            "answers": {k: v for k, v in car.items() if k not in ("name", "owner") and v is not None},
        }
        for car in data["cars"]
    ]
    answers = {k: v for k, v in data.items() if k not in ("players", "cars", "house") and v is not None}
    return Draft.model_validate(
        {"players": data["players"], "pieces": pieces, "answers": answers | data.get("house", {})}
    )


def newly_answered(draft: Draft, before: Draft) -> Draft:
    """The draft of another game without the answers that stood before: they were given to other questions."""

    def new(answers: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
        return {name: said for name, said in answers.items() if name not in old or old[name] != said}

    stood = {key_of(p.name): p.answers for p in before.pieces}
    pieces = [
        p.model_copy(update={"answers": new(p.answers, stood.get(key_of(p.name), {}))}) for p in draft.pieces
    ]
    return draft.model_copy(update={"pieces": pieces, "answers": new(draft.answers, before.answers)})


def so_far(draft: Draft) -> dict[str, Any]:
    """A draft as `Game.setup` is asked with it."""
    return {
        **draft.answers,
        "players": [p.name for p in draft.players],
        "pieces": [{**p.answers, "name": p.name, "owner": p.owner} for p in draft.pieces],
    }


def previews(game: Game[Any], draft: Draft) -> tuple[PlayCard, ...]:
    """The cards that the pieces of a draft would be played from."""
    return game.previews(so_far(draft))


def completed(game: Game[Any], draft: Draft) -> dict[str, Any]:
    """What the game begins with: where nothing was answered, what is usual; `Illegal` if it cannot yet."""
    form = game.setup(so_far(draft))
    if form.not_yet:
        raise Illegal(form.not_yet)
    pieces = [
        p.model_copy(update={"answers": _usual(form.pieces.get(p.name, Form())) | p.answers})
        for p in draft.pieces
    ]
    return so_far(draft.model_copy(update={"pieces": pieces, "answers": _usual(form.game) | draft.answers}))


def own_pieces_only(player: str | None, was: Draft, draft: Draft) -> None:
    """A player may answer the forms of their own pieces, and nothing else."""

    def without(one: Draft) -> Draft:
        pieces = [p if p.owner != player else p.model_copy(update={"answers": {}}) for p in one.pieces]
        return one.model_copy(update={"pieces": pieces})

    if player is None or without(draft) != without(was):
        raise NotYours("only the owner of the table sets the game up; you may arm what is yours")


def check_draft(draft: Draft, game: Game[Any]) -> None:
    """Names that can be told apart, pieces that somebody has, and answers to what is asked.

    What is still missing is asked when the game begins.
    """
    names = [p.name for p in draft.players]
    for what, given in (("player", names), (game.about.vehicles, [p.name for p in draft.pieces])):
        if alike := names_alike(what, given):
            raise TableRefError(alike)
        odd = next((n for n in given if not is_one_line(n)), None)
        if odd is not None:
            raise TableRefError(
                f"the name {odd!r} holds what cannot be seen: type it anew, as one line of letters"
            )
    for piece in draft.pieces:
        if piece.owner not in names:
            raise TableRefError(
                f"{piece.name} is {piece.owner}'s, who does not play; there are: {', '.join(names)}"
            )
    if wrong := _wrong(draft, game.setup(so_far(draft)), game.about.book):
        raise Illegal(wrong)


def _wrong(draft: Draft, form: SetUpForm, book: str) -> list[Reason]:
    asked = [(form.game, draft.answers)]
    asked += [(form.pieces.get(p.name, Form()), p.answers) for p in draft.pieces]
    return [
        reason for one, answers in asked for reason in check_answers(_of_those(one, answers), answers, book)
    ]


def _of_those(form: Form, answers: Mapping[str, Any]) -> Form:
    """The inputs of a form that were answered."""
    return Form({name: field for name, field in form.fields.items() if name in answers})


def _usual(form: Form) -> dict[str, Any]:
    return {name: field.usual for name, field in form.fields.items() if field.usual is not None}
