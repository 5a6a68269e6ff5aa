"""The pages: templates with one head, and the statics that they load."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader

_TEMPLATES = Path(__file__).with_name("templates")
STATIC = Path(__file__).parents[1] / "static"


def page(name: str, status: int = 200) -> HTMLResponse:
    """The page whose template is `name`.html.jinja."""
    return HTMLResponse(_text(name), status)


def mount_statics(app: FastAPI) -> None:
    """Scripts and styles, at /static."""
    app.mount("/static", StaticFiles(directory=str(STATIC)), name="static")


@lru_cache
def _text(name: str) -> str:
    templates = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True)
    return templates.get_template(f"{name}.html.jinja").render()
