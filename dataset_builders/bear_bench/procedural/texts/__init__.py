"""Running text: what reports and papers say apart from their figures, in English and Russian."""
