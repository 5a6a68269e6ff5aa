"""The command line of a benchmark: what its `main` may be told, `--json`, and how figures are printed."""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from engine.errors import TableRefError

Figures = Mapping[str, Any]


def command(
    measure: Callable[..., Figures | Iterator[Figures]],
    argv: Sequence[str] | None = None,
    say: Callable[[Any], None] | None = None,
) -> int:
    """Calls `measure` as the command line says, prints its figures, and returns the exit status.

    What may be given to `measure` by its place stands in its place; what is named, as `*, tables: int = 40`,
    is an option, `--tables N`. `Annotated[int, "words"]` says what it is. `--json` prints one JSON object,
    else `say` prints for people; of rows that come one by one, each as it comes. A `TableRefError` is told in
    a line (status 2). Where `wrong` is among the figures and not 0, the status is 1.
    """
    module = inspect.getmodule(measure)
    spec = getattr(module, "__spec__", None)
    parser = argparse.ArgumentParser(
        prog=f"python -m {spec.name}" if spec is not None else None,
        description=inspect.getdoc(module),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    hints = typing.get_type_hints(measure, include_extras=True)
    for name, parameter in inspect.signature(measure).parameters.items():
        _add(parser, parameter, hints[name])
    parser.add_argument("--json", action="store_true", help="one JSON object")
    asked = vars(parser.parse_args(argv))
    as_json = asked.pop("json")
    told = (lambda _: None) if as_json else (say or table)
    try:
        found = measure(**asked)
        rows = []
        for row in (found,) if isinstance(found, Mapping) else found:
            rows.append(row)
            told(row)
    except TableRefError as error:
        print(error, file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps(found if isinstance(found, Mapping) else rows))
    return int(any(row.get("wrong") for row in rows))


def _add(parser: argparse.ArgumentParser, parameter: inspect.Parameter, hint: Any) -> None:
    """One argument, of the type and with the words that its parameter has."""
    words = None
    if typing.get_origin(hint) is typing.Annotated:
        hint, words = typing.get_args(hint)
    if isinstance(hint, types.UnionType):
        hint = next(kind for kind in typing.get_args(hint) if kind is not type(None))
    more: dict[str, Any] = {"help": words, "default": parameter.default}
    if hint is bool:
        more["action"] = "store_true"
    elif typing.get_origin(hint) is list:
        more |= {"type": typing.get_args(hint)[0], "action": "append"}
    elif typing.get_origin(hint) is tuple:
        more |= {"type": typing.get_args(hint)[0], "nargs": len(typing.get_args(hint))}
    elif typing.get_origin(hint) is typing.Literal:
        more["choices"] = typing.get_args(hint)
    else:
        more["type"] = hint
    required = parameter.default is parameter.empty
    if required:
        del more["default"]
    if parameter.kind is not parameter.KEYWORD_ONLY:
        parser.add_argument(parameter.name, **more | ({} if required else {"nargs": "?"}))
    else:
        option = f"--{parameter.name.replace('_', '-')}"
        parser.add_argument(option, required=required, **more)


def table(figures: Figures, indent: str = "") -> None:
    """A line a figure, its name before it; figures of one thing and rows stand below it."""
    width = max((len(str(name)) for name in figures), default=0)
    for name, value in figures.items():
        if isinstance(value, Mapping):
            print(f"{indent}{name}:")
            table(value, f"{indent}  ")
        elif isinstance(value, list):
            print(f"{indent}{name}:", *value, sep=f"\n{indent}  ")
        else:
            print(f"{indent}{name!s:{width}}  {value}")
