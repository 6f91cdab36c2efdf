"""The annotation app on this machine: Gradio's server with the routes of the app."""

import socket
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from dataset_builders.annotator.guard import LOOPBACK, OWN_NAMES, Guarded, names_for
from dataset_builders.annotator.routes import install
from dataset_builders.annotator.store import Store
from lvqa_eval.app_server import ServingError, listen, serve_at
from lvqa_eval.gradio_loading import load_gradio

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def make_app(store: Store, host: str = LOOPBACK, names: Iterable[str] = ()) -> "ASGIApp":
    """Return the application over `store`, to be reached at `host` and by further `names`.

    Raises ServingError where Gradio is not installed.
    """
    try:
        gr = load_gradio()
    except ImportError as error:
        raise ServingError(f"the app needs Gradio ({error}); pip install 'lvqa[leaderboard]'") from error
    server = gr.Server(docs_url=None, redoc_url=None, openapi_url=None)
    install(server, store)
    return Guarded(server, names_for(host, names), addresses=host not in OWN_NAMES)


def serve(
    store: Store,
    tell: Callable[[str], None],
    host: str = LOOPBACK,
    port: int = 0,
    show: bool = True,
    names: Iterable[str] = (),
) -> None:
    """Serve the app until it is interrupted; `tell` hears its address, `show` opens it in a browser.

    Without a port it is that of the last time where that is free: a window that was left open goes on, and
    sends what it could not. Raises ServingError for a port that is taken, and where Gradio is not installed.
    """
    with listening(store, host, port) as at:
        serve_at(at, host, make_app(store, host, names), tell, show)


def listening(store: Store, host: str, port: int) -> socket.socket:
    """Return a socket at `port`; where that is 0, at the one of the last time, or at a free one.

    Raises ServingError for a port that is taken.
    """
    try:
        found = listen(host, port or store.fact("port") or 0)
    except ServingError:
        if port:
            raise
        found = listen(host, 0)
    store.set_fact("port", found.getsockname()[1])
    return found
