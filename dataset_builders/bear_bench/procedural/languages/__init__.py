"""How numbers and words are written in English and Russian."""
