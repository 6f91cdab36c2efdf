"""Features of answers: a local model reads a conversation with its answer once and says what it saw."""
