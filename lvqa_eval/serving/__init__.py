"""Serving: the chat-completions client, the `vllm serve` that a run starts, and the checks before it."""
