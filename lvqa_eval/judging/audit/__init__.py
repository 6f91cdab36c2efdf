"""Human validation of verdicts: a sample for people to label, a page to label it on, and the scores."""
