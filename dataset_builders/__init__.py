"""Builders of the datasets: from scenes and pages to folders that `load_dataset` reads."""
