"""Scenarios: what stands on a page together with the question that it answers, true by construction."""
