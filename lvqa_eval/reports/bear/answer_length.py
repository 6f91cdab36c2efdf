"""Table 5: how long answers are."""

import math
from dataclasses import replace
from typing import Final

from lvqa_eval.metrics.bear.answer_length import MEDIAN, TRUNCATED, AnswerLength, answer_length
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import PAPER, UNPROMPTED, basis, lacking_default, model_table, ours_of
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.reported import reported_table
from lvqa_eval.reports.table import Head, Table, Value

NAME: Final = "bear-table-5"
TITLE: Final = "Median length of answers"
DEFINITION: Final = (
    f"{UNPROMPTED} Words are what white space separates. The answer is the reply without thinking; of one "
    "that the limit of tokens cut off, what there is of it. Replies without a word, and refusals, have no "
    "length.",
    "Truncated: replies that the limit cut off, divided by all that the model gave, refusals and empty ones "
    "among them. Thinking counts toward the limit.",
    "Intervals of medians come from the same bootstrap over source documents. The mean over the models is "
    "that of their medians.",
)


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Table 5: the median number of words, with and without thinking, and the share cut off."""
    if missing := lacking_default(inputs):
        return Exhibit(NAME, "Table 5", TITLE, PAPER, DEFINITION, missing=missing)
    study, readings = inputs.study, inputs.readings
    answers = answer_length(study, readings.answer_words, inputs.weights)
    thinking = answer_length(study, readings.words_with_thinking, inputs.weights)
    columns = (
        replace(answers.words, columns=("answer",)),
        replace(thinking.words, columns=("answer and thinking",)),
        answers.truncated,
    )
    return Exhibit(
        name=NAME,
        label="Table 5",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(*basis(answers.words, "Answer"), *basis(answers.truncated, "Truncated"), *_wordless(answers)),
        tables=(model_table(NAME, TITLE, *columns),),
        reported=_reported(answers),
    )


def _wordless(found: AnswerLength) -> tuple[tuple[str, str], ...]:
    counts = zip(found.words.models, found.without_words, strict=True)
    named = ", ".join(f"{model} {count:,}" for model, count in counts if count)
    return (("Replies without an answer to measure", named),) if named else ()


def _reported(found: AnswerLength) -> Table:
    printed = reported_table(PAPER, "accuracy")
    rows: list[tuple[Value, ...]] = []
    for row in printed.rows:
        model = ours_of(row, found.words.models)
        here: tuple[Value, Value] = (
            (found.words.at(model, MEDIAN), found.truncated.at(model, TRUNCATED))
            if model
            else (math.nan, math.nan)
        )
        rows.append((row.keys["model"], int(row.figures["median_answer_words"].value), *here))
    return Table(
        f"{NAME}-reported",
        f"Reported in {printed.source}, and measured here",
        (
            Head("Model"),
            Head("Reported, words", "count", reported=True),
            Head("Measured here, words", "number"),
            Head("Truncated here, %", "share"),
        ),
        tuple(rows),
    )
