"""What every message has in common: no unknown field, no NaN; and how requests are answered else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=80)]


class Model(BaseModel):
    """The root of every message and of its parts."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ErrorBody(Model):
    """What every refused request answers with."""

    error: str


Responses = dict[int | str, dict[str, Any]]
"""How a request may be answered, by status, as the description of the API has it."""


def refusals(words: Mapping[int, str]) -> Responses:
    """With what a request may be refused, by status."""
    return {status: {"model": ErrorBody, "description": said} for status, said in words.items()}


def answers(words: str, *media: str) -> Responses:
    """With what a request is answered that is no JSON."""
    return {200: {"content": {kind: {} for kind in media}, "description": words}}
