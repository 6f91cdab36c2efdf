"""Gradio is loaded whole, quietly, and without writing beside its own files."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("gradio")

PROGRAM = """
import inspect, json, os, sys
from pathlib import Path

import lvqa_eval.gradio_loading as loading

opened = []
sys.addaudithook(lambda event, about: event == "open" and opened.append(str(about[0])))
before = inspect.getfile
gr = loading.load_gradio()
stubs = [name for name in opened if name.endswith(".pyi")]
json.dump({
    "stubs": stubs,
    "restored": inspect.getfile is before,
    "same": loading.load_gradio() is gr,
    "news": os.environ["GRADIO_ANALYTICS_ENABLED"],
    "file": Path(inspect.getfile(gr.Textbox)).name,
    "events": sorted({"change", "input", "submit"} & set(dir(gr.Textbox))),
    "value": gr.Textbox("x").value,
}, sys.stdout)
"""


def test_components_are_whole_and_no_stub_file_is_touched():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {
        "stubs": [],
        "restored": True,
        "same": True,
        "news": "False",
        "file": "textbox.py",
        "events": ["change", "input", "submit"],
        "value": "x",
    }
