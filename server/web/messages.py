"""What every message has in common: no unknown field, no NaN; and the answer to a refused request."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=80)]


class Model(BaseModel):
    """The root of every message and of its parts."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ErrorBody(Model):
    """What every refused request answers with."""

    error: str
