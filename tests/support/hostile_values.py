"""Values that a submission may not have: hostile text, and parts of a header that do not fit."""

HOSTILE = (
    "../../../etc/passwd", "..\\..\\x", "/etc/passwd", "a/../b", "~root", "CON", "x\u0000y", "\u202egpj.exe",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "${alert(1)}", "{{7*7}}", "=1+1", "@SUM(1)",
    "a\nb", "a|b\nc", "\ufeffx", "\u200bx", "А" * 300, "x" * 5000, "", " ", "%2e%2e/x",
    "\udc00".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "ｆｕｌｌ", "full ", "FULL",
)  # fmt: skip
"""Text that is no id of anything, for most in the hope that it does something else."""

HEADER = {
    "format": (0, 2, -1, 10**30, "1", None),
    "conversations": (0, 13, 10**9, -1, "16"),
    "judgements": (0, 10**9, 1.5),
    ("about", "parameters"): (0, -1, 1e9, "7", 10**400),
    ("about", "weights"): ("Open", "", True),
    ("about", "link"): (
        *(
            "http://example.org",
            "javascript:alert(1)",
            "https://a b.org",
            "https://u:p@example.org",
            "https://x",
        ),
        *(
            "https://example.org/\u202e",
            'https://example.org/"onload=',
            "data:text/html,x",
            "https://пример.рф",
        ),
    ),
    ("about", "revision"): ("../..", "a b", "-rf", "<b>", "x" * 101, "", 3),
    ("about", "note"): ("x" * 501, "a\u202eb", "a\nb", "a\u0000", "\u200b"),
    ("about", "accuracy"): (99.9,),
    ("settings", "benchmark"): ("other", "", None, ["layered-vqa"]),
    ("settings", "lvqa"): ("0.0.1", "9.9.9", 1),
    ("settings", "dataset", "name"): ("bear-bench", "x"),
    ("settings", "dataset", "version"): ("0.9", "0.9.0", "1.0", 1),
    ("settings", "dataset", "manifest_sha256"): ("0" * 64, "", "x" * 64),
    ("settings", "dataset", "condition_options"): (None, {}, {"seed": 1}),
    ("settings", "conditions"): ([], ["full", "full"], ["full"], ["../x"], ["full"] * 200, "full"),
    ("settings", "runs"): (0, 1, 3, 4, 10**30, -1, "2"),
    ("settings", "questions"): (0, 1, 3, 10**9),
    ("settings", "seed"): (4, 0, 2**64, "3"),
    ("settings", "user"): ({"name": "person"}, {}, "scripted", {"name": "llm"}),
    ("settings", "prompts"): ({}, {"single_turn": "0" * 64}),
    ("settings", "prompts", "multi_turn"): ("0" * 64, "x", None),
    ("settings", "prompts", "another"): ("0" * 64,),
    ("settings", "baselines"): ({}, {"question-only": "0" * 64}, {"../x": "0" * 64}),
    ("settings", "split"): ({"language": "en"}, {"x": ""}),
    ("settings", "images", "background"): ("pink", None),
    ("settings", "sampling", "temperature"): ("1", None, -1, 10**400),
    ("settings", "sampling", "max_tokens"): (0, "x", 2**65),
    ("settings", "model", "name"): ("a\u202eb", "x" * 20_001, "\u0000"),
    ("settings", "extra"): (1, {"a": {}}),
    ("judges",): ({}, {"../x": {}}, {"own-judge": 1}, {"a b": {}, "own-judge": {}}),
    ("judges", "own-judge"): ({"name": "a\u202eb"}, [1]),
    ("judges", "second"): ("x",),
}
"""What a part of the header may not be, by its place."""
