"""Tables and figures of detectors: how well scores tell wrong answers from right ones."""
