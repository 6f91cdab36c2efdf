"""The pages, one module each: `build(app: Shell)` adds a page to the app."""

from lvqa_eval.gradio_loading import load_gradio

load_gradio()
