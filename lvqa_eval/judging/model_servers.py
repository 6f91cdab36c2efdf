"""The servers of a judge model: running ones, or `vllm serve` of our own for as long as it judges."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lvqa_eval.files import file_name
from lvqa_eval.judging.options import JudgeOptions
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.endpoint import key_from_environment, providers
from lvqa_eval.serving.model import Model, find_model
from lvqa_eval.serving.preflight import ServerRecord
from lvqa_eval.serving.server import ServerOptions, has_gpu
from lvqa_eval.serving.servers import serving
from lvqa_eval.serving.structured import compact

Tell = Callable[[str], None]
Ended = Callable[[], str | None]

SERVER = "server"
"""The part of a judge's identity that is known once its server answers."""


class ModelServers:
    """The servers of the model `name`, at `base_urls` or, without any, ones of our own.

    Ours take `images` pictures a prompt. `gpu` tells whether they have one, where that is not to be asked of
    this machine. `known` is what a verdict depends on and is known before a server answers.
    """

    def __init__(
        self,
        name: str,
        base_urls: Sequence[str],
        options: JudgeOptions,
        images: int = 0,
        gpu: bool | None = None,
    ) -> None:
        self._options, self.base_urls = options, tuple(base_urls)
        self.model = find_model(name, None, fetch=not base_urls)
        self.started = None if base_urls else _server(self.model, options, images)
        self.gpu = has_gpu() if gpu is None else gpu
        self.known: dict[str, Any] = {
            "model": self.model.identity(),
            "providers": providers(base_urls),
            "vllm_serve": None if self.started is None else _arguments(self.started, self.gpu),
        }

    @property
    def api_key(self) -> str | None:
        """The key for others' servers; our own are locked to their machine and need none."""
        return None if self.started is not None else key_from_environment()

    def about(self, record: ServerRecord) -> dict[str, Any]:
        """Return what a verdict depends on, with what the servers have told of themselves."""
        server = {"max_model_len": record.max_model_len, "version": record.server_version}
        return {**self.known, SERVER: server}

    def log(self, run_folder: Path) -> Path:
        """Return the log of the first server that is ours: what was chosen, else one beside the run."""
        beside = run_folder.resolve().parent
        return self._options.log or beside / f"judge-{file_name(self.model.served_name)}.log"

    @contextmanager
    def served(self, log: Path, tell: Tell) -> Iterator[tuple[tuple[str, ...], tuple[Ended, ...]]]:
        """Give the base URLs, and what tells the end of each server that is ours; raises ServerStartError."""
        if self.started is None:
            yield self.base_urls, ()
            return
        others = (log.with_stem(f"{log.stem}-{number}") for number in range(2, self._options.servers + 1))
        logs = [log, *others]
        tell(f"starting vllm serve {self.model.name}; log: {', '.join(map(str, logs))}")
        with serving(self.started, logs) as started:
            yield tuple(one.base_url for one in started), tuple(one.ended for one in started)

    def client(self, urls: tuple[str, ...], ended: tuple[Ended, ...]) -> ChatClient:
        """Return the client of what `served` gave."""
        return ChatClient(
            urls,
            self.model.served_name,
            self._options.sampling,
            api_key=self.api_key,
            deadline=self._options.deadline,
            concurrency=self._options.in_flight,
            ended=ended,
            jitter_seed=self._options.seed,
        )


def _server(model: Model, options: JudgeOptions, images: int) -> ServerOptions:
    revision = ("--revision", model.revision) if model.revision else ()
    form = compact(options.server_arguments) if options.structured else ()
    return ServerOptions(
        model=model.name,
        served_name=model.served_name,
        images_per_prompt=images,
        max_model_len=options.context or model.context(),
        seed=options.seed,
        gpus=options.gpus,
        extra=(*revision, *form, *options.server_arguments),
    )


def _arguments(server: ServerOptions, gpu: bool) -> list[str]:
    """Return the arguments that a verdict may depend on."""
    # The first argument is the model, which may be a path of this machine and is named apart.
    arguments = server.arguments(gpu=gpu)[1:]
    if server.images_per_prompt:
        # So many pictures a prompt as the conversations at hand need; others may need more.
        place = arguments.index("--limit-mm-per-prompt")
        del arguments[place : place + 2]
    return arguments
