"""Evaluation of vision-language models on the datasets of this project."""
