"""Folders of annotation to test with: scenes, pages, wrong answers, and what people write about them."""

import json

from dataset_builders.annotator import actions
from dataset_builders.annotator.contents import ErrorContent, PageContent, SceneContent, ShardContent
from dataset_builders.annotator.pages import add_pages
from dataset_builders.annotator.scenes import content_of, draw
from dataset_builders.annotator.store import Store
from dataset_builders.bear_bench.records import Page, PageLabels
from tests.support.bear_work import bear_work
from tests.support.examples import BY_HAND
from tests.support.sources import SmallSource

QUESTION = content_of(BY_HAND)
"""A question that keeps every rule, about a scene of five layers."""

PAGE = PageContent(question="What is 1 + 1?", answer="2", labels=("tables",), reasoning_steps=3)
REJECT = SceneContent(decision="reject", note="The circle is not left of the square.")


def scene_store(folder, scenes=2, questions=1):
    """Return a store of scenes s1, s2, … with so many empty questions of Ann about each."""
    store = Store.create(folder, "scenes", {"language": "en"})
    draw(store, SmallSource(scenes=scenes))
    for scene in range(1, scenes + 1):
        for _ in range(questions):
            actions.new_question(store, f"s{scene}", "Ann")
    return store


def page_store(folder, pages=1, questions=False):
    """Return a store over a BEAR work folder whose pages were all drawn, with machine labels."""
    work = bear_work(folder, pages=pages)
    drawn = work.read("pages", Page, "render")
    work.write("sample", drawn)
    shares = (0.9, 0.2, 0.1, 0.0, 0.7, 0.0)
    labels = [
        PageLabels(
            page_id=one.page_id, probabilities=shares, labels=("diagrams", "figures"), labelled_by="test"
        )
        for one in drawn
    ]
    work.write("labels", labels)
    store = Store.create(folder, "pages")
    add_pages(store, work, folder / "items.jsonl" if questions else None)
    return store


def error_store(folder, answers=2):
    """Return a store of so many wrong answers."""
    store = Store.create(folder, "errors", {"run": str(folder)})
    for number in range(1, answers + 1):
        subject = {
            "condition": "full",
            "question_id": f"p{number}",
            "run": 1,
            "question": "How many?",
            "reference": "3",
            "reply": "Four.",
            "title": "How many?",
            "language": "en",
        }
        store.add_item(f"full.p{number}.1", subject)
    return store


def write(store, item, slot, annotator, content, finish=True):
    """Save a content from where the slot stands, and finish it."""
    newest = store.newest(item, slot)
    number = newest.number if newest else 0
    saved = actions.save(store, item, slot, annotator, number, content)
    if finish:
        actions.finish(store, item, slot, annotator, saved.revision.number)


def checked_like(author, **changes):
    """Return what a checker writes who sees the same evidence; `changes` are what differs."""
    if isinstance(author, ErrorContent):
        return author.model_copy(update=changes)
    hidden = {"answer_description": None} if isinstance(author, SceneContent) else {}
    return author.model_copy(update=hidden | changes)


def supported(content, *support):
    """Return a question whose shards have other layers."""
    shards = [
        ShardContent(text=one.text, span=one.span, support=layers)
        for one, layers in zip(content.shards, support, strict=True)
    ]
    return content.model_copy(update={"shards": tuple(shards)})


def everything_in(value):
    """Return every text and number of a JSON value as one text, to look for what must not be there."""
    return json.dumps(value, ensure_ascii=False)
