"""The way of an item: who may write what when, and what each may see."""

import pytest

from dataset_builders.annotator import actions, views
from dataset_builders.annotator.actions import RefusedError
from dataset_builders.annotator.contents import Draft, ErrorContent, PageContent, SceneContent
from dataset_builders.annotator.flow import state_of
from dataset_builders.annotator.problems import problems
from dataset_builders.annotator.store import StaleSaveError
from tests.support.annotations import (
    PAGE,
    QUESTION,
    REJECT,
    checked_like,
    error_store,
    everything_in,
    page_store,
    scene_store,
    supported,
    write,
)

ITEM = "s1-q1"


@pytest.fixture
def store(tmp_path):
    opened = scene_store(tmp_path / "work")
    yield opened
    opened.close()


def stage(store, item=ITEM):
    return state_of(store, item).stage


def refusal(act, *arguments):
    with pytest.raises(RefusedError) as refused:
        act(*arguments)
    (problem,) = refused.value.problems
    return refused.value.status, problem.rule


def test_an_item_is_agreed_where_the_check_says_the_same(store):
    assert stage(store) == "author"
    write(store, ITEM, "author", "Ann", QUESTION)
    assert stage(store) == "check"
    write(store, ITEM, "check", "Bob", checked_like(QUESTION, answer=" Red. "))
    state = state_of(store, ITEM)
    assert (state.stage, state.decided, state.decided_by) == ("agreed", QUESTION, ("Ann", "Bob"))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"answer": "blue"}, "answer"),
        ({"category": "counting"}, "category"),
        ({"minimal_sets": ((1, 2), (1, 3))}, "minimal_sets"),
        ({"dependencies": ()}, "dependencies"),
        ({"shards": supported(QUESTION, (), (1, 2), (1, 2)).shards}, "shards"),
    ],
)
def test_each_field_that_differs_is_named_and_goes_to_adjudication(store, changes, field):
    write(store, ITEM, "author", "Ann", QUESTION)
    theirs = checked_like(QUESTION, **changes)
    if field == "minimal_sets":
        theirs = supported(theirs, (), (1,), (1, 2, 3))
    write(store, ITEM, "check", "Bob", theirs)
    state = state_of(store, ITEM)
    assert state.stage == "adjudicate"
    assert set(state.differing) == {field} | ({"shards"} if field == "minimal_sets" else set())
    assert state.decided is None
    decided = QUESTION.model_copy(update={"answer": "dark red"})
    write(store, ITEM, "adjudicate", "Eve", decided)
    state = state_of(store, ITEM)
    assert (state.stage, state.decided, state.decided_by) == ("settled", decided, ("Eve",))


def test_the_order_of_layers_sets_and_pairs_makes_no_difference(store):
    ours = supported(
        QUESTION.model_copy(update={"minimal_sets": ((1, 2), (3, 4)), "dependencies": ((2, 1), (1, 3))}),
        (),
        (1, 3),
        (2, 4),
    )
    theirs = supported(
        checked_like(ours, minimal_sets=((2, 1), (4, 3)), dependencies=((1, 3), (2, 1))), (), (3, 1), (4, 2)
    )
    write(store, ITEM, "author", "Ann", ours)
    write(store, ITEM, "check", "Bob", theirs)
    assert stage(store) == "agreed"


def test_another_gold_set_differs_even_where_the_sets_are_the_same(store):
    ours = supported(
        QUESTION.model_copy(update={"minimal_sets": ((1, 2), (3,)), "dependencies": ()}), (), (1, 3), (2,)
    )
    write(store, ITEM, "author", "Ann", ours)
    write(store, ITEM, "check", "Bob", checked_like(ours, minimal_sets=((3,), (1, 2))))
    assert state_of(store, ITEM).differing == ("minimal_sets",)


def test_one_rejection_is_adjudicated_and_two_reject(store):
    write(store, ITEM, "author", "Ann", QUESTION)
    write(store, ITEM, "check", "Bob", checked_like(QUESTION, decision="reject", note="no square"))
    assert state_of(store, ITEM).differing == ("decision",)
    write(store, ITEM, "adjudicate", "Eve", REJECT)
    assert stage(store) == "rejected"
    dropped = QUESTION.model_copy(update={"decision": "reject", "note": "unclear"})
    write(store, "s2-q1", "author", "Ann", dropped)
    assert stage(store, "s2-q1") == "check"
    write(
        store, "s2-q1", "check", "Bob", checked_like(QUESTION, decision="reject", note="unclear", answer="")
    )
    assert stage(store, "s2-q1") == "rejected"


def test_what_is_dropped_without_a_question_needs_no_check(store):
    write(store, ITEM, "author", "Ann", REJECT)
    assert stage(store) == "rejected"


def test_the_author_cannot_check_nor_write_after_finishing(store):
    write(store, ITEM, "author", "Ann", QUESTION)
    assert refusal(actions.save, store, ITEM, "check", "Ann", 0, checked_like(QUESTION)) == (
        403,
        "author-cannot-check",
    )
    with pytest.raises(StaleSaveError) as stale:
        actions.save(store, ITEM, "author", "Ann", 2, QUESTION)
    assert stale.value.newest.finished
    assert refusal(actions.save, store, ITEM, "author", "Bob", 0, QUESTION) == (403, "open")


def test_who_has_seen_an_authors_writing_cannot_check_it(store):
    actions.take(store, ITEM, "author", "Bob")
    write(store, ITEM, "author", "Ann", QUESTION)
    for name in ("Ann", "Bob"):
        assert refusal(actions.save, store, ITEM, "check", name, 0, checked_like(QUESTION))[0] == 403
    write(store, ITEM, "check", "Eve", checked_like(QUESTION))
    assert stage(store) == "agreed"


def test_a_slot_belongs_to_who_began_it_until_somebody_takes_it(store):
    assert refusal(actions.save, store, ITEM, "author", "Bob", 0, QUESTION) == (403, "held-by-another")
    assert refusal(views.view, store, ITEM, "Bob") == (403, "held-by-another")
    taken = actions.take(store, ITEM, "author", "Bob")
    assert (taken.number, taken.annotator) == (2, "Bob")
    with pytest.raises(StaleSaveError):
        actions.save(store, ITEM, "author", "Ann", 1, QUESTION)
    assert actions.save(store, ITEM, "author", "Bob", 2, QUESTION).problems == []


def test_nobody_takes_a_check_of_their_own_item(store):
    write(store, ITEM, "author", "Ann", QUESTION)
    write(store, ITEM, "check", "Bob", checked_like(QUESTION), finish=False)
    assert refusal(actions.take, store, ITEM, "check", "Ann") == (403, "author-cannot-check")


def test_a_checker_sees_the_question_and_the_shards_and_nothing_else(store):
    secret = QUESTION.model_copy(
        update={"answer": "SECRET-ANSWER", "answer_description": "SECRET-KIND", "note": "SECRET-NOTE"}
    )
    store.put_draft(
        ITEM, Draft(content=secret, verdict="pass", issues=("SECRET-ISSUE",), model="m").model_dump_json()
    )
    write(store, ITEM, "author", "Ann", secret)
    seen = views.view(store, ITEM, "Bob")
    assert (seen["slot"], seen["editable"], seen["revision"], seen["holder"]) == ("check", True, 0, None)
    assert seen["given"] == {"question": secret.question, "shards": [one.text for one in secret.shards]}
    content = seen["content"]
    assert [one["support"] for one in content["shards"]] == [[], [], []]
    assert (content["answer"], content["category"], content["minimal_sets"], content["dependencies"]) == (
        *("", "", []),
        [],
    )
    assert (seen["draft"], seen["sides"], seen["decided_by"]) == (None, None, [])
    everything = everything_in([seen, views.queue(store, "Bob"), views.scenes(store), views.overview(store)])
    assert "SECRET" not in everything
    assert refusal(views.history, store, ITEM, "author", "Bob") == (403, "held-by-another")


def test_an_author_does_not_see_the_check_before_both_are_finished(store):
    write(store, ITEM, "author", "Ann", QUESTION)
    write(store, ITEM, "check", "Bob", checked_like(QUESTION, answer="SECRET"), finish=False)
    seen = views.view(store, ITEM, "Ann")
    assert (seen["slot"], seen["editable"], seen["reopen_slot"]) == ("author", False, None)
    assert "SECRET" not in everything_in([seen, views.queue(store, "Ann")])
    assert refusal(views.history, store, ITEM, "check", "Ann") == (403, "held-by-another")


def test_a_checker_of_a_page_sees_the_question_and_no_labels(tmp_path):
    store = page_store(tmp_path)
    item = "folder-отчёт-p0001"
    assert views.view(store, item, "Аня")["content"]["labels"] == ["diagrams", "figures"]
    [first, *_] = views.view(store, item, "Аня")["page"]["machine_labels"]
    assert first == {"label": "diagrams", "probability": 0.9}
    author = PAGE.model_copy(update={"answer": "SECRET", "labels": ("code",), "reasoning_steps": 7})
    write(store, item, "author", "Аня", author)
    seen = views.view(store, item, "Боб")
    assert seen["content"] == PageContent(question=PAGE.question).model_dump(mode="json")
    assert seen["given"] == {"question": PAGE.question}
    assert seen["page"]["machine_labels"] == []
    assert (seen["page"]["language"], seen["page"]["width"], seen["page"]["text"]) == ("ru", 12, "words")
    assert "SECRET" not in everything_in([seen, views.queue(store, "Боб")])
    store.close()


def test_a_second_tagger_does_not_see_the_tags_of_the_first(tmp_path):
    store = error_store(tmp_path)
    write(store, "full.p1.1", "author", "Ann", ErrorContent(tags=("C3", "C5"), note="SECRET"))
    seen = views.view(store, "full.p1.1", "Bob")
    assert seen["content"] == {"tags": [], "note": ""}
    assert (seen["answer"]["reference"], seen["answer"]["reply"]) == ("3", "Four.")
    assert "SECRET" not in everything_in([seen, views.queue(store, "Bob")])
    write(store, "full.p1.1", "check", "Bob", ErrorContent(tags=("C5", "C3")))
    assert stage(store, "full.p1.1") == "agreed"
    store.close()


def test_a_check_cannot_change_what_it_was_given(store):
    write(store, ITEM, "author", "Ann", QUESTION)
    other = checked_like(QUESTION, question="What else?")
    assert refusal(actions.save, store, ITEM, "check", "Bob", 0, other) == (422, "fixed")
    fewer = checked_like(QUESTION, shards=QUESTION.shards[:2])
    assert refusal(actions.save, store, ITEM, "check", "Bob", 0, fewer) == (422, "fixed")


def test_adjudicators_see_both_sides_and_are_told_what_they_were(store):
    write(store, ITEM, "author", "Ann", QUESTION)
    write(store, ITEM, "check", "Bob", checked_like(QUESTION, answer="blue"))
    seen = views.view(store, ITEM, "Bob")
    assert (seen["slot"], seen["was"], seen["sides"]["differing"]) == ("adjudicate", ["check"], ["answer"])
    assert (seen["sides"]["author"]["answer"], seen["sides"]["check"]["answer"]) == ("red", "blue")
    assert seen["sides"]["names"] == {"author": "Ann", "check": "Bob"}
    assert seen["content"]["answer"] == "red"
    assert views.view(store, ITEM, "Eve")["was"] == []


def test_a_third_person_decides_where_that_is_the_rule(store):
    store.set_fact("adjudicators", "third")
    write(store, ITEM, "author", "Ann", QUESTION)
    write(store, ITEM, "check", "Bob", checked_like(QUESTION, answer="blue"))
    for name in ("Ann", "Bob"):
        assert refusal(actions.save, store, ITEM, "adjudicate", name, 0, QUESTION) == (403, "third-decides")
    write(store, ITEM, "adjudicate", "Eve", QUESTION)
    assert stage(store) == "settled"


def test_finishing_is_refused_while_rules_are_broken_and_saving_is_not(store):
    half = SceneContent(question="What?", category="spatial", minimal_sets=((0, 1), (1,)))
    saved = actions.save(store, ITEM, "author", "Ann", 1, half)
    rules = {(one.field, one.rule) for one in saved.problems}
    assert rules >= {
        ("answer", "not-empty"),
        ("minimal_sets", "no-set-contains-another"),
        ("shards", "shard-count"),
        ("shards", "support-covers-evidence"),
    }
    with pytest.raises(RefusedError) as refused:
        actions.finish(store, ITEM, "author", "Ann", 2)
    assert refused.value.status == 422
    assert {(one.field, one.rule) for one in refused.value.problems} == rules


def test_finishing_what_is_not_the_newest_is_refused(store):
    write(store, ITEM, "author", "Ann", QUESTION, finish=False)
    with pytest.raises(StaleSaveError) as stale:
        actions.finish(store, ITEM, "author", "Ann", 1)
    assert stale.value.newest.number == 2


def test_an_author_opens_again_until_the_check_is_begun(store):
    write(store, ITEM, "author", "Ann", QUESTION)
    assert views.view(store, ITEM, "Ann")["reopen_slot"] == "author"
    assert refusal(actions.reopen, store, ITEM, "author", "Bob") == (403, "nobody-built-on-it")
    assert actions.reopen(store, ITEM, "author", "Ann").stage == "author"
    write(store, ITEM, "author", "Ann", QUESTION)
    write(store, ITEM, "check", "Bob", checked_like(QUESTION), finish=False)
    assert refusal(actions.reopen, store, ITEM, "author", "Ann") == (403, "nobody-built-on-it")


def test_a_check_stays_finished_and_what_was_agreed_may_be_adjudicated(store):
    write(store, ITEM, "author", "Ann", QUESTION)
    write(store, ITEM, "check", "Bob", checked_like(QUESTION))
    assert refusal(actions.reopen, store, ITEM, "check", "Bob") == (403, "blind-check")
    assert views.view(store, ITEM, "Eve")["reopen_slot"] == "adjudicate"
    state = actions.reopen(store, ITEM, "adjudicate", "Eve")
    assert (state.stage, state.content("adjudicate")) == ("adjudicate", QUESTION)
    write(store, ITEM, "adjudicate", "Eve", QUESTION.model_copy(update={"answer": "crimson"}))
    assert state_of(store, ITEM).decided.answer == "crimson"
    assert actions.reopen(store, ITEM, "adjudicate", "Ann").stage == "adjudicate"


def test_what_an_author_makes_of_a_draft_is_kept(tmp_path):
    store = scene_store(tmp_path, questions=3)
    draft = Draft(content=QUESTION, verdict="revised", issues=("span",), model="org/model").model_dump_json()
    outcomes = {
        "s1-q1": QUESTION.model_copy(update={"note": "good"}),
        "s1-q2": QUESTION.model_copy(update={"answer": "crimson"}),
        "s1-q3": QUESTION.model_copy(update={"decision": "reject", "note": "no"}),
    }
    for item, content in outcomes.items():
        store.put_draft(item, draft)
        write(store, item, "author", "Ann", content)
    write(store, "s2-q1", "author", "Ann", QUESTION)
    found = [store.newest(item, "author").draft_outcome for item in (*outcomes, "s2-q1")]
    assert found == ["accepted", "edited", "rejected", None]
    seen = views.view(store, "s1-q2", "Ann")["draft"]
    assert (seen["verdict"], seen["issues"], seen["model"], seen["outcome"]) == (
        *("revised", ["span"]),
        *("org/model", "edited"),
    )
    store.close()


def test_an_author_starts_from_a_draft_where_nothing_is_written(tmp_path):
    store = scene_store(tmp_path, questions=0)
    store.add_item("bare", {"scene": "s1", "question_id": "bare"})
    assert views.view(store, "bare", "Ann")["content"] == SceneContent().model_dump(mode="json")
    store.put_draft("bare", Draft(content=QUESTION, verdict="pass", model="m").model_dump_json())
    assert views.view(store, "bare", "Ann")["content"] == QUESTION.model_dump(mode="json")
    assert actions.finish(store, "bare", "author", "Ann", 0).stage == "check"
    store.close()


def test_work_order_is_own_then_checks_then_adjudications_then_new_then_what_waits(tmp_path):
    store = scene_store(tmp_path, scenes=6, questions=0)
    for number in range(6):
        store.add_item(f"i{number}", {"scene": f"s{number + 1}", "question_id": f"i{number}"})
    write(store, "i0", "author", "Bob", QUESTION)
    write(store, "i1", "author", "Ann", QUESTION)
    write(store, "i2", "author", "Ann", QUESTION)
    write(store, "i2", "check", "Eve", checked_like(QUESTION, answer="blue"))
    write(store, "i3", "author", "Bob", QUESTION, finish=False)
    write(store, "i4", "author", "Eve", QUESTION)
    write(store, "i4", "check", "Ann", checked_like(QUESTION))
    entries = views.queue(store, "Bob")
    assert [(one["item"], one["slot"], one["mine"], one["waiting_for"]) for one in entries] == [
        ("i3", "author", True, None),
        ("i1", "check", False, None),
        ("i2", "adjudicate", False, None),
        ("i5", "author", False, None),
        ("i0", None, False, "another"),
        ("i4", None, False, None),
    ]
    assert entries[1]["title"] == QUESTION.question
    assert views.overview(store)["counts"] == {
        "author": 2,
        "check": 2,
        "adjudicate": 1,
        "agreed": 1,
        "settled": 0,
        "rejected": 0,
    }
    assert views.overview(store)["annotators"] == ["Ann", "Bob", "Eve"]
    store.close()


def test_two_people_begin_with_other_pages(tmp_path):
    store = page_store(tmp_path, pages=3)
    firsts = {name: views.queue(store, name)[0]["item"] for name in ("Ann", "Bob", "Eve", "Аня")}
    assert len(set(firsts.values())) > 1
    assert firsts == {name: views.queue(store, name)[0]["item"] for name in firsts}
    store.close()


def test_steps_and_labels_of_a_page_keep_rules():
    assert problems(PAGE) == []
    assert problems(PAGE.model_copy(update={"reasoning_steps": None})) == []
    broken = PageContent(question=" ", answer="2", labels=("tables", "maps", "tables"), reasoning_steps=2)
    assert [(one.field, one.rule, one.found) for one in problems(broken)] == [
        ("question", "not-empty", "no text"),
        ("labels[1]", "known", "'maps'"),
        ("labels", "without-repeats", "tables, maps, tables"),
        ("reasoning_steps", "several-steps", "2"),
    ]


def test_a_rejection_needs_a_reason_alone():
    assert [one.rule for one in problems(SceneContent(decision="reject"), 5)] == ["reason-given"]
    assert problems(REJECT, 5) == []


def test_a_span_stays_in_the_question():
    shards = (QUESTION.shards[0].model_copy(update={"span": (0, 900)}), *QUESTION.shards[1:])
    (problem,) = problems(QUESTION.model_copy(update={"shards": shards}), 5)
    assert (problem.field, problem.rule) == ("shards[0].span", "span-in-question")
