"""Runs on disk: what was run, every conversation, every judgement."""
