"""From run folders over pages to a table: the way that a report takes."""

from dataclasses import replace

import numpy as np

from lvqa_eval.metrics.bear.conditions import COT, DEFAULT
from lvqa_eval.metrics.scores import score_pages
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.bear import answer_length
from lvqa_eval.reports.bear.inputs import PageReadings
from lvqa_eval.reports.bear.readings import join_readings, read_answers
from lvqa_eval.statuses import Status
from tests.support.page_inputs import page_inputs
from tests.support.page_studies import page
from tests.support.scored_runs import conversation, judgement, turn, write_run

PAGES = [page("q0", "a"), page("q1", "b")]
NAN = np.nan


def said(condition, name, reply, thinking=None, status=Status.OK):
    turns = (replace(turn(composite=True, reply=reply), thinking=thinking, status=status),)
    return conversation(condition, name, status=status, turns=turns)


def test_words_are_read_from_run_folders(tmp_path):
    held = {
        "one": [
            said(DEFAULT, "q0", "It is 42.", "First add."),
            said(DEFAULT, "q1", None, "Well", Status.TRUNCATED),
        ],
        "two": [
            said(DEFAULT, "q0", "42"),
            said(DEFAULT, "q1", "I take it to be 41."),
            said(COT, "q0", "a b"),
        ],
    }
    conditions = {"one": [DEFAULT], "two": [DEFAULT, COT]}
    stores = {
        name: write_run(
            tmp_path / name,
            conditions[name],
            1,
            PAGES,
            records,
            {"j": [judgement(DEFAULT, "q0"), judgement(DEFAULT, "q1")]},
            benchmark="bear-bench",
        )
        for name, records in held.items()
    }
    read = {name: store.conversations() for name, store in stores.items()}
    study = Study.join(
        {name: score_pages(store, read[name], store.judgements("j")) for name, store in stores.items()}
    )
    readings = join_readings([read_answers(study, records) for records in read.values()])
    np.testing.assert_array_equal(
        readings.answer_words[:, :, :, 0], [[[3, NAN], [NAN, NAN]], [[1, 6], [2, NAN]]]
    )
    np.testing.assert_array_equal(readings.words_with_thinking[0, 0, :, 0], [5, 1])
    assert isinstance(readings, PageReadings)
    (table,) = answer_length.exhibit(page_inputs(study, readings=readings)).tables
    assert [[one.value for one in row[1:]] for row in table.rows[:2]] == [[3.0, 3.0, 0.5], [3.5, 3.5, 0.0]]
