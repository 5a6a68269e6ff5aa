"""Whether a served interface keeps the word of its own description."""

from __future__ import annotations

from typing import Any

import httpx
from hypothesis import HealthCheck, given, settings


def keeps_its_word(address: str, path: str, method: str, examples: int) -> None:
    """Ask one path in as many ways as its description allows, and hold every answer against it."""
    import schemathesis  # noqa: PLC0415 - a second, which only the worker that asks has to pay

    operation = schemathesis.openapi.from_url(f"{address}openapi.json")[path][method]

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def answers(case: Any) -> None:
        case.call_and_validate()

    answers()


def refused_as(client: httpx.Client) -> dict[str, str | None]:
    """Of each path that changes something, as whose it is described to those to whom it is not allowed."""
    described = client.get("/openapi.json").json()["paths"]
    asked = {(path, verb): one for path, verbs in described.items() for verb, one in verbs.items()}
    assert asked
    return {
        path: one["responses"].get("403", {}).get("description")
        for (path, verb), one in asked.items()
        if verb != "get"
    }
