"""The web application around the pages: what their scripts fetch, and files to take home."""

from collections.abc import Mapping
from typing import Final

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from leaderboard.answers import Packed
from leaderboard.pages.shell import HOME, Page, Shell

LONGEST: Final = 4096
"""Letters of the query of a link; a longer one is none of ours."""

CHANGED: Final = "changed"
"""Names the fields that changed since the last answer, in a query that a page's script makes."""

_MEDIA: Final[Mapping[str, str]] = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def web_app(shell: Shell) -> FastAPI:
    """Return the application of the routes beside Gradio's, which is mounted under it."""
    answers = shell.answers
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    of_table = {table: page for page in shell.pages.values() for table in page.tables}

    @app.get("/views/{name}")
    async def view(name: str, request: Request) -> Response:
        if (page := shell.pages.get(name)) is None:
            raise HTTPException(404)
        told = _told(request)
        changed = _changed(page, told)
        packed = answers.ready(page, told, changed)
        if packed is None:
            packed = await run_in_threadpool(answers.view, page, told, changed)
        return _answer(packed, request, "json")

    @app.get("/downloads/{name}.{kind}")
    async def download(name: str, kind: str, request: Request) -> Response:
        if (page := of_table.get(name)) is None or kind not in _MEDIA:
            raise HTTPException(404)
        make = answers.csv if kind == "csv" else answers.json
        packed = await run_in_threadpool(make, page, name, _told(request))
        return _answer(
            packed, request, kind, {"content-disposition": f'attachment; filename="{name}.{kind}"'}
        )

    @app.get(f"/{HOME}")
    async def home(request: Request) -> Response:
        query = request.url.query
        return RedirectResponse("./" + (f"?{query}" if query else ""))

    app.include_router(shell.router)
    return app


def _told(request: Request) -> dict[str, str]:
    if len(request.url.query) > LONGEST:
        raise HTTPException(414)
    return dict(request.query_params)


def _changed(page: Page, told: Mapping[str, str]) -> frozenset[str] | None:
    """Return the fields of a page that changed, None for all; others are left out, as is their order."""
    if CHANGED not in told:
        return None
    return page.names & set(told[CHANGED].split(","))


def _answer(
    packed: Packed, request: Request, kind: str, headers: Mapping[str, str] | None = None
) -> Response:
    told = {"etag": packed.tag, "cache-control": "no-cache", "vary": "accept-encoding", **(headers or {})}
    if request.headers.get("if-none-match") == packed.tag:
        return Response(status_code=304, headers=told)
    if "gzip" in request.headers.get("accept-encoding", ""):
        told["content-encoding"] = "gzip"
        return Response(packed.content, media_type=_MEDIA[kind], headers=told)
    return Response(packed.plain, media_type=_MEDIA[kind], headers=told)
