"""Verdicts of a model that sees pictures, question and response, and not the reference."""
