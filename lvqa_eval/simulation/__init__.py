"""Conversations: what a model is told turn by turn, and what it replies."""
