"""Judging: which answer of a conversation is right, by comparison of text or by a model."""
