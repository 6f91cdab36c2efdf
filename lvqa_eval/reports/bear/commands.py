"""What makes what an exhibit lacks: commands, and for types of errors a file of people's."""

from typing import Final

from lvqa_eval.metrics.bear.conditions import COT, DEFAULT, at_factor

RUN: Final = "lvqa run --benchmark bear-bench --model NAME"
RUN_COT: Final = f"{RUN} --conditions {DEFAULT},{COT}"
RUN_SMALLER: Final = f"{RUN} --conditions {DEFAULT},{at_factor(2)}"
COMPARE: Final = "lvqa build bear compare NAME=PLACE, then lvqa report RUN… --ocr ocr-characters.json"
TAG_ERRORS: Final = (
    'error-tags.jsonl in a run\'s folder, an answer a line: {"condition": "default", "question_id": "ID", '
    '"run": 1, "tags": ["C3"]}'
)
