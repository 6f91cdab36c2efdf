"""Forms by which people audit a finished set: reference answers, verdicts, questions and pictures."""
