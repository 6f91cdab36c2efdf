"""`lvqa compare`: two runs over the same questions, paired question by question."""
