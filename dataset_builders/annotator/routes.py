"""The app over HTTP: what the browser side asks for.

Everything is JSON. What is refused comes with its `problems`; a save or a finish that did not start from the
newest revision comes back with that revision (409).
"""

import json
import logging
import re
import sqlite3
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from dataset_builders.annotator import actions, views
from dataset_builders.annotator.contents import Content, Written, read_content
from dataset_builders.annotator.pictures import path_of
from dataset_builders.annotator.problems import Problem
from dataset_builders.annotator.requests import (
    Asked,
    FinishAsked,
    SaveAsked,
    SlotAsked,
    form_problems,
    named,
    read_json,
    slot_named,
)
from dataset_builders.annotator.store import StaleSaveError, Store

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

WEB: Final = Path(__file__).parent / "web"
"""The browser side."""

_WEB_FILE = re.compile(r"(?:[A-Za-z0-9_-]+/)?[A-Za-z0-9_.-]*[A-Za-z0-9_-]\.(html|css|js|mjs|json|svg)")
_PICTURE = re.compile(r"[0-9a-f]{64}")
_TYPES: Final = {"js": "text/javascript", "mjs": "text/javascript"}
_FOREVER: Final = {"cache-control": "public, max-age=31536000, immutable"}

_log = logging.getLogger(__name__)


def install(app: "Starlette", store: Store, web: Path = WEB) -> None:
    """Give an application the routes of the annotation app, and its way to tell of errors."""
    app.router.routes.extend([*_reading(store), *_writing(store), *_files(store, web)])
    app.add_exception_handler(actions.RefusedError, _refused)
    app.add_exception_handler(StaleSaveError, partial(_stale, store))
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(sqlite3.Error, _not_stored)


def _reading(store: Store) -> list[Route]:
    async def state(_: "Request") -> Response:
        return JSONResponse(await run_in_threadpool(views.overview, store))

    async def queue(request: "Request") -> Response:
        annotator = named(request.query_params.get("annotator"))
        return JSONResponse(await run_in_threadpool(views.queue, store, annotator))

    async def scenes(_: "Request") -> Response:
        return JSONResponse(await run_in_threadpool(views.scenes, store))

    async def item(request: "Request") -> Response:
        annotator = named(request.query_params.get("annotator"))
        return JSONResponse(
            await run_in_threadpool(views.view, store, request.path_params["item"], annotator)
        )

    async def history(request: "Request") -> Response:
        annotator = named(request.query_params.get("annotator"))
        slot = slot_named(request.query_params.get("slot"))
        name = request.path_params["item"]
        return JSONResponse(await run_in_threadpool(views.history, store, name, slot, annotator))

    return [
        Route("/state", state),
        Route("/queue", queue),
        Route("/scenes", scenes),
        Route("/items/{item}", item),
        Route("/items/{item}/history", history),
    ]


def _writing(store: Store) -> list[Route]:
    def posted(
        kind: type[Written], act: Callable[[str, Any], dict[str, Any]]
    ) -> Callable[..., Awaitable[Response]]:
        async def endpoint(request: "Request") -> Response:
            (name,) = request.path_params.values()
            asked = await read_json(request, kind)
            return JSONResponse(await run_in_threadpool(act, name, asked))

        return endpoint

    def save(item: str, asked: SaveAsked) -> dict[str, Any]:
        content = _content(store, asked.content)
        saved = actions.save(store, item, asked.slot, named(asked.annotator), asked.revision, content)
        return {
            "revision": saved.revision.number,
            "problems": [one.as_json() for one in saved.problems],
            "saved_at": saved.revision.saved_at,
        }

    def finish(item: str, asked: FinishAsked) -> dict[str, Any]:
        state = actions.finish(store, item, asked.slot, named(asked.annotator), asked.revision)
        return {"stage": state.stage, "revision": state.newest[asked.slot].number}

    def reopen(item: str, asked: SlotAsked) -> dict[str, Any]:
        state = actions.reopen(store, item, asked.slot, named(asked.annotator))
        return {"stage": state.stage, "revision": state.newest[asked.slot].number}

    def take(item: str, asked: SlotAsked) -> dict[str, Any]:
        return {"revision": actions.take(store, item, asked.slot, named(asked.annotator)).number}

    def ask(scene: str, asked: Asked) -> dict[str, Any]:
        return {"item": actions.new_question(store, scene, named(asked.annotator))}

    return [
        Route("/items/{item}", posted(SaveAsked, save), methods=["POST"]),
        Route("/items/{item}/finish", posted(FinishAsked, finish), methods=["POST"]),
        Route("/items/{item}/reopen", posted(SlotAsked, reopen), methods=["POST"]),
        Route("/items/{item}/take", posted(SlotAsked, take), methods=["POST"]),
        Route("/scenes/{scene}/questions", posted(Asked, ask), methods=["POST"]),
    ]


def _files(store: Store, web: Path) -> list[Route]:
    async def index(_: "Request") -> Response:
        return _web_file(web, "index.html")

    async def file(request: "Request") -> Response:
        return _web_file(web, request.path_params["file"])

    async def picture(request: "Request") -> Response:
        sha256 = request.path_params["sha256"]
        path = path_of(store.folder, sha256)
        if not _PICTURE.fullmatch(sha256) or not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, media_type="image/png", headers=_FOREVER)

    return [
        Route("/", index),
        Route("/web/{file:path}", file),
        Route("/pictures/{sha256}.png", picture),
    ]


def _web_file(web: Path, name: str) -> Response:
    found = _WEB_FILE.fullmatch(name)
    path = web / name
    fresh = {"cache-control": "no-cache"}
    if found is None:
        raise HTTPException(404)
    if path.is_file():
        return FileResponse(path, media_type=_TYPES.get(found[1]), headers=fresh)
    # Words of the interface are written as YAML, which browsers do not read.
    words = path.with_suffix(".yaml")
    if found[1] != "json" or not words.is_file():
        raise HTTPException(404)
    return JSONResponse(yaml.safe_load(words.read_text(encoding="utf-8")), headers=fresh)


def _content(store: Store, value: Any) -> Content:
    try:
        return read_content(store.mode, json.dumps(value))
    except ValidationError as error:
        raise actions.RefusedError(422, *form_problems(error)) from error


async def _refused(_: "Request", error: Exception) -> Response:
    assert isinstance(error, actions.RefusedError)
    return _problems(error.status, *error.problems)


async def _stale(store: Store, _: "Request", error: Exception) -> Response:
    assert isinstance(error, StaleSaveError)
    if error.newest is None:
        return JSONResponse({"revision": 0, "content": None, "annotator": None, "saved_at": None}, 409)
    return JSONResponse(views.revision_json(store, error.newest), 409)


async def _unknown(request: "Request", error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _problems(
        error.status_code, Problem("address", "known", repr(request.url.path)[:80], error.detail)
    )


async def _not_stored(_: "Request", error: Exception) -> Response:
    _log.error("not stored: %s", error)
    return _problems(
        503, Problem("store", "can-be-written", str(error)[:80], "a disk with room, one that locks")
    )


def _problems(status: int, *found: Problem) -> Response:
    return JSONResponse({"problems": [one.as_json() for one in found]}, status)
