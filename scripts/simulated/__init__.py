"""A study of assistants that exist on paper alone: drawn from a stated model, so that the truth is known."""
