"""What is read of the answers of one run, and of several one behind the other."""

from collections.abc import Mapping, Sequence

import numpy as np

from lvqa_eval.metrics.bear.answer_length import answer_words, words_with_thinking
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.bear.inputs import PageReadings
from lvqa_eval.runs.records import ConversationRecord, Key, PageRecord


def read_answers(study: Study[PageRecord], conversations: Mapping[Key, ConversationRecord]) -> PageReadings:
    """Return the readings of one model's conversations, on the conditions and pages of `study`."""
    return PageReadings(
        answer_words=study.grid(conversations, answer_words)[None],
        words_with_thinking=study.grid(conversations, words_with_thinking)[None],
    )


def join_readings(parts: Sequence[PageReadings]) -> PageReadings:
    """Return the readings of several models in the order of `parts`."""
    return PageReadings(
        answer_words=np.concatenate([part.answer_words for part in parts]),
        words_with_thinking=np.concatenate([part.words_with_thinking for part in parts]),
    )
