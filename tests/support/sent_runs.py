"""Runs that were really held, with what their server was sent; and a board of two of them."""

import base64
import hashlib
from datetime import timedelta

from leaderboard.submissions.accept import accept
from leaderboard.submissions.format import pack
from leaderboard.submissions.records import About
from lvqa_eval.benchmarks import find_benchmark
from lvqa_eval.dataset_folder import open_manifest
from lvqa_eval.evaluation import evaluate
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.request import Sampling
from lvqa_eval.settings import Settings
from tests.support.boards import NOW, empty_board, layered_folder
from tests.support.page_folder import page_folder
from tests.support.steady_server import steady_server

FIRST, SECOND = "north/Polyp-235B", "south/Coral-12B"


def held_run(folder, dataset, model, says="red", knows=False, **chosen):
    """Hold every conversation of a dataset; returns {(condition, question, turn): hashes of its pictures}.

    They are those of the files that the server got, in the order of sending; a turn counts from 1. The model
    `says` always the same; if it `knows`, the reference where a message is a whole question.
    """
    benchmark = find_benchmark(open_manifest(str(dataset)).kind)
    opened = benchmark.open(str(dataset))
    records = [row.record() for row in opened.rows(opened.conditions[0])]
    answers = {one.question: one.answer for one in records} if knows else {}
    bodies = {}

    def reply(body):
        bodies[body["seed"]] = body["messages"]
        said = answers.get(_words(body["messages"][-1]), says)
        choice = {"message": {"content": said}, "finish_reason": "stop"}
        return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}

    with steady_server(reply=reply, names=(model,)) as url:
        told = {"runs": 1, "sampling": Sampling(max_tokens=16), "base_urls": (url,), "out": folder, **chosen}
        evaluate(Settings(model=model, dataset=str(dataset), benchmark=benchmark, **told), lambda _: None)
    with RunStore.open(folder) as store:
        return {
            (key.condition, key.question_id, number): _hashes(bodies[turn.seed][-1])
            for key, one in store.conversations().items()
            for number, turn in enumerate(one.turns, start=1)
        }


def sent_board(folder):
    """Make a board of two runs over scenes and two over pages; returns it, and by side what was sent.

    The first model gets layers over a checkerboard and knows answers, the second over white and knows none.
    """
    layered, pages = layered_folder(folder / "layered-vqa", scenes=1), page_folder(folder / "bear-bench")
    board = empty_board(folder / "board", layered, pages)
    sent = {}
    models = ((FIRST, {"knows": True}), (SECOND, {"background": "white"}))
    for place, (model, changes) in enumerate(models):
        for kind, dataset in (("layered", layered), ("pages", pages)):
            run = folder / f"{kind}-{place}"
            sent[kind, "ab"[place]] = held_run(run, dataset, model, f"red {place}", **changes)
            file = pack(run, About(model), folder / f"{kind}-{place}.jsonl.gz").path
            accept(board, file, None, NOW + timedelta(days=len(sent)))
    return board, sent


def _hashes(message):
    parts = message["content"] if isinstance(message["content"], list) else []
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [hashlib.sha256(base64.b64decode(url.partition(",")[2])).hexdigest() for url in urls]


def _words(message):
    """Return the text of a message that stands behind its pictures."""
    content = message["content"]
    return content if isinstance(content, str) else content[-1].get("text", "")
