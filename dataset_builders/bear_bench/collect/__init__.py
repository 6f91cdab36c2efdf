"""Where documents come from: one module a source."""
