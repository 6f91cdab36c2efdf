"""The condition table of one run: what each delivery costs, with what became of every conversation."""
