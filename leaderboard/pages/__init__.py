"""The pages, one module each: `build(app: Shell)` adds a page to the app."""

import os

# Read when Gradio is imported: without it, it asks its maker's servers for news.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
