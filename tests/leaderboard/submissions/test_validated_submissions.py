"""What a board says of a submission: every problem at once, by line, and nothing where nothing is wrong."""

import gzip
import io
import json
from pathlib import Path

import pytest

from leaderboard.submissions.reading import Limits, read_submission
from leaderboard.submissions.standing import BenchmarkStanding, BoardStanding
from leaderboard.submissions.validate import validate
from tests.support.boards import SKILLED, SLOW, submission, tiny_folder
from tests.support.page_folder import page_folder

CASES = Path(__file__).resolve().parents[2] / "cases" / "leaderboard"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the standing of a small dataset, and the decoded lines of a good submission to it."""
    folder = tmp_path_factory.mktemp("validated")
    dataset = tiny_folder(folder / "layered-vqa", scenes=4)
    file = submission(
        folder / "good", dataset, SLOW, conditions=("full", "sharded-v"), runs=1, judges=("own",)
    )
    return BoardStanding.of(str(dataset)), gzip.decompress(file.read_bytes()).splitlines()


@pytest.fixture
def standing(made):
    return made[0]


@pytest.fixture
def lines(made):
    return [json.loads(line) for line in made[1]]


def problems(lines, standing, limits=None):
    content = b"\n".join(json.dumps(line, ensure_ascii=False).encode() for line in lines)
    return [str(one) for one in validate(read_submission(io.BytesIO(content), limits), standing)]


def test_a_good_submission_has_no_problems(lines, standing):
    assert len(lines) == 1 + 8 + 8
    assert problems(lines, standing) == []


def test_answers_that_are_missing_doubled_and_unknown_are_all_told(lines, standing):
    # Of four questions the first is answered, the second twice and differently, two are not, one is unknown.
    header, *rest = lines
    full = [line for line in rest if line["kind"] == "conversation" and line["condition"] == "full"]
    others = [line for line in rest if line["kind"] == "conversation" and line["condition"] != "full"]
    again = json.loads(json.dumps(full[1]))
    again["turns"][0]["reply"] = "another"
    unknown = {**full[0], "question_id": "q99"}
    sent = [{**header, "judgements": 0, "judges": {}}, *full[:2], again, unknown, *others]
    assert problems(sent, standing) == [
        "line 4: full, q2, run 1: conversation: found it again, first on line 3, allowed: once",
        "line 5: full, q99, run 1: conversation: found one that is not claimed, "
        "allowed: conditions, questions, runs of the header",
        "file: full, q3, run 1: conversation: found nothing, allowed: one conversation",
        "file: full, q4, run 1: conversation: found nothing, allowed: one conversation",
    ]


def test_answers_by_id_alone_are_no_submission(standing):
    found = validate(read_submission(CASES / "submission_missing_extra.jsonl"), standing)
    assert [(one.line, one.field, one.found) for one in found] == [
        (n, "kind", "nothing") for n in (1, 2, 3, 4)
    ]


def test_a_run_over_another_version_is_refused_for_that_alone(lines, standing):
    lines[0]["settings"]["dataset"] |= {"version": "0.9", "manifest_sha256": "0" * 64}
    version, manifest = problems(lines, standing)
    assert (
        version
        == 'line 1: settings.dataset.version: found "0.9", allowed: "1.0.0", that of the board\'s dataset'
    )
    assert manifest.startswith('line 1: settings.dataset.manifest_sha256: found "0000')


def test_a_figure_in_a_submission_has_no_place(lines, standing):
    lines[0]["accuracy"] = "71.5"
    lines[1]["accuracy"] = 71.5
    assert problems(lines, standing) == [
        "line 1: accuracy: found a field that is not known, "
        "allowed: only format, about, settings, judges, conversations, judgements",
        "line 2: full, q1, run 1: accuracy: found a field that is not known, "
        "allowed: only condition, question_id, run, status, turns, misalignment",
    ]


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("settings", "lvqa"), "9.9.9", 'settings.lvqa: found "9.9.9", allowed: runs of LVQA 0.1.0'),
        (("settings", "runs"), 4, "settings.runs: found 4, allowed: 1 to 3"),
        (("settings", "questions"), 3, "settings.questions: found 3, allowed: 4, every one of the dataset"),
        (("settings", "benchmark"), "other", 'settings.benchmark: found "other", allowed: layered-vqa'),
        (
            ("settings", "split"),
            {"language": "en"},
            'settings.split: found {"language": "en"}, allowed: none on this',
        ),
        (("settings", "seed"), 1.5, "settings.seed: found 1.5, allowed: a whole number from"),
        (("settings", "user"), {"name": "x"}, 'settings.user.name: found "x", allowed: scripted, llm'),
        (("settings", "images"), {}, "settings.images.background: found null, allowed: checkerboard"),
        (("settings", "unknown"), 1, "settings.unknown: found a field that is not known"),
        (
            ("settings", "sampling", "temperature"),
            -1,
            "settings.sampling.temperature: found -1, allowed: a number",
        ),
        (("settings", "prompts", "multi_turn"), "0" * 64, 'settings.prompts.multi_turn: found "0000'),
        (("settings", "baselines"), {"none": "0" * 64}, 'settings.baselines: found "none", allowed: none'),
        (
            ("settings", "model", "name"),
            "a\u202eb",
            "settings.model.name: found the character U+202E (changes the",
        ),
        (("settings", "server"), {"max_model_len": 2**70}, "settings.server.max_model_len: found"),
        (("about", "model"), "Оrg/Model-A", 'about.model: found Latin letters beside "О" (U+041E, Cyrillic)'),
        (
            ("about", "parameters"),
            0,
            "about.parameters: found 0.0, allowed: billions, above 0, at most 100,000",
        ),
        (
            ("about", "link"),
            "http://example.org",
            'about.link: found "http://example.org", allowed: an https',
        ),
        (
            ("about", "link"),
            "javascript:alert(1)",
            'about.link: found "javascript:alert(1)", allowed: an https',
        ),
        (("about", "revision"), "../x", 'about.revision: found "../x", allowed: up to 100 letters'),
        (("about", "note"), "a\nb", "about.note: found the character U+000A, allowed: one line"),
        (("about", "note"), "x" * 501, "about.note: found 501 characters, allowed: at most 500"),
        (("format",), 2, "format: found 2, allowed: 1; a newer LVQA may write another"),
        (
            ("conversations",),
            9,
            "conversations: found 9, but 8 such lines follow, allowed: the number of lines",
        ),
        (("judges", "../x"), {}, 'judges: found "../x", allowed: up to 100 Latin letters'),
    ],
)
def test_each_part_of_the_header_is_held_against_the_board(lines, standing, place, value, told):
    holder = lines[0]
    for name in place[:-1]:
        holder = holder[name]
    holder[place[-1]] = value
    found = problems(lines, standing)
    assert [one for one in found if one.startswith(f"line 1: {told}")], found
    assert all(one.startswith("line 1: ") for one in found)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"status": "timeout"},
            "status: found timeout, allowed: context_overflow, empty, ok, refused, truncated, ",
        ),
        ({"misalignment": "strict"}, 'misalignment: found "strict", allowed: null'),
        ({"seed": 5}, "turns[0].seed: found 5, allowed: "),
        ({"user": "Say yes."}, 'turns[0].user: found "Say yes.", allowed: '),
        ({"layers": [0, 1, 2]}, "turns[0].layers: found [0, 1, 2], allowed: [], as scheduled"),
        ({"composite": False}, "turns[0].composite: found false, allowed: true, as scheduled"),
        ({"reply": " "}, 'turns[0].reply: found " ", allowed: words, since its status is ok'),
        ({"prompt_tokens": -1}, "turns[0].prompt_tokens: found -1, allowed: a whole number from 0"),
    ],
)
def test_a_conversation_is_held_against_the_schedule_of_its_row(lines, standing, change, told):
    record = lines[1]
    for name, value in change.items():
        (record if name in (*record, "misalignment") else record["turns"][0])[name] = value
    found = problems(lines, standing)
    assert [one for one in found if one.startswith(f"line 2: full, q1, run 1: {told}")], found


def test_turns_left_out_or_added_are_told(lines, standing):
    short = next(line for line in lines if line.get("condition") == "sharded-v")
    short["turns"] = short["turns"][:1]
    assert "turns: found 1 turns, allowed: 3, as the dataset schedules" in problems(lines, standing)[0]


def test_a_conversation_that_overflowed_may_end_early_and_is_not_judged(lines, standing):
    short = next(line for line in lines if line.get("condition") == "sharded-v")
    short["turns"] = short["turns"][:1]
    short["status"] = short["turns"][0]["status"] = "context_overflow"
    short["turns"][0]["reply"] = None
    [found] = problems(lines, standing)
    assert found.endswith(
        "judgement: found a verdict, allowed: none, since the conversation ended with context_overflow"
    )


def test_a_verdict_is_held_against_its_conversation(lines, standing):
    verdicts = [line for line in lines if line["kind"] == "judgement"]
    verdicts[0]["judge"] = "someone"
    verdicts[1]["question_id"] = "q77"
    verdicts[2]["first_correct_turn"] = 9
    verdicts[3]["final_turn_correct"] = None
    lines.append({**verdicts[4]})
    lines[0]["judgements"] += 1
    found = [one.split(": ", 2)[2] for one in problems(lines, standing)]
    assert found == [
        'judge: found "someone", allowed: "own", as in the header',
        "judgement: found one of no conversation before it, allowed: the conversation first",
        "first_correct_turn: found 9, allowed: 0 to 1",
        "final_turn_correct: found None, allowed: true or false: its status is ok",
        "judgement: found it again, allowed: once by a judge",
    ]


def test_problems_come_at_once_by_line_and_what_repeats_is_counted(lines, standing):
    from leaderboard.submissions.findings import MOST

    lines[0]["about"]["parameters"] = -1
    header = lines[0] | {"conversations": 0, "judgements": 0, "judges": {}}
    found = problems([header, {"kind": "x"}, {"kind": "conversation"}], standing)
    assert found[0].startswith("line 1: about.parameters")
    assert found[1] == 'line 2: kind: found "x", allowed: header, conversation, judgement'
    assert [one.split(": ")[1] for one in found[2:7]] == [
        "condition",
        "question_id",
        "run",
        "status",
        "turns",
    ]
    assert (
        found[8:]
        == [
            f"file: {condition}, q{number}, run 1: conversation: found nothing, allowed: one conversation"
            for condition in ("full", "sharded-v")
            for number in (1, 2, 3, 4)
        ]
        or len([one for one in found if "found nothing, allowed: one conversation" in one]) == 8
    )
    many = problems([lines[0], *[{"kind": "x"}] * (MOST + 7)], standing)
    assert many[-1] == f"file: kind: found 7 more like the {MOST} listed, allowed: none"


def test_names_that_look_like_a_models_on_the_board_are_refused(lines, standing):
    taken = BoardStanding(standing.benchmarks, ("aurora-Iab/Aurora-VL-7B", "Other"))
    [found] = problems(lines, taken)
    assert 'which looks like "aurora-Iab/Aurora-VL-7B"' in found
    assert problems(lines, BoardStanding(standing.benchmarks, (SLOW.name.upper(),))) == []


def test_baselines_and_other_seeds_belong_to_a_run(tmp_path, made):
    dataset = made[0].benchmarks["layered-vqa"].dataset.folder
    model = SLOW.__class__("a model", 0.5, seed=9)
    file = submission(tmp_path, dataset, model, conditions=("full",), runs=2, baselines=("question-only",))
    assert validate(read_submission(file), made[0]) == []


def test_pages_of_one_language_are_a_run_of_their_own(tmp_path):
    dataset = page_folder(tmp_path / "bear-bench")
    standing = BoardStanding.of(dataset)
    file = submission(tmp_path / "all", dataset, SKILLED)
    assert validate(read_submission(file), standing) == []
    content = gzip.decompress(file.read_bytes()).splitlines()
    header, *rest = map(json.loads, content)
    header["settings"] |= {"split": {"language": "en"}, "questions": 4}
    english = [line for line in rest if "-en-" in line["question_id"]]
    assert problems([header | {"conversations": 4}, *english], standing) == []
    found = problems([header | {"conversations": 8}, *rest], standing)
    assert len(found) == 4
    assert all("found one that is not claimed" in one for one in found)


def test_a_run_of_fewer_conditions_than_the_boards_is_taken_and_of_others_not(made):
    one = made[0].benchmarks["layered-vqa"]
    narrow = BenchmarkStanding(one.benchmark, one.dataset, ("full",), 1, ("0.0.9",))
    found = validate(read_submission(io.BytesIO(b"\n".join(made[1]))), BoardStanding({"layered-vqa": narrow}))
    assert [str(problem) for problem in found] == [
        'line 1: settings.lvqa: found "0.1.0", allowed: runs of LVQA 0.0.9'
    ]


def test_limits_of_a_board_hold_for_its_header(lines, standing):
    found = problems(lines, standing, Limits(conversations=9, judges=0))
    assert found[0] == "line 1: judgements: found 8, allowed: at most 0"
    assert found[1] == "line 1: judges: found 1, allowed: at most 0"
