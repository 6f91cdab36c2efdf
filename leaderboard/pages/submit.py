"""The page that takes submissions: an upload is checked, then taken, and deleted."""

import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import gradio as gr
from gradio.components import Component

from leaderboard.html.badges import badge_ladder
from leaderboard.html.escape import Markup, joined
from leaderboard.html.problems import acceptance, refusal
from leaderboard.html.submitting import (
    asked_for,
    chosen,
    commands,
    fits,
    limits_note,
    refused,
    score_table,
    waiting,
)
from leaderboard.html.words import Words
from leaderboard.pages.shell import Page, Shell, updated
from leaderboard.submissions.accept import receipt_about
from leaderboard.submissions.checking import Checked
from leaderboard.submissions.provisional import Provisional
from leaderboard.submissions.reception import Reception, Taken, used_up
from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.figures import Figure

QUEUE: Final = "submissions"
AT_ONCE: Final = 2
"""Files that are checked at the same time; the others wait in the queue."""

STAYS: Final = (gr.skip(), gr.skip())
GONE: Final = (None, "")
"""What becomes of the file that is chosen, and of its name."""

_log = logging.getLogger(__name__)

Answer = TypeVar("Answer")
Shown = tuple[str, Any, Any]
"""The answer, the file and its name."""


def build(app: Shell) -> None:
    """Add the page; a board that lies in no folder takes nothing, and says so."""
    with app.page("submit") as page:
        if app.folder is None:
            page.part(lambda view: refused(view.words("submit.closed"), view.words))
            page.part(lambda view: commands(None, view.words))
            return
        _Form(app, page, Reception.here(app.folder)).build()


class _Form:
    """The controls of the page and what they do."""

    def __init__(self, app: Shell, page: Page, reception: Reception) -> None:
        self.app, self.page, self.reception = app, page, reception

    def build(self) -> None:
        page, limits = self.page, self.reception.board.settings.limits
        with gr.Row(elem_classes="lv-submit"):
            with gr.Column(scale=1, min_width=280):
                if self.reception.names_needed:
                    gr.LoginButton()
                page.part(lambda view: limits_note(limits, view.words))
                upload = _upload()
                arrived = gr.HTML(apply_default_css=False)
                agreed = gr.Checkbox(elem_classes="lv-agreed")
                check, submit = gr.Button(), gr.Button(variant="primary")
            with gr.Column(scale=3, min_width=320):
                answer = gr.HTML(apply_default_css=False, elem_classes="lv-answer")
        page.part(lambda view: badge_ladder(view.words))
        page.part(lambda view: commands(self.reception.repo, view.words))
        page.output(upload, lambda view: updated(label=view.words("submit.choose")), ())
        page.output(agreed, lambda view: updated(label=view.words("submit.agreed")), ())
        page.output(check, lambda view: updated(value=view.words("submit.check")), ())
        page.output(submit, lambda view: updated(value=view.words("submit.submit")), ())
        page.output(answer, lambda view: waiting(view.words), ())
        told: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        upload.upload(_arrived, [upload, page.language], arrived, **told)
        shown = [answer, upload, arrived]
        self._answer(check, self._check, [upload, page.language], shown)
        taking = self._submit_by_name if self.reception.names_needed else self._submit
        self._answer(submit, taking, [upload, agreed, page.language], shown)
        self._endpoint(upload)

    def _answer(
        self, button: gr.Button, do: Callable[..., Shown], given: list[Component], shown: list[Component]
    ) -> None:
        """Let a button show what comes of a file; few are looked at at once."""
        button.click(
            do,
            given,
            shown,
            concurrency_id=QUEUE,
            concurrency_limit=AT_ONCE,
            show_progress_on=shown[0],
            api_visibility="private",
        )

    def _endpoint(self, upload: gr.UploadButton) -> None:
        """Let programs check a file by the name `check_submission`."""
        found = gr.JSON(visible=False, label="JSON")
        gr.on(
            [],
            self._problems,
            [upload],
            found,
            api_name="check_submission",
            concurrency_id=QUEUE,
            concurrency_limit=AT_ONCE,
        )

    def _check(self, upload: str | None, language: str) -> Shown:
        words = Words(language)
        if upload is None:
            return refused(words("submit.no_file"), words), *STAYS
        path = Path(upload)
        checked = _guarded(lambda: self.reception.check(path), words)
        if isinstance(checked, Markup):
            return checked, *STAYS
        if checked.problems:
            with used_up(path):
                return refusal(checked.problems, checked.read, checked.planned, words), *GONE
        # It stays for the button beside; what is left behind goes with the cache, within the hour.
        return _fits(checked, words), *STAYS

    def _submit(self, upload: str | None, agreed: bool, language: str) -> Shown:
        return self._take(upload, agreed, language, None)

    def _submit_by_name(
        self, upload: str | None, agreed: bool, language: str, profile: gr.OAuthProfile | None
    ) -> Shown:
        return self._take(upload, agreed, language, None if profile is None else profile.username)

    def _take(self, upload: str | None, agreed: bool, language: str, by: str | None) -> Shown:
        words = Words(language)
        if upload is None:
            return refused(words("submit.no_file"), words), *STAYS
        if not agreed:
            return refused(words("submit.not_agreed"), words), *STAYS
        if self.reception.names_needed and by is None:
            return refused(words("submit.log_in"), words), *STAYS
        with used_up(Path(upload)) as path:
            taken = _guarded(lambda: self.reception.take(path, by), words)
            if isinstance(taken, Markup):
                return taken, *GONE
            if isinstance(taken, Checked):
                return refusal(taken.problems, taken.read, taken.planned, words), *GONE
            self.app.live.refresh()
            return _taken(taken, words), *GONE

    def _problems(self, upload: str | None) -> dict[str, Any]:
        """Return what is wrong with a file, for programs: every problem, or the provisional score."""
        if upload is None:
            raise gr.Error("upload: found none, needed a file", print_exception=False)
        with used_up(Path(upload)) as path:
            try:
                return _as_json(self.reception.check(path))
            except LvqaError as error:
                raise gr.Error(str(error), print_exception=False) from error


def _upload() -> gr.UploadButton:
    """Return the control for a file, which gives the path where it arrived."""
    made = gr.UploadButton(file_count="single", variant="secondary")
    # Gradio's own leaves an empty file in its cache whenever it reads one.
    made._process_single_file = lambda file: file.path  # type: ignore[method-assign,assignment,return-value]
    return made


def _arrived(upload: str, language: str) -> str:
    """Return the name and the size of a file that was chosen."""
    path = Path(upload)
    return chosen(path.name, path.stat().st_size, Words(language))


def _guarded(do: Callable[[], Answer], words: Words) -> Answer | Markup:
    """Return what `do` gives, or in words that it could not be done."""
    try:
        return do()
    except FileNotFoundError:
        return refused(words("submit.no_file"), words)
    except LvqaError as error:
        _log.warning("a submission: %s", error)
        return refused(words("submit.failed", reason=str(error)), words)


def _named(score: Provisional, words: Words) -> list[tuple[str, Figure]]:
    """Return the figure that models are ranked by, then those of the conditions, each with its name."""
    named = [(words(f"column.{score.ranking}"), score.score)] if score.ranking else []
    return named + [(name, score.figures[name]) for name in score.conditions]


def _fits(checked: Checked, words: Words) -> Markup:
    assert checked.header is not None
    assert checked.score is not None
    score = checked.score
    box = fits(receipt_about(checked.header).model, score.score, score.coverage, checked.read, words)
    return joined([box, score_table(_named(score, words), words)])


def _taken(taken: Taken, words: Words) -> Markup:
    receipt, score = taken.receipt, taken.score
    if taken.request:
        conversations = receipt.conversations
        box = asked_for(receipt.about.model, score.score, taken.request, conversations, words)
    else:
        box = acceptance(receipt, score.score, score.coverage, taken.version, words)
    return joined([box, score_table(_named(score, words), words)])


def _as_json(checked: Checked) -> dict[str, Any]:
    score = checked.score
    return {
        "problems": [vars(problem) for problem in checked.problems],
        "read": checked.read,
        "planned": checked.planned,
        "id": checked.id,
        "figures": {} if score is None else {name: _bounds(one) for name, one in _json_figures(score)},
    }


def _json_figures(score: Provisional) -> list[tuple[str, Figure]]:
    ranking = [(score.ranking, score.score)] if score.ranking else []
    return ranking + [(name, score.figures[name]) for name in score.conditions]


def _bounds(figure: Figure) -> dict[str, float | int | None]:
    """Return a figure as JSON holds it, without NaN."""
    ends = {name: getattr(figure, name) for name in ("value", "low", "high")}
    return {name: end if math.isfinite(end) else None for name, end in ends.items()} | {"n": figure.n}
