"""Scene sources: each reads one kind of input and yields scenes, or scenes with their examples."""
