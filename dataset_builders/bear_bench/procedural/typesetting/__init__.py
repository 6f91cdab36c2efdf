"""Typesetting: blocks become marks at places (pure), and marks become pixels."""
