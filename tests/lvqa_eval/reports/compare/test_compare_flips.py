from lvqa_eval.reports.compare.comparison import compare_runs
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

# One word a question, one letter a run: + right, - wrong, T truncated, X timed out, ? not judged.
STATUS = {"T": Status.TRUNCATED, "X": Status.TIMEOUT}


def run(folder, words, conditions=("full",)):
    """Write a run that turned out as `words`: for each condition a mapping of question to letters."""
    names = sorted({name for of_condition in words for name in of_condition})
    talks, verdicts = [], []
    for condition, of_condition in zip(conditions, words, strict=True):
        for name, letters in of_condition.items():
            for number, letter in enumerate(letters, start=1):
                status = STATUS.get(letter, Status.OK)
                reply = None if letter in STATUS else f"{condition} {letter} in run {number}"
                talks.append(conversation(condition, name, number, status, [turn(reply=reply)]))
                if letter in "+-":
                    verdicts.append(judgement(condition, name, number, letter == "+"))
    runs = max(len(letters) for of_condition in words for letters in of_condition.values())
    questions = [question(name, f"s{name}") for name in names]
    return write_run(folder, conditions, runs, questions, talks, {"m": verdicts})


def flipped(tmp_path, a, b, conditions=("full",)):
    found = compare_runs(run(tmp_path / "a", a, conditions), run(tmp_path / "b", b, conditions))
    return found, [(one.condition, one.question.question_id, round(one.change, 2)) for one in found.flips]


def test_what_flips_and_in_which_order(tmp_path):
    a = {"q1": "---", "q2": "+++", "q3": "++-", "q4": "+--", "q5": "+++", "q6": "---"}
    b = {"q1": "-++", "q2": "---", "q3": "+--", "q4": "---", "q5": "++-", "q6": "+++"}
    found, flips = flipped(tmp_path, [a], [b])
    assert flips == [("full", "q2", -1.0), ("full", "q6", 1.0), ("full", "q1", 0.67), ("full", "q3", -0.33)]
    (row,) = [row for row in found.rows if row.part.kind == "condition"]
    assert found.flipped(row) == (2, 2)


def test_ties_are_in_the_order_of_conditions_then_questions(tmp_path):
    right, wrong = {"q1": "+", "q2": "+"}, {"q1": "-", "q2": "-"}
    _, flips = flipped(tmp_path, [right, right], [wrong, wrong], ("oracle", "full"))
    assert flips == [
        ("full", "q1", -1.0),
        ("full", "q2", -1.0),
        ("oracle", "q1", -1.0),
        ("oracle", "q2", -1.0),
    ]


def test_half_of_the_runs_decides_nothing(tmp_path):
    assert flipped(tmp_path, [{"q1": "+-", "q2": "++"}], [{"q1": "--", "q2": "+-"}])[1] == []


def test_a_failed_model_is_wrong_and_what_does_not_count_has_no_vote(tmp_path):
    found, flips = flipped(tmp_path, [{"q1": "+?X", "q2": "XXX"}], [{"q1": "T-+", "q2": "+++"}])
    assert flips == [("full", "q1", -0.67)]
    (flip,) = found.flips
    assert [(flip.a.right, flip.a.valid), (flip.b.right, flip.b.valid)] == [(1, 1), (1, 3)]
    assert [one.correct for one in flip.a.replies] == [True, None, None]
    assert flip.a.typical.reply == "full + in run 1"
    assert (flip.b.replies[0].status, flip.b.replies[0].reply) == (Status.TRUNCATED, None)
    assert not flip.gained


def test_the_typical_reply_is_the_first_that_decided_as_most_did(tmp_path):
    found, _ = flipped(tmp_path, [{"q1": "-++"}], [{"q1": "+--"}])
    assert (found.flips[0].a.typical.run, found.flips[0].b.typical.run) == (2, 2)
