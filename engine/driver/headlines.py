"""What a machine wants to do, for people: the option in its own words, with what was chosen of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.game.contract import Game, Option
from engine.game.events import OWNER, Action
from engine.game.forms import Candidate, Flag, Input, Number, Numbers, Pick, PickPieces, in_words, picked
from engine.words import listed

ASKS = re.compile(r"\?$|^(wh|how)", re.IGNORECASE)
"""Labels that ask: what was answered says it alone."""

NOTHING: Mapping[str, Any] = MappingProxyType({})

STEM = 5
"""Letters by which two forms of one word are told to be the same ("allocate", "allocated")."""


def headline(game: Game[Any], option: Option, action: Action) -> str:
    """Who does what, with all that was chosen; nothing that the table answers, but places."""
    told = dict(_told(game, option, action).values())
    by = option.piece or action.player or ""
    deed = game.announce(action)[0].removeprefix(f"{action.player or OWNER}: ")
    if (joined := _joined(option.heading, deed)) and (told or option.data):
        return _with(joined, told)
    longer = bool(told) and _says(deed, option.words)
    if longer or (told and all(_says(deed, one) for one in told) and option.words not in told):
        return _with(_under(option.heading, deed), told)
    if _restates(option.heading, option.words):
        return _under(option.heading, ", ".join(told.values())) if told else _under(by, option.words)
    return _with(_under(option.heading, option.words), told)


def chosen(
    game: Game[Any], option: Option, action: Action, words: str, said: Mapping[str, Any] = NOTHING
) -> str:
    """A deed in words that tell its way and what was `said` with it; and what else had to be chosen."""
    told = _told(game, option, action, asked=True)
    return _with(words, {one: words for name, (one, words) in told.items() if name not in said})


def _under(heading: str, words: str) -> str:
    """Words under what they are about, which they may begin with themselves."""
    if not heading or words.startswith(f"{heading.partition(' · ')[0]} "):
        return words
    return f"{heading}{' ' if heading.endswith('?') else ': '}{words}"


def _with(words: str, told: Mapping[str, str]) -> str:
    """Words, and after them what they do not say yet."""
    for one, labelled in told.items():
        if _says(words, one):
            continue
        more = one if _says(words, labelled.removesuffix(one).strip()) else labelled
        between = " " if more.startswith(("on ", "to ", "with ")) else ", "
        words = f"{words}{between}{more}"
    return words


def _says(words: str, chosen: str) -> bool:
    return bool(chosen) and re.search(rf"(?<!\w){re.escape(chosen)}(?!\w)", words, re.IGNORECASE) is not None


def _joined(heading: str, deed: str) -> str:
    """Join "Red 1 attacks" and "attack Blue 1" as one sentence; empty where they are none."""
    verb, _, rest = deed.partition(" ")
    return f"{heading} {rest}" if rest and re.search(rf"\b{re.escape(verb)}e?s$", heading) else ""


def _restates(heading: str, words: str) -> bool:
    """Whether words say nothing that their heading has not said."""
    known, said = (
        {word[:STEM] for word in re.findall(r"\w{4,}", one.casefold())} for one in (heading, words)
    )
    return bool(said) and said <= known


def _told(
    game: Game[Any], option: Option, action: Action, *, asked: bool = False
) -> dict[str, tuple[str, str]]:
    """By field what was chosen, and that with what for; `asked`: only what may not be left out."""
    measured = {fact.field for fact in game.facts.get(option.kind, ())}
    found = {}
    for name, one in option.form.fields.items():
        value = action.data.get(name)
        place = isinstance(one, Pick) and any(c.at is not None for c in one.candidates)
        if value is None or (name in measured and not place) or one.folded or (asked and one.optional):
            continue
        if words := _answer(one, value):
            found[name] = words, _labelled(one, words)
    return found


def _answer(one: Input, value: Any) -> str:
    """What was chosen, in the words in which it was offered; empty for what is no choice, or a distance."""
    match one:
        case Pick() | PickPieces():
            by_value: list[Candidate] = [
                c for v in picked(one, value) for c in one.candidates if c.value == v
            ]
            return listed([c.words for c in by_value])
        case Number(unit="") | Numbers():
            return in_words(value)
        case Flag():
            return one.words if value is True else ""
        case _:
            return ""


def _labelled(one: Input, words: str) -> str:
    label = one.words.rstrip(":. ")
    if isinstance(one, Number | Numbers):
        return f"{label}: {words}"
    if isinstance(one, PickPieces | Flag) or ASKS.search(label) or _says(words, label):
        return words
    return f"{label[:1].lower()}{label[1:]} {words}"
