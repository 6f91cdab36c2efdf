"""What each column means, with its denominator."""

from lvqa_eval.metrics.accuracy import RANKED_FROM

DEFINITIONS: dict[str, str] = {
    "Accuracy": (
        "Conversations whose final turn answers correctly, divided by those that count, over all questions "
        "and runs. A reply that is truncated, refused, empty or unparsable is the model's failure: wrong."
    ),
    "95 % interval": (
        "Scene-cluster bootstrap: a draw takes scenes with replacement, with all their questions and runs; "
        "the interval holds the middle 95 % of the draws. All conditions share each draw. There is no "
        "interval where the data come from one scene, and one without width where all draws agree."
    ),
    "To full": (
        "Accuracy minus that of full, in percentage points, over the questions and runs that count in both. "
        "The interval is that of the difference inside each draw. Filled mark and bold figure: the interval "
        "leaves out zero. There is no correction for the number of comparisons."
    ),
    "Strict": "Correct conversations divided by those planned: what does not count is held wrong.",
    "SD": "Standard deviation of the accuracies of the runs (n - 1), in percentage points.",
    "n": "Conversations (question and run) that count.",
    "Coverage": (
        "Conversations that count, divided by those planned, rounded down. Errors of the serving, context "
        "overflows, missing judgements and missing conversations lower it. Below "
        f"{RANKED_FROM * 100:.0f} % a figure is not ranked."
    ),
    "Truncated, refused, empty, unparsable": (
        "The last reply was cut off at the token limit; the provider refused; nothing was said outside the "
        "thinking; the form that was asked for is missing. Counted as wrong. Shares are of those planned."
    ),
    "Errors, overflow": (
        "The transport or the server failed or ran out of time; the conversation outgrew the model's "
        "context. Not counted."
    ),
    "Unjudged, missing": (
        "The conversation ended well but has no valid verdict; there is no conversation yet. Not counted."
    ),
    "Turn of complete evidence": (
        "The first turn after which all layers of some sufficient set, or the whole scene, have been shown."
    ),
}

BASELINE = {
    "Baseline": (
        "What is reached without what the conditions deliver, such as the question without any picture: how "
        "much the words alone give away. It is no delivery, and is in no difference, average or ranking."
    )
}
"""Said where a run has a baseline."""

EXHIBITS = {
    "Small figures": (
        "Below a figure its 95 % interval, by the cluster bootstrap: a draw takes scenes, on BEAR-Bench "
        "documents, with replacement, with all their questions and runs. All figures of the report share "
        "each draw. Percentiles of the draws; none where the data come from one scene or document."
    ),
    "Tinted and bold": (
        "A difference in points whose interval leaves out zero: orange below zero, blue above, deeper from "
        "7.5, 15 and 25 points on, without tint below 2.5. No correction for the number of comparisons."
    ),
    "Mean of models": (
        "Each model has the same weight. A column that some model lacks has no mean: a mean over the others "
        "could not be compared with those beside it."
    ),
    "Reported": (
        "Figures that a paper prints, of its own models and data. They stand apart, and go into no figure "
        "measured here."
    ),
}
"""What holds for the tables of all exhibits."""
