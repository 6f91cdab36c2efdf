"""Records of an invented board, plausible and small: what the parts of its pages are tested on."""

import math
import random
from dataclasses import dataclass

from leaderboard.board.compare import Agreement
from leaderboard.board.records import DetectorRow, Entry, JudgeBoard, Matrix, Row, Standing
from leaderboard.html.compare import Contrast, Differing
from leaderboard.html.exchange import Exchange, Picture, Reply, Turn
from leaderboard.html.figures import Line, Mark
from leaderboard.html.heat import PatchMap
from leaderboard.html.layers import Layer, Scene
from leaderboard.html.strip import Stat
from leaderboard.submissions.records import About, Problem, Receipt
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.reports.deliveries import DELIVERIES
from lvqa_eval.statuses import Status

SHA = "3f9a0c11d2e4b5763f9a0c11d2e4b5763f9a0c11d2e4b5763f9a0c11d2e4b576"


@dataclass(frozen=True)
class MadeColumn:
    """A column as the board describes one."""

    key: str
    unit: str
    group: str = ""
    term: str = ""

    @property
    def title(self) -> str:
        """The key of its title."""
        return f"column.{self.key}"


DELIVERED = MadeColumn("delivered", "share", term="delivered")
LAYERED_COLUMNS = (
    MadeColumn("full", "share", term="full"),
    *(
        MadeColumn(f"retained_{one}", "per cent", "group.retained")
        for one in ("question", "scene", "order", "both")
    ),
    MadeColumn("joint", "share", term="joint"),
    MadeColumn("grounding_f1", "ratio", term="grounding_f1"),
    MadeColumn("ungrounded", "share", term="ungrounded"),
    MadeColumn("unreliability", "share", term="unreliability"),
    MadeColumn("coverage", "coverage", term="coverage"),
)
OVERALL = MadeColumn("overall", "share", term="overall")
BEAR_COLUMNS = (
    MadeColumn("en", "share", "group.language", "language"),
    MadeColumn("ru", "share", "group.language"),
    MadeColumn("gap", "difference", "group.language", "gap"),
    MadeColumn("business", "share", "group.domain", "domain"),
    MadeColumn("science", "share", "group.domain"),
    *(
        MadeColumn(f"{domain}-{language}", "share", "group.cell")
        for domain in ("business", "science")
        for language in ("en", "ru")
    ),
    MadeColumn("words", "words", term="words"),
)


def figure(value, half=0.03, n=900, low=None, high=None):
    """Return a figure with an interval of this half width; none where it is NaN."""
    low = value - half if low is None else low
    high = value + half if high is None else high
    return Figure(value, low, high, n, 93, 0, 300, n)


def entry(model, **given):
    """Return a ranked entry that a panel judged."""
    known = {
        "id": SHA[:60] + f"{sum(map(ord, model)) % 9999:04}",
        "badge": "panel",
        "shown": "ranked",
        "weights": "open",
        "parameters": 27.0,
        "received": "2026-05-04T10:11:12Z",
        "harness": "0.1.0",
        "benchmark": "layered-vqa",
        "dataset_version": "1.0.0",
        "judges": ("judge-a", "judge-b"),
        "conditions": tuple(DELIVERIES),
        "runs": 3,
        "conversations": 14400,
        "coverage": 0.9971,
    }
    return Entry(model=model, **{**known, **given})


def layered_rows():
    """Return nine ranked rows in four tiers, a partial, a self-judged and a reported one."""
    draw = random.Random(7)
    levels = (
        ("lumen/scene-reader-large", 0.675, 1, None, "closed"),
        ("lumen/scene-reader", 0.659, 1, None, "closed"),
        ("north/polyp-235b", 0.638, 2, 235.0, "open"),
        ("north/polyp-72b", 0.576, 3, 72.0, "open"),
        (
            "a-laboratory-of-a-long-name/vision-language-model-instruct-preview-2026-04",
            0.567,
            3,
            32.0,
            "open",
        ),
        ("orrery-27b", 0.554, 3, 27.0, "open"),
        ("polyp-12b", 0.446, 4, 12.0, "open"),
        ("polyp-8b", 0.430, 4, 8.0, "open"),
        ("polyp-2.5b", 0.254, 5, 2.5, "open"),
    )
    rows = [
        Row(
            entry(name, parameters=size, weights=weights, badge="verified" if at % 3 == 1 else "panel"),
            _figures(level, draw),
            tier,
        )
        for at, (name, level, tier, size, weights) in enumerate(levels)
    ]
    partial = entry(
        "polyp-9b", shown="not ranked", reason="partial", conditions=tuple(DELIVERIES)[:9], coverage=0.612
    )
    self_judged = entry("own-judge-7b", shown="not ranked", reason="self-judged", badge="self-judged")
    field = entry(
        "Mean of 13 assistants",
        shown="reported",
        badge="reported",
        source="arXiv 2609.38368",
        parameters=None,
        weights=None,
        id="",
    )
    none = math.nan
    return [
        *rows,
        Row(partial, {"full": figure(0.581, 0.039), "retained_question": figure(88.0, 5.0)}),
        Row(self_judged, _figures(0.5, draw)),
        Row(field, {"full": figure(0.6, low=none, high=none), "joint": figure(0.09, low=none, high=none)}),
    ]


def _figures(level, draw):
    made = {"delivered": figure(level, 0.027), "full": figure(level + 0.13, 0.035)}
    for name, base in (("question", 93), ("scene", 78), ("order", 62), ("both", 61)):
        made[f"retained_{name}"] = figure(base + draw.uniform(-4, 4), draw.uniform(3, 6))
    made["joint"] = figure(level / 4.5, 0.024)
    made["grounding_f1"] = figure(level, 0.031)
    made["ungrounded"] = figure(0.3 + draw.uniform(-0.07, 0.1), 0.033)
    made["unreliability"] = figure(0.35 + draw.uniform(-0.02, 0.05), 0.036)
    made["coverage"] = figure(0.9971, low=math.nan, high=math.nan)
    return made


COSTS = dict(
    zip(
        DELIVERIES,
        (0, -4, -5, -14, 6, -9, -18, -27, 6, -20, -31, -17, -24, -26, -2, -14),
        strict=True,
    )
)


def costs():
    """Return the matrix of costs of the ranked models, in points to full."""
    draw = random.Random(3)
    names = [row.entry.model for row in layered_rows() if row.entry.shown == "ranked"]
    cells = {
        (name, condition): figure(0.7 - at / 20, 0.03) if condition == "full" else _cost(cost, draw)
        for at, name in enumerate(names)
        for condition, cost in COSTS.items()
        if (at, condition) != (8, "snowball-v")
    }
    return Matrix(tuple(names), tuple(DELIVERIES), cells)


def _cost(cost, draw):
    return figure(cost / 100 + draw.uniform(-0.025, 0.025), 0.028)


def reported_costs():
    """Return a paper's row of the same, without intervals, and without some conditions."""
    printed = {
        name: cost for name, cost in COSTS.items() if not name.startswith(("snowball", "shuffled", "mis"))
    }
    cells = {
        ("Mean of 13 assistants", name): figure(
            0.6 if name == "full" else cost / 100, low=math.nan, high=math.nan
        )
        for name, cost in printed.items()
    }
    return Matrix(("Mean of 13 assistants",), tuple(DELIVERIES), cells)


def strip_stats():
    """Return five figures of the head of a page."""
    return [
        Stat("full", figure(0.6, low=math.nan, high=math.nan), "share", "full", {"models": 9}),
        Stat("question", figure(-0.041, 0.01), "difference"),
        Stat("scene", figure(-0.187, 0.012), "difference"),
        Stat("restored", figure(0.343, 0.029), "difference"),
        Stat("joint", figure(0.09, 0.011), "share", "joint", {"accuracy": 0.587}),
    ]


def bear_rows():
    """Return three measured rows and three reported ones."""
    draw = random.Random(11)
    made = []
    for name, level, kind in (
        ("orrery-27b", 0.609, "ranked"),
        ("polyp-8b", 0.497, "ranked"),
        ("polyp-2.5b", 0.153, "ranked"),
        ("Qwen3.5-397B-A17B", 0.754, "reported"),
        ("Gemini 3.1 Pro", 0.751, "reported"),
        ("Qwen3.5-0.8B", 0.106, "reported"),
    ):
        reported = kind == "reported"
        names = [one.key for one in BEAR_COLUMNS if not (reported and one.group == "group.cell")]
        figures = {key: figure(min(0.95, level + draw.uniform(-0.1, 0.1)), 0.05) for key in names}
        figures |= {"overall": figure(level, 0.03), "gap": figure(0.11, 0.06)}
        figures["words"] = figure(884.0, low=math.nan, high=math.nan)
        made.append(
            Row(
                entry(name, shown=kind, badge="reported" if reported else "panel", source="arXiv 2608.17895"),
                figures,
                None if reported else len(made) + 1,
            )
        )
    return made


def detector_rows():
    """Return detectors on four models' answers: terse and long, native and by a proxy, one reported."""
    draw = random.Random(5)
    detectors = (
        "max_prob",
        "mean_prob",
        "log_likelihood",
        "perplexity",
        "contextual_lens",
        "suq_probe",
        "model_as_judge",
    )
    rows = []
    for model, words, wrong, source, reported in (
        ("lumen/scene-reader", 3.0, 0.249, "proxy/reader-8b", False),
        ("Gemini 3.1 Pro", 3.0, 0.25, "native", True),
        ("polyp-12b", 136.0, 0.373, "native", False),
        ("orrery-27b", 1036.0, 0.392, "native", False),
    ):
        for detector in (*detectors, "answer-length"):
            value = 0.4 + draw.random() * 0.42
            at = {"answer-length": "answer", "model_as_judge": "judge/reader-72b"}.get(detector, source)
            half = math.nan if reported else 0.03
            measures = {
                name: figure(value, low=value - half, high=value + half)
                for name in ("balanced_accuracy", "auroc", "average_precision")
                if not (detector == "model_as_judge" and name != "balanced_accuracy")
            }
            rows.append(
                DetectorRow(
                    model,
                    "bear-bench",
                    "default",
                    detector,
                    at,
                    reported,
                    measures,
                    wrong,
                    wrong + 0.01,
                    1000,
                    2,
                    words,
                )
            )
    return rows


def judge_board():
    """Return three judges on four assistants, two of which are judges themselves."""
    draw = random.Random(2)
    judges = ("polyp-72b", "orrery-27b", "judge-a")
    assistants = ("polyp-72b", "orrery-27b", "lumen/scene-reader", "polyp-8b")
    cells = {
        (judge, assistant): figure(0.7 - 0.08 * at + draw.uniform(-0.06, 0.06))
        for judge in judges
        for at, assistant in enumerate(assistants)
    }
    return JudgeBoard(
        Matrix(judges, assistants, cells),
        {judge: figure(draw.uniform(-0.04, 0.04), 0.015) for judge in judges},
        {judge: figure(draw.uniform(0, 0.04), 0.02) for judge in judges[:2]},
        (
            ("judge-a", "people", figure(0.94, 0.02, n=400), 0.87),
            ("judge-a", "orrery-27b", figure(0.91, 0.01), 0.81),
        ),
    )


def depth_lines():
    """Return losses by depth of two conditions; the ends of one are reported."""
    loss = (
        Mark(-0.05, -0.08, -0.02, True),
        *(Mark(-0.06 * at, -0.06 * at - 0.03, -0.06 * at + 0.03) for at in (2, 3, 4)),
    )
    oracle = tuple(Mark(-0.04 * at, -0.04 * at - 0.03, -0.04 * at + 0.03) for at in (1, 2, 3, 4, 5))
    return (Line("oracle", oracle, dashed=True), Line("concat-v", (*loss, Mark(-0.269, -0.3, -0.24, True))))


def resolution_lines():
    """Return accuracies on smaller pages of two models, one reported."""
    printed = tuple(Mark(value, reported=True) for value in (0.496, 0.45, 0.33, 0.126, 0.047))
    measured = tuple(Mark(value, value - 0.03, value + 0.03) for value in (0.609, 0.58, 0.47, 0.22, 0.08))
    return (Line("Qwen3.5-9B", printed, dashed=True), Line("orrery-27b", measured))


def contrasts():
    """Return two models on all conditions, and one that a model lacks."""
    draw = random.Random(4)
    made = []
    for name in DELIVERIES:
        a, gap = draw.uniform(0.4, 0.75), draw.uniform(-0.09, 0.1)
        made.append(
            Contrast(name, figure(a), figure(a - gap), figure(gap, 0.04), draw.randrange(50, 95), 300)
        )
    made[9] = Contrast("snowball-v", figure(0.48), None, None, 0, 0)
    return made


AGREEMENT = Agreement(86, 44, 28, 142)
DIFFERING = (
    Differing("q-0112", "sharded-v", "spatial", "blue", ("Blue.", "Red."), ("right", "wrong")),
    Differing("q-0031", "sharded-v", "counting", "3", ("Two.", "Three."), ("wrong", "right")),
    Differing("q-0290", "recap-v", "multi_hop", "left shelf", ("On the left shelf.", ""), ("right", "wrong")),
)


def picture(name, width=448, height=336):
    """Return a picture of the folder that a made page has beside it."""
    return Picture(f"pictures/{name}.png", width, height, SHA)


SCENE = Scene(
    picture("composite"),
    tuple(
        Layer(number, picture(f"layer-{number}"), caption)
        for number, caption in enumerate(
            ("background", "window", "blue mug", "red mug", "plant in a pot of clay", "lamp")
        )
    ),
    "blue",
    "spatial",
    (2, 4),
)

_REPLIES = (
    (Reply("Which mug is meant? No mug is visible yet.", "asks"), Reply("Where is the mug?", "asks")),
    (Reply("Could you show the mugs and the plant?", "asks"), Reply("", "wrong", Status.EMPTY)),
    (Reply("Blue.", "right", ungrounded=True), Reply("Is there a plant next to this mug?", "asks")),
    (Reply("Is the plant to the left of the red mug?", "asks"), Reply("Red.", "wrong")),
    (Reply("Blue.", "right"), Reply("Blue.", "right")),
    (Reply("Blue.", "right"), None),
)

EXCHANGE = Exchange(
    condition="sharded-v",
    turns=tuple(
        Turn(
            "What colour is the mug to the left of the plant?" if at == 0 else f"This is layer {at}.",
            question=at == 0,
            layers=(at,),
            pictures=((f"Image 1, layer {at}", picture(f"layer-{at}")),),
            replies=replies,
        )
        for at, replies in enumerate(_REPLIES)
    ),
    models=("north/polyp-235b", "polyp-12b"),
    finals=("right", "wrong"),
    gold=(2, 4),
    complete=5,
)


def patches():
    """Return a page of 22 by 17 patches with two hot places."""

    def near(row, column):
        one = math.exp(-((row - 6) ** 2 + (column - 11) ** 2) / 6)
        other = 0.6 * math.exp(-((row - 15) ** 2 + (column - 4) ** 2) / 9)
        return 0.08 + 0.004 * ((row * 7 + column * 3) % 5) + 0.3 * max(one, other)

    values = tuple(tuple(near(row, column) for column in range(17)) for row in range(22))
    return PatchMap(picture("page", 680, 880), values, "orrery-27b")


PROBLEMS = (
    Problem(1, "", "about.model", '"Qw\\u0435n/model"', "letters of one script"),
    Problem(
        1, "", "settings.dataset.manifest_sha256", '"3f9a0c11…"', '"77b1…", that of the board\'s dataset'
    ),
    Problem(1204, "full, q-0112, run 1", "conversation", "it again, first on line 1187", "once"),
    Problem(
        5530,
        "oracle, q-0207, run 3",
        "turns[0].status",
        '"done"',
        "ok, truncated, refused, empty, unparsable",
    ),
    Problem(9001, "", "text", "byte 412 is no UTF-8", "UTF-8"),
    Problem(None, "sharded-v, q-0031, run 2", "conversation", "nothing", "one conversation"),
)

RECEIPT = Receipt(
    SHA,
    "2026-05-04T10:11:12Z",
    About("north/polyp-235b"),
    "layered-vqa",
    "1.0.0",
    SHA,
    tuple(DELIVERIES),
    3,
    14400,
    "0.1.0",
)
SCORE = Estimate(0.487, 0.46, 0.51, 14400, 93, 0)
STANDINGS = (
    Standing("layered-vqa", "1.0.0", SHA, 300, 93, tuple(DELIVERIES), 3),
    Standing("bear-bench", "1.0.0", SHA, 1000, 412, ("default", "cot"), 1),
)


def history_entries():
    """Return four submissions, the first version of a model among them."""
    return [
        entry(
            "north/polyp-235b",
            version=2,
            received="2026-06-01T00:00:00Z",
            badge="provisional",
            reason="provisional",
        ),
        entry("orrery-27b", badge="verified"),
        entry("north/polyp-235b", version=1, newest=False),
        entry("own-judge-7b", badge="self-judged", reason="self-judged", shown="not ranked", received=""),
    ]
