"""Statistics of a run: pure functions on arrays; each figure names its denominator."""
