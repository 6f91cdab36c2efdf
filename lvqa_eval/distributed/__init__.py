"""Work spread over a Ray cluster: units of work, the workers that do them, and giving back what was lost."""
